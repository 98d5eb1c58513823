/* The checker: it accepts right answers, and refuses answers that break a rule, each rule on its own. */
#define _GNU_SOURCE
#include "algo_bfs/searching.h"
#include "support/checks.h"

#include <meguri.h>

/* What of an answer the checker is given. */
typedef enum given { BOTH, LEVELS, PARENTS, GIVEN } given;

static meguri_status ask(meguri_ctx *ctx, const subject *s, uint64_t source, const answer *a, given what,
                         uint32_t levels) {
    return mg_bfs_check(ctx, s->graph, source, what != PARENTS ? a->level : NULL, what != LEVELS ? a->parent : NULL,
                        levels);
}

/* ---- right answers ---------------------------------------------------------------------------------------------- */

static void accept(meguri_ctx *const *ctx, const subject *s, uint64_t source, uint32_t levels) {
    answer a = plain_search(&s->plain, source, levels);
    for (size_t t = 0; t < THREAD_COUNTS; t++)
        for (int what = 0; what < GIVEN; what++)
            if (ask(ctx[t], s, source, &a, (given)what, levels) != MEGURI_OK)
                fail_msg("%s, order %d, source %d, levels %u, given %d: %s", s->name, s->order, (int)source, levels,
                         what, meguri_ctx_error(ctx[t]));
    answer_free(&a);
}

static void accept_all(meguri_ctx *const *ctx, const zoo_graph *g, int direction, int order, int keep) {
    meguri_build_options o = {.size = sizeof o,
                              .direction = (meguri_direction)direction,
                              .order = (meguri_order)order,
                              .duplicates = keep ? MEGURI_DUPLICATES_KEEP : MEGURI_DUPLICATES_MIN,
                              .keep_loops = keep};
    subject s = subject_from_zoo(ctx[1], g, &o);
    uint64_t n = s.plain.vertices, seed = n;
    uint32_t isolated = plain_isolated(&s.plain);
    for (uint32_t levels = 0; n && levels < (UNDER_TSAN ? 1 : 4); levels++) {
        accept(ctx, &s, 0, levels);
        accept(ctx, &s, n - 1, levels);
        accept(ctx, &s, zoo_random(&seed) % n, levels);
        if (isolated != UINT32_MAX) accept(ctx, &s, isolated, levels);
    }
    subject_free(&s);
}

static void right_answers_are_accepted(void **state) {
    (void)state;
    meguri_ctx *const ctx[] = {context_with(1), context_with(2), context_with(5)};
    zoo_graph g;
    for (int index = 0; zoo_get(&g, index); index++) {
        bool large = g.count > 50000;
        for (int direction = MEGURI_DIRECTED; direction <= MEGURI_UNDIRECTED; direction++)
            if (!g.weights && !(UNDER_TSAN && !large))
                accept_all(ctx, &g, direction, 1 + (index + direction) % 3, index % 2);
        zoo_free(&g);
    }
    for (int index = 0; shape_get(&g, index, UNDER_TSAN ? 20000 : 3000); index++) {
        for (int order = MEGURI_ORDER_DEGREE; order <= MEGURI_ORDER_NONE; order++)
            if (!UNDER_TSAN || index % 4 == order) accept_all(ctx, &g, 1 + (order + index) % 2, order, index % 2);
        zoo_free(&g);
    }
    for (size_t t = 0; t < THREAD_COUNTS; t++) context_done(ctx[t]);
}

/* ---- one rule at a time ----------------------------------------------------------------------------------------- */

/* 10 - 20 - 30 - 40 - 50, 20 - 40' and so on, by hand: ids are ten times the position plus ten.
 *
 *   0 → 1 → 3 → 5      levels 0 1 1 2 2 3, then 6 → 7 and 8 unreached
 *   0 → 2 → 4 → 5
 *   1 → 2, 3 → 4 */
static const uint64_t small_edges[][2] = {{10, 20}, {10, 30}, {20, 40}, {30, 50}, {40, 60},
                                          {50, 60}, {20, 30}, {40, 50}, {70, 80}, {90, 90}};
static const int32_t small_level[] = {0, 1, 1, 2, 2, 3, -1, -1, -1};
#define NONE UINT32_MAX
static const uint32_t small_parent[] = {0, 0, 0, 1, 2, 4, NONE, NONE, NONE};

