/* Ranks with devices when something is wrong: a device that is lost in the middle of a search of one of them, memory
 * that a tile has no room in, options that do not go with it. All ranks end with a failure, nobody waits for ever. */
#define _GNU_SOURCE
#include "net/ranks.h"
#include "support/device.h"

#include <meguri.h>
#include <meguri/extra/cluster_threads.h>

typedef struct attempt {
    const meguri_graph *graph;
    const mg_opencl *table; /* of the last rank */
    meguri_bfs_options options;
} attempt;

static meguri_status search(void *user, meguri_ctx *ctx, meguri_cluster *c) {
    const attempt *a = user;
    const meguri_layout layout = square(c);
    meguri_graph *shards;
    meguri_result *result = NULL;
    meguri_status status = MEGURI_OK;
    if (a->table && c->rank == c->size - 1) status = mg_devices_use(ctx, a->table);
    if (status == MEGURI_OK) status = meguri_graph_spread(&shards, ctx, a->graph, &layout);
    if (status != MEGURI_OK) return status;
    status = meguri_bfs(&result, ctx, shards, 1, &a->options);
    if (status == MEGURI_OK) status = meguri_bfs_check(ctx, shards, result, NULL);
    meguri_result_free(result);
    meguri_graph_free(shards);
    return status;
}

static meguri_status run(attempt *a, uint64_t device_memory, char error[256]) {
    meguri_ctx *ctx = NULL;
    meguri_ctx_options options = {
        .size = sizeof options, .threads = 1, .memory = (uint64_t)1 << 30, .device_memory = device_memory};
    assert_int_equal(meguri_ctx_new(&ctx, &options), MEGURI_OK);
    const meguri_cluster_threads_options o = {.size = sizeof o, .ranks = 4};
    meguri_status status = meguri_cluster_threads(ctx, &o, search, a);
    snprintf(error, 256, "%s", meguri_ctx_error(ctx));
    context_done(ctx);
    return status;
}

static attempt attempt_with(const meguri_graph *graph) {
    attempt a = {.graph = graph};
    meguri_bfs_options_init(&a.options, sizeof a.options);
    a.options.policy = MEGURI_BFS_FORCED;
    a.options.directions = "><>";
    a.options.engine = MEGURI_ENGINE_DEVICE;
    return a;
}

static void lost(void **state) {
    (void)state;
    char error[256];
    mg_opencl table = faulty_table();
    meguri_ctx *ctx = context_with(1);
    meguri_graph *graph;
    const meguri_kronecker_options k = {.size = sizeof k, .scale = 7};
    assert_int_equal(meguri_gen_kronecker(&graph, ctx, &k), MEGURI_OK);
    attempt a = attempt_with(graph);
    a.table = &table;
    meguri_status status = MEGURI_ENGINE_FAILED;
    for (uint64_t call = 1; status != MEGURI_OK; call += 1 + call / 8) {
        faulty.calls = 0;
        faulty.fail_at = call;
        faulty.for_good = call % 2;
        faulty.code = CL_DEVICE_NOT_AVAILABLE;
        status = run(&a, 0, error);
        assert_int_equal(faulty.buffers, 0);
        if (status != MEGURI_OK) assert_int_equal(status, MEGURI_ENGINE_FAILED);
        if (status != MEGURI_OK) assert_true(error[0]);
    }
    meguri_graph_free(graph);
    context_done(ctx);
}

static void refused(void **state) {
    (void)state;
    char error[256];
    meguri_ctx *ctx = device_context(NULL, 0);
    meguri_graph *graph;
    const meguri_kronecker_options k = {.size = sizeof k, .scale = 7};
    assert_int_equal(meguri_gen_kronecker(&graph, ctx, &k), MEGURI_OK);
    attempt a = attempt_with(graph);
    assert_int_equal(run(&a, 1000, error), MEGURI_NO_MEMORY);
    assert_non_null(strstr(error, "not enough memory on the device"));
    a.options.split_device = 1;
    assert_int_equal(run(&a, 0, error), MEGURI_BAD_ARGUMENT);
    assert_non_null(strstr(error, "split_host and split_device"));
    meguri_graph_free(graph);
    context_done(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(lost), cmocka_unit_test(refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
