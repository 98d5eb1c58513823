/* What the tests of the generators share: contexts, graphs as lists of arcs, chi-square, Bellman-Ford phases. */
#ifndef GEN_HELPERS_H
#define GEN_HELPERS_H

#include "gen/gen.h"

#include <meguri.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define LENGTH(array) (sizeof(array) / sizeof *(array))

meguri_ctx *new_context(uint32_t threads, uint64_t memory);
/* Frees a context that must not own anything any more. */
void free_context(meguri_ctx *ctx);
meguri_graph_info info_of(meguri_ctx *ctx, const meguri_graph *graph);

/* The stored arcs in positions, rows increasing. The graph must have been built with MEGURI_ORDER_NONE. */
typedef struct arcs {
    uint64_t count;
    uint32_t *from;
    const uint32_t *to;  /* of the graph */
    const void *weights; /* of the graph */
} arcs;
arcs arcs_of(meguri_ctx *ctx, const meguri_graph *graph);
void arcs_free(arcs *a);

/* A number that depends on every row, weight and coordinate of a graph. */
uint64_t digest_of(meguri_ctx *ctx, const meguri_graph *graph);

/* Sum of (observed - expected)^2 / expected over the cells with any expectation; fails if one without was hit. */
double chi_square(const uint64_t *observed, const double *expected, size_t cells);
/* What chi-square exceeds once in 100,000 (Wilson and Hilferty's approximation). */
double chi_square_limit(double freedom);

/* Synchronous Bellman-Ford: in each phase all vertices that changed in the last one relax their edges. */
typedef struct phases {
    uint64_t phases; /* until nothing changes: the last one finds that */
    uint64_t peak;   /* most vertices changed in one phase */
    uint64_t reached;
    uint64_t small; /* phases that changed fewer than `few` vertices */
} phases;
phases count_phases(meguri_ctx *ctx, const meguri_graph *graph, uint64_t source, uint64_t few);

#endif
