/* Shortest paths on a device that is smaller than the graph (strategy settle), against Dijkstra's search of plain
 * arrays: shapes and every kind of weight in tiny parts; what is sent; a device that is lost, or has too little memory.
 */
#define _GNU_SOURCE
#include "algo_sssp/routing.h"
#include "support/device.h"
#include "support/sanitized.h"

#include <meguri.h>

static const meguri_sssp_options settle = {
    .size = sizeof settle, .engine = MEGURI_ENGINE_DEVICE, .strategy = MEGURI_SSSP_SETTLE};

static mg_device *device_of(meguri_ctx *ctx) {
    mg_device *d;
    assert_int_equal(mg_device_get(&d, ctx), MEGURI_OK);
    return d;
}

/* What such a search has on the device in any case, and `more` for the parts. */
static void set_memory(meguri_ctx *ctx, const roads *r, uint64_t more) {
    device_of(ctx)->memory = 36 * r->subject.plain.vertices + 8192 + more;
}

static void shapes_and_weights(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(device_sizes); i += 2) {
        meguri_ctx *ctx = context_of_size(i);
        uint64_t seed = 5 + i;
        for (int turn = 0; turn < (UNDER_ASAN ? 4 : 14); turn++) {
            zoo_graph g = shape_random(&seed, 1500);
            weigh(&g, (weighing)(zoo_random(&seed) % WEIGHINGS), zoo_random(&seed));
            meguri_build_options o = {.size = sizeof o,
                                      .direction = (meguri_direction)(1 + turn % 2),
                                      .order = (meguri_order)(1 + zoo_random(&seed) % 3),
                                      .keep_loops = zoo_random(&seed) % 2};
            roads r = roads_from_zoo(ctx, &g, &o);
            set_memory(ctx, &r, 64 << 10);
            uint64_t n = r.subject.plain.vertices;
            if (n) check_sssp(ctx, &r, zoo_random(&seed) % n, &settle);
            if (n) check_sssp(ctx, &r, plain_hub(&r.subject.plain), &settle);
            roads_free(&r);
            zoo_free(&g);
        }
        context_done(ctx);
    }
}

/* Rows of 100 arcs: every row is sent once, and little beside it, whatever the size of parts. */
static void bytes_sent(void **state) {
    (void)state;
    meguri_ctx *ctx = device_context(NULL, 0);
    uint64_t seed = 5, n = 2000;
    zoo_graph g = {.name = "uniform", .vertices = n};
    for (uint64_t i = 0; i < 100 * n; i++) shape_add(&g, zoo_random(&seed) % n, zoo_random(&seed) % n);
    weigh(&g, WEIGH_WORDS, 3);
    meguri_build_options o = {.size = sizeof o, .direction = MEGURI_DIRECTED};
    roads r = roads_from_zoo(ctx, &g, &o);
    mg_device *d = device_of(ctx);
    uint64_t rows = r.subject.plain.arcs * 8;
    for (uint64_t part = rows / 16; part <= rows / 2; part *= 2) {
        set_memory(ctx, &r, 2 * part);
        d->peak = d->used;
        meguri_sssp_search *search;
        const meguri_result *result;
        assert_int_equal(meguri_sssp_search_new(&search, ctx, r.subject.graph, &settle), MEGURI_OK);
        for (int turn = 0; turn < 3; turn++) {
            uint64_t source = zoo_random(&seed) % n, sent = d->sent;
            assert_int_equal(meguri_sssp_search_run(&result, ctx, search, source), MEGURI_OK);
            if (turn)
                assert_true(d->sent - sent >= rows && d->sent - sent <= rows + rows / 10); /* first: again in 64 */
            check_route(ctx, &r, source, &settle, result);
        }
        meguri_sssp_search_free(search);
        assert_true(d->peak <= d->memory);
        assert_int_equal(d->used, 0);
    }
    roads_free(&r);
    zoo_free(&g);
    context_done(ctx);
}

static meguri_status search_once(meguri_ctx *ctx, void *what) {
    const roads *r = what;
    meguri_result *result;
    meguri_status status = meguri_sssp(&result, ctx, r->subject.graph, 1, &settle);
    if (status != MEGURI_OK) assert_null(result);
    else check_route(ctx, r, 1, &settle, result);
    meguri_result_free(result);
    return status;
}

static void lost_or_small(void **state) {
    (void)state;
    meguri_ctx *ctx = faulty_context();
    zoo_graph g = shape_kronecker(ctx, 8, 8);
    weigh(&g, WEIGH_BYTES, 1);
    meguri_build_options o = {.size = sizeof o, .direction = MEGURI_UNDIRECTED};
    roads r = roads_from_zoo(ctx, &g, &o);
    set_memory(ctx, &r, 40 << 10);
    fail_each_call(ctx, search_once, &r);
    mg_device *d = device_of(ctx);
    bool enough = false;
    for (d->memory = 16; d->memory < 1 << 18; d->memory += d->memory / 3) {
        meguri_status status = search_once(ctx, &r);
        assert_int_equal(d->used, 0);
        if (status != MEGURI_OK) assert_non_null(strstr(meguri_ctx_error(ctx), "not enough memory on the device"));
        assert_true(!enough || status == MEGURI_OK);
        enough = status == MEGURI_OK;
    }
    assert_true(enough);
    roads_free(&r);
    zoo_free(&g);
    context_done(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(shapes_and_weights), cmocka_unit_test(bytes_sent),
                                       cmocka_unit_test(lost_or_small)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
