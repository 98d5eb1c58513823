/* Building: every graph of the zoo, every option, orders, threads and budgets, against the oracle. */
#include "support/oracle.h"
#include "support/sanitized.h"

#include "base/base.h"
#include "graph/graph.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static meguri_ctx *context(uint32_t threads, uint64_t memory) {
    meguri_ctx *ctx;
    meguri_ctx_options options = {.size = sizeof options, .threads = threads, .memory = memory};
    assert_int_equal(meguri_ctx_new(&ctx, &options), MEGURI_OK);
    return ctx;
}

static void check(meguri_ctx *ctx, const zoo_graph *g, const meguri_build_options *o, const oracle *expected) {
    meguri_graph *graph;
    meguri_status status = zoo_build(&graph, ctx, g, o);
    if (status != MEGURI_OK) fail_msg("%s: %s", g->name, meguri_ctx_error(ctx));
    const char *wrong = oracle_compare(expected, ctx, graph, oracle_weighted(g->weights, o));
    if (wrong)
        fail_msg("%s, direction %d, order %d, duplicates %d, loops %d, threads %u: %s", g->name, o->direction, o->order,
                 o->duplicates, o->keep_loops, meguri_ctx_threads(ctx), wrong);
    meguri_graph_free(graph);
}

/* Every order on every number of threads must give the one right graph. */
static void check_orders_and_threads(meguri_ctx *const ctx[3], const zoo_graph *g, meguri_build_options *o) {
    oracle expected = oracle_build(g, o);
    for (int t = 0; t < 3; t++) {
        if ((UNDER_TSAN || (UNDER_ASAN && g->count > 1500)) && t != 1) continue; /* two threads are as good as five */
        for (int order = MEGURI_ORDER_AUTO; order <= MEGURI_ORDER_NONE; order++) {
            if (g->count <= 1500 && !ONE_OF(3, t + order)) continue;
            if (g->count > 1500 && o->duplicates && (t + order) % 3) continue;
            o->order = (meguri_order)order;
            check(ctx[t], g, o, &expected);
        }
    }
    oracle_free(&expected);
}

static void every_graph_every_option(void **state) {
    (void)state;
    meguri_ctx *const ctx[] = {context(1, 0), context(2, 0), context(5, 0)};
    zoo_graph g;
    for (int index = 0; zoo_get(&g, index); index++) {
        bool large = g.count > 50000;
        for (int direction = MEGURI_DIRECTED; direction <= MEGURI_UNDIRECTED; direction++)
            for (int keep = 0; keep < 2 * (MEGURI_DUPLICATES_KEEP + 1); keep++) {
                if (UNDER_TSAN && !large) continue; /* only work that is shared out can race */
                /* Of larger graphs each has its turn. */
                if (g.count > 1500 && keep && (keep + index + 5 * direction) % (large ? 12 : 4)) continue;
                meguri_build_options o = {.size = sizeof o,
                                          .direction = direction,
                                          .duplicates = (meguri_duplicates)(keep >> 1),
                                          .keep_loops = keep & 1,
                                          .ignore_weights = keep >> 1 >= MEGURI_DUPLICATES_COUNT && index % 2};
                check_orders_and_threads(ctx, &g, &o);
            }
        zoo_free(&g);
    }
    for (int t = 0; t < 3; t++) {
        assert_int_equal(meguri_ctx_memory_used(ctx[t]), 0);
        meguri_ctx_free(ctx[t]);
    }
}

