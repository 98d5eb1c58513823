/* The checker: it accepts right answers, and refuses answers that break a rule, each rule on its own. */
#define _GNU_SOURCE
#include "algo_sssp/routing.h"
#include "support/checks.h"

#include <math.h>
#include <meguri.h>

static meguri_status ask(meguri_ctx *ctx, const roads *r, uint64_t source, const route *a, bool parents) {
    return mg_sssp_check(ctx, r->subject.graph, source, a->distance, parents ? a->parent : NULL);
}

/* ---- right answers ---------------------------------------------------------------------------------------------- */

static void accept(meguri_ctx *const *ctx, const roads *r, uint64_t source) {
    route a = plain_route(r, source);
    for (size_t t = 0; t < THREAD_COUNTS; t++)
        for (int parents = 0; parents < 2; parents++)
            if (ask(ctx[t], r, source, &a, parents) != MEGURI_OK)
                fail_msg("%s, order %d, source %d, parents %d: %s", r->subject.name, r->subject.order, (int)source,
                         parents, meguri_ctx_error(ctx[t]));
    route_free(&a);
}

static void accept_all(meguri_ctx *const *ctx, const zoo_graph *g, int direction, int order, int keep) {
    meguri_build_options o = {.size = sizeof o,
                              .direction = (meguri_direction)direction,
                              .order = (meguri_order)order,
                              .duplicates = keep ? MEGURI_DUPLICATES_KEEP : MEGURI_DUPLICATES_MIN,
                              .keep_loops = keep};
    roads r = roads_from_zoo(ctx[1], g, &o);
    uint64_t n = r.subject.plain.vertices, seed = n;
    uint32_t isolated = plain_isolated(&r.subject.plain);
    if (n) {
        accept(ctx, &r, 0);
        accept(ctx, &r, n - 1);
        accept(ctx, &r, zoo_random(&seed) % n);
        if (isolated != UINT32_MAX) accept(ctx, &r, isolated);
    }
    roads_free(&r);
}

static void right_answers_are_accepted(void **state) {
    (void)state;
    meguri_ctx *const ctx[] = {context_with(1), context_with(2), context_with(5)};
    zoo_graph g;
    for (int index = 0; zoo_get(&g, index); index++) {
        bool negative = strstr(g.name, "weights 6") != NULL, large = g.count > 50000;
        for (int direction = MEGURI_DIRECTED; direction <= MEGURI_UNDIRECTED && !negative; direction++)
            if (!UNDER_TSAN || large) accept_all(ctx, &g, direction, 1 + (index + direction) % 3, index % 2);
        zoo_free(&g);
    }
    for (int index = 0; shape_get(&g, index, UNDER_TSAN ? 20000 : 700); index++) {
        for (int kind = 0; kind < WEIGHINGS; kind++)
            if (UNDER_TSAN ? kind == (index * 5 + 1) % WEIGHINGS : (kind + index) % 2) {
                weigh(&g, (weighing)kind, (uint64_t)index);
                accept_all(ctx, &g, 1 + (kind + index) % 2, 1 + kind % 3, index % 2);
            }
        zoo_free(&g);
    }
    for (size_t t = 0; t < THREAD_COUNTS; t++) context_done(ctx[t]);
}

/* ---- one rule at a time ----------------------------------------------------------------------------------------- */

/* By hand: ids are ten times the position plus ten.
 *
 *   10 –2→ 20 –4→ 40 –2→ 60      distances 0 2 5 6 6 8, then 70 –1→ 80 and 90 unreached
 *   10 –5→ 30 –1→ 50 –2→ 60
 *   20 –3→ 30, 40 –0→ 50 */
static const uint64_t small_edges[][3] = {{10, 20, 2}, {10, 30, 5}, {20, 40, 4}, {30, 50, 1}, {40, 60, 2},
                                          {50, 60, 2}, {20, 30, 3}, {40, 50, 0}, {70, 80, 1}, {90, 90, 0}};
enum { SMALL = 9 };
#define NONE UINT32_MAX
#define FAR  UINT64_MAX
static const uint64_t small_distance[SMALL] = {0, 2, 5, 6, 6, 8, FAR, FAR, FAR};
static const uint32_t small_parent[SMALL] = {0, 0, 0, 1, 2, 4, NONE, NONE, NONE};

