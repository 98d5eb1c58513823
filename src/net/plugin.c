/* MPI is a plug-in, which is loaded when it is asked for: a machine without MPI has everything else. */
#define _GNU_SOURCE /* dladdr */

#include "net/net.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>

#define PLUGIN "libmeguri_mpi.so"

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
        if (dladdr((void *)(uintptr_t)&mg_mpi_open, &here) && here.dli_fname) {
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

meguri_status mg_mpi_open(mg_transport **out, meguri_ctx *ctx, const void *communicator) {
    *out = NULL;
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
    *out = transport;
    return MEGURI_OK;
}
