/* The streaming builder against reading: the same edges as a text, and in blocks of random sizes that threads add in
 * any order, make the same file, byte for byte; integer, signed and string ids, columns and types, little memory. */
#define _GNU_SOURCE
#include "io/read.h"
#include "support/at_once.h"
#include "support/faults.h"
#include "support/sanitized.h"
#include "support/sinks.h"

#include <inttypes.h>
#include <math.h>
#include <meguri.h>

enum { NAMES = 40, TYPES = 5, MOST_BLOCKS = 400 };
static const char *const type_names[TYPES] = {"ROAD", "RAIL", "SEA", "", "A \"B\""};

/* ---- edges, and the same as CSV --------------------------------------------------------------------------------- */

static char names[NAMES][24];

typedef struct edge_list {
    meguri_id_kind kind;
    uint64_t count;
    uint64_t *from, *to;
    meguri_text *from_texts, *to_texts;
    double *weights;
    uint16_t *types;
    uint64_t *numbers;
    float *lengths;
    char *csv;
    size_t csv_bytes;
} edge_list;

static const char *id_text(const edge_list *e, uint64_t id, char text[24]) {
    if (e->kind == MEGURI_ID_STRING) return names[id];
    if (e->kind == MEGURI_ID_SIGNED) snprintf(text, 24, "%" PRId64, (int64_t)id);
    else snprintf(text, 24, "%" PRIu64, id);
    return text;
}

static uint64_t random_id(const edge_list *e, uint64_t *seed) {
    uint64_t r = next_random(seed) % NAMES;
    if (e->kind == MEGURI_ID_STRING) return r;
    if (e->kind == MEGURI_ID_SIGNED) return r * 7 - 100; /* some are below zero */
    return r % 3 ? r : r << 40;                          /* anywhere */
}

static edge_list edges_new(meguri_id_kind kind, uint64_t count, uint64_t seed) {
    edge_list e = {.kind = kind, .count = count};
    e.from = calloc(count, 8), e.to = calloc(count, 8), e.weights = calloc(count, 8), e.numbers = calloc(count, 8);
    e.types = calloc(count, 2), e.lengths = calloc(count, 4);
    e.from_texts = calloc(count, sizeof *e.from_texts), e.to_texts = calloc(count, sizeof *e.to_texts);
    for (int i = 0; i < NAMES; i++) snprintf(names[i], sizeof names[i], "Ort %d", i * i);
    FILE *csv = open_memstream(&e.csv, &e.csv_bytes);
    assert_non_null(csv);
    fprintf(csv, "source,target,weight,kind,number,length\n");
    for (uint64_t i = 0; i < count; i++) {
        char a[24], b[24];
        e.from[i] = random_id(&e, &seed), e.to[i] = random_id(&e, &seed);
        e.from_texts[i] = (meguri_text){names[e.from[i] % NAMES], strlen(names[e.from[i] % NAMES])};
        e.to_texts[i] = (meguri_text){names[e.to[i] % NAMES], strlen(names[e.to[i] % NAMES])};
        e.weights[i] = (double)(next_random(&seed) % 3); /* many are equal: the first is kept */
        e.types[i] = (uint16_t)(next_random(&seed) % 20 ? i % 2 : next_random(&seed) % TYPES); /* some are rare */
        e.numbers[i] = UINT64_C(1) << 40 | i;
        e.lengths[i] = (float)(next_random(&seed) % 1000) / 8;
        fprintf(csv, "%s,%s,%g,%s,%" PRIu64 ",%g\n", id_text(&e, e.from[i], a), id_text(&e, e.to[i], b), e.weights[i],
                e.types[i] == 4 ? "\"A \"\"B\"\"\"" : type_names[e.types[i]], e.numbers[i], (double)e.lengths[i]);
    }
    fclose(csv);
    return e;
}

static void edges_free(edge_list *e) {
    free(e->from), free(e->to), free(e->weights), free(e->types), free(e->numbers), free(e->lengths);
    free(e->from_texts), free(e->to_texts), free(e->csv);
}

