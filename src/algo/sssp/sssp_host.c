/* Shortest paths on threads: what the schedule has them do. */
#include "algo/sssp/sssp.h"

#define BLOCK      2048 /* vertices that a thread takes at a time, in loops over all of them */
#define FILL_GRAIN 65536

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

typedef struct sweeping {
    mg_sssp_state *s;
    sweep_kind kind;
    uint64_t first, last; /* bins */
    uint64_t arcs;
} sweeping;

static void sweep_blocks(void *what, mg_worker *worker) {
    sweeping *j = what;
    mg_sssp_state *s = j->s;
    uint64_t arcs = 0;
    for (mg_range v; !mg_load(&s->stop) && mg_take(worker, &v);) switch (j->kind) {
        case SWEEP_COUNT: arcs += s->hot->count_arcs(s, v.begin, v.end, j->first); break;
        case SWEEP_PULL: arcs += s->hot->pull_rows(s, v.begin, v.end, j->first); break;
        case SWEEP_PUSH:
            arcs += s->hot->push_rows(s, s->workers[worker->number], v.begin, v.end, j->first, j->last);
            break;
        }
    mg_fetch_add(&j->arcs, arcs);
}

/* What one of the three does with all vertices below `end`; returns arcs. A push goes from vertices in the bins
 * [first, last), the others are for those in `first` or later. */
static uint64_t sweep(mg_sssp_state *s, sweep_kind kind, uint64_t end, uint64_t first, uint64_t last) {
    sweeping job = {s, kind, first, last, 0};
    mg_loop loop = {.ctx = s->ctx,
                    .threads = s->threads,
                    .items = end,
                    .chunk = BLOCK,
                    .work = sweep_blocks,
                    .what = &job,
                    .phase = "sssp",
                    .total = end};
    if (mg_loop_run(&loop) != MEGURI_OK) mg_store(&s->stop, 1);
    return job.arcs;
}

/* Before a push over all vertices that may matter: nobody need wait from before, and what it finds waits in the ring
 * from here on. */
static void open_bins(mg_sssp_state *s, uint64_t bin) {
    for (int i = 0; i < s->worker_count; i++) {
        mg_sssp_bins_empty(&s->workers[i]->bins);
        mg_sssp_bins_begin_at(&s->workers[i]->bins, bin);
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

/* ---- the moves of the schedule ---------------------------------------------------------------------------------- */

static meguri_status trouble(const mg_sssp_state *s) {
    if (mg_cancelled(s->ctx)) return mg_fail_cancelled(s->ctx);
    return s->no_memory || s->overflow ? MEGURI_NO_MEMORY : MEGURI_OK; /* of an overflow nobody is told */
}

static meguri_status steps(const mg_sssp_schedule *c, const char *name, uint64_t limit, uint64_t arcs_stop) {
    mg_sssp_state *s = c->state;
    phase p = begin_phase(s);
    s->limit = limit;
    s->arcs_stop = arcs_stop;
    mg_sssp_steps(s);
    end_phase(s, &p, name, "push");
    return trouble(s);
}

static meguri_status count_left(const mg_sssp_schedule *c, uint64_t settled, uint64_t *arcs) {
    *arcs = sweep(c->state, SWEEP_COUNT, c->rows, settled, 0);
    return trouble(c->state);
}

static meguri_status pull(const mg_sssp_schedule *c, uint64_t settled) {
    mg_sssp_state *s = c->state;
    phase p = begin_phase(s);
    s->pulled += sweep(s, SWEEP_PULL, c->rows, settled, 0);
    end_phase(s, &p, "rest", "pull");
    return trouble(s);
}

static meguri_status push_rest(const mg_sssp_schedule *c, uint64_t settled) {
    mg_sssp_state *s = c->state;
    phase p = begin_phase(s);
    open_bins(s, settled);
    sweep(s, SWEEP_PUSH, c->first_leaf, settled, MG_SSSP_NO_BIN);
    end_phase(s, &p, "rest", "push");
    return trouble(s);
}

static meguri_status push_again(const mg_sssp_schedule *c, uint64_t settled) {
    mg_sssp_state *s = c->state;
    phase p = begin_phase(s);
    for (int i = 0; i < s->worker_count; i++) mg_sssp_bins_begin_at(&s->workers[i]->bins, settled);
    sweep(s, SWEEP_PUSH, c->rows, 0, settled);
    end_phase(s, &p, "again", "push");
    return trouble(s);
}

static const mg_sssp_moves moves = {
    .steps = steps, .push_again = push_again, .count_left = count_left, .pull = pull, .push_rest = push_rest};

/* ---- the search ------------------------------------------------------------------------------------------------- */

static void fill_labels(void *what, uint64_t begin, uint64_t end) {
    const mg_sssp_state *s = what;
    s->hot->fill(s->labels, begin, end);
}

static void start(mg_sssp_state *s, uint32_t source) {
    uint64_t rows = s->plan->rows;
    mg_for(s->ctx, MG_MIN(mg_threads(s->ctx, rows, FILL_GRAIN), s->worker_count), rows, fill_labels, s);
    for (int i = 0; i < s->worker_count; i++) mg_sssp_worker_clear(s->workers[i]);
    s->threads = s->worker_count;
    s->per_delta = 1 / s->plan->delta;
    s->vertices = s->arcs = s->pulled = 0;
    s->step = 0;
    s->stop = s->overflow = s->no_memory = 0;
    s->most_bin = mg_sssp_most_bin(s->plan->most, s->plan->real, s->per_delta);
    s->goal_next = 0;
    if (source == MG_NO_VERTEX) return;
    s->horizon_bin = MG_SSSP_NO_BIN;
    s->hot->set(s->labels, source, source);
    mg_sssp_put(s, s->workers[0], source, 0);
}

static meguri_status search(mg_sssp_state *s, uint32_t source) {
    const mg_sssp_plan *plan = s->plan;
    const mg_sssp_schedule schedule = {.moves = &moves,
                                       .ctx = s->ctx,
                                       .state = s,
                                       .light = plan->can_pull ? plan->light : 0,
                                       .heaviest = plan->heaviest,
                                       .real = plan->real,
                                       .fixed = plan->fixed,
                                       .narrow_first = true,
                                       .rows = plan->rows,
                                       .first_leaf = plan->first_leaf,
                                       .out_arcs = plan->out.arcs,
                                       .in_arcs = plan->in.arcs};
    start(s, source);
    return mg_sssp_follow(&schedule);
}

meguri_status mg_sssp_host(meguri_ctx *ctx, mg_sssp_state *s, uint32_t source) {
    s->ctx = ctx; /* which may be another than that of the last search */
    for (int i = 0; i < s->worker_count; i++) s->workers[i]->bins.ctx = ctx;
    meguri_status status = search(s, source);
    if (!s->overflow || mg_cancelled(ctx)) return status;
    /* From here on distances have 64 bits, also in the searches to come. */
    s->hot = mg_sssp_hot_loops(s->plan->graph->weight_type, false);
    status = need_labels(ctx, s);
    return status == MEGURI_OK ? search(s, source) : status;
}
