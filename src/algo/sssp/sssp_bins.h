/* Bins: vertices that wait by their tentative distance; those of one thread.
 *
 * A ring of bins moves on with the steps, and a pile has what lies beyond it. A vertex is never taken out of a bin when
 * it comes nearer; it is put into another one besides, and found to be late when its turn comes. What is in the bins of
 * the running step waits in chunks that other threads may take. */
#ifndef MG_SSSP_BINS_H
#define MG_SSSP_BINS_H

#include "par/par.h"

#define MG_SSSP_CHUNK  61   /* vertices in a chunk: 256 bytes with its head */
#define MG_SSSP_BINS   1024 /* bins in a ring */
#define MG_SSSP_NO_BIN UINT64_MAX

/* 256 bytes, at an address that is a multiple of that. */
typedef struct mg_sssp_chunk mg_sssp_chunk;
struct mg_sssp_chunk {
    mg_sssp_chunk *next;
    uint32_t count; /* set when it is no longer being filled */
    uint32_t vertices[MG_SSSP_CHUNK];
};

/* A list of chunks by the place where the next vertex goes: the end of its first chunk where that is full, NULL where
 * there is none. So to add a vertex is to write it, and nothing else of the chunk is touched. */
typedef uint32_t *mg_sssp_list;

typedef struct mg_sssp_bins {
    mg_sssp_list ring[MG_SSSP_BINS]; /* bin b is at b % MG_SSSP_BINS */
    uint64_t filled[MG_SSSP_BINS / 64];
    mg_sssp_list pile;    /* what lies beyond the ring */
    uint64_t pile_first;  /* no bin of the pile comes before */
    mg_sssp_list current; /* vertices of the running step, one chunk at most */
    mg_sssp_chunk *unused;
    void *slabs;            /* where chunks come from */
    uint64_t bin, step_end; /* the running step: bins from the one, not including the other */
    meguri_ctx *ctx;

    /* Others come here. */
    _Alignas(64) uint16_t lock;
    mg_sssp_chunk *chunks; /* of the running step, for anybody */
} mg_sssp_bins;

/* In which bin a vertex belongs now. */
typedef uint64_t mg_sssp_bin_fn(const void *what, uint32_t vertex);
typedef struct mg_sssp_sorting {
    mg_sssp_bin_fn *bin_of;
    const void *what;
} mg_sssp_sorting;

void mg_sssp_bins_open(mg_sssp_bins *bins, meguri_ctx *ctx);
void mg_sssp_bins_close(mg_sssp_bins *bins);
/* Forgets all vertices. */
void mg_sssp_bins_empty(mg_sssp_bins *bins);
/* Puts a vertex into its bin, wherever that is; false: there is no memory. Mostly there is a bin with room. */
bool mg_sssp_bins_put(mg_sssp_bins *bins, uint32_t vertex, uint64_t bin);
static inline bool mg_sssp_is_full(mg_sssp_list list) { return (uintptr_t)list % sizeof(mg_sssp_chunk) == 0; }
static inline bool mg_sssp_bins_put_at_once(mg_sssp_bins *b, uint32_t vertex, uint64_t bin) {
    mg_sssp_list *list = &b->ring[bin % MG_SSSP_BINS];
    if (bin < b->step_end || bin - b->bin >= MG_SSSP_BINS || mg_sssp_is_full(*list)) return false;
    *(*list)++ = vertex;
    return true;
}
/* The first bin that is not empty. */
uint64_t mg_sssp_bins_first(const mg_sssp_bins *bins);
/* Nobody waits before `bin`: the ring begins there. */
static inline void mg_sssp_bins_begin_at(mg_sssp_bins *bins, uint64_t bin) { bins->bin = bins->step_end = bin; }
/* The same, and it reaches at least to `step_end`: what of the pile it reaches comes into it. False: no memory. */
bool mg_sssp_bins_move(mg_sssp_bins *bins, const mg_sssp_sorting *sorting, uint64_t bin, uint64_t step_end);
/* What waits in the bins [begin, end) of the ring. */
mg_sssp_chunk *mg_sssp_bins_take(mg_sssp_bins *bins, uint64_t begin, uint64_t end);
/* Begins a step: what waits in its bins comes into `chunks`. */
bool mg_sssp_bins_begin_step(mg_sssp_bins *bins, const mg_sssp_sorting *sorting, uint64_t bin, uint64_t step_end);
/* All vertices of others come here. */
bool mg_sssp_bins_adopt(mg_sssp_bins *bins, const mg_sssp_sorting *sorting, mg_sssp_bins *from);

/* The chunks of a list, which is empty afterwards. */
mg_sssp_chunk *mg_sssp_take_list(mg_sssp_list *list);
/* A chunk for anybody; NULL: there is none. */
mg_sssp_chunk *mg_sssp_bins_steal(mg_sssp_bins *from);
/* It is empty, and may be used again. */
void mg_sssp_chunk_done(mg_sssp_bins *bins, mg_sssp_chunk *chunk);

/* For a few instructions. Who waits long lets others run: the holder may be one of them. */
void mg_sssp_wait(uint32_t *patience);
static inline void mg_sssp_take_lock(uint16_t *lock) {
    uint32_t patience = 0;
    while (__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE)) mg_sssp_wait(&patience);
}
static inline void mg_sssp_drop_lock(uint16_t *lock) { __atomic_store_n(lock, 0, __ATOMIC_RELEASE); }

#endif
