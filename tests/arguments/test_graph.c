/* The context, graphs, generators, files. */
#include "arguments.h"
#include "support/sinks.h"

/* ---- version, status, context ----------------------------------------------------------------------------------- */

CALLS(meguri_version) { assert_non_null(meguri_version()); }
CALLS(meguri_version_number) { assert_int_equal(meguri_version_number(), MEGURI_VERSION_NUMBER); }

CALLS(meguri_status_text) {
    assert_string_equal(meguri_status_text((meguri_status)-1), "unknown status");
    assert_string_equal(meguri_status_text((meguri_status)99), "unknown status");
}

CALLS(meguri_status_exit_code) { assert_int_equal(meguri_status_exit_code((meguri_status)99), 5); }

CALLS(meguri_count_text) {
    char text[MEGURI_COUNT_TEXT];
    assert_string_equal(meguri_count_text(NULL, 1, "edge"), "");
    assert_string_equal(meguri_count_text(text, 1, NULL), "");
}

CALLS(meguri_parse_count) {
    uint64_t count = 7;
    assert_int_equal(meguri_parse_count(NULL, "1"), 0);
    assert_int_equal(meguri_parse_count(&count, NULL), 0);
    assert_int_equal(meguri_parse_count(&count, ""), 0);
    assert_int_equal(count, 7);
}

CALLS(meguri_parse_size) {
    uint64_t bytes = 7;
    assert_int_equal(meguri_parse_size(NULL, "1"), 0);
    assert_int_equal(meguri_parse_size(&bytes, NULL), 0);
    assert_int_equal(meguri_parse_size(&bytes, "B"), 0);
    assert_int_equal(bytes, 7);
}

CALLS(meguri_did_you_mean) {
    char text[64];
    const char *names[] = {"build", NULL};
    assert_int_equal(meguri_did_you_mean(text, sizeof text, NULL, names, 2, ""), 0);
    assert_int_equal(meguri_did_you_mean(text, sizeof text, "biuld", NULL, 2, ""), 0);
    assert_int_equal(meguri_did_you_mean(NULL, sizeof text, "biuld", names, 2, ""), 0);
    assert_int_equal(meguri_did_you_mean(NULL, 0, "biuld", names, 2, NULL), 23);
    assert_int_equal(meguri_did_you_mean(text, 5, "biuld", names, 2, NULL), 23);
    assert_string_equal(text, "; di");
}

CALLS(meguri_cannot_open) {
    char text[64];
    assert_int_equal(meguri_cannot_open(text, sizeof text, NULL, 2), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_cannot_open(NULL, sizeof text, "x", 2), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_cannot_open(NULL, 0, "/no/such", 2), MEGURI_NOT_FOUND);
    assert_int_equal(meguri_cannot_open(text, 5, "/no/such", 13), MEGURI_BAD_INPUT);
    assert_string_equal(text, "c…");
}

CALLS(meguri_ctx_new) {
    meguri_ctx *ctx;
    meguri_ctx_options o = {.size = sizeof o};
    BAD(meguri_ctx_new(NULL, NULL));
    BAD_SIZES(o, meguri_ctx_new(&ctx, &o));
    BAD_ENUM(meguri_log_level, o.log_level, meguri_ctx_new(&ctx, &o));
    assert_null(ctx);
    o.threads = UINT32_MAX; /* as many as there may be */
    assert_int_equal(meguri_ctx_new(&ctx, &o), MEGURI_OK);
    assert_int_equal(meguri_ctx_threads(ctx), MG_MAX_THREADS);
    meguri_ctx_free(ctx);
}

CALLS(meguri_ctx_child) {
    meguri_ctx *child = w.ctx;
    meguri_ctx_child_options o = {.size = sizeof o};
    BAD(meguri_ctx_child(NULL, w.ctx, NULL));
    BAD(meguri_ctx_child(&child, NULL, NULL));
    assert_null(child);
    BAD_SIZES(o, meguri_ctx_child(&child, w.ctx, &o));
    const double wrong[] = {-1, -INFINITY, NAN};
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        o.timeout = wrong[i];
        BAD(meguri_ctx_child(&child, w.ctx, &o));
        assert_null(child);
    }
    o.timeout = INFINITY; /* none */
    o.threads = UINT32_MAX;
    assert_int_equal(meguri_ctx_child(&child, w.ctx, &o), MEGURI_OK);
    assert_int_equal(meguri_ctx_threads(child), meguri_ctx_threads(w.ctx));
    meguri_ctx_free(child);
}

CALLS(meguri_ctx_cancel) { meguri_ctx_cancel(NULL); }
CALLS(meguri_ctx_cancelled) { assert_int_equal(meguri_ctx_cancelled(NULL), 0); }
CALLS(meguri_ctx_user) {
    assert_null(meguri_ctx_user(NULL));
    assert_null(meguri_ctx_user(w.ctx));
}

CALLS(meguri_ctx_free) { meguri_ctx_free(NULL); }
CALLS(meguri_ctx_error) {
    meguri_ctx *ctx;
    assert_int_equal(meguri_ctx_new(&ctx, NULL), MEGURI_OK);
    assert_string_equal(meguri_ctx_error(NULL), ""); /* of this thread's last call without a context */
    meguri_ctx_free(ctx);
    assert_int_equal(meguri_ctx_new(NULL, NULL), MEGURI_BAD_ARGUMENT);
    assert_string_equal(meguri_ctx_error(NULL), "meguri_ctx_new: an argument that it needs is NULL.");
}
CALLS(meguri_ctx_threads) { assert_int_equal(meguri_ctx_threads(NULL), 0); }
CALLS(meguri_ctx_memory_limit) { assert_int_equal(meguri_ctx_memory_limit(NULL), 0); }
CALLS(meguri_ctx_memory_used) { assert_int_equal(meguri_ctx_memory_used(NULL), 0); }
CALLS(meguri_ctx_memory_peak) { assert_int_equal(meguri_ctx_memory_peak(NULL), 0); }
CALLS(meguri_ctx_trace) {
    BAD(meguri_ctx_trace(NULL, "t.json"));
    BAD(meguri_ctx_trace(NULL, NULL));
}

CALLS(meguri_ctx_trace_to) { BAD(meguri_ctx_trace_to(NULL, NULL, NULL)); }

CALLS(meguri_ctx_trace_add) {
    BAD(meguri_ctx_trace_add(NULL, "run", "\"a\": 1"));
    BAD(meguri_ctx_trace_add(w.ctx, NULL, "\"a\": 1"));
    BAD(meguri_ctx_trace_add(w.ctx, "run", NULL));
}

CALLS(meguri_ctx_fail) {
    BAD(meguri_ctx_fail(NULL, MEGURI_BAD_INPUT, "it is wrong."));
    BAD(meguri_ctx_fail(w.ctx, MEGURI_BAD_INPUT, NULL));
    assert_int_equal(meguri_ctx_fail(w.ctx, MEGURI_BAD_INPUT, "it is 100 % wrong."), MEGURI_BAD_INPUT);
    assert_string_equal(meguri_ctx_error(w.ctx), "it is 100 % wrong.");
}

