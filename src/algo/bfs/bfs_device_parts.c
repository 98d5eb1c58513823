/* Steps of a breadth-first search on a device of a graph that is larger than it (papers P1 and P5): rows go there as a
 * step needs them, those of the frontier for a push, those of the unvisited for a pull (device/parts.c).
 *
 * Every vertex is in one frontier at most, so pushes send every row once at most. A pull sends the rows of all that is
 * unvisited, which is little where the frontier is most of the graph. */
#include "algo/bfs/bfs_device.h"

#include "policy/policy.h"

/* Measured with PoCL; of no GPU. An arc of either way is sent first. */
const mg_bfs_costs mg_bfs_parts_costs = {.push_arc = 4.0,
                                         .push_reach_far = 6.0,
                                         .push_reach_near = 4.0,
                                         .push_reach_long = 4.0,
                                         .push_word = 0,
                                         .pull_word = 2.0,
                                         .pull_vertex = 4.0,
                                         .pull_look = 1.5,
                                         .pull_arc = 1.0,
                                         .near_vertices = 1 << 19,
                                         .long_row = 128};

typedef struct batch_job {
    mg_bfs_there *there;
    int32_t level;
} batch_job;

/* ---- push ------------------------------------------------------------------------------------------------------- */

static meguri_status push_batch(void *what, meguri_ctx *ctx, const mg_batch *w) {
    const batch_job *job = what;
    const mg_bfs_there *s = job->there;
    return MG_LAUNCH(ctx, &s->kernels.push_batch, w->count, s->device->group, MG_BUFFER(&w->entries),
                     MG_VALUE(uint32_t, w->count), MG_BUFFER(&w->neighbors), MG_VALUE(uint32_t, s->first_leaf),
                     MG_BUFFER(&s->rows_out.offsets), MG_BUFFER(&s->visited), MG_BUFFER(&s->parents),
                     MG_BUFFER(&s->levels), MG_VALUE(int32_t, job->level), MG_BUFFER(&s->counters[0]));
}

/* The paper sends every part twice in a round: here the first time is for nothing but that. */
static meguri_status nothing(void *what, meguri_ctx *ctx, const mg_batch *w) {
    (void)what, (void)ctx, (void)w;
    return MEGURI_OK;
}

static meguri_status each(meguri_ctx *ctx, mg_parts *parts, const uint64_t *wanted, mg_batch_fn *work, batch_job *job) {
    meguri_status status = parts->all ? mg_parts_each(ctx, parts, wanted, nothing, NULL) : MEGURI_OK;
    return status == MEGURI_OK ? mg_parts_each(ctx, parts, wanted, work, job) : status;
}

meguri_status mg_bfs_parts_push(meguri_ctx *ctx, mg_bfs_there *s, const uint64_t *wanted, int32_t level) {
    return each(ctx, &s->parts_out, wanted, push_batch, &(batch_job){s, level});
}

/* ---- pull ------------------------------------------------------------------------------------------------------- */

static meguri_status pull_batch(void *what, meguri_ctx *ctx, const mg_batch *w) {
    const batch_job *job = what;
    const mg_bfs_there *s = job->there;
    return MG_LAUNCH(ctx, &s->kernels.pull_batch, w->count, s->device->group, MG_BUFFER(&w->entries),
                     MG_VALUE(uint32_t, w->count), MG_BUFFER(&w->neighbors), MG_BUFFER(&s->rows_out.offsets),
                     MG_BUFFER(&s->visited), MG_BUFFER(&s->other), MG_BUFFER(&s->parents), MG_BUFFER(&s->levels),
                     MG_VALUE(int32_t, job->level), MG_BUFFER(&s->counters[0]));
}

meguri_status mg_bfs_parts_pull(meguri_ctx *ctx, mg_bfs_there *s, const uint64_t *wanted, int32_t level) {
    mg_parts *in = s->parts_in.device ? &s->parts_in : &s->parts_out;
    meguri_status status = mg_buffer_copy(ctx, &s->other, &s->visited);
    if (status == MEGURI_OK) status = each(ctx, in, wanted, pull_batch, &(batch_job){s, level});
    mg_bfs_swap(&s->visited, &s->other);
    return status;
}
