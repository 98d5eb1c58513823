/* Columns of edges against a slow builder that carries every edge whole: random graphs with parallel edges and loops,
 * every direction, order and kind of weights, on 1, 2 and 5 threads, in little memory, and through a file. */
#define _GNU_SOURCE /* mkstemp */
#include "base/base.h"
#include "graph/internal.h"
#include "support/oracle.h"
#include "support/sanitized.h"
#include "support/sinks.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static meguri_ctx *context(uint32_t threads, uint64_t memory) {
    meguri_ctx *ctx;
    meguri_ctx_options options = {.size = sizeof options, .threads = threads, .memory = memory};
    assert_int_equal(meguri_ctx_new(&ctx, &options), MEGURI_OK);
    return ctx;
}

/* ---- edges with columns ----------------------------------------------------------------------------------------- */

enum { COLUMNS = 9 };
static const char *const labels[] = {"ROAD", "RAIL", "", "SEA \"route\""};

typedef struct edges {
    uint64_t count, vertices;
    uint64_t *from, *to;
    double *weights; /* NULL: none */
    void *values[COLUMNS];
    meguri_column_data columns[COLUMNS];
    meguri_edge_arrays arrays;
} edges;

static void *room(uint64_t count, size_t size) {
    void *out = calloc(count + 1, size);
    assert_non_null(out);
    return out;
}

static double random_weight(int kind, uint64_t *seed) {
    uint64_t r = zoo_random(seed);
    if (kind == 1) return (double)(r % 4); /* many are equal */
    if (kind == 2) return (double)(r % 5) / 4 - 0.5;
    return (double)(r % 5) / 3 - 0.5; /* no float has it */
}

static void set_column(edges *e, int c, const char *name, meguri_type type, size_t size) {
    e->values[c] = room(e->count, size);
    e->columns[c] =
        (meguri_column_data){.size = sizeof *e->columns, .name = name, .type = type, .values = e->values[c]};
}

static edges make_edges(uint64_t count, uint64_t vertices, int weights, uint64_t seed) {
    edges e = {.count = count, .vertices = vertices, .from = room(count, 8), .to = room(count, 8)};
    if (weights) e.weights = room(count, 8);
    set_column(&e, 0, "id", MEGURI_TYPE_U64, 8);
    set_column(&e, 1, "u8", MEGURI_TYPE_U8, 1);
    set_column(&e, 2, "type", MEGURI_TYPE_U32, 4);
    set_column(&e, 3, "u16", MEGURI_TYPE_U16, 2);
    set_column(&e, 4, "u32", MEGURI_TYPE_U32, 4);
    set_column(&e, 5, "f32", MEGURI_TYPE_F32, 4);
    set_column(&e, 6, "f64", MEGURI_TYPE_F64, 8);
    set_column(&e, 7, "found whole", MEGURI_TYPE_NONE, 8);
    set_column(&e, 8, "found real", MEGURI_TYPE_NONE, 8);
    e.columns[0].kind = MEGURI_COLUMN_IDS;
    e.columns[2].kind = MEGURI_COLUMN_TYPES;
    e.columns[2].labels = labels;
    e.columns[2].label_count = 4;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t r = zoo_random(&seed);
        e.from[i] = zoo_random(&seed) % vertices;
        e.to[i] = r % 7 == 0 ? e.from[i] : zoo_random(&seed) % vertices;
        if (weights) e.weights[i] = random_weight(weights, &seed);
        ((uint64_t *)e.values[0])[i] = UINT64_MAX - i;
        ((uint8_t *)e.values[1])[i] = (uint8_t)r;
        ((uint32_t *)e.values[2])[i] = (uint32_t)(r >> 8) % 4;
        ((uint16_t *)e.values[3])[i] = (uint16_t)(r >> 16);
        ((uint32_t *)e.values[4])[i] = (uint32_t)(r >> 24);
        ((float *)e.values[5])[i] = (float)(r % 1000) / 8;
        ((double *)e.values[6])[i] = r % 11 ? (double)r / 3 : NAN;
        ((double *)e.values[7])[i] = (double)(r % 300);
        ((double *)e.values[8])[i] = (double)(r % 300) / 4;
    }
    e.arrays = (meguri_edge_arrays){.size = sizeof e.arrays,
                                    .count = count,
                                    .from = e.from,
                                    .to = e.to,
                                    .weights = e.weights,
                                    .weight_type = weights ? MEGURI_TYPE_F64 : MEGURI_TYPE_NONE,
                                    .vertices = vertices,
                                    .column_count = COLUMNS};
    return e;
}

