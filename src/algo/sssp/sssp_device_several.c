/* Shortest paths on several devices of one process: the relaxing of a round.
 *
 * Each has an equal share of the arcs (mg_rows_share), which it takes in parts, and arrays of its own. Before a round
 * the distances go to all; each relaxes along its own arcs; what they have found comes back, and of each vertex the
 * least distance counts, with the parent of who found it. What is near, far, open or settled is the host's. */
#include "algo/sssp/sssp_device.h"

static meguri_status launch(meguri_ctx *ctx, mg_sssp_device *s, mg_sssp_device *worker) {
    worker->near.limit = s->near.limit;
    meguri_status status =
        mg_buffer_write(ctx, &worker->lower, 0, s->lower_here, (uint64_t)s->rows * (s->wide ? 8 : 4));
    if (status == MEGURI_OK) status = mg_sssp_device_clear(ctx, worker);
    if (status == MEGURI_OK) status = mg_buffer_fill(ctx, &worker->bits, 0);
    if (status == MEGURI_OK) status = mg_buffer_fill(ctx, &worker->marks, 0);
    if (status == MEGURI_OK)
        status = mg_parts_each(ctx, &worker->parts, s->here.bits,
                               s->strategy->settles ? mg_sssp_settle_rows : mg_sssp_near_rows, worker);
    return status == MEGURI_OK ? mg_device_flush(ctx, worker->device) : status;
}

/* What one has found. */
static meguri_status hear(uint32_t *words, meguri_ctx *ctx, mg_sssp_device *worker) {
    const uint64_t bytes = mg_bitmap_words(worker->rows) * sizeof(uint64_t);
    mg_sssp_here *h = &worker->here;
    h->here = false;
    meguri_status status = mg_buffer_read(ctx, &worker->counters[0], 0, words, MG_SSSP_COUNTERS * sizeof *words);
    if (status == MEGURI_OK) status = mg_sssp_bring(ctx, worker);
    return status == MEGURI_OK ? mg_buffer_read(ctx, &worker->bits, 0, h->bits, bytes) : status;
}

typedef struct merge_job {
    mg_sssp_device *s;
    const mg_sssp_device *worker;
} merge_job;

/* Of vertices [begin, end): where the worker has a smaller distance, that and its parent. */
static void merge_rows(void *what, uint64_t begin, uint64_t end) {
    const merge_job *job = what;
    mg_sssp_device *s = job->s;
    const mg_sssp_device *w = job->worker;
    for (uint64_t v = begin; v < end; v++) {
        if (s->wide) {
            uint64_t *mine = s->lower_here, theirs = ((const uint64_t *)w->lower_here)[v];
            if (theirs >= mine[v]) continue;
            mine[v] = theirs;
        } else {
            uint32_t *mine = s->lower_here, theirs = ((const uint32_t *)w->lower_here)[v];
            if (theirs >= mine[v]) continue;
            mine[v] = theirs;
        }
        if (s->parents_wanted) s->parents_here[v] = w->parents_here[v];
    }
}

static void merge(uint32_t *words, meguri_ctx *ctx, mg_sssp_device *s, const mg_sssp_device *worker,
                  const uint32_t *found) {
    mg_sssp_here *h = &s->here;
    merge_job job = {s, worker};
    mg_for(ctx, mg_threads(ctx, s->rows, 1 << 15), s->rows, merge_rows, &job);
    const uint64_t edges = mg_sssp_long(&words[MG_SSSP_EDGES]) + mg_sssp_long(&found[MG_SSSP_EDGES]);
    words[MG_SSSP_EDGES] = (uint32_t)edges;
    words[MG_SSSP_EDGES_HIGH] = (uint32_t)(edges >> 32);
    words[MG_SSSP_TOO_FAR] |= found[MG_SSSP_TOO_FAR];
    s->tied = s->tied || found[MG_SSSP_ANY];
    if (s->strategy->settles) return;
    for (uint64_t w = 0; w < mg_bitmap_words(s->rows); w++) {
        words[MG_SSSP_FAR_ENTRIES] += (uint32_t)__builtin_popcountll(worker->here.marks[w] & ~h->marks[w]);
        h->marks[w] |= worker->here.marks[w];
        h->next[w] |= worker->here.bits[w];
    }
}

meguri_status mg_sssp_several(uint32_t words[MG_SSSP_COUNTERS], meguri_ctx *ctx, mg_sssp_device *s) {
    mg_sssp_here *h = &s->here;
    uint32_t found[MG_SSSP_COUNTERS];
    meguri_status status = MEGURI_OK;
    memset(h->next, 0, mg_bitmap_words(s->rows) * sizeof *h->next);
    for (uint32_t i = 0; i < s->devices && status == MEGURI_OK; i++) status = launch(ctx, s, &s->workers[i]);
    for (uint32_t i = 0; i < s->devices && status == MEGURI_OK; i++) {
        status = hear(found, ctx, &s->workers[i]);
        if (status == MEGURI_OK) merge(words, ctx, s, &s->workers[i], found);
    }
    if (status != MEGURI_OK) return status;
    if (s->strategy->settles) {
        mg_sssp_here_find_open(s);
        return MEGURI_OK;
    }
    uint64_t *bits = h->bits;
    h->bits = h->next;
    h->next = bits;
    return MEGURI_OK;
}
