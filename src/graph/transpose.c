/* Rows backwards: an arc source that reads rows and names every arc from its other end.
 *
 * They are made when they are first needed, or kept as parts of the graph and of its file. */
#include "graph/internal.h"

enum { BATCH = 2048, PIECE_ARCS = 1 << 18 };

typedef struct row_source {
    mg_arc_source base;
    const mg_rows *rows;
    meguri_type weight_type;
    uint32_t number_bytes;
    bool backwards; /* every arc from its other end */
} row_source;

static meguri_status row_source_next(const mg_arc_source *self, meguri_ctx *ctx, uint64_t piece, uint64_t *cursor,
                                     mg_arc_batch *batch, void *scratch) {
    const row_source *s = (const row_source *)self;
    (void)ctx;
    uint64_t first = piece * PIECE_ARCS + *cursor;
    uint64_t end = MG_MIN(MG_MIN((piece + 1) * PIECE_ARCS, s->rows->arcs), first + BATCH);
    uint32_t *pairs = scratch;
    void *payload = pairs + 2 * BATCH;
    *batch = (mg_arc_batch){pairs, payload, first < end ? end - first : 0};
    if (batch->count == 0) return MEGURI_OK;
    uint64_t row = mg_row_of_arc(s->rows, first);
    for (uint64_t arc = first; arc < end; arc++) {
        while (mg_row_offset(s->rows, row + 1) <= arc) row++;
        pairs[2 * (arc - first) + s->backwards] = (uint32_t)row;
        pairs[2 * (arc - first) + !s->backwards] = s->rows->neighbors[arc];
    }
    if (s->weight_type) {
        const char *weights = (const char *)s->rows->weights + first * meguri_type_bytes(s->weight_type);
        mg_weights_to_payload(payload, s->weight_type, weights, s->weight_type, batch->count);
    }
    if (s->number_bytes) {
        batch->payload = pairs + 4 * BATCH;
        mg_carry_numbers(pairs + 4 * BATCH, payload, s->weight_type, s->number_bytes, first, batch->count);
    }
    *cursor += batch->count;
    return MEGURI_OK;
}

static row_source source_of(const mg_rows *rows, meguri_type weight_type) {
    return (row_source){.base = {.pieces = (rows->arcs + PIECE_ARCS - 1) / PIECE_ARCS,
                                 .scratch_bytes = BATCH * 32,
                                 .next = row_source_next},
                        .rows = rows,
                        .weight_type = weight_type};
}

meguri_status mg_rows_copy(mg_csr *out, meguri_ctx *ctx, const mg_rows *rows, uint64_t vertices,
                           meguri_type weight_type, bool keep_loops, meguri_duplicates duplicates) {
    row_source source = source_of(rows, weight_type);
    mg_csr_request request = {.source = &source.base,
                              .vertices = vertices,
                              .arcs_at_most = rows->arcs,
                              .keep_loops = keep_loops,
                              .duplicates = duplicates,
                              .weight_type = weight_type,
                              .run = "build"};
    return mg_csr_build(out, ctx, &request);
}

meguri_status mg_transpose(mg_csr *out, meguri_ctx *ctx, const mg_rows *rows, uint64_t vertices,
                           meguri_type weight_type, bool numbered) {
    uint32_t number_bytes = !numbered ? 0 : rows->arcs <= UINT32_MAX ? 4 : 8;
    row_source source = source_of(rows, weight_type);
    source.number_bytes = number_bytes, source.backwards = true;
    mg_csr_request request = {.source = &source.base,
                              .vertices = vertices,
                              .arcs_at_most = rows->arcs,
                              .keep_loops = true,
                              .duplicates = MEGURI_DUPLICATES_KEEP,
                              .weight_type = weight_type,
                              .number_bytes = number_bytes,
                              .run = "transpose"};
    return mg_csr_build(out, ctx, &request);
}

void mg_graph_free_in_rows(meguri_graph *graph) {
    mg_free(graph->in_offsets);
    mg_part_data_free(&graph->in_neighbors);
    mg_part_data_free(&graph->in_weights);
    mg_part_data_free(&graph->in_out_arcs);
}

/* Offsets may be narrower than those of the graph, whose file had wide ones without need. */
static mg_rows rows_of(const meguri_graph *graph, uint32_t offset_bytes, const void *offsets, const void *neighbors,
                       const void *weights, const void *out_arcs) {
    return (mg_rows){.rows = graph->rows,
                     .arcs = graph->arcs,
                     .offsets32 = offset_bytes == 4 ? offsets : NULL,
                     .offsets64 = offset_bytes == 8 ? offsets : NULL,
                     .neighbors = neighbors,
                     .weights = weights,
                     .out_arcs = out_arcs};
}

/* Those that are kept. */
static meguri_status kept_in_rows(mg_rows *out, meguri_ctx *ctx, const meguri_graph *graph) {
    const void *part[4];
    meguri_status status = MEGURI_OK;
    for (int i = 0; i < 4 && status == MEGURI_OK; i++)
        status = mg_graph_part(&part[i], ctx, graph, (mg_part)(MG_PART_IN_OFFSETS + i));
    if (status == MEGURI_OK) *out = rows_of(graph, graph->offset_bytes, part[0], part[1], part[2], part[3]);
    return status;
}

