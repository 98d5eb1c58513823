/* meguri_result_stream: many results in one table, written as they come (docs/results.md).
 *
 * Rows are made as those of one result are (result_tsv.c, result_npy.c), with a column before them that is the same for
 * all rows of a result. Small results are collected until they fill a block, so that compression has something to work
 * on; large ones are cut into blocks, which all threads make. Either way the bytes depend on the results alone. The
 * room that the table needs is known before the first of them, exactly or at least, and the disk is asked for it. */
#include "io/result.h"

#include <inttypes.h>

#define MOST_COLUMNS 65536

struct meguri_result_stream {
    mg_claim claim;
    mg_result_job job; /* with the names of its columns owned */
    meguri_column key;
    uint32_t key_vertex;
    mg_result_rows how;
    mg_compression compression;
    mg_outfile file;
    mg_text pending, compressed; /* not written yet; its compressed form */
    uint64_t added;
    bool broken; /* something could not be written */
};

/* ---- how large the file will be --------------------------------------------------------------------------------- */

/* Bytes of the id of a vertex in text, at least: escapes are not counted. */
static uint64_t id_text_bytes(const mg_result_job *job, uint64_t vertex) {
    char text[MG_INTEGER_TEXT + 1];
    if (mg_result_has_names(job)) return mg_result_name_bytes(job, vertex);
    uint64_t id = mg_result_id(job, vertex);
    bool is_signed = job->graph->id_kind == MEGURI_ID_SIGNED;
    return (uint64_t)((is_signed ? mg_put_i64(text, (int64_t)id) : mg_put_u64(text, id)) - text);
}

typedef struct id_texts {
    const mg_result_job *job;
    uint64_t all, shortest; /* bytes */
} id_texts;

static void measure_ids(void *what, uint64_t begin, uint64_t end) {
    id_texts *ids = what;
    uint64_t all = 0, shortest = UINT64_MAX;
    for (uint64_t v = begin; v < end; v++) {
        uint64_t bytes = id_text_bytes(ids->job, v);
        all += bytes;
        shortest = MG_MIN(shortest, bytes);
    }
    mg_fetch_add(&ids->all, all);
    mg_atomic_min_u64(&ids->shortest, shortest);
}

/* Of the rows of one result in text, at least. */
static uint64_t least_text_bytes(const mg_result_job *job) {
    id_texts ids = {.job = job, .shortest = UINT64_MAX};
    uint64_t each = 2; /* the ends of the key and of the id */
    mg_for(job->ctx, mg_threads(job->ctx, job->rows, 1 << 16), job->rows, measure_ids, &ids);
    for (uint32_t i = 0; i < job->column_count; i++) {
        bool may_be_nothing = job->columns[i].type == MEGURI_TYPE_VERTEX && job->graph->id_kind != MEGURI_ID_UNSIGNED;
        each += may_be_nothing ? 1 : 2;
    }
    return job->rows ? ids.all + job->rows * (ids.shortest + each) : 0;
}

/* Of the whole file, exactly for .npy, else at least; 0 where nothing is known. */
static uint64_t least_bytes(const meguri_result_stream *s) {
    uint64_t bytes;
    if (s->compression != MG_PLAIN) return 0;
    uint64_t of_result = s->how.row_bytes ? s->job.rows * s->how.row_bytes : least_text_bytes(&s->job);
    if (__builtin_mul_overflow(of_result, s->job.results, &bytes)) return UINT64_MAX;
    return bytes > UINT64_MAX - s->how.head.used ? UINT64_MAX : bytes + s->how.head.used;
}

/* ---- opening ---------------------------------------------------------------------------------------------------- */

static meguri_status copy_columns(mg_result_job *job, const meguri_result_table *table) {
    job->columns = mg_alloc_array_zero(job->ctx, table->columns, sizeof *job->columns, "the columns of a table");
    if (!job->columns) return MEGURI_NO_MEMORY;
    job->column_count = table->columns;
    for (uint32_t i = 0; i < table->columns; i++) {
        meguri_column *c = &job->columns[i];
        c->type = table->types[i];
        c->item_bytes = (uint32_t)mg_column_size(c->type);
        if (!mg_type_is_result(c->type))
            return mg_fail(job->ctx, MEGURI_BAD_ARGUMENT, "%d is no type of a column.", (int)c->type);
        if (!(c->name = mg_strdup(job->ctx, table->names[i], "the name of a column"))) return MEGURI_NO_MEMORY;
    }
    return MEGURI_OK;
}

static meguri_status choose(const mg_result_format **out, mg_compression *compression, meguri_ctx *ctx,
                            const char *path) {
    *out = mg_result_find_format(path, compression);
    if (*out && (*out)->rows && ((*out)->text || *compression == MG_PLAIN)) return MEGURI_OK;
    return mg_fail(
        ctx, MEGURI_BAD_ARGUMENT,
        "cannot write %s: a table of many results is written as .tsv or .csv (with .gz, .zst or .xz after it "
        "if you like) or .npy (NumPy); give one of these suffixes, or - for standard output.",
        path);
}

