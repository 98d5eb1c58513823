/* Threads of a test's own, which the team of a context knows nothing about: they call at once. */
#ifndef AT_ONCE_H
#define AT_ONCE_H

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

#endif
