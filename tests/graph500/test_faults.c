/* Every allocation of the benchmark and of the validator failing in turn, budgets that are too small, and a cancel in
 * every phase: a clear status, nothing leaked. */
#define _GNU_SOURCE
#include "graph500/lists.h"
#include "support/faults.h"
#include "support/sanitized.h"
#include <meguri/extra/graph500.h>

static meguri_status run(meguri_ctx *ctx, void *options) {
    meguri_graph500_report *report = (meguri_graph500_report *)1;
    meguri_status status = meguri_graph500(&report, ctx, options);
    if (status != MEGURI_OK) assert_null(report);
    meguri_graph500_report_free(report);
    return status;
}

static void every_allocation_of_the_run_fails_once(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(2);
    for (uint32_t way = 0; way < 4; way++) {
        meguri_graph500_options o = {.size = sizeof o, .scale = 6, .roots = 4, .validate = !(way % 2)};
        if (way / 2) o.kernels = MEGURI_GRAPH500_BFS | MEGURI_GRAPH500_SSSP;
        assert_true(fail_each_allocation(ctx, run, &o, way / 2 ? MAY_DO_WITHOUT : LEAVES_NOTHING) >= 10);
    }
    context_done(ctx);
}

static void the_validator_has_no_memory(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(2);
    static const uint32_t pairs[] = {0, 1}, parent[] = {0, 0};
    mg_memory_fail_at(ctx, 1);
    assert_int_equal(meguri_graph500_validate(NULL, ctx, pairs, 1, 2, 0, parent, NULL), MEGURI_NO_MEMORY);
    static const float weights[] = {1};
    static const double distance[] = {0, 1};
    for (uint64_t k = 1; k <= 2; k++) {
        mg_memory_fail_at(ctx, k);
        assert_int_equal(meguri_graph500_validate_sssp(NULL, ctx, pairs, weights, 1, 2, 0, parent, distance),
                         MEGURI_NO_MEMORY);
    }
    mg_memory_fail_at(ctx, 0);
    context_done(ctx);
}

static void budgets_too_small(void **state) {
    (void)state;
    for (uint32_t sssp = 0; sssp < 2; sssp++) {
        meguri_graph500_options o = {.size = sizeof o, .validate = 1, .scale = 14, .roots = 2};
        o.kernels = MEGURI_GRAPH500_BFS | (sssp ? MEGURI_GRAPH500_SSSP : 0);
        budgets seen = try_budgets(1000, 64000000 + 1600000, 4, run, &o);
        assert_true(seen.least_done >= 2000000); /* the edge list alone */
        assert_true(seen.most_refused <= 16400000);
    }
}

/* ---- cancel ----------------------------------------------------------------------------------------------------- */

static void cancelled_in_every_phase(void **state) {
    (void)state;
    static const char *const phases[] = {"generating", "sampling roots", "bfs", "sssp", "validating"};
    impatient user = {0};
    meguri_ctx *ctx = context_of(&user, 2);
    meguri_graph500_options o = {.size = sizeof o, .validate = 1, .scale = UNDER_TSAN ? 12 : 16, .roots = 8};
    o.kernels = MEGURI_GRAPH500_BFS | MEGURI_GRAPH500_SSSP;
    for (size_t i = 0; i < COUNT_OF(phases); i++) {
        user.only = phases[i];
        cancel_at(ctx, &user, 1, phases[i], run, &o);
    }
    for (uint64_t report = 1; report <= 12; report++) {
        user = (impatient){.enough = report};
        meguri_status status = run(ctx, &o);
        assert_int_equal(status, user.since > 0 ? MEGURI_CANCELLED : MEGURI_OK);
        assert_int_equal(meguri_ctx_memory_used(ctx), 0);
    }
    o.validate = !(1);
    user = (impatient){.enough = 1, .only = "counting degrees"};
    meguri_status status = run(ctx, &o);
    assert_int_equal(status, user.since > 0 ? MEGURI_CANCELLED : MEGURI_OK);
    context_done(ctx);
}

/* A climb along a path as long as the graph is stopped, too, and not begun again for each vertex of a piece. */
static void a_long_climb_is_cancelled(void **state) {
    (void)state;
    const uint32_t n = 1 << 18;
    uint32_t *pairs = malloc(n * 8), *parent = malloc(n * 4);
    assert_true(pairs && parent);
    for (uint32_t v = 0; v < n; v++) { /* the root is the last: the first climb is over all */
        pairs[2 * v] = v;
        pairs[2 * v + 1] = parent[v] = MG_MIN(v + 1, n - 1);
    }
    impatient user = {.enough = 10};
    meguri_ctx *ctx = context_of(&user, 2);
    meguri_status status = meguri_graph500_validate(NULL, ctx, pairs, n, n, n - 1, parent, NULL);
    assert_int_equal(status, user.since > 0 ? MEGURI_CANCELLED : MEGURI_OK);
    user = (impatient){.enough = 1};
    assert_int_equal(meguri_graph500_validate(NULL, ctx, pairs, n, n, n - 1, parent, NULL), MEGURI_CANCELLED);
    context_done(ctx);
    free(pairs);
    free(parent);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_of_the_run_fails_once),
        cmocka_unit_test(the_validator_has_no_memory),
        cmocka_unit_test(budgets_too_small),
        cmocka_unit_test(cancelled_in_every_phase),
        cmocka_unit_test(a_long_climb_is_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
