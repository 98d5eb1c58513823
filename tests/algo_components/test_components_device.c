/* Connected components on a device, against a textbook union-find: the zoo, shapes, long ways to a root, rows of any
 * length, teams and groups of several sizes, in parts, on several devices; a device that is lost, or has too little
 * memory. */
#define _GNU_SOURCE
#include "algo_components/parting.h"
#include "support/device.h"
#include "support/sanitized.h"

#include <meguri.h>

static const meguri_components_options on_device = {.size = sizeof on_device, .engine = MEGURI_ENGINE_DEVICE};

/* The same components as the textbook, and as many edges looked at as on threads. */
static void part(meguri_ctx *ctx, const subject *s) {
    parts right = parts_of(&s->plain);
    uint64_t edges = check_parts(ctx, s, &right);
    meguri_result *result;
    if (meguri_components(&result, ctx, s->graph, &on_device) != MEGURI_OK) fail_msg("%s", meguri_ctx_error(ctx));
    check_parts_result(ctx, s, &right, result);
    meguri_fact engine = {.size = sizeof engine};
    assert_int_equal(meguri_result_fact(&engine, result, "engine"), MEGURI_OK);
    assert_string_equal(engine.text, "device");
    assert_int_equal(fact_of(result, "edges"), edges);
    meguri_result_free(result);
    parts_free(&right);
}

static void part_both(meguri_ctx *ctx, const zoo_graph *g, uint64_t *seed) {
    for (int direction = MEGURI_DIRECTED; direction <= MEGURI_UNDIRECTED; direction++) {
        meguri_build_options o = {.size = sizeof o,
                                  .direction = (meguri_direction)direction,
                                  .order = 1 + zoo_random(seed) % 3,
                                  .duplicates = zoo_random(seed) % 2 ? MEGURI_DUPLICATES_KEEP : MEGURI_DUPLICATES_MIN,
                                  .keep_loops = zoo_random(seed) % 2};
        subject s = subject_from_zoo(ctx, g, &o);
        part(ctx, &s);
        subject_free(&s);
    }
}

static void the_zoo(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(device_sizes); i++) {
        meguri_ctx *ctx = context_of_size(i);
        uint64_t seed = 15 + i;
        zoo_graph g;
        for (int index = 0; zoo_get(&g, index); index++) {
            if (!g.weights && ONE_OF(4, index)) part_both(ctx, &g, &seed);
            zoo_free(&g);
        }
        for (int index = 0; shape_get(&g, index, 2000); index++) {
            if (ONE_OF(4, index)) part_both(ctx, &g, &seed);
            zoo_free(&g);
        }
        for (int turn = 0; turn < (UNDER_ASAN ? 5 : 30); turn++) {
            g = shape_random(&seed, 3000);
            part_both(ctx, &g, &seed);
            zoo_free(&g);
        }
        context_done(ctx);
    }
}

/* A path in the order of its vertices is one long way to the root; stars have rows in many pieces. */
static void long_ways_and_rows(void **state) {
    (void)state;
    const uint64_t n = UNDER_ASAN ? 20000 : 100000;
    for (size_t i = 0; i < COUNT_OF(device_sizes); i++) {
        meguri_ctx *ctx = context_of_size(i);
        zoo_graph path = {.name = "a path"}, stars = {.name = "stars"};
        for (uint64_t v = 0; v + 1 < n; v++) shape_add(&path, v, v + 1);
        for (uint64_t v = 0; v < n; v++)
            if (v % 7) shape_add(&stars, n + v % 3, v);
        zoo_graph *graphs[] = {&path, &stars};
        for (size_t k = 0; k < COUNT_OF(graphs); k++)
            for (int direction = MEGURI_DIRECTED; direction <= MEGURI_UNDIRECTED; direction++) {
                meguri_build_options o = {
                    .size = sizeof o, .direction = (meguri_direction)direction, .order = MEGURI_ORDER_NONE};
                subject s = subject_from_zoo(ctx, graphs[k], &o);
                part(ctx, &s);
                subject_free(&s);
            }
        zoo_free(&path);
        zoo_free(&stars);
        context_done(ctx);
    }
}

/* ---- graphs larger than the device, and several devices --------------------------------------------------------- */

/* Forest and samples, and `more` for the parts. */
static void set_memory(mg_device *d, const subject *s, uint64_t more) {
    d->memory = d->used + 9 * s->plain.vertices + 6144 + more;
}

