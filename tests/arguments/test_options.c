/* Every struct of options has its defaults set, whatever size the caller knows; and those that are not zero. */
#include "arguments/arguments.h"
#include <meguri/extra/cluster_threads.h>

CALLS(meguri_betweenness_options_init) { CHECK_INIT(meguri_betweenness_options); }
CALLS(meguri_bfs_options_init) { CHECK_INIT(meguri_bfs_options); }
CALLS(meguri_bfs_many_options_init) { CHECK_INIT(meguri_bfs_many_options); }
CALLS(meguri_builder_options_init) { CHECK_INIT(meguri_builder_options); }
CALLS(meguri_cluster_threads_options_init) { CHECK_INIT(meguri_cluster_threads_options); }
CALLS(meguri_clustering_options_init) { CHECK_INIT(meguri_clustering_options); }
CALLS(meguri_communities_options_init) { CHECK_INIT(meguri_communities_options); }
CALLS(meguri_components_options_init) { CHECK_INIT(meguri_components_options); }
CALLS(meguri_ctx_options_init) { CHECK_INIT(meguri_ctx_options); }
CALLS(meguri_ctx_child_options_init) { CHECK_INIT(meguri_ctx_child_options); }
CALLS(meguri_cores_options_init) { CHECK_INIT(meguri_cores_options); }
CALLS(meguri_kronecker_options_init) { CHECK_INIT(meguri_kronecker_options); }
CALLS(meguri_rmat_options_init) { CHECK_INIT(meguri_rmat_options); }
CALLS(meguri_uniform_options_init) { CHECK_INIT(meguri_uniform_options); }
CALLS(meguri_grid_options_init) { CHECK_INIT(meguri_grid_options); }
CALLS(meguri_build_options_init) { CHECK_INIT(meguri_build_options); }
CALLS(meguri_graph500_options_init) { CHECK_INIT(meguri_graph500_options); }
CALLS(meguri_read_options_init) { CHECK_INIT(meguri_read_options); }
CALLS(meguri_open_options_init) { CHECK_INIT(meguri_open_options); }
CALLS(meguri_save_options_init) { CHECK_INIT(meguri_save_options); }
CALLS(meguri_write_options_init) { CHECK_INIT(meguri_write_options); }
CALLS(meguri_result_write_options_init) { CHECK_INIT(meguri_result_write_options); }
CALLS(meguri_overview_options_init) { CHECK_INIT(meguri_overview_options); }
CALLS(meguri_pagerank_options_init) { CHECK_INIT(meguri_pagerank_options); }
CALLS(meguri_partition_options_init) { CHECK_INIT(meguri_partition_options); }
CALLS(meguri_path_finder_options_init) { CHECK_INIT(meguri_path_finder_options); }
CALLS(meguri_path_index_options_init) { CHECK_INIT(meguri_path_index_options); }
CALLS(meguri_path_writer_options_init) { CHECK_INIT(meguri_path_writer_options); }
CALLS(meguri_report_options_init) { CHECK_INIT(meguri_report_options); }
CALLS(meguri_result_read_options_init) { CHECK_INIT(meguri_result_read_options); }
CALLS(meguri_adjacency_options_init) { CHECK_INIT(meguri_adjacency_options); }
CALLS(meguri_from_rows_options_init) { CHECK_INIT(meguri_from_rows_options); }
CALLS(meguri_compile_options_init) { CHECK_INIT(meguri_compile_options); }
CALLS(meguri_run_options_init) { CHECK_INIT(meguri_run_options); }
CALLS(meguri_sssp_options_init) { CHECK_INIT(meguri_sssp_options); }
CALLS(meguri_table_options_init) { CHECK_INIT(meguri_table_options); }
CALLS(meguri_triangles_options_init) { CHECK_INIT(meguri_triangles_options); }
CALLS(meguri_with_columns_options_init) { CHECK_INIT(meguri_with_columns_options); }

