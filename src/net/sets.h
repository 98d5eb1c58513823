/* Packed sets, compiled once for each target: a file defines MG_SETS, the name of the table, and includes this.
 *
 * Sender and receiver both know which places are settled already (`known`), so only the others count: their bits, in
 * order, are a stream, and the stream is cut into chunks of 4096 that are each written the shortest way:
 *
 *   none    a run of chunks without a member
 *   ones    gaps between members, in Rice's code with the best parameter for the chunk
 *   zeros   gaps between those that are not, where these are fewer
 *   plain   the bits themselves
 *
 * Vertices stand in the order of their degrees, so that the members of a chunk are alike and one parameter suits. */
#include "net/net.h"

#if defined(__BMI2__)
#include <immintrin.h>
#endif

#define CHUNK       4096
#define CHUNK_WORDS (CHUNK / 64)

enum { MODE_NONE, MODE_ONES, MODE_ZEROS, MODE_PLAIN };

/* The bits of x at the places of mask, moved together. */
static inline uint64_t extract(uint64_t x, uint64_t mask) {
#if defined(__BMI2__)
    return _pext_u64(x, mask);
#else
    uint64_t out = 0;
    if (mask == UINT64_MAX) return x;
    for (uint64_t bit = 1; mask; mask &= mask - 1, bit <<= 1)
        if (x & mask & -mask) out |= bit;
    return out;
#endif
}

/* The other way. */
static inline uint64_t deposit(uint64_t x, uint64_t mask) {
#if defined(__BMI2__)
    return _pdep_u64(x, mask);
#else
    uint64_t out = 0;
    if (mask == UINT64_MAX) return x;
    for (; mask; mask &= mask - 1, x >>= 1)
        if (x & 1) out |= mask & -mask;
    return out;
#endif
}

/* ---- bits in and out -------------------------------------------------------------------------------------------- */

typedef struct bit_writer {
    uint8_t *out;
    uint64_t room, bytes; /* bytes there are, and that are written */
    uint64_t bits;        /* not written yet */
    uint32_t count;
    bool full;
} bit_writer;

static inline void put_bits(bit_writer *w, uint64_t value, uint32_t count) { /* at most 32 */
    w->bits |= value << w->count;
    w->count += count;
    while (w->count >= 8) {
        if (w->bytes < w->room) w->out[w->bytes++] = (uint8_t)w->bits;
        else w->full = true;
        w->bits >>= 8;
        w->count -= 8;
    }
}

typedef struct bit_reader {
    const uint8_t *in;
    uint64_t bytes, place;
    uint64_t bits;
    uint32_t count;
    bool over; /* it ended too early */
} bit_reader;

static inline uint64_t get_bits(bit_reader *r, uint32_t count) { /* at most 32 */
    while (r->count < count) {
        uint64_t byte = 0;
        if (r->place < r->bytes) byte = r->in[r->place++];
        else r->over = true;
        r->bits |= byte << r->count;
        r->count += 8;
    }
    uint64_t value = r->bits & (((uint64_t)1 << count) - 1);
    r->bits >>= count;
    r->count -= count;
    return value;
}

/* Zeros until a one, which is taken too; at most `most`. */
static inline uint32_t get_unary(bit_reader *r, uint32_t most) {
    uint32_t zeros = 0;
    while (zeros < most && !r->over && !get_bits(r, 1)) zeros++;
    return zeros;
}

/* ---- chunks ----------------------------------------------------------------------------------------------------- */

/* The bits Rice's code takes for the gaps of a chunk. */
static uint32_t gaps_cost(const uint16_t *gaps, uint32_t count, uint32_t parameter) {
    uint32_t cost = count * (parameter + 1);
    for (uint32_t i = 0; i < count; i++) cost += gaps[i] >> parameter;
    return cost;
}

/* Members (or, inverted, the others) as gaps: the number of places passed over before each. */
static uint32_t find_gaps(uint16_t *gaps, const uint64_t *bits, uint32_t length, bool inverted) {
    uint32_t count = 0, next = 0;
    for (uint32_t w = 0; 64 * w < length; w++) {
        uint64_t x = inverted ? ~bits[w] : bits[w];
        if (64 * (w + 1) > length) x &= ((uint64_t)1 << (length % 64)) - 1;
        for (; x; x &= x - 1) {
            uint32_t place = 64 * w + (uint32_t)__builtin_ctzll(x);
            gaps[count++] = (uint16_t)(place - next);
            next = place + 1;
        }
    }
    return count;
}

static uint32_t best_parameter(const uint16_t *gaps, uint32_t count, uint32_t length, uint32_t *cost) {
    uint32_t guess = 0, best = 0;
    while (guess < 12 && (count << (guess + 1)) < length) guess++;
    *cost = UINT32_MAX;
    for (uint32_t k = guess ? guess - 1 : 0; k <= guess; k++) {
        uint32_t this_cost = gaps_cost(gaps, count, k);
        if (this_cost >= *cost) continue;
        *cost = this_cost;
        best = k;
    }
    return best;
}

/* Chunks without a member that have not been written yet are counted in *empty. */
static void put_empty(bit_writer *w, uint32_t *empty) {
    for (; *empty; *empty -= MG_MIN(*empty, 256)) {
        put_bits(w, MODE_NONE, 2);
        put_bits(w, MG_MIN(*empty, 256) - 1, 8);
    }
}

