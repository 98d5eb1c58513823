/* test_bfs_many.c once more, with the hot loop that every processor can run: the linker leads calls of the other one
 * here (--wrap). */
#include "algo/bfs/bfs_many.h"

mg_bfs_many_pull_fn __wrap_mg_bfs_many_pull_avx512;

mg_bfs_many_found __wrap_mg_bfs_many_pull_avx512(const mg_bfs_many *many, uint32_t begin, uint32_t end) {
    return mg_bfs_many_pull_base(many, begin, end);
}
