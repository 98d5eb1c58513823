/* The frontier: list to bitmap and back, forgetting, and what is left of an old form. */
#define _GNU_SOURCE
#include "support/unit.h"

static bool is_member(uint64_t vertex, uint64_t every) { return (vertex * 2654435761u) % every == 0; }

static void fill_list(mg_frontier *frontier, uint64_t every) {
    frontier->list.count = 0;
    for (uint64_t v = frontier->vertices; v-- > 0;) /* decreasing */
        if (is_member(v, every)) frontier->list.items[frontier->list.count++] = (uint32_t)v;
    mg_frontier_from_list(frontier);
}

static uint64_t members(uint64_t vertices, uint64_t every) {
    uint64_t count = 0;
    for (uint64_t v = 0; v < vertices; v++) count += is_member(v, every);
    return count;
}

static void check_bitmap(const mg_frontier *frontier, uint64_t every) {
    for (uint64_t v = 0; v < frontier->vertices; v++)
        if (mg_bitmap_get(&frontier->bitmap, v) != is_member(v, every)) fail_msg("vertex %u", (unsigned)v);
}

static void there_and_back(void **state) {
    (void)state;
    const uint64_t sizes[] = {0, 1, 64, 65, 1000, 1200007};
    for (size_t t = 0; t < THREAD_COUNTS; t++) {
        meguri_ctx *ctx = context_with(thread_counts[t]);
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            for (uint64_t every = 1; every < 100; every = every * 5 + 1) {
                uint64_t expected = members(sizes[s], every);
                mg_frontier frontier;
                assert_int_equal(mg_frontier_new(&frontier, ctx, sizes[s]), MEGURI_OK);
                assert_true(frontier.has_list && frontier.has_bitmap);
                assert_int_equal(frontier.count, 0);
                fill_list(&frontier, every);
                assert_true(frontier.has_list && !frontier.has_bitmap);
                assert_int_equal(frontier.count, expected);
                mg_frontier_need_bitmap(ctx, &frontier);
                assert_true(frontier.has_list && frontier.has_bitmap);
                check_bitmap(&frontier, every);

                mg_frontier_from_bitmap(ctx, &frontier);
                assert_true(!frontier.has_list && frontier.has_bitmap);
                assert_int_equal(frontier.count, expected);
                frontier.list.count = 12345; /* old content does not matter */
                mg_frontier_need_list(ctx, &frontier);
                assert_int_equal(frontier.count, expected);
                assert_int_equal(frontier.list.count, expected);
                uint64_t place = 0;
                for (uint64_t v = 0; v < sizes[s]; v++)
                    if (is_member(v, every)) assert_int_equal(frontier.list.items[place++], v);
                mg_frontier_free(&frontier);
            }
        context_done(ctx);
    }
}

/* A list after a fuller bitmap: nothing of the old set may show. */
static void old_members_do_not_come_back(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(5);
    mg_frontier frontier;
    assert_int_equal(mg_frontier_new(&frontier, ctx, 500000), MEGURI_OK);
    for (uint64_t v = 0; v < 500000; v++) mg_bitmap_set(&frontier.bitmap, v);
    mg_frontier_from_bitmap(ctx, &frontier);
    assert_int_equal(frontier.count, 500000);
    fill_list(&frontier, 31);
    mg_frontier_need_bitmap(ctx, &frontier);
    check_bitmap(&frontier, 31);
    mg_frontier_clear(ctx, &frontier);
    assert_true(frontier.has_list && frontier.has_bitmap);
    assert_int_equal(frontier.count, 0);
    assert_int_equal(frontier.list.count, 0);
    assert_int_equal(mg_bitmap_count(ctx, &frontier.bitmap), 0);
    mg_frontier_free(&frontier);
    context_done(ctx);
}

/* A form that is there is not made again. */
static void a_form_that_is_there_is_kept(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(2);
    mg_frontier frontier;
    assert_int_equal(mg_frontier_new(&frontier, ctx, 100), MEGURI_OK);
    fill_list(&frontier, 7);
    uint32_t first = frontier.list.items[0];
    mg_frontier_need_list(ctx, &frontier);
    assert_int_equal(frontier.list.items[0], first); /* still decreasing, as it was filled */
    mg_frontier_need_bitmap(ctx, &frontier);
    mg_frontier_need_list(ctx, &frontier);
    assert_int_equal(frontier.list.items[0], first);
    mg_frontier_free(&frontier);
    context_done(ctx);
}

static void failing_allocations_are_reported(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    for (uint64_t k = 1; k <= 3; k++) {
        mg_frontier frontier;
        mg_begin(ctx);
        mg_memory_fail_at(ctx, k);
        meguri_status status = mg_frontier_new(&frontier, ctx, 1000);
        assert_int_equal(status, k <= 2 ? MEGURI_NO_MEMORY : MEGURI_OK);
        if (k <= 2) {
            assert_non_null(strstr(meguri_ctx_error(ctx), "frontier"));
            assert_int_equal(meguri_ctx_memory_used(ctx), 0);
        }
        mg_frontier_free(&frontier);
    }
    context_done(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_and_back),
        cmocka_unit_test(old_members_do_not_come_back),
        cmocka_unit_test(a_form_that_is_there_is_kept),
        cmocka_unit_test(failing_allocations_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
