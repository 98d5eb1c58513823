/* Paths along edges of some types: the same answers as of a graph that has only these edges, by every algorithm, in
 * every direction, with parallel edges of different types; the edges are the right ones; the checker sees others. */
#define _GNU_SOURCE
#include "algo/path/path.h"
#include "support/faults.h"
#include "support/path_index.h"
#include "support/sanitized.h"

#include <inttypes.h>
#include <meguri.h>
#include <time.h>

enum { VERTICES = 24, EDGES = 90, TYPES = 5 };
static const char *const names[TYPES] = {"A", "B", "", "D \"d\"", "E"};

typedef struct lines {
    uint32_t from[EDGES], to[EDGES], weights[EDGES];
    uint8_t types[EDGES];
    uint64_t ids[EDGES];
} lines;

static lines make_lines(uint64_t seed) {
    lines l;
    for (int i = 0; i < EDGES; i++) {
        l.from[i] = (uint32_t)(next_random(&seed) % VERTICES);
        l.to[i] = (uint32_t)(next_random(&seed) % VERTICES);
        if (i % 4 == 3) l.from[i] = l.from[i - 1], l.to[i] = l.to[i - 1]; /* parallel */
        if (i % 8 == 7) l.from[i] = l.to[i - 1], l.to[i] = l.from[i - 1]; /* and back */
        l.weights[i] = (uint32_t)(next_random(&seed) % 4);
        l.types[i] = (uint8_t)(next_random(&seed) % TYPES);
        l.ids[i] = 1000 + (uint64_t)i;
    }
    return l;
}

/* All edges, or those whose type is a bit of `types`; numbers of edges as ids. */
static meguri_graph *build(meguri_ctx *ctx, const lines *all, unsigned types, meguri_direction direction) {
    lines l;
    uint64_t count = 0;
    for (int i = 0; i < EDGES; i++) {
        if (!(types >> all->types[i] & 1)) continue;
        l.from[count] = all->from[i], l.to[count] = all->to[i], l.weights[count] = all->weights[i];
        l.types[count] = all->types[i], l.ids[count++] = all->ids[i];
    }
    const meguri_column_data columns[] = {
        {.size = sizeof *columns, .name = "id", .kind = MEGURI_COLUMN_IDS, .type = MEGURI_TYPE_U64, .values = l.ids},
        {.size = sizeof *columns,
         .name = "type",
         .kind = MEGURI_COLUMN_TYPES,
         .type = MEGURI_TYPE_U8,
         .values = l.types,
         .labels = names,
         .label_count = TYPES}};
    const meguri_edge_arrays e = {.size = sizeof e,
                                  .count = count,
                                  .from = l.from,
                                  .to = l.to,
                                  .id_bytes = 4,
                                  .weights = l.weights,
                                  .weight_type = MEGURI_TYPE_U32,
                                  .vertices = VERTICES,
                                  .columns = columns,
                                  .column_count = 2};
    const meguri_build_options o = {.size = sizeof o,
                                    .direction = direction,
                                    .duplicates = MEGURI_DUPLICATES_KEEP,
                                    .keep_loops = 1,
                                    .order = MEGURI_ORDER_DEGREE};
    meguri_graph *graph;
    if (meguri_graph_from_edges(&graph, ctx, &e, &o) != MEGURI_OK) fail_msg("%s", meguri_ctx_error(ctx));
    return graph;
}

/* ---- answers ---------------------------------------------------------------------------------------------------- */

/* What a question gave: paths by the ids of their edges, which both graphs have. */
typedef struct given {
    meguri_ctx *ctx;
    const meguri_graph *graph;
    meguri_path_checker *checker;
    const meguri_path_query *query;
    uint64_t paths, hash;
    double first_cost;
    uint64_t first_hops;
} given;

