/* What the files that build a graph in parts share with nobody else. */
#ifndef MG_SHARDS_BUILD_H
#define MG_SHARDS_BUILD_H

#include "shards/shards.h"

#define MG_SECOND_TILE 0x80000000u

/* Arcs that arrive: by the place of their target, and the *column* of their source, its local number times owners plus
 * owner, whose order is that of numbers. Where there are two tiles, the highest bit of the place says which one. */
typedef struct mg_streams {
    mg_stream_plan plan;
    uint64_t rows, columns; /* places and columns are below these */
    int tiles;
    uint64_t each;  /* streams of a tile */
    uint64_t count; /* arcs that are to come in all */
    struct {
        uint64_t *begins; /* of streams, and the end */
        char *keys;       /* of plan.key_bytes: low bits of the row, column */
        char *carried;
    } tile[2];
    uint64_t *next; /* by tile and stream: where the next arc goes */
    int threads;    /* that take arcs at a time … */
    uint64_t *room; /* … each with places of its own */
} mg_streams;

/* On the way from edges anywhere to arcs in tiles. */
typedef struct mg_shards_builder {
    mg_shards *shards;
    const mg_edge_source *source;
    mg_merge merge;       /* what becomes of parallel arcs, and what arcs carry … */
    size_t carried_bytes; /* … in so many bytes (graph.h) */

    /* The edges that this process has read: two ends each, positions at first and then numbers; and what they carry.
     */
    mg_globals ends;
    char *carried;
    uint64_t count;

    mg_streams streams; /* the arcs that have arrived */

    uint64_t input_edges, loops, duplicates; /* that this process met */
    uint64_t kept_loops;                     /* in its tiles */
} mg_shards_builder;

/* edges.c: the share of this process, read. */
meguri_status mg_shards_read_edges(meguri_ctx *ctx, mg_shards_builder *builder);
/* number.c: decides who owns what (*owner is AUTO at most before), and names the ends of edges by numbers. */
meguri_status mg_shards_number_ends(meguri_ctx *ctx, mg_shards_builder *builder, meguri_owner *owner);
/* Degrees by position at home become ranks by degree, in place; *with_arcs have any. */
meguri_status mg_shards_rank_degrees(meguri_ctx *ctx, mg_shards *shards, mg_globals degree, uint64_t *with_arcs);
/* streams.c: what streams there are, by the layout. */
void mg_streams_plan(mg_shards_builder *builder);
/* Of which stream an arc is, over both tiles. */
static inline uint64_t mg_stream_of(const mg_streams *s, uint32_t row) {
    if (s->tiles == 1) return row >> s->plan.row_bits;
    return (row & MG_SECOND_TILE ? s->each : 0) + ((row & ~MG_SECOND_TILE) >> s->plan.row_bits);
}
/* Room for what is to come: by process and stream, how many arcs. */
meguri_status mg_streams_new(meguri_ctx *ctx, mg_shards_builder *builder, const uint64_t *counts);
/* Some of them, in any order: place and column. */
meguri_status mg_streams_take(meguri_ctx *ctx, mg_shards_builder *builder, const uint32_t *arcs, const char *carried,
                              uint64_t count);
/* All of them have come: those of a tile, by target, with weights. *no_sum is the row and, in its lower half, the
 * neighbour of an arc whose weight would be a sum that no weight holds; UINT64_MAX: there is none. */
meguri_status mg_streams_rows(mg_turned *out, uint64_t *no_sum, meguri_ctx *ctx, mg_shards_builder *builder, int tile);
void mg_streams_free(mg_streams *streams);
/* hop.c: arcs go to their tiles, in one hop. Consumes the edges. */
meguri_status mg_shards_hop(meguri_ctx *ctx, mg_shards_builder *builder);
/* merge.c: what arcs carry, by what becomes of parallel ones. */
void mg_shards_merge_start(mg_shards_builder *builder);
/* Notes the arc of a tile that has no sum. */
void mg_shards_note_no_sum(mg_shards *shards, const mg_tile *tile, uint64_t no_sum);
/* The smallest type for the weights that are left; all processes call it. */
meguri_status mg_shards_choose_type(meguri_ctx *ctx, mg_shards *shards, bool in_memory);
/* Whether all sums are there; a sentence names the ids of an edge that has none. All processes call it. */
meguri_status mg_shards_check_sums(meguri_ctx *ctx, mg_shards *shards);
/* rows.c: the arcs of a process as rows, both ways. Consumes them. */
meguri_status mg_shards_rows(meguri_ctx *ctx, mg_shards_builder *builder);

#endif
