/* Communities: label propagation as LDBC Graphalytics defines it (CDLP). */
#ifndef MEGURI_COMMUNITIES_H
#define MEGURI_COMMUNITIES_H

#include <meguri/result.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct meguri_communities_options {
    size_t size;         /* sizeof(meguri_communities_options) */
    uint32_t iterations; /* at most; default 10 */
    meguri_engine engine;
} meguri_communities_options;
void meguri_communities_options_init(meguri_communities_options *options, size_t size);

/* Every vertex begins with itself as its label. In each iteration all take at once the label that most of their
 * neighbours had before it; of several that are equally frequent the first in the user's order. In directed graphs
 * neighbours in both directions count, and one that is joined both ways counts twice. Parallel edges count each; a loop
 * counts once, in directed graphs twice. A vertex without neighbours keeps its label.
 *
 * Column: `label` (a vertex). Facts: `iterations` (that were worked out: fewer than asked for where the labels no
 * longer change, or return every second time to the same, and more would give the same answer), `labels` (different
 * ones), `changed` (labels that differ from those one iteration earlier), `edges` (looked at), `seconds`. The same at
 * any number of threads. O(iterations · (vertices + arcs)). */
meguri_status meguri_communities(meguri_result **out, meguri_ctx *ctx, const meguri_graph *graph,
                                 const meguri_communities_options *options);

/* Checks a result. Labels cannot be judged by themselves, so the checker propagates labels again, by
 * a method of its own: one vertex after another in the user's order, the labels of its neighbours sorted.
 * The options are those of the run. MEGURI_WRONG_ANSWER and a sentence that names the first vertex whose label is
 * wrong. */
meguri_status meguri_communities_check(meguri_ctx *ctx, const meguri_graph *graph, const meguri_result *result,
                                       const meguri_communities_options *options);

#ifdef __cplusplus
}
#endif
#endif
