/* Within the kernels of a vertex program, which the macros of pregel.h make: the steps that do not depend on its types.
 * Programs are C: there is nothing here for C++. */
#ifndef MEGURI_PREGEL_KERNEL_H
#define MEGURI_PREGEL_KERNEL_H

#include <meguri/extra/pregel_abi.h>
#include <string.h>

#ifndef __cplusplus

#define MEGURI_INLINE static inline __attribute__((always_inline, unused))

static inline void meguri_exact_add(int64_t *sum, double x) {
    uint64_t bits, exponent, digits;
    memcpy(&bits, &x, sizeof bits);
    exponent = bits >> 52 & 0x7ff;
    digits = bits & (((uint64_t)1 << 52) - 1);
    if (exponent == 0x7ff) {
        sum[MEGURI_EXACT_DIGITS + (digits ? 2 : bits >> 63)]++;
        return;
    }
    if (exponent) digits |= (uint64_t)1 << 52;
    else exponent = 1;
    uint64_t place = (exponent - 1) / 32, shift = (exponent - 1) % 32;
    uint64_t low = digits << shift, high = shift ? digits >> (64 - shift) : 0;
    int64_t sign = bits >> 63 ? -1 : 1;
    sum[place] += sign * (int64_t)(low & UINT32_MAX);
    sum[place + 1] += sign * (int64_t)(low >> 32);
    sum[place + 2] += sign * (int64_t)high;
}

static inline uint64_t meguri_span_offset(const meguri_span_rows *rows, uint64_t row) {
    if (row >= rows->rows) return rows->arcs;
    return rows->wide ? ((const uint64_t *)rows->offsets)[row] : ((const uint32_t *)rows->offsets)[row];
}
static inline uint32_t meguri_span_position(const meguri_span *s, uint32_t slot) {
    if (s->positions) return s->positions[slot];
    return s->block ? slot % s->block * s->workers + slot / s->block : slot;
}
static inline uint32_t meguri_span_own(const meguri_span *s, uint64_t v) {
    if (s->positions) return s->positions[s->block ? (uint64_t)s->worker * s->block + v : v];
    return (uint32_t)(v * s->workers + s->worker);
}
static inline uint32_t meguri_tile_column(const void *columns, uint64_t at, int wide) {
    return wide ? ((const uint32_t *)columns)[at] : ((const uint16_t *)columns)[at];
}
static inline int meguri_span_bit(const uint64_t *bits, uint64_t i) { return (int)(bits[i / 64] >> (i % 64) & 1); }
static inline void meguri_tally_fault(meguri_tally *t, int fault, uint32_t vertex, uint64_t number) {
    if (t->fault) return;
    t->fault = fault;
    t->fault_vertex = vertex;
    t->fault_number = number;
}
static inline meguri_total *meguri_tally_total(meguri_tally *t, uint32_t i, int sum, int least, int most) {
    if (i < t->total_count) {
        int kind = (int)t->totals[i].kind;
        if (kind == sum || kind == least || kind == most) return &t->totals[i];
    }
    meguri_tally_fault(t, MEGURI_FAULT_TOTAL, 0, i);
    return NULL;
}
static inline void meguri_tally_real(meguri_tally *t, uint32_t i, double x) {
    meguri_total *total = meguri_tally_total(t, i, MEGURI_SUM_REAL, MEGURI_LEAST_REAL, MEGURI_MOST_REAL);
    if (!total) return;
    if (total->kind == MEGURI_SUM_REAL) meguri_exact_add(total->sum, x);
    else if (total->kind == MEGURI_LEAST_REAL ? x < total->of.real : x > total->of.real) total->of.real = x;
}
static inline void meguri_tally_whole(meguri_tally *t, uint32_t i, int64_t x) {
    meguri_total *total = meguri_tally_total(t, i, MEGURI_SUM_WHOLE, MEGURI_LEAST_WHOLE, MEGURI_MOST_WHOLE);
    if (!total) return;
    if (total->kind == MEGURI_SUM_WHOLE) total->of.whole = (int64_t)((uint64_t)total->of.whole + (uint64_t)x);
    else if (total->kind == MEGURI_LEAST_WHOLE ? x < total->of.whole : x > total->of.whole) total->of.whole = x;
}
static inline void meguri_tally_own(meguri_tally *t, uint32_t i, const void *x) {
    meguri_total *total = meguri_tally_total(t, i, MEGURI_OWN, MEGURI_OWN, MEGURI_OWN);
    if (total) total->fold(total->of.own, x, 1);
}
/* The answer to a question of the last superstep; NULL where it was not asked. */
static inline const void *meguri_span_answer(const meguri_span *s, uint32_t vertex, size_t bytes) {
    uint64_t begin = 0, end = s->asked_count;
    while (begin < end) {
        uint64_t middle = begin + (end - begin) / 2;
        if (s->asked[middle] < vertex) begin = middle + 1;
        else end = middle;
    }
    return begin < s->asked_count && s->asked[begin] == vertex ? (const char *)s->answers + begin * bytes : NULL;
}

