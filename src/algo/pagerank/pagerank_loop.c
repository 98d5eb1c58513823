/* The loop of PageRank, the same on every engine: iterate until the tolerance is met or the number is reached, each
 * iteration with a line in the trace. What an iteration is, an engine knows (pagerank.h).
 *
 * On a cluster every process runs this loop, and all end with the same iteration: what decides is a sum over all of
 * them. */
#include "algo/pagerank/pagerank.h"

#include <math.h>

/* The change is at most 2 at first, and `damping` times itself after every iteration. */
static uint64_t most_iterations(const meguri_pagerank_options *options) {
    if (options->iterations) return options->iterations;
    double most = ceil(log(options->tolerance / 2) / log(options->damping));
    return most < 1 ? 1 : most > UINT32_MAX ? UINT32_MAX : (uint64_t)most;
}

static meguri_status start(meguri_ctx *ctx, mg_pagerank *r) {
    uint64_t dangling = 0;
    r->lone = 1 / (double)r->graph->vertices;
    meguri_status status = r->engine->start(&dangling, ctx, r);
    r->dangling = (double)(dangling + r->graph->vertices - r->active) * r->lone;
    return status;
}

static meguri_status iterate(meguri_ctx *ctx, mg_pagerank *r) {
    double vertices = (double)r->graph->vertices, lone = vertices - (double)r->active, damping = r->options.damping;
    double base = (1 - damping) / vertices + damping * (r->dangling / vertices);
    mg_pagerank_found found = {0};
    if (mg_progress(ctx, "pagerank", r->iterations, r->most) && !r->engine->together) return mg_fail_cancelled(ctx);
    meguri_status status = r->engine->iterate(&found, ctx, r, base);
    if (status != MEGURI_OK) return status;
    if (mg_cancelled(ctx) && !r->engine->together) return mg_fail_cancelled(ctx);
    r->change = lone * fabs(base - r->lone) + found.change;
    r->dangling = lone * base + found.dangling;
    r->lone = base;
    r->iterations++;
    return MEGURI_OK;
}

static void note(meguri_ctx *ctx, mg_pagerank *r, double seconds) {
    mg_step line = MG_STEP_NONE;
    line.run = "pagerank";
    line.step = (int64_t)r->iterations - 1;
    line.frontier = (int64_t)r->graph->vertices;
    line.edges = (int64_t)r->arcs;
    line.way = "pull";
    line.engine = meguri_engine_name(r->engine->engine);
    line.threads = (int64_t)meguri_ctx_threads(ctx);
    line.seconds = seconds;
    r->engine->trace(ctx, r, &line);
}

static meguri_status iterate_all(meguri_ctx *ctx, mg_pagerank *r) {
    meguri_status status = start(ctx, r);
    while (status == MEGURI_OK && r->iterations < r->most &&
           (!r->iterations || r->options.iterations || r->change > r->options.tolerance)) {
        double begin = mg_now();
        status = iterate(ctx, r);
        if (status == MEGURI_OK) note(ctx, r, mg_now() - begin);
    }
    return status;
}

static meguri_status set_facts(meguri_ctx *ctx, const mg_pagerank *r, meguri_result *result, double seconds) {
    meguri_status status = mg_result_set_number(ctx, result, "iterations", r->iterations);
    if (status == MEGURI_OK) status = mg_result_set_real(ctx, result, "change", r->change);
    if (status == MEGURI_OK) status = mg_result_set_number(ctx, result, "edges", r->iterations * r->arcs);
    if (status == MEGURI_OK) status = mg_result_set_real(ctx, result, "seconds", seconds);
    if (status == MEGURI_OK && r->engine->facts) status = r->engine->facts(ctx, r, result);
    if (status == MEGURI_OK) status = mg_result_set_text(ctx, result, "engine", meguri_engine_name(r->engine->engine));
    return status;
}

meguri_status mg_pagerank_run(meguri_ctx *ctx, mg_pagerank *r, meguri_result *result, double *rank) {
    double since = mg_now();
    meguri_status status = MEGURI_OK;
    r->most = most_iterations(&r->options);
    if (r->graph->vertices) { /* else there is nothing to do, and no iteration does it */
        status = r->engine->prepare(ctx, r);
        since = mg_now();
        if (status == MEGURI_OK) status = iterate_all(ctx, r);
        if (status == MEGURI_OK) status = r->engine->finish(ctx, r, rank);
    }
    if (status != MEGURI_OK) return status;
    status = set_facts(ctx, r, result, mg_now() - since);
    return mg_graph_agree(ctx, r->graph, status, &(mg_call){.name = "meguri_pagerank"});
}
