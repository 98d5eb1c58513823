/* test_bfs_many.c once more, with the hot loops that every processor can run: the linker leads the choice of them
 * here (--wrap). */
#include "algo/bfs/bfs_many.h"

const mg_bfs_many_hot *__wrap_mg_bfs_many_hot_loops(void);

const mg_bfs_many_hot *__wrap_mg_bfs_many_hot_loops(void) { return &mg_bfs_many_hot_base; }
