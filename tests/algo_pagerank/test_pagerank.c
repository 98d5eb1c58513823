/* PageRank of every graph of the zoo and of other shapes, on 1, 2 and 5 threads, against a plain serial one. */
#define _GNU_SOURCE
#include "algo_pagerank/ranking.h"

#include "algo/pagerank/pagerank.h"

#include <math.h>
#include <meguri.h>

static meguri_ctx *ctx[THREAD_COUNTS];

static int make_contexts(void **state) {
    (void)state;
    for (size_t t = 0; t < THREAD_COUNTS; t++) ctx[t] = context_with(thread_counts[t]);
    return 0;
}

static int free_contexts(void **state) {
    (void)state;
    for (size_t t = 0; t < THREAD_COUNTS; t++) context_done(ctx[t]);
    return 0;
}

static const meguri_pagerank_options ways[] = {
    {.size = sizeof ways[0]},
    {.size = sizeof ways[0], .iterations = 1},
    {.size = sizeof ways[0], .iterations = 3},
    {.size = sizeof ways[0], .iterations = 7, .damping = 0.5},
    {.size = sizeof ways[0], .tolerance = 1e-4},
    {.size = sizeof ways[0], .tolerance = 1e-12, .damping = 0.3},
    {.size = sizeof ways[0], .tolerance = 3},
};

/* Every number of threads, and the same bits from all. */
static void rank_everywhere(const subject *s, const meguri_pagerank_options *options) {
    uint64_t n = s->plain.vertices;
    meguri_result *first = NULL, *other = NULL;
    check_ranking(&first, ctx[0], s, options);
    for (size_t t = 1; t < THREAD_COUNTS; t++) {
        assert_int_equal(meguri_pagerank(&other, ctx[t], s->graph, options), MEGURI_OK);
        if (memcmp(ranks_of(ctx[0], first, n), ranks_of(ctx[t], other, n), n * sizeof(double)) != 0)
            fail_msg("%s: other bits on %u threads", s->name, thread_counts[t]);
        assert_true(real_of(ctx[0], first, "change") == real_of(ctx[t], other, "change"));
        assert_int_equal(meguri_pagerank_check(ctx[t], s->graph, ranks_of(ctx[t], other, n), options), MEGURI_OK);
        meguri_result_free(other);
    }
    meguri_result_free(first);
}

static void rank_every_graph(const zoo_graph *g, bool few) {
    for (int direction = MEGURI_DIRECTED; direction <= MEGURI_UNDIRECTED; direction++)
        for (int order = MEGURI_ORDER_DEGREE; order <= MEGURI_ORDER_NONE; order++)
            for (int keep = 0; keep < 4; keep++) {
                if (few && keep != (direction + order) % 4) continue;
                meguri_build_options o = {.size = sizeof o,
                                          .direction = (meguri_direction)direction,
                                          .order = (meguri_order)order,
                                          .keep_duplicates = keep & 1,
                                          .keep_loops = keep >> 1};
                subject s = ranked_from_zoo(ctx[1], g, &o);
                for (size_t way = 0; way < COUNT_OF(ways); way++)
                    if (few ? way == (size_t)(keep + order) % COUNT_OF(ways) : (way + (size_t)keep) % 2)
                        rank_everywhere(&s, &ways[way]);
                subject_free(&s);
            }
}

static void the_zoo(void **state) {
    (void)state;
    zoo_graph g;
    for (int index = 0; zoo_get(&g, index); index++) {
        bool large = g.count > 50000;
        if (!(UNDER_TSAN && !large)) rank_every_graph(&g, large || g.weights || UNDER_ASAN);
        zoo_free(&g);
    }
}

static void shapes(void **state) {
    (void)state;
    zoo_graph g;
    for (int index = 0; shape_get(&g, index, 1500); index++) {
        if (!UNDER_TSAN) rank_every_graph(&g, true);
        zoo_free(&g);
    }
}

static void random_graphs(void **state) {
    (void)state;
    uint64_t seed = 22;
    for (int turn = 0; turn < (UNDER_TSAN ? 20 : UNDER_ASAN ? 100 : 500); turn++) {
        zoo_graph g = shape_random(&seed, 3000);
        meguri_build_options o = {.size = sizeof o,
                                  .direction = 1 + zoo_random(&seed) % 2,
                                  .order = 1 + zoo_random(&seed) % 3,
                                  .keep_loops = zoo_random(&seed) % 2,
                                  .keep_duplicates = zoo_random(&seed) % 2};
        subject s = ranked_from_zoo(ctx[turn % 3], &g, &o);
        rank_everywhere(&s, &ways[zoo_random(&seed) % COUNT_OF(ways)]);
        subject_free(&s);
        zoo_free(&g);
    }
}

