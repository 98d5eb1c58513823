/* Generators. The same options give the same graph at any number of threads. */
#ifndef MEGURI_GEN_H
#define MEGURI_GEN_H

#include <meguri/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct meguri_kronecker_options {
    size_t size;                       /* sizeof(meguri_kronecker_options) */
    uint32_t scale;                    /* 2^scale vertices, 1 … 31; in parts … 47 */
    uint32_t edge_factor;              /* edges per vertex; 0: 16 */
    uint64_t seed;                     /* 0: 1 */
    meguri_type weights;               /* NONE, U32 (1 … 255) or F32 (uniform in [0,1), as Graph500) */
    const meguri_build_options *build; /* undirected unless it says otherwise; NULL: defaults */
} meguri_kronecker_options;
void meguri_kronecker_options_init(meguri_kronecker_options *options, size_t size);

/* The Graph500 graph: initiator 0.57 0.19 0.19 0.05, scrambled labels. */
meguri_status meguri_gen_kronecker(meguri_graph **out, meguri_ctx *ctx, const meguri_kronecker_options *options);

typedef struct meguri_rmat_options {
    size_t size;
    uint32_t scale;
    uint32_t edge_factor; /* 0: 16 */
    double a, b, c;       /* d is what is left of 1; all 0: 0.57 0.19 0.19 */
    double noise;         /* share by which the four move at random at every level, 0 … 1 */
    uint64_t seed;
    meguri_type weights;
    const meguri_build_options *build; /* directed unless it says otherwise; NULL: defaults */
    int scramble;                      /* 1: labels are permuted, as those of Kronecker; 0: as they fall, hubs first */
} meguri_rmat_options;
void meguri_rmat_options_init(meguri_rmat_options *options, size_t size);

meguri_status meguri_gen_rmat(meguri_graph **out, meguri_ctx *ctx, const meguri_rmat_options *options);

typedef struct meguri_uniform_options {
    size_t size;
    uint64_t vertices, edges; /* Erdős–Rényi G(n, m) with replacement: ends drawn uniformly */
    uint64_t seed;
    meguri_type weights;
    const meguri_build_options *build; /* directed unless it says otherwise; NULL: defaults */
} meguri_uniform_options;
void meguri_uniform_options_init(meguri_uniform_options *options, size_t size);

meguri_status meguri_gen_uniform(meguri_graph **out, meguri_ctx *ctx, const meguri_uniform_options *options);

typedef struct meguri_grid_options {
    size_t size;
    uint64_t width, height; /* vertices, like crossings of a town; 0.8 of the streets are there */
    uint64_t links;         /* long links, as railways */
    uint64_t seed;
    const meguri_build_options *build; /* undirected unless it says otherwise; NULL: defaults */
} meguri_grid_options;
void meguri_grid_options_init(meguri_grid_options *options, size_t size);

/* Road-like: mean degree about 3.2, log-uniform weights 10 … 10^6, planar coordinates. */
meguri_status meguri_gen_grid(meguri_graph **out, meguri_ctx *ctx, const meguri_grid_options *options);

/* The edge lists behind the generators, for benchmarks: pairs of 32-bit ids, freed with meguri_pairs_free. */
meguri_status meguri_gen_kronecker_pairs(uint32_t **out, uint64_t *count, meguri_ctx *ctx,
                                         const meguri_kronecker_options *options);
void meguri_pairs_free(uint32_t *pairs);

/* ---- edges without a graph -------------------------------------------------------------------------------------- */

/* The edges that a generator draws, in blocks: for graphs that fit in no memory, and for counting. Each edge depends on
 * the options and on its number alone, so any range may be drawn by any thread, in any order, any number of times. They
 * are those of the graph that meguri_gen_… makes of the same options, before loops and duplicates are dropped and
 * before an undirected one is given both directions (of `build`, which says how, only whether it can be is looked at).
 */
typedef struct meguri_drawing meguri_drawing;

typedef struct meguri_drawing_info {
    size_t size; /* sizeof(meguri_drawing_info) */
    uint64_t vertices, edges;
    meguri_type weights;
} meguri_drawing_info;

meguri_status meguri_draw_kronecker(meguri_drawing **out, meguri_ctx *ctx, const meguri_kronecker_options *options);
meguri_status meguri_draw_rmat(meguri_drawing **out, meguri_ctx *ctx, const meguri_rmat_options *options);
meguri_status meguri_draw_uniform(meguri_drawing **out, meguri_ctx *ctx, const meguri_uniform_options *options);
meguri_status meguri_drawing_get_info(meguri_drawing_info *out, const meguri_drawing *drawing);
/* The edges [begin, end): two ids of 32 bits each, and where `weights` is not NULL and the drawing has some, a weight
 * of its type. Allocates nothing, and may run on several threads at once. MEGURI_BAD_ARGUMENT where the range goes
 * beyond the edges. */
meguri_status meguri_draw_edges(uint32_t *ends, void *weights, const meguri_drawing *drawing, uint64_t begin,
                                uint64_t end);
void meguri_drawing_free(meguri_drawing *drawing);

#ifdef __cplusplus
}
#endif
#endif
