/* Counts that cannot end: allocations that fail in turn, a budget that is too small, a user who has had enough. A clear
 * status, nothing leaked, and the same call succeeds afterwards. */
#define _GNU_SOURCE
#include "algo_triangles/counting.h"
#include "support/checks.h"

#include "base/base.h"

#include <meguri.h>

/* ---- every allocation fails in turn ----------------------------------------------------------------------------- */

typedef struct call {
    meguri_ctx *ctx;
    const meguri_graph *graph;
    const truth *right;
} call;

static meguri_status count(const call *c) {
    meguri_result *result = (meguri_result *)1;
    meguri_status status = meguri_triangles(&result, c->ctx, c->graph, NULL);
    mg_memory_fail_at(c->ctx, 0);
    if (status != MEGURI_OK) assert_null(result);
    else assert_int_equal(fact_of(result, "triangles"), c->right->triangles);
    meguri_result_free(status == MEGURI_OK ? result : NULL);
    return status;
}

static meguri_status cluster(const call *c) {
    meguri_result *result = (meguri_result *)1;
    meguri_status status = meguri_clustering(&result, c->ctx, c->graph, NULL);
    mg_memory_fail_at(c->ctx, 0);
    if (status != MEGURI_OK) assert_null(result);
    else
        for (uint64_t v = 0; v < c->right->vertices; v++)
            assert_true(coefficients_of(result, c->right->vertices)[v] == c->right->coefficient[v]);
    meguri_result_free(status == MEGURI_OK ? result : NULL);
    return status;
}

static meguri_status check_count(const call *c) { return mg_triangles_check(c->ctx, c->graph, c->right->triangles); }

static meguri_status check_cluster(const call *c) {
    return mg_clustering_check(c->ctx, c->graph, c->right->coefficient);
}

typedef meguri_status call_fn(const call *c);
static call_fn *const functions[] = {count, cluster, check_count, check_cluster};

/* Directed graphs keep the in-rows that were made before a failure. */
static void with_every_failure(const call *c, call_fn *function, bool may_keep) {
    uint64_t before = meguri_ctx_memory_used(c->ctx), k = 1;
    for (;; k++) {
        mg_memory_fail_at(c->ctx, k);
        meguri_status status = function(c);
        mg_memory_fail_at(c->ctx, 0);
        if (status == MEGURI_OK) break;
        assert_int_equal(status, MEGURI_NO_MEMORY);
        assert_non_null(strstr(meguri_ctx_error(c->ctx), "not enough memory for"));
        if (!may_keep) assert_int_equal(meguri_ctx_memory_used(c->ctx), before);
    }
    assert_true(k > 1);
}

static void every_allocation_fails(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(2);
    zoo_graph shapes[3];
    assert_true(shape_get(&shapes[0], 9, 300));  /* a clique: has a core */
    assert_true(shape_get(&shapes[1], 12, 300)); /* uniform */
    shapes[2] = shape_kronecker(ctx, 10, 16);    /* numbered again where the order is none */
    for (int s = 0; s < 3; s++) {
        for (int turn = 0; turn < 6; turn++) {
            meguri_build_options o = {.size = sizeof o,
                                      .direction = (meguri_direction)(1 + turn % 2),
                                      .order = (meguri_order)(turn < 2 ? 1 : 3),
                                      .keep_loops = turn >= 4,
                                      .keep_duplicates = turn >= 4};
            truth right = truth_of_zoo(&shapes[s], &o);
            for (size_t f = 0; f < COUNT_OF(functions); f++) { /* a new graph each: without its in-rows */
                meguri_graph *graph;
                assert_int_equal(zoo_build(&graph, ctx, &shapes[s], &o), MEGURI_OK);
                call c = {ctx, graph, &right};
                with_every_failure(&c, functions[f], o.direction == MEGURI_DIRECTED);
                meguri_graph_free(graph);
                assert_int_equal(meguri_ctx_memory_used(ctx), 0);
            }
            truth_free(&right);
        }
        zoo_free(&shapes[s]);
    }
    context_done(ctx);
}

