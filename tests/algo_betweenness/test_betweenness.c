/* Betweenness of every small graph of the zoo and of the shapes of searches, in every order, on 1, 2 and 5 threads,
 * against the definition; of larger ones against the checker, and bit for bit against another number of threads. */
#define _GNU_SOURCE
#include "algo_betweenness/between.h"
#include "support/checks.h"

#include "algo/betweenness/betweenness.h"

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

/* All sources, and some that are named, one of them twice. */
static void score_every_way(const subject *s, bool directed) {
    uint64_t n = s->plain.vertices, seed = n;
    double *all = between_all(&s->plain, directed);
    for (size_t t = 0; t < THREAD_COUNTS; t += 1 + n % 2) check_scores(ctx[t], s, NULL, all, t == 0);
    free(all);
    if (!n) return;
    uint64_t named[13];
    for (size_t i = 0; i < COUNT_OF(named); i++) named[i] = zoo_random(&seed) % n;
    named[4] = named[0];
    meguri_betweenness_options options = {.size = sizeof options, .count = 1 + seed % 13, .sources = named};
    double *some = between_by_definition(&s->plain, named, options.count);
    check_scores(ctx[seed % THREAD_COUNTS], s, &options, some, true);
    free(some);
}

/* In both directions and two of the orders; which parallel edges and loops are kept changes from one to the next. */
static void every_build(const zoo_graph *g, int index) {
    for (int direction = MEGURI_DIRECTED; direction <= MEGURI_UNDIRECTED; direction++)
        for (int order = MEGURI_ORDER_DEGREE; order <= MEGURI_ORDER_NONE; order++) {
            int keep = (index + direction + order) % 4;
            if (UNDER_ASAN ? (index + order) % 3 != 0 : (index + order) % 3 == 0) continue;
            meguri_build_options o = {.size = sizeof o,
                                      .direction = (meguri_direction)direction,
                                      .order = (meguri_order)order,
                                      .duplicates = keep & 1 ? MEGURI_DUPLICATES_KEEP : MEGURI_DUPLICATES_MIN,
                                      .keep_loops = keep >> 1};
            subject s = between_subject(ctx[1], g, &o);
            if (s.plain.vertices <= 150) score_every_way(&s, direction == MEGURI_DIRECTED);
            subject_free(&s);
        }
}

static void the_zoo(void **state) {
    (void)state;
    zoo_graph g;
    for (int index = 0; zoo_get(&g, index); index++) {
        if (!g.weights && g.count < 3000 && !UNDER_TSAN) every_build(&g, index);
        zoo_free(&g);
    }
}

static void shapes(void **state) {
    (void)state;
    zoo_graph g;
    for (int index = 0; shape_get(&g, index, 130); index++) {
        if (!UNDER_TSAN || index == 8) every_build(&g, index);
        zoo_free(&g);
    }
}

static void random_graphs(void **state) {
    (void)state;
    uint64_t seed = 91;
    for (int turn = 0; turn < (UNDER_TSAN ? 10 : UNDER_ASAN ? 40 : 150); turn++) {
        zoo_graph g = shape_random(&seed, 100);
        meguri_build_options o = {.size = sizeof o,
                                  .direction = 1 + zoo_random(&seed) % 2,
                                  .order = 1 + zoo_random(&seed) % 3,
                                  .keep_loops = zoo_random(&seed) % 2,
                                  .duplicates = zoo_random(&seed) % 2 ? MEGURI_DUPLICATES_KEEP : MEGURI_DUPLICATES_MIN};
        subject s = between_subject(ctx[turn % 3], &g, &o);
        if (s.plain.vertices <= 150) score_every_way(&s, o.direction == MEGURI_DIRECTED);
        subject_free(&s);
        zoo_free(&g);
    }
}

/* ---- lanes, wide numbers, narrow searches ----------------------------------------------------------------------- */

