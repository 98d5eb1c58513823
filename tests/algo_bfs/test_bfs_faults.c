/* Searches that cannot end: allocations that fail in turn, a budget that is too small, a user who has had enough. A
 * clear status, nothing leaked, and the same call succeeds afterwards. */
#define _GNU_SOURCE
#include "algo_bfs/searching.h"
#include "support/checks.h"

#include "base/base.h"

#include <meguri.h>

/* ---- every allocation fails in turn ----------------------------------------------------------------------------- */

typedef struct call {
    meguri_ctx *ctx;
    const subject *subject;
    const meguri_bfs_options *options;
    meguri_bfs_search *search;
    answer right;
} call;

static meguri_status one_search(call *c) {
    meguri_result *result = (meguri_result *)1;
    meguri_status status = meguri_bfs(&result, c->ctx, c->subject->graph, 1, c->options);
    mg_memory_fail_at(c->ctx, 0); /* not while the result is looked at */
    if (status != MEGURI_OK) assert_null(result);
    else check_result(c->ctx, c->subject, 1, c->options, result);
    meguri_result_free(status == MEGURI_OK ? result : NULL);
    return status;
}

static meguri_status new_handle(call *c) {
    meguri_bfs_search *search = (meguri_bfs_search *)1;
    meguri_status status = meguri_bfs_search_new(&search, c->ctx, c->subject->graph, c->options);
    if (status != MEGURI_OK) assert_null(search);
    meguri_bfs_search_free(search);
    return status;
}

static meguri_status run_handle(call *c) {
    const meguri_result *result = (meguri_result *)1;
    meguri_status status = meguri_bfs_search_run(&result, c->ctx, c->search, 1);
    if (status != MEGURI_OK) assert_null(result);
    return status;
}

static meguri_status check(call *c) {
    return mg_bfs_check(c->ctx, c->subject->graph, 1, c->right.level, c->right.parent, c->options->levels);
}

/* Directed graphs keep the in-rows that were made before a failure, and a handle its steps. */
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

static void fail_everywhere(meguri_ctx *ctx, const zoo_graph *g, int direction, int order, int way) {
    meguri_build_options o = {.size = sizeof o, .direction = (meguri_direction)direction, .order = (meguri_order)order};
    meguri_bfs_options options = way_options(way);
    meguri_status (*const functions[])(call *) = {one_search, new_handle, check};
    for (size_t f = 0; f < COUNT_OF(functions); f++) { /* a new graph each: without its in-rows */
        subject s = subject_from_zoo(ctx, g, &o);
        call c = {.ctx = ctx, .subject = &s, .options = &options, .right = plain_search(&s.plain, 1, 0)};
        uint64_t allocations = with_every_failure(&c, functions[f], direction == MEGURI_DIRECTED);
        assert_true(allocations > (functions[f] == check ? 1 : 5));
        answer_free(&c.right);
        subject_free(&s);
    }
    subject s = subject_from_zoo(ctx, g, &o);
    call c = {.ctx = ctx, .subject = &s, .options = &options};
    assert_int_equal(meguri_bfs_search_new(&c.search, ctx, s.graph, &options), MEGURI_OK);
    with_every_failure(&c, run_handle, true);
    const meguri_result *result;
    for (uint64_t source = 0; source < 3; source++) {
        assert_int_equal(meguri_bfs_search_run(&result, ctx, c.search, source), MEGURI_OK);
        check_result(ctx, &s, source, &options, result);
    }
    meguri_bfs_search_free(c.search);
    subject_free(&s);
    assert_int_equal(meguri_ctx_memory_used(ctx), 0);
}

static void every_allocation_fails(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(2);
    zoo_graph g;
    for (int index = 0; shape_get(&g, index, 500); index++) {
        for (int turn = 0; turn < 4; turn++)
            fail_everywhere(ctx, &g, 1 + turn % 2, 1 + (index + turn) % 3, (index + 2 * turn) % WAYS);
        zoo_free(&g);
    }
    context_done(ctx);
}

/* ---- budgets ---------------------------------------------------------------------------------------------------- */

