/* The handle that several searches share, its steps, the trace, and what the front refuses. */
#define _GNU_SOURCE
#include "algo_bfs/searching.h"
#include "support/at_once.h"
#include "support/checks.h"

#include <meguri.h>

/* ---- one search after another ----------------------------------------------------------------------------------- */

/* Sources of all kinds in turn, so that what one search leaves behind would show in the next. */
static void search_many_times(meguri_ctx *const *ctx, const subject *s, const meguri_bfs_options *options, int runs) {
    meguri_bfs_search *search;
    assert_int_equal(meguri_bfs_search_new(&search, ctx[1], s->graph, options), MEGURI_OK);
    uint64_t seed = s->plain.arcs;
    uint32_t isolated = plain_isolated(&s->plain), leaf = plain_leaf(&s->plain);
    for (int run = 0; run < runs; run++) {
        uint64_t source = zoo_random(&seed) % s->plain.vertices;
        if (run % 5 == 2 && isolated != UINT32_MAX) source = isolated;
        if (run % 5 == 4 && leaf != UINT32_MAX) source = leaf;
        const meguri_result *result;
        assert_int_equal(meguri_bfs_search_run(&result, ctx[run % 3], search, source), MEGURI_OK);
        check_result(ctx[run % 3], s, source, options, result);
    }
    meguri_bfs_search_free(search);
}

static void thirty_searches_with_one_handle(void **state) {
    (void)state;
    meguri_ctx *const ctx[] = {context_with(1), context_with(2), context_with(5)};
    zoo_graph g;
    for (int index = 0; shape_get(&g, index, UNDER_TSAN ? 3000 : 1000); index++) {
        for (int turn = 0; turn < 3; turn++) {
            if (UNDER_TSAN && turn != index % 3) continue;
            meguri_build_options o = {.size = sizeof o,
                                      .direction = 1 + (turn + index) % 2,
                                      .order = 1 + turn,
                                      .keep_loops = index % 2,
                                      .duplicates = turn == 1 ? MEGURI_DUPLICATES_KEEP : MEGURI_DUPLICATES_MIN};
            subject s = subject_from_zoo(ctx[1], &g, &o);
            for (int way = turn; way < WAYS; way += 3) {
                meguri_bfs_options options = way_options(way);
                options.max_depth = (uint32_t)(way == 4 ? 3 : 0) - 1;
                options.levels = !(way == 5);
                options.parents = !(way == 6);
                search_many_times(ctx, &s, &options, UNDER_TSAN ? 5 : 30);
            }
            subject_free(&s);
        }
        zoo_free(&g);
    }
    for (size_t t = 0; t < THREAD_COUNTS; t++) context_done(ctx[t]);
}

/* The context that made the handle may go before it does; the text of the ways too. */
static void a_handle_outlives_its_makers(void **state) {
    (void)state;
    meguri_ctx *maker = context_with(2), *runner = context_with(2);
    zoo_graph g = shape_kronecker(maker, 10, 4);
    meguri_build_options o = {.size = sizeof o, .direction = MEGURI_DIRECTED};
    subject s = subject_from_zoo(runner, &g, &o);
    char ways[] = "><<";
    meguri_bfs_options options = {.size = sizeof options,
                                  .max_depth = UINT32_MAX,
                                  .levels = 1,
                                  .parents = 1,
                                  .policy = MEGURI_BFS_FORCED,
                                  .directions = ways};
    meguri_bfs_search *search;
    assert_int_equal(meguri_bfs_search_new(&search, maker, s.graph, &options), MEGURI_OK);
    meguri_ctx_free(maker);
    memcpy(ways, ">>", sizeof ">>");
    uint64_t count;
    for (uint64_t source = 0; source < 5; source++) {
        const meguri_result *result;
        assert_int_equal(meguri_bfs_search_run(&result, runner, search, source), MEGURI_OK);
        check_result(runner, &s, source, &options, result);
        const meguri_bfs_step *steps = mg_bfs_search_steps(search, &count);
        for (uint64_t i = 1; i < count; i++) assert_int_not_equal(steps[i].direction, MEGURI_BFS_DIRECTION_PUSH);
    }
    meguri_bfs_search_free(search);
    subject_free(&s);
    zoo_free(&g);
    context_done(runner);
}

typedef struct searcher {
    meguri_ctx *ctx;
    const meguri_graph *graph;
    uint64_t vertices;
    int32_t *levels;
} searcher;

