/* Checks ranks by what they should be: positive, 1 in all, and such that an iteration leaves them (nearly) alone.
 *
 * The iteration here is the definition, read off: no shares kept, no tiles, positions in place of internal numbers
 * wherever it can be. A number of iterations is not such a rule: after few of them ranks are far from where they are
 * going. So they are made again, all of them. */
#include "algo/pagerank/pagerank.h"

#include <inttypes.h>
#include <math.h>

enum { BLOCK = 4096 }; /* vertices of a block: its sums are made by one thread, blocks are added up in order */

/* Rounding: of the sum of all ranks; of their change in an iteration; of a rank computed twice, as part of it. */
static const double sum_slack = 1e-9, change_slack = 1e-12, rank_slack = 1e-9;

typedef struct checker {
    meguri_ctx *ctx;
    const meguri_graph *graph;
    meguri_pagerank_options options;
    const double *rank; /* by position, as everything here */
    uint64_t vertices, blocks;
    mg_rows in, out;
    mg_numbering numbering;
    double *share;        /* by internal number: what a vertex gives along each arc */
    double *next;         /* by position */
    double *block_sum;    /* of one value for each vertex */
    double *block_most;   /* the largest of them in the block */
    uint32_t *block_who;  /* and whose it is, the first where several are equal */
    uint64_t done, total; /* for the progress */
} checker;

/* The value of a vertex that a sweep adds up. */
typedef double value_fn(checker *c, const double *rank, uint32_t v, double base);

typedef struct total {
    double sum, most;
    uint32_t who;
} total;

typedef struct sweep_job {
    checker *c;
    value_fn *value;
    const double *rank;
    double base;
} sweep_job;

static void sum_blocks(void *what, mg_worker *worker) {
    const sweep_job *job = what;
    checker *c = job->c;
    for (mg_range block; mg_take(worker, &block);) {
        uint64_t b = block.begin / BLOCK;
        total t = {0, -1, MG_NO_VERTEX};
        for (uint64_t v = block.begin; v < block.end; v++) {
            double x = job->value(c, job->rank, (uint32_t)v, job->base);
            t.sum += x;
            if (x > t.most) {
                t.most = x;
                t.who = (uint32_t)v;
            }
        }
        c->block_sum[b] = t.sum;
        c->block_most[b] = t.most;
        c->block_who[b] = t.who;
    }
}

static meguri_status sweep(total *out, checker *c, value_fn *value, const double *rank, double base) {
    sweep_job job = {c, value, rank, base};
    mg_loop loop = {.ctx = c->ctx,
                    .threads = mg_threads(c->ctx, c->vertices + c->in.arcs, BLOCK),
                    .items = c->vertices,
                    .chunk = BLOCK,
                    .work = sum_blocks,
                    .what = &job,
                    .phase = "check",
                    .done = c->done,
                    .total = c->total,
                    .steady = true};
    meguri_status status = mg_loop_run(&loop);
    if (status != MEGURI_OK) return status;
    c->done++;
    *out = (total){0, -1, MG_NO_VERTEX};
    for (uint64_t b = 0; b < c->blocks; b++) {
        out->sum += c->block_sum[b];
        if (c->block_most[b] > out->most) {
            out->most = c->block_most[b];
            out->who = c->block_who[b];
        }
    }
    return MEGURI_OK;
}

/* ---- values ----------------------------------------------------------------------------------------------------- */

static double value_of_rank(checker *c, const double *rank, uint32_t v, double base) {
    (void)c, (void)base;
    return rank[v];
}

/* 1 where a rank is none: not a number, infinite, or less than what everybody gets. */
static double value_of_fault(checker *c, const double *rank, uint32_t v, double base) {
    (void)c;
    return !(isfinite(rank[v]) && rank[v] >= base * (1 - rank_slack));
}

/* Notes the share of a vertex; the value is its rank if it is dangling. */
static double value_of_share(checker *c, const double *rank, uint32_t v, double base) {
    (void)base;
    uint32_t i = mg_to_internal(&c->numbering, v);
    uint64_t degree = mg_row_end(&c->out, i) - mg_row_begin(&c->out, i);
    c->share[i] = degree ? rank[v] / (double)degree : 0;
    return degree ? 0 : rank[v];
}

/* Notes the next rank of a vertex; the value is by how much it differs. */
static double value_of_change(checker *c, const double *rank, uint32_t v, double base) {
    uint32_t i = mg_to_internal(&c->numbering, v);
    double sum = 0;
    for (uint64_t k = mg_row_begin(&c->in, i), end = mg_row_end(&c->in, i); k < end; k++) {
        sum += c->share[c->in.neighbors[k]];
        if (k % (1 << 16) == 0 && mg_progress(c->ctx, "check", c->done, c->total)) return 0; /* a long row */
    }
    double next = base + c->options.damping * sum;
    double change = fabs(next - rank[v]);
    c->next[v] = next;
    return change;
}

/* By how much, as part of it, the answer differs from what it should be. */
static double value_of_difference(checker *c, const double *rank, uint32_t v, double base) {
    (void)base;
    return fabs(c->rank[v] - rank[v]) / rank[v];
}

/* ---- rules ------------------------------------------------------------------------------------------------------ */