/* Whatever the budget, a search stays within it or says that it cannot. */
static void budgets_are_honoured(void **state) {
    (void)state;
    meguri_ctx *maker = context_with(2);
    zoo_graph g;
    assert_true(shape_get(&g, 12, 20000)); /* uniform */
    for (int direction = MEGURI_DIRECTED; direction <= MEGURI_UNDIRECTED; direction++) {
        meguri_build_options o = {.size = sizeof o, .direction = (meguri_direction)direction};
        int refused = 0, done = 0;
        for (uint64_t budget = 10000; budget < 20000000; budget *= 2) {
            subject s = subject_from_zoo(maker, &g, &o);
            meguri_ctx *ctx;
            meguri_ctx_options c = {.size = sizeof c, .threads = 2, .memory = budget};
            meguri_bfs_options options = way_options(budget % 3 == 0 ? 3 : 0);
            meguri_result *result;
            assert_int_equal(meguri_ctx_new(&ctx, &c), MEGURI_OK);
            meguri_status status = meguri_bfs(&result, ctx, s.graph, 3, &options);
            assert_true(meguri_ctx_memory_peak(ctx) <= budget);
            if (status == MEGURI_OK) {
                check_result(maker, &s, 3, &options, result);
                done++;
            } else {
                assert_int_equal(status, MEGURI_NO_MEMORY);
                assert_non_null(strstr(meguri_ctx_error(ctx), "not enough memory for"));
                assert_non_null(strstr(meguri_ctx_error(ctx), "budget of"));
                refused++;
            }
            if (status == MEGURI_OK) meguri_result_free(result);
            subject_free(&s); /* and with it the in-rows */
            assert_int_equal(meguri_ctx_memory_used(ctx), 0);
            meguri_ctx_free(ctx);
        }
        assert_true(refused >= 2 && done >= 2);
    }
    zoo_free(&g);
    context_done(maker);
}

static void a_checker_without_memory_says_so(void **state) {
    (void)state;
    meguri_ctx *maker = context_with(2), *ctx;
    zoo_graph g;
    assert_true(shape_get(&g, 0, 20000));
    meguri_build_options o = {.size = sizeof o};
    subject s = subject_from_zoo(maker, &g, &o);
    answer right = plain_search(&s.plain, 0, 0);
    meguri_ctx_options c = {.size = sizeof c, .threads = 2, .memory = 50000};
    assert_int_equal(meguri_ctx_new(&ctx, &c), MEGURI_OK);
    assert_int_equal(mg_bfs_check(ctx, s.graph, 0, right.level, NULL, 0), MEGURI_NO_MEMORY);
    assert_non_null(strstr(meguri_ctx_error(ctx), "not enough memory for checking a search"));
    context_done(ctx);
    answer_free(&right);
    subject_free(&s);
    zoo_free(&g);
    context_done(maker);
}

/* ---- cancel ----------------------------------------------------------------------------------------------------- */

/* Cancels at the call that `patience` counts down to; never if it is negative. */
typedef struct user {
    int patience, calls;
    char phase[16];
} user;