CALLS(meguri_ctx_progress) {
    BAD(meguri_ctx_progress(NULL, "phase", 0, 0));
    BAD(meguri_ctx_progress(w.ctx, NULL, 0, 0));
    assert_int_equal(meguri_ctx_progress(w.ctx, "phase", UINT64_MAX, 0), MEGURI_OK);
}

CALLS(meguri_ctx_resize) {
    assert_null(meguri_ctx_resize(NULL, NULL, 1, "a test"));
    assert_null(meguri_ctx_resize(w.ctx, NULL, 1, NULL));
    assert_true(*meguri_ctx_error(w.ctx));
    uint64_t before = meguri_ctx_memory_used(w.ctx);
    char *block = meguri_ctx_resize(w.ctx, NULL, 1000, "a test");
    assert_non_null(block);
    assert_int_equal(meguri_ctx_memory_used(w.ctx), before + 1000);
    block[999] = 7;
    assert_null(meguri_ctx_resize(w.ctx, block, SIZE_MAX, "a test"));
    assert_non_null(strstr(meguri_ctx_error(w.ctx), "not enough memory for a test: "));
    block = meguri_ctx_resize(w.ctx, block, 5000, "a test");
    assert_true(block && block[999] == 7 && !*meguri_ctx_error(w.ctx));
    assert_int_equal(meguri_ctx_memory_used(w.ctx), before + 5000);
    meguri_ctx_release(block);
    assert_int_equal(meguri_ctx_memory_used(w.ctx), before);
}

CALLS(meguri_ctx_release) { meguri_ctx_release(NULL); }

CALLS(meguri_ctx_create) {
    int fd = 7;
    BAD(meguri_ctx_create(NULL, w.ctx, "none/none"));
    BAD(meguri_ctx_create(&fd, NULL, "none/none"));
    assert_int_equal(fd, -1);
    BAD(meguri_ctx_create(&fd, w.ctx, NULL));
    assert_int_equal(meguri_ctx_create(&fd, w.ctx, "none/none"), MEGURI_NO_DISK);
    assert_int_equal(fd, -1);
}
CALLS(meguri_ctx_log) {
    BAD(meguri_ctx_log(NULL, MEGURI_LOG_WARNING, "text"));
    BAD(meguri_ctx_log(w.ctx, MEGURI_LOG_WARNING, NULL));
    assert_int_equal(meguri_ctx_log(w.ctx, MEGURI_LOG_WARNING, "%s"), MEGURI_OK);
}

/* ---- graphs ----------------------------------------------------------------------------------------------------- */

CALLS(meguri_graph_from_edges) {
    static const uint64_t from[] = {0, 1}, to[] = {1, 2};
    static const float weights[] = {1, 2};
    meguri_graph *graph;
    meguri_edge_arrays e = {.size = sizeof e, .count = 2, .from = from, .to = to};
    meguri_build_options o = {.size = sizeof o};
    BAD(meguri_graph_from_edges(NULL, w.ctx, &e, NULL));
    BAD(meguri_graph_from_edges(&graph, NULL, &e, NULL));
    BAD(meguri_graph_from_edges(&graph, w.ctx, NULL, NULL));
    BAD_SIZES(e, meguri_graph_from_edges(&graph, w.ctx, &e, NULL));
    BAD_SIZES(o, meguri_graph_from_edges(&graph, w.ctx, &e, &o));
    BAD_ENUM(meguri_direction, o.direction, meguri_graph_from_edges(&graph, w.ctx, &e, &o));
    BAD_ENUM(meguri_order, o.order, meguri_graph_from_edges(&graph, w.ctx, &e, &o));
    BAD_VALUES(uint64_t, e.count, meguri_graph_from_edges(&graph, w.ctx, &e, NULL), NEAR_THE_TOP);
    e.weights = weights;
    e.weight_type = MEGURI_TYPE_F32;
    BAD_VALUES(uint64_t, e.count, meguri_graph_from_edges(&graph, w.ctx, &e, NULL), NEAR_THE_TOP);
    BAD_ENUM(meguri_type, e.weight_type, meguri_graph_from_edges(&graph, w.ctx, &e, NULL));
    e.weights = NULL;
    BAD_VALUES(uint64_t, e.vertices, meguri_graph_from_edges(&graph, w.ctx, &e, NULL), NEAR_THE_TOP);
    BAD_VALUES(uint64_t, e.stride, meguri_graph_from_edges(&graph, w.ctx, &e, NULL), 1, 7, UINT64_MAX, UINT64_MAX - 7);
    BAD_VALUES(uint32_t, e.id_bytes, meguri_graph_from_edges(&graph, w.ctx, &e, NULL), 1, 2, 16, UINT32_MAX);
    BAD_VALUES(const void *, e.from, meguri_graph_from_edges(&graph, w.ctx, &e, NULL), NULL);
    BAD_VALUES(const void *, e.to, meguri_graph_from_edges(&graph, w.ctx, &e, NULL), NULL);
    assert_null(graph);
}

CALLS(meguri_graph_free) { meguri_graph_free(NULL); }

CALLS(meguri_graph_get_info) {
    meguri_graph_info info = {.size = sizeof info};
    BAD(meguri_graph_get_info(NULL, w.ctx, w.graph));
    BAD(meguri_graph_get_info(&info, NULL, w.graph));
    BAD(meguri_graph_get_info(&info, w.ctx, NULL));
    BAD_SIZES(info, meguri_graph_get_info(&info, w.ctx, w.graph));
}

CALLS(meguri_graph_verify) {
    BAD(meguri_graph_verify(NULL, w.graph));
    BAD(meguri_graph_verify(w.ctx, NULL));
}

/* Functions with a range of vertices. */
#define BAD_RANGE(function, places)                                                                                    \
    do {                                                                                                               \
        static const uint64_t top[] = {NEAR_THE_TOP};                                                                  \
        BAD(function(places, NULL, w.graph, 0, 1));                                                                    \
        BAD(function(places, w.ctx, NULL, 0, 1));                                                                      \
        BAD(function(places, w.ctx, w.graph, 0, 13));                                                                  \
        BAD(function(places, w.ctx, w.graph, 13, 0));                                                                  \
        for (size_t t = 0; t < COUNT_OF(top); t++) {                                                                   \
            BAD(function(places, w.ctx, w.graph, top[t], 1));                                                          \
            BAD(function(places, w.ctx, w.graph, 0, top[t]));                                                          \
            BAD(function(places, w.ctx, w.graph, 1, top[t]));                                                          \
            BAD(function(places, w.ctx, w.graph, top[t], top[t]));                                                     \
        }                                                                                                              \
    } while (0)
#define TWO(a, b) a, b

