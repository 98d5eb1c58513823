/* Components of every graph of the zoo and of the shapes of searches, directed and not, in every order, on 1, 2 and 5
 * threads, against a textbook union-find. */
#define _GNU_SOURCE
#include "algo_components/parting.h"
#include "support/checks.h"

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

/* The same answer and as many looks on every number of threads. */
static void part_subject(const subject *s) {
    parts right = parts_of(&s->plain);
    uint64_t edges = check_parts(ctx[0], s, &right);
    for (size_t t = 1; t < THREAD_COUNTS; t++)
        if (check_parts(ctx[t], s, &right) != edges)
            fail_msg("%s, order %d: threads change how many edges are looked at", s->name, s->order);
    parts_free(&right);
}

static void part_every_way(const zoo_graph *g, bool few) {
    for (int direction = MEGURI_DIRECTED; direction <= MEGURI_UNDIRECTED; direction++)
        for (int order = MEGURI_ORDER_DEGREE; order <= MEGURI_ORDER_NONE; order++)
            for (int keep = 0; keep < 4; keep++) {
                if (few && keep != (direction + order) % 4) continue;
                meguri_build_options o = {.size = sizeof o,
                                          .direction = (meguri_direction)direction,
                                          .order = (meguri_order)order,
                                          .duplicates = keep & 1 ? MEGURI_DUPLICATES_KEEP : MEGURI_DUPLICATES_MIN,
                                          .keep_loops = keep >> 1};
                subject s = subject_from_zoo(ctx[1], g, &o);
                part_subject(&s);
                subject_free(&s);
            }
}

static void the_zoo(void **state) {
    (void)state;
    zoo_graph g;
    for (int index = 0; zoo_get(&g, index); index++) {
        bool large = g.count > 50000;
        if (!(UNDER_TSAN && !large)) part_every_way(&g, large || UNDER_ASAN);
        zoo_free(&g);
    }
}

/* Whatever can go wrong with few vertices: every graph of them, in every order. */
static void every_small_graph(const int vertices, bool directed, bool loops) {
    int pairs[25][2], count = 0;
    for (int i = 0; i < vertices; i++)
        for (int j = directed ? 0 : i; j < vertices; j++) {
            if (i == j && !loops) continue;
            pairs[count][0] = i;
            pairs[count++][1] = j;
        }
    for (uint32_t set = 0; set < (uint32_t)1 << count; set++) {
        zoo_graph g = {.vertices = (uint64_t)vertices};
        for (int i = 0; i < count; i++)
            if (set >> i & 1) shape_add(&g, (uint64_t)pairs[i][0], (uint64_t)pairs[i][1]);
        snprintf(g.name, sizeof g.name, "graph %u of %d vertices, directed %d", set, vertices, directed);
        for (int order = MEGURI_ORDER_DEGREE; order <= MEGURI_ORDER_NONE; order++) {
            meguri_build_options o = {.size = sizeof o,
                                      .direction = directed ? MEGURI_DIRECTED : MEGURI_UNDIRECTED,
                                      .order = (meguri_order)order,
                                      .keep_loops = 1};
            subject s = subject_from_zoo(ctx[0], &g, &o);
            parts right = parts_of(&s.plain);
            check_parts(ctx[0], &s, &right);
            parts_free(&right);
            subject_free(&s);
        }
        zoo_free(&g);
    }
}

static void small_graphs(void **state) {
    (void)state;
    if (UNDER_TSAN) return; /* nothing to share out */
    every_small_graph(4, false, true);
    every_small_graph(3, true, true);
    if (UNDER_ASAN) return;
    every_small_graph(5, false, false);
    every_small_graph(4, true, false);
}

static void random_graphs(void **state) {
    (void)state;
    uint64_t seed = 77;
    for (int turn = 0; turn < (UNDER_TSAN ? 40 : UNDER_ASAN ? 300 : 2000); turn++) {
        zoo_graph g = shape_random(&seed, 3000);
        meguri_build_options o = {.size = sizeof o,
                                  .direction = 1 + zoo_random(&seed) % 2,
                                  .order = 1 + zoo_random(&seed) % 3,
                                  .keep_loops = zoo_random(&seed) % 2,
                                  .duplicates = zoo_random(&seed) % 2 ? MEGURI_DUPLICATES_KEEP : MEGURI_DUPLICATES_MIN};
        subject s = subject_from_zoo(ctx[turn % 3], &g, &o);
        part_subject(&s);
        subject_free(&s);
        zoo_free(&g);
    }
}

