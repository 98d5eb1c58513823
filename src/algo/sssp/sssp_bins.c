/* The bins of a thread: lists of chunks, in a ring that moves on with the steps, and a pile for what lies beyond.
 *
 * A vertex is never taken out of a bin when it comes nearer; it is put into another one besides, and found to be late
 * when its turn comes. */
#include "algo/sssp/sssp.h"

#define SLAB_CHUNKS 255 /* with what comes before them they fill 64 kB */
_Static_assert(sizeof(mg_sssp_chunk) == 256, "chunks begin at multiples of their size");

typedef struct slab slab;
struct slab {
    slab *next;
};

meguri_status mg_sssp_worker_new(mg_sssp_worker **out, meguri_ctx *ctx) {
    *out = mg_alloc_zero(ctx, sizeof **out, "the bins of shortest paths");
    if (!*out) return MEGURI_NO_MEMORY;
    (*out)->pile_first = MG_SSSP_NO_BIN;
    return MEGURI_OK;
}

void mg_sssp_worker_free(mg_sssp_worker *w) {
    if (!w) return;
    for (slab *s = w->slabs, *next; s; s = next) {
        next = s->next;
        mg_free(s);
    }
    mg_free(w);
}

void mg_sssp_chunk_done(mg_sssp_worker *w, mg_sssp_chunk *chunk) {
    chunk->next = w->unused;
    w->unused = chunk;
}