CALLS(meguri_graph_degrees) {
    uint64_t out[1];
    BAD(meguri_graph_degrees(NULL, w.ctx, w.graph, 0, 1));
    BAD_RANGE(meguri_graph_degrees, out);
}

CALLS(meguri_graph_in_degrees) {
    uint64_t out[1];
    BAD(meguri_graph_in_degrees(NULL, w.ctx, w.graph, 0, 1));
    BAD_RANGE(meguri_graph_in_degrees, out);
}

CALLS(meguri_graph_ids) {
    uint64_t out[1];
    BAD(meguri_graph_ids(NULL, w.ctx, w.graph, 0, 1));
    BAD(meguri_graph_ids(out, w.ctx, w.named, 0, 1));
    BAD_RANGE(meguri_graph_ids, out);
}

CALLS(meguri_graph_names) {
    const char *out[1];
    size_t length[1];
    BAD(meguri_graph_names(NULL, length, w.ctx, w.named, 0, 1));
    BAD(meguri_graph_names(out, NULL, w.ctx, w.named, 0, 1));
    BAD(meguri_graph_names(out, length, w.ctx, w.graph, 0, 1));
    BAD_RANGE(meguri_graph_names, TWO(out, length));
    BAD(meguri_graph_names(out, length, w.ctx, w.named, 0, UINT64_MAX));
}

CALLS(meguri_graph_coordinates) {
    double x[1], y[1];
    BAD(meguri_graph_coordinates(NULL, y, w.ctx, w.graph, 0, 1));
    BAD(meguri_graph_coordinates(x, NULL, w.ctx, w.graph, 0, 1));
    BAD(meguri_graph_coordinates(x, y, w.ctx, w.named, 0, 1));
    BAD_RANGE(meguri_graph_coordinates, TWO(x, y));
}

#define BAD_NEIGHBORS(function)                                                                                        \
    do {                                                                                                               \
        uint64_t out[4], count;                                                                                        \
        BAD(function(NULL, NULL, NULL, 4, &count, w.ctx, w.graph, 0));                                                 \
        BAD(function(out, NULL, NULL, 4, NULL, w.ctx, w.graph, 0));                                                    \
        BAD(function(out, NULL, NULL, 4, &count, NULL, w.graph, 0));                                                   \
        BAD(function(out, NULL, NULL, 4, &count, w.ctx, NULL, 0));                                                     \
        BAD(function(out, NULL, NULL, 4, &count, w.ctx, w.graph, 12));                                                 \
        BAD(function(out, NULL, NULL, 4, &count, w.ctx, w.graph, UINT64_MAX));                                         \
        BAD(function(out, NULL, NULL, 4, &count, w.ctx, w.graph, (uint64_t)1 << 32));                                  \
    } while (0)
CALLS(meguri_graph_neighbors) { BAD_NEIGHBORS(meguri_graph_neighbors); }
CALLS(meguri_graph_in_neighbors) { BAD_NEIGHBORS(meguri_graph_in_neighbors); }

/* The graph has no columns: which ones there could be makes no difference. */
#define BAD_COLUMN(function, out, last)                                                                                \
    do {                                                                                                               \
        BAD(function(NULL, w.ctx, w.graph, last));                                                                     \
        BAD(function(out, NULL, w.graph, last));                                                                       \
        BAD(function(out, w.ctx, NULL, last));                                                                         \
    } while (0)

CALLS(meguri_graph_edge_column) {
    meguri_column_info info = {.size = sizeof info};
    BAD_COLUMN(meguri_graph_edge_column, &info, 0);
    BAD(meguri_graph_edge_column(&info, w.ctx, w.graph, 0));
    BAD(meguri_graph_edge_column(&info, w.ctx, w.graph, UINT32_MAX));
}

CALLS(meguri_graph_find_edge_column) {
    uint32_t column;
    BAD_COLUMN(meguri_graph_find_edge_column, &column, "id");
    BAD(meguri_graph_find_edge_column(&column, w.ctx, w.graph, NULL));
    NOWHERE(meguri_graph_find_edge_column(&column, w.ctx, w.graph, "id"));
}

CALLS(meguri_graph_edge_label) {
    const char *out;
    BAD_COLUMN(meguri_graph_edge_label, &out, TWO(0, 0));
    BAD(meguri_graph_edge_label(&out, w.ctx, w.graph, 0, UINT64_MAX));
}

CALLS(meguri_graph_find_edge_label) {
    uint64_t value;
    BAD_COLUMN(meguri_graph_find_edge_label, &value, TWO(0, "A"));
    BAD(meguri_graph_find_edge_label(&value, w.ctx, w.graph, 0, NULL));
    BAD(meguri_graph_find_edge_label(&value, w.ctx, w.graph, 0, "A"));
}

#define BAD_ROW_VALUES(function)                                                                                       \
    do {                                                                                                               \
        uint64_t out[4], count;                                                                                        \
        BAD(function(NULL, NULL, 4, &count, w.ctx, w.graph, 0, 0));                                                    \
        BAD(function(out, NULL, 4, NULL, w.ctx, w.graph, 0, 0));                                                       \
        BAD(function(out, NULL, 4, &count, NULL, w.graph, 0, 0));                                                      \
        BAD(function(out, NULL, 4, &count, w.ctx, NULL, 0, 0));                                                        \
        BAD(function(out, NULL, 4, &count, w.ctx, w.graph, 0, 0));                                                     \
        BAD(function(out, NULL, 4, &count, w.ctx, w.graph, UINT64_MAX, UINT32_MAX));                                   \
    } while (0)
CALLS(meguri_graph_neighbor_values) { BAD_ROW_VALUES(meguri_graph_neighbor_values); }
CALLS(meguri_graph_in_neighbor_values) { BAD_ROW_VALUES(meguri_graph_in_neighbor_values); }
CALLS(meguri_graph_generation) {
    meguri_generation generation = {.size = sizeof generation, .number = 9};
    BAD(meguri_graph_generation(NULL, w.ctx, w.graph));
    BAD(meguri_graph_generation(&generation, NULL, w.graph));
    BAD(meguri_graph_generation(&generation, w.ctx, NULL));
    assert_int_equal(meguri_graph_generation(&generation, w.ctx, w.graph), MEGURI_OK);
    assert_int_equal(generation.number, 0);
}

CALLS(meguri_graph_with_columns) {
    static const double weights[64];
    meguri_graph *graph;
    meguri_with_columns_options o = {.size = sizeof o, .weights = weights, .weight_type = MEGURI_TYPE_F64};
    BAD(meguri_graph_with_columns(NULL, w.ctx, w.graph, &o));
    BAD(meguri_graph_with_columns(&graph, NULL, w.graph, &o));
    BAD(meguri_graph_with_columns(&graph, w.ctx, NULL, &o));
    BAD_SIZES(o, meguri_graph_with_columns(&graph, w.ctx, w.graph, &o));
    o.weights = NULL;
    BAD(meguri_graph_with_columns(&graph, w.ctx, w.graph, &o));
    o.weights = weights;
    BAD_VALUES(meguri_type, o.weight_type, meguri_graph_with_columns(&graph, w.ctx, w.graph, &o), MEGURI_TYPE_NONE,
               (meguri_type)100);
    o.column_count = 1;
    BAD(meguri_graph_with_columns(&graph, w.ctx, w.graph, &o));
    assert_null(graph);
}

