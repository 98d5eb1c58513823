/* The checker of components: right answers pass, and every kind of wrong one is refused with its sentence. */
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

/* Two triangles and an isolated vertex: ids 10 20 30, 40 50 60, and 70 with a loop. */
static const uint64_t triangles[] = {10, 20, 20, 30, 30, 10, 40, 50, 50, 60, 60, 40, 70, 70};

static void refuse(const uint32_t given[7], const char *sentence) {
    for (int direction = MEGURI_DIRECTED; direction <= MEGURI_UNDIRECTED; direction++)
        for (int order = MEGURI_ORDER_DEGREE; order <= MEGURI_ORDER_NONE; order++)
            for (size_t t = 0; t < THREAD_COUNTS; t++) {
                meguri_edge_arrays edges = {.size = sizeof edges, .count = 7, .from = triangles, .to = triangles + 1};
                edges.stride = 2 * sizeof *triangles;
                meguri_build_options o = {.size = sizeof o,
                                          .direction = (meguri_direction)direction,
                                          .order = (meguri_order)order,
                                          .keep_loops = 1};
                meguri_graph *graph;
                assert_int_equal(meguri_graph_from_edges(&graph, ctx[t], &edges, &o), MEGURI_OK);
                meguri_status status = mg_components_check(ctx[t], graph, given);
                assert_int_equal(status, sentence ? MEGURI_WRONG_ANSWER : MEGURI_OK);
                if (sentence) assert_string_equal(meguri_ctx_error(ctx[t]), sentence);
                meguri_graph_free(graph);
            }
}

static void every_rule_has_its_sentence(void **state) {
    (void)state;
    refuse((uint32_t[]){0, 0, 0, 3, 3, 3, 6}, NULL);
    refuse((uint32_t[]){0, 0, UINT32_MAX, 3, 3, 3, 6}, "vertex 30 has no component.");
    refuse((uint32_t[]){0, 0, 0, 3, 3, 9, 6}, "the component of vertex 60 is number 9, but the graph has 7 vertices.");
    refuse((uint32_t[]){1, 1, 1, 3, 3, 3, 6},
           "the component of vertex 10 is 20, which comes later; a component has the name of its first member.");
    refuse((uint32_t[]){0, 0, 1, 3, 3, 3, 6}, "the component of vertex 30 is 20, but 20 itself is in another.");
    refuse((uint32_t[]){0, 0, 0, 3, 4, 4, 6},
           "an edge joins vertex 40 of the component 40 and vertex 50 of the component 50.");
    refuse((uint32_t[]){0, 0, 0, 0, 0, 0, 6}, "vertex 40 is said to be in the component 10, but no edges join them.");
    refuse((uint32_t[]){0, 0, 0, 3, 3, 3, 3}, "vertex 70 is said to be in the component 40, but no edges join them.");
}

static void names_are_strings(void **state) {
    (void)state;
    const char text[] = "from,to\nNew York,b\nc,d\n";
    char folder[FOLDER_TEXT], path[FOLDER_TEXT + 16];
    folder_new(folder);
    snprintf(path, sizeof path, "%s/g.csv", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    const char *paths[] = {path};
    meguri_graph *graph;
    assert_int_equal(meguri_read(&graph, ctx[1], paths, 1, NULL), MEGURI_OK);
    assert_int_equal(mg_components_check(ctx[1], graph, (uint32_t[]){0, 0, 0, 0}), MEGURI_WRONG_ANSWER);
    assert_string_equal(meguri_ctx_error(ctx[1]),
                        "vertex \"c\" is said to be in the component \"New York\", but no edges join them.");
    meguri_graph_free(graph);
    folder_remove(folder);
}

/* Right answers, damaged at random: whatever is no longer the right answer is refused. Merging two components keeps
 * every rule but the last. */
static void damaged_answers(void **state) {
    (void)state;
    uint64_t seed = 5;
    int refused = 0, merged = 0;
    for (int turn = 0; turn < (UNDER_TSAN ? 20 : UNDER_ASAN ? 100 : 600); turn++) {
        zoo_graph g = shape_random(&seed, 2000);
        meguri_build_options o = {
            .size = sizeof o, .direction = 1 + zoo_random(&seed) % 2, .order = 1 + zoo_random(&seed) % 3};
        subject s = subject_from_zoo(ctx[turn % 3], &g, &o);
        parts right = parts_of(&s.plain);
        uint64_t n = s.plain.vertices;
        uint32_t *damaged = calloc(n, sizeof *damaged);
        assert_non_null(damaged);
        assert_int_equal(mg_components_check(ctx[turn % 3], s.graph, right.component), MEGURI_OK);
        for (int k = 0; k < 6; k++) {
            memcpy(damaged, right.component, n * sizeof *damaged);
            uint32_t a = (uint32_t)(zoo_random(&seed) % n), b = (uint32_t)(zoo_random(&seed) % n);
            if (k % 2 == 0) damaged[a] = b;
            else { /* the components of a and b become one, named as it should be */
                uint32_t x = MG_MIN(right.component[a], right.component[b]);
                uint32_t y = MG_MAX(right.component[a], right.component[b]);
                for (uint64_t v = 0; v < n; v++)
                    if (damaged[v] == y) damaged[v] = x;
            }
            bool same = memcmp(damaged, right.component, n * sizeof *damaged) == 0;
            meguri_status status = mg_components_check(ctx[(turn + k) % 3], s.graph, damaged);
            if (status != (same ? MEGURI_OK : MEGURI_WRONG_ANSWER))
                fail_msg("%s, order %d: %d for %u and %u", s.name, s.order, (int)status, a, b);
            refused += !same;
            merged += !same && k % 2;
        }
        free(damaged);
        parts_free(&right);
        subject_free(&s);
        zoo_free(&g);
    }
    assert_true(refused > 50 && merged > 20);
}

/* One component cut in two where a single edge holds it together: named as it should be, but for the edge. */
static void a_component_cut_in_two(void **state) {
    (void)state;
    enum { N = 3000 };
    zoo_graph g = {.vertices = N};
    static uint32_t cut[N];
    for (uint64_t i = 0; i + 1 < N; i++) shape_add(&g, i, i + 1);
    snprintf(g.name, sizeof g.name, "path");
    for (int order = MEGURI_ORDER_DEGREE; order <= MEGURI_ORDER_NONE; order++) {
        meguri_build_options o = {.size = sizeof o, .direction = 1 + order % 2, .order = (meguri_order)order};
        subject s = subject_from_zoo(ctx[1], &g, &o);
        for (uint32_t at = 1; at < N; at += 499) {
            for (uint32_t v = 0; v < N; v++) cut[v] = v < at ? 0 : at;
            char sentence[200];
            snprintf(sentence, sizeof sentence,
                     "an edge joins vertex %u of the component 0 and vertex %u of the component %u.", at - 1, at, at);
            assert_int_equal(mg_components_check(ctx[order % 3], s.graph, cut), MEGURI_WRONG_ANSWER);
            assert_string_equal(meguri_ctx_error(ctx[order % 3]), sentence);
        }
        subject_free(&s);
    }
    zoo_free(&g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_rule_has_its_sentence),
        cmocka_unit_test(names_are_strings),
        cmocka_unit_test(damaged_answers),
        cmocka_unit_test(a_component_cut_in_two),
    };
    return cmocka_run_group_tests(tests, make_contexts, free_contexts);
}
