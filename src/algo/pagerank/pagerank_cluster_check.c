/* Ranks of a graph in parts, checked by the rules of pagerank_check.c: each is large enough, all add up to 1, and an
 * iteration leaves them alone; or, where a number of iterations was asked for, these give the same when they are made
 * again. Nothing is kept in shares or cut into tiles here: an iteration is read off the definition.
 *
 * Isolated vertices have no owner: their ranks are looked at where the answer is, at their homes. */
#include "algo/pagerank/pagerank_cluster.h"

#include <math.h>

/* Rounding: of the sum of all ranks; of their change in an iteration; of a rank computed twice, as part of it. */
static const double sum_slack = 1e-9, change_slack = 1e-12, rank_slack = 1e-9;

typedef struct checker {
    meguri_ctx *ctx;
    mg_shards *shards;
    meguri_pagerank_options options;
    const double *rank;          /* the answer, at the homes */
    double *mine;                /* the answer, at the owners: by local number, as all of these */
    double *now, *next;          /* of iterations that are made again */
    double *share, *sum;         /* rank/outdegree; the sum of it over in-arcs */
    double *shares[2], *sums[2]; /* by window */
    double base;                 /* what the last iteration gave to everybody */
} checker;

/* A vertex that is off, by how much, and the total over all vertices. */
typedef struct worst {
    double sum, most;
    uint64_t position;
    double is, should;
} worst;
static const worst nobody = {0, -1, UINT64_MAX, 0, 0};

static void note(worst *w, double by, uint64_t position, double is, double should) {
    w->sum += by;
    if (by > w->most || (by >= w->most && position < w->position)) *w = (worst){w->sum, by, position, is, should};
}

/* The worst of all processes, the first where several are equal. */
static meguri_status compare(checker *c, worst *w) {
    meguri_cluster *cluster = c->shards->cluster;
    double most = w->most;
    meguri_status status = mg_reduce_f64(c->ctx, cluster, &cluster->all, &most, 1, MG_MAXIMUM);
    uint64_t position = w->most >= most ? w->position : UINT64_MAX;
    if (status == MEGURI_OK) status = mg_reduce_u64(c->ctx, cluster, &cluster->all, &position, 1, MG_MINIMUM);
    bool here = w->most >= most && w->position == position;
    double rest[3] = {w->sum, here ? w->is : 0, here ? w->should : 0};
    if (status == MEGURI_OK) status = mg_reduce_f64(c->ctx, cluster, &cluster->all, rest, 3, MG_SUM);
    *w = (worst){rest[0], most, position, rest[1], rest[2]};
    return status;
}

static bool is_isolated(const mg_shards *s, uint64_t position) {
    return mg_global_at(s->number, position - s->home.begin) >= s->active;
}

/* ---- an iteration ----------------------------------------------------------------------------------------------- */

static void add_f64(void *mine, const void *more, uint64_t count) {
    for (uint64_t i = 0; i < count; i++) ((double *)mine)[i] += ((const double *)more)[i];
}

typedef struct sum_job {
    checker *c;
    const mg_rows *in;
    double *sums;
    const double *shares;
} sum_job;

static void sum_some_rows(void *what, mg_worker *worker) {
    const sum_job *job = what;
    const mg_rows *in = job->in;
    for (mg_range chunk; mg_take(worker, &chunk);)
        for (uint64_t v = chunk.begin; v < chunk.end; v++) {
            double sum = 0;
            for (uint64_t i = mg_row_offset(in, v), end = mg_row_offset(in, v + 1); i < end; i++) {
                sum += job->shares[in->neighbors[i]];
                if (i % MG_SWEEP_BLOCK == 0 && mg_progress(job->c->ctx, "check", 0, 0)) break;
            }
            job->sums[v] = sum;
        }
}

static void sum_rows(checker *c, const mg_rows *in, double *sums, const double *shares) {
    sum_job job = {c, in, sums, shares};
    mg_loop loop = {.ctx = c->ctx,
                    .threads = mg_threads(c->ctx, in->rows + in->arcs, MG_SWEEP_BLOCK),
                    .items = in->rows,
                    .chunk = 256,
                    .work = sum_some_rows,
                    .what = &job};
    mg_loop_run(&loop);
}

