/* Breadth-first search on a device that is smaller than the graph: the zoo in tiny parts, what is sent, rows longer
 * than any part; a device that is lost, or has too little memory even so. */
#define _GNU_SOURCE
#include "algo_bfs/on_device.h"

#include <meguri.h>

static mg_device *device_of(meguri_ctx *ctx) {
    mg_device *d;
    assert_int_equal(mg_device_get(&d, ctx), MEGURI_OK);
    return d;
}

/* What a search in parts has on the device in any case, and `more` for the parts. */
static uint64_t memory_for(const plain *p, uint64_t more) { return 14 * p->vertices + 8192 + more; }

static void tiny_memory(meguri_ctx *ctx, const subject *s) { device_of(ctx)->memory = memory_for(&s->plain, 40 << 10); }

static void the_zoo(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(device_sizes); i += 2) {
        meguri_ctx *ctx = context_of_size(i);
        uint64_t seed = 17 + i;
        zoo_graph g;
        for (int index = 0; zoo_get(&g, index); index++) {
            if (!g.weights && g.count < 20000) search_both_ways(ctx, &g, &seed, 1, tiny_memory);
            zoo_free(&g);
        }
        for (int index = 0; shape_get(&g, index, 1000); index++) {
            search_both_ways(ctx, &g, &seed, 2, tiny_memory);
            zoo_free(&g);
        }
        for (int turn = 0; turn < (UNDER_ASAN ? 5 : 12); turn++) {
            g = shape_random(&seed, 2000);
            search_both_ways(ctx, &g, &seed, 2, tiny_memory);
            zoo_free(&g);
        }
        context_done(ctx);
    }
}

/* Uniform rows of 100 arcs: pushes send every row once and little beside it, whatever the size of parts; the memory
 * that was allowed is not exceeded, and nothing of the graph stays there. */
static void bytes_sent(void **state) {
    (void)state;
    meguri_ctx *ctx = device_context(NULL, 0);
    uint64_t seed = 5, n = 2000;
    zoo_graph g = {.name = "uniform", .vertices = n};
    for (uint64_t i = 0; i < 100 * n; i++) shape_add(&g, zoo_random(&seed) % n, zoo_random(&seed) % n);
    meguri_build_options o = {.size = sizeof o, .direction = MEGURI_DIRECTED};
    subject s = subject_from_zoo(ctx, &g, &o);
    meguri_bfs_options options = {.size = sizeof options,
                                  .max_depth = UINT32_MAX,
                                  .levels = 1,
                                  .parents = 1,
                                  .policy = MEGURI_BFS_PUSH,
                                  .engine = MEGURI_ENGINE_DEVICE,
                                  .split_device = 1};
    mg_device *d = device_of(ctx);
    uint64_t rows = s.plain.arcs * 4;
    for (uint64_t part = rows / 16; part <= rows / 2; part *= 2) {
        d->memory = memory_for(&s.plain, 2 * part);
        d->peak = d->used;
        meguri_bfs_search *search;
        const meguri_result *result;
        assert_int_equal(meguri_bfs_search_new(&search, ctx, s.graph, &options), MEGURI_OK);
        for (int turn = 0; turn < 3; turn++) {
            uint64_t sent = d->sent, source = zoo_random(&seed) % n;
            assert_int_equal(meguri_bfs_search_run(&result, ctx, search, source), MEGURI_OK);
            check_result(ctx, &s, source, &options, result);
            assert_true(d->sent - sent <= rows + rows / 10);
            if (turn == 0)
                assert_true(d->sent - sent >= rows / 2); /* the last level has nothing to find, and is not left */
        }
        meguri_bfs_search_free(search);
        assert_true(d->peak <= d->memory);
        assert_int_equal(d->used, 0);
    }
    subject_free(&s);
    zoo_free(&g);
    context_done(ctx);
}

/* A star whose hub has more arcs than a part has room for. */
static void long_rows(void **state) {
    (void)state;
    meguri_ctx *ctx = device_context(NULL, 0);
    zoo_graph g = {.name = "wheel", .vertices = 20000};
    for (uint64_t v = 1; v < g.vertices; v++) {
        shape_add(&g, 0, v);
        shape_add(&g, v, 1 + v % (g.vertices - 1));
    }
    uint64_t seed = 3;
    search_both_ways(ctx, &g, &seed, WAYS, tiny_memory);
    assert_true(device_of(ctx)->launches > 20);
    zoo_free(&g);
    context_done(ctx);
}

