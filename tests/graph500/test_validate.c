/* The validator: right trees pass, and trees damaged in every way that the rules cover are refused by the right rule,
 * with a sentence that names root and vertex or edge, the same at any number of threads. */
#define _GNU_SOURCE
#include "graph500/lists.h"
#include "support/sanitized.h"
#include <meguri/extra/graph500.h>

#define NONE UINT32_MAX

/* Two components: 0 … 6 (with a square 0-1-2-3, a tail 3-4-5 and a leaf 6 at 0) and 7-8; 9 has a loop alone, 10
 * nothing. Loops and duplicates, both ways round. */
static const uint32_t small[] = {0, 1, 1, 2, 2, 3, 3, 0, 3, 4, 4, 5, 0, 6, 7, 8, 9, 9, 1, 0, 0, 1, 2, 2, 4, 3, 8, 8};
enum { SMALL_VERTICES = 11, SMALL_EDGES = COUNT_OF(small) / 2 };
/* From root 0. Levels 0 1 2 1 2 3 1. */
static const uint32_t small_tree[SMALL_VERTICES] = {0, 0, 1, 0, 3, 4, 0, NONE, NONE, NONE, NONE};
static const int32_t small_levels[SMALL_VERTICES] = {0, 1, 2, 1, 2, 3, 1, -1, -1, -1, -1};

static meguri_status validate(meguri_graph500_tree *out, meguri_ctx *ctx, const edge_list *list, uint32_t root,
                              const uint32_t *parent, const int32_t *level) {
    return meguri_graph500_validate(out, ctx, list->pairs, list->count, list->vertices, root, parent, level);
}

static void right_trees_pass(void **state) {
    (void)state;
    for (size_t t = 0; t < THREAD_COUNTS; t++) {
        meguri_ctx *ctx = context_with(thread_counts[t]);
        edge_list list = list_of(SMALL_VERTICES, small, SMALL_EDGES);
        meguri_graph500_tree tree = {.size = sizeof tree};
        assert_int_equal(validate(&tree, ctx, &list, 0, small_tree, NULL), MEGURI_OK);
        assert_int_equal(tree.reached, 7);
        assert_int_equal(tree.depth, 3);
        assert_int_equal(tree.edges, 11); /* all but 7-8, 9-9 and 8-8 */
        assert_int_equal(validate(NULL, ctx, &list, 0, small_tree, small_levels), MEGURI_OK);
        assert_string_equal(meguri_ctx_error(ctx), "");
        /* The other way through the square is right, too. */
        uint32_t other[SMALL_VERTICES];
        memcpy(other, small_tree, sizeof other);
        other[2] = 3;
        assert_int_equal(validate(NULL, ctx, &list, 0, other, NULL), MEGURI_OK);
        /* A vertex with a loop alone is a component. */
        for (uint32_t root = 9; root <= 10; root++) {
            for (int v = 0; v < SMALL_VERTICES; v++) other[v] = NONE;
            other[root] = root;
            assert_int_equal(validate(&tree, ctx, &list, root, other, NULL), MEGURI_OK);
            assert_int_equal(tree.reached, 1);
            assert_int_equal(tree.depth, 0);
            assert_int_equal(tree.edges, root == 9);
        }
        list_free(&list);
        context_done(ctx);
    }
}

/* Expects the sentence, after the words that all of them start with, at every number of threads. */
static void expect_broken(const edge_list *list, uint32_t root, const uint32_t *parent, const int32_t *level, int rule,
                          const char *rest) {
    char wanted[512];
    snprintf(wanted, sizeof wanted, "the search tree from root %u breaks rule %d of Graph500: %s", root, rule, rest);
    for (size_t t = 0; t < THREAD_COUNTS; t++) {
        meguri_ctx *ctx = context_with(thread_counts[t]);
        meguri_graph500_tree tree = {.size = sizeof tree, .edges = 4711};
        assert_int_equal(validate(&tree, ctx, list, root, parent, level), MEGURI_WRONG_ANSWER);
        assert_string_equal(meguri_ctx_error(ctx), wanted);
        assert_int_equal(tree.edges, 4711);
        context_done(ctx);
    }
}

