/* Edges read back one after another, with what was declared beside them: for graphs that are built in parts. */
#include "graph/internal.h"

mg_weight_facts mg_edges_weights(const mg_edges *edges) {
    mg_weight_facts facts = {.whole = true, .f32_exact = true};
    for (uint64_t i = 0; i < edges->block_count; i++)
        if (edges->blocks[i].block.weight_type != MEGURI_TYPE_NONE)
            facts = mg_weight_facts_join(facts, edges->blocks[i].weights);
    return facts;
}

const mg_id_range *mg_edges_declared(const mg_edges *edges, uint64_t *count) {
    *count = edges->declared_count;
    return edges->declared;
}

meguri_status mg_edges_next(uint64_t *count, meguri_ctx *ctx, const mg_edges *edges, mg_edges_cursor *cursor,
                            uint64_t *ends, uint64_t capacity) {
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
            cursor->block++;
            cursor->edge = 0;
            continue;
        }
        *count = MG_MIN(slice.count, capacity);
        for (uint64_t i = 0; i < 2 * *count; i++)
            ends[i] = slice.id_bytes == 4 ? ((const uint32_t *)slice.ends)[i] : ((const uint64_t *)slice.ends)[i];
        cursor->edge += *count;
    }
    mg_free(scratch);
    return status;
}

/* ---- all at once ------------------------------------------------------------------------------------------------ */

typedef struct placing {
    mg_edges *edges;
    const mg_edges_request *request;
    uint64_t *first; /* of each block: how many edges are before it */
    uint64_t done;
} placing;

/* What a thread has for a slice of a block: edges read back, and places of their ends. */
typedef struct placing_room {
    char slice[MG_SLICE_BYTES];
    uint32_t places[2 * MG_SLICE_EDGES];
} placing_room;

static void put_ends(const mg_edges_request *r, uint64_t first, const mg_edge_block *slice, uint64_t count,
                     uint32_t *places) {
    if (!r->map->slots && !r->map->seen.words && !r->places) { /* 64 bits, which no table has */
        for (uint64_t i = 0; i < 2 * count; i++) {
            uint64_t id =
                slice->id_bytes == 4 ? ((const uint32_t *)slice->ends)[i] : ((const uint64_t *)slice->ends)[i];
            uint64_t place = (id ^ r->map->flip) - r->map->base;
            if (r->end_bytes == 4) ((uint32_t *)r->ends)[2 * first + i] = (uint32_t)place;
            else ((uint64_t *)r->ends)[2 * first + i] = place;
        }
        return;
    }
    mg_id_positions(places, r->map, slice->ends, slice->id_bytes, 2 * count);
    if (r->end_bytes == 4)
        for (uint64_t i = 0; i < 2 * count; i++) ((uint32_t *)r->ends)[2 * first + i] = (uint32_t)r->places[places[i]];
    else
        for (uint64_t i = 0; i < 2 * count; i++) ((uint64_t *)r->ends)[2 * first + i] = r->places[places[i]];
}

static void put_weights(const mg_edges_request *r, uint64_t first, const mg_edge_block *slice, uint64_t count) {
    for (uint64_t i = 0; i < count; i++) {
        double weight = mg_weight_at(slice->weights, slice->weight_type, i);
        if (r->weight_type == MEGURI_TYPE_U32) ((uint32_t *)r->weights)[first + i] = (uint32_t)weight;
        else if (r->weight_type == MEGURI_TYPE_F32) ((float *)r->weights)[first + i] = (float)weight;
        else ((double *)r->weights)[first + i] = weight;
    }
}

static meguri_status place_block(placing *p, meguri_ctx *ctx, uint64_t block, placing_room *room) {
    mg_edge_block slice;
    for (uint64_t edge = 0, count;; edge += count) {
        meguri_status status = mg_edges_slice(&slice, ctx, p->edges, block, edge, room->slice);
        if (status != MEGURI_OK || slice.count == 0) return status;
        count = MG_MIN(slice.count, (uint64_t)MG_SLICE_EDGES);
        put_ends(p->request, p->first[block] + edge, &slice, count, room->places);
        if (p->request->weight_type != MEGURI_TYPE_NONE) put_weights(p->request, p->first[block] + edge, &slice, count);
        if (mg_progress(ctx, "edges", mg_fetch_add(&p->done, count), p->edges->count)) return mg_fail_cancelled(ctx);
    }
}

static void place_blocks(void *what, mg_worker *worker) {
    placing *p = what;
    meguri_ctx *ctx = worker->loop->ctx;
    placing_room *room = mg_alloc(ctx, sizeof *room, "edges on their way");
    if (!room) mg_loop_fail(worker, MEGURI_NO_MEMORY);
    for (mg_range block; mg_take(worker, &block);) {
        mg_loop_fail(worker, place_block(p, ctx, block.begin, room));
        mg_edges_done(p->edges, block.begin);
    }
    mg_free(room);
}

meguri_status mg_edges_positions(meguri_ctx *ctx, mg_edges *edges, const mg_edges_request *request) {
    placing p = {.edges = edges, .request = request};
    p.first = mg_alloc_array(ctx, edges->block_count, sizeof *p.first, "edges on their way");
    if (!p.first) return MEGURI_NO_MEMORY;
    for (uint64_t b = 0, first = 0; b < edges->block_count; first += edges->blocks[b++].block.count) p.first[b] = first;
    mg_loop loop = {.ctx = ctx,
                    .threads = mg_threads(ctx, edges->count, 1 << 16),
                    .items = edges->block_count,
                    .chunk = 1,
                    .work = place_blocks,
                    .what = &p};
    meguri_status status = mg_loop_run(&loop);
    mg_free(p.first);
    return status;
}
