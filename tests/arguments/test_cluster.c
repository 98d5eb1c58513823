/* Clusters and graphs in parts; of one process, because all of them must be given the same. */
#include "arguments.h"

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

/* ---- a graph in parts ------------------------------------------------------------------------------------------- */

/* function(&shards, ctx, cluster, what, options) */
#define BAD_SHARDS(function, what)                                                                                     \
    meguri_shards *s = NULL;                                                                                           \
    meguri_shards_options o = {.size = sizeof o};                                                                      \
    BAD(function(NULL, w.ctx, w.cluster, what, NULL));                                                                 \
    BAD(function(&s, NULL, w.cluster, what, NULL));                                                                    \
    BAD(function(&s, w.ctx, NULL, what, NULL));                                                                        \
    BAD_SIZES(o, function(&s, w.ctx, w.cluster, what, &o));                                                            \
    BAD_VALUES(uint32_t, o.rows, function(&s, w.ctx, w.cluster, what, &o), 2, UINT32_MAX);                             \
    BAD_VALUES(uint32_t, o.columns, function(&s, w.ctx, w.cluster, what, &o), 2, UINT32_MAX);                          \
    assert_null(s)
#define BAD_WHAT(k, function)                                                                                          \
    BAD_SIZES(k, function(&s, w.ctx, w.cluster, &k, NULL));                                                            \
    BAD_ENUM(meguri_direction, k.build.direction, function(&s, w.ctx, w.cluster, &k, NULL));                           \
    BAD_ENUM(meguri_order, k.build.order, function(&s, w.ctx, w.cluster, &k, NULL))

CALLS(meguri_shards_kronecker) {
    meguri_kronecker_options k = {.size = sizeof k, .scale = 4};
    BAD_SHARDS(meguri_shards_kronecker, &k);
    BAD_WHAT(k, meguri_shards_kronecker);
    BAD(meguri_shards_kronecker(&s, w.ctx, w.cluster, NULL, NULL));
    BAD_ENUM(meguri_weight_type, k.weights, meguri_shards_kronecker(&s, w.ctx, w.cluster, &k, NULL));
    BAD_VALUES(uint32_t, k.scale, meguri_shards_kronecker(&s, w.ctx, w.cluster, &k, NULL), 0, 32, UINT32_MAX);
    assert_null(s);
}

CALLS(meguri_shards_rmat) {
    meguri_rmat_options k = {.size = sizeof k, .scale = 4};
    BAD_SHARDS(meguri_shards_rmat, &k);
    BAD_WHAT(k, meguri_shards_rmat);
    BAD(meguri_shards_rmat(&s, w.ctx, w.cluster, NULL, NULL));
    BAD_REAL(k.noise, meguri_shards_rmat(&s, w.ctx, w.cluster, &k, NULL));
}

CALLS(meguri_shards_uniform) {
    meguri_uniform_options k = {.size = sizeof k, .vertices = 4, .edges = 4};
    BAD_SHARDS(meguri_shards_uniform, &k);
    BAD_WHAT(k, meguri_shards_uniform);
    BAD_VALUES(uint64_t, k.vertices, meguri_shards_uniform(&s, w.ctx, w.cluster, &k, NULL), 0, NEAR_THE_TOP);
    BAD_VALUES(uint64_t, k.edges, meguri_shards_uniform(&s, w.ctx, w.cluster, &k, NULL), NEAR_THE_TOP);
}

CALLS(meguri_shards_grid) {
    meguri_grid_options k = {.size = sizeof k, .width = 4, .height = 4};
    BAD_SHARDS(meguri_shards_grid, &k);
    BAD_WHAT(k, meguri_shards_grid);
    BAD_VALUES(uint64_t, k.width, meguri_shards_grid(&s, w.ctx, w.cluster, &k, NULL), 0, NEAR_THE_TOP);
    BAD_VALUES(uint64_t, k.links, meguri_shards_grid(&s, w.ctx, w.cluster, &k, NULL), NEAR_THE_TOP);
}

CALLS(meguri_shards_cut) {
    BAD_SHARDS(meguri_shards_cut, w.graph);
    BAD(meguri_shards_cut(&s, w.ctx, w.cluster, NULL, NULL));
}