typedef struct change {
    uint32_t vertex;
    uint64_t distance;
    uint32_t parent;
} change;

typedef enum given { BOTH, ALONE } given; /* distances with parents, or without */

typedef struct broken_rule {
    given what;
    change changes[2]; /* the second at vertex 0: no change */
    const char *sentence;
} broken_rule;

static const broken_rule broken_rules[] = {
    {BOTH, {{0, 1, 0}}, "the source 10 is at distance 1, not 0."},
    {ALONE, {{0, FAR, 0}}, "the source 10 is at distance 18446744073709551615, not 0."},
    {BOTH, {{0, 0, 1}}, "the parent of the source 10 is 20, not itself."},
    {BOTH, {{0, 0, NONE}}, "the source 10 has no parent; it should be its own."},
    {BOTH, {{0, 0, 9}}, "the parent of vertex 10 is number 9, but the graph has 9 vertices."},
    {BOTH, {{3, 6, 9}}, "the parent of vertex 40 is number 9, but the graph has 9 vertices."},
    {BOTH, {{3, 6, NONE - 1}}, "the parent of vertex 40 is number 4294967294, but the graph has 9 vertices."},
    {BOTH, {{8, FAR, 9}}, "the parent of vertex 90 is number 9, but the graph has 9 vertices."},
    {BOTH, {{5, 8, NONE}}, "vertex 60 is at distance 8, but has no parent."},
    {BOTH, {{5, FAR, 4}}, "vertex 60 is unreached, but has the parent 50."},
    {BOTH, {{8, FAR, 8}}, "vertex 90 is unreached, but has the parent 90."},
    {BOTH, {{8, 4, 8}}, "vertex 90 is its own parent, but not the source."},
    {BOTH, {{7, 1, 6}}, "vertex 80 has the parent 70, which is unreached."},
    {BOTH, {{5, 5, 4}}, "vertex 60 is at distance 5, but its parent 50 is further away, at distance 6."},
    {BOTH, {{3, 6, 4}, {4, 6, 3}}, "the parents from vertex 40 on lead around in a circle, never to the source 10."},
    {BOTH, {{6, 0, 7}, {7, 0, 6}}, "the parents from vertex 70 on lead around in a circle, never to the source 10."},
    {BOTH,
     {{5, 9, 4}},
     "an edge of weight 2 leads from vertex 40 at distance 6 to vertex 60 at distance 9, which is further."},
    {ALONE,
     {{5, 9, 4}},
     "an edge of weight 2 leads from vertex 40 at distance 6 to vertex 60 at distance 9, which is further."},
    {ALONE,
     {{5, FAR - 1, 4}},
     "an edge of weight 2 leads from vertex 40 at distance 6 to vertex 60 at distance 18446744073709551614, which is "
     "further."},
    {BOTH, {{5, FAR, NONE}}, "an edge leads from vertex 40 at distance 6 to vertex 60, which is unreached."},
    {ALONE, {{5, FAR, NONE}}, "an edge leads from vertex 40 at distance 6 to vertex 60, which is unreached."},
    {ALONE, {{6, 3, 0}}, "an edge leads from vertex 70 at distance 3 to vertex 80, which is unreached."},
    {BOTH, {{3, 6, 2}}, "vertex 40 has the parent 30, but no edge leads from there to it."},
    {BOTH, {{6, 1, 0}, {7, 2, 6}}, "vertex 70 has the parent 10, but no edge leads from there to it."},
    {BOTH, {{5, 7, 4}}, "vertex 60 is at distance 7, but no edge from its parent 50 at distance 6 adds up to that."},
    {ALONE, {{5, 7, 4}}, "vertex 60 is at distance 7, but no edges lead to it from the source 10 that add up to that."},
    {ALONE,
     {{6, 3, 0}, {7, 4, 0}},
     "vertex 70 is at distance 3, but no edges lead to it from the source 10 that add up to that."},
    {ALONE, {{8, 1, 0}}, "vertex 90 is at distance 1, but no edges lead to it from the source 10 that add up to that."},
    {ALONE, {{8, 0, 0}}, "vertex 90 is at distance 0, but no edges lead to it from the source 10 that add up to that."},
    /* Sums that do not fit 64 bits are no matches. */
    {ALONE,
     {{6, FAR - 1, 0}, {7, 0, 0}},
     "vertex 70 is at distance 18446744073709551614, but no edges lead to it from the source 10 that add up to that."},
    {BOTH, {{6, FAR - 1, 0}, {7, FAR - 1, 6}}, "vertex 70 has the parent 10, but no edge leads from there to it."},
};

