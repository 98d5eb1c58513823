/* PageRank on the threads of this machine: iteration by iteration, each with a line in the trace.
 *
 * An iteration sums the tiles of each group of rows, one after another, and with the last of them writes the group's
 * new shares beside the old. Threads take tiles up in one order; a tile waits for the one of its group before it, which
 * was taken up long ago. Without tiles, the rows of a group are summed as they lie. */
#include "algo/pagerank/pagerank.h"

#include "policy/policy.h"

#include <math.h>

enum {
    NEAR = MG_PAGERANK_STRIP, /* shares of these first vertices, the hubs, are in the cache anyway */
    AHEAD = 200,              /* arcs between fetching a share and reading it, in rows as they lie */
    PART = 1 << 14,           /* ranks that a thread brings into the user's order at a time */
    LOOK = 1 << 16,           /* arcs of a row between two looks at the progress */
};

typedef struct ranking {
    const meguri_graph *graph;
    double damping;
    uint64_t rows; /* vertices from here on are isolated */
    mg_rows in, out;
    double *share, *next;
    double lone;     /* the rank of each isolated vertex */
    double dangling; /* of all vertices that no arc leaves */
    double change;   /* of the last iteration */
    uint64_t iterations, most;
    uint64_t *groups, group_count; /* of rows (pagerank_tiles.c) */
    double *group_change, *group_dangling;
    uint32_t *group_done; /* tiles that have been summed in this iteration */
    mg_pagerank_tiles tiles;
} ranking;

static inline uint64_t length_of(const mg_rows *rows, uint64_t v) {
    return mg_row_end(rows, v) - mg_row_begin(rows, v);
}

/* ---- before the first iteration --------------------------------------------------------------------------------- */

/* What the threads of a loop over groups of rows share. */
typedef struct rank_job {
    meguri_ctx *ctx;
    ranking *r;
    double base;
    uint64_t dangling; /* vertices */
    mg_numbering numbering;
    double *rank; /* by position */
} rank_job;

static mg_loop rank_loop(rank_job *job, mg_work_fn *work, uint64_t items, int threads) {
    return (mg_loop){.ctx = job->ctx,
                     .threads = threads,
                     .items = items,
                     .chunk = 1,
                     .work = work,
                     .what = job,
                     .phase = "pagerank",
                     .done = job->r->iterations,
                     .total = job->r->most,
                     .steady = true};
}

static void start_groups(void *what, mg_worker *worker) {
    rank_job *job = what;
    ranking *r = job->r;
    uint64_t dangling = 0;
    for (mg_range g; mg_take(worker, &g);)
        for (uint64_t v = r->groups[g.begin]; v < r->groups[g.end]; v++) {
            uint64_t degree = length_of(&r->out, v);
            r->share[v] = degree ? r->lone / (double)degree : r->lone;
            dangling += !degree;
        }
    mg_fetch_add(&job->dangling, dangling);
}

/* Everybody has 1/n. */
static void start(meguri_ctx *ctx, ranking *r) {
    rank_job job = {.ctx = ctx, .r = r, .dangling = r->graph->vertices - r->rows};
    r->lone = 1 / (double)r->graph->vertices;
    mg_loop loop = rank_loop(&job, start_groups, r->group_count, mg_threads(ctx, r->group_count, 1));
    mg_loop_run(&loop);
    r->dangling = (double)job.dangling * r->lone;
}

static meguri_status prepare(meguri_ctx *ctx, ranking *r) {
    const char *what = "the shares of vertices";
    meguri_status status = mg_graph_rows(&r->out, ctx, r->graph);
    if (status == MEGURI_OK) status = mg_graph_in_rows(&r->in, ctx, r->graph);
    if (status != MEGURI_OK) return status;
    status = mg_pagerank_groups_new(&r->groups, &r->group_count, ctx, &r->in);
    if (status != MEGURI_OK) return status;
    r->share = mg_alloc_array(ctx, r->rows, sizeof *r->share, what);
    r->next = mg_alloc_array(ctx, r->rows, sizeof *r->next, what);
    r->group_change = mg_alloc_array(ctx, r->group_count, sizeof *r->group_change, what);
    r->group_dangling = mg_alloc_array(ctx, r->group_count, sizeof *r->group_dangling, what);
    r->group_done = mg_alloc_array(ctx, r->group_count, sizeof *r->group_done, what);
    if (!r->share || !r->next || !r->group_change || !r->group_dangling || !r->group_done) return MEGURI_NO_MEMORY;
    if (mg_progress(ctx, "pagerank", 0, r->most)) return mg_fail_cancelled(ctx);
    if (!mg_policy_pagerank_tiles(r->most)) return MEGURI_OK;
    return mg_pagerank_tiles_new(&r->tiles, ctx, &r->in, r->rows, r->groups, r->group_count);
}

