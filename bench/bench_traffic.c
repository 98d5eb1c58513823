/* Bytes of a search on a cluster, by layout: replicated (P × 1), simple (1 × P) and two-dimensional, plain and packed.
 *
 *     bench_traffic fixed|weak|all [SCALE [ROOTS]] [--json] [--trace PREFIX]
 *
 * fixed: a Kronecker graph of SCALE (17) on 4, 9 and 16 processes; weak: 2^SCALE vertices (14) for each of 1, 4 and 16.
 * Processes are threads of this one: bytes and messages are those of real ones, times are not. Figures are means over
 * ROOTS (8) searches. SCALE is for one of the two; 0: as it is in brackets. Plain sets go as bitmap or list, whichever
 * is shorter, message by message: so the levels of a plain search are the sum over levels of min(list, bitmap) that
 * packed ones are set beside. --json: a line for each row.
 * --trace: the levels of all searches, a file for each row, for bench/replay.py. */
#include "graphs.h"
#include <meguri/extra/cluster_threads.h>

#include <math.h>

enum { EXPAND, FOLD, SETTLE, PARENTS, ALL, MESSAGES, PREDICTED, FIGURES };
static const char *const names[FIGURES] = {"expand_bytes", "fold_bytes", "settle_bytes",   "parent_bytes",
                                           "bytes",        "messages",   "predicted_bytes"};

typedef struct bench {
    const char *mode, *layout, *prefix;
    uint32_t scale, processes, rows, columns, roots;
    bool json;
    double mean[2][FIGURES]; /* plain, packed; of all processes; written by the first */
} bench;

static meguri_status search(bench *b, meguri_ctx *ctx, meguri_graph *graph, bool first, int packed) {
    const meguri_bfs_options o = {.size = sizeof o,
                                  .max_depth = UINT32_MAX,
                                  .levels = 1,
                                  .parents = 1,
                                  .exchange = packed ? MEGURI_EXCHANGE_PACKED : MEGURI_EXCHANGE_PLAIN};
    meguri_fact reached = {.size = sizeof reached}, figure = reached;
    uint64_t vertices = (uint64_t)1 << b->scale, random = 11;
    meguri_status status = MEGURI_OK;
    for (uint32_t i = 0; i < b->roots && status == MEGURI_OK;) {
        meguri_result *result = NULL;
        status = meguri_bfs(&result, ctx, graph, next_random(&random) % vertices, &o);
        if (status == MEGURI_OK) status = meguri_result_fact(&reached, result, "reached");
        bool counts = reached.number > vertices / 100; /* a root without edges, or in a small component, does not */
        for (int f = 0; f < FIGURES && counts && status == MEGURI_OK; f++) {
            status = meguri_result_fact(&figure, result, names[f]);
            if (first) b->mean[packed][f] += (double)figure.number / b->roots;
        }
        i += counts;
        meguri_result_free(result);
    }
    return status;
}

static meguri_status work(void *user, meguri_ctx *ctx, meguri_cluster *cluster) {
    bench *b = user;
    const meguri_layout layout = {.size = sizeof layout, .cluster = cluster, .rows = b->rows, .columns = b->columns};
    const meguri_kronecker_options what = {
        .size = sizeof what,
        .scale = b->scale,
        .build = &(meguri_build_options){.size = sizeof(meguri_build_options), .layout = &layout}};
    bool first = meguri_cluster_rank(cluster) == 0;
    meguri_graph *graph = NULL;
    meguri_status status = meguri_gen_kronecker(&graph, ctx, &what);
    for (int packed = 0; packed < 2 && status == MEGURI_OK; packed++) {
        if (first && b->prefix) {
            char path[4096];
            snprintf(path, sizeof path, "%s-%u-%ux%u-%s.jsonl", b->prefix, b->scale, b->rows, b->columns,
                     packed ? "packed" : "plain");
            status = meguri_ctx_trace(ctx, path);
        }
        status = meguri_cluster_agree(ctx, cluster, status, status == MEGURI_OK ? NULL : meguri_ctx_error(ctx));
        if (status == MEGURI_OK) status = search(b, ctx, graph, first, packed);
    }
    if (first && status == MEGURI_OK) status = meguri_ctx_trace(ctx, NULL);
    meguri_graph_free(graph);
    return status;
}

