/* The hot loop of pull, compiled once for each target: a file defines MG_BFS_PULL, the name, and includes this.
 *
 * 64 vertices at a time, by words of the visited bitmap: the first neighbours of all of them are tested at once (by
 * gathers where the processor has them), then those that miss go through their rows. Rows are fetched ahead: all words
 * of a block are tested before the first row is entered. */
#include "algo/bfs/bfs.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#define BLOCK 8  /* words */
#define FEW   12 /* unvisited vertices in a word that are tested one by one */

static inline bool is_visited(const uint64_t *visited, uint32_t v) { return (visited[v / 64] >> (v % 64)) & 1; }

/* Bit i: first[i] is visited. `wanted`: the bits that matter. */
static inline uint64_t test_first(const uint64_t *visited, const uint32_t *first, uint64_t wanted) {
    uint64_t hits = 0;
#if defined(__AVX512F__)
    if (__builtin_popcountll(wanted) > FEW) {
        for (int i = 0; i < 64; i += 16) {
            __mmask16 lanes = (__mmask16)(wanted >> i);
            __m512i vertex = _mm512_loadu_si512(first + i);
            __m512i words = _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), lanes, _mm512_srli_epi32(vertex, 5),
                                                        (const int *)visited, 4);
            __m512i bit = _mm512_sllv_epi32(_mm512_set1_epi32(1), _mm512_and_si512(vertex, _mm512_set1_epi32(31)));
            hits |= (uint64_t)_mm512_test_epi32_mask(words, bit) << i;
        }
        return hits;
    }
#elif defined(__AVX2__)
    if (__builtin_popcountll(wanted) > FEW) {
        for (int i = 0; i < 64; i += 8) {
            __m256i vertex = _mm256_loadu_si256((const __m256i *)(const void *)(first + i));
            __m256i words = _mm256_i32gather_epi32((const int *)visited, _mm256_srli_epi32(vertex, 5), 4);
            __m256i bit = _mm256_sllv_epi32(words, _mm256_andnot_si256(vertex, _mm256_set1_epi32(31)));
            hits |= (uint64_t)(uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(bit)) << i;
        }
        return hits & wanted;
    }
#endif
    for (uint64_t bits = wanted; bits; bits &= bits - 1) {
        int i = __builtin_ctzll(bits);
        hits |= (uint64_t)is_visited(visited, first[i]) << i;
    }
    return hits;
}

/* The first visited in-neighbour of v after the first one: its place, or the end of the row. */
static inline uint64_t find_in_row(const meguri_bfs_search *s, uint64_t begin, uint64_t end) {
    uint64_t i = begin;
    while (i < end && !is_visited(s->visited, s->in.neighbors[i])) i++;
    return i;
}

mg_bfs_found MG_BFS_PULL(const meguri_bfs_search *s, uint64_t begin, uint64_t end) {
    mg_bfs_found found = {0};
    int32_t level = (int32_t)s->depth + 1;
    uint32_t missed[BLOCK * 64];
    for (uint64_t block = begin; block < end; block += BLOCK) {
        uint32_t misses = 0;
        for (uint64_t w = block; w < block + BLOCK && w < end; w++) {
            uint64_t old = s->visited[w], wanted = ~old;
            if (64 * (w + 1) > s->core) wanted &= ((uint64_t)1 << (s->core % 64)) - 1;
            if (!wanted) {
                s->spare[w] = old;
                continue;
            }
            const uint32_t *first = s->first + 64 * w;
            uint64_t hits = test_first(s->visited, first, wanted);
            s->spare[w] = old | hits;
            found.edges += (uint64_t)__builtin_popcountll(wanted);
            found.reached += (uint64_t)__builtin_popcountll(hits);
            for (uint64_t bits = hits; bits; bits &= bits - 1) {
                uint32_t i = (uint32_t)__builtin_ctzll(bits);
                mg_bfs_reach(s, (uint32_t)(64 * w) + i, first[i], level);
            }
            for (uint64_t bits = wanted & ~hits; bits; bits &= bits - 1) {
                uint32_t v = (uint32_t)(64 * w) + (uint32_t)__builtin_ctzll(bits);
                __builtin_prefetch(&s->in.neighbors[mg_row_offset(&s->in, v)]);
                missed[misses++] = v;
            }
        }
        for (uint32_t k = 0; k < misses; k++) {
            uint32_t v = missed[k];
            uint64_t from = mg_row_offset(&s->in, v) + 1, to = mg_row_offset(&s->in, (uint64_t)v + 1);
            uint64_t i = find_in_row(s, from, to);
            found.edges += i - MG_MIN(from, i) + (i < to);
            if (i >= to) continue;
            s->spare[v / 64] |= (uint64_t)1 << (v % 64);
            found.reached++;
            mg_bfs_reach(s, v, s->in.neighbors[i], level);
        }
    }
    return found;
}
