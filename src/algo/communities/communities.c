/* The front of communities: arguments and the result. */
#include "algo/communities/communities.h"

static meguri_status run(meguri_ctx *ctx, meguri_result *result, const meguri_graph *graph, uint32_t iterations) {
    uint32_t *label = mg_alloc_array(ctx, graph->vertices, sizeof *label, "the labels of communities");
    if (!label) return MEGURI_NO_MEMORY;
    meguri_status status = mg_result_own(ctx, result, label);
    if (status == MEGURI_OK)
        status = mg_result_add_column(ctx, result, "label", MEGURI_TYPE_VERTEX, label, graph->vertices, sizeof *label);
    if (status == MEGURI_OK) status = mg_communities_host(ctx, graph, iterations, label, result);
    return status;
}

meguri_status meguri_communities(meguri_result **out, meguri_ctx *ctx, const meguri_graph *graph,
                                 const meguri_communities_options *options) {
    if (!out || !ctx) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    *out = NULL;
    if (!graph) return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "meguri_communities needs a graph.");
    meguri_communities_options given;
    meguri_status status = MG_OPTIONS(ctx, &given, options, meguri_communities_options);
    meguri_engine engine = MEGURI_ENGINE_HOST;
    if (status == MEGURI_OK)
        status = mg_pick_engine(&engine, ctx, graph, given.engine, "the search for communities", MG_ENGINES_HOST);
    if (status != MEGURI_OK) return status;
    meguri_result *result;
    status = mg_result_new(&result, ctx);
    if (status != MEGURI_OK) return status;
    status = run(ctx, result, graph, given.iterations);
    if (status == MEGURI_OK) status = mg_result_set_text(ctx, result, "engine", meguri_engine_name(engine));
    if (status == MEGURI_OK) *out = result;
    else meguri_result_free(result);
    return status;
}

meguri_status meguri_communities_check(meguri_ctx *ctx, const meguri_graph *graph, const meguri_result *result,
                                       const meguri_communities_options *options) {
    if (!ctx) return MEGURI_BAD_ARGUMENT;
    mg_begin(ctx);
    if (!graph || !result)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "meguri_communities_check needs a graph and a result.");
    meguri_communities_options known;
    const void *items = NULL;
    void *owned = NULL;
    meguri_status status = MG_OPTIONS(ctx, &known, options, meguri_communities_options);
    if (status == MEGURI_OK) status = mg_graph_whole(ctx, graph);
    if (status == MEGURI_OK)
        status = mg_result_items(&items, &owned, ctx, result, "label", MEGURI_TYPE_VERTEX, mg_graph_results(graph));
    if (status == MEGURI_OK) status = mg_communities_check(ctx, graph, items, known.iterations);
    mg_free(owned);
    return status;
}
