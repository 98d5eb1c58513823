/* The loops of shortest paths for every type of weights, and which of them a graph takes. */
#include "algo/sssp/sssp.h"

#include <math.h>

#define LONG_ROW     12 /* arcs */
#define FINISH_BLOCK 128
#define PULL_AHEAD   64 /* arcs whose labels a pull asks for before it comes to them */
_Static_assert(MG_SSSP_CHUNK *LONG_ROW <= MG_SSSP_BUFFER, "the short rows of a chunk fit");
#define LAST_BIN 9e18 /* where the width is tiny beside a distance, all that is far shares a bin */

#define WEIGHT  uint8_t
#define UNIT    0
#define REAL    0
#define NARROW  1
#define NAME(x) x##_u8_narrow
#include "algo/sssp/sssp_hot.h"

#define WEIGHT  uint16_t
#define UNIT    0
#define REAL    0
#define NARROW  1
#define NAME(x) x##_u16_narrow
#include "algo/sssp/sssp_hot.h"

#define WEIGHT  uint32_t
#define UNIT    0
#define REAL    0
#define NARROW  1
#define NAME(x) x##_u32_narrow
#include "algo/sssp/sssp_hot.h"

#define WEIGHT  uint8_t
#define UNIT    0
#define REAL    0
#define NARROW  0
#define NAME(x) x##_u8_wide
#include "algo/sssp/sssp_hot.h"

#define WEIGHT  uint16_t
#define UNIT    0
#define REAL    0
#define NARROW  0
#define NAME(x) x##_u16_wide
#include "algo/sssp/sssp_hot.h"

#define WEIGHT  uint32_t
#define UNIT    0
#define REAL    0
#define NARROW  0
#define NAME(x) x##_u32_wide
#include "algo/sssp/sssp_hot.h"

#define WEIGHT  float
#define UNIT    0
#define REAL    1
#define NARROW  0
#define NAME(x) x##_f32
#include "algo/sssp/sssp_hot.h"

#define WEIGHT  double
#define UNIT    0
#define REAL    1
#define NARROW  0
#define NAME(x) x##_f64
#include "algo/sssp/sssp_hot.h"

#define WEIGHT  uint8_t
#define UNIT    1
#define REAL    0
#define NARROW  1
#define NAME(x) x##_unit
#include "algo/sssp/sssp_hot.h"

const mg_sssp_hot *mg_sssp_hot_loops(meguri_type type, bool narrow) {
    switch (type) {
    case MEGURI_TYPE_NONE: return &hot_unit;
    case MEGURI_TYPE_U8: return narrow ? &hot_u8_narrow : &hot_u8_wide;
    case MEGURI_TYPE_U16: return narrow ? &hot_u16_narrow : &hot_u16_wide;
    case MEGURI_TYPE_U32: return narrow ? &hot_u32_narrow : &hot_u32_wide;
    case MEGURI_TYPE_F32: return &hot_f32;
    case MEGURI_TYPE_F64: return &hot_f64;
    default: return NULL;
    }
}
