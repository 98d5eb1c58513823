/* The hot loops of many searches in one pass, compiled for several targets: a file defines MG_BFS_MANY_HOT, the name of
 * the table, and includes this. A word of bits is a mask for 64 bytes: what concerns all sources of a vertex is one
 * instruction where the processor has such masks. */
#include "algo/bfs/bfs_many.h"

#if defined(__AVX512BW__)
#include <immintrin.h>
#endif

/* ---- pull ------------------------------------------------------------------------------------------------------- */

/* A vertex gathers the bits of its in-neighbours until it has all that it lacks of the pulled sources. As in a single
 * search the bits seen so far serve where only fresh ones are meant: a neighbour that saw a source earlier has passed
 * it on already. So bits of other sources may be taken too. */
static uint64_t pull(const mg_bfs_many *m, uint32_t begin, uint32_t end) {
    uint64_t looks = 0;
    const uint32_t *neighbors = m->in.neighbors;
    for (uint32_t v = begin; v < end; v++) {
        uint64_t need = m->pulled & ~m->seen[v];
        if (!need) continue;
        uint64_t i = mg_row_offset(&m->in, v), from = i, to = mg_row_offset(&m->in, (uint64_t)v + 1), got = 0;
        while (i < to && (need & ~got)) got |= m->seen[neighbors[i++]];
        looks += i - from;
        m->next[v] |= got;
    }
    return looks;
}

/* ---- commit ----------------------------------------------------------------------------------------------------- */

/* Counts for each source: bytes that are added up before they overflow. */
typedef struct counter {
    uint64_t *gained;
    uint32_t pending;
#if defined(__AVX512BW__)
    __m512i bytes;
#endif
} counter;

static inline void count_flush(counter *c) {
#if defined(__AVX512BW__)
    uint8_t bytes[64];
    _mm512_storeu_si512(bytes, c->bytes);
    for (int b = 0; b < 64; b++) c->gained[b] += bytes[b];
    c->bytes = _mm512_setzero_si512();
#endif
    c->pending = 0;
}

static inline void count_bits(counter *c, uint64_t bits) {
#if defined(__AVX512BW__)
    c->bytes = _mm512_mask_add_epi8(c->bytes, bits, c->bytes, _mm512_set1_epi8(1));
#else
    for (; bits; bits &= bits - 1) c->gained[__builtin_ctzll(bits)]++;
#endif
    if (++c->pending == 255) count_flush(c);
}

static mg_bfs_many_found commit(const mg_bfs_many *m, uint32_t begin, uint32_t end) {
    mg_bfs_many_found found = {0};
    counter c = {.gained = found.gained};
#if defined(__AVX512BW__)
    c.bytes = _mm512_setzero_si512();
#endif
    for (uint32_t v = begin; v < end; v++) {
        uint64_t bits = m->next[v] & ~m->seen[v];
        m->next[v] = bits;
        if (!bits) continue;
        m->seen[v] |= bits;
        if (m->direct) mg_bfs_many_reach(m, v, bits, (int32_t)m->depth + 1);
        found.vertices++;
        found.arcs += mg_row_offset(&m->out, (uint64_t)v + 1) - mg_row_offset(&m->out, v);
        found.bits += (uint64_t)__builtin_popcountll(bits);
        found.sources |= bits;
        count_bits(&c, bits);
    }
    count_flush(&c);
    return found;
}

/* ---- levels from the history ------------------------------------------------------------------------------------ */

/* The levels of the row at `position`: those of vertex u, `later` levels later (1 for a leaf that hangs on u), but for
 * the sources that the vertex is itself. */
static inline uint64_t write_row(const mg_bfs_many *m, uint32_t position, uint32_t u, uint32_t later, uint64_t own) {
    uint64_t reached = own;
#if defined(__AVX512BW__)
    __m512i row = _mm512_set1_epi8(-1);
    for (uint32_t l = 0; l <= m->depth && l + later <= m->limit; l++) {
        uint64_t bits = m->history[l][u];
        row = _mm512_mask_mov_epi8(row, bits, _mm512_set1_epi8((char)(l + later)));
        reached |= bits;
    }
    row = _mm512_mask_mov_epi8(row, own, _mm512_setzero_si512());
    int8_t *place = (int8_t *)m->levels + (uint64_t)position * m->sources;
    if (m->sources == 64) _mm512_stream_si512((__m512i *)(void *)place, row); /* whole lines past the cache */
    else _mm512_mask_storeu_epi8(place, ((uint64_t)1 << m->sources) - 1, row);
#else
    int8_t *row = (int8_t *)m->levels + (uint64_t)position * m->sources;
    memset(row, 0xFF, m->sources);
    for (uint32_t l = 0; l <= m->depth && l + later <= m->limit; l++) {
        reached |= m->history[l][u];
        for (uint64_t bits = m->history[l][u]; bits; bits &= bits - 1) row[__builtin_ctzll(bits)] = (int8_t)(l + later);
    }
    for (uint64_t bits = own; bits; bits &= bits - 1) row[__builtin_ctzll(bits)] = 0;
#endif
    return (uint64_t)__builtin_popcountll(reached);
}

static uint64_t write_levels(const mg_bfs_many *m, uint32_t begin, uint32_t end) {
    uint64_t reached = 0;
    for (uint32_t v = begin; v < end; v++) {
        uint32_t position = mg_to_user(&m->numbering, v);
        if (v < m->first_leaf) reached += write_row(m, position, v, 0, 0);
        else reached += write_row(m, position, m->out.neighbors[mg_row_offset(&m->out, v)], 1, m->history[0][v]);
    }
#if defined(__AVX512BW__)
    _mm_sfence();
#endif
    return reached;
}

const mg_bfs_many_hot MG_BFS_MANY_HOT = {pull, commit, write_levels};
