/* Breadth-first search on a cluster: levels as on one machine, trees that the checker takes, for every graph of the
 * zoo, every layout, every way, packed or not, on one and two threads for each rank. */
#define _GNU_SOURCE
#include "net/ranks.h"
#include "support/checks.h"

#include <meguri.h>
#include <meguri/extra/cluster_threads.h>

typedef struct subject {
    const meguri_graph *graph;
    const arrangement *arrangement;
    uint64_t sources[3];
    bool all_ways;
    meguri_engine engine;
    size_t turn;
    /* The whole answer, put together by the ranks. */
    int32_t *level;
    uint32_t *parent;
    uint64_t reached, depth;
} subject;

static uint64_t fact(const meguri_result *result, const char *name) {
    meguri_fact f = {.size = sizeof f};
    return meguri_result_fact(&f, result, name) == MEGURI_OK ? f.number : UINT64_MAX;
}

/* One machine's answer and the checker; rank 0 alone looks, while the others wait at the next sum. */
static meguri_status compare(const subject *s, meguri_ctx *ctx, uint64_t source, uint32_t levels) {
    const meguri_bfs_options o = {
        .size = sizeof o, .levels = 1, .parents = 1, .max_depth = (uint32_t)(levels)-1, .policy = MEGURI_BFS_PUSH};
    meguri_result *expected;
    meguri_column level = {.size = sizeof level};
    meguri_status status = meguri_bfs(&expected, ctx, s->graph, source, &o);
    if (status != MEGURI_OK) return status;
    meguri_result_column(&level, expected, "level");
    bool same = memcmp(level.data, s->level, s->graph->vertices * sizeof *s->level) == 0;
    bool facts = fact(expected, "reached") == s->reached && fact(expected, "depth") == s->depth;
    meguri_result_free(expected);
    RANK_CHECK(ctx, same);
    RANK_CHECK(ctx, facts);
    return mg_bfs_check(ctx, s->graph, source, s->level, s->parent, levels);
}

static meguri_status search(subject *s, meguri_ctx *ctx, meguri_cluster *c, meguri_graph *shards, uint64_t source,
                            const meguri_bfs_options *o) {
    meguri_result *result;
    meguri_column level = {.size = sizeof level}, parent = {.size = sizeof parent};
    meguri_graph_info info = {.size = sizeof info};
    meguri_status status = meguri_bfs(&result, ctx, shards, source, o);
    if (status != MEGURI_OK) return status;
    status = meguri_graph_get_info(&info, ctx, shards);
    if (status == MEGURI_OK) status = meguri_result_column(&level, result, "level");
    if (status == MEGURI_OK) status = meguri_result_column(&parent, result, "parent");
    RANK_CHECK(ctx, status == MEGURI_OK && level.count == info.count && parent.count == info.count);
    memcpy(s->level + info.first, level.data, info.count * sizeof *s->level);
    memcpy(s->parent + info.first, parent.data, info.count * sizeof *s->parent);
    status = mg_bfs_check(ctx, shards, source, level.data, parent.data, mg_levels_within(o->max_depth));
    if (status != MEGURI_OK) return status;
    if (c->rank == 0) {
        s->reached = fact(result, "reached");
        s->depth = fact(result, "depth");
    }
    meguri_result_free(result);
    status = mg_agree(ctx, c, MEGURI_OK); /* all are there */
    if (status == MEGURI_OK && c->rank == 0) status = compare(s, ctx, source, mg_levels_within(o->max_depth));
    return mg_agree(ctx, c, status);
}

