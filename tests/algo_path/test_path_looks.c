/* Ctrl-C and time-outs act soon: between two looks at the clock a search does no more than a bounded amount of work,
 * whatever it is doing and however large the graph. Counted, not timed: this program defines mg_path_look,
 * which calls that of the library. A row is looked at as a whole, so that the largest one is allowed on top. */
#define _GNU_SOURCE
#include "algo_path/asking.h"

#include <dlfcn.h>

typedef struct looking {
    uint64_t looks, worst, last; /* work: vertices settled and arcs looked at */
} looking;
static looking now;

static uint64_t work_of(const meguri_path_answer *answer) { return answer->settled + answer->edges; }

static bool library_look(mg_path_question *q) {
    bool (*look)(mg_path_question * q);
    *(void **)&look = dlsym(RTLD_NEXT, "mg_path_look");
    assert_non_null(look);
    return look(q);
}

bool mg_path_look(mg_path_question *q) {
    uint64_t work = work_of(q->answer);
    now.looks++;
    if (work > now.last) now.worst = MG_MAX(now.worst, work - now.last);
    now.last = work;
    return library_look(q);
}

static int ignore(void *user, const meguri_path *path) {
    *(uint64_t *)user = path->hops;
    return 0;
}

/* Every way of searching, with limits that lead through all the code there is. */
static void ask_all(meguri_ctx *ctx, const meguri_graph *graph, uint64_t from, uint64_t to, uint64_t largest_row,
                    bool index) {
    meguri_path_search *search;
    meguri_path_finder_options o = {.size = sizeof o,
                                    .index_use = index ? MEGURI_PATH_INDEX_MAKE : MEGURI_PATH_INDEX_STORED};
    assert_int_equal(search_new(&search, ctx, graph, &o), MEGURI_OK);
    for (int i = 0; i < 2 * (MEGURI_PATH_TREE + 1); i++) {
        meguri_path_query q = question((meguri_path_algorithm)(i / 2), from, to);
        if (q.algorithm == MEGURI_PATH_INDEXED && !index) continue;
        bool enumerates = q.algorithm >= MEGURI_PATH_ALL_SHORTEST && q.algorithm <= MEGURI_PATH_YENS;
        if (enumerates) q.limit = q.k = 20;
        if (i % 2) { /* a search before has told what is possible */
            uint64_t hops = 0;
            meguri_path_answer answer = {.size = sizeof answer};
            meguri_path_query shortest = question(MEGURI_PATH_SHORTEST, from, to);
            assert_int_equal(meguri_path_search_run(&answer, ctx, search, &shortest, ignore, &hops), MEGURI_OK);
            q.max_hops = hops + 2;
            q.has_max_cost = 1, q.max_cost = 1e9;
        }
        uint64_t hops = 0;
        meguri_path_answer answer = {.size = sizeof answer};
        now = (looking){0};
        assert_int_equal(meguri_path_search_run(&answer, ctx, search, &q, ignore, &hops), MEGURI_OK);
        assert_true(answer.paths > 0);
        uint64_t work = work_of(&answer), most = 2 * (MG_PATH_LOOK + largest_row);
        now.worst = MG_MAX(now.worst, work - MG_MIN(now.last, work));
        if (now.worst > most || now.looks < (work + hops) / most)
            fail_msg("algorithm %d (%d): up to %d between two of %d looks, %d in all, %d hops", i / 2, i % 2,
                     (int)now.worst, (int)now.looks, (int)work, (int)hops);
    }
    search_free(search);
}

static void on_a_grid(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    uint64_t side = UNDER_ASAN || UNDER_TSAN ? 50 : 200;
    meguri_grid_options g = {.size = sizeof g, .width = side, .height = side};
    meguri_graph *graph;
    assert_int_equal(meguri_gen_grid(&graph, ctx, &g), MEGURI_OK);
    ask_all(ctx, graph, 1, graph->vertices - side / 2, 8, side < 100);
    meguri_graph_free(graph);
    context_done(ctx);
}

static meguri_graph *build(meguri_ctx *ctx, const uint32_t *from, const uint32_t *to, const uint32_t *weights,
                           uint64_t count, uint64_t vertices) {
    meguri_edge_arrays arrays = {.size = sizeof arrays,
                                 .count = count,
                                 .from = from,
                                 .to = to,
                                 .id_bytes = 4,
                                 .weights = weights,
                                 .weight_type = MEGURI_TYPE_U32,
                                 .vertices = vertices};
    meguri_build_options options = {.size = sizeof options, .direction = MEGURI_UNDIRECTED};
    meguri_graph *graph;
    assert_int_equal(meguri_graph_from_edges(&graph, ctx, &arrays, &options), MEGURI_OK);
    uint64_t *ids = malloc(vertices * sizeof *ids);
    double *x = malloc(vertices * sizeof *x);
    for (uint64_t v = 0; v < vertices; v++) ids[v] = v, x[v] = (double)v;
    assert_int_equal(mg_graph_set_coordinates(ctx, graph, ids, x, x, vertices), MEGURI_OK);
    free(ids);
    free(x);
    return graph;
}

/* Hundreds of hubs in a row, each joined to the same thousands of others by edges that cost more than any way. */
static void among_hubs(void **state) {
    (void)state;
    enum { HUBS = UNDER_ASAN || UNDER_TSAN ? 60 : 300 };
    meguri_ctx *ctx = context_with(1);
    uint32_t leaves = UNDER_ASAN || UNDER_TSAN ? 300 : 2000, count = 0;
    uint32_t *from = malloc((size_t)HUBS * (leaves + 1) * sizeof *from),
             *to = malloc((size_t)HUBS * (leaves + 1) * sizeof *to);
    uint32_t *weights = malloc((size_t)HUBS * (leaves + 1) * sizeof *weights);
    for (uint32_t h = 0; h < HUBS; h++) {
        if (h) from[count] = h - 1, to[count] = h, weights[count++] = 1;
        for (uint32_t l = 0; l < leaves; l++) from[count] = h, to[count] = HUBS + l, weights[count++] = 1000 + h + l;
    }
    meguri_graph *graph = build(ctx, from, to, weights, count, HUBS + leaves);
    ask_all(ctx, graph, 0, HUBS - 1, leaves + 2, false);
    meguri_graph_free(graph);
    free(from);
    free(to);
    free(weights);
    context_done(ctx);
}

/* One way, as long as the graph is large: to find it is little beside putting it together. */
static void a_long_way(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    uint32_t length = UNDER_ASAN || UNDER_TSAN ? 10000 : 100000;
    uint32_t *from = malloc(length * sizeof *from), *to = malloc(length * sizeof *to),
             *weights = malloc(length * sizeof *weights);
    for (uint32_t v = 0; v < length; v++) from[v] = v, to[v] = v + 1, weights[v] = 1 + v % 3;
    meguri_graph *graph = build(ctx, from, to, weights, length, (uint64_t)length + 1);
    ask_all(ctx, graph, 0, length, 2, false);
    meguri_graph_free(graph);
    free(from);
    free(to);
    free(weights);
    context_done(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(on_a_grid), cmocka_unit_test(among_hubs),
                                       cmocka_unit_test(a_long_way)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
