/* What the tests of communities share: label propagation as its definition says it, on plain arrays, and the comparison
 * of a result with it. */
#ifndef PROPAGATING_H
#define PROPAGATING_H

#include "algo_bfs/searching.h"

/* The neighbours of every vertex, by position, each as often as it counts. */
typedef struct naive {
    const char *name;
    uint64_t vertices;
    uint64_t *offsets;
    uint32_t *around;
    meguri_graph *graph; /* the real one */
} naive;

naive naive_from_zoo(meguri_ctx *ctx, const zoo_graph *g, const meguri_build_options *options);
void naive_free(naive *n);

/* The labels after so many iterations, all of which are done. */
typedef struct labels {
    uint32_t *label;
    uint64_t changed; /* in the last iteration */
    uint64_t different;
} labels;
labels naive_propagate(const naive *n, uint32_t iterations);
void labels_free(labels *l);

/* Runs it and compares labels and facts with `right`, and asks the checker; ends the test where they differ. */
void check_communities(meguri_ctx *ctx, const naive *n, uint32_t iterations, const labels *right);
/* The same for a result that is there already. */
void check_labels(meguri_ctx *ctx, const naive *n, uint32_t iterations, const labels *right,
                  const meguri_result *result);

#endif
