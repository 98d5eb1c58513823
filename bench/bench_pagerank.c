/* PageRank: the time of an iteration.
 *
 *     bench_pagerank SCALE|GRAPH.meg [THREADS [ITERATIONS [RUNS]]]
 *
 * 0 iterations: until the tolerance of 1e-9 is met. An iteration is timed with its share of bringing the ranks into the
 * user's numbering; what has to be made before the first one is told apart. */
#include "graphs.h"

static meguri_status run_once(meguri_ctx *ctx, const meguri_graph *graph, uint32_t iterations, double *best) {
    meguri_pagerank_options options = {.size = sizeof options, .iterations = iterations};
    meguri_result *result = NULL;
    meguri_fact seconds = {.size = sizeof seconds}, steps = {.size = sizeof steps}, change = {.size = sizeof change};
    double start = now();
    meguri_status status = meguri_pagerank(&result, ctx, graph, &options);
    double total = now() - start;
    if (status == MEGURI_OK) status = meguri_result_fact(&seconds, result, "seconds");
    if (status == MEGURI_OK) status = meguri_result_fact(&steps, result, "iterations");
    if (status == MEGURI_OK) status = meguri_result_fact(&change, result, "change");
    if (status == MEGURI_OK) {
        double each = seconds.real / steps.real;
        printf("Prepare Time: %.5f\nIterations: %.0f, change %.3g\nIteration Time: %.6f\n", total - seconds.real,
               steps.real, change.real, each);
        if (*best == 0 || each < *best) *best = each;
    }
    meguri_result_free(result);
    return status;
}

int main(int argc, char **argv) {
    if (argc < 2) {
        fputs("usage: bench_pagerank SCALE|GRAPH.meg [THREADS [ITERATIONS [RUNS]]]\n", stderr);
        return 2;
    }
    unsigned threads = argc > 2 ? (unsigned)atoi(argv[2]) : 0, iterations = argc > 3 ? (unsigned)atoi(argv[3]) : 20,
             runs = argc > 4 ? (unsigned)atoi(argv[4]) : 3;
    meguri_ctx *ctx;
    meguri_ctx_options ctx_options = {.size = sizeof ctx_options, .threads = threads};
    if (meguri_ctx_new(&ctx, &ctx_options) != MEGURI_OK) return 4;
    if (getenv("MEGURI_TRACE")) meguri_ctx_trace(ctx, getenv("MEGURI_TRACE"));
    meguri_graph *graph = NULL;
    uint64_t edges;
    double best = 0;
    meguri_status status = get_graph(&graph, &edges, ctx, argv[1]);
    for (unsigned i = 0; i < runs && status == MEGURI_OK; i++) status = run_once(ctx, graph, iterations, &best);
    if (status == MEGURI_OK) printf("Fastest: %.6f\n", best);
    else fprintf(stderr, "bench_pagerank: %s\n", meguri_ctx_error(ctx));
    meguri_graph_free(graph);
    meguri_ctx_free(ctx);
    return meguri_status_exit_code(status);
}