/* One search of each kind, from as many sources as there are lanes; twice, for what the first leaves behind. */
static void search_in_lanes(const subject *s, mg_betweenness_form form, uint32_t lanes, uint64_t *seed) {
    mg_numbering numbering;
    uint64_t done = 0, n = s->plain.vertices, named[MG_BETWEENNESS_MOST_LANES];
    uint32_t internal[MG_BETWEENNESS_MOST_LANES];
    mg_betweenness b = {.ctx = ctx[1], .rows = (uint32_t)s->graph->rows, .threads = 2, .done = &done};
    assert_int_equal(mg_graph_rows(&b.out, ctx[1], s->graph), MEGURI_OK);
    assert_int_equal(mg_graph_in_rows(&b.in, ctx[1], s->graph), MEGURI_OK);
    assert_int_equal(mg_graph_numbering(&numbering, ctx[1], s->graph), MEGURI_OK);
    assert_int_equal(mg_betweenness_workspace(&b, form, lanes), MEGURI_OK);
    for (int turn = 0; turn < 2; turn++) {
        for (uint32_t k = 0; k < lanes; k++) {
            named[k] = k == 3 ? named[0] : zoo_random(seed) % n;
            internal[k] = mg_to_internal(&numbering, (uint32_t)named[k]);
        }
        uint32_t count = turn ? lanes : 1 + (uint32_t)(zoo_random(seed) % lanes);
        double *right = between_by_definition(&s->plain, named, count);
        assert_int_equal(mg_betweenness_start(&b, internal, count), MEGURI_OK);
        if (b.all)
            assert_int_equal(form == MG_BETWEENNESS_NARROW ? mg_betweenness_narrow(&b)
                             : lanes == 1                  ? mg_betweenness_one(&b)
                             : lanes == 4                  ? mg_betweenness_four(&b)
                                                           : mg_betweenness_eight(&b),
                             MEGURI_OK);
        assert_false(b.too_large || b.abandoned);
        for (uint32_t p = 0; p < n; p++) {
            uint32_t v = mg_to_internal(&numbering, p);
            double score = v < b.rows ? b.score[v] : 0;
            if (!(fabs(score - right[p]) <= 1e-10 * fmax(1, right[p])))
                fail_msg("%s, %d lanes: vertex %d has the score %.17g instead of %.17g", s->name, (int)lanes, (int)p,
                         score, right[p]);
            if (v < b.rows) b.score[v] = 0;
        }
        free(right);
    }
    mg_betweenness_free_workspace(&b);
}

static void every_kind_of_search(void **state) {
    (void)state;
    zoo_graph g;
    uint64_t seed = 17;
    for (int index = 0; shape_get(&g, index, 130); index++) {
        for (int direction = MEGURI_DIRECTED; direction <= MEGURI_UNDIRECTED; direction++) {
            meguri_build_options o = {.size = sizeof o,
                                      .direction = (meguri_direction)direction,
                                      .order = (meguri_order)(1 + index % 3),
                                      .keep_loops = index % 2,
                                      .duplicates = index % 5 == 0 ? MEGURI_DUPLICATES_KEEP : MEGURI_DUPLICATES_MIN};
            subject s = between_subject(ctx[1], &g, &o);
            if (s.plain.vertices > 0 && s.plain.vertices <= 150 &&
                (!(UNDER_TSAN || UNDER_ASAN) || direction == 1 + index % 2)) {
                search_in_lanes(&s, MG_BETWEENNESS_NARROW, 1, &seed);
                search_in_lanes(&s, MG_BETWEENNESS_WIDE, 1, &seed);
                search_in_lanes(&s, MG_BETWEENNESS_WAVES, 1, &seed);
                search_in_lanes(&s, MG_BETWEENNESS_WAVES, 4, &seed);
                search_in_lanes(&s, MG_BETWEENNESS_WAVES, 8, &seed);
            }
            subject_free(&s);
        }
        zoo_free(&g);
    }
}

/* ---- large graphs ----------------------------------------------------------------------------------------------- */

