/* The steps of shortest paths, on all threads at once.
 *
 * In a step a thread works off its own chunks, then those of others, then pieces of long rows; what it finds for the
 * same step it offers in turn. When it finds nothing more to do it leaves a word (its next bin, what it has done) and
 * is idle; when all are, the step is over, for nobody is left who could offer anything, and all read the same words and
 * draw the same conclusions: which bins come next, or that it is time to stop. So there is one meeting for each step
 * and none within it.
 *
 * One thread begins alone, and the others join it when steps have enough work for them. Where they then wait for each
 * other more than they work, because steps are short or the machine is busy with other things, one goes on alone for a
 * while, each time twice as long. */
#include "algo/sssp/sssp.h"

#include <omp.h>
#include <sched.h>

#define ENOUGH      2048 /* arcs that a step should have for each thread, so that the meetings cost little */
#define MAX_SPAN    256
#define SPINS       2000  /* looks before a waiting thread lets others run */
#define MEETINGS    64    /* after so many it is asked whether they are worth it */
#define FIRST_PAUSE 0.002 /* seconds for which one goes on alone, the first time */
#define PATIENCE    4     /* seconds of waiting, all threads together, for one of work that they are worth */
#define VERTEX      4     /* a vertex costs as much as so many arcs */

void mg_sssp_wait(uint32_t *patience) {
    if (++*patience % SPINS == 0) sched_yield();
#if defined(__x86_64__)
    else __builtin_ia32_pause();
#endif
}

/* ---- finding work ----------------------------------------------------------------------------------------------- */

static bool has_work(mg_sssp_worker *w) { return mg_load(&w->chunks) || mg_load(&w->row_next) < mg_load(&w->row_end); }

static mg_sssp_chunk *take_chunk(mg_sssp_worker *from) {
    if (!mg_load(&from->chunks)) return NULL;
    mg_sssp_take_lock(&from->lock);
    mg_sssp_chunk *chunk = from->chunks;
    if (chunk) mg_store(&from->chunks, chunk->next);
    mg_sssp_drop_lock(&from->lock);
    return chunk;
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
    mg_sssp_chunk_done(w, chunk);
    return true;
}

/* One thing to do, one's own first; false if there is nothing. */
static bool do_something(mg_sssp_state *s, mg_sssp_worker *w, int self) {
    if (work_on(s, w, take_chunk(w)) || work_on(s, w, mg_sssp_take_list(&w->current))) return true;
    for (int i = 1; i < s->threads; i++) {
        mg_sssp_worker *other = s->workers[(self + i) % s->threads];
        if (work_on(s, w, take_chunk(other)) || push_piece(s, w, other)) return true;
    }
    return false;
}

/* ---- meeting ---------------------------------------------------------------------------------------------------- */

static bool work_in_sight(const mg_sssp_state *s) {
    for (int i = 0; i < s->threads; i++)
        if (has_work(s->workers[i])) return true;
    return false;
}

/* True when all are idle, or are to stop; false if there is something to do again. Whoever offers work is not idle, so
 * the number of idle threads is only lowered while it is below the number of threads. */