/* Whole numbers alone are printed: the same in every locale. */
static void tell(const bench *b, int packed) {
    const double *mean = b->mean[packed], *plain = b->mean[0];
    double levels = mean[EXPAND] + mean[FOLD] + mean[SETTLE], shortest = plain[EXPAND] + plain[FOLD] + plain[SETTLE];
    unsigned long long whole[FIGURES];
    unsigned share = shortest > 0 ? (unsigned)(100 * levels / shortest + 0.5) : 100;
    for (int f = 0; f < FIGURES; f++) whole[f] = (unsigned long long)(mean[f] + 0.5);
    const char *exchange = packed ? "packed" : "plain";
    if (!b->json) {
        printf("%-5s %5u %4u  %-10s %2ux%-2u %-6s %9llu %9llu %9llu %9llu %10llu %10llu %10llu %4u%%\n", b->mode,
               b->scale, b->processes, b->layout, b->rows, b->columns, exchange, whole[EXPAND], whole[FOLD],
               whole[SETTLE], whole[PARENTS], whole[ALL], whole[ALL] / b->processes, whole[PREDICTED], share);
        return;
    }
    printf("{\"mode\":\"%s\",\"scale\":%u,\"processes\":%u,\"layout\":\"%s\",\"rows\":%u,\"columns\":%u,\"exchange\":"
           "\"%s\"",
           b->mode, b->scale, b->processes, b->layout, b->rows, b->columns, exchange);
    for (int f = 0; f < FIGURES; f++) printf(",\"%s\":%llu", names[f], whole[f]);
    printf(",\"levels_of_shortest_percent\":%u}\n", share);
}

static meguri_status measure(meguri_ctx *ctx, bench b, uint32_t processes) {
    const meguri_cluster_threads_options ranks = {.size = sizeof ranks, .ranks = processes};
    uint32_t side = (uint32_t)(sqrt((double)processes) + 0.5);
    const struct {
        const char *name;
        uint32_t rows, columns;
    } layouts[] = {{"replicated", processes, 1}, {"simple", 1, processes}, {"2-D", side, side}};
    meguri_status status = MEGURI_OK;
    for (int i = processes == 1 ? 2 : 0; i < 3 && status == MEGURI_OK; i++) {
        bench one = b;
        one.processes = processes;
        one.layout = layouts[i].name;
        one.rows = layouts[i].rows;
        one.columns = layouts[i].columns;
        status = meguri_cluster_threads(ctx, &ranks, work, &one);
        for (int packed = 0; packed < 2 && status == MEGURI_OK; packed++) tell(&one, packed);
        fflush(stdout);
    }
    return status;
}

int main(int argc, char **argv) {
    const char *words[3] = {"", "", "8"};
    int count = 0;
    bench b = {.mode = "fixed"};
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--json") == 0) b.json = true;
        else if (strcmp(argv[i], "--trace") == 0 && i + 1 < argc) b.prefix = argv[++i];
        else if (count < 3) words[count++] = argv[i];
    }
    bool all = strcmp(words[0], "all") == 0, fixed = all || strcmp(words[0], "fixed") == 0;
    bool weak = all || strcmp(words[0], "weak") == 0;
    uint32_t scale = (uint32_t)atoi(words[1]);
    b.roots = (uint32_t)atoi(words[2]);
    if ((!fixed && !weak) || !b.roots || scale > 30) {
        fputs("usage: bench_traffic fixed|weak|all [SCALE [ROOTS]] [--json] [--trace PREFIX]\n", stderr);
        return 2;
    }
    meguri_ctx *ctx;
    if (meguri_ctx_new(&ctx, NULL) != MEGURI_OK) return 4;
    meguri_status status = MEGURI_OK;
    if (!b.json)
        printf("%-5s %5s %4s  %-10s %-5s %-6s %9s %9s %9s %9s %10s %10s %10s %s\n", "mode", "scale", "P", "layout",
               "grid", "", "expand", "fold", "settle", "parents", "all", "a process", "predicted",
               "levels/min(list, bitmap)");
    for (uint32_t side = 2; side <= 4 && fixed && status == MEGURI_OK; side++) {
        b.scale = scale && !all ? scale : 17;
        status = measure(ctx, b, side * side);
    }
    b.mode = "weak";
    for (uint32_t doublings = 0; doublings <= 4 && weak && status == MEGURI_OK; doublings += 2) {
        b.scale = (scale && !all ? scale : 14) + doublings;
        status = measure(ctx, b, 1u << doublings);
    }
    if (status != MEGURI_OK) fprintf(stderr, "bench_traffic: %s\n", meguri_ctx_error(ctx));
    meguri_ctx_free(ctx);
    return meguri_status_exit_code(status);
}
