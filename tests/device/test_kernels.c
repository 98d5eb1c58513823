/* Every kernel as C, under the sanitizers of the tests: accesses out of bounds, memory that nobody has written, shifts
 * and sums that overflow, barriers that not all reach; each algorithm with teams and groups of several sizes. And what
 * carries over to a GPU, counted: a pull by teams and by work-items together beats either of them alone. */
#define _GNU_SOURCE
#include "algo/bfs/bfs.h"
#include "device/c_opencl.h"
#include "support/sanitized.h"

#include "algo/bfs/bfs.h"
#include "algo_bfs/many.h"
#include "algo_components/parting.h"
#include "algo_pagerank/ranking.h"
#include "algo_sssp/routing.h"
#include <math.h>

#include <meguri.h>

static const struct {
    uint32_t width, group;
    bool in_turns;
} sizes[] = {{32, 64, false}, {8, 32, false}, {64, 128, false}, {8, 64, true}};

/* ---- each algorithm on a graph ---------------------------------------------------------------------------------- */

static void search(meguri_ctx *ctx, const zoo_graph *g, const meguri_build_options *o, uint64_t seed) {
    static const meguri_bfs_policy policies[] = {MEGURI_BFS_PUSH, MEGURI_BFS_PULL, MEGURI_BFS_P1};
    subject s = subject_from_zoo(ctx, g, o);
    for (size_t i = 0; i < COUNT_OF(policies); i++) {
        meguri_bfs_options options = {.size = sizeof options,
                                      .max_depth = UINT32_MAX,
                                      .levels = 1,
                                      .parents = 1,
                                      .policy = policies[i],
                                      .engine = MEGURI_ENGINE_DEVICE,
                                      .split_device = 1,
                                      .alpha = 10,
                                      .beta = 14};
        check_search(ctx, &s, i ? plain_hub(&s.plain) : seed % s.plain.vertices, &options);
    }
    subject_free(&s);
}

static void search_many(meguri_ctx *ctx, const zoo_graph *g, const meguri_build_options *o, uint64_t seed) {
    subject s = subject_from_zoo(ctx, g, o);
    uint64_t sources[MEGURI_BFS_MANY];
    meguri_bfs_many_options options = {.size = sizeof options, .max_depth = UINT32_MAX, .engine = MEGURI_ENGINE_DEVICE};
    choose_sources(sources, &s, &seed);
    check_many(ctx, &s, sources, MEGURI_BFS_MANY, &options);
    subject_free(&s);
}

static void rank(meguri_ctx *ctx, const zoo_graph *g, const meguri_build_options *o, uint64_t seed) {
    meguri_pagerank_options options = {.size = sizeof options,
                                       .tiles = 1,
                                       .iterations = 2 + seed % 2,
                                       .engine = MEGURI_ENGINE_DEVICE,
                                       .damping = 0.85};
    subject s = ranked_from_zoo(ctx, g, o);
    check_ranking(NULL, ctx, &s, &options);
    subject_free(&s);
}

static void part(meguri_ctx *ctx, const zoo_graph *g, const meguri_build_options *o, uint64_t seed) {
    meguri_components_options options = {.size = sizeof options, .engine = MEGURI_ENGINE_DEVICE};
    subject s = subject_from_zoo(ctx, g, o);
    parts right = parts_of(&s.plain);
    meguri_result *result;
    (void)seed;
    if (meguri_components(&result, ctx, s.graph, &options) != MEGURI_OK) fail_msg("%s", meguri_ctx_error(ctx));
    check_parts_result(ctx, &s, &right, result);
    meguri_result_free(result);
    parts_free(&right);
    subject_free(&s);
}

/* So much memory is left on each device: of a graph in parts. */
static void allow(meguri_ctx *ctx, uint64_t memory) {
    mg_device *devices[MG_DEVICES_MOST];
    uint32_t count;
    assert_int_equal(mg_device_get_all(devices, &count, ctx), MEGURI_OK);
    for (uint32_t i = 0; i < count; i++) devices[i]->memory = memory;
}

