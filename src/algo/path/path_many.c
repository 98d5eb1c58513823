/* Many questions: every thread answers one of its own, and takers see paths and answers in the order of the questions,
 * on the thread that called.
 *
 * That thread (`caller`) hands over what the question whose turn it is has, and moves the turn: after each question of
 * its own, where it waits, and, if there is something to hand over (`drain`), wherever it may report progress. Its own
 * question hands its paths over as they are found when it is its turn; all others keep theirs, up to KEPT_WORDS each
 * and AHEAD questions; beyond that they sleep until it is their turn, and have them handed over (`partial`). Invariant:
 * only the caller talks to the takers and moves the turn.
 *
 * Questions may take a few µs, so nothing is locked as long as nothing sleeps. A thread that ends a question says so
 * and then looks whose turn it is; the caller moves the turn and then looks whether that question has ended: one of the
 * two sees it. */
#include "algo/path/path.h"

#include <inttypes.h>
#include <time.h>

#define AHEAD      1024
#define KEPT_WORDS ((uint64_t)1 << 17) /* of 8 bytes */
#define HEAD_WORDS 2                   /* hops, cost; then costs, edges, vertices */

#define LINE 64 /* bytes that processors hand to each other */

/* A question that has ended before its turn, or has found paths. What threads write all the time lies in lines apart.
 */
typedef struct kept {
    _Alignas(LINE) uint64_t *words;
    uint64_t count, room;
    meguri_path_answer answer;
    uint64_t given; /* paths that were handed over */
    bool stopped;   /* the taker had enough of them */
    uint64_t ended; /* atomic: 0, or the number of the question and one */
} kept;

typedef struct queue {
    meguri_ctx *ctx;
    meguri_path_query *queries; /* checked, all of this version */
    uint64_t count;
    meguri_path_search *search; /* of the first thread */
    int threads;
    meguri_path_many_path path;
    meguri_path_many_take take;
    void *user;
    kept *ring;                   /* question i is at i % AHEAD */
    _Alignas(LINE) uint64_t next; /* atomic: the question to be taken */
    _Alignas(LINE) uint64_t turn; /* atomic */
    meguri_status status;         /* atomic */
    pthread_mutex_t lock;         /* for those who sleep until the turn has moved */
    pthread_cond_t moved;
    uint32_t sleepers; /* atomic */
    uint64_t partial;  /* atomic: 0, or the number of the question and one whose paths are to be handed over */
    mg_drain drain;
    mg_drain *drain_before;
} queue;

/* Turns and ends have to be seen in one order by all. */
static uint64_t whose_turn(const queue *q) { return __atomic_load_n(&q->turn, __ATOMIC_SEQ_CST); }
/* One thread. */
typedef struct worker {
    queue *queue;
    bool calls;     /* it is the one that called */
    uint64_t index; /* of its question */
    mg_path_question question;
    meguri_status status; /* of keeping paths */
    bool done;
} worker;

/* ---- keeping ---------------------------------------------------------------------------------------------------- */

static uint64_t words_of(uint64_t hops) { return HEAD_WORDS + (hops + 1) + hops + (hops + 1); }

static meguri_status keep(meguri_ctx *ctx, kept *k, const meguri_path *path) {
    uint64_t need = k->count + words_of(path->hops);
    if (need > k->room) {
        uint64_t *words = mg_resize(ctx, k->words, 2 * need * sizeof *words, "paths that wait for their turn");
        if (!words) return MEGURI_NO_MEMORY;
        k->words = words;
        k->room = 2 * need;
    }
    uint64_t *at = k->words + k->count, hops = path->hops;
    at[0] = hops;
    memcpy(at + 1, &path->cost, sizeof path->cost);
    memcpy(at + HEAD_WORDS, path->costs, (hops + 1) * sizeof *path->costs);
    if (hops) memcpy(at + HEAD_WORDS + hops + 1, path->edges, hops * sizeof *path->edges);
    memcpy(at + HEAD_WORDS + 2 * hops + 1, path->vertices, (hops + 1) * sizeof *path->vertices);
    k->count = need;
    return MEGURI_OK;
}

static int give_path(const queue *q, uint64_t index, const meguri_path *path) {
    MG_OUTSIDE(outside, q->ctx);
    int stop = q->path(q->user, index, path);
    mg_inside(&outside, MEGURI_OK);
    return stop;
}

