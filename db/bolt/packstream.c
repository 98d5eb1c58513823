/* PackStream: markers of one byte, sizes and numbers in big-endian order.
 *
 *     80–8F D0 D1 D2  text      90–9F D4 D5 D6  list      A0–AF D8 D9 DA  map      B0–BF  structure
 *     F0–7F C8 C9 CA CB  integer      C0 null   C1 real   C2 C3 bool   CC CD CE  bytes */
#include "bolt/packstream.h"

#include <stdlib.h>
#include <string.h>

/* ---- memory ----------------------------------------------------------------------------------------------------- */

void *mg_heap_resize(const mg_heap *heap, void *block, size_t bytes) {
    return heap ? heap->resize(heap->user, block, bytes) : realloc(block, bytes);
}

void mg_heap_release(const mg_heap *heap, void *block) {
    if (heap) heap->release(block);
    else free(block);
}

/* ---- writing ---------------------------------------------------------------------------------------------------- */

enum { FIRST_ROOM = 256, LARGE_ROOM = 16 << 20 };

/* Twice as large, and beyond 16 MiB a quarter larger, so that a budget can be used up to its end. */
void mg_bytes_reserve(mg_bytes *bytes, size_t more) {
    size_t room = bytes->room ? bytes->room : FIRST_ROOM;
    if (bytes->failed || more <= bytes->room - bytes->length) return;
    while (room - bytes->length < more && room <= SIZE_MAX / 2) room += room < LARGE_ROOM ? room : room / 4;
    uint8_t *grown = room - bytes->length < more ? NULL : mg_heap_resize(bytes->heap, bytes->data, room);
    bytes->failed = !grown;
    if (!grown) return;
    bytes->data = grown;
    bytes->room = room;
}

void mg_bytes_add(mg_bytes *bytes, const void *data, size_t length) {
    mg_bytes_reserve(bytes, length);
    if (bytes->failed) return;
    if (length) memcpy(bytes->data + bytes->length, data, length);
    bytes->length += length;
}

void mg_bytes_free(mg_bytes *bytes) {
    mg_heap_release(bytes->heap, bytes->data);
    *bytes = (mg_bytes){.heap = bytes->heap};
}

/* A marker, and a number behind it in so many bytes. */
static void put(mg_bytes *out, uint8_t marker, uint64_t number, unsigned bytes) {
    uint8_t text[9] = {marker};
    for (unsigned i = 0; i < bytes; i++) text[1 + i] = (uint8_t)(number >> (8 * (bytes - 1 - i)));
    mg_bytes_add(out, text, 1 + bytes);
}

/* The head of what has a size: in the marker below 16 (if `tiny` is one), else behind one of three markers in a row. */
static void put_size(mg_bytes *out, uint8_t tiny, uint8_t first, uint64_t size) {
    if (tiny && size < 16) put(out, (uint8_t)(tiny | size), 0, 0);
    else if (size <= UINT8_MAX) put(out, first, size, 1);
    else if (size <= UINT16_MAX) put(out, (uint8_t)(first + 1), size, 2);
    else if (size <= UINT32_MAX) put(out, (uint8_t)(first + 2), size, 4);
    else out->failed = true;
}

void mg_pack_null(mg_bytes *out) { put(out, 0xC0, 0, 0); }
void mg_pack_bool(mg_bytes *out, bool value) { put(out, value ? 0xC3 : 0xC2, 0, 0); }

void mg_pack_integer(mg_bytes *out, int64_t value) {
    if (value >= -16 && value <= INT8_MAX) put(out, (uint8_t)value, 0, 0);
    else if (value >= INT8_MIN && value < 0) put(out, 0xC8, (uint64_t)value, 1);
    else if (value >= INT16_MIN && value <= INT16_MAX) put(out, 0xC9, (uint64_t)value, 2);
    else if (value >= INT32_MIN && value <= INT32_MAX) put(out, 0xCA, (uint64_t)value, 4);
    else put(out, 0xCB, (uint64_t)value, 8);
}

void mg_pack_real(mg_bytes *out, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put(out, 0xC1, bits, 8);
}

void mg_pack_text(mg_bytes *out, const char *text, size_t length) {
    put_size(out, 0x80, 0xD0, length);
    mg_bytes_add(out, text, length);
}

void mg_pack_string(mg_bytes *out, const char *text) { mg_pack_text(out, text, strlen(text)); }
void mg_pack_list(mg_bytes *out, uint32_t count) { put_size(out, 0x90, 0xD4, count); }
void mg_pack_map(mg_bytes *out, uint32_t count) { put_size(out, 0xA0, 0xD8, count); }

void mg_pack_struct(mg_bytes *out, uint8_t tag, uint8_t fields) {
    put(out, (uint8_t)(0xB0 | (fields & 15)), 0, 0);
    mg_bytes_add(out, &tag, 1);
}

/* ---- reading ---------------------------------------------------------------------------------------------------- */

static inline bool take_number(uint64_t *out, mg_cursor *cursor, unsigned bytes) {
    if ((size_t)(cursor->end - cursor->at) < bytes) return false;
    uint64_t number = 0;
    for (unsigned i = 0; i < bytes; i++) number = number << 8 | cursor->at[i];
    cursor->at += bytes;
    *out = number;
    return true;
}

