/* Graphs on which a careless enumeration would not come back: branches that the path itself cuts off, more paths than
 * memory could hold, many of the cheapest, and ends in time. */
#define _GNU_SOURCE
#include "algo_path_all/walking.h"

#include <math.h>

/* ---- graphs ----------------------------------------------------------------------------------------------------- */

typedef struct edge_list {
    uint32_t *from, *to, *weight;
    uint64_t count, room;
} edge_list;

static void add_edge(edge_list *e, uint32_t from, uint32_t to, uint32_t weight) {
    if (e->count == e->room) {
        e->room = 2 * e->room + 64;
        e->from = realloc(e->from, e->room * sizeof *e->from);
        e->to = realloc(e->to, e->room * sizeof *e->to);
        e->weight = realloc(e->weight, e->room * sizeof *e->weight);
        assert_true(e->from && e->to && e->weight);
    }
    e->from[e->count] = from;
    e->to[e->count] = to;
    e->weight[e->count++] = weight;
}

static meguri_graph *build(meguri_ctx *ctx, edge_list *e, uint64_t vertices, bool directed, bool weighted) {
    meguri_graph *graph = NULL;
    meguri_edge_arrays edges = {.size = sizeof edges,
                                .count = e->count,
                                .from = e->from,
                                .to = e->to,
                                .id_bytes = 4,
                                .weights = weighted ? e->weight : NULL,
                                .weight_type = weighted ? MEGURI_TYPE_U32 : MEGURI_TYPE_NONE,
                                .vertices = vertices};
    meguri_build_options options = {.size = sizeof options,
                                    .direction = directed ? MEGURI_DIRECTED : MEGURI_UNDIRECTED,
                                    .duplicates = MEGURI_DUPLICATES_KEEP};
    assert_int_equal(meguri_graph_from_edges(&graph, ctx, &edges, &options), MEGURI_OK);
    free(e->from);
    free(e->to);
    free(e->weight);
    *e = (edge_list){0};
    return graph;
}

/* Vertices first … first+count-1, all joined. */
static void add_clique(edge_list *e, uint32_t first, uint32_t count) {
    for (uint32_t a = 0; a < count; a++)
        for (uint32_t b = a + 1; b < count; b++) add_edge(e, first + a, first + b, 1);
}

static int count_path(void *user, const meguri_path *path) {
    (void)path;
    ++*(uint64_t *)user;
    return 0;
}

static meguri_path_answer count_paths(meguri_ctx *ctx, meguri_path_search *search, const meguri_path_query *query) {
    uint64_t count = 0;
    meguri_path_answer answer = {.size = sizeof answer};
    meguri_status status = meguri_path_search_run(&answer, ctx, search, query, count_path, &count);
    if (status != MEGURI_OK) fail_msg("%s", meguri_ctx_error(ctx));
    assert_int_equal(answer.paths, count);
    return answer;
}

/* ---- tests ------------------------------------------------------------------------------------------------------ */

/* Cliques hang on the way like bags: no simple path leads through them, and there are billions of ways inside. */
static void bags(void **state) {
    (void)state;
    enum { BAGS = 6, SIZE = 16 };
    meguri_ctx *ctx = context_with(1);
    edge_list e = {0};
    uint32_t end = BAGS * SIZE;
    for (uint32_t b = 0; b < BAGS; b++) {
        add_clique(&e, b * SIZE, SIZE); /* its first vertex is on the way */
        add_edge(&e, b * SIZE, b + 1 < BAGS ? (b + 1) * SIZE : end, 1);
    }
    meguri_graph *graph = build(ctx, &e, end + 1, false, false);
    meguri_path_search *search = search_of(ctx, graph, MEGURI_PATH_OUT);
    meguri_path_query q = {.size = sizeof q, .algorithm = MEGURI_PATH_SIMPLE, .to = end, .limit = 100};
    for (int turn = 0; turn < 2; turn++, q.max_hops = 40) {
        meguri_path_answer answer = count_paths(ctx, search, &q);
        assert_int_equal(answer.paths, 1);
        assert_int_equal(answer.end, MEGURI_PATH_COMPLETE);
        assert_true(answer.settled < 100000);
    }
    search_free(search);
    meguri_graph_free(graph);
    context_done(ctx);
}