static meguri_result *run(meguri_ctx *c, const meguri_graph *graph, uint64_t count, uint64_t seed) {
    meguri_betweenness_options options = {.size = sizeof options, .count = count, .seed = seed};
    meguri_result *result;
    if (meguri_betweenness(&result, c, graph, &options) != MEGURI_OK) fail_msg("%s", meguri_ctx_error(c));
    return result;
}

/* Large enough for threads: both ways to find a level, the checker, and the same bits. */
static void large_graphs(void **state) {
    (void)state;
    zoo_graph g;
    for (int index = 0; shape_get(&g, index, UNDER_TSAN || UNDER_ASAN ? 3000 : 5000); index += 1 + UNDER_TSAN) {
        meguri_build_options o = {.size = sizeof o, .direction = 1 + index % 2, .order = 1 + index % 3};
        meguri_graph *graph;
        assert_int_equal(zoo_build(&graph, ctx[1], &g, &o), MEGURI_OK);
        meguri_betweenness_options options = {.size = sizeof options, .count = index % 3 ? 3 : 19, .seed = 5};
        meguri_result *first = run(ctx[0], graph, options.count, 5);
        const double *right = scores_of(first, g.vertices);
        if (mg_betweenness_check(ctx[0], graph, right, &options) != MEGURI_OK)
            fail_msg("%s: %s", g.name, meguri_ctx_error(ctx[0]));
        for (size_t t = 1; t < THREAD_COUNTS; t++) {
            meguri_result *again = run(ctx[t], graph, options.count, 5);
            assert_memory_equal(scores_of(again, g.vertices), right, g.vertices * sizeof *right);
            assert_int_equal(fact_of(again, "edges"), fact_of(first, "edges"));
            meguri_result_free(again);
        }
        meguri_result_free(first);
        meguri_graph_free(graph);
        zoo_free(&g);
    }
}

/* Adds the way of a search, its first letter, to a text of up to 63. */
static void add_way(void *what, const char *line, size_t length) {
    (void)length;
    char *ways = what;
    const char *key = "\"way\":\"", *at = strstr(line, key);
    size_t count = strlen(ways);
    if (at && count < 63) ways[count] = at[strlen(key)];
}

/* From each of the sources the form that is expected; the checker agrees, and other numbers of threads to the bit. */
static void forms_are(const zoo_graph *g, const uint64_t *sources, uint64_t count, const char *expected) {
    meguri_build_options o = {.size = sizeof o, .direction = MEGURI_UNDIRECTED};
    meguri_betweenness_options options = {.size = sizeof options, .count = count, .sources = sources};
    meguri_graph *graph;
    double *first = NULL;
    assert_int_equal(zoo_build(&graph, ctx[1], g, &o), MEGURI_OK);
    for (size_t t = 0; t < THREAD_COUNTS; t++) {
        meguri_result *result;
        char ways[64] = "";
        assert_int_equal(meguri_ctx_trace_to(ctx[t], add_way, ways), MEGURI_OK);
        assert_int_equal(meguri_betweenness(&result, ctx[t], graph, &options), MEGURI_OK);
        assert_int_equal(meguri_ctx_trace_to(ctx[t], NULL, NULL), MEGURI_OK);
        assert_string_equal(ways, expected);
        const double *score = scores_of(result, g->vertices);
        if (!first) {
            assert_int_equal(mg_betweenness_check(ctx[t], graph, score, &options), MEGURI_OK);
            first = malloc(g->vertices * sizeof *first);
            memcpy(first, score, g->vertices * sizeof *first);
        }
        assert_memory_equal(score, first, g->vertices * sizeof *first);
        meguri_result_free(result);
    }
    free(first);
    meguri_graph_free(graph);
}

/* A long path that ends in a star: narrow from its far end on, until the star's level is too wide for one thread. A
 * path and a small star beside it: the first source tells nothing, the second that searches are narrow. */
