/* Rankings that cannot end: allocations that fail in turn, a budget that is too small, a user who has had enough. A
 * clear status, nothing leaked, and the same call succeeds afterwards. */
#define _GNU_SOURCE
#include "algo_pagerank/ranking.h"
#include "support/checks.h"

#include <meguri.h>

static const meguri_pagerank_options six = {.size = sizeof six, .iterations = 6};

static void every_allocation_fails(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(2);
    zoo_graph g = shape_of_strips(3000, 3, 9);
    for (int direction = MEGURI_DIRECTED; direction <= MEGURI_UNDIRECTED; direction++)
        for (int checking = 0; checking < 2; checking++) {
            meguri_build_options o = {.size = sizeof o, .direction = (meguri_direction)direction};
            subject s = ranked_from_zoo(ctx, &g, &o);
            double change, *right = plain_ranks(&s.plain, 0.85, 6, &change);
            uint64_t k = 1, before = meguri_ctx_memory_used(ctx);
            for (meguri_status status = MEGURI_NO_MEMORY; status != MEGURI_OK; k++) {
                meguri_result *result = (meguri_result *)1;
                mg_memory_fail_at(ctx, k);
                status = checking ? mg_pagerank_check(ctx, s.graph, right, &six)
                                  : meguri_pagerank(&result, ctx, s.graph, &six);
                mg_memory_fail_at(ctx, 0);
                if (status != MEGURI_OK) {
                    assert_int_equal(status, MEGURI_NO_MEMORY);
                    assert_non_null(strstr(meguri_ctx_error(ctx), "not enough memory for"));
                    /* In-rows that were made before the failure stay. */
                    if (direction == MEGURI_UNDIRECTED) assert_int_equal(meguri_ctx_memory_used(ctx), before);
                }
                if (!checking && status != MEGURI_OK) assert_null(result);
                if (!checking && status == MEGURI_OK) meguri_result_free(result);
            }
            assert_true(k > (checking ? 6 : 12));
            check_ranking(NULL, ctx, &s, &six);
            free(right);
            subject_free(&s);
            assert_int_equal(meguri_ctx_memory_used(ctx), 0);
        }
    zoo_free(&g);
    context_done(ctx);
}

/* Whatever the budget: within it, without tiles if need be, or a sentence. */
static void budgets_are_honoured(void **state) {
    (void)state;
    meguri_ctx *maker = context_with(2);
    zoo_graph g = shape_of_strips(20000, 30, 9);
    meguri_build_options o = {.size = sizeof o, .direction = MEGURI_UNDIRECTED};
    subject s = ranked_from_zoo(maker, &g, &o);
    int refused = 0, done = 0;
    uint64_t least_peak = UINT64_MAX, most_peak = 0;
    for (uint64_t budget = 10000; budget < 20000000; budget += budget / 4) {
        meguri_ctx *ctx;
        meguri_ctx_options c = {.size = sizeof c, .threads = 2, .memory = budget};
        assert_int_equal(meguri_ctx_new(&ctx, &c), MEGURI_OK);
        meguri_result *result;
        meguri_status status = meguri_pagerank(&result, ctx, s.graph, &six);
        uint64_t peak = meguri_ctx_memory_peak(ctx);
        assert_true(peak <= budget);
        if (status == MEGURI_OK) {
            const double *rank = ranks_of(result, g.vertices);
            assert_int_equal(mg_pagerank_check(maker, s.graph, rank, &six), MEGURI_OK);
            least_peak = MG_MIN(least_peak, peak);
            most_peak = MG_MAX(most_peak, peak);
            meguri_result_free(result);
            done++;
        } else {
            assert_int_equal(status, MEGURI_NO_MEMORY);
            assert_non_null(strstr(meguri_ctx_error(ctx), "budget of"));
            refused++;
        }
        context_done(ctx);
    }
    assert_true(refused > 3 && done > 3);
    assert_true(most_peak > least_peak + 100000); /* tiles, where there was room for them */
    subject_free(&s);
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

static void a_cancel_ends_it(void **state) {
    (void)state;
    for (size_t t = 0; t < THREAD_COUNTS; t++) {
        user u = {.patience = -1};
        meguri_ctx *ctx;
        meguri_ctx_options c = {.size = sizeof c,
                                .threads = thread_counts[t],
                                .memory = (uint64_t)1 << 30,
                                .progress = progress,
                                .progress_user = &u};
        assert_int_equal(meguri_ctx_new(&ctx, &c), MEGURI_OK);
        zoo_graph g = shape_of_strips(70000, 10, 9);
        meguri_build_options o = {.size = sizeof o, .direction = MEGURI_UNDIRECTED};
        subject s = ranked_from_zoo(ctx, &g, &o);
        /* More than anybody waits for: it ends when the user says so. */
        meguri_pagerank_options forever = {.size = sizeof forever, .iterations = 100000000};
        uint64_t before = meguri_ctx_memory_used(ctx);
        double change, *right = plain_ranks(&s.plain, 0.85, 6, &change);
        for (int patience = 0; patience < 4; patience++) {
            meguri_result *result = (meguri_result *)1;
            u.patience = patience;
            double begin = mg_now();
            assert_int_equal(meguri_pagerank(&result, ctx, s.graph, &forever), MEGURI_CANCELLED);
            assert_true(mg_now() - begin < 10); /* three reports, 20 ms apart */
            assert_null(result);
            assert_string_equal(meguri_ctx_error(ctx), "interrupted.");
            assert_string_equal(u.phase, "pagerank");
            assert_int_equal(meguri_ctx_memory_used(ctx), before);
            u.patience = patience;
            assert_int_equal(mg_pagerank_check(ctx, s.graph, right, &forever), MEGURI_CANCELLED);
            assert_string_equal(meguri_ctx_error(ctx), "interrupted.");
            assert_string_equal(u.phase, "check");
            assert_int_equal(meguri_ctx_memory_used(ctx), before);
        }
        u.patience = -1;
        check_ranking(NULL, ctx, &s, &six);
        free(right);
        subject_free(&s);
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
