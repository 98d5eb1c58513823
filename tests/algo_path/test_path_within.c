/* Callbacks for progress that ask the finder, and the graph, that a call is just making something in: they do with what
 * there is, or are told that it is busy; nothing waits for itself, and the call goes on. */
#define _GNU_SOURCE
#include "algo_path/asking.h"

#include <meguri.h>

enum { SIDE = 60 };

/* A grid whose rows backwards, and points of A*, are made when they are first needed. */
static meguri_graph *grid(meguri_ctx *ctx) {
    static uint32_t from[2 * SIDE * SIDE], to[2 * SIDE * SIDE];
    static double weights[2 * SIDE * SIDE], x[SIDE * SIDE], y[SIDE * SIDE];
    static uint64_t ids[SIDE * SIDE];
    uint32_t count = 0;
    uint64_t random = 3;
    for (uint32_t v = 0; v < SIDE * SIDE; v++) {
        ids[v] = v, x[v] = v % SIDE, y[v] = v / SIDE;
        for (int way = 0; way < 2; way++) {
            uint32_t next = way ? v + SIDE : v + 1;
            if (way ? next >= SIDE * SIDE : next % SIDE == 0) continue;
            from[count] = v, to[count] = next;
            weights[count++] = (double)(100 + next_random(&random) % 50);
        }
    }
    meguri_edge_arrays arrays = {.size = sizeof arrays,
                                 .count = count,
                                 .from = from,
                                 .to = to,
                                 .id_bytes = 4,
                                 .weights = weights,
                                 .weight_type = MEGURI_TYPE_F64,
                                 .vertices = SIDE * SIDE};
    meguri_build_options options = {.size = sizeof options, .direction = MEGURI_DIRECTED};
    meguri_graph *graph;
    assert_int_equal(meguri_graph_from_edges(&graph, ctx, &arrays, &options), MEGURI_OK);
    assert_int_equal(mg_graph_set_coordinates(ctx, graph, ids, x, y, SIDE * SIDE), MEGURI_OK);
    return graph;
}

typedef struct within {
    meguri_ctx *ctx;
    const meguri_graph *graph;
    const meguri_path_finder *finder; /* NULL: not yet */
    meguri_path_algorithm asks;
    int depth, calls, answered, busy;
} within;

static meguri_status ask(within *w, meguri_path_algorithm algorithm, double *cost) {
    meguri_path_answer answer = {.size = sizeof answer};
    meguri_path_query query = question(algorithm, 0, SIDE * SIDE - 1);
    meguri_status status = meguri_path_find(&answer, w->ctx, w->finder, &query, NULL, NULL);
    *cost = answer.cost;
    return status;
}

static int progress(void *user, const char *phase, uint64_t done, uint64_t total) {
    within *w = user;
    (void)phase, (void)done, (void)total;
    double cost;
    if (!w->finder || w->depth) return 0;
    w->depth++;
    w->calls++;
    meguri_status status = ask(w, w->asks, &cost);
    w->answered += status == MEGURI_OK;
    w->busy += status == MEGURI_BUSY;
    if (status == MEGURI_BUSY) assert_non_null(strstr(meguri_ctx_error(w->ctx), "this callback belongs to"));
    else assert_int_equal(status, MEGURI_OK);
    meguri_graph_info info = {.size = sizeof info};
    assert_int_equal(meguri_graph_get_info(&info, w->ctx, w->graph), MEGURI_OK);
    w->depth--;
    return 0;
}

static void finder_in_callback(void **state) {
    (void)state;
    static const meguri_path_algorithm algorithms[] = {MEGURI_PATH_DIJKSTRA, MEGURI_PATH_BIDIRECTIONAL,
                                                       MEGURI_PATH_ASTAR, MEGURI_PATH_AUTO};
    for (size_t round = 0; round < 2 * COUNT_OF(algorithms) * COUNT_OF(algorithms); round++) {
        within w = {.asks = algorithms[round / 2 % COUNT_OF(algorithms)]};
        meguri_path_algorithm outer = algorithms[round / 2 / COUNT_OF(algorithms)];
        meguri_ctx_options o = {
            .size = sizeof o, .threads = 2, .memory = (uint64_t)1 << 30, .progress = progress, .progress_user = &w};
        double cost = 0, again = 0;
        meguri_path_index *index = NULL;
        meguri_path_finder *finder;
        assert_int_equal(meguri_ctx_new(&w.ctx, &o), MEGURI_OK);
        meguri_graph *graph = grid(w.ctx);
        w.graph = graph;
        if (round % 2) assert_int_equal(meguri_path_index_new(&index, w.ctx, graph, NULL), MEGURI_OK);
        meguri_path_finder_options f = {.size = sizeof f, .index = index};
        assert_int_equal(meguri_path_finder_new(&finder, w.ctx, graph, &f), MEGURI_OK);
        w.finder = finder;
        assert_int_equal(ask(&w, outer, &cost), MEGURI_OK);
        assert_int_equal(w.answered + w.busy, w.calls);
        if (outer == MEGURI_PATH_ASTAR) assert_true(w.calls > 0);
        if (outer == MEGURI_PATH_ASTAR && w.asks == outer) assert_true(w.busy > 0);
        if (outer == MEGURI_PATH_ASTAR && w.asks == MEGURI_PATH_DIJKSTRA) assert_int_equal(w.busy, 0);
        w.finder = NULL;
        within last = {.ctx = w.ctx, .finder = finder};
        assert_int_equal(ask(&last, w.asks, &again), MEGURI_OK);
        assert_true(same_cost(cost, again));
        meguri_path_finder_free(finder);
        meguri_path_index_free(index);
        meguri_graph_free(graph);
        context_done(w.ctx);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(finder_in_callback)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
