/* An index for cheapest paths: contraction hierarchies (Geisberger, Sanders, Schultes and Delling, 2008).
 *
 * Vertices are taken out of the graph one by one, those that matter least first, each replaced by shortcuts between its
 * neighbours wherever the cheapest way between two of them led through it. What is kept of each vertex is the edges and
 * shortcuts it had when it was taken out: all lead to vertices taken out later, upwards. For every pair there is a
 * cheapest path that goes up and then down, so a search upwards from both ends, each a few hundred vertices, finds it.
 *
 * Vertices are numbered by height here, the highest first: those are in most searches, and lie together. */
#ifndef MG_PATH_INDEX_H
#define MG_PATH_INDEX_H

#include "algo/path/path_point.h"

/* An edge or shortcut upwards. */
typedef struct mg_path_up {
    mg_path_number cost;
    uint32_t to;
    uint32_t middle; /* the vertex a shortcut leads through; MG_NO_VERTEX for an edge of the graph */
} mg_path_up;

/* Edges upwards (and those within the core, see path_contract.c) of all vertices: those that leave (side 0) and those
 * that arrive from above (side 1). */
struct mg_path_index {
    uint64_t vertices;
    bool free_edges;      /* some cost nothing */
    uint32_t *height;     /* by internal number */
    uint32_t *vertex;     /* back */
    uint64_t *offsets[2]; /* by height: vertices+1 places */
    mg_path_up *up[2];
};

/* path_contract.c: makes the index. */
meguri_status mg_path_contract(mg_path_index **out, meguri_ctx *ctx, const meguri_path_finder *finder);
void mg_path_index_free(mg_path_index *index);
/* path_index.c: searches upwards, where the index has been made; task->met is a height. */
meguri_status mg_path_climb(mg_path_task *task);
/* The arcs of the path that was found, into task->point->arcs. */
meguri_status mg_path_unpack(uint64_t *hops, mg_path_task *task);

static inline mg_path_number mg_path_sum(bool real, mg_path_number a, mg_path_number b) {
    if (real) a.real += b.real;
    else a.whole += b.whole;
    return a;
}

#endif
