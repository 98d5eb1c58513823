/* PageRank: every vertex gathers along its in-arcs what its neighbours give, over and over.
 *
 * The definition is that of LDBC Graphalytics (the header of the public interface has it); the pull is that of GAPBS.
 * What a vertex gives along each of its arcs, rank/outdegree, is its share. Shares are all that is kept between
 * iterations: rank = share * outdegree, and where no arc leaves nobody reads the share, so it is the rank itself.
 * Isolated vertices have one rank between them.
 *
 * Gathering is a random read for each arc, and costs what the cache says, and what wrong guesses of the processor cost
 * where rows end. So the arcs are laid out anew before the first iteration, in tiles (graph/row_tiles.c): rows and
 * columns that suit the caches, pieces of rows in the order of their length.
 *
 * Invariant: every sum is made in one order, whatever the threads: a piece of a row by one thread, the pieces of a row
 * in the order of their tiles, sums over vertices in fixed groups. */
#ifndef MG_PAGERANK_H
#define MG_PAGERANK_H

#include "shards/shards.h"

#include <meguri/pagerank.h>

/* ---- the sums of a tile (pagerank_sum.c) ------------------------------------------------------------------------- */

/* Adds what the tile holds to `sums`, of all rows; `rows` are those of its group. Waits until the tiles of the group
 * before it have been summed, which group_done counts; true if it was the last of them. Also to be called where the
 * work has been cancelled, as others wait for it; then it sums nothing, and is false (pagerank_sum.c). */
bool mg_pagerank_tile_turn(double *sums, mg_range rows, const mg_row_tiles *tiles, const mg_row_tile *tile,
                           uint32_t *group_done, const double *share, bool cancelled);

/* ---- engines and their loop (pagerank_loop.c) -------------------------------------------------------------------- */

struct mg_pagerank_engine;

/* What the loop knows of a run; an engine has more behind it. */
typedef struct mg_pagerank {
    const struct mg_pagerank_engine *engine;
    const meguri_graph *graph;
    meguri_pagerank_options options;
    uint64_t active; /* vertices that have arcs; the others, isolated, have one rank between them */
    uint64_t arcs;
    uint64_t iterations, most; /* so far, and at most */
    double lone;               /* the rank of each isolated vertex */
    double dangling;           /* of all vertices that no arc leaves */
    double change;             /* of the last iteration */
} mg_pagerank;

/* What an iteration finds of the vertices that have arcs. */
typedef struct mg_pagerank_found {
    double change, dangling;
} mg_pagerank_found;

/* On a cluster all processes call these, and get the same. */
typedef struct mg_pagerank_engine {
    meguri_engine engine;
    size_t bytes;  /* of what begins with a mg_pagerank */
    bool together; /* processes agree in `iterate` that the work is cancelled: none ends before */
    /* What all iterations share; says how many vertices are active, and the arcs. */
    meguri_status (*prepare)(meguri_ctx *ctx, mg_pagerank *r);
    /* Everybody has the rank `lone`; how many of those that are active no arc leaves. */
    meguri_status (*start)(uint64_t *dangling, meguri_ctx *ctx, mg_pagerank *r);
    /* Everybody has `base` more than `damping` times what its in-arcs bring. */
    meguri_status (*iterate)(mg_pagerank_found *found, meguri_ctx *ctx, mg_pagerank *r, double base);
    void (*trace)(meguri_ctx *ctx, mg_pagerank *r, mg_step *line);
    /* The ranks of vertices whose results are here, by position. */
    meguri_status (*finish)(meguri_ctx *ctx, mg_pagerank *r, double *rank);
    meguri_status (*facts)(meguri_ctx *ctx, const mg_pagerank *r, meguri_result *result); /* of its own, or NULL */
    void (*close)(mg_pagerank *r);
    meguri_status (*check)(meguri_ctx *ctx, const meguri_graph *graph, const double *rank,
                           const meguri_pagerank_options *options);
} mg_pagerank_engine;

extern const mg_pagerank_engine mg_pagerank_on_host, mg_pagerank_on_cluster, mg_pagerank_on_device;

/* Fills `rank`, by position, and the facts of the result. */
meguri_status mg_pagerank_run(meguri_ctx *ctx, mg_pagerank *r, meguri_result *result, double *rank);

/* ---- a graph that is here, and whole (pagerank_host.c) ---------------------------------------------------------- */

typedef struct mg_pagerank_whole {
    mg_pagerank base;
    mg_rows in, out;
    double *share; /* by internal number */
} mg_pagerank_whole;

/* Rows, and room for the shares. */
meguri_status mg_pagerank_whole_prepare(meguri_ctx *ctx, mg_pagerank_whole *w);
/* `start` and `finish` of an engine whose shares are here before the first iteration, and after the last. */
meguri_status mg_pagerank_whole_start(uint64_t *dangling, meguri_ctx *ctx, mg_pagerank *r);
meguri_status mg_pagerank_whole_finish(meguri_ctx *ctx, mg_pagerank *r, double *rank);
/* From the sums of these rows in `next` to their new shares, which take their place. */
mg_pagerank_found mg_pagerank_whole_settle(const mg_pagerank_whole *w, double *next, mg_range rows, double base);

meguri_status mg_pagerank_host_check(meguri_ctx *ctx, const meguri_graph *graph, const double *rank,
                                     const meguri_pagerank_options *options);
/* … of a graph in parts; all processes call it. */
meguri_status mg_pagerank_cluster_check(meguri_ctx *ctx, const meguri_graph *graph, const double *rank,
                                        const meguri_pagerank_options *options);

/* The checker, of arrays as a result has them; meguri_pagerank_check looks here. */
meguri_status mg_pagerank_check(meguri_ctx *ctx, const meguri_graph *graph, const double *rank,
                                const meguri_pagerank_options *options);

#endif
