/* Shortest paths on a device against Dijkstra's search of plain arrays: every strategy, the zoo, shapes, every kind of
 * weight, widths of teams and sizes of groups; distances beyond 32 bits, with atomic operations for them and without;
 * a device that is lost, or has too little memory, or no double precision. */
#define _GNU_SOURCE
#include "algo_sssp/routing.h"
#include "support/device.h"
#include "support/sanitized.h"
#include <math.h>

#include <meguri.h>

static const meguri_sssp_strategy strategies[] = {MEGURI_SSSP_ALL, MEGURI_SSSP_SELECTED, MEGURI_SSSP_ADAPTIVE,
                                                  MEGURI_SSSP_NEAR_FAR, MEGURI_SSSP_SETTLE};

static meguri_sssp_options options_of(meguri_sssp_strategy strategy) {
    return (meguri_sssp_options){.size = sizeof(meguri_sssp_options),
                                 .parents = 1,
                                 .max_cost = (double)INFINITY,
                                 .engine = MEGURI_ENGINE_DEVICE,
                                 .strategy = strategy};
}

static void search(meguri_ctx *ctx, const roads *r, uint64_t source, meguri_sssp_strategy strategy, uint64_t *seed) {
    static const double widths[] = {1, 1e-9, 1e12, 3.7, 1e-300, 0x1p1000};
    meguri_sssp_options options = options_of(strategy);
    options.parents = !(zoo_random(seed) % 5 == 0);
    if (strategy == MEGURI_SSSP_NEAR_FAR && zoo_random(seed) % 3 == 0)
        options.delta = widths[zoo_random(seed) % COUNT_OF(widths)];
    if (strategy == MEGURI_SSSP_ADAPTIVE) { /* changes over in the middle, and back */
        options.all_above_us = 1 + (double)(zoo_random(seed) % 100);
        options.selected_below_us = zoo_random(seed) % 2 ? 1e6 : options.all_above_us;
    }
    check_sssp(ctx, r, source, &options);
}

/* From a few sources, by some of the strategies or all of them. */
static void search_graph(meguri_ctx *ctx, const zoo_graph *g, uint64_t *seed, int count) {
    meguri_build_options o = {.size = sizeof o,
                              .direction = (meguri_direction)(1 + zoo_random(seed) % 2),
                              .order = (meguri_order)(1 + zoo_random(seed) % 3),
                              .duplicates = zoo_random(seed) % 2 ? MEGURI_DUPLICATES_KEEP : MEGURI_DUPLICATES_MIN,
                              .keep_loops = zoo_random(seed) % 2};
    roads r = roads_from_zoo(ctx, g, &o);
    uint64_t n = r.subject.plain.vertices;
    if (n) {
        uint64_t sources[] = {plain_hub(&r.subject.plain), zoo_random(seed) % n, plain_leaf(&r.subject.plain),
                              plain_isolated(&r.subject.plain)};
        uint64_t source = sources[zoo_random(seed) % 4];
        if (source >= n) source = sources[1];
        for (int i = 0; i < count; i++)
            search(ctx, &r, source, strategies[(i + (int)n) % (int)COUNT_OF(strategies)], seed);
    }
    roads_free(&r);
}

static void the_zoo(void **state) {
    (void)state;
    meguri_ctx *ctx = context_of_size(0);
    uint64_t seed = 11;
    zoo_graph g;
    for (int index = 0; zoo_get(&g, index); index++) {
        bool negative = strstr(g.name, "weights 6") != NULL, large = g.count > 50000;
        if (!negative && !(large && UNDER_ASAN)) search_graph(ctx, &g, &seed, 4);
        zoo_free(&g);
    }
    context_done(ctx);
}

/* Weights that add nothing may lead round in circles; those that differ much are lost in sums. Compilers take their
 * time: of the sizes but the first each meets few types. */
static void every_shape_and_weight(void **state) {
    (void)state;
    static const weighing few[] = {WEIGH_FEW, WEIGH_SPREAD};
    for (size_t i = 0; i < COUNT_OF(device_sizes); i++) {
        meguri_ctx *ctx = context_of_size(i);
        uint64_t seed = 5 + i;
        zoo_graph g;
        for (int index = 0; shape_get(&g, index, 300); index++) {
            for (int kind = 0; kind < WEIGHINGS; kind++) {
                if (i && (weighing)kind != few[i % 2]) continue;
                if ((kind + index) % (UNDER_ASAN ? 9 : 3) && !i) continue;
                weigh(&g, (weighing)kind, (uint64_t)(index + kind));
                search_graph(ctx, &g, &seed, i ? 2 : 4);
            }
            zoo_free(&g);
        }
        context_done(ctx);
    }
}

