/* Paths on a device: against walks of every number of edges, with widths of teams and sizes of groups; against the host
 * on larger graphs, also many questions that share sources; what is refused; a device that is lost, or has too little
 * memory; time that is over. */
#define _GNU_SOURCE
#include "algo_path/asking.h"
#include "support/device.h"

static meguri_path_finder_options on_device(int direction) {
    return (meguri_path_finder_options){.size = sizeof(meguri_path_finder_options),
                                        .direction = (meguri_path_direction)direction,
                                        .engine = MEGURI_ENGINE_DEVICE};
}

/* The limits that a device does not know are refused; then it is asked without them. */
static void ask_there(meguri_ctx *ctx, const small *s, meguri_path_search *search, int direction, const rounds *r,
                      meguri_path_query q) {
    meguri_path_answer answer = {.size = sizeof answer};
    bool cheapest = q.algorithm != MEGURI_PATH_SHORTEST;
    if (search->finder->weighted && (cheapest ? q.max_hops != 0 : q.has_max_cost != 0)) {
        expect_failure(ctx, meguri_path_search_run(&answer, ctx, search, &q, NULL, NULL), MEGURI_ENGINE_FAILED,
                       cheapest ? "a maximum of edges for the path algorithm dijkstra" : "a maximum cost for the path");
        if (cheapest) q.max_hops = 0;
        else q.has_max_cost = 0;
    }
    ask_right(ctx, s, search, (meguri_path_direction)direction, r, &q);
}

/* Questions of which every second one goes on from where the one before ended. */
static void ask_small(meguri_ctx *ctx, const small *s, int kind, int direction, uint64_t *random) {
    static const meguri_path_algorithm algorithms[] = {MEGURI_PATH_SHORTEST, MEGURI_PATH_DIJKSTRA, MEGURI_PATH_AUTO};
    meguri_path_finder_options o = on_device(direction);
    meguri_path_search *search;
    uint32_t from = 0;
    assert_int_equal(search_new(&search, ctx, s->graph, &o), MEGURI_OK);
    for (int pair = 0; pair < 6; pair++) {
        rounds r;
        if (pair % 2 == 0) from = (uint32_t)(next_random(random) % s->vertices);
        rounds_from(&r, s, from, o.direction);
        meguri_path_query q = question(MEGURI_PATH_AUTO, from, next_random(random) % s->vertices);
        if (pair) draw_limits(&q, &r, random, kind != 5);
        for (size_t a = 0; a < COUNT_OF(algorithms); a++) {
            q.algorithm = algorithms[a];
            ask_there(ctx, s, search, direction, &r, q);
        }
    }
    search_free(search);
}

static void small_graphs(void **state) {
    (void)state;
    for (size_t size = 0; size < COUNT_OF(device_sizes); size++) {
        meguri_ctx *ctx = context_of_size(size);
        uint64_t random = 5 + size;
        int graphs = size ? 4 : UNDER_ASAN ? 18 : 72;
        for (int i = 0; i < graphs; i++) {
            small s;
            int kind = size ? (int)(size % 2) : i % KINDS; /* compilers take their time */
            small_make(&s, ctx, &random, kind, i / KINDS % 2);
            ask_small(ctx, &s, kind, i / (2 * KINDS) % 3, &random);
            small_free(&s);
        }
        context_done(ctx);
    }
}

/* ---- many questions of larger graphs, beside the host ----------------------------------------------------------- */

enum { MANY = 24 };
typedef struct answers {
    double cost[MANY];
    uint64_t hops[MANY], settled[MANY], taken;
    meguri_path_checker *checker;
    const meguri_path_query *queries;
    meguri_ctx *ctx;
} answers;

static int take_one(void *user, uint64_t index, const meguri_path *path) {
    answers *a = user;
    a->cost[index] = path->cost;
    a->hops[index] = path->hops;
    assert_int_equal(meguri_path_checker_path(a->ctx, a->checker, index, &a->queries[index], path), MEGURI_OK);
    return 0;
}

static meguri_status take_answer(void *user, uint64_t index, const meguri_path_answer *answer) {
    answers *a = user;
    assert_int_equal(index, a->taken++);
    a->settled[index] = answer->settled;
    return meguri_path_checker_answer(a->ctx, a->checker, index, &a->queries[index], answer);
}

static answers ask_all(meguri_ctx *ctx, const meguri_graph *graph, const meguri_path_finder_options *o,
                       const meguri_path_query *queries) {
    answers a = {.queries = queries, .ctx = context_with(1)};
    meguri_path_search *search;
    for (int i = 0; i < MANY; i++) a.cost[i] = -1;
    assert_int_equal(search_new(&search, ctx, graph, o), MEGURI_OK);
    assert_int_equal(meguri_path_checker_new(&a.checker, a.ctx, graph, o), MEGURI_OK);
    if (meguri_path_many(ctx, search, queries, MANY, take_one, take_answer, &a) != MEGURI_OK)
        fail_msg("%s %s", meguri_ctx_error(ctx), meguri_ctx_error(a.ctx));
    assert_int_equal(a.taken, MANY);
    meguri_path_checker_free(a.checker);
    search_free(search);
    context_done(a.ctx);
    return a;
}

