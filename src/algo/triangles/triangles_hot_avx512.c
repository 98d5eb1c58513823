#ifndef __AVX512VPOPCNTDQ__
#error "this file is to be compiled for avx512 with vpopcntdq"
#endif
#define MG_TRIANGLE_HOT mg_triangle_hot_avx512
#include "algo/triangles/triangles_hot.h"
