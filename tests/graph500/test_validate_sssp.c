/* The validator of shortest paths: right ones pass, and distances and trees damaged in every way that the rules cover
 * are refused by the right rule, with a sentence that names root and vertex or edge, the same at any number of
 * threads. */
#define _GNU_SOURCE
#include "graph500/lists.h"
#include "support/sanitized.h"

#include <math.h>
#include <meguri/extra/graph500.h>

#define NONE UINT32_MAX

/* Two components: 0 … 6 (with a square 0-1-2-3, a tail 3-4-5 and a leaf 6 at 0) and 7-8; 9 has a loop alone, 10
 * nothing. Loops and duplicates of other weights, both ways round; 3 and 4 are no way apart. */
static const uint32_t small[] = {0, 1, 1, 2, 2, 3, 3, 0, 3, 4, 4, 5, 0, 6, 7,
                                 8, 9, 9, 1, 0, 0, 1, 2, 2, 4, 3, 8, 8, 5, 3};
static const float small_weights[] = {.5f, .25f, 1, 1, 0, .5f, .125f, .5f, .5f, .75f, .625f, 0, .5f, 1, .5f};
enum { SMALL_VERTICES = 11, SMALL_EDGES = COUNT_OF(small_weights) };
/* From root 0. */
static const uint32_t small_tree[SMALL_VERTICES] = {0, 0, 1, 0, 3, 4, 0, NONE, NONE, NONE, NONE};
static const double small_distances[SMALL_VERTICES] = {0,    .5,       .75,      1,        1,       1.5,
                                                       .125, INFINITY, INFINITY, INFINITY, INFINITY};

static edge_list small_list(void) {
    edge_list list = list_of(SMALL_VERTICES, small, SMALL_EDGES);
    list.weights = malloc(sizeof small_weights);
    assert_non_null(list.weights);
    memcpy(list.weights, small_weights, sizeof small_weights);
    return list;
}

static meguri_status validate(meguri_graph500_tree *out, meguri_ctx *ctx, const edge_list *list, uint32_t root,
                              const uint32_t *parent, const double *distance) {
    return meguri_graph500_validate_sssp(out, ctx, list->pairs, list->weights, list->count, list->vertices, root,
                                         parent, distance);
}

static void right_paths_pass(void **state) {
    (void)state;
    edge_list list = small_list();
    for (size_t t = 0; t < THREAD_COUNTS; t++) {
        meguri_ctx *ctx = context_with(thread_counts[t]);
        meguri_graph500_tree tree = {.size = sizeof tree};
        assert_int_equal(validate(&tree, ctx, &list, 0, small_tree, small_distances), MEGURI_OK);
        assert_string_equal(meguri_ctx_error(ctx), "");
        assert_int_equal(tree.reached, 7);
        assert_int_equal(tree.depth, 3);
        assert_int_equal(tree.edges, 12); /* all but 7-8, 9-9 and 8-8 */
        assert_true(tree.farthest == 1.5);
        /* The other way to 5 is as long; the way to 3 could not pass through 4. A distance of -0 is 0. */
        uint32_t other[SMALL_VERTICES];
        double distance[SMALL_VERTICES];
        memcpy(other, small_tree, sizeof other);
        memcpy(distance, small_distances, sizeof distance);
        other[5] = 3;
        distance[0] = -0.0;
        assert_int_equal(validate(NULL, ctx, &list, 0, other, distance), MEGURI_OK);
        /* A vertex with a loop alone is a component. */
        for (uint32_t root = 9; root <= 10; root++) {
            for (int v = 0; v < SMALL_VERTICES; v++) {
                other[v] = NONE;
                distance[v] = INFINITY;
            }
            other[root] = root;
            distance[root] = 0;
            assert_int_equal(validate(&tree, ctx, &list, root, other, distance), MEGURI_OK);
            assert_true(tree.reached == 1 && tree.depth == 0 && tree.farthest == 0);
            assert_int_equal(tree.edges, root == 9);
        }
        /* A caller that knows fewer facts. */
        meguri_graph500_tree shorter = {.size = offsetof(meguri_graph500_tree, farthest), .farthest = 47};
        assert_int_equal(validate(&shorter, ctx, &list, 0, small_tree, small_distances), MEGURI_OK);
        assert_true(shorter.reached == 7 && shorter.farthest == 47);
        context_done(ctx);
    }
    list_free(&list);
}