static void search_from_5(void *what, int thread) {
    searcher *s = (searcher *)what + thread;
    meguri_result *result;
    s->levels = calloc(s->vertices, sizeof(int32_t));
    meguri_column column = {.size = sizeof column};
    if (!s->levels || meguri_bfs(&result, s->ctx, s->graph, 5, NULL) != MEGURI_OK) return;
    if (meguri_result_column(&column, result, "level") == MEGURI_OK)
        memcpy(s->levels, column.data, s->vertices * sizeof(int32_t));
    meguri_result_free(result);
}

/* Two handles of one graph, each in a thread of its own. */
static void handles_work_side_by_side(void **state) {
    (void)state;
    meguri_ctx *const ctx[] = {context_with(2), context_with(2)};
    zoo_graph g = shape_kronecker(ctx[0], 12, 8);
    meguri_build_options o = {.size = sizeof o, .direction = MEGURI_DIRECTED, .order = MEGURI_ORDER_DEGREE};
    subject s = subject_from_zoo(ctx[0], &g, &o);
    searcher searchers[2] = {{ctx[0], s.graph, g.vertices, NULL}, {ctx[1], s.graph, g.vertices, NULL}};
    at_once(2, search_from_5, searchers);
    answer right = plain_search(&s.plain, 5, 0);
    for (int i = 0; i < 2; i++) {
        assert_memory_equal(searchers[i].levels, right.level, g.vertices * sizeof(int32_t));
        free(searchers[i].levels);
    }
    answer_free(&right);
    subject_free(&s);
    zoo_free(&g);
    context_done(ctx[1]);
    context_done(ctx[0]);
}

/* ---- steps ------------------------------------------------------------------------------------------------------ */

static void check_steps(const meguri_bfs_search *search, const meguri_result *result,
                        const meguri_bfs_options *options) {
    uint64_t count, reached = 1, edges = 0, frontier = 1;
    const meguri_bfs_step *steps = mg_bfs_search_steps(search, &count);
    for (uint64_t i = 0; i < count; i++) {
        reached += steps[i].reached;
        edges += steps[i].edges;
        assert_true(steps[i].seconds >= 0);
        if (steps[i].direction == MEGURI_BFS_DIRECTION_FILL) {
            assert_int_equal(i, count - 1);
            continue;
        }
        assert_int_equal(steps[i].frontier, frontier);
        frontier = steps[i].reached;
        bool pull = steps[i].direction == MEGURI_BFS_DIRECTION_PULL;
        if (options->policy == MEGURI_BFS_PUSH) assert_false(pull);
        if (options->policy == MEGURI_BFS_PULL) assert_true(pull);
        if (options->policy == MEGURI_BFS_FORCED) {
            uint64_t last = strlen(options->directions) - 1;
            assert_int_equal(pull, options->directions[i < last ? i : last] == '<');
        }
    }
    assert_int_equal(reached, fact_of(result, "reached"));
    assert_int_equal(edges, fact_of(result, "edges"));
    if (options->max_depth < UINT32_MAX)
        assert_true(count <= mg_levels_within(options->max_depth)); /* one less, and the fill */
}

static void steps_tell_what_happened(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(2);
    zoo_graph g;
    for (int index = 0; shape_get(&g, index, UNDER_TSAN ? 300 : 3000); index++) {
        meguri_build_options o = {.size = sizeof o, .direction = 1 + index % 2, .order = 1 + index % 3};
        subject s = subject_from_zoo(ctx, &g, &o);
        uint32_t isolated = plain_isolated(&s.plain);
        for (int way = 0; way < WAYS; way++) {
            meguri_bfs_options options = way_options(way);
            if (way == 3 || way == 6) options.max_depth = (uint32_t)(4) - 1;
            meguri_bfs_search *search;
            uint64_t count = 77;
            assert_int_equal(meguri_bfs_search_new(&search, ctx, s.graph, &options), MEGURI_OK);
            mg_bfs_search_steps(search, &count);
            assert_int_equal(count, 0); /* nothing has run */
            for (int run = 0; run < 4; run++) {
                const meguri_result *result;
                uint64_t source = run == 3 && isolated != UINT32_MAX ? isolated : (uint64_t)(37 * run);
                assert_int_equal(meguri_bfs_search_run(&result, ctx, search, source), MEGURI_OK);
                check_steps(search, result, &options);
            }
            meguri_bfs_search_free(search);
        }
        subject_free(&s);
        zoo_free(&g);
    }
    context_done(ctx);
}

