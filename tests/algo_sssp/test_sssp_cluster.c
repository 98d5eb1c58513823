/* Shortest paths on a cluster, for every layout: distances are those of one machine, bit for bit, and parents make a
 * tree of edges that add up to them; what is no length is refused everywhere; wrong answers are found. */
#define _GNU_SOURCE
#include "algo_sssp/routing.h"
#include "net/ranks.h"
#include "support/checks.h"
#include <meguri/extra/cluster_threads.h>

#include <math.h>

#define SOURCES 4

/* What the ranks share. */
typedef struct trial {
    const arrangement *arrangement;
    const meguri_graph *graph;
    meguri_sssp_options options;
    uint64_t sources[SOURCES];
    uint32_t count;
    uint64_t *distance[SOURCES]; /* filled by all */
    uint32_t *parent[SOURCES];
    uint64_t reached[SOURCES];
    double farthest[SOURCES];
} trial;

static meguri_status copy_home(trial *t, meguri_ctx *ctx, const meguri_graph_info *info, const meguri_result *result,
                               uint32_t i) {
    meguri_column distance = {.size = sizeof distance}, parent = {.size = sizeof parent};
    RANK_CHECK(ctx, meguri_result_column(&distance, result, "distance") == MEGURI_OK);
    RANK_CHECK(ctx, distance.count == info->count);
    memcpy(t->distance[i] + info->first, distance.data, info->count * 8);
    meguri_status with = meguri_result_column(&parent, result, "parent");
    RANK_CHECK(ctx, with == (!t->options.parents ? MEGURI_NOT_FOUND : MEGURI_OK));
    if (with == MEGURI_OK) memcpy(t->parent[i] + info->first, parent.data, info->count * 4);
    meguri_fact reached = {.size = sizeof reached}, farthest = reached, messages = reached;
    RANK_CHECK(ctx, meguri_result_fact(&reached, result, "reached") == MEGURI_OK);
    RANK_CHECK(ctx, meguri_result_fact(&farthest, result, "farthest") == MEGURI_OK);
    RANK_CHECK(ctx, meguri_result_fact(&messages, result, "messages") == MEGURI_OK);
    RANK_CHECK(ctx, info->processes > 1 || messages.number == 0);
    if (info->first == 0 && info->count) { /* one rank is enough, and others may be at it */
        t->reached[i] = reached.number;
        t->farthest[i] = farthest.real;
    }
    return MEGURI_OK;
}

/* The checker of the cluster agrees. */
static meguri_status check_home(const trial *t, meguri_ctx *ctx, meguri_graph *s, const meguri_result *result,
                                uint32_t i) {
    meguri_column distance = {.size = sizeof distance}, parent = {.size = sizeof parent};
    meguri_status status = meguri_result_column(&distance, result, "distance");
    if (status == MEGURI_OK && t->options.parents) status = meguri_result_column(&parent, result, "parent");
    return status == MEGURI_OK ? mg_sssp_check(ctx, s, t->sources[i], distance.data, parent.data) : status;
}

static meguri_status search(void *user, meguri_ctx *ctx, meguri_cluster *c) {
    trial *t = user;
    meguri_graph *s;
    meguri_sssp_search *search;
    meguri_graph_info info = {.size = sizeof info};
    const meguri_layout o = arranged(c, t->arrangement);
    meguri_status status = meguri_graph_spread(&s, ctx, t->graph, &o);
    if (status == MEGURI_OK) status = meguri_graph_get_info(&info, ctx, s);
    if (status != MEGURI_OK) return status;
    status = meguri_sssp_search_new(&search, ctx, s, &t->options);
    for (uint32_t i = 0; i < t->count && status == MEGURI_OK; i++) {
        const meguri_result *result;
        status = meguri_sssp_search_run(&result, ctx, search, t->sources[i]);
        if (status == MEGURI_OK) status = copy_home(t, ctx, &info, result, i);
        if (status == MEGURI_OK && i == 0) status = check_home(t, ctx, s, result, i);
    }
    meguri_sssp_search_free(search);
    meguri_graph_free(s);
    return status;
}

