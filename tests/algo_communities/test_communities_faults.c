/* Runs that cannot end: allocations that fail in turn, a budget that is too small, a user who has had enough. A clear
 * status, nothing leaked, and the same call succeeds afterwards. */
#define _GNU_SOURCE
#include "algo_communities/propagating.h"
#include "support/checks.h"
#include "support/faults.h"

#include <meguri.h>

typedef struct propagation {
    meguri_ctx *maker;
    const zoo_graph *shape;
    int direction;
    naive naive;
    labels right;
} propagation;

static propagation begin(meguri_ctx *maker, const zoo_graph *shape, int direction, int order) {
    meguri_build_options o = {.size = sizeof o, .direction = (meguri_direction)direction, .order = (meguri_order)order};
    propagation p = {.maker = maker, .naive = naive_from_zoo(maker, shape, &o)};
    p.right = naive_propagate(&p.naive, 10);
    return p;
}

static void end(propagation *p) {
    labels_free(&p->right);
    naive_free(&p->naive);
}

static meguri_status propagate(meguri_ctx *ctx, void *what) {
    const propagation *p = what;
    meguri_result *result = (meguri_result *)1;
    meguri_status status = meguri_communities(&result, ctx, p->naive.graph, NULL);
    if (status != MEGURI_OK) assert_null(result);
    else check_labels(p->maker, &p->naive, 10, &p->right, result);
    meguri_result_free(result);
    return status;
}

static meguri_status check(meguri_ctx *ctx, void *what) {
    const propagation *p = what;
    return mg_communities_check(ctx, p->naive.graph, p->right.label, 10);
}

/* ---- memory ----------------------------------------------------------------------------------------------------- */

static void fail_everywhere(meguri_ctx *ctx, meguri_ctx *maker, const zoo_graph *g, int direction, int order) {
    attempt_fn *const attempts[] = {propagate, check};
    for (size_t f = 0; f < COUNT_OF(attempts); f++) { /* a new graph each: without its in-rows */
        propagation p = begin(maker, g, direction, order);
        int may = direction == MEGURI_DIRECTED ? MAY_KEEP : LEAVES_NOTHING;
        assert_true(fail_each_allocation(ctx, attempts[f], &p, may) >= 4);
        end(&p);
    }
    assert_int_equal(meguri_ctx_memory_used(ctx), 0);
}

static zoo_graph star(uint64_t vertices) {
    zoo_graph g = {.vertices = vertices, .name = "a star"};
    for (uint64_t v = 1; v < vertices; v++) shape_add(&g, 0, v);
    return g;
}

static void every_allocation_fails(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(2), *maker = context_with(2);
    zoo_graph g;
    for (int index = 0; shape_get(&g, index, 500); index++) {
        fail_everywhere(ctx, maker, &g, 1 + index % 2, 1 + index % 3);
        zoo_free(&g);
    }
    g = star(70000); /* with a hub, and a row that the checker sorts on all threads */
    fail_everywhere(ctx, maker, &g, MEGURI_UNDIRECTED, MEGURI_ORDER_DEGREE);
    zoo_free(&g);
    context_done(ctx);
    context_done(maker);
}

static meguri_status propagate_in_new_graph(meguri_ctx *ctx, void *what) {
    const propagation *old = what;
    propagation p = begin(old->maker, old->shape, old->direction, 0);
    meguri_status status = propagate(ctx, &p);
    end(&p); /* and with it the in-rows */
    return status;
}

static void budgets_are_honoured(void **state) {
    (void)state;
    meguri_ctx *maker = context_with(2);
    zoo_graph g;
    assert_true(shape_get(&g, 12, 10000)); /* uniform */
    for (int direction = MEGURI_DIRECTED; direction <= MEGURI_UNDIRECTED; direction++) {
        propagation p = {.maker = maker, .shape = &g, .direction = direction};
        try_budgets(10000, 20000000, 2, propagate_in_new_graph, &p);
    }
    zoo_free(&g);
    context_done(maker);
}

/* ---- cancel ----------------------------------------------------------------------------------------------------- */

static void a_cancel_ends_it(void **state) {
    (void)state;
    for (size_t t = 0; t < THREAD_COUNTS; t++) {
        impatient user = {0};
        meguri_ctx *ctx = context_of(&user, thread_counts[t]);
        zoo_graph graphs[] = {shape_kronecker(ctx, UNDER_TSAN || UNDER_ASAN ? 10 : 12, 16), star(70000)};
        for (size_t i = 0; i < COUNT_OF(graphs); i++) {
            for (int direction = MEGURI_DIRECTED; direction <= MEGURI_UNDIRECTED; direction++) {
                propagation p = begin(ctx, &graphs[i], direction, 0);
                assert_int_equal(propagate(ctx, &p), MEGURI_OK); /* makes the in-rows */
                cancel_at(ctx, &user, 1, "communities", propagate, &p);
                cancel_at(ctx, &user, 1, "check", check, &p);
                assert_int_equal(propagate(ctx, &p), MEGURI_OK);
                end(&p);
            }
            zoo_free(&graphs[i]);
        }
        context_done(ctx);
    }
}

static meguri_status wander(meguri_ctx *ctx, void *graph) {
    meguri_communities_options options = {.size = sizeof options, .iterations = UINT32_MAX};
    meguri_result *result;
    meguri_status status = meguri_communities(&result, ctx, graph, &options);
    meguri_result_free(result);
    return status;
}

/* A ring is never at rest for long: labels wander along it. It ends when the user says so. */
static void a_long_run_is_cancelled_underway(void **state) {
    (void)state;
    for (size_t t = 0; t < THREAD_COUNTS; t++) {
        impatient user = {0};
        meguri_ctx *ctx = context_of(&user, thread_counts[t]);
        zoo_graph g = {.vertices = 300001, .name = "a ring"};
        for (uint64_t v = 0; v < g.vertices; v++) shape_add(&g, v, (v + 1) % g.vertices);
        meguri_build_options o = {.size = sizeof o, .direction = MEGURI_UNDIRECTED, .order = MEGURI_ORDER_NONE};
        meguri_graph *graph;
        assert_int_equal(zoo_build(&graph, ctx, &g, &o), MEGURI_OK);
        cancel_at(ctx, &user, 4, "communities", wander, graph);
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
        cmocka_unit_test(a_long_run_is_cancelled_underway),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
