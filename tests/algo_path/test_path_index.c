/* An index of a graph: made, saved, opened, asked; the same bytes at any number of threads; and what goes
 * wrong on the way. */
#define _GNU_SOURCE
#include "algo_path/asking.h"
#include "support/faults.h"
#include "support/path_index.h"
#include "support/sinks.h"

#include <sys/stat.h>

/* A graph after a way through a file. Where there is a file system in memory that is used, as syncing takes long. */
static meguri_graph *through_file(meguri_ctx *ctx, const meguri_graph *graph, const meguri_path_index *index) {
    char path[] = "/dev/shm/meguri-index-XXXXXX";
    int fd = mkstemp(path);
    if (fd < 0) {
        strcpy(path, "/var/tmp/meguri-ind-XXXXXX");
        fd = mkstemp(path);
    }
    assert_true(fd >= 0);
    const meguri_save_options options = {.size = sizeof options, .index = index};
    meguri_graph *opened;
    assert_int_equal(meguri_save(ctx, graph, to_file(path), &options), MEGURI_OK);
    assert_int_equal(meguri_open(&opened, ctx, path, NULL), MEGURI_OK);
    unlink(path);
    close(fd);
    return opened;
}

static bool same(double a, double b) { return a == b || fabs(a - b) <= 1e-12 * fabs(a); }

static int note_cost(void *user, const meguri_path *path) {
    *(double *)user = path->cost;
    return 0;
}

/* ---- small graphs ----------------------------------------------------------------------------------------------- */

static void ask_small(meguri_ctx *ctx, const small *s, const meguri_graph *graph, const meguri_path_index *index,
                      meguri_path_direction direction, uint64_t *random) {
    meguri_path_search *search;
    meguri_path_finder_options o = {.size = sizeof o, .direction = direction, .index = index};
    bool served = !s->directed || direction != MEGURI_PATH_BOTH;
    if (!served && index) {
        expect_failure(ctx, search_new(&search, ctx, graph, &o), MEGURI_BAD_ARGUMENT, "either way");
        return;
    }
    assert_int_equal(search_new(&search, ctx, graph, &o), MEGURI_OK);
    for (int i = 0; i < 8; i++) {
        uint32_t from = (uint32_t)(next_random(random) % s->vertices);
        uint32_t to = (uint32_t)(next_random(random) % s->vertices);
        rounds r;
        rounds_from(&r, s, from, direction);
        meguri_path_query q = question(MEGURI_PATH_AUTO, from, to);
        meguri_path_answer answer = {.size = sizeof answer};
        taken t = {0};
        double right = r.cost[MOST_VERTICES - 1][to];
        assert_int_equal(meguri_path_search_run(&answer, ctx, search, &q, take, &t), MEGURI_OK);
        assert_int_equal(answer.algorithm == MEGURI_PATH_INDEXED, served);
        assert_int_equal(t.paths, isfinite(right));
        if (!t.paths) continue;
        assert_true(same(right, t.cost));
        check_path(s, direction, from, to, &t);
        q.has_max_cost = 1, q.max_cost = right / 2;
        assert_int_equal(meguri_path_search_run(&answer, ctx, search, &q, NULL, NULL), MEGURI_OK);
        assert_int_equal(answer.paths, right / 2 >= right);
        q.has_max_cost = 0, q.max_hops = 1 + next_random(random) % 4;
        right = r.cost[q.max_hops][to];
        t = (taken){0};
        assert_int_equal(meguri_path_search_run(&answer, ctx, search, &q, take, &t), MEGURI_OK);
        assert_int_equal(answer.paths, isfinite(right));
        if (answer.paths) assert_true(same(right, t.cost));
    }
    search_free(search);
}

static void small_graphs(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(2);
    uint64_t random = 11;
    for (int i = 0; i < (UNDER_ASAN || UNDER_TSAN ? 200 : 1500); i++) {
        small s;
        small_make(&s, ctx, &random, i % KINDS, i / KINDS % 2);
        meguri_path_index *index;
        assert_int_equal(meguri_path_index_new(&index, ctx, s.graph, NULL), MEGURI_OK);
        meguri_graph *opened = through_file(ctx, s.graph, index);
        for (int direction = MEGURI_PATH_OUT; direction <= MEGURI_PATH_BOTH; direction++) {
            bool here = (direction + i) % 2;
            ask_small(ctx, &s, here ? s.graph : opened, here ? index : NULL, (meguri_path_direction)direction, &random);
        }
        meguri_path_index_free(index);
        meguri_graph_free(opened);
        small_free(&s);
    }
    context_done(ctx);
}