CALLS(meguri_graph_vertex_column) {
    meguri_column_info info = {.size = sizeof info};
    BAD(meguri_graph_vertex_column(NULL, w.ctx, w.graph, 0));
    BAD(meguri_graph_vertex_column(&info, NULL, w.graph, 0));
    BAD(meguri_graph_vertex_column(&info, w.ctx, NULL, 0));
    BAD(meguri_graph_vertex_column(&info, w.ctx, w.graph, 0)); /* it has none */
    BAD(meguri_graph_vertex_column(&info, w.ctx, w.graph, UINT32_MAX));
}
CALLS(meguri_graph_find_vertex_column) {
    uint32_t column;
    BAD(meguri_graph_find_vertex_column(NULL, w.ctx, w.graph, "n"));
    BAD(meguri_graph_find_vertex_column(&column, NULL, w.graph, "n"));
    BAD(meguri_graph_find_vertex_column(&column, w.ctx, NULL, "n"));
    BAD(meguri_graph_find_vertex_column(&column, w.ctx, w.graph, NULL));
    NOWHERE(meguri_graph_find_vertex_column(&column, w.ctx, w.graph, "n"));
}
CALLS(meguri_graph_vertex_label) {
    const char *label;
    BAD(meguri_graph_vertex_label(NULL, w.ctx, w.graph, 0, 0));
    BAD(meguri_graph_vertex_label(&label, NULL, w.graph, 0, 0));
    BAD(meguri_graph_vertex_label(&label, w.ctx, NULL, 0, 0));
    BAD(meguri_graph_vertex_label(&label, w.ctx, w.graph, 0, 0));
}
CALLS(meguri_graph_vertex_values) {
    uint64_t values[1];
    BAD(meguri_graph_vertex_values(NULL, NULL, w.ctx, w.graph, 0, 0, 1));
    BAD(meguri_graph_vertex_values(values, NULL, NULL, w.graph, 0, 0, 1));
    BAD(meguri_graph_vertex_values(values, NULL, w.ctx, NULL, 0, 0, 1));
    BAD(meguri_graph_vertex_values(values, NULL, w.ctx, w.graph, 0, 0, 1));
    BAD(meguri_graph_vertex_values(values, NULL, w.ctx, w.graph, UINT32_MAX, UINT64_MAX, UINT64_MAX));
}

CALLS(meguri_type_bytes) {
    assert_int_equal(meguri_type_bytes((meguri_type)99), 0);
    assert_int_equal(meguri_type_bytes((meguri_type)-1), 0);
    assert_int_equal(meguri_type_bytes(MEGURI_TYPE_TEXT), 0);
}
CALLS(meguri_column_kind_name) { assert_string_equal(meguri_column_kind_name((meguri_column_kind)99), "unknown"); }

CALLS(meguri_graph_find) {
    uint64_t vertex;
    BAD(meguri_graph_find(NULL, w.ctx, w.graph, 0));
    BAD(meguri_graph_find(&vertex, NULL, w.graph, 0));
    BAD(meguri_graph_find(&vertex, w.ctx, NULL, 0));
    BAD(meguri_graph_find(&vertex, w.ctx, w.named, 0));
    NOWHERE(meguri_graph_find(&vertex, w.ctx, w.graph, UINT64_MAX));
}

CALLS(meguri_graph_find_name) {
    uint64_t vertex;
    BAD(meguri_graph_find_name(NULL, w.ctx, w.named, "a", 1));
    BAD(meguri_graph_find_name(&vertex, NULL, w.named, "a", 1));
    BAD(meguri_graph_find_name(&vertex, w.ctx, NULL, "a", 1));
    BAD(meguri_graph_find_name(&vertex, w.ctx, w.named, NULL, 1));
    BAD(meguri_graph_find_name(&vertex, w.ctx, w.graph, "a", 1));
    BAD(meguri_graph_find_name(&vertex, w.ctx, w.named, "a", SIZE_MAX));
    BAD(meguri_graph_find_name(&vertex, w.ctx, w.named, "a", SIZE_MAX / 2 + 1));
    NOWHERE(meguri_graph_find_name(&vertex, w.ctx, w.named, "", 0));
}

CALLS(meguri_graph_find_like) {
    uint64_t vertex;
    BAD(meguri_graph_find_like(NULL, w.ctx, w.named, "a"));
    BAD(meguri_graph_find_like(&vertex, NULL, w.named, "a"));
    BAD(meguri_graph_find_like(&vertex, w.ctx, NULL, "a"));
    BAD(meguri_graph_find_like(&vertex, w.ctx, w.named, NULL));
    NOWHERE(meguri_graph_find_like(&vertex, w.ctx, w.graph, "-1"));
    assert_int_equal(meguri_graph_find_like(&vertex, w.ctx, w.named, "A"), MEGURI_NOT_FOUND);
}
CALLS(meguri_graph_find_text) {
    uint64_t vertex;
    BAD(meguri_graph_find_text(NULL, w.ctx, w.graph, "1"));
    BAD(meguri_graph_find_text(&vertex, NULL, w.graph, "1"));
    BAD(meguri_graph_find_text(&vertex, w.ctx, NULL, "1"));
    BAD(meguri_graph_find_text(&vertex, w.ctx, w.graph, NULL));
    NOWHERE(meguri_graph_find_text(&vertex, w.ctx, w.graph, "18446744073709551616"));
    NOWHERE(meguri_graph_find_text(&vertex, w.ctx, w.graph, "-1"));
    NOWHERE(meguri_graph_find_text(&vertex, w.ctx, w.graph, ""));
}

CALLS(meguri_graph_id_text) {
    char text[32];
    size_t length = 7;
    BAD(meguri_graph_id_text(NULL, sizeof text, &length, w.ctx, w.graph, 0));
    BAD(meguri_graph_id_text(text, 0, &length, w.ctx, w.graph, 0));
    BAD(meguri_graph_id_text(text, sizeof text, &length, NULL, w.graph, 0));
    BAD(meguri_graph_id_text(text, sizeof text, &length, w.ctx, NULL, 0));
    NOWHERE(meguri_graph_id_text(text, sizeof text, &length, w.ctx, w.graph, 12));
    NOWHERE(meguri_graph_id_text(text, sizeof text, &length, w.ctx, w.graph, UINT64_MAX));
    NOWHERE(meguri_graph_id_text(text, sizeof text, NULL, w.ctx, w.named, (uint64_t)1 << 32));
    assert_int_equal(length, 0);
    assert_string_equal(text, "");
}

