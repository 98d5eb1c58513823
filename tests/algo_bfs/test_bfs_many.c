/* Searches from up to 64 sources in one pass: each column against a textbook search from its source. */
#define _GNU_SOURCE
#include "algo_bfs/many.h"
#include "support/checks.h"

#include <meguri.h>

static meguri_ctx *ctx[THREAD_COUNTS];

static int make_contexts(void **state) {
    (void)state;
    for (size_t t = 0; t < THREAD_COUNTS; t++) ctx[t] = context_with(thread_counts[t]);
    return 0;
}

static int free_contexts(void **state) {
    (void)state;
    for (size_t t = 0; t < THREAD_COUNTS; t++) context_done(ctx[t]);
    return 0;
}

/* ---- graphs ----------------------------------------------------------------------------------------------------- */

static const uint32_t counts[] = {1, 2, 63, 64};

static void search_every_graph(const zoo_graph *g, int first, bool few) {
    int turn = first;
    for (int direction = MEGURI_DIRECTED; direction <= MEGURI_UNDIRECTED; direction++)
        for (int order = MEGURI_ORDER_DEGREE; order <= MEGURI_ORDER_NONE; order++, turn++) {
            if (few && order != 1 + (first + direction) % 3) continue;
            meguri_build_options o = {.size = sizeof o,
                                      .direction = (meguri_direction)direction,
                                      .order = (meguri_order)order,
                                      .duplicates = turn % 2 ? MEGURI_DUPLICATES_KEEP : MEGURI_DUPLICATES_MIN,
                                      .keep_loops = turn / 2 % 2};
            subject s = subject_from_zoo(ctx[1], g, &o);
            uint64_t sources[MEGURI_BFS_MANY], seed = (uint64_t)turn;
            for (int i = 0; i < 8 && s.plain.vertices; i++) {
                if (few && i != (turn + direction) % (UNDER_TSAN ? 3 : 8)) continue;
                meguri_bfs_many_options options = {
                    .size = sizeof options, .parents = i % 2, .max_depth = (uint32_t)(i < 5 ? 0 : (uint32_t)i - 4) - 1};
                choose_sources(sources, &s, &seed);
                check_many(ctx[(turn + i) % 3], &s, sources, counts[i % 4], &options);
            }
            subject_free(&s);
        }
}

static void the_zoo(void **state) {
    (void)state;
    zoo_graph g;
    for (int index = 0; zoo_get(&g, index); index++) {
        bool large = g.count > 50000;
        if (!g.weights && !(UNDER_TSAN && !large)) search_every_graph(&g, index, large || UNDER_ASAN);
        zoo_free(&g);
    }
}

static void shapes(void **state) {
    (void)state;
    zoo_graph g;
    for (int index = 0; shape_get(&g, index, UNDER_TSAN ? 5000 : 600); index++) {
        if (!UNDER_TSAN || index % 3 == 1) search_every_graph(&g, index, UNDER_ASAN || UNDER_TSAN);
        zoo_free(&g);
    }
}

static void random_graphs(void **state) {
    (void)state;
    uint64_t seed = 51;
    for (int turn = 0; turn < (UNDER_TSAN ? 10 : UNDER_ASAN ? 60 : 500); turn++) {
        zoo_graph g = shape_random(&seed, 1000);
        meguri_build_options o = {.size = sizeof o,
                                  .direction = 1 + zoo_random(&seed) % 2,
                                  .order = 1 + zoo_random(&seed) % 3,
                                  .keep_loops = zoo_random(&seed) % 2,
                                  .duplicates = zoo_random(&seed) % 2 ? MEGURI_DUPLICATES_KEEP : MEGURI_DUPLICATES_MIN};
        subject s = subject_from_zoo(ctx[1], &g, &o);
        uint64_t sources[MEGURI_BFS_MANY];
        meguri_bfs_many_options options = {.size = sizeof options,
                                           .parents = turn % 2,
                                           .max_depth =
                                               (uint32_t)(turn % 3 ? 0 : 1 + (uint32_t)(zoo_random(&seed) % 6)) - 1};
        choose_sources(sources, &s, &seed);
        check_many(ctx[turn % 3], &s, sources, 1 + (uint32_t)(zoo_random(&seed) % MEGURI_BFS_MANY), &options);
        subject_free(&s);
        zoo_free(&g);
    }
}

