/* Search keys: distinct, with a neighbour, the same at any number of threads, and every vertex as probable as another.
 */
#define _GNU_SOURCE
#include "graph500/graph500.h"
#include "support/sanitized.h"
#include "support/unit.h"

static meguri_graph *graph_of(meguri_ctx *ctx, const uint32_t *pairs, uint64_t count, uint64_t vertices) {
    meguri_edge_arrays edges = {.size = sizeof edges,
                                .count = count,
                                .from = pairs,
                                .to = pairs + 1,
                                .id_bytes = 4,
                                .stride = 8,
                                .vertices = vertices};
    meguri_build_options build = {.size = sizeof build, .direction = MEGURI_UNDIRECTED, .order = MEGURI_ORDER_DEGREE};
    meguri_graph *graph;
    assert_int_equal(meguri_graph_from_edges(&graph, ctx, &edges, &build), MEGURI_OK);
    return graph;
}

static int by_number(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void distinct_and_not_isolated(void **state) {
    (void)state;
    uint32_t kept[64] = {0};
    for (size_t t = 0; t < THREAD_COUNTS; t++) {
        meguri_ctx *ctx = context_with(thread_counts[t]);
        meguri_kronecker_options o = {.size = sizeof o, .scale = 12, .edge_factor = 2};
        uint32_t *pairs, roots[64], count = 64;
        uint64_t edges;
        assert_int_equal(meguri_gen_kronecker_pairs(&pairs, &edges, ctx, &o), MEGURI_OK);
        meguri_graph *graph = graph_of(ctx, pairs, edges, 1 << 12);
        assert_int_equal(mg_graph500_roots(roots, &count, ctx, graph, 1), MEGURI_OK);
        assert_int_equal(count, 64);
        if (t == 0) memcpy(kept, roots, sizeof kept);
        assert_memory_equal(kept, roots, sizeof kept);
        for (int i = 0; i < 64; i++) {
            bool joined = false;
            for (uint64_t k = 0; k < 2 * edges; k++) joined |= pairs[k] == roots[i] && pairs[k ^ 1] != roots[i];
            assert_true(joined);
        }
        /* Another seed, other roots. */
        count = 64;
        assert_int_equal(mg_graph500_roots(roots, &count, ctx, graph, 2), MEGURI_OK);
        assert_memory_not_equal(kept, roots, sizeof kept);
        qsort(roots, 64, sizeof *roots, by_number);
        for (int i = 1; i < 64; i++) assert_true(roots[i - 1] < roots[i]);
        /* Fewer are the first of more. */
        count = 7;
        assert_int_equal(mg_graph500_roots(roots, &count, ctx, graph, 1), MEGURI_OK);
        assert_memory_equal(kept, roots, 7 * sizeof *roots);
        meguri_pairs_free(pairs);
        meguri_graph_free(graph);
        context_done(ctx);
    }
}

/* 0-1, 3-1, 5-5 (a loop), 2 and 4 alone, 6-6 and 6-0. */
static void all_there_are(void **state) {
    (void)state;
    static const uint32_t pairs[] = {0, 1, 3, 1, 5, 5, 6, 6, 6, 0, 1, 0};
    static const uint32_t good[] = {0, 1, 3, 6};
    meguri_ctx *ctx = context_with(2);
    meguri_graph *graph = graph_of(ctx, pairs, COUNT_OF(pairs) / 2, 7);
    for (uint32_t asked = 4; asked < 100; asked += 3) {
        uint32_t roots[100], count = asked;
        assert_int_equal(mg_graph500_roots(roots, &count, ctx, graph, asked), MEGURI_OK);
        assert_int_equal(count, 4);
        qsort(roots, 4, sizeof *roots, by_number);
        assert_memory_equal(roots, good, sizeof good);
    }
    meguri_graph_free(graph);
    static const uint32_t loops[] = {0, 0, 1, 1};
    graph = graph_of(ctx, loops, 2, 3);
    uint32_t roots[4], count = 4;
    assert_int_equal(mg_graph500_roots(roots, &count, ctx, graph, 1), MEGURI_OK);
    assert_int_equal(count, 0);
    meguri_graph_free(graph);
    context_done(ctx);
}

/* Of a ring of 20 vertices with isolated ones between, 3 at a time: by chance 0.15 of the draws have a given vertex. */
static void every_vertex_is_as_probable(void **state) {
    (void)state;
    enum { DRAWS = UNDER_TSAN ? 2000 : 20000 };
    uint32_t pairs[40], hits[40] = {0}, firsts[40] = {0};
    for (uint32_t i = 0; i < 20; i++) {
        pairs[2 * i] = 2 * i;
        pairs[2 * i + 1] = 2 * ((i + 1) % 20);
    }
    meguri_ctx *ctx = context_with(1);
    meguri_graph *graph = graph_of(ctx, pairs, 20, 40);
    for (uint64_t seed = 1; seed <= DRAWS; seed++) {
        uint32_t roots[3], count = 3;
        assert_int_equal(mg_graph500_roots(roots, &count, ctx, graph, seed), MEGURI_OK);
        for (int i = 0; i < 3; i++) hits[roots[i]]++;
        firsts[roots[0]]++;
    }
    double mean = DRAWS * 0.15,
           first_mean = DRAWS * 0.05; /* deviations: their roots, about; five of them are allowed */
    for (int v = 0; v < 40; v += 2) {
        double off = hits[v] - mean, first_off = firsts[v] - first_mean;
        assert_true(off * off < 25 * mean && first_off * first_off < 25 * first_mean);
        assert_int_equal(hits[v + 1], 0);
    }
    meguri_graph_free(graph);
    context_done(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distinct_and_not_isolated),
        cmocka_unit_test(all_there_are),
        cmocka_unit_test(every_vertex_is_as_probable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
