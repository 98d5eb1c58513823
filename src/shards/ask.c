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
 * owner sends is what each home wants of it, in its order, and the other way round. Homes look at their positions in
 * pieces, each of which knows beforehand where its items of every owner are, so that all threads work. */
typedef struct going_home {
    const mg_shards *shards;
    uint64_t *by_home, *by_owner, *came; /* begins of items */
    uint64_t pieces, *places;            /* by piece of the home and owner: where its items of that owner begin */
    mg_splitter by_size;
    size_t bytes;         /* of an item */
    char *items;          /* by owner, or by home */
    char *at;             /* by local number, or by position: where items come from, or go to */
    const char *isolated; /* what vertices without an owner get */
} going_home;

enum { PIECE = 1 << 15 };

static inline void copy_item(char *to, const char *from, size_t bytes) {
    if (bytes == 4) memcpy(to, from, 4);
    else if (bytes == 8) memcpy(to, from, 8);
    else memcpy(to, from, bytes);
}

static mg_range piece_of(const going_home *w, uint64_t piece) {
    uint64_t here = w->shards->home.end - w->shards->home.begin;
    return (mg_range){piece * PIECE, MG_MIN((piece + 1) * PIECE, here)};
}

/* What is done with a position of a home: `owner` is that of its vertex, w->by_size.by where it has none; `next` is by
 * owner, of the piece. */
typedef void place_fn(const going_home *w, uint64_t i, uint64_t *next, uint32_t owner);

static inline __attribute__((always_inline)) void each_place(const going_home *w, uint64_t begin, uint64_t end,
                                                             place_fn *act) {
    const mg_shards *s = w->shards;
    for (uint64_t piece = begin; piece < end; piece++) {
        uint64_t *next = w->places + piece * w->by_size.by;
        mg_range r = piece_of(w, piece);
        for (uint64_t i = r.begin; i < r.end; i++) {
            uint64_t g = mg_global_at(s->number, i);
            act(w, i, next, g < s->active ? mg_split_rest(&w->by_size, g) : w->by_size.by);
        }
    }
}

static inline void count_place(const going_home *w, uint64_t i, uint64_t *next, uint32_t owner) {
    (void)i;
    if (owner < w->by_size.by) next[owner]++;
}

static void count_pieces(void *what, uint64_t begin, uint64_t end) { each_place(what, begin, end, count_place); }

static void for_pieces(meguri_ctx *ctx, going_home *w, mg_range_fn *act) {
    mg_for(ctx, mg_threads(ctx, w->pieces * PIECE, PIECE), w->pieces, act, w);
}

static void done(going_home *w) {
    mg_free(w->by_home);
    mg_free(w->places);
}

/* Where the items of every owner are, at home, and those for every home, at the owner. */
static meguri_status prepare(going_home *w, meguri_ctx *ctx, const mg_shards *s, size_t item_bytes) {
    uint64_t size = (uint64_t)s->cluster->size, at = 0;
    *w = (going_home){.shards = s,
                      .by_home = mg_alloc_array(ctx, 3 * (size + 1), sizeof *w->by_home, "results"),
                      .pieces = (s->home.end - s->home.begin + PIECE - 1) / PIECE,
                      .by_size = mg_splitter_of((uint32_t)size),
                      .bytes = item_bytes};
    w->places = mg_alloc_array_zero(ctx, w->pieces * size, sizeof *w->places, "results");
    if (!w->by_home || !w->places) return MEGURI_NO_MEMORY;
    w->by_owner = w->by_home + size + 1;
    w->came = w->by_owner + size + 1;
    for_pieces(ctx, w, count_pieces);
    for (uint64_t p = 0; p < size; p++) {
        w->by_owner[p] = at;
        for (uint64_t piece = 0; piece < w->pieces; piece++) {
            uint64_t count = w->places[piece * size + p];
            w->places[piece * size + p] = at;
            at += count;
        }
    }
    w->by_owner[size] = at;
    w->by_home[0] = 0;
    for (int p = 0; p < s->cluster->size; p++) {
        uint64_t low = w->by_home[p], high = s->owned, end = mg_share(s->vertices, p, s->cluster->size).end;
        while (low < high) {
            uint64_t middle = low + (high - low) / 2;
            if (mg_global_at(s->position, s->in_order[middle]) < end) low = middle + 1;
            else high = middle;
        }
        w->by_home[p + 1] = low;
    }
    return MEGURI_OK;
}

static bool all_came(const going_home *w, const uint64_t *wanted) {
    return memcmp(w->came, wanted, ((uint64_t)w->by_size.by + 1) * sizeof *wanted) == 0;
}

