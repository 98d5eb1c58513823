/* Questions that cannot end well: allocations that fail in turn, a user who has had enough. A clear status, nothing
 * leaked, and the same question is answered afterwards. */
#define _GNU_SOURCE
#include "algo_path_all/walking.h"
#include "support/faults.h"

static const meguri_path_algorithm algorithms[] = {MEGURI_PATH_ALL_SHORTEST, MEGURI_PATH_ALL, MEGURI_PATH_SIMPLE,
                                                   MEGURI_PATH_YENS};

typedef struct asked {
    meguri_ctx *maker;
    const meguri_graph *graph;
    const meguri_path_query *query;
    uint64_t paths; /* that there are */
} asked;

static meguri_status run(meguri_ctx *ctx, void *what) {
    const asked *a = what;
    meguri_path_search *search = search_of(a->maker, a->graph, MEGURI_PATH_OUT);
    meguri_path_answer answer = {.size = sizeof answer};
    path_list got = {0};
    meguri_status status = meguri_path_search_run(&answer, ctx, search, a->query, keep_path, &got);
    if (status == MEGURI_OK) assert_int_equal(got.count, a->paths);
    search_free(search);
    list_free(&got);
    return status;
}

static void every_allocation_fails(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(2), *maker = context_with(2);
    uint64_t random = 9;
    for (int i = 0; i < 12; i++) {
        small_graph g = small_random(&random);
        meguri_graph *graph = small_build(maker, &g, MEGURI_ORDER_DEGREE);
        /* What a graph keeps from its first path on is not that question's. */
        assert_int_equal(meguri_graph_edges(NULL, NULL, NULL, maker, graph, NULL, 0), MEGURI_OK);
        for (size_t a = 0; a < COUNT_OF(algorithms); a++) {
            meguri_path_query q = {
                .size = sizeof q, .algorithm = algorithms[a], .to = g.vertices - 1, .max_hops = i % 2 ? 3 : 4, .k = 20};
            q.has_max_cost = i % 3 == 0;
            q.max_cost = 9;
            path_list want = brute_force(&g, &q, MEGURI_PATH_OUT);
            asked what = {maker, graph, &q, MG_MIN(want.count, algorithms[a] == MEGURI_PATH_YENS ? 20 : want.count)};
            fail_each_allocation(ctx, run, &what, LEAVES_NOTHING);
            list_free(&want);
        }
        meguri_graph_free(graph);
    }
    context_done(ctx);
    context_done(maker);
}

static int never_enough(void *user, const meguri_path *path) {
    (void)path;
    ((impatient *)user)->enough = 1; /* the next report cancels */
    return 0;
}

static void cancelled(void **state) {
    (void)state;
    impatient user = {0};
    meguri_ctx *ctx = context_of(&user, 1);
    enum { SIZE = 30 };
    uint32_t from[SIZE * SIZE], to[SIZE * SIZE];
    uint64_t count = 0;
    for (uint32_t a = 0; a < SIZE; a++)
        for (uint32_t b = 0; b < SIZE; b++, count++) from[count] = a, to[count] = b;
    meguri_graph *graph = NULL;
    meguri_edge_arrays edges = {.size = sizeof edges, .count = count, .from = from, .to = to, .id_bytes = 4};
    assert_int_equal(meguri_graph_from_edges(&graph, ctx, &edges, NULL), MEGURI_OK);
    meguri_path_search *search = search_of(ctx, graph, MEGURI_PATH_OUT);
    for (size_t a = 1; a < COUNT_OF(algorithms); a++) { /* there is but one shortest */
        meguri_path_query q = {.size = sizeof q, .algorithm = algorithms[a], .to = 1, .max_hops = 25};
        q.k = (uint64_t)1 << 50;
        meguri_path_answer answer = {.size = sizeof answer};
        assert_int_equal(meguri_path_search_run(&answer, ctx, search, &q, never_enough, &user), MEGURI_CANCELLED);
        assert_true(answer.paths > 0);
        user.enough = 0;
        q.max_hops = 1;
        q.k = 1;
        assert_int_equal(meguri_path_search_run(&answer, ctx, search, &q, NULL, NULL), MEGURI_OK);
        assert_int_equal(answer.paths, 1);
    }
    search_free(search);
    meguri_graph_free(graph);
    context_done(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_fails),
        cmocka_unit_test(cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
