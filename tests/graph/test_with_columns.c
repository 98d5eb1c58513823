/* Graphs with other weights and columns than their base (meguri_graph_with_columns), beside graphs that are built with
 * these: random multigraphs with loops, directed or not, in every order, with rows backwards or without. */
#define _GNU_SOURCE /* what unit.h uses */
#include "graph/graph.h"
#include "support/faults.h"
#include "support/sanitized.h"
#include "support/sinks.h"
#include "support/unit.h"

#include <math.h>
#include <meguri.h>
#include <string.h>

enum { VERTICES = 12, MOST = 60 };
#define GOOD(call) assert_int_equal(call, MEGURI_OK)

typedef struct many_edges {
    uint64_t count, from[MOST], to[MOST], input[MOST];
    double weight[MOST];
} many_edges;

static void draw_weights(double *weights, uint64_t count, uint64_t *random, int kind) {
    for (uint64_t i = 0; i < count; i++) {
        weights[i] = (double)(next_random(random) % (kind % 2 ? 5 : 60000));
        if (kind / 2 == 1) weights[i] += 0.5;
        if (kind / 2 == 2) weights[i] += 0.1;
    }
}

static meguri_graph *build(meguri_ctx *ctx, const many_edges *e, int shape, bool weighted, bool numbered) {
    const meguri_column_data column = {
        .size = sizeof column, .name = "input", .type = MEGURI_TYPE_U64, .values = e->input};
    const meguri_edge_arrays arrays = {.size = sizeof arrays,
                                       .count = e->count,
                                       .from = e->from,
                                       .to = e->to,
                                       .vertices = VERTICES,
                                       .weights = weighted ? e->weight : NULL,
                                       .weight_type = weighted ? MEGURI_TYPE_F64 : MEGURI_TYPE_NONE,
                                       .columns = &column,
                                       .column_count = numbered};
    const meguri_build_options o = {.size = sizeof o,
                                    .direction = shape % 2 ? MEGURI_DIRECTED : MEGURI_UNDIRECTED,
                                    .order = (meguri_order)(1 + shape / 2 % 3),
                                    .duplicates = MEGURI_DUPLICATES_KEEP,
                                    .keep_loops = 1,
                                    .in_rows = shape / 6 % 2};
    meguri_graph *graph;
    GOOD(meguri_graph_from_edges(&graph, ctx, &arrays, &o));
    return graph;
}

static void draw(many_edges *e, uint64_t *random) {
    e->count = next_random(random) % MOST;
    uint64_t ends = 2 + next_random(random) % (VERTICES - 2); /* few of them: many parallel edges */
    for (uint64_t i = 0; i < e->count; i++) {
        e->from[i] = next_random(random) % ends;
        e->to[i] = next_random(random) % ends;
        e->input[i] = i;
    }
}

/* Distances from every vertex, along the edges and against them. */
static void same_distances(meguri_ctx *ctx, const meguri_graph *a, const meguri_graph *b) {
    for (uint64_t v = 0; v < VERTICES; v++) {
        double got[2][VERTICES];
        for (int i = 0; i < 2; i++) {
            meguri_result *result;
            GOOD(meguri_sssp(&result, ctx, i ? b : a, v, NULL));
            GOOD(meguri_sssp_check(ctx, i ? b : a, result, NULL));
            GOOD(meguri_result_values(got[i], MEGURI_TYPE_F64, result, "distance", 0, VERTICES));
            meguri_result_free(result);
        }
        assert_memory_equal(got[0], got[1], sizeof got[0]);
    }
}

static void same_neighbors(meguri_ctx *ctx, const meguri_graph *a, const meguri_graph *b) {
    for (uint64_t v = 0; v < VERTICES; v++)
        for (int in = 0; in < 2; in++) {
            uint64_t heads[2][2 * MOST], count[2];
            double weights[2][2 * MOST];
            for (int i = 0; i < 2; i++)
                GOOD((in ? meguri_graph_in_neighbors : meguri_graph_neighbors)(heads[i], weights[i], NULL, 2 * MOST,
                                                                               &count[i], ctx, i ? b : a, v));
            assert_int_equal(count[0], count[1]);
            assert_memory_equal(heads[0], heads[1], count[0] * sizeof *heads[0]);
            assert_memory_equal(weights[0], weights[1], count[0] * sizeof *weights[0]);
        }
}

static meguri_graph *through_file(meguri_ctx *ctx, const meguri_graph *graph, const char *folder) {
    char path[FOLDER_TEXT + 16];
    meguri_graph *opened;
    snprintf(path, sizeof path, "%s/g.meg", folder);
    GOOD(meguri_save(ctx, graph, to_file(path), NULL));
    GOOD(meguri_open(&opened, ctx, path, NULL));
    GOOD(meguri_graph_verify(ctx, opened));
    return opened;
}

