/* Components, several times over.
 *
 *     bench_components SCALE|GRAPH.meg [THREADS [TIMES]]
 *
 * A run is timed from the call until a plain array of components in the user's numbering lies in memory, which every
 * run allocates anew. MEGURI_TRACE=FILE writes the phases, MEGURI_CHECK=1 checks the last answer. */
#include "graphs.h"

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static meguri_status run_all(meguri_ctx *ctx, const meguri_graph *graph, unsigned count) {
    double *times = calloc(count, sizeof *times), sum = 0;
    meguri_result *result = NULL;
    meguri_fact components = {.size = sizeof components}, edges = {.size = sizeof edges};
    meguri_status status = MEGURI_OK;
    for (unsigned i = 0; i < count && status == MEGURI_OK; i++) {
        meguri_result_free(result);
        double start = now();
        status = meguri_components(&result, ctx, graph, NULL);
        times[i] = now() - start;
        sum += times[i];
    }
    if (status == MEGURI_OK) status = meguri_result_fact(&components, result, "components");
    if (status == MEGURI_OK) status = meguri_result_fact(&edges, result, "edges");
    if (status == MEGURI_OK && getenv("MEGURI_CHECK")) status = meguri_components_check(ctx, graph, result, NULL);
    if (status == MEGURI_OK) {
        qsort(times, count, sizeof *times, by_size);
        printf("Components: %llu\nEdges: %llu\nAverage Time: %.6f\nMedian Time: %.6f\nFastest: %.6f\nSlowest: %.6f\n",
               (unsigned long long)components.number, (unsigned long long)edges.number, sum / count, times[count / 2],
               times[0], times[count - 1]);
    }
    meguri_result_free(result);
    free(times);
    return status;
}

int main(int argc, char **argv) {
    unsigned threads = argc > 2 ? (unsigned)atoi(argv[2]) : 0, count = argc > 3 ? (unsigned)atoi(argv[3]) : 16;
    if (argc < 2 || !count) {
        fputs("usage: bench_components SCALE|GRAPH.meg [THREADS [TIMES]]\n", stderr);
        return 2;
    }
    meguri_ctx *ctx;
    meguri_ctx_options ctx_options = {.size = sizeof ctx_options, .threads = threads};
    if (meguri_ctx_new(&ctx, &ctx_options) != MEGURI_OK) return 4;
    meguri_graph *graph = NULL;
    uint64_t edges;
    meguri_status status = get_graph(&graph, &edges, ctx, argv[1]);
    if (status == MEGURI_OK && getenv("MEGURI_TRACE")) status = meguri_ctx_trace(ctx, getenv("MEGURI_TRACE"));
    if (status == MEGURI_OK) status = run_all(ctx, graph, count);
    if (status != MEGURI_OK) fprintf(stderr, "bench_components: %s\n", meguri_ctx_error(ctx));
    meguri_graph_free(graph);
    meguri_ctx_free(ctx);
    return meguri_status_exit_code(status);
}
