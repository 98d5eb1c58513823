/* PageRank on a cluster: what vertices give goes from their owners to those who have their arcs, sums come back.
 *
 * The iteration is that of one machine (pagerank.h); its sum over in-arcs is made in parts. Owners keep the shares of
 * their vertices. In an iteration the shares go out to the windows of sources (expand), every process sums the rows of
 * its tiles, and the sums of the windows of targets go to the owners (fold), who make new shares of them.
 *
 * Invariant: every sum is made in one order, whatever the threads and whichever message comes first: a row of a tile by
 * one thread, the parts of a vertex in the order of the processes that have them, sums over vertices in fixed blocks
 * and then over processes as mg_reduce_f64 does. A tile has its window of targets to itself, also in pairs. */
#include "algo/pagerank/pagerank_cluster.h"

#include <math.h>

enum { BLOCK = 4096 }; /* vertices of a block: some 10 µs */

typedef struct ranking {
    mg_pagerank base;
    mg_shards *shards;
    double *share;               /* by local number; where no arc leaves, the rank */
    double *sum;                 /* by local number: over the in-arcs */
    double *shares[2], *sums[2]; /* by window of sources, of targets: by place */
    double *incoming;            /* sums of others */
    uint64_t blocks;
    mg_pagerank_found *block_found;
    mg_steps steps;
    mg_pagerank_sums sums_of[2]; /* by tile */
} ranking;

/* ---- before the first iteration --------------------------------------------------------------------------------- */

static meguri_status allocate(meguri_ctx *ctx, ranking *r) {
    const char *what = "the shares of vertices";
    mg_shards *s = r->shards;
    uint64_t stride = s->layout.window[0].stride;
    r->blocks = (s->owned + BLOCK - 1) / BLOCK;
    r->share = mg_alloc_array_zero(ctx, stride, sizeof *r->share, what);
    r->sum = mg_alloc_array_zero(ctx, stride, sizeof *r->sum, what);
    r->block_found = mg_alloc_array(ctx, r->blocks, sizeof *r->block_found, what);
    r->incoming = mg_alloc_array(ctx, mg_windows_fold_items(&s->layout), sizeof *r->incoming, what);
    if (!r->share || !r->sum || !r->block_found || !r->incoming) return MEGURI_NO_MEMORY;
    for (int w = 0; w < s->layout.windows; w++) {
        const mg_window *window = &s->layout.window[w];
        if (window->source) r->shares[w] = mg_alloc_array(ctx, window->places, sizeof **r->shares, what);
        if (window->target) r->sums[w] = mg_alloc_array(ctx, window->places, sizeof **r->sums, what);
        if ((window->source && !r->shares[w]) || (window->target && !r->sums[w])) return MEGURI_NO_MEMORY;
    }
    return MEGURI_OK;
}

static meguri_status prepare(meguri_ctx *ctx, mg_pagerank *base) {
    ranking *r = (ranking *)base;
    mg_shards *s = r->shards = mg_shards_of(base->graph);
    base->active = s->active;
    base->arcs = s->arcs;
    meguri_status status = allocate(ctx, r);
    for (int t = 0; t < s->layout.tiles && status == MEGURI_OK; t++)
        status = mg_pagerank_sums_new(&r->sums_of[t], ctx, &s->tile[t], base->most);
    return mg_agree(ctx, s->cluster, status);
}

static void close(mg_pagerank *base) {
    ranking *r = (ranking *)base;
    for (int i = 0; i < 2; i++) {
        mg_pagerank_sums_free(&r->sums_of[i]);
        mg_free(r->shares[i]);
        mg_free(r->sums[i]);
    }
    mg_free(r->share);
    mg_free(r->sum);
    mg_free(r->incoming);
    mg_free(r->block_found);
}

static meguri_status start(uint64_t *dangling, meguri_ctx *ctx, mg_pagerank *base) {
    ranking *r = (ranking *)base;
    const mg_shards *s = r->shards;
    for (uint32_t v = 0; v < s->owned; v++) {
        r->share[v] = s->degree[v] ? base->lone / (double)s->degree[v] : base->lone;
        *dangling += !s->degree[v];
    }
    meguri_status status = mg_reduce_u64(ctx, s->cluster, &s->cluster->all, dangling, 1, MG_SUM);
    mg_steps_open(&r->steps, ctx, s->cluster, "pagerank");
    return status;
}

/* ---- an iteration ----------------------------------------------------------------------------------------------- */

static void add_f64(void *mine, const void *more, uint64_t count) {
    for (uint64_t i = 0; i < count; i++) ((double *)mine)[i] += ((const double *)more)[i];
}

