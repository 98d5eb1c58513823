/* Many threads ask one finder at once, each with a context and a search of its own: every answer is that of one thread
 * alone, also where the finder makes what questions need at its first use. */
#define _GNU_SOURCE
#include "algo_path/asking.h"
#include "support/at_once.h"

#include <pthread.h>

enum { SIDE = 14, ASKERS = 8, ALGORITHMS = MEGURI_PATH_TREE + 1, QUESTIONS = 6 * ALGORITHMS };

/* What came of a question. */
typedef struct outcome {
    meguri_status status;
    meguri_path_answer answer;
    uint64_t sum; /* of vertices, edges and costs */
} outcome;

typedef struct asked {
    const meguri_path_finder *finder;
    meguri_path_query queries[QUESTIONS];
    outcome got[ASKERS][QUESTIONS];
    meguri_ctx *ctx[ASKERS];
} asked;

static int add_path(void *user, const meguri_path *path) {
    uint64_t *sum = user;
    for (uint64_t i = 0; i <= path->hops; i++) *sum = *sum * 31 + path->vertices[i] + (uint64_t)(8 * path->costs[i]);
    for (uint64_t i = 0; i < path->hops; i++) *sum = *sum * 31 + path->edges[i];
    return 0;
}

static void ask(void *what, int thread) {
    asked *a = what;
    meguri_path_search *search;
    meguri_ctx *ctx = a->ctx[thread];
    if (meguri_path_search_new(&search, ctx, a->finder) != MEGURI_OK) abort();
    for (int q = 0; q < QUESTIONS; q++) {
        outcome *o = &a->got[thread][q];
        o->answer.size = sizeof o->answer;
        o->status = meguri_path_search_run(&o->answer, ctx, search, &a->queries[q], add_path, &o->sum);
    }
    meguri_path_search_free(search);
}

static void draw(asked *a, uint64_t vertices, uint64_t *random) {
    for (int q = 0; q < QUESTIONS; q++) {
        uint64_t draw = next_random(random);
        meguri_path_query *query = &a->queries[q];
        *query = question((meguri_path_algorithm)(draw % ALGORITHMS), (draw >> 8) % vertices, (draw >> 32) % vertices);
        bool endless = query->algorithm == MEGURI_PATH_ALL || query->algorithm == MEGURI_PATH_SIMPLE;
        if (endless || query->algorithm == MEGURI_PATH_ALL_SHORTEST) query->limit = 20;
        query->k = 4;
        if (draw >> 61 == 0) query->max_hops = 40;
    }
}

static void same_outcomes(const asked *a, const outcome *right) {
    for (int t = 0; t < ASKERS; t++)
        for (int q = 0; q < QUESTIONS; q++) {
            const outcome *o = &a->got[t][q];
            assert_int_equal(o->status, right[q].status);
            assert_int_equal(o->answer.paths, right[q].answer.paths);
            assert_int_equal(o->answer.end, right[q].answer.end);
            assert_int_equal(o->answer.algorithm, right[q].answer.algorithm);
            assert_int_equal(o->answer.settled, right[q].answer.settled);
            assert_int_equal(o->sum, right[q].sum);
        }
}

/* Streets with a weight for each way and coordinates. */
static meguri_graph *town(meguri_ctx *ctx, bool directed, uint64_t *random) {
    uint32_t from[4 * SIDE * SIDE], to[4 * SIDE * SIDE], count = 0;
    double weights[4 * SIDE * SIDE], x[SIDE * SIDE], y[SIDE * SIDE];
    uint64_t ids[SIDE * SIDE];
    for (uint32_t v = 0; v < SIDE * SIDE; v++) {
        ids[v] = v, x[v] = v % SIDE, y[v] = v / SIDE;
        for (int way = 0; way < 4; way++) {
            uint32_t next = way / 2 ? v + SIDE : v + 1;
            if (way / 2 ? next >= SIDE * SIDE : next % SIDE == 0) continue;
            from[count] = way % 2 ? v : next, to[count] = way % 2 ? next : v;
            weights[count++] = (double)(100 + next_random(random) % 50);
        }
    }
    meguri_edge_arrays arrays = {.size = sizeof arrays,
                                 .count = count,
                                 .from = from,
                                 .to = to,
                                 .id_bytes = 4,
                                 .weights = weights,
                                 .weight_type = MEGURI_TYPE_F64,
                                 .vertices = SIDE * SIDE};
    meguri_build_options options = {.size = sizeof options,
                                    .direction = directed ? MEGURI_DIRECTED : MEGURI_UNDIRECTED};
    meguri_graph *graph;
    assert_int_equal(meguri_graph_from_edges(&graph, ctx, &arrays, &options), MEGURI_OK);
    assert_int_equal(mg_graph_set_coordinates(ctx, graph, ids, x, y, SIDE * SIDE), MEGURI_OK);
    return graph;
}

/* With an index and without, directed or not, in every direction: points for A* and rows backwards are there from the
 * start, or made when somebody needs them. */
static void one_finder(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(2);
    asked *a = calloc(1, sizeof *a);
    outcome right[QUESTIONS];
    uint64_t random = 11;
    for (int round = 0; round < (UNDER_TSAN || UNDER_ASAN ? 12 : 48); round++) {
        meguri_graph *graph = town(ctx, round / 2 % 2, &random);
        meguri_path_finder *finder;
        meguri_path_finder_options o = {.size = sizeof o,
                                        .direction = (meguri_path_direction)(round / 4 % 3),
                                        .index_use = round % 2 ? MEGURI_PATH_INDEX_STORED : MEGURI_PATH_INDEX_NONE};
        meguri_path_index *index = NULL;
        if (round % 2) assert_int_equal(meguri_path_index_new(&index, ctx, graph, NULL), MEGURI_OK);
        if (!graph->directed || o.direction != MEGURI_PATH_BOTH) o.index = index;
        draw(a, graph->vertices, &random);
        for (int alone = 1; alone >= 0; alone--) {
            /* A fresh finder, so that what is made at its first use is made while all ask. */
            assert_int_equal(meguri_path_finder_new(&finder, ctx, graph, &o), MEGURI_OK);
            a->finder = finder;
            memset(a->got, 0, sizeof a->got);
            for (int t = 0; t < ASKERS; t++) a->ctx[t] = context_with(1 + (uint32_t)t % 2);
            if (alone) ask(a, 0);
            else at_once(ASKERS, ask, a);
            if (alone) memcpy(right, a->got[0], sizeof right);
            else same_outcomes(a, right);
            for (int t = 0; t < ASKERS; t++) {
                meguri_ctx_free(a->ctx[t]);
                a->ctx[t] = NULL;
            }
            meguri_path_finder_free(finder);
        }
        meguri_path_index_free(index);
        meguri_graph_free(graph);
    }
    free(a);
    context_done(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_finder)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
