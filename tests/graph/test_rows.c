/* Rows and edges as arrays (meguri/rows.h) of every graph of the zoo, beside what the oracle says; and graphs out of
 * rows. */
#define _GNU_SOURCE /* what unit.h uses */
#include "support/unit.h"

#include "support/oracle.h"
#include "support/sanitized.h"

#include <meguri.h>
#include <string.h>

static uint64_t number_at(const void *numbers, uint32_t bytes, uint64_t i) {
    return bytes == 4 ? ((const uint32_t *)numbers)[i] : ((const uint64_t *)numbers)[i];
}
static uint64_t offset_at(const meguri_rows *r, uint64_t row) {
    return row > r->rows ? r->arcs : number_at(r->offsets, r->offset_bytes, row);
}
static uint64_t edge_at(const meguri_rows *r, uint64_t arc) {
    return r->edges ? number_at(r->edges, r->edge_bytes, arc) : arc;
}
static uint64_t vertex_of(const meguri_rows *r, uint64_t row) { return r->vertex_of ? r->vertex_of[row] : row; }
static double weight_at(const meguri_rows *r, uint64_t arc) {
    switch (r->weight_type) {
    case MEGURI_TYPE_U8: return ((const uint8_t *)r->weights)[arc];
    case MEGURI_TYPE_U16: return ((const uint16_t *)r->weights)[arc];
    case MEGURI_TYPE_U32: return ((const uint32_t *)r->weights)[arc];
    case MEGURI_TYPE_F32: return (double)((const float *)r->weights)[arc];
    case MEGURI_TYPE_F64: return ((const double *)r->weights)[arc];
    default: return 1;
    }
}

typedef struct subject {
    meguri_ctx *ctx;
    const meguri_graph *graph;
    meguri_graph_info info;
    uint64_t *from, *to;
    double *weight;
    uint64_t *seen; /* arcs in which each edge has been found */
} subject;

/* An edge as it is found in a row, beside what is told of its number. */
static void check_edge(const subject *s, uint64_t edge, uint64_t tail, uint64_t head, double weight) {
    assert_true(edge < s->info.edges);
    bool along = s->from[edge] == tail && s->to[edge] == head, against = s->from[edge] == head && s->to[edge] == tail;
    assert_true(along || (!s->info.directed && against));
    assert_true(weight == s->weight[edge]);
    s->seen[edge]++;
}

/* Each edge was found as often as it is stored. */
static void check_seen(const subject *s) {
    for (uint64_t e = 0; e < s->info.edges; e++) {
        assert_int_equal(s->seen[e], s->info.directed || s->from[e] == s->to[e] ? 1 : 2);
        s->seen[e] = 0;
    }
}

static void check_rows(const subject *s, unsigned in) {
    meguri_rows r = {.size = sizeof r}, plain = {.size = sizeof plain};
    assert_int_equal(meguri_graph_rows(&r, s->ctx, s->graph, in | MEGURI_ROWS_EDGES), MEGURI_OK);
    assert_int_equal(meguri_graph_rows(&plain, s->ctx, s->graph, in), MEGURI_OK);
    assert_null(plain.edges);
    assert_true(plain.targets == r.targets && r.arcs == s->info.arcs && r.vertices == s->info.vertices);
    for (uint64_t row = 0; row < r.rows; row++) {
        uint64_t v = vertex_of(&r, row);
        if (r.row_of) assert_int_equal(r.row_of[v], row);
        for (uint64_t arc = offset_at(&r, row); arc < offset_at(&r, row + 1); arc++) {
            uint64_t u = vertex_of(&r, r.targets[arc]);
            check_edge(s, edge_at(&r, arc), in ? u : v, in ? v : u, weight_at(&r, arc));
        }
    }
    check_seen(s);
}

