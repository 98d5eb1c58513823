/* Betweenness on the threads of this machine: one search after another on all threads, or, where the steps of a search
 * are too small for that, a search on each thread. Every search leaves a line in the trace.
 *
 * How a search is done follows from the graph and the sources, never from who does it: threads that search side by side
 * begin each search in the same form, whatever their last one had to be done in. */
#include "algo/betweenness/betweenness.h"

#include "policy/policy.h"

#define VERTEX_GRAIN 65536

typedef struct run {
    meguri_ctx *ctx;
    const meguri_graph *graph;
    const mg_betweenness_sources *sources;
    mg_rows out, in;
    mg_numbering numbering;
    double *score; /* by internal number */
    uint64_t done; /* sources */
    uint64_t steps;
    uint64_t edges, depth;
    mg_betweenness_form form; /* of the searches to come */
    uint32_t lanes;
} run;

static mg_betweenness new_search(const run *r, int threads) {
    return (mg_betweenness){.ctx = r->ctx,
                            .out = r->out,
                            .in = r->in,
                            .rows = (uint32_t)r->graph->rows,
                            .threads = threads,
                            .done = &r->done,
                            .total = r->sources->count};
}

/* ---- one search ------------------------------------------------------------------------------------------------- */

static meguri_status search_once(mg_betweenness *s, const run *r, uint64_t first, uint32_t count) {
    uint32_t sources[MG_BETWEENNESS_MOST_LANES];
    for (uint32_t k = 0; k < count; k++) sources[k] = mg_to_internal(&r->numbering, r->sources->vertices[first + k]);
    meguri_status status = mg_betweenness_start(s, sources, count);
    if (status != MEGURI_OK || !s->all) return status; /* nothing leaves isolated vertices */
    if (s->form == MG_BETWEENNESS_NARROW) return mg_betweenness_narrow(s);
    if (s->lanes == 1) return mg_betweenness_one(s);
    return s->lanes == 4 ? mg_betweenness_four(s) : mg_betweenness_eight(s);
}

/* In this form, as many sources at once as there are lanes. */
static meguri_status search_as(mg_betweenness *s, const run *r, mg_betweenness_form form, uint32_t lanes,
                               uint64_t first, uint32_t count) {
    meguri_status status = mg_betweenness_workspace(s, form, lanes);
    for (uint32_t k = 0; k < count && status == MEGURI_OK; k += lanes)
        status = search_once(s, r, first + k, MG_MIN(lanes, count - k));
    return status;
}

/* From `count` sources, at most as many as there are lanes; where it turns out that it cannot be done in the form of
 * all, in another. */
static meguri_status search(mg_betweenness *s, const run *r, uint64_t first, uint32_t count) {
    uint64_t edges = s->edges;
    meguri_status status = search_as(s, r, r->form, r->lanes, first, count);
    if (status == MEGURI_OK && s->abandoned) {
        s->edges = edges;
        status = search_as(s, r, MG_BETWEENNESS_WAVES, 1, first, count);
    }
    if (status == MEGURI_OK && s->too_large) {
        s->edges = edges;
        status = search_as(s, r, MG_BETWEENNESS_WIDE, 1, first, count);
    }
    return status;
}

typedef struct score_job {
    double *to, *from;
} score_job;

static void add_scores(void *what, uint64_t begin, uint64_t end) {
    const score_job *job = what;
    for (uint64_t v = begin; v < end; v++) {
        job->to[v] += job->from[v];
        job->from[v] = 0;
    }
}

/* Adds what a search found to the scores, and forgets it. */
static void take(run *r, mg_betweenness *s, uint64_t first, uint32_t count, uint64_t edges, double since,
                 uint32_t thread) {
    score_job job = {r->score, s->score};
    mg_for(r->ctx, MG_MIN(s->threads, mg_threads(r->ctx, s->rows, VERTEX_GRAIN)), s->rows, add_scores, &job);
    mg_store(&r->done, first + count);
    r->edges += s->edges - edges;
    if (s->all) r->depth = MG_MAX(r->depth, s->level_count - 1);
    uint64_t step_number = r->steps++;
    if (!mg_trace_on(r->ctx)) return;
    mg_step step = MG_STEP_NONE;
    step.run = "betweenness";
    step.step = (int64_t)step_number;
    step.frontier = (int64_t)count;
    step.edges = (int64_t)(s->edges - edges);
    step.way = s->form == MG_BETWEENNESS_WIDE     ? "wide"
               : s->form == MG_BETWEENNESS_NARROW ? "narrow"
               : count > 1                        ? "together"
                                                  : "single";
    step.engine = "host";
    step.lane = thread;
    step.threads = (int64_t)s->threads;
    step.seconds = mg_now() - since;
    step.bytes = (int64_t)(4 * (s->edges - edges) + (5 + 5 * sizeof(double) * s->lanes) * s->count);
    mg_trace(r->ctx, &step);
}