/* Edges of the new graph are those of the base that it tells, with the new weights and the values of these edges. */
static void same_edges(meguri_ctx *ctx, const meguri_graph *base, const meguri_graph *graph, const many_edges *given,
                       const uint64_t *base_edges, bool numbered) {
    uint64_t from[2][MOST], to[2][MOST], input[2][MOST];
    double weight[MOST];
    bool seen[MOST] = {false};
    uint32_t column;
    GOOD(meguri_graph_edges(from[0], to[0], NULL, ctx, base, NULL, given->count));
    GOOD(meguri_graph_edges(from[1], to[1], weight, ctx, graph, NULL, given->count));
    for (int i = 0; i < 2 && numbered; i++) {
        GOOD(meguri_graph_find_edge_column(&column, ctx, i ? graph : base, "input"));
        GOOD(meguri_graph_edge_values(input[i], NULL, ctx, i ? graph : base, column, NULL, given->count));
    }
    for (uint64_t e = 0; e < given->count; e++) {
        uint64_t was = base_edges[e];
        assert_true(was < given->count && !seen[was]);
        seen[was] = true;
        assert_int_equal(from[1][e], from[0][was]);
        assert_int_equal(to[1][e], to[0][was]);
        assert_true(weight[e] == given->weight[was]);
        if (numbered) assert_int_equal(input[1][e], input[0][was]);
    }
}

static void try_one(meguri_ctx *ctx, uint64_t *random, int round, const char *folder) {
    many_edges e, given;
    bool numbered = round % 3 != 0;
    draw(&e, random);
    draw_weights(e.weight, e.count, random, round % 6);
    meguri_graph *base = build(ctx, &e, round, round % 5 != 0, numbered);
    if (round % 7 == 0) {
        meguri_graph *opened = through_file(ctx, base, folder);
        meguri_graph_free(base);
        base = opened;
    }
    given.count = e.count;
    GOOD(meguri_graph_edges(given.from, given.to, NULL, ctx, base, NULL, e.count));
    draw_weights(given.weight, e.count, random, (int)(next_random(random) % 6));
    for (uint64_t i = 0; i < e.count; i++) given.input[i] = 1000 * i;
    uint64_t base_edges[MOST];
    const meguri_column_data more = {
        .size = sizeof more, .name = "more", .type = MEGURI_TYPE_U64, .values = given.input};
    const meguri_with_columns_options o = {.size = sizeof o,
                                           .weights = given.weight,
                                           .weight_type = MEGURI_TYPE_F64,
                                           .columns = &more,
                                           .column_count = round / 2 % 2,
                                           .base_edges = base_edges};
    meguri_graph *graph, *built = build(ctx, &given, round, true, false);
    GOOD(meguri_graph_with_columns(&graph, ctx, base, &o));
    GOOD(meguri_graph_verify(ctx, graph));
    meguri_rows rows[2] = {{.size = sizeof *rows}, {.size = sizeof *rows}};
    GOOD(meguri_graph_rows(&rows[0], ctx, base, MEGURI_ROWS_OUT));
    GOOD(meguri_graph_rows(&rows[1], ctx, graph, MEGURI_ROWS_OUT));
    assert_ptr_equal(rows[0].targets, rows[1].targets); /* not copied */
    same_edges(ctx, base, graph, &given, base_edges, numbered);
    if (o.column_count) {
        uint64_t values[MOST];
        uint32_t column;
        GOOD(meguri_graph_find_edge_column(&column, ctx, graph, "more"));
        GOOD(meguri_graph_edge_values(values, NULL, ctx, graph, column, NULL, e.count));
        for (uint64_t i = 0; i < e.count; i++) assert_int_equal(values[i], 1000 * base_edges[i]);
    }
    meguri_graph_free(base); /* the other one holds what it needs */
    same_neighbors(ctx, graph, built);
    same_distances(ctx, graph, built);
    meguri_graph *opened = through_file(ctx, graph, folder);
    same_neighbors(ctx, opened, built);
    same_edges(ctx, graph, opened, &(many_edges){.count = 0}, base_edges, numbered);
    meguri_graph_free(opened);
    meguri_graph_free(graph);
    meguri_graph_free(built);
}

static void multigraphs(void **state) {
    (void)state;
    char folder[FOLDER_TEXT];
    uint64_t random = 5;
    meguri_ctx *ctx = context_with(2);
    folder_new(folder);
    for (int round = 0; round < (UNDER_ASAN || UNDER_TSAN ? 84 : 420); round++) try_one(ctx, &random, round, folder);
    folder_remove(folder);
    context_done(ctx);
}

