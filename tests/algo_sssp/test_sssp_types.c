/* Types of distances follow the type that weights were declared to have, never the values. */
#define _GNU_SOURCE
#include "support/unit.h"

#include "algo/sssp/sssp.h"

#include <math.h>
#include <meguri/io.h>
#include <meguri/sssp.h>
#include <stdio.h>
#include <stdlib.h>

enum { EDGES = 4 };
static const uint64_t from[EDGES] = {0, 1, 2, 0}, to[EDGES] = {1, 2, 3, 2};

static meguri_graph *graph_of(meguri_ctx *ctx, meguri_type type, const void *weights) {
    const meguri_edge_arrays e = {.size = sizeof e,
                                  .count = EDGES,
                                  .from = from,
                                  .to = to,
                                  .weights = weights,
                                  .weight_type = type,
                                  .vertices = 5};
    meguri_graph *graph = NULL;
    if (meguri_graph_from_edges(&graph, ctx, &e, NULL) != MEGURI_OK) fail_msg("%s", meguri_ctx_error(ctx));
    return graph;
}

static void put(void *weights, meguri_type type, int i, double value) {
    switch (type) {
    case MEGURI_TYPE_I8: ((int8_t *)weights)[i] = (int8_t)value; break;
    case MEGURI_TYPE_I16: ((int16_t *)weights)[i] = (int16_t)value; break;
    case MEGURI_TYPE_I32: ((int32_t *)weights)[i] = (int32_t)value; break;
    case MEGURI_TYPE_I64: ((int64_t *)weights)[i] = (int64_t)value; break;
    case MEGURI_TYPE_U8: ((uint8_t *)weights)[i] = (uint8_t)value; break;
    case MEGURI_TYPE_U16: ((uint16_t *)weights)[i] = (uint16_t)value; break;
    case MEGURI_TYPE_U32: ((uint32_t *)weights)[i] = (uint32_t)value; break;
    case MEGURI_TYPE_U64: ((uint64_t *)weights)[i] = (uint64_t)value; break;
    case MEGURI_TYPE_F32: ((float *)weights)[i] = (float)value; break;
    default: ((double *)weights)[i] = value; break;
    }
}

/* Distances 0, w0, w0 + w1, w0 + w1 + w2 from 0, and an infinite one. */
static void check(meguri_ctx *ctx, const meguri_graph *graph, meguri_type type, const double want[5]) {
    const meguri_type distances = mg_type_is_real(type) ? MEGURI_TYPE_F64 : MEGURI_TYPE_U64;
    meguri_graph_info info = {.size = sizeof info};
    assert_int_equal(meguri_graph_get_info(&info, ctx, graph), MEGURI_OK);
    assert_int_equal(info.weight_type, type);
    meguri_sssp_search *search;
    assert_int_equal(meguri_sssp_search_new(&search, ctx, graph, NULL), MEGURI_OK);
    for (int turn = 0; turn < 2; turn++) {
        const meguri_result *result;
        meguri_column column = {.size = sizeof column};
        double got[5];
        assert_int_equal(meguri_sssp_search_run(&result, ctx, search, 0), MEGURI_OK);
        assert_int_equal(meguri_result_column(&column, result, "distance"), MEGURI_OK);
        assert_int_equal(column.type, distances);
        assert_int_equal(meguri_result_values(got, MEGURI_TYPE_F64, result, "distance", 0, 5), MEGURI_OK);
        assert_memory_equal(got, want, sizeof got);
        assert_true(meguri_column_is_none(&column, 4));
        meguri_fact fact = {.size = sizeof fact};
        assert_int_equal(meguri_result_fact(&fact, result, "farthest"), MEGURI_OK);
        assert_int_equal(fact.type, distances);
        assert_true(fact.real == want[3]);
        if (meguri_sssp_check(ctx, graph, result, NULL) != MEGURI_OK) fail_msg("%s", meguri_ctx_error(ctx));
    }
    meguri_sssp_search_free(search);
}

static const meguri_type all[] = {MEGURI_TYPE_I8,  MEGURI_TYPE_I16, MEGURI_TYPE_I32, MEGURI_TYPE_I64, MEGURI_TYPE_U8,
                                  MEGURI_TYPE_U16, MEGURI_TYPE_U32, MEGURI_TYPE_U64, MEGURI_TYPE_F32, MEGURI_TYPE_F64};