/* Whole contents of the .meg file that a graph makes. */
static char *bytes_of(meguri_ctx *ctx, const meguri_graph *graph, const char *folder, size_t *bytes) {
    char path[2 * FOLDER_TEXT];
    snprintf(path, sizeof path, "%s/graph.meg", folder);
    if (meguri_save(ctx, graph, to_file(path), NULL) != MEGURI_OK) fail_msg("%s", meguri_ctx_error(ctx));
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *bytes = (size_t)ftell(file);
    char *data = malloc(*bytes);
    rewind(file);
    assert_int_equal(fread(data, 1, *bytes, file), *bytes);
    fclose(file);
    return data;
}

static const meguri_column_data csv_columns[] = {
    {.size = sizeof(meguri_column_data), .name = "kind", .kind = MEGURI_COLUMN_TYPES},
    {.size = sizeof(meguri_column_data), .name = "number", .kind = MEGURI_COLUMN_IDS},
    {.size = sizeof(meguri_column_data), .name = "length", .type = MEGURI_TYPE_F32}};

static char *read_bytes(const edge_list *e, const meguri_build_options *build, const char *folder, size_t *bytes) {
    meguri_ctx *ctx = context_with(2);
    meguri_graph *graph;
    meguri_read_options o = {.size = sizeof o,
                             .format = MEGURI_FORMAT_CSV,
                             .ids = e->kind == MEGURI_ID_STRING ? MEGURI_IDS_STRING : MEGURI_IDS_INTEGER,
                             .build = build,
                             .columns = csv_columns,
                             .column_count = 3};
    if (mg_read_memory(&graph, ctx, "edges.csv", e->csv, e->csv_bytes, 1000, &o) != MEGURI_OK)
        fail_msg("%s", meguri_ctx_error(ctx));
    char *data = bytes_of(ctx, graph, folder, bytes);
    meguri_graph_free(graph);
    context_done(ctx);
    return data;
}

/* ---- the same in blocks ----------------------------------------------------------------------------------------- */

typedef struct job {
    const edge_list *edges;
    meguri_builder *builder;
    int threads;
    uint64_t cuts[MOST_BLOCKS + 1]; /* block i has the edges from cuts[i] on */
    uint64_t order[MOST_BLOCKS];    /* in which they are added */
    uint64_t blocks;
    const uint64_t *numbers; /* of names, where edges come by them */
} job;

static meguri_builder *builder_new(meguri_ctx *ctx, const edge_list *e, const meguri_build_options *build) {
    meguri_builder *builder;
    meguri_builder_options o = {
        .size = sizeof o, .ids = e->kind, .build = build, .columns = csv_columns, .column_count = 3};
    if (meguri_builder_new(&builder, ctx, &o) != MEGURI_OK) fail_msg("%s", meguri_ctx_error(ctx));
    return builder;
}

/* Types are numbered from behind here: only their names count. */
static meguri_status add_block(meguri_ctx *ctx, const job *j, uint64_t block) {
    const edge_list *e = j->edges;
    static const char *const turned[TYPES] = {"A \"B\"", "", "SEA", "RAIL", "ROAD"};
    uint64_t first = j->cuts[block], count = j->cuts[block + 1] - first;
    uint8_t *types = malloc(count + 1);
    uint64_t *ends = malloc((2 * count + 1) * sizeof *ends);
    for (uint64_t i = 0; i < count; i++) types[i] = (uint8_t)(TYPES - 1 - e->types[first + i]);
    meguri_column_data columns[3] = {csv_columns[0], csv_columns[1], csv_columns[2]};
    columns[0].type = MEGURI_TYPE_U8, columns[0].values = types;
    columns[0].labels = turned, columns[0].label_count = TYPES;
    columns[1].type = MEGURI_TYPE_U64, columns[1].values = e->numbers + first;
    columns[2].values = e->lengths + first;
    meguri_edge_arrays arrays = {.size = sizeof arrays,
                                 .count = count,
                                 .from = e->from + first,
                                 .to = e->to + first,
                                 .weights = e->weights + first,
                                 .weight_type = MEGURI_TYPE_F64,
                                 .columns = columns,
                                 .column_count = 3};
    if (e->kind == MEGURI_ID_STRING && !j->numbers) {
        arrays.from = e->from_texts + first;
        arrays.to = e->to_texts + first;
    }
    for (uint64_t i = 0; j->numbers && i < count; i++) {
        ends[2 * i] = j->numbers[e->from[first + i]];
        ends[2 * i + 1] = j->numbers[e->to[first + i]];
    }
    if (j->numbers) arrays.from = ends, arrays.to = ends + 1, arrays.stride = 16, arrays.id_bytes = 8;
    meguri_status status = meguri_builder_add(ctx, j->builder, block, &arrays);
    free(types);
    free(ends);
    return status;
}

