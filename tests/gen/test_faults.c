/* Every generator with every allocation failing in turn, and cancelled on the way: a clear status, nothing leaked. */
#include "gen/helpers.h"

static meguri_status kronecker(meguri_ctx *ctx, uint32_t scale) {
    meguri_graph *graph;
    meguri_kronecker_options o = {.size = sizeof o, .scale = scale, .weights = MEGURI_WEIGHT_F32};
    meguri_status status = meguri_gen_kronecker(&graph, ctx, &o);
    if (status != MEGURI_OK) assert_null(graph);
    meguri_graph_free(graph);
    return status;
}
static meguri_status kronecker_pairs(meguri_ctx *ctx, uint32_t scale) {
    uint32_t *pairs;
    uint64_t count;
    meguri_kronecker_options o = {.size = sizeof o, .scale = scale};
    meguri_status status = meguri_gen_kronecker_pairs(&pairs, &count, ctx, &o);
    if (status != MEGURI_OK) assert_true(pairs == NULL && count == 0);
    meguri_pairs_free(pairs);
    return status;
}
static meguri_status rmat(meguri_ctx *ctx, uint32_t scale) {
    meguri_graph *graph;
    meguri_rmat_options o = {.size = sizeof o, .scale = scale, .weights = MEGURI_WEIGHT_U32};
    meguri_status status = meguri_gen_rmat(&graph, ctx, &o);
    if (status != MEGURI_OK) assert_null(graph);
    meguri_graph_free(graph);
    return status;
}
static meguri_status uniform(meguri_ctx *ctx, uint32_t scale) {
    meguri_graph *graph;
    meguri_uniform_options o = {.size = sizeof o, .vertices = 1000, .edges = (uint64_t)16 << scale};
    meguri_status status = meguri_gen_uniform(&graph, ctx, &o);
    if (status != MEGURI_OK) assert_null(graph);
    meguri_graph_free(graph);
    return status;
}
static meguri_status grid(meguri_ctx *ctx, uint32_t scale) {
    meguri_graph *graph;
    meguri_grid_options o = {.size = sizeof o, .width = (uint64_t)4 << scale / 2, .height = 4 << scale / 2, .links = 9};
    meguri_status status = meguri_gen_grid(&graph, ctx, &o);
    if (status != MEGURI_OK) assert_null(graph);
    meguri_graph_free(graph);
    return status;
}

static meguri_status (*const generators[])(meguri_ctx *ctx, uint32_t scale) = {kronecker, kronecker_pairs, rmat,
                                                                               uniform, grid};

static void every_allocation_fails_once(void **state) {
    (void)state;
    meguri_ctx *ctx = new_context(2, 0);
    for (size_t i = 0; i < LENGTH(generators); i++) {
        uint64_t k = 1;
        for (;; k++) {
            mg_memory_fail_at(ctx, k);
            meguri_status status = generators[i](ctx, 6);
            mg_memory_fail_at(ctx, 0);
            assert_int_equal(meguri_ctx_memory_used(ctx), 0);
            if (status == MEGURI_OK) break;
            assert_int_equal(status, MEGURI_NO_MEMORY);
            assert_non_null(strstr(meguri_ctx_error(ctx), "not enough memory for"));
        }
        assert_true(k > 3);
    }
    free_context(ctx);
}

/* Several blocks on several threads: whichever fails, the others stop and are freed. */
static void a_block_fails_among_others(void **state) {
    (void)state;
    meguri_ctx *ctx = new_context(5, 0);
    for (size_t i = 0; i < LENGTH(generators); i++) {
        uint64_t before = mg_memory_allocations(ctx);
        assert_int_equal(generators[i](ctx, 17), MEGURI_OK);
        uint64_t allocations = mg_memory_allocations(ctx) - before;
        for (uint64_t k = 1; k < MG_MIN(allocations, 20u); k += 4) {
            mg_memory_fail_at(ctx, k);
            meguri_status status = generators[i](ctx, 17);
            mg_memory_fail_at(ctx, 0);
            assert_int_equal(status, MEGURI_NO_MEMORY);
            assert_int_equal(meguri_ctx_memory_used(ctx), 0);
        }
    }
    free_context(ctx);
}

typedef struct watcher {
    uint64_t calls, last;
    bool cancel;
} watcher;

static int watch(void *user, const char *phase, uint64_t done, uint64_t total) {
    watcher *w = user;
    if (strcmp(phase, "generating") != 0) return 0;
    assert_true(done <= total && done > 0 && done >= w->last);
    w->last = done;
    w->calls++;
    return w->cancel;
}

static void progress_and_cancel(void **state) {
    (void)state;
    watcher w = {0};
    meguri_ctx *ctx;
    meguri_ctx_options options = {.size = sizeof options, .threads = 2, .progress = watch, .progress_user = &w};
    assert_int_equal(meguri_ctx_new(&ctx, &options), MEGURI_OK);
    meguri_rmat_options o = {.size = sizeof o, .scale = 19, .noise = 0.1}; /* the slowest */
    meguri_graph *graph;
    for (int cancel = 0; cancel < 2; cancel++) {
        w = (watcher){.cancel = cancel};
        assert_int_equal(meguri_gen_rmat(&graph, ctx, &o), cancel ? MEGURI_CANCELLED : MEGURI_OK);
        assert_true(w.calls >= 1 && (!cancel || w.calls == 1));
        meguri_graph_free(graph);
        assert_int_equal(meguri_ctx_memory_used(ctx), 0);
    }
    w = (watcher){.cancel = true};
    assert_int_equal(kronecker_pairs(ctx, 21), MEGURI_CANCELLED);
    assert_int_equal(w.calls, 1);
    w = (watcher){.cancel = true};
    assert_int_equal(kronecker(ctx, 21), MEGURI_CANCELLED);
    free_context(ctx);
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
        cmocka_unit_test(progress_and_cancel),
        cmocka_unit_test(absurd_sizes_are_refused_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
