/* Breadth-first search on a device, against the textbook search: the zoo, shapes, every way, teams and groups of
 * several sizes, lists that are too short for a step; a device that is lost, or has too little memory. */
#define _GNU_SOURCE
#include "algo/bfs/bfs.h"
#include "algo_bfs/on_device.h"

#include <meguri.h>

static void the_zoo(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(device_sizes); i++) {
        meguri_ctx *ctx = context_of_size(i);
        uint64_t seed = 7 + i;
        zoo_graph g;
        for (int index = 0; zoo_get(&g, index); index++) {
            if (!g.weights) search_both_ways(ctx, &g, &seed, i || g.count > 50000 ? 2 : WAYS, NULL);
            zoo_free(&g);
        }
        for (int index = 0; shape_get(&g, index, 2000); index++) {
            search_both_ways(ctx, &g, &seed, 2, NULL);
            zoo_free(&g);
        }
        for (int turn = 0; turn < 60; turn++) {
            g = shape_random(&seed, 3000);
            search_both_ways(ctx, &g, &seed, 2, NULL);
            zoo_free(&g);
        }
        context_done(ctx);
    }
}

/* One graph for many searches, whose edges looked at are those of the host where the ways are the same. */
static void handle(void **state) {
    (void)state;
    meguri_ctx *ctx = device_context(NULL, 0);
    zoo_graph g = shape_kronecker(ctx, 12, 16);
    meguri_build_options o = {.size = sizeof o, .direction = MEGURI_UNDIRECTED};
    subject s = subject_from_zoo(ctx, &g, &o);
    meguri_bfs_options options = {.size = sizeof options,
                                  .max_depth = UINT32_MAX,
                                  .levels = 1,
                                  .parents = 1,
                                  .policy = MEGURI_BFS_FORCED,
                                  .directions = ">><<>"};
    meguri_bfs_search *host, *device;
    uint64_t seed = 3;
    mg_device *d;
    assert_int_equal(mg_device_get(&d, ctx), MEGURI_OK);
    assert_int_equal(meguri_bfs_search_new(&host, ctx, s.graph, &options), MEGURI_OK);
    options.engine = MEGURI_ENGINE_DEVICE;
    options.split_device = 1;
    assert_int_equal(meguri_bfs_search_new(&device, ctx, s.graph, &options), MEGURI_OK);
    for (int i = 0; i < 10; i++) {
        const meguri_result *there, *here;
        uint64_t source = zoo_random(&seed) % s.plain.vertices, count, ours;
        assert_int_equal(meguri_bfs_search_run(&here, ctx, host, source), MEGURI_OK);
        uint64_t launches = d->launches, received = d->received;
        assert_int_equal(meguri_bfs_search_run(&there, ctx, device, source), MEGURI_OK);
        launches = d->launches - launches;
        received = d->received - received;
        check_result(ctx, &s, source, &options, there);
        const meguri_bfs_step *a = mg_bfs_search_steps(host, &ours), *b = mg_bfs_search_steps(device, &count);
        assert_int_equal(count, ours);
        for (uint64_t k = 0; k < count; k++) {
            assert_int_equal(a[k].reached, b[k].reached);
            if (a[k].direction == MEGURI_BFS_DIRECTION_PULL) assert_int_equal(a[k].edges, b[k].edges);
        }
        /* Two launches for each level, one to begin with, three more where a push follows a pull; 32 bytes back. */
        assert_true(launches <= 2 * (count - 1) + 1 + 3);
        assert_true(received <= 32 * (count - 1) + 8 * s.plain.vertices);
    }
    meguri_bfs_search_free(host);
    meguri_bfs_search_free(device);
    assert_int_equal(d->used, 0);
    subject_free(&s);
    zoo_free(&g);
    context_done(ctx);
}

/* Shares of host and device, in every pair of ways: the same levels; what the host did is what it was given, about. */
static void shares(void **state) {
    (void)state;
    meguri_ctx *ctx = device_context(NULL, 0);
    zoo_graph g = shape_kronecker(ctx, 13, 16);
    meguri_build_options o = {.size = sizeof o, .direction = MEGURI_UNDIRECTED};
    subject s = subject_from_zoo(ctx, &g, &o);
    uint64_t source = plain_hub(&s.plain);
    static const struct { uint32_t host, device; } table[] = {{0, 1}, {1, 0}, {1, 3}, {1, 1}, {3, 1}, {0, 0}};
    for (size_t i = 0; i < COUNT_OF(table); i++)
        for (int way = 0; way < WAYS; way++) {
            meguri_bfs_options options = way_options(way);
            options.engine = MEGURI_ENGINE_DEVICE;
            options.split_host = table[i].host;
            options.split_device = table[i].device;
            meguri_result *result;
            assert_int_equal(meguri_bfs(&result, ctx, s.graph, source, &options), MEGURI_OK);
            check_result(ctx, &s, source, &options, result);
            double here = (double)fact_of(result, "host_edges"), all = (double)fact_of(result, "edges");
            if (!table[i].host && table[i].device) assert_true(here == 0);
            if (table[i].host && !table[i].device) assert_true(here > 0.5 * all); /* all but the leaves */
            if (options.policy == MEGURI_BFS_PUSH && table[i].host && table[i].device) {
                double share = (double)table[i].host / (table[i].host + table[i].device);
                assert_true(here > 0.5 * share * all && here < 1.5 * share * all);
            }
            meguri_result_free(result);
        }
    subject_free(&s);
    zoo_free(&g);
    context_done(ctx);
}

