/* Results in memory: columns and facts by number and by name, structs of older callers, memory that runs out. */
#define _GNU_SOURCE
#include "support/faults.h"

#include <math.h>

static uint32_t *filled(meguri_ctx *ctx, uint64_t count) {
    uint32_t *data = mg_alloc_array(ctx, count, sizeof *data, "a test");
    assert_non_null(data);
    for (uint64_t i = 0; i < count; i++) data[i] = (uint32_t)(i * i);
    return data;
}

static meguri_result *new_result(meguri_ctx *ctx) {
    meguri_result *result = NULL;
    assert_int_equal(mg_result_new(&result, ctx), MEGURI_OK);
    return result;
}

static bool says(meguri_ctx *ctx, const char *piece) {
    const char *text = meguri_ctx_error(ctx);
    return strstr(text, piece) && text[strlen(text) - 1] == '.';
}

static void columns(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    meguri_result *result = new_result(ctx);
    assert_int_equal(meguri_result_column_count(result), 0);
    char name[16];
    for (uint32_t i = 0; i < 40; i++) { /* the list of columns grows several times */
        uint32_t *data = filled(ctx, 7);
        snprintf(name, sizeof name, "column_%u", i); /* which is copied */
        assert_int_equal(mg_result_own(ctx, result, data), MEGURI_OK);
        assert_int_equal(
            mg_result_add_column(ctx, result, name, i % 2 ? MEGURI_TYPE_I32 : MEGURI_TYPE_VERTEX, data, 7, 4),
            MEGURI_OK);
    }
    assert_int_equal(meguri_result_column_count(result), 40);
    for (uint32_t i = 0; i < 40; i++) {
        meguri_column by_number = {.size = sizeof by_number}, by_name = {.size = sizeof by_name};
        snprintf(name, sizeof name, "column_%u", i);
        assert_int_equal(meguri_result_column_at(&by_number, result, i), MEGURI_OK);
        assert_int_equal(meguri_result_column(&by_name, result, name), MEGURI_OK);
        assert_string_equal(by_number.name, name);
        assert_ptr_equal(by_number.data, by_name.data);
        assert_int_equal(by_number.type, i % 2 ? MEGURI_TYPE_I32 : MEGURI_TYPE_VERTEX);
        assert_int_equal(by_number.count, 7);
        assert_int_equal(by_number.stride, 4);
        assert_int_equal(((const uint32_t *)by_number.data)[6], 36);
    }
    meguri_column column = {.size = sizeof column};
    assert_int_equal(meguri_result_column_at(&column, result, 40), MEGURI_NOT_FOUND);
    assert_int_equal(meguri_result_column(&column, result, "colum"), MEGURI_NOT_FOUND);
    meguri_result_free(result);
    context_done(ctx);
}

/* Columns side by side in one block, which is freed once. */
static void shared_block(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    meguri_result *result = new_result(ctx);
    int8_t *data = mg_alloc(ctx, 30, "a test");
    for (int i = 0; i < 30; i++) data[i] = (int8_t)i;
    assert_int_equal(mg_result_own(ctx, result, data), MEGURI_OK);
    for (int i = 0; i < 3; i++)
        assert_int_equal(
            mg_result_add_column(ctx, result, (const char *[]){"a", "b", "c"}[i], MEGURI_TYPE_I8, data + i, 10, 3),
            MEGURI_OK);
    meguri_column column = {.size = sizeof column};
    assert_int_equal(meguri_result_column(&column, result, "b"), MEGURI_OK);
    assert_int_equal(*((const int8_t *)column.data + 9 * column.stride), 28);
    meguri_result_free(result);
    context_done(ctx);
}

