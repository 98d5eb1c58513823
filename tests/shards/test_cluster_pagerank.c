/* PageRank on ranks that are threads: every graph of the zoo in every layout, 1 and 2 threads each, against the ranks
 * of one machine, which have an oracle of their own. The checker: right answers pass, wrong ones are refused by all
 * ranks with a sentence that says where. */
#define _GNU_SOURCE
#include "shards/answers.h"
#include "support/checks.h"

#include <math.h>

typedef struct task {
    const arrangement *arrangement;
    const meguri_graph *graph;
    meguri_pagerank_options options;
    double *rank; /* by position: what came out, or what is checked */
    uint64_t iterations;
    double change;
    const char *refusal; /* part of the sentence of the checker; NULL: it is content */
} task;

/* What an iteration sends in a grid: shares to the column, sums to the row; and a few numbers that all must know. */
static meguri_status check_traffic(meguri_ctx *ctx, const meguri_graph *graph, const meguri_result *result) {
    const mg_shards *s = mg_shards_of(graph);
    uint64_t others = (uint64_t)(s->layout.rows - 1 + s->layout.columns - 1), size = (uint64_t)s->cluster->size;
    uint64_t iterations = fact_number(result, "iterations"), bytes = fact_number(result, "bytes");
    uint64_t dense = 8 * s->layout.window[0].stride * others * size * iterations;
    uint64_t numbers = 5 * 8 * 2 * size * size * iterations;
    RANK_CHECK(ctx, s->layout.pairs || (bytes >= dense && bytes <= dense + numbers));
    RANK_CHECK(ctx, s->layout.pairs || fact_number(result, "messages") >= others * size * iterations);
    return MEGURI_OK;
}

static meguri_status rank_and_check(void *user, meguri_ctx *ctx, meguri_cluster *cluster) {
    task *t = user;
    meguri_graph *s;
    meguri_result *result = NULL;
    const meguri_layout o = arranged(cluster, t->arrangement);
    meguri_status status = meguri_graph_spread(&s, ctx, t->graph, &o);
    if (status != MEGURI_OK) return status;
    status = meguri_pagerank(&result, ctx, s, &t->options);
    if (status == MEGURI_OK) status = take_part(t->rank, ctx, s, result, "rank", sizeof *t->rank);
    if (status == MEGURI_OK) status = mg_pagerank_check(ctx, s, t->rank + s->of_results.begin, &t->options);
    if (status == MEGURI_OK) {
        uint64_t iterations = fact_number(result, "iterations");
        double change = fact_real(result, "change");
        RANK_CHECK(ctx, fact_number(result, "edges") == iterations * t->graph->arcs);
        status = check_traffic(ctx, s, result);
        if (cluster->rank == 0) {
            t->iterations = iterations;
            t->change = change;
        }
    }
    meguri_result_free(result);
    meguri_graph_free(s);
    return status;
}

static void compare(const char *name, const task *t, const double *expected, uint64_t iterations) {
    const arrangement *a = t->arrangement;
    if (t->iterations != iterations)
        fail_msg("%s on %u ranks: %lu iterations, not %lu", name, a->ranks, t->iterations, iterations);
    for (uint64_t v = 0; v < t->graph->vertices; v++)
        if (!(fabs(t->rank[v] - expected[v]) <= 1e-12 * expected[v]))
            fail_msg("%s on %u ranks, %u × %u, pairs %d: the rank of %lu is %.17g, not %.17g", name, a->ranks, a->rows,
                     a->columns, a->pairs, v, t->rank[v], expected[v]);
}

static void rank_everywhere(meguri_ctx *ctx, const meguri_graph *graph, const char *name, size_t turn,
                            const meguri_pagerank_options *options) {
    meguri_result *result;
    meguri_column column = {.size = sizeof column};
    assert_int_equal(meguri_pagerank(&result, ctx, graph, options), MEGURI_OK);
    assert_int_equal(meguri_result_column(&column, result, "rank"), MEGURI_OK);
    for (size_t k = 0; k < COUNT_OF(arrangements); k++) {
        if (!is_tried(k, turn)) continue;
        task t = {.arrangement = &arrangements[k], .graph = graph, .options = *options};
        double *first = calloc(graph->vertices + 1, sizeof *first);
        t.rank = calloc(graph->vertices + 1, sizeof *t.rank);
        run_on_threads(t.arrangement, 2, name, rank_and_check, &t);
        compare(name, &t, column.data, fact_number(result, "iterations"));
        memcpy(first, t.rank, graph->vertices * sizeof *first);
        run_on_threads(t.arrangement, 1, name, rank_and_check, &t);
        if (memcmp(first, t.rank, graph->vertices * sizeof *first)) fail_msg("%s: threads change ranks", name);
        free(first);
        free(t.rank);
    }
    meguri_result_free(result);
}