static void put_chunk(bit_writer *w, const uint64_t *bits, uint32_t length, uint32_t *empty) {
    uint16_t gaps[CHUNK];
    uint32_t members = 0, cost;
    for (int i = 0; i < CHUNK_WORDS; i++) members += (uint32_t)__builtin_popcountll(bits[i]);
    if (!members) {
        ++*empty;
        return;
    }
    put_empty(w, empty);
    bool inverted = 2 * members > length;
    uint32_t count = find_gaps(gaps, bits, length, inverted);
    uint32_t parameter = best_parameter(gaps, count, length, &cost);
    if (cost + 17 >= length) {
        put_bits(w, MODE_PLAIN, 2);
        for (uint32_t i = 0; i < length; i += 32)
            put_bits(w,
                     bits[i / 64] >> (i % 64) & UINT32_MAX &
                         (length - i < 32 ? ((uint64_t)1 << (length - i)) - 1 : UINT32_MAX),
                     MG_MIN(32, length - i));
        return;
    }
    put_bits(w, inverted ? MODE_ZEROS : MODE_ONES, 2);
    put_bits(w, parameter, 4);
    put_bits(w, count, 13);
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t high = gaps[i] >> parameter; high; high -= MG_MIN(high, 31)) put_bits(w, 0, MG_MIN(high, 31));
        put_bits(w, 1, 1);
        put_bits(w, gaps[i] & ((1u << parameter) - 1), parameter);
    }
}

/* false: the bytes are none that put_chunk wrote. */
static bool get_chunk(bit_reader *r, uint64_t *bits, uint32_t length, uint32_t *empty) {
    memset(bits, 0, CHUNK_WORDS * sizeof *bits);
    if (*empty) {
        --*empty;
        return true;
    }
    uint32_t mode = (uint32_t)get_bits(r, 2);
    if (mode == MODE_NONE) {
        *empty = (uint32_t)get_bits(r, 8);
        return !r->over;
    }
    if (mode == MODE_PLAIN) {
        for (uint32_t i = 0; i < length; i += 32) bits[i / 64] |= get_bits(r, MG_MIN(32, length - i)) << (i % 64);
        return !r->over;
    }
    uint32_t parameter = (uint32_t)get_bits(r, 4), count = (uint32_t)get_bits(r, 13), place = 0;
    for (uint32_t i = 0; i < count; i++, place++) {
        place += get_unary(r, CHUNK) << parameter;
        place += (uint32_t)get_bits(r, parameter);
        if (place >= length || r->over) return false;
        bits[place / 64] |= (uint64_t)1 << (place % 64);
    }
    if (mode == MODE_ZEROS)
        for (uint32_t w = 0; 64 * w < length; w++) {
            bits[w] = ~bits[w];
            if (64 * (w + 1) > length) bits[w] &= ((uint64_t)1 << (length % 64)) - 1;
        }
    return !r->over;
}

/* ---- sets ------------------------------------------------------------------------------------------------------- */

static uint64_t pack(void *out, uint64_t room, const uint64_t *next, const uint64_t *known, uint64_t words) {
    bit_writer writer = {.out = out, .room = room};
    uint64_t chunk[CHUNK_WORDS + 1] = {0};
    uint32_t fill = 0, empty = 0;
    for (uint64_t w = 0; w < words && !writer.full; w++) {
        uint64_t free = ~known[w], bits = extract(next[w], free);
        uint32_t count = (uint32_t)__builtin_popcountll(free);
        if (!count) continue;
        chunk[fill / 64] |= bits << (fill % 64);
        if (fill % 64) chunk[fill / 64 + 1] |= bits >> (64 - fill % 64);
        fill += count;
        if (fill < CHUNK) continue;
        uint64_t rest = chunk[CHUNK_WORDS];
        put_chunk(&writer, chunk, CHUNK, &empty);
        memset(chunk, 0, sizeof chunk);
        chunk[0] = rest;
        fill -= CHUNK;
    }
    if (fill) put_chunk(&writer, chunk, fill, &empty);
    put_empty(&writer, &empty);
    put_bits(&writer, 0, 7); /* the last byte */
    return writer.full ? UINT64_MAX : writer.bytes;
}

static bool unpack(uint64_t *out, const void *in, uint64_t bytes, const uint64_t *known, uint64_t words) {
    bit_reader reader = {.in = in, .bytes = bytes};
    uint64_t chunk[CHUNK_WORDS + 1] = {0}, left = 0;
    uint32_t place = CHUNK, length = 0, empty = 0;
    for (uint64_t w = 0; w < words; w++) left += (uint64_t)__builtin_popcountll(~known[w]);
    for (uint64_t w = 0; w < words; w++) {
        uint64_t free = ~known[w], bits = 0;
        uint32_t count = (uint32_t)__builtin_popcountll(free), have = 0;
        while (have < count) {
            if (place >= length) {
                length = (uint32_t)MG_MIN(left, CHUNK);
                left -= length;
                place = 0;
                if (!get_chunk(&reader, chunk, length, &empty)) return false;
            }
            uint32_t take = MG_MIN(count - have, length - place);
            uint64_t some = chunk[place / 64] >> (place % 64);
            if (place % 64) some |= chunk[place / 64 + 1] << (64 - place % 64);
            if (take < 64) some &= ((uint64_t)1 << take) - 1;
            bits |= some << have;
            have += take;
            place += take;
        }
        out[w] = deposit(bits, free);
    }
    return true;
}

const mg_sets_hot MG_SETS = {pack, unpack};
