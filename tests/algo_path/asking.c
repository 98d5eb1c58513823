/* Small random graphs, the oracle, and a look at paths. */
#define _GNU_SOURCE
#include "algo_path/asking.h"

static double draw_weight(uint64_t *random, int kind) {
    uint64_t r = next_random(random);
    switch (kind) {
    case 1: return (double)(r % 4);                                  /* zeros and ties */
    case 2: return r % 3 ? (double)(r % 5) : (double)(r >> 48);      /* up to 65535 */
    case 3: return r % 3 ? (double)(r % 7) : (double)(r >> 32);      /* up to 2^32-1 */
    case 4: return (double)(r % 9) * 0.5;                            /* sums are exact */
    case 5: return r % 4 ? (double)(r % 64) * 0.1 : (double)(r % 3); /* sums are not */
    default: return 1;
    }
}

void small_make(small *s, meguri_ctx *ctx, uint64_t *random, int kind, bool directed) {
    *s = (small){.weighted = kind != 0, .directed = directed};
    s->vertices = 1 + (uint32_t)(next_random(random) % MOST_VERTICES);
    s->edges = (uint32_t)(next_random(random) % (3 * s->vertices + 1));
    uint32_t from[MOST_EDGES], to[MOST_EDGES];
    double weights[MOST_EDGES];
    for (uint32_t i = 0; i < s->edges; i++) {
        small_edge *e = &s->edge[i];
        e->from = (uint32_t)(next_random(random) % s->vertices);
        e->to = (uint32_t)(next_random(random) % s->vertices);
        if (i && next_random(random) % 5 == 0) *e = s->edge[i - 1]; /* parallel */
        e->weight = draw_weight(random, kind);
        from[i] = e->from, to[i] = e->to, weights[i] = e->weight;
    }
    meguri_edge_arrays arrays = {.size = sizeof arrays,
                                 .count = s->edges,
                                 .from = from,
                                 .to = to,
                                 .id_bytes = 4,
                                 .weights = s->weighted ? weights : NULL,
                                 .weight_type = s->weighted ? MEGURI_TYPE_F64 : MEGURI_TYPE_NONE,
                                 .vertices = s->vertices};
    meguri_build_options options = {.size = sizeof options,
                                    .direction = directed ? MEGURI_DIRECTED : MEGURI_UNDIRECTED,
                                    .order = (meguri_order)(next_random(random) % 4),
                                    .duplicates = MEGURI_DUPLICATES_KEEP,
                                    .keep_loops = 1};
    assert_int_equal(meguri_graph_from_edges(&s->graph, ctx, &arrays, &options), MEGURI_OK);
    uint64_t ids[MOST_VERTICES];
    double unit = next_random(random) % 2 ? 1 : 1e6;
    for (uint32_t v = 0; v < s->vertices; v++) {
        ids[v] = v;
        s->x[v] = (double)(next_random(random) % 6) * unit;
        s->y[v] = (double)(next_random(random) % 6) * unit;
    }
    assert_int_equal(mg_graph_set_coordinates(ctx, s->graph, ids, s->x, s->y, s->vertices), MEGURI_OK);
}

void small_free(small *s) { meguri_graph_free(s->graph); }

/* ---- the oracle ------------------------------------------------------------------------------------------------- */

static void relax(const double *before, double *after, uint32_t u, uint32_t v, double weight) {
    if (before[u] + weight < after[v]) after[v] = before[u] + weight;
}

void rounds_from(rounds *r, const small *s, uint32_t from, meguri_path_direction direction) {
    for (uint32_t v = 0; v < MOST_VERTICES; v++) r->cost[0][v] = v == from ? 0 : INFINITY;
    for (uint32_t h = 1; h < MOST_VERTICES; h++) {
        memcpy(r->cost[h], r->cost[h - 1], sizeof r->cost[h]);
        for (uint32_t i = 0; i < s->edges; i++) {
            const small_edge *e = &s->edge[i];
            bool either = !s->directed || direction == MEGURI_PATH_BOTH;
            if (either || direction == MEGURI_PATH_OUT) relax(r->cost[h - 1], r->cost[h], e->from, e->to, e->weight);
            if (either || direction == MEGURI_PATH_IN) relax(r->cost[h - 1], r->cost[h], e->to, e->from, e->weight);
        }
    }
}

/* ---- paths ------------------------------------------------------------------------------------------------------ */