static void check_budgets(const zoo_graph *g, const meguri_edge_arrays *e, meguri_build_options o) {
    static const uint64_t budgets[] = {UINT64_C(1) << 40, 24 << 20, 14 << 20, 12 << 20};
    oracle expected = oracle_build(g, &o);
    for (size_t b = UNDER_TSAN || UNDER_ASAN ? 2 : 0; b < sizeof budgets / sizeof *budgets; b++)
        for (int order = MEGURI_ORDER_DEGREE; order <= MEGURI_ORDER_NONE; order++) {
            if (o.duplicates && order != 1 + ((int)o.duplicates + (int)b) % 3) continue;
            o.order = (meguri_order)order;
            meguri_ctx *ctx = context(2, budgets[b]);
            meguri_graph *graph;
            if (meguri_graph_from_edges(&graph, ctx, e, &o) != MEGURI_OK)
                fail_msg("budget %zu: %s", (size_t)budgets[b], meguri_ctx_error(ctx));
            assert_true(meguri_ctx_memory_peak(ctx) <= budgets[b]);
            /* Asking needs memory too (in-rows): ask with a context of its own. */
            meguri_ctx *asker = context(2, 0);
            const char *wrong = oracle_compare(&expected, asker, graph, true);
            if (wrong)
                fail_msg("budget %zu, order %d, duplicates %d: %s", (size_t)budgets[b], order, o.duplicates, wrong);
            meguri_graph_free(graph);
            meguri_ctx_free(asker);
            meguri_ctx_free(ctx);
        }
    oracle_free(&expected);
}

/* The rows of a graph of 2^16 arcs fit in about 1 MB; these budgets make edges spill and results go to disk. */
static void small_budgets_give_the_same_graph(void **state) {
    (void)state;
    uint64_t seed = 5;
    zoo_graph g = {.name = "spilled", .count = 400000};
    g.pairs = malloc(g.count * 16);
    g.weights = malloc(g.count * 8);
    assert_true(g.pairs && g.weights);
    for (uint64_t i = 0; i < g.count; i++) {
        g.pairs[2 * i] = zoo_random(&seed) % 3000;
        g.pairs[2 * i + 1] = zoo_random(&seed) % 3000;
        g.weights[i] = (double)(zoo_random(&seed) % 100);
    }
    /* Not as pairs: then the edges are copied, and counted against the budget. */
    uint64_t *from = malloc(g.count * 8), *to = malloc(g.count * 8);
    assert_true(from && to);
    for (uint64_t i = 0; i < g.count; i++) {
        from[i] = g.pairs[2 * i];
        to[i] = g.pairs[2 * i + 1];
    }
    meguri_edge_arrays e = {.size = sizeof e,
                            .count = g.count,
                            .from = from,
                            .to = to,
                            .weights = g.weights,
                            .weight_type = MEGURI_TYPE_F64};
    for (int direction = MEGURI_DIRECTED; direction <= MEGURI_UNDIRECTED; direction++)
        for (int how = MEGURI_DUPLICATES_MIN; how < MEGURI_DUPLICATES_KEEP; how++) {
            if (how && (UNDER_TSAN || UNDER_ASAN || (how + direction) % 2)) continue; /* each in one direction */
            for (uint64_t i = 0; how == MEGURI_DUPLICATES_SUM && i < g.count; i++) g.weights[i] += 1e9; /* wider sums */
            check_budgets(&g, &e,
                          (meguri_build_options){.size = sizeof(meguri_build_options),
                                                 .direction = (meguri_direction)direction,
                                                 .duplicates = (meguri_duplicates)how});
        }
    free(from);
    free(to);
    zoo_free(&g);
}

static void a_budget_too_small_is_refused_with_figures(void **state) {
    (void)state;
    meguri_ctx *ctx = context(2, 100000);
    zoo_graph g;
    for (int i = 0; zoo_get(&g, i); i++) {
        if (g.count < 100000) {
            zoo_free(&g);
            continue;
        }
        meguri_graph *graph;
        meguri_build_options o = {.size = sizeof o};
        assert_int_equal(zoo_build(&graph, ctx, &g, &o), MEGURI_NO_MEMORY);
        assert_null(graph);
        assert_non_null(strstr(meguri_ctx_error(ctx), "budget of 100 kB"));
        zoo_free(&g);
    }
    assert_int_equal(meguri_ctx_memory_used(ctx), 0);
    meguri_ctx_free(ctx);
}

