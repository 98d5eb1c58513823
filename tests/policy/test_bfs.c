/* The direction of a step of a breadth-first search: the paper's rule as a table, and what any sensible rule does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above */
#include <cmocka.h>

#include "policy/policy.h"

#define VERTICES 1000u
#define ARCS     32000u

/* alpha 10: to pull above 3200 arcs. beta 14: back to push below 1000²/(14·32000) = 2.23 vertices. */
static void the_rule_of_the_paper(void **state) {
    (void)state;
    const struct {
        uint64_t frontier, frontier_arcs;
        bool pulling, pull;
    } table[] = {
        {1, 10, false, false},    {50, 3200, false, false}, {50, 3201, false, true}, {900, 32000, false, true},
        {900, 32000, true, true}, {3, 1, true, true},       {2, 32000, true, false}, {1, 1, true, false},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        mg_bfs_facts facts = {.vertices = VERTICES,
                              .arcs = ARCS,
                              .frontier = table[i].frontier,
                              .frontier_arcs = table[i].frontier_arcs,
                              .pulling = table[i].pulling};
        assert_int_equal(mg_policy_bfs_p1(&facts, 10, 14), table[i].pull);
    }
}

/* Costs of round numbers, as an engine might bring them. */
static const mg_bfs_costs costs = {.push_arc = 1,
                                   .push_reach_far = 8,
                                   .push_reach_near = 4,
                                   .push_reach_long = 2,
                                   .push_word = 4,
                                   .pull_word = 1,
                                   .pull_vertex = 1,
                                   .pull_look = 0.5,
                                   .pull_arc = 0.001,
                                   .near_vertices = 1 << 19,
                                   .long_row = 128};

/* A graph of a million vertices with 32 arcs each, of which `left` are unvisited. */
static bool pulls_at(uint64_t frontier, uint64_t frontier_arcs, uint64_t left, const mg_bfs_costs *of_engine) {
    static const uint32_t rows[] = {32, 32, 32, 32};
    mg_bfs_facts facts = {.vertices = 1000000,
                          .arcs = 32000000,
                          .frontier = frontier,
                          .frontier_arcs = frontier_arcs,
                          .unvisited = left,
                          .unvisited_arcs = 32 * left,
                          .rows = rows,
                          .row_count = 4};
    return mg_policy_bfs(&facts, of_engine);
}

static bool pulls(uint64_t frontier, uint64_t frontier_arcs, uint64_t left) {
    return pulls_at(frontier, frontier_arcs, left, &costs);
}

static void small_frontiers_push(void **state) {
    (void)state;
    assert_false(pulls(1, 32, 999999));
    assert_false(pulls(32, 1024, 999000));
    assert_false(pulls(1000, 32000, 990000));
    assert_false(pulls(1, 0, 1)); /* nothing to look at */
    assert_false(pulls(1, 1, 1000));
}

static void large_frontiers_pull(void **state) {
    (void)state;
    assert_true(pulls(500000, 16000000, 400000));
    assert_true(pulls(300000, 9600000, 10));
    assert_true(pulls(900000, 28800000, 1));
}

/* More arcs in the frontier never turn a pull into a push. */
static void one_change_at_most(void **state) {
    (void)state;
    for (uint64_t left = 1000; left < 1000000; left *= 4) {
        bool before = false;
        for (uint64_t arcs = 1; arcs < 32000000; arcs += arcs / 8 + 1) {
            bool now = pulls(arcs / 32 + 1, arcs, left);
            assert_true(now || !before);
            before = now;
        }
    }
}

