/* overview: what a graph is, at a glance: edges, degrees, weights, components, PageRank, communities, distances,
 * triangles.
 *
 * Each measure is one step (a file below), which fills in its part of meguri_overview_info; other algorithms are called
 * by their public functions. Whole numbers are counted and real ones are added up in blocks of fixed size, so that
 * nothing depends on the number of threads. */
#ifndef MG_OVERVIEW_H
#define MG_OVERVIEW_H

#include "graph/graph.h"

#include <meguri/extra/overview.h>

#define MG_OVERVIEW_TOP_MOST   1000
#define MG_OVERVIEW_BINS       512 /* of a distribution, at most */
#define MG_OVERVIEW_EVEN_BINS  96  /* of one whose bins are all of one width */
#define MG_OVERVIEW_BLOCK_ARCS ((uint64_t)1 << 16)

/* Which distribution. */
typedef enum mg_overview_bins {
    MG_OVERVIEW_WEIGHTS,
    MG_OVERVIEW_DEGREES,
    MG_OVERVIEW_IN_DEGREES,
    MG_OVERVIEW_COMPONENTS,
    MG_OVERVIEW_COMMUNITIES,
    MG_OVERVIEW_LEVELS,
    MG_OVERVIEW_DISTRIBUTIONS
} mg_overview_bins;

/* Which list. */
typedef enum mg_overview_lists {
    MG_OVERVIEW_BY_PAGERANK,
    MG_OVERVIEW_BY_DEGREE,
    MG_OVERVIEW_BY_IN_DEGREE,
    MG_OVERVIEW_LARGEST_COMPONENTS,
    MG_OVERVIEW_LARGEST_COMMUNITIES,
    MG_OVERVIEW_LISTS
} mg_overview_lists;

struct meguri_overview {
    const meguri_graph *graph;
    meguri_overview_options options;
    meguri_overview_info info;
    meguri_overview_bin bins[MG_OVERVIEW_DISTRIBUTIONS][MG_OVERVIEW_BINS];
    meguri_overview_item *items; /* options.top for each list */
};

/* While it is made. */
typedef struct mg_overview_work {
    meguri_ctx *ctx;
    const meguri_graph *graph;
    meguri_overview *overview;
    meguri_overview_info *info; /* of the overview */
    mg_rows out, in;            /* `in` is that of a directed graph */
    mg_numbering numbering;
    meguri_result *components; /* until the source of the searches is known */
    meguri_result *ranks;      /* until communities have their leaders */
} mg_overview_work;

/* Within a loop over all vertices: true where the user has cancelled. */
static inline bool mg_overview_stops(const mg_overview_work *w, const char *phase, uint64_t v) {
    return v % MG_OVERVIEW_BLOCK_ARCS == 0 && mg_progress(w->ctx, phase, v, w->graph->vertices);
}

/* ---- the measures, in this order -------------------------------------------------------------------------------- */

meguri_status mg_overview_edges(mg_overview_work *w);       /* overview_edges.c */
meguri_status mg_overview_weights(mg_overview_work *w);     /* overview_weights.c */
meguri_status mg_overview_degrees(mg_overview_work *w);     /* overview_degrees.c */
meguri_status mg_overview_coordinates(mg_overview_work *w); /* overview_edges.c */
meguri_status mg_overview_components(mg_overview_work *w);  /* overview_groups.c */
meguri_status mg_overview_distances(mg_overview_work *w);   /* overview_distances.c */
meguri_status mg_overview_pagerank(mg_overview_work *w);    /* overview_groups.c */
meguri_status mg_overview_communities(mg_overview_work *w); /* overview_groups.c */
meguri_status mg_overview_triangles(mg_overview_work *w);   /* overview_triangles.c */

/* ---- arcs that stand for edges ---------------------------------------------------------------------------------- */

/* All arcs of a directed graph; of an undirected one those to the same or to a larger internal number. */
typedef struct mg_overview_walk {
    const mg_rows *rows;
    uint64_t arc, end, row, row_end;
    bool all;
} mg_overview_walk;

/* Those of the arcs [begin, end). */
static inline mg_overview_walk mg_overview_walk_from(const mg_overview_work *w, uint64_t begin, uint64_t end) {
    uint64_t row = mg_row_of_arc(&w->out, begin);
    return (mg_overview_walk){&w->out, begin, end, row, mg_row_end(&w->out, row), w->graph->directed};
}

static inline bool mg_overview_next(mg_overview_walk *walk, uint64_t *arc) {
    while (walk->arc < walk->end) {
        while (walk->arc >= walk->row_end) walk->row_end = mg_row_end(walk->rows, ++walk->row);
        *arc = walk->arc++;
        if (walk->all || walk->rows->neighbors[*arc] >= walk->row) return true;
    }
    return false;
}

/* ---- lists and distributions (overview_numbers.c) --------------------------------------------------------------- */

/* The items of a list: room for options.top. */
meguri_overview_item *mg_overview_items(mg_overview_work *w, mg_overview_lists list);
/* What was selected becomes a list of whole numbers; the selection is finished and freed. */
void mg_overview_list(meguri_overview_list *out, mg_overview_work *w, mg_overview_lists list, mg_top *top);

/* So many things have this value. */
typedef struct mg_overview_count {
    uint64_t value, count;
} mg_overview_count;

/* Whole numbers that are counted by their value: small ones in an array, the others one by one, of which there are few
 * where the numbers add up to something bounded, as degrees do. */
typedef struct mg_overview_tally {
    uint64_t *small;
    uint64_t *large;
    uint64_t large_count, large_room;
} mg_overview_tally;
meguri_status mg_overview_tally_new(mg_overview_tally *out, meguri_ctx *ctx);
meguri_status mg_overview_tally_large(mg_overview_tally *tally, meguri_ctx *ctx, uint64_t value);
static inline meguri_status mg_overview_tally_add(mg_overview_tally *tally, meguri_ctx *ctx, uint64_t value) {
    if (value >= (1 << 16)) return mg_overview_tally_large(tally, ctx, value);
    tally->small[value]++;
    return MEGURI_OK;
}
/* The different values, increasing; for mg_free. */
meguri_status mg_overview_tally_counts(mg_overview_count **out, uint64_t *count, meguri_ctx *ctx,
                                       mg_overview_tally *tally);
void mg_overview_tally_free(mg_overview_tally *tally);

/* The distribution of whole numbers. Bins are exact below 16 and eight for each power of two from there on; or, where
 * they are even, all of one width. */
void mg_overview_distribution(meguri_overview_numbers *out, mg_overview_work *w, mg_overview_bins which,
                              const mg_overview_count *counts, uint64_t count, bool even);

#endif
