/* Overviews that cannot be made or written: allocations that fail in turn, budgets, a user who has had enough, a
 * function that takes no more. */
#define _GNU_SOURCE
#include "algo_bfs/searching.h"
#include "support/faults.h"

#include <meguri.h>
#include <meguri/extra/overview.h>
#include <meguri/extra/report.h>
#include <string.h>

/* Counts bytes, until it takes no more. */
typedef struct page {
    uint64_t bytes, most;
} page;

static meguri_status take(void *user, const void *data, size_t bytes) {
    page *p = user;
    (void)data;
    p->bytes += bytes;
    return p->bytes > p->most ? MEGURI_NO_DISK : MEGURI_OK;
}

static meguri_status look(meguri_ctx *ctx, void *what) {
    meguri_overview *overview = (meguri_overview *)1;
    page p = {.most = UINT64_MAX};
    const meguri_sink output = {.size = sizeof output, .write = take, .user = &p};
    meguri_status status = meguri_overview_new(&overview, ctx, what, NULL);
    if (status != MEGURI_OK) assert_null(overview);
    else status = meguri_overview_write(NULL, ctx, overview, "a graph", &output);
    assert_true(status != MEGURI_OK || p.bytes > 1000);
    meguri_overview_free(overview);
    return status;
}

/* With weights and coordinates. */
static meguri_graph *town(meguri_ctx *ctx, uint32_t width) {
    meguri_graph *graph;
    const meguri_grid_options grid = {.size = sizeof grid, .width = width, .height = width, .links = 5};
    assert_int_equal(meguri_gen_grid(&graph, ctx, &grid), MEGURI_OK);
    return graph;
}

static meguri_graph *directed(meguri_ctx *ctx, uint64_t size) {
    zoo_graph g;
    meguri_graph *graph;
    const meguri_build_options o = {.size = sizeof o, .direction = MEGURI_DIRECTED};
    assert_true(shape_get(&g, 12, size));
    assert_int_equal(zoo_build(&graph, ctx, &g, &o), MEGURI_OK);
    zoo_free(&g);
    return graph;
}

static void every_allocation_fails(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(2), *maker = context_with(2);
    meguri_graph *graphs[] = {town(maker, 6), directed(maker, 200)};
    for (size_t i = 0; i < COUNT_OF(graphs); i++) {
        assert_true(fail_each_allocation(ctx, look, graphs[i], MAY_KEEP | MAY_DO_WITHOUT) >= 30);
        meguri_graph_free(graphs[i]);
    }
    context_done(ctx);
    context_done(maker);
}

static meguri_status look_at_new_graph(meguri_ctx *ctx, void *what) {
    meguri_ctx *maker = what;
    meguri_graph *graph = directed(maker, 5000);
    meguri_status status = look(ctx, graph);
    meguri_graph_free(graph); /* and with it the in-rows */
    return status;
}

static void budgets_are_honoured(void **state) {
    (void)state;
    meguri_ctx *maker = context_with(2);
    try_budgets(20000, 40000000, 2, look_at_new_graph, maker);
    context_done(maker);
}

/* Where triangles alone are too much, the rest is there, and says so. */
static void triangles_want_memory(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    meguri_graph *graph = directed(ctx, 300);
    int without = 0, made = 0;
    for (uint64_t k = 1; made == without; k++) { /* until no allocation fails */
        meguri_overview *overview;
        meguri_overview_info info = {.size = sizeof info};
        mg_memory_fail_at(ctx, k);
        meguri_status status = meguri_overview_new(&overview, ctx, graph, NULL);
        mg_memory_fail_at(ctx, 0);
        if (status != MEGURI_OK) continue;
        assert_int_equal(meguri_overview_get_info(&info, overview), MEGURI_OK);
        assert_string_equal(meguri_ctx_error(ctx), "");
        assert_true(info.reached > 1 && info.communities.count > 1);
        made++;
        without += info.triangles_skipped == MEGURI_OVERVIEW_TOO_LARGE;
        assert_true(!info.triangles_skipped == (info.triangles > 0));
        meguri_overview_free(overview);
    }
    assert_true(without > 2);
    meguri_graph_free(graph);
    context_done(ctx);
}

static void a_cancel_ends_it(void **state) {
    (void)state;
    static const char *const phases[] = {"edges", "pagerank", "map"};
    for (size_t t = 0; t < THREAD_COUNTS; t++) {
        impatient user = {.keeps = true};
        meguri_ctx *ctx = context_of(&user, thread_counts[t]);
        meguri_graph *graph = town(ctx, 150);
        assert_int_equal(look(ctx, graph), MEGURI_OK);
        for (size_t p = 0; p < COUNT_OF(phases); p++) {
            user.only = phases[p];
            cancel_at(ctx, &user, 1, phases[p], look, graph);
        }
        user.only = NULL;
        assert_int_equal(look(ctx, graph), MEGURI_OK);
        meguri_graph_free(graph);
        context_done(ctx);
    }
}

/* Whoever takes the page may stop at any byte. */
static void a_page_is_not_taken(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    meguri_graph *graph = town(ctx, 5);
    meguri_overview *overview;
    assert_int_equal(meguri_overview_new(&overview, ctx, graph, NULL), MEGURI_OK);
    for (uint64_t most = 0; most < 30000; most += 5000) {
        page p = {.most = most};
        const meguri_sink output = {.size = sizeof output, .write = take, .user = &p};
        assert_int_equal(meguri_overview_write(NULL, ctx, overview, "g", &output), MEGURI_NO_DISK);
    }
    meguri_overview_free(overview);
    meguri_graph_free(graph);
    context_done(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_fails), cmocka_unit_test(budgets_are_honoured),
        cmocka_unit_test(triangles_want_memory),  cmocka_unit_test(a_cancel_ends_it),
        cmocka_unit_test(a_page_is_not_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
