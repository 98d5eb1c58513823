/* meguri_table: tables whose rows are not vertices one after another, written as their rows come (docs/results.md).
 *
 * Fields look as they do in results (result_tsv.c, result_npy.c). Rows are collected until they fill a block, which is
 * compressed as a whole, so the bytes depend on the rows alone. */
#include "io/result.h"

#include <inttypes.h>
#include <meguri/extra/table.h>

#define MOST_COLUMNS ((uint64_t)1 << 32)

typedef enum form { FORM_TSV, FORM_CSV, FORM_NPY, FORM_BIN } form;

static const struct {
    const char *suffix;
    form form;
} forms[] = {{".tsv", FORM_TSV}, {".csv", FORM_CSV}, {".npy", FORM_NPY}, {".bin", FORM_BIN}};

struct meguri_table {
    mg_claim claim;
    mg_result_job job; /* ids and powers alone */
    form form;
    mg_compression compression;
    bool matrix;
    uint64_t rows, columns, added;
    meguri_type *types;         /* of each column, or one for all of a matrix */
    size_t id_bytes, row_bytes; /* of .npy and .bin */
    mg_outfile file;
    mg_text pending, compressed; /* not written yet; its compressed form */
    bool broken;                 /* something could not be written */
};

/* ---- which form ------------------------------------------------------------------------------------------------- */

static meguri_status choose(form *out, mg_compression *compression, meguri_ctx *ctx, const char *path, bool matrix) {
    size_t length = mg_uncompressed_name(compression, path);
    bool found = strcmp(path, "-") == 0;
    *out = FORM_TSV;
    if (found) *compression = MG_PLAIN;
    for (size_t i = 0; i < sizeof forms / sizeof *forms && !found; i++)
        if (mg_ends_with(path, length, forms[i].suffix) && (matrix || forms[i].form != FORM_BIN)) {
            *out = forms[i].form;
            found = true;
        }
    const char *binary = matrix ? ", .npy (NumPy) or .bin (raw rows)" : " or .npy (NumPy)";
    if (found && (*out <= FORM_CSV || *compression == MG_PLAIN)) return MEGURI_OK;
    return mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                   "cannot write %s: this table is written as .tsv or .csv (with .gz, .zst or .xz after it if you "
                   "like)%s; give one of these suffixes, or - for standard output.",
                   path, binary);
}

meguri_status meguri_table_check_path(meguri_ctx *ctx, const char *path, int matrix) {
    form chosen;
    mg_compression compression;
    if (!ctx || !path) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    return choose(&chosen, &compression, ctx, path, matrix != 0);
}

/* ---- fields ----------------------------------------------------------------------------------------------------- */

static void put_name(mg_text *text, form to, const char *name, size_t length) {
    if (to == FORM_CSV) {
        mg_write_csv_name(text, name, length);
        return;
    }
    static const char plain[] = {'\t', '\n', '\r', '\0', '\\'}, escaped[] = {'t', 'n', 'r', '0', '\\'};
    for (size_t i = 0; i < length; i++) {
        const char *special = memchr(plain, name[i], sizeof plain);
        if (special) mg_text_add(text, (const char[]){'\\', escaped[special - plain]}, 2);
        else mg_text_add(text, &name[i], 1);
    }
}

static void put_id(meguri_table *t, uint64_t vertex) {
    const mg_result_job *job = &t->job;
    mg_text *text = &t->pending;
    if (mg_result_has_names(job)) {
        put_name(text, t->form, job->names + job->name_offsets[vertex], (size_t)mg_result_name_bytes(job, vertex));
        return;
    }
    if (!mg_text_need(text, MG_INTEGER_TEXT)) return;
    char *at = text->data + text->used;
    uint64_t id = mg_result_id(job, vertex);
    char *end = job->graph->id_kind == MEGURI_ID_SIGNED ? mg_put_i64(at, (int64_t)id) : mg_put_u64(at, id);
    text->used += (size_t)(end - at);
}

static void put_number(meguri_table *t, meguri_type type, uint64_t item) {
    mg_text *text = &t->pending;
    double real;
    if (!mg_text_need(text, MG_DOUBLE_TEXT)) return;
    memcpy(&real, &item, sizeof real);
    char *at = text->data + text->used, *end;
    if (type == MEGURI_TYPE_F64) end = mg_put_double(at, t->job.powers, real);
    else if (item == UINT64_MAX) end = (char *)memcpy(at, "inf", 3) + 3;
    else end = mg_put_u64(at, item);
    text->used += (size_t)(end - at);
}

