/* Shortest paths on the threads of this process: a search as a row of the table of engines, from its plan to distances
 * in the user's order. */
#include "algo/sssp/sssp.h"

#define THREAD_ARCS 32768 /* a thread more for a search pays from so many arcs on */
#define GRAIN       16384 /* vertices between two looks at the progress */

typedef struct host_search {
    meguri_sssp_search base;
    mg_sssp_plan own_plan;
    const mg_sssp_plan *plan; /* its own or that of another search */
    mg_sssp_state state;
    meguri_bfs_search *levels; /* instead of the two, where edges have no weights */
} host_search;

static meguri_status open(meguri_ctx *ctx, meguri_sssp_search *search, const meguri_sssp_search *like, bool often,
                          int threads) {
    host_search *s = (host_search *)search;
    if (search->graph->weight_type == MEGURI_TYPE_NONE && threads == 0) {
        uint64_t most = search->most.number; /* edges, each of which counts 1 */
        meguri_bfs_options options = {.size = sizeof options,
                                      .levels = 1,
                                      .parents = search->options.parents,
                                      .max_depth = most < UINT32_MAX ? (uint32_t)most : UINT32_MAX};
        return meguri_bfs_search_new(&s->levels, ctx, search->graph, &options);
    }
    meguri_status status =
        like ? MEGURI_OK : mg_sssp_plan_make(&s->own_plan, ctx, search->graph, &search->options, often);
    if (status != MEGURI_OK) return status;
    s->plan = like ? ((const host_search *)like)->plan : &s->own_plan;
    if (threads == 0) threads = mg_lasting_threads(ctx, s->plan->out.arcs, THREAD_ARCS);
    return mg_sssp_state_open(&s->state, ctx, s->plan, threads);
}

static void close(meguri_sssp_search *search) {
    host_search *s = (host_search *)search;
    meguri_bfs_search_free(s->levels);
    mg_sssp_state_close(&s->state);
}

/* ---- edges without weights -------------------------------------------------------------------------------------- */

typedef struct level_job {
    const int32_t *from;
    uint64_t *to;
} level_job;

static void widen_levels(void *what, uint64_t begin, uint64_t end) {
    const level_job *job = what;
    for (uint64_t v = begin; v < end; v++) job->to[v] = job->from[v] < 0 ? UINT64_MAX : (uint64_t)job->from[v];
}

/* Each counts 1, and distances are levels. */
static meguri_status run_steps(mg_sssp_told *told, meguri_ctx *ctx, host_search *s, uint64_t source) {
    const meguri_result *levels;
    meguri_column level = {.size = sizeof level}, parent = {.size = sizeof parent};
    meguri_fact reached = {.size = sizeof reached}, depth = {.size = sizeof depth}, edges = {.size = sizeof edges};
    double since = mg_now();
    meguri_status status = meguri_bfs_search_run(&levels, ctx, s->levels, source);
    if (status == MEGURI_OK) status = meguri_result_column(&level, levels, "level");
    if (status == MEGURI_OK && s->base.parent) status = meguri_result_column(&parent, levels, "parent");
    if (status == MEGURI_OK) status = meguri_result_fact(&reached, levels, "reached");
    if (status == MEGURI_OK) status = meguri_result_fact(&depth, levels, "depth");
    if (status == MEGURI_OK) status = meguri_result_fact(&edges, levels, "edges");
    if (status != MEGURI_OK) return status;
    level_job job = {level.data, s->base.distance};
    uint64_t vertices = s->base.graph->vertices;
    mg_for(ctx, mg_threads(ctx, vertices, GRAIN), vertices, widen_levels, &job);
    if (s->base.parent) memcpy(s->base.parent, parent.data, vertices * sizeof *s->base.parent);
    *told = (mg_sssp_told){.reached = reached.number,
                           .farthest.number = depth.number,
                           .edges = edges.number,
                           .delta = 1,
                           .seconds = mg_now() - since};
    return MEGURI_OK;
}

/* ---- edges with weights ----------------------------------------------------------------------------------------- */

typedef struct finish_job {
    host_search *s;
    mg_sssp_found all;
} finish_job;

static void add_found(mg_sssp_found *sum, const mg_sssp_found *found, bool real) {
    sum->reached += found->reached;
    if (real) sum->farthest.real = MG_MAX(sum->farthest.real, found->farthest.real);
    else sum->farthest.number = MG_MAX(sum->farthest.number, found->farthest.number);
}

static void finish_chunks(void *what, mg_worker *worker) {
    finish_job *job = what;
    host_search *s = job->s;
    mg_sssp_found mine = {0};
    for (mg_range chunk; mg_take(worker, &chunk);) {
        mg_sssp_found found =
            s->state.hot->finish(s->plan, s->state.labels, chunk.begin, chunk.end, s->base.distance, s->base.parent);
        add_found(&mine, &found, s->plan->real);
    }
    mg_loop_lock(worker);
    add_found(&job->all, &mine, s->plan->real);
    mg_loop_unlock(worker);
}

/* All labels into the user's order. */
static mg_sssp_found finish(meguri_ctx *ctx, host_search *s) {
    finish_job job = {.s = s};
    uint64_t vertices = s->base.graph->vertices;
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
static void mark_alone(host_search *s, uint64_t source, mg_sssp_found *found) {
    if (s->plan->real) ((double *)s->base.distance)[source] = 0;
    else ((uint64_t *)s->base.distance)[source] = 0;
    if (s->base.parent) s->base.parent[source] = (uint32_t)source;
    found->reached = 1;
}

static meguri_status run(mg_sssp_told *told, meguri_ctx *ctx, meguri_sssp_search *search, uint64_t source) {
    host_search *s = (host_search *)search;
    if (s->levels) return run_steps(told, ctx, s, source);
    double since = mg_now();
    uint32_t v = mg_to_internal(&s->plan->numbering, (uint32_t)source);
    bool alone = v >= s->plan->rows;
    meguri_status status = mg_sssp_host(ctx, &s->state, alone ? MG_NO_VERTEX : v);
    if (status != MEGURI_OK) return status;
    mg_sssp_found found = finish(ctx, s);
    if (mg_cancelled(ctx)) return mg_fail_cancelled(ctx);
    if (alone) mark_alone(s, source, &found);
    *told = (mg_sssp_told){.reached = found.reached,
                           .farthest = found.farthest,
                           .edges = s->state.arcs,
                           .delta = s->plan->delta,
                           .seconds = mg_now() - since};
    return MEGURI_OK;
}

const mg_sssp_engine mg_sssp_on_host = {.engine = MEGURI_ENGINE_HOST,
                                        .bytes = sizeof(host_search),
                                        .open = open,
                                        .run = run,
                                        .close = close,
                                        .check = mg_sssp_host_check};
