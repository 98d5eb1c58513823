/* The edges of a process's share, read into memory: two positions each, and weights; loops left out unless they are
 * kept. */
#include "shards/build.h"

enum { AT_A_TIME = 65536 };

static meguri_status make_room(meguri_ctx *ctx, mg_shards_builder *b, uint64_t *capacity) {
    if (b->count + AT_A_TIME <= *capacity) return MEGURI_OK;
    uint64_t wanted = MG_MAX(b->count + AT_A_TIME, *capacity + *capacity / 2);
    uint64_t edge = 2 * mg_global_bytes(b->ends.wide);
    void *ends = mg_resize(ctx, b->ends.items, wanted * edge, "edges that are read");
    if (ends) b->ends.items = ends;
    void *weights = ends ? mg_resize(ctx, b->weights, wanted * b->weight_bytes, "edges that are read") : NULL;
    if (!weights) return MEGURI_NO_MEMORY;
    b->weights = weights;
    *capacity = wanted;
    return MEGURI_OK;
}

/* Of the edges from b->count on, so many, those that stay. */
static void keep(mg_shards_builder *b, uint64_t count) {
    uint64_t end = b->count + count;
    size_t bytes = b->weight_bytes;
    b->input_edges += count;
    for (uint64_t i = b->count; i < end; i++) {
        uint64_t u = mg_global_at(b->ends, 2 * i), v = mg_global_at(b->ends, 2 * i + 1);
        b->loops += u == v;
        if (u == v && !b->source->keep_loops) continue;
        mg_global_put(b->ends, 2 * b->count, u);
        mg_global_put(b->ends, 2 * b->count + 1, v);
        if (bytes) memmove(b->weights + b->count * bytes, b->weights + i * bytes, bytes);
        b->count++;
    }
}

static meguri_status read_all(meguri_ctx *ctx, mg_shards_builder *b) {
    const mg_edge_source *source = b->source;
    for (uint64_t capacity = 0, read = 1; read;) {
        meguri_status status = make_room(ctx, b, &capacity);
        if (status != MEGURI_OK) return status;
        if (mg_progress(ctx, "edges", b->input_edges, 0)) return mg_fail_cancelled(ctx);
        read = source->next(source->user, mg_globals_from(b->ends, 2 * b->count),
                            b->weights + b->count * b->weight_bytes, AT_A_TIME);
        keep(b, read);
    }
    mg_trim(b->ends.items, b->count * 2 * mg_global_bytes(b->ends.wide));
    mg_trim(b->weights, b->count * b->weight_bytes);
    return MEGURI_OK;
}

meguri_status mg_shards_read_edges(meguri_ctx *ctx, mg_shards_builder *b) {
    if (b->source->ends) { /* taken over */
        keep(b, b->source->count);
        return MEGURI_OK;
    }
    return mg_agree(ctx, b->shards->cluster, read_all(ctx, b));
}
