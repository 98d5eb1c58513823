/* Several searches of one graph: one after another with one handle, and many at once, handed over in order. */
#define _GNU_SOURCE
#include "algo_sssp/routing.h"
#include <math.h>

#include <meguri.h>

/* ---- a handle --------------------------------------------------------------------------------------------------- */

static void search_in_turn(meguri_ctx *const *ctx, const roads *r, const meguri_sssp_options *options) {
    meguri_sssp_search *search;
    const meguri_result *result;
    const plain *p = &r->subject.plain;
    uint64_t n = p->vertices, seed = n;
    uint32_t isolated = plain_isolated(p);
    assert_int_equal(meguri_sssp_search_new(&search, ctx[1], r->subject.graph, options), MEGURI_OK);
    for (int turn = 0; turn < 9; turn++) {
        uint64_t source = zoo_random(&seed) % n;
        if (turn % 3 == 1 && isolated != UINT32_MAX) source = isolated;
        if (turn == 4) source = plain_hub(p);
        meguri_ctx *with = ctx[turn % 3]; /* another than that of _new */
        if (meguri_sssp_search_run(&result, with, search, source) != MEGURI_OK)
            fail_msg("%s: %s", r->subject.name, meguri_ctx_error(with));
        check_route(with, r, source, options, result);
        if (turn == 5) {
            assert_int_equal(meguri_sssp_search_run(&result, with, search, n), MEGURI_NOT_FOUND);
            assert_null(result);
        }
    }
    meguri_sssp_search_free(search);
}

static void one_handle(void **state) {
    (void)state;
    meguri_ctx *const ctx[] = {context_with(1), context_with(2), context_with(5)};
    zoo_graph g;
    for (int index = 0; shape_get(&g, index, 400); index++) {
        for (int kind = index % 3; kind < WEIGHINGS; kind += UNDER_TSAN || UNDER_ASAN ? 7 : 3) {
            weigh(&g, (weighing)kind, 1);
            meguri_build_options o = {
                .size = sizeof o, .direction = (meguri_direction)(1 + (index + kind) % 2), .order = 1 + kind % 3};
            roads r = roads_from_zoo(ctx[1], &g, &o);
            meguri_sssp_options options = {.size = sizeof options,
                                           .max_cost = (double)INFINITY,
                                           .delta = kind % 4 == 1 ? 7 : 0,
                                           .parents = !(kind % 5 == 1)};
            search_in_turn(ctx, &r, kind % 2 ? &options : NULL);
            roads_free(&r);
        }
        zoo_free(&g);
    }
    for (size_t t = 0; t < THREAD_COUNTS; t++) context_done(ctx[t]);
}

static void no_handle(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    const meguri_result *result = (meguri_result *)1;
    meguri_sssp_search *search = (meguri_sssp_search *)1;
    assert_int_equal(meguri_sssp_search_new(NULL, ctx, NULL, NULL), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_sssp_search_new(&search, ctx, NULL, NULL), MEGURI_BAD_ARGUMENT);
    assert_null(search);
    assert_int_equal(meguri_sssp_search_run(&result, ctx, NULL, 0), MEGURI_BAD_ARGUMENT);
    assert_null(result);
    assert_int_equal(meguri_sssp_search_run(NULL, ctx, NULL, 0), MEGURI_BAD_ARGUMENT);
    context_done(ctx);
}

/* ---- many ------------------------------------------------------------------------------------------------------- */

/* Takes results and compares them, with a context of its own: that of the search is at work. */
typedef struct taker {
    meguri_ctx *ctx;
    const roads *roads;
    const uint64_t *sources;
    const meguri_sssp_options *options;
    uint64_t next;   /* index that must come */
    uint64_t end_at; /* index at which it has had enough */
    meguri_status end_with;
    int inside;
} taker;

static meguri_status take(void *user, uint64_t index, const meguri_result *result) {
    taker *t = user;
    assert_int_equal(__atomic_fetch_add(&t->inside, 1, __ATOMIC_RELAXED), 0); /* one at a time */
    assert_int_equal(index, t->next);
    t->next++;
    check_route(t->ctx, t->roads, t->sources[index], t->options, result);
    __atomic_fetch_sub(&t->inside, 1, __ATOMIC_RELAXED);
    return index == t->end_at ? t->end_with : MEGURI_OK;
}

enum { MANY = 41 };