static void shapes(void **state) {
    (void)state;
    zoo_graph g;
    for (int index = 0; shape_get(&g, index, 1500) && !UNDER_TSAN; index++) {
        part_every_way(&g, UNDER_ASAN);
        zoo_free(&g);
    }
    /* Large enough for threads. */
    for (int index = 0; shape_get(&g, index, UNDER_TSAN || UNDER_ASAN ? 20000 : 100000); index++) {
        for (int direction = MEGURI_DIRECTED; direction <= MEGURI_UNDIRECTED; direction++) {
            meguri_build_options o = {.size = sizeof o,
                                      .direction = (meguri_direction)direction,
                                      .order = 1 + (meguri_order)((index + direction) % 3)};
            subject s = subject_from_zoo(ctx[1], &g, &o);
            part_subject(&s);
            subject_free(&s);
        }
        zoo_free(&g);
    }
}

/* Ids along the path: every vertex hangs below the one before, in one chain through all blocks. And two hubs whose rows
 * are shared between the threads, the second of which no sample joins to the first. */
static void chains_and_long_rows(void **state) {
    (void)state;
    const uint64_t n = UNDER_TSAN || UNDER_ASAN ? 40000 : 200000;
    for (int shape = 0; shape < 4; shape++) {
        zoo_graph g = {.vertices = n};
        for (uint64_t i = 0; i + 1 < n; i++) {
            if (shape == 0) shape_add(&g, i, i + 1);
            if (shape == 1) shape_add(&g, i + 1, i);
            if (shape == 2) shape_add(&g, i < n / 2 ? 0 : 1, i + 1);
            if (shape == 3) shape_add(&g, i + 1, i < n / 2 ? 0 : 1);
        }
        if (shape == 2) shape_add(&g, n - 1, 3); /* the one way from hub to hub */
        snprintf(g.name, sizeof g.name, "chains and long rows %d", shape);
        for (int direction = MEGURI_DIRECTED; direction <= MEGURI_UNDIRECTED; direction++)
            for (int order = MEGURI_ORDER_DEGREE; order <= MEGURI_ORDER_NONE; order++) {
                meguri_build_options o = {
                    .size = sizeof o, .direction = (meguri_direction)direction, .order = (meguri_order)order};
                subject s = subject_from_zoo(ctx[1], &g, &o);
                part_subject(&s);
                subject_free(&s);
            }
        zoo_free(&g);
    }
}

/* Even graphs in no order, dense enough that further neighbours are sampled; and many components of that kind, the
 * largest of which no sample need see. */
static void further_neighbors(void **state) {
    (void)state;
    const uint64_t n = UNDER_TSAN || UNDER_ASAN ? 16384 : 65536;
    for (uint64_t parts_wanted = 1; parts_wanted <= 4096; parts_wanted *= 16) {
        zoo_graph g = {.vertices = n};
        uint64_t seed = parts_wanted;
        for (uint64_t i = 0; i < 10 * n; i++) {
            uint64_t a = zoo_random(&seed) % n, b = zoo_random(&seed) % n;
            shape_add(&g, a, b - b % parts_wanted + a % parts_wanted); /* as a, modulo the parts */
        }
        for (uint64_t i = 1; i < 40 && parts_wanted > 1; i++) shape_add(&g, parts_wanted, i); /* one is larger */
        free(shape_shuffle(&g, seed));
        snprintf(g.name, sizeof g.name, "%d uniform parts", (int)parts_wanted);
        for (int direction = MEGURI_DIRECTED; direction <= MEGURI_UNDIRECTED; direction++)
            for (int order = MEGURI_ORDER_DEGREE; order <= MEGURI_ORDER_NONE; order++) {
                meguri_build_options o = {
                    .size = sizeof o, .direction = (meguri_direction)direction, .order = (meguri_order)order};
                subject s = subject_from_zoo(ctx[1], &g, &o);
                part_subject(&s);
                subject_free(&s);
            }
        zoo_free(&g);
    }
}

