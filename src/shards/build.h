/* What the files that build a graph in parts share with nobody else. */
#ifndef MG_SHARDS_BUILD_H
#define MG_SHARDS_BUILD_H

#include "shards/shards.h"

/* On the way from edges anywhere to arcs in tiles. */
typedef struct mg_shards_builder {
    mg_shards *shards;
    const mg_edge_source *source;
    size_t weight_bytes;

    /* The edges that this process has read: two ends each, positions at first and then numbers; and weights. */
    mg_globals ends;
    char *weights;
    uint64_t count;

    /* The arcs that have arrived: the place of the target, and the column of the source (mg_tile_column). The highest
     * bit of the place says which of two tiles. */
    uint32_t *arcs;
    char *arc_weights;
    uint64_t arc_count;

    uint64_t input_edges, loops, duplicates; /* that this process met */
    uint64_t kept_loops;                     /* in its tiles */
} mg_shards_builder;

#define MG_SECOND_TILE 0x80000000u

/* edges.c: the share of this process, read. */
meguri_status mg_shards_read_edges(meguri_ctx *ctx, mg_shards_builder *builder);
/* number.c: decides who owns what (*owner is AUTO at most before), and names the ends of edges by numbers. */
meguri_status mg_shards_number_ends(meguri_ctx *ctx, mg_shards_builder *builder, meguri_owner *owner);
/* Degrees by position at home become ranks by degree, in place; *with_arcs have any. */
meguri_status mg_shards_rank_degrees(meguri_ctx *ctx, mg_shards *shards, mg_globals degree, uint64_t *with_arcs);
/* hop.c: arcs go to their tiles, in one hop. Consumes the edges. */
meguri_status mg_shards_hop(meguri_ctx *ctx, mg_shards_builder *builder);
/* rows.c: the arcs of a process as rows, both ways. Consumes them. */
meguri_status mg_shards_rows(meguri_ctx *ctx, mg_shards_builder *builder);

#endif
