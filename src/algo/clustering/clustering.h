/* clustering: the local clustering coefficient of every vertex (Watts and Strogatz 1998; for directed graphs as LDBC
 * Graphalytics defines LCC): of the ordered pairs of its neighbours, how many are joined by an arc.
 *
 * An arc between two neighbours u and w of v is a triangle of the simple undirected graph, so the loops are those of
 * algo/triangles: for each vertex, over its triangles, the arcs that join the other two. */
#ifndef MG_CLUSTERING_H
#define MG_CLUSTERING_H

#include "graph/graph.h"

#include <meguri/clustering.h>

/* Coefficients by position: `coefficient` has room for all vertices. Sets the facts of the result. */
meguri_status mg_clustering_host(double *coefficient, meguri_ctx *ctx, const meguri_graph *graph,
                                 meguri_result *result);

/* The checker, of arrays as a result has them; meguri_clustering_check looks here. */
meguri_status mg_clustering_check(meguri_ctx *ctx, const meguri_graph *graph, const double *coefficient);

#endif
