/* METIS: `N M [1]`, then a line for every vertex with its neighbours, each followed by the weight of the edge if there
 * are weights. Edges stand at both their ends; there are no loops, and weights are whole and positive. */
#include "io/write.h"

#include <inttypes.h>

static bool has_loop(const mg_write_job *job) {
    uint64_t loops = 0;
    int threads = mg_threads(job->ctx, job->graph->arcs, 1 << 16);
#pragma omp parallel for num_threads(mg_team(threads)) schedule(dynamic, 1024) reduction(+ : loops)
    for (uint64_t v = 0; v < job->rows.rows; v++)
        for (uint64_t i = mg_row_begin(&job->rows, v); i < mg_row_end(&job->rows, v); i++)
            loops += job->rows.neighbors[i] == v;
    return loops != 0;
}

static meguri_status prepare(mg_write_job *job) {
    if (has_loop(job))
        return mg_fail(job->ctx, MEGURI_BAD_ARGUMENT,
                       "cannot write %s: METIS knows no edges from a vertex to itself, and this graph has some; build "
                       "it without loops or write another format.",
                       job->path);
    if (job->with_weights && !mg_weights_whole(job, 1))
        return mg_fail(job->ctx, MEGURI_BAD_ARGUMENT,
                       "cannot write %s: METIS knows whole weights from 1 on only, and this graph has others; write "
                       ".wel, .csv or .mtx, or build it without weights.",
                       job->path);
    return mg_write_counted(job);
}

static void head(const mg_write_job *job, mg_text *text) {
    mg_text_format(text, "%" PRIu64 " %" PRIu64 "%s\n", job->graph->vertices, job->graph->edges,
                   job->with_weights ? " 1" : "");
}

static void row(const mg_write_job *job, mg_text *text, const mg_write_row *r) {
    for (uint64_t i = 0; i < r->degree; i++) {
        if (i > 0) mg_text_add(text, " ", 1);
        mg_write_id(job, text, r->neighbors[i]);
        if (!job->with_weights) continue;
        mg_text_add(text, " ", 1);
        mg_write_weight(job, text, mg_write_arc(r, i));
    }
    mg_text_add(text, "\n", 1);
}

const mg_writer mg_writer_metis = {
    .id_form = MG_ID_FORM_PLACE, .undirected_only = true, .prepare = prepare, .head = head, .row = row};
