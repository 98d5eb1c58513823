/* Shortest paths on a device that is smaller than the graph (strategies settle and near-far), against Dijkstra's search
 * of plain arrays: shapes and every kind of weight in tiny parts; what is sent; a device that is lost, or has too
 * little memory; strategies that need the whole graph; rounds of the host; several devices. */
#define _GNU_SOURCE
#include "algo/sssp/sssp_device.h"
#include "algo_sssp/routing.h"
#include "support/device.h"
#include "support/sanitized.h"
#include <math.h>

#include <meguri.h>

/* The device alone; the host has rounds where a test says so. */
static const meguri_sssp_options settle = {.size = sizeof settle,
                                           .parents = 1,
                                           .max_cost = (double)INFINITY,
                                           .engine = MEGURI_ENGINE_DEVICE,
                                           .strategy = MEGURI_SSSP_SETTLE,
                                           .split_device = 1},
                                 near_far = {.size = sizeof near_far,
                                             .parents = 1,
                                             .max_cost = (double)INFINITY,
                                             .engine = MEGURI_ENGINE_DEVICE,
                                             .strategy = MEGURI_SSSP_NEAR_FAR,
                                             .split_device = 1};

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
            if (n) check_sssp(ctx, &r, plain_hub(&r.subject.plain), &near_far);
            meguri_sssp_options narrow = near_far; /* many steps, and no parents */
            narrow.delta = 1 + (double)(zoo_random(&seed) % 50);
            narrow.parents = !(turn % 2);
            if (n) check_sssp(ctx, &r, zoo_random(&seed) % n, &narrow);
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

/* Near and far goes in parts where the graph does not fit, and as a whole where it does: the same answer. Nothing is on
 * the device beyond its budget, and the rows of every reached vertex are sent, at least once and a few times. */
static void near_far_in_parts(void **state) {
    (void)state;
    static const weighing kinds[] = {WEIGH_BYTES, WEIGH_TENTHS, WEIGH_FEW};
    meguri_ctx *ctx = device_context(NULL, 0);
    mg_device *d = device_of(ctx);
    const uint64_t all = d->memory;
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        zoo_graph g = shape_kronecker(ctx, UNDER_ASAN ? 9 : 10, 32);
        weigh(&g, kinds[i], 3);
        meguri_build_options o = {.size = sizeof o, .direction = MEGURI_UNDIRECTED};
        roads r = roads_from_zoo(ctx, &g, &o);
        uint64_t source = plain_hub(&r.subject.plain), weight = kinds[i] == WEIGH_TENTHS ? 8 : 1;
        for (int turn = 0; turn < 2; turn++) {
            const meguri_result *result;
            meguri_fact parts = {.size = sizeof parts};
            meguri_sssp_search *search;
            if (turn) set_memory(ctx, &r, 48 << 10);
            else d->memory = all;
            d->peak = d->used;
            assert_int_equal(meguri_sssp_search_new(&search, ctx, r.subject.graph, &near_far), MEGURI_OK);
            uint64_t sent = d->sent;
            assert_int_equal(meguri_sssp_search_run(&result, ctx, search, source), MEGURI_OK);
            check_route(ctx, &r, source, &near_far, result);
            assert_int_equal(meguri_result_fact(&parts, result, "parts"), turn ? MEGURI_OK : MEGURI_NOT_FOUND);
            if (turn) assert_true(parts.number > 1 && d->sent - sent >= r.subject.plain.arcs / 2 * (4 + weight));
            else assert_true(d->sent - sent < 4096);
            meguri_sssp_search_free(search);
            assert_true(d->peak <= d->memory);
            assert_int_equal(d->used, 0);
        }
        roads_free(&r);
        zoo_free(&g);
    }
    context_done(ctx);
}

/* Rounds of the host: to a device that is taken for free what is known goes soon, and comes back at the end; else all
 * rounds of such small graphs are the host's. */
