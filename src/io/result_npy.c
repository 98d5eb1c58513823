/* Results as one structured array of NumPy, format 1.0 (2.0 where the header is longer than 65,535 bytes): a magic
 * string, the length of the header, the header, which is a Python literal padded with blanks to a multiple of 64 bytes,
 * then the rows, little-endian and without gaps. No pickle. See numpy/lib/format.py's description, "NEP 1". */
#include "io/result.h"

#include <inttypes.h>

#define ALIGNMENT 64 /* of the first row, so that the file can be mapped */

/* ---- the header ------------------------------------------------------------------------------------------------- */

static void put_id_type(mg_text *text, const mg_result_rows *n, const char *name, bool may_be_none) {
    const mg_result_job *job = n->job;
    if (mg_result_has_names(job)) mg_text_format(text, "('%s', '|S%zu'), ", name, n->id_bytes);
    else {
        bool is_signed = job->graph->id_kind == MEGURI_ID_SIGNED || (may_be_none && job->narrow);
        mg_text_format(text, "('%s', '<%c8'), ", name, is_signed ? 'i' : 'u');
    }
}

static const char *type_name(meguri_type type) {
    switch (type) {
    case MEGURI_TYPE_I8: return "|i1";
    case MEGURI_TYPE_I16: return "<i2";
    case MEGURI_TYPE_I32: return "<i4";
    case MEGURI_TYPE_U64: return "<u8";
    case MEGURI_TYPE_F64: return "<f8";
    default: return ""; /* ids */
    }
}

static void put_literal(mg_text *text, const mg_result_rows *n) {
    const mg_result_job *job = n->job;
    mg_text_format(text, "{'descr': [");
    if (job->key) put_id_type(text, n, job->key->name, false);
    put_id_type(text, n, "vertex", false);
    for (uint32_t i = 0; i < job->column_count; i++) {
        const meguri_column *c = &job->columns[i];
        if (c->type == MEGURI_TYPE_VERTEX) put_id_type(text, n, c->name, true);
        else mg_text_format(text, "('%s', '%s'), ", c->name, type_name(c->type));
    }
    mg_text_format(text, "], 'fortran_order': False, 'shape': (%" PRIu64 ",), }", job->all_rows * job->results);
}

/* The length of the literal decides what comes before it. */
meguri_status mg_npy_head(mg_text *head, const mg_text *literal) {
    static const char spaces[ALIGNMENT + 1] = "                                                                ";
    bool is_long = literal->used + ALIGNMENT + 1 > UINT16_MAX;
    size_t before = is_long ? 12 : 10; /* magic, version, length */
    size_t padding = (ALIGNMENT - (before + literal->used + 1) % ALIGNMENT) % ALIGNMENT;
    uint32_t length = (uint32_t)(literal->used + padding + 1);
    unsigned char start[12] = {0x93, 'N', 'U', 'M', 'P', 'Y', is_long ? 2 : 1, 0};
    for (size_t i = 8; i < before; i++) start[i] = (unsigned char)(length >> 8 * (i - 8));
    mg_text_add(head, (const char *)start, before);
    mg_text_add(head, literal->data, literal->used);
    mg_text_add(head, spaces, padding);
    mg_text_add(head, "\n", 1);
    return literal->failed || head->failed ? MEGURI_NO_MEMORY : MEGURI_OK;
}

static meguri_status make_head(mg_result_rows *n) {
    mg_text literal = {.ctx = n->job->ctx};
    n->head.ctx = n->job->ctx;
    put_literal(&literal, n);
    meguri_status status = mg_npy_head(&n->head, &literal);
    mg_text_free(&literal);
    return status;
}

/* ---- rows ------------------------------------------------------------------------------------------------------- */

static void put_names(char *at, const mg_result_rows *n, const meguri_column *column, mg_range rows) {
    const mg_result_job *job = n->job;
    for (uint64_t row = rows.begin; row < rows.end; row++, at += n->row_bytes) {
        uint64_t vertex = mg_result_vertex(column, row);
        uint64_t length = vertex == MG_NO_VERTEX ? 0 : mg_result_name_bytes(job, vertex);
        if (length) memcpy(at, job->names + job->name_offsets[vertex], length);
        memset(at + length, 0, n->id_bytes - length);
    }
}

static void put_ids(char *at, const mg_result_rows *n, const meguri_column *column, mg_range rows) {
    if (mg_result_has_names(n->job)) put_names(at, n, column, rows);
    else mg_result_put_ids(at, n->job, column, rows, n->row_bytes);
}

static bool add_rows(mg_text *text, const mg_result_rows *n, mg_range rows) {
    const mg_result_job *job = n->job;
    size_t bytes = (size_t)(rows.end - rows.begin) * n->row_bytes;
    if (!mg_text_need(text, bytes)) return false;
    char *at = text->data + text->used;
    if (job->key) {
        put_ids(at, n, job->key, rows);
        at += n->id_bytes;
    }
    put_ids(at, n, NULL, rows);
    at += n->id_bytes;
    for (uint32_t i = 0; i < job->column_count; i++) {
        const meguri_column *c = &job->columns[i];
        bool of_ids = c->type == MEGURI_TYPE_VERTEX;
        if (of_ids) put_ids(at, n, c, rows);
        else mg_result_put_numbers(at, c, rows, n->row_bytes);
        at += of_ids ? n->id_bytes : mg_column_size(c->type);
    }
    text->used += bytes;
    return true;
}

/* ---- the file --------------------------------------------------------------------------------------------------- */

static meguri_status measure(mg_result_rows *n) {
    const mg_result_job *job = n->job;
    /* NumPy has no strings of no bytes, and counts the bytes of an item in an int. */
    uint64_t id_bytes = mg_result_has_names(job) ? MG_MAX(job->longest_name, 1u) : 8;
    uint64_t row_bytes = job->key ? 2 * id_bytes : id_bytes;
    for (uint32_t i = 0; i < job->column_count; i++)
        row_bytes += job->columns[i].type == MEGURI_TYPE_VERTEX ? id_bytes : mg_column_size(job->columns[i].type);
    if (id_bytes > INT32_MAX || row_bytes > INT32_MAX)
        return mg_fail(job->ctx, MEGURI_BAD_ARGUMENT,
                       "cannot write %s: its rows would have %" PRIu64 " bytes, as the longest id has %" PRIu64
                       ", and NumPy's have less than 2 GiB; write .tsv.",
                       job->path, row_bytes, id_bytes);
    n->id_bytes = (size_t)id_bytes;
    n->row_bytes = (size_t)row_bytes;
    n->block_rows = mg_result_block_rows(job, row_bytes, 0);
    return MEGURI_OK;
}

meguri_status mg_result_rows_npy(mg_result_rows *out, const mg_result_job *job) {
    *out = (mg_result_rows){.job = job, .add = add_rows};
    meguri_status status = measure(out);
    return status == MEGURI_OK ? make_head(out) : status;
}
