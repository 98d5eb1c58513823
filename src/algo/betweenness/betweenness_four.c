/* The search from four sources at once. */
#define LANES  4
#define SEARCH mg_betweenness_four
#include "algo/betweenness/betweenness_search.h"
