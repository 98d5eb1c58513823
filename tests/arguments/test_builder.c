/* Wrong arguments: the streaming builder. */
#include "arguments.h"

static const uint64_t from[] = {0, 1}, to[] = {1, 2};
static const uint8_t kinds[] = {0, 1};
static const char *const labels[] = {"a", "b"};
static const double places[] = {1, 2};

static meguri_builder *builder_of(meguri_id_kind ids) {
    meguri_builder *builder;
    const meguri_column_data columns[] = {{.size = sizeof *columns, .name = "n", .type = MEGURI_TYPE_U8},
                                          {.size = sizeof *columns, .name = "t", .kind = MEGURI_COLUMN_TYPES}};
    const meguri_builder_options o = {.size = sizeof o, .ids = ids, .columns = columns, .column_count = 2};
    assert_int_equal(meguri_builder_new(&builder, w.ctx, &o), MEGURI_OK);
    return builder;
}

CALLS(meguri_builder_new) {
    meguri_builder *builder;
    meguri_column_data column = {.size = sizeof column, .name = "n"};
    meguri_build_options build = {.size = sizeof build};
    meguri_builder_options o = {.size = sizeof o, .build = &build, .columns = &column, .column_count = 1};
    BAD(meguri_builder_new(NULL, w.ctx, &o));
    BAD(meguri_builder_new(&builder, NULL, &o));
    BAD_SIZES(o, meguri_builder_new(&builder, w.ctx, &o));
    BAD_SIZES(build, meguri_builder_new(&builder, w.ctx, &o));
    BAD_SIZES(column, meguri_builder_new(&builder, w.ctx, &o));
    BAD_ENUM(meguri_id_kind, o.ids, meguri_builder_new(&builder, w.ctx, &o));
    BAD_ENUM(meguri_direction, build.direction, meguri_builder_new(&builder, w.ctx, &o));
    BAD_ENUM(meguri_order, build.order, meguri_builder_new(&builder, w.ctx, &o));
    BAD_ENUM(meguri_type, column.type, meguri_builder_new(&builder, w.ctx, &o));
    BAD_ENUM(meguri_column_kind, column.kind, meguri_builder_new(&builder, w.ctx, &o));
    BAD_VALUES(const char *, column.name, meguri_builder_new(&builder, w.ctx, &o), NULL, "");
    BAD_VALUES(const meguri_column_data *, o.columns, meguri_builder_new(&builder, w.ctx, &o), NULL);
    BAD_VALUES(const meguri_layout *, build.layout, meguri_builder_new(&builder, w.ctx, &o), &w.layout);
    column.label_count = 1; /* and no labels */
    BAD(meguri_builder_new(&builder, w.ctx, &o));
    column =
        (meguri_column_data){.size = sizeof column, .name = "n", .kind = MEGURI_COLUMN_IDS, .type = MEGURI_TYPE_F32};
    BAD(meguri_builder_new(&builder, w.ctx, &o));
    column = (meguri_column_data){.size = sizeof column, .name = "n", .kind = MEGURI_COLUMN_TYPES};
    o = (meguri_builder_options){.size = sizeof o, .vertex_columns = &column, .vertex_column_count = 1};
    BAD(meguri_builder_new(&builder, w.ctx, &o)); /* no names */
    column.kind = MEGURI_COLUMN_VALUES;
    const meguri_column_data twice[] = {column, column};
    o.vertex_columns = twice, o.vertex_column_count = 2;
    BAD(meguri_builder_new(&builder, w.ctx, &o));
    o.vertex_columns = &column, o.vertex_column_count = 1;
    BAD_VALUES(const meguri_column_data *, o.vertex_columns, meguri_builder_new(&builder, w.ctx, &o), NULL);
    assert_null(builder);
}

CALLS(meguri_builder_free) { meguri_builder_free(NULL); }