static meguri_status build(meguri_graph **out, meguri_ctx *ctx, edges *e, const meguri_build_options *o) {
    e->arrays.columns = e->columns;
    return meguri_graph_from_edges(out, ctx, &e->arrays, o);
}

static void free_edges(edges *e) {
    free(e->from);
    free(e->to);
    free(e->weights);
    for (int c = 0; c < COLUMNS; c++) free(e->values[c]);
}

/* ---- the slow builder ------------------------------------------------------------------------------------------- */

typedef struct slow {
    oracle_arc *arcs;
    uint64_t count;
} slow;

static int by_arc(const void *a, const void *b) {
    const oracle_arc *x = a, *y = b;
    if (x->row != y->row) return x->row < y->row ? -1 : 1;
    if (x->column != y->column) return x->column < y->column ? -1 : 1;
    if (x->weight != y->weight) return x->weight < y->weight ? -1 : 1;
    return x->edge < y->edge ? -1 : x->edge > y->edge;
}

static slow build_slowly(const edges *e, const meguri_build_options *o, bool backwards) {
    slow s = {.arcs = room(2 * e->count, sizeof *s.arcs)};
    for (uint64_t i = 0; i < e->count; i++) {
        oracle_arc arc = {e->from[i], e->to[i], e->weights && !o->ignore_weights ? e->weights[i] : 1, i};
        if (arc.row == arc.column && !o->keep_loops) continue;
        s.arcs[s.count++] = arc;
        if (o->direction != MEGURI_UNDIRECTED || arc.row == arc.column) continue;
        s.arcs[s.count++] = (oracle_arc){arc.column, arc.row, arc.weight, i};
    }
    for (int turn = 0; turn < 1 + backwards; turn++) {
        for (uint64_t i = 0; turn && i < s.count; i++) {
            uint64_t row = s.arcs[i].row;
            s.arcs[i].row = s.arcs[i].column;
            s.arcs[i].column = row;
        }
        qsort(s.arcs, s.count, sizeof *s.arcs, by_arc);
        if (!turn) s.count = oracle_merge(s.arcs, s.count, o->duplicates);
    }
    return s;
}

/* The value that a column should have for an edge, in the type that the graph chose. */
static void expected_value(unsigned char out[8], const edges *e, uint32_t c, uint64_t edge, meguri_type type) {
    double found = c >= 7 ? ((const double *)e->values[c])[edge] : 0;
    size_t size = meguri_type_bytes(type);
    if (c == 2) *out = (unsigned char)((const uint32_t *)e->values[c])[edge];
    else if (type == MEGURI_TYPE_F32 && c == 8) memcpy(out, &(float){(float)found}, 4);
    else if (c >= 7) memcpy(out, &(uint64_t){(uint64_t)found}, size);
    else memcpy(out, (const char *)e->values[c] + edge * size, size);
}

static void compare_values(meguri_ctx *ctx, const meguri_graph *g, const edges *e, const slow *s, bool backwards) {
    unsigned char *values = room(s->count, 8), expected[8];
    for (uint32_t c = 0; c < COLUMNS; c++) {
        meguri_column_info info = {.size = sizeof info};
        assert_int_equal(meguri_graph_edge_column(&info, ctx, g, c), MEGURI_OK);
        uint64_t at = 0;
        for (uint64_t v = 0; v < e->vertices; v++) {
            uint64_t count;
            if ((backwards ? meguri_graph_in_neighbor_values
                           : meguri_graph_neighbor_values)(values, NULL, s->count, &count, ctx, g, v, c) != MEGURI_OK)
                fail_msg("%s", meguri_ctx_error(ctx));
            for (uint64_t i = 0; i < count; i++, at++) {
                assert_true(at < s->count && s->arcs[at].row == v);
                expected_value(expected, e, c, s->arcs[at].edge, info.type);
                if (memcmp(expected, values + i * info.item_bytes, info.item_bytes) != 0)
                    fail_msg("column %s, vertex %d, neighbour %d%s: another value", info.name, (int)v,
                             (int)s->arcs[at].column, backwards ? ", backwards" : "");
            }
        }
        assert_int_equal(at, s->count);
    }
    free(values);
}

