#define MG_BFS_HOT mg_bfs_hot_base
#include "algo/bfs/bfs_hot.h"
