/* Edge lists, and a slow, obvious search of them: what validation and benchmark are compared with. */
#ifndef GRAPH500_LISTS_H
#define GRAPH500_LISTS_H

#include "support/unit.h"

#include <meguri.h>

typedef struct edge_list {
    uint32_t vertices;
    uint64_t count;
    uint32_t *pairs; /* malloc */
    float *weights;  /* malloc; NULL: none */
} edge_list;

edge_list list_of(uint32_t vertices, const uint32_t *pairs, uint64_t count);
edge_list list_kronecker(uint32_t scale, uint32_t edge_factor, uint64_t seed);
/* The weights that Graph500 draws for these edges. */
void list_weigh(edge_list *list, uint64_t seed);
void list_free(edge_list *list);

/* A queue, vertex by vertex; `parent` and `level` have list->vertices items. Returns how many were reached. */
uint64_t list_search(const edge_list *list, uint32_t root, uint32_t *parent, int32_t *level);
/* Whether parents are those of a breadth-first search: the true levels say so. */
bool list_is_search_tree(const edge_list *list, uint32_t root, const uint32_t *parent);
/* Bellman and Ford: over all edges again and again, until nothing changes; parents form a tree, also over edges of
 * weight 0. Returns how many were reached. */
uint64_t list_paths(const edge_list *list, uint32_t root, uint32_t *parent, double *distance);
/* Whether these are shortest paths: the true distances say so. */
bool list_are_paths(const edge_list *list, uint32_t root, const uint32_t *parent, const double *distance);
/* Edges with an end among the vertices that have a parent. */
uint64_t list_edges_inside(const edge_list *list, const uint32_t *parent);

#endif
