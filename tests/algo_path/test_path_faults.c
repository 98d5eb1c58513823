/* Questions that cannot be answered: wrong arguments, weights and coordinates that will not do, no memory, no time, a
 * user who has had enough. One clear sentence, nothing leaked, and the finder still works afterwards. */
#define _GNU_SOURCE
#include "algo_path/asking.h"
#include "support/faults.h"

static meguri_graph *town(meguri_ctx *ctx, uint64_t side) {
    meguri_grid_options g = {.size = sizeof g, .width = side, .height = side};
    meguri_graph *graph;
    assert_int_equal(meguri_gen_grid(&graph, ctx, &g), MEGURI_OK);
    return graph;
}

static meguri_graph *from_weights(meguri_ctx *ctx, const double *weights) {
    static const uint32_t from[] = {0, 1, 2}, to[] = {1, 2, 0};
    meguri_edge_arrays arrays = {.size = sizeof arrays,
                                 .count = 3,
                                 .from = from,
                                 .to = to,
                                 .id_bytes = 4,
                                 .weights = weights,
                                 .weight_type = weights ? MEGURI_TYPE_F64 : MEGURI_TYPE_NONE};
    meguri_graph *graph;
    assert_int_equal(meguri_graph_from_edges(&graph, ctx, &arrays, NULL), MEGURI_OK);
    return graph;
}

static void wrong_arguments(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(2);
    meguri_graph *graph = from_weights(ctx, NULL);
    meguri_path_search *search = (meguri_path_search *)1;
    meguri_path_finder *finder = (meguri_path_finder *)1;
    meguri_path_answer answer = {.size = sizeof answer};
    assert_int_equal(meguri_path_finder_new(NULL, ctx, graph, NULL), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_path_finder_new(&finder, NULL, graph, NULL), MEGURI_BAD_ARGUMENT);
    expect_failure(ctx, meguri_path_finder_new(&finder, ctx, NULL, NULL), MEGURI_BAD_ARGUMENT, "needs a graph");
    assert_null(finder);
    expect_failure(ctx, meguri_path_search_new(&search, ctx, NULL), MEGURI_BAD_ARGUMENT, "needs a finder");
    assert_null(search);
    meguri_path_finder_options o = {.size = sizeof o, .direction = (meguri_path_direction)3};
    expect_failure(ctx, meguri_path_finder_new(&finder, ctx, graph, &o), MEGURI_BAD_ARGUMENT, "direction 3");
    assert_int_equal(search_new(&search, ctx, graph, NULL), MEGURI_OK);

    meguri_path_query q = question(MEGURI_PATH_AUTO, 0, 3);
    expect_failure(ctx, meguri_path_search_run(&answer, ctx, search, &q, NULL, NULL), MEGURI_NOT_FOUND, "no vertex 3");
    q.from = 9, q.to = 0;
    expect_failure(ctx, meguri_path_search_run(&answer, ctx, search, &q, NULL, NULL), MEGURI_NOT_FOUND, "no vertex 9");
    q = question((meguri_path_algorithm)77, 0, 1);
    expect_failure(ctx, meguri_path_search_run(&answer, ctx, search, &q, NULL, NULL), MEGURI_BAD_ARGUMENT,
                   "no path algorithm 77");
    q = question(MEGURI_PATH_SIMPLE, 0, 1);
    expect_failure(ctx, meguri_path_search_run(&answer, ctx, search, &q, NULL, NULL), MEGURI_BAD_ARGUMENT,
                   "give a maximum");
    q = question(MEGURI_PATH_AUTO, 0, 1);
    q.has_max_cost = 1, q.max_cost = -1;
    expect_failure(ctx, meguri_path_search_run(&answer, ctx, search, &q, NULL, NULL), MEGURI_BAD_ARGUMENT,
                   "maximum cost");
    q.max_cost = NAN;
    expect_failure(ctx, meguri_path_search_run(&answer, ctx, search, &q, NULL, NULL), MEGURI_BAD_ARGUMENT,
                   "maximum cost");
    q = question(MEGURI_PATH_AUTO, 0, 1);
    q.timeout = NAN;
    expect_failure(ctx, meguri_path_search_run(&answer, ctx, search, &q, NULL, NULL), MEGURI_BAD_ARGUMENT, "time-out");
    q.timeout = 0;
    expect_failure(ctx, meguri_path_search_run(NULL, ctx, search, &q, NULL, NULL), MEGURI_BAD_ARGUMENT,
                   "place for the answer");
    expect_failure(ctx, meguri_path_search_run(&answer, ctx, NULL, &q, NULL, NULL), MEGURI_BAD_ARGUMENT,
                   "needs a handle");
    answer.size = 0;
    expect_failure(ctx, meguri_path_search_run(&answer, ctx, search, &q, NULL, NULL), MEGURI_BAD_ARGUMENT,
                   "meguri_path_answer");
    expect_failure(ctx, meguri_path_many(ctx, search, NULL, 1, NULL, NULL, NULL), MEGURI_BAD_ARGUMENT,
                   "meguri_path_many needs");
    answer.size = sizeof answer;
    q.algorithm = MEGURI_PATH_INDEXED;
    expect_failure(ctx, meguri_path_search_run(&answer, ctx, search, &q, NULL, NULL), MEGURI_BAD_ARGUMENT,
                   "has no index");
    q.algorithm = MEGURI_PATH_ASTAR;
    expect_failure(ctx, meguri_path_search_run(&answer, ctx, search, &q, NULL, NULL), MEGURI_BAD_INPUT,
                   "needs coordinates");
    search_free(search);
    search_free(NULL);
    meguri_graph_free(graph);
    context_done(ctx);
}

