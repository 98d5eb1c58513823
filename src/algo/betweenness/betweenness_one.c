/* The search from one source; the only one that knows wide numbers. */
#define LANES  1
#define SEARCH mg_betweenness_one
#include "algo/betweenness/betweenness_search.h"