CALLS(meguri_engine_name) {
    assert_string_equal(meguri_engine_name((meguri_engine)-1), "unknown");
    assert_string_equal(meguri_engine_name((meguri_engine)4), "unknown");
}
CALLS(meguri_devices) {
    uint32_t count = 7;
    const char *why = NULL;
    BAD(meguri_devices(NULL, &why, w.ctx));
    BAD(meguri_devices(&count, &why, NULL));
    assert_int_equal(count, 0);
}
CALLS(meguri_device_get_info) {
    meguri_device_info info = {.size = sizeof info};
    BAD(meguri_device_get_info(NULL, w.ctx, 0));
    BAD(meguri_device_get_info(&info, NULL, 0));
    BAD_SIZES(info, meguri_device_get_info(&info, w.ctx, 0));
}
CALLS(meguri_type_name) {
    assert_string_equal(meguri_type_name((meguri_type)-1), "unknown");
    assert_string_equal(meguri_type_name((meguri_type)14), "unknown");
}
CALLS(meguri_id_kind_name) { assert_string_equal(meguri_id_kind_name((meguri_id_kind)3), "unknown"); }
CALLS(meguri_order_name) { assert_string_equal(meguri_order_name((meguri_order)-7), "unknown"); }

/* ---- generators ------------------------------------------------------------------------------------------------- */

#define BAD_BUILD(o, call)                                                                                             \
    do {                                                                                                               \
        BAD_SIZES(o, call);                                                                                            \
        meguri_build_options build_ = {.size = sizeof build_};                                                         \
        (o).build = &build_;                                                                                           \
        BAD_SIZES(build_, call);                                                                                       \
        BAD_ENUM(meguri_direction, build_.direction, call);                                                            \
        BAD_ENUM(meguri_order, build_.order, call);                                                                    \
        (o).build = NULL;                                                                                              \
    } while (0)

CALLS(meguri_gen_kronecker) {
    meguri_graph *graph;
    meguri_kronecker_options o = {.size = sizeof o, .scale = 4};
    BAD(meguri_gen_kronecker(NULL, w.ctx, &o));
    BAD(meguri_gen_kronecker(&graph, NULL, &o));
    BAD(meguri_gen_kronecker(&graph, w.ctx, NULL));
    BAD_BUILD(o, meguri_gen_kronecker(&graph, w.ctx, &o));
    BAD_ENUM(meguri_type, o.weights, meguri_gen_kronecker(&graph, w.ctx, &o));
    BAD_VALUES(uint32_t, o.scale, meguri_gen_kronecker(&graph, w.ctx, &o), 0, 32, 63, 64, UINT32_MAX);
    assert_null(graph);
}

CALLS(meguri_gen_rmat) {
    meguri_graph *graph;
    meguri_rmat_options o = {.size = sizeof o, .scale = 4, .a = .5, .b = .2, .c = .2};
    BAD(meguri_gen_rmat(NULL, w.ctx, &o));
    BAD(meguri_gen_rmat(&graph, NULL, &o));
    BAD(meguri_gen_rmat(&graph, w.ctx, NULL));
    BAD_BUILD(o, meguri_gen_rmat(&graph, w.ctx, &o));
    BAD_ENUM(meguri_type, o.weights, meguri_gen_rmat(&graph, w.ctx, &o));
    BAD_VALUES(uint32_t, o.scale, meguri_gen_rmat(&graph, w.ctx, &o), 0, 32, 63, 64, UINT32_MAX);
    BAD_REAL(o.a, meguri_gen_rmat(&graph, w.ctx, &o));
    BAD_REAL(o.b, meguri_gen_rmat(&graph, w.ctx, &o));
    BAD_REAL(o.c, meguri_gen_rmat(&graph, w.ctx, &o));
    BAD_REAL(o.noise, meguri_gen_rmat(&graph, w.ctx, &o));
    assert_null(graph);
}

CALLS(meguri_gen_uniform) {
    meguri_graph *graph;
    meguri_uniform_options o = {.size = sizeof o, .vertices = 4, .edges = 4};
    BAD(meguri_gen_uniform(NULL, w.ctx, &o));
    BAD(meguri_gen_uniform(&graph, NULL, &o));
    BAD_BUILD(o, meguri_gen_uniform(&graph, w.ctx, &o));
    BAD_ENUM(meguri_type, o.weights, meguri_gen_uniform(&graph, w.ctx, &o));
    BAD_VALUES(uint64_t, o.vertices, meguri_gen_uniform(&graph, w.ctx, &o), 0, NEAR_THE_TOP);
    BAD_VALUES(uint64_t, o.edges, meguri_gen_uniform(&graph, w.ctx, &o), NEAR_THE_TOP);
    assert_null(graph);
}

CALLS(meguri_gen_grid) {
    meguri_graph *graph;
    meguri_grid_options o = {.size = sizeof o, .width = 4, .height = 4};
    BAD(meguri_gen_grid(NULL, w.ctx, &o));
    BAD(meguri_gen_grid(&graph, NULL, &o));
    BAD(meguri_gen_grid(&graph, w.ctx, NULL));
    BAD_BUILD(o, meguri_gen_grid(&graph, w.ctx, &o));
    BAD_VALUES(uint64_t, o.width, meguri_gen_grid(&graph, w.ctx, &o), 0, NEAR_THE_TOP, (uint64_t)1 << 62);
    BAD_VALUES(uint64_t, o.height, meguri_gen_grid(&graph, w.ctx, &o), 0, NEAR_THE_TOP, (uint64_t)1 << 62);
    BAD_VALUES(uint64_t, o.links, meguri_gen_grid(&graph, w.ctx, &o), NEAR_THE_TOP);
    assert_null(graph);
}

CALLS(meguri_gen_kronecker_pairs) {
    uint32_t *pairs;
    uint64_t count;
    meguri_kronecker_options o = {.size = sizeof o, .scale = 4};
    BAD(meguri_gen_kronecker_pairs(NULL, &count, w.ctx, &o));
    BAD(meguri_gen_kronecker_pairs(&pairs, NULL, w.ctx, &o));
    BAD(meguri_gen_kronecker_pairs(&pairs, &count, NULL, &o));
    BAD(meguri_gen_kronecker_pairs(&pairs, &count, w.ctx, NULL));
    BAD_SIZES(o, meguri_gen_kronecker_pairs(&pairs, &count, w.ctx, &o));
    BAD_VALUES(uint32_t, o.scale, meguri_gen_kronecker_pairs(&pairs, &count, w.ctx, &o), 0, 32, UINT32_MAX);
}
CALLS(meguri_pairs_free) { meguri_pairs_free(NULL); }

