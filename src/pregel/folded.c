/* A declared combiner where all have sent: messages to a vertex are combined before it computes, tile by tile
 * (graph/row_tiles.c), so that they are read from the cache. What many vertices read is brought there once for all of
 * them instead of once for each.
 *
 * Messages are combined one after another by increasing source, as a vertex would read them itself (the tiles of a
 * group are taken up by increasing columns): the same bits as without tiles. So columns are the sources of a worker,
 * its own and ghosts, in this order; where slots are in another, messages are brought into it first. So are rows, as
 * tiles pay most where rows of hubs lie together, and what comes of them is brought back. */
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
    mg_pregel_thread_enters(w);
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
        if (!cancelled)
            w->program->fold(f->folded + first * bytes, f->begun + first, f->order ? f->ordered : w->read, &t);
        __atomic_store_n(done, tile->turn + 1, __ATOMIC_RELEASE);
    }
    mg_pregel_thread_leaves(w);
}

/* ---- sources in order ------------------------------------------------------------------------------------------- */

typedef struct ordering {
    mg_pregel_worker *w;
    uint32_t *ranks;   /* of slots */
    uint64_t *offsets; /* of rows in order */
    uint32_t *columns; /* ranks of the other ends of in-edges */
} ordering;

static void rank_rows(void *what, uint64_t begin, uint64_t end) {
    const ordering *o = what;
    const meguri_span_rows *in = &o->w->span.in;
    for (uint64_t row = begin; row < end; row++) {
        const uint32_t *ends = in->ends + meguri_span_offset(in, o->w->fold.places[row]);
        uint32_t *columns = o->columns + o->offsets[row];
        for (uint64_t i = 0; i < o->offsets[row + 1] - o->offsets[row]; i++) columns[i] = o->ranks[ends[i]];
    }
}

static void free_ordering(ordering *o) {
    mg_free(o->ranks);
    mg_free(o->offsets);
    mg_free(o->columns);
}

/* Slots by the order in which messages are read. */
static meguri_status sort_slots(mg_pregel_worker *w, mg_pregel_fold *f, uint64_t slots) {
    const meguri_span *s = &w->span;
    uint64_t *keys = mg_alloc_array(w->ctx, slots, sizeof *keys, "the order of sources");
    f->order = mg_alloc_array(w->ctx, slots, sizeof *f->order, "the order of sources");
    meguri_status status = keys && f->order ? MEGURI_OK : MEGURI_NO_MEMORY;
    for (uint64_t slot = 0; slot < slots && status == MEGURI_OK; slot++) {
        uint32_t position = meguri_span_position(s, (uint32_t)slot);
        keys[slot] = s->key_of_position ? s->key_of_position[position] : position;
        f->order[slot] = (uint32_t)slot;
    }
    if (status == MEGURI_OK) status = mg_sort_u64(w->ctx, keys, f->order, sizeof *f->order, slots, 32);
    mg_free(keys);
    return status;
}

static meguri_status order_sources(mg_pregel_worker *w, mg_pregel_fold *f, mg_rows *rows, ordering *o) {
    const meguri_span_rows *in = &w->span.in;
    uint64_t slots = w->count + w->ghosts;
    meguri_status status = sort_slots(w, f, slots);
    if (status != MEGURI_OK) return status;
    size_t bytes = w->program->message_bytes;
    f->ordered = mg_alloc_array(w->ctx, slots, bytes, "messages by source");
    f->places = mg_alloc_array(w->ctx, w->count, sizeof *f->places, "the order of sources");
    f->by_place = mg_alloc_array(w->ctx, w->count, bytes, "combined messages");
    o->ranks = mg_alloc_array(w->ctx, slots, sizeof *o->ranks, "the order of sources");
    o->offsets = mg_alloc_array(w->ctx, w->count + 1, sizeof *o->offsets, "the order of sources");
    o->columns = mg_alloc_array(w->ctx, in->arcs, sizeof *o->columns, "the order of sources");
    if (!f->ordered || !f->places || !f->by_place || !o->ranks || !o->offsets || !o->columns) return MEGURI_NO_MEMORY;
    uint64_t row = 0, arcs = 0;
    for (uint64_t rank = 0; rank < slots; rank++) {
        uint32_t slot = f->order[rank];
        o->ranks[slot] = (uint32_t)rank;
        if (slot >= w->count) continue;
        f->places[row] = slot;
        o->offsets[row++] = arcs;
        arcs += meguri_span_offset(in, (uint64_t)slot + 1) - meguri_span_offset(in, slot);
    }
    o->offsets[row] = arcs;
    mg_for(w->ctx, mg_threads(w->ctx, arcs, 1 << 16), row, rank_rows, o);
    *rows = (mg_rows){.rows = row, .arcs = arcs, .offsets64 = o->offsets, .neighbors = o->columns};
    f->columns = slots;
    w->memory[MG_MEMORY_ROWS] += slots * (sizeof *f->order + bytes) + w->count * (sizeof *f->places + bytes);
    return MEGURI_OK;
}