static zoo_graph small_graph(void) {
    zoo_graph g = {.name = "small"};
    for (size_t i = 0; i < COUNT_OF(small_edges); i++) shape_add(&g, small_edges[i][0], small_edges[i][1]);
    g.weights = calloc(COUNT_OF(small_edges), sizeof *g.weights);
    assert_non_null(g.weights);
    for (size_t i = 0; i < COUNT_OF(small_edges); i++) g.weights[i] = (double)small_edges[i][2];
    return g;
}

static void each_rule_has_its_sentence(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(2);
    zoo_graph g = small_graph();
    for (int order = MEGURI_ORDER_DEGREE; order <= MEGURI_ORDER_NONE; order++) {
        meguri_build_options o = {
            .size = sizeof o, .direction = MEGURI_DIRECTED, .order = (meguri_order)order, .keep_loops = order % 2};
        roads r = roads_from_zoo(ctx, &g, &o);
        uint64_t distance[SMALL];
        uint32_t parent[SMALL];
        const route a = {.distance = distance, .parent = parent};
        for (size_t i = 0; i <= COUNT_OF(broken_rules); i++) {
            const broken_rule *rule = i < COUNT_OF(broken_rules) ? &broken_rules[i] : NULL;
            memcpy(distance, small_distance, sizeof distance);
            memcpy(parent, small_parent, sizeof parent);
            for (size_t k = 0; rule && k < 2; k++) {
                const change *c = &rule->changes[k];
                if (k && !c->vertex) continue;
                distance[c->vertex] = c->distance;
                parent[c->vertex] = c->parent;
            }
            for (size_t v = 0; v < SMALL; v++) { /* the weights were given as doubles */
                const double real = distance[v] == UINT64_MAX ? INFINITY : (double)distance[v];
                memcpy(&distance[v], &real, sizeof real);
            }
            if (!rule) {
                assert_int_equal(ask(ctx, &r, 0, &a, true), MEGURI_OK);
                assert_int_equal(ask(ctx, &r, 0, &a, false), MEGURI_OK);
                assert_string_equal(meguri_ctx_error(ctx), "");
                continue;
            }
            if (ask(ctx, &r, 0, &a, rule->what == BOTH) != MEGURI_WRONG_ANSWER)
                fail_msg("accepted, though: %s", rule->sentence);
            assert_string_equal(meguri_ctx_error(ctx), rule->sentence);
        }
        roads_free(&r);
    }
    zoo_free(&g);
    context_done(ctx);
}

/* Distances that only doubles have. */
static void doubles_have_more_ways_to_be_wrong(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(2);
    zoo_graph g = {.name = "doubles"};
    shape_add(&g, 1, 2);
    shape_add(&g, 2, 3);
    g.weights = calloc(2, sizeof *g.weights);
    assert_non_null(g.weights);
    g.weights[0] = 0.1;
    g.weights[1] = 0.2;
    meguri_build_options o = {.size = sizeof o, .direction = MEGURI_DIRECTED};
    roads r = roads_from_zoo(ctx, &g, &o);
    const struct {
        double distance[3];
        const char *sentence;
    } cases[] = {{{0, 0.1, 0.1 + 0.2}, NULL},
                 {{-0.0, 0.1, 0.1 + 0.2}, NULL},
                 {{0, NAN, 0.1 + 0.2}, "vertex 2 is at distance nan, but a distance is a number and never below 0."},
                 {{0, -0.1, 0.1},
                  "vertex 2 is at distance -0.10000000000000001, but a distance is a number and never "
                  "below 0."},
                 {{0, 0.1, -INFINITY}, "vertex 3 is at distance -inf, but a distance is a number and never below 0."},
                 {{NAN, 0.1, 0.3}, "the source 1 is at distance nan, not 0."},
                 {{0, 0.1, 0.3},
                  "vertex 3 is at distance 0.29999999999999999, but no edges lead to it from the source "
                  "1 that add up to that."},
                 {{0, 0.1, INFINITY},
                  "an edge leads from vertex 2 at distance 0.10000000000000001 to vertex 3, which "
                  "is unreached."}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        assert_int_equal(mg_sssp_check(ctx, r.subject.graph, 0, cases[i].distance, NULL),
                         cases[i].sentence ? MEGURI_WRONG_ANSWER : MEGURI_OK);
        assert_string_equal(meguri_ctx_error(ctx), cases[i].sentence ? cases[i].sentence : "");
    }
    roads_free(&r);
    zoo_free(&g);
    context_done(ctx);
}

