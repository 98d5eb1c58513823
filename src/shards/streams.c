/* Arcs that arrive become rows, each with the smallest columns first.
 *
 * Everybody has told how many arcs go into each stream, which are the arcs of some rows: so there is a place for every
 * arc before it comes, and it is put there at once, as a key of four bytes where row and column fit. Streams, which are
 * about as large as a cache, are then sorted one by one; parallel edges lie side by side and are merged, and what is
 * left of a key, the neighbour, is written over it: arcs are held once, and no page is asked for twice.
 *
 * Invariant: what comes out is in the order of row, column and weight, so neither the order of arriving nor the number
 * of threads shows. What another process sends is checked here before it is used. */
#include "shards/build.h"
#include "shards/turn.h"

enum { CHUNK = 16384, LARGE = 1 << 17 }; /* arcs that a thread takes at a time; of a stream that all threads sort */

/* ---- room ------------------------------------------------------------------------------------------------------- */

void mg_streams_plan(mg_shards_builder *b) {
    const mg_layout *l = &b->shards->layout;
    uint64_t stride = l->window[0].stride;
    mg_streams *s = &b->streams;
    s->rows = l->window[l->tile_target[0]].places; /* the same of all windows of targets */
    s->columns = stride * l->source_owners;
    s->tiles = l->tiles;
    s->plan = mg_policy_streams(s->rows, s->columns, (uint32_t)l->size);
    s->each = (s->rows >> s->plan.row_bits) + 1;
}

meguri_status mg_streams_new(meguri_ctx *ctx, mg_shards_builder *b, const uint64_t *counts) {
    mg_streams *s = &b->streams;
    uint64_t streams = s->each * (uint64_t)s->tiles, size = (uint64_t)b->shards->cluster->size;
    s->next = mg_alloc_array(ctx, streams, sizeof *s->next, "arcs of a graph");
    if (!s->next) return MEGURI_NO_MEMORY;
    for (int t = 0; t < s->tiles; t++) {
        uint64_t *begins = s->tile[t].begins = mg_alloc_array(ctx, s->each + 1, sizeof *begins, "arcs of a graph");
        if (!begins) return MEGURI_NO_MEMORY;
        begins[0] = 0;
        for (uint64_t i = 0; i < s->each; i++) {
            uint64_t here = 0;
            bool sum = true; /* that there is a number for */
            for (uint64_t p = 0; p < size; p++)
                sum &= !__builtin_add_overflow(here, counts[p * streams + (uint64_t)t * s->each + i], &here);
            s->next[(uint64_t)t * s->each + i] = begins[i];
            if (!sum || __builtin_add_overflow(begins[i], here, &begins[i + 1]) || begins[i + 1] >> 48)
                return mg_strange(ctx, b->shards->cluster, "more arcs than there can be");
        }
        s->count += begins[s->each];
        s->tile[t].keys = mg_alloc_array(ctx, begins[s->each], s->plan.key_bytes, "arcs of a graph");
        s->tile[t].carried = mg_alloc_array(ctx, begins[s->each], b->carried_bytes, "weights of a graph");
        if (!s->tile[t].keys || !s->tile[t].carried) return MEGURI_NO_MEMORY;
    }
    s->threads = mg_lasting_threads(ctx, s->count, CHUNK);
    s->room = mg_alloc_array(ctx, streams * (uint64_t)s->threads, sizeof *s->room, "arcs of a graph");
    return s->room ? MEGURI_OK : MEGURI_NO_MEMORY;
}

void mg_streams_free(mg_streams *s) {
    for (int t = 0; t < 2; t++) {
        mg_free(s->tile[t].begins);
        mg_free(s->tile[t].keys);
        mg_free(s->tile[t].carried);
    }
    mg_free(s->next);
    mg_free(s->room);
    *s = (mg_streams){0};
}

/* ---- arriving --------------------------------------------------------------------------------------------------- */

typedef struct taking {
    mg_streams *streams;
    const uint32_t *arcs;
    const char *carried;
    size_t carried_bytes;
    bool strange; /* an arc that is not for this process, or more of them than were announced */
} taking;

