/* The columns of the edges of a path, and of its vertices: ids, types and other values, in every form. */
#include "report/path_writer.h"

#include <math.h>
#include <string.h>

static meguri_status take_column(meguri_path_writer *w, meguri_ctx *ctx, uint32_t column) {
    return mg_graph_column(&w->columns[w->column_count++], ctx, w->graph, column, true);
}

/* Those that were asked for by name, in this order. */
static meguri_status take_named(meguri_path_writer *w, meguri_ctx *ctx) {
    const meguri_path_writer_options *o = &w->options;
    meguri_status status = MEGURI_OK;
    for (uint32_t i = 0; i < o->column_count && status == MEGURI_OK; i++) {
        uint32_t column;
        if (!o->columns[i]) return mg_missing(ctx, "meguri_path_writer_new");
        for (uint32_t before = 0; before < i; before++)
            if (strcmp(o->columns[before], o->columns[i]) == 0)
                return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "columns: the column '%.200s' is named twice.", o->columns[i]);
        status = meguri_graph_find_edge_column(&column, ctx, w->graph, o->columns[i]);
        if (status == MEGURI_OK) status = take_column(w, ctx, column);
    }
    return status;
}

/* For people: types and ids, the type first. */
static meguri_status take_marks(meguri_path_writer *w, meguri_ctx *ctx) {
    meguri_status status = MEGURI_OK;
    for (int kind = MEGURI_COLUMN_TYPES; kind >= MEGURI_COLUMN_IDS && status == MEGURI_OK; kind--) {
        uint32_t column;
        status = mg_graph_column_of_kind(&column, ctx, w->graph, (meguri_column_kind)kind);
        if (status == MEGURI_OK && column < w->info.edge_columns) status = take_column(w, ctx, column);
    }
    return status;
}

meguri_status mg_path_take_columns(meguri_path_writer *w, meguri_ctx *ctx) {
    w->columns = mg_alloc_array(ctx, w->info.edge_columns, sizeof *w->columns, "the columns of edges");
    w->vertex_columns =
        mg_alloc_array(ctx, w->info.vertex_columns, sizeof *w->vertex_columns, "the columns of vertices");
    meguri_status status = w->columns && w->vertex_columns ? MEGURI_OK : MEGURI_NO_MEMORY;
    if (status != MEGURI_OK) return status;
    if (w->options.columns) status = take_named(w, ctx);
    else if (w->form == MG_PATH_FORM_TEXT) status = take_marks(w, ctx);
    else
        for (uint32_t c = 0; c < w->info.edge_columns && status == MEGURI_OK; c++) status = take_column(w, ctx, c);
    if (status == MEGURI_OK && w->column_count) status = mg_graph_edge_numbers(&w->numbers, ctx, w->graph);
    for (uint32_t c = 0; c < w->info.vertex_columns && status == MEGURI_OK; c++)
        status = mg_column_of(&w->vertex_columns[c], ctx, w->graph, MG_OF_VERTICES, c, true);
    return status;
}

static bool is_real(const mg_column_view *c) { return mg_type_is_real(mg_code_type(c->what.code)); }

static uint64_t whole_of(const mg_column_view *c, uint64_t item) {
    return mg_value_whole(c->values, meguri_type_bytes(mg_code_type(c->what.code)), item);
}

static double real_of(const mg_column_view *c, uint64_t item) {
    return mg_code_type(c->what.code) == MEGURI_TYPE_F32 ? (double)((const float *)c->values)[item]
                                                         : ((const double *)c->values)[item];
}

/* Values of edges lie by arc. */
static uint64_t arc_of(const meguri_path_writer *w, uint64_t edge) { return mg_arc_of_edge(&w->numbers, edge, NULL); }

static int64_t signed_of(const mg_column_view *c, uint64_t item) {
    return mg_value_signed(c->values, meguri_type_bytes(mg_code_type(c->what.code)), item);
}

static bool is_none(const mg_column_view *c, uint64_t item) {
    return mg_code_type(c->what.code) == MEGURI_TYPE_VERTEX && whole_of(c, item) == UINT64_MAX;
}

static void put_json_whole(meguri_json *json, const mg_column_view *c, uint64_t item) {
    meguri_type type = mg_code_type(c->what.code);
    if (type == MEGURI_TYPE_BOOLEAN) meguri_json_bool(json, NULL, whole_of(c, item) != 0);
    else if (is_none(c, item)) meguri_json_null(json, NULL);
    else if (mg_type_is_signed(type)) meguri_json_signed(json, NULL, signed_of(c, item));
    else meguri_json_number(json, NULL, whole_of(c, item));
}

