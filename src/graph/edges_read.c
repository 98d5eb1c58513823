/* Edges read back one after another, with what was declared beside them: for graphs that are built in parts. */
#include "graph/internal.h"

mg_weight_facts mg_edges_weights(const mg_edges *edges) {
    mg_weight_facts facts = {.whole = true, .f32_exact = true};
    for (uint64_t i = 0; i < edges->block_count; i++)
        if (edges->blocks[i].block.weight_type != MEGURI_WEIGHT_NONE)
            facts = mg_weight_facts_join(facts, edges->blocks[i].weights);
    return facts;
}

const mg_id_range *mg_edges_declared(const mg_edges *edges, uint64_t *count) {
    *count = edges->declared_count;
    return edges->declared;
}

const uint64_t *mg_edges_named(const mg_edges *edges, uint64_t array, uint64_t *count) {
    if (array >= edges->named_arrays) return NULL;
    *count = edges->named_counts[array];
    return edges->named[array];
}

meguri_status mg_edges_next(uint64_t *count, meguri_ctx *ctx, mg_edges *edges, mg_edges_cursor *cursor, uint64_t *ends,
                            double *weights, uint64_t capacity) {
    *count = 0;
    capacity = MG_MIN(capacity, (uint64_t)MG_SLICE_EDGES);
    void *scratch = mg_alloc(ctx, MG_SLICE_BYTES, "edges on their way");
    if (!scratch) return MEGURI_NO_MEMORY;
    meguri_status status = MEGURI_OK;
    while (cursor->block < edges->block_count && !*count && status == MEGURI_OK) {
        mg_edge_block slice;
        status = mg_edges_slice(&slice, ctx, edges, cursor->block, cursor->edge, scratch);
        if (status != MEGURI_OK) break;
        if (slice.count == 0) {
            if (cursor->consume) mg_edges_done(edges, cursor->block);
            cursor->block++;
            cursor->edge = 0;
            continue;
        }
        *count = MG_MIN(slice.count, capacity);
        for (uint64_t i = 0; i < 2 * *count; i++)
            ends[i] = slice.id_bytes == 4 ? ((const uint32_t *)slice.ends)[i] : ((const uint64_t *)slice.ends)[i];
        for (uint64_t i = 0; weights && i < *count; i++) weights[i] = mg_weight_at(slice.weights, slice.weight_type, i);
        cursor->edge += *count;
    }
    mg_free(scratch);
    return status;
}
