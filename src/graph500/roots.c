/* Search keys: distinct vertices that have a neighbour, sampled uniformly without replacement.
 *
 * Every vertex has a random number by place (gen/random.h); those with the smallest numbers among the vertices that
 * qualify are taken, in the order of their numbers. So the sample depends on seed and graph alone, is as good as a
 * shuffled deck, and one pass over the degrees finds it however few qualify. */
#include "graph500/graph500.h"

enum { PIECE_VERTICES = 1 << 16 }; /* between two looks at the progress */

typedef mg_ticket ticket;

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

meguri_status mg_graph500_sample(mg_ticket *heap, uint32_t *count, meguri_ctx *ctx, mg_range vertices,
                                 mg_qualifies_fn *qualifies, const void *user, uint64_t seed) {
    uint32_t capacity = *count;
    uint64_t key = mg_random_key(seed, MG_STREAM_ROOTS);
    *count = 0;
    for (uint64_t v = vertices.begin; v < vertices.end && capacity; v++) {
        if (v % PIECE_VERTICES == 0 && mg_progress(ctx, "sampling roots", v, vertices.end))
            return mg_fail_cancelled(ctx);
        if (qualifies(user, v)) add(heap, count, capacity, (ticket){mg_random(key, v), v});
    }
    for (uint32_t i = *count / 2; i-- > 0;) sink(heap, *count, i); /* it may never have been full */
    for (uint32_t left = *count; left-- > 0;) {
        ticket largest = heap[0];
        heap[0] = heap[left];
        sink(heap, left, 0);
        heap[left] = largest;
    }
    return MEGURI_OK;
}

typedef struct graph_rows {
    mg_rows rows;
    mg_numbering numbering;
} graph_rows;

static bool has_neighbor(const void *user, uint64_t v) {
    const graph_rows *g = user;
    uint32_t row = mg_to_internal(&g->numbering, (uint32_t)v);
    return mg_row_begin(&g->rows, row) < mg_row_end(&g->rows, row);
}

meguri_status mg_graph500_roots(uint32_t *out, uint32_t *count, meguri_ctx *ctx, const meguri_graph *graph,
                                uint64_t seed) {
    graph_rows g;
    uint32_t capacity = (uint32_t)MG_MIN((uint64_t)*count, graph->vertices);
    *count = capacity;
    meguri_status status = mg_graph_rows(&g.rows, ctx, graph);
    if (status == MEGURI_OK) status = mg_graph_numbering(&g.numbering, ctx, graph);
    if (status != MEGURI_OK || !capacity) return status;
    ticket *tickets = mg_alloc_array(ctx, capacity, sizeof *tickets, "the sampled roots");
    if (!tickets) return MEGURI_NO_MEMORY;
    status = mg_graph500_sample(tickets, count, ctx, (mg_range){0, graph->vertices}, has_neighbor, &g, seed);
    for (uint32_t i = 0; i < *count && status == MEGURI_OK; i++) out[i] = (uint32_t)tickets[i].vertex;
    mg_free(tickets);
    return status;
}
