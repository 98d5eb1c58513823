/* Runs that cannot end: allocations that fail in turn, a user who has had enough. A clear status, nothing leaked, and
 * the same call succeeds afterwards. */
#define _GNU_SOURCE
#include "algo_betweenness/between.h"
#include "support/checks.h"

#include "base/base.h"

#include <meguri.h>

typedef struct call {
    meguri_ctx *ctx;
    const subject *subject;
    double *right;
} call;

static meguri_status score(call *c) {
    meguri_result *result = (meguri_result *)1;
    meguri_status status = meguri_betweenness(&result, c->ctx, c->subject->graph, NULL);
    mg_memory_fail_at(c->ctx, 0);
    if (status != MEGURI_OK) assert_null(result);
    else check_scores(c->ctx, c->subject, NULL, c->right, false);
    meguri_result_free(result);
    return status;
}

static meguri_status check(call *c) { return mg_betweenness_check(c->ctx, c->subject->graph, c->right, NULL); }

/* Directed graphs keep the in-rows that were made before a failure. */
static void with_every_failure(call *c, meguri_status (*function)(call *), bool may_keep) {
    uint64_t before = meguri_ctx_memory_used(c->ctx);
    for (uint64_t k = 1;; k++) {
        mg_memory_fail_at(c->ctx, k);
        meguri_status status = function(c);
        mg_memory_fail_at(c->ctx, 0);
        if (status == MEGURI_OK) {
            assert_true(k > 5);
            return;
        }
        assert_int_equal(status, MEGURI_NO_MEMORY);
        assert_non_null(strstr(meguri_ctx_error(c->ctx), "not enough memory for"));
        if (!may_keep) assert_int_equal(meguri_ctx_memory_used(c->ctx), before);
    }
}

static void every_allocation_fails(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(2);
    zoo_graph g;
    meguri_status (*const functions[])(call *) = {score, check};
    for (int index = 0; shape_get(&g, index, 130); index++) {
        meguri_build_options o = {.size = sizeof o, .direction = 1 + index % 2, .order = 1 + index % 3};
        for (size_t f = 0; f < COUNT_OF(functions); f++) { /* a new graph each: without its in-rows */
            subject s = between_subject(ctx, &g, &o);
            call c = {.ctx = ctx, .subject = &s, .right = between_all(&s.plain, o.direction == MEGURI_DIRECTED)};
            with_every_failure(&c, functions[f], o.direction == MEGURI_DIRECTED);
            free(c.right);
            subject_free(&s);
        }
        zoo_free(&g);
    }
    context_done(ctx);
}

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

static void a_cancel_ends_it(void **state) {
    (void)state;
    for (size_t t = 0; t < THREAD_COUNTS; t++)
        for (int direction = MEGURI_DIRECTED; direction <= MEGURI_UNDIRECTED; direction++) {
            user u = {.patience = -1};
            meguri_ctx *ctx;
            meguri_ctx_options options = {.size = sizeof options,
                                          .threads = thread_counts[t],
                                          .memory = (uint64_t)1 << 30,
                                          .progress = progress,
                                          .progress_user = &u};
            assert_int_equal(meguri_ctx_new(&ctx, &options), MEGURI_OK);
            zoo_graph g = shape_kronecker(ctx, 14, 16); /* from all vertices it would take minutes */
            meguri_build_options o = {.size = sizeof o, .direction = (meguri_direction)direction};
            meguri_graph *graph;
            assert_int_equal(zoo_build(&graph, ctx, &g, &o), MEGURI_OK);
            meguri_betweenness_options one = {.size = sizeof one, .count = 1};
            meguri_result *result;
            assert_int_equal(meguri_betweenness(&result, ctx, graph, &one), MEGURI_OK); /* makes the in-rows */
            meguri_result_free(result);
            uint64_t before = meguri_ctx_memory_used(ctx);
            double *score = calloc(g.vertices, sizeof *score), begin = mg_now();
            for (int patience = 0; patience < 6; patience += 2) {
                u.patience = patience;
                assert_int_equal(meguri_betweenness(&result, ctx, graph, NULL), MEGURI_CANCELLED);
                assert_null(result);
                assert_string_equal(u.phase, "betweenness");
                u.patience = patience;
                assert_int_equal(mg_betweenness_check(ctx, graph, score, NULL), MEGURI_CANCELLED);
                assert_string_equal(meguri_ctx_error(ctx), "interrupted.");
                assert_string_equal(u.phase, "check");
                assert_int_equal(meguri_ctx_memory_used(ctx), before);
            }
            assert_true(mg_now() - begin < 20);
            u.patience = -1;
            assert_int_equal(meguri_betweenness(&result, ctx, graph, &one), MEGURI_OK);
            assert_int_equal(mg_betweenness_check(ctx, graph, scores_of(result, g.vertices), &one), MEGURI_OK);
            meguri_result_free(result);
            free(score);
            meguri_graph_free(graph);
            zoo_free(&g);
            context_done(ctx);
        }
}

/* Less and less memory: fewer sources at once, then a clear refusal; never a wrong answer. */
static void a_budget_is_kept(void **state) {
    (void)state;
    bool right = false, refused = false;
    for (uint64_t room = 1 << 20; room >= 1 << 12; room = room * 3 / 4) {
        meguri_ctx *wide = context_with(2), *ctx;
        zoo_graph g = shape_kronecker(wide, 11, 8);
        meguri_build_options o = {.size = sizeof o, .direction = MEGURI_UNDIRECTED};
        meguri_graph *graph;
        assert_int_equal(zoo_build(&graph, wide, &g, &o), MEGURI_OK);
        meguri_ctx_options options = {.size = sizeof options, .threads = 2, .memory = room};
        assert_int_equal(meguri_ctx_new(&ctx, &options), MEGURI_OK);
        meguri_betweenness_options some = {.size = sizeof some, .count = 20};
        meguri_result *result;
        meguri_status status = meguri_betweenness(&result, ctx, graph, &some);
        assert_true(meguri_ctx_memory_peak(ctx) <= room);
        if (status == MEGURI_OK) {
            right = true;
            assert_int_equal(mg_betweenness_check(wide, graph, scores_of(result, g.vertices), &some), MEGURI_OK);
        } else {
            refused = true;
            assert_int_equal(status, MEGURI_NO_MEMORY);
        }
        meguri_result_free(result);
        meguri_graph_free(graph);
        zoo_free(&g);
        context_done(ctx);
        context_done(wide);
    }
    assert_true(right && refused);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_fails),
        cmocka_unit_test(a_cancel_ends_it),
        cmocka_unit_test(a_budget_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