typedef struct change {
    uint32_t vertex;
    int32_t level;
    uint32_t parent;
} change;

typedef struct broken_rule {
    given what;
    uint32_t levels;
    change changes[3]; /* vertex 0 with level 0 and parent 0: no change */
    const char *sentence;
} broken_rule;

static const broken_rule broken_rules[] = {
    {BOTH, 0, {{0, 1, 0}}, "the source 10 is at level 1, not 0."},
    {LEVELS, 0, {{0, -1, 0}}, "the source 10 is at level -1, not 0."},
    {BOTH, 0, {{0, 0, 1}}, "the parent of the source 10 is 20, not itself."},
    {PARENTS, 0, {{0, 0, NONE}}, "the source 10 has no parent; it should be its own."},
    {PARENTS, 0, {{0, 0, 9}}, "the parent of vertex 10 is number 9, but the graph has 9 vertices."},
    {BOTH, 0, {{5, -2, 4}}, "vertex 60 is at level -2, but a level is -1 where unreached and never less."},
    {LEVELS,
     0,
     {{8, INT32_MIN, 0}},
     "vertex 90 is at level -2147483648, but a level is -1 where unreached and never less."},
    {BOTH, 0, {{1, 0, 0}}, "vertex 20 is at level 0, where only the source 10 is."},
    {LEVELS, 0, {{8, 0, 0}}, "vertex 90 is at level 0, where only the source 10 is."},
    {BOTH, 3, {{5, 3, 4}}, "vertex 60 is at level 3, but the last level asked for is 2."},
    {LEVELS, 1, {{5, -1, NONE}}, "vertex 20 is at level 1, but the last level asked for is 0."},
    {PARENTS, 3, {{5, 3, 4}}, "vertex 60 is at level 3, but the last level asked for is 2."},
    {BOTH, 0, {{3, 2, 9}}, "the parent of vertex 40 is number 9, but the graph has 9 vertices."},
    {PARENTS, 0, {{3, 2, NONE - 1}}, "the parent of vertex 40 is number 4294967294, but the graph has 9 vertices."},
    {BOTH, 0, {{8, -1, 9}}, "the parent of vertex 90 is number 9, but the graph has 9 vertices."},
    {BOTH, 0, {{5, 3, NONE}}, "vertex 60 is at level 3, but has no parent."},
    {BOTH, 0, {{5, -1, 4}}, "vertex 60 is unreached, but has the parent 50."},
    {BOTH, 0, {{8, -1, 8}}, "vertex 90 is unreached, but has the parent 90."},
    {BOTH, 0, {{8, 4, 8}}, "vertex 90 is its own parent, but not the source."},
    {PARENTS, 0, {{8, 0, 8}}, "vertex 90 is its own parent, but not the source."},
    {BOTH, 0, {{7, 1, 6}}, "vertex 80 has the parent 70, which is unreached."},
    {PARENTS, 0, {{7, 1, 6}}, "vertex 80 has the parent 70, which is unreached."},
    {BOTH, 0, {{2, 1, 1}}, "vertex 30 is at level 1, but its parent 20 is at level 1, not one level nearer."},
    {BOTH, 0, {{5, 2, 4}}, "vertex 60 is at level 2, but its parent 50 is at level 2, not one level nearer."},
    {BOTH,
     0,
     {{5, INT32_MAX, 4}},
     "vertex 60 is at level 2147483647, but its parent 50 is at level 2, not one level nearer."},
    {BOTH,
     0,
     {{6, INT32_MAX, 4}, {7, INT32_MIN, 6}},
     "vertex 70 is at level 2147483647, but its parent 50 is at level 2, not one level nearer."},
    {PARENTS,
     0,
     {{6, 0, 7}, {7, 0, 6}},
     "the parents from vertex 70 on lead around in a circle, never to the source 10."},
    {PARENTS,
     0,
     {{1, 0, 3}, {3, 0, 4}, {4, 0, 1}},
     "the parents from vertex 20 on lead around in a circle, never to the source 10."},
    {PARENTS,
     0,
     {{6, 0, 8}, {7, 0, 6}, {8, 0, 7}},
     "the parents from vertex 70 on lead around in a circle, never to the source 10."},
    /* Consistent but for the edge 10 → 30. */
    {BOTH,
     0,
     {{2, 2, 1}, {4, 3, 2}, {5, 3, 3}},
     "an edge leads from vertex 10 at level 0 to vertex 30 at level 2, more than one level further."},
    {LEVELS,
     0,
     {{2, 2, 1}, {4, 3, 2}},
     "an edge leads from vertex 10 at level 0 to vertex 30 at level 2, more than one level further."},
    {PARENTS,
     0,
     {{2, 2, 1}, {4, 3, 2}, {5, 3, 3}},
     "an edge leads from vertex 10 at level 0 to vertex 30 at level 2, more than one level further."},
    {BOTH, 0, {{5, -1, NONE}}, "an edge leads from vertex 40 at level 2 to vertex 60, which is unreached."},
    {LEVELS, 0, {{5, -1, NONE}}, "an edge leads from vertex 40 at level 2 to vertex 60, which is unreached."},
    {PARENTS, 0, {{5, -1, NONE}}, "an edge leads from vertex 40 at level 2 to vertex 60, which is unreached."},
    {BOTH, 4, {{5, -1, NONE}}, "an edge leads from vertex 40 at level 2 to vertex 60, which is unreached."},
    {BOTH, 0, {{3, 2, 2}}, "vertex 40 has the parent 30, but no edge leads from there to it."},
    {PARENTS, 0, {{3, 2, 2}}, "vertex 40 has the parent 30, but no edge leads from there to it."},
    {PARENTS, 0, {{6, 1, 0}, {7, 2, 6}}, "vertex 70 has the parent 10, but no edge leads from there to it."},
    {LEVELS, 0, {{6, 3, 0}, {7, 4, 0}}, "vertex 70 is at level 3, but no edge leads to it from a vertex at level 2."},
    {LEVELS, 0, {{8, 1, 0}}, "vertex 90 is at level 1, but no edge leads to it from a vertex at level 0."},
    /* 60 nearer than it is: 50 leads to it, from the level of its own. */
    {LEVELS, 0, {{5, 2, 0}}, "vertex 60 is at level 2, but no edge leads to it from a vertex at level 1."},
};

