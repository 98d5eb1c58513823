/* Memory: the budget, what is counted, blocks that grow, shrink, give pages back, and outlive their context. */
#define _GNU_SOURCE
#include "support/at_once.h"
#include "support/decimal_comma.h"

#include <sys/mman.h>

#define MB ((size_t)1 << 20)

static meguri_ctx *context_with_budget(uint64_t memory) {
    meguri_ctx *ctx = NULL;
    meguri_ctx_options options = {.size = sizeof options, .threads = 2, .memory = memory};
    assert_int_equal(meguri_ctx_new(&ctx, &options), MEGURI_OK);
    return ctx;
}

static void blocks_are_aligned_and_counted(void **state) {
    (void)state;
    const size_t sizes[] = {0, 1, 63, 64, 65, 4096, MB - 1, MB, MB + 1, 2 * MB, 5 * MB + 3};
    meguri_ctx *ctx = context_with(2);
    char *blocks[COUNT_OF(sizes)];
    uint64_t sum = 0;
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        blocks[i] = i % 2 ? mg_alloc(ctx, sizes[i], "a block") : mg_alloc_zero(ctx, sizes[i], "a block");
        assert_non_null(blocks[i]);
        assert_int_equal((uintptr_t)blocks[i] % 64, 0);
        uint64_t bits = 0;
        if (i % 2 == 0)
            for (size_t b = 0; b < sizes[i]; b++) bits |= (unsigned char)blocks[i][b];
        assert_int_equal(bits, 0);
        memset(blocks[i], 0xff, sizes[i]);
        sum += sizes[i];
        assert_int_equal(meguri_ctx_memory_used(ctx), sum);
        assert_int_equal(meguri_ctx_memory_peak(ctx), sum);
        assert_int_equal(mg_memory_left(ctx), meguri_ctx_memory_limit(ctx) - sum);
    }
    uint64_t peak = sum;
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        mg_free(blocks[i]);
        sum -= sizes[i];
        assert_int_equal(meguri_ctx_memory_used(ctx), sum);
    }
    mg_free(NULL);
    assert_int_equal(meguri_ctx_memory_peak(ctx), peak);
    context_done(ctx);
}

/* The sentence says what was asked, what is used and what there is. */
static void budget_is_honoured(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with_budget(10000000);
    void *first = mg_alloc(ctx, 3000000, "the first");
    assert_non_null(first);
    assert_null(mg_alloc(ctx, 7000001, "the second"));
    const char *error = meguri_ctx_error(ctx);
    assert_non_null(strstr(error, "the second"));
    assert_non_null(strstr(error, "7.00 MB asked"));
    assert_non_null(strstr(error, "3.00 MB of the budget of 10.0 MB in use"));
    assert_int_equal(error[strlen(error) - 1], '.');
    assert_int_equal(meguri_ctx_memory_used(ctx), 3000000);
    assert_int_equal(meguri_ctx_memory_peak(ctx), 3000000); /* what was refused was never used */
    mg_begin(ctx);
    void *rest = mg_alloc(ctx, 7000000, "all that is left");
    assert_non_null(rest);
    assert_int_equal(mg_memory_left(ctx), 0);
    assert_null(mg_alloc(ctx, 1, "one byte"));
    assert_null(mg_alloc_array(ctx, UINT64_MAX / 2, 8, "too many")); /* the product overflows */
    assert_null(mg_alloc_array_zero(ctx, UINT64_MAX, SIZE_MAX, "too many"));
    assert_null(mg_alloc(ctx, SIZE_MAX, "everything"));
    assert_null(mg_alloc(ctx, SIZE_MAX - 64, "everything"));
    void *nothing = mg_alloc(ctx, 0, "nothing");
    assert_non_null(nothing);
    mg_free(nothing);
    mg_free(first);
    mg_free(rest);
    context_done(ctx);
}

