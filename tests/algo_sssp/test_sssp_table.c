/* Searches for less than all distances: tables of sources and targets, and a maximum of the distance, beside Dijkstra's
 * search of plain arrays. */
#define _GNU_SOURCE
#include "algo_sssp/routing.h"

#include <math.h>
#include <meguri.h>

static const weighing kinds[] = {WEIGH_NONE,   WEIGH_BYTES, WEIGH_FRACTION, WEIGH_WORDS,
                                 WEIGH_TENTHS, WEIGH_FEW,   WEIGH_ZERO,     WEIGH_SPREAD};
enum { SOURCES = 13, TARGETS = 9 };

static uint64_t word(const void *items, uint64_t at) { return ((const uint64_t *)items)[at]; }

static uint64_t far_of(const roads *r) {
    uint64_t far = UINT64_MAX;
    double infinite = INFINITY;
    if (r->real) memcpy(&far, &infinite, sizeof far);
    return far;
}

/* A maximum as the distances have it: what is beyond is unreached. */
static uint64_t cut(const roads *r, uint64_t distance, const meguri_sssp_options *o) {
    double real;
    memcpy(&real, &distance, sizeof real);
    if (!r->real) real = (double)distance;
    if (!o || real <= o->max_cost) return distance;
    return far_of(r);
}

/* A distance of this graph, or a little less or more; whole and broken ones. */
static double some_maximum(const roads *r, uint64_t *seed) {
    uint64_t n = r->subject.plain.vertices;
    route right = plain_route(r, zoo_random(seed) % n);
    uint64_t v = zoo_random(seed) % n, turn = zoo_random(seed) % 5;
    double most = right.farthest;
    if (route_reached(r, &right, v)) most = r->real ? ((double *)right.distance)[v] : (double)word(right.distance, v);
    route_free(&right);
    if (turn == 0) return 0;
    if (turn == 1) return most * 0.999;
    return turn == 2 ? most + 0.5 : turn == 3 ? INFINITY : most;
}

/* ---- tables ----------------------------------------------------------------------------------------------------- */

typedef struct asked {
    const roads *roads;
    const meguri_sssp_options *options;
    uint64_t sources[SOURCES], targets[TARGETS], target_count;
    uint64_t next, end_at;
    meguri_status end_with;
} asked;

static meguri_status take_row(void *user, uint64_t index, const meguri_result *result) {
    asked *a = user;
    const roads *r = a->roads;
    meguri_column row = {.size = sizeof row};
    meguri_fact reached = {.size = sizeof reached}, engine = {.size = sizeof engine};
    assert_int_equal(index, a->next++);
    assert_int_equal(meguri_result_column(&row, result, "distance"), MEGURI_OK);
    assert_int_equal(row.type, r->real ? MEGURI_TYPE_F64 : MEGURI_TYPE_U64);
    assert_int_equal(row.count, a->target_count);
    route right = plain_route(r, a->sources[index]);
    uint64_t count = 0;
    for (uint64_t i = 0; i < a->target_count; i++) {
        uint64_t want = cut(r, word(right.distance, a->targets[i]), a->options);
        if (word(row.data, i) != want)
            fail_msg("%s, from %d to %d: the distance differs", r->subject.name, (int)a->sources[index],
                     (int)a->targets[i]);
        count += want != far_of(r);
    }
    route_free(&right);
    assert_int_equal(meguri_result_fact(&reached, result, "reached"), MEGURI_OK);
    assert_int_equal(reached.number, count);
    assert_int_equal(meguri_result_fact(&engine, result, "engine"), MEGURI_OK);
    assert_string_equal(engine.text, "host");
    return index == a->end_at ? a->end_with : MEGURI_OK;
}

/* Near targets, far ones, the source itself, the same twice, and vertices without edges. */
static asked ask(const roads *r, const meguri_sssp_options *options, uint64_t *seed) {
    asked a = {.roads = r, .options = options, .target_count = zoo_random(seed) % (TARGETS + 1), .end_at = UINT64_MAX};
    const plain *p = &r->subject.plain;
    uint32_t isolated = plain_isolated(p);
    for (int i = 0; i < SOURCES; i++) a.sources[i] = zoo_random(seed) % p->vertices;
    for (int i = 0; i < TARGETS; i++) a.targets[i] = zoo_random(seed) % p->vertices;
    a.sources[1] = a.sources[0];
    a.targets[1] = a.targets[0] = a.sources[0];
    if (isolated != UINT32_MAX && zoo_random(seed) % 2) a.targets[3] = a.sources[4] = isolated;
    return a;
}