static zoo_graph small_graph(void) {
    zoo_graph g = {.name = "small"};
    for (size_t i = 0; i < COUNT_OF(small_edges); i++) shape_add(&g, small_edges[i][0], small_edges[i][1]);
    return g;
}

static answer small_answer(const broken_rule *rule) {
    size_t n = COUNT_OF(small_level);
    answer a = {.level = malloc(sizeof small_level), .parent = malloc(sizeof small_parent)};
    assert_true(a.level && a.parent);
    memcpy(a.level, small_level, sizeof small_level);
    memcpy(a.parent, small_parent, sizeof small_parent);
    for (uint32_t v = 0; v < n && rule->levels; v++)
        if (a.level[v] >= (int32_t)rule->levels && !rule->changes[0].vertex) {
            a.level[v] = -1;
            a.parent[v] = NONE;
        }
    for (size_t i = 0; i < COUNT_OF(rule->changes); i++) {
        const change *c = &rule->changes[i];
        if (i && !c->vertex) continue;
        a.level[c->vertex] = c->level;
        a.parent[c->vertex] = c->parent;
    }
    return a;
}

static void each_rule_has_its_sentence(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(2);
    zoo_graph g = small_graph();
    for (int order = MEGURI_ORDER_DEGREE; order <= MEGURI_ORDER_NONE; order++) {
        meguri_build_options o = {
            .size = sizeof o, .direction = MEGURI_DIRECTED, .order = (meguri_order)order, .keep_loops = order % 2};
        subject s = subject_from_zoo(ctx, &g, &o);
        for (size_t i = 0; i < COUNT_OF(broken_rules); i++) {
            const broken_rule *rule = &broken_rules[i];
            answer a = small_answer(rule);
            if (ask(ctx, &s, 0, &a, rule->what, rule->levels) != MEGURI_WRONG_ANSWER)
                fail_msg("accepted, though: %s", rule->sentence);
            assert_string_equal(meguri_ctx_error(ctx), rule->sentence);
            answer_free(&a);
        }
        answer right = small_answer(&(broken_rule){.what = BOTH});
        for (int what = 0; what < GIVEN; what++) {
            assert_int_equal(ask(ctx, &s, 0, &right, (given)what, 0), MEGURI_OK);
            assert_string_equal(meguri_ctx_error(ctx), "");
        }
        answer_free(&right);
        subject_free(&s);
    }
    zoo_free(&g);
    context_done(ctx);
}