/* Of the edges of a path, or of its vertices. */
static void json_values(meguri_path_writer *w, const meguri_path *path, mg_column_set set) {
    meguri_json *json = &w->json;
    const mg_column_view *columns = set ? w->vertex_columns : w->columns;
    uint32_t count = set ? w->info.vertex_columns : w->column_count;
    uint64_t length = set ? path->hops + 1 : path->hops;
    if (!count) return;
    meguri_json_open(json, set ? "vertex_columns" : "columns", '{');
    for (const mg_column_view *column = columns; column < columns + count; column++) {
        meguri_json_open(json, column->name, '[');
        for (uint64_t i = 0; i < length && mg_path_goes_on(w, i); i++) {
            uint64_t item = set ? path->vertices[i] : arc_of(w, path->edges[i]);
            if (!mg_column_has(column, item)) meguri_json_null(json, NULL);
            else if (column->what.labels) meguri_json_string(json, NULL, column->labels[whole_of(column, item)]);
            else if (is_real(column)) meguri_json_real(json, NULL, real_of(column, item));
            else put_json_whole(json, column, item);
        }
        meguri_json_close(json, ']');
    }
    meguri_json_close(json, '}');
}

void mg_path_json_columns(meguri_path_writer *w, const meguri_path *path) {
    json_values(w, path, MG_OF_EDGES);
    json_values(w, path, MG_OF_VERTICES);
}

/* A value as text; nothing where it is missing or not a number. */
static void put_value(meguri_path_writer *w, const mg_column_view *column, uint64_t item, mg_path_put_text *put) {
    char text[MG_REAL_TEXT];
    meguri_type type = mg_code_type(column->what.code);
    if (!mg_column_has(column, item) || is_none(column, item)) return;
    if (column->what.labels) {
        const char *label = column->labels[whole_of(column, item)];
        put(w, label, strlen(label));
    } else if (type == MEGURI_TYPE_BOOLEAN) {
        mg_sink_put(&w->sink, whole_of(column, item) ? "true" : "false");
    } else if (mg_type_is_signed(type)) {
        mg_sink_add(&w->sink, text, (size_t)(mg_put_i64(text, signed_of(column, item)) - text));
    } else if (!is_real(column)) {
        mg_sink_add(&w->sink, text, (size_t)(mg_put_u64(text, whole_of(column, item)) - text));
    } else if (!isnan(real_of(column, item))) mg_sink_put(&w->sink, mg_real_text(text, real_of(column, item)));
}

void mg_path_table_head_columns(meguri_path_writer *w, char gap, mg_path_put_text *put) {
    for (uint32_t c = 0; c < w->column_count; c++) {
        mg_sink_char(&w->sink, gap);
        put(w, w->columns[c].name, strlen(w->columns[c].name));
    }
    for (uint32_t c = 0; c < w->info.vertex_columns; c++) { /* edges may have a column of the same name */
        mg_text name = {.ctx = w->sink.ctx};                /* as one field, quoted whole if need be */
        mg_text_format(&name, "vertex_");
        mg_text_add(&name, w->vertex_columns[c].name, strlen(w->vertex_columns[c].name));
        mg_sink_char(&w->sink, gap);
        if (!name.failed) put(w, name.data, name.used);
        else if (w->sink.status == MEGURI_OK) w->sink.status = MEGURI_NO_MEMORY;
        mg_text_free(&name);
    }
}

void mg_path_table_columns(meguri_path_writer *w, char gap, const uint64_t *edge, uint64_t vertex,
                           mg_path_put_text *put) {
    for (uint32_t c = 0; c < w->column_count; c++) {
        mg_sink_char(&w->sink, gap);
        if (edge) put_value(w, &w->columns[c], arc_of(w, *edge), put);
    }
    for (uint32_t c = 0; c < w->info.vertex_columns; c++) {
        mg_sink_char(&w->sink, gap);
        put_value(w, &w->vertex_columns[c], vertex, put);
    }
}

/* For people: types and ids as they are, other columns with their names. */
void mg_path_text_edge(meguri_path_writer *w, uint64_t edge, mg_path_put_text *put) {
    for (uint32_t c = 0; c < w->column_count; c++) {
        mg_sink_put(&w->sink, c ? " " : " –[");
        if (w->columns[c].what.kind == MEGURI_COLUMN_VALUES) {
            put(w, w->columns[c].name, strlen(w->columns[c].name));
            mg_sink_char(&w->sink, '=');
        }
        put_value(w, &w->columns[c], arc_of(w, edge), put);
    }
    mg_sink_put(&w->sink, w->column_count ? "]→ " : " → ");
}
