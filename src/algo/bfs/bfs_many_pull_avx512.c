#ifndef __AVX512BW__
#error "this file is to be compiled for avx512"
#endif
#define MG_BFS_MANY_PULL mg_bfs_many_pull_avx512
#include "algo/bfs/bfs_many_pull.h"
