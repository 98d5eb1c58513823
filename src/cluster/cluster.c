/* The handle of a cluster: over MPI, which is a plug-in, or over ranks that are threads of this process. */
#define _GNU_SOURCE /* dladdr */

#include "cluster/cluster.h"

#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define PLUGIN "libmeguri_mpi.so"

static const mg_makers makers = {.kronecker = mg_shards_kronecker,
                                 .rmat = mg_shards_rmat,
                                 .uniform = mg_shards_uniform,
                                 .grid = mg_shards_grid,
                                 .open = mg_shards_open,
                                 .read = mg_shards_read};

/* ---- one rank --------------------------------------------------------------------------------------------------- */

meguri_status mg_cluster_new(meguri_cluster **out, meguri_ctx *ctx, mg_transport *transport) {
    *out = NULL;
    meguri_cluster *c = mg_alloc_zero(ctx, sizeof *c, "a cluster");
    if (!c) {
        transport->close(transport, true);
        return MEGURI_NO_MEMORY;
    }
    c->makers = &makers;
    c->transport = transport;
    c->rank = c->all.me = transport->rank;
    c->size = c->all.count = transport->size;
    c->most = transport->most;
    c->all.ranks = mg_alloc_array(ctx, (uint64_t)c->size, sizeof *c->all.ranks, "a cluster");
    for (int r = 0; r < c->size && c->all.ranks; r++) c->all.ranks[r] = r;
    meguri_status status = c->all.ranks ? MEGURI_OK : MEGURI_NO_MEMORY;
    if (status == MEGURI_OK) status = mg_exchange_new(&c->control, ctx, c, MG_TRAFFIC_CONTROL);
    if (status == MEGURI_OK) status = mg_exchange_new(&c->bulk, ctx, c, MG_TRAFFIC_BULK);
    if (status == MEGURI_OK) *out = c;
    else {
        c->failed = true;
        meguri_cluster_free(c);
    }
    return status;
}

void meguri_cluster_free(meguri_cluster *c) {
    if (!c) return;
    mg_exchange_free(c->control);
    mg_exchange_free(c->bulk);
    mg_free(c->all.ranks);
    c->transport->close(c->transport, c->failed);
    mg_free(c);
}

uint32_t meguri_cluster_rank(const meguri_cluster *c) { return c ? (uint32_t)c->rank : 0; }
uint32_t meguri_cluster_size(const meguri_cluster *c) { return c ? (uint32_t)c->size : 0; }

/* ---- MPI -------------------------------------------------------------------------------------------------------- */

static uint32_t count_in(const char *variable) {
    const char *text = getenv(variable);
    char *end;
    if (!text || !*text) return 0;
    errno = 0;
    unsigned long count = strtoul(text, &end, 10);
    return !errno && !*end && count <= INT32_MAX ? (uint32_t)count : 0;
}

uint32_t meguri_cluster_launched(void) {
    /* What launchers tell the processes they start: Open MPI, those that speak PMI (MPICH, Intel), MVAPICH, PMIx. */
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE", "PMIX_SIZE"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        uint32_t count = count_in(names[i]);
        if (count) return count;
    }
    /* srun --mpi=pmix; its own variables alone say nothing about MPI. */
    return getenv("PMIX_RANK") ? count_in("SLURM_STEP_NUM_TASKS") : 0;
}

/* Beside the library, where it was installed or built; else where the system looks. MPI itself looks for its parts
 * among the symbols of the process, so these are global. */
static void *load_plugin(char *why, size_t room) {
    const char *named = getenv("MEGURI_MPI_PLUGIN");
    Dl_info here;
    char path[4096];
    void *plugin = NULL;
    const int how = RTLD_NOW | RTLD_GLOBAL | RTLD_NODELETE;
    if (named && *named) plugin = dlopen(named, how);
    else {
        if (dladdr((void *)(uintptr_t)&meguri_cluster_mpi, &here) && here.dli_fname) {
            const char *slash = strrchr(here.dli_fname, '/');
            int folder = slash ? (int)(slash - here.dli_fname) + 1 : 0;
            if (snprintf(path, sizeof path, "%.*s" PLUGIN, folder, here.dli_fname) < (int)sizeof path)
                plugin = dlopen(path, how);
        }
        if (!plugin) plugin = dlopen(PLUGIN, how);
    }
    if (!plugin) {
        const char *error = dlerror();
        snprintf(why, room, "%s", error ? error : "it is not there");
    }
    return plugin;
}