/* How many of the arcs are of each stream, and where these go; false where there is no such place. */
static bool find_places(const taking *t, uint64_t *places, mg_range r) {
    const mg_streams *s = t->streams;
    uint32_t bit = s->tiles == 1 ? 0 : MG_SECOND_TILE;
    uint64_t streams = s->each * (uint64_t)s->tiles;
    memset(places, 0, streams * sizeof *places);
    for (uint64_t i = r.begin; i < r.end; i++) {
        if ((t->arcs[2 * i] & ~bit) >= s->rows || t->arcs[2 * i + 1] >= s->columns) return false;
        places[mg_stream_of(s, t->arcs[2 * i])]++;
    }
    for (uint64_t k = 0; k < streams; k++) {
        uint64_t count = places[k];
        if (!count) continue;
        places[k] = mg_fetch_add(&s->next[k], count);
        if (places[k] + count > s->tile[k >= s->each].begins[k % s->each + 1]) return false;
    }
    return true;
}

static void put_arcs(const taking *t, uint64_t *places, mg_range r) {
    const mg_streams *s = t->streams;
    uint32_t low = (uint32_t)(((uint64_t)1 << s->plan.row_bits) - 1), columns = s->plan.column_bits;
    size_t bytes = t->carried_bytes;
    for (uint64_t i = r.begin; i < r.end; i++) {
        uint32_t row = t->arcs[2 * i];
        int tile = s->tiles == 2 && (row & MG_SECOND_TILE);
        uint64_t key = (uint64_t)(row & low) << columns | t->arcs[2 * i + 1], at = places[mg_stream_of(s, row)]++;
        if (s->plan.key_bytes == 4) ((uint32_t *)(void *)s->tile[tile].keys)[at] = (uint32_t)key;
        else ((uint64_t *)(void *)s->tile[tile].keys)[at] = key;
        if (bytes == 4) memcpy(s->tile[tile].carried + 4 * at, t->carried + 4 * i, 4);
        if (bytes == 8) memcpy(s->tile[tile].carried + 8 * at, t->carried + 8 * i, 8);
        if (bytes == 16) memcpy(s->tile[tile].carried + 16 * at, t->carried + 16 * i, 16);
    }
}

static void take_chunks(void *what, mg_worker *worker) {
    taking *t = what;
    uint64_t *places = t->streams->room + worker->number * t->streams->each * (uint64_t)t->streams->tiles;
    for (mg_range r; mg_take(worker, &r);) {
        if (find_places(t, places, r)) put_arcs(t, places, r);
        else mg_store(&t->strange, true);
    }
}

meguri_status mg_streams_take(meguri_ctx *ctx, mg_shards_builder *b, const uint32_t *arcs, const char *carried,
                              uint64_t count) {
    taking t = {.streams = &b->streams, .arcs = arcs, .carried = carried, .carried_bytes = b->carried_bytes};
    mg_loop loop = {.ctx = ctx,
                    .threads = MG_MIN(mg_threads(ctx, count, CHUNK), b->streams.threads),
                    .items = count,
                    .chunk = CHUNK,
                    .work = take_chunks,
                    .what = &t};
    mg_loop_run(&loop);
    return t.strange ? mg_strange(ctx, b->shards->cluster, "an arc that is not for this process") : MEGURI_OK;
}

/* ---- sorting ---------------------------------------------------------------------------------------------------- */

typedef struct settling {
    meguri_ctx *ctx;
    const mg_shards_builder *builder;
    char *keys, *carried;
    const uint64_t *begins;
    size_t carried_bytes;
    uint64_t no_sum;    /* atomic: the first arc that has no sum (mg_streams_rows) */
    mg_splitter owners; /* of sources, and how long their blocks are */
    uint64_t stride;
    uint64_t *lengths; /* by row */
    uint64_t *kept;    /* by stream */
    char *scratch;     /* of each thread: keys, weights */
} settling;

