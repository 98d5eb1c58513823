/* Betweenness: how many shortest paths lead through a vertex. */
#ifndef MEGURI_BETWEENNESS_H
#define MEGURI_BETWEENNESS_H

#include <meguri/result.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct meguri_betweenness_options {
    size_t size;             /* sizeof(meguri_betweenness_options) */
    uint64_t count;          /* so many sources; 0: all. As many as there are, or more, is the same as all */
    uint64_t seed;           /* which are drawn, without repetition, from the vertices that edges leave; default 1 */
    const uint64_t *sources; /* `count` vertices instead, in this order; one that is named twice counts twice */
    meguri_engine engine;
} meguri_betweenness_options;
void meguri_betweenness_options_init(meguri_betweenness_options *options, size_t size);

/* Column: `score` (f64). The score of v is the sum, over the sources s ≠ v and all vertices t ≠ v, s, of the share of
 * the shortest paths from s to t that lead through v: Brandes' dependencies. Paths are counted in edges, forwards, and
 * weights play no part; parallel edges are different paths. It is not scaled, with one exception: where all vertices of
 * an undirected graph are sources, every pair is seen from both its ends, and the sum is halved.
 *
 * Facts: `sources` (searched from; vertices that no edge leaves need no search), `depth` (the largest), `edges` (looked
 * at), `seconds`. The same bits at any number of threads. O(sources · (vertices + arcs)), for any number of paths. */
meguri_status meguri_betweenness(meguri_result **out, meguri_ctx *ctx, const meguri_graph *graph,
                                 const meguri_betweenness_options *options);

/* Checks a result by computing its scores again in a plain way, one search after another on one thread,
 * the textbook's algorithm word for word. A score may differ by 1e-9 of its size. The options are those of the run.
 * MEGURI_WRONG_ANSWER and a sentence that names the first vertex whose score is wrong. */
meguri_status meguri_betweenness_check(meguri_ctx *ctx, const meguri_graph *graph, const meguri_result *result,
                                       const meguri_betweenness_options *options);

#ifdef __cplusplus
}
#endif
#endif
