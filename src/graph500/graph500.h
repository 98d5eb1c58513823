/* graph500: the benchmark: roots, timing, validation, statistics in the official form. */
#ifndef MG_GRAPH500_H
#define MG_GRAPH500_H

#include "gen/gen.h"
#include "graph/graph.h"

#include <meguri/graph500.h>

/* ---- roots (roots.c) -------------------------------------------------------------------------------------------- */

/* Up to *count distinct vertices with a neighbour other than themselves, each choice as probable as any other; *count
 * becomes how many there are. The graph has no loops. Depends on graph and seed alone. */
meguri_status mg_graph500_roots(uint32_t *out, uint32_t *count, meguri_ctx *ctx, const meguri_graph *graph,
                                uint64_t seed);

/* ---- validation (validate.c) ------------------------------------------------------------------------------------ */

/* What the validations of several trees share. */
typedef struct mg_graph500_validator {
    const uint32_t *pairs;
    uint64_t count, vertices;
    uint32_t *words;     /* of each vertex: its level, and whether an edge to its parent was seen */
    uint64_t done, work; /* for the progress line: edges looked at in this and earlier trees, and in all of them */
} mg_graph500_validator;

meguri_status mg_graph500_validator_new(mg_graph500_validator *out, meguri_ctx *ctx, const uint32_t *pairs,
                                        uint64_t count, uint64_t vertices, uint64_t trees);
void mg_graph500_validator_free(mg_graph500_validator *validator);
/* As meguri_graph500_validate; the pairs are known to be below `vertices` only after it. */
meguri_status mg_graph500_validate_tree(meguri_graph500_tree *out, meguri_ctx *ctx, mg_graph500_validator *validator,
                                        uint32_t root, const uint32_t *parent, const int32_t *level);

/* ---- statistics (statistics.c) ---------------------------------------------------------------------------------- */

/* Of `count` values, at least one; sorts them. */
meguri_graph500_statistics mg_graph500_statistics(double *values, uint32_t count);
/* Of rates, from their inverses: mean and deviation are harmonic. */
meguri_graph500_statistics mg_graph500_rate_statistics(double *inverses, uint32_t count);

#endif
