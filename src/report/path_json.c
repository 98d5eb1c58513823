/* Paths as JSON and as GeoJSON (RFC 7946). */
#include "report/path_writer.h"

static void put_id(meguri_path_writer *w, const char *key, uint64_t vertex) {
    mg_path_id id = mg_path_id_of(w, vertex);
    if (id.kind == MEGURI_ID_STRING) meguri_json_text(&w->json, key, id.name, id.length);
    else if (id.kind == MEGURI_ID_SIGNED) meguri_json_signed(&w->json, key, (int64_t)id.number);
    else meguri_json_number(&w->json, key, id.number);
}

static void put_ends(meguri_path_writer *w, uint64_t question, const meguri_path_query *query) {
    if (w->options.numbered) meguri_json_number(&w->json, "question", question);
    put_id(w, "from", query->from);
    put_id(w, "to", query->to);
}

static void put_path(meguri_path_writer *w, const meguri_path *path) {
    meguri_json *json = &w->json;
    meguri_json_number(json, "hops", path->hops);
    meguri_json_real(json, "cost", path->cost);
    meguri_json_open(json, "vertices", '[');
    for (uint64_t i = 0; i <= path->hops && mg_path_goes_on(w, i); i++) put_id(w, NULL, path->vertices[i]);
    meguri_json_close(json, ']');
    meguri_json_open(json, "costs", '[');
    for (uint64_t i = 0; i <= path->hops && mg_path_goes_on(w, i); i++) meguri_json_real(json, NULL, path->costs[i]);
    meguri_json_close(json, ']');
    meguri_json_open(json, "edges", '[');
    for (uint64_t i = 0; i < path->hops && mg_path_goes_on(w, i); i++) meguri_json_number(json, NULL, path->edges[i]);
    meguri_json_close(json, ']');
    mg_path_json_columns(w, path);
    if (w->status != MEGURI_OK) meguri_json_bool(json, "cut", true);
}

/* What became of a question. */
static void put_answer(meguri_json *json, const meguri_path_answer *answer) {
    meguri_json_string(json, "algorithm", meguri_path_algorithm_name(answer->algorithm));
    meguri_json_number(json, "path_count", answer->paths);
    meguri_json_string(json, "end", meguri_path_end_name(answer->end));
    meguri_json_number(json, "settled", answer->settled);
    meguri_json_number(json, "edges_looked_at", answer->edges);
}

/* ---- an object for each question -------------------------------------------------------------------------------- */

void mg_path_json_open(meguri_path_writer *w, uint64_t question, const meguri_path_query *query) {
    if (w->opened) return;
    w->opened = true;
    w->json.comma = 0;
    meguri_json_open(&w->json, NULL, '{');
    if (w->options.members) w->options.members(w->options.members_user, &w->json, NULL);
    put_ends(w, question, query);
    meguri_json_open(&w->json, "paths", '[');
}

void mg_path_json_path(meguri_path_writer *w, uint64_t question, const meguri_path_query *query,
                       const meguri_path *path) {
    mg_path_json_open(w, question, query);
    meguri_json_open(&w->json, NULL, '{');
    put_path(w, path);
    meguri_json_close(&w->json, '}');
}

void mg_path_json_close(meguri_path_writer *w, const meguri_path_answer *answer) {
    meguri_json_close(&w->json, ']');
    if (answer) put_answer(&w->json, answer);
    else meguri_json_string(&w->json, "end", "failed");
    if (answer && w->options.members) w->options.members(w->options.members_user, &w->json, answer);
    else if (answer) meguri_json_real(&w->json, "seconds", answer->seconds);
    meguri_json_close(&w->json, '}');
    mg_sink_char(&w->sink, '\n');
    w->opened = false;
}

/* ---- a line for each path --------------------------------------------------------------------------------------- */

void mg_path_json_line(meguri_path_writer *w, uint64_t question, const meguri_path_query *query,
                       const meguri_path *path, const meguri_path_answer *answer) {
    w->json.comma = 0;
    meguri_json_open(&w->json, NULL, '{');
    put_ends(w, question, query);
    if (path) {
        meguri_json_number(&w->json, "path", path->index);
        put_path(w, path);
    } else {
        put_answer(&w->json, answer);
        meguri_json_real(&w->json, "seconds", answer->seconds);
    }
    meguri_json_close(&w->json, '}');
    mg_sink_char(&w->sink, '\n');
}

/* ---- GeoJSON ---------------------------------------------------------------------------------------------------- */

/* Vertices without coordinates are left out; one alone is a point. */
static void put_geometry(meguri_path_writer *w, const meguri_path *path) {
    meguri_json *json = &w->json;
    uint64_t known = 0;
    double x, y;
    for (uint64_t i = 0; i <= path->hops && mg_path_goes_on(w, i); i++)
        known += mg_path_place(w, path->vertices[i], &x, &y);
    if (known == 0) {
        meguri_json_null(json, "geometry");
        return;
    }
    meguri_json_open(json, "geometry", '{');
    meguri_json_string(json, "type", known == 1 ? "Point" : "LineString");
    meguri_json_open(json, "coordinates", '[');
    for (uint64_t i = 0; i <= path->hops && mg_path_goes_on(w, i); i++) {
        if (!mg_path_place(w, path->vertices[i], &x, &y)) continue;
        if (known > 1) meguri_json_open(json, NULL, '[');
        meguri_json_real(json, NULL, x);
        meguri_json_real(json, NULL, y);
        if (known > 1) meguri_json_close(json, ']');
    }
    meguri_json_close(json, ']');
    meguri_json_close(json, '}');
}

void mg_path_geojson(meguri_path_writer *w, uint64_t question, const meguri_path_query *query,
                     const meguri_path *path) {
    meguri_json *json = &w->json;
    mg_sink_put(&w->sink, w->paths++ ? ",\n" : "\n");
    json->comma = 0;
    meguri_json_open(json, NULL, '{');
    meguri_json_string(json, "type", "Feature");
    meguri_json_open(json, "properties", '{');
    put_ends(w, question, query);
    meguri_json_number(json, "path", path->index);
    meguri_json_number(json, "hops", path->hops);
    meguri_json_real(json, "cost", path->cost);
    mg_path_json_columns(w, path);
    meguri_json_close(json, '}');
    put_geometry(w, path);
    meguri_json_close(json, '}');
}
