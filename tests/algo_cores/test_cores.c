/* Core numbers against the textbook's peeling of plain arrays, the checker with wrong answers, and runs that cannot
 * end: allocations that fail, a budget that is too small, a user who has had enough. */
#define _GNU_SOURCE
#include "algo/cores/cores.h"

#include "algo_bfs/searching.h"
#include "base/base.h"

#include <meguri.h>
#include <string.h>

/* ---- the textbook ----------------------------------------------------------------------------------------------- */

/* A graph in both forms: the real one, and its edges by position, each in both rows, without loops. */
typedef struct peeled {
    const char *name;
    uint64_t vertices;
    uint64_t *offsets;
    uint32_t *around;
    int32_t *core;
    meguri_graph *graph;
} peeled;

static void *room_for(uint64_t count, size_t size) {
    void *room = calloc(count + 1, size);
    if (!room) abort();
    return room;
}

/* One vertex of the least degree after another, found by looking at all of them. */
static void peel(peeled *p) {
    uint64_t *degree = room_for(p->vertices, sizeof *degree), level = 0;
    for (uint64_t v = 0; v < p->vertices; v++) degree[v] = p->offsets[v + 1] - p->offsets[v];
    for (uint64_t v = 0; v < p->vertices; v++) p->core[v] = -1;
    for (uint64_t left = p->vertices; left; left--) {
        uint64_t least = UINT64_MAX;
        for (uint64_t v = 0; v < p->vertices; v++)
            if (p->core[v] < 0 && (least == UINT64_MAX || degree[v] < degree[least])) least = v;
        level = MG_MAX(level, degree[least]);
        p->core[least] = (int32_t)level;
        for (uint64_t i = p->offsets[least]; i < p->offsets[least + 1]; i++) degree[p->around[i]]--;
    }
    free(degree);
}

static peeled peeled_from_zoo(meguri_ctx *ctx, const zoo_graph *g, const meguri_build_options *options) {
    oracle o = oracle_build(g, options);
    bool directed = options->direction == MEGURI_DIRECTED;
    peeled p = {.name = g->name, .vertices = o.vertices, .core = room_for(o.vertices, sizeof *p.core)};
    p.offsets = room_for(o.vertices + 2, sizeof *p.offsets);
    p.around = room_for(2 * o.arc_count, sizeof *p.around);
    uint64_t *place = p.offsets + 1; /* first counts, then where the next neighbour goes */
    for (int fill = 0; fill < 2; fill++) {
        for (uint64_t i = 0; i < o.arc_count; i++) {
            uint64_t row = o.arcs[i].row, column = o.arcs[i].column;
            if (row == column) continue;
            if (fill) p.around[place[row]] = (uint32_t)column;
            place[fill ? row : row + 1]++;
            if (!directed) continue;
            if (fill) p.around[place[column]] = (uint32_t)row;
            place[fill ? column : column + 1]++;
        }
        for (uint64_t v = 0; !fill && v < o.vertices; v++) place[v + 1] += place[v];
    }
    oracle_free(&o);
    peel(&p);
    if (zoo_build(&p.graph, ctx, g, options) != MEGURI_OK) fail_msg("%s: %s", g->name, meguri_ctx_error(ctx));
    return p;
}

static void peeled_free(peeled *p) {
    free(p->offsets);
    free(p->around);
    free(p->core);
    meguri_graph_free(p->graph);
}

/* ---- right answers ---------------------------------------------------------------------------------------------- */

static void compare(meguri_ctx *ctx, const peeled *p, const meguri_result *result) {
    meguri_column column = {.size = sizeof column};
    uint64_t degeneracy = 0, innermost = 0;
    assert_int_equal(meguri_result_column(&column, result, "core"), MEGURI_OK);
    assert_int_equal(column.type, MEGURI_TYPE_I32);
    assert_int_equal(column.count, p->vertices);
    for (uint64_t v = 0; v < p->vertices; v++) {
        int32_t got = ((const int32_t *)column.data)[v];
        if (got != p->core[v])
            fail_msg("%s: vertex %u has core number %d, not %d", p->name, (unsigned)v, p->core[v], got);
        degeneracy = MG_MAX(degeneracy, (uint64_t)p->core[v]);
    }
    for (uint64_t v = 0; v < p->vertices; v++) innermost += (uint64_t)p->core[v] == degeneracy;
    assert_int_equal(fact_of(result, "degeneracy"), degeneracy);
    assert_int_equal(fact_of(result, "innermost"), innermost);
    if (meguri_cores_check(ctx, p->graph, result, NULL) != MEGURI_OK)
        fail_msg("%s: %s", p->name, meguri_ctx_error(ctx));
}

