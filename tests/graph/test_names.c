/* String ids: numbering by first appearance, merging, and finding them in a graph. */
#include "graph/internal.h"
#include "support/zoo.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static void numbered_by_first_appearance(void **state) {
    (void)state;
    meguri_ctx *ctx;
    mg_names *names;
    uint32_t number;
    assert_int_equal(meguri_ctx_new(&ctx, NULL), MEGURI_OK);
    assert_int_equal(mg_names_new(&names, ctx), MEGURI_OK);
    for (int round = 0; round < 2; round++)
        for (uint32_t i = 0; i < 20000; i++) {
            char text[32];
            int length = snprintf(text, sizeof text, "v%u", i * 7919 % 20000);
            assert_int_equal(mg_names_add(ctx, names, text, (size_t)length, &number), MEGURI_OK);
            assert_int_equal(number, i);
        }
    assert_int_equal(mg_names_count(names), 20000);
    size_t length;
    const char *text = mg_names_get(names, 1, &length);
    assert_int_equal(length, 5);
    assert_memory_equal(text, "v7919", 5);
    mg_names_free(names);
    meguri_ctx_free(ctx);
}

static void merged_in_order(void **state) {
    (void)state;
    meguri_ctx *ctx;
    mg_names *all, *local;
    uint32_t number, map[3];
    assert_int_equal(meguri_ctx_new(&ctx, NULL), MEGURI_OK);
    assert_int_equal(mg_names_new(&all, ctx), MEGURI_OK);
    assert_int_equal(mg_names_new(&local, ctx), MEGURI_OK);
    assert_int_equal(mg_names_add(ctx, all, "b", 1, &number), MEGURI_OK);
    assert_int_equal(mg_names_add(ctx, all, "", 0, &number), MEGURI_OK);
    assert_int_equal(mg_names_add(ctx, local, "a", 1, &number), MEGURI_OK);
    assert_int_equal(mg_names_add(ctx, local, "", 0, &number), MEGURI_OK);
    assert_int_equal(mg_names_add(ctx, local, "b", 1, &number), MEGURI_OK);
    assert_int_equal(mg_names_merge(ctx, all, local, map), MEGURI_OK);
    assert_int_equal(map[0], 2);
    assert_int_equal(map[1], 1);
    assert_int_equal(map[2], 0);
    mg_names_free(all);
    mg_names_free(local);
    meguri_ctx_free(ctx);
}

/* 五稜郭 → 函館 → "New York" → 函館, an id with a tab, an empty one. */
static const char *const stations[] = {"五稜郭", "函館", "New York", "a\tb", ""};

static meguri_status build_stations(meguri_graph **out, meguri_ctx *ctx) {
    mg_edges *edges = NULL;
    mg_names *names = NULL;
    mg_edge_block block = {.count = 5, .id_bytes = 4};
    meguri_build_options options = {.size = sizeof options, .direction = MEGURI_DIRECTED};
    *out = NULL;
    meguri_status status = mg_edges_new(&edges, ctx);
    if (status == MEGURI_OK) status = mg_names_new(&names, ctx);
    for (size_t i = 0; i < 5 && status == MEGURI_OK; i++) {
        uint32_t number;
        status = mg_names_add(ctx, names, stations[i], strlen(stations[i]), &number);
    }
    if (status == MEGURI_OK) {
        static const uint32_t pairs[] = {0, 1, 1, 2, 2, 1, 3, 0, 4, 3};
        block.ends = mg_alloc(ctx, sizeof pairs, "pairs");
        if (block.ends) {
            memcpy(block.ends, pairs, sizeof pairs);
            status = mg_edges_add(ctx, edges, &block);
        } else status = MEGURI_NO_MEMORY;
    }
    if (status == MEGURI_OK) {
        mg_edges_set_names(edges, names);
        names = NULL;
        status = mg_graph_build(out, ctx, edges, &options);
    }
    mg_names_free(names);
    mg_edges_free(edges);
    return status;
}

static void found_by_name(void **state) {
    (void)state;
    meguri_ctx *ctx;
    meguri_graph *graph;
    assert_int_equal(meguri_ctx_new(&ctx, NULL), MEGURI_OK);
    assert_int_equal(build_stations(&graph, ctx), MEGURI_OK);
    const char *text[5];
    size_t length[5];
    uint64_t vertex;
    assert_int_equal(meguri_graph_names(text, length, ctx, graph, 0, 5), MEGURI_OK);
    for (uint64_t i = 0; i < 5; i++) {
        assert_int_equal(length[i], strlen(stations[i]));
        assert_memory_equal(text[i], stations[i], length[i]);
        assert_int_equal(meguri_graph_find_name(&vertex, ctx, graph, stations[i], length[i]), MEGURI_OK);
        assert_int_equal(vertex, i);
        assert_int_equal(meguri_graph_find_text(&vertex, ctx, graph, stations[i]), MEGURI_OK);
        assert_int_equal(vertex, i);
    }
    assert_int_equal(meguri_graph_find_text(&vertex, ctx, graph, "札幌"), MEGURI_NOT_FOUND);
    assert_string_equal(meguri_ctx_error(ctx), "no vertex has the id '札幌'.");
    assert_int_equal(meguri_graph_find(&vertex, ctx, graph, 1), MEGURI_BAD_ARGUMENT);
    meguri_graph_free(graph);
    meguri_ctx_free(ctx);
}

/* The k-th allocation fails, for every k until nothing fails any more. */
static void every_allocation_may_fail(void **state) {
    (void)state;
    meguri_ctx *ctx;
    meguri_graph *graph = NULL;
    assert_int_equal(meguri_ctx_new(&ctx, NULL), MEGURI_OK);
    uint64_t k = 1;
    for (;; k++) {
        mg_begin(ctx);
        mg_memory_fail_at(ctx, k);
        meguri_status status = build_stations(&graph, ctx);
        mg_memory_fail_at(ctx, 0);
        if (status == MEGURI_OK) break;
        assert_int_equal(status, MEGURI_NO_MEMORY);
        assert_null(graph);
        assert_int_equal(meguri_ctx_memory_used(ctx), 0);
    }
    assert_true(k > 10);
    meguri_graph_free(graph);
    meguri_ctx_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbered_by_first_appearance),
        cmocka_unit_test(merged_in_order),
        cmocka_unit_test(found_by_name),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
