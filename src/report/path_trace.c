/* Paths in a trace, so that a report can draw them (docs/trace.md): a line for each of the first, with as many points
 * as a picture can show. Of the others there is the number. */
#include "report/path_writer.h"

#include <math.h>

#define MOST_PATHS   50
#define MOST_POINTS  2000 /* of a path */
#define MOST_ID      400  /* bytes of a name */
#define PICTURE_DOTS 2000 /* points nearer to each other than so many in the whole path are one */

/* As text, also numbers: some are beyond what readers of JSON can hold. */
static void put_id(meguri_path_writer *w, const char *key, uint64_t vertex) {
    mg_path_id id = mg_path_id_of(w, vertex);
    char text[MG_INTEGER_TEXT + 1];
    if (id.kind == MEGURI_ID_STRING) {
        meguri_json_text(&w->json, key, id.name, MG_MIN(id.length, (size_t)MOST_ID));
        return;
    }
    *(id.kind == MEGURI_ID_SIGNED ? mg_put_i64(text, (int64_t)id.number) : mg_put_u64(text, id.number)) = '\0';
    meguri_json_string(&w->json, key, text);
}

/* The places of the path, those that are known. */
static size_t get_line(meguri_path_writer *w, const meguri_path *path, double *x, double *y) {
    size_t count = 0;
    for (uint64_t i = 0; i <= path->hops; i++) count += mg_path_place(w, path->vertices[i], &x[count], &y[count]);
    if (w->places.degrees) mg_unwrap_line(x, count);
    return count;
}

static double extent_of(const double *x, const double *y, size_t count) {
    double left = INFINITY, right = -INFINITY, low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < count; i++) {
        left = fmin(left, x[i]), right = fmax(right, x[i]);
        low = fmin(low, y[i]), high = fmax(high, y[i]);
    }
    return fmax(right - left, high - low);
}

static void put_line(meguri_path_writer *w, double *x, double *y, size_t count) {
    meguri_json *json = &w->json;
    meguri_json_string(json, "metric", w->places.degrees ? "great-circle" : "planar");
    meguri_json_real(json, "length", mg_line_length(x, y, count, w->places.degrees));
    meguri_json_number(json, "points", count);
    double least = extent_of(x, y, count) / PICTURE_DOTS;
    int digits = least > 0 ? 1 - (int)floor(log10(least)) : 7;
    digits = digits < 0 ? 0 : digits > 15 ? 15 : digits;
    for (count = mg_thin_line(x, y, count, least); count > MOST_POINTS; count = mg_thin_line(x, y, count, least))
        least *= 1.25;
    meguri_json_open(json, "line", '[');
    for (size_t i = 0; i < count; i++)
        mg_sink_format(&w->sink, "%s%.*f,%.*f", i ? "," : "", digits, x[i], digits, y[i]);
    meguri_json_close(json, ']');
}

static void send_line(meguri_path_writer *w) {
    meguri_ctx *ctx = w->sink.ctx;
    mg_sink_char(&w->sink, '\0');
    if (w->sink.status == MEGURI_OK && w->status == MEGURI_OK &&
        meguri_ctx_trace_add(w->options.trace, "path", w->sink.text.data) != MEGURI_OK)
        w->status = mg_fail(ctx, MEGURI_BAD_ARGUMENT, "a path cannot be added to the trace.");
    w->sink.text.used = 0;
    w->json.comma = 0;
}

void mg_path_trace(meguri_path_writer *w, uint64_t question, const meguri_path_query *query, const meguri_path *path) {
    if (w->paths == MOST_PATHS) {
        w->left_out++;
        return;
    }
    w->paths++;
    meguri_json_number(&w->json, "question", question);
    meguri_json_number(&w->json, "path", path->index);
    put_id(w, "from", query->from);
    put_id(w, "to", query->to);
    meguri_json_number(&w->json, "hops", path->hops);
    meguri_json_real(&w->json, "cost", path->cost);
    if (w->info.has_coordinates) {
        double *x = mg_alloc_array(w->sink.ctx, path->hops + 1, 2 * sizeof *x, "the places of a path");
        size_t count = x ? get_line(w, path, x, x + path->hops + 1) : 0;
        if (count > 0) put_line(w, x, x + path->hops + 1, count);
        if (!x) w->status = MEGURI_NO_MEMORY;
        mg_free(x);
    }
    send_line(w);
}

void mg_path_trace_end(meguri_path_writer *w) {
    if (w->left_out == 0 && (w->paths > 0 || !w->answered)) return;
    meguri_json_number(&w->json, "paths_left_out", w->left_out);
    send_line(w);
}
