/* graph500: the benchmark: edge list, roots, timing, validation, statistics in the official form. */
#ifndef MG_GRAPH500_H
#define MG_GRAPH500_H

#include "gen/gen.h"
#include "graph/graph.h"

#include <meguri/graph500.h>

/* ---- edges to look at ------------------------------------------------------------------------------------------- */

enum { MG_LOOK = 256 }; /* edges looked at together: their ends stay in the first-level cache */

/* An edge list in whatever form, read a few edges at a time. */
typedef struct mg_edge_view mg_edge_view;
struct mg_edge_view {
    /* The ends of the edges [begin, end), at most MG_LOOK of them: where they lie, or in `room`. */
    const uint32_t *(*look)(const mg_edge_view *self, uint32_t room[2 * MG_LOOK], uint64_t begin, uint64_t end);
    uint64_t count;
};

/* ---- the edge list (list.c) ------------------------------------------------------------------------------------- */

typedef struct mg_graph500_list {
    mg_edge_view view; /* after kernel 1 */
    uint32_t scale;
    mg_drawing *drawing; /* the rule that makes the edges */
    uint32_t **blocks;   /* the list for kernel 1, which consumes it */
    uint64_t block_count;
    char *packed;        /* the list for the validation; NULL: drawn anew at every look */
    uint32_t edge_bytes; /* of an edge in it */
} mg_graph500_list;

meguri_status mg_graph500_list_new(mg_graph500_list *out, meguri_ctx *ctx, const meguri_graph500_options *options);
void mg_graph500_list_free(mg_graph500_list *list);
/* The graph, undirected, in the order of falling degree; ids of the list are its positions. */
meguri_status mg_graph500_list_build(meguri_graph **out, meguri_ctx *ctx, mg_graph500_list *list);
/* Makes looks fast if there is memory for it; they are right without it. */
meguri_status mg_graph500_list_pack(meguri_ctx *ctx, mg_graph500_list *list);

/* ---- roots (roots.c) -------------------------------------------------------------------------------------------- */

/* Up to *count distinct vertices with a neighbour other than themselves, each choice as probable as any other; *count
 * becomes how many there are. The graph has no loops. Depends on graph and seed alone. */
meguri_status mg_graph500_roots(uint32_t *out, uint32_t *count, meguri_ctx *ctx, const meguri_graph *graph,
                                uint64_t seed);

/* ---- validation (validate.c) ------------------------------------------------------------------------------------ */

/* What the validations of several trees share. */
typedef struct mg_graph500_validator {
    const mg_edge_view *edges;
    uint64_t vertices;
    uint32_t *words;     /* of each vertex: its level, and whether an edge to its parent was seen */
    uint8_t *bytes;      /* the same in a byte, for trees that are not deep */
    uint64_t done, work; /* for the progress line: edges looked at in this and earlier trees, and in all of them */
} mg_graph500_validator;

meguri_status mg_graph500_validator_new(mg_graph500_validator *out, meguri_ctx *ctx, const mg_edge_view *edges,
                                        uint64_t vertices, uint64_t trees);
void mg_graph500_validator_free(mg_graph500_validator *validator);
/* As meguri_graph500_validate. */
meguri_status mg_graph500_validate_tree(meguri_graph500_tree *out, meguri_ctx *ctx, mg_graph500_validator *validator,
                                        uint32_t root, const uint32_t *parent, const int32_t *level);

/* ---- statistics (statistics.c) ---------------------------------------------------------------------------------- */

/* Of `count` values, at least one; sorts them. */
meguri_graph500_statistics mg_graph500_statistics(double *values, uint32_t count);
/* Of rates, from their inverses: mean and deviation are harmonic. */
meguri_graph500_statistics mg_graph500_rate_statistics(double *inverses, uint32_t count);

#endif