/* ---- choices ---------------------------------------------------------------------------------------------------- */

/* How many lanes the sources fill, if the memory has room for them. */
static uint32_t lanes_for(const run *r, uint64_t count) {
    uint64_t bytes =
        2 * mg_betweenness_workspace_bytes(MG_BETWEENNESS_WAVES, r->graph->rows, MG_BETWEENNESS_MOST_LANES);
    return mg_policy_betweenness_lanes(count, bytes / MG_BETWEENNESS_MOST_LANES, mg_memory_left(r->ctx));
}

/* Between 0 and 1: of the lanes, the part that visits a vertex in the same level, on average. After a single search the
 * chance that another one would. */
static double agreement(const mg_betweenness *s) {
    double visits = 0, squares = 0;
    for (uint64_t l = 0; l < s->level_count; l++) {
        double size = (double)(s->levels[l].end - s->levels[l].begin);
        squares += size * size;
    }
    if (s->lanes == 1) return s->count ? squares / ((double)s->count * (double)s->count) : 0;
    for (uint64_t i = 0; i < s->count; i++) visits += __builtin_popcount(s->masks[i]);
    return s->count ? visits / (double)s->count / __builtin_popcount(s->all) : 0;
}

/* Decides, when the first search is done, how the others are. */
static void choose(run *r, const mg_betweenness *s) {
    if (s->form == MG_BETWEENNESS_WIDE) r->form = MG_BETWEENNESS_WIDE;
    if (r->form == MG_BETWEENNESS_WAVES && mg_policy_betweenness_together(agreement(s)))
        r->lanes = lanes_for(r, r->sources->count - r->done);
    else r->lanes = 1;
}

/* Whether searches are narrow, by what lies around the first source; where that is little, around a few others. */
static meguri_status look_around(bool *narrow, const run *r) {
    const uint64_t tries = MG_MIN(r->sources->count, 4);
    mg_betweenness s = new_search(r, 1);
    uint64_t most = 0;
    *narrow = false;
    meguri_status status = mg_betweenness_workspace(&s, MG_BETWEENNESS_NARROW, 1);
    for (uint64_t k = 0; k < tries && status == MEGURI_OK && most < mg_policy_betweenness_look(s.rows); k++) {
        uint32_t source = mg_to_internal(&r->numbering, r->sources->vertices[k]);
        bool here = false;
        status = mg_betweenness_start(&s, &source, 1);
        if (status == MEGURI_OK) status = mg_betweenness_is_narrow(&here, &s);
        if (s.count > most) *narrow = here;
        most = MG_MAX(most, s.count);
    }
    mg_betweenness_free_workspace(&s);
    return status;
}

/* On how many threads a search each is run; 1 where searches have all threads. A search may have to be done in wide
 * numbers. */
static int side_by_side(const run *r, const mg_betweenness *s) {
    uint64_t searches = (r->sources->count - r->done + r->lanes - 1) / r->lanes;
    uint32_t threads = (uint32_t)MG_MIN(meguri_ctx_threads(r->ctx), searches);
    if (r->form != MG_BETWEENNESS_NARROW)
        threads = mg_policy_betweenness_side_by_side(threads, searches, r->edges, 2 * (uint64_t)s->level_count);
    uint64_t bytes = 2 * mg_betweenness_workspace_bytes(MG_BETWEENNESS_WIDE, r->graph->rows, r->lanes);
    return (int)MG_MAX(1, MG_MIN(threads, mg_memory_left(r->ctx) / MG_MAX(bytes, 1)));
}

/* ---- all searches ----------------------------------------------------------------------------------------------- */

/* Sources from r->done on, `r->lanes` at a time, until `end`. */
static meguri_status search_all(run *r, mg_betweenness *s, uint64_t end) {
    meguri_status status = MEGURI_OK;
    for (uint64_t first = r->done; first < end && status == MEGURI_OK;) {
        uint64_t edges = s->edges;
        uint32_t count = (uint32_t)MG_MIN(end - first, r->lanes);
        double since = mg_now();
        status = search(s, r, first, count);
        if (status == MEGURI_OK) take(r, s, first, count, edges, since, 0);
        first += count;
    }
    return status;
}

/* Searches side by side; what they find is taken in their order. */
typedef struct side_job {
    run *r;
    uint64_t begin;    /* source */
    uint64_t searches; /* from there on */
    mg_turns turns;
    meguri_status status; /* of the first failure */
} side_job;

