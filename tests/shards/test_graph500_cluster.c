/* The benchmark on a cluster: the same roots, edges and trees as on one machine; and a validation that says of damaged
 * trees what that of one machine says.
 *
 * It is built a second time (cluster_wide_graph500) with files of the library in which "32" is 12: on 16 ranks in a
 * grid of 4 × 4, scales 13 and 14 are then what 33 and 34 are otherwise. */
#define _GNU_SOURCE
#include "graph500/cluster.h"
#include "net/ranks.h"

#if MG_LOCAL_BITS == 32
enum { SCALE = 9, ROOTS = 6, DAMAGED_SCALE = 7 };
static const arrangement *const layouts = arrangements;
static const size_t layout_count = COUNT_OF(arrangements);
static const uint32_t damaged_ranks[] = {1, 3, 5};
#else
enum { SCALE = 14, ROOTS = UNDER_TSAN || UNDER_ASAN ? 3 : 12, DAMAGED_SCALE = 13 };
static const arrangement wide_layouts[] = {{16, 4, 4, 0, BY_DEGREE}, {16, 4, 4, 0, BY_POSITION}};
static const arrangement *const layouts = wide_layouts;
static const size_t layout_count = COUNT_OF(wide_layouts);
static const uint32_t damaged_ranks[] = {16};
#endif

static meguri_graph500_report *alone;

/* Some runs are without validation. */
static bool is_believed(const arrangement *a) {
    return MG_LOCAL_BITS == 32 ? a->ranks % 2 == 1 && a->ranks > 1 : a->owner == BY_POSITION;
}

static meguri_status compare_run(void *user, meguri_ctx *ctx, meguri_cluster *c) {
    const arrangement *a = user;
    const meguri_layout layout = arranged(c, a);
    const meguri_graph500_options o = {.size = sizeof o,
                                       .scale = SCALE,
                                       .roots = alone->roots_wanted,
                                       .kernels = 3,
                                       .validate = !(is_believed(a)),
                                       .layout = &layout};
    meguri_graph500_report *r;
    meguri_status status = meguri_graph500(&r, ctx, &o);
    if (status != MEGURI_OK) return status;
    RANK_CHECK(ctx, r->searches_run == alone->searches_run && r->graph_edges == alone->graph_edges);
    RANK_CHECK(ctx, r->vertices == alone->vertices && r->input_edges == alone->input_edges);
    RANK_CHECK(ctx, r->processes == (uint32_t)c->size && r->validated == o.validate);
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
    const meguri_graph500_options o = {.size = sizeof o, .validate = 1, .scale = SCALE, .roots = ROOTS, .kernels = 3};
    assert_int_equal(meguri_graph500(&alone, ctx, &o), MEGURI_OK);
    for (size_t k = 0; k < layout_count; k++) {
        arrangement a = layouts[k];
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
        .size = sizeof o, .scale = DAMAGED_SCALE, .weights = d->weights ? MEGURI_TYPE_F32 : MEGURI_TYPE_NONE};
    mg_drawing *drawing;
    mg_arc_lists lists;
    meguri_status status = mg_kronecker_new(&drawing, ctx, &o);
    if (status == MEGURI_OK) status = mg_arc_lists_new(&lists, ctx, c, drawing, d->vertices);
    if (status != MEGURI_OK) return status;
    const uint64_t home = lists.home.end - lists.home.begin;
    const mg_globals parent = mg_globals_new(ctx, home, mg_is_wide(d->vertices), "parents");
    RANK_CHECK(ctx, parent.items && parent.wide == (MG_LOCAL_BITS == 12) && lists.from.wide == parent.wide);
    for (int i = 0; i < DAMAGED; i++) {
        meguri_graph500_tree facts;
        for (uint64_t v = 0; v < home; v++) {
            uint32_t p = d->parent[i][lists.home.begin + v];
            mg_global_put(parent, v, p == UINT32_MAX ? mg_no_global(parent.wide) : p);
        }
        mg_begin(ctx);
        status = mg_cluster_validate(&facts, ctx, &lists, d->root, parent,
                                     d->weights ? d->distance[i] + lists.home.begin : NULL);
        RANK_CHECK(ctx, status == d->expected[i]);
        if (status != MEGURI_OK) continue;
        RANK_CHECK(ctx, facts.reached == d->facts[i].reached && facts.edges == d->facts[i].edges);
        RANK_CHECK(ctx, d->weights ? facts.farthest == d->facts[i].farthest : facts.depth == d->facts[i].depth);
    }
    mg_free(parent.items);
    mg_arc_lists_free(&lists);
    mg_kronecker_free(drawing);
    return MEGURI_OK;
}

