/* Paths on their way out, each as it is found: which form it is, and what all forms share. */
#include "report/path_writer.h"

#include <math.h>
#include <string.h>

/* The one list of names of files that paths are written to. */
static const struct {
    const char *suffix;
    mg_path_form form;
} suffixes[] = {{".csv", MG_PATH_FORM_CSV},
                {".tsv", MG_PATH_FORM_TSV},
                {".jsonl", MG_PATH_FORM_LINES},
                {".geojson", MG_PATH_FORM_GEOJSON}};
enum { SUFFIXES = sizeof suffixes / sizeof *suffixes };

/* MG_PATH_FORM_AUTO: the name does not say. */
static mg_path_form form_of_path(const char *path) {
    if (strcmp(path, "-") == 0) return MG_PATH_FORM_TSV;
    for (size_t i = 0; i < SUFFIXES; i++)
        if (mg_has_suffix(path, suffixes[i].suffix)) return suffixes[i].form;
    return MG_PATH_FORM_AUTO;
}

static meguri_status check_path(meguri_ctx *ctx, const char *path) {
    char list[128] = "";
    if (form_of_path(path) != MG_PATH_FORM_AUTO) return MEGURI_OK;
    for (size_t i = 0, used = 0; i < SUFFIXES; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s",
                                 i == 0             ? ""
                                 : i + 1 < SUFFIXES ? ", "
                                                    : " or ",
                                 suffixes[i].suffix);
    return mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                   "cannot write %s: paths are written as %s (with .gz, .zst or .xz after it if you like); give one of "
                   "these suffixes, or - for standard output.",
                   path, list);
}

meguri_status meguri_path_writer_check_path(meguri_ctx *ctx, const char *path) {
    if (!ctx || !path) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    return check_path(ctx, path);
}

/* ---- what the forms share --------------------------------------------------------------------------------------- */

/* A failure before this one has the better sentence, and asking the graph would forget it. */
static bool broken(meguri_path_writer *w) {
    if (w->status == MEGURI_OK) w->status = w->sink.status;
    return w->status != MEGURI_OK;
}

mg_path_id mg_path_id_of(meguri_path_writer *w, uint64_t vertex) {
    mg_path_id id = {.kind = w->info.id_kind, .name = ""};
    if (broken(w)) return id;
    w->status = id.kind == MEGURI_ID_STRING ? meguri_graph_names(&id.name, &id.length, w->sink.ctx, w->graph, vertex, 1)
                                            : meguri_graph_ids(&id.number, w->sink.ctx, w->graph, vertex, 1);
    return id;
}

bool mg_path_goes_on(meguri_path_writer *w, uint64_t step) {
    if (!broken(w) && step % 1024 == 0 && mg_progress(w->sink.ctx, "write", step, 0))
        w->status = mg_fail_cancelled(w->sink.ctx);
    return !broken(w);
}

bool mg_path_place(meguri_path_writer *w, uint64_t vertex, double *x, double *y) {
    if (broken(w)) return false;
    w->status = mg_places_get(&w->places, x, y, w->sink.ctx, w->graph, vertex, 1);
    return w->status == MEGURI_OK && isfinite(*x) && isfinite(*y);
}

/* ---- the writer ------------------------------------------------------------------------------------------------- */

static meguri_status look_at_places(meguri_path_writer *w, meguri_ctx *ctx) {
    bool map = w->form == MG_PATH_FORM_GEOJSON;
    if (map && !w->info.has_coordinates)
        return mg_fail(ctx, MEGURI_BAD_INPUT,
                       "the graph has no coordinates, so that there is no map of its paths; build it with some.");
    if (!w->info.has_coordinates || (!map && w->form != MG_PATH_FORM_TRACE)) return MEGURI_OK;
    meguri_status status = mg_places_look(&w->places, ctx, w->graph);
    if (w->options.metric != MEGURI_PATH_METRIC_AUTO && !map)
        w->places.degrees = w->options.metric == MEGURI_PATH_GREAT_CIRCLE;
    return status;
}

/* The forms that are no suffixes of files. */
static mg_path_form form_by_name(const char *suffix) {
    return strcmp(suffix + 1, ".text") == 0    ? MG_PATH_FORM_TEXT
           : strcmp(suffix + 1, ".json") == 0  ? MG_PATH_FORM_JSON
           : strcmp(suffix + 1, ".trace") == 0 ? MG_PATH_FORM_TRACE
                                               : form_of_path(suffix);
}

