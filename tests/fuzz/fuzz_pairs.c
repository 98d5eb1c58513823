/* Fuzzing questions about paths, and lists of vertices: whatever the lines, questions that the finder takes and
 * vertices of the graph, or one sentence with their place; from lines one by one, and from a file. */
#include "io/list.h"
#include "io/read.h"

#include <meguri.h>
#include <meguri/extra/list.h>
#include <meguri/extra/path_pairs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count);

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "broken: %s\n", #condition);                                                               \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

/* Vertices 0 … 11. */
static meguri_graph *town(meguri_ctx *ctx) {
    meguri_graph *graph;
    meguri_grid_options grid = {.size = sizeof grid, .width = 4, .height = 3};
    CHECK(meguri_gen_grid(&graph, ctx, &grid) == MEGURI_OK);
    return graph;
}

/* Names with what parts columns in them. */
static meguri_graph *names(meguri_ctx *ctx) {
    static const char text[] = "source,target\na,b c\nb c,\"d,e\"\n\"d,e\",\"\"\"f\"\"\"\n\"\"\"f\"\"\",vertex\n";
    const meguri_read_options options = {.size = sizeof options, .ids = MEGURI_IDS_STRING};
    meguri_graph *graph;
    CHECK(mg_read_memory(&graph, ctx, "names", text, sizeof text - 1, 0, &options) == MEGURI_OK);
    return graph;
}

static void check_sentence(meguri_status status, const char *sentence) {
    size_t end = strlen(sentence);
    CHECK(status == MEGURI_BAD_INPUT || status == MEGURI_NOT_FOUND);
    CHECK(strncmp(sentence, "pairs", 5) == 0 && strchr(".?", sentence[end - 1]));
}

static void check_queries(const meguri_path_pairs *pairs) {
    const meguri_path_query *q;
    uint64_t count;
    CHECK(meguri_path_pairs_get(&q, &count, pairs) == MEGURI_OK);
    for (uint64_t i = 0; i < count; i++) {
        CHECK(q[i].size == sizeof *q && q[i].from < 12 && q[i].to < 12 && q[i].timeout >= 0);
        CHECK(!q[i].has_max_cost || q[i].max_cost >= 0);
    }
}

static meguri_status add_lines(meguri_ctx *ctx, meguri_path_pairs *pairs, const uint8_t *data, size_t count) {
    const char *at = (const char *)data, *end = at + count;
    meguri_status status = MEGURI_OK;
    for (uint64_t line = 1; at < end && status == MEGURI_OK; line++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        if (!stop) stop = end;
        status = meguri_path_pairs_add(ctx, pairs, at, (size_t)(stop - at), line);
        at = stop + 1;
    }
    return status;
}

static meguri_status read_list(meguri_list **list, meguri_ctx *ctx, const uint8_t *data, size_t count,
                               meguri_list_kind kind) {
    mg_input input;
    *list = NULL;
    mg_begin(ctx);
    meguri_status status = mg_input_memory(&input, ctx, "pairs", data, count);
    if (status == MEGURI_OK) status = mg_list_read_input(list, &input, kind);
    mg_input_close(&input);
    CHECK((status == MEGURI_OK) == (*list != NULL));
    return status;
}

static void try_pairs(meguri_ctx *ctx, const meguri_graph *graph, const uint8_t *data, size_t count, bool whole) {
    meguri_path_pairs *pairs;
    meguri_list *list = NULL;
    CHECK(meguri_path_pairs_new(&pairs, ctx, graph, "pairs", NULL) == MEGURI_OK);
    meguri_status status =
        whole ? read_list(&list, ctx, data, count, MEGURI_LIST_PAIRS) : add_lines(ctx, pairs, data, count);
    if (list) status = meguri_path_pairs_add_list(ctx, pairs, list);
    if (status != MEGURI_OK && status != MEGURI_NO_MEMORY) check_sentence(status, meguri_ctx_error(ctx));
    check_queries(pairs);
    meguri_path_pairs_free(pairs);
    meguri_list_free(list);
}

static void try_vertices(meguri_ctx *ctx, const meguri_graph *graph, const uint8_t *data, size_t count) {
    meguri_list *list;
    meguri_graph_info info = {.size = sizeof info};
    CHECK(meguri_graph_get_info(&info, ctx, graph) == MEGURI_OK);
    meguri_status status = read_list(&list, ctx, data, count, MEGURI_LIST_VERTICES);
    uint64_t rows = meguri_list_rows(list), *vertices = malloc((rows + 1) * sizeof *vertices);
    const char **ids = malloc((rows + 1) * sizeof *ids);
    CHECK(vertices && ids);
    if (list) status = meguri_list_vertices(vertices, ids, ctx, list, graph, count % 2 ? "source" : NULL);
    if (status != MEGURI_OK && status != MEGURI_NO_MEMORY) check_sentence(status, meguri_ctx_error(ctx));
    for (uint64_t i = 0; i < rows && status == MEGURI_OK; i++) {
        uint64_t again;
        CHECK(vertices[i] < info.vertices);
        CHECK(meguri_graph_find_text(&again, ctx, graph, ids[i]) == MEGURI_OK && again == vertices[i]);
    }
    free(vertices);
    free(ids);
    meguri_list_free(list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count) {
    meguri_ctx *ctx;
    meguri_ctx_options options = {.size = sizeof options, .threads = 1, .memory = 64 << 20};
    CHECK(meguri_ctx_new(&ctx, &options) == MEGURI_OK);
    meguri_graph *graph = town(ctx), *other = names(ctx);
    try_pairs(ctx, graph, data, count, false);
    try_pairs(ctx, graph, data, count, true);
    try_pairs(ctx, other, data, count, true);
    try_vertices(ctx, graph, data, count);
    try_vertices(ctx, other, data, count);
    meguri_graph_free(graph);
    meguri_graph_free(other);
    CHECK(meguri_ctx_memory_used(ctx) == 0);
    meguri_ctx_free(ctx);
    return 0;
}
