/* A cluster of one process by MPI, without a launcher. */
#include <meguri.h>
#include <stdio.h>

int main(void) {
    meguri_ctx *ctx = NULL;
    meguri_cluster *cluster = NULL;
    if (meguri_ctx_new(&ctx, NULL)) return 1;
    meguri_status status = meguri_cluster_mpi(&cluster, ctx, NULL);
    if (status) fprintf(stderr, "%s\n", meguri_ctx_error(ctx));
    meguri_cluster_free(cluster);
    meguri_ctx_free(ctx);
    return status != MEGURI_OK;
}
