/* A column of the edges as their weights: the same answers as of a graph that has the column as its weights, by every
 * algorithm, in every direction, with parallel edges that the two weights order differently; what is refused. */
#define _GNU_SOURCE
#include "support/faults.h"
#include "support/sanitized.h"
#include "support/sinks.h"

#include <math.h>
#include <meguri.h>

enum { VERTICES = 24, EDGES = 110, MANY = 8, TYPES = 3 };
static const char *const names[TYPES] = {"A", "B", "C"};

typedef struct lines {
    uint32_t from[EDGES], to[EDGES], weights[EDGES];
    uint8_t types[EDGES];
    uint64_t ids[EDGES];
    unsigned char values[EDGES * 8]; /* the other weight, of a type */
    meguri_type type;
} lines;

static void put_value(lines *l, int i, unsigned value) {
    switch (l->type) {
    case MEGURI_TYPE_U8: l->values[i] = (uint8_t)value; break;
    case MEGURI_TYPE_U16: ((uint16_t *)(void *)l->values)[i] = (uint16_t)(value * 1000); break;
    case MEGURI_TYPE_U32: ((uint32_t *)(void *)l->values)[i] = value * 100000; break;
    case MEGURI_TYPE_F32: ((float *)(void *)l->values)[i] = (float)value / 4; break;
    case MEGURI_TYPE_F64: ((double *)(void *)l->values)[i] = value / 3.0; break;
    default: ((uint64_t *)(void *)l->values)[i] = value; break;
    }
}

static lines make_lines(uint64_t seed, meguri_type type) {
    lines l = {.type = type};
    for (int i = 0; i < EDGES; i++) {
        l.from[i] = (uint32_t)(next_random(&seed) % VERTICES);
        l.to[i] = (uint32_t)(next_random(&seed) % VERTICES);
        if (i % 3 == 2) l.from[i] = l.from[i - 1], l.to[i] = l.to[i - 1]; /* parallel */
        if (i % 8 == 7) l.from[i] = l.to[i - 1], l.to[i] = l.from[i - 1]; /* and back */
        if (i >= EDGES - MANY * 10) l.from[i] = i % 20 == 0 ? 2 : 1, l.to[i] = 3 - l.from[i];
        l.weights[i] = (uint32_t)(next_random(&seed) % 4);
        l.types[i] = (uint8_t)(next_random(&seed) % TYPES);
        l.ids[i] = 1000 + (uint64_t)i;
        put_value(&l, i, (unsigned)(next_random(&seed) % 5));
    }
    return l;
}

static meguri_type weight_type(meguri_type type) {
    switch (type) {
    case MEGURI_TYPE_U8: return MEGURI_TYPE_U8;
    case MEGURI_TYPE_U16: return MEGURI_TYPE_U16;
    case MEGURI_TYPE_F32: return MEGURI_TYPE_F32;
    case MEGURI_TYPE_F64: return MEGURI_TYPE_F64;
    default: return MEGURI_TYPE_U32;
    }
}

/* With the other weight as a column, or as the weight of the graph. */
static meguri_graph *build(meguri_ctx *ctx, const lines *l, bool swapped, bool weighted, meguri_direction direction) {
    const meguri_column_data columns[] = {
        {.size = sizeof *columns, .name = "id", .kind = MEGURI_COLUMN_IDS, .type = MEGURI_TYPE_U64, .values = l->ids},
        {.size = sizeof *columns, .name = "minutes", .type = l->type, .values = l->values},
        {.size = sizeof *columns,
         .name = "type",
         .kind = MEGURI_COLUMN_TYPES,
         .type = MEGURI_TYPE_U8,
         .values = l->types,
         .labels = names,
         .label_count = TYPES}};
    uint32_t narrow[EDGES];
    for (int i = 0; i < EDGES && l->type == MEGURI_TYPE_U64; i++)
        narrow[i] = (uint32_t)((const uint64_t *)(const void *)l->values)[i];
    const void *other = l->type == MEGURI_TYPE_U64 ? (const void *)narrow : l->values;
    const meguri_edge_arrays e = {.size = sizeof e,
                                  .count = EDGES,
                                  .from = l->from,
                                  .to = l->to,
                                  .id_bytes = 4,
                                  .weights = swapped    ? other
                                             : weighted ? l->weights
                                                        : NULL,
                                  .weight_type = swapped    ? weight_type(l->type)
                                                 : weighted ? MEGURI_TYPE_U32
                                                            : MEGURI_TYPE_NONE,
                                  .vertices = VERTICES,
                                  .columns = columns,
                                  .column_count = COUNT_OF(columns)};
    const meguri_build_options o = {.size = sizeof o,
                                    .direction = direction,
                                    .duplicates = MEGURI_DUPLICATES_KEEP,
                                    .keep_loops = 1,
                                    .order = MEGURI_ORDER_DEGREE};
    meguri_graph *graph;
    if (meguri_graph_from_edges(&graph, ctx, &e, &o) != MEGURI_OK) fail_msg("%s", meguri_ctx_error(ctx));
    return graph;
}

