/* What the tests of paths share: small random graphs as lists of edges, the cheapest walks of every length by the
 * rounds of Bellman and Ford, and a taker that keeps a path. */
#ifndef ASKING_H
#define ASKING_H

#include "support/path_search.h"
#include "support/sanitized.h"
#include "support/unit.h"

#include <math.h>
#include <meguri.h>

enum { MOST_VERTICES = 12, MOST_EDGES = 40 };

typedef struct small_edge {
    uint32_t from, to;
    double weight;
} small_edge;

/* Ids are positions. */
typedef struct small {
    uint32_t vertices, edges;
    small_edge edge[MOST_EDGES];
    bool weighted, directed;
    double x[MOST_VERTICES], y[MOST_VERTICES];
    meguri_graph *graph;
} small;

/* Parallel edges, loops, zero weights, ties, parts without a way between them; the kind of weights follows `kind`
 * (0: none, 1 … 3: whole numbers of 1, 2, 4 bytes, 4 and 5: floats of 4 and 8). */
enum { KINDS = 6 };
void small_make(small *s, meguri_ctx *ctx, uint64_t *random, int kind, bool directed);
void small_free(small *s);

/* cost[h][v]: the cheapest walk of h edges at most from a vertex to v; infinity where there is none. */
typedef struct rounds {
    double cost[MOST_VERTICES][MOST_VERTICES];
} rounds;
void rounds_from(rounds *r, const small *s, uint32_t from, meguri_path_direction direction);

/* The last path that was given. */
typedef struct taken {
    uint64_t paths, hops;
    double cost;
    uint64_t vertices[64];
    uint64_t edges[64];
    double costs[64];
} taken;
int take(void *user, const meguri_path *path);

/* That a path is one of this graph: from end to end, over edges that there are, with the right costs. */
void check_path(const small *s, meguri_path_direction direction, uint32_t from, uint32_t to, const taken *t);

static inline bool same_cost(double a, double b) { return a == b || fabs(a - b) <= 1e-12 * fabs(a); }
/* Limits that cut, and limits that just do not; a little more where costs are not exact. */
void draw_limits(meguri_path_query *q, const rounds *r, uint64_t *random, bool exact);
/* That a question about one path is answered as the rounds have it. */
void ask_right(meguri_ctx *ctx, const small *s, meguri_path_search *search, meguri_path_direction direction,
               const rounds *r, const meguri_path_query *q);

static inline meguri_path_query question(meguri_path_algorithm algorithm, uint64_t from, uint64_t to) {
    return (meguri_path_query){.size = sizeof(meguri_path_query), .algorithm = algorithm, .from = from, .to = to};
}

#endif
