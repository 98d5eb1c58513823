/* Shortest paths on a device: parents, which come at the end. An arc u → v that adds up to the distance of v makes u
 * its parent. Where the distance of u is smaller, that leads to the source; among equal ones (edges that weigh nothing)
 * parents spread from vertices that have one to those that have none, so that each had one before its child, and there
 * is no circle. */
#include "algo/sssp/sssp_device.h"

/* Along edges that add nothing, from those who have parents. */
static meguri_status tie(meguri_ctx *ctx, mg_sssp_device *s, uint32_t numbers) {
    uint32_t words[MG_SSSP_COUNTERS], group = s->device->group;
    meguri_status status = mg_buffer_fill(ctx, &s->counters[0], 0);
    if (status == MEGURI_OK)
        status = MG_LAUNCH(ctx, &s->kernels.tie_all, numbers, group, MG_VALUE(uint32_t, numbers),
                           MG_VALUE(uint32_t, s->rows), MG_BUFFER(&s->out.offsets), MG_BUFFER(&s->out.neighbors),
                           MG_BUFFER(mg_sssp_row_weights(&s->out)), MG_BUFFER(&s->lower), MG_BUFFER(&s->parents),
                           MG_BUFFER(&s->list), MG_BUFFER(&s->counters[0]));
    while (status == MEGURI_OK) {
        status = mg_sssp_device_count(words, ctx, s);
        if (status != MEGURI_OK || !words[MG_SSSP_ENTRIES]) break;
        if (mg_progress(ctx, "sssp", 0, 0)) return mg_fail_cancelled(ctx);
        status = mg_buffer_fill(ctx, &s->counters[0], 0);
        if (status == MEGURI_OK)
            status = MG_LAUNCH(ctx, &s->kernels.tie, words[MG_SSSP_ENTRIES], group, MG_BUFFER(&s->list),
                               MG_VALUE(uint32_t, words[MG_SSSP_ENTRIES]), MG_VALUE(uint32_t, s->rows),
                               MG_BUFFER(&s->out.offsets), MG_BUFFER(&s->out.neighbors),
                               MG_BUFFER(mg_sssp_row_weights(&s->out)), MG_BUFFER(&s->lower), MG_BUFFER(&s->parents),
                               MG_BUFFER(&s->next), MG_BUFFER(&s->counters[0]));
        mg_sssp_swap(&s->list, &s->next);
    }
    return status;
}

meguri_status mg_sssp_device_parents(meguri_ctx *ctx, mg_sssp_device *s, const uint32_t *sources) {
    uint32_t words[MG_SSSP_COUNTERS], numbers = s->rows * s->running;
    double since = mg_now();
    meguri_status status = MEGURI_OK;
    if (s->in_parts) { /* they came as it went, but for those along edges that add nothing */
        status = mg_sssp_bring(ctx, s);
        return status == MEGURI_OK && s->tied ? mg_sssp_here_tie(ctx, s) : status;
    }
    status = mg_buffer_fill(ctx, &s->parents, UINT32_MAX);
    for (uint32_t l = 0; l < s->running && status == MEGURI_OK; l++)
        if (sources[l] != MG_NO_VERTEX)
            status = mg_buffer_write(ctx, &s->parents, ((uint64_t)l * s->rows + sources[l]) * 4, &sources[l], 4);
    if (status == MEGURI_OK) status = mg_buffer_fill(ctx, &s->counters[0], 0);
    if (status == MEGURI_OK)
        status = MG_LAUNCH(ctx, &s->kernels.parents, numbers, s->device->group, MG_VALUE(uint32_t, numbers),
                           MG_VALUE(uint32_t, s->rows), MG_BUFFER(&s->out.offsets), MG_BUFFER(&s->out.neighbors),
                           MG_BUFFER(mg_sssp_row_weights(&s->out)), MG_BUFFER(&s->lower), MG_BUFFER(&s->parents),
                           MG_BUFFER(&s->counters[0]));
    if (status == MEGURI_OK) status = mg_sssp_device_count(words, ctx, s);
    if (status == MEGURI_OK && words[MG_SSSP_ANY]) status = tie(ctx, s, numbers);
    if (status == MEGURI_OK)
        mg_sssp_device_trace(ctx, s, "parents", "all", numbers, (int64_t)s->plan.out.arcs * s->running,
                             mg_now() - since);
    return status;
}