/* ---- paths ------------------------------------------------------------------------------------------------------ */

typedef struct given {
    meguri_ctx *ctx;
    const meguri_graph *graph;
    meguri_path_checker *checker;
    const meguri_path_query *query;
    uint64_t paths, hash;
    double sum;
} given;

static int take(void *user, const meguri_path *path) {
    given *g = user;
    uint64_t hash = 17, id;
    for (uint64_t i = 0; i < path->hops; i++) {
        assert_int_equal(meguri_graph_edge_values(&id, NULL, g->ctx, g->graph, 0, &path->edges[i], 1), MEGURI_OK);
        hash = hash * 1000003 + id;
    }
    g->paths++;
    g->sum += path->cost;
    g->hash += hash; /* in any order */
    if (g->checker && meguri_path_checker_path(g->ctx, g->checker, 0, g->query, path) != MEGURI_OK)
        fail_msg("%s", meguri_ctx_error(g->ctx));
    return 0;
}

static given ask(meguri_ctx *ctx, meguri_ctx *other, const meguri_graph *graph, const meguri_path_finder_options *o,
                 const meguri_path_query *query) {
    meguri_path_finder *finder;
    given g = {.ctx = other, .graph = graph, .query = query};
    meguri_path_answer answer = {.size = sizeof answer};
    if (meguri_path_finder_new(&finder, ctx, graph, o) != MEGURI_OK) fail_msg("%s", meguri_ctx_error(ctx));
    if (meguri_path_checker_new(&g.checker, other, graph, o) != MEGURI_OK) fail_msg("%s", meguri_ctx_error(other));
    if (meguri_path_find(&answer, ctx, finder, query, take, &g) != MEGURI_OK) fail_msg("%s", meguri_ctx_error(ctx));
    if (meguri_path_checker_answer(other, g.checker, 0, query, &answer) != MEGURI_OK)
        fail_msg("%s", meguri_ctx_error(other));
    meguri_path_checker_free(g.checker);
    meguri_path_finder_free(finder);
    return g;
}

static void compare_paths(meguri_ctx *ctx, meguri_ctx *other, const meguri_graph *base, const meguri_graph *swapped,
                          meguri_path_direction direction, bool types) {
    static const meguri_path_algorithm algorithms[] = {
        MEGURI_PATH_AUTO,     MEGURI_PATH_DIJKSTRA,     MEGURI_PATH_BIDIRECTIONAL,
        MEGURI_PATH_SHORTEST, MEGURI_PATH_ALL_SHORTEST, MEGURI_PATH_SIMPLE,
        MEGURI_PATH_YENS,     MEGURI_PATH_TREE,         MEGURI_PATH_INDEXED};
    const char *wanted[] = {"A", "C"};
    for (size_t a = 0; a < COUNT_OF(algorithms); a++)
        for (uint64_t to = 1; to < VERTICES; to += 6) {
            meguri_path_query q = {
                .size = sizeof q, .algorithm = algorithms[a], .from = (to * 7) % VERTICES, .to = to, .k = 4};
            bool simple = q.algorithm == MEGURI_PATH_SIMPLE, shortest = q.algorithm == MEGURI_PATH_SHORTEST;
            if (simple) q.max_hops = 2;
            if (q.algorithm == MEGURI_PATH_INDEXED && direction == MEGURI_PATH_BOTH) continue;
            meguri_path_finder_options o = {.size = sizeof o,
                                            .direction = direction,
                                            .types = wanted,
                                            .type_count = types ? 2 : 0,
                                            .index_use = q.algorithm == MEGURI_PATH_INDEXED ? MEGURI_PATH_INDEX_MAKE
                                                                                            : MEGURI_PATH_INDEX_STORED};
            given expected = ask(ctx, other, swapped, &o, &q);
            o.weight = "minutes";
            given got = ask(ctx, other, base, &o, &q);
            assert_int_equal(got.paths, expected.paths);
            if (!shortest) assert_true(fabs(got.sum - expected.sum) <= 1e-9 * (1 + expected.sum));
            if (simple || q.algorithm == MEGURI_PATH_ALL_SHORTEST) assert_true(got.hash == expected.hash);
        }
}

