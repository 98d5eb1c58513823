/* Runs that cannot end: allocations that fail in turn, a budget that is too small, a user who has had enough. A clear
 * status, nothing leaked, and the same call succeeds afterwards. */
#define _GNU_SOURCE
#include "algo_communities/propagating.h"
#include "support/checks.h"

#include "base/base.h"

#include <meguri.h>

/* ---- every allocation fails in turn ----------------------------------------------------------------------------- */

typedef struct call {
    meguri_ctx *ctx;
    naive *naive;
    labels right;
} call;

static meguri_status propagate(call *c) {
    meguri_result *result = (meguri_result *)1;
    meguri_status status = meguri_communities(&result, c->ctx, c->naive->graph, NULL);
    mg_memory_fail_at(c->ctx, 0); /* not while the result is looked at */
    if (status != MEGURI_OK) assert_null(result);
    else check_labels(c->ctx, c->naive, 10, &c->right, result);
    meguri_result_free(status == MEGURI_OK ? result : NULL);
    return status;
}

static meguri_status check(call *c) { return mg_communities_check(c->ctx, c->naive->graph, c->right.label, 10); }

/* Directed graphs keep the in-rows that were made before a failure. */
static uint64_t with_every_failure(call *c, meguri_status (*function)(call *), bool may_keep) {
    uint64_t before = meguri_ctx_memory_used(c->ctx);
    for (uint64_t k = 1;; k++) {
        mg_memory_fail_at(c->ctx, k);
        meguri_status status = function(c);
        mg_memory_fail_at(c->ctx, 0);
        if (status == MEGURI_OK) return k;
        assert_int_equal(status, MEGURI_NO_MEMORY);
        assert_non_null(strstr(meguri_ctx_error(c->ctx), "not enough memory for"));
        if (!may_keep) assert_int_equal(meguri_ctx_memory_used(c->ctx), before);
    }
}