static void put_raw_id(meguri_table *t, uint64_t vertex) {
    const mg_result_job *job = &t->job;
    mg_text *text = &t->pending;
    uint64_t id = mg_result_has_names(job) ? 0 : mg_result_id(job, vertex);
    if (!mg_result_has_names(job)) {
        mg_text_add(text, (const char *)&id, sizeof id);
        return;
    }
    size_t length = (size_t)mg_result_name_bytes(job, vertex);
    if (!mg_text_need(text, t->id_bytes)) return;
    if (length) memcpy(text->data + text->used, job->names + job->name_offsets[vertex], length);
    memset(text->data + text->used + length, 0, t->id_bytes - length);
    text->used += t->id_bytes;
}

/* ---- how it begins ---------------------------------------------------------------------------------------------- */

static void put_text_head(meguri_table *t, const meguri_table_options *o) {
    const char *separator = t->form == FORM_CSV ? "," : "\t";
    put_name(&t->pending, t->form, o->key, strlen(o->key));
    for (uint64_t i = 0; i < t->columns; i++) {
        mg_text_add(&t->pending, separator, 1);
        if (t->matrix) put_id(t, o->vertices[i]);
        else put_name(&t->pending, t->form, o->names[i], strlen(o->names[i]));
    }
    mg_text_add(&t->pending, "\n", 1);
}

static void put_id_type(mg_text *literal, const meguri_table *t, const char *name) {
    if (mg_result_has_names(&t->job)) mg_text_format(literal, "('%s', '|S%zu'), ", name, t->id_bytes);
    else mg_text_format(literal, "('%s', '<%c8'), ", name, t->job.graph->id_kind == MEGURI_ID_SIGNED ? 'i' : 'u');
}

static meguri_status put_npy_head(meguri_table *t, const meguri_table_options *o) {
    mg_text literal = {.ctx = t->job.ctx};
    mg_text_format(&literal, "{'descr': ");
    if (t->matrix) mg_text_format(&literal, "'<%c8'", *t->types == MEGURI_TYPE_F64 ? 'f' : 'u');
    else {
        mg_text_format(&literal, "[");
        put_id_type(&literal, t, o->key);
        for (uint64_t i = 0; i < t->columns; i++)
            if (t->types[i] == MEGURI_TYPE_VERTEX) put_id_type(&literal, t, o->names[i]);
            else mg_text_format(&literal, "('%s', '<%c8'), ", o->names[i], t->types[i] == MEGURI_TYPE_F64 ? 'f' : 'u');
        mg_text_format(&literal, "]");
    }
    mg_text_format(&literal, ", 'fortran_order': False, 'shape': (%" PRIu64 ",", t->rows);
    if (t->matrix) mg_text_format(&literal, " %" PRIu64, t->columns);
    mg_text_format(&literal, "), }");
    meguri_status status = mg_npy_head(&t->pending, &literal);
    mg_text_free(&literal);
    return status;
}

/* ---- opening ---------------------------------------------------------------------------------------------------- */

static meguri_status check_options(meguri_ctx *ctx, const meguri_graph *graph, const meguri_table_options *o) {
    bool named = o->names && o->types;
    if (!graph || !o->key || (o->columns && !o->vertices && !named))
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                       "meguri_table_open: `graph`, the `key` and what the columns are must not be NULL.");
    if (o->columns >= MOST_COLUMNS)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "a table of %" PRIu64 " columns is not possible.", o->columns);
    meguri_status status = mg_graph_whole(ctx, graph);
    for (uint64_t i = 0; i < o->columns && status == MEGURI_OK; i++) {
        meguri_type type = o->vertices ? o->type : o->types[i];
        bool number = type == MEGURI_TYPE_U64 || type == MEGURI_TYPE_F64;
        if (!number && (o->vertices || type != MEGURI_TYPE_VERTEX))
            return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "%d is not the type of a column of a table.", (int)type);
        if (!o->vertices && !o->names[i]) return mg_missing(ctx, __func__);
        if (o->vertices && o->vertices[i] >= graph->vertices)
            return mg_fail(ctx, MEGURI_NOT_FOUND, "there is no vertex %" PRIu64 " in a graph of %" PRIu64 ".",
                           o->vertices[i], graph->vertices);
    }
    return status;
}

