/* PageRank on the threads of this machine: iteration by iteration, each with a line in the trace.
 *
 * An iteration sums the tiles of each group of rows, one after another, and with the last of them writes the group's
 * new shares beside the old. Threads take tiles up in one order; a tile waits for the one of its group before it, which
 * was taken up long ago. Without tiles, the rows of a group are summed as they lie. */
#include "algo/pagerank/pagerank.h"

#include "policy/policy.h"

#include <math.h>

enum {
    NEAR = MG_TILE_STRIP, /* shares of these first vertices, the hubs, are in the cache anyway */
    AHEAD = 200,          /* arcs between fetching a share and reading it, in rows as they lie */
    PART = 1 << 14,       /* vertices that a thread looks at one after another */
    LOOK = 1 << 16,       /* arcs of a row between two looks at the progress */
};

typedef struct ranking {
    mg_pagerank_whole whole;
    double *next;                  /* beside the shares */
    uint64_t *groups, group_count; /* of rows (pagerank_tiles.c) */
    mg_pagerank_found *group_found;
    uint32_t *group_done; /* tiles that have been summed in this iteration */
    mg_row_tiles tiles;
} ranking;

static inline uint64_t length_of(const mg_rows *rows, uint64_t v) {
    return mg_row_end(rows, v) - mg_row_begin(rows, v);
}

/* ---- a graph that is here, and whole ---------------------------------------------------------------------------- */

/* What the threads of a loop share. */
typedef struct rank_job {
    meguri_ctx *ctx;
    mg_pagerank_whole *w;
    ranking *r;
    double base;
    uint64_t dangling; /* vertices */
    mg_numbering numbering;
    double *rank; /* by position */
} rank_job;

static mg_loop rank_loop(rank_job *job, mg_work_fn *work, uint64_t items, uint64_t chunk, int threads) {
    return (mg_loop){.ctx = job->ctx,
                     .threads = threads,
                     .items = items,
                     .chunk = chunk,
                     .work = work,
                     .what = job,
                     .phase = "pagerank",
                     .done = job->w->base.iterations,
                     .total = job->w->base.most,
                     .steady = true};
}

meguri_status mg_pagerank_whole_prepare(meguri_ctx *ctx, mg_pagerank_whole *w) {
    meguri_status status = mg_graph_rows(&w->out, ctx, w->base.graph);
    if (status == MEGURI_OK) status = mg_graph_in_rows(&w->in, ctx, w->base.graph);
    if (status != MEGURI_OK) return status;
    w->base.active = w->base.graph->rows;
    w->base.arcs = w->in.arcs;
    w->share = mg_alloc_array(ctx, w->base.active, sizeof *w->share, "the shares of vertices");
    return w->share ? MEGURI_OK : MEGURI_NO_MEMORY;
}

static void start_parts(void *what, mg_worker *worker) {
    rank_job *job = what;
    mg_pagerank_whole *w = job->w;
    uint64_t dangling = 0;
    for (mg_range part; mg_take(worker, &part);)
        for (uint64_t v = part.begin; v < part.end; v++) {
            uint64_t degree = length_of(&w->out, v);
            w->share[v] = degree ? w->base.lone / (double)degree : w->base.lone;
            dangling += !degree;
        }
    mg_fetch_add(&job->dangling, dangling);
}

meguri_status mg_pagerank_whole_start(uint64_t *dangling, meguri_ctx *ctx, mg_pagerank *r) {
    rank_job job = {.ctx = ctx, .w = (mg_pagerank_whole *)r};
    mg_loop loop = rank_loop(&job, start_parts, r->active, PART, mg_threads(ctx, r->active, PART));
    meguri_status status = mg_loop_run(&loop);
    *dangling = job.dangling;
    return status;
}

static void write_parts(void *what, mg_worker *worker) {
    const rank_job *job = what;
    const mg_pagerank_whole *w = job->w;
    for (mg_range part; mg_take(worker, &part);)
        for (uint64_t position = part.begin; position < part.end; position++) {
            uint32_t v = mg_to_internal(&job->numbering, (uint32_t)position);
            uint64_t degree = length_of(&w->out, v);
            job->rank[position] = v >= w->base.active ? w->base.lone
                                  : degree            ? w->share[v] * (double)degree
                                                      : w->share[v];
        }
}

