/* Every public function of the graph with every allocation failing in turn: a clear status, nothing leaked, and the
 * same call succeeds afterwards. */
#define _GNU_SOURCE
#include "support/faults.h"
#include "support/oracle.h"

typedef struct call {
    const zoo_graph *zoo;
    const meguri_build_options *options;
    meguri_graph *graph; /* what the accessors ask */
    uint64_t room[4096];
    double weights[4096];
} call;

static meguri_status build(meguri_ctx *ctx, void *what) {
    const call *c = what;
    meguri_graph *graph;
    meguri_status status = zoo_build(&graph, ctx, c->zoo, c->options);
    if (status != MEGURI_OK) assert_null(graph);
    meguri_graph_free(graph);
    return status;
}
static meguri_status neighbors(meguri_ctx *ctx, void *what) {
    call *c = what;
    uint64_t count;
    return meguri_graph_neighbors(c->room, c->weights, NULL, 4096, &count, ctx, c->graph, 0);
}
static meguri_status in_neighbors(meguri_ctx *ctx, void *what) {
    call *c = what;
    uint64_t count;
    return meguri_graph_in_neighbors(c->room, c->weights, NULL, 4096, &count, ctx, c->graph, 0);
}
static meguri_status degrees(meguri_ctx *ctx, void *what) {
    call *c = what;
    return meguri_graph_degrees(c->room, ctx, c->graph, 0, 1);
}
static meguri_status in_degrees(meguri_ctx *ctx, void *what) {
    call *c = what;
    return meguri_graph_in_degrees(c->room, ctx, c->graph, 0, 1);
}
static meguri_status ids(meguri_ctx *ctx, void *what) {
    call *c = what;
    return meguri_graph_ids(c->room, ctx, c->graph, 0, 1);
}
static meguri_status verify(meguri_ctx *ctx, void *what) { return meguri_graph_verify(ctx, ((call *)what)->graph); }
static meguri_status find(meguri_ctx *ctx, void *what) {
    uint64_t vertex;
    meguri_status status = meguri_graph_find_text(&vertex, ctx, ((call *)what)->graph, "0");
    return status == MEGURI_NOT_FOUND ? MEGURI_OK : status;
}

static void every_function_every_allocation(void **state) {
    (void)state;
    static const struct {
        attempt_fn *attempt;
        int may; /* in-rows are kept for the next call */
    } cases[] = {{neighbors, 0},
                 {degrees, 0},
                 {ids, 0},
                 {verify, 0},
                 {find, 0},
                 {in_neighbors, MAY_KEEP},
                 {in_degrees, LEAVES_ITS_WORK}};
    call *c = calloc(1, sizeof *c);
    assert_non_null(c);
    meguri_ctx *ctx = context_with(2);
    zoo_graph g;
    for (int index = 0; zoo_get(&g, index); index++) {
        if (g.count < 50000) {
            meguri_build_options o = {.size = sizeof o,
                                      .direction = 1 + index % 2,
                                      .duplicates = (meguri_duplicates)(index % 6),
                                      .order = 1 + index % 3};
            c->zoo = &g;
            c->options = &o;
            assert_true(fail_each_allocation(ctx, build, c, LEAVES_NOTHING) >= 5);
            for (size_t f = 0; f < COUNT_OF(cases); f++) {
                assert_int_equal(zoo_build(&c->graph, ctx, &g, &o), MEGURI_OK);
                meguri_graph_info info = {.size = sizeof info};
                assert_int_equal(meguri_graph_get_info(&info, ctx, c->graph), MEGURI_OK);
                if (info.vertices) fail_each_allocation(ctx, cases[f].attempt, c, cases[f].may);
                meguri_graph_free(c->graph);
            }
        }
        zoo_free(&g);
    }
    context_done(ctx);
    free(c);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_function_every_allocation)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
