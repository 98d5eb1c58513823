/* The road-like grid: where streets and links are, what they weigh, where the crossings lie, and how many phases of
 * Bellman-Ford it needs (a small map here, the full one in test_kanto.c). */
#include "gen/helpers.h"

#include <math.h>

static meguri_graph *grid(meguri_ctx *ctx, uint64_t width, uint64_t height, uint64_t links, uint64_t seed) {
    meguri_graph *graph;
    meguri_grid_options o = {
        .size = sizeof o,
        .width = width,
        .height = height,
        .links = links,
        .seed = seed,
        .build = &(meguri_build_options){.size = sizeof(meguri_build_options), .order = MEGURI_ORDER_NONE}};
    meguri_status status = meguri_gen_grid(&graph, ctx, &o);
    if (status != MEGURI_OK) fail_msg("%s", meguri_ctx_error(ctx));
    return graph;
}

static bool neighbours(uint64_t width, uint32_t a, uint32_t b) {
    uint64_t from = MG_MIN(a, b), to = MG_MAX(a, b);
    return to == from + width || (to == from + 1 && to % width != 0);
}

static void four_streets_in_five(void **state) {
    (void)state;
    enum { WIDTH = 400, HEIGHT = 300 };
    meguri_ctx *ctx = new_context(2, 0);
    meguri_graph *graph = grid(ctx, WIDTH, HEIGHT, 0, 1);
    meguri_graph_info info = info_of(ctx, graph);
    assert_int_equal(info.vertices, WIDTH * HEIGHT);
    assert_int_equal(info.directed, 0);
    assert_int_equal(info.dropped_duplicates + info.dropped_loops, 0);
    arcs a = arcs_of(ctx, graph);
    uint64_t right = 0, down = 0;
    for (uint64_t i = 0; i < a.count; i++) {
        assert_true(neighbours(WIDTH, a.from[i], a.to[i]));
        right += a.to[i] == a.from[i] + 1;
        down += a.to[i] == a.from[i] + WIDTH;
    }
    assert_int_equal(right + down, info.edges);
    const double streets[2] = {(WIDTH - 1) * HEIGHT, WIDTH * (HEIGHT - 1)};
    const uint64_t found[2] = {right, down};
    for (int way = 0; way < 2; way++) {
        const double expected[2] = {0.8 * streets[way], 0.2 * streets[way]};
        const uint64_t observed[2] = {found[way], (uint64_t)streets[way] - found[way]};
        assert_true(chi_square(observed, expected, 2) < chi_square_limit(1));
    }
    double mean_degree = (double)info.arcs / (double)info.vertices;
    assert_true(mean_degree > 3.15 && mean_degree < 3.25);
    arcs_free(&a);
    meguri_graph_free(graph);
    free_context(ctx);
}

static void weights_are_log_uniform(void **state) {
    (void)state;
    enum { BINS = 100 };
    meguri_ctx *ctx = new_context(2, 0);
    meguri_graph *graph = grid(ctx, 700, 700, 0, 2);
    arcs a = arcs_of(ctx, graph);
    assert_int_equal(info_of(ctx, graph).weight_type, MEGURI_TYPE_U32);
    uint64_t observed[BINS] = {0}, count = 0;
    double expected[BINS], sum = 0, squares = 0;
    for (uint64_t i = 0; i < a.count; i++) {
        if (a.to[i] < a.from[i]) continue;
        double w = mg_weight_at(a.weights, MEGURI_TYPE_U32, i);
        assert_true(w >= 10 && w <= 1000000);
        /* Whole numbers are rounded down: a bin holds those whose lower ends lie in it, so small ones are left out. */
        if (w >= 1000) observed[(int)(log10(w / 1000) / 3 * BINS)]++;
        sum += w;
        squares += w * w;
        count++;
    }
    for (int i = 0; i < BINS; i++) { /* exactly: from the first whole number of the bin to the first of the next */
        double low = ceil(1000 * pow(10, 3.0 * i / BINS) - 1e-6),
               high = ceil(1000 * pow(10, 3.0 * (i + 1) / BINS) - 1e-6);
        expected[i] = (double)count * log10(high / low) / 5;
    }
    uint64_t large = 0;
    for (int i = 0; i < BINS; i++) large += observed[i];
    assert_true(fabs((double)large - 0.6 * (double)count) < 5 * sqrt(0.24 * (double)count));
    assert_true(chi_square(observed, expected, BINS) < chi_square_limit(BINS));
    /* The mean and the spread of the map of Kanto: 83,666 and 184,384. */
    double mean = sum / (double)count, spread = sqrt(squares / (double)count - mean * mean);
    assert_true(fabs(mean / 83666 - 1) < 0.05);
    assert_true(fabs(spread / 184384 - 1) < 0.05);
    arcs_free(&a);
    meguri_graph_free(graph);
    free_context(ctx);
}

