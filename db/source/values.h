/* values: a column of a result as values of a database. */
#ifndef MG_VALUES_H
#define MG_VALUES_H

#include "source/source.h"

typedef struct mg_values {
    const meguri_graph *graph;
    meguri_id_kind kind;
    meguri_column column;
    const char *name;
} mg_values;

/* The column of a name; NULL: the only one that is no `parent`. It must be one of this graph, and its numbers such that
 * a database can have. */
meguri_status mg_values_take(mg_values *out, meguri_ctx *ctx, const meguri_graph *graph, const meguri_result *result,
                             const char *name);
/* The value of a vertex: null where there is none, which takes the property away. */
meguri_status mg_values_pack(mg_bytes *out, meguri_ctx *ctx, const mg_values *values, uint32_t vertex);
/* Its id. */
meguri_status mg_values_pack_id(mg_bytes *out, meguri_ctx *ctx, const mg_values *values, uint32_t vertex);
/* Of all values. */
meguri_status mg_values_hash(uint64_t *out, meguri_ctx *ctx, const mg_values *values);

#endif
