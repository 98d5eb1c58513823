/* Matrix Market coordinate: entry (i, j) is an arc from i to j. Undirected graphs are symmetric matrices, of which the
 * format wants the lower triangle alone. */
#include "io/write.h"

#include <inttypes.h>

static void head(const mg_write_job *job, mg_text *text) {
    const meguri_graph *g = job->graph;
    const char *field = g->weight_type == MEGURI_WEIGHT_NONE  ? "pattern"
                        : g->weight_type <= MEGURI_WEIGHT_U32 ? "integer"
                                                              : "real";
    mg_text_format(text, "%%%%MatrixMarket matrix coordinate %s %s\n", field, g->directed ? "general" : "symmetric");
    mg_text_format(text, "%" PRIu64 " %" PRIu64 " %" PRIu64 "\n", g->vertices, g->vertices, g->edges);
}

static void row(const mg_write_job *job, mg_text *text, const mg_write_row *r) {
    mg_write_lines(job, text, r, "", job->graph->directed ? r->degree : mg_write_lower(r));
}

const mg_writer mg_writer_matrix_market = {
    .id_form = MG_ID_FORM_PLACE, .prepare = mg_write_counted, .head = head, .row = row};
