/* Triangles and clustering coefficients of every kind of graph against a matrix of bits, and counts that are known. */
#define _GNU_SOURCE
#include "algo_triangles/counting.h"
#include "support/checks.h"
#include "support/sinks.h"

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

/* One graph, built in one way, on all numbers of threads; the checkers, which are slow, look at one of these answers.
 */
static void check_built(const zoo_graph *g, const meguri_build_options *options, const truth *right, bool checkers) {
    meguri_graph *graph;
    if (zoo_build(&graph, ctx[1], g, options) != MEGURI_OK) fail_msg("%s: %s", g->name, meguri_ctx_error(ctx[1]));
    for (size_t t = 0; t < THREAD_COUNTS; t++)
        check_counts(ctx[t], g->name, graph, right, checkers && t == g->count % THREAD_COUNTS);
    meguri_graph_free(graph);
}

/* Every direction, every order, duplicates and loops kept or not. */
static void check_everything(const zoo_graph *g) {
    for (int direction = MEGURI_DIRECTED; direction <= MEGURI_UNDIRECTED; direction++) {
        meguri_build_options o = {.size = sizeof o, .direction = (meguri_direction)direction};
        truth right = truth_of_zoo(g, &o);
        for (int order = MEGURI_ORDER_DEGREE; order <= MEGURI_ORDER_NONE; order++)
            for (int keep = 0; keep < 4; keep++) {
                o.order = (meguri_order)order;
                o.duplicates = keep & 1 ? MEGURI_DUPLICATES_KEEP : MEGURI_DUPLICATES_MIN;
                o.keep_loops = keep >> 1;
                check_built(g, &o, &right, keep == order);
            }
        truth_free(&right);
    }
}

static void the_zoo(void **state) {
    (void)state;
    zoo_graph g;
    for (int index = 0; zoo_get(&g, index); index++) {
        if (!g.weights && (!(UNDER_TSAN || UNDER_ASAN) || g.count < 3000))
            check_everything(&g); /* weights change nothing */
        zoo_free(&g);
    }
}

static void shapes(void **state) {
    (void)state;
    zoo_graph g;
    for (int index = 0; shape_get(&g, index, UNDER_TSAN || UNDER_ASAN ? 130 : 300); index++) {
        check_everything(&g);
        zoo_free(&g);
    }
}

static void random_graphs(void **state) {
    (void)state;
    uint64_t seed = 17;
    for (int turn = 0; turn < (UNDER_TSAN || UNDER_ASAN ? 5 : 30); turn++) {
        zoo_graph g = shape_random(&seed, 300);
        for (uint64_t i = g.count, more = g.count * 3; i < more; i++) /* denser */
            shape_add(&g, zoo_random(&seed) % (1 + g.vertices / 4), zoo_random(&seed) % g.vertices);
        meguri_build_options o = {.size = sizeof o,
                                  .direction = 1 + zoo_random(&seed) % 2,
                                  .order = 1 + zoo_random(&seed) % 3,
                                  .duplicates = zoo_random(&seed) % 2 ? MEGURI_DUPLICATES_KEEP : MEGURI_DUPLICATES_MIN,
                                  .keep_loops = zoo_random(&seed) % 2};
        truth right = truth_of_zoo(&g, &o);
        check_built(&g, &o, &right, true);
        truth_free(&right);
        zoo_free(&g);
    }
}

/* Skewed graphs that are larger than the part that lies in bits, and whose order is far from that of degrees. */
static void kronecker_graphs(void **state) {
    (void)state;
    const bool slow = UNDER_TSAN || UNDER_ASAN;
    for (uint32_t scale = slow ? 10 : 11; scale <= (slow ? 10 : 12); scale++) {
        zoo_graph g = shape_kronecker(ctx[1], scale, 8);
        for (int direction = MEGURI_DIRECTED; direction <= MEGURI_UNDIRECTED; direction++) {
            meguri_build_options o = {.size = sizeof o, .direction = (meguri_direction)direction};
            truth right = truth_of_zoo(&g, &o);
            for (int order = MEGURI_ORDER_DEGREE; order <= MEGURI_ORDER_NONE; order++) {
                o.order = (meguri_order)order;
                o.keep_loops = (scale + (uint32_t)order + (uint32_t)direction) % 2;
                o.duplicates = o.keep_loops ? MEGURI_DUPLICATES_KEEP : MEGURI_DUPLICATES_MIN;
                check_built(&g, &o, &right, true);
            }
            truth_free(&right);
        }
        zoo_free(&g);
    }
}