static void narrow_and_abandoned(void **state) {
    (void)state;
    uint64_t path = 6000, leaves = 300000, sources[] = {0, 500, 7, 5999};
    zoo_graph g = {.vertices = path + leaves, .name = "a path and a star"};
    for (uint64_t v = 0; v + 1 < path; v++) shape_add(&g, v, v + 1);
    forms_are(&g, sources, COUNT_OF(sources), "nnnn");
    for (uint64_t v = path; v < path + leaves; v++) shape_add(&g, path - 1, v);
    forms_are(&g, sources, COUNT_OF(sources), "ssss");
    zoo_free(&g);
    zoo_graph two = {.vertices = 600, .name = "a star beside a path"};
    for (uint64_t v = 1; v < 10; v++) shape_add(&two, 0, v);
    for (uint64_t v = 10; v + 1 < 600; v++) shape_add(&two, v, v + 1);
    uint64_t first_star[] = {3, 200, 0};
    forms_are(&two, first_star, COUNT_OF(first_star), "nnn");
    zoo_free(&two);
}

/* ---- numbers of ways beyond a double ---------------------------------------------------------------------------- */

static void add_diamonds(zoo_graph *g, uint64_t first, uint64_t count) {
    for (uint64_t d = first; d < first + 3 * count; d += 3) {
        shape_add(g, d, d + 1);
        shape_add(g, d, d + 2);
        shape_add(g, d + 1, d + 3);
        shape_add(g, d + 2, d + 3);
    }
}

/* A chain of 3000 diamonds has 2^3000 ways; half of all go by either side of each. */
static void many_ways(void **state) {
    (void)state;
    uint64_t diamonds = 3000, source = 0;
    zoo_graph g = {.vertices = 3 * diamonds + 1, .name = "diamonds"};
    add_diamonds(&g, 0, diamonds);
    meguri_build_options o = {.size = sizeof o, .direction = MEGURI_DIRECTED};
    meguri_betweenness_options options = {.size = sizeof options, .count = 1, .sources = &source};
    meguri_graph *graph;
    meguri_result *result;
    assert_int_equal(zoo_build(&graph, ctx[1], &g, &o), MEGURI_OK);
    assert_int_equal(meguri_betweenness(&result, ctx[1], graph, &options), MEGURI_OK);
    assert_int_equal(fact_of(result, "depth"), 2 * diamonds);
    const double *score = scores_of(result, g.vertices);
    for (uint64_t d = 0; d < diamonds; d++) { /* exact: all are halves */
        double after = (double)(3 * (diamonds - 1 - d));
        assert_true(score[3 * d + 1] == (after + 1) / 2 && score[3 * d + 2] == (after + 1) / 2);
        assert_true(score[3 * d + 3] == after);
    }
    meguri_result_free(result);
    meguri_graph_free(graph);
    zoo_free(&g);
}

/* A chain of diamonds beside a path as long: one way and 2^count to the same distance. The
 * checker agrees. */
static void uneven_ways(void **state) {
    (void)state;
    for (uint64_t diamonds = 500; diamonds <= 20000; diamonds *= 6) {
        uint64_t path = 3 * diamonds + 1, sources[] = {0, path, 0};
        zoo_graph g = {.vertices = path + 2 * diamonds, .name = "diamonds and a path"};
        add_diamonds(&g, 0, diamonds);
        for (uint64_t i = 0; i < 2 * diamonds; i++) shape_add(&g, i ? path + i - 1 : 0, path + i);
        meguri_build_options o = {.size = sizeof o, .direction = MEGURI_DIRECTED};
        meguri_betweenness_options options = {.size = sizeof options, .count = COUNT_OF(sources), .sources = sources};
        meguri_graph *graph;
        meguri_result *result;
        assert_int_equal(zoo_build(&graph, ctx[1], &g, &o), MEGURI_OK);
        assert_int_equal(meguri_betweenness(&result, ctx[1], graph, &options), MEGURI_OK);
        const double *score = scores_of(result, g.vertices);
        if (mg_betweenness_check(ctx[1], graph, score, &options) != MEGURI_OK)
            fail_msg("%d diamonds: %s", (int)diamonds, meguri_ctx_error(ctx[1]));
        assert_true(score[path + 1] == 3 * (double)(2 * diamonds - 2)); /* beside the path's own beginning */
        meguri_result_free(result);
        meguri_graph_free(graph);
        zoo_free(&g);
    }
}

