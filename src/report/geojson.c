/* Paths out of GeoJSON (RFC 7946), such as a meguri_path_writer makes: features that are lines or points. */
#include "report/page.h"

#include <errno.h>
#include <string.h>

#define MOST_BYTES (512u << 20) /* of a file: it is read whole */
#define MOST_VALUE (32 << 20)   /* of a feature */
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

/* ---- the collection --------------------------------------------------------------------------------------------- */

/* A text that is taken apart: what is around the features, and one feature at a time, because a parser cannot be
 * cancelled, and what it makes of a long text takes as long to free. */
typedef struct parsing {
    mg_report_map *map;
    const char *path, *begin, *at, *end;
    size_t features;
    bool collection; /* it has a list of features */
} parsing;

static meguri_status not_json(const parsing *p, int line, const char *why) {
    for (const char *s = p->begin; s < p->at; s++) line += *s == '\n';
    return mg_fail(p->map->ctx, MEGURI_BAD_INPUT, "%s:%d: this is not JSON: %s.", p->path, line, why);
}

static char next_sign(parsing *p) {
    while (p->at < p->end && *p->at && strchr(" \t\r\n", *p->at)) p->at++;
    return p->at < p->end ? *p->at : '\0';
}

/* The value at the place, which is then behind it. */
static meguri_status next_value(json_t **out, parsing *p) {
    json_error_t error;
    size_t flags = JSON_DECODE_ANY | JSON_DISABLE_EOF_CHECK;
    next_sign(p);
    size_t left = MG_MIN((size_t)(p->end - p->at), (size_t)MOST_VALUE);
    *out = json_loadb(p->at, left, flags, &error);
    if (!*out && json_error_code(&error) == json_error_numeric_overflow) /* ids above 2^63 become doubles */
        *out = json_loadb(p->at, left, flags | JSON_DECODE_INT_AS_REAL, &error);
    if (*out) {
        p->at += error.position;
        return MEGURI_OK;
    }
    if (json_error_code(&error) == json_error_out_of_memory)
        return mg_fail(p->map->ctx, MEGURI_NO_MEMORY, "the system has no memory to read %s.", p->path);
    if (left < (size_t)(p->end - p->at) && json_error_code(&error) == json_error_premature_end_of_input)
        return mg_fail(p->map->ctx, MEGURI_BAD_INPUT, "%s: feature %zu has more than %d MiB, which no map shows.",
                       p->path, p->features + 1, MOST_VALUE >> 20);
    return not_json(p, error.line, error.text);
}

/* All features, up to the bracket that ends them. */
static meguri_status take_features(parsing *p) {
    p->at++;
    if (next_sign(p) == ']') return p->at++, MEGURI_OK;
    for (;; p->features++) {
        json_t *feature;
        if (mg_progress(p->map->ctx, "paths", (uint64_t)(p->at - p->begin), (uint64_t)(p->end - p->begin)))
            return mg_fail_cancelled(p->map->ctx);
        meguri_status status = next_value(&feature, p);
        if (status == MEGURI_OK) status = take_feature(p->map, p->path, feature, p->features);
        json_decref(feature);
        if (status != MEGURI_OK) return status;
        char sign = next_sign(p);
        if (sign != ',' && sign != ']') return not_json(p, 1, "',' or ']' expected");
        p->at++;
        if (sign == ']') return MEGURI_OK;
    }
}

static meguri_status take_member(parsing *p, json_t *root) {
    json_t *name = NULL, *value = NULL;
    if (next_sign(p) != '"') return not_json(p, 1, "a name of a member expected");
    meguri_status status = next_value(&name, p);
    if (status == MEGURI_OK && next_sign(p) != ':') status = not_json(p, 1, "':' expected");
    if (status == MEGURI_OK) {
        p->at++;
        bool features = strcmp(json_string_value(name), "features") == 0;
        if (features && next_sign(p) == '[') {
            status = take_features(p);
            p->collection = true;
        } else status = next_value(&value, p);
    }
    if (value && json_object_set_new(root, json_string_value(name), value) != 0)
        status = mg_fail(p->map->ctx, MEGURI_NO_MEMORY, "the system has no memory to read %s.", p->path);
    json_decref(name);
    return status;
}

static meguri_status not_geojson(const parsing *p) {
    return mg_fail(p->map->ctx, MEGURI_BAD_INPUT,
                   "%s is not a FeatureCollection, as GeoJSON has it; give a file that paths were written to.",
                   p->path);
}

/* The object that a file is: `root` gets its members, but for the features. */
static meguri_status take_object(parsing *p, json_t *root) {
    meguri_status status = MEGURI_OK;
    if (next_sign(p) == '[') return not_geojson(p);
    if (next_sign(p) != '{') return not_json(p, 1, "'{' expected");
    p->at++;
    for (char sign = next_sign(p) == '}' ? '}' : ','; sign != '}' && status == MEGURI_OK;) {
        status = take_member(p, root);
        if (status != MEGURI_OK) return status;
        sign = next_sign(p);
        if (sign != ',' && sign != '}') return not_json(p, 1, "',' or '}' expected");
        if (sign == ',') p->at++;
    }
    p->at++;
    next_sign(p);
    return p->at == p->end ? MEGURI_OK : not_json(p, 1, "end of file expected");
}

static meguri_status take_all(parsing *p) {
    json_t *root = json_object();
    meguri_ctx *ctx = p->map->ctx;
    if (!root) return mg_fail(ctx, MEGURI_NO_MEMORY, "the system has no memory to read %s.", p->path);
    p->map->searched = true;
    meguri_status status = take_object(p, root);
    const char *type = json_string_value(json_object_get(root, "type"));
    if (status == MEGURI_OK && type && strcmp(type, "Feature") == 0) status = take_feature(p->map, p->path, root, 0);
    else if (status == MEGURI_OK && (!type || strcmp(type, "FeatureCollection") != 0 || !p->collection))
        status = not_geojson(p);
    json_decref(root);
    return status;
}

meguri_status mg_report_read_geojson(mg_report_map *map, const mg_report_input *input) {
    mg_text text = {.ctx = map->ctx};
    meguri_status status = read_all(&text, map->ctx, *input);
    if (status == MEGURI_OK) {
        parsing p = {
            .map = map, .path = input->name, .begin = text.data, .at = text.data, .end = text.data + text.used};
        status = take_all(&p);
    }
    mg_text_free(&text);
    return status;
}
