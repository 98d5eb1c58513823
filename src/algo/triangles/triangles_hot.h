/* The hot loops of counting triangles, compiled once for each target: a file defines MG_TRIANGLE_HOT, the name of the
 * table, and includes this. The ways are explained in triangles.h. */
#include "algo/triangles/triangles.h"

#if defined(__BMI2__)
#include <immintrin.h>
#endif

#if defined(__AVX512VPOPCNTDQ__)
#define BITS_A_LOOK 256 /* bits that can be combined and counted in the time of one look */
#elif defined(__POPCNT__)
#define BITS_A_LOOK 64
#else
#define BITS_A_LOOK 16
#endif

static inline uint32_t bit_of(const uint64_t *bits, uint32_t v) { return (bits[v / 64] >> (v % 64)) & 1; }

/* Members that two rows of bits have in common; words come in eights. */
static inline uint64_t and_rows(const uint64_t *a, const uint64_t *b, uint64_t words) {
#if defined(__AVX512VPOPCNTDQ__)
    __m512i sum = _mm512_setzero_si512(), sum2 = sum;
    uint64_t i = 0;
    for (; i + 16 <= words; i += 16) {
        __m512i x = _mm512_and_si512(_mm512_loadu_si512(a + i), _mm512_loadu_si512(b + i));
        __m512i y = _mm512_and_si512(_mm512_loadu_si512(a + i + 8), _mm512_loadu_si512(b + i + 8));
        sum = _mm512_add_epi64(sum, _mm512_popcnt_epi64(x));
        sum2 = _mm512_add_epi64(sum2, _mm512_popcnt_epi64(y));
    }
    if (i < words) {
        __m512i x = _mm512_and_si512(_mm512_loadu_si512(a + i), _mm512_loadu_si512(b + i));
        sum = _mm512_add_epi64(sum, _mm512_popcnt_epi64(x));
    }
    return (uint64_t)_mm512_reduce_add_epi64(_mm512_add_epi64(sum, sum2));
#else
    uint64_t sum = 0;
    for (uint64_t i = 0; i < words; i += 8)
        for (uint64_t k = i; k < i + 8; k++) sum += (uint64_t)__builtin_popcountll(a[k] & b[k]);
    return sum;
#endif
}

/* Members of a list that are set in bits. */
static inline uint32_t look_up(const uint64_t *bits, const uint32_t *list, uint32_t length) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < length; i++) sum += bit_of(bits, list[i]);
    return sum;
}

/* The place of the first member that is not below w, without a branch that could be guessed wrongly; `length` is not
 * 0. */
static inline uint32_t place_of(const uint32_t *list, uint32_t length, uint32_t w) {
    const uint32_t *at = list;
    while (length > 1) {
        uint32_t half = length / 2;
        at += at[half - 1] < w ? half : 0;
        length -= half;
    }
    return (uint32_t)(at - list);
}

/* true if searching for `few` members in a list of `many` takes fewer steps than scanning it. */
static inline bool search_pays(uint32_t few, uint32_t many) {
    return few < many / 16 && (uint64_t)few * (uint32_t)(2 * (32 - __builtin_clz(many | 1))) < many;
}

/* Asks for the list of a vertex that comes soon. */
static inline void fetch_list(const mg_triangle_lists *g, uint32_t u) {
    if (u < g->hubs) return;
    const char *at = (const char *)(g->neighbors + g->begin[u]);
    __builtin_prefetch(at);
    __builtin_prefetch(at + 64);
}

enum {
    AHEAD = 4,
    SHORT = 16,      /* members of a list that is compared with a few */
    WORDS_A_LOOK = 2 /* words of a row that can be seen in the time of one look */
};

/* ---- all triangles ---------------------------------------------------------------------------------------------- */

