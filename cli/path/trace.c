/* Paths in the trace, so that meguri report can draw them (docs/trace.md): a line for each of the first, with as many
 * points as a picture can show. Of the others there is the number. */
#include "path/path.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#define MOST_PATHS   50
#define MOST_POINTS  2000 /* of a path */
#define MOST_ID      400  /* bytes of a name */
#define PICTURE_DOTS 2000 /* points nearer to each other than so many in the whole path are one */

meguri_status path_trace_start(path_writer *w) {
    w->file = w->json.file = open_memstream(&w->text, &w->text_bytes);
    if (!w->file) return cli_fail(w->run, MEGURI_NO_MEMORY, "the system has no memory for lines of the trace.");
    if (!w->base->info.has_coordinates) return MEGURI_OK;
    meguri_status status = cli_places_look(&w->places, w->run, w->ctx, w->base->graph);
    enum { AUTO, PLANAR };
    int metric = cli_choice(&w->run->args, "metric");
    if (metric != AUTO) w->places.degrees = metric != PLANAR;
    return status;
}

/* As text, also numbers: some are beyond what readers of JSON can hold. */
static void put_id(path_writer *w, const char *key, uint64_t vertex) {
    cli_id id = path_id(w, vertex);
    char text[CLI_NUMBER_TEXT];
    if (id.kind == MEGURI_ID_SIGNED) snprintf(text, sizeof text, "%" PRId64, (int64_t)id.number);
    else snprintf(text, sizeof text, "%" PRIu64, id.number);
    if (id.kind != MEGURI_ID_STRING) cli_json_string(&w->json, key, text);
    else cli_json_text(&w->json, key, id.name, id.length < MOST_ID ? id.length : MOST_ID);
}

/* The places of the path, those that are known. */
static size_t get_line(path_writer *w, const meguri_path *path, double *x, double *y) {
    size_t count = 0;
    for (uint64_t i = 0; i <= path->hops; i++)
        if (cli_places_get(&w->places, &x[count], &y[count], w->ctx, w->base->graph, path->vertices[i], 1) ==
                MEGURI_OK &&
            isfinite(x[count]) && isfinite(y[count]))
            count++;
    if (w->places.degrees) cli_unwrap_line(x, count);
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

static void put_line(path_writer *w, double *x, double *y, size_t count) {
    cli_json *json = &w->json;
    cli_json_string(json, "metric", w->places.degrees ? "great-circle" : "planar");
    cli_json_real(json, "length", cli_line_length(x, y, count, w->places.degrees));
    cli_json_number(json, "points", count);
    double least = extent_of(x, y, count) / PICTURE_DOTS;
    int digits = least > 0 ? 1 - (int)floor(log10(least)) : 7;
    digits = digits < 0 ? 0 : digits > 15 ? 15 : digits;
    for (count = cli_thin_line(x, y, count, least); count > MOST_POINTS; count = cli_thin_line(x, y, count, least))
        least *= 1.25;
    cli_json_open(json, "line", '[');
    for (size_t i = 0; i < count; i++) fprintf(w->file, "%s%.*f,%.*f", i ? "," : "", digits, x[i], digits, y[i]);
    cli_json_close(json, ']');
}

static void send(path_writer *w) {
    fputc('\0', w->file);
    fflush(w->file);
    meguri_status status = w->text ? meguri_ctx_trace_add(w->run->ctx, "path", w->text) : MEGURI_NO_MEMORY;
    if (status != MEGURI_OK && w->status == MEGURI_OK)
        w->status = cli_fail(w->run, status, "cannot add a path to the trace.");
    rewind(w->file);
    w->json.comma = false;
}

void path_trace_path(path_writer *w, uint64_t question, const meguri_path *path) {
    if (w->traced == MOST_PATHS) {
        w->left_out++;
        return;
    }
    w->traced++;
    cli_json_number(&w->json, "question", question);
    cli_json_number(&w->json, "path", path->index);
    put_id(w, "from", w->pairs->queries[question].from);
    put_id(w, "to", w->pairs->queries[question].to);
    cli_json_number(&w->json, "hops", path->hops);
    cli_json_real(&w->json, "cost", path->cost);
    if (w->base->info.has_coordinates) {
        double *x = malloc((path->hops + 1) * sizeof *x), *y = malloc((path->hops + 1) * sizeof *y);
        size_t count = x && y ? get_line(w, path, x, y) : 0;
        if (count > 0) put_line(w, x, y, count);
        if ((!x || !y) && w->status == MEGURI_OK)
            w->status = cli_fail(w->run, MEGURI_NO_MEMORY, "the system has no memory for the trace of a path.");
        free(x);
        free(y);
    }
    send(w);
}

void path_trace_end(path_writer *w) {
    if (w->file && (w->left_out > 0 || (w->traced == 0 && w->opened))) {
        cli_json_number(&w->json, "paths_left_out", w->left_out);
        send(w);
    }
    if (w->file) fclose(w->file);
    free(w->text);
    w->file = NULL;
}