static meguri_status search_all(void *user, meguri_ctx *ctx, meguri_cluster *c) {
    subject *s = user;
    const meguri_layout layout = arranged(c, s->arrangement);
    meguri_graph *shards;
    meguri_status status = meguri_graph_spread(&shards, ctx, s->graph, &layout);
    static const meguri_bfs_options ways[] = {
        {.size = sizeof *ways, .max_depth = UINT32_MAX, .levels = 1, .parents = 1},
        {.size = sizeof *ways, .max_depth = UINT32_MAX, .levels = 1, .parents = 1, .policy = MEGURI_BFS_PUSH},
        {.size = sizeof *ways, .max_depth = UINT32_MAX, .levels = 1, .parents = 1, .policy = MEGURI_BFS_PULL},
        {.size = sizeof *ways,
         .levels = 1,
         .parents = 1,
         .policy = MEGURI_BFS_P1,
         .alpha = 10,
         .beta = 14,
         .max_depth = 2},
        {.size = sizeof *ways,
         .max_depth = UINT32_MAX,
         .levels = 1,
         .parents = 1,
         .policy = MEGURI_BFS_FORCED,
         .directions = "<><<>"},
    };
    for (size_t i = 0; i < (s->all_ways ? COUNT_OF(ways) : 2) && status == MEGURI_OK; i++) {
        size_t way = (i + s->turn) % COUNT_OF(ways); /* two ways each; all of them over all layouts and graphs */
        meguri_bfs_options o = ways[way];
        o.engine = s->engine;
        o.exchange = (s->turn + i) / 2 & 1 ? MEGURI_EXCHANGE_PACKED : MEGURI_EXCHANGE_PLAIN;
        status = search(s, ctx, c, shards, s->sources[i % 3], &o);
    }
    meguri_graph_free(shards);
    return status;
}

/* Ranks that have devices have those of the list "0,0" in turn. */
static meguri_ctx *context_of(meguri_engine engine) {
    meguri_ctx *ctx = NULL;
    meguri_ctx_options options = {.size = sizeof options, .threads = 1, .memory = (uint64_t)1 << 30};
    if (engine == MEGURI_ENGINE_DEVICE) options.device = "0,0";
    assert_int_equal(meguri_ctx_new(&ctx, &options), MEGURI_OK);
    return ctx;
}

static void search_arranged(subject *s, const char *name, const arrangement *a, uint32_t threads, uint64_t *seed) {
    s->arrangement = a;
    s->turn = next_random(seed) % 64;
    s->sources[0] = 0;
    for (int i = 1; i < 3; i++) s->sources[i] = next_random(seed) % s->graph->vertices;
    meguri_ctx *ctx = context_of(s->engine);
    const meguri_cluster_threads_options o = {.size = sizeof o, .ranks = a->ranks, .threads_each = threads};
    if (meguri_cluster_threads(ctx, &o, search_all, s) != MEGURI_OK)
        fail_msg("%s on %u ranks, %u × %u, pairs %d: %s", name, a->ranks, a->rows, a->columns, a->pairs,
                 meguri_ctx_error(ctx));
    context_done(ctx);
}

static void search_graph(const meguri_graph *graph, const char *name, bool all_ways, meguri_engine engine,
                         uint64_t *seed) {
    subject s = {.graph = graph, .all_ways = all_ways, .engine = engine};
    if (!graph->vertices) return;
    s.level = calloc(graph->vertices, sizeof *s.level);
    s.parent = calloc(graph->vertices, sizeof *s.parent);
    for (size_t k = 0; k < COUNT_OF(arrangements); k++) {
        if (!ONE_OF(3, k + (UNDER_TSAN ? 0 : graph->arcs / 2))) continue;
        if (!all_ways && (k + graph->arcs) % 2) continue; /* tests/mpi has every graph on every number of processes */
        if (engine == MEGURI_ENGINE_DEVICE && arrangements[k].ranks > 4) continue;
        search_arranged(&s, name, &arrangements[k], 1 + k % 2, seed);
    }
    free(s.level);
    free(s.parent);
}

