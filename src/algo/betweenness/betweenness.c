/* The front of betweenness: arguments and the result. */
#include "algo/betweenness/betweenness.h"

static meguri_status run(meguri_ctx *ctx, meguri_result *result, const meguri_graph *graph,
                         const mg_betweenness_sources *sources) {
    double *score = mg_alloc_array(ctx, graph->vertices, sizeof *score, "the scores of betweenness");
    if (!score) return MEGURI_NO_MEMORY;
    meguri_status status = mg_result_own(ctx, result, score);
    if (status == MEGURI_OK)
        status = mg_result_add_column(ctx, result, "score", MEGURI_TYPE_F64, score, graph->vertices, sizeof *score);
    if (status == MEGURI_OK) status = mg_betweenness_host(ctx, graph, sources, score, result);
    return status;
}

meguri_status meguri_betweenness(meguri_result **out, meguri_ctx *ctx, const meguri_graph *graph,
                                 const meguri_betweenness_options *options) {
    if (!out || !ctx) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    *out = NULL;
    if (!graph) return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "meguri_betweenness needs a graph.");
    meguri_betweenness_options known;
    mg_betweenness_sources sources = {0};
    meguri_result *result = NULL;
    meguri_engine engine = MEGURI_ENGINE_HOST;
    meguri_status status = MG_OPTIONS(ctx, &known, options, meguri_betweenness_options);
    if (status == MEGURI_OK) status = mg_pick_engine(&engine, ctx, graph, known.engine, "betweenness", MG_ENGINES_HOST);
    if (status == MEGURI_OK) status = mg_betweenness_sources_new(&sources, ctx, graph, options, "betweenness");
    if (status == MEGURI_OK) status = mg_result_new(&result, ctx);
    if (status == MEGURI_OK) status = run(ctx, result, graph, &sources);
    if (status == MEGURI_OK) status = mg_result_set_text(ctx, result, "engine", meguri_engine_name(engine));
    if (status == MEGURI_OK) *out = result;
    else meguri_result_free(result);
    mg_free(sources.vertices);
    return status;
}

meguri_status meguri_betweenness_check(meguri_ctx *ctx, const meguri_graph *graph, const meguri_result *result,
                                       const meguri_betweenness_options *options) {
    if (!ctx) return MEGURI_BAD_ARGUMENT;
    mg_begin(ctx);
    if (!graph || !result)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "meguri_betweenness_check needs a graph and a result.");
    meguri_betweenness_options known;
    const void *items = NULL;
    void *owned = NULL;
    meguri_status status = MG_OPTIONS(ctx, &known, options, meguri_betweenness_options);
    if (status == MEGURI_OK) status = mg_graph_whole(ctx, graph);
    if (status == MEGURI_OK)
        status = mg_result_items(&items, &owned, ctx, result, "score", MEGURI_TYPE_F64, mg_graph_results(graph));
    if (status == MEGURI_OK) status = mg_betweenness_check(ctx, graph, items, options);
    mg_free(owned);
    return status;
}