/* ---- larger ones ------------------------------------------------------------------------------------------------ */

/* Streets with one-way ones among them (0), without weights (1), with weights whose sums need 8 bytes (2), with real
 * ones (3); a crowd in which everybody knows everybody, and lines of others that hang on it, whole (4), real (5),
 * directed (6); a star (7); a line of vertices (8). */
enum { LARGER = 9 };
static meguri_graph *larger(meguri_ctx *ctx, int which) {
    enum { SIDE = 24, CROWD = 80, MOST = CROWD * CROWD + SIDE * SIDE };
    static uint32_t from[MOST], to[MOST];
    static double weights[MOST];
    meguri_graph *graph;
    uint64_t random = 12 + (uint64_t)which, count = 0;
    bool crowd = which >= 4 && which <= 6;
    for (uint32_t v = 0; v < CROWD * CROWD && crowd; v++, count++) from[count] = v / CROWD, to[count] = v % CROWD;
    for (uint32_t v = CROWD; v < SIDE * SIDE && crowd; v++, count++)
        from[count] = v, to[count] = next_random(&random) % 2 ? v - CROWD : (uint32_t)(next_random(&random) % v);
    for (uint32_t v = 0; v < SIDE * SIDE && which < 4; v++)
        for (uint32_t i = 0; i < 4; i++) {
            uint32_t x = v % SIDE, y = v / SIDE;
            if (next_random(&random) % 6 == 0 || (i == 0 && !x) || (i == 1 && x == SIDE - 1) || (i == 2 && !y) ||
                (i == 3 && y == SIDE - 1))
                continue;
            from[count] = v;
            to[count] = i == 0 ? v - 1 : i == 1 ? v + 1 : i == 2 ? v - SIDE : v + SIDE;
            count++;
        }
    for (uint32_t v = 1; v < SIDE * SIDE && which >= 7; v++, count++)
        from[count] = which == 7 ? 0 : v - 1, to[count] = v;
    for (uint64_t i = 0; i < count; i++) {
        weights[i] = (double)(next_random(&random) % 50);
        if (which == 2) weights[i] += 4e9;
        if (which == 3 || which == 5) weights[i] += 0.3;
    }
    meguri_edge_arrays arrays = {.size = sizeof arrays,
                                 .count = count,
                                 .from = from,
                                 .to = to,
                                 .id_bytes = 4,
                                 .weights = which == 1 ? NULL : weights,
                                 .weight_type = which == 1 ? MEGURI_TYPE_NONE : MEGURI_TYPE_F64};
    meguri_build_options build = {.size = sizeof build,
                                  .direction = which < 4 || which == 6 ? MEGURI_DIRECTED : MEGURI_UNDIRECTED};
    assert_int_equal(meguri_graph_from_edges(&graph, ctx, &arrays, &build), MEGURI_OK);
    return graph;
}

/* By the index along and against the edges, and by Dijkstra without it. NULL: the index that the graph was opened with.
 */
static void compare(meguri_ctx *ctx, const meguri_graph *graph, const meguri_path_index *index) {
    meguri_path_search *plain, *indexed[2];
    meguri_path_finder_options o = {.size = sizeof o, .index_use = MEGURI_PATH_INDEX_NONE};
    assert_int_equal(search_new(&plain, ctx, graph, &o), MEGURI_OK);
    o.index_use = MEGURI_PATH_INDEX_STORED;
    o.index = index;
    for (int in = 0; in < 2; in++) {
        o.direction = in ? MEGURI_PATH_IN : MEGURI_PATH_OUT;
        assert_int_equal(search_new(&indexed[in], ctx, graph, &o), MEGURI_OK);
    }
    uint64_t random = 13;
    for (int i = 0; i < 150; i++) {
        uint64_t ends[2] = {next_random(&random) % graph->vertices, next_random(&random) % graph->vertices};
        meguri_path_query q = question(MEGURI_PATH_AUTO, ends[0], ends[1]);
        meguri_path_answer answer = {.size = sizeof answer};
        double right = -1;
        assert_int_equal(meguri_path_search_run(&answer, ctx, plain, &q, note_cost, &right), MEGURI_OK);
        assert_int_not_equal(answer.algorithm, MEGURI_PATH_INDEXED);
        for (int in = 0; in < 2; in++) {
            double cost = -1;
            q.from = ends[in], q.to = ends[!in];
            assert_int_equal(meguri_path_search_run(&answer, ctx, indexed[in], &q, note_cost, &cost), MEGURI_OK);
            assert_int_equal(answer.algorithm, MEGURI_PATH_INDEXED);
            assert_true(same(right, cost));
        }
    }
    search_free(plain);
    search_free(indexed[0]);
    search_free(indexed[1]);
}