/* Expects the sentence, after the words that all of them start with, at every number of threads. */
static void expect_broken(const edge_list *list, uint32_t root, const uint32_t *parent, const double *distance,
                          int rule, const char *rest) {
    char wanted[512];
    snprintf(wanted, sizeof wanted, "the tree of shortest paths from root %u breaks rule %d of Graph500: %s", root,
             rule, rest);
    assert_false(list_are_paths(list, root, parent, distance));
    for (size_t t = 0; t < THREAD_COUNTS; t++) {
        meguri_ctx *ctx = context_with(thread_counts[t]);
        meguri_graph500_tree tree = {.size = sizeof tree, .edges = 4711};
        assert_int_equal(validate(&tree, ctx, list, root, parent, distance), MEGURI_WRONG_ANSWER);
        assert_string_equal(meguri_ctx_error(ctx), wanted);
        assert_int_equal(tree.edges, 4711);
        context_done(ctx);
    }
}

typedef struct damage {
    uint32_t vertex, parent; /* small_tree and small_distances, but for this vertex … */
    double distance;
    uint32_t more, parent_of_more; /* … and that one */
    double distance_of_more;
    int rule;
    const char *rest;
} damage;

static void every_rule_is_checked(void **state) {
    (void)state;
    edge_list list = small_list();
    const double inf = INFINITY;
    const damage damages[] = {
        {0, NONE, 0, 0, NONE, 0, 1, "the root is not in it."},
        {0, 1, 0, 0, 1, 0, 1, "the parent of the root is 1, not the root itself."},
        {5, 11, 1.5, 5, 11, 1.5, 1, "the parent of vertex 5 is 11, and there is no such vertex."},
        {4, 4, 1, 4, 4, 1, 1, "vertex 4 is its own parent, but not the root."},
        {4, 7, 1, 4, 7, 1, 1, "vertex 7, the parent of vertex 4, is not in it."},
        /* Every sum is right on this cycle: 3 and 4 are no way apart. */
        {3, 4, 1, 4, 3, 1, 1, "vertex 3 is on a cycle of 2 vertices that are each other's parents."},
        {7, 8, 1, 8, 7, 1, 1, "vertex 7 is on a cycle of 2 vertices that are each other's parents."},
        /* Distances that are none. */
        {0, 0, .5, 0, 0, .5, 2, "the distance of vertex 0, which is the root, is given as 0.5."},
        {0, 0, inf, 0, 0, inf, 2, "the distance of vertex 0, which is the root, is given as inf."},
        {10, NONE, 0, 10, NONE, 0, 2, "the distance of vertex 10, which is not in it, is given as 0."},
        {10, NONE, (double)NAN, 10, NONE, (double)NAN, 2,
         "the distance of vertex 10, which is not in it, is given as nan."},
        {9, NONE, -inf, 9, NONE, -inf, 2, "the distance of vertex 9, which is not in it, is given as -inf."},
        {5, 4, inf, 5, 4, inf, 2, "the distance of vertex 5 is given as inf."},
        {5, 4, (double)NAN, 5, 4, (double)NAN, 2, "the distance of vertex 5 is given as nan."},
        {5, 4, -1, 5, 4, -1, 2, "the distance of vertex 5 is given as -1."},
        /* Nearer than any path is; and by the hair of a hair. */
        {5, 4, 1.25, 5, 4, 1.25, 2,
         "vertex 5 is at distance 1.25, but its parent 4 at 1, and the lightest edge that joins them weighs 0.5."},
        {5, 4, nextafter(1.5, 0), 5, 4, nextafter(1.5, 0), 2,
         "vertex 5 is at distance 1.4999999999999998, but its parent 4 at 1, and the lightest edge that joins them "
         "weighs 0.5."},
        /* By real edges, but on a longer way; by the heavier of two edges; by nothing at all. */
        {3, 2, 1.75, 4, 3, 1.75, 3, "edge 3 of weight 1 joins vertex 3 at distance 1.75 and vertex 0 at distance 0."},
        {1, 0, .625, 2, 1, .875, 3,
         "edge 0 of weight 0.5 joins vertex 0 at distance 0 and vertex 1 at distance 0.625."},
        {5, 4, 1.75, 5, 4, 1.75, 3, "edge 5 of weight 0.5 joins vertex 4 at distance 1 and vertex 5 at distance 1.75."},
        {5, 4, nextafter(1.5, 2), 5, 4, nextafter(1.5, 2), 3,
         "edge 5 of weight 0.5 joins vertex 4 at distance 1 and vertex 5 at distance 1.5000000000000002."},
        /* Right distances, wrong parents: a neighbour on a longer way, no neighbour. */
        {2, 3, .75, 2, 3, .75, 2,
         "vertex 2 is at distance 0.75, but its parent 3 at 1, and the lightest edge that joins them weighs 1."},
        {5, 0, 1.5, 5, 0, 1.5, 5, "no edge of the list joins vertex 5 and its parent 0."},
        {4, 1, 1, 4, 1, 1, 5, "no edge of the list joins vertex 4 and its parent 1."},
        /* Vertices of the component that are missing. */
        {6, NONE, inf, 6, NONE, inf, 4, "edge 6 joins vertex 0, which is in it, and vertex 6, which is not."},
        {5, NONE, inf, 4, NONE, inf, 4, "edge 4 joins vertex 3, which is in it, and vertex 4, which is not."},
        /* Vertices of another component: all of it, a part of it, one with a loop, one without any edge. */
        {7, 5, 2, 8, 7, 2.5, 5, "no edge of the list joins vertex 7 and its parent 5."},
        {7, 5, 2, 7, 5, 2, 4, "edge 7 joins vertex 7, which is in it, and vertex 8, which is not."},
        {9, 0, 1, 9, 0, 1, 5, "no edge of the list joins vertex 9 and its parent 0."},
        {10, 0, 0, 10, 0, 0, 5, "no edge of the list joins vertex 10 and its parent 0."},
    };
    for (size_t i = 0; i < COUNT_OF(damages); i++) {
        const damage *d = &damages[i];
        uint32_t parent[SMALL_VERTICES];
        double distance[SMALL_VERTICES];
        memcpy(parent, small_tree, sizeof parent);
        memcpy(distance, small_distances, sizeof distance);
        parent[d->vertex] = d->parent;
        distance[d->vertex] = d->distance;
        parent[d->more] = d->parent_of_more;
        distance[d->more] = d->distance_of_more;
        expect_broken(&list, 0, parent, distance, d->rule, d->rest);
    }
    expect_broken(&list, 3, small_tree, small_distances, 1, "vertex 0 is its own parent, but not the root.");
    list_free(&list);
}

