/* Shortest paths, one search after another, from random vertices that have edges.
 *
 *     bench_sssp GRAPH [THREADS [ROOTS [DELTA]]] [--dijkstra] [--many]
 *
 * GRAPH is a .meg file; a scale, for a Kronecker graph with whole weights from 1 to 255 (20), or with f32 weights in
 * [0, 1) (20f); or gridN, for streets of N by N crossings. A search is timed from the call until distances and parents
 * in the user's numbering lie in memory. DELTA 0: found by the library. --dijkstra: each search is followed by
 * Dijkstra's on one thread (dijkstra.h), and the distances are compared. --many: also all of them through
 * meguri_sssp_many, on one thread and on as many as there are. */
#include "dijkstra.h"

typedef struct bench {
    meguri_ctx *ctx;
    meguri_graph *graph;
    unsigned threads, roots;
    meguri_sssp_options options;
    bool with_dijkstra, with_many;
    uint64_t *sources;
    double *times, *peer_times;
} bench;

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* ---- one after another ------------------------------------------------------------------------------------------ */

static bool agrees(const meguri_result *result, const dijkstra *peer) {
    meguri_column column = {.size = sizeof column};
    return meguri_result_column(&column, result, "distance") == MEGURI_OK && dijkstra_agrees(peer, column.data);
}

static meguri_status search_all(bench *b, dijkstra *peer, double *delta, bool *same) {
    meguri_sssp_search *search = NULL;
    double start = now();
    meguri_status status = meguri_sssp_search_new(&search, b->ctx, b->graph, &b->options);
    printf("Prepare Time: %.5f\n", now() - start);
    for (unsigned i = 0; i < b->roots && status == MEGURI_OK; i++) {
        const meguri_result *result;
        meguri_fact width = {.size = sizeof width};
        start = now();
        status = meguri_sssp_search_run(&result, b->ctx, search, b->sources[i]);
        b->times[i] = now() - start;
        if (status == MEGURI_OK) status = meguri_result_fact(&width, result, "delta");
        *delta = width.real;
        if (status != MEGURI_OK || !peer) continue;
        start = now();
        dijkstra_run(peer, b->sources[i]);
        b->peer_times[i] = now() - start;
        *same = *same && agrees(result, peer);
    }
    meguri_sssp_search_free(search);
    return status;
}

static void print_times(bench *b, double delta, bool with_peer, bool same) {
    double sum = 0, *ours = b->times, *peer = b->peer_times;
    for (unsigned i = 0; i < b->roots; i++) sum += ours[i];
    qsort(ours, b->roots, sizeof *ours, by_size);
    printf("Delta: %g\nSearch Time: %.6f\nMedian Time: %.6f\nFastest: %.6f\nSlowest: %.6f\n", delta, sum / b->roots,
           ours[b->roots / 2], ours[0], ours[b->roots - 1]);
    if (!with_peer) return;
    qsort(peer, b->roots, sizeof *peer, by_size);
    printf("Dijkstra Median: %.6f\nDijkstra Fastest: %.6f\nDijkstra / ours: median %.2f, best %.2f\nDistances: %s\n",
           peer[b->roots / 2], peer[0], peer[b->roots / 2] / ours[b->roots / 2], peer[0] / ours[0],
           same ? "the same" : "DIFFER");
}

/* ---- many at once ----------------------------------------------------------------------------------------------- */

static meguri_status take(void *user, uint64_t index, const meguri_result *result) {
    (void)index, (void)result;
    ++*(uint64_t *)user;
    return MEGURI_OK;
}

static meguri_status search_many(const bench *b, unsigned threads) {
    meguri_ctx *ctx;
    meguri_ctx_options options = {.size = sizeof options, .threads = threads};
    meguri_status status = meguri_ctx_new(&ctx, &options);
    if (status != MEGURI_OK) return status;
    uint64_t taken = 0;
    double start = now();
    status = meguri_sssp_many(ctx, b->graph, b->sources, b->roots, &b->options, take, &taken);
    double seconds = now() - start;
    if (status == MEGURI_OK)
        printf("Many, %u thread%s: %.2f sources a second\n", threads, threads == 1 ? "" : "s", (double)taken / seconds);
    else fprintf(stderr, "bench_sssp: %s\n", meguri_ctx_error(ctx));
    meguri_ctx_free(ctx);
    return status;
}

/* ---- all of it -------------------------------------------------------------------------------------------------- */

static meguri_status run(bench *b) {
    uint64_t random = 20;
    double delta = 0;
    bool same = true;
    dijkstra peer = {0};
    meguri_status status = MEGURI_OK;
    for (unsigned i = 0; i < b->roots && status == MEGURI_OK; i++)
        status = random_root(&b->sources[i], b->ctx, b->graph, &random);
    if (status == MEGURI_OK && b->with_dijkstra) status = dijkstra_new(&peer, b->ctx, b->graph);
    if (status == MEGURI_OK) status = search_all(b, b->with_dijkstra ? &peer : NULL, &delta, &same);
    if (status == MEGURI_OK) print_times(b, delta, b->with_dijkstra, same);
    dijkstra_free(&peer);
    if (status == MEGURI_OK && b->with_many) status = search_many(b, 1);
    if (status == MEGURI_OK && b->with_many && b->threads > 1) status = search_many(b, b->threads);
    return status == MEGURI_OK && !same ? MEGURI_WRONG_ANSWER : status;
}

int main(int argc, char **argv) {
    const char *words[4] = {NULL, "0", "16", "0"};
    int count = 0;
    bench b = {0};
    meguri_sssp_options_init(&b.options, sizeof b.options);
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--dijkstra") == 0) b.with_dijkstra = true;
        else if (strcmp(argv[i], "--many") == 0) b.with_many = true;
        else if (count < 4) words[count++] = argv[i];
    }
    b.threads = (unsigned)atoi(words[1]);
    b.roots = (unsigned)atoi(words[2]);
    b.options.delta = atof(words[3]);
    if (!words[0] || !b.roots) {
        fputs("usage: bench_sssp GRAPH [THREADS [ROOTS [DELTA]]] [--dijkstra] [--many]\n", stderr);
        return 2;
    }
    meguri_ctx_options options = {.size = sizeof options, .threads = b.threads};
    if (meguri_ctx_new(&b.ctx, &options) != MEGURI_OK) return 4;
    if (getenv("MEGURI_TRACE")) meguri_ctx_trace(b.ctx, getenv("MEGURI_TRACE"));
    b.threads = meguri_ctx_threads(b.ctx);
    b.sources = calloc(b.roots, sizeof *b.sources);
    b.times = calloc(b.roots, sizeof *b.times);
    b.peer_times = calloc(b.roots, sizeof *b.peer_times);
    meguri_status status = get_weighted(&b.graph, b.ctx, words[0]);
    if (status == MEGURI_OK) status = run(&b);
    if (status != MEGURI_OK) fprintf(stderr, "bench_sssp: %s\n", meguri_ctx_error(b.ctx));
    meguri_graph_free(b.graph);
    meguri_ctx_free(b.ctx);
    free(b.sources);
    free(b.times);
    free(b.peer_times);
    return meguri_status_exit_code(status);
}
