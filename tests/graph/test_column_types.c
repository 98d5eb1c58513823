/* Columns of every type with missing values, of edges and vertices: from arrays and in blocks, through parallel edges,
 * orders and a file, on one thread and two, in little memory; what is refused. */
#define _GNU_SOURCE
#include "support/faults.h"
#include "support/sanitized.h"
#include "support/sinks.h"

#include <meguri.h>
#include <meguri/rows.h>

enum { VERTICES = 40, EDGES = 300, COLUMNS = 13 };
static const meguri_type types[COLUMNS] = {MEGURI_TYPE_I8,  MEGURI_TYPE_I16, MEGURI_TYPE_I32,     MEGURI_TYPE_I64,
                                           MEGURI_TYPE_U8,  MEGURI_TYPE_U16, MEGURI_TYPE_U32,     MEGURI_TYPE_U64,
                                           MEGURI_TYPE_F32, MEGURI_TYPE_F64, MEGURI_TYPE_BOOLEAN, MEGURI_TYPE_VERTEX,
                                           MEGURI_TYPE_TEXT};
static const char *const words[] = {"", "a", "東京", "two words", "\"quoted\", so", "b"};

typedef struct table {
    uint64_t count;
    uint32_t from[EDGES], to[EDGES];
    unsigned char values[COLUMNS][EDGES * 8];
    uint8_t validity[COLUMNS][EDGES / 8 + 1];
    meguri_text texts[EDGES];
    uint64_t offsets[EDGES + 1];
    char bytes[EDGES * 16];
    meguri_column_data columns[COLUMNS];
} table;

static void fill(table *t, uint64_t count, uint64_t seed, bool with_offsets) {
    static char names[COLUMNS][16];
    *t = (table){.count = count};
    for (int c = 0; c < COLUMNS; c++) {
        size_t size = meguri_type_bytes(types[c]);
        snprintf(names[c], sizeof names[c], "%s", meguri_type_name(types[c]));
        for (uint64_t i = 0; i < count; i++) {
            uint64_t r = next_random(&seed);
            if (types[c] == MEGURI_TYPE_BOOLEAN) r &= 1;
            if (types[c] == MEGURI_TYPE_VERTEX) r = r % 9 ? r % VERTICES : UINT64_MAX;
            bool there = next_random(&seed) % 4 || c == 4;         /* u8 has all */
            if (!there && types[c] == MEGURI_TYPE_BOOLEAN) r = 77; /* it is not read */
            if (there) t->validity[c][i / 8] |= (uint8_t)(1u << i % 8);
            if (types[c] == MEGURI_TYPE_F32) ((float *)(void *)t->values[c])[i] = (float)(int)(r % 1000) / 8;
            else if (types[c] == MEGURI_TYPE_F64) ((double *)(void *)t->values[c])[i] = (double)(r % 1000) / 3;
            else memcpy(t->values[c] + i * size, &r, size);
        }
        t->columns[c] = (meguri_column_data){
            .size = sizeof *t->columns, .name = names[c], .type = types[c], .values = t->values[c]};
        if (c != 4) t->columns[c].validity = t->validity[c];
    }
    for (uint64_t i = 0; i < count; i++) {
        const char *word = words[next_random(&seed) % COUNT_OF(words)];
        bool there = t->validity[COLUMNS - 1][i / 8] >> i % 8 & 1;
        t->texts[i] = (meguri_text){there ? word : NULL, there ? strlen(word) : 99};
        memcpy(t->bytes + t->offsets[i], word, strlen(word));
        t->offsets[i + 1] = t->offsets[i] + strlen(word);
        t->from[i] = (uint32_t)(next_random(&seed) % VERTICES);
        t->to[i] = (uint32_t)(next_random(&seed) % VERTICES);
        if (i % 3 == 2) t->from[i] = t->from[i - 1], t->to[i] = t->to[i - 1];
        if (!there) t->texts[i].text = NULL;
    }
    t->columns[COLUMNS - 1].values = with_offsets ? (const void *)t->bytes : t->texts;
    if (with_offsets) t->columns[COLUMNS - 1].offsets = t->offsets;
}

