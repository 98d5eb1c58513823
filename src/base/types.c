/* Types: their names and sizes, and the codes that files have for them. */
#include "base/base.h"

static const struct {
    const char *name;
    uint8_t bytes;
    uint8_t code;
} types[] = {[MEGURI_TYPE_NONE] = {"none", 0, 0},  [MEGURI_TYPE_I8] = {"i8", 1, 7},
             [MEGURI_TYPE_I16] = {"i16", 2, 8},    [MEGURI_TYPE_I32] = {"i32", 4, 9},
             [MEGURI_TYPE_I64] = {"i64", 8, 10},   [MEGURI_TYPE_U8] = {"u8", 1, 1},
             [MEGURI_TYPE_U16] = {"u16", 2, 2},    [MEGURI_TYPE_U32] = {"u32", 4, 3},
             [MEGURI_TYPE_U64] = {"u64", 8, 6},    [MEGURI_TYPE_F32] = {"f32", 4, 4},
             [MEGURI_TYPE_F64] = {"f64", 8, 5},    [MEGURI_TYPE_BOOLEAN] = {"boolean", 1, 11},
             [MEGURI_TYPE_TEXT] = {"text", 0, 12}, [MEGURI_TYPE_VERTEX] = {"vertex", 8, 13}};

#define COUNT (sizeof types / sizeof *types)

const char *meguri_type_name(meguri_type type) { return (unsigned)type < COUNT ? types[type].name : "unknown"; }

size_t meguri_type_bytes(meguri_type type) { return (unsigned)type < COUNT ? types[type].bytes : 0; }

meguri_type mg_type_join(meguri_type a, meguri_type b) {
    if (a == b || !a || !b) return a ? a : b;
    if (mg_type_is_real(a) || mg_type_is_real(b)) return MEGURI_TYPE_F64;
    if (mg_type_is_unsigned(a) && mg_type_is_unsigned(b)) return MG_MAX(a, b);
    return mg_type_is_signed(a) && mg_type_is_signed(b) ? MG_MAX(a, b) : MEGURI_TYPE_I64;
}

uint8_t mg_type_code(meguri_type type) { return (unsigned)type < COUNT ? types[type].code : UINT8_MAX; }

meguri_type mg_code_type(uint8_t code) {
    for (size_t i = 0; i < COUNT; i++)
        if (types[i].code == code) return (meguri_type)i;
    return (meguri_type)UINT8_MAX;
}