/* ---- long rows -------------------------------------------------------------------------------------------------- */

/* What the graph's in-rows become: several strips, several groups. */
static void assert_strips(const subject *s, uint64_t strips, uint64_t least_rows) {
    mg_rows in;
    mg_pagerank_strips cut;
    assert_int_equal(mg_graph_in_rows(&in, ctx[1], s->graph), MEGURI_OK);
    assert_int_equal(mg_pagerank_strips_new(&cut, ctx[1], &in), MEGURI_OK);
    assert_int_equal(cut.strips, strips);
    assert_true(cut.count >= least_rows);
    /* Every piece is what the row has there. */
    for (uint64_t i = 0; i < cut.count; i++) {
        uint64_t at = mg_row_begin(&in, cut.long_rows[i]);
        for (uint64_t p = 0; p < cut.strips; p++)
            for (uint64_t k = cut.place[p * cut.count + i]; k < cut.place[p * cut.count + i + 1]; k++)
                assert_int_equal(in.neighbors[at++], (p << MG_PAGERANK_STRIP) + cut.columns[k]);
        assert_int_equal(at, mg_row_end(&in, cut.long_rows[i]));
    }
    mg_pagerank_strips_free(&cut);
}

static void long_rows(void **state) {
    (void)state;
    zoo_graph g = shape_of_strips(UNDER_TSAN || UNDER_ASAN ? 75000 : 150000, 30, 5);
    for (int turn = 0; turn < (UNDER_TSAN || UNDER_ASAN ? 2 : 4); turn++) {
        meguri_build_options o = {.size = sizeof o,
                                  .direction = 1 + turn % 2,
                                  .order = 1 + (meguri_order)(turn % 3),
                                  .keep_duplicates = turn > 1};
        subject s = ranked_from_zoo(ctx[1], &g, &o);
        assert_strips(&s, UNDER_TSAN || UNDER_ASAN ? 2 : 3, 30);
        meguri_pagerank_options options = {.size = sizeof options, .iterations = 6};
        rank_everywhere(&s, &options);
        subject_free(&s);
    }
    zoo_free(&g);
}

/* One group is not enough for its arcs; blocks end between long rows and short ones. */
static void a_skewed_graph(void **state) {
    (void)state;
    zoo_graph g = shape_kronecker(ctx[1], UNDER_TSAN || UNDER_ASAN ? 12 : 15, 16);
    for (int direction = MEGURI_DIRECTED; direction <= MEGURI_UNDIRECTED; direction++) {
        meguri_build_options o = {.size = sizeof o, .direction = (meguri_direction)direction};
        subject s = ranked_from_zoo(ctx[1], &g, &o);
        rank_everywhere(&s, &ways[4]);
        subject_free(&s);
    }
    zoo_free(&g);
}

/* ---- small and odd ---------------------------------------------------------------------------------------------- */

static void graphs_with_known_ranks(void **state) {
    (void)state;
    zoo_graph nobody = {.name = "nobody"}, three = {.name = "three alone", .vertices = 3}, arrow = {.name = "arrow"},
              twice = {.name = "parallel edges"}, loop = {.name = "a loop"};
    shape_add(&arrow, 1, 2);
    shape_add(&twice, 1, 2);
    shape_add(&twice, 1, 2);
    shape_add(&twice, 1, 3);
    shape_add(&loop, 1, 1);
    shape_add(&loop, 1, 2);
    zoo_graph *graphs[] = {&nobody, &three, &arrow, &twice, &loop};
    meguri_build_options o = {.size = sizeof o, .direction = MEGURI_DIRECTED, .keep_duplicates = 1, .keep_loops = 1};
    meguri_pagerank_options once = {.size = sizeof once, .iterations = 1, .damping = 0.5};
    /* From 1/n: half of it for everybody, half along edges. */
    const double want[][3] = {{0},
                              {1. / 3, 1. / 3, 1. / 3},
                              {0.25 + 0.125, 0.25 + 0.25 + 0.125},
                              {1. / 6 + 1. / 9, 1. / 6 + 1. / 9 + 1. / 9, 1. / 6 + 1. / 9 + 1. / 18},
                              {0.25 + 0.125 + 0.125, 0.25 + 0.125 + 0.125}};
    const uint64_t vertices[] = {0, 3, 2, 3, 2};
    for (size_t i = 0; i < COUNT_OF(graphs); i++) {
        subject s = ranked_from_zoo(ctx[1], graphs[i], &o);
        meguri_result *result;
        check_ranking(&result, ctx[1], &s, &once);
        const double *rank = ranks_of(ctx[1], result, vertices[i]);
        for (uint64_t v = 0; v < vertices[i]; v++)
            if (fabs(rank[v] - want[i][v]) > 1e-15) fail_msg("%s: vertex %d has %.17g", s.name, (int)v, rank[v]);
        meguri_result_free(result);
        for (size_t way = 0; way < COUNT_OF(ways); way++) rank_everywhere(&s, &ways[way]);
        subject_free(&s);
        zoo_free(graphs[i]);
    }
}

