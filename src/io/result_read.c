/* meguri_result_read: a file that meguri_result_write has written, as a result of its graph again (docs/results.md).
 * What the formats share; each has a file of its own. */
#include "io/result_read.h"

#include <inttypes.h>
#include <stdlib.h>

enum { LOOK = 1024 }; /* columns between two looks at whether the user has had enough */

/* ---- columns ---------------------------------------------------------------------------------------------------- */

meguri_type mg_read_known_type(const char *name) {
    static const struct {
        const char *name;
        meguri_type type;
    } known[] = {{"level", MEGURI_TYPE_I32},        {"core", MEGURI_TYPE_I32},       {"parent", MEGURI_TYPE_VERTEX},
                 {"component", MEGURI_TYPE_VERTEX}, {"label", MEGURI_TYPE_VERTEX},   {"rank", MEGURI_TYPE_F64},
                 {"score", MEGURI_TYPE_F64},        {"coefficient", MEGURI_TYPE_F64}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        size_t length = strlen(known[i].name);
        if (strncmp(name, known[i].name, length) != 0) continue;
        const char *rest = name + length; /* parent_3 is one, too */
        if (!*rest) return known[i].type;
        if (*rest++ != '_' || !*rest) continue;
        while (mg_is_digit(*rest)) rest++;
        if (!*rest) return known[i].type;
    }
    return (meguri_type)0;
}

meguri_status mg_read_add_column(mg_result_reader *r, const char *name, size_t length, meguri_type type) {
    if (!length || memchr(name, '\0', length))
        return mg_fail(r->ctx, MEGURI_BAD_INPUT, "%s: a column has no name.", r->input->name);
    if (r->column_count % LOOK == 0 && mg_input_cancelled(r->input)) return mg_fail_cancelled(r->ctx);
    if (r->column_count == r->column_room) {
        uint32_t room = 2 * r->column_room + 4;
        void *grown = mg_resize(r->ctx, r->columns, room * sizeof *r->columns, "the columns of a result");
        if (!grown) return MEGURI_NO_MEMORY;
        r->columns = grown;
        r->column_room = room;
    }
    char *copy = mg_alloc(r->ctx, length + 1, "the name of a column");
    if (!copy) return MEGURI_NO_MEMORY;
    memcpy(copy, name, length);
    copy[length] = '\0';
    r->columns[r->column_count++] = (mg_read_column){.name = copy, .type = type};
    return MEGURI_OK;
}

