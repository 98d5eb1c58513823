/* The loops of searches for one cheapest path, made for each type of weights from one text. */
#include "algo/path/path_point.h"

#define SUFFIX none
#define UNIT
#define REAL 0
#include "algo/path/path_hot.h"
#undef UNIT

#define SUFFIX u8
#define WEIGHT uint8_t
#define REAL   0
#include "algo/path/path_hot.h"

#define SUFFIX u16
#define WEIGHT uint16_t
#define REAL   0
#include "algo/path/path_hot.h"

#define SUFFIX u32
#define WEIGHT uint32_t
#define REAL   0
#include "algo/path/path_hot.h"

#define SUFFIX f32
#define WEIGHT float
#define REAL   1
#include "algo/path/path_hot.h"

#define SUFFIX f64
#define WEIGHT double
#define REAL   1
#include "algo/path/path_hot.h"

const mg_path_hot *mg_path_hot_loops(meguri_type type) {
    switch (type) {
    case MEGURI_TYPE_NONE: return &hot_none;
    case MEGURI_TYPE_U8: return &hot_u8;
    case MEGURI_TYPE_U16: return &hot_u16;
    case MEGURI_TYPE_U32: return &hot_u32;
    case MEGURI_TYPE_F32: return &hot_f32;
    case MEGURI_TYPE_F64: return &hot_f64;
    default: return NULL;
    }
}

bool mg_path_heap_grow(meguri_ctx *ctx, mg_path_heap *heap, uint64_t room) {
    room = MG_MAX(2 * room, 1024u);
    mg_path_waiting *items = mg_resize(ctx, heap->items, room * sizeof *items, "vertices that wait");
    if (!items) return false;
    heap->items = items;
    heap->room = room;
    return true;
}
