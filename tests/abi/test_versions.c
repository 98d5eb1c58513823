/* Programs of other versions of the library: their structs are shorter (compiled against earlier headers) or longer
 * (later headers), alone, behind pointers of other structs and in arrays; the same call does the same. */
#define _GNU_SOURCE /* what unit.h uses */
#include "support/unit.h"

#include <meguri.h>
#include <string.h>

/* What a later version may have added to a struct. */
#define LATER(type)                                                                                                    \
    struct {                                                                                                           \
        type now;                                                                                                      \
        uint64_t more[3];                                                                                              \
    }
/* The size of a struct when `member` was its last one. */
#define UP_TO(type, member) (offsetof(type, member) + sizeof(((type *)0)->member))

/* A cycle 0 → 1 → 2 → 3 → 0, whose edges have weights 1, 2, 3 and 4 and two columns. */
static const uint64_t from[] = {0, 1, 2, 3}, to[] = {1, 2, 3, 0};
static const uint32_t weights[] = {1, 2, 3, 4}, tolls[] = {5, 6, 7, 8}, lanes[] = {1, 1, 2, 3};

static meguri_edge_arrays cycle(void) {
    return (meguri_edge_arrays){.size = sizeof(meguri_edge_arrays),
                                .count = 4,
                                .from = from,
                                .to = to,
                                .weights = weights,
                                .weight_type = MEGURI_TYPE_U32};
}

static void done(const meguri_ctx *ctx, meguri_status status) {
    if (status != MEGURI_OK) fail_msg("%s", meguri_ctx_error(ctx));
}

static double rank_of(meguri_ctx *ctx, const meguri_graph *graph, const void *options) {
    meguri_result *result = NULL;
    meguri_fact iterations = {.size = sizeof iterations};
    done(ctx, meguri_pagerank(&result, ctx, graph, options));
    done(ctx, meguri_result_fact(&iterations, result, "iterations"));
    meguri_result_free(result);
    return (double)iterations.number;
}

static void options_alone(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    meguri_graph *graph = NULL;
    const meguri_edge_arrays edges = cycle();
    done(ctx, meguri_graph_from_edges(&graph, ctx, &edges, NULL));

    LATER(meguri_pagerank_options) later = {0};
    meguri_pagerank_options_init(&later.now, sizeof later);
    assert_int_equal(later.now.size, sizeof later);
    later.now.iterations = 7;
    assert_true(rank_of(ctx, graph, &later) == 7);
    later.more[1] = 1; /* asks for something that this version does not know */
    meguri_result *result = NULL;
    assert_int_equal(meguri_pagerank(&result, ctx, graph, &later.now), MEGURI_BAD_ARGUMENT);
    assert_null(result);

    /* Of an earlier version, without `tolerance` and what follows: they have their defaults, whatever lies there. */
    meguri_pagerank_options earlier;
    memset(&earlier, 0xa5, sizeof earlier);
    meguri_pagerank_options_init(&earlier, UP_TO(meguri_pagerank_options, iterations));
    earlier.iterations = 5;
    assert_true(rank_of(ctx, graph, &earlier) == 5);
    meguri_graph_free(graph);
    context_done(ctx);
}

static void nested(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    LATER(meguri_build_options) build = {0};
    meguri_build_options_init(&build.now, sizeof build);
    LATER(meguri_grid_options) grid = {0};
    meguri_grid_options_init(&grid.now, sizeof grid);
    grid.now.width = grid.now.height = 4;
    meguri_build_options earlier;
    memset(&earlier, 0xa5, sizeof earlier);
    meguri_build_options_init(&earlier, UP_TO(meguri_build_options, direction));
    const meguri_build_options *const versions[] = {&build.now, &earlier};
    for (size_t i = 0; i < COUNT_OF(versions); i++) {
        meguri_graph *graph = NULL;
        grid.now.build = versions[i];
        done(ctx, meguri_gen_grid(&graph, ctx, &grid.now));
        meguri_graph_info info = {.size = sizeof info};
        done(ctx, meguri_graph_get_info(&info, ctx, graph));
        assert_int_equal(info.vertices, 16);
        meguri_graph_free(graph);
    }
    build.more[0] = 1;
    grid.now.build = &build.now;
    meguri_graph *graph = NULL;
    assert_int_equal(meguri_gen_grid(&graph, ctx, &grid.now), MEGURI_BAD_ARGUMENT);
    context_done(ctx);
}

