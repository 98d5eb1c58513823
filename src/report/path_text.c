/* Paths as lines for people, and as tables: a row for each vertex. */
#include "report/path_writer.h"

#include <inttypes.h>
#include <string.h>

const char *mg_thousands(char buffer[MG_REAL_TEXT], uint64_t number) {
    char digits[MG_INTEGER_TEXT], *to = buffer;
    size_t count = (size_t)(mg_put_u64(digits, number) - digits);
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && (count - i) % 3 == 0) *to++ = ',';
        *to++ = digits[i];
    }
    *to = '\0';
    return buffer;
}

static void put_number(mg_sink *sink, const mg_path_id *id) {
    char text[MG_INTEGER_TEXT];
    char *end = id->kind == MEGURI_ID_SIGNED ? mg_put_i64(text, (int64_t)id->number) : mg_put_u64(text, id->number);
    mg_sink_add(sink, text, (size_t)(end - text));
}

static void put_plain_text(meguri_path_writer *w, const char *text, size_t length) {
    char escaped[MG_ESCAPED];
    for (size_t at = 0, bytes; at < length; at += bytes) {
        size_t more = mg_escape_character(escaped, &bytes, text + at, length - at);
        mg_sink_add(&w->sink, escaped, more);
    }
}

static void put_plain(meguri_path_writer *w, uint64_t vertex) {
    mg_path_id id = mg_path_id_of(w, vertex);
    if (id.kind != MEGURI_ID_STRING) put_number(&w->sink, &id);
    else put_plain_text(w, id.name, id.length);
}

void mg_path_text(meguri_path_writer *w, const meguri_path *path) {
    char text[MG_REAL_TEXT];
    for (uint64_t i = 0; i <= path->hops && mg_path_goes_on(w, i); i++) {
        if (i > 0) mg_path_text_edge(w, path->edges[i - 1], put_plain_text);
        put_plain(w, path->vertices[i]);
    }
    if (w->status != MEGURI_OK) {
        mg_sink_put(&w->sink, " …\n");
        return;
    }
    mg_sink_put(&w->sink, " (");
    if (w->info.weight_type != MEGURI_TYPE_NONE || w->options.weight)
        mg_sink_format(&w->sink, "cost %s, ", mg_real_text(text, path->cost));
    mg_sink_format(&w->sink, "%s hop%s)\n", mg_thousands(text, path->hops), path->hops == 1 ? "" : "s");
}

static void put_limits(mg_sink *sink, const meguri_path_query *query) {
    char text[MG_REAL_TEXT];
    if (query->max_hops) mg_sink_format(sink, " of at most %s hops", mg_thousands(text, query->max_hops));
    if (query->has_max_cost)
        mg_sink_format(sink, "%s a cost of at most %s", query->max_hops ? " and" : " with",
                       mg_real_text(text, query->max_cost));
}

void mg_path_text_answer(meguri_path_writer *w, const meguri_path_query *query, const meguri_path_answer *answer) {
    char text[MG_REAL_TEXT];
    bool timeout = answer->end == MEGURI_PATH_TIMEOUT;
    if (answer->paths > 0 && !timeout && answer->end != MEGURI_PATH_LIMIT) return;
    if (answer->end == MEGURI_PATH_LIMIT) {
        mg_sink_format(&w->sink, "there may be more: the limit of %s path%s is reached\n",
                       mg_thousands(text, answer->paths), answer->paths == 1 ? "" : "s");
        return;
    }
    mg_sink_put(&w->sink, !timeout            ? "no path from "
                          : answer->paths > 0 ? "there may be more paths from "
                                              : "no path was found from ");
    put_plain(w, query->from);
    mg_sink_put(&w->sink, " to ");
    put_plain(w, query->to);
    put_limits(&w->sink, query);
    if (timeout) mg_sink_format(&w->sink, ": the time of %s s is over", mg_real_text(text, query->timeout));
    mg_sink_char(&w->sink, '\n');
}

/* ---- tables ----------------------------------------------------------------------------------------------------- */

/* A field of a table: quoted where CSV needs it, escaped in TSV as results have it. */
static void put_text_field(meguri_path_writer *w, const char *text, size_t length) {
    mg_sink *sink = &w->sink;
    bool csv = w->form == MG_PATH_FORM_CSV, quotes = false;
    for (size_t i = 0; csv && i < length && !quotes; i++) quotes = strchr(",\"\r\n", text[i]) != NULL;
    if (quotes) mg_sink_char(sink, '"');
    for (size_t i = 0; i < length; i++) {
        char c = text[i];
        if (csv && c == '"') mg_sink_put(sink, "\"\"");
        else if (!csv && c == '\t') mg_sink_put(sink, "\\t");
        else if (!csv && c == '\n') mg_sink_put(sink, "\\n");
        else if (!csv && c == '\r') mg_sink_put(sink, "\\r");
        else if (!csv && c == '\\') mg_sink_put(sink, "\\\\");
        else mg_sink_char(sink, c);
    }
    if (quotes) mg_sink_char(sink, '"');
}

static void put_field(meguri_path_writer *w, uint64_t vertex) {
    mg_path_id id = mg_path_id_of(w, vertex);
    if (id.kind != MEGURI_ID_STRING) put_number(&w->sink, &id);
    else put_text_field(w, id.name, id.length);
}

void mg_path_table_head(meguri_path_writer *w) {
    bool csv = w->form == MG_PATH_FORM_CSV;
    mg_sink_put(&w->sink, csv ? "question,path,step,vertex,edge,cost" : "question\tpath\tstep\tvertex\tedge\tcost");
    mg_path_table_head_columns(w, csv ? ',' : '\t', put_text_field);
    mg_sink_char(&w->sink, '\n');
}

void mg_path_table(meguri_path_writer *w, uint64_t question, const meguri_path *path) {
    char text[MG_REAL_TEXT], gap = w->form == MG_PATH_FORM_CSV ? ',' : '\t';
    for (uint64_t i = 0; i <= path->hops && mg_path_goes_on(w, i); i++) {
        mg_sink_format(&w->sink, "%" PRIu64 "%c%" PRIu64 "%c%" PRIu64 "%c", question, gap, path->index, gap, i, gap);
        put_field(w, path->vertices[i]);
        mg_sink_char(&w->sink, gap);
        if (i > 0) mg_sink_format(&w->sink, "%" PRIu64, path->edges[i - 1]);
        mg_sink_format(&w->sink, "%c%s", gap, mg_real_text(text, path->costs[i]));
        mg_path_table_columns(w, gap, i > 0 ? &path->edges[i - 1] : NULL, path->vertices[i], put_text_field);
        mg_sink_char(&w->sink, '\n');
    }
}
