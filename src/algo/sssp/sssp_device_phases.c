/* Shortest paths on a device by the phases of paper P3 (algorithms 1 to 6).
 *
 * A phase relaxes the arcs of all vertices whose distance changed in the one before. `all` starts a work-item for every
 * vertex (Harish and Narayanan, HiPC 2007); `selected` one for every entry of a list of the changed ones; `adaptive`
 * begins with the list and changes over, either way, by the time that phases take as the host sees it, a mean of two.
 * Nothing is counted while all vertices have work-items: the list is made from the flags at the change.
 *
 * What changes in a phase is the same whichever way it is done, so the ways differ in time alone. The paper's weight
 * W[n] of a vertex is that of the edge. Flags are kept while they are needed: the list becomes flags at the change. */
#include "algo/sssp/sssp_device.h"

#define EACH    8  /* as in sssp.cl */
#define STRETCH 16 /* likewise: vertices of a work-item in a phase of all, where work-items take turns */
#define TIMES   3  /* a phase is tried, to find the thresholds */

static const mg_buffer *weights_of(const mg_device_rows *rows) {
    return rows->weights.device ? &rows->weights : &rows->neighbors; /* nobody reads it then */
}

/* ---- the two ways ----------------------------------------------------------------------------------------------- */

static meguri_status phase_all(meguri_ctx *ctx, mg_sssp_device *s) {
    const uint32_t group = s->device->group, items = s->device->in_turns ? (s->rows + STRETCH - 1) / STRETCH : s->rows;
    meguri_status status =
        MG_LAUNCH(ctx, &s->kernels.relax_all, items, group, MG_VALUE(uint32_t, s->rows), MG_BUFFER(&s->out.offsets),
                  MG_BUFFER(&s->out.neighbors), MG_BUFFER(weights_of(&s->out)), MG_BUFFER(&s->known),
                  MG_BUFFER(&s->lower), MG_BUFFER(&s->flags), MG_BUFFER(&s->queued),
                  MG_VALUE(uint64_t, mg_sssp_device_most(s)), MG_BUFFER(&s->counters[0]));
    if (status != MEGURI_OK) return status;
    return MG_LAUNCH(ctx, &s->kernels.update_all, items, group, MG_VALUE(uint32_t, s->rows), MG_BUFFER(&s->known),
                     MG_BUFFER(&s->lower), MG_BUFFER(&s->flags), MG_BUFFER(&s->counters[0]),
                     MG_BUFFER(&s->counters[1]));
}

static meguri_status phase_selected(meguri_ctx *ctx, mg_sssp_device *s) {
    const uint32_t group = s->device->group;
    meguri_status status =
        MG_LAUNCH(ctx, &s->kernels.relax_list, s->entries, group, MG_BUFFER(&s->list), MG_VALUE(uint32_t, s->entries),
                  MG_BUFFER(&s->out.offsets), MG_BUFFER(&s->out.neighbors), MG_BUFFER(weights_of(&s->out)),
                  MG_BUFFER(&s->known), MG_BUFFER(&s->lower), MG_BUFFER(&s->queued),
                  MG_VALUE(uint64_t, mg_sssp_device_most(s)), MG_BUFFER(&s->next), MG_BUFFER(&s->counters[0]));
    /* How many there are now is known there alone; work-items go on to the next where they are too few. */
    if (status == MEGURI_OK)
        status =
            MG_LAUNCH(ctx, &s->kernels.update_list, s->entries, group, MG_BUFFER(&s->next), MG_BUFFER(&s->counters[0]),
                      MG_BUFFER(&s->known), MG_BUFFER(&s->lower), MG_BUFFER(&s->counters[1]));
    mg_sssp_swap(&s->list, &s->next);
    return status;
}

/* ---- from one to the other -------------------------------------------------------------------------------------- */

static meguri_status to_flags(meguri_ctx *ctx, mg_sssp_device *s) {
    return MG_LAUNCH(ctx, &s->kernels.flag, s->entries, s->device->group, MG_BUFFER(&s->list),
                     MG_VALUE(uint32_t, s->entries), MG_BUFFER(&s->flags));
}

/* Entries by group into s->sums, vertices into the counters of this phase. */
static meguri_status count_flags(meguri_ctx *ctx, mg_sssp_device *s) {
    return MG_LAUNCH(ctx, &s->kernels.count_flags, (s->rows + EACH - 1) / EACH, s->device->group,
                     MG_VALUE(uint32_t, s->rows), MG_BUFFER(&s->out.offsets), MG_BUFFER(&s->flags), MG_BUFFER(&s->sums),
                     MG_BUFFER(&s->counters[0]));
}

