/* Whatever takes a graph, of one in parts: what is wrong is refused as it is of a whole one, and what needs a whole one
 * says so. Of one process, because all of them must be given the same; tests/shards has several. */
#include "arguments.h"

#include "support/algorithms.h"
#include "support/sinks.h"
#include <math.h>

static const uint64_t outside[] = {12, (uint64_t)1 << 32, UINT64_MAX - 1, UINT64_MAX};

/* ---- what a graph is -------------------------------------------------------------------------------------------- */

IN_PARTS(meguri_graph_free) {
    meguri_graph *parts;
    assert_int_equal(meguri_graph_spread(&parts, w.ctx, w.graph, &w.layout), MEGURI_OK);
    meguri_graph_free(parts);
}

IN_PARTS(meguri_graph_get_info) {
    meguri_graph_info info = {.size = sizeof info}, whole = info;
    BAD(meguri_graph_get_info(NULL, w.ctx, w.parts));
    BAD_SIZES(info, meguri_graph_get_info(&info, w.ctx, w.parts));
    assert_int_equal(meguri_graph_get_info(&info, w.ctx, w.parts), MEGURI_OK);
    assert_int_equal(meguri_graph_get_info(&whole, w.ctx, w.graph), MEGURI_OK);
    assert_true(info.vertices == whole.vertices && info.arcs == whole.arcs && info.edges == whole.edges);
    assert_true(info.processes == 1 && info.first == 0 && info.count == info.vertices);
}

IN_PARTS(meguri_graph_get_layout) {
    meguri_layout_info info = {.size = sizeof info};
    assert_int_equal(meguri_graph_get_layout(&info, w.ctx, w.parts), MEGURI_OK);
    assert_true(info.processes == 1 && info.rows == 1 && info.columns == 1 && info.arcs_here == info.arcs);
}

IN_PARTS(meguri_graph_spread) {
    meguri_graph *again = w.graph;
    ELSEWHERE(meguri_graph_spread(&again, w.ctx, w.parts, &w.layout));
    assert_null(again);
}

IN_PARTS(meguri_graph_verify) { ELSEWHERE(meguri_graph_verify(w.ctx, w.parts)); }

IN_PARTS(meguri_graph_degrees) {
    uint64_t out[1];
    ELSEWHERE(meguri_graph_degrees(out, w.ctx, w.parts, 0, 1));
}

IN_PARTS(meguri_graph_in_degrees) {
    uint64_t out[1];
    ELSEWHERE(meguri_graph_in_degrees(out, w.ctx, w.parts, 0, 1));
    ELSEWHERE(meguri_graph_in_degrees(out, w.ctx, w.named_parts, 0, 1));
}

IN_PARTS(meguri_graph_neighbors) {
    uint64_t out[4], count;
    ELSEWHERE(meguri_graph_neighbors(out, NULL, NULL, 4, &count, w.ctx, w.parts, 0));
    BAD(meguri_graph_neighbors(out, NULL, NULL, 4, &count, w.ctx, w.parts, 12));
}

IN_PARTS(meguri_graph_generation) {
    meguri_generation generation = {.size = sizeof generation};
    ELSEWHERE(meguri_graph_generation(&generation, w.ctx, w.parts));
}

IN_PARTS(meguri_graph_with_columns) {
    meguri_graph *graph;
    ELSEWHERE(meguri_graph_with_columns(&graph, w.ctx, w.parts, NULL));
}

IN_PARTS(meguri_graph_vertex_column) {
    meguri_column_info info = {.size = sizeof info};
    ELSEWHERE(meguri_graph_vertex_column(&info, w.ctx, w.parts, 0));
}

IN_PARTS(meguri_graph_find_vertex_column) {
    uint32_t column;
    ELSEWHERE(meguri_graph_find_vertex_column(&column, w.ctx, w.parts, "id"));
}