meguri_status mg_pagerank_whole_finish(meguri_ctx *ctx, mg_pagerank *r, double *rank) {
    rank_job job = {.ctx = ctx, .w = (mg_pagerank_whole *)r, .rank = rank};
    uint64_t vertices = r->graph->vertices;
    meguri_status status = mg_graph_numbering(&job.numbering, ctx, r->graph);
    if (status != MEGURI_OK) return status;
    mg_loop loop = rank_loop(&job, write_parts, vertices, PART, mg_threads(ctx, vertices, PART));
    return mg_loop_run(&loop);
}

mg_pagerank_found mg_pagerank_whole_settle(const mg_pagerank_whole *w, double *next, mg_range rows, double base) {
    mg_pagerank_found found = {0};
    for (uint64_t v = rows.begin; v < rows.end; v++) {
        uint64_t degree = length_of(&w->out, v);
        double rank = base + w->base.options.damping * next[v];
        if (degree) {
            found.change += fabs(rank - w->share[v] * (double)degree);
            next[v] = rank / (double)degree;
        } else {
            found.change += fabs(rank - w->share[v]);
            next[v] = rank;
            found.dangling += rank;
        }
    }
    return found;
}

/* ---- before the first iteration --------------------------------------------------------------------------------- */

static meguri_status prepare(meguri_ctx *ctx, mg_pagerank *base) {
    ranking *r = (ranking *)base;
    const mg_rows *in = &r->whole.in;
    const char *what = "the shares of vertices";
    meguri_status status = mg_pagerank_whole_prepare(ctx, &r->whole);
    if (status == MEGURI_OK) status = mg_row_groups_new(&r->groups, &r->group_count, ctx, in, "pagerank");
    if (status != MEGURI_OK) return status;
    r->next = mg_alloc_array(ctx, base->active, sizeof *r->next, what);
    r->group_found = mg_alloc_array(ctx, r->group_count, sizeof *r->group_found, what);
    r->group_done = mg_alloc_array(ctx, r->group_count, sizeof *r->group_done, what);
    if (!r->next || !r->group_found || !r->group_done) return MEGURI_NO_MEMORY;
    if (mg_progress(ctx, "pagerank", 0, base->most)) return mg_fail_cancelled(ctx);
    if (!base->options.tiles || !mg_policy_pagerank_tiles(base->most)) return MEGURI_OK;
    return mg_row_tiles_new(&r->tiles, ctx, in, base->active, r->groups, r->group_count,
                            &(const mg_row_tiles_use){.phase = "pagerank"});
}

static void close(mg_pagerank *base) {
    ranking *r = (ranking *)base;
    mg_row_tiles_free(&r->tiles);
    mg_free(r->whole.share);
    mg_free(r->next);
    mg_free(r->groups);
    mg_free(r->group_found);
    mg_free(r->group_done);
}

/* ---- an iteration ----------------------------------------------------------------------------------------------- */

static void settle_group(ranking *r, uint64_t g, double base) {
    mg_range rows = {r->groups[g], r->groups[g + 1]};
    r->group_found[g] = mg_pagerank_whole_settle(&r->whole, r->next, rows, base);
}

static void sum_some_tiles(void *what, mg_worker *worker) {
    rank_job *job = what;
    ranking *r = job->r;
    for (mg_range t; mg_take(worker, &t);) {
        const mg_row_tile *tile = &r->tiles.tiles[t.begin];
        mg_range rows = {r->groups[tile->group], r->groups[tile->group + 1]};
        bool cancelled = mg_progress(job->ctx, "pagerank", r->whole.base.iterations, r->whole.base.most);
        if (mg_pagerank_tile_turn(r->next, rows, &r->tiles, tile, r->group_done, r->whole.share, cancelled))
            settle_group(r, tile->group, job->base);
    }
}

