/* Label propagation on every graph of the zoo and of the shapes of searches, in every order, on 1, 2 and 5 threads,
 * against its definition on plain arrays. */
#define _GNU_SOURCE
#include "algo_communities/propagating.h"
#include "support/checks.h"

#include <meguri.h>

static meguri_ctx *ctx[THREAD_COUNTS];

static int make_contexts(void **state) {
    (void)state;
    for (size_t t = 0; t < THREAD_COUNTS; t++) ctx[t] = context_with(thread_counts[t]);
    return 0;
}

static int free_contexts(void **state) {
    (void)state;
    for (size_t t = 0; t < THREAD_COUNTS; t++) context_done(ctx[t]);
    return 0;
}

/* These many iterations, on every number of threads; large graphs on another one for each. */
static void propagate_every_way(const naive *n, bool small) {
    static const uint32_t iterations[] = {1, 2, 3, 10, 999, 1000};
    for (size_t i = 0; i < (small ? COUNT_OF(iterations) : 4); i++) {
        labels right = naive_propagate(n, iterations[i]);
        for (size_t t = 0; t < THREAD_COUNTS; t++) {
            if (n->vertices > 1000 && t != i % THREAD_COUNTS) continue;
            check_communities(ctx[t], n, iterations[i], &right);
        }
        labels_free(&right);
    }
}

/* All 24; a few are one in each direction, with another order and other edges for another index. */
static void every_build(const zoo_graph *g, int index, bool few) {
    for (int direction = MEGURI_DIRECTED; direction <= MEGURI_UNDIRECTED; direction++)
        for (int order = MEGURI_ORDER_DEGREE; order <= MEGURI_ORDER_NONE; order++)
            for (int keep = 0; keep < 4; keep++) {
                if (few && (keep != (index + direction) % 4 || order != 1 + (index + direction) % 3)) continue;
                meguri_build_options o = {.size = sizeof o,
                                          .direction = (meguri_direction)direction,
                                          .order = (meguri_order)order,
                                          .duplicates = keep & 1 ? MEGURI_DUPLICATES_KEEP : MEGURI_DUPLICATES_MIN,
                                          .keep_loops = keep >> 1};
                naive n = naive_from_zoo(ctx[1], g, &o);
                propagate_every_way(&n, n.vertices <= 600 && !few);
                naive_free(&n);
            }
}

static void the_zoo(void **state) {
    (void)state;
    zoo_graph g;
    for (int index = 0; zoo_get(&g, index); index++) {
        bool large = g.count > 50000;
        if (UNDER_TSAN ? large && !g.weights : !large || !g.weights)
            every_build(&g, index, large || g.weights || UNDER_ASAN);
        zoo_free(&g);
    }
}

static void shapes(void **state) {
    (void)state;
    zoo_graph g;
    for (int index = 0; shape_get(&g, index, 1500); index++) {
        if (!UNDER_TSAN) every_build(&g, index, index % 16 != 0 || UNDER_ASAN);
        zoo_free(&g);
    }
    for (int index = 0; shape_get(&g, index, UNDER_TSAN || UNDER_ASAN ? 5000 : 20000); index++) { /* several blocks */
        meguri_build_options o = {.size = sizeof o, .direction = 1 + index % 2, .order = 1 + index % 3};
        naive n = naive_from_zoo(ctx[1], &g, &o);
        labels right = naive_propagate(&n, 6);
        check_communities(ctx[1 + index % 2], &n, 6, &right);
        labels_free(&right);
        naive_free(&n);
        zoo_free(&g);
    }
}

static void random_graphs(void **state) {
    (void)state;
    uint64_t seed = 51;
    for (int turn = 0; turn < (UNDER_TSAN ? 20 : UNDER_ASAN ? 150 : 1500); turn++) {
        zoo_graph g = shape_random(&seed, 1000);
        meguri_build_options o = {.size = sizeof o,
                                  .direction = 1 + zoo_random(&seed) % 2,
                                  .order = 1 + zoo_random(&seed) % 3,
                                  .keep_loops = zoo_random(&seed) % 2,
                                  .duplicates = zoo_random(&seed) % 2 ? MEGURI_DUPLICATES_KEEP : MEGURI_DUPLICATES_MIN};
        naive n = naive_from_zoo(ctx[turn % 3], &g, &o);
        uint32_t iterations = 1 + (uint32_t)(zoo_random(&seed) % 40);
        labels right = naive_propagate(&n, iterations);
        check_communities(ctx[zoo_random(&seed) % 3], &n, iterations, &right);
        labels_free(&right);
        naive_free(&n);
        zoo_free(&g);
    }
}

