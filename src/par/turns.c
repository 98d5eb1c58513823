/* Turns: what several threads make, handed on in the order of its numbers. */
#include "par/par.h"

void mg_turns_wait(mg_turns *turns, uint64_t number) {
    pthread_mutex_lock(&turns->lock);
    while (turns->next != number) pthread_cond_wait(&turns->moved, &turns->lock);
    pthread_mutex_unlock(&turns->lock);
}

void mg_turns_pass(mg_turns *turns) {
    pthread_mutex_lock(&turns->lock);
    turns->next++;
    pthread_cond_broadcast(&turns->moved);
    pthread_mutex_unlock(&turns->lock);
}
