/* Prefix sums against a plain loop, at sizes around the point where threads join in. */
#define _GNU_SOURCE
#include "support/at_once.h"
#include "support/unit.h"

static const uint64_t sizes[] = {0, 1, 2, 63, 64, 65, 1000, 65535, 65536, 65537, 300001, 1000000};

static void scan_u64_is_the_plain_loop(void **state) {
    (void)state;
    uint64_t seed = 1;
    for (size_t t = 0; t < THREAD_COUNTS; t++) {
        meguri_ctx *ctx = context_with(thread_counts[t]);
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            uint64_t count = sizes[s], sum = 0;
            uint64_t *a = malloc((count + 1) * sizeof *a), *expected = malloc((count + 1) * sizeof *a);
            for (uint64_t i = 0; i < count; i++) {
                a[i] = next_random(&seed) >> 20;
                expected[i] = sum;
                sum += a[i];
            }
            a[count] = expected[count] = 42; /* must not be touched */
            assert_int_equal(mg_scan_u64(ctx, a, count), sum);
            assert_memory_equal(a, expected, (count + 1) * sizeof *a);
            free(a);
            free(expected);
        }
        context_done(ctx);
    }
}

static void scan_u32_is_the_plain_loop(void **state) {
    (void)state;
    uint64_t seed = 2;
    for (size_t t = 0; t < THREAD_COUNTS; t++) {
        meguri_ctx *ctx = context_with(thread_counts[t]);
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            uint64_t count = sizes[s];
            uint32_t *a = malloc((count + 1) * sizeof *a), *expected = malloc((count + 1) * sizeof *a), sum = 0;
            for (uint64_t i = 0; i < count; i++) {
                a[i] = (uint32_t)(next_random(&seed) >> 53);
                expected[i] = sum;
                sum += a[i];
            }
            a[count] = expected[count] = 42;
            assert_int_equal(mg_scan_u32(ctx, a, count), sum);
            assert_memory_equal(a, expected, (count + 1) * sizeof *a);
            free(a);
            free(expected);
        }
        context_done(ctx);
    }
}

static void scan_u32_reaches_the_largest_total(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(5);
    uint64_t count = 200000;
    uint32_t *a = calloc(count, sizeof *a);
    a[0] = UINT32_MAX - 1;
    a[count - 1] = 1;
    assert_int_equal(mg_scan_u32(ctx, a, count), UINT32_MAX);
    assert_int_equal(a[0], 0);
    assert_int_equal(a[1], UINT32_MAX - 1);
    assert_int_equal(a[count - 1], UINT32_MAX - 1);
    free(a);
    context_done(ctx);
}

typedef struct scanner {
    meguri_ctx *ctx;
    uint64_t total;
} scanner;

static void scan_ones(void *what, int thread) {
    scanner *s = (scanner *)what + thread;
    uint64_t count = 400000, *a = malloc(count * sizeof *a);
    for (uint64_t j = 0; j < count; j++) a[j] = 1;
    s->total = mg_scan_u64(s->ctx, a, count);
    if (a[count - 1] != count - 1) s->total = 0;
    free(a);
}

static void contexts_scan_side_by_side(void **state) {
    (void)state;
    scanner scanners[2] = {{context_with(5), 0}, {context_with(5), 0}};
    at_once(2, scan_ones, scanners);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(scanners[i].total, 400000);
        context_done(scanners[i].ctx);
    }
}

static void shares_cover_everything_once(void **state) {
    (void)state;
    const uint64_t counts[] = {0, 1, 4, 5, 6, 1000, UINT64_MAX};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (int parts = 1; parts <= 7; parts++) {
            uint64_t end = 0;
            for (int part = 0; part < parts; part++) {
                mg_range share = mg_share(counts[c], part, parts);
                assert_int_equal(share.begin, end);
                assert_true(share.end >= share.begin);
                assert_true(share.end - share.begin - counts[c] / (uint64_t)parts <= 1);
                end = share.end;
            }
            assert_int_equal(end, counts[c]);
        }
}

static void threads_follow_the_work(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(5);
    assert_int_equal(mg_threads(ctx, 0, 100), 1);
    assert_int_equal(mg_threads(ctx, 199, 100), 1);
    assert_int_equal(mg_threads(ctx, 200, 100), 2);
    assert_int_equal(mg_threads(ctx, UINT64_MAX, 1), 5);
    context_done(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scan_u64_is_the_plain_loop),         cmocka_unit_test(scan_u32_is_the_plain_loop),
        cmocka_unit_test(scan_u32_reaches_the_largest_total), cmocka_unit_test(contexts_scan_side_by_side),
        cmocka_unit_test(shares_cover_everything_once),       cmocka_unit_test(threads_follow_the_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
