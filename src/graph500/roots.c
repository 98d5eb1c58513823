/* Search keys: distinct vertices that have a neighbour, sampled uniformly without replacement.
 *
 * Every vertex has a random number by place (gen/random.h); those with the smallest numbers among the vertices that
 * qualify are taken, in the order of their numbers. So the sample depends on seed and graph alone, is as good as a
 * shuffled deck, and one pass over the degrees finds it however few qualify. */
#include "graph500/graph500.h"

enum { PIECE_VERTICES = 1 << 16 }; /* between two looks at the progress */

typedef struct ticket {
    uint64_t number;
    uint32_t vertex;
} ticket;

/* Two vertices never share a number: it is a bijection of the vertex. */
static bool before(const ticket *a, const ticket *b) { return a->number < b->number; }

/* Restores the heap (largest number on top) after its item `at` became smaller. */
static void sink(ticket *heap, uint32_t count, uint32_t at) {
    ticket moving = heap[at];
    for (uint32_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && before(&heap[child], &heap[child + 1])) child++;
        if (!before(&moving, &heap[child])) break;
        heap[at] = heap[child];
    }
    heap[at] = moving;
}

static void add(ticket *heap, uint32_t *count, uint32_t capacity, ticket t) {
    if (*count == capacity) {
        if (!before(&t, &heap[0])) return;
        heap[0] = t;
        sink(heap, capacity, 0);
        return;
    }
    heap[(*count)++] = t;
    if (*count == capacity)
        for (uint32_t i = capacity / 2; i-- > 0;) sink(heap, capacity, i);
}

static meguri_status draw(ticket *heap, uint32_t *count, uint32_t capacity, meguri_ctx *ctx, const meguri_graph *graph,
                          uint64_t seed) {
    mg_rows rows;
    mg_numbering numbering;
    meguri_status status = mg_graph_rows(&rows, ctx, graph);
    if (status == MEGURI_OK) status = mg_graph_numbering(&numbering, ctx, graph);
    if (status != MEGURI_OK) return status;
    uint64_t key = mg_random_key(seed, MG_STREAM_ROOTS);
    for (uint64_t v = 0; v < graph->vertices; v++) {
        if (v % PIECE_VERTICES == 0 && mg_progress(ctx, "sampling roots", v, graph->vertices))
            return mg_fail_cancelled(ctx);
        uint32_t row = mg_to_internal(&numbering, (uint32_t)v);
        if (mg_row_begin(&rows, row) < mg_row_end(&rows, row))
            add(heap, count, capacity, (ticket){mg_random(key, v), (uint32_t)v});
    }
    return MEGURI_OK;
}

meguri_status mg_graph500_roots(uint32_t *out, uint32_t *count, meguri_ctx *ctx, const meguri_graph *graph,
                                uint64_t seed) {
    uint32_t capacity = (uint32_t)MG_MIN((uint64_t)*count, graph->vertices);
    *count = 0;
    if (capacity == 0) return MEGURI_OK;
    ticket *heap = mg_alloc_array(ctx, capacity, sizeof *heap, "the sampled roots");
    if (!heap) return MEGURI_NO_MEMORY;
    meguri_status status = draw(heap, count, capacity, ctx, graph, seed);
    if (status == MEGURI_OK) {
        for (uint32_t i = *count / 2; i-- > 0;) sink(heap, *count, i); /* it may never have been full */
        for (uint32_t left = *count; left-- > 0;) {
            out[left] = heap[0].vertex;
            heap[0] = heap[left];
            sink(heap, left, 0);
        }
    }
    mg_free(heap);
    return status;
}
