/* One process of many: every graph of the zoo, cut into parts and searched by all processes over MPI, with one thread
 * and, if two are asked for, with two; the first process compares with the answers of one machine, and the checkers
 * look at the trees.
 *
 * zoo_ranks auto|pairs|RxC 1|2, started by mpirun (test_zoo.py). Only public functions are used. */
#include "support/oracle.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct bench {
    meguri_ctx *ctx;
    meguri_cluster *cluster;
    meguri_layout layout;
    meguri_graph *graph;
    meguri_graph *shards;
    meguri_graph_info part;
    uint64_t *all; /* a column of the whole graph, 64 bits an item */
    uint64_t compared;
    char name[64];
} bench;

static meguri_status wrong(bench *b, const char *what, uint64_t vertex) {
    char text[256];
    snprintf(text, sizeof text, "%s: %s of vertex %" PRIu64 " is not that of one machine.", b->name, what, vertex);
    return meguri_cluster_agree(b->ctx, b->cluster, MEGURI_WRONG_ANSWER, text);
}

static uint64_t item(const meguri_column *c, uint64_t i) {
    uint64_t value = 0;
    size_t bytes = c->type == MEGURI_TYPE_U64 || c->type == MEGURI_TYPE_F64 ? 8 : 4;
    memcpy(&value, (const char *)c->data + i * c->stride, bytes);
    return value;
}

/* The column of all processes, in b->all at each. */
static meguri_status collect(bench *b, const meguri_result *result, const char *name) {
    enum { AT_ONCE = 8192 };
    meguri_column c = {.size = sizeof c};
    meguri_status status = meguri_result_column(&c, result, name);
    if (status != MEGURI_OK) return status;
    memset(b->all, 0, b->part.vertices * sizeof *b->all);
    for (uint64_t i = 0; i < c.count; i++) b->all[b->part.first + i] = item(&c, i);
    for (uint64_t v = 0; v < b->part.vertices && status == MEGURI_OK; v += AT_ONCE) {
        uint64_t left = b->part.vertices - v;
        status = meguri_cluster_reduce(b->all + v, b->ctx, b->cluster, (uint32_t)(left < AT_ONCE ? left : AT_ONCE),
                                       MEGURI_SUM);
    }
    return status;
}

static bool near(uint64_t a, uint64_t b, bool exact) {
    double x, y;
    if (exact) return a == b;
    memcpy(&x, &a, sizeof x);
    memcpy(&y, &b, sizeof y);
    return fabs(x - y) <= 1e-9 * (fabs(x) + fabs(y));
}

/* b->all beside the column of one machine's result. */
static meguri_status compare(bench *b, const meguri_result *expected, const char *name, bool exact) {
    meguri_column c = {.size = sizeof c};
    meguri_status status = meguri_result_column(&c, expected, name);
    for (uint64_t v = 0; v < b->part.vertices && status == MEGURI_OK; v++)
        if (!near(b->all[v], item(&c, v), exact)) return wrong(b, name, v);
    b->compared += b->part.vertices;
    return status;
}

static meguri_status test_bfs(bench *b, uint64_t source, int turn) {
    static const meguri_bfs_policy ways[] = {MEGURI_BFS_AUTO, MEGURI_BFS_PULL, MEGURI_BFS_PUSH, MEGURI_BFS_P1};
    const meguri_bfs_options o = {.size = sizeof o,
                                  .max_depth = UINT32_MAX,
                                  .levels = 1,
                                  .parents = 1,
                                  .policy = ways[turn % 4],
                                  .alpha = 10,
                                  .beta = 14,
                                  .exchange = turn / 4 & 1 ? MEGURI_EXCHANGE_PACKED : MEGURI_EXCHANGE_PLAIN};
    meguri_result *result = NULL, *expected = NULL;
    meguri_status status = meguri_bfs(&result, b->ctx, b->shards, source, &o);
    if (status == MEGURI_OK) status = meguri_bfs(&expected, b->ctx, b->graph, source, NULL);
    if (status == MEGURI_OK) status = collect(b, result, "level");
    if (status == MEGURI_OK) status = compare(b, expected, "level", true);
    if (status == MEGURI_OK) status = meguri_bfs_check(b->ctx, b->shards, result, NULL);
    meguri_result_free(result);
    meguri_result_free(expected);
    return status;
}

static meguri_status test_sssp(bench *b, uint64_t source) {
    meguri_result *result = NULL, *expected = NULL;
    meguri_status there = meguri_sssp(&expected, b->ctx, b->graph, source, NULL);
    meguri_status status = meguri_sssp(&result, b->ctx, b->shards, source, NULL);
    if (status == there && status == MEGURI_BAD_INPUT) return MEGURI_OK; /* weights that are refused */
    if (status == MEGURI_OK) status = there;
    if (status == MEGURI_OK) status = collect(b, result, "distance");
    if (status == MEGURI_OK) status = compare(b, expected, "distance", true);
    if (status == MEGURI_OK) status = meguri_sssp_check(b->ctx, b->shards, result, NULL);
    meguri_result_free(result);
    meguri_result_free(expected);
    return status;
}

