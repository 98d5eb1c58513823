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
    uint32_t *slot = mg_alloc_array(ctx, s->owned, sizeof *slot, "the user's order");
    if (!slot) return MEGURI_NO_MEMORY;
    for (uint32_t i = 0; i < s->owned; i++) slot[s->in_order[i]] = i;
    *out = slot;
    return MEGURI_OK;
}

/* Owners have their vertices in the order of positions, and homes lie in that order: so items need no address. What an
 * owner sends is what each home wants of it, in its order, and the other way round. */
typedef struct going_home {
    uint64_t *by_home, *by_owner; /* begins, in bytes */
    uint64_t *next;               /* by owner: its next item */
    char *items;
    mg_splitter by_size;
} going_home;

static inline void copy_item(char *to, const char *from, size_t bytes) {
    if (bytes == 4) memcpy(to, from, 4);
    else if (bytes == 8) memcpy(to, from, 8);
    else memcpy(to, from, bytes);
}

static meguri_status prepare(going_home *w, meguri_ctx *ctx, const mg_shards *s, uint64_t items, size_t item_bytes) {
    uint64_t size = (uint64_t)s->cluster->size;
    *w = (going_home){.by_home = mg_alloc_array_zero(ctx, 3 * (size + 1), sizeof *w->by_home, "results"),
                      .items = mg_alloc_array(ctx, items, item_bytes, "results"),
                      .by_size = mg_splitter_of((uint32_t)size)};
    if (!w->by_home || !w->items) return MEGURI_NO_MEMORY;
    w->by_owner = w->by_home + size + 1;
    w->next = w->by_owner + size + 1;
    return MEGURI_OK;
}

static void done(going_home *w) {
    mg_free(w->by_home);
    mg_free(w->items);
}

/* At home: what has arrived from the owners, in their order, to its place. */
static bool take_home(const mg_shards *s, going_home *w, char *out, const char *arrived, size_t bytes,
                      const void *isolated) {
    memcpy(w->next, w->by_owner, (uint64_t)s->cluster->size * sizeof *w->next);
    for (uint64_t i = 0; i < s->home.end - s->home.begin; i++) {
        uint64_t g = mg_global_at(s->number, i);
        if (g >= s->active) {
            memcpy(out + i * bytes, isolated, bytes);
            continue;
        }
        uint32_t owner = mg_split_rest(&w->by_size, g);
        if (w->next[owner] + bytes > w->by_owner[owner + 1]) return false;
        copy_item(out + i * bytes, arrived + w->next[owner], bytes);
        w->next[owner] += bytes;
    }
    return true;
}

meguri_status mg_shards_to_homes(meguri_ctx *ctx, mg_shards *s, void *out, const void *mine, size_t item_bytes,
                                 const void *isolated) {
    going_home w;
    uint64_t at = 0;
    void *arrived = NULL;
    meguri_status status = mg_agree(ctx, s->cluster, prepare(&w, ctx, s, s->owned, item_bytes));
    if (status == MEGURI_OK) {
        for (int p = 0; p < s->cluster->size; p++) {
            uint64_t end = mg_share(s->vertices, p, s->cluster->size).end;
            for (; at < s->owned && mg_global_at(s->position, s->in_order[at]) < end; at++)
                copy_item(w.items + at * item_bytes, (const char *)mine + s->in_order[at] * item_bytes, item_bytes);
            w.by_home[p + 1] = at * item_bytes;
        }
        status = mg_alltoallv(&arrived, w.by_owner, ctx, s->cluster, w.items, w.by_home, "results");
    }
    if (status == MEGURI_OK && !take_home(s, &w, out, arrived, item_bytes, isolated))
        status = mg_strange(ctx, s->cluster, "it has not an item for each vertex");
    mg_free(arrived);
    done(&w);
    return status;
}

/* At home: what owners get, one after another. */
static void leave_home(const mg_shards *s, going_home *w, const char *theirs, size_t bytes) {
    uint64_t here = s->home.end - s->home.begin;
    for (uint64_t i = 0; i < here; i++) {
        uint64_t g = mg_global_at(s->number, i);
        if (g < s->active) w->by_owner[mg_split_rest(&w->by_size, g) + 1] += bytes;
    }
    for (int p = 0; p < s->cluster->size; p++) w->by_owner[p + 1] += w->by_owner[p];
    memcpy(w->next, w->by_owner, (uint64_t)s->cluster->size * sizeof *w->next);
    for (uint64_t i = 0; i < here; i++) {
        uint64_t g = mg_global_at(s->number, i);
        if (g >= s->active) continue;
        uint64_t *next = &w->next[mg_split_rest(&w->by_size, g)];
        copy_item(w->items + *next, theirs + i * bytes, bytes);
        *next += bytes;
    }
}

meguri_status mg_shards_from_homes(meguri_ctx *ctx, mg_shards *s, void *mine, const void *theirs, size_t item_bytes) {
    going_home w;
    void *arrived = NULL;
    meguri_status status = mg_agree(ctx, s->cluster, prepare(&w, ctx, s, s->home.end - s->home.begin, item_bytes));
    if (status == MEGURI_OK) {
        leave_home(s, &w, theirs, item_bytes);
        status = mg_alltoallv(&arrived, w.by_home, ctx, s->cluster, w.items, w.by_owner, "results");
    }
    if (status == MEGURI_OK && w.by_home[s->cluster->size] != s->owned * item_bytes)
        status = mg_strange(ctx, s->cluster, "it has not an item for each vertex");
    for (uint64_t i = 0; i < s->owned && status == MEGURI_OK; i++)
        copy_item((char *)mine + s->in_order[i] * item_bytes, (const char *)arrived + i * item_bytes, item_bytes);
    mg_free(arrived);
    done(&w);
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