/* What an engine says its steps cost decides: each entry alone, dear, turns the way; and their unit does not matter. */
static void the_costs_of_the_engine_decide(void **state) {
    (void)state;
    const double dear = 10000;
    const struct {
        uint64_t frontier, frontier_arcs, left;
        size_t entry; /* that becomes dear */
    } table[] = {
        /* pushes that become pulls … */
        {1000, 32000, 500000, offsetof(mg_bfs_costs, push_arc)},
        {1000, 32000, 500000, offsetof(mg_bfs_costs, push_reach_far)},
        {100, 32000, 500000, offsetof(mg_bfs_costs, push_reach_long)},
        {1000, 32000, 500000, offsetof(mg_bfs_costs, push_word)},
        /* … and pulls that become pushes */
        {500000, 16000000, 400000, offsetof(mg_bfs_costs, pull_word)},
        {500000, 16000000, 400000, offsetof(mg_bfs_costs, pull_vertex)},
        {500000, 16000000, 400000, offsetof(mg_bfs_costs, pull_look)},
        {500000, 16000000, 400000, offsetof(mg_bfs_costs, pull_arc)},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        uint64_t frontier = table[i].frontier, arcs = table[i].frontier_arcs, left = table[i].left;
        bool pull = table[i].entry >= offsetof(mg_bfs_costs, pull_word);
        mg_bfs_costs changed = costs, scaled = costs;
        *(double *)(void *)((char *)&changed + table[i].entry) *= dear;
        for (size_t at = 0; at <= offsetof(mg_bfs_costs, pull_arc); at += sizeof(double))
            *(double *)(void *)((char *)&scaled + at) *= dear;
        assert_int_equal(pulls_at(frontier, arcs, left, &costs), pull);
        assert_int_equal(pulls_at(frontier, arcs, left, &scaled), pull);
        assert_int_equal(pulls_at(frontier, arcs, left, &changed), !pull);
    }
}

/* Where what is written lies near, and where rows are long, is the engine's to say, too. */
static void near_and_long(void **state) {
    (void)state;
    mg_bfs_costs changed = costs;
    uint64_t frontier = 2000, arcs = 64000, left = 400000;
    assert_false(pulls_at(frontier, arcs, left, &changed));
    changed.push_reach_near = 1000;
    assert_false(pulls_at(frontier, arcs, left, &changed));
    changed.near_vertices = 1 << 20;
    assert_true(pulls_at(frontier, arcs, left, &changed));
    changed.long_row = 32;
    assert_false(pulls_at(frontier, arcs, left, &changed));
}

static void few_arcs_are_sparse(void **state) {
    (void)state;
    assert_false(mg_policy_bfs_many(0, 1000));
    assert_false(mg_policy_bfs_many(64, 1000));
    assert_true(mg_policy_bfs_many(1000, 1000));
    assert_true(mg_policy_bfs_many(1, 0));
}

static void a_push_has_few_arcs_up_to_the_words_of_a_bitmap(void **state) {
    (void)state;
    assert_false(mg_policy_bfs_few(0, 0));
    assert_true(mg_policy_bfs_few(0, 1));
    assert_true(mg_policy_bfs_few(999, 64000));
    assert_false(mg_policy_bfs_few(1000, 64000));
    assert_true(mg_policy_bfs_few(1000, 64001));
}

static void rare_sources(void **state) {
    (void)state;
    assert_false(mg_policy_bfs_many_pull(499, 1000));
    assert_true(mg_policy_bfs_many_pull(500, 1000));
    assert_true(mg_policy_bfs_many_pull(UINT64_MAX, UINT64_MAX));
    assert_true(mg_policy_bfs_many_rare(0, 2048));
    assert_false(mg_policy_bfs_many_rare(1, 2048));
    assert_true(mg_policy_bfs_many_rare(1, 4096));
    assert_false(mg_policy_bfs_many_rare(0, 2047));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_rule_of_the_paper),
        cmocka_unit_test(small_frontiers_push),
        cmocka_unit_test(large_frontiers_pull),
        cmocka_unit_test(one_change_at_most),
        cmocka_unit_test(the_costs_of_the_engine_decide),
        cmocka_unit_test(near_and_long),
        cmocka_unit_test(few_arcs_are_sparse),
        cmocka_unit_test(a_push_has_few_arcs_up_to_the_words_of_a_bitmap),
        cmocka_unit_test(rare_sources),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
