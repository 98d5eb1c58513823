/* The choices of other algorithms as tables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above */
#include <cmocka.h>

#include "policy/policy.h"

static void a_push_keeps_what_it_finds(void **state) {
    (void)state;
    const struct {
        uint64_t frontier, arcs, vertices, room;
        uint32_t threads;
        mg_bfs_push_form form;
    } table[] = {
        {1, 1, 64000, 64000, 1, MG_BFS_PUSH_LISTED},      {1, 999, 64000, 64000, 1, MG_BFS_PUSH_LISTED},
        {100, 999, 64000, 64000, 2, MG_BFS_PUSH_SPLIT},   {100, 999, 64000, 1000, 2, MG_BFS_PUSH_LISTED},
        {10, 161, 64000, 64000, 2, MG_BFS_PUSH_LISTED},   {10, 160, 64000, 64000, 2, MG_BFS_PUSH_SPLIT},
        {100, 1000, 64000, 64000, 2, MG_BFS_PUSH_MARKED}, {10, 1279, 64000, 64000, 2, MG_BFS_PUSH_MARKED},
        {10, 1280, 64000, 64000, 2, MG_BFS_PUSH_WIDE},    {10, 1280, 64000, 64000, 4, MG_BFS_PUSH_MARKED},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        assert_int_equal(
            mg_policy_bfs_push(table[i].frontier, table[i].arcs, table[i].vertices, table[i].room, table[i].threads),
            table[i].form);
}

static void sampling_ends_when_the_giant_has_most(void **state) {
    (void)state;
    assert_true(mg_policy_components_sample(1000, 0, 16000));
    assert_true(mg_policy_components_sample(1000, 749, 16000));
    assert_false(mg_policy_components_sample(1000, 750, 16000)); /* 250 outside with 16 arcs: 4000 */
    assert_false(mg_policy_components_sample(1000, 0, 4000));
    assert_false(mg_policy_components_sample(1000, 1000, 1000000));
}

static void tiles_pay_from_some_iterations_on(void **state) {
    (void)state;
    assert_false(mg_policy_pagerank_tiles(3));
    assert_true(mg_policy_pagerank_tiles(4));
}

static void neighbours_are_woken_singly_when_little_changed(void **state) {
    (void)state;
    assert_false(mg_policy_communities_all(24, 100));
    assert_true(mg_policy_communities_all(25, 100));
    assert_true(mg_policy_communities_all(100, 100));
}

static void lists_of_triangles_are_copied_where_it_pays(void **state) {
    (void)state;
    const uint64_t edges = 1 << 20, memory = 8 * edges;
    assert_true(mg_policy_triangles_copy(edges, 16 * edges, memory));
    assert_false(mg_policy_triangles_copy(edges - 1, 16 * edges, memory));
    assert_false(mg_policy_triangles_copy(edges, 16 * edges - 16, memory));
    assert_false(mg_policy_triangles_copy(edges, 16 * edges, memory - 1));
}

static void betweenness_takes_lanes_and_threads(void **state) {
    (void)state;
    assert_int_equal(mg_policy_betweenness_lanes(1, 10, 1000), 1);
    assert_int_equal(mg_policy_betweenness_lanes(2, 10, 1000), 4);
    assert_int_equal(mg_policy_betweenness_lanes(4, 10, 1000), 4);
    assert_int_equal(mg_policy_betweenness_lanes(5, 10, 1000), 8);
    assert_int_equal(mg_policy_betweenness_lanes(5, 10, 80), 8);
    assert_int_equal(mg_policy_betweenness_lanes(5, 10, 79), 1);
    assert_true(mg_policy_betweenness_dense(10, 80));
    assert_false(mg_policy_betweenness_dense(10, 79));
    assert_true(mg_policy_betweenness_together(0.31));
    assert_false(mg_policy_betweenness_together(0.3));
    assert_int_equal(mg_policy_betweenness_look(100), 256);
    assert_int_equal(mg_policy_betweenness_look(1 << 20), 1 << 14);
    assert_false(mg_policy_betweenness_narrow(15));
    assert_true(mg_policy_betweenness_narrow(16));
    assert_true(mg_policy_betweenness_narrow_level(1 << 18));
    assert_false(mg_policy_betweenness_narrow_level((1 << 18) + 1));
    assert_false(mg_policy_betweenness_in_order(9, 640));
    assert_true(mg_policy_betweenness_in_order(10, 640));
    assert_int_equal(mg_policy_betweenness_side_by_side(8, 100, 16383, 10), 1);
    assert_int_equal(mg_policy_betweenness_side_by_side(8, 100, 16384, 10), 8);
    assert_int_equal(mg_policy_betweenness_side_by_side(8, 3, 16384, 10), 3);
    assert_int_equal(mg_policy_betweenness_side_by_side(2, 100, 131072, 1), 2);
    assert_int_equal(mg_policy_betweenness_side_by_side(2, 100, 131073, 1), 1);
    assert_int_equal(mg_policy_betweenness_side_by_side(2, 100, 131073, 0), 1);
}

static void paths_are_guided_where_it_wins(void **state) {
    (void)state;
    assert_true(mg_policy_path_price() > 1);
    assert_true(mg_policy_path_guided(0, 0, 0.91));
    assert_false(mg_policy_path_guided(0, 0, 0.9));
    assert_true(mg_policy_path_guided(1, 2, 0));
    assert_false(mg_policy_path_guided(2, 1, 1));
}

static void many_paths_share_a_tree_where_it_is_cheaper(void **state) {
    (void)state;
    const struct {
        uint64_t count;
        uint32_t threads;
        uint64_t samples;
    } samples[] = {{3, 1, 0}, {4, 1, 1}, {7, 2, 0}, {8, 2, 1}, {16, 2, 2}, {48, 2, 4}, {1000000, 2, 4}};
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
        assert_int_equal(mg_policy_path_samples(samples[i].count, samples[i].threads), samples[i].samples);
    assert_true(mg_policy_path_single_price(true) > 1);
    assert_true(mg_policy_path_single_price(false) < 1);
    assert_float_equal(mg_policy_path_single(400, 4, 1000, 2), 50000, 0);
    assert_true(mg_policy_path_tree(150, 100, 1000));
    assert_false(mg_policy_path_tree(149, 100, 1000));
    assert_true(mg_policy_path_tree(120, 100, 120)); /* no more than all vertices */
    assert_false(mg_policy_path_tree(99, 100, 50));  /* what was tried so far costs more already */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_push_keeps_what_it_finds),
        cmocka_unit_test(sampling_ends_when_the_giant_has_most),
        cmocka_unit_test(tiles_pay_from_some_iterations_on),
        cmocka_unit_test(neighbours_are_woken_singly_when_little_changed),
        cmocka_unit_test(lists_of_triangles_are_copied_where_it_pays),
        cmocka_unit_test(betweenness_takes_lanes_and_threads),
        cmocka_unit_test(paths_are_guided_where_it_wins),
        cmocka_unit_test(many_paths_share_a_tree_where_it_is_cheaper),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
