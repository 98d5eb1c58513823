/* PageRank: how often somebody who keeps following edges at random comes by each vertex. */
#ifndef MEGURI_PAGERANK_H
#define MEGURI_PAGERANK_H

#include <meguri/result.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct meguri_pagerank_options {
    size_t size;         /* sizeof(meguri_pagerank_options) */
    double damping;      /* the probability of following an edge: at least 0 and below 1; default 0.85 */
    uint32_t iterations; /* exactly so many; 0 (default): until the tolerance is met */
    double tolerance;    /* of the sum of all changes in an iteration, where `iterations` is 0; default 1e-9 */
    meguri_engine engine;
    int tiles; /* on threads: a faster layout of arcs, which takes memory; default 1. 0: rows as they lie */
} meguri_pagerank_options;
void meguri_pagerank_options_init(meguri_pagerank_options *options, size_t size);

/* One column: `rank` (f64, positive, sums to 1). Facts: `iterations`, `change` (the sum over all vertices of what the
 * last iteration changed), `edges` (looked at), `seconds` (of the iterations alone).
 *
 * As LDBC Graphalytics defines it: every vertex starts with 1/n, and in each iteration
 *
 *     rank(v) = (1 - damping)/n + damping * (sum of rank(u)/outdegree(u) over all edges u -> v, + dangling/n)
 *
 * where `dangling` is the rank of all vertices that no edge leaves, isolated ones included. Undirected edges lead both
 * ways; parallel edges count as often as the graph has them, a loop as an edge to oneself. Weights do not matter.
 *
 * With a tolerance it ends when an iteration changes the ranks by no more than that in all; they are then within
 * tolerance * damping / (1 - damping) of the limit. An iteration shrinks the change to `damping` times what it was, at
 * least; so it takes at most ln(tolerance/2) / ln(damping), and there it ends in any case: a tolerance that is finer
 * than rounding is never met, and `change` tells.
 *
 * Sums are made in an order that does not depend on threads: the same bits at any number of them. O(iterations *
 * (vertices + arcs)); up to 6 bytes for each arc beyond the graph where they pay and the budget has them. */
meguri_status meguri_pagerank(meguri_result **out, meguri_ctx *ctx, const meguri_graph *graph,
                              const meguri_pagerank_options *options);

/* Checks a result: each rank is finite and at least (1 - damping)/n, their sum is 1. Where a tolerance was
 * asked for (the options are those of the run), one more iteration must change them by no more than damping * tolerance
 * in all, which is what the last change leaves. Where a number of iterations, they are made again in a plain way, and
 * no rank may differ by more than a billionth of it. MEGURI_WRONG_ANSWER and a sentence that names the vertex where a
 * rule is broken, or that is furthest off. */
meguri_status meguri_pagerank_check(meguri_ctx *ctx, const meguri_graph *graph, const meguri_result *result,
                                    const meguri_pagerank_options *options);

#ifdef __cplusplus
}
#endif
#endif