/* ---- many damages, against the slow search ---------------------------------------------------------------------- */

static void damage_one(const edge_list *list, uint32_t *parent, double *distance, uint64_t *random) {
    uint32_t n = list->vertices, v = (uint32_t)(next_random(random) % n), other = (uint32_t)(next_random(random) % n);
    uint64_t i = next_random(random) % list->count;
    uint32_t from = list->pairs[2 * i], to = list->pairs[2 * i + 1];
    switch (next_random(random) % 10) {
    case 0: parent[v] = other; break;
    case 1: parent[v] = NONE; break;
    case 2: parent[v] = n + other; break;
    case 3: parent[from] = to; break; /* along an edge of the list: the likeliest to be missed */
    case 4:
        if (parent[v] < n) parent[parent[v]] = v; /* an edge the other way round */
        break;
    case 5: distance[v] = distance[other]; break;
    case 6: distance[v] = nextafter(distance[v], next_random(random) % 2 ? -1 : INFINITY); break;
    case 7: /* a longer way, all sums right; not those beyond */
        parent[to] = from;
        distance[to] = distance[from] + (double)list->weights[i];
        break;
    case 8: /* away from the tree, wholly */
        parent[v] = NONE;
        distance[v] = INFINITY;
        break;
    default: distance[v] = next_random(random) % 2 ? (double)NAN : -distance[v]; break;
    }
}