static void close_ranking(ranking *r) {
    mg_pagerank_tiles_free(&r->tiles);
    mg_free(r->share);
    mg_free(r->next);
    mg_free(r->groups);
    mg_free(r->group_change);
    mg_free(r->group_dangling);
    mg_free(r->group_done);
}

/* ---- an iteration ----------------------------------------------------------------------------------------------- */

/* From sums to new shares. */
static void settle_group(ranking *r, uint64_t g, double base) {
    double change = 0, dangling = 0;
    for (uint64_t v = r->groups[g]; v < r->groups[g + 1]; v++) {
        uint64_t degree = length_of(&r->out, v);
        double rank = base + r->damping * r->next[v];
        if (degree) {
            change += fabs(rank - r->share[v] * (double)degree);
            r->next[v] = rank / (double)degree;
        } else {
            change += fabs(rank - r->share[v]);
            r->next[v] = rank;
            dangling += rank;
        }
    }
    r->group_change[g] = change;
    r->group_dangling[g] = dangling;
}

static void sum_some_tiles(void *what, mg_worker *worker) {
    rank_job *job = what;
    ranking *r = job->r;
    for (mg_range t; mg_take(worker, &t);) {
        const mg_pagerank_tile *tile = &r->tiles.tiles[t.begin];
        mg_range rows = {r->groups[tile->group], r->groups[tile->group + 1]};
        bool cancelled = mg_progress(job->ctx, "pagerank", r->iterations, r->most);
        if (mg_pagerank_tile_turn(r->next, rows, &r->tiles, tile, r->group_done, r->share, cancelled))
            settle_group(r, tile->group, job->base);
    }
}

static void sum_tiles(meguri_ctx *ctx, ranking *r, double base) {
    rank_job job = {.ctx = ctx, .r = r, .base = base};
    memset(r->group_done, 0, r->group_count * sizeof *r->group_done);
    /* With two groups or more for each thread, hardly any tile has to wait. */
    mg_loop loop = rank_loop(&job, sum_some_tiles, r->tiles.count, mg_threads(ctx, r->group_count, 2));
    loop.phase = NULL; /* tiles wait for each other: every one of them is taken up, also after a cancel */
    mg_loop_run(&loop);
}

/* A row as it lies. What comes later is fetched, unless it is near anyway. */
static double sum_row(meguri_ctx *ctx, const ranking *r, uint64_t v) {
    const uint32_t *columns = r->in.neighbors;
    uint64_t begin = mg_row_begin(&r->in, v), row_end = mg_row_end(&r->in, v);
    double sum = 0;
    for (uint64_t end; begin < row_end; begin = end) {
        end = MG_MIN(row_end, begin + LOOK);
        uint64_t ahead = MG_MIN((uint64_t)AHEAD, r->in.arcs - end);
        for (uint64_t k = begin; k < end; k++) sum += r->share[columns[k]];
        for (uint64_t k = begin + ahead; k < end + ahead; k++)
            if (columns[k] >= NEAR) __builtin_prefetch(&r->share[columns[k]]);
        if (end < row_end && mg_progress(ctx, "pagerank", r->iterations, r->most)) break;
    }
    return sum;
}

static void sum_groups(void *what, mg_worker *worker) {
    rank_job *job = what;
    ranking *r = job->r;
    for (mg_range g; mg_take(worker, &g);) {
        for (uint64_t v = r->groups[g.begin]; v < r->groups[g.end]; v++) r->next[v] = sum_row(job->ctx, r, v);
        settle_group(r, g.begin, job->base);
    }
}

static void sum_rows(meguri_ctx *ctx, ranking *r, double base) {
    rank_job job = {.ctx = ctx, .r = r, .base = base};
    mg_loop loop = rank_loop(&job, sum_groups, r->group_count, mg_threads(ctx, r->group_count, 1));
    mg_loop_run(&loop);
}

