/* What becomes of parallel edges: sums to the last digit, types that get wider and narrower, what is refused, and the
 * order of blocks that come from anywhere. Every option on every graph of the zoo is in test_build.c, with columns in
 * test_columns.c, in parts in tests/shards. */
#include "support/oracle.h"
#include "support/sanitized.h"

#include <meguri/builder.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static meguri_ctx *context(uint32_t threads, uint64_t memory) {
    meguri_ctx *ctx;
    meguri_ctx_options options = {.size = sizeof options, .threads = threads, .memory = memory};
    assert_int_equal(meguri_ctx_new(&ctx, &options), MEGURI_OK);
    return ctx;
}

/* ---- one bundle ------------------------------------------------------------------------------------------------- */

enum { MOST = 1000 };

typedef struct merged {
    meguri_status status;
    char sentence[400];
    double weight;
    meguri_type type;
} merged;

/* So many parallel edges from -7 to 9, an undirected one to each side in turn. */
static merged merge(meguri_duplicates how, bool undirected, const double *weights, uint64_t count) {
    meguri_ctx *ctx = context(1, 0);
    int64_t pairs[2 * MOST], ends[2] = {-7, 9};
    merged out = {.type = MEGURI_TYPE_NONE};
    meguri_graph *graph;
    meguri_graph_info info = {.size = sizeof info};
    for (uint64_t i = 0; i < 2 * count; i++) pairs[i] = ends[undirected && i / 2 % 2 ? 1 - i % 2 : i % 2];
    meguri_edge_arrays e = {.size = sizeof e,
                            .count = count,
                            .from = pairs,
                            .to = pairs + 1,
                            .stride = 16,
                            .signed_ids = 1,
                            .weights = weights,
                            .weight_type = weights ? MEGURI_TYPE_F64 : MEGURI_TYPE_NONE};
    meguri_build_options o = {
        .size = sizeof o, .direction = undirected ? MEGURI_UNDIRECTED : MEGURI_DIRECTED, .duplicates = how};
    out.status = meguri_graph_from_edges(&graph, ctx, &e, &o);
    snprintf(out.sentence, sizeof out.sentence, "%s", meguri_ctx_error(ctx));
    if (out.status == MEGURI_OK) {
        uint64_t neighbor, degree;
        double back;
        assert_int_equal(meguri_graph_get_info(&info, ctx, graph), MEGURI_OK);
        assert_int_equal(info.edges, 1);
        assert_int_equal(info.dropped_duplicates, count - 1);
        out.type = info.weight_storage;
        assert_int_equal(meguri_graph_neighbors(&neighbor, &out.weight, NULL, 1, &degree, ctx, graph, 0), MEGURI_OK);
        assert_int_equal(meguri_graph_in_neighbors(&neighbor, &back, NULL, 1, &degree, ctx, graph, 1), MEGURI_OK);
        assert_true(degree == 1 && neighbor == 0 && back == out.weight);
        if (undirected) {
            assert_int_equal(meguri_graph_neighbors(&neighbor, &back, NULL, 1, &degree, ctx, graph, 1), MEGURI_OK);
            assert_true(degree == 1 && back == out.weight);
        }
    }
    meguri_graph_free(graph);
    assert_int_equal(meguri_ctx_memory_used(ctx), 0);
    meguri_ctx_free(ctx);
    return out;
}

static void expect(meguri_duplicates how, const double *weights, uint64_t count, double weight, meguri_type type) {
    for (int undirected = 0; undirected < 2; undirected++) {
        merged m = merge(how, undirected, weights, count);
        if (m.status != MEGURI_OK) fail_msg("%s", m.sentence);
        if (m.weight != weight || m.type != type) fail_msg("duplicates %d: %.17g, type %d", how, m.weight, (int)m.type);
    }
}

static void sums_get_the_type_that_holds_them(void **state) {
    (void)state;
    const meguri_duplicates sum = MEGURI_DUPLICATES_SUM;
    expect(sum, (double[]){200, 55}, 2, 255, MEGURI_TYPE_U8);
    expect(sum, (double[]){200, 56}, 2, 256, MEGURI_TYPE_U16);
    expect(sum, (double[]){65535, 1}, 2, 65536, MEGURI_TYPE_U32);
    expect(sum, (double[]){4294967295.0, 0}, 2, 4294967295.0, MEGURI_TYPE_U32);
    expect(sum, (double[]){4294967295.0, 1}, 2, 4294967296.0, MEGURI_TYPE_F32);
    expect(sum, (double[]){4294967295.0, 2}, 2, 4294967297.0, MEGURI_TYPE_F64);
    expect(sum, (double[]){4294967295.0, 4294967295.0, 4294967295.0}, 3, 12884901885.0, MEGURI_TYPE_F64);
    expect(sum, (double[]){0.5, 1.5}, 2, 2, MEGURI_TYPE_U8);
    expect(sum, (double[]){0.5, 16777216}, 2, 16777216.5, MEGURI_TYPE_F64);
    expect(sum, (double[]){-3, 1}, 2, -2, MEGURI_TYPE_F32);
    expect(sum, (double[]){-3, 3}, 2, 0, MEGURI_TYPE_U8);
    expect(sum, NULL, 5, 1, MEGURI_TYPE_NONE);
    expect(sum, (double[]){7}, 1, 7, MEGURI_TYPE_U8);
}

