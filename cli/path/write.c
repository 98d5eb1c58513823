/* Paths on their way out, each as it is found: nothing is kept, so that lists may be longer than memory. */
#include "path/path.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const char *const algorithms[] = {"auto", "dijkstra", "astar", "bidirectional", "shortest", "all-shortest",
                                         "all",  "simple",   "yens",  "indexed",       "tree"};
enum { ALGORITHMS = sizeof algorithms / sizeof *algorithms };

const char *path_algorithm_name(meguri_path_algorithm algorithm) {
    return (size_t)algorithm < ALGORITHMS ? algorithms[algorithm] : "several";
}

/* Names have been checked when options were read. */
meguri_path_algorithm path_algorithm_named(const char *name) {
    for (int i = 0; i < ALGORITHMS; i++)
        if (strcmp(algorithms[i], name) == 0) return (meguri_path_algorithm)i;
    return MEGURI_PATH_AUTO;
}

const char *path_end_name(meguri_path_end end) {
    static const char *const names[] = {"complete", "limit", "timeout", "stopped"};
    return (size_t)end < sizeof names / sizeof *names ? names[end] : "";
}

/* ---- ids -------------------------------------------------------------------------------------------------------- */

cli_id path_id(path_writer *w, uint64_t vertex) {
    cli_id id = {.kind = w->base->info.id_kind, .name = ""};
    meguri_status status = id.kind == MEGURI_ID_STRING
                               ? meguri_graph_names(&id.name, &id.length, w->ctx, w->base->graph, vertex, 1)
                               : meguri_graph_ids(&id.number, w->ctx, w->base->graph, vertex, 1);
    if (status != MEGURI_OK && w->status == MEGURI_OK)
        w->status = cli_fail(w->run, status, "%s", meguri_ctx_error(w->ctx));
    return id;
}

static void put_number(FILE *file, const cli_id *id) {
    if (id->kind == MEGURI_ID_SIGNED) fprintf(file, "%" PRId64, (int64_t)id->number);
    else fprintf(file, "%" PRIu64, id->number);
}

static void put_plain(path_writer *w, uint64_t vertex) {
    cli_id id = path_id(w, vertex);
    if (id.kind != MEGURI_ID_STRING) put_number(w->file, &id);
    else
        for (size_t i = 0; i < id.length; i++) {
            unsigned char c = (unsigned char)id.name[i];
            fputc(c < 0x20 || c == 0x7F ? '?' : c, w->file);
        }
}

/* A field of a table: quoted where CSV needs it, escaped in TSV as results have it. */
static void put_field(path_writer *w, uint64_t vertex) {
    cli_id id = path_id(w, vertex);
    if (id.kind != MEGURI_ID_STRING) {
        put_number(w->file, &id);
        return;
    }
    bool csv = w->form == PATH_CSV, quotes = false;
    for (size_t i = 0; csv && i < id.length && !quotes; i++) quotes = strchr(",\"\r\n", id.name[i]) != NULL;
    if (quotes) fputc('"', w->file);
    for (size_t i = 0; i < id.length; i++) {
        char c = id.name[i];
        if (csv && c == '"') fputs("\"\"", w->file);
        else if (!csv && c == '\t') fputs("\\t", w->file);
        else if (!csv && c == '\n') fputs("\\n", w->file);
        else if (!csv && c == '\r') fputs("\\r", w->file);
        else if (!csv && c == '\\') fputs("\\\\", w->file);
        else fputc(c, w->file);
    }
    if (quotes) fputc('"', w->file);
}

/* Paths can be very long, and a user who has had enough does not wait for the end of one. */
static bool goes_on(path_writer *w, uint64_t step) {
    if (step % 1024 == 0 && cli_interrupted()) w->cut = true;
    return !w->cut;
}

/* ---- for people ------------------------------------------------------------------------------------------------- */

static void text_path(path_writer *w, const meguri_path *path) {
    char cost[CLI_NUMBER_TEXT], hops[CLI_NUMBER_TEXT];
    cli_progress_clear(w->run);
    for (uint64_t i = 0; i <= path->hops && goes_on(w, i); i++) {
        if (i > 0) fputs(" → ", w->file);
        put_plain(w, path->vertices[i]);
    }
    if (w->cut) {
        fputs(" …\n", w->file);
        return;
    }
    fputs(" (", w->file);
    if (w->weighted) fprintf(w->file, "cost %s, ", cli_real_text(cost, path->cost));
    fprintf(w->file, "%s hop%s)\n", cli_thousands(hops, path->hops), path->hops == 1 ? "" : "s");
}

static void text_limits(path_writer *w, const meguri_path_query *query) {
    char text[CLI_NUMBER_TEXT];
    if (query->max_hops) fprintf(w->file, " of at most %s hops", cli_thousands(text, query->max_hops));
    if (query->has_max_cost)
        fprintf(w->file, "%s a cost of at most %s", query->max_hops ? " and" : " with",
                cli_real_text(text, query->max_cost));
}

