/* Items of columns as other types, and those that stand for none. */
#define _GNU_SOURCE
#include "support/unit.h"

#include "base/base.h"

#include <float.h>
#include <math.h>

typedef struct world {
    meguri_ctx *ctx;
    meguri_result *result;
} world;

static void *own(world *w, const void *items, size_t bytes) {
    void *data = mg_alloc(w->ctx, bytes, "a column of a test");
    assert_non_null(data);
    memcpy(data, items, bytes);
    assert_int_equal(mg_result_own(w->ctx, w->result, data), MEGURI_OK);
    return data;
}

static world make(void) {
    world w = {.ctx = context_with(1)};
    assert_int_equal(mg_result_new(&w.result, w.ctx), MEGURI_OK);
    return w;
}

static void done(world *w) {
    meguri_result_free(w->result);
    context_done(w->ctx);
}

static void add(world *w, const char *name, meguri_type type, const void *items, uint64_t count) {
    size_t bytes = mg_column_size(type);
    const void *data = own(w, items, count * bytes);
    assert_int_equal(mg_result_add_column(w->ctx, w->result, name, type, data, count, bytes), MEGURI_OK);
}

#define VALUES(out, type, name, first, count)                                                                          \
    assert_int_equal(meguri_result_values(out, type, w.result, name, first, count), MEGURI_OK)
#define REFUSED(type, name, first, count)                                                                              \
    assert_int_equal(meguri_result_values(room, type, w.result, name, first, count), MEGURI_UNSUPPORTED)

static void vertices_are_u64_from_columns_of_both_widths(void **state) {
    (void)state;
    world w = make();
    const uint32_t narrow[] = {3, UINT32_MAX, 0};
    const uint64_t wide[] = {3, UINT64_MAX, UINT32_MAX};
    uint64_t got[3], room[3];
    int64_t with_sign[3];
    add(&w, "narrow", MEGURI_TYPE_VERTEX, narrow, 3);
    const void *data = own(&w, wide, sizeof wide);
    assert_int_equal(mg_result_add_vertices(w.ctx, w.result, "wide", 8, data, 3, 8), MEGURI_OK);
    VALUES(got, MEGURI_TYPE_VERTEX, "narrow", 0, 3);
    assert_true(got[0] == 3 && got[1] == MEGURI_NO_VERTEX && got[2] == 0);
    VALUES(got, MEGURI_TYPE_U64, "wide", 0, 3);
    assert_memory_equal(got, wide, sizeof wide);
    VALUES(with_sign, MEGURI_TYPE_I64, "narrow", 0, 3);
    assert_true(with_sign[0] == 3 && with_sign[1] == -1 && with_sign[2] == 0);
    REFUSED(MEGURI_TYPE_F64, "narrow", 0, 3);
    REFUSED(MEGURI_TYPE_U32, "narrow", 0, 3);
    VALUES(room, MEGURI_TYPE_F64, "narrow", 0, 1);
    for (int i = 0; i < 2; i++) {
        meguri_column c = {.size = sizeof c};
        assert_int_equal(meguri_result_column(&c, w.result, i ? "wide" : "narrow"), MEGURI_OK);
        assert_int_equal(c.type, MEGURI_TYPE_VERTEX);
        assert_int_equal(c.item_bytes, i ? 8 : 4);
        assert_false(meguri_column_is_none(&c, 0));
        assert_true(meguri_column_is_none(&c, 1));
        assert_false(meguri_column_is_none(&c, 2)); /* of 8 bytes UINT32_MAX is a vertex */
        assert_true(meguri_column_is_none(&c, 3));
    }
    done(&w);
}

static void distances_are_infinite_in_every_type(void **state) {
    (void)state;
    world w = make();
    const uint64_t whole[] = {0, UINT64_MAX, UINT64_C(1) << 53, (UINT64_C(1) << 53) + 1, UINT64_MAX - 1};
    const double real[] = {0.5, INFINITY, 4, -3, NAN, -INFINITY, 0x1p64};
    double f64[5];
    float f32[5];
    uint64_t u64[5], room[8];
    add(&w, "whole", MEGURI_TYPE_U64, whole, 5);
    add(&w, "real", MEGURI_TYPE_F64, real, 7);
    VALUES(f64, MEGURI_TYPE_F64, "whole", 0, 3);
    assert_true(f64[0] == 0 && f64[1] == INFINITY && f64[2] == 0x1p53);
    REFUSED(MEGURI_TYPE_F64, "whole", 3, 1);
    REFUSED(MEGURI_TYPE_F64, "whole", 4, 1);
    VALUES(f32, MEGURI_TYPE_F32, "real", 0, 5);
    assert_true(f32[0] == 0.5f && f32[1] == INFINITY && f32[3] == -3 && isnan(f32[4]));
    VALUES(u64, MEGURI_TYPE_U64, "real", 1, 2);
    assert_true(u64[0] == UINT64_MAX && u64[1] == 4);
    REFUSED(MEGURI_TYPE_U64, "real", 0, 1);
    REFUSED(MEGURI_TYPE_U64, "real", 3, 1);
    REFUSED(MEGURI_TYPE_U64, "real", 4, 1);
    REFUSED(MEGURI_TYPE_U64, "real", 6, 1);
    REFUSED(MEGURI_TYPE_I64, "real", 1, 1);
    VALUES(room, MEGURI_TYPE_I8, "real", 2, 2);
    assert_true(((int8_t *)room)[0] == 4 && ((int8_t *)room)[1] == -3);
    meguri_column c = {.size = sizeof c};
    assert_int_equal(meguri_result_column(&c, w.result, "real"), MEGURI_OK);
    const int none[] = {0, 1, 0, 0, 1, 1, 0};
    for (uint64_t i = 0; i < 7; i++) assert_int_equal(meguri_column_is_none(&c, i), i == 3 ? 0 : none[i]);
    done(&w);
}

