/* The step from the frontier to its neighbours (top-down), in three forms.
 *
 * Listed, while there is little to do: what is found goes into a list, with its arcs counted.
 *
 * Marked, for more: what is found stays a bitmap, from which the next push makes an increasing list; no list is written
 * and no arcs are looked up at random.
 *
 * Wide, for frontiers of long rows: rows are sorted, so each thread takes a range of destinations and looks up in every
 * row the part that leads there. It alone writes the bits of its range: nothing is atomic and no line of the bitmap
 * moves between cores. What is found stays a bitmap.
 *
 * In the first two, threads take vertices of the frontier, and a vertex is claimed by setting its bit, atomically where
 * several threads work, because pull needs the bitmap exact (P1). Rows are cut where the vertices of degree one begin:
 * they come last in every row and are filled in at the end. */
#include "algo/bfs/bfs.h"

#include <omp.h>

#define ARC_GRAIN  4096 /* arcs that pay for another thread */
#define CHUNK      64   /* vertices of the frontier taken at a time */
#define WORD_GRAIN 8192
#define AHEAD      8  /* vertices of the frontier whose rows are fetched ahead */
#define WIDE_ROW   32 /* arcs in a row, on average, that pay for each range of destinations of a wide push */
#define RANGES     2  /* of destinations, for each thread */

/* ---- listed and marked ------------------------------------------------------------------------------------------ */

/* One thread's share of what is found. */
typedef struct push_share {
    mg_bfs_found found;
    mg_queue_buffer buffer;
} push_share;

/* `listed` or marked; `alone`: no other thread works. Both are constants where it is called. */
static inline void push_vertex(const meguri_bfs_search *s, push_share *share, uint32_t u, bool listed, bool alone) {
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
        if (!listed) continue;
        share->found.reached++;
        share->found.arcs += mg_row_offset(&s->out, (uint64_t)v + 1) - mg_row_offset(&s->out, v);
        mg_queue_push(&share->buffer, v);
    }
    share->found.edges += i - begin;
}

/* The vertices [from, to) of the list. */
static void push_some(const meguri_bfs_search *s, push_share *share, uint64_t from, uint64_t to, bool listed,
                      bool alone) {
    for (uint64_t k = from; k < to; k++) {
        uint32_t u = s->list.items[k];
        if (k + AHEAD < to) {
            uint32_t ahead = s->list.items[k + AHEAD];
            __builtin_prefetch(&s->out.neighbors[mg_row_begin(&s->out, ahead)]);
        }
        if (listed && alone) push_vertex(s, share, u, true, true);
        else if (listed) push_vertex(s, share, u, true, false);
        else if (alone) push_vertex(s, share, u, false, true);
        else push_vertex(s, share, u, false, false);
    }
}

static mg_bfs_found push_alone(meguri_bfs_search *s) {
    push_share share;
    share.found = (mg_bfs_found){0};
    share.buffer.queue = &s->next;
    share.buffer.count = 0;
    push_some(s, &share, 0, s->list.count, true, true);
    mg_queue_flush(&share.buffer);
    return share.found;
}

static mg_bfs_found push_together(meguri_ctx *ctx, meguri_bfs_search *s, int threads, bool listed) {
    mg_bfs_found found = {0};
    uint64_t next = 0;
#pragma omp parallel num_threads(threads)
    {
        push_share share;
        share.found = (mg_bfs_found){0};
        share.buffer.queue = &s->next;
        share.buffer.count = 0;
        for (;;) {
            uint64_t from = mg_fetch_add(&next, CHUNK), to = MG_MIN(from + CHUNK, s->list.count);
            if (from >= s->list.count || mg_progress(ctx, "bfs", s->visited_vertices, s->rows)) break;
            push_some(s, &share, from, to, listed, false);
        }
        mg_queue_flush(&share.buffer);
#pragma omp critical(mg_bfs_push)
        mg_bfs_add(&found, &share.found);
    }
    return found;
}

static mg_bfs_found push_listed(meguri_ctx *ctx, meguri_bfs_search *s, int threads) {
    s->next.count = 0;
    mg_bfs_found found = threads == 1 ? push_alone(s) : push_together(ctx, s, threads, true);
    if (found.reached) {
        mg_queue list = s->list;
        s->list = s->next;
        s->next = list;
    }
    return found;
}

/* What the words [begin, end) of the bitmap gained. */
static mg_bfs_found count_marked(const meguri_bfs_search *s, uint64_t begin, uint64_t end) {
    mg_bfs_found found = {0};
    for (uint64_t chunk = begin; chunk < end; chunk += CHUNK) {
        uint64_t reached = 0, stop = MG_MIN(chunk + CHUNK, end);
        for (uint64_t w = chunk; w < stop; w++)
            reached += (uint64_t)__builtin_popcountll(s->visited[w] & ~s->previous[w]);
        found.reached += reached;
        found.arcs += mg_bfs_estimate_arcs(s, chunk, stop, reached);
    }
    return found;
}

static mg_bfs_found push_marked(meguri_ctx *ctx, meguri_bfs_search *s, int threads) {
    uint64_t words = mg_bitmap_words(s->core);
    memcpy(s->previous, s->visited, words * sizeof *s->visited);
    mg_bfs_found found = push_together(ctx, s, threads, false), marked = count_marked(s, 0, words);
    mg_bfs_add(&found, &marked);
    if (found.reached) s->has_list = false;
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
    mg_bfs_found marked = count_marked(s, begin, end);
    mg_bfs_add(&found, &marked);
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
    /* A bitmap is worth its look at every word. */
    if (s->frontier_arcs < mg_bitmap_words(s->core)) return push_listed(ctx, s, threads);
    if (s->frontier_arcs / s->frontier >= WIDE_ROW * ranges) return push_wide(ctx, s, threads);
    return push_marked(ctx, s, threads);
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
