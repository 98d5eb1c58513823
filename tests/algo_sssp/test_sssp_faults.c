/* Searches that cannot end: allocations that fail in turn, a budget that is too small, a user who has had enough. A
 * clear status, nothing leaked, and the same call succeeds afterwards. */
#define _GNU_SOURCE
#include "algo_sssp/routing.h"

#include "base/base.h"

#include <meguri.h>

/* ---- every allocation fails in turn ----------------------------------------------------------------------------- */

typedef struct call {
    meguri_ctx *ctx;
    const roads *roads;
    const meguri_sssp_options *options;
    meguri_sssp_search *search;
} call;

static meguri_status one_search(call *c) {
    meguri_result *result = (meguri_result *)1;
    meguri_status status = meguri_sssp(&result, c->ctx, c->roads->subject.graph, 1, c->options);
    mg_memory_fail_at(c->ctx, 0); /* not while the result is looked at */
    if (status != MEGURI_OK) assert_null(result);
    else check_route(c->ctx, c->roads, 1, c->options, result);
    meguri_result_free(status == MEGURI_OK ? result : NULL);
    return status;
}

static meguri_status new_handle(call *c) {
    meguri_sssp_search *search = (meguri_sssp_search *)1;
    meguri_status status = meguri_sssp_search_new(&search, c->ctx, c->roads->subject.graph, c->options);
    if (status != MEGURI_OK) assert_null(search);
    meguri_sssp_search_free(search);
    return status;
}

static meguri_status run_handle(call *c) {
    const meguri_result *result = (meguri_result *)1;
    meguri_status status = meguri_sssp_search_run(&result, c->ctx, c->search, 1);
    if (status != MEGURI_OK) assert_null(result);
    return status;
}

static meguri_status count_one(void *user, uint64_t index, const meguri_result *result) {
    (void)result;
    assert_int_equal(index, (*(uint64_t *)user)++);
    return MEGURI_OK;
}

static meguri_status many(call *c) {
    static const uint64_t sources[] = {1, 0, 2, 1, 3, 4, 0, 1};
    uint64_t taken = 0;
    meguri_status status =
        meguri_sssp_many(c->ctx, c->roads->subject.graph, sources, COUNT_OF(sources), c->options, count_one, &taken);
    if (status == MEGURI_OK) assert_int_equal(taken, COUNT_OF(sources));
    return status;
}

/* Directed graphs keep the in-rows that were made before a failure, and a handle what it has made. */
static void with_every_failure(call *c, meguri_status (*function)(call *), bool may_keep) {
    uint64_t before = meguri_ctx_memory_used(c->ctx);
    for (uint64_t k = 1;; k++) {
        uint64_t count = mg_memory_allocations(c->ctx);
        assert_true(k < 10000);
        mg_memory_fail_at(c->ctx, k);
        meguri_status status = function(c);
        mg_memory_fail_at(c->ctx, 0);
        if (!may_keep) assert_int_equal(meguri_ctx_memory_used(c->ctx), before);
        /* Some allocations can be done without: with fewer threads, or without what only speeds up. */
        if (status == MEGURI_OK && mg_memory_allocations(c->ctx) - count < k) return;
        if (status == MEGURI_OK) continue;
        assert_int_equal(status, MEGURI_NO_MEMORY);
        assert_non_null(strstr(meguri_ctx_error(c->ctx), "not enough memory for"));
    }
}

static void fail_everywhere(meguri_ctx *ctx, const zoo_graph *g, int turn) {
    meguri_build_options o = {
        .size = sizeof o, .direction = (meguri_direction)(1 + turn % 2), .order = (meguri_order)(1 + turn % 3)};
    meguri_sssp_options options = {.size = sizeof options, .delta = turn % 3};
    meguri_status (*const functions[])(call *) = {one_search, new_handle, many};
    for (size_t f = 0; f < COUNT_OF(functions); f++) { /* a new graph each: without its in-rows */
        roads r = roads_from_zoo(ctx, g, &o);
        call c = {.ctx = ctx, .roads = &r, .options = &options};
        with_every_failure(&c, functions[f], o.direction == MEGURI_DIRECTED);
        roads_free(&r);
    }
    roads r = roads_from_zoo(ctx, g, &o);
    call c = {.ctx = ctx, .roads = &r, .options = &options};
    assert_int_equal(meguri_sssp_search_new(&c.search, ctx, r.subject.graph, &options), MEGURI_OK);
    with_every_failure(&c, run_handle, true);
    const meguri_result *result;
    for (uint64_t source = 0; source < 3; source++) {
        assert_int_equal(meguri_sssp_search_run(&result, ctx, c.search, source), MEGURI_OK);
        check_route(ctx, &r, source, &options, result);
    }
    meguri_sssp_search_free(c.search);
    roads_free(&r);
    assert_int_equal(meguri_ctx_memory_used(ctx), 0);
}