/* Rows of several pieces, steps that are cut short. */
static void large_graphs(void **state) {
    (void)state;
    static const weighing kinds[] = {WEIGH_BYTES, WEIGH_FRACTION, WEIGH_WIDE, WEIGH_FEW};
    meguri_ctx *ctx = device_context(NULL, 0);
    uint64_t seed = 3;
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        zoo_graph g = shape_kronecker(ctx, UNDER_ASAN ? 10 : 12, 16), grid;
        weigh(&g, kinds[i], 9);
        search_graph(ctx, &g, &seed, 4);
        zoo_free(&g);
        assert_true(shape_get(&grid, 11, UNDER_ASAN ? 3000 : 10000));
        weigh(&grid, kinds[i], 9);
        search_graph(ctx, &grid, &seed, 4);
        zoo_free(&grid);
    }
    context_done(ctx);
}

/* A search that grows beyond 32 bits is done again; without atomic operations on 64 every vertex pulls. */
static void beyond_32_bits(void **state) {
    (void)state;
    for (int atomics = 0; atomics < 2; atomics++) {
        meguri_ctx *ctx = device_context(NULL, 0);
        mg_device *device;
        assert_int_equal(mg_device_get(&device, ctx), MEGURI_OK);
        if (!atomics) device->long_atomics = false;
        for (int directed = 1; directed <= 2; directed++) {
            zoo_graph g;
            assert_true(shape_get(&g, 0, 300)); /* a path */
            weigh(&g, WEIGH_WORDS, 1);
            meguri_build_options o = {.size = sizeof o, .direction = (meguri_direction)directed};
            roads r = roads_from_zoo(ctx, &g, &o);
            for (size_t i = 0; i < COUNT_OF(strategies); i++) {
                meguri_sssp_options options = options_of(strategies[i]);
                if (atomics || strategies[i] < MEGURI_SSSP_NEAR_FAR) {
                    check_sssp(ctx, &r, 0, &options);
                    check_sssp(ctx, &r, 150, &options);
                    continue;
                }
                meguri_result *result;
                assert_int_equal(meguri_sssp(&result, ctx, r.subject.graph, 0, &options), MEGURI_ENGINE_FAILED);
                assert_non_null(strstr(meguri_ctx_error(ctx), "for the strategy"));
            }
            roads_free(&r);
            weigh(&g, WEIGH_TENTHS, 1);
            r = roads_from_zoo(ctx, &g, &o);
            meguri_sssp_options options = options_of(MEGURI_SSSP_ALL);
            check_sssp(ctx, &r, 7, &options);
            roads_free(&r);
            zoo_free(&g);
        }
        context_done(ctx);
    }
}

static void no_doubles(void **state) {
    (void)state;
    meguri_ctx *ctx = device_context(NULL, 0);
    mg_device *device;
    assert_int_equal(mg_device_get(&device, ctx), MEGURI_OK);
    device->doubles = false;
    zoo_graph g;
    assert_true(shape_get(&g, 0, 30));
    weigh(&g, WEIGH_FRACTION, 1);
    meguri_build_options o = {.size = sizeof o};
    roads r = roads_from_zoo(ctx, &g, &o);
    meguri_sssp_options options = options_of(MEGURI_SSSP_AUTO);
    meguri_result *result;
    assert_int_equal(meguri_sssp(&result, ctx, r.subject.graph, 0, &options), MEGURI_ENGINE_FAILED);
    assert_non_null(strstr(meguri_ctx_error(ctx), "double precision"));
    roads_free(&r);
    zoo_free(&g);
    context_done(ctx);
}

