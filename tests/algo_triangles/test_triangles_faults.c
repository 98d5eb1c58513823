/* Counts that cannot end: allocations that fail in turn, a budget that is too small, a user who has had enough. A clear
 * status, nothing leaked, and the same call succeeds afterwards. */
#define _GNU_SOURCE
#include "algo_triangles/counting.h"
#include "support/checks.h"
#include "support/faults.h"

#include <meguri.h>

typedef struct counting {
    const meguri_graph *graph;
    const truth *right;
} counting;

static meguri_status count(meguri_ctx *ctx, void *what) {
    const counting *c = what;
    meguri_result *result = (meguri_result *)1;
    meguri_status status = meguri_triangles(&result, ctx, c->graph, NULL);
    if (status != MEGURI_OK) assert_null(result);
    else assert_int_equal(fact_of(result, "triangles"), c->right->triangles);
    meguri_result_free(result);
    return status;
}

static meguri_status cluster(meguri_ctx *ctx, void *what) {
    const counting *c = what;
    meguri_result *result = (meguri_result *)1;
    meguri_status status = meguri_clustering(&result, ctx, c->graph, NULL);
    if (status != MEGURI_OK) assert_null(result);
    else
        for (uint64_t v = 0; v < c->right->vertices; v++)
            assert_true(coefficients_of(result, c->right->vertices)[v] == c->right->coefficient[v]);
    meguri_result_free(result);
    return status;
}

static meguri_status check_count(meguri_ctx *ctx, void *what) {
    const counting *c = what;
    return mg_triangles_check(ctx, c->graph, c->right->triangles);
}

static meguri_status check_cluster(meguri_ctx *ctx, void *what) {
    const counting *c = what;
    return mg_clustering_check(ctx, c->graph, c->right->coefficient);
}

static attempt_fn *const attempts[] = {count, cluster, check_count, check_cluster};

/* ---- memory ----------------------------------------------------------------------------------------------------- */

static void every_allocation_fails(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(2);
    zoo_graph shapes[3];
    assert_true(shape_get(&shapes[0], 9, 300));  /* a clique: has hubs */
    assert_true(shape_get(&shapes[1], 12, 300)); /* uniform */
    shapes[2] = shape_kronecker(ctx, 10, 16);    /* numbered again where the order is none */
    for (int s = 0; s < 3; s++) {
        for (int turn = 0; turn < 6; turn++) {
            meguri_build_options o = {.size = sizeof o,
                                      .direction = (meguri_direction)(1 + turn % 2),
                                      .order = (meguri_order)(turn < 2 ? 1 : 3),
                                      .keep_loops = turn >= 4,
                                      .duplicates = turn >= 4 ? MEGURI_DUPLICATES_KEEP : MEGURI_DUPLICATES_MIN};
            truth right = truth_of_zoo(&shapes[s], &o);
            for (size_t f = 0; f < COUNT_OF(attempts); f++) { /* a new graph each: without its in-rows */
                meguri_graph *graph;
                assert_int_equal(zoo_build(&graph, ctx, &shapes[s], &o), MEGURI_OK);
                int may = o.direction == MEGURI_DIRECTED ? MAY_KEEP : LEAVES_NOTHING;
                assert_true(fail_each_allocation(ctx, attempts[f], &(counting){graph, &right}, may) > 0);
                meguri_graph_free(graph);
                assert_int_equal(meguri_ctx_memory_used(ctx), 0);
            }
            truth_free(&right);
        }
        zoo_free(&shapes[s]);
    }
    context_done(ctx);
}

typedef struct new_count {
    meguri_ctx *maker;
    const zoo_graph *shape;
    meguri_build_options build;
    const truth *right;
    attempt_fn *attempt;
} new_count;

static meguri_status count_in_new_graph(meguri_ctx *ctx, void *what) {
    const new_count *n = what;
    meguri_graph *graph;
    assert_int_equal(zoo_build(&graph, n->maker, n->shape, &n->build), MEGURI_OK);
    meguri_status status = n->attempt(ctx, &(counting){graph, n->right});
    meguri_graph_free(graph); /* and with it the in-rows */
    return status;
}

