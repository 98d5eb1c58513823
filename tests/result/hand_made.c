#include "result/hand_made.h"

#include "graph/internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint64_t mixed(uint64_t i) { /* splitmix64's last part */
    uint64_t z = (i + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static double rank_of(uint64_t i) {
    uint64_t bits = mixed(i);
    double any;
    memcpy(&any, &bits, sizeof any);
    switch (i % 5) {
    case 0: return (double)i / 3;
    case 1: return i % 2 ? INFINITY : -INFINITY;
    case 2: return (double)i;
    default: return isnan(any) ? NAN : any;
    }
}

static void fill(void *data, meguri_type type, uint64_t i, uint64_t vertices) {
    int8_t small = (int8_t)(i * 7 % 120) - 1;
    int16_t middle = (int16_t)(i * 31 % 32000) - 1;
    int32_t level = (int32_t)(mixed(i) % 2147483000) - 1;
    uint64_t distance = i % 5 == 3 ? UINT64_MAX : mixed(i) >> i % 64;
    double rank = rank_of(i);
    uint32_t parent = i % 4 == 1 ? UINT32_MAX : (uint32_t)(mixed(i) % vertices);
    switch (type) {
    case MEGURI_TYPE_I8: memcpy(data, &small, sizeof small); break;
    case MEGURI_TYPE_I16: memcpy(data, &middle, sizeof middle); break;
    case MEGURI_TYPE_I32: memcpy(data, &level, sizeof level); break;
    case MEGURI_TYPE_U64: memcpy(data, &distance, sizeof distance); break;
    case MEGURI_TYPE_F64: memcpy(data, &rank, sizeof rank); break;
    case MEGURI_TYPE_VERTEX: memcpy(data, &parent, sizeof parent); break;
    default: break;
    }
}

static meguri_status add(meguri_ctx *ctx, meguri_result *result, const char *name, meguri_type type,
                         uint64_t vertices) {
    size_t size = mg_column_size(type);
    char *data = mg_alloc_array(ctx, vertices, size, "a column of a test");
    if (!data) return MEGURI_NO_MEMORY;
    for (uint64_t i = 0; i < vertices; i++) fill(data + i * size, type, i, vertices);
    meguri_status status = mg_result_own(ctx, result, data);
    return status == MEGURI_OK ? mg_result_add_column(ctx, result, name, type, data, vertices, size) : status;
}

static meguri_status add_sides(meguri_ctx *ctx, meguri_result *result, uint64_t vertices) {
    int8_t *data = mg_alloc_array(ctx, vertices, 2, "a column of a test");
    if (!data) return MEGURI_NO_MEMORY;
    for (uint64_t i = 0; i < 2 * vertices; i++) data[i] = (int8_t)mixed(i);
    meguri_status status = mg_result_own(ctx, result, data);
    if (status == MEGURI_OK) status = mg_result_add_column(ctx, result, "side_0", MEGURI_TYPE_I8, data, vertices, 2);
    if (status == MEGURI_OK)
        status = mg_result_add_column(ctx, result, "side_1", MEGURI_TYPE_I8, data + 1, vertices, 2);
    return status;
}

meguri_result *hand_made(meguri_ctx *ctx, uint64_t vertices, bool failing) {
    static const char *const names[] = {"small", "middle", "level", "distance", "rank", "parent"};
    meguri_result *result = NULL;
    meguri_status status = mg_result_new(&result, ctx);
    static const meguri_type types[] = {MEGURI_TYPE_I8,  MEGURI_TYPE_I16, MEGURI_TYPE_I32,
                                        MEGURI_TYPE_U64, MEGURI_TYPE_F64, MEGURI_TYPE_VERTEX};
    for (size_t i = 0; i < sizeof types / sizeof *types && status == MEGURI_OK; i++)
        status = add(ctx, result, names[i], types[i], vertices);
    if (status == MEGURI_OK) status = add_sides(ctx, result, vertices);
    if (status == MEGURI_OK) return result;
    if (!failing) abort();
    meguri_result_free(result);
    return NULL;
}

meguri_graph *graph_of_numbers(meguri_ctx *ctx, uint64_t vertices, uint64_t base, meguri_id_kind kind) {
    meguri_graph *g = mg_graph_shell(ctx);
    if (!g) abort();
    g->vertices = g->isolated = vertices;
    g->id_base = base;
    g->id_kind = kind;
    return g;
}

meguri_graph *graph_of_names(meguri_ctx *ctx, uint64_t vertices) {
    static const char *const pieces[] = {"\t", "\n", "\\", "\r", "x", "東京", " ", "\\t"};
    meguri_graph *g = graph_of_numbers(ctx, vertices, 0, MEGURI_ID_STRING);
    mg_names *names;
    uint32_t number;
    char name[512];
    if (mg_names_new(&names, ctx) != MEGURI_OK) abort();
    for (uint64_t i = 0; i < vertices; i++) {
        int length = i ? snprintf(name, sizeof name, "%llu", (unsigned long long)i) : 0;
        uint64_t more = mixed(i) % 3 == 0 ? mixed(i + 1) % 200 : mixed(i + 1) % 8;
        for (uint64_t k = 0; i && k < more && length < 400; k++)
            length += snprintf(name + length, sizeof name - (size_t)length, "%s", pieces[mixed(i * 1000 + k) % 8]);
        if (i % 11 == 3) name[length++] = '\0', name[length++] = '!'; /* a zero byte inside */
        if (mg_names_add(ctx, names, name, (size_t)length, &number) != MEGURI_OK || number != i) abort();
    }
    if (mg_names_into_graph(ctx, names, g) != MEGURI_OK) abort();
    mg_names_free(names);
    return g;
}
