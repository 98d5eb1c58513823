/* Raw ids to positions in the user's order.
 *
 * String ids have numbers by now. Of integers three cases, cheapest first: all ids of one stretch occur (positions by
 * subtraction, no table at all); the stretch is not much longer than the edges (a bitmap of what occurs, positions by
 * rank: small and hot in the cache); ids lie anywhere in 64 bits (sorted, and found through a hash table while the
 * graph is built).
 *
 * A process of a cluster finds the ids of its own edges so; where they are among those of all, others tell it. */
#include "graph/internal.h"

#include <inttypes.h>
#include <pthread.h>

#define MOST_IDS ((uint64_t)UINT32_MAX - 1) /* of one process: they have numbers of 32 bits here */

/* Keys are ids made increasing as unsigned numbers. */
typedef struct extent {
    uint64_t low, high;
    bool any;
} extent;

static void widen(extent *e, uint64_t low, uint64_t high) {
    e->low = e->any ? MG_MIN(e->low, low) : low;
    e->high = e->any ? MG_MAX(e->high, high) : high;
    e->any = true;
}

/* What is looked for: the ids of edges, those named one by one, and the first `declared` ranges. */
typedef struct sought {
    const mg_edges *edges;
    uint64_t flip, declared;
} sought;

static extent find_extent(const sought *what) {
    const mg_edges *edges = what->edges;
    uint64_t flip = what->flip;
    extent e = {0};
    for (uint64_t i = 0; i < edges->block_count; i++) {
        const mg_stored_block *s = &edges->blocks[i];
        if (flip) widen(&e, (uint64_t)s->signed_min ^ flip, (uint64_t)s->signed_max ^ flip);
        else widen(&e, s->min, s->max);
    }
    for (uint64_t i = 0; i < what->declared; i++) {
        mg_id_range r = edges->declared[i];
        widen(&e, r.first ^ flip, (r.first + (r.count - 1)) ^ flip);
    }
    for (uint64_t a = 0; a < edges->named_arrays; a++)
        for (uint64_t i = 0; i < edges->named_counts[a]; i++)
            widen(&e, edges->named[a][i] ^ flip, edges->named[a][i] ^ flip);
    return e;
}

static bool one_range_declares_all(const sought *what, const extent *e) {
    for (uint64_t i = 0; i < what->declared; i++) {
        mg_id_range r = what->edges->declared[i];
        if ((r.first ^ what->flip) == e->low && r.count - 1 == e->high - e->low) return true;
    }
    return false;
}

static meguri_status too_many(meguri_ctx *ctx, uint64_t vertices) {
    return mg_fail(ctx, MEGURI_BAD_INPUT, "%" PRIu64 " different ids are more than the %" PRIu64 " vertices that fit.",
                   vertices, MG_MAX_VERTICES);
}

/* Calls visit(state, edges) for all edges, some at a time, in parallel. */
typedef void edges_fn(void *state, const mg_edge_block *edges);

typedef struct edges_job {
    const mg_edges *edges;
    edges_fn *visit;
    void *state;
    uint64_t done;
} edges_job;

static meguri_status visit_block(edges_job *job, meguri_ctx *ctx, uint64_t block, void *scratch) {
    mg_edge_block slice = {0};
    for (uint64_t first = 0;; first += slice.count) {
        meguri_status status = mg_edges_slice(&slice, ctx, job->edges, block, first, scratch);
        if (status != MEGURI_OK || slice.count == 0) return status;
        job->visit(job->state, &slice);
        if (mg_progress(ctx, "finding ids", mg_fetch_add(&job->done, slice.count), job->edges->count))
            return mg_fail_cancelled(ctx);
    }
}

static void visit_blocks(void *what, mg_worker *worker) {
    meguri_ctx *ctx = worker->loop->ctx;
    void *scratch = mg_alloc(ctx, MG_SLICE_BYTES, "edges on their way");
    if (!scratch) mg_loop_fail(worker, MEGURI_NO_MEMORY);
    for (mg_range block; mg_take(worker, &block);) mg_loop_fail(worker, visit_block(what, ctx, block.begin, scratch));
    mg_free(scratch);
}