static void run_and_compare(meguri_ctx *ctx, const peeled *p) {
    meguri_result *result;
    assert_int_equal(meguri_cores(&result, ctx, p->graph, NULL), MEGURI_OK);
    compare(ctx, p, result);
    meguri_result_free(result);
}

static void compare_everywhere(meguri_ctx *const *ctx, const zoo_graph *g, uint64_t kind) {
    meguri_build_options o = {.size = sizeof o,
                              .direction = kind & 1 ? MEGURI_DIRECTED : MEGURI_UNDIRECTED,
                              .order = (meguri_order)(1 + kind / 2 % 3),
                              .duplicates = kind / 6 % 2 ? MEGURI_DUPLICATES_KEEP : MEGURI_DUPLICATES_MIN,
                              .keep_loops = kind / 12 % 2};
    peeled p = peeled_from_zoo(ctx[0], g, &o);
    for (size_t t = 0; t < THREAD_COUNTS; t++) run_and_compare(ctx[t], &p);
    peeled_free(&p);
}

static void contexts(meguri_ctx **ctx) {
    for (size_t t = 0; t < THREAD_COUNTS; t++) ctx[t] = context_with(thread_counts[t]);
}

static void contexts_done(meguri_ctx **ctx) {
    for (size_t t = THREAD_COUNTS; t-- > 0;) context_done(ctx[t]);
}

static void zoo_and_shapes(void **state) {
    (void)state;
    meguri_ctx *ctx[THREAD_COUNTS];
    zoo_graph g;
    contexts(ctx);
    for (int index = 0; zoo_get(&g, index); index++) {
        if (g.count < 4000)
            for (uint64_t kind = 0; kind < 24; kind += UNDER_TSAN ? 7 : 1) compare_everywhere(ctx, &g, kind);
        zoo_free(&g);
    }
    for (int index = 0; shape_get(&g, index, 700); index++) {
        for (uint64_t kind = 0; kind < 24; kind += 5) compare_everywhere(ctx, &g, kind + (uint64_t)index % 5);
        zoo_free(&g);
    }
    contexts_done(ctx);
}

static void random_graphs(void **state) {
    (void)state;
    meguri_ctx *ctx[THREAD_COUNTS];
    uint64_t seed = 5;
    contexts(ctx);
    for (uint64_t i = 0; i < (UNDER_TSAN || UNDER_ASAN ? 60 : 300); i++) {
        zoo_graph g = shape_random(&seed, 600);
        uint64_t more = zoo_random(&seed) % 4 * g.vertices; /* denser: more levels, and rows beyond the first part */
        for (uint64_t e = 0; g.vertices && e < more; e++)
            shape_add(&g, zoo_random(&seed) % g.vertices, zoo_random(&seed) % (1 + zoo_random(&seed) % g.vertices));
        compare_everywhere(ctx, &g, zoo_random(&seed) % 24);
        zoo_free(&g);
    }
    contexts_done(ctx);
}

