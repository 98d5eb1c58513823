/* Runs that cannot end: allocations that fail in turn, a user who has had enough. A clear status, nothing leaked, and
 * the same call succeeds afterwards. */
#define _GNU_SOURCE
#include "algo_betweenness/between.h"
#include "support/checks.h"
#include "support/faults.h"

#include <meguri.h>

typedef struct scoring {
    meguri_ctx *maker;
    const subject *subject;
    const meguri_betweenness_options *options;
    double *right;
} scoring;

static meguri_status score(meguri_ctx *ctx, void *what) {
    const scoring *s = what;
    meguri_result *result = (meguri_result *)1;
    meguri_status status = meguri_betweenness(&result, ctx, s->subject->graph, s->options);
    if (status != MEGURI_OK) assert_null(result);
    else
        assert_int_equal(mg_betweenness_check(s->maker, s->subject->graph,
                                              scores_of(result, s->subject->plain.vertices), s->options),
                         MEGURI_OK);
    meguri_result_free(result);
    return status;
}

static meguri_status check(meguri_ctx *ctx, void *what) {
    const scoring *s = what;
    return mg_betweenness_check(ctx, s->subject->graph, s->right, s->options);
}

static void every_allocation_fails(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(2), *maker = context_with(2);
    zoo_graph g;
    attempt_fn *const attempts[] = {score, check};
    for (int index = 0; shape_get(&g, index, 130); index++) {
        meguri_build_options o = {.size = sizeof o, .direction = 1 + index % 2, .order = 1 + index % 3};
        for (size_t f = 0; f < COUNT_OF(attempts); f++) { /* a new graph each: without its in-rows */
            subject s = between_subject(maker, &g, &o);
            scoring what = {maker, &s, NULL, between_all(&s.plain, o.direction == MEGURI_DIRECTED)};
            int may = MAY_DO_WITHOUT | (o.direction == MEGURI_DIRECTED ? MAY_KEEP : 0); /* fewer sources at once */
            assert_true(fail_each_allocation(ctx, attempts[f], &what, may) >= 5);
            check_scores(maker, &s, NULL, what.right, false);
            free(what.right);
            subject_free(&s);
        }
        zoo_free(&g);
    }
    context_done(ctx);
    context_done(maker);
}

static void a_cancel_ends_it(void **state) {
    (void)state;
    for (size_t t = 0; t < THREAD_COUNTS; t++)
        for (int direction = MEGURI_DIRECTED; direction <= MEGURI_UNDIRECTED; direction++) {
            impatient user = {0};
            meguri_ctx *ctx = context_of(&user, thread_counts[t]);
            zoo_graph g = shape_kronecker(ctx, 14, 16); /* from all vertices it would take minutes */
            meguri_build_options o = {.size = sizeof o, .direction = (meguri_direction)direction};
            subject s = {.plain.vertices = g.vertices};
            assert_int_equal(zoo_build(&s.graph, ctx, &g, &o), MEGURI_OK);
            meguri_betweenness_options one = {.size = sizeof one, .count = 1, .seed = 1};
            scoring all = {ctx, &s, NULL, calloc(g.vertices, sizeof(double))}, single = {ctx, &s, &one, NULL};
            assert_int_equal(score(ctx, &single), MEGURI_OK); /* makes the in-rows */
            for (uint64_t report = 1; report < 6; report += 2) {
                cancel_at(ctx, &user, report, "betweenness", score, &all);
                cancel_at(ctx, &user, report, "check", check, &all);
            }
            assert_int_equal(score(ctx, &single), MEGURI_OK);
            free(all.right);
            meguri_graph_free(s.graph);
            zoo_free(&g);
            context_done(ctx);
        }
}

/* Less and less memory: fewer sources at once, then a clear refusal; never a wrong answer. */
static void a_budget_is_kept(void **state) {
    (void)state;
    meguri_ctx *maker = context_with(2);
    zoo_graph g = shape_kronecker(maker, 11, 8);
    meguri_build_options o = {.size = sizeof o, .direction = MEGURI_UNDIRECTED};
    subject s = {.plain.vertices = g.vertices};
    assert_int_equal(zoo_build(&s.graph, maker, &g, &o), MEGURI_OK);
    meguri_betweenness_options some = {.size = sizeof some, .count = 20, .seed = 1};
    try_budgets(1 << 12, 1 << 20, 4. / 3, score, &(scoring){maker, &s, &some, NULL});
    meguri_graph_free(s.graph);
    zoo_free(&g);
    context_done(maker);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_fails),
        cmocka_unit_test(a_cancel_ends_it),
        cmocka_unit_test(a_budget_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
