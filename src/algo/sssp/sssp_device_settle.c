/* Shortest paths on a device that may be smaller than the graph (paper P5, section 5, after Ortega-Arranz et al., HPCS
 * 2013): Dijkstra's search, many vertices at a time.
 *
 * In each round delta is the least of d(u) + the lightest edge of u over all unsettled u. No way that is not known yet
 * can be shorter, so all vertices up to delta settle, and their edges are followed. A vertex settles once: its row is
 * sent once (device/parts.c). The paper sends every part twice in every round, once to look for the lightest edges;
 * here they are found once, before the first search, and stay on the device. Benchmarks may ask for the paper's scheme
 * (mg_parts.all).
 *
 * Parents are those whose edge gave a distance last; they settle before their children, so there is no circle, also
 * where edges weigh nothing. */
#include "algo/sssp/sssp_device.h"

#include <math.h>

/* ---- what it needs ---------------------------------------------------------------------------------------------- */

typedef struct lightest_job {
    const mg_sssp_device *s;
    void *lightest; /* as distances are */
} lightest_job;

static void find_lightest(void *what, uint64_t begin, uint64_t end) {
    const lightest_job *job = what;
    const mg_sssp_device *s = job->s;
    const mg_rows *out = &s->plan.out;
    meguri_type type = s->weights;
    for (uint64_t v = begin; v < end; v++) {
        uint64_t from = mg_row_offset(out, v), to = mg_row_offset(out, v + 1), word = UINT64_MAX;
        double least = INFINITY;
        for (uint64_t arc = from; arc < to; arc++) least = fmin(least, mg_weight_at(out->weights, type, arc));
        if (to > from) word = s->plan.real ? (mg_sssp_distance){.real = least}.number : (uint64_t)least;
        if (s->wide) ((uint64_t *)job->lightest)[v] = word;
        else ((uint32_t *)job->lightest)[v] = (uint32_t)word;
    }
}

meguri_status mg_sssp_settle_open(meguri_ctx *ctx, mg_sssp_device *s) {
    static const char what[] = "the lightest edges of vertices";
    const size_t bytes = s->wide ? 8 : 4;
    s->here.lightest = mg_alloc_array(ctx, s->rows, bytes, what);
    if (!s->here.lightest) return MEGURI_NO_MEMORY;
    lightest_job job = {s, s->here.lightest};
    double since = mg_now();
    mg_sweep sweep = {.ctx = ctx, .phase = "sssp", .total = s->rows};
    meguri_status status = mg_sweep_over(&sweep, find_lightest, &job, s->rows);
    if (status != MEGURI_OK) return status;
    mg_trace_phase(ctx, "sssp", "lightest", (int64_t)s->plan.out.arcs, -1, since);
    if (s->devices > 1) return MEGURI_OK; /* the host alone looks at them */
    status = mg_buffer_from(&s->lightest, ctx, s->device, job.lightest, s->rows, bytes, what);
    return status == MEGURI_OK ? mg_buffer_new(&s->delta, ctx, s->device, 1, 8, "the counters of a search") : status;
}

void mg_sssp_settle_close(mg_sssp_device *s) {
    mg_buffer_free(&s->lightest);
    mg_buffer_free(&s->delta);
}

/* ---- a round ---------------------------------------------------------------------------------------------------- */

static meguri_status delta_batch(void *what, meguri_ctx *ctx, const mg_batch *b) {
    mg_sssp_device *s = what;
    return MG_LAUNCH(ctx, &s->kernels.delta_batch, b->count, s->device->group, MG_BUFFER(&b->entries),
                     MG_VALUE(uint32_t, b->count), MG_BUFFER(b->weights.device ? &b->weights : &b->neighbors),
                     MG_BUFFER(&s->lower), MG_BUFFER(&s->marks), MG_BUFFER(&s->delta));
}

/* The least distance that an arc of an unsettled vertex may lead to: from lightest edges that are there, or, as the
 * paper has it, along all rows, which are sent for it. */