/* ---- what is known without counting ----------------------------------------------------------------------------- */

static uint64_t triangles_in(const zoo_graph *g, meguri_ctx *c, bool checker) {
    meguri_build_options o = {.size = sizeof o, .direction = MEGURI_UNDIRECTED};
    meguri_graph *graph;
    meguri_result *result;
    assert_int_equal(zoo_build(&graph, c, g, &o), MEGURI_OK);
    assert_int_equal(meguri_triangles(&result, c, graph, NULL), MEGURI_OK);
    uint64_t found = fact_of(result, "triangles");
    if (checker) assert_int_equal(mg_triangles_check(c, graph, found), MEGURI_OK);
    meguri_result_free(result);
    meguri_graph_free(graph);
    return found;
}

static void complete_graphs(void **state) {
    (void)state;
    static const uint64_t sizes[] = {1, 2, 3, 4, 63, 64, 65, 511, 512, 513, 700, 1025};
    for (size_t s = 0; s < COUNT_OF(sizes) - 4 * UNDER_TSAN; s++) {
        uint64_t n = sizes[s];
        zoo_graph g = {.name = "complete", .vertices = n};
        for (uint64_t i = 0; i < n; i++)
            for (uint64_t j = 0; j < i; j++) shape_add(&g, i, j);
        for (size_t t = 0; t < THREAD_COUNTS; t++)
            assert_int_equal(triangles_in(&g, ctx[t], n < 100), n * (n - 1) / 2 * (n - 2 + (n < 2)) / 3);
        zoo_free(&g);
    }
}

/* Whether the lists of a graph are a copy, with memory for one and without. */
static void lists_are(const meguri_graph *graph, uint64_t memory, bool copied) {
    meguri_ctx *c;
    meguri_ctx_options options = {.size = sizeof options, .threads = 2, .memory = memory};
    mg_triangle_lists lists;
    assert_int_equal(meguri_ctx_new(&c, &options), MEGURI_OK);
    assert_int_equal(mg_triangle_lists_new(&lists, c, graph, false, "triangles"), MEGURI_OK);
    assert_int_equal(lists.own_entries != NULL, copied);
    assert_int_equal(lists.neighbors == lists.own_entries, copied);
    mg_triangle_lists_free(&lists);
    context_done(c);
}

/* A complete graph of so many edges that its lists are copied where it lies in a file. */
static void a_large_graph_in_a_file(void **state) {
    (void)state;
    const uint64_t n = 1500;
    char folder[FOLDER_TEXT], path[FOLDER_TEXT + 16];
    zoo_graph g = {.name = "complete", .vertices = n};
    for (uint64_t i = 0; i < n; i++)
        for (uint64_t j = 0; j < i; j++) shape_add(&g, i, j);
    meguri_build_options o = {.size = sizeof o, .direction = MEGURI_UNDIRECTED, .order = MEGURI_ORDER_DEGREE};
    meguri_graph *graph, *back;
    folder_new(folder);
    snprintf(path, sizeof path, "%s/g.meg", folder);
    assert_int_equal(zoo_build(&graph, ctx[1], &g, &o), MEGURI_OK);
    assert_int_equal(meguri_save(ctx[1], graph, to_file(path), NULL), MEGURI_OK);
    assert_int_equal(meguri_open(&back, ctx[1], path, NULL), MEGURI_OK);
    lists_are(graph, 1 << 30, false);
    lists_are(back, 1 << 30, true);
    lists_are(back, 1 << 20, false);
    for (size_t t = 0; t < THREAD_COUNTS; t++) {
        meguri_result *result;
        assert_int_equal(meguri_triangles(&result, ctx[t], back, NULL), MEGURI_OK);
        assert_int_equal(fact_of(result, "triangles"), n * (n - 1) / 2 * (n - 2) / 3);
        meguri_result_free(result);
    }
    meguri_graph_free(back);
    meguri_graph_free(graph);
    folder_remove(folder);
    zoo_free(&g);
}

