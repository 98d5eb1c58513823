/* A declared combiner where all have sent and there is one worker: messages to a vertex are combined before it
 * computes, tile by tile (graph/row_tiles.c), so that they are read from the cache. What many vertices read is brought
 * there once for all of them instead of once for each.
 *
 * Messages are combined one after another by increasing source, as a vertex would read them itself (the tiles of a
 * group are taken up by increasing columns): the same bits as without tiles. */
#include "pregel/pregel.h"

#include <sched.h>

_Static_assert(MEGURI_TILE_AHEAD == MG_TILE_AHEAD, "kernels fetch as far ahead as tiles have room for");

typedef struct fold_job {
    mg_pregel_worker *w;
    mg_pregel_fold *f;
} fold_job;

/* Tiles wait for those of their group before them, which were taken up long ago; so each is taken up, also after a
 * cancel. */
static void fold_tiles(void *what, mg_worker *worker) {
    const fold_job *job = what;
    mg_pregel_worker *w = job->w;
    mg_pregel_fold *f = job->f;
    size_t bytes = w->program->message_bytes;
    for (mg_range r; mg_take(worker, &r);) {
        const mg_row_tile *tile = &f->tiles.tiles[r.begin];
        uint64_t first = f->groups[tile->group], rows = f->groups[tile->group + 1] - first;
        uint32_t *done = &f->group_done[tile->group];
        const meguri_tile t = {.pieces = f->tiles.cells + tile->pieces,
                               .columns = f->tiles.cells + tile->columns,
                               .first = mg_row_tile_is_wide(tile) ? 0 : tile->first,
                               .wide = mg_row_tile_is_wide(tile)};
        bool cancelled = mg_progress(w->ctx, "run", w->span.superstep, 0);
        while (__atomic_load_n(done, __ATOMIC_ACQUIRE) != tile->turn) sched_yield();
        if (!tile->turn) memset(f->begun + first, 0, rows);
        if (!cancelled) w->program->fold(f->folded + first * bytes, f->begun + first, w->read, &t);
        __atomic_store_n(done, tile->turn + 1, __ATOMIC_RELEASE);
    }
}

/* Without memory for tiles there are none, and that is no failure. */
static meguri_status make(mg_pregel_worker *w, mg_pregel_fold *f) {
    static const mg_row_tiles_use use = {.phase = "run", .in_order = true};
    mg_rows in;
    f->tried = true;
    meguri_status status = mg_graph_in_rows(&in, w->ctx, w->run->graph);
    if (status == MEGURI_OK) status = mg_row_groups_new(&f->groups, &f->group_count, w->ctx, &in, use.phase);
    if (status == MEGURI_OK)
        status = mg_row_tiles_new(&f->tiles, w->ctx, &in, in.rows, f->groups, f->group_count, &use);
    uint64_t more = in.rows * (w->program->message_bytes + 1) + f->group_count * sizeof *f->group_done;
    if (status != MEGURI_OK || !f->tiles.count) return status;
    if (more > mg_memory_left(w->ctx)) {
        mg_row_tiles_free(&f->tiles);
        return MEGURI_OK;
    }
    f->folded = mg_alloc_array(w->ctx, in.rows, w->program->message_bytes, "combined messages");
    f->begun = mg_alloc(w->ctx, in.rows, "combined messages");
    f->group_done = mg_alloc_array(w->ctx, f->group_count, sizeof *f->group_done, "combined messages");
    if (!f->folded || !f->begun || !f->group_done) return MEGURI_NO_MEMORY;
    w->memory[MG_MEMORY_ROWS] += f->tiles.cell_count * sizeof *f->tiles.cells + more;
    return MEGURI_OK;
}

meguri_status mg_pregel_fold_all(mg_pregel_worker *w, bool *folded) {
    mg_pregel_fold *f = &w->fold;
    const meguri_program *p = w->program;
    *folded = false;
    if (!p->fold || !p->message_bytes || !w->as_it_lies) return MEGURI_OK;
    f->dense++;
    if (!f->tried) {
        if (!mg_policy_delivery_folds(f->dense, w->run->graph->vertices * p->message_bytes)) return MEGURI_OK;
        meguri_status status = make(w, f);
        if (status != MEGURI_OK) return status;
    }
    if (!f->tiles.count) return MEGURI_OK;
    fold_job job = {w, f};
    memset(f->group_done, 0, f->group_count * sizeof *f->group_done);
    mg_loop loop = {.ctx = w->ctx,
                    .threads = mg_threads(w->ctx, f->group_count, 2),
                    .items = f->tiles.count,
                    .chunk = 1,
                    .work = fold_tiles,
                    .what = &job,
                    .steady = true};
    mg_pregel_enter(w);
    meguri_status status = mg_loop_run(&loop);
    mg_pregel_leave(w);
    w->span.folded = f->folded;
    *folded = status == MEGURI_OK;
    return status;
}

void mg_pregel_fold_free(mg_pregel_fold *f) {
    mg_row_tiles_free(&f->tiles);
    mg_free(f->groups);
    mg_free(f->folded);
    mg_free(f->begun);
    mg_free(f->group_done);
    *f = (mg_pregel_fold){0};
}
