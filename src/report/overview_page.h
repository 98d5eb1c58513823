/* The page of an overview inside: what its parts know, and which file writes which part. */
#ifndef MG_REPORT_OVERVIEW_PAGE_H
#define MG_REPORT_OVERVIEW_PAGE_H

#include "report/page.h"

#include <meguri/extra/overview.h>

typedef struct mg_overview_page {
    mg_sink *sink;
    meguri_ctx *ctx;
    const meguri_graph *graph;
    const meguri_overview_info *info;
    meguri_graph_info facts;
    bool two_degrees;     /* out- and in-degrees differ */
    meguri_status status; /* of what was asked of the graph */
} mg_overview_page;

/* ---- overview_plots.c ------------------------------------------------------------------------------------------- */

/* Vertices with at least so many edges, both axes logarithmic. */
void mg_overview_put_degrees(const mg_overview_page *p);
/* How many groups are of which size, in powers of two. */
void mg_overview_put_sizes(const mg_overview_page *p, const meguri_overview_numbers *sizes, const char *id,
                           const char *title, const char *noun);
/* Bins of one width as bars: "Step" and "vertices", "Weight" and "edges". */
void mg_overview_put_bars(const mg_overview_page *p, const meguri_overview_numbers *numbers, const char *id,
                          const char *title, const char *value, const char *things);

/* ---- overview_tables.c ------------------------------------------------------------------------------------------ */

/* A number as people read it. */
const char *mg_overview_number(char buffer[MG_REPORT_TEXT], double number);
/* The id of a vertex, escaped and kept apart from the direction of the text around it. */
void mg_overview_put_id(mg_overview_page *p, uint64_t vertex);
/* Everything about edges, ids, weights, columns and coordinates as a list of terms. */
void mg_overview_put_facts(mg_overview_page *p);
void mg_overview_put_lists(mg_overview_page *p);
void mg_overview_put_components(mg_overview_page *p);
void mg_overview_put_communities(mg_overview_page *p);

/* ---- overview_map.c --------------------------------------------------------------------------------------------- */

/* The edges of a graph with coordinates, those that shortest paths use most where there are many. */
meguri_status mg_overview_map(mg_report_map *out, meguri_ctx *ctx, const meguri_graph *graph);
void mg_overview_put_map(mg_sink *page, const mg_report_map *map);

#endif
