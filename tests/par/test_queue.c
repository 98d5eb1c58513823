/* The queue: whatever many threads push is there once, whole buffers or not. */
#define _GNU_SOURCE
#include "support/at_once.h"
#include "support/unit.h"

enum { THREADS = 5, ITEMS = 50021 }; /* no multiple of a buffer for any thread */

static void push_a_share(void *what, int thread) {
    mg_queue_buffer buffer = {.queue = what};
    for (uint32_t i = (uint32_t)thread; i < ITEMS; i += THREADS) mg_queue_push(&buffer, i);
    mg_queue_flush(&buffer);
    mg_queue_flush(&buffer); /* an empty buffer adds nothing */
}

static void everything_pushed_is_there_once(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(THREADS);
    mg_queue queue;
    assert_int_equal(mg_queue_new(&queue, ctx, ITEMS, "a test"), MEGURI_OK);
    assert_int_equal(queue.capacity, ITEMS);
    at_once(THREADS, push_a_share, &queue);
    assert_int_equal(queue.count, ITEMS);
    uint8_t *seen = calloc(ITEMS, 1);
    for (uint64_t i = 0; i < ITEMS; i++) {
        assert_true(queue.items[i] < ITEMS);
        seen[queue.items[i]]++;
    }
    for (uint64_t i = 0; i < ITEMS; i++) assert_int_equal(seen[i], 1);
    free(seen);
    mg_queue_free(&queue);
    mg_queue_free(&queue);
    context_done(ctx);
}

static void one_thread_keeps_the_order(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    mg_queue queue;
    assert_int_equal(mg_queue_new(&queue, ctx, 3 * MG_QUEUE_BUFFER, "a test"), MEGURI_OK);
    mg_queue_buffer buffer = {.queue = &queue};
    for (uint32_t i = 0; i < 3 * MG_QUEUE_BUFFER; i++) {
        mg_queue_push(&buffer, 7 * i);
        assert_true(queue.count % MG_QUEUE_BUFFER == 0);
    }
    mg_queue_flush(&buffer);
    assert_int_equal(queue.count, 3 * MG_QUEUE_BUFFER);
    for (uint32_t i = 0; i < 3 * MG_QUEUE_BUFFER; i++) assert_int_equal(queue.items[i], 7 * i);
    mg_queue_free(&queue);
    context_done(ctx);
}

static void failing_allocation_is_reported(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    mg_queue queue;
    mg_memory_fail_at(ctx, 1);
    assert_int_equal(mg_queue_new(&queue, ctx, 10, "the queue of a test"), MEGURI_NO_MEMORY);
    assert_non_null(strstr(meguri_ctx_error(ctx), "the queue of a test"));
    mg_queue_free(&queue);
    mg_begin(ctx);
    assert_int_equal(mg_queue_new(&queue, ctx, UINT64_MAX, "the queue of a test"), MEGURI_NO_MEMORY);
    mg_queue_free(&queue);
    context_done(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_pushed_is_there_once),
        cmocka_unit_test(one_thread_keeps_the_order),
        cmocka_unit_test(failing_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
