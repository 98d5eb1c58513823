/* Components on ranks that are threads: every graph of the zoo in every layout, 1 and 2 threads each, against those of
 * one machine, which have an oracle of their own. Long paths take few rounds. The checker: right answers pass, wrong
 * ones are refused by all ranks with a sentence that says where. */
#define _GNU_SOURCE
#include "shards/answers.h"
#include "support/checks.h"

typedef struct task {
    const arrangement *arrangement;
    const meguri_graph *graph;
    uint32_t *component; /* by position: what came out, or what is checked */
    uint64_t components, largest;
    uint64_t rounds;
    const char *refusal; /* part of the sentence of the checker; NULL: it is content */
} task;

static meguri_status find_and_check(void *user, meguri_ctx *ctx, meguri_cluster *cluster) {
    task *t = user;
    meguri_graph *s;
    meguri_result *result = NULL;
    const meguri_layout o = arranged(cluster, t->arrangement);
    meguri_status status = meguri_graph_spread(&s, ctx, t->graph, &o);
    if (status != MEGURI_OK) return status;
    status = meguri_components(&result, ctx, s, NULL);
    if (status == MEGURI_OK) status = take_part(t->component, ctx, s, result, "component", sizeof *t->component);
    if (status == MEGURI_OK) status = mg_components_check(ctx, s, t->component + s->of_results.begin);
    if (status == MEGURI_OK) {
        RANK_CHECK(ctx, fact_number(result, "components") == t->components);
        RANK_CHECK(ctx, fact_number(result, "largest") == t->largest);
        if (cluster->rank == 0) t->rounds = fact_number(result, "rounds");
    }
    meguri_result_free(result);
    meguri_graph_free(s);
    return status;
}

/* The most rounds that any layout took. */
static uint64_t part(meguri_ctx *ctx, const meguri_graph *graph, const char *name, size_t turn) {
    meguri_result *result;
    meguri_column column = {.size = sizeof column};
    assert_int_equal(meguri_components(&result, ctx, graph, NULL), MEGURI_OK);
    assert_int_equal(meguri_result_column(&column, result, "component"), MEGURI_OK);
    const uint32_t *expected = column.data;
    uint64_t rounds = 0;
    for (size_t k = 0; k < COUNT_OF(arrangements); k++) {
        const arrangement *a = &arrangements[k];
        if (!is_tried(k, turn)) continue;
        task t = {.arrangement = a, .graph = graph};
        t.components = fact_number(result, "components");
        t.largest = fact_number(result, "largest");
        t.component = malloc((graph->vertices + 1) * sizeof *t.component);
        run_on_threads(a, 1 + (k + turn / 4) % 2, name, find_and_check, &t);
        for (uint64_t v = 0; v < graph->vertices; v++)
            if (t.component[v] != expected[v])
                fail_msg("%s on %u ranks, %u × %u, pairs %d: the component of %lu is %u, not %u", name, a->ranks,
                         a->rows, a->columns, a->pairs, v, t.component[v], expected[v]);
        rounds = MG_MAX(rounds, t.rounds);
        free(t.component);
    }
    meguri_result_free(result);
    return rounds;
}

static void part_a_graph(meguri_ctx *ctx, const meguri_graph *graph, const char *name, size_t turn) {
    part(ctx, graph, name, turn);
}

static void the_zoo(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    each_of_the_zoo(ctx, part_a_graph);
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
            part(ctx, s.graph, g.name, 2 * n + (size_t)edges);
            subject_free(&s);
            zoo_free(&g);
        }
    context_done(ctx);
}

/* Sparse ones have components of all sizes. */
static void random_graphs(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    uint64_t seed = 5;
    for (int turn = 0; turn < (UNDER_TSAN || UNDER_ASAN ? 4 : 20); turn++) {
        uint64_t n = 1 + zoo_random(&seed) % 3000, m = zoo_random(&seed) % (n + n / 2);
        zoo_graph g = {.vertices = n};
        for (uint64_t i = 0; i < m; i++) shape_add(&g, zoo_random(&seed) % n, zoo_random(&seed) % n);
        snprintf(g.name, sizeof g.name, "random graph %d", turn);
        meguri_build_options o = {.size = sizeof o, .direction = 1 + (meguri_direction)(turn % 2)};
        subject s = subject_from_zoo(ctx, &g, &o);
        part(ctx, s.graph, g.name, (size_t)turn);
        subject_free(&s);
        zoo_free(&g);
    }
    context_done(ctx);
}

static void kronecker_graphs(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(2);
    for (uint32_t factor = 1; factor <= 16; factor *= 16) {
        const meguri_kronecker_options k = {
            .size = sizeof k, .scale = UNDER_TSAN || UNDER_ASAN ? 12 : 14, .edge_factor = factor};
        meguri_graph *graph;
        assert_int_equal(meguri_gen_kronecker(&graph, ctx, &k), MEGURI_OK);
        uint64_t rounds = part(ctx, graph, "Kronecker", factor == 1);
        /* Sparse ones have crumbs; else the giant has about as many labels as there are ranks, up to 18. */
        if (rounds > (factor == 1 ? 14 : 6)) fail_msg("Kronecker: %lu rounds", rounds);
        meguri_graph_free(graph);
    }
    context_done(ctx);
}

