#ifndef __AVX2__
#error "this file is to be compiled for avx2"
#endif
#define MG_BFS_HOT mg_bfs_hot_avx2
#include "algo/bfs/bfs_hot.h"