static meguri_status take_cost(void *user, uint64_t index, const meguri_path_answer *answer) {
    ((double *)user)[index] = answer->cost;
    return MEGURI_OK;
}

static void in_arrays(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    LATER(meguri_column_data)
    columns[2] = {{.now = {.size = sizeof columns[0], .name = "toll", .type = MEGURI_TYPE_U32, .values = tolls}},
                  {.now = {.size = sizeof columns[0], .name = "lanes", .type = MEGURI_TYPE_U32, .values = lanes}}};
    LATER(meguri_edge_arrays) edges = {.now = cycle()};
    edges.now.size = sizeof edges;
    edges.now.columns = &columns[0].now;
    edges.now.column_count = 2;
    meguri_graph *graph = NULL;
    done(ctx, meguri_graph_from_edges(&graph, ctx, &edges.now, NULL));
    uint32_t column;
    uint64_t edge = 0;
    meguri_column_info info = {.size = sizeof info};
    done(ctx, meguri_graph_find_edge_column(&column, ctx, graph, "lanes"));
    done(ctx, meguri_graph_edge_column(&info, ctx, graph, column));
    assert_string_equal(info.name, "lanes");
    assert_int_equal(info.type, MEGURI_TYPE_U32);
    for (edge = 0; edge < 4; edge++) { /* an edge number follows from where the edge is stored */
        uint64_t tail;
        uint32_t found;
        done(ctx, meguri_graph_edges(&tail, NULL, NULL, ctx, graph, &edge, 1));
        done(ctx, meguri_graph_edge_values(&found, NULL, ctx, graph, column, &edge, 1));
        assert_int_equal(found, lanes[tail]);
    }

    /* Questions about paths. */
    LATER(meguri_path_query) queries[3];
    memset(queries, 0, sizeof queries);
    for (uint64_t i = 0; i < COUNT_OF(queries); i++) {
        queries[i].now.size = sizeof queries[i];
        queries[i].now.to = i + 1;
    }
    meguri_path_finder *finder = NULL;
    meguri_path_search *search = NULL;
    double costs[3] = {0};
    done(ctx, meguri_path_finder_new(&finder, ctx, graph, NULL));
    done(ctx, meguri_path_search_new(&search, ctx, finder));
    done(ctx, meguri_path_many(ctx, search, &queries[0].now, COUNT_OF(queries), NULL, take_cost, costs));
    assert_true(costs[0] == 1 && costs[1] == 3 && costs[2] == 6);
    meguri_path_search_free(search);
    meguri_path_finder_free(finder);
    meguri_graph_free(graph);
    context_done(ctx);
}

/* Structs that the library fills: no byte beyond their size, and zeros where it knows no more. */
static void filled(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    meguri_graph *graph = NULL;
    const meguri_edge_arrays edges = cycle();
    done(ctx, meguri_graph_from_edges(&graph, ctx, &edges, NULL));

    LATER(meguri_graph_info) later;
    memset(&later, 0xa5, sizeof later);
    later.now.size = sizeof later;
    done(ctx, meguri_graph_get_info(&later.now, ctx, graph));
    assert_int_equal(later.now.edges, 4);
    for (size_t i = 0; i < COUNT_OF(later.more); i++) assert_int_equal(later.more[i], 0);

    meguri_graph_info earlier;
    memset(&earlier, 0xa5, sizeof earlier);
    const size_t size = earlier.size = UP_TO(meguri_graph_info, arcs);
    done(ctx, meguri_graph_get_info(&earlier, ctx, graph));
    assert_int_equal(earlier.size, size);
    assert_int_equal(earlier.arcs, 4);
    for (size_t i = size; i < sizeof earlier; i++) assert_int_equal(((unsigned char *)&earlier)[i], 0xa5);
    meguri_graph_free(graph);
    context_done(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(options_alone), cmocka_unit_test(nested),
                                       cmocka_unit_test(in_arrays), cmocka_unit_test(filled)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