static int take(void *user, const meguri_path *path) {
    given *g = user;
    meguri_column_info info = {.size = sizeof info};
    uint64_t hash = 17;
    assert_int_equal(meguri_graph_edge_column(&info, g->ctx, g->graph, 0), MEGURI_OK);
    for (uint64_t i = 0; i < path->hops; i++) {
        uint64_t id[1];
        assert_int_equal(meguri_graph_edge_values(id, NULL, g->ctx, g->graph, 0, &path->edges[i], 1), MEGURI_OK);
        hash = hash * 1000003 + mg_value_whole(id, info.item_bytes, 0);
    }
    if (g->paths++ == 0) g->first_cost = path->cost, g->first_hops = path->hops;
    g->hash += hash; /* in any order */
    if (g->checker && meguri_path_checker_path(g->ctx, g->checker, 0, g->query, path) != MEGURI_OK)
        fail_msg("%s", meguri_ctx_error(g->ctx));
    return 0;
}

static given ask(meguri_ctx *ctx, meguri_ctx *other, const meguri_graph *graph, const meguri_path_finder_options *o,
                 const meguri_path_query *query, bool check) {
    meguri_path_finder *finder;
    given g = {.ctx = other, .graph = graph, .query = query};
    meguri_path_answer answer = {.size = sizeof answer};
    if (meguri_path_finder_new(&finder, ctx, graph, o) != MEGURI_OK) fail_msg("%s", meguri_ctx_error(ctx));
    if (check && meguri_path_checker_new(&g.checker, other, graph, o) != MEGURI_OK)
        fail_msg("%s", meguri_ctx_error(other));
    if (meguri_path_find(&answer, ctx, finder, query, take, &g) != MEGURI_OK) fail_msg("%s", meguri_ctx_error(ctx));
    if (check && meguri_path_checker_answer(other, g.checker, 0, query, &answer) != MEGURI_OK)
        fail_msg("%s", meguri_ctx_error(other));
    meguri_path_checker_free(g.checker);
    meguri_path_finder_free(finder);
    return g;
}

static void compare(meguri_ctx *ctx, meguri_ctx *other, const lines *l, meguri_direction kind, int direction,
                    unsigned types) {
    meguri_graph *all = build(ctx, l, ~0u, kind), *some = build(ctx, l, types, kind);
    const char *wanted[TYPES];
    meguri_path_finder_options o = {.size = sizeof o, .direction = (meguri_path_direction)direction, .types = wanted};
    for (int t = 0; t < TYPES; t++)
        if (types >> t & 1) wanted[o.type_count++] = names[t];
    meguri_path_finder_options plain = {.size = sizeof plain, .direction = o.direction};
    static const meguri_path_algorithm algorithms[] = {
        MEGURI_PATH_AUTO,         MEGURI_PATH_DIJKSTRA, MEGURI_PATH_BIDIRECTIONAL, MEGURI_PATH_SHORTEST,
        MEGURI_PATH_ALL_SHORTEST, MEGURI_PATH_ALL,      MEGURI_PATH_SIMPLE,        MEGURI_PATH_YENS,
        MEGURI_PATH_TREE,         MEGURI_PATH_INDEXED};
    for (size_t a = 0; a < COUNT_OF(algorithms); a++)
        for (uint64_t to = 1; to < VERTICES; to += 5) {
            meguri_path_query q = {
                .size = sizeof q, .algorithm = algorithms[a], .from = (to * 7) % VERTICES, .to = to, .k = 4};
            bool many = q.algorithm == MEGURI_PATH_ALL || q.algorithm == MEGURI_PATH_SIMPLE;
            if (many) q.max_hops = 4;
            o.index_use = plain.index_use =
                q.algorithm == MEGURI_PATH_INDEXED ? MEGURI_PATH_INDEX_MAKE : MEGURI_PATH_INDEX_STORED;
            given got = ask(ctx, other, all, &o, &q, true), expected = ask(ctx, other, some, &plain, &q, false);
            assert_int_equal(got.paths, expected.paths);
            bool by_hops = q.algorithm == MEGURI_PATH_SHORTEST || q.algorithm == MEGURI_PATH_ALL_SHORTEST;
            assert_true(got.first_cost == expected.first_cost || many || by_hops);
            if (many || q.algorithm == MEGURI_PATH_ALL_SHORTEST) assert_int_equal(got.hash, expected.hash);
            if (q.algorithm == MEGURI_PATH_SHORTEST) assert_int_equal(got.first_hops, expected.first_hops);
        }
    meguri_graph_free(all);
    meguri_graph_free(some);
}

