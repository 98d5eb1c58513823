/* cores: the core number of every vertex (Seidman 1983): the largest k such that the vertex belongs to a part of the
 * graph in which everybody has k edges to others of that part.
 *
 * Peeling (Batagelj and Zaveršnik 2003; by threads: Dasari, Ranjan and Zubair, ParK, 2014; Kabir and Madduri, PKC,
 * 2017): for k = 0, 1, 2 … whoever has no more than k edges left is removed, with core number k, until nobody has. They
 * count down the degrees of all neighbours of whoever is removed, which most of the time are hubs, far from being
 * removed themselves, whose counters all threads write to.
 *
 * Here a vertex has supporters instead: as many of its neighbours as are left in the first part of its row, so many
 * that it is safe for some levels to come. Whoever is removed lowers the counters of those alone whose supporter it
 * was, and for others that is one look. Who has too few supporters left looks for more further down its row, and is
 * removed where the row ends first; so each place of a row is looked at once. In degree order rows begin with hubs, and
 * the neighbours that go early stand at their end, where nobody has taken them for supporters.
 *
 * Invariant, at the end of a level: count[v] is the number of neighbours of v below reach[v] that are left, v itself
 * aside, and more than k for everybody who is left.
 *
 * Steps that must not mix are loops of their own: while some are removed nobody looks for supporters, so that who is
 * left does not change under a search, and nobody's supporter goes unseen. */
#ifndef MG_CORES_H
#define MG_CORES_H

#include "graph/graph.h"

#include <meguri/cores.h>

#define MG_CORES_ALL MG_NO_VERTEX /* of `reach`: all neighbours are supporters */

typedef struct mg_cores {
    meguri_ctx *ctx;
    mg_rows rows[2]; /* out and in; the second has no rows where the graph is undirected */
    mg_numbering numbering;
    uint32_t row_count;
    int32_t *core;           /* the answer, by position */
    uint32_t *count;         /* supporters that are left */
    uint32_t *reach;         /* they are neighbours below this; 0: removed */
    uint32_t *places[2];     /* how much of each row that is */
    mg_bitmap left;          /* who is not removed */
    mg_queue remaining;      /* the same as a list, with some who are removed since the level began */
    mg_queue kept;           /* who goes on it for the next level */
    mg_queue frontier, next; /* to be removed in this round, in the next */
    mg_queue doubtful;       /* who has lost a supporter too many */
    uint32_t level;          /* k */
    uint32_t least;          /* no one who is left has fewer supporters; above the level */
    uint32_t bound;          /* above everybody who was left when the level began */
    uint64_t removed, arcs;  /* so far: vertices, and arcs that were followed from them */
} mg_cores;

/* Core numbers by position, and the facts of the result. */
meguri_status mg_cores_host(int32_t *core, meguri_ctx *ctx, const meguri_graph *graph, meguri_result *result);

/* The checker, of arrays as a result has them; meguri_cores_check looks here. */
meguri_status mg_cores_check(meguri_ctx *ctx, const meguri_graph *graph, const int32_t *core);

#endif
