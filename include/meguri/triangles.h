/* Triangles: how many sets of three vertices are joined to each other by edges. */
#ifndef MEGURI_TRIANGLES_H
#define MEGURI_TRIANGLES_H

#include <meguri/result.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct meguri_triangles_options {
    size_t size; /* sizeof(meguri_triangles_options) */
    meguri_engine engine;
} meguri_triangles_options;
void meguri_triangles_options_init(meguri_triangles_options *options, size_t size);

/* Of the simple undirected graph behind the graph: directions, parallel edges and loops do not count. No columns.
 * Facts: `triangles`, `simple_edges` (of that simple graph), `seconds`. O(edges^1.5) at most. Memory: 16 bytes a
 * vertex and up to 64 MB; 4 more bytes an edge for directed graphs and those that keep duplicates or loops, or whose
 * order is far from that of degrees. */
meguri_status meguri_triangles(meguri_result **out, meguri_ctx *ctx, const meguri_graph *graph,
                               const meguri_triangles_options *options);

/* Counts again by a plain method of its own, and slower. MEGURI_WRONG_ANSWER and a sentence with both numbers where
 * they differ. */
meguri_status meguri_triangles_check(meguri_ctx *ctx, const meguri_graph *graph, const meguri_result *result,
                                     const meguri_triangles_options *options);

#ifdef __cplusplus
}
#endif
#endif
