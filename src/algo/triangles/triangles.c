/* The front of counting triangles: arguments and result. */
#include "algo/triangles/triangles.h"

static meguri_status fill_result(meguri_result *result, meguri_ctx *ctx, const meguri_graph *graph) {
    mg_rows rows;
    mg_triangle_lists lists = {0};
    uint64_t triangles = 0;
    /* What the graph keeps once it is made is not part of the time. */
    meguri_status status = mg_graph_rows(&rows, ctx, graph);
    if (status == MEGURI_OK && graph->directed) status = mg_graph_in_rows(&rows, ctx, graph);
    double begin = mg_now();
    if (status == MEGURI_OK) status = mg_triangle_lists_new(&lists, ctx, graph, false, "triangles");
    if (status == MEGURI_OK) status = mg_triangle_hubs(ctx, &lists, "triangles");
    if (status == MEGURI_OK) status = mg_triangles_count(&triangles, ctx, &lists);
    if (status == MEGURI_OK) status = mg_result_set_number(ctx, result, "triangles", triangles);
    if (status == MEGURI_OK) status = mg_result_set_number(ctx, result, "simple_edges", lists.edges);
    if (status == MEGURI_OK) status = mg_result_set_real(ctx, result, "seconds", mg_now() - begin);
    mg_triangle_lists_free(&lists);
    return status;
}

meguri_status meguri_triangles(meguri_result **out, meguri_ctx *ctx, const meguri_graph *graph,
                               const meguri_triangles_options *options) {
    if (!out || !ctx) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    *out = NULL;
    if (!graph) return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "meguri_triangles needs a graph.");
    meguri_triangles_options known;
    meguri_status status = MG_OPTIONS(ctx, &known, options, meguri_triangles_options);
    meguri_result *result = NULL;
    meguri_engine engine = MEGURI_ENGINE_HOST;
    if (status == MEGURI_OK)
        status = mg_pick_engine(&engine, ctx, graph, known.engine, "counting triangles", MG_ENGINES_HOST);
    if (status == MEGURI_OK) status = mg_result_new(&result, ctx);
    if (status == MEGURI_OK) status = fill_result(result, ctx, graph);
    if (status == MEGURI_OK) status = mg_result_set_text(ctx, result, "engine", meguri_engine_name(engine));
    if (status == MEGURI_OK) *out = result;
    else meguri_result_free(result);
    return status;
}

meguri_status meguri_triangles_check(meguri_ctx *ctx, const meguri_graph *graph, const meguri_result *result,
                                     const meguri_triangles_options *options) {
    if (!ctx) return MEGURI_BAD_ARGUMENT;
    mg_begin(ctx);
    if (!graph || !result)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "meguri_triangles_check needs a graph and a result.");
    meguri_triangles_options known;
    meguri_fact triangles = {.size = sizeof triangles};
    meguri_status status = MG_OPTIONS(ctx, &known, options, meguri_triangles_options);
    if (status == MEGURI_OK) status = mg_graph_whole(ctx, graph);
    if (status == MEGURI_OK && meguri_result_fact(&triangles, result, "triangles") != MEGURI_OK)
        status = mg_fail(ctx, MEGURI_BAD_ARGUMENT, "the result has no fact `triangles`: it is not a count of them.");
    return status == MEGURI_OK ? mg_triangles_check(ctx, graph, triangles.number) : status;
}
