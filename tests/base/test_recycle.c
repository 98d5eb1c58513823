/* Pages that go from one block to the next: content, counting, budget, growth. */
#define _GNU_SOURCE
#include "support/unit.h"

#define MEGA ((size_t)1 << 20)

static void fill(char *block, size_t bytes, char value) { memset(block, value, bytes); }

static bool is_filled(const char *block, size_t bytes, char value) {
    for (size_t i = 0; i < bytes; i++)
        if (block[i] != value) return false;
    return true;
}

static uint64_t resident(void) {
    unsigned long size, pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%lu %lu", &size, &pages), 2);
    fclose(file);
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Freed pages serve a larger block made of several, and everything behaves as if they had been fresh. */
static void pages_move(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    char *blocks[4];
    mg_recycle_begin(ctx);
    for (int i = 0; i < 4; i++) {
        blocks[i] = mg_alloc(ctx, 8 * MEGA, "a test");
        fill(blocks[i], 8 * MEGA, (char)(i + 1));
    }
    for (int i = 0; i < 3; i++) mg_free(blocks[i]);
    assert_int_equal(meguri_ctx_memory_used(ctx), 8 * MEGA);
    char *large = mg_alloc(ctx, 30 * MEGA, "a test"), *other = mg_alloc(ctx, 5 * MEGA, "a test");
    fill(large, 30 * MEGA, 9);
    fill(other, 5 * MEGA, 7);
    assert_true(is_filled(large, 30 * MEGA, 9));
    assert_true(is_filled(other, 5 * MEGA, 7));
    assert_true(is_filled(blocks[3], 8 * MEGA, 4));
    assert_int_equal(meguri_ctx_memory_used(ctx), 43 * MEGA);
    /* A block of several mappings can still grow, shrink and go. */
    large = mg_resize(ctx, large, 40 * MEGA, "a test");
    assert_non_null(large);
    assert_true(is_filled(large, 30 * MEGA, 9));
    mg_trim(large, 3 * MEGA + 5);
    assert_true(is_filled(large, 3 * MEGA + 5, 9));
    mg_free(large);
    mg_free(other);
    mg_free(blocks[3]);
    mg_recycle_end(ctx);
    context_done(ctx);
}

/* Memory that is to be zero is. */
static void zeroes_are_zero(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    mg_recycle_begin(ctx);
    char *block = mg_alloc(ctx, 16 * MEGA, "a test");
    fill(block, 16 * MEGA, 1);
    mg_free(block);
    block = mg_alloc_zero(ctx, 16 * MEGA, "a test");
    assert_true(is_filled(block, 16 * MEGA, 0));
    mg_free(block);
    mg_recycle_end(ctx);
    context_done(ctx);
}

/* What is kept goes back to the system at the end of the outermost pair, and before an allocation fails. */
static void nothing_stays(void **state) {
    (void)state;
    meguri_ctx *ctx;
    meguri_ctx_options options = {.size = sizeof options, .threads = 1, .memory = 100 * MEGA};
    assert_int_equal(meguri_ctx_new(&ctx, &options), MEGURI_OK);
    mg_recycle_begin(ctx);
    mg_recycle_begin(ctx);
    char *block = mg_alloc(ctx, 64 * MEGA, "a test");
    fill(block, 64 * MEGA, 1);
    mg_free(block);
    mg_recycle_end(ctx);
    char *zero = mg_alloc_zero(ctx, 90 * MEGA, "a test"); /* beside 64 kept it would not fit */
    assert_non_null(zero);
    assert_true(meguri_ctx_memory_peak(ctx) <= 100 * MEGA);
    mg_free(zero);
    block = mg_alloc(ctx, 64 * MEGA, "a test");
    fill(block, 64 * MEGA, 1);
    uint64_t before = resident();
    mg_free(block);
    mg_recycle_end(ctx);
    assert_true(resident() + 60 * MEGA < before);
    assert_int_equal(mg_memory_left(ctx), 100 * MEGA);
    context_done(ctx);
}

/* Outside of a pair, free is free. */
static void only_between(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    char *block = mg_alloc(ctx, 64 * MEGA, "a test");
    fill(block, 64 * MEGA, 1);
    uint64_t before = resident();
    mg_free(block);
    assert_true(resident() + 60 * MEGA < before);
    context_done(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_move),
        cmocka_unit_test(zeroes_are_zero),
        cmocka_unit_test(nothing_stays),
        cmocka_unit_test(only_between),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