static uint64_t key_at(const settling *s, uint64_t i) {
    return s->builder->streams.plan.key_bytes == 4 ? ((const uint32_t *)(const void *)s->keys)[i]
                                                   : ((const uint64_t *)(const void *)s->keys)[i];
}

/* What the arcs of a stream carry, from its place on, becomes their weights. */
static void unload(const mg_merge *m, char *carried, uint64_t count) {
    if (m->number_bytes) mg_carried_payload(carried, carried, m->type, m->number_bytes, count);
    if (m->type != MEGURI_TYPE_U32) mg_payload_to_weights(carried, m->type, carried, count);
}

/* Sorted keys become neighbours, from where the stream begins on; equal ones become one, or are put in the order of
 * their weights. `bytes` is a constant where this is inlined. */
static inline void settle_stream(settling *s, uint64_t stream, uint32_t bytes) {
    const mg_stream_plan *plan = &s->builder->streams.plan;
    const mg_merge *m = &s->builder->merge;
    uint64_t from = s->begins[stream], last = s->begins[stream + 1], columns = ((uint64_t)1 << plan->column_bits) - 1;
    uint64_t to = from, first_row = stream << plan->row_bits;
    char *neighbors = s->keys + from * plan->key_bytes;
    for (uint64_t i = from, end; i < last; i = end) {
        uint64_t key = key_at(s, i), column = key & columns, row = first_row + (key >> plan->column_bits);
        for (end = i + 1; end < last && key_at(s, end) == key;) end++;
        uint32_t place = (uint32_t)(mg_split_rest(&s->owners, column) * s->stride + mg_split_whole(&s->owners, column));
        if (bytes && end - i > 1 && !mg_merge_carried(m, s->carried, i, end))
            mg_atomic_min_u64(&s->no_sum, row << 32 | place);
        uint64_t copies = m->how == MEGURI_DUPLICATES_KEEP ? end - i : 1;
        for (uint64_t c = 0; c < copies; c++, to++) {
            memcpy(neighbors + (to - from) * 4, &place, 4);
            if (bytes) memmove(s->carried + to * bytes, s->carried + (i + c) * bytes, bytes);
        }
        s->lengths[row] += copies;
    }
    s->kept[stream] = to - from;
    if (bytes) unload(m, s->carried + from * bytes, to - from);
}

static void settle_one(settling *s, uint64_t stream) {
    switch (s->carried_bytes) {
    case 0: settle_stream(s, stream, 0); break;
    case 4: settle_stream(s, stream, 4); break;
    case 8: settle_stream(s, stream, 8); break;
    default: settle_stream(s, stream, 16); break;
    }
}

static meguri_status sort_large(const settling *s, uint64_t stream, uint32_t bits) {
    uint64_t from = s->begins[stream], count = s->begins[stream + 1] - from;
    void *carried = s->carried_bytes ? s->carried + from * s->carried_bytes : NULL;
    uint32_t bytes = (uint32_t)s->carried_bytes;
    if (s->builder->streams.plan.key_bytes == 4)
        return mg_sort_u32(s->ctx, (uint32_t *)(void *)s->keys + from, carried, bytes, count, bits);
    return mg_sort_u64(s->ctx, (uint64_t *)(void *)s->keys + from, carried, bytes, count, bits);
}

static void sort_small(const settling *s, uint64_t stream, uint32_t bits, char *scratch) {
    uint64_t from = s->begins[stream], count = s->begins[stream + 1] - from;
    void *carried = s->carried_bytes ? s->carried + from * s->carried_bytes : NULL;
    void *more = scratch, *more_carried = s->carried_bytes ? scratch + (size_t)LARGE * 8 : NULL;
    uint32_t bytes = (uint32_t)s->carried_bytes;
    if (s->builder->streams.plan.key_bytes == 4)
        mg_sort_small_u32((uint32_t *)(void *)s->keys + from, more, carried, more_carried, bytes, count, bits);
    else mg_sort_small_u64((uint64_t *)(void *)s->keys + from, more, carried, more_carried, bytes, count, bits);
}

