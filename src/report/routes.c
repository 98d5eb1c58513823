/* Paths on their way into the map: from lines of a trace (docs/trace.md), and what both sources have in common. */
#include "report/map.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool mg_report_is_place(double x, double y) { return fabs(x) <= MG_REPORT_FARTHEST && fabs(y) <= MG_REPORT_FARTHEST; }

mg_report_route *mg_report_add_route(mg_report_map *map, size_t points, bool *full) {
    map->searched = true;
    *full = map->count == MG_REPORT_ROUTES;
    if (*full) {
        map->left_out++;
        return NULL;
    }
    mg_report_route *route = &map->routes[map->count];
    *route = (mg_report_route){.count = points};
    if (points > 0) {
        route->x = mg_alloc_array_zero(map->ctx, points, sizeof *route->x, "a path of the map");
        route->y = mg_alloc_array_zero(map->ctx, points, sizeof *route->y, "a path of the map");
        if (!route->x || !route->y) {
            mg_free(route->x);
            mg_free(route->y);
            return NULL;
        }
    }
    map->count++;
    return route;
}

/* ---- facts ------------------------------------------------------------------------------------------------------ */

/* An id as text: names, and numbers of any size. NULL where there is none. */
static bool get_id(meguri_ctx *ctx, const json_t *object, const char *key, char **out) {
    const json_t *value = json_object_get(object, key);
    char text[MG_REAL_TEXT];
    if (!value || json_is_null(value)) return true;
    if (json_is_string(value)) *out = mg_strdup(ctx, json_string_value(value), "an id of the map");
    else if (json_is_integer(value)) {
        snprintf(text, sizeof text, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
        *out = mg_strdup(ctx, text, "an id of the map");
    } else if (json_is_real(value)) { /* see report/geojson.c */
        snprintf(text, sizeof text, fabs(json_real_value(value)) < 9e15 ? "%.0f" : "%.17g", json_real_value(value));
        *out = mg_strdup(ctx, text, "an id of the map");
    } else return true;
    return *out != NULL;
}

static bool get_real(const json_t *object, const char *key, double *out) {
    const json_t *value = json_object_get(object, key);
    if (!json_is_number(value)) return false;
    *out = json_number_value(value);
    return isfinite(*out);
}

static bool get_count(const json_t *object, const char *key, uint64_t *out) {
    const json_t *value = json_object_get(object, key);
    double number = json_number_value(value);
    if (!json_is_number(value) || !(number >= 0 && number < 9e18)) return false;
    *out = json_is_integer(value) ? (uint64_t)json_integer_value(value) : (uint64_t)number;
    return true;
}

bool mg_report_route_facts(mg_report_map *map, mg_report_route *route, const json_t *object) {
    get_count(object, "question", &route->question);
    get_count(object, "path", &route->index);
    route->has_hops = get_count(object, "hops", &route->hops);
    route->has_cost = get_real(object, "cost", &route->cost);
    return get_id(map->ctx, object, "from", &route->from) && get_id(map->ctx, object, "to", &route->to);
}

/* ---- lines of a trace ------------------------------------------------------------------------------------------- */

bool mg_report_is_route(const json_t *object) {
    return json_object_get(object, "path") || json_object_get(object, "paths_left_out");
}

static void take_metric(mg_report_map *map, const json_t *object) {
    const char *metric = json_string_value(json_object_get(object, "metric"));
    if (map->metric == MEGURI_PATH_METRIC_AUTO && metric)
        map->metric = strcmp(metric, "planar") == 0 ? MEGURI_PATH_PLANAR : MEGURI_PATH_GREAT_CIRCLE;
}

const char *mg_report_take_route(mg_report_map *map, const json_t *object) {
    const json_t *line = json_object_get(object, "line"), *value;
    uint64_t left_out = 0;
    size_t i;
    bool full;
    if (!json_object_get(object, "path")) {
        if (!get_count(object, "paths_left_out", &left_out)) return "paths_left_out";
        map->searched = true;
        map->left_out += left_out;
        return NULL;
    }
    if (line && (!json_is_array(line) || json_array_size(line) % 2 != 0)) return "line";
    json_array_foreach(line, i, value) {
        if (!json_is_number(value) || !mg_report_is_place(json_number_value(value), 0)) return "line";
    }
    mg_report_route *route = mg_report_add_route(map, json_array_size(line) / 2, &full);
    if (!route) return full ? NULL : "";
    json_array_foreach(line, i, value) { (i % 2 ? route->y : route->x)[i / 2] = json_number_value(value); }
    take_metric(map, object);
    route->has_length = get_real(object, "length", &route->length);
    return mg_report_route_facts(map, route, object) ? NULL : "";
}

void mg_report_map_free(mg_report_map *map) {
    for (size_t i = 0; i < map->count; i++) {
        mg_free(map->routes[i].from);
        mg_free(map->routes[i].to);
        mg_free(map->routes[i].x);
        mg_free(map->routes[i].y);
    }
    for (int i = 0; i < MG_REPORT_NET; i++) mg_free(map->network[i]);
    *map = (mg_report_map){0};
}
