/* A cluster: processes, each with a part of a graph, that search it together. Every function here is called by all of
 * them, in the same order, with the same arguments; a failure at one is a failure at all. */
#ifndef MEGURI_CLUSTER_H
#define MEGURI_CLUSTER_H

#include <meguri/bfs.h>
#include <meguri/gen.h>
#include <meguri/graph500.h>
#include <meguri/result.h>
#include <meguri/sssp.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the processes ---------------------------------------------------------------------------------------------- */

typedef struct meguri_cluster meguri_cluster;

/* The processes of an MPI communicator: `communicator` points to an MPI_Comm, which is duplicated; NULL stands for all
 * processes that were launched together, and begins MPI if the program has not. MPI is a plug-in, loaded here:
 * MEGURI_ENGINE_FAILED where there is none. One thread of each process calls MPI. */
meguri_status meguri_cluster_mpi(meguri_cluster **out, meguri_ctx *ctx, const void *communicator);
/* How many processes the launcher of this one says it has started (mpirun, srun, mpiexec); 0: it was not launched so.
 */
uint32_t meguri_cluster_launched(void);

/* Ranks as threads of this process: for tests, and for experiments that count messages. `work` runs once for each rank,
 * with a context of its own that has `ctx`'s options and its share of the threads. Returns the first failure. */
typedef struct meguri_cluster_threads_options {
    size_t size; /* sizeof(meguri_cluster_threads_options) */
    uint32_t ranks;
    uint32_t threads_each;   /* 0: 1 */
    double latency;          /* seconds that a message takes, during which no processor is busy with it */
    double bytes_per_second; /* out of each rank; 0: no limit */
    uint64_t most_bytes;     /* of one message; longer ones are cut; 0: no limit */
} meguri_cluster_threads_options;
typedef meguri_status (*meguri_cluster_work)(void *user, meguri_ctx *ctx, meguri_cluster *cluster);
meguri_status meguri_cluster_threads(meguri_ctx *ctx, const meguri_cluster_threads_options *options,
                                     meguri_cluster_work work, void *user);

uint32_t meguri_cluster_rank(const meguri_cluster *cluster);
uint32_t meguri_cluster_size(const meguri_cluster *cluster);
void meguri_cluster_free(meguri_cluster *cluster);

/* ---- a graph in parts ------------------------------------------------------------------------------------------- */

typedef struct meguri_shards meguri_shards;

typedef struct meguri_shards_options {
    size_t size;            /* sizeof(meguri_shards_options) */
    uint32_t rows, columns; /* of the grid of processes; 0: as square as their number allows. 1 × P sends what it finds
                               to the owners (`simple`), P × 1 copies the frontier to all (`replicated`) */
    int pairs;              /* blocks of the adjacency matrix in symmetric pairs, for 2, 8, 32 … processes */
} meguri_shards_options;

/* The graph that meguri_gen_kronecker makes, each process drawing its share of the edges. */
meguri_status meguri_shards_kronecker(meguri_shards **out, meguri_ctx *ctx, meguri_cluster *cluster,
                                      const meguri_kronecker_options *what, const meguri_shards_options *options);
/* From a graph that every process has: for tests and for programs that have made one themselves. */
meguri_status meguri_shards_cut(meguri_shards **out, meguri_ctx *ctx, meguri_cluster *cluster,
                                const meguri_graph *graph, const meguri_shards_options *options);
/* The cluster must live as long. */
void meguri_shards_free(meguri_shards *shards);

typedef struct meguri_shards_info {
    size_t size; /* set by the caller to sizeof(meguri_shards_info) */
    uint64_t vertices, edges, arcs, isolated;
    uint64_t input_edges, dropped_loops, dropped_duplicates;
    int directed;
    meguri_weight_type weight_type;
    uint32_t processes, rows, columns;
    int pairs;
    uint64_t first, count;   /* the vertices whose results are at this process: a range of the user's order */
    uint64_t arcs_here;      /* arcs of which this process has each form that it needs */
    uint64_t most_arcs_here; /* the most that any process has */
    uint64_t bytes_here;     /* memory of this process's part */
} meguri_shards_info;
meguri_status meguri_shards_get_info(meguri_shards_info *out, meguri_ctx *ctx, meguri_shards *shards);

/* ---- searching it ----------------------------------------------------------------------------------------------- */

typedef struct meguri_shards_bfs_options {
    size_t size;                      /* sizeof(meguri_shards_bfs_options) */
    const meguri_bfs_options *search; /* NULL: all defaults */
    int packed; /* what goes over the network is packed: fewer bytes, more work; for slow networks */
} meguri_shards_bfs_options;

/* As meguri_bfs; the columns have the items of the vertices first … first+count-1 of the info. More facts:
 * `messages` and `bytes` sent by all processes, of which `expand_bytes` (the frontier, to those who follow its arcs),
 * `fold_bytes` (what was found, to its owners), `settle_bytes` (what is new, to those who would look for it again) and
 * `parent_bytes`. */
meguri_status meguri_shards_bfs(meguri_result **out, meguri_ctx *ctx, meguri_shards *shards, uint64_t source,
                                const meguri_shards_bfs_options *options);

/* ---- shortest paths --------------------------------------------------------------------------------------------- */

/* As meguri_sssp; `source` is a position in the user's order. The columns have the vertices whose results are at this
 * process (meguri_shards_info: `count` of them from `first` on); parents are positions. Facts besides: `messages` and
 * `bytes`, sent by all processes during the search. */
meguri_status meguri_shards_sssp(meguri_result **out, meguri_ctx *ctx, meguri_shards *shards, uint64_t source,
                                 const meguri_sssp_options *options);

/* Several searches, one after another, as meguri_sssp_search. The shards must live as long. */
typedef struct meguri_shards_sssp_search meguri_shards_sssp_search;

meguri_status meguri_shards_sssp_search_new(meguri_shards_sssp_search **out, meguri_ctx *ctx, meguri_shards *shards,
                                            const meguri_sssp_options *options);
/* The result belongs to the search and holds until its next run. */
meguri_status meguri_shards_sssp_search_run(const meguri_result **out, meguri_ctx *ctx,
                                            meguri_shards_sssp_search *search, uint64_t source);
void meguri_shards_sssp_search_free(meguri_shards_sssp_search *search);

/* As meguri_sssp_check, of columns as they are at every process: distances of 8 bytes, and parents, which may be NULL
 * at all of them. */
meguri_status meguri_shards_sssp_check(meguri_ctx *ctx, meguri_shards *shards, uint64_t source, const void *distance,
                                       const uint32_t *parent);

/* ---- the benchmark ---------------------------------------------------------------------------------------------- */

/* meguri_graph500 on a cluster: edges are drawn, kernel 1 builds, kernels 2 and 3 search and every tree is validated
 * without any process having more than its share. The same seed gives the same edges and roots as on one machine. A
 * search ends when every process has the parents of its vertices, as ids of the edge list, in their order; its time is
 * that of the slowest. */
meguri_status meguri_cluster_graph500(meguri_graph500_report **out, meguri_ctx *ctx, meguri_cluster *cluster,
                                      const meguri_graph500_options *options, const meguri_shards_options *shards);

#ifdef __cplusplus
}
#endif
#endif