static bool is_large(const settling *s, uint64_t stream) { return s->begins[stream + 1] - s->begins[stream] > LARGE; }

static void settle_streams(void *what, mg_worker *worker) {
    settling *s = what;
    const mg_stream_plan *plan = &s->builder->streams.plan;
    char *scratch = s->scratch + worker->number * (size_t)LARGE * (8 + s->carried_bytes);
    for (mg_range r; mg_take(worker, &r);)
        for (uint64_t stream = r.begin; stream < r.end; stream++) {
            if (!is_large(s, stream)) sort_small(s, stream, plan->row_bits + plan->column_bits, scratch);
            settle_one(s, stream);
        }
}

static meguri_status settle(settling *s) {
    const mg_streams *streams = &s->builder->streams;
    const mg_stream_plan *plan = &streams->plan;
    int threads = mg_threads(s->ctx, s->begins[streams->each], LARGE);
    s->scratch = mg_alloc_array(s->ctx, (uint64_t)threads * LARGE, 8 + s->carried_bytes, "arcs to sort");
    s->kept = mg_alloc_array(s->ctx, streams->each, sizeof *s->kept, "rows of a graph");
    s->lengths = mg_alloc_array_zero(s->ctx, streams->each << plan->row_bits, sizeof *s->lengths, "rows of a graph");
    meguri_status status = s->scratch && s->kept && s->lengths ? MEGURI_OK : MEGURI_NO_MEMORY;
    for (uint64_t k = 0; k < streams->each && status == MEGURI_OK; k++)
        if (is_large(s, k)) status = sort_large(s, k, plan->row_bits + plan->column_bits);
    mg_loop loop = {.ctx = s->ctx,
                    .threads = threads,
                    .items = streams->each,
                    .chunk = 1,
                    .work = settle_streams,
                    .what = s,
                    .phase = "rows of a graph",
                    .total = streams->each};
    if (status == MEGURI_OK) status = mg_loop_run(&loop);
    mg_free(s->scratch);
    return status;
}

meguri_status mg_streams_rows(mg_turned *out, uint64_t *no_sum, meguri_ctx *ctx, mg_shards_builder *b, int tile) {
    mg_streams *streams = &b->streams;
    const mg_layout *l = &b->shards->layout;
    double since = mg_now();
    *out = (mg_turned){0};
    *no_sum = UINT64_MAX;
    for (uint64_t i = 0; i < streams->each; i++)
        if (streams->next[(uint64_t)tile * streams->each + i] != streams->tile[tile].begins[i + 1])
            return mg_strange(ctx, b->shards->cluster, "fewer arcs than were announced");
    settling s = {.ctx = ctx,
                  .builder = b,
                  .keys = streams->tile[tile].keys,
                  .carried = streams->tile[tile].carried,
                  .begins = streams->tile[tile].begins,
                  .carried_bytes = b->carried_bytes,
                  .no_sum = UINT64_MAX,
                  .owners = mg_splitter_of(l->source_owners),
                  .stride = l->window[0].stride};
    meguri_status status = settle(&s);
    if (status == MEGURI_OK) { /* keys have become neighbours */
        out->neighbors = (uint32_t *)(void *)streams->tile[tile].keys;
        out->weights = streams->tile[tile].carried;
        streams->tile[tile].keys = streams->tile[tile].carried = NULL;
        const mg_closing closing = {.begins = s.begins,
                                    .kept = s.kept,
                                    .streams = streams->each,
                                    .unit = streams->plan.key_bytes / 4,
                                    .rows = streams->rows,
                                    .weight_bytes = meguri_type_bytes(b->merge.type),
                                    .weight_unit = b->carried_bytes};
        mg_close_rows(out, &closing, s.lengths);
        s.lengths = NULL;
    }
    *no_sum = s.no_sum;
    mg_trace_phase(ctx, "shards", "sort", (int64_t)s.begins[streams->each], -1, since);
    mg_free(s.lengths);
    mg_free(s.kept);
    return status;
}
