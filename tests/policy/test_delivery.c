/* How messages of vertex programs are delivered: the rules as tables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above */
#include <cmocka.h>

#include "policy/policy.h"

/* Paper P4, section 3.5: below a fifth of the vertices. */
static void the_rule_of_a_fifth(void **state) {
    (void)state;
    assert_true(mg_policy_sopt(0, 100));
    assert_true(mg_policy_sopt(19, 100));
    assert_false(mg_policy_sopt(20, 100));
    assert_false(mg_policy_sopt(100, 100));
    assert_true(mg_policy_sopt(0, 4));
    assert_false(mg_policy_sopt(1, 4));
}

static void few_wake_many_are_looked_for(void **state) {
    (void)state;
    static const mg_delivery_costs costs = MG_DELIVERY_COSTS;
    static const struct {
        uint64_t sender_arcs, waiting;
        bool wakes;
    } table[] = {{0, 1000000, true},       {1, 1000000, true},         {10000, 1000000, true},
                 {1000000, 1000000, true}, {30000000, 1000000, false}, {10000000, 1000000, false},
                 {10000000, 100, false},   {100, 100, true},           {32000000, 1, false}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        mg_delivery_facts facts = {.vertices = 1000000,
                                   .arcs = 32000000,
                                   .senders = table[i].sender_arcs / 32,
                                   .sender_arcs = table[i].sender_arcs,
                                   .waiting = table[i].waiting};
        assert_int_equal(mg_policy_delivery_wakes(&facts, &costs), table[i].wakes);
    }
    mg_delivery_facts nothing = {0};
    assert_true(mg_policy_delivery_wakes(&nothing, &costs));
    /* The slower it is to wake, the sooner all look. */
    mg_delivery_facts facts = {.vertices = 1000, .arcs = 10000, .senders = 100, .sender_arcs = 1000, .waiting = 1000};
    mg_delivery_costs slow = costs;
    slow.wake_arc = 1000;
    assert_true(mg_policy_delivery_wakes(&facts, &costs));
    assert_false(mg_policy_delivery_wakes(&facts, &slow));
}

/* Where arcs have to be laid out first: once as much was lost without them, and only where it saves something now. */
static void rows_are_laid_out_when_it_pays(void **state) {
    (void)state;
    static const mg_delivery_costs costs = MG_DELIVERY_COSTS;
    mg_delivery_facts facts = {.vertices = 1000000,
                               .arcs = 32000000,
                               .senders = 10,
                               .sender_arcs = 320,
                               .waiting = 1000000,
                               .unlaid = 32000000};
    double gain = mg_policy_wake_gain(&facts, &costs), price = 32000000 * costs.lay_arc;
    assert_true(gain > 0 && gain < price);
    unsigned steps = 0;
    for (; !mg_policy_delivery_wakes(&facts, &costs); steps++) facts.missed += gain;
    assert_true(facts.missed < price && facts.missed + gain >= price);
    assert_true(steps > 5 && steps < 50);
    facts.unlaid = 0;
    facts.missed = 0;
    assert_true(mg_policy_delivery_wakes(&facts, &costs));
    facts.sender_arcs = 30000000;
    facts.missed = 2 * price;
    assert_true(mg_policy_wake_gain(&facts, &costs) < 0);
    assert_false(mg_policy_delivery_wakes(&facts, &costs));
}

static void forms_of_bits(void **state) {
    (void)state;
    assert_int_equal(mg_policy_ghost_form(0, 0), MG_SET_ALL);
    assert_int_equal(mg_policy_ghost_form(64, 64), MG_SET_ALL);
    assert_int_equal(mg_policy_ghost_form(0, 64), MG_SET_LIST);
    assert_int_equal(mg_policy_ghost_form(1, 64), MG_SET_LIST);
    assert_int_equal(mg_policy_ghost_form(2, 64), MG_SET_BITMAP); /* 8 bytes either way */
    assert_int_equal(mg_policy_ghost_form(63, 64), MG_SET_BITMAP);
}

static void tiles_when_many_have_sent_again_and_again(void **state) {
    (void)state;
    static const struct {
        uint64_t dense, bytes;
        bool folds;
    } table[] = {{1, 8 << 20, false}, {3, 8 << 20, false}, {4, 8 << 20, true},      {100, 8 << 20, true},
                 {4, 1 << 18, false}, {100, 64, false},    {4, (1 << 18) + 8, true}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        assert_int_equal(mg_policy_delivery_folds(table[i].dense, table[i].bytes), table[i].folds);
}

static void hubs(void **state) {
    (void)state;
    assert_int_equal(mg_policy_mirror_degree(0, 0, 4), 1);
    assert_int_equal(mg_policy_mirror_degree(100, 1600, 16), 43); /* 16 e */
    assert_true(mg_policy_mirror_degree(100, 1600, 1) > 1000000);
    assert_int_equal(mg_policy_mirror_degree(1, UINT64_MAX, 1), UINT32_MAX);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_rule_of_a_fifth),
        cmocka_unit_test(few_wake_many_are_looked_for),
        cmocka_unit_test(rows_are_laid_out_when_it_pays),
        cmocka_unit_test(forms_of_bits),
        cmocka_unit_test(tiles_when_many_have_sent_again_and_again),
        cmocka_unit_test(hubs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
