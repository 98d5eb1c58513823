/* Results: named columns and facts, the same for every algorithm. */
#include "base/base.h"

#include <string.h>

/* A fact is set after every search of a handle, so there is room for all of them from the start: nothing fails then. */
#define FACTS 32

struct meguri_result {
    meguri_column *columns; /* their names are owned */
    uint32_t column_count, column_capacity;
    meguri_table_kind kind;
    void **blocks; /* the memory behind the columns */
    uint32_t block_count, block_capacity;
    meguri_fact facts[FACTS];
    uint32_t fact_count;
};

size_t mg_column_size(meguri_type type) {
    return type == MEGURI_TYPE_VERTEX ? sizeof(uint32_t) : meguri_type_bytes(type);
}

/* ---- making ----------------------------------------------------------------------------------------------------- */

meguri_status mg_result_new(meguri_result **out, meguri_ctx *ctx) {
    *out = mg_alloc_zero(ctx, sizeof **out, "a result");
    if (!*out) return MEGURI_NO_MEMORY;
    (*out)->kind = MEGURI_TABLE_VERTICES;
    return MEGURI_OK;
}

void mg_result_set_kind(meguri_result *result, meguri_table_kind kind) { result->kind = kind; }

meguri_status mg_result_own(meguri_ctx *ctx, meguri_result *result, void *block) {
    if (result->block_count == result->block_capacity) {
        uint32_t capacity = result->block_capacity ? 2 * result->block_capacity : 4;
        void *grown = mg_resize(ctx, result->blocks, capacity * sizeof *result->blocks, "a result");
        if (!grown) {
            mg_free(block);
            return MEGURI_NO_MEMORY;
        }
        result->blocks = grown;
        result->block_capacity = capacity;
    }
    result->blocks[result->block_count++] = block;
    return MEGURI_OK;
}

static meguri_status add_column(meguri_ctx *ctx, meguri_result *result, const char *name, meguri_type type,
                                uint32_t bytes, const void *data, uint64_t count, uint64_t stride) {
    if (result->column_count == result->column_capacity) {
        uint32_t capacity = result->column_capacity ? 2 * result->column_capacity : 4;
        void *grown = mg_resize(ctx, result->columns, capacity * sizeof *result->columns, "the columns of a result");
        if (!grown) return MEGURI_NO_MEMORY;
        result->columns = grown;
        result->column_capacity = capacity;
    }
    char *copy = mg_strdup(ctx, name, "the name of a column");
    if (!copy) return MEGURI_NO_MEMORY;
    result->columns[result->column_count++] = (meguri_column){.size = sizeof(meguri_column),
                                                              .name = copy,
                                                              .type = type,
                                                              .item_bytes = bytes,
                                                              .count = count,
                                                              .data = data,
                                                              .stride = stride};
    return MEGURI_OK;
}

meguri_status mg_result_add_column(meguri_ctx *ctx, meguri_result *result, const char *name, meguri_type type,
                                   const void *data, uint64_t count, uint64_t stride) {
    return add_column(ctx, result, name, type, (uint32_t)mg_column_size(type), data, count, stride);
}

meguri_status mg_result_add_levels(meguri_ctx *ctx, meguri_result *result, const char *name, uint32_t bytes,
                                   const void *data, uint64_t count, uint64_t stride) {
    return add_column(ctx, result, name, MEGURI_TYPE_I32, bytes, data, count, stride);
}

meguri_status mg_result_add_vertices(meguri_ctx *ctx, meguri_result *result, const char *name, uint32_t bytes,
                                     const void *data, uint64_t count, uint64_t stride) {
    return add_column(ctx, result, name, MEGURI_TYPE_VERTEX, bytes, data, count, stride);
}

static meguri_fact *fact_named(meguri_result *result, const char *name) {
    uint32_t i = 0;
    while (i < result->fact_count && strcmp(result->facts[i].name, name) != 0) i++;
    if (i == FACTS) return NULL;
    if (i == result->fact_count) result->facts[result->fact_count++] = (meguri_fact){.name = name};
    return &result->facts[i];
}

meguri_status mg_result_set_number(meguri_ctx *ctx, meguri_result *result, const char *name, uint64_t number) {
    meguri_fact *fact = fact_named(result, name);
    if (!fact) return mg_fail(ctx, MEGURI_NO_MEMORY, "a result has no room for the fact %s.", name);
    *fact = (meguri_fact){.name = name, .type = MEGURI_TYPE_U64, .number = number, .real = (double)number};
    return MEGURI_OK;
}

meguri_status mg_result_set_real(meguri_ctx *ctx, meguri_result *result, const char *name, double real) {
    meguri_fact *fact = fact_named(result, name);
    if (!fact) return mg_fail(ctx, MEGURI_NO_MEMORY, "a result has no room for the fact %s.", name);
    *fact = (meguri_fact){.name = name, .type = MEGURI_TYPE_F64, .real = real};
    return MEGURI_OK;
}

meguri_status mg_result_set_text(meguri_ctx *ctx, meguri_result *result, const char *name, const char *text) {
    meguri_fact *fact = fact_named(result, name);
    if (!fact) return mg_fail(ctx, MEGURI_NO_MEMORY, "a result has no room for the fact %s.", name);
    *fact = (meguri_fact){.name = name, .type = MEGURI_TYPE_TEXT, .text = text};
    return MEGURI_OK;
}

void meguri_result_free(meguri_result *result) {
    if (!result) return;
    for (uint32_t i = 0; i < result->column_count; i++) mg_free((void *)result->columns[i].name);
    for (uint32_t i = 0; i < result->block_count; i++) mg_free(result->blocks[i]);
    mg_free(result->blocks);
    mg_free(result->columns);
    mg_free(result);
}