/* Dense enough for every way to count: few neighbours, a table, up to hundreds of different labels. */
static void planted_communities(void **state) {
    (void)state;
    uint64_t seed = 61;
    for (int turn = 0; turn < (UNDER_TSAN || UNDER_ASAN ? 2 : 5); turn++) {
        uint64_t size = 20 << turn % 5, vertices = 2000;
        zoo_graph g = {.vertices = vertices};
        for (uint64_t i = 0; i < 20 * vertices; i++) {
            uint64_t a = zoo_random(&seed) % vertices, b = a / size * size + zoo_random(&seed) % size;
            if (zoo_random(&seed) % 3 == 0 || b >= vertices) b = zoo_random(&seed) % vertices;
            shape_add(&g, a, b);
        }
        free(shape_shuffle(&g, seed));
        snprintf(g.name, sizeof g.name, "communities of %d", (int)size);
        for (int direction = MEGURI_DIRECTED; direction <= MEGURI_UNDIRECTED; direction++) {
            meguri_build_options o = {.size = sizeof o, .direction = direction, .order = 1 + turn % 3};
            naive n = naive_from_zoo(ctx[1], &g, &o);
            propagate_every_way(&n, false);
            naive_free(&n);
        }
        zoo_free(&g);
    }
}

/* Rows that all threads share: hubs whose neighbours agree, differ, or are hubs too; in one row or in two. */
static void hubs(void **state) {
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        uint64_t seed = 71, vertices = kind == 1 ? 100000 : 45000;
        zoo_graph g = {.vertices = vertices};
        for (uint64_t v = 3; v < vertices; v++) {
            shape_add(&g, 0, v);
            if (kind == 1 && v % 2) shape_add(&g, 1, v);
            if (kind == 2) shape_add(&g, v - v % 7, v), shape_add(&g, v, 1), shape_add(&g, v, 2);
            if (kind == 3) shape_add(&g, v, v - v % 5), shape_add(&g, v, zoo_random(&seed) % vertices);
        }
        free(shape_shuffle(&g, 81));
        snprintf(g.name, sizeof g.name, "hubs %d", kind);
        for (int direction = MEGURI_DIRECTED; direction <= MEGURI_UNDIRECTED; direction++) {
            if ((UNDER_TSAN || UNDER_ASAN) && direction != 1 + kind % 2) continue;
            meguri_build_options o = {.size = sizeof o, .direction = direction, .order = 1 + kind % 3};
            naive n = naive_from_zoo(ctx[1], &g, &o);
            for (uint32_t iterations = 1; iterations <= 8; iterations += iterations) {
                labels right = naive_propagate(&n, iterations);
                for (size_t t = 0; t < THREAD_COUNTS; t++)
                    if (t == 1 || (!(UNDER_TSAN || UNDER_ASAN) && iterations == 4))
                        check_communities(ctx[t], &n, iterations, &right);
                labels_free(&right);
            }
            naive_free(&n);
        }
        zoo_free(&g);
    }
}

static void kronecker_graphs(void **state) {
    (void)state;
    for (uint32_t scale = 10; scale <= (UNDER_TSAN || UNDER_ASAN ? 11 : 14); scale++) {
        zoo_graph g = shape_kronecker(ctx[1], scale, scale % 2 ? 16 : 3);
        meguri_build_options o = {.size = sizeof o, .direction = 1 + scale % 2};
        naive n = naive_from_zoo(ctx[1], &g, &o);
        propagate_every_way(&n, false);
        naive_free(&n);
        zoo_free(&g);
    }
}

/* ---- properties ------------------------------------------------------------------------------------------------- */

static meguri_result *communities_of(meguri_ctx *c, const meguri_graph *graph, uint32_t iterations) {
    meguri_communities_options options = {.size = sizeof options, .iterations = iterations};
    meguri_result *result;
    assert_int_equal(meguri_communities(&result, c, graph, &options), MEGURI_OK);
    return result;
}

/* A pair exchanges its labels for ever; that is known after two iterations, and the last ones are not worked out. */
static void alternating_labels_end_early(void **state) {
    (void)state;
    zoo_graph g = {.vertices = 2, .name = "a pair"};
    shape_add(&g, 0, 1);
    meguri_build_options o = {.size = sizeof o, .direction = MEGURI_UNDIRECTED};
    naive n = naive_from_zoo(ctx[0], &g, &o);
    static const uint32_t many[] = {1, 2, 3, 4, 1000000000, 1000000001, UINT32_MAX};
    for (size_t i = 0; i < COUNT_OF(many); i++) {
        meguri_result *result = communities_of(ctx[0], n.graph, many[i]);
        const uint32_t *label = column_of(result, "label", MEGURI_TYPE_VERTEX, 2);
        assert_int_equal(label[0], many[i] % 2);
        assert_int_equal(label[1], 1 - many[i] % 2);
        assert_int_equal(fact_of(result, "iterations"), MG_MIN(many[i], 2u));
        assert_int_equal(fact_of(result, "changed"), 2);
        assert_int_equal(mg_communities_check(ctx[0], n.graph, label, many[i]), MEGURI_OK);
        meguri_result_free(result);
    }
    naive_free(&n);
    zoo_free(&g);
}

