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

#define EACH    8   /* as in sssp.cl */
#define STRETCH 16  /* likewise: vertices of a work-item in a phase of all, where work-items take turns */
#define TIMES   2   /* phases are tried, to find the thresholds … */
#define LONG    0.5 /* … for so many seconds, with a list */

/* ---- the two ways ----------------------------------------------------------------------------------------------- */

static meguri_status phase_all(meguri_ctx *ctx, mg_sssp_device *s) {
    const uint32_t group = s->device->group, items = s->device->in_turns ? (s->rows + STRETCH - 1) / STRETCH : s->rows;
    meguri_status status =
        MG_LAUNCH(ctx, &s->kernels.relax_all, items, group, MG_VALUE(uint32_t, s->rows), MG_BUFFER(&s->out.offsets),
                  MG_BUFFER(&s->out.neighbors), MG_BUFFER(mg_sssp_row_weights(&s->out)), MG_BUFFER(&s->known),
                  MG_BUFFER(&s->lower), MG_BUFFER(&s->flags), MG_BUFFER(&s->times),
                  MG_VALUE(uint64_t, mg_sssp_device_most(s)), MG_BUFFER(&s->counters[0]));
    if (status != MEGURI_OK) return status;
    return MG_LAUNCH(ctx, &s->kernels.update_all, items, group, MG_VALUE(uint32_t, s->rows), MG_BUFFER(&s->known),
                     MG_BUFFER(&s->lower), MG_BUFFER(&s->flags), MG_BUFFER(&s->counters[0]),
                     MG_BUFFER(&s->counters[1]));
}

static meguri_status phase_selected(meguri_ctx *ctx, mg_sssp_device *s) {
    const uint32_t group = s->device->group, words = mg_sssp_words(s);
    meguri_status status =
        MG_LAUNCH(ctx, &s->kernels.relax_list, mg_sssp_takers(s, s->entries), group, MG_BUFFER(&s->list),
                  MG_VALUE(uint32_t, s->entries), MG_BUFFER(&s->out.offsets), MG_BUFFER(&s->out.neighbors),
                  MG_BUFFER(mg_sssp_row_weights(&s->out)), MG_BUFFER(&s->known), MG_BUFFER(&s->lower),
                  MG_VALUE(uint64_t, mg_sssp_device_most(s)), MG_BUFFER(&s->bits), MG_BUFFER(&s->counters[0]));
    if (status != MEGURI_OK) return status;
    return MG_LAUNCH(ctx, &s->kernels.list_changed, mg_sssp_takers(s, words), group, MG_VALUE(uint32_t, words),
                     MG_VALUE(uint32_t, s->rows), MG_BUFFER(&s->out.offsets), MG_BUFFER(&s->bits), MG_BUFFER(&s->known),
                     MG_BUFFER(&s->lower), MG_BUFFER(&s->list), MG_BUFFER(&s->counters[0]), MG_BUFFER(&s->counters[1]));
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
    double seconds;    /* of the phase */
    double last;       /* … and of the one before; negative: there was none */
    uint32_t vertices; /* that have changed, where that is known or traced */
} phases;

/* Until what has changed lies as the way of the next phase has it: no part of the time of that phase. */
static meguri_status change_over(meguri_ctx *ctx, mg_sssp_device *s, phases *p) {
    if (p->all == p->flags) return MEGURI_OK;
    p->flags = p->all;
    if (!p->all) return to_list(ctx, s);
    meguri_status status = to_flags(ctx, s);
    return status == MEGURI_OK ? mg_device_finish(ctx, s->device) : status;
}

/* In the way of this phase; `more`: something has changed. */
static meguri_status do_phase(bool *more, bool *beyond, meguri_ctx *ctx, mg_sssp_device *s, phases *p) {
    uint32_t words[MG_SSSP_COUNTERS];
    meguri_status status = change_over(ctx, s, p);
    double since = mg_now();
    if (status == MEGURI_OK) status = p->all ? phase_all(ctx, s) : phase_selected(ctx, s);
    if (status == MEGURI_OK) status = mg_sssp_device_count(words, ctx, s);
    if (status != MEGURI_OK) return status;
    p->seconds = mg_now() - since;
    *beyond = words[MG_SSSP_TOO_FAR] != 0;
    *more = p->all ? words[MG_SSSP_ANY] != 0 : words[MG_SSSP_ENTRIES] != 0;
    s->entries = words[MG_SSSP_ENTRIES];
    p->vertices = words[MG_SSSP_CHANGED];
    s->edges += mg_sssp_long(&words[MG_SSSP_EDGES]); /* of lists; those of all are added up at the end */
    s->phases++;
    return MEGURI_OK;
}

