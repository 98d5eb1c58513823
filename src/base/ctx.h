/* What a context consists of; only base looks inside. */
#ifndef MG_BASE_CTX_H
#define MG_BASE_CTX_H

#include "base/base.h"

#include <pthread.h>
#include <stdatomic.h>

#define MG_ERROR_TEXT 1024

/* The memory account of a context. Blocks point to it, so it lives until the context and its last block are gone. That
 * of a child with a limit of its own counts in that of its parent, too. */
typedef struct mg_account {
    struct mg_account *parent, *root; /* NULL and itself, but for a child's */
    uint64_t limit;
    _Atomic uint64_t used, peak;
    _Atomic uint64_t holders; /* the context, and every live block */
    /* Of the root alone: */
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
/* One that counts in another, too. */
mg_account *mg_account_within(mg_account *parent, uint64_t limit);
/* One more holder, who drops it, too. */
mg_account *mg_account_share(mg_account *account);
void mg_account_drop(mg_account *account);
/* Bytes the system can give without killing anyone: /proc/meminfo and the limits of cgroups (system.c). `root` is put
 * before every path: "" but in tests. */
uint64_t mg_system_memory(const char *root);

/* What one calling thread has under way with a context. Workers of the team act for the thread whose loop they are in
 * (mg_act_for), so that they find its record. A record is found by its thread and stays with the context; it passes to
 * a later thread whose thread-local memory lies where that of an ended one did, so there are no more of them than
 * threads have lived at one time. */
typedef struct mg_caller {
    /* Its thread writes it all the time, and others read the context: in cache lines of its own. */
    _Alignas(64) _Atomic uintptr_t thread; /* the address of its thread-local record; 0: of none yet */
    _Atomic uint64_t incarnation;          /* which thread it was, of those that had this address */
    struct mg_caller *_Atomic next;
    _Atomic int failed;    /* since mg_begin: 1, the text is being written; 2, it is there */
    _Atomic int cancelled; /* the callback for progress said so */
    _Atomic int left;      /* a callback ended by an exception, and no call has told so since */
    bool reports, traces;  /* a callback for progress, or the listener of the trace, is being called */
    double last_progress;
    const char *phase; /* that was to be reported last, and how much of it */
    uint64_t done, total;
    mg_drain *drain; /* what workers hand over to this thread; NULL: nothing */
    bool holds_warnings;
    size_t held_bytes;
    char *held; /* warnings, each with its zero */
    /* What workers had to say: told by the thread itself. */
    pthread_mutex_t lock;
    struct mg_said *said, **last_said;
    _Atomic int anything_said;
    char error[MG_ERROR_TEXT];
} mg_caller;

/* Its trace. */
typedef struct mg_tracing {
    FILE *file;         /* NULL: none */
    meguri_trace_fn to; /* its listener */
    void *user;
    char *path;
    _Atomic int error; /* errno of the first write that failed */
    double start;
} mg_tracing;

struct meguri_ctx {
    uint64_t id;                      /* of this process; no two contexts have the same, one after another neither */
    struct meguri_ctx *parent, *root; /* NULL and itself, but for a child */
    _Atomic uint64_t holders;         /* itself, and its children */
    _Atomic uint32_t threads;         /* as asked for, or as many as could be made */
    mg_account *account;
    meguri_progress_fn progress;
    void *progress_user;
    void *user;
    meguri_log_fn log;
    void *log_user;
    meguri_log_level log_level;
    _Atomic int cancelled;    /* for good; set by signal handlers, too */
    double timeout, deadline; /* seconds, and when they are over (of mg_now); 0: never */
    mg_tracing trace;

    /* Of the root alone: */
    _Atomic int warned_of_threads, warned_of_cache;
    char *temp_dir;
    mg_team *_Atomic team;
    void (*end_team)(mg_team *team);
    char *device; /* as asked for; NULL: any */
    uint64_t device_memory;
    mg_devices *_Atomic devices;
    void (*end_devices)(mg_devices *devices);
    mg_gate device_gate; /* one call at a time works with them */

    mg_caller first;
};

/* The record of the calling thread, or of the one that it works for; made where there is none. */
mg_caller *mg_caller_of(const meguri_ctx *ctx);
/* A line for the listener of the trace, or for the log, that a worker leaves for the thread that called. */
typedef enum mg_saying { MG_SAID_TRACE, MG_SAID_LOG, MG_SAID_WARNING } mg_saying;
void mg_say_later(const meguri_ctx *ctx, mg_saying kind, int level, const char *text, size_t length);
/* On the calling thread: tells what workers have left. */
void mg_tell_said(const meguri_ctx *ctx, mg_caller *caller);
/* For what was left: to the log, and to the listener of the trace. */
void mg_tell_log(const meguri_ctx *ctx, mg_caller *caller, bool may_wait, meguri_log_level level, const char *text);
void mg_tell_trace(const meguri_ctx *ctx, mg_caller *caller, const char *line, size_t length);
void mg_caller_init(mg_caller *caller);
void mg_caller_close(mg_caller *caller);

#endif
