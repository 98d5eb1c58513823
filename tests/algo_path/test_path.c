/* One path between two vertices, against an oracle that knows the cheapest walk of every number of edges. */
#define _GNU_SOURCE
#include "algo_path/asking.h"

static const meguri_path_algorithm algorithms[] = {MEGURI_PATH_AUTO, MEGURI_PATH_DIJKSTRA, MEGURI_PATH_ASTAR,
                                                   MEGURI_PATH_BIDIRECTIONAL, MEGURI_PATH_INDEXED};

/* ---- the cheapest, and the fewest edges ------------------------------------------------------------------------- */

static void small_graphs(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(2);
    uint64_t random = 5;
    int graphs = UNDER_ASAN || UNDER_TSAN ? 600 : 6000;
    for (int i = 0; i < graphs; i++) {
        small s;
        small_make(&s, ctx, &random, i % KINDS, i / KINDS % 2);
        meguri_path_finder_options o = {.size = sizeof o,
                                        .direction = (meguri_path_direction)(i / (2 * KINDS) % 3),
                                        .metric = (meguri_path_metric)(i / (6 * KINDS) % 3),
                                        .index_use = i % 5 ? MEGURI_PATH_INDEX_MAKE : MEGURI_PATH_INDEX_STORED};
        meguri_path_search *search;
        assert_int_equal(search_new(&search, ctx, s.graph, &o), MEGURI_OK);
        for (int pair = 0; pair < 6; pair++) {
            uint32_t from = (uint32_t)(next_random(&random) % s.vertices);
            rounds r;
            rounds_from(&r, &s, from, o.direction);
            meguri_path_query q = question(MEGURI_PATH_SHORTEST, from, next_random(&random) % s.vertices);
            draw_limits(&q, &r, &random, i % KINDS != 5);
            ask_right(ctx, &s, search, o.direction, &r, &q);
            for (size_t a = 0; a < COUNT_OF(algorithms); a++) {
                q.algorithm = algorithms[a];
                if (q.algorithm == MEGURI_PATH_INDEXED && !o.index_use) continue;
                ask_right(ctx, &s, search, o.direction, &r, &q);
            }
        }
        search_free(search);
        small_free(&s);
    }
    context_done(ctx);
}

/* ---- edges have one number each --------------------------------------------------------------------------------- */

/* The edge behind each number, whichever way it was followed. */
typedef struct known {
    bool seen;
    uint32_t low, high;
    double weight;
} known;

static void note_edges(known *edges, meguri_ctx *ctx, const meguri_path_finder *f, bool directed) {
    mg_edge_numbers numbers;
    assert_int_equal(mg_graph_edge_numbers(&numbers, ctx, f->graph), MEGURI_OK);
    for (uint32_t u = 0; u < f->forward.rows; u++)
        for (uint64_t arc = mg_row_begin(&f->forward, u); arc < mg_row_end(&f->forward, u); arc++) {
            uint64_t number = mg_path_edge(f, &numbers, u, arc);
            uint32_t a = mg_to_user(&f->numbering, u), b = mg_to_user(&f->numbering, f->forward.neighbors[arc]);
            known now = {true, MG_MIN(a, b), MG_MAX(a, b), mg_path_weight(f, arc)};
            assert_true(number < f->graph->edges);
            if (directed && f->options.direction == MEGURI_PATH_OUT) now = (known){true, a, b, now.weight};
            if (directed && f->options.direction == MEGURI_PATH_IN) now = (known){true, b, a, now.weight};
            known *k = &edges[number];
            if (!k->seen) *k = now;
            if (directed && f->options.direction == MEGURI_PATH_BOTH)
                assert_true(MG_MIN(k->low, k->high) == now.low && MG_MAX(k->low, k->high) == now.high);
            else assert_true(k->low == now.low && k->high == now.high);
            assert_true(k->weight == now.weight);
        }
}

static void edges_have_numbers(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(2);
    uint64_t random = 6;
    for (int i = 0; i < 600; i++) {
        small s;
        small_make(&s, ctx, &random, i % KINDS, i / KINDS % 2);
        known edges[2 * MOST_EDGES] = {{0}};
        for (int direction = MEGURI_PATH_OUT; direction <= MEGURI_PATH_BOTH; direction++) {
            meguri_path_finder_options o = {.size = sizeof o, .direction = (meguri_path_direction)direction};
            meguri_path_search *search;
            assert_int_equal(search_new(&search, ctx, s.graph, &o), MEGURI_OK);
            note_edges(edges, ctx, search->finder, s.directed);
            search_free(search);
            uint32_t count = 0;
            for (size_t e = 0; e < COUNT_OF(edges); e++) count += edges[e].seen;
            assert_int_equal(count, s.edges); /* the same in every direction */
        }
        small_free(&s);
    }
    context_done(ctx);
}