static uint64_t count(const mg_triangle_lists *g, const mg_triangle_workspace *workspace, uint32_t v, uint32_t from,
                      uint32_t to) {
    const uint32_t *list = g->neighbors + g->begin[v];
    uint32_t length = g->length[v];
    uint64_t sum = 0;
    for (uint32_t i = from; i < to; i++) {
        uint32_t u = list[i];
        if (i + AHEAD < length) fetch_list(g, list[i + AHEAD]);
        const uint32_t *other = g->neighbors + g->begin[u];
        uint32_t others = g->length[u];
        if (u < g->hubs && MG_MIN(i, u / BITS_A_LOOK) <= others) {
            const uint64_t *bits = g->hub_bits + g->hub_at[u];
            if (u / BITS_A_LOOK < i) sum += and_rows(bits, workspace->marks, mg_triangle_row_words(u));
            else sum += look_up(bits, list, i);
        } else if (!search_pays(i, others)) sum += look_up(workspace->marks, other, others);
        else
            for (uint32_t j = 0; j < i; j++) sum += other[place_of(other, others, list[j])] == list[j];
    }
    return sum;
}

/* Of a list of `length` members those that the few members before the i-th of v's list are, too. */
static inline uint32_t compare_all(const uint32_t *list, uint32_t i, const uint32_t *other, uint32_t length) {
    uint32_t sum = 0;
    for (uint32_t k = 0; k < length; k++)
        for (uint32_t j = 0; j < i; j++) sum += list[j] == other[k];
    return sum;
}

static uint64_t few(const mg_triangle_lists *g, uint32_t v) {
    const uint32_t *list = g->neighbors + g->begin[v];
    uint64_t sum = 0;
    for (uint32_t i = 1; i < g->length[v]; i++) {
        uint32_t u = list[i], others = g->length[u];
        const uint32_t *other = g->neighbors + g->begin[u];
        if (u < g->hubs)
            for (uint32_t j = 0; j < i; j++) sum += bit_of(g->hub_bits + g->hub_at[u], list[j]);
        else if (others <= SHORT) sum += compare_all(list, i, other, others);
        else
            for (uint32_t j = 0; j < i; j++) sum += other[place_of(other, others, list[j])] == list[j];
    }
    return sum;
}

/* ---- the triangles of each vertex ------------------------------------------------------------------------------- */

/* What v and u get for the members that they share; the members get `worth` each, on the workspace. */
typedef struct shares {
    uint64_t v, u;
} shares;

/* The bits that the mask has, moved together. */
static inline uint64_t squeeze(uint64_t bits, uint64_t mask) {
#if defined(__BMI2__)
    return _pext_u64(bits, mask);
#else
    uint64_t squeezed = 0;
    for (uint32_t n = 0; bits & mask; n++, mask &= mask - 1) squeezed |= ((bits >> __builtin_ctzll(mask)) & 1) << n;
    return squeezed;
#endif
}

/* What v's list sees of a row of bits: of 64 members those that are set, and, where lists have `both`, those of them
 * where it is set. */
typedef struct view {
    uint64_t hits, both;
} view;

/* From the words [from, to) that begin there and what the word before left over. */
static inline view see_row(view *left, const uint64_t *row, bool both, const mg_triangle_word *words, uint32_t from,
                           uint32_t to) {
    view seen = *left, last = {0, 0};
    uint32_t shift = 0;
    for (uint32_t k = from; k < to; k++) {
        shift = words[k].place % 64;
        last.hits = squeeze(row[(uint64_t)words[k].word << both], words[k].mask);
        seen.hits |= last.hits << shift;
        if (!both) continue;
        last.both = squeeze(row[2 * (uint64_t)words[k].word + 1], words[k].mask);
        seen.both |= last.both << shift;
    }
    *left = (view){last.hits >> 1 >> (63 - shift), last.both >> 1 >> (63 - shift)};
    return seen;
}