/* An index of its own for the column; not for another weight, and not in a file. */
static void test_index_of_a_column(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(2), *other = context_with(1);
    lines l = make_lines(77, MEGURI_TYPE_U16);
    meguri_graph *base = build(ctx, &l, false, true, MEGURI_DIRECTED);
    meguri_graph *swapped = build(ctx, &l, true, true, MEGURI_DIRECTED);
    const meguri_path_index_options io = {.size = sizeof io, .weight = "minutes"};
    meguri_path_index *index;
    meguri_path_finder *finder;
    assert_int_equal(meguri_path_index_new(&index, ctx, base, &io), MEGURI_OK);
    meguri_path_finder_options o = {.size = sizeof o, .index = index};
    assert_int_equal(meguri_path_finder_new(&finder, ctx, base, &o), MEGURI_BAD_ARGUMENT);
    o.weight = "minutes";
    const meguri_path_finder_options plain = {.size = sizeof plain};
    for (uint64_t to = 0; to < VERTICES; to++) {
        meguri_path_query q = {.size = sizeof q, .algorithm = MEGURI_PATH_INDEXED, .from = 1, .to = to};
        given got = ask(ctx, other, base, &o, &q);
        q.algorithm = MEGURI_PATH_DIJKSTRA;
        given expected = ask(ctx, other, swapped, &plain, &q);
        assert_int_equal(got.paths, expected.paths);
        assert_true(got.sum == expected.sum);
    }
    const meguri_save_options so = {.size = sizeof so, .index = index};
    assert_int_equal(meguri_save(ctx, base, to_file("not-written.meg"), &so), MEGURI_UNSUPPORTED);
    meguri_graph_free(base);
    meguri_graph_free(swapped);
    meguri_path_index_free(index);
    meguri_ctx_free(other);
    context_done(ctx);
}

/* ---- shortest paths to all -------------------------------------------------------------------------------------- */

typedef struct rows {
    double distance[VERTICES][VERTICES];
    meguri_type type;
} rows;

static meguri_status take_row(void *user, uint64_t index, const meguri_result *result) {
    rows *r = user;
    meguri_column column = {.size = sizeof column};
    assert_int_equal(meguri_result_column(&column, result, "distance"), MEGURI_OK);
    for (uint64_t v = 0; v < column.count; v++) {
        uint64_t number;
        memcpy(&number, (const char *)column.data + v * column.stride, sizeof number);
        if (column.type == MEGURI_TYPE_F64) memcpy(&r->distance[index][v], &number, sizeof number);
        else r->distance[index][v] = number == UINT64_MAX ? (double)INFINITY : (double)number;
    }
    r->type = column.type;
    return MEGURI_OK;
}

/* The weights of `swapped` are doubles; distances along a column have the type that goes with that of the column. */
static void compare_searches(meguri_ctx *ctx, const meguri_graph *base, const meguri_graph *swapped,
                             meguri_type column) {
    const meguri_type type = mg_type_is_real(column) ? MEGURI_TYPE_F64 : MEGURI_TYPE_U64;
    uint64_t all[VERTICES];
    rows expected = {.type = 0}, got = {.type = 0};
    meguri_result *result;
    meguri_sssp_options o = {.size = sizeof o, .parents = 1, .max_cost = (double)INFINITY, .weight = "minutes"};
    for (uint64_t v = 0; v < VERTICES; v++) all[v] = v;
    assert_int_equal(meguri_sssp_many(ctx, swapped, all, VERTICES, NULL, take_row, &expected), MEGURI_OK);
    if (meguri_sssp_many(ctx, base, all, VERTICES, &o, take_row, &got) != MEGURI_OK)
        fail_msg("%s", meguri_ctx_error(ctx));
    assert_int_equal(got.type, type);
    assert_memory_equal(got.distance, expected.distance, sizeof got.distance);
    memset(&got, 0, sizeof got);
    assert_int_equal(meguri_sssp_table(ctx, base, all, VERTICES, all, VERTICES, &o, take_row, &got), MEGURI_OK);
    assert_int_equal(got.type, type);
    assert_memory_equal(got.distance, expected.distance, sizeof got.distance);
    assert_int_equal(meguri_sssp(&result, ctx, base, 5, &o), MEGURI_OK);
    take_row(&got, 0, result);
    assert_memory_equal(got.distance[0], expected.distance[5], sizeof *got.distance);
    if (meguri_sssp_check(ctx, base, result, &o) != MEGURI_OK) fail_msg("%s", meguri_ctx_error(ctx));
    meguri_result_free(result);
}

