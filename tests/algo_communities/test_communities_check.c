/* The checker of communities: right answers pass (the other tests ask it each time), every wrong one is refused with a
 * sentence that names the vertex. */
#define _GNU_SOURCE
#include "algo_communities/propagating.h"
#include "support/checks.h"

#include <meguri.h>

static void refuse(meguri_ctx *ctx, const naive *n, const uint32_t *label, uint32_t iterations, const char *part) {
    assert_int_equal(mg_communities_check(ctx, n->graph, label, iterations), MEGURI_WRONG_ANSWER);
    if (!strstr(meguri_ctx_error(ctx), part)) fail_msg("%s: %s", n->name, meguri_ctx_error(ctx));
}

/* Each label in turn becomes another vertex, or none. */
static void every_wrong_label_is_refused(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(2);
    zoo_graph g;
    for (int index = 0; shape_get(&g, index, 130); index++) {
        meguri_build_options o = {.size = sizeof o, .direction = 1 + index % 2, .order = 1 + index % 3};
        naive n = naive_from_zoo(ctx, &g, &o);
        labels right = naive_propagate(&n, 4);
        uint64_t seed = (uint64_t)index;
        for (uint64_t v = 0; v < n.vertices; v += UNDER_TSAN || UNDER_ASAN ? 5 : 1) {
            uint32_t good = right.label[v],
                     others[] = {(good + 1) % 130, (uint32_t)(zoo_random(&seed) % 130), 130, UINT32_MAX};
            for (size_t i = 0; i < COUNT_OF(others); i++) {
                char part[64];
                if (others[i] == good) continue;
                snprintf(part, sizeof part, "the label of vertex %u is ", (unsigned)v);
                right.label[v] = others[i];
                refuse(ctx, &n, right.label, 4, part);
            }
            right.label[v] = good;
        }
        assert_int_equal(mg_communities_check(ctx, n.graph, right.label, 4), MEGURI_OK);
        labels_free(&right);
        naive_free(&n);
        zoo_free(&g);
    }
    context_done(ctx);
}

/* The answer of another number of iterations is not the answer. */
static void other_iterations_are_refused(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    zoo_graph g = {.vertices = 6, .name = "a path"};
    for (uint64_t v = 0; v < 5; v++) shape_add(&g, v, v + 1);
    meguri_build_options o = {.size = sizeof o, .direction = MEGURI_UNDIRECTED};
    naive n = naive_from_zoo(ctx, &g, &o);
    labels one = naive_propagate(&n, 1), two = naive_propagate(&n, 2);
    assert_int_equal(mg_communities_check(ctx, n.graph, one.label, 1), MEGURI_OK);
    assert_int_equal(mg_communities_check(ctx, n.graph, two.label, 2), MEGURI_OK);
    refuse(ctx, &n, one.label, 2, "but 2 iterations give ");
    refuse(ctx, &n, two.label, 1, "but 1 iteration gives ");
    one.label[5] = 6;
    refuse(ctx, &n, one.label, 1, "the label of vertex 5 is number 6, but the graph has 6 vertices.");
    one.label[5] = 3;
    refuse(ctx, &n, one.label, 1, "the label of vertex 5 is 3, but 1 iteration gives 4.");
    labels_free(&one);
    labels_free(&two);
    naive_free(&n);
    zoo_free(&g);
    context_done(ctx);
}

/* Long rows, which the checker sorts in another way. */
static void wrong_labels_of_hubs_are_refused(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(2);
    zoo_graph g = {.vertices = 80000, .name = "a star with a ring"};
    for (uint64_t v = 1; v < g.vertices; v++) {
        shape_add(&g, 0, v);
        shape_add(&g, v, v - v % 9);
    }
    meguri_build_options o = {.size = sizeof o, .direction = MEGURI_UNDIRECTED};
    naive n = naive_from_zoo(ctx, &g, &o);
    labels right = naive_propagate(&n, 2);
    assert_int_equal(mg_communities_check(ctx, n.graph, right.label, 2), MEGURI_OK);
    right.label[0] = right.label[0] + 1;
    refuse(ctx, &n, right.label, 2, "the label of vertex 0 is ");
    labels_free(&right);
    naive_free(&n);
    zoo_free(&g);
    context_done(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_wrong_label_is_refused),
        cmocka_unit_test(other_iterations_are_refused),
        cmocka_unit_test(wrong_labels_of_hubs_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
