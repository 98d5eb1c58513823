/* Turns: what several threads make, handed on in the order of its numbers. */
#define _GNU_SOURCE /* clock_gettime */
#include "par/par.h"

#include <time.h>

/* Until the turn moves, or 20 ms have passed; false then. */
static bool wait_a_while(mg_turns *turns) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 20000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    return pthread_cond_timedwait(&turns->moved, &turns->lock, &until) == 0;
}

void mg_turns_wait(mg_turns *turns, uint64_t number, void (*meanwhile)(void *what), void *what) {
    pthread_mutex_lock(&turns->lock);
    while (turns->next != number) {
        if (!meanwhile) pthread_cond_wait(&turns->moved, &turns->lock);
        else if (!wait_a_while(turns)) {
            pthread_mutex_unlock(&turns->lock);
            meanwhile(what);
            pthread_mutex_lock(&turns->lock);
        }
    }
    pthread_mutex_unlock(&turns->lock);
}

void mg_turns_pass(mg_turns *turns) {
    pthread_mutex_lock(&turns->lock);
    turns->next++;
    pthread_cond_broadcast(&turns->moved);
    pthread_mutex_unlock(&turns->lock);
}
