/* What the tests of path enumerations share: small graphs as plain lists of edges, all their paths by brute force, and
 * the paths that the library gives, kept. */
#ifndef WALKING_H
#define WALKING_H

#include "support/path_search.h"
#include "support/sanitized.h"
#include "support/unit.h"

#include <meguri.h>

#define MOST_EDGES    12
#define MOST_VERTICES 8

typedef struct small_graph {
    uint32_t vertices, edges;
    uint32_t from[MOST_EDGES], to[MOST_EDGES];
    double weight[MOST_EDGES];
    bool weighted, directed;
} small_graph;

/* A path as numbers that can be compared. */
typedef struct kept_path {
    uint32_t hops;
    uint64_t vertices[MOST_EDGES + 1];
    uint64_t edges[MOST_EDGES]; /* of the library; places in the list for brute force */
    double costs[MOST_EDGES + 1];
} kept_path;

typedef struct path_list {
    kept_path *paths;
    uint64_t count, room;
    uint64_t stop_after; /* 0: never */
} path_list;

small_graph small_random(uint64_t *random);
meguri_graph *small_build(meguri_ctx *ctx, const small_graph *graph, meguri_order order);

/* Every path that the query asks for, by trying all; ALL_SHORTEST, ALL and SIMPLE in the order they are promised in,
 * YENS by cost. */
path_list brute_force(const small_graph *graph, const meguri_path_query *query, meguri_path_direction direction);
/* Keeps a path: a meguri_path_take, whose user is a path_list. */
int keep_path(void *user, const meguri_path *path);
void list_free(path_list *list);
bool same_path(const kept_path *a, const kept_path *b);

/* Asks, and expects success. */
path_list ask(meguri_path_answer *answer, meguri_ctx *ctx, meguri_path_search *search, const meguri_path_query *query);
meguri_path_search *search_of(meguri_ctx *ctx, const meguri_graph *graph, meguri_path_direction direction);

#endif
