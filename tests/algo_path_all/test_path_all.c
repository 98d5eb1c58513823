/* All paths with the fewest edges, all paths, all simple paths and the k cheapest of thousands of small graphs, against
 * brute force: parallel edges, loops, weights of zero, ties, parts that are not joined, every direction and order. */
#define _GNU_SOURCE
#include "algo_path_all/walking.h"

#define GRAPHS (UNDER_TSAN ? 150 : UNDER_ASAN ? 600 : 6000)

static const meguri_path_algorithm algorithms[] = {MEGURI_PATH_ALL_SHORTEST, MEGURI_PATH_ALL, MEGURI_PATH_SIMPLE,
                                                   MEGURI_PATH_YENS};

static meguri_path_query random_query(const small_graph *g, meguri_path_algorithm algorithm, uint64_t *random) {
    meguri_path_query q = {.size = sizeof q, .algorithm = algorithm, .limit = (uint64_t)1 << 40};
    q.from = next_random(random) % g->vertices;
    q.to = next_random(random) % g->vertices;
    if (next_random(random) % 2) q.max_hops = 1 + next_random(random) % 6;
    if (next_random(random) % 3 == 0) {
        q.has_max_cost = 1;
        q.max_cost = (double)(next_random(random) % 12);
    }
    if (algorithm == MEGURI_PATH_ALL && g->edges > 6 && (!q.max_hops || q.max_hops > 4))
        q.max_hops = 2 + g->vertices / 3; /* else there are too many */
    if (algorithm == MEGURI_PATH_YENS) q.k = (uint64_t)1 << 40;
    return q;
}

static void print_graph(const small_graph *g, const meguri_path_query *q, int direction, int order) {
    print_error("algorithm %d from %d to %d max_hops %d max_cost %g (%d), direction %d, order %d, %s:\n",
                (int)q->algorithm, (int)q->from, (int)q->to, (int)q->max_hops, q->max_cost, q->has_max_cost, direction,
                order, g->directed ? "directed" : "undirected");
    for (uint32_t i = 0; i < g->edges; i++) print_error("  %u %u %g\n", g->from[i], g->to[i], g->weight[i]);
}

/* The order of enumerations is promised, parallel edges by weight; so lists are equal one by one. */
static bool equal_lists(const path_list *a, const path_list *b) {
    if (a->count != b->count) return false;
    for (uint64_t i = 0; i < a->count; i++)
        if (!same_path(&a->paths[i], &b->paths[i])) return false;
    return true;
}

static int by_all(const void *a, const void *b) {
    const kept_path *x = a, *y = b;
    if (x->hops != y->hops) return x->hops < y->hops ? -1 : 1;
    int order = memcmp(x->vertices, y->vertices, (x->hops + 1) * sizeof *x->vertices);
    return order ? order : memcmp(x->costs, y->costs, (x->hops + 1) * sizeof *x->costs);
}

/* Costs never fall; and once the order among equal costs does not count, the lists are the same. */
static bool equal_by_cost(path_list *a, path_list *b) {
    if (a->count != b->count) return false;
    for (uint64_t i = 0; i < a->count; i++)
        if (a->paths[i].costs[a->paths[i].hops] != b->paths[i].costs[b->paths[i].hops]) return false;
    if (a->count == 0) return true;
    qsort(a->paths, a->count, sizeof *a->paths, by_all);
    qsort(b->paths, b->count, sizeof *b->paths, by_all);
    return equal_lists(a, b);
}

static int by_edges(const void *a, const void *b) {
    const kept_path *x = a, *y = b;
    if (x->hops != y->hops) return x->hops < y->hops ? -1 : 1;
    return memcmp(x->edges, y->edges, x->hops * sizeof *x->edges);
}

