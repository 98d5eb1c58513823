/* Every allocation of the benchmark and of the validator failing in turn, budgets that are too small, and a cancel in
 * every phase: a clear status, nothing leaked. */
#define _GNU_SOURCE
#include "graph500/lists.h"
#include "support/sanitized.h"

static void every_allocation_of_the_run_fails_once(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(2);
    for (uint32_t way = 0; way < 4; way++) {
        meguri_graph500_options o = {.size = sizeof o, .scale = 6, .roots = 4, .no_validation = way % 2};
        if (way / 2) o.kernels = MEGURI_GRAPH500_BFS | MEGURI_GRAPH500_SSSP;
        meguri_graph500_report *report;
        uint64_t k = 1;
        for (;; k++) {
            mg_memory_fail_at(ctx, k);
            meguri_status status = meguri_graph500(&report, ctx, &o);
            mg_memory_fail_at(ctx, 0);
            if (status == MEGURI_OK) break;
            assert_int_equal(status, MEGURI_NO_MEMORY);
            assert_null(report);
            assert_non_null(strstr(meguri_ctx_error(ctx), "not enough memory for"));
            assert_int_equal(meguri_ctx_memory_used(ctx), 0);
        }
        assert_true(k > 10);
        meguri_graph500_report_free(report);
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

static void budgets_too_small_for(uint32_t kernels) {
    for (uint64_t memory = 1000; memory < 64000000; memory *= 4) {
        meguri_ctx *ctx;
        meguri_ctx_options options = {.size = sizeof options, .threads = 2, .memory = memory};
        assert_int_equal(meguri_ctx_new(&ctx, &options), MEGURI_OK);
        meguri_graph500_options o = {.size = sizeof o, .scale = 14, .roots = 2, .kernels = kernels};
        meguri_graph500_report *report;
        meguri_status status = meguri_graph500(&report, ctx, &o);
        if (memory < 2000000) assert_int_equal(status, MEGURI_NO_MEMORY); /* the edge list alone */
        if (memory > 16000000) assert_int_equal(status, MEGURI_OK);
        assert_true(status == MEGURI_OK || status == MEGURI_NO_MEMORY);
        assert_true(meguri_ctx_memory_peak(ctx) <= memory);
        meguri_graph500_report_free(report);
        context_done(ctx);
    }
}

static void budgets_too_small(void **state) {
    (void)state;
    budgets_too_small_for(MEGURI_GRAPH500_BFS);
    budgets_too_small_for(MEGURI_GRAPH500_BFS | MEGURI_GRAPH500_SSSP);
}

/* ---- cancel ----------------------------------------------------------------------------------------------------- */

typedef struct canceller {
    const char *phase; /* NULL: any */
    uint64_t calls, after;
} canceller;

static int cancel_in_phase(void *user, const char *phase, uint64_t done, uint64_t total) {
    canceller *c = user;
    assert_true(total == 0 || done <= total);
    return (!c->phase || strcmp(phase, c->phase) == 0) && c->calls++ >= c->after;
}

static void cancelled_in_every_phase(void **state) {
    (void)state;
    static const char *const phases[] = {"generating", "sampling roots", "bfs", "sssp", "validating"};
    canceller c = {0};
    meguri_ctx *ctx;
    meguri_ctx_options options = {
        .size = sizeof options, .threads = 2, .progress = cancel_in_phase, .progress_user = &c};
    assert_int_equal(meguri_ctx_new(&ctx, &options), MEGURI_OK);
    meguri_graph500_options o = {.size = sizeof o, .scale = UNDER_TSAN ? 12 : 16, .roots = 8};
    o.kernels = MEGURI_GRAPH500_BFS | MEGURI_GRAPH500_SSSP;
    meguri_graph500_report *report;
    for (size_t i = 0; i < COUNT_OF(phases); i++) {
        c = (canceller){.phase = phases[i]};
        meguri_status status = meguri_graph500(&report, ctx, &o);
        if (c.calls == 0) fail_msg("no progress is reported while %s", phases[i]);
        assert_int_equal(status, MEGURI_CANCELLED);
        assert_null(report);
        assert_int_equal(meguri_ctx_memory_used(ctx), 0);
    }
    for (uint64_t after = 0; after < 12; after++) {
        c = (canceller){.after = after};
        meguri_status status = meguri_graph500(&report, ctx, &o);
        assert_int_equal(status, c.calls > after ? MEGURI_CANCELLED : MEGURI_OK);
        meguri_graph500_report_free(report);
        assert_int_equal(meguri_ctx_memory_used(ctx), 0);
    }
    o.no_validation = 1;
    c = (canceller){.phase = "counting degrees"};
    meguri_status status = meguri_graph500(&report, ctx, &o);
    assert_int_equal(status, c.calls ? MEGURI_CANCELLED : MEGURI_OK);
    meguri_graph500_report_free(report);
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
    canceller c = {.after = 9};
    meguri_ctx *ctx;
    meguri_ctx_options options = {
        .size = sizeof options, .threads = 2, .progress = cancel_in_phase, .progress_user = &c};
    assert_int_equal(meguri_ctx_new(&ctx, &options), MEGURI_OK);
    meguri_status status = meguri_graph500_validate(NULL, ctx, pairs, n, n, n - 1, parent, NULL);
    assert_int_equal(status, c.calls > c.after ? MEGURI_CANCELLED : MEGURI_OK);
    c = (canceller){0};
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
