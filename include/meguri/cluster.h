/* A cluster: processes, each with a part of a graph, that work on it together. Every function of a cluster, or of a
 * graph that lies there, is called by all of them, in the same order, with the same arguments; a failure at one is a
 * failure at all. */
#ifndef MEGURI_CLUSTER_H
#define MEGURI_CLUSTER_H

#include <meguri/graph.h>

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

/* ---- graphs in parts -------------------------------------------------------------------------------------------- */

/* Who owns a vertex. */
typedef enum meguri_owner {
    MEGURI_OWNER_AUTO,     /* by blocks where there are no hubs and neighbours are near each other, else by degree */
    MEGURI_OWNER_DEGREE,   /* process g mod P, g the rank by degree: every process has its share of the hubs */
    MEGURI_OWNER_POSITION, /* process p mod P, p the position in the user's order */
    MEGURI_OWNER_BLOCKS /* contiguous blocks of a locality order: for graphs without hubs, such as roads. The order is
                           that of the file, if it was built so, else the user's. Not with pairs */
} meguri_owner;

/* Names a cluster, and how a graph lies there: functions that make graphs take one. The cluster must live longer than
 * the graph. Generators draw, and files are read, in shares: no process ever has the whole graph. */
struct meguri_layout {
    size_t size; /* sizeof(meguri_layout) */
    meguri_cluster *cluster;
    uint32_t rows, columns; /* of the grid of processes; 0: as square as their number allows. 1 × P sends what it finds
                               to the owners (`simple`), P × 1 copies the frontier to all (`replicated`) */
    int pairs;              /* blocks of the adjacency matrix in symmetric pairs, for 2, 8, 32 … processes */
    meguri_owner owner;
    int programs;    /* for vertex programs (run.h): columns of edges are kept, and the order of a .meg file, in which
                        programs see edges; owner AUTO is POSITION then */
    int whole_files; /* that all ranks read the same text is checked by all of its bytes; else, of a file of more than
                        64 MiB, by some of them (docs/cluster.md) */
};

/* A graph in parts from one that every process has: for tests, and for programs that have made one themselves. Vertices
 * get their positions as ids. */
meguri_status meguri_graph_spread(meguri_graph **out, meguri_ctx *ctx, const meguri_graph *graph,
                                  const meguri_layout *layout);

typedef struct meguri_layout_info {
    size_t size; /* set by the caller to sizeof(meguri_layout_info) */
    uint32_t processes, rows, columns;
    int pairs;
    meguri_owner owner;      /* never AUTO */
    uint64_t arcs;           /* of the whole graph */
    uint64_t arcs_here;      /* arcs of which this process has each form that it needs */
    uint64_t most_arcs_here; /* the most that any process has */
    uint64_t bytes_here;     /* memory of this process's part, as it is now: algorithms may add a form of the arcs */
} meguri_layout_info;
/* MEGURI_BAD_ARGUMENT where the graph is whole. */
meguri_status meguri_graph_get_layout(meguri_layout_info *out, meguri_ctx *ctx, const meguri_graph *graph);

/* The temporary name of the file that is being written now, or an empty text. It may be read, and the file unlinked, in
 * a handler of signals. */
const char *meguri_cluster_unfinished(const meguri_cluster *cluster);

#ifdef __cplusplus
}
#endif
#endif