static void sum_tiles(meguri_ctx *ctx, ranking *r, double base) {
    rank_job job = {.ctx = ctx, .w = &r->whole, .r = r, .base = base};
    memset(r->group_done, 0, r->group_count * sizeof *r->group_done);
    /* With two groups or more for each thread, hardly any tile has to wait. */
    mg_loop loop = rank_loop(&job, sum_some_tiles, r->tiles.count, 1, mg_threads(ctx, r->group_count, 2));
    loop.phase = NULL; /* tiles wait for each other: every one of them is taken up, also after a cancel */
    mg_loop_run(&loop);
}

/* A row as it lies. What comes later is fetched, unless it is near anyway. */
static double sum_row(meguri_ctx *ctx, const mg_pagerank_whole *r, uint64_t v) {
    const uint32_t *columns = r->in.neighbors;
    uint64_t begin = mg_row_begin(&r->in, v), row_end = mg_row_end(&r->in, v);
    double sum = 0;
    for (uint64_t end; begin < row_end; begin = end) {
        end = MG_MIN(row_end, begin + LOOK);
        uint64_t ahead = MG_MIN((uint64_t)AHEAD, r->in.arcs - end);
        for (uint64_t k = begin; k < end; k++) sum += r->share[columns[k]];
        for (uint64_t k = begin + ahead; k < end + ahead; k++)
            if (columns[k] >= NEAR) __builtin_prefetch(&r->share[columns[k]]);
        if (end < row_end && mg_progress(ctx, "pagerank", r->base.iterations, r->base.most)) break;
    }
    return sum;
}

static void sum_groups(void *what, mg_worker *worker) {
    rank_job *job = what;
    ranking *r = job->r;
    for (mg_range g; mg_take(worker, &g);) {
        for (uint64_t v = r->groups[g.begin]; v < r->groups[g.end]; v++) r->next[v] = sum_row(job->ctx, &r->whole, v);
        settle_group(r, g.begin, job->base);
    }
}

static void sum_rows(meguri_ctx *ctx, ranking *r, double base) {
    rank_job job = {.ctx = ctx, .w = &r->whole, .r = r, .base = base};
    mg_loop loop = rank_loop(&job, sum_groups, r->group_count, 1, mg_threads(ctx, r->group_count, 1));
    mg_loop_run(&loop);
}

static meguri_status iterate(mg_pagerank_found *found, meguri_ctx *ctx, mg_pagerank *base, double least) {
    ranking *r = (ranking *)base;
    if (r->tiles.count) sum_tiles(ctx, r, least);
    else sum_rows(ctx, r, least);
    for (uint64_t g = 0; g < r->group_count; g++) {
        found->change += r->group_found[g].change;
        found->dangling += r->group_found[g].dangling;
    }
    double *shares = r->whole.share;
    r->whole.share = r->next;
    r->next = shares;
    return MEGURI_OK;
}

/* What an iteration has to move if every byte is moved once: columns and pieces, places in rows, shares. */
static uint64_t iteration_bytes(const ranking *r) {
    const meguri_graph *graph = r->whole.base.graph;
    uint64_t places = (uint64_t)graph->offset_bytes * (graph->directed && !r->tiles.count ? 2 : 1);
    uint64_t columns = r->tiles.count ? r->tiles.cell_count * sizeof *r->tiles.cells : 4 * r->whole.in.arcs;
    return columns + (places + 2 * sizeof *r->next) * graph->rows;
}

static void trace(meguri_ctx *ctx, mg_pagerank *r, mg_step *line) {
    line->bytes = (int64_t)iteration_bytes((const ranking *)r);
    mg_trace(ctx, line);
}

const mg_pagerank_engine mg_pagerank_on_host = {.engine = MEGURI_ENGINE_HOST,
                                                .bytes = sizeof(ranking),
                                                .prepare = prepare,
                                                .start = mg_pagerank_whole_start,
                                                .iterate = iterate,
                                                .trace = trace,
                                                .finish = mg_pagerank_whole_finish,
                                                .close = close,
                                                .check = mg_pagerank_host_check};