int take(void *user, const meguri_path *path) {
    taken *t = user;
    assert_int_equal(path->size, sizeof *path);
    assert_int_equal(path->index, t->paths);
    t->paths++;
    t->hops = path->hops;
    t->cost = path->cost;
    assert_true(path->hops < COUNT_OF(t->vertices));
    memcpy(t->vertices, path->vertices, (path->hops + 1) * sizeof *path->vertices);
    memcpy(t->costs, path->costs, (path->hops + 1) * sizeof *path->costs);
    if (path->hops) memcpy(t->edges, path->edges, path->hops * sizeof *path->edges);
    return 0;
}

static bool has_edge(const small *s, meguri_path_direction direction, uint64_t u, uint64_t v, double weight) {
    for (uint32_t i = 0; i < s->edges; i++) {
        const small_edge *e = &s->edge[i];
        bool either = !s->directed || direction == MEGURI_PATH_BOTH;
        bool along = (either || direction == MEGURI_PATH_OUT) && e->from == u && e->to == v;
        bool against = (either || direction == MEGURI_PATH_IN) && e->from == v && e->to == u;
        if ((along || against) && fabs(e->weight - weight) <= 1e-9) return true;
    }
    return false;
}

void check_path(const small *s, meguri_path_direction direction, uint32_t from, uint32_t to, const taken *t) {
    assert_int_equal(t->vertices[0], from);
    assert_int_equal(t->vertices[t->hops], to);
    assert_true(t->costs[0] == 0 && t->costs[t->hops] == t->cost);
    for (uint64_t i = 0; i < t->hops; i++) {
        assert_true(has_edge(s, direction, t->vertices[i], t->vertices[i + 1], t->costs[i + 1] - t->costs[i]));
        for (uint64_t j = 0; j < i; j++) {
            assert_int_not_equal(t->edges[i], t->edges[j]);
            assert_int_not_equal(t->vertices[i], t->vertices[j]);
        }
    }
}

/* ---- one path --------------------------------------------------------------------------------------------------- */

void draw_limits(meguri_path_query *q, const rounds *r, uint64_t *random, bool exact) {
    uint64_t draw = next_random(random);
    if (draw % 3 == 0) q->max_hops = 1 + (draw >> 8) % 6;
    if ((draw >> 4) % 3) return;
    double cost = r->cost[1 + (draw >> 16) % (MOST_VERTICES - 1)][q->to];
    if (!isfinite(cost)) cost = (double)((draw >> 24) % 5);
    q->has_max_cost = 1;
    if ((draw >> 32) % 3 == 0) cost = cost >= 1 ? cost - 1 : cost + 0.25;
    q->max_cost = exact ? cost : cost * (1 + 1e-9);
}

static double expected(const rounds *r, const meguri_path_query *q) {
    uint64_t most = q->max_hops && q->max_hops < MOST_VERTICES ? q->max_hops : MOST_VERTICES - 1;
    double limit = q->has_max_cost ? q->max_cost : INFINITY;
    if (q->algorithm != MEGURI_PATH_SHORTEST) return r->cost[most][q->to] <= limit ? r->cost[most][q->to] : INFINITY;
    for (uint64_t hops = 0; hops <= most; hops++)
        if (r->cost[hops][q->to] <= limit && isfinite(r->cost[hops][q->to])) return (double)hops;
    return INFINITY;
}

void ask_right(meguri_ctx *ctx, const small *s, meguri_path_search *search, meguri_path_direction direction,
               const rounds *r, const meguri_path_query *q) {
    taken t = {0};
    meguri_path_answer answer = {.size = sizeof answer};
    assert_int_equal(meguri_path_search_run(&answer, ctx, search, q, take, &t), MEGURI_OK);
    double right = expected(r, q);
    assert_int_equal(answer.end, MEGURI_PATH_COMPLETE);
    assert_int_not_equal(answer.algorithm, MEGURI_PATH_AUTO);
    assert_int_equal(answer.paths, t.paths);
    assert_int_equal(t.paths, isfinite(right) ? 1 : 0);
    if (!t.paths) return;
    check_path(s, direction, (uint32_t)q->from, (uint32_t)q->to, &t);
    if (q->max_hops) assert_true(t.hops <= q->max_hops);
    if (q->has_max_cost) assert_true(t.cost <= q->max_cost);
    assert_true(same_cost(right, q->algorithm == MEGURI_PATH_SHORTEST ? (double)t.hops : t.cost));
}
