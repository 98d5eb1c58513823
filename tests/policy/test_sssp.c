/* The choices of shortest paths as tables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above */
#include <cmocka.h>

#include "policy/policy.h"

static void span_follows_the_work(void **state) {
    (void)state;
    const mg_sssp_costs costs = {.enough = 1000, .most_span = 64};
    const struct {
        uint64_t span;
        mg_sssp_work last;
        uint64_t next;
    } table[] = {
        {1, {.work = 0}, 2},
        {1, {.work = 999}, 2},
        {1, {.work = 1000}, 1},
        {1, {.work = 4000}, 1},
        {1, {.work = 4001}, 1},
        {8, {.work = 999}, 16},
        {8, {.work = 1000}, 8},
        {8, {.work = 4000}, 8},
        {8, {.work = 4001}, 4},
        {64, {.work = 0}, 64},
        {40, {.work = 0}, 64},
        {32, {.work = 0}, 64},
        {3, {.work = 5000}, 1},
        {2, {.work = 5000}, 1},
        /* Much was done again: narrower, however little there was. */
        {8, {.vertices = 200, .again = 129, .work = 10}, 4},
        {8, {.vertices = 258, .again = 129, .work = 10}, 16}, /* just half */
        {8, {.vertices = 257, .again = 129, .work = 10}, 4},
        {8, {.vertices = 100, .again = 100, .work = 10}, 16}, /* few */
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        assert_int_equal(mg_policy_sssp_span(table[i].span, &table[i].last, &costs), table[i].next);
}

static void work_counts_arcs_and_vertices(void **state) {
    (void)state;
    assert_int_equal(mg_policy_sssp_work(0, 0), 0);
    assert_int_equal(mg_policy_sssp_work(0, 10), 10);
    assert_int_equal(mg_policy_sssp_work(10, 0), 40);
    assert_true(mg_policy_sssp_alone(2047));
    assert_false(mg_policy_sssp_alone(2048));
}

static void the_rest_is_pulled_when_little_is_left(void **state) {
    (void)state;
    assert_int_equal(mg_policy_sssp_in_sight(4095), 0);
    assert_int_equal(mg_policy_sssp_in_sight(8192), 2);
    assert_true(mg_policy_sssp_pull(0, 0));
    assert_true(mg_policy_sssp_pull(100, 600));
    assert_false(mg_policy_sssp_pull(101, 600));
    assert_false(mg_policy_sssp_pull(600, 600));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(span_follows_the_work),
        cmocka_unit_test(work_counts_arcs_and_vertices),
        cmocka_unit_test(the_rest_is_pulled_when_little_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