typedef struct damage {
    uint32_t vertex, parent; /* small_tree, but this vertex has that parent */
    uint32_t more, parent_of_more;
    int rule;
    const char *rest;
} damage;

static void every_rule_is_checked(void **state) {
    (void)state;
    edge_list list = list_of(SMALL_VERTICES, small, SMALL_EDGES);
    static const damage damages[] = {
        {0, NONE, 0, NONE, 1, "the root is not in it."},
        {0, 1, 0, 1, 1, "the parent of the root is 1, not the root itself."},
        {0, 8, 0, 8, 1, "the parent of the root is 8, not the root itself."},
        {0, 11, 0, 11, 1, "the parent of vertex 0 is 11, and there is no such vertex."},
        {5, 11, 5, 11, 1, "the parent of vertex 5 is 11, and there is no such vertex."},
        {5, NONE - 1, 5, NONE - 1, 1, "the parent of vertex 5 is 4294967294, and there is no such vertex."},
        {4, 4, 4, 4, 1, "vertex 4 is its own parent, but not the root."},
        {9, 9, 9, 9, 1, "vertex 9 is its own parent, but not the root."},
        {4, 7, 4, 7, 1, "vertex 7, the parent of vertex 4, is not in it."},
        {4, NONE, 4, NONE, 1, "vertex 4, the parent of vertex 5, is not in it."},
        {4, 5, 5, 4, 1, "vertex 4 is on a cycle of 2 vertices that are each other's parents."},
        {7, 8, 8, 7, 1, "vertex 7 is on a cycle of 2 vertices that are each other's parents."},
        {3, 5, 3, 5, 1, "vertex 3 is on a cycle of 3 vertices that are each other's parents."},
        /* By real edges, but a longer way round: 3 through 2, at level 3. */
        {3, 2, 3, 2, 3, "edge 3 joins vertex 3 at level 3 and vertex 0 at level 0."},
        /* Parents that are no neighbours: too near, too far, or right but for the edge. */
        {5, 3, 5, 3, 5, "no edge of the list joins vertex 5 and its parent 3."},
        {5, 0, 5, 0, 5, "no edge of the list joins vertex 5 and its parent 0."},
        {4, 1, 4, 1, 5, "no edge of the list joins vertex 4 and its parent 1."},
        {4, 6, 4, 6, 5, "no edge of the list joins vertex 4 and its parent 6."},
        {6, 5, 6, 5, 3, "edge 6 joins vertex 0 at level 0 and vertex 6 at level 4."},
        /* Vertices of the component that are missing. */
        {6, NONE, 6, NONE, 4, "edge 6 joins vertex 0, which is in it, and vertex 6, which is not."},
        {5, NONE, 4, NONE, 4, "edge 4 joins vertex 3, which is in it, and vertex 4, which is not."},
        {5, NONE, 5, NONE, 4, "edge 5 joins vertex 4, which is in it, and vertex 5, which is not."},
        /* Vertices of another component: all of it, a part of it, one with a loop, one without any edge. */
        {7, 5, 8, 7, 5, "no edge of the list joins vertex 7 and its parent 5."},
        {7, 5, 7, 5, 4, "edge 7 joins vertex 7, which is in it, and vertex 8, which is not."},
        {9, 0, 9, 0, 5, "no edge of the list joins vertex 9 and its parent 0."},
        {10, 0, 10, 0, 5, "no edge of the list joins vertex 10 and its parent 0."},
    };
    for (size_t i = 0; i < COUNT_OF(damages); i++) {
        const damage *d = &damages[i];
        uint32_t parent[SMALL_VERTICES];
        memcpy(parent, small_tree, sizeof parent);
        parent[d->vertex] = d->parent;
        parent[d->more] = d->parent_of_more;
        assert_false(list_is_search_tree(&list, 0, parent));
        expect_broken(&list, 0, parent, NULL, d->rule, d->rest);
    }
    list_free(&list);
}

