/* The steps of shortest paths, on all threads at once.
 *
 * A step is one loop of the team. In it a thread takes what waits in its own bins of the step, which are in its cache,
 * as chunks, and works these off, then those of others, then pieces of long rows; what it finds for the same step it
 * offers in turn. The bins of a thread that has not come somebody else begins, who has nothing else to do. A thread
 * that finds nothing to do waits as long as others are at work, who may offer something; when nobody is, the step is
 * over: whoever works empties its own bins of the step before it stops, so nothing is left behind. Then the caller
 * alone looks which bins come next, or whether it is time to stop. So threads meet once for each step and not within
 * it, and a thread that the scheduler has not started is not waited for.
 *
 * One thread begins alone, with one set of bins, and the others join it when steps have enough work for them. When
 * steps have become too small for long, all that waits goes back into one set. */
#include "algo/sssp/sssp.h"

#include "policy/policy.h"

#define ENOUGH   2048 /* arcs that a step should have for each thread, so that the meetings cost little */
#define MAX_SPAN 256

/* ---- a thread's own --------------------------------------------------------------------------------------------- */

meguri_status mg_sssp_worker_new(mg_sssp_worker **out, meguri_ctx *ctx) {
    *out = mg_alloc_zero(ctx, sizeof **out, "the bins of shortest paths");
    if (!*out) return MEGURI_NO_MEMORY;
    mg_sssp_bins_open(&(*out)->bins, ctx);
    return MEGURI_OK;
}

void mg_sssp_worker_free(mg_sssp_worker *w) {
    if (w) mg_sssp_bins_close(&w->bins);
    mg_free(w);
}

void mg_sssp_worker_clear(mg_sssp_worker *w) {
    mg_sssp_bins_empty(&w->bins);
    mg_sssp_bins_begin_at(&w->bins, 0);
    w->vertices = w->arcs = 0;
    w->row_next = w->row_end = 0;
    w->arc_count = 0;
}

void mg_sssp_no_memory(mg_sssp_state *s) {
    mg_store(&s->no_memory, 1);
    mg_store(&s->stop, 1);
}

void mg_sssp_put_anywhere(mg_sssp_state *s, mg_sssp_worker *w, uint32_t vertex, uint64_t bin) {
    if (!mg_sssp_bins_put(&w->bins, vertex, bin)) mg_sssp_no_memory(s);
}

static uint64_t bin_now(const void *what, uint32_t vertex) {
    const mg_sssp_state *s = what;
    return s->hot->bin_of(s, vertex);
}

mg_sssp_sorting mg_sssp_sorting_of(const mg_sssp_state *s) { return (mg_sssp_sorting){bin_now, s}; }

/* ---- finding work ----------------------------------------------------------------------------------------------- */

/* Its bins of the step are not in chunks yet, and nobody is about to see to that. */
static bool is_to_begin(const mg_sssp_state *s, mg_sssp_worker *w) {
    return __atomic_load_n(&w->begun, __ATOMIC_ACQUIRE) + 1 < 2 * s->number;
}

static bool has_work(const mg_sssp_state *s, mg_sssp_worker *w) {
    return mg_load(&w->bins.chunks) || mg_load(&w->row_next) < mg_load(&w->row_end) || is_to_begin(s, w);
}

