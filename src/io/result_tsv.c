/* Results as text: a header line, then a line for each vertex, fields separated by tabs.
 *
 * The backslash escapes what would break a line: \t, \n, \r, \0 and \\ in string ids. What a vertex has not is -1
 * (no vertex, where ids are unsigned), nothing at all (no vertex, where -1 could be an id) or inf. */
#include "io/result.h"

#define NUMBER_BYTES 11 /* of a number and a tab, as they often are: for the size of blocks alone */

static char escape_of(char c) {
    switch (c) {
    case '\t': return 't';
    case '\n': return 'n';
    case '\r': return 'r';
    case '\0': return '0';
    case '\\': return '\\';
    default: return 0;
    }
}

/* There is room for twice the bytes of the name. */
static char *put_name(char *at, const mg_result_job *job, uint64_t vertex) {
    const char *name = job->names + job->name_offsets[vertex];
    uint64_t length = mg_result_name_bytes(job, vertex);
    for (uint64_t i = 0; i < length; i++) {
        char escape = escape_of(name[i]);
        if (escape) *at++ = '\\';
        *at++ = escape ? escape : name[i];
    }
    return at;
}

static inline char *put_id(char *at, const mg_result_job *job, uint64_t vertex) {
    if (mg_result_has_names(job)) return put_name(at, job, vertex);
    uint64_t id = mg_result_id(job, vertex);
    return job->graph->id_kind == MEGURI_ID_SIGNED ? mg_put_i64(at, (int64_t)id) : mg_put_u64(at, id);
}

static inline char *put_vertex(char *at, const mg_result_job *job, uint32_t vertex) {
    if (vertex != MEGURI_NO_VERTEX) return put_id(at, job, vertex);
    return job->graph->id_kind == MEGURI_ID_UNSIGNED ? (char *)memcpy(at, "-1", 2) + 2 : at;
}

static inline char *put_distance(char *at, uint64_t value) {
    return value == UINT64_MAX ? (char *)memcpy(at, "inf", 3) + 3 : mg_put_u64(at, value);
}

static inline char *put_item(char *at, const mg_result_job *job, const meguri_column *column, uint64_t row) {
    const void *item = mg_result_item(column, row);
    switch (column->type) {
    case MEGURI_COLUMN_I8: return mg_put_i64(at, *(const int8_t *)item);
    case MEGURI_COLUMN_I16: return mg_put_i64(at, *(const int16_t *)item);
    case MEGURI_COLUMN_I32: return mg_put_i64(at, *(const int32_t *)item);
    case MEGURI_COLUMN_U64: return put_distance(at, *(const uint64_t *)item);
    case MEGURI_COLUMN_F64: return mg_put_double(at, job->powers, *(const double *)item);
    case MEGURI_COLUMN_VERTEX: return put_vertex(at, job, *(const uint32_t *)item);
    case MEGURI_COLUMN_VERTEX64: break; /* of graphs in parts, where a process has places for what it names */
    }
    return at;
}

static void put_head(mg_text *text, const mg_result_job *job) {
    if (job->key) mg_text_format(text, "%s\t", job->key->name);
    mg_text_format(text, "vertex");
    for (uint32_t i = 0; i < job->column_count; i++) mg_text_format(text, "\t%s", job->columns[i].name);
    mg_text_add(text, "\n", 1);
}

/* Bytes that a field takes at most; escapes may double a name. */
static inline size_t room_for(const mg_result_job *job, uint64_t vertex) {
    if (!mg_result_has_names(job) || vertex == MEGURI_NO_VERTEX) return MG_DOUBLE_TEXT;
    return MG_MAX((size_t)MG_DOUBLE_TEXT, 2 * (size_t)mg_result_name_bytes(job, vertex));
}

/* A field and what ends it. */
static inline bool add_item(mg_text *text, const mg_result_job *job, const meguri_column *column, uint64_t row,
                            char end) {
    uint64_t vertex = column->type == MEGURI_COLUMN_VERTEX ? mg_result_vertex(column, row) : MEGURI_NO_VERTEX;
    if (!mg_text_need(text, room_for(job, vertex) + 1)) return false;
    char *at = put_item(text->data + text->used, job, column, row);
    *at++ = end;
    text->used = (size_t)(at - text->data);
    return true;
}

static bool add_row(mg_text *text, const mg_result_job *job, uint64_t row) {
    if (job->key && !add_item(text, job, job->key, row, '\t')) return false;
    if (!mg_text_need(text, room_for(job, row) + 1)) return false;
    char *at = put_id(text->data + text->used, job, row);
    *at++ = job->column_count ? '\t' : '\n';
    text->used = (size_t)(at - text->data);
    for (uint32_t i = 0; i < job->column_count; i++)
        if (!add_item(text, job, &job->columns[i], row, i + 1 < job->column_count ? '\t' : '\n')) return false;
    return true;
}

static bool add_rows(mg_text *text, const mg_result_rows *how, mg_range rows) {
    for (uint64_t row = rows.begin; row < rows.end; row++)
        if (!add_row(text, how->job, row)) return false;
    return true;
}

meguri_status mg_result_rows_tsv(mg_result_rows *out, const mg_result_job *job) {
    uint64_t names = job->key ? 2 : 1, fields = names + job->column_count;
    for (uint32_t i = 0; i < job->column_count; i++) names += job->columns[i].type == MEGURI_COLUMN_VERTEX;
    if (!mg_result_has_names(job)) names = 0;
    *out = (mg_result_rows){.job = job, .add = add_rows, .head.ctx = job->ctx};
    out->block_rows = mg_result_block_rows(job, fields * NUMBER_BYTES, names);
    put_head(&out->head, job);
    return out->head.failed ? MEGURI_NO_MEMORY : MEGURI_OK;
}