static void every_allocation_fails(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(2);
    static const weighing kinds[] = {WEIGH_BYTES, WEIGH_FRACTION, WEIGH_WORDS, WEIGH_NONE};
    zoo_graph g;
    for (int index = 0; shape_get(&g, index, 300); index++) {
        weigh(&g, kinds[index % 4], 1);
        fail_everywhere(ctx, &g, index);
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
    assert_true(shape_get(&g, 12, 8000)); /* uniform */
    weigh(&g, WEIGH_SHORTS, 1);
    for (int turn = 0; turn < 4; turn++) {
        meguri_build_options o = {.size = sizeof o, .direction = (meguri_direction)(1 + turn % 2)};
        int refused = 0, done = 0;
        for (uint64_t budget = 10000; budget < 50000000; budget *= 2) {
            roads r = roads_from_zoo(maker, &g, &o);
            meguri_ctx *ctx;
            meguri_ctx_options c = {.size = sizeof c, .threads = 2, .memory = budget};
            assert_int_equal(meguri_ctx_new(&ctx, &c), MEGURI_OK);
            call what = {.ctx = ctx, .roads = &r};
            meguri_status status = turn < 2 ? one_search(&what) : many(&what);
            assert_true(meguri_ctx_memory_peak(ctx) <= budget);
            if (status != MEGURI_OK) {
                assert_int_equal(status, MEGURI_NO_MEMORY);
                assert_non_null(strstr(meguri_ctx_error(ctx), "not enough memory for"));
                assert_non_null(strstr(meguri_ctx_error(ctx), "budget of"));
            }
            refused += status != MEGURI_OK;
            done += status == MEGURI_OK;
            roads_free(&r); /* and with it the in-rows */
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
} user;

static int progress(void *data, const char *phase, uint64_t done, uint64_t total) {
    user *u = data;
    assert_non_null(phase);
    (void)done, (void)total;
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

static void cancel_and_go_on(meguri_ctx *ctx, user *u, const roads *r) {
    meguri_sssp_search *search;
    const meguri_result *result;
    u->patience = -1;
    assert_int_equal(meguri_sssp_search_new(&search, ctx, r->subject.graph, NULL), MEGURI_OK);
    for (uint64_t turn = 0; turn < 3; turn++) {
        u->patience = 0;
        assert_int_equal(meguri_sssp_search_run(&result, ctx, search, plain_hub(&r->subject.plain)), MEGURI_CANCELLED);
        assert_null(result);
        assert_string_equal(meguri_ctx_error(ctx), "interrupted.");
        u->patience = -1;
        assert_int_equal(meguri_sssp_search_run(&result, ctx, search, turn), MEGURI_OK);
        check_route(ctx, r, turn, NULL, result);
    }
    meguri_sssp_search_free(search);
    meguri_result *owned = (meguri_result *)1;
    u->patience = 0;
    assert_int_equal(meguri_sssp(&owned, ctx, r->subject.graph, plain_hub(&r->subject.plain), NULL), MEGURI_CANCELLED);
    assert_null(owned);
    uint64_t sources[] = {0, 1, 2, 3}, taken = 0;
    assert_int_equal(meguri_sssp_many(ctx, r->subject.graph, sources, 4, NULL, count_one, &taken), MEGURI_CANCELLED);
    assert_string_equal(meguri_ctx_error(ctx), "interrupted.");
    u->patience = -1;
    taken = 0;
    assert_int_equal(meguri_sssp_many(ctx, r->subject.graph, sources, 4, NULL, count_one, &taken), MEGURI_OK);
    assert_int_equal(taken, 4);
}

static void a_cancel_ends_a_search(void **state) {
    (void)state;
    for (size_t t = 0; t < THREAD_COUNTS; t++) {
        user u = {.patience = -1};
        meguri_ctx *ctx = context_of(&u, thread_counts[t]);
        zoo_graph g = shape_kronecker(ctx, UNDER_TSAN || UNDER_ASAN ? 9 : 12, 16);
        weigh(&g, t % 2 ? WEIGH_FRACTION : WEIGH_BYTES, 1);
        for (int direction = MEGURI_DIRECTED; direction <= MEGURI_UNDIRECTED; direction++) {
            meguri_build_options o = {.size = sizeof o, .direction = (meguri_direction)direction};
            roads r = roads_from_zoo(ctx, &g, &o);
            cancel_and_go_on(ctx, &u, &r);
            roads_free(&r);
        }
        zoo_free(&g);
        context_done(ctx);
    }
}

/* Many searches end when the user says so, not at their end. */
static void many_are_cancelled_underway(void **state) {
    (void)state;
    enum { COUNT = 200000 };
    uint64_t *sources = calloc(COUNT, sizeof *sources);
    assert_non_null(sources);
    for (size_t t = 0; t < THREAD_COUNTS; t++) {
        user u = {.patience = -1};
        meguri_ctx *ctx = context_of(&u, thread_counts[t]);
        zoo_graph g;
        assert_true(shape_get(&g, 11, 10000)); /* a grid */
        weigh(&g, WEIGH_BYTES, 1);
        meguri_build_options o = {.size = sizeof o, .direction = MEGURI_UNDIRECTED};
        meguri_graph *graph;
        assert_int_equal(zoo_build(&graph, ctx, &g, &o), MEGURI_OK);
        uint64_t taken = 0;
        u.patience = 4;
        assert_int_equal(meguri_sssp_many(ctx, graph, sources, COUNT, NULL, count_one, &taken), MEGURI_CANCELLED);
        assert_true(taken < COUNT); /* four reports, 20 ms apart; all of them take minutes */
        meguri_graph_free(graph);
        zoo_free(&g);
        context_done(ctx);
    }
    free(sources);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_fails),
        cmocka_unit_test(budgets_are_honoured),
        cmocka_unit_test(a_cancel_ends_a_search),
        cmocka_unit_test(many_are_cancelled_underway),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
