/* meguri path inside: questions from the command line or a file. */
#ifndef CLI_PATH_H
#define CLI_PATH_H

#include "cli.h"

/* ---- path/pairs.c: what is asked -------------------------------------------------------------------------------- */

/* Vertices to go between and limits, in the order they were given. */
typedef struct path_pairs {
    bool many;         /* answers are numbered */
    cli_sources lines; /* of a file of pairs, or of targets */
    meguri_path_pairs *file;
    meguri_path_query *targets; /* where there is no file of pairs */
    const meguri_path_query *queries;
    uint64_t count;
} path_pairs;

/* ---- path/costs.c: --costs -------------------------------------------------------------------------------------- */

/* The table of costs: a file, standard output, or lines of JSON there. */
typedef struct path_costs {
    cli_run *run;
    const meguri_graph *graph;
    meguri_id_kind id_kind;
    meguri_ctx *ctx;     /* its own: that of the run is busy meanwhile */
    bool whole;          /* weights are whole numbers */
    meguri_table *table; /* NULL: lines of JSON */
} path_costs;

/* Refuses what does not go together with --costs. */
meguri_status path_costs_check(cli_run *run);
/* Where the table goes; NULL: lines of JSON on standard output. */
const char *path_costs_output(const cli_run *run);
meguri_status path_costs_open(path_costs *costs, cli_run *run, const cli_algorithm *a, uint64_t rows);
/* The next question. */
meguri_status path_costs_add(path_costs *costs, uint64_t question, const meguri_path_query *query,
                             const meguri_path_answer *answer);
/* The file gets its name if all went well. */
meguri_status path_costs_close(path_costs *costs, meguri_status status);

/* ---- path/pairs.c, on ---------------------------------------------------------------------------------------------
 */

/* That the settings of the command line agree with each other. */
meguri_status path_check_settings(cli_run *run);
/* Reads the file, if there is one. */
meguri_status path_pairs_read(path_pairs *pairs, cli_run *run);
/* Makes the questions: those of the file of pairs, or from --from to every --to and those of --to-file. */
meguri_status path_pairs_find(path_pairs *pairs, cli_run *run, const cli_algorithm *a);
void path_pairs_free(path_pairs *pairs);

#endif