/* A full grid: numbers of ways are binomials, from 1 to the largest of them in one level. */
static void a_grid(void **state) {
    (void)state;
    uint64_t width = UNDER_TSAN || UNDER_ASAN ? 40 : 80, height = 600, source = 0;
    zoo_graph g = {.vertices = width * height, .name = "a grid"};
    for (uint64_t y = 0; y < height; y++)
        for (uint64_t x = 0; x < width; x++) {
            if (x + 1 < width) shape_add(&g, y * width + x, y * width + x + 1);
            if (y + 1 < height) shape_add(&g, y * width + x, (y + 1) * width + x);
        }
    meguri_build_options o = {.size = sizeof o, .direction = MEGURI_UNDIRECTED, .order = MEGURI_ORDER_BFS};
    meguri_betweenness_options options = {.size = sizeof options, .count = 1, .sources = &source};
    meguri_graph *graph;
    meguri_result *result;
    assert_int_equal(zoo_build(&graph, ctx[1], &g, &o), MEGURI_OK);
    assert_int_equal(meguri_betweenness(&result, ctx[1], graph, &options), MEGURI_OK);
    assert_int_equal(mg_betweenness_check(ctx[1], graph, scores_of(result, g.vertices), &options), MEGURI_OK);
    meguri_result_free(result);
    meguri_graph_free(graph);
    zoo_free(&g);
}

/* ---- sources ---------------------------------------------------------------------------------------------------- */

/* A sample is the sum over distinct sources: samples of one each add up, and all of them are all. */
static void samples(void **state) {
    (void)state;
    zoo_graph g;
    assert_true(shape_get(&g, 13, 120)); /* some vertices are isolated */
    meguri_build_options o = {.size = sizeof o, .direction = MEGURI_DIRECTED};
    subject s = between_subject(ctx[1], &g, &o);
    uint64_t leaving = 0, n = s.plain.vertices;
    for (uint64_t v = 0; v < n; v++) leaving += s.plain.offsets[v] < s.plain.offsets[v + 1];
    assert_true(leaving > 10 && leaving < n);
    meguri_result *all = run(ctx[1], s.graph, 0, 0), *as_many = run(ctx[1], s.graph, leaving, 3),
                  *more = run(ctx[1], s.graph, UINT64_MAX, 4);
    assert_int_equal(fact_of(all, "sources"), leaving);
    assert_memory_equal(scores_of(all, n), scores_of(as_many, n), n * sizeof(double));
    assert_memory_equal(scores_of(all, n), scores_of(more, n), n * sizeof(double));
    meguri_result *one = run(ctx[1], s.graph, 8, 1), *same = run(ctx[0], s.graph, 8, 1),
                  *other = run(ctx[1], s.graph, 8, 2);
    assert_int_equal(fact_of(one, "sources"), 8);
    assert_memory_equal(scores_of(one, n), scores_of(same, n), n * sizeof(double));
    assert_memory_not_equal(scores_of(one, n), scores_of(other, n), n * sizeof(double));
    /* All but one: what is missing is the score of a single source. */
    meguri_result *but_one = run(ctx[1], s.graph, leaving - 1, 7);
    const double *whole = scores_of(all, n), *part = scores_of(but_one, n);
    uint64_t fitting = 0;
    for (uint64_t source = 0; source < n; source++) {
        double *single = between_by_definition(&s.plain, &source, 1);
        bool fits = s.plain.offsets[source] < s.plain.offsets[source + 1];
        for (uint64_t v = 0; v < n; v++) fits &= whole[v] - part[v] - single[v] < 1e-9;
        for (uint64_t v = 0; v < n; v++) fits &= whole[v] - part[v] - single[v] > -1e-9;
        fitting += fits;
        free(single);
    }
    assert_true(fitting >= 1);
    meguri_result *results[] = {all, as_many, more, one, same, other, but_one};
    for (size_t i = 0; i < COUNT_OF(results); i++) meguri_result_free(results[i]);
    subject_free(&s);
    zoo_free(&g);
}

