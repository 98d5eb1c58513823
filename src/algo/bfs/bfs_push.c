/* The step from the frontier to its neighbours (top-down), in two forms.
 *
 * Narrow: threads take vertices of the frontier; a vertex is claimed by setting its bit, atomically where several
 * threads work, because pull needs the bitmap exact (P1), and what is found goes into a list.
 *
 * Wide, for frontiers of long rows: rows are sorted, so each thread takes a range of destinations and looks up in every
 * row the part that leads there. It alone writes the bits of its range: nothing is atomic and no line of the bitmap
 * moves between cores. What is found stays a bitmap.
 *
 * Rows are cut where the vertices of degree one begin: they come last in every row and are filled in at the end. */
#include "algo/bfs/bfs.h"

#include <omp.h>

#define ARC_GRAIN  4096 /* arcs that pay for another thread */
#define CHUNK      64   /* vertices of the frontier taken at a time */
#define WORD_GRAIN 8192
#define WIDE_ARCS  16384 /* a wide push has at least so many arcs … */
#define WIDE_ROW   32    /* … and so many in a row for each range of destinations */
#define RANGES     2     /* of destinations, for each thread */

/* ---- narrow ----------------------------------------------------------------------------------------------------- */

/* One thread's share of what is found. */
typedef struct push_share {
    mg_bfs_found found;
    mg_queue_buffer buffer;
} push_share;

/* `alone`: no other thread works. */
static inline void push_vertex(const meguri_bfs_search *s, push_share *share, uint32_t u, bool alone) {
    const uint32_t *neighbors = s->out.neighbors;
    uint64_t begin = mg_row_begin(&s->out, u), end = mg_row_end(&s->out, u), i = begin;
    uint32_t position = mg_to_user(&s->numbering, u);
    for (; i < end && neighbors[i] < s->core; i++) {
        uint32_t v = neighbors[i];
        uint64_t *word = &s->visited[v / 64], bit = (uint64_t)1 << (v % 64);
        if (mg_load(word) & bit) continue;
        if (alone) *word |= bit;
        else if (mg_fetch_or(word, bit) & bit) continue;
        mg_bfs_reach(s, v, position);
        share->found.reached++;
        share->found.arcs += mg_row_offset(&s->out, (uint64_t)v + 1) - mg_row_offset(&s->out, v);
        mg_queue_push(&share->buffer, v);
    }
    share->found.edges += i - begin;
}

static mg_bfs_found push_narrow(meguri_ctx *ctx, meguri_bfs_search *s, int threads) {
    mg_bfs_found found = {0};
    uint64_t next = 0;
    s->next.count = 0;
#pragma omp parallel num_threads(threads) if (threads > 1)
    {
        push_share share;
        share.found = (mg_bfs_found){0};
        share.buffer.queue = &s->next;
        share.buffer.count = 0;
        for (;;) {
            uint64_t from = threads > 1 ? mg_fetch_add(&next, CHUNK) : next, to = MG_MIN(from + CHUNK, s->list.count);
            next = threads > 1 ? next : to;
            if (from >= s->list.count || mg_progress(ctx, "bfs", s->visited_vertices, s->rows)) break;
            for (uint64_t k = from; k < to; k++)
                if (threads > 1) push_vertex(s, &share, s->list.items[k], false);
                else push_vertex(s, &share, s->list.items[k], true);
        }
        mg_queue_flush(&share.buffer);
#pragma omp critical(mg_bfs_push)
        mg_bfs_add(&found, &share.found);
    }
    mg_queue list = s->list;
    s->list = s->next;
    s->next = list;
    if (!found.reached) { /* the frontier stays what it was */
        s->next = s->list;
        s->list = list;
    }
    return found;
}

/* ---- wide ------------------------------------------------------------------------------------------------------- */

/* The first place in [begin, end) of a row whose neighbour is not below `vertex`. */
static uint64_t find_in_row(const uint32_t *neighbors, uint64_t begin, uint64_t end, uint32_t vertex) {
    while (begin < end) {
        uint64_t middle = begin + (end - begin) / 2;
        if (neighbors[middle] < vertex) begin = middle + 1;
        else end = middle;
    }
    return begin;
}

