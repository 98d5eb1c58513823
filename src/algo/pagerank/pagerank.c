/* The front of PageRank: arguments and the result. */
#include "algo/pagerank/pagerank.h"

#include <math.h>

meguri_status mg_pagerank_options(meguri_ctx *ctx, meguri_pagerank_options *out,
                                  const meguri_pagerank_options *options) {
    meguri_status status = mg_options(ctx, out, sizeof *out, options, "meguri_pagerank_options");
    if (status != MEGURI_OK) return status;
    if (out->damping == 0) out->damping = 0.85;
    if (!(out->damping > 0 && out->damping < 1))
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "the damping of PageRank must lie between 0 and 1.");
    if (out->iterations && out->tolerance != 0)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                       "PageRank runs either a number of iterations or to a tolerance; give one of the two.");
    if (out->tolerance == 0) out->tolerance = 1e-9;
    if (!(out->tolerance > 0) || !isfinite(out->tolerance))
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "the tolerance of PageRank must be a positive number.");
    return MEGURI_OK;
}

/* The change is at most 2 at first, and `damping` times itself after every iteration. */
uint64_t mg_pagerank_most(const meguri_pagerank_options *options) {
    if (options->iterations) return options->iterations;
    double most = ceil(log(options->tolerance / 2) / log(options->damping));
    return most < 1 ? 1 : most > UINT32_MAX ? UINT32_MAX : (uint64_t)most;
}

meguri_status meguri_pagerank(meguri_result **out, meguri_ctx *ctx, const meguri_graph *graph,
                              const meguri_pagerank_options *options) {
    if (!out || !ctx) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    *out = NULL;
    if (!graph) return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "PageRank needs a graph.");
    meguri_pagerank_options chosen;
    meguri_result *result = NULL;
    meguri_status status = mg_pagerank_options(ctx, &chosen, options);
    if (status == MEGURI_OK) status = mg_result_new(&result, ctx);
    if (status != MEGURI_OK) return status;
    double *rank = mg_alloc_array(ctx, graph->vertices, sizeof *rank, "the ranks of vertices");
    status = rank ? mg_result_own(ctx, result, rank) : MEGURI_NO_MEMORY;
    if (status == MEGURI_OK)
        status = mg_result_add_column(ctx, result, "rank", MEGURI_COLUMN_F64, rank, graph->vertices, sizeof *rank);
    if (status == MEGURI_OK) status = mg_pagerank_host(ctx, result, rank, graph, &chosen);
    if (status == MEGURI_OK) *out = result;
    else meguri_result_free(result);
    return status;
}
