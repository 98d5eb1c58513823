/* Between positions in the user's order and owners: where a vertex is, and results on their way home. */
#include "shards/shards.h"

#include <inttypes.h>

meguri_status mg_shards_number(uint64_t *out, meguri_ctx *ctx, mg_shards *s, uint64_t position) {
    *out = UINT64_MAX;
    if (position >= s->home.begin && position < s->home.end) *out = mg_global_at(s->number, position - s->home.begin);
    return mg_reduce_u64(ctx, s->cluster, &s->cluster->all, out, 1, MG_MINIMUM);
}

/* ---- results ---------------------------------------------------------------------------------------------------- */

meguri_status mg_shards_slots(uint32_t **out, meguri_ctx *ctx, const mg_shards *s) {
    uint32_t owned = s->owned;
    mg_globals keys = mg_globals_new(ctx, owned, s->wide, "the user's order");
    uint32_t *local = mg_alloc_array(ctx, owned, sizeof *local, "the user's order");
    uint32_t *slot = mg_alloc_array(ctx, owned, sizeof *slot, "the user's order");
    meguri_status status = keys.items && local && slot ? MEGURI_OK : MEGURI_NO_MEMORY;
    for (uint32_t v = 0; v < owned && status == MEGURI_OK; v++) {
        mg_global_put(keys, v, mg_global_at(s->position, v));
        local[v] = v;
    }
    if (status == MEGURI_OK) status = mg_sort_globals(ctx, keys, local, sizeof *local, owned);
    for (uint32_t i = 0; i < owned && status == MEGURI_OK; i++) slot[local[i]] = i;
    mg_free(keys.items);
    mg_free(local);
    if (status == MEGURI_OK) *out = slot;
    else mg_free(slot);
    return status;
}

/* At the beginning of an item, at any address. */
static void put_global(char *item, bool wide, uint64_t number) {
    uint32_t narrow = (uint32_t)number;
    if (wide) memcpy(item, &number, sizeof number);
    else memcpy(item, &narrow, sizeof narrow);
}

static uint64_t get_global(const char *item, bool wide) {
    uint32_t narrow;
    uint64_t number;
    if (wide) memcpy(&number, item, sizeof number);
    else memcpy(&narrow, item, sizeof narrow);
    return wide ? number : narrow;
}

/* Items are a position and what belongs there. */
typedef struct result_reader {
    const mg_shards *shards;
    const char *mine;
    size_t bytes;
    uint32_t place;
} result_reader;

static uint64_t next_result(void *user, void *items, uint32_t *to, uint64_t capacity) {
    result_reader *r = user;
    const mg_shards *s = r->shards;
    size_t global = mg_global_bytes(s->wide);
    uint64_t n = 0;
    for (; n < capacity && r->place < s->owned; n++, r->place++) {
        uint64_t position = mg_global_at(s->position, r->place);
        char *item = (char *)items + n * (global + r->bytes);
        put_global(item, s->wide, position);
        memcpy(item + global, r->mine + r->place * r->bytes, r->bytes);
        to[n] = (uint32_t)mg_home(s->vertices, s->cluster->size, position);
    }
    return n;
}

meguri_status mg_shards_to_homes(meguri_ctx *ctx, mg_shards *s, void *out, const void *mine, size_t item_bytes,
                                 const void *isolated) {
    result_reader reader = {s, mine, item_bytes, 0};
    size_t global = mg_global_bytes(s->wide);
    const mg_route_source source = {next_result, &reader, global + item_bytes};
    void *items;
    uint64_t count;
    meguri_status status = mg_route(&items, &count, ctx, s->cluster, &source, "results");
    if (status != MEGURI_OK) return status;
    for (uint64_t i = 0; i < s->home.end - s->home.begin; i++)
        if (mg_global_at(s->number, i) >= s->active) memcpy((char *)out + i * item_bytes, isolated, item_bytes);
    for (uint64_t i = 0; i < count && status == MEGURI_OK; i++) {
        const char *item = (const char *)items + i * (global + item_bytes);
        uint64_t position = get_global(item, s->wide);
        if (position < s->home.begin || position >= s->home.end)
            status = mg_strange(ctx, s->cluster, "a position that this process is not home of");
        else memcpy((char *)out + (position - s->home.begin) * item_bytes, item + global, item_bytes);
    }
    mg_free(items);
    return status;
}

