/* Columns of edges and of vertices, once they are in a graph: what they are called, and their values. */
#include "graph/internal.h"

#include <inttypes.h>
#include <meguri/extra/words.h>
#include <stdlib.h>

const char *meguri_column_kind_name(meguri_column_kind kind) {
    static const char *const names[] = {"values", "ids", "types"};
    return (unsigned)kind < sizeof names / sizeof *names ? names[kind] : "unknown";
}

/* ---- what they are ---------------------------------------------------------------------------------------------- */

static const char *const owners[] = {"edges", "vertices"};

static const char *column_trouble(const mg_column *c) {
    meguri_type type = mg_code_type(c->code);
    bool whole = mg_type_is_unsigned(type) || mg_type_is_signed(type);
    if (!mg_type_is_column(type) || type == MEGURI_TYPE_TEXT || c->kind > MEGURI_COLUMN_TYPES ||
        c->flags > MG_COLUMN_TEXT)
        return "hold a type or a kind that is not known";
    if (c->labels && (!mg_type_is_unsigned(type) || type == MEGURI_TYPE_U64))
        return "have names for values that cannot have any";
    if ((c->kind == MEGURI_COLUMN_IDS || c->kind == MEGURI_COLUMN_TYPES) && !whole)
        return "have ids or types that are no whole numbers";
    return NULL;
}

/* That the texts are as many as they should be, and the last one ends. */
static bool texts_fit(const char *texts, uint64_t bytes, uint64_t wanted) {
    uint64_t ends = 0;
    for (const char *p = texts; p && p < texts + bytes; p++) {
        p = memchr(p, 0, bytes - (uint64_t)(p - texts));
        if (!p) return false;
        ends++;
    }
    return ends == wanted;
}

const char *mg_columns_trouble(const meguri_graph *graph, mg_column_set set) {
    const mg_column *columns = graph->part[mg_columns_part(set)].data;
    uint32_t count = mg_columns_count(graph, set);
    uint64_t texts = 0, kinds[3] = {0};
    for (uint32_t c = 0; c < count; c++) {
        const char *trouble = column_trouble(&columns[c]);
        if (trouble) return trouble;
        size_t size = meguri_type_bytes(mg_code_type(columns[c].code));
        if (graph->part[mg_column_part(graph, set, c, MG_COLUMN_VALUES)].bytes != mg_columns_items(graph, set) * size)
            return "have values of another size";
        texts += 1 + (uint64_t)columns[c].labels;
        kinds[columns[c].kind]++;
    }
    if (kinds[MEGURI_COLUMN_IDS] > 1 || kinds[MEGURI_COLUMN_TYPES] > 1) return "have ids or types twice";
    const mg_part_data *text = &graph->part[mg_columns_texts(set)];
    return texts_fit(text->data, text->bytes, texts) ? NULL : "have too few names, or too many";
}

/* The texts one by one, found at the first use. */
static meguri_status find_texts(meguri_ctx *ctx, const meguri_graph *graph, mg_column_set set, const mg_column *columns,
                                const char *text) {
    meguri_graph *g = (meguri_graph *)graph; /* made once, within the gate */
    uint64_t count = 0;
    for (uint32_t c = 0; c < mg_columns_count(graph, set); c++) count += 1 + (uint64_t)columns[c].labels;
    MG_ENTERED(entered);
    meguri_status status = mg_gate_enter(&entered, ctx, &g->gate, "the graph");
    if (status != MEGURI_OK) return status;
    if (!g->column_texts[set]) {
        const char **texts = mg_alloc_array(ctx, count, sizeof *texts, "the names of columns");
        for (uint64_t i = 0; texts && i < count; i++, text += strlen(text) + 1) texts[i] = text;
        __atomic_store_n(&g->column_texts[set], texts, __ATOMIC_RELEASE);
    }
    return g->column_texts[set] ? MEGURI_OK : MEGURI_NO_MEMORY;
}

