/* 64 searches in one pass beside the same 64 one after another; both end with levels in the user's numbering.
 *
 *     bench_many SCALE|GRAPH.meg [THREADS [RUNS]]
 *
 * MEGURI_ENGINE=device searches on a device, the single ones without the host. */
#include "graphs.h"

static meguri_status one_after_another(double *seconds, uint64_t *sum, meguri_ctx *ctx, meguri_bfs_search *search,
                                       const uint64_t *sources) {
    *sum = 0;
    *seconds = 0;
    for (int i = 0; i < MEGURI_BFS_MANY; i++) {
        const meguri_result *result;
        meguri_column level = {.size = sizeof level};
        double start = now();
        meguri_status status = meguri_bfs_search_run(&result, ctx, search, sources[i]);
        *seconds += now() - start;
        if (status == MEGURI_OK) status = meguri_result_column(&level, result, "level");
        if (status != MEGURI_OK) return status;
        for (uint64_t v = 0; v < level.count; v++) *sum += (uint64_t)(((const int32_t *)level.data)[v] + 1);
    }
    return MEGURI_OK;
}

static meguri_status in_one_pass(double *seconds, uint64_t *sum, meguri_ctx *ctx, meguri_bfs_many_search *search,
                                 const uint64_t *sources) {
    const meguri_result *result;
    double start = now();
    meguri_status status = meguri_bfs_many_search_run(&result, ctx, search, sources, MEGURI_BFS_MANY);
    *seconds = now() - start;
    *sum = 0;
    for (uint32_t i = 0; i < MEGURI_BFS_MANY && status == MEGURI_OK; i++) {
        meguri_column level = {.size = sizeof level};
        status = meguri_result_column_at(&level, result, i);
        for (uint64_t v = 0; v < level.count; v++) {
            const char *item = (const char *)level.data + v * level.stride;
            int16_t narrow = 0;
            int32_t wide = 0;
            memcpy(&narrow, item, level.item_bytes == 2 ? sizeof narrow : 0);
            memcpy(&wide, item, level.item_bytes == 4 ? sizeof wide : 0);
            *sum += (uint64_t)(1 + (level.item_bytes == 1   ? *(const signed char *)item
                                    : level.item_bytes == 2 ? narrow
                                                            : wide));
        }
    }
    return status;
}

int main(int argc, char **argv) {
    if (argc < 2) {
        fputs("usage: bench_many SCALE|GRAPH.meg [THREADS [RUNS]]\n", stderr);
        return 2;
    }
    int runs = argc > 3 ? atoi(argv[3]) : 5;
    meguri_ctx *ctx;
    meguri_ctx_options ctx_options = {.size = sizeof ctx_options, .threads = argc > 2 ? (unsigned)atoi(argv[2]) : 0};
    if (meguri_ctx_new(&ctx, &ctx_options) != MEGURI_OK) return 4;
    if (getenv("MEGURI_TRACE")) meguri_ctx_trace(ctx, getenv("MEGURI_TRACE"));
    meguri_graph *graph = NULL;
    meguri_bfs_search *search = NULL;
    meguri_bfs_many_search *many = NULL;
    meguri_bfs_options options = {.size = sizeof options, .max_depth = UINT32_MAX, .levels = 1, .parents = 0};
    meguri_bfs_many_options many_options = {.size = sizeof many_options, .max_depth = UINT32_MAX};
    const char *engine = getenv("MEGURI_ENGINE");
    if (engine && strcmp(engine, "device") == 0) {
        options.engine = many_options.engine = MEGURI_ENGINE_DEVICE;
        options.split_device = 1;
    }
    uint64_t edges, sources[MEGURI_BFS_MANY], random = 20, sums[2] = {0};
    double best[2] = {1e9, 1e9};
    meguri_status status = get_graph(&graph, &edges, ctx, argv[1]);
    if (status == MEGURI_OK) status = meguri_bfs_search_new(&search, ctx, graph, &options);
    if (status == MEGURI_OK) status = meguri_bfs_many_search_new(&many, ctx, graph, &many_options);
    for (int i = 0; i < MEGURI_BFS_MANY && status == MEGURI_OK; i++)
        status = random_root(&sources[i], ctx, graph, &random);
    for (int run = 0; run < runs && status == MEGURI_OK; run++) {
        double seconds[2] = {0, 0};
        status = one_after_another(&seconds[0], &sums[0], ctx, search, sources);
        if (status == MEGURI_OK) status = in_one_pass(&seconds[1], &sums[1], ctx, many, sources);
        for (int i = 0; i < 2; i++) best[i] = seconds[i] < best[i] ? seconds[i] : best[i];
    }
    if (status == MEGURI_OK)
        printf("One After Another: %.5f\nIn One Pass: %.5f\nRatio: %.2f\nSame Levels: %s\n", best[0], best[1],
               best[0] / best[1], sums[0] == sums[1] ? "yes" : "NO");
    else fprintf(stderr, "bench_many: %s\n", meguri_ctx_error(ctx));
    meguri_bfs_search_free(search);
    meguri_bfs_many_search_free(many);
    meguri_graph_free(graph);
    meguri_ctx_free(ctx);
    return meguri_status_exit_code(status);
}
