/* Two threads with one context, and with a child of it, that search on one device at once: what they find is what the
 * host finds. A callback that asks for the device that its own call works with is told that it is busy. */
#define _GNU_SOURCE
#include "support/at_once.h"
#include "support/device.h"
#include "support/sanitized.h"

#include <meguri.h>

enum { THREADS = 2, ROUNDS = 4, ALGORITHMS = 4 };

static meguri_status run(meguri_result **out, meguri_ctx *ctx, const meguri_graph *graph, int algorithm,
                         meguri_engine engine) {
    meguri_bfs_options bfs;
    meguri_sssp_options sssp;
    meguri_components_options components;
    meguri_pagerank_options pagerank;
    meguri_bfs_options_init(&bfs, sizeof bfs);
    meguri_sssp_options_init(&sssp, sizeof sssp);
    meguri_components_options_init(&components, sizeof components);
    meguri_pagerank_options_init(&pagerank, sizeof pagerank);
    bfs.engine = sssp.engine = components.engine = pagerank.engine = engine;
    return algorithm == 0   ? meguri_bfs(out, ctx, graph, 0, &bfs)
           : algorithm == 1 ? meguri_sssp(out, ctx, graph, 0, &sssp)
           : algorithm == 2 ? meguri_components(out, ctx, graph, &components)
                            : meguri_pagerank(out, ctx, graph, &pagerank);
}

/* The first column: levels, distances, components. Ranks may differ in their last bits, and are left out. */
static meguri_column first_column(const meguri_result *result) {
    meguri_column column = {.size = sizeof column};
    if (meguri_result_column_at(&column, result, 0) != MEGURI_OK) abort();
    return column;
}

typedef struct job {
    meguri_ctx *ctx[THREADS];
    const meguri_graph *graph;
    const meguri_result *right[ALGORITHMS];
    int wrong[THREADS];
    meguri_status failed[THREADS];
} job;

static void search_all(void *what, int thread) {
    job *j = what;
    for (int i = 0; i < ROUNDS * ALGORITHMS; i++) {
        int algorithm = (i + thread) % ALGORITHMS;
        meguri_result *result;
        meguri_status status = run(&result, j->ctx[thread], j->graph, algorithm, MEGURI_ENGINE_DEVICE);
        if (status != MEGURI_OK) {
            j->failed[thread] = status;
            return;
        }
        meguri_column got = first_column(result), right = first_column(j->right[algorithm]);
        if (got.count != right.count || got.item_bytes != right.item_bytes) j->wrong[thread]++;
        else if (algorithm < 3 && memcmp(got.data, right.data, got.count * got.item_bytes) != 0) j->wrong[thread]++;
        meguri_result_free(result);
    }
}

static meguri_graph *graph_of(meguri_ctx *ctx) {
    meguri_grid_options o;
    meguri_graph *graph;
    meguri_grid_options_init(&o, sizeof o);
    o.width = o.height = UNDER_ASAN ? 20 : 60;
    assert_int_equal(meguri_gen_grid(&graph, ctx, &o), MEGURI_OK);
    return graph;
}

static void threads(void **state) {
    (void)state;
    for (int child = 0; child < 2; child++) {
        meguri_ctx *ctx = device_context(NULL, 0), *second = NULL;
        if (child) assert_int_equal(meguri_ctx_child(&second, ctx, NULL), MEGURI_OK);
        meguri_graph *graph = graph_of(ctx);
        meguri_result *right[ALGORITHMS];
        job j = {.ctx = {ctx, second ? second : ctx}, .graph = graph};
        for (int a = 0; a < ALGORITHMS; a++) {
            assert_int_equal(run(&right[a], ctx, graph, a, MEGURI_ENGINE_HOST), MEGURI_OK);
            j.right[a] = right[a];
        }
        at_once(THREADS, search_all, &j);
        for (int t = 0; t < THREADS; t++) {
            assert_int_equal(j.failed[t], MEGURI_OK);
            assert_int_equal(j.wrong[t], 0);
        }
        for (int a = 0; a < ALGORITHMS; a++) meguri_result_free(right[a]);
        meguri_graph_free(graph);
        meguri_ctx_free(second);
        context_done(ctx);
    }
}

typedef struct within {
    meguri_ctx *ctx;
    const meguri_graph *graph;
    int busy, fine, depth;
} within;

static int progress(void *user, const char *phase, uint64_t done, uint64_t total) {
    within *w = user;
    meguri_result *result = NULL;
    (void)phase, (void)done, (void)total;
    if (w->depth || !w->ctx) return 0;
    w->depth++;
    meguri_status status = run(&result, w->ctx, w->graph, 0, MEGURI_ENGINE_DEVICE);
    w->busy += status == MEGURI_BUSY;
    w->fine += status == MEGURI_OK;
    meguri_result_free(result);
    w->depth--;
    return 0;
}

static void callback(void **state) {
    (void)state;
    within w = {.busy = 0};
    meguri_ctx *ctx = device_context(NULL, 0), *child;
    meguri_graph *graph = graph_of(ctx);
    meguri_ctx_child_options o = {.size = sizeof o, .progress = progress, .progress_user = &w};
    assert_int_equal(meguri_ctx_child(&child, ctx, &o), MEGURI_OK);
    w.ctx = child, w.graph = graph;
    for (int a = 0; a < ALGORITHMS; a++) {
        meguri_result *result;
        assert_int_equal(run(&result, child, graph, a, MEGURI_ENGINE_DEVICE), MEGURI_OK);
        meguri_result_free(result);
    }
    assert_true(w.busy > 0);
    w.ctx = NULL;
    meguri_graph_free(graph);
    meguri_ctx_free(child);
    context_done(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(threads), cmocka_unit_test(callback)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