meguri_status mg_graph_in_rows(mg_rows *out, meguri_ctx *ctx, const meguri_graph *graph) {
    mg_rows rows;
    if (graph->view_of) return mg_weighted_in_rows(out, ctx, graph);
    meguri_status status = mg_graph_rows(&rows, ctx, graph);
    if (status != MEGURI_OK) return status;
    if (!graph->directed) {
        *out = rows;
        return MEGURI_OK;
    }
    if (mg_graph_keeps_in_rows(graph)) return kept_in_rows(out, ctx, graph);
    meguri_graph *g = (meguri_graph *)graph; /* made once, within the gate */
    MG_ENTERED(entered);
    status = mg_gate_enter(&entered, ctx, &g->gate, "the graph");
    if (status == MEGURI_OK && !g->has_in_rows) {
        mg_csr csr;
        status = mg_transpose(&csr, ctx, &rows, graph->rows, graph->weight_type, mg_graph_column_count(graph) > 0);
        if (status == MEGURI_OK) {
            g->in_offsets = csr.offsets;
            g->in_neighbors = csr.neighbors;
            g->in_weights = csr.weights;
            g->in_out_arcs = csr.numbers;
            g->in_rows =
                rows_of(graph, csr.offset_bytes, csr.offsets, csr.neighbors.data, csr.weights.data, csr.numbers.data);
            g->has_in_rows = true;
        }
    }
    if (status == MEGURI_OK) *out = g->in_rows;
    return status;
}

meguri_status mg_graph_keep_in_rows(meguri_ctx *ctx, meguri_graph *graph) {
    mg_rows rows;
    mg_csr csr;
    if (!graph->directed || !graph->arcs) return MEGURI_OK;
    meguri_status status = mg_graph_rows(&rows, ctx, graph);
    if (status == MEGURI_OK)
        status = mg_transpose(&csr, ctx, &rows, graph->rows, graph->weight_type, mg_graph_column_count(graph) > 0);
    if (status != MEGURI_OK) return status;
    mg_graph_own(graph, MG_PART_IN_OFFSETS, csr.offsets, (graph->rows + 1) * csr.offset_bytes);
    graph->part[MG_PART_IN_NEIGHBORS] = csr.neighbors;
    graph->part[MG_PART_IN_WEIGHTS] = csr.weights;
    graph->part[MG_PART_IN_ARCS] = csr.numbers;
    return MEGURI_OK;
}

/* ---- whether they are what they should be ----------------------------------------------------------------------- */

typedef struct comparing {
    mg_sweep sweep;
    const mg_rows *out, *in;
    meguri_type type;
    bool backwards; /* for sums: rows are heads, neighbours tails */
    bool wrong;     /* atomic */
} comparing;

/* Arcs to one vertex lie in the order of their weights, then of their places, in rows of both ends. */
static bool run_fits(const comparing *c, uint32_t v, uint64_t first, uint64_t end) {
    const mg_rows *out = c->out, *in = c->in;
    uint32_t u = in->neighbors[first];
    uint64_t row_end = mg_row_end(out, u), other = mg_row_find(out, mg_row_begin(out, u), row_end, v);
    for (uint64_t i = first; i < end; i++, other++)
        if (other >= row_end || out->neighbors[other] != v ||
            mg_weight_at(out->weights, c->type, other) != mg_weight_at(in->weights, c->type, i) ||
            (in->out_arcs && mg_row_out_arc(in, i) != other))
            return false;
    return other == row_end || out->neighbors[other] != v;
}

static void compare_rows(void *what, uint64_t begin, uint64_t end) {
    comparing *c = what;
    for (uint64_t v = begin; v < end; v++)
        for (uint64_t i = mg_row_begin(c->in, v), row_end = mg_row_end(c->in, v), next; i < row_end; i = next) {
            for (next = i + 1; next < row_end && c->in->neighbors[next] == c->in->neighbors[i];) next++;
            if (!run_fits(c, (uint32_t)v, i, next)) mg_store(&c->wrong, true);
        }
}

/* Every run of arcs backwards is a whole one of the others, and there are as many arcs: so none is missing. */
meguri_status mg_in_rows_verify(const char **trouble, meguri_ctx *ctx, const mg_rows *out, const mg_rows *in,
                                meguri_type weight_type) {
    comparing c = {
        .sweep = {.ctx = ctx, .phase = "verify", .total = in->rows}, .out = out, .in = in, .type = weight_type};
    meguri_status status = mg_sweep_over(&c.sweep, compare_rows, &c, in->rows);
    *trouble = c.wrong ? "its rows backwards are not its rows" : NULL;
    return status;
}

static uint64_t sum_rows(const void *what, uint64_t begin, uint64_t end) {
    const comparing *c = what;
    const mg_rows *r = c->in;
    uint64_t sum = 0;
    for (uint64_t v = begin; v < end; v++)
        for (uint64_t i = mg_row_begin(r, v); i < mg_row_end(r, v); i++) {
            uint64_t u = r->neighbors[i], bits = 0;
            double weight = c->type ? mg_weight_at(r->weights, c->type, i) : 0;
            memcpy(&bits, &weight, sizeof bits);
            uint64_t x = (c->backwards ? u << 32 | v : v << 32 | u) + bits * UINT64_C(0xD6E8FEB86659FD93);
            x = (x ^ x >> 32) * UINT64_C(0x9E3779B97F4A7C15);
            x = (x ^ x >> 29) * UINT64_C(0xBF58476D1CE4E5B9);
            sum += x ^ x >> 32;
        }
    return sum;
}

uint64_t mg_rows_sum(meguri_ctx *ctx, const mg_rows *rows, meguri_type weight_type, bool backwards) {
    comparing c = {.in = rows, .type = weight_type, .backwards = backwards};
    return mg_sum_over(ctx, mg_threads(ctx, rows->arcs, 1 << 16), rows->rows, sum_rows, &c);
}
