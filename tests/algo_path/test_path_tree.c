/* The tree of one source, for many targets: the same costs as an oracle says, whatever was asked before; also after a
 * time-out, a cancel, or no memory. And which questions share one. */
#define _GNU_SOURCE
#include "algo_path/asking.h"

static bool same(double a, double b) { return a == b || fabs(a - b) <= 1e-12 * fabs(a); }

/* The cheapest path by the tree of a source; `limits` may be NULL. */
static meguri_status tree_to(meguri_path_answer *answer, meguri_ctx *ctx, meguri_path_search *search, uint64_t from,
                             uint64_t to, const meguri_path_query *limits, meguri_path_take taker, void *user) {
    meguri_path_query q = question(MEGURI_PATH_TREE, from, to);
    if (limits) q = *limits;
    q.algorithm = MEGURI_PATH_TREE, q.from = from, q.to = to;
    return meguri_path_search_run(answer, ctx, search, &q, taker, user);
}

/* ---- small graphs ----------------------------------------------------------------------------------------------- */

static void ask(meguri_ctx *ctx, const small *s, meguri_path_search *tree, meguri_path_direction direction,
                const rounds *r, uint32_t from, uint32_t to, meguri_path_query *limits) {
    taken t = {0};
    meguri_path_answer answer = {.size = sizeof answer};
    assert_int_equal(tree_to(&answer, ctx, tree, from, to, limits, take, &t), MEGURI_OK);
    uint64_t most = limits && limits->max_hops ? MG_MIN(limits->max_hops, MOST_VERTICES - 1) : MOST_VERTICES - 1;
    double right = r->cost[most][to];
    if (limits && limits->has_max_cost && right > limits->max_cost) right = INFINITY;
    assert_int_equal(answer.end, MEGURI_PATH_COMPLETE);
    assert_int_equal(answer.algorithm, MEGURI_PATH_TREE);
    assert_int_equal(answer.paths, t.paths);
    assert_int_equal(t.paths, isfinite(right) ? 1 : 0);
    if (!t.paths) return;
    check_path(s, direction, from, to, &t);
    assert_true(same(t.cost, right));
    if (limits && limits->max_hops) assert_true(t.hops <= limits->max_hops);
}

static void small_graphs(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(2);
    uint64_t random = 15;
    int graphs = UNDER_ASAN || UNDER_TSAN ? 300 : 3000;
    for (int i = 0; i < graphs; i++) {
        small s;
        small_make(&s, ctx, &random, i % KINDS, i / KINDS % 2);
        meguri_path_finder_options o = {.size = sizeof o, .direction = (meguri_path_direction)(i / (2 * KINDS) % 3)};
        meguri_path_finder *finder;
        assert_int_equal(meguri_path_finder_new(&finder, ctx, s.graph, &o), MEGURI_OK);
        meguri_path_search *trees[2];
        uint32_t from[2];
        rounds r[2];
        for (int t = 0; t < 2; t++) {
            from[t] = (uint32_t)(next_random(&random) % s.vertices);
            rounds_from(&r[t], &s, from[t], o.direction);
            assert_int_equal(meguri_path_search_new(&trees[t], ctx, finder), MEGURI_OK);
        }
        for (int target = 0; target < 16; target++) {
            uint64_t draw = next_random(&random);
            uint32_t to = (uint32_t)(draw % s.vertices);
            meguri_path_query limits = {.size = sizeof limits, .limit = 1};
            if ((draw >> 20) % 3 == 0) limits.max_hops = 1 + (draw >> 30) % 5;
            if ((draw >> 24) % 3 == 0) limits.has_max_cost = 1, limits.max_cost = 0.25 + (double)((draw >> 40) % 9);
            if (i % KINDS == 5) limits.max_cost += 0.01; /* sums are not exact there */
            ask(ctx, &s, trees[target % 2], o.direction, &r[target % 2], from[target % 2], to,
                (draw >> 50) % 4 ? &limits : NULL);
        }
        meguri_path_search_free(trees[0]);
        meguri_path_search_free(trees[1]);
        meguri_path_finder_free(finder);
        small_free(&s);
    }
    context_done(ctx);
}

/* ---- a town ----------------------------------------------------------------------------------------------------- */

static meguri_graph *town(meguri_ctx *ctx, uint64_t side) {
    meguri_grid_options g = {.size = sizeof g, .width = side, .height = side};
    meguri_graph *graph;
    assert_int_equal(meguri_gen_grid(&graph, ctx, &g), MEGURI_OK);
    return graph;
}