/* The same work at any number of threads, and less of it once labels settle. */
static void quiet_parts_are_left_out(void **state) {
    (void)state;
    zoo_graph g = {.vertices = 40000, .name = "cliques of five"};
    for (uint64_t v = 0; v < g.vertices; v++)
        for (uint64_t w = v + 1; w < v - v % 5 + 5; w++) shape_add(&g, v, w);
    meguri_build_options o = {.size = sizeof o, .direction = MEGURI_UNDIRECTED};
    naive n = naive_from_zoo(ctx[1], &g, &o);
    for (size_t t = 0; t < THREAD_COUNTS; t++) {
        meguri_result *result = communities_of(ctx[t], n.graph, 50);
        assert_int_equal(fact_of(result, "iterations"), 3); /* all but one agree, all agree, nothing changes */
        assert_int_equal(fact_of(result, "labels"), 8000);
        /* In the second only the first of each changes, so the third looks at the other four. */
        assert_int_equal(fact_of(result, "edges"), 2 * 160000 + 128000);
        meguri_result_free(result);
    }
    naive_free(&n);
    zoo_free(&g);
    assert_true(shape_get(&g, 15, 10000)); /* the middle settles before the tail */
    n = naive_from_zoo(ctx[1], &g, &o);
    uint64_t edges[THREAD_COUNTS];
    for (size_t t = 0; t < THREAD_COUNTS; t++) {
        meguri_result *result = communities_of(ctx[t], n.graph, 30);
        edges[t] = fact_of(result, "edges");
        assert_true(edges[t] < fact_of(result, "iterations") * n.offsets[n.vertices]);
        meguri_result_free(result);
    }
    for (size_t t = 1; t < THREAD_COUNTS; t++) assert_int_equal(edges[t], edges[0]);
    naive_free(&n);
    zoo_free(&g);
}

static void ten_iterations_unless_told(void **state) {
    (void)state;
    zoo_graph g;
    assert_true(shape_get(&g, 12, 1500));
    meguri_build_options o = {.size = sizeof o, .direction = MEGURI_UNDIRECTED};
    naive n = naive_from_zoo(ctx[1], &g, &o);
    labels right = naive_propagate(&n, 10);
    meguri_result *result;
    assert_int_equal(meguri_communities(&result, ctx[1], n.graph, NULL), MEGURI_OK);
    check_labels(ctx[1], &n, 10, &right, result);
    assert_int_equal(mg_communities_check(ctx[1], n.graph, right.label, 10), MEGURI_OK);
    meguri_result_free(result);
    labels_free(&right);
    naive_free(&n);
    zoo_free(&g);
}

static void wrong_arguments(void **state) {
    (void)state;
    zoo_graph g = {.vertices = 1, .name = "one vertex"};
    meguri_build_options o = {.size = sizeof o};
    naive n = naive_from_zoo(ctx[0], &g, &o);
    meguri_result *result = (meguri_result *)1;
    meguri_communities_options options = {0};
    uint32_t label = 0;
    assert_int_equal(meguri_communities(NULL, ctx[0], n.graph, NULL), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_communities(&result, NULL, n.graph, NULL), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_communities(&result, ctx[0], NULL, NULL), MEGURI_BAD_ARGUMENT);
    assert_null(result);
    assert_non_null(strstr(meguri_ctx_error(ctx[0]), "needs a graph"));
    assert_int_equal(meguri_communities(&result, ctx[0], n.graph, &options), MEGURI_BAD_ARGUMENT);
    assert_non_null(strstr(meguri_ctx_error(ctx[0]), "meguri_communities_options"));
    assert_int_equal(mg_communities_check(NULL, n.graph, &label, 1), MEGURI_BAD_ARGUMENT);
    assert_int_equal(mg_communities_check(ctx[0], NULL, &label, 1), MEGURI_BAD_ARGUMENT);
    assert_int_equal(mg_communities_check(ctx[0], n.graph, NULL, 1), MEGURI_BAD_ARGUMENT);
    assert_int_equal(mg_communities_check(ctx[0], n.graph, &label, 1), MEGURI_OK);
    naive_free(&n);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_zoo),
        cmocka_unit_test(shapes),
        cmocka_unit_test(random_graphs),
        cmocka_unit_test(planted_communities),
        cmocka_unit_test(hubs),
        cmocka_unit_test(kronecker_graphs),
        cmocka_unit_test(alternating_labels_end_early),
        cmocka_unit_test(quiet_parts_are_left_out),
        cmocka_unit_test(ten_iterations_unless_told),
        cmocka_unit_test(wrong_arguments),
    };
    return cmocka_run_group_tests(tests, make_contexts, free_contexts);
}
