/* test_bfs_many.c once more, with the hot loops that every processor can run: the choice of the library is
 * replaced by the one here, which the program defines before the library does. */
#include "algo/bfs/bfs_many.h"

const mg_bfs_many_hot *mg_bfs_many_hot_loops(void) { return &mg_bfs_many_hot_base; }