/* Large enough for several threads in a round, and for the checker alone to judge; all threads say the same. */
static void large_graphs(void **state) {
    (void)state;
    meguri_ctx *ctx[THREAD_COUNTS];
    contexts(ctx);
    for (int kind = 0; kind < 4; kind++) {
        zoo_graph g = {.name = "a grid", .vertices = 300 * 300};
        if (kind < 2) {
            g = shape_kronecker(ctx[1], UNDER_TSAN || UNDER_ASAN ? 12 : 15, 16);
        } else {
            for (uint64_t v = 0; v < g.vertices; v++) { /* peeled from its corners */
                if (v % 300 < 299) shape_add(&g, v, v + 1);
                if (v / 300 < 299) shape_add(&g, v, v + 300);
            }
        }
        meguri_build_options o = {.size = sizeof o,
                                  .direction = kind % 2 ? MEGURI_DIRECTED : MEGURI_UNDIRECTED,
                                  .order = kind % 2 ? MEGURI_ORDER_NONE : MEGURI_ORDER_DEGREE};
        meguri_graph *graph;
        uint64_t facts[THREAD_COUNTS];
        assert_int_equal(zoo_build(&graph, ctx[1], &g, &o), MEGURI_OK);
        for (size_t t = 0; t < THREAD_COUNTS; t++) {
            meguri_result *result;
            assert_int_equal(meguri_cores(&result, ctx[t], graph, NULL), MEGURI_OK);
            assert_int_equal(meguri_cores_check(ctx[t], graph, result, NULL), MEGURI_OK);
            if (kind >= 2) assert_int_equal(fact_of(result, "degeneracy"), 2);
            facts[t] = fact_of(result, "edges");
            assert_int_equal(facts[t], facts[0]);
            meguri_result_free(result);
        }
        meguri_graph_free(graph);
        zoo_free(&g);
    }
    contexts_done(ctx);
}

/* ---- wrong answers ---------------------------------------------------------------------------------------------- */

static void refuse(meguri_ctx *ctx, const peeled *p, const char *part) {
    assert_int_equal(mg_cores_check(ctx, p->graph, p->core), MEGURI_WRONG_ANSWER);
    if (!strstr(meguri_ctx_error(ctx), part)) fail_msg("%s: %s", p->name, meguri_ctx_error(ctx));
}

/* Each number in turn is another one: no graph has two right answers. */
static void every_wrong_number_is_refused(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(2);
    zoo_graph g;
    for (int index = 0; shape_get(&g, index, 130); index++) {
        meguri_build_options o = {.size = sizeof o, .direction = 1 + index % 2, .order = 1 + index % 3};
        peeled p = peeled_from_zoo(ctx, &g, &o);
        for (uint64_t v = 0; v < p.vertices; v += UNDER_TSAN || UNDER_ASAN ? 5 : 1) {
            int32_t good = p.core[v], others[] = {good + 1, good - 1, good + 100, 0, -1, INT32_MAX, INT32_MIN};
            for (size_t i = 0; i < COUNT_OF(others); i++) {
                p.core[v] = others[i];
                if (others[i] != good) refuse(ctx, &p, "core number");
            }
            p.core[v] = good;
        }
        assert_int_equal(mg_cores_check(ctx, p.graph, p.core), MEGURI_OK);
        peeled_free(&p);
        zoo_free(&g);
    }
    context_done(ctx);
}

/* Whole cores that are wrong by one hold among themselves; the other rule sees it. */
static void wrong_cores_are_refused(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    zoo_graph g = {.vertices = 6, .name = "two triangles"};
    for (uint64_t v = 0; v < 6; v++) shape_add(&g, v, v / 3 * 3 + (v + 1) % 3);
    shape_add(&g, 2, 3);
    meguri_build_options o = {.size = sizeof o, .direction = MEGURI_UNDIRECTED};
    peeled p = peeled_from_zoo(ctx, &g, &o);
    for (int v = 0; v < 3; v++) p.core[v] = 1;
    refuse(ctx, &p, "the core number of vertex 0 is more than 1.");
    for (int v = 0; v < 6; v++) p.core[v] = 3;
    refuse(ctx, &p, "vertex 0 has core number 3, but fewer edges to vertices of that number or more.");
    for (int v = 0; v < 6; v++) p.core[v] = 0;
    refuse(ctx, &p, "the core number of vertex 0 is more than 0.");
    peeled_free(&p);
    zoo_free(&g);
    context_done(ctx);
}

/* ---- runs that cannot end --------------------------------------------------------------------------------------- */

static meguri_status run(meguri_ctx *ctx, const peeled *p) {
    meguri_result *result = (meguri_result *)1;
    meguri_status status = meguri_cores(&result, ctx, p->graph, NULL);
    mg_memory_fail_at(ctx, 0); /* not while the result is looked at */
    if (status != MEGURI_OK) assert_null(result);
    else compare(ctx, p, result);
    meguri_result_free(status == MEGURI_OK ? result : NULL);
    return status;
}

static meguri_status check(meguri_ctx *ctx, const peeled *p) { return mg_cores_check(ctx, p->graph, p->core); }

