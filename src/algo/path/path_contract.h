/* Making the index inside: the graph while vertices are taken out of it. */
#ifndef MG_PATH_CONTRACT_H
#define MG_PATH_CONTRACT_H

#include "algo/path/path_index.h"

#define MG_PATH_TOO_DEAR UINT64_MAX

/* What is between a vertex and one of its neighbours: side 0 leaves the vertex, side 1 arrives. */
typedef struct mg_path_link {
    mg_path_number cost[2]; /* that of mg_path_contraction.absent: there is no such way */
    uint32_t middle[2];     /* the vertex a shortcut leads through; MG_NO_VERTEX for an edge of the graph */
    uint32_t to;
} mg_path_link;

/* The links of a vertex, in the pool, by neighbour. */
typedef struct mg_path_links {
    uint64_t begin;
    uint32_t count, room;
} mg_path_links;

/* A link to be added to those of `owner`. */
typedef struct mg_path_shortcut {
    mg_path_number cost;
    uint32_t owner, to, middle;
    uint32_t sides; /* 1: leaves the owner; 2: arrives; 3: both */
} mg_path_shortcut;

/* What one thread needs to look for witnesses, and the shortcuts it found necessary. */
typedef struct mg_path_witness {
    mg_path_label *labels; /* by vertex; parents are not used */
    uint32_t mark;
    mg_path_heap heap;
    mg_path_shortcut *found;
    uint64_t count, room;
} mg_path_witness;

typedef struct mg_path_contraction {
    meguri_ctx *ctx;
    const mg_path_ground *ground;
    uint64_t vertices;
    mg_path_number absent;
    bool free_arcs;
    mg_path_links *lists;
    mg_path_link *pool;
    uint64_t pool_count, pool_room;
    uint32_t *level;  /* how many vertices lie below at most, one above the other */
    uint32_t *rank;   /* place in which it was taken out; MG_NO_VERTEX: it is still there */
    uint64_t *price;  /* MG_PATH_TOO_DEAR: it stays */
    uint8_t *chosen;  /* it is taken out in this round */
    uint32_t *left;   /* vertices that are still there, increasing */
    uint32_t *set;    /* those of this round, increasing */
    uint32_t *around; /* vertices whose price must be computed: their neighbours */
    uint32_t *more;   /* links that each vertex gets in this round */
    uint64_t left_count, set_count, around_count;
    mg_path_shortcut *shortcuts; /* of this round, by owner */
    mg_path_link *fresh;         /* room for those of one owner */
    uint64_t shortcut_room, fresh_room;
    mg_path_witness *witnesses; /* one for each thread */
    int threads;
    meguri_status status; /* atomic */
} mg_path_contraction;

/* path_witness.c: what it would cost to take a vertex out, and the shortcuts that it takes. On any thread, while the
 * lists stay as they are. */
bool mg_path_price(uint64_t *price, mg_path_contraction *c, mg_path_witness *w, uint32_t v);
bool mg_path_find_shortcuts(mg_path_contraction *c, mg_path_witness *w, uint32_t v);

/* path_arrange.c: the index of a graph from which the vertices have been taken out; `taken` of them. */
meguri_status mg_path_arrange(mg_index *out, const mg_path_contraction *c, uint64_t taken);

#endif