/* Hands kept paths over; k->given says how many were taken. */
static void hand_over_paths(const queue *q, uint64_t index, kept *k) {
    for (uint64_t at = 0; at < k->count && !k->stopped && q->path;) {
        const uint64_t *w = k->words + at;
        meguri_path path = {.size = sizeof path, .index = k->given++, .hops = w[0]};
        memcpy(&path.cost, w + 1, sizeof path.cost);
        path.costs = (const double *)(const void *)(w + HEAD_WORDS);
        path.edges = w + HEAD_WORDS + w[0] + 1;
        path.vertices = w + HEAD_WORDS + 2 * w[0] + 1;
        k->stopped = give_path(q, index, &path) != 0;
        at += words_of(w[0]);
    }
    k->count = 0;
}

/* ---- turns ------------------------------------------------------------------------------------------------------ */

/* The first failure counts. */
static void fail(queue *q, meguri_status status) { mg_compare_swap(&q->status, MEGURI_OK, status); }

/* The end of a question at its turn. */
static void hand_over_end(queue *q, uint64_t index, kept *k) {
    if (mg_load(&q->status) != MEGURI_OK) return;
    hand_over_paths(q, index, k);
    if (k->stopped) {
        k->answer.paths = k->given;
        k->answer.end = MEGURI_PATH_STOPPED;
    }
    MG_OUTSIDE(outside, q->ctx);
    meguri_status status = q->take(q->user, index, &k->answer);
    mg_inside(&outside, status);
    if (status == MEGURI_OK) return;
    mg_fail(q->ctx, status, "the answer to question number %" PRIu64 " was not taken.", index + 1);
    fail(q, status);
}

/* To threads that sleep. */
static void wake(queue *q) {
    if (!__atomic_load_n(&q->sleepers, __ATOMIC_SEQ_CST)) return;
    pthread_mutex_lock(&q->lock);
    pthread_cond_broadcast(&q->moved);
    pthread_mutex_unlock(&q->lock);
}

/* On the thread that called: whatever can be handed over is. */
static void hand_over_ready(queue *q) {
    atomic_store(&q->drain.now, 0);
    for (;;) {
        const uint64_t index = whose_turn(q);
        kept *k = &q->ring[index % AHEAD];
        if (__atomic_load_n(&q->partial, __ATOMIC_SEQ_CST) == index + 1) {
            mg_sync_acquire(k);
            if (mg_load(&q->status) == MEGURI_OK) hand_over_paths(q, index, k);
            __atomic_store_n(&q->partial, 0, __ATOMIC_SEQ_CST);
        }
        if (__atomic_load_n(&k->ended, __ATOMIC_SEQ_CST) != index + 1) break;
        mg_sync_acquire(k);
        hand_over_end(q, index, k);
        k->count = k->given = 0;
        k->stopped = false;
        mg_sync_release(&q->turn);
        __atomic_store_n(&k->ended, 0, __ATOMIC_SEQ_CST);
        __atomic_store_n(&q->turn, index + 1, __ATOMIC_SEQ_CST);
    }
    wake(q);
}

static void drain(mg_drain *of) { hand_over_ready((queue *)(void *)((char *)of - offsetof(queue, drain))); }

/* There is something for the thread that called. */
static void call_for(queue *q) {
    atomic_store(&q->drain.now, 1);
    wake(q);
}

/* Sleeps until something moves, or 10 ms, if `word` still has this value; NULL: if there is nothing to hand over. */
static void sleep_a_while(queue *q, const uint64_t *word, uint64_t value) {
    pthread_mutex_lock(&q->lock);
    __atomic_fetch_add(&q->sleepers, 1, __ATOMIC_SEQ_CST);
    if (word ? __atomic_load_n(word, __ATOMIC_SEQ_CST) == value : !atomic_load(&q->drain.now)) {
        struct timespec until;
        timespec_get(&until, TIME_UTC);
        until.tv_nsec += 10000000;
        if (until.tv_nsec >= 1000000000) until.tv_nsec -= 1000000000, until.tv_sec++;
        pthread_cond_timedwait(&q->moved, &q->lock, &until);
    }
    __atomic_fetch_sub(&q->sleepers, 1, __ATOMIC_SEQ_CST);
    pthread_mutex_unlock(&q->lock);
}