static void weights_that_are_no_lengths(void **state) {
    (void)state;
    static const struct {
        double weights[3];
        const char *part;
    } cases[] = {{{1, -2, 3}, "from 1 to 2 is -2"},
                 {{1.5, 2, INFINITY}, "from 2 to 0 is inf"},
                 {{1e300, 1e300, 1e300}, "1e+300"}};
    meguri_ctx *ctx = context_with(2);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        meguri_graph *graph = from_weights(ctx, cases[i].weights);
        meguri_path_search *search;
        expect_failure(ctx, search_new(&search, ctx, graph, NULL), MEGURI_BAD_INPUT, cases[i].part);
        assert_null(search);
        meguri_graph_free(graph);
    }
    context_done(ctx);
}

static void coordinates_that_will_not_do(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(2);
    static const double weights[] = {1, 2, 3}, x[] = {1e9, 2e9}, y[] = {1e9, 1e9};
    static const uint64_t ids[] = {0, 2};
    meguri_graph *graph = from_weights(ctx, weights);
    meguri_path_answer answer = {.size = sizeof answer};
    meguri_path_query q = question(MEGURI_PATH_ASTAR, 0, 2);
    meguri_path_search *search;
    assert_int_equal(mg_graph_set_coordinates(ctx, graph, ids, x, y, 2), MEGURI_OK);
    assert_int_equal(search_new(&search, ctx, graph, NULL), MEGURI_OK);
    expect_failure(ctx, meguri_path_search_run(&answer, ctx, search, &q, NULL, NULL), MEGURI_BAD_INPUT, "1 has none");
    q.algorithm = MEGURI_PATH_AUTO;
    assert_int_equal(meguri_path_search_run(&answer, ctx, search, &q, NULL, NULL), MEGURI_OK);
    search_free(search);
    meguri_graph_free(graph);

    static const uint64_t all_ids[] = {0, 1, 2};
    static const double all_x[] = {1e9, 2e9, 3e9}, all_y[] = {1e9, 1e9, 2e9};
    graph = from_weights(ctx, weights);
    assert_int_equal(mg_graph_set_coordinates(ctx, graph, all_ids, all_x, all_y, 3), MEGURI_OK);
    meguri_path_finder_options o = {.size = sizeof o, .metric = MEGURI_PATH_GREAT_CIRCLE};
    assert_int_equal(search_new(&search, ctx, graph, &o), MEGURI_OK);
    q.algorithm = MEGURI_PATH_ASTAR;
    expect_failure(ctx, meguri_path_search_run(&answer, ctx, search, &q, NULL, NULL), MEGURI_BAD_INPUT,
                   "planar metric");
    search_free(search);
    meguri_graph_free(graph);
    context_done(ctx);
}

/* ---- memory ----------------------------------------------------------------------------------------------------- */

static meguri_status ignore_answer(void *user, uint64_t number, const meguri_path_answer *answer) {
    (void)user, (void)number, (void)answer;
    return MEGURI_OK;
}

static int ignore_path(void *user, uint64_t number, const meguri_path *path) {
    (void)user, (void)number, (void)path;
    return 0;
}

typedef struct asked {
    const meguri_graph *graph;
    meguri_path_finder_options options;
} asked;