/* Rows in the user's order are those that one vertex after another gives. */
static void check_adjacency(const subject *s, unsigned in, uint64_t first, uint64_t count) {
    meguri_adjacency *adjacency;
    meguri_rows r = {.size = sizeof r};
    meguri_adjacency_options o = {.size = sizeof o, .form = in | MEGURI_ROWS_EDGES, .first = first, .count = count};
    assert_int_equal(meguri_graph_adjacency(&adjacency, s->ctx, s->graph, &o), MEGURI_OK);
    assert_int_equal(meguri_adjacency_rows(&r, adjacency), MEGURI_OK);
    uint64_t *near = malloc((s->info.arcs + 1) * 16), *edges = near + s->info.arcs + 1, found, all = 0;
    double *weights = malloc((s->info.arcs + 1) * sizeof *weights);
    assert_true(r.rows == count && !r.vertex_of && !r.row_of);
    for (uint64_t i = 0; i < count; i++) {
        assert_int_equal((in ? meguri_graph_in_neighbors : meguri_graph_neighbors)(near, weights, edges, s->info.arcs,
                                                                                   &found, s->ctx, s->graph, first + i),
                         MEGURI_OK);
        uint64_t begin = offset_at(&r, i);
        assert_int_equal(offset_at(&r, i + 1) - begin, found);
        for (uint64_t k = 0; k < found; k++) {
            assert_int_equal(r.targets[begin + k], near[k]);
            assert_int_equal(edge_at(&r, begin + k), edges[k]);
            assert_true(weight_at(&r, begin + k) == weights[k]);
        }
        all += found;
    }
    assert_int_equal(all, r.arcs);
    free(near);
    free(weights);
    meguri_adjacency_free(adjacency);
}

/* A graph that is made of these rows has the same arcs, and its release function is called when it is freed. */
static void count_release(void *user) { ++*(int *)user; }

static void check_copies(const subject *s, const zoo_graph *g, const meguri_build_options *built) {
    meguri_rows r = {.size = sizeof r};
    meguri_adjacency *adjacency;
    assert_int_equal(meguri_graph_adjacency(&adjacency, s->ctx, s->graph, NULL), MEGURI_OK);
    assert_int_equal(meguri_adjacency_rows(&r, adjacency), MEGURI_OK);
    oracle expected = oracle_build(g, built);
    for (uint64_t v = 0; v < expected.vertices; v++) expected.ids[v] = v;
    expected.dropped_duplicates = expected.dropped_loops = 0;
    char *offsets = malloc((s->info.vertices + 1) * 8); /* which begin at 0 */
    for (uint64_t v = 0; v <= s->info.vertices; v++) ((uint64_t *)offsets)[v] = offset_at(&r, v);
    r.offsets = offsets, r.offset_bytes = 8;
    for (int borrow = 0; borrow < 2; borrow++) {
        int released = 0;
        meguri_graph *made;
        meguri_from_rows_options o = {.size = sizeof o,
                                      .direction = built->direction,
                                      .order = borrow ? MEGURI_ORDER_AUTO : built->order,
                                      .duplicates = MEGURI_DUPLICATES_KEEP,
                                      .keep_loops = 1,
                                      .borrow = borrow,
                                      .release = borrow ? count_release : NULL,
                                      .user = &released};
        meguri_status status = meguri_graph_from_rows(&made, s->ctx, &r, &o);
        if (status != MEGURI_OK) fail_msg("%s: %s", g->name, meguri_ctx_error(s->ctx));
        const char *wrong = oracle_compare(&expected, s->ctx, made, g->weights != NULL);
        if (wrong) fail_msg("%s, borrowed %d: %s", g->name, borrow, wrong);
        assert_int_equal(meguri_graph_verify(s->ctx, made), MEGURI_OK);
        meguri_graph_free(made);
        assert_int_equal(released, borrow);
    }
    oracle_free(&expected);
    free(offsets);
    meguri_adjacency_free(adjacency);
}

static void check_graph(meguri_ctx *ctx, const zoo_graph *g, const meguri_build_options *o) {
    meguri_graph *graph;
    if (zoo_build(&graph, ctx, g, o) != MEGURI_OK) fail_msg("%s: %s", g->name, meguri_ctx_error(ctx));
    subject s = {.ctx = ctx, .graph = graph, .info = {.size = sizeof s.info}};
    assert_int_equal(meguri_graph_get_info(&s.info, ctx, graph), MEGURI_OK);
    s.from = malloc((s.info.edges + 1) * 8), s.to = malloc((s.info.edges + 1) * 8);
    s.weight = malloc((s.info.edges + 1) * 8), s.seen = calloc(s.info.edges + 1, 8);
    assert_int_equal(meguri_graph_edges(s.from, s.to, s.weight, ctx, graph, NULL, s.info.edges), MEGURI_OK);
    for (uint64_t e = 0; e < s.info.edges && !s.info.directed; e++) assert_true(s.from[e] <= s.to[e]);
    uint64_t third = s.info.vertices / 3;
    for (unsigned in = 0; in < 2; in++) {
        check_rows(&s, in);
        check_adjacency(&s, in, 0, s.info.vertices);
        if (third) check_adjacency(&s, in, third, third);
    }
    check_copies(&s, g, o);
    free(s.from), free(s.to), free(s.weight), free(s.seen);
    meguri_graph_free(graph);
}