/* What no budget refuses is counted, and everything else is refused beside it. */
static void essentials_are_had(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with_budget(1000);
    char *block = mg_alloc_essential(ctx, 500, 4, "what cannot be done without");
    assert_non_null(block);
    for (int i = 0; i < 2000; i++) assert_int_equal(block[i], 0);
    assert_int_equal(meguri_ctx_memory_used(ctx), 2000);
    assert_int_equal(meguri_ctx_memory_peak(ctx), 2000);
    assert_int_equal(mg_memory_left(ctx), 0);
    assert_null(mg_alloc(ctx, 1, "one byte"));
    assert_null(mg_alloc_essential(ctx, UINT64_MAX, 8, "too many"));
    mg_memory_refuse_at(ctx, 1);
    void *more = mg_alloc_essential(ctx, 1, 8, "more");
    assert_non_null(more);
    mg_memory_fail_at(ctx, 1);
    assert_null(mg_alloc_essential(ctx, 1, 8, "more"));
    mg_free(more);
    mg_free(block);
    assert_int_equal(meguri_ctx_memory_used(ctx), 0);
    mg_begin(ctx);
    mg_memory_refuse_at(ctx, 1);
    assert_null(mg_alloc(ctx, 1, "one byte"));
    context_done(ctx);
}

/* More than the machine can map, with a budget that would allow it. */
static void system_without_memory_is_reported(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with_budget(UINT64_MAX);
    assert_null(mg_alloc(ctx, (size_t)1 << 62, "a block for gods"));
    assert_non_null(strstr(meguri_ctx_error(ctx), "the system has no memory for a block for gods"));
    assert_int_equal(meguri_ctx_memory_used(ctx), 0);
    char *block = mg_alloc(ctx, MB, "a block");
    strcpy(block, "still here");
    assert_null(mg_resize(ctx, block, (size_t)1 << 62, "a block for gods"));
    assert_string_equal(block, "still here");
    assert_int_equal(meguri_ctx_memory_used(ctx), MB);
    assert_null(mg_resize(ctx, block, SIZE_MAX, "a block for gods"));
    assert_int_equal(meguri_ctx_memory_used(ctx), MB);
    mg_free(block);
    context_done(ctx);
}

typedef struct crumbs {
    meguri_ctx *ctx;
    void *blocks[1000];
    uint64_t got[5];
} crumbs;

static void take_crumbs(void *what, int thread) {
    crumbs *c = what;
    for (int i = thread; i < 1000; i += 5) {
        c->blocks[i] = mg_alloc(c->ctx, 7, "a crumb");
        c->got[thread] += c->blocks[i] != NULL;
    }
}

static void return_crumbs(void *what, int thread) {
    crumbs *c = what;
    for (int i = thread; i < 1000; i += 5) mg_free(c->blocks[i]);
}

static void budget_is_honoured_in_parallel(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with_budget(1000);
    crumbs c = {.ctx = ctx};
    at_once(5, take_crumbs, &c);
    assert_int_equal(c.got[0] + c.got[1] + c.got[2] + c.got[3] + c.got[4], 1000 / 7);
    assert_int_equal(meguri_ctx_memory_used(ctx), 1000 / 7 * 7);
    assert_int_equal(meguri_ctx_memory_peak(ctx), 1000 / 7 * 7);
    at_once(5, return_crumbs, &c);
    context_done(ctx);
}

static void fill(char *block, size_t from, size_t to) {
    for (size_t i = from; i < to; i++) block[i] = (char)(i * 31 % 127);
}

static void check_fill(const char *block, size_t from, size_t to) {
    for (size_t i = from; i < to; i++)
        if (block[i] != (char)(i * 31 % 127)) fail_msg("byte %zu", i);
}