static void test_like_a_graph_with_these_weights(void **state) {
    static const meguri_type types[] = {MEGURI_TYPE_U8,  MEGURI_TYPE_U16, MEGURI_TYPE_U32,
                                        MEGURI_TYPE_F32, MEGURI_TYPE_F64, MEGURI_TYPE_U64};
    (void)state;
    for (int turn = 0; turn < (UNDER_TSAN || UNDER_ASAN ? 6 : 12); turn++) {
        meguri_ctx *ctx = context_with(1 + (uint32_t)turn % 2), *other = context_with(1);
        lines l = make_lines(100 + (uint64_t)turn, types[turn % 6]);
        for (int directed = 0; directed < 2; directed++) {
            meguri_direction kind = directed ? MEGURI_DIRECTED : MEGURI_UNDIRECTED;
            meguri_graph *base = build(ctx, &l, false, turn % 3, kind), *swapped = build(ctx, &l, true, true, kind);
            for (int direction = 0; direction < (directed ? 3 : 1); direction++)
                compare_paths(ctx, other, base, swapped, (meguri_path_direction)direction, (turn + direction) % 2);
            if (turn % 3) compare_searches(ctx, base, swapped, types[turn % 6]);
            meguri_graph_free(base);
            meguri_graph_free(swapped);
        }
        meguri_ctx_free(other);
        meguri_ctx_free(ctx);
    }
}

/* ---- what is refused -------------------------------------------------------------------------------------------- */

static void refuse(meguri_ctx *ctx, const meguri_graph *graph, const char *weight, meguri_status status,
                   const char *text) {
    meguri_result *result;
    meguri_path_finder *finder;
    const meguri_sssp_options o = {.size = sizeof o, .max_cost = (double)INFINITY, .weight = weight};
    const meguri_path_finder_options f = {.size = sizeof f, .weight = weight};
    assert_int_equal(meguri_sssp(&result, ctx, graph, 0, &o), status);
    if (!strstr(meguri_ctx_error(ctx), text)) fail_msg("%s", meguri_ctx_error(ctx));
    assert_null(result);
    assert_int_equal(meguri_path_finder_new(&finder, ctx, graph, &f), status);
    assert_null(finder);
}

static void test_what_is_no_weight(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(2);
    lines l = make_lines(3, MEGURI_TYPE_U64);
    l.from[17] = 4, l.to[17] = 9;
    ((uint64_t *)(void *)l.values)[17] = (uint64_t)UINT32_MAX + 1;
    meguri_graph *graph = build(ctx, &l, false, true, MEGURI_DIRECTED);
    refuse(ctx, graph, "minutes", MEGURI_BAD_INPUT, "from 4 to 9 it is 4294967296");
    refuse(ctx, graph, "minute", MEGURI_NOT_FOUND, "did you mean 'minutes'");
    refuse(ctx, graph, "type", MEGURI_BAD_ARGUMENT, "not numbers");
    meguri_graph_free(graph);
    l = make_lines(3, MEGURI_TYPE_F64);
    l.from[17] = 4, l.to[17] = 9;
    ((double *)(void *)l.values)[17] = NAN;
    graph = build(ctx, &l, false, true, MEGURI_UNDIRECTED);
    refuse(ctx, graph, "minutes", MEGURI_BAD_INPUT, "it is not a number");
    meguri_graph_free(graph);
    ((double *)(void *)l.values)[17] = -2;
    graph = build(ctx, &l, false, true, MEGURI_DIRECTED);
    refuse(ctx, graph, "minutes", MEGURI_BAD_INPUT, "the edge from 4 to 9 is -2");
    meguri_graph_free(graph);
    meguri_ctx_free(ctx);
}

static meguri_status open_finder(meguri_ctx *ctx, void *what) {
    meguri_path_finder *finder;
    const meguri_path_finder_options o = {.size = sizeof o, .weight = "minutes"};
    meguri_status status = meguri_path_finder_new(&finder, ctx, what, &o);
    meguri_path_finder_free(finder);
    return status;
}

/* The graph may be freed before what holds it; memory that is short is told. */
static void test_lifetimes_and_memory(void **state) {
    (void)state;
    for (int directed = 0; directed < 2; directed++) {
        meguri_ctx *ctx = context_with(2);
        lines l = make_lines(9, MEGURI_TYPE_U64);
        meguri_path_finder *finder;
        const meguri_path_finder_options o = {.size = sizeof o, .weight = "minutes"};
        meguri_graph *graph = build(ctx, &l, false, true, directed ? MEGURI_DIRECTED : MEGURI_UNDIRECTED);
        fail_each_allocation(ctx, open_finder, graph, MAY_KEEP);
        assert_int_equal(meguri_path_finder_new(&finder, ctx, graph, &o), MEGURI_OK);
        meguri_graph_free(graph);
        meguri_path_finder_free(finder);
        context_done(ctx);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_like_a_graph_with_these_weights),
        cmocka_unit_test(test_index_of_a_column),
        cmocka_unit_test(test_what_is_no_weight),
        cmocka_unit_test(test_lifetimes_and_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