/* Until the turn is within `ahead` of a question, or all is over. The thread that called hands over meanwhile. */
static void wait_for(queue *q, const worker *w, uint64_t index, uint64_t ahead) {
    for (;;) {
        uint64_t turn = whose_turn(q);
        if (index <= turn + ahead || mg_load(&q->status) != MEGURI_OK) return;
        sleep_a_while(q, w->calls ? NULL : &q->turn, turn);
        if (w->calls) hand_over_ready(q);
        if (mg_progress(q->ctx, "path", whose_turn(q), q->count)) fail(q, mg_fail_cancelled(q->ctx));
    }
}

/* A question has ended. */
static void end_question(queue *q, const worker *w) {
    mg_sync_release(&q->ring[w->index % AHEAD]);
    __atomic_store_n(&q->ring[w->index % AHEAD].ended, w->index + 1, __ATOMIC_SEQ_CST);
    if (w->calls) hand_over_ready(q);
    else if (whose_turn(q) == w->index) call_for(q); /* else the caller will see it */
}

/* ---- a thread --------------------------------------------------------------------------------------------------- */

/* At its turn a thread has what it keeps handed over; the caller does it itself. */
static bool hand_over_part(queue *q, const worker *w, kept *k) {
    if (w->calls) {
        hand_over_paths(q, w->index, k);
        return !k->stopped;
    }
    mg_sync_release(k);
    __atomic_store_n(&q->partial, w->index + 1, __ATOMIC_SEQ_CST);
    call_for(q);
    while (__atomic_load_n(&q->partial, __ATOMIC_SEQ_CST)) {
        if (mg_load(&q->status) != MEGURI_OK) return false;
        sleep_a_while(q, &q->partial, w->index + 1);
    }
    return !k->stopped;
}

static int take_path(void *user, const meguri_path *path) {
    worker *w = user;
    queue *q = w->queue;
    kept *k = &q->ring[w->index % AHEAD];
    if (!q->path) return 0;
    bool full = k->count >= KEPT_WORDS;
    if (full) {
        double since = mg_now();
        wait_for(q, w, w->index, 0);
        bool goes_on = mg_load(&q->status) == MEGURI_OK && hand_over_part(q, w, k);
        w->question.deadline += mg_now() - since;
        if (!goes_on) return 1;
    }
    if (w->calls && whose_turn(q) == w->index) {
        if (k->count) hand_over_paths(q, w->index, k);
        if (!k->stopped) {
            k->given++;
            k->stopped = give_path(q, w->index, path) != 0;
        }
        return k->stopped;
    }
    w->status = keep(q->ctx, k, path);
    return w->status != MEGURI_OK;
}

/* The thread that called leaves by an exception: nothing is handed over any more. */
static void left(worker *w) {
    if (!w->calls || w->done) return;
    fail(w->queue, MEGURI_ENGINE_FAILED);
    wake(w->queue);
}

static void work(void *what, mg_worker *self) {
    queue *q = what;
    meguri_path_search *search = self->number ? q->search->others[self->number - 1] : q->search;
    worker w __attribute__((cleanup(left))) = {.queue = q, .calls = self->number == 0, .status = MEGURI_OK};
    if (w.calls && !mg_is_worker()) q->drain_before = mg_set_drain(q->ctx, &q->drain);
    while ((w.index = mg_fetch_add(&q->next, 1)) < q->count) {
        wait_for(q, &w, w.index, AHEAD - 1);
        mg_sync_acquire(&q->turn); /* its place in the ring is free */
        meguri_status status = mg_load(&q->status);
        if (status != MEGURI_OK) break;
        kept *k = &q->ring[w.index % AHEAD];
        w.question = (mg_path_question){.ctx = q->ctx,
                                        .finder = search->finder,
                                        .search = search,
                                        .query = &q->queries[w.index],
                                        .answer = &k->answer,
                                        .take = take_path,
                                        .user = &w,
                                        .halt = &q->status};
        status = mg_path_answer_one(&w.question);
        if (status == MEGURI_OK) status = w.status;
        if (status != MEGURI_OK) fail(q, status);
        end_question(q, &w);
    }
    if (w.calls) wait_for(q, &w, q->count, 0); /* and hands over what the others find */
    if (w.calls && !mg_is_worker()) mg_set_drain(q->ctx, q->drain_before);
    w.done = true;
}

