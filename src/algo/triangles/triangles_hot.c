/* Which compilation of the hot loops suits this processor. */
#include "algo/triangles/triangles.h"

const mg_triangle_hot *mg_triangle_hot_loops(void) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vpopcntdq"))
        return &mg_triangle_hot_avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2")) return &mg_triangle_hot_avx2;
#endif
    return &mg_triangle_hot_base;
}