/* The diameter does not matter: along ids, against them, in no order; a path, a cycle, a comb, a tree of two. */
static void long_paths_take_few_rounds(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(2);
    const uint64_t n = UNDER_TSAN || UNDER_ASAN ? 10000 : 100000;
    for (int shape = 0; shape < 5; shape += UNDER_TSAN || UNDER_ASAN ? 3 : 1) {
        zoo_graph g = {.vertices = n};
        for (uint64_t i = 1; i < n; i++) {
            if (shape == 0 || shape == 1) shape_add(&g, i - 1, i);
            if (shape == 2) shape_add(&g, i, i - 1);
            if (shape == 3) shape_add(&g, i, i % 2 ? i - 1 : i - 2); /* a comb */
            if (shape == 4) shape_add(&g, i, (i + 1) % n);           /* a cycle, and one at its end */
        }
        if (shape == 1 || shape == 4) free(shape_shuffle(&g, 3));
        snprintf(g.name, sizeof g.name, "long path %d", shape);
        meguri_build_options o = {.size = sizeof o, .direction = 1 + (meguri_direction)(shape % 2)};
        subject s = subject_from_zoo(ctx, &g, &o);
        uint64_t rounds = part(ctx, s.graph, g.name, (size_t)shape);
        if (rounds > 17) fail_msg("%s: %lu rounds", g.name, rounds); /* log2(100,000) */
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
    status = mg_components_check(ctx, s, t->component + s->of_results.begin);
    meguri_graph_free(s);
    if (!t->refusal) return status;
    RANK_CHECK(ctx, status == MEGURI_WRONG_ANSWER);
    if (strcmp(meguri_ctx_error(ctx), t->refusal) == 0) return MEGURI_OK;
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

static void spoil(task *t, uint32_t v, uint32_t component, const char *refusal) {
    uint32_t keep = t->component[v];
    t->component[v] = component;
    expect(t, refusal);
    t->component[v] = keep;
}

/* Components 0 … 9, 10 … 19 and so on, up to 49, each a path; 50 to 59 are isolated. */
static void wrong_components_are_refused(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    for (int direction = MEGURI_DIRECTED; direction <= MEGURI_UNDIRECTED; direction++) {
        zoo_graph g = {.vertices = 60, .name = "paths"};
        task t = {.component = malloc(60 * sizeof *t.component)};
        for (uint64_t i = 0; i < 50; i++)
            if (i % 10) shape_add(&g, i - 1, i);
        for (uint32_t i = 0; i < 60; i++) t.component[i] = i < 50 ? i / 10 * 10 : i;
        meguri_build_options o = {.size = sizeof o, .direction = (meguri_direction)direction};
        subject s = subject_from_zoo(ctx, &g, &o);
        t.graph = s.graph;
        expect(&t, NULL);
        spoil(&t, 17, UINT32_MAX, "vertex 17 has no component.");
        spoil(&t, 17, 60, "the component of vertex 17 is number 60, but the graph has 60 vertices.");
        spoil(&t, 17, 18,
              "the component of vertex 17 is 18, which comes later; a component has the name of its first member.");
        spoil(&t, 17, 12, "the component of vertex 17 is 12, but 12 itself is in another.");
        spoil(&t, 10, 0, "the component of vertex 11 is 10, but 10 itself is in another.");
        spoil(&t, 17, 17, "an edge joins vertex 16 of the component 10 and vertex 17 of the component 17.");
        spoil(&t, 55, 54, "vertex 55 is said to be in the component 54, but no edges join them.");
        spoil(&t, 59, 30, "vertex 59 is said to be in the component 30, but no edges join them.");
        for (uint32_t i = 30; i < 40; i++) t.component[i] = 10;
        expect(&t, "vertex 30 is said to be in the component 10, but no edges join them.");
        for (uint32_t i = 30; i < 40; i++) t.component[i] = i < 35 ? 30 : 35;
        expect(&t, "an edge joins vertex 34 of the component 30 and vertex 35 of the component 35.");
        for (uint32_t i = 0; i < 60; i++) t.component[i] = 0;
        expect(&t, "vertex 10 is said to be in the component 0, but no edges join them.");
        for (uint32_t i = 0; i < 60; i++) t.component[i] = i;
        expect(&t, "an edge joins vertex 0 of the component 0 and vertex 1 of the component 1.");
        free(t.component);
        subject_free(&s);
        zoo_free(&g);
    }
    context_done(ctx);
}

int main(int argc, char **argv) {
    read_arguments(argc, argv);
    const struct CMUnitTest tests[] = {cmocka_unit_test(few_vertices),
                                       cmocka_unit_test(the_zoo),
                                       cmocka_unit_test(random_graphs),
                                       cmocka_unit_test(kronecker_graphs),
                                       cmocka_unit_test(long_paths_take_few_rounds),
                                       cmocka_unit_test(wrong_components_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
