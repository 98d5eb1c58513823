/* PageRank on the threads of this machine: iteration by iteration, each with a line in the trace.
 *
 * An iteration sums the pieces of long rows, then goes through all rows in fixed blocks: sums the short ones, takes the
 * sums of the long ones, writes new shares beside the old. */
#include "algo/pagerank/pagerank.h"

#include <math.h>

enum {
    BLOCK_WORK = 1 << 16,          /* arcs and rows of a block, about: some 100 µs */
    NEAR = 1 << MG_PAGERANK_STRIP, /* shares of these first vertices, the hubs, are in the cache anyway */
    AHEAD = 200,                   /* arcs between fetching a share and reading it */
    STRIPS_PAY = 4,                /* iterations from which on it pays to cut strips */
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
    uint64_t *block; /* block b: the vertices block[b] … block[b + 1] - 1 */
    uint64_t blocks;
    uint64_t *block_long; /* the first long row at or after block[b] */
    double *block_change, *block_dangling;
    mg_pagerank_strips strips;
} ranking;

static inline uint64_t length_of(const mg_rows *rows, uint64_t v) {
    return mg_row_end(rows, v) - mg_row_begin(rows, v);
}

/* ---- before the first iteration --------------------------------------------------------------------------------- */

/* Blocks of about the same work, a long row counting as one arc a strip. They depend on the graph alone. */
static void cut_blocks(ranking *r) {
    uint64_t work = BLOCK_WORK, rows_long = 0;
    for (uint64_t v = 0; v < r->rows; v++) {
        uint64_t length = length_of(&r->in, v);
        if (work >= BLOCK_WORK) {
            r->block_long[r->blocks] = rows_long;
            r->block[r->blocks++] = v;
            work = 0;
        }
        bool is_long = length >= r->strips.least;
        work += 1 + (is_long ? r->strips.strips : length);
        rows_long += is_long;
    }
    r->block[r->blocks] = r->rows;
}

/* Everybody has 1/n. */
static void start(meguri_ctx *ctx, ranking *r) {
    double rank = 1 / (double)r->graph->vertices;
    int threads = mg_threads(ctx, r->rows, 1 << 14);
    uint64_t dangling = r->graph->vertices - r->rows;
#pragma omp parallel for num_threads(threads) schedule(static) reduction(+ : dangling)
    for (uint64_t v = 0; v < r->rows; v++) {
        uint64_t degree = length_of(&r->out, v);
        r->share[v] = degree ? rank / (double)degree : rank;
        dangling += !degree;
    }
    r->lone = rank;
    r->dangling = (double)dangling * rank;
}

static meguri_status prepare(meguri_ctx *ctx, ranking *r) {
    const char *what = "the shares of vertices";
    meguri_status status = mg_graph_rows(&r->out, ctx, r->graph);
    if (status == MEGURI_OK) status = mg_graph_in_rows(&r->in, ctx, r->graph);
    if (status != MEGURI_OK) return status;
    uint64_t blocks = (r->rows + r->in.arcs) / BLOCK_WORK + 2;
    r->share = mg_alloc_array(ctx, r->rows, sizeof *r->share, what);
    r->next = mg_alloc_array(ctx, r->rows, sizeof *r->next, what);
    r->block = mg_alloc_array(ctx, blocks, sizeof *r->block, what);
    r->block_long = mg_alloc_array(ctx, blocks, sizeof *r->block_long, what);
    r->block_change = mg_alloc_array(ctx, blocks, sizeof *r->block_change, what);
    r->block_dangling = mg_alloc_array(ctx, blocks, sizeof *r->block_dangling, what);
    if (!r->share || !r->next || !r->block || !r->block_long || !r->block_change || !r->block_dangling)
        return MEGURI_NO_MEMORY;
    if (mg_progress(ctx, "pagerank", 0, r->most)) return mg_fail_cancelled(ctx);
    if (r->most >= STRIPS_PAY) status = mg_pagerank_strips_new(&r->strips, ctx, &r->in);
    if (status == MEGURI_OK) cut_blocks(r);
    return status;
}

static void close_ranking(ranking *r) {
    mg_pagerank_strips_free(&r->strips);
    mg_free(r->share);
    mg_free(r->next);
    mg_free(r->block);
    mg_free(r->block_long);
    mg_free(r->block_change);
    mg_free(r->block_dangling);
}

/* ---- an iteration ----------------------------------------------------------------------------------------------- */