/* A copy of a column as items without gaps of `size`, which is as wide or wider. */
static void copy_items(void *to, const meguri_column *from, size_t size) {
    for (uint64_t v = 0; v < from->count; v++) {
        const char *item = (const char *)from->data + v * from->stride;
        if (from->item_bytes == size) memcpy((char *)to + v * size, item, size);
        else ((int32_t *)to)[v] = (int32_t)mg_column_integer(from, item);
    }
}

static meguri_status items_of(const void **out, void **owned, meguri_ctx *ctx, const meguri_result *result,
                              const char *name, meguri_type type, size_t bytes, uint64_t count) {
    meguri_column c = {.size = sizeof c};
    *out = *owned = NULL;
    if (meguri_result_column(&c, result, name) != MEGURI_OK) return MEGURI_OK;
    bool levels = type == MEGURI_TYPE_I32 && (c.type == MEGURI_TYPE_I8 || c.type == MEGURI_TYPE_I16 || c.type == type);
    bool narrow = levels && c.item_bytes < bytes;
    if ((c.type != type || c.item_bytes != bytes) && !narrow)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "the column %s is not of the type that this algorithm gives it.",
                       name);
    if (c.count != count)
        return mg_fail(
            ctx, MEGURI_BAD_ARGUMENT,
            "the column %s has %llu items, and there should be %llu: give the graph that the result is about.", name,
            (unsigned long long)c.count, (unsigned long long)count);
    *out = c.data;
    if (!narrow && c.stride == bytes) return MEGURI_OK;
    *out = *owned = mg_alloc_array(ctx, count, bytes, "a column to be checked");
    if (!*owned) return MEGURI_NO_MEMORY;
    copy_items(*owned, &c, bytes);
    return MEGURI_OK;
}

meguri_status mg_result_items(const void **out, void **owned, meguri_ctx *ctx, const meguri_result *result,
                              const char *name, meguri_type type, uint64_t count) {
    return items_of(out, owned, ctx, result, name, type, mg_column_size(type), count);
}

meguri_status mg_result_vertices(const void **out, void **owned, meguri_ctx *ctx, const meguri_result *result,
                                 const char *name, uint32_t bytes, uint64_t count) {
    return items_of(out, owned, ctx, result, name, MEGURI_TYPE_VERTEX, bytes, count);
}

/* ---- asking ----------------------------------------------------------------------------------------------------- */

static const char *const kinds[] = {
    [MEGURI_TABLE_VERTICES] = "vertices", [MEGURI_TABLE_EDGES] = "edges", [MEGURI_TABLE_PAIRS] = "pairs",
    [MEGURI_TABLE_ROWS] = "rows",         [MEGURI_TABLE_VALUE] = "value", [MEGURI_TABLE_GRAPH] = "graph"};

const char *meguri_table_kind_name(meguri_table_kind kind) {
    return kind >= MEGURI_TABLE_VERTICES && kind <= MEGURI_TABLE_GRAPH ? kinds[kind] : "unknown";
}

uint32_t meguri_result_table_count(const meguri_result *result) { return result != NULL; }

meguri_status meguri_result_table_at(meguri_result_table_info *out, const meguri_result *result, uint32_t index) {
    if (!out || !result) return MEGURI_BAD_ARGUMENT;
    if (index >= meguri_result_table_count(result)) return MEGURI_NOT_FOUND;
    const meguri_result_table_info info = {.size = sizeof info,
                                           .name = kinds[result->kind],
                                           .kind = result->kind,
                                           .columns = result->column_count,
                                           .rows = result->column_count ? result->columns[0].count : 0,
                                           .table = result};
    return mg_hand_out(NULL, out, sizeof *out, &info, NULL);
}

uint32_t meguri_result_column_count(const meguri_result *result) { return result ? result->column_count : 0; }
uint32_t meguri_result_fact_count(const meguri_result *result) { return result ? result->fact_count : 0; }

meguri_status mg_hand_out(meguri_ctx *ctx, void *out, size_t known, const void *item, const char *name) {
    size_t size;
    memcpy(&size, out, sizeof size);
    if (size < sizeof size || size > 4096) {
        if (!ctx) return MEGURI_BAD_ARGUMENT;
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "the size field of %s is not set: set it to sizeof(%s).", name, name);
    }
    memset(out, 0, size);
    memcpy(out, item, MG_MIN(size, known));
    memcpy(out, &size, sizeof size);
    return MEGURI_OK;
}

meguri_status meguri_result_column_at(meguri_column *out, const meguri_result *result, uint32_t index) {
    if (!out || !result) return MEGURI_BAD_ARGUMENT;
    if (index >= result->column_count) return MEGURI_NOT_FOUND;
    return mg_hand_out(NULL, out, sizeof *out, &result->columns[index], NULL);
}

meguri_status meguri_result_column(meguri_column *out, const meguri_result *result, const char *name) {
    if (!out || !result || !name) return MEGURI_BAD_ARGUMENT;
    uint32_t i = 0;
    while (i < result->column_count && strcmp(result->columns[i].name, name) != 0) i++;
    return meguri_result_column_at(out, result, i);
}

meguri_status meguri_result_fact_at(meguri_fact *out, const meguri_result *result, uint32_t index) {
    if (!out || !result) return MEGURI_BAD_ARGUMENT;
    if (index >= result->fact_count) return MEGURI_NOT_FOUND;
    return mg_hand_out(NULL, out, sizeof *out, &result->facts[index], NULL);
}

meguri_status meguri_result_fact(meguri_fact *out, const meguri_result *result, const char *name) {
    if (!out || !result || !name) return MEGURI_BAD_ARGUMENT;
    uint32_t i = 0;
    while (i < result->fact_count && strcmp(result->facts[i].name, name) != 0) i++;
    return meguri_result_fact_at(out, result, i);
}
