#define MG_BFS_PULL mg_bfs_pull_avx512
#include "algo/bfs/bfs_pull.h"
