/* The choices of shortest paths as tables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above */
#include <cmocka.h>

#include "policy/policy.h"

#include <math.h>

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

static void bins_of_one_after_many_small_steps(void **state) {
    (void)state;
    assert_false(mg_policy_sssp_gather(63));
    assert_true(mg_policy_sssp_gather(64));
}

/* A graph of weights 1 to 16, each as often. */
static void bins_are_as_wide_as_the_weights_say(void **state) {
    (void)state;
    double sample[16], zeros[16] = {0};
    for (int i = 0; i < 16; i++) sample[i] = i + 1;
    const struct {
        mg_sssp_weights weights;
        const double *sample;
        double delta, light;
    } table[] = {
        {{.vertices = 100, .arcs = 300, .real = true, .weighted = true, .heaviest = 16}, sample, 9.0 / 16, 0},
        {{.vertices = 100, .arcs = 300, .weighted = true, .heaviest = 16}, sample, 1, 0}, /* whole: no finer than 1 */
        {{.vertices = 100, .arcs = 300}, sample, 1, 0},                                   /* no weights */
        /* Dense and large: two of 16 edges of a vertex lie within the horizon. */
        {{.vertices = 16384, .arcs = 262144, .real = true, .weighted = true, .heaviest = 16}, sample, 3.0 / 256, 3},
        {{.vertices = 16384, .arcs = 262143, .real = true, .weighted = true, .heaviest = 16}, sample, 9.0 / 16, 0},
        {{.vertices = 32768, .arcs = 262144, .real = true, .weighted = true, .heaviest = 16}, sample, 9.0 / 16, 0},
        /* Nothing but zeros in sight. */
        {{.vertices = 100, .arcs = 300, .real = true, .weighted = true, .heaviest = 5}, zeros, 5, 0},
        {{.vertices = 100, .arcs = 300, .real = true, .weighted = true}, zeros, 1, 0},
        {{.vertices = 0, .arcs = 0, .real = true, .weighted = true, .heaviest = 1e-300}, zeros, 1e-290, 0},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        mg_sssp_width width = mg_policy_sssp_width(&table[i].weights, table[i].sample, 16);
        assert_true(width.delta == table[i].delta);
        assert_true(width.light == table[i].light);
    }
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

static void too_much_for_a_step(void **state) {
    (void)state;
    const mg_sssp_costs costs = {.enough = 100, .most_span = 64};
    assert_false(mg_policy_sssp_cut(100, &costs));
    assert_true(mg_policy_sssp_cut(101, &costs));
}

/* Where the two ways of a phase are equally fast, on lines through few and many changed vertices. */
/* The time of a phase with so many changed vertices: of all, as `few` and a share of those; of a list, likewise. */
static mg_sssp_phase_times phases_of(const double *changed, uint32_t count, double all, double all_each, double list,
                                     double list_each) {
    mg_sssp_phase_times times = {.count = count};
    for (uint32_t i = 0; i < count; i++) {
        times.all[i] = all + all_each * changed[i];
        times.selected[i] = list + list_each * changed[i];
    }
    return times;
}

/* A wave that grows and shrinks: what thresholds make of it. */
static void thresholds_are_those_of_the_fastest_search(void **state) {
    (void)state;
    double wave[MG_SSSP_TRIED];
    for (int i = 0; i < MG_SSSP_TRIED; i++) wave[i] = i < 64 ? i : 127 - i;
    mg_sssp_phase_times times = phases_of(wave, MG_SSSP_TRIED, 30, 1, 1, 2); /* equal at 29 changed: 59 */
    mg_sssp_thresholds found = mg_policy_sssp_thresholds(&times);
    assert_true(found.above > 50 && found.above < 65);
    assert_true(found.below > 50 && found.below < 65);
    times = phases_of(wave, MG_SSSP_TRIED, 30, 1, 1, 1); /* the list is always ahead */
    found = mg_policy_sssp_thresholds(&times);
    assert_true(isinf(found.above) && isinf(found.below));
    times = phases_of(wave, MG_SSSP_TRIED, 30, 1, 1, 1.47); /* but for so little that it does not pay to change */
    found = mg_policy_sssp_thresholds(&times);
    assert_true(isinf(found.above) && isinf(found.below));
    times = phases_of(wave, MG_SSSP_TRIED, 1, 1, 30, 1); /* never */
    found = mg_policy_sssp_thresholds(&times);
    assert_true(found.above == 0 && found.below == 0);
    times.count = 0;
    found = mg_policy_sssp_thresholds(&times);
    assert_true(isinf(found.above) && isinf(found.below));
}

static void phases_change_over_by_the_mean_of_two(void **state) {
    (void)state;
    const mg_sssp_thresholds at = {.above = 35, .below = 33}, never = {INFINITY, INFINITY}, always = {0, 0};
    const struct {
        bool all;
        double seconds, last;
        bool next;
    } table[] = {{false, 36, -1, true}, {false, 35, -1, false}, {false, 50, 21, true}, {false, 50, 19, false},
                 {true, 33, -1, true},  {true, 32, -1, false},  {true, 10, 57, true},  {true, 10, 55, false},
                 {true, 34, 34, true},  {false, 34, 34, false}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        assert_int_equal(mg_policy_sssp_all(table[i].all, table[i].seconds, table[i].last, &at), table[i].next);
    assert_false(mg_policy_sssp_all(false, 1e9, 1e9, &never));
    assert_false(mg_policy_sssp_all(true, 1e9, 1e9, &never));
    assert_true(mg_policy_sssp_all(false, 1e-9, -1, &always));
    assert_true(mg_policy_sssp_all(true, 0, 0, &always));
    assert_int_equal(mg_policy_sssp_strategy(), MEGURI_SSSP_NEAR_FAR);
    assert_int_equal(mg_policy_sssp_lanes(3), 3);
    assert_int_equal(mg_policy_sssp_lanes(1000), 8);
    assert_int_equal(mg_policy_sssp_few(64), 512);
}

/* What is known moves when rounds have lost as much as it takes. */
static void rounds(void **state) {
    (void)state;
    static const struct {
        mg_round_facts facts;
        mg_round_choice choice;
    } table[] = {{{true, 1, 5, 10, 0}, {true, 0}},   /* the host is faster */
                 {{true, 5, 1, 10, 0}, {true, 4}},   /* it is not, for once */
                 {{true, 5, 1, 10, 8}, {false, 0}},  /* and once more: too much was lost */
                 {{true, 1, 5, 10, 6}, {true, 2}},   /* what was lost is won back */
                 {{true, 50, 1, 10, 0}, {false, 0}}, /* one large round is enough */
                 {{false, 1, 5, 10, 0}, {false, 4}}, /* the same the other way */
                 {{false, 1, 50, 10, 0}, {true, 0}}, {{false, 5, 1, 10, 3}, {false, 0}},
                 {{true, 2, 1, 0, 0}, {false, 0}}, /* nothing has to move: who is faster */
                 {{true, 1, 1, 0, 0}, {true, 0}}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        mg_round_choice choice = mg_policy_round(&table[i].facts);
        assert_int_equal(choice.here, table[i].choice.here);
        assert_true(choice.lost == table[i].choice.lost);
    }
    assert_true(mg_policy_round_host(100, 100) < mg_policy_round_device(100, 100)); /* small rounds are the host's */
    assert_true(mg_policy_round_host(1 << 20, 1000) > mg_policy_round_device(1 << 20, 1000));
    assert_true(mg_policy_round_move(1 << 20) > mg_policy_round_move(1 << 10));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rounds),
        cmocka_unit_test(span_follows_the_work),
        cmocka_unit_test(work_counts_arcs_and_vertices),
        cmocka_unit_test(bins_of_one_after_many_small_steps),
        cmocka_unit_test(bins_are_as_wide_as_the_weights_say),
        cmocka_unit_test(the_rest_is_pulled_when_little_is_left),
        cmocka_unit_test(too_much_for_a_step),
        cmocka_unit_test(thresholds_are_those_of_the_fastest_search),
        cmocka_unit_test(phases_change_over_by_the_mean_of_two),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
