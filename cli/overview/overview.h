/* The verb overview: what it knows when it tells. */
#ifndef CLI_OVERVIEW_H
#define CLI_OVERVIEW_H

#include "cli.h"

typedef struct cli_overview {
    cli_run *run;
    const char *input;  /* as people know it */
    const char *output; /* NULL: no page */
    meguri_graph *graph;
    meguri_graph_info graph_info;
    meguri_overview *overview;
    meguri_overview_info info;
    struct {
        double open, measure, write;
    } seconds;
} cli_overview;

/* overview_text.c: the first screen, 40 lines of 80 columns at most. */
meguri_status cli_overview_text(const cli_overview *o);
/* Out-degrees and in-degrees are two things: the graph is directed, and some edge is without its reverse. */
bool cli_overview_two_degrees(const cli_overview *o);
/* overview_lists.c: the lists side by side. */
meguri_status cli_overview_lists(const cli_overview *o);
/* overview_next.c: commands that are worth trying next. */
void cli_overview_next(const cli_overview *o);
/* overview_json.c */
meguri_status cli_overview_json(const cli_overview *o);

/* ---- numbers ---------------------------------------------------------------------------------------------------- */

#define CLI_OVERVIEW_LABEL 14 /* columns before the text of a line */
/* "3.1 %", "62 %", "<0.1 %" */
const char *cli_percent(char buffer[CLI_NUMBER_TEXT], double share);
/* Whole numbers with separators, others with three or four digits that count. */
const char *cli_number_text(char buffer[CLI_NUMBER_TEXT], double number);
/* "s" unless it is one */
const char *cli_plural(uint64_t count);

#endif