/* A sum that is no finite number reaches nobody. */
static void infinite_sums(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(2);
    meguri_edge_arrays e = {.size = sizeof e,
                            .count = 2,
                            .from = (const uint64_t[]){1, 2},
                            .to = (const uint64_t[]){2, 3},
                            .weights = (const double[]){0x1p1023, 0x1p1023},
                            .weight_type = MEGURI_TYPE_F64};
    meguri_graph *graph;
    assert_int_equal(meguri_graph_from_edges(&graph, ctx, &e, NULL), MEGURI_OK);
    assert_int_equal(mg_sssp_check(ctx, graph, 0, (const double[]){0, 0x1p1023, INFINITY}, NULL), MEGURI_OK);
    assert_int_equal(mg_sssp_check(ctx, graph, 0, (const double[]){0, 0x1p1023, 0x1p1023}, NULL), MEGURI_WRONG_ANSWER);
    meguri_graph_free(graph);
    context_done(ctx);
}

static void graphs_without_shortest_paths(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(2);
    static const double weights[] = {-1, NAN, INFINITY};
    static const char *const texts[] = {"weighs -1,", "weighs nan,", "weighs inf,"};
    for (int i = 0; i < 3; i++) {
        meguri_edge_arrays e = {.size = sizeof e,
                                .count = 2,
                                .from = (const uint64_t[]){1, 2},
                                .to = (const uint64_t[]){2, 1},
                                .weights = (const double[]){0.5, weights[i]},
                                .weight_type = MEGURI_TYPE_F64};
        meguri_graph *graph;
        meguri_status status = meguri_graph_from_edges(&graph, ctx, &e, NULL);
        if (status != MEGURI_OK) continue; /* the builder refuses it */
        assert_int_equal(mg_sssp_check(ctx, graph, 0, (const double[]){0, 0.5}, NULL), MEGURI_BAD_INPUT);
        assert_non_null(strstr(meguri_ctx_error(ctx), texts[i]));
        assert_non_null(strstr(meguri_ctx_error(ctx), "from vertex 2 to vertex 1 "));
        meguri_graph_free(graph);
    }
    context_done(ctx);
}

/* ---- any corruption of any graph -------------------------------------------------------------------------------- */

static bool is_right(const roads *r, uint64_t source, const route *a, bool parents, const route *right) {
    if (!same_distances(r, a->distance, right->distance)) return false;
    return !parents || !route_fault(r, source, right->distance, a->parent);
}

typedef union item {
    uint64_t number;
    double real;
} item;

static item far_item(const roads *r) { return r->real ? (item){.real = INFINITY} : (item){.number = FAR}; }

/* Those who were not reached hold each other, at one distance. */
static void make_island(const roads *r, route *a, item distance) {
    const plain *p = &r->subject.plain;
    item *far = a->distance;
    for (uint64_t v = 0; v < p->vertices; v++) {
        if (a->parent[v] != NONE) continue;
        far[v] = distance;
        a->parent[v] = p->offsets[v] < p->offsets[v + 1] ? p->to[p->offsets[v]] : (uint32_t)((v + 1) % p->vertices);
    }
}

