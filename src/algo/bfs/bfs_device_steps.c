/* Steps of a breadth-first search on a device that holds its rows (paper P1, sections 3.1 to 3.3): the kernels
 * are in bfs.cl.
 *
 * A push takes two launches (more, in slices, where the arcs of the frontier exceed their list), a pull two, and a push
 * after a pull three more, which make the queue from the bitmap. */
#include "algo/bfs/bfs_device.h"

/* ---- push ------------------------------------------------------------------------------------------------------- */

/* The list of arcs takes what is left, up to all arcs; slices of the frontier are as long as it has room for. */
static uint64_t list_room(const mg_bfs_there *s) {
    uint64_t left = MG_MIN((s->device->memory - s->device->used) / 2, s->device->largest) / sizeof(uint64_t);
    return MG_MAX(MG_MIN(s->out.arcs, left), (uint64_t)s->device->group * MG_BFS_PIECE);
}

/* Of a queue that was made of what others have found. */
static meguri_status count_queue(meguri_ctx *ctx, mg_bfs_there *s) {
    uint32_t words[MG_BFS_COUNTERS];
    meguri_status status = mg_buffer_read(ctx, &s->counters[0], 0, words, sizeof words);
    s->entries = status == MEGURI_OK ? words[MG_BFS_QUEUE_ENTRIES] : 0;
    s->queue_arcs = status == MEGURI_OK ? words[MG_BFS_QUEUE_ARCS] : 0; /* modulo 2^32 where offsets are wide */
    return status;
}

static meguri_status need_queue(meguri_ctx *ctx, mg_bfs_there *s, uint32_t words) {
    uint32_t group = s->device->group;
    if (s->has_queue) return MEGURI_OK;
    meguri_status status = MG_LAUNCH(ctx, &s->kernels.count_entries, words, group, MG_BUFFER(&s->visited),
                                     MG_BUFFER(&s->other), MG_VALUE(uint32_t, words), MG_BUFFER(&s->rows_out.offsets),
                                     MG_BUFFER(&s->sums), MG_BUFFER(&s->counters[0]));
    if (status == MEGURI_OK)
        status = mg_device_exscan(ctx, &s->primitives, &s->sums, (words + (uint64_t)group - 1) / group);
    if (status == MEGURI_OK)
        status = MG_LAUNCH(ctx, &s->kernels.list_entries, words, group, MG_BUFFER(&s->visited), MG_BUFFER(&s->other),
                           MG_VALUE(uint32_t, words), MG_BUFFER(&s->rows_out.offsets), MG_BUFFER(&s->sums),
                           MG_BUFFER(&s->queue));
    s->has_queue = status == MEGURI_OK;
    return status == MEGURI_OK && s->entries == MG_BFS_UNCOUNTED ? count_queue(ctx, s) : status;
}

/* Entries [first, last) of the queue, of which the list holds all arcs: at most `arcs`. */
static meguri_status push_slice(meguri_ctx *ctx, mg_bfs_there *s, int32_t level, uint64_t first, uint64_t last,
                                uint64_t arcs) {
    const uint32_t group = s->device->group, each = 8; /* as in bfs.cl */
    meguri_status status = MG_LAUNCH(ctx, &s->kernels.expand, last - first, group, MG_BUFFER(&s->queue),
                                     MG_VALUE(uint32_t, (uint32_t)first), MG_VALUE(uint32_t, (uint32_t)last),
                                     MG_BUFFER(&s->rows_out.offsets), MG_BUFFER(&s->rows_out.neighbors),
                                     MG_BUFFER(&s->list), MG_BUFFER(&s->tails), MG_VALUE(uint32_t, s->turn));
    if (status == MEGURI_OK)
        status = MG_LAUNCH(ctx, &s->kernels.contract, (arcs + each - 1) / each, group, MG_BUFFER(&s->list),
                           MG_BUFFER(&s->tails), MG_VALUE(uint32_t, s->turn), MG_VALUE(uint32_t, s->first_leaf),
                           MG_BUFFER(&s->rows_out.offsets), MG_BUFFER(&s->visited), MG_BUFFER(&s->parents),
                           MG_BUFFER(&s->levels), MG_VALUE(int32_t, level), MG_BUFFER(&s->next_queue),
                           MG_BUFFER(&s->counters[0]), MG_BUFFER(&s->counters[1]));
    s->turn = 1 - s->turn;
    return status;
}

meguri_status mg_bfs_there_push(meguri_ctx *ctx, mg_bfs_there *s, uint32_t words, int32_t level) {
    meguri_status status = MEGURI_OK;
    if (!s->list.device) {
        s->list_arcs = list_room(s);
        status = mg_buffer_new(&s->list, ctx, s->device, s->list_arcs, 8, "the arcs of a step");
    }
    if (status == MEGURI_OK) status = need_queue(ctx, s, words);
    bool whole = !s->rows_out.wide && s->queue_arcs <= s->list_arcs; /* sums of 32 bits are exact then */
    uint64_t slice = whole ? s->entries : s->list_arcs / MG_BFS_PIECE;
    for (uint64_t first = 0; first < s->entries && status == MEGURI_OK; first += slice) {
        uint64_t last = MG_MIN(first + slice, s->entries);
        status = push_slice(ctx, s, level, first, last, whole ? s->queue_arcs : (last - first) * MG_BFS_PIECE);
    }
    mg_bfs_swap(&s->queue, &s->next_queue);
    return status;
}

/* ---- pull ------------------------------------------------------------------------------------------------------- */

meguri_status mg_bfs_there_pull_words(meguri_ctx *ctx, mg_bfs_there *s, uint32_t begin, uint32_t words, int32_t level) {
    const mg_device_rows *in = s->rows_in.offsets.device ? &s->rows_in : &s->rows_out;
    const mg_buffer *sources = s->sources.device ? &s->sources : &s->visited;
    meguri_status status = MG_LAUNCH(
        ctx, &s->kernels.pull_large, words - begin, s->device->width, MG_BUFFER(&s->visited), MG_BUFFER(sources),
        MG_BUFFER(&s->large), MG_VALUE(uint32_t, begin), MG_VALUE(uint32_t, words), MG_BUFFER(&in->offsets),
        MG_BUFFER(&in->neighbors), MG_BUFFER(&s->rows_out.offsets), MG_BUFFER(&s->other), MG_BUFFER(&s->parents),
        MG_BUFFER(&s->levels), MG_VALUE(int32_t, level), MG_BUFFER(&s->counters[0]), MG_BUFFER(&s->counters[1]));
    if (status != MEGURI_OK) return status;
    return MG_LAUNCH(ctx, &s->kernels.pull_small, words - begin, s->device->group, MG_BUFFER(&s->visited),
                     MG_BUFFER(sources), MG_BUFFER(&s->small), MG_VALUE(uint32_t, begin), MG_VALUE(uint32_t, words),
                     MG_BUFFER(&in->offsets), MG_BUFFER(&in->neighbors), MG_BUFFER(&s->rows_out.offsets),
                     MG_BUFFER(&s->other), MG_BUFFER(&s->parents), MG_BUFFER(&s->levels), MG_VALUE(int32_t, level),
                     MG_BUFFER(&s->counters[0]));
}

meguri_status mg_bfs_there_pull(meguri_ctx *ctx, mg_bfs_there *s, uint32_t words, int32_t level) {
    meguri_status status = mg_bfs_there_pull_words(ctx, s, 0, words, level);
    mg_bfs_swap(&s->visited, &s->other);
    s->has_queue = false;
    return status;
}
