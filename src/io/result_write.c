/* meguri_result_write: one row for each vertex, in the user's ids and order, in the format that the suffix names
 * (docs/results.md). What the formats share is got ready here; each has a file of its own. */
#include "io/result.h"

#include <inttypes.h>

/* Where names differ much in length, blocks of the mean size are kept from growing without bound by the longest. */
uint64_t mg_result_block_rows(const mg_result_job *job, uint64_t bytes, uint64_t names) {
    uint64_t mean = names && job->rows ? job->name_offsets[job->rows] / job->rows : 0;
    uint64_t usual = MG_RESULT_BLOCK / (bytes + names * mean);
    uint64_t safe = 16 * MG_RESULT_BLOCK / (bytes + names * job->longest_name);
    return MG_MAX(MG_MIN(usual, safe), 1u);
}

void mg_result_put_ids(char *at, const mg_result_job *job, const meguri_column *column, mg_range rows, size_t stride) {
    for (uint64_t row = rows.begin; row < rows.end; row++, at += stride) {
        uint64_t vertex = mg_result_vertex(column, row);
        uint64_t id = vertex == MG_NO_VERTEX ? job->none : mg_result_id(job, vertex);
        memcpy(at, &id, sizeof id);
    }
}

/* A size that the compiler knows makes each copy a plain load and store. */
#define COPY_ITEMS(bytes)                                                                                              \
    for (uint64_t row = rows.begin; row < rows.end; row++, at += stride) memcpy(at, mg_result_item(column, row), bytes);

void mg_result_put_numbers(char *at, const meguri_column *column, mg_range rows, size_t stride) {
    size_t bytes = mg_column_size(column->type);
    if (column->item_bytes < bytes) { /* levels */
        for (uint64_t row = rows.begin; row < rows.end; row++, at += stride) {
            int32_t level = (int32_t)mg_column_integer(column, mg_result_item(column, row));
            memcpy(at, &level, sizeof level);
        }
        return;
    }
    if (stride == bytes && column->stride == bytes) {
        memcpy(at, mg_result_item(column, rows.begin), (size_t)(rows.end - rows.begin) * bytes);
        return;
    }
    switch (bytes) {
    case 1: COPY_ITEMS(1); break;
    case 2: COPY_ITEMS(2); break;
    case 4: COPY_ITEMS(4); break;
    case 8: COPY_ITEMS(8); break;
    }
}

/* ---- which format ----------------------------------------------------------------------------------------------- */

static const mg_result_format formats[] = {
    {".tsv", true, mg_result_rows_tsv, mg_result_read_tsv},
    {".csv", true, mg_result_rows_csv, mg_result_read_csv},
    {".npy", false, mg_result_rows_npy, mg_result_read_npy},
    {".bin", false, NULL, mg_result_read_bin},
};

const mg_result_format *mg_result_find_format(const char *path, mg_compression *compression) {
    size_t length = mg_uncompressed_name(compression, path);
    if (strcmp(path, "-") == 0) return &formats[0]; /* standard output, or input */
    for (const mg_result_format *f = formats; f < formats + sizeof formats / sizeof *formats; f++)
        if (mg_ends_with(path, length, f->suffix)) return f;
    return NULL;
}

meguri_status mg_result_choose(const mg_result_format **out, mg_compression *compression, meguri_ctx *ctx,
                               const char *path) {
    const mg_result_format *f = *out = mg_result_find_format(path, compression);
    if (f && (f->text || *compression == MG_PLAIN)) return MEGURI_OK;
    return mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                   "cannot write %s: a result is written as .tsv or .csv (with .gz, .zst or .xz after it if you like), "
                   ".npy (NumPy) or .bin (raw columns), not compressed; give one of these suffixes, or - for standard "
                   "output.",
                   path);
}

meguri_status mg_result_output(mg_output *out, meguri_ctx *ctx, const meguri_sink *sink, const char *function) {
    meguri_status status = mg_output_of(out, ctx, sink, false, function);
    if (status == MEGURI_OK && !*out->form && out->write) out->form = "-";
    return status;
}

meguri_status mg_result_check_path(meguri_ctx *ctx, const char *path) {
    const mg_result_format *format;
    mg_compression compression;
    return mg_result_choose(&format, &compression, ctx, path);
}

meguri_status meguri_result_check_path(meguri_ctx *ctx, const char *path) {
    if (!ctx || !path) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    return mg_result_check_path(ctx, path);
}

/* ---- what the result and the graph have ------------------------------------------------------------------------- */

