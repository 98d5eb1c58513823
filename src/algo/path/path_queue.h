/* A queue of numbers by cost, the cheapest at the top; of equal costs the one with the smaller `tie`, so that what
 * comes out does not depend on how it lies. Entries that have become too dear stay until they come up. */
#ifndef MG_PATH_QUEUE_H
#define MG_PATH_QUEUE_H

#include "base/base.h"

typedef struct mg_path_entry {
    double cost;
    uint32_t tie, item;
} mg_path_entry;

typedef struct mg_path_queue {
    mg_path_entry *entries;
    uint64_t count, room;
} mg_path_queue;

static inline bool mg_path_cheaper(const mg_path_entry *a, const mg_path_entry *b) {
    return a->cost < b->cost || (a->cost == b->cost && a->tie < b->tie);
}

static inline meguri_status mg_path_queue_push(mg_path_queue *queue, meguri_ctx *ctx, mg_path_entry entry) {
    if (queue->count == queue->room) {
        uint64_t room = queue->room ? 2 * queue->room : 64;
        mg_path_entry *entries = mg_resize(ctx, queue->entries, room * sizeof *entries, "the queue of a path question");
        if (!entries) return MEGURI_NO_MEMORY;
        queue->entries = entries;
        queue->room = room;
    }
    uint64_t place = queue->count++;
    while (place > 0 && mg_path_cheaper(&entry, &queue->entries[(place - 1) / 4])) {
        queue->entries[place] = queue->entries[(place - 1) / 4];
        place = (place - 1) / 4;
    }
    queue->entries[place] = entry;
    return MEGURI_OK;
}

/* It is not empty. */
static inline mg_path_entry mg_path_queue_pop(mg_path_queue *queue) {
    mg_path_entry top = queue->entries[0], last = queue->entries[--queue->count];
    uint64_t place = 0;
    for (;;) {
        uint64_t child = 4 * place + 1, end = MG_MIN(child + 4, queue->count), least = child;
        if (child >= end) break;
        while (++child < end)
            if (mg_path_cheaper(&queue->entries[child], &queue->entries[least])) least = child;
        if (!mg_path_cheaper(&queue->entries[least], &last)) break;
        queue->entries[place] = queue->entries[least];
        place = least;
    }
    if (queue->count > 0) queue->entries[place] = last;
    return top;
}

#endif