static meguri_text text_of(const table *t, uint64_t i) {
    if (!t->columns[COLUMNS - 1].offsets) return t->texts[i];
    return (meguri_text){t->bytes + t->offsets[i], t->offsets[i + 1] - t->offsets[i]};
}

/* ---- what is in a graph, beside the table ----------------------------------------------------------------------- */

static void expect(meguri_ctx *ctx, const meguri_graph *g, const table *t, bool vertices, uint32_t c, uint64_t row,
                   const void *item, bool there) {
    const unsigned char zero[8] = {0};
    size_t size = meguri_type_bytes(types[c]);
    bool wanted = !t->columns[c].validity || t->validity[c][row / 8] >> row % 8 & 1;
    if (there != wanted) fail_msg("column %u, row %d: there is%s a value", c, (int)row, there ? "" : " not");
    if (!there && c != 8 && c != 9) assert_memory_equal(item, zero, size ? size : 1);
    if (!there) return;
    if (types[c] != MEGURI_TYPE_TEXT) assert_memory_equal(item, t->values[c] + row * size, size);
    else {
        const char *text;
        meguri_text expected = text_of(t, row);
        uint64_t number = *(const uint8_t *)item;
        assert_int_equal((vertices ? meguri_graph_vertex_label : meguri_graph_edge_label)(&text, ctx, g, c, number),
                         MEGURI_OK);
        assert_int_equal(strlen(text), expected.length);
        assert_memory_equal(text, expected.text, expected.length);
    }
}

/* The row of an edge in the table: that is what the u16 beside it is for, put there for this. */
static void check_edges(meguri_ctx *ctx, const meguri_graph *g, const table *t, uint32_t row_column) {
    meguri_graph_info info = {.size = sizeof info};
    assert_int_equal(meguri_graph_get_info(&info, ctx, g), MEGURI_OK);
    uint16_t rows[2 * EDGES];
    assert_int_equal(meguri_graph_edge_values(rows, NULL, ctx, g, row_column, NULL, info.edges), MEGURI_OK);
    for (uint32_t c = 0; c < COLUMNS; c++) {
        meguri_column_info what = {.size = sizeof what};
        unsigned char values[EDGES * 8], near[EDGES * 8], near_rows[EDGES * 2];
        uint8_t bits[EDGES / 8 + 1], near_bits[EDGES / 8 + 1];
        assert_int_equal(meguri_graph_edge_column(&what, ctx, g, c), MEGURI_OK);
        assert_int_equal(what.type, types[c]);
        assert_int_equal(what.nullable, c != 4);
        assert_int_equal(meguri_graph_edge_values(values, bits, ctx, g, c, NULL, info.edges), MEGURI_OK);
        for (uint64_t e = 0; e < info.edges; e++)
            expect(ctx, g, t, false, c, rows[e], values + e * what.item_bytes, bits[e / 8] >> e % 8 & 1);
        for (uint64_t v = 0; v < VERTICES; v += 7) {
            uint64_t count;
            assert_int_equal(meguri_graph_neighbor_values(near, near_bits, EDGES, &count, ctx, g, v, c), MEGURI_OK);
            assert_int_equal(meguri_graph_neighbor_values(near_rows, NULL, EDGES, &count, ctx, g, v, row_column),
                             MEGURI_OK);
            for (uint64_t i = 0; i < count; i++)
                expect(ctx, g, t, false, c, ((uint16_t *)(void *)near_rows)[i], near + i * what.item_bytes,
                       near_bits[i / 8] >> i % 8 & 1);
        }
    }
}

