/* Searches that cannot end: allocations that fail in turn, a budget that is too small, a user who has had enough. A
 * clear status, nothing leaked, and the same call succeeds afterwards. */
#define _GNU_SOURCE
#include "algo_bfs/searching.h"
#include "support/checks.h"
#include "support/faults.h"

#include <meguri.h>

typedef struct searching {
    meguri_ctx *maker;
    const zoo_graph *shape;
    meguri_build_options build;
    subject subject;
    meguri_bfs_options options;
    uint64_t source;
    meguri_bfs_search *search;
    answer right;
} searching;

static meguri_status one_search(meguri_ctx *ctx, void *what) {
    const searching *s = what;
    meguri_result *result = (meguri_result *)1;
    meguri_status status = meguri_bfs(&result, ctx, s->subject.graph, s->source, &s->options);
    if (status != MEGURI_OK) assert_null(result);
    else check_result(s->maker, &s->subject, s->source, &s->options, result);
    meguri_result_free(result);
    return status;
}

static meguri_status new_handle(meguri_ctx *ctx, void *what) {
    const searching *s = what;
    meguri_bfs_search *search = (meguri_bfs_search *)1;
    meguri_status status = meguri_bfs_search_new(&search, ctx, s->subject.graph, &s->options);
    if (status != MEGURI_OK) assert_null(search);
    meguri_bfs_search_free(search);
    return status;
}

static meguri_status run_handle(meguri_ctx *ctx, void *what) {
    const searching *s = what;
    const meguri_result *result = (meguri_result *)1;
    meguri_status status = meguri_bfs_search_run(&result, ctx, s->search, s->source);
    if (status != MEGURI_OK) assert_null(result);
    else check_result(s->maker, &s->subject, s->source, &s->options, result);
    return status;
}

static meguri_status check(meguri_ctx *ctx, void *what) {
    const searching *s = what;
    return mg_bfs_check(ctx, s->subject.graph, s->source, s->right.level, s->right.parent,
                        mg_levels_within(s->options.max_depth));
}

/* ---- memory ----------------------------------------------------------------------------------------------------- */

static void fail_everywhere(meguri_ctx *ctx, searching *s) {
    static const struct {
        attempt_fn *attempt;
        uint64_t least;
    } cases[] = {{one_search, 5}, {new_handle, 5}, {check, 1}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) { /* a new graph each: without its in-rows */
        s->subject = subject_from_zoo(s->maker, s->shape, &s->build);
        s->right = plain_search(&s->subject.plain, s->source, 0);
        int may = s->build.direction == MEGURI_DIRECTED ? MAY_KEEP : LEAVES_NOTHING;
        assert_true(fail_each_allocation(ctx, cases[i].attempt, s, may) >= cases[i].least);
        answer_free(&s->right);
        subject_free(&s->subject);
    }
    s->subject = subject_from_zoo(s->maker, s->shape, &s->build);
    assert_int_equal(meguri_bfs_search_new(&s->search, ctx, s->subject.graph, &s->options), MEGURI_OK);
    fail_each_allocation(ctx, run_handle, s, MAY_KEEP);
    for (uint64_t source = 0; source < 3; source++) {
        s->source = source;
        assert_int_equal(run_handle(ctx, s), MEGURI_OK);
    }
    meguri_bfs_search_free(s->search);
    subject_free(&s->subject);
    assert_int_equal(meguri_ctx_memory_used(ctx), 0);
}

static void every_allocation_fails(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(2), *maker = context_with(2);
    zoo_graph g;
    for (int index = 0; shape_get(&g, index, 500); index++) {
        for (int turn = 0; turn < 4; turn++) {
            searching s = {.maker = maker, .shape = &g, .options = way_options((index + 2 * turn) % WAYS), .source = 1};
            s.build = (meguri_build_options){
                .size = sizeof s.build, .direction = 1 + turn % 2, .order = 1 + (index + turn) % 3};
            fail_everywhere(ctx, &s);
        }
        zoo_free(&g);
    }
    context_done(ctx);
    context_done(maker);
}

static meguri_status search_in_new_graph(meguri_ctx *ctx, void *what) {
    searching *s = what;
    s->subject = subject_from_zoo(s->maker, s->shape, &s->build);
    meguri_status status = one_search(ctx, s);
    subject_free(&s->subject); /* and with it the in-rows */
    return status;
}

