/* Clusters and layouts; of one process, because all of them must be given the same. */
#include "arguments.h"
#include "support/sinks.h"
#include <meguri/extra/cluster_threads.h>

/* ---- the processes ---------------------------------------------------------------------------------------------- */

CALLS(meguri_cluster_mpi) {
    meguri_cluster *cluster;
    BAD(meguri_cluster_mpi(NULL, w.ctx, NULL));
    BAD(meguri_cluster_mpi(&cluster, NULL, NULL));
    assert_null(cluster);
}
CALLS(meguri_cluster_launched) { (void)meguri_cluster_launched(); }

static meguri_status no_work(void *user, meguri_ctx *ctx, meguri_cluster *cluster) {
    (void)user, (void)ctx, (void)cluster;
    return MEGURI_OK;
}

CALLS(meguri_cluster_threads) {
    meguri_cluster_threads_options o = {.size = sizeof o, .ranks = 2};
    BAD(meguri_cluster_threads(NULL, &o, no_work, NULL));
    BAD(meguri_cluster_threads(w.ctx, NULL, no_work, NULL));
    BAD(meguri_cluster_threads(w.ctx, &o, NULL, NULL));
    BAD_SIZES(o, meguri_cluster_threads(w.ctx, &o, no_work, NULL));
    BAD_VALUES(uint32_t, o.ranks, meguri_cluster_threads(w.ctx, &o, no_work, NULL), 0, 4097, UINT32_MAX);
    BAD_REAL(o.latency, meguri_cluster_threads(w.ctx, &o, no_work, NULL));
    BAD_VALUES(double, o.bytes_per_second, meguri_cluster_threads(w.ctx, &o, no_work, NULL), NAN, -1.0, -INFINITY);
}

CALLS(meguri_cluster_alone) {
    meguri_cluster *cluster;
    BAD(meguri_cluster_alone(NULL, w.ctx));
    BAD(meguri_cluster_alone(&cluster, NULL));
    assert_null(cluster);
}

CALLS(meguri_cluster_rank) { assert_int_equal(meguri_cluster_rank(NULL), 0); }
CALLS(meguri_cluster_size) { assert_int_equal(meguri_cluster_size(NULL), 0); }
CALLS(meguri_cluster_free) { meguri_cluster_free(NULL); }
CALLS(meguri_cluster_broken) { assert_int_equal(meguri_cluster_broken(NULL), 0); }
CALLS(meguri_cluster_unfinished) { assert_string_equal(meguri_cluster_unfinished(NULL), ""); }

CALLS(meguri_cluster_sent) {
    uint64_t messages = 7, bytes = 7;
    meguri_cluster_sent(&messages, &bytes, NULL);
    assert_true(messages == 0 && bytes == 0);
    meguri_cluster_sent(NULL, NULL, w.cluster);
}

CALLS(meguri_cluster_agree) {
    meguri_status status = MEGURI_OK;
    BAD(meguri_cluster_agree(NULL, w.cluster, MEGURI_OK, NULL));
    BAD(meguri_cluster_agree(w.ctx, NULL, MEGURI_OK, NULL));
    BAD_ENUM(meguri_status, status, meguri_cluster_agree(w.ctx, w.cluster, status, NULL));
}

CALLS(meguri_cluster_reduce) {
    uint64_t values[1] = {1};
    meguri_reduction how = MEGURI_SUM;
    BAD(meguri_cluster_reduce(NULL, w.ctx, w.cluster, 1, MEGURI_SUM));
    BAD(meguri_cluster_reduce(values, NULL, w.cluster, 1, MEGURI_SUM));
    BAD(meguri_cluster_reduce(values, w.ctx, NULL, 1, MEGURI_SUM));
    BAD(meguri_cluster_reduce(values, w.ctx, w.cluster, UINT32_MAX, MEGURI_SUM));
    BAD_ENUM(meguri_reduction, how, meguri_cluster_reduce(values, w.ctx, w.cluster, 1, how));
}

/* ---- layouts ---------------------------------------------------------------------------------------------------- */

/* `call` has the layout `l`, of a cluster of one. */
#define BAD_LAYOUT(l, call)                                                                                            \
    do {                                                                                                               \
        BAD_SIZES(l, call);                                                                                            \
        BAD_VALUES(meguri_cluster *, (l).cluster, call, NULL);                                                         \
        BAD_VALUES(uint32_t, (l).rows, call, 2, UINT32_MAX);                                                           \
        BAD_VALUES(uint32_t, (l).columns, call, 2, UINT32_MAX);                                                        \
        BAD_VALUES(int, (l).pairs, call, 1);                                                                           \
    } while (0)

CALLS(meguri_graph_spread) {
    meguri_graph *graph = w.graph;
    meguri_layout l = w.layout;
    BAD(meguri_graph_spread(NULL, w.ctx, w.graph, &l));
    BAD(meguri_graph_spread(&graph, NULL, w.graph, &l));
    BAD(meguri_graph_spread(&graph, w.ctx, NULL, &l));
    BAD(meguri_graph_spread(&graph, w.ctx, w.graph, NULL));
    BAD_LAYOUT(l, meguri_graph_spread(&graph, w.ctx, w.graph, &l));
    assert_null(graph);
}

