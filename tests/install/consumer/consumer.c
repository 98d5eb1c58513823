/* What a user of the library writes first: a graph from arrays, and what it is. No header of ours but the public one.
 */
#include <inttypes.h>
#include <meguri.h>
#include <stdio.h>
#include <string.h>

/* A square with one diagonal, an edge given twice, and a loop: 4 vertices, 5 undirected edges remain. */
static const uint64_t from[] = {10, 20, 30, 40, 10, 20, 40};
static const uint64_t to[] = {20, 30, 40, 10, 30, 10, 40};

static int fail(const char *what, const meguri_ctx *ctx) {
    fprintf(stderr, "%s: %s\n", what, ctx ? meguri_ctx_error(ctx) : "");
    return 1;
}

int main(void) {
    int result = 1;
    meguri_ctx *ctx = NULL;
    meguri_graph *graph = NULL;
    meguri_edge_arrays edges = {.size = sizeof edges, .count = sizeof from / sizeof *from, .from = from, .to = to};
    meguri_build_options options = {.size = sizeof options, .direction = MEGURI_UNDIRECTED};
    meguri_graph_info info = {.size = sizeof info};
    uint64_t vertex, near[4], count;

    char version[32];
    snprintf(version, sizeof version, "%d.%d.%d", MEGURI_VERSION_MAJOR, MEGURI_VERSION_MINOR, MEGURI_VERSION_PATCH);
    if (strcmp(version, meguri_version()) || meguri_version_number() != MEGURI_VERSION_NUMBER)
        return fail("header and library differ in version", NULL);

    if (meguri_ctx_new(&ctx, NULL)) return fail("no context", NULL);
    if (meguri_graph_from_edges(&graph, ctx, &edges, &options)) {
        fail("no graph", ctx);
        goto cleanup;
    }
    if (meguri_graph_get_info(&info, ctx, graph) || meguri_graph_find(&vertex, ctx, graph, 30) ||
        meguri_graph_neighbors(near, NULL, NULL, 4, &count, ctx, graph, vertex)) {
        fail("no answer", ctx);
        goto cleanup;
    }
    printf("%" PRIu64 " vertices, %" PRIu64 " edges, %" PRIu64 " beside 30\n", info.vertices, info.edges, count);
    if (info.vertices != 4 || info.edges != 5 || info.dropped_loops != 1 || info.dropped_duplicates != 1 || count != 3)
        fail("the numbers are wrong", NULL);
    else result = 0;

cleanup:
    meguri_graph_free(graph);
    meguri_ctx_free(ctx);
    return result;
}