static int note_cost(void *user, const meguri_path *path) {
    *(double *)user = path->cost;
    return 0;
}

/* All targets together settle no vertex twice, and a near one does not need the rest. */
static void each_vertex_once(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(2);
    meguri_graph *graph = town(ctx, 60);
    meguri_path_search *tree;
    meguri_result *result;
    meguri_column distance = {.size = sizeof distance};
    assert_int_equal(search_new(&tree, ctx, graph, NULL), MEGURI_OK);
    assert_int_equal(meguri_sssp(&result, ctx, graph, 7, NULL), MEGURI_OK);
    assert_int_equal(meguri_result_column(&distance, result, "distance"), MEGURI_OK);
    uint64_t settled = 0, random = 3;
    for (int i = 0; i < 500; i++) {
        uint64_t to = i ? next_random(&random) % graph->vertices : 8, right = ((const uint64_t *)distance.data)[to];
        meguri_path_answer answer = {.size = sizeof answer};
        double cost = -1;
        assert_int_equal(tree_to(&answer, ctx, tree, 7, to, NULL, note_cost, &cost), MEGURI_OK);
        assert_true(right == UINT64_MAX ? !answer.paths : answer.paths == 1 && cost == (double)right);
        settled += answer.settled;
        if (i == 0) assert_true(answer.settled < graph->vertices / 4);
    }
    assert_true(settled <= graph->vertices);
    meguri_result_free(result);
    search_free(tree);
    meguri_graph_free(graph);
    context_done(ctx);
}

static int had_enough(void *user, const char *phase, uint64_t done, uint64_t total) {
    (void)phase, (void)done, (void)total;
    return *(int *)user != 0;
}

/* What fails half-way goes on later and is right. */
static void interrupted_trees_go_on(void **state) {
    (void)state;
    int enough = 0;
    meguri_ctx *ctx;
    meguri_ctx_options options = {
        .size = sizeof options, .threads = 2, .progress = had_enough, .progress_user = &enough};
    assert_int_equal(meguri_ctx_new(&ctx, &options), MEGURI_OK);
    meguri_graph *graph = town(ctx, 100);
    meguri_path_finder *finder;
    assert_int_equal(meguri_path_finder_new(&finder, ctx, graph, NULL), MEGURI_OK);
    meguri_path_query query = question(MEGURI_PATH_BIDIRECTIONAL, 5, graph->vertices - 3);
    meguri_path_answer answer = {.size = sizeof answer};
    double right = -1;
    assert_int_equal(meguri_path_find(&answer, ctx, finder, &query, note_cost, &right), MEGURI_OK);
    for (uint64_t k = 1;; k++) {
        meguri_path_search *tree = NULL;
        double cost = -1;
        uint64_t from = query.from, to = query.to;
        mg_memory_fail_at(ctx, k);
        meguri_status status = meguri_path_search_new(&tree, ctx, finder);
        if (status == MEGURI_OK) status = tree_to(&answer, ctx, tree, from, to, NULL, note_cost, &cost);
        mg_memory_fail_at(ctx, 0);
        if (status == MEGURI_OK && k > 6) {
            meguri_path_search_free(tree);
            break;
        }
        assert_int_equal(status, MEGURI_NO_MEMORY);
        if (!tree) continue;
        query.timeout = 1e-9;
        assert_int_equal(tree_to(&answer, ctx, tree, from, to, &query, note_cost, &cost), MEGURI_OK);
        assert_true(answer.end == MEGURI_PATH_TIMEOUT && answer.paths == 0);
        enough = 1;
        assert_int_equal(tree_to(&answer, ctx, tree, from, to, NULL, note_cost, &cost), MEGURI_CANCELLED);
        enough = 0;
        assert_int_equal(tree_to(&answer, ctx, tree, from, to, NULL, note_cost, &cost), MEGURI_OK);
        assert_true(cost == right);
        meguri_path_search_free(tree);
    }
    meguri_path_finder_free(finder);
    meguri_graph_free(graph);
    context_done(ctx);
}

/* ---- many questions --------------------------------------------------------------------------------------------- */

/* What became of a question. */
typedef struct outcome {
    double cost; /* -1: no path */
    meguri_path_algorithm algorithm;
} outcome;