static void any_damage_is_found(void **state) {
    (void)state;
    const uint32_t scale = 6, n = 1u << scale;
    uint64_t random = 1, damaged = 0, right = 0;
    const int rounds = UNDER_TSAN ? 300 : 6000;
    uint32_t parent[64];
    double distance[64];
    meguri_ctx *ctx[THREAD_COUNTS];
    for (size_t t = 0; t < THREAD_COUNTS; t++) ctx[t] = context_with(thread_counts[t]);
    for (int round = 0; round < rounds; round++) {
        edge_list list = list_kronecker(scale, 1 + round % 4, 1 + next_random(&random) % 1000);
        list_weigh(&list, (uint64_t)round);
        if (round % 2) /* many ties, and edges of weight 0 */
            for (uint64_t i = 0; i < list.count; i++) list.weights[i] = truncf(4 * list.weights[i]) / 4;
        uint32_t root = (uint32_t)(next_random(&random) % n);
        list_paths(&list, root, parent, distance);
        for (uint64_t changes = next_random(&random) % 4; changes > 0; changes--)
            damage_one(&list, parent, distance, &random);
        meguri_status wanted = list_are_paths(&list, root, parent, distance) ? MEGURI_OK : MEGURI_WRONG_ANSWER;
        damaged += wanted != MEGURI_OK;
        right += wanted == MEGURI_OK;
        meguri_graph500_tree tree = {.size = sizeof tree};
        size_t t = (size_t)round % THREAD_COUNTS;
        if (validate(&tree, ctx[t], &list, root, parent, distance) != wanted)
            fail_msg("round %d should be %s: %s", round, wanted ? "wrong" : "right", meguri_ctx_error(ctx[t]));
        if (wanted == MEGURI_OK) assert_int_equal(tree.edges, list_edges_inside(&list, parent));
        list_free(&list);
    }
    assert_true(damaged > (uint64_t)rounds / 3 && right > (uint64_t)rounds / 4);
    for (size_t t = 0; t < THREAD_COUNTS; t++) context_done(ctx[t]);
}

/* ---- larger than a piece: several threads at once --------------------------------------------------------------- */

