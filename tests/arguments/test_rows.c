/* Wrong arguments for what takes rows and edges as arrays (meguri/rows.h). */
#include "arguments/arguments.h"

CALLS(meguri_graph_prepare) {
    BAD(meguri_graph_prepare(NULL, w.graph, MEGURI_FORM_TRANSPOSE));
    BAD(meguri_graph_prepare(w.ctx, NULL, MEGURI_FORM_TRANSPOSE));
    BAD(meguri_graph_prepare(w.ctx, w.graph, 4));
    BAD(meguri_graph_prepare(w.ctx, w.graph, UINT32_MAX));
}
CALLS(meguri_graph_rows) {
    meguri_rows rows = {.size = sizeof rows};
    BAD(meguri_graph_rows(NULL, w.ctx, w.graph, MEGURI_ROWS_OUT));
    BAD(meguri_graph_rows(&rows, NULL, w.graph, MEGURI_ROWS_OUT));
    BAD(meguri_graph_rows(&rows, w.ctx, NULL, MEGURI_ROWS_OUT));
    BAD(meguri_graph_rows(&rows, w.ctx, w.graph, 4));
    BAD(meguri_graph_rows(&rows, w.ctx, w.graph, UINT32_MAX));
    BAD_SIZES(rows, meguri_graph_rows(&rows, w.ctx, w.graph, MEGURI_ROWS_OUT));
}

CALLS(meguri_graph_adjacency) {
    meguri_adjacency *out = NULL;
    meguri_adjacency_options o = {.size = sizeof o};
    BAD(meguri_graph_adjacency(NULL, w.ctx, w.graph, &o));
    BAD(meguri_graph_adjacency(&out, NULL, w.graph, &o));
    BAD(meguri_graph_adjacency(&out, w.ctx, NULL, &o));
    BAD_SIZES(o, meguri_graph_adjacency(&out, w.ctx, w.graph, &o));
    BAD_VALUES(unsigned, o.form, meguri_graph_adjacency(&out, w.ctx, w.graph, &o), 4, 99, UINT32_MAX);
    o.count = 1;
    BAD_VALUES(uint64_t, o.first, meguri_graph_adjacency(&out, w.ctx, w.graph, &o), 12, NEAR_THE_TOP);
    o.first = 1;
    BAD_VALUES(uint64_t, o.count, meguri_graph_adjacency(&out, w.ctx, w.graph, &o), 12, NEAR_THE_TOP);
    assert_null(out);
}

CALLS(meguri_adjacency_rows) {
    meguri_adjacency *adjacency;
    meguri_rows rows = {.size = sizeof rows};
    assert_int_equal(meguri_graph_adjacency(&adjacency, w.ctx, w.graph, NULL), MEGURI_OK);
    assert_int_equal(meguri_adjacency_rows(NULL, adjacency), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_adjacency_rows(&rows, NULL), MEGURI_BAD_ARGUMENT);
    rows.size = 0;
    assert_int_equal(meguri_adjacency_rows(&rows, adjacency), MEGURI_BAD_ARGUMENT);
    meguri_adjacency_free(adjacency);
}

CALLS(meguri_adjacency_free) { meguri_adjacency_free(NULL); }

CALLS(meguri_graph_edges) {
    uint64_t from[2], to[2], edges[2] = {0, 0};
    double weight[2];
    meguri_graph_info info = {.size = sizeof info};
    assert_int_equal(meguri_graph_get_info(&info, w.ctx, w.graph), MEGURI_OK);
    BAD(meguri_graph_edges(from, to, weight, NULL, w.graph, edges, 2));
    BAD(meguri_graph_edges(from, to, weight, w.ctx, NULL, edges, 2));
    BAD(meguri_graph_edges(from, to, weight, w.ctx, w.graph, NULL, info.edges + 1));
    BAD(meguri_graph_edges(from, to, weight, w.ctx, w.graph, edges, UINT64_MAX));
    edges[1] = info.edges;
    NOWHERE(meguri_graph_edges(from, to, weight, w.ctx, w.graph, edges, 2));
    edges[1] = UINT64_MAX;
    NOWHERE(meguri_graph_edges(from, to, weight, w.ctx, w.graph, edges, 2));
}

CALLS(meguri_graph_edge_values) {
    uint64_t values[1], edge = 0;
    BAD(meguri_graph_edge_values(NULL, NULL, w.ctx, w.graph, 0, &edge, 1));
    BAD(meguri_graph_edge_values(values, NULL, NULL, w.graph, 0, &edge, 1));
    BAD(meguri_graph_edge_values(values, NULL, w.ctx, NULL, 0, &edge, 1));
    BAD(meguri_graph_edge_values(values, NULL, w.ctx, w.graph, 0, &edge, 1)); /* it has no columns */
    BAD(meguri_graph_edge_values(values, NULL, w.ctx, w.graph, UINT32_MAX, &edge, 1));
}

static void count_release(void *user) { ++*(int *)user; }

