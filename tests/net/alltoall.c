/* How fast processes send to all others at once: the microbenchmark of paper P2 (figure 3), over the messages that
 * searches use. No test: what feeds the model of bench/replay.py.
 *
 *     alltoall [RANKS]                   ranks as threads: copies in memory
 *     mpirun -n 4 alltoall               processes
 *
 * A line for each length of message: bytes that a process sends in a second, to all others together; and the seconds
 * that an exchange of empty messages takes. */
#include "shards/shards.h"
#include <meguri/extra/cluster_threads.h>

#include <stdlib.h>

#define LONGEST (1 << 22)
#define SECONDS 0.2

static meguri_status exchange(meguri_ctx *ctx, meguri_cluster *c, mg_exchange *x, char *in, const char *out,
                              uint64_t bytes) {
    meguri_status status = MEGURI_OK;
    for (int k = 1; k < c->size && status == MEGURI_OK; k++) {
        int from = (c->rank + c->size - k) % c->size;
        status = mg_exchange_receive(ctx, x, from, in + (uint64_t)from * bytes, bytes, NULL);
    }
    for (int k = 1; k < c->size && status == MEGURI_OK; k++)
        status = mg_exchange_send(ctx, x, (c->rank + k) % c->size, out, bytes, bytes);
    return status == MEGURI_OK ? mg_exchange_wait(ctx, x) : status;
}

/* The first process decides how often: all do the same. */
static meguri_status measure(double *seconds, meguri_ctx *ctx, meguri_cluster *c, mg_exchange *x, char *in,
                             const char *out, uint64_t bytes) {
    uint64_t times = 1;
    meguri_status status = MEGURI_OK;
    for (*seconds = 0; *seconds < SECONDS && status == MEGURI_OK; times *= 4) {
        uint64_t none = 0;
        status = mg_reduce_u64(ctx, c, &c->all, &none, 1, MG_SUM); /* all begin together */
        double since = mg_now();
        for (uint64_t i = 0; i < times && status == MEGURI_OK; i++) status = exchange(ctx, c, x, in, out, bytes);
        *seconds = mg_now() - since;
        if (status == MEGURI_OK) status = mg_reduce_f64(ctx, c, &c->all, seconds, 1, MG_MAXIMUM);
    }
    *seconds /= (double)times / 4;
    return status;
}

static meguri_status work(void *user, meguri_ctx *ctx, meguri_cluster *c) {
    (void)user;
    mg_exchange *x = NULL;
    uint64_t others = (uint64_t)c->size - 1;
    char *in = calloc((size_t)c->size, LONGEST), *out = calloc(1, LONGEST);
    meguri_status status = in && out ? mg_exchange_new(&x, ctx, c, "fold") : MEGURI_NO_MEMORY;
    status = mg_agree(ctx, c, status);
    for (uint64_t bytes = 0; bytes <= LONGEST && status == MEGURI_OK; bytes = bytes ? 8 * bytes : 64) {
        double seconds;
        status = measure(&seconds, ctx, c, x, in, out, bytes);
        if (status == MEGURI_OK && c->rank == 0)
            printf("{\"processes\":%d,\"message_bytes\":%llu,\"exchange_ns\":%llu,\"bytes_per_second\":%llu}\n",
                   c->size, (unsigned long long)bytes, (unsigned long long)(seconds * 1e9),
                   (unsigned long long)((double)(bytes * others) / seconds));
    }
    mg_exchange_free(x);
    free(in);
    free(out);
    return status;
}

int main(int argc, char **argv) {
    meguri_ctx *ctx = NULL;
    meguri_cluster *cluster = NULL;
    const meguri_cluster_threads_options threads = {.size = sizeof threads,
                                                    .ranks = argc > 1 ? (uint32_t)atoi(argv[1]) : 2};
    if (meguri_ctx_new(&ctx, NULL) != MEGURI_OK) return 4;
    meguri_status status;
    if (!meguri_cluster_launched()) status = meguri_cluster_threads(ctx, &threads, work, NULL);
    else {
        status = meguri_cluster_mpi(&cluster, ctx, NULL);
        if (status == MEGURI_OK) status = work(NULL, ctx, cluster);
    }
    if (status != MEGURI_OK) fprintf(stderr, "alltoall: %s\n", meguri_ctx_error(ctx));
    meguri_cluster_free(cluster);
    meguri_ctx_free(ctx);
    return meguri_status_exit_code(status);
}
