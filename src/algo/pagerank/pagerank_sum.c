/* The inner loop of PageRank: the sums of the pieces of a tile.
 *
 * Pieces of one length are summed together, so that the processor foresees where they end; for short ones the loop is
 * unrolled for every length. An arc costs two loads, of a column and of a share, and an addition. */
#include "algo/pagerank/pagerank.h"

#include <sched.h>

#define INLINE static inline __attribute__((always_inline))

INLINE uint32_t column(const void *columns, uint64_t at, bool wide) {
    return wide ? ((const uint32_t *)columns)[at] : ((const uint16_t *)columns)[at];
}

/* From four on there are four sums, so that an addition need not wait for the one before. */
INLINE double sum_piece(const double *share, const void *columns, uint64_t at, uint32_t length, bool wide) {
    double a = share[column(columns, at, wide)], b, c, d;
    if (length < 4) {
        for (uint32_t k = 1; k < length; k++) a += share[column(columns, at + k, wide)];
        return a;
    }
    b = share[column(columns, at + 1, wide)];
    c = share[column(columns, at + 2, wide)];
    d = share[column(columns, at + 3, wide)];
    uint32_t k = 4;
    for (; k + 4 <= length; k += 4) {
        a += share[column(columns, at + k, wide)];
        b += share[column(columns, at + k + 1, wide)];
        c += share[column(columns, at + k + 2, wide)];
        d += share[column(columns, at + k + 3, wide)];
    }
    for (; k < length; k++) a += share[column(columns, at + k, wide)];
    return (a + b) + (c + d);
}

/* `count` pieces of this length. */
INLINE void sum_alike(double *sums, const double *share, const uint16_t *rows, const void *columns, uint64_t at,
                      uint32_t count, uint32_t length, bool wide) {
    for (uint32_t i = 0; i < count; i++, at += length) {
        if (wide)
            for (uint32_t k = 0; k < length; k++)
                __builtin_prefetch(&share[column(columns, at + MG_TILE_AHEAD + k, wide)]);
        sums[rows[i]] += sum_piece(share, columns, at, length, wide);
    }
}

#define UNROLLED(length)                                                                                               \
    case length: sum_alike(sums, share, pieces + 2, columns, at, count, length, wide); break

INLINE void sum_tile(double *sums, const double *share, const uint16_t *pieces, const void *columns, bool wide) {
    uint64_t at = 0;
    while (pieces[0]) {
        uint32_t length = pieces[0], count = pieces[1];
        switch (length) {
            UNROLLED(1);
            UNROLLED(2);
            UNROLLED(3);
            UNROLLED(4);
            UNROLLED(5);
            UNROLLED(6);
            UNROLLED(7);
            UNROLLED(8);
            UNROLLED(9);
            UNROLLED(10);
            UNROLLED(11);
            UNROLLED(12);
            UNROLLED(13);
            UNROLLED(14);
            UNROLLED(15);
            UNROLLED(16);
        default: sum_alike(sums, share, pieces + 2, columns, at, count, length, wide);
        }
        at += (uint64_t)count * length;
        pieces += 2 + count;
    }
}

static void sum_any(double *sums, const mg_row_tiles *tiles, const mg_row_tile *tile, const double *share) {
    const uint16_t *pieces = tiles->cells + tile->pieces, *columns = tiles->cells + tile->columns;
    if (mg_row_tile_is_wide(tile)) sum_tile(sums, share, pieces, columns, true);
    else sum_tile(sums, share + tile->first, pieces, columns, false);
}

bool mg_pagerank_tile_turn(double *sums, mg_range rows, const mg_row_tiles *tiles, const mg_row_tile *tile,
                           uint32_t *group_done, const double *share, bool cancelled) {
    uint32_t *done = &group_done[tile->group];
    while (__atomic_load_n(done, __ATOMIC_ACQUIRE) != tile->turn) sched_yield();
    if (!cancelled) {
        if (!tile->turn) memset(sums + rows.begin, 0, (rows.end - rows.begin) * sizeof *sums);
        sum_any(sums + rows.begin, tiles, tile, share);
    }
    __atomic_store_n(done, tile->turn + 1, __ATOMIC_RELEASE);
    return !cancelled && tile->turn + 1 == tiles->of_group[tile->group];
}