/* ---- any corruption of any graph -------------------------------------------------------------------------------- */

static bool is_right(const subject *s, uint64_t source, const answer *a, given what, const answer *right) {
    if (what != PARENTS && memcmp(a->level, right->level, s->plain.vertices * sizeof *a->level) != 0) return false;
    return what == LEVELS || !tree_fault(&s->plain, source, right->level, a->parent);
}

/* One change to one vertex; some leave the answer right. */
enum { CORRUPTIONS = 14 };
static void corrupt(const subject *s, answer *a, uint32_t v, int kind, uint64_t *seed) {
    uint32_t n = (uint32_t)s->plain.vertices, other = (uint32_t)(zoo_random(seed) % n);
    uint64_t begin = s->plain.offsets[v], degree = s->plain.offsets[v + 1] - begin;
    uint32_t neighbor = degree ? s->plain.to[begin + zoo_random(seed) % degree] : other;
    switch (kind) {
    case 0: a->level[v]++; break;
    case 1: a->level[v]--; break;
    case 2: a->level[v] = 0; break;
    case 3: a->level[v] = -1; break;
    case 4: a->level[v] = a->level[other]; break;
    case 5: a->parent[v] = NONE; break;
    case 6: a->parent[v] = v; break;
    case 7: a->parent[v] = n + other; break;
    case 8: a->parent[v] = other; break;
    case 9: a->parent[v] = neighbor; break;
    case 10: /* away altogether */
        a->level[v] = -1;
        a->parent[v] = NONE;
        break;
    case 11: /* moved with its level */
        a->parent[v] = neighbor;
        a->level[v] = a->level[neighbor] + 1;
        break;
    case 12:
        a->parent[v] = other;
        a->level[v] = a->level[other] + 1;
        break;
    default: /* two that hold each other */
        a->parent[v] = neighbor;
        a->parent[neighbor] = v;
        break;
    }
}

static uint64_t corrupt_and_ask(meguri_ctx *ctx, const subject *s, uint64_t source, const answer *right,
                                uint32_t levels, uint64_t *seed) {
    uint64_t n = s->plain.vertices, refused = 0;
    size_t bytes = n * sizeof(uint32_t);
    answer a = {.level = malloc(bytes), .parent = malloc(bytes)};
    assert_true(a.level && a.parent);
    for (int kind = 0; kind < CORRUPTIONS; kind++)
        for (int which = 0; which < 4; which++) {
            memcpy(a.level, right->level, bytes);
            memcpy(a.parent, right->parent, bytes);
            uint64_t v = which == 0 ? 0 : which == 1 ? n - 1 : zoo_random(seed) % n;
            corrupt(s, &a, (uint32_t)v, kind, seed);
            if (which == 3)
                corrupt(s, &a, (uint32_t)(zoo_random(seed) % n), (int)(zoo_random(seed) % CORRUPTIONS), seed);
            for (int what = 0; what < GIVEN; what++) {
                bool good = is_right(s, source, &a, (given)what, right);
                meguri_status status = ask(ctx, s, source, &a, (given)what, levels);
                if (status != (good ? MEGURI_OK : MEGURI_WRONG_ANSWER))
                    fail_msg("%s, order %d, source %d, corruption %d at %d, given %d, levels %u: %s %s", s->name,
                             s->order, (int)source, kind, (int)v, what, levels, meguri_status_text(status),
                             meguri_ctx_error(ctx));
                refused += !good;
            }
        }
    answer_free(&a);
    return refused;
}