static mg_sssp_chunk *new_chunk(mg_sssp_state *s, mg_sssp_worker *w) {
    if (!w->unused) {
        slab *more = mg_alloc(s->ctx, (SLAB_CHUNKS + 1) * sizeof *w->unused, "the bins of shortest paths");
        if (!more) {
            mg_store(&s->no_memory, 1);
            mg_store(&s->stop, 1);
            return NULL;
        }
        more->next = w->slabs;
        w->slabs = more;
        uintptr_t first = ((uintptr_t)more + sizeof *w->unused) / sizeof *w->unused * sizeof *w->unused;
        mg_sssp_chunk *chunks = (mg_sssp_chunk *)first;
        for (int i = SLAB_CHUNKS; i-- > 0;) mg_sssp_chunk_done(w, &chunks[i]);
    }
    mg_sssp_chunk *chunk = w->unused;
    w->unused = chunk->next;
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

static void all_done(mg_sssp_worker *w, mg_sssp_chunk *list) {
    for (mg_sssp_chunk *next; list; list = next) {
        next = list->next;
        mg_sssp_chunk_done(w, list);
    }
}

void mg_sssp_empty_bins(mg_sssp_worker *w) {
    for (uint32_t word = 0; word < MG_SSSP_BINS / 64; word++) {
        for (uint64_t bits = w->filled[word]; bits; bits &= bits - 1)
            all_done(w, mg_sssp_take_list(&w->bins[64 * word + (uint32_t)__builtin_ctzll(bits)]));
        w->filled[word] = 0;
    }
    all_done(w, mg_sssp_take_list(&w->pile));
    all_done(w, mg_sssp_take_list(&w->current));
    all_done(w, w->chunks);
    w->chunks = NULL;
    w->pile_first = MG_SSSP_NO_BIN;
}

void mg_sssp_worker_clear(mg_sssp_worker *w) {
    mg_sssp_empty_bins(w);
    w->bin = w->step_end = 0;
    w->vertices = w->arcs = 0;
    w->row_next = w->row_end = 0;
    w->arc_count = 0;
}

/* A chunk that is full goes where anybody finds it. */
static void offer(mg_sssp_worker *w, mg_sssp_chunk *chunk) {
    mg_sssp_take_lock(&w->lock);
    chunk->next = w->chunks;
    mg_store(&w->chunks, chunk);
    mg_sssp_drop_lock(&w->lock);
}

static inline void add(mg_sssp_state *s, mg_sssp_worker *w, mg_sssp_list *list, uint32_t vertex) {
    if (mg_sssp_is_full(*list)) {
        mg_sssp_chunk *chunk = new_chunk(s, w);
        if (!chunk) return;
        chunk->next = mg_sssp_take_list(list);
        *list = chunk->vertices;
    }
    *(*list)++ = vertex;
}

void mg_sssp_put_anywhere(mg_sssp_state *s, mg_sssp_worker *w, uint32_t vertex, uint64_t bin) {
    if (bin < w->step_end) {
        if (w->current && mg_sssp_is_full(w->current)) offer(w, mg_sssp_take_list(&w->current));
        add(s, w, &w->current, vertex);
    } else if (bin - w->bin < MG_SSSP_BINS) {
        uint64_t place = bin % MG_SSSP_BINS;
        w->filled[place / 64] |= (uint64_t)1 << (place % 64);
        add(s, w, &w->bins[place], vertex);
    } else {
        w->pile_first = MG_MIN(w->pile_first, bin);
        add(s, w, &w->pile, vertex);
    }
}

uint64_t mg_sssp_first_bin(const mg_sssp_worker *w) {
    const uint64_t words = MG_SSSP_BINS / 64;
    uint64_t start = w->bin % MG_SSSP_BINS;
    for (uint64_t i = 0; i <= words; i++) { /* the word it starts in twice: its end first, its beginning last */
        uint64_t word = (start / 64 + i) % words, bits = w->filled[word];
        if (i == 0) bits &= ~(uint64_t)0 << (start % 64);
        if (!bits) continue;
        uint64_t place = 64 * word + (uint64_t)__builtin_ctzll(bits);
        return MG_MIN(w->bin + (place - start + MG_SSSP_BINS) % MG_SSSP_BINS, w->pile_first);
    }
    return w->pile_first;
}

/* What of the pile the ring now reaches comes into it; what had its turn meanwhile goes. */
static void sort_pile(mg_sssp_state *s, mg_sssp_worker *w) {
    mg_sssp_chunk *pile = mg_sssp_take_list(&w->pile);
    w->pile_first = MG_SSSP_NO_BIN;
    for (mg_sssp_chunk *chunk = pile, *next; chunk; chunk = next) {
        next = chunk->next;
        for (uint32_t i = 0; i < chunk->count; i++) {
            uint64_t bin = s->hot->bin_of(s, chunk->vertices[i]);
            if (bin >= w->bin) mg_sssp_put(s, w, chunk->vertices[i], bin);
        }
        mg_sssp_chunk_done(w, chunk);
    }
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
bool mg_sssp_pile_is_due(const mg_sssp_worker *w, uint64_t bin, uint64_t step_end) {
    return w->pile && (w->pile_first < step_end || w->pile_first - bin < MG_SSSP_BINS / 2);
}

void mg_sssp_move_ring(mg_sssp_state *s, mg_sssp_worker *w, uint64_t bin, uint64_t step_end) {
    w->bin = w->step_end = bin;
    if (mg_sssp_pile_is_due(w, bin, step_end)) sort_pile(s, w);
}

mg_sssp_chunk *mg_sssp_take_bins(mg_sssp_worker *w, uint64_t begin, uint64_t end) {
    mg_sssp_chunk *chunks = NULL;
    for (uint64_t b = begin; b < end; b++) {
        uint64_t place = b % MG_SSSP_BINS;
        if (!w->bins[place]) continue;
        chunks = joined(chunks, mg_sssp_take_list(&w->bins[place]));
        w->filled[place / 64] &= ~((uint64_t)1 << (place % 64));
    }
    return chunks;
}

void mg_sssp_begin_step(mg_sssp_state *s, mg_sssp_worker *w, uint64_t bin, uint64_t step_end) {
    mg_sssp_move_ring(s, w, bin, step_end);
    mg_sssp_chunk *chunks = mg_sssp_take_bins(w, bin, step_end);
    w->step_end = step_end;
    if (!chunks) return;
    mg_sssp_take_lock(&w->lock);
    mg_store(&w->chunks, chunks);
    mg_sssp_drop_lock(&w->lock);
}

void mg_sssp_adopt(mg_sssp_state *s, mg_sssp_worker *w, mg_sssp_worker *from) {
    mg_sssp_chunk *all = NULL;
    for (int i = 0; i < MG_SSSP_BINS; i++) all = joined(all, mg_sssp_take_list(&from->bins[i]));
    all = joined(all, mg_sssp_take_list(&from->pile));
    mg_sssp_empty_bins(from);
    for (mg_sssp_chunk *chunk = all, *next; chunk; chunk = next) {
        next = chunk->next;
        for (uint32_t i = 0; i < chunk->count; i++) {
            uint64_t bin = s->hot->bin_of(s, chunk->vertices[i]);
            if (bin >= w->bin) mg_sssp_put(s, w, chunk->vertices[i], bin);
        }
        mg_sssp_chunk_done(from, chunk);
    }
}
