/* Calls that cannot end well: the loops over allocations, budgets and reports. */
#define _GNU_SOURCE
#include "support/faults.h"

void expect_failure(meguri_ctx *ctx, meguri_status got, meguri_status status, const char *part) {
    if (got != status || !strstr(meguri_ctx_error(ctx), part))
        fail_msg("status %d, '%s' instead of %d, '%s'", (int)got, meguri_ctx_error(ctx), (int)status, part);
}

uint64_t fail_each_allocation(meguri_ctx *ctx, attempt_fn *attempt, void *what, int may) {
    uint64_t before = meguri_ctx_memory_used(ctx);
    for (uint64_t k = 1;; k++) {
        assert_true(k < 10000);
        uint64_t made = mg_memory_allocations(ctx);
        mg_memory_fail_at(ctx, k);
        meguri_status status = attempt(ctx, what);
        mg_memory_fail_at(ctx, 0);
        made = mg_memory_allocations(ctx) - made;
        if (!(may & (status == MEGURI_OK ? MAY_KEEP | LEAVES_ITS_WORK : MAY_KEEP)))
            assert_int_equal(meguri_ctx_memory_used(ctx), before);
        if (status != MEGURI_OK) expect_failure(ctx, status, MEGURI_NO_MEMORY, "not enough memory for");
        else if (made < k) return k - 1; /* there was no k-th */
        else if (!(may & MAY_DO_WITHOUT)) fail_msg("allocation %d of %d failed unseen", (int)k, (int)made);
    }
}

budgets try_budgets(uint64_t first, uint64_t end, double factor, attempt_fn *attempt, void *what) {
    budgets seen = {.least_done = UINT64_MAX, .least_peak = UINT64_MAX};
    for (double budget = (double)first; budget < (double)end; budget *= factor) {
        meguri_ctx *ctx;
        meguri_ctx_options options = {.size = sizeof options, .threads = 2, .memory = (uint64_t)budget};
        assert_int_equal(meguri_ctx_new(&ctx, &options), MEGURI_OK);
        meguri_status status = attempt(ctx, what);
        uint64_t peak = meguri_ctx_memory_peak(ctx);
        assert_true(peak <= options.memory);
        if (status == MEGURI_OK) {
            seen.done++;
            seen.least_done = MG_MIN(seen.least_done, options.memory);
            seen.least_peak = MG_MIN(seen.least_peak, peak);
            seen.most_peak = MG_MAX(seen.most_peak, peak);
        } else {
            expect_failure(ctx, status, MEGURI_NO_MEMORY, "not enough memory for");
            expect_failure(ctx, status, MEGURI_NO_MEMORY, " budget ");
            seen.refused++;
            seen.most_refused = options.memory;
        }
        context_done(ctx);
    }
    assert_true(seen.refused >= 2 && seen.done >= 2);
    return seen;
}

static int report(void *data, const char *phase, uint64_t done, uint64_t total) {
    impatient *user = data;
    assert_non_null(phase);
    assert_true(total == 0 || done <= total);
    if (user->only && strcmp(user->only, phase) != 0) return 0;
    snprintf(user->phase, sizeof user->phase, "%s", phase);
    if (++user->reports < user->enough || !user->enough) return 0;
    if (user->since == 0) user->since = mg_now();
    return 1;
}

meguri_ctx *context_of(impatient *user, uint32_t threads) {
    meguri_ctx *ctx;
    meguri_ctx_options options = {.size = sizeof options,
                                  .threads = threads,
                                  .memory = (uint64_t)1 << 30,
                                  .progress = report,
                                  .progress_user = user};
    assert_int_equal(meguri_ctx_new(&ctx, &options), MEGURI_OK);
    return ctx;
}

void cancel_at(meguri_ctx *ctx, impatient *user, uint64_t number, const char *phase, attempt_fn *attempt, void *what) {
    uint64_t before = meguri_ctx_memory_used(ctx);
    double begin = mg_now();
    meguri_status status = MEGURI_OK;
    for (int tries = user->only ? 100 : 1; tries > 0 && status == MEGURI_OK; tries--) {
        *user = (impatient){.enough = number, .only = user->only, .keeps = user->keeps};
        status = attempt(ctx, what);
    }
    expect_failure(ctx, status, MEGURI_CANCELLED, "interrupted.");
    assert_string_equal(meguri_ctx_error(ctx), "interrupted.");
    assert_true(user->only || mg_now() - begin < 10); /* reports are 20 ms apart */
    assert_true(user->reports >= number);
    if (phase) assert_string_equal(user->phase, phase);
    if (!user->keeps) assert_int_equal(meguri_ctx_memory_used(ctx), before);
    user->enough = 0;
}