static void search_many(meguri_ctx *const *ctx, const roads *r, const meguri_sssp_options *options) {
    uint64_t sources[MANY], n = r->subject.plain.vertices, seed = n;
    for (int i = 0; i < MANY; i++) sources[i] = i % 10 == 9 ? sources[i - 1] : zoo_random(&seed) % n; /* also twice */
    meguri_ctx *own = context_with(1);
    for (size_t t = 0; t < THREAD_COUNTS; t++)
        for (uint64_t count = 0; count <= MANY; count += count < 3 ? 1 : MANY - 3) {
            taker user = {own, r, sources, options, .end_at = UINT64_MAX};
            if (meguri_sssp_many(ctx[t], r->subject.graph, sources, count, options, take, &user) != MEGURI_OK)
                fail_msg("%s: %s", r->subject.name, meguri_ctx_error(ctx[t]));
            assert_int_equal(user.next, count);
        }
    context_done(own);
}

static void many_in_order(void **state) {
    (void)state;
    meguri_ctx *const ctx[] = {context_with(1), context_with(2), context_with(5)};
    static const weighing kinds[] = {WEIGH_NONE, WEIGH_BYTES, WEIGH_FRACTION, WEIGH_WORDS, WEIGH_TENTHS, WEIGH_ZERO};
    zoo_graph g;
    for (int index = 0; shape_get(&g, index, 200); index++) {
        if ((UNDER_TSAN || UNDER_ASAN) && index % 3) {
            zoo_free(&g);
            continue;
        }
        weigh(&g, kinds[index % 6], 1);
        meguri_build_options o = {
            .size = sizeof o, .direction = (meguri_direction)(1 + index % 2), .order = 1 + index % 3};
        meguri_sssp_options options = {
            .size = sizeof options, .max_cost = (double)INFINITY, .delta = index % 4, .parents = !(index % 5 == 1)};
        roads r = roads_from_zoo(ctx[1], &g, &o);
        search_many(ctx, &r, index % 2 ? &options : NULL);
        roads_free(&r);
        zoo_free(&g);
    }
    for (size_t t = 0; t < THREAD_COUNTS; t++) context_done(ctx[t]);
}

/* Whatever the one who takes returns comes back, and nothing is handed over after that. */
static void enough(void **state) {
    (void)state;
    meguri_ctx *const ctx[] = {context_with(1), context_with(2), context_with(5)}, *own = context_with(1);
    zoo_graph g;
    assert_true(shape_get(&g, 12, 300));
    weigh(&g, WEIGH_BYTES, 1);
    meguri_build_options o = {.size = sizeof o};
    roads r = roads_from_zoo(ctx[1], &g, &o);
    uint64_t sources[MANY];
    for (uint64_t i = 0; i < MANY; i++) sources[i] = i * 7;
    static const meguri_status statuses[] = {MEGURI_NO_DISK, MEGURI_CANCELLED, MEGURI_WRONG_ANSWER};
    for (size_t t = 0; t < THREAD_COUNTS; t++)
        for (uint64_t i = 0; i < 9; i++) {
            taker user = {own, &r, sources, NULL, .end_at = i * 5, .end_with = statuses[i % 3]};
            assert_int_equal(meguri_sssp_many(ctx[t], r.subject.graph, sources, MANY, NULL, take, &user),
                             statuses[i % 3]);
            assert_int_equal(user.next, i * 5 + 1);
        }
    taker user = {own, &r, sources, NULL, .end_at = UINT64_MAX};
    meguri_ctx *with = ctx[1];
    assert_int_equal(meguri_sssp_many(NULL, r.subject.graph, sources, 1, NULL, take, &user), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_sssp_many(with, NULL, sources, 1, NULL, take, &user), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_sssp_many(with, r.subject.graph, NULL, 1, NULL, take, &user), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_sssp_many(with, r.subject.graph, sources, 1, NULL, NULL, &user), MEGURI_BAD_ARGUMENT);
    sources[MANY - 1] = 300; /* found before any search */
    assert_int_equal(meguri_sssp_many(with, r.subject.graph, sources, MANY, NULL, take, &user), MEGURI_NOT_FOUND);
    assert_string_equal(meguri_ctx_error(with), "there is no vertex 300 in a graph of 300.");
    assert_int_equal(user.next, 0);
    roads_free(&r);
    zoo_free(&g);
    for (size_t t = 0; t < THREAD_COUNTS; t++) context_done(ctx[t]);
    context_done(own);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_handle),
        cmocka_unit_test(no_handle),
        cmocka_unit_test(many_in_order),
        cmocka_unit_test(enough),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