/* It ends, and says how far it came. */
static void a_tolerance_finer_than_rounding(void **state) {
    (void)state;
    zoo_graph g;
    assert_true(shape_get(&g, 16, 1500)); /* skewed */
    meguri_build_options o = {.size = sizeof o, .direction = MEGURI_DIRECTED};
    subject s = ranked_from_zoo(ctx[1], &g, &o);
    meguri_pagerank_options options = {.size = sizeof options, .tolerance = 1e-40};
    meguri_result *result;
    assert_int_equal(meguri_pagerank(&result, ctx[1], s.graph, &options), MEGURI_OK);
    uint64_t iterations = fact_of(ctx[1], result, "iterations");
    assert_true(iterations <= 571); /* ln(0.5e-40) / ln(0.85) */
    if (iterations < 571) assert_true(real_of(ctx[1], result, "change") <= 1e-40);
    assert_true(real_of(ctx[1], result, "change") < 1e-14);
    assert_int_equal(meguri_pagerank_check(ctx[1], s.graph, ranks_of(ctx[1], result, g.vertices), &options), MEGURI_OK);
    meguri_result_free(result);
    subject_free(&s);
    zoo_free(&g);
}

static void bad_arguments(void **state) {
    (void)state;
    static const struct {
        meguri_pagerank_options options;
        const char *sentence;
    } wrong[] = {
        {{.damping = -0.1}, "the damping of PageRank must lie between 0 and 1."},
        {{.damping = 1}, "the damping of PageRank must lie between 0 and 1."},
        {{.damping = NAN}, "the damping of PageRank must lie between 0 and 1."},
        {{.tolerance = -1}, "the tolerance of PageRank must be a positive number."},
        {{.tolerance = NAN}, "the tolerance of PageRank must be a positive number."},
        {{.tolerance = INFINITY}, "the tolerance of PageRank must be a positive number."},
        {{.iterations = 2, .tolerance = 1e-3},
         "PageRank runs either a number of iterations or to a tolerance; give one of the two."},
    };
    zoo_graph g = {.vertices = 2};
    meguri_build_options o = {.size = sizeof o, .direction = MEGURI_DIRECTED};
    subject s = ranked_from_zoo(ctx[0], &g, &o);
    double rank[2] = {0.5, 0.5};
    meguri_result *result = (meguri_result *)1;
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        meguri_pagerank_options options = wrong[i].options;
        options.size = sizeof options;
        assert_int_equal(meguri_pagerank(&result, ctx[0], s.graph, &options), MEGURI_BAD_ARGUMENT);
        assert_null(result);
        assert_string_equal(meguri_ctx_error(ctx[0]), wrong[i].sentence);
        assert_int_equal(meguri_pagerank_check(ctx[0], s.graph, rank, &options), MEGURI_BAD_ARGUMENT);
        assert_string_equal(meguri_ctx_error(ctx[0]), wrong[i].sentence);
    }
    result = (meguri_result *)1;
    assert_int_equal(meguri_pagerank(&result, ctx[0], NULL, NULL), MEGURI_BAD_ARGUMENT);
    assert_null(result);
    assert_int_equal(meguri_pagerank(NULL, ctx[0], s.graph, NULL), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_pagerank(&result, NULL, s.graph, NULL), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_pagerank_check(NULL, s.graph, rank, NULL), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_pagerank_check(ctx[0], NULL, rank, NULL), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_pagerank_check(ctx[0], s.graph, NULL, NULL), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_pagerank_check(ctx[0], s.graph, rank, NULL), MEGURI_OK);
    subject_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_zoo),
        cmocka_unit_test(shapes),
        cmocka_unit_test(random_graphs),
        cmocka_unit_test(long_rows),
        cmocka_unit_test(a_skewed_graph),
        cmocka_unit_test(graphs_with_known_ranks),
        cmocka_unit_test(a_tolerance_finer_than_rounding),
        cmocka_unit_test(bad_arguments),
    };
    return cmocka_run_group_tests(tests, make_contexts, free_contexts);
}