/* Small to large and back: content and count. */
static void resize_keeps_content_and_count(void **state) {
    (void)state;
    const size_t sizes[] = {1,          100,    MB - 1, MB,     MB + 5000, 3 * MB, 9 * MB,
                            9 * MB + 1, 2 * MB, MB / 2, 4 * MB, 10,        0,      70};
    meguri_ctx *ctx = context_with(1);
    char *block = NULL;
    size_t filled = 0;
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        block = mg_resize(ctx, block, sizes[i], "a block");
        assert_non_null(block);
        assert_int_equal((uintptr_t)block % 64, 0);
        assert_int_equal(meguri_ctx_memory_used(ctx), sizes[i]);
        check_fill(block, 0, MG_MIN(filled, sizes[i]));
        fill(block, 0, sizes[i]);
        filled = sizes[i];
    }
    mg_free(block);
    context_done(ctx);
}

static void failed_resize_keeps_the_block(void **state) {
    (void)state;
    const size_t sizes[] = {100, 2 * MB}; /* from malloc, from mmap */
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        meguri_ctx *ctx = context_with_budget(5 * MB);
        char *block = mg_alloc(ctx, sizes[i], "a block");
        fill(block, 0, sizes[i]);
        assert_null(mg_resize(ctx, block, 6 * MB, "a larger block"));
        assert_non_null(strstr(meguri_ctx_error(ctx), "a larger block"));
        assert_int_equal(meguri_ctx_memory_used(ctx), sizes[i]);
        check_fill(block, 0, sizes[i]);
        mg_begin(ctx);
        mg_memory_fail_at(ctx, 1);
        assert_null(mg_resize(ctx, block, 3 * MB, "a larger block"));
        assert_int_equal(meguri_ctx_memory_used(ctx), sizes[i]);
        check_fill(block, 0, sizes[i]);
        block = mg_resize(ctx, block, 3 * MB, "a larger block"); /* the injected failure came once */
        assert_non_null(block);
        check_fill(block, 0, sizes[i]);
        mg_free(block);
        context_done(ctx);
    }
}

/* A block of another context: its bytes move from one budget to the other. */
static void resize_by_another_context(void **state) {
    (void)state;
    meguri_ctx *first = context_with(1), *second = context_with(1);
    char *block = mg_alloc(first, 2 * MB, "a block");
    fill(block, 0, 2 * MB);
    block = mg_resize(second, block, 3 * MB, "a block");
    check_fill(block, 0, 2 * MB);
    assert_int_equal(meguri_ctx_memory_used(first), 0);
    assert_int_equal(meguri_ctx_memory_used(second), 3 * MB);
    mg_free(block);
    context_done(first);
    context_done(second);
}

static void trim_gives_the_end_back(void **state) {
    (void)state;
    const size_t sizes[] = {1000, MB - 1, 8 * MB + 77};
    meguri_ctx *ctx = context_with(1);
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        char *block = mg_alloc(ctx, sizes[i], "a block");
        fill(block, 0, sizes[i]);
        size_t bytes = sizes[i];
        for (; bytes > 2; bytes /= 3) {
            mg_trim(block, bytes);
            assert_int_equal(meguri_ctx_memory_used(ctx), bytes);
            check_fill(block, 0, bytes);
        }
        mg_trim(block, 2);
        mg_trim(block, sizes[i]); /* to more than there is: nothing happens */
        assert_int_equal(meguri_ctx_memory_used(ctx), 2);
        mg_trim(block, 0);
        assert_int_equal(meguri_ctx_memory_used(ctx), 0);
        mg_free(block);
    }
    context_done(ctx);
}

/* Pages of the range that are in memory; the range is widened to whole pages. */
static size_t resident(const char *from, size_t bytes) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE), count = 0;
    uintptr_t start = (uintptr_t)from / page * page, end = ((uintptr_t)from + bytes + page - 1) / page * page;
    unsigned char *flags = malloc((end - start) / page);
    assert_int_equal(mincore((void *)start, end - start, flags), 0);
    for (size_t i = 0; i < (end - start) / page; i++) count += flags[i] & 1;
    free(flags);
    return count;
}