static bool all_idle(mg_sssp_state *s, uint64_t step) {
    uint32_t *idle = &s->idle[step % 3], threads = (uint32_t)s->threads, patience = 0;
    __atomic_fetch_add(idle, 1, __ATOMIC_ACQ_REL);
    for (;; mg_sssp_wait(&patience)) {
        uint32_t now = __atomic_load_n(idle, __ATOMIC_ACQUIRE);
        if (now == threads || mg_load(&s->stop)) return true;
        if (work_in_sight(s) &&
            __atomic_compare_exchange_n(idle, &now, now - 1, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            return false;
    }
}

static mg_sssp_word all_words(const mg_sssp_state *s, uint64_t step) {
    mg_sssp_word sum = {.next = MG_SSSP_NO_BIN};
    for (int i = 0; i < s->threads; i++) {
        const mg_sssp_word *word = &s->workers[i]->words[step % 2];
        sum.next = MG_MIN(sum.next, word->next);
        sum.vertices += word->vertices;
        sum.arcs += word->arcs;
        sum.worked += word->worked;
        sum.waited += word->waited;
    }
    return sum;
}

/* A step with little in it was too narrow, one with much too wide. */
static uint64_t next_span(const mg_sssp_state *s, uint64_t span, uint64_t work) {
    uint64_t enough = s->worker_count > 1 ? (uint64_t)ENOUGH * (uint64_t)s->worker_count : ENOUGH / 8;
    if (!s->adapt) return 1;
    if (work < enough) return MG_MIN(2 * span, MAX_SPAN);
    return work > 4 * enough ? MG_MAX(span / 2, 1u) : span;
}

/* Where the time of a thread goes. */
typedef struct time_spent {
    double now, worked, waited;
} time_spent;

static void pass_time(const mg_sssp_state *s, time_spent *c, double *account) {
    if (s->threads == 1) return;
    double now = mg_now();
    *account += now - c->now;
    c->now = now;
}

/* Work until all are idle. */
static void run_step(mg_sssp_state *s, mg_sssp_worker *w, int self, uint64_t step, time_spent *c) {
    uint64_t before = w->vertices;
    mg_store(&s->idle[(step + 1) % 3], 0); /* nobody looks there any more, nor yet */
    for (bool over = false; !over;) {
        while (!mg_load(&s->stop) && do_something(s, w, self))
            if (mg_progress(s->ctx, "sssp", 0, 0)) mg_store(&s->stop, 1);
        pass_time(s, c, &c->worked);
        w->words[step % 2] = (mg_sssp_word){.next = mg_sssp_first_bin(w),
                                            .vertices = w->vertices - before,
                                            .arcs = w->arcs - w->arcs_before,
                                            .worked = c->worked,
                                            .waited = c->waited};
        over = all_idle(s, step);
        pass_time(s, c, &c->waited);
    }
}

/* Is it time for others to join, or for one to go on alone? Asked of the same words, all threads answer the same. */
static bool should_change(const mg_sssp_state *s, const mg_sssp_word *now, const mg_sssp_word *asked, uint64_t step,
                          uint64_t work) {
    if (s->threads == 1) return s->worker_count > 1 && work >= (uint64_t)ENOUGH && mg_now() >= s->alone_until;
    return step % MEETINGS == MEETINGS - 1 && now->waited - asked->waited > PATIENCE * (now->worked - asked->worked);
}

/* A thread through the steps, from `bin` on. */
static void run_steps(mg_sssp_state *s, int self, uint64_t bin) {
    mg_sssp_worker *w = s->workers[self];
    uint64_t span = s->span;
    mg_sssp_word last = {0}, asked = {0};
    time_spent time = {.now = mg_now()};
    bool change = false;
    w->arcs_before = w->arcs;
    for (uint64_t step = 0; bin < s->limit && !change; step++) {
        mg_sssp_begin_step(s, w, bin, MG_MIN(bin + span, s->limit));
        run_step(s, w, self, step, &time);
        if (mg_load(&s->stop)) break;
        mg_sssp_word word = all_words(s, step);
        uint64_t work = word.arcs - last.arcs + VERTEX * word.vertices;
        bin = word.next;
        span = next_span(s, span, work);
        if (s->arcs_seen + word.arcs >= s->arcs_stop) break;
        change = should_change(s, &word, &asked, step, work);
        if (step % MEETINGS == MEETINGS - 1) asked = word;
        last = word;
    }
    if (self > 0) return;
    s->next_bin = bin;
    s->span = span;
    s->change = change && bin < s->limit;
}

/* ---- the door --------------------------------------------------------------------------------------------------- */

/* So many workers become the first; what waits in the bins of the others goes to it. */
static void gather(mg_sssp_state *s, int from, int to) {
    for (int i = to; i < from; i++) mg_sssp_adopt(s, s->workers[0], s->workers[i]);
    s->threads = to;
}

static uint64_t first_of_all(const mg_sssp_state *s) {
    uint64_t first = MG_SSSP_NO_BIN;
    for (int i = 0; i < s->threads; i++) first = MG_MIN(first, mg_sssp_first_bin(s->workers[i]));
    return first;
}

static void step_together(mg_sssp_state *s, int wanted) {
    uint64_t first = 0;
#pragma omp parallel num_threads(mg_team(wanted))
    {
#pragma omp single
        {
            gather(s, wanted, omp_get_num_threads()); /* there may be fewer than asked for */
            first = first_of_all(s);
        }
        run_steps(s, omp_get_thread_num(), first);
    }
}

void mg_sssp_steps(mg_sssp_state *s) {
    int wanted = s->threads;
    double pause = FIRST_PAUSE;
    bool together = false;
    uint64_t before = s->arcs;
    s->alone_until = 0;
    s->arcs_seen = 0;
    do {
        memset(s->idle, 0, sizeof s->idle);
        if (together) {
            step_together(s, wanted);
            s->alone_until = mg_now() + pause;
            pause *= 2;
        } else {
            gather(s, wanted, 1);
            run_steps(s, 0, first_of_all(s));
        }
        s->threads = wanted;
        mg_sssp_count(s);
        s->arcs_seen = s->arcs - before;
        together = !together;
    } while (s->change && !s->stop);
}
