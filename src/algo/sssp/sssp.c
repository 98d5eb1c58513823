/* The front of shortest paths: arguments, results, the handle that several searches share. */
#include "algo/sssp/sssp.h"

#include <inttypes.h>
#include <math.h>

#define THREAD_ARCS 32768 /* a thread more for a search pays from so many arcs on */
#define GRAIN       16384 /* vertices between two looks at the progress */

meguri_status mg_sssp_read_options(meguri_ctx *ctx, meguri_sssp_options *out, const meguri_sssp_options *options) {
    meguri_status status = mg_options(ctx, out, sizeof *out, options, "meguri_sssp_options");
    if (status != MEGURI_OK) return status;
    if (!(out->delta >= 0) || isinf(out->delta))
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                       "the width of a bucket must be a positive number; leave it out, and it is found.");
    if (out->delta > 0 && !(1 / out->delta < INFINITY))
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "%g is too small for the width of a bucket.", out->delta);
    return MEGURI_OK;
}

/* ---- the handle ------------------------------------------------------------------------------------------------- */

static meguri_status add_column(meguri_ctx *ctx, meguri_result *result, const char *name, meguri_column_type type,
                                void *out, uint64_t vertices) {
    void *data = mg_alloc_array(ctx, vertices, mg_column_size(type), "the result of a search");
    if (!data) return MEGURI_NO_MEMORY;
    meguri_status status = mg_result_own(ctx, result, data);
    if (status == MEGURI_OK)
        status = mg_result_add_column(ctx, result, name, type, data, vertices, mg_column_size(type));
    if (status == MEGURI_OK) *(void **)out = data;
    return status;
}

static meguri_status prepare(meguri_ctx *ctx, meguri_sssp_search *s, const meguri_sssp_search *like, bool often,
                             int threads) {
    if (s->graph->weight_type == MEGURI_WEIGHT_NONE && threads == 0) {
        meguri_bfs_options options = {.size = sizeof options, .no_parents = s->options.no_parents};
        return meguri_bfs_search_new(&s->levels, ctx, s->graph, &options);
    }
    meguri_status status = like ? MEGURI_OK : mg_sssp_plan_make(&s->own_plan, ctx, s->graph, &s->options, often);
    if (status != MEGURI_OK) return status;
    s->plan = like ? like->plan : &s->own_plan;
    if (threads == 0) threads = mg_threads(ctx, s->plan->out.arcs, THREAD_ARCS);
    return mg_sssp_state_open(&s->state, ctx, s->plan, threads);
}

meguri_status mg_sssp_search_new(meguri_sssp_search **out, meguri_ctx *ctx, const meguri_graph *graph,
                                 const meguri_sssp_options *options, const meguri_sssp_search *like, bool often,
                                 int threads) {
    *out = NULL;
    if (!graph) return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "shortest paths need a graph.");
    meguri_sssp_search *s = mg_alloc_zero(ctx, sizeof *s, "a search");
    if (!s) return MEGURI_NO_MEMORY;
    s->graph = graph;
    bool real = graph->weight_type == MEGURI_WEIGHT_F32 || graph->weight_type == MEGURI_WEIGHT_F64;
    meguri_status status = mg_sssp_read_options(ctx, &s->options, options);
    if (status == MEGURI_OK) status = mg_result_new(&s->result, ctx);
    if (status == MEGURI_OK)
        status = add_column(ctx, s->result, "distance", real ? MEGURI_COLUMN_F64 : MEGURI_COLUMN_U64, &s->distance,
                            graph->vertices);
    if (status == MEGURI_OK && !s->options.no_parents)
        status = add_column(ctx, s->result, "parent", MEGURI_COLUMN_VERTEX, &s->parent, graph->vertices);
    if (status == MEGURI_OK) status = prepare(ctx, s, like, often, threads);
    if (status == MEGURI_OK) *out = s;
    else meguri_sssp_search_free(s);
    return status;
}

void meguri_sssp_search_free(meguri_sssp_search *s) {
    if (!s) return;
    meguri_result_free(s->result);
    meguri_bfs_search_free(s->levels);
    mg_sssp_state_close(&s->state);
    mg_free(s);
}

/* ---- a run ------------------------------------------------------------------------------------------------------ */

static meguri_status set_facts(meguri_ctx *ctx, meguri_sssp_search *s, const mg_sssp_found *found, uint64_t edges,
                               double delta, double seconds) {
    meguri_result *r = s->result;
    bool real = s->plan && s->plan->real;
    meguri_status status = mg_result_set_number(ctx, r, "reached", found->reached);
    if (status == MEGURI_OK)
        status = real ? mg_result_set_real(ctx, r, "farthest", found->farthest.real)
                      : mg_result_set_number(ctx, r, "farthest", found->farthest.number);
    if (status == MEGURI_OK) status = mg_result_set_number(ctx, r, "edges", edges);
    if (status == MEGURI_OK) status = mg_result_set_real(ctx, r, "delta", delta);
    if (status == MEGURI_OK) status = mg_result_set_real(ctx, r, "seconds", seconds);
    return status;
}

typedef struct level_job {
    const int32_t *from;
    uint64_t *to;
} level_job;

static void widen_levels(void *what, uint64_t begin, uint64_t end) {
    const level_job *job = what;
    for (uint64_t v = begin; v < end; v++) job->to[v] = job->from[v] < 0 ? UINT64_MAX : (uint64_t)job->from[v];
}