static void rank_a_graph(meguri_ctx *ctx, const meguri_graph *graph, const char *name, size_t turn) {
    /* In turns: few iterations, which make no tiles; many; to a tolerance. */
    static const meguri_pagerank_options options[] = {
        {.size = sizeof *options, .tiles = 1, .iterations = 3, .damping = 0.5},
        {.size = sizeof *options, .tiles = 1, .iterations = 8},
        {.size = sizeof *options, .tiles = 1, .tolerance = 1e-5}};
    rank_everywhere(ctx, graph, name, turn, &options[turn % 3]);
}

static void the_zoo(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    each_of_the_zoo(ctx, rank_a_graph);
    context_done(ctx);
}

/* Large enough for several groups, tiles and threads. */
static void kronecker_graphs(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(2);
    const meguri_kronecker_options k = {.size = sizeof k, .scale = UNDER_TSAN || UNDER_ASAN ? 12 : 14};
    meguri_graph *graph;
    assert_int_equal(meguri_gen_kronecker(&graph, ctx, &k), MEGURI_OK);
    rank_everywhere(ctx, graph, "Kronecker", 2,
                    &(meguri_pagerank_options){
                        .size = sizeof(meguri_pagerank_options), .tiles = 1, .damping = 0.85, .tolerance = 1e-9});
    meguri_graph_free(graph);
    context_done(ctx);
}

static void few_vertices(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    for (uint64_t n = 0; n <= 3; n++)
        for (int edges = 0; edges < 2; edges++) {
            zoo_graph g = {.vertices = n, .name = "few vertices"};
            if (edges && n) shape_add(&g, 0, n - 1);
            meguri_build_options o = {.size = sizeof o, .direction = MEGURI_DIRECTED, .keep_loops = 1};
            subject s = subject_from_zoo(ctx, &g, &o);
            rank_everywhere(
                ctx, s.graph, g.name, 2 * n + (size_t)edges,
                &(meguri_pagerank_options){
                    .size = sizeof(meguri_pagerank_options), .tiles = 1, .damping = 0.85, .tolerance = 1e-9});
            subject_free(&s);
            zoo_free(&g);
        }
    context_done(ctx);
}

/* ---- the checker ------------------------------------------------------------------------------------------------ */

static meguri_status judge(void *user, meguri_ctx *ctx, meguri_cluster *cluster) {
    task *t = user;
    meguri_graph *s;
    const meguri_layout o = arranged(cluster, t->arrangement);
    meguri_status status = meguri_graph_spread(&s, ctx, t->graph, &o);
    if (status != MEGURI_OK) return status;
    status = mg_pagerank_check(ctx, s, t->rank + s->of_results.begin, &t->options);
    meguri_graph_free(s);
    if (!t->refusal) return status;
    RANK_CHECK(ctx, status == MEGURI_WRONG_ANSWER);
    if (strstr(meguri_ctx_error(ctx), t->refusal)) return MEGURI_OK;
    return status;
}

static void expect(task *t, const char *refusal) {
    t->refusal = refusal;
    static const size_t some[] = {0, 3, 9, 11};
    for (size_t k = 0; k < COUNT_OF(some); k++) {
        t->arrangement = &arrangements[some[k]];
        run_on_threads(t->arrangement, 1, refusal ? refusal : "a right answer", judge, t);
    }
}

static void spoil(task *t, uint64_t v, double rank, const char *refusal) {
    double keep = t->rank[v];
    t->rank[v] = rank;
    expect(t, refusal);
    t->rank[v] = keep;
}

