/* The full map: 1195 x 1195 crossings with 20,000 links searches like the map of Kanto in the paper on adaptive thread
 * creation (Suzuki and others, 2014): about 230 phases of Bellman-Ford, a peak above 35 % of the vertices (500,000),
 * and most phases (59 %) change fewer than 10,000. */
#include "gen/helpers.h"

static void searches_like_kanto(void **state) {
    (void)state;
    enum { SIDE = 1195, VERTICES = SIDE * SIDE, SEEDS = 3, SOURCES = 4 };
    uint64_t all_phases = 0, all_small = 0;
    meguri_ctx *ctx = new_context(0, 0);
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        meguri_graph *graph;
        meguri_grid_options o = {.size = sizeof o, .width = SIDE, .height = SIDE, .links = 20000, .seed = seed};
        assert_int_equal(meguri_gen_grid(&graph, ctx, &o), MEGURI_OK);
        double degree = (double)info_of(ctx, graph).arcs / VERTICES;
        assert_true(degree > 3.15 && degree < 3.27);
        for (uint64_t i = 1; i <= SOURCES; i++) {
            uint64_t source = SIDE * i / (SOURCES + 1) * SIDE + SIDE * (2 * i % (SOURCES + 1)) / (SOURCES + 1);
            phases p = count_phases(ctx, graph, source, 10000);
            print_message("seed %d, source %d: %d phases, peak %.1f %%, %.0f %% of the phases below 10,000\n",
                          (int)seed, (int)source, (int)p.phases, 100.0 * (double)p.peak / VERTICES,
                          100.0 * (double)p.small / (double)p.phases);
            assert_true(p.reached > VERTICES / 100 * 99);
            assert_true(p.phases >= 190 && p.phases <= 275);
            assert_true(p.peak > VERTICES / 100 * 35);
            all_phases += p.phases;
            all_small += p.small;
        }
        meguri_graph_free(graph);
    }
    double mean = (double)all_phases / (SEEDS * SOURCES), small = (double)all_small / (double)all_phases;
    assert_true(mean > 215 && mean < 245);
    assert_true(small > 0.5 && small < 0.68);
    free_context(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(searches_like_kanto)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
