/* Bitmaps: sizes around a word, counting, and claims under contention. */
#define _GNU_SOURCE
#include "support/at_once.h"
#include "support/unit.h"

static void sizes_around_a_word(void **state) {
    (void)state;
    const uint64_t sizes[] = {0, 1, 63, 64, 65, 127, 128, 129, 10000, 20000003};
    meguri_ctx *ctx = context_with(5);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        uint64_t bits = sizes[s], set = 0;
        mg_bitmap bitmap;
        assert_int_equal(mg_bitmap_new(&bitmap, ctx, bits, "a test"), MEGURI_OK);
        assert_int_equal(bitmap.bits, bits);
        assert_int_equal(mg_bitmap_count(ctx, &bitmap), 0);
        for (uint64_t i = 0; i < bits; i += 3, set++) mg_bitmap_set(&bitmap, i);
        for (uint64_t i = 0; i < MG_MIN(bits, (uint64_t)1000); i++)
            assert_int_equal(mg_bitmap_get(&bitmap, i), i % 3 == 0);
        if (bits) assert_int_equal(mg_bitmap_get(&bitmap, bits - 1), (bits - 1) % 3 == 0);
        assert_int_equal(mg_bitmap_count(ctx, &bitmap), set);
        if (bits && (bits - 1) % 3 != 0) {
            assert_true(mg_bitmap_claim(&bitmap, bits - 1));
            assert_false(mg_bitmap_claim(&bitmap, bits - 1));
        }
        mg_bitmap_clear(ctx, &bitmap);
        assert_int_equal(mg_bitmap_count(ctx, &bitmap), 0);
        mg_bitmap_free(&bitmap);
        assert_null(bitmap.words);
        mg_bitmap_free(&bitmap); /* a second time does nothing */
    }
    context_done(ctx);
}

enum { BITS = 100003, THREADS = 5 };

typedef struct contest {
    mg_bitmap *bitmap;
    uint8_t *winners;
    uint64_t won;
} contest;

static void claim_every_bit(void *what, int thread) {
    contest *c = what;
    for (uint64_t i = 0; i < BITS; i++) {
        uint64_t bit = thread % 2 ? i : BITS - 1 - i;
        if (mg_bitmap_claim(c->bitmap, bit)) {
            mg_fetch_add(&c->winners[bit], 1);
            mg_fetch_add(&c->won, 1);
        }
    }
}

/* Every thread tries every bit, in an order of its own: each bit has exactly one winner. */
static void each_bit_is_claimed_once(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(THREADS);
    mg_bitmap bitmap;
    assert_int_equal(mg_bitmap_new(&bitmap, ctx, BITS, "a test"), MEGURI_OK);
    uint8_t *winners = calloc(BITS, 1);
    contest c = {&bitmap, winners, 0};
    at_once(THREADS, claim_every_bit, &c);
    assert_int_equal(c.won, BITS);
    for (uint64_t i = 0; i < BITS; i++) assert_int_equal(winners[i], 1);
    assert_int_equal(mg_bitmap_count(ctx, &bitmap), BITS);
    free(winners);
    mg_bitmap_free(&bitmap);
    context_done(ctx);
}

typedef struct limbo {
    uint32_t lowest;
    uint64_t lowered;
} limbo;

static void lower(void *what, int thread) {
    limbo *l = what;
    for (uint32_t i = (uint32_t)thread; i < 100000; i += THREADS)
        if (mg_atomic_min_u32(&l->lowest, (i * 7919u) % 100003u + 5)) mg_fetch_add(&l->lowered, 1);
}

static void lowest_value_wins(void **state) {
    (void)state;
    limbo l = {UINT32_MAX, 0};
    at_once(THREADS, lower, &l);
    uint32_t lowest = l.lowest;
    assert_int_equal(lowest, 5);
    assert_true(l.lowered >= 1);
    assert_false(mg_atomic_min_u32(&lowest, 5));
    assert_true(mg_compare_swap(&lowest, 5, 9));
    assert_false(mg_compare_swap(&lowest, 5, 9));
    assert_int_equal(lowest, 9);
}

static void failing_allocation_is_reported(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    mg_bitmap bitmap = {.bits = 7};
    mg_memory_fail_at(ctx, 1);
    assert_int_equal(mg_bitmap_new(&bitmap, ctx, 1000, "the bitmap of a test"), MEGURI_NO_MEMORY);
    assert_non_null(strstr(meguri_ctx_error(ctx), "the bitmap of a test"));
    assert_null(bitmap.words);
    assert_int_equal(bitmap.bits, 0);
    mg_bitmap_free(&bitmap);
    mg_begin(ctx);
    assert_int_equal(mg_bitmap_new(&bitmap, ctx, UINT64_MAX, "the bitmap of a test"), MEGURI_NO_MEMORY);
    context_done(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_around_a_word),
        cmocka_unit_test(each_bit_is_claimed_once),
        cmocka_unit_test(lowest_value_wins),
        cmocka_unit_test(failing_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