/* A short row, in its order. What comes later is fetched, unless it is near anyway. */
static inline double sum_row(const double *share, const mg_rows *in, uint64_t begin, uint64_t end) {
    const uint32_t *columns = in->neighbors;
    uint64_t ahead = MG_MIN((uint64_t)AHEAD, in->arcs - end);
    double sum = 0;
    for (uint64_t k = begin; k < end; k++) sum += share[columns[k]];
    for (uint64_t k = begin + ahead; k < end + ahead; k++)
        if (columns[k] >= NEAR) __builtin_prefetch(&share[columns[k]]);
    return sum;
}

static void pull_block(ranking *r, uint64_t b, double base) {
    double change = 0, dangling = 0;
    uint64_t next_long = r->block_long[b], begin = mg_row_begin(&r->in, r->block[b]);
    for (uint64_t v = r->block[b]; v < r->block[b + 1]; v++) {
        uint64_t end = mg_row_end(&r->in, v);
        double sum = end - begin >= r->strips.least ? mg_pagerank_strips_row(&r->strips, next_long++)
                                                    : sum_row(r->share, &r->in, begin, end);
        begin = end;
        uint64_t degree = length_of(&r->out, v);
        double rank = base + r->damping * sum;
        if (degree) {
            change += fabs(rank - r->share[v] * (double)degree);
            r->next[v] = rank / (double)degree;
        } else {
            change += fabs(rank - r->share[v]);
            r->next[v] = rank;
            dangling += rank;
        }
    }
    r->block_change[b] = change;
    r->block_dangling[b] = dangling;
}

static meguri_status iterate(meguri_ctx *ctx, ranking *r) {
    uint64_t done = r->iterations, total = r->most;
    double vertices = (double)r->graph->vertices, lone = vertices - (double)r->rows;
    double base = (1 - r->damping) / vertices + r->damping * (r->dangling / vertices);
    if (mg_progress(ctx, "pagerank", done, total)) return mg_fail_cancelled(ctx);
    mg_pagerank_strips_sum(ctx, &r->strips, r->share, done, total);
    int threads = mg_threads(ctx, r->blocks, 1);
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (uint64_t b = 0; b < r->blocks; b++)
        if (!mg_progress(ctx, "pagerank", done, total)) pull_block(r, b, base);
    if (mg_cancelled(ctx)) return mg_fail_cancelled(ctx);
    r->change = lone * fabs(base - r->lone);
    r->dangling = lone * base;
    r->lone = base;
    for (uint64_t b = 0; b < r->blocks; b++) {
        r->change += r->block_change[b];
        r->dangling += r->block_dangling[b];
    }
    double *shares = r->share;
    r->share = r->next;
    r->next = shares;
    return MEGURI_OK;
}

/* What an iteration has to move if every byte is moved once: columns, places in rows, shares, sums of pieces. */
static uint64_t iteration_bytes(const ranking *r) {
    uint64_t short_arcs = r->in.arcs - r->strips.arcs, pieces = r->strips.strips * r->strips.count;
    uint64_t places = (r->graph->directed ? 2 : 1) * (uint64_t)r->graph->offset_bytes;
    return 4 * short_arcs + 2 * r->strips.arcs + (8 + 2 * 8) * pieces + (places + 2 * 8) * r->rows;
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

/* The change is at most 2 at first, and `damping` times itself after every iteration. */
static uint64_t most_iterations(const meguri_pagerank_options *options) {
    if (options->iterations) return options->iterations;
    double most = ceil(log(options->tolerance / 2) / log(options->damping));
    return most < 1 ? 1 : most > UINT32_MAX ? UINT32_MAX : (uint64_t)most;
}

static meguri_status finish(meguri_ctx *ctx, const ranking *r, double *rank) {
    mg_numbering numbering;
    meguri_status status = mg_graph_numbering(&numbering, ctx, r->graph);
    if (status != MEGURI_OK) return status;
    int threads = mg_threads(ctx, r->graph->vertices, 1 << 14);
#pragma omp parallel for num_threads(threads) schedule(static)
    for (uint64_t position = 0; position < r->graph->vertices; position++) {
        uint32_t v = mg_to_internal(&numbering, (uint32_t)position);
        uint64_t degree = length_of(&r->out, v);
        rank[position] = v >= r->rows ? r->lone : degree ? r->share[v] * (double)degree : r->share[v];
    }
    return MEGURI_OK;
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
    ranking r = {.graph = graph,
                 .damping = options->damping,
                 .rows = graph->rows,
                 .most = most_iterations(options),
                 .strips.least = UINT64_MAX};
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