meguri_status mg_column_of(mg_column_view *out, meguri_ctx *ctx, const meguri_graph *graph, mg_column_set set,
                           uint32_t column, bool values) {
    const void *columns, *texts, *data = NULL, *validity = NULL;
    if (graph->view_of) graph = graph->view_of;
    meguri_status status = mg_graph_whole(ctx, graph);
    if (status != MEGURI_OK) return status;
    if (column >= mg_columns_count(graph, set))
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                       "there is no column %" PRIu32 ": the %s of this graph have %" PRIu32 ".", column, owners[set],
                       mg_columns_count(graph, set));
    status = mg_graph_part(&columns, ctx, graph, mg_columns_part(set));
    if (status == MEGURI_OK) status = mg_graph_part(&texts, ctx, graph, mg_columns_texts(set));
    if (status == MEGURI_OK && values)
        status = mg_graph_part(&data, ctx, graph, mg_column_part(graph, set, column, MG_COLUMN_VALUES));
    if (status == MEGURI_OK && values)
        status = mg_graph_part(&validity, ctx, graph, mg_column_part(graph, set, column, MG_COLUMN_VALIDITY));
    if (status == MEGURI_OK && !__atomic_load_n(&graph->column_texts[set], __ATOMIC_ACQUIRE))
        status = find_texts(ctx, graph, set, columns, texts);
    if (status != MEGURI_OK) return status;
    const mg_column *what = columns;
    uint64_t at = 0;
    for (uint32_t c = 0; c < column; c++) at += 1 + (uint64_t)what[c].labels;
    const char **all = graph->column_texts[set];
    *out = (mg_column_view){.what = what[column],
                            .name = all[at],
                            .labels = (const char *const *)all + at + 1,
                            .values = data,
                            .validity = validity};
    return MEGURI_OK;
}

meguri_status mg_graph_column(mg_column_view *out, meguri_ctx *ctx, const meguri_graph *graph, uint32_t column,
                              bool values) {
    return mg_column_of(out, ctx, graph, MG_OF_EDGES, column, values);
}

meguri_status mg_graph_column_of_kind(uint32_t *column, meguri_ctx *ctx, const meguri_graph *graph,
                                      meguri_column_kind kind) {
    const void *data;
    *column = MG_NO_SUCH_COLUMN;
    meguri_status status = mg_graph_part(&data, ctx, graph, MG_PART_COLUMNS);
    const mg_column *columns = data;
    for (uint32_t c = 0; status == MEGURI_OK && c < mg_graph_column_count(graph); c++)
        if (columns[c].kind == kind) *column = c;
    return status;
}

static meguri_status describe(meguri_column_info *out, meguri_ctx *ctx, const meguri_graph *graph, mg_column_set set,
                              uint32_t column, const char *function) {
    if (!out || !ctx || !graph) return mg_missing(ctx, function);
    mg_begin(ctx);
    mg_column_view view = {.name = NULL};
    meguri_status status = mg_column_of(&view, ctx, graph, set, column, false);
    if (status != MEGURI_OK) return status;
    meguri_type type = mg_code_type(view.what.code);
    bool text = view.what.flags & MG_COLUMN_TEXT;
    mg_part validity = mg_column_part(graph, set, column, MG_COLUMN_VALIDITY);
    meguri_column_info info = {.size = out->size,
                               .name = view.name,
                               .kind = (meguri_column_kind)view.what.kind,
                               .type = text ? MEGURI_TYPE_TEXT : type,
                               .nullable = graph->part[validity].data != NULL,
                               .item_bytes = (uint32_t)meguri_type_bytes(type),
                               .label_count = view.what.labels};
    return mg_hand_out(ctx, out, sizeof info, &info, "meguri_column_info");
}