static void add_share(void *what, int thread) {
    const job *j = what;
    meguri_ctx *ctx = context_with(1);
    for (uint64_t i = (uint64_t)thread; i < j->blocks; i += (uint64_t)j->threads)
        if (add_block(ctx, j, j->order[i]) != MEGURI_OK) fail_msg("%s", meguri_ctx_error(ctx));
    meguri_ctx_free(ctx);
}

static void cut(job *j, uint64_t seed, uint64_t size) {
    j->blocks = 0;
    for (uint64_t at = 0; at < j->edges->count; at += 1 + next_random(&seed) % size) j->cuts[j->blocks++] = at;
    assert_in_range(j->blocks, 1, MOST_BLOCKS);
    j->cuts[j->blocks] = j->edges->count;
    for (uint64_t i = 0; i < j->blocks; i++) j->order[i] = i;
    for (uint64_t i = j->blocks; i > 1; i--) {
        uint64_t other = next_random(&seed) % i, kept = j->order[i - 1];
        j->order[i - 1] = j->order[other];
        j->order[other] = kept;
    }
}

/* Vertices in the order in which the edges name them. */
static void add_names(meguri_ctx *ctx, const job *j, uint64_t numbers[NAMES]) {
    const edge_list *e = j->edges;
    meguri_text texts[NAMES];
    uint64_t which[NAMES], out[NAMES], count = 0;
    bool seen[NAMES] = {false};
    for (uint64_t i = 0; i < 2 * e->count; i++) {
        uint64_t id = i % 2 ? e->to[i / 2] : e->from[i / 2];
        if (seen[id]) continue;
        seen[id] = true;
        which[count] = id;
        texts[count++] = i % 2 ? e->to_texts[i / 2] : e->from_texts[i / 2];
    }
    meguri_vertex_arrays v = {.size = sizeof v, .count = count, .ids = texts};
    assert_int_equal(meguri_builder_vertices(out, ctx, j->builder, 0, &v), MEGURI_OK);
    for (uint64_t i = 0; i < count; i++) numbers[which[i]] = out[i];
}

static void compare(const edge_list *e, const meguri_build_options *build, int threads, uint64_t memory, bool numbers,
                    uint64_t seed, const char *folder) {
    size_t bytes, expected_bytes;
    char *expected = read_bytes(e, build, folder, &expected_bytes);
    meguri_ctx *ctx;
    meguri_ctx_options o = {.size = sizeof o, .threads = 2, .memory = memory};
    assert_int_equal(meguri_ctx_new(&ctx, &o), MEGURI_OK);
    job j = {.edges = e, .builder = builder_new(ctx, e, build), .threads = threads};
    uint64_t of_names[NAMES];
    meguri_graph *graph;
    cut(&j, seed, e->count / 100 + 1);
    if (numbers) {
        add_names(ctx, &j, of_names);
        j.numbers = of_names;
    }
    at_once(threads, add_share, &j);
    if (meguri_builder_finish(&graph, ctx, j.builder) != MEGURI_OK) fail_msg("%s", meguri_ctx_error(ctx));
    meguri_builder_free(j.builder);
    if (meguri_graph_verify(ctx, graph) != MEGURI_OK) fail_msg("%s", meguri_ctx_error(ctx));
    char *data = bytes_of(ctx, graph, folder, &bytes);
    assert_int_equal(bytes, expected_bytes);
    /* Blocks say of which type weights are, text does not: the head of the file (docs/meg-format.md) and its hash. */
    enum { HASH = 16, DECLARED = 121 };
    memcpy(data + HASH, expected + HASH, 8);
    data[DECLARED] = expected[DECLARED];
    assert_memory_equal(data, expected, bytes);
    meguri_graph_free(graph);
    context_done(ctx);
    free(data);
    free(expected);
}

