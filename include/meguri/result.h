/* Results: named columns with one item for each vertex, in the user's order, and a few facts about the run. Of a graph
 * in parts each process has the items of the vertices first … first + count - 1 of its meguri_graph_info; facts are
 * those of the whole. */
#ifndef MEGURI_RESULT_H
#define MEGURI_RESULT_H

#include <meguri/graph.h>
#include <meguri/sink.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct meguri_result meguri_result;

/* A single vertex that is none. In columns meguri_column_is_none tells: they may be narrower. */
#define MEGURI_NO_VERTEX UINT64_MAX

typedef struct meguri_column {
    size_t size; /* set by the caller to sizeof(meguri_column) */
    const char *name;
    meguri_type type;    /* the same whatever the values are */
    uint32_t item_bytes; /* of an item as it is stored: those of the type, but 4 or 8 of a vertex, and 1, 2 or 4 of the
                            levels (i32) of a search from many sources, which are narrow signed integers then */
    uint64_t count;      /* items: the vertices of the graph, or of this process */
    const void *data;    /* lives as long as the result */
    uint64_t stride;     /* item i is at (char *)data + i * stride; item_bytes unless columns lie side by side, as
                            those of a search from many sources do */
} meguri_column;

/* A result is one or more tables, and stands for the first of them: the functions that take a result take the `table`
 * of another one, too. A table lives as long as its result. */
typedef enum meguri_table_kind {
    MEGURI_TABLE_VERTICES = 1, /* an item for each vertex, in the user's order */
    MEGURI_TABLE_EDGES = 2,    /* … for each edge, by number */
    MEGURI_TABLE_PAIRS = 3,    /* … for pairs of vertices */
    MEGURI_TABLE_ROWS = 4,     /* a list: what an item belongs to is said by the algorithm */
    MEGURI_TABLE_VALUE = 5,    /* one row */
    MEGURI_TABLE_GRAPH = 6
} meguri_table_kind;

typedef struct meguri_result_table_info {
    size_t size;      /* set by the caller to sizeof(meguri_result_table_info) */
    const char *name; /* "vertices", … */
    meguri_table_kind kind;
    uint32_t columns;
    uint64_t rows; /* as far as they are in this process */
    const meguri_result *table;
} meguri_result_table_info;

uint32_t meguri_result_table_count(const meguri_result *result);
meguri_status meguri_result_table_at(meguri_result_table_info *out, const meguri_result *result, uint32_t index);
const char *meguri_table_kind_name(meguri_table_kind kind);

/* Reading a result takes no context and changes nothing: any number of threads may read one. MEGURI_NOT_FOUND where
 * there is no such column or fact, MEGURI_BAD_ARGUMENT where an argument or the size of *out is wrong. */
uint32_t meguri_result_column_count(const meguri_result *result);
meguri_status meguri_result_column_at(meguri_column *out, const meguri_result *result, uint32_t index);
meguri_status meguri_result_column(meguri_column *out, const meguri_result *result, const char *name);

/* 1 where an item stands for none: no vertex, a number that is not finite, an integer below 0 as the level of what is
 * not reached; also where there is no such item. */
int meguri_column_is_none(const meguri_column *column, uint64_t item);

/* The items first … first + count - 1 of a column as `as_type`, packed: exactly, or MEGURI_UNSUPPORTED where a value is
 * not one of that type. Vertices are uint64_t as MEGURI_TYPE_VERTEX and _U64, none being UINT64_MAX, and -1 in signed
 * types. An infinite distance is infinity as a real number, and UINT64_MAX as MEGURI_TYPE_U64. */
meguri_status meguri_result_values(void *out, meguri_type as_type, const meguri_result *result, const char *column,
                                   uint64_t first, uint64_t count);

/* Something about the whole run, such as how many vertices were reached. Every result has the fact `engine`: the name
 * of what did the work. */
typedef struct meguri_fact {
    size_t size; /* set by the caller to sizeof(meguri_fact) */
    const char *name;
    meguri_type type; /* MEGURI_TYPE_U64, _I64, _F64, _BOOLEAN or _TEXT: which of these is meant */
    uint64_t number;  /* _U64, and _BOOLEAN: 0 or 1 */
    int64_t integer;  /* _I64 */
    double real;      /* _F64; of other numbers the nearest */
    const char *text; /* _TEXT; else NULL */
} meguri_fact;

uint32_t meguri_result_fact_count(const meguri_result *result);
meguri_status meguri_result_fact_at(meguri_fact *out, const meguri_result *result, uint32_t index);
meguri_status meguri_result_fact(meguri_fact *out, const meguri_result *result, const char *name);

/* The vertices with the highest items of a column of numbers, highest first, equal ones in the user's order: at most
 * `most` of them, and *count says how many. `values` (may be NULL) gets their items. Items that stand for none
 * (infinite ones, levels below 0) do not count. Time grows with the number of vertices, not with its logarithm. */
