/* Adjacency lists: a line for every vertex, its id and then its neighbours'. */
#include "io/write.h"

static void row(const mg_write_job *job, mg_text *text, const mg_write_row *r) {
    mg_write_id(job, text, r->position);
    for (uint64_t i = 0; i < r->degree; i++) {
        mg_text_add(text, &job->separator, 1);
        mg_write_id(job, text, r->neighbors[i]);
    }
    mg_text_add(text, "\n", 1);
}

const mg_writer mg_writer_adjacency = {.plain_names = true, .row = row};
