/* Costs alone: the same numbers as those of paths, by every way to find them, and no path is given. */
#define _GNU_SOURCE
#include "algo_path/asking.h"
#include "support/faults.h"

static const meguri_path_algorithm algorithms[] = {MEGURI_PATH_AUTO,          MEGURI_PATH_DIJKSTRA, MEGURI_PATH_ASTAR,
                                                   MEGURI_PATH_BIDIRECTIONAL, MEGURI_PATH_INDEXED,  MEGURI_PATH_TREE};

static int no_path(void *user, const meguri_path *path) {
    (void)user, (void)path;
    fail_msg("a path was given");
    return 1;
}

static int note_cost(void *user, const meguri_path *path) {
    *(double *)user = path->cost;
    return 0;
}

/* To the last bit where the same search finds it, or whole numbers are added up. */
static void ask_both(meguri_ctx *ctx, meguri_path_search *search, meguri_path_query q, double cheapest, bool exact) {
    meguri_path_answer with = {.size = sizeof with}, without = {.size = sizeof without};
    double cost = INFINITY;
    assert_int_equal(meguri_path_search_run(&with, ctx, search, &q, note_cost, &cost), MEGURI_OK);
    assert_true(with.cost == cost);
    q.costs_only = 1;
    assert_int_equal(meguri_path_search_run(&without, ctx, search, &q, no_path, NULL), MEGURI_OK);
    assert_int_equal(without.paths, with.paths);
    assert_int_equal(without.end, MEGURI_PATH_COMPLETE);
    assert_true(exact ? without.cost == cheapest && cost == cheapest : same_cost(without.cost, cheapest));
    assert_true(isinf(without.cost) == !without.paths);
    assert_true(!q.has_max_cost || isinf(without.cost) || without.cost <= q.max_cost);
}

static void small_graphs(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(2);
    uint64_t random = 5;
    int graphs = UNDER_ASAN || UNDER_TSAN ? 300 : 3000;
    for (int i = 0; i < graphs; i++) {
        small s;
        small_make(&s, ctx, &random, i % KINDS, i / KINDS % 2);
        meguri_path_finder_options o = {.size = sizeof o,
                                        .direction = (meguri_path_direction)(i / (2 * KINDS) % 3),
                                        .index_use = i % 5 ? MEGURI_PATH_INDEX_MAKE : MEGURI_PATH_INDEX_STORED};
        meguri_path_search *search;
        assert_int_equal(search_new(&search, ctx, s.graph, &o), MEGURI_OK);
        for (int pair = 0; pair < 6; pair++) {
            uint32_t from = (uint32_t)(next_random(&random) % s.vertices);
            rounds r;
            rounds_from(&r, &s, from, o.direction);
            meguri_path_query q = question(MEGURI_PATH_AUTO, from, next_random(&random) % s.vertices);
            draw_limits(&q, &r, &random, i % KINDS != 5);
            double cheapest = r.cost[q.max_hops && q.max_hops < s.vertices ? q.max_hops : s.vertices - 1][q.to];
            if (q.has_max_cost && cheapest > q.max_cost) cheapest = INFINITY;
            for (size_t a = 0; a < COUNT_OF(algorithms); a++) {
                q.algorithm = algorithms[a];
                if (q.algorithm == MEGURI_PATH_INDEXED && !o.index_use) continue;
                ask_both(ctx, search, q, cheapest, i % KINDS < 5);
            }
        }
        search_free(search);
        small_free(&s);
    }
    context_done(ctx);
}

/* ---- many ------------------------------------------------------------------------------------------------------- */

typedef struct column {
    uint64_t next;
    double *costs;
} column;

static meguri_status take_cost(void *user, uint64_t index, const meguri_path_answer *answer) {
    column *c = user;
    assert_int_equal(index, c->next++);
    c->costs[index] = answer->cost;
    return MEGURI_OK;
}

static int no_path_of(void *user, uint64_t index, const meguri_path *path) {
    (void)index;
    return no_path(user, path);
}

enum { GRID = 40, QUESTIONS = 900 };

static void make_questions(meguri_path_query *q) {
    uint64_t random = 9;
    for (int i = 0; i < QUESTIONS; i++) {
        q[i] = question(MEGURI_PATH_AUTO, next_random(&random) % (GRID * GRID), next_random(&random) % (GRID * GRID));
        if (i > QUESTIONS / 2) q[i].from = 17; /* a tree may answer these */
        q[i].costs_only = 1;
    }
}

