/* PageRank, components and their checkers where memory ends: whichever allocation of whichever rank fails, all ranks
 * end with a failure, nobody waits for ever, nothing is left behind. */
#define _GNU_SOURCE
#include "cluster/answers.h"

typedef struct attempt {
    const arrangement *arrangement;
    const meguri_graph *graph;
    bool components;
    uint64_t fail_at;
    int rank;     /* where */
    bool through; /* it did not fail any more */
} attempt;

/* The algorithm, then the checker. */
static meguri_status work(meguri_ctx *ctx, meguri_graph *s, bool components) {
    const meguri_pagerank_options few = {.size = sizeof few, .iterations = 4};
    meguri_result *result;
    meguri_column column = {.size = sizeof column};
    meguri_status status =
        components ? meguri_components(&result, ctx, s, NULL) : meguri_pagerank(&result, ctx, s, &few);
    if (status != MEGURI_OK) return status;
    status = meguri_result_column(&column, result, components ? "component" : "rank");
    if (status == MEGURI_OK)
        status = components ? meguri_components_check(ctx, s, column.data)
                            : meguri_pagerank_check(ctx, s, column.data, &few);
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
    status = work(ctx, s, a->components);
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

static void fail_everywhere(bool components, const arrangement *a) {
    meguri_ctx *ctx = context_with(1);
    const meguri_kronecker_options k = {.size = sizeof k, .scale = 7, .edge_factor = 1};
    attempt t = {.arrangement = a, .components = components};
    meguri_graph *graph;
    assert_int_equal(meguri_gen_kronecker(&graph, ctx, &k), MEGURI_OK);
    t.graph = graph;
    for (t.fail_at = 1; !t.through; t.fail_at += UNDER_TSAN || UNDER_ASAN ? 5 : 1) {
        t.rank = (int)(t.fail_at % a->ranks);
        run_on_threads(a, 1, components ? "components" : "PageRank", try_it, &t);
        assert_true(t.fail_at < 5000);
    }
    meguri_graph_free(graph);
    context_done(ctx);
}

static void pagerank(void **state) {
    (void)state;
    fail_everywhere(false, &arrangements[5]);
    fail_everywhere(false, &arrangements[3]);
}

static void components(void **state) {
    (void)state;
    fail_everywhere(true, &arrangements[5]);
    fail_everywhere(true, &arrangements[3]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(pagerank), cmocka_unit_test(components)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
