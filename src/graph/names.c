/* String ids: a growing table, numbered by first appearance.
 *
 * Open addressing, linear probing, at most half full. While it grows a slot holds 32 bits of the hash beside the
 * number, so that most comparisons never touch the strings; the finished table (MG_PART_NAME_INDEX) holds the numbers
 * alone and is looked up by access.c with the same hash. */
#include "graph/graph.h"
#include "graph/internal.h"

#include <inttypes.h>
#include <xxhash.h>

typedef struct slot {
    uint32_t tag;
    uint32_t number; /* MG_NO_VERTEX: empty */
} slot;

struct mg_names {
    char *bytes;
    uint64_t bytes_used, bytes_room;
    uint64_t *offsets; /* count+1 of them */
    uint64_t count, room;
    slot *slots;
    uint64_t slot_count; /* a power of two */
};

enum { FIRST_BYTES = 1024, FIRST_ROOM = 63, FIRST_SLOTS = 128 };

meguri_status mg_names_new(mg_names **out, meguri_ctx *ctx) {
    const char *what = "a table of string ids";
    *out = NULL;
    mg_names *names = mg_alloc_zero(ctx, sizeof *names, what);
    if (!names) return MEGURI_NO_MEMORY;
    names->bytes = mg_alloc(ctx, FIRST_BYTES, what);
    names->offsets = mg_alloc_array(ctx, FIRST_ROOM + 1, 8, what);
    names->slots = mg_alloc_array(ctx, FIRST_SLOTS, sizeof(slot), what);
    if (!names->bytes || !names->offsets || !names->slots) {
        mg_names_free(names);
        return MEGURI_NO_MEMORY;
    }
    names->bytes_room = FIRST_BYTES;
    names->room = FIRST_ROOM;
    names->slot_count = FIRST_SLOTS;
    names->offsets[0] = 0;
    memset(names->slots, 0xff, FIRST_SLOTS * sizeof(slot));
    *out = names;
    return MEGURI_OK;
}

void mg_names_free(mg_names *names) {
    if (!names) return;
    mg_free(names->bytes);
    mg_free(names->offsets);
    mg_free(names->slots);
    mg_free(names);
}

uint64_t mg_names_count(const mg_names *names) { return names->count; }

const char *mg_names_get(const mg_names *names, uint32_t number, size_t *length) {
    *length = (size_t)(names->offsets[number + 1] - names->offsets[number]);
    return names->bytes + names->offsets[number];
}

static meguri_status grow_slots(meguri_ctx *ctx, mg_names *names) {
    uint64_t bigger = names->slot_count * 2;
    slot *slots = mg_alloc_array(ctx, bigger, sizeof *slots, "a table of string ids");
    if (!slots) return MEGURI_NO_MEMORY;
    memset(slots, 0xff, bigger * sizeof *slots);
    for (uint64_t number = 0; number < names->count; number++) {
        size_t length;
        const char *text = mg_names_get(names, (uint32_t)number, &length);
        uint64_t hash = XXH3_64bits(text, length), at = hash & (bigger - 1);
        while (slots[at].number != MG_NO_VERTEX) at = (at + 1) & (bigger - 1);
        slots[at] = (slot){(uint32_t)(hash >> 32), (uint32_t)number};
    }
    mg_free(names->slots);
    names->slots = slots;
    names->slot_count = bigger;
    return MEGURI_OK;
}

static meguri_status make_room(meguri_ctx *ctx, mg_names *names, size_t length) {
    const char *what = "a table of string ids";
    if (names->count >= MG_MAX_VERTICES)
        return mg_fail(ctx, MEGURI_BAD_INPUT, "more than %" PRIu64 " different ids: that many vertices do not fit.",
                       MG_MAX_VERTICES);
    if (names->count == names->room) {
        uint64_t *offsets = mg_resize(ctx, names->offsets, (names->room * 2 + 2) * 8, what);
        if (!offsets) return MEGURI_NO_MEMORY;
        names->offsets = offsets;
        names->room = names->room * 2 + 1;
    }
    if (length > names->bytes_room - names->bytes_used) {
        uint64_t room = names->bytes_room * 2 + length;
        char *bytes = mg_resize(ctx, names->bytes, room, what);
        if (!bytes) return MEGURI_NO_MEMORY;
        names->bytes = bytes;
        names->bytes_room = room;
    }
    return names->count * 2 >= names->slot_count ? grow_slots(ctx, names) : MEGURI_OK;
}

