/* meguri path inside: questions from the command line or a file. */
#ifndef CLI_PATH_H
#define CLI_PATH_H

#include "cli.h"

/* ---- path/lines.c: a line of a file of pairs -------------------------------------------------------------------- */

/* Those from the third on have the names of options. */
typedef enum path_field {
    PATH_FROM,
    PATH_TO,
    PATH_ALGORITHM,
    PATH_K,
    PATH_MAX_HOPS,
    PATH_MAX_COST,
    PATH_LIMIT,
    PATH_TIMEOUT,
    PATH_FIELDS
} path_field;
const char *path_field_name(path_field field);

typedef enum path_lines_form {
    PATH_WORDS,  /* two ids, then NAME=VALUE */
    PATH_ROWS,   /* below a header */
    PATH_OBJECTS /* JSON */
} path_lines_form;

/* How the lines of a file are to be read. */
typedef struct path_columns {
    path_lines_form form;
    char separator; /* of rows; a blank: any number of blanks and tabs */
    path_field field[PATH_FIELDS];
    size_t count;
} path_columns;

struct json_t;
/* What stands in a line; NULL: nothing. */
typedef struct path_line {
    const char *field[PATH_FIELDS];
    char number[PATH_FIELDS][CLI_NUMBER_TEXT];
    struct json_t *object;
} path_line;

/* From the first line; `where` begins sentences. */
meguri_status path_columns_read(path_columns *columns, bool *is_header, cli_run *run, char *text, const char *where);
/* Takes a line apart, in place. To be freed also after a failure. */
meguri_status path_line_take(path_line *line, const path_columns *columns, cli_run *run, char *text, const char *where);
void path_line_free(path_line *line);

/* ---- path/pairs.c: what is asked -------------------------------------------------------------------------------- */

/* Vertices to go between and limits, in the order they were given. */
typedef struct path_pairs {
    bool many;         /* answers are numbered */
    cli_sources lines; /* of a file of pairs, or of targets */
    path_columns columns;
    size_t first; /* line that is no header */
    meguri_path_query *queries;
    size_t count;
} path_pairs;

/* That the settings of the command line agree with each other. */
meguri_status path_check_settings(cli_run *run);
/* Reads the file, if there is one. */
meguri_status path_pairs_read(path_pairs *pairs, cli_run *run);
/* Makes the questions: those of the file of pairs, or from --from to every --to and those of --to-file. */
meguri_status path_pairs_find(path_pairs *pairs, cli_run *run, const cli_algorithm *a);
void path_pairs_free(path_pairs *pairs);

/* nearest.c: the vertex that has an id; the sentence about one that is not there names those that are like it. `where`
 * is put before it. */
meguri_status cli_find_vertex(uint64_t *vertex, cli_run *run, const meguri_graph *graph, const char *text,
                              const char *where);

/* ---- path/check.c: --check -------------------------------------------------------------------------------------- */

/* Looks at what a question gives as it comes; with a context of its own, as the writer. */
typedef struct path_checker {
    cli_run *run;
    const cli_algorithm *base;
    const meguri_path_query *queries;
    meguri_path_direction direction;
    meguri_ctx *ctx;
    uint64_t *neighbors;
    double *weights;
    uint64_t room;
    uint64_t index, hops; /* of the last path */
    double cost;
    uint64_t first_hops; /* of the first */
    double first_cost;
    bool partly; /* of some question it was not looked at whether there is something better */
    meguri_status status;
} path_checker;

meguri_status path_checker_new(path_checker *checker, const cli_algorithm *a, const meguri_path_query *queries,
                               meguri_path_direction direction);
void path_check_path(path_checker *checker, uint64_t question, const meguri_path *path);
void path_check_answer(path_checker *checker, uint64_t question, const meguri_path_answer *answer);
void path_checker_free(path_checker *checker);

#endif