/* Diamonds in a row, with two edges on either side of each: 4 to the power of their number. */
static void doubles(void **state) {
    (void)state;
    enum { DIAMONDS = 8 };
    meguri_ctx *ctx = context_with(1);
    edge_list e = {0};
    for (uint32_t d = 0; d < DIAMONDS; d++)
        for (uint32_t side = 1; side <= 2; side++)
            for (int twice = 0; twice < 2; twice++) {
                add_edge(&e, 3 * d, 3 * d + side, 1);
                if (twice) add_edge(&e, 3 * d + side, 3 * d + 3, 1);
            }
    meguri_graph *graph = build(ctx, &e, 3 * DIAMONDS + 1, true, true);
    meguri_path_search *search = search_of(ctx, graph, MEGURI_PATH_OUT);
    static const meguri_path_algorithm algorithms[] = {MEGURI_PATH_ALL_SHORTEST, MEGURI_PATH_ALL, MEGURI_PATH_SIMPLE,
                                                       MEGURI_PATH_YENS};
    meguri_path_query q = {.size = sizeof q, .to = 3 * DIAMONDS, .max_hops = 2 * DIAMONDS};
    uint64_t peak[2] = {0, 0};
    for (size_t i = 0; i < COUNT_OF(algorithms) - (UNDER_TSAN ? 1 : 0); i++) {
        q.algorithm = algorithms[i];
        q.k = (uint64_t)1 << 60;
        assert_int_equal(count_paths(ctx, search, &q).paths, 1 << (2 * DIAMONDS));
    }
    q.algorithm = MEGURI_PATH_ALL_SHORTEST;
    search_free(search);
    /* Memory does not depend on how many are given. */
    for (int turn = 0; turn < 2; turn++) {
        meguri_ctx *fresh = context_with(1);
        search = search_of(fresh, graph, MEGURI_PATH_OUT);
        q.limit = turn ? 0 : 10;
        count_paths(fresh, search, &q);
        search_free(search);
        peak[turn] = meguri_ctx_memory_peak(fresh);
        context_done(fresh);
    }
    assert_int_equal(peak[0], peak[1]);
    meguri_graph_free(graph);
    context_done(ctx);
}

/* A grid with random weights: costs never fall, paths differ, and the first is the cheapest that Dijkstra finds. */
typedef struct rising {
    double last;
    uint64_t count, sum; /* of all edges, as a mark of the whole */
} rising;

static int take_rising(void *user, const meguri_path *path) {
    rising *r = user;
    assert_true(path->cost >= r->last);
    r->last = path->cost;
    r->count++;
    for (uint64_t i = 0; i < path->hops; i++) r->sum = r->sum * 31 + path->edges[i];
    return 0;
}

static void many_cheapest(void **state) {
    (void)state;
    enum { SIDE = 60 };
    uint64_t k = UNDER_TSAN || UNDER_ASAN ? 200 : 5000, random = 3;
    meguri_ctx *ctx = context_with(1);
    edge_list e = {0};
    for (uint32_t y = 0; y < SIDE; y++)
        for (uint32_t x = 0; x < SIDE; x++) {
            uint32_t v = y * SIDE + x;
            if (x + 1 < SIDE) add_edge(&e, v, v + 1, (uint32_t)(next_random(&random) % 100));
            if (y + 1 < SIDE) add_edge(&e, v, v + SIDE, (uint32_t)(next_random(&random) % 100));
        }
    meguri_graph *graph = build(ctx, &e, SIDE * SIDE, false, true);
    meguri_path_search *search = search_of(ctx, graph, MEGURI_PATH_OUT);
    meguri_path_query q = {.size = sizeof q, .algorithm = MEGURI_PATH_YENS, .from = 5, .to = SIDE * SIDE - 9, .k = k};
    rising first = {0}, again = {0}, one = {0};
    meguri_path_answer answer = {.size = sizeof answer};
    assert_int_equal(meguri_path_search_run(&answer, ctx, search, &q, take_rising, &first), MEGURI_OK);
    assert_int_equal(first.count, k);
    assert_int_equal(answer.end, MEGURI_PATH_COMPLETE);
    assert_int_equal(meguri_path_search_run(&answer, ctx, search, &q, take_rising, &again), MEGURI_OK);
    assert_int_equal(first.sum, again.sum);
    q.algorithm = MEGURI_PATH_DIJKSTRA;
    assert_int_equal(meguri_path_search_run(&answer, ctx, search, &q, take_rising, &one), MEGURI_OK);
    q.algorithm = MEGURI_PATH_YENS;
    q.has_max_cost = 1;
    q.max_cost = one.last;
    rising cheapest = {0};
    assert_int_equal(meguri_path_search_run(&answer, ctx, search, &q, take_rising, &cheapest), MEGURI_OK);
    assert_true(cheapest.count >= 1 && cheapest.last == one.last);
    search_free(search);
    meguri_graph_free(graph);
    context_done(ctx);
}