static meguri_status choose_form(meguri_path_writer *w, meguri_ctx *ctx, const mg_output *output) {
    const meguri_path_writer_options *o = &w->options;
    w->form = MG_PATH_FORM_JSON;
    if (*output->suffix) w->form = form_by_name(output->suffix);
    else if (output->path) {
        meguri_status status = check_path(ctx, output->path);
        if (status != MEGURI_OK) return status;
        w->form = form_of_path(output->path);
    }
    if (w->form == MG_PATH_FORM_AUTO)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                       "form: unknown form of paths '%s': text, json, jsonl, csv, tsv, geojson and trace are possible.",
                       output->suffix + 2);
    if ((unsigned)o->metric > MEGURI_PATH_GREAT_CIRCLE)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "metric %d is none; see meguri_path_metric.", (int)o->metric);
    if (w->form == MG_PATH_FORM_TRACE && !o->trace)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "trace: paths for a trace need the context whose trace it is.");
    if (w->form == MG_PATH_FORM_TRACE && (output->path || output->write))
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "path, write: paths for a trace go there, not to a file; give none.");
    return MEGURI_OK;
}

/* A form that does not name one leaves it to the name of the file. */
static void choose_compression(meguri_path_writer *w, const mg_output *output) {
    mg_uncompressed_name(&w->sink.compression, output->form);
    if (w->sink.compression == MG_PLAIN && output->path) mg_uncompressed_name(&w->sink.compression, output->path);
}

meguri_status meguri_path_writer_new(meguri_path_writer **out, meguri_ctx *ctx, const meguri_graph *graph,
                                     const meguri_sink *sink, const meguri_path_writer_options *options) {
    mg_output output;
    if (out) *out = NULL;
    if (!out || !ctx || !graph) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    meguri_path_writer *w = mg_alloc_zero(ctx, sizeof *w, "a writer of paths");
    if (!w) return MEGURI_NO_MEMORY;
    w->graph = mg_graph_hold(graph);
    w->info.size = sizeof w->info;
    meguri_status status = MG_OPTIONS(ctx, &w->options, options, meguri_path_writer_options);
    if (status == MEGURI_OK) status = mg_graph_whole(ctx, graph);
    if (status == MEGURI_OK) status = mg_output_of(&output, ctx, sink, true, __func__);
    if (status == MEGURI_OK) status = choose_form(w, ctx, &output);
    if (status == MEGURI_OK) status = meguri_graph_get_info(&w->info, ctx, graph);
    if (status == MEGURI_OK) status = mg_path_take_columns(w, ctx);
    if (status == MEGURI_OK) status = look_at_places(w, ctx);
    if (status == MEGURI_OK) status = mg_sink_open(&w->sink, ctx, &output);
    if (status == MEGURI_OK && strcmp(output.form, "-") != 0) choose_compression(w, &output);
    if (status == MEGURI_OK) w->to_function = output.write != NULL;
    w->to_memory = status == MEGURI_OK && !output.path && !output.write;
    w->json = (meguri_json){.size = sizeof w->json, .write = mg_sink_take, .user = &w->sink};
    if (status == MEGURI_OK) *out = w;
    else meguri_path_writer_free(w);
    return status;
}

/* A table begins with its first row, so that a question that fails at once leaves nothing. */
static void start(meguri_path_writer *w) {
    bool table = w->form == MG_PATH_FORM_CSV || w->form == MG_PATH_FORM_TSV;
    if (w->opened || (!table && w->form != MG_PATH_FORM_GEOJSON)) return;
    if (table) mg_path_table_head(w);
    else mg_sink_put(&w->sink, "{\"type\": \"FeatureCollection\", \"features\": [");
    w->opened = true;
}

/* The sentence about an earlier failure stays. */
static meguri_status may_add(meguri_ctx *ctx, meguri_path_writer *w, const void *query, const void *what,
                             const char *function) {
    if (!ctx || !w || !query || !what) return mg_missing(ctx, function);
    if (broken(w)) return w->status;
    mg_begin(ctx);
    if (ctx == w->sink.ctx && !w->finished) return MEGURI_OK;
    return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "%s: %s.", function,
                   w->finished ? "the writer is finished" : "the context is not that of the writer");
}

/* Files wait until there is more. */
static meguri_status added(meguri_path_writer *w) {
    if (w->to_function) mg_sink_flush(&w->sink);
    broken(w);
    return w->status;
}

static meguri_status write_path(meguri_ctx *ctx, meguri_path_writer *w, uint64_t question,
                                const meguri_path_query *query, const meguri_path *path) {
    meguri_status status = may_add(ctx, w, query, path, "meguri_path_writer_path");
    if (status != MEGURI_OK) return status;
    start(w);
    switch (w->form) {
    case MG_PATH_FORM_TEXT: mg_path_text(w, path); break;
    case MG_PATH_FORM_LINES: mg_path_json_line(w, question, query, path, NULL); break;
    case MG_PATH_FORM_CSV:
    case MG_PATH_FORM_TSV: mg_path_table(w, question, path); break;
    case MG_PATH_FORM_GEOJSON: mg_path_geojson(w, question, query, path); break;
    case MG_PATH_FORM_TRACE: mg_path_trace(w, question, query, path); break;
    case MG_PATH_FORM_AUTO:
    case MG_PATH_FORM_JSON: mg_path_json_path(w, question, query, path); break;
    }
    return added(w);
}

