#define MG_BFS_PULL mg_bfs_pull_avx2
#include "algo/bfs/bfs_pull.h"
