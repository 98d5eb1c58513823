/* Defaults of options: meguri_…_options_init for every struct of options, all in one place.
 *
 * A caller's struct may be shorter than the library's, or longer with members that this library does not know: as many
 * bytes of the defaults are copied as the caller has room for, and the rest is zero. */
#include "base/base.h"

#include <math.h>
#include <meguri.h>
#include <meguri/extra/cluster_threads.h>
#include <meguri/extra/graph500.h>
#include <meguri/extra/overview.h>
#include <meguri/extra/path_writer.h>
#include <meguri/extra/report.h>
#include <meguri/extra/table.h>
#include <meguri/run.h>
#include <string.h>

static void set(void *options, size_t size, const void *defaults, size_t known) {
    if (!options || size < sizeof size) return;
    memset(options, 0, size);
    memcpy(options, defaults, MG_MIN(size, known));
    memcpy(options, &size, sizeof size); /* their first member */
}

#define OPTIONS(type, ...)                                                                                             \
    void type##_init(type *options, size_t size) {                                                                     \
        static const type defaults = {__VA_ARGS__};                                                                    \
        set(options, size, &defaults, sizeof defaults);                                                                \
    }

OPTIONS(meguri_betweenness_options, .seed = 1)
OPTIONS(meguri_bfs_options, .alpha = 10, .beta = 14, .max_depth = UINT32_MAX, .levels = 1, .parents = 1)
OPTIONS(meguri_bfs_many_options, .max_depth = UINT32_MAX, .parents = 1)
OPTIONS(meguri_builder_options, .size = 0)
OPTIONS(meguri_cluster_threads_options, .size = 0)
OPTIONS(meguri_clustering_options, .size = 0)
OPTIONS(meguri_communities_options, .iterations = 10)
OPTIONS(meguri_components_options, .size = 0)
OPTIONS(meguri_ctx_options, .size = 0)
OPTIONS(meguri_ctx_child_options, .size = 0)
OPTIONS(meguri_cores_options, .size = 0)
OPTIONS(meguri_kronecker_options, .size = 0)
OPTIONS(meguri_rmat_options, .size = 0)
OPTIONS(meguri_uniform_options, .size = 0)
OPTIONS(meguri_grid_options, .size = 0)
OPTIONS(meguri_build_options, .size = 0)
OPTIONS(meguri_graph500_options, .validate = 1)
OPTIONS(meguri_read_options, .size = 0)
OPTIONS(meguri_open_options, .descriptor = -1)
OPTIONS(meguri_save_options, .size = 0)
OPTIONS(meguri_write_options, .size = 0)
OPTIONS(meguri_result_write_options, .size = 0)
OPTIONS(meguri_overview_options, .top = 10, .triangle_steps = 5000000000u)
OPTIONS(meguri_pagerank_options, .damping = 0.85, .tolerance = 1e-9, .tiles = 1)
OPTIONS(meguri_partition_options, .size = 0)
OPTIONS(meguri_path_finder_options, .size = 0)
OPTIONS(meguri_path_index_options, .size = 0)
OPTIONS(meguri_path_writer_options, .size = 0)
OPTIONS(meguri_report_options, .size = 0)
OPTIONS(meguri_result_read_options, .size = 0)
OPTIONS(meguri_adjacency_options, .size = 0)
OPTIONS(meguri_from_rows_options, .size = 0)
OPTIONS(meguri_compile_options, .size = 0)
OPTIONS(meguri_run_options, .size = 0)
OPTIONS(meguri_sssp_options, .parents = 1, .max_cost = (double)INFINITY)
OPTIONS(meguri_table_options, .size = 0)
OPTIONS(meguri_triangles_options, .size = 0)
OPTIONS(meguri_with_columns_options, .size = 0)