static void fail_everywhere(meguri_ctx *ctx, const zoo_graph *g, int direction, int order) {
    meguri_build_options o = {.size = sizeof o, .direction = (meguri_direction)direction, .order = (meguri_order)order};
    meguri_status (*const functions[])(call *) = {propagate, check};
    for (size_t f = 0; f < COUNT_OF(functions); f++) { /* a new graph each: without its in-rows */
        naive n = naive_from_zoo(ctx, g, &o);
        call c = {.ctx = ctx, .naive = &n, .right = naive_propagate(&n, 10)};
        assert_true(with_every_failure(&c, functions[f], direction == MEGURI_DIRECTED) > 4);
        labels_free(&c.right);
        naive_free(&n);
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
    meguri_ctx *ctx = context_with(2);
    zoo_graph g;
    for (int index = 0; shape_get(&g, index, 500); index++) {
        fail_everywhere(ctx, &g, 1 + index % 2, 1 + index % 3);
        zoo_free(&g);
    }
    g = star(70000); /* with a hub, and a row that the checker sorts on all threads */
    fail_everywhere(ctx, &g, MEGURI_UNDIRECTED, MEGURI_ORDER_DEGREE);
    zoo_free(&g);
    context_done(ctx);
}

/* ---- budgets ---------------------------------------------------------------------------------------------------- */

static void budgets_are_honoured(void **state) {
    (void)state;
    meguri_ctx *maker = context_with(2);
    zoo_graph g;
    assert_true(shape_get(&g, 12, 10000)); /* uniform */
    for (int direction = MEGURI_DIRECTED; direction <= MEGURI_UNDIRECTED; direction++) {
        meguri_build_options o = {.size = sizeof o, .direction = (meguri_direction)direction};
        int refused = 0, done = 0;
        for (uint64_t budget = 10000; budget < 20000000; budget *= 2) {
            naive n = naive_from_zoo(maker, &g, &o);
            labels right = naive_propagate(&n, 10);
            meguri_ctx *ctx;
            meguri_ctx_options c = {.size = sizeof c, .threads = 2, .memory = budget};
            meguri_result *result;
            assert_int_equal(meguri_ctx_new(&ctx, &c), MEGURI_OK);
            meguri_status status = meguri_communities(&result, ctx, n.graph, NULL);
            assert_true(meguri_ctx_memory_peak(ctx) <= budget);
            if (status == MEGURI_OK) {
                check_labels(maker, &n, 10, &right, result);
                meguri_result_free(result);
                done++;
            } else {
                assert_int_equal(status, MEGURI_NO_MEMORY);
                assert_non_null(strstr(meguri_ctx_error(ctx), "budget of"));
                refused++;
            }
            labels_free(&right);
            naive_free(&n); /* and with it the in-rows */
            assert_int_equal(meguri_ctx_memory_used(ctx), 0);
            meguri_ctx_free(ctx);
        }
        assert_true(refused >= 2 && done >= 2);
    }
    zoo_free(&g);
    context_done(maker);
}

/* ---- cancel ----------------------------------------------------------------------------------------------------- */

/* Cancels at the call that `patience` counts down to; never if it is negative. */
typedef struct user {
    int patience;
    char phase[16];
} user;

static int progress(void *data, const char *phase, uint64_t done, uint64_t total) {
    user *u = data;
    assert_true(done <= total);
    snprintf(u->phase, sizeof u->phase, "%s", phase);
    return u->patience == 0 || (u->patience > 0 && --u->patience == 0);
}

static meguri_ctx *context_of(user *u, uint32_t threads) {
    meguri_ctx *ctx;
    meguri_ctx_options options = {.size = sizeof options,
                                  .threads = threads,
                                  .memory = (uint64_t)1 << 30,
                                  .progress = progress,
                                  .progress_user = u};
    assert_int_equal(meguri_ctx_new(&ctx, &options), MEGURI_OK);
    return ctx;
}

static void cancel_and_go_on(meguri_ctx *ctx, user *u, const naive *n) {
    labels right = naive_propagate(n, 10);
    meguri_result *result;
    u->patience = -1;
    check_communities(ctx, n, 10, &right); /* makes the in-rows */
    uint64_t before = meguri_ctx_memory_used(ctx);
    u->patience = 0;
    assert_int_equal(meguri_communities(&result, ctx, n->graph, NULL), MEGURI_CANCELLED);
    assert_null(result);
    assert_string_equal(meguri_ctx_error(ctx), "interrupted.");
    assert_string_equal(u->phase, "communities");
    assert_int_equal(mg_communities_check(ctx, n->graph, right.label, 10), MEGURI_CANCELLED);
    assert_string_equal(meguri_ctx_error(ctx), "interrupted.");
    assert_string_equal(u->phase, "check");
    assert_int_equal(meguri_ctx_memory_used(ctx), before);
    u->patience = -1;
    check_communities(ctx, n, 10, &right);
    labels_free(&right);
}

static void a_cancel_ends_it(void **state) {
    (void)state;
    for (size_t t = 0; t < THREAD_COUNTS; t++) {
        user u = {.patience = -1};
        meguri_ctx *ctx = context_of(&u, thread_counts[t]);
        zoo_graph g = shape_kronecker(ctx, UNDER_TSAN || UNDER_ASAN ? 10 : 12, 16), hub = star(70000);
        for (int direction = MEGURI_DIRECTED; direction <= MEGURI_UNDIRECTED; direction++) {
            meguri_build_options o = {.size = sizeof o, .direction = (meguri_direction)direction};
            const zoo_graph *graphs[] = {&g, &hub};
            for (size_t i = 0; i < COUNT_OF(graphs); i++) {
                naive n = naive_from_zoo(ctx, graphs[i], &o);
                cancel_and_go_on(ctx, &u, &n);
                naive_free(&n);
            }
        }
        zoo_free(&g);
        zoo_free(&hub);
        context_done(ctx);
    }
}

/* A ring is never at rest for long: labels wander along it. It ends when the user says so. */
static void a_long_run_is_cancelled_underway(void **state) {
    (void)state;
    for (size_t t = 0; t < THREAD_COUNTS; t++) {
        user u = {.patience = -1};
        meguri_ctx *ctx = context_of(&u, thread_counts[t]);
        zoo_graph g = {.vertices = 300001, .name = "a ring"};
        for (uint64_t v = 0; v < g.vertices; v++) shape_add(&g, v, (v + 1) % g.vertices);
        meguri_build_options o = {.size = sizeof o, .direction = MEGURI_UNDIRECTED, .order = MEGURI_ORDER_NONE};
        meguri_graph *graph;
        assert_int_equal(zoo_build(&graph, ctx, &g, &o), MEGURI_OK);
        meguri_communities_options options = {.size = sizeof options, .iterations = UINT32_MAX};
        meguri_result *result;
        u.patience = 4;
        double begin = mg_now();
        assert_int_equal(meguri_communities(&result, ctx, graph, &options), MEGURI_CANCELLED);
        assert_true(mg_now() - begin < 10);
        assert_int_equal(u.patience, 0);
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