/* One change to one vertex; some leave the answer right. */
enum { CORRUPTIONS = 15 };
static void corrupt(const roads *r, route *a, uint32_t v, int kind, uint64_t *seed) {
    const plain *p = &r->subject.plain;
    uint32_t n = (uint32_t)p->vertices, other = (uint32_t)(zoo_random(seed) % n);
    uint64_t begin = p->offsets[v], degree = p->offsets[v + 1] - begin;
    uint32_t neighbor = degree ? p->to[begin + zoo_random(seed) % degree] : other;
    item *far = a->distance;
    switch (kind) {
    case 0:
        if (r->real) far[v].real = nextafter(far[v].real, INFINITY);
        else far[v].number++;
        break;
    case 1:
        if (r->real) far[v].real = nextafter(far[v].real, -INFINITY);
        else far[v].number--;
        break;
    case 2: far[v].number = 0; break; /* also the double 0 */
    case 3: far[v] = far_item(r); break;
    case 4: far[v] = far[other]; break;
    case 5: a->parent[v] = NONE; break;
    case 6: a->parent[v] = v; break;
    case 7: a->parent[v] = n + other; break;
    case 8: a->parent[v] = other; break;
    case 9: a->parent[v] = neighbor; break;
    case 10:
        far[v] = far_item(r);
        a->parent[v] = NONE;
        break;
    case 11:
        a->parent[v] = neighbor;
        far[v] = far[neighbor];
        break;
    case 12: /* two that hold each other */
        a->parent[v] = neighbor;
        a->parent[neighbor] = v;
        far[neighbor] = far[v];
        break;
    case 13: make_island(r, a, far[other]); break;
    default:
        if (r->real) far[v].real = NAN;
        else far[v].number = FAR - 1;
        break;
    }
}

static uint64_t corrupt_and_ask(meguri_ctx *ctx, const roads *r, uint64_t source, const route *right, uint64_t *seed) {
    uint64_t n = r->subject.plain.vertices, refused = 0;
    route a = {.distance = malloc(n * 8), .parent = malloc(n * 4)};
    assert_true(a.distance && a.parent);
    for (int kind = 0; kind < CORRUPTIONS; kind++)
        for (int which = 0; which < 4; which++) {
            memcpy(a.distance, right->distance, n * 8);
            memcpy(a.parent, right->parent, n * 4);
            uint64_t v = which == 0 ? 0 : which == 1 ? n - 1 : zoo_random(seed) % n;
            corrupt(r, &a, (uint32_t)v, kind, seed);
            if (which == 3)
                corrupt(r, &a, (uint32_t)(zoo_random(seed) % n), (int)(zoo_random(seed) % CORRUPTIONS), seed);
            for (int parents = 0; parents < 2; parents++) {
                bool good = is_right(r, source, &a, parents, right);
                meguri_status status = ask(ctx, r, source, &a, parents);
                if (status != (good ? MEGURI_OK : MEGURI_WRONG_ANSWER))
                    fail_msg("%s, order %d, source %d, corruption %d at %d, parents %d: %s %s", r->subject.name,
                             r->subject.order, (int)source, kind, (int)v, parents, meguri_status_text(status),
                             meguri_ctx_error(ctx));
                refused += !good;
            }
        }
    route_free(&a);
    return refused;
}

static void corrupted_answers_are_refused(void **state) {
    (void)state;
    meguri_ctx *const ctx[] = {context_with(1), context_with(2), context_with(5)};
    uint64_t seed = 11, refused = 0;
    for (int turn = 0; turn < (UNDER_TSAN ? 0 : UNDER_ASAN ? 5 : 15) * WEIGHINGS; turn++) {
        zoo_graph g = shape_random(&seed, 200);
        weigh(&g, (weighing)(turn % WEIGHINGS), seed);
        meguri_build_options o = {.size = sizeof o,
                                  .direction = 1 + turn / 3 % 2,
                                  .order = 1 + turn / 2 % 3,
                                  .keep_loops = turn / 6 % 2,
                                  .duplicates = turn / 12 % 2 ? MEGURI_DUPLICATES_KEEP : MEGURI_DUPLICATES_MIN};
        roads r = roads_from_zoo(ctx[turn % 3], &g, &o);
        uint64_t source = zoo_random(&seed) % g.vertices;
        route right = plain_route(&r, source);
        refused += corrupt_and_ask(ctx[turn % 3], &r, source, &right, &seed);
        route_free(&right);
        roads_free(&r);
        zoo_free(&g);
    }
    if (!UNDER_TSAN) assert_true(refused > 4000);
    for (size_t t = 0; t < THREAD_COUNTS; t++) context_done(ctx[t]);
}

