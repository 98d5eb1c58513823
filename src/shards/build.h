/* What the files that build a graph in parts share with nobody else. */
#ifndef MG_SHARDS_BUILD_H
#define MG_SHARDS_BUILD_H

#include "shards/shards.h"

/* Arcs on their way: items of two numbers of 32 bits, from and to, and a weight where there are any. */
typedef struct mg_shards_builder {
    mg_shards *shards;
    const mg_edge_source *source;
    size_t weight_bytes, item_bytes;
    char *items; /* the arcs that are here now */
    uint64_t count;
    uint64_t input_edges, loops, duplicates; /* that this process met */
    uint64_t kept_loops, duplicate_loops;    /* in its tiles */
} mg_shards_builder;

static inline uint32_t *mg_item(const mg_shards_builder *b, uint64_t i) {
    return (uint32_t *)(void *)(b->items + i * b->item_bytes);
}

/* number.c: arcs go to the homes of their ends, which count them; vertices get their ranks by degree. */
meguri_status mg_shards_number(meguri_ctx *ctx, mg_shards_builder *builder);
/* Degrees by position at home become ranks, in place. */
meguri_status mg_shards_rank_degrees(meguri_ctx *ctx, mg_shards *shards, uint32_t *degree);
/* … both ends of every arc are named by these ranks, and the arc goes to its tile. */
meguri_status mg_shards_deal(meguri_ctx *ctx, mg_shards_builder *builder);
/* rows.c: the arcs of a process as rows, both ways. Consumes them. */
meguri_status mg_shards_rows(meguri_ctx *ctx, mg_shards_builder *builder);
/* open.c: homes by the numbers of the source become homes by position. */
meguri_status mg_shards_rename(meguri_ctx *ctx, mg_shards_builder *builder);

#endif
