/* The benchmark on a cluster: the same roots, edges and trees as on one machine; and a validation that says of damaged
 * trees what that of one machine says. */
#define _GNU_SOURCE
#include "graph500/cluster.h"
#include "net/ranks.h"

#define SCALE 9

static meguri_graph500_report *alone;

static meguri_status compare_run(void *user, meguri_ctx *ctx, meguri_cluster *c) {
    const arrangement *a = user;
    const meguri_layout layout = arranged(c, a);
    const meguri_graph500_options o = {.size = sizeof o,
                                       .scale = SCALE,
                                       .roots = 6,
                                       .kernels = 3,
                                       .no_validation = c->size % 2 == 1 && c->size > 1,
                                       .layout = &layout};
    meguri_graph500_report *r;
    meguri_status status = meguri_graph500(&r, ctx, &o);
    if (status != MEGURI_OK) return status;
    RANK_CHECK(ctx, r->searches_run == alone->searches_run && r->graph_edges == alone->graph_edges);
    RANK_CHECK(ctx, r->processes == (uint32_t)c->size && r->validated == !o.no_validation);
    RANK_CHECK(ctx, (r->bytes > 0) == (c->size > 1));
    for (uint32_t i = 0; i < r->searches_run; i++) {
        const meguri_graph500_search *x = &r->bfs.searches[i], *y = &alone->bfs.searches[i];
        RANK_CHECK(ctx, x->root == y->root && x->edges == y->edges && x->reached == y->reached && x->depth == y->depth);
        x = &r->sssp.searches[i];
        y = &alone->sssp.searches[i];
        RANK_CHECK(ctx, x->root == y->root && x->edges == y->edges && x->reached == y->reached);
        RANK_CHECK(ctx, x->farthest == y->farthest); /* to the last bit */
    }
    meguri_graph500_report_free(r);
    return MEGURI_OK;
}

static void as_on_one_machine(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    const meguri_graph500_options o = {.size = sizeof o, .scale = SCALE, .roots = 6, .kernels = 3};
    assert_int_equal(meguri_graph500(&alone, ctx, &o), MEGURI_OK);
    for (size_t k = 0; k < COUNT_OF(arrangements); k++) {
        arrangement a = arrangements[k];
        run_on(a.ranks, 0, compare_run, &a);
    }
    meguri_graph500_report_free(alone);
    context_done(ctx);
}

/* ---- damaged trees ---------------------------------------------------------------------------------------------- */

enum { DAMAGED = 40 };

typedef struct damage {
    uint64_t vertices, edges;
    uint32_t *pairs;
    float *weights;
    uint32_t root;
    uint32_t *parent[DAMAGED];
    double *distance[DAMAGED];
    meguri_status expected[DAMAGED];
    meguri_graph500_tree facts[DAMAGED];
} damage;

static meguri_status validate_all(void *user, meguri_ctx *ctx, meguri_cluster *c) {
    damage *d = user;
    const meguri_kronecker_options o = {
        .size = sizeof o, .scale = 7, .weights = d->weights ? MEGURI_WEIGHT_F32 : MEGURI_WEIGHT_NONE};
    mg_drawing *drawing;
    mg_arc_lists lists;
    meguri_status status = mg_kronecker_new(&drawing, ctx, &o);
    if (status == MEGURI_OK) status = mg_arc_lists_new(&lists, ctx, c, drawing, d->vertices);
    if (status != MEGURI_OK) return status;
    for (int i = 0; i < DAMAGED; i++) {
        meguri_graph500_tree facts;
        mg_begin(ctx);
        status = mg_cluster_validate(&facts, ctx, &lists, d->root, d->parent[i] + lists.home.begin,
                                     d->weights ? d->distance[i] + lists.home.begin : NULL);
        RANK_CHECK(ctx, status == d->expected[i]);
        if (status != MEGURI_OK) continue;
        RANK_CHECK(ctx, facts.reached == d->facts[i].reached && facts.edges == d->facts[i].edges);
        RANK_CHECK(ctx, d->weights ? facts.farthest == d->facts[i].farthest : facts.depth == d->facts[i].depth);
    }
    mg_arc_lists_free(&lists);
    mg_kronecker_free(drawing);
    return MEGURI_OK;
}

