/* An index for cheapest paths: contraction hierarchies (Geisberger, Sanders, Schultes and Delling, 2008).
 *
 * Vertices are taken out of the graph, those that matter least first, each replaced by shortcuts between its neighbours
 * wherever the cheapest path between two of them led through it. What is kept of each vertex is the edges and shortcuts
 * it had when it was taken out: all lead to vertices taken out later, upwards. For every pair there is a cheapest path
 * that goes up and then down, so a search upwards from both ends, each a few hundred vertices, finds it. Where taking
 * vertices out does not pay any more, because everything is near everything (hubs), the rest stays uncontracted,
 * within which searches go anywhere.
 *
 * The arrays are those of graph/graph.h, where a vertex is its height: the highest lie together, and are in most
 * searches. */
#ifndef MG_PATH_INDEX_H
#define MG_PATH_INDEX_H

#include "algo/path/path_point.h"

/* What an index is made of. */
typedef struct mg_path_ground {
    mg_rows out, in;
    uint64_t vertices;
    meguri_type weight_type;
    bool real;      /* weights are f32 or f64 */
    bool symmetric; /* every arc is there both ways, so `in` is `out` */
} mg_path_ground;

/* path_contract.c: makes the arrays, with mg_alloc. The same ones at any number of threads. */
meguri_status mg_path_contract(mg_index *out, meguri_ctx *ctx, const mg_path_ground *ground);

/* path_index.c: searches upwards, where the finder has an index; task->met is a height. */
meguri_status mg_path_climb(mg_path_task *task);
/* path_unpack.c: the arcs of the path that was found, into task->point->arcs. */
meguri_status mg_path_unpack(uint64_t *hops, mg_path_task *task);

static inline mg_path_number mg_path_sum(bool real, mg_path_number a, mg_path_number b) {
    if (real) a.real += b.real;
    else a.whole += b.whole;
    return a;
}

#endif