static meguri_status test_ranks(bench *b) {
    const meguri_pagerank_options o = {.size = sizeof o, .tiles = 1, .iterations = 10, .damping = 0.85};
    meguri_result *result = NULL, *expected = NULL;
    meguri_status status = meguri_pagerank(&result, b->ctx, b->shards, &o);
    if (status == MEGURI_OK) status = meguri_pagerank(&expected, b->ctx, b->graph, &o);
    if (status == MEGURI_OK) status = collect(b, result, "rank");
    if (status == MEGURI_OK) status = compare(b, expected, "rank", false);
    meguri_result_free(result);
    meguri_result_free(expected);
    return status;
}

static meguri_status test_components(bench *b) {
    meguri_result *result = NULL, *expected = NULL;
    meguri_status status = meguri_components(&result, b->ctx, b->shards, NULL);
    if (status == MEGURI_OK) status = meguri_components(&expected, b->ctx, b->graph, NULL);
    if (status == MEGURI_OK) status = collect(b, result, "component");
    if (status == MEGURI_OK) status = compare(b, expected, "component", true);
    meguri_result_free(result);
    meguri_result_free(expected);
    return status;
}

static meguri_status test_graph(bench *b, int turn) {
    b->part = (meguri_graph_info){.size = sizeof b->part};
    meguri_status status = meguri_graph_spread(&b->shards, b->ctx, b->graph, &b->layout);
    if (status == MEGURI_OK) status = meguri_graph_get_info(&b->part, b->ctx, b->shards);
    b->all = calloc(b->part.vertices + 1, sizeof *b->all);
    if (!b->all) abort();
    if (status == MEGURI_OK && b->part.vertices) {
        uint64_t last = b->part.vertices - 1;
        status = test_bfs(b, 0, turn);
        if (status == MEGURI_OK) status = test_bfs(b, last / 2, turn + 1);
        if (status == MEGURI_OK) status = test_sssp(b, last);
        if (status == MEGURI_OK) status = test_ranks(b);
    }
    if (status == MEGURI_OK) status = test_components(b);
    free(b->all);
    meguri_graph_free(b->shards);
    b->shards = NULL;
    return meguri_cluster_agree(b->ctx, b->cluster, status, meguri_ctx_error(b->ctx));
}

static meguri_status test_zoo(bench *b, int *graphs) {
    meguri_status status = MEGURI_OK;
    zoo_graph g;
    for (int index = 0; status == MEGURI_OK && zoo_get(&g, index); index++) {
        memcpy(b->name, g.name, sizeof b->name);
        for (int direction = MEGURI_DIRECTED; direction <= MEGURI_UNDIRECTED && g.count < 50000; direction++) {
            meguri_build_options o = {.size = sizeof o,
                                      .direction = (meguri_direction)direction,
                                      .duplicates = index & 1 ? MEGURI_DUPLICATES_KEEP : MEGURI_DUPLICATES_MIN,
                                      .keep_loops = index >> 1 & 1};
            if (status == MEGURI_OK) status = zoo_build(&b->graph, b->ctx, &g, &o);
            if (status == MEGURI_OK) status = test_graph(b, *graphs);
            meguri_graph_free(b->graph);
            b->graph = NULL;
            ++*graphs;
        }
        zoo_free(&g);
    }
    return status;
}

int main(int argc, char **argv) {
    bench b = {.layout.size = sizeof b.layout};
    int graphs = 0;
    if (argc != 3) return 2;
    uint32_t most = (uint32_t)atoi(argv[2]) < 2 ? 1 : 2;
    b.layout.pairs = strcmp(argv[1], "pairs") == 0;
    if (sscanf(argv[1], "%ux%u", &b.layout.rows, &b.layout.columns) != 2) b.layout.rows = b.layout.columns = 0;
    meguri_status status = MEGURI_OK;
    meguri_ctx *contexts[2] = {NULL, NULL}; /* with one thread, with two */
    for (uint32_t i = 0; i < most && status == MEGURI_OK; i++)
        status = meguri_ctx_new(
            &contexts[i],
            &(meguri_ctx_options){.size = sizeof(meguri_ctx_options), .threads = i + 1, .memory = (uint64_t)1 << 30});
    if (status == MEGURI_OK) status = meguri_cluster_mpi(&b.cluster, contexts[0], NULL);
    b.layout.cluster = b.cluster;
    for (uint32_t i = 0; i < most && status == MEGURI_OK; i++) {
        b.ctx = contexts[i];
        status = test_zoo(&b, &graphs);
    }
    bool first = !b.cluster || meguri_cluster_rank(b.cluster) == 0;
    if (status != MEGURI_OK && first)
        fprintf(stderr, "%s: %s\n", b.name, b.ctx ? meguri_ctx_error(b.ctx) : meguri_ctx_error(contexts[0]));
    else if (first)
        printf("%u processes, %d graphs, %" PRIu64 " items\n", meguri_cluster_size(b.cluster), graphs, b.compared);
    fflush(stdout);
    meguri_cluster_free(b.cluster);
    for (int i = 0; i < 2; i++) meguri_ctx_free(contexts[i]);
    return meguri_status_exit_code(status);
}