static void levels_that_disagree(void **state) {
    (void)state;
    edge_list list = list_of(SMALL_VERTICES, small, SMALL_EDGES);
    static const struct {
        uint32_t vertex;
        int32_t level;
        const char *rest;
    } damages[] = {
        {5, 4, "the level of vertex 5 is given as 4, but by its parent 4 it is 3."},
        {1, 0, "the level of vertex 1 is given as 0, but by its parent 0 it is 1."},
        {6, -1, "the level of vertex 6 is given as -1, but by its parent 0 it is 1."},
        {0, 1, "the level of vertex 0, which is the root, is given as 1."},
        {10, 0, "the level of vertex 10, which is not in it, is given as 0."},
    };
    for (size_t i = 0; i < COUNT_OF(damages); i++) {
        int32_t level[SMALL_VERTICES];
        memcpy(level, small_levels, sizeof level);
        level[damages[i].vertex] = damages[i].level;
        expect_broken(&list, 0, small_tree, level, 2, damages[i].rest);
    }
    list_free(&list);
}

/* Another root than the tree's own. */
static void the_wrong_root(void **state) {
    (void)state;
    edge_list list = list_of(SMALL_VERTICES, small, SMALL_EDGES);
    expect_broken(&list, 10, small_tree, NULL, 1, "vertex 0 is its own parent, but not the root.");
    expect_broken(&list, 3, small_tree, NULL, 1, "vertex 0 is its own parent, but not the root.");
    list_free(&list);
}

/* ---- many damages, against the slow search ---------------------------------------------------------------------- */

static void any_damage_is_found(void **state) {
    (void)state;
    const uint32_t scale = 7, n = 1u << scale;
    uint64_t random = 1, damaged = 0;
    uint32_t parent[128];
    int32_t level[128];
    meguri_ctx *ctx[THREAD_COUNTS];
    for (size_t t = 0; t < THREAD_COUNTS; t++) ctx[t] = context_with(thread_counts[t]);
    for (int round = 0; round < (UNDER_TSAN ? 300 : 6000); round++) {
        edge_list list = list_kronecker(scale, 1 + round % 4, 1 + next_random(&random) % 1000);
        uint32_t root = (uint32_t)(next_random(&random) % n);
        list_search(&list, root, parent, level);
        for (uint64_t changes = next_random(&random) % 4; changes > 0; changes--) {
            uint32_t v = (uint32_t)(next_random(&random) % n), other = (uint32_t)(next_random(&random) % n);
            switch (next_random(&random) % 6) {
            case 0: parent[v] = other; break;
            case 1: parent[v] = parent[other]; break;
            case 2: parent[v] = NONE; break;
            case 3: parent[v] = n + other; break;
            case 4: { /* along an edge of the list: the likeliest to be missed */
                uint64_t i = next_random(&random) % list.count;
                parent[list.pairs[2 * i]] = list.pairs[2 * i + 1];
                break;
            }
            default: /* an edge the other way round */
                if (parent[v] < n) parent[parent[v]] = v;
                break;
            }
        }
        meguri_status wanted = list_is_search_tree(&list, root, parent) ? MEGURI_OK : MEGURI_WRONG_ANSWER;
        damaged += wanted != MEGURI_OK;
        meguri_graph500_tree tree = {.size = sizeof tree};
        size_t t = (size_t)round % THREAD_COUNTS;
        assert_int_equal(validate(&tree, ctx[t], &list, root, parent, NULL), wanted);
        if (wanted == MEGURI_OK) assert_int_equal(tree.edges, list_edges_inside(&list, parent));
        list_free(&list);
    }
    assert_true(damaged > (UNDER_TSAN ? 100 : 2000));
    for (size_t t = 0; t < THREAD_COUNTS; t++) context_done(ctx[t]);
}

