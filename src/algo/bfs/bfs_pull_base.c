#define MG_BFS_PULL mg_bfs_pull_base
#include "algo/bfs/bfs_pull.h"