/* All paths of a clique take longer than anyone lives. */
static void time_is_over(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    edge_list e = {0};
    add_clique(&e, 0, 40);
    meguri_graph *graph = build(ctx, &e, 40, false, false);
    meguri_path_search *search = search_of(ctx, graph, MEGURI_PATH_OUT);
    static const meguri_path_algorithm algorithms[] = {MEGURI_PATH_ALL, MEGURI_PATH_SIMPLE, MEGURI_PATH_YENS};
    for (size_t i = 0; i < COUNT_OF(algorithms); i++) {
        meguri_path_query q = {.size = sizeof q, .algorithm = algorithms[i], .to = 39, .timeout = 0.03};
        q.k = (uint64_t)1 << 50;
        double since = mg_now();
        meguri_path_answer answer = count_paths(ctx, search, &q);
        double seconds = mg_now() - since;
        assert_int_equal(answer.end, MEGURI_PATH_TIMEOUT);
        assert_true(answer.paths > 0);
        assert_true(seconds >= 0.03);
        if (!UNDER_TSAN && !UNDER_ASAN) assert_true(seconds < 2); /* the machine may be busy */
    }
    search_free(search);
    meguri_graph_free(graph);
    context_done(ctx);
}

/* Where only their number has a limit the shortest come first, also where the next one is much longer. */
typedef struct lengths {
    uint64_t hops[10];
    uint64_t count;
} lengths;

static int note_hops(void *user, const meguri_path *path) {
    lengths *l = user;
    assert_true(l->count < COUNT_OF(l->hops));
    l->hops[l->count++] = path->hops;
    return 0;
}

static void shortest_first(void **state) {
    (void)state;
    enum { RING = 5000, DETOUR = 40 };
    static const meguri_path_algorithm algorithms[] = {MEGURI_PATH_SIMPLE, MEGURI_PATH_ALL};
    meguri_ctx *ctx = context_with(1);
    edge_list e = {0};
    for (uint32_t v = 0; v < RING; v++) add_edge(&e, v, (v + 1) % RING, 1);
    add_edge(&e, 0, 1, 1);
    for (uint32_t v = 0; v < DETOUR; v++) add_edge(&e, v ? RING + v - 1 : 0, RING + v, 1);
    add_edge(&e, RING + DETOUR - 1, RING - DETOUR, 1);
    meguri_graph *graph = build(ctx, &e, RING + DETOUR, false, false);
    meguri_path_search *search = search_of(ctx, graph, MEGURI_PATH_OUT);
    for (size_t i = 0; i < COUNT_OF(algorithms); i++) {
        meguri_path_query q = {.size = sizeof q, .algorithm = algorithms[i], .to = 1, .limit = 4};
        meguri_path_answer answer = {.size = sizeof answer};
        lengths l = {.count = 0};
        assert_int_equal(meguri_path_search_run(&answer, ctx, search, &q, note_hops, &l), MEGURI_OK);
        /* Two edges lead there, two long ways round: one of them by the detour, which has one hop more. Those without
         * an edge twice may also go round the detour first, and over the two edges there and back. */
        assert_int_equal(l.count, 4);
        assert_true(l.hops[0] == 1 && l.hops[1] == 1);
        if (algorithms[i] == MEGURI_PATH_SIMPLE) assert_true(l.hops[2] == RING - 1 && l.hops[3] == RING);
        for (int p = 1; p < 4; p++) assert_true(l.hops[p - 1] <= l.hops[p]);
        assert_true(answer.settled + answer.edges < 200 * RING);
        q.limit = 9;
        l.count = 0;
        assert_int_equal(meguri_path_search_run(&answer, ctx, search, &q, note_hops, &l), MEGURI_OK);
        if (algorithms[i] == MEGURI_PATH_SIMPLE) assert_int_equal(l.count, 4);
        assert_int_equal(answer.end, l.count == 9 ? MEGURI_PATH_LIMIT : MEGURI_PATH_COMPLETE);
    }
    search_free(search);
    meguri_graph_free(graph);
    context_done(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shortest_first), cmocka_unit_test(bags),         cmocka_unit_test(doubles),
        cmocka_unit_test(many_cheapest),  cmocka_unit_test(time_is_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
