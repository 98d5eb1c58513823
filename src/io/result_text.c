/* Results as text: a header line, then a line for each vertex, in one of two forms.
 *
 * .tsv: fields separated by tabs; a backslash escapes what would break a line: \t, \n, \r, \0 and \\ in string ids.
 * .csv: RFC 4180, fields separated by commas; a string id is quoted where a comma, a quote, a line end or a blank at
 * either end would change it, and where it is empty. What a vertex lacks is -1 (no vertex, where ids are unsigned),
 * nothing at all (no vertex, where -1 could be an id) or inf. */
#include "io/result.h"

#define NUMBER_BYTES 11 /* of a number and its separator, as they often are: for the size of blocks alone */

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

static char *put_escaped(char *at, const char *name, size_t length) {
    for (size_t i = 0; i < length; i++) {
        char escape = escape_of(name[i]);
        if (escape) *at++ = '\\';
        *at++ = escape ? escape : name[i];
    }
    return at;
}

/* RFC 4180, and blanks at the ends, which some readers drop. An empty field without quotes is no vertex. */
static bool needs_quotes(const char *name, size_t length) {
    if (length == 0 || name[0] == ' ' || name[length - 1] == ' ') return true;
    for (size_t i = 0; i < length; i++)
        if (name[i] == ',' || name[i] == '"' || name[i] == '\n' || name[i] == '\r') return true;
    return false;
}

static char *put_quoted(char *at, const char *name, size_t length) {
    bool quotes = needs_quotes(name, length);
    if (!quotes) return (char *)memcpy(at, name, length) + length;
    *at++ = '"';
    for (size_t i = 0; i < length; i++) {
        if (name[i] == '"') *at++ = '"';
        *at++ = name[i];
    }
    *at++ = '"';
    return at;
}

/* Bytes of a name as a field, at most. */
static inline size_t name_room(size_t length) { return 2 * length + 2; }

static inline char *put_name(char *at, const mg_result_rows *how, const char *name, size_t length) {
    return how->separator == ',' ? put_quoted(at, name, length) : put_escaped(at, name, length);
}

static inline char *put_id(char *at, const mg_result_rows *how, uint64_t vertex) {
    const mg_result_job *job = how->job;
    if (mg_result_has_names(job))
        return put_name(at, how, job->names + job->name_offsets[vertex], (size_t)mg_result_name_bytes(job, vertex));
    uint64_t id = mg_result_id(job, vertex);
    return job->graph->id_kind == MEGURI_ID_SIGNED ? mg_put_i64(at, (int64_t)id) : mg_put_u64(at, id);
}

static inline char *put_vertex(char *at, const mg_result_rows *how, uint32_t vertex) {
    if (vertex != MG_NO_VERTEX) return put_id(at, how, vertex);
    return how->job->graph->id_kind == MEGURI_ID_UNSIGNED ? (char *)memcpy(at, "-1", 2) + 2 : at;
}

static inline char *put_distance(char *at, uint64_t value) {
    return value == UINT64_MAX ? (char *)memcpy(at, "inf", 3) + 3 : mg_put_u64(at, value);
}

static inline char *put_item(char *at, const mg_result_rows *how, const meguri_column *column, uint64_t row) {
    const void *item = mg_result_item(column, row);
    switch (column->type) {
    case MEGURI_TYPE_I8:
    case MEGURI_TYPE_I16:
    case MEGURI_TYPE_I32: return mg_put_i64(at, mg_column_integer(column, item));
    case MEGURI_TYPE_U64: return put_distance(at, *(const uint64_t *)item);
    case MEGURI_TYPE_F64: return mg_put_double(at, how->job->powers, *(const double *)item);
    case MEGURI_TYPE_VERTEX: return put_vertex(at, how, *(const uint32_t *)item);
    default: return at;
    }
}

/* The name of a column, which may hold anything. */
static void put_title(mg_text *text, const mg_result_rows *how, const char *name) {
    size_t length = strlen(name);
    if (!mg_text_need(text, name_room(length) + 1)) return;
    char *at = put_name(text->data + text->used, how, name, length);
    *at++ = how->separator;
    text->used = (size_t)(at - text->data);
}

static void put_head(mg_text *text, const mg_result_rows *how) {
    const mg_result_job *job = how->job;
    if (job->key) put_title(text, how, job->key->name);
    put_title(text, how, "vertex");
    for (uint32_t i = 0; i < job->column_count; i++) put_title(text, how, job->columns[i].name);
    if (!text->failed) text->data[text->used - 1] = '\n';
}

/* Bytes that a field takes at most. */
static inline size_t room_for(const mg_result_job *job, uint64_t vertex) {
    if (!mg_result_has_names(job) || vertex == MG_NO_VERTEX) return MG_DOUBLE_TEXT;
    return MG_MAX((size_t)MG_DOUBLE_TEXT, name_room((size_t)mg_result_name_bytes(job, vertex)));
}

/* A field and what ends it. */
static inline bool add_item(mg_text *text, const mg_result_rows *how, const meguri_column *column, uint64_t row,
                            char end) {
    uint64_t vertex = column->type == MEGURI_TYPE_VERTEX ? mg_result_vertex(column, row) : MG_NO_VERTEX;
    if (!mg_text_need(text, room_for(how->job, vertex) + 1)) return false;
    char *at = put_item(text->data + text->used, how, column, row);
    *at++ = end;
    text->used = (size_t)(at - text->data);
    return true;
}

static bool add_row(mg_text *text, const mg_result_rows *how, uint64_t row) {
    const mg_result_job *job = how->job;
    const char gap = how->separator;
    if (job->key && !add_item(text, how, job->key, row, gap)) return false;
    if (!mg_text_need(text, room_for(job, row) + 1)) return false;
    char *at = put_id(text->data + text->used, how, row);
    *at++ = job->column_count ? gap : '\n';
    text->used = (size_t)(at - text->data);
    for (uint32_t i = 0; i < job->column_count; i++)
        if (!add_item(text, how, &job->columns[i], row, i + 1 < job->column_count ? gap : '\n')) return false;
    return true;
}

static bool add_rows(mg_text *text, const mg_result_rows *how, mg_range rows) {
    for (uint64_t row = rows.begin; row < rows.end; row++)
        if (!add_row(text, how, row)) return false;
    return true;
}

static meguri_status rows_of_text(mg_result_rows *out, const mg_result_job *job, char separator) {
    uint64_t names = job->key ? 2 : 1, fields = names + job->column_count;
    for (uint32_t i = 0; i < job->column_count; i++) names += job->columns[i].type == MEGURI_TYPE_VERTEX;
    if (!mg_result_has_names(job)) names = 0;
    *out = (mg_result_rows){.job = job, .add = add_rows, .head.ctx = job->ctx, .separator = separator};
    out->block_rows = mg_result_block_rows(job, fields * NUMBER_BYTES, names);
    put_head(&out->head, out);
    return out->head.failed ? MEGURI_NO_MEMORY : MEGURI_OK;
}

meguri_status mg_result_rows_tsv(mg_result_rows *out, const mg_result_job *job) { return rows_of_text(out, job, '\t'); }
meguri_status mg_result_rows_csv(mg_result_rows *out, const mg_result_job *job) { return rows_of_text(out, job, ','); }
