/* Which compilation of the hot loops suits this processor. */
#include "algo/bfs/bfs_many.h"

const mg_bfs_hot *mg_bfs_hot_loops(void) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq"))
        return &mg_bfs_hot_avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2")) return &mg_bfs_hot_avx2;
#endif
    return &mg_bfs_hot_base;
}

const mg_bfs_many_hot *mg_bfs_many_hot_loops(void) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")) return &mg_bfs_many_hot_avx512;
#endif
    return &mg_bfs_many_hot_base;
}
