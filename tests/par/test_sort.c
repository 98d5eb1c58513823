/* Radix sorts against qsort of records that carry their old place: the order of equal keys is part of the answer. */
#define _GNU_SOURCE
#include "support/sanitized.h"
#include "support/unit.h"

typedef struct record {
    uint64_t key, masked;
    uint64_t place; /* before */
} record;

static int by_key_then_place(const void *a, const void *b) {
    const record *x = a, *y = b;
    if (x->masked != y->masked) return x->masked < y->masked ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

enum pattern { RANDOM, EQUAL, SORTED, REVERSE, SHARED_DIGITS, ONE_DIFFERENT, SKEWED, CROWDED, PATTERNS };

static uint64_t key_of(enum pattern pattern, uint64_t i, uint64_t count, uint64_t *seed) {
    switch (pattern) {
    case RANDOM: return next_random(seed);
    case EQUAL: return 0x1234567890abcdefu;
    case SORTED: return i * 3;
    case REVERSE: return (count - i) * 3;
    case SHARED_DIGITS: return 0xab00cd00ef005500u | (next_random(seed) & 0x00ff000000ff0007u);
    case ONE_DIFFERENT: return i == count / 2 ? 0 : UINT64_MAX;
    case SKEWED: return next_random(seed) >> (next_random(seed) % 64); /* most keys are small, many are equal */
    case CROWDED: return i % 2 ? next_random(seed) : 0x8765432100000000u | next_random(seed) >> 32;
    case PATTERNS: break;
    }
    return 0;
}

/* Keys to sort, and the answer, made once for all ways to sort them. */
typedef struct problem {
    uint32_t key_bytes, bits;
    enum pattern pattern;
    uint64_t count;
    record *expected;
} problem;

static problem problem_new(uint32_t key_bytes, uint32_t bits, enum pattern pattern, uint64_t count) {
    problem p = {key_bytes, bits, pattern, count, malloc((count + 1) * sizeof *p.expected)};
    uint64_t seed = count + bits, mask = bits >= 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t key = key_of(pattern, i, count, &seed);
        if (key_bytes == 4) key = (uint32_t)key;
        p.expected[i] = (record){key, key & mask, i};
    }
    qsort(p.expected, count, sizeof *p.expected, by_key_then_place);
    return p;
}

static void *guarded(uint64_t bytes) {
    char *block = malloc(bytes + 8);
    memset(block + bytes, 0x5a, 8);
    return block;
}

static void free_guarded(void *block, uint64_t bytes) {
    for (uint64_t i = 0; i < 8; i++) assert_int_equal(((char *)block)[bytes + i], 0x5a);
    free(block);
}

static uint64_t item(const void *items, uint64_t i, uint32_t bytes) {
    return bytes == 4 ? ((const uint32_t *)items)[i] : ((const uint64_t *)items)[i];
}

static void set_item(void *items, uint64_t i, uint32_t bytes, uint64_t value) {
    if (bytes == 4) ((uint32_t *)items)[i] = (uint32_t)value;
    else ((uint64_t *)items)[i] = value;
}

/* The payload of a record says where it was. */
static uint64_t payload_of(uint64_t place, uint32_t bytes) { return bytes == 4 ? place ^ 0x55 : place << 20 | 7; }

/* A NULL context: the small sort. */
static void sort_it(const problem *p, meguri_ctx *ctx, void *keys, void *payload, uint32_t payload_bytes) {
    uint64_t count = p->count;
    if (ctx && p->key_bytes == 4)
        assert_int_equal(mg_sort_u32(ctx, keys, payload, payload_bytes, count, p->bits), MEGURI_OK);
    else if (ctx) assert_int_equal(mg_sort_u64(ctx, keys, payload, payload_bytes, count, p->bits), MEGURI_OK);
    else {
        void *scratch = guarded(count * p->key_bytes), *payload_scratch = guarded(count * payload_bytes);
        if (p->key_bytes == 4)
            mg_sort_small_u32(keys, scratch, payload, payload_scratch, payload_bytes, count, p->bits);
        else mg_sort_small_u64(keys, scratch, payload, payload_scratch, payload_bytes, count, p->bits);
        free_guarded(scratch, count * p->key_bytes);
        free_guarded(payload_scratch, count * payload_bytes);
    }
}

