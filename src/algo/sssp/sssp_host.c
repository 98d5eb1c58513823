/* Shortest paths on threads: the order of things. sssp.h says why it is so. */
#include "algo/sssp/sssp.h"

#include <omp.h>

#define BLOCK      2048 /* vertices that a thread takes at a time, in loops over all of them */
#define FILL_GRAIN 65536
#define IN_SIGHT   4096 /* a horizon is set when one in so many arcs was seen */
#define FEW_LEFT   6    /* a pull is worth it when less than one in so many arcs is left for it */

/* ---- memory ----------------------------------------------------------------------------------------------------- */

static meguri_status need_labels(meguri_ctx *ctx, mg_sssp_state *s) {
    uint64_t bytes = (uint64_t)s->plan->rows * s->hot->label_bytes;
    if (s->labels && s->label_bytes >= bytes) return MEGURI_OK;
    mg_free(s->labels);
    s->labels = mg_alloc_array(ctx, s->plan->rows, s->hot->label_bytes, "the distances of vertices");
    s->label_bytes = s->labels ? bytes : 0;
    return s->labels ? MEGURI_OK : MEGURI_NO_MEMORY;
}

meguri_status mg_sssp_state_open(mg_sssp_state *s, meguri_ctx *ctx, const mg_sssp_plan *plan, int threads) {
    *s = (mg_sssp_state){.plan = plan, .ctx = ctx, .threads = threads};
    s->hot = mg_sssp_hot_loops(plan->graph->weight_type, plan->narrow);
    s->workers = mg_alloc_array_zero(ctx, (uint64_t)threads, sizeof *s->workers, "the bins of shortest paths");
    if (!s->workers) return MEGURI_NO_MEMORY;
    s->worker_count = threads;
    meguri_status status = need_labels(ctx, s);
    for (int i = 0; i < threads && status == MEGURI_OK; i++) status = mg_sssp_worker_new(&s->workers[i], ctx);
    return status;
}

void mg_sssp_state_close(mg_sssp_state *s) {
    for (int i = 0; i < s->worker_count; i++) mg_sssp_worker_free(s->workers[i]);
    mg_free(s->workers);
    mg_free(s->labels);
    *s = (mg_sssp_state){0};
}

/* ---- sweeps over all vertices ----------------------------------------------------------------------------------- */

typedef enum sweep_kind { SWEEP_COUNT, SWEEP_PULL, SWEEP_PUSH } sweep_kind;

/* What one of the three does with all vertices below `end`; returns arcs. A push goes from vertices in the bins
 * [first, last), the others are for those in `first` or later. */
static uint64_t sweep(mg_sssp_state *s, sweep_kind kind, uint64_t end, uint64_t first, uint64_t last) {
    uint64_t next = 0, arcs = 0;
#pragma omp parallel num_threads(mg_team(s->threads)) reduction(+ : arcs)
    {
        mg_sssp_worker *w = s->workers[omp_get_thread_num()];
        for (uint64_t begin; (begin = mg_fetch_add(&next, BLOCK)) < end && !mg_load(&s->stop);) {
            uint64_t stop = MG_MIN(begin + BLOCK, end);
            switch (kind) {
            case SWEEP_COUNT: arcs += s->hot->count_arcs(s, begin, stop, first); break;
            case SWEEP_PULL: arcs += s->hot->pull_rows(s, begin, stop, first); break;
            case SWEEP_PUSH: arcs += s->hot->push_rows(s, w, begin, stop, first, last); break;
            }
            if (mg_progress(s->ctx, "sssp", begin, end)) mg_store(&s->stop, 1);
        }
    }
    return arcs;
}

/* Before a push over all vertices that may matter: nobody need wait from before, and what it finds waits in the ring
 * from here on. */
static void open_bins(mg_sssp_state *s, uint64_t bin) {
    for (int i = 0; i < s->worker_count; i++) {
        mg_sssp_empty_bins(s->workers[i]);
        s->workers[i]->bin = s->workers[i]->step_end = bin;
    }
}

/* ---- phases ----------------------------------------------------------------------------------------------------- */

typedef struct phase {
    double since;
    uint64_t vertices, arcs;
} phase;

void mg_sssp_count(mg_sssp_state *s) {
    s->vertices = s->arcs = 0;
    for (int i = 0; i < s->worker_count; i++) {
        s->vertices += s->workers[i]->vertices;
        s->arcs += s->workers[i]->arcs;
    }
    s->arcs += s->pulled;
}

static phase begin_phase(mg_sssp_state *s) {
    mg_sssp_count(s);
    return (phase){mg_now(), s->vertices, s->arcs};
}

static void end_phase(mg_sssp_state *s, const phase *p, const char *name, const char *way) {
    mg_sssp_count(s);
    if (!mg_trace_on(s->ctx)) return;
    mg_step step = MG_STEP_NONE;
    step.run = "sssp";
    step.step = s->step++;
    step.phase = name;
    step.frontier = (int64_t)(s->vertices - p->vertices);
    step.edges = (int64_t)(s->arcs - p->arcs);
    step.way = way;
    step.engine = "host";
    step.threads = s->threads;
    step.seconds = mg_now() - p->since;
    mg_trace(s->ctx, &step);
}

static void push_on(mg_sssp_state *s, const char *name, uint64_t limit, uint64_t arcs_stop) {
    phase p = begin_phase(s);
    s->limit = limit;
    s->arcs_stop = arcs_stop;
    mg_sssp_steps(s);
    end_phase(s, &p, name, "push");
}