/* At the owner: items in the order of positions, from where they are by local number, and back. */
static void put_in_order(void *what, uint64_t begin, uint64_t end) {
    const going_home *w = what;
    for (uint64_t i = begin; i < end; i++)
        copy_item(w->items + i * w->bytes, w->at + w->shards->in_order[i] * w->bytes, w->bytes);
}

static void take_from_order(void *what, uint64_t begin, uint64_t end) {
    const going_home *w = what;
    for (uint64_t i = begin; i < end; i++)
        copy_item(w->at + w->shards->in_order[i] * w->bytes, w->items + i * w->bytes, w->bytes);
}

/* At home: what has arrived from the owners, in their order, to its place. */
static inline void take_place(const going_home *w, uint64_t i, uint64_t *next, uint32_t owner) {
    const char *from = w->isolated;
    if (owner < w->by_size.by) from = w->items + next[owner]++ * w->bytes;
    copy_item(w->at + i * w->bytes, from, w->bytes);
}

static void take_home(void *what, uint64_t begin, uint64_t end) { each_place(what, begin, end, take_place); }

meguri_status mg_shards_in_order_to_homes(meguri_ctx *ctx, mg_shards *s, void *out, const void *mine, size_t item_bytes,
                                          const void *isolated) {
    going_home w;
    void *arrived = NULL;
    meguri_status status = mg_agree(ctx, s->cluster, prepare(&w, ctx, s, item_bytes));
    if (status == MEGURI_OK)
        status = mg_alltoallv_items(&arrived, w.came, ctx, s->cluster, mine, w.by_home, item_bytes, "results");
    if (status == MEGURI_OK && !all_came(&w, w.by_owner))
        status = mg_strange(ctx, s->cluster, "it has not an item for each vertex");
    if (status == MEGURI_OK) {
        w.items = arrived;
        w.at = out;
        w.isolated = isolated;
        for_pieces(ctx, &w, take_home);
    }
    mg_free(arrived);
    done(&w);
    return status;
}

meguri_status mg_shards_to_homes(meguri_ctx *ctx, mg_shards *s, void *out, const void *mine, size_t item_bytes,
                                 const void *isolated) {
    going_home w = {.shards = s,
                    .bytes = item_bytes,
                    .items = mg_alloc_array(ctx, s->owned, item_bytes, "results"),
                    .at = (char *)(uintptr_t)mine}; /* read alone */
    meguri_status status = mg_agree(ctx, s->cluster, w.items ? MEGURI_OK : MEGURI_NO_MEMORY);
    if (status == MEGURI_OK) {
        mg_for(ctx, mg_threads(ctx, s->owned, PIECE), s->owned, put_in_order, &w);
        status = mg_shards_in_order_to_homes(ctx, s, out, w.items, item_bytes, isolated);
    }
    mg_free(w.items);
    return status;
}

/* At home: what owners get, one after another. */
static inline void leave_place(const going_home *w, uint64_t i, uint64_t *next, uint32_t owner) {
    if (owner < w->by_size.by) copy_item(w->items + next[owner]++ * w->bytes, w->at + i * w->bytes, w->bytes);
}

static void leave_home(void *what, uint64_t begin, uint64_t end) { each_place(what, begin, end, leave_place); }

meguri_status mg_shards_from_homes(meguri_ctx *ctx, mg_shards *s, void *mine, const void *theirs, size_t item_bytes) {
    going_home w;
    void *arrived = NULL;
    meguri_status status = prepare(&w, ctx, s, item_bytes);
    char *leaving =
        status == MEGURI_OK ? mg_alloc_array(ctx, w.by_owner[s->cluster->size], item_bytes, "results") : NULL;
    status = mg_agree(ctx, s->cluster, leaving ? status : MEGURI_NO_MEMORY);
    if (status == MEGURI_OK) {
        w.items = leaving;
        w.at = (char *)(uintptr_t)theirs; /* read alone */
        for_pieces(ctx, &w, leave_home);
        status = mg_alltoallv_items(&arrived, w.came, ctx, s->cluster, leaving, w.by_owner, item_bytes, "results");
    }
    if (status == MEGURI_OK && !all_came(&w, w.by_home))
        status = mg_strange(ctx, s->cluster, "it has not an item for each vertex");
    if (status == MEGURI_OK) {
        w.items = arrived;
        w.at = mine;
        mg_for(ctx, mg_threads(ctx, s->owned, PIECE), s->owned, take_from_order, &w);
    }
    mg_free(arrived);
    mg_free(leaving);
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
    meguri_status status = mg_broadcast(ctx, s->cluster, &s->cluster->all, home, text, MG_ID_TEXT);
    text[MG_ID_TEXT - 1] = '\0'; /* whatever came */
    return status;
}
