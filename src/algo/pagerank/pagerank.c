/* The front of PageRank: arguments and the result. */
#include "algo/pagerank/pagerank.h"

#include "device/device.h"

#include <math.h>

static meguri_status read_options(meguri_ctx *ctx, meguri_pagerank_options *out,
                                  const meguri_pagerank_options *options) {
    meguri_status status = MG_OPTIONS(ctx, out, options, meguri_pagerank_options);
    if (status != MEGURI_OK) return status;
    if (!(out->damping >= 0 && out->damping < 1))
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "damping must be at least 0 and below 1, not %g.", out->damping);
    if (!out->iterations && (!(out->tolerance > 0) || !isfinite(out->tolerance)))
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "tolerance must be a positive number, not %g.", out->tolerance);
    return MEGURI_OK;
}

/* ---- engines ---------------------------------------------------------------------------------------------------- */

/* An engine is a row. */
static const mg_pagerank_engine *const engines[] = {[MEGURI_ENGINE_HOST] = &mg_pagerank_on_host,
                                                    [MEGURI_ENGINE_CLUSTER] = &mg_pagerank_on_cluster,
                                                    [MEGURI_ENGINE_DEVICE] = &mg_pagerank_on_device};

/* What all processes of a cluster must be given alike. */
static void describe(mg_call *call, const meguri_pagerank_options *o) {
    mg_call_real(call, "damping", o->damping);
    mg_call_number(call, "number of iterations", o->iterations);
    mg_call_real(call, "tolerance", o->tolerance);
}

static meguri_status add_ranks(double **out, meguri_ctx *ctx, meguri_result *result, const meguri_graph *graph) {
    uint64_t count = mg_graph_results(graph);
    double *rank = *out = mg_alloc_array(ctx, count, sizeof *rank, "the ranks of vertices");
    meguri_status status = rank ? mg_result_own(ctx, result, rank) : MEGURI_NO_MEMORY;
    if (status == MEGURI_OK)
        status = mg_result_add_column(ctx, result, "rank", MEGURI_TYPE_F64, rank, count, sizeof *rank);
    return status;
}

meguri_status meguri_pagerank(meguri_result **out, meguri_ctx *ctx, const meguri_graph *graph,
                              const meguri_pagerank_options *options) {
    if (!out || !ctx) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    *out = NULL;
    if (!graph) return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "PageRank needs a graph.");
    meguri_pagerank_options chosen;
    meguri_result *result = NULL;
    meguri_engine engine = MEGURI_ENGINE_HOST;
    mg_pagerank *r = NULL;
    double *rank = NULL;
    mg_call call = {.name = "meguri_pagerank"};
    meguri_status status = read_options(ctx, &chosen, options);
    if (status == MEGURI_OK) describe(&call, &chosen);
    if (status == MEGURI_OK) status = mg_pick_engine(&engine, ctx, graph, chosen.engine, "PageRank", MG_ENGINES_ALL);
    if (status == MEGURI_OK && !(r = mg_alloc_zero(ctx, engines[engine]->bytes, "PageRank"))) status = MEGURI_NO_MEMORY;
    if (status == MEGURI_OK) status = mg_result_new(&result, ctx);
    if (status == MEGURI_OK) status = add_ranks(&rank, ctx, result, graph);
    status = mg_graph_agree(ctx, graph, status, &call);
    MG_ENTERED(entered);
    if (status == MEGURI_OK) status = mg_device_enter(&entered, ctx, engine == MEGURI_ENGINE_DEVICE);
    if (status == MEGURI_OK) {
        *r = (mg_pagerank){.engine = engines[engine], .graph = graph, .options = chosen};
        status = mg_pagerank_run(ctx, r, result, rank);
        r->engine->close(r);
    }
    mg_free(r);
    if (status == MEGURI_OK) *out = result;
    else meguri_result_free(result);
    return status;
}

meguri_status mg_pagerank_check(meguri_ctx *ctx, const meguri_graph *graph, const double *rank,
                                const meguri_pagerank_options *options) {
    if (!ctx) return MEGURI_BAD_ARGUMENT;
    mg_begin(ctx);
    if (!graph || !rank) return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "meguri_pagerank_check needs a graph and ranks.");
    meguri_pagerank_options chosen;
    mg_call call = {.name = "meguri_pagerank_check"};
    meguri_status status = read_options(ctx, &chosen, options);
    if (status == MEGURI_OK) describe(&call, &chosen);
    status = mg_graph_agree(ctx, graph, status, &call);
    if (status != MEGURI_OK || !graph->vertices) return status;
    return engines[mg_graph_engine(graph)]->check(ctx, graph, rank, &chosen);
}

meguri_status meguri_pagerank_check(meguri_ctx *ctx, const meguri_graph *graph, const meguri_result *result,
                                    const meguri_pagerank_options *options) {
    if (!ctx) return MEGURI_BAD_ARGUMENT;
    mg_begin(ctx);
    if (!graph || !result)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "meguri_pagerank_check needs a graph and a result.");
    meguri_pagerank_options known;
    const void *items = NULL;
    void *owned = NULL;
    meguri_status status = MG_OPTIONS(ctx, &known, options, meguri_pagerank_options);
    if (status == MEGURI_OK)
        status = mg_result_items(&items, &owned, ctx, result, "rank", MEGURI_TYPE_F64, mg_graph_results(graph));
    status = mg_graph_agree(ctx, graph, status, &(mg_call){.name = "meguri_pagerank_check"});
    if (status == MEGURI_OK) status = mg_pagerank_check(ctx, graph, items, options);
    mg_free(owned);
    return status;
}
