/* Results as files: what the files result*.c share (docs/results.md).
 *
 * A row for each vertex in the user's order: its id, then an item of each column. Every format is blocks of rows or of
 * a column (write_blocks.c), cut by numbers that depend on the graph and the result alone, so that the bytes are the
 * same at any number of threads. */
#ifndef MG_IO_RESULT_H
#define MG_IO_RESULT_H

#include "io/write.h"

#define MG_RESULT_BLOCK                                                                                                \
    ((uint64_t)1 << 20) /* bytes of a block, about; compressed in some 30 ms, so a cancel is soon heard */

/* What every row is made from; the same for all threads. */
typedef struct mg_result_job {
    meguri_ctx *ctx;
    const meguri_graph *graph;
    const char *path;
    const meguri_column *key; /* of a table of several results: a column before `vertex`, the same vertex in all rows of
                                 a result (stride 0); else NULL */
    meguri_column *columns;   /* those of the result, without the first one, `vertex` */
    uint32_t column_count;
    uint64_t rows;                      /* of a result, as far as they are here */
    uint64_t first, all_rows;           /* where they begin in the result, and how many it has */
    uint64_t results;                   /* in the file */
    const mg_share_of *share;           /* whose rows these are; NULL: all are here */
    const uint64_t *ids, *name_offsets; /* ids: NULL where they are consecutive */
    const char *names;
    uint64_t longest_name;
    mg_powers *powers;
    uint64_t none; /* the bits that stand for no vertex where ids are numbers in binary files */
    bool narrow;   /* all ids are below 2^63: columns of vertices are signed, so that -1 is no vertex */
} mg_result_job;

static inline uint64_t mg_result_id(const mg_result_job *job, uint64_t vertex) {
    return job->ids ? job->ids[vertex] : job->graph->id_base + vertex;
}
static inline uint64_t mg_result_name_bytes(const mg_result_job *job, uint64_t vertex) {
    return job->name_offsets[vertex + 1] - job->name_offsets[vertex];
}
static inline bool mg_result_has_names(const mg_result_job *job) { return job->graph->id_kind == MEGURI_ID_STRING; }

/* The item of a row, and the vertex where it is one; where there is no column, the row's own vertex. */
static inline const void *mg_result_item(const meguri_column *column, uint64_t row) {
    return (const char *)column->data + row * column->stride;
}
static inline uint64_t mg_result_vertex(const meguri_column *column, uint64_t row) {
    return column ? *(const uint32_t *)mg_result_item(column, row) : row;
}

/* Rows of a block that is about MG_RESULT_BLOCK bytes long and never many times that, where a row has `bytes` bytes and
 * `names` names besides; at least one. Then the rows of block number `block`. */
uint64_t mg_result_block_rows(const mg_result_job *job, uint64_t bytes, uint64_t names);
static inline mg_range mg_result_block(const mg_result_job *job, uint64_t block_rows, uint64_t block) {
    uint64_t begin = block * block_rows;
    return (mg_range){begin, MG_MIN(begin + block_rows, job->rows)};
}

static inline uint64_t mg_result_block_count(const mg_result_job *job, uint64_t block_rows) {
    return MG_MAX((job->rows + block_rows - 1) / block_rows, 1u);
}

/* What a file as a whole has, and what the parts before this one: the same where there is one. */
static inline meguri_status mg_result_sum(const mg_result_job *job, meguri_status status, uint64_t *value,
                                          uint64_t *all) {
    if (job->share) return job->share->sum(job->share->user, status, value, all, 1);
    *all = *value;
    *value = 0;
    return status;
}

/* For binary files: items of some rows, each `stride` bytes after the one before. Ids are numbers of 8 bytes; the
 * column of vertices may be NULL, as above. */
void mg_result_put_ids(char *at, const mg_result_job *job, const meguri_column *column, mg_range rows, size_t stride);
void mg_result_put_numbers(char *at, const meguri_column *column, mg_range rows, size_t stride);

/* ---- formats that are a head and rows --------------------------------------------------------------------------- */

/* How results become such a file. */
typedef struct mg_result_rows {
    const mg_result_job *job;
    mg_text head;
    size_t id_bytes, row_bytes; /* of .npy, where all rows are alike; else 0 */
    uint64_t block_rows;
    char separator; /* of text: between fields */
    bool (*add)(mg_text *text, const struct mg_result_rows *how, mg_range rows);
} mg_result_rows;

/* One format each. mg_text_free(&out->head) also on failure. */
meguri_status mg_result_rows_tsv(mg_result_rows *out, const mg_result_job *job);
meguri_status mg_result_rows_csv(mg_result_rows *out, const mg_result_job *job);
meguri_status mg_result_rows_npy(mg_result_rows *out, const mg_result_job *job);

/* How a file of NumPy begins whose header is this literal; both texts are of one context. */
meguri_status mg_npy_head(mg_text *head, const mg_text *literal);

/* What a suffix stands for. */
struct mg_result_reader; /* result_read.h */
typedef struct mg_result_format {
    const char *suffix;
    bool text; /* lines of any length, which may be compressed */
    /* NULL: it has columns one after another. */
    meguri_status (*rows)(mg_result_rows *out, const mg_result_job *job);
    meguri_status (*read)(struct mg_result_reader *reader);
} mg_result_format;
meguri_status mg_result_read_tsv(struct mg_result_reader *reader);
meguri_status mg_result_read_csv(struct mg_result_reader *reader);
meguri_status mg_result_read_npy(struct mg_result_reader *reader);
meguri_status mg_result_read_bin(struct mg_result_reader *reader);
/* That of a file, from its name (result_write.c); NULL: it is not that of a result. */
const mg_result_format *mg_result_find_format(const char *path, mg_compression *compression);
/* What a sink of results leads to; functions get .tsv like standard output. */
meguri_status mg_result_output(mg_output *out, meguri_ctx *ctx, const meguri_sink *sink, const char *function);
/* … that is to be written. */
meguri_status mg_result_choose(const mg_result_format **out, mg_compression *compression, meguri_ctx *ctx,
                               const char *path);

/* The rows of the job's result in blocks; the head comes before them where the file has no other results. */
mg_blocks mg_result_rows_blocks(const mg_result_rows *how);

/* ---- raw columns ------------------------------------------------------------------------------------------------ */

/* The whole file, still to be committed. */
meguri_status mg_result_write_bin(const mg_result_job *job, mg_outfile *file);

/* ---- what the result and the graph have (result_write.c) -------------------------------------------------------- */

/* Ids and what else rows need, for the columns of the job; warns where none looks like one. */
meguri_status mg_result_prepare(mg_result_job *job, const mg_result_format *format);
/* Whether a column is one of this graph. */
meguri_status mg_result_check_column(const mg_result_job *job, const meguri_column *column);

#endif
