/* Kernel "build": a Kronecker edge list in memory → symmetric, sorted, duplicate-free rows.
 *
 *     bench_build SCALE [THREADS [ORDER]]
 *
 * Prints the time of the build alone and the most memory that was in use beyond the edge list. */
#include <meguri.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void) {
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int fail(meguri_ctx *ctx, meguri_status status) {
    fprintf(stderr, "bench_build: %s\n", meguri_ctx_error(ctx));
    return meguri_status_exit_code(status);
}

int main(int argc, char **argv) {
    unsigned scale = argc > 1 ? (unsigned)atoi(argv[1]) : 20, threads = argc > 2 ? (unsigned)atoi(argv[2]) : 0;
    const char *order = argc > 3 ? argv[3] : "none";
    meguri_ctx *ctx;
    meguri_ctx_options options = {.size = sizeof options, .threads = threads};
    if (meguri_ctx_new(&ctx, &options) != MEGURI_OK) return 4;
    if (getenv("MEGURI_TRACE")) meguri_ctx_trace(ctx, getenv("MEGURI_TRACE"));

    meguri_kronecker_options kronecker = {.size = sizeof kronecker, .scale = scale};
    uint32_t *pairs;
    uint64_t count;
    double start = now();
    meguri_status status = meguri_gen_kronecker_pairs(&pairs, &count, ctx, &kronecker);
    if (status != MEGURI_OK) return fail(ctx, status);
    printf("Generate Time: %.4f\n", now() - start);
    uint64_t input = meguri_ctx_memory_used(ctx);

    meguri_edge_arrays edges = {.size = sizeof edges,
                                .count = count,
                                .from = pairs,
                                .to = pairs + 1,
                                .id_bytes = 4,
                                .stride = 8,
                                .vertices = (uint64_t)1 << scale};
    meguri_build_options build = {.size = sizeof build, .direction = MEGURI_UNDIRECTED, .order = MEGURI_ORDER_NONE};
    for (int o = MEGURI_ORDER_AUTO; o <= MEGURI_ORDER_NONE; o++)
        if (strcmp(order, meguri_order_name((meguri_order)o)) == 0) build.order = (meguri_order)o;
    meguri_graph *graph;
    start = now();
    status = meguri_graph_from_edges(&graph, ctx, &edges, &build);
    if (status != MEGURI_OK) return fail(ctx, status);
    printf("Build Time: %.4f\n", now() - start);
    meguri_graph_info info = {.size = sizeof info};
    meguri_graph_get_info(&info, ctx, graph);
    printf("Arcs: %llu\nPeak Beyond Input: %.1f MB\n", (unsigned long long)info.arcs,
           (double)(meguri_ctx_memory_peak(ctx) - input) * 1e-6);
    meguri_graph_free(graph);
    meguri_pairs_free(pairs);
    meguri_ctx_free(ctx);
    return 0;
}
