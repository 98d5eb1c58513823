/* Sums over the vertices of a graph by which a later run recognizes it (mg_mix): ids and columns. */
#include "graph/graph.h"

#include <xxhash.h>

enum { GRAIN = 1 << 14 };

typedef struct column_part {
    const void *values;
    size_t bytes;
    uint64_t seed, first;
} column_part;

static uint64_t sum_column(const void *what, uint64_t begin, uint64_t end) {
    const column_part *c = what;
    uint64_t sum = 0;
    for (uint64_t i = begin; i < end; i++)
        sum += mg_mix(mg_mix(c->seed, c->first + i), mg_value_whole(c->values, c->bytes, i));
    return sum;
}

uint64_t mg_column_seed(const char *name, meguri_type type) {
    return XXH64(name, strlen(name), (XXH64_hash_t)mg_type_code(type));
}

meguri_status mg_vertex_columns_sum(uint64_t *out, meguri_ctx *ctx, const meguri_graph *graph, mg_range positions) {
    uint64_t count = positions.end - positions.begin;
    meguri_status status = MEGURI_OK;
    *out = 0;
    for (uint32_t c = 0; c < mg_columns_count(graph, MG_OF_VERTICES) && status == MEGURI_OK; c++) {
        mg_column_view view;
        column_part part = {.first = positions.begin};
        status = mg_column_of(&view, ctx, graph, MG_OF_VERTICES, c, false);
        if (status != MEGURI_OK) break;
        part.bytes = meguri_type_bytes(mg_code_type(view.what.code));
        part.seed = mg_column_seed(view.name, mg_code_type(view.what.code));
        status =
            mg_graph_part_range(&part.values, ctx, graph, mg_column_part(graph, MG_OF_VERTICES, c, MG_COLUMN_VALUES),
                                positions.begin * part.bytes, positions.end * part.bytes);
        if (status == MEGURI_OK) *out += mg_sum_over(ctx, mg_threads(ctx, count, GRAIN), count, sum_column, &part);
    }
    return status;
}

static uint64_t sum_ids(const void *what, uint64_t begin, uint64_t end) {
    const mg_ids_of *a = what;
    uint64_t sum = 0, first = a->positions.begin;
    for (uint64_t i = begin; i < end; i++) {
        uint64_t id = a->ids ? a->ids[i] : a->id_base + first + i;
        if (a->name_offsets)
            id = XXH64(a->names + (a->name_offsets[i] - a->name_offsets[0]),
                       a->name_offsets[i + 1] - a->name_offsets[i], 0);
        sum += mg_mix(mg_mix((uint64_t)a->kind, first + i), id);
    }
    return sum;
}

uint64_t mg_ids_sum(meguri_ctx *ctx, const mg_ids_of *ids) {
    uint64_t count = ids->positions.end - ids->positions.begin;
    return mg_sum_over(ctx, mg_threads(ctx, count, GRAIN), count, sum_ids, ids);
}
