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

/* A graph of a million vertices and 32 million arcs; where rows are alike an arc leads to one of 33 arcs, where there
 * are hubs to one of thousands. */
static mg_delivery_facts facts_of(uint64_t sender_arcs, uint64_t waiting, double reading_row) {
    return (mg_delivery_facts){.vertices = 1000000,
                               .arcs = 32000000,
                               .senders = sender_arcs / 32,
                               .sender_arcs = sender_arcs,
                               .waiting = waiting,
                               .reading_row = reading_row};
}

static void push_wake_or_pull(void **state) {
    (void)state;
    static const mg_delivery_costs costs = MG_DELIVERY_COSTS;
    static const struct {
        uint64_t sender_arcs, waiting;
        double reading_row;
        mg_delivery_way way;
    } table[] = {
        /* few senders: who is woken reads a short row, or is spared a long one */
        {1, 1000000, 4, MG_DELIVERY_WAKE},
        {10000, 1000000, 4, MG_DELIVERY_WAKE},
        {1, 1000000, 33, MG_DELIVERY_PUSH},
        {10000, 1000000, 33, MG_DELIVERY_PUSH},
        {10000, 1000000, 5000, MG_DELIVERY_PUSH},
        {1000000, 1000000, 5000, MG_DELIVERY_PUSH},
        /* many: all look */
        {10000000, 1000000, 4, MG_DELIVERY_PULL},
        {10000000, 1000000, 5000, MG_DELIVERY_PULL},
        {32000000, 1000000, 33, MG_DELIVERY_PULL},
        /* few who wait are soon asked, whoever has sent */
        {1000000, 100, 33, MG_DELIVERY_PULL},
        {10000000, 100, 5000, MG_DELIVERY_PULL},
        {32000000, 1, 5000, MG_DELIVERY_PULL},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        mg_delivery_facts facts = facts_of(table[i].sender_arcs, table[i].waiting, table[i].reading_row);
        assert_int_equal(mg_policy_delivery(&facts, &costs), table[i].way);
    }
    mg_delivery_facts nothing = {0};
    assert_int_equal(mg_policy_delivery(&nothing, &costs), MG_DELIVERY_WAKE);
}

static void what_is_slow_is_left(void **state) {
    (void)state;
    mg_delivery_costs costs = MG_DELIVERY_COSTS;
    mg_delivery_facts flat = facts_of(10000, 1000000, 4), hubs = facts_of(10000, 1000000, 5000);
    costs.wake_arc = 100;
    assert_int_equal(mg_policy_delivery(&flat, &costs), MG_DELIVERY_PUSH);
    costs.each_arc = 1000000;
    assert_int_equal(mg_policy_delivery(&flat, &costs), MG_DELIVERY_WAKE);
    costs.wake_arc = 1000000;
    assert_int_equal(mg_policy_delivery(&flat, &costs), MG_DELIVERY_PULL);
    assert_int_equal(mg_policy_delivery(&hubs, &costs), MG_DELIVERY_PULL);
}

/* Where arcs have to be laid out first: once as much was lost without them, and only where it saves something now. */
static void rows_are_laid_out_when_it_pays(void **state) {
    (void)state;
    static const mg_delivery_costs costs = MG_DELIVERY_COSTS;
    mg_delivery_facts facts = facts_of(1000000, 1000000, 4);
    facts.unlaid = 32000000;
    double gain = mg_policy_wake_gain(&facts, &costs), price = 32000000 * costs.lay_arc;
    assert_true(gain > 0 && gain < price);
    unsigned steps = 0;
    for (; mg_policy_delivery(&facts, &costs) != MG_DELIVERY_WAKE; steps++) {
        assert_int_equal(mg_policy_delivery(&facts, &costs), MG_DELIVERY_PUSH); /* the better of the others */
        facts.missed += gain;
    }
    assert_true(facts.missed < price && facts.missed + gain >= price);
    assert_true(steps > 5 && steps < 50);
    facts.unlaid = 0;
    facts.missed = 0;
    assert_int_equal(mg_policy_delivery(&facts, &costs), MG_DELIVERY_WAKE);
    facts.sender_arcs = 30000000;
    facts.missed = 2 * price;
    assert_true(mg_policy_wake_gain(&facts, &costs) < 0);
    assert_int_equal(mg_policy_delivery(&facts, &costs), MG_DELIVERY_PULL);
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
        assert_int_equal(mg_policy_delivery_folds(table[i].dense, table[i].bytes, false), table[i].folds);
    assert_false(mg_policy_delivery_folds(24, 8 << 20, true));
    assert_true(mg_policy_delivery_folds(25, 8 << 20, true));
    assert_false(mg_policy_delivery_folds(25, 64, true));
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
        cmocka_unit_test(push_wake_or_pull),
        cmocka_unit_test(what_is_slow_is_left),
        cmocka_unit_test(rows_are_laid_out_when_it_pays),
        cmocka_unit_test(forms_of_bits),
        cmocka_unit_test(tiles_when_many_have_sent_again_and_again),
        cmocka_unit_test(hubs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
