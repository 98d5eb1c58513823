/* The hot loops of a search, compiled once for each target: a file defines MG_BFS_HOT, the name of the table, and
 * includes this.
 *
 * All stand on one operation: which of 16 vertices are visited? A gather answers it where the processor has one. It
 * takes the unpredictable branch for each vertex out of the loops and leaves one for each 16. */
#include "algo/bfs/bfs.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

/* Bit i: vertices[i] is visited. Only `lanes` matter; other bits may be anything where they may be read. */
static inline uint32_t visited16(const uint64_t *visited, const uint32_t *vertices, uint32_t lanes) {
#if defined(__AVX512F__)
    __m512i v = _mm512_loadu_si512(vertices);
    __m512i words = _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), (__mmask16)lanes, _mm512_srli_epi32(v, 5),
                                                (const int *)visited, 4);
    __m512i bit = _mm512_sllv_epi32(_mm512_set1_epi32(1), _mm512_and_si512(v, _mm512_set1_epi32(31)));
    return _mm512_test_epi32_mask(words, bit);
#elif defined(__AVX2__)
    uint32_t hits = 0;
    for (int i = 0; i < 16; i += 8) {
        __m256i v = _mm256_loadu_si256((const __m256i *)(const void *)(vertices + i));
        __m256i words = _mm256_i32gather_epi32((const int *)visited, _mm256_srli_epi32(v, 5), 4);
        /* The bit moves to the sign: shift by 31 - v % 32. */
        __m256i sign = _mm256_sllv_epi32(words, _mm256_andnot_si256(v, _mm256_set1_epi32(31)));
        hits |= (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(sign)) << i;
    }
    return hits & lanes;
#else
    uint32_t hits = 0;
    for (; lanes; lanes &= lanes - 1) {
        int i = __builtin_ctz(lanes);
        hits |= (uint32_t)mg_bfs_visited(visited, vertices[i]) << i;
    }
    return hits;
#endif
}

/* ---- pull ------------------------------------------------------------------------------------------------------- */

#define BLOCK 8 /* words whose first neighbours are tested before the first row is entered: rows are fetched ahead */

static inline void pull_reach(const mg_bfs_pulling *p, uint32_t v, uint32_t position) {
    if (p->tree) p->tree[v] = position;
    if (p->tree_level) p->tree_level[v] = p->level;
}

/* Tests the first neighbours of the `wanted` vertices of a word; returns those that hit. */
static inline uint64_t pull_first(const mg_bfs_pulling *p, uint64_t w, uint64_t wanted) {
    uint64_t hits = 0;
    const uint32_t *first = p->first + 64 * w, *position = p->first_position + 64 * w;
    for (int i = 0; i < 64; i += 16) {
        uint32_t lanes = (uint32_t)(wanted >> i) & 0xFFFF;
        if (!lanes) continue;
        uint32_t hit = visited16(p->sources, first + i, lanes);
        hits |= (uint64_t)hit << i;
#if defined(__AVX512F__)
        if (p->tree) _mm512_mask_storeu_epi32(p->tree + 64 * w + i, (__mmask16)hit, _mm512_loadu_si512(position + i));
        if (p->tree_level)
            _mm512_mask_storeu_epi32(p->tree_level + 64 * w + i, (__mmask16)hit, _mm512_set1_epi32(p->level));
#else
        for (; hit; hit &= hit - 1) {
            uint32_t k = (uint32_t)i + (uint32_t)__builtin_ctz(hit);
            pull_reach(p, (uint32_t)(64 * w) + k, position[k]);
        }
#endif
    }
    return hits;
}

/* Goes through the row of v after its first neighbour; true if it hits. */
static inline bool pull_row(const mg_bfs_pulling *p, uint32_t v, mg_bfs_found *found) {
    const uint32_t *neighbors = p->in.neighbors;
    uint64_t i = mg_row_offset(&p->in, v) + 1, begin = i, end = mg_row_offset(&p->in, (uint64_t)v + 1);
    while (i < end && !mg_bfs_visited(p->sources, neighbors[i])) i++;
    if (i >= end) {
        found->edges += i - begin;
        return false;
    }
    found->edges += i - begin + 1;
    pull_reach(p, v, p->source_position ? p->source_position[neighbors[i]] : neighbors[i]);
    return true;
}