/* Word w of the bitmap such that the words before it have part/parts of the arcs. */
static uint64_t range_begin(const meguri_bfs_search *s, uint64_t part, uint64_t parts) {
    uint64_t words = mg_bitmap_words(s->core), low = 0, high = words;
    if (part == parts) return words;
    double wanted = (double)mg_row_offset(&s->out, s->core) * (double)part / (double)parts;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if ((double)mg_row_offset(&s->out, MG_MIN(64 * middle, s->core)) < wanted) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* All arcs from the frontier to the words [begin, end). */
static mg_bfs_found push_to_words(meguri_ctx *ctx, const meguri_bfs_search *s, const mg_bfs_hot *hot, uint64_t begin,
                                  uint64_t end) {
    mg_bfs_found found = {0};
    uint32_t first = (uint32_t)(64 * begin), limit = (uint32_t)MG_MIN(64 * end, s->core);
    memcpy(s->previous + begin, s->visited + begin, (end - begin) * sizeof *s->visited);
    for (uint64_t k = 0; k < s->list.count; k++) {
        uint32_t u = s->list.items[k];
        uint64_t from = mg_row_begin(&s->out, u), to = mg_row_end(&s->out, u);
        if (first) from = find_in_row(s->out.neighbors, from, to, first);
        found.edges += hot->push_arcs(s, u, from, to, limit);
        if (mg_progress(ctx, "bfs", s->visited_vertices, s->rows)) break;
    }
    for (uint64_t chunk = begin; chunk < end; chunk += CHUNK) {
        uint64_t reached = 0, stop = MG_MIN(chunk + CHUNK, end);
        for (uint64_t w = chunk; w < stop; w++)
            reached += (uint64_t)__builtin_popcountll(s->visited[w] & ~s->previous[w]);
        found.reached += reached;
        found.arcs += mg_bfs_estimate_arcs(s, chunk, stop, reached);
    }
    return found;
}

static mg_bfs_found push_wide(meguri_ctx *ctx, meguri_bfs_search *s, int threads) {
    const mg_bfs_hot *hot = mg_bfs_hot_loops();
    int ranges = threads == 1 ? 1 : RANGES * threads;
    mg_bfs_found found = {0};
#pragma omp parallel num_threads(threads)
    {
        mg_bfs_found share = {0};
#pragma omp for schedule(dynamic) nowait
        for (int r = 0; r < ranges; r++) {
            uint64_t begin = range_begin(s, (uint64_t)r, (uint64_t)ranges);
            uint64_t end = range_begin(s, (uint64_t)r + 1, (uint64_t)ranges);
            if (begin == end) continue;
            mg_bfs_found range = push_to_words(ctx, s, hot, begin, end);
            mg_bfs_add(&share, &range);
        }
#pragma omp critical(mg_bfs_push)
        mg_bfs_add(&found, &share);
    }
    if (found.reached) s->has_list = false;
    return found;
}

mg_bfs_found mg_bfs_push(meguri_ctx *ctx, meguri_bfs_search *s) {
    int threads = mg_threads(ctx, s->frontier_arcs + s->frontier, ARC_GRAIN);
    uint64_t ranges = RANGES * (uint64_t)threads;
    if (s->frontier_arcs >= WIDE_ARCS && s->frontier_arcs / s->frontier >= WIDE_ROW * ranges)
        return push_wide(ctx, s, threads);
    return push_narrow(ctx, s, threads);
}

/* ---- the frontier as a list ------------------------------------------------------------------------------------- */

void mg_bfs_need_list(meguri_ctx *ctx, meguri_bfs_search *s) {
    if (s->has_list) return;
    uint64_t words = mg_bitmap_words(s->core), arcs = 0;
    int threads = mg_threads(ctx, words, WORD_GRAIN);
    s->list.count = 0;
#pragma omp parallel num_threads(threads) reduction(+ : arcs)
    {
        mg_queue_buffer buffer;
        buffer.queue = &s->list;
        buffer.count = 0;
#pragma omp for schedule(static)
        for (uint64_t w = 0; w < words; w++)
            for (uint64_t bits = s->visited[w] & ~s->previous[w]; bits; bits &= bits - 1) {
                uint32_t v = (uint32_t)(64 * w + (uint64_t)__builtin_ctzll(bits));
                arcs += mg_row_offset(&s->out, (uint64_t)v + 1) - mg_row_offset(&s->out, v);
                mg_queue_push(&buffer, v);
            }
        mg_queue_flush(&buffer);
    }
    s->has_list = true;
    s->frontier_arcs = arcs;
}