static meguri_path_index_info facts_of(meguri_ctx *ctx, const meguri_path_index *index) {
    meguri_path_index_info info = {.size = sizeof info};
    assert_int_equal(meguri_path_index_get_info(&info, ctx, index), MEGURI_OK);
    return info;
}

static void larger_graphs(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(2);
    for (int which = 0; which < LARGER; which++) {
        meguri_graph *graph = larger(ctx, which);
        meguri_graph_info has = {.size = sizeof has};
        meguri_path_index *index, *stored, *newer;
        expect_failure(ctx, meguri_path_index_of(&index, ctx, graph), MEGURI_NOT_FOUND, "not opened");
        assert_int_equal(meguri_path_index_new(&index, ctx, graph, NULL), MEGURI_OK);
        assert_int_equal(meguri_graph_get_info(&has, ctx, graph), MEGURI_OK);
        assert_int_equal(has.has_path_index + mg_graph_index_bytes(graph), 0);
        compare(ctx, graph, index);
        meguri_graph *opened = through_file(ctx, graph, index);
        assert_int_equal(meguri_graph_verify(ctx, opened), MEGURI_OK);
        assert_int_equal(meguri_graph_get_info(&has, ctx, opened), MEGURI_OK);
        assert_int_equal(has.has_path_index, 1);
        assert_int_equal(meguri_path_index_of(&stored, ctx, opened), MEGURI_OK);
        meguri_path_index_info info = facts_of(ctx, stored), made = facts_of(ctx, index);
        assert_memory_equal(&info, &made, sizeof info);
        assert_int_equal(info.bytes, mg_graph_index_bytes(opened));
        assert_int_equal(info.uncontracted > 0, which >= 4 && which <= 6);
        compare(ctx, opened, NULL);
        compare(ctx, opened, stored);
        /* Once more over what the file has. */
        assert_int_equal(meguri_path_index_new(&newer, ctx, opened, NULL), MEGURI_OK);
        compare(ctx, opened, newer);
        meguri_graph *again = through_file(ctx, opened, which % 2 ? newer : NULL);
        compare(ctx, again, NULL);
        meguri_graph *graphs[] = {again, opened, graph};
        for (int i = 0; i < 3; i++) meguri_graph_free(graphs[i]);
        meguri_path_index_free(newer);
        meguri_path_index_free(stored);
        meguri_path_index_free(index);
    }
    context_done(ctx);
}

static void same_at_any_number_of_threads(void **state) {
    (void)state;
    for (int which = 0; which < LARGER; which++) {
        meguri_ctx *contexts[THREAD_COUNTS];
        mg_part_data parts[THREAD_COUNTS][MG_INDEX_PARTS];
        meguri_path_index *indexes[THREAD_COUNTS];
        for (size_t t = 0; t < THREAD_COUNTS; t++) {
            contexts[t] = context_with(thread_counts[t]);
            meguri_graph *graph = larger(contexts[t], which);
            assert_int_equal(meguri_path_index_new(&indexes[t], contexts[t], graph, NULL), MEGURI_OK);
            meguri_graph_free(graph);
            mg_path_index_parts(parts[t], indexes[t]);
            for (int i = 0; i < MG_INDEX_PARTS; i++) {
                const mg_part_data *a = &parts[0][i], *b = &parts[t][i];
                assert_int_equal(a->bytes, b->bytes);
                if (a->bytes) assert_memory_equal(a->data, b->data, a->bytes);
            }
        }
        for (size_t t = 0; t < THREAD_COUNTS; t++) {
            meguri_path_index_free(indexes[t]);
            context_done(contexts[t]);
        }
    }
}

/* ---- what goes wrong -------------------------------------------------------------------------------------------- */

