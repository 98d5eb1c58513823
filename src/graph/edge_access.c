/* Edges by their numbers: ends, weights, values of columns. */
#include "graph/internal.h"

#include <inttypes.h>
#include <meguri/rows.h>

enum { GRAIN = 1 << 12 };

typedef struct asking {
    mg_edge_numbers numbers;
    mg_numbering numbering;
    meguri_type weight_type;
    const uint64_t *edges; /* NULL: 0, 1, … */
    uint64_t count;
    uint64_t *from, *to;
    double *weight;
    const char *column;
    char *values;
    size_t value_bytes;
    const mg_column_view *view;
    uint8_t *validity;
} asking;

/* Bytes of the bitmap. */
static void answer_bits(void *what, uint64_t begin, uint64_t end) {
    const asking *a = what;
    for (uint64_t i = begin * 8; i < MG_MIN(end * 8, a->count); i++) {
        uint64_t arc = mg_arc_of_edge(&a->numbers, a->edges ? a->edges[i] : i, NULL);
        mg_bit_put(a->validity, i, mg_column_has(a->view, arc));
    }
}

static void answer(void *what, uint64_t begin, uint64_t end) {
    const asking *a = what;
    for (uint64_t i = begin; i < end; i++) {
        uint32_t row;
        uint64_t arc = mg_arc_of_edge(&a->numbers, a->edges ? a->edges[i] : i, a->from || a->to ? &row : NULL);
        if (a->from || a->to) {
            uint32_t from = mg_to_user(&a->numbering, row);
            uint32_t to = mg_to_user(&a->numbering, a->numbers.rows.neighbors[arc]);
            bool turn = a->numbers.before && to < from;
            if (a->from) a->from[i] = turn ? to : from;
            if (a->to) a->to[i] = turn ? from : to;
        }
        if (a->weight) a->weight[i] = mg_weight_at(a->numbers.rows.weights, a->weight_type, arc);
        if (a->values) memcpy(a->values + i * a->value_bytes, a->column + arc * a->value_bytes, a->value_bytes);
    }
}

typedef struct bounds {
    const uint64_t *edges;
    uint64_t limit;
} bounds;

static uint64_t count_beyond(const void *what, uint64_t begin, uint64_t end) {
    const bounds *b = what;
    uint64_t beyond = 0;
    for (uint64_t i = begin; i < end; i++) beyond += b->edges[i] >= b->limit;
    return beyond;
}

static meguri_status check_edges(meguri_ctx *ctx, const meguri_graph *graph, const uint64_t *edges, uint64_t count) {
    bounds b = {edges, graph->edges};
    if (!edges && count > graph->edges)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "the first %" PRIu64 " edges of a graph of %" PRIu64 ".", count,
                       graph->edges);
    if (!edges || !mg_sum_over(ctx, mg_threads(ctx, count, GRAIN), count, count_beyond, &b)) return MEGURI_OK;
    uint64_t i = 0;
    while (edges[i] < graph->edges) i++;
    return mg_fail(ctx, MEGURI_NOT_FOUND, "there is no edge %" PRIu64 " in a graph of %" PRIu64 " edges.", edges[i],
                   graph->edges);
}

static meguri_status begin_asking(asking *a, meguri_ctx *ctx, const meguri_graph *graph, const uint64_t *edges,
                                  uint64_t count) {
    *a = (asking){.weight_type = graph->weight_type, .edges = edges, .count = count};
    meguri_status status = mg_graph_whole(ctx, graph);
    if (status == MEGURI_OK) status = mg_check_count(ctx, count, sizeof *edges, "edges");
    if (status == MEGURI_OK) status = check_edges(ctx, graph, edges, count);
    if (status == MEGURI_OK) status = mg_graph_edge_numbers(&a->numbers, ctx, graph);
    if (status == MEGURI_OK) status = mg_graph_numbering(&a->numbering, ctx, graph);
    return status;
}

meguri_status meguri_graph_edges(uint64_t *from, uint64_t *to, double *weight, meguri_ctx *ctx,
                                 const meguri_graph *graph, const uint64_t *edges, uint64_t count) {
    asking a;
    if (!ctx || !graph) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    meguri_status status = begin_asking(&a, ctx, graph, edges, count);
    if (status != MEGURI_OK) return status;
    a.from = from, a.to = to, a.weight = weight;
    mg_for(ctx, mg_threads(ctx, count, GRAIN), count, answer, &a);
    return MEGURI_OK;
}

meguri_status meguri_graph_edge_values(void *values, uint8_t *validity, meguri_ctx *ctx, const meguri_graph *graph,
                                       uint32_t column, const uint64_t *edges, uint64_t count) {
    asking a;
    mg_column_view view = {.name = NULL};
    if (!ctx || !graph || (!values && count)) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    meguri_status status = mg_graph_column(&view, ctx, graph, column, true);
    if (status == MEGURI_OK) status = begin_asking(&a, ctx, graph, edges, count);
    if (status != MEGURI_OK) return status;
    a.column = view.values, a.values = values, a.value_bytes = meguri_type_bytes(mg_code_type(view.what.code));
    mg_for(ctx, mg_threads(ctx, count, GRAIN), count, answer, &a);
    a.view = &view, a.validity = validity;
    uint64_t bytes = validity ? mg_bits_bytes(count) : 0;
    mg_for(ctx, mg_threads(ctx, count, GRAIN), bytes, answer_bits, &a);
    return MEGURI_OK;
}
