/* Eight threads and one context: every algorithm at once, with the same graph and finder. A program without arguments
 * goes on for 2 seconds; `callers_everything 60` for a minute. */
#define _GNU_SOURCE
#include "support/at_once.h"
#include "support/unit.h"

#include <meguri.h>
#include <meguri/extra/overview.h>
#include <string.h>

#define THREADS 8

static double seconds = 2;

typedef struct all {
    meguri_ctx *ctx;
    meguri_graph *graph;
    meguri_path_finder *finder;
    double end;
    uint64_t calls;
    int failures;
} all;

static meguri_status take(void *user, uint64_t index, const meguri_result *result) {
    (void)user, (void)index;
    return result ? MEGURI_OK : MEGURI_WRONG_ANSWER;
}

static meguri_status take_answer(void *user, uint64_t index, const meguri_path_answer *answer) {
    (void)user, (void)index;
    return answer ? MEGURI_OK : MEGURI_WRONG_ANSWER;
}

static meguri_status ask_many(all *a, meguri_ctx *ctx, uint64_t from) {
    meguri_path_search *search;
    meguri_path_query queries[20];
    meguri_status status = meguri_path_search_new(&search, ctx, a->finder);
    for (uint64_t i = 0; i < COUNT_OF(queries); i++)
        queries[i] = (meguri_path_query){.size = sizeof *queries, .from = from, .to = 1 + i};
    if (status == MEGURI_OK) status = meguri_path_many(ctx, search, queries, 20, NULL, take_answer, NULL);
    if (status == MEGURI_OK) meguri_path_search_free(search);
    return status;
}

static meguri_status ask_one(all *a, meguri_ctx *ctx, uint64_t from) {
    meguri_path_answer answer = {.size = sizeof answer};
    const meguri_path_query query = {.size = sizeof query, .from = from, .to = 5};
    return meguri_path_find(&answer, ctx, a->finder, &query, NULL, NULL);
}

