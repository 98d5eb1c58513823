/* Connected components: which vertices paths lead to, whatever the direction of edges. */
#ifndef MEGURI_COMPONENTS_H
#define MEGURI_COMPONENTS_H

#include <meguri/result.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct meguri_components_options {
    size_t size; /* sizeof(meguri_components_options) */
    meguri_engine engine;
} meguri_components_options;
void meguri_components_options_init(meguri_components_options *options, size_t size);

/* Column: `component` (a vertex: the first member of the component in the user's order, so an isolated vertex has
 * itself). Facts: `components` (how many), `largest` (vertices of the largest), `edges` (looked at), `seconds`. Edges
 * of directed graphs count both ways: weak components. The same result at any number of threads.
 * O(vertices + arcs) at worst; as a rule most edges are never looked at. */
meguri_status meguri_components(meguri_result **out, meguri_ctx *ctx, const meguri_graph *graph,
                                const meguri_components_options *options);

/* Checks an answer against the graph: a component is named by its first member, every edge stays inside one, and
 * every vertex is joined to the first member of its component by edges (as an independent union-find sees it).
 * MEGURI_WRONG_ANSWER and a sentence that names the vertex where a rule is broken. O(vertices + arcs). */
meguri_status meguri_components_check(meguri_ctx *ctx, const meguri_graph *graph, const meguri_result *result,
                                      const meguri_components_options *options);

#ifdef __cplusplus
}
#endif
#endif
