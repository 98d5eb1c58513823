/* Searches that cannot end: allocations that fail in turn, a budget that is too small, a user who has had enough. A
 * clear status, nothing leaked, and the same call succeeds afterwards. */
#define _GNU_SOURCE
#include "algo_sssp/routing.h"
#include "support/faults.h"
#include <math.h>

#include <meguri.h>

typedef struct travel {
    meguri_ctx *maker;
    roads roads;
    const meguri_sssp_options *options;
    uint64_t source;
    meguri_sssp_search *search;
} travel;

static meguri_status one_search(meguri_ctx *ctx, void *what) {
    const travel *t = what;
    meguri_result *result = (meguri_result *)1;
    meguri_status status = meguri_sssp(&result, ctx, t->roads.subject.graph, t->source, t->options);
    if (status != MEGURI_OK) assert_null(result);
    else check_route(t->maker, &t->roads, t->source, t->options, result);
    meguri_result_free(result);
    return status;
}

static meguri_status new_handle(meguri_ctx *ctx, void *what) {
    const travel *t = what;
    meguri_sssp_search *search = (meguri_sssp_search *)1;
    meguri_status status = meguri_sssp_search_new(&search, ctx, t->roads.subject.graph, t->options);
    if (status != MEGURI_OK) assert_null(search);
    meguri_sssp_search_free(search);
    return status;
}

static meguri_status run_handle(meguri_ctx *ctx, void *what) {
    const travel *t = what;
    const meguri_result *result = (meguri_result *)1;
    meguri_status status = meguri_sssp_search_run(&result, ctx, t->search, t->source);
    if (status != MEGURI_OK) assert_null(result);
    else check_route(t->maker, &t->roads, t->source, t->options, result);
    return status;
}

static meguri_status count_one(void *user, uint64_t index, const meguri_result *result) {
    (void)result;
    assert_int_equal(index, (*(uint64_t *)user)++);
    return MEGURI_OK;
}

static meguri_status many(meguri_ctx *ctx, void *what) {
    static const uint64_t sources[] = {1, 0, 2, 1, 3, 4, 0, 1};
    const travel *t = what;
    uint64_t taken = 0;
    meguri_status status =
        meguri_sssp_many(ctx, t->roads.subject.graph, sources, COUNT_OF(sources), t->options, count_one, &taken);
    if (status == MEGURI_OK) assert_int_equal(taken, COUNT_OF(sources));
    return status;
}

static meguri_status some(meguri_ctx *ctx, void *what) {
    static const uint64_t sources[] = {1, 0, 2, 1}, targets[] = {3, 0, 3};
    const travel *t = what;
    uint64_t taken = 0;
    meguri_status status = meguri_sssp_table(ctx, t->roads.subject.graph, sources, COUNT_OF(sources), targets,
                                             COUNT_OF(targets), t->options, count_one, &taken);
    if (status == MEGURI_OK) assert_int_equal(taken, COUNT_OF(sources));
    return status;
}

/* ---- memory ----------------------------------------------------------------------------------------------------- */

static void fail_everywhere(meguri_ctx *ctx, meguri_ctx *maker, const zoo_graph *g, int turn) {
    meguri_build_options o = {
        .size = sizeof o, .direction = (meguri_direction)(1 + turn % 2), .order = (meguri_order)(1 + turn % 3)};
    meguri_sssp_options options = {
        .size = sizeof options, .parents = 1, .max_cost = (double)INFINITY, .delta = turn % 3};
    travel t = {.maker = maker, .options = &options, .source = 1};
    attempt_fn *const attempts[] = {one_search, new_handle, many, some};
    for (size_t f = 0; f < COUNT_OF(attempts); f++) { /* a new graph each: without its in-rows */
        t.roads = roads_from_zoo(maker, g, &o);
        fail_each_allocation(ctx, attempts[f], &t, MAY_DO_WITHOUT | (o.direction == MEGURI_DIRECTED ? MAY_KEEP : 0));
        roads_free(&t.roads);
    }
    t.roads = roads_from_zoo(maker, g, &o);
    assert_int_equal(meguri_sssp_search_new(&t.search, ctx, t.roads.subject.graph, &options), MEGURI_OK);
    fail_each_allocation(ctx, run_handle, &t, MAY_DO_WITHOUT | MAY_KEEP);
    for (t.source = 0; t.source < 3; t.source++) assert_int_equal(run_handle(ctx, &t), MEGURI_OK);
    meguri_sssp_search_free(t.search);
    roads_free(&t.roads);
    assert_int_equal(meguri_ctx_memory_used(ctx), 0);
}

