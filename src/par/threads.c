/* How many threads a loop of the library gets, and that they can be made.
 *
 * OpenMP's runtimes end the process when the system gives them no thread (RLIMIT_NPROC, a cgroup's pids) or no memory
 * for its stack (RLIMIT_AS). So before a region that needs more threads than the runtime has at hand, as many are made
 * here, all alive at once, and ended again: their number is then free for the runtime, and their stacks wait in the C
 * library's cache (40 MB of them) where no other allocation takes them. The runtime makes its threads right after.
 *
 * Invariant: the runtime keeps at least `at_hand` threads, the caller among them, for the thread that calls. libgomp
 * lets the surplus go when a smaller team than before, but not of one, is started: every region asks mg_team(), which
 * keeps count. (A program that starts teams of its own on the same thread is not counted.) */
#define _GNU_SOURCE
#include "par/par.h"

#include "policy/policy.h"

#include <errno.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Not the model of shared libraries, which allocates at the first use and ends the process where it cannot. */
static _Thread_local int at_hand __attribute__((tls_model("initial-exec"))) = 1;

/* One thread at a time tries and starts: what one has proved another would take. */
static pthread_mutex_t starting = PTHREAD_MUTEX_INITIALIZER;

/* ---- trying ----------------------------------------------------------------------------------------------------- */

typedef struct trial {
    pthread_t thread;
    pid_t number;
    pthread_mutex_t *gate;
} trial;

static void *stand_by(void *argument) {
    trial *t = argument;
    t->number = (pid_t)syscall(SYS_gettid);
    pthread_mutex_lock(t->gate);
    pthread_mutex_unlock(t->gate);
    return NULL;
}

/* Bytes of the stacks of the runtime's threads, where its user has chosen: "512k", "8 M"; without a unit kB. */
static size_t chosen_stack(void) {
    const char *text = getenv("OMP_STACKSIZE");
    if (!text) text = getenv("GOMP_STACKSIZE");
    if (!text) return 0;
    char *unit;
    unsigned long long size = strtoull(text, &unit, 10);
    while (*unit == ' ') unit++;
    int shift = *unit == 'b' || *unit == 'B'   ? 0
                : *unit == 'm' || *unit == 'M' ? 20
                : *unit == 'g' || *unit == 'G' ? 30
                                               : 10;
    return size > SIZE_MAX >> shift ? 0 : (size_t)size << shift;
}

/* A thread that has been joined still counts for the system until it is gone altogether. */
static void wait_until_gone(pid_t number) {
    const double patience = 0.1; /* seconds */
    for (double since = mg_now(); syscall(SYS_tgkill, getpid(), number, 0) == 0 && mg_now() - since < patience;)
        sched_yield();
}

/* Makes `wanted` threads, all alive at once, and ends them: how many there could be, and why no more. */
static int try_threads(int wanted, int *error) {
    trial trials[MG_MAX_THREADS];
    pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    pthread_attr_t attributes;
    int made = 0;
    *error = pthread_attr_init(&attributes);
    if (*error) return 0;
    size_t stack = chosen_stack();
    if (stack) pthread_attr_setstacksize(&attributes, stack); /* one that is not possible the runtime ignores, too */
    pthread_mutex_lock(&gate);
    for (; made < wanted; made++) {
        trials[made].gate = &gate;
        *error = pthread_create(&trials[made].thread, &attributes, stand_by, &trials[made]);
        if (*error) break;
    }
    bool room = mg_memory_margin(wanted);
    pthread_mutex_unlock(&gate);
    for (int t = 0; t < made; t++) pthread_join(trials[t].thread, NULL);
    for (int t = 0; t < made; t++) wait_until_gone(trials[t].number);
    pthread_attr_destroy(&attributes);
    if (room) return made;
    *error = ENOMEM;
    return 0;
}

/* ---- starting --------------------------------------------------------------------------------------------------- */

/* Has the runtime make them; it may have reasons of its own for fewer (OMP_THREAD_LIMIT). */
static int start_team(int wanted) {
    int team = 1;
#pragma omp parallel num_threads(wanted)
#pragma omp master
    team = omp_get_num_threads();
    return team;
}

/* More threads at hand than before, `wanted` if that is possible. Returns why not. */
static int have_at_hand(int wanted) {
    int error = 0;
    pthread_mutex_lock(&starting);
    int possible = at_hand + try_threads(wanted - at_hand, &error);
    if (possible > at_hand) at_hand = start_team(possible);
    pthread_mutex_unlock(&starting);
    return error;
}

int mg_team(int wanted) {
    if (wanted <= 1 || omp_in_parallel()) return 1;
    if (wanted > at_hand) have_at_hand(wanted);
    else at_hand = wanted; /* the others leave */
    return MG_MIN(wanted, at_hand);
}

int mg_threads(meguri_ctx *ctx, uint64_t work, uint64_t grain) {
    int wanted = (int)mg_policy_threads(meguri_ctx_threads(ctx), work, grain);
    if (wanted == 1 || omp_in_parallel()) return 1;
    if (wanted > at_hand) {
        int error = have_at_hand(wanted);
        if (wanted > at_hand) mg_fewer_threads(ctx, (uint32_t)at_hand, (uint32_t)wanted, error);
    }
    return MG_MIN(wanted, at_hand);
}