/* A search, a question of every kind, and all of them at once. */
static meguri_status ask_everything(meguri_ctx *ctx, void *what) {
    const asked *a = what;
    meguri_path_query queries[6];
    for (int i = 0; i < 6; i++) queries[i] = question((meguri_path_algorithm)(i % 5), 3, a->graph->vertices - 7);
    queries[5].max_hops = 46, queries[4].has_max_cost = 1, queries[4].max_cost = 1e9;
    meguri_path_search *search;
    meguri_status status = search_new(&search, ctx, a->graph, &a->options);
    for (int i = 0; i < 6 && status == MEGURI_OK; i++) {
        meguri_path_answer answer = {.size = sizeof answer};
        status = meguri_path_search_run(&answer, ctx, search, &queries[i], NULL, NULL);
    }
    if (status == MEGURI_OK) status = meguri_path_many(ctx, search, queries, 6, ignore_path, ignore_answer, NULL);
    search_free(search);
    return status;
}

static void every_allocation_fails(void **state) {
    (void)state;
    for (int i = 0; i < 4; i++) {
        meguri_ctx *ctx = context_with(thread_counts[i % 2]);
        meguri_grid_options g = {
            .size = sizeof g,
            .width = 20,
            .height = 20,
            .build = &(meguri_build_options){.size = sizeof(meguri_build_options), .direction = MEGURI_DIRECTED}};
        meguri_graph *graph;
        assert_int_equal(meguri_gen_grid(&graph, ctx, &g), MEGURI_OK);
        asked a = {
            graph,
            {.size = sizeof a.options, .direction = MEGURI_PATH_BOTH, .index_use = (meguri_path_index_use)(i / 2)}};
        assert_int_equal(ask_everything(ctx, &a), MEGURI_OK); /* the graph keeps its in-rows */
        assert_true(fail_each_allocation(ctx, ask_everything, &a, LEAVES_NOTHING) >= 20);
        meguri_graph_free(graph);
        context_done(ctx);
    }
}

/* ---- time ------------------------------------------------------------------------------------------------------- */

static void no_time(void **state) {
    (void)state;
    impatient user = {0};
    meguri_ctx *ctx = context_of(&user, 2);
    meguri_graph *graph = town(ctx, 100);
    meguri_path_search *search;
    assert_int_equal(search_new(&search, ctx, graph, NULL), MEGURI_OK);
    meguri_path_query queries[5];
    for (int i = 0; i < 5; i++) {
        queries[i] = question((meguri_path_algorithm)i, 0, graph->vertices - 1);
        meguri_path_query *q = &queries[i];
        meguri_path_answer answer = {.size = sizeof answer};
        q->timeout = 1e-9;
        assert_int_equal(meguri_path_search_run(&answer, ctx, search, q, NULL, NULL), MEGURI_OK);
        assert_int_equal(answer.end, MEGURI_PATH_TIMEOUT);
        assert_int_equal(answer.paths, 0);
        q->timeout = 0;
        user.enough = 1;
        expect_failure(ctx, meguri_path_search_run(&answer, ctx, search, q, NULL, NULL), MEGURI_CANCELLED,
                       "interrupted");
        user.enough = 0;
        assert_int_equal(meguri_path_search_run(&answer, ctx, search, q, NULL, NULL), MEGURI_OK);
        assert_int_equal(answer.paths, 1);
        q->limit = 1; /* there is but one */
        assert_int_equal(meguri_path_search_run(&answer, ctx, search, q, NULL, NULL), MEGURI_OK);
        assert_int_equal(answer.end, MEGURI_PATH_COMPLETE);
    }
    user.enough = 1;
    expect_failure(ctx, meguri_path_many(ctx, search, queries, 5, ignore_path, ignore_answer, NULL), MEGURI_CANCELLED,
                   "interrupted");
    meguri_path_search *other;
    meguri_path_finder_options o = {.size = sizeof o, .index_use = MEGURI_PATH_INDEX_MAKE};
    expect_failure(ctx, search_new(&other, ctx, graph, &o), MEGURI_CANCELLED, "interrupted");
    expect_failure(ctx, search_new(&other, ctx, graph, NULL), MEGURI_CANCELLED, "interrupted");
    search_free(search);
    meguri_graph_free(graph);
    context_done(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_arguments),
        cmocka_unit_test(weights_that_are_no_lengths),
        cmocka_unit_test(coordinates_that_will_not_do),
        cmocka_unit_test(every_allocation_fails),
        cmocka_unit_test(no_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
