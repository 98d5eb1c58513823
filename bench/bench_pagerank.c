/* PageRank: the time of an iteration.
 *
 *     bench_pagerank SCALE|GRAPH.meg [THREADS [ITERATIONS [RUNS [WAYS]]]]
 *
 * 0 iterations: until the tolerance of 1e-9 is met. An iteration is timed with its share of bringing the ranks into the
 * user's numbering; what has to be made before the first one is told apart. WAYS: some of tiles, rows (threads, without
 * tiles) and device, with commas between, run in turns; tiles alone if it is not given. */
#include "graphs.h"

#define MOST_WAYS 3
#define MOST_RUNS 1000

typedef struct way {
    const char *name;
    meguri_pagerank_options options;
    double each[MOST_RUNS]; /* seconds of an iteration */
} way;

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static meguri_status run_once(meguri_ctx *ctx, const meguri_graph *graph, way *w, unsigned run) {
    meguri_result *result = NULL;
    meguri_fact seconds = {.size = sizeof seconds}, steps = {.size = sizeof steps}, change = {.size = sizeof change};
    double start = now();
    meguri_status status = meguri_pagerank(&result, ctx, graph, &w->options);
    double total = now() - start;
    if (status == MEGURI_OK) status = meguri_result_fact(&seconds, result, "seconds");
    if (status == MEGURI_OK) status = meguri_result_fact(&steps, result, "iterations");
    if (status == MEGURI_OK) status = meguri_result_fact(&change, result, "change");
    if (status == MEGURI_OK) {
        w->each[run] = seconds.real / steps.real;
        printf("Prepare Time: %.5f\nIterations: %.0f, change %.3g\nIteration Time: %.6f (%s)\n", total - seconds.real,
               steps.real, change.real, w->each[run], w->name);
    }
    meguri_result_free(result);
    return status;
}

/* How many ways the text names; 0: it is wrong. */
static unsigned read_ways(way *ways, char *text, uint32_t iterations) {
    unsigned count = 0;
    for (char *name = strtok(text, ","); name && count < MOST_WAYS; name = strtok(NULL, ",")) {
        way *w = &ways[count++];
        bool rows = strcmp(name, "rows") == 0, device = strcmp(name, "device") == 0;
        if (!rows && !device && strcmp(name, "tiles") != 0) return 0;
        w->name = name;
        w->options = (meguri_pagerank_options){.size = sizeof w->options,
                                               .iterations = iterations,
                                               .tiles = !(rows),
                                               .engine = device ? MEGURI_ENGINE_DEVICE : MEGURI_ENGINE_AUTO,
                                               .damping = 0.85};
    }
    return count;
}

static void print_times(way *ways, unsigned count, unsigned runs) {
    for (unsigned k = 0; k < count; k++) qsort(ways[k].each, runs, sizeof *ways[k].each, by_size);
    for (unsigned k = 0; k < count; k++) {
        double best = ways[k].each[0], median = ways[k].each[runs / 2];
        printf("%s: fastest %.6f, median %.6f", ways[k].name, best, median);
        if (k)
            printf("; %s takes %.2f times as long, median %.2f", ways[0].name, ways[0].each[0] / best,
                   ways[0].each[runs / 2] / median);
        putchar('\n');
    }
    printf("Fastest: %.6f\n", ways[0].each[0]);
}

int main(int argc, char **argv) {
    static way ways[MOST_WAYS];
    char tiles[] = "tiles";
    unsigned threads = argc > 2 ? (unsigned)atoi(argv[2]) : 0, iterations = argc > 3 ? (unsigned)atoi(argv[3]) : 20,
             runs = argc > 4 ? (unsigned)atoi(argv[4]) : 3;
    unsigned count = read_ways(ways, argc > 5 ? argv[5] : tiles, iterations);
    if (argc < 2 || !count || !runs || runs > MOST_RUNS) {
        fputs("usage: bench_pagerank SCALE|GRAPH.meg [THREADS [ITERATIONS [RUNS [tiles,rows,device]]]]\n", stderr);
        return 2;
    }
    meguri_ctx *ctx;
    meguri_ctx_options ctx_options = {.size = sizeof ctx_options, .threads = threads};
    if (meguri_ctx_new(&ctx, &ctx_options) != MEGURI_OK) return 4;
    if (getenv("MEGURI_TRACE")) meguri_ctx_trace(ctx, getenv("MEGURI_TRACE"));
    meguri_graph *graph = NULL;
    uint64_t edges;
    meguri_status status = get_graph(&graph, &edges, ctx, argv[1]);
    for (unsigned i = 0; i < runs && status == MEGURI_OK; i++)
        for (unsigned k = 0; k < count && status == MEGURI_OK; k++) status = run_once(ctx, graph, &ways[k], i);
    if (status == MEGURI_OK) print_times(ways, count, runs);
    else fprintf(stderr, "bench_pagerank: %s\n", meguri_ctx_error(ctx));
    meguri_graph_free(graph);
    meguri_ctx_free(ctx);
    return meguri_status_exit_code(status);
}