/* ---- larger than a piece: several threads at once --------------------------------------------------------------- */

static void larger_trees(void **state) {
    (void)state;
    edge_list list = list_kronecker(UNDER_TSAN ? 15 : 17, 8, 3);
    uint32_t *parent = malloc(list.vertices * 4), root = list.pairs[0];
    int32_t *level = malloc(list.vertices * 4), depth = 0;
    assert_true(parent && level);
    uint64_t reached = list_search(&list, root, parent, level);
    for (uint32_t v = 0; v < list.vertices; v++) depth = MG_MAX(depth, level[v]);
    for (size_t t = 0; t < THREAD_COUNTS; t++) {
        meguri_ctx *ctx = context_with(thread_counts[t]);
        meguri_graph500_tree tree = {.size = sizeof tree};
        assert_int_equal(validate(&tree, ctx, &list, root, parent, level), MEGURI_OK);
        assert_int_equal(tree.reached, reached);
        assert_int_equal(tree.depth, depth);
        assert_int_equal(tree.edges, list_edges_inside(&list, parent));
        context_done(ctx);
    }
    /* Of several culprits the first is told, whoever finds it: the last vertices of the tree go missing. */
    char rest[128];
    uint64_t first = 0;
    for (uint32_t v = list.vertices - 1, left = 5; left > 0; v--)
        if (level[v] == depth && v != root) {
            parent[v] = NONE;
            left--;
        }
    while ((parent[list.pairs[2 * first]] == NONE) == (parent[list.pairs[2 * first + 1]] == NONE)) first++;
    uint32_t u = list.pairs[2 * first], v = list.pairs[2 * first + 1];
    snprintf(rest, sizeof rest, "edge %llu joins vertex %u, which is in it, and vertex %u, which is not.",
             (unsigned long long)first, parent[u] == NONE ? v : u, parent[u] == NONE ? u : v);
    expect_broken(&list, root, parent, NULL, 4, rest);
    free(parent);
    free(level);
    list_free(&list);
}

/* A path, mixed up: every climb is long. Then its far end is bent back into a cycle, and into the middle. */
static void a_path(void **state) {
    (void)state;
    const uint32_t n = UNDER_TSAN ? 1 << 16 : 1 << 19, last = n - 1;
    uint32_t *name = malloc(n * 4), *pairs = malloc(n * 8), *parent = malloc(n * 4);
    assert_true(name && pairs && parent);
    uint64_t random = 5;
    for (uint32_t i = 0; i < n; i++) name[i] = i;
    for (uint32_t i = last; i > 0; i--) {
        uint32_t j = (uint32_t)(next_random(&random) % (i + 1)), kept = name[i];
        name[i] = name[j];
        name[j] = kept;
    }
    for (uint32_t i = 0; i < last; i++) {
        pairs[2 * i] = name[i];
        pairs[2 * i + 1] = name[i + 1];
        parent[name[i + 1]] = name[i];
    }
    parent[name[0]] = name[0];
    edge_list list = {n, last, pairs, NULL};
    for (size_t t = 0; t < THREAD_COUNTS; t++) {
        meguri_ctx *ctx = context_with(thread_counts[t]);
        meguri_graph500_tree tree = {.size = sizeof tree};
        assert_int_equal(validate(&tree, ctx, &list, name[0], parent, NULL), MEGURI_OK);
        assert_int_equal(tree.depth, last);
        assert_int_equal(tree.reached, n);
        context_done(ctx);
    }
    char rest[128];
    uint32_t least = NONE;
    for (uint32_t i = 1; i < n; i++) least = MG_MIN(least, name[i]);
    parent[name[1]] = name[last]; /* the cycle has all but the root */
    snprintf(rest, sizeof rest, "vertex %u is on a cycle of %u vertices that are each other's parents.", least, last);
    expect_broken(&list, name[0], parent, NULL, 1, rest);
    free(name);
    free(pairs);
    free(parent);
}

