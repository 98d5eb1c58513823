/* Answers that are wrong are refused, with a sentence that says where. */
#define _GNU_SOURCE
#include "algo_triangles/counting.h"
#include "support/checks.h"

#include <math.h>
#include <meguri.h>

static void wrong_counts(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(2);
    zoo_graph g;
    for (int index = 0; shape_get(&g, index, 300); index++) {
        for (int direction = MEGURI_DIRECTED; direction <= MEGURI_UNDIRECTED; direction++) {
            meguri_build_options o = {.size = sizeof o, .direction = (meguri_direction)direction};
            truth right = truth_of_zoo(&g, &o);
            meguri_graph *graph;
            assert_int_equal(zoo_build(&graph, ctx, &g, &o), MEGURI_OK);
            assert_int_equal(mg_triangles_check(ctx, graph, right.triangles), MEGURI_OK);
            const uint64_t wrong[] = {right.triangles - 1, right.triangles + 1, 3 * right.triangles + 3, UINT64_MAX};
            for (size_t i = 0; i < COUNT_OF(wrong); i++) {
                char text[200];
                assert_int_equal(mg_triangles_check(ctx, graph, wrong[i]), MEGURI_WRONG_ANSWER);
                snprintf(text, sizeof text, "the graph has %llu triangles, but the answer says %llu.",
                         (unsigned long long)right.triangles, (unsigned long long)wrong[i]);
                assert_string_equal(meguri_ctx_error(ctx), text);
            }
            meguri_graph_free(graph);
            truth_free(&right);
        }
        zoo_free(&g);
    }
    context_done(ctx);
}

/* Any one coefficient, wrong in any of these ways, is found and named. */
static void wrong_coefficients(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(2);
    zoo_graph g;
    uint64_t seed = 5;
    for (int index = 0; shape_get(&g, index, 300); index++) {
        for (int direction = MEGURI_DIRECTED; direction <= MEGURI_UNDIRECTED; direction++) {
            meguri_build_options o = {
                .size = sizeof o, .direction = (meguri_direction)direction, .order = 1 + index % 3};
            truth right = truth_of_zoo(&g, &o);
            meguri_graph *graph;
            assert_int_equal(zoo_build(&graph, ctx, &g, &o), MEGURI_OK);
            assert_int_equal(mg_clustering_check(ctx, graph, right.coefficient), MEGURI_OK);
            for (int turn = 0; turn < 12; turn++) {
                uint64_t v = zoo_random(&seed) % right.vertices;
                double honest = right.coefficient[v];
                const double lies[] = {honest + 1e-6, honest == 0 ? 1e-300 : honest * (1 - 1e-8), -0.5, 2, NAN,
                                       INFINITY};
                char text[200];
                right.coefficient[v] = lies[turn % 6];
                assert_int_equal(mg_clustering_check(ctx, graph, right.coefficient), MEGURI_WRONG_ANSWER);
                snprintf(text, sizeof text, "the coefficient of vertex %llu", (unsigned long long)v);
                assert_non_null(strstr(meguri_ctx_error(ctx), text));
                right.coefficient[v] = honest;
            }
            meguri_graph_free(graph);
            truth_free(&right);
        }
        zoo_free(&g);
    }
    context_done(ctx);
}

/* Two wrong ones: the first in the user's order is named, at any number of threads. */
static void the_first_is_named(void **state) {
    (void)state;
    zoo_graph g;
    assert_true(shape_get(&g, 9, 100)); /* a clique, so nobody's coefficient is 0.25 */
    for (size_t t = 0; t < THREAD_COUNTS; t++) {
        meguri_ctx *ctx = context_with(thread_counts[t]);
        meguri_build_options o = {.size = sizeof o, .direction = MEGURI_UNDIRECTED};
        truth right = truth_of_zoo(&g, &o);
        meguri_graph *graph;
        assert_int_equal(zoo_build(&graph, ctx, &g, &o), MEGURI_OK);
        right.coefficient[70] = right.coefficient[40] = 0.25;
        assert_int_equal(mg_clustering_check(ctx, graph, right.coefficient), MEGURI_WRONG_ANSWER);
        assert_string_equal(meguri_ctx_error(ctx),
                            "the coefficient of vertex 40, about 250000 millionths, is not what its neighbours make.");
        meguri_graph_free(graph);
        truth_free(&right);
        context_done(ctx);
    }
    zoo_free(&g);
}

/* A graph that takes too many steps to check whole: wrong coefficients of cheap vertices are all found, and of the
 * others so many that a wrong method is. */
static void a_sample_where_all_would_take_long(void **state) {
    (void)state;
    if (UNDER_ASAN || UNDER_TSAN) return; /* the same code, and billions of steps */
    meguri_ctx *ctx = context_with(2);
    const uint64_t n = 1500; /* complete: 3.4 · 10^9 steps */
    zoo_graph g = {.name = "complete with a tail", .vertices = n + 2};
    for (uint64_t i = 0; i < n; i++)
        for (uint64_t j = 0; j < i; j++) shape_add(&g, i, j);
    shape_add(&g, 0, n);
    shape_add(&g, n, n + 1);
    meguri_build_options o = {.size = sizeof o, .direction = MEGURI_UNDIRECTED};
    meguri_graph *graph;
    assert_int_equal(zoo_build(&graph, ctx, &g, &o), MEGURI_OK);
    double *x = calloc(n + 2, sizeof *x);
    assert_non_null(x);
    for (uint64_t v = 1; v < n; v++) x[v] = 1;
    x[0] = (double)(n - 2) / (double)n;
    x[n + 1] = 0.5; /* the last in the user's order: nobody before is wrong */
    assert_int_equal(mg_clustering_check(ctx, graph, x), MEGURI_WRONG_ANSWER);
    assert_non_null(strstr(meguri_ctx_error(ctx), "vertex 1501,"));
    x[n + 1] = 0;
    for (uint64_t v = 1; v < n; v++) x[v] = 0.99;
    assert_int_equal(mg_clustering_check(ctx, graph, x), MEGURI_WRONG_ANSWER);
    free(x);
    meguri_graph_free(graph);
    zoo_free(&g);
    context_done(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_counts),
        cmocka_unit_test(wrong_coefficients),
        cmocka_unit_test(the_first_is_named),
        cmocka_unit_test(a_sample_where_all_would_take_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