static meguri_status find_delta(meguri_ctx *ctx, mg_sssp_device *s) {
    meguri_status status = mg_buffer_fill(ctx, &s->delta, UINT32_MAX);
    if (status != MEGURI_OK) return status;
    if (!s->parts.all)
        return MG_LAUNCH(ctx, &s->kernels.delta, s->rows, s->device->group, MG_VALUE(uint32_t, s->rows),
                         MG_BUFFER(&s->lower), MG_BUFFER(&s->lightest), MG_BUFFER(&s->marks), MG_BUFFER(&s->delta));
    memset(s->here.seen, 0xff, mg_bitmap_words(s->rows) * sizeof *s->here.seen);
    return mg_parts_each(ctx, &s->parts, s->here.seen, delta_batch, s);
}

/* Who settles; their number in the counters. */
static meguri_status settle(uint32_t *words, meguri_ctx *ctx, mg_sssp_device *s) {
    const uint32_t group = s->device->group, bit_words = 2 * (uint32_t)mg_bitmap_words(s->rows);
    meguri_status status = mg_buffer_fill(ctx, &s->counters[0], 0);
    if (status == MEGURI_OK) status = find_delta(ctx, s);
    if (status == MEGURI_OK)
        status = MG_LAUNCH(ctx, &s->kernels.settle, bit_words, group, MG_VALUE(uint32_t, s->rows),
                           MG_VALUE(uint32_t, bit_words), MG_BUFFER(&s->lower), MG_BUFFER(&s->delta),
                           MG_BUFFER(&s->marks), MG_BUFFER(&s->bits), MG_BUFFER(&s->counters[0]));
    if (status == MEGURI_OK) status = mg_buffer_read(ctx, &s->counters[0], 0, words, MG_SSSP_COUNTERS * sizeof *words);
    return status;
}

/* A round there. */
static meguri_status round_there(uint32_t *words, meguri_ctx *ctx, mg_sssp_device *s) {
    uint64_t *bits = s->here.bits;
    meguri_status status = settle(words, ctx, s);
    if (status != MEGURI_OK || !words[MG_SSSP_CHANGED]) return status;
    status = mg_buffer_read(ctx, &s->bits, 0, bits, mg_bitmap_words(s->rows) * sizeof *bits);
    if (status == MEGURI_OK) status = mg_parts_each(ctx, &s->parts, bits, mg_sssp_settle_rows, s);
    if (status == MEGURI_OK) status = mg_buffer_read(ctx, &s->counters[0], 0, words, MG_SSSP_COUNTERS * sizeof *words);
    return status;
}

/* What is known is here: one thread, or several devices, follow the edges. */
static meguri_status round_here(uint32_t *words, meguri_ctx *ctx, mg_sssp_device *s) {
    memset(words, 0, MG_SSSP_COUNTERS * sizeof *words);
    mg_sssp_here_settle(words, s);
    if (!words[MG_SSSP_CHANGED]) return MEGURI_OK;
    if (!s->here.round) return mg_sssp_several(words, ctx, s);
    mg_sssp_here_relax_settled(words, s, words[MG_SSSP_CHANGED]);
    return MEGURI_OK;
}

static meguri_status search(bool *beyond, meguri_ctx *ctx, mg_sssp_device *s) {
    uint32_t words[MG_SSSP_COUNTERS] = {[MG_SSSP_CHANGED] = 1};
    uint64_t settled = 0;
    for (;; s->phases++) {
        double since = mg_now();
        if (mg_progress(ctx, "sssp", settled, s->rows)) return mg_fail_cancelled(ctx);
        meguri_status status = mg_sssp_choose(ctx, s, words[MG_SSSP_CHANGED]);
        if (status == MEGURI_OK) status = s->here.here ? round_here(words, ctx, s) : round_there(words, ctx, s);
        if (status != MEGURI_OK || !words[MG_SSSP_CHANGED]) return status;
        *beyond = words[MG_SSSP_TOO_FAR];
        if (*beyond) return status;
        uint64_t edges = mg_sssp_long(&words[MG_SSSP_EDGES]);
        settled += words[MG_SSSP_CHANGED];
        s->edges += edges;
        mg_sssp_device_trace(ctx, s, "settle", "settle", words[MG_SSSP_CHANGED], (int64_t)edges, mg_now() - since);
    }
}

const mg_sssp_strategy mg_sssp_settle = {.name = "settle", .search = search, .settles = true};
