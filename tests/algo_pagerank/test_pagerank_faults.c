/* Rankings that cannot end: allocations that fail in turn, a budget that is too small, a user who has had enough. A
 * clear status, nothing leaked, and the same call succeeds afterwards. */
#define _GNU_SOURCE
#include "algo_pagerank/ranking.h"
#include "support/checks.h"
#include "support/faults.h"

#include <meguri.h>

static const meguri_pagerank_options six = {.size = sizeof six, .tiles = 1, .iterations = 6, .damping = 0.85};

typedef struct ranking {
    meguri_ctx *maker;
    const meguri_pagerank_options *options;
    subject subject;
    double *right;
} ranking;

static ranking begin(meguri_ctx *maker, const zoo_graph *g, int direction) {
    meguri_build_options o = {.size = sizeof o, .direction = (meguri_direction)direction};
    ranking r = {.maker = maker, .options = &six, .subject = ranked_from_zoo(maker, g, &o)};
    double change;
    r.right = plain_ranks(&r.subject.plain, 0.85, 6, &change);
    return r;
}

static void end(ranking *r) {
    free(r->right);
    subject_free(&r->subject);
}

static meguri_status rank(meguri_ctx *ctx, void *what) {
    const ranking *r = what;
    meguri_result *result = (meguri_result *)1;
    meguri_status status = meguri_pagerank(&result, ctx, r->subject.graph, r->options);
    if (status != MEGURI_OK) assert_null(result);
    else {
        const double *ranks = ranks_of(result, r->subject.plain.vertices);
        assert_int_equal(mg_pagerank_check(r->maker, r->subject.graph, ranks, r->options), MEGURI_OK);
    }
    meguri_result_free(result);
    return status;
}

static meguri_status check(meguri_ctx *ctx, void *what) {
    const ranking *r = what;
    return mg_pagerank_check(ctx, r->subject.graph, r->right, r->options);
}

static void every_allocation_fails(void **state) {
    (void)state;
    static const struct {
        attempt_fn *attempt;
        uint64_t least;
    } cases[] = {{rank, 11}, {check, 5}};
    meguri_ctx *ctx = context_with(2), *maker = context_with(2);
    zoo_graph g = shape_of_strips(3000, 3, 9);
    for (int direction = MEGURI_DIRECTED; direction <= MEGURI_UNDIRECTED; direction++)
        for (size_t i = 0; i < COUNT_OF(cases); i++) { /* a new graph each: without its in-rows */
            ranking r = begin(maker, &g, direction);
            int may = direction == MEGURI_DIRECTED ? MAY_KEEP : LEAVES_NOTHING;
            assert_true(fail_each_allocation(ctx, cases[i].attempt, &r, may) >= cases[i].least);
            check_ranking(NULL, ctx, &r.subject, &six);
            end(&r);
            assert_int_equal(meguri_ctx_memory_used(ctx), 0);
        }
    zoo_free(&g);
    context_done(ctx);
    context_done(maker);
}

/* Whatever the budget: within it, without tiles if need be, or a sentence. */
static void budgets_are_honoured(void **state) {
    (void)state;
    meguri_ctx *maker = context_with(2);
    zoo_graph g = shape_of_strips(20000, 30, 9);
    ranking r = begin(maker, &g, MEGURI_UNDIRECTED);
    budgets seen = try_budgets(10000, 20000000, 1.25, rank, &r);
    assert_true(seen.refused > 3 && seen.done > 3);
    assert_true(seen.most_peak > seen.least_peak + 100000); /* tiles, where there was room for them */
    end(&r);
    zoo_free(&g);
    context_done(maker);
}

static void a_cancel_ends_it(void **state) {
    (void)state;
    /* More than anybody waits for: it ends when the user says so. */
    static const meguri_pagerank_options forever = {
        .size = sizeof forever, .tiles = 1, .iterations = 100000000, .damping = 0.85};
    for (size_t t = 0; t < THREAD_COUNTS; t++) {
        impatient user = {0};
        meguri_ctx *ctx = context_of(&user, thread_counts[t]);
        zoo_graph g = shape_of_strips(70000, 10, 9);
        ranking r = begin(ctx, &g, MEGURI_UNDIRECTED);
        r.options = &forever;
        for (uint64_t report = 1; report < 4; report++) {
            cancel_at(ctx, &user, report, "pagerank", rank, &r);
            cancel_at(ctx, &user, report, "check", check, &r);
        }
        check_ranking(NULL, ctx, &r.subject, &six);
        end(&r);
        zoo_free(&g);
        context_done(ctx);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_fails),
        cmocka_unit_test(budgets_are_honoured),
        cmocka_unit_test(a_cancel_ends_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