static void damage_one(damage *d, int i, uint64_t *seed) {
    uint32_t v = d->pairs[next_random(seed) % (2 * d->edges)], u = d->pairs[next_random(seed) % (2 * d->edges)];
    switch (i % 6) {
    case 0: return; /* as it is */
    case 1: d->parent[i][v] = u; return;
    case 2: d->parent[i][v] = UINT32_MAX; return;
    case 3:
        d->parent[i][u] = v;
        d->parent[i][v] = u;
        return;
    case 4:
        if (d->weights) d->distance[i][v] += 0.25;
        else d->parent[i][d->root] = u;
        return;
    case 5: d->parent[i][v] ^= (uint32_t)(d->vertices / 2); return; /* the same but for what 12 bits do not hold */
    }
}

static void same_verdicts(bool weighted) {
    meguri_ctx *ctx = context_with(1);
    damage d = {.vertices = (uint64_t)1 << DAMAGED_SCALE};
    const meguri_kronecker_options o = {
        .size = sizeof o, .scale = DAMAGED_SCALE, .weights = weighted ? MEGURI_TYPE_F32 : MEGURI_TYPE_NONE};
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
    assert_true(good >= DAMAGED / 6 && good < DAMAGED / 2); /* the damage does damage */
    for (size_t i = 0; i < COUNT_OF(damaged_ranks); i++) run_on(damaged_ranks[i], 0, validate_all, &d);
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

/* ---- limits ----------------------------------------------------------------------------------------------------- */

/* What a process validates has local numbers: asked before anything is drawn. */
static meguri_status refuse_places(void *user, meguri_ctx *ctx, meguri_cluster *c) {
    const mg_drawing nothing = {0};
    mg_arc_lists lists;
    (void)user;
    RANK_CHECK(ctx, mg_arc_lists_new(&lists, ctx, c, &nothing, 3 * MG_MAX_PLACES) == MEGURI_BAD_ARGUMENT);
    RANK_CHECK(ctx, strstr(meguri_ctx_error(ctx), "have numbers there: start more processes."));
    return MEGURI_OK;
}

/* No scale that a cluster could have is refused but for want of memory. */
static meguri_status refuse_memory(void *user, meguri_ctx *ctx, meguri_cluster *c) {
    const meguri_layout layout = square(c);
    meguri_graph500_options o = {.size = sizeof o, .validate = 1, .layout = &layout};
    meguri_graph500_report *report;
    (void)user;
    for (o.scale = 32; o.scale <= 47; o.scale += 15) {
        RANK_CHECK(ctx, meguri_graph500(&report, ctx, &o) == MEGURI_NO_MEMORY && !report);
        RANK_CHECK(ctx, strstr(meguri_ctx_error(ctx), "not enough memory for the edge list: "));
    }
    o.scale = 48;
    RANK_CHECK(ctx, meguri_graph500(&report, ctx, &o) == MEGURI_BAD_ARGUMENT);
    RANK_CHECK(ctx, strstr(meguri_ctx_error(ctx), "choose 1 to 47"));
    o.scale = 47;
    o.edge_factor = UINT32_MAX;
    RANK_CHECK(ctx, meguri_graph500(&report, ctx, &o) == MEGURI_BAD_ARGUMENT);
    RANK_CHECK(ctx, strstr(meguri_ctx_error(ctx), "more than there are numbers for"));
    return MEGURI_OK;
}

static void limits(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    const meguri_graph500_options o = {.size = sizeof o, .validate = 1, .scale = 32};
    meguri_graph500_report *report;
    run_on(2, 0, refuse_places, NULL);
    run_on(2, 0, refuse_memory, NULL);
    assert_int_equal(meguri_graph500(&report, ctx, &o), MEGURI_BAD_ARGUMENT);
    assert_non_null(strstr(meguri_ctx_error(ctx), "choose 1 to 31 for 2^scale vertices, or give a layout"));
    context_done(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_on_one_machine), cmocka_unit_test(damaged_trees),
                                       cmocka_unit_test(damaged_paths), cmocka_unit_test(limits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