/* Adds to 64 counters where a bit is set. */
static inline void add_where(uint32_t *counters, uint64_t bits, uint32_t worth) {
#if defined(__AVX512F__)
    for (int part = 0; part < 4; part++) {
        __m512i old = _mm512_loadu_si512(counters + 16 * part), more = _mm512_set1_epi32((int)worth);
        _mm512_storeu_si512(counters + 16 * part,
                            _mm512_mask_add_epi32(old, (__mmask16)(bits >> 16 * part), old, more));
    }
#else
    for (; bits; bits &= bits - 1) counters[__builtin_ctzll(bits)] += worth;
#endif
}

/* `end`: the first word that has no member before the i-th. */
static inline shares share_bits(const mg_triangle_lists *g, bool both, const mg_triangle_workspace *workspace,
                                uint32_t u, uint32_t i, uint32_t end, uint32_t worth) {
    const uint64_t *row = g->hub_bits + (g->hub_at[u] << both);
    view left = {0, 0};
    shares s = {0, 0};
    for (uint32_t d = 0; 64 * d < i; d++) {
        view seen = see_row(&left, row, both, workspace->words, workspace->first_word[d],
                            MG_MIN(workspace->first_word[d + 1], end));
        if (!seen.hits) continue;
        uint32_t hits = (uint32_t)__builtin_popcountll(seen.hits);
        s.v += both ? hits + (uint32_t)__builtin_popcountll(seen.both) : hits;
        s.u += both ? hits + (uint32_t)__builtin_popcountll(seen.hits & workspace->own_both[d]) : hits;
        add_where(workspace->by_place + 64 * d, seen.hits, worth);
    }
    return s;
}

static inline shares share_list(const mg_triangle_lists *g, const mg_triangle_workspace *workspace, uint32_t u,
                                uint32_t worth) {
    const uint32_t *list = g->neighbors + g->begin[u];
    const uint8_t *both = g->both ? g->both + g->begin[u] : NULL;
    shares s = {0, 0};
    for (uint32_t j = 0; j < g->length[u]; j++) {
        uint32_t w = list[j];
        if (!bit_of(workspace->marks, w)) continue;
        workspace->by_vertex[w] += worth;
        s.v += both ? 1u + both[j] : 1;
        s.u += both ? 1u + bit_of(workspace->both_marks, w) : 1;
    }
    return s;
}

static inline shares share_search(const mg_triangle_lists *g, uint32_t *by_place, uint32_t v, uint32_t i,
                                  uint32_t worth) {
    const uint32_t *list = g->neighbors + g->begin[v];
    uint32_t u = list[i];
    const uint32_t *other = g->neighbors + g->begin[u];
    shares s = {0, 0};
    for (uint32_t j = 0; j < i; j++) {
        uint32_t place = place_of(other, g->length[u], list[j]);
        if (other[place] != list[j]) continue;
        by_place[j] += worth;
        s.v += g->both ? 1u + g->both[g->begin[u] + place] : 1;
        s.u += g->both ? 1u + g->both[g->begin[v] + j] : 1;
    }
    return s;
}

static uint64_t each(const mg_triangle_lists *g, const mg_triangle_workspace *workspace, uint32_t v, uint32_t from,
                     uint32_t to) {
    const uint32_t *list = g->neighbors + g->begin[v];
    uint32_t length = g->length[v], end = 0;
    uint64_t sum = 0;
    for (uint32_t i = from; i < to; i++) {
        uint32_t u = list[i], worth = g->both ? 1u + g->both[g->begin[v] + i] : 1;
        if (i + AHEAD < length) fetch_list(g, list[i + AHEAD]);
        while (u < g->hubs && workspace->words[end].place < i) end++;
        shares s = u < g->hubs && end / WORDS_A_LOOK <= g->length[u]
                       ? share_bits(g, g->both != NULL, workspace, u, i, end, worth)
                   : search_pays(i, g->length[u]) ? share_search(g, workspace->by_place, v, i, worth)
                                                  : share_list(g, workspace, u, worth);
        workspace->by_place[i] += (uint32_t)s.u;
        sum += s.v;
    }
    return sum;
}

const mg_triangle_hot MG_TRIANGLE_HOT = {.few = few, .count = count, .each = each};
