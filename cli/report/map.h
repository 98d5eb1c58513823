/* The map of the report inside: paths as lines over the network they run through, a plain picture without tiles.
 *
 * Paths come from a trace or from GeoJSON (report/routes.c, report/geojson.c); the frame around them says where a place
 * is on the picture (report/frame.c); a graph gives the network within the frame (report/network.c, report/chains.c);
 * report/map.c draws. Degrees are drawn with longitudes shrunk by the cosine of the middle latitude, so that shapes are
 * true there; planar coordinates as they are. North is up. */
#ifndef CLI_REPORT_MAP_H
#define CLI_REPORT_MAP_H

#include "cli.h"

#include <jansson.h>

#define REPORT_ROUTES    50     /* paths that are drawn, at most */
#define REPORT_MAP_WIDTH 1000.0 /* of the picture; heights follow from the paths */
#define REPORT_FINE      10     /* lines are drawn on a grid of so many parts of a unit */
#define REPORT_FARTHEST  1e12   /* places beyond are none */
#define REPORT_NET       3      /* classes of streets: side, middle, main */

/* One path. */
typedef struct report_route {
    char *from, *to; /* NULL: not said */
    uint64_t question, index;
    bool has_hops, has_cost, has_length;
    uint64_t hops;
    double cost, length;
    double *x, *y; /* none where its graph has no coordinates */
    size_t count;
} report_route;

typedef enum report_metric { REPORT_METRIC_AUTO, REPORT_PLANAR, REPORT_DEGREES } report_metric;

typedef struct report_map {
    report_route routes[REPORT_ROUTES];
    size_t count;
    uint64_t left_out; /* paths that are not among these */
    uint64_t others;   /* things of a GeoJSON file that are no paths */
    bool searched;     /* somebody looked for paths */
    report_metric metric;
    bool network_without_places; /* --graph has no coordinates */
    /* The frame; set where a route has points: */
    bool drawn;
    double left, top;        /* the place at the upper left corner */
    double per_x, per_y;     /* units of the picture for one of the coordinates */
    double middle_x, height; /* longitude in the middle; height of the picture */
    /* The network: data of an SVG path for each class, in fine units. */
    char *network[REPORT_NET];
    uint64_t edges_shown, edges_inside;
} report_map;

/* ---- report/routes.c -------------------------------------------------------------------------------------------- */

/* A line of a trace that is about paths, not a step. */
bool report_is_route(const json_t *object);
/* Takes such a line in: NULL, or the name of the field that is not what it should be; "" if there is no memory. */
const char *report_take_route(report_map *map, const json_t *object);
/* Room for points; they are to be filled in. NULL: too many paths, which are counted (*full), or no memory. */
report_route *report_add_route(report_map *map, size_t points, bool *full);
/* What is known about a path, from a line of the trace or the properties of a feature. */
bool report_route_facts(report_route *route, const json_t *object);
/* A place that a map can show. */
bool report_is_place(double x, double y);
void report_map_free(report_map *map);

/* ---- the others ------------------------------------------------------------------------------------------------- */

/* report/geojson.c: whether a file is GeoJSON rather than a trace, by its suffix or by how it begins. */
bool report_is_geojson(const char *path);
meguri_status report_read_geojson(report_map *map, cli_run *run, const char *path);
meguri_status report_read_geojson_stream(report_map *map, cli_run *run, FILE *file, const char *name);
/* report/frame.c: brings all routes to one side of the date line and frames them. */
void report_frame(report_map *map);
/* Where a place is on the picture. */
void report_project(const report_map *map, double x, double y, double *across, double *down);
/* report/network.c: the edges of a graph within the frame, the most used ones if there are too many. */
meguri_status report_add_network(report_map *map, cli_run *run, const char *path);

/* An edge between two places of the picture in fine units, packed into 16 bits each; the lower place first. */
typedef struct report_edge {
    uint64_t key;
    double use;
} report_edge;
#define REPORT_OFFSET 16384 /* added to fine units, so that none is negative */
/* report/chains.c: edges joined to long lines, as the data of an SVG path, to be freed; NULL: no memory. */
char *report_chains(const report_edge *edges, size_t count);

/* report/map.c: the picture and what is said about it, as a part of a page or as a file of its own. */
void report_put_map(FILE *page, const report_map *map);
void report_put_picture(FILE *file, const report_map *map);

/* report/labels.c: where paths start and end, and the ids of these vertices. */
/* The scale is in the lower left corner, unless paths are there and not in the other. */
bool report_scale_on_right(const report_map *map);
void report_put_labels(FILE *file, const report_map *map, bool alone);

/* Colours of all pages, and the style of the map: files made into strings by the build. */
extern const char report_colors_css[], report_map_css[];

#endif