IN_PARTS(meguri_graph_vertex_label) {
    const char *out;
    ELSEWHERE(meguri_graph_vertex_label(&out, w.ctx, w.parts, 0, 0));
}

IN_PARTS(meguri_graph_vertex_values) {
    uint64_t value;
    ELSEWHERE(meguri_graph_vertex_values(&value, NULL, w.ctx, w.parts, 0, 0, 1));
}

IN_PARTS(meguri_graph_edge_column) {
    meguri_column_info info = {.size = sizeof info};
    ELSEWHERE(meguri_graph_edge_column(&info, w.ctx, w.parts, 0));
}

IN_PARTS(meguri_graph_find_edge_column) {
    uint32_t column;
    ELSEWHERE(meguri_graph_find_edge_column(&column, w.ctx, w.parts, "id"));
}

IN_PARTS(meguri_graph_edge_label) {
    const char *out;
    ELSEWHERE(meguri_graph_edge_label(&out, w.ctx, w.parts, 0, 0));
}

IN_PARTS(meguri_graph_find_edge_label) {
    uint64_t value;
    ELSEWHERE(meguri_graph_find_edge_label(&value, w.ctx, w.parts, 0, "A"));
}

IN_PARTS(meguri_graph_neighbor_values) {
    uint64_t out[4], count;
    ELSEWHERE(meguri_graph_neighbor_values(out, NULL, 4, &count, w.ctx, w.parts, 0, 0));
}

IN_PARTS(meguri_graph_in_neighbor_values) {
    uint64_t out[4], count;
    ELSEWHERE(meguri_graph_in_neighbor_values(out, NULL, 4, &count, w.ctx, w.parts, 0, 0));
}

IN_PARTS(meguri_graph_in_neighbors) {
    uint64_t out[4], count;
    double weights[4];
    ELSEWHERE(meguri_graph_in_neighbors(out, weights, NULL, 4, &count, w.ctx, w.parts, 0));
    ELSEWHERE(meguri_graph_in_neighbors(out, weights, NULL, 4, &count, w.ctx, w.named_parts, 0));
}

IN_PARTS(meguri_graph_coordinates) {
    double x[1], y[1];
    ELSEWHERE(meguri_graph_coordinates(x, y, w.ctx, w.parts, 0, 1));
}

/* ---- ids -------------------------------------------------------------------------------------------------------- */

IN_PARTS(meguri_graph_ids) {
    uint64_t out[1];
    ELSEWHERE(meguri_graph_ids(out, w.ctx, w.parts, 0, 1));
}

IN_PARTS(meguri_graph_names) {
    const char *out[1];
    size_t length[1];
    ELSEWHERE(meguri_graph_names(out, length, w.ctx, w.named_parts, 0, 1));
}

IN_PARTS(meguri_graph_find) {
    uint64_t vertex;
    BAD(meguri_graph_find(NULL, w.ctx, w.parts, 0));
    BAD(meguri_graph_find(&vertex, NULL, w.parts, 0));
    BAD(meguri_graph_find(&vertex, w.ctx, w.named_parts, 0));
    NOWHERE(meguri_graph_find(&vertex, w.ctx, w.parts, UINT64_MAX));
}

IN_PARTS(meguri_graph_find_name) {
    uint64_t vertex;
    BAD(meguri_graph_find_name(NULL, w.ctx, w.named_parts, "a", 1));
    BAD(meguri_graph_find_name(&vertex, w.ctx, w.named_parts, NULL, 1));
    BAD(meguri_graph_find_name(&vertex, w.ctx, w.parts, "a", 1));
    BAD(meguri_graph_find_name(&vertex, w.ctx, w.named_parts, "a", SIZE_MAX));
    NOWHERE(meguri_graph_find_name(&vertex, w.ctx, w.named_parts, "", 0));
}