/* c->next from `rank`, where isolated vertices have `dangling` between them. */
static meguri_status iterate(checker *c, const double *rank, double dangling) {
    mg_shards *s = c->shards;
    const mg_layout *l = &s->layout;
    double d = c->options.damping, n = (double)s->vertices;
    for (uint32_t v = 0; v < s->owned; v++) {
        c->share[v] = s->degree[v] ? rank[v] / (double)s->degree[v] : 0;
        dangling += s->degree[v] ? 0 : rank[v];
    }
    meguri_status status = mg_reduce_f64(c->ctx, s->cluster, &s->cluster->all, &dangling, 1, MG_SUM);
    if (status == MEGURI_OK)
        status = mg_windows_gather(c->ctx, s->cluster, l, "expand", c->share, sizeof *c->share,
                                   (void *const[]){c->shares[0], c->shares[1]});
    if (status != MEGURI_OK) return status;
    for (int t = 0; t < l->tiles; t++)
        sum_rows(c, &s->tile[t].in, c->sums[l->tile_target[t]], c->shares[l->tile_source[t]]);
    status = mg_windows_fold(c->ctx, s->cluster, l, "fold", c->sum, sizeof *c->sum,
                             (void *const[]){c->sums[0], c->sums[1]}, add_f64, NULL);
    if (status != MEGURI_OK) return status;
    c->base = (1 - d) / n + d * dangling / n;
    for (uint32_t v = 0; v < s->owned; v++) c->next[v] = c->base + d * c->sum[v];
    return mg_agree(c->ctx, s->cluster, mg_cancelled(c->ctx) ? mg_fail_cancelled(c->ctx) : MEGURI_OK);
}

/* ---- rules ------------------------------------------------------------------------------------------------------ */

static meguri_status check_ranks(checker *c) {
    const mg_shards *s = c->shards;
    char text[MG_ID_TEXT];
    double least = (1 - c->options.damping) / (double)s->vertices;
    worst faults = nobody, all = nobody;
    for (uint64_t p = s->home.begin; p < s->home.end; p++) {
        double rank = c->rank[p - s->home.begin];
        note(&faults, !(isfinite(rank) && rank >= least * (1 - rank_slack)), p, rank, least);
        all.sum += rank;
    }
    meguri_status status = compare(c, &faults);
    if (status == MEGURI_OK) status = compare(c, &all);
    if (status == MEGURI_OK) status = mg_shards_id_text(text, c->ctx, c->shards, faults.position);
    if (status != MEGURI_OK) return status;
    if (faults.most > 0 && !isfinite(faults.is))
        return mg_fail(c->ctx, MEGURI_WRONG_ANSWER, "the rank of vertex %s is not a finite number.", text);
    if (faults.most > 0)
        return mg_fail(c->ctx, MEGURI_WRONG_ANSWER,
                       "the rank of vertex %s is %.17g, less than the %.17g that every vertex has at least.", text,
                       faults.is, least);
    if (!(fabs(all.sum - 1) <= sum_slack))
        return mg_fail(c->ctx, MEGURI_WRONG_ANSWER, "the ranks add up to %.17g, not to 1.", all.sum);
    return MEGURI_OK;
}

static meguri_status check_change(checker *c) {
    mg_shards *s = c->shards;
    char text[MG_ID_TEXT];
    double allowed = c->options.damping * c->options.tolerance + change_slack, isolated = 0;
    worst w = nobody;
    for (uint64_t p = s->home.begin; p < s->home.end; p++)
        if (is_isolated(s, p)) isolated += c->rank[p - s->home.begin];
    meguri_status status = iterate(c, c->mine, isolated);
    if (status != MEGURI_OK) return status;
    for (uint32_t v = 0; v < s->owned; v++)
        note(&w, fabs(c->next[v] - c->mine[v]), mg_global_at(s->position, v), c->mine[v], c->next[v]);
    for (uint64_t p = s->home.begin; p < s->home.end; p++) {
        double rank = c->rank[p - s->home.begin];
        if (is_isolated(s, p)) note(&w, fabs(c->base - rank), p, rank, c->base);
    }
    status = compare(c, &w);
    if (status != MEGURI_OK || w.sum <= allowed) return status;
    status = mg_shards_id_text(text, c->ctx, s, w.position);
    if (status != MEGURI_OK) return status;
    return mg_fail(c->ctx, MEGURI_WRONG_ANSWER,
                   "one more iteration changes the ranks by %.3g in all, and %.3g is allowed; that of vertex %s "
                   "changes most, from %.17g to %.17g.",
                   w.sum, allowed, text, w.is, w.should);
}