/* What the headers name. */
static void defaults(void) {
    meguri_pagerank_options p;
    meguri_bfs_options b;
    meguri_communities_options c;
    meguri_betweenness_options s;
    meguri_pagerank_options_init(&p, sizeof p);
    meguri_bfs_options_init(&b, sizeof b);
    meguri_communities_options_init(&c, sizeof c);
    meguri_betweenness_options_init(&s, sizeof s);
    assert_true(p.damping == 0.85 && p.tolerance == 1e-9 && p.iterations == 0);
    assert_true(b.alpha == 10 && b.beta == 14);
    assert_true(c.iterations == 10 && s.seed == 1 && s.count == 0);

    /* A value that is given is meant: without damping all ranks are the same. */
    meguri_result *result;
    meguri_column column = {.size = sizeof column};
    p.damping = 0;
    assert_int_equal(meguri_pagerank(&result, w.ctx, w.graph, &p), MEGURI_OK);
    assert_int_equal(meguri_pagerank_check(w.ctx, w.graph, result, &p), MEGURI_OK);
    assert_int_equal(meguri_result_column(&column, result, "rank"), MEGURI_OK);
    for (uint64_t v = 0; v < column.count; v++) assert_true(fabs(((const double *)column.data)[v] * 12 - 1) < 1e-12);
    meguri_result_free(result);
    c.iterations = 0;
    assert_int_equal(meguri_communities(&result, w.ctx, w.graph, &c), MEGURI_OK);
    assert_int_equal(meguri_communities_check(w.ctx, w.graph, result, &c), MEGURI_OK);
    assert_int_equal(meguri_result_column(&column, result, "label"), MEGURI_OK);
    for (uint64_t v = 0; v < column.count; v++) assert_int_equal(((const uint32_t *)column.data)[v], v);
    meguri_result_free(result);
}

/* A caller that was compiled before a member was added gets that member's default, not zero. */
static void shorter(void) {
    meguri_pagerank_options p = {.size = offsetof(meguri_pagerank_options, iterations), .damping = 0.5};
    meguri_result *result;
    assert_int_equal(meguri_pagerank(&result, w.ctx, w.graph, &p), MEGURI_OK);
    meguri_fact change = {.size = sizeof change};
    assert_int_equal(meguri_result_fact(&change, result, "change"), MEGURI_OK);
    assert_true(change.real <= 1e-9);
    meguri_result_free(result);
}

int main(void) {
    static const row rows[] = {
        ROW(meguri_betweenness_options_init),
        ROW(meguri_bfs_options_init),
        ROW(meguri_bfs_many_options_init),
        ROW(meguri_builder_options_init),
        ROW(meguri_cluster_threads_options_init),
        ROW(meguri_clustering_options_init),
        ROW(meguri_communities_options_init),
        ROW(meguri_components_options_init),
        ROW(meguri_ctx_options_init),
        ROW(meguri_ctx_child_options_init),
        ROW(meguri_cores_options_init),
        ROW(meguri_kronecker_options_init),
        ROW(meguri_rmat_options_init),
        ROW(meguri_uniform_options_init),
        ROW(meguri_grid_options_init),
        ROW(meguri_build_options_init),
        ROW(meguri_graph500_options_init),
        ROW(meguri_read_options_init),
        ROW(meguri_open_options_init),
        ROW(meguri_save_options_init),
        ROW(meguri_write_options_init),
        ROW(meguri_result_write_options_init),
        ROW(meguri_overview_options_init),
        ROW(meguri_pagerank_options_init),
        ROW(meguri_partition_options_init),
        ROW(meguri_path_finder_options_init),
        ROW(meguri_path_index_options_init),
        ROW(meguri_path_writer_options_init),
        ROW(meguri_report_options_init),
        ROW(meguri_result_read_options_init),
        ROW(meguri_adjacency_options_init),
        ROW(meguri_from_rows_options_init),
        ROW(meguri_compile_options_init),
        ROW(meguri_run_options_init),
        ROW(meguri_sssp_options_init),
        ROW(meguri_table_options_init),
        ROW(meguri_triangles_options_init),
        ROW(meguri_with_columns_options_init),
        {"defaults", defaults},
        {"shorter", shorter},
    };
    return run_rows(rows, COUNT_OF(rows));
}
