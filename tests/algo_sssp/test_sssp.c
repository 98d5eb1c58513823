/* Shortest paths against Dijkstra's search of plain arrays: every shape of graph, every kind of weight, every order, on
 * several numbers of threads, with widths found and given. */
#define _GNU_SOURCE
#include "algo_sssp/routing.h"

#include <math.h>
#include <meguri.h>

static void contexts_done(meguri_ctx *const *ctx) {
    for (size_t t = 0; t < THREAD_COUNTS; t++) context_done(ctx[t]);
}

/* Found by the library, and all that are not good. */
static const double widths[] = {0, 1, 1e-9, 1e12, 3.7, 1e-300, 0x1p1000};

static void search_all(meguri_ctx *const *ctx, const roads *r, uint64_t source, int turn) {
    for (size_t t = 0; t < THREAD_COUNTS; t++) {
        if (UNDER_TSAN && t == 0) continue;
        check_sssp(ctx[t], r, source, NULL);
        meguri_sssp_options options = {.size = sizeof options,
                                       .max_cost = (double)INFINITY,
                                       .delta = widths[((size_t)turn + t) % COUNT_OF(widths)],
                                       .parents = !(turn % 5 == 0)};
        check_sssp(ctx[t], r, source, &options);
    }
}

static void search_graph(meguri_ctx *const *ctx, const zoo_graph *g, int turn) {
    meguri_build_options o = {.size = sizeof o,
                              .direction = (meguri_direction)(1 + turn % 2),
                              .order = (meguri_order)(1 + turn / 2 % 3),
                              .duplicates = turn / 3 % 2 ? MEGURI_DUPLICATES_KEEP : MEGURI_DUPLICATES_MIN,
                              .keep_loops = turn / 5 % 2};
    roads r = roads_from_zoo(ctx[1], g, &o);
    uint64_t n = r.subject.plain.vertices, seed = n + (uint64_t)turn;
    uint32_t isolated = plain_isolated(&r.subject.plain), leaf = plain_leaf(&r.subject.plain);
    if (n) {
        search_all(ctx, &r, plain_hub(&r.subject.plain), turn);
        search_all(ctx, &r, zoo_random(&seed) % n, turn + 1);
        if (isolated != UINT32_MAX) search_all(ctx, &r, isolated, turn);
        if (leaf != UINT32_MAX) search_all(ctx, &r, leaf, turn);
    }
    roads_free(&r);
}

static void the_zoo(void **state) {
    (void)state;
    meguri_ctx *const ctx[] = {context_with(1), context_with(2), context_with(5)};
    zoo_graph g;
    for (int index = 0; zoo_get(&g, index); index++) {
        bool negative = strstr(g.name, "weights 6") != NULL, large = g.count > 50000;
        if (!negative && !((UNDER_TSAN || UNDER_ASAN) && large)) {
            search_graph(ctx, &g, index);
            if (!UNDER_TSAN && !large) search_graph(ctx, &g, index + 1);
        }
        zoo_free(&g);
    }
    contexts_done(ctx);
}

static void every_shape_and_weight(void **state) {
    (void)state;
    meguri_ctx *const ctx[] = {context_with(1), context_with(2), context_with(5)};
    zoo_graph g;
    for (int index = 0; shape_get(&g, index, 300); index++) {
        for (int kind = 0; kind < WEIGHINGS; kind++) {
            if ((kind + index) % (UNDER_TSAN || UNDER_ASAN ? 4 : 2)) continue;
            weigh(&g, (weighing)kind, (uint64_t)(index + kind));
            search_graph(ctx, &g, index + kind);
        }
        zoo_free(&g);
    }
    contexts_done(ctx);
}

static void random_graphs(void **state) {
    (void)state;
    meguri_ctx *const ctx[] = {context_with(1), context_with(2), context_with(5)};
    uint64_t seed = 40;
    for (int turn = 0; turn < (UNDER_TSAN ? 2 : UNDER_ASAN ? 4 : 10) * WEIGHINGS; turn++) {
        zoo_graph g = shape_random(&seed, 500);
        weigh(&g, (weighing)(turn % WEIGHINGS), seed);
        search_graph(ctx, &g, turn);
        zoo_free(&g);
    }
    contexts_done(ctx);
}

/* Large enough that all threads have something to do. */
static void large_graphs(void **state) {
    (void)state;
    meguri_ctx *const ctx[] = {context_with(1), context_with(2), context_with(5)};
    static const weighing kinds[] = {WEIGH_BYTES, WEIGH_FRACTION, WEIGH_WORDS, WEIGH_TENTHS, WEIGH_FEW, WEIGH_NONE};
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        if ((UNDER_TSAN || UNDER_ASAN) && i > 1) continue;
        zoo_graph g = shape_kronecker(ctx[1], UNDER_TSAN || UNDER_ASAN ? 10 : 12, 16), grid;
        weigh(&g, kinds[i], 9);
        search_graph(ctx, &g, 1 + 2 * (int)i);
        zoo_free(&g);
        assert_true(shape_get(&grid, 11, UNDER_TSAN || UNDER_ASAN ? 3000 : 10000));
        assert_string_equal(grid.name, "grid");
        weigh(&grid, kinds[i], 9);
        search_graph(ctx, &grid, (int)i);
        zoo_free(&grid);
    }
    contexts_done(ctx);
}