CALLS(meguri_draw_kronecker) {
    meguri_drawing *drawing;
    meguri_kronecker_options o = {.size = sizeof o, .scale = 4};
    BAD(meguri_draw_kronecker(NULL, w.ctx, &o));
    BAD(meguri_draw_kronecker(&drawing, NULL, &o));
    BAD(meguri_draw_kronecker(&drawing, w.ctx, NULL));
    BAD_BUILD(o, meguri_draw_kronecker(&drawing, w.ctx, &o));
    BAD_ENUM(meguri_type, o.weights, meguri_draw_kronecker(&drawing, w.ctx, &o));
    BAD_VALUES(uint32_t, o.scale, meguri_draw_kronecker(&drawing, w.ctx, &o), 0, 32, UINT32_MAX);
    o.build = &(meguri_build_options){.size = sizeof(meguri_build_options), .layout = &w.layout};
    BAD(meguri_draw_kronecker(&drawing, w.ctx, &o));
    assert_null(drawing);
}

CALLS(meguri_draw_rmat) {
    meguri_drawing *drawing;
    meguri_rmat_options o = {.size = sizeof o, .scale = 4, .a = .5, .b = .2, .c = .2};
    BAD(meguri_draw_rmat(NULL, w.ctx, &o));
    BAD(meguri_draw_rmat(&drawing, NULL, &o));
    BAD(meguri_draw_rmat(&drawing, w.ctx, NULL));
    BAD_BUILD(o, meguri_draw_rmat(&drawing, w.ctx, &o));
    BAD_VALUES(uint32_t, o.scale, meguri_draw_rmat(&drawing, w.ctx, &o), 0, 32, UINT32_MAX);
    BAD_REAL(o.a, meguri_draw_rmat(&drawing, w.ctx, &o));
    BAD_REAL(o.noise, meguri_draw_rmat(&drawing, w.ctx, &o));
    o.build = &(meguri_build_options){.size = sizeof(meguri_build_options), .layout = &w.layout};
    BAD(meguri_draw_rmat(&drawing, w.ctx, &o));
    assert_null(drawing);
}

CALLS(meguri_draw_uniform) {
    meguri_drawing *drawing;
    meguri_uniform_options o = {.size = sizeof o, .vertices = 4, .edges = 4};
    BAD(meguri_draw_uniform(NULL, w.ctx, &o));
    BAD(meguri_draw_uniform(&drawing, NULL, &o));
    BAD_BUILD(o, meguri_draw_uniform(&drawing, w.ctx, &o));
    BAD_VALUES(uint64_t, o.vertices, meguri_draw_uniform(&drawing, w.ctx, &o), 0, NEAR_THE_TOP);
    BAD_VALUES(uint64_t, o.edges, meguri_draw_uniform(&drawing, w.ctx, &o), NEAR_THE_TOP);
    o.build = &(meguri_build_options){.size = sizeof(meguri_build_options), .layout = &w.layout};
    BAD(meguri_draw_uniform(&drawing, w.ctx, &o));
    assert_null(drawing);
}

static meguri_drawing *four_edges(void) {
    meguri_drawing *drawing;
    meguri_uniform_options o = {.size = sizeof o, .vertices = 4, .edges = 4};
    assert_int_equal(meguri_draw_uniform(&drawing, w.ctx, &o), MEGURI_OK);
    return drawing;
}

CALLS(meguri_drawing_get_info) {
    meguri_drawing *drawing = four_edges();
    meguri_drawing_info info = {.size = sizeof info};
    assert_int_equal(meguri_drawing_get_info(NULL, drawing), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_drawing_get_info(&info, NULL), MEGURI_BAD_ARGUMENT);
    info.size = 1;
    assert_int_equal(meguri_drawing_get_info(&info, drawing), MEGURI_BAD_ARGUMENT);
    meguri_drawing_free(drawing);
}

CALLS(meguri_draw_edges) {
    meguri_drawing *drawing = four_edges();
    uint32_t ends[10] = {77, 77};
    assert_int_equal(meguri_draw_edges(NULL, NULL, drawing, 0, 1), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_draw_edges(ends, NULL, NULL, 0, 1), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_draw_edges(ends, NULL, drawing, 0, 5), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_draw_edges(ends, NULL, drawing, 2, 1), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_draw_edges(ends, NULL, drawing, UINT64_MAX, 1), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_draw_edges(ends, NULL, drawing, 4, UINT64_MAX), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_draw_edges(ends, NULL, drawing, 4, 4), MEGURI_OK);
    assert_int_equal(meguri_draw_edges(NULL, NULL, drawing, 4, 4), MEGURI_BAD_ARGUMENT);
    assert_int_equal(ends[0], 77);
    meguri_drawing_free(drawing);
}
CALLS(meguri_drawing_free) { meguri_drawing_free(NULL); }

/* ---- files ------------------------------------------------------------------------------------------------------ */

CALLS(meguri_format_name) { assert_string_equal(meguri_format_name((meguri_format)99), "unknown"); }
CALLS(meguri_format_from_name) {
    assert_int_equal(meguri_format_from_name(NULL), -1);
    assert_int_equal(meguri_format_from_name(""), -1);
}
CALLS(meguri_format_of_path) {
    assert_int_equal(meguri_format_of_path(NULL), MEGURI_FORMAT_AUTO);
    assert_int_equal(meguri_format_of_path(""), MEGURI_FORMAT_AUTO);
}

CALLS(meguri_read) {
    meguri_graph *graph;
    static const char *const paths[] = {"nowhere.el", NULL};
    meguri_read_options o = {.size = sizeof o};
    BAD(meguri_read(NULL, w.ctx, paths, 1, &o));
    BAD(meguri_read(&graph, NULL, paths, 1, &o));
    BAD(meguri_read(&graph, w.ctx, NULL, 1, &o));
    BAD(meguri_read(&graph, w.ctx, NULL, SIZE_MAX, &o));
    BAD(meguri_read(&graph, w.ctx, paths, 0, &o));
    BAD(meguri_read(&graph, w.ctx, paths, 2, &o));
    BAD_BUILD(o, meguri_read(&graph, w.ctx, paths, 1, &o));
    BAD_ENUM(meguri_format, o.format, meguri_read(&graph, w.ctx, paths, 1, &o));
    BAD_ENUM(meguri_ids, o.ids, meguri_read(&graph, w.ctx, paths, 1, &o));
    assert_null(graph);
}

CALLS(meguri_open) {
    meguri_graph *graph;
    BAD(meguri_open(NULL, w.ctx, "nowhere.meg", NULL));
    BAD(meguri_open(&graph, NULL, "nowhere.meg", NULL));
    BAD(meguri_open(&graph, w.ctx, NULL, NULL));
}

CALLS(meguri_save) {
    BAD(meguri_save(NULL, w.graph, to_file("nowhere.meg"), NULL));
    BAD(meguri_save(w.ctx, NULL, to_file("nowhere.meg"), NULL));
    BAD(meguri_save(w.ctx, w.graph, to_file(NULL), NULL));
    BAD(meguri_save(w.ctx, w.graph, to_file(""), NULL));
    meguri_generation generation = {.size = sizeof generation, .number = 1};
    meguri_save_options o = {.size = sizeof o, .generation = &generation};
    BAD_SIZES(o, meguri_save(w.ctx, w.graph, to_file("nowhere.meg"), &o));
    BAD_VALUES(uint64_t, generation.number, meguri_save(w.ctx, w.graph, to_file("nowhere.meg"), &o), 0);
    BAD_VALUES(uint64_t, generation.time, meguri_save(w.ctx, w.graph, to_file("nowhere.meg"), &o), UINT64_MAX,
               UINT64_C(253402300800));
}

