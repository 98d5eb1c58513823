/* Sweeps: a look at every item of something large, on all threads. */
#include "par/par.h"

typedef struct sweeping {
    mg_range_fn *look;
    void *what;
} sweeping;

static void look_at_blocks(void *what, mg_worker *worker) {
    const sweeping *s = what;
    for (mg_range block; mg_take(worker, &block);) s->look(s->what, block.begin, block.end);
}

meguri_status mg_sweep_over(mg_sweep *s, mg_range_fn *look, void *what, uint64_t items) {
    sweeping all = {look, what};
    mg_loop loop = {.ctx = s->ctx,
                    .threads = mg_threads(s->ctx, items, MG_SWEEP_BLOCK),
                    .items = items,
                    .chunk = MG_SWEEP_BLOCK,
                    .work = look_at_blocks,
                    .what = &all,
                    .phase = s->phase,
                    .done = s->done,
                    .total = s->total};
    meguri_status status = mg_loop_run(&loop);
    s->done += items;
    return status;
}
