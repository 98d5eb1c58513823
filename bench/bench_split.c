/* Host, device, and both at levels of a breadth-first search, at fixed shares and at those that are chosen (paper P1,
 * figures 10 and 11).
 *
 *     bench_split SCALE|GRAPH.meg [THREADS [ROOTS [PROCESSES]]]
 *
 * Every row searches from the same roots, and for each root the rows take turns. Medians of whole searches, until
 * parents are in memory, and of their levels alone, which is what the paper's figure 10 calls computation. Then the
 * shares of vertices by degree (figure 11), in the undivided graph and in a block of it, cut for so many processes
 * (2, 8, 32, 128 …: with P of them there are √(2P) rows of blocks). MEGURI_TRACE=FILE: the trace of all searches. */
#include "graphs.h"

#include <math.h>

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double median(double *values, unsigned count) {
    qsort(values, count, sizeof *values, by_size);
    return values[count / 2];
}

/* ---- figure 10 -------------------------------------------------------------------------------------------------- */

typedef struct row {
    const char *name;
    meguri_engine engine;
    uint32_t host, device; /* shares */
    meguri_bfs_search *search;
    double *whole, *levels, here; /* seconds by root; edges that the host looked at, of all */
} row;

static meguri_status time_root(row *r, meguri_ctx *ctx, uint64_t root, unsigned i) {
    const meguri_result *result;
    meguri_fact host = {.size = sizeof host}, edges = host;
    meguri_bfs_step step = {.size = sizeof step};
    double start = now();
    meguri_status status = meguri_bfs_search_run(&result, ctx, r->search, root);
    r->whole[i] = now() - start;
    if (status != MEGURI_OK) return status;
    for (uint64_t k = 0; meguri_bfs_search_step_at(&step, r->search, k) == MEGURI_OK; k++)
        if (step.direction != MEGURI_BFS_DIRECTION_FILL) r->levels[i] += step.seconds;
    if (meguri_result_fact(&host, result, "host_edges") == MEGURI_OK) {
        status = meguri_result_fact(&edges, result, "edges");
        r->here += (double)host.number / (double)(edges.number ? edges.number : 1);
    } else r->here += 1;
    return status;
}

static meguri_status compare(meguri_ctx *ctx, const meguri_graph *graph, unsigned roots) {
    row rows[] = {{"host", MEGURI_ENGINE_HOST, 0, 0, NULL, NULL, NULL, 0},
                  {"0:1", MEGURI_ENGINE_DEVICE, 0, 1, NULL, NULL, NULL, 0},
                  {"1:3", MEGURI_ENGINE_DEVICE, 1, 3, NULL, NULL, NULL, 0},
                  {"1:1", MEGURI_ENGINE_DEVICE, 1, 1, NULL, NULL, NULL, 0},
                  {"3:1", MEGURI_ENGINE_DEVICE, 3, 1, NULL, NULL, NULL, 0},
                  {"7:1", MEGURI_ENGINE_DEVICE, 7, 1, NULL, NULL, NULL, 0},
                  {"1:0", MEGURI_ENGINE_DEVICE, 1, 0, NULL, NULL, NULL, 0},
                  {"auto", MEGURI_ENGINE_DEVICE, 0, 0, NULL, NULL, NULL, 0}};
    const size_t count = sizeof rows / sizeof *rows;
    const unsigned warm = 3; /* roots that are not counted */
    uint64_t random = 20;
    meguri_status status = MEGURI_OK;
    for (size_t k = 0; k < count && status == MEGURI_OK; k++) {
        const meguri_bfs_options options = {.size = sizeof options,
                                            .max_depth = UINT32_MAX,
                                            .parents = 1,
                                            .engine = rows[k].engine,
                                            .split_host = rows[k].host,
                                            .split_device = rows[k].device,
                                            .levels = 0};
        rows[k].whole = calloc(warm + roots, sizeof(double));
        rows[k].levels = calloc(warm + roots, sizeof(double));
        status = meguri_bfs_search_new(&rows[k].search, ctx, graph, &options);
    }
    for (unsigned i = 0; i < warm + roots && status == MEGURI_OK; i++) {
        uint64_t root = 0;
        status = random_root(&root, ctx, graph, &random);
        for (size_t k = 0; k < count && status == MEGURI_OK; k++) status = time_root(&rows[k], ctx, root, i);
    }
    if (status == MEGURI_OK) printf("who    search (ms)  levels (ms)  edges of the host\n");
    for (size_t k = 0; k < count; k++) {
        if (status == MEGURI_OK)
            printf("%-5s  %11.3f  %11.3f  %16.0f%%\n", rows[k].name, 1e3 * median(rows[k].whole + warm, roots),
                   1e3 * median(rows[k].levels + warm, roots), 100 * rows[k].here / (warm + roots));
        meguri_bfs_search_free(rows[k].search);
        free(rows[k].whole);
        free(rows[k].levels);
    }
    return status;
}

