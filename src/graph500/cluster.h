/* The benchmark on a cluster: what its files share. */
#ifndef MG_GRAPH500_CLUSTER_H
#define MG_GRAPH500_CLUSTER_H

#include "graph500/graph500.h"
#include "shards/shards.h"

/* The edge list in parts, for the validation alone: every edge both ways, known to the homes of both ends.
 *
 * The home of the end that an arc leads to (its target) holds the arc. The home of the other end holds, for every
 * process, the sources of the arcs to its vertices, in the same order: so in every validation it sends what it knows
 * about them, and nothing else. */
typedef struct mg_arc_lists {
    meguri_cluster *cluster;
    mg_range home;
    uint64_t vertices;
    uint32_t *sources;       /* places at this home, by the process that holds the arc */
    uint64_t *source_begins; /* by process: size + 1 */
    mg_globals from;         /* of the arcs held here: positions of sources, by the process that is home of these … */
    uint32_t *to;            /* … and the places of targets at this home */
    float *weights;          /* NULL: none */
    uint64_t *arc_begins;
    uint64_t rounds; /* that an exchange takes at every process */
} mg_arc_lists;

/* cluster_list.c. Draws the list again, of which each process has its share. */
meguri_status mg_arc_lists_new(mg_arc_lists *out, meguri_ctx *ctx, meguri_cluster *cluster, const mg_drawing *drawing,
                               uint64_t vertices);
void mg_arc_lists_free(mg_arc_lists *lists);
/* `value` (item_bytes for each position of this home) of the source of every arc goes to the home of its target, which
 * looks at the arcs one after another: look(user, i, value) is false where a rule is broken at arc i; the first of
 * these is *broken, else UINT64_MAX. */
typedef bool mg_arc_look(void *user, uint64_t i, const void *value);
meguri_status mg_arc_lists_pass(uint64_t *broken, meguri_ctx *ctx, const mg_arc_lists *lists, const void *value,
                                size_t item_bytes, mg_arc_look *look, void *user);

/* cluster_validate.c. `parent` (and, of shortest paths, `distance`) of the positions of this home. */
meguri_status mg_cluster_validate(meguri_graph500_tree *out, meguri_ctx *ctx, const mg_arc_lists *lists, uint64_t root,
                                  mg_globals parent, const double *distance);

#endif
