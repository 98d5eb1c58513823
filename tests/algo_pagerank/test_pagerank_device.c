/* PageRank on a device, against the plain one: the zoo, shapes, rows of any length, teams and groups of several sizes,
 * the same bits each time, also in parts and on several devices; a device that is lost, has too little memory, or no
 * numbers of 64 bits. */
#define _GNU_SOURCE
#include "algo_pagerank/ranking.h"
#include "support/device.h"
#include "support/sanitized.h"

#include <meguri.h>

static const meguri_pagerank_options ways[] = {
    {.size = sizeof ways[0], .tiles = 1, .engine = MEGURI_ENGINE_DEVICE, .damping = 0.85, .tolerance = 1e-9},
    {.size = sizeof ways[0], .tiles = 1, .engine = MEGURI_ENGINE_DEVICE, .damping = 0.85, .iterations = 1},
    {.size = sizeof ways[0], .tiles = 1, .engine = MEGURI_ENGINE_DEVICE, .damping = 0.5, .iterations = 7},
    {.size = sizeof ways[0], .tiles = 1, .engine = MEGURI_ENGINE_DEVICE, .damping = 0.85, .tolerance = 1e-4},
};

static void rank_twice(meguri_ctx *ctx, const subject *s, const meguri_pagerank_options *options) {
    uint64_t n = s->plain.vertices;
    meguri_result *first = NULL, *again = NULL;
    check_ranking(&first, ctx, s, options);
    assert_int_equal(meguri_pagerank(&again, ctx, s->graph, options), MEGURI_OK);
    assert_memory_equal(ranks_of(first, n), ranks_of(again, n), n * sizeof(double));
    meguri_fact engine = {.size = sizeof engine};
    assert_int_equal(meguri_result_fact(&engine, first, "engine"), MEGURI_OK);
    assert_string_equal(engine.text, "device");
    meguri_result_free(first);
    meguri_result_free(again);
}

static void rank_both(meguri_ctx *ctx, const zoo_graph *g, uint64_t *seed) {
    for (int direction = MEGURI_DIRECTED; direction <= MEGURI_UNDIRECTED; direction++) {
        meguri_build_options o = {.size = sizeof o,
                                  .direction = (meguri_direction)direction,
                                  .order = 1 + zoo_random(seed) % 3,
                                  .duplicates = zoo_random(seed) % 2 ? MEGURI_DUPLICATES_KEEP : MEGURI_DUPLICATES_MIN,
                                  .keep_loops = zoo_random(seed) % 2};
        subject s = ranked_from_zoo(ctx, g, &o);
        rank_twice(ctx, &s, &ways[zoo_random(seed) % COUNT_OF(ways)]);
        subject_free(&s);
    }
}

static void the_zoo(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(device_sizes); i++) {
        meguri_ctx *ctx = context_of_size(i);
        uint64_t seed = 5 + i;
        zoo_graph g;
        for (int index = 0; zoo_get(&g, index); index++) {
            if (!g.weights && g.count < 50000 && ONE_OF(4, index)) rank_both(ctx, &g, &seed);
            zoo_free(&g);
        }
        for (int index = 0; shape_get(&g, index, 2000); index++) {
            if (ONE_OF(4, index)) rank_both(ctx, &g, &seed);
            zoo_free(&g);
        }
        for (int turn = 0; turn < (UNDER_ASAN ? 5 : 12); turn++) {
            g = shape_random(&seed, 3000);
            rank_both(ctx, &g, &seed);
            zoo_free(&g);
        }
        context_done(ctx);
    }
}

/* Rows that fill a unit, are summed in one piece, or in several. */
static void rows_of_any_length(void **state) {
    (void)state;
    static const uint64_t lengths[] = {1, 63, 64, 511, 1023, 1024, 1025, 2047, 2048, 2049, 8193};
    for (size_t i = 0; i < COUNT_OF(device_sizes); i++) {
        meguri_ctx *ctx = context_of_size(i);
        zoo_graph g = {.name = "rows of any length"};
        for (size_t k = 0; k < COUNT_OF(lengths); k++)
            for (uint64_t from = 0; from < lengths[k]; from++) shape_add(&g, (from * 7 + k) % 9000, 100 * k);
        for (meguri_order order = MEGURI_ORDER_DEGREE; order <= MEGURI_ORDER_NONE; order++) {
            meguri_build_options o = {.size = sizeof o, .direction = MEGURI_DIRECTED, .order = order, .keep_loops = 1};
            subject s = ranked_from_zoo(ctx, &g, &o);
            rank_twice(ctx, &s, &ways[2]);
            subject_free(&s);
        }
        zoo_free(&g);
        context_done(ctx);
    }
}

