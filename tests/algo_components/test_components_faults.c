/* Components that cannot be found: allocations that fail in turn, a budget that is too small, a user who has had
 * enough. A clear status, nothing leaked, and the same call succeeds afterwards. */
#define _GNU_SOURCE
#include "algo_components/parting.h"
#include "support/checks.h"

#include "base/base.h"

#include <meguri.h>

/* ---- memory ----------------------------------------------------------------------------------------------------- */

static meguri_status find(meguri_ctx *ctx, const subject *s, const parts *right) {
    meguri_result *result = (meguri_result *)1;
    meguri_status status = meguri_components(&result, ctx, s->graph, NULL);
    mg_memory_fail_at(ctx, 0); /* not while the result is looked at */
    if (status != MEGURI_OK) assert_null(result);
    else check_parts_result(ctx, s, right, result);
    meguri_result_free(status == MEGURI_OK ? result : NULL);
    return status;
}

static meguri_status check(meguri_ctx *ctx, const subject *s, const parts *right) {
    return mg_components_check(ctx, s->graph, right->component);
}

static uint64_t with_every_failure(meguri_ctx *ctx, const subject *s, const parts *right,
                                   meguri_status (*function)(meguri_ctx *, const subject *, const parts *)) {
    uint64_t before = meguri_ctx_memory_used(ctx);
    for (uint64_t k = 1;; k++) {
        mg_memory_fail_at(ctx, k);
        meguri_status status = function(ctx, s, right);
        mg_memory_fail_at(ctx, 0);
        assert_int_equal(meguri_ctx_memory_used(ctx), before);
        if (status == MEGURI_OK) return k - 1;
        assert_int_equal(status, MEGURI_NO_MEMORY);
        assert_non_null(strstr(meguri_ctx_error(ctx), "not enough memory for"));
    }
}

static void every_allocation_fails(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(2);
    zoo_graph g;
    uint64_t most = 0;
    for (int index = 0; shape_get(&g, index, 500); index++) {
        for (int turn = 0; turn < 4; turn++) {
            meguri_build_options o = {.size = sizeof o, .direction = 1 + turn % 2, .order = 1 + (index + turn) % 3};
            subject s = subject_from_zoo(ctx, &g, &o);
            parts right = parts_of(&s.plain);
            uint64_t failures = with_every_failure(ctx, &s, &right, find);
            assert_true(failures >= 4);
            most = MG_MAX(most, failures);
            assert_int_equal(with_every_failure(ctx, &s, &right, check), 1);
            parts_free(&right);
            subject_free(&s);
        }
        zoo_free(&g);
    }
    assert_true(most >= 6); /* pairs have no giant, so sizes are counted */
    context_done(ctx);
}

/* Whatever the budget, it stays within it or says that it cannot. */
static void budgets_are_honoured(void **state) {
    (void)state;
    meguri_ctx *maker = context_with(2);
    zoo_graph g;
    int refused = 0, done = 0;
    assert_true(shape_get(&g, 4, 20000)); /* pairs */
    for (uint64_t budget = 10000; budget < 20000000; budget *= 2) {
        meguri_build_options o = {.size = sizeof o, .direction = 1 + (meguri_direction)(budget / 10000 % 3 == 1)};
        subject s = subject_from_zoo(maker, &g, &o);
        parts right = parts_of(&s.plain);
        meguri_ctx *ctx;
        meguri_ctx_options c = {.size = sizeof c, .threads = 2, .memory = budget};
        assert_int_equal(meguri_ctx_new(&ctx, &c), MEGURI_OK);
        meguri_status status = find(ctx, &s, &right);
        assert_true(meguri_ctx_memory_peak(ctx) <= budget);
        if (status != MEGURI_OK) {
            assert_int_equal(status, MEGURI_NO_MEMORY);
            assert_non_null(strstr(meguri_ctx_error(ctx), "budget of"));
        }
        refused += status != MEGURI_OK;
        done += status == MEGURI_OK;
        context_done(ctx);
        parts_free(&right);
        subject_free(&s);
    }
    assert_true(refused >= 2 && done >= 2);
    zoo_free(&g);
    context_done(maker);
}

/* ---- cancel ----------------------------------------------------------------------------------------------------- */

/* Cancels when a phase of this name is reported; "" is any, NULL none. */
typedef struct user {
    const char *phase;
    int calls;
} user;

static int progress(void *data, const char *phase, uint64_t done, uint64_t total) {
    user *u = data;
    u->calls++;
    assert_true(done <= total);
    return u->phase && (!*u->phase || strcmp(u->phase, phase) == 0);
}

static void a_cancel_ends_it(void **state) {
    (void)state;
    for (size_t t = 0; t < THREAD_COUNTS; t++) {
        user u = {0};
        meguri_ctx *ctx;
        meguri_ctx_options options = {.size = sizeof options,
                                      .threads = thread_counts[t],
                                      .memory = (uint64_t)1 << 30,
                                      .progress = progress,
                                      .progress_user = &u};
        assert_int_equal(meguri_ctx_new(&ctx, &options), MEGURI_OK);
        zoo_graph g = shape_kronecker(ctx, 12, 4);
        for (int direction = MEGURI_DIRECTED; direction <= MEGURI_UNDIRECTED; direction++) {
            meguri_build_options o = {.size = sizeof o, .direction = (meguri_direction)direction};
            subject s = subject_from_zoo(ctx, &g, &o);
            parts right = parts_of(&s.plain);
            uint64_t before = meguri_ctx_memory_used(ctx);
            u.phase = "";
            assert_int_equal(find(ctx, &s, &right), MEGURI_CANCELLED);
            assert_string_equal(meguri_ctx_error(ctx), "interrupted.");
            assert_int_equal(check(ctx, &s, &right), MEGURI_CANCELLED);
            assert_string_equal(meguri_ctx_error(ctx), "interrupted.");
            assert_int_equal(meguri_ctx_memory_used(ctx), before);
            u.phase = NULL;
            assert_int_equal(find(ctx, &s, &right), MEGURI_OK);
            parts_free(&right);
            subject_free(&s);
        }
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
