/* Fuzzing the reader of results: whatever the bytes, a result of the graph, or one sentence. The first byte says in
 * which format they are, of which graph, and whether columns are described; the others are the file. */
#include "io/result_read.h"

#include <meguri.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count);

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "broken: %s\n", #condition);                                                               \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

/* Three vertices: 1, 2, 3; -1, 0, 70000000000; or texts. */
static meguri_graph *graph_of(meguri_ctx *ctx, int kind) {
    static const uint64_t integers[][2] = {{1, 2}, {2, 3}};
    static const int64_t with_sign[][2] = {{-1, 0}, {0, 70000000000}};
    static const meguri_text texts[][2] = {{{"a", 1}, {"\\b", 2}}, {{"\\b", 2}, {"12", 2}}};
    static const meguri_id_kind kinds[] = {MEGURI_ID_UNSIGNED, MEGURI_ID_SIGNED, MEGURI_ID_STRING};
    const void *const ends[] = {integers, with_sign, texts};
    size_t bytes = kind == 2 ? sizeof **texts : 8;
    const meguri_edge_arrays edges = {.size = sizeof edges,
                                      .count = 2,
                                      .from = ends[kind],
                                      .to = (const char *)ends[kind] + bytes,
                                      .id_bytes = kind == 2 ? 0 : 8,
                                      .stride = 2 * bytes};
    const meguri_builder_options options = {.size = sizeof options, .ids = kinds[kind]};
    meguri_builder *builder;
    meguri_graph *graph;
    CHECK(meguri_builder_new(&builder, ctx, &options) == MEGURI_OK);
    CHECK(meguri_builder_add(ctx, builder, 0, &edges) == MEGURI_OK);
    CHECK(meguri_builder_finish(&graph, ctx, builder) == MEGURI_OK);
    meguri_builder_free(builder);
    return graph;
}

static void check_result(const meguri_result *result) {
    for (uint32_t c = 0; c < meguri_result_column_count(result); c++) {
        meguri_column column = {.size = sizeof column};
        CHECK(meguri_result_column_at(&column, result, c) == MEGURI_OK);
        CHECK(column.count == 3 && column.data && column.stride == mg_column_size(column.type));
        CHECK(mg_type_is_result(column.type));
        for (int row = 0; column.type == MEGURI_TYPE_VERTEX && row < 3; row++) {
            uint32_t vertex = ((const uint32_t *)column.data)[row];
            CHECK(vertex < 3 || vertex == UINT32_MAX);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count) {
    static const char *const paths[] = {"r.tsv", "r.npy", "r.bin", "r.csv"}, *const names[] = {"mine", "parent"};
    static const meguri_type types[][2] = {{MEGURI_TYPE_F64, MEGURI_TYPE_VERTEX},
                                           {MEGURI_TYPE_I16, MEGURI_TYPE_VERTEX}};
    if (!count) return 0;
    int form = data[0] % 4, kind = data[0] / 4 % 3, described = data[0] / 12 % 3;
    meguri_result_read_options options = {.size = sizeof options};
    if (described) options = (meguri_result_read_options){sizeof options, 2, names, types[described - 1]};
    meguri_ctx *ctx;
    meguri_ctx_options o = {.size = sizeof o, .threads = 1, .memory = 64 << 20};
    CHECK(meguri_ctx_new(&ctx, &o) == MEGURI_OK);
    meguri_graph *graph = graph_of(ctx, kind);
    meguri_result *result = NULL;
    mg_compression compression;
    const mg_result_format *format = mg_result_find_format(paths[form], &compression);
    mg_input input;
    mg_begin(ctx);
    meguri_status status = mg_input_memory(&input, ctx, paths[form], data + 1, count - 1);
    if (status == MEGURI_OK) status = mg_result_read_input(&result, ctx, graph, &input, format, &options);
    if (status == MEGURI_OK) check_result(result);
    else {
        const char *sentence = meguri_ctx_error(ctx);
        CHECK(!result && *sentence && strchr(".?", sentence[strlen(sentence) - 1]));
        CHECK(status == MEGURI_BAD_INPUT || status == MEGURI_BAD_ARGUMENT || status == MEGURI_NO_MEMORY);
    }
    meguri_result_free(result);
    mg_input_close(&input);
    meguri_graph_free(graph);
    CHECK(meguri_ctx_memory_used(ctx) == 0);
    meguri_ctx_free(ctx);
    return 0;
}
