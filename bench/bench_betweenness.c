/* Betweenness from sampled sources, several times.
 *
 *     bench_betweenness SCALE|GRAPH.meg [THREADS [SOURCES [RUNS]]]
 *
 * A run is timed from the call until the scores lie in memory in the user's numbering. A directed graph has its arcs
 * turned round before the first. */
#include "graphs.h"

static meguri_status run_all(meguri_ctx *ctx, const meguri_graph *graph, unsigned sources, unsigned runs) {
    meguri_betweenness_options options = {.size = sizeof options, .count = sources, .seed = 1};
    meguri_fact edges = {.size = sizeof edges};
    meguri_status status = MEGURI_OK;
    double best = 0, sum = 0;
    for (unsigned i = 0; i < runs && status == MEGURI_OK; i++) {
        meguri_result *result = NULL;
        double start = now();
        status = meguri_betweenness(&result, ctx, graph, &options);
        double seconds = now() - start;
        sum += seconds;
        if (i == 0 || seconds < best) best = seconds;
        if (status == MEGURI_OK) status = meguri_result_fact(&edges, result, "edges");
        meguri_result_free(result);
    }
    if (status == MEGURI_OK)
        printf("Average Time: %.6f\nFastest: %.6f\nTime per source: %.6f\nEdges: %llu\nEdges/s: %.1f M\n", sum / runs,
               best, best / sources, (unsigned long long)edges.number, edges.real / best * 1e-6);
    return status;
}

int main(int argc, char **argv) {
    if (argc < 2) {
        fputs("usage: bench_betweenness SCALE|GRAPH.meg [THREADS [SOURCES [RUNS]]]\n", stderr);
        return 2;
    }
    unsigned threads = argc > 2 ? (unsigned)atoi(argv[2]) : 0, sources = argc > 3 ? (unsigned)atoi(argv[3]) : 4;
    unsigned runs = argc > 4 ? (unsigned)atoi(argv[4]) : 5;
    meguri_ctx *ctx;
    meguri_ctx_options ctx_options = {.size = sizeof ctx_options, .threads = threads};
    if (meguri_ctx_new(&ctx, &ctx_options) != MEGURI_OK) return 4;
    if (getenv("MEGURI_TRACE")) meguri_ctx_trace(ctx, getenv("MEGURI_TRACE"));
    meguri_graph *graph = NULL;
    uint64_t edges, degree;
    meguri_graph_info info = {.size = sizeof info};
    meguri_status status = get_graph(&graph, &edges, ctx, argv[1]);
    if (status == MEGURI_OK) status = meguri_graph_get_info(&info, ctx, graph);
    if (status == MEGURI_OK && info.directed && info.vertices) /* turns the arcs round */
        status = meguri_graph_in_degrees(&degree, ctx, graph, 0, 1);
    if (status == MEGURI_OK) status = run_all(ctx, graph, sources, runs ? runs : 1);
    if (status != MEGURI_OK) fprintf(stderr, "bench_betweenness: %s\n", meguri_ctx_error(ctx));
    meguri_graph_free(graph);
    meguri_ctx_free(ctx);
    return meguri_status_exit_code(status);
}
