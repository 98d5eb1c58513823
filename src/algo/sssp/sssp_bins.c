/* Bins of vertices: lists of chunks, in a ring that moves on with the steps, and a pile for what lies beyond. */
#include "algo/sssp/sssp_bins.h"

#include <sched.h>

#define SPINS 2000 /* looks before a waiting thread lets others run */

#define SLAB_CHUNKS 255 /* with what comes before them they fill 64 kB */
_Static_assert(sizeof(mg_sssp_chunk) == 256, "chunks begin at multiples of their size");

typedef struct slab slab;
struct slab {
    slab *next;
};

void mg_sssp_wait(uint32_t *patience) {
    if (++*patience % SPINS == 0) sched_yield();
#if defined(__x86_64__)
    else __builtin_ia32_pause();
#endif
}

void mg_sssp_bins_open(mg_sssp_bins *b, meguri_ctx *ctx) {
    b->ctx = ctx;
    b->pile_first = MG_SSSP_NO_BIN;
}

void mg_sssp_bins_close(mg_sssp_bins *b) {
    for (slab *s = b->slabs, *next; s; s = next) {
        next = s->next;
        mg_free(s);
    }
}

void mg_sssp_chunk_done(mg_sssp_bins *b, mg_sssp_chunk *chunk) {
    chunk->next = b->unused;
    b->unused = chunk;
}

static mg_sssp_chunk *new_chunk(mg_sssp_bins *b) {
    if (!b->unused) {
        slab *more = mg_alloc(b->ctx, (SLAB_CHUNKS + 1) * sizeof *b->unused, "the bins of shortest paths");
        if (!more) return NULL;
        more->next = b->slabs;
        b->slabs = more;
        uintptr_t first = ((uintptr_t)more + sizeof *b->unused) / sizeof *b->unused * sizeof *b->unused;
        mg_sssp_chunk *chunks = (mg_sssp_chunk *)first;
        for (int i = SLAB_CHUNKS; i-- > 0;) mg_sssp_chunk_done(b, &chunks[i]);
    }
    mg_sssp_chunk *chunk = b->unused;
    b->unused = chunk->next;
    return chunk;
}

/* The chunk that is being filled, also when it is full. */
static mg_sssp_chunk *first_chunk(mg_sssp_list list) {
    return (mg_sssp_chunk *)(((uintptr_t)list - 1) / sizeof(mg_sssp_chunk) * sizeof(mg_sssp_chunk));
}

mg_sssp_chunk *mg_sssp_take_list(mg_sssp_list *list) {
    if (!*list) return NULL;
    mg_sssp_chunk *chunk = first_chunk(*list);
    chunk->count = (uint32_t)(*list - chunk->vertices);
    *list = NULL;
    return chunk;
}

static void all_done(mg_sssp_bins *b, mg_sssp_chunk *list) {
    for (mg_sssp_chunk *next; list; list = next) {
        next = list->next;
        mg_sssp_chunk_done(b, list);
    }
}

void mg_sssp_bins_empty(mg_sssp_bins *b) {
    for (uint32_t word = 0; word < MG_SSSP_BINS / 64; word++) {
        for (uint64_t bits = b->filled[word]; bits; bits &= bits - 1)
            all_done(b, mg_sssp_take_list(&b->ring[64 * word + (uint32_t)__builtin_ctzll(bits)]));
        b->filled[word] = 0;
    }
    all_done(b, mg_sssp_take_list(&b->pile));
    all_done(b, mg_sssp_take_list(&b->current));
    all_done(b, b->chunks);
    b->chunks = NULL;
    b->pile_first = MG_SSSP_NO_BIN;
}

/* A chunk that is full goes where anybody finds it. */
static void offer(mg_sssp_bins *b, mg_sssp_chunk *chunk) {
    mg_sssp_take_lock(&b->lock);
    chunk->next = b->chunks;
    mg_store(&b->chunks, chunk);
    mg_sssp_drop_lock(&b->lock);
}

static inline bool add(mg_sssp_bins *b, mg_sssp_list *list, uint32_t vertex) {
    if (mg_sssp_is_full(*list)) {
        mg_sssp_chunk *chunk = new_chunk(b);
        if (!chunk) return false;
        chunk->next = mg_sssp_take_list(list);
        *list = chunk->vertices;
    }
    *(*list)++ = vertex;
    return true;
}

bool mg_sssp_bins_put(mg_sssp_bins *b, uint32_t vertex, uint64_t bin) {
    if (bin < b->step_end) {
        if (b->current && mg_sssp_is_full(b->current)) offer(b, mg_sssp_take_list(&b->current));
        return add(b, &b->current, vertex);
    }
    if (bin - b->bin < MG_SSSP_BINS) {
        uint64_t place = bin % MG_SSSP_BINS;
        b->filled[place / 64] |= (uint64_t)1 << (place % 64);
        return add(b, &b->ring[place], vertex);
    }
    b->pile_first = MG_MIN(b->pile_first, bin);
    return add(b, &b->pile, vertex);
}