static void compare_columns(meguri_ctx *ctx, const meguri_graph *g) {
    static const meguri_type types[COLUMNS] = {MEGURI_TYPE_U64, MEGURI_TYPE_U8,  MEGURI_TYPE_U8,
                                               MEGURI_TYPE_U16, MEGURI_TYPE_U32, MEGURI_TYPE_F32,
                                               MEGURI_TYPE_F64, MEGURI_TYPE_U16, MEGURI_TYPE_F32};
    meguri_graph_info info = {.size = sizeof info};
    assert_int_equal(meguri_graph_get_info(&info, ctx, g), MEGURI_OK);
    assert_int_equal(info.edge_columns, COLUMNS);
    for (uint32_t c = 0; c < COLUMNS; c++) {
        meguri_column_info column = {.size = sizeof column};
        uint32_t found;
        assert_int_equal(meguri_graph_edge_column(&column, ctx, g, c), MEGURI_OK);
        if (info.arcs > 100) assert_int_equal(column.type, types[c]);
        assert_int_equal(column.kind, c == 0 ? MEGURI_COLUMN_IDS : c == 2 ? MEGURI_COLUMN_TYPES : MEGURI_COLUMN_VALUES);
        assert_int_equal(column.label_count, c == 2 ? 4 : 0);
        assert_int_equal(meguri_graph_find_edge_column(&found, ctx, g, column.name), MEGURI_OK);
        assert_int_equal(found, c);
    }
    for (uint64_t i = 0; i < 4; i++) {
        const char *text;
        uint64_t value;
        assert_int_equal(meguri_graph_edge_label(&text, ctx, g, 2, i), MEGURI_OK);
        assert_string_equal(text, labels[i]);
        assert_int_equal(meguri_graph_find_edge_label(&value, ctx, g, 2, text), MEGURI_OK);
        assert_int_equal(value, i);
    }
}

static void compare_weights(meguri_ctx *ctx, const meguri_graph *g, const edges *e, const slow *s, bool weighted) {
    uint64_t *neighbors = room(s->count, 8), at = 0, count;
    double *weights = room(s->count, 8);
    for (uint64_t v = 0; v < e->vertices; v++) {
        assert_int_equal(meguri_graph_neighbors(neighbors, weights, NULL, s->count, &count, ctx, g, v), MEGURI_OK);
        for (uint64_t i = 0; i < count; i++, at++) {
            assert_true(at < s->count && s->arcs[at].row == v && s->arcs[at].column == neighbors[i]);
            if (weights[i] != (weighted ? s->arcs[at].weight : 1)) fail_msg("vertex %d: another weight", (int)v);
        }
    }
    free(neighbors);
    free(weights);
}

static void compare(meguri_ctx *ctx, const meguri_graph *g, const edges *e, const meguri_build_options *o) {
    compare_columns(ctx, g);
    for (int backwards = 0; backwards < 2; backwards++) {
        slow s = build_slowly(e, o, backwards);
        compare_values(ctx, g, e, &s, backwards);
        if (!backwards) compare_weights(ctx, g, e, &s, oracle_weighted(e->weights, o));
        free(s.arcs);
    }
    if (meguri_graph_verify(ctx, g) != MEGURI_OK) fail_msg("%s", meguri_ctx_error(ctx));
}

/* ---- tests ------------------------------------------------------------------------------------------------------ */

static void through_a_file(meguri_ctx *ctx, const meguri_graph *g, const edges *e, const meguri_build_options *o) {
    char path[64] = "test_columns.XXXXXX";
    int fd = mkstemp(path);
    meguri_graph *back;
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(meguri_save(ctx, g, to_file(path), NULL), MEGURI_OK);
    assert_int_equal(meguri_open(&back, ctx, path, NULL), MEGURI_OK);
    unlink(path);
    compare(ctx, back, e, o);
    meguri_graph_free(back);
}

static void check(meguri_ctx *ctx, edges *e, const meguri_build_options *o, bool file) {
    meguri_graph *g;
    if (build(&g, ctx, e, o) != MEGURI_OK) fail_msg("%s", meguri_ctx_error(ctx));
    compare(ctx, g, e, o);
    if (file) through_a_file(ctx, g, e, o);
    meguri_graph_free(g);
}