/* Large enough for all threads: edges that weigh nothing, long ways along them, circles of every length. */
static void large_answers_are_refused_too(void **state) {
    (void)state;
    meguri_ctx *const ctx[] = {context_with(1), context_with(2), context_with(5)};
    static const weighing kinds[] = {WEIGH_ZERO, WEIGH_FEW, WEIGH_SPREAD};
    uint64_t seed = 12;
    zoo_graph g;
    for (int index = 0; shape_get(&g, index, 20000); index++) {
        if (index % (UNDER_TSAN ? 5 : UNDER_ASAN ? 3 : 1) == 0) {
            weigh(&g, kinds[index % 3], 1);
            meguri_build_options o = {
                .size = sizeof o, .direction = MEGURI_UNDIRECTED, .order = (meguri_order)(1 + index % 3)};
            roads r = roads_from_zoo(ctx[1], &g, &o);
            uint64_t source = zoo_random(&seed) % g.vertices;
            route right = plain_route(&r, source), wrong = plain_route(&r, source);
            accept(ctx, &r, source);
            /* Everybody's parent is a neighbour, any: circles everywhere. */
            for (uint32_t v = 0; v < g.vertices; v++)
                if (v != source && route_reached(&r, &right, v)) corrupt(&r, &wrong, v, 9, &seed);
            for (int t = 0; t < 3; t++) {
                bool good = is_right(&r, source, &wrong, true, &right);
                assert_int_equal(ask(ctx[t], &r, source, &wrong, true), good ? MEGURI_OK : MEGURI_WRONG_ANSWER);
            }
            make_island(&r, &wrong, (item){.number = 0});
            for (int t = 0; t < 3; t++) {
                bool good = is_right(&r, source, &wrong, false, &right);
                assert_int_equal(ask(ctx[t], &r, source, &wrong, false), good ? MEGURI_OK : MEGURI_WRONG_ANSWER);
            }
            route_free(&right);
            route_free(&wrong);
            roads_free(&r);
        }
        zoo_free(&g);
    }
    for (size_t t = 0; t < THREAD_COUNTS; t++) context_done(ctx[t]);
}

/* The same vertex is named at any number of threads and in any internal order. */
static void the_sentence_is_always_the_same(void **state) {
    (void)state;
    meguri_ctx *const ctx[] = {context_with(1), context_with(2), context_with(5)};
    zoo_graph g = shape_kronecker(ctx[1], 12, 8);
    weigh(&g, WEIGH_FEW, 5);
    roads r[3];
    for (int order = 0; order < 3; order++) {
        meguri_build_options o = {
            .size = sizeof o, .direction = MEGURI_UNDIRECTED, .order = (meguri_order)(MEGURI_ORDER_DEGREE + order)};
        r[order] = roads_from_zoo(ctx[1], &g, &o);
    }
    uint64_t seed = 13, source = plain_hub(&r[0].subject.plain);
    for (int kind = 0; kind < CORRUPTIONS; kind++) {
        route a = plain_route(&r[0], source);
        for (int i = 0; i < (kind == 13 ? 1 : 200); i++)
            corrupt(&r[0], &a, (uint32_t)(zoo_random(&seed) % g.vertices), kind, &seed);
        for (int parents = 0; parents < 2; parents++) {
            char sentence[512] = "";
            meguri_status status = ask(ctx[0], &r[0], source, &a, parents);
            snprintf(sentence, sizeof sentence, "%s", meguri_ctx_error(ctx[0]));
            for (int i = 1; i < 9; i++) {
                assert_int_equal(ask(ctx[i / 3], &r[i % 3], source, &a, parents), status);
                assert_string_equal(meguri_ctx_error(ctx[i / 3]), sentence);
            }
        }
        route_free(&a);
    }
    for (int order = 0; order < 3; order++) roads_free(&r[order]);
    zoo_free(&g);
    for (size_t t = 0; t < THREAD_COUNTS; t++) context_done(ctx[t]);
}

/* ---- arguments, memory, cancel ---------------------------------------------------------------------------------- */