/* Against one machine. */
static void compare(meguri_ctx *ctx, const trial *t, const char *name) {
    uint64_t vertices = t->graph->vertices;
    for (uint32_t i = 0; i < t->count; i++) {
        meguri_result *right;
        meguri_column distance = {.size = sizeof distance};
        meguri_fact reached = {.size = sizeof reached}, farthest = reached;
        assert_int_equal(meguri_sssp(&right, ctx, t->graph, t->sources[i], NULL), MEGURI_OK);
        assert_int_equal(meguri_result_column(&distance, right, "distance"), MEGURI_OK);
        assert_int_equal(meguri_result_fact(&reached, right, "reached"), MEGURI_OK);
        assert_int_equal(meguri_result_fact(&farthest, right, "farthest"), MEGURI_OK);
        for (uint64_t v = 0; v < vertices; v++)
            if (((const uint64_t *)distance.data)[v] != t->distance[i][v])
                fail_msg("%s, %u ranks (%u × %u): the distance of %lu from %lu differs", name, t->arrangement->ranks,
                         t->arrangement->rows, t->arrangement->columns, v, t->sources[i]);
        assert_int_equal(t->reached[i], reached.number);
        assert_true(t->farthest[i] == farthest.real);
        meguri_result_free(right);
        if (t->options.parents &&
            mg_sssp_check(ctx, t->graph, t->sources[i], t->distance[i], t->parent[i]) != MEGURI_OK)
            fail_msg("%s, %u ranks: %s", name, t->arrangement->ranks, meguri_ctx_error(ctx));
    }
}

static void run_trial(meguri_ctx *ctx, trial *t, uint32_t threads, const char *name) {
    const meguri_cluster_threads_options o = {
        .size = sizeof o, .ranks = t->arrangement->ranks, .threads_each = threads};
    for (uint32_t i = 0; i < t->count; i++) {
        t->distance[i] = calloc(t->graph->vertices + 1, 8);
        t->parent[i] = calloc(t->graph->vertices + 1, 4);
    }
    if (meguri_cluster_threads(ctx, &o, search, t) != MEGURI_OK)
        fail_msg("%s, %u ranks: %s", name, o.ranks, meguri_ctx_error(ctx));
    compare(ctx, t, name);
    for (uint32_t i = 0; i < t->count; i++) {
        free(t->distance[i]);
        free(t->parent[i]);
    }
}

/* Found by the library, and some that are not good. */
static const double widths[] = {0, 0, 1, 0, 1e12, 3.7, 0, 0.01};

static void try_graph(meguri_ctx *ctx, const zoo_graph *g, int turn, uint32_t every) {
    meguri_build_options o = {.size = sizeof o,
                              .direction = (meguri_direction)(1 + turn % 2),
                              .duplicates = turn / 3 % 2 ? MEGURI_DUPLICATES_KEEP : MEGURI_DUPLICATES_MIN,
                              .keep_loops = turn / 5 % 2};
    meguri_graph *graph;
    assert_int_equal(zoo_build(&graph, ctx, g, &o), MEGURI_OK);
    uint64_t n = graph->vertices, seed = n + (uint64_t)turn;
    for (size_t k = (size_t)turn % every; n && k < COUNT_OF(arrangements); k += every) {
        trial t = {.arrangement = &arrangements[k],
                   .graph = graph,
                   .options = {.size = sizeof t.options,
                               .delta = n > 200 ? 0 : widths[((size_t)turn + k) % COUNT_OF(widths)],
                               .parents = (turn + (int)k) % 7 != 0,
                               .max_cost = (double)INFINITY},
                   .count = 2};
        for (uint32_t i = 0; i < t.count; i++) t.sources[i] = zoo_random(&seed) % n;
        run_trial(ctx, &t, 1 + (uint32_t)(turn + (int)k) % 2, g->name);
    }
    meguri_graph_free(graph);
}

/* ---- graphs ----------------------------------------------------------------------------------------------------- */

static void the_zoo(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(2);
    zoo_graph g;
    for (int index = 0; zoo_get(&g, index); index++) {
        bool negative = strstr(g.name, "weights 6") != NULL, large = g.count > 50000;
        for (int turn = index; turn < index + 2 && !negative && !large; turn++)
            try_graph(ctx, &g, turn, UNDER_TSAN || UNDER_ASAN ? 7 : 3);
        zoo_free(&g);
    }
    context_done(ctx);
}