static void every_option(void **state) {
    (void)state;
    meguri_ctx *const ctx[] = {context(1, 0), context(2, 0), context(5, 0)};
    static const uint64_t shapes[][2] = {{0, 1}, {1, 2}, {40, 3}, {300, 40}, {3000, 500}};
    for (int shape = 0; shape < 5; shape++)
        for (int weights = 0; weights < 4; weights++) {
            edges e = make_edges(shapes[shape][0], shapes[shape][1], weights, 100 + (uint64_t)(shape * 4 + weights));
            for (int options = 0; options < 8 * (MEGURI_DUPLICATES_KEEP + 1); options++) {
                if ((UNDER_TSAN || UNDER_ASAN) && shape > 2 && options % 11) continue;
                meguri_build_options o = {.size = sizeof o,
                                          .direction = options & 1 ? MEGURI_UNDIRECTED : MEGURI_DIRECTED,
                                          .duplicates = (meguri_duplicates)(options >> 3),
                                          .keep_loops = options >> 1 & 1,
                                          .ignore_weights = options >> 2 & 1,
                                          .order = (meguri_order)(1 + (options + shape + weights) % 3)};
                check(ctx[options % 3], &e, &o, options % 4 == 3);
            }
            free_edges(&e);
        }
    for (int t = 0; t < 3; t++) {
        assert_int_equal(meguri_ctx_memory_used(ctx[t]), 0);
        meguri_ctx_free(ctx[t]);
    }
}

/* Several blocks, so that threads take them in any order; and so little memory that they are spilled, sorted in rounds
 * and kept on disk. */
static void many_blocks_and_little_memory(void **state) {
    (void)state;
    static const uint64_t budgets[] = {UINT64_C(1) << 40, 60 << 20, 32 << 20};
    uint64_t count = 500000;
    for (int weights = 1; weights < 4; weights++) {
        edges e = make_edges(count, 200, weights, 7 + (uint64_t)weights);
        meguri_duplicates how = (meguri_duplicates)(weights == 2 ? MEGURI_DUPLICATES_MIN : weights);
        for (int b = 0; b < 3; b++) {
            meguri_build_options o = {.size = sizeof o,
                                      .direction = b % 2 ? MEGURI_UNDIRECTED : MEGURI_DIRECTED,
                                      .order = b ? MEGURI_ORDER_DEGREE : MEGURI_ORDER_NONE,
                                      .keep_loops = 1,
                                      .duplicates = b == 2 ? MEGURI_DUPLICATES_KEEP : how};
            if (b == 2) o.order = MEGURI_ORDER_BFS;
            meguri_ctx *ctx = context(2, budgets[b]), *asker = context(2, 0);
            meguri_graph *g;
            if (build(&g, ctx, &e, &o) != MEGURI_OK) fail_msg("budget %d: %s", b, meguri_ctx_error(ctx));
            assert_true(meguri_ctx_memory_peak(ctx) <= budgets[b]);
            slow s = build_slowly(&e, &o, false);
            compare_values(asker, g, &e, &s, false);
            free(s.arcs);
            meguri_graph_free(g);
            meguri_ctx_free(asker);
            meguri_ctx_free(ctx);
        }
        free_edges(&e);
    }
}

/* A pair of vertices with very many edges between them is sorted in good time. */
static void parallel_edges_without_end(void **state) {
    (void)state;
    meguri_ctx *ctx = context(2, 0);
    edges e = make_edges(300000, 1, 3, 3);
    for (uint64_t i = 0; i < e.count; i++) e.weights[i] = (double)(e.count - i) / 3;
    meguri_build_options o = {.size = sizeof o, .duplicates = MEGURI_DUPLICATES_KEEP, .keep_loops = 1};
    meguri_graph *g;
    assert_int_equal(build(&g, ctx, &e, &o), MEGURI_OK);
    slow s = build_slowly(&e, &o, false);
    compare_values(ctx, g, &e, &s, false);
    free(s.arcs);
    meguri_graph_free(g);
    free_edges(&e);
    meguri_ctx_free(ctx);
}

