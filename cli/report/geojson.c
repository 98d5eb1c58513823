/* Paths out of a GeoJSON file (RFC 7946), such as meguri path --geojson writes: features that are lines or points. */
#include "report/map.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MOST_BYTES (512u << 20) /* of a file: it is read whole, into several times as much memory */

bool report_is_geojson(const char *path) {
    const char *dot = strrchr(path, '.');
    struct stat facts;
    char head[512];
    if (dot && strcmp(dot, ".geojson") == 0) return true;
    if (stat(path, &facts) != 0 || !S_ISREG(facts.st_mode)) return false;
    FILE *file = fopen(path, "rbe");
    if (!file) return false;
    size_t length = fread(head, 1, sizeof head - 1, file);
    head[length] = '\0';
    fclose(file);
    const char *start = head + strspn(head, " \t\r\n"), *type = strstr(start, "\"type\"");
    if (*start != '{' || !type) return false;
    type += strlen("\"type\"");
    type += strspn(type, " \t\r\n:");
    return strncmp(type, "\"Feature", strlen("\"Feature")) == 0;
}

static meguri_status wrong(cli_run *run, const char *path, size_t feature, const char *why) {
    return cli_fail(run, MEGURI_BAD_INPUT, "%s: feature %zu %s; give a file that meguri path --geojson wrote.", path,
                    feature + 1, why);
}

/* A position is a list of two numbers, or more of which two count. */
static bool get_place(const json_t *position, double *x, double *y) {
    const json_t *first = json_array_get(position, 0), *second = json_array_get(position, 1);
    if (!json_is_number(first) || !json_is_number(second)) return false;
    *x = json_number_value(first);
    *y = json_number_value(second);
    return report_is_place(*x, *y);
}

/* 0: what it is cannot be drawn as a path; SIZE_MAX: it is damaged. A geometry that is null is a path without a place.
 */
static meguri_status take_feature(report_map *map, cli_run *run, const char *path, const json_t *feature,
                                  size_t number) {
    const json_t *geometry = json_object_get(feature, "geometry"), *properties = json_object_get(feature, "properties");
    const char *kind = json_string_value(json_object_get(feature, "type"));
    if (!kind || strcmp(kind, "Feature") != 0) return wrong(run, path, number, "is not a feature");
    const char *type = json_string_value(json_object_get(geometry, "type"));
    bool nowhere = !geometry || json_is_null(geometry), point = type && strcmp(type, "Point") == 0, full;
    if (!nowhere && !type) return wrong(run, path, number, "has a geometry without a type");
    if (!nowhere && !point && strcmp(type, "LineString") != 0) {
        map->others++;
        return MEGURI_OK;
    }
    const json_t *places = nowhere ? NULL : json_object_get(geometry, "coordinates");
    if (!nowhere && (!json_is_array(places) || json_array_size(places) == 0))
        return wrong(run, path, number, "has no coordinates");
    size_t count = nowhere ? 0 : point ? 1 : json_array_size(places);
    report_route *route = report_add_route(map, count, &full);
    if (!route && full) return MEGURI_OK;
    if (!route) return cli_fail(run, MEGURI_NO_MEMORY, "the system has no memory for the paths of %s.", path);
    for (size_t i = 0; i < count; i++)
        if (!get_place(point ? places : json_array_get(places, i), &route->x[i], &route->y[i]))
            return wrong(run, path, number, "has a place that is not two numbers of a size that a map can show");
    if (!report_route_facts(route, properties))
        return cli_fail(run, MEGURI_NO_MEMORY, "the system has no memory for the paths of %s.", path);
    return MEGURI_OK;
}

static meguri_status take_all(report_map *map, cli_run *run, const char *path, const json_t *root) {
    const char *type = json_string_value(json_object_get(root, "type"));
    const json_t *features = json_object_get(root, "features"), *feature;
    meguri_status status = MEGURI_OK;
    size_t i;
    map->searched = true;
    if (type && strcmp(type, "Feature") == 0) return take_feature(map, run, path, root, 0);
    if (!type || strcmp(type, "FeatureCollection") != 0 || !json_is_array(features))
        return cli_fail(run, MEGURI_BAD_INPUT,
                        "%s is not a FeatureCollection, as GeoJSON has it; give a file that meguri path --geojson "
                        "wrote.",
                        path);
    json_array_foreach(features, i, feature) {
        if (cli_interrupted()) return cli_fail(run, MEGURI_CANCELLED, "interrupted.");
        status = take_feature(map, run, path, feature, i);
        if (status != MEGURI_OK) return status;
    }
    return status;
}

meguri_status report_read_geojson_stream(report_map *map, cli_run *run, FILE *file, const char *name) {
    json_error_t error;
    json_t *root = json_loadf(file, 0, &error);
    if (!root && json_error_code(&error) == json_error_numeric_overflow) { /* ids above 2^63: all become doubles */
        rewind(file);
        root = json_loadf(file, JSON_DECODE_INT_AS_REAL, &error);
    }
    if (!root && json_error_code(&error) == json_error_out_of_memory)
        return cli_fail(run, MEGURI_NO_MEMORY, "the system has no memory to read %s.", name);
    if (!root) {
        for (char *s = error.text; *s; s++)
            if ((unsigned char)*s < 0x20 || (unsigned char)*s >= 0x7F) *s = '?';
        return cli_fail(run, MEGURI_BAD_INPUT, "%s:%d: this is not JSON: %s.", name, error.line, error.text);
    }
    meguri_status status = take_all(map, run, name, root);
    json_decref(root);
    return status;
}

meguri_status report_read_geojson(report_map *map, cli_run *run, const char *path) {
    if (cli_file_bytes(path) > MOST_BYTES)
        return cli_fail(run, MEGURI_BAD_INPUT,
                        "%s is too large for a map, which shows %d paths; write fewer with meguri path --limit.", path,
                        REPORT_ROUTES);
    FILE *file = fopen(path, "rbe");
    if (!file)
        return cli_fail(run, errno == ENOENT ? MEGURI_NOT_FOUND : MEGURI_BAD_INPUT, "cannot read %s: %s.", path,
                        strerror(errno));
    meguri_status status = report_read_geojson_stream(map, run, file, path);
    fclose(file);
    return status;
}
