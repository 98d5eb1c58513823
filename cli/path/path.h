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

/* That the settings of the command line agree with each other. */
meguri_status path_check_settings(cli_run *run);
/* Reads the file, if there is one. */
meguri_status path_pairs_read(path_pairs *pairs, cli_run *run);
/* Makes the questions: those of the file of pairs, or from --from to every --to and those of --to-file. */
meguri_status path_pairs_find(path_pairs *pairs, cli_run *run, const cli_algorithm *a);
void path_pairs_free(path_pairs *pairs);

#endif