static meguri_status to_list(meguri_ctx *ctx, mg_sssp_device *s) {
    const uint64_t tile = (uint64_t)s->device->group * EACH;
    meguri_status status = count_flags(ctx, s);
    if (status == MEGURI_OK) status = mg_device_exscan(ctx, &s->primitives, &s->sums, (s->rows + tile - 1) / tile);
    if (status == MEGURI_OK)
        status = MG_LAUNCH(ctx, &s->kernels.list_flags, (s->rows + EACH - 1) / EACH, s->device->group,
                           MG_VALUE(uint32_t, s->rows), MG_BUFFER(&s->out.offsets), MG_BUFFER(&s->flags),
                           MG_BUFFER(&s->sums), MG_BUFFER(&s->list));
    if (status == MEGURI_OK) status = mg_buffer_fill(ctx, &s->counters[0], 0);
    return status == MEGURI_OK ? mg_device_total(&s->entries, ctx, &s->primitives) : status;
}

/* How many vertices have flags: for the trace, beside the phases. */
static meguri_status flagged(uint32_t *vertices, meguri_ctx *ctx, mg_sssp_device *s) {
    meguri_status status = count_flags(ctx, s);
    if (status == MEGURI_OK)
        status = mg_buffer_read(ctx, &s->counters[0], MG_SSSP_CHANGED * sizeof *vertices, vertices, sizeof *vertices);
    return status == MEGURI_OK ? mg_buffer_fill(ctx, &s->counters[0], 0) : status;
}

/* ---- phases ----------------------------------------------------------------------------------------------------- */

/* What the loop goes by. */
typedef struct phases {
    bool adapt;
    bool all;          /* the way of this phase, and whether flags or the list say what has changed */
    bool flags;        /* they do */
    double last;       /* seconds of the phase before; negative: there was none */
    uint32_t vertices; /* that have changed, where that is known or traced */
} phases;

/* In the way of this phase; `more`: something has changed. */
static meguri_status do_phase(bool *more, bool *beyond, meguri_ctx *ctx, mg_sssp_device *s, phases *p) {
    uint32_t words[MG_SSSP_COUNTERS];
    meguri_status status = p->all == p->flags ? MEGURI_OK : p->all ? to_flags(ctx, s) : to_list(ctx, s);
    p->flags = p->all;
    if (status == MEGURI_OK) status = p->all ? phase_all(ctx, s) : phase_selected(ctx, s);
    if (status == MEGURI_OK) status = mg_sssp_device_count(words, ctx, s);
    if (status != MEGURI_OK) return status;
    *beyond = words[MG_SSSP_TOO_FAR] != 0;
    *more = p->all ? words[MG_SSSP_ANY] != 0 : words[MG_SSSP_ENTRIES] != 0;
    s->entries = words[MG_SSSP_ENTRIES];
    p->vertices = words[MG_SSSP_CHANGED];
    s->phases++;
    return MEGURI_OK;
}

static meguri_status sum_arcs(meguri_ctx *ctx, mg_sssp_device *s) {
    uint32_t words[MG_SSSP_COUNTERS];
    meguri_status status = mg_buffer_fill(ctx, &s->counters[0], 0);
    if (status == MEGURI_OK)
        status = MG_LAUNCH(ctx, &s->kernels.sum_arcs, s->rows, s->device->group, MG_VALUE(uint32_t, s->rows),
                           MG_BUFFER(&s->out.offsets), MG_BUFFER(&s->queued), MG_BUFFER(&s->counters[0]));
    if (status == MEGURI_OK) status = mg_sssp_device_count(words, ctx, s);
    if (status == MEGURI_OK) s->edges = mg_sssp_long(&words[MG_SSSP_EDGES]);
    return status;
}

static meguri_status follow(bool *beyond, meguri_ctx *ctx, mg_sssp_device *s, phases p) {
    meguri_status status = MEGURI_OK;
    for (bool more = s->entries != 0; more && !*beyond && status == MEGURI_OK;) {
        if (mg_progress(ctx, "sssp", s->phases, 0)) return mg_fail_cancelled(ctx);
        uint32_t vertices = p.vertices;
        double since = mg_now();
        status = do_phase(&more, beyond, ctx, s, &p);
        if (status != MEGURI_OK) break;
        double seconds = mg_now() - since;
        mg_sssp_device_trace(ctx, s, "phase", p.all ? "all" : "selected", vertices, -1, seconds);
        if (p.all && mg_trace_on(ctx)) status = flagged(&p.vertices, ctx, s);
        if (p.adapt) p.all = mg_policy_sssp_all(p.all, seconds, p.last, &s->thresholds);
        p.last = seconds;
    }
    return status == MEGURI_OK && !*beyond ? sum_arcs(ctx, s) : status;
}