meguri_status meguri_result_stream_check_path(meguri_ctx *ctx, const char *path) {
    const mg_result_format *format;
    mg_compression compression;
    if (!ctx || !path) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    return choose(&format, &compression, ctx, path);
}

static meguri_status get_ready(meguri_result_stream *s, const meguri_result_table *table, const mg_output *output) {
    const mg_result_format *format;
    mg_result_job *job = &s->job;
    meguri_status status = choose(&format, &s->compression, job->ctx, output->form);
    if (status == MEGURI_OK) status = copy_columns(job, table);
    s->key = (meguri_column){.type = MEGURI_TYPE_VERTEX, .count = job->rows, .data = &s->key_vertex};
    if (status == MEGURI_OK && !(s->key.name = mg_strdup(job->ctx, table->key, "the name of a column")))
        status = MEGURI_NO_MEMORY;
    if (status == MEGURI_OK) status = mg_result_prepare(job, format);
    return status == MEGURI_OK ? format->rows(&s->how, job) : status;
}

static meguri_status begin_file(meguri_result_stream *s, meguri_ctx *ctx, const mg_output *output) {
    uint64_t bytes = least_bytes(s);
    meguri_status status = mg_outfile_open_output(&s->file, ctx, output);
    if (status == MEGURI_OK) status = mg_outfile_expect(ctx, &s->file, bytes);
    if (status == MEGURI_OK && s->how.row_bytes) status = mg_outfile_reserve(ctx, &s->file, bytes);
    if (status != MEGURI_OK) return status;
    mg_text_add(&s->pending, s->how.head.data, s->how.head.used);
    return s->pending.failed ? MEGURI_NO_MEMORY : MEGURI_OK;
}

meguri_status meguri_result_stream_open(meguri_result_stream **out, meguri_ctx *ctx, const meguri_graph *graph,
                                        const meguri_sink *sink, const meguri_result_table *table) {
    if (!out || !ctx) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    *out = NULL;
    meguri_result_table t;
    mg_output output;
    meguri_status status = mg_options(ctx, &t, sizeof t, table, "meguri_result_table");
    if (status != MEGURI_OK) return status;
    status = mg_result_output(&output, ctx, sink, __func__);
    if (status != MEGURI_OK) return status;
    if (!graph || !t.key || (t.columns && (!t.names || !t.types)))
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                       "meguri_result_stream_open needs a graph and the name of the first column.");
    if (t.columns > MOST_COLUMNS)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "a table of %" PRIu32 " columns is not possible: %d are the most.",
                       t.columns, MOST_COLUMNS);
    for (uint32_t i = 0; i < t.columns; i++)
        if (!t.names[i]) return mg_missing(ctx, __func__);
    meguri_result_stream *s = mg_alloc_zero(ctx, sizeof *s, "a table of results");
    if (!s) return MEGURI_NO_MEMORY;
    s->job = (mg_result_job){.ctx = ctx,
                             .graph = mg_graph_hold(graph),
                             .key = &s->key,
                             .rows = graph->vertices,
                             .all_rows = graph->vertices,
                             .results = t.results};
    s->file.fd = -1;
    s->pending.ctx = s->compressed.ctx = ctx;
    char *name = mg_strdup(ctx, output.name, "the name of a file");
    s->job.path = name;
    status = name ? get_ready(s, &t, &output) : MEGURI_NO_MEMORY;
    if (status == MEGURI_OK) status = begin_file(s, ctx, &output);
    if (status == MEGURI_OK) *out = s;
    else meguri_result_stream_free(s);
    return status;
}

/* ---- adding ----------------------------------------------------------------------------------------------------- */

static meguri_status write_pending(meguri_result_stream *s) {
    const mg_text *text = &s->pending;
    meguri_status status = MEGURI_OK;
    if (s->compression != MG_PLAIN) {
        s->compressed.used = 0;
        status = mg_compress(&s->compressed, s->job.ctx, s->compression, text->data, text->used);
        text = &s->compressed;
    }
    if (status == MEGURI_OK) status = mg_outfile_write(s->job.ctx, &s->file, text->data, text->used);
    s->pending.used = 0;
    return status;
}

