/* Searches from up to 64 sources in one pass on several devices of one process: a step.
 *
 * Each pushes or pulls along its own arcs. A vertex that several have found is in the lists of all of them; the host
 * makes one of these, OR-s the bits, and sends both to all, who have seen them then. */
#include "algo/bfs/bfs_many_device.h"

#define CHUNK 4096

typedef struct merge_job {
    mg_bfs_many *m;
    mg_bfs_many_found found;
} merge_job;

/* What one of them has found: a vertex is in its list once. */
static void merge(void *what, mg_worker *worker) {
    const merge_job *job = what;
    const mg_bfs_many_device *d = job->m->device;
    mg_queue_buffer first = {.queue = &job->m->next_list};
    for (mg_range part; mg_take(worker, &part);)
        for (uint64_t i = part.begin; i < part.end; i++) {
            const uint32_t v = d->list_here[i];
            if (!d->merged[v]) mg_queue_push(&first, v);
            d->merged[v] |= d->bits_here[i];
        }
    mg_queue_flush(&first);
}

/* The list of all: its bits, and what goes on from it. */
static void gather(void *what, mg_worker *worker) {
    merge_job *job = what;
    const mg_bfs_many *m = job->m;
    mg_bfs_many_device *d = m->device;
    mg_bfs_many_found share = {0};
    for (mg_range part; mg_take(worker, &part);)
        for (uint64_t i = part.begin; i < part.end; i++) {
            const uint32_t v = d->list_here[i] = m->next_list.items[i];
            const uint64_t bits = d->bits_here[i] = d->merged[v];
            d->merged[v] = 0;
            share.bits += (uint64_t)__builtin_popcountll(bits);
            share.sources |= bits;
            share.arcs += mg_row_end(&m->out, v) - mg_row_begin(&m->out, v);
        }
    mg_fetch_add(&job->found.bits, share.bits);
    mg_fetch_add(&job->found.arcs, share.arcs);
    mg_fetch_or(&job->found.sources, share.sources);
}

static void run_loop(meguri_ctx *ctx, merge_job *job, mg_work_fn *work, uint64_t items) {
    mg_loop loop = {.ctx = ctx,
                    .threads = mg_threads(ctx, items, CHUNK),
                    .items = items,
                    .chunk = CHUNK,
                    .work = work,
                    .what = job};
    mg_loop_run(&loop);
}

/* The list goes to a device. */
static meguri_status tell(meguri_ctx *ctx, const mg_bfs_many_device *d, mg_bfs_many_there *to, uint32_t count) {
    to->count = count;
    meguri_status status = mg_buffer_write(ctx, &to->list, 0, d->list_here, count * sizeof *d->list_here);
    if (status == MEGURI_OK) status = mg_buffer_write(ctx, &to->bits, 0, d->bits_here, count * sizeof *d->bits_here);
    if (status != MEGURI_OK) return status;
    return MG_LAUNCH(ctx, &to->hear, count, to->device->group, MG_BUFFER(&to->list), MG_VALUE(uint32_t, count),
                     MG_BUFFER(&to->bits), MG_BUFFER(&to->seen));
}

meguri_status mg_bfs_many_several(mg_bfs_many_found *found, meguri_ctx *ctx, mg_bfs_many *m) {
    mg_bfs_many_device *d = m->device;
    merge_job job = {.m = m};
    meguri_status status = MEGURI_OK;
    m->next_list.count = 0;
    for (uint32_t i = 0; i < d->count && status == MEGURI_OK; i++) {
        status = mg_bfs_many_there_look(ctx, m, i);
        if (status == MEGURI_OK) status = mg_device_flush(ctx, d->there[i].device);
    }
    for (uint32_t i = 0; i < d->count && status == MEGURI_OK; i++) {
        uint32_t words[MG_BFS_MANY_COUNTERS];
        status = mg_bfs_many_there_commit(words, ctx, m, i);
        if (status != MEGURI_OK) break;
        job.found.edges += words[MG_BFS_MANY_EDGES] | (uint64_t)words[MG_BFS_MANY_EDGES + 1] << 32;
        run_loop(ctx, &job, merge, d->there[i].count);
    }
    job.found.vertices = m->next_list.count;
    run_loop(ctx, &job, gather, m->next_list.count); /* also after a failure: `merged` is zero again */
    for (uint32_t i = 0; i < d->count && status == MEGURI_OK; i++)
        status = tell(ctx, d, &d->there[i], (uint32_t)m->next_list.count);
    *found = job.found;
    return status;
}
