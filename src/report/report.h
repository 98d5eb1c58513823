/* report: what was found, as people and programs read it: paths as text, JSON, tables and GeoJSON; traces and paths as
 * a page or a map.
 *
 * Nothing here searches: it takes what the public interface hands out. */
#ifndef MG_REPORT_H
#define MG_REPORT_H

#include "io/io.h"

/* ---- places.c: what coordinates of vertices are ----------------------------------------------------------------- */

typedef struct mg_places {
    bool millionths; /* of degrees, as road graphs often have them */
    bool degrees;    /* longitude and latitude, once they are divided by a million if need be; else planar */
} mg_places;

/* Looks at the coordinates of all vertices; the graph must have some. */
meguri_status mg_places_look(mg_places *out, meguri_ctx *ctx, const meguri_graph *graph);
/* The places of a range of vertices; NaN where one has none. */
meguri_status mg_places_get(const mg_places *places, double *x, double *y, meguri_ctx *ctx, const meguri_graph *graph,
                            uint64_t first, uint64_t count);
/* Longitudes along a line go on beyond 180 where it crosses the date line, instead of once round the earth. */
void mg_unwrap_line(double *x, size_t count);
/* Leaves out points that are nearer than `least` to the one kept before them; the ends stay. Returns what is left. */
size_t mg_thin_line(double *x, double *y, size_t count, double least);
/* Along the line: metres on the earth for degrees, else units. */
double mg_line_length(const double *x, const double *y, size_t count, bool degrees);

/* ---- numbers for people (path_writer.c) ------------------------------------------------------------------------- */

const char *mg_thousands(char buffer[MG_REAL_TEXT], uint64_t number); /* 1,234,567 */

#endif