static void facts(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    meguri_result *result = new_result(ctx);
    meguri_fact fact = {.size = sizeof fact};
    assert_int_equal(meguri_result_fact_count(result), 0);
    assert_int_equal(mg_result_set_number(ctx, result, "reached", 5), MEGURI_OK);
    assert_int_equal(mg_result_set_real(ctx, result, "seconds", 0.25), MEGURI_OK);
    assert_int_equal(mg_result_set_number(ctx, result, "reached", UINT64_MAX), MEGURI_OK); /* changes it */
    assert_int_equal(meguri_result_fact_count(result), 2);
    assert_int_equal(meguri_result_fact(&fact, result, "reached"), MEGURI_OK);
    assert_true(fact.type != MEGURI_TYPE_F64 && fact.number == UINT64_MAX && fact.real == (double)UINT64_MAX);
    assert_int_equal(meguri_result_fact_at(&fact, result, 1), MEGURI_OK);
    assert_string_equal(fact.name, "seconds");
    assert_true(fact.type == MEGURI_TYPE_F64 && fact.real == 0.25);
    assert_int_equal(meguri_result_fact_at(&fact, result, 2), MEGURI_NOT_FOUND);
    assert_int_equal(meguri_result_fact(&fact, result, "second"), MEGURI_NOT_FOUND);
    /* There is room for a number of facts, and a sentence beyond it; those that are there can still change. */
    static char names[64][8];
    size_t added = 0;
    for (size_t i = 0; i < COUNT_OF(names); i++) snprintf(names[i], sizeof names[i], "fact_%zu", i);
    while (mg_result_set_number(ctx, result, names[added], added) == MEGURI_OK) assert_true(++added < COUNT_OF(names));
    assert_true(says(ctx, names[added]));
    assert_int_equal(mg_result_set_real(ctx, result, names[added], 1), MEGURI_NO_MEMORY);
    assert_int_equal(meguri_result_fact_count(result), 2 + added);
    assert_int_equal(mg_result_set_real(ctx, result, "seconds", 0.5), MEGURI_OK);
    meguri_result_free(result);
    context_done(ctx);
}

/* A program of another version knows a shorter struct, or a longer one; one that forgot the size is told. */
static void struct_sizes(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    meguri_result *result = new_result(ctx);
    uint32_t *data = filled(ctx, 3);
    assert_int_equal(mg_result_own(ctx, result, data), MEGURI_OK);
    assert_int_equal(mg_result_add_column(ctx, result, "x", MEGURI_TYPE_I32, data, 3, 4), MEGURI_OK);
    assert_int_equal(mg_result_set_number(ctx, result, "n", 9), MEGURI_OK);
    meguri_column column = {.size = offsetof(meguri_column, count), .count = 77};
    assert_int_equal(meguri_result_column_at(&column, result, 0), MEGURI_OK);
    assert_string_equal(column.name, "x");
    assert_int_equal(column.count, 77); /* beyond what the caller knows */
    assert_int_equal(column.size, offsetof(meguri_column, count));
    struct {
        meguri_fact fact;
        uint64_t later;
    } longer = {.fact.size = sizeof longer, .later = 1};
    assert_int_equal(meguri_result_fact_at(&longer.fact, result, 0), MEGURI_OK);
    assert_true(longer.fact.number == 9 && longer.later == 0);
    column.size = 0;
    assert_int_equal(meguri_result_column_at(&column, result, 0), MEGURI_BAD_ARGUMENT);
    column.size = SIZE_MAX;
    assert_int_equal(meguri_result_column(&column, result, "x"), MEGURI_BAD_ARGUMENT);
    meguri_fact fact = {0};
    assert_int_equal(meguri_result_fact(&fact, result, "n"), MEGURI_BAD_ARGUMENT);
    meguri_result_free(result);
    context_done(ctx);
}

static void missing_arguments(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    meguri_result *result = new_result(ctx);
    meguri_column column = {.size = sizeof column};
    meguri_fact fact = {.size = sizeof fact};
    assert_int_equal(meguri_result_column_count(NULL), 0);
    assert_int_equal(meguri_result_fact_count(NULL), 0);
    assert_int_equal(meguri_result_column_at(NULL, result, 0), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_result_column_at(&column, NULL, 0), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_result_column(&column, result, NULL), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_result_fact_at(NULL, result, 0), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_result_fact(&fact, result, NULL), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_result_fact(&fact, NULL, "n"), MEGURI_BAD_ARGUMENT);
    meguri_result_free(NULL);
    meguri_result_free(result);
    context_done(ctx);
}

static meguri_status make(meguri_ctx *ctx, void *nothing) {
    (void)nothing;
    meguri_result *result = NULL;
    meguri_status status = mg_result_new(&result, ctx);
    for (int i = 0; i < 6 && status == MEGURI_OK; i++) {
        void *block = mg_alloc(ctx, 40, "a test");
        status = block ? mg_result_own(ctx, result, block) : MEGURI_NO_MEMORY;
        if (status == MEGURI_OK) status = mg_result_add_column(ctx, result, "c", MEGURI_TYPE_U64, block, 5, 8);
    }
    meguri_result_free(result);
    return status;
}