/* The phases of the paper change the same whichever way they are done; a handle serves many searches, and frees all. */
static void handle(void **state) {
    (void)state;
    meguri_ctx *ctx = device_context(NULL, 0);
    zoo_graph g = shape_kronecker(ctx, 9, 8);
    weigh(&g, WEIGH_BYTES, 2);
    meguri_build_options o = {.size = sizeof o, .direction = MEGURI_UNDIRECTED};
    roads r = roads_from_zoo(ctx, &g, &o);
    meguri_sssp_search *searches[COUNT_OF(strategies)];
    uint64_t seed = 3;
    mg_device *d;
    assert_int_equal(mg_device_get(&d, ctx), MEGURI_OK);
    for (size_t i = 0; i < COUNT_OF(strategies); i++) {
        meguri_sssp_options options = options_of(strategies[i]);
        assert_int_equal(meguri_sssp_search_new(&searches[i], ctx, r.subject.graph, &options), MEGURI_OK);
    }
    for (int turn = 0; turn < 5; turn++) {
        uint64_t source = zoo_random(&seed) % r.subject.plain.vertices, phases[3], edges[3];
        for (size_t i = 0; i < COUNT_OF(strategies); i++) {
            const meguri_result *result;
            meguri_fact fact = {.size = sizeof fact};
            meguri_sssp_options options = options_of(strategies[i]);
            assert_int_equal(meguri_sssp_search_run(&result, ctx, searches[i], source), MEGURI_OK);
            check_route(ctx, &r, source, &options, result);
            if (i >= 3) continue;
            assert_int_equal(meguri_result_fact(&fact, result, "phases"), MEGURI_OK);
            phases[i] = fact.number;
            assert_int_equal(meguri_result_fact(&fact, result, "edges"), MEGURI_OK);
            edges[i] = fact.number;
            assert_int_equal(phases[i], phases[0]);
            assert_int_equal(edges[i], edges[0]);
        }
    }
    for (size_t i = 0; i < COUNT_OF(strategies); i++) meguri_sssp_search_free(searches[i]);
    assert_int_equal(d->used, 0);
    roads_free(&r);
    zoo_free(&g);
    context_done(ctx);
}

/* ---- many sources ----------------------------------------------------------------------------------------------- */

typedef struct taking {
    const roads *roads;
    const uint64_t *sources;
    const meguri_sssp_options *options;
    uint64_t taken, refuse; /* refuse: this one is not taken */
} taking;

static meguri_status take(void *user, uint64_t index, const meguri_result *result) {
    taking *t = user;
    meguri_ctx *other = context_with(1);
    assert_int_equal(index, t->taken++);
    check_route(other, t->roads, t->sources[index], t->options, result);
    context_done(other);
    return t->taken == t->refuse ? MEGURI_BAD_INPUT : MEGURI_OK;
}

/* Side by side, as many as there is memory for, or one after another. */
static void many_sources(void **state) {
    (void)state;
    meguri_ctx *ctx = device_context(NULL, 0);
    static const weighing kinds[] = {WEIGH_FEW, WEIGH_TENTHS};
    uint64_t seed = 8;
    mg_device *d;
    assert_int_equal(mg_device_get(&d, ctx), MEGURI_OK);
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        zoo_graph g = shape_kronecker(ctx, 8, 4);
        weigh(&g, kinds[i], 4);
        meguri_build_options o = {.size = sizeof o, .direction = (meguri_direction)(1 + i)};
        roads r = roads_from_zoo(ctx, &g, &o);
        uint64_t sources[11], n = r.subject.plain.vertices, memory = d->memory;
        for (size_t k = 0; k < COUNT_OF(sources); k++) sources[k] = zoo_random(&seed) % n;
        sources[3] = sources[2];
        if (plain_isolated(&r.subject.plain) != UINT32_MAX) sources[1] = plain_isolated(&r.subject.plain);
        for (int turn = 0; turn < 4; turn++) {
            meguri_sssp_options options = options_of(turn == 3 ? MEGURI_SSSP_SELECTED : MEGURI_SSSP_NEAR_FAR);
            taking t = {&r, sources, &options, .refuse = turn == 1 ? 5 : 0};
            uint64_t launches = d->launches;
            if (turn == 2) d->memory = 100000 + 60 * n; /* for one or two */
            meguri_status status =
                meguri_sssp_many(ctx, r.subject.graph, sources, COUNT_OF(sources), &options, take, &t);
            assert_int_equal(status, turn == 1 ? MEGURI_BAD_INPUT : MEGURI_OK);
            assert_int_equal(t.taken, turn == 1 ? 5 : COUNT_OF(sources));
            assert_true(d->launches > launches);
            assert_int_equal(d->used, 0);
            d->memory = memory;
        }
        assert_int_equal(meguri_sssp_many(ctx, r.subject.graph, sources, 0, NULL, take, NULL), MEGURI_OK);
        roads_free(&r);
        zoo_free(&g);
    }
    context_done(ctx);
}