static meguri_status compare_columns(const mg_result_reader *r) {
    const meguri_result_read_options *o = r->options;
    bool same = o->columns == r->column_count;
    for (uint32_t c = 0; same && c < r->column_count; c++) same = strcmp(o->names[c], r->columns[c].name) == 0;
    if (same) return MEGURI_OK;
    return mg_fail(r->ctx, MEGURI_BAD_INPUT, "%s has other columns than the %u that it is said to have, %s%s first.",
                   r->input->name, o->columns, o->columns ? o->names[0] : "", o->columns > 1 ? " and others" : "");
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* A file may have as many columns as its header has room for: sorted, not compared each with each. */
static meguri_status check_names(const mg_result_reader *r) {
    const char **names = mg_alloc_array(r->ctx, r->column_count, sizeof *names, "the names of columns");
    meguri_status status = names ? MEGURI_OK : MEGURI_NO_MEMORY;
    for (uint32_t c = 0; names && c < r->column_count; c++) names[c] = r->columns[c].name;
    if (names) qsort(names, r->column_count, sizeof *names, by_name);
    for (uint32_t c = 1; status == MEGURI_OK && c < r->column_count; c++)
        if (strcmp(names[c - 1], names[c]) == 0)
            status = mg_fail(r->ctx, MEGURI_BAD_INPUT, "%s has the column %.200s twice.", r->input->name, names[c]);
    mg_free((void *)names);
    return status;
}

meguri_status mg_read_columns_known(mg_result_reader *r) {
    const meguri_result_read_options *o = r->options;
    if (!r->column_count)
        return mg_fail(r->ctx, MEGURI_BAD_INPUT, "%s has no column but the one of the vertices.", r->input->name);
    meguri_status status = check_names(r);
    if (status == MEGURI_OK && o->columns) status = compare_columns(r);
    for (uint32_t c = 0; c < r->column_count && status == MEGURI_OK; c++) {
        mg_read_column *column = &r->columns[c];
        if (c % LOOK == 0 && mg_input_cancelled(r->input)) return mg_fail_cancelled(r->ctx);
        size_t bytes = column->type ? mg_column_size(column->type) : 8;
        column->items = mg_alloc_array(r->ctx, MG_MAX(r->rows, 1u), bytes, "a column of a result");
        if (!column->items) status = MEGURI_NO_MEMORY;
    }
    return status;
}

bool mg_read_scratch(mg_result_reader *r, size_t bytes) {
    return mg_buffer_room(r->ctx, &r->scratch, &r->scratch_room, MG_MAX(bytes, (size_t)256)) == MEGURI_OK;
}

/* ---- ids -------------------------------------------------------------------------------------------------------- */

bool mg_read_is_id(const mg_result_reader *r, uint64_t row, uint64_t id) {
    return row < r->rows && (r->ids.ids ? r->ids.ids[row] : r->graph->id_base + row) == id;
}

bool mg_read_is_name(const mg_result_reader *r, uint64_t row, const char *name, uint64_t length) {
    const uint64_t *offsets = r->ids.offsets;
    if (row >= r->rows || offsets[row + 1] - offsets[row] != length) return false;
    return !length || memcmp(r->ids.names + offsets[row], name, length) == 0;
}

bool mg_read_find_id(uint32_t *vertex, const mg_result_reader *r, uint64_t id) {
    uint64_t found;
    if (!mg_look_up_id(&found, &r->ids, id)) return false;
    *vertex = (uint32_t)found;
    return true;
}

bool mg_read_find_name(uint32_t *vertex, const mg_result_reader *r, const char *name, uint64_t length) {
    uint64_t found;
    if (length > r->longest_name || !mg_look_up_name(&found, &r->ids, name, length)) return false;
    *vertex = (uint32_t)found;
    return true;
}

static meguri_status take_ids(mg_result_reader *r) {
    meguri_status status = mg_graph_id_view(&r->ids, r->ctx, r->graph);
    if (status != MEGURI_OK) return status;
    r->rows = r->graph->vertices;
    for (uint64_t v = 0; mg_read_has_names(r) && v < r->rows; v++)
        r->longest_name = MG_MAX(r->longest_name, r->ids.offsets[v + 1] - r->ids.offsets[v]);
    return MEGURI_OK;
}

/* ---- sentences -------------------------------------------------------------------------------------------------- */

meguri_status mg_read_other_graph(const mg_result_reader *r, const char *place) {
    return mg_fail(r->ctx, MEGURI_BAD_INPUT,
                   "%s: the vertex of this row is not that of the graph, which has %" PRIu64
                   "; give the graph that the result is about.",
                   place, r->rows);
}

meguri_status mg_read_too_few(const mg_result_reader *r, uint64_t rows) {
    return mg_fail(r->ctx, MEGURI_BAD_INPUT,
                   "%s has %" PRIu64 " rows and the graph %" PRIu64
                   " vertices; give the graph that the result is about.",
                   r->input->name, rows, r->rows);
}

meguri_status mg_read_no_vertex(const mg_result_reader *r, const char *place, const mg_read_column *column) {
    return mg_fail(r->ctx, MEGURI_BAD_INPUT, "%s: the column %.200s names a vertex that the graph has not.", place,
                   column->name);
}

/* ---- the whole -------------------------------------------------------------------------------------------------- */

static meguri_status hand_over(meguri_result **out, mg_result_reader *r) {
    meguri_result *result = NULL;
    meguri_status status = mg_result_new(&result, r->ctx);
    for (uint32_t c = 0; c < r->column_count && status == MEGURI_OK; c++) {
        mg_read_column *column = &r->columns[c];
        void *items = column->items;
        if (c % LOOK == 0 && mg_input_cancelled(r->input)) status = mg_fail_cancelled(r->ctx);
        if (status != MEGURI_OK) break;
        column->items = NULL;
        status = mg_result_own(r->ctx, result, items);
        if (status == MEGURI_OK)
            status = mg_result_add_column(r->ctx, result, column->name, column->type, items, r->rows,
                                          mg_column_size(column->type));
    }
    if (status == MEGURI_OK) status = mg_result_set_text(r->ctx, result, "engine", "file");
    if (status == MEGURI_OK) *out = result;
    else meguri_result_free(result);
    return status;
}

meguri_status mg_result_read_input(meguri_result **out, meguri_ctx *ctx, const meguri_graph *graph, mg_input *input,
                                   const mg_result_format *format, const meguri_result_read_options *options) {
    mg_result_reader r = {.ctx = ctx, .graph = graph, .input = input, .options = options};
    meguri_status status = take_ids(&r);
    if (status == MEGURI_OK) status = format->read(&r);
    if (status == MEGURI_OK) status = hand_over(out, &r);
    for (uint32_t c = 0; c < r.column_count; c++) {
        mg_free(r.columns[c].name);
        mg_free(r.columns[c].items);
    }
    mg_free(r.columns);
    mg_free(r.scratch);
    return status;
}

static meguri_status check_options(meguri_ctx *ctx, const meguri_result_read_options *o) {
    if (o->columns && (!o->names || !o->types))
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "%u columns, but no names or no types of them.", o->columns);
    for (uint32_t c = 0; c < o->columns; c++)
        if (!o->names[c] || !*o->names[c] || !mg_type_is_result(o->types[c]))
            return mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                           "column %u to be read has no name, or a type that no column of a file has.", c);
    return MEGURI_OK;
}

meguri_status meguri_result_read(meguri_result **out, meguri_ctx *ctx, const meguri_graph *graph, const char *path,
                                 const meguri_result_read_options *options) {
    if (out) *out = NULL;
    if (!out || !ctx || !graph || !path) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    meguri_result_read_options o = {0};
    mg_input input = {.fd = -1};
    meguri_status status = MG_OPTIONS(ctx, &o, options, meguri_result_read_options);
    if (status == MEGURI_OK) status = mg_graph_whole(ctx, graph);
    if (status == MEGURI_OK) status = check_options(ctx, &o);
    if (status != MEGURI_OK) return status;
    mg_compression compression;
    const mg_result_format *format = mg_result_find_format(path, &compression);
    if (!format || (!format->text && compression != MG_PLAIN))
        return mg_fail(
            ctx, MEGURI_BAD_ARGUMENT,
            "the name %s is not that of a result: it ends in .tsv or .csv (with .gz, .zst or .xz behind it or "
            "not), .npy or .bin.",
            path);
    status = mg_input_open(&input, ctx, path);
    if (status == MEGURI_OK) status = mg_result_read_input(out, ctx, graph, &input, format, &o);
    mg_input_close(&input);
    return status;
}
