/* CSV after RFC 4180, with a header line; every stored arc is a line. */
#include "io/write.h"

static meguri_status prepare(mg_write_job *job) {
    job->separator = ',';
    return MEGURI_OK;
}

static void head(const mg_write_job *job, mg_text *text) {
    mg_text_format(text, "source,target%s\n", job->with_weights ? ",weight" : "");
}

static void row(const mg_write_job *job, mg_text *text, const mg_write_row *r) {
    mg_write_lines(job, text, r, "", r->degree);
}

const mg_writer mg_writer_csv = {
    .id_form = MG_ID_FORM_CSV, .loses_isolated = true, .prepare = prepare, .head = head, .row = row};
