/* PageRank on several devices of one process: an iteration.
 *
 * Shares go to all; each sums along its own arcs; the sums of its rows come back. A row that lies in two shares is the
 * sum of both, always in the order of the devices. */
#include "algo/pagerank/pagerank_device.h"

#define PART ((uint64_t)1 << 14) /* vertices whose shares a thread makes one after another */

static uint64_t parts_of(const mg_pagerank_device *r) { return (r->whole.base.active + PART - 1) / PART; }

meguri_status mg_pagerank_several_open(meguri_ctx *ctx, mg_pagerank_device *r) {
    const char *what = "the shares of vertices";
    r->next = mg_alloc_array(ctx, r->whole.base.active, sizeof *r->next, what);
    if (r->next) r->heard = mg_alloc_array(ctx, r->whole.base.active, sizeof *r->heard, what);
    if (r->heard) r->found = mg_alloc_array(ctx, parts_of(r), sizeof *r->found, what);
    return r->found ? MEGURI_OK : MEGURI_NO_MEMORY;
}

static meguri_status launch(meguri_ctx *ctx, mg_pagerank_device *r, mg_pagerank_there *there) {
    meguri_status status =
        mg_buffer_write(ctx, &there->share, 0, r->whole.share, r->whole.base.active * sizeof(double));
    if (status == MEGURI_OK) status = mg_pagerank_there_sum(ctx, r, there, 0);
    return status == MEGURI_OK ? mg_device_flush(ctx, there->device) : status;
}

typedef struct several_job {
    mg_pagerank_device *r;
    const mg_pagerank_there *there;
    double least;
} several_job;

static void clear(void *what, uint64_t begin, uint64_t end) {
    const several_job *job = what;
    memset(job->r->next + begin, 0, (end - begin) * sizeof *job->r->next);
}

static void add(void *what, uint64_t begin, uint64_t end) {
    const several_job *job = what;
    double *next = job->r->next + job->there->first;
    for (uint64_t i = begin; i < end; i++) next[i] += job->r->heard[i];
}

/* Parts [begin, end) of the vertices. */
static void settle(void *what, uint64_t begin, uint64_t end) {
    const several_job *job = what;
    mg_pagerank_device *r = job->r;
    for (uint64_t p = begin; p < end; p++) {
        mg_range rows = {p * PART, MG_MIN((p + 1) * PART, r->whole.base.active)};
        r->found[p] = mg_pagerank_whole_settle(&r->whole, r->next, rows, job->least);
    }
}

meguri_status mg_pagerank_several_iterate(mg_pagerank_found *found, meguri_ctx *ctx, mg_pagerank_device *r,
                                          double least) {
    const uint64_t rows = r->whole.base.active, parts = parts_of(r);
    several_job job = {.r = r, .least = least};
    meguri_status status = MEGURI_OK;
    for (uint32_t i = 0; i < r->count && status == MEGURI_OK; i++) status = launch(ctx, r, &r->there[i]);
    mg_for(ctx, mg_threads(ctx, rows, PART), rows, clear, &job);
    for (uint32_t i = 0; i < r->count && status == MEGURI_OK; i++) {
        const mg_pagerank_there *there = job.there = &r->there[i];
        const uint64_t count = there->rows.rows;
        status =
            mg_buffer_read(ctx, there->in_parts ? &there->sums : &there->next, 0, r->heard, count * sizeof *r->heard);
        if (status == MEGURI_OK) mg_for(ctx, mg_threads(ctx, count, PART), count, add, &job);
    }
    if (status != MEGURI_OK) return status;
    mg_for(ctx, mg_threads(ctx, parts, 1), parts, settle, &job);
    for (uint64_t p = 0; p < parts; p++) {
        found->change += r->found[p].change;
        found->dangling += r->found[p].dangling;
    }
    double *shares = r->whole.share;
    r->whole.share = r->next;
    r->next = shares;
    return MEGURI_OK;
}