static void search_in_turn(void *what, mg_worker *worker) {
    side_job *job = what;
    run *r = job->r;
    mg_betweenness s = new_search(r, 1);
    meguri_status status = MEGURI_OK;
    MG_TURNING(turning, &job->turns, worker, "betweenness", job->searches);
    for (uint64_t i; (i = mg_turns_take(&job->turns)) < job->searches;) {
        uint64_t first = job->begin + i * r->lanes, edges = s.edges;
        uint32_t count = (uint32_t)MG_MIN(r->sources->count - first, r->lanes);
        double since = mg_now();
        if (status == MEGURI_OK) status = mg_load(&job->status);
        if (status == MEGURI_OK) status = search(&s, r, first, count);
        if (!mg_turns_wait(&job->turns, i, NULL, NULL)) break;
        if (status == MEGURI_OK && mg_load(&job->status) == MEGURI_OK)
            take(r, &s, first, count, edges, since, worker->number);
        if (status != MEGURI_OK) mg_compare_swap(&job->status, MEGURI_OK, status);
        mg_turns_pass(&job->turns);
    }
    mg_turning_end(&turning);
    mg_betweenness_free_workspace(&s);
}

static meguri_status search_side_by_side(run *r, int threads) {
    side_job job = {.r = r,
                    .begin = r->done,
                    .searches = (r->sources->count - r->done + r->lanes - 1) / r->lanes,
                    .turns = MG_TURNS_NEW};
    mg_run_together(r->ctx, threads, search_in_turn, &job);
    return job.status;
}

/* All that are left; `s` is the search that was done last. */
static meguri_status search_others(run *r, mg_betweenness *s) {
    int side = side_by_side(r, s);
    if (side == 1) return search_all(r, s, r->sources->count);
    mg_betweenness_free_workspace(s);
    return search_side_by_side(r, side);
}

/* In waves the first search tells how the others are done best. */
static meguri_status search_in_waves(run *r, mg_betweenness *s) {
    uint64_t count = r->sources->count;
    r->form = MG_BETWEENNESS_WAVES;
    r->lanes = mg_policy_betweenness_dense(r->graph->rows, r->out.arcs) ? lanes_for(r, count) : 1;
    meguri_status status = search_all(r, s, MG_MIN(count, r->lanes));
    if (status != MEGURI_OK || r->done == count) return status;
    choose(r, s);
    return search_others(r, s);
}

static meguri_status search_from_all(run *r) {
    if (!r->sources->count) return MEGURI_OK;
    mg_betweenness s = new_search(r, (int)meguri_ctx_threads(r->ctx));
    bool narrow;
    meguri_status status = look_around(&narrow, r);
    if (status == MEGURI_OK && narrow) {
        r->form = MG_BETWEENNESS_NARROW;
        r->lanes = 1;
        status = search_others(r, &s);
    } else if (status == MEGURI_OK) {
        status = search_in_waves(r, &s);
    }
    mg_betweenness_free_workspace(&s);
    return status;
}

/* ---- result ----------------------------------------------------------------------------------------------------- */

static meguri_status prepare(run *r) {
    meguri_status status = mg_graph_rows(&r->out, r->ctx, r->graph);
    if (status == MEGURI_OK) status = mg_graph_in_rows(&r->in, r->ctx, r->graph);
    if (status == MEGURI_OK) status = mg_graph_numbering(&r->numbering, r->ctx, r->graph);
    if (status != MEGURI_OK) return status;
    r->score = mg_alloc_array_zero(r->ctx, r->graph->rows, sizeof *r->score, "betweenness");
    return r->score ? MEGURI_OK : MEGURI_NO_MEMORY;
}

typedef struct finish_job {
    const run *r;
    double *score; /* by position */
    double factor;
} finish_job;

static void write_scores(void *what, uint64_t begin, uint64_t end) {
    const finish_job *job = what;
    const run *r = job->r;
    for (uint64_t v = begin; v < end; v++)
        job->score[mg_to_user(&r->numbering, (uint32_t)v)] = v < r->graph->rows ? job->factor * r->score[v] : 0;
}

/* Into the user's order. */
static void finish(const run *r, double *score, double factor) {
    finish_job job = {r, score, factor};
    uint64_t vertices = r->graph->vertices;
    mg_for(r->ctx, mg_threads(r->ctx, vertices, VERTEX_GRAIN), vertices, write_scores, &job);
}

meguri_status mg_betweenness_host(meguri_ctx *ctx, const meguri_graph *graph, const mg_betweenness_sources *sources,
                                  double *score, meguri_result *result) {
    run r = {.ctx = ctx, .graph = graph, .sources = sources};
    meguri_status status = prepare(&r);
    double begin = mg_now();
    if (status == MEGURI_OK) status = search_from_all(&r);
    if (status == MEGURI_OK) finish(&r, score, sources->all && !graph->directed ? 0.5 : 1);
    if (status == MEGURI_OK) status = mg_result_set_number(ctx, result, "sources", sources->count);
    if (status == MEGURI_OK) status = mg_result_set_number(ctx, result, "depth", r.depth);
    if (status == MEGURI_OK) status = mg_result_set_number(ctx, result, "edges", r.edges);
    if (status == MEGURI_OK) status = mg_result_set_real(ctx, result, "seconds", mg_now() - begin);
    mg_free(r.score);
    return status;
}
