/* DIMACS shortest paths: `p sp N M`, then `a U V W` for every stored arc; and `.co`: `p aux sp co N`, then `v U X Y`
 * for every vertex that has coordinates. */
#include "io/write.h"

#include <inttypes.h>
#include <math.h>

static meguri_status prepare(mg_write_job *job) {
    job->with_weights = true; /* the format has no arcs without: 1 where the graph has none */
    if (!mg_weights_whole(job, -INFINITY))
        return mg_fail(job->ctx, MEGURI_BAD_ARGUMENT,
                       "cannot write %s: DIMACS knows whole weights only, and this graph has others; write .wel, .csv "
                       "or .mtx.",
                       job->path);
    return MEGURI_OK;
}

static void head(const mg_write_job *job, mg_text *text) {
    mg_text_format(text, "p sp %" PRIu64 " %" PRIu64 "\n", job->graph->vertices, job->graph->arcs);
}

static void row(const mg_write_job *job, mg_text *text, const mg_write_row *r) {
    mg_write_lines(job, text, r, "a ", r->degree);
}

const mg_writer mg_writer_dimacs = {.id_form = MG_ID_FORM_PLACE, .prepare = prepare, .head = head, .row = row};

static meguri_status prepare_coordinates(mg_write_job *job) {
    if (job->coordinates) return MEGURI_OK;
    return mg_fail(job->ctx, MEGURI_BAD_ARGUMENT,
                   "cannot write %s: the graph has no coordinates; build it with a file of coordinates.", job->path);
}

static bool has_place(const mg_write_job *job, uint64_t position) {
    return !isnan(job->coordinates[2 * position]) && !isnan(job->coordinates[2 * position + 1]);
}

static void head_coordinates(const mg_write_job *job, mg_text *text) {
    uint64_t count = 0, vertices = job->graph->vertices;
    int threads = mg_threads(job->ctx, vertices, 1 << 16);
#pragma omp parallel for num_threads(mg_team(threads)) schedule(static) reduction(+ : count)
    for (uint64_t p = 0; p < vertices; p++) count += has_place(job, p);
    mg_text_format(text, "p aux sp co %" PRIu64 "\n", count);
}

static void row_coordinates(const mg_write_job *job, mg_text *text, const mg_write_row *r) {
    double x = job->coordinates[2 * r->position], y = job->coordinates[2 * r->position + 1];
    if (!has_place(job, r->position) || !mg_text_need(text, 8 + MG_INTEGER_TEXT + 2 * MG_DOUBLE_TEXT)) return;
    char *at = text->data + text->used;
    *at++ = 'v';
    *at++ = ' ';
    at = mg_put_u64(at, r->position + 1);
    *at++ = ' ';
    at = mg_put_double(at, job->powers, x);
    *at++ = ' ';
    at = mg_put_double(at, job->powers, y);
    *at++ = '\n';
    text->used = (size_t)(at - text->data);
}

const mg_writer mg_writer_coordinates = {.id_form = MG_ID_FORM_PLACE,
                                         .without_arcs = true,
                                         .prepare = prepare_coordinates,
                                         .head = head_coordinates,
                                         .row = row_coordinates};