IN_PARTS(meguri_graph_find_text) {
    uint64_t vertex;
    BAD(meguri_graph_find_text(NULL, w.ctx, w.parts, "1"));
    BAD(meguri_graph_find_text(&vertex, w.ctx, w.parts, NULL));
    NOWHERE(meguri_graph_find_text(&vertex, w.ctx, w.parts, "18446744073709551616"));
    NOWHERE(meguri_graph_find_text(&vertex, w.ctx, w.named_parts, ""));
}

IN_PARTS(meguri_graph_find_like) {
    uint64_t vertex;
    BAD(meguri_graph_find_like(NULL, w.ctx, w.parts, "1"));
    NOWHERE(meguri_graph_find_like(&vertex, w.ctx, w.named_parts, "A")); /* others have names, too: none is told */
}

IN_PARTS(meguri_list_vertices) {
    char folder[FOLDER_TEXT], path[FOLDER_TEXT + 8];
    uint64_t vertices[2];
    const char *ids[2];
    meguri_list *list;
    folder_new(folder);
    snprintf(path, sizeof path, "%s/list", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs("1 0.5\n0\n", file) >= 0 && fclose(file) == 0);
    assert_int_equal(meguri_list_read(&list, w.ctx, path, MEGURI_LIST_VERTICES), MEGURI_OK);
    BAD(meguri_list_vertices(NULL, NULL, w.ctx, list, w.parts, NULL));
    assert_int_equal(meguri_list_vertices(vertices, ids, w.ctx, list, w.parts, NULL), MEGURI_OK);
    assert_string_equal(ids[0], "1");
    NOWHERE(meguri_list_vertices(vertices, NULL, w.ctx, list, w.named_parts, NULL));
    meguri_list_free(list);
    folder_remove(folder);
}

IN_PARTS(meguri_graph_id_text) {
    char text[32];
    size_t length;
    BAD(meguri_graph_id_text(NULL, sizeof text, &length, w.ctx, w.parts, 0));
    BAD(meguri_graph_id_text(text, 0, &length, w.ctx, w.parts, 0));
    for (size_t i = 0; i < COUNT_OF(outside); i++)
        NOWHERE(meguri_graph_id_text(text, sizeof text, &length, w.ctx, w.parts, outside[i]));
}

/* ---- files ------------------------------------------------------------------------------------------------------ */

IN_PARTS(meguri_save) {
    BAD(meguri_save(NULL, w.parts, to_file("nowhere.meg"), NULL));
    BAD(meguri_save(w.ctx, w.parts, to_file(NULL), NULL));
    BAD(meguri_save(w.ctx, w.parts, to_file(""), NULL));
    meguri_generation generation = {.size = sizeof generation, .number = 1};
    const meguri_save_options o = {.size = sizeof o, .generation = &generation};
    ELSEWHERE(meguri_save(w.ctx, w.parts, to_file("nowhere.meg"), &o));
}

IN_PARTS(meguri_partition) {
    const meguri_partition_options o = {.size = sizeof o, .parts = 2};
    ELSEWHERE(meguri_partition(NULL, w.ctx, w.parts, "nowhere", &o));
}

IN_PARTS(meguri_write) {
    ELSEWHERE(meguri_write(w.ctx, w.parts, to_file("nowhere.el"), NULL));
    ELSEWHERE(meguri_write(w.ctx, w.named_parts, to_file("nowhere.csv"), as_format(MEGURI_FORMAT_CSV)));
}

IN_PARTS(meguri_names_beside) {
    char name[64];
    assert_int_equal(meguri_names_beside(name, sizeof name, w.parts, "nowhere.mtx", MEGURI_FORMAT_AUTO), 0);
    assert_int_equal(meguri_names_beside(name, sizeof name, w.named_parts, "nowhere.mtx", MEGURI_FORMAT_AUTO), 17);
}

IN_PARTS(meguri_write_beside) {
    char name[64];
    assert_int_equal(meguri_write_beside(name, sizeof name, w.parts, "nowhere.gr", MEGURI_FORMAT_AUTO), 0);
    assert_int_equal(meguri_write_beside(name, sizeof name, w.parts, "nowhere.e", MEGURI_FORMAT_AUTO), 9);
}

