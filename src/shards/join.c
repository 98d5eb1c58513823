/* The ways into a cluster: over MPI, as threads of this process, alone. Its handle names what makes graphs in parts, so
 * that readers and generators, which know of no cluster, find it there (graph.h). */
#include "shards/shards.h"
#include <meguri/extra/cluster_threads.h>

#include <math.h>
#include <stdlib.h>

static const mg_makers makers = {.kronecker = mg_shards_kronecker,
                                 .rmat = mg_shards_rmat,
                                 .uniform = mg_shards_uniform,
                                 .grid = mg_shards_grid,
                                 .open = mg_shards_open,
                                 .read = mg_shards_read};

meguri_status meguri_cluster_mpi(meguri_cluster **out, meguri_ctx *ctx, const void *communicator) {
    if (out) *out = NULL;
    if (!out || !ctx) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    mg_transport *transport;
    meguri_status status = mg_mpi_open(&transport, ctx, communicator);
    return status == MEGURI_OK ? mg_cluster_new(out, ctx, transport, &makers) : status;
}

meguri_status meguri_cluster_alone(meguri_cluster **out, meguri_ctx *ctx) {
    if (out) *out = NULL;
    if (!out || !ctx) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    mg_transport *transport = NULL;
    const mg_local_network network = {0, 0};
    meguri_status status = mg_local_open(&transport, ctx, 1, &network);
    return status == MEGURI_OK ? mg_cluster_new(out, ctx, transport, &makers) : status;
}

/* ---- ranks as threads ------------------------------------------------------------------------------------------- */

enum { SENTENCE = 1024 };

typedef struct rank_run {
    pthread_mutex_t *gate; /* opened when all are there: threads for loops are tried while no others are made */
    mg_transport *transport;
    meguri_ctx *ctx;
    meguri_cluster_work work;
    void *user;
    uint64_t most;
    meguri_status status;
    char sentence[SENTENCE]; /* about its failure: its context tells that to the thread of the rank alone */
    pthread_t thread;
} rank_run;

static void *run_rank(void *argument) {
    rank_run *r = argument;
    meguri_cluster *cluster;
    pthread_mutex_lock(r->gate);
    pthread_mutex_unlock(r->gate);
    r->status = mg_cluster_new(&cluster, r->ctx, r->transport, &makers);
    if (r->status == MEGURI_OK) {
        if (r->most) cluster->most = r->most;
        r->status = r->work(r->user, r->ctx, cluster);
        if (r->status != MEGURI_OK) snprintf(r->sentence, sizeof r->sentence, "%s", meguri_ctx_error(r->ctx));
        meguri_cluster_free(cluster);
    } else snprintf(r->sentence, sizeof r->sentence, "%s", meguri_ctx_error(r->ctx));
    return NULL;
}

/* The context of a rank: as the caller's, with its own threads and an equal share of what memory there is. */
static meguri_status rank_context(meguri_ctx **out, meguri_ctx *ctx, const meguri_cluster_threads_options *o) {
    meguri_ctx_options options = {.size = sizeof options,
                                  .threads = o->threads_each ? o->threads_each : 1,
                                  .memory = MG_MAX(mg_memory_left(ctx) / o->ranks, 1),
                                  .temp_dir = mg_temp_dir(ctx),
                                  .device = mg_ctx_device_wanted(ctx),
                                  .device_memory = mg_ctx_device_memory(ctx)};
    return meguri_ctx_new(out, &options);
}

static meguri_status run_ranks(meguri_ctx *ctx, rank_run *runs, uint32_t ranks) {
    pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    uint32_t started = 0;
    pthread_mutex_lock(&gate);
    for (; started < ranks; started++) {
        runs[started].gate = &gate;
        if (pthread_create(&runs[started].thread, NULL, run_rank, &runs[started])) break;
    }
    bool all = started == ranks;
    for (uint32_t r = started; r < ranks; r++) runs[r].transport->close(runs[r].transport, 1);
    pthread_mutex_unlock(&gate);
    for (uint32_t r = 0; r < started; r++) pthread_join(runs[r].thread, NULL);
    if (!all) return mg_fail(ctx, MEGURI_NO_MEMORY, "the system cannot start %u threads; ask for fewer ranks.", ranks);
    for (uint32_t r = 0; r < ranks; r++)
        if (runs[r].status != MEGURI_OK) return mg_fail_again(ctx, runs[r].status, "%s", runs[r].sentence);
    return MEGURI_OK;
}

meguri_status meguri_cluster_threads(meguri_ctx *ctx, const meguri_cluster_threads_options *options,
                                     meguri_cluster_work work, void *user) {
    if (!ctx || !work) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    meguri_cluster_threads_options o;
    meguri_status status = MG_OPTIONS(ctx, &o, options, meguri_cluster_threads_options);
    if (status != MEGURI_OK) return status;
    if (o.ranks < 1 || o.ranks > 4096)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "a cluster of %u ranks is not possible: choose 1 to 4096.", o.ranks);
    if (!(o.latency >= 0 && isfinite(o.latency)) || !(o.bytes_per_second >= 0))
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                       "messages that take %g seconds, %g bytes a second, are not possible: give numbers that are not "
                       "negative.",
                       o.latency, o.bytes_per_second);
    rank_run *runs = mg_alloc_array_zero(ctx, o.ranks, sizeof *runs, "the ranks of a cluster");
    mg_transport **transports = mg_alloc_array_zero(ctx, o.ranks, sizeof *transports, "the ranks of a cluster");
    if (!runs || !transports) status = MEGURI_NO_MEMORY;
    for (uint32_t r = 0; r < o.ranks && status == MEGURI_OK; r++) {
        runs[r] = (rank_run){.work = work, .user = user, .most = o.most_bytes};
        status = rank_context(&runs[r].ctx, ctx, &o);
        if (status != MEGURI_OK) mg_fail(ctx, status, "there is no memory for %u contexts.", o.ranks);
    }
    const mg_local_network network = {o.latency, o.bytes_per_second};
    if (status == MEGURI_OK) status = mg_local_open(transports, ctx, (int)o.ranks, &network);
    if (status == MEGURI_OK) {
        for (uint32_t r = 0; r < o.ranks; r++) runs[r].transport = transports[r];
        status = run_ranks(ctx, runs, o.ranks);
    }
    for (uint32_t r = 0; r < o.ranks && runs; r++) meguri_ctx_free(runs[r].ctx);
    mg_free(runs);
    mg_free(transports);
    return status;
}