static void check(const problem *p, meguri_ctx *ctx, uint32_t payload_bytes) {
    uint64_t count = p->count;
    void *keys = guarded(count * p->key_bytes), *payload = payload_bytes ? guarded(count * payload_bytes) : NULL;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t place = p->expected[i].place;
        set_item(keys, place, p->key_bytes, p->expected[i].key);
        if (payload) set_item(payload, place, payload_bytes, payload_of(place, payload_bytes));
    }
    sort_it(p, ctx, keys, payload, payload_bytes);
    for (uint64_t i = 0; i < count; i++) {
        bool right = item(keys, i, p->key_bytes) == p->expected[i].key;
        if (payload) right &= item(payload, i, payload_bytes) == payload_of(p->expected[i].place, payload_bytes);
        if (!right)
            fail_msg("pattern %d, %llu keys of %u bytes, payload %u, %u bits, %u threads: wrong at %llu", p->pattern,
                     (unsigned long long)count, p->key_bytes, payload_bytes, p->bits, ctx ? meguri_ctx_threads(ctx) : 0,
                     (unsigned long long)i);
    }
    free_guarded(keys, count * p->key_bytes);
    if (payload) free_guarded(payload, count * payload_bytes);
}

static void small_sort_is_qsort(void **state) {
    (void)state;
    const uint64_t sizes[] = {0, 1, 2, 3, 12, 13, 24, 25, 48, 49, 63, 64, 65, 96, 97, 1000, 7000};
    const uint32_t bits[] = {0, 1, 7, 8, 9, 11, 12, 16, 22, 23, 31, 32, 33, 44, 63, 64};
    for (uint32_t key_bytes = 4; key_bytes <= 8; key_bytes += 4)
        for (size_t b = 0; b < COUNT_OF(bits) && bits[b] <= 8 * key_bytes; b++)
            for (size_t s = 0; s < COUNT_OF(sizes); s++)
                for (int pattern = 0; pattern < PATTERNS; pattern++) {
                    if (UNDER_TSAN && sizes[s] > 100) continue; /* nothing is shared out */
                    if (!ONE_OF(2, (size_t)pattern + b + s)) continue;
                    problem p = problem_new(key_bytes, bits[b], (enum pattern)pattern, sizes[s]);
                    for (uint32_t payload_bytes = 0; payload_bytes <= 8; payload_bytes += 4)
                        check(&p, NULL, payload_bytes);
                    free(p.expected);
                }
}

/* With payloads of `least` to 8 bytes. */
static void check_parallel(uint32_t key_bytes, uint32_t bits, enum pattern pattern, uint64_t count, uint32_t least) {
    problem p = problem_new(key_bytes, bits, pattern, count);
    for (size_t t = 0; t < THREAD_COUNTS; t++) {
        if (!ONE_OF(3, t + (size_t)pattern + bits)) continue;
        meguri_ctx *ctx = context_with(thread_counts[t]);
        for (uint32_t payload_bytes = least; payload_bytes <= 8; payload_bytes += 4) check(&p, ctx, payload_bytes);
        context_done(ctx);
    }
    free(p.expected);
}

static void parallel_sort_is_qsort(void **state) {
    (void)state;
    const uint64_t sizes[] = {0, 1, 2, 63, 64, 65, 1000, 65537};
    const uint32_t bits[] = {0, 13, 32, 64};
    for (uint32_t key_bytes = 4; key_bytes <= 8; key_bytes += 4)
        for (size_t b = 0; b < COUNT_OF(bits) && bits[b] <= 8 * key_bytes; b++)
            for (size_t s = 0; s < COUNT_OF(sizes); s++)
                for (int pattern = 0; pattern < PATTERNS; pattern++)
                    check_parallel(key_bytes, bits[b], (enum pattern)pattern, sizes[s], 0);
}