static meguri_status for_all_edges(meguri_ctx *ctx, const mg_edges *edges, edges_fn *visit, void *state) {
    edges_job job = {.edges = edges, .visit = visit, .state = state};
    mg_loop loop = {.ctx = ctx,
                    .threads = mg_threads(ctx, edges->count, 1 << 16),
                    .items = edges->block_count,
                    .chunk = 1,
                    .work = visit_blocks,
                    .what = &job};
    return mg_loop_run(&loop);
}

/* ---- the bitmap of what occurs ---------------------------------------------------------------------------------- */

static inline void mark(mg_id_map *map, uint64_t id) { mg_bitmap_claim(&map->seen, (id ^ map->flip) - map->base); }

static void mark_edges(void *state, const mg_edge_block *edges) {
    mg_id_map *map = state;
    uint64_t ends = edges->count * 2;
    if (edges->id_bytes == 4)
        for (uint64_t i = 0; i < ends; i++) mark(map, ((const uint32_t *)edges->ends)[i]);
    else
        for (uint64_t i = 0; i < ends; i++) mark(map, ((const uint64_t *)edges->ends)[i]);
}

static void count_bits(void *what, uint64_t begin, uint64_t end) {
    const mg_id_map *map = what;
    for (uint64_t w = begin; w < end; w++) map->rank[w] = (uint32_t)__builtin_popcountll(map->seen.words[w]);
}

static meguri_status rank_words(mg_id_map *map, meguri_ctx *ctx) {
    uint64_t words = mg_bitmap_words(map->seen.bits);
    map->rank = mg_alloc_array(ctx, words, sizeof *map->rank, "the ranks of the ids");
    if (!map->rank) return MEGURI_NO_MEMORY;
    mg_for(ctx, mg_threads(ctx, words, 1 << 16), words, count_bits, map);
    mg_scan_u32(ctx, map->rank, words);
    return MEGURI_OK;
}

typedef struct id_job {
    const mg_id_map *map;
    uint64_t *ids;
} id_job;

static void list_words(void *what, uint64_t begin, uint64_t end) {
    const id_job *job = what;
    const mg_id_map *map = job->map;
    for (uint64_t w = begin; w < end; w++) {
        uint64_t at = map->rank[w];
        for (uint64_t bits = map->seen.words[w]; bits; bits &= bits - 1)
            job->ids[at++] = (map->base + w * 64 + (uint64_t)__builtin_ctzll(bits)) ^ map->flip;
    }
}

static meguri_status list_seen(uint64_t **ids, mg_id_map *map, meguri_ctx *ctx) {
    id_job job = {map, mg_alloc_array(ctx, map->vertices, sizeof *job.ids, "the ids")};
    if (!job.ids) return MEGURI_NO_MEMORY;
    uint64_t words = mg_bitmap_words(map->seen.bits);
    mg_for(ctx, mg_threads(ctx, words, 1 << 14), words, list_words, &job);
    *ids = job.ids;
    return MEGURI_OK;
}

static meguri_status map_by_bitmap(mg_id_map *map, uint64_t **ids, meguri_ctx *ctx, const sought *what,
                                   const extent *e) {
    const mg_edges *edges = what->edges;
    meguri_status status = mg_bitmap_new(&map->seen, ctx, e->high - e->low + 1, "the ids that occur");
    if (status != MEGURI_OK) return status;
    for (uint64_t i = 0; i < what->declared; i++)
        for (uint64_t k = 0; k < edges->declared[i].count; k++) mark(map, edges->declared[i].first + k);
    for (uint64_t a = 0; a < edges->named_arrays; a++)
        for (uint64_t i = 0; i < edges->named_counts[a]; i++) mark(map, edges->named[a][i]);
    status = for_all_edges(ctx, edges, mark_edges, map);
    if (status != MEGURI_OK) return status;

    map->vertices = mg_bitmap_count(ctx, &map->seen);
    if (map->vertices > MOST_IDS) return too_many(ctx, map->vertices);
    if (map->vertices == map->seen.bits) { /* no gap after all */
        mg_bitmap_free(&map->seen);
        map->seen = (mg_bitmap){0};
        return MEGURI_OK;
    }
    status = rank_words(map, ctx);
    return status == MEGURI_OK ? list_seen(ids, map, ctx) : status;
}