/* From the sums of a block to its new shares. */
static void settle_block(ranking *r, uint64_t b, double base) {
    const mg_shards *s = r->shards;
    mg_pagerank_found found = {0};
    for (uint64_t v = b * BLOCK; v < MG_MIN(s->owned, (b + 1) * BLOCK); v++) {
        double rank = base + r->base.options.damping * r->sum[v], degree = (double)s->degree[v];
        if (degree > 0) {
            found.change += fabs(rank - r->share[v] * degree);
            r->share[v] = rank / degree;
        } else {
            found.change += fabs(rank - r->share[v]);
            r->share[v] = rank;
            found.dangling += rank;
        }
    }
    r->block_found[b] = found;
}

typedef struct settle_job {
    ranking *r;
    double base;
} settle_job;

static void settle_blocks(void *what, uint64_t begin, uint64_t end) {
    const settle_job *job = what;
    for (uint64_t b = begin; b < end; b++) settle_block(job->r, b, job->base);
}

/* New shares everywhere, and what all processes need to know of it. */
static meguri_status settle(mg_pagerank_found *found, meguri_ctx *ctx, ranking *r, double base) {
    settle_job job = {r, base};
    mg_for(ctx, mg_threads(ctx, r->shards->owned, BLOCK), r->blocks, settle_blocks, &job);
    mg_meeting all = {0};
    for (uint64_t b = 0; b < r->blocks; b++) {
        all.reals[0] += r->block_found[b].change;
        all.reals[1] += r->block_found[b].dangling;
    }
    meguri_status status = mg_steps_meet(&r->steps, MEGURI_OK, &all);
    *found = (mg_pagerank_found){.change = all.reals[0], .dangling = all.reals[1]};
    return status;
}

/* Who is cancelled goes on until the others hear of it, with sums that nobody will see. */
static meguri_status iterate(mg_pagerank_found *found, meguri_ctx *ctx, mg_pagerank *base, double least) {
    ranking *r = (ranking *)base;
    mg_shards *s = r->shards;
    const mg_layout *l = &s->layout;
    mg_steps_begin(&r->steps);
    meguri_status status = mg_windows_gather(ctx, s->cluster, l, "expand", r->share, sizeof *r->share,
                                             (void *const[]){r->shares[0], r->shares[1]});
    if (status != MEGURI_OK) return status;
    for (int t = 0; t < l->tiles; t++)
        mg_pagerank_sums_make(ctx, &r->sums_of[t], r->sums[l->tile_target[t]], r->shares[l->tile_source[t]]);
    status = mg_windows_fold(ctx, s->cluster, l, "fold", r->sum, sizeof *r->sum,
                             (void *const[]){r->sums[0], r->sums[1]}, add_f64, r->incoming);
    return status == MEGURI_OK ? settle(found, ctx, r, least) : status;
}

/* What all did. */
static void trace(meguri_ctx *ctx, mg_pagerank *base, mg_step *line) {
    (void)ctx;
    mg_steps_end(&((ranking *)base)->steps, NULL, line->way, (uint64_t)line->frontier, (uint64_t)line->edges);
}

/* ---- the end ---------------------------------------------------------------------------------------------------- */

static meguri_status finish(meguri_ctx *ctx, mg_pagerank *base, double *rank) {
    ranking *r = (ranking *)base;
    mg_shards *s = r->shards;
    for (uint32_t v = 0; v < s->owned; v++) r->sum[v] = r->share[v] * (s->degree[v] ? (double)s->degree[v] : 1);
    return mg_shards_to_homes(ctx, s, rank, r->sum, sizeof *rank, &base->lone);
}

static meguri_status set_facts(meguri_ctx *ctx, const mg_pagerank *base, meguri_result *result) {
    const ranking *r = (const ranking *)base;
    meguri_status status = mg_result_set_number(ctx, result, "messages", r->steps.messages);
    return status == MEGURI_OK ? mg_result_set_number(ctx, result, "bytes", r->steps.bytes) : status;
}

const mg_pagerank_engine mg_pagerank_on_cluster = {.engine = MEGURI_ENGINE_CLUSTER,
                                                   .bytes = sizeof(ranking),
                                                   .together = true,
                                                   .prepare = prepare,
                                                   .start = start,
                                                   .iterate = iterate,
                                                   .trace = trace,
                                                   .finish = finish,
                                                   .facts = set_facts,
                                                   .close = close,
                                                   .check = mg_pagerank_cluster_check};