static void kronecker_graphs(void **state) {
    (void)state;
    static const uint32_t factors[] = {16, 2, 1};
    for (uint32_t scale = 10; scale <= (UNDER_TSAN || UNDER_ASAN ? 12 : 14); scale++) {
        uint32_t factor = factors[scale % 3];
        zoo_graph g = shape_kronecker(ctx[1], scale, factor);
        for (int order = MEGURI_ORDER_DEGREE; order <= MEGURI_ORDER_NONE; order++) {
            if ((UNDER_TSAN || UNDER_ASAN) && order != 1 + (int)scale % 3) continue;
            meguri_build_options o = {
                .size = sizeof o, .direction = 1 + (order + scale) % 2, .order = (meguri_order)order};
            if (order == MEGURI_ORDER_DEGREE) o.direction = MEGURI_UNDIRECTED;
            subject s = subject_from_zoo(ctx[1], &g, &o);
            uint64_t sources[MEGURI_BFS_MANY], seed = scale;
            for (size_t t = UNDER_TSAN ? 1 : 0; t < THREAD_COUNTS; t++) {
                meguri_bfs_many_options options = {
                    .size = sizeof options, .parents = t != 0, .max_depth = (uint32_t)(order == 3 ? 3 : 0) - 1};
                choose_sources(sources, &s, &seed);
                check_many(ctx[t], &s, sources, 64, &options);
            }
            subject_free(&s);
        }
        zoo_free(&g);
    }
}

/* ---- deep graphs: wider levels ---------------------------------------------------------------------------------- */

static void search_path(uint64_t vertices, uint32_t count, int order) {
    zoo_graph g = {.vertices = vertices};
    snprintf(g.name, sizeof g.name, "path of %d", (int)vertices);
    for (uint64_t i = 0; i + 1 < vertices; i++) shape_add(&g, i, i + 1);
    meguri_build_options o = {.size = sizeof o, .direction = MEGURI_UNDIRECTED, .order = (meguri_order)order};
    subject s = subject_from_zoo(ctx[1], &g, &o);
    uint64_t sources[MEGURI_BFS_MANY] = {0, vertices - 1, vertices / 2, 1};
    meguri_bfs_many_options options = {
        .size = sizeof options, .max_depth = UINT32_MAX, .parents = order != MEGURI_ORDER_BFS};
    check_many(ctx[vertices % 3], &s, sources, count, &options);
    options.max_depth = (uint32_t)(100) - 1;
    check_many(ctx[(vertices + 1) % 3], &s, sources, count, &options);
    subject_free(&s);
    zoo_free(&g);
}

static void deep_graphs_have_wider_levels(void **state) {
    (void)state;
    for (int order = MEGURI_ORDER_DEGREE; order <= MEGURI_ORDER_NONE; order++) {
        for (uint64_t vertices = 125; vertices <= 132; vertices++) search_path(vertices, 4, order);
        search_path(200, 1, order);
        search_path(200, 2, order);
    }
    if (UNDER_TSAN) return; /* one vertex a step */
    for (uint64_t vertices = 32766; vertices <= 32770; vertices += UNDER_ASAN ? 4 : 1) search_path(vertices, 2, 1);
    search_path(40000, 4, MEGURI_ORDER_NONE);
}

/* ---- any number of sources, one result after another ------------------------------------------------------------ */

typedef struct takes {
    const subject *subject;
    meguri_ctx *ctx; /* not that of the searches, which is busy */
    const uint64_t *sources;
    const meguri_bfs_many_options *options;
    uint64_t next, stop;
} takes;

static meguri_status take_and_check(void *user, uint64_t index, const meguri_result *result) {
    takes *t = user;
    assert_int_equal(index, t->next);
    assert_int_equal(meguri_result_column_count(result), t->options->parents ? 2 : 1);
    answer right = plain_search(&t->subject->plain, t->sources[index], mg_levels_within(t->options->max_depth));
    const char *wrong = column_fault(t->ctx, t->subject, result, ALONE, t->sources[index], &right, t->options);
    if (wrong) fail_msg("%s, source %u: %s", t->subject->name, (unsigned)index, wrong);
    answer_free(&right);
    t->next++;
    return index == t->stop ? MEGURI_NO_DISK : MEGURI_OK;
}

static void results_come_in_order(void **state) {
    (void)state;
    enum { COUNT = 2 * MEGURI_BFS_MANY + 22 };
    zoo_graph g;
    meguri_ctx *other = context_with(1);
    for (int index = 0; shape_get(&g, index, 300); index++) {
        meguri_build_options o = {.size = sizeof o, .direction = index % 2 ? MEGURI_DIRECTED : MEGURI_UNDIRECTED};
        subject s = subject_from_zoo(ctx[1], &g, &o);
        meguri_bfs_many_options options = {.size = sizeof options, .max_depth = UINT32_MAX, .parents = index % 3 == 0};
        uint64_t sources[COUNT + MEGURI_BFS_MANY], seed = 5;
        for (int i = 0; i < COUNT; i += MEGURI_BFS_MANY) choose_sources(sources + i, &s, &seed);
        meguri_ctx *c = ctx[(size_t)index % THREAD_COUNTS];
        takes t = {.subject = &s, .ctx = other, .sources = sources, .options = &options, .stop = UINT64_MAX};
        assert_int_equal(meguri_bfs_many(c, s.graph, sources, COUNT, &options, take_and_check, &t), MEGURI_OK);
        assert_int_equal(t.next, COUNT);
        t.next = 0, t.stop = 70;
        assert_int_equal(meguri_bfs_many(c, s.graph, sources, COUNT, &options, take_and_check, &t), MEGURI_NO_DISK);
        assert_int_equal(t.next, 71);
        assert_string_equal(meguri_ctx_error(c), "the result of source number 71 was not taken.");
        subject_free(&s);
        zoo_free(&g);
    }
    context_done(other);
}

