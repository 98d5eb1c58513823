#define MG_BFS_MANY_HOT mg_bfs_many_hot_base
#include "algo/bfs/bfs_many_hot.h"
