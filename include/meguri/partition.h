/* Partitions: a graph as several databases in Neo4j's CSV import form, with proxies for cut edges
 * (docs/graph-databases.md). What meguri_pull of libmeguri_db joins again. */
#ifndef MEGURI_PARTITION_H
#define MEGURI_PARTITION_H

#include <meguri/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Which vertices go together. All parts have about the same number of them. */
typedef enum meguri_cut {
    MEGURI_CUT_LOCALITY = 0, /* few edges lie between parts: ranges of a breadth-first order, then improved */
    MEGURI_CUT_RANDOM = 1    /* each vertex where chance puts it */
} meguri_cut;

typedef struct meguri_partition_options {
    size_t size;    /* sizeof(meguri_partition_options) */
    uint32_t parts; /* 1 … 4096 */
    meguri_cut cut;
    uint64_t seed; /* of a random cut */
} meguri_partition_options;
void meguri_partition_options_init(meguri_partition_options *options, size_t size);

typedef struct meguri_partition_info {
    size_t size; /* set by the caller to sizeof(meguri_partition_info) */
    uint64_t edges, cut_edges;
    uint64_t proxies;
    uint64_t least, most; /* vertices of a part */
} meguri_partition_info;

/* Writes FOLDER/part-K/nodes.csv and relationships.csv for K = 0 … parts-1. The folder must be empty or new. An edge
 * lies in the part of its source; where its target lies in another, a node with the label Proxy stands for it. Time
 * O(vertices + arcs), on one thread; `out` may be NULL. */
meguri_status meguri_partition(meguri_partition_info *out, meguri_ctx *ctx, const meguri_graph *graph,
                               const char *folder, const meguri_partition_options *options);

#ifdef __cplusplus
}
#endif
#endif