static void others_keep_what_they_say(void **state) {
    (void)state;
    const double weights[] = {300, 7, 70000, 0.1};
    expect(MEGURI_DUPLICATES_MIN, weights, 4, 0.1, MEGURI_TYPE_F64);
    expect(MEGURI_DUPLICATES_MIN, weights, 3, 7, MEGURI_TYPE_U8);
    expect(MEGURI_DUPLICATES_MAX, weights, 4, 70000, MEGURI_TYPE_U32);
    expect(MEGURI_DUPLICATES_FIRST, weights, 4, 300, MEGURI_TYPE_U16);
    expect(MEGURI_DUPLICATES_COUNT, weights, 4, 4, MEGURI_TYPE_U8);
    expect(MEGURI_DUPLICATES_COUNT, NULL, 300, 300, MEGURI_TYPE_U16);
    expect(MEGURI_DUPLICATES_COUNT, NULL, 1, 1, MEGURI_TYPE_U8);
    expect(MEGURI_DUPLICATES_MAX, (double[]){-2, -1, -1.5}, 3, -1, MEGURI_TYPE_F32);
    expect(MEGURI_DUPLICATES_MAX, (double[]){-INFINITY, INFINITY}, 2, INFINITY, MEGURI_TYPE_F32);
    for (int how = MEGURI_DUPLICATES_MIN; how <= MEGURI_DUPLICATES_FIRST; how++)
        expect((meguri_duplicates)how, NULL, 3, 1, MEGURI_TYPE_NONE);
}

/* Ten tenths are one, in any order; and small weights are not lost beside large ones. */
static void real_sums_lose_nothing(void **state) {
    (void)state;
    double weights[MOST];
    for (int i = 0; i < 10; i++) weights[i] = 0.1;
    expect(MEGURI_DUPLICATES_SUM, weights, 10, 1, MEGURI_TYPE_U8);
    expect(MEGURI_DUPLICATES_SUM, (double[]){1e100, 1.5, -1e100}, 3, 1.5, MEGURI_TYPE_F32);
    uint64_t seed = 3;
    for (int i = 0; i < MOST; i++) weights[i] = ldexp((double)(zoo_random(&seed) % 1000003), (int)(i % 40) - 30);
    merged m = merge(MEGURI_DUPLICATES_SUM, false, weights, MOST);
    long double exact = 0;
    for (int i = 0; i < MOST; i++) exact += weights[i];
    assert_true(m.weight == (double)exact);
    for (int turn = 0; turn < 5; turn++) {
        for (int i = MOST - 1; i > 0; i--) {
            uint64_t other = zoo_random(&seed) % (uint64_t)(i + 1);
            double kept = weights[i];
            weights[i] = weights[other];
            weights[other] = kept;
        }
        expect(MEGURI_DUPLICATES_SUM, weights, MOST, m.weight, MEGURI_TYPE_F64);
    }
}

static void sums_that_no_weight_holds_are_refused(void **state) {
    (void)state;
    const double most = 9007199254740992.0; /* 2^53 */
    static const double no_sum[][3] = {{9007199254740992.0, 1, 0},
                                       {9007199254740991.0, 1, 1},
                                       {-9007199254740992.0, -1, 0},
                                       {1.7e308, 1.7e308, 0.5},
                                       {INFINITY, -INFINITY, 1}};
    expect(MEGURI_DUPLICATES_SUM, (double[]){most - 1, 1}, 2, most, MEGURI_TYPE_F32);
    expect(MEGURI_DUPLICATES_SUM, (double[]){most - 2, 1}, 2, most - 1, MEGURI_TYPE_F64);
    expect(MEGURI_DUPLICATES_SUM, (double[]){most, -most, most, 0}, 4, most, MEGURI_TYPE_F32);
    expect(MEGURI_DUPLICATES_SUM, (double[]){INFINITY, 1, 2.5}, 3, INFINITY, MEGURI_TYPE_F32);
    for (size_t i = 0; i < sizeof no_sum / sizeof *no_sum; i++)
        for (int undirected = 0; undirected < 2; undirected++) {
            merged m = merge(MEGURI_DUPLICATES_SUM, undirected, no_sum[i], 3);
            assert_int_equal(m.status, MEGURI_BAD_INPUT);
            assert_string_equal(
                m.sentence, "the weights of the parallel edges from -7 to 9 have a sum that no weight holds: whole "
                            "numbers go up to 2^53, others are finite; with another choice of the option duplicates "
                            "than sum nothing is added.");
        }
    assert_int_equal(merge((meguri_duplicates)6, false, NULL, 2).status, MEGURI_BAD_ARGUMENT);
    assert_int_equal(merge((meguri_duplicates)-1, false, NULL, 2).status, MEGURI_BAD_ARGUMENT);
}

