/* What an overview says where communities do not divide a graph, or triangles would take too long. */
#define _GNU_SOURCE
#include "algo_bfs/searching.h"

#include <meguri.h>
#include <meguri/extra/overview.h>

/* The three divisions, and triangles that would take too long. */
static void verdicts(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(2);
    static const struct {
        uint32_t width, height;
        meguri_overview_division division;
    } grids[] = {{60, 60, MEGURI_OVERVIEW_FRAGMENTS}, {3, 3, MEGURI_OVERVIEW_DIVIDED}};
    for (size_t i = 0; i < COUNT_OF(grids); i++) {
        const meguri_grid_options grid = {.size = sizeof grid, .width = grids[i].width, .height = grids[i].height};
        const meguri_overview_options options = {.size = sizeof options, .top = 10, .triangle_steps = 1};
        meguri_overview_info info = {.size = sizeof info};
        meguri_overview *overview;
        meguri_graph *graph;
        assert_int_equal(meguri_gen_grid(&graph, ctx, &grid), MEGURI_OK);
        assert_int_equal(meguri_overview_new(&overview, ctx, graph, &options), MEGURI_OK);
        assert_int_equal(meguri_overview_get_info(&info, overview), MEGURI_OK);
        assert_int_equal(info.division, grids[i].division);
        assert_int_equal(info.triangles_skipped, MEGURI_OVERVIEW_TOO_LONG);
        assert_int_equal(info.triangles, 0);
        meguri_overview_free(overview);
        meguri_graph_free(graph);
    }
    zoo_graph g = {.name = "a clique", .vertices = 30};
    for (uint64_t a = 0; a < g.vertices; a++)
        for (uint64_t b = 0; b < a; b++) shape_add(&g, a, b);
    const meguri_build_options o = {.size = sizeof o, .direction = MEGURI_UNDIRECTED};
    meguri_overview_info info = {.size = sizeof info};
    meguri_overview *overview;
    meguri_graph *graph;
    assert_int_equal(zoo_build(&graph, ctx, &g, &o), MEGURI_OK);
    assert_int_equal(meguri_overview_new(&overview, ctx, graph, NULL), MEGURI_OK);
    assert_int_equal(meguri_overview_get_info(&info, overview), MEGURI_OK);
    assert_int_equal(info.division, MEGURI_OVERVIEW_ONE);
    assert_string_equal(meguri_overview_division_name(info.division), "one");
    meguri_overview_free(overview);
    meguri_graph_free(graph);
    zoo_free(&g);
    context_done(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(verdicts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