CALLS(meguri_shards_open) {
    meguri_shards *s = NULL;
    meguri_shards_options o = {.size = sizeof o};
    BAD(meguri_shards_open(NULL, w.ctx, w.cluster, "nowhere.meg", NULL));
    BAD(meguri_shards_open(&s, NULL, w.cluster, "nowhere.meg", NULL));
    BAD(meguri_shards_open(&s, w.ctx, NULL, "nowhere.meg", NULL));
    BAD(meguri_shards_open(&s, w.ctx, w.cluster, NULL, NULL));
    BAD_SIZES(o, meguri_shards_open(&s, w.ctx, w.cluster, "nowhere.meg", &o));
    assert_null(s);
}

CALLS(meguri_shards_read) {
    static const char *const paths[] = {"nowhere.el", NULL};
    meguri_read_options k = {.size = sizeof k};
    meguri_shards_options o = {.size = sizeof o};
    meguri_shards *s = NULL;
    BAD(meguri_shards_read(NULL, w.ctx, w.cluster, paths, 1, NULL, NULL));
    BAD(meguri_shards_read(&s, NULL, w.cluster, paths, 1, NULL, NULL));
    BAD(meguri_shards_read(&s, w.ctx, NULL, paths, 1, NULL, NULL));
    BAD(meguri_shards_read(&s, w.ctx, w.cluster, NULL, 1, NULL, NULL));
    BAD(meguri_shards_read(&s, w.ctx, w.cluster, paths, 0, NULL, NULL));
    BAD(meguri_shards_read(&s, w.ctx, w.cluster, paths, 2, NULL, NULL));
    BAD_SIZES(o, meguri_shards_read(&s, w.ctx, w.cluster, paths, 1, NULL, &o));
    BAD_SIZES(k, meguri_shards_read(&s, w.ctx, w.cluster, paths, 1, &k, NULL));
    BAD_ENUM(meguri_format, k.format, meguri_shards_read(&s, w.ctx, w.cluster, paths, 1, &k, NULL));
    BAD_ENUM(meguri_ids, k.ids, meguri_shards_read(&s, w.ctx, w.cluster, paths, 1, &k, NULL));
    BAD_ENUM(meguri_direction, k.build.direction, meguri_shards_read(&s, w.ctx, w.cluster, paths, 1, &k, NULL));
    assert_null(s);
}

CALLS(meguri_shards_free) { meguri_shards_free(NULL); }

CALLS(meguri_shards_get_info) {
    meguri_shards_info info = {.size = sizeof info};
    BAD(meguri_shards_get_info(NULL, w.ctx, w.shards));
    BAD(meguri_shards_get_info(&info, NULL, w.shards));
    BAD(meguri_shards_get_info(&info, w.ctx, NULL));
    BAD_SIZES(info, meguri_shards_get_info(&info, w.ctx, w.shards));
}

/* ---- searching it ----------------------------------------------------------------------------------------------- */

static const uint64_t outside[] = {12, (uint64_t)1 << 32, UINT64_MAX - 1, UINT64_MAX};

CALLS(meguri_shards_bfs) {
    meguri_result *r;
    meguri_bfs_options search = {.size = sizeof search};
    meguri_shards_bfs_options o = {.size = sizeof o, .search = &search};
    BAD(meguri_shards_bfs(NULL, w.ctx, w.shards, 0, NULL));
    BAD(meguri_shards_bfs(&r, NULL, w.shards, 0, NULL));
    BAD(meguri_shards_bfs(&r, w.ctx, NULL, 0, NULL));
    BAD_SIZES(o, meguri_shards_bfs(&r, w.ctx, w.shards, 0, &o));
    BAD_SIZES(search, meguri_shards_bfs(&r, w.ctx, w.shards, 0, &o));
    BAD_ENUM(meguri_bfs_policy, search.policy, meguri_shards_bfs(&r, w.ctx, w.shards, 0, &o));
    BAD_REAL(search.alpha, meguri_shards_bfs(&r, w.ctx, w.shards, 0, &o));
    for (size_t i = 0; i < COUNT_OF(outside); i++) NOWHERE(meguri_shards_bfs(&r, w.ctx, w.shards, outside[i], NULL));
}

CALLS(meguri_shards_bfs_check) {
    static const int32_t level[12] = {0};
    static const uint32_t parent[12] = {0};
    BAD(meguri_shards_bfs_check(NULL, w.shards, 0, level, parent, 0));
    BAD(meguri_shards_bfs_check(w.ctx, NULL, 0, level, parent, 0));
    BAD(meguri_shards_bfs_check(w.ctx, w.shards, 0, NULL, NULL, 0));
    for (size_t i = 0; i < COUNT_OF(outside); i++)
        NOWHERE(meguri_shards_bfs_check(w.ctx, w.shards, outside[i], level, parent, 0));
}

