/* Types of relationships, numbered as they appear: open addressing, half empty at least, because a database may have as
 * many types as relationships. */
#include "source/source.h"

#include <string.h>
#include <xxhash.h>

static const char what[] = "the names of types";

static const char *text_of(const mg_types *types, uint32_t type) {
    return (const char *)types->texts.data + types->begin[type];
}

/* The bytes of a text and of the zero behind it. */
static uint64_t bytes_of(const mg_types *types, uint32_t type) {
    return (type + 1 < types->count ? types->begin[type + 1] : types->texts.length) - types->begin[type];
}

/* The place of a type, or the free one where it belongs. */
static uint32_t *place_of(const mg_types *types, const char *text, size_t length) {
    uint32_t at = (uint32_t)XXH3_64bits_withSeed(text, length, types->seed) & types->mask;
    for (; types->table[at] != MG_NO_TYPE; at = (at + 1) & types->mask) {
        uint32_t type = types->table[at];
        if (bytes_of(types, type) == length + 1 && memcmp(text_of(types, type), text, length) == 0) break;
    }
    return &types->table[at];
}

static bool grow(mg_types *types, meguri_ctx *ctx) {
    uint32_t room = types->room ? 2 * types->room : 64, places = 2 * room;
    uint64_t *begin = meguri_ctx_resize(ctx, types->begin, room * sizeof *begin, what);
    if (begin) types->begin = begin;
    const char **list = begin ? meguri_ctx_resize(ctx, types->list, room * sizeof *list, what) : NULL;
    if (list) types->list = list;
    uint32_t *table = list ? meguri_ctx_resize(ctx, types->table, places * sizeof *table, what) : NULL;
    if (!table) return false;
    if (!types->room) types->seed = mg_source_seed();
    types->table = table;
    types->room = room;
    types->mask = places - 1;
    memset(table, 0xFF, places * sizeof *table);
    for (uint32_t t = 0; t < types->count; t++) *place_of(types, text_of(types, t), (size_t)bytes_of(types, t) - 1) = t;
    return true;
}

uint32_t mg_types_add(mg_types *types, meguri_ctx *ctx, const char *text, size_t length) {
    if (types->count == types->room && !grow(types, ctx)) return MG_NO_TYPE;
    uint32_t *place = place_of(types, text, length);
    if (*place != MG_NO_TYPE) return *place;
    uint64_t begin = types->texts.length;
    mg_bytes_add(&types->texts, text, length);
    mg_bytes_add(&types->texts, "", 1);
    if (types->texts.failed) return MG_NO_TYPE;
    types->begin[types->count] = begin;
    return *place = types->count++;
}

const char *const *mg_types_list(mg_types *types) {
    for (uint32_t t = 0; t < types->count; t++) types->list[t] = text_of(types, t);
    return types->list;
}

void mg_types_clear(mg_types *types) {
    types->count = 0;
    types->texts.length = 0;
    types->texts.failed = false;
    if (types->table) memset(types->table, 0xFF, (types->mask + 1) * sizeof *types->table);
}

void mg_types_free(mg_types *types) {
    void *const blocks[] = {types->begin, types->list, types->table};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) meguri_ctx_release(blocks[i]);
    mg_bytes_free(&types->texts);
    *types = (mg_types){0};
}
