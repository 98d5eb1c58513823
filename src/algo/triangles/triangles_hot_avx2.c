#ifndef __AVX2__
#error "this file is to be compiled for avx2"
#endif
#define MG_TRIANGLE_HOT mg_triangle_hot_avx2
#include "algo/triangles/triangles_hot.h"
