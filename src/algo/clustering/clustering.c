/* The front of clustering coefficients: arguments and result. */
#include "algo/clustering/clustering.h"

static meguri_status fill_result(meguri_result *result, meguri_ctx *ctx, const meguri_graph *graph) {
    double *coefficient = mg_alloc_array(ctx, graph->vertices, sizeof *coefficient, "the coefficients");
    if (!coefficient) return MEGURI_NO_MEMORY;
    meguri_status status = mg_result_own(ctx, result, coefficient);
    if (status == MEGURI_OK)
        status = mg_result_add_column(ctx, result, "coefficient", MEGURI_TYPE_F64, coefficient, graph->vertices,
                                      sizeof *coefficient);
    return status == MEGURI_OK ? mg_clustering_host(coefficient, ctx, graph, result) : status;
}

meguri_status meguri_clustering(meguri_result **out, meguri_ctx *ctx, const meguri_graph *graph,
                                const meguri_clustering_options *options) {
    if (!out || !ctx) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    *out = NULL;
    if (!graph) return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "meguri_clustering needs a graph.");
    meguri_clustering_options known;
    meguri_status status = MG_OPTIONS(ctx, &known, options, meguri_clustering_options);
    meguri_result *result = NULL;
    meguri_engine engine = MEGURI_ENGINE_HOST;
    if (status == MEGURI_OK) status = mg_pick_engine(&engine, ctx, graph, known.engine, "clustering", MG_ENGINES_HOST);
    if (status == MEGURI_OK) status = mg_result_new(&result, ctx);
    if (status == MEGURI_OK) status = fill_result(result, ctx, graph);
    if (status == MEGURI_OK) status = mg_result_set_text(ctx, result, "engine", meguri_engine_name(engine));
    if (status == MEGURI_OK) *out = result;
    else meguri_result_free(result);
    return status;
}

meguri_status meguri_clustering_check(meguri_ctx *ctx, const meguri_graph *graph, const meguri_result *result,
                                      const meguri_clustering_options *options) {
    if (!ctx) return MEGURI_BAD_ARGUMENT;
    mg_begin(ctx);
    if (!graph || !result)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "meguri_clustering_check needs a graph and a result.");
    meguri_clustering_options known;
    const void *items = NULL;
    void *owned = NULL;
    meguri_status status = MG_OPTIONS(ctx, &known, options, meguri_clustering_options);
    if (status == MEGURI_OK) status = mg_graph_whole(ctx, graph);
    if (status == MEGURI_OK)
        status = mg_result_items(&items, &owned, ctx, result, "coefficient", MEGURI_TYPE_F64, mg_graph_results(graph));
    if (status == MEGURI_OK) status = mg_clustering_check(ctx, graph, items);
    mg_free(owned);
    return status;
}