/* Edges without weights count 1, and distances are levels. */
static meguri_status run_steps(meguri_ctx *ctx, meguri_sssp_search *s, uint64_t source) {
    const meguri_result *levels;
    meguri_column level = {.size = sizeof level}, parent = {.size = sizeof parent};
    meguri_fact reached = {.size = sizeof reached}, depth = {.size = sizeof depth}, edges = {.size = sizeof edges};
    double since = mg_now();
    meguri_status status = meguri_bfs_search_run(&levels, ctx, s->levels, source);
    if (status == MEGURI_OK) status = meguri_result_column(&level, levels, "level");
    if (status == MEGURI_OK && s->parent) status = meguri_result_column(&parent, levels, "parent");
    if (status == MEGURI_OK) status = meguri_result_fact(&reached, levels, "reached");
    if (status == MEGURI_OK) status = meguri_result_fact(&depth, levels, "depth");
    if (status == MEGURI_OK) status = meguri_result_fact(&edges, levels, "edges");
    if (status != MEGURI_OK) return status;
    level_job job = {level.data, s->distance};
    uint64_t vertices = s->graph->vertices;
    mg_for(ctx, mg_threads(ctx, vertices, GRAIN), vertices, widen_levels, &job);
    if (s->parent) memcpy(s->parent, parent.data, vertices * sizeof *s->parent);
    mg_sssp_found found = {.reached = reached.number, .farthest.number = depth.number};
    return set_facts(ctx, s, &found, edges.number, 1, mg_now() - since);
}

typedef struct finish_job {
    meguri_sssp_search *s;
    mg_sssp_found all;
} finish_job;

static void add_found(mg_sssp_found *sum, const mg_sssp_found *found, bool real) {
    sum->reached += found->reached;
    if (real) sum->farthest.real = MG_MAX(sum->farthest.real, found->farthest.real);
    else sum->farthest.number = MG_MAX(sum->farthest.number, found->farthest.number);
}

static void finish_chunks(void *what, mg_worker *worker) {
    finish_job *job = what;
    meguri_sssp_search *s = job->s;
    mg_sssp_found mine = {0};
    for (mg_range chunk; mg_take(worker, &chunk);) {
        mg_sssp_found found =
            s->state.hot->finish(s->plan, s->state.labels, chunk.begin, chunk.end, s->distance, s->parent);
        add_found(&mine, &found, s->plan->real);
    }
    mg_loop_lock(worker);
    add_found(&job->all, &mine, s->plan->real);
    mg_loop_unlock(worker);
}

/* All labels into the user's order. */
static mg_sssp_found finish(meguri_ctx *ctx, meguri_sssp_search *s) {
    finish_job job = {.s = s};
    uint64_t vertices = s->graph->vertices;
    mg_loop loop = {.ctx = ctx,
                    .threads = MG_MIN(mg_threads(ctx, vertices, GRAIN), s->state.worker_count),
                    .items = vertices,
                    .chunk = GRAIN,
                    .work = finish_chunks,
                    .what = &job,
                    .phase = "sssp",
                    .total = vertices};
    mg_loop_run(&loop);
    return job.all;
}

/* A vertex without edges reaches itself. */
static void mark_alone(meguri_sssp_search *s, uint64_t source, mg_sssp_found *found) {
    if (s->plan->real) ((double *)s->distance)[source] = 0;
    else ((uint64_t *)s->distance)[source] = 0;
    if (s->parent) s->parent[source] = (uint32_t)source;
    found->reached = 1;
}

meguri_status mg_sssp_search_run(meguri_ctx *ctx, meguri_sssp_search *s, uint64_t source) {
    if (source >= s->graph->vertices)
        return mg_fail(ctx, MEGURI_NOT_FOUND, "there is no vertex %" PRIu64 " in a graph of %" PRIu64 ".", source,
                       s->graph->vertices);
    if (s->levels) return run_steps(ctx, s, source);
    double since = mg_now();
    uint32_t v = mg_to_internal(&s->plan->numbering, (uint32_t)source);
    bool alone = v >= s->plan->rows;
    meguri_status status = mg_sssp_host(ctx, &s->state, alone ? MG_NO_VERTEX : v);
    if (status != MEGURI_OK) return status;
    mg_sssp_found found = finish(ctx, s);
    if (mg_cancelled(ctx)) return mg_fail_cancelled(ctx);
    if (alone) mark_alone(s, source, &found);
    return set_facts(ctx, s, &found, s->state.arcs, s->plan->delta, mg_now() - since);
}

/* ---- the public functions --------------------------------------------------------------------------------------- */

meguri_status meguri_sssp_search_new(meguri_sssp_search **out, meguri_ctx *ctx, const meguri_graph *graph,
                                     const meguri_sssp_options *options) {
    if (!out || !ctx) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    return mg_sssp_search_new(out, ctx, graph, options, NULL, true, 0);
}

meguri_status meguri_sssp_search_run(const meguri_result **out, meguri_ctx *ctx, meguri_sssp_search *search,
                                     uint64_t source) {
    if (!out || !ctx) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    *out = NULL;
    if (!search) return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "meguri_sssp_search_run needs a search.");
    meguri_status status = mg_sssp_search_run(ctx, search, source);
    if (status == MEGURI_OK) *out = search->result;
    return status;
}

meguri_status meguri_sssp(meguri_result **out, meguri_ctx *ctx, const meguri_graph *graph, uint64_t source,
                          const meguri_sssp_options *options) {
    if (!out || !ctx) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    *out = NULL;
    meguri_sssp_search *search;
    meguri_status status = mg_sssp_search_new(&search, ctx, graph, options, NULL, false, 0);
    if (status == MEGURI_OK) status = mg_sssp_search_run(ctx, search, source);
    if (status == MEGURI_OK) {
        *out = search->result;
        search->result = NULL;
    }
    meguri_sssp_search_free(search);
    return status;
}