static meguri_status get_columns(mg_result_job *job, const meguri_result *result) {
    uint32_t count = meguri_result_column_count(result);
    job->columns = mg_alloc_array(job->ctx, count, sizeof *job->columns, "the columns of a result");
    if (!job->columns) return MEGURI_NO_MEMORY;
    job->column_count = count;
    meguri_status status = MEGURI_OK;
    for (uint32_t i = 0; i < count && status == MEGURI_OK; i++) {
        meguri_column *c = &job->columns[i];
        c->size = sizeof *c;
        status = meguri_result_column_at(c, result, i);
        if (status == MEGURI_OK) status = mg_result_check_column(job, c);
    }
    return status;
}

/* The column has an item for each vertex of the graph. */
static uint64_t count_wrong(const void *what, uint64_t begin, uint64_t end) {
    const meguri_column *column = what;
    uint64_t wrong = 0;
    for (uint64_t row = begin; row < end; row++) {
        uint64_t vertex = mg_result_vertex(column, row);
        wrong += vertex >= column->count && vertex != MG_NO_VERTEX;
    }
    return wrong;
}

/* A number that is neither a vertex of the graph nor none would read beyond the ids. */
static meguri_status check_vertices(const mg_result_job *job, const meguri_column *column) {
    uint64_t wrong = mg_sum_over(job->ctx, mg_threads(job->ctx, job->rows, 1 << 16), job->rows, count_wrong, column);
    if (wrong == 0) return MEGURI_OK;
    return mg_fail(job->ctx, MEGURI_BAD_ARGUMENT,
                   "the column %s names %" PRIu64 " vertices that the graph has not: give the graph that the result is "
                   "about.",
                   column->name, wrong);
}

meguri_status mg_result_check_column(const mg_result_job *job, const meguri_column *column) {
    if (column->count != job->rows)
        return mg_fail(job->ctx, MEGURI_BAD_ARGUMENT,
                       "the column %s has %" PRIu64 " items and the graph %" PRIu64
                       " vertices: give the graph that the result is about.",
                       column->name, column->count, job->rows);
    return column->type == MEGURI_TYPE_VERTEX ? check_vertices(job, column) : MEGURI_OK;
}

static void lengthen(void *what, uint64_t begin, uint64_t end) {
    mg_result_job *job = what;
    uint64_t longest = 0;
    for (uint64_t v = begin; v < end; v++) longest = MG_MAX(longest, mg_result_name_bytes(job, v));
    mg_atomic_max_u64(&job->longest_name, longest);
}

static meguri_status get_ids(mg_result_job *job) {
    const meguri_graph *g = job->graph;
    const void *ids, *offsets, *names;
    meguri_status status = mg_graph_part(&ids, job->ctx, g, MG_PART_IDS);
    if (status == MEGURI_OK) status = mg_graph_part(&offsets, job->ctx, g, MG_PART_NAME_OFFSETS);
    if (status == MEGURI_OK) status = mg_graph_part(&names, job->ctx, g, MG_PART_NAMES);
    if (status != MEGURI_OK) return status;
    job->ids = ids;
    if (g->id_kind == MEGURI_ID_STRING) {
        job->name_offsets = offsets;
        job->names = names;
        job->longest_name = 0;
        mg_for(job->ctx, mg_threads(job->ctx, job->rows, 1 << 16), job->rows, lengthen, job);
        return MEGURI_OK;
    }
    bool is_signed = g->id_kind == MEGURI_ID_SIGNED;
    job->none = is_signed ? (uint64_t)INT64_MIN : UINT64_MAX;
    job->narrow = job->rows == 0 || mg_result_id(job, job->rows - 1) <= (uint64_t)INT64_MAX; /* ids increase */
    return MEGURI_OK;
}

/* ---- none or one? ----------------------------------------------------------------------------------------------- */

static bool has_vertex_columns(const mg_result_job *job) {
    for (uint32_t i = 0; i < job->column_count; i++)
        if (job->columns[i].type == MEGURI_TYPE_VERTEX) return true;
    return false;
}

static uint64_t count_empty(const void *what, uint64_t begin, uint64_t end) {
    uint64_t empty = 0;
    for (uint64_t v = begin; v < end; v++) empty += mg_result_name_bytes(what, v) == 0;
    return empty;
}

static bool has_empty_name(const mg_result_job *job) {
    return mg_sum_over(job->ctx, mg_threads(job->ctx, job->rows, 1 << 16), job->rows, count_empty, job) > 0;
}

/* What stands for no vertex can be an id: the first of signed ones, the last of unsigned ones, an empty string. Then
 * other columns have to tell which it is, and whoever reads the file should know. */