/* ---- what is refused, and what fails ---------------------------------------------------------------------------- */

static meguri_status not_called(void *user, uint64_t index, const meguri_result *result) {
    (void)user, (void)result;
    fail_msg("result %u of a call that fails", (unsigned)index);
    return MEGURI_OK;
}

static void refuse(const meguri_graph *graph, const uint64_t *sources, uint64_t count,
                   const meguri_bfs_many_options *options, meguri_status wanted, const char *part) {
    assert_int_equal(meguri_bfs_many(ctx[1], graph, sources, count, options, not_called, NULL), wanted);
    if (!strstr(meguri_ctx_error(ctx[1]), part)) fail_msg("'%s' in '%s'", part, meguri_ctx_error(ctx[1]));
}

static void refuse_pass(const meguri_graph *graph, const uint64_t *sources, uint32_t count, const char *part) {
    meguri_bfs_many_search *search;
    const meguri_result *result = (const meguri_result *)1;
    assert_int_equal(meguri_bfs_many_search_new(&search, ctx[1], graph, NULL), MEGURI_OK);
    assert_int_equal(meguri_bfs_many_search_run(&result, ctx[1], search, sources, count), MEGURI_BAD_ARGUMENT);
    assert_null(result);
    if (!strstr(meguri_ctx_error(ctx[1]), part)) fail_msg("'%s' in '%s'", part, meguri_ctx_error(ctx[1]));
    meguri_bfs_many_search_free(search);
}

static void bad_arguments_are_refused(void **state) {
    (void)state;
    zoo_graph g;
    assert_true(shape_get(&g, 3, 100));
    meguri_build_options o = {.size = sizeof o};
    meguri_graph *graph, *empty;
    uint64_t sources[65] = {0};
    assert_int_equal(zoo_build(&graph, ctx[1], &g, &o), MEGURI_OK);
    assert_int_equal(zoo_build(&empty, ctx[1], &(zoo_graph){.count = 0}, &o), MEGURI_OK);
    assert_int_equal(meguri_bfs_many(NULL, graph, sources, 1, NULL, not_called, NULL), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_bfs_many(ctx[1], graph, sources, 1, NULL, NULL, NULL), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_bfs_many(ctx[1], graph, NULL, 0, NULL, not_called, NULL), MEGURI_OK);
    refuse(NULL, sources, 1, NULL, MEGURI_BAD_ARGUMENT, "graph");
    refuse(graph, NULL, 1, NULL, MEGURI_BAD_ARGUMENT, "sources");
    refuse_pass(graph, sources, 0, "1 to 64 sources, not 0");
    refuse_pass(graph, sources, 65, "1 to 64 sources, not 65");
    refuse(empty, sources, 1, NULL, MEGURI_NOT_FOUND, "no vertex 0");
    refuse(graph, sources, 1, &(meguri_bfs_many_options){.max_depth = 1}, MEGURI_BAD_ARGUMENT, "size field");
    sources[63] = 100;
    refuse(graph, sources, 64, NULL, MEGURI_NOT_FOUND, "no vertex 100 in a graph of 100");
    sources[63] = (uint64_t)1 << 32;
    refuse(graph, sources, 64, NULL, MEGURI_NOT_FOUND, "4294967296");
    meguri_graph_free(graph);
    meguri_graph_free(empty);
    zoo_free(&g);
}

/* Passes one after another by one handle, with other sources, other numbers of them, and failures in between: what an
 * earlier one left is never seen. */
