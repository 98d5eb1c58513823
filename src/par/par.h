/* par: the team and its loops, atomics, scan, radix sort, bitmap, queue, distinct numbers. */
#ifndef MG_PAR_H
#define MG_PAR_H

#include "par/team.h"

#include <string.h>

/* Bits that numbers below `count` take, at least one. */
static inline uint32_t mg_bits_below(uint64_t count) {
    return count > 2 ? 64 - (uint32_t)__builtin_clzll(count - 1) : 1;
}

/* ---- atomics on plain arrays (relaxed unless the name says otherwise) ------------------------------------------- */

#define mg_load(p)             __atomic_load_n((p), __ATOMIC_RELAXED)
#define mg_store(p, value)     __atomic_store_n((p), (value), __ATOMIC_RELAXED)
#define mg_fetch_add(p, value) __atomic_fetch_add((p), (value), __ATOMIC_RELAXED)
#define mg_fetch_or(p, value)  __atomic_fetch_or((p), (value), __ATOMIC_RELAXED)
/* true if *p was `expected` and is now `desired`. */
#define mg_compare_swap(p, expected, desired)                                                                          \
    __atomic_compare_exchange_n((p), &(__typeof__(*(p))){expected}, (desired), false, __ATOMIC_RELAXED,                \
                                __ATOMIC_RELAXED)