/* Sizes where lines go past the caches (more than 16 MB), and where a bucket of skewed keys is split again. */
static void parallel_sort_of_many_is_qsort(void **state) {
    (void)state;
    check_parallel(4, 32, RANDOM, 1000000, 0);
    check_parallel(4, 32, EQUAL, 1000000, 8);
    check_parallel(4, 32, SORTED, 1000000, 8);
    check_parallel(4, 32, REVERSE, 1000000, 8);
    check_parallel(4, 20, RANDOM, 1500000, 8);
    check_parallel(8, 44, RANDOM, 1100000, 8);
    check_parallel(8, 64, SKEWED, 1100000, 8);
    check_parallel(8, 64, CROWDED, 2300000, 8); /* half of them: a bucket that is aligned to nothing, still large */
    check_parallel(4, 1, RANDOM, 300000, 8);    /* nothing is left to sort by in the buckets */
    check_parallel(8, 64, SHARED_DIGITS, 300000, 4);
}

/* The first part of an array is sorted: what follows is aligned to nothing. */
static void unaligned_keys_are_sorted(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(2);
    uint64_t count = 100001, seed = 5;
    uint32_t *keys = malloc((count + 1) * sizeof *keys);
    for (uint64_t i = 0; i <= count; i++) keys[i] = (uint32_t)next_random(&seed);
    uint32_t first = keys[0];
    assert_int_equal(mg_sort_u32(ctx, keys + 1, NULL, 0, count, 32), MEGURI_OK);
    assert_int_equal(keys[0], first);
    for (uint64_t i = 2; i <= count; i++) assert_true(keys[i - 1] <= keys[i]);
    free(keys);
    context_done(ctx);
}

/* Every allocation is made to fail in turn; what was allocated before is free again. */
static void failing_allocations_are_reported(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(2);
    uint64_t count = 400000, seed = 6;
    uint64_t *keys = malloc(count * sizeof *keys), *payload = calloc(count, sizeof *payload);
    uint64_t k = 1;
    for (;; k++) {
        /* half of the keys share a bucket, so that it is split again */
        for (uint64_t i = 0; i < count; i++) keys[i] = next_random(&seed) >> (i % 2 ? 20 : 0);
        mg_begin(ctx);
        mg_memory_fail_at(ctx, k);
        meguri_status status = mg_sort_u64(ctx, keys, payload, 8, count, 64);
        mg_memory_fail_at(ctx, 0);
        assert_int_equal(meguri_ctx_memory_used(ctx), 0);
        if (status == MEGURI_OK) break;
        assert_int_equal(status, MEGURI_NO_MEMORY);
        assert_non_null(strstr(meguri_ctx_error(ctx), "sorting"));
    }
    assert_true(k >= 7); /* keys, payloads, two tables; two more where the bucket was split */
    for (uint64_t i = 1; i < count; i++) assert_true(keys[i - 1] <= keys[i]);
    free(keys);
    free(payload);
    context_done(ctx);
}

static int cancel(void *user, const char *phase, uint64_t done, uint64_t total) {
    (void)user, (void)phase, (void)done, (void)total;
    return 1;
}

static void cancelled_sort_stops(void **state) {
    (void)state;
    meguri_ctx *ctx = NULL;
    meguri_ctx_options options = {.size = sizeof options, .threads = 2, .progress = cancel};
    assert_int_equal(meguri_ctx_new(&ctx, &options), MEGURI_OK);
    mg_begin(ctx);
    while (!mg_progress(ctx, "waiting", 0, 0)) continue;
    uint32_t *keys = calloc(100000, sizeof *keys);
    assert_int_equal(mg_sort_u32(ctx, keys, NULL, 0, 100000, 32), MEGURI_CANCELLED);
    assert_string_not_equal(meguri_ctx_error(ctx), "");
    free(keys);
    context_done(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_sort_is_qsort),
        cmocka_unit_test(parallel_sort_is_qsort),
        cmocka_unit_test(parallel_sort_of_many_is_qsort),
        cmocka_unit_test(unaligned_keys_are_sorted),
        cmocka_unit_test(failing_allocations_are_reported),
        cmocka_unit_test(cancelled_sort_stops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