static void damage_one(damage *d, int i, uint64_t *seed) {
    uint32_t v = (uint32_t)(next_random(seed) % d->vertices), u = (uint32_t)(next_random(seed) % d->vertices);
    switch (i % 5) {
    case 0: return; /* as it is */
    case 1: d->parent[i][v] = u; return;
    case 2: d->parent[i][v] = MEGURI_NO_VERTEX; return;
    case 3:
        d->parent[i][u] = v;
        d->parent[i][v] = u;
        return;
    case 4:
        if (d->weights) d->distance[i][v] += 0.25;
        else d->parent[i][d->root] = u;
        return;
    }
}

static void same_verdicts(bool weighted) {
    meguri_ctx *ctx = context_with(1);
    damage d = {.vertices = 128};
    const meguri_kronecker_options o = {
        .size = sizeof o, .scale = 7, .weights = weighted ? MEGURI_WEIGHT_F32 : MEGURI_WEIGHT_NONE};
    meguri_graph *graph;
    mg_drawing *drawing;
    uint64_t seed = 21;
    assert_int_equal(meguri_gen_kronecker(&graph, ctx, &o), MEGURI_OK);
    assert_int_equal(mg_kronecker_new(&drawing, ctx, &o), MEGURI_OK);
    d.edges = drawing->units;
    d.pairs = calloc(d.edges, 8);
    d.weights = weighted ? calloc(d.edges, 4) : NULL;
    drawing->draw(drawing, d.pairs, d.weights, 0, d.edges);
    d.root = d.pairs[0] != d.pairs[1] ? d.pairs[0] : d.pairs[2];
    meguri_result *result;
    meguri_column parent = {.size = sizeof parent}, distance = {.size = sizeof distance};
    if (weighted) assert_int_equal(meguri_sssp(&result, ctx, graph, d.root, NULL), MEGURI_OK);
    else assert_int_equal(meguri_bfs(&result, ctx, graph, d.root, NULL), MEGURI_OK);
    assert_int_equal(meguri_result_column(&parent, result, "parent"), MEGURI_OK);
    if (weighted) assert_int_equal(meguri_result_column(&distance, result, "distance"), MEGURI_OK);
    int good = 0;
    for (int i = 0; i < DAMAGED; i++) {
        d.parent[i] = malloc(d.vertices * 4);
        memcpy(d.parent[i], parent.data, d.vertices * 4);
        if (weighted) {
            d.distance[i] = malloc(d.vertices * 8);
            memcpy(d.distance[i], distance.data, d.vertices * 8);
        }
        damage_one(&d, i, &seed);
        d.facts[i].size = sizeof d.facts[i];
        d.expected[i] = weighted ? meguri_graph500_validate_sssp(&d.facts[i], ctx, d.pairs, d.weights, d.edges,
                                                                 d.vertices, d.root, d.parent[i], d.distance[i])
                                 : meguri_graph500_validate(&d.facts[i], ctx, d.pairs, d.edges, d.vertices, d.root,
                                                            d.parent[i], NULL);
        good += d.expected[i] == MEGURI_OK;
    }
    assert_true(good >= DAMAGED / 5 && good < DAMAGED / 2); /* the damage does damage */
    for (uint32_t ranks = 1; ranks <= 5; ranks += 2) run_on(ranks, 0, validate_all, &d);
    for (int i = 0; i < DAMAGED; i++) {
        free(d.parent[i]);
        free(d.distance[i]);
    }
    free(d.pairs);
    free(d.weights);
    mg_kronecker_free(drawing);
    meguri_result_free(result);
    meguri_graph_free(graph);
    context_done(ctx);
}

static void damaged_trees(void **state) {
    (void)state;
    same_verdicts(false);
}
static void damaged_paths(void **state) {
    (void)state;
    same_verdicts(true);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_on_one_machine), cmocka_unit_test(damaged_trees),
                                       cmocka_unit_test(damaged_paths)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