static void as_if_there_were_no_others(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(2), *other = context_with(1);
    static const unsigned types[] = {1, 6, 8 | 16, 31};
    for (unsigned turn = 0; turn < 12; turn++) {
        if (!ONE_OF(4, turn)) continue;
        lines l = make_lines(100 + turn);
        compare(ctx, other, &l, turn % 4 == 3 ? MEGURI_UNDIRECTED : MEGURI_DIRECTED, (int)(turn % 3), types[turn / 3]);
    }
    context_done(ctx);
    context_done(other);
}

/* ---- what is refused, and told ---------------------------------------------------------------------------------- */

static void note(void *user, meguri_log_level level, const char *text) {
    if (level == MEGURI_LOG_WARNING) snprintf(user, 200, "%s", text);
}

static void said(void **state) {
    (void)state;
    char warning[200] = "";
    meguri_ctx *ctx;
    meguri_ctx_options co = {.size = sizeof co, .log = note, .log_user = warning, .log_level = MEGURI_LOG_WARNING};
    assert_int_equal(meguri_ctx_new(&ctx, &co), MEGURI_OK);
    lines l = make_lines(5);
    meguri_graph *graph = build(ctx, &l, ~0u, MEGURI_DIRECTED), *plain;
    meguri_path_finder *finder;
    meguri_path_checker *checker;
    const char *wanted[] = {"A", "tram"};
    meguri_path_finder_options o = {.size = sizeof o, .types = wanted, .type_count = 2};
    expect_failure(ctx, meguri_path_finder_new(&finder, ctx, graph, &o), MEGURI_NOT_FOUND,
                   "has the type 'tram'; its types are 'A', 'B', '', 'D \"d\"', 'E'.");
    assert_null(finder);
    expect_failure(ctx, meguri_path_checker_new(&checker, ctx, graph, &o), MEGURI_NOT_FOUND, "tram");
    o.type_count = 1;
    assert_int_equal(give_index(ctx, graph), MEGURI_OK);
    assert_int_equal(meguri_path_finder_new(&finder, ctx, graph, &o), MEGURI_OK);
    assert_non_null(strstr(warning, "so it is not used"));
    meguri_path_query q = {.size = sizeof q, .algorithm = MEGURI_PATH_INDEXED, .to = 1};
    meguri_path_answer answer = {.size = sizeof answer};
    expect_failure(ctx, meguri_path_find(&answer, ctx, finder, &q, NULL, NULL), MEGURI_BAD_ARGUMENT, "no index");
    meguri_path_finder_free(finder);

    /* A path that is one, but not of these types. */
    assert_int_equal(meguri_path_checker_new(&checker, ctx, graph, &o), MEGURI_OK);
    for (uint64_t arc = 0, seen = 0; !seen; arc++) {
        mg_rows rows;
        mg_column_view column;
        mg_numbering numbering;
        assert_int_equal(mg_graph_rows(&rows, ctx, graph), MEGURI_OK);
        assert_int_equal(mg_graph_numbering(&numbering, ctx, graph), MEGURI_OK);
        assert_int_equal(mg_graph_column(&column, ctx, graph, 1, true), MEGURI_OK);
        uint64_t ends[2] = {mg_to_user(&numbering, (uint32_t)mg_row_of_arc(&rows, arc)),
                            mg_to_user(&numbering, rows.neighbors[arc])};
        if (mg_value_whole(column.values, 1, arc) == 0 || ends[0] == ends[1]) continue; /* "A" */
        double costs[2] = {0, mg_weight_at(rows.weights, graph->weight_type, arc)};
        meguri_path path = {
            .size = sizeof path, .hops = 1, .vertices = ends, .edges = &arc, .costs = costs, .cost = costs[1]};
        q = (meguri_path_query){.size = sizeof q, .from = ends[0], .to = ends[1]};
        expect_failure(ctx, meguri_path_checker_path(ctx, checker, 0, &q, &path), MEGURI_WRONG_ANSWER,
                       "of another type");
        seen = 1;
    }
    meguri_path_checker_free(checker);

    const uint32_t end = 0;
    meguri_edge_arrays e = {.size = sizeof e, .count = 1, .from = &end, .to = &end, .id_bytes = 4};
    assert_int_equal(meguri_graph_from_edges(&plain, ctx, &e, NULL), MEGURI_OK);
    expect_failure(ctx, meguri_path_finder_new(&finder, ctx, plain, &o), MEGURI_BAD_INPUT, "have no types");
    meguri_graph_free(plain);
    meguri_graph_free(graph);
    context_done(ctx);
}

