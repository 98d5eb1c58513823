/* A cluster: processes, each with a part of a graph, that search it together. Every function here is called by all of
 * them, in the same order, with the same arguments; a failure at one is a failure at all. */
#ifndef MEGURI_CLUSTER_H
#define MEGURI_CLUSTER_H

#include <meguri/bfs.h>
#include <meguri/components.h>
#include <meguri/gen.h>
#include <meguri/pagerank.h>
#include <meguri/result.h>

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

/* ---- PageRank and components ------------------------------------------------------------------------------------ */

/* As meguri_pagerank: one column, `rank`, of the vertices whose results are at this process; the facts are those of the
 * whole, and `messages` and `bytes`, sent by all processes in all iterations. For one layout the same bits at any
 * number of threads; between layouts, and from meguri_pagerank, ranks differ by rounding. In each iteration 8 bytes for
 * each of its vertices go from a process to every other of its column of the grid, and sums come back to it from every
 * other of its row. */
meguri_status meguri_shards_pagerank(meguri_result **out, meguri_ctx *ctx, meguri_shards *shards,
                                     const meguri_pagerank_options *options);
/* As meguri_pagerank_check: `rank` has those of the vertices whose results are at this process. */
meguri_status meguri_shards_pagerank_check(meguri_ctx *ctx, meguri_shards *shards, const double *rank,
                                           const meguri_pagerank_options *options);

/* As meguri_components: one column, `component`, of the vertices whose results are at this process; the facts are those
 * of the whole, `rounds`, which grow with the logarithm of the number of vertices, whatever the diameter, `messages`
 * and `bytes`, sent by all processes. */
meguri_status meguri_shards_components(meguri_result **out, meguri_ctx *ctx, meguri_shards *shards,
                                       const meguri_components_options *options);
/* As meguri_components_check: `component` has those of the vertices whose results are at this process. */
meguri_status meguri_shards_components_check(meguri_ctx *ctx, meguri_shards *shards, const uint32_t *component);

#ifdef __cplusplus
}
#endif
#endif