static meguri_status check_ranks(checker *c) {
    char text[MG_ID_TEXT];
    double least = (1 - c->options.damping) / (double)c->vertices;
    total t;
    meguri_status status = sweep(&t, c, value_of_fault, c->rank, least);
    if (status != MEGURI_OK) return status;
    if (t.most > 0 && !isfinite(c->rank[t.who]))
        return mg_fail(c->ctx, MEGURI_WRONG_ANSWER, "the rank of vertex %s is not a finite number.",
                       mg_graph_id_text(text, c->ctx, c->graph, t.who));
    if (t.most > 0)
        return mg_fail(c->ctx, MEGURI_WRONG_ANSWER,
                       "the rank of vertex %s is %.17g, less than the %.17g that every "
                       "vertex has at least.",
                       mg_graph_id_text(text, c->ctx, c->graph, t.who), c->rank[t.who], least);
    status = sweep(&t, c, value_of_rank, c->rank, 0);
    if (status == MEGURI_OK && !(fabs(t.sum - 1) <= sum_slack))
        return mg_fail(c->ctx, MEGURI_WRONG_ANSWER, "the ranks add up to %.17g, not to 1.", t.sum);
    return status;
}

/* One iteration from `rank` into c->next. */
static meguri_status iterate(total *out, checker *c, const double *rank) {
    total dangling;
    meguri_status status = sweep(&dangling, c, value_of_share, rank, 0);
    if (status != MEGURI_OK) return status;
    double d = c->options.damping, n = (double)c->vertices;
    return sweep(out, c, value_of_change, rank, (1 - d) / n + d * dangling.sum / n);
}

static meguri_status check_change(checker *c) {
    char text[MG_ID_TEXT];
    double allowed = c->options.damping * c->options.tolerance + change_slack;
    total change;
    meguri_status status = iterate(&change, c, c->rank);
    if (status != MEGURI_OK || change.sum <= allowed) return status;
    return mg_fail(c->ctx, MEGURI_WRONG_ANSWER,
                   "one more iteration changes the ranks by %.3g in all, and %.3g is "
                   "allowed; that of vertex %s changes most, from %.17g to %.17g.",
                   change.sum, allowed, mg_graph_id_text(text, c->ctx, c->graph, change.who), c->rank[change.who],
                   c->next[change.who]);
}

static meguri_status check_iterations(checker *c) {
    char text[MG_ID_TEXT];
    double *rank = mg_alloc_array(c->ctx, c->vertices, sizeof *rank, "checking ranks");
    if (!rank) return MEGURI_NO_MEMORY;
    for (uint64_t v = 0; v < c->vertices; v++) rank[v] = 1 / (double)c->vertices;
    total t;
    meguri_status status = MEGURI_OK;
    for (uint32_t i = 0; i < c->options.iterations && status == MEGURI_OK; i++) {
        status = iterate(&t, c, rank);
        double *next = c->next;
        c->next = rank;
        rank = next;
    }
    if (status == MEGURI_OK) status = sweep(&t, c, value_of_difference, rank, 0);
    if (status == MEGURI_OK && !(t.most <= rank_slack))
        status = mg_fail(c->ctx, MEGURI_WRONG_ANSWER, "the rank of vertex %s is %.17g, and should be %.17g.",
                         mg_graph_id_text(text, c->ctx, c->graph, t.who), c->rank[t.who], rank[t.who]);
    mg_free(rank);
    return status;
}

static meguri_status check(checker *c) {
    const char *what = "checking ranks";
    c->share = mg_alloc_array(c->ctx, c->vertices, sizeof *c->share, what);
    c->next = mg_alloc_array(c->ctx, c->vertices, sizeof *c->next, what);
    c->block_sum = mg_alloc_array(c->ctx, c->blocks, sizeof *c->block_sum, what);
    c->block_most = mg_alloc_array(c->ctx, c->blocks, sizeof *c->block_most, what);
    c->block_who = mg_alloc_array(c->ctx, c->blocks, sizeof *c->block_who, what);
    if (!c->share || !c->next || !c->block_sum || !c->block_most || !c->block_who) return MEGURI_NO_MEMORY;
    meguri_status status = check_ranks(c);
    if (status != MEGURI_OK) return status;
    return c->options.iterations ? check_iterations(c) : check_change(c);
}

meguri_status mg_pagerank_host_check(meguri_ctx *ctx, const meguri_graph *graph, const double *rank,
                                     const meguri_pagerank_options *options) {
    double since = mg_now();
    checker c = {.ctx = ctx,
                 .graph = graph,
                 .rank = rank,
                 .options = *options,
                 .vertices = graph->vertices,
                 .blocks = (graph->vertices + BLOCK - 1) / BLOCK};
    c.total = c.options.iterations ? 3 + 2 * (uint64_t)c.options.iterations : 4;
    meguri_status status = mg_graph_rows(&c.out, ctx, graph);
    if (status == MEGURI_OK) status = mg_graph_in_rows(&c.in, ctx, graph);
    if (status == MEGURI_OK) status = mg_graph_numbering(&c.numbering, ctx, graph);
    if (status == MEGURI_OK) status = check(&c);
    mg_trace_phase(ctx, "check", "pagerank", (int64_t)c.in.arcs, -1, since);
    mg_free(c.share);
    mg_free(c.next);
    mg_free(c.block_sum);
    mg_free(c.block_most);
    mg_free(c.block_who);
    return status;
}