uint64_t mg_sssp_bins_first(const mg_sssp_bins *b) {
    const uint64_t words = MG_SSSP_BINS / 64;
    uint64_t start = b->bin % MG_SSSP_BINS;
    for (uint64_t i = 0; i <= words; i++) { /* the word it starts in twice: its end first, its beginning last */
        uint64_t word = (start / 64 + i) % words, bits = b->filled[word];
        if (i == 0) bits &= ~(uint64_t)0 << (start % 64);
        if (!bits) continue;
        uint64_t place = 64 * word + (uint64_t)__builtin_ctzll(bits);
        return MG_MIN(b->bin + (place - start + MG_SSSP_BINS) % MG_SSSP_BINS, b->pile_first);
    }
    return b->pile_first;
}

/* Puts the vertices of chunks where they belong now; what had its turn meanwhile goes. The chunks go back to `owner`.
 */
static bool sort(mg_sssp_bins *b, const mg_sssp_sorting *sorting, mg_sssp_chunk *chunk, mg_sssp_bins *owner) {
    bool good = true;
    for (mg_sssp_chunk *next; chunk; chunk = next) {
        next = chunk->next;
        for (uint32_t i = 0; i < chunk->count && good; i++) {
            uint64_t bin = sorting->bin_of(sorting->what, chunk->vertices[i]);
            if (bin >= b->bin) good = mg_sssp_bins_put(b, chunk->vertices[i], bin);
        }
        mg_sssp_chunk_done(owner, chunk);
    }
    return good;
}

static mg_sssp_chunk *joined(mg_sssp_chunk *list, mg_sssp_chunk *more) {
    for (mg_sssp_chunk *next; more; more = next) {
        next = more->next;
        more->next = list;
        list = more;
    }
    return list;
}

/* Not for every bin that comes near, but when half the ring has passed. */
static bool pile_is_due(const mg_sssp_bins *b, uint64_t bin, uint64_t step_end) {
    return b->pile && (b->pile_first < step_end || b->pile_first - bin < MG_SSSP_BINS / 2);
}

bool mg_sssp_bins_move(mg_sssp_bins *b, const mg_sssp_sorting *sorting, uint64_t bin, uint64_t step_end) {
    mg_sssp_bins_begin_at(b, bin);
    if (!pile_is_due(b, bin, step_end)) return true;
    b->pile_first = MG_SSSP_NO_BIN;
    return sort(b, sorting, mg_sssp_take_list(&b->pile), b);
}

mg_sssp_chunk *mg_sssp_bins_take(mg_sssp_bins *b, uint64_t begin, uint64_t end) {
    mg_sssp_chunk *chunks = NULL;
    for (uint64_t bin = begin; bin < end; bin++) {
        uint64_t place = bin % MG_SSSP_BINS;
        if (!b->ring[place]) continue;
        chunks = joined(chunks, mg_sssp_take_list(&b->ring[place]));
        b->filled[place / 64] &= ~((uint64_t)1 << (place % 64));
    }
    return chunks;
}

bool mg_sssp_bins_begin_step(mg_sssp_bins *b, const mg_sssp_sorting *sorting, uint64_t bin, uint64_t step_end) {
    bool good = mg_sssp_bins_move(b, sorting, bin, step_end);
    mg_sssp_chunk *chunks = mg_sssp_bins_take(b, bin, step_end);
    b->step_end = step_end;
    if (!chunks) return good;
    mg_sssp_take_lock(&b->lock);
    mg_store(&b->chunks, chunks);
    mg_sssp_drop_lock(&b->lock);
    return good;
}

mg_sssp_chunk *mg_sssp_bins_steal(mg_sssp_bins *from) {
    if (!mg_load(&from->chunks)) return NULL;
    mg_sssp_take_lock(&from->lock);
    mg_sssp_chunk *chunk = from->chunks;
    if (chunk) mg_store(&from->chunks, chunk->next);
    mg_sssp_drop_lock(&from->lock);
    return chunk;
}

bool mg_sssp_bins_adopt(mg_sssp_bins *b, const mg_sssp_sorting *sorting, mg_sssp_bins *from) {
    mg_sssp_chunk *all = NULL;
    for (int i = 0; i < MG_SSSP_BINS; i++) all = joined(all, mg_sssp_take_list(&from->ring[i]));
    all = joined(all, mg_sssp_take_list(&from->pile));
    mg_sssp_bins_empty(from);
    return sort(b, sorting, all, from);
}