static void text_answer(path_writer *w, uint64_t question, const meguri_path_answer *answer) {
    char text[CLI_NUMBER_TEXT];
    const meguri_path_query *query = &w->pairs->queries[question];
    bool timeout = answer->end == MEGURI_PATH_TIMEOUT;
    if (answer->paths > 0 && !timeout && answer->end != MEGURI_PATH_LIMIT) return;
    cli_progress_clear(w->run);
    if (answer->end == MEGURI_PATH_LIMIT) {
        fprintf(w->file, "there may be more: the limit of %s path%s is reached\n", cli_thousands(text, answer->paths),
                answer->paths == 1 ? "" : "s");
        return;
    }
    fputs(!timeout            ? "no path from "
          : answer->paths > 0 ? "there may be more paths from "
                              : "no path was found from ",
          w->file);
    put_plain(w, query->from);
    fputs(" to ", w->file);
    put_plain(w, query->to);
    text_limits(w, query);
    if (timeout) fprintf(w->file, ": the time of %s s is over", cli_real_text(text, query->timeout));
    fputc('\n', w->file);
}

/* ---- JSON ------------------------------------------------------------------------------------------------------- */

static void json_id(path_writer *w, const char *key, uint64_t vertex) {
    cli_id id = path_id(w, vertex);
    cli_json_id(&w->json, key, &id);
}

static void json_path(path_writer *w, const meguri_path *path) {
    cli_json *json = &w->json;
    cli_json_number(json, "hops", path->hops);
    cli_json_real(json, "cost", path->cost);
    cli_json_open(json, "vertices", '[');
    for (uint64_t i = 0; i <= path->hops && goes_on(w, i); i++) json_id(w, NULL, path->vertices[i]);
    cli_json_close(json, ']');
    cli_json_open(json, "costs", '[');
    for (uint64_t i = 0; i <= path->hops && goes_on(w, i); i++) cli_json_real(json, NULL, path->costs[i]);
    cli_json_close(json, ']');
    cli_json_open(json, "edges", '[');
    for (uint64_t i = 0; i < path->hops && goes_on(w, i); i++) cli_json_number(json, NULL, path->edges[i]);
    cli_json_close(json, ']');
    if (w->cut) cli_json_bool(json, "cut", true);
}

static void json_ends(path_writer *w, uint64_t question) {
    if (w->pairs->many) cli_json_number(&w->json, "question", question);
    json_id(w, "from", w->pairs->queries[question].from);
    json_id(w, "to", w->pairs->queries[question].to);
}

void path_json_answer(cli_json *json, const meguri_path_answer *answer) {
    cli_json_string(json, "algorithm", path_algorithm_name(answer->algorithm));
    cli_json_number(json, "path_count", answer->paths);
    cli_json_string(json, "end", path_end_name(answer->end));
    cli_json_number(json, "settled", answer->settled);
    cli_json_number(json, "edges_looked_at", answer->edges);
    cli_json_real(json, "seconds", answer->seconds);
}

void path_json_question(path_writer *w, uint64_t question) {
    if (w->opened) return;
    w->opened = true;
    cli_progress_clear(w->run);
    w->json.comma = false;
    cli_json_open(&w->json, NULL, '{');
    if (w->form == PATH_OBJECT) {
        cli_json_string(&w->json, "graph", w->run->args.operands[0]);
        cli_json_graph(&w->json, &w->base->info);
    }
    json_ends(w, question);
    cli_json_open(&w->json, "paths", '[');
}

static void json_line(path_writer *w, uint64_t question, const meguri_path *path, const meguri_path_answer *answer) {
    w->json.comma = false;
    cli_json_open(&w->json, NULL, '{');
    json_ends(w, question);
    if (path) {
        cli_json_number(&w->json, "path", path->index);
        json_path(w, path);
    } else path_json_answer(&w->json, answer);
    cli_json_close(&w->json, '}');
    fputc('\n', w->file);
}

/* ---- tables ----------------------------------------------------------------------------------------------------- */

static void table_path(path_writer *w, uint64_t question, const meguri_path *path) {
    char text[CLI_NUMBER_TEXT], gap = w->form == PATH_CSV ? ',' : '\t';
    for (uint64_t i = 0; i <= path->hops && goes_on(w, i); i++) {
        fprintf(w->file, "%" PRIu64 "%c%" PRIu64 "%c%" PRIu64 "%c", question, gap, path->index, gap, i, gap);
        put_field(w, path->vertices[i]);
        fputc(gap, w->file);
        if (i > 0) fprintf(w->file, "%" PRIu64, path->edges[i - 1]);
        fprintf(w->file, "%c%s\n", gap, cli_real_text(text, path->costs[i]));
    }
}

/* ---- GeoJSON ---------------------------------------------------------------------------------------------------- */