CALLS(meguri_graph_from_rows) {
    static const uint64_t offsets[] = {0, 2, 3}, falling[] = {0, 3, 2}, late[] = {1, 2, 3};
    static const uint32_t targets[] = {0, 1, 0}, beyond[] = {0, 2, 0}, unsorted[] = {1, 0, 0};
    static const double weights[] = {1, 2, NAN};
    int released = 0, calls = 0;
    meguri_graph *out = NULL;
    const meguri_rows right = {
        .size = sizeof right, .vertices = 2, .arcs = 3, .offsets = offsets, .offset_bytes = 8, .targets = targets};
    meguri_rows rows = right;
    meguri_from_rows_options o = {.size = sizeof o};
    BAD(meguri_graph_from_rows(NULL, w.ctx, &rows, &o));
    BAD(meguri_graph_from_rows(&out, NULL, &rows, &o));
    BAD(meguri_graph_from_rows(&out, w.ctx, NULL, &o));
    BAD_SIZES(rows, meguri_graph_from_rows(&out, w.ctx, &rows, &o));
    BAD_SIZES(o, meguri_graph_from_rows(&out, w.ctx, &rows, &o));
    BAD_ENUM(meguri_direction, o.direction, meguri_graph_from_rows(&out, w.ctx, &rows, &o));
    BAD_ENUM(meguri_order, o.order, meguri_graph_from_rows(&out, w.ctx, &rows, &o));
    o.release = count_release, o.user = &released;
    BAD(meguri_graph_from_rows(&out, w.ctx, &rows, &o)); /* not borrowed */
    assert_int_equal(released, ++calls);
    for (o.borrow = 0; o.borrow < 2; o.borrow++) {
        o.release = o.borrow ? count_release : NULL;
        BAD_ENUM(meguri_type, rows.weight_type, meguri_graph_from_rows(&out, w.ctx, &rows, &o));
        calls += o.borrow ? 4 : 0;
        const meguri_rows wrong[] = {{.vertices = 1, .rows = 2},
                                     {.arcs = 2},
                                     {.arcs = 4},
                                     {.arcs = UINT64_MAX},
                                     {.offsets = falling},
                                     {.offsets = late},
                                     {.targets = beyond},
                                     {.vertices = UINT64_MAX},
                                     {.offset_bytes = 2},
                                     {.weights = weights},
                                     {.weight_type = MEGURI_TYPE_F64}};
        for (size_t i = 0; i < COUNT_OF(wrong); i++) {
            const meguri_rows *x = &wrong[i];
            rows = right;
            if (x->vertices) rows.vertices = x->vertices;
            if (x->rows) rows.rows = x->rows;
            if (x->arcs) rows.arcs = x->arcs;
            if (x->offsets) rows.offsets = x->offsets;
            if (x->targets) rows.targets = x->targets;
            if (x->offset_bytes) rows.offset_bytes = x->offset_bytes;
            rows.weights = x->weights, rows.weight_type = x->weight_type;
            BAD(meguri_graph_from_rows(&out, w.ctx, &rows, &o));
            assert_int_equal(released, calls += o.borrow);
        }
        rows = right, rows.weights = weights, rows.weight_type = MEGURI_TYPE_F64;
        BAD(meguri_graph_from_rows(&out, w.ctx, &rows, &o)); /* a NaN */
        calls += o.borrow;
        rows = right, o.direction = MEGURI_UNDIRECTED, rows.arcs = 2, rows.vertices = 1, rows.offsets = offsets;
        rows.vertices = 2, rows.offsets = (const uint64_t[]){0, 2, 2};
        BAD(meguri_graph_from_rows(&out, w.ctx, &rows, &o)); /* one way */
        calls += o.borrow;
        o.direction = MEGURI_DIRECTED, rows = right;
    }
    rows.targets = unsorted, o.borrow = 1;
    BAD(meguri_graph_from_rows(&out, w.ctx, &rows, &o));
    assert_int_equal(released, ++calls);
    assert_null(out);
}

IN_PARTS(meguri_graph_prepare) { ELSEWHERE(meguri_graph_prepare(w.ctx, w.parts, MEGURI_FORM_TRANSPOSE)); }
IN_PARTS(meguri_graph_rows) {
    meguri_rows rows = {.size = sizeof rows};
    ELSEWHERE(meguri_graph_rows(&rows, w.ctx, w.parts, MEGURI_ROWS_OUT));
    ELSEWHERE(meguri_graph_rows(&rows, w.ctx, w.named_parts, MEGURI_ROWS_IN | MEGURI_ROWS_EDGES));
}
IN_PARTS(meguri_graph_adjacency) {
    meguri_adjacency *out;
    ELSEWHERE(meguri_graph_adjacency(&out, w.ctx, w.parts, NULL));
    assert_null(out);
}
IN_PARTS(meguri_graph_edges) {
    uint64_t edge = 0;
    ELSEWHERE(meguri_graph_edges(&edge, NULL, NULL, w.ctx, w.parts, &edge, 1));
}
IN_PARTS(meguri_graph_edge_values) {
    uint64_t edge = 0, value;
    ELSEWHERE(meguri_graph_edge_values(&value, NULL, w.ctx, w.parts, 0, &edge, 1));
}

int main(void) {
    static const row rows[] = {
        ROW(meguri_graph_prepare),         PART_ROW(meguri_graph_prepare),   ROW(meguri_graph_rows),
        ROW(meguri_graph_adjacency),       ROW(meguri_adjacency_rows),       ROW(meguri_adjacency_free),
        ROW(meguri_graph_edges),           ROW(meguri_graph_edge_values),    ROW(meguri_graph_from_rows),
        PART_ROW(meguri_graph_rows),       PART_ROW(meguri_graph_adjacency), PART_ROW(meguri_graph_edges),
        PART_ROW(meguri_graph_edge_values)};
    return run_rows(rows, COUNT_OF(rows));
}
