/* Counting triangles, several times; or clustering coefficients.
 *
 *     bench_triangles SCALE|GRAPH.meg [THREADS [TRIALS [triangles|clustering]]]
 *
 * A trial is timed from the call to its result, with everything that is made for it. MEGURI_TRACE=FILE writes the
 * phases. */
#include "graphs.h"

typedef meguri_status algorithm(meguri_result **out, meguri_ctx *ctx, const meguri_graph *graph);

static meguri_status triangles(meguri_result **out, meguri_ctx *ctx, const meguri_graph *graph) {
    return meguri_triangles(out, ctx, graph, NULL);
}

static meguri_status clustering(meguri_result **out, meguri_ctx *ctx, const meguri_graph *graph) {
    return meguri_clustering(out, ctx, graph, NULL);
}

static meguri_status run_trials(meguri_ctx *ctx, const meguri_graph *graph, uint64_t edges, unsigned trials,
                                algorithm *run) {
    double sum = 0, fastest = 0;
    meguri_status status = MEGURI_OK;
    for (unsigned i = 0; i < trials && status == MEGURI_OK; i++) {
        meguri_result *result = NULL;
        meguri_fact fact = {.size = sizeof fact};
        double start = now();
        status = run(&result, ctx, graph);
        double seconds = now() - start;
        sum += seconds;
        if (i == 0 || seconds < fastest) fastest = seconds;
        if (i == 0 && status == MEGURI_OK && meguri_result_fact_at(&fact, result, 0) == MEGURI_OK)
            printf("%s: %.10g\n", fact.name, fact.real);
        printf("Trial Time: %.5f\n", seconds);
        meguri_result_free(result);
    }
    if (status == MEGURI_OK)
        printf("Average Time: %.5f\nFastest: %.5f\nNanoseconds an Edge: %.3f\n", sum / trials, fastest,
               1e9 * sum / trials / (double)edges);
    return status;
}

int main(int argc, char **argv) {
    if (argc < 2) {
        fputs("usage: bench_triangles SCALE|GRAPH.meg [THREADS [TRIALS [triangles|clustering]]]\n", stderr);
        return 2;
    }
    unsigned threads = argc > 2 ? (unsigned)atoi(argv[2]) : 0, trials = argc > 3 ? (unsigned)atoi(argv[3]) : 3;
    bool each = argc > 4 && strcmp(argv[4], "clustering") == 0;
    meguri_ctx *ctx;
    meguri_ctx_options ctx_options = {.size = sizeof ctx_options, .threads = threads};
    if (meguri_ctx_new(&ctx, &ctx_options) != MEGURI_OK) return 4;
    if (getenv("MEGURI_TRACE")) meguri_ctx_trace(ctx, getenv("MEGURI_TRACE"));
    meguri_graph *graph = NULL;
    uint64_t edges;
    meguri_status status = get_graph(&graph, &edges, ctx, argv[1]);
    if (status == MEGURI_OK) status = run_trials(ctx, graph, edges, trials, each ? clustering : triangles);
    if (status != MEGURI_OK) fprintf(stderr, "bench_triangles: %s\n", meguri_ctx_error(ctx));
    meguri_graph_free(graph);
    meguri_ctx_free(ctx);
    return meguri_status_exit_code(status);
}