meguri_status meguri_result_top(uint64_t *vertices, double *values, uint64_t *count, meguri_ctx *ctx,
                                const meguri_graph *graph, const meguri_result *result, const char *column,
                                uint64_t most);
/* The largest groups of a column of vertices, such as `component` or `label`: the vertex that names each, and how many
 * vertices have it there. Largest first, equal ones in the user's order. */
meguri_status meguri_result_groups(uint64_t *groups, uint64_t *sizes, uint64_t *count, meguri_ctx *ctx,
                                   const meguri_graph *graph, const meguri_result *result, const char *column,
                                   uint64_t most);

typedef struct meguri_result_write_options {
    size_t size; /* sizeof(meguri_result_write_options) */
} meguri_result_write_options;
void meguri_result_write_options_init(meguri_result_write_options *options, size_t size);

/* Writes one row for each vertex in the user's ids and order: the column `vertex`, then those of the result. The suffix
 * chooses: .tsv and .csv (RFC 4180) with a header line, .npy one structured array, .bin the raw columns one after
 * another (docs/results.md); .tsv and .csv may be compressed: .gz, .zst, .xz; standard output and
 * functions get .tsv unless the sink has another form. */
meguri_status meguri_result_write(meguri_ctx *ctx, const meguri_result *result, const meguri_graph *graph,
                                  const meguri_sink *sink, const meguri_result_write_options *options);
/* That the name is one that meguri_result_write takes; to be asked before the work that leads to a result. */
meguri_status meguri_result_check_path(meguri_ctx *ctx, const char *path);

/* Says what is in a file of a result where the file does not. */
typedef struct meguri_result_read_options {
    size_t size;      /* sizeof(meguri_result_read_options) */
    uint32_t columns; /* that it has after `vertex`, in this order; 0: as .npy says, and as text shows: the columns of
                         the algorithms have their types, others that which their numbers need. A .bin needs them. */
    const char *const *names;
    const meguri_type *types; /* MEGURI_TYPE_I8, _I16, _I32, _U64, _F64 or _VERTEX */
} meguri_result_read_options;
void meguri_result_read_options_init(meguri_result_read_options *options, size_t size);

/* Reads a file that meguri_result_write has written, in any of its formats, as a result of the same graph:
 * MEGURI_BAD_INPUT and the place where its vertices are not those of the graph. Its only fact is `engine`, "file".
 * Options may be NULL. */
meguri_status meguri_result_read(meguri_result **out, meguri_ctx *ctx, const meguri_graph *graph, const char *path,
                                 const meguri_result_read_options *options);

void meguri_result_free(meguri_result *result);

/* Takes one of many results, such as those of meguri_bfs_many and meguri_sssp_many: that of item number `index`, which
 * holds until this returns. Results come one at a time and in the order of the items, on the calling thread. Anything
 * but MEGURI_OK ends the whole with that status. Functions that are called from here may be given the same context; the
 * search itself, and a device that it works on, are MEGURI_BUSY (docs/threads.md). */
typedef meguri_status (*meguri_result_take)(void *user, uint64_t index, const meguri_result *result);

/* ---- many results in one file ----------------------------------------------------------------------------------- */

/* A table of many results of one graph, such as the searches from many sources: for each result a row for each vertex,
 * which begins with a vertex that says whose result it is. Written as the results come; none of them is kept. */
typedef struct meguri_result_stream meguri_result_stream;

/* What the results of a table have in common. */
typedef struct meguri_result_table {
    size_t size;      /* sizeof(meguri_result_table) */
    uint64_t results; /* how many there will be */
    const char *key;  /* name of the first column, such as `source` */
    uint32_t columns; /* that every result has, after `vertex`, in this order: */
    const char *const *names;
    const meguri_type *types;
} meguri_result_table;

/* Begins the output: .tsv or .csv, compressed if you like, or .npy, as meguri_result_write has them. MEGURI_NO_DISK and
 * the figures where the disk has no room for the table. All calls for a stream have the same context. */
meguri_status meguri_result_stream_open(meguri_result_stream **out, meguri_ctx *ctx, const meguri_graph *graph,
                                        const meguri_sink *sink, const meguri_result_table *table);
/* That the name is one that meguri_result_stream_open takes; to be asked before the work. */
meguri_status meguri_result_stream_check_path(meguri_ctx *ctx, const char *path);
/* Adds the rows of the next result; `key` is a vertex. After a failure nothing more can be added. */
meguri_status meguri_result_stream_add(meguri_ctx *ctx, meguri_result_stream *stream, uint64_t key,
                                       const meguri_result *result);
/* Gives the file its name, once all results are in it. */
meguri_status meguri_result_stream_finish(meguri_ctx *ctx, meguri_result_stream *stream);
/* Without a finish before, nothing remains of the file. */
void meguri_result_stream_free(meguri_result_stream *stream);

#ifdef __cplusplus
}
#endif
#endif