static meguri_status check_iterations(checker *c) {
    mg_shards *s = c->shards;
    char text[MG_ID_TEXT];
    worst w = nobody;
    uint64_t isolated = 0;
    meguri_status status = MEGURI_OK;
    for (uint64_t p = s->home.begin; p < s->home.end; p++) isolated += is_isolated(s, p);
    c->base = 1 / (double)s->vertices;
    for (uint32_t v = 0; v < s->owned; v++) c->now[v] = c->base;
    for (uint32_t i = 0; i < c->options.iterations && status == MEGURI_OK; i++) {
        status = iterate(c, c->now, (double)isolated * c->base);
        double *next = c->next;
        c->next = c->now;
        c->now = next;
    }
    if (status != MEGURI_OK) return status;
    for (uint32_t v = 0; v < s->owned; v++)
        note(&w, fabs(c->mine[v] - c->now[v]) / c->now[v], mg_global_at(s->position, v), c->mine[v], c->now[v]);
    for (uint64_t p = s->home.begin; p < s->home.end; p++) {
        double rank = c->rank[p - s->home.begin];
        if (is_isolated(s, p)) note(&w, fabs(rank - c->base) / c->base, p, rank, c->base);
    }
    status = compare(c, &w);
    if (status != MEGURI_OK || w.most <= rank_slack) return status;
    status = mg_shards_id_text(text, c->ctx, s, w.position);
    if (status != MEGURI_OK) return status;
    return mg_fail(c->ctx, MEGURI_WRONG_ANSWER, "the rank of vertex %s is %.17g, and should be %.17g.", text, w.is,
                   w.should);
}

/* ---- all together ----------------------------------------------------------------------------------------------- */

static meguri_status prepare(checker *c) {
    const char *what = "checking ranks";
    const mg_layout *l = &c->shards->layout;
    uint64_t stride = l->window[0].stride;
    double **owned[] = {&c->mine, &c->now, &c->next, &c->share, &c->sum};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        if (!(*owned[i] = mg_alloc_array_zero(c->ctx, stride, sizeof(double), what))) return MEGURI_NO_MEMORY;
    for (int w = 0; w < l->windows; w++) {
        if (l->window[w].source && !(c->shares[w] = mg_alloc_array(c->ctx, l->window[w].places, sizeof(double), what)))
            return MEGURI_NO_MEMORY;
        if (l->window[w].target && !(c->sums[w] = mg_alloc_array(c->ctx, l->window[w].places, sizeof(double), what)))
            return MEGURI_NO_MEMORY;
    }
    return MEGURI_OK;
}

static meguri_status check(checker *c) {
    meguri_status status = mg_agree(c->ctx, c->shards->cluster, prepare(c));
    if (status == MEGURI_OK) status = check_ranks(c);
    if (status == MEGURI_OK) status = mg_shards_from_homes(c->ctx, c->shards, c->mine, c->rank, sizeof *c->rank);
    if (status != MEGURI_OK) return status;
    return c->options.iterations ? check_iterations(c) : check_change(c);
}

meguri_status mg_pagerank_cluster_check(meguri_ctx *ctx, const meguri_graph *graph, const double *rank,
                                        const meguri_pagerank_options *options) {
    mg_shards *shards = mg_shards_of(graph);
    double since = mg_now();
    checker c = {.ctx = ctx, .shards = shards, .rank = rank, .options = *options};
    meguri_status status = check(&c);
    mg_trace_phase(ctx, "check", "pagerank", (int64_t)shards->arcs, -1, since);
    for (int w = 0; w < 2; w++) {
        mg_free(c.shares[w]);
        mg_free(c.sums[w]);
    }
    mg_free(c.mine);
    mg_free(c.now);
    mg_free(c.next);
    mg_free(c.share);
    mg_free(c.sum);
    return status;
}