/* On a skewed graph auto and p1 use both ways. */
static void policies_change_the_way(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(2);
    meguri_kronecker_options k = {.size = sizeof k, .scale = UNDER_TSAN ? 12 : 15};
    meguri_graph *graph;
    assert_int_equal(meguri_gen_kronecker(&graph, ctx, &k), MEGURI_OK);
    for (int policy = MEGURI_BFS_AUTO; policy <= MEGURI_BFS_P1; policy++) {
        meguri_bfs_options options = {.size = sizeof options,
                                      .max_depth = UINT32_MAX,
                                      .levels = 1,
                                      .parents = 1,
                                      .policy = (meguri_bfs_policy)policy,
                                      .alpha = 10,
                                      .beta = 14};
        meguri_bfs_search *search;
        const meguri_result *result;
        uint64_t count, source = 0, degree = 0;
        while (meguri_graph_degrees(&degree, ctx, graph, source, 1) == MEGURI_OK && degree < 3) source++;
        assert_int_equal(meguri_bfs_search_new(&search, ctx, graph, &options), MEGURI_OK);
        assert_int_equal(meguri_bfs_search_run(&result, ctx, search, source), MEGURI_OK);
        const meguri_bfs_step *steps = mg_bfs_search_steps(search, &count);
        bool used[3] = {false};
        for (uint64_t i = 0; i < count; i++) used[steps[i].direction] = true;
        assert_true(used[MEGURI_BFS_DIRECTION_PUSH]);
        assert_true(used[MEGURI_BFS_DIRECTION_PULL]);
        meguri_bfs_search_free(search);
    }
    /* alpha near nothing: never a pull. */
    meguri_bfs_options options = {.size = sizeof options,
                                  .max_depth = UINT32_MAX,
                                  .levels = 1,
                                  .parents = 1,
                                  .policy = MEGURI_BFS_P1,
                                  .alpha = 1e-9,
                                  .beta = 14};
    meguri_bfs_search *search;
    const meguri_result *result;
    uint64_t count;
    assert_int_equal(meguri_bfs_search_new(&search, ctx, graph, &options), MEGURI_OK);
    assert_int_equal(meguri_bfs_search_run(&result, ctx, search, 1), MEGURI_OK);
    const meguri_bfs_step *steps = mg_bfs_search_steps(search, &count);
    for (uint64_t i = 0; i < count; i++) assert_int_not_equal(steps[i].direction, MEGURI_BFS_DIRECTION_PULL);
    meguri_bfs_search_free(search);
    meguri_graph_free(graph);
    context_done(ctx);
}

/* ---- trace ------------------------------------------------------------------------------------------------------ */

static void each_step_has_a_line_in_the_trace(void **state) {
    (void)state;
    char folder[FOLDER_TEXT], path[FOLDER_TEXT + 8], line[512];
    folder_new(folder);
    snprintf(path, sizeof path, "%s/trace", folder);
    meguri_ctx *ctx = context_with(2);
    meguri_kronecker_options k = {.size = sizeof k, .scale = 11};
    meguri_graph *graph;
    assert_int_equal(meguri_gen_kronecker(&graph, ctx, &k), MEGURI_OK);
    meguri_bfs_options options = {.size = sizeof options,
                                  .max_depth = UINT32_MAX,
                                  .levels = 1,
                                  .parents = 1,
                                  .policy = MEGURI_BFS_FORCED,
                                  .directions = "><>"};
    meguri_bfs_search *search;
    const meguri_result *result;
    uint64_t count, seen = 0, pushes = 0, pulls = 0, checks = 0;
    assert_int_equal(meguri_bfs_search_new(&search, ctx, graph, &options), MEGURI_OK);
    assert_int_equal(meguri_ctx_trace(ctx, path), MEGURI_OK);
    assert_int_equal(meguri_bfs_search_run(&result, ctx, search, 1), MEGURI_OK);
    const int32_t *level = column_of(result, "level", MEGURI_TYPE_I32, (uint64_t)1 << 11);
    assert_int_equal(mg_bfs_check(ctx, graph, 1, level, NULL, 0), MEGURI_OK);
    assert_int_equal(meguri_ctx_trace(ctx, NULL), MEGURI_OK);
    const meguri_bfs_step *steps = mg_bfs_search_steps(search, &count);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        char wanted[128];
        checks += strstr(line, "\"run\":\"check\"") != NULL;
        if (!strstr(line, "\"run\":\"bfs\"") || !strstr(line, "\"step\":")) continue;
        assert_true(seen < count);
        snprintf(wanted, sizeof wanted, "\"step\":%d,\"frontier\":%d,\"edges\":%d,", (int)seen,
                 (int)steps[seen].frontier, (int)steps[seen].edges);
        if (!strstr(line, wanted)) fail_msg("no %s in %s", wanted, line);
        assert_non_null(strstr(line, "\"engine\":\"host\",\"lane\":0,\"threads\":2,\"start_us\":"));
        pushes += strstr(line, "\"way\":\"push\"") != NULL;
        pulls += strstr(line, "\"way\":\"pull\"") != NULL;
        seen++;
    }
    fclose(file);
    assert_int_equal(seen, count);
    assert_int_equal(checks, 1);
    assert_int_equal(pulls, 1);
    assert_true(pushes > 1);
    meguri_bfs_search_free(search);
    meguri_graph_free(graph);
    folder_remove(folder);
    context_done(ctx);
}