/* ---- results ---------------------------------------------------------------------------------------------------- */

IN_PARTS(meguri_result_read) {
    meguri_result *result;
    ELSEWHERE(meguri_result_read(&result, w.ctx, w.parts, "nowhere.tsv", NULL));
}

IN_PARTS(meguri_result_write) {
    BAD(meguri_result_write(w.ctx, NULL, w.parts, to_file("nowhere.tsv"), NULL));
    BAD(meguri_result_write(w.ctx, w.result, w.parts, to_file(NULL), NULL));
    BAD(meguri_result_write(w.ctx, w.result, w.parts, to_file("nowhere.xyz"), NULL));
    BAD(meguri_result_write(w.ctx, w.result, w.named_parts, to_file("nowhere.tsv"), NULL)); /* of another graph */
}

IN_PARTS(meguri_result_top) {
    uint64_t vertices[12], count;
    BAD_HIGHEST(meguri_result_top, double, "level", "parent", w.parts, w.result);
    BAD(meguri_result_top(vertices, NULL, &count, w.ctx, w.parts, NULL, "level", 4));
    BAD(meguri_result_top(vertices, NULL, &count, w.ctx, w.named_parts, w.result, "level", 4)); /* another graph */
}

IN_PARTS(meguri_result_groups) {
    uint64_t groups[12], sizes[12], count;
    BAD_HIGHEST(meguri_result_groups, uint64_t, "parent", "level", w.parts, w.result);
    BAD(meguri_result_groups(groups, NULL, &count, w.ctx, w.parts, w.result, "parent", 4));
    BAD(meguri_result_groups(groups, sizes, &count, w.ctx, w.named_parts, w.result, "parent", 4)); /* another graph */
}

IN_PARTS(meguri_result_stream_open) {
    static const char *const names[] = {"level"};
    static const meguri_type types[] = {MEGURI_TYPE_I32};
    const meguri_result_table table = {
        .size = sizeof table, .results = 1, .key = "source", .columns = 1, .names = names, .types = types};
    meguri_result_stream *stream;
    ELSEWHERE(meguri_result_stream_open(&stream, w.ctx, w.parts, to_file("nowhere.tsv"), &table));
    assert_null(stream);
}

IN_PARTS(meguri_table_open) {
    static const uint64_t vertices[] = {0};
    const meguri_table_options options = {.size = sizeof options,
                                          .rows = 1,
                                          .key = "source",
                                          .columns = 1,
                                          .vertices = vertices,
                                          .type = MEGURI_TYPE_U64};
    meguri_table *table;
    ELSEWHERE(meguri_table_open(&table, w.ctx, w.parts, to_file("nowhere.tsv"), &options));
    assert_null(table);
}

/* ---- searches --------------------------------------------------------------------------------------------------- */

/* function(out, ctx, graph, …, options `o`), whose engine is another one */
#define OTHER_ENGINE(o, call)                                                                                          \
    do {                                                                                                               \
        BAD_ENUM(meguri_engine, (o).engine, call);                                                                     \
        (o).engine = MEGURI_ENGINE_HOST;                                                                               \
        ELSEWHERE(call);                                                                                               \
        (o).engine = MEGURI_ENGINE_AUTO;                                                                               \
    } while (0)

IN_PARTS(meguri_bfs) {
    meguri_result *r;
    meguri_bfs_options o = {.size = sizeof o, .max_depth = UINT32_MAX, .levels = 1, .parents = 1};
    BAD(meguri_bfs(NULL, w.ctx, w.parts, 0, NULL));
    BAD_SIZES(o, meguri_bfs(&r, w.ctx, w.parts, 0, &o));
    BAD_ENUM(meguri_bfs_policy, o.policy, meguri_bfs(&r, w.ctx, w.parts, 0, &o));
    BAD_ENUM(meguri_exchange, o.exchange, meguri_bfs(&r, w.ctx, w.parts, 0, &o));
    BAD_REAL(o.alpha, meguri_bfs(&r, w.ctx, w.parts, 0, &o));
    OTHER_ENGINE(o, meguri_bfs(&r, w.ctx, w.parts, 0, &o));
    for (size_t i = 0; i < COUNT_OF(outside); i++) NOWHERE(meguri_bfs(&r, w.ctx, w.parts, outside[i], NULL));
    assert_null(r);
}