static void bring_into_order(void *what, uint64_t begin, uint64_t end) {
    const mg_pregel_worker *w = what;
    const mg_pregel_fold *f = &w->fold;
    size_t bytes = w->program->message_bytes;
    if (bytes == 8)
        for (uint64_t i = begin; i < end; i++) memcpy(f->ordered + i * 8, w->read + (uint64_t)f->order[i] * 8, 8);
    else
        for (uint64_t i = begin; i < end; i++)
            memcpy(f->ordered + i * bytes, w->read + (uint64_t)f->order[i] * bytes, bytes);
}

static void bring_back(void *what, uint64_t begin, uint64_t end) {
    const mg_pregel_worker *w = what;
    const mg_pregel_fold *f = &w->fold;
    size_t bytes = w->program->message_bytes;
    for (uint64_t i = begin; i < end; i++)
        memcpy(f->by_place + (uint64_t)f->places[i] * bytes, f->folded + i * bytes, bytes);
}

/* ---- tiles ------------------------------------------------------------------------------------------------------ */

static meguri_status cut(mg_pregel_worker *w, mg_pregel_fold *f, const mg_rows *in) {
    static const mg_row_tiles_use use = {.phase = "run", .in_order = true};
    meguri_status status = mg_row_groups_new(&f->groups, &f->group_count, w->ctx, in, use.phase);
    if (status == MEGURI_OK)
        status = mg_row_tiles_new(&f->tiles, w->ctx, in, f->columns, f->groups, f->group_count, &use);
    return status;
}

/* Without memory for tiles there are none, and that is no failure. */
static meguri_status make(mg_pregel_worker *w, mg_pregel_fold *f) {
    mg_rows in;
    ordering o = {.w = w};
    uint64_t slots = w->count + w->ghosts, bytes = w->program->message_bytes;
    f->tried = true;
    meguri_status status = MEGURI_OK;
    if (w->as_it_lies) {
        status = mg_graph_in_rows(&in, w->ctx, w->run->graph);
        if (status == MEGURI_OK) f->columns = in.rows;
    } else {
        if (slots * (32 + 2 * bytes) + w->span.in.arcs * sizeof *o.columns > mg_memory_left(w->ctx)) return MEGURI_OK;
        status = order_sources(w, f, &in, &o);
    }
    if (status == MEGURI_OK) status = cut(w, f, &in);
    free_ordering(&o);
    if (status != MEGURI_OK || !f->tiles.count) return status;
    uint64_t more = in.rows * (bytes + 1) + f->group_count * sizeof *f->group_done;
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
    if (!p->fold || !p->message_bytes) return MEGURI_OK;
    f->dense++;
    if (!f->tried) {
        if (!mg_policy_delivery_folds(f->dense, w->run->graph->vertices * p->message_bytes, !w->as_it_lies))
            return MEGURI_OK;
        meguri_status status = make(w, f);
        if (status != MEGURI_OK) return status;
    }
    if (!f->tiles.count) return MEGURI_OK;
    fold_job job = {w, f};
    if (f->order) mg_for(w->ctx, mg_threads(w->ctx, f->columns, 1 << 14), f->columns, bring_into_order, w);
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
    if (f->order && status == MEGURI_OK) mg_for(w->ctx, mg_threads(w->ctx, w->count, 1 << 14), w->count, bring_back, w);
    w->span.folded = f->order ? f->by_place : f->folded;
    *folded = status == MEGURI_OK;
    return status;
}

void mg_pregel_fold_free(mg_pregel_fold *f) {
    mg_row_tiles_free(&f->tiles);
    mg_free(f->groups);
    mg_free(f->order);
    mg_free(f->ordered);
    mg_free(f->places);
    mg_free(f->by_place);
    mg_free(f->folded);
    mg_free(f->begun);
    mg_free(f->group_done);
    *f = (mg_pregel_fold){0};
}