static void like_the_host(meguri_ctx *ctx, const meguri_graph *graph, uint64_t *random) {
    meguri_path_query queries[MANY];
    for (int i = 0; i < MANY; i++) {
        queries[i] = question(i < MANY / 2 ? MEGURI_PATH_DIJKSTRA : MEGURI_PATH_SHORTEST,
                              next_random(random) % graph->vertices, next_random(random) % graph->vertices);
        if (i % 4) queries[i].from = queries[i - 1].from;
        if (i % 4 == 3) queries[i].to = queries[i - 1].to; /* it is there already */
    }
    for (int direction = MEGURI_PATH_OUT; direction <= MEGURI_PATH_BOTH; direction++) {
        meguri_path_finder_options o = on_device(direction), here = {.size = sizeof here, .direction = o.direction};
        answers there = ask_all(ctx, graph, &o, queries), host = ask_all(ctx, graph, &here, queries);
        for (int i = 0; i < MANY; i++) {
            if (i < MANY / 2) assert_true(there.cost[i] == host.cost[i]);
            else assert_int_equal(there.hops[i], host.hops[i]);
            if (i % 4 == 3) assert_int_equal(there.settled[i], 0);
        }
    }
}

static void larger_graphs(void **state) {
    (void)state;
    meguri_ctx *ctx = device_context(NULL, 0);
    uint64_t random = 3;
    for (int i = 0; i < 3; i++) {
        meguri_grid_options g = {.size = sizeof g, .width = 60, .height = 40, .links = 30};
        meguri_kronecker_options k = {.size = sizeof k, .scale = 9, .weights = MEGURI_TYPE_F32};
        meguri_rmat_options m = {.size = sizeof m, .scale = 9};
        meguri_graph *graph;
        meguri_status status = i == 0   ? meguri_gen_grid(&graph, ctx, &g)
                               : i == 1 ? meguri_gen_kronecker(&graph, ctx, &k)
                                        : meguri_gen_rmat(&graph, ctx, &m);
        assert_int_equal(status, MEGURI_OK);
        assert_int_equal(meguri_graph_edges(NULL, NULL, NULL, ctx, graph, NULL, 0), MEGURI_OK); /* kept with it */
        like_the_host(ctx, graph, &random);
        meguri_graph_free(graph);
    }
    context_done(ctx);
}

/* A chain whose costs grow beyond 32 bits while questions go on. */
static void beyond_32_bits(void **state) {
    (void)state;
    meguri_ctx *ctx = device_context(NULL, 0);
    enum { EDGES = 12 };
    uint32_t from[EDGES], to[EDGES], weights[EDGES];
    for (uint32_t i = 0; i < EDGES; i++) from[i] = i, to[i] = i + 1, weights[i] = 1u << 30;
    meguri_edge_arrays e = {.size = sizeof e,
                            .count = EDGES,
                            .from = from,
                            .to = to,
                            .id_bytes = 4,
                            .weights = weights,
                            .weight_type = MEGURI_TYPE_U32};
    meguri_graph *graph;
    meguri_path_search *search;
    assert_int_equal(meguri_graph_from_edges(&graph, ctx, &e, NULL), MEGURI_OK);
    meguri_path_finder_options o = on_device(MEGURI_PATH_OUT);
    assert_int_equal(search_new(&search, ctx, graph, &o), MEGURI_OK);
    for (uint64_t end = 1; end <= EDGES; end++) {
        meguri_path_query q = question(MEGURI_PATH_DIJKSTRA, 0, end);
        meguri_path_answer answer = {.size = sizeof answer};
        taken t = {0};
        assert_int_equal(meguri_path_search_run(&answer, ctx, search, &q, take, &t), MEGURI_OK);
        assert_true(t.paths == 1 && t.hops == end && t.cost == (double)end * 0x1p30);
    }
    search_free(search);
    meguri_graph_free(graph);
    context_done(ctx);
}

/* ---- what goes wrong -------------------------------------------------------------------------------------------- */

static meguri_graph *town(meguri_ctx *ctx, uint64_t side) {
    meguri_grid_options g = {.size = sizeof g, .width = side, .height = side};
    meguri_graph *graph;
    assert_int_equal(meguri_gen_grid(&graph, ctx, &g), MEGURI_OK);
    return graph;
}