static void wrong_arguments(void **state) {
    (void)state;
    zoo_graph g = {.vertices = 2, .name = "two vertices"};
    meguri_build_options o = {.size = sizeof o};
    subject s = between_subject(ctx[0], &g, &o);
    meguri_result *result = (meguri_result *)1;
    uint64_t nobody = 2;
    double score[2] = {0, 0};
    meguri_betweenness_options empty = {0};
    meguri_betweenness_options wrong = {.size = sizeof wrong, .count = 1, .sources = &nobody};
    assert_int_equal(meguri_betweenness(NULL, ctx[0], s.graph, NULL), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_betweenness(&result, NULL, s.graph, NULL), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_betweenness(&result, ctx[0], NULL, NULL), MEGURI_BAD_ARGUMENT);
    assert_null(result);
    assert_int_equal(meguri_betweenness(&result, ctx[0], s.graph, &empty), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_betweenness(&result, ctx[0], s.graph, &wrong), MEGURI_NOT_FOUND);
    assert_string_equal(meguri_ctx_error(ctx[0]), "there is no vertex 2 in a graph of 2.");
    assert_int_equal(mg_betweenness_check(NULL, s.graph, score, NULL), MEGURI_BAD_ARGUMENT);
    assert_int_equal(mg_betweenness_check(ctx[0], NULL, score, NULL), MEGURI_BAD_ARGUMENT);
    assert_int_equal(mg_betweenness_check(ctx[0], s.graph, NULL, NULL), MEGURI_BAD_ARGUMENT);
    assert_int_equal(mg_betweenness_check(ctx[0], s.graph, score, &wrong), MEGURI_NOT_FOUND);
    assert_int_equal(mg_betweenness_check(ctx[0], s.graph, score, NULL), MEGURI_OK);
    subject_free(&s);
}

/* Each score in turn is a little off, or no number. */
static void wrong_scores_are_refused(void **state) {
    (void)state;
    zoo_graph g;
    for (int index = 0; shape_get(&g, index, 130); index += UNDER_TSAN || UNDER_ASAN ? 5 : 2) {
        meguri_build_options o = {.size = sizeof o, .direction = 1 + index / 2 % 2, .order = 1 + index % 3};
        subject s = between_subject(ctx[1], &g, &o);
        double *score = between_all(&s.plain, o.direction == MEGURI_DIRECTED);
        for (uint64_t v = 0; v < s.plain.vertices; v += UNDER_TSAN || UNDER_ASAN ? 40 : 11) {
            const double right = score[v], wrong[] = {right * (1 + 1e-8) + 1e-8, right - 1, -1e300, 0.0 / 0.0};
            char part[64];
            snprintf(part, sizeof part, "the score of vertex %u is ", (unsigned)v);
            for (size_t i = 0; i < COUNT_OF(wrong); i++) {
                score[v] = wrong[i];
                assert_int_equal(mg_betweenness_check(ctx[1], s.graph, score, NULL), MEGURI_WRONG_ANSWER);
                assert_non_null(strstr(meguri_ctx_error(ctx[1]), part));
            }
            score[v] = right;
        }
        assert_int_equal(mg_betweenness_check(ctx[1], s.graph, score, NULL), MEGURI_OK);
        free(score);
        subject_free(&s);
        zoo_free(&g);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_zoo),         cmocka_unit_test(shapes),
        cmocka_unit_test(random_graphs),   cmocka_unit_test(every_kind_of_search),
        cmocka_unit_test(large_graphs),    cmocka_unit_test(narrow_and_abandoned),
        cmocka_unit_test(many_ways),       cmocka_unit_test(uneven_ways),
        cmocka_unit_test(a_grid),          cmocka_unit_test(samples),
        cmocka_unit_test(wrong_arguments), cmocka_unit_test(wrong_scores_are_refused),
    };
    return cmocka_run_group_tests(tests, make_contexts, free_contexts);
}
