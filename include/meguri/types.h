/* Types: what the items of columns, weights and facts are. One list for everything that has a type. */
#ifndef MEGURI_TYPES_H
#define MEGURI_TYPES_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum meguri_type {
    MEGURI_TYPE_NONE = 0, /* no values; where values are given: the library chooses */
    MEGURI_TYPE_I8 = 1,
    MEGURI_TYPE_I16 = 2,
    MEGURI_TYPE_I32 = 3,
    MEGURI_TYPE_I64 = 4,
    MEGURI_TYPE_U8 = 5,
    MEGURI_TYPE_U16 = 6,
    MEGURI_TYPE_U32 = 7,
    MEGURI_TYPE_U64 = 8,
    MEGURI_TYPE_F32 = 9,
    MEGURI_TYPE_F64 = 10,
    MEGURI_TYPE_BOOLEAN = 11, /* uint8_t: 0 or 1 */
    MEGURI_TYPE_TEXT = 12,
    MEGURI_TYPE_VERTEX = 13 /* uint64_t, UINT64_MAX for none; in columns also uint32_t, UINT32_MAX for none */
} meguri_type;

/* "u8", "boolean", …; "unknown" for what is no type. */
const char *meguri_type_name(meguri_type type);
/* Bytes of a single item: 1, 2, 4 or 8; 0 of none, of text, and of what is no type. */
size_t meguri_type_bytes(meguri_type type);

#ifdef __cplusplus
}
#endif
#endif