/* Where the device cannot lower distances of 64 bits, every vertex looks for itself in every phase. */
static meguri_status follow_by_pull(meguri_ctx *ctx, mg_sssp_device *s) {
    const mg_device_rows *in = s->base.graph->directed ? &s->in : &s->out;
    uint32_t words[MG_SSSP_COUNTERS] = {0};
    meguri_status status = MEGURI_OK;
    for (bool more = s->entries != 0; more && status == MEGURI_OK;) {
        if (mg_progress(ctx, "sssp", s->phases, 0)) return mg_fail_cancelled(ctx);
        double since = mg_now();
        status = MG_LAUNCH(ctx, &s->kernels.pull_all, s->rows, s->device->group, MG_VALUE(uint32_t, s->rows),
                           MG_BUFFER(&in->offsets), MG_BUFFER(&in->neighbors), MG_BUFFER(weights_of(in)),
                           MG_BUFFER(&s->known), MG_BUFFER(&s->lower), MG_BUFFER(&s->queued),
                           MG_BUFFER(&s->counters[0]), MG_BUFFER(&s->counters[1]));
        if (status == MEGURI_OK) status = mg_sssp_device_count(words, ctx, s);
        more = words[MG_SSSP_ANY] != 0;
        mg_sssp_swap(&s->known, &s->lower);
        s->phases++;
        mg_sssp_device_trace(ctx, s, "phase", "pull", s->rows, (int64_t)in->arcs, mg_now() - since);
    }
    mg_sssp_swap(&s->known, &s->lower); /* the last phase changed nothing: both are the same */
    s->edges = in->arcs * s->phases;
    return status;
}

static meguri_status search(bool *beyond, meguri_ctx *ctx, mg_sssp_device *s, bool all, bool adapt) {
    if (s->by_pull) return follow_by_pull(ctx, s);
    return follow(beyond, ctx, s, (phases){.adapt = adapt, .all = all, .last = -1, .vertices = 1});
}

static meguri_status search_all(bool *beyond, meguri_ctx *ctx, mg_sssp_device *s) {
    return search(beyond, ctx, s, true, false);
}
static meguri_status search_selected(bool *beyond, meguri_ctx *ctx, mg_sssp_device *s) {
    return search(beyond, ctx, s, false, false);
}
static meguri_status search_adaptive(bool *beyond, meguri_ctx *ctx, mg_sssp_device *s) {
    return search(beyond, ctx, s, false, true);
}

const mg_sssp_strategy mg_sssp_all = {.name = "all", .search = search_all, .phases = true};
const mg_sssp_strategy mg_sssp_selected = {.name = "selected", .search = search_selected, .phases = true};
const mg_sssp_strategy mg_sssp_adaptive = {.name = "adaptive", .search = search_adaptive, .phases = true};

/* ---- thresholds ------------------------------------------------------------------------------------------------- */

/* The time of a phase in which one in `stride` vertices has changed, or the first alone (stride 0), as short as it was
 * in a few trials. Changed vertices are at distance 0, and all others as far as can be. */
static meguri_status time_phase(double *seconds, meguri_ctx *ctx, mg_sssp_device *s, bool all, uint32_t stride) {
    meguri_status status = MEGURI_OK;
    for (int i = 0; i < TIMES && status == MEGURI_OK; i++) {
        phases p = {.all = all, .flags = true};
        bool more, beyond;
        status = mg_buffer_fill(ctx, &s->known, UINT32_MAX);
        if (status == MEGURI_OK) status = mg_buffer_fill(ctx, &s->lower, UINT32_MAX);
        if (status == MEGURI_OK) status = mg_buffer_fill(ctx, &s->flags, 0);
        if (status == MEGURI_OK)
            status = MG_LAUNCH(ctx, &s->kernels.pretend, s->rows, s->device->group, MG_VALUE(uint32_t, s->rows),
                               MG_VALUE(uint32_t, stride), MG_BUFFER(&s->known), MG_BUFFER(&s->lower),
                               MG_BUFFER(&s->flags), MG_BUFFER(&s->counters[0]), MG_BUFFER(&s->counters[1]));
        if (status == MEGURI_OK && !all) {
            status = to_list(ctx, s);
            p.flags = false;
        }
        if (status == MEGURI_OK) status = mg_device_finish(ctx, s->device);
        double since = mg_now();
        if (status == MEGURI_OK) status = do_phase(&more, &beyond, ctx, s, &p);
        double took = mg_now() - since;
        *seconds = i ? MG_MIN(*seconds, took) : took;
    }
    return status;
}

meguri_status mg_sssp_calibrate(meguri_ctx *ctx, mg_sssp_device *s) {
    const uint32_t many = 2;
    const meguri_sssp_options *o = &s->base.options;
    mg_sssp_phase_times times = {0};
    double since = mg_now();
    meguri_status status = MEGURI_OK;
    if (!(o->all_above_us > 0 && o->selected_below_us > 0) && s->rows && !s->by_pull) {
        status = time_phase(&times.selected_few, ctx, s, false, 0);
        if (status == MEGURI_OK) status = time_phase(&times.selected_many, ctx, s, false, many);
        if (status == MEGURI_OK) status = time_phase(&times.all_few, ctx, s, true, 0);
        if (status == MEGURI_OK) status = time_phase(&times.all_many, ctx, s, true, many);
        if (status != MEGURI_OK) return status;
        s->thresholds = mg_policy_sssp_thresholds(&times);
        mg_trace_phase(ctx, "device", "calibrate", -1, -1, since);
    }
    if (o->all_above_us > 0) s->thresholds.above = o->all_above_us * 1e-6;
    if (o->selected_below_us > 0) s->thresholds.below = o->selected_below_us * 1e-6;
    return status;
}
