/* Tables whose rows are not the vertices of a graph one after another: pairs and what they cost, distances from some
 * vertices to others. */
#ifndef MEGURI_TABLE_H
#define MEGURI_TABLE_H

#include <meguri/result.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Written as its rows come; none of them is kept. */
typedef struct meguri_table meguri_table;

/* A row begins with a vertex; then come items of 8 bytes. */
typedef struct meguri_table_options {
    size_t size;      /* sizeof(meguri_table_options) */
    uint64_t rows;    /* how many there will be */
    const char *key;  /* name of the first column, such as `source` */
    uint64_t columns; /* after it: */
    const char *const *names;
    const meguri_type *types; /* MEGURI_TYPE_U64, _F64 or _VERTEX, all of 8 bytes */
    /* Or a matrix: its columns are vertices, and all items are of one type, MEGURI_TYPE_U64 or _F64. */
    const uint64_t *vertices;
    meguri_type type;
} meguri_table_options;
void meguri_table_options_init(meguri_table_options *options, size_t size);

/* Begins the output: .tsv or .csv with a header line (of a matrix the ids of its columns), compressed if you like;
 * .npy, of a matrix a plain array of two dimensions, else a structured one; of a matrix also .bin, its rows one after
 * another; standard output and functions get .tsv unless the sink has another form. Of a matrix .npy and .bin have the
 * items alone. MEGURI_NO_DISK and the figures where the disk has no room for it. All calls for a table have the same
 * context. */
meguri_status meguri_table_open(meguri_table **out, meguri_ctx *ctx, const meguri_graph *graph, const meguri_sink *sink,
                                const meguri_table_options *options);
/* Adds a row. After a failure nothing more can be added. */
meguri_status meguri_table_add(meguri_ctx *ctx, meguri_table *table, uint64_t vertex, const void *items);
/* Gives the file its name, once all rows are in it. */
meguri_status meguri_table_finish(meguri_ctx *ctx, meguri_table *table);
/* Without a finish before, nothing remains of the file. */
void meguri_table_free(meguri_table *table);

/* That the name is one that meguri_table_open takes. */
meguri_status meguri_table_check_path(meguri_ctx *ctx, const char *path, int matrix);

#ifdef __cplusplus
}
#endif
#endif