/* Distances that 32 bits do not hold, along the longest ways there are. */
static void distances_beyond_32_bits(void **state) {
    (void)state;
    meguri_ctx *const ctx[] = {context_with(1), context_with(2), context_with(5)};
    zoo_graph g;
    assert_true(shape_get(&g, 0, 3000)); /* a path */
    weigh(&g, WEIGH_WORDS, 1);
    meguri_build_options o = {.size = sizeof o, .direction = MEGURI_UNDIRECTED};
    roads r = roads_from_zoo(ctx[1], &g, &o);
    route right = plain_route(&r, plain_leaf(&r.subject.plain));
    assert_true(right.farthest > 2999.0 * (UINT32_MAX - 1000000.0));
    route_free(&right);
    search_all(ctx, &r, plain_leaf(&r.subject.plain), 0);
    /* 2^32 - 1 is a distance like any other. */
    for (uint64_t i = 0; i < g.count; i++) g.weights[i] = i % 2 ? 1 : (double)UINT32_MAX;
    roads_free(&r);
    r = roads_from_zoo(ctx[1], &g, &o);
    for (uint64_t source = 0; source < 20; source++) search_all(ctx, &r, source, (int)source);
    roads_free(&r);
    zoo_free(&g);
    contexts_done(ctx);
}

/* The smallest weights there are, where edges are many and where they are few: one over the width is not finite. */
static void the_smallest_weights(void **state) {
    (void)state;
    meguri_ctx *const ctx[] = {context_with(1), context_with(2), context_with(5)};
    static const int shapes[] = {9, 11, 12}; /* a clique, a grid, uniform */
    for (size_t i = 0; i < COUNT_OF(shapes); i++) {
        zoo_graph g;
        assert_true(shape_get(&g, shapes[i], 400));
        weigh(&g, WEIGH_DENORMAL, 1);
        for (int turn = 0; turn < 6; turn++) search_graph(ctx, &g, turn);
        zoo_free(&g);
    }
    contexts_done(ctx);
}

/* Where a sum could be no finite number, that is said beforehand. */
static void infinite_sums(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(2);
    meguri_edge_arrays e = {.size = sizeof e,
                            .count = 2,
                            .from = (const uint64_t[]){1, 2},
                            .to = (const uint64_t[]){2, 3},
                            .weights = (const double[]){0x1p1023, 0x1p1023},
                            .weight_type = MEGURI_TYPE_F64};
    meguri_graph *graph;
    meguri_result *result = (meguri_result *)1;
    assert_int_equal(meguri_graph_from_edges(&graph, ctx, &e, NULL), MEGURI_OK);
    assert_int_equal(meguri_sssp(&result, ctx, graph, 0, NULL), MEGURI_BAD_INPUT);
    assert_null(result);
    assert_true(strlen(meguri_ctx_error(ctx)) > 20);
    meguri_graph_free(graph);
    context_done(ctx);
}

/* Bit for bit, whatever the number of threads and the width. */
static void distances_are_always_the_same(void **state) {
    (void)state;
    meguri_ctx *const ctx[] = {context_with(1), context_with(2), context_with(5)};
    zoo_graph g = shape_kronecker(ctx[1], UNDER_TSAN ? 9 : 11, 8);
    weigh(&g, WEIGH_SPREAD, 3);
    meguri_build_options o = {.size = sizeof o, .direction = MEGURI_UNDIRECTED};
    roads r = roads_from_zoo(ctx[1], &g, &o);
    route right = plain_route(&r, plain_hub(&r.subject.plain));
    for (size_t t = 0; t < THREAD_COUNTS; t++)
        for (size_t w = 0; w < COUNT_OF(widths); w++) {
            meguri_sssp_options options = {
                .size = sizeof options, .parents = 1, .max_cost = (double)INFINITY, .delta = widths[w]};
            meguri_result *result;
            meguri_column column = {.size = sizeof column};
            assert_int_equal(meguri_sssp(&result, ctx[t], r.subject.graph, plain_hub(&r.subject.plain), &options),
                             MEGURI_OK);
            assert_int_equal(meguri_result_column(&column, result, "distance"), MEGURI_OK);
            assert_memory_equal(column.data, right.distance, r.subject.plain.vertices * 8);
            meguri_result_free(result);
        }
    route_free(&right);
    roads_free(&r);
    zoo_free(&g);
    contexts_done(ctx);
}

/* ---- what is refused -------------------------------------------------------------------------------------------- */