/* Items are the number of a vertex and what its owner gets. */
typedef struct home_reader {
    const mg_shards *shards;
    const char *theirs;
    size_t bytes;
    uint64_t place;
} home_reader;

static uint64_t next_of_home(void *user, void *items, uint32_t *to, uint64_t capacity) {
    home_reader *r = user;
    const mg_shards *s = r->shards;
    size_t global = mg_global_bytes(s->wide);
    uint64_t n = 0;
    for (; n < capacity && r->place < s->home.end - s->home.begin; r->place++) {
        uint64_t g = mg_global_at(s->number, r->place);
        if (g >= s->active) continue;
        char *item = (char *)items + n * (global + r->bytes);
        put_global(item, s->wide, g);
        memcpy(item + global, r->theirs + r->place * r->bytes, r->bytes);
        to[n++] = (uint32_t)(g % (uint64_t)s->cluster->size);
    }
    return n;
}

meguri_status mg_shards_from_homes(meguri_ctx *ctx, mg_shards *s, void *mine, const void *theirs, size_t item_bytes) {
    home_reader reader = {s, theirs, item_bytes, 0};
    size_t global = mg_global_bytes(s->wide);
    const mg_route_source source = {next_of_home, &reader, global + item_bytes};
    void *items;
    uint64_t count;
    meguri_status status = mg_route(&items, &count, ctx, s->cluster, &source, "results");
    if (status != MEGURI_OK) return status;
    uint64_t size = (uint64_t)s->cluster->size, rank = (uint64_t)s->cluster->rank;
    for (uint64_t i = 0; i < count && status == MEGURI_OK; i++) {
        const char *item = (const char *)items + i * (global + item_bytes);
        uint64_t g = get_global(item, s->wide);
        if (g % size != rank || g / size >= s->owned)
            status = mg_strange(ctx, s->cluster, "a vertex that this process does not own");
        else memcpy((char *)mine + g / size * item_bytes, item + global, item_bytes);
    }
    mg_free(items);
    return status;
}

/* ---- ids -------------------------------------------------------------------------------------------------------- */

static void write_id(char text[MG_ID_TEXT], const mg_shards *s, uint64_t position) {
    uint64_t place = position - s->home.begin;
    if (s->id_kind == MEGURI_ID_STRING) {
        const char *name = s->names + s->name_offsets[place];
        uint64_t length = s->name_offsets[place + 1] - s->name_offsets[place], shown = MG_MIN(length, 200u);
        while (shown < length && shown > 0 && ((unsigned char)name[shown] & 0xc0) == 0x80) shown--;
        snprintf(text, MG_ID_TEXT, "\"%.*s%s\"", (int)shown, name, shown < length ? "..." : "");
        return;
    }
    uint64_t id = s->ids ? s->ids[place] : s->id_base + position;
    if (s->id_kind == MEGURI_ID_SIGNED) snprintf(text, MG_ID_TEXT, "%" PRId64, (int64_t)id);
    else snprintf(text, MG_ID_TEXT, "%" PRIu64, id);
}

meguri_status mg_shards_id_text(char text[MG_ID_TEXT], meguri_ctx *ctx, mg_shards *s, uint64_t position) {
    int home = mg_home(s->vertices, s->cluster->size, position);
    if (home == s->cluster->rank) write_id(text, s, position);
    return mg_broadcast(ctx, s->cluster, &s->cluster->all, home, text, MG_ID_TEXT);
}