CALLS(meguri_shards_pagerank) {
    meguri_result *r;
    meguri_pagerank_options o = {.size = sizeof o};
    BAD(meguri_shards_pagerank(NULL, w.ctx, w.shards, NULL));
    BAD(meguri_shards_pagerank(&r, NULL, w.shards, NULL));
    BAD(meguri_shards_pagerank(&r, w.ctx, NULL, NULL));
    BAD_SIZES(o, meguri_shards_pagerank(&r, w.ctx, w.shards, &o));
    BAD_REAL(o.damping, meguri_shards_pagerank(&r, w.ctx, w.shards, &o));
    BAD_REAL(o.tolerance, meguri_shards_pagerank(&r, w.ctx, w.shards, &o));
}

CALLS(meguri_shards_pagerank_check) {
    static const double rank[12] = {0};
    meguri_pagerank_options o = {.size = sizeof o};
    BAD(meguri_shards_pagerank_check(NULL, w.shards, rank, NULL));
    BAD(meguri_shards_pagerank_check(w.ctx, NULL, rank, NULL));
    BAD(meguri_shards_pagerank_check(w.ctx, w.shards, NULL, NULL));
    BAD_SIZES(o, meguri_shards_pagerank_check(w.ctx, w.shards, rank, &o));
    BAD_REAL(o.damping, meguri_shards_pagerank_check(w.ctx, w.shards, rank, &o));
}

CALLS(meguri_shards_components) {
    meguri_result *r;
    meguri_components_options o = {.size = sizeof o};
    BAD(meguri_shards_components(NULL, w.ctx, w.shards, NULL));
    BAD(meguri_shards_components(&r, NULL, w.shards, NULL));
    BAD(meguri_shards_components(&r, w.ctx, NULL, NULL));
    BAD_SIZES(o, meguri_shards_components(&r, w.ctx, w.shards, &o));
}

CALLS(meguri_shards_components_check) {
    static const uint32_t component[12] = {0};
    BAD(meguri_shards_components_check(NULL, w.shards, component));
    BAD(meguri_shards_components_check(w.ctx, NULL, component));
    BAD(meguri_shards_components_check(w.ctx, w.shards, NULL));
}

CALLS(meguri_shards_sssp) {
    meguri_result *r;
    meguri_sssp_options o = {.size = sizeof o};
    BAD(meguri_shards_sssp(NULL, w.ctx, w.shards, 0, NULL));
    BAD(meguri_shards_sssp(&r, NULL, w.shards, 0, NULL));
    BAD(meguri_shards_sssp(&r, w.ctx, NULL, 0, NULL));
    BAD_SIZES(o, meguri_shards_sssp(&r, w.ctx, w.shards, 0, &o));
    BAD_REAL(o.delta, meguri_shards_sssp(&r, w.ctx, w.shards, 0, &o));
    for (size_t i = 0; i < COUNT_OF(outside); i++) NOWHERE(meguri_shards_sssp(&r, w.ctx, w.shards, outside[i], NULL));
}

CALLS(meguri_shards_sssp_search_new) {
    meguri_shards_sssp_search *s;
    meguri_sssp_options o = {.size = sizeof o};
    BAD(meguri_shards_sssp_search_new(NULL, w.ctx, w.shards, NULL));
    BAD(meguri_shards_sssp_search_new(&s, NULL, w.shards, NULL));
    BAD(meguri_shards_sssp_search_new(&s, w.ctx, NULL, NULL));
    BAD_SIZES(o, meguri_shards_sssp_search_new(&s, w.ctx, w.shards, &o));
    BAD_REAL(o.delta, meguri_shards_sssp_search_new(&s, w.ctx, w.shards, &o));
}

