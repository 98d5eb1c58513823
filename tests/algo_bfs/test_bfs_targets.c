/* The hot loops in every compilation that this processor can run, not only in the one that it gets: the choice of
 * the library is replaced by the function below, which this program defines before the library does. */
#define _GNU_SOURCE
#include "algo_bfs/searching.h"

#include "algo/bfs/bfs.h"

#include <meguri.h>

static const mg_bfs_hot *chosen;
static uint64_t asked;

const mg_bfs_hot *mg_bfs_hot_loops(void) {
    __atomic_fetch_add(&asked, 1, __ATOMIC_RELAXED); /* by any thread */
    return chosen;
}

static void search_with(meguri_ctx *ctx, const zoo_graph *g, uint64_t *seed) {
    meguri_build_options o = {.size = sizeof o,
                              .direction = 1 + zoo_random(seed) % 2,
                              .order = 1 + zoo_random(seed) % 3,
                              .duplicates = zoo_random(seed) % 2 ? MEGURI_DUPLICATES_KEEP : MEGURI_DUPLICATES_MIN,
                              .keep_loops = zoo_random(seed) % 2};
    if (zoo_random(seed) % 2) o = (meguri_build_options){.size = sizeof o, .direction = 2, .order = 1};
    subject s = subject_from_zoo(ctx, g, &o);
    for (int way = 0; way < WAYS; way++) {
        meguri_bfs_options options = way_options(way);
        if (way % 3 == 2) options.max_depth = (uint32_t)(1 + (uint32_t)(zoo_random(seed) % 5)) - 1;
        options.levels = !(zoo_random(seed) % 2);
        options.parents = !(options.levels && zoo_random(seed) % 2);
        uint64_t source = way % 4 == 1 ? plain_hub(&s.plain) : zoo_random(seed) % g->vertices;
        if (way % 4 == 3 && plain_leaf(&s.plain) != UINT32_MAX) source = plain_leaf(&s.plain);
        check_search(ctx, &s, source, &options);
    }
    subject_free(&s);
}

static void search_all(void) {
    meguri_ctx *ctx = context_with(2);
    uint64_t seed = 61;
    zoo_graph g;
    asked = 0;
    for (int index = 0; shape_get(&g, index, 1000); index++) {
        search_with(ctx, &g, &seed);
        zoo_free(&g);
    }
    for (int turn = 0; turn < (UNDER_ASAN || UNDER_TSAN ? 20 : 200); turn++) {
        g = shape_random(&seed, 3000);
        search_with(ctx, &g, &seed);
        zoo_free(&g);
    }
    g = shape_kronecker(ctx, UNDER_ASAN || UNDER_TSAN ? 11 : 14, 16);
    search_with(ctx, &g, &seed);
    zoo_free(&g);
    assert_true(asked > 100);
    context_done(ctx);
}

static void plain_c(void **state) {
    (void)state;
    chosen = &mg_bfs_hot_base;
    search_all();
}

static void avx2(void **state) {
    (void)state;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2")) {
        chosen = &mg_bfs_hot_avx2;
        search_all();
    }
#endif
}

static void avx512(void **state) {
    (void)state;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq")) {
        chosen = &mg_bfs_hot_avx512;
        search_all();
    }
#endif
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(plain_c), cmocka_unit_test(avx2), cmocka_unit_test(avx512)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