/* Points the columns of the job to those of a result, which must be the ones that were promised. */
static meguri_status take_columns(mg_result_job *job, const meguri_result *result) {
    uint32_t count = meguri_result_column_count(result);
    if (count != job->column_count)
        return mg_fail(job->ctx, MEGURI_BAD_ARGUMENT, "the result has %" PRIu32 " columns and the table %" PRIu32 ".",
                       count, job->column_count);
    for (uint32_t i = 0; i < count; i++) {
        meguri_column c = {.size = sizeof c}, *promised = &job->columns[i];
        meguri_status status = meguri_result_column_at(&c, result, i);
        if (status != MEGURI_OK) return status;
        if (c.type != promised->type || strcmp(c.name, promised->name) != 0)
            return mg_fail(job->ctx, MEGURI_BAD_ARGUMENT,
                           "column %" PRIu32 " of the result is %s, and of the table %s%s.", i, c.name, promised->name,
                           c.type != promised->type ? ", of another type" : "");
        status = mg_result_check_column(job, &c);
        if (status != MEGURI_OK) return status;
        c.name = promised->name;
        *promised = c;
    }
    return MEGURI_OK;
}

static meguri_status add_rows(meguri_result_stream *s) {
    mg_blocks blocks = mg_result_rows_blocks(&s->how);
    meguri_status status = MEGURI_OK;
    if (blocks.count == 1) {
        if (mg_progress(s->job.ctx, "write", s->added, s->job.results)) return mg_fail_cancelled(s->job.ctx);
        status = blocks.make(&s->pending, blocks.job, NULL, 0);
        return status == MEGURI_OK && s->pending.used >= MG_RESULT_BLOCK ? write_pending(s) : status;
    }
    if (s->pending.used) status = write_pending(s); /* the head */
    return status == MEGURI_OK ? mg_write_blocks(&blocks, &s->file, s->compression) : status;
}

static meguri_status add_result(meguri_ctx *ctx, meguri_result_stream *s, uint64_t key, const meguri_result *result) {
    if (!ctx) return MEGURI_BAD_ARGUMENT;
    mg_begin(ctx);
    if (!s || !result) return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "meguri_result_stream_add needs a table and a result.");
    if (s->broken) return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "an earlier result could not be added to %s.", s->job.path);
    if (s->added == s->job.results)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "all %" PRIu64 " results of %s are there already.", s->added,
                       s->job.path);
    if (key >= s->job.rows)
        return mg_fail(ctx, MEGURI_NOT_FOUND, "there is no vertex %" PRIu64 " in a graph of %" PRIu64 ".", key,
                       s->job.rows);
    s->key_vertex = (uint32_t)key;
    meguri_status status = take_columns(&s->job, result);
    if (status == MEGURI_OK) status = add_rows(s);
    if (status == MEGURI_OK) s->added++;
    else s->broken = true;
    return status;
}

meguri_status meguri_result_stream_add(meguri_ctx *ctx, meguri_result_stream *s, uint64_t key,
                                       const meguri_result *result) {
    if (!ctx || !s) return add_result(ctx, s, key, result); /* which says what is missing */
    meguri_status status = mg_claim_for(ctx, &s->claim, "table of results");
    if (status != MEGURI_OK) return status;
    status = add_result(ctx, s, key, result);
    mg_claim_end(&s->claim);
    return status;
}

/* ---- the end ---------------------------------------------------------------------------------------------------- */

static meguri_status finish(meguri_ctx *ctx, meguri_result_stream *s) {
    if (!ctx) return MEGURI_BAD_ARGUMENT;
    mg_begin(ctx);
    if (!s) return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "meguri_result_stream_finish needs a table.");
    if (s->broken || s->added != s->job.results)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "%s has only %" PRIu64 " of its %" PRIu64 " results.", s->job.path,
                       s->added, s->job.results);
    double start = mg_now();
    s->broken = true; /* nothing can be added any more */
    meguri_status status = s->pending.used ? write_pending(s) : MEGURI_OK;
    if (status == MEGURI_OK) status = mg_outfile_commit(ctx, &s->file);
    if (status == MEGURI_OK) mg_trace_phase(ctx, "write", NULL, -1, -1, start);
    return status;
}

meguri_status meguri_result_stream_finish(meguri_ctx *ctx, meguri_result_stream *s) {
    if (!ctx || !s) return finish(ctx, s); /* which says what is missing */
    meguri_status status = mg_claim_for(ctx, &s->claim, "table of results");
    if (status != MEGURI_OK) return status;
    status = finish(ctx, s);
    mg_claim_end(&s->claim);
    return status;
}

void meguri_result_stream_free(meguri_result_stream *s) {
    if (!s) return;
    mg_outfile_abandon(&s->file);
    mg_powers_free(s->job.powers);
    for (uint32_t i = 0; i < s->job.column_count; i++) mg_free((void *)s->job.columns[i].name);
    mg_free(s->job.columns);
    mg_free((void *)s->key.name);
    mg_free((void *)s->job.path);
    mg_text_free(&s->how.head);
    mg_text_free(&s->pending);
    mg_text_free(&s->compressed);
    mg_graph_let_go(s->job.graph);
    mg_free(s);
}