CALLS(meguri_partition) {
    meguri_partition_info info = {.size = sizeof info};
    meguri_partition_options o = {.size = sizeof o, .parts = 2};
    BAD(meguri_partition(&info, NULL, w.graph, "nowhere", &o));
    BAD(meguri_partition(&info, w.ctx, NULL, "nowhere", &o));
    BAD(meguri_partition(&info, w.ctx, w.graph, NULL, &o));
    BAD(meguri_partition(&info, w.ctx, w.graph, "", &o));
    BAD(meguri_partition(&info, w.ctx, w.graph, "nowhere", NULL));
    BAD_SIZES(info, meguri_partition(&info, w.ctx, w.graph, "nowhere", &o));
    BAD_SIZES(o, meguri_partition(&info, w.ctx, w.graph, "nowhere", &o));
    BAD_ENUM(meguri_cut, o.cut, meguri_partition(&info, w.ctx, w.graph, "nowhere", &o));
    BAD_VALUES(uint32_t, o.parts, meguri_partition(&info, w.ctx, w.graph, "nowhere", &o), 0, 4097, UINT32_MAX);
}

CALLS(meguri_write) {
    meguri_format format = MEGURI_FORMAT_EDGELIST;
    BAD(meguri_write(NULL, w.graph, to_file("nowhere.el"), NULL));
    BAD(meguri_write(w.ctx, NULL, to_file("nowhere.el"), NULL));
    BAD(meguri_write(w.ctx, w.graph, to_file(NULL), NULL));
    BAD(meguri_write(w.ctx, w.graph, to_file(""), as_format(MEGURI_FORMAT_EDGELIST)));
    BAD(meguri_write(w.ctx, w.graph, to_file("nowhere.xyz"), NULL));
    BAD_ENUM(meguri_format, format, meguri_write(w.ctx, w.graph, to_file("nowhere.el"), as_format(format)));
}

/* Those that return the length of a name have no failures: 0 says that there is no file. */
static const size_t rooms[] = {FOLDER_TEXT + 8, (size_t)INT32_MAX + 1, SIZE_MAX / 2 + 1, SIZE_MAX};
static const int no_formats[] = {77, -1, INT32_MAX, INT32_MIN};

CALLS(meguri_read_beside) {
    char folder[FOLDER_TEXT], name[FOLDER_TEXT + 8], edges[FOLDER_TEXT + 8], vertices[FOLDER_TEXT + 8];
    const meguri_format format = MEGURI_FORMAT_AUTO;
    assert_int_equal(meguri_read_beside(name, sizeof name, NULL, format), 0);
    assert_int_equal(meguri_read_beside(NULL, SIZE_MAX, NULL, format), 0);
    assert_int_equal(meguri_read_beside(name, SIZE_MAX, "", format), 0);
    assert_int_equal(meguri_read_beside(name, SIZE_MAX, "nowhere.e", format), 0);
    assert_string_equal(name, "");
    folder_new(folder);
    snprintf(edges, sizeof edges, "%s/g.e", folder);
    snprintf(vertices, sizeof vertices, "%s/g.v", folder);
    FILE *file = fopen(vertices, "w");
    assert_true(file && fclose(file) == 0);
    for (size_t i = 0; i < COUNT_OF(rooms); i++) {
        assert_int_equal(meguri_read_beside(name, rooms[i], edges, format), strlen(vertices));
        assert_string_equal(name, vertices);
        assert_int_equal(meguri_read_beside(NULL, rooms[i], edges, format), strlen(vertices));
    }
    assert_int_equal(meguri_read_beside(name, 0, edges, format), strlen(vertices));
    for (size_t i = 0; i < COUNT_OF(no_formats); i++)
        assert_int_equal(meguri_read_beside(name, sizeof name, edges, (meguri_format)no_formats[i]), 0);
    unlink(vertices);
    assert_int_equal(rmdir(folder), 0);
}

CALLS(meguri_names_beside) {
    char name[64];
    const meguri_format format = MEGURI_FORMAT_AUTO;
    assert_int_equal(meguri_names_beside(name, sizeof name, w.named, NULL, format), 0);
    assert_int_equal(meguri_names_beside(NULL, SIZE_MAX, NULL, NULL, format), 0);
    assert_int_equal(meguri_names_beside(name, SIZE_MAX, w.named, "", format), 0);
    assert_int_equal(meguri_names_beside(name, SIZE_MAX, w.graph, "nowhere.mtx", format), 0);
    assert_int_equal(meguri_names_beside(name, SIZE_MAX, w.named, "nowhere.csv", format), 0);
    assert_string_equal(name, "");
    for (size_t i = 0; i < COUNT_OF(rooms); i++) {
        assert_int_equal(meguri_names_beside(name, rooms[i], NULL, "nowhere.gr", format), 17);
        assert_string_equal(name, "nowhere.names.csv");
        assert_int_equal(meguri_names_beside(NULL, rooms[i], w.named, "nowhere", MEGURI_FORMAT_PACE), 17);
    }
    assert_int_equal(meguri_names_beside(name, sizeof name, w.named, "a.b/x.bin32.xz", format), 18);
    assert_string_equal(name, "a.b/x.names.csv.xz");
    for (size_t i = 0; i < COUNT_OF(no_formats); i++)
        assert_int_equal(meguri_names_beside(name, sizeof name, w.named, "x.mtx", (meguri_format)no_formats[i]), 0);
    static char long_name[(size_t)1 << 16]; /* that no system takes */
    memset(long_name, 'a', sizeof long_name - 5);
    memcpy(long_name + sizeof long_name - 5, ".mtx", 5);
    assert_int_equal(meguri_names_beside(name, sizeof name, w.named, long_name, format), 0);
}

CALLS(meguri_write_beside) {
    char name[64];
    const meguri_format format = MEGURI_FORMAT_AUTO;
    assert_int_equal(meguri_write_beside(name, sizeof name, w.graph, NULL, format), 0);
    assert_int_equal(meguri_write_beside(NULL, SIZE_MAX, NULL, NULL, format), 0);
    assert_int_equal(meguri_write_beside(name, SIZE_MAX, w.graph, "", format), 0);
    assert_int_equal(meguri_write_beside(name, SIZE_MAX, w.named, "nowhere.gr", format), 0);
    assert_string_equal(name, "");
    for (size_t i = 0; i < COUNT_OF(rooms); i++) {
        assert_int_equal(meguri_write_beside(name, rooms[i], NULL, "nowhere.gr", format), 10);
        assert_string_equal(name, "nowhere.co");
        assert_int_equal(meguri_write_beside(NULL, rooms[i], w.graph, "nowhere.e", format), 9);
    }
    for (size_t i = 0; i < COUNT_OF(no_formats); i++)
        assert_int_equal(meguri_write_beside(name, sizeof name, w.graph, "nowhere.e", (meguri_format)no_formats[i]), 0);
    static char long_name[(size_t)1 << 16]; /* that no system takes */
    memset(long_name, 'a', sizeof long_name - 3);
    memcpy(long_name + sizeof long_name - 3, ".e", 3);
    assert_int_equal(meguri_write_beside(name, sizeof name, w.graph, long_name, format), 0);
    assert_int_equal(meguri_read_beside(name, sizeof name, long_name, format), 0);
}