static void levels_may_be_narrow(void **state) {
    (void)state;
    world w = make();
    const int8_t levels[] = {0, 9, -1, 8, 127, 7};
    const void *data = own(&w, levels, sizeof levels);
    int32_t i32[3];
    uint8_t room[3];
    assert_int_equal(mg_result_add_levels(w.ctx, w.result, "level", 1, data, 3, 2), MEGURI_OK);
    VALUES(i32, MEGURI_TYPE_I32, "level", 0, 3);
    assert_true(i32[0] == 0 && i32[1] == -1 && i32[2] == 127);
    REFUSED(MEGURI_TYPE_U8, "level", 0, 3);
    VALUES(room, MEGURI_TYPE_U8, "level", 2, 1);
    REFUSED(MEGURI_TYPE_BOOLEAN, "level", 2, 1);
    VALUES(room, MEGURI_TYPE_BOOLEAN, "level", 0, 1);
    meguri_column c = {.size = sizeof c};
    assert_int_equal(meguri_result_column(&c, w.result, "level"), MEGURI_OK);
    assert_int_equal(c.type, MEGURI_TYPE_I32);
    assert_int_equal(c.item_bytes, 1);
    assert_true(!meguri_column_is_none(&c, 0) && meguri_column_is_none(&c, 1) && !meguri_column_is_none(&c, 2));
    done(&w);
}

static void ranges_and_columns_that_are_not_there(void **state) {
    (void)state;
    world w = make();
    const uint64_t items[] = {1, 2};
    uint64_t room[2];
    add(&w, "x", MEGURI_TYPE_U64, items, 2);
    VALUES(room, MEGURI_TYPE_U64, "x", 2, 0);
    VALUES(NULL, MEGURI_TYPE_U64, "x", 0, 0);
    static const uint64_t beyond[][2] = {{0, 3}, {3, 0}, {1, 2}, {UINT64_MAX, 2}, {1, UINT64_MAX}};
    for (size_t i = 0; i < COUNT_OF(beyond); i++)
        assert_int_equal(meguri_result_values(room, MEGURI_TYPE_U64, w.result, "x", beyond[i][0], beyond[i][1]),
                         MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_result_values(room, MEGURI_TYPE_U64, w.result, "y", 0, 1), MEGURI_NOT_FOUND);
    assert_int_equal(meguri_result_values(room, MEGURI_TYPE_TEXT, w.result, "x", 0, 1), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_result_values(room, MEGURI_TYPE_NONE, w.result, "x", 0, 1), MEGURI_BAD_ARGUMENT);
    done(&w);
}

static void a_result_is_its_first_table(void **state) {
    (void)state;
    world w = make();
    const uint64_t items[] = {1, 2};
    meguri_result_table_info info = {.size = sizeof info};
    assert_int_equal(meguri_result_table_count(w.result), 1);
    assert_int_equal(meguri_result_table_at(&info, w.result, 0), MEGURI_OK);
    assert_true(info.kind == MEGURI_TABLE_VERTICES && info.columns == 0 && info.rows == 0);
    add(&w, "x", MEGURI_TYPE_U64, items, 2);
    mg_result_set_kind(w.result, MEGURI_TABLE_ROWS);
    assert_int_equal(meguri_result_table_at(&info, w.result, 0), MEGURI_OK);
    assert_true(info.kind == MEGURI_TABLE_ROWS && info.columns == 1 && info.rows == 2);
    assert_string_equal(info.name, "rows");
    meguri_column c = {.size = sizeof c};
    assert_int_equal(meguri_result_column_at(&c, info.table, 0), MEGURI_OK);
    assert_string_equal(c.name, "x");
    assert_int_equal(meguri_result_table_at(&info, w.result, 1), MEGURI_NOT_FOUND);
    done(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vertices_are_u64_from_columns_of_both_widths),
        cmocka_unit_test(distances_are_infinite_in_every_type), cmocka_unit_test(levels_may_be_narrow),
        cmocka_unit_test(ranges_and_columns_that_are_not_there), cmocka_unit_test(a_result_is_its_first_table)};
    return cmocka_run_group_tests_name("values", tests, NULL, NULL);
}
