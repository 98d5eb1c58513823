/* The context: threads, memory budget, progress, log and trace of one user of the library.
 *
 * Any number of threads may call with one context at once, also from functions that the library calls. Each call uses
 * the threads of the context if no other call does just then; else it goes on at once with the thread that it came on
 * (docs/threads.md). What one call or one session is limited to is a child: meguri_ctx_child.
 * Objects made with a context may outlive it.
 *
 * Functions that the library is given (callbacks) are called on the thread that called the library, and nowhere else:
 * several at once only if several threads call. They may call the library, with the same context too. They must not
 * throw exceptions nor longjmp. If an exception passes through nevertheless, what the call made is lost, the objects
 * that it worked with stay busy, and the thread's next call that takes long fails and says why. */
#ifndef MEGURI_CONTEXT_H
#define MEGURI_CONTEXT_H

#include <meguri/status.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct meguri_ctx meguri_ctx;

typedef enum meguri_log_level {
    MEGURI_LOG_SILENT = 0,
    MEGURI_LOG_WARNING = 1,
    MEGURI_LOG_INFO = 2,
    MEGURI_LOG_DEBUG = 3
} meguri_log_level;

/* Called now and then, every 20 ms at most. `total` is 0 where it is not known. A non-zero return cancels: the running
 * function returns MEGURI_CANCELLED soon after. */
typedef int (*meguri_progress_fn)(void *user, const char *phase, uint64_t done, uint64_t total);

typedef void (*meguri_log_fn)(void *user, meguri_log_level level, const char *text);

/* Takes bytes that are written, in their order. Anything but MEGURI_OK ends the writing with that status. */
typedef meguri_status (*meguri_write_fn)(void *user, const void *data, size_t bytes);

/* Structs of options begin with their size and have a function that sets all members to their defaults, such as
 *
 *     meguri_ctx_options options;
 *     meguri_ctx_options_init(&options, sizeof options);
 *
 * after which a value that is given is the value that is meant. NULL stands for all defaults. Where a header names no
 * default it is zero, so that {.size = sizeof options} will do; members of later versions always have that. */
typedef struct meguri_ctx_options {
    size_t size;          /* sizeof(meguri_ctx_options) */
    uint32_t threads;     /* 0: every processor this process may run on */
    uint64_t memory;      /* budget in bytes; 0: nine tenths of what the system has available now */
    const char *temp_dir; /* where data larger than the budget is spilled; NULL: $TMPDIR or /var/tmp */
    meguri_progress_fn progress;
    void *progress_user;
    meguri_log_fn log;
    void *log_user;
    meguri_log_level log_level; /* 0 is silent */
    const char *device;         /* of the engine device: part of a name, "gpu", "cpu", or the number that meguri_devices
                                   gives it, or several of these with commas in between, who share a graph; NULL: a GPU
                                   before an accelerator before a CPU */
    uint64_t device_memory;     /* bytes of each device's memory at most; 0: nine tenths of what it has */
} meguri_ctx_options;
void meguri_ctx_options_init(meguri_ctx_options *options, size_t size);

/* NULL options: all defaults. After a failure meguri_ctx_error(NULL) says why. No call may be under way when a context
 * is freed; while it has children, it stays until the last of them is freed. */
meguri_status meguri_ctx_new(meguri_ctx **out, const meguri_ctx_options *options);
void meguri_ctx_free(meguri_ctx *ctx);

/* ---- children: one call, or one session of calls ---------------------------------------------------------------- */

typedef struct meguri_ctx_child_options {
    size_t size;      /* sizeof(meguri_ctx_child_options) */
    uint32_t threads; /* at most so many of the parent's, the calling one included; 0: as the parent */
    uint64_t memory;  /* bytes at most that what is made with the child may have at one time, which count in the budget
                         of  the parent, too; 0: that budget alone */
    double timeout;   /* seconds from now, after which its calls end with MEGURI_TIMEOUT; 0: none */
    meguri_progress_fn progress; /* NULL: none; the parent's is not called */
    void *progress_user;
    void *user; /* for meguri_ctx_user: the library does nothing with it */
} meguri_ctx_child_options;
void meguri_ctx_child_options_init(meguri_ctx_child_options *options, size_t size);

