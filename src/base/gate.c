/* Gates: for what one thread makes at its first use while others wait.
 *
 * A mutex would not do. What is made reports progress, and the callback may ask for the same thing (it would wait for
 * its own thread), or be left by an exception (nothing would unlock it). And whoever waits is to be cancelled within
 * 50 ms, too. */
#define _GNU_SOURCE
#include "base/base.h"

#include <time.h>

/* The thread itself, workers included: that a worker makes something does not keep the thread that it works for from
 * waiting for it. */
static uintptr_t this_thread(void) {
    static _Thread_local char here;
    return (uintptr_t)&here;
}

bool mg_gate_is_held(const mg_gate *gate) {
    return atomic_load_explicit(&gate->holder, memory_order_relaxed) == this_thread();
}

static bool try_to_enter(mg_gate *gate) {
    uintptr_t nobody = 0;
    return atomic_compare_exchange_strong_explicit(&gate->holder, &nobody, this_thread(), memory_order_acquire,
                                                   memory_order_relaxed);
}

meguri_status mg_gate_enter(mg_gate **entered, meguri_ctx *ctx, mg_gate *gate, const char *what) {
    const long longest = 1000000;
    struct timespec pause = {.tv_nsec = 20000};
    *entered = NULL;
    while (!try_to_enter(gate)) {
        if (mg_gate_is_held(gate))
            return mg_fail(ctx, MEGURI_BUSY,
                           "%s is in use by the call that this callback belongs to: ask once that call is over.", what);
        if (mg_progress_again(ctx)) return mg_fail_cancelled(ctx);
        nanosleep(&pause, NULL);
        pause.tv_nsec = MG_MIN(2 * pause.tv_nsec, longest);
    }
    *entered = gate;
    return MEGURI_OK;
}

void mg_gate_leave(mg_gate **entered) {
    if (*entered) atomic_store_explicit(&(*entered)->holder, 0, memory_order_release);
    *entered = NULL;
}
