/* Generations: of a graph that is a cache of something else, which one it is and when it was extracted. They lie in a
 * part of their own, which no other graph has: the same edges give the same bytes at any time. */
#include "graph/graph.h"

#include <inttypes.h>

const char *mg_generation_trouble(const mg_generation *generation) {
    if (!generation->number || generation->time > MG_LAST_SECOND || generation->unused[0] || generation->unused[1])
        return "hold numbers that cannot be right";
    return NULL;
}

meguri_status meguri_graph_generation(meguri_generation *out, meguri_ctx *ctx, const meguri_graph *graph) {
    if (!out || !ctx || !graph) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    const void *data;
    meguri_status status = mg_graph_whole(ctx, graph);
    if (status == MEGURI_OK) status = mg_graph_part(&data, ctx, graph, MG_PART_GENERATION);
    if (status != MEGURI_OK) return status;
    const mg_generation *stored = data;
    meguri_generation generation = {.size = out->size};
    if (stored) {
        generation.number = stored->number;
        generation.time = stored->time;
    }
    return mg_hand_out(ctx, out, sizeof generation, &generation, "meguri_generation");
}

meguri_status mg_generation_take(mg_generation *out, meguri_ctx *ctx, const meguri_generation *generation) {
    meguri_generation given;
    meguri_status status = mg_options(ctx, &given, sizeof given, generation, "meguri_generation");
    if (status != MEGURI_OK) return status;
    if (!given.number || given.time > MG_LAST_SECOND)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                       "generation %" PRIu64 " of second %" PRIu64
                       ": generations count from 1, and years have 4 digits.",
                       given.number, given.time);
    *out = (mg_generation){.number = given.number, .time = given.time};
    return MEGURI_OK;
}
