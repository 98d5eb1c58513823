/* Searches from up to 64 sources in one pass on a device: each column against a textbook search from its source; widths
 * of teams and sizes of groups, several devices; a device that is lost, or has too little memory. */
#define _GNU_SOURCE
#include "algo_bfs/many.h"
#include "support/device.h"
#include "support/sanitized.h"

#include <meguri.h>

static meguri_bfs_many_options on_device(uint64_t draw) {
    return (meguri_bfs_many_options){.size = sizeof(meguri_bfs_many_options),
                                     .parents = draw % 2,
                                     .max_depth = (uint32_t)(draw % 4 == 3 ? 1 + (uint32_t)(draw >> 4) % 5 : 0) - 1,
                                     .engine = MEGURI_ENGINE_DEVICE};
}

static void search_graph(meguri_ctx *ctx, const zoo_graph *g, uint64_t *seed) {
    static const uint32_t counts[] = {1, 31, 33, 64};
    meguri_build_options o = {.size = sizeof o,
                              .direction = (meguri_direction)(1 + zoo_random(seed) % 2),
                              .order = (meguri_order)(1 + zoo_random(seed) % 3),
                              .duplicates = zoo_random(seed) % 2 ? MEGURI_DUPLICATES_KEEP : MEGURI_DUPLICATES_MIN,
                              .keep_loops = zoo_random(seed) % 2};
    subject s = subject_from_zoo(ctx, g, &o);
    for (int i = 0; i < 2 && s.plain.vertices; i++) {
        uint64_t sources[MEGURI_BFS_MANY];
        meguri_bfs_many_options options = on_device(zoo_random(seed));
        choose_sources(sources, &s, seed);
        check_many(ctx, &s, sources, counts[zoo_random(seed) % COUNT_OF(counts)], &options);
    }
    subject_free(&s);
}

static void the_zoo(void **state) {
    (void)state;
    meguri_ctx *ctx = context_of_size(0);
    uint64_t seed = 7;
    zoo_graph g;
    for (int index = 0; zoo_get(&g, index); index++) {
        if (g.count <= (UNDER_ASAN ? 5000 : 50000)) search_graph(ctx, &g, &seed);
        zoo_free(&g);
    }
    context_done(ctx);
}

/* Shallow and deep ones, in which levels are kept as bits and written one by one. */
static void shapes_and_sizes(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(device_sizes); i++) {
        meguri_ctx *ctx = context_of_size(i);
        uint64_t seed = 5 + i;
        zoo_graph g;
        for (int index = 0; shape_get(&g, index, UNDER_ASAN ? 200 : 500); index++) {
            search_graph(ctx, &g, &seed);
            zoo_free(&g);
        }
        g = shape_kronecker(ctx, UNDER_ASAN ? 8 : 10, 16);
        search_graph(ctx, &g, &seed);
        zoo_free(&g);
        context_done(ctx);
    }
}

/* Several devices, which share the arcs: by pushes and by pulls, shallow and deep. */
static void several(void **state) {
    (void)state;
    for (int turn = 0; turn < 2; turn++) {
        meguri_ctx *ctx = context_of_several(turn);
        uint64_t seed = 51 + (uint64_t)turn;
        zoo_graph g;
        for (int index = 0; shape_get(&g, index, UNDER_ASAN ? 200 : 400); index++) {
            search_graph(ctx, &g, &seed);
            zoo_free(&g);
        }
        context_done(ctx);
    }
}

static void even_shares(void **state) {
    (void)state;
    meguri_ctx *ctx = context_of_two(0);
    mg_device *devices[MG_DEVICES_MOST];
    uint32_t count;
    assert_int_equal(mg_device_get_all(devices, &count, ctx), MEGURI_OK);
    zoo_graph g = shape_kronecker(ctx, UNDER_ASAN ? 8 : 10, 32);
    for (int direction = MEGURI_DIRECTED; direction <= MEGURI_UNDIRECTED; direction++) {
        meguri_build_options o = {.size = sizeof o, .direction = (meguri_direction)direction};
        meguri_bfs_many_options options = on_device(0);
        subject s = subject_from_zoo(ctx, &g, &o);
        uint64_t seed = 3, sources[MEGURI_BFS_MANY];
        meguri_bfs_many_search *search;
        const meguri_result *result;
        choose_sources(sources, &s, &seed);
        assert_int_equal(meguri_bfs_many_search_new(&search, ctx, s.graph, &options), MEGURI_OK);
        for (uint32_t i = 0; i < 2; i++) { /* twice: the second finds what the first has left */
            assert_int_equal(meguri_bfs_many_search_run(&result, ctx, search, sources, MEGURI_BFS_MANY), MEGURI_OK);
            check_result_of_many(ctx, &s, sources, MEGURI_BFS_MANY, &options, result);
            expect_halves(result, s.graph->arcs);
        }
        meguri_bfs_many_search_free(search);
        for (uint32_t i = 0; i < count; i++) assert_int_equal(devices[i]->used, 0);
        subject_free(&s);
    }
    zoo_free(&g);
    context_done(ctx);
}