/* No path comes twice: as edges, not as vertices. */
static bool all_different(path_list *list) {
    if (list->count < 2) return true;
    qsort(list->paths, list->count, sizeof *list->paths, by_edges);
    for (uint64_t i = 1; i < list->count; i++)
        if (by_edges(&list->paths[i - 1], &list->paths[i]) == 0) return false;
    return true;
}

static void check(meguri_ctx *ctx, const small_graph *g, meguri_path_search *search, const meguri_path_query *q,
                  meguri_path_direction direction, int order) {
    meguri_path_answer answer;
    path_list got = ask(&answer, ctx, search, q), want = brute_force(g, q, direction);
    bool good = q->algorithm == MEGURI_PATH_YENS ? equal_by_cost(&got, &want) : equal_lists(&got, &want);
    good = all_different(&got) && good && answer.end == MEGURI_PATH_COMPLETE && answer.algorithm == q->algorithm;
    if (!good) {
        print_graph(g, q, direction, order);
        fail_msg("%d paths instead of %d, or others", (int)got.count, (int)want.count);
    }
    list_free(&got);
    list_free(&want);
}

static void random_graphs(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    uint64_t random = 20;
    for (int i = 0; i < GRAPHS; i++) {
        small_graph g = small_random(&random);
        int order = 1 + i % 3;
        meguri_path_direction direction = (meguri_path_direction)(next_random(&random) % 3);
        meguri_graph *graph = small_build(ctx, &g, (meguri_order)order);
        meguri_path_search *search = search_of(ctx, graph, direction);
        for (size_t a = 0; a < COUNT_OF(algorithms); a++)
            for (int pair = 0; pair < 2; pair++) {
                meguri_path_query q = random_query(&g, algorithms[a], &random);
                check(ctx, &g, search, &q, direction, order);
            }
        search_free(search);
        meguri_graph_free(graph);
    }
    context_done(ctx);
}

/* A limit, or a taker who has enough, gives the first paths of those that there are. */
static void limits(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    uint64_t random = 77;
    for (int i = 0; i < GRAPHS / 10; i++) {
        small_graph g = small_random(&random);
        meguri_graph *graph = small_build(ctx, &g, MEGURI_ORDER_DEGREE);
        meguri_path_search *search = search_of(ctx, graph, MEGURI_PATH_OUT);
        for (size_t a = 0; a < COUNT_OF(algorithms); a++) {
            meguri_path_query q = random_query(&g, algorithms[a], &random);
            meguri_path_answer answer;
            path_list all = ask(&answer, ctx, search, &q);
            q.limit = 1 + next_random(&random) % 3;
            path_list some = ask(&answer, ctx, search, &q);
            assert_int_equal(some.count, MG_MIN(all.count, q.limit));
            for (uint64_t p = 0; p < some.count; p++) assert_true(same_path(&some.paths[p], &all.paths[p]));
            if (all.count < q.limit) assert_int_equal(answer.end, MEGURI_PATH_COMPLETE);
            if (all.count > q.limit) assert_int_equal(answer.end, MEGURI_PATH_LIMIT);
            path_list stopped = {.stop_after = 2};
            q.limit = 0, q.timeout = 100;
            assert_int_equal(meguri_path_search_run(&answer, ctx, search, &q, keep_path, &stopped), MEGURI_OK);
            assert_int_equal(stopped.count, MG_MIN(all.count, 2));
            if (all.count > 2) assert_int_equal(answer.end, MEGURI_PATH_STOPPED);
            q.k = 3;
            path_list three = ask(&answer, ctx, search, &q);
            if (q.algorithm == MEGURI_PATH_YENS) assert_int_equal(three.count, MG_MIN(all.count, 3));
            list_free(&all);
            list_free(&some);
            list_free(&stopped);
            list_free(&three);
        }
        search_free(search);
        meguri_graph_free(graph);
    }
    context_done(ctx);
}

/* ---- on threads ------------------------------------------------------------------------------------------------- */

enum { QUESTIONS = 60 };
typedef struct many {
    path_list want[QUESTIONS];
    uint64_t question, path; /* that come next */
} many;