static void budgets_are_honoured(void **state) {
    (void)state;
    meguri_ctx *maker = context_with(2);
    zoo_graph g;
    assert_true(shape_get(&g, 12, 20000)); /* uniform */
    for (int turn = 0; turn < 4; turn++) {
        searching s = {.maker = maker, .shape = &g, .options = way_options(turn / 2 * 3), .source = 3};
        s.build = (meguri_build_options){.size = sizeof s.build, .direction = 1 + turn % 2};
        try_budgets(10000, 20000000, 2, search_in_new_graph, &s);
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
    expect_failure(ctx, mg_bfs_check(ctx, s.graph, 0, right.level, NULL, 0), MEGURI_NO_MEMORY,
                   "not enough memory for checking a search");
    context_done(ctx);
    answer_free(&right);
    subject_free(&s);
    zoo_free(&g);
    context_done(maker);
}

/* ---- cancel ----------------------------------------------------------------------------------------------------- */

static void a_cancel_ends_a_search(void **state) {
    (void)state;
    for (size_t t = 0; t < THREAD_COUNTS; t++) {
        impatient user = {0};
        meguri_ctx *ctx = context_of(&user, thread_counts[t]);
        zoo_graph g = shape_kronecker(ctx, 14, 16);
        for (int direction = MEGURI_DIRECTED; direction <= MEGURI_UNDIRECTED; direction++) {
            meguri_build_options o = {.size = sizeof o, .direction = (meguri_direction)direction};
            searching s = {.maker = ctx, .subject = subject_from_zoo(ctx, &g, &o)};
            for (int way = 0; way < 4; way++) {
                s.options = way_options(way);
                assert_int_equal(meguri_bfs_search_new(&s.search, ctx, s.subject.graph, &s.options), MEGURI_OK);
                for (uint64_t turn = 0; turn < 3; turn++) {
                    s.source = turn;
                    assert_int_equal(run_handle(ctx, &s), MEGURI_OK);
                    s.source = 2;
                    cancel_at(ctx, &user, 1, "bfs", run_handle, &s);
                }
                assert_int_equal(run_handle(ctx, &s), MEGURI_OK);
                meguri_bfs_search_free(s.search);
                cancel_at(ctx, &user, 1, "bfs", one_search, &s);
            }
            subject_free(&s.subject);
        }
        zoo_free(&g);
        context_done(ctx);
    }
}

/* A search that takes long: a pull of every level of a long path. It ends when the user says so, not at its end. */
static void a_long_search_is_cancelled_underway(void **state) {
    (void)state;
    for (size_t t = 0; t < THREAD_COUNTS; t++) {
        impatient user = {0};
        meguri_ctx *ctx = context_of(&user, thread_counts[t]);
        zoo_graph g;
        assert_true(shape_get(&g, 0, 400000));
        meguri_build_options o = {.size = sizeof o, .direction = MEGURI_UNDIRECTED, .order = 1 + (meguri_order)t};
        searching s = {.options = way_options(MEGURI_BFS_PULL)};
        assert_int_equal(zoo_build(&s.subject.graph, ctx, &g, &o), MEGURI_OK);
        cancel_at(ctx, &user, 4, "bfs", one_search, &s); /* a whole search takes minutes */
        meguri_graph_free(s.subject.graph);
        zoo_free(&g);
        context_done(ctx);
    }
}

/* While parents are followed up a long path, and in the other sweeps. */
static void a_cancel_ends_a_check(void **state) {
    (void)state;
    for (size_t t = 0; t < THREAD_COUNTS; t++) {
        impatient user = {0};
        meguri_ctx *ctx = context_of(&user, thread_counts[t]);
        zoo_graph g;
        assert_true(shape_get(&g, 0, 100000));
        meguri_build_options o = {.size = sizeof o, .direction = MEGURI_UNDIRECTED};
        searching s = {.subject = subject_from_zoo(ctx, &g, &o), .options = way_options(0)};
        answer right = plain_search(&s.subject.plain, 0, 0);
        for (int turn = 0; turn < 3; turn++) {
            s.right = (answer){.level = turn != 1 ? right.level : NULL, .parent = turn != 2 ? right.parent : NULL};
            cancel_at(ctx, &user, 1, "check", check, &s);
            s.right = right;
            assert_int_equal(check(ctx, &s), MEGURI_OK);
        }
        answer_free(&right);
        subject_free(&s.subject);
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
