/* Rearranging rows into an internal order.
 *
 * Every new row is an old row with its neighbours renamed and sorted again; where it goes is known beforehand, so rows
 * are written straight to their places, in parallel over stretches of about equally many arcs (a hub is worth thousands
 * of leaves). Beyond the memory budget the new rows are made a window at a time and the result goes to a file. */
#include "graph/internal.h"

typedef struct relabel {
    meguri_ctx *ctx;
    mg_rows old;
    meguri_weight_type weight_type;
    uint32_t payload_bytes;
    const uint32_t *to_user;
    uint32_t *to_internal;
    uint64_t rows;
    uint64_t *offsets; /* of the new rows */
    uint32_t vertex_bits;
} relabel;

enum { STRETCH_ARCS = 1 << 16, AHEAD = 8 };
static const uint64_t LARGE_ROW = (uint64_t)1 << 21;

/* A thread's room for one row: keys and payloads, twice. */
typedef struct row_room {
    uint32_t *scratch;
    char *payload, *payload_scratch;
} row_room;

/* The first new row that begins at or after this arc. */
static uint64_t first_row_from(const relabel *r, uint64_t arc) {
    uint64_t low = 0, high = r->rows;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (r->offsets[middle] < arc) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* Where the weights of an arc go; nowhere in graphs without weights. */
static char *weight_place(const relabel *r, char *weights, uint64_t arc) {
    return weights ? weights + arc * mg_weight_size(r->weight_type) : NULL;
}

static void rename_row(const relabel *r, uint64_t row, uint32_t *to) {
    uint64_t begin = mg_row_offset(&r->old, r->to_user[row]);
    uint64_t degree = r->offsets[row + 1] - r->offsets[row];
    for (uint64_t i = 0; i < degree; i++) to[i] = r->to_internal[r->old.neighbors[begin + i]];
}

/* Old rows lie anywhere: their places are fetched early, then their beginnings. */
static void fetch_ahead(const relabel *r, uint64_t row, uint64_t end) {
    if (row + 2 * AHEAD >= end) return;
    uint32_t soon = r->to_user[row + AHEAD], later = r->to_user[row + 2 * AHEAD];
    if (r->old.offsets32) __builtin_prefetch(&r->old.offsets32[later]);
    else __builtin_prefetch(&r->old.offsets64[later]);
    const uint32_t *neighbors = &r->old.neighbors[mg_row_offset(&r->old, soon)];
    __builtin_prefetch(neighbors);
    __builtin_prefetch(neighbors + 16);
}

static void rearrange_row(const relabel *r, uint64_t row, uint32_t *to, char *weights_to, const row_room *room) {
    uint64_t degree = r->offsets[row + 1] - r->offsets[row];
    size_t weight_size = mg_weight_size(r->weight_type);
    rename_row(r, row, to);
    if (r->payload_bytes) {
        uint64_t begin = mg_row_offset(&r->old, r->to_user[row]);
        const char *weights = (const char *)r->old.weights + begin * weight_size;
        mg_weights_to_payload(room->payload, r->weight_type, weights, r->weight_type, degree);
    }
    mg_sort_small_u32(to, room->scratch, room->payload, room->payload_scratch, r->payload_bytes, degree,
                      r->vertex_bits);
    if (r->payload_bytes) mg_payload_to_weights(weights_to, r->weight_type, room->payload, degree);
}

/* A row so long that all threads sort it together. */
static meguri_status rearrange_large_row(const relabel *r, uint64_t row, uint32_t *to, char *weights_to) {
    uint64_t degree = r->offsets[row + 1] - r->offsets[row];
    char *payload = NULL;
    rename_row(r, row, to);
    if (r->payload_bytes) {
        payload = mg_alloc_array(r->ctx, degree, r->payload_bytes, "the weights of a row");
        if (!payload) return MEGURI_NO_MEMORY;
        uint64_t begin = mg_row_offset(&r->old, r->to_user[row]);
        const char *weights = (const char *)r->old.weights + begin * mg_weight_size(r->weight_type);
        mg_weights_to_payload(payload, r->weight_type, weights, r->weight_type, degree);
    }
    meguri_status status = mg_sort_u32(r->ctx, to, payload, r->payload_bytes, degree, r->vertex_bits);
    if (status == MEGURI_OK && payload) mg_payload_to_weights(weights_to, r->weight_type, payload, degree);
    mg_free(payload);
    return status;
}

static meguri_status room_for_rows(row_room *room, const relabel *r, uint64_t longest) {
    *room = (row_room){0};
    room->scratch = mg_alloc_array(r->ctx, longest, 4 + 2 * (uint64_t)r->payload_bytes, "sorting a row");
    if (!room->scratch) return MEGURI_NO_MEMORY;
    if (r->payload_bytes) {
        /* Payloads first in memory order: 8-byte ones need their alignment. */
        room->payload = (char *)room->scratch;
        room->payload_scratch = room->payload + longest * r->payload_bytes;
        room->scratch = (uint32_t *)(room->payload_scratch + longest * r->payload_bytes);
    }
    return MEGURI_OK;
}

static void free_room(const relabel *r, row_room *room) {
    mg_free(r->payload_bytes ? (void *)room->payload : (void *)room->scratch);
}

/* New rows [first, end) into arrays whose item 0 is the first arc of row `first`. */
typedef struct window {
    const relabel *r;
    uint64_t first, end;
    uint64_t longest; /* row that a thread rearranges alone */
    uint32_t *to;
    char *weights_to;
} window;

/* The rows that begin within [begin, end) of the window's arcs. */
static void rearrange_stretch(const window *w, uint64_t begin, uint64_t end, const row_room *room) {
    const relabel *r = w->r;
    uint64_t base = r->offsets[w->first], row = MG_MAX(w->first, first_row_from(r, base + begin));
    uint64_t last = MG_MIN(w->end, first_row_from(r, base + end));
    for (; row < last; row++) {
        uint64_t at = r->offsets[row] - base;
        fetch_ahead(r, row, w->end);
        if (r->offsets[row + 1] - r->offsets[row] < LARGE_ROW)
            rearrange_row(r, row, w->to + at, weight_place(r, w->weights_to, at), room);
    }
}

static void rearrange_stretches(void *what, mg_worker *worker) {
    const window *w = what;
    row_room room;
    meguri_status status = room_for_rows(&room, w->r, w->longest);
    mg_loop_fail(worker, status);
    for (mg_range arcs; mg_take(worker, &arcs);) rearrange_stretch(w, arcs.begin, arcs.end, &room);
    free_room(w->r, &room);
}

static meguri_status rearrange_window(const relabel *r, uint64_t first, uint64_t end, uint32_t *to, char *weights_to) {
    window w = {.r = r, .first = first, .end = end, .to = to, .weights_to = weights_to};
    uint64_t base = r->offsets[first], arcs = r->offsets[end] - base;
    for (uint64_t row = first; row < end; row++) {
        uint64_t degree = r->offsets[row + 1] - r->offsets[row], at = r->offsets[row] - base;
        meguri_status status = MEGURI_OK;
        if (degree < LARGE_ROW) w.longest = MG_MAX(w.longest, degree);
        else status = rearrange_large_row(r, row, to + at, weight_place(r, weights_to, at));
        if (status != MEGURI_OK) return status;
    }
    mg_loop loop = {.ctx = r->ctx,
                    .threads = mg_threads(r->ctx, arcs, 1 << 14),
                    .items = arcs,
                    .chunk = STRETCH_ARCS,
                    .work = rearrange_stretches,
                    .what = &w,
                    .phase = "arranging",
                    .total = arcs};
    return mg_loop_run(&loop);
}

static meguri_status rearrange_in_memory(const relabel *r, mg_part_data *neighbors, mg_part_data *weights) {
    uint64_t arcs = r->old.arcs, weight_bytes = arcs * mg_weight_size(r->weight_type);
    uint32_t *to = mg_alloc_array(r->ctx, arcs, 4, "the rearranged neighbours");
    if (!to) return MEGURI_NO_MEMORY;
    *neighbors = (mg_part_data){.data = to, .bytes = arcs * 4, .owned = to};
    char *weights_to = NULL;
    if (r->weight_type) {
        weights_to = mg_alloc(r->ctx, weight_bytes, "the rearranged weights");
        if (!weights_to) return MEGURI_NO_MEMORY;
        *weights = (mg_part_data){.data = weights_to, .bytes = weight_bytes, .owned = weights_to};
    }
    return rearrange_window(r, 0, r->rows, to, weights_to);
}

static meguri_status rearrange_on_disk(const relabel *r, mg_part_data *neighbors, mg_part_data *weights) {
    size_t weight_size = mg_weight_size(r->weight_type);
    uint64_t most_arcs = MG_MAX(mg_memory_left(r->ctx) / 2 / (4 + weight_size), (uint64_t)STRETCH_ARCS);
    mg_store neighbor_store = {.fd = -1}, weight_store = {.fd = -1};
    uint32_t *to = NULL;
    char *weights_to = NULL;
    meguri_status status = mg_store_new(&neighbor_store, r->ctx, 0, true, "the neighbours");
    if (status == MEGURI_OK && weight_size) status = mg_store_new(&weight_store, r->ctx, 0, true, "the weights");
    for (uint64_t first = 0, end; first < r->rows && status == MEGURI_OK; first = end) {
        end = MG_MAX(first + 1, first_row_from(r, r->offsets[first] + most_arcs + 1) - 1);
        end = MG_MIN(end, r->rows);
        uint64_t arcs = r->offsets[end] - r->offsets[first];
        to = mg_alloc_array(r->ctx, arcs, 4, "a window of rearranged neighbours");
        weights_to = mg_alloc_array(r->ctx, arcs, weight_size, "a window of rearranged weights");
        status = to && weights_to ? rearrange_window(r, first, end, to, weights_to) : MEGURI_NO_MEMORY;
        if (status == MEGURI_OK) status = mg_store_append(r->ctx, &neighbor_store, to, arcs * 4);
        if (status == MEGURI_OK && weight_size)
            status = mg_store_append(r->ctx, &weight_store, weights_to, arcs * weight_size);
        mg_free(to);
        mg_free(weights_to);
    }
    if (status == MEGURI_OK) status = mg_store_finish(neighbors, r->ctx, &neighbor_store);
    if (status == MEGURI_OK && weight_size) status = mg_store_finish(weights, r->ctx, &weight_store);
    mg_store_free(&neighbor_store);
    mg_store_free(&weight_store);
    return status;
}

static void place_some_rows(void *what, uint64_t begin, uint64_t end) {
    const relabel *r = what;
    for (uint64_t row = begin; row < end; row++) {
        uint32_t user = r->to_user[row];
        r->to_internal[user] = (uint32_t)row;
        if (row < r->rows) r->offsets[row] = mg_row_offset(&r->old, user + 1) - mg_row_offset(&r->old, user);
    }
}

static void place_rows(relabel *r, uint64_t vertices) {
    mg_for(r->ctx, mg_threads(r->ctx, vertices, 1 << 16), vertices, place_some_rows, r);
    r->offsets[r->rows] = 0;
    mg_scan_u64(r->ctx, r->offsets, r->rows + 1);
}

meguri_status mg_graph_relabel(meguri_ctx *ctx, meguri_graph *graph, uint32_t *to_user, uint64_t rows) {
    relabel r = {.ctx = ctx,
                 .weight_type = graph->weight_type,
                 .payload_bytes = mg_payload_bytes(graph->weight_type),
                 .to_user = to_user,
                 .rows = rows,
                 .vertex_bits = graph->vertices > 1 ? 64 - (uint32_t)__builtin_clzll(graph->vertices - 1) : 1};
    mg_part_data neighbors = {0}, weights = {0};
    uint32_t offset_bytes;
    meguri_status status = mg_graph_rows(&r.old, ctx, graph);
    if (status != MEGURI_OK) goto cleanup;
    status = MEGURI_NO_MEMORY;
    r.to_internal = mg_alloc_array(ctx, graph->vertices, 4, "the order of the vertices");
    r.offsets = mg_alloc_array(ctx, rows + 1, 8, "the offsets of the rearranged rows");
    if (!r.to_internal || !r.offsets) goto cleanup;
    place_rows(&r, graph->vertices);

    uint64_t needed = graph->arcs * (4 + mg_weight_size(graph->weight_type));
    bool fits = needed <= mg_memory_left(ctx) / 8 * 7;
    status = fits ? rearrange_in_memory(&r, &neighbors, &weights) : rearrange_on_disk(&r, &neighbors, &weights);
    if (status != MEGURI_OK) goto cleanup;

    mg_offsets_narrow(r.offsets, rows + 1, graph->arcs, &offset_bytes);
    mg_graph_own(graph, MG_PART_OFFSETS, r.offsets, (rows + 1) * offset_bytes);
    mg_graph_own(graph, MG_PART_TO_USER, to_user, graph->vertices * 4);
    mg_graph_own(graph, MG_PART_TO_INTERNAL, r.to_internal, graph->vertices * 4);
    mg_part_data_free(&graph->part[MG_PART_NEIGHBORS]);
    mg_part_data_free(&graph->part[MG_PART_WEIGHTS]);
    graph->part[MG_PART_NEIGHBORS] = neighbors;
    graph->part[MG_PART_WEIGHTS] = weights;
    graph->offset_bytes = offset_bytes;
    graph->rows = rows;
    return MEGURI_OK;

cleanup:
    mg_free(to_user);
    mg_free(r.to_internal);
    mg_free(r.offsets);
    mg_part_data_free(&neighbors);
    mg_part_data_free(&weights);
    return status;
}