/* The bins of the step as chunks for all; false if they were, or somebody is making them. */
static bool begin_bins(mg_sssp_state *s, mg_sssp_worker *w) {
    const mg_sssp_sorting sorting = mg_sssp_sorting_of(s);
    uint64_t before = mg_load(&w->begun);
    if (!is_to_begin(s, w) ||
        !__atomic_compare_exchange_n(&w->begun, &before, 2 * s->number - 1, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
        return false;
    if (!mg_sssp_bins_begin_step(&w->bins, &sorting, s->next_bin, s->step_end)) mg_sssp_no_memory(s);
    __atomic_store_n(&w->begun, 2 * s->number, __ATOMIC_RELEASE);
    return true;
}

/* Before a thread puts anything into its bins. */
static void need_bins(mg_sssp_state *s, mg_sssp_worker *w) {
    uint32_t patience = 0;
    while (!begin_bins(s, w) && __atomic_load_n(&w->begun, __ATOMIC_ACQUIRE) != 2 * s->number) mg_sssp_wait(&patience);
}

static bool push_piece(mg_sssp_state *s, mg_sssp_worker *w, mg_sssp_worker *from) {
    if (mg_load(&from->row_next) >= mg_load(&from->row_end)) return false;
    mg_sssp_take_lock(&from->lock);
    uint32_t row = from->row;
    uint64_t begin = from->row_next, end = MG_MIN(begin + MG_SSSP_PIECE, from->row_end);
    if (begin < end) mg_store(&from->row_next, end);
    mg_sssp_drop_lock(&from->lock);
    if (begin >= end) return false;
    s->hot->push_piece(s, w, row, begin, end);
    return true;
}

void mg_sssp_share_row(mg_sssp_state *s, mg_sssp_worker *w, uint32_t row, uint64_t begin, uint64_t end) {
    mg_sssp_take_lock(&w->lock);
    w->row = row;
    mg_store(&w->row_end, end);
    mg_store(&w->row_next, begin);
    mg_sssp_drop_lock(&w->lock);
    while (push_piece(s, w, w))
        if (mg_progress(s->ctx, "sssp", 0, 0)) mg_store(&s->stop, 1);
}

static bool work_on(mg_sssp_state *s, mg_sssp_worker *w, mg_sssp_chunk *chunk) {
    if (!chunk) return false;
    s->hot->push_chunk(s, w, chunk);
    mg_sssp_chunk_done(&w->bins, chunk);
    return true;
}

/* One thing to do, one's own first; false if there is nothing. */
static bool do_something(mg_sssp_state *s, mg_sssp_worker *w, int self) {
    if (work_on(s, w, mg_sssp_bins_steal(&w->bins)) || work_on(s, w, mg_sssp_take_list(&w->bins.current))) return true;
    for (int i = 1; i < s->sets; i++) {
        mg_sssp_worker *other = s->workers[(self + i) % s->sets];
        if (work_on(s, w, mg_sssp_bins_steal(&other->bins)) || push_piece(s, w, other)) return true;
    }
    for (int i = 1; i < s->sets; i++)
        if (begin_bins(s, s->workers[(self + i) % s->sets])) return true;
    return false;
}

static bool work_in_sight(const mg_sssp_state *s) {
    for (int i = 0; i < s->sets; i++)
        if (has_work(s, s->workers[i])) return true;
    return false;
}

/* ---- a step ----------------------------------------------------------------------------------------------------- */

/* True when nobody is at work, or all are to stop; false if there is something to do again. */
static bool nobody_works(mg_sssp_state *s) {
    uint32_t patience = 0;
    __atomic_fetch_sub(&s->working, 1, __ATOMIC_ACQ_REL);
    for (;; mg_sssp_wait(&patience)) {
        if (!__atomic_load_n(&s->working, __ATOMIC_ACQUIRE) || mg_load(&s->stop)) return true;
        if (!work_in_sight(s)) continue;
        __atomic_fetch_add(&s->working, 1, __ATOMIC_ACQ_REL);
        return false;
    }
}

static void work_in_step(void *what, mg_worker *thread) {
    mg_sssp_state *s = what;
    int self = (int)thread->number;
    mg_sssp_worker *w = s->workers[self];
    __atomic_fetch_add(&s->working, 1, __ATOMIC_ACQ_REL);
    need_bins(s, w);
    do
        while (!mg_load(&s->stop) && do_something(s, w, self))
            if (mg_progress(s->ctx, "sssp", 0, 0)) mg_store(&s->stop, 1);
    while (!nobody_works(s));
}

/* The bins from state->next_bin to step_end, until nothing is in them. */
static void run_step(mg_sssp_state *s) {
    s->working = 0;
    s->number++;
    mg_run_together(s->ctx, s->threads, work_in_step, s);
}

static uint64_t first_of_all(const mg_sssp_state *s) {
    uint64_t first = MG_SSSP_NO_BIN;
    for (int i = 0; i < s->sets; i++) first = MG_MIN(first, mg_sssp_bins_first(&s->workers[i]->bins));
    return first;
}

/* ---- from step to step ------------------------------------------------------------------------------------------ */

static uint64_t next_span(const mg_sssp_state *s, uint64_t work) {
    const mg_sssp_costs costs = {.enough =
                                     s->worker_count > 1 ? (uint64_t)ENOUGH * (uint64_t)s->worker_count : ENOUGH / 8,
                                 .most_span = MAX_SPAN};
    return s->adapt ? mg_policy_sssp_span(s->span, &(mg_sssp_work){.work = work}, &costs) : 1;
}

/* So many sets of bins from now on; what waits in others goes into the first. */
static void keep_sets(mg_sssp_state *s, int sets) {
    const mg_sssp_sorting sorting = mg_sssp_sorting_of(s);
    for (int i = sets; i < s->sets; i++)
        if (!mg_sssp_bins_adopt(&s->workers[0]->bins, &sorting, &s->workers[i]->bins)) mg_sssp_no_memory(s);
    s->sets = sets;
}

/* Threads and sets of bins for the next step, after one with so much work. */
static void choose_threads(mg_sssp_state *s, uint64_t work) {
    bool enough = s->worker_count > 1 && !mg_policy_sssp_alone(work);
    s->small_steps = enough ? 0 : s->small_steps + 1;
    if (enough && s->sets == 1) keep_sets(s, s->worker_count);
    else if (mg_policy_sssp_gather(s->small_steps) && s->sets > 1) keep_sets(s, 1);
    s->threads = enough ? MG_MIN(s->worker_count, mg_threads(s->ctx, work, ENOUGH / 2)) : 1;
}

/* Whether all distances that were asked for are final: those in bins before the next one are, where arcs are followed
 * to their end. What was final once stays so. */
static bool goals_met(mg_sssp_state *s) {
    if (!s->goals || s->horizon_bin != MG_SSSP_NO_BIN) return false;
    while (s->goal_next < s->goal_count && s->hot->bin_of(s, s->goals[s->goal_next]) < s->next_bin) s->goal_next++;
    return s->goal_next == s->goal_count;
}

void mg_sssp_steps(mg_sssp_state *s) {
    mg_sssp_count(s);
    uint64_t before = s->arcs;
    /* A search begins with one vertex; after a loop over all vertices everybody has some. */
    s->sets = 1;
    for (int i = 1; i < s->worker_count; i++)
        if (mg_sssp_bins_first(&s->workers[i]->bins) != MG_SSSP_NO_BIN) s->sets = s->worker_count;
    s->threads = s->sets;
    s->small_steps = 0;
    for (s->next_bin = first_of_all(s); s->next_bin < s->limit && !mg_load(&s->stop); s->next_bin = first_of_all(s)) {
        uint64_t vertices = s->vertices, arcs = s->arcs;
        if (s->arcs - before >= s->arcs_stop) break;
        if (goals_met(s)) {
            s->next_bin = MG_SSSP_NO_BIN;
            break;
        }
        s->step_end = MG_MIN(s->next_bin + s->span, s->limit);
        run_step(s);
        mg_sssp_count(s);
        uint64_t work = mg_policy_sssp_work(s->vertices - vertices, s->arcs - arcs);
        s->span = next_span(s, work);
        choose_threads(s, work);
    }
    s->threads = s->worker_count;
}