/* Of the phases that all vertices had work-items in. */
static meguri_status sum_arcs(meguri_ctx *ctx, mg_sssp_device *s) {
    uint32_t words[MG_SSSP_COUNTERS];
    meguri_status status = mg_buffer_fill(ctx, &s->counters[0], 0);
    if (status == MEGURI_OK)
        status = MG_LAUNCH(ctx, &s->kernels.sum_arcs, s->rows, s->device->group, MG_VALUE(uint32_t, s->rows),
                           MG_BUFFER(&s->out.offsets), MG_BUFFER(&s->times), MG_BUFFER(&s->counters[0]));
    if (status == MEGURI_OK) status = mg_sssp_device_count(words, ctx, s);
    if (status == MEGURI_OK) s->edges += mg_sssp_long(&words[MG_SSSP_EDGES]);
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
        mg_sssp_device_trace(ctx, s, "phase", p.all ? "all" : "selected", vertices, -1, mg_now() - since);
        if (p.all && mg_trace_on(ctx)) status = flagged(&p.vertices, ctx, s);
        if (p.adapt) p.all = mg_policy_sssp_all(p.all, p.seconds, p.last, &s->thresholds);
        p.last = p.seconds;
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
                           MG_BUFFER(&in->offsets), MG_BUFFER(&in->neighbors), MG_BUFFER(mg_sssp_row_weights(in)),
                           MG_BUFFER(&s->known), MG_BUFFER(&s->lower), MG_BUFFER(&s->times), MG_BUFFER(&s->counters[0]),
                           MG_BUFFER(&s->counters[1]));
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

/* The first phases of a search from the first vertex, one way: as many as `count` says, or there are, or take so long;
 * `again`: the shorter of the times of each counts. */
static meguri_status try_phases(double *seconds, uint32_t *count, meguri_ctx *ctx, mg_sssp_device *s, bool all,
                                double limit, bool again) {
    const uint32_t source = 0, most = *count;
    phases p = {.all = all};
    bool more = true, beyond = false;
    double sum = 0;
    s->running = 1;
    meguri_status status = mg_sssp_device_start(ctx, s, &source);
    if (status == MEGURI_OK) status = mg_device_finish(ctx, s->device);
    for (*count = 0; status == MEGURI_OK && more && !beyond && *count < most && sum < limit; (*count)++) {
        status = do_phase(&more, &beyond, ctx, s, &p);
        seconds[*count] = again ? MG_MIN(seconds[*count], p.seconds) : p.seconds;
        sum += p.seconds;
    }
    return status;
}

/* The same search in both ways, TIMES times in turn; what is compiled at a first launch is compiled before. */
static meguri_status measure(mg_sssp_phase_times *times, meguri_ctx *ctx, mg_sssp_device *s) {
    meguri_status status = MEGURI_OK;
    times->count = 2;
    for (int i = 0; i <= TIMES && status == MEGURI_OK; i++) {
        status = try_phases(times->selected, &times->count, ctx, s, false, i == 1 ? LONG : INFINITY, i > 1);
        if (status == MEGURI_OK) status = try_phases(times->all, &times->count, ctx, s, true, INFINITY, i > 1);
        if (i == 0) times->count = MG_SSSP_TRIED;
    }
    return status;
}

meguri_status mg_sssp_calibrate(meguri_ctx *ctx, mg_sssp_device *s) {
    const meguri_sssp_options *o = &s->base.options;
    mg_sssp_phase_times times = {0};
    double since = mg_now();
    meguri_status status = MEGURI_OK;
    if (!(o->all_above_us > 0 && o->selected_below_us > 0) && s->rows && !s->by_pull) {
        status = measure(&times, ctx, s);
        if (status != MEGURI_OK) return status;
        s->thresholds = mg_policy_sssp_thresholds(&times);
        mg_trace_phase(ctx, "device", "calibrate", -1, -1, since);
    }
    if (o->all_above_us > 0) s->thresholds.above = o->all_above_us * 1e-6;
    if (o->selected_below_us > 0) s->thresholds.below = o->selected_below_us * 1e-6;
    return status;
}
