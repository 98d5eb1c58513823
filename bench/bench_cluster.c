/* Searches on a cluster, one after another, from random vertices that have edges.
 *
 *     mpirun -n 2 --bind-to core bench_cluster sssp GRAPH [THREADS [ROOTS [ROWS COLUMNS]]] [--check]
 *
 * GRAPH is a scale, for a Kronecker graph with whole weights from 1 to 255 (20), or with f32 weights in [0, 1) (20f);
 * or gridN, for streets of N by N crossings. THREADS is for each process. A search is timed by the library, without the
 * way home of its results: the slowest process counts. Without mpirun there is one process. */
#include "graphs.h"

typedef struct bench {
    meguri_ctx *ctx;
    meguri_cluster *cluster;
    meguri_graph *graph;
    meguri_layout layout;
    unsigned roots;
    bool check;
    double *times;
} bench;

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* A grid is small enough for every process to make it whole. */
static meguri_status get_parts(bench *b, const char *what) {
    char *end;
    unsigned long number = strtoul(what, &end, 10);
    if (end != what && (*end == '\0' || strcmp(end, "f") == 0)) {
        meguri_kronecker_options kronecker = {
            .size = sizeof kronecker,
            .scale = (uint32_t)number,
            .weights = *end ? MEGURI_TYPE_F32 : MEGURI_TYPE_U32,
            .build = &(meguri_build_options){.size = sizeof(meguri_build_options), .layout = &b->layout}};
        return meguri_gen_kronecker(&b->graph, b->ctx, &kronecker);
    }
    if (strncmp(what, "grid", 4) != 0 || !isdigit((unsigned char)what[4])) return MEGURI_BAD_ARGUMENT;
    uint64_t side = strtoull(what + 4, NULL, 10);
    meguri_grid_options grid = {.size = sizeof grid, .width = side, .height = side};
    meguri_graph *graph = NULL;
    meguri_status status = meguri_gen_grid(&graph, b->ctx, &grid);
    if (status == MEGURI_OK) status = meguri_graph_spread(&b->graph, b->ctx, graph, &b->layout);
    meguri_graph_free(graph);
    return status;
}

/* Sources without edges, or in small components, do not count. */
static meguri_status search_all(bench *b, uint64_t vertices, bool speak) {
    meguri_sssp_search *search = NULL;
    meguri_fact reached = {.size = sizeof reached}, seconds = reached, bytes = reached, messages = reached;
    uint64_t random = 20;
    double start = now();
    meguri_status status = meguri_sssp_search_new(&search, b->ctx, b->graph, NULL);
    if (speak) printf("Prepare Time: %.5f\n", now() - start);
    for (unsigned i = 0; i < b->roots && status == MEGURI_OK;) {
        const meguri_result *result;
        uint64_t source = next_random(&random) % vertices;
        status = meguri_sssp_search_run(&result, b->ctx, search, source);
        if (status == MEGURI_OK) status = meguri_result_fact(&reached, result, "reached");
        if (status == MEGURI_OK) status = meguri_result_fact(&seconds, result, "seconds");
        if (status == MEGURI_OK) status = meguri_result_fact(&bytes, result, "bytes");
        if (status == MEGURI_OK) status = meguri_result_fact(&messages, result, "messages");
        if (status == MEGURI_OK && b->check) status = meguri_sssp_check(b->ctx, b->graph, result, NULL);
        if (reached.number > vertices / 100) b->times[i++] = seconds.real;
    }
    meguri_sssp_search_free(search);
    if (status != MEGURI_OK || !speak) return status;
    qsort(b->times, b->roots, sizeof *b->times, by_size);
    printf("Median Time: %.6f\nFastest: %.6f\nSlowest: %.6f\nMessages: %llu\nBytes: %llu\n", b->times[b->roots / 2],
           b->times[0], b->times[b->roots - 1], (unsigned long long)messages.number, (unsigned long long)bytes.number);
    return status;
}

static meguri_status run(bench *b, const char *what) {
    meguri_graph_info info = {.size = sizeof info};
    meguri_layout_info lies = {.size = sizeof lies};
    meguri_status status = meguri_cluster_mpi(&b->cluster, b->ctx, NULL);
    if (status != MEGURI_OK) return status;
    b->layout.cluster = b->cluster;
    bool speak = meguri_cluster_rank(b->cluster) == 0;
    if (speak && getenv("MEGURI_TRACE")) meguri_ctx_trace(b->ctx, getenv("MEGURI_TRACE"));
    status = get_parts(b, what);
    if (status == MEGURI_OK) status = meguri_graph_get_info(&info, b->ctx, b->graph);
    if (status == MEGURI_OK) status = meguri_graph_get_layout(&lies, b->ctx, b->graph);
    if (status == MEGURI_OK) {
        if (speak) printf("Processes: %u, a grid of %u × %u\n", lies.processes, lies.rows, lies.columns);
        status = search_all(b, info.vertices, speak);
    }
    return status;
}

int main(int argc, char **argv) {
    const char *words[6] = {NULL, NULL, "1", "16", "0", "0"};
    int count = 0;
    bench b = {.layout.size = sizeof b.layout};
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--check") == 0) b.check = true;
        else if (count < 6) words[count++] = argv[i];
    }
    b.roots = (unsigned)atoi(words[3]);
    b.layout.rows = (uint32_t)atoi(words[4]);
    b.layout.columns = (uint32_t)atoi(words[5]);
    if (count < 2 || strcmp(words[0], "sssp") != 0 || !b.roots) {
        fputs("usage: bench_cluster sssp GRAPH [THREADS [ROOTS [ROWS COLUMNS]]] [--check]\n", stderr);
        return 2;
    }
    meguri_ctx_options options = {.size = sizeof options, .threads = (uint32_t)atoi(words[2])};
    if (meguri_ctx_new(&b.ctx, &options) != MEGURI_OK) return 4;
    b.times = calloc(b.roots, sizeof *b.times);
    meguri_status status = run(&b, words[1]);
    if (status != MEGURI_OK) fprintf(stderr, "bench_cluster: %s\n", meguri_ctx_error(b.ctx));
    meguri_graph_free(b.graph);
    meguri_cluster_free(b.cluster);
    meguri_ctx_free(b.ctx);
    free(b.times);
    return meguri_status_exit_code(status);
}