static void distances_have_the_declared_type(void **state) {
    (void)state;
    char folder[FOLDER_TEXT], path[FOLDER_TEXT + 16];
    folder_new(folder);
    snprintf(path, sizeof path, "%s/g.meg", folder);
    meguri_ctx *ctx = context_with(2);
    static const double values[EDGES] = {1, 2, 3, 100}, want[5] = {0, 1, 3, 6, INFINITY};
    for (size_t t = 0; t < COUNT_OF(all); t++) {
        uint64_t weights[EDGES];
        for (int i = 0; i < EDGES; i++) put(weights, all[t], i, values[i]);
        meguri_graph *graph = graph_of(ctx, all[t], weights), *opened;
        check(ctx, graph, all[t], want);
        meguri_graph_info info = {.size = sizeof info};
        assert_int_equal(meguri_graph_get_info(&info, ctx, graph), MEGURI_OK);
        assert_int_equal(info.weight_storage, MEGURI_TYPE_U8);
        if (meguri_save(ctx, graph, &(meguri_sink){.size = sizeof(meguri_sink), .path = path}, NULL) != MEGURI_OK)
            fail_msg("%s", meguri_ctx_error(ctx));
        if (meguri_open(&opened, ctx, path, NULL) != MEGURI_OK) fail_msg("%s", meguri_ctx_error(ctx));
        check(ctx, opened, all[t], want);
        meguri_graph_free(opened);
        meguri_graph_free(graph);
    }

    folder_remove(folder);
    context_done(ctx);
}

/* One that is wider, a fraction, parallel ones: the type stays. */
static void values_do_not_change_the_type(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    const double real[] = {1, 2.5, 3, 100}, whole[] = {1, 2, 3, 100};
    const int64_t large[] = {1, 5000000000, 3, 6000000000};
    const double far[5] = {0, 1, 3.5, 6.5, INFINITY}, near[5] = {0, 1, 3, 6, INFINITY},
                 wide[5] = {0, 1, 5000000001, 5000000004, INFINITY};
    meguri_graph *graphs[] = {graph_of(ctx, MEGURI_TYPE_F64, real), graph_of(ctx, MEGURI_TYPE_F64, whole),
                              graph_of(ctx, MEGURI_TYPE_I64, large)};
    check(ctx, graphs[0], MEGURI_TYPE_F64, far);
    check(ctx, graphs[1], MEGURI_TYPE_F64, near);
    check(ctx, graphs[2], MEGURI_TYPE_I64, wide);
    for (size_t i = 0; i < COUNT_OF(graphs); i++) meguri_graph_free(graphs[i]);
    context_done(ctx);
}

static void integers_beyond_2_53_are_refused(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    const int64_t most = (int64_t)1 << 53;
    int64_t weights[EDGES] = {1, -most, most, 4};
    meguri_graph_free(graph_of(ctx, MEGURI_TYPE_I64, weights));
    static const int64_t bad[] = {((int64_t)1 << 53) + 1, -((int64_t)1 << 53) - 1, INT64_MIN, INT64_MAX};
    for (size_t i = 0; i < 2 * COUNT_OF(bad); i++) {
        const bool is_unsigned = i >= COUNT_OF(bad);
        weights[1] = 7;
        weights[2] = bad[i % COUNT_OF(bad)];
        const meguri_edge_arrays e = {.size = sizeof e,
                                      .count = EDGES,
                                      .from = from,
                                      .to = to,
                                      .weights = weights,
                                      .weight_type = is_unsigned ? MEGURI_TYPE_U64 : MEGURI_TYPE_I64};
        meguri_graph *graph;
        assert_int_equal(meguri_graph_from_edges(&graph, ctx, &e, NULL), MEGURI_BAD_INPUT);
        assert_non_null(strstr(meguri_ctx_error(ctx), "of edge 2 cannot be stored exactly"));
        assert_null(graph);
    }
    context_done(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(distances_have_the_declared_type),
                                       cmocka_unit_test(values_do_not_change_the_type),
                                       cmocka_unit_test(integers_beyond_2_53_are_refused)};
    return cmocka_run_group_tests_name("sssp_types", tests, NULL, NULL);
}
