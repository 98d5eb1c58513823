/* Paths out of GeoJSON (RFC 7946), such as a meguri_path_writer makes: features that are lines or points. */
#include "report/page.h"

#include <errno.h>
#include <string.h>

#define MOST_BYTES (512u << 20) /* of a file: it is read whole, into several times as much memory */
#define BLOCK      65536

bool mg_report_is_geojson(const char *head) {
    const char *start = head + strspn(head, " \t\r\n"), *type = strstr(start, "\"type\"");
    if (*start != '{' || !type) return false;
    type += strlen("\"type\"");
    type += strspn(type, " \t\r\n:");
    return strncmp(type, "\"Feature", strlen("\"Feature")) == 0;
}

static meguri_status wrong(meguri_ctx *ctx, const char *path, size_t feature, const char *why) {
    return mg_fail(ctx, MEGURI_BAD_INPUT, "%s: feature %zu %s; give a file that paths were written to.", path,
                   feature + 1, why);
}

/* A position is a list of two numbers, or more of which two count. */
static bool get_place(const json_t *position, double *x, double *y) {
    const json_t *first = json_array_get(position, 0), *second = json_array_get(position, 1);
    if (!json_is_number(first) || !json_is_number(second)) return false;
    *x = json_number_value(first);
    *y = json_number_value(second);
    return mg_report_is_place(*x, *y);
}

/* 0: what it is cannot be drawn as a path; SIZE_MAX: it is damaged. A geometry that is null is a path without a place.
 */
static meguri_status take_feature(mg_report_map *map, const char *path, const json_t *feature, size_t number) {
    const json_t *geometry = json_object_get(feature, "geometry"), *properties = json_object_get(feature, "properties");
    const char *kind = json_string_value(json_object_get(feature, "type"));
    if (!kind || strcmp(kind, "Feature") != 0) return wrong(map->ctx, path, number, "is not a feature");
    const char *type = json_string_value(json_object_get(geometry, "type"));
    bool nowhere = !geometry || json_is_null(geometry), point = type && strcmp(type, "Point") == 0, full;
    if (!nowhere && !type) return wrong(map->ctx, path, number, "has a geometry without a type");
    if (!nowhere && !point && strcmp(type, "LineString") != 0) {
        map->others++;
        return MEGURI_OK;
    }
    const json_t *places = nowhere ? NULL : json_object_get(geometry, "coordinates");
    if (!nowhere && (!json_is_array(places) || json_array_size(places) == 0))
        return wrong(map->ctx, path, number, "has no coordinates");
    size_t count = nowhere ? 0 : point ? 1 : json_array_size(places);
    mg_report_route *route = mg_report_add_route(map, count, &full);
    if (!route && full) return MEGURI_OK;
    if (!route) return MEGURI_NO_MEMORY;
    for (size_t i = 0; i < count; i++)
        if (!get_place(point ? places : json_array_get(places, i), &route->x[i], &route->y[i]))
            return wrong(map->ctx, path, number, "has a place that is not two numbers of a size that a map can show");
    return mg_report_route_facts(map, route, properties) ? MEGURI_OK : MEGURI_NO_MEMORY;
}

static meguri_status take_all(mg_report_map *map, const char *path, const json_t *root) {
    const char *type = json_string_value(json_object_get(root, "type"));
    const json_t *features = json_object_get(root, "features"), *feature;
    meguri_status status = MEGURI_OK;
    size_t i;
    map->searched = true;
    if (type && strcmp(type, "Feature") == 0) return take_feature(map, path, root, 0);
    if (!type || strcmp(type, "FeatureCollection") != 0 || !json_is_array(features))
        return mg_fail(map->ctx, MEGURI_BAD_INPUT,
                       "%s is not a FeatureCollection, as GeoJSON has it; give a file that paths were written to.",
                       path);
    json_array_foreach(features, i, feature) {
        if (mg_progress(map->ctx, "paths", i, 0)) return mg_fail_cancelled(map->ctx);
        status = take_feature(map, path, feature, i);
        if (status != MEGURI_OK) return status;
    }
    return status;
}

/* All of the bytes: numbers may need a second look. */
static meguri_status read_all(mg_text *text, meguri_ctx *ctx, mg_report_input input) {
    while (mg_text_need(text, BLOCK)) {
        int64_t got = mg_report_more(ctx, &input, text->data + text->used, BLOCK);
        if (got == MG_REPORT_CANCELLED) return mg_fail_cancelled(ctx);
        if (got < 0) return mg_fail(ctx, MEGURI_BAD_INPUT, "cannot read %s: %s.", input.name, strerror(errno));
        if (got == 0) return MEGURI_OK;
        text->used += (size_t)got;
        if (text->used > MOST_BYTES)
            return mg_fail(ctx, MEGURI_BAD_INPUT, "%s is too large for a map, which shows %d paths; give fewer.",
                           input.name, MG_REPORT_ROUTES);
    }
    return MEGURI_NO_MEMORY;
}

meguri_status mg_report_read_geojson(mg_report_map *map, const mg_report_input *input) {
    json_error_t error;
    mg_text text = {.ctx = map->ctx};
    json_t *root = NULL;
    meguri_status status = read_all(&text, map->ctx, *input);
    if (status == MEGURI_OK) {
        root = json_loadb(text.data, text.used, 0, &error);
        if (!root && json_error_code(&error) == json_error_numeric_overflow) /* ids above 2^63: all become doubles */
            root = json_loadb(text.data, text.used, JSON_DECODE_INT_AS_REAL, &error);
        if (root) status = take_all(map, input->name, root);
        else if (json_error_code(&error) == json_error_out_of_memory)
            status = mg_fail(map->ctx, MEGURI_NO_MEMORY, "the system has no memory to read %s.", input->name);
        else {
            mg_report_make_printable(error.text);
            status = mg_fail(map->ctx, MEGURI_BAD_INPUT, "%s:%d: this is not JSON: %s.", input->name, error.line,
                             error.text);
        }
    }
    json_decref(root);
    mg_text_free(&text);
    return status;
}
