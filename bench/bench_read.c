/* A text file → rows: what `meguri build` does before it writes.
 *
 *     bench_read FILE [THREADS [ORDER]] */
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

int main(int argc, char **argv) {
    if (argc < 2) {
        fprintf(stderr, "usage: bench_read FILE [THREADS [ORDER]]\n");
        return 2;
    }
    const char *order = argc > 3 ? argv[3] : "none";
    meguri_ctx *ctx;
    meguri_ctx_options options = {.size = sizeof options, .threads = argc > 2 ? (unsigned)atoi(argv[2]) : 0};
    if (meguri_ctx_new(&ctx, &options) != MEGURI_OK) return 4;
    if (getenv("MEGURI_TRACE")) meguri_ctx_trace(ctx, getenv("MEGURI_TRACE"));
    meguri_build_options build = {.size = sizeof build};
    meguri_read_options read = {.size = sizeof read, .build = &build};
    build.order = MEGURI_ORDER_NONE;
    for (int o = MEGURI_ORDER_AUTO; o <= MEGURI_ORDER_NONE; o++)
        if (strcmp(order, meguri_order_name((meguri_order)o)) == 0) build.order = (meguri_order)o;
    meguri_graph *graph;
    const char *paths[] = {argv[1]};
    double start = now();
    meguri_status status = meguri_read(&graph, ctx, paths, 1, &read);
    if (status != MEGURI_OK) {
        fprintf(stderr, "bench_read: %s\n", meguri_ctx_error(ctx));
        return meguri_status_exit_code(status);
    }
    printf("Read Time: %.4f\n", now() - start);
    meguri_graph_info info = {.size = sizeof info};
    meguri_graph_get_info(&info, ctx, graph);
    printf("Vertices: %llu\nArcs: %llu\nPeak: %.1f MB\n", (unsigned long long)info.vertices,
           (unsigned long long)info.arcs, (double)meguri_ctx_memory_peak(ctx) * 1e-6);
    meguri_graph_free(graph);
    meguri_ctx_free(ctx);
    return 0;
}
