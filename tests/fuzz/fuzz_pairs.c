/* Fuzzing questions about paths: whatever the lines, questions that the finder takes, or one sentence with their place.
 */
#include <meguri.h>
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

static void check_sentence(meguri_status status, const char *sentence) {
    size_t end = strlen(sentence);
    CHECK(status == MEGURI_BAD_INPUT || status == MEGURI_NOT_FOUND);
    CHECK(strncmp(sentence, "pairs:", 6) == 0 && strchr(".?", sentence[end - 1]));
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count) {
    meguri_ctx *ctx;
    meguri_path_pairs *pairs;
    meguri_ctx_options options = {.size = sizeof options, .threads = 1};
    const char *at = (const char *)data, *end = at + count;
    meguri_status status = MEGURI_OK;
    CHECK(meguri_ctx_new(&ctx, &options) == MEGURI_OK);
    meguri_graph *graph = town(ctx);
    CHECK(meguri_path_pairs_new(&pairs, ctx, graph, "pairs", NULL) == MEGURI_OK);
    for (uint64_t line = 1; at < end && status == MEGURI_OK; line++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        if (!stop) stop = end;
        status = meguri_path_pairs_add(ctx, pairs, at, (size_t)(stop - at), line);
        at = stop + 1;
    }
    if (status != MEGURI_OK) check_sentence(status, meguri_ctx_error(ctx));
    check_queries(pairs);
    meguri_path_pairs_free(pairs);
    meguri_graph_free(graph);
    CHECK(meguri_ctx_memory_used(ctx) == 0);
    meguri_ctx_free(ctx);
    return 0;
}