static meguri_status get_ready(meguri_table *t, const meguri_table_options *o) {
    meguri_ctx *ctx = t->job.ctx;
    static const mg_result_format plain = {.text = true};
    uint64_t kept = t->matrix ? 1 : t->columns;
    meguri_status status = mg_result_prepare(&t->job, &plain);
    if (status == MEGURI_OK) status = mg_powers_new(&t->job.powers, ctx);
    if (status != MEGURI_OK) return status;
    t->types = mg_alloc_array(ctx, kept, sizeof *t->types, "the columns of a table");
    if (!t->types) return MEGURI_NO_MEMORY;
    for (uint64_t i = 0; i < kept; i++) t->types[i] = t->matrix ? o->type : o->types[i];
    uint64_t id_bytes = mg_result_has_names(&t->job) ? MG_MAX(t->job.longest_name, 1u) : 8;
    uint64_t row_bytes = t->matrix ? 0 : id_bytes;
    for (uint64_t i = 0; i < t->columns; i++)
        row_bytes += !t->matrix && t->types[i] == MEGURI_TYPE_VERTEX ? id_bytes : 8;
    if (t->form == FORM_NPY && !t->matrix && row_bytes > INT32_MAX)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                       "cannot write %s: its rows would have %" PRIu64
                       " bytes, and NumPy's have less than 2 GiB; write "
                       ".tsv.",
                       t->job.path, row_bytes);
    t->id_bytes = (size_t)id_bytes;
    t->row_bytes = t->form >= FORM_NPY ? (size_t)row_bytes : 0;
    return MEGURI_OK;
}

static meguri_status begin_file(meguri_table *t, const meguri_table_options *o, const mg_output *output) {
    meguri_ctx *ctx = t->job.ctx;
    uint64_t bytes;
    meguri_status status = MEGURI_OK;
    if (t->form <= FORM_CSV) put_text_head(t, o);
    if (t->form == FORM_NPY) status = put_npy_head(t, o);
    if (status == MEGURI_OK && t->pending.failed) status = MEGURI_NO_MEMORY;
    if (status == MEGURI_OK) status = mg_outfile_open_output(&t->file, ctx, output);
    uint64_t each = t->row_bytes ? t->row_bytes : 2 * t->columns + 2; /* in text, at least */
    if (__builtin_mul_overflow(each, t->rows, &bytes)) bytes = UINT64_MAX / 2;
    bytes += t->pending.used;
    if (status == MEGURI_OK && t->compression == MG_PLAIN) status = mg_outfile_expect(ctx, &t->file, bytes);
    if (status == MEGURI_OK && t->row_bytes) status = mg_outfile_reserve(ctx, &t->file, bytes);
    return status;
}

meguri_status meguri_table_open(meguri_table **out, meguri_ctx *ctx, const meguri_graph *graph, const meguri_sink *sink,
                                const meguri_table_options *options) {
    if (!out || !ctx) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    *out = NULL;
    meguri_table_options o;
    mg_output output;
    meguri_status status = MG_OPTIONS(ctx, &o, options, meguri_table_options);
    if (status == MEGURI_OK) status = check_options(ctx, graph, &o);
    if (status == MEGURI_OK) status = mg_result_output(&output, ctx, sink, __func__);
    if (status != MEGURI_OK) return status;
    meguri_table *t = mg_alloc_zero(ctx, sizeof *t, "a table");
    if (!t) return MEGURI_NO_MEMORY;
    t->job = (mg_result_job){.ctx = ctx, .graph = mg_graph_hold(graph), .rows = graph->vertices};
    t->matrix = o.vertices != NULL;
    t->rows = o.rows;
    t->columns = o.columns;
    t->file.fd = -1;
    t->pending.ctx = t->compressed.ctx = ctx;
    char *name = mg_strdup(ctx, output.name, "the name of a file");
    t->job.path = name;
    status = name ? choose(&t->form, &t->compression, ctx, output.form, t->matrix) : MEGURI_NO_MEMORY;
    if (status == MEGURI_OK) status = get_ready(t, &o);
    if (status == MEGURI_OK) status = begin_file(t, &o, &output);
    if (status == MEGURI_OK) *out = t;
    else meguri_table_free(t);
    return status;
}

/* ---- rows ------------------------------------------------------------------------------------------------------- */

static meguri_status write_pending(meguri_table *t) {
    const mg_text *text = &t->pending;
    meguri_status status = MEGURI_OK;
    if (mg_progress(t->job.ctx, "write", t->added, t->rows)) return mg_fail_cancelled(t->job.ctx);
    if (t->compression != MG_PLAIN) {
        t->compressed.used = 0;
        status = mg_compress(&t->compressed, t->job.ctx, t->compression, text->data, text->used);
        text = &t->compressed;
    }
    if (status == MEGURI_OK) status = mg_outfile_write(t->job.ctx, &t->file, text->data, text->used);
    t->pending.used = 0;
    return status;
}

static meguri_status add_text(meguri_table *t, uint64_t vertex, const uint64_t *items) {
    const char *separator = t->form == FORM_CSV ? "," : "\t";
    meguri_status status = MEGURI_OK;
    put_id(t, vertex);
    for (uint64_t i = 0; i < t->columns && status == MEGURI_OK; i++) {
        meguri_type type = t->types[t->matrix ? 0 : i];
        mg_text_add(&t->pending, separator, 1);
        if (type == MEGURI_TYPE_VERTEX) put_id(t, items[i]);
        else put_number(t, type, items[i]);
        if (t->pending.used >= MG_RESULT_BLOCK) status = write_pending(t); /* rows may be long */
    }
    mg_text_add(&t->pending, "\n", 1);
    return status;
}

