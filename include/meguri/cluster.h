/* A cluster: processes, each with a part of a graph, that search it together. Every function here is called by all of
 * them, in the same order, with the same arguments; a failure at one is a failure at all. */
#ifndef MEGURI_CLUSTER_H
#define MEGURI_CLUSTER_H

#include <meguri/bfs.h>
#include <meguri/components.h>
#include <meguri/gen.h>
#include <meguri/graph500.h>
#include <meguri/io.h>
#include <meguri/pagerank.h>
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

/* This process alone, without MPI. */
meguri_status meguri_cluster_alone(meguri_cluster **out, meguri_ctx *ctx);

uint32_t meguri_cluster_rank(const meguri_cluster *cluster);
uint32_t meguri_cluster_size(const meguri_cluster *cluster);
void meguri_cluster_free(meguri_cluster *cluster);

/* For programs that do more than call functions of this file. A failure of the program's own at any process becomes
 * one at all: each gets the status of the first process that failed, and meguri_ctx_error is its sentence (NULL: the
 * general one of the status). */
meguri_status meguri_cluster_agree(meguri_ctx *ctx, meguri_cluster *cluster, meguri_status status,
                                   const char *sentence);
/* values[i] becomes the sum (…) of all processes' values[i]. */
typedef enum meguri_reduction { MEGURI_SUM, MEGURI_MINIMUM, MEGURI_MAXIMUM } meguri_reduction;
meguri_status meguri_cluster_reduce(uint64_t *values, meguri_ctx *ctx, meguri_cluster *cluster, uint32_t count,
                                    meguri_reduction how);
/* What this process has sent so far. */
void meguri_cluster_sent(uint64_t *messages, uint64_t *bytes, const meguri_cluster *cluster);
/* Not 0 after a failure that the other processes may not know of: nothing more can be done together, and
 * meguri_cluster_free ends them all. */
int meguri_cluster_broken(const meguri_cluster *cluster);

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
    meguri_id_kind id_kind;
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
 * `parent_bytes`; `predicted_bytes` is what theory expects of the layout where all sets go as bitmaps
 * (docs/scaling.md). */
meguri_status meguri_shards_bfs(meguri_result **out, meguri_ctx *ctx, meguri_shards *shards, uint64_t source,
                                const meguri_shards_bfs_options *options);
/* As meguri_bfs_check: `level` and `parent` have those of the vertices whose results are at this process. */
meguri_status meguri_shards_bfs_check(meguri_ctx *ctx, meguri_shards *shards, uint64_t source, const int32_t *level,
                                      const uint32_t *parent, uint32_t levels);

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

/* ---- files and ids ---------------------------------------------------------------------------------------------- */

/* The graphs of the other generators, each process drawing its share; a grid without its coordinates. */
meguri_status meguri_shards_rmat(meguri_shards **out, meguri_ctx *ctx, meguri_cluster *cluster,
                                 const meguri_rmat_options *what, const meguri_shards_options *options);
meguri_status meguri_shards_uniform(meguri_shards **out, meguri_ctx *ctx, meguri_cluster *cluster,
                                    const meguri_uniform_options *what, const meguri_shards_options *options);
meguri_status meguri_shards_grid(meguri_shards **out, meguri_ctx *ctx, meguri_cluster *cluster,
                                 const meguri_grid_options *what, const meguri_shards_options *options);

/* A .meg file, of which each process reads and checks its share. */
meguri_status meguri_shards_open(meguri_shards **out, meguri_ctx *ctx, meguri_cluster *cluster, const char *path,
                                 const meguri_shards_options *options);

/* As meguri_read: plain files are read in shares; what cannot be cut (packed files, CSV, pipes), one process reads and
 * deals out. No coordinates, and no METIS files on more than one process. */
meguri_status meguri_shards_read(meguri_shards **out, meguri_ctx *ctx, meguri_cluster *cluster,
                                 const char *const *paths, size_t path_count, const meguri_read_options *what,
                                 const meguri_shards_options *options);

/* The vertex that has an id: as meguri_graph_find, meguri_graph_find_name and meguri_graph_find_text, at all processes.
 * MEGURI_NOT_FOUND where there is none. */
meguri_status meguri_shards_find(uint64_t *vertex, meguri_ctx *ctx, meguri_shards *shards, uint64_t id);
meguri_status meguri_shards_find_name(uint64_t *vertex, meguri_ctx *ctx, meguri_shards *shards, const char *name,
                                      size_t length);
meguri_status meguri_shards_find_text(uint64_t *vertex, meguri_ctx *ctx, meguri_shards *shards, const char *text);
/* The id of a vertex as text, ended by a zero, at all processes; a long string is cut between characters. */
meguri_status meguri_shards_id_text(char *out, size_t room, meguri_ctx *ctx, meguri_shards *shards, uint64_t vertex);

/* As meguri_result_write, of a result whose columns have at each process the items of its vertices (first … first +
 * count - 1 of meguri_shards_info): all processes write one file, in a folder that they share. */
meguri_status meguri_shards_write(meguri_ctx *ctx, meguri_shards *shards, const meguri_result *result,
                                  const char *path);
/* As meguri_result_top and meguri_result_groups, of such a result, the same at all processes. */
meguri_status meguri_shards_top(uint64_t *vertices, double *values, uint64_t *count, meguri_ctx *ctx,
                                meguri_shards *shards, const meguri_result *result, const char *column, uint64_t most);
meguri_status meguri_shards_groups(uint64_t *groups, uint64_t *sizes, uint64_t *count, meguri_ctx *ctx,
                                   meguri_shards *shards, const meguri_result *result, const char *column,
                                   uint64_t most);
/* Writes a .meg file, as meguri_save does: one that meguri_open opens. */
meguri_status meguri_shards_save(meguri_ctx *ctx, meguri_shards *shards, const char *path);
/* The temporary name of the file that is being written now, or an empty text. It may be read, and the file unlinked, in
 * a handler of signals. */
const char *meguri_cluster_unfinished(const meguri_cluster *cluster);

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