CALLS(meguri_shards_sssp_search_run) {
    const meguri_result *r;
    meguri_shards_sssp_search *s;
    assert_int_equal(meguri_shards_sssp_search_new(&s, w.ctx, w.shards, NULL), MEGURI_OK);
    BAD(meguri_shards_sssp_search_run(NULL, w.ctx, s, 0));
    BAD(meguri_shards_sssp_search_run(&r, NULL, s, 0));
    BAD(meguri_shards_sssp_search_run(&r, w.ctx, NULL, 0));
    for (size_t i = 0; i < COUNT_OF(outside); i++) NOWHERE(meguri_shards_sssp_search_run(&r, w.ctx, s, outside[i]));
    meguri_shards_sssp_search_free(s);
}
CALLS(meguri_shards_sssp_search_free) { meguri_shards_sssp_search_free(NULL); }

CALLS(meguri_shards_sssp_check) {
    static const uint64_t distance[12] = {0};
    BAD(meguri_shards_sssp_check(NULL, w.shards, 0, distance, NULL));
    BAD(meguri_shards_sssp_check(w.ctx, NULL, 0, distance, NULL));
    BAD(meguri_shards_sssp_check(w.ctx, w.shards, 0, NULL, NULL));
    for (size_t i = 0; i < COUNT_OF(outside); i++)
        NOWHERE(meguri_shards_sssp_check(w.ctx, w.shards, outside[i], distance, NULL));
}

/* ---- files and ids ---------------------------------------------------------------------------------------------- */

CALLS(meguri_shards_find) {
    uint64_t vertex;
    BAD(meguri_shards_find(NULL, w.ctx, w.shards, 0));
    BAD(meguri_shards_find(&vertex, NULL, w.shards, 0));
    BAD(meguri_shards_find(&vertex, w.ctx, NULL, 0));
    BAD(meguri_shards_find(&vertex, w.ctx, w.named_shards, 0));
    NOWHERE(meguri_shards_find(&vertex, w.ctx, w.shards, UINT64_MAX));
}

CALLS(meguri_shards_find_name) {
    uint64_t vertex;
    BAD(meguri_shards_find_name(NULL, w.ctx, w.named_shards, "a", 1));
    BAD(meguri_shards_find_name(&vertex, NULL, w.named_shards, "a", 1));
    BAD(meguri_shards_find_name(&vertex, w.ctx, NULL, "a", 1));
    BAD(meguri_shards_find_name(&vertex, w.ctx, w.named_shards, NULL, 1));
    BAD(meguri_shards_find_name(&vertex, w.ctx, w.shards, "a", 1));
    BAD(meguri_shards_find_name(&vertex, w.ctx, w.named_shards, "a", SIZE_MAX));
}

CALLS(meguri_shards_find_text) {
    uint64_t vertex;
    BAD(meguri_shards_find_text(NULL, w.ctx, w.shards, "1"));
    BAD(meguri_shards_find_text(&vertex, NULL, w.shards, "1"));
    BAD(meguri_shards_find_text(&vertex, w.ctx, NULL, "1"));
    BAD(meguri_shards_find_text(&vertex, w.ctx, w.shards, NULL));
    NOWHERE(meguri_shards_find_text(&vertex, w.ctx, w.shards, "18446744073709551616"));
}

CALLS(meguri_shards_id_text) {
    char text[32];
    BAD(meguri_shards_id_text(NULL, sizeof text, w.ctx, w.shards, 0));
    BAD(meguri_shards_id_text(text, 0, w.ctx, w.shards, 0));
    BAD(meguri_shards_id_text(text, sizeof text, NULL, w.shards, 0));
    BAD(meguri_shards_id_text(text, sizeof text, w.ctx, NULL, 0));
    for (size_t i = 0; i < COUNT_OF(outside); i++)
        NOWHERE(meguri_shards_id_text(text, sizeof text, w.ctx, w.shards, outside[i]));
}

CALLS(meguri_shards_write) {
    BAD(meguri_shards_write(NULL, w.shards, w.result, "nowhere.tsv"));
    BAD(meguri_shards_write(w.ctx, NULL, w.result, "nowhere.tsv"));
    BAD(meguri_shards_write(w.ctx, w.shards, NULL, "nowhere.tsv"));
    BAD(meguri_shards_write(w.ctx, w.shards, w.result, NULL));
    BAD(meguri_shards_write(w.ctx, w.shards, w.result, "nowhere.xyz"));
}

CALLS(meguri_shards_top) {
    uint64_t vertices[12], count;
    BAD_HIGHEST(meguri_shards_top, double, "level", "parent", w.shards, w.result);
    BAD(meguri_shards_top(vertices, NULL, &count, w.ctx, NULL, w.result, "level", 4));
    BAD(meguri_shards_top(vertices, NULL, &count, w.ctx, w.shards, NULL, "level", 4));
    BAD(meguri_shards_top(vertices, NULL, &count, w.ctx, w.named_shards, w.result, "level", 4)); /* another graph */
}

