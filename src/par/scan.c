/* Exclusive prefix sums.
 *
 * Two loops over shares, one for each thread: each share is summed, the sums are scanned, then each share is scanned
 * from where the ones before it end. Sums of integers do not depend on how they are grouped, so neither does the
 * result.
 *
 * Each loop is written once, for an item size that is a constant where it is inlined. */
#include "par/par.h"

#define INLINE static inline __attribute__((always_inline))

#define GRAIN 32768 /* below this many items a second thread costs more than it saves */

typedef struct scan {
    void *items;
    uint64_t count;
    int shares;
    uint64_t starts[MG_MAX_THREADS]; /* the sum of each share, then of all before it */
} scan;

INLINE uint64_t sum_as(const void *items, mg_range share, size_t size) {
    uint64_t sum = 0;
    for (uint64_t i = share.begin; i < share.end; i++)
        sum += size == 4 ? ((const uint32_t *)items)[i] : ((const uint64_t *)items)[i];
    return sum;
}

INLINE uint64_t scan_as(void *items, mg_range share, uint64_t sum, size_t size) {
    for (uint64_t i = share.begin; i < share.end; i++) {
        uint64_t item = size == 4 ? ((uint32_t *)items)[i] : ((uint64_t *)items)[i];
        if (size == 4) ((uint32_t *)items)[i] = (uint32_t)sum;
        else ((uint64_t *)items)[i] = sum;
        sum += item;
    }
    return sum;
}

INLINE void sum_shares_as(scan *s, uint64_t begin, uint64_t end, size_t size) {
    for (uint64_t i = begin; i < end; i++) s->starts[i] = sum_as(s->items, mg_share(s->count, (int)i, s->shares), size);
}

INLINE void scan_shares_as(scan *s, uint64_t begin, uint64_t end, size_t size) {
    for (uint64_t i = begin; i < end; i++) scan_as(s->items, mg_share(s->count, (int)i, s->shares), s->starts[i], size);
}

static void sum_shares_u64(void *what, uint64_t begin, uint64_t end) { sum_shares_as(what, begin, end, 8); }
static void sum_shares_u32(void *what, uint64_t begin, uint64_t end) { sum_shares_as(what, begin, end, 4); }
static void scan_shares_u64(void *what, uint64_t begin, uint64_t end) { scan_shares_as(what, begin, end, 8); }
static void scan_shares_u32(void *what, uint64_t begin, uint64_t end) { scan_shares_as(what, begin, end, 4); }

static uint64_t scan_together(meguri_ctx *ctx, void *items, uint64_t count, int threads, mg_range_fn *sum_shares,
                              mg_range_fn *scan_shares) {
    scan s = {.items = items, .count = count, .shares = threads};
    mg_for(ctx, threads, (uint64_t)threads, sum_shares, &s);
    uint64_t total = scan_as(s.starts, (mg_range){0, (uint64_t)threads}, 0, 8);
    mg_for(ctx, threads, (uint64_t)threads, scan_shares, &s);
    return total;
}

uint64_t mg_scan_u64(meguri_ctx *ctx, uint64_t *a, uint64_t count) {
    int threads = mg_threads(ctx, count, GRAIN);
    if (threads == 1) return scan_as(a, (mg_range){0, count}, 0, 8);
    return scan_together(ctx, a, count, threads, sum_shares_u64, scan_shares_u64);
}

uint64_t mg_scan_u32(meguri_ctx *ctx, uint32_t *a, uint64_t count) {
    int threads = mg_threads(ctx, count, GRAIN);
    if (threads == 1) return scan_as(a, (mg_range){0, count}, 0, 4);
    return scan_together(ctx, a, count, threads, sum_shares_u32, scan_shares_u32);
}