static void as_reading_does(void **state) {
    const char *folder = *state;
    for (int kind = MEGURI_ID_UNSIGNED; kind <= MEGURI_ID_STRING; kind++)
        for (int turn = 0; turn < 12; turn++) {
            if (!ONE_OF(5, turn + kind)) continue;
            edge_list e = edges_new((meguri_id_kind)kind, turn == 7 ? 1 : 3000, 50 + (uint64_t)turn);
            meguri_build_options build = {.size = sizeof build,
                                          .direction = turn & 1 ? MEGURI_UNDIRECTED : MEGURI_DIRECTED,
                                          .duplicates = (meguri_duplicates)(turn / 2),
                                          .keep_loops = turn >> 2 & 1,
                                          .order = (meguri_order)(1 + turn % 3)};
            compare(&e, &build, 1 + turn % 4, UINT64_C(1) << 30, kind == MEGURI_ID_STRING && turn % 2,
                    7 + (uint64_t)turn, folder);
            edges_free(&e);
        }
}

/* So little memory that most blocks are spilled: those that were added first stay. */
static void spilled_in_any_order(void **state) {
    uint64_t count = UNDER_TSAN || UNDER_ASAN ? 60000 : 300000;
    for (int kind = MEGURI_ID_UNSIGNED; kind <= MEGURI_ID_STRING; kind += 2) {
        edge_list e = edges_new((meguri_id_kind)kind, count, 3);
        meguri_build_options build = {.size = sizeof build,
                                      .direction = MEGURI_UNDIRECTED,
                                      .duplicates = kind ? MEGURI_DUPLICATES_FIRST : MEGURI_DUPLICATES_MIN,
                                      .keep_loops = 1};
        compare(&e, &build, 4, count * (UNDER_TSAN || UNDER_ASAN ? 100 : 45), kind == MEGURI_ID_STRING && count % 2, 9,
                *state);
        edges_free(&e);
    }
}

/* ---- vertices --------------------------------------------------------------------------------------------------- */

static void vertices_and_coordinates(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(2);
    static const int32_t from[] = {-5, 3}, to[] = {3, 9}, ids[] = {3, -5};
    static const double x[] = {1.5, -2}, y[] = {0, 7}, later[] = {4, 5, 6};
    meguri_builder *builder;
    meguri_graph *graph;
    meguri_builder_options o = {.size = sizeof o, .ids = MEGURI_ID_SIGNED};
    assert_int_equal(meguri_builder_new(&builder, ctx, &o), MEGURI_OK);
    meguri_edge_arrays e = {.size = sizeof e, .count = 2, .from = from, .to = to, .id_bytes = 4};
    assert_int_equal(meguri_builder_add(ctx, builder, 0, &e), MEGURI_OK);
    meguri_vertex_arrays v = {.size = sizeof v, .count = 2, .ids = ids, .id_bytes = 4, .x = x, .y = y};
    assert_int_equal(meguri_builder_vertices(NULL, ctx, builder, 0, &v), MEGURI_OK);
    v = (meguri_vertex_arrays){.size = sizeof v, .count = 3, .first = (uint64_t)-8}; /* -8, -7, -6 */
    assert_int_equal(meguri_builder_vertices(NULL, ctx, builder, 0, &v), MEGURI_OK);
    v = (meguri_vertex_arrays){.size = sizeof v, .count = 3, .first = 20, .x = later, .y = later};
    assert_int_equal(meguri_builder_vertices(NULL, ctx, builder, 0, &v), MEGURI_OK);
    assert_int_equal(meguri_builder_finish(&graph, ctx, builder), MEGURI_OK);
    static const int64_t expected[] = {-8, -7, -6, -5, 3, 9, 20, 21, 22};
    static const double places[] = {NAN, NAN, NAN, -2, 1.5, NAN, 4, 5, 6};
    int64_t found[9];
    double at[9], other[9];
    assert_int_equal(meguri_graph_ids((uint64_t *)found, ctx, graph, 0, 9), MEGURI_OK);
    assert_memory_equal(found, expected, sizeof found);
    assert_int_equal(meguri_graph_coordinates(at, other, ctx, graph, 0, 9), MEGURI_OK);
    for (int i = 0; i < 9; i++) assert_true(at[i] == places[i] || (at[i] != at[i] && places[i] != places[i]));
    assert_true(other[3] == 7 && other[4] == 0);
    meguri_graph_info info = {.size = sizeof info};
    assert_int_equal(meguri_graph_get_info(&info, ctx, graph), MEGURI_OK);
    assert_int_equal(info.isolated, 6);
    expect_failure(ctx, meguri_builder_add(ctx, builder, 0, &e), MEGURI_BAD_ARGUMENT, "is made");
    meguri_graph_free(graph);
    meguri_builder_free(builder);
    context_done(ctx);
}