static void released_pages_are_gone_and_counted(void **state) {
    (void)state;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    meguri_ctx *ctx = context_with(1);
    char *block = mg_alloc(ctx, 8 * MB, "an input");
    fill(block, 0, 8 * MB);
    mg_release_pages(block, 100, page / 2); /* less than a page: nothing */
    assert_int_equal(meguri_ctx_memory_used(ctx), 8 * MB);
    mg_release_pages(block, MB, 2 * MB);
    uint64_t used = meguri_ctx_memory_used(ctx);
    assert_in_range(used, 6 * MB, 6 * MB + 2 * page);
    assert_true(resident(block + MB, 2 * MB) <= 4);
    check_fill(block, 0, MB);
    check_fill(block, 3 * MB, 8 * MB);
    mg_release_pages(block, MB, 2 * MB); /* again: not counted again */
    mg_release_pages(block, MB + 3 * page, page * 5);
    assert_int_equal(meguri_ctx_memory_used(ctx), used);
    mg_release_pages(block, 7 * MB, SIZE_MAX); /* to the end and no further */
    assert_in_range(meguri_ctx_memory_used(ctx), used - MB, used - MB + 2 * page);
    mg_release_pages(block, 8 * MB, 1);
    mg_release_pages(block, SIZE_MAX, SIZE_MAX);
    mg_free(block);
    assert_int_equal(meguri_ctx_memory_used(ctx), 0);

    char *small = mg_alloc(ctx, 100000, "a small block"); /* from malloc: stays */
    fill(small, 0, 100000);
    mg_release_pages(small, 0, 100000);
    check_fill(small, 0, 100000);
    assert_int_equal(meguri_ctx_memory_used(ctx), 100000);
    mg_free(small);
    context_done(ctx);
}

/* What is released and then cut off must not be taken off the account twice. */
static void trim_after_release_is_exact(void **state) {
    (void)state;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    meguri_ctx *ctx = context_with(1);
    char *block = mg_alloc(ctx, 8 * MB, "an input");
    fill(block, 0, 8 * MB);
    mg_release_pages(block, 2 * MB, 6 * MB);
    uint64_t kept = meguri_ctx_memory_used(ctx); /* two megabytes and what shares pages with the ends */
    assert_in_range(kept, 2 * MB, 2 * MB + 2 * page);
    mg_trim(block, 4 * MB + 1000); /* in the middle of what is gone, and of a page of it */
    assert_in_range(meguri_ctx_memory_used(ctx), 2 * MB, 2 * MB + page);
    mg_trim(block, MB);
    assert_int_equal(meguri_ctx_memory_used(ctx), MB);
    check_fill(block, 0, MB);
    mg_free(block);
    assert_int_equal(meguri_ctx_memory_used(ctx), 0);

    block = mg_alloc(ctx, 8 * MB, "an input"); /* and growing again after a release */
    fill(block, 0, 8 * MB);
    mg_release_pages(block, 0, 4 * MB);
    block = mg_resize(ctx, block, 9 * MB, "an output");
    check_fill(block, 4 * MB, 8 * MB);
    assert_int_equal(meguri_ctx_memory_used(ctx), 9 * MB);
    mg_free(block);
    context_done(ctx);
}

/* Parts that lie over each other, all of them twice. */
static void release_parts(void *block, int thread) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    for (int i = thread; i < 64; i += 5) mg_release_pages(block, (size_t)(i / 2) * MB / 2, MB / 2 + 2 * page);
}

static void release_in_parallel_counts_each_page_once(void **state) {
    (void)state;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    meguri_ctx *ctx = context_with(5);
    char *block = mg_alloc(ctx, 16 * MB, "an input");
    memset(block, 1, 16 * MB);
    at_once(5, release_parts, block);
    assert_in_range(meguri_ctx_memory_used(ctx), 1, 2 * page);
    mg_free(block);
    context_done(ctx);
}

