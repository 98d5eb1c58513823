/* The sums that a process of a cluster makes: of the rows of one of its tiles (pagerank_cluster_sums.c). */
#ifndef MG_PAGERANK_CLUSTER_H
#define MG_PAGERANK_CLUSTER_H

#include "algo/pagerank/pagerank.h"
#include "shards/shards.h"

typedef struct mg_pagerank_sums {
    const mg_tile *tile;
    uint64_t *groups, group_count; /* of rows */
    uint32_t *group_done;          /* tiles of the group that have been summed */
    mg_row_tiles tiles;            /* none: rows are summed as they lie */
    double *dealt;                 /* shares by rank by degree, where tiles need them so; else NULL */
} mg_pagerank_sums;

/* For `iterations` of them. */
meguri_status mg_pagerank_sums_new(mg_pagerank_sums *out, meguri_ctx *ctx, const mg_tile *tile, uint64_t iterations);
void mg_pagerank_sums_free(mg_pagerank_sums *sums);
/* out, by place in the window of targets, from shares, by place in that of sources. Rubbish if it is cancelled. */
void mg_pagerank_sums_make(meguri_ctx *ctx, mg_pagerank_sums *sums, double *out, const double *shares);

#endif