static void names_with_coordinates(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(2);
    static const meguri_text late[] = {{"b", 1}, {"a", 1}}, early[] = {{"c", 1}, {"b", 1}};
    static const double x[] = {1, 2}, y[] = {3, 4};
    meguri_builder *builder;
    meguri_graph *graph;
    uint64_t numbers[2];
    meguri_builder_options o = {.size = sizeof o, .ids = MEGURI_ID_STRING};
    assert_int_equal(meguri_builder_new(&builder, ctx, &o), MEGURI_OK);
    meguri_vertex_arrays v = {.size = sizeof v, .count = 2, .ids = late, .x = x, .y = y};
    assert_int_equal(meguri_builder_vertices(numbers, ctx, builder, 7, &v), MEGURI_OK);
    v = (meguri_vertex_arrays){.size = sizeof v, .count = 2, .ids = early};
    assert_int_equal(meguri_builder_vertices(NULL, ctx, builder, 2, &v), MEGURI_OK); /* c, b, a in the end */
    meguri_edge_arrays e = {.size = sizeof e, .count = 1, .from = &numbers[1], .to = &numbers[0], .id_bytes = 8};
    assert_int_equal(meguri_builder_add(ctx, builder, 0, &e), MEGURI_OK);
    assert_int_equal(meguri_builder_finish(&graph, ctx, builder), MEGURI_OK);
    const char *found[3];
    size_t length[3];
    double at[3], other[3];
    uint64_t neighbor, degree;
    assert_int_equal(meguri_graph_names(found, length, ctx, graph, 0, 3), MEGURI_OK);
    assert_true(*found[0] == 'c' && *found[1] == 'b' && *found[2] == 'a');
    assert_int_equal(meguri_graph_coordinates(at, other, ctx, graph, 0, 3), MEGURI_OK);
    assert_true(at[0] != at[0] && at[1] == 1 && at[2] == 2 && other[2] == 4);
    assert_int_equal(meguri_graph_neighbors(&neighbor, NULL, NULL, 1, &degree, ctx, graph, 2), MEGURI_OK);
    assert_true(degree == 1 && neighbor == 1);
    meguri_graph_free(graph);
    meguri_builder_free(builder);
    context_done(ctx);
}

