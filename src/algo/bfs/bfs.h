/* bfs: breadth-first search, one level at a time, each by one of two ways (papers P1 and P2; Beamer, Asanović and
 * Patterson, SC 2012).
 *
 *   push (top-down)   from every vertex of the frontier to its neighbours; good while the frontier has few arcs
 *   pull (bottom-up)  from every unvisited vertex back along its in-arcs until one leads to a visited vertex; good when
 *                     most of the graph lies in the frontier, because the first look mostly hits
 *
 * Invariant: between two steps the visited bitmap is exact. So an unvisited vertex has no neighbour in any frontier
 * before the last one, and pull may ask "is it visited?" where the papers ask "is it in the frontier?": one bitmap
 * serves both.
 *
 * Parents and levels are written once, straight into the user's numbering. */
#ifndef MG_BFS_H
#define MG_BFS_H

#include "graph/graph.h"

#include <meguri/bfs.h>

/* What searches of one graph share, and the state of the one that runs. */
struct meguri_bfs_search {
    const meguri_graph *graph;
    meguri_bfs_options options;
    meguri_result *result;
    uint32_t *parent; /* by position; the result's; NULL if not wanted */
    int32_t *level;

    /* What all searches of the graph share (bfs_prepare.c). */
    mg_rows out, in; /* `in` and `first` are there when `prepared` is */
    mg_numbering numbering;
    uint32_t rows; /* vertices with edges; internal numbers from here on are isolated */
    uint32_t core; /* … and from here on have one neighbour: they wait until the end (bfs_fill.c) */
    bool prepared;
    uint32_t *first; /* by internal number below core: the first in-neighbour; itself if there is none */

    /* The search that runs. */
    uint64_t *visited;  /* one bit for each row, exact between steps */
    uint64_t *previous; /* before the last step that found something, if that was a pull */
    uint64_t *spare;    /* where a pull writes the next one */
    mg_queue list, next;
    bool has_list;             /* the frontier is in list; else it is visited & ~previous */
    uint64_t frontier;         /* vertices in it */
    uint64_t frontier_arcs;    /* out-arcs of these; estimated after a pull */
    uint64_t visited_vertices; /* below core, or the source */
    uint64_t visited_arcs;     /* out-arcs of these; estimated once a pull has happened */
    uint32_t depth;            /* level of the frontier */
    uint32_t source;           /* internal number */

    meguri_bfs_step *steps;
    uint64_t step_count, step_capacity;
};

/* What a step found. */
typedef struct mg_bfs_found {
    uint64_t reached; /* vertices */
    uint64_t arcs;    /* out-arcs of these: the next frontier's */
    uint64_t edges;   /* looked at */
} mg_bfs_found;

/* ---- bfs_prepare.c ---------------------------------------------------------------------------------------------- */

/* The first vertex of degree one, where these come last; else the number of rows. */
uint32_t mg_bfs_core(const meguri_graph *graph, const mg_rows *rows);
meguri_status mg_bfs_open(meguri_ctx *ctx, meguri_bfs_search *search);
/* What pull needs: in-arcs, and first neighbours in an array of their own. */
meguri_status mg_bfs_prepare(meguri_ctx *ctx, meguri_bfs_search *search);

/* ---- bfs_host.c ------------------------------------------------------------------------------------------------- */

/* From `source` (a position) to the complete result. */
meguri_status mg_bfs_host(meguri_ctx *ctx, meguri_bfs_search *search, uint32_t source);

/* ---- the steps -------------------------------------------------------------------------------------------------- */

mg_bfs_found mg_bfs_push(meguri_ctx *ctx, meguri_bfs_search *search);
mg_bfs_found mg_bfs_pull(meguri_ctx *ctx, meguri_bfs_search *search);
/* Makes the list of the frontier, increasing, after a pull; sets frontier_arcs exactly. */
void mg_bfs_need_list(meguri_ctx *ctx, meguri_bfs_search *search);
/* The end of a search: degree-one vertices, and those that stay unreached. `limited`: the last level is not left. */
mg_bfs_found mg_bfs_fill(meguri_ctx *ctx, meguri_bfs_search *search, bool limited);

/* The words [begin, end) of a pull; returns what it found in them, with arcs at 0. One of several of the same text,
 * compiled for different processors (bfs_pull.h). */
typedef mg_bfs_found mg_bfs_pull_fn(const meguri_bfs_search *search, uint64_t begin, uint64_t end);
mg_bfs_pull_fn mg_bfs_pull_base, mg_bfs_pull_avx2, mg_bfs_pull_avx512;

/* v was reached from u: the one place where internal numbers become the user's. */
static inline void mg_bfs_reach(const meguri_bfs_search *s, uint32_t v, uint32_t u, int32_t level) {
    uint32_t position = mg_to_user(&s->numbering, v);
    if (s->parent) s->parent[position] = mg_to_user(&s->numbering, u);
    if (s->level) s->level[position] = level;
}

#endif
