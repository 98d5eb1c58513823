/* An MPI program that lends some of its processes to meguri: they generate a graph together and search it, while the
 * others do something else.
 *
 *   mpicc mpi_search.c -o mpi_search $(pkg-config --cflags --libs meguri)
 *   mpirun -n 4 ./mpi_search
 */
#include <inttypes.h>
#include <meguri.h>
#include <mpi.h>
#include <stdio.h>

/* All processes of the communicator call this together. */
static meguri_status search(meguri_ctx *ctx, MPI_Comm comm) {
    meguri_cluster *cluster = NULL;
    meguri_graph *graph = NULL;
    meguri_result *result = NULL;
    meguri_layout layout = {.size = sizeof layout};
    meguri_kronecker_options what = {
        .size = sizeof what,
        .scale = 12,
        .build = &(meguri_build_options){.size = sizeof(meguri_build_options), .layout = &layout}};
    meguri_fact reached = {.size = sizeof reached};
    meguri_status status = meguri_cluster_mpi(&cluster, ctx, &comm); /* duplicates it */
    layout.cluster = cluster;                                        /* the graph lies in parts at its processes */
    if (status == MEGURI_OK) status = meguri_gen_kronecker(&graph, ctx, &what);
    if (status == MEGURI_OK) status = meguri_bfs(&result, ctx, graph, 1, NULL);
    if (status == MEGURI_OK) status = meguri_result_fact(&reached, result, "reached");
    int first = cluster && meguri_cluster_rank(cluster) == 0;
    if (first && status == MEGURI_OK)
        printf("%" PRIu32 " processes reached %" PRIu64 " vertices\n", meguri_cluster_size(cluster), reached.number);
    else if (first) fprintf(stderr, "%s\n", meguri_ctx_error(ctx));
    meguri_result_free(result);
    meguri_graph_free(graph);
    meguri_cluster_free(cluster); /* leaves MPI running: it was not begun here */
    return status;
}

int main(int argc, char **argv) {
    int provided, rank, size;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided); /* meguri's threads do not call MPI */
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    MPI_Comm ours; /* the even ones search */
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &ours);
    meguri_ctx *ctx = NULL;
    meguri_ctx_options options = {.size = sizeof options, .threads = 1};
    meguri_status status = meguri_ctx_new(&ctx, &options);
    if (status == MEGURI_OK && rank % 2 == 0) status = search(ctx, ours);
    meguri_ctx_free(ctx);
    MPI_Comm_free(&ours);

    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) printf("%d processes go on\n", size);
    MPI_Finalize();
    return meguri_status_exit_code(status);
}