static int keep_cost(void *user, uint64_t number, const meguri_path *path) {
    ((outcome *)user)[number].cost = path->cost;
    return 0;
}

static meguri_status keep_algorithm(void *user, uint64_t number, const meguri_path_answer *answer) {
    ((outcome *)user)[number].algorithm = answer->algorithm;
    return MEGURI_OK;
}

/* A tree pays for many targets, not for a few, and never where a user has said how to search. */
static void questions_share(void **state) {
    (void)state;
    enum { MANY = 200, COUNT = MANY + 3 + 10 + 10 };
    for (size_t i = 0; i < THREAD_COUNTS; i++) {
        meguri_ctx *ctx = context_with(thread_counts[i]);
        meguri_graph *graph = town(ctx, 50);
        meguri_path_search *search;
        assert_int_equal(search_new(&search, ctx, graph, NULL), MEGURI_OK);
        meguri_path_query queries[COUNT];
        outcome out[COUNT];
        uint64_t random = 21;
        for (int q = 0; q < COUNT; q++) {
            out[q].cost = -1;
            uint64_t to = next_random(&random) % graph->vertices;
            queries[q] = question(MEGURI_PATH_AUTO, q < MANY ? 77 : q < MANY + 3 ? 5 : q < MANY + 13 ? 6 : to, to);
            if (q >= MANY + 3 && q < MANY + 13) queries[q].algorithm = MEGURI_PATH_BIDIRECTIONAL;
        }
        assert_int_equal(meguri_path_many(ctx, search, queries, COUNT, keep_cost, keep_algorithm, out), MEGURI_OK);
        for (int q = 0; q < COUNT; q++) {
            assert_int_equal(queries[q].algorithm == MEGURI_PATH_AUTO, q < MANY + 3 || q >= MANY + 13);
            assert_int_equal(out[q].algorithm == MEGURI_PATH_TREE, q < MANY);
            meguri_path_answer answer = {.size = sizeof answer};
            double cost = -1;
            queries[q].algorithm = MEGURI_PATH_DIJKSTRA;
            assert_int_equal(meguri_path_search_run(&answer, ctx, search, &queries[q], note_cost, &cost), MEGURI_OK);
            assert_true(cost == out[q].cost);
        }
        search_free(search);
        meguri_graph_free(graph);
        context_done(ctx);
    }
}

/* An index answers so fast that a tree pays only for very many; a few questions are tried to find out. */
static void questions_with_an_index_share(void **state) {
    (void)state;
    enum { COUNT = 3000 };
    meguri_ctx *ctx = context_with(2);
    meguri_graph *graph = town(ctx, 60);
    meguri_path_search *search;
    meguri_path_finder_options o = {.size = sizeof o, .index_use = MEGURI_PATH_INDEX_MAKE};
    assert_int_equal(search_new(&search, ctx, graph, &o), MEGURI_OK);
    meguri_path_query *queries = malloc(COUNT * sizeof *queries);
    outcome *out = malloc(COUNT * sizeof *out);
    uint64_t random = 4;
    static const meguri_path_algorithm expected[] = {MEGURI_PATH_INDEXED, MEGURI_PATH_TREE};
    for (int many = 0; many < 2; many++) {
        uint64_t count = many ? COUNT : 8;
        for (uint64_t q = 0; q < count; q++) {
            out[q].cost = -1;
            queries[q] = question(MEGURI_PATH_AUTO, 9, graph->vertices - 1 - next_random(&random) % 600); /* far away */
        }
        assert_int_equal(meguri_path_many(ctx, search, queries, count, keep_cost, keep_algorithm, out), MEGURI_OK);
        for (uint64_t q = 0; q < count; q++) {
            meguri_path_answer answer = {.size = sizeof answer};
            double cost = -1;
            assert_int_equal(out[q].algorithm, expected[many]);
            queries[q].algorithm = MEGURI_PATH_BIDIRECTIONAL;
            assert_int_equal(meguri_path_search_run(&answer, ctx, search, &queries[q], note_cost, &cost), MEGURI_OK);
            assert_true(cost == out[q].cost);
        }
    }
    free(queries);
    free(out);
    search_free(search);
    meguri_graph_free(graph);
    context_done(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_graphs),
        cmocka_unit_test(each_vertex_once),
        cmocka_unit_test(interrupted_trees_go_on),
        cmocka_unit_test(questions_share),
        cmocka_unit_test(questions_with_an_index_share),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