CALLS(meguri_graph_get_layout) {
    meguri_layout_info info = {.size = sizeof info};
    BAD(meguri_graph_get_layout(NULL, w.ctx, w.parts));
    BAD(meguri_graph_get_layout(&info, NULL, w.parts));
    BAD(meguri_graph_get_layout(&info, w.ctx, NULL));
    BAD(meguri_graph_get_layout(&info, w.ctx, w.graph)); /* it is whole */
    BAD_SIZES(info, meguri_graph_get_layout(&info, w.ctx, w.parts));
}

/* Whatever makes graphs looks at its layout, and at what else it is given. */
static void try_makers(void) {
    static const char *const paths[] = {"nowhere.el", NULL};
    static const uint64_t ends[] = {0, 1};
    meguri_graph *graph = w.graph;
    meguri_graph500_report *report;
    meguri_layout l = w.layout;
    const meguri_edge_arrays arrays = {.size = sizeof arrays, .count = 1, .from = ends, .to = ends + 1};
    meguri_build_options build = {.size = sizeof build, .layout = &l};
    meguri_kronecker_options kronecker = {.size = sizeof kronecker, .scale = 4, .build = &build};
    meguri_rmat_options rmat = {.size = sizeof rmat, .scale = 4, .build = &build};
    meguri_uniform_options uniform = {.size = sizeof uniform, .vertices = 4, .edges = 4, .build = &build};
    meguri_grid_options grid = {.size = sizeof grid, .width = 4, .height = 4, .build = &build};
    meguri_read_options read = {.size = sizeof read, .build = &build};
    meguri_graph500_options graph500 = {.size = sizeof graph500, .validate = 1, .scale = 4, .layout = &l};
    BAD_LAYOUT(l, meguri_gen_kronecker(&graph, w.ctx, &kronecker));
    BAD_LAYOUT(l, meguri_gen_rmat(&graph, w.ctx, &rmat));
    BAD_LAYOUT(l, meguri_gen_uniform(&graph, w.ctx, &uniform));
    BAD_LAYOUT(l, meguri_gen_grid(&graph, w.ctx, &grid));
    BAD_SIZES(l, meguri_read(&graph, w.ctx, paths, 1, &read));
    BAD_SIZES(l, meguri_open(&graph, w.ctx, "nowhere.meg", in_layout(&l)));
    BAD_LAYOUT(l, meguri_graph500(&report, w.ctx, &graph500));
    BAD(meguri_graph_from_edges(&graph, w.ctx, &arrays, &build)); /* those are whole */
    BAD_VALUES(uint32_t, kronecker.scale, meguri_gen_kronecker(&graph, w.ctx, &kronecker), 0, 48, UINT32_MAX);
    BAD_ENUM(meguri_type, kronecker.weights, meguri_gen_kronecker(&graph, w.ctx, &kronecker));
    BAD_ENUM(meguri_direction, build.direction, meguri_gen_kronecker(&graph, w.ctx, &kronecker));
    BAD_ENUM(meguri_order, build.order, meguri_gen_kronecker(&graph, w.ctx, &kronecker));
    BAD_REAL(rmat.noise, meguri_gen_rmat(&graph, w.ctx, &rmat));
    BAD_ENUM(meguri_direction, build.direction, meguri_gen_rmat(&graph, w.ctx, &rmat));
    BAD_VALUES(uint64_t, uniform.vertices, meguri_gen_uniform(&graph, w.ctx, &uniform), 0, NEAR_THE_TOP);
    BAD_VALUES(uint64_t, uniform.edges, meguri_gen_uniform(&graph, w.ctx, &uniform), NEAR_THE_TOP);
    BAD_VALUES(uint64_t, grid.width, meguri_gen_grid(&graph, w.ctx, &grid), 0, NEAR_THE_TOP);
    BAD_VALUES(uint64_t, grid.links, meguri_gen_grid(&graph, w.ctx, &grid), NEAR_THE_TOP);
    BAD(meguri_read(&graph, w.ctx, NULL, 1, &read));
    BAD(meguri_read(&graph, w.ctx, paths, 0, &read));
    BAD(meguri_read(&graph, w.ctx, paths, 2, &read));
    BAD_ENUM(meguri_format, read.format, meguri_read(&graph, w.ctx, paths, 1, &read));
    BAD_ENUM(meguri_ids, read.ids, meguri_read(&graph, w.ctx, paths, 1, &read));
    BAD_ENUM(meguri_direction, build.direction, meguri_read(&graph, w.ctx, paths, 1, &read));
    BAD(meguri_open(&graph, w.ctx, NULL, in_layout(&l)));
    BAD_VALUES(uint32_t, graph500.scale, meguri_graph500(&report, w.ctx, &graph500), 0, 48, UINT32_MAX);
    BAD_VALUES(uint32_t, graph500.kernels, meguri_graph500(&report, w.ctx, &graph500), 4, UINT32_MAX);
    assert_null(graph);
    assert_null(report);
}

int main(void) {
    static const row rows[] = {
        ROW(meguri_cluster_mpi),   ROW(meguri_cluster_launched), ROW(meguri_cluster_threads),
        ROW(meguri_cluster_alone), ROW(meguri_cluster_rank),     ROW(meguri_cluster_size),
        ROW(meguri_cluster_free),  ROW(meguri_cluster_broken),   ROW(meguri_cluster_unfinished),
        ROW(meguri_cluster_sent),  ROW(meguri_cluster_agree),    ROW(meguri_cluster_reduce),
        ROW(meguri_graph_spread),  ROW(meguri_graph_get_layout), {"layouts of what makes graphs", try_makers},
    };
    return run_rows(rows, COUNT_OF(rows));
}
