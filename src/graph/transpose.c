/* Rows backwards: an arc source that reads rows and names every arc from its other end. */
#include "graph/internal.h"

enum { BATCH = 2048, PIECE_ARCS = 1 << 18 };

typedef struct row_source {
    mg_arc_source base;
    const mg_rows *rows;
    meguri_weight_type weight_type;
    uint32_t number_bytes;
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
        pairs[2 * (arc - first)] = s->rows->neighbors[arc];
        pairs[2 * (arc - first) + 1] = (uint32_t)row;
    }
    if (s->weight_type) {
        const char *weights = (const char *)s->rows->weights + first * mg_weight_size(s->weight_type);
        mg_weights_to_payload(payload, s->weight_type, weights, s->weight_type, batch->count);
    }
    if (s->number_bytes) {
        batch->payload = pairs + 4 * BATCH;
        mg_carry_numbers(pairs + 4 * BATCH, payload, s->weight_type, s->number_bytes, first, batch->count);
    }
    *cursor += batch->count;
    return MEGURI_OK;
}

meguri_status mg_transpose(mg_csr *out, meguri_ctx *ctx, const mg_rows *rows, uint64_t vertices,
                           meguri_weight_type weight_type, bool numbered) {
    uint32_t number_bytes = !numbered ? 0 : rows->arcs <= UINT32_MAX ? 4 : 8;
    row_source source = {.base = {.pieces = (rows->arcs + PIECE_ARCS - 1) / PIECE_ARCS,
                                  .scratch_bytes = BATCH * 32,
                                  .next = row_source_next},
                         .rows = rows,
                         .weight_type = weight_type,
                         .number_bytes = number_bytes};
    mg_csr_request request = {.source = &source.base,
                              .vertices = vertices,
                              .arcs_at_most = rows->arcs,
                              .keep_loops = true,
                              .keep_duplicates = true,
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

meguri_status mg_graph_in_rows(mg_rows *out, meguri_ctx *ctx, const meguri_graph *graph) {
    mg_rows rows;
    meguri_status status = mg_graph_rows(&rows, ctx, graph);
    if (status != MEGURI_OK) return status;
    if (!graph->directed) {
        *out = rows;
        return MEGURI_OK;
    }
    meguri_graph *g = (meguri_graph *)graph; /* made once, under the lock */
    pthread_mutex_lock(&g->lock);
    if (!g->has_in_rows) {
        mg_csr csr;
        status = mg_transpose(&csr, ctx, &rows, graph->rows, graph->weight_type, mg_graph_column_count(graph) > 0);
        if (status == MEGURI_OK) {
            g->in_offsets = csr.offsets;
            g->in_neighbors = csr.neighbors;
            g->in_weights = csr.weights;
            g->in_out_arcs = csr.numbers;
            g->in_rows = (mg_rows){.rows = graph->rows,
                                   .arcs = csr.arcs,
                                   .offsets32 = csr.offset_bytes == 4 ? csr.offsets : NULL,
                                   .offsets64 = csr.offset_bytes == 8 ? csr.offsets : NULL,
                                   .neighbors = csr.neighbors.data,
                                   .weights = csr.weights.data,
                                   .out_arcs = csr.numbers.data};
            g->has_in_rows = true;
        }
    }
    if (status == MEGURI_OK) *out = g->in_rows;
    pthread_mutex_unlock(&g->lock);
    return status;
}