meguri_status meguri_cluster_mpi(meguri_cluster **out, meguri_ctx *ctx, const void *communicator) {
    if (out) *out = NULL;
    if (!out || !ctx) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    char error[MG_TRANSPORT_ERROR] = "";
    void *plugin = load_plugin(error, sizeof error);
    if (!plugin)
        return mg_fail(ctx, MEGURI_ENGINE_FAILED,
                       "there is no MPI here: the plug-in " PLUGIN " cannot be loaded (%s); build meguri where MPI is "
                       "installed.",
                       error);
    mg_transport_open_fn *open;
    *(void **)&open = dlsym(plugin, MG_TRANSPORT_OPEN);
    if (!open) return mg_fail(ctx, MEGURI_ENGINE_FAILED, "the plug-in " PLUGIN " is not one of meguri's.");
    mg_transport *transport = open(MG_TRANSPORT_VERSION, communicator, error);
    if (!transport) return mg_fail(ctx, MEGURI_ENGINE_FAILED, "the processes cannot be joined: %s", error);
    uint32_t launched = meguri_cluster_launched();
    if (!communicator && launched && launched != (uint32_t)transport->size) {
        int size = transport->size;
        transport->close(transport, false);
        return mg_fail(ctx, MEGURI_ENGINE_FAILED,
                       "the launcher started %u processes, but MPI knows of %d: the launcher belongs to another MPI "
                       "than the plug-in was built with; use that one's.",
                       launched, size);
    }
    return mg_cluster_new(out, ctx, transport);
}

/* ---- ranks as threads ------------------------------------------------------------------------------------------- */

typedef struct rank_run {
    pthread_mutex_t *gate; /* opened when all are there: threads for loops are tried while no others are made */
    mg_transport *transport;
    meguri_ctx *ctx;
    meguri_cluster_work work;
    void *user;
    uint64_t most;
    meguri_status status;
    pthread_t thread;
} rank_run;

static void *run_rank(void *argument) {
    rank_run *r = argument;
    meguri_cluster *cluster;
    pthread_mutex_lock(r->gate);
    pthread_mutex_unlock(r->gate);
    r->status = mg_cluster_new(&cluster, r->ctx, r->transport);
    if (r->status != MEGURI_OK) return NULL;
    if (r->most) cluster->most = r->most;
    r->status = r->work(r->user, r->ctx, cluster);
    meguri_cluster_free(cluster);
    return NULL;
}

/* The context of a rank: as the caller's, with its own threads and an equal share of what memory there is. */
static meguri_status rank_context(meguri_ctx **out, meguri_ctx *ctx, const meguri_cluster_threads_options *o) {
    meguri_ctx_options options = {.size = sizeof options,
                                  .threads = o->threads_each ? o->threads_each : 1,
                                  .memory = MG_MAX(mg_memory_left(ctx) / o->ranks, 1),
                                  .temp_dir = mg_temp_dir(ctx)};
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
    for (uint32_t r = started; r < ranks; r++) runs[r].transport->close(runs[r].transport, true);
    pthread_mutex_unlock(&gate);
    for (uint32_t r = 0; r < started; r++) pthread_join(runs[r].thread, NULL);
    if (!all) return mg_fail(ctx, MEGURI_NO_MEMORY, "the system cannot start %u threads; ask for fewer ranks.", ranks);
    for (uint32_t r = 0; r < ranks; r++)
        if (runs[r].status != MEGURI_OK) return mg_fail(ctx, runs[r].status, "%s", meguri_ctx_error(runs[r].ctx));
    return MEGURI_OK;
}

meguri_status meguri_cluster_threads(meguri_ctx *ctx, const meguri_cluster_threads_options *options,
                                     meguri_cluster_work work, void *user) {
    if (!ctx || !work) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    meguri_cluster_threads_options o;
    meguri_status status = mg_options(ctx, &o, sizeof o, options, "meguri_cluster_threads_options");
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
