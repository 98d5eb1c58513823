/* The end of a search: vertices of degree one get the parent that their only edge gives them, and what is unreached is
 * marked so. One sweep in internal order; afterwards every entry of the result has been written, so that a search
 * need not clear it first. */
#include "algo/bfs/bfs.h"

#include <omp.h>

#define LEAF_CHUNK 4096
#define WORD_CHUNK 64

static inline bool is_visited(const uint64_t *visited, uint32_t v) { return (visited[v / 64] >> (v % 64)) & 1; }

static inline void leave_unreached(const meguri_bfs_search *s, uint32_t v) {
    uint32_t position = mg_to_user(&s->numbering, v);
    if (s->parent) s->parent[position] = MEGURI_NO_VERTEX;
    if (s->level) s->level[position] = -1;
}

static void fill_unreached(const meguri_bfs_search *s, uint64_t begin, uint64_t end) {
    for (uint64_t w = begin; w < end; w++) {
        uint64_t bits = ~s->visited[w];
        if (64 * (w + 1) > s->core) bits &= ((uint64_t)1 << (s->core % 64)) - 1;
        for (; bits; bits &= bits - 1) leave_unreached(s, (uint32_t)(64 * w + (uint64_t)__builtin_ctzll(bits)));
    }
}

/* The rows of leaves are one neighbour each, so they lie in one piece. */
static uint64_t fill_leaves(const meguri_bfs_search *s, const uint64_t *open, uint32_t begin, uint32_t end) {
    const uint32_t *only = s->out.neighbors + mg_row_offset(&s->out, s->core);
    uint64_t reached = 0;
    for (uint32_t v = begin; v < end; v++) {
        uint32_t u = only[v - s->core];
        if (v == s->source) continue;
        if (is_visited(open, u)) {
            mg_bfs_reach(s, v, u, s->level ? s->level[mg_to_user(&s->numbering, u)] + 1 : 0);
            reached++;
        } else leave_unreached(s, v);
    }
    return reached;
}

/* Does a leaf hang on u, other than the source? Leaves come last in a row. */
static bool has_leaf(const meguri_bfs_search *s, uint32_t u) {
    for (uint64_t i = mg_row_end(&s->out, u); i > mg_row_begin(&s->out, u) && s->out.neighbors[i - 1] >= s->core; i--)
        if (s->out.neighbors[i - 1] != s->source) return true;
    return false;
}

static bool frontier_has_leaf(const meguri_bfs_search *s) {
    if (s->core == s->rows) return false;
    if (s->has_list) {
        for (uint64_t k = 0; k < s->list.count; k++)
            if (has_leaf(s, s->list.items[k])) return true;
        return false;
    }
    for (uint64_t w = 0; w < mg_bitmap_words(s->core); w++)
        for (uint64_t bits = s->visited[w] & ~s->previous[w]; bits; bits &= bits - 1)
            if (has_leaf(s, (uint32_t)(64 * w + (uint64_t)__builtin_ctzll(bits)))) return true;
    return false;
}

/* The visited vertices that may still be left: where the depth is limited, all but the frontier. */
static const uint64_t *open_vertices(meguri_bfs_search *s, bool limited) {
    if (!limited) return s->visited;
    if (!s->has_list) return s->previous;
    memcpy(s->spare, s->visited, mg_bitmap_words(s->rows) * sizeof *s->spare);
    for (uint64_t k = 0; k < s->list.count; k++) {
        uint32_t u = s->list.items[k];
        s->spare[u / 64] &= ~((uint64_t)1 << (u % 64));
    }
    return s->spare;
}

mg_bfs_found mg_bfs_fill(meguri_ctx *ctx, meguri_bfs_search *s, bool limited) {
    const uint64_t *open = open_vertices(s, limited);
    uint64_t words = mg_bitmap_words(s->core), reached = 0;
    uint32_t leaves = s->rows - s->core;
    if (!limited && frontier_has_leaf(s)) s->depth++;
    int threads = mg_threads(ctx, leaves + words, LEAF_CHUNK);
#pragma omp parallel num_threads(threads) reduction(+ : reached)
    {
#pragma omp for schedule(dynamic) nowait
        for (uint64_t w = 0; w < words; w += WORD_CHUNK) fill_unreached(s, w, MG_MIN(w + WORD_CHUNK, words));
#pragma omp for schedule(dynamic) nowait
        for (uint32_t leaf = 0; leaf < leaves; leaf += LEAF_CHUNK)
            reached += fill_leaves(s, open, s->core + leaf, s->core + MG_MIN(leaf + LEAF_CHUNK, leaves));
    }
    return (mg_bfs_found){.reached = reached, .edges = leaves};
}
