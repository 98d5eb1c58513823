/* Overviews: what a graph is, at a glance (docs/overview.md). */
#ifndef MEGURI_OVERVIEW_H
#define MEGURI_OVERVIEW_H

#include <meguri/extra/report.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The measures of one graph, which it holds. */
typedef struct meguri_overview meguri_overview;

typedef struct meguri_overview_options {
    size_t size;  /* sizeof(meguri_overview_options) */
    uint32_t top; /* length of each list; default 10, at most 1000 */
    uint64_t
        triangle_steps; /* triangles are counted where that takes so many steps at most; default 5e9, some seconds */
} meguri_overview_options;
void meguri_overview_options_init(meguri_overview_options *options, size_t size);

/* Things whose value lies in a range. */
typedef struct meguri_overview_bin {
    double from, to; /* both included; of weights, unless they are equal, `to` is in the last bin alone */
    uint64_t count;
} meguri_overview_bin;

/* A distribution of numbers. */
typedef struct meguri_overview_numbers {
    uint64_t count; /* 0: the others are 0, too */
    double least, median, mean, most;
    const meguri_overview_bin *bins; /* increasing; empty ones of whole numbers are left out */
    uint32_t bin_count;
} meguri_overview_numbers;

/* A vertex, and its score, its degree or the size of the group that it names. */
typedef struct meguri_overview_item {
    uint64_t vertex;
    double value;
    uint64_t leader; /* of a community: the member with the highest PageRank; of others the vertex itself */
} meguri_overview_item;

/* The highest, the highest first; of equal ones the first in the user's order comes first. */
typedef struct meguri_overview_list {
    const meguri_overview_item *items;
    uint32_t count;
} meguri_overview_list;

typedef struct meguri_overview_degrees {
    meguri_overview_numbers numbers; /* of all vertices; an undirected loop counts once */
    double top_share;                /* of all arcs: those of the 1 % of vertices (at least one) of highest degree */
    meguri_overview_list top;
} meguri_overview_degrees;

/* What dividing the graph into communities by label propagation says about it. */
typedef enum meguri_overview_division {
    MEGURI_OVERVIEW_DIVIDED = 0,  /* none of the following */
    MEGURI_OVERVIEW_ONE = 1,      /* one community has more than three quarters of the vertices with edges */
    MEGURI_OVERVIEW_FRAGMENTS = 2 /* 100 communities or more, of fewer than 10 vertices on average, and 5 or more for
                                     each component with edges */
} meguri_overview_division;
const char *meguri_overview_division_name(meguri_overview_division division);

/* Why a measure is missing. */
typedef enum meguri_overview_skip {
    MEGURI_OVERVIEW_NOT_SKIPPED = 0,
    MEGURI_OVERVIEW_TOO_LONG = 1, /* it would take more steps than the options allow */
    MEGURI_OVERVIEW_TOO_LARGE = 2 /* it would take more memory than the budget has left */
} meguri_overview_skip;

typedef struct meguri_overview_info {
    size_t size; /* set by the caller to sizeof(meguri_overview_info) */

    /* Edges. */
    uint64_t loops;     /* from a vertex to itself */
    uint64_t parallel;  /* beyond the first between the same two vertices, in the same direction */
    uint64_t pairs;     /* of different vertices that are joined: edges of the simple undirected graph behind it */
    double reciprocity; /* directed: the share of edges whose reverse is an edge, too; loops and parallel ones apart */
    int seems_undirected; /* directed, and all edges have their reverse, or none has and all go from a smaller integer
                             id to a larger one */
    int is_forest;        /* no cycle, whatever the direction */
    meguri_overview_numbers weights; /* of edges; infinite ones and those that are not numbers apart */
    uint64_t negative_weights, zero_weights;

    /* Vertices. */
    meguri_overview_degrees degrees;    /* of a directed graph: out-degrees */
    meguri_overview_degrees in_degrees; /* of a directed graph */
    uint64_t sources, sinks;            /* of a directed graph: with out-edges alone, with in-edges alone */
    meguri_overview_list by_pagerank;   /* as meguri_pagerank ranks them with its defaults */
    uint64_t located;                   /* vertices with coordinates, which lie within: */
    double least_x, most_x, least_y, most_y;

    /* Groups. */
    meguri_overview_numbers components; /* their sizes; weak ones of a directed graph */
    meguri_overview_list largest_components;
    meguri_overview_numbers communities; /* their sizes; as meguri_communities finds them with its defaults, isolated
                                            vertices apart */
    meguri_overview_list largest_communities;
    meguri_overview_division division;
    double inside;     /* the share of edges that lie inside a community */
    double modularity; /* of the communities; weights do not count */
    double unsettled;  /* the share of vertices with edges whose label still changed in the last iteration */

    /* Distances in edges, along their direction: two searches, one from the vertex of highest (out-)degree in the
     * largest component, and one from the first of the vertices farthest from it. */
    uint64_t source, farthest;
    uint64_t reached;               /* from the source, with itself */
    meguri_overview_numbers levels; /* distances of the others that are reached */
    uint64_t longest;               /* the longest distance found: the diameter is no less */
    uint64_t diameter_at_most;      /* of the component, where the graph is undirected; else 0 */

    /* Triangles of the simple undirected graph behind it. */
    meguri_overview_skip triangles_skipped;
    uint64_t triangles;
    double transitivity;    /* closed paths of two edges, of all such paths */
    double mean_clustering; /* local clustering coefficient of all vertices, 0 where the degree is below 2 */
} meguri_overview_info;

/* Measures a graph; *out is to be freed. All is the same at any number of threads, unless triangles are skipped for
 * want of memory. O(vertices + arcs) but for PageRank (times its iterations) and triangles (within their limit). */
meguri_status meguri_overview_new(meguri_overview **out, meguri_ctx *ctx, const meguri_graph *graph,
                                  const meguri_overview_options *options);
void meguri_overview_free(meguri_overview *overview);

/* What was measured; pointers hold as long as the overview. Takes no context and changes nothing. */
meguri_status meguri_overview_get_info(meguri_overview_info *out, const meguri_overview *overview);

/* Writes it as a page with plots, HTML in one file with all it needs (the form of the sink does not matter). `name`
 * is what the graph is called there. *bytes (may be NULL) says how much that was. Draws a map where the graph has
 * coordinates. The same page at any number of threads. */
meguri_status meguri_overview_write(uint64_t *bytes, meguri_ctx *ctx, const meguri_overview *overview, const char *name,
                                    const meguri_sink *sink);

#ifdef __cplusplus
}
#endif
#endif