/* 76 KB of arcs. */
static zoo_graph dense_with_crumbs(void) {
    zoo_graph g = {.name = "a dense part, and crumbs"};
    uint64_t seed = 6;
    for (int k = 0; k < 20000; k++) shape_add(&g, zoo_random(&seed) % 500, zoo_random(&seed) % 500);
    for (uint64_t v = 0; v < 400; v++) shape_add(&g, 500 + v, 500 + (v * 7 + v % 3) % 400);
    return g;
}

/* Of an undirected graph only rows outside the giant are sent. */
static void in_parts(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(device_sizes); i++) {
        meguri_ctx *ctx = context_of_size(i);
        mg_device *d;
        assert_int_equal(mg_device_get(&d, ctx), MEGURI_OK);
        for (int direction = MEGURI_DIRECTED; direction <= MEGURI_UNDIRECTED; direction++) {
            zoo_graph g = dense_with_crumbs();
            meguri_build_options o = {.size = sizeof o, .direction = (meguri_direction)direction, .keep_loops = 1};
            subject s = subject_from_zoo(ctx, &g, &o);
            set_memory(d, &s, s.plain.arcs / 2);
            d->peak = d->used;
            uint64_t sent = d->sent;
            part(ctx, &s);
            sent = d->sent - sent;
            if (direction == MEGURI_UNDIRECTED) assert_true(sent < 4 * s.plain.arcs);
            assert_true(d->peak <= d->memory);
            assert_int_equal(d->used, 0);
            subject_free(&s);
            zoo_free(&g);
        }
        context_done(ctx);
    }
}

/* Rows that lie in two shares are sampled twice, so that more edges may be looked at than on threads. */
static void part_shared(meguri_ctx *ctx, const subject *s, bool in_pieces) {
    parts right = parts_of(&s->plain);
    meguri_result *result;
    if (meguri_components(&result, ctx, s->graph, &on_device) != MEGURI_OK) fail_msg("%s", meguri_ctx_error(ctx));
    check_parts_result(ctx, s, &right, result);
    if (in_pieces) {
        expect_halves(result, s->graph->arcs);
        assert_true(fact_of(result, "parts") > 2);
    }
    meguri_result_free(result);
    parts_free(&right);
}

static void part_one(meguri_ctx *ctx, const zoo_graph *g, uint64_t *seed) {
    meguri_build_options o = {.size = sizeof o,
                              .direction = (meguri_direction)(1 + zoo_random(seed) % 2),
                              .order = 1 + zoo_random(seed) % 3,
                              .keep_loops = zoo_random(seed) % 2};
    subject s = subject_from_zoo(ctx, g, &o);
    part_shared(ctx, &s, false);
    subject_free(&s);
}

