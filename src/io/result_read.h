/* Results out of files: what the files result_read*.c share (docs/results.md).
 *
 * Every row must begin with the id of the graph's vertex at that place: a result of another graph is never taken for
 * one of this. */
#ifndef MG_IO_RESULT_READ_H
#define MG_IO_RESULT_READ_H

#include "io/read.h"
#include "io/result.h"

/* A column behind `vertex`. */
typedef struct mg_read_column {
    char *name;
    meguri_type type; /* 0: as its values need, which is known at the end of a text */
    void *items;      /* as many as there are vertices; 8 bytes each, where the type is not known */
    /* What has been seen, where the type is not known. */
    bool real;               /* items are doubles; else whole numbers */
    bool negative, infinite; /* items are signed; UINT64_MAX is infinite */
    uint64_t greatest;       /* of those that are not negative … */
    int64_t least;           /* … and that are */
    size_t width;            /* of .npy: bytes in a row, and where they begin */
    size_t place;
    bool of_signed; /* of .npy: an integer with a sign */
} mg_read_column;

typedef struct mg_result_reader {
    meguri_ctx *ctx;
    const meguri_graph *graph;
    mg_input *input;
    const meguri_result_read_options *options;
    uint64_t rows; /* vertices of the graph */
    mg_id_view ids;
    uint64_t longest_name;
    mg_read_column *columns;
    uint32_t column_count, column_room;
    char *scratch;
    size_t scratch_room;
} mg_result_reader;

static inline bool mg_read_has_names(const mg_result_reader *r) { return r->graph->id_kind == MEGURI_ID_STRING; }

/* The next column, as the file or the caller names it; type 0: it is not said. */
meguri_status mg_read_add_column(mg_result_reader *r, const char *name, size_t length, meguri_type type);
/* All columns are known: that they are those of the options; room for their items. */
meguri_status mg_read_columns_known(mg_result_reader *r);
/* What a column of this name has, where nobody says it: those of the algorithms are known; else 0. */
meguri_type mg_read_known_type(const char *name);
/* At least `bytes` of scratch; false without memory. */
bool mg_read_scratch(mg_result_reader *r, size_t bytes);

/* Whether the row's own id is this one. */
bool mg_read_is_id(const mg_result_reader *r, uint64_t row, uint64_t id);
bool mg_read_is_name(const mg_result_reader *r, uint64_t row, const char *name, uint64_t length);
/* The vertex that has an id; false: none has. */
bool mg_read_find_id(uint32_t *vertex, const mg_result_reader *r, uint64_t id);
bool mg_read_find_name(uint32_t *vertex, const mg_result_reader *r, const char *name, uint64_t length);

/* The sentence about a row; `place` says where, such as "a.tsv:7". */
#define MG_READ_PLACE 1200
meguri_status mg_read_other_graph(const mg_result_reader *r, const char *place);
meguri_status mg_read_too_few(const mg_result_reader *r, uint64_t rows);
meguri_status mg_read_no_vertex(const mg_result_reader *r, const char *place, const mg_read_column *column);

/* A result out of an input that is open; its format is that of the name (result_read.c). */
meguri_status mg_result_read_input(meguri_result **out, meguri_ctx *ctx, const meguri_graph *graph, mg_input *input,
                                   const mg_result_format *format, const meguri_result_read_options *options);

#endif
