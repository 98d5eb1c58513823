/* PACE: `p tw N M`, then `U V` once for every undirected edge. */
#include "io/write.h"

#include <inttypes.h>

static void head(const mg_write_job *job, mg_text *text) {
    mg_text_format(text, "p tw %" PRIu64 " %" PRIu64 "\n", job->graph->vertices, job->graph->edges);
}

static void row(const mg_write_job *job, mg_text *text, const mg_write_row *r) {
    mg_write_lines(job, text, r, "", mg_write_lower(r));
}

const mg_writer mg_writer_pace = {
    .id_form = MG_ID_FORM_PLACE, .undirected_only = true, .prepare = mg_write_counted, .head = head, .row = row};