IN_PARTS(meguri_bfs_search_new) {
    const meguri_result *r;
    meguri_bfs_search *s;
    meguri_bfs_options o = {.size = sizeof o, .max_depth = UINT32_MAX, .levels = 1, .parents = 1};
    BAD_SIZES(o, meguri_bfs_search_new(&s, w.ctx, w.parts, &o));
    OTHER_ENGINE(o, meguri_bfs_search_new(&s, w.ctx, w.parts, &o));
    assert_int_equal(meguri_bfs_search_new(&s, w.ctx, w.parts, NULL), MEGURI_OK);
    for (size_t i = 0; i < COUNT_OF(outside); i++) NOWHERE(meguri_bfs_search_run(&r, w.ctx, s, outside[i]));
    meguri_bfs_search_free(s);
}

static meguri_status take_result(void *user, uint64_t index, const meguri_result *result) {
    (void)user, (void)index, (void)result;
    return MEGURI_OK;
}

IN_PARTS(meguri_bfs_many) {
    static const uint64_t sources[1] = {0};
    ELSEWHERE(meguri_bfs_many(w.ctx, w.parts, sources, 1, NULL, take_result, NULL));
}

IN_PARTS(meguri_bfs_many_search_new) {
    meguri_bfs_many_search *s;
    ELSEWHERE(meguri_bfs_many_search_new(&s, w.ctx, w.parts, NULL));
    assert_null(s);
}

IN_PARTS(meguri_bfs_check) {
    meguri_result *r;
    meguri_bfs_options o = {.size = sizeof o, .max_depth = UINT32_MAX, .levels = 1, .parents = 1};
    assert_int_equal(meguri_bfs(&r, w.ctx, w.parts, 0, NULL), MEGURI_OK);
    assert_int_equal(meguri_bfs_check(w.ctx, w.parts, r, &o), MEGURI_OK);
    BAD(meguri_bfs_check(NULL, w.parts, r, NULL));
    BAD(meguri_bfs_check(w.ctx, w.parts, NULL, NULL));
    BAD_SIZES(o, meguri_bfs_check(w.ctx, w.parts, r, &o));
    meguri_result_free(r);
}

IN_PARTS(meguri_sssp) {
    meguri_result *r;
    meguri_sssp_options o = {.size = sizeof o, .parents = 1, .max_cost = (double)INFINITY};
    BAD(meguri_sssp(NULL, w.ctx, w.parts, 0, NULL));
    BAD_SIZES(o, meguri_sssp(&r, w.ctx, w.parts, 0, &o));
    BAD_REAL(o.delta, meguri_sssp(&r, w.ctx, w.parts, 0, &o));
    OTHER_ENGINE(o, meguri_sssp(&r, w.ctx, w.parts, 0, &o));
    for (size_t i = 0; i < COUNT_OF(outside); i++) NOWHERE(meguri_sssp(&r, w.ctx, w.parts, outside[i], NULL));
    assert_null(r);
}

IN_PARTS(meguri_sssp_search_new) {
    const meguri_result *r;
    meguri_sssp_search *s;
    meguri_sssp_options o = {.size = sizeof o, .parents = 1, .max_cost = (double)INFINITY};
    BAD_SIZES(o, meguri_sssp_search_new(&s, w.ctx, w.parts, &o));
    OTHER_ENGINE(o, meguri_sssp_search_new(&s, w.ctx, w.parts, &o));
    assert_int_equal(meguri_sssp_search_new(&s, w.ctx, w.parts, NULL), MEGURI_OK);
    for (size_t i = 0; i < COUNT_OF(outside); i++) NOWHERE(meguri_sssp_search_run(&r, w.ctx, s, outside[i]));
    meguri_sssp_search_free(s);
}