static void budgets_are_honoured(void **state) {
    (void)state;
    meguri_ctx *maker = context_with(2);
    zoo_graph g = shape_kronecker(maker, 11, 16);
    for (int direction = MEGURI_DIRECTED; direction <= MEGURI_UNDIRECTED; direction++) {
        new_count n = {.maker = maker, .shape = &g};
        n.build = (meguri_build_options){.size = sizeof n.build, .direction = (meguri_direction)direction};
        truth right = truth_of_zoo(&g, &n.build);
        n.right = &right;
        for (size_t f = 0; f < COUNT_OF(attempts); f++) {
            n.attempt = attempts[f];
            try_budgets(1250, 20000000, 2, count_in_new_graph, &n);
        }
        truth_free(&right);
    }
    zoo_free(&g);
    context_done(maker);
}

/* ---- cancel ----------------------------------------------------------------------------------------------------- */

static void a_cancel_ends_it(void **state) {
    (void)state;
    static const char *const phases[] = {"triangles", "clustering", "check", "check"};
    for (size_t t = 0; t < THREAD_COUNTS; t++) {
        impatient user = {0};
        meguri_ctx *ctx = context_of(&user, thread_counts[t]);
        zoo_graph g = shape_kronecker(ctx, 10, 16);
        for (int direction = MEGURI_DIRECTED; direction <= MEGURI_UNDIRECTED; direction++) {
            meguri_build_options o = {.size = sizeof o, .direction = (meguri_direction)direction};
            truth right = truth_of_zoo(&g, &o);
            meguri_graph *graph;
            assert_int_equal(zoo_build(&graph, ctx, &g, &o), MEGURI_OK);
            counting c = {graph, &right};
            for (size_t f = 0; f < COUNT_OF(attempts); f++) {
                assert_int_equal(attempts[f](ctx, &c), MEGURI_OK);
                cancel_at(ctx, &user, 1, phases[f], attempts[f], &c);
                assert_int_equal(attempts[f](ctx, &c), MEGURI_OK);
            }
            meguri_graph_free(graph);
            truth_free(&right);
        }
        zoo_free(&g);
        context_done(ctx);
    }
}

/* Asks for each of the four, whatever the answer. */
static meguri_status begin_long_work(meguri_ctx *ctx, const meguri_graph *graph, int which, const double *zero) {
    meguri_result *result = NULL;
    meguri_status status = which == 0   ? meguri_triangles(&result, ctx, graph, NULL)
                           : which == 1 ? meguri_clustering(&result, ctx, graph, NULL)
                           : which == 2 ? mg_triangles_check(ctx, graph, 0)
                                        : mg_clustering_check(ctx, graph, zero);
    meguri_result_free(result);
    return status;
}

/* Reports are 20 ms apart. Whoever says at the second one that it is enough does not wait for the end; work that ends
 * before it has nothing to cancel, and at most the two that count may be so fast. */
static void long_work_is_cancelled_underway(void **state) {
    (void)state;
    for (size_t t = 0; t < THREAD_COUNTS; t++) {
        impatient user = {0};
        meguri_ctx *ctx = context_of(&user, thread_counts[t]);
        zoo_graph g = shape_kronecker(ctx, UNDER_TSAN || UNDER_ASAN ? 13 : 16, 32);
        meguri_build_options o = {.size = sizeof o, .direction = MEGURI_UNDIRECTED};
        meguri_graph *graph;
        assert_int_equal(zoo_build(&graph, ctx, &g, &o), MEGURI_OK);
        double *zero = calloc(g.vertices, sizeof *zero);
        assert_non_null(zero);
        for (int which = 0; which < 4; which++) {
            user = (impatient){.enough = 2};
            meguri_status status = begin_long_work(ctx, graph, which, zero);
            if (user.since > 0) {
                assert_int_equal(status, MEGURI_CANCELLED);
                assert_true(mg_now() - user.since < 5); /* 50 ms where nobody else uses the machine */
            } else assert_true(which < 2 && status == MEGURI_OK);
        }
        free(zero);
        meguri_graph_free(graph);
        zoo_free(&g);
        context_done(ctx);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_fails),
        cmocka_unit_test(budgets_are_honoured),
        cmocka_unit_test(a_cancel_ends_it),
        cmocka_unit_test(long_work_is_cancelled_underway),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