static void many_questions(void **state) {
    (void)state;
    static meguri_path_query questions[QUESTIONS];
    static double costs[2 * THREAD_COUNTS][QUESTIONS];
    meguri_ctx *maker = context_with(2);
    meguri_graph *graph;
    meguri_grid_options grid = {.size = sizeof grid, .width = GRID, .height = GRID, .seed = 1};
    assert_int_equal(meguri_gen_grid(&graph, maker, &grid), MEGURI_OK);
    make_questions(questions);
    for (size_t t = 0; t < 2 * THREAD_COUNTS; t++) {
        meguri_ctx *ctx = context_with(thread_counts[t % THREAD_COUNTS]);
        meguri_path_finder_options o = {
            .size = sizeof o, .index_use = t < THREAD_COUNTS ? MEGURI_PATH_INDEX_MAKE : MEGURI_PATH_INDEX_STORED};
        meguri_path_search *search;
        column c = {0, costs[t]};
        assert_int_equal(search_new(&search, ctx, graph, &o), MEGURI_OK);
        if (meguri_path_many(ctx, search, questions, QUESTIONS, no_path_of, take_cost, &c) != MEGURI_OK)
            fail_msg("%s", meguri_ctx_error(ctx));
        assert_int_equal(c.next, QUESTIONS);
        search_free(search);
        context_done(ctx);
    }
    for (size_t t = 1; t < 2 * THREAD_COUNTS; t++) assert_memory_equal(costs[t], costs[0], sizeof costs[0]);
    for (int i = 0; i < QUESTIONS; i += 31) { /* beside distances to all vertices */
        meguri_result *result;
        meguri_column distance = {.size = sizeof distance};
        assert_int_equal(meguri_sssp(&result, maker, graph, questions[i].from, NULL), MEGURI_OK);
        assert_int_equal(meguri_result_column(&distance, result, "distance"), MEGURI_OK);
        uint64_t far = ((const uint64_t *)distance.data)[questions[i].to];
        assert_true(costs[0][i] == (far == UINT64_MAX ? INFINITY : (double)far));
        meguri_result_free(result);
    }
    meguri_graph_free(graph);
    context_done(maker);
}

/* ---- what is refused -------------------------------------------------------------------------------------------- */

static void other_algorithms(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    uint64_t random = 1;
    small s;
    small_make(&s, ctx, &random, 1, true);
    for (int a = MEGURI_PATH_SHORTEST; a <= MEGURI_PATH_YENS; a++) {
        meguri_path_query q = question((meguri_path_algorithm)a, 0, 1);
        meguri_path_finder *finder;
        meguri_path_answer answer = {.size = sizeof answer};
        q.costs_only = 1;
        q.limit = 1;
        assert_int_equal(meguri_path_finder_new(&finder, ctx, s.graph, NULL), MEGURI_OK);
        assert_int_equal(meguri_path_find(&answer, ctx, finder, &q, NULL, NULL), MEGURI_BAD_ARGUMENT);
        assert_non_null(strstr(meguri_ctx_error(ctx), "costs alone are for one cheapest path"));
        meguri_path_finder_free(finder);
    }
    small_free(&s);
    context_done(ctx);
}

/* ---- faults ----------------------------------------------------------------------------------------------------- */

static meguri_status ask_all(meguri_ctx *ctx, void *what) {
    static meguri_path_query questions[QUESTIONS];
    static double costs[QUESTIONS];
    meguri_path_search *search;
    column c = {0, costs};
    make_questions(questions);
    meguri_status status = search_new(&search, ctx, what, NULL);
    if (status != MEGURI_OK) return status;
    status = meguri_path_many(ctx, search, questions, 40, NULL, take_cost, &c);
    if (status == MEGURI_OK) assert_int_equal(c.next, 40);
    search_free(search);
    return status;
}

static void every_allocation_fails(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(2), *maker = context_with(2);
    meguri_graph *graph;
    meguri_grid_options grid = {.size = sizeof grid, .width = GRID, .height = GRID, .seed = 1};
    assert_int_equal(meguri_gen_grid(&graph, maker, &grid), MEGURI_OK);
    fail_each_allocation(ctx, ask_all, graph, MAY_DO_WITHOUT | MAY_KEEP);
    meguri_graph_free(graph);
    context_done(ctx);
    context_done(maker);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_graphs),
        cmocka_unit_test(many_questions),
        cmocka_unit_test(other_algorithms),
        cmocka_unit_test(every_allocation_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
