/* A cluster: processes, each with a part of a graph, that search it together. Every function here is called by all of
 * them, in the same order, with the same arguments; a failure at one is a failure at all. */
#ifndef MEGURI_CLUSTER_H
#define MEGURI_CLUSTER_H

#include <meguri/bfs.h>
#include <meguri/gen.h>
#include <meguri/io.h>
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
    meguri_id_kind id_kind;
} meguri_shards_info;
meguri_status meguri_shards_get_info(meguri_shards_info *out, meguri_ctx *ctx, meguri_shards *shards);

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
/* Writes a .meg file, as meguri_save does: one that meguri_open opens. */
meguri_status meguri_shards_save(meguri_ctx *ctx, meguri_shards *shards, const char *path);
/* The temporary name of the file that is being written now, or an empty text. It may be read, and the file unlinked, in
 * a handler of signals. */
const char *meguri_cluster_unfinished(const meguri_cluster *cluster);

#ifdef __cplusplus
}
#endif
#endif
