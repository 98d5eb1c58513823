/* Turns: what several threads make, handed on in the order of its numbers.
 *
 * Invariant: `next` moves by one when the work of that turn is done, whichever thread did it, so `hand` is set by one
 * thread at a time, that of the turn. */
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

bool mg_turns_wait(mg_turns *turns, uint64_t number, void (*meanwhile)(void *what), void *what) {
    pthread_mutex_lock(&turns->lock);
    while (turns->next != number && !turns->abandoned) {
        if (!meanwhile) pthread_cond_wait(&turns->moved, &turns->lock);
        else if (!wait_a_while(turns)) {
            pthread_mutex_unlock(&turns->lock);
            meanwhile(what);
            pthread_mutex_lock(&turns->lock);
        }
    }
    bool come = turns->next == number;
    pthread_mutex_unlock(&turns->lock);
    return come;
}

void mg_turns_pass(mg_turns *turns) {
    pthread_mutex_lock(&turns->lock);
    mg_store(&turns->next, turns->next + 1);
    pthread_cond_broadcast(&turns->moved);
    pthread_mutex_unlock(&turns->lock);
}

/* ---- handing over ----------------------------------------------------------------------------------------------- */

static void abandon(mg_turns *turns) {
    pthread_mutex_lock(&turns->lock);
    turns->abandoned = true;
    turns->hand = NULL;
    pthread_cond_broadcast(&turns->moved);
    pthread_mutex_unlock(&turns->lock);
}

void mg_turns_drain(mg_drain *drain) {
    mg_turns *turns = (mg_turns *)(void *)((char *)drain - offsetof(mg_turns, drain));
    pthread_mutex_lock(&turns->lock);
    void (*hand)(void *what) = turns->hand;
    turns->hand = NULL;
    atomic_store(&drain->now, 0);
    pthread_mutex_unlock(&turns->lock);
    if (!hand) return;
    hand(turns->what);
    mg_turns_pass(turns);
}

mg_turning mg_turning_begin(mg_turns *turns, const mg_worker *worker, const char *phase, uint64_t count) {
    meguri_ctx *ctx = worker->loop->ctx;
    mg_turning t = {turns, ctx, phase, count, worker->number == 0, false, NULL};
    if (t.calls && !mg_is_worker()) t.before = mg_set_drain(ctx, &turns->drain);
    return t;
}

/* Until it is the turn of `number`, which this thread called for: it does what others hand over. */
static void wait_and_drain(mg_turning *t, uint64_t number) {
    mg_turns *turns = t->turns;
    pthread_mutex_lock(&turns->lock);
    while (turns->next != number) {
        bool handed = turns->hand != NULL;
        if (!handed && wait_a_while(turns)) continue;
        pthread_mutex_unlock(&turns->lock);
        if (handed) mg_turns_drain(&turns->drain);
        else mg_progress(t->ctx, t->phase, mg_load(&turns->next), t->count);
        pthread_mutex_lock(&turns->lock);
    }
    pthread_mutex_unlock(&turns->lock);
}

bool mg_turning_hand(mg_turning *t, uint64_t number, void (*hand)(void *what), void *what) {
    mg_turns *turns = t->turns;
    if (t->calls) {
        wait_and_drain(t, number);
        hand(what);
        mg_turns_pass(turns);
        return true;
    }
    pthread_mutex_lock(&turns->lock);
    while (turns->next != number && !turns->abandoned) pthread_cond_wait(&turns->moved, &turns->lock);
    if (!turns->abandoned) {
        turns->hand = hand;
        turns->what = what;
        atomic_store(&turns->drain.now, 1);
        pthread_cond_broadcast(&turns->moved);
    }
    while (turns->next == number && !turns->abandoned) pthread_cond_wait(&turns->moved, &turns->lock);
    bool done = !turns->abandoned;
    pthread_mutex_unlock(&turns->lock);
    return done;
}

void mg_turning_end(mg_turning *t) {
    if (t->calls) wait_and_drain(t, t->count);
    if (t->calls && !mg_is_worker()) mg_set_drain(t->ctx, t->before);
    t->done = true;
}

void mg_turning_left(mg_turning *t) {
    if (!t->done && t->calls) abandon(t->turns);
}
