/* The checker of paths: right answers pass, and each way to be wrong is found. */
#define _GNU_SOURCE
#include "support/unit.h"

#include <meguri.h>
#include <string.h>

/* The ends of each edge, by its number, as meguri_graph_edges has them; and the number of an edge between two. */
enum { EDGES = 6 };
static uint64_t tails[EDGES], heads[EDGES], edge_count;
static uint64_t edge_between(uint64_t a, uint64_t b) {
    for (uint64_t e = 0; e < edge_count; e++)
        if ((tails[e] == a && heads[e] == b) || (tails[e] == b && heads[e] == a)) return e;
    return 10;
}

/* A ring 0 → 1 → 2 → 3 → 0 with weights 1, 2, 4, 8, a short cut 0 → 2 that costs 9, and 4 → 5 apart from them. */
static meguri_graph *ring(meguri_ctx *ctx) {
    static const uint32_t from[] = {0, 1, 2, 3, 0, 4}, to[] = {1, 2, 3, 0, 2, 5};
    static const double weights[] = {1, 2, 4, 8, 9, 1};
    meguri_edge_arrays arrays = {.size = sizeof arrays,
                                 .count = 6,
                                 .from = from,
                                 .to = to,
                                 .id_bytes = 4,
                                 .weights = weights,
                                 .weight_type = MEGURI_TYPE_F64};
    meguri_build_options options = {.size = sizeof options};
    meguri_graph *graph;
    assert_int_equal(meguri_graph_from_edges(&graph, ctx, &arrays, &options), MEGURI_OK);
    edge_count = arrays.count;
    assert_true(edge_count <= EDGES);
    assert_int_equal(meguri_graph_edges(tails, heads, NULL, ctx, graph, NULL, edge_count), MEGURI_OK);
    return graph;
}

typedef struct claim {
    meguri_path_query query;
    uint64_t vertices[6];
    double costs[6];
    uint64_t hops;
    uint64_t paths;       /* that the answer says */
    const char *sentence; /* NULL: nothing is wrong */
} claim;

#define ASKED(...) .query = {.size = sizeof(meguri_path_query), __VA_ARGS__}
static const claim claims[] = {
    {ASKED(.to = 2), {0, 1, 2}, {0, 1, 3}, 2, 1, NULL},
    {ASKED(.to = 0), {0}, {0}, 0, 1, NULL},
    {ASKED(.to = 5), {0}, {0}, 0, 0, NULL},
    {ASKED(.to = 2, .max_hops = 2), {0, 1, 2}, {0, 1, 3}, 2, 1, NULL},
    {ASKED(.to = 2), {0, 1, 3}, {0, 1, 3}, 2, 1, "does not lead from the one vertex"},
    {ASKED(.to = 2), {1, 1, 2}, {0, 1, 3}, 2, 1, "does not lead from the one vertex"},
    {ASKED(.to = 2), {0, 1, 2}, {1, 1, 3}, 2, 1, "its cost is not that of its edges"},
    {ASKED(.to = 2), {0, 1, 2}, {0, 1, 4}, 2, 1, "there is no such edge"},
    {ASKED(.to = 2), {0, 2}, {0, 3}, 1, 1, "there is no such edge"},
    {ASKED(.to = 3), {0, 1, 2, 3}, {0, 1, 3, 7}, 3, 1, NULL},
    {ASKED(.to = 3, .max_hops = 2), {0, 1, 2, 3}, {0, 1, 3, 7}, 3, 1, "does not keep the limits"},
    {ASKED(.to = 3, .max_cost = 6, .has_max_cost = 1), {0, 1, 2, 3}, {0, 1, 3, 7}, 3, 1, "does not keep the limits"},
    {ASKED(.to = 0, .algorithm = MEGURI_PATH_SIMPLE, .limit = 1),
     {0, 1, 2, 3, 0},
     {0, 1, 3, 7, 15},
     4,
     1,
     "something comes twice"},
    {ASKED(.to = 0, .algorithm = MEGURI_PATH_ALL, .limit = 1), {0, 1, 2, 3, 0}, {0, 1, 3, 7, 15}, 4, 1, NULL},
    {ASKED(.to = 3), {0}, {0}, 0, 0, "there is a way that was not found"},
    {ASKED(.to = 2), {0, 2}, {0, 9}, 1, 1, "there is a better one"},
    {ASKED(.to = 2, .algorithm = MEGURI_PATH_SHORTEST), {0, 2}, {0, 9}, 1, 1, NULL},
    {ASKED(.to = 2, .algorithm = MEGURI_PATH_SHORTEST), {0, 1, 2}, {0, 1, 3}, 2, 1, "there is a better one"},
    {ASKED(.to = 0, .algorithm = MEGURI_PATH_SHORTEST), {0, 1, 2, 3, 0}, {0, 1, 3, 7, 15}, 4, 1, "comes twice"},
};

