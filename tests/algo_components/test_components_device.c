/* Connected components on a device, against a textbook union-find: the zoo, shapes, long ways to a root, rows of any
 * length, teams and groups of several sizes; a device that is lost, or has too little memory. */
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
                                  .keep_duplicates = zoo_random(seed) % 2,
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

/* ---- what goes wrong -------------------------------------------------------------------------------------------- */

typedef struct parting {
    meguri_ctx *maker;
    subject subject;
    parts right;
} parting;

/* Even and without an order, so that several neighbours are sampled, and edges are left to link. */
static parting begin(meguri_ctx *maker) {
    zoo_graph g = {.name = "uniform"};
    uint64_t seed = 4;
    for (int k = 0; k < 3000; k++) shape_add(&g, zoo_random(&seed) % 1000, zoo_random(&seed) % 1000);
    meguri_build_options o = {.size = sizeof o, .direction = MEGURI_DIRECTED, .order = MEGURI_ORDER_NONE};
    parting p = {.maker = maker, .subject = subject_from_zoo(maker, &g, &o)};
    p.right = parts_of(&p.subject.plain);
    zoo_free(&g);
    return p;
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

static void lost(void **state) {
    (void)state;
    meguri_ctx *ctx = faulty_context();
    parting p = begin(context_with(2));
    fail_each_call(ctx, find, &p);
    end(&p);
    context_done(ctx);
}

static void no_memory(void **state) {
    (void)state;
    meguri_ctx *ctx = device_context(NULL, 0);
    parting p = begin(context_with(2));
    mg_device *d;
    assert_int_equal(find(ctx, &p), MEGURI_OK);
    assert_true(fail_each_allocation(ctx, find, &p, LEAVES_NOTHING) >= 6);
    assert_int_equal(mg_device_get(&d, ctx), MEGURI_OK);
    uint64_t enough = d->peak;
    for (d->memory = 1000; d->memory < enough; d->memory = d->memory * 3 / 2) {
        expect_failure(ctx, find(ctx, &p), MEGURI_NO_MEMORY, "not enough memory on the device");
        assert_int_equal(d->used, 0);
    }
    d->memory = enough;
    assert_int_equal(find(ctx, &p), MEGURI_OK);
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_zoo), cmocka_unit_test(long_ways_and_rows),
                                       cmocka_unit_test(lost), cmocka_unit_test(no_memory),
                                       cmocka_unit_test(cancelled)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
