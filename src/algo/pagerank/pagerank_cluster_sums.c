/* The sums of the rows of a tile of the matrix, on the threads of one process.
 *
 * They are made as on one machine: the arcs cut into small tiles that fit the caches (pagerank_tiles.c). These want
 * columns that increase along each row. In a window the vertices lie owner by owner, and rows list them by rank by
 * degree; so columns are numbered in that order here, hubs of all owners first, and shares are dealt into it. */
#include "algo/pagerank/pagerank_cluster.h"

#include "policy/policy.h"

enum {
    DEAL = 4096,   /* vertices of each owner that a thread deals at a time */
    LOOK = 1 << 14 /* arcs of a row between two looks at the progress */
};

/* ---- making tiles ----------------------------------------------------------------------------------------------- */

typedef struct column_job {
    uint32_t *to;
    const mg_rows *in;
    uint64_t owners, stride;
} column_job;

static void deal_some_columns(void *what, uint64_t begin, uint64_t end) {
    const column_job *job = what;
    const uint32_t *neighbors = job->in->neighbors;
    for (uint64_t i = begin; i < end; i++)
        job->to[i] = (uint32_t)(neighbors[i] % job->stride * job->owners + neighbors[i] / job->stride);
}

/* The places of a window in the order of the ranks by degree. */
static void deal_columns(meguri_ctx *ctx, uint32_t *to, const mg_rows *in, const mg_window *sources) {
    column_job job = {to, in, (uint64_t)sources->owners.count, sources->stride};
    mg_for(ctx, mg_threads(ctx, in->arcs, LOOK), in->arcs, deal_some_columns, &job);
}

static meguri_status make_tiles(mg_pagerank_sums *out, meguri_ctx *ctx) {
    const mg_window *sources = out->tile->sources;
    mg_rows in = out->tile->in;
    if (sources->owners.count == 1)
        return mg_row_tiles_new(&out->tiles, ctx, &in, sources->places, out->groups, out->group_count,
                                &(const mg_row_tiles_use){.phase = "pagerank"});
    if (in.arcs * sizeof(uint32_t) + sources->places * sizeof(double) > mg_memory_left(ctx)) return MEGURI_OK;
    uint32_t *columns = mg_alloc_array(ctx, in.arcs, sizeof *columns, "the tiles of PageRank");
    out->dealt = mg_alloc_array(ctx, sources->places, sizeof *out->dealt, "the shares of vertices");
    meguri_status status = MEGURI_NO_MEMORY;
    if (columns && out->dealt) {
        deal_columns(ctx, columns, &in, sources);
        in.neighbors = columns;
        status = mg_row_tiles_new(&out->tiles, ctx, &in, sources->places, out->groups, out->group_count,
                                  &(const mg_row_tiles_use){.phase = "pagerank"});
    }
    mg_free(columns);
    return status;
}

meguri_status mg_pagerank_sums_new(mg_pagerank_sums *out, meguri_ctx *ctx, const mg_tile *tile, uint64_t iterations) {
    *out = (mg_pagerank_sums){.tile = tile};
    meguri_status status = mg_row_groups_new(&out->groups, &out->group_count, ctx, &tile->in, "pagerank");
    if (status != MEGURI_OK) return status;
    out->group_done = mg_alloc_array(ctx, out->group_count, sizeof *out->group_done, "the rows of PageRank");
    if (!out->group_done) return MEGURI_NO_MEMORY;
    return !mg_policy_pagerank_tiles(iterations) || !tile->in.arcs ? MEGURI_OK : make_tiles(out, ctx);
}

void mg_pagerank_sums_free(mg_pagerank_sums *sums) {
    mg_row_tiles_free(&sums->tiles);
    mg_free(sums->groups);
    mg_free(sums->group_done);
    mg_free(sums->dealt);
}

/* ---- summing ---------------------------------------------------------------------------------------------------- */

/* What the threads of a loop share. */
typedef struct sum_job {
    meguri_ctx *ctx;
    mg_pagerank_sums *s;
    double *out;
    const double *shares;
} sum_job;

static void deal_some_shares(void *what, mg_worker *worker) {
    const sum_job *job = what;
    const mg_pagerank_sums *s = job->s;
    uint64_t owners = (uint64_t)s->tile->sources->owners.count, stride = s->tile->sources->stride;
    for (mg_range chunk; mg_take(worker, &chunk);)
        for (uint64_t b = 0; b < owners; b++)
            for (uint64_t i = chunk.begin; i < chunk.end; i++) s->dealt[i * owners + b] = job->shares[b * stride + i];
}

static void sum_some_tiles(void *what, mg_worker *worker) {
    const sum_job *job = what;
    mg_pagerank_sums *s = job->s;
    const double *shares = s->dealt ? s->dealt : job->shares;
    for (mg_range t; mg_take(worker, &t);) {
        const mg_row_tile *tile = &s->tiles.tiles[t.begin];
        mg_range rows = {s->groups[tile->group], s->groups[tile->group + 1]};
        mg_pagerank_tile_turn(job->out, rows, &s->tiles, tile, s->group_done, shares,
                              mg_progress(job->ctx, "pagerank", 0, 0));
    }
}

/* Rows as they lie. */
static void sum_some_groups(void *what, mg_worker *worker) {
    const sum_job *job = what;
    const mg_pagerank_sums *s = job->s;
    const mg_rows *in = &s->tile->in;
    for (mg_range g; mg_take(worker, &g);)
        for (uint64_t v = s->groups[g.begin]; v < s->groups[g.end]; v++) {
            double sum = 0;
            uint64_t begin = mg_row_offset(in, v), end = mg_row_offset(in, v + 1);
            for (uint64_t i = begin; i < end; i++) {
                sum += job->shares[in->neighbors[i]];
                if ((i - begin) % LOOK == LOOK - 1 && mg_progress(job->ctx, "pagerank", 0, 0)) break; /* a long row */
            }
            job->out[v] = sum;
        }
}

static void run_loop(sum_job *job, mg_work_fn *work, uint64_t items, uint64_t chunk, int threads) {
    mg_loop loop = {.ctx = job->ctx, .threads = threads, .items = items, .chunk = chunk, .work = work, .what = job};
    mg_loop_run(&loop);
}

void mg_pagerank_sums_make(meguri_ctx *ctx, mg_pagerank_sums *s, double *out, const double *shares) {
    sum_job job = {ctx, s, out, shares};
    if (!s->tiles.count) {
        run_loop(&job, sum_some_groups, s->group_count, 1, mg_threads(ctx, s->group_count, 1));
        return;
    }
    uint64_t stride = s->tile->sources->stride, places = s->tile->sources->places;
    if (s->dealt) run_loop(&job, deal_some_shares, stride, DEAL, mg_threads(ctx, places, DEAL));
    memset(s->group_done, 0, s->group_count * sizeof *s->group_done);
    /* With two groups or more for each thread, hardly any tile has to wait. */
    run_loop(&job, sum_some_tiles, s->tiles.count, 1, mg_threads(ctx, s->group_count, 2));
}