IN_PARTS(meguri_sssp_many) {
    static const uint64_t sources[1] = {0};
    ELSEWHERE(meguri_sssp_many(w.ctx, w.parts, sources, 1, NULL, take_result, NULL));
}

IN_PARTS(meguri_sssp_table) {
    static const uint64_t some[1] = {0};
    ELSEWHERE(meguri_sssp_table(w.ctx, w.parts, some, 1, some, 1, NULL, take_result, NULL));
}

IN_PARTS(meguri_sssp_check) {
    meguri_result *r;
    meguri_sssp_options o = {.size = sizeof o, .parents = 1, .max_cost = (double)INFINITY};
    assert_int_equal(meguri_sssp(&r, w.ctx, w.parts, 0, NULL), MEGURI_OK);
    assert_int_equal(meguri_sssp_check(w.ctx, w.parts, r, &o), MEGURI_OK);
    BAD(meguri_sssp_check(NULL, w.parts, r, NULL));
    BAD(meguri_sssp_check(w.ctx, w.parts, NULL, NULL));
    BAD_SIZES(o, meguri_sssp_check(w.ctx, w.parts, r, &o));
    meguri_result_free(r);
}

IN_PARTS(meguri_path_finder_new) {
    meguri_path_finder *finder;
    meguri_path_finder_options o = {.size = sizeof o};
    for (int use = MEGURI_PATH_INDEX_STORED; use <= MEGURI_PATH_INDEX_NONE; use++)
        for (int direction = MEGURI_PATH_OUT; direction <= MEGURI_PATH_BOTH; direction++) {
            o.direction = (meguri_path_direction)direction;
            ELSEWHERE(meguri_path_finder_new(&finder, w.ctx, w.parts, &o));
            assert_null(finder);
        }
}

IN_PARTS(meguri_path_checker_new) {
    meguri_path_checker *checker;
    ELSEWHERE(meguri_path_checker_new(&checker, w.ctx, w.parts, NULL));
    assert_null(checker);
}

IN_PARTS(meguri_path_pairs_new) {
    meguri_path_pairs *pairs;
    ELSEWHERE(meguri_path_pairs_new(&pairs, w.ctx, w.parts, "pairs", NULL));
    assert_null(pairs);
}

IN_PARTS(meguri_path_writer_new) {
    meguri_path_writer *writer;
    ELSEWHERE(meguri_path_writer_new(&writer, w.ctx, w.parts, NULL, NULL));
    assert_null(writer);
}

IN_PARTS(meguri_overview_new) {
    meguri_overview *overview;
    ELSEWHERE(meguri_overview_new(&overview, w.ctx, w.parts, NULL));
    assert_null(overview);
}

IN_PARTS(meguri_report_add_graph) {
    meguri_report *report;
    static const char paths[] = "{\"type\": \"FeatureCollection\", \"features\": []}";
    const meguri_report_options o = {.size = sizeof o, .text = paths, .text_bytes = sizeof paths - 1};
    assert_int_equal(meguri_report_read(&report, w.ctx, "a.geojson", &o), MEGURI_OK);
    ELSEWHERE(meguri_report_add_graph(w.ctx, report, w.parts));
    meguri_report_free(report);
}

IN_PARTS(meguri_path_index_new) {
    meguri_path_index *index;
    ELSEWHERE(meguri_path_index_new(&index, w.ctx, w.parts, NULL));
}
IN_PARTS(meguri_path_index_of) {
    meguri_path_index *index;
    ELSEWHERE(meguri_path_index_of(&index, w.ctx, w.parts));
}

/* ---- the whole graph -------------------------------------------------------------------------------------------- */