/* What makes it fast: in degree order hardly more edges are looked at than there are vertices. */
static void kronecker_graphs(void **state) {
    (void)state;
    static const uint32_t factors[] = {16, 2, 1};
    for (uint32_t scale = 10; scale <= (UNDER_TSAN || UNDER_ASAN ? 13 : 15); scale++) {
        uint32_t factor = factors[scale % 3];
        zoo_graph g = shape_kronecker(ctx[1], scale, factor);
        for (int order = MEGURI_ORDER_AUTO; order <= MEGURI_ORDER_NONE; order++) {
            meguri_kronecker_options k = {
                .size = sizeof k,
                .scale = scale,
                .edge_factor = factor,
                .build = &(meguri_build_options){.size = sizeof(meguri_build_options), .order = (meguri_order)order}};
            subject s = {.name = g.name, .order = (meguri_order)order, .plain = plain_from_edges(&g, false)};
            assert_int_equal(meguri_gen_kronecker(&s.graph, ctx[1], &k), MEGURI_OK);
            part_subject(&s);
            parts right = parts_of(&s.plain);
            if (order == MEGURI_ORDER_DEGREE && factor == 16)
                assert_true(check_parts(ctx[1], &s, &right) < (uint64_t)1 << scale);
            parts_free(&right);
            subject_free(&s);
        }
        zoo_free(&g);
    }
}

/* ---- the interface ---------------------------------------------------------------------------------------------- */

static void graphs_without_edges(void **state) {
    (void)state;
    for (uint64_t n = 0; n <= 130; n += 65) {
        meguri_edge_arrays edges = {.size = sizeof edges, .vertices = n};
        meguri_graph *graph;
        meguri_result *result;
        assert_int_equal(meguri_graph_from_edges(&graph, ctx[1], &edges, NULL), MEGURI_OK);
        assert_int_equal(meguri_components(&result, ctx[1], graph, NULL), MEGURI_OK);
        const uint32_t *component = column_of(result, "component", MEGURI_TYPE_VERTEX, n);
        for (uint32_t v = 0; v < n; v++) assert_int_equal(component[v], v);
        assert_int_equal(fact_of(result, "components"), n);
        assert_int_equal(fact_of(result, "largest"), n > 0);
        assert_int_equal(fact_of(result, "edges"), 0);
        assert_int_equal(mg_components_check(ctx[1], graph, component), MEGURI_OK);
        meguri_result_free(result);
        meguri_graph_free(graph);
    }
}

static void bad_arguments(void **state) {
    (void)state;
    uint64_t from = 1, to = 2;
    meguri_edge_arrays edges = {.size = sizeof edges, .count = 1, .from = &from, .to = &to};
    meguri_components_options none = {.size = sizeof none}, wrong = {.size = 0};
    meguri_graph *graph;
    meguri_result *result = (meguri_result *)1;
    assert_int_equal(meguri_graph_from_edges(&graph, ctx[1], &edges, NULL), MEGURI_OK);
    assert_int_equal(meguri_components(NULL, ctx[1], graph, NULL), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_components(&result, NULL, graph, NULL), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_components(&result, ctx[1], NULL, NULL), MEGURI_BAD_ARGUMENT);
    assert_null(result);
    assert_string_equal(meguri_ctx_error(ctx[1]), "meguri_components needs a graph.");
    assert_int_equal(meguri_components(&result, ctx[1], graph, &wrong), MEGURI_BAD_ARGUMENT);
    assert_null(result);
    assert_int_equal(mg_components_check(ctx[1], graph, NULL), MEGURI_BAD_ARGUMENT);
    assert_int_equal(mg_components_check(ctx[1], NULL, (uint32_t[]){0, 0}), MEGURI_BAD_ARGUMENT);
    assert_int_equal(mg_components_check(NULL, graph, (uint32_t[]){0, 0}), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_components(&result, ctx[1], graph, &none), MEGURI_OK);
    meguri_result_free(result);
    meguri_graph_free(graph);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_zoo),          cmocka_unit_test(small_graphs),         cmocka_unit_test(random_graphs),
        cmocka_unit_test(shapes),           cmocka_unit_test(chains_and_long_rows), cmocka_unit_test(further_neighbors),
        cmocka_unit_test(kronecker_graphs), cmocka_unit_test(graphs_without_edges), cmocka_unit_test(bad_arguments),
    };
    return cmocka_run_group_tests(tests, make_contexts, free_contexts);
}
