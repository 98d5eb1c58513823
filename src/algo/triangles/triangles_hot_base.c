#define MG_TRIANGLE_HOT mg_triangle_hot_base
#include "algo/triangles/triangles_hot.h"
