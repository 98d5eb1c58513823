/* Long rows cut into strips: an idea of Cagra (Zhang, Kiriansky, Mendis, Amarasinghe and Zaharia, 2017), here for long
 * rows alone.
 *
 * A hub's row leads everywhere, and read from end to end it drags all shares through the cache for a few sums. So long
 * rows are cut where strips of columns end. All pieces of a strip are summed while its shares are in the cache, one
 * strip after another; the sums of a row's pieces are added up later. A row is long if its pieces are worth it: a sum
 * costs as much as a few arcs. Pieces are copied, strip by strip, so that they are read in the order in which they lie,
 * and as 16-bit numbers, half as many bytes. That takes as long as two iterations. */
#include "algo/pagerank/pagerank.h"

enum {
    LEAST_ROW = 256,      /* arcs of a long row, at least */
    LEAST_PIECE = 7,      /* and in each strip on average */
    GROUP_ARCS = 1 << 20, /* arcs of a group of long rows, about: what a thread takes at a time, from one strip */
};

static uint64_t row_length(const mg_rows *rows, uint64_t v) {
    return mg_row_offset(rows, v + 1) - mg_row_offset(rows, v);
}

/* The first place in [begin, end) of an increasing row where a column is not below `limit`; near ones are found soon.
 */
static uint64_t find_column(const uint32_t *columns, uint64_t begin, uint64_t end, uint64_t limit) {
    uint64_t step = 1;
    while (begin + step < end && columns[begin + step] < limit) {
        begin += step;
        step *= 2;
    }
    uint64_t low = begin, high = MG_MIN(begin + step, end);
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (columns[middle] < limit) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* What every loop over groups of long rows does to one of them. */
typedef void row_fn(mg_pagerank_strips *strips, meguri_ctx *ctx, const mg_rows *rows, uint64_t i);

static void count_pieces(mg_pagerank_strips *strips, meguri_ctx *ctx, const mg_rows *rows, uint64_t i) {
    uint64_t at = mg_row_offset(rows, strips->long_rows[i]), end = mg_row_offset(rows, strips->long_rows[i] + 1ull);
    for (uint64_t s = 0; s < strips->strips; s++) {
        if (s % 64 == 63 && mg_progress(ctx, "pagerank", 0, 0)) return;
        uint64_t next = find_column(rows->neighbors, at, end, (s + 1) << MG_PAGERANK_STRIP);
        strips->place[s * strips->count + i] = next - at;
        at = next;
    }
}

static void copy_pieces(mg_pagerank_strips *strips, meguri_ctx *ctx, const mg_rows *rows, uint64_t i) {
    const uint32_t *from = rows->neighbors + mg_row_offset(rows, strips->long_rows[i]);
    for (uint64_t s = 0; s < strips->strips; s++) {
        if (s % 64 == 63 && mg_progress(ctx, "pagerank", 0, 0)) return;
        uint64_t begin = strips->place[s * strips->count + i], end = strips->place[s * strips->count + i + 1];
        for (uint64_t k = begin; k < end; k++) strips->columns[k] = (uint16_t)*from++; /* the high bits are s */
    }
}

static meguri_status each_long_row(mg_pagerank_strips *strips, meguri_ctx *ctx, const mg_rows *rows, row_fn *act) {
    int threads = mg_threads(ctx, strips->arcs, 1 << 15);
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (uint64_t g = 0; g < strips->group_count; g++)
        for (uint64_t i = strips->groups[g]; i < strips->groups[g + 1]; i++)
            if (!mg_progress(ctx, "pagerank", 0, 0)) act(strips, ctx, rows, i);
    return mg_cancelled(ctx) ? mg_fail_cancelled(ctx) : MEGURI_OK;
}

/* How many rows are long, and their arcs. */
static void count_long(mg_pagerank_strips *strips, const mg_rows *rows) {
    for (uint64_t v = 0; v < rows->rows; v++) {
        uint64_t length = row_length(rows, v);
        if (length < strips->least) continue;
        strips->count++;
        strips->arcs += length;
    }
}

static void list_long(mg_pagerank_strips *strips, const mg_rows *rows) {
    uint64_t i = 0, arcs = 0;
    for (uint64_t v = 0; v < rows->rows; v++) {
        uint64_t length = row_length(rows, v);
        if (length < strips->least) continue;
        if (!strips->group_count || arcs >= GROUP_ARCS) {
            strips->groups[strips->group_count++] = i;
            arcs = 0;
        }
        arcs += length;
        strips->long_rows[i++] = (uint32_t)v;
    }
    strips->groups[strips->group_count] = i;
}

meguri_status mg_pagerank_strips_new(mg_pagerank_strips *out, meguri_ctx *ctx, const mg_rows *rows) {
    const char *what = "the strips of PageRank";
    uint64_t strips = (rows->rows + (1 << MG_PAGERANK_STRIP) - 1) >> MG_PAGERANK_STRIP;
    *out = (mg_pagerank_strips){.strips = strips, .least = MG_MAX((uint64_t)LEAST_ROW, LEAST_PIECE * strips)};
    count_long(out, rows);
    uint64_t pieces = out->strips * out->count, groups = out->arcs / GROUP_ARCS + 2;
    uint64_t bytes = out->arcs * sizeof *out->columns + pieces * (sizeof *out->place + sizeof *out->sums) +
                     out->count * sizeof *out->long_rows + groups * sizeof *out->groups;
    if (!out->count || bytes > mg_memory_left(ctx)) {
        *out = (mg_pagerank_strips){.least = UINT64_MAX};
        return MEGURI_OK;
    }
    out->long_rows = mg_alloc_array(ctx, out->count, sizeof *out->long_rows, what);
    out->groups = mg_alloc_array(ctx, groups, sizeof *out->groups, what);
    out->place = mg_alloc_array(ctx, pieces + 1, sizeof *out->place, what);
    out->columns = mg_alloc_array(ctx, out->arcs, sizeof *out->columns, what);
    out->sums = mg_alloc_array(ctx, pieces, sizeof *out->sums, what);
    if (!out->long_rows || !out->groups || !out->place || !out->columns || !out->sums) return MEGURI_NO_MEMORY;
    list_long(out, rows);
    meguri_status status = each_long_row(out, ctx, rows, count_pieces);
    if (status != MEGURI_OK) return status;
    out->place[pieces] = 0;
    mg_scan_u64(ctx, out->place, pieces + 1);
    return each_long_row(out, ctx, rows, copy_pieces);
}

void mg_pagerank_strips_free(mg_pagerank_strips *strips) {
    mg_free(strips->long_rows);
    mg_free(strips->groups);
    mg_free(strips->place);
    mg_free(strips->columns);
    mg_free(strips->sums);
    *strips = (mg_pagerank_strips){.least = UINT64_MAX};
}

/* Four sums, so that an addition need not wait for the one before. */
static inline double sum_piece(const double *share, const uint16_t *columns, uint64_t count) {
    double a = 0, b = 0, c = 0, d = 0;
    uint64_t k = 0;
    for (; k + 4 <= count; k += 4) {
        a += share[columns[k]];
        b += share[columns[k + 1]];
        c += share[columns[k + 2]];
        d += share[columns[k + 3]];
    }
    for (; k < count; k++) a += share[columns[k]];
    return (a + b) + (c + d);
}

void mg_pagerank_strips_sum(meguri_ctx *ctx, const mg_pagerank_strips *strips, const double *share, uint64_t done,
                            uint64_t total) {
    uint64_t tasks = strips->strips * strips->group_count;
    int threads = mg_threads(ctx, strips->arcs, 1 << 15);
    /* All groups of a strip before the next strip: threads share its columns. */
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (uint64_t task = 0; task < tasks; task++) {
        if (mg_progress(ctx, "pagerank", done, total)) continue;
        uint64_t s = task / strips->group_count, g = task % strips->group_count;
        const double *from = share + (s << MG_PAGERANK_STRIP);
        for (uint64_t i = strips->groups[g]; i < strips->groups[g + 1]; i++) {
            uint64_t piece = s * strips->count + i, begin = strips->place[piece];
            strips->sums[piece] = sum_piece(from, strips->columns + begin, strips->place[piece + 1] - begin);
        }
    }
}