/* Vertices without coordinates are left out; one alone is a point. */
static void geojson_place(path_writer *w, const meguri_path *path) {
    uint64_t known = 0;
    double x, y;
    for (uint64_t i = 0; i <= path->hops && goes_on(w, i); i++)
        known += cli_places_get(&w->places, &x, &y, w->ctx, w->base->graph, path->vertices[i], 1) == MEGURI_OK &&
                 isfinite(x) && isfinite(y);
    if (known == 0) {
        cli_json_null(&w->json, "geometry");
        return;
    }
    cli_json_open(&w->json, "geometry", '{');
    cli_json_string(&w->json, "type", known == 1 ? "Point" : "LineString");
    cli_json_open(&w->json, "coordinates", '[');
    for (uint64_t i = 0; i <= path->hops && goes_on(w, i); i++) {
        if (cli_places_get(&w->places, &x, &y, w->ctx, w->base->graph, path->vertices[i], 1) != MEGURI_OK ||
            !isfinite(x) || !isfinite(y))
            continue;
        if (known > 1) cli_json_open(&w->json, NULL, '[');
        cli_json_real(&w->json, NULL, x);
        cli_json_real(&w->json, NULL, y);
        if (known > 1) cli_json_close(&w->json, ']');
    }
    cli_json_close(&w->json, ']');
    cli_json_close(&w->json, '}');
}

static void geojson_path(path_writer *w, uint64_t question, const meguri_path *path) {
    fputs(w->opened ? ",\n" : "\n", w->file);
    w->opened = true;
    w->json.comma = false;
    cli_json_open(&w->json, NULL, '{');
    cli_json_string(&w->json, "type", "Feature");
    cli_json_open(&w->json, "properties", '{');
    json_ends(w, question);
    cli_json_number(&w->json, "path", path->index);
    cli_json_number(&w->json, "hops", path->hops);
    cli_json_real(&w->json, "cost", path->cost);
    cli_json_close(&w->json, '}');
    geojson_place(w, path);
    cli_json_close(&w->json, '}');
}

/* ---- the writer ------------------------------------------------------------------------------------------------- */

meguri_status path_writer_new(path_writer *w, const cli_algorithm *a, const path_pairs *pairs, path_form form,
                              FILE *file) {
    *w = (path_writer){.run = a->run, .base = a, .pairs = pairs, .form = form, .file = file, .json = {.file = file}};
    w->weighted = a->info.weight_type != MEGURI_WEIGHT_NONE;
    meguri_ctx_options options = {.size = sizeof options, .threads = 1};
    meguri_status status = meguri_ctx_new(&w->ctx, &options);
    if (status != MEGURI_OK) return cli_fail(a->run, status, "there is no memory to write paths.");
    if (form == PATH_TRACE) return path_trace_start(w);
    if (form != PATH_GEOJSON) return MEGURI_OK;
    if (!a->info.has_coordinates)
        return cli_fail(a->run, MEGURI_BAD_INPUT,
                        "%s has no coordinates, so that there is no map of its paths; build it with --coords FILE.",
                        a->run->args.operands[0]);
    return cli_places_look(&w->places, a->run, w->ctx, a->graph);
}

void path_writer_start(path_writer *w) {
    if (w->form == PATH_GEOJSON) fputs("{\"type\": \"FeatureCollection\", \"features\": [", w->file);
    if (w->form == PATH_CSV) fputs("question,path,step,vertex,edge,cost\n", w->file);
    if (w->form == PATH_TSV) fputs("question\tpath\tstep\tvertex\tedge\tcost\n", w->file);
}

void path_write_path(path_writer *w, uint64_t question, const meguri_path *path) {
    switch (w->form) {
    case PATH_TEXT: text_path(w, path); break;
    case PATH_LINES: json_line(w, question, path, NULL); break;
    case PATH_OBJECT:
    case PATH_QUESTIONS:
        path_json_question(w, question);
        cli_json_open(&w->json, NULL, '{');
        json_path(w, path);
        cli_json_close(&w->json, '}');
        break;
    case PATH_CSV:
    case PATH_TSV: table_path(w, question, path); break;
    case PATH_GEOJSON: geojson_path(w, question, path); break;
    case PATH_TRACE: path_trace_path(w, question, path); break;
    }
}

void path_write_answer(path_writer *w, uint64_t question, const meguri_path_answer *answer) {
    if (w->form == PATH_TEXT) text_answer(w, question, answer);
    if (w->form == PATH_LINES) json_line(w, question, NULL, answer);
    if (w->form == PATH_OBJECT) path_json_question(w, question); /* the rest is the summary */
    if (w->form == PATH_TRACE) w->opened = true;                 /* it was answered */
    if (w->form != PATH_QUESTIONS) return;
    path_json_question(w, question);
    cli_json_close(&w->json, ']');
    path_json_answer(&w->json, answer);
    cli_json_close(&w->json, '}');
    fputc('\n', w->file);
    w->opened = false;
}

meguri_status path_writer_end(path_writer *w) {
    if (w->file && w->form == PATH_GEOJSON) fputs("\n]}\n", w->file);
    if (w->form == PATH_TRACE) path_trace_end(w);
    meguri_ctx_free(w->ctx);
    w->ctx = NULL;
    return w->status;
}
