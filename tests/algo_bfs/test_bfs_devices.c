/* Breadth-first search on several devices, against the textbook search: each has its share of the arcs, and does its
 * part of every level; lists of devices, and what is wrong with some. */
#define _GNU_SOURCE
#include "algo_bfs/on_device.h"

#include <meguri.h>

static void shapes(void **state) {
    (void)state;
    for (int several = 0; several < 2; several++) {
        meguri_ctx *ctx = context_of_several(several);
        uint64_t seed = 21;
        zoo_graph g;
        for (int index = 0; shape_get(&g, index, 600); index++) {
            search_both_ways(ctx, &g, &seed, 2, NULL);
            zoo_free(&g);
        }
        for (int turn = 0; turn < 8; turn++) {
            g = shape_random(&seed, 1500);
            search_both_ways(ctx, &g, &seed, 2, NULL);
            zoo_free(&g);
        }
        context_done(ctx);
    }
}

/* Each has its share of the arcs, to a tenth, and looks at some of them in every way. */
static void even_shares(void **state) {
    (void)state;
    meguri_ctx *ctx = context_of_two(0);
    zoo_graph g = shape_kronecker(ctx, 12, 16);
    for (int direction = MEGURI_DIRECTED; direction <= MEGURI_UNDIRECTED; direction++) {
        meguri_build_options o = {.size = sizeof o, .direction = (meguri_direction)direction};
        subject s = subject_from_zoo(ctx, &g, &o);
        mg_device *devices[MG_DEVICES_MOST];
        uint32_t count;
        assert_int_equal(mg_device_get_all(devices, &count, ctx), MEGURI_OK);
        assert_int_equal(count, 2);
        for (int way = 0; way < WAYS; way++) {
            meguri_bfs_options options = way_options(way);
            options.engine = MEGURI_ENGINE_DEVICE;
            options.split_device = 1;
            uint64_t launches[2] = {devices[0]->launches, devices[1]->launches};
            meguri_result *result;
            uint64_t source = plain_hub(&s.plain);
            assert_int_equal(meguri_bfs(&result, ctx, s.graph, source, &options), MEGURI_OK);
            check_result(ctx, &s, source, &options, result);
            assert_int_equal(fact_of(result, "host_edges"), 0);
            expect_halves(result, s.graph->arcs);
            for (int i = 0; i < 2; i++) assert_true(devices[i]->launches > launches[i]);
            meguri_result_free(result);
        }
        for (int i = 0; i < 2; i++) assert_int_equal(devices[i]->used, 0);
        subject_free(&s);
    }
    zoo_free(&g);
    context_done(ctx);
}

/* Shares that do not fit come in parts; all of it shared with the host, too. */
static void in_parts(void **state) {
    (void)state;
    meguri_ctx *ctx = context_of_two(250 << 10);
    zoo_graph g = shape_kronecker(ctx, 11, 64);
    for (int direction = MEGURI_DIRECTED; direction <= MEGURI_UNDIRECTED; direction++) {
        meguri_build_options o = {.size = sizeof o, .direction = (meguri_direction)direction};
        subject s = subject_from_zoo(ctx, &g, &o);
        for (int way = 0; way < WAYS; way++) {
            meguri_bfs_options options = way_options(way);
            meguri_result *result;
            options.engine = MEGURI_ENGINE_DEVICE;
            options.split_host = way % 2;
            options.split_device = 1;
            assert_int_equal(meguri_bfs(&result, ctx, s.graph, 3, &options), MEGURI_OK);
            check_result(ctx, &s, 3, &options, result);
            assert_true(fact_of(result, "parts") > 2);
            meguri_result_free(result);
        }
        subject_free(&s);
    }
    zoo_free(&g);
    context_done(ctx);
}

static void lost(void **state) {
    (void)state;
    meguri_ctx *ctx = faulty_context_of("0,0");
    zoo_graph g = shape_kronecker(ctx, 7, 8);
    meguri_build_options o = {.size = sizeof o, .direction = MEGURI_DIRECTED};
    forced f = {.s = subject_from_zoo(ctx, &g, &o),
                .options = {.size = sizeof f.options,
                            .max_depth = UINT32_MAX,
                            .levels = 1,
                            .parents = 1,
                            .policy = MEGURI_BFS_FORCED,
                            .directions = "><>",
                            .engine = MEGURI_ENGINE_DEVICE,
                            .split_device = 1}};
    fail_each_call(ctx, search_once, &f);
    subject_free(&f.s);
    zoo_free(&g);
    context_done(ctx);
}

/* What a list may say, and who takes one. */
static void lists(void **state) {
    (void)state;
    static const struct {
        const char *list, *sentence;
        meguri_status status;
    } table[] = {{"0,", "has no name", MEGURI_BAD_ARGUMENT},
                 {",0", "has no name", MEGURI_BAD_ARGUMENT},
                 {"0,,0", "has no name", MEGURI_BAD_ARGUMENT},
                 {",", "has no name", MEGURI_BAD_ARGUMENT},
                 {"0,absent", "there is no device \"absent\" here", MEGURI_ENGINE_FAILED},
                 {"0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0", "more than 16 devices", MEGURI_BAD_ARGUMENT},
                 {"0, ,0", "has no name", MEGURI_BAD_ARGUMENT},
                 {" ", "has no name", MEGURI_BAD_ARGUMENT},
                 {"0, cpu ", NULL, MEGURI_OK},
                 {"0,cpu", NULL, MEGURI_OK}};
    for (size_t i = 0; i < COUNT_OF(table); i++) {
        meguri_ctx *ctx = device_context(table[i].list, 0);
        mg_device *devices[MG_DEVICES_MOST];
        uint32_t count;
        assert_int_equal(mg_device_get_all(devices, &count, ctx), table[i].status);
        if (table[i].sentence) assert_non_null(strstr(meguri_ctx_error(ctx), table[i].sentence));
        else assert_ptr_not_equal(devices[0], devices[1]);
        meguri_ctx_free(ctx);
    }
    meguri_ctx *ctx = device_context("0,0", 0);
    mg_device *one;
    expect_failure(ctx, mg_device_get(&one, ctx), MEGURI_ENGINE_FAILED, "name one instead of \"0,0\"");
    meguri_device_info info = {.size = sizeof info};
    assert_int_equal(meguri_device_get_info(&info, ctx, 0), MEGURI_OK);
    assert_true(info.chosen);
    context_done(ctx);
}

int main(void) {
    make_two_devices();
    const struct CMUnitTest tests[] = {cmocka_unit_test(shapes), cmocka_unit_test(even_shares),
                                       cmocka_unit_test(in_parts), cmocka_unit_test(lost), cmocka_unit_test(lists)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
