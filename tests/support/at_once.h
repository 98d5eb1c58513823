/* Threads of a test's own, which the team of a context knows nothing about: they call at once. */
#ifndef AT_ONCE_H
#define AT_ONCE_H

#include "base/base.h"

#include <pthread.h>
#include <stdlib.h>

typedef struct at_once_thread {
    void (*call)(void *what, int thread);
    void *what;
    int number;
    pthread_t handle;
} at_once_thread;

static void *at_once_run(void *argument) {
    at_once_thread *t = argument;
    t->call(t->what, t->number);
    return NULL;
}

/* Calls `call` with each number below `threads` (8 at most), the calling thread being number 0. */
static inline void at_once(int threads, void (*call)(void *what, int thread), void *what) {
    at_once_thread t[8];
    for (int i = 1; i < threads; i++) {
        t[i] = (at_once_thread){call, what, i, 0};
        if (pthread_create(&t[i].handle, NULL, at_once_run, &t[i]) != 0) abort();
    }
    call(what, 0);
    for (int i = 1; i < threads; i++) pthread_join(t[i].handle, NULL);
}

/* The same for threads that act for the calling one, as the workers of a team do. */
typedef struct at_once_workers {
    void (*call)(void *what, int thread);
    void *what;
    uintptr_t caller;
} at_once_workers;

static inline void at_once_work(void *what, int thread) {
    const at_once_workers *w = what;
    mg_act_for(w->caller);
    w->call(w->what, thread);
    mg_act_for(0);
}

static inline void at_once_for_me(int threads, void (*call)(void *what, int thread), void *what) {
    at_once_workers w = {call, what, mg_calling_thread()};
    at_once(threads, at_once_work, &w);
}

#endif