static void add_raw(meguri_table *t, uint64_t vertex, const uint64_t *items) {
    if (t->matrix) {
        mg_text_add(&t->pending, (const char *)items, (size_t)t->columns * sizeof *items);
        return;
    }
    put_raw_id(t, vertex);
    for (uint64_t i = 0; i < t->columns; i++)
        if (t->types[i] == MEGURI_TYPE_VERTEX) put_raw_id(t, items[i]);
        else mg_text_add(&t->pending, (const char *)&items[i], sizeof items[i]);
}

static meguri_status check_row(meguri_ctx *ctx, const meguri_table *t, uint64_t vertex, const uint64_t *items) {
    uint64_t vertices = t->job.rows, wrong = vertex < vertices ? 0 : vertex;
    bool good = vertex < vertices;
    for (uint64_t i = 0; i < t->columns && good && !t->matrix; i++)
        if (t->types[i] == MEGURI_TYPE_VERTEX && items[i] >= vertices) {
            good = false;
            wrong = items[i];
        }
    if (!good)
        return mg_fail(ctx, MEGURI_NOT_FOUND, "there is no vertex %" PRIu64 " in a graph of %" PRIu64 ".", wrong,
                       vertices);
    if (t->broken || t->added == t->rows)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                       "no row can be added to %s any more: it has %" PRIu64 " of %" PRIu64 ".", t->job.path, t->added,
                       t->rows);
    return MEGURI_OK;
}

static meguri_status add_row(meguri_ctx *ctx, meguri_table *t, uint64_t vertex, const void *items) {
    if (!ctx) return MEGURI_BAD_ARGUMENT;
    mg_begin(ctx);
    if (!t || (!items && t->columns))
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "meguri_table_add: `table` and `items` must not be NULL.");
    meguri_status status = check_row(ctx, t, vertex, items);
    if (status != MEGURI_OK) return status;
    if (t->form <= FORM_CSV) status = add_text(t, vertex, items);
    else add_raw(t, vertex, items);
    if (status == MEGURI_OK && t->pending.failed) status = MEGURI_NO_MEMORY;
    if (status == MEGURI_OK && t->pending.used >= MG_RESULT_BLOCK) status = write_pending(t);
    if (status == MEGURI_OK) t->added++;
    else t->broken = true;
    return status;
}

meguri_status meguri_table_add(meguri_ctx *ctx, meguri_table *t, uint64_t vertex, const void *items) {
    if (!ctx || !t) return add_row(ctx, t, vertex, items); /* which says what is missing */
    meguri_status status = mg_claim_for(ctx, &t->claim, "table");
    if (status != MEGURI_OK) return status;
    status = add_row(ctx, t, vertex, items);
    mg_claim_end(&t->claim);
    return status;
}

/* ---- the end ---------------------------------------------------------------------------------------------------- */

static meguri_status finish(meguri_ctx *ctx, meguri_table *t) {
    if (!ctx) return MEGURI_BAD_ARGUMENT;
    mg_begin(ctx);
    if (!t) return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "meguri_table_finish: `table` must not be NULL.");
    if (t->broken || t->added != t->rows)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "%s has only %" PRIu64 " of its %" PRIu64 " rows.", t->job.path,
                       t->added, t->rows);
    double start = mg_now();
    t->broken = true; /* nothing can be added any more */
    meguri_status status = write_pending(t);
    if (status == MEGURI_OK) status = mg_outfile_commit(ctx, &t->file);
    if (status == MEGURI_OK) mg_trace_phase(ctx, "write", NULL, -1, -1, start);
    return status;
}

meguri_status meguri_table_finish(meguri_ctx *ctx, meguri_table *t) {
    if (!ctx || !t) return finish(ctx, t); /* which says what is missing */
    meguri_status status = mg_claim_for(ctx, &t->claim, "table");
    if (status != MEGURI_OK) return status;
    status = finish(ctx, t);
    mg_claim_end(&t->claim);
    return status;
}

void meguri_table_free(meguri_table *t) {
    if (!t) return;
    mg_outfile_abandon(&t->file);
    mg_powers_free(t->job.powers);
    mg_free((void *)t->job.path);
    mg_free(t->types);
    mg_text_free(&t->pending);
    mg_text_free(&t->compressed);
    mg_graph_let_go(t->job.graph);
    mg_free(t);
}