static meguri_status iterate(meguri_ctx *ctx, ranking *r) {
    double vertices = (double)r->graph->vertices, lone = vertices - (double)r->rows;
    double base = (1 - r->damping) / vertices + r->damping * (r->dangling / vertices);
    if (mg_progress(ctx, "pagerank", r->iterations, r->most)) return mg_fail_cancelled(ctx);
    if (r->tiles.count) sum_tiles(ctx, r, base);
    else sum_rows(ctx, r, base);
    if (mg_cancelled(ctx)) return mg_fail_cancelled(ctx);
    r->change = lone * fabs(base - r->lone);
    r->dangling = lone * base;
    r->lone = base;
    for (uint64_t g = 0; g < r->group_count; g++) {
        r->change += r->group_change[g];
        r->dangling += r->group_dangling[g];
    }
    double *shares = r->share;
    r->share = r->next;
    r->next = shares;
    return MEGURI_OK;
}

/* What an iteration has to move if every byte is moved once: columns and pieces, places in rows, shares. */
static uint64_t iteration_bytes(const ranking *r) {
    uint64_t places = (uint64_t)r->graph->offset_bytes * (r->graph->directed && !r->tiles.count ? 2 : 1);
    uint64_t columns = r->tiles.count ? r->tiles.cell_count * sizeof *r->tiles.cells : 4 * r->in.arcs;
    return columns + (places + 2 * sizeof *r->share) * r->rows;
}

static void trace_iteration(meguri_ctx *ctx, const ranking *r, double seconds) {
    if (!mg_trace_on(ctx)) return;
    mg_step step = MG_STEP_NONE;
    step.run = "pagerank";
    step.step = (int64_t)r->iterations - 1;
    step.frontier = (int64_t)r->graph->vertices;
    step.edges = (int64_t)r->in.arcs;
    step.way = "pull";
    step.engine = "host";
    step.threads = (int64_t)meguri_ctx_threads(ctx);
    step.seconds = seconds;
    step.bytes = (int64_t)iteration_bytes(r);
    mg_trace(ctx, &step);
}

/* ---- all of it -------------------------------------------------------------------------------------------------- */

static void write_parts(void *what, mg_worker *worker) {
    const rank_job *job = what;
    const ranking *r = job->r;
    for (mg_range part; mg_take(worker, &part);)
        for (uint64_t position = part.begin; position < part.end; position++) {
            uint32_t v = mg_to_internal(&job->numbering, (uint32_t)position);
            uint64_t degree = length_of(&r->out, v);
            job->rank[position] = v >= r->rows ? r->lone : degree ? r->share[v] * (double)degree : r->share[v];
        }
}

static meguri_status finish(meguri_ctx *ctx, ranking *r, double *rank) {
    rank_job job = {.ctx = ctx, .r = r, .rank = rank};
    meguri_status status = mg_graph_numbering(&job.numbering, ctx, r->graph);
    if (status != MEGURI_OK) return status;
    mg_loop loop = rank_loop(&job, write_parts, r->graph->vertices, mg_threads(ctx, r->graph->vertices, PART));
    loop.chunk = PART;
    return mg_loop_run(&loop);
}

static meguri_status run(meguri_ctx *ctx, ranking *r, const meguri_pagerank_options *options) {
    start(ctx, r);
    do {
        double begin = mg_now();
        meguri_status status = iterate(ctx, r);
        if (status != MEGURI_OK) return status;
        r->iterations++;
        trace_iteration(ctx, r, mg_now() - begin);
    } while (r->iterations < r->most && (options->iterations || r->change > options->tolerance));
    return MEGURI_OK;
}

meguri_status mg_pagerank_host(meguri_ctx *ctx, meguri_result *result, double *rank, const meguri_graph *graph,
                               const meguri_pagerank_options *options) {
    ranking r = {.graph = graph, .damping = options->damping, .rows = graph->rows, .most = mg_pagerank_most(options)};
    double begin = mg_now();
    meguri_status status = MEGURI_OK;
    if (graph->vertices) { /* else there is nothing to do, and no iteration does it */
        status = prepare(ctx, &r);
        begin = mg_now();
        if (status == MEGURI_OK) status = run(ctx, &r, options);
        if (status == MEGURI_OK) status = finish(ctx, &r, rank);
    }
    if (status == MEGURI_OK) status = mg_result_set_number(ctx, result, "iterations", r.iterations);
    if (status == MEGURI_OK) status = mg_result_set_real(ctx, result, "change", r.change);
    if (status == MEGURI_OK) status = mg_result_set_number(ctx, result, "edges", r.iterations * r.in.arcs);
    if (status == MEGURI_OK) status = mg_result_set_real(ctx, result, "seconds", mg_now() - begin);
    close_ranking(&r);
    return status;
}
