/* PackStream: the values of Bolt messages as bytes, in both directions.
 *
 * Reading never allocates: a cursor goes over a message, each step takes the head of one value (of a container its
 * number of items, which follow), and texts point into the message. Whatever the bytes are, nothing outside of the
 * message is looked at, and a container claims no more items than there are bytes left. */
#ifndef MG_BOLT_PACKSTREAM_H
#define MG_BOLT_PACKSTREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- memory ----------------------------------------------------------------------------------------------------- */

/* A budget that memory comes out of. */
typedef struct mg_heap {
    void *(*resize)(void *user, void *block, size_t bytes); /* as realloc */
    void (*release)(void *block);
    void *user;
} mg_heap;

/* Without a heap, memory comes from the system. */
void *mg_heap_resize(const mg_heap *heap, void *block, size_t bytes);
void mg_heap_release(const mg_heap *heap, void *block);

/* ---- writing ---------------------------------------------------------------------------------------------------- */

/* Bytes that grow; after an allocation that failed it takes no more, and says so in the end. */
typedef struct mg_bytes {
    uint8_t *data;
    size_t length, room;
    bool failed;
    const mg_heap *heap; /* NULL: the system's */
} mg_bytes;

void mg_bytes_add(mg_bytes *bytes, const void *data, size_t length);
/* Room for so many bytes more. */
void mg_bytes_reserve(mg_bytes *bytes, size_t more);
void mg_bytes_free(mg_bytes *bytes);

void mg_pack_null(mg_bytes *out);
void mg_pack_bool(mg_bytes *out, bool value);
void mg_pack_integer(mg_bytes *out, int64_t value);
void mg_pack_real(mg_bytes *out, double value);
void mg_pack_text(mg_bytes *out, const char *text, size_t length);
void mg_pack_string(mg_bytes *out, const char *text);
/* What follows are so many items, or pairs of a text and a value, or fields. */
void mg_pack_list(mg_bytes *out, uint32_t count);
void mg_pack_map(mg_bytes *out, uint32_t count);
void mg_pack_struct(mg_bytes *out, uint8_t tag, uint8_t fields);

/* ---- reading ---------------------------------------------------------------------------------------------------- */

typedef enum mg_kind { MG_NULL, MG_BOOL, MG_INTEGER, MG_REAL, MG_BYTES, MG_TEXT, MG_LIST, MG_MAP, MG_STRUCT } mg_kind;

typedef struct mg_value {
    mg_kind kind;
    uint8_t tag; /* of a structure */
    union {
        int64_t integer; /* and of a bool, 0 or 1 */
        double real;
        struct {
            const char *text; /* no zero follows */
            size_t length;
        };
        uint64_t count; /* items, pairs or fields that follow */
    };
} mg_value;

typedef struct mg_cursor {
    const uint8_t *at, *end;
} mg_cursor;

/* Each returns false where the bytes are none, or not what was asked for; the cursor is then of no use any more. */
bool mg_unpack(mg_value *out, mg_cursor *cursor);
/* Passes over a value with all that is in it. */
bool mg_unpack_skip(mg_cursor *cursor);
bool mg_unpack_list(uint64_t *count, mg_cursor *cursor);
/* Moves to the value of a key of the map at the cursor; *found says whether it has it. The cursor is behind the key
 * then, else behind the map. */
bool mg_unpack_find(bool *found, mg_cursor *cursor, const char *key);
/* A list of at most `room` integers. */
bool mg_unpack_integers(int64_t *out, uint64_t room, uint64_t *count, mg_cursor *cursor);

#endif
