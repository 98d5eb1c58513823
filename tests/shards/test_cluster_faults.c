/* Breadth-first search, PageRank, components and their checkers where memory ends: whichever allocation of whichever
 * rank fails, all ranks end with a failure, nobody waits for ever, nothing is left behind. */
#define _GNU_SOURCE
#include "shards/answers.h"
#include "support/checks.h"

typedef struct attempt {
    const arrangement *arrangement;
    const meguri_graph *graph;
    const char *what;
    uint64_t fail_at;
    int rank;     /* where */
    bool through; /* it did not fail any more */
} attempt;

/* A handle, two searches, the checker. */
static meguri_status search(meguri_ctx *ctx, const meguri_graph *graph) {
    const meguri_result *result;
    meguri_column level = {.size = sizeof level}, parent = level;
    meguri_bfs_search *search;
    meguri_status status = meguri_bfs_search_new(&search, ctx, graph, NULL);
    if (status != MEGURI_OK) return status;
    for (uint64_t source = 0; source < 2 && status == MEGURI_OK; source++) {
        status = meguri_bfs_search_run(&result, ctx, search, source);
        if (status == MEGURI_OK) status = meguri_result_column(&level, result, "level");
        if (status == MEGURI_OK) status = meguri_result_column(&parent, result, "parent");
        if (status == MEGURI_OK) status = mg_bfs_check(ctx, graph, source, level.data, parent.data, 0);
    }
    meguri_bfs_search_free(search);
    return status;
}

/* The algorithm, then the checker. */
static meguri_status work(meguri_ctx *ctx, meguri_graph *s, const char *what) {
    if (strcmp(what, "breadth-first search") == 0) return search(ctx, s);
    bool components = strcmp(what, "components") == 0;
    const meguri_pagerank_options few = {.size = sizeof few, .tiles = 1, .iterations = 4, .damping = 0.85};
    meguri_result *result;
    meguri_column column = {.size = sizeof column};
    meguri_status status =
        components ? meguri_components(&result, ctx, s, NULL) : meguri_pagerank(&result, ctx, s, &few);
    if (status != MEGURI_OK) return status;
    status = meguri_result_column(&column, result, components ? "component" : "rank");
    if (status == MEGURI_OK)
        status = components ? mg_components_check(ctx, s, column.data) : mg_pagerank_check(ctx, s, column.data, &few);
    meguri_result_free(result);
    return status;
}

static meguri_status try_it(void *user, meguri_ctx *ctx, meguri_cluster *cluster) {
    attempt *a = user;
    meguri_graph *s;
    const meguri_layout o = arranged(cluster, a->arrangement);
    meguri_status status = meguri_graph_spread(&s, ctx, a->graph, &o);
    if (status != MEGURI_OK) return status;
    uint64_t before = meguri_ctx_memory_used(ctx), allocations = mg_memory_allocations(ctx);
    bool mine = cluster->rank == a->rank;
    if (mine) mg_memory_fail_at(ctx, a->fail_at);
    status = work(ctx, s, a->what);
    mg_memory_fail_at(ctx, 0);
    bool failed = mg_memory_allocations(ctx) - allocations >= a->fail_at;
    if (mine) a->through = !failed;
    if (mine && failed) RANK_CHECK(ctx, status == MEGURI_NO_MEMORY);
    if (mine && !failed) RANK_CHECK(ctx, status == MEGURI_OK);
    RANK_CHECK(ctx, status == MEGURI_OK || status == MEGURI_NO_MEMORY || status == MEGURI_ENGINE_FAILED);
    RANK_CHECK(ctx, meguri_ctx_memory_used(ctx) <= before + 4096); /* rooms for messages under way have grown */
    meguri_graph_free(s);
    return MEGURI_OK;
}

static void fail_everywhere(const char *what, const arrangement *a) {
    meguri_ctx *ctx = context_with(1);
    const meguri_kronecker_options k = {.size = sizeof k, .scale = 7, .edge_factor = 1};
    attempt t = {.arrangement = a, .what = what};
    meguri_graph *graph;
    assert_int_equal(meguri_gen_kronecker(&graph, ctx, &k), MEGURI_OK);
    t.graph = graph;
    for (t.fail_at = 1; !t.through; t.fail_at += UNDER_TSAN || UNDER_ASAN ? 5 : 1) {
        t.rank = (int)(t.fail_at % a->ranks);
        run_on_threads(a, 1, what, try_it, &t);
        assert_true(t.fail_at < 5000);
    }
    meguri_graph_free(graph);
    context_done(ctx);
}

static void pagerank(void **state) {
    (void)state;
    fail_everywhere("PageRank", &arrangements[5]);
    fail_everywhere("PageRank", &arrangements[3]);
}

static void components(void **state) {
    (void)state;
    fail_everywhere("components", &arrangements[5]);
    fail_everywhere("components", &arrangements[3]);
}

static void breadth_first(void **state) {
    (void)state;
    fail_everywhere("breadth-first search", &arrangements[5]);
    fail_everywhere("breadth-first search", &arrangements[3]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(breadth_first), cmocka_unit_test(pagerank),
                                       cmocka_unit_test(components)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
