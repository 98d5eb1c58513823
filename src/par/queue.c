/* The queue many threads append to: one atomic addition reserves room for a whole buffer. */
#include "par/par.h"

#include <assert.h>

meguri_status mg_queue_new(mg_queue *out, meguri_ctx *ctx, uint64_t capacity, const char *what) {
    *out = (mg_queue){0};
    uint32_t *items = mg_alloc_array(ctx, capacity, sizeof *items, what);
    if (!items) return MEGURI_NO_MEMORY;
    *out = (mg_queue){.items = items, .capacity = capacity};
    return MEGURI_OK;
}

void mg_queue_free(mg_queue *queue) {
    mg_free(queue->items);
    *queue = (mg_queue){0};
}

void mg_queue_flush(mg_queue_buffer *buffer) {
    mg_queue *queue = buffer->queue;
    if (buffer->count == 0) return;
    uint64_t place = mg_fetch_add(&queue->count, (uint64_t)buffer->count);
    assert(place + buffer->count <= queue->capacity);
    memcpy(queue->items + place, buffer->items, buffer->count * sizeof *buffer->items);
    buffer->count = 0;
}
