/* Many questions at once: the same answers as one after another, in their order, at any number of threads. */
#define _GNU_SOURCE
#include "algo_path/asking.h"

enum { QUESTIONS = 3000, SMALL_QUESTIONS = 600 };

typedef struct record {
    uint64_t paths, hops, sum; /* sum of vertices, edges, index */
    double cost;
    meguri_path_end end;
} record;

/* Who takes answers. Notes what comes, and that it comes in order. */
typedef struct taker {
    record *records;
    uint64_t next;      /* question whose answer comes next */
    uint64_t stop_at;   /* the answer to this one is not taken; UINT64_MAX: all are */
    uint64_t refuse_at; /* of this one no path is wanted after the first; UINT64_MAX: none is */
} taker;

static void add_path(record *r, const meguri_path *path) {
    r->paths++;
    r->hops += path->hops;
    r->cost += path->cost;
    for (uint64_t i = 0; i <= path->hops; i++) r->sum = r->sum * 31 + path->vertices[i] + (uint64_t)path->costs[i];
    for (uint64_t i = 0; i < path->hops; i++) r->sum = r->sum * 31 + path->edges[i];
}

static int many_path(void *user, uint64_t question_number, const meguri_path *path) {
    taker *t = user;
    if (question_number != t->next) return 1;
    assert_int_equal(path->index, t->records[question_number].paths);
    add_path(&t->records[question_number], path);
    return question_number == t->refuse_at;
}

static meguri_status many_answer(void *user, uint64_t question_number, const meguri_path_answer *answer) {
    taker *t = user;
    if (question_number != t->next || answer->paths != t->records[question_number].paths) return MEGURI_WRONG_ANSWER;
    t->records[question_number].end = answer->end;
    t->next++;
    return question_number == t->stop_at ? MEGURI_NO_DISK : MEGURI_OK;
}

static int single_path(void *user, const meguri_path *path) {
    add_path(user, path);
    return 0;
}

/* Of all kinds, with limits of their own. */
static void draw_questions(meguri_path_query *queries, uint64_t count, uint64_t vertices, uint64_t seed) {
    static const meguri_path_algorithm kinds[] = {MEGURI_PATH_AUTO, MEGURI_PATH_DIJKSTRA, MEGURI_PATH_ASTAR,
                                                  MEGURI_PATH_BIDIRECTIONAL, MEGURI_PATH_SHORTEST};
    for (uint64_t i = 0; i < count; i++) {
        uint64_t draw = next_random(&seed);
        queries[i] = question(kinds[i % COUNT_OF(kinds)], draw % vertices, (draw >> 20) % vertices);
        if (draw >> 60 == 0) queries[i].max_hops = 30;
        if (draw >> 60 == 1) queries[i].has_max_cost = 1, queries[i].max_cost = 1e5;
    }
}

static meguri_graph *town(meguri_ctx *ctx) {
    meguri_grid_options g = {.size = sizeof g, .width = 20, .height = 20};
    meguri_graph *graph;
    assert_int_equal(meguri_gen_grid(&graph, ctx, &g), MEGURI_OK);
    return graph;
}

static void same_answers_in_order(void **state) {
    (void)state;
    uint64_t count = UNDER_ASAN || UNDER_TSAN ? SMALL_QUESTIONS : QUESTIONS;
    meguri_path_query *queries = malloc(count * sizeof *queries);
    record *right = calloc(count, sizeof *right), *records = malloc(count * sizeof *records);
    for (size_t i = 0; i < THREAD_COUNTS; i++) {
        meguri_ctx *ctx = context_with(thread_counts[i]);
        meguri_graph *graph = town(ctx);
        meguri_path_search *search;
        assert_int_equal(search_new(&search, ctx, graph, NULL), MEGURI_OK);
        draw_questions(queries, count, graph->vertices, 3);
        for (uint64_t q = 0; q < count && i == 0; q++) {
            meguri_path_answer answer = {.size = sizeof answer};
            assert_int_equal(meguri_path_search_run(&answer, ctx, search, &queries[q], single_path, &right[q]),
                             MEGURI_OK);
        }
        memset(records, 0, count * sizeof *records);
        taker t = {.records = records, .stop_at = UINT64_MAX, .refuse_at = UINT64_MAX};
        assert_int_equal(meguri_path_many(ctx, search, queries, count, many_path, many_answer, &t), MEGURI_OK);
        assert_int_equal(t.next, count);
        for (uint64_t q = 0; q < count; q++) {
            assert_int_equal(records[q].paths, right[q].paths);
            assert_int_equal(records[q].sum, right[q].sum);
            assert_int_equal(records[q].end, MEGURI_PATH_COMPLETE);
        }
        search_free(search);
        meguri_graph_free(graph);
        context_done(ctx);
    }
    free(queries);
    free(right);
    free(records);
}

static void takers_may_stop(void **state) {
    (void)state;
    enum { COUNT = 200 };
    for (size_t i = 0; i < THREAD_COUNTS; i++) {
        meguri_ctx *ctx = context_with(thread_counts[i]);
        meguri_graph *graph = town(ctx);
        meguri_path_search *search;
        assert_int_equal(search_new(&search, ctx, graph, NULL), MEGURI_OK);
        meguri_path_query queries[COUNT];
        record records[COUNT] = {{0}};
        for (int q = 0; q < COUNT; q++) queries[q] = question(MEGURI_PATH_BIDIRECTIONAL, 5, 5 + (uint64_t)q % 9);
        taker t = {.records = records, .stop_at = 150, .refuse_at = 100};
        assert_int_equal(meguri_path_many(ctx, search, queries, COUNT, many_path, many_answer, &t), MEGURI_NO_DISK);
        assert_non_null(strstr(meguri_ctx_error(ctx), "number 151 was not taken"));
        assert_int_equal(t.next, 151);
        assert_int_equal(records[100].end, MEGURI_PATH_STOPPED);
        assert_int_equal(records[101].end, MEGURI_PATH_COMPLETE);
        for (int q = 0; q < COUNT; q++) records[q] = (record){.paths = 1}; /* whether, but not which way */
        t = (taker){.records = records, .stop_at = UINT64_MAX};
        assert_int_equal(meguri_path_many(ctx, search, queries, COUNT, NULL, many_answer, &t), MEGURI_OK);
        assert_int_equal(t.next, COUNT);
        queries[7].to = graph->vertices;
        assert_int_equal(meguri_path_many(ctx, search, queries, COUNT, NULL, many_answer, &t), MEGURI_NOT_FOUND);
        search_free(search);
        meguri_graph_free(graph);
        context_done(ctx);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_answers_in_order), cmocka_unit_test(takers_may_stop)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