static mg_bfs_found pull_words(const mg_bfs_pulling *p, uint64_t begin, uint64_t end) {
    mg_bfs_found found = {0};
    uint32_t missed[BLOCK * 64];
    for (uint64_t block = begin; block < end; block += BLOCK) {
        uint32_t misses = 0;
        for (uint64_t w = block; w < block + BLOCK && w < end; w++) {
            uint64_t old = p->visited[w], wanted = ~old;
            if (64 * (w + 1) > p->targets) wanted &= ((uint64_t)1 << (p->targets % 64)) - 1;
            if (p->has_in) wanted &= p->has_in[w];
            p->next[w] = old;
            if (!wanted) continue;
            uint64_t hits = pull_first(p, w, wanted);
            p->next[w] |= hits;
            found.edges += (uint64_t)__builtin_popcountll(wanted);
            found.reached += (uint64_t)__builtin_popcountll(hits);
            for (uint64_t bits = wanted & ~hits; bits; bits &= bits - 1) {
                uint32_t v = (uint32_t)(64 * w) + (uint32_t)__builtin_ctzll(bits);
                __builtin_prefetch(&p->in.neighbors[mg_row_offset(&p->in, v)]);
                missed[misses++] = v;
            }
        }
        for (uint32_t k = 0; k < misses; k++)
            if (pull_row(p, missed[k], &found)) {
                p->next[missed[k] / 64] |= (uint64_t)1 << (missed[k] % 64);
                found.reached++;
            }
    }
    return found;
}

/* ---- push ------------------------------------------------------------------------------------------------------- */

static inline void push_to(const mg_bfs_pushing *p, uint32_t position, uint32_t v) {
    p->visited[v / 64] |= (uint64_t)1 << (v % 64);
    mg_bfs_push_reach(p, v, position);
}

static uint64_t push_arcs(const mg_bfs_pushing *p, uint32_t u, uint64_t begin, uint64_t end, uint32_t limit) {
    const uint32_t *neighbors = p->out.neighbors;
    uint32_t position = mg_bfs_push_position(p, u);
    uint64_t i = begin;
    for (; i + 16 <= end && neighbors[i + 15] < limit; i += 16) {
        uint32_t lanes = ~visited16(p->visited, neighbors + i, 0xFFFF) & 0xFFFF;
        for (; lanes; lanes &= lanes - 1) push_to(p, position, neighbors[i + (uint32_t)__builtin_ctz(lanes)]);
    }
    for (; i < end && neighbors[i] < limit; i++)
        if (!mg_bfs_visited(p->visited, neighbors[i])) push_to(p, position, neighbors[i]);
    return i - begin;
}

/* ---- finish ----------------------------------------------------------------------------------------------------- */

/* The bits of the vertices v … v+15; the bitmaps are padded. */
static inline uint32_t bits16(const uint64_t *bitmap, uint32_t v) {
    uint32_t bits;
    memcpy(&bits, (const char *)bitmap + v / 8, sizeof bits);
    return (bits >> (v % 8)) & 0xFFFF;
}

static inline void finish_one(const mg_bfs_host *s, uint32_t v, bool reached, const uint32_t *parent, int32_t level) {
    uint32_t position = mg_to_user(&s->numbering, v);
    if (s->base.parent) s->base.parent[position] = reached ? *parent : MG_NO_VERTEX;
    if (s->base.level) s->base.level[position] = reached ? level : -1;
}

/* 16 vertices at a time where there are parents alone, as the benchmarks want them. */
static inline void finish16(const mg_bfs_host *s, uint32_t v, uint32_t reached, const uint32_t *parents) {
    const uint32_t *positions = s->numbering.to_user + v;
    for (uint32_t i = 0; i < 16; i++) s->base.parent[positions[i]] = (reached >> i) & 1 ? parents[i] : MG_NO_VERTEX;
}

static uint64_t finish_inner(const mg_bfs_host *s, uint32_t begin, uint32_t end) {
    uint64_t count = 0;
    uint32_t v = begin;
    if (s->base.parent && !s->base.level && s->numbering.to_user)
        for (; v + 16 <= end; v += 16) {
            uint32_t reached = bits16(s->visited, v);
            finish16(s, v, reached, s->tree + v);
            count += (uint64_t)__builtin_popcount(reached);
        }
    for (; v < end; v++) {
        bool reached = mg_bfs_visited(s->visited, v);
        finish_one(s, v, reached, s->tree ? s->tree + v : NULL, s->tree_level ? s->tree_level[v] : 0);
        count += reached;
    }
    return count;
}

/* The rows of leaves are one neighbour each, so they lie in one piece. */
static uint64_t finish_leaves(const mg_bfs_host *s, const uint64_t *open, uint32_t begin, uint32_t end) {
    const uint32_t *only = s->out.neighbors + mg_row_offset(&s->out, s->first_leaf) - s->first_leaf;
    uint64_t count = 0;
    uint32_t v = begin;
    if (s->base.parent && !s->base.level && s->numbering.to_user)
        for (; v + 16 <= end; v += 16) {
            uint32_t reached = visited16(open, only + v, 0xFFFF);
            finish16(s, v, reached, s->first_position + v);
            count += (uint64_t)__builtin_popcount(reached);
        }
    for (; v < end; v++) {
        bool reached = mg_bfs_visited(open, only[v]);
        finish_one(s, v, reached, s->first_position + v, s->tree_level ? s->tree_level[only[v]] + 1 : 0);
        count += reached;
    }
    return count;
}

const mg_bfs_hot MG_BFS_HOT = {pull_words, push_arcs, finish_inner, finish_leaves};
