/* Distinct numbers: each once, in the order in which they come, and the way back. */
#define _GNU_SOURCE
#include "support/unit.h"

static void check(meguri_ctx *ctx, const uint64_t *values, uint64_t count, uint64_t expected) {
    mg_distinct set;
    assert_int_equal(mg_distinct_new(&set, ctx, values, count, "a test"), MEGURI_OK);
    assert_int_equal(set.count, expected);
    uint64_t known = 0;
    for (uint64_t i = 0; i < count; i++) {
        assert_true(set.index[i] <= known && set.index[i] < set.count); /* new ones are numbered as they come */
        known += set.index[i] == known;
        assert_int_equal(set.items[set.index[i]], values[i]);
    }
    assert_int_equal(known, expected);
    mg_distinct_free(&set);
}

static void each_once_in_order(void **state) {
    (void)state;
    enum { COUNT = 20000 };
    meguri_ctx *ctx = context_with(1);
    static uint64_t values[COUNT];
    check(ctx, values, 0, 0);
    check(ctx, values, COUNT, 1); /* all the same */
    for (uint32_t i = 0; i < COUNT; i++) values[i] = UINT64_MAX - i;
    check(ctx, values, COUNT, COUNT); /* all different: the table grows */
    for (uint32_t i = 0; i < COUNT; i++) values[i] = (uint64_t)(i * 2654435761u % 777) << 40;
    check(ctx, values, COUNT, 777);
    context_done(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_once_in_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
