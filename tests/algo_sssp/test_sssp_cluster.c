/* Shortest paths on a cluster, for every layout: distances are those of one machine, bit for bit, and parents make a
 * tree of edges that add up to them; what is no length is refused everywhere; wrong answers are found. */
#define _GNU_SOURCE
#include "algo_sssp/routing.h"
#include "cluster/ranks.h"

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
    meguri_status expected; /* of making a search */
} trial;

static meguri_status copy_home(trial *t, meguri_ctx *ctx, const meguri_shards_info *info, const meguri_result *result,
                               uint32_t i) {
    meguri_column distance = {.size = sizeof distance}, parent = {.size = sizeof parent};
    RANK_CHECK(ctx, meguri_result_column(&distance, ctx, result, "distance") == MEGURI_OK);
    RANK_CHECK(ctx, distance.count == info->count);
    memcpy(t->distance[i] + info->first, distance.data, info->count * 8);
    meguri_status with = meguri_result_column(&parent, ctx, result, "parent");
    RANK_CHECK(ctx, with == (t->options.no_parents ? MEGURI_NOT_FOUND : MEGURI_OK));
    if (with == MEGURI_OK) memcpy(t->parent[i] + info->first, parent.data, info->count * 4);
    meguri_fact reached = {.size = sizeof reached}, farthest = reached, messages = reached;
    RANK_CHECK(ctx, meguri_result_fact(&reached, ctx, result, "reached") == MEGURI_OK);
    RANK_CHECK(ctx, meguri_result_fact(&farthest, ctx, result, "farthest") == MEGURI_OK);
    RANK_CHECK(ctx, meguri_result_fact(&messages, ctx, result, "messages") == MEGURI_OK);
    RANK_CHECK(ctx, info->processes > 1 || messages.number == 0);
    if (info->first == 0 && info->count) { /* one rank is enough, and others may be at it */
        t->reached[i] = reached.number;
        t->farthest[i] = farthest.real;
    }
    return MEGURI_OK;
}

/* The checker of the cluster agrees. */
static meguri_status check_home(const trial *t, meguri_ctx *ctx, meguri_shards *s, const meguri_result *result,
                                uint32_t i) {
    meguri_column distance = {.size = sizeof distance}, parent = {.size = sizeof parent};
    meguri_status status = meguri_result_column(&distance, ctx, result, "distance");
    if (status == MEGURI_OK && !t->options.no_parents) status = meguri_result_column(&parent, ctx, result, "parent");
    return status == MEGURI_OK ? meguri_shards_sssp_check(ctx, s, t->sources[i], distance.data, parent.data) : status;
}

static meguri_status search(void *user, meguri_ctx *ctx, meguri_cluster *c) {
    trial *t = user;
    meguri_shards *s;
    meguri_shards_sssp_search *search;
    meguri_shards_info info = {.size = sizeof info};
    const meguri_shards_options o = arranged(t->arrangement);
    meguri_status status = meguri_shards_cut(&s, ctx, c, t->graph, &o);
    if (status == MEGURI_OK) status = meguri_shards_get_info(&info, ctx, s);
    if (status != MEGURI_OK) return status;
    status = meguri_shards_sssp_search_new(&search, ctx, s, &t->options);
    for (uint32_t i = 0; i < t->count && status == MEGURI_OK; i++) {
        const meguri_result *result;
        status = meguri_shards_sssp_search_run(&result, ctx, search, t->sources[i]);
        if (status == MEGURI_OK) status = copy_home(t, ctx, &info, result, i);
        if (status == MEGURI_OK && i == 0) status = check_home(t, ctx, s, result, i);
    }
    meguri_shards_sssp_search_free(search);
    meguri_shards_free(s);
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
        assert_int_equal(meguri_result_column(&distance, ctx, right, "distance"), MEGURI_OK);
        assert_int_equal(meguri_result_fact(&reached, ctx, right, "reached"), MEGURI_OK);
        assert_int_equal(meguri_result_fact(&farthest, ctx, right, "farthest"), MEGURI_OK);
        for (uint64_t v = 0; v < vertices; v++)
            if (((const uint64_t *)distance.data)[v] != t->distance[i][v])
                fail_msg("%s, %u ranks (%u × %u): the distance of %lu from %lu differs", name, t->arrangement->ranks,
                         t->arrangement->rows, t->arrangement->columns, v, t->sources[i]);
        assert_int_equal(t->reached[i], reached.number);
        assert_true(t->farthest[i] == farthest.real);
        meguri_result_free(right);
        if (!t->options.no_parents &&
            meguri_sssp_check(ctx, t->graph, t->sources[i], t->distance[i], t->parent[i]) != MEGURI_OK)
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
static const double widths[] = {0, 0, 1, 0, 1e12, 3.7, 0, 1e-300};

static void try_graph(meguri_ctx *ctx, const zoo_graph *g, int turn, uint32_t every) {
    meguri_build_options o = {.size = sizeof o,
                              .direction = (meguri_direction)(1 + turn % 2),
                              .keep_duplicates = turn / 3 % 2,
                              .keep_loops = turn / 5 % 2};
    meguri_graph *graph;
    assert_int_equal(zoo_build(&graph, ctx, g, &o), MEGURI_OK);
    uint64_t n = graph->vertices, seed = n + (uint64_t)turn;
    for (size_t k = (size_t)turn % every; n && k < COUNT_OF(arrangements); k += every) {
        trial t = {.arrangement = &arrangements[k],
                   .graph = graph,
                   .options = {.size = sizeof t.options,
                               .delta = n > 1000 ? 0 : widths[((size_t)turn + k) % COUNT_OF(widths)],
                               .no_parents = (turn + (int)k) % 7 == 0},
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
            try_graph(ctx, &g, turn, UNDER_TSAN ? 5 : UNDER_ASAN ? 3 : 1);
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
            if ((kind + index) % (UNDER_TSAN || UNDER_ASAN ? 8 : 2)) continue;
            weigh(&g, (weighing)kind, (uint64_t)(index + kind));
            try_graph(ctx, &g, index + kind, UNDER_TSAN || UNDER_ASAN ? 5 : 3);
        }
        zoo_free(&g);
    }
    context_done(ctx);
}

static void random_graphs(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(2);
    uint64_t seed = 41;
    for (int turn = 0; turn < (UNDER_TSAN ? 1 : UNDER_ASAN ? 2 : 6) * WEIGHINGS; turn++) {
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
        try_graph(ctx, &g, 1 + (int)i, UNDER_TSAN || UNDER_ASAN ? 12 : 4);
        zoo_free(&g);
        assert_true(shape_get(&grid, 11, UNDER_TSAN || UNDER_ASAN ? 2000 : 10000));
        assert_string_equal(grid.name, "grid");
        weigh(&grid, kinds[i], 9);
        try_graph(ctx, &grid, (int)i, 5);
        zoo_free(&grid);
    }
    context_done(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_zoo),
        cmocka_unit_test(every_shape_and_weight),
        cmocka_unit_test(random_graphs),
        cmocka_unit_test(large_graphs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