/* ---- several passes, and what goes wrong ------------------------------------------------------------------------ */

typedef struct passes {
    subject s;
    uint64_t sources[80], taken;
} passes;

static meguri_status take(void *user, uint64_t index, const meguri_result *result) {
    passes *p = user;
    meguri_ctx *other = context_with(1);
    meguri_bfs_options options = {.size = sizeof options, .max_depth = UINT32_MAX, .levels = 1, .parents = 1};
    meguri_fact engine = {.size = sizeof engine};
    assert_int_equal(index, p->taken++);
    assert_int_equal(meguri_result_fact(&engine, result, "engine"), MEGURI_OK);
    assert_string_equal(engine.text, "device");
    if (meguri_bfs_check(other, p->s.graph, result, &options) != MEGURI_OK) fail_msg("%s", meguri_ctx_error(other));
    context_done(other);
    return MEGURI_OK;
}

static meguri_status search_all(meguri_ctx *ctx, void *what) {
    passes *p = what;
    meguri_bfs_many_options options = on_device(1);
    p->taken = 0;
    return meguri_bfs_many(ctx, p->s.graph, p->sources, COUNT_OF(p->sources), &options, take, p);
}

static passes make_passes(meguri_ctx *ctx) {
    zoo_graph g = shape_kronecker(ctx, 6, 8);
    meguri_build_options o = {.size = sizeof o, .direction = MEGURI_DIRECTED};
    passes p = {.s = subject_from_zoo(ctx, &g, &o)};
    uint64_t seed = 2;
    for (size_t i = 0; i < COUNT_OF(p.sources); i++) p.sources[i] = zoo_random(&seed) % p.s.plain.vertices;
    zoo_free(&g);
    return p;
}

static void lost(void **state) {
    (void)state;
    static const char *const lists[] = {"0", "0,0"};
    for (size_t i = 0; i < COUNT_OF(lists); i++) {
        meguri_ctx *ctx = faulty_context_of(lists[i]), *maker = context_with(2);
        passes p = make_passes(maker);
        fail_each_call(ctx, search_all, &p);
        assert_true(fail_each_allocation(ctx, search_all, &p, MAY_KEEP) >= 6);
        subject_free(&p.s);
        context_done(ctx);
        context_done(maker);
    }
}

static void small_or_refused(void **state) {
    (void)state;
    meguri_ctx *ctx = device_context(NULL, 0);
    passes p = make_passes(ctx);
    mg_device *d;
    assert_int_equal(mg_device_get(&d, ctx), MEGURI_OK);
    bool enough = false;
    for (d->memory = 16; d->memory < 1 << 16; d->memory += d->memory / 2) {
        meguri_status status = search_all(ctx, &p);
        assert_int_equal(d->used, 0);
        if (status != MEGURI_OK) assert_non_null(strstr(meguri_ctx_error(ctx), "not enough memory on the device"));
        assert_true(!enough || status == MEGURI_OK);
        enough = status == MEGURI_OK;
    }
    assert_true(enough);
    meguri_bfs_many_search *search;
    meguri_bfs_many_options options = on_device(0);
    options.engine = MEGURI_ENGINE_CLUSTER;
    expect_failure(ctx, meguri_bfs_many_search_new(&search, ctx, p.s.graph, &options), MEGURI_ENGINE_FAILED, "cluster");
    options.engine = (meguri_engine)9;
    expect_failure(ctx, meguri_bfs_many_search_new(&search, ctx, p.s.graph, &options), MEGURI_BAD_ARGUMENT,
                   "no engine");
    subject_free(&p.s);
    context_done(ctx);
}

int main(void) {
    make_two_devices();
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_zoo), cmocka_unit_test(shapes_and_sizes),
                                       cmocka_unit_test(several), cmocka_unit_test(even_shares),
                                       cmocka_unit_test(lost),    cmocka_unit_test(small_or_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