static void corrupted_answers_are_refused(void **state) {
    (void)state;
    meguri_ctx *const ctx[] = {context_with(1), context_with(2), context_with(5)};
    uint64_t seed = 11, refused = 0;
    for (int turn = 0; turn < (UNDER_TSAN ? 0 : UNDER_ASAN ? 150 : 600); turn++) {
        zoo_graph g = shape_random(&seed, 300);
        meguri_build_options o = {.size = sizeof o,
                                  .direction = 1 + turn % 2,
                                  .order = 1 + turn / 2 % 3,
                                  .keep_loops = turn / 6 % 2,
                                  .duplicates = turn / 12 % 2 ? MEGURI_DUPLICATES_KEEP : MEGURI_DUPLICATES_MIN};
        subject s = subject_from_zoo(ctx[turn % 3], &g, &o);
        uint64_t source = zoo_random(&seed) % g.vertices;
        uint32_t levels = turn % 4 == 3 ? 1 + (uint32_t)(zoo_random(&seed) % 6) : 0;
        answer right = plain_search(&s.plain, source, levels);
        refused += corrupt_and_ask(ctx[turn % 3], &s, source, &right, levels, &seed);
        answer_free(&right);
        subject_free(&s);
        zoo_free(&g);
    }
    if (!UNDER_TSAN) assert_true(refused > 10000);
    for (size_t t = 0; t < THREAD_COUNTS; t++) context_done(ctx[t]);
}

/* Large enough for all threads; long ways up, and circles of every length. */
static void large_answers_are_refused_too(void **state) {
    (void)state;
    meguri_ctx *const ctx[] = {context_with(1), context_with(2), context_with(5)};
    uint64_t seed = 12;
    zoo_graph g;
    for (int index = 0; shape_get(&g, index, 60000); index++) {
        if (!UNDER_TSAN || index % 5 == 0) {
            meguri_build_options o = {
                .size = sizeof o, .direction = MEGURI_UNDIRECTED, .order = (meguri_order)(1 + index % 3)};
            subject s = subject_from_zoo(ctx[1], &g, &o);
            uint64_t source = zoo_random(&seed) % g.vertices;
            answer right = plain_search(&s.plain, source, 0);
            if (!UNDER_TSAN && !UNDER_ASAN) corrupt_and_ask(ctx[2], &s, source, &right, 0, &seed);
            /* Everybody's parent is a neighbour, any: circles everywhere. */
            for (uint32_t v = 0; v < g.vertices; v++)
                if (v != source && right.level[v] > 0) corrupt(&s, &right, v, 9, &seed);
            for (int t = 0; t < 3; t++) {
                meguri_status status = ask(ctx[t], &s, source, &right, PARENTS, 0);
                assert_true(status == (tree_fault(&s.plain, source, right.level, right.parent) ? MEGURI_WRONG_ANSWER
                                                                                               : MEGURI_OK));
            }
            answer_free(&right);
            subject_free(&s);
        }
        zoo_free(&g);
    }
    for (size_t t = 0; t < THREAD_COUNTS; t++) context_done(ctx[t]);
}

/* The same vertex is named at any number of threads and in any internal order. */
static void the_sentence_is_always_the_same(void **state) {
    (void)state;
    meguri_ctx *const ctx[] = {context_with(1), context_with(2), context_with(5)};
    zoo_graph g = shape_kronecker(ctx[1], UNDER_TSAN ? 12 : 14, 8);
    subject s[3];
    for (int order = 0; order < 3; order++) {
        meguri_build_options o = {
            .size = sizeof o, .direction = MEGURI_UNDIRECTED, .order = (meguri_order)(MEGURI_ORDER_DEGREE + order)};
        s[order] = subject_from_zoo(ctx[1], &g, &o);
    }
    uint64_t seed = 13, source = 0;
    while (s[0].plain.offsets[source] == s[0].plain.offsets[source + 1]) source++;
    for (int kind = 0; kind < CORRUPTIONS; kind++) {
        answer a = plain_search(&s[0].plain, source, 0);
        for (int i = 0; i < 200; i++) corrupt(&s[0], &a, (uint32_t)(zoo_random(&seed) % g.vertices), kind, &seed);
        for (int what = 0; what < GIVEN; what++) {
            char sentence[512] = "";
            meguri_status status = ask(ctx[0], &s[0], source, &a, (given)what, 0);
            snprintf(sentence, sizeof sentence, "%s", meguri_ctx_error(ctx[0]));
            for (int i = 1; i < 9; i++) {
                assert_int_equal(ask(ctx[i / 3], &s[i % 3], source, &a, (given)what, 0), status);
                assert_string_equal(meguri_ctx_error(ctx[i / 3]), sentence);
            }
        }
        answer_free(&a);
    }
    for (int order = 0; order < 3; order++) subject_free(&s[order]);
    zoo_free(&g);
    for (size_t t = 0; t < THREAD_COUNTS; t++) context_done(ctx[t]);
}