/* ---- what goes wrong -------------------------------------------------------------------------------------------- */

typedef struct attempt {
    const roads *roads;
    meguri_sssp_options options;
} attempt;

static meguri_status try_search(meguri_ctx *ctx, void *what) {
    const attempt *a = what;
    meguri_result *result = (meguri_result *)1;
    meguri_status status = meguri_sssp(&result, ctx, a->roads->subject.graph, 1, &a->options);
    if (status != MEGURI_OK) assert_null(result);
    else {
        meguri_ctx *other = context_with(1);
        check_route(other, a->roads, 1, &a->options, result);
        context_done(other);
    }
    meguri_result_free(result);
    return status;
}

/* Each call of OpenCL fails in turn, once or from then on; then memory of the host does. */
static void lost(void **state) {
    (void)state;
    meguri_ctx *ctx = faulty_context(), *maker = context_with(2);
    zoo_graph g;
    assert_true(shape_get(&g, 0, 6));
    weigh(&g, WEIGH_FEW, 1);
    meguri_build_options o = {.size = sizeof o, .direction = MEGURI_DIRECTED};
    roads r = roads_from_zoo(maker, &g, &o);
    for (size_t i = 0; i < COUNT_OF(strategies); i++) {
        attempt a = {&r, options_of(strategies[i])};
        fail_each_call(ctx, try_search, &a);
        assert_true(fail_each_allocation(ctx, try_search, &a, LEAVES_NOTHING) >= 4);
    }
    roads_free(&r);
    zoo_free(&g);
    context_done(ctx);
    context_done(maker);
}

static int stop_at_once(void *user, const char *phase, uint64_t done, uint64_t total) {
    (void)user, (void)done, (void)total;
    return strcmp(phase, "sssp") == 0;
}

static void cancelled_and_refused(void **state) {
    (void)state;
    meguri_ctx_free(device_context(NULL, 0)); /* skips */
    meguri_ctx *ctx;
    meguri_ctx_options how = {.size = sizeof how, .threads = 2, .progress = stop_at_once};
    assert_int_equal(meguri_ctx_new(&ctx, &how), MEGURI_OK);
    zoo_graph g;
    assert_true(shape_get(&g, 0, 20000));
    weigh(&g, WEIGH_BYTES, 1);
    meguri_build_options o = {.size = sizeof o, .direction = MEGURI_UNDIRECTED};
    roads r = roads_from_zoo(ctx, &g, &o);
    meguri_result *result;
    for (size_t i = 0; i < COUNT_OF(strategies); i++) {
        meguri_sssp_options options = options_of(strategies[i]);
        assert_int_equal(meguri_sssp(&result, ctx, r.subject.graph, 0, &options), MEGURI_CANCELLED);
        assert_null(result);
    }
    const struct {
        meguri_sssp_options options;
        const char *word;
    } bad[] = {{{.strategy = MEGURI_SSSP_ALL}, "engine device"},
               {{.engine = MEGURI_ENGINE_DEVICE, .strategy = (meguri_sssp_strategy)99}, "no strategy"},
               {{.engine = MEGURI_ENGINE_DEVICE, .strategy = MEGURI_SSSP_ALL, .delta = 2}, "delta"},
               {{.engine = MEGURI_ENGINE_DEVICE, .all_above_us = 2}, "all_above_us"},
               {{.engine = MEGURI_ENGINE_DEVICE, .strategy = MEGURI_SSSP_ADAPTIVE, .selected_below_us = -1},
                "selected_below_us"}};
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        meguri_sssp_options options = bad[i].options;
        options.size = sizeof options;
        assert_int_equal(meguri_sssp(&result, ctx, r.subject.graph, 0, &options), MEGURI_BAD_ARGUMENT);
        assert_non_null(strstr(meguri_ctx_error(ctx), bad[i].word));
    }
    roads_free(&r);
    zoo_free(&g);
    context_done(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_zoo),
                                       cmocka_unit_test(every_shape_and_weight),
                                       cmocka_unit_test(large_graphs),
                                       cmocka_unit_test(beyond_32_bits),
                                       cmocka_unit_test(no_doubles),
                                       cmocka_unit_test(handle),
                                       cmocka_unit_test(many_sources),
                                       cmocka_unit_test(lost),
                                       cmocka_unit_test(cancelled_and_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