static void the_zoo(void **state) {
    (void)state;
    uint64_t seed = 3;
    meguri_ctx *ctx = context_with(1);
    zoo_graph g;
    for (int index = 0; zoo_get(&g, index); index++) {
        for (int direction = MEGURI_DIRECTED; direction <= MEGURI_UNDIRECTED && g.count < 50000; direction++) {
            meguri_build_options o = {.size = sizeof o,
                                      .direction = (meguri_direction)direction,
                                      .duplicates = index & 1 ? MEGURI_DUPLICATES_KEEP : MEGURI_DUPLICATES_MIN,
                                      .keep_loops = index >> 1 & 1};
            meguri_graph *graph;
            if (UNDER_TSAN && (index + direction) % 4) continue;
            assert_int_equal(zoo_build(&graph, ctx, &g, &o), MEGURI_OK);
            search_graph(graph, g.name, false, MEGURI_ENGINE_AUTO, &seed);
            meguri_graph_free(graph);
        }
        zoo_free(&g);
    }
    context_done(ctx);
}

static void skewed_and_long(void **state) {
    (void)state;
    uint64_t seed = 4;
    meguri_ctx *ctx = context_with(1);
    meguri_graph *graph;
    const meguri_kronecker_options k = {.size = sizeof k, .scale = UNDER_TSAN ? 9 : 12};
    assert_int_equal(meguri_gen_kronecker(&graph, ctx, &k), MEGURI_OK);
    search_graph(graph, "Kronecker", true, MEGURI_ENGINE_AUTO, &seed);
    meguri_graph_free(graph);
    const meguri_grid_options r = {.size = sizeof r, .width = 40, .height = UNDER_TSAN ? 5 : 30};
    assert_int_equal(meguri_gen_grid(&graph, ctx, &r), MEGURI_OK);
    search_graph(graph, "grid", false, MEGURI_ENGINE_AUTO, &seed);
    meguri_graph_free(graph);
    context_done(ctx);
}

/* ---- the checker ------------------------------------------------------------------------------------------------- */

enum { DAMAGED = 60 };

/* Answers, most of them damaged, and what the checker of one machine says of them. */
typedef struct damage {
    const meguri_graph *graph;
    uint64_t source;
    uint32_t levels;
    int32_t *level[DAMAGED];
    uint32_t *parent[DAMAGED];
    meguri_status expected[DAMAGED], of_levels[DAMAGED]; /* of both; of the levels alone */
} damage;

static meguri_status check_damaged(void *user, meguri_ctx *ctx, meguri_cluster *c) {
    damage *d = user;
    const meguri_layout layout = square(c);
    meguri_graph *shards;
    meguri_graph_info info = {.size = sizeof info};
    meguri_status status = meguri_graph_spread(&shards, ctx, d->graph, &layout);
    if (status == MEGURI_OK) status = meguri_graph_get_info(&info, ctx, shards);
    if (status != MEGURI_OK) return status;
    for (int i = 0; i < DAMAGED; i++) {
        status = mg_bfs_check(ctx, shards, d->source, d->level[i] + info.first, d->parent[i] + info.first, d->levels);
        RANK_CHECK(ctx, status == d->expected[i]);
        status = mg_bfs_check(ctx, shards, d->source, d->level[i] + info.first, NULL, d->levels);
        RANK_CHECK(ctx, status == d->of_levels[i]);
    }
    meguri_graph_free(shards);
    return MEGURI_OK;
}

static void damage_one(damage *d, int i, uint64_t *seed) {
    uint64_t n = d->graph->vertices;
    uint32_t v = (uint32_t)(next_random(seed) % n), u = (uint32_t)(next_random(seed) % n);
    switch (i % 6) {
    case 0: return; /* as it is */
    case 1: d->parent[i][v] = u; return;
    case 2: d->level[i][v]++; return;
    case 3: d->level[i][v] = -1; return;
    case 4:
        d->level[i][v] = -1;
        d->parent[i][v] = UINT32_MAX;
        return;
    case 5: d->parent[i][v] = i & 8 ? UINT32_MAX : (uint32_t)(n + u); return;
    }
}