IN_PARTS(meguri_pagerank) {
    meguri_result *r;
    meguri_pagerank_options o = {.size = sizeof o, .tiles = 1, .damping = 0.85, .tolerance = 1e-9};
    BAD(meguri_pagerank(NULL, w.ctx, w.parts, NULL));
    BAD_SIZES(o, meguri_pagerank(&r, w.ctx, w.parts, &o));
    BAD_REAL(o.damping, meguri_pagerank(&r, w.ctx, w.parts, &o));
    BAD_REAL(o.tolerance, meguri_pagerank(&r, w.ctx, w.parts, &o));
    OTHER_ENGINE(o, meguri_pagerank(&r, w.ctx, w.parts, &o));
    assert_null(r);
}

IN_PARTS(meguri_pagerank_check) {
    meguri_result *r;
    meguri_pagerank_options o = {.size = sizeof o, .tiles = 1, .damping = 0.85, .tolerance = 1e-9};
    assert_int_equal(meguri_pagerank(&r, w.ctx, w.parts, NULL), MEGURI_OK);
    assert_int_equal(meguri_pagerank_check(w.ctx, w.parts, r, &o), MEGURI_OK);
    BAD(meguri_pagerank_check(NULL, w.parts, r, NULL));
    BAD(meguri_pagerank_check(w.ctx, w.parts, NULL, NULL));
    BAD_SIZES(o, meguri_pagerank_check(w.ctx, w.parts, r, &o));
    meguri_result_free(r);
}

IN_PARTS(meguri_components) {
    meguri_result *r;
    meguri_components_options o = {.size = sizeof o};
    BAD(meguri_components(NULL, w.ctx, w.parts, NULL));
    BAD_SIZES(o, meguri_components(&r, w.ctx, w.parts, &o));
    OTHER_ENGINE(o, meguri_components(&r, w.ctx, w.parts, &o));
    assert_null(r);
}

IN_PARTS(meguri_components_check) {
    meguri_result *r;
    meguri_components_options o = {.size = sizeof o};
    assert_int_equal(meguri_components(&r, w.ctx, w.parts, NULL), MEGURI_OK);
    assert_int_equal(meguri_components_check(w.ctx, w.parts, r, &o), MEGURI_OK);
    BAD(meguri_components_check(NULL, w.parts, r, NULL));
    BAD(meguri_components_check(w.ctx, w.parts, NULL, NULL));
    BAD_SIZES(o, meguri_components_check(w.ctx, w.parts, r, &o));
    meguri_result_free(r);
}

IN_PARTS(meguri_betweenness) {
    static const uint64_t sources[1] = {0};
    meguri_result *r;
    meguri_betweenness_options o = {.size = sizeof o, .sources = sources, .count = 1};
    ELSEWHERE(meguri_betweenness(&r, w.ctx, w.parts, NULL));
    ELSEWHERE(meguri_betweenness(&r, w.ctx, w.named_parts, &o));
    assert_null(r);
}
IN_PARTS(meguri_betweenness_check) {
    meguri_result *r;
    assert_int_equal(meguri_pagerank(&r, w.ctx, w.parts, NULL), MEGURI_OK);
    ELSEWHERE(meguri_betweenness_check(w.ctx, w.parts, r, NULL));
    meguri_result_free(r);
}

#define WHOLE_ONLY(function)                                                                                           \
    do {                                                                                                               \
        meguri_result *r;                                                                                              \
        ELSEWHERE(function(&r, w.ctx, w.parts, NULL));                                                                 \
        assert_null(r);                                                                                                \
        ELSEWHERE(function(&r, w.ctx, w.named_parts, NULL));                                                           \
        assert_null(r);                                                                                                \
    } while (0)
