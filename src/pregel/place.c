/* Where a run is (meguri_run_place): whose functions are running, in which superstep, and threads that end there. */
#include "pregel/pregel.h"

/* The destructor of run->inside: it is called with what is not NULL, in a thread that ends. */
static void tell_of_thread(void *what) {
    const meguri_run_place *place = ((const mg_run *)what)->options.place;
    place->thread_ended(place);
}

meguri_status mg_pregel_watch(mg_run *run) {
    if (!run->options.place || !run->options.place->thread_ended) return MEGURI_OK;
    if (pthread_key_create(&run->inside, tell_of_thread) != 0)
        return mg_fail(run->ctx, MEGURI_NO_MEMORY, "too many keys of threads (pthread_key_create) in this process");
    run->watched = true;
    return MEGURI_OK;
}

void mg_pregel_unwatch(mg_run *run) {
    if (run->watched) pthread_key_delete(run->inside);
    run->watched = false;
}

void mg_pregel_enter(const mg_pregel_worker *w) {
    meguri_run_place *place = w->run->options.place;
    if (!place) return;
    __atomic_store_n(&place->superstep, w->span.superstep, __ATOMIC_RELAXED);
    __atomic_store_n(&place->program, w->program->name, __ATOMIC_RELAXED);
    mg_pregel_thread_enters(w);
}

void mg_pregel_leave(const mg_pregel_worker *w) {
    meguri_run_place *place = w->run->options.place;
    if (!place) return;
    mg_pregel_thread_leaves(w);
    if (place->returned) place->returned(place);
    if (!w->run->shared) place->program = NULL;
}