/* In-edges along which something came, of the vertices of a word: their slots, and how far they are from the first. */
typedef struct meguri_span_found {
    uint32_t slot[64], after[64];
} meguri_span_found;
/* Which of `wanted` have one. Nearly all that have one find it at the first in-edge, or need not look further: so that
 * is asked for all of them at once, without a branch for each, and then rows are entered that were fetched ahead. */
static inline uint64_t meguri_span_find(const meguri_span *s, meguri_span_found *found, uint64_t word,
                                        uint64_t wanted) {
    if (!wanted) return 0;
    const uint32_t *first = s->first + word * 64;
    uint64_t hits = 0;
    memcpy(found->slot, first, sizeof found->slot);
    memset(found->after, 0, sizeof found->after);
    if (__builtin_popcountll(wanted) > 16) {
        for (int i = 0; i < 64; i++) hits |= (s->bits[first[i] / 64] >> first[i] % 64 & 1) << i;
        hits &= wanted;
    } else {
        for (uint64_t look = wanted; look; look &= look - 1) {
            const int i = __builtin_ctzll(look);
            hits |= (s->bits[first[i] / 64] >> first[i] % 64 & 1) << i;
        }
    }
    for (uint64_t look = s->positions ? hits : 0; look; look &= look - 1)
        __builtin_prefetch(&s->positions[first[__builtin_ctzll(look)]]);
    for (uint64_t look = wanted & ~hits; look; look &= look - 1)
        __builtin_prefetch(&s->in.ends[meguri_span_offset(&s->in, word * 64 + (uint64_t)__builtin_ctzll(look)) + 1]);
    for (uint64_t look = wanted & ~hits; look; look &= look - 1) {
        const uint64_t place = word * 64 + (uint64_t)__builtin_ctzll(look), begin = meguri_span_offset(&s->in, place);
        for (uint64_t at = begin + 1, end = meguri_span_offset(&s->in, place + 1); at < end; at++) {
            if (!meguri_span_bit(s->bits, s->in.ends[at])) continue;
            found->slot[place % 64] = s->in.ends[at];
            found->after[place % 64] = (uint32_t)(at - begin);
            hits |= look & (0 - look);
            break;
        }
    }
    return hits;
}

/* Random bits that are the same for the same three numbers: a seed, a vertex, a superstep or a count of draws. */
static inline uint64_t meguri_random(uint64_t seed, uint64_t vertex, uint64_t draw) {
    uint64_t x = seed * 0x9e3779b97f4a7c15u + vertex;
    for (int i = 0; i < 2; i++) { /* splitmix64's mixing, once for each number that is added */
        x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
        x = (x ^ x >> 27) * 0x94d049bb133111ebu;
        x ^= x >> 31;
        x += (draw + 1) * 0x9e3779b97f4a7c15u;
    }
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

#endif
#endif