/* Two launches for an iteration, three with long rows, and 16 bytes back. */
static void few_launches(void **state) {
    (void)state;
    meguri_ctx *ctx = device_context(NULL, 0);
    zoo_graph g = shape_kronecker(ctx, 12, 16);
    meguri_build_options o = {.size = sizeof o, .direction = MEGURI_UNDIRECTED};
    subject s = ranked_from_zoo(ctx, &g, &o);
    mg_device *d;
    assert_int_equal(mg_device_get(&d, ctx), MEGURI_OK);
    uint64_t launches = d->launches, received = d->received;
    check_ranking(NULL, ctx, &s, &ways[2]);
    assert_int_equal(d->launches - launches, 3 * ways[2].iterations);
    assert_int_equal(d->received - received, 16 * ways[2].iterations + 8 * s.graph->rows);
    assert_int_equal(d->used, 0);
    subject_free(&s);
    zoo_free(&g);
    context_done(ctx);
}

/* A graph larger than the device: what it has there in any case, and `more` for the parts. All arcs are sent in every
 * iteration, and little beside them. */
static void set_memory(mg_device *d, const subject *s, uint64_t more) {
    d->memory = d->used + 44 * s->plain.vertices + 8192 + more;
}

static void in_parts(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(device_sizes); i++) {
        meguri_ctx *ctx = context_of_size(i);
        mg_device *d;
        assert_int_equal(mg_device_get(&d, ctx), MEGURI_OK);
        for (int direction = MEGURI_DIRECTED; direction <= MEGURI_UNDIRECTED; direction++) {
            zoo_graph g = shape_kronecker(ctx, UNDER_ASAN ? 8 : 10, 48);
            meguri_build_options o = {.size = sizeof o, .direction = (meguri_direction)direction, .keep_loops = 1};
            subject s = ranked_from_zoo(ctx, &g, &o);
            set_memory(d, &s, s.plain.arcs / 2);
            d->peak = d->used;
            uint64_t sent = d->sent, rows = 4 * s.plain.arcs;
            rank_twice(ctx, &s, &ways[2]);
            sent = d->sent - sent;
            assert_true(sent >= 2 * 7 * rows && sent <= 2 * 8 * rows + 2 * 7 * 32 * s.plain.vertices);
            assert_true(d->peak <= d->memory);
            assert_int_equal(d->used, 0);
            subject_free(&s);
            zoo_free(&g);
        }
        context_done(ctx);
    }
}

/* ---- several devices -------------------------------------------------------------------------------------------- */

static void several(void **state) {
    (void)state;
    for (int turn = 0; turn < 2; turn++) {
        meguri_ctx *ctx = context_of_several(turn);
        uint64_t seed = 31 + (uint64_t)turn;
        zoo_graph g;
        for (int index = 0; shape_get(&g, index, 600); index++) {
            if (ONE_OF(3, index)) rank_both(ctx, &g, &seed);
            zoo_free(&g);
        }
        for (int k = 0; k < (UNDER_ASAN ? 2 : 6); k++) {
            g = shape_random(&seed, 1500);
            rank_both(ctx, &g, &seed);
            zoo_free(&g);
        }
        context_done(ctx);
    }
}

/* Each has its share of the arcs, to a tenth, on the device or in parts; what it sends are sums of its own rows. */
static void even_shares(void **state) {
    (void)state;
    meguri_ctx *ctx = context_of_two(0);
    mg_device *devices[MG_DEVICES_MOST];
    uint32_t count;
    assert_int_equal(mg_device_get_all(devices, &count, ctx), MEGURI_OK);
    zoo_graph g = shape_kronecker(ctx, UNDER_ASAN ? 9 : 11, 48);
    for (int k = 0; k < 4; k++) {
        meguri_build_options o = {.size = sizeof o, .direction = k % 2 ? MEGURI_DIRECTED : MEGURI_UNDIRECTED};
        subject s = ranked_from_zoo(ctx, &g, &o);
        meguri_result *result = NULL;
        const uint64_t whole = devices[0]->memory;
        uint64_t received = 0;
        for (uint32_t i = 0; i < count && k >= 2; i++) set_memory(devices[i], &s, s.plain.arcs / 4);
        for (uint32_t i = 0; i < count; i++) received -= devices[i]->received;
        check_ranking(&result, ctx, &s, &ways[2]);
        for (uint32_t i = 0; i < count; i++) received += devices[i]->received;
        assert_true(received <= ways[2].iterations * 8 * (s.graph->rows + 1));
        expect_halves(result, s.graph->arcs);
        assert_int_equal(fact_of(result, "parts") > 2, k >= 2);
        for (uint32_t i = 0; i < count; i++) {
            assert_int_equal(devices[i]->used, 0);
            devices[i]->memory = whole;
        }
        meguri_result_free(result);
        subject_free(&s);
    }
    zoo_free(&g);
    context_done(ctx);
}

/* ---- what goes wrong -------------------------------------------------------------------------------------------- */