CALLS(meguri_builder_add) {
    meguri_builder *builder = builder_of(MEGURI_ID_UNSIGNED), *strings = builder_of(MEGURI_ID_STRING);
    meguri_column_data columns[] = {
        {.size = sizeof *columns, .name = "n", .type = MEGURI_TYPE_U8, .values = kinds},
        {.size = sizeof *columns, .type = MEGURI_TYPE_U8, .values = kinds, .labels = labels, .label_count = 2}};
    meguri_edge_arrays e = {
        .size = sizeof e, .count = 2, .from = from, .to = to, .columns = columns, .column_count = 2};
    BAD(meguri_builder_add(NULL, builder, 0, &e));
    BAD(meguri_builder_add(w.ctx, NULL, 0, &e));
    BAD(meguri_builder_add(w.ctx, builder, 0, NULL));
    BAD_SIZES(e, meguri_builder_add(w.ctx, builder, 0, &e));
    BAD_VALUES(uint64_t, e.count, meguri_builder_add(w.ctx, builder, 0, &e), NEAR_THE_TOP);
    BAD_VALUES(uint64_t, e.vertices, meguri_builder_add(w.ctx, builder, 0, &e), 3, UINT64_MAX);
    BAD_VALUES(uint64_t, e.stride, meguri_builder_add(w.ctx, builder, 0, &e), 1, 7, UINT64_MAX, UINT64_MAX - 7);
    BAD_VALUES(uint32_t, e.id_bytes, meguri_builder_add(w.ctx, builder, 0, &e), 1, 2, 16, UINT32_MAX);
    BAD_VALUES(const void *, e.from, meguri_builder_add(w.ctx, builder, 0, &e), NULL);
    BAD_VALUES(const void *, e.to, meguri_builder_add(w.ctx, builder, 0, &e), NULL);
    BAD_VALUES(uint32_t, e.column_count, meguri_builder_add(w.ctx, builder, 0, &e), 0, 1, 3, UINT32_MAX);
    BAD_VALUES(const meguri_column_data *, e.columns, meguri_builder_add(w.ctx, builder, 0, &e), NULL);
    BAD_ENUM(meguri_type, columns[0].type, meguri_builder_add(w.ctx, builder, 0, &e));
    BAD_VALUES(meguri_type, columns[0].type, meguri_builder_add(w.ctx, builder, 0, &e), MEGURI_TYPE_U16,
               MEGURI_TYPE_NONE);
    BAD_VALUES(meguri_type, columns[1].type, meguri_builder_add(w.ctx, builder, 0, &e), MEGURI_TYPE_F64,
               MEGURI_TYPE_NONE);
    BAD_VALUES(const char *, columns[0].name, meguri_builder_add(w.ctx, builder, 0, &e), "t");
    BAD_VALUES(const void *, columns[0].values, meguri_builder_add(w.ctx, builder, 0, &e), NULL);
    BAD_VALUES(const char *const *, columns[0].labels, meguri_builder_add(w.ctx, builder, 0, &e), labels);
    BAD_VALUES(const char *const *, columns[1].labels, meguri_builder_add(w.ctx, builder, 0, &e), NULL);
    e.weights = places;
    BAD_ENUM(meguri_type, e.weight_type, meguri_builder_add(w.ctx, builder, 0, &e));
    e.weights = NULL;
    BAD_VALUES(uint64_t, e.stride, meguri_builder_add(w.ctx, strings, 0, &e), 1, 8, 15, 17, UINT64_MAX);
    BAD_VALUES(uint32_t, e.id_bytes, meguri_builder_add(w.ctx, strings, 0, &e), 1, 12, UINT32_MAX);
    assert_int_equal(meguri_builder_add(w.ctx, builder, 0, &e), MEGURI_OK); /* nothing of that has spoilt it */
    meguri_builder_free(builder);
    meguri_builder_free(strings);
}

CALLS(meguri_builder_vertices) {
    meguri_builder *builder = builder_of(MEGURI_ID_UNSIGNED), *strings = builder_of(MEGURI_ID_STRING);
    uint64_t numbers[2];
    meguri_vertex_arrays v = {.size = sizeof v, .count = 2, .ids = from, .x = places, .y = places};
    BAD(meguri_builder_vertices(NULL, NULL, builder, 0, &v));
    BAD(meguri_builder_vertices(NULL, w.ctx, NULL, 0, &v));
    BAD(meguri_builder_vertices(NULL, w.ctx, builder, 0, NULL));
    BAD(meguri_builder_vertices(numbers, w.ctx, builder, 0, &v)); /* integers have none */
    BAD_SIZES(v, meguri_builder_vertices(NULL, w.ctx, builder, 0, &v));
    BAD_VALUES(uint64_t, v.count, meguri_builder_vertices(NULL, w.ctx, builder, 0, &v), NEAR_THE_TOP);
    BAD_VALUES(uint64_t, v.stride, meguri_builder_vertices(NULL, w.ctx, builder, 0, &v), 1, 7, UINT64_MAX);
    BAD_VALUES(uint32_t, v.id_bytes, meguri_builder_vertices(NULL, w.ctx, builder, 0, &v), 1, 16, UINT32_MAX);
    BAD_VALUES(const double *, v.x, meguri_builder_vertices(NULL, w.ctx, builder, 0, &v), NULL);
    BAD_VALUES(const double *, v.y, meguri_builder_vertices(NULL, w.ctx, builder, 0, &v), NULL);
    BAD_VALUES(uint32_t, v.column_count, meguri_builder_vertices(NULL, w.ctx, builder, 0, &v), 1, UINT32_MAX);
    v.ids = NULL;
    BAD(meguri_builder_vertices(numbers, w.ctx, strings, 0, &v));
    BAD_VALUES(uint64_t, v.first, meguri_builder_vertices(NULL, w.ctx, builder, 0, &v), UINT64_MAX);
    assert_int_equal(meguri_builder_vertices(NULL, w.ctx, builder, 0, &v), MEGURI_OK);
    meguri_builder_free(builder);
    meguri_builder_free(strings);
}

CALLS(meguri_builder_finish) {
    meguri_builder *builder = builder_of(MEGURI_ID_UNSIGNED);
    meguri_graph *graph, *again;
    BAD(meguri_builder_finish(NULL, w.ctx, builder));
    BAD(meguri_builder_finish(&graph, NULL, builder));
    BAD(meguri_builder_finish(&graph, w.ctx, NULL));
    assert_int_equal(meguri_builder_finish(&graph, w.ctx, builder), MEGURI_OK); /* a graph of nothing */
    BAD(meguri_builder_finish(&again, w.ctx, builder));
    assert_null(again);
    meguri_graph_free(graph);
    meguri_builder_free(builder);
}

int main(void) {
    static const row rows[] = {ROW(meguri_builder_new), ROW(meguri_builder_free), ROW(meguri_builder_add),
                               ROW(meguri_builder_vertices), ROW(meguri_builder_finish)};
    return run_rows(rows, COUNT_OF(rows));
}