static void larger_trees(void **state) {
    (void)state;
    edge_list list = list_kronecker(UNDER_TSAN ? 14 : 16, 8, 3);
    list_weigh(&list, 3);
    uint32_t *parent = malloc(list.vertices * 4), root = list.pairs[0], last = 0;
    double *distance = malloc(list.vertices * 8), farthest = 0;
    assert_true(parent && distance);
    uint64_t reached = list_paths(&list, root, parent, distance);
    for (uint32_t v = 0; v < list.vertices; v++)
        if (distance[v] < INFINITY) {
            farthest = fmax(farthest, distance[v]);
            if (v != root) last = v;
        }
    for (size_t t = 0; t < THREAD_COUNTS; t++) {
        meguri_ctx *ctx = context_with(thread_counts[t]);
        meguri_graph500_tree tree = {.size = sizeof tree};
        assert_int_equal(validate(&tree, ctx, &list, root, parent, distance), MEGURI_OK);
        assert_int_equal(tree.reached, reached);
        assert_true(tree.farthest == farthest);
        assert_int_equal(tree.edges, list_edges_inside(&list, parent));
        context_done(ctx);
    }
    /* Of several culprits the first is told, whoever finds it: the last vertex is too far over one edge or more. */
    char rest[256];
    uint64_t first = 0;
    distance[last] += 2;
    for (;; first++) {
        double u = distance[list.pairs[2 * first]], v = distance[list.pairs[2 * first + 1]];
        if (fabs(u - v) > (double)list.weights[first]) break;
    }
    uint32_t u = list.pairs[2 * first], v = list.pairs[2 * first + 1];
    snprintf(rest, sizeof rest,
             "edge %llu of weight %.9g joins vertex %u at distance %.17g and vertex %u at distance %.17g.",
             (unsigned long long)first, (double)list.weights[first], u, distance[u], v, distance[v]);
    expect_broken(&list, root, parent, distance, 3, rest);
    free(parent);
    free(distance);
    list_free(&list);
}

/* A path without length, mixed up: every climb is long, and distances tell nothing. */
static void a_path_of_zeros(void **state) {
    (void)state;
    const uint32_t n = UNDER_TSAN ? 1 << 14 : 1 << 18, last = n - 1;
    uint32_t *name = malloc(n * 4), *parent = malloc(n * 4), least = NONE;
    double *distance = calloc(n, 8);
    edge_list list = {n, last, malloc(n * 8), calloc(n, 4)};
    assert_true(name && parent && distance && list.pairs && list.weights);
    uint64_t random = 5;
    for (uint32_t i = 0; i < n; i++) name[i] = i;
    for (uint32_t i = last; i > 0; i--) {
        uint32_t j = (uint32_t)(next_random(&random) % (i + 1)), kept = name[i];
        name[i] = name[j];
        name[j] = kept;
    }
    for (uint32_t i = 0; i < last; i++) {
        list.pairs[2 * i] = name[i];
        list.pairs[2 * i + 1] = name[i + 1];
        parent[name[i + 1]] = name[i];
    }
    parent[name[0]] = name[0];
    for (size_t t = 0; t < THREAD_COUNTS; t++) {
        meguri_ctx *ctx = context_with(thread_counts[t]);
        meguri_graph500_tree tree = {.size = sizeof tree};
        assert_int_equal(validate(&tree, ctx, &list, name[0], parent, distance), MEGURI_OK);
        assert_true(tree.depth == last && tree.reached == n && tree.farthest == 0 && tree.edges == last);
        context_done(ctx);
    }
    for (uint32_t i = 1; i < n; i++) least = MG_MIN(least, name[i]);
    parent[name[1]] = name[last]; /* the cycle has all but the root */
    meguri_ctx *ctx = context_with(2);
    char wanted[256];
    snprintf(wanted, sizeof wanted, "vertex %u is on a cycle of %u vertices that are each other's parents.", least,
             last);
    assert_int_equal(validate(NULL, ctx, &list, name[0], parent, distance), MEGURI_WRONG_ANSWER);
    assert_non_null(strstr(meguri_ctx_error(ctx), wanted));
    context_done(ctx);
    list_free(&list);
    free(name);
    free(parent);
    free(distance);
}

/* Sums that are rounded: the rules hold for them as they stand, and for no others. */
static void rounded_sums(void **state) {
    (void)state;
    static const uint32_t pairs[] = {0, 1, 1, 2, 2, 3};
    static const float weights[] = {16777216.0f * 16777216.0f, 0.1f, 1e30f};
    const double far = (double)weights[0], sum = far + (double)weights[1];
    double distance[] = {0, far, sum, sum + (double)weights[2]};
    static const uint32_t parent[] = {0, 0, 1, 2};
    meguri_ctx *ctx = context_with(1);
    assert_true(sum != far && sum - far != (double)weights[1] && distance[3] - sum == (double)weights[2]);
    assert_int_equal(meguri_graph500_validate_sssp(NULL, ctx, pairs, weights, 3, 4, 0, parent, distance), MEGURI_OK);
    distance[2] = nextafter(sum, INFINITY);
    assert_int_equal(meguri_graph500_validate_sssp(NULL, ctx, pairs, weights, 3, 4, 0, parent, distance),
                     MEGURI_WRONG_ANSWER);
    context_done(ctx);
}