static meguri_type type_of(const double *weights, uint64_t count, meguri_type given) {
    meguri_ctx *ctx = context(1, 0);
    uint32_t pairs[64];
    for (uint64_t i = 0; i < count; i++) {
        pairs[2 * i] = (uint32_t)i;
        pairs[2 * i + 1] = (uint32_t)i + 1;
    }
    meguri_edge_arrays e = {.size = sizeof e,
                            .count = count,
                            .from = pairs,
                            .to = pairs + 1,
                            .id_bytes = 4,
                            .stride = 8,
                            .weights = weights,
                            .weight_type = given};
    meguri_graph *graph;
    assert_int_equal(meguri_graph_from_edges(&graph, ctx, &e, NULL), MEGURI_OK);
    meguri_graph_info info = {.size = sizeof info};
    assert_int_equal(meguri_graph_get_info(&info, ctx, graph), MEGURI_OK);
    uint64_t to, n;
    double weight;
    for (uint64_t i = 0; i < count; i++) {
        assert_int_equal(meguri_graph_neighbors(&to, &weight, NULL, 1, &n, ctx, graph, i), MEGURI_OK);
        if (given == MEGURI_TYPE_F64) assert_true(weight == weights[i]);
    }
    meguri_graph_free(graph);
    meguri_ctx_free(ctx);
    return info.weight_storage;
}

static void weights_take_the_smallest_type_that_loses_nothing(void **state) {
    (void)state;
    assert_int_equal(type_of((double[]){0, 255}, 2, MEGURI_TYPE_F64), MEGURI_TYPE_U8);
    assert_int_equal(type_of((double[]){0, 256}, 2, MEGURI_TYPE_F64), MEGURI_TYPE_U16);
    assert_int_equal(type_of((double[]){65535, 1}, 2, MEGURI_TYPE_F64), MEGURI_TYPE_U16);
    assert_int_equal(type_of((double[]){65536, 1}, 2, MEGURI_TYPE_F64), MEGURI_TYPE_U32);
    assert_int_equal(type_of((double[]){4294967295.0, 1}, 2, MEGURI_TYPE_F64), MEGURI_TYPE_U32);
    assert_int_equal(type_of((double[]){4294967296.0, 1}, 2, MEGURI_TYPE_F64), MEGURI_TYPE_F32);
    assert_int_equal(type_of((double[]){4294967297.0, 1}, 2, MEGURI_TYPE_F64), MEGURI_TYPE_F64);
    assert_int_equal(type_of((double[]){-1, 1}, 2, MEGURI_TYPE_F64), MEGURI_TYPE_F32);
    assert_int_equal(type_of((double[]){0.5, 1}, 2, MEGURI_TYPE_F64), MEGURI_TYPE_F32);
    assert_int_equal(type_of((double[]){0.1, 1}, 2, MEGURI_TYPE_F64), MEGURI_TYPE_F64);
    assert_int_equal(type_of((double[]){1e300, 1}, 2, MEGURI_TYPE_F64), MEGURI_TYPE_F64);
    assert_int_equal(type_of((double[]){INFINITY, 1}, 2, MEGURI_TYPE_F64), MEGURI_TYPE_F32);
}

