/* The small choices as tables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above */
#include <cmocka.h>

#include "policy/policy.h"

static void threads_get_at_least_a_grain(void **state) {
    (void)state;
    const struct {
        uint32_t available;
        uint64_t work, grain;
        uint32_t threads;
    } table[] = {
        {8, 0, 100, 1},     {8, 1, 100, 1},        {8, 99, 100, 1},
        {8, 199, 100, 1},   {8, 200, 100, 2},      {8, 799, 100, 7},
        {8, 800, 100, 8},   {8, 1000000, 100, 8},  {1, 1000000, 100, 1},
        {0, 1000000, 1, 1}, {8, UINT64_MAX, 1, 8}, {8, 5, UINT64_MAX, 1},
        {8, 3, 0, 3},       {8, 0, 0, 1},          {UINT32_MAX, UINT64_MAX, 1, UINT32_MAX},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        assert_int_equal(mg_policy_threads(table[i].available, table[i].work, table[i].grain), table[i].threads);
}

static void smaller_form_is_read(void **state) {
    (void)state;
    const struct {
        uint64_t members, vertices;
        bool bitmap;
    } table[] = {
        {0, 0, false},
        {0, 1000, false},
        {1, 1, false}, /* four bytes against eight */
        {2, 64, false},
        {3, 64, true},
        {64, 64, true},
        {2, 65, false},
        {4, 65, false},
        {5, 65, true},
        {31250, 1000000, false},
        {31251, 1000000, true},
        {1000000, 1000000, true},
        {UINT32_MAX, UINT32_MAX, true},
        {1, UINT64_MAX, false},
        {UINT64_MAX, UINT64_MAX, true},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        assert_int_equal(mg_policy_frontier_as_bitmap(table[i].members, table[i].vertices), table[i].bitmap);
}

static void rows_sent_to_a_device(void **state) {
    (void)state;
    const struct {
        uint64_t wanted, arcs;
        mg_sending sending;
    } table[] = {
        {0, 0, MG_SEND_NOTHING},
        {0, 1000, MG_SEND_NOTHING},
        {1, 1000, MG_SEND_PACKED},
        {799, 1000, MG_SEND_PACKED},
        {800, 1000, MG_SEND_RANGE},
        {1000, 1000, MG_SEND_RANGE},
        {1, 1, MG_SEND_RANGE},
        {UINT64_MAX / 2, UINT64_MAX, MG_SEND_PACKED},
        {UINT64_MAX, UINT64_MAX, MG_SEND_RANGE},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        assert_int_equal(mg_policy_sending(table[i].wanted, table[i].arcs), table[i].sending);
}

static void host_and_device(void **state) {
    (void)state;
    const struct {
        mg_split_facts facts;
        double least, most; /* share of the host */
    } table[] = {
        /* as fast as each other, and nothing to tell */
        {{.host = 1, .device = 1, .host_knows = true, .device_knows = true}, 0.5, 0.5},
        {{.host = 3, .device = 1, .host_knows = true, .device_knows = true}, 0.25, 0.25},
        {{.host = 1, .device = 3, .host_knows = true, .device_knows = true}, 0.75, 0.75},
        /* too little for a device, or for talking about it */
        {{.host = 1e-5, .device = 1e-6, .latency = 1e-4, .host_knows = true, .device_knows = true}, 1, 1},
        {{.host = 1e-3, .device = 1e-3, .exchange = 1e-3, .device_knows = true}, 0, 0},
        {{.host = 1e-3, .device = 1e-3, .exchange = 1e-3, .host_knows = true}, 1, 1},
        /* one of them is so much faster that the other does not help */
        {{.host = 1, .device = 1000, .exchange = 1e-2, .host_knows = true, .device_knows = true}, 1, 1},
        {{.host = 1000, .device = 1, .exchange = 1e-2, .host_knows = true, .device_knows = true}, 0, 0},
        /* the latency is the host's time */
        {{.host = 1, .device = 1, .latency = 0.5, .host_knows = true, .device_knows = true}, 0.75, 0.75},
        /* together they were as slow as one of them, or not: processors, or memory, that they share */
        {{.host = 1, .device = 1, .both = 1.2, .host_knows = true, .device_knows = true}, 0, 0},
        {{.host = 1, .device = 8, .both = 1.1, .host_knows = true, .device_knows = true}, 1, 1},
        {{.host = 1, .device = 8, .both = 0.95, .host_knows = true, .device_knows = true}, 0.88, 0.89},
        {{.host = 8, .device = 1, .both = 1.1, .host_knows = true, .device_knows = true}, 0, 0},
        {{.host = 1, .device = 1, .both = 0.7, .exchange = 1e-2, .host_knows = true, .device_knows = true}, 0.5, 0.5},
        /* one after the other */
        {{.host = 1, .device = 1.1, .in_turn = true, .host_knows = true, .device_knows = true}, 1, 1},
        {{.host = 1.1, .device = 1, .in_turn = true, .host_knows = true, .device_knows = true}, 0, 0},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        double share = mg_policy_split(&table[i].facts);
        assert_true(share >= table[i].least && share <= table[i].most);
    }
    assert_true(mg_policy_learn(0, 4, 8) == 2);
    assert_true(mg_policy_learn(4, 4, 8) == 3);
    assert_true(mg_policy_learn(4, 0, 8) == 4);
    assert_true(mg_policy_learn(4, 4, 0) == 4);
}

static void packed_between_machines(void **state) {
    (void)state;
    const struct {
        meguri_exchange asked;
        uint32_t machines;
        bool packed;
    } table[] = {
        {MEGURI_EXCHANGE_AUTO, 0, false},         {MEGURI_EXCHANGE_AUTO, 1, false},  {MEGURI_EXCHANGE_AUTO, 2, true},
        {MEGURI_EXCHANGE_AUTO, UINT32_MAX, true}, {MEGURI_EXCHANGE_PLAIN, 1, false}, {MEGURI_EXCHANGE_PLAIN, 2, false},
        {MEGURI_EXCHANGE_PLAIN, 99, false},       {MEGURI_EXCHANGE_PACKED, 1, true}, {MEGURI_EXCHANGE_PACKED, 2, true},
        {MEGURI_EXCHANGE_PACKED, 0, true},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        assert_int_equal(mg_policy_pack(table[i].asked, table[i].machines), table[i].packed);
}

static void threads_leave_busy_cores_alone(void **state) {
    (void)state;
    const struct {
        uint32_t wanted, processors, others, threads;
    } table[] = {
        {2, 2, 0, 2}, {2, 2, 1, 1}, {2, 2, 2, 1}, {2, 2, 9, 1},   {1, 2, 5, 1},    {4, 8, 3, 4},
        {4, 8, 5, 3}, {8, 8, 1, 7}, {5, 2, 0, 5}, {5, 2, 100, 5}, {64, 64, 63, 1}, {64, 64, 64, 1},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        assert_int_equal(mg_policy_idle_threads(table[i].wanted, table[i].processors, table[i].others),
                         table[i].threads);
}

/* Parts of a graph on a device: two and what says whose arcs these are fill the memory, as far as the device gives it.
 */
static void arcs_of_a_part(void **state) {
    (void)state;
    const struct {
        mg_part_facts facts;
        uint64_t arcs;
    } table[] = {
        {{.memory = 1e9, .largest = 1e9, .rows = 1000000, .arcs = 200000000, .weight_bytes = 4}, 16 << 20},
        {{.memory = 2e8, .largest = 1e9, .rows = 1000000, .arcs = 200000000, .weight_bytes = 4}, 12382752},
        {{.memory = 2e8, .largest = 2e7, .rows = 1000000, .arcs = 200000000, .weight_bytes = 4}, 5000000},
        {{.memory = 2e8, .largest = 2e7, .rows = 1000000, .arcs = 200000000, .weight_bytes = 8}, 2500000},
        {{.memory = 2e8, .largest = 1e9, .rows = 1000, .arcs = 5000, .weight_bytes = 0}, 5000},
        {{.memory = 2e8, .largest = 1e9, .rows = 1000, .arcs = 0, .weight_bytes = 0}, 512},
        {{.memory = 12000, .largest = 1e9, .rows = 1000, .arcs = 5000, .weight_bytes = 4}, 0},
        {{.memory = -5, .largest = 1e9, .rows = 1000, .arcs = 5000, .weight_bytes = 4}, 0},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const mg_part_facts *f = &table[i].facts;
        uint64_t arcs = mg_policy_part_arcs(f);
        assert_int_equal(arcs, table[i].arcs);
        double bytes = 2 * (double)arcs * (4 + (double)f->weight_bytes + 8 * mg_policy_part_entries(f));
        assert_true(arcs == 0 || bytes <= f->memory);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_get_at_least_a_grain),
        cmocka_unit_test(threads_leave_busy_cores_alone),
        cmocka_unit_test(smaller_form_is_read),
        cmocka_unit_test(rows_sent_to_a_device),
        cmocka_unit_test(arcs_of_a_part),
        cmocka_unit_test(host_and_device),
        cmocka_unit_test(packed_between_machines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