/* ---- ids anywhere ----------------------------------------------------------------------------------------------- */

static inline uint64_t hash(uint64_t key) {
    key = (key ^ (key >> 32)) * UINT64_C(0x9E3779B97F4A7C15);
    return key ^ (key >> 29);
}

/* Keys of all edges; those collected together are sorted and without duplicates. */
typedef struct key_list {
    meguri_ctx *ctx;
    uint64_t flip;
    uint64_t *keys;
    uint64_t count, room;
    pthread_mutex_t lock;
    meguri_status status;
} key_list;

static uint64_t unique(uint64_t *keys, uint64_t count) {
    uint64_t kept = 0;
    for (uint64_t i = 0; i < count; i++)
        if (i == 0 || keys[i] != keys[i - 1]) keys[kept++] = keys[i];
    return kept;
}

static meguri_status make_room(key_list *list, uint64_t count) {
    if (list->count + count <= list->room) return MEGURI_OK;
    uint64_t room = MG_MAX(list->count + count, list->room * 2);
    uint64_t *bigger = mg_resize(list->ctx, list->keys, room * 8, "the ids");
    if (!bigger) return MEGURI_NO_MEMORY;
    list->keys = bigger;
    list->room = room;
    return MEGURI_OK;
}

/* No keys: there was no memory for them. */
static void append_keys(key_list *list, const uint64_t *keys, uint64_t count) {
    pthread_mutex_lock(&list->lock);
    if (list->status == MEGURI_OK) list->status = keys ? make_room(list, count) : MEGURI_NO_MEMORY;
    if (list->status == MEGURI_OK) {
        memcpy(list->keys + list->count, keys, count * 8);
        list->count += count;
    }
    pthread_mutex_unlock(&list->lock);
}

static void collect_edges(void *state, const mg_edge_block *edges) {
    key_list *list = state;
    uint64_t ends = edges->count * 2;
    uint64_t *keys = mg_alloc_array(list->ctx, ends * 2, 8, "the ids of some edges");
    for (uint64_t i = 0; keys && i < ends; i++)
        keys[i] = list->flip ^
                  (edges->id_bytes == 4 ? ((const uint32_t *)edges->ends)[i] : ((const uint64_t *)edges->ends)[i]);
    if (keys) mg_sort_small_u64(keys, keys + ends, NULL, NULL, 0, ends, 64);
    append_keys(list, keys, keys ? unique(keys, ends) : 0);
    mg_free(keys);
}

static void collect_others(key_list *list, const sought *what) {
    const mg_edges *edges = what->edges;
    for (uint64_t i = 0; i < what->declared; i++)
        for (uint64_t k = 0; k < edges->declared[i].count; k++) {
            uint64_t key = (edges->declared[i].first + k) ^ list->flip;
            append_keys(list, &key, 1);
        }
    for (uint64_t a = 0; a < edges->named_arrays; a++)
        for (uint64_t i = 0; i < edges->named_counts[a]; i++) {
            uint64_t key = edges->named[a][i] ^ list->flip;
            append_keys(list, &key, 1);
        }
}

typedef struct table_job {
    mg_id_map *map;
    const uint64_t *keys;
} table_job;

static void empty_slots(void *what, uint64_t begin, uint64_t end) {
    mg_id_slot *slots = ((const table_job *)what)->map->slots;
    for (uint64_t i = begin; i < end; i++) slots[i] = (mg_id_slot){0, MG_NO_VERTEX};
}

