/* The team: the threads of a context, which run its loops together.
 *
 * A loop hands its items out in chunks. The thread that calls takes chunks at once; the other threads of the context
 * take some as soon as the scheduler lets them. When no chunk is left the caller closes the loop and waits only for
 * threads that are inside: on a shared machine a thread may not run for many milliseconds, and nothing of the loop
 * depends on it. (OpenMP's regions begin and end with all their threads, so each waits for the slowest to be
 * scheduled.)
 *
 * So there are no barriers within a loop: what must be complete before something else begins is a loop of its own. And
 * which thread does what is not known: what is made for each of n parts is a loop over n items, not over threads.
 *
 * A team begins with the first loop that has work for two and ends with its context. A thread that cannot be made is
 * done without. The child of a fork begins a team of its own.
 *
 * Any number of threads may call. The team serves one loop at a time: a loop that finds it busy, with one that it is
 * within or with one of another call, is done by its caller alone, at once. */
#ifndef MG_PAR_TEAM_H
#define MG_PAR_TEAM_H

#include "base/base.h"

#include <pthread.h>

/* What one thread has made and another one uses, the first having said so by an atomic word at `place`. A program
 * under ThreadSanitizer with a library that is not compiled for it sees no atomics of ours, but our calls of malloc and
 * free: it is told. */
void __tsan_acquire(void *place) __attribute__((weak));
void __tsan_release(void *place) __attribute__((weak));
static inline void mg_sync_acquire(void *place) {
    if (__tsan_acquire) __tsan_acquire(place);
}
static inline void mg_sync_release(void *place) {
    if (__tsan_release) __tsan_release(place);
}

/* The part of [0, count) that belongs to `part` of `parts`. */
typedef struct mg_range {
    uint64_t begin, end;
} mg_range;
static inline mg_range mg_share(uint64_t count, int part, int parts) {
    unsigned __int128 c = count;
    return (mg_range){(uint64_t)(c * (unsigned)part / (unsigned)parts),
                      (uint64_t)(c * ((unsigned)part + 1) / (unsigned)parts)};
}

/* Threads of the context for `work` units, at least `grain` each (policy.h): 1 inside a loop, also one of another call
 * with this context or a child of the same parent, and while the team rests
 * because the machine is busy: threads that have lost their processor to others are waited for longer than they help.
 */
int mg_threads(const meguri_ctx *ctx, uint64_t work, uint64_t grain);
/* The same for what outlives a rest: workspaces that many loops will use, or one long loop over whole questions. */
int mg_lasting_threads(const meguri_ctx *ctx, uint64_t work, uint64_t grain);

/* What the threads of one loop share. */
typedef struct mg_loop mg_loop;

/* A thread within a loop. */
typedef struct mg_worker {
    mg_loop *loop;
    uint32_t number; /* below the loop's `threads`, no two alike; 0 is the thread that called */
} mg_worker;

/* What a thread does in a loop: it takes chunks until there are none. Called once by each thread that comes in time, by
 * the one that called the loop in any case. */
typedef void mg_work_fn(void *what, mg_worker *worker);

struct mg_loop {
    meguri_ctx *ctx;
    int threads; /* at most; from mg_threads */
    uint64_t items;
    uint64_t chunk; /* items taken at a time; 0: a few chunks for each thread */
    mg_work_fn *work;
    void *what;
    /* Progress is reported, and a cancel ends the loop early, where there is a name for what is done; else the loop is
     * always completed. */
    const char *phase;
    uint64_t done, total;       /* before the first item; of all, 0: nobody knows */
    bool steady;                /* items do not count: `done` is reported throughout */
    meguri_status status;       /* what a thread failed with */
    uintptr_t caller;           /* the thread that called, for which the others act */
    pthread_mutex_t lock;       /* for what its threads bring together in the end */
    _Alignas(64) uint64_t next; /* the first item that nobody has taken */
};

/* Runs the loop. All of its work is done when this returns, unless a thread failed, or the loop was cancelled; then
 * that is returned. Nobody works on it any more in any case. */
meguri_status mg_loop_run(mg_loop *loop);

/* The next chunk; false if there is none, or there is no point in going on. */
bool mg_take(const mg_worker *worker, mg_range *chunk);

/* A thread cannot go on (mg_fail has said why): the others take no more. MEGURI_OK does nothing. */
void mg_loop_fail(const mg_worker *worker, meguri_status status);

/* Around what one thread at a time may do. */
static inline void mg_loop_lock(const mg_worker *worker) { pthread_mutex_lock(&worker->loop->lock); }
static inline void mg_loop_unlock(const mg_worker *worker) { pthread_mutex_unlock(&worker->loop->lock); }

/* The common case: calls `each` for chunks of [0, items). */
typedef void mg_range_fn(void *what, uint64_t begin, uint64_t end);
void mg_for(meguri_ctx *ctx, int threads, uint64_t items, mg_range_fn *each, void *what);
/* The same, adding up what `each` returns. */
typedef uint64_t mg_sum_fn(const void *what, uint64_t begin, uint64_t end);
uint64_t mg_sum_over(meguri_ctx *ctx, int threads, uint64_t items, mg_sum_fn *each, const void *what);
/* A function that every thread runs as it is, and that shares the work out by itself. */
void mg_run_together(meguri_ctx *ctx, int threads, mg_work_fn *work, void *what);

#endif
