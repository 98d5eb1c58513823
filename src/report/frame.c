/* The frame of the map: all paths with a margin, in a shape that suits a page. */
#include "report/map.h"

#include <math.h>

#define MARGIN        1.18 /* times what the paths take */
#define LEAST_HEIGHT  0.46 /* of the width */
#define MOST_HEIGHT   0.82
#define LEAST_DEGREES 0.004 /* what is smaller is drawn as if it were that large; some 400 metres */

typedef struct box {
    double left, right, low, high;
} box;

static box box_of(const mg_report_route *route) {
    box b = {INFINITY, -INFINITY, INFINITY, -INFINITY};
    for (size_t i = 0; i < route->count; i++) {
        b.left = fmin(b.left, route->x[i]), b.right = fmax(b.right, route->x[i]);
        b.low = fmin(b.low, route->y[i]), b.high = fmax(b.high, route->y[i]);
    }
    return b;
}

/* As mg_places_look has it. */
static bool looks_like_degrees(const mg_report_map *map) {
    bool whole = true;
    for (size_t r = 0; r < map->count; r++)
        for (size_t i = 0; i < map->routes[r].count; i++) {
            double x = map->routes[r].x[i], y = map->routes[r].y[i];
            if (fabs(x) > 180 || fabs(y) > 90) return false;
            whole = whole && x == floor(x) && y == floor(y);
        }
    return !whole;
}

/* Every path goes on beyond 180 degrees where it crosses the date line, and lies on the same side of it as the first.
 */
static void unwrap(mg_report_map *map) {
    double first = NAN;
    for (size_t r = 0; r < map->count; r++) {
        mg_report_route *route = &map->routes[r];
        if (route->count == 0) continue;
        mg_unwrap_line(route->x, route->count);
        box b = box_of(route);
        double middle = (b.left + b.right) / 2, shift = isnan(first) ? 0 : 360 * round((first - middle) / 360);
        for (size_t i = 0; i < route->count; i++) route->x[i] += shift;
        if (isnan(first)) first = middle;
    }
}

/* Where no source said it. */
static void measure(mg_report_map *map) {
    for (size_t r = 0; r < map->count; r++) {
        mg_report_route *route = &map->routes[r];
        if (route->count == 0 || route->has_length) continue;
        route->length = mg_line_length(route->x, route->y, route->count, map->metric == MEGURI_PATH_GREAT_CIRCLE);
        route->has_length = true;
    }
}

void mg_report_frame_box(mg_report_map *map, double left, double right, double low, double high) {
    bool degrees = map->metric == MEGURI_PATH_GREAT_CIRCLE;
    map->drawn = left <= right;
    if (!map->drawn) return;
    double x = (left + right) / 2, y = (low + high) / 2;
    double shrink = degrees ? fmax(cos(fmin(fabs(y), 90) * acos(-1) / 180), 0.02) : 1;
    double wide = (right - left) * shrink, tall = high - low;
    double least = degrees ? LEAST_DEGREES : fmax(fmax(fabs(x), fabs(y)) * 1e-9, 1e-100);
    if (!(fmax(wide, tall) > least)) wide = degrees ? least : fmax(least, 1);
    double shape = fmin(fmax(tall / wide, LEAST_HEIGHT), MOST_HEIGHT);
    map->height = round(MG_REPORT_MAP_WIDTH * shape);
    double scale = fmin(wide > 0 ? MG_REPORT_MAP_WIDTH / wide : INFINITY, tall > 0 ? map->height / tall : INFINITY);
    map->per_y = scale / MARGIN;
    map->per_x = map->per_y * shrink;
    map->middle_x = x;
    map->left = x - MG_REPORT_MAP_WIDTH / map->per_x / 2;
    map->top = y + map->height / map->per_y / 2;
}

void mg_report_frame(mg_report_map *map) {
    box all = {INFINITY, -INFINITY, INFINITY, -INFINITY};
    if (map->metric == MEGURI_PATH_METRIC_AUTO)
        map->metric = looks_like_degrees(map) ? MEGURI_PATH_GREAT_CIRCLE : MEGURI_PATH_PLANAR;
    bool degrees = map->metric == MEGURI_PATH_GREAT_CIRCLE;
    if (degrees) unwrap(map);
    measure(map);
    for (size_t r = 0; r < map->count; r++) {
        box b = box_of(&map->routes[r]);
        all.left = fmin(all.left, b.left), all.right = fmax(all.right, b.right);
        all.low = fmin(all.low, b.low), all.high = fmax(all.high, b.high);
    }
    mg_report_frame_box(map, all.left, all.right, all.low, all.high);
}

void mg_report_project(const mg_report_map *map, double x, double y, double *across, double *down) {
    *across = (x - map->left) * map->per_x;
    *down = (map->top - y) * map->per_y;
}