/* Where nodes lie in a database: blocks in any order, spilled, and through a file; the values are by the user's ids. */
static void columns_of_vertices(void **state) {
    enum { COUNT = 200000, BLOCK = 1000 };
    const uint64_t count = UNDER_TSAN || UNDER_ASAN ? 20000 : COUNT;
    static const char *const databases[] = {"north", "south", "東"};
    char path[2 * FOLDER_TEXT];
    snprintf(path, sizeof path, "%s/vertices.meg", (char *)*state);
    for (int kind = MEGURI_ID_UNSIGNED; kind <= MEGURI_ID_STRING; kind++) {
        meguri_ctx *ctx;
        meguri_ctx_options co = {.size = sizeof co, .threads = 2, .memory = count * 150};
        assert_int_equal(meguri_ctx_new(&ctx, &co), MEGURI_OK);
        const meguri_column_data declared[] = {
            {.size = sizeof *declared, .name = "database", .labels = databases, .label_count = 3},
            {.size = sizeof *declared, .name = "node", .kind = MEGURI_COLUMN_IDS, .type = MEGURI_TYPE_U64},
            {.size = sizeof *declared, .name = "found"}};
        meguri_builder_options o = {
            .size = sizeof o, .ids = (meguri_id_kind)kind, .vertex_columns = declared, .vertex_column_count = 3};
        meguri_builder *builder;
        meguri_graph *graph, *back = NULL;
        assert_int_equal(meguri_builder_new(&builder, ctx, &o), MEGURI_OK);
        for (uint64_t b = count / BLOCK; b-- > 0;) { /* the last block first */
            static uint64_t ids[BLOCK], nodes[BLOCK];
            static uint8_t in[BLOCK];
            static double found[BLOCK];
            static char text[BLOCK][24];
            static meguri_text texts[BLOCK];
            for (uint64_t i = 0; i < BLOCK; i++) {
                uint64_t vertex = b * BLOCK + i;
                ids[i] = kind == MEGURI_ID_SIGNED ? vertex - 500 : vertex * 3;
                nodes[i] = UINT64_MAX - vertex, in[i] = (uint8_t)(vertex % 3), found[i] = (double)vertex / 2;
                texts[i] = (meguri_text){text[i], (size_t)snprintf(text[i], 24, "n%d", (int)vertex)};
            }
            meguri_column_data columns[3] = {declared[0], declared[1], declared[2]};
            columns[0].type = MEGURI_TYPE_U8, columns[0].values = in, columns[0].labels = NULL;
            columns[1].values = nodes, columns[2].values = found;
            meguri_vertex_arrays v = {.size = sizeof v,
                                      .count = BLOCK,
                                      .ids = kind == MEGURI_ID_STRING ? (const void *)texts : ids,
                                      .columns = columns,
                                      .column_count = 3};
            if (meguri_builder_vertices(NULL, ctx, builder, b, &v) != MEGURI_OK) fail_msg("%s", meguri_ctx_error(ctx));
        }
        if (meguri_builder_finish(&graph, ctx, builder) != MEGURI_OK) fail_msg("%s", meguri_ctx_error(ctx));
        meguri_builder_free(builder);
        if (meguri_save(ctx, graph, to_file(path), NULL) != MEGURI_OK ||
            meguri_open(&back, ctx, path, NULL) != MEGURI_OK || meguri_graph_verify(ctx, back) != MEGURI_OK)
            fail_msg("%s", meguri_ctx_error(ctx));
        meguri_column_info info = {.size = sizeof info};
        uint32_t column;
        const char *name;
        assert_int_equal(meguri_graph_find_vertex_column(&column, ctx, back, "found"), MEGURI_OK);
        assert_int_equal(column, 2);
        assert_int_equal(meguri_graph_vertex_column(&info, ctx, back, 2), MEGURI_OK);
        assert_true(info.type == MEGURI_TYPE_F32 && info.label_count == 0);
        assert_int_equal(meguri_graph_vertex_column(&info, ctx, back, 0), MEGURI_OK);
        assert_true(info.type == MEGURI_TYPE_U8 && info.label_count == 3);
        assert_int_equal(meguri_graph_vertex_label(&name, ctx, back, 0, 2), MEGURI_OK);
        assert_string_equal(name, "東");
        for (uint64_t first = 0; first < count; first += 777) {
            uint64_t nodes[9], some = MG_MIN(count - first, (uint64_t)9);
            uint8_t in[9];
            float found[9];
            assert_int_equal(meguri_graph_vertex_values(in, NULL, ctx, back, 0, first, some), MEGURI_OK);
            assert_int_equal(meguri_graph_vertex_values(nodes, NULL, ctx, back, 1, first, some), MEGURI_OK);
            assert_int_equal(meguri_graph_vertex_values(found, NULL, ctx, graph, 2, first, some), MEGURI_OK);
            for (uint64_t i = 0; i < some; i++)
                assert_true(in[i] == (first + i) % 3 && nodes[i] == UINT64_MAX - first - i &&
                            found[i] == (float)(first + i) / 2);
        }
        meguri_graph_free(graph);
        meguri_graph_free(back);
        context_done(ctx);
    }
}