/* ---- every allocation fails in turn ----------------------------------------------------------------------------- */

static meguri_status find_and_check(meguri_ctx *ctx, void *what) {
    meguri_path_finder *finder = NULL;
    meguri_path_checker *checker = NULL;
    const char *wanted[] = {"B", ""};
    meguri_path_finder_options o = {.size = sizeof o, .types = wanted, .type_count = 2, .direction = MEGURI_PATH_BOTH};
    meguri_status status = meguri_path_finder_new(&finder, ctx, what, &o);
    if (status == MEGURI_OK) status = meguri_path_checker_new(&checker, ctx, what, &o);
    meguri_path_checker_free(checker);
    meguri_path_finder_free(finder);
    return status;
}

static void every_allocation(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(2), *other = context_with(1);
    lines l = make_lines(6);
    meguri_graph *graph = build(other, &l, ~0u, MEGURI_DIRECTED);
    assert_true(fail_each_allocation(ctx, find_and_check, graph, MAY_KEEP) >= 10);
    meguri_graph_free(graph);
    context_done(ctx);
    context_done(other);
}

/* As many as a cache can have, all of them asked for, in another order: each with each would be four billion pairs. */
static void as_many_types_as_there_can_be(void **state) {
    (void)state;
    enum { MOST = 65536 };
    typedef char name[16];
    name *texts = malloc(MOST * sizeof *texts);
    const char **list = malloc((MOST + 1) * sizeof *list);
    uint32_t *numbers = malloc(MOST * sizeof *numbers);
    for (uint32_t i = 0; i < MOST; i++) {
        snprintf(texts[i], sizeof texts[i], "type %06" PRIu32, i);
        list[MOST - 1 - i] = texts[i];
        numbers[i] = i;
    }
    const meguri_column_data column = {.size = sizeof column,
                                       .name = "type",
                                       .kind = MEGURI_COLUMN_TYPES,
                                       .type = MEGURI_TYPE_U32,
                                       .values = numbers,
                                       .labels = list,
                                       .label_count = MOST};
    const meguri_edge_arrays e = {.size = sizeof e,
                                  .count = MOST,
                                  .from = numbers,
                                  .to = numbers,
                                  .id_bytes = 4,
                                  .columns = &column,
                                  .column_count = 1};
    const meguri_build_options o = {.size = sizeof o, .keep_loops = 1};
    meguri_ctx *ctx = context_with(1);
    meguri_graph *graph;
    assert_int_equal(meguri_graph_from_edges(&graph, ctx, &e, &o), MEGURI_OK);
    for (uint32_t i = 0; i < MOST; i++) list[i] = texts[i];
    mg_path_types types;
    clock_t before = clock();
    assert_int_equal(mg_path_types_find(&types, ctx, graph, list, MOST), MEGURI_OK);
    assert_true((double)(clock() - before) / CLOCKS_PER_SEC < 3);
    for (uint32_t i = 0; i < MOST; i++) assert_true(types.wanted[i]);
    mg_path_types_free(&types);
    assert_int_equal(mg_path_types_find(&types, ctx, graph, list + MOST - 1, 1), MEGURI_OK);
    for (uint32_t i = 0; i < MOST; i++) assert_true(types.wanted[i] == (i == 0));
    mg_path_types_free(&types);
    list[MOST] = list[7], list[7] = "none", list[9] = "nor this"; /* one twice; the first that is missing is named */
    assert_int_equal(mg_path_types_find(&types, ctx, graph, list, MOST + 1), MEGURI_NOT_FOUND);
    assert_non_null(strstr(meguri_ctx_error(ctx), "has the type 'none'"));
    free(texts), free(list), free(numbers);
    meguri_graph_free(graph);
    context_done(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_if_there_were_no_others), cmocka_unit_test(said),
                                       cmocka_unit_test(every_allocation),
                                       cmocka_unit_test(as_many_types_as_there_can_be)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