static void tables(void **state) {
    (void)state;
    meguri_ctx *const ctx[] = {context_with(1), context_with(2), context_with(5)};
    zoo_graph g;
    uint64_t seed = 7;
    for (int index = 0; shape_get(&g, index, 300); index++) {
        int step = UNDER_TSAN || UNDER_ASAN ? 5 : 2;
        for (int kind = index % step; kind < (int)COUNT_OF(kinds); kind += step) {
            weigh(&g, kinds[kind], 1);
            meguri_build_options o = {
                .size = sizeof o, .direction = (meguri_direction)(1 + (index + kind) % 2), .order = 1 + kind % 3};
            roads r = roads_from_zoo(ctx[1], &g, &o);
            meguri_sssp_options options = {
                .size = sizeof options, .parents = 1, .max_cost = (double)INFINITY, .delta = kind % 4 == 1 ? 7 : 0};
            if (index % 3 == 1) options.max_cost = some_maximum(&r, &seed);
            for (size_t t = 0; t < THREAD_COUNTS; t++) {
                asked a = ask(&r, &options, &seed);
                if (meguri_sssp_table(ctx[t], r.subject.graph, a.sources, SOURCES, a.targets, a.target_count, &options,
                                      take_row, &a) != MEGURI_OK)
                    fail_msg("%s: %s", g.name, meguri_ctx_error(ctx[t]));
                assert_int_equal(a.next, SOURCES);
            }
            roads_free(&r);
        }
        zoo_free(&g);
    }
    for (size_t t = 0; t < THREAD_COUNTS; t++) context_done(ctx[t]);
}

/* Targets beside the source cost a search little of a large graph; the same search to all of it costs all. */
static meguri_status add_edges(void *user, uint64_t index, const meguri_result *result) {
    meguri_fact edges = {.size = sizeof edges};
    (void)index;
    assert_int_equal(meguri_result_fact(&edges, result, "edges"), MEGURI_OK);
    *(uint64_t *)user += edges.number;
    return MEGURI_OK;
}

static void near_targets_end_a_search(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(2);
    meguri_grid_options o = {.size = sizeof o, .width = 150, .height = 150, .seed = 3};
    meguri_graph *graph;
    assert_int_equal(meguri_gen_grid(&graph, ctx, &o), MEGURI_OK);
    const uint64_t sources[] = {5000, 11000}, targets[] = {5000, 5001, 5002, 11000, 11001};
    uint64_t some = 0, near = 0, all = 0;
    meguri_sssp_options most = {.size = sizeof most, .parents = 1, .max_cost = 50};
    assert_int_equal(meguri_sssp_table(ctx, graph, sources, 1, targets, 3, NULL, add_edges, &some), MEGURI_OK);
    assert_int_equal(meguri_sssp_many(ctx, graph, sources, 2, &most, add_edges, &near), MEGURI_OK);
    assert_int_equal(meguri_sssp_many(ctx, graph, sources, 2, NULL, add_edges, &all), MEGURI_OK);
    assert_true(some < all / 4);
    assert_true(near < all / 100);
    meguri_graph_free(graph);
    context_done(ctx);
}

static void a_taker_ends_a_table(void **state) {
    (void)state;
    zoo_graph g;
    uint64_t seed = 3;
    meguri_ctx *maker = context_with(2);
    assert_true(shape_get(&g, 12, 300));
    weigh(&g, WEIGH_BYTES, 1);
    roads r = roads_from_zoo(maker, &g, &(meguri_build_options){.size = sizeof(meguri_build_options)});
    for (size_t t = 0; t < THREAD_COUNTS; t++) {
        meguri_ctx *ctx = context_with(thread_counts[t]);
        asked a = ask(&r, NULL, &seed);
        a.end_at = 4;
        a.end_with = MEGURI_NO_DISK;
        assert_int_equal(
            meguri_sssp_table(ctx, r.subject.graph, a.sources, SOURCES, a.targets, a.target_count, NULL, take_row, &a),
            MEGURI_NO_DISK);
        assert_int_equal(a.next, 5);
        context_done(ctx);
    }
    roads_free(&r);
    zoo_free(&g);
    context_done(maker);
}

/* ---- a maximum -------------------------------------------------------------------------------------------------- */