meguri_status meguri_path_writer_path(meguri_ctx *ctx, meguri_path_writer *w, uint64_t question,
                                      const meguri_path_query *query, const meguri_path *path) {
    if (!ctx || !w) return write_path(ctx, w, question, query, path); /* which says what is missing */
    meguri_status status = mg_claim_for(ctx, &w->claim, "writer of paths");
    if (status != MEGURI_OK) return status;
    status = write_path(ctx, w, question, query, path);
    mg_claim_end(&w->claim);
    return status;
}

static meguri_status write_answer(meguri_ctx *ctx, meguri_path_writer *w, uint64_t question,
                                  const meguri_path_query *query, const meguri_path_answer *answer) {
    meguri_status status = may_add(ctx, w, query, answer, "meguri_path_writer_answer");
    if (status != MEGURI_OK) return status;
    start(w);
    w->answered = true;
    if (w->form == MG_PATH_FORM_TEXT) mg_path_text_answer(w, query, answer);
    if (w->form == MG_PATH_FORM_LINES) mg_path_json_line(w, question, query, NULL, answer);
    if (w->form == MG_PATH_FORM_JSON) {
        mg_path_json_open(w, question, query);
        mg_path_json_close(w, answer);
    }
    return added(w);
}

meguri_status meguri_path_writer_answer(meguri_ctx *ctx, meguri_path_writer *w, uint64_t question,
                                        const meguri_path_query *query, const meguri_path_answer *answer) {
    if (!ctx || !w) return write_answer(ctx, w, question, query, answer); /* which says what is missing */
    meguri_status status = mg_claim_for(ctx, &w->claim, "writer of paths");
    if (status != MEGURI_OK) return status;
    status = write_answer(ctx, w, question, query, answer);
    mg_claim_end(&w->claim);
    return status;
}

static meguri_status finish(meguri_ctx *ctx, meguri_path_writer *w, meguri_status searched) {
    if (!ctx || !w) return mg_missing(ctx, "meguri_path_writer_finish");
    if (!broken(w)) mg_begin(ctx);
    if (ctx != w->sink.ctx || w->finished)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "meguri_path_writer_finish: %s.",
                       w->finished ? "the writer is finished" : "the context is not that of the writer");
    w->finished = true;
    bool good = searched == MEGURI_OK && w->status == MEGURI_OK;
    if (good) start(w);
    if (w->opened && w->form == MG_PATH_FORM_GEOJSON) mg_sink_put(&w->sink, "\n]}\n");
    if (w->opened && w->form == MG_PATH_FORM_JSON) mg_path_json_close(w, NULL);
    if (w->form == MG_PATH_FORM_TRACE) mg_path_trace_end(w);
    mg_sink_close(&w->sink, good);
    broken(w);
    return w->status;
}

meguri_status meguri_path_writer_finish(meguri_ctx *ctx, meguri_path_writer *w, meguri_status searched) {
    if (!ctx || !w) return finish(ctx, w, searched); /* which says what is missing */
    meguri_status status = mg_claim_for(ctx, &w->claim, "writer of paths");
    if (status != MEGURI_OK) return status;
    status = finish(ctx, w, searched);
    mg_claim_end(&w->claim);
    return status;
}

meguri_status meguri_path_writer_text(const char **text, size_t *bytes, meguri_ctx *ctx, meguri_path_writer *w) {
    if (!text || !bytes || !ctx || !w) return mg_missing(ctx, __func__);
    *text = "";
    *bytes = 0;
    if (broken(w)) return w->status;
    mg_begin(ctx);
    if (!w->to_memory)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "path, write: what this writer writes does not stay in memory.");
    if (!mg_text_need(&w->sink.text, 1)) return w->status = MEGURI_NO_MEMORY;
    w->sink.text.data[w->sink.text.used] = '\0';
    *text = w->sink.text.data;
    *bytes = w->sink.text.used;
    return MEGURI_OK;
}

void meguri_path_writer_free(meguri_path_writer *w) {
    if (!w) return;
    mg_sink_free(&w->sink);
    mg_graph_let_go(w->graph);
    mg_free(w->columns);
    mg_free(w->vertex_columns);
    mg_free(w);
}