meguri_status mg_names_add(meguri_ctx *ctx, mg_names *names, const char *text, size_t length, uint32_t *number) {
    uint64_t hash = XXH3_64bits(text, length), mask = names->slot_count - 1, at = hash & mask;
    uint32_t tag = (uint32_t)(hash >> 32);
    for (; names->slots[at].number != MG_NO_VERTEX; at = (at + 1) & mask) {
        if (names->slots[at].tag != tag) continue;
        size_t other_length;
        const char *other = mg_names_get(names, names->slots[at].number, &other_length);
        if (other_length == length && memcmp(other, text, length) == 0) {
            *number = names->slots[at].number;
            return MEGURI_OK;
        }
    }
    meguri_status status = make_room(ctx, names, length);
    if (status != MEGURI_OK) return status;
    mask = names->slot_count - 1; /* the table may have grown */
    for (at = hash & mask; names->slots[at].number != MG_NO_VERTEX;) at = (at + 1) & mask;
    *number = (uint32_t)names->count;
    names->slots[at] = (slot){tag, *number};
    memcpy(names->bytes + names->bytes_used, text, length);
    names->bytes_used += length;
    names->offsets[++names->count] = names->bytes_used;
    return MEGURI_OK;
}

meguri_status mg_names_merge(meguri_ctx *ctx, mg_names *names, const mg_names *local, uint32_t *map) {
    for (uint64_t i = 0; i < local->count; i++) {
        size_t length;
        const char *text = mg_names_get(local, (uint32_t)i, &length);
        meguri_status status = mg_names_add(ctx, names, text, length, &map[i]);
        if (status != MEGURI_OK) return status;
    }
    return MEGURI_OK;
}

meguri_status mg_names_reorder(meguri_ctx *ctx, mg_names *names, const uint32_t *order) {
    const char *what = "a table of string ids";
    char *bytes = mg_alloc(ctx, names->bytes_used, what);
    uint64_t *offsets = mg_alloc_array(ctx, names->count + 1, 8, what), at = 0;
    if (!bytes || !offsets) {
        mg_free(bytes);
        mg_free(offsets);
        return MEGURI_NO_MEMORY;
    }
    for (uint64_t i = 0; i < names->count; i++) {
        size_t length;
        const char *text = mg_names_get(names, order[i], &length);
        memcpy(bytes + at, text, length);
        offsets[i] = at;
        at += length;
    }
    offsets[names->count] = at;
    mg_free(names->bytes);
    mg_free(names->offsets);
    mg_free(names->slots); /* of the old numbers: there are no more to come */
    names->slots = NULL;
    names->bytes = bytes;
    names->offsets = offsets;
    names->bytes_room = at;
    names->room = names->count;
    return MEGURI_OK;
}

/* ---- texts ------------------------------------------------------------------------------------------------------ */

/* Length of the UTF-8 sequence at p, 0 if it is none (overlong forms, surrogates and beyond U+10FFFF included). */
static size_t utf8_length(const unsigned char *p, size_t left) {
    if (p[0] < 0x80) return 1;
    size_t length = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;
    if (p[0] < 0xc2 || p[0] > 0xf4 || left < length) return 0;
    for (size_t i = 1; i < length; i++)
        if ((p[i] & 0xc0) != 0x80) return 0;
    if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f)) return 0;
    if ((p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f)) return 0;
    return length;
}

bool mg_is_name(const char *text, size_t length) {
    const unsigned char *p = (const unsigned char *)text;
    for (size_t at = 0; at < length;) {
        if (p[at] < 0x20 && (p[at] == 0 || p[at] == '\t' || p[at] == '\n' || p[at] == '\r')) return false;
        size_t step = utf8_length(p + at, length - at);
        if (!step) return false;
        at += step;
    }
    return true;
}

/* ---- into a graph ----------------------------------------------------------------------------------------------- */

meguri_status mg_names_into_graph(meguri_ctx *ctx, mg_names *names, meguri_graph *graph) {
    uint32_t *index = mg_alloc_array(ctx, names->slot_count, 4, "the index of the string ids");
    if (!index) return MEGURI_NO_MEMORY;
    /* A number's slot depends on the order of insertion before the last growth only in ways a search does not see,
     * but equal graphs should be equal files: insert again in order. */
    memset(index, 0xff, names->slot_count * 4);
    for (uint64_t number = 0; number < names->count; number++) {
        size_t length;
        const char *text = mg_names_get(names, (uint32_t)number, &length);
        uint64_t at = XXH3_64bits(text, length) & (names->slot_count - 1);
        while (index[at] != MG_NO_VERTEX) at = (at + 1) & (names->slot_count - 1);
        index[at] = (uint32_t)number;
    }
    mg_graph_own(graph, MG_PART_NAME_INDEX, index, names->slot_count * 4);
    mg_trim(names->offsets, (names->count + 1) * 8);
    mg_graph_own(graph, MG_PART_NAME_OFFSETS, names->offsets, (names->count + 1) * 8);
    mg_trim(names->bytes, names->bytes_used);
    mg_graph_own(graph, MG_PART_NAMES, names->bytes, names->bytes_used);
    names->offsets = NULL;
    names->bytes = NULL;
    return MEGURI_OK;
}
