/* Rearranging rows into an internal order.
 *
 * Every new row is an old row with its neighbours renamed and sorted again; where it goes is known beforehand, so rows
 * are written straight to their places, in parallel over stretches of about equally many arcs (a hub is worth thousands
 * of leaves). Beyond the memory budget the new rows are made a window at a time and the result goes to a file. */
#include "graph/internal.h"

typedef struct relabel {
    meguri_ctx *ctx;
    mg_rows old;
    meguri_type weight_type;
    uint32_t payload_bytes;
    const char *numbers; /* of the edge that each old arc is; NULL: none */
    uint32_t number_bytes;
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

/* Where new arcs go: their neighbours, and weights and numbers where there are any. */
typedef struct places {
    uint32_t *neighbors;
    char *weights, *numbers;
} places;

static places place_of(const relabel *r, const places *to, uint64_t arc) {
    return (places){.neighbors = to->neighbors + arc,
                    .weights = to->weights ? to->weights + arc * meguri_type_bytes(r->weight_type) : NULL,
                    .numbers = to->numbers ? to->numbers + arc * r->number_bytes : NULL};
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

/* What is sorted beside the neighbours: weights, or where there are numbers, too, the places in the old row of both. */
static void fill_payload(const relabel *r, uint64_t row, void *payload, uint64_t degree) {
    uint64_t begin = mg_row_offset(&r->old, r->to_user[row]);
    if (r->numbers && r->payload_bytes == 4)
        for (uint64_t i = 0; i < degree; i++) ((uint32_t *)payload)[i] = (uint32_t)i;
    else if (r->numbers)
        for (uint64_t i = 0; i < degree; i++) ((uint64_t *)payload)[i] = i;
    else if (r->payload_bytes) {
        const char *weights = (const char *)r->old.weights + begin * meguri_type_bytes(r->weight_type);
        mg_weights_to_payload(payload, r->weight_type, weights, r->weight_type, degree);
    }
}

static void spread_payload(const relabel *r, uint64_t row, const places *to, const void *payload, uint64_t degree) {
    if (!r->numbers) {
        if (r->payload_bytes) mg_payload_to_weights(to->weights, r->weight_type, payload, degree);
        return;
    }
    uint64_t begin = mg_row_offset(&r->old, r->to_user[row]);
    size_t weight_size = meguri_type_bytes(r->weight_type);
    for (uint64_t i = 0; i < degree; i++) {
        uint64_t old =
            begin + (r->payload_bytes == 4 ? ((const uint32_t *)payload)[i] : ((const uint64_t *)payload)[i]);
        memcpy(to->numbers + i * r->number_bytes, r->numbers + old * r->number_bytes, r->number_bytes);
        if (weight_size)
            memcpy(to->weights + i * weight_size, (const char *)r->old.weights + old * weight_size, weight_size);
    }
}

static void rearrange_row(const relabel *r, uint64_t row, places to, const row_room *room) {
    uint64_t degree = r->offsets[row + 1] - r->offsets[row];
    rename_row(r, row, to.neighbors);
    fill_payload(r, row, room->payload, degree);
    mg_sort_small_u32(to.neighbors, room->scratch, room->payload, room->payload_scratch, r->payload_bytes, degree,
                      r->vertex_bits);
    spread_payload(r, row, &to, room->payload, degree);
}

/* A row so long that all threads sort it together. */
static meguri_status rearrange_large_row(const relabel *r, uint64_t row, places to) {
    uint64_t degree = r->offsets[row + 1] - r->offsets[row];
    char *payload = NULL;
    rename_row(r, row, to.neighbors);
    if (r->payload_bytes) {
        payload = mg_alloc_array(r->ctx, degree, r->payload_bytes, "the weights of a row");
        if (!payload) return MEGURI_NO_MEMORY;
        fill_payload(r, row, payload, degree);
    }
    meguri_status status = mg_sort_u32(r->ctx, to.neighbors, payload, r->payload_bytes, degree, r->vertex_bits);
    if (status == MEGURI_OK) spread_payload(r, row, &to, payload, degree);
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
    const places *to;
} window;

/* The rows that begin within [begin, end) of the window's arcs. */
static void rearrange_stretch(const window *w, uint64_t begin, uint64_t end, const row_room *room) {
    const relabel *r = w->r;
    uint64_t base = r->offsets[w->first], row = MG_MAX(w->first, first_row_from(r, base + begin));
    uint64_t last = MG_MIN(w->end, first_row_from(r, base + end));
    for (; row < last; row++) {
        uint64_t at = r->offsets[row] - base;
        fetch_ahead(r, row, w->end);
        if (r->offsets[row + 1] - r->offsets[row] < LARGE_ROW) rearrange_row(r, row, place_of(r, w->to, at), room);
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

static meguri_status rearrange_window(const relabel *r, uint64_t first, uint64_t end, const places *to) {
    window w = {.r = r, .first = first, .end = end, .to = to};
    uint64_t base = r->offsets[first], arcs = r->offsets[end] - base;
    for (uint64_t row = first; row < end; row++) {
        uint64_t degree = r->offsets[row + 1] - r->offsets[row], at = r->offsets[row] - base;
        meguri_status status = MEGURI_OK;
        if (degree < LARGE_ROW) w.longest = MG_MAX(w.longest, degree);
        else status = rearrange_large_row(r, row, place_of(r, to, at));
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

/* The arrays of the new arcs. */
typedef struct new_arcs {
    mg_part_data neighbors, weights, numbers;
} new_arcs;

static void free_arcs(new_arcs *arcs) {
    mg_part_data_free(&arcs->neighbors);
    mg_part_data_free(&arcs->weights);
    mg_part_data_free(&arcs->numbers);
}

static void *own_array(mg_part_data *out, const relabel *r, uint64_t item_bytes, const char *what) {
    void *array = mg_alloc_array(r->ctx, r->old.arcs, item_bytes, what);
    if (array) *out = (mg_part_data){.data = array, .bytes = r->old.arcs * item_bytes, .owned = array};
    return array;
}

static meguri_status rearrange_in_memory(const relabel *r, new_arcs *arcs) {
    places to = {.neighbors = own_array(&arcs->neighbors, r, 4, "the rearranged neighbours")};
    if (!to.neighbors) return MEGURI_NO_MEMORY;
    if (r->weight_type) {
        to.weights = own_array(&arcs->weights, r, meguri_type_bytes(r->weight_type), "the rearranged weights");
        if (!to.weights) return MEGURI_NO_MEMORY;
    }
    if (r->numbers) {
        to.numbers = own_array(&arcs->numbers, r, r->number_bytes, "the rearranged numbers of edges");
        if (!to.numbers) return MEGURI_NO_MEMORY;
    }
    return rearrange_window(r, 0, r->rows, &to);
}

/* The new rows [first, end), appended to the stores. */
static meguri_status append_window(const relabel *r, uint64_t first, uint64_t end, mg_store store[3]) {
    uint64_t arcs = r->offsets[end] - r->offsets[first];
    size_t weight_size = meguri_type_bytes(r->weight_type);
    places to = {.neighbors = mg_alloc_array(r->ctx, arcs, 4, "a window of rearranged neighbours"),
                 .weights = mg_alloc_array(r->ctx, arcs, weight_size, "a window of rearranged weights"),
                 .numbers = mg_alloc_array(r->ctx, arcs, r->number_bytes, "a window of rearranged numbers of edges")};
    meguri_status status =
        to.neighbors && to.weights && to.numbers ? rearrange_window(r, first, end, &to) : MEGURI_NO_MEMORY;
    if (status == MEGURI_OK) status = mg_store_append(r->ctx, &store[0], to.neighbors, arcs * 4);
    if (status == MEGURI_OK && weight_size) status = mg_store_append(r->ctx, &store[1], to.weights, arcs * weight_size);
    if (status == MEGURI_OK && r->numbers)
        status = mg_store_append(r->ctx, &store[2], to.numbers, arcs * r->number_bytes);
    mg_free(to.neighbors);
    mg_free(to.weights);
    mg_free(to.numbers);
    return status;
}

static meguri_status rearrange_on_disk(const relabel *r, new_arcs *arcs) {
    size_t weight_size = meguri_type_bytes(r->weight_type), arc_bytes = 4 + weight_size + r->number_bytes;
    uint64_t most_arcs = MG_MAX(mg_memory_left(r->ctx) / 2 / arc_bytes, (uint64_t)STRETCH_ARCS);
    mg_store store[3] = {{.fd = -1}, {.fd = -1}, {.fd = -1}};
    meguri_status status = mg_store_new(&store[0], r->ctx, 0, true, "the neighbours");
    if (status == MEGURI_OK && weight_size) status = mg_store_new(&store[1], r->ctx, 0, true, "the weights");
    if (status == MEGURI_OK && r->numbers) status = mg_store_new(&store[2], r->ctx, 0, true, "the numbers of edges");
    for (uint64_t first = 0, end; first < r->rows && status == MEGURI_OK; first = end) {
        end = MG_MAX(first + 1, first_row_from(r, r->offsets[first] + most_arcs + 1) - 1);
        end = MG_MIN(end, r->rows);
        status = append_window(r, first, end, store);
    }
    if (status == MEGURI_OK) status = mg_store_finish(&arcs->neighbors, r->ctx, &store[0]);
    if (status == MEGURI_OK && weight_size) status = mg_store_finish(&arcs->weights, r->ctx, &store[1]);
    if (status == MEGURI_OK && r->numbers) status = mg_store_finish(&arcs->numbers, r->ctx, &store[2]);
    for (int i = 0; i < 3; i++) mg_store_free(&store[i]);
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
    uint32_t place_bytes = graph->arcs <= UINT32_MAX ? 4 : 8;
    relabel r = {.ctx = ctx,
                 .weight_type = graph->weight_type,
                 .payload_bytes = graph->number_bytes ? place_bytes : mg_payload_bytes(graph->weight_type),
                 .numbers = graph->numbers.data,
                 .number_bytes = graph->number_bytes,
                 .to_user = to_user,
                 .rows = rows,
                 .vertex_bits = mg_bits_below(graph->vertices)};
    new_arcs arcs = {0};
    uint32_t offset_bytes;
    meguri_status status = mg_graph_rows(&r.old, ctx, graph);
    if (status != MEGURI_OK) goto cleanup;
    status = MEGURI_NO_MEMORY;
    r.to_internal = mg_alloc_array(ctx, graph->vertices, 4, "the order of the vertices");
    r.offsets = mg_alloc_array(ctx, rows + 1, 8, "the offsets of the rearranged rows");
    if (!r.to_internal || !r.offsets) goto cleanup;
    place_rows(&r, graph->vertices);

    uint64_t needed = graph->arcs * (4 + meguri_type_bytes(graph->weight_type) + graph->number_bytes);
    bool fits = needed <= mg_memory_left(ctx) / 8 * 7;
    status = fits ? rearrange_in_memory(&r, &arcs) : rearrange_on_disk(&r, &arcs);
    if (status != MEGURI_OK) goto cleanup;

    mg_offsets_narrow(r.offsets, rows + 1, graph->arcs, &offset_bytes);
    mg_graph_own(graph, MG_PART_OFFSETS, r.offsets, (rows + 1) * offset_bytes);
    mg_graph_own(graph, MG_PART_TO_USER, to_user, graph->vertices * 4);
    mg_graph_own(graph, MG_PART_TO_INTERNAL, r.to_internal, graph->vertices * 4);
    mg_part_data_free(&graph->part[MG_PART_NEIGHBORS]);
    mg_part_data_free(&graph->part[MG_PART_WEIGHTS]);
    mg_part_data_free(&graph->numbers);
    graph->part[MG_PART_NEIGHBORS] = arcs.neighbors;
    graph->part[MG_PART_WEIGHTS] = arcs.weights;
    graph->numbers = arcs.numbers;
    graph->offset_bytes = offset_bytes;
    graph->rows = rows;
    return MEGURI_OK;

cleanup:
    mg_free(to_user);
    mg_free(r.to_internal);
    mg_free(r.offsets);
    free_arcs(&arcs);
    return status;
}