meguri_status mg_column_find(uint32_t *column, meguri_ctx *ctx, const meguri_graph *graph, mg_column_set set,
                             const char *name) {
    meguri_status status = mg_graph_whole(ctx, graph);
    if (status != MEGURI_OK) return status;
    mg_similar similar;
    char hint[MG_SIMILAR_TEXT];
    mg_similar_start(&similar, name, true);
    for (uint32_t c = 0; c < mg_columns_count(graph, set); c++) {
        mg_column_view view = {.name = NULL};
        status = mg_column_of(&view, ctx, graph, set, c, false);
        if (status != MEGURI_OK) return status;
        mg_similar_see(&similar, view.name, strlen(view.name));
        if (strcmp(view.name, name) != 0) continue;
        *column = c;
        return MEGURI_OK;
    }
    mg_similar_text(hint, sizeof hint, &similar, "");
    return mg_fail(ctx, MEGURI_NOT_FOUND, "the %s of this graph have no column '%.200s'%s", owners[set], name, hint);
}

static meguri_status find(uint32_t *column, meguri_ctx *ctx, const meguri_graph *graph, mg_column_set set,
                          const char *name, const char *function) {
    if (!column || !ctx || !graph || !name) return mg_missing(ctx, function);
    mg_begin(ctx);
    return mg_column_find(column, ctx, graph, set, name);
}

static meguri_status label_of(const char **out, meguri_ctx *ctx, const meguri_graph *graph, mg_column_set set,
                              uint32_t column, uint64_t value, const char *function) {
    if (!out || !ctx || !graph) return mg_missing(ctx, function);
    mg_begin(ctx);
    mg_column_view view = {.name = NULL};
    meguri_status status = mg_column_of(&view, ctx, graph, set, column, false);
    if (status != MEGURI_OK) return status;
    if (value >= view.what.labels)
        return mg_fail(ctx, MEGURI_NOT_FOUND, "the value %" PRIu64 " of the column \"%s\" has no name.", value,
                       view.name);
    *out = view.labels[value];
    return MEGURI_OK;
}

meguri_status meguri_graph_edge_column(meguri_column_info *out, meguri_ctx *ctx, const meguri_graph *graph,
                                       uint32_t column) {
    return describe(out, ctx, graph, MG_OF_EDGES, column, __func__);
}

meguri_status meguri_graph_vertex_column(meguri_column_info *out, meguri_ctx *ctx, const meguri_graph *graph,
                                         uint32_t column) {
    return describe(out, ctx, graph, MG_OF_VERTICES, column, __func__);
}

meguri_status meguri_graph_find_edge_column(uint32_t *column, meguri_ctx *ctx, const meguri_graph *graph,
                                            const char *name) {
    return find(column, ctx, graph, MG_OF_EDGES, name, __func__);
}

meguri_status meguri_graph_find_vertex_column(uint32_t *column, meguri_ctx *ctx, const meguri_graph *graph,
                                              const char *name) {
    return find(column, ctx, graph, MG_OF_VERTICES, name, __func__);
}

meguri_status meguri_graph_edge_label(const char **out, meguri_ctx *ctx, const meguri_graph *graph, uint32_t column,
                                      uint64_t value) {
    return label_of(out, ctx, graph, MG_OF_EDGES, column, value, __func__);
}

meguri_status meguri_graph_vertex_label(const char **out, meguri_ctx *ctx, const meguri_graph *graph, uint32_t column,
                                        uint64_t value) {
    return label_of(out, ctx, graph, MG_OF_VERTICES, column, value, __func__);
}

meguri_status meguri_graph_find_edge_label(uint64_t *value, meguri_ctx *ctx, const meguri_graph *graph, uint32_t column,
                                           const char *label) {
    if (!value || !ctx || !graph || !label) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    mg_column_view view = {.name = NULL};
    meguri_status status = mg_graph_column(&view, ctx, graph, column, false);
    if (status != MEGURI_OK) return status;
    for (uint32_t i = 0; i < view.what.labels; i++)
        if (strcmp(view.labels[i], label) == 0) {
            *value = i;
            return MEGURI_OK;
        }
    char hint[MG_SIMILAR_TEXT];
    meguri_did_you_mean(hint, sizeof hint, label, view.labels, view.what.labels, "");
    return mg_fail(ctx, MEGURI_NOT_FOUND, "no value of the column '%s' has the name '%.200s'%s", view.name, label,
                   hint);
}

