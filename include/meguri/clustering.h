/* The local clustering coefficient: how many of the pairs of a vertex's neighbours are joined, as LDBC Graphalytics
 * defines LCC. */
#ifndef MEGURI_CLUSTERING_H
#define MEGURI_CLUSTERING_H

#include <meguri/result.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct meguri_clustering_options {
    size_t size; /* sizeof(meguri_clustering_options) */
    meguri_engine engine;
} meguri_clustering_options;
void meguri_clustering_options_init(meguri_clustering_options *options, size_t size);

/* Column: `coefficient` (f64). The neighbours of a vertex are those that edges lead to or come from, itself apart; with
 * d of them the coefficient is the number of arcs among them, divided by d(d-1); 0 where d is below 2. An undirected
 * edge is two arcs. Parallel edges count once. Facts: `mean` (of all vertices), `simple_edges` (pairs of vertices that
 * are joined), `seconds`. The numbers are the same at any number of threads. Time and memory as meguri_triangles (about
 * twice the time), and 16 bytes more a vertex, 4 more and some 300 kB for each thread; directed graphs a byte more an
 * edge. */
meguri_status meguri_clustering(meguri_result **out, meguri_ctx *ctx, const meguri_graph *graph,
                                const meguri_clustering_options *options);

/* Checks coefficients by the definition: those of all vertices where that takes seconds, else of the vertices that are
 * cheap and a random sample of the others. MEGURI_WRONG_ANSWER and a sentence that names a vertex where one is off by
 * more than 1e-9 of its value. */
meguri_status meguri_clustering_check(meguri_ctx *ctx, const meguri_graph *graph, const meguri_result *result,
                                      const meguri_clustering_options *options);

#ifdef __cplusplus
}
#endif
#endif