static void wrong_arguments(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(2);
    meguri_graph *graph = larger(ctx, 0);
    meguri_graph *other = larger(ctx, 1);
    meguri_path_index *index;
    meguri_path_search *search;
    meguri_path_finder_options o = {.size = sizeof o, .index_use = (meguri_path_index_use)3};
    expect_failure(ctx, search_new(&search, ctx, graph, &o), MEGURI_BAD_ARGUMENT, "in the way 3");
    assert_int_equal(meguri_path_index_new(&index, ctx, other, NULL), MEGURI_OK);
    const meguri_save_options save = {.size = sizeof save, .index = index};
    expect_failure(ctx, meguri_save(ctx, graph, to_file("nowhere.meg"), &save), MEGURI_BAD_ARGUMENT, "another graph");
    o.index = index;
    o.index_use = MEGURI_PATH_INDEX_STORED;
    expect_failure(ctx, search_new(&search, ctx, graph, &o), MEGURI_BAD_ARGUMENT, "another graph");
    o.index_use = MEGURI_PATH_INDEX_NONE;
    expect_failure(ctx, search_new(&search, ctx, other, &o), MEGURI_BAD_ARGUMENT, "index_use");
    meguri_path_index_free(index);
    meguri_graph_free(other);
    assert_int_equal(give_index(ctx, graph), MEGURI_OK);
    o.index = NULL;
    assert_int_equal(search_new(&search, ctx, graph, &o), MEGURI_OK);
    meguri_path_query q = question(MEGURI_PATH_INDEXED, 0, 1);
    meguri_path_answer answer = {.size = sizeof answer};
    expect_failure(ctx, meguri_path_search_run(&answer, ctx, search, &q, NULL, NULL), MEGURI_BAD_ARGUMENT,
                   "has no index");
    search_free(search);
    meguri_graph_free(graph);

    static const uint32_t from[] = {0, 1}, to[] = {1, 2};
    static const double weights[] = {1, -2};
    meguri_edge_arrays arrays = {.size = sizeof arrays,
                                 .count = 2,
                                 .from = from,
                                 .to = to,
                                 .id_bytes = 4,
                                 .weights = weights,
                                 .weight_type = MEGURI_TYPE_F64};
    assert_int_equal(meguri_graph_from_edges(&graph, ctx, &arrays, NULL), MEGURI_OK);
    expect_failure(ctx, meguri_path_index_new(&index, ctx, graph, NULL), MEGURI_BAD_INPUT, "from 1 to 2 is -2");
    assert_null(index);
    meguri_graph_free(graph);
    context_done(ctx);
}

/* No vertices, and vertices without edges. */
static void nothing(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(2);
    for (uint64_t vertices = 0; vertices < 3; vertices++) {
        static const uint32_t none[1];
        meguri_edge_arrays arrays = {
            .size = sizeof arrays, .from = none, .to = none, .id_bytes = 4, .vertices = vertices};
        meguri_graph *graph;
        assert_int_equal(meguri_graph_from_edges(&graph, ctx, &arrays, NULL), MEGURI_OK);
        meguri_path_index *index;
        assert_int_equal(meguri_path_index_new(&index, ctx, graph, NULL), MEGURI_OK);
        meguri_graph *opened = through_file(ctx, graph, index);
        assert_int_equal(meguri_graph_verify(ctx, opened), MEGURI_OK);
        if (vertices) compare(ctx, opened, NULL);
        meguri_path_index_free(index);
        meguri_graph_free(opened);
        meguri_graph_free(graph);
    }
    context_done(ctx);
}

static meguri_status make_index(meguri_ctx *ctx, void *graph) {
    meguri_path_index *index;
    meguri_status status = meguri_path_index_new(&index, ctx, graph, NULL);
    assert_int_equal(index != NULL, status == MEGURI_OK);
    meguri_path_index_free(index);
    return status;
}

static void every_allocation_fails(void **state) {
    (void)state;
    for (int which = 0; which < 5; which += 2) {
        meguri_ctx *ctx = context_with(2);
        meguri_graph *graph = larger(ctx, which);
        mg_rows rows;
        assert_int_equal(mg_graph_in_rows(&rows, ctx, graph), MEGURI_OK); /* which it keeps */
        assert_true(fail_each_allocation(ctx, make_index, graph, LEAVES_ITS_WORK) > 15);
        meguri_graph_free(graph);
        context_done(ctx);
    }
}

static void can_be_cancelled(void **state) {
    (void)state;
    impatient user = {0};
    meguri_ctx *ctx = context_of(&user, 2);
    meguri_graph *graph = larger(ctx, 0);
    cancel_at(ctx, &user, 1, NULL, make_index, graph);
    assert_int_equal(make_index(ctx, graph), MEGURI_OK);
    meguri_graph_free(graph);
    context_done(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_graphs),
        cmocka_unit_test(larger_graphs),
        cmocka_unit_test(same_at_any_number_of_threads),
        cmocka_unit_test(wrong_arguments),
        cmocka_unit_test(nothing),
        cmocka_unit_test(every_allocation_fails),
        cmocka_unit_test(can_be_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
