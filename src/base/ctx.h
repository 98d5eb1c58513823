/* What a context consists of; only base looks inside. */
#ifndef MG_BASE_CTX_H
#define MG_BASE_CTX_H

#include "base/base.h"

#include <pthread.h>
#include <stdatomic.h>

#define MG_ERROR_TEXT 1024

/* The memory account of a context. Blocks point to it, so it lives until the context and its last block are gone. */
typedef struct mg_account {
    uint64_t limit;
    _Atomic uint64_t used, peak;
    _Atomic uint64_t holders; /* the context, and every live block */
    _Atomic uint64_t allocations;
    _Atomic uint64_t fail_at;    /* number of the allocation that is made to fail; 0: none */
    _Atomic bool fail_essential; /* … also if no budget could refuse it */
    _Atomic uint64_t kept;       /* bytes of freed blocks whose pages wait for new ones */
    struct mg_recycler *recycler;
} mg_account;

/* Pages between blocks (recycle.c). */
struct mg_recycler *mg_recycler_new(void);
void mg_recycler_free(struct mg_recycler *recycler);
/* A mapping that is not needed any more: keeps its whole huge pages between mg_recycle_begin and _end, else unmaps. */
void mg_recycler_give(mg_account *account, void *mapping, size_t mapped);
/* Puts kept pages under a new mapping, as far as they reach: returns how many bytes. Their content is anything. */
size_t mg_recycler_take(mg_account *account, void *mapping, size_t mapped);
/* Gives all kept pages back to the system; true if there were any. */
bool mg_recycler_drop(mg_account *account);

mg_account *mg_account_new(uint64_t limit);
/* One more holder, who drops it, too. */
mg_account *mg_account_share(mg_account *account);
void mg_account_drop(mg_account *account);
/* Bytes the system can give without killing anyone: /proc/meminfo and the limits of cgroups (system.c). `root` is put
 * before every path: "" but in tests. */
uint64_t mg_system_memory(const char *root);

struct meguri_ctx {
    _Atomic uint32_t threads; /* as asked for, or as many as could be made */
    bool warned_of_threads, warned_of_cache;
    mg_account *account;
    char *temp_dir;
    meguri_progress_fn progress;
    void *progress_user;
    meguri_log_fn log;
    void *log_user;
    meguri_log_level log_level;
    bool holds_warnings;
    size_t held_bytes;
    char held[8 * MG_ERROR_TEXT]; /* warnings, each with its zero */

    pthread_mutex_t lock; /* error text, log, trace */
    pthread_t owner;      /* the thread that entered the library */
    double last_progress;
    _Atomic int failed; /* the text below belongs to a failure since mg_begin */
    _Atomic int cancelled;
    char error[MG_ERROR_TEXT];

    mg_team *team;
    void (*end_team)(mg_team *team);
    char *device; /* as asked for; NULL: any */
    uint64_t device_memory;
    mg_devices *devices;
    void (*end_devices)(mg_devices *devices);

    FILE *trace;              /* its file; NULL: none */
    meguri_trace_fn trace_to; /* its listener */
    void *trace_user;
    char *trace_line; /* the one that is being made */
    size_t trace_room;
    char *trace_path;
    int trace_error; /* errno of the first write that failed */
    double trace_start;
};

#endif