/* Lowers *p to value; true if this call did. */
static inline bool mg_atomic_min_u32(uint32_t *p, uint32_t value) {
    uint32_t old = mg_load(p);
    while (value < old)
        if (__atomic_compare_exchange_n(p, &old, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) return true;
    return false;
}

static inline void mg_atomic_min_u64(uint64_t *p, uint64_t value) {
    uint64_t old = mg_load(p);
    while (value < old && !__atomic_compare_exchange_n(p, &old, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
}
/* Raises *p to value. */
static inline void mg_atomic_max_u32(uint32_t *p, uint32_t value) {
    uint32_t old = mg_load(p);
    while (value > old && !__atomic_compare_exchange_n(p, &old, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
}
static inline void mg_atomic_max_u64(uint64_t *p, uint64_t value) {
    uint64_t old = mg_load(p);
    while (value > old && !__atomic_compare_exchange_n(p, &old, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
}

/* ---- sweeps (sweep.c) ------------------------------------------------------------------------------------------- */

#define MG_SWEEP_BLOCK 8192 /* items between two looks at the progress: some 10 µs for vertices or arcs */

/* Several sweeps one after another, of `total` items in all. */
typedef struct mg_sweep {
    meguri_ctx *ctx;
    const char *phase;
    uint64_t done, total;
} mg_sweep;

/* All items in blocks, on all threads of the context; stops when it is cancelled. */
meguri_status mg_sweep_over(mg_sweep *sweep, mg_range_fn *look, void *what, uint64_t items);
/* Within a long look: true when it is cancelled. */
static inline bool mg_sweep_cancelled(const mg_sweep *sweep) {
    return mg_progress(sweep->ctx, sweep->phase, sweep->done, sweep->total);
}

/* ---- turns (turns.c) -------------------------------------------------------------------------------------------- */

/* Each number, from 0 on, is taken by one thread, in increasing order (mg_turns_take); that thread waits for its turn
 * and passes it on, also where it has failed: others wait for it. A thread that waits sleeps, as it would only take the
 * processor from the one it waits for. Or it hands over, in the order of the numbers, what the thread that called the
 * library is to do itself, because it calls functions that the library was given: that one does it as soon as it comes
 * by a place where it reports progress, or waits. */
typedef struct mg_turns {
    uint64_t taken;
    pthread_mutex_t lock;
    pthread_cond_t moved;
    uint64_t next; /* whose turn it is */
    mg_drain drain;
    void (*hand)(void *what); /* handed over, and not begun */
    void *what;
    bool abandoned; /* an exception ended the work of the thread that called */
} mg_turns;
void mg_turns_drain(mg_drain *drain);
#define MG_TURNS_NEW                                                                                                   \
    { 0, PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, {0, mg_turns_drain}, NULL, NULL, false }

static inline uint64_t mg_turns_take(mg_turns *turns) { return mg_fetch_add(&turns->taken, 1); }
/* `meanwhile`, if it is given, is called every 20 ms. False: the turn will not come, as all is over. */
bool mg_turns_wait(mg_turns *turns, uint64_t number, void (*meanwhile)(void *what), void *what);
void mg_turns_pass(mg_turns *turns);

/* A thread of a loop, from its first turn to its last. */
typedef struct mg_turning {
    mg_turns *turns;
    meguri_ctx *ctx;
    const char *phase; /* of the progress while it waits, of so many */
    uint64_t count;
    bool calls, done; /* it is the thread that called */
    mg_drain *before;
} mg_turning;
mg_turning mg_turning_begin(mg_turns *turns, const mg_worker *worker, const char *phase, uint64_t count);
void mg_turning_left(mg_turning *turning);
#define MG_TURNING(name, ...) mg_turning name __attribute__((cleanup(mg_turning_left))) = mg_turning_begin(__VA_ARGS__)
/* Has hand(what) done on the thread that called when it is the turn of `number`, and passes it on. False: all is over,
 * and what was handed over is not done. */
bool mg_turning_hand(mg_turning *turning, uint64_t number, void (*hand)(void *what), void *what);
/* No more turns for this thread; the one that called goes on with those of the others. */
void mg_turning_end(mg_turning *turning);

/* ---- scan (scan.c) ---------------------------------------------------------------------------------------------- */

/* Exclusive prefix sums in place: a[i] becomes the sum of a[0 … i-1]; returns the sum of all. Deterministic. */
uint64_t mg_scan_u64(meguri_ctx *ctx, uint64_t *a, uint64_t count);
uint64_t mg_scan_u32(meguri_ctx *ctx, uint32_t *a, uint64_t count); /* the total must fit in 32 bits */

/* ---- radix sort (sort.c) ---------------------------------------------------------------------------------------- */

/* Sorts keys by their low `bits` bits (higher ones are carried along), stable, least significant digit first. `payload`
 * (NULL, or count items of payload_bytes 4, 8 or 16 each) is moved along. `scratch` has the size of keys,
 * `payload_scratch` that of payload; the result is in keys and payload. Digits that all keys share cost one look. One
 * thread, for data that fits the cache; count is below 2^32. */
void mg_sort_small_u32(uint32_t *keys, uint32_t *scratch, void *payload, void *payload_scratch, uint32_t payload_bytes,
                       uint64_t count, uint32_t bits);
void mg_sort_small_u64(uint64_t *keys, uint64_t *scratch, void *payload, void *payload_scratch, uint32_t payload_bytes,
                       uint64_t count, uint32_t bits);

/* The same on all threads of the context, for any size; allocates its own scratch. Deterministic and stable. After a
 * failure (no memory, cancelled) the content of keys and payload is undefined. */
meguri_status mg_sort_u32(meguri_ctx *ctx, uint32_t *keys, void *payload, uint32_t payload_bytes, uint64_t count,
                          uint32_t bits);
meguri_status mg_sort_u64(meguri_ctx *ctx, uint64_t *keys, void *payload, uint32_t payload_bytes, uint64_t count,
                          uint32_t bits);

/* ---- bitmap (bitmap.c) ------------------------------------------------------------------------------------------ */

typedef struct mg_bitmap {
    uint64_t *words;
    uint64_t bits; /* bits beyond are zero */
} mg_bitmap;

static inline uint64_t mg_bitmap_words(uint64_t bits) { return (bits + 63) / 64; }
meguri_status mg_bitmap_new(mg_bitmap *out, meguri_ctx *ctx, uint64_t bits, const char *what); /* all zero */
void mg_bitmap_free(mg_bitmap *bitmap);
void mg_bitmap_clear(meguri_ctx *ctx, mg_bitmap *bitmap);
uint64_t mg_bitmap_count(meguri_ctx *ctx, const mg_bitmap *bitmap);

static inline bool mg_bitmap_get(const mg_bitmap *b, uint64_t i) {
    return (mg_load(&b->words[i / 64]) >> (i % 64)) & 1;
}
static inline void mg_bitmap_set(mg_bitmap *b, uint64_t i) { b->words[i / 64] |= (uint64_t)1 << (i % 64); }
/* Exact under contention; true if this call set the bit. Looks before it locks. */
static inline bool mg_bitmap_claim(mg_bitmap *b, uint64_t i) {
    uint64_t bit = (uint64_t)1 << (i % 64);
    if (mg_load(&b->words[i / 64]) & bit) return false;
    return !(mg_fetch_or(&b->words[i / 64], bit) & bit);
}

/* ---- queue (queue.c) -------------------------------------------------------------------------------------------- */

/* A list of vertices that many threads append to: each through a small buffer of its own that is copied in bulk
 * (GAPBS's sliding queue, whose idea this is). The order depends on the threads. */
typedef struct mg_queue {
    uint32_t *items;
    uint64_t capacity;
    uint64_t count; /* what has been flushed */
} mg_queue;

#define MG_QUEUE_BUFFER 1024
typedef struct mg_queue_buffer {
    mg_queue *queue;
    uint32_t count;
    uint32_t items[MG_QUEUE_BUFFER];
} mg_queue_buffer;

meguri_status mg_queue_new(mg_queue *out, meguri_ctx *ctx, uint64_t capacity, const char *what);
void mg_queue_free(mg_queue *queue);
void mg_queue_flush(mg_queue_buffer *buffer);
static inline void mg_queue_push(mg_queue_buffer *buffer, uint32_t item) {
    if (buffer->count == MG_QUEUE_BUFFER) mg_queue_flush(buffer);
    buffer->items[buffer->count++] = item;
}

/* ---- distinct numbers (distinct.c) ------------------------------------------------------------------------------ */

/* The different ones among values, in the order in which they come: values[i] == items[index[i]]. */
typedef struct mg_distinct {
    uint64_t *items;
    uint32_t *index;
    uint64_t count;
} mg_distinct;
/* `what` names them in failures and progress. */
meguri_status mg_distinct_new(mg_distinct *out, meguri_ctx *ctx, const uint64_t *values, uint64_t count,
                              const char *what);
void mg_distinct_free(mg_distinct *set);

#endif