static void numbers_of_8_bytes_are_carried(void **state) {
    (void)state;
    const uint64_t first = (UINT64_C(1) << 40) - 1;
    for (int code = 0; code <= 5; code++) {
        const meguri_type type = mg_code_type((uint8_t)code);
        double weights[3] = {7, 0, 200}, payload[3], back[3];
        uint64_t carried[6], numbers[3];
        uint32_t bytes = mg_carried_bytes(type, 8);
        mg_weights_to_payload(payload, type, weights, MEGURI_TYPE_F64, 3);
        mg_carry_numbers(carried, payload, type, 8, first, 3);
        mg_carried_numbers(numbers, carried, type, 8, 3);
        for (uint64_t i = 0; i < 3; i++) assert_int_equal(numbers[i], first + i);
        assert_int_equal(bytes, type ? 16 : 8);
        if (!type) continue;
        mg_carried_payload(carried, carried, type, 8, 3);
        mg_payload_to_weights(back, type, carried, 3);
        for (uint64_t i = 0; i < 3; i++) assert_true(mg_weight_at(back, type, i) == weights[i]);
    }
}

static void every_allocation_fails(void **state) {
    (void)state;
    meguri_ctx *ctx = context(2, 0);
    edges e = make_edges(200, 30, 3, 5);
    for (int order = MEGURI_ORDER_DEGREE; order <= MEGURI_ORDER_NONE; order++) {
        meguri_build_options o = {.size = sizeof o, .order = (meguri_order)order};
        meguri_graph *g = NULL;
        uint64_t k = 1;
        for (;; k++) {
            mg_memory_fail_at(ctx, k);
            meguri_status status = build(&g, ctx, &e, &o);
            mg_memory_fail_at(ctx, 0);
            if (status == MEGURI_OK) break;
            assert_int_equal(status, MEGURI_NO_MEMORY);
            assert_null(g);
            assert_int_equal(meguri_ctx_memory_used(ctx), 0);
        }
        assert_true(k > 20);
        for (k = 1;; k++) {
            uint64_t values[256], count;
            mg_memory_fail_at(ctx, k);
            meguri_status status = meguri_graph_in_neighbor_values(values, NULL, 256, &count, ctx, g, 0, 0);
            mg_memory_fail_at(ctx, 0);
            if (status == MEGURI_OK) break;
            assert_int_equal(status, MEGURI_NO_MEMORY);
        }
        assert_true(k > 2);
        meguri_graph_free(g);
        assert_int_equal(meguri_ctx_memory_used(ctx), 0);
    }
    free_edges(&e);
    meguri_ctx_free(ctx);
}

static void refused(edges *e, const char *sentence) {
    meguri_ctx *ctx = context(1, 0);
    meguri_graph *g;
    assert_int_not_equal(build(&g, ctx, e, NULL), MEGURI_OK);
    assert_null(g);
    if (!strstr(meguri_ctx_error(ctx), sentence)) fail_msg("%s", meguri_ctx_error(ctx));
    assert_int_equal(meguri_ctx_memory_used(ctx), 0);
    meguri_ctx_free(ctx);
}

static void bad_columns_are_refused(void **state) {
    (void)state;
    edges e = make_edges(10, 5, 0, 1);
    const edges good = e;
    e.columns[1].name = "id";
    refused(&e, "two columns of the edges have the name \"id\"");
    e = good;
    e.columns[1].name = "";
    refused(&e, "has no name");
    e = good;
    e.columns[1].values = NULL;
    refused(&e, "no values");
    e = good;
    e.columns[1].kind = MEGURI_COLUMN_IDS;
    refused(&e, "\"id\" and \"u8\" are both the ids of the edges");
    e = good;
    e.columns[2].label_count = 0;
    refused(&e, "types, which need names");
    e = good;
    e.columns[2].label_count = 2;
    refused(&e, "is not one of the 2 that have names");
    e = good;
    e.columns[3].type = (meguri_type)99;
    refused(&e, "is not known");
    e = good;
    e.columns[0].size = 0;
    refused(&e, "its size is not set");
    e = good;
    free_edges(&e);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_option),
        cmocka_unit_test(many_blocks_and_little_memory),
        cmocka_unit_test(parallel_edges_without_end),
        cmocka_unit_test(numbers_of_8_bytes_are_carried),
        cmocka_unit_test(every_allocation_fails),
        cmocka_unit_test(bad_columns_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
