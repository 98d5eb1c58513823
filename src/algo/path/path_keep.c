/* The index as a part of a graph: made once, saved with it, used by every finder. It is that of the out-rows; against
 * their direction its paths are turned round. */
#include "algo/path/path_index.h"

meguri_status meguri_path_index_make(meguri_ctx *ctx, meguri_graph *graph) {
    if (!ctx) return MEGURI_BAD_ARGUMENT;
    mg_begin(ctx);
    if (!graph) return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "meguri_path_index_make needs a graph.");
    mg_path_ground ground = {.vertices = graph->vertices,
                             .weight_type = graph->weight_type,
                             .real = graph->weight_type == MEGURI_WEIGHT_F32 || graph->weight_type == MEGURI_WEIGHT_F64,
                             .symmetric = !graph->directed};
    mg_lengths lengths;
    mg_index index;
    meguri_status status = mg_graph_rows(&ground.out, ctx, graph);
    if (status == MEGURI_OK) status = mg_graph_lengths(&lengths, ctx, graph, "index");
    if (status == MEGURI_OK) status = mg_graph_symmetric(ctx, graph);
    if (status == MEGURI_OK) status = mg_graph_in_rows(&ground.in, ctx, graph);
    if (status == MEGURI_OK) status = mg_path_contract(&index, ctx, &ground);
    if (status != MEGURI_OK) return status;
    status = mg_graph_own_index(ctx, graph, &index);
    if (status != MEGURI_OK) mg_path_index_free(&index);
    return status;
}

meguri_status meguri_path_index_get_info(meguri_path_index_info *out, meguri_ctx *ctx, const meguri_graph *graph) {
    if (!ctx) return MEGURI_BAD_ARGUMENT;
    mg_begin(ctx);
    if (!out || !graph)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "meguri_path_index_get_info needs a place and a graph.");
    if (out->size < sizeof out->size || out->size > 4096)
        return mg_fail(
            ctx, MEGURI_BAD_ARGUMENT,
            "the size field of meguri_path_index_info is not set: set it to sizeof(meguri_path_index_info).");
    meguri_path_index_info info = {.size = out->size, .bytes = mg_graph_index_bytes(graph)};
    const void *data;
    meguri_status status = mg_graph_part(&data, ctx, graph, MG_PART_INDEX_FACTS);
    if (status != MEGURI_OK) return status;
    if (data) {
        mg_index_facts facts;
        memcpy(&facts, data, sizeof facts);
        info.there = 1;
        info.edges = facts.edges;
        info.shortcuts = facts.shortcuts;
        info.uncontracted = facts.uncontracted;
    }
    memcpy(out, &info, MG_MIN(out->size, sizeof info));
    return MEGURI_OK;
}