static meguri_status call_one(all *a, meguri_ctx *ctx, uint64_t i) {
    meguri_result *result = NULL;
    uint64_t count, vertices[5], sources[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, source = i * 31 % 900;
    double values[5];
    meguri_betweenness_options some = {.size = sizeof some, .count = 5};
    meguri_status status = MEGURI_OK;
    switch (i % 14) {
    case 0: status = meguri_bfs(&result, ctx, a->graph, source, NULL); break;
    case 1: status = meguri_sssp(&result, ctx, a->graph, source, NULL); break;
    case 2: status = meguri_pagerank(&result, ctx, a->graph, NULL); break;
    case 3: status = meguri_components(&result, ctx, a->graph, NULL); break;
    case 4: status = meguri_betweenness(&result, ctx, a->graph, &some); break;
    case 5: status = meguri_communities(&result, ctx, a->graph, NULL); break;
    case 6: status = meguri_clustering(&result, ctx, a->graph, NULL); break;
    case 7: status = meguri_cores(&result, ctx, a->graph, NULL); break;
    case 8: status = meguri_triangles(&result, ctx, a->graph, NULL); break;
    case 9: status = meguri_bfs_many(ctx, a->graph, sources, 10, NULL, take, NULL); break;
    case 10: status = meguri_sssp_many(ctx, a->graph, sources, 10, NULL, take, NULL); break;
    case 11: status = meguri_sssp_table(ctx, a->graph, sources, 10, sources, 5, NULL, take, NULL); break;
    case 12: status = ask_many(a, ctx, source); break;
    default: status = ask_one(a, ctx, source);
    }
    if (status == MEGURI_OK && i % 14 == 2)
        status = meguri_result_top(vertices, values, &count, ctx, a->graph, result, "rank", 5);
    meguri_result_free(result);
    return status;
}

static void call_all(void *what, int thread) {
    all *a = what;
    for (uint64_t i = (uint64_t)thread * 5; mg_now() < a->end; i++) {
        meguri_ctx *child = NULL;
        meguri_status status = MEGURI_OK;
        if (i % 3 == 0) status = meguri_ctx_child(&child, a->ctx, NULL);
        if (status == MEGURI_OK) status = call_one(a, child ? child : a->ctx, i);
        if (status != MEGURI_OK) {
            print_message("%d: %s\n", (int)(i % 14), meguri_ctx_error(child ? child : a->ctx));
            __atomic_fetch_add(&a->failures, 1, __ATOMIC_RELAXED);
        }
        __atomic_fetch_add(&a->calls, 1, __ATOMIC_RELAXED);
        meguri_ctx_free(child);
    }
}

static void every_algorithm_at_once(void **state) {
    (void)state;
    all a = {.ctx = context_with(3)};
    meguri_grid_options grid;
    meguri_grid_options_init(&grid, sizeof grid);
    grid.width = grid.height = 30;
    assert_int_equal(meguri_gen_grid(&a.graph, a.ctx, &grid), MEGURI_OK);
    assert_int_equal(meguri_path_finder_new(&a.finder, a.ctx, a.graph, NULL), MEGURI_OK);
    a.end = mg_now() + seconds;
    at_once(THREADS, call_all, &a);
    assert_int_equal(a.failures, 0);
    print_message("%d calls\n", (int)a.calls);
    meguri_path_finder_free(a.finder);
    meguri_graph_free(a.graph);
    context_done(a.ctx);
}

/* ---- one at a time ---------------------------------------------------------------------------------------------- */

typedef struct sharing {
    meguri_ctx *ctx;
    meguri_bfs_search *bfs;
    meguri_sssp_search *sssp;
    meguri_path_search *path;
    int done[3], busy[3];
} sharing;

static void count(sharing *s, int which, meguri_status status) {
    if (status == MEGURI_BUSY && !strstr(meguri_ctx_error(s->ctx), "one at a time")) status = MEGURI_WRONG_ANSWER;
    if (status == MEGURI_BUSY) __atomic_fetch_add(&s->busy[which], 1, __ATOMIC_RELAXED);
    else if (status == MEGURI_OK) __atomic_fetch_add(&s->done[which], 1, __ATOMIC_RELAXED);
    else fail_msg("%d: %s", which, meguri_ctx_error(s->ctx));
}

static void share(void *what, int thread) {
    sharing *s = what;
    for (uint64_t i = 0; i < 200; i++) {
        const meguri_result *result;
        meguri_path_answer answer = {.size = sizeof answer};
        const meguri_path_query query = {.size = sizeof query, .from = i, .to = (uint64_t)thread};
        count(s, 0, meguri_bfs_search_run(&result, s->ctx, s->bfs, i));
        count(s, 1, meguri_sssp_search_run(&result, s->ctx, s->sssp, i));
        count(s, 2, meguri_path_search_run(&answer, s->ctx, s->path, &query, NULL, NULL));
    }
}

static void searches_serve_one_call_at_a_time(void **state) {
    (void)state;
    sharing s = {.ctx = context_with(2)};
    meguri_graph *graph = NULL;
    meguri_path_finder *finder;
    meguri_grid_options grid;
    meguri_grid_options_init(&grid, sizeof grid);
    grid.width = grid.height = 30;
    assert_int_equal(meguri_gen_grid(&graph, s.ctx, &grid), MEGURI_OK);
    assert_int_equal(meguri_bfs_search_new(&s.bfs, s.ctx, graph, NULL), MEGURI_OK);
    assert_int_equal(meguri_sssp_search_new(&s.sssp, s.ctx, graph, NULL), MEGURI_OK);
    assert_int_equal(meguri_path_finder_new(&finder, s.ctx, graph, NULL), MEGURI_OK);
    assert_int_equal(meguri_path_search_new(&s.path, s.ctx, finder), MEGURI_OK);
    at_once(4, share, &s);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(s.done[i] + s.busy[i], 800);
        assert_true(s.done[i] > 0);
    }
    meguri_path_search_free(s.path);
    meguri_path_finder_free(finder);
    meguri_sssp_search_free(s.sssp);
    meguri_bfs_search_free(s.bfs);
    meguri_graph_free(graph);
    context_done(s.ctx);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_algorithm_at_once),
        cmocka_unit_test(searches_serve_one_call_at_a_time),
    };
    if (argc > 1) seconds = atof(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