/* ---- values by vertex ------------------------------------------------------------------------------------------- */

static meguri_status values_of(void *values, uint8_t *validity, uint64_t capacity, uint64_t *count, meguri_ctx *ctx,
                               const meguri_graph *graph, uint64_t vertex, uint32_t column, mg_rows_fn *get_rows,
                               const char *function) {
    if (!ctx || !graph || !count || (!values && capacity)) return mg_missing(ctx, function);
    mg_begin(ctx);
    mg_row_view row;
    mg_column_view view = {.name = NULL};
    meguri_status status = mg_graph_column(&view, ctx, graph, column, true);
    if (status == MEGURI_OK) status = mg_graph_row(&row, ctx, graph, vertex, get_rows, capacity > 0, function);
    if (status != MEGURI_OK) return status;
    *count = row.degree;
    size_t size = meguri_type_bytes(mg_code_type(view.what.code));
    for (uint64_t i = 0; i < MG_MIN(row.degree, capacity); i++) {
        uint64_t arc = mg_row_out_arc(&row.rows, row.begin + row.neighbors[i].place);
        memcpy((char *)values + i * size, (const char *)view.values + arc * size, size);
        if (validity) mg_bit_put(validity, i, mg_column_has(&view, arc));
    }
    mg_free(row.neighbors);
    return MEGURI_OK;
}

meguri_status meguri_graph_neighbor_values(void *values, uint8_t *validity, uint64_t capacity, uint64_t *count,
                                           meguri_ctx *ctx, const meguri_graph *graph, uint64_t vertex,
                                           uint32_t column) {
    return values_of(values, validity, capacity, count, ctx, graph, vertex, column, mg_graph_rows, __func__);
}

meguri_status meguri_graph_in_neighbor_values(void *values, uint8_t *validity, uint64_t capacity, uint64_t *count,
                                              meguri_ctx *ctx, const meguri_graph *graph, uint64_t vertex,
                                              uint32_t column) {
    return values_of(values, validity, capacity, count, ctx, graph, vertex, column, mg_graph_in_rows, __func__);
}

static meguri_status vertex_validity(uint8_t *validity, meguri_ctx *ctx, const meguri_graph *graph, uint32_t column,
                                     uint64_t first, uint64_t count) {
    const void *data;
    meguri_status status =
        mg_graph_part_range(&data, ctx, graph, mg_column_part(graph, MG_OF_VERTICES, column, MG_COLUMN_VALIDITY),
                            first / 8, mg_bits_bytes(first + count));
    for (uint64_t i = 0; i < count && status == MEGURI_OK; i++)
        mg_bit_put(validity, i, !data || mg_bit_at(data, first % 8 + i));
    return status;
}

meguri_status meguri_graph_vertex_values(void *values, uint8_t *validity, meguri_ctx *ctx, const meguri_graph *graph,
                                         uint32_t column, uint64_t first, uint64_t count) {
    if (!ctx || !graph || (!values && count)) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    mg_column_view view = {.name = NULL};
    const void *data;
    meguri_status status = mg_column_of(&view, ctx, graph, MG_OF_VERTICES, column, false);
    if (status != MEGURI_OK) return status;
    if (first > graph->vertices || count > graph->vertices - first)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                       "values of %" PRIu64 " vertices from %" PRIu64 " on: the graph has %" PRIu64 ".", count, first,
                       graph->vertices);
    size_t size = meguri_type_bytes(mg_code_type(view.what.code));
    status = mg_graph_part_range(&data, ctx, graph, mg_column_part(graph, MG_OF_VERTICES, column, MG_COLUMN_VALUES),
                                 first * size, (first + count) * size);
    if (status != MEGURI_OK || !count) return status;
    memcpy(values, data, count * size);
    return validity ? vertex_validity(validity, ctx, graph, column, first, count) : MEGURI_OK;
}
