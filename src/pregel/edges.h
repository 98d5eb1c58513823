/* Values of edges, as programs read them (edges.c). */
#ifndef MG_PREGEL_EDGES_H
#define MG_PREGEL_EDGES_H

#include "pregel/pregel.h"

typedef struct mg_edge_values {
    meguri_type from, to; /* AUTO: edges have no values */
    bool by_out_arc;      /* `values` has them all; else rows have them as weights */
    const void *values;
} mg_edge_values;

/* What the program reads, or a sentence where this graph has no such thing. */
meguri_status mg_edge_values_of(mg_edge_values *out, meguri_ctx *ctx, const meguri_graph *graph,
                                const meguri_program *program);
void mg_edge_value(void *to, const mg_edge_values *e, const void *values, uint64_t arc);
/* For all arcs of out-rows: as they lie, or a copy (*owned). */
meguri_status mg_edge_values_of_rows(const void **out, void **owned, meguri_ctx *ctx, const mg_edge_values *e,
                                     const mg_rows *rows);

#endif
