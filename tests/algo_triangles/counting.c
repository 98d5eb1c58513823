#define _GNU_SOURCE
#include "algo_triangles/counting.h"
#include "support/checks.h"

#include <math.h>
#include <meguri.h>

/* ---- what is right ---------------------------------------------------------------------------------------------- */

static void *room_for(uint64_t count, size_t size) {
    void *room = calloc(count + 1, size);
    if (!room) abort();
    return room;
}

matrix matrix_new(uint64_t vertices) {
    matrix m = {.vertices = vertices, .words = (vertices + 63) / 64};
    m.bits = room_for(m.words * vertices, sizeof *m.bits);
    return m;
}

void matrix_set(matrix *m, uint64_t from, uint64_t to) {
    m->bits[from * m->words + to / 64] |= (uint64_t)1 << (to % 64);
}

bool matrix_get(const matrix *m, uint64_t from, uint64_t to) {
    return (m->bits[from * m->words + to / 64] >> (to % 64)) & 1;
}

void matrix_free(matrix *m) {
    free(m->bits);
    *m = (matrix){0};
}

/* Who is joined to whom, whatever the direction. */
static matrix both_ways(const matrix *m) {
    matrix any = matrix_new(m->vertices);
    for (uint64_t v = 0; v < m->vertices; v++)
        for (uint64_t w = 0; w < m->words; w++)
            for (uint64_t bits = m->bits[v * m->words + w]; bits; bits &= bits - 1) {
                uint64_t u = 64 * w + (uint64_t)__builtin_ctzll(bits);
                if (u == v) continue;
                matrix_set(&any, u, v);
                matrix_set(&any, v, u);
            }
    return any;
}

/* For each vertex: who its neighbours are, then every pair of them. */
truth truth_of(const matrix *m) {
    truth t = {.vertices = m->vertices, .coefficient = room_for(m->vertices, sizeof *t.coefficient)};
    uint64_t *near = room_for(m->vertices, sizeof *near), corners = 0;
    matrix any = both_ways(m);
    for (uint64_t v = 0; v < m->vertices; v++) {
        uint64_t degree = 0, arcs = 0;
        for (uint64_t w = 0; w < any.words; w++)
            for (uint64_t bits = any.bits[v * any.words + w]; bits; bits &= bits - 1)
                near[degree++] = 64 * w + (uint64_t)__builtin_ctzll(bits);
        t.edges += degree;
        for (uint64_t i = 0; i < degree; i++)
            for (uint64_t j = i + 1; j < degree; j++) {
                int ways = matrix_get(m, near[i], near[j]) + matrix_get(m, near[j], near[i]);
                arcs += (uint64_t)ways;
                corners += ways > 0;
            }
        if (degree >= 2) t.coefficient[v] = (double)arcs / (double)(degree * (degree - 1));
        t.mean += t.coefficient[v];
    }
    assert_int_equal(corners % 3, 0);
    t.triangles = corners / 3;
    t.edges /= 2;
    if (m->vertices) t.mean /= (double)m->vertices;
    matrix_free(&any);
    free(near);
    return t;
}

truth truth_of_zoo(const zoo_graph *g, const meguri_build_options *options) {
    oracle o = oracle_build(g, options);
    matrix m = matrix_new(o.vertices);
    for (uint64_t i = 0; i < o.arc_count; i++) matrix_set(&m, o.arcs[i].row, o.arcs[i].column);
    truth t = truth_of(&m);
    matrix_free(&m);
    oracle_free(&o);
    return t;
}

void truth_free(truth *t) {
    free(t->coefficient);
    *t = (truth){0};
}

/* ---- comparing -------------------------------------------------------------------------------------------------- */

const double *coefficients_of(const meguri_result *result, uint64_t vertices) {
    meguri_column column = {.size = sizeof column};
    if (meguri_result_column(&column, result, "coefficient") != MEGURI_OK) fail_msg("no column coefficient");
    assert_int_equal(column.type, MEGURI_TYPE_F64);
    assert_int_equal(column.count, vertices);
    assert_int_equal(column.stride, sizeof(double));
    return column.data;
}

static void check_triangles(meguri_ctx *ctx, const char *name, const meguri_graph *graph, const truth *right,
                            bool checkers) {
    meguri_result *result;
    if (meguri_triangles(&result, ctx, graph, NULL) != MEGURI_OK) fail_msg("%s: %s", name, meguri_ctx_error(ctx));
    uint64_t found = fact_of(result, "triangles");
    if (found != right->triangles)
        fail_msg("%s: %llu triangles instead of %llu", name, (unsigned long long)found,
                 (unsigned long long)right->triangles);
    assert_int_equal(fact_of(result, "simple_edges"), right->edges);
    assert_int_equal(meguri_result_column_count(result), 0);
    meguri_result_free(result);
    if (!checkers) return;
    if (mg_triangles_check(ctx, graph, found) != MEGURI_OK) fail_msg("%s: %s", name, meguri_ctx_error(ctx));
    assert_int_equal(mg_triangles_check(ctx, graph, found + 1), MEGURI_WRONG_ANSWER);
}

void check_counts(meguri_ctx *ctx, const char *name, const meguri_graph *graph, const truth *right, bool checkers) {
    check_triangles(ctx, name, graph, right, checkers);
    meguri_result *result;
    meguri_fact mean = {.size = sizeof mean};
    if (meguri_clustering(&result, ctx, graph, NULL) != MEGURI_OK) fail_msg("%s: %s", name, meguri_ctx_error(ctx));
    const double *found = coefficients_of(result, right->vertices);
    for (uint64_t v = 0; v < right->vertices; v++)
        if (found[v] != right->coefficient[v]) /* one division of whole numbers: the same bits */
            fail_msg("%s: vertex %llu has %.17g instead of %.17g", name, (unsigned long long)v, found[v],
                     right->coefficient[v]);
    assert_int_equal(meguri_result_fact(&mean, result, "mean"), MEGURI_OK);
    assert_true(mean.type == MEGURI_TYPE_F64 && fabs(mean.real - right->mean) <= 1e-12);
    assert_int_equal(fact_of(result, "simple_edges"), right->edges);
    if (checkers && mg_clustering_check(ctx, graph, found) != MEGURI_OK)
        fail_msg("%s: %s", name, meguri_ctx_error(ctx));
    meguri_result_free(result);
}