static void route_in_parts(meguri_ctx *ctx, const roads *r) {
    static const meguri_sssp_strategy strategies[] = {MEGURI_SSSP_NEAR_FAR, MEGURI_SSSP_SETTLE};
    allow(ctx, 36 * r->subject.plain.vertices + (24 << 10));
    for (size_t i = 0; i < COUNT_OF(strategies); i++) {
        meguri_sssp_options options = {.size = sizeof options,
                                       .parents = 1,
                                       .max_cost = (double)INFINITY,
                                       .engine = MEGURI_ENGINE_DEVICE,
                                       .strategy = strategies[i],
                                       .split_device = 1};
        check_sssp(ctx, r, plain_hub(&r->subject.plain), &options);
    }
    allow(ctx, UINT64_MAX / 2);
}

static void route_all(meguri_ctx *ctx, const zoo_graph *g, const meguri_build_options *o, uint64_t seed) {
    static const weighing kinds[] = {WEIGH_NONE, WEIGH_FEW, WEIGH_WORDS, WEIGH_QUARTERS, WEIGH_TENTHS};
    zoo_graph weighed = *g;
    weighed.weights = NULL;
    weigh(&weighed, kinds[seed % COUNT_OF(kinds)], seed);
    roads r = roads_from_zoo(ctx, &weighed, o);
    for (int strategy = MEGURI_SSSP_ALL; strategy <= MEGURI_SSSP_NEAR_FAR; strategy++) {
        meguri_sssp_options options = {.size = sizeof options,
                                       .parents = 1,
                                       .max_cost = (double)INFINITY,
                                       .engine = MEGURI_ENGINE_DEVICE,
                                       .strategy = (meguri_sssp_strategy)strategy,
                                       .all_above_us = strategy == MEGURI_SSSP_ADAPTIVE ? 50 : 0,
                                       .selected_below_us = strategy == MEGURI_SSSP_ADAPTIVE ? 50 : 0};
        check_sssp(ctx, &r, plain_hub(&r.subject.plain), &options);
    }
    route_in_parts(ctx, &r);
    roads_free(&r);
    free(weighed.weights);
}

static void (*const algorithms[])(meguri_ctx *ctx, const zoo_graph *g, const meguri_build_options *o,
                                  uint64_t seed) = {search, search_many, rank, part, route_all};

static void every_kernel(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        meguri_ctx *ctx = c_opencl_context("0", sizes[i].width, sizes[i].group, sizes[i].in_turns);
        uint64_t seed = i;
        for (int turn = 0; turn < 3; turn++) {
            zoo_graph g = turn == 0   ? shape_kronecker(ctx, UNDER_ASAN ? 7 : 8, 12)
                          : turn == 1 ? shape_of_strips(1500, 2, 3)
                                      : shape_random(&seed, 300);
            meguri_build_options o = {.size = sizeof o,
                                      .direction = (meguri_direction)(1 + (turn + i) % 2),
                                      .order = (meguri_order)(1 + zoo_random(&seed) % 3),
                                      .duplicates = turn % 2 ? MEGURI_DUPLICATES_KEEP : MEGURI_DUPLICATES_MIN,
                                      .keep_loops = turn % 2};
            for (size_t a = 0; a < COUNT_OF(algorithms) && g.count; a++) algorithms[a](ctx, &g, &o, seed + a);
            zoo_free(&g);
        }
        context_done(ctx);
    }
}

