/* Every generator with every allocation failing in turn, and cancelled on the way: a clear status, nothing leaked. */
#define _GNU_SOURCE
#include "gen/helpers.h"
#include "support/faults.h"

static meguri_status kronecker(meguri_ctx *ctx, void *scale) {
    meguri_graph *graph;
    meguri_kronecker_options o = {.size = sizeof o, .scale = *(uint32_t *)scale, .weights = MEGURI_TYPE_F32};
    meguri_status status = meguri_gen_kronecker(&graph, ctx, &o);
    if (status != MEGURI_OK) assert_null(graph);
    meguri_graph_free(graph);
    return status;
}
static meguri_status kronecker_pairs(meguri_ctx *ctx, void *scale) {
    uint32_t *pairs;
    uint64_t count;
    meguri_kronecker_options o = {.size = sizeof o, .scale = *(uint32_t *)scale};
    meguri_status status = meguri_gen_kronecker_pairs(&pairs, &count, ctx, &o);
    if (status != MEGURI_OK) assert_true(pairs == NULL && count == 0);
    meguri_pairs_free(pairs);
    return status;
}
static meguri_status rmat(meguri_ctx *ctx, void *scale) {
    meguri_graph *graph;
    meguri_rmat_options o = {.size = sizeof o, .scale = *(uint32_t *)scale, .weights = MEGURI_TYPE_U32};
    meguri_status status = meguri_gen_rmat(&graph, ctx, &o);
    if (status != MEGURI_OK) assert_null(graph);
    meguri_graph_free(graph);
    return status;
}
static meguri_status uniform(meguri_ctx *ctx, void *scale) {
    meguri_graph *graph;
    meguri_uniform_options o = {.size = sizeof o, .vertices = 1000, .edges = (uint64_t)16 << *(uint32_t *)scale};
    meguri_status status = meguri_gen_uniform(&graph, ctx, &o);
    if (status != MEGURI_OK) assert_null(graph);
    meguri_graph_free(graph);
    return status;
}
static meguri_status grid(meguri_ctx *ctx, void *scale) {
    meguri_graph *graph;
    uint64_t side = (uint64_t)4 << *(uint32_t *)scale / 2;
    meguri_grid_options o = {.size = sizeof o, .width = side, .height = side, .links = 9};
    meguri_status status = meguri_gen_grid(&graph, ctx, &o);
    if (status != MEGURI_OK) assert_null(graph);
    meguri_graph_free(graph);
    return status;
}

static meguri_status drawn(meguri_ctx *ctx, void *scale) {
    meguri_drawing *drawings[3] = {NULL, NULL, NULL};
    meguri_kronecker_options k = {.size = sizeof k, .scale = *(uint32_t *)scale};
    meguri_rmat_options r = {.size = sizeof r, .scale = *(uint32_t *)scale};
    meguri_uniform_options u = {.size = sizeof u, .vertices = 1000, .edges = 16};
    meguri_status status = meguri_draw_kronecker(&drawings[0], ctx, &k);
    if (status == MEGURI_OK) status = meguri_draw_rmat(&drawings[1], ctx, &r);
    if (status == MEGURI_OK) status = meguri_draw_uniform(&drawings[2], ctx, &u);
    if (status != MEGURI_OK) assert_null(drawings[2]);
    for (size_t i = 0; i < LENGTH(drawings); i++) meguri_drawing_free(drawings[i]);
    return status;
}

static attempt_fn *const generators[] = {kronecker, kronecker_pairs, rmat, uniform, grid, drawn};

static void every_allocation_fails_once(void **state) {
    (void)state;
    meguri_ctx *ctx = new_context(2, 0);
    uint32_t scale = 6;
    for (size_t i = 0; i < LENGTH(generators); i++)
        assert_true(fail_each_allocation(ctx, generators[i], &scale, LEAVES_NOTHING) >= 3);
    free_context(ctx);
}

/* Several blocks on several threads: whichever fails, the others stop and are freed. */
static void a_block_fails_among_others(void **state) {
    (void)state;
    meguri_ctx *ctx = new_context(5, 0);
    uint32_t scale = 17;
    for (size_t i = 0; i < LENGTH(generators); i++) {
        uint64_t before = mg_memory_allocations(ctx);
        assert_int_equal(generators[i](ctx, &scale), MEGURI_OK);
        uint64_t allocations = mg_memory_allocations(ctx) - before;
        for (uint64_t k = 1; k < MG_MIN(allocations, 20u); k += 4) {
            mg_memory_fail_at(ctx, k);
            meguri_status status = generators[i](ctx, &scale);
            mg_memory_fail_at(ctx, 0);
            assert_int_equal(status, MEGURI_NO_MEMORY);
            assert_int_equal(meguri_ctx_memory_used(ctx), 0);
        }
    }
    free_context(ctx);
}

/* Reports while edges are drawn count what is drawn. */
static int watch(void *user, const char *phase, uint64_t done, uint64_t total) {
    uint64_t *last = user;
    if (strcmp(phase, "generating") != 0) return 0;
    assert_true(done <= total && done > 0 && done >= *last);
    *last = done;
    return 0;
}

static void progress_goes_up(void **state) {
    (void)state;
    uint64_t last = 0;
    meguri_ctx *ctx;
    meguri_ctx_options options = {.size = sizeof options, .threads = 2, .progress = watch, .progress_user = &last};
    assert_int_equal(meguri_ctx_new(&ctx, &options), MEGURI_OK);
    meguri_rmat_options o = {.size = sizeof o, .scale = 19, .noise = 0.1}; /* the slowest */
    meguri_graph *graph;
    assert_int_equal(meguri_gen_rmat(&graph, ctx, &o), MEGURI_OK);
    assert_true(last > 0);
    meguri_graph_free(graph);
    free_context(ctx);
}

static void a_cancel_ends_it(void **state) {
    (void)state;
    static attempt_fn *const cancelled[] = {rmat, kronecker_pairs, kronecker};
    impatient user = {.only = "generating"};
    meguri_ctx *ctx = context_of(&user, 2);
    for (size_t i = 0; i < LENGTH(cancelled); i++) {
        uint32_t scale = i ? 21 : 19;
        cancel_at(ctx, &user, 1, "generating", cancelled[i], &scale);
        assert_int_equal(user.reports, 1);
    }
    context_done(ctx);
}

/* More than any disk holds is refused before anything is drawn, not when the disk is full; and a count that no address
 * can have is no count of edges, whatever the disk. */
static void absurd_sizes_are_refused_at_once(void **state) {
    (void)state;
    meguri_ctx *ctx = new_context(2, 0);
    meguri_graph *graph;
    meguri_uniform_options o = {.size = sizeof o, .vertices = 1000, .edges = (uint64_t)1 << 53};
    assert_int_equal(meguri_gen_uniform(&graph, ctx, &o), MEGURI_NO_DISK);
    assert_null(graph);
    assert_non_null(strstr(meguri_ctx_error(ctx), "has room for"));
    o.edges = UINT64_MAX / 2;
    assert_int_equal(meguri_gen_uniform(&graph, ctx, &o), MEGURI_BAD_ARGUMENT);
    assert_null(graph);
    assert_non_null(strstr(meguri_ctx_error(ctx), "more than any memory holds"));
    free_context(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_fails_once),
        cmocka_unit_test(a_block_fails_among_others),
        cmocka_unit_test(progress_goes_up),
        cmocka_unit_test(a_cancel_ends_it),
        cmocka_unit_test(absurd_sizes_are_refused_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