static void no_memory(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    assert_true(fail_each_allocation(ctx, make, NULL, LEAVES_NOTHING) >= 12);
    context_done(ctx);
}

static void sizes_of_items(void **state) {
    (void)state;
    static const size_t want[] = {0, 1, 2, 4, 8, 1, 2, 4, 8, 4, 8, 1, 0, 8, 0};
    for (size_t i = 0; i < COUNT_OF(want); i++) {
        assert_int_equal(meguri_type_bytes((meguri_type)i), want[i]);
        assert_int_equal(mg_column_size((meguri_type)i), i == MEGURI_TYPE_VERTEX ? 4 : want[i]);
    }
}

/* ---- the highest ------------------------------------------------------------------------------------------------ */

/* Against the rule itself: how many come before a vertex. */
static void check_top(meguri_ctx *ctx, const meguri_result *result, const double *data, uint64_t count, uint64_t most) {
    uint64_t vertices[200], found = 0;
    double values[200];
    assert_int_equal(mg_result_top(vertices, values, &found, ctx, result, "x", most), MEGURI_OK);
    uint64_t real = 0;
    for (uint64_t v = 0; v < count; v++) {
        uint64_t before = 0;
        real += isfinite(data[v]);
        for (uint64_t u = 0; u < count; u++)
            before += isfinite(data[u]) && (data[u] > data[v] || (data[u] == data[v] && u < v));
        if (isfinite(data[v]) && before < most) assert_true(vertices[before] == v && values[before] == data[v]);
    }
    assert_int_equal(found, MG_MIN(real, most));
}

static void highest(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    uint64_t random = 10, out[4], sizes[4], count;
    for (int round = 0; round < 300; round++) {
        uint64_t items = next_random(&random) % 200, kinds = 1 + next_random(&random) % 300;
        meguri_result *result = new_result(ctx);
        double *data = mg_alloc_array(ctx, items, sizeof *data, "a test");
        for (uint64_t i = 0; i < items; i++) {
            data[i] = (double)(next_random(&random) % kinds) - (double)(kinds / 2);
            if (round % 3 == 1) data[i] = (double)i; /* each is higher than all before it */
            if (next_random(&random) % 20 == 0) data[i] = INFINITY;
        }
        assert_int_equal(mg_result_own(ctx, result, data), MEGURI_OK);
        assert_int_equal(mg_result_add_column(ctx, result, "x", MEGURI_TYPE_F64, data, items, sizeof *data), MEGURI_OK);
        check_top(ctx, result, data, items, next_random(&random) % 200);
        check_top(ctx, result, data, items, next_random(&random) % 8);
        meguri_result_free(result);
    }
    meguri_result *result = new_result(ctx);
    uint32_t *groups = filled(ctx, 5); /* 0 1 4 9 16: the last two are none */
    groups[0] = 4;
    assert_int_equal(mg_result_own(ctx, result, groups), MEGURI_OK);
    assert_int_equal(mg_result_add_column(ctx, result, "g", MEGURI_TYPE_VERTEX, groups, 5, 4), MEGURI_OK);
    assert_int_equal(mg_result_groups(out, sizes, &count, ctx, result, "g", 4), MEGURI_OK);
    assert_true(count == 2 && out[0] == 4 && sizes[0] == 2 && out[1] == 1 && sizes[1] == 1);
    assert_int_equal(mg_result_top(out, NULL, &count, ctx, result, "g", 4), MEGURI_BAD_ARGUMENT);
    assert_true(says(ctx, "the column g has vertices"));
    assert_int_equal(mg_result_top(out, NULL, &count, ctx, result, "y", 4), MEGURI_NOT_FOUND);
    meguri_result_free(result);
    context_done(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(highest),   cmocka_unit_test(columns),        cmocka_unit_test(shared_block),
        cmocka_unit_test(facts),     cmocka_unit_test(struct_sizes),   cmocka_unit_test(missing_arguments),
        cmocka_unit_test(no_memory), cmocka_unit_test(sizes_of_items),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
