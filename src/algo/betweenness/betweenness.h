/* betweenness: Brandes' algorithm (A faster algorithm for betweenness centrality, 2001) on rows, level by level.
 *
 * Invariant: `wave` has a number for each vertex of one level and zero for all others. So what a vertex gets from that
 * level is the plain sum of `wave` along its row, without any question which neighbours belong to it:
 *
 *   forward    wave = the numbers of shortest ways to the frontier; the sum is the number of ways to a new vertex
 *   backward   wave = (1 + dependency) / ways of the level below; ways · sum is the dependency of a vertex
 *
 * Every sum runs along a row in a fixed order, so the bits do not depend on threads. Who is in the next level is found
 * by a push from the frontier while that is small; else every unvisited vertex sums its row, and those with more
 * than zero are it.
 *
 * Numbers of ways double with every diamond on the way and soon exceed a double. Only quotients of neighbouring
 * levels count, so a level whose largest number is beyond LARGE is scaled down by a power of two, which is kept. */
#ifndef MG_BETWEENNESS_H
#define MG_BETWEENNESS_H

#include "graph/graph.h"

#include <meguri/betweenness.h>

/* The vertices to search from, by position. */
typedef struct mg_betweenness_sources {
    uint32_t *vertices;
    uint64_t count;
    bool all; /* of the graph, but for those that no edge leaves */
} mg_betweenness_sources;

/* ---- betweenness_sources.c -------------------------------------------------------------------------------------- */

/* Reads the options; what it finds is freed with mg_free(out->vertices). */
meguri_status mg_betweenness_sources_new(mg_betweenness_sources *out, meguri_ctx *ctx, const meguri_graph *graph,
                                         const meguri_betweenness_options *options);

/* ---- betweenness_host.c ----------------------------------------------------------------------------------------- */

/* Scores by position, and facts of the result. */
meguri_status mg_betweenness_host(meguri_ctx *ctx, const meguri_graph *graph, const mg_betweenness_sources *sources,
                                  double *score, meguri_result *result);

#endif