static void rings_wheels_and_halves(void **state) {
    (void)state;
    for (uint64_t n = 3; n < 2000; n = n * 3 + 1) {
        zoo_graph ring = {.name = "ring", .vertices = n}, wheel = {.name = "wheel", .vertices = n + 1},
                  halves = {.name = "two halves", .vertices = 2 * n};
        for (uint64_t i = 0; i < n; i++) {
            shape_add(&ring, i, (i + 1) % n);
            shape_add(&wheel, i, (i + 1) % n);
            shape_add(&wheel, i, n);
            for (uint64_t j = 0; j < MG_MIN(n, 100u); j++) shape_add(&halves, i, n + j);
        }
        assert_int_equal(triangles_in(&ring, ctx[1], true), n == 3);
        assert_int_equal(triangles_in(&wheel, ctx[1], true), n == 3 ? 4 : n);
        assert_int_equal(triangles_in(&halves, ctx[1], true), 0);
        zoo_free(&ring);
        zoo_free(&wheel);
        zoo_free(&halves);
    }
}

/* Another numbering of the same graph: the same count, and every vertex keeps its coefficient. */
static void permuted_ids(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++)
        for (int direction = MEGURI_DIRECTED; direction <= MEGURI_UNDIRECTED; direction++) {
            zoo_graph g = shape_kronecker(ctx[1], UNDER_TSAN ? 9 : 12, 16);
            meguri_build_options o = {.size = sizeof o, .direction = (meguri_direction)direction};
            meguri_graph *first, *second;
            meguri_result *before, *after;
            assert_int_equal(zoo_build(&first, ctx[1], &g, &o), MEGURI_OK);
            uint64_t *map = shape_shuffle(&g, seed);
            o.order = (meguri_order)seed;
            assert_int_equal(zoo_build(&second, ctx[1], &g, &o), MEGURI_OK);
            assert_int_equal(meguri_clustering(&before, ctx[0], first, NULL), MEGURI_OK);
            assert_int_equal(meguri_clustering(&after, ctx[2], second, NULL), MEGURI_OK);
            const double *a = coefficients_of(before, g.vertices);
            const double *b = coefficients_of(after, g.vertices);
            for (uint64_t v = 0; v < g.vertices; v++) assert_true(a[v] == b[map[v]]);
            meguri_result_free(before);
            meguri_result_free(after);
            meguri_graph_free(first);
            meguri_graph_free(second);
            free(map);
            zoo_free(&g);
        }
}

static void wrong_arguments(void **state) {
    (void)state;
    meguri_result *result = (meguri_result *)1;
    assert_int_equal(meguri_triangles(NULL, ctx[0], NULL, NULL), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_triangles(&result, NULL, NULL, NULL), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_triangles(&result, ctx[0], NULL, NULL), MEGURI_BAD_ARGUMENT);
    assert_null(result);
    assert_string_equal(meguri_ctx_error(ctx[0]), "meguri_triangles needs a graph.");
    result = (meguri_result *)1;
    assert_int_equal(meguri_clustering(NULL, ctx[0], NULL, NULL), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_clustering(&result, NULL, NULL, NULL), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_clustering(&result, ctx[0], NULL, NULL), MEGURI_BAD_ARGUMENT);
    assert_null(result);
    assert_int_equal(mg_triangles_check(NULL, NULL, 0), MEGURI_BAD_ARGUMENT);
    assert_int_equal(mg_triangles_check(ctx[0], NULL, 0), MEGURI_BAD_ARGUMENT);
    assert_int_equal(mg_clustering_check(ctx[0], NULL, NULL), MEGURI_BAD_ARGUMENT);
    zoo_graph g;
    assert_true(shape_get(&g, 0, 10));
    meguri_graph *graph;
    meguri_build_options o = {.size = sizeof o};
    assert_int_equal(zoo_build(&graph, ctx[0], &g, &o), MEGURI_OK);
    meguri_triangles_options bad = {.size = 1};
    assert_int_equal(meguri_triangles(&result, ctx[0], graph, &bad), MEGURI_BAD_ARGUMENT);
    assert_null(result);
    meguri_graph_free(graph);
    zoo_free(&g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_zoo),
        cmocka_unit_test(shapes),
        cmocka_unit_test(random_graphs),
        cmocka_unit_test(kronecker_graphs),
        cmocka_unit_test(complete_graphs),
        cmocka_unit_test(rings_wheels_and_halves),
        cmocka_unit_test(permuted_ids),
        cmocka_unit_test(wrong_arguments),
        cmocka_unit_test(a_large_graph_in_a_file),
    };
    return cmocka_run_group_tests(tests, make_contexts, free_contexts);
}