/* A context with limits, failures, trace and cancel of its own, in less than a microsecond, whose threads, devices,
 * memory, folders and log are those of the parent (which may itself be a child). Where it has no trace of its own, its
 * lines go to that of the parent. NULL options: all defaults. */
meguri_status meguri_ctx_child(meguri_ctx **child, meguri_ctx *parent, const meguri_ctx_child_options *options);

/* Ends what runs with a context or one of its children within 50 ms, and everything that begins with it from now on,
 * with MEGURI_CANCELLED: for good. From any thread, and from signal handlers; the context must not be freed meanwhile.
 * NULL: nothing to do. */
void meguri_ctx_cancel(meguri_ctx *ctx);
/* Whether that has been said of the context or of one that it is a child of. */
int meguri_ctx_cancelled(const meguri_ctx *ctx);

/* As given to meguri_ctx_child; NULL for a context that is no child. */
void *meguri_ctx_user(const meguri_ctx *ctx);

/* ---- asking a context ------------------------------------------------------------------------------------------- */

/* One sentence about the failure of the last call that this thread made with this context: what, where, what to do.
 * Empty after success; never NULL. It holds until the thread's next call with the context. For a child that one thread
 * uses, any thread may ask once its call is over. NULL: about the last call of this thread that had no context, such as
 * meguri_ctx_new. */
const char *meguri_ctx_error(const meguri_ctx *ctx);

/* As asked for; fewer once the system could not make so many, of which the log is warned once. */
uint32_t meguri_ctx_threads(const meguri_ctx *ctx);

/* Bytes of the budget (of the child's own limit, if it has one), in use now, and the most that were in use at one
 * time. */
uint64_t meguri_ctx_memory_limit(const meguri_ctx *ctx);
uint64_t meguri_ctx_memory_used(const meguri_ctx *ctx);
uint64_t meguri_ctx_memory_peak(const meguri_ctx *ctx);

/* From now on every step of every function leaves one line of JSON in this file (docs/trace.md), whole lines whichever
 * threads call. NULL ends the trace; its last bytes are on disk when this returns. No call may be under way. */
meguri_status meguri_ctx_trace(meguri_ctx *ctx, const char *path);
/* … and hands it to this function, with or without a file: `line` has `length` bytes and a zero behind them, and holds
 * until the call returns. What is called from there with the same context leaves no lines there. NULL ends it. */
typedef void (*meguri_trace_fn)(void *user, const char *line, size_t length);
meguri_status meguri_ctx_trace_to(meguri_ctx *ctx, meguri_trace_fn take, void *user);
/* Adds a line of the caller's own to the trace, if there is one: what runs, and further members of a JSON object as
 * text, such as "\"hops\": 3, \"cost\": 7.5", without control characters. Also from functions that the library was
 * given. */
meguri_status meguri_ctx_trace_add(meguri_ctx *ctx, const char *run, const char *members);

/* For libraries on top of this one (libmeguri_db is one), whose functions take a context, too, and are to fail, to be
 * cancelled and to warn as those here do. */

/* Notes a sentence as that of the last failure, and returns `status`. */
meguri_status meguri_ctx_fail(meguri_ctx *ctx, meguri_status status, const char *sentence);
/* Reports progress, often enough if called every 20 ms or oftener; MEGURI_CANCELLED where the user has had enough. */
meguri_status meguri_ctx_progress(meguri_ctx *ctx, const char *phase, uint64_t done, uint64_t total);
/* Memory that counts in the budget: a block that gets so many bytes and may move (NULL: a new one), for what it is
 * named by. NULL where there is none: the sentence of the failure says how much was asked for and is in use, and the
 * old block stays. Blocks may outlive the context. */
void *meguri_ctx_resize(meguri_ctx *ctx, void *block, size_t bytes, const char *what);
void meguri_ctx_release(void *block); /* NULL: nothing to do */
/* Opens a file of the caller's own for reading and writing (*out, to be closed): the one that is there, if it is
 * regular, belongs to this user and has no other name, or a new one. It is never reached through a symbolic link of
 * another user, and is none itself. */
meguri_status meguri_ctx_create(int *out, meguri_ctx *ctx, const char *path);
/* A line for the log. */
meguri_status meguri_ctx_log(meguri_ctx *ctx, meguri_log_level level, const char *text);

#ifdef __cplusplus
}
#endif
#endif