static void every_shape_and_weight(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(2);
    zoo_graph g;
    for (int index = 0; shape_get(&g, index, 300); index++) {
        for (int kind = 0; kind < WEIGHINGS; kind++) {
            if ((kind + index) % (UNDER_TSAN || UNDER_ASAN ? 8 : 4)) continue;
            weigh(&g, (weighing)kind, (uint64_t)(index + kind));
            try_graph(ctx, &g, index + kind, UNDER_TSAN || UNDER_ASAN ? 7 : 4);
        }
        zoo_free(&g);
    }
    context_done(ctx);
}

static void random_graphs(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(2);
    uint64_t seed = 41;
    for (int turn = 0; turn < (UNDER_TSAN || UNDER_ASAN ? 1 : 3) * WEIGHINGS; turn++) {
        zoo_graph g = shape_random(&seed, 500);
        weigh(&g, (weighing)(turn % WEIGHINGS), seed);
        try_graph(ctx, &g, turn, 5);
        zoo_free(&g);
    }
    context_done(ctx);
}

/* Large enough for horizons and pulls, and for threads to have something to do. */
static void large_graphs(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(2);
    static const weighing kinds[] = {WEIGH_FRACTION, WEIGH_BYTES, WEIGH_TENTHS, WEIGH_FEW, WEIGH_WORDS, WEIGH_NONE};
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        if ((UNDER_TSAN || UNDER_ASAN) && i > 0) continue;
        zoo_graph g = shape_kronecker(ctx, 14, 16), grid;
        weigh(&g, kinds[i], 9);
        try_graph(ctx, &g, 1 + (int)i, UNDER_TSAN || UNDER_ASAN ? 12 : 6);
        zoo_free(&g);
        assert_true(shape_get(&grid, 11, UNDER_TSAN || UNDER_ASAN ? 1000 : 4000));
        assert_string_equal(grid.name, "grid");
        weigh(&grid, kinds[i], 9);
        try_graph(ctx, &grid, (int)i, 6);
        zoo_free(&grid);
    }
    context_done(ctx);
}

/* ---- corners ---------------------------------------------------------------------------------------------------- */

/* One vertex, two, and many more ranks than vertices; a source that has no edges. */
static void small_graphs(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(2);
    static const uint64_t sizes[] = {1, 2, 3, 70};
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        uint64_t n = sizes[i], pairs[] = {0, 1};
        zoo_graph g = {.name = "small", .count = n > 1, .pairs = pairs, .vertices = n};
        meguri_build_options o = {.size = sizeof o, .direction = MEGURI_UNDIRECTED};
        meguri_graph *graph;
        assert_int_equal(zoo_build(&graph, ctx, &g, &o), MEGURI_OK);
        for (size_t k = 0; k < COUNT_OF(arrangements); k++) {
            if (!ONE_OF(3, k + i)) continue;
            trial t = {.arrangement = &arrangements[k],
                       .graph = graph,
                       .options = {.size = sizeof t.options, .parents = 1, .max_cost = (double)INFINITY},
                       .sources = {0, n - 1, n / 2},
                       .count = 3};
            run_trial(ctx, &t, 1, g.name);
        }
        meguri_graph_free(graph);
    }
    context_done(ctx);
}

typedef struct refusal {
    const meguri_graph *graph;
    const arrangement *arrangement;
    const char *sentence; /* part of it */
    uint64_t source;
    double delta;
    meguri_status expected;
} refusal;

/* All ranks refuse it, in the same words. */
static meguri_status refuse(void *user, meguri_ctx *ctx, meguri_cluster *c) {
    const refusal *r = user;
    const meguri_layout o = arranged(c, r->arrangement);
    const meguri_sssp_options options = {
        .size = sizeof options, .parents = 1, .max_cost = (double)INFINITY, .delta = r->delta};
    meguri_graph *s;
    meguri_result *result = (meguri_result *)1;
    meguri_status status = meguri_graph_spread(&s, ctx, r->graph, &o);
    if (status != MEGURI_OK) return status;
    RANK_CHECK(ctx, meguri_sssp(&result, ctx, s, r->source, &options) == r->expected);
    RANK_CHECK(ctx, !result && strstr(meguri_ctx_error(ctx), r->sentence));
    meguri_graph_free(s);
    return MEGURI_OK;
}

