/* Every public function of the graph with every allocation failing in turn: a clear status, nothing leaked, and the
 * same call succeeds afterwards. */
#include "base/base.h"
#include "support/oracle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct call {
    meguri_ctx *ctx;
    const zoo_graph *zoo;
    const meguri_build_options *options;
    meguri_graph *graph; /* what the accessors ask */
    uint64_t room[4096];
    double weights[4096];
} call;

static meguri_status build(call *c) {
    meguri_graph *graph;
    meguri_status status = zoo_build(&graph, c->ctx, c->zoo, c->options);
    if (status != MEGURI_OK) assert_null(graph);
    meguri_graph_free(graph);
    return status;
}
static meguri_status neighbors(call *c) {
    uint64_t count;
    return meguri_graph_neighbors(c->room, c->weights, 4096, &count, c->ctx, c->graph, 0);
}
static meguri_status in_neighbors(call *c) {
    uint64_t count;
    meguri_status status = meguri_graph_in_neighbors(c->room, c->weights, 4096, &count, c->ctx, c->graph, 0);
    return status;
}
static meguri_status degrees(call *c) { return meguri_graph_degrees(c->room, c->ctx, c->graph, 0, 1); }
static meguri_status in_degrees(call *c) { return meguri_graph_in_degrees(c->room, c->ctx, c->graph, 0, 1); }
static meguri_status ids(call *c) { return meguri_graph_ids(c->room, c->ctx, c->graph, 0, 1); }
static meguri_status verify(call *c) { return meguri_graph_verify(c->ctx, c->graph); }
static meguri_status find(call *c) {
    uint64_t vertex;
    meguri_status status = meguri_graph_find_text(&vertex, c->ctx, c->graph, "0");
    return status == MEGURI_NOT_FOUND ? MEGURI_OK : status;
}

static uint64_t with_every_failure(call *c, meguri_status (*function)(call *)) {
    uint64_t before = meguri_ctx_memory_used(c->ctx);
    for (uint64_t k = 1;; k++) {
        mg_memory_fail_at(c->ctx, k);
        meguri_status status = function(c);
        mg_memory_fail_at(c->ctx, 0);
        if (status == MEGURI_OK) return k;
        assert_int_equal(status, MEGURI_NO_MEMORY);
        assert_non_null(strstr(meguri_ctx_error(c->ctx), "not enough memory for"));
        /* In-rows that were made before the failure are kept for the next call. */
        if (function != in_neighbors) assert_int_equal(meguri_ctx_memory_used(c->ctx), before);
    }
}

static void every_function_every_allocation(void **state) {
    (void)state;
    meguri_status (*const functions[])(call *) = {neighbors, degrees, ids, verify, find, in_neighbors, in_degrees};
    call *c = calloc(1, sizeof *c);
    assert_non_null(c);
    meguri_ctx_options options = {.size = sizeof options, .threads = 2};
    assert_int_equal(meguri_ctx_new(&c->ctx, &options), MEGURI_OK);
    zoo_graph g;
    for (int index = 0; zoo_get(&g, index); index++) {
        if (g.count < 50000) {
            meguri_build_options o = {.size = sizeof o, .direction = 1 + index % 2, .order = 1 + index % 3};
            c->zoo = &g;
            c->options = &o;
            assert_true(with_every_failure(c, build) > 5);
            for (size_t f = 0; f < sizeof functions / sizeof *functions; f++) {
                assert_int_equal(zoo_build(&c->graph, c->ctx, &g, &o), MEGURI_OK);
                meguri_graph_info info = {.size = sizeof info};
                assert_int_equal(meguri_graph_get_info(&info, c->ctx, c->graph), MEGURI_OK);
                if (info.vertices) with_every_failure(c, functions[f]);
                meguri_graph_free(c->graph);
            }
        }
        zoo_free(&g);
    }
    assert_int_equal(meguri_ctx_memory_used(c->ctx), 0);
    meguri_ctx_free(c->ctx);
    free(c);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_function_every_allocation)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
