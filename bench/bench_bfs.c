/* Breadth-first searches, one after another, from random vertices that have edges.
 *
 *     bench_bfs SCALE|GRAPH.meg [THREADS [ROOTS [POLICY [ROOT]]]]
 *
 * ROOT: all searches from this vertex. A search is timed from the call until a plain array of parents in the user's
 * numbering lies in memory. TEPS counts the edges of the input: 16·2^SCALE, or those of the file. MEGURI_STEPS=1 prints
 * the steps of the first search, MEGURI_ENGINE=device searches on a device, without the host. */
#include "graphs.h"

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void print_steps(const meguri_bfs_search *search) {
    static const char *const ways[] = {"push", "pull", "fill"};
    meguri_bfs_step step = {.size = sizeof step};
    for (uint64_t i = 0; meguri_bfs_search_step_at(&step, search, i) == MEGURI_OK; i++)
        printf("  %4llu %s frontier %9llu edges %10llu reached %9llu  %9.1f us\n", (unsigned long long)i,
               ways[step.direction], (unsigned long long)step.frontier, (unsigned long long)step.edges,
               (unsigned long long)step.reached, step.seconds * 1e6);
}

static meguri_status search_all(meguri_ctx *ctx, const meguri_graph *graph, uint64_t edges, unsigned roots,
                                const meguri_bfs_options *options, const char *the_root) {
    meguri_bfs_search *search = NULL;
    double *times = calloc(roots, sizeof *times), inverse = 0, sum = 0, looks = 0;
    uint64_t random = 20;
    double start = now();
    meguri_status status = meguri_bfs_search_new(&search, ctx, graph, options);
    printf("Prepare Time: %.5f\n", now() - start);
    for (unsigned i = 0; i < roots && status == MEGURI_OK; i++) {
        uint64_t root = 0;
        if (the_root) root = strtoull(the_root, NULL, 10);
        else status = random_root(&root, ctx, graph, &random);
        const meguri_result *result;
        start = now();
        if (status == MEGURI_OK) status = meguri_bfs_search_run(&result, ctx, search, root);
        times[i] = now() - start;
        sum += times[i];
        inverse += times[i] / (double)edges;
        meguri_fact looked = {.size = sizeof looked};
        if (status == MEGURI_OK) status = meguri_result_fact(&looked, result, "edges");
        looks += (double)looked.number;
        if (getenv("MEGURI_STEPS") && i < (unsigned)atoi(getenv("MEGURI_STEPS")) && status == MEGURI_OK) {
            printf("  root %llu: %.1f us\n", (unsigned long long)root, times[i] * 1e6);
            print_steps(search);
        }
    }
    if (status == MEGURI_OK) {
        qsort(times, roots, sizeof *times, by_size);
        printf("Search Time: %.6f\nMedian Time: %.6f\nFastest: %.6f\nSlowest: %.6f\nHarmonic MTEPS: %.1f\n"
               "Edges looked at: %.0f\n",
               sum / roots, times[roots / 2], times[0], times[roots - 1], roots / inverse * 1e-6, looks / roots);
    }
    free(times);
    meguri_bfs_search_free(search);
    return status;
}

int main(int argc, char **argv) {
    static const char *const policies[] = {"auto", "p1", "push", "pull"};
    if (argc < 2) {
        fputs("usage: bench_bfs SCALE|GRAPH.meg [THREADS [ROOTS [POLICY [ROOT]]]]\n", stderr);
        return 2;
    }
    unsigned threads = argc > 2 ? (unsigned)atoi(argv[2]) : 0, roots = argc > 3 ? (unsigned)atoi(argv[3]) : 64;
    meguri_bfs_options options = {.size = sizeof options,
                                  .max_depth = UINT32_MAX,
                                  .alpha = 10,
                                  .beta = 14,
                                  .levels = !(!getenv("MEGURI_LEVELS")),
                                  .parents = !(!!getenv("MEGURI_NOPARENTS"))};
    for (int p = 0; p < 4 && argc > 4; p++)
        if (strcmp(argv[4], policies[p]) == 0) options.policy = (meguri_bfs_policy)p;
    const char *engine = getenv("MEGURI_ENGINE");
    if (engine && strcmp(engine, "device") == 0) options.engine = MEGURI_ENGINE_DEVICE, options.split_device = 1;
    meguri_ctx *ctx;
    meguri_ctx_options ctx_options = {.size = sizeof ctx_options, .threads = threads};
    if (meguri_ctx_new(&ctx, &ctx_options) != MEGURI_OK) return 4;
    if (getenv("MEGURI_TRACE")) meguri_ctx_trace(ctx, getenv("MEGURI_TRACE"));
    meguri_graph *graph = NULL;
    uint64_t edges;
    meguri_status status = get_graph(&graph, &edges, ctx, argv[1]);
    if (status == MEGURI_OK) status = search_all(ctx, graph, edges, roots, &options, argc > 5 ? argv[5] : NULL);
    if (status != MEGURI_OK) fprintf(stderr, "bench_bfs: %s\n", meguri_ctx_error(ctx));
    meguri_graph_free(graph);
    meguri_ctx_free(ctx);
    return meguri_status_exit_code(status);
}
