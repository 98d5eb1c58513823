/* What arcs carry while they are sorted, as unsigned numbers of 4, 8 or 16 bytes; `bytes` is a constant where these are
 * inlined. */
#ifndef MG_GRAPH_CARRIED_H
#define MG_GRAPH_CARRIED_H

#include <stdbool.h>
#include <stdint.h>

typedef struct mg_carried16 {
    uint64_t low, high; /* `high` comes first in the order */
} mg_carried16;

static inline mg_carried16 mg_carried_at(const void *carried, uint64_t i, uint32_t bytes) {
    if (bytes == 16) return ((const mg_carried16 *)carried)[i];
    return (mg_carried16){bytes == 4 ? ((const uint32_t *)carried)[i] : ((const uint64_t *)carried)[i], 0};
}

static inline void mg_put_carried(void *carried, uint64_t i, mg_carried16 value, uint32_t bytes) {
    if (bytes == 4) ((uint32_t *)carried)[i] = (uint32_t)value.low;
    if (bytes == 8) ((uint64_t *)carried)[i] = value.low;
    if (bytes == 16) ((mg_carried16 *)carried)[i] = value;
}

static inline bool mg_carried_below(mg_carried16 a, mg_carried16 b) {
    return a.high != b.high ? a.high < b.high : a.low < b.low;
}

/* Brings the smallest to the front: all that is needed where one of equal arcs stays. */
static inline void mg_carried_smallest_first(void *carried, uint64_t begin, uint64_t end, uint32_t bytes) {
    mg_carried16 smallest = mg_carried_at(carried, begin, bytes);
    for (uint64_t i = begin + 1; i < end; i++) {
        mg_carried16 other = mg_carried_at(carried, i, bytes);
        if (mg_carried_below(other, smallest)) smallest = other;
    }
    mg_put_carried(carried, begin, smallest, bytes);
}

/* Lets an item sink in the heap of the items [begin, begin + count), largest on top. */
static inline void mg_carried_sink(void *carried, uint64_t begin, uint64_t at, uint64_t count, uint32_t bytes) {
    mg_carried16 moving = mg_carried_at(carried, begin + at, bytes);
    for (uint64_t child; (child = 2 * at + 1) < count; at = child) {
        mg_carried16 larger = mg_carried_at(carried, begin + child, bytes);
        if (child + 1 < count && mg_carried_below(larger, mg_carried_at(carried, begin + child + 1, bytes)))
            larger = mg_carried_at(carried, begin + ++child, bytes);
        if (!mg_carried_below(moving, larger)) break;
        mg_put_carried(carried, begin + at, larger, bytes);
    }
    mg_put_carried(carried, begin + at, moving, bytes);
}

/* Equal arcs in order. They are few as a rule: insertion; and where they are many, a heap. */
static inline void mg_carried_sort(void *carried, uint64_t begin, uint64_t end, uint32_t bytes) {
    enum { FEW = 32 };
    uint64_t count = end - begin;
    if (count > FEW) {
        for (uint64_t at = count / 2; at-- > 0;) mg_carried_sink(carried, begin, at, count, bytes);
        while (count-- > 1) {
            mg_carried16 largest = mg_carried_at(carried, begin, bytes);
            mg_put_carried(carried, begin, mg_carried_at(carried, begin + count, bytes), bytes);
            mg_put_carried(carried, begin + count, largest, bytes);
            mg_carried_sink(carried, begin, 0, count, bytes);
        }
        return;
    }
    for (uint64_t i = begin + 1; i < end; i++) {
        uint64_t j = i;
        mg_carried16 moving = mg_carried_at(carried, i, bytes);
        for (; j > begin && mg_carried_below(moving, mg_carried_at(carried, j - 1, bytes)); j--)
            mg_put_carried(carried, j, mg_carried_at(carried, j - 1, bytes), bytes);
        mg_put_carried(carried, j, moving, bytes);
    }
}

#endif