/* Objects may outlive the context that they were made with: so does the device. */
static void outlives_its_context(void **state) {
    (void)state;
    meguri_ctx *ctx = device_context(NULL, 0), *other = context_with(1);
    zoo_graph g = shape_kronecker(other, 8, 8);
    meguri_build_options o = {.size = sizeof o, .direction = MEGURI_UNDIRECTED};
    subject s = subject_from_zoo(other, &g, &o);
    meguri_bfs_options options = {
        .size = sizeof options, .max_depth = UINT32_MAX, .levels = 1, .parents = 1, .engine = MEGURI_ENGINE_DEVICE};
    meguri_bfs_search *search;
    const meguri_result *result;
    assert_int_equal(meguri_bfs_search_new(&search, ctx, s.graph, &options), MEGURI_OK);
    meguri_ctx_free(ctx);
    assert_int_equal(meguri_bfs_search_run(&result, other, search, 1), MEGURI_OK);
    check_result(other, &s, 1, &options, result);
    meguri_bfs_search_free(search);
    subject_free(&s);
    zoo_free(&g);
    context_done(other);
}

/* A budget that leaves no room for all arcs of a step: slices. */
static void little_memory(void **state) {
    (void)state;
    meguri_ctx *ctx = device_context(NULL, 0);
    zoo_graph g = shape_kronecker(ctx, 14, 8);
    meguri_build_options o = {.size = sizeof o, .direction = MEGURI_UNDIRECTED};
    subject s = subject_from_zoo(ctx, &g, &o);
    meguri_bfs_options options = {.size = sizeof options,
                                  .max_depth = UINT32_MAX,
                                  .levels = 1,
                                  .parents = 1,
                                  .policy = MEGURI_BFS_PUSH,
                                  .engine = MEGURI_ENGINE_DEVICE,
                                  .split_device = 1};
    mg_device *d;
    assert_int_equal(mg_device_get(&d, ctx), MEGURI_OK);
    for (d->memory = 2 << 20;; d->memory += 1 << 16) {
        uint64_t launches = d->launches, sent = d->sent;
        check_search(ctx, &s, plain_hub(&s.plain), &options);
        bool whole = d->sent - sent < 5 * s.plain.arcs + 20 * s.plain.vertices && d->launches - launches > 2 * 10;
        if (whole) break;
        assert_true(d->memory < 8 << 20);
    }
    assert_true(d->peak <= d->memory);
    assert_int_equal(d->used, 0);
    subject_free(&s);
    zoo_free(&g);
    context_done(ctx);
}

static void lost(void **state) {
    (void)state;
    meguri_ctx *ctx = faulty_context();
    zoo_graph g = shape_kronecker(ctx, 8, 8);
    meguri_build_options o = {.size = sizeof o, .direction = MEGURI_DIRECTED};
    forced f = {.s = subject_from_zoo(ctx, &g, &o),
                .options = {.size = sizeof f.options,
                            .max_depth = UINT32_MAX,
                            .levels = 1,
                            .parents = 1,
                            .policy = MEGURI_BFS_FORCED,
                            .directions = ">><>",
                            .engine = MEGURI_ENGINE_DEVICE}};
    for (f.options.split_device = 1; f.options.split_host < 2; f.options.split_host++)
        fail_each_call(ctx, search_once, &f);
    subject_free(&f.s);
    zoo_free(&g);
    context_done(ctx);
}

/* Memory of the host. */
static void no_memory(void **state) {
    (void)state;
    meguri_ctx *ctx = device_context(NULL, 0);
    zoo_graph g = shape_kronecker(ctx, 8, 8);
    meguri_build_options o = {.size = sizeof o, .direction = MEGURI_UNDIRECTED};
    subject s = subject_from_zoo(ctx, &g, &o);
    meguri_bfs_options options = {
        .size = sizeof options, .max_depth = UINT32_MAX, .levels = 1, .parents = 1, .engine = MEGURI_ENGINE_DEVICE};
    uint64_t before = meguri_ctx_memory_used(ctx);
    meguri_status status = MEGURI_NO_MEMORY;
    check_search(ctx, &s, 1, &options);
    for (uint64_t k = 1; status != MEGURI_OK; k++) {
        meguri_result *result;
        mg_memory_fail_at(ctx, k);
        status = meguri_bfs(&result, ctx, s.graph, 1, &options);
        mg_memory_fail_at(ctx, 0);
        if (status != MEGURI_OK) assert_int_equal(status, MEGURI_NO_MEMORY);
        meguri_result_free(result);
        assert_int_equal(meguri_ctx_memory_used(ctx), before);
    }
    subject_free(&s);
    zoo_free(&g);
    context_done(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_zoo),       cmocka_unit_test(handle),
                                       cmocka_unit_test(shares),        cmocka_unit_test(outlives_its_context),
                                       cmocka_unit_test(little_memory), cmocka_unit_test(lost),
                                       cmocka_unit_test(no_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