#define TRY_WHOLE(name)                                                                                                \
    IN_PARTS(meguri_##name) { WHOLE_ONLY(meguri_##name); }                                                             \
    IN_PARTS(meguri_##name##_check) {                                                                                  \
        meguri_result *r;                                                                                              \
        assert_int_equal(meguri_pagerank(&r, w.ctx, w.parts, NULL), MEGURI_OK);                                        \
        ELSEWHERE(meguri_##name##_check(w.ctx, w.parts, r, NULL));                                                     \
        meguri_result_free(r);                                                                                         \
    }
WHOLE_ALGORITHMS(TRY_WHOLE)

#define WHOLE_ROWS(name) PART_ROW(meguri_##name), PART_ROW(meguri_##name##_check),

int main(void) {
    static const row rows[] = {
        WHOLE_ALGORITHMS(WHOLE_ROWS) PART_ROW(meguri_graph_free),
        PART_ROW(meguri_graph_get_info),
        PART_ROW(meguri_graph_get_layout),
        PART_ROW(meguri_graph_spread),
        PART_ROW(meguri_graph_verify),
        PART_ROW(meguri_graph_degrees),
        PART_ROW(meguri_graph_in_degrees),
        PART_ROW(meguri_graph_neighbors),
        PART_ROW(meguri_graph_generation),
        PART_ROW(meguri_graph_with_columns),
        PART_ROW(meguri_graph_vertex_column),
        PART_ROW(meguri_graph_find_vertex_column),
        PART_ROW(meguri_graph_vertex_label),
        PART_ROW(meguri_graph_vertex_values),
        PART_ROW(meguri_graph_edge_column),
        PART_ROW(meguri_graph_find_edge_column),
        PART_ROW(meguri_graph_edge_label),
        PART_ROW(meguri_graph_find_edge_label),
        PART_ROW(meguri_graph_neighbor_values),
        PART_ROW(meguri_graph_in_neighbor_values),
        PART_ROW(meguri_graph_in_neighbors),
        PART_ROW(meguri_graph_coordinates),
        PART_ROW(meguri_graph_ids),
        PART_ROW(meguri_graph_names),
        PART_ROW(meguri_graph_find),
        PART_ROW(meguri_graph_find_name),
        PART_ROW(meguri_graph_find_text),
        PART_ROW(meguri_graph_find_like),
        PART_ROW(meguri_list_vertices),
        PART_ROW(meguri_graph_id_text),
        PART_ROW(meguri_save),
        PART_ROW(meguri_write),
        PART_ROW(meguri_partition),
        PART_ROW(meguri_names_beside),
        PART_ROW(meguri_write_beside),
        PART_ROW(meguri_result_read),
        PART_ROW(meguri_result_write),
        PART_ROW(meguri_result_top),
        PART_ROW(meguri_result_groups),
        PART_ROW(meguri_result_stream_open),
        PART_ROW(meguri_table_open),
        PART_ROW(meguri_bfs),
        PART_ROW(meguri_bfs_search_new),
        PART_ROW(meguri_bfs_many),
        PART_ROW(meguri_bfs_many_search_new),
        PART_ROW(meguri_bfs_check),
        PART_ROW(meguri_sssp),
        PART_ROW(meguri_sssp_search_new),
        PART_ROW(meguri_sssp_many),
        PART_ROW(meguri_sssp_table),
        PART_ROW(meguri_sssp_check),
        PART_ROW(meguri_path_finder_new),
        PART_ROW(meguri_path_checker_new),
        PART_ROW(meguri_path_pairs_new),
        PART_ROW(meguri_path_writer_new),
        PART_ROW(meguri_overview_new),
        PART_ROW(meguri_report_add_graph),
        PART_ROW(meguri_path_index_new),
        PART_ROW(meguri_path_index_of),
        PART_ROW(meguri_pagerank),
        PART_ROW(meguri_pagerank_check),
        PART_ROW(meguri_components),
        PART_ROW(meguri_components_check),
        PART_ROW(meguri_betweenness),
        PART_ROW(meguri_betweenness_check),
    };
    return run_rows(rows, COUNT_OF(rows));
}