CALLS(meguri_shards_groups) {
    uint64_t groups[12], sizes[12], count;
    BAD_HIGHEST(meguri_shards_groups, uint64_t, "parent", "level", w.shards, w.result);
    BAD(meguri_shards_groups(groups, NULL, &count, w.ctx, w.shards, w.result, "parent", 4));
    BAD(meguri_shards_groups(groups, sizes, &count, w.ctx, NULL, w.result, "parent", 4));
    BAD(meguri_shards_groups(groups, sizes, &count, w.ctx, w.shards, NULL, "parent", 4));
    BAD(meguri_shards_groups(groups, sizes, &count, w.ctx, w.named_shards, w.result, "parent", 4)); /* another graph */
}

CALLS(meguri_shards_save) {
    BAD(meguri_shards_save(NULL, w.shards, "nowhere.meg"));
    BAD(meguri_shards_save(w.ctx, NULL, "nowhere.meg"));
    BAD(meguri_shards_save(w.ctx, w.shards, NULL));
    BAD(meguri_shards_save(w.ctx, w.shards, ""));
}

CALLS(meguri_cluster_graph500) {
    meguri_graph500_report *report;
    meguri_graph500_options o = {.size = sizeof o, .scale = 4};
    meguri_shards_options s = {.size = sizeof s};
    BAD(meguri_cluster_graph500(NULL, w.ctx, w.cluster, &o, NULL));
    BAD(meguri_cluster_graph500(&report, NULL, w.cluster, &o, NULL));
    BAD(meguri_cluster_graph500(&report, w.ctx, NULL, &o, NULL));
    BAD(meguri_cluster_graph500(&report, w.ctx, w.cluster, NULL, NULL));
    BAD_SIZES(o, meguri_cluster_graph500(&report, w.ctx, w.cluster, &o, NULL));
    BAD_SIZES(s, meguri_cluster_graph500(&report, w.ctx, w.cluster, &o, &s));
    BAD_VALUES(uint32_t, o.scale, meguri_cluster_graph500(&report, w.ctx, w.cluster, &o, NULL), 0, 32, UINT32_MAX);
    BAD_VALUES(uint32_t, o.kernels, meguri_cluster_graph500(&report, w.ctx, w.cluster, &o, NULL), 4, UINT32_MAX);
}

int main(void) {
    static const row rows[] = {
        ROW(meguri_cluster_mpi),
        ROW(meguri_cluster_launched),
        ROW(meguri_cluster_threads),
        ROW(meguri_cluster_alone),
        ROW(meguri_cluster_rank),
        ROW(meguri_cluster_size),
        ROW(meguri_cluster_free),
        ROW(meguri_cluster_broken),
        ROW(meguri_cluster_unfinished),
        ROW(meguri_cluster_sent),
        ROW(meguri_cluster_agree),
        ROW(meguri_cluster_reduce),
        ROW(meguri_shards_kronecker),
        ROW(meguri_shards_rmat),
        ROW(meguri_shards_uniform),
        ROW(meguri_shards_grid),
        ROW(meguri_shards_cut),
        ROW(meguri_shards_open),
        ROW(meguri_shards_read),
        ROW(meguri_shards_free),
        ROW(meguri_shards_get_info),
        ROW(meguri_shards_bfs),
        ROW(meguri_shards_bfs_check),
        ROW(meguri_shards_pagerank),
        ROW(meguri_shards_pagerank_check),
        ROW(meguri_shards_components),
        ROW(meguri_shards_components_check),
        ROW(meguri_shards_sssp),
        ROW(meguri_shards_sssp_search_new),
        ROW(meguri_shards_sssp_search_run),
        ROW(meguri_shards_sssp_search_free),
        ROW(meguri_shards_sssp_check),
        ROW(meguri_shards_find),
        ROW(meguri_shards_find_name),
        ROW(meguri_shards_find_text),
        ROW(meguri_shards_id_text),
        ROW(meguri_shards_write),
        ROW(meguri_shards_top),
        ROW(meguri_shards_groups),
        ROW(meguri_shards_save),
        ROW(meguri_cluster_graph500),
    };
    return run_rows(rows, COUNT_OF(rows));
}