/* ---- what is refused -------------------------------------------------------------------------------------------- */

static void refuse(meguri_ctx *ctx, const meguri_graph *graph, uint64_t source, const meguri_bfs_options *options,
                   meguri_status wanted, const char *part) {
    meguri_result *result = (meguri_result *)1;
    assert_int_equal(meguri_bfs(&result, ctx, graph, source, options), wanted);
    assert_null(result);
    const char *error = meguri_ctx_error(ctx);
    if (!strstr(error, part)) fail_msg("'%s' in '%s'", part, error);
    assert_int_equal(error[strlen(error) - 1], '.');
}

static void bad_arguments_are_refused(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(2);
    zoo_graph g = {.vertices = 3};
    shape_add(&g, 0, 1);
    meguri_build_options o = {.size = sizeof o};
    meguri_graph *graph;
    assert_int_equal(zoo_build(&graph, ctx, &g, &o), MEGURI_OK);
    meguri_result *result;
    assert_int_equal(meguri_bfs(NULL, ctx, graph, 0, NULL), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_bfs(&result, NULL, graph, 0, NULL), MEGURI_BAD_ARGUMENT);
    refuse(ctx, NULL, 0, NULL, MEGURI_BAD_ARGUMENT, "graph");
    refuse(ctx, graph, 3, NULL, MEGURI_NOT_FOUND, "no vertex 3 in a graph of 3");
    refuse(ctx, graph, UINT64_MAX, NULL, MEGURI_NOT_FOUND, "18446744073709551615");
    refuse(ctx, graph, (uint64_t)1 << 32, NULL, MEGURI_NOT_FOUND, "4294967296");
    meguri_bfs_options b = {.size = 0, .max_depth = UINT32_MAX, .levels = 1, .parents = 1};
    refuse(ctx, graph, 0, &b, MEGURI_BAD_ARGUMENT, "size field");
    b = (meguri_bfs_options){
        .size = sizeof b, .max_depth = UINT32_MAX, .levels = 1, .parents = 1, .policy = (meguri_bfs_policy)5};
    refuse(ctx, graph, 0, &b, MEGURI_BAD_ARGUMENT, "policy");
    b.policy = (meguri_bfs_policy)-1;
    refuse(ctx, graph, 0, &b, MEGURI_BAD_ARGUMENT, "policy");
    b.policy = MEGURI_BFS_FORCED;
    refuse(ctx, graph, 0, &b, MEGURI_BAD_ARGUMENT, "ways");
    b.directions = "";
    refuse(ctx, graph, 0, &b, MEGURI_BAD_ARGUMENT, "ways");
    b.directions = "<>x";
    refuse(ctx, graph, 0, &b, MEGURI_BAD_ARGUMENT, "ways");
    static const double bad[] = {-1, 0.0 / 0.0, -1.0 / 0.0};
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        b = (meguri_bfs_options){.size = sizeof b,
                                 .max_depth = UINT32_MAX,
                                 .levels = 1,
                                 .parents = 1,
                                 .policy = MEGURI_BFS_P1,
                                 .alpha = bad[i],
                                 .beta = 14};
        refuse(ctx, graph, 0, &b, MEGURI_BAD_ARGUMENT, "alpha");
        b = (meguri_bfs_options){.size = sizeof b,
                                 .max_depth = UINT32_MAX,
                                 .levels = 1,
                                 .parents = 1,
                                 .policy = MEGURI_BFS_P1,
                                 .beta = bad[i],
                                 .alpha = 10};
        refuse(ctx, graph, 0, &b, MEGURI_BAD_ARGUMENT, "beta");
    }
    /* All is well with a shorter struct, and without one. */
    size_t shorter = sizeof(size_t);
    assert_int_equal(meguri_bfs(&result, ctx, graph, 0, (const meguri_bfs_options *)(const void *)&shorter), MEGURI_OK);
    meguri_result_free(result);
    assert_int_equal(meguri_bfs(&result, ctx, graph, 2, NULL), MEGURI_OK);
    assert_int_equal(fact_of(result, "reached"), 1);
    meguri_result_free(result);
    meguri_graph_free(graph);
    zoo_free(&g);
    context_done(ctx);
}