static void every_allocation_fails(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(2);
    meguri_status (*const functions[])(meguri_ctx *, const peeled *) = {run, check};
    zoo_graph g;
    for (int kind = 0; kind < 4; kind++) {
        assert_true(shape_get(&g, 12, 500));
        meguri_build_options o = {.size = sizeof o, .direction = 1 + kind % 2};
        peeled p = peeled_from_zoo(ctx, &g, &o);
        meguri_status status = MEGURI_NO_MEMORY;
        uint64_t k = 0;
        while (status != MEGURI_OK) {
            mg_memory_fail_at(ctx, ++k);
            status = functions[kind / 2](ctx, &p);
            mg_memory_fail_at(ctx, 0);
            if (status == MEGURI_OK) break;
            assert_int_equal(status, MEGURI_NO_MEMORY);
            assert_non_null(strstr(meguri_ctx_error(ctx), "not enough memory for"));
        }
        assert_true(k > 3);
        peeled_free(&p);
        zoo_free(&g);
        assert_int_equal(meguri_ctx_memory_used(ctx), 0);
    }
    context_done(ctx);
}

static void budgets_are_honoured(void **state) {
    (void)state;
    meguri_ctx *maker = context_with(2);
    zoo_graph g;
    assert_true(shape_get(&g, 12, 2000));
    meguri_build_options o = {.size = sizeof o, .direction = MEGURI_UNDIRECTED};
    peeled p = peeled_from_zoo(maker, &g, &o);
    int refused = 0, done = 0;
    for (uint64_t budget = 10000; budget < 5000000; budget *= 2) {
        meguri_ctx *ctx;
        meguri_ctx_options c = {.size = sizeof c, .threads = 2, .memory = budget};
        assert_int_equal(meguri_ctx_new(&ctx, &c), MEGURI_OK);
        meguri_status status = run(ctx, &p);
        assert_true(meguri_ctx_memory_peak(ctx) <= budget);
        if (status == MEGURI_OK) done++;
        else {
            assert_int_equal(status, MEGURI_NO_MEMORY);
            refused++;
        }
        context_done(ctx);
    }
    assert_true(refused > 0 && done > 0);
    peeled_free(&p);
    zoo_free(&g);
    context_done(maker);
}

static int give_up(void *user, const char *phase, uint64_t finished, uint64_t total) {
    (void)phase, (void)finished, (void)total;
    return (*(int *)user)-- <= 0;
}

static void a_cancel_ends_it(void **state) {
    (void)state;
    for (size_t t = 0; t < THREAD_COUNTS; t++) {
        int patience = INT32_MAX;
        meguri_ctx *ctx;
        meguri_ctx_options c = {
            .size = sizeof c, .threads = thread_counts[t], .progress = give_up, .progress_user = &patience};
        assert_int_equal(meguri_ctx_new(&ctx, &c), MEGURI_OK);
        zoo_graph g = {.vertices = 200000, .name = "a ring"};
        for (uint64_t v = 0; v < g.vertices; v++) shape_add(&g, v, (v + 1) % g.vertices);
        meguri_build_options o = {.size = sizeof o, .direction = MEGURI_UNDIRECTED};
        meguri_graph *graph;
        meguri_result *result, *whole;
        assert_int_equal(zoo_build(&graph, ctx, &g, &o), MEGURI_OK);
        assert_int_equal(meguri_cores(&whole, ctx, graph, NULL), MEGURI_OK);
        patience = 0;
        assert_int_equal(meguri_cores(&result, ctx, graph, NULL), MEGURI_CANCELLED);
        assert_null(result);
        assert_int_equal(meguri_cores_check(ctx, graph, whole, NULL), MEGURI_CANCELLED);
        meguri_result_free(whole);
        meguri_graph_free(graph);
        zoo_free(&g);
        context_done(ctx);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zoo_and_shapes),
        cmocka_unit_test(random_graphs),
        cmocka_unit_test(large_graphs),
        cmocka_unit_test(every_wrong_number_is_refused),
        cmocka_unit_test(wrong_cores_are_refused),
        cmocka_unit_test(every_allocation_fails),
        cmocka_unit_test(budgets_are_honoured),
        cmocka_unit_test(a_cancel_ends_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
