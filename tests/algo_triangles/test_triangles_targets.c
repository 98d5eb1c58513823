/* The hot loops in every compilation that this processor can run: the choice of the library is replaced by
 * the function below, which this program defines before the library does. */
#define _GNU_SOURCE
#include "algo_triangles/counting.h"

#include "algo/triangles/triangles.h"

#include <meguri.h>

static const mg_triangle_hot *chosen;
static uint64_t asked;

const mg_triangle_hot *mg_triangle_hot_loops(void) {
    __atomic_fetch_add(&asked, 1, __ATOMIC_RELAXED); /* by any thread */
    return chosen;
}

static void count_one(meguri_ctx *ctx, const zoo_graph *g, uint64_t *seed) {
    meguri_build_options o = {.size = sizeof o,
                              .direction = 1 + zoo_random(seed) % 2,
                              .order = 1 + zoo_random(seed) % 3,
                              .duplicates = zoo_random(seed) % 2 ? MEGURI_DUPLICATES_KEEP : MEGURI_DUPLICATES_MIN,
                              .keep_loops = zoo_random(seed) % 2};
    truth right = truth_of_zoo(g, &o);
    meguri_graph *graph;
    assert_int_equal(zoo_build(&graph, ctx, g, &o), MEGURI_OK);
    check_counts(ctx, g->name, graph, &right, false);
    meguri_graph_free(graph);
    truth_free(&right);
}

static void count_all(const mg_triangle_hot *hot) {
    meguri_ctx *ctx = context_with(2);
    uint64_t seed = 61;
    zoo_graph g;
    chosen = hot;
    asked = 0;
    for (int index = 0; shape_get(&g, index, 400); index++) {
        count_one(ctx, &g, &seed);
        zoo_free(&g);
    }
    for (int turn = 0; turn < (UNDER_ASAN || UNDER_TSAN ? 2 : 8); turn++) {
        g = shape_kronecker(ctx, UNDER_ASAN || UNDER_TSAN ? 10 : 11, 8);
        count_one(ctx, &g, &seed);
        zoo_free(&g);
    }
    assert_true(asked > 20);
    context_done(ctx);
}

static void plain_c(void **state) {
    (void)state;
    count_all(&mg_triangle_hot_base);
}

static void avx2(void **state) {
    (void)state;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2")) count_all(&mg_triangle_hot_avx2);
#endif
}

static void avx512(void **state) {
    (void)state;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vpopcntdq"))
        count_all(&mg_triangle_hot_avx512);
#endif
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(plain_c), cmocka_unit_test(avx2), cmocka_unit_test(avx512)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