/* ---- arguments -------------------------------------------------------------------------------------------------- */

static void expect_bad(meguri_status status, const meguri_ctx *ctx, const char *text) {
    assert_int_equal(status, MEGURI_BAD_ARGUMENT);
    if (!strstr(meguri_ctx_error(ctx), text)) fail_msg("not about %s: %s", text, meguri_ctx_error(ctx));
}

static void wrong_arguments(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(2);
    meguri_graph500_tree tree = {.size = sizeof tree}, no_size = {0};
    const uint32_t *p = small_tree;
    const double *d = small_distances;
    const uint64_t e = SMALL_EDGES, n = SMALL_VERTICES;
    const float *w = small_weights;
    assert_int_equal(meguri_graph500_validate_sssp(&tree, NULL, small, w, e, n, 0, p, d), MEGURI_BAD_ARGUMENT);
    expect_bad(meguri_graph500_validate_sssp(&tree, ctx, NULL, w, e, n, 0, p, d), ctx, "an edge list with weights");
    expect_bad(meguri_graph500_validate_sssp(&tree, ctx, small, NULL, e, n, 0, p, d), ctx, "an edge list with weights");
    expect_bad(meguri_graph500_validate_sssp(&tree, ctx, small, w, e, n, 0, NULL, d), ctx, "an edge list with weights");
    expect_bad(meguri_graph500_validate_sssp(&tree, ctx, small, w, e, n, 0, p, NULL), ctx, "an edge list with weights");
    expect_bad(meguri_graph500_validate_sssp(&tree, ctx, small, w, e, n, n, p, d), ctx, "a root among them");
    expect_bad(meguri_graph500_validate_sssp(&tree, ctx, small, w, e, (uint64_t)1 << 40, 0, p, d), ctx, "give up to");
    expect_bad(meguri_graph500_validate_sssp(&no_size, ctx, small, w, e, n, 0, p, d), ctx,
               "sizeof(meguri_graph500_tree)");
    expect_bad(meguri_graph500_validate_sssp(&tree, ctx, small, w, e, 7, 0, p, d), ctx,
               "edge 7 of the list joins 7 and 8, but the vertices are 0 to 6.");
    /* Weights that are none are a mistake in the list, whatever the distances are. */
    const struct {
        float weight;
        const char *text;
    } bad[] = {{-1, "edge 13 of the list weighs -1, and only"},
               {INFINITY, "edge 13 of the list weighs inf, and only"},
               {NAN, "edge 13 of the list weighs nan, and only"}};
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        float weights[SMALL_EDGES];
        memcpy(weights, small_weights, sizeof weights);
        weights[13] = bad[i].weight;
        expect_bad(meguri_graph500_validate_sssp(&tree, ctx, small, weights, e, n, 0, p, d), ctx, bad[i].text);
    }
    /* No edges at all. */
    assert_int_equal(meguri_graph500_validate_sssp(&tree, ctx, NULL, NULL, 0, 1, 0, p, d), MEGURI_OK);
    assert_true(tree.reached == 1 && tree.depth == 0 && tree.edges == 0);
    context_done(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_paths_pass),    cmocka_unit_test(every_rule_is_checked),
        cmocka_unit_test(any_damage_is_found), cmocka_unit_test(larger_trees),
        cmocka_unit_test(a_path_of_zeros),     cmocka_unit_test(rounded_sums),
        cmocka_unit_test(wrong_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