/* ---- a road-like graph: against searches from one source -------------------------------------------------------- */

static void grid(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(2);
    meguri_grid_options g = {.size = sizeof g, .width = 60, .height = 40};
    meguri_graph *graph;
    assert_int_equal(meguri_gen_grid(&graph, ctx, &g), MEGURI_OK);
    meguri_path_search *search;
    meguri_path_finder_options o = {.size = sizeof o, .index_use = MEGURI_PATH_INDEX_MAKE};
    assert_int_equal(search_new(&search, ctx, graph, &o), MEGURI_OK);
    uint64_t random = 7, vertices = graph->vertices, settled[COUNT_OF(algorithms)] = {0};
    for (int i = 0; i < 20; i++) {
        uint64_t from = next_random(&random) % vertices;
        meguri_result *result;
        meguri_column distance = {.size = sizeof distance};
        assert_int_equal(meguri_sssp(&result, ctx, graph, from, NULL), MEGURI_OK);
        assert_int_equal(meguri_result_column(&distance, result, "distance"), MEGURI_OK);
        for (int j = 0; j < 10; j++) {
            uint64_t to = next_random(&random) % vertices;
            for (size_t a = 0; a < COUNT_OF(algorithms); a++) {
                meguri_path_query q = question(algorithms[a], from, to);
                meguri_path_answer answer = {.size = sizeof answer};
                assert_int_equal(meguri_path_search_run(&answer, ctx, search, &q, NULL, NULL), MEGURI_OK);
                assert_int_equal(answer.paths, ((const uint64_t *)distance.data)[to] != UINT64_MAX);
                settled[a] += answer.settled;
                q.has_max_cost = 1, q.max_cost = (double)((const uint64_t *)distance.data)[to];
                assert_int_equal(meguri_path_search_run(&answer, ctx, search, &q, NULL, NULL), MEGURI_OK);
                assert_int_equal(answer.paths, 1);
                if (from == to) continue;
                q.max_cost -= 0.5;
                assert_int_equal(meguri_path_search_run(&answer, ctx, search, &q, NULL, NULL), MEGURI_OK);
                assert_int_equal(answer.paths, 0);
            }
        }
        meguri_result_free(result);
    }
    for (size_t a = 0; a < COUNT_OF(algorithms); a++)
        if (algorithms[a] != MEGURI_PATH_DIJKSTRA) assert_true(settled[a] <= settled[1]);
    search_free(search);
    meguri_graph_free(graph);
    context_done(ctx);
}

/* ---- a graph with hubs: they stay uncontracted -------------------------------------------------------------- */

static void hubs(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(2);
    meguri_kronecker_options k = {
        .size = sizeof k, .scale = UNDER_ASAN || UNDER_TSAN ? 7 : 8, .weights = MEGURI_TYPE_F32};
    meguri_graph *graph;
    assert_int_equal(meguri_gen_kronecker(&graph, ctx, &k), MEGURI_OK);
    meguri_path_search *search;
    meguri_path_finder_options o = {.size = sizeof o, .index_use = MEGURI_PATH_INDEX_MAKE};
    assert_int_equal(search_new(&search, ctx, graph, &o), MEGURI_OK);
    uint64_t random = 8;
    for (int i = 0; i < 10; i++) {
        uint64_t from = next_random(&random) % graph->vertices;
        meguri_result *result;
        meguri_column distance = {.size = sizeof distance};
        assert_int_equal(meguri_sssp(&result, ctx, graph, from, NULL), MEGURI_OK);
        assert_int_equal(meguri_result_column(&distance, result, "distance"), MEGURI_OK);
        for (int j = 0; j < 20; j++) {
            uint64_t to = next_random(&random) % graph->vertices;
            double right = ((const double *)distance.data)[to];
            meguri_path_query q = question(j % 2 ? MEGURI_PATH_INDEXED : MEGURI_PATH_BIDIRECTIONAL, from, to);
            meguri_path_answer answer = {.size = sizeof answer};
            taken t = {0};
            assert_int_equal(meguri_path_search_run(&answer, ctx, search, &q, take, &t), MEGURI_OK);
            assert_int_equal(answer.paths, isfinite(right));
            if (answer.paths) assert_true(same_cost(right, t.cost));
        }
        meguri_result_free(result);
    }
    search_free(search);
    meguri_graph_free(graph);
    context_done(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(small_graphs), cmocka_unit_test(edges_have_numbers),
                                       cmocka_unit_test(grid), cmocka_unit_test(hubs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