static void refused(void **state) {
    (void)state;
    meguri_ctx *ctx = device_context(NULL, 0);
    meguri_graph *graph = town(ctx, 30);
    meguri_path_search *search;
    meguri_path_answer answer = {.size = sizeof answer};
    meguri_path_finder_options o = on_device(MEGURI_PATH_OUT);
    o.index_use = MEGURI_PATH_INDEX_MAKE;
    expect_failure(ctx, search_new(&search, ctx, graph, &o), MEGURI_BAD_ARGUMENT, "has no index");
    o.index_use = MEGURI_PATH_INDEX_STORED;
    o.engine = (meguri_engine)9;
    expect_failure(ctx, search_new(&search, ctx, graph, &o), MEGURI_BAD_ARGUMENT, "no engine");
    o.engine = MEGURI_ENGINE_CLUSTER;
    expect_failure(ctx, search_new(&search, ctx, graph, &o), MEGURI_ENGINE_FAILED, "cluster");
    o.engine = MEGURI_ENGINE_DEVICE;
    assert_int_equal(search_new(&search, ctx, graph, &o), MEGURI_OK);
    for (int a = MEGURI_PATH_ASTAR; a <= MEGURI_PATH_TREE; a++) {
        if (a == MEGURI_PATH_SHORTEST) continue;
        meguri_path_query q = question((meguri_path_algorithm)a, 0, 5);
        q.limit = 1;
        bool indexed = a == MEGURI_PATH_INDEXED;
        expect_failure(ctx, meguri_path_search_run(&answer, ctx, search, &q, NULL, NULL),
                       indexed ? MEGURI_BAD_ARGUMENT : MEGURI_ENGINE_FAILED,
                       indexed ? "no index" : meguri_path_algorithm_name(q.algorithm));
    }
    meguri_path_query q = question(MEGURI_PATH_DIJKSTRA, 0, 899);
    q.timeout = 1e-9;
    assert_int_equal(meguri_path_search_run(&answer, ctx, search, &q, NULL, NULL), MEGURI_OK);
    assert_int_equal(answer.end, MEGURI_PATH_TIMEOUT);
    q.timeout = 0;
    assert_int_equal(meguri_path_search_run(&answer, ctx, search, &q, NULL, NULL), MEGURI_OK);
    assert_int_equal(answer.paths, 1);
    search_free(search);
    mg_device *d;
    assert_int_equal(mg_device_get(&d, ctx), MEGURI_OK);
    assert_int_equal(d->used, 0);
    d->memory = 2000;
    assert_int_equal(search_new(&search, ctx, graph, &o), MEGURI_OK);
    expect_failure(ctx, meguri_path_search_run(&answer, ctx, search, &q, NULL, NULL), MEGURI_NO_MEMORY,
                   "not enough memory on the device");
    search_free(search);
    meguri_graph_free(graph);
    context_done(ctx);
}

static int stop_searching(void *user, const char *phase, uint64_t done, uint64_t total) {
    (void)user, (void)done, (void)total;
    return strcmp(phase, "sssp") == 0;
}

static void cancelled(void **state) {
    (void)state;
    meguri_ctx_free(device_context(NULL, 0)); /* skips */
    meguri_ctx *ctx;
    meguri_ctx_options how = {.size = sizeof how, .threads = 2, .progress = stop_searching};
    assert_int_equal(meguri_ctx_new(&ctx, &how), MEGURI_OK);
    meguri_graph *graph = town(ctx, 10);
    meguri_path_search *search;
    meguri_path_answer answer = {.size = sizeof answer};
    meguri_path_finder_options o = on_device(MEGURI_PATH_OUT);
    meguri_path_query q = question(MEGURI_PATH_DIJKSTRA, 0, 99);
    assert_int_equal(search_new(&search, ctx, graph, &o), MEGURI_OK);
    assert_int_equal(meguri_path_search_run(&answer, ctx, search, &q, NULL, NULL), MEGURI_CANCELLED);
    search_free(search);
    meguri_graph_free(graph);
    context_done(ctx);
}

static meguri_status try_paths(meguri_ctx *ctx, void *what) {
    meguri_path_finder_options o = on_device(MEGURI_PATH_OUT);
    meguri_path_search *search;
    meguri_status status = search_new(&search, ctx, what, &o);
    for (uint64_t end = 2; end < 12 && status == MEGURI_OK; end += 6) { /* the second goes on */
        meguri_path_query q = question(MEGURI_PATH_DIJKSTRA, 0, end);
        meguri_path_answer answer = {.size = sizeof answer};
        taken t = {0};
        status = meguri_path_search_run(&answer, ctx, search, &q, take, &t);
        if (status == MEGURI_OK) assert_int_equal(t.paths, 1);
    }
    search_free(search);
    return status;
}

/* Each call of OpenCL fails in turn, once or from then on; then memory of the host does. */
static void lost(void **state) {
    (void)state;
    meguri_ctx *ctx = faulty_context(), *maker = context_with(2);
    meguri_graph *graph = town(maker, 3);
    fail_each_call(ctx, try_paths, graph);
    assert_true(fail_each_allocation(ctx, try_paths, graph, LEAVES_NOTHING) >= 6);
    meguri_graph_free(graph);
    context_done(ctx);
    context_done(maker);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(small_graphs),   cmocka_unit_test(larger_graphs),
                                       cmocka_unit_test(beyond_32_bits), cmocka_unit_test(refused),
                                       cmocka_unit_test(cancelled),      cmocka_unit_test(lost)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