CALLS(meguri_file_open) {
    meguri_file *file;
    BAD(meguri_file_open(NULL, w.ctx, "nowhere.txt"));
    BAD(meguri_file_open(&file, NULL, "nowhere.txt"));
    assert_null(file);
    BAD(meguri_file_open(&file, w.ctx, NULL));
    BAD(meguri_file_open(&file, w.ctx, ""));
    BAD(meguri_file_open(&file, w.ctx, "/"));
    BAD(meguri_file_open(&file, w.ctx, "nowhere/file.txt"));
    assert_null(file);
}

CALLS(meguri_file_write) {
    char folder[FOLDER_TEXT], name[FOLDER_TEXT + 8], content[8] = "";
    folder_new(folder);
    snprintf(name, sizeof name, "%s/t.txt", folder);
    meguri_file *file;
    size_t bytes = 2;
    assert_int_equal(meguri_file_open(&file, w.ctx, name), MEGURI_OK);
    BAD(meguri_file_write(NULL, file, "ab", 2));
    BAD(meguri_file_write(w.ctx, NULL, "ab", 2));
    BAD(meguri_file_write(w.ctx, file, NULL, 2));
    BAD(meguri_file_write(w.ctx, file, NULL, SIZE_MAX));
    BAD_VALUES(size_t, bytes, meguri_file_write(w.ctx, file, "ab", bytes), NEAR_THE_TOP);
    /* None of that spoils the file. */
    assert_int_equal(meguri_file_write(w.ctx, file, NULL, 0), MEGURI_OK);
    assert_int_equal(meguri_file_write(w.ctx, file, "ab", 2), MEGURI_OK);
    assert_int_equal(meguri_file_finish(w.ctx, file), MEGURI_OK);
    BAD(meguri_file_write(w.ctx, file, "c", 1)); /* it is finished */
    BAD(meguri_file_finish(w.ctx, file));
    meguri_file_free(file);
    FILE *again = fopen(name, "r");
    assert_true(again && fread(content, 1, sizeof content, again) == 2 && fclose(again) == 0);
    assert_string_equal(content, "ab");
    unlink(name);
    assert_int_equal(rmdir(folder), 0);
}

CALLS(meguri_file_finish) {
    BAD(meguri_file_finish(NULL, NULL));
    BAD(meguri_file_finish(w.ctx, NULL));
}
CALLS(meguri_file_free) { meguri_file_free(NULL); }

int main(void) {
    static const row rows[] = {
        ROW(meguri_version),
        ROW(meguri_version_number),
        ROW(meguri_status_text),
        ROW(meguri_status_exit_code),
        ROW(meguri_count_text),
        ROW(meguri_parse_count),
        ROW(meguri_parse_size),
        ROW(meguri_did_you_mean),
        ROW(meguri_cannot_open),
        ROW(meguri_ctx_new),
        ROW(meguri_ctx_child),
        ROW(meguri_ctx_cancel),
        ROW(meguri_ctx_cancelled),
        ROW(meguri_ctx_user),
        ROW(meguri_ctx_free),
        ROW(meguri_ctx_error),
        ROW(meguri_ctx_threads),
        ROW(meguri_ctx_memory_limit),
        ROW(meguri_ctx_memory_used),
        ROW(meguri_ctx_memory_peak),
        ROW(meguri_ctx_trace),
        ROW(meguri_ctx_trace_to),
        ROW(meguri_ctx_trace_add),
        ROW(meguri_ctx_fail),
        ROW(meguri_ctx_progress),
        ROW(meguri_ctx_resize),
        ROW(meguri_ctx_release),
        ROW(meguri_ctx_create),
        ROW(meguri_ctx_log),
        ROW(meguri_graph_from_edges),
        ROW(meguri_graph_free),
        ROW(meguri_graph_get_info),
        ROW(meguri_graph_verify),
        ROW(meguri_graph_degrees),
        ROW(meguri_graph_in_degrees),
        ROW(meguri_graph_ids),
        ROW(meguri_graph_names),
        ROW(meguri_graph_coordinates),
        ROW(meguri_graph_neighbors),
        ROW(meguri_graph_in_neighbors),
        ROW(meguri_graph_edge_column),
        ROW(meguri_graph_find_edge_column),
        ROW(meguri_graph_edge_label),
        ROW(meguri_graph_find_edge_label),
        ROW(meguri_graph_neighbor_values),
        ROW(meguri_graph_in_neighbor_values),
        ROW(meguri_graph_generation),
        ROW(meguri_graph_with_columns),
        ROW(meguri_graph_vertex_column),
        ROW(meguri_graph_find_vertex_column),
        ROW(meguri_graph_vertex_label),
        ROW(meguri_graph_vertex_values),
        ROW(meguri_type_bytes),
        ROW(meguri_column_kind_name),
        ROW(meguri_graph_find),
        ROW(meguri_graph_find_name),
        ROW(meguri_graph_find_text),
        ROW(meguri_graph_find_like),
        ROW(meguri_graph_id_text),
        ROW(meguri_engine_name),
        ROW(meguri_devices),
        ROW(meguri_device_get_info),
        ROW(meguri_type_name),
        ROW(meguri_id_kind_name),
        ROW(meguri_order_name),
        ROW(meguri_gen_kronecker),
        ROW(meguri_gen_rmat),
        ROW(meguri_gen_uniform),
        ROW(meguri_gen_grid),
        ROW(meguri_gen_kronecker_pairs),
        ROW(meguri_pairs_free),
        ROW(meguri_draw_kronecker),
        ROW(meguri_draw_rmat),
        ROW(meguri_draw_uniform),
        ROW(meguri_drawing_get_info),
        ROW(meguri_draw_edges),
        ROW(meguri_drawing_free),
        ROW(meguri_format_name),
        ROW(meguri_format_from_name),
        ROW(meguri_format_of_path),
        ROW(meguri_read),
        ROW(meguri_open),
        ROW(meguri_save),
        ROW(meguri_write),
        ROW(meguri_partition),
        ROW(meguri_read_beside),
        ROW(meguri_names_beside),
        ROW(meguri_write_beside),
        ROW(meguri_file_open),
        ROW(meguri_file_write),
        ROW(meguri_file_finish),
        ROW(meguri_file_free),
    };
    return run_rows(rows, COUNT_OF(rows));
}
