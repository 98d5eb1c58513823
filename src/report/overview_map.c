/* The map of an overview: all vertices in one frame, and the edges between them. */
#include "report/overview_page.h"

#include <math.h>

#define BLOCK   4096
#define DEGREES 360

/* Vertices by whole degree of longitude. */
typedef struct longitudes {
    bool occupied[DEGREES];
} longitudes;

static int degree_of(double x) {
    int degree = (int)floor(x - 360 * floor(x / 360));
    return degree < DEGREES ? degree : 0;
}

/* Where the frame begins: behind the longest range of longitudes without vertices, so that what lies on both sides of
 * the date line stays together. */
static double west_end(const longitudes *all) {
    int longest = 0, begin = 180, length = 0;
    for (int i = 0; i < 2 * DEGREES; i++) {
        length = all->occupied[i % DEGREES] ? 0 : length + 1;
        if (length <= longest || length > DEGREES) continue;
        longest = length;
        begin = (i + 1) % DEGREES;
    }
    return begin < 180 ? begin : begin - 360;
}

typedef struct frame {
    double left, right, low, high;
} frame;

/* Calls `take` for every vertex that has a place. */
static meguri_status each_place(meguri_ctx *ctx, const meguri_graph *graph, const mg_places *places, void *what,
                                void (*take)(void *what, double x, double y)) {
    double x[BLOCK], y[BLOCK];
    meguri_graph_info info = {.size = sizeof info};
    meguri_status status = meguri_graph_get_info(&info, ctx, graph);
    for (uint64_t first = 0; status == MEGURI_OK && first < info.vertices; first += BLOCK) {
        uint64_t count = MG_MIN(info.vertices - first, BLOCK);
        status = mg_places_get(places, x, y, ctx, graph, first, count);
        for (uint64_t i = 0; status == MEGURI_OK && i < count; i++)
            if (mg_report_is_place(x[i], y[i])) take(what, x[i], y[i]);
    }
    return status;
}

static void take_longitude(void *what, double x, double y) {
    (void)y;
    ((longitudes *)what)->occupied[degree_of(x)] = true;
}

typedef struct framing {
    frame box;
    bool degrees;
    double west;
} framing;

static void take_place(void *what, double x, double y) {
    framing *f = what;
    if (f->degrees) x -= 360 * floor((x - f->west) / 360);
    f->box = (frame){fmin(f->box.left, x), fmax(f->box.right, x), fmin(f->box.low, y), fmax(f->box.high, y)};
}

meguri_status mg_overview_map(mg_report_map *out, meguri_ctx *ctx, const meguri_graph *graph) {
    mg_places places;
    longitudes all = {0};
    framing f = {.box = {INFINITY, -INFINITY, INFINITY, -INFINITY}};
    *out = (mg_report_map){.ctx = ctx};
    meguri_status status = mg_places_look(&places, ctx, graph);
    f.degrees = status == MEGURI_OK && places.degrees;
    if (f.degrees) status = each_place(ctx, graph, &places, &all, take_longitude);
    f.west = west_end(&all);
    if (status == MEGURI_OK) status = each_place(ctx, graph, &places, &f, take_place);
    if (status != MEGURI_OK) return status;
    out->metric = f.degrees ? MEGURI_PATH_GREAT_CIRCLE : MEGURI_PATH_PLANAR;
    mg_report_frame_box(out, f.box.left, f.box.right, f.box.low, f.box.high);
    return mg_report_add_network(out, graph);
}

void mg_overview_put_map(mg_sink *page, const mg_report_map *map) {
    char a[MG_REPORT_TEXT], b[MG_REPORT_TEXT];
    if (!map->drawn || !map->edges_shown) return;
    mg_sink_put(page, "<section id=\"map\"><h2>Map</h2>\n<div class=\"card\">\n");
    mg_report_put_drawing(page, map, "The edges as lines on a map, north up.");
    if (map->edges_shown < map->edges_inside)
        mg_sink_format(page, "<p class=\"note\">The %s edges of %s that shortest paths use most.</p>\n",
                       mg_thousands(a, map->edges_shown), mg_thousands(b, map->edges_inside));
    mg_sink_put(page, "</div></section>\n");
}
