/* Many searches in one pass, a bit each: what its files share (bfs_many.c). */
#ifndef MG_BFS_MANY_H
#define MG_BFS_MANY_H

#include "algo/bfs/bfs.h"

/* Vertices are internal numbers, but for the rows of `levels` and `parents`, which are positions. */
typedef struct mg_bfs_many {
    const meguri_graph *graph;
    uint32_t sources;
    uint32_t limit; /* the last level */
    mg_rows out, in;
    mg_numbering numbering;
    uint32_t rows, core; /* as in a single search */

    uint64_t *seen;       /* bit b: reached by source b before this step */
    uint64_t *fresh;      /* the bits that the last step added */
    uint64_t *next;       /* those that this step adds */
    bool fresh_is_listed; /* fresh is zero but for the vertices of the list */
    bool next_is_zero;
    mg_queue list, next_list;
    uint64_t *in_frontier; /* a bit for each vertex with fresh bits, where few have; else NULL during a pull */
    uint64_t *bitmap;      /* its memory */
    uint64_t frontier;     /* vertices with fresh bits */
    uint64_t frontier_arcs;
    uint64_t active; /* sources whose search goes on */
    uint32_t depth;  /* level of the fresh bits */

    void *levels; /* vertices × sources; -1 where unreached */
    uint32_t level_bytes;

    uint64_t reached, edges;
} mg_bfs_many;

/* What a step found. */
typedef struct mg_bfs_many_found {
    uint64_t vertices, arcs; /* vertices that gained a bit, and out-arcs of these */
    uint64_t bits;           /* how many bits were gained */
    uint64_t sources;        /* by which sources */
    uint64_t edges;          /* looked at */
} mg_bfs_many_found;

static inline void mg_bfs_many_add(mg_bfs_many_found *sum, const mg_bfs_many_found *share) {
    sum->vertices += share->vertices;
    sum->arcs += share->arcs;
    sum->bits += share->bits;
    sum->sources |= share->sources;
    sum->edges += share->edges;
}

/* A pull for the vertices [begin, end): fills `next` there and writes levels. Compiled for several targets
 * (bfs_many_pull.h). */
typedef mg_bfs_many_found mg_bfs_many_pull_fn(const mg_bfs_many *many, uint32_t begin, uint32_t end);
mg_bfs_many_pull_fn mg_bfs_many_pull_base, mg_bfs_many_pull_avx512;

static inline int32_t mg_bfs_many_level(const mg_bfs_many *m, uint64_t i) {
    if (m->level_bytes == 1) return ((const int8_t *)m->levels)[i];
    if (m->level_bytes == 2) return ((const int16_t *)m->levels)[i];
    return ((const int32_t *)m->levels)[i];
}

static inline void mg_bfs_many_set(const mg_bfs_many *m, uint64_t i, int32_t level) {
    if (m->level_bytes == 1) ((int8_t *)m->levels)[i] = (int8_t)level;
    else if (m->level_bytes == 2) ((int16_t *)m->levels)[i] = (int16_t)level;
    else ((int32_t *)m->levels)[i] = level;
}

/* The sources of `bits` reached v at `level`. */
static inline void mg_bfs_many_reach(const mg_bfs_many *m, uint32_t v, uint64_t bits, int32_t level) {
    uint64_t row = (uint64_t)mg_to_user(&m->numbering, v) * m->sources;
    for (; bits; bits &= bits - 1) mg_bfs_many_set(m, row + (uint64_t)__builtin_ctzll(bits), level);
}

#endif