static void bad_arguments_are_refused(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    zoo_graph g = small_graph();
    meguri_build_options o = {.size = sizeof o};
    roads r = roads_from_zoo(ctx, &g, &o);
    const meguri_graph *graph = r.subject.graph;
    assert_int_equal(mg_sssp_check(NULL, graph, 0, small_distance, small_parent), MEGURI_BAD_ARGUMENT);
    assert_int_equal(mg_sssp_check(ctx, NULL, 0, small_distance, small_parent), MEGURI_BAD_ARGUMENT);
    assert_int_equal(mg_sssp_check(ctx, graph, 0, NULL, small_parent), MEGURI_BAD_ARGUMENT);
    assert_string_equal(meguri_ctx_error(ctx), "meguri_sssp_check needs a graph and distances.");
    const double at_once[SMALL] = {0};
    assert_int_equal(mg_sssp_check(ctx, graph, 9, at_once, small_parent), MEGURI_NOT_FOUND);
    assert_string_equal(meguri_ctx_error(ctx), "there is no vertex 9 in a graph of 9.");
    roads_free(&r);
    zoo_free(&g);
    context_done(ctx);
}

static void a_checker_without_memory_says_so(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    zoo_graph g;
    assert_true(shape_get(&g, 0, 100));
    weigh(&g, WEIGH_ZERO, 1);
    meguri_build_options o = {.size = sizeof o, .direction = MEGURI_UNDIRECTED};
    roads r = roads_from_zoo(ctx, &g, &o);
    route right = plain_route(&r, 0);
    uint64_t before = meguri_ctx_memory_used(ctx);
    for (int parents = 0; parents < 2; parents++)
        for (uint64_t k = 1; k < (parents ? 2 : 3); k++) { /* without parents, edges that weigh nothing take a queue */
            mg_memory_fail_at(ctx, k);
            meguri_status status = ask(ctx, &r, 0, &right, parents);
            mg_memory_fail_at(ctx, 0);
            assert_int_equal(status, MEGURI_NO_MEMORY);
            assert_non_null(strstr(meguri_ctx_error(ctx), "not enough memory for checking a search"));
            assert_int_equal(meguri_ctx_memory_used(ctx), before);
        }
    route_free(&right);
    roads_free(&r);
    zoo_free(&g);
    context_done(ctx);
}

static int count_down(void *user, const char *phase, uint64_t done, uint64_t total) {
    assert_string_equal(phase, "check");
    assert_true(done <= total);
    return --*(int *)user <= 0;
}

static void a_cancel_ends_a_check(void **state) {
    (void)state;
    meguri_ctx *maker = context_with(2);
    zoo_graph g;
    assert_true(shape_get(&g, 0, 100000)); /* a path: the longest ways there are */
    weigh(&g, WEIGH_ZERO, 1);
    meguri_build_options o = {.size = sizeof o, .direction = MEGURI_UNDIRECTED};
    roads r = roads_from_zoo(maker, &g, &o);
    route right = plain_route(&r, 0);
    for (size_t t = 0; t < THREAD_COUNTS; t++) {
        int patience = 1;
        meguri_ctx *ctx;
        meguri_ctx_options options = {
            .size = sizeof options, .threads = thread_counts[t], .progress = count_down, .progress_user = &patience};
        assert_int_equal(meguri_ctx_new(&ctx, &options), MEGURI_OK);
        for (int parents = 0; parents < 2; parents++) {
            patience = 1;
            assert_int_equal(ask(ctx, &r, 0, &right, parents), MEGURI_CANCELLED);
            assert_string_equal(meguri_ctx_error(ctx), "interrupted.");
            assert_int_equal(meguri_ctx_memory_used(ctx), 0);
            patience = 1 << 30;
            assert_int_equal(ask(ctx, &r, 0, &right, parents), MEGURI_OK);
        }
        context_done(ctx);
    }
    route_free(&right);
    roads_free(&r);
    zoo_free(&g);
    context_done(maker);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_answers_are_accepted),
        cmocka_unit_test(each_rule_has_its_sentence),
        cmocka_unit_test(doubles_have_more_ways_to_be_wrong),
        cmocka_unit_test(infinite_sums),
        cmocka_unit_test(graphs_without_shortest_paths),
        cmocka_unit_test(corrupted_answers_are_refused),
        cmocka_unit_test(large_answers_are_refused_too),
        cmocka_unit_test(the_sentence_is_always_the_same),
        cmocka_unit_test(bad_arguments_are_refused),
        cmocka_unit_test(a_checker_without_memory_says_so),
        cmocka_unit_test(a_cancel_ends_a_check),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