static void what_is_refused(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    const struct {
        double weight;
        const char *sentence;
    } bad[] = {
        {-1, "from 2 is -1"}, {NAN, "from 2 is not a number"}, {INFINITY, "from 2 is inf"}, {0x1p1023, "larger"}};
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        meguri_edge_arrays e = {.size = sizeof e,
                                .count = 3,
                                .from = (const uint64_t[]){0, 2, 4},
                                .to = (const uint64_t[]){1, 3, 5},
                                .weights = (const double[]){0.1, bad[i].weight, 0.5},
                                .weight_type = MEGURI_TYPE_F64};
        meguri_graph *graph;
        if (meguri_graph_from_edges(&graph, ctx, &e, NULL) != MEGURI_OK) continue; /* refused earlier */
        for (size_t k = 0; k < COUNT_OF(arrangements); k++) {
            if (!ONE_OF(3, k + i)) continue;
            refusal r = {graph, &arrangements[k], bad[i].sentence, 0, 0, MEGURI_BAD_INPUT};
            run_on(arrangements[k].ranks, 0, refuse, &r);
        }
        meguri_graph_free(graph);
    }
    uint64_t pairs[] = {0, 1};
    zoo_graph g = {.name = "edge", .count = 1, .pairs = pairs, .vertices = 2};
    meguri_build_options o = {.size = sizeof o};
    meguri_graph *graph;
    assert_int_equal(zoo_build(&graph, ctx, &g, &o), MEGURI_OK);
    refusal far = {graph, &arrangements[5], "there is no vertex 2 in a graph of 2.", 2, 0, MEGURI_NOT_FOUND};
    run_on(4, 0, refuse, &far);
    refusal wide = {graph, &arrangements[5], "width", 0, -1, MEGURI_BAD_ARGUMENT};
    run_on(4, 0, refuse, &wide);
    meguri_graph_free(graph);
    context_done(ctx);
}

/* ---- wrong answers ---------------------------------------------------------------------------------------------- */

/* An answer for the whole graph, of which each rank has its share. */
typedef struct wrong {
    const arrangement *arrangement;
    const meguri_graph *graph;
    uint64_t source;
    const uint64_t *distance;
    const uint32_t *parent; /* may be NULL */
    meguri_status expected;
} wrong;

static meguri_status look(void *user, meguri_ctx *ctx, meguri_cluster *c) {
    const wrong *w = user;
    meguri_graph *s;
    meguri_graph_info info = {.size = sizeof info};
    const meguri_layout o = arranged(c, w->arrangement);
    meguri_status status = meguri_graph_spread(&s, ctx, w->graph, &o);
    if (status == MEGURI_OK) status = meguri_graph_get_info(&info, ctx, s);
    if (status != MEGURI_OK) return status;
    meguri_status found =
        mg_sssp_check(ctx, s, w->source, w->distance + info.first, w->parent ? w->parent + info.first : NULL);
    meguri_graph_free(s);
    RANK_CHECK(ctx, found == w->expected);
    RANK_CHECK(ctx, found == MEGURI_OK || strlen(meguri_ctx_error(ctx)) > 10);
    return MEGURI_OK;
}

/* The checker of one machine says what is right. */
static void judge(meguri_ctx *ctx, wrong *w, int turn) {
    w->expected = mg_sssp_check(ctx, w->graph, w->source, w->distance, w->parent);
    w->arrangement = &arrangements[(size_t)turn % COUNT_OF(arrangements)];
    run_on(w->arrangement->ranks, 0, look, w);
}