static void a_handle_for_many_passes(void **state) {
    (void)state;
    zoo_graph g;
    uint64_t seed = 3;
    for (int index = 0; shape_get(&g, index, 300); index++) {
        if (UNDER_TSAN && index % 4) {
            zoo_free(&g);
            continue;
        }
        meguri_build_options o = {.size = sizeof o, .direction = index % 2 ? MEGURI_DIRECTED : MEGURI_UNDIRECTED};
        subject s = subject_from_zoo(ctx[1], &g, &o);
        meguri_bfs_many_options options = {.size = sizeof options, .max_depth = UINT32_MAX, .parents = index % 3 == 0};
        meguri_bfs_many_search *search;
        assert_int_equal(meguri_bfs_many_search_new(&search, ctx[1], s.graph, &options), MEGURI_OK);
        for (int run = 0; run < 12; run++) {
            uint64_t sources[MEGURI_BFS_MANY];
            const meguri_result *result;
            uint32_t count = counts[run / 2 % 4];
            choose_sources(sources, &s, &seed);
            if (run % 5 == 4) {
                mg_memory_fail_at(ctx[1], (uint64_t)run);
                meguri_bfs_many_search_run(&result, ctx[1], search, sources, count);
                mg_memory_fail_at(ctx[1], 0);
            }
            meguri_ctx *c = ctx[run % 3];
            assert_int_equal(meguri_bfs_many_search_run(&result, c, search, sources, count), MEGURI_OK);
            check_result_of_many(c, &s, sources, count, &options, result);
        }
        meguri_bfs_many_search_free(search);
        subject_free(&s);
        zoo_free(&g);
    }
}

static void every_allocation_fails(void **state) {
    (void)state;
    zoo_graph g;
    for (int index = 0; shape_get(&g, index, 400) && !UNDER_TSAN; index++) {
        for (int direction = MEGURI_DIRECTED; direction <= MEGURI_UNDIRECTED; direction++) {
            meguri_build_options o = {.size = sizeof o, .direction = (meguri_direction)direction};
            subject s = subject_from_zoo(ctx[1], &g, &o);
            uint64_t sources[] = {1, 5, 1}, before = meguri_ctx_memory_used(ctx[1]), k = 0;
            meguri_bfs_many_options options = {.size = sizeof options, .max_depth = UINT32_MAX, .parents = index % 2};
            meguri_status status;
            do {
                takes t = {.subject = &s, .ctx = ctx[0], .sources = sources, .options = &options, .stop = UINT64_MAX};
                mg_memory_fail_at(ctx[1], ++k);
                status = meguri_bfs_many(ctx[1], s.graph, sources, 3, &options, take_and_check, &t);
                mg_memory_fail_at(ctx[1], 0);
                assert_true(status == MEGURI_OK ? t.next == 3 : status == MEGURI_NO_MEMORY && t.next < 3);
                if (status && direction == MEGURI_UNDIRECTED) assert_int_equal(meguri_ctx_memory_used(ctx[1]), before);
                if (status) assert_non_null(strstr(meguri_ctx_error(ctx[1]), "not enough memory for"));
            } while (status != MEGURI_OK);
            assert_true(k > 10);
            check_many(ctx[1], &s, sources, 3, &options);
            subject_free(&s);
            assert_int_equal(meguri_ctx_memory_used(ctx[1]), 0);
        }
        zoo_free(&g);
    }
}

static int had_enough(void *patience, const char *phase, uint64_t done, uint64_t total) {
    (void)phase, (void)done, (void)total;
    return --*(int *)patience <= 0;
}

static void a_cancel_ends_it(void **state) {
    (void)state;
    zoo_graph g;
    uint64_t sources[MEGURI_BFS_MANY];
    for (int shape = 0; shape < 2 && shape_get(&g, shape ? 12 : 0, 20000); shape++) { /* a path, then uniform */
        for (size_t t = 0; t < THREAD_COUNTS; t++) {
            meguri_build_options o = {.size = sizeof o, .direction = MEGURI_UNDIRECTED};
            subject s = subject_from_zoo(ctx[t], &g, &o);
            uint64_t seed = 3;
            int patience = 1;
            meguri_ctx_options options = {.size = sizeof options,
                                          .threads = thread_counts[t],
                                          .progress = had_enough,
                                          .progress_user = &patience};
            meguri_ctx *c;
            assert_int_equal(meguri_ctx_new(&c, &options), MEGURI_OK);
            choose_sources(sources, &s, &seed);
            assert_int_equal(meguri_bfs_many(c, s.graph, sources, 64, NULL, not_called, NULL), MEGURI_CANCELLED);
            assert_string_equal(meguri_ctx_error(c), "interrupted.");
            context_done(c);
            subject_free(&s);
        }
        zoo_free(&g);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_zoo),
        cmocka_unit_test(shapes),
        cmocka_unit_test(random_graphs),
        cmocka_unit_test(kronecker_graphs),
        cmocka_unit_test(deep_graphs_have_wider_levels),
        cmocka_unit_test(results_come_in_order),
        cmocka_unit_test(bad_arguments_are_refused),
        cmocka_unit_test(a_handle_for_many_passes),
        cmocka_unit_test(every_allocation_fails),
        cmocka_unit_test(a_cancel_ends_it),
    };
    return cmocka_run_group_tests(tests, make_contexts, free_contexts);
}
