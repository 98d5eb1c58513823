/* The step from the frontier to its neighbours (top-down).
 *
 * A vertex is claimed by setting its bit, atomically where several threads work, because pull needs the bitmap exact
 * (P1). Rows are cut where the vertices of degree one begin: they come last in every row and are filled in at the end.
 * Rows of hubs are shared out among the threads after all others. */
#include "algo/bfs/bfs.h"

#include <omp.h>

#define ARC_GRAIN  4096  /* arcs that pay for another thread */
#define CHUNK      64    /* vertices of the frontier taken at a time */
#define HUB_ARCS   16384 /* rows from this length on are shared out … */
#define HUB_PIECE  4096  /* … in pieces of so many arcs */
#define HUBS       1024  /* at most; more rows of that length are many enough to balance by themselves */
#define WORD_GRAIN 8192

typedef struct push_work {
    const meguri_bfs_search *search;
    uint32_t chunk, hub_piece; /* next ones to take */
    uint32_t hub_count;
    uint32_t hubs[HUBS];
    uint32_t hub_pieces[HUBS + 1]; /* pieces before a hub's first */
} push_work;

/* One thread's share of what is found. */
typedef struct push_share {
    mg_bfs_found found;
    mg_queue_buffer buffer;
} push_share;

/* The arcs [begin, end) of u. `alone`: no other thread works. */
static inline void push_row(const meguri_bfs_search *s, push_share *share, uint32_t u, uint64_t begin, uint64_t end,
                            bool alone) {
    const uint32_t *neighbors = s->out.neighbors;
    int32_t level = (int32_t)s->depth + 1;
    uint64_t i = begin;
    for (; i < end; i++) {
        uint32_t v = neighbors[i];
        if (v >= s->core) break;
        uint64_t *word = &s->visited[v / 64], bit = (uint64_t)1 << (v % 64);
        if (mg_load(word) & bit) continue;
        if (alone) *word |= bit;
        else if (mg_fetch_or(word, bit) & bit) continue;
        mg_bfs_reach(s, v, u, level);
        share->found.reached++;
        share->found.arcs += mg_row_offset(&s->out, v + 1) - mg_row_offset(&s->out, v);
        mg_queue_push(&share->buffer, v);
    }
    share->found.edges += i - begin + (i < end);
}

static void push_alone(const meguri_bfs_search *s, push_share *share) {
    for (uint64_t k = 0; k < s->list.count; k++) {
        uint32_t u = s->list.items[k];
        push_row(s, share, u, mg_row_begin(&s->out, u), mg_row_end(&s->out, u), true);
    }
}

/* Hubs that do not fit the table are done on the spot. */
static bool put_off(push_work *work, uint64_t arcs, uint32_t u) {
    if (arcs < HUB_ARCS) return false;
    uint32_t place = mg_fetch_add(&work->hub_count, 1);
    if (place >= HUBS) return false;
    work->hubs[place] = u;
    work->hub_pieces[place + 1] = (uint32_t)((arcs + HUB_PIECE - 1) / HUB_PIECE);
    return true;
}

static void push_small_rows(meguri_ctx *ctx, push_work *work, push_share *share) {
    const meguri_bfs_search *s = work->search;
    for (;;) {
        uint64_t from = (uint64_t)mg_fetch_add(&work->chunk, 1) * CHUNK;
        if (from >= s->list.count || mg_progress(ctx, "bfs", s->visited_vertices, s->rows)) break;
        uint64_t to = MG_MIN(from + CHUNK, s->list.count);
        for (uint64_t k = from; k < to; k++) {
            uint32_t u = s->list.items[k];
            uint64_t begin = mg_row_begin(&s->out, u), end = mg_row_end(&s->out, u);
            if (!put_off(work, end - begin, u)) push_row(s, share, u, begin, end, false);
        }
    }
}

static void push_hubs(meguri_ctx *ctx, push_work *work, push_share *share) {
    const meguri_bfs_search *s = work->search;
    for (uint32_t hub = 0;;) {
        uint32_t piece = mg_fetch_add(&work->hub_piece, 1);
        if (piece >= work->hub_pieces[work->hub_count] || mg_progress(ctx, "bfs", s->visited_vertices, s->rows)) break;
        while (work->hub_pieces[hub + 1] <= piece) hub++;
        uint32_t u = work->hubs[hub];
        uint64_t begin = mg_row_begin(&s->out, u) + (uint64_t)(piece - work->hub_pieces[hub]) * HUB_PIECE;
        push_row(s, share, u, begin, MG_MIN(begin + HUB_PIECE, mg_row_end(&s->out, u)), false);
    }
}

mg_bfs_found mg_bfs_push(meguri_ctx *ctx, meguri_bfs_search *s) {
    mg_bfs_found found = {0};
    push_work work = {.search = s};
    int threads = mg_threads(ctx, s->frontier_arcs + s->frontier, ARC_GRAIN);
    s->next.count = 0;
    if (threads == 1) {
        push_share share = {.buffer.queue = &s->next};
        push_alone(s, &share);
        mg_queue_flush(&share.buffer);
        return share.found;
    }
#pragma omp parallel num_threads(threads)
    {
        push_share share;
        share.found = (mg_bfs_found){0};
        share.buffer.queue = &s->next;
        share.buffer.count = 0;
        push_small_rows(ctx, &work, &share);
#pragma omp barrier
#pragma omp single
        {
            work.hub_count = MG_MIN(work.hub_count, HUBS);
            for (uint32_t i = 0; i < work.hub_count; i++) work.hub_pieces[i + 1] += work.hub_pieces[i];
        }
        if (work.hub_count) push_hubs(ctx, &work, &share);
        mg_queue_flush(&share.buffer);
#pragma omp critical(mg_bfs_push)
        {
            found.reached += share.found.reached;
            found.arcs += share.found.arcs;
            found.edges += share.found.edges;
        }
    }
    return found;
}

/* ---- the frontier after a pull, as a list ----------------------------------------------------------------------- */

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