static void check_maximum(meguri_ctx *ctx, const roads *r, uint64_t source, const meguri_sssp_options *o) {
    meguri_result *result;
    meguri_column distance = {.size = sizeof distance}, parent = {.size = sizeof parent};
    meguri_fact reached = {.size = sizeof reached};
    if (meguri_sssp(&result, ctx, r->subject.graph, source, o) != MEGURI_OK) fail_msg("%s", meguri_ctx_error(ctx));
    assert_int_equal(meguri_result_column(&distance, result, "distance"), MEGURI_OK);
    assert_int_equal(meguri_result_column(&parent, result, "parent"), MEGURI_OK);
    assert_int_equal(meguri_result_fact(&reached, result, "reached"), MEGURI_OK);
    route right = plain_route(r, source);
    uint64_t n = r->subject.plain.vertices, count = 0;
    for (uint64_t v = 0; v < n; v++) {
        ((uint64_t *)right.distance)[v] = cut(r, word(right.distance, v), o);
        bool there = route_reached(r, &right, v);
        count += there;
        assert_true(there == (((const uint32_t *)parent.data)[v] != UINT32_MAX));
    }
    if (!same_distances(r, distance.data, right.distance))
        fail_msg("%s, from %d, at most %.17g: a distance differs", r->subject.name, (int)source, o->max_cost);
    const char *wrong = route_fault(r, source, right.distance, parent.data);
    if (wrong) fail_msg("%s", wrong);
    assert_int_equal(reached.number, count);
    if (meguri_sssp_check(ctx, r->subject.graph, result, o) != MEGURI_OK) fail_msg("%s", meguri_ctx_error(ctx));
    /* One that is missing is noticed, and one that is too far. */
    for (uint64_t v = 0; v < n && count > 1; v++) {
        if (v == source || !route_reached(r, &right, v)) continue;
        uint64_t *at = (uint64_t *)(uintptr_t)distance.data + v, before = *at;
        uint32_t *of = (uint32_t *)(uintptr_t)parent.data + v, old = *of;
        *at = far_of(r);
        *of = UINT32_MAX;
        assert_int_equal(meguri_sssp_check(ctx, r->subject.graph, result, o), MEGURI_WRONG_ANSWER);
        *at = before, *of = old;
        break;
    }
    if (count && o->max_cost > 1 && isfinite(o->max_cost)) {
        meguri_sssp_options less = *o;
        double farthest = 0;
        for (uint64_t v = 0; v < n; v++)
            if (route_reached(r, &right, v)) {
                double real = r->real ? ((double *)right.distance)[v] : (double)word(right.distance, v);
                farthest = real > farthest ? real : farthest;
            }
        less.max_cost = farthest / 2;
        if (farthest > 0)
            assert_int_equal(meguri_sssp_check(ctx, r->subject.graph, result, &less), MEGURI_WRONG_ANSWER);
    }
    route_free(&right);
    meguri_result_free(result);
}

static void maxima(void **state) {
    (void)state;
    meguri_ctx *const ctx[] = {context_with(1), context_with(2), context_with(5)};
    zoo_graph g;
    uint64_t seed = 11;
    for (int index = 0; shape_get(&g, index, 400); index++) {
        int step = UNDER_TSAN || UNDER_ASAN ? 5 : 2;
        for (int kind = (index + 1) % step; kind < (int)COUNT_OF(kinds); kind += step) {
            weigh(&g, kinds[kind], 1);
            meguri_build_options o = {
                .size = sizeof o, .direction = (meguri_direction)(1 + (index + kind) % 2), .order = 1 + kind % 3};
            roads r = roads_from_zoo(ctx[1], &g, &o);
            for (size_t t = 0; t < THREAD_COUNTS; t++) {
                meguri_sssp_options options = {
                    .size = sizeof options, .parents = 1, .max_cost = (double)INFINITY, .delta = kind % 4 == 1 ? 7 : 0};
                options.max_cost = some_maximum(&r, &seed);
                check_maximum(ctx[t], &r, zoo_random(&seed) % r.subject.plain.vertices, &options);
            }
            roads_free(&r);
        }
        zoo_free(&g);
    }
    for (size_t t = 0; t < THREAD_COUNTS; t++) context_done(ctx[t]);
}

/* Where horizons and pulls come in. */
static void a_maximum_in_a_dense_graph(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(2);
    zoo_graph g = shape_kronecker(ctx, UNDER_TSAN || UNDER_ASAN ? 9 : 12, 16);
    uint64_t seed = 5;
    for (int kind = 0; kind < 4; kind++) {
        weigh(&g, (const weighing[]){WEIGH_FRACTION, WEIGH_BYTES, WEIGH_SHORTS, WEIGH_TENTHS}[kind], 1);
        for (int direction = MEGURI_DIRECTED; direction <= MEGURI_UNDIRECTED; direction++) {
            meguri_build_options o = {.size = sizeof o, .direction = (meguri_direction)direction};
            roads r = roads_from_zoo(ctx, &g, &o);
            uint64_t hub = plain_hub(&r.subject.plain);
            for (int turn = 0; turn < 5; turn++) {
                meguri_sssp_options options = {
                    .size = sizeof options, .parents = 1, .max_cost = some_maximum(&r, &seed)};
                check_maximum(ctx, &r, hub, &options);
                asked a = ask(&r, &options, &seed);
                a.sources[0] = hub;
                assert_int_equal(meguri_sssp_table(ctx, r.subject.graph, a.sources, 3, a.targets, a.target_count,
                                                   &options, take_row, &a),
                                 MEGURI_OK);
            }
            roads_free(&r);
        }
    }
    zoo_free(&g);
    context_done(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables), cmocka_unit_test(near_targets_end_a_search),  cmocka_unit_test(a_taker_ends_a_table),
        cmocka_unit_test(maxima), cmocka_unit_test(a_maximum_in_a_dense_graph),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