static meguri_status rank(meguri_ctx *ctx, void *what) {
    const subject *s = what;
    meguri_result *result = (meguri_result *)1;
    meguri_status status = meguri_pagerank(&result, ctx, s->graph, &ways[2]);
    if (status != MEGURI_OK) assert_null(result);
    else {
        meguri_ctx *other = context_with(1);
        assert_int_equal(meguri_pagerank_check(other, s->graph, result, &ways[2]), MEGURI_OK);
        context_done(other);
    }
    meguri_result_free(result);
    return status;
}

/* A subject with long rows, of another context. */
static subject make_subject(meguri_ctx *maker) {
    zoo_graph g = shape_kronecker(maker, 11, 16);
    meguri_build_options o = {.size = sizeof o, .direction = MEGURI_DIRECTED};
    subject s = ranked_from_zoo(maker, &g, &o);
    mg_rows in;
    assert_int_equal(mg_graph_in_rows(&in, maker, s.graph), MEGURI_OK);
    zoo_free(&g);
    return s;
}

/* One device, or two; with room for all rows, and in parts. */
static void lost(void **state) {
    (void)state;
    static const char *const lists[] = {"0", "0,0"};
    for (size_t i = 0; i < COUNT_OF(lists); i++) {
        meguri_ctx *ctx = faulty_context_of(lists[i]), *maker = context_with(2);
        mg_device *devices[MG_DEVICES_MOST];
        uint32_t count;
        subject s = make_subject(maker);
        fail_each_call(ctx, rank, &s);
        assert_int_equal(mg_device_get_all(devices, &count, ctx), MEGURI_OK);
        for (uint32_t k = 0; k < count; k++) set_memory(devices[k], &s, s.plain.arcs / 2 / count);
        fail_each_call(ctx, rank, &s);
        subject_free(&s);
        context_done(ctx);
        context_done(maker);
    }
}

static void no_memory(void **state) {
    (void)state;
    meguri_ctx *ctx = device_context(NULL, 0), *maker = context_with(2);
    subject s = make_subject(maker);
    mg_device *d;
    assert_int_equal(rank(ctx, &s), MEGURI_OK);
    assert_true(fail_each_allocation(ctx, rank, &s, LEAVES_NOTHING) >= 4);
    assert_int_equal(mg_device_get(&d, ctx), MEGURI_OK);
    uint64_t whole = d->peak;
    bool enough = false;
    for (d->memory = 1000; d->memory < whole; d->memory = d->memory * 3 / 2) { /* none, then in parts */
        meguri_status status = rank(ctx, &s);
        assert_int_equal(d->used, 0);
        if (status != MEGURI_OK) assert_non_null(strstr(meguri_ctx_error(ctx), "not enough memory on the device"));
        assert_true(!enough || status == MEGURI_OK);
        enough = status == MEGURI_OK;
    }
    assert_true(enough);
    context_done(ctx);
    ctx = context_of_two(0);
    assert_int_equal(rank(ctx, &s), MEGURI_OK);
    assert_true(fail_each_allocation(ctx, rank, &s, LEAVES_NOTHING) >= 8);
    subject_free(&s);
    context_done(ctx);
    context_done(maker);
}

static void no_doubles(void **state) {
    (void)state;
    meguri_ctx *ctx = device_context(NULL, 0), *maker = context_with(2);
    subject s = make_subject(maker);
    mg_device *d;
    assert_int_equal(mg_device_get(&d, ctx), MEGURI_OK);
    d->doubles = false;
    expect_failure(ctx, rank(ctx, &s), MEGURI_ENGINE_FAILED, "has no numbers of 64 bits");
    subject_free(&s);
    context_done(ctx);
    context_done(maker);
}

/* Until somebody has enough: it would take minutes. */
static meguri_status rank_for_long(meguri_ctx *ctx, void *what) {
    meguri_pagerank_options options = ways[2];
    meguri_result *result;
    options.iterations = 1 << 20;
    return meguri_pagerank(&result, ctx, ((const subject *)what)->graph, &options);
}

static void cancelled(void **state) {
    (void)state;
    meguri_ctx *probe = device_context(NULL, 0), *maker = context_with(2);
    meguri_ctx_free(probe); /* skips */
    subject s = make_subject(maker);
    impatient user = {0};
    meguri_ctx *ctx = context_of(&user, 2);
    assert_int_equal(rank(ctx, &s), MEGURI_OK);
    for (uint64_t report = 1; report < 4; report++) cancel_at(ctx, &user, report, "pagerank", rank_for_long, &s);
    context_done(ctx);
    subject_free(&s);
    context_done(maker);
}

int main(void) {
    make_two_devices();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_zoo),      cmocka_unit_test(rows_of_any_length),
        cmocka_unit_test(few_launches), cmocka_unit_test(in_parts),
        cmocka_unit_test(several),      cmocka_unit_test(even_shares),
        cmocka_unit_test(lost),         cmocka_unit_test(no_memory),
        cmocka_unit_test(no_doubles),   cmocka_unit_test(cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
