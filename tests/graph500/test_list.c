/* The edge list in all its forms is the list that meguri_gen_kronecker_pairs gives. */
#define _GNU_SOURCE
#include "graph500/graph500.h"
#include "graph500/lists.h"

static void compare(const mg_edge_view *view, const edge_list *wanted, uint64_t step) {
    uint32_t room[2 * MG_LOOK];
    float weights[MG_LOOK];
    assert_int_equal(view->count, wanted->count);
    for (uint64_t at = 0; at < view->count; at += step) {
        uint64_t end = MG_MIN(view->count, at + step);
        assert_memory_equal(view->look(view, room, at, end), wanted->pairs + 2 * at, (end - at) * 8);
        if (wanted->weights)
            assert_memory_equal(view->weigh(view, weights, at, end), wanted->weights + at, (end - at) * 4);
    }
}

static void every_form(void **state) {
    (void)state;
    for (uint32_t scale = 1; scale <= 17; scale++) {
        uint32_t edge_factor = scale < 12 ? 16 : scale < 15 ? 7 : 1; /* more than one piece of the packing from 12 on */
        edge_list wanted = list_kronecker(scale, edge_factor, 9);
        bool weighted = scale % 2;
        if (weighted) list_weigh(&wanted, 9);
        for (size_t t = 0; t < THREAD_COUNTS; t++) {
            meguri_ctx *ctx = context_with(thread_counts[t]);
            meguri_graph500_options o = {
                .size = sizeof o, .validate = 1, .scale = scale, .edge_factor = edge_factor, .seed = 9};
            mg_graph500_list list;
            assert_int_equal(mg_graph500_list_new(&list, ctx, &o, weighted), MEGURI_OK);
            assert_memory_equal(list.blocks[0], wanted.pairs, MG_MIN(wanted.count, (uint64_t)1 << 20) * 8);
            assert_true(weighted == !!list.weights);
            if (weighted)
                assert_memory_equal(list.weights[0], wanted.weights, MG_MIN(wanted.count, (uint64_t)1 << 20) * 4);
            compare(&list.view, &wanted, MG_LOOK);
            compare(&list.view, &wanted, 37);
            assert_int_equal(mg_graph500_list_pack(ctx, &list), MEGURI_OK);
            assert_non_null(list.packed);
            assert_int_equal(list.edge_bytes, (2 * scale + 7) / 8);
            compare(&list.view, &wanted, MG_LOOK);
            compare(&list.view, &wanted, 37);
            mg_graph500_list_free(&list);
            context_done(ctx);
        }
        list_free(&wanted);
    }
}

/* Ids of up to 31 bits; a part of the list is enough. */
static void large_ids(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(2);
    for (uint32_t scale = 18; scale <= 31; scale++) {
        meguri_kronecker_options o = {.size = sizeof o, .scale = scale, .edge_factor = 1};
        mg_graph500_list list = {.scale = scale};
        uint32_t drawn[2 * MG_LOOK];
        assert_int_equal(mg_kronecker_new(&list.drawing, ctx, &o), MEGURI_OK);
        list.drawing->draw(list.drawing, drawn, NULL, 0, MG_LOOK);
        edge_list wanted = list_of((uint32_t)1 << scale, drawn, MG_LOOK);
        meguri_graph500_options again = {.size = sizeof again, .validate = 1, .scale = 8, .edge_factor = 1};
        mg_graph500_list other; /* for its functions */
        assert_int_equal(mg_graph500_list_new(&other, ctx, &again, false), MEGURI_OK);
        list.view = (mg_edge_view){.look = other.view.look, .count = MG_LOOK};
        compare(&list.view, &wanted, MG_LOOK);
        assert_int_equal(mg_graph500_list_pack(ctx, &list), MEGURI_OK);
        assert_true(list.view.look != other.view.look);
        compare(&list.view, &wanted, 19);
        mg_graph500_list_free(&other);
        mg_graph500_list_free(&list);
        list_free(&wanted);
    }
    context_done(ctx);
}

/* Several blocks become one graph, and none of them is left. */
static void build(bool weighted) {
    meguri_ctx *ctx = context_with(2);
    meguri_graph500_options o = {.size = sizeof o, .validate = 1, .scale = 16, .edge_factor = 20, .seed = 2};
    meguri_kronecker_options k = {.size = sizeof k, .scale = 16, .edge_factor = 20, .seed = 2};
    if (weighted) k.weights = MEGURI_TYPE_F32;
    mg_graph500_list list;
    meguri_graph *graph, *wanted;
    assert_int_equal(mg_graph500_list_new(&list, ctx, &o, weighted), MEGURI_OK);
    assert_int_equal(list.block_count, 2);
    assert_int_equal(mg_graph500_list_build(&graph, ctx, &list), MEGURI_OK);
    assert_true(!list.blocks[0] && !list.blocks[1]);
    assert_true(!list.weights || (!list.weights[0] && !list.weights[1]));
    mg_graph500_list_free(&list);
    assert_int_equal(meguri_gen_kronecker(&wanted, ctx, &k), MEGURI_OK);
    assert_int_equal(graph->vertices, wanted->vertices);
    assert_int_equal(graph->edges, wanted->edges);
    assert_int_equal(graph->dropped_loops, wanted->dropped_loops);
    assert_int_equal(graph->dropped_duplicates, wanted->dropped_duplicates);
    for (uint64_t v = 0; v < graph->vertices; v += 97) {
        uint64_t row[2][64], degree[2];
        double weights[2][64];
        assert_int_equal(meguri_graph_neighbors(row[0], weights[0], NULL, 64, &degree[0], ctx, graph, v), MEGURI_OK);
        assert_int_equal(meguri_graph_neighbors(row[1], weights[1], NULL, 64, &degree[1], ctx, wanted, v), MEGURI_OK);
        assert_int_equal(degree[0], degree[1]);
        assert_memory_equal(row[0], row[1], MG_MIN(degree[0], 64u) * 8);
        assert_memory_equal(weights[0], weights[1], MG_MIN(degree[0], 64u) * 8);
    }
    meguri_graph_free(graph);
    meguri_graph_free(wanted);
    context_done(ctx);
}

static void the_graph_consumes_it(void **state) {
    (void)state;
    build(false);
    build(true);
}

/* Where there is no memory to keep it, it is drawn at every look, and the trees are validated all the same. */
static void little_memory(void **state) {
    (void)state;
    meguri_ctx *ctx;
    meguri_ctx_options options = {.size = sizeof options, .threads = 2, .memory = 700000};
    assert_int_equal(meguri_ctx_new(&ctx, &options), MEGURI_OK);
    meguri_graph500_options o = {.size = sizeof o, .validate = 1, .scale = 11, .edge_factor = 16};
    edge_list wanted = list_kronecker(11, 16, 1);
    list_weigh(&wanted, 1);
    mg_graph500_list list;
    assert_int_equal(mg_graph500_list_new(&list, ctx, &o, true), MEGURI_OK);
    void *hog = mg_alloc(ctx, mg_memory_left(ctx) - 1000, "a test");
    assert_int_equal(mg_graph500_list_pack(ctx, &list), MEGURI_OK);
    assert_null(list.packed);
    assert_string_equal(meguri_ctx_error(ctx), "");
    compare(&list.view, &wanted, MG_LOOK);
    mg_free(hog);
    mg_graph500_list_free(&list);
    list_free(&wanted);
    context_done(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form),
        cmocka_unit_test(large_ids),
        cmocka_unit_test(the_graph_consumes_it),
        cmocka_unit_test(little_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
