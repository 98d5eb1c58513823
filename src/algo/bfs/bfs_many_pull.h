/* The hot loop of a pull for many sources, compiled for several targets: a file defines MG_BFS_MANY_PULL, the name, and
 * includes this.
 *
 * A vertex gathers the bits of its in-neighbours until it has all that it still lacks. As in a single search the bits
 * seen so far serve where only fresh ones are meant: a neighbour that saw a source earlier has passed it on already. */
#include "algo/bfs/bfs_many.h"

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

/* The levels of one vertex lie side by side, so that one masked store writes them all. */
static inline void reach(const mg_bfs_many *m, uint32_t v, uint64_t bits, int32_t level) {
#if defined(__AVX512BW__)
    if (m->level_bytes == 1) {
        int8_t *row = (int8_t *)m->levels + (uint64_t)mg_to_user(&m->numbering, v) * m->sources;
        _mm512_mask_storeu_epi8(row, bits, _mm512_set1_epi8((char)level));
        return;
    }
#endif
    mg_bfs_many_reach(m, v, bits, level);
}

/* Gathers along the row [i, end) until nothing of `need` is lacking; *at is where it stopped. */
static inline uint64_t gather(const mg_bfs_many *m, uint64_t i, uint64_t end, uint64_t need, uint64_t *at) {
    uint64_t got = 0;
    const uint32_t *neighbors = m->in.neighbors;
    while (i < end && (need & ~got)) got |= m->seen[neighbors[i++]];
    *at = i;
    return got & need;
}

/* The same where few vertices are in the frontier: a bitmap that fits the cache says which are worth a look. */
static inline uint64_t gather_few(const mg_bfs_many *m, uint64_t i, uint64_t end, uint64_t need, uint64_t *at) {
    uint64_t got = 0;
    const uint32_t *neighbors = m->in.neighbors;
#if defined(__AVX512F__)
    for (; i + 16 <= end && (need & ~got); i += 16) {
        __m512i vertex = _mm512_loadu_si512(neighbors + i);
        __m512i words = _mm512_i32gather_epi32(_mm512_srli_epi32(vertex, 5), (const int *)m->in_frontier, 4);
        __m512i bit = _mm512_sllv_epi32(_mm512_set1_epi32(1), _mm512_and_si512(vertex, _mm512_set1_epi32(31)));
        for (uint32_t lanes = _mm512_test_epi32_mask(words, bit); lanes; lanes &= lanes - 1)
            got |= m->seen[neighbors[i + (uint32_t)__builtin_ctz(lanes)]];
    }
#endif
    for (; i < end && (need & ~got); i++) {
        uint32_t u = neighbors[i];
        if ((m->in_frontier[u / 64] >> (u % 64)) & 1) got |= m->seen[u];
    }
    *at = i;
    return got & need;
}

mg_bfs_many_found MG_BFS_MANY_PULL(const mg_bfs_many *m, uint32_t begin, uint32_t end) {
    mg_bfs_many_found found = {0};
    int32_t level = (int32_t)m->depth + 1;
    for (uint32_t v = begin; v < end; v++) {
        uint64_t need = m->active & ~m->seen[v];
        m->next[v] = 0;
        if (!need) continue;
        uint64_t from = mg_row_offset(&m->in, v), to = mg_row_offset(&m->in, (uint64_t)v + 1), at;
        uint64_t got = m->in_frontier ? gather_few(m, from, to, need, &at) : gather(m, from, to, need, &at);
        found.edges += at - from;
        if (!got) continue;
        m->next[v] = got;
        reach(m, v, got, level);
        found.vertices++;
        found.bits += (uint64_t)__builtin_popcountll(got);
        found.sources |= got;
        found.arcs += mg_row_offset(&m->out, (uint64_t)v + 1) - mg_row_offset(&m->out, v);
    }
    return found;
}