/* A sentence, or the answer. */
static void from_nothing_to_enough(void **state) {
    (void)state;
    meguri_ctx *ctx = device_context(NULL, 0);
    zoo_graph g = shape_kronecker(ctx, 9, 8);
    meguri_build_options o = {.size = sizeof o, .direction = MEGURI_UNDIRECTED};
    subject s = subject_from_zoo(ctx, &g, &o);
    meguri_bfs_options options = {.size = sizeof options,
                                  .max_depth = UINT32_MAX,
                                  .levels = 1,
                                  .parents = 1,
                                  .engine = MEGURI_ENGINE_DEVICE,
                                  .split_device = 1};
    mg_device *d = device_of(ctx);
    bool enough = false;
    for (d->memory = 16; d->memory < 1 << 20; d->memory += d->memory / 4) {
        meguri_result *result;
        meguri_status status = meguri_bfs(&result, ctx, s.graph, plain_hub(&s.plain), &options);
        assert_int_equal(d->used, 0);
        if (status == MEGURI_OK) check_result(ctx, &s, plain_hub(&s.plain), &options, result);
        else assert_non_null(strstr(meguri_ctx_error(ctx), "not enough memory on the device"));
        if (status != MEGURI_OK) assert_int_equal(status, MEGURI_NO_MEMORY);
        assert_true(!enough || status == MEGURI_OK);
        enough = status == MEGURI_OK;
        meguri_result_free(result);
    }
    assert_true(enough);
    assert_true(d->peak <= d->memory);
    subject_free(&s);
    zoo_free(&g);
    context_done(ctx);
}

/* Each call of OpenCL fails in turn: while a search is opened, and while one runs that goes on when the device is there
 * again. */
static void lost(void **state) {
    (void)state;
    meguri_ctx *ctx = faulty_context();
    zoo_graph g = shape_kronecker(ctx, 8, 8);
    meguri_build_options o = {.size = sizeof o, .direction = MEGURI_UNDIRECTED};
    forced f = {.s = subject_from_zoo(ctx, &g, &o),
                .options = {.size = sizeof f.options,
                            .max_depth = UINT32_MAX,
                            .levels = 1,
                            .parents = 1,
                            .policy = MEGURI_BFS_FORCED,
                            .directions = ">><>",
                            .engine = MEGURI_ENGINE_DEVICE,
                            .split_device = 1}};
    tiny_memory(ctx, &f.s);
    fail_each_call(ctx, search_once, &f);
    meguri_bfs_search *search;
    const meguri_result *result;
    assert_int_equal(meguri_bfs_search_new(&search, ctx, f.s.graph, &f.options), MEGURI_OK);
    meguri_status status = MEGURI_ENGINE_FAILED;
    for (uint64_t k = 1; status != MEGURI_OK; k++) {
        faulty.calls = 0;
        faulty.fail_at = k;
        faulty.for_good = false;
        faulty.code = CL_DEVICE_NOT_AVAILABLE;
        status = meguri_bfs_search_run(&result, ctx, search, 1);
        faulty.fail_at = 0;
        if (status != MEGURI_OK) assert_int_equal(status, MEGURI_ENGINE_FAILED);
    }
    check_result(ctx, &f.s, 1, &f.options, result);
    meguri_bfs_search_free(search);
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
    meguri_bfs_options options = {.size = sizeof options,
                                  .max_depth = UINT32_MAX,
                                  .levels = 1,
                                  .parents = 1,
                                  .engine = MEGURI_ENGINE_DEVICE,
                                  .split_device = 1};
    tiny_memory(ctx, &s);
    uint64_t before = meguri_ctx_memory_used(ctx);
    meguri_status status = MEGURI_NO_MEMORY;
    for (uint64_t k = 1; status != MEGURI_OK; k++) {
        meguri_result *result;
        mg_memory_fail_at(ctx, k);
        status = meguri_bfs(&result, ctx, s.graph, 1, &options);
        mg_memory_fail_at(ctx, 0);
        if (status != MEGURI_OK) assert_int_equal(status, MEGURI_NO_MEMORY);
        meguri_result_free(result);
        assert_int_equal(meguri_ctx_memory_used(ctx), before);
        assert_int_equal(device_of(ctx)->used, 0);
    }
    subject_free(&s);
    zoo_free(&g);
    context_done(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_zoo),   cmocka_unit_test(bytes_sent),
                                       cmocka_unit_test(long_rows), cmocka_unit_test(from_nothing_to_enough),
                                       cmocka_unit_test(lost),      cmocka_unit_test(no_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
