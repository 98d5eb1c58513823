/* What the searches for one cheapest path share: labels and queues that are kept from question to question. */
#ifndef MG_PATH_POINT_H
#define MG_PATH_POINT_H

#include "algo/path/path.h"

/* Distances and the keys of queues: integers where weights are. */
typedef union mg_path_number {
    uint64_t whole;
    double real;
} mg_path_number;

/* How far a vertex is from an end, and from where that is. Holds where mark is the number of the search. */
typedef struct mg_path_label {
    mg_path_number distance;
    uint32_t parent;
    uint32_t mark;
} mg_path_label;

/* A vertex that waits; out of date where its label has become smaller since. */
typedef struct mg_path_waiting {
    mg_path_number key;
    uint32_t vertex;
} mg_path_waiting;

typedef struct mg_path_heap {
    mg_path_waiting *items;
    uint64_t count, room;
} mg_path_heap;

typedef struct mg_path_point {
    mg_path_label *labels; /* from one end: one for each vertex; from both: two, beside each other */
    uint32_t mark;         /* of the running search */
    mg_path_heap heaps[2];
    mg_path_heap uncontracted[2]; /* of such vertices of an index */
    uint64_t *arcs;               /* of the path found */
    uint64_t arc_room;
    uint64_t *opened; /* shortcuts that are being replaced */
    uint64_t opened_room;
} mg_path_point;

/* What a search is told, and what it found. */
typedef struct mg_path_task {
    mg_path_question *question;
    mg_path_point *point;
    const mg_path_guide *guide; /* NULL: without */
    mg_path_number bound;       /* only what costs less counts */
    mg_path_number horizon;     /* from one end: what does not cost less gets no label; `bound`, or beyond it */
    const double *from, *to;    /* points of the ends, where guided */
    uint32_t met;               /* vertex where the two halves of the path meet; MG_NO_VERTEX: there is no path */
} mg_path_task;

typedef meguri_status mg_path_run(mg_path_task *task);
/* From one end, and from both, for one type of weights (path_hot.h). */
typedef struct mg_path_hot {
    mg_path_run *one, *both;
} mg_path_hot;
const mg_path_hot *mg_path_hot_loops(meguri_type type);

/* Paths must cost less than this (path_point.c). */
mg_path_number mg_path_bound(const mg_path_question *question);
/* Nothing costs as much. */
mg_path_number mg_path_no_bound(bool real);
/* Labels and queues, made at their first use; those of earlier searches become worthless. */
meguri_status mg_path_point_begin(meguri_ctx *ctx, mg_path_point *point, uint64_t labels);
void mg_path_point_free(mg_path_point *point);
/* The search from one end begins at a vertex. */
void mg_path_point_start(mg_path_point *point, uint32_t from);
/* Whether labels tell what was asked for: the cost alone, whose sum is rounded as that of a path is. It needs no arcs
 * then. */
bool mg_path_label_tells(const mg_path_question *question, bool both);
/* The cost of the path through task->met. */
double mg_path_label_cost(const mg_path_task *task, bool both);
/* The arcs of the path through task->met, into point->arcs. */
meguri_status mg_path_collect(uint64_t *hops, mg_path_task *task, bool both);
bool mg_path_heap_grow(meguri_ctx *ctx, mg_path_heap *heap, uint64_t room);

/* The straight line between two points, as a lower bound of the cost between them. */
static inline double mg_path_straight(const mg_path_guide *g, const double *a, const double *b) {
    double x = a[0] - b[0], y = a[1] - b[1], z = g->dimensions == 3 ? a[2] - b[2] : 0;
    return g->per_unit * __builtin_sqrt(x * x + y * y + z * z);
}

#endif
