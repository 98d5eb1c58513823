/* A slow, obvious builder of graphs: what the real one is compared with. */
#ifndef ORACLE_H
#define ORACLE_H

#include "support/zoo.h"

#include <stdbool.h>

typedef struct oracle_arc {
    uint64_t row, column; /* positions */
    double weight;        /* 1 where there are none */
    uint64_t edge;        /* its place in the input */
} oracle_arc;

typedef struct oracle {
    uint64_t *ids; /* in the user's order */
    uint64_t vertices;
    oracle_arc *arcs; /* sorted by row, column, weight */
    uint64_t arc_count, edges, isolated, dropped_loops, dropped_duplicates;
} oracle;

oracle oracle_build(const zoo_graph *graph, const meguri_build_options *options);
void oracle_free(oracle *oracle);

/* Of arcs in order, those that are left of parallel ones, at the front; how many they are. */
uint64_t oracle_merge(oracle_arc *arcs, uint64_t count, meguri_duplicates how);
/* Whether a graph that is built by these options has weights. */
bool oracle_weighted(bool weighted, const meguri_build_options *options);
/* The smallest type that holds the weights of all arcs. */
meguri_type oracle_weight_type(const oracle *oracle);

/* The real thing from the same edges. */
meguri_status zoo_build(meguri_graph **out, meguri_ctx *ctx, const zoo_graph *graph,
                        const meguri_build_options *options);

/* NULL if the graph is what the oracle says, in every accessor; else what differs. */
const char *oracle_compare(const oracle *oracle, meguri_ctx *ctx, const meguri_graph *graph, bool weighted);

#endif