static void weights_that_are_no_lengths(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(2);
    static const double bad[] = {-1, -0x1p-1074, NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        for (int type = MEGURI_TYPE_F32; type <= MEGURI_TYPE_F64; type++) {
            const float narrow[] = {0.5f, (float)bad[i]};
            const double wide[] = {0.1, bad[i]};
            if (type == MEGURI_TYPE_F32 && narrow[1] == 0) continue;
            meguri_edge_arrays e = {.size = sizeof e,
                                    .count = 2,
                                    .from = (const uint64_t[]){1, 3},
                                    .to = (const uint64_t[]){2, 4}, /* not to be reached from the source */
                                    .weights = type == MEGURI_TYPE_F32 ? (const void *)narrow : (const void *)wide,
                                    .weight_type = (meguri_type)type};
            meguri_graph *graph;
            meguri_result *result = (meguri_result *)1;
            if (meguri_graph_from_edges(&graph, ctx, &e, NULL) != MEGURI_OK) continue; /* refused earlier */
            assert_int_equal(meguri_sssp(&result, ctx, graph, 0, NULL), MEGURI_BAD_INPUT);
            assert_null(result);
            const char *sentence = meguri_ctx_error(ctx);
            assert_true(strlen(sentence) > 20 && sentence[strlen(sentence) - 1] == '.');
            assert_non_null(strstr(sentence, "weigh"));
            meguri_sssp_search *search = (meguri_sssp_search *)1;
            assert_int_equal(meguri_sssp_search_new(&search, ctx, graph, NULL), MEGURI_BAD_INPUT);
            assert_null(search);
            meguri_graph_free(graph);
        }
    context_done(ctx);
}

static void bad_arguments(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    zoo_graph g;
    assert_true(shape_get(&g, 3, 100));
    meguri_build_options o = {.size = sizeof o};
    roads r = roads_from_zoo(ctx, &g, &o);
    meguri_result *result = (meguri_result *)1;
    assert_int_equal(meguri_sssp(NULL, ctx, r.subject.graph, 0, NULL), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_sssp(&result, NULL, r.subject.graph, 0, NULL), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_sssp(&result, ctx, NULL, 0, NULL), MEGURI_BAD_ARGUMENT);
    assert_null(result);
    assert_int_equal(meguri_sssp(&result, ctx, r.subject.graph, 100, NULL), MEGURI_NOT_FOUND);
    assert_string_equal(meguri_ctx_error(ctx), "there is no vertex 100 in a graph of 100.");
    assert_int_equal(meguri_sssp(&result, ctx, r.subject.graph, UINT64_MAX, NULL), MEGURI_NOT_FOUND);
    static const double bad[] = {-1, NAN, INFINITY};
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        meguri_sssp_options options = {
            .size = sizeof options, .parents = 1, .max_cost = (double)INFINITY, .delta = bad[i]};
        assert_int_equal(meguri_sssp(&result, ctx, r.subject.graph, 0, &options), MEGURI_BAD_ARGUMENT);
        assert_null(result);
        assert_true(strlen(meguri_ctx_error(ctx)) > 10);
    }
    meguri_sssp_options sizeless = {0};
    assert_int_equal(meguri_sssp(&result, ctx, r.subject.graph, 0, &sizeless), MEGURI_BAD_ARGUMENT);
    meguri_sssp_search_free(NULL);
    roads_free(&r);
    zoo_free(&g);
    context_done(ctx);
}

/* Without vertices there is no source. */
static void an_empty_graph(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(2);
    zoo_graph g;
    assert_true(zoo_get(&g, 0));
    meguri_build_options o = {.size = sizeof o};
    roads r = roads_from_zoo(ctx, &g, &o);
    meguri_result *result = (meguri_result *)1;
    assert_int_equal(meguri_sssp(&result, ctx, r.subject.graph, 0, NULL), MEGURI_NOT_FOUND);
    assert_null(result);
    meguri_sssp_search *search;
    assert_int_equal(meguri_sssp_search_new(&search, ctx, r.subject.graph, NULL), MEGURI_OK);
    const meguri_result *none = (meguri_result *)1;
    assert_int_equal(meguri_sssp_search_run(&none, ctx, search, 0), MEGURI_NOT_FOUND);
    assert_null(none);
    meguri_sssp_search_free(search);
    roads_free(&r);
    zoo_free(&g);
    context_done(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_zoo),
        cmocka_unit_test(every_shape_and_weight),
        cmocka_unit_test(random_graphs),
        cmocka_unit_test(large_graphs),
        cmocka_unit_test(distances_beyond_32_bits),
        cmocka_unit_test(the_smallest_weights),
        cmocka_unit_test(infinite_sums),
        cmocka_unit_test(distances_are_always_the_same),
        cmocka_unit_test(weights_that_are_no_lengths),
        cmocka_unit_test(bad_arguments),
        cmocka_unit_test(an_empty_graph),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