/* The integer whose marker is not in the cursor any more; false: it is another kind of value. */
static inline bool take_integer(int64_t *out, mg_cursor *cursor, uint8_t marker) {
    uint64_t bits;
    if ((int8_t)marker >= -16) {
        *out = (int8_t)marker;
        return true;
    }
    if (marker < 0xC8 || marker > 0xCB || !take_number(&bits, cursor, 1u << (marker - 0xC8))) return false;
    *out = marker == 0xC8   ? (int8_t)bits
           : marker == 0xC9 ? (int16_t)bits
           : marker == 0xCA ? (int32_t)bits
                            : (int64_t)bits;
    return true;
}

/* Text or bytes of that length. */
static bool take_text(mg_value *out, mg_cursor *cursor, mg_kind kind, uint64_t length) {
    if (length > (uint64_t)(cursor->end - cursor->at)) return false;
    out->kind = kind;
    out->text = (const char *)cursor->at;
    out->length = (size_t)length;
    cursor->at += length;
    return true;
}

/* Every item takes a byte at least, a pair two. */
static bool take_count(mg_value *out, const mg_cursor *cursor, mg_kind kind, uint64_t count) {
    uint64_t left = (uint64_t)(cursor->end - cursor->at);
    out->kind = kind;
    out->count = count;
    return count <= (kind == MG_MAP ? left / 2 : left);
}

static bool take_sized(mg_value *out, mg_cursor *cursor, uint8_t marker) {
    static const struct {
        uint8_t first;
        mg_kind kind;
    } rows[] = {{0xCC, MG_BYTES}, {0xD0, MG_TEXT}, {0xD4, MG_LIST}, {0xD8, MG_MAP}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t size;
        if (marker < rows[i].first || marker > rows[i].first + 2) continue;
        if (!take_number(&size, cursor, 1u << (marker - rows[i].first))) return false;
        return rows[i].kind == MG_BYTES || rows[i].kind == MG_TEXT ? take_text(out, cursor, rows[i].kind, size)
                                                                   : take_count(out, cursor, rows[i].kind, size);
    }
    return false;
}

static bool take_real(mg_value *out, mg_cursor *cursor) {
    uint64_t bits;
    out->kind = MG_REAL;
    if (!take_number(&bits, cursor, 8)) return false;
    memcpy(&out->real, &bits, sizeof bits);
    return true;
}

bool mg_unpack(mg_value *out, mg_cursor *cursor) {
    if (cursor->at == cursor->end) return false;
    uint8_t marker = *cursor->at++;
    out->kind = MG_INTEGER;
    if (take_integer(&out->integer, cursor, marker)) return true;
    switch (marker >> 4) {
    case 0x8: return take_text(out, cursor, MG_TEXT, marker & 15);
    case 0x9: return take_count(out, cursor, MG_LIST, marker & 15);
    case 0xA: return take_count(out, cursor, MG_MAP, marker & 15);
    case 0xB:
        if (cursor->at == cursor->end) return false;
        out->tag = *cursor->at++;
        return take_count(out, cursor, MG_STRUCT, marker & 15);
    }
    switch (marker) {
    case 0xC0: out->kind = MG_NULL; return true;
    case 0xC1: return take_real(out, cursor);
    case 0xC2:
    case 0xC3:
        out->kind = MG_BOOL;
        out->integer = marker == 0xC3;
        return true;
    }
    return take_sized(out, cursor, marker);
}

bool mg_unpack_skip(mg_cursor *cursor) {
    for (uint64_t left = 1; left; left--) {
        mg_value value;
        if (!mg_unpack(&value, cursor)) return false;
        if (value.kind == MG_LIST || value.kind == MG_STRUCT) left += value.count;
        if (value.kind == MG_MAP) left += 2 * value.count;
    }
    return true;
}

bool mg_unpack_list(uint64_t *count, mg_cursor *cursor) {
    mg_value value;
    if (!mg_unpack(&value, cursor) || value.kind != MG_LIST) return false;
    *count = value.count;
    return true;
}

bool mg_unpack_find(bool *found, mg_cursor *cursor, const char *key) {
    mg_value map, name;
    size_t length = strlen(key);
    *found = false;
    if (!mg_unpack(&map, cursor) || map.kind != MG_MAP) return false;
    for (uint64_t i = 0; i < map.count; i++) {
        if (!mg_unpack(&name, cursor) || name.kind != MG_TEXT) return false;
        *found = name.length == length && memcmp(name.text, key, length) == 0;
        if (*found) return true;
        if (!mg_unpack_skip(cursor)) return false;
    }
    return true;
}

bool mg_unpack_integers(int64_t *out, uint64_t room, uint64_t *count, mg_cursor *cursor) {
    if (!mg_unpack_list(count, cursor) || *count > room) return false;
    for (uint64_t i = 0; i < *count; i++) {
        if (cursor->at == cursor->end) return false;
        uint8_t marker = *cursor->at++;
        if (!take_integer(&out[i], cursor, marker)) return false;
    }
    return true;
}