static void wrong_answers_are_found(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    static const weighing kinds[] = {WEIGH_FEW, WEIGH_QUARTERS, WEIGH_ZERO, WEIGH_NONE};
    uint64_t seed = 5, found = 0;
    for (int turn = 0; turn < (UNDER_TSAN ? 8 : UNDER_ASAN ? 20 : 100); turn++) {
        zoo_graph g = shape_random(&seed, 100);
        weigh(&g, kinds[turn % 4], seed);
        meguri_build_options o = {.size = sizeof o, .direction = (meguri_direction)(1 + turn / 4 % 2)};
        meguri_graph *graph;
        meguri_result *result;
        meguri_column distance = {.size = sizeof distance}, parent = {.size = sizeof parent};
        assert_int_equal(zoo_build(&graph, ctx, &g, &o), MEGURI_OK);
        uint64_t n = graph->vertices, source = n ? zoo_random(&seed) % n : 0, v = n ? zoo_random(&seed) % n : 0;
        if (n) {
            assert_int_equal(meguri_sssp(&result, ctx, graph, source, NULL), MEGURI_OK);
            assert_int_equal(meguri_result_column(&distance, result, "distance"), MEGURI_OK);
            assert_int_equal(meguri_result_column(&parent, result, "parent"), MEGURI_OK);
            uint64_t *d = (uint64_t *)distance.data;
            uint32_t *p = (uint32_t *)parent.data;
            wrong w = {.graph = graph, .source = source, .distance = d, .parent = turn % 5 ? p : NULL};
            judge(ctx, &w, turn);
            assert_int_equal(w.expected, MEGURI_OK);
            switch (zoo_random(&seed) % 6) {
            case 0: d[v] += d[v] < UINT64_MAX / 2; break;
            case 1: d[v] = d[zoo_random(&seed) % n]; break;
            case 2: p[v] = (uint32_t)(zoo_random(&seed) % n); break;
            case 3: p[v] = UINT32_MAX; break;
            case 4: p[v] = (uint32_t)n; break;
            default: { /* maybe a circle */
                uint32_t u = p[v];
                if (u != UINT32_MAX) p[u] = (uint32_t)v;
            }
            }
            judge(ctx, &w, turn + 1);
            found += w.expected != MEGURI_OK;
            meguri_result_free(result);
        }
        meguri_graph_free(graph);
        zoo_free(&g);
    }
    assert_true(found > 0);
    context_done(ctx);
}

/* Vertices that hold each other at a distance that is nobody's: only the circle is wrong. */
static void circles_are_found(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    enum { RING = 40 };
    uint64_t pairs[2 * (RING + 1)] = {0, 1};
    double weights[RING + 1] = {1};
    for (uint64_t i = 0; i < RING; i++) {
        pairs[2 * i + 2] = 2 + i;
        pairs[2 * i + 3] = 2 + (i + 1) % RING;
    }
    zoo_graph g = {.name = "ring", .count = RING + 1, .pairs = pairs, .weights = weights, .vertices = RING + 2};
    meguri_build_options o = {.size = sizeof o, .direction = MEGURI_DIRECTED};
    meguri_graph *graph;
    assert_int_equal(zoo_build(&graph, ctx, &g, &o), MEGURI_OK);
    meguri_graph_info info = {.size = sizeof info};
    assert_int_equal(meguri_graph_get_info(&info, ctx, graph), MEGURI_OK);
    assert_int_equal(info.weight_type, MEGURI_TYPE_F64); /* as the zoo gives them */
    double distance[RING + 2];
    uint32_t parent[RING + 2];
    for (uint32_t v = 0; v < RING + 2; v++) {
        distance[v] = v == 0 ? 0 : v == 1 ? 1 : 7;
        parent[v] = v < 2 ? 0 : 2 + (v - 2 + RING - 1) % RING;
    }
    for (int turn = 0; turn < (int)COUNT_OF(arrangements); turn++) {
        wrong w = {.graph = graph,
                   .distance = (const uint64_t *)(const void *)distance,
                   .parent = turn % 3 == 2 ? NULL : parent};
        judge(ctx, &w, turn);
        assert_int_equal(w.expected, MEGURI_WRONG_ANSWER);
    }
    meguri_graph_free(graph);
    context_done(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_zoo),
        cmocka_unit_test(every_shape_and_weight),
        cmocka_unit_test(random_graphs),
        cmocka_unit_test(large_graphs),
        cmocka_unit_test(small_graphs),
        cmocka_unit_test(what_is_refused),
        cmocka_unit_test(wrong_answers_are_found),
        cmocka_unit_test(circles_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