static void wrong_ranks_are_refused(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    uint64_t seed = 8;
    zoo_graph g = {.vertices = 300, .name = "random"};
    for (int i = 0; i < 1000; i++) shape_add(&g, zoo_random(&seed) % 290, zoo_random(&seed) % 290);
    for (int turn = 0; turn < 4; turn++) {
        meguri_build_options o = {.size = sizeof o, .direction = 1 + (meguri_direction)(turn % 2)};
        task t = {.options = {.size = sizeof t.options,
                              .tiles = 1,
                              .damping = 0.85,
                              .tolerance = 1e-9,
                              .iterations = turn / 2 ? 5 : 0}};
        subject s = subject_from_zoo(ctx, &g, &o);
        meguri_result *result;
        meguri_column column = {.size = sizeof column};
        assert_int_equal(meguri_pagerank(&result, ctx, s.graph, &t.options), MEGURI_OK);
        assert_int_equal(meguri_result_column(&column, result, "rank"), MEGURI_OK);
        t.graph = s.graph;
        t.rank = malloc(300 * sizeof *t.rank);
        memcpy(t.rank, column.data, 300 * sizeof *t.rank);
        const char *moved = turn / 2 ? "and should be " : "one more iteration changes the ranks by ";
        expect(&t, NULL);
        spoil(&t, 17, NAN, "the rank of vertex 17 is not a finite number.");
        spoil(&t, 295, INFINITY, "the rank of vertex 295 is not a finite number.");
        spoil(&t, 17, -t.rank[17], "the rank of vertex 17 is -");
        spoil(&t, 299, 0, "the rank of vertex 299 is 0, less than the 0.0005");
        spoil(&t, 17, t.rank[17] + 1e-6, "the ranks add up to 1.00000");
        /* The sum stays: only an iteration tells. */
        t.rank[17] += 1e-5;
        spoil(&t, 40, t.rank[40] - 1e-5, moved);
        spoil(&t, 295, t.rank[295] - 1e-5, moved); /* an isolated one */
        t.rank[17] -= 1e-5;
        if (turn / 2) {
            spoil(&t, 0, t.rank[0] * (1 + 1e-8), "the rank of vertex 0 is ");
            spoil(&t, 299, t.rank[299] * (1 + 1e-8), "the rank of vertex 299 is ");
            t.options.iterations = 6;
            expect(&t, moved);
        }
        free(t.rank);
        meguri_result_free(result);
        subject_free(&s);
    }
    zoo_free(&g);
    context_done(ctx);
}

/* ---- odds and ends ---------------------------------------------------------------------------------------------- */

static int stop(void *user, const char *phase, uint64_t done, uint64_t total) {
    (void)phase, (void)done, (void)total;
    return ++*(int *)user > 3;
}

/* One rank asks for nonsense, or is stopped: all end with that. */
static meguri_status end_early(void *user, meguri_ctx *ctx, meguri_cluster *cluster) {
    meguri_graph *s;
    meguri_result *result;
    meguri_ctx *hasty;
    const meguri_pagerank_options bad = {.size = sizeof bad, .tiles = 1, .damping = 2, .tolerance = 1e-9};
    const meguri_pagerank_options endless = {
        .size = sizeof endless, .tiles = 1, .iterations = UINT32_MAX, .damping = 0.85};
    int calls = 0;
    const meguri_ctx_options o = {.size = sizeof o, .threads = 2, .progress = stop, .progress_user = &calls};
    const meguri_layout layout = square(cluster);
    meguri_status status = meguri_graph_spread(&s, ctx, user, &layout);
    if (status != MEGURI_OK) return status;
    status = meguri_pagerank(&result, ctx, s, cluster->rank == 1 ? &bad : NULL);
    RANK_CHECK(ctx, status == MEGURI_BAD_ARGUMENT && !result);
    RANK_CHECK(ctx, strstr(meguri_ctx_error(ctx), "damping"));
    RANK_CHECK(ctx, meguri_ctx_new(&hasty, &o) == MEGURI_OK);
    status = meguri_pagerank(&result, cluster->rank == 2 ? hasty : ctx, s, &endless);
    meguri_ctx_free(hasty);
    RANK_CHECK(ctx, status == MEGURI_CANCELLED && !result);
    meguri_graph_free(s);
    return MEGURI_OK;
}

static void all_end_together(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    const meguri_kronecker_options k = {.size = sizeof k, .scale = 8};
    meguri_graph *graph;
    assert_int_equal(meguri_gen_kronecker(&graph, ctx, &k), MEGURI_OK);
    run_on(4, 0, end_early, graph);
    meguri_graph_free(graph);
    context_done(ctx);
}

int main(int argc, char **argv) {
    read_arguments(argc, argv);
    const struct CMUnitTest tests[] = {cmocka_unit_test(few_vertices), cmocka_unit_test(the_zoo),
                                       cmocka_unit_test(kronecker_graphs), cmocka_unit_test(wrong_ranks_are_refused),
                                       cmocka_unit_test(all_end_together)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