/* Keys differ, so claiming an empty slot is all the care that threads need. */
static void enter_keys(void *what, uint64_t begin, uint64_t end) {
    const table_job *job = what;
    mg_id_map *map = job->map;
    for (uint64_t i = begin; i < end; i++) {
        uint64_t at = hash(job->keys[i]) & map->slot_mask;
        while (!mg_compare_swap(&map->slots[at].position, MG_NO_VERTEX, (uint32_t)i)) at = (at + 1) & map->slot_mask;
        map->slots[at].key = job->keys[i];
    }
}

static meguri_status fill_table(mg_id_map *map, meguri_ctx *ctx, const uint64_t *keys) {
    uint64_t slots = 16;
    while (slots < map->vertices * 2) slots *= 2;
    map->slots = mg_alloc_array(ctx, slots, sizeof *map->slots, "the table of the ids");
    if (!map->slots) return MEGURI_NO_MEMORY;
    map->slot_mask = slots - 1;
    table_job job = {map, keys};
    int threads = mg_threads(ctx, slots, 1 << 16);
    mg_for(ctx, threads, slots, empty_slots, &job);
    mg_for(ctx, threads, map->vertices, enter_keys, &job);
    return MEGURI_OK;
}

static meguri_status map_by_hash(mg_id_map *map, uint64_t **ids, meguri_ctx *ctx, const sought *what) {
    key_list list = {.ctx = ctx, .flip = map->flip, .lock = PTHREAD_MUTEX_INITIALIZER};
    meguri_status status = for_all_edges(ctx, what->edges, collect_edges, &list);
    collect_others(&list, what);
    if (status == MEGURI_OK) status = list.status;
    if (status == MEGURI_OK) status = mg_sort_u64(ctx, list.keys, NULL, 0, list.count, 64);
    if (status != MEGURI_OK) goto cleanup;
    map->vertices = unique(list.keys, list.count);
    if (map->vertices > MOST_IDS) {
        status = too_many(ctx, map->vertices);
        goto cleanup;
    }
    status = fill_table(map, ctx, list.keys);
    if (status != MEGURI_OK) goto cleanup;
    for (uint64_t i = 0; i < map->vertices; i++) list.keys[i] ^= map->flip;
    mg_trim(list.keys, map->vertices * 8);
    *ids = list.keys;
    return MEGURI_OK;
cleanup:
    mg_free(list.keys);
    return status;
}

/* ---- which of them ---------------------------------------------------------------------------------------------- */

/* String ids are in a table already, numbered as they came. */
static meguri_status map_names(mg_id_map *map, meguri_ctx *ctx, mg_edges *edges, meguri_graph *graph) {
    graph->id_kind = MEGURI_ID_STRING;
    meguri_status status = mg_name_table_settle(&edges->name_positions, ctx, &edges->names);
    if (status != MEGURI_OK) return status;
    map->vertices = mg_names_count(edges->names.names);
    map->table = edges->name_positions;
    return mg_names_into_graph(ctx, edges->names.names, graph);
}

/* *ids: all of them; NULL: they follow each other from map->base on. */
static meguri_status map_integers(mg_id_map *map, uint64_t **ids, meguri_ctx *ctx, const sought *what) {
    extent e = find_extent(what);
    *ids = NULL;
    *map = (mg_id_map){.flip = what->flip};
    if (!e.any) return MEGURI_OK;
    map->base = e.low;
    uint64_t gap_free = e.high - e.low; /* one less than the length of the stretch, which may be 2^64 */
    if (one_range_declares_all(what, &e)) {
        if (gap_free >= MOST_IDS) return too_many(ctx, gap_free + 1);
        map->vertices = gap_free + 1;
        return MEGURI_OK;
    }
    /* A bitmap with its ranks takes 1.5 bits per id of the stretch: worth it up to some dozens of ids per edge. */
    if (gap_free / 64 <= what->edges->count + 4096) return map_by_bitmap(map, ids, ctx, what, &e);
    return map_by_hash(map, ids, ctx, what);
}

