/* PageRank: every vertex gathers along its in-arcs what its neighbours give, over and over.
 *
 * The definition is that of LDBC Graphalytics (the header of the public interface has it); the pull is that of GAPBS.
 * What a vertex gives along each of its arcs, rank/outdegree, is its share. Shares are all that is kept between
 * iterations: rank = share * outdegree, and where no arc leaves nobody reads the share, so it is the rank itself.
 * Isolated vertices have one rank between them.
 *
 * Gathering is a random read for each arc, and costs what the cache says, and what wrong guesses of the processor cost
 * where rows end. So the arcs are laid out anew before the first iteration, in tiles (pagerank_tiles.c): rows and
 * columns that suit the caches, pieces of rows in the order of their length.
 *
 * Invariant: every sum is made in one order, whatever the threads: a piece of a row by one thread, the pieces of a row
 * in the order of their tiles, sums over vertices in fixed groups. */
#ifndef MG_PAGERANK_H
#define MG_PAGERANK_H

#include "shards/shards.h"

#include <meguri/pagerank.h>

/* ---- groups of rows and tiles (pagerank_tiles.c) ---------------------------------------------------------------- */

#define MG_PAGERANK_STRIP ((uint64_t)1 << 16) /* columns: 512 KB of shares, and a column is a 16-bit number */
#define MG_PAGERANK_AHEAD 64                  /* columns between fetching a share and reading it, in wide tiles */

/* All arcs from a range of columns into a group of rows. `pieces` and `columns` are places in mg_pagerank_tiles.cells.
 *
 * The part of a row that lies in a tile is a piece (several, if it is very long). Pieces of one length follow each
 * other, and are told together: at `pieces` their length, their number, and the row of each, counted from the group's
 * first; and so on for other lengths, increasing, very long ones first; then a zero. At `columns` lie the columns of
 * all pieces in the same order: 16-bit numbers from `first` on, or in a wide tile 32-bit numbers from 0 on, with
 * MG_PAGERANK_AHEAD zeros behind the last. */
typedef struct mg_pagerank_tile {
    uint64_t first, end; /* columns */
    uint64_t pieces, columns;
    uint32_t group;
    uint32_t turn; /* so many tiles of the group are summed before this one */
} mg_pagerank_tile;

typedef struct mg_pagerank_tiles {
    uint64_t count;          /* 0: there are none */
    mg_pagerank_tile *tiles; /* in the order in which they are taken up */
    uint32_t *of_group;      /* how many the group has */
    uint16_t *cells;
    uint64_t cell_count;
} mg_pagerank_tiles;

static inline bool mg_pagerank_is_wide(const mg_pagerank_tile *tile) {
    return tile->end - tile->first > MG_PAGERANK_STRIP;
}

/* Group g has the rows groups[g] … groups[g + 1] - 1. They depend on the rows alone. */
meguri_status mg_pagerank_groups_new(uint64_t **groups, uint64_t *count, meguri_ctx *ctx, const mg_rows *rows);
/* Columns are below `columns`. Without memory for them there are no tiles, and that is no failure. */
meguri_status mg_pagerank_tiles_new(mg_pagerank_tiles *out, meguri_ctx *ctx, const mg_rows *rows, uint64_t columns,
                                    const uint64_t *groups, uint64_t group_count);
void mg_pagerank_tiles_free(mg_pagerank_tiles *tiles);

/* Adds what the tile holds to `sums`, of all rows; `rows` are those of its group. Waits until the tiles of the group
 * before it have been summed, which group_done counts; true if it was the last of them. Also to be called where the
 * work has been cancelled, as others wait for it; then it sums nothing, and is false (pagerank_sum.c). */
bool mg_pagerank_tile_turn(double *sums, mg_range rows, const mg_pagerank_tiles *tiles, const mg_pagerank_tile *tile,
                           uint32_t *group_done, const double *share, bool cancelled);

/* ---- front and host --------------------------------------------------------------------------------------------- */

/* No more iterations than these. */
uint64_t mg_pagerank_most(const meguri_pagerank_options *options);

/* Fills `rank`, by position, and the facts of the result. */
meguri_status mg_pagerank_host(meguri_ctx *ctx, meguri_result *result, double *rank, const meguri_graph *graph,
                               const meguri_pagerank_options *options);
meguri_status mg_pagerank_host_check(meguri_ctx *ctx, const meguri_graph *graph, const double *rank,
                                     const meguri_pagerank_options *options);
/* … of a graph in parts; all processes call these (pagerank_cluster.c). */
meguri_status mg_pagerank_cluster(meguri_ctx *ctx, meguri_result *result, double *rank, const meguri_graph *graph,
                                  const meguri_pagerank_options *options);
meguri_status mg_pagerank_cluster_check(meguri_ctx *ctx, const meguri_graph *graph, const double *rank,
                                        const meguri_pagerank_options *options);

/* The checker, of arrays as a result has them; meguri_pagerank_check looks here. */
meguri_status mg_pagerank_check(meguri_ctx *ctx, const meguri_graph *graph, const double *rank,
                                const meguri_pagerank_options *options);

#endif
