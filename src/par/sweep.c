/* Sweeps: a look at every item of something large, on all threads. */
#include "par/par.h"

meguri_status mg_sweep_over(mg_sweep *s, mg_sweep_fn *look, void *what, uint64_t items) {
    uint64_t blocks = (items + MG_SWEEP_BLOCK - 1) / MG_SWEEP_BLOCK;
    int threads = mg_threads(s->ctx, items, MG_SWEEP_BLOCK);
    /* The other threads may take every block: whoever called us looks before. */
    if (mg_progress(s->ctx, s->phase, s->done, s->total)) return mg_fail_cancelled(s->ctx);
#pragma omp parallel for num_threads(mg_team(threads)) schedule(dynamic)
    for (uint64_t b = 0; b < blocks; b++) {
        if (mg_progress(s->ctx, s->phase, s->done + b * MG_SWEEP_BLOCK, s->total)) continue;
        look(what, b * MG_SWEEP_BLOCK, MG_MIN(items, (b + 1) * MG_SWEEP_BLOCK));
    }
    s->done += items;
    return mg_cancelled(s->ctx) ? mg_fail_cancelled(s->ctx) : MEGURI_OK;
}