static void block_outlives_its_context(void **state) {
    (void)state;
    for (size_t bytes = 100; bytes <= 100000000; bytes *= 1000) {
        size_t sample = MG_MIN(bytes, MB);
        meguri_ctx *ctx = context_with(1);
        char *block = mg_alloc(ctx, bytes, "a result"), *other = mg_alloc(ctx, bytes, "another");
        fill(block, 0, sample);
        meguri_ctx_free(ctx);
        mg_free(other);
        check_fill(block, 0, sample);
        mg_trim(block, sample / 2);
        meguri_ctx *later = context_with(1);
        block = mg_resize(later, block, bytes, "a result");
        check_fill(block, 0, sample / 2);
        assert_int_equal(meguri_ctx_memory_used(later), bytes);
        mg_free(block);
        context_done(later);
    }
}

static void chosen_allocation_fails_once(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    uint64_t before = mg_memory_allocations(ctx);
    mg_memory_fail_at(ctx, 3);
    void *blocks[5];
    for (int i = 0; i < 5; i++) blocks[i] = mg_alloc(ctx, 10, "a block");
    for (int i = 0; i < 5; i++) assert_int_equal(blocks[i] == NULL, i == 2);
    assert_int_equal(mg_memory_allocations(ctx), before + 5);
    assert_int_equal(meguri_ctx_memory_used(ctx), 40);
    assert_string_not_equal(meguri_ctx_error(ctx), "");
    mg_memory_fail_at(ctx, 1);
    mg_memory_fail_at(ctx, 0); /* off */
    char *copy = mg_strdup(ctx, "text", "a text");
    assert_string_equal(copy, "text");
    mg_memory_fail_at(ctx, 1);
    assert_null(mg_strdup(ctx, "text", "a text"));
    mg_free(copy);
    for (int i = 0; i < 5; i++) mg_free(blocks[i]);
    context_done(ctx);
}

static void check_size_texts(void) {
    static const struct {
        uint64_t bytes;
        const char *text;
    } table[] = {
        {0, "0 bytes"},
        {1, "1 bytes"},
        {999, "999 bytes"},
        {1000, "1.00 kB"},
        {1004, "1.00 kB"},
        {1005, "1.01 kB"},
        {1500, "1.50 kB"},
        {9994, "9.99 kB"},
        {9995, "10.0 kB"},
        {99949, "99.9 kB"},
        {99950, "100 kB"},
        {999499, "999 kB"},
        {999500, "1.00 MB"},
        {1500000000, "1.50 GB"},
        {(uint64_t)64 << 30, "68.7 GB"},
        {1000000000000000000u, "1.00 EB"},
        {UINT64_MAX, "18.4 EB"},
    };
    char buffer[MG_SIZE_TEXT];
    for (size_t i = 0; i < COUNT_OF(table); i++)
        assert_string_equal(mg_size_text(buffer, table[i].bytes), table[i].text);
}

static void sizes_are_readable(void **state) {
    (void)state;
    check_size_texts();
}

static void sizes_have_no_decimal_comma(void **state) {
    (void)state;
    char folder[FOLDER_TEXT];
    folder_new(folder);
    bool there = decimal_comma_use(folder);
    if (there) check_size_texts();
    setlocale(LC_ALL, "C");
    folder_remove(folder);
    if (!there) skip_because("no locale with a decimal comma, and localedef could not make one");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_aligned_and_counted),
        cmocka_unit_test(budget_is_honoured),
        cmocka_unit_test(essentials_are_had),
        cmocka_unit_test(system_without_memory_is_reported),
        cmocka_unit_test(budget_is_honoured_in_parallel),
        cmocka_unit_test(resize_keeps_content_and_count),
        cmocka_unit_test(failed_resize_keeps_the_block),
        cmocka_unit_test(resize_by_another_context),
        cmocka_unit_test(trim_gives_the_end_back),
        cmocka_unit_test(released_pages_are_gone_and_counted),
        cmocka_unit_test(trim_after_release_is_exact),
        cmocka_unit_test(release_in_parallel_counts_each_page_once),
        cmocka_unit_test(block_outlives_its_context),
        cmocka_unit_test(chosen_allocation_fails_once),
        cmocka_unit_test(sizes_are_readable),
        cmocka_unit_test(sizes_have_no_decimal_comma),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
