/* Random numbers by place, not by turn: each is a function of (seed, stream, index) alone, so any thread may draw any
 * of them in any order and the graph comes out the same.
 *
 * A stream is the sequence of splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014,
 * with the mixing constants of Stafford's variant 13), which passes the usual test batteries and needs no state but
 * a counter. Streams start at mixed, hence unrelated, places of its period of 2^64. */
#ifndef MG_GEN_RANDOM_H
#define MG_GEN_RANDOM_H

#include <stdint.h>

/* What the numbers are for. The values are part of what a seed means: never renumber them. */
typedef enum mg_stream {
    MG_STREAM_ENDS = 1,        /* the ends of edges */
    MG_STREAM_WEIGHTS = 2,     /* their weights */
    MG_STREAM_LABELS = 3,      /* the scrambling of labels */
    MG_STREAM_STREETS = 4,     /* of the grid: which are there, how long they are */
    MG_STREAM_COORDINATES = 5, /* where a crossing lies within its cell */
    MG_STREAM_STATIONS = 6,    /* where the ends of links may be */
    MG_STREAM_LINKS = 7,       /* which stations a link joins */
    MG_STREAM_LINK_WEIGHTS = 8,
    MG_STREAM_ROOTS = 9,   /* the search keys of Graph500 */
    MG_STREAM_SOURCES = 10 /* of betweenness, where they are a sample */
} mg_stream;

#define MG_RANDOM_STEP UINT64_C(0x9e3779b97f4a7c15) /* 2^64 / golden ratio, odd */

static inline uint64_t mg_random_mix(uint64_t z) {
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* The place where a stream starts. */
static inline uint64_t mg_random_key(uint64_t seed, mg_stream stream) {
    return mg_random_mix(mg_random_mix(seed + MG_RANDOM_STEP) ^ ((uint64_t)stream * UINT64_C(0xd1342543de82ef95)));
}

/* 64 random bits. */
static inline uint64_t mg_random(uint64_t key, uint64_t index) { return mg_random_mix(key + index * MG_RANDOM_STEP); }

/* 0 … count-1, each as probable as any other to within count / 2^64. */
static inline uint64_t mg_random_below(uint64_t bits, uint64_t count) {
    return (uint64_t)(((unsigned __int128)bits * count) >> 64);
}

#endif
