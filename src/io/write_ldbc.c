/* LDBC Graphalytics: the `.e` file with a line for every stored arc, the `.v` file beside it with every vertex. */
#include "io/write.h"

static void row(const mg_write_job *job, mg_text *text, const mg_write_row *r) {
    mg_write_lines(job, text, r, "", r->degree);
}

static void row_of_vertex(const mg_write_job *job, mg_text *text, const mg_write_row *r) {
    mg_write_id(job, text, r->position);
    mg_text_add(text, "\n", 1);
}

const mg_writer mg_writer_ldbc = {.plain_names = true, .row = row};
const mg_writer mg_writer_ldbc_vertices = {.without_arcs = true, .plain_names = true, .row = row_of_vertex};
