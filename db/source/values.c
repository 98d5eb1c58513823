/* A column of a result as values of a database: whole numbers, real ones, and the ids of vertices. What a vertex has
 * not (an infinite distance, no parent) is null. */
#include "source/values.h"

#include <inttypes.h>
#include <math.h>
#include <meguri/extra/words.h>
#include <string.h>
#include <xxhash.h>

enum { PIECE = 65536 }; /* items between two looks at a cancel */
static meguri_status no_such_column(meguri_ctx *ctx, const meguri_result *result, const char *name) {
    enum { MOST = 64 };
    const char *names[MOST];
    char hint[640];
    uint32_t count = 0;
    for (uint32_t c = 0; c < meguri_result_column_count(result) && count < MOST; c++) {
        meguri_column column = {.size = sizeof column};
        if (meguri_result_column_at(&column, result, c) == MEGURI_OK) names[count++] = column.name;
    }
    meguri_did_you_mean(hint, sizeof hint, name, names, count, "");
    return mg_source_fail(ctx, MEGURI_BAD_ARGUMENT, "the result has no column '%.200s'%s", name, hint);
}

static meguri_status take_column(mg_values *out, meguri_ctx *ctx, const meguri_result *result, const char *name) {
    uint32_t count = meguri_result_column_count(result), found = 0;
    out->column.size = sizeof out->column;
    if (name) {
        if (meguri_result_column(&out->column, result, name) == MEGURI_OK) return MEGURI_OK;
        return no_such_column(ctx, result, name);
    }
    for (uint32_t c = 0; c < count; c++) {
        meguri_column column = {.size = sizeof column};
        meguri_status status = meguri_result_column_at(&column, result, c);
        if (status != MEGURI_OK) return status;
        if (count > 1 && strcmp(column.name, "parent") == 0) continue;
        out->column = column;
        found++;
    }
    if (found == 1) return MEGURI_OK;
    return mg_source_fail(ctx, MEGURI_BAD_ARGUMENT, "the result has %" PRIu32 " columns; name the one to be written.",
                          count);
}

static const void *item_of(const mg_values *values, uint64_t vertex) {
    return (const char *)values->column.data + vertex * values->column.stride;
}

/* Whole numbers of a database have 63 bits and a sign. */
static meguri_status check_numbers(const mg_values *values, meguri_ctx *ctx) {
    for (uint64_t v = 0; values->column.type == MEGURI_TYPE_U64 && v < values->column.count; v++) {
        uint64_t number = *(const uint64_t *)item_of(values, v);
        if (v % PIECE == 0 && meguri_ctx_progress(ctx, "check", v, values->column.count) != MEGURI_OK)
            return MEGURI_CANCELLED;
        if (number > INT64_MAX && number != UINT64_MAX)
            return mg_source_fail(ctx, MEGURI_BAD_INPUT,
                                  "the column %s has %" PRIu64 ", and no whole number of a database is above 2^63 - 1.",
                                  values->name, number);
    }
    return MEGURI_OK;
}

meguri_status mg_values_take(mg_values *out, meguri_ctx *ctx, const meguri_graph *graph, const meguri_result *result,
                             const char *name) {
    meguri_graph_info info = {.size = sizeof info};
    *out = (mg_values){.graph = graph};
    meguri_status status = meguri_graph_get_info(&info, ctx, graph);
    if (status == MEGURI_OK) status = take_column(out, ctx, result, name);
    if (status != MEGURI_OK) return status;
    out->kind = info.id_kind;
    out->name = out->column.name;
    if (out->column.count != info.vertices)
        return mg_source_fail(ctx, MEGURI_BAD_ARGUMENT,
                              "the column %s has %" PRIu64 " items and the graph %" PRIu64
                              " vertices: give the graph that the result is about.",
                              out->name, out->column.count, info.vertices);
    if (out->column.type == MEGURI_TYPE_VERTEX && out->column.item_bytes != 4)
        return mg_source_fail(ctx, MEGURI_BAD_ARGUMENT, "the column %s is one of a graph in parts.", out->name);
    return check_numbers(out, ctx);
}

meguri_status mg_values_pack_id(mg_bytes *out, meguri_ctx *ctx, const mg_values *values, uint32_t vertex) {
    const char *name;
    size_t length;
    uint64_t id;
    meguri_status status;
    if (values->kind == MEGURI_ID_STRING) {
        status = meguri_graph_names(&name, &length, ctx, values->graph, vertex, 1);
        if (status == MEGURI_OK) mg_pack_text(out, name, length);
    } else {
        status = meguri_graph_ids(&id, ctx, values->graph, vertex, 1);
        if (status == MEGURI_OK) mg_pack_integer(out, (int64_t)id);
    }
    return status;
}

static int64_t level_of(const meguri_column *column, const void *item) {
    return column->item_bytes == 1   ? *(const int8_t *)item
           : column->item_bytes == 2 ? *(const int16_t *)item
                                     : *(const int32_t *)item;
}

meguri_status mg_values_pack(mg_bytes *out, meguri_ctx *ctx, const mg_values *values, uint32_t vertex) {
    const void *item = item_of(values, vertex);
    switch (values->column.type) {
    case MEGURI_TYPE_I8: mg_pack_integer(out, *(const int8_t *)item); break;
    case MEGURI_TYPE_I16: mg_pack_integer(out, *(const int16_t *)item); break;
    case MEGURI_TYPE_I32: mg_pack_integer(out, level_of(&values->column, item)); break;
    case MEGURI_TYPE_U64:
        if (*(const uint64_t *)item == UINT64_MAX) mg_pack_null(out);
        else mg_pack_integer(out, (int64_t) * (const uint64_t *)item);
        break;
    case MEGURI_TYPE_F64:
        if (*(const double *)item == HUGE_VAL) mg_pack_null(out);
        else mg_pack_real(out, *(const double *)item);
        break;
    case MEGURI_TYPE_VERTEX:
        if (*(const uint32_t *)item != UINT32_MAX) return mg_values_pack_id(out, ctx, values, *(const uint32_t *)item);
        mg_pack_null(out);
        break;
    default: break;
    }
    return MEGURI_OK;
}

meguri_status mg_values_hash(uint64_t *out, meguri_ctx *ctx, const mg_values *values) {
    const meguri_column *c = &values->column;
    size_t size = c->item_bytes;
    *out = c->count;
    for (uint64_t first = 0; first < c->count; first += PIECE) {
        uint64_t count = MG_MIN(c->count - first, (uint64_t)PIECE);
        if (meguri_ctx_progress(ctx, "match", first, c->count) != MEGURI_OK) return MEGURI_CANCELLED;
        if (c->stride == size) *out = XXH3_64bits_withSeed(item_of(values, first), count * size, *out);
        else
            for (uint64_t v = first; v < first + count; v++)
                *out = XXH3_64bits_withSeed(item_of(values, v), size, *out);
    }
    return MEGURI_OK;
}