static void rounds_of_the_host(void **state) {
    (void)state;
    meguri_ctx *ctx = device_context(NULL, 0);
    uint64_t seed = 9;
    for (int turn = 0; turn < (UNDER_ASAN ? 8 : 24); turn++) {
        zoo_graph g = turn % 4 ? shape_random(&seed, 1200) : shape_kronecker(ctx, 9, 16);
        weigh(&g, (weighing)(turn % WEIGHINGS), zoo_random(&seed));
        meguri_build_options o = {.size = sizeof o, .direction = (meguri_direction)(1 + turn % 2)};
        roads r = roads_from_zoo(ctx, &g, &o);
        for (int strategy = 0; strategy < 2 && r.subject.plain.arcs; strategy++) {
            meguri_sssp_options options = strategy ? near_far : settle;
            meguri_sssp_search *search;
            const meguri_result *result;
            options.split_device = 0;
            set_memory(ctx, &r, 64 << 10);
            device_of(ctx)->memory = strategy ? 36 * r.subject.plain.vertices + 4096 : device_of(ctx)->memory;
            uint64_t source = plain_hub(&r.subject.plain);
            if (meguri_sssp_search_new(&search, ctx, r.subject.graph, &options) != MEGURI_OK) continue; /* no room */
            for (int move = 0; move < 2; move++) {
                mg_sssp_device *s = (mg_sssp_device *)search;
                s->here.paces[0] = move ? 1e-30 : 1e3;
                s->here.paces[1] = 1e-9;
                assert_int_equal(meguri_sssp_search_run(&result, ctx, search, source), MEGURI_OK);
                check_route(ctx, &r, source, &options, result);
                if (!s->in_parts) continue;
                const uint64_t here = fact_of(result, "host_edges"), all = fact_of(result, "edges");
                if (!move) assert_int_equal(here, all);
                if (!move) assert_int_equal(fact_of(result, "sent_bytes"), 0);
                if (move && !turn) assert_true(here > 0 && here < all && fact_of(result, "sent_bytes") > 0);
            }
            meguri_sssp_search_free(search);
        }
        roads_free(&r);
        zoo_free(&g);
    }
    context_done(ctx);
}

/* Each device has its share of the arcs, to a tenth; all rounds are theirs, or the smallest the host's. */
static void several_devices(void **state) {
    (void)state;
    meguri_ctx *ctx = device_context("0,0", 0);
    uint64_t seed = 11;
    for (int turn = 0; turn < (UNDER_ASAN ? 4 : 14); turn++) {
        zoo_graph g = turn ? shape_random(&seed, 1000) : shape_kronecker(ctx, 9, 16);
        weigh(&g, (weighing)(turn % WEIGHINGS), zoo_random(&seed));
        meguri_build_options o = {.size = sizeof o, .direction = (meguri_direction)(1 + turn % 2)};
        roads r = roads_from_zoo(ctx, &g, &o);
        uint64_t n = r.subject.plain.vertices, source = n ? plain_hub(&r.subject.plain) : 0;
        for (int strategy = 0; strategy < 2 && n; strategy++) {
            meguri_sssp_options options = strategy ? near_far : settle;
            meguri_result *result;
            assert_int_equal(meguri_sssp(&result, ctx, r.subject.graph, source, &options), MEGURI_OK);
            check_route(ctx, &r, source, &options, result);
            assert_int_equal(fact_of(result, "devices"), 2);
            assert_int_equal(fact_of(result, "host_edges"), 0);
            double share = (double)r.subject.graph->arcs / 2, most = (double)fact_of(result, "device_arcs");
            if (!turn) assert_true(most <= 1.1 * share && most >= 0.9 * share);
            meguri_result_free(result);
            options.split_device = 0;
            check_sssp(ctx, &r, zoo_random(&seed) % n, &options);
        }
        roads_free(&r);
        zoo_free(&g);
    }
    zoo_graph g = shape_kronecker(ctx, 8, 8);
    meguri_build_options o = {.size = sizeof o};
    subject s = subject_from_zoo(ctx, &g, &o);
    meguri_sssp_options all = settle;
    meguri_result *result;
    all.strategy = MEGURI_SSSP_ALL;
    assert_int_equal(meguri_sssp(&result, ctx, s.graph, 1, &all), MEGURI_ENGINE_FAILED);
    assert_non_null(strstr(meguri_ctx_error(ctx), "near-far and settle share it among several"));
    subject_free(&s);
    zoo_free(&g);
    context_done(ctx);
}

/* Where the whole graph is needed a sentence says which strategies do not. */
static void strategies_of_whole_graphs(void **state) {
    (void)state;
    meguri_ctx *ctx = device_context(NULL, 0);
    zoo_graph g = shape_kronecker(ctx, 8, 32);
    weigh(&g, WEIGH_BYTES, 3);
    meguri_build_options o = {.size = sizeof o, .direction = MEGURI_UNDIRECTED};
    roads r = roads_from_zoo(ctx, &g, &o);
    set_memory(ctx, &r, 16 << 10);
    for (int strategy = MEGURI_SSSP_ALL; strategy <= MEGURI_SSSP_ADAPTIVE; strategy++) {
        meguri_sssp_options options = settle;
        meguri_result *result;
        options.strategy = (meguri_sssp_strategy)strategy;
        assert_int_equal(meguri_sssp(&result, ctx, r.subject.graph, 1, &options), MEGURI_NO_MEMORY);
        assert_non_null(strstr(meguri_ctx_error(ctx), "near-far and settle take it in parts"));
    }
    roads_free(&r);
    zoo_free(&g);
    context_done(ctx);
}

