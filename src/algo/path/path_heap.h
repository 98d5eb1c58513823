/* A heap of numbers by cost, the cheapest at the top; of equal costs the one with the smaller `tie`, so that what comes
 * out does not depend on how the heap lies. Entries that have become too dear stay until they come up. */
#ifndef MG_PATH_HEAP_H
#define MG_PATH_HEAP_H

#include "base/base.h"

typedef struct mg_path_entry {
    double cost;
    uint32_t tie, item;
} mg_path_entry;

typedef struct mg_path_heap {
    mg_path_entry *entries;
    uint64_t count, room;
} mg_path_heap;

static inline bool mg_path_cheaper(const mg_path_entry *a, const mg_path_entry *b) {
    return a->cost < b->cost || (a->cost == b->cost && a->tie < b->tie);
}

static inline meguri_status mg_path_heap_push(mg_path_heap *heap, meguri_ctx *ctx, mg_path_entry entry) {
    if (heap->count == heap->room) {
        uint64_t room = heap->room ? 2 * heap->room : 64;
        mg_path_entry *entries = mg_resize(ctx, heap->entries, room * sizeof *entries, "the queue of a path question");
        if (!entries) return MEGURI_NO_MEMORY;
        heap->entries = entries;
        heap->room = room;
    }
    uint64_t place = heap->count++;
    while (place > 0 && mg_path_cheaper(&entry, &heap->entries[(place - 1) / 4])) {
        heap->entries[place] = heap->entries[(place - 1) / 4];
        place = (place - 1) / 4;
    }
    heap->entries[place] = entry;
    return MEGURI_OK;
}

/* The heap is not empty. */
static inline mg_path_entry mg_path_heap_pop(mg_path_heap *heap) {
    mg_path_entry top = heap->entries[0], last = heap->entries[--heap->count];
    uint64_t place = 0;
    for (;;) {
        uint64_t child = 4 * place + 1, end = MG_MIN(child + 4, heap->count), least = child;
        if (child >= end) break;
        while (++child < end)
            if (mg_path_cheaper(&heap->entries[child], &heap->entries[least])) least = child;
        if (!mg_path_cheaper(&heap->entries[least], &last)) break;
        heap->entries[place] = heap->entries[least];
        place = least;
    }
    if (heap->count > 0) heap->entries[place] = last;
    return top;
}

#endif