static void every_graph(void **state) {
    (void)state;
    uint64_t seed = 29;
    zoo_graph g;
    for (int index = 0; zoo_get(&g, index); index++) {
        meguri_ctx *ctx = context_with(1 + index % 2);
        for (int i = 0; i < 6 && g.count <= 50000; i++) {
            meguri_build_options o = {.size = sizeof o,
                                      .direction = 1 + i % 2,
                                      .order = 1 + i % 3,
                                      .duplicates =
                                          zoo_random(&seed) % 2 ? MEGURI_DUPLICATES_KEEP : MEGURI_DUPLICATES_MIN,
                                      .keep_loops = zoo_random(&seed) % 2};
            if (ONE_OF(3, index + i)) check_graph(ctx, &g, &o);
        }
        context_done(ctx);
        zoo_free(&g);
    }
}

/* Parallel edges of equal weight have values of their own: the number joins the two ends of each. */
static void values_of_parallel_edges(void **state) {
    (void)state;
    enum { EDGES = 3000, VERTICES = 40 };
    meguri_ctx *ctx = context_with(2);
    static uint64_t from[EDGES], to[EDGES], edges[EDGES], near[EDGES], near_edges[EDGES];
    static uint32_t tags[EDGES], values[EDGES], near_values[EDGES];
    static uint8_t weights[EDGES];
    uint64_t seed = 5, count;
    for (int i = 0; i < EDGES; i++) {
        from[i] = zoo_random(&seed) % VERTICES, to[i] = zoo_random(&seed) % VERTICES;
        weights[i] = zoo_random(&seed) % 3, tags[i] = (uint32_t)i;
    }
    meguri_column_data column = {.size = sizeof column, .name = "tag", .type = MEGURI_TYPE_U32, .values = tags};
    meguri_edge_arrays arrays = {.size = sizeof arrays,
                                 .count = EDGES,
                                 .from = from,
                                 .to = to,
                                 .weights = weights,
                                 .weight_type = MEGURI_TYPE_U8,
                                 .columns = &column,
                                 .column_count = 1};
    for (int i = 0; i < 6; i++) {
        meguri_graph *graph;
        meguri_build_options o = {.size = sizeof o,
                                  .direction = 1 + i % 2,
                                  .order = 1 + i / 2,
                                  .duplicates = MEGURI_DUPLICATES_KEEP,
                                  .keep_loops = 1};
        assert_int_equal(meguri_graph_from_edges(&graph, ctx, &arrays, &o), MEGURI_OK);
        for (uint64_t e = 0; e < EDGES; e++) edges[e] = EDGES - 1 - e;
        assert_int_equal(meguri_graph_edge_values(values, NULL, ctx, graph, 0, edges, EDGES), MEGURI_OK);
        for (uint64_t e = 0; e < EDGES; e++) { /* a value is the place of the edge in the input */
            uint64_t f, t;
            double weight;
            assert_int_equal(meguri_graph_edges(&f, &t, &weight, ctx, graph, &edges[e], 1), MEGURI_OK);
            uint64_t a = from[values[e]], b = to[values[e]];
            assert_true((f == a && t == b) || (o.direction == MEGURI_UNDIRECTED && f == b && t == a));
            assert_true(weight == weights[values[e]]);
        }
        for (int in = 0; in < 2; in++)
            for (uint64_t v = 0; v < VERTICES; v++) {
                assert_int_equal((in ? meguri_graph_in_neighbors
                                     : meguri_graph_neighbors)(near, NULL, near_edges, EDGES, &count, ctx, graph, v),
                                 MEGURI_OK);
                assert_int_equal((in ? meguri_graph_in_neighbor_values : meguri_graph_neighbor_values)(
                                     near_values, NULL, EDGES, &count, ctx, graph, v, 0),
                                 MEGURI_OK);
                for (uint64_t k = 0; k < count; k++)
                    assert_int_equal(near_values[k], values[EDGES - 1 - near_edges[k]]);
            }
        meguri_graph_free(graph);
    }
    context_done(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_graph), cmocka_unit_test(values_of_parallel_edges)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
