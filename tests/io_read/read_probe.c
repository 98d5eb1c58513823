/* For data_test.py: reads a file and prints what the graph is, then every arc in the user's ids and order.
 * read_probe FORMAT DIRECTION(0 1 2) WEIGHTS(0 1) THREADS FILE [COORDS] */
#include <inttypes.h>
#include <meguri.h>
#include <stdio.h>
#include <stdlib.h>

static int fail(meguri_ctx *ctx, meguri_status status) {
    printf("failed %d %s\n", (int)status, meguri_ctx_error(ctx));
    return 0;
}

static void print_id(meguri_ctx *ctx, const meguri_graph *graph, meguri_id_kind kind, uint64_t vertex) {
    uint64_t id = 0;
    const char *name = "";
    size_t length = 0;
    if (kind == MEGURI_ID_STRING) meguri_graph_names(&name, &length, ctx, graph, vertex, 1);
    else meguri_graph_ids(&id, ctx, graph, vertex, 1);
    if (kind == MEGURI_ID_STRING) printf("%.*s", (int)length, name);
    else if (kind == MEGURI_ID_SIGNED) printf("%" PRId64, (int64_t)id);
    else printf("%" PRIu64, id);
}

static int print_graph(meguri_ctx *ctx, const meguri_graph *graph) {
    meguri_graph_info info = {.size = sizeof info};
    meguri_status status = meguri_graph_get_info(&info, ctx, graph);
    if (status != MEGURI_OK) return fail(ctx, status);
    printf("graph %d %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %d\n", info.directed, info.vertices,
           info.arcs, info.edges, info.input_edges, info.isolated, info.has_coordinates);
    uint64_t *neighbors = malloc((info.arcs + 1) * sizeof *neighbors);
    double *weights = malloc((info.arcs + 1) * sizeof *weights), x, y;
    for (uint64_t v = 0; v < info.vertices && neighbors && weights; v++) {
        uint64_t count;
        status = meguri_graph_neighbors(neighbors, weights, NULL, info.arcs, &count, ctx, graph, v);
        if (status != MEGURI_OK) return fail(ctx, status);
        print_id(ctx, graph, info.id_kind, v);
        if (info.has_coordinates && meguri_graph_coordinates(&x, &y, ctx, graph, v, 1) == MEGURI_OK)
            printf(" @%.17g,%.17g", x, y);
        for (uint64_t i = 0; i < count; i++) {
            putchar(' ');
            print_id(ctx, graph, info.id_kind, neighbors[i]);
            if (info.weight_type != MEGURI_TYPE_NONE) printf("(%.17g)", weights[i]);
        }
        putchar('\n');
    }
    free(neighbors);
    free(weights);
    return 0;
}

int main(int count, char **words) {
    meguri_ctx *ctx;
    meguri_graph *graph;
    if (count < 6) return 2;
    meguri_ctx_options context = {.size = sizeof context, .threads = (uint32_t)atoi(words[4])};
    if (meguri_ctx_new(&ctx, &context) != MEGURI_OK) return 2;
    meguri_build_options build = {.size = sizeof build};
    meguri_read_options options = {.size = sizeof options, .coordinates = count > 6 ? words[6] : NULL, .build = &build};
    options.format = (meguri_format)meguri_format_from_name(words[1]);
    build.direction = (meguri_direction)atoi(words[2]);
    build.ignore_weights = atoi(words[3]) == 0;
    const char *path = words[5];
    meguri_status status = meguri_read(&graph, ctx, &path, 1, &options);
    int code = status == MEGURI_OK ? print_graph(ctx, graph) : fail(ctx, status);
    meguri_graph_free(graph);
    meguri_ctx_free(ctx);
    return code;
}