/* Whatever the budget, the work stays within it or says that it cannot. */
static void budgets_are_honoured(void **state) {
    (void)state;
    meguri_ctx *maker = context_with(2);
    zoo_graph g = shape_kronecker(maker, 11, 16);
    for (int direction = MEGURI_DIRECTED; direction <= MEGURI_UNDIRECTED; direction++) {
        meguri_build_options o = {.size = sizeof o, .direction = (meguri_direction)direction};
        truth right = truth_of_zoo(&g, &o);
        int refused = 0, done = 0;
        for (uint64_t budget = 5000; budget < 20000000; budget *= 2)
            for (size_t f = 0; f < COUNT_OF(functions); f++) {
                meguri_graph *graph;
                meguri_ctx *ctx;
                meguri_ctx_options options = {.size = sizeof options, .threads = 2, .memory = budget};
                assert_int_equal(zoo_build(&graph, maker, &g, &o), MEGURI_OK);
                assert_int_equal(meguri_ctx_new(&ctx, &options), MEGURI_OK);
                call c = {ctx, graph, &right};
                meguri_status status = functions[f](&c);
                assert_true(meguri_ctx_memory_peak(ctx) <= budget);
                if (status != MEGURI_OK) {
                    assert_int_equal(status, MEGURI_NO_MEMORY);
                    assert_non_null(strstr(meguri_ctx_error(ctx), "budget of"));
                }
                *(status == MEGURI_OK ? &done : &refused) += 1;
                meguri_graph_free(graph); /* and with it the in-rows */
                assert_int_equal(meguri_ctx_memory_used(ctx), 0);
                meguri_ctx_free(ctx);
            }
        assert_true(refused >= 4 && done >= 8);
        truth_free(&right);
    }
    zoo_free(&g);
    context_done(maker);
}

/* ---- cancel ----------------------------------------------------------------------------------------------------- */

/* Cancels at the call that `patience` counts down to; never if it is negative. */
typedef struct user {
    int patience, calls;
    double cancelled; /* when */
    char phase[16];
} user;

static int progress(void *data, const char *phase, uint64_t done, uint64_t total) {
    user *u = data;
    (void)done, (void)total;
    snprintf(u->phase, sizeof u->phase, "%s", phase);
    u->calls++;
    bool enough = u->patience == 0 || (u->patience > 0 && --u->patience == 0);
    if (enough && u->cancelled == 0) u->cancelled = mg_now();
    return enough;
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

static void a_cancel_ends_it(void **state) {
    (void)state;
    static const char *const phases[] = {"triangles", "clustering", "check", "check"};
    for (size_t t = 0; t < THREAD_COUNTS; t++) {
        user u = {.patience = -1};
        meguri_ctx *ctx = context_of(&u, thread_counts[t]);
        zoo_graph g = shape_kronecker(ctx, 10, 16);
        for (int direction = MEGURI_DIRECTED; direction <= MEGURI_UNDIRECTED; direction++) {
            meguri_build_options o = {.size = sizeof o, .direction = (meguri_direction)direction};
            truth right = truth_of_zoo(&g, &o);
            meguri_graph *graph;
            assert_int_equal(zoo_build(&graph, ctx, &g, &o), MEGURI_OK);
            call c = {ctx, graph, &right};
            for (size_t f = 0; f < COUNT_OF(functions); f++) {
                assert_int_equal(functions[f](&c), MEGURI_OK);
                uint64_t before = meguri_ctx_memory_used(ctx);
                u.patience = 0;
                assert_int_equal(functions[f](&c), MEGURI_CANCELLED);
                assert_string_equal(meguri_ctx_error(ctx), "interrupted.");
                assert_string_equal(u.phase, phases[f]);
                assert_int_equal(meguri_ctx_memory_used(ctx), before);
                u.patience = -1;
                assert_int_equal(functions[f](&c), MEGURI_OK);
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
        user u = {.patience = -1};
        meguri_ctx *ctx = context_of(&u, thread_counts[t]);
        zoo_graph g = shape_kronecker(ctx, UNDER_TSAN || UNDER_ASAN ? 13 : 16, 32);
        meguri_build_options o = {.size = sizeof o, .direction = MEGURI_UNDIRECTED};
        meguri_graph *graph;
        assert_int_equal(zoo_build(&graph, ctx, &g, &o), MEGURI_OK);
        double *zero = calloc(g.vertices, sizeof *zero);
        assert_non_null(zero);
        for (int which = 0; which < 4; which++) {
            u.patience = 2;
            u.cancelled = 0;
            meguri_status status = begin_long_work(ctx, graph, which, zero);
            if (u.cancelled > 0) {
                assert_int_equal(status, MEGURI_CANCELLED);
                assert_true(mg_now() - u.cancelled < 5); /* 50 ms where nobody else uses the machine */
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
