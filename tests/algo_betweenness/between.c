#define _GNU_SOURCE
#include "algo_betweenness/between.h"
#include "support/checks.h"

#include <math.h>
#include <meguri.h>

static void *room_for(uint64_t count, size_t size) {
    void *room = calloc(count + 1, size);
    if (!room) abort();
    return room;
}

subject between_subject(meguri_ctx *ctx, const zoo_graph *g, const meguri_build_options *options) {
    subject s = {.name = g->name, .order = options->order};
    oracle o = oracle_build(g, options); /* parallel edges count, so they must be dropped as the builder does */
    s.plain = plain_from_oracle(&o);
    oracle_free(&o);
    if (zoo_build(&s.graph, ctx, g, options) != MEGURI_OK) fail_msg("%s: %s", g->name, meguri_ctx_error(ctx));
    return s;
}

/* Row s: numbers of shortest paths from s, by distances that a search of the plain graph gives. */
static void ways_from(const plain *p, uint64_t s, const int32_t *level, double *ways) {
    ways[s] = 1;
    for (int32_t depth = 0, more = 1; more; depth++) {
        more = 0;
        for (uint64_t u = 0; u < p->vertices; u++) {
            if (level[u] != depth) continue;
            for (uint64_t i = p->offsets[u]; i < p->offsets[u + 1]; i++) {
                if (level[p->to[i]] != depth + 1) continue;
                ways[p->to[i]] += ways[u];
                more = 1;
            }
        }
    }
}

double *between_by_definition(const plain *p, const uint64_t *sources, uint64_t count) {
    uint64_t n = p->vertices;
    double *score = room_for(n, sizeof *score), *ways = room_for(n * n, sizeof *ways);
    int32_t *level = room_for(n * n, sizeof *level);
    for (uint64_t s = 0; s < n; s++) {
        answer a = plain_search(p, s, 0);
        memcpy(level + s * n, a.level, n * sizeof *level);
        ways_from(p, s, a.level, ways + s * n);
        answer_free(&a);
    }
    for (uint64_t i = 0; i < count; i++)
        for (uint64_t s = sources[i], v = 0; v < n; v++)
            for (uint64_t t = 0; t < n && v != s && level[s * n + v] > 0; t++) {
                if (t == s || t == v || level[v * n + t] < 0) continue;
                if (level[s * n + v] + level[v * n + t] != level[s * n + t]) continue;
                score[v] += ways[s * n + v] * ways[v * n + t] / ways[s * n + t];
            }
    free(ways);
    free(level);
    return score;
}

double *between_all(const plain *p, bool directed) {
    uint64_t *sources = room_for(p->vertices, sizeof *sources);
    for (uint64_t v = 0; v < p->vertices; v++) sources[v] = v;
    double *score = between_by_definition(p, sources, p->vertices);
    for (uint64_t v = 0; v < p->vertices && !directed; v++) score[v] /= 2;
    free(sources);
    return score;
}

const double *scores_of(const meguri_result *result, uint64_t vertices) {
    meguri_column column = {.size = sizeof column};
    if (meguri_result_column(&column, result, "score") != MEGURI_OK) fail_msg("no column score");
    assert_int_equal(column.type, MEGURI_TYPE_F64);
    assert_int_equal(column.count, vertices);
    assert_int_equal(column.stride, sizeof(double));
    return column.data;
}

void check_scores(meguri_ctx *ctx, const subject *s, const meguri_betweenness_options *options, const double *right,
                  bool checked) {
    meguri_result *result;
    if (meguri_betweenness(&result, ctx, s->graph, options) != MEGURI_OK)
        fail_msg("%s: %s", s->name, meguri_ctx_error(ctx));
    const double *score = scores_of(result, s->plain.vertices);
    for (uint64_t v = 0; v < s->plain.vertices; v++)
        if (!(fabs(score[v] - right[v]) <= 1e-10 * fmax(1, right[v])))
            fail_msg("%s: vertex %d has the score %.17g instead of %.17g", s->name, (int)v, score[v], right[v]);
    if (checked && mg_betweenness_check(ctx, s->graph, score, options) != MEGURI_OK)
        fail_msg("%s: %s", s->name, meguri_ctx_error(ctx));
    meguri_result_free(result);
}