static void check_vertices(meguri_ctx *ctx, const meguri_graph *g, const table *t) {
    for (uint32_t c = 0; c < COLUMNS; c++) {
        meguri_column_info what = {.size = sizeof what};
        unsigned char values[VERTICES * 8];
        uint8_t bits[VERTICES / 8 + 1];
        assert_int_equal(meguri_graph_vertex_column(&what, ctx, g, c), MEGURI_OK);
        assert_int_equal(what.type, types[c]);
        for (uint64_t first = 0; first < VERTICES; first += 11) {
            uint64_t count = MG_MIN(VERTICES - first, (uint64_t)13);
            assert_int_equal(meguri_graph_vertex_values(values, bits, ctx, g, c, first, count), MEGURI_OK);
            for (uint64_t i = 0; i < count; i++)
                expect(ctx, g, t, true, c, first + i, values + i * what.item_bytes, bits[i / 8] >> i % 8 & 1);
        }
    }
}

/* ---- graphs ----------------------------------------------------------------------------------------------------- */

typedef struct wanted {
    const table *edges, *vertices;
    meguri_build_options build;
    bool blocks;
} wanted;

static meguri_status make(meguri_graph **out, meguri_ctx *ctx, const wanted *w) {
    meguri_column_data columns[COLUMNS + 1];
    uint16_t rows[EDGES];
    memcpy(columns, w->edges->columns, sizeof w->edges->columns);
    for (uint32_t i = 0; i < EDGES; i++) rows[i] = (uint16_t)i;
    columns[COLUMNS] =
        (meguri_column_data){.size = sizeof *columns, .name = "row", .type = MEGURI_TYPE_U16, .values = rows};
    meguri_edge_arrays e = {.size = sizeof e,
                            .count = w->edges->count,
                            .from = w->edges->from,
                            .to = w->edges->to,
                            .id_bytes = 4,
                            .columns = columns,
                            .column_count = COLUMNS + 1};
    *out = NULL;
    if (!w->blocks) {
        e.vertices = VERTICES;
        return meguri_graph_from_edges(out, ctx, &e, &w->build);
    }
    meguri_builder *builder;
    const meguri_builder_options o = {.size = sizeof o,
                                      .build = &w->build,
                                      .columns = columns,
                                      .column_count = COLUMNS + 1,
                                      .vertex_columns = w->vertices->columns,
                                      .vertex_column_count = COLUMNS};
    const meguri_vertex_arrays v = {
        .size = sizeof v, .count = VERTICES, .columns = w->vertices->columns, .column_count = COLUMNS};
    meguri_status status = meguri_builder_new(&builder, ctx, &o);
    if (status == MEGURI_OK) status = meguri_builder_vertices(NULL, ctx, builder, 0, &v);
    if (status == MEGURI_OK) status = meguri_builder_add(ctx, builder, 1, &e);
    if (status == MEGURI_OK) status = meguri_builder_finish(out, ctx, builder);
    meguri_builder_free(builder);
    return status;
}

static void check(meguri_ctx *ctx, const meguri_graph *g, const wanted *w) {
    check_edges(ctx, g, w->edges, COLUMNS);
    if (w->blocks) check_vertices(ctx, g, w->vertices);
}

