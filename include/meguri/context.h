/* The context: threads, memory budget, progress, log and trace of one user of the library.
 *
 * A context serves one call at a time; several contexts may work on one graph at once.
 * Objects made with a context may outlive it. */
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

/* Called now and then from the thread that called the library. `total` is 0 where it is not known.
 * A non-zero return cancels: the running function returns MEGURI_CANCELLED soon after. */
typedef int (*meguri_progress_fn)(void *user, const char *phase, uint64_t done, uint64_t total);

/* May be called from any thread the library uses, one call at a time. */
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
    meguri_ctx *memory_of; /* the new context counts its memory in the budget of this one, which it may outlive, and
                              `memory` is ignored; NULL: it has a budget of its own */
} meguri_ctx_options;
void meguri_ctx_options_init(meguri_ctx_options *options, size_t size);

/* NULL options: all defaults. */
meguri_status meguri_ctx_new(meguri_ctx **out, const meguri_ctx_options *options);
void meguri_ctx_free(meguri_ctx *ctx);

/* One sentence about the last failure: what, where, what to do. Empty after success; never NULL. */
const char *meguri_ctx_error(const meguri_ctx *ctx);

/* As asked for; fewer once the system could not make so many, of which the log is warned once. */
uint32_t meguri_ctx_threads(const meguri_ctx *ctx);

/* Bytes of the budget, in use now, and the most that were in use at one time. */
uint64_t meguri_ctx_memory_limit(const meguri_ctx *ctx);
uint64_t meguri_ctx_memory_used(const meguri_ctx *ctx);
uint64_t meguri_ctx_memory_peak(const meguri_ctx *ctx);

/* From now on every step of every function leaves one line of JSON in this file (docs/trace.md).
 * NULL ends the trace; its last bytes are on disk when this returns. */
meguri_status meguri_ctx_trace(meguri_ctx *ctx, const char *path);
/* … and hands it to this function, with or without a file: `line` has `length` bytes and a zero behind them, and holds
 * until the call returns. Calls come one at a time, on any thread of the context, which is busy: what is called from
 * there needs another context. NULL ends it. */
typedef void (*meguri_trace_fn)(void *user, const char *line, size_t length);
meguri_status meguri_ctx_trace_to(meguri_ctx *ctx, meguri_trace_fn take, void *user);
/* Adds a line of the caller's own to the trace, if there is one: what runs, and further members of a JSON object as
 * text, such as "\"hops\": 3, \"cost\": 7.5", without control characters. May be called while the context is busy, by
 * functions that the library was given, on any thread. */
meguri_status meguri_ctx_trace_add(meguri_ctx *ctx, const char *run, const char *members);

/* For libraries on top of this one (libmeguri_db is one), whose functions take a context, too, and are to fail, to be
 * cancelled and to warn as those here do; not while another function works with the context. */

/* Notes a sentence as that of the last failure, and returns `status`. */
meguri_status meguri_ctx_fail(meguri_ctx *ctx, meguri_status status, const char *sentence);
/* Reports progress, often enough if called every 20 ms or oftener; MEGURI_CANCELLED where the user has had enough. */
meguri_status meguri_ctx_progress(meguri_ctx *ctx, const char *phase, uint64_t done, uint64_t total);
/* Memory that counts in the budget: a block that gets so many bytes and may move (NULL: a new one), for what it is
 * named by. NULL where there is none: the sentence of the failure says how much was asked for and is in use, and the
 * old block stays. Not while another thread uses the context; blocks may outlive it. */
void *meguri_ctx_resize(meguri_ctx *ctx, void *block, size_t bytes, const char *what);
void meguri_ctx_release(void *block); /* NULL: nothing to do */
/* Opens a file of the caller's own for reading and writing (*out, to be closed): the one that is there, if it is
 * regular, belongs to this user and has no other name, or a new one. It is never reached through a symbolic link of
 * another user, and is none itself. */
meguri_status meguri_ctx_create(int *out, meguri_ctx *ctx, const char *path);
/* A line for the log; from any thread, also while the context is busy. */
meguri_status meguri_ctx_log(meguri_ctx *ctx, meguri_log_level level, const char *text);

#ifdef __cplusplus
}
#endif
#endif