static void crossings_lie_in_their_cells(void **state) {
    (void)state;
    enum { WIDTH = 37, HEIGHT = 23 };
    meguri_ctx *ctx = new_context(2, 0);
    meguri_graph *graph = grid(ctx, WIDTH, HEIGHT, 5, 1);
    double x[WIDTH * HEIGHT], y[WIDTH * HEIGHT], lowest = 1000, highest = 0;
    assert_int_equal(meguri_graph_coordinates(x, y, ctx, graph, 0, WIDTH * HEIGHT), MEGURI_OK);
    for (int v = 0; v < WIDTH * HEIGHT; v++) {
        double right = x[v] - v % WIDTH * 1000, down = y[v] - (double)(v / WIDTH) * 1000;
        assert_true(right >= 300 && right <= 700 && down >= 300 && down <= 700);
        assert_true(x[v] == floor(x[v]) && y[v] == floor(y[v]));
        lowest = fmin(lowest, fmin(right, down));
        highest = fmax(highest, fmax(right, down));
    }
    assert_true(lowest < 320 && highest > 680);
    meguri_graph_free(graph);
    free_context(ctx);
}

/* Two graphs of one seed, with and without links, have the same streets; what is left are the links. */
static void links_are_beside_the_streets(void **state) {
    (void)state;
    enum { WIDTH = 500, HEIGHT = 400, LINKS = 3000 };
    meguri_ctx *ctx = new_context(2, 0);
    meguri_graph *plain = grid(ctx, WIDTH, HEIGHT, 0, 1), *linked = grid(ctx, WIDTH, HEIGHT, LINKS, 1);
    assert_int_equal(info_of(ctx, linked).input_edges, info_of(ctx, plain).input_edges + LINKS);
    arcs a = arcs_of(ctx, linked);
    uint64_t links = 0, long_ones = 0, cheap = 0, remote = 0;
    for (uint64_t i = 0; i < a.count; i++) {
        if (a.to[i] < a.from[i] || neighbours(WIDTH, a.from[i], a.to[i])) continue;
        double dx = (double)(a.from[i] % WIDTH) - (double)(a.to[i] % WIDTH);
        double dy = (double)(a.from[i] / WIDTH) - (double)(a.to[i] / WIDTH);
        links++;
        double weight = mg_weight_at(a.weights, linked->weight_type, i);
        assert_true(weight >= 10 && weight < 10000);
        cheap += weight < 100;
        long_ones += hypot(dx, dy) > 100;
        for (int end = 0; end < 2; end++) { /* no station in the strips at the middles of the sides */
            double x = (end ? a.to[i] : a.from[i]) % WIDTH + 0.5, y = (end ? a.to[i] : a.from[i]) / WIDTH + 0.5;
            remote += fabs(x - WIDTH / 2) < 0.06 * WIDTH && fmin(y, HEIGHT - y) < HEIGHT * 0.054 - 1;
            remote += fabs(y - HEIGHT / 2) < 0.06 * HEIGHT && fmin(x, WIDTH - x) < WIDTH * 0.054 - 1;
        }
    }
    assert_true(links > LINKS - 20 && links <= LINKS);
    assert_true(long_ones > LINKS * 8 / 10);
    assert_true(cheap > LINKS * 30 / 100 && cheap < LINKS * 37 / 100); /* one decade of three */
    assert_int_equal(remote, 0);
    arcs_free(&a);
    meguri_graph_free(plain);
    meguri_graph_free(linked);
    free_context(ctx);
}

