/* The world of a question: the part of a graph that its paths can run through, with hops and costs to the target. */
#ifndef MG_PATH_WORLD_H
#define MG_PATH_WORLD_H

#include "algo/path/path.h"

/* Which paths a world is for. */
typedef enum mg_path_kind {
    MG_PATH_FEWEST, /* with as few edges as possible */
    MG_PATH_TRAILS, /* no edge twice */
    MG_PATH_SIMPLE  /* no vertex twice */
} mg_path_kind;

/* Vertices and arcs that lie on a way from `from` to `to` of at most `most` hops, in local numbers, each row in the
 * user's order of neighbours (parallel arcs by weight). A simple path uses no loop, nothing into `from` and nothing out
 * of `to`, so worlds for such paths have none of them. */
typedef struct mg_path_world {
    uint32_t from, to;
    uint32_t count; /* 0: there is no path */
    uint32_t most;  /* hops of a path */
    uint32_t *hops; /* to `to`, at least */
    double *rest;   /* cost from a vertex to `to`, at least; NULL where costs have no limit */
    uint64_t *rows; /* count + 1 */
    uint32_t *heads;
    uint64_t *arcs;     /* as mg_path_give takes them */
    uint64_t *edges;    /* of mg_path_edge; only for trails */
    double *weights;    /* only with `rest` */
    uint32_t *vertices; /* internal numbers */
    /* Rows backwards: who has an arc to a vertex, and which. */
    uint64_t *in_rows;
    uint32_t *tails;
    uint64_t *in_arcs; /* places in heads; only with `rest` */
} mg_path_world;

/* Makes a world for the limits of the question; when time is over before it is ready, it is empty and the question
 * knows. To be freed also after a failure. */
meguri_status mg_path_world_new(mg_path_world *world, mg_path_question *question, mg_path_kind kind);
void mg_path_world_free(mg_path_world *world);

/* Which of the paths of a world are wanted. */
typedef struct mg_path_wanted {
    uint32_t least; /* hops: shorter ones are passed over */
    bool looks;     /* none is given: how many hops has the shortest? */
    uint32_t found; /* the fewest hops of those that were wanted; UINT32_MAX: there was none */
} mg_path_wanted;
#define MG_PATH_ALL_WANTED ((mg_path_wanted){.found = UINT32_MAX})

/* path_all.c: gives the paths of a world one after another. */
meguri_status mg_path_walk(mg_path_question *question, const mg_path_world *world, mg_path_kind kind,
                           mg_path_wanted *wanted);

#endif
