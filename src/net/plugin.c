/* MPI is a plug-in, which is loaded when it is asked for: a machine without MPI has everything else. */
#define _GNU_SOURCE /* dladdr */

#include "net/net.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>

#define PLUGIN "libmeguri_mpi.so" /* and MG_LIBRARY_FOLDER, such as lib/x86_64-linux-gnu, comes from the build */

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

/* MPI looks for its parts among the symbols of the process, so these are global. */
static void *load(const char *path) { return dlopen(path, RTLD_NOW | RTLD_GLOBAL | RTLD_NODELETE); }

/* In the folder `below` the one of the file that holds this code: the library, or a program linked with the archive. */
static void *load_beside(const char *below) {
    Dl_info here;
    char path[4096];
    if (!dladdr((void *)(uintptr_t)&mg_mpi_open, &here) || !here.dli_fname) return NULL;
    const char *slash = strrchr(here.dli_fname, '/');
    int folder = slash ? (int)(slash - here.dli_fname) + 1 : 0;
    int length = snprintf(path, sizeof path, "%.*s%s" PLUGIN, folder, here.dli_fname, below);
    return length < (int)sizeof path ? load(path) : NULL;
}

/* The file that the environment names; else beside the library or the program, in the library folder next to the
 * program's, where `make install` puts it, and where the system looks. */
static void *load_plugin(char *why, size_t room) {
    const char *named = getenv("MEGURI_MPI_PLUGIN");
    void *plugin = NULL;
    if (named && *named) plugin = load(named);
    else {
        plugin = load_beside("");
        if (!plugin) plugin = load_beside("../" MG_LIBRARY_FOLDER "/");
        if (!plugin) plugin = load(PLUGIN);
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
    mg_transport_open_fn *open_transport;
    *(void **)&open_transport = dlsym(plugin, MG_TRANSPORT_OPEN);
    if (!open_transport) return mg_fail(ctx, MEGURI_ENGINE_FAILED, "the plug-in " PLUGIN " is not one of meguri's.");
    mg_transport *transport = open_transport(MG_TRANSPORT_VERSION, communicator, error);
    if (!transport) return mg_fail(ctx, MEGURI_ENGINE_FAILED, "the processes cannot be joined: %s", error);
    uint32_t launched = meguri_cluster_launched();
    if (!communicator && launched && launched != (uint32_t)transport->size) {
        int size = transport->size;
        transport->close(transport, 0);
        return mg_fail(ctx, MEGURI_ENGINE_FAILED,
                       "the launcher started %u processes, but MPI knows of %d: the launcher belongs to another MPI "
                       "than the plug-in was built with; use that one's.",
                       launched, size);
    }
    *out = transport;
    return MEGURI_OK;
}