/* Around the depth where levels stop fitting into bytes: the last level next to a vertex outside, and next to itself.
 */
static void depths_near_a_byte(void **state) {
    (void)state;
    uint32_t pairs[2 * 300], parent[301];
    for (uint32_t i = 0; i < 300; i++) {
        pairs[2 * i] = i;
        pairs[2 * i + 1] = i + 1;
    }
    for (uint32_t last = 120; last <= 300; last++) {
        edge_list list = {last + 1, last, pairs, NULL};
        meguri_ctx *ctx = context_with(1);
        meguri_graph500_tree tree = {.size = sizeof tree};
        char rest[128];
        for (uint32_t v = 0; v <= last; v++) parent[v] = v ? v - 1 : 0;
        assert_int_equal(validate(&tree, ctx, &list, 0, parent, NULL), MEGURI_OK);
        assert_true(tree.depth == last && tree.edges == last);
        context_done(ctx);
        parent[last] = NONE;
        snprintf(rest, sizeof rest, "edge %u joins vertex %u, which is in it, and vertex %u, which is not.", last - 1,
                 last - 1, last);
        expect_broken(&list, 0, parent, NULL, 4, rest);
        parent[last] = last - 2;
        snprintf(rest, sizeof rest, "no edge of the list joins vertex %u and its parent %u.", last, last - 2);
        expect_broken(&list, 0, parent, NULL, 5, rest);
    }
}

/* ---- arguments -------------------------------------------------------------------------------------------------- */

static void wrong_arguments(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(2);
    meguri_graph500_tree tree = {.size = sizeof tree}, no_size = {0};
    assert_int_equal(meguri_graph500_validate(&tree, NULL, small, 1, 2, 0, small_tree, NULL), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_graph500_validate(&tree, ctx, NULL, 1, 2, 0, small_tree, NULL), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_graph500_validate(&tree, ctx, small, 1, 2, 0, NULL, NULL), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_graph500_validate(&tree, ctx, small, 1, 2, 2, small_tree, NULL), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_graph500_validate(&tree, ctx, small, 1, 0, 0, small_tree, NULL), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_graph500_validate(&tree, ctx, small, 1, (uint64_t)1 << 40, 0, small_tree, NULL),
                     MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_graph500_validate(&no_size, ctx, small, 1, 2, 0, small_tree, NULL), MEGURI_BAD_ARGUMENT);
    assert_non_null(strstr(meguri_ctx_error(ctx), "sizeof(meguri_graph500_tree)"));
    /* An edge that leaves the vertices is a mistake in the list, not in the tree. */
    assert_int_equal(meguri_graph500_validate(&tree, ctx, small, SMALL_EDGES, 7, 0, small_tree, NULL),
                     MEGURI_BAD_ARGUMENT);
    assert_string_equal(meguri_ctx_error(ctx), "edge 7 of the list joins 7 and 8, but the vertices are 0 to 6.");
    /* No edges at all. */
    assert_int_equal(meguri_graph500_validate(&tree, ctx, NULL, 0, 1, 0, small_tree, NULL), MEGURI_OK);
    assert_true(tree.reached == 1 && tree.depth == 0 && tree.edges == 0);
    context_done(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_trees_pass),
        cmocka_unit_test(every_rule_is_checked),
        cmocka_unit_test(levels_that_disagree),
        cmocka_unit_test(the_wrong_root),
        cmocka_unit_test(any_damage_is_found),
        cmocka_unit_test(larger_trees),
        cmocka_unit_test(a_path),
        cmocka_unit_test(depths_near_a_byte),
        cmocka_unit_test(wrong_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