static void columns_that_are_missing_or_twice(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    static const uint64_t ids[] = {5, 7, 7};
    static const uint8_t values[] = {1, 2, 3};
    for (int what = 0; what < 3; what++) {
        meguri_column_data column = {.size = sizeof column, .name = "n", .type = MEGURI_TYPE_U8};
        meguri_builder_options o = {.size = sizeof o, .vertex_columns = &column, .vertex_column_count = 1};
        meguri_builder *builder;
        meguri_graph *graph;
        assert_int_equal(meguri_builder_new(&builder, ctx, &o), MEGURI_OK);
        column.values = values;
        meguri_vertex_arrays v = {
            .size = sizeof v, .count = what == 0 ? 3 : 2, .ids = ids, .columns = &column, .column_count = 1};
        meguri_edge_arrays e = {.size = sizeof e, .count = 1, .from = ids, .to = (const uint64_t[]){9}};
        assert_int_equal(meguri_builder_vertices(NULL, ctx, builder, 0, &v), MEGURI_OK);
        if (what == 1) assert_int_equal(meguri_builder_add(ctx, builder, 0, &e), MEGURI_OK);
        meguri_status status = meguri_builder_finish(&graph, ctx, builder);
        if (what == 0) expect_failure(ctx, status, MEGURI_BAD_INPUT, "vertex 7 has values of columns twice");
        if (what == 1) expect_failure(ctx, status, MEGURI_BAD_INPUT, "vertex 9 has no values of columns");
        if (what == 2) assert_int_equal(status, MEGURI_OK);
        meguri_graph_free(graph);
        meguri_builder_free(builder);
    }
    context_done(ctx);
}

/* ---- what is refused -------------------------------------------------------------------------------------------- */

static void refused_in_the_end(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(2);
    static const uint64_t ends[] = {1, 2};
    static const double x[] = {1, 2};
    static const float nan_weight = NAN;
    for (int what = 0; what < 4; what++) {
        meguri_builder *builder;
        meguri_graph *graph;
        meguri_builder_options o = {.size = sizeof o, .ids = what == 3 ? MEGURI_ID_STRING : MEGURI_ID_UNSIGNED};
        assert_int_equal(meguri_builder_new(&builder, ctx, &o), MEGURI_OK);
        meguri_edge_arrays e = {.size = sizeof e, .count = 1, .from = ends, .to = ends + 1, .id_bytes = 8};
        meguri_vertex_arrays v = {.size = sizeof v, .count = 2, .ids = ends, .id_bytes = 8, .x = x, .y = x};
        if (what == 0) { /* coordinates twice */
            assert_int_equal(meguri_builder_vertices(NULL, ctx, builder, 0, &v), MEGURI_OK);
            assert_int_equal(meguri_builder_vertices(NULL, ctx, builder, 1, &v), MEGURI_OK);
            expect_failure(ctx, meguri_builder_finish(&graph, ctx, builder), MEGURI_BAD_INPUT, "vertex 1 has coord");
        } else if (what == 1) { /* some weights */
            assert_int_equal(meguri_builder_add(ctx, builder, 0, &e), MEGURI_OK);
            e.weights = x, e.weight_type = MEGURI_TYPE_F64;
            assert_int_equal(meguri_builder_add(ctx, builder, 0, &e), MEGURI_OK);
            expect_failure(ctx, meguri_builder_finish(&graph, ctx, builder), MEGURI_BAD_INPUT, "others have none");
        } else if (what == 2) { /* a block that is not taken leaves a builder that can only be freed */
            e.weights = &nan_weight, e.weight_type = MEGURI_TYPE_F32;
            expect_failure(ctx, meguri_builder_add(ctx, builder, 0, &e), MEGURI_BAD_INPUT, "NaN");
            expect_failure(ctx, meguri_builder_finish(&graph, ctx, builder), MEGURI_BAD_ARGUMENT, "failed before");
        } else { /* numbers that stand for nothing */
            expect_failure(ctx, meguri_builder_add(ctx, builder, 0, &e), MEGURI_BAD_INPUT, "number 1, but 0 names");
        }
        meguri_builder_free(builder);
    }
    context_done(ctx);
}