static void warn_of_confusion(const mg_result_job *job, const mg_result_format *format) {
    const meguri_graph *g = job->graph;
    if (job->rows == 0 || !has_vertex_columns(job)) return;
    const char *what = NULL;
    if (mg_result_has_names(job)) {
        if (has_empty_name(job)) what = "an empty id";
    } else if (!format->text) {
        if (g->id_kind == MEGURI_ID_SIGNED && mg_result_id(job, 0) == job->none) what = "the id -9223372036854775808";
        if (g->id_kind == MEGURI_ID_UNSIGNED && mg_result_id(job, job->rows - 1) == job->none)
            what = "the id 18446744073709551615";
    }
    if (what)
        mg_log(job->ctx, MEGURI_LOG_WARNING, "%s: a vertex has %s, which also stands for no vertex in this file%s.",
               job->path, what, mg_result_has_names(job) ? "" : "; write .tsv, where they differ");
}

meguri_status mg_result_prepare(mg_result_job *job, const mg_result_format *format) {
    meguri_status status = get_ids(job);
    for (uint32_t i = 0; i < job->column_count && status == MEGURI_OK; i++)
        if (job->columns[i].type == MEGURI_TYPE_F64 && !job->powers) status = mg_powers_new(&job->powers, job->ctx);
    if (status == MEGURI_OK) warn_of_confusion(job, format);
    return status;
}

/* ---- the file --------------------------------------------------------------------------------------------------- */

static meguri_status make_block(mg_text *text, const void *what, void *own, uint64_t block) {
    (void)own;
    const mg_result_rows *how = what;
    if (block == 0 && !how->job->key) mg_text_add(text, how->head.data, how->head.used);
    return how->add(text, how, mg_result_block(how->job, how->block_rows, block)) ? MEGURI_OK : MEGURI_NO_MEMORY;
}

mg_blocks mg_result_rows_blocks(const mg_result_rows *how) {
    return (mg_blocks){.ctx = how->job->ctx,
                       .count = mg_result_block_count(how->job, how->block_rows),
                       .items = how->job->rows,
                       .job = how,
                       .make = make_block};
}

static meguri_status write_rows(const mg_result_job *job, mg_outfile *file, const mg_result_format *format,
                                mg_compression compression) {
    mg_result_rows how;
    meguri_status status = format->rows(&how, job);
    if (status == MEGURI_OK && how.row_bytes)
        status = mg_outfile_reserve(job->ctx, file, how.head.used + job->rows * how.row_bytes);
    if (status == MEGURI_OK) {
        mg_blocks blocks = mg_result_rows_blocks(&how);
        status = mg_write_blocks(&blocks, file, compression);
    }
    mg_text_free(&how.head);
    return status;
}

meguri_status meguri_result_write(meguri_ctx *ctx, const meguri_result *result, const meguri_graph *graph,
                                  const meguri_sink *sink, const meguri_result_write_options *options) {
    meguri_result_write_options o;
    mg_output output;
    if (!ctx) return MEGURI_BAD_ARGUMENT;
    mg_begin(ctx);
    if (!result || !graph) return mg_missing(ctx, __func__);
    meguri_status status = MG_OPTIONS(ctx, &o, options, meguri_result_write_options);
    if (status == MEGURI_OK) status = mg_result_output(&output, ctx, sink, __func__);
    if (status == MEGURI_OK && graph->elsewhere && (!output.path || *output.suffix))
        status = mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                         "write, form: results of a graph in parts are written to a file, whose suffix is their form.");
    if (status != MEGURI_OK) return status;
    if (graph->elsewhere) return graph->elsewhere->write(ctx, graph->parts, result, output.path);
    const mg_result_format *format;
    mg_compression compression;
    uint64_t rows = graph->vertices;
    mg_result_job job = {.ctx = ctx, .graph = graph, .path = output.name, .rows = rows, .all_rows = rows, .results = 1};
    mg_outfile file = {.fd = -1};
    double start = mg_now();
    status = mg_result_choose(&format, &compression, ctx, output.form);
    if (status == MEGURI_OK) status = get_columns(&job, result);
    if (status == MEGURI_OK) status = mg_result_prepare(&job, format);
    if (status == MEGURI_OK) status = mg_outfile_open_output(&file, ctx, &output);
    if (status != MEGURI_OK) goto cleanup;
    status = format->rows ? write_rows(&job, &file, format, compression) : mg_result_write_bin(&job, &file);
    if (status == MEGURI_OK) status = mg_outfile_commit(ctx, &file);
    if (status == MEGURI_OK) mg_trace_phase(ctx, "write", NULL, -1, -1, start);
cleanup:
    mg_outfile_abandon(&file);
    mg_powers_free(job.powers);
    mg_free(job.columns);
    return status;
}
