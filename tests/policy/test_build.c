/* The choices that shape a build, as tables and as properties. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above */
#include <cmocka.h>

#include "policy/policy.h"

static void skew_decides_the_order(void **state) {
    (void)state;
    const struct {
        mg_degree_facts facts;
        meguri_order order;
    } table[] = {
        {{0, 0, 0}, MEGURI_ORDER_NONE},
        {{1000, 32000, 480}, MEGURI_ORDER_NONE},         /* uniform random: a hundredth has 1.5 % */
        {{1000, 3200, 20}, MEGURI_ORDER_BFS},            /* roads */
        {{1000, 32000, 16000}, MEGURI_ORDER_DEGREE},     /* Kronecker */
        {{82168, 1008460, 170000}, MEGURI_ORDER_DEGREE}, /* a social network */
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        assert_int_equal(mg_policy_order(&table[i].facts), table[i].order);
}

static void hubs_decide_the_owners(void **state) {
    (void)state;
    const struct {
        mg_owner_facts facts;
        meguri_owner owner;
    } table[] = {
        {{{0, 0, 0}, 0, 0, 2}, MEGURI_OWNER_DEGREE},
        {{{1000, 3200, 20}, 1600, 1590, 4}, MEGURI_OWNER_BLOCKS},       /* roads */
        {{{1000, 3200, 20}, 1600, 800, 4}, MEGURI_OWNER_DEGREE},        /* roads, in an order of no use */
        {{{1000, 3200, 20}, 1600, 1600, 1}, MEGURI_OWNER_DEGREE},       /* nobody to share with */
        {{{1000, 32000, 480}, 16000, 15900, 4}, MEGURI_OWNER_DEGREE},   /* dense and even */
        {{{1000, 32000, 16000}, 16000, 15900, 4}, MEGURI_OWNER_DEGREE}, /* Kronecker */
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        assert_int_equal(mg_policy_owner(&table[i].facts), table[i].owner);
    assert_true(mg_policy_take_rows(1, 2, 1) && mg_policy_take_rows(1, 16, 16));
    assert_false(mg_policy_take_rows(1, 64, 1));
    assert_false(mg_policy_take_rows(2, 2, 1)); /* another machine */
    assert_true(mg_policy_table_of_all(100, 100));
    assert_false(mg_policy_table_of_all(101, 100));
}

static void keys_are_as_short_as_they_can_be(void **state) {
    (void)state;
    const uint64_t plenty = (uint64_t)1 << 40;
    for (uint32_t bits = 1; bits <= 32; bits++) {
        uint64_t vertices = ((uint64_t)1 << bits) - (bits == 32 ? 2 : 0);
        for (uint64_t arcs = 0; arcs < (uint64_t)1 << 34; arcs = arcs * 7 + 1) {
            mg_sort_plan plan = mg_policy_sort(vertices, arcs, 0, 4, plenty);
            assert_int_equal(plan.vertex_bits, bits);
            assert_true(plan.bucket_bits <= plan.vertex_bits && plan.bucket_bits <= 14);
            uint32_t key_bits = 2 * plan.vertex_bits - plan.bucket_bits;
            assert_true(key_bits <= 8 * plan.key_bytes);
            if (bits <= 23) assert_int_equal(plan.key_bytes, 4);
            assert_true(plan.round_arcs == UINT64_MAX && !plan.result_on_disk);
        }
    }
}

static void streams_are_few_and_their_keys_short(void **state) {
    (void)state;
    const struct {
        uint64_t rows, columns;
        uint32_t processes;
        mg_stream_plan plan; /* bits of the row and of the column, bytes of the key */
    } table[] = {
        {1, 1, 1, {1, 1, 4}},
        {64, 128, 2, {6, 7, 4}},                  /* one stream */
        {622592, 1245184, 2, {10, 21, 4}},        /* scale 21 on two processes */
        {1 << 21, 1 << 22, 2, {10, 22, 4}},       /* twice the streams: else keys would have 8 bytes */
        {1 << 23, 1 << 24, 2, {13, 24, 8}},       /* too large for that */
        {1 << 23, 1 << 9, 2, {13, 9, 4}},         /* few columns */
        {1 << 21, 1 << 22, 4096, {11, 22, 8}},    /* so many that streams must be few */
        {UINT32_MAX, UINT32_MAX, 2, {22, 32, 8}}, /* all that there can be */
        {UINT32_MAX, 64, 1 << 22, {32, 6, 8}},    /* one stream, whatever its keys */
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        mg_stream_plan plan = mg_policy_streams(table[i].rows, table[i].columns, table[i].processes);
        assert_int_equal(plan.row_bits, table[i].plan.row_bits);
        assert_int_equal(plan.column_bits, table[i].plan.column_bits);
        assert_int_equal(plan.key_bytes, table[i].plan.key_bytes);
        assert_true(plan.row_bits + plan.column_bits <= 8 * plan.key_bytes);
        assert_true((table[i].rows - 1) >> plan.row_bits <= 2048);
    }
}

static void what_does_not_fit_is_done_in_rounds(void **state) {
    (void)state;
    uint64_t vertices = 1 << 22, arcs = 134217728; /* 537 MB of keys, 537 MB of result */
    assert_int_equal(mg_policy_sort(vertices, arcs, 0, 4, 1000000000).round_arcs, UINT64_MAX);
    mg_sort_plan in_memory = mg_policy_sort(vertices, arcs, 0, 4, 580000000);
    assert_true(in_memory.round_arcs < arcs && !in_memory.result_on_disk);
    assert_true(arcs * 4 + in_memory.round_arcs * 4 <= 580000000);
    mg_sort_plan on_disk = mg_policy_sort(vertices, arcs, 0, 4, 200000000);
    assert_true(on_disk.round_arcs < arcs && on_disk.result_on_disk);
    assert_true(on_disk.round_arcs * 4 <= 200000000);
    assert_true(mg_policy_sort(vertices, arcs, 8, 12, 0).round_arcs > 0); /* a round is never empty */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(skew_decides_the_order),
        cmocka_unit_test(hubs_decide_the_owners),
        cmocka_unit_test(keys_are_as_short_as_they_can_be),
        cmocka_unit_test(streams_are_few_and_their_keys_short),
        cmocka_unit_test(what_does_not_fit_is_done_in_rounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