/* Of several edges whose sum is too large, the sentence names the first, on any number of threads. */
static void the_first_sum_is_named(void **state) {
    (void)state;
    enum { VERTICES = 400, EDGES = 60000 };
    double *weights = calloc(EDGES, sizeof *weights);
    uint32_t *pairs = calloc(2 * EDGES, sizeof *pairs);
    assert_true(weights && pairs);
    for (uint32_t i = 0; i < EDGES; i++) {
        pairs[2 * i] = i % VERTICES;
        pairs[2 * i + 1] = (i + 1) % VERTICES;
        weights[i] = i % VERTICES > 222 ? 9e15 : 1;
    }
    for (uint32_t threads = 1; threads <= 5; threads += 2) {
        meguri_ctx *ctx = context(threads, 0);
        meguri_edge_arrays e = {.size = sizeof e,
                                .count = EDGES,
                                .from = pairs,
                                .to = pairs + 1,
                                .id_bytes = 4,
                                .stride = 8,
                                .weights = weights,
                                .weight_type = MEGURI_TYPE_F64};
        meguri_build_options o = {.size = sizeof o, .duplicates = MEGURI_DUPLICATES_SUM};
        meguri_graph *graph;
        assert_int_equal(meguri_graph_from_edges(&graph, ctx, &e, &o), MEGURI_BAD_INPUT);
        assert_non_null(strstr(meguri_ctx_error(ctx), "from 223 to 224 "));
        assert_int_equal(meguri_ctx_memory_used(ctx), 0);
        meguri_ctx_free(ctx);
    }
    free(pairs);
    free(weights);
}

/* ---- the order of the input ------------------------------------------------------------------------------------- */

/* Blocks that are added backwards, some of them spilled: the first edge is that of the first place. */
static void the_first_of_all_places(void **state) {
    (void)state;
    enum { BLOCKS = 40, EDGES = UNDER_ASAN || UNDER_TSAN ? 500 : 5000, VERTICES = 300 };
    static const uint64_t budgets[] = {UINT64_C(1) << 30, UNDER_ASAN || UNDER_TSAN ? 2 << 20 : 9 << 20};
    for (int b = 0; b < 2; b++)
        for (int undirected = 0; undirected < 2; undirected++) {
            meguri_ctx *ctx = context(3, budgets[b]), *asker = context(1, 0);
            zoo_graph all = {.name = "blocks", .count = BLOCKS * EDGES};
            all.pairs = calloc(2 * all.count, sizeof *all.pairs);
            all.weights = calloc(all.count, sizeof *all.weights);
            assert_true(all.pairs && all.weights);
            uint64_t seed = 17;
            for (uint64_t i = 0; i < all.count; i++) {
                all.pairs[2 * i] = zoo_random(&seed) % VERTICES;
                all.pairs[2 * i + 1] = zoo_random(&seed) % VERTICES;
                all.weights[i] = (double)(i % 1000);
            }
            meguri_builder_options o = {
                .size = sizeof o,
                .build = &(meguri_build_options){.size = sizeof(meguri_build_options),
                                                 .direction = undirected ? MEGURI_UNDIRECTED : MEGURI_DIRECTED,
                                                 .duplicates = MEGURI_DUPLICATES_FIRST}};
            meguri_builder *builder;
            meguri_graph *graph;
            assert_int_equal(meguri_builder_new(&builder, ctx, &o), MEGURI_OK);
            for (uint64_t block = BLOCKS; block-- > 0;) {
                uint64_t first = block * EDGES;
                meguri_edge_arrays e = {.size = sizeof e,
                                        .count = EDGES,
                                        .from = all.pairs + 2 * first,
                                        .to = all.pairs + 2 * first + 1,
                                        .stride = 16,
                                        .weights = all.weights + first,
                                        .weight_type = MEGURI_TYPE_F64};
                assert_int_equal(meguri_builder_add(ctx, builder, block, &e), MEGURI_OK);
            }
            if (meguri_builder_finish(&graph, ctx, builder) != MEGURI_OK) fail_msg("%s", meguri_ctx_error(ctx));
            meguri_builder_free(builder);
            oracle expected = oracle_build(&all, o.build);
            const char *wrong = oracle_compare(&expected, asker, graph, true);
            if (wrong) fail_msg("budget %d: %s", b, wrong);
            oracle_free(&expected);
            meguri_graph_free(graph);
            zoo_free(&all);
            assert_int_equal(meguri_ctx_memory_used(ctx), 0);
            meguri_ctx_free(asker);
            meguri_ctx_free(ctx);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_get_the_type_that_holds_them),
        cmocka_unit_test(others_keep_what_they_say),
        cmocka_unit_test(real_sums_lose_nothing),
        cmocka_unit_test(sums_that_no_weight_holds_are_refused),
        cmocka_unit_test(the_first_sum_is_named),
        cmocka_unit_test(the_first_of_all_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