static meguri_status check(meguri_ctx *ctx, meguri_path_checker *checker, const claim *c) {
    uint64_t edges[COUNT_OF(c->vertices)];
    for (uint64_t i = 0; i < c->hops; i++) edges[i] = edge_between(c->vertices[i], c->vertices[i + 1]);
    meguri_path path = {.size = sizeof path,
                        .hops = c->hops,
                        .vertices = c->vertices,
                        .edges = edges,
                        .costs = c->costs,
                        .cost = c->costs[c->hops]};
    meguri_path_answer answer = {.size = sizeof answer, .paths = c->paths, .algorithm = MEGURI_PATH_DIJKSTRA};
    meguri_status status = c->paths ? meguri_path_checker_path(ctx, checker, 7, &c->query, &path) : MEGURI_OK;
    return status == MEGURI_OK ? meguri_path_checker_answer(ctx, checker, 7, &c->query, &answer) : status;
}

static void judge(meguri_ctx *ctx, meguri_path_checker *checker, const claim *c, size_t i) {
    meguri_status status = check(ctx, checker, c);
    if (status != (c->sentence ? MEGURI_WRONG_ANSWER : MEGURI_OK))
        fail_msg("claim %zu: %d, %s", i, status, meguri_ctx_error(ctx));
    if (!c->sentence) return;
    assert_non_null(strstr(meguri_ctx_error(ctx), "the answer is wrong: question 7, path 0: "));
    if (!strstr(meguri_ctx_error(ctx), c->sentence)) fail_msg("claim %zu: %s", i, meguri_ctx_error(ctx));
}

static void claims_of_all_kinds(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    meguri_graph *graph = ring(ctx);
    meguri_path_checker *checker;
    meguri_path_finder_options o = {.size = sizeof o};
    assert_int_equal(meguri_path_checker_new(&checker, ctx, graph, NULL), MEGURI_OK);
    for (size_t i = 0; i < COUNT_OF(claims); i++) judge(ctx, checker, &claims[i], i);
    assert_false(meguri_path_checker_saw_all(checker)); /* one had a limit on hops */
    meguri_path_checker_free(checker);

    /* Against the edges, and either way: now 0 - 3 is a way, and costs more than the other one. */
    static const claim other = {ASKED(.to = 3), {0, 3}, {0, 8}, 1, 1, NULL};
    o.direction = MEGURI_PATH_IN;
    assert_int_equal(meguri_path_checker_new(&checker, ctx, graph, &o), MEGURI_OK);
    judge(ctx, checker, &other, 100);
    assert_true(meguri_path_checker_saw_all(checker));
    meguri_path_checker_free(checker);
    o.direction = MEGURI_PATH_BOTH;
    assert_int_equal(meguri_path_checker_new(&checker, ctx, graph, &o), MEGURI_OK);
    judge(ctx, checker, &other, 101);
    meguri_path_checker_free(checker);
    meguri_graph_free(graph);
    context_done(ctx);
}

static void no_memory(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1), *other = context_with(1);
    meguri_graph *graph = ring(other);
    uint64_t k = 1;
    for (meguri_status status = MEGURI_NO_MEMORY; status != MEGURI_OK; k++) {
        meguri_path_checker *checker = NULL;
        mg_memory_fail_at(ctx, k);
        status = meguri_path_checker_new(&checker, ctx, graph, NULL);
        if (status == MEGURI_OK) status = check(ctx, checker, &claims[0]);
        mg_memory_fail_at(ctx, 0);
        if (status != MEGURI_OK) assert_int_equal(status, MEGURI_NO_MEMORY);
        meguri_path_checker_free(checker);
        assert_int_equal(meguri_ctx_memory_used(ctx), 0);
    }
    assert_true(k > 5);
    meguri_graph_free(graph);
    context_done(ctx);
    context_done(other);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(claims_of_all_kinds),
        cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
