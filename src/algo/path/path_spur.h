/* The cheapest path on from a given beginning of a path: what Yen's method asks again and again. */
#ifndef MG_PATH_SPUR_H
#define MG_PATH_SPUR_H

#include "algo/path/path.h"
#include "algo/path/path_map.h"
#include "algo/path/path_queue.h"
#include "algo/path/path_reach.h"

/* A way to a vertex. */
typedef struct mg_path_label {
    uint64_t arc; /* its last */
    double cost;
    uint32_t local, before; /* the vertex; the label that this one goes on from */
    uint32_t hops;          /* 0 where they have no limit */
} mg_path_label;

/* Costs to the target, by internal number; kept from question to question. */
typedef struct mg_path_near {
    double *rest; /* where marks[v] is `mark` */
    uint32_t *marks;
    uint32_t mark;
    mg_path_queue queue;
} mg_path_near;

typedef struct mg_path_spur {
    mg_path_question *question;
    mg_path_near *near;
    double radius;       /* up to which those costs are exact; nothing beyond costs less */
    mg_path_reach reach; /* where hops have a limit: vertices that are near enough, and their hops to the target */
    bool limited;
    bool apart;       /* there is no path at all */
    double most_cost; /* with what rounding may add */
    /* One search. */
    mg_path_map met;
    double *cost;         /* the cheapest label of a vertex */
    uint32_t *least_hops; /* of its settled labels */
    mg_path_label *labels;
    uint32_t label_count, label_room;
    mg_path_queue heap;
} mg_path_spur;

/* What a search starts from: a path up to a vertex. */
typedef struct mg_path_beginning {
    const uint32_t *vertices; /* of the path; the last is where the search starts, the others are not entered again */
    uint32_t hops;
    double cost;
    const uint64_t *banned; /* arcs that the search does not begin with, increasing */
    uint32_t banned_count;
} mg_path_beginning;

typedef struct mg_path_end {
    double cost;    /* of the whole path; infinity: there is none; where it was given up: none costs less */
    uint32_t label; /* the last; followed by `before` to the one without an arc */
    bool given_up;
} mg_path_end;

/* Prepares for a question: costs to the target. */
meguri_status mg_path_spur_new(mg_path_spur *spur, mg_path_question *question);
void mg_path_spur_free(mg_path_spur *spur);

/* No way from this vertex to the target costs less; infinity: there is none, or none of few enough hops. */
double mg_path_spur_rest(const mg_path_spur *spur, uint32_t vertex, uint32_t hops);

/* The cheapest path with this beginning. Gives up after `effort` vertices as soon as it must cost more than `other`. */
meguri_status mg_path_spur_search(mg_path_end *end, mg_path_spur *spur, const mg_path_beginning *beginning,
                                  double other, uint64_t effort);

#endif