static void the_handle_refuses_too(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(2);
    meguri_graph *graph, *empty;
    zoo_graph g = {.vertices = 3};
    shape_add(&g, 0, 1);
    meguri_build_options o = {.size = sizeof o, .direction = MEGURI_UNDIRECTED};
    assert_int_equal(zoo_build(&graph, ctx, &g, &o), MEGURI_OK);
    assert_int_equal(zoo_build(&empty, ctx, &(zoo_graph){.count = 0}, &o), MEGURI_OK);
    meguri_bfs_search *search = (meguri_bfs_search *)1;
    const meguri_result *result = (meguri_result *)1;
    meguri_bfs_options bad = {
        .size = sizeof bad, .max_depth = UINT32_MAX, .levels = 1, .parents = 1, .policy = MEGURI_BFS_FORCED};
    assert_int_equal(meguri_bfs_search_new(NULL, ctx, graph, NULL), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_bfs_search_new(&search, NULL, graph, NULL), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_bfs_search_new(&search, ctx, NULL, NULL), MEGURI_BAD_ARGUMENT);
    assert_null(search);
    assert_int_equal(meguri_bfs_search_new(&search, ctx, graph, &bad), MEGURI_BAD_ARGUMENT);
    assert_null(search);
    assert_int_equal(meguri_bfs_search_run(&result, ctx, NULL, 0), MEGURI_BAD_ARGUMENT);
    assert_null(result);
    meguri_bfs_search_free(NULL);
    uint64_t count = 5;
    assert_null(mg_bfs_search_steps(NULL, &count));
    assert_int_equal(count, 0);

    assert_int_equal(meguri_bfs_search_new(&search, ctx, graph, NULL), MEGURI_OK);
    for (int run = 0; run < 2; run++) { /* a refusal does not spoil the handle */
        assert_int_equal(meguri_bfs_search_run(NULL, ctx, search, 0), MEGURI_BAD_ARGUMENT);
        assert_int_equal(meguri_bfs_search_run(&result, NULL, search, 0), MEGURI_BAD_ARGUMENT);
        assert_int_equal(meguri_bfs_search_run(&result, ctx, search, 3), MEGURI_NOT_FOUND);
        assert_null(result);
        assert_int_equal(meguri_bfs_search_run(&result, ctx, search, 1), MEGURI_OK);
        assert_int_equal(fact_of(result, "reached"), 2);
        assert_int_equal(fact_of(result, "depth"), 1);
    }
    meguri_bfs_search_free(search);

    /* No vertex, no search; but a handle of nothing is fine. */
    refuse(ctx, empty, 0, NULL, MEGURI_NOT_FOUND, "no vertex 0");
    assert_int_equal(meguri_bfs_search_new(&search, ctx, empty, NULL), MEGURI_OK);
    assert_int_equal(meguri_bfs_search_run(&result, ctx, search, 0), MEGURI_NOT_FOUND);
    meguri_bfs_search_free(search);
    assert_int_equal(mg_bfs_check(ctx, empty, 0, (int32_t[]){0}, NULL, 0), MEGURI_NOT_FOUND);
    meguri_graph_free(graph);
    meguri_graph_free(empty);
    zoo_free(&g);
    context_done(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(thirty_searches_with_one_handle), cmocka_unit_test(a_handle_outlives_its_makers),
        cmocka_unit_test(handles_work_side_by_side),       cmocka_unit_test(steps_tell_what_happened),
        cmocka_unit_test(policies_change_the_way),         cmocka_unit_test(each_step_has_a_line_in_the_trace),
        cmocka_unit_test(bad_arguments_are_refused),       cmocka_unit_test(the_handle_refuses_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