/* No arc that leads beyond bin `bin` is of interest. What is rounded is rounded up. */
static void set_horizon(mg_sssp_state *s, uint64_t bin) {
    double distance = (double)bin / s->per_delta;
    s->horizon_bin = bin;
    s->leaves = s->plan->core;
    if (s->plan->real) s->horizon.real = distance * (1 + 1e-9);
    else s->horizon.number = (uint64_t)(distance * (1 + 1e-12)) + 1;
}

static void no_horizon(mg_sssp_state *s) {
    s->horizon_bin = MG_SSSP_NO_BIN;
    s->leaves = s->plan->rows;
}

/* Everybody in bins before `settled` is final, and has followed arcs only as far as that. The others look for
 * themselves; then they push, once, for they know of each other only what they happened to see. */
static void pull_rest(mg_sssp_state *s, uint64_t settled) {
    phase p = begin_phase(s);
    s->pulled += sweep(s, SWEEP_PULL, s->plan->rows, settled, 0);
    end_phase(s, &p, "rest", "pull");
    no_horizon(s);
    p = begin_phase(s);
    open_bins(s, settled);
    sweep(s, SWEEP_PUSH, s->plan->core, settled, MG_SSSP_NO_BIN);
    end_phase(s, &p, "rest", "push");
    s->adapt = true;
    push_on(s, "last", MG_SSSP_NO_BIN, UINT64_MAX);
}

/* Those in bins before `settled` followed arcs only as far as that; now they go on to where the horizon is. */
static void push_again(mg_sssp_state *s, uint64_t settled) {
    phase p = begin_phase(s);
    for (int i = 0; i < s->worker_count; i++) s->workers[i]->bin = s->workers[i]->step_end = settled;
    sweep(s, SWEEP_PUSH, s->plan->rows, 0, settled);
    end_phase(s, &p, "again", "push");
}

static uint64_t bins_of(const mg_sssp_state *s, double distance) {
    double bins = distance * s->per_delta;
    return bins < 1 ? 1 : bins > 1e18 ? (uint64_t)1e18 : (uint64_t)bins;
}

/* To a horizon, and to another one twice as far away as long as too much lies beyond. */
static void push_to_horizons(mg_sssp_state *s) {
    const mg_sssp_plan *plan = s->plan;
    double light = plan->light;
    uint64_t horizon = s->next_bin + bins_of(s, light), settled = 0;
    for (;;) {
        set_horizon(s, horizon);
        if (settled) push_again(s, settled);
        push_on(s, "light", horizon, UINT64_MAX);
        if (mg_load(&s->stop)) return;
        if (sweep(s, SWEEP_COUNT, plan->rows, horizon, 0) <= plan->in.arcs / FEW_LEFT) break;
        settled = horizon;
        light *= 2;
        horizon += bins_of(s, light);
        if (light > plan->heaviest || horizon > MG_SSSP_NO_BIN / 4) { /* no arc leads beyond */
            no_horizon(s);
            push_again(s, settled);
            s->adapt = true;
            push_on(s, "push", MG_SSSP_NO_BIN, UINT64_MAX);
            return;
        }
    }
    pull_rest(s, horizon);
}

/* ---- the search ------------------------------------------------------------------------------------------------- */

static void start(mg_sssp_state *s, uint32_t source, bool horizons) {
    uint64_t rows = s->plan->rows;
    int threads = mg_threads(s->ctx, rows, FILL_GRAIN);
    threads = MG_MIN(threads, s->worker_count);
#pragma omp parallel num_threads(mg_team(threads))
    {
        mg_range share = mg_share(rows, omp_get_thread_num(), omp_get_num_threads());
        s->hot->fill(s->labels, share.begin, share.end);
    }
    for (int i = 0; i < s->worker_count; i++) mg_sssp_worker_clear(s->workers[i]);
    s->threads = s->worker_count;
    s->per_delta = 1 / s->plan->delta;
    s->span = 1;
    s->adapt = !s->plan->fixed && !horizons;
    s->vertices = s->arcs = s->pulled = 0;
    s->step = 0;
    s->stop = s->overflow = s->no_memory = 0;
    no_horizon(s);
    if (source == MG_NO_VERTEX) return;
    s->hot->set(s->labels, source, source);
    mg_sssp_put(s, s->workers[0], source, 0);
}

static meguri_status search(mg_sssp_state *s, uint32_t source) {
    const mg_sssp_plan *plan = s->plan;
    bool horizons = plan->light > 0 && plan->can_pull;
    start(s, source, horizons);
    push_on(s, "push", MG_SSSP_NO_BIN, horizons ? plan->out.arcs / IN_SIGHT : UINT64_MAX);
    if (!s->stop && s->next_bin != MG_SSSP_NO_BIN) push_to_horizons(s);
    if (mg_cancelled(s->ctx)) return mg_fail_cancelled(s->ctx);
    return s->no_memory ? MEGURI_NO_MEMORY : MEGURI_OK;
}

meguri_status mg_sssp_host(meguri_ctx *ctx, mg_sssp_state *s, uint32_t source) {
    s->ctx = ctx;
    meguri_status status = search(s, source);
    if (status != MEGURI_OK || !s->overflow) return status;
    /* From here on distances have 64 bits, also in the searches to come. */
    s->hot = mg_sssp_hot_loops(s->plan->graph->weight_type, false);
    status = need_labels(ctx, s);
    return status == MEGURI_OK ? search(s, source) : status;
}