meguri_status mg_id_map_make(mg_id_map *out, meguri_ctx *ctx, mg_edges *edges, meguri_graph *graph) {
    *out = (mg_id_map){0};
    if (edges->string_ids) return map_names(out, ctx, edges, graph);
    graph->id_kind = edges->signed_ids ? MEGURI_ID_SIGNED : MEGURI_ID_UNSIGNED;
    const sought all = {edges, edges->signed_ids ? UINT64_C(1) << 63 : 0, edges->declared_count};
    uint64_t *ids;
    meguri_status status = map_integers(out, &ids, ctx, &all);
    if (status == MEGURI_OK && out->vertices > MG_MAX_VERTICES) status = too_many(ctx, out->vertices);
    if (status != MEGURI_OK) return status;
    if (ids) mg_graph_own(graph, MG_PART_IDS, ids, out->vertices * 8);
    if (out->vertices && !out->slots) graph->id_base = out->base ^ out->flip;
    return MEGURI_OK;
}

bool mg_edges_extent(uint64_t *low, uint64_t *high, const mg_edges *edges, uint64_t flip) {
    extent e = find_extent(&(sought){edges, flip, 0});
    *low = e.low;
    *high = e.high;
    return e.any;
}

meguri_status mg_edges_keys(mg_id_map *out, uint64_t **keys, meguri_ctx *ctx, const mg_edges *edges, uint64_t flip) {
    meguri_status status = map_integers(out, keys, ctx, &(sought){edges, flip, 0});
    if (status != MEGURI_OK) return status;
    bool listed = *keys;
    if (!listed) *keys = mg_alloc_array(ctx, out->vertices, sizeof **keys, "the ids");
    if (!*keys) return MEGURI_NO_MEMORY;
    for (uint64_t i = 0; i < out->vertices; i++) (*keys)[i] = listed ? (*keys)[i] ^ flip : out->base + i;
    return MEGURI_OK;
}

void mg_id_map_free(mg_id_map *map) {
    mg_bitmap_free(&map->seen);
    mg_free(map->rank);
    mg_free(map->slots);
    *map = (mg_id_map){0};
}

/* ---- positions -------------------------------------------------------------------------------------------------- */

static inline __attribute__((always_inline)) uint32_t position_of(const mg_id_map *map, uint64_t id) {
    uint64_t key = id ^ map->flip;
    if (map->slots) {
        uint64_t at = hash(key) & map->slot_mask;
        while (map->slots[at].key != key) at = (at + 1) & map->slot_mask;
        return map->slots[at].position;
    }
    key -= map->base;
    if (!map->seen.words) return map->table ? map->table[key] : (uint32_t)key;
    uint64_t below = map->seen.words[key / 64] & (((uint64_t)1 << (key % 64)) - 1);
    return map->rank[key / 64] + (uint32_t)__builtin_popcountll(below);
}

static inline __attribute__((always_inline)) void map_each(uint32_t *positions, const mg_id_map *map, const void *ids,
                                                           uint32_t id_bytes, uint64_t count) {
    if (id_bytes == 4)
        for (uint64_t i = 0; i < count; i++) positions[i] = position_of(map, ((const uint32_t *)ids)[i]);
    else
        for (uint64_t i = 0; i < count; i++) positions[i] = position_of(map, ((const uint64_t *)ids)[i]);
}

#ifdef __x86_64__
/* With the processor's own bit count where it has one: the rank of an id is on the path of every edge that is read, and
 * libgcc's version costs more than all the rest of it. */
__attribute__((target("popcnt"))) static void map_by_popcnt(uint32_t *positions, const mg_id_map *map, const void *ids,
                                                            uint32_t id_bytes, uint64_t count) {
    map_each(positions, map, ids, id_bytes, count);
}
#endif

void mg_id_positions(uint32_t *positions, const mg_id_map *map, const void *ids, uint32_t id_bytes, uint64_t count) {
#ifdef __x86_64__
    if (__builtin_cpu_supports("popcnt")) {
        map_by_popcnt(positions, map, ids, id_bytes, count);
        return;
    }
#endif
    map_each(positions, map, ids, id_bytes, count);
}