static void same_verdicts(meguri_ctx *ctx, bool directed, uint32_t levels) {
    const meguri_rmat_options o = {
        .size = sizeof o,
        .scale = 6,
        .edge_factor = 3,
        .build = &(meguri_build_options){.size = sizeof(meguri_build_options),
                                         .direction = directed ? MEGURI_DIRECTED : MEGURI_UNDIRECTED}};
    const meguri_bfs_options search_options = {
        .size = sizeof search_options, .levels = 1, .parents = 1, .max_depth = (uint32_t)(levels)-1};
    meguri_graph *graph;
    meguri_result *result;
    meguri_column level = {.size = sizeof level}, parent = {.size = sizeof parent};
    damage d = {.levels = levels};
    uint64_t seed = 17, degree = 0;
    int good = 0;
    assert_int_equal(meguri_gen_rmat(&graph, ctx, &o), MEGURI_OK);
    d.graph = graph;
    for (d.source = 0; degree < 3; d.source++)
        assert_int_equal(meguri_graph_degrees(&degree, ctx, graph, d.source, 1), MEGURI_OK);
    d.source--;
    assert_int_equal(meguri_bfs(&result, ctx, graph, d.source, &search_options), MEGURI_OK);
    assert_int_equal(meguri_result_column(&level, result, "level"), MEGURI_OK);
    assert_int_equal(meguri_result_column(&parent, result, "parent"), MEGURI_OK);
    for (int i = 0; i < DAMAGED; i++) {
        d.level[i] = malloc(graph->vertices * 4);
        d.parent[i] = malloc(graph->vertices * 4);
        memcpy(d.level[i], level.data, graph->vertices * 4);
        memcpy(d.parent[i], parent.data, graph->vertices * 4);
        damage_one(&d, i, &seed);
        d.expected[i] = mg_bfs_check(ctx, graph, d.source, d.level[i], d.parent[i], levels);
        d.of_levels[i] = mg_bfs_check(ctx, graph, d.source, d.level[i], NULL, levels);
        good += d.expected[i] == MEGURI_OK;
    }
    assert_true(good >= DAMAGED / 6 && good < DAMAGED * 3 / 4); /* the damage does damage */
    for (uint32_t ranks = 1; ranks <= 6; ranks += 1 + ranks / 3) run_on(ranks, 0, check_damaged, &d);
    for (int i = 0; i < DAMAGED; i++) {
        free(d.level[i]);
        free(d.parent[i]);
    }
    meguri_result_free(result);
    meguri_graph_free(graph);
}

static void damaged_answers(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    for (int directed = 0; directed < 2; directed++)
        for (uint32_t levels = 0; levels <= 3; levels += 3) same_verdicts(ctx, directed, levels);
    context_done(ctx);
}

/* A device for each rank. */
static void with_devices(void **state) {
    (void)state;
    uint64_t seed = 5;
    uint32_t count = 0;
    const char *why = "";
    meguri_ctx *ctx = context_with(1);
    assert_int_equal(meguri_devices(&count, &why, ctx), MEGURI_OK);
    if (!count) skip_because(why);
    const meguri_kronecker_options k = {.size = sizeof k, .scale = 9};
    const meguri_rmat_options r = {.size = sizeof r, .scale = 8};
    meguri_graph *graphs[2];
    assert_int_equal(meguri_gen_kronecker(&graphs[0], ctx, &k), MEGURI_OK);
    assert_int_equal(meguri_gen_rmat(&graphs[1], ctx, &r), MEGURI_OK);
    for (int i = 0; i < 2; i++) {
        search_graph(graphs[i], i ? "R-MAT" : "Kronecker", true, MEGURI_ENGINE_DEVICE, &seed);
        meguri_graph_free(graphs[i]);
    }
    context_done(ctx);
}

/* Without an argument on threads, with "devices" on these. */
int main(int count, char **words) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_zoo), cmocka_unit_test(skewed_and_long),
                                       cmocka_unit_test(damaged_answers)};
    const struct CMUnitTest there[] = {cmocka_unit_test(with_devices)};
    if (count > 1 && strcmp(words[1], "devices") == 0) return cmocka_run_group_tests(there, NULL, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