static void test_round_trips(void **state) {
    (void)state;
    static table edges, vertices;
    char folder[FOLDER_TEXT], path[FOLDER_TEXT + 16];
    folder_new(folder);
    snprintf(path, sizeof path, "%s/g.meg", folder);
    for (int turn = 0; turn < 16; turn++) {
        meguri_ctx *ctx = context_with(1 + (uint32_t)turn % 2);
        fill(&edges, EDGES, 5 + (uint64_t)turn, turn & 2);
        fill(&vertices, VERTICES, 50 + (uint64_t)turn, !(turn & 2));
        wanted w = {.edges = &edges,
                    .vertices = &vertices,
                    .blocks = turn & 1,
                    .build = {.size = sizeof w.build,
                              .direction = turn & 4 ? MEGURI_UNDIRECTED : MEGURI_DIRECTED,
                              .order = turn & 8 ? MEGURI_ORDER_DEGREE : MEGURI_ORDER_NONE,
                              .duplicates = turn % 3 ? MEGURI_DUPLICATES_MIN : MEGURI_DUPLICATES_KEEP,
                              .keep_loops = 1}};
        meguri_graph *g, *back;
        if (make(&g, ctx, &w) != MEGURI_OK) fail_msg("%s", meguri_ctx_error(ctx));
        check(ctx, g, &w);
        if (meguri_save(ctx, g, to_file(path), NULL) != MEGURI_OK) fail_msg("%s", meguri_ctx_error(ctx));
        if (meguri_open(&back, ctx, path, NULL) != MEGURI_OK) fail_msg("%s", meguri_ctx_error(ctx));
        check(ctx, back, &w);
        meguri_graph_free(back);
        meguri_graph_free(g);
        context_done(ctx);
    }
    folder_remove(folder);
}

/* ---- failures --------------------------------------------------------------------------------------------------- */

static meguri_status attempt(meguri_ctx *ctx, void *what) {
    meguri_graph *g;
    meguri_status status = make(&g, ctx, what);
    meguri_graph_free(g);
    return status;
}

static void test_without_memory(void **state) {
    (void)state;
    static table edges, vertices;
    fill(&edges, 40, 3, false);
    fill(&vertices, VERTICES, 4, true);
    for (int blocks = 0; blocks < 2; blocks++) {
        wanted w = {.edges = &edges, .vertices = &vertices, .blocks = blocks, .build = {.size = sizeof w.build}};
        meguri_ctx *ctx = context_with(1);
        meguri_graph *g;
        fail_each_allocation(ctx, attempt, &w, MAY_DO_WITHOUT | MAY_KEEP);
        assert_int_equal(make(&g, ctx, &w), MEGURI_OK);
        meguri_graph_free(g);
        context_done(ctx);
    }
}

static void refuse(meguri_ctx *ctx, const table *t, meguri_status status, const char *part) {
    wanted w = {.edges = t, .build = {.size = sizeof w.build, .keep_loops = 1}};
    meguri_graph *g;
    expect_failure(ctx, make(&g, ctx, &w), status, part);
    assert_null(g);
}

static void test_what_is_refused(void **state) {
    (void)state;
    static table t;
    meguri_ctx *ctx = context_with(2);
    fill(&t, 40, 8, true);
    t.values[10][3] = 2, t.validity[10][0] |= 8;
    refuse(ctx, &t, MEGURI_BAD_INPUT, "booleans are 0 or 1");
    fill(&t, 40, 8, true);
    ((uint64_t *)(void *)t.values[11])[3] = VERTICES, t.validity[11][0] |= 8;
    refuse(ctx, &t, MEGURI_BAD_INPUT, "names a vertex");
    fill(&t, 40, 8, true);
    t.offsets[4] = 0, t.offsets[3] = 9, t.validity[12][0] |= 8;
    refuse(ctx, &t, MEGURI_BAD_INPUT, "offsets that fall");
    fill(&t, 40, 8, false);
    t.texts[3] = (meguri_text){"\xff", 1}, t.validity[12][0] |= 8;
    refuse(ctx, &t, MEGURI_BAD_INPUT, "not UTF-8");
    fill(&t, 40, 8, false);
    t.columns[0].labels = words, t.columns[0].label_count = 2;
    refuse(ctx, &t, MEGURI_BAD_ARGUMENT, "has names for its values");
    fill(&t, 40, 8, false);
    t.columns[0].type = (meguri_type)14;
    refuse(ctx, &t, MEGURI_BAD_ARGUMENT, "a type or a kind");
    meguri_ctx_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trips),
        cmocka_unit_test(test_without_memory),
        cmocka_unit_test(test_what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