static int take_one_of_many(void *user, uint64_t question, const meguri_path *path) {
    many *m = user;
    assert_int_equal(question, m->question);
    assert_int_equal(path->index, m->path);
    assert_true(m->path < m->want[question].count);
    const kept_path *want = &m->want[question].paths[m->path++];
    assert_int_equal(path->hops, want->hops);
    assert_memory_equal(path->vertices, want->vertices, (path->hops + 1) * sizeof *path->vertices);
    if (path->hops) assert_memory_equal(path->edges, want->edges, path->hops * sizeof *path->edges);
    return 0;
}

static meguri_status take_answer_of_many(void *user, uint64_t question, const meguri_path_answer *answer) {
    many *m = user;
    assert_int_equal(question, m->question);
    assert_int_equal(answer->paths, m->want[question].count);
    m->question++;
    m->path = 0;
    return MEGURI_OK;
}

/* Questions of all kinds at once, answered as one by one. */
static void on_threads(void **state) {
    (void)state;
    uint64_t random = 31;
    for (int i = 0; i < (UNDER_TSAN ? 6 : 40); i++) {
        small_graph g = small_random(&random);
        meguri_path_query queries[QUESTIONS];
        for (int q = 0; q < QUESTIONS; q++)
            queries[q] = random_query(&g, algorithms[(size_t)q % COUNT_OF(algorithms)], &random);
        for (size_t t = 0; t < THREAD_COUNTS; t++) {
            meguri_ctx *ctx = context_with(thread_counts[t]);
            meguri_graph *graph = small_build(ctx, &g, MEGURI_ORDER_DEGREE);
            meguri_path_search *search = search_of(ctx, graph, MEGURI_PATH_BOTH);
            many m = {.question = 0};
            meguri_path_answer answer;
            for (int q = 0; q < QUESTIONS; q++) m.want[q] = ask(&answer, ctx, search, &queries[q]);
            assert_int_equal(
                meguri_path_many(ctx, search, queries, QUESTIONS, take_one_of_many, take_answer_of_many, &m),
                MEGURI_OK);
            assert_int_equal(m.question, QUESTIONS);
            for (int q = 0; q < QUESTIONS; q++) list_free(&m.want[q]);
            search_free(search);
            meguri_graph_free(graph);
            context_done(ctx);
        }
    }
}

/* One vertex, no edge, both ends the same: the path without an edge; and closed ones where only edges must differ. */
static void same_ends(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    small_graph g = {.vertices = 3, .edges = 4, .from = {0, 1, 0, 2}, .to = {1, 0, 0, 2}, .directed = true};
    for (uint32_t i = 0; i < g.edges; i++) g.weight[i] = 1;
    meguri_graph *graph = small_build(ctx, &g, MEGURI_ORDER_NONE);
    meguri_path_search *search = search_of(ctx, graph, MEGURI_PATH_OUT);
    static const struct {
        meguri_path_algorithm algorithm;
        uint64_t paths;
    } cases[] = {{MEGURI_PATH_ALL_SHORTEST, 1}, {MEGURI_PATH_SIMPLE, 1}, {MEGURI_PATH_YENS, 1}, {MEGURI_PATH_ALL, 5}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        meguri_path_query q = {.size = sizeof q, .algorithm = cases[i].algorithm, .max_hops = 9, .k = 9};
        meguri_path_answer answer;
        path_list list = ask(&answer, ctx, search, &q);
        assert_int_equal(list.count, cases[i].paths); /* ALL: nothing, aba, abaa, a loop, a loop before aba */
        assert_int_equal(list.paths[0].hops, 0);
        list_free(&list);
    }
    search_free(search);
    meguri_graph_free(graph);
    context_done(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_graphs),
        cmocka_unit_test(limits),
        cmocka_unit_test(same_ends),
        cmocka_unit_test(on_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
