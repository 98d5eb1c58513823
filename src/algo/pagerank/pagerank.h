/* PageRank: every vertex gathers along its in-arcs what its neighbours give, over and over.
 *
 * The definition is that of LDBC Graphalytics (the header of the public interface has it); the pull is that of GAPBS.
 * What a vertex gives along each of its arcs, rank/outdegree, is its share. Shares are all that is kept between
 * iterations: rank = share * outdegree, and where no arc leaves nobody reads the share, so it is the rank itself.
 * Isolated vertices have one rank between them.
 *
 * Gathering is a random read for each arc, and costs what the cache says. Rows that are short read mostly hubs, which
 * stay in the cache, and what they read beyond is fetched ahead. Rows that are long are cut into strips
 * (pagerank_strips.c): so many columns as the cache holds shares of.
 *
 * Invariant: every sum is made in one order, whatever the threads: a piece of a row by one thread, pieces in the order
 * of strips, sums over vertices in fixed blocks. */
#ifndef MG_PAGERANK_H
#define MG_PAGERANK_H

#include "graph/graph.h"

#include <meguri/pagerank.h>

/* ---- strips (pagerank_strips.c) --------------------------------------------------------------------------------- */

#define MG_PAGERANK_STRIP 16 /* log2 of the columns of a strip: 512 KB of shares, and a column is a 16-bit number */

/* The long rows, cut where strips end. Piece (s, i) is what row long_rows[i] has in strip s: columns[place[s * count +
 * i] … place[s * count + i + 1]), from the strip's beginning on. */
typedef struct mg_pagerank_strips {
    uint64_t least;      /* rows of so many arcs are long; UINT64_MAX: there are no strips */
    uint64_t count;      /* of long rows */
    uint64_t arcs;       /* of them */
    uint64_t strips;     /* of all columns */
    uint32_t *long_rows; /* increasing */
    uint64_t *groups;    /* group g: long_rows[groups[g] … groups[g + 1]) */
    uint64_t group_count;
    uint64_t *place; /* strips * count + 1 */
    uint16_t *columns;
    double *sums; /* of pieces, numbered as these */
} mg_pagerank_strips;

/* Without memory for them there are none, and that is no failure. */
meguri_status mg_pagerank_strips_new(mg_pagerank_strips *out, meguri_ctx *ctx, const mg_rows *rows);
void mg_pagerank_strips_free(mg_pagerank_strips *strips);
/* Sums all pieces. The last two are for the progress. */
void mg_pagerank_strips_sum(meguri_ctx *ctx, const mg_pagerank_strips *strips, const double *share, uint64_t done,
                            uint64_t total);
/* The sum of the long row i, after that. */
static inline double mg_pagerank_strips_row(const mg_pagerank_strips *strips, uint64_t i) {
    double sum = 0;
    for (uint64_t s = 0; s < strips->strips; s++) sum += strips->sums[s * strips->count + i];
    return sum;
}

/* ---- front and host --------------------------------------------------------------------------------------------- */

/* Options with their defaults, refused with a sentence where they are out of range. */
meguri_status mg_pagerank_options(meguri_ctx *ctx, meguri_pagerank_options *out,
                                  const meguri_pagerank_options *options);

/* Fills `rank`, by position, and the facts of the result. */
meguri_status mg_pagerank_host(meguri_ctx *ctx, meguri_result *result, double *rank, const meguri_graph *graph,
                               const meguri_pagerank_options *options);

#endif