/* Coordinates, ids and the index stay; weights are as narrow as they can be; a column takes the place of one with its
 * name; graphs that are made from each other do not keep each other's weights. */
static void what_stays(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(2);
    meguri_grid_options grid = {.size = sizeof grid, .width = 30, .height = 20};
    meguri_graph *base, *graph, *named;
    GOOD(meguri_gen_grid(&base, ctx, &grid));
    meguri_graph_info info = {.size = sizeof info}, was = {.size = sizeof was};
    GOOD(meguri_graph_get_info(&was, ctx, base));
    uint16_t *weights = calloc(was.edges, sizeof *weights);
    for (uint64_t i = 0; i < was.edges; i++) weights[i] = (uint16_t)(i % 200);
    meguri_with_columns_options o = {.size = sizeof o, .weights = weights, .weight_type = MEGURI_TYPE_U16};
    graph = base;
    for (int i = 0; i < 50; i++) {
        meguri_graph *next;
        GOOD(meguri_graph_with_columns(&next, ctx, graph, &o));
        assert_ptr_equal(next->base, base);
        meguri_graph_free(graph);
        graph = next;
    }
    GOOD(meguri_graph_get_info(&info, ctx, graph));
    assert_int_equal(info.weight_storage, MEGURI_TYPE_U8);
    assert_int_equal(info.has_coordinates, was.has_coordinates);
    assert_int_equal(info.order, was.order);
    static const char *const labels[] = {"road", "path"};
    uint8_t *kinds = calloc(was.edges, 1);
    for (int i = 0; i < 2; i++) {
        for (uint64_t e = 0; e < was.edges; e++) kinds[e] = (uint8_t)((e + (uint64_t)i) % 2);
        const meguri_column_data kind = {.size = sizeof kind,
                                         .name = "kind",
                                         .kind = MEGURI_COLUMN_TYPES,
                                         .type = MEGURI_TYPE_U8,
                                         .values = kinds,
                                         .labels = labels,
                                         .label_count = 2};
        const meguri_with_columns_options of_kinds = {.size = sizeof of_kinds, .columns = &kind, .column_count = 1};
        GOOD(meguri_graph_with_columns(&named, ctx, graph, &of_kinds));
        meguri_graph_free(graph);
        graph = named;
        uint64_t values[600];
        const char *label;
        GOOD(meguri_graph_get_info(&info, ctx, graph));
        assert_int_equal(info.edge_columns, 1);
        assert_int_equal(info.weight_storage, MEGURI_TYPE_U8);
        GOOD(meguri_graph_edge_label(&label, ctx, graph, 0, 1));
        assert_string_equal(label, "path");
        uint8_t *stored = (uint8_t *)values;
        GOOD(meguri_graph_edge_values(stored, NULL, ctx, graph, 0, NULL, 600));
        assert_memory_equal(stored, kinds, 600);
    }
    weights[3] = 0;
    double nan[2000] = {0};
    nan[7] = (double)NAN;
    o.weights = nan, o.weight_type = MEGURI_TYPE_F64;
    expect_failure(ctx, meguri_graph_with_columns(&named, ctx, graph, &o), MEGURI_BAD_INPUT, "NaN");
    free(kinds);
    free(weights);
    meguri_graph_free(graph);
    context_done(ctx);
}

typedef struct job {
    const meguri_graph *base;
    meguri_with_columns_options options;
} job;

static meguri_status do_it(meguri_ctx *ctx, void *what) {
    const job *j = what;
    meguri_graph *graph;
    meguri_status status = meguri_graph_with_columns(&graph, ctx, j->base, &j->options);
    assert_int_equal(graph != NULL, status == MEGURI_OK);
    meguri_graph_free(graph);
    return status;
}

static void every_allocation_fails(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(2);
    uint64_t random = 8;
    many_edges e;
    do draw(&e, &random);
    while (e.count < MOST / 2);
    draw_weights(e.weight, e.count, &random, 1);
    meguri_graph *base = build(ctx, &e, 6, true, true);
    draw_weights(e.weight, e.count, &random, 0);
    const meguri_column_data more = {.size = sizeof more, .name = "more", .type = MEGURI_TYPE_U64, .values = e.input};
    job j = {base,
             {.size = sizeof j.options,
              .weights = e.weight,
              .weight_type = MEGURI_TYPE_F64,
              .columns = &more,
              .column_count = 1}};
    GOOD(do_it(ctx, &j)); /* the base keeps the numbers of its edges */
    assert_true(fail_each_allocation(ctx, do_it, &j, LEAVES_NOTHING) > 10);
    meguri_graph_free(base);
    context_done(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(multigraphs), cmocka_unit_test(what_stays),
                                       cmocka_unit_test(every_allocation_fails)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
