/* A graph and what is made for it are freed in every order, also after their context, and what is left still works. */
#define _GNU_SOURCE /* what unit.h uses */
#include "support/unit.h"

#include "support/sanitized.h"
#include "support/sinks.h"

#include <meguri.h>
#include <meguri/extra/path_pairs.h>
#include <meguri/extra/path_writer.h>

/* What there is, by the order in which it is made. */
typedef struct things {
    meguri_ctx *ctx;
    meguri_graph *graph;
    meguri_result *result;
    meguri_bfs_search *bfs;
    meguri_bfs_many_search *many;
    meguri_sssp_search *sssp;
    meguri_path_index *index;
    meguri_path_finder *finder;
    meguri_path_search *search;
    meguri_path_checker *checker;
    meguri_path_pairs *pairs;
    meguri_path_writer *writer;
    meguri_adjacency *adjacency;
    meguri_result_stream *stream;
} things;
enum { THINGS = sizeof(things) / sizeof(void *) };

#define GOOD(call) assert_int_equal(call, MEGURI_OK)

static things make(meguri_ctx *maker, const char *file) {
    things t = {.ctx = maker};
    meguri_grid_options grid = {.size = sizeof grid, .width = 5, .height = 4};
    meguri_path_finder_options indexed = {.size = sizeof indexed};
    const meguri_sink lines = {.size = sizeof lines, .form = "text"};
    meguri_result_table table = {.size = sizeof table, .results = 1, .key = "source"};
    meguri_path_query query = {.size = sizeof query};
    GOOD(meguri_gen_grid(&t.graph, maker, &grid));
    GOOD(meguri_bfs(&t.result, maker, t.graph, 0, NULL));
    GOOD(meguri_bfs_search_new(&t.bfs, maker, t.graph, NULL));
    GOOD(meguri_bfs_many_search_new(&t.many, maker, t.graph, NULL));
    GOOD(meguri_sssp_search_new(&t.sssp, maker, t.graph, NULL));
    GOOD(meguri_path_index_new(&t.index, maker, t.graph, NULL));
    indexed.index = t.index;
    GOOD(meguri_path_finder_new(&t.finder, maker, t.graph, &indexed));
    GOOD(meguri_path_search_new(&t.search, maker, t.finder));
    GOOD(meguri_path_checker_new(&t.checker, maker, t.graph, NULL));
    GOOD(meguri_path_pairs_new(&t.pairs, maker, t.graph, "pairs", &query));
    GOOD(meguri_path_writer_new(&t.writer, maker, t.graph, &lines, NULL));
    GOOD(meguri_graph_adjacency(&t.adjacency, maker, t.graph, NULL));
    GOOD(meguri_result_stream_open(&t.stream, maker, t.graph, to_file(file), &table));
    return t;
}

static int count_hops(void *user, const meguri_path *path) {
    *(uint64_t *)user += path->hops;
    return 0;
}

/* What is still there works, with a context of its own. */
static void use(meguri_ctx *ctx, const things *t) {
    const meguri_result *found;
    uint64_t source = 3, hops = 0;
    if (t->bfs) GOOD(meguri_bfs_search_run(&found, ctx, t->bfs, 3));
    if (t->many) GOOD(meguri_bfs_many_search_run(&found, ctx, t->many, &source, 1));
    if (t->sssp) GOOD(meguri_sssp_search_run(&found, ctx, t->sssp, 3));
    if (t->search) {
        meguri_path_answer answer = {.size = sizeof answer};
        meguri_path_query query = {.size = sizeof query, .to = 19};
        GOOD(meguri_path_search_run(&answer, ctx, t->search, &query, count_hops, &hops));
        assert_int_equal(answer.algorithm, MEGURI_PATH_INDEXED);
        assert_in_range(hops, 7, 19);
    }
    if (t->index) {
        meguri_path_index_info info = {.size = sizeof info};
        GOOD(meguri_path_index_get_info(&info, ctx, t->index));
        assert_true(info.edges >= 19);
    }
    if (t->adjacency) {
        meguri_rows rows = {.size = sizeof rows};
        GOOD(meguri_adjacency_rows(&rows, t->adjacency));
        uint64_t sum = 0;
        for (uint64_t arc = 0; arc < rows.arcs; arc++) sum += rows.targets[arc];
        assert_true(sum > 0);
    }
    if (t->result) {
        meguri_column column = {.size = sizeof column};
        GOOD(meguri_result_column(&column, t->result, "level"));
        assert_int_equal(*(const int32_t *)column.data, 0);
    }
}

