#define _GNU_SOURCE
#include "algo_pagerank/ranking.h"
#include "support/checks.h"

#include <math.h>
#include <meguri.h>

subject ranked_from_zoo(meguri_ctx *ctx, const zoo_graph *g, const meguri_build_options *options) {
    subject s = {.name = g->name, .order = options->order};
    oracle o = oracle_build(g, options);
    s.plain = plain_from_oracle(&o);
    oracle_free(&o);
    if (zoo_build(&s.graph, ctx, g, options) != MEGURI_OK) fail_msg("%s: %s", g->name, meguri_ctx_error(ctx));
    return s;
}

double *plain_ranks(const plain *p, double damping, uint64_t iterations, double *change) {
    long double n = (long double)p->vertices, *rank = calloc(p->vertices + 1, sizeof *rank), changed = 0;
    long double *next = calloc(p->vertices + 1, sizeof *next);
    double *rounded = calloc(p->vertices + 1, sizeof *rounded);
    for (uint64_t v = 0; v < p->vertices; v++) rank[v] = 1 / n;
    for (uint64_t i = 0; i < iterations; i++) {
        long double dangling = 0;
        memset(next, 0, p->vertices * sizeof *next);
        for (uint64_t u = 0; u < p->vertices; u++) {
            uint64_t degree = p->offsets[u + 1] - p->offsets[u];
            long double share = degree ? rank[u] / (long double)degree : 0;
            if (!degree) dangling += rank[u];
            for (uint64_t k = p->offsets[u]; k < p->offsets[u + 1]; k++) next[p->to[k]] += share;
        }
        changed = 0;
        for (uint64_t v = 0; v < p->vertices; v++) {
            next[v] = (1 - (long double)damping) / n + damping * (next[v] + dangling / n);
            changed += fabsl(next[v] - rank[v]);
        }
        long double *old = rank;
        rank = next;
        next = old;
    }
    for (uint64_t v = 0; v < p->vertices; v++) rounded[v] = (double)rank[v];
    *change = (double)changed;
    free(rank);
    free(next);
    return rounded;
}

const double *ranks_of(const meguri_result *result, uint64_t count) {
    meguri_column column = {.size = sizeof column};
    if (meguri_result_column(&column, result, "rank") != MEGURI_OK) fail_msg("no column rank");
    assert_int_equal(column.type, MEGURI_TYPE_F64);
    assert_int_equal(column.count, count);
    assert_int_equal(column.stride, sizeof(double));
    assert_int_equal(meguri_result_column_count(result), 1);
    return column.data;
}

double real_of(const meguri_result *result, const char *name) {
    meguri_fact fact = {.size = sizeof fact};
    if (meguri_result_fact(&fact, result, name) != MEGURI_OK) fail_msg("no fact %s", name);
    assert_int_equal(fact.type, MEGURI_TYPE_F64);
    return fact.real;
}

static const char *ranking_fault(meguri_ctx *ctx, const subject *s, const meguri_pagerank_options *options,
                                 const meguri_result *result) {
    uint64_t n = s->plain.vertices, iterations = fact_of(result, "iterations");
    const double *rank = ranks_of(result, n);
    double damping = options->damping, right_change, before, sum = 0;
    double tolerance = options->tolerance, change = real_of(result, "change");
    const char *wrong = NULL;
    if (!(real_of(result, "seconds") >= 0)) return "there are no seconds";
    if (!n) return iterations || change != 0 ? "something was done about nothing" : NULL;
    if (options->iterations && iterations != options->iterations) return "the number of iterations differs";
    if (fact_of(result, "edges") != iterations * s->plain.arcs) return "the number of edges differs";
    if (!options->iterations && change > tolerance) return "the tolerance is not met";
    free(plain_ranks(&s->plain, damping, iterations - 1, &before));
    if (!options->iterations && iterations > 1 && before < tolerance * 0.999) return "there was an iteration too many";
    double *right = plain_ranks(&s->plain, damping, iterations, &right_change);
    if (fabs(change - right_change) > 1e-13 + 1e-10 * right_change) wrong = "the change differs";
    for (uint64_t v = 0; v < n; v++) {
        sum += rank[v];
        if (!(fabs(rank[v] - right[v]) <= 1e-12 * right[v])) wrong = "a rank differs";
    }
    if (!(fabs(sum - 1) < 1e-11)) wrong = "the sum is not 1";
    free(right);
    if (!wrong && mg_pagerank_check(ctx, s->graph, rank, options) != MEGURI_OK) wrong = meguri_ctx_error(ctx);
    return wrong;
}

void check_ranking(meguri_result **out, meguri_ctx *ctx, const subject *s, const meguri_pagerank_options *options) {
    meguri_result *result = NULL;
    if (meguri_pagerank(&result, ctx, s->graph, options) != MEGURI_OK) fail_msg("%s", meguri_ctx_error(ctx));
    const char *wrong = ranking_fault(ctx, s, options, result);
    if (wrong)
        fail_msg("%s, order %d, damping %g, iterations %u, tolerance %g, threads %u: %s", s->name, s->order,
                 options->damping, options->iterations, options->tolerance, meguri_ctx_threads(ctx), wrong);
    if (out) *out = result;
    else meguri_result_free(result);
}

zoo_graph shape_of_strips(uint64_t vertices, uint64_t hubs, uint64_t seed) {
    zoo_graph g = {.vertices = vertices, .name = "hubs over several strips"};
    for (uint64_t h = 0; h < hubs; h++)
        for (uint64_t i = 0; i < 2000 + 400 * h; i++) shape_add(&g, zoo_random(&seed) % vertices, h);
    for (uint64_t i = 0; i < 2 * vertices; i++) /* the last tenth stays isolated, or dangling */
        shape_add(&g, zoo_random(&seed) % (vertices * 9 / 10), zoo_random(&seed) % (vertices * 19 / 20));
    free(shape_shuffle(&g, seed));
    return g;
}
