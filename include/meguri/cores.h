/* Core numbers: how deep in the dense parts of a graph a vertex lies. */
#ifndef MEGURI_CORES_H
#define MEGURI_CORES_H

#include <meguri/result.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct meguri_cores_options {
    size_t size; /* sizeof(meguri_cores_options) */
    meguri_engine engine;
} meguri_cores_options;
void meguri_cores_options_init(meguri_cores_options *options, size_t size);

/* The k-core of a graph is its largest part in which every vertex has at least k edges to others of that part; the core
 * number of a vertex is the largest k whose core it belongs to. Direction plays no part: of a directed graph the edges
 * that come count as those that leave, and two vertices joined both ways are joined by two. Parallel edges count each;
 * loops do not count.
 *
 * Column: `core` (i32). Facts: `degeneracy` (the largest core number), `innermost` (how many vertices have it), `edges`
 * (followed from vertices that were removed), `seconds`. The same at any number of threads.
 * O(vertices + arcs), and 32 bytes a vertex, 36 in directed graphs. */
meguri_status meguri_cores(meguri_result **out, meguri_ctx *ctx, const meguri_graph *graph,
                           const meguri_cores_options *options);

/* Checks a result by rules that only core numbers fulfil: everybody has enough edges to vertices whose number is not
 * below its own, so none is too large; and those of one number can be taken away one after another, each with no more
 * edges than that to who is left, so none is too small. MEGURI_WRONG_ANSWER and a sentence that names the first vertex
 * whose number is wrong. */
meguri_status meguri_cores_check(meguri_ctx *ctx, const meguri_graph *graph, const meguri_result *result,
                                 const meguri_cores_options *options);

#ifdef __cplusplus
}
#endif
#endif