static void every_allocation_fails(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(2), *maker = context_with(2);
    static const weighing kinds[] = {WEIGH_BYTES, WEIGH_FRACTION, WEIGH_WORDS, WEIGH_NONE};
    zoo_graph g;
    for (int index = 0; shape_get(&g, index, 300); index++) {
        weigh(&g, kinds[index % 4], 1);
        fail_everywhere(ctx, maker, &g, index);
        zoo_free(&g);
    }
    context_done(ctx);
    context_done(maker);
}

typedef struct trip {
    meguri_ctx *maker;
    const zoo_graph *shape;
    int direction;
    attempt_fn *attempt;
} trip;

static meguri_status travel_in_new_graph(meguri_ctx *ctx, void *what) {
    const trip *new = what;
    meguri_build_options o = {.size = sizeof o, .direction = (meguri_direction) new->direction};
    travel t = {.maker = new->maker, .roads = roads_from_zoo(new->maker, new->shape, &o), .source = 1};
    meguri_status status = new->attempt(ctx, &t);
    roads_free(&t.roads); /* and with it the in-rows */
    return status;
}

static void budgets_are_honoured(void **state) {
    (void)state;
    meguri_ctx *maker = context_with(2);
    zoo_graph g;
    assert_true(shape_get(&g, 12, 8000)); /* uniform */
    weigh(&g, WEIGH_SHORTS, 1);
    for (int turn = 0; turn < 6; turn++) {
        trip new = {maker, &g, 1 + turn % 2, turn < 2 ? one_search : turn < 4 ? many : some};
        try_budgets(10000, 50000000, 2, travel_in_new_graph, &new);
    }
    zoo_free(&g);
    context_done(maker);
}

/* ---- cancel ----------------------------------------------------------------------------------------------------- */

static void a_cancel_ends_a_search(void **state) {
    (void)state;
    for (size_t i = 0; i < THREAD_COUNTS; i++) {
        impatient user = {0};
        meguri_ctx *ctx = context_of(&user, thread_counts[i]);
        zoo_graph g = shape_kronecker(ctx, UNDER_TSAN || UNDER_ASAN ? 9 : 12, 16);
        weigh(&g, i % 2 ? WEIGH_FRACTION : WEIGH_BYTES, 1);
        for (int direction = MEGURI_DIRECTED; direction <= MEGURI_UNDIRECTED; direction++) {
            meguri_build_options o = {.size = sizeof o, .direction = (meguri_direction)direction};
            travel t = {.maker = ctx, .roads = roads_from_zoo(ctx, &g, &o)};
            uint64_t hub = plain_hub(&t.roads.subject.plain);
            t.source = hub;
            assert_int_equal(one_search(ctx, &t), MEGURI_OK); /* the graph keeps what searches share */
            uint64_t before = meguri_ctx_memory_used(ctx);
            assert_int_equal(meguri_sssp_search_new(&t.search, ctx, t.roads.subject.graph, NULL), MEGURI_OK);
            for (uint64_t turn = 0; turn < 3; turn++) {
                t.source = hub;
                user.keeps = true;
                cancel_at(ctx, &user, 1, NULL, run_handle, &t);
                t.source = turn;
                assert_int_equal(run_handle(ctx, &t), MEGURI_OK);
            }
            meguri_sssp_search_free(t.search);
            assert_int_equal(meguri_ctx_memory_used(ctx), before);
            t.source = hub;
            user.keeps = false;
            cancel_at(ctx, &user, 1, NULL, one_search, &t);
            cancel_at(ctx, &user, 1, NULL, many, &t);
            assert_int_equal(many(ctx, &t), MEGURI_OK);
            roads_free(&t.roads);
        }
        zoo_free(&g);
        context_done(ctx);
    }
}

static meguri_status very_many(meguri_ctx *ctx, void *graph) {
    enum { COUNT = 200000 };
    uint64_t taken = 0, *sources = calloc(COUNT, sizeof *sources);
    assert_non_null(sources);
    meguri_status status = meguri_sssp_many(ctx, graph, sources, COUNT, NULL, count_one, &taken);
    assert_true(taken < COUNT); /* all of them take minutes */
    free(sources);
    return status;
}

/* Many searches end when the user says so, not at their end. */
static void many_are_cancelled_underway(void **state) {
    (void)state;
    for (size_t t = 0; t < THREAD_COUNTS; t++) {
        impatient user = {0};
        meguri_ctx *ctx = context_of(&user, thread_counts[t]);
        zoo_graph g;
        assert_true(shape_get(&g, 11, 10000)); /* a grid */
        weigh(&g, WEIGH_BYTES, 1);
        meguri_build_options o = {.size = sizeof o, .direction = MEGURI_UNDIRECTED};
        meguri_graph *graph;
        assert_int_equal(zoo_build(&graph, ctx, &g, &o), MEGURI_OK);
        cancel_at(ctx, &user, 4, NULL, very_many, graph);
        meguri_graph_free(graph);
        zoo_free(&g);
        context_done(ctx);
    }
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