/* ---- every allocation fails in turn ----------------------------------------------------------------------------- */

static meguri_status build_all(meguri_ctx *ctx, void *what) {
    const edge_list *e = what;
    static const double x[] = {1, 2};
    meguri_builder *builder;
    meguri_graph *graph = NULL;
    const meguri_column_data column = {
        .size = sizeof column, .name = "n", .type = MEGURI_TYPE_U64, .values = e->numbers};
    meguri_builder_options o = {.size = sizeof o,
                                .ids = e->kind,
                                .columns = csv_columns,
                                .column_count = 3,
                                .vertex_columns = &column,
                                .vertex_column_count = 1};
    meguri_status status = meguri_builder_new(&builder, ctx, &o);
    meguri_text all[NAMES];
    uint64_t ids[NAMES];
    for (uint64_t i = 0; i < NAMES; i++) {
        all[i] = (meguri_text){names[i], strlen(names[i])};
        ids[i] = e->kind == MEGURI_ID_SIGNED ? i * 7 - 100 : i % 3 ? i : i << 40;
    }
    job j = {.edges = e, .builder = builder, .threads = 1};
    cut(&j, 5, 40);
    for (uint64_t i = 0; i < j.blocks && status == MEGURI_OK; i++) status = add_block(ctx, &j, j.order[i]);
    bool strings = e->kind == MEGURI_ID_STRING;
    meguri_vertex_arrays v = {.size = sizeof v,
                              .count = 2,
                              .ids = strings ? (const void *)e->from_texts : (const void *)e->from,
                              .x = x,
                              .y = x};
    if (status == MEGURI_OK) status = meguri_builder_vertices(NULL, ctx, builder, 0, &v);
    v = (meguri_vertex_arrays){.size = sizeof v,
                               .count = NAMES,
                               .ids = strings ? (const void *)all : ids,
                               .columns = &column,
                               .column_count = 1};
    if (status == MEGURI_OK) status = meguri_builder_vertices(NULL, ctx, builder, 1, &v);
    if (status == MEGURI_OK) status = meguri_builder_finish(&graph, ctx, builder);
    meguri_builder_free(builder);
    meguri_graph_free(graph);
    return status;
}

static void every_allocation(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(2);
    for (int kind = MEGURI_ID_UNSIGNED; kind <= MEGURI_ID_STRING; kind++) {
        edge_list e = edges_new((meguri_id_kind)kind, 60, 11);
        assert_true(fail_each_allocation(ctx, build_all, &e, LEAVES_NOTHING) >= 20);
        edges_free(&e);
    }
    context_done(ctx);
}

static int make_folder(void **state) {
    static char folder[FOLDER_TEXT];
    folder_new(folder);
    *state = folder;
    return 0;
}
static int remove_folder(void **state) {
    folder_remove(*state);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_reading_does),
                                       cmocka_unit_test(spilled_in_any_order),
                                       cmocka_unit_test(vertices_and_coordinates),
                                       cmocka_unit_test(names_with_coordinates),
                                       cmocka_unit_test(refused_in_the_end),
                                       cmocka_unit_test(columns_of_vertices),
                                       cmocka_unit_test(columns_that_are_missing_or_twice),
                                       cmocka_unit_test(every_allocation)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
