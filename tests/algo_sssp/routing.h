/* What the tests of shortest paths share: weights of many kinds, Dijkstra's search of plain arrays, and the comparison
 * of a result with it. */
#ifndef ROUTING_H
#define ROUTING_H

#include "algo_bfs/searching.h"

/* ---- weights ---------------------------------------------------------------------------------------------------- */

typedef enum weighing {
    WEIGH_NONE,
    WEIGH_ZERO,     /* all of them */
    WEIGH_ONES,     /* all alike */
    WEIGH_FEW,      /* 0 to 3: many ties, many zeros */
    WEIGH_BYTES,    /* u8 */
    WEIGH_SHORTS,   /* u16 */
    WEIGH_WORDS,    /* u32: distances pass 2^32 */
    WEIGH_WIDE,     /* u32 over all magnitudes */
    WEIGH_QUARTERS, /* f32, some zero */
    WEIGH_FRACTION, /* f32 in [0, 1) */
    WEIGH_TENTHS,   /* f64 */
    WEIGH_SPREAD,   /* f64 of magnitudes so different that sums swallow the small ones */
    WEIGH_DENORMAL, /* f64, the smallest there are */
    WEIGH_HUGE,     /* f64, nearly as large as is allowed */
    WEIGHINGS
} weighing;

/* Gives the edges weights. */
void weigh(zoo_graph *g, weighing kind, uint64_t seed);

/* ---- graphs and the textbook search ----------------------------------------------------------------------------- */

/* A graph in both forms, with the weight of every arc of the plain one. */
typedef struct roads {
    subject subject;
    double *weight;
    bool real; /* distances are doubles */
    struct known *known;
} roads;

roads roads_from_zoo(meguri_ctx *ctx, const zoo_graph *g, const meguri_build_options *options);
void roads_free(roads *r);

/* Items of 8 bytes, as the column has them. */
typedef struct route {
    void *distance;
    uint32_t *parent; /* one of the right ones */
    uint64_t reached;
    double farthest;
} route;

/* Dijkstra's, with a binary heap. */
route plain_route(const roads *r, uint64_t source);
void route_free(route *a);
bool route_reached(const roads *r, const route *a, uint64_t v);

/* NULL if the parents make a tree of edges that add up to these distances; else what is wrong. */
const char *route_fault(const roads *r, uint64_t source, const void *distance, const uint32_t *parent);
/* Whether distances are the same numbers. */
bool same_distances(const roads *r, const void *a, const void *b);

/* The last answer that results were compared with: the next one is from the same source as a rule. */
typedef struct known {
    bool there;
    uint64_t source;
    route answer;
} known;

/* ---- comparing -------------------------------------------------------------------------------------------------- */

/* Compares distances, parents and facts with the textbook and with the checker; ends the test where they differ. */
void check_route(meguri_ctx *ctx, const roads *r, uint64_t source, const meguri_sssp_options *options,
                 const meguri_result *result);
/* Searches before. */
void check_sssp(meguri_ctx *ctx, const roads *r, uint64_t source, const meguri_sssp_options *options);

#endif