/* ---- ids, arguments --------------------------------------------------------------------------------------------- */

static void ids_are_the_users(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    zoo_graph g = {.name = "negative", .signed_ids = true};
    shape_add(&g, (uint64_t)-7, (uint64_t)-3);
    meguri_build_options o = {.size = sizeof o, .direction = MEGURI_DIRECTED};
    subject s = subject_from_zoo(ctx, &g, &o);
    assert_int_equal(mg_bfs_check(ctx, s.graph, 0, (int32_t[]){0, 2}, NULL, 0), MEGURI_WRONG_ANSWER);
    assert_string_equal(meguri_ctx_error(ctx), "an edge leads from vertex -7 at level 0 to vertex -3 at level 2, more "
                                               "than one level further.");
    subject_free(&s);
    zoo_free(&g);

    char folder[FOLDER_TEXT], path[FOLDER_TEXT + 8];
    folder_new(folder);
    snprintf(path, sizeof path, "%s/names", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("Ōsaka Kyōto\nKyōto ", file);
    for (int i = 0; i < 100; i++) fputs("長", file);
    fputs("\n", file);
    assert_int_equal(fclose(file), 0);
    const char *paths[] = {path};
    meguri_graph *graph;
    assert_int_equal(meguri_read(&graph, ctx, paths, 1, NULL), MEGURI_OK);
    assert_int_equal(mg_bfs_check(ctx, graph, 0, NULL, (uint32_t[]){0, 0, 0}, 0), MEGURI_WRONG_ANSWER);
    const char *error = meguri_ctx_error(ctx);
    assert_non_null(strstr(error, "vertex \"長長"));
    assert_non_null(strstr(error, "長...\" has the parent \"Ōsaka\", but no edge leads from there to it."));
    assert_int_equal(mg_bfs_check(ctx, graph, 0, NULL, (uint32_t[]){0, 0, 1}, 0), MEGURI_OK);
    meguri_graph_free(graph);
    folder_remove(folder);
    context_done(ctx);
}

static void bad_arguments_are_refused(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    zoo_graph g = small_graph();
    meguri_build_options o = {.size = sizeof o};
    subject s = subject_from_zoo(ctx, &g, &o);
    assert_int_equal(mg_bfs_check(NULL, s.graph, 0, small_level, small_parent, 0), MEGURI_BAD_ARGUMENT);
    assert_int_equal(mg_bfs_check(ctx, NULL, 0, small_level, small_parent, 0), MEGURI_BAD_ARGUMENT);
    assert_int_equal(mg_bfs_check(ctx, s.graph, 0, NULL, NULL, 0), MEGURI_BAD_ARGUMENT);
    assert_string_equal(meguri_ctx_error(ctx), "meguri_bfs_check needs a graph and levels or parents.");
    assert_int_equal(mg_bfs_check(ctx, s.graph, 9, small_level, small_parent, 0), MEGURI_NOT_FOUND);
    assert_string_equal(meguri_ctx_error(ctx), "there is no vertex 9 in a graph of 9.");
    assert_int_equal(mg_bfs_check(ctx, s.graph, UINT64_MAX, small_level, NULL, 0), MEGURI_NOT_FOUND);
    subject_free(&s);
    zoo_free(&g);
    context_done(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_answers_are_accepted),      cmocka_unit_test(each_rule_has_its_sentence),
        cmocka_unit_test(corrupted_answers_are_refused),   cmocka_unit_test(large_answers_are_refused_too),
        cmocka_unit_test(the_sentence_is_always_the_same), cmocka_unit_test(ids_are_the_users),
        cmocka_unit_test(bad_arguments_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
