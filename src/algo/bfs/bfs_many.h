/* Many searches in one pass, a bit each: what its files share (bfs_many.c).
 *
 * While the depth is small, the bits that each level added are kept, a word a vertex, and the levels are written from
 * them at the end, each row of the result once. A search that goes deeper writes what it has and from then on sets
 * levels one by one, as it finds them. */
#ifndef MG_BFS_MANY_H
#define MG_BFS_MANY_H

#include "algo/bfs/bfs.h"

#define MG_BFS_HISTORY 10 /* levels whose bits are kept */

typedef struct mg_bfs_many_device mg_bfs_many_device;

/* Vertices are internal numbers, but for the rows of `levels` and `parents`, which are positions. */
typedef struct meguri_bfs_many_search {
    mg_claim claim;
    const meguri_graph *graph;
    meguri_bfs_many_options options;
    meguri_result *result; /* of the last run */
    uint32_t sources;
    uint64_t from[MEGURI_BFS_MANY]; /* their positions */
    uint64_t source_positions[MEGURI_BFS_MANY];
    uint32_t isolated_sources;
    uint32_t limit; /* the last level */
    mg_rows out, in;
    mg_numbering numbering;
    uint32_t rows, first_leaf; /* as in a single search */

    uint64_t *seen;                    /* bit b: reached by source b before this step */
    uint64_t *history[MG_BFS_HISTORY]; /* the bits that each level added, while they are kept; then two to take turns */
    bool direct;                       /* they are not kept any more */
    uint64_t *fresh;                   /* the bits that the last step added */
    uint64_t *next;                    /* those that this step adds */
    bool fresh_is_listed;              /* fresh is zero but for the vertices of the list */
    bool next_is_zero;
    mg_queue list, next_list;
    uint64_t frontier; /* vertices with fresh bits */
    uint64_t frontier_arcs;
    uint64_t active; /* sources whose search goes on */
    uint64_t rare;   /* those of them that reached few vertices in the last step */
    uint64_t pulled; /* those that this step pulls */
    uint32_t depth;  /* level of the fresh bits */

    void *levels; /* vertices × sources; -1 where unreached */
    uint32_t level_bytes;
    uint64_t matrix_bytes;     /* of levels */
    bool isolated_are_written; /* the rows of isolated vertices in levels say unreached */
    uint32_t *parents;         /* vertices × sources, or NULL */

    uint64_t reached, edges;
    double seconds;
    mg_bfs_many_device *device; /* steps are done there; NULL: here */
} mg_bfs_many;

/* What a step found. */
typedef struct mg_bfs_many_found {
    uint64_t vertices, arcs;          /* vertices that gained a bit, and out-arcs of these */
    uint64_t bits;                    /* how many bits were gained */
    uint64_t sources;                 /* by which sources */
    uint64_t edges;                   /* looked at */
    uint64_t gained[MEGURI_BFS_MANY]; /* vertices that each source gained; after a dense step only */
} mg_bfs_many_found;

void mg_bfs_many_add(mg_bfs_many_found *sum, const mg_bfs_many_found *share);

/* ---- bfs_many_step.c -------------------------------------------------------------------------------------------- */

/* Both leave the bits found in fresh, seen and (if direct) the levels up to date. */
mg_bfs_many_found mg_bfs_many_sparse(meguri_ctx *ctx, mg_bfs_many *many);
mg_bfs_many_found mg_bfs_many_dense(meguri_ctx *ctx, mg_bfs_many *many);
void mg_bfs_many_clear(meguri_ctx *ctx, uint64_t *words, uint64_t count);

/* ---- bfs_many_device.c ------------------------------------------------------------------------------------------ */

meguri_status mg_bfs_many_device_open(meguri_ctx *ctx, mg_bfs_many *many);
void mg_bfs_many_device_close(mg_bfs_many *many); /* also where there is none */
meguri_status mg_bfs_many_device_start(meguri_ctx *ctx, mg_bfs_many *many);
/* Leaves the bits found in next, or (if direct) the levels up to date; sets `pulled`. */
meguri_status mg_bfs_many_device_step(mg_bfs_many_found *found, meguri_ctx *ctx, mg_bfs_many *many);
/* Facts that only this engine has. */
meguri_status mg_bfs_many_device_tell(meguri_ctx *ctx, const mg_bfs_many *many, meguri_result *result);

/* ---- bfs_many_levels.c ------------------------------------------------------------------------------------------ */

/* Before a run: forgets the sources of the last one. */
void mg_bfs_many_reuse(mg_bfs_many *many);
/* Before a step: one level more can be kept or written. */
meguri_status mg_bfs_many_make_room(meguri_ctx *ctx, mg_bfs_many *many);
/* After the last one: all levels are written, those of leaves too. */
meguri_status mg_bfs_many_finish(meguri_ctx *ctx, mg_bfs_many *many);
meguri_status mg_bfs_many_parents(meguri_ctx *ctx, mg_bfs_many *many);

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

/* ---- the hot loops, compiled for several targets (bfs_many_hot.h) ----------------------------------------------- */

typedef struct mg_bfs_many_hot {
    /* A pull for the vertices [begin, end): adds to `next` what the pulled sources give them; returns the arcs looked
     * at. */
    uint64_t (*pull)(const mg_bfs_many *many, uint32_t begin, uint32_t end);
    /* Makes what is in `next` there the fresh bits. */
    mg_bfs_many_found (*commit)(const mg_bfs_many *many, uint32_t begin, uint32_t end);
    /* Writes the levels of the vertices [begin, end), all below first_leaf or all leaves, from the history up to
     * `depth`; returns how many sources reach them. */
    uint64_t (*write_levels)(const mg_bfs_many *many, uint32_t begin, uint32_t end);
} mg_bfs_many_hot;

extern const mg_bfs_many_hot mg_bfs_many_hot_base, mg_bfs_many_hot_avx512;
const mg_bfs_many_hot *mg_bfs_many_hot_loops(void);

#endif