/* However small the map and however many the links, each of them joins two crossings. */
static void small_maps_full_of_links(void **state) {
    (void)state;
    static const uint64_t sizes[][2] = {{2, 1},   {1, 2},   {2, 2},   {3, 1}, {1, 100},
                                        {100, 1}, {19, 20}, {20, 20}, {21, 2}};
    meguri_ctx *ctx = new_context(2, 0);
    for (size_t i = 0; i < LENGTH(sizes); i++) {
        for (uint64_t links = 1; links <= 1000; links *= 10) {
            meguri_graph *graph = grid(ctx, sizes[i][0], sizes[i][1], links, links + i);
            meguri_graph_info info = info_of(ctx, graph);
            assert_int_equal(info.vertices, sizes[i][0] * sizes[i][1]);
            assert_int_equal(info.dropped_loops, 0);
            assert_int_equal(info.input_edges, info.edges + info.dropped_duplicates);
            assert_true(info.input_edges >= links);
            meguri_graph_free(graph);
        }
    }
    free_context(ctx);
}

/* Measured over 6 seeds and 6 sources: 85 to 151 phases and a peak of 40 to 68 % with links, 506 to 915 and 20 to 26 %
 * without. */
static void links_make_few_phases_and_a_high_peak(void **state) {
    (void)state;
    enum { SIDE = 300 };
    meguri_ctx *ctx = new_context(2, 0);
    for (uint64_t seed = 1; seed <= 3; seed++) {
        meguri_graph *linked = grid(ctx, SIDE, SIDE, 1260, seed), *plain = grid(ctx, SIDE, SIDE, 0, seed);
        for (uint64_t source = SIDE * SIDE / 3; source < SIDE * SIDE; source += SIDE * SIDE / 3) {
            phases p = count_phases(ctx, linked, source, 0), without = count_phases(ctx, plain, source, 0);
            assert_true(p.reached > SIDE * SIDE * 99 / 100 && without.reached > SIDE * SIDE * 99 / 100);
            if (p.phases < 80 || p.phases > 180) fail_msg("seed %d: %d phases", (int)seed, (int)p.phases);
            assert_true(p.peak > SIDE * SIDE * 35 / 100);
            assert_true(without.phases > 400);
            assert_true(without.peak < SIDE * SIDE * 35 / 100);
        }
        meguri_graph_free(linked);
        meguri_graph_free(plain);
    }
    free_context(ctx);
}

/* The oracle itself: a path needs a phase per edge and one more to see that nothing changes; a cheap detour of more
 * hops changes its end twice. */
static void phases_are_counted_right(void **state) {
    (void)state;
    meguri_ctx *ctx = new_context(1, 0);
    const uint64_t from[] = {0, 1, 2, 0}, to[] = {1, 2, 3, 3};
    const uint32_t weights[] = {1, 1, 1, 10};
    meguri_edge_arrays e = {
        .size = sizeof e, .count = 4, .from = from, .to = to, .weights = weights, .weight_type = MEGURI_TYPE_U32};
    meguri_graph *graph;
    assert_int_equal(meguri_graph_from_edges(&graph, ctx, &e, NULL), MEGURI_OK);
    phases p = count_phases(ctx, graph, 0, 2);
    assert_int_equal(p.phases, 4); /* {1, 3}, {2}, {3}, {} */
    assert_int_equal(p.peak, 2);
    assert_int_equal(p.small, 3);
    assert_int_equal(p.reached, 4);
    p = count_phases(ctx, graph, 3, 2);
    assert_int_equal(p.phases, 1);
    assert_int_equal(p.reached, 1);
    meguri_graph_free(graph);
    free_context(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_streets_in_five),
        cmocka_unit_test(weights_are_log_uniform),
        cmocka_unit_test(crossings_lie_in_their_cells),
        cmocka_unit_test(links_are_beside_the_streets),
        cmocka_unit_test(small_maps_full_of_links),
        cmocka_unit_test(phases_are_counted_right),
        cmocka_unit_test(links_make_few_phases_and_a_high_peak),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