static void bad_arguments_are_refused(void **state) {
    (void)state;
    meguri_ctx *ctx = context(1, 0);
    meguri_graph *graph = (meguri_graph *)1;
    uint32_t pairs[] = {0, 1, 1, 5};
    meguri_edge_arrays e = {
        .size = sizeof e, .count = 2, .from = pairs, .to = pairs + 1, .id_bytes = 4, .stride = 8, .vertices = 5};
    assert_int_equal(meguri_graph_from_edges(NULL, ctx, &e, NULL), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_graph_from_edges(&graph, NULL, &e, NULL), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_graph_from_edges(&graph, ctx, &e, NULL), MEGURI_BAD_INPUT);
    assert_null(graph);
    assert_string_equal(meguri_ctx_error(ctx), "an edge ends at 5, but the vertices are 0 … 4.");
    e.id_bytes = 3;
    assert_int_equal(meguri_graph_from_edges(&graph, ctx, &e, NULL), MEGURI_BAD_ARGUMENT);
    e.id_bytes = 4;
    e.from = NULL;
    assert_int_equal(meguri_graph_from_edges(&graph, ctx, &e, NULL), MEGURI_BAD_ARGUMENT);
    e.from = pairs;
    e.vertices = 0;
    double nan[] = {1, NAN};
    e.weights = nan;
    e.weight_type = MEGURI_TYPE_F64;
    assert_int_equal(meguri_graph_from_edges(&graph, ctx, &e, NULL), MEGURI_BAD_INPUT);
    e.weights = NULL;
    assert_int_equal(meguri_graph_from_edges(&graph, ctx, &e, NULL), MEGURI_OK);
    uint64_t vertex, room[4];
    assert_int_equal(meguri_graph_find(&vertex, ctx, graph, 2), MEGURI_NOT_FOUND);
    assert_int_equal(meguri_graph_find(&vertex, ctx, graph, 6), MEGURI_NOT_FOUND);
    assert_int_equal(meguri_graph_find_text(&vertex, ctx, graph, "5"), MEGURI_OK);
    assert_int_equal(vertex, 2);
    assert_int_equal(meguri_graph_find_text(&vertex, ctx, graph, "-5"), MEGURI_NOT_FOUND);
    assert_int_equal(meguri_graph_find_text(&vertex, ctx, graph, "five"), MEGURI_NOT_FOUND);
    assert_int_equal(meguri_graph_find_text(&vertex, ctx, graph, "18446744073709551616"), MEGURI_NOT_FOUND);
    assert_int_equal(meguri_graph_degrees(room, ctx, graph, 1, 3), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_graph_degrees(room, ctx, graph, UINT64_MAX, 2), MEGURI_BAD_ARGUMENT);
    const char *name;
    size_t length;
    assert_int_equal(meguri_graph_names(&name, &length, ctx, graph, 0, 1), MEGURI_BAD_ARGUMENT);
    meguri_graph_free(graph);
    meguri_ctx_free(ctx);
}

/* Permuting ids must change nothing but the names: the multiset of (degree, in-degree) stays, and neighbours map.
 */
static void permuted_ids_give_the_same_graph(void **state) {
    (void)state;
    meguri_ctx *ctx = context(2, 0);
    zoo_graph g;
    for (int index = 0; zoo_get(&g, index); index++) {
        meguri_build_options o = {.size = sizeof o, .direction = MEGURI_DIRECTED};
        if (!g.count || g.vertices || g.signed_ids || g.pairs[0] > UINT32_MAX || g.count > 50000) {
            zoo_free(&g);
            continue;
        }
        meguri_graph *plain, *permuted;
        assert_int_equal(zoo_build(&plain, ctx, &g, &o), MEGURI_OK);
        const uint64_t factor = UINT64_C(0x9E3779B97F4A7C15); /* odd: a permutation of 64-bit ids */
        for (uint64_t i = 0; i < 2 * g.count; i++) g.pairs[i] *= factor;
        assert_int_equal(zoo_build(&permuted, ctx, &g, &o), MEGURI_OK);
        meguri_graph_info info = {.size = sizeof info};
        assert_int_equal(meguri_graph_get_info(&info, ctx, plain), MEGURI_OK);
        uint64_t *a = malloc((info.arcs + 1) * 8), *b = malloc((info.arcs + 1) * 8);
        assert_true(a && b);
        for (uint64_t v = 0; v < info.vertices; v++) {
            uint64_t id, other, degree, other_degree;
            assert_int_equal(meguri_graph_ids(&id, ctx, plain, v, 1), MEGURI_OK);
            assert_int_equal(meguri_graph_find(&other, ctx, permuted, id * factor), MEGURI_OK);
            assert_int_equal(meguri_graph_neighbors(a, NULL, NULL, info.arcs, &degree, ctx, plain, v), MEGURI_OK);
            assert_int_equal(meguri_graph_neighbors(b, NULL, NULL, info.arcs, &other_degree, ctx, permuted, other),
                             MEGURI_OK);
            assert_int_equal(degree, other_degree);
            uint64_t sum = 0;
            for (uint64_t i = 0; i < degree; i++) {
                uint64_t x, y;
                assert_int_equal(meguri_graph_ids(&x, ctx, plain, a[i], 1), MEGURI_OK);
                assert_int_equal(meguri_graph_ids(&y, ctx, permuted, b[i], 1), MEGURI_OK);
                sum += x * factor - y;
            }
            assert_int_equal(sum, 0);
        }
        free(a);
        free(b);
        meguri_graph_free(plain);
        meguri_graph_free(permuted);
        zoo_free(&g);
    }
    meguri_ctx_free(ctx);
}

