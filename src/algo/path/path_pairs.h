/* Questions out of lines, inside: a line taken apart (path_lines.c) becomes a query (path_pairs.c). */
#ifndef MG_PATH_PAIRS_H
#define MG_PATH_PAIRS_H

#include "algo/path/path.h"
#include "io/io.h"

#include <meguri/extra/path_pairs.h>

typedef enum mg_path_field {
    MG_PAIR_FROM,
    MG_PAIR_TO,
    MG_PAIR_ALGORITHM,
    MG_PAIR_K,
    MG_PAIR_MAX_HOPS,
    MG_PAIR_MAX_COST,
    MG_PAIR_LIMIT,
    MG_PAIR_TIMEOUT,
    MG_PAIR_FIELDS
} mg_path_field;
const char *mg_path_field_name(mg_path_field field);

typedef enum mg_path_lines_form {
    MG_PAIR_WORDS,  /* two ids, then NAME=VALUE */
    MG_PAIR_ROWS,   /* below a header */
    MG_PAIR_OBJECTS /* JSON */
} mg_path_lines_form;

enum { MG_PAIR_MOST_COLUMNS = 64 };

/* How lines are to be read. */
typedef struct mg_path_columns {
    mg_path_lines_form form;
    mg_path_field field[MG_PAIR_MOST_COLUMNS]; /* of rows; MG_PAIR_FIELDS: it is not read */
    uint32_t count;
} mg_path_columns;

struct json_t;
/* What stands in a line; NULL: nothing. */
typedef struct mg_path_line {
    const char *field[MG_PAIR_FIELDS];
    char setting[MG_PAIR_FIELDS][MG_REAL_TEXT]; /* where it is not a field of its own */
    struct json_t *object;
} mg_path_line;

/* From the header; `where` begins sentences. */
meguri_status mg_path_columns_read(mg_path_columns *columns, meguri_ctx *ctx, const char *const *names, uint32_t count,
                                   const char *where);
/* Takes the fields of a line, or a JSON object. To be freed also after a failure. */
meguri_status mg_path_line_take(mg_path_line *line, const mg_path_columns *columns, meguri_ctx *ctx,
                                const char *const *fields, uint32_t count, const char *where);
meguri_status mg_path_line_object(mg_path_line *line, meguri_ctx *ctx, const char *text, const char *where);
void mg_path_line_free(mg_path_line *line);

#endif
