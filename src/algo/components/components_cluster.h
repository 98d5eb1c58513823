/* Components on a cluster: the forest of every process, then a forest of labels over all of them.
 *
 *   forest   every process joins the vertices of its windows along its own arcs, by Afforest as on one machine
 *            (components_cluster_forest.c)
 *   spread   every tree tells all its vertices, through their owners, the smallest position that it knows of; and
 *            hears of smaller ones. That is the label of a vertex. In skewed graphs this is nearly the end: the giant
 *            is a tree of every process, and they share vertices.
 *   rounds   a tree whose vertices have several labels says that these are one. Labels are joined along these edges in
 *            rounds, as many as the logarithm of their number, whatever the diameter (components_cluster_rounds.c)
 *   name     the first position of each component, to all its vertices
 *
 * A label is the position of a vertex. Its keeper, process label mod P, knows what it hangs below; that is not the home
 * of the position, so that small positions, which are popular, are dealt to all.
 *
 * Invariant: all vertices that bear a label are in one component; and labels that occur in one tree are joined by edges
 * or hang below the same root. So when no edge is left, components are roots. */
#ifndef MG_COMPONENTS_CLUSTER_H
#define MG_COMPONENTS_CLUSTER_H

#include "shards/shards.h"

#include <meguri/components.h>

meguri_status mg_components_cluster(meguri_ctx *ctx, meguri_result *result, void *component, const meguri_graph *graph);
meguri_status mg_components_cluster_check(meguri_ctx *ctx, const meguri_graph *graph, const void *component);

/* ---- the forest of a process (components_cluster_forest.c) ------------------------------------------------------- */

/* The vertices of all windows of a process have numbers: those of the first by place, then those of the second, but for
 * the process's own, which are in both windows of a grid. */
typedef struct mg_components_nodes {
    uint64_t count;
    uint64_t second;             /* where those of the second window begin */
    uint64_t own_begin, own_end; /* places of the second window that are in the first, too … */
    uint64_t own_first;          /* … from this place on */
} mg_components_nodes;

mg_components_nodes mg_components_nodes_of(const mg_layout *layout);
static inline uint32_t mg_components_node(const mg_components_nodes *n, int window, uint64_t place) {
    if (window == 0) return (uint32_t)place;
    if (place < n->own_begin) return (uint32_t)(n->second + place);
    if (place < n->own_end) return (uint32_t)(n->own_first + place - n->own_begin);
    return (uint32_t)(n->second + place - (n->own_end - n->own_begin));
}

/* parent[node], one of `nodes`, becomes the smallest number of its tree. *edges is how many arcs were looked at. */
meguri_status mg_components_forest(meguri_ctx *ctx, uint32_t *parent, const mg_components_nodes *nodes,
                                   const mg_shards *shards, uint64_t *edges);

/* ---- the forest of labels (components_cluster_rounds.c) ---------------------------------------------------------- */

/* Edges between labels. */
typedef struct mg_components_edges {
    uint64_t *ends; /* two for each edge */
    uint64_t count, capacity;
} mg_components_edges;

meguri_status mg_components_edges_add(meguri_ctx *ctx, mg_components_edges *edges, uint64_t a, uint64_t b);

typedef struct mg_components_labels {
    mg_shards *shards;
    uint64_t
        *above; /* of the labels that this process keeps, by label / P: 1 more than what it hangs below; 0: itself */
    uint64_t kept;
    uint64_t rounds;
    mg_steps steps;
} mg_components_labels;

/* What a label that is kept here hangs below; at the end, the root. */
uint64_t mg_components_above(const mg_components_labels *labels, uint64_t place);
/* Everything hangs below itself. */
meguri_status mg_components_labels_new(mg_components_labels *out, meguri_ctx *ctx, mg_shards *shards);
/* Joins labels along the edges of all processes, which are used up. */
meguri_status mg_components_join(meguri_ctx *ctx, mg_components_labels *labels, mg_components_edges *edges);
/* The place of a label that this process keeps; `kept` for any other. */
uint64_t mg_components_place(const mg_components_labels *labels, uint64_t label);
/* Who keeps labels, and answers with what they hang below. */
mg_keepers mg_components_parents(const mg_components_labels *labels);

/* Ends a step, with a line in the trace: what all processes looked at and sent since the last. All of them call it,
 * whether they keep a trace or not. */
meguri_status mg_components_step(mg_components_labels *labels, const char *phase, uint64_t frontier, uint64_t edges);

#endif
