/* The map of the report inside: paths as lines over the network they run through, a plain picture without tiles.
 *
 * Paths come from a trace or from GeoJSON (report/routes.c, report/geojson.c); the frame around them says where a place
 * is on the picture (report/frame.c); a graph gives the network within the frame (report/network.c, report/chains.c);
 * report/map.c draws. Degrees are drawn with longitudes shrunk by the cosine of the middle latitude, so that shapes are
 * true there; planar coordinates as they are. North is up. */
#ifndef MG_REPORT_MAP_H
#define MG_REPORT_MAP_H

#include "report/report.h"

#include <jansson.h>
#include <meguri/path.h>

#define MG_REPORT_ROUTES    50     /* paths that are drawn, at most */
#define MG_REPORT_MAP_WIDTH 1000.0 /* of the picture; heights follow from the paths */
#define MG_REPORT_FINE      10     /* lines are drawn on a grid of so many parts of a unit */
#define MG_REPORT_FARTHEST  1e12   /* places beyond are none */
#define MG_REPORT_NET       3      /* classes of streets: side, middle, main */

/* One path. */
typedef struct mg_report_route {
    char *from, *to; /* NULL: not said */
    uint64_t question, index;
    bool has_hops, has_cost, has_length;
    uint64_t hops;
    double cost, length;
    double *x, *y; /* none where its graph has no coordinates */
    size_t count;
} mg_report_route;

typedef struct mg_report_map {
    meguri_ctx *ctx;
    mg_report_route routes[MG_REPORT_ROUTES];
    size_t count;
    uint64_t left_out; /* paths that are not among these */
    uint64_t others;   /* things of a GeoJSON file that are no paths */
    bool searched;     /* somebody looked for paths */
    meguri_path_metric metric;
    bool network_without_places; /* its graph has no coordinates */
    /* The frame; set where a route has points: */
    bool drawn;
    double left, top;        /* the place at the upper left corner */
    double per_x, per_y;     /* units of the picture for one of the coordinates */
    double middle_x, height; /* longitude in the middle; height of the picture */
    /* The network: data of an SVG path for each class, in fine units. */
    char *network[MG_REPORT_NET];
    uint64_t edges_shown, edges_inside;
} mg_report_map;

/* ---- report/routes.c -------------------------------------------------------------------------------------------- */

/* A line of a trace that is about paths, not a step. */
bool mg_report_is_route(const json_t *object);
/* Takes such a line in: NULL, or the name of the field that is not what it should be; "" if there is no memory. */
const char *mg_report_take_route(mg_report_map *map, const json_t *object);
/* Room for points; they are to be filled in. NULL: too many paths, which are counted (*full), or no memory. */
mg_report_route *mg_report_add_route(mg_report_map *map, size_t points, bool *full);
/* What is known about a path, from a line of the trace or the properties of a feature. */
bool mg_report_route_facts(mg_report_map *map, mg_report_route *route, const json_t *object);
/* A place that a map can show. */
bool mg_report_is_place(double x, double y);
void mg_report_map_free(mg_report_map *map);

/* ---- the others ------------------------------------------------------------------------------------------------- */

/* report/geojson.c: whether bytes are GeoJSON rather than a trace, by how they begin. */
bool mg_report_is_geojson(const char *head);
struct mg_report_input;
meguri_status mg_report_read_geojson(mg_report_map *map, const struct mg_report_input *input);
/* report/frame.c: brings all routes to one side of the date line and frames them. */
void mg_report_frame(mg_report_map *map);
/* Frames everything between these places; `left` is larger than `right` where there is nothing. */
void mg_report_frame_box(mg_report_map *map, double left, double right, double low, double high);
/* Where a place is on the picture. */
void mg_report_project(const mg_report_map *map, double x, double y, double *across, double *down);
/* report/network.c: the edges of a graph within the frame, the most used ones if there are too many. */
meguri_status mg_report_add_network(mg_report_map *map, const meguri_graph *graph);

/* An edge between two places of the picture in fine units, packed into 16 bits each; the lower place first. */
typedef struct mg_report_edge {
    uint64_t key;
    double use;
} mg_report_edge;
#define MG_REPORT_OFFSET 16384 /* added to fine units, so that none is negative */
/* report/chains.c: edges joined to long lines, as the data of an SVG path, for mg_free; NULL: no memory. */
char *mg_report_chains(meguri_ctx *ctx, const mg_report_edge *edges, size_t count);

/* report/map.c: the picture and what is said about it, as a part of a page or as a file of its own. */
void mg_report_put_map(mg_sink *page, const mg_report_map *map);
/* The drawing alone, as a part of a page; `text` describes it. */
void mg_report_put_drawing(mg_sink *page, const mg_report_map *map, const char *text);
void mg_report_put_picture(mg_sink *file, const mg_report_map *map);

/* report/labels.c: where paths start and end, and the ids of these vertices. */
/* The scale is in the lower left corner, unless paths are there and not in the other. */
bool mg_report_scale_on_right(const mg_report_map *map);
void mg_report_put_labels(mg_sink *file, const mg_report_map *map, bool alone);

/* Colours of all pages, and the style of the map: files made into strings by the build. */
extern const char mg_report_colors_css[], mg_report_map_css[];

#endif