static int progress(void *data, const char *phase, uint64_t done, uint64_t total) {
    user *u = data;
    (void)done, (void)total;
    snprintf(u->phase, sizeof u->phase, "%s", phase);
    u->calls++;
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

static void cancel_and_go_on(meguri_ctx *ctx, user *u, const subject *s, const meguri_bfs_options *options) {
    meguri_bfs_search *search;
    const meguri_result *result;
    u->patience = -1;
    assert_int_equal(meguri_bfs_search_new(&search, ctx, s->graph, options), MEGURI_OK);
    for (int turn = 0; turn < 3; turn++) {
        u->patience = 0;
        assert_int_equal(meguri_bfs_search_run(&result, ctx, search, 2), MEGURI_CANCELLED);
        assert_null(result);
        assert_string_equal(meguri_ctx_error(ctx), "interrupted.");
        u->patience = -1;
        assert_int_equal(meguri_bfs_search_run(&result, ctx, search, (uint64_t)turn), MEGURI_OK);
        check_result(ctx, s, (uint64_t)turn, options, result);
    }
    meguri_bfs_search_free(search);
    uint64_t before = meguri_ctx_memory_used(ctx);
    meguri_result *owned = (meguri_result *)1;
    u->patience = 0;
    assert_int_equal(meguri_bfs(&owned, ctx, s->graph, 2, options), MEGURI_CANCELLED);
    assert_null(owned);
    assert_int_equal(meguri_ctx_memory_used(ctx), before);
    u->patience = -1;
}

static void a_cancel_ends_a_search(void **state) {
    (void)state;
    for (size_t t = 0; t < THREAD_COUNTS; t++) {
        user u = {.patience = -1};
        meguri_ctx *ctx = context_of(&u, thread_counts[t]);
        zoo_graph g = shape_kronecker(ctx, 14, 16);
        for (int direction = MEGURI_DIRECTED; direction <= MEGURI_UNDIRECTED; direction++) {
            meguri_build_options o = {.size = sizeof o, .direction = (meguri_direction)direction};
            subject s = subject_from_zoo(ctx, &g, &o);
            for (int way = 0; way < 4; way++) {
                meguri_bfs_options options = way_options(way);
                cancel_and_go_on(ctx, &u, &s, &options);
                assert_string_equal(u.phase, "bfs");
            }
            subject_free(&s);
        }
        zoo_free(&g);
        context_done(ctx);
    }
}

/* A search that takes long: a pull of every level of a long path. It ends when the user says so, not at its end. */
static void a_long_search_is_cancelled_underway(void **state) {
    (void)state;
    for (size_t t = 0; t < THREAD_COUNTS; t++) {
        user u = {.patience = -1};
        meguri_ctx *ctx = context_of(&u, thread_counts[t]);
        zoo_graph g;
        assert_true(shape_get(&g, 0, 400000));
        meguri_build_options o = {.size = sizeof o, .direction = MEGURI_UNDIRECTED, .order = 1 + (meguri_order)t};
        meguri_graph *graph;
        assert_int_equal(zoo_build(&graph, ctx, &g, &o), MEGURI_OK);
        meguri_bfs_options options = way_options(MEGURI_BFS_PULL);
        meguri_result *result;
        u.patience = 4;
        double begin = mg_now();
        assert_int_equal(meguri_bfs(&result, ctx, graph, 0, &options), MEGURI_CANCELLED);
        assert_true(mg_now() - begin < 10); /* three reports, 20 ms apart; a whole search takes minutes */
        assert_int_equal(u.patience, 0);
        meguri_graph_free(graph);
        zoo_free(&g);
        context_done(ctx);
    }
}

/* While parents are followed up a long path, and in the other sweeps. */
static void a_cancel_ends_a_check(void **state) {
    (void)state;
    for (size_t t = 0; t < THREAD_COUNTS; t++) {
        user u = {.patience = -1};
        meguri_ctx *ctx = context_of(&u, thread_counts[t]);
        zoo_graph g;
        assert_true(shape_get(&g, 0, 100000));
        meguri_build_options o = {.size = sizeof o, .direction = MEGURI_UNDIRECTED};
        subject s = subject_from_zoo(ctx, &g, &o);
        answer right = plain_search(&s.plain, 0, 0);
        uint64_t before = meguri_ctx_memory_used(ctx);
        for (int turn = 0; turn < 3; turn++) {
            u.patience = 0;
            assert_int_equal(
                mg_bfs_check(ctx, s.graph, 0, turn != 1 ? right.level : NULL, turn != 2 ? right.parent : NULL, 0),
                MEGURI_CANCELLED);
            assert_string_equal(meguri_ctx_error(ctx), "interrupted.");
            assert_string_equal(u.phase, "check");
            assert_int_equal(meguri_ctx_memory_used(ctx), before);
            u.patience = -1;
            assert_int_equal(mg_bfs_check(ctx, s.graph, 0, right.level, right.parent, 0), MEGURI_OK);
        }
        answer_free(&right);
        subject_free(&s);
        zoo_free(&g);
        context_done(ctx);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_fails),
        cmocka_unit_test(budgets_are_honoured),
        cmocka_unit_test(a_checker_without_memory_says_so),
        cmocka_unit_test(a_cancel_ends_a_search),
        cmocka_unit_test(a_long_search_is_cancelled_underway),
        cmocka_unit_test(a_cancel_ends_a_check),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