/* ---- figure 11 -------------------------------------------------------------------------------------------------- */

#define CLASSES 4
static const uint64_t above[CLASSES] = {0, 8, 32, 128}; /* a class is what is above this, and not above the next */

static void print_shares(const char *what, const uint64_t count[CLASSES], uint64_t vertices) {
    uint64_t more = 0;
    printf("%-16s", what);
    for (int k = CLASSES - 1; k > 0; k--) {
        more += count[k];
        printf("  above %3llu: %5.2f%%", (unsigned long long)above[k],
               vertices ? 100.0 * (double)more / (double)vertices : 0);
    }
    putchar('\n');
}

static void add_degree(uint64_t count[CLASSES], uint64_t degree) {
    for (int k = CLASSES - 1; k >= 0; k--)
        if (degree > above[k]) {
            count[k]++;
            return;
        }
}

/* Vertices by their arcs in one of `blocks` parts of the columns, to which vertices are dealt in turn. */
static meguri_status degrees_in_blocks(meguri_ctx *ctx, const meguri_graph *graph, unsigned blocks, const char *what) {
    meguri_graph_info info = {.size = sizeof info};
    uint64_t count[CLASSES] = {0}, vertices = 0, room = 0, *ends = NULL;
    uint64_t *in_block = calloc(blocks, sizeof *in_block);
    meguri_status status = in_block ? meguri_graph_get_info(&info, ctx, graph) : MEGURI_NO_MEMORY;
    for (uint64_t v = 0; v < info.vertices && status == MEGURI_OK; v++) {
        uint64_t degree = 0, got = 0;
        status = meguri_graph_degrees(&degree, ctx, graph, v, 1);
        vertices += blocks;
        if (status != MEGURI_OK || !degree) continue;
        if (degree > room) {
            free(ends);
            ends = malloc((room = 2 * degree) * sizeof *ends);
            if (!ends) break;
        }
        status = meguri_graph_neighbors(ends, NULL, NULL, room, &got, ctx, graph, v);
        memset(in_block, 0, blocks * sizeof *in_block);
        for (uint64_t i = 0; i < degree && status == MEGURI_OK; i++) in_block[ends[i] % blocks]++;
        for (unsigned b = 0; b < blocks; b++) add_degree(count, in_block[b]);
    }
    if (status == MEGURI_OK) print_shares(what, count, vertices);
    free(ends);
    free(in_block);
    return status;
}

int main(int argc, char **argv) {
    if (argc < 2) {
        fputs("usage: bench_split SCALE|GRAPH.meg [THREADS [ROOTS [PROCESSES]]]\n", stderr);
        return 2;
    }
    unsigned threads = argc > 2 ? (unsigned)atoi(argv[2]) : 1, roots = argc > 3 ? (unsigned)atoi(argv[3]) : 15;
    unsigned processes = argc > 4 ? (unsigned)atoi(argv[4]) : 128, blocks = (unsigned)lround(sqrt(2.0 * processes));
    char what[32];
    meguri_ctx *ctx;
    meguri_ctx_options options = {.size = sizeof options, .threads = threads};
    if (meguri_ctx_new(&ctx, &options) != MEGURI_OK) return 4;
    if (getenv("MEGURI_TRACE")) meguri_ctx_trace(ctx, getenv("MEGURI_TRACE"));
    meguri_graph *graph = NULL;
    uint64_t edges;
    meguri_status status = get_graph(&graph, &edges, ctx, argv[1]);
    if (status == MEGURI_OK && roots) status = compare(ctx, graph, roots);
    if (status == MEGURI_OK) status = degrees_in_blocks(ctx, graph, 1, "undivided");
    snprintf(what, sizeof what, "%u processes", processes);
    if (status == MEGURI_OK && processes) status = degrees_in_blocks(ctx, graph, blocks, what);
    if (status != MEGURI_OK) fprintf(stderr, "bench_split: %s\n", meguri_ctx_error(ctx));
    meguri_graph_free(graph);
    meguri_ctx_free(ctx);
    return meguri_status_exit_code(status);
}