typedef struct attempt {
    const roads *roads;
    const meguri_sssp_options *options;
} attempt;

static meguri_status search_once(meguri_ctx *ctx, void *what) {
    const attempt *a = what;
    meguri_result *result;
    meguri_status status = meguri_sssp(&result, ctx, a->roads->subject.graph, 1, a->options);
    if (status != MEGURI_OK) assert_null(result);
    else check_route(ctx, a->roads, 1, a->options, result);
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
    mg_device *d = device_of(ctx);
    for (int turn = 0; turn < 2; turn++) {
        attempt a = {&r, turn ? &near_far : &settle};
        bool enough = false;
        set_memory(ctx, &r, 16 << 10);
        if (!turn || !UNDER_ASAN) fail_each_call(ctx, search_once, &a);
        for (d->memory = 16; d->memory < 1 << 18; d->memory += d->memory / 3) {
            meguri_status status = search_once(ctx, &a);
            assert_int_equal(d->used, 0);
            if (status != MEGURI_OK) assert_non_null(strstr(meguri_ctx_error(ctx), "not enough memory on the device"));
            assert_true(!enough || status == MEGURI_OK);
            enough = status == MEGURI_OK;
        }
        assert_true(enough);
    }
    roads_free(&r);
    zoo_free(&g);
    context_done(ctx);
}

/* What was estimated without the graph beside what a search of it does. */
static void estimated(void **state) {
    (void)state;
    static const weighing kinds[] = {WEIGH_BYTES, WEIGH_TENTHS};
    static const meguri_type types[] = {MEGURI_TYPE_U8, MEGURI_TYPE_F64};
    meguri_ctx *ctx = device_context(NULL, 0);
    mg_device *d = device_of(ctx);
    const uint64_t all = d->memory, n = 3000;
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        zoo_graph g = {.name = "uniform", .vertices = n};
        uint64_t seed = 7;
        for (uint64_t k = 0; k < 30 * n; k++) shape_add(&g, zoo_random(&seed) % n, zoo_random(&seed) % n);
        weigh(&g, kinds[i], 3);
        meguri_build_options o = {.size = sizeof o, .direction = MEGURI_DIRECTED};
        roads r = roads_from_zoo(ctx, &g, &o);
        const uint64_t arcs = r.subject.plain.arcs;
        const uint64_t memory[] = {all, 1 << 20, 512 << 10, 256 << 10, 128 << 10, 32 << 10};
        for (size_t m = 0; m < COUNT_OF(memory); m++) {
            meguri_sssp_fit fit = {.size = sizeof fit};
            meguri_result *result;
            meguri_fact parts = {.size = sizeof parts};
            d->memory = memory[m];
            assert_int_equal(meguri_sssp_device_fit(&fit, ctx, n, arcs, types[i]), MEGURI_OK);
            assert_int_equal(fit.memory, memory[m]);
            meguri_status status = meguri_sssp(&result, ctx, r.subject.graph, 1, &near_far);
            assert_int_equal(status, fit.parts ? MEGURI_OK : MEGURI_NO_MEMORY);
            if (!fit.parts) {
                assert_true(m > 3);
                continue;
            }
            bool whole = meguri_result_fact(&parts, result, "parts") == MEGURI_NOT_FOUND;
            assert_int_equal(whole, fit.parts == 1);
            assert_true(whole == (fit.whole <= memory[m]));
            int64_t more = (int64_t)parts.number - (int64_t)fit.parts; /* rows are not cut */
            if (!whole) assert_true(llabs(more) <= (int64_t)(1 + fit.parts / 8));
            meguri_result_free(result);
        }
        d->memory = all;
        roads_free(&r);
        zoo_free(&g);
    }
    context_done(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_and_weights), cmocka_unit_test(bytes_sent),
        cmocka_unit_test(near_far_in_parts),  cmocka_unit_test(rounds_of_the_host),
        cmocka_unit_test(several_devices),    cmocka_unit_test(strategies_of_whole_graphs),
        cmocka_unit_test(lost_or_small),      cmocka_unit_test(estimated)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