static void the_internal_order_is_what_it_says(void **state) {
    (void)state;
    meguri_ctx *ctx = context(2, 0);
    zoo_graph g;
    for (int index = 0; zoo_get(&g, index); index++) {
        meguri_build_options o = {.size = sizeof o, .direction = MEGURI_UNDIRECTED, .order = MEGURI_ORDER_DEGREE};
        meguri_graph *graph;
        mg_rows rows;
        mg_numbering numbering;
        assert_int_equal(zoo_build(&graph, ctx, &g, &o), MEGURI_OK);
        assert_int_equal(mg_graph_rows(&rows, ctx, graph), MEGURI_OK);
        assert_int_equal(mg_graph_numbering(&numbering, ctx, graph), MEGURI_OK);
        for (uint64_t v = 0; v + 1 < rows.rows; v++) {
            uint64_t degree = mg_row_end(&rows, v) - mg_row_begin(&rows, v);
            uint64_t next = mg_row_end(&rows, v + 1) - mg_row_begin(&rows, v + 1);
            assert_true(degree >= next);
            if (degree == next)
                assert_true(mg_to_user(&numbering, (uint32_t)v) < mg_to_user(&numbering, (uint32_t)v + 1));
            for (uint64_t i = mg_row_begin(&rows, v); i + 1 < mg_row_end(&rows, v); i++)
                assert_true(rows.neighbors[i] < rows.neighbors[i + 1]);
        }
        meguri_graph_info info = {.size = sizeof info};
        assert_int_equal(meguri_graph_get_info(&info, ctx, graph), MEGURI_OK);
        if (numbering.to_user) assert_int_equal(rows.rows, info.vertices - info.isolated);
        meguri_graph_free(graph);
        zoo_free(&g);
    }
    meguri_ctx_free(ctx);
}

static int cancel(void *user, const char *phase, uint64_t done, uint64_t total) {
    (void)phase, (void)done, (void)total;
    return ++*(int *)user > 1;
}

static void a_cancel_ends_the_build(void **state) {
    (void)state;
    int calls = 0;
    meguri_ctx *ctx;
    meguri_ctx_options options = {.size = sizeof options, .threads = 2, .progress = cancel, .progress_user = &calls};
    assert_int_equal(meguri_ctx_new(&ctx, &options), MEGURI_OK);
    uint64_t count = 6000000, seed = 3;
    uint32_t *pairs = malloc(count * 8);
    assert_non_null(pairs);
    for (uint64_t i = 0; i < 2 * count; i++) pairs[i] = (uint32_t)(zoo_random(&seed) >> 32) % 1000000;
    meguri_edge_arrays e = {
        .size = sizeof e, .count = count, .from = pairs, .to = pairs + 1, .id_bytes = 4, .stride = 8};
    meguri_graph *graph;
    assert_int_equal(meguri_graph_from_edges(&graph, ctx, &e, NULL), MEGURI_CANCELLED);
    assert_null(graph);
    assert_int_equal(meguri_ctx_memory_used(ctx), 0);
    meguri_ctx_free(ctx);
    free(pairs);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_graph_every_option),
        cmocka_unit_test(small_budgets_give_the_same_graph),
        cmocka_unit_test(a_budget_too_small_is_refused_with_figures),
        cmocka_unit_test(weights_take_the_smallest_type_that_loses_nothing),
        cmocka_unit_test(bad_arguments_are_refused),
        cmocka_unit_test(permuted_ids_give_the_same_graph),
        cmocka_unit_test(the_internal_order_is_what_it_says),
        cmocka_unit_test(a_cancel_ends_the_build),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
