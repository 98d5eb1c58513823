/* Neo4j's CSV import format, written: for convert, and for the parts of a graph (partition.c). */
#include "io/neo4j.h"

#include <math.h>

static void put(mg_text *text, const char *words) { mg_text_add(text, words, strlen(words)); }

void mg_neo4j_node_head(const mg_write_job *job, mg_text *text) {
    put(text, job->coordinates ? "uid:ID,:LABEL,x:double,y:double\n" : "uid:ID,:LABEL\n");
}

void mg_neo4j_relationship_head(const mg_write_job *job, mg_text *text) {
    put(text, ":START_ID,:END_ID,:TYPE");
    bool whole = job->graph->weight_type >= MEGURI_TYPE_U8 && job->graph->weight_type <= MEGURI_TYPE_U32;
    if (job->with_weights) put(text, whole ? ",weight:long" : ",weight:double");
    for (uint32_t c = 0; c < job->column_count; c++) {
        if (c == job->type_column) continue;
        put(text, ",");
        mg_write_neo4j_column(job, text, c);
    }
    put(text, "\n");
}

void mg_neo4j_node(const mg_write_job *job, mg_text *text, uint64_t position, const char *label, bool place) {
    mg_write_id(job, text, position);
    put(text, ",");
    put(text, label);
    for (uint64_t i = 0; job->coordinates && i < 2; i++) {
        char number[MG_DOUBLE_TEXT];
        double value = job->coordinates[2 * position + i];
        put(text, ",");
        if (place && !isnan(value))
            mg_text_add(text, number, (size_t)(mg_put_double(number, job->powers, value) - number));
    }
    put(text, "\n");
}

void mg_neo4j_relationship(const mg_write_job *job, mg_text *text, uint64_t from, uint64_t to, uint64_t arc) {
    mg_write_id(job, text, from);
    put(text, ",");
    mg_write_id(job, text, to);
    put(text, ",");
    if (job->type_column == UINT32_MAX) put(text, "EDGE");
    else mg_write_value(job, text, job->type_column, arc);
    if (job->with_weights) {
        put(text, ",");
        mg_write_weight(job, text, arc);
    }
    for (uint32_t c = 0; c < job->column_count; c++) {
        if (c == job->type_column) continue;
        put(text, ",");
        mg_write_value(job, text, c, arc);
    }
    put(text, "\n");
}

static meguri_status prepare(mg_write_job *job) { return mg_write_check_neo4j_columns(job); }

static void row(const mg_write_job *job, mg_text *text, const mg_write_row *r) {
    for (uint64_t i = 0; i < r->degree; i++)
        mg_neo4j_relationship(job, text, r->position, r->neighbors[i], mg_write_arc(r, i));
}

static void row_of_node(const mg_write_job *job, mg_text *text, const mg_write_row *r) {
    mg_neo4j_node(job, text, r->position, MG_NEO4J_VERTEX, true);
}

static const mg_writer writer_nodes = {.suffix = MG_NEO4J_NODES,
                                       .id_form = MG_ID_FORM_CSV,
                                       .without_arcs = true,
                                       .head = mg_neo4j_node_head,
                                       .row = row_of_node};
const mg_writer mg_neo4j_writer = {.suffix = MG_NEO4J_RELATIONSHIPS,
                                   .beside = &writer_nodes,
                                   .id_form = MG_ID_FORM_CSV,
                                   .columns = true,
                                   .prepare = prepare,
                                   .head = mg_neo4j_relationship_head,
                                   .row = row};