static void free_one(things *t, int which) {
    switch (which) {
    case 0: meguri_ctx_free(t->ctx), t->ctx = NULL; break;
    case 1: meguri_graph_free(t->graph), t->graph = NULL; break;
    case 2: meguri_result_free(t->result), t->result = NULL; break;
    case 3: meguri_bfs_search_free(t->bfs), t->bfs = NULL; break;
    case 4: meguri_bfs_many_search_free(t->many), t->many = NULL; break;
    case 5: meguri_sssp_search_free(t->sssp), t->sssp = NULL; break;
    case 6: meguri_path_index_free(t->index), t->index = NULL; break;
    case 7: meguri_path_finder_free(t->finder), t->finder = NULL; break;
    case 8: meguri_path_search_free(t->search), t->search = NULL; break;
    case 9: meguri_path_checker_free(t->checker), t->checker = NULL; break;
    case 10: meguri_path_pairs_free(t->pairs), t->pairs = NULL; break;
    case 11: meguri_path_writer_free(t->writer), t->writer = NULL; break;
    case 12: meguri_adjacency_free(t->adjacency), t->adjacency = NULL; break;
    default: meguri_result_stream_free(t->stream), t->stream = NULL; break;
    }
}

static void shuffle(int order[THINGS], uint64_t *seed) {
    for (int i = 0; i < THINGS; i++) {
        int j = (int)(next_random(seed) % (uint64_t)(i + 1));
        order[i] = order[j];
        order[j] = i;
    }
}

static void every_order(void **state) {
    (void)state;
    char folder[FOLDER_TEXT], file[FOLDER_TEXT + 8];
    uint64_t seed = 2;
    meguri_ctx *other = context_with(1);
    folder_new(folder);
    snprintf(file, sizeof file, "%s/t.tsv", folder);
    for (int round = 0; round < (UNDER_ASAN || UNDER_TSAN ? 200 : 600); round++) {
        int order[THINGS];
        things t = make(context_with(2), file);
        shuffle(order, &seed);
        for (int i = 0; i < THINGS; i++) {
            free_one(&t, order[i]);
            if (round % 4 == 0) use(other, &t);
        }
    }
    folder_remove(folder);
    context_done(other);
}

static meguri_graph_info facts_of(meguri_ctx *ctx, const meguri_graph *graph) {
    meguri_graph_info info = {.size = sizeof info};
    GOOD(meguri_graph_get_info(&info, ctx, graph));
    return info;
}

/* Forms are made in advance, once; they count as memory of the graph, also after the context that made them, and a
 * budget refuses them with a sentence. */
static void forms(void **state) {
    (void)state;
    meguri_ctx *maker = context_with(2), *poor;
    meguri_build_options directed = {.size = sizeof directed, .direction = MEGURI_DIRECTED};
    meguri_grid_options grid = {.size = sizeof grid, .width = 200, .height = 100, .build = &directed};
    meguri_graph *graph;
    GOOD(meguri_gen_grid(&graph, maker, &grid));
    uint64_t plain = facts_of(maker, graph).memory_bytes, arcs = facts_of(maker, graph).arcs;
    assert_true(plain > 4 * arcs && facts_of(maker, graph).mapped_bytes == 0);
    meguri_ctx_options little = {.size = sizeof little, .threads = 1, .memory = 10000};
    GOOD(meguri_ctx_new(&poor, &little));
    assert_int_equal(meguri_graph_prepare(poor, graph, MEGURI_FORM_TRANSPOSE), MEGURI_NO_MEMORY);
    assert_non_null(strstr(meguri_ctx_error(poor), "budget"));
    meguri_ctx_free(poor);
    assert_true(facts_of(maker, graph).memory_bytes == plain);
    GOOD(meguri_graph_prepare(maker, graph, MEGURI_FORM_TRANSPOSE));
    uint64_t transposed = facts_of(maker, graph).memory_bytes;
    assert_true(transposed >= plain + 4 * arcs);
    GOOD(meguri_graph_prepare(maker, graph, MEGURI_FORM_TRANSPOSE | MEGURI_FORM_EDGE_NUMBERS));
    meguri_ctx_free(maker);
    maker = context_with(1);
    uint64_t all = facts_of(maker, graph).memory_bytes;
    assert_true(all >= transposed + 4 * arcs);
    meguri_rows rows = {.size = sizeof rows};
    GOOD(meguri_graph_rows(&rows, maker, graph, MEGURI_ROWS_IN | MEGURI_ROWS_EDGES));
    assert_true(facts_of(maker, graph).memory_bytes == all);
    meguri_graph_free(graph);
    context_done(maker);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_order), cmocka_unit_test(forms)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
