/* The columns of the edges of a path: ids, types and other values, in every form. */
#include "report/path_writer.h"

#include <math.h>
#include <string.h>

meguri_status mg_path_take_columns(meguri_path_writer *w, meguri_ctx *ctx) {
    meguri_status status = MEGURI_OK;
    for (uint32_t c = 0; c < w->info.edge_columns && status == MEGURI_OK; c++)
        status = mg_graph_column(&w->columns[c], ctx, w->graph, c, true);
    return status;
}

static bool is_real(const mg_column_view *c) {
    return c->what.type == MEGURI_VALUE_F32 || c->what.type == MEGURI_VALUE_F64;
}

static uint64_t whole_of(const mg_column_view *c, uint64_t edge) {
    return mg_value_whole(c->values, mg_value_size((meguri_value_type)c->what.type), edge);
}

static double real_of(const mg_column_view *c, uint64_t edge) {
    return c->what.type == MEGURI_VALUE_F32 ? (double)((const float *)c->values)[edge]
                                            : ((const double *)c->values)[edge];
}

void mg_path_json_columns(meguri_path_writer *w, const meguri_path *path) {
    meguri_json *json = &w->json;
    if (!w->info.edge_columns) return;
    meguri_json_open(json, "columns", '{');
    for (uint32_t c = 0; c < w->info.edge_columns; c++) {
        const mg_column_view *column = &w->columns[c];
        meguri_json_open(json, column->name, '[');
        for (uint64_t i = 0; i < path->hops && mg_path_goes_on(w, i); i++) {
            uint64_t edge = path->edges[i];
            if (column->what.labels) meguri_json_string(json, NULL, column->labels[whole_of(column, edge)]);
            else if (is_real(column)) meguri_json_real(json, NULL, real_of(column, edge));
            else meguri_json_number(json, NULL, whole_of(column, edge));
        }
        meguri_json_close(json, ']');
    }
    meguri_json_close(json, '}');
}

/* A value as text; nothing where it is not a number. */
static void put_value(meguri_path_writer *w, const mg_column_view *column, uint64_t edge, mg_path_put_text *put) {
    char text[MG_REAL_TEXT];
    if (column->what.labels) {
        const char *label = column->labels[whole_of(column, edge)];
        put(w, label, strlen(label));
    } else if (!is_real(column)) {
        mg_sink_add(&w->sink, text, (size_t)(mg_put_u64(text, whole_of(column, edge)) - text));
    } else if (!isnan(real_of(column, edge))) mg_sink_put(&w->sink, mg_real_text(text, real_of(column, edge)));
}

void mg_path_table_columns(meguri_path_writer *w, char gap, const uint64_t *edge, bool head, mg_path_put_text *put) {
    for (uint32_t c = 0; c < w->info.edge_columns; c++) {
        mg_sink_char(&w->sink, gap);
        if (head) put(w, w->columns[c].name, strlen(w->columns[c].name));
        else if (edge) put_value(w, &w->columns[c], *edge, put);
    }
}

/* For people: the type of an edge and its id, where it has them. */
void mg_path_text_edge(meguri_path_writer *w, uint64_t edge, mg_path_put_text *put) {
    bool any = false;
    for (int kind = MEGURI_EDGE_TYPES; kind >= MEGURI_EDGE_IDS; kind--)
        for (uint32_t c = 0; c < w->info.edge_columns; c++) {
            if (w->columns[c].what.kind != kind) continue;
            mg_sink_put(&w->sink, any ? " " : " –[");
            put_value(w, &w->columns[c], edge, put);
            any = true;
        }
    mg_sink_put(&w->sink, any ? "]→ " : " → ");
}