static void several(void **state) {
    (void)state;
    for (int turn = 0; turn < 2; turn++) {
        meguri_ctx *ctx = context_of_several(turn);
        uint64_t seed = 41 + (uint64_t)turn;
        zoo_graph g;
        for (int index = 0; shape_get(&g, index, 600); index++) {
            part_one(ctx, &g, &seed);
            zoo_free(&g);
        }
        for (int k = 0; k < 12; k++) {
            g = shape_random(&seed, 1500);
            part_one(ctx, &g, &seed);
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
    zoo_graph g = shape_kronecker(ctx, UNDER_ASAN ? 9 : 11, 48);
    for (int direction = MEGURI_DIRECTED; direction <= MEGURI_UNDIRECTED; direction++) {
        meguri_build_options o = {.size = sizeof o, .direction = (meguri_direction)direction};
        subject s = subject_from_zoo(ctx, &g, &o);
        for (uint32_t i = 0; i < count; i++) set_memory(devices[i], &s, s.plain.arcs / 4);
        part_shared(ctx, &s, true);
        for (uint32_t i = 0; i < count; i++) {
            assert_int_equal(devices[i]->used, 0);
            assert_true(devices[i]->launches > 0);
        }
        subject_free(&s);
    }
    zoo_free(&g);
    context_done(ctx);
}

/* ---- what goes wrong -------------------------------------------------------------------------------------------- */

typedef struct parting {
    meguri_ctx *maker;
    subject subject;
    parts right;
} parting;

static parting begin_with(meguri_ctx *maker, zoo_graph g) {
    meguri_build_options o = {.size = sizeof o, .direction = MEGURI_DIRECTED, .order = MEGURI_ORDER_NONE};
    parting p = {.maker = maker, .subject = subject_from_zoo(maker, &g, &o)};
    p.right = parts_of(&p.subject.plain);
    zoo_free(&g);
    return p;
}

/* Even and without an order, so that several neighbours are sampled, and edges are left to link. */
static parting begin(meguri_ctx *maker) {
    zoo_graph g = {.name = "uniform"};
    uint64_t seed = 4;
    for (int k = 0; k < 3000; k++) shape_add(&g, zoo_random(&seed) % 1000, zoo_random(&seed) % 1000);
    return begin_with(maker, g);
}

static void end(parting *p) {
    parts_free(&p->right);
    subject_free(&p->subject);
    context_done(p->maker);
}

static meguri_status find(meguri_ctx *ctx, void *what) {
    const parting *p = what;
    meguri_result *result = (meguri_result *)1;
    meguri_status status = meguri_components(&result, ctx, p->subject.graph, &on_device);
    if (status != MEGURI_OK) assert_null(result);
    else check_parts_result(p->maker, &p->subject, &p->right, result);
    meguri_result_free(result);
    return status;
}

/* One device, or two; with room for all rows, and in parts. */
static void lost(void **state) {
    (void)state;
    static const char *const lists[] = {"0", "0,0"};
    for (size_t i = 0; i < COUNT_OF(lists); i++) {
        meguri_ctx *ctx = faulty_context_of(lists[i]);
        parting p = begin(context_with(2));
        mg_device *devices[MG_DEVICES_MOST];
        uint32_t count;
        fail_each_call(ctx, find, &p);
        assert_int_equal(mg_device_get_all(devices, &count, ctx), MEGURI_OK);
        end(&p);
        p = begin_with(context_with(2), dense_with_crumbs());
        for (uint32_t k = 0; k < count; k++) set_memory(devices[k], &p.subject, 16 << 10);
        fail_each_call(ctx, find, &p);
        end(&p);
        context_done(ctx);
    }
}

static void no_memory(void **state) {
    (void)state;
    meguri_ctx *ctx = device_context(NULL, 0);
    parting p = begin(context_with(2));
    mg_device *d;
    assert_int_equal(find(ctx, &p), MEGURI_OK);
    assert_true(fail_each_allocation(ctx, find, &p, LEAVES_NOTHING) >= 6);
    end(&p);
    p = begin_with(context_with(2), dense_with_crumbs());
    assert_int_equal(find(ctx, &p), MEGURI_OK);
    assert_int_equal(mg_device_get(&d, ctx), MEGURI_OK);
    uint64_t whole = d->peak;
    bool enough = false;
    for (d->memory = 1000; d->memory < whole; d->memory = d->memory * 5 / 4) { /* none, then in parts */
        meguri_status status = find(ctx, &p);
        assert_int_equal(d->used, 0);
        if (status != MEGURI_OK) assert_non_null(strstr(meguri_ctx_error(ctx), "not enough memory on the device"));
        assert_true(!enough || status == MEGURI_OK);
        enough = status == MEGURI_OK;
    }
    assert_true(enough);
    context_done(ctx);
    ctx = context_of_two(0);
    assert_int_equal(find(ctx, &p), MEGURI_OK);
    assert_true(fail_each_allocation(ctx, find, &p, LEAVES_NOTHING) >= 8);
    end(&p);
    context_done(ctx);
}

static void cancelled(void **state) {
    (void)state;
    meguri_ctx *probe = device_context(NULL, 0);
    meguri_ctx_free(probe); /* skips */
    parting p = begin(context_with(2));
    impatient user = {.only = "sample"};
    meguri_ctx *ctx = context_of(&user, 2);
    assert_int_equal(find(ctx, &p), MEGURI_OK);
    cancel_at(ctx, &user, 1, "sample", find, &p);
    end(&p);
    context_done(ctx);
}

int main(void) {
    make_two_devices();
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_zoo),     cmocka_unit_test(long_ways_and_rows),
                                       cmocka_unit_test(in_parts),    cmocka_unit_test(several),
                                       cmocka_unit_test(even_shares), cmocka_unit_test(lost),
                                       cmocka_unit_test(no_memory),   cmocka_unit_test(cancelled)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
