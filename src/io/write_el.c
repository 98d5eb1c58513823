/* Edge lists: `.el` two ids a line, `.wel` with the weight behind them. Every stored arc is a line. String ids are
 * separated by tabs, because they may hold blanks. */
#include "io/write.h"

static void row(const mg_write_job *job, mg_text *text, const mg_write_row *r) {
    mg_write_lines(job, text, r, "", r->degree);
}

const mg_writer mg_writer_edgelist = {.loses_isolated = true, .plain_names = true, .row = row};