/* Ranks and components of a dense graph that does not fit, and all but shortest paths on two devices that share it. */
static void in_parts_and_shared(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(sizes); i += 3)
        for (int several = 0; several < 2; several++) {
            meguri_ctx *ctx =
                c_opencl_context(several ? "0,0" : "0", sizes[i].width, sizes[i].group, sizes[i].in_turns);
            zoo_graph g = shape_kronecker(ctx, 6, 160);
            meguri_build_options o = {
                .size = sizeof o, .direction = MEGURI_DIRECTED, .duplicates = MEGURI_DUPLICATES_KEEP};
            if (several) search(ctx, &g, &o, i);
            if (several) search_many(ctx, &g, &o, i);
            allow(ctx, 32 << 10); /* the arcs are 40 KB */
            rank(ctx, &g, &o, i);
            part(ctx, &g, &o, i);
            zoo_free(&g);
            context_done(ctx);
        }
}

/* ---- counted ---------------------------------------------------------------------------------------------------- */

typedef struct pull_cost {
    double lane_use;     /* share of a team's work-items that take part in a load */
    double transactions; /* of 128 bytes, for each edge that is looked at */
} pull_cost;

/* Of the pulls of a search; `large`: in-arcs from which on a vertex is a team's. */
static pull_cost count_pull(const char *large) {
    const uint32_t width = 32;
    char option[64];
    snprintf(option, sizeof option, "-D LARGE=%s", large);
    assert_int_equal(setenv("MEGURI_KERNEL_OPTIONS", option, 1), 0);
    c_opencl_count("bfs_pull_");
    meguri_ctx *ctx = c_opencl_context("0", width, 64, false);
    zoo_graph g = shape_kronecker(ctx, 12, 16);
    meguri_build_options o = {.size = sizeof o, .direction = MEGURI_UNDIRECTED};
    subject s = subject_from_zoo(ctx, &g, &o);
    meguri_bfs_options options = {.size = sizeof options,
                                  .max_depth = UINT32_MAX,
                                  .levels = 1,
                                  .parents = 1,
                                  .policy = MEGURI_BFS_FORCED,
                                  .directions = "><<<",
                                  .engine = MEGURI_ENGINE_DEVICE,
                                  .split_device = 1,
                                  .alpha = 10,
                                  .beta = 14};
    meguri_bfs_search *search_of;
    const meguri_result *result;
    uint64_t count, edges = 0;
    assert_int_equal(meguri_bfs_search_new(&search_of, ctx, s.graph, &options), MEGURI_OK);
    for (uint64_t source = 1; source < 4; source++) {
        assert_int_equal(meguri_bfs_search_run(&result, ctx, search_of, source * 1000), MEGURI_OK);
        const meguri_bfs_step *steps = mg_bfs_search_steps(search_of, &count);
        for (uint64_t k = 0; k < count; k++)
            if (steps[k].direction == MEGURI_BFS_DIRECTION_PULL) edges += steps[k].edges;
    }
    c_loads loads = c_opencl_counted();
    meguri_bfs_search_free(search_of);
    subject_free(&s);
    zoo_free(&g);
    context_done(ctx);
    c_opencl_count(NULL);
    assert_int_equal(unsetenv("MEGURI_KERNEL_OPTIONS"), 0);
    pull_cost cost = {(double)loads.lanes / ((double)loads.instructions * width),
                      (double)loads.transactions / (double)edges};
    print_message("vertices from %s in-arcs on are a team's: lane use %.3f, %.2f transactions an edge (%llu edges)\n",
                  large, cost.lane_use, cost.transactions, (unsigned long long)edges);
    return cost;
}

static void a_split_by_degree(void **state) {
    (void)state;
    if (UNDER_ASAN) skip();
    pull_cost split = count_pull("WIDTH"), teams = count_pull("1"), items = count_pull("0xffffffff");
    assert_true(split.lane_use > teams.lane_use && split.lane_use > items.lane_use);
    assert_true(split.transactions < teams.transactions && split.transactions < items.transactions);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_kernel), cmocka_unit_test(in_parts_and_shared),
                                       cmocka_unit_test(a_split_by_degree)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    c_opencl_done();
    return failed;
}
