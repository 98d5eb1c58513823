/* The index as a handle: made for a graph, or that of its file; given to finders and saved with the graph. It is that
 * of the out-rows; against their direction its paths are reversed. */
#include "algo/path/path_index.h"

static meguri_status make(mg_index *out, meguri_ctx *ctx, const meguri_graph *graph) {
    mg_path_ground ground = {.vertices = graph->vertices,
                             .weight_type = graph->weight_type,
                             .real = graph->weight_type == MEGURI_TYPE_F32 || graph->weight_type == MEGURI_TYPE_F64,
                             .symmetric = !graph->directed};
    mg_lengths lengths;
    meguri_status status = mg_graph_rows(&ground.out, ctx, graph);
    if (status == MEGURI_OK) status = mg_graph_lengths(&lengths, ctx, graph, "index");
    if (status == MEGURI_OK) status = mg_graph_symmetric(ctx, graph);
    if (status == MEGURI_OK) status = mg_graph_in_rows(&ground.in, ctx, graph);
    return status == MEGURI_OK ? mg_path_contract(out, ctx, &ground) : status;
}

meguri_status meguri_path_index_new(meguri_path_index **out, meguri_ctx *ctx, const meguri_graph *graph,
                                    const meguri_path_index_options *options) {
    if (out) *out = NULL;
    if (!out || !ctx || !graph) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    meguri_path_index_options o;
    mg_index made;
    meguri_status status = MG_OPTIONS(ctx, &o, options, meguri_path_index_options);
    const meguri_graph *weighted = NULL;
    if (status == MEGURI_OK) status = mg_graph_weighted(&weighted, ctx, graph, o.weight);
    if (status == MEGURI_OK) status = make(&made, ctx, weighted);
    mg_graph_let_go(weighted);
    if (status == MEGURI_OK) status = mg_path_index_wrap(out, ctx, graph, &made);
    if (status == MEGURI_OK && o.weight && !((*out)->weight = mg_strdup(ctx, o.weight, "an index of paths"))) {
        meguri_path_index_free(*out);
        *out = NULL;
        status = MEGURI_NO_MEMORY;
    }
    return status;
}

meguri_status meguri_path_index_of(meguri_path_index **out, meguri_ctx *ctx, const meguri_graph *graph) {
    if (out) *out = NULL;
    if (!out || !ctx || !graph) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    meguri_status status = mg_graph_whole(ctx, graph);
    if (status != MEGURI_OK) return status;
    if (!graph->part[MG_PART_INDEX_FACTS].data)
        return mg_fail(ctx, MEGURI_NOT_FOUND, "the graph was not opened from a file with an index of paths.");
    return mg_path_index_wrap(out, ctx, graph, NULL);
}

meguri_status meguri_path_index_get_info(meguri_path_index_info *out, meguri_ctx *ctx, const meguri_path_index *index) {
    if (!out || !ctx || !index) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    mg_part_data parts[MG_INDEX_PARTS];
    meguri_path_index_info info = {.size = out->size};
    mg_path_index_parts(parts, index);
    for (int i = 0; i < MG_INDEX_PARTS; i++) info.bytes += parts[i].bytes;
    const void *data = parts[0].data;
    if (index->stored) { /* the facts alone are read and checked */
        meguri_status status = mg_graph_part(&data, ctx, index->graph, MG_PART_INDEX_FACTS);
        if (status != MEGURI_OK) return status;
    }
    mg_index_facts facts;
    memcpy(&facts, data, sizeof facts);
    info.edges = facts.edges;
    info.shortcuts = facts.shortcuts;
    info.uncontracted = facts.uncontracted;
    return mg_hand_out(ctx, out, sizeof info, &info, "meguri_path_index_info");
}
