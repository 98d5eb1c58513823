/* The search from eight sources at once. */
#define LANES  8
#define SEARCH mg_betweenness_eight
#include "algo/betweenness/betweenness_search.h"