/* ---- all of them ------------------------------------------------------------------------------------------------ */

/* Threads for which there is memory, beside the one that is always tried. */
static int threads_that_fit(meguri_ctx *ctx, const meguri_path_finder *finder, uint64_t count) {
    const meguri_graph *graph = finder->graph;
    if (finder->on_device) return 1;
    int threads = mg_lasting_threads(ctx, count, 1);
    uint64_t fit = 1 + mg_memory_left(ctx) / (64 * graph->vertices + ((uint64_t)1 << 20));
    return fit < (uint64_t)threads ? (int)fit : threads;
}

/* All are checked before the first is answered; the first search learns from them, and the others know it, too. */
static meguri_status prepare(queue *q, const meguri_path_query *queries) {
    meguri_path_search *first = q->search;
    meguri_status status = MEGURI_OK;
    for (uint64_t i = 0; i < q->count && status == MEGURI_OK; i++) {
        /* Questions of an older program are shorter, and lie closer together. */
        const char *at = (const char *)queries + i * queries->size;
        status = mg_path_check_query(&q->queries[i], q->ctx, first->finder, (const void *)at);
    }
    if (status == MEGURI_OK) status = mg_path_share(q->queries, q->ctx, first, q->count);
    for (uint64_t i = 0; i < q->count && status == MEGURI_OK; i++)
        status = mg_path_ready(q->ctx, first, &q->queries[i]);
    for (int i = 0; i < first->other_count; i++) first->others[i]->known = first->known;
    return status;
}

/* A search for each thread but the first. */
static meguri_status make_others(meguri_ctx *ctx, meguri_path_search *s, int count) {
    if (count <= s->other_count) return MEGURI_OK;
    meguri_path_search **others = mg_resize(ctx, s->others, (size_t)count * sizeof *others, "path searches");
    if (!others) return MEGURI_NO_MEMORY;
    s->others = others;
    for (; s->other_count < count; s->other_count++) {
        others[s->other_count] = mg_path_search_new(ctx, s->finder);
        if (!others[s->other_count]) return MEGURI_NO_MEMORY;
    }
    return MEGURI_OK;
}

static meguri_status run(queue *q) {
    if (mg_progress(q->ctx, "path", 0, q->count)) return mg_fail_cancelled(q->ctx);
    mg_run_together(q->ctx, q->threads, work, q);
    return q->status;
}

meguri_status meguri_path_many(meguri_ctx *ctx, meguri_path_search *search, const meguri_path_query *queries,
                               uint64_t count, meguri_path_many_path path, meguri_path_many_take take, void *user) {
    if (!ctx) return MEGURI_BAD_ARGUMENT;
    mg_begin(ctx);
    if (!search || (!queries && count) || !take)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                       "meguri_path_many needs a search, questions, and someone to take answers.");
    meguri_status status = mg_check_count(ctx, count, sizeof *queries, "questions");
    if (status != MEGURI_OK || !count) return status;
    double since = mg_now();
    queue q = {.ctx = ctx,
               .count = count,
               .search = search,
               .threads = threads_that_fit(ctx, search->finder, count),
               .path = path,
               .take = take,
               .user = user,
               .lock = PTHREAD_MUTEX_INITIALIZER,
               .moved = PTHREAD_COND_INITIALIZER,
               .drain = {.drain = drain}};
    q.queries = mg_alloc_array(ctx, count, sizeof *q.queries, "questions");
    q.ring = q.queries ? mg_alloc_array_zero(ctx, AHEAD, sizeof *q.ring, "answers that wait for their turn") : NULL;
    status = q.ring ? mg_claim_for(ctx, &search->claim, "path search") : MEGURI_NO_MEMORY;
    bool claimed = status == MEGURI_OK;
    if (status == MEGURI_OK) status = make_others(ctx, search, q.threads - 1);
    if (status == MEGURI_OK) status = prepare(&q, queries);
    if (status == MEGURI_OK) status = run(&q);
    if (claimed) mg_claim_end(&search->claim);
    for (uint64_t i = 0; i < AHEAD && q.ring; i++) mg_free(q.ring[i].words);
    mg_free(q.ring);
    mg_free(q.queries);
    mg_trace_phase(ctx, "path", "many", -1, -1, since);
    return status;
}
