/* Many questions: every thread answers one of its own, and takers see paths and answers in the order of the questions.
 *
 * The question whose turn it is hands its paths over as they are found. Those that are ahead of their turn keep theirs,
 * up to KEPT_WORDS each and AHEAD questions, and go on; beyond that they sleep until it is their turn. Whoever ends the
 * question whose turn it is hands over those after it that have ended. Invariant: only the thread that answers question
 * `turn`, or the one that claimed it after it had ended, talks to the taker; so it is one at a time.
 *
 * Questions may take a few µs, so nothing is locked as long as nobody sleeps. Who ends a question says so and then
 * looks whose turn it is; who moves the turn says so and then looks whether that question has ended. One of the two
 * sees it, and if both do, one of them claims it. */
#include "algo/path/path.h"

#include <inttypes.h>
#include <time.h>

#define AHEAD      1024
#define KEPT_WORDS ((uint64_t)1 << 17) /* of 8 bytes */
#define HEAD_WORDS 2                   /* hops, cost; then costs, edges, vertices */

#define LINE    64 /* bytes that processors hand to each other */
#define CLAIMED UINT64_MAX

/* A question that has ended before its turn, or has found paths. What threads write all the time lies in lines apart.
 */
typedef struct kept {
    _Alignas(LINE) uint64_t *words;
    uint64_t count, room;
    meguri_path_answer answer;
    uint64_t ended; /* atomic: 0, or the number of the question and one; CLAIMED: it is being handed over */
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
} queue;

/* Turns and ends have to be seen in one order by all. */
static uint64_t whose_turn(const queue *q) { return __atomic_load_n(&q->turn, __ATOMIC_SEQ_CST); }
/* Claims a question if it has ended; false where it has not, or somebody else was first. */
static bool claim(kept *k, uint64_t index) {
    uint64_t ended = index + 1;
    return __atomic_compare_exchange_n(&k->ended, &ended, CLAIMED, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

/* One thread. */
typedef struct worker {
    queue *queue;
    uint64_t index; /* of its question */
    mg_path_question question;
    meguri_status status; /* of keeping paths */
} worker;

/* ---- keeping ---------------------------------------------------------------------------------------------------- */

static uint64_t words_of(uint64_t hops) { return HEAD_WORDS + (hops + 1) + hops + (hops + 2) / 2; }

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

/* Hands kept paths over; false where the taker wants no more, and *given says how many it took. */
static bool hand_over_paths(const queue *q, uint64_t index, kept *k, uint64_t *given) {
    int stop = 0;
    *given = 0;
    for (uint64_t at = 0; at < k->count && !stop && q->path;) {
        const uint64_t *w = k->words + at;
        meguri_path path = {.size = sizeof path, .index = (*given)++, .hops = w[0]};
        memcpy(&path.cost, w + 1, sizeof path.cost);
        path.costs = (const double *)(const void *)(w + HEAD_WORDS);
        path.edges = w + HEAD_WORDS + w[0] + 1;
        path.vertices = (const uint32_t *)(const void *)(w + HEAD_WORDS + 2 * w[0] + 1);
        stop = q->path(q->user, index, &path);
        at += words_of(w[0]);
    }
    k->count = 0;
    return !stop;
}

/* ---- turns ------------------------------------------------------------------------------------------------------ */

/* The first failure counts. */
static void fail(queue *q, meguri_status status) { mg_compare_swap(&q->status, MEGURI_OK, status); }

/* Sleeps until the turn is within `ahead` of a question, or all is over. */
static void wait_for(queue *q, uint64_t index, uint64_t ahead) {
    if (index <= whose_turn(q) + ahead || mg_load(&q->status) != MEGURI_OK) return;
    pthread_mutex_lock(&q->lock);
    __atomic_fetch_add(&q->sleepers, 1, __ATOMIC_SEQ_CST);
    while (index > whose_turn(q) + ahead && mg_load(&q->status) == MEGURI_OK) {
        struct timespec until;
        timespec_get(&until, TIME_UTC);
        until.tv_nsec += 10000000;
        if (until.tv_nsec >= 1000000000) until.tv_nsec -= 1000000000, until.tv_sec++;
        pthread_cond_timedwait(&q->moved, &q->lock, &until);
        if (mg_progress(q->ctx, "path", whose_turn(q), q->count)) fail(q, mg_fail_cancelled(q->ctx));
    }
    __atomic_fetch_sub(&q->sleepers, 1, __ATOMIC_SEQ_CST);
    pthread_mutex_unlock(&q->lock);
}

static void wake(queue *q) {
    if (!__atomic_load_n(&q->sleepers, __ATOMIC_SEQ_CST)) return;
    pthread_mutex_lock(&q->lock);
    pthread_cond_broadcast(&q->moved);
    pthread_mutex_unlock(&q->lock);
}

/* The end of a question at its turn. */
static void hand_over_end(queue *q, uint64_t index, kept *k) {
    uint64_t given;
    if (mg_load(&q->status) != MEGURI_OK) return;
    if (!hand_over_paths(q, index, k, &given)) {
        k->answer.paths = given;
        k->answer.end = MEGURI_PATH_STOPPED;
    }
    meguri_status status = q->take(q->user, index, &k->answer);
    if (status == MEGURI_OK) return;
    mg_fail(q->ctx, status, "the answer to question number %" PRIu64 " was not taken.", index + 1);
    fail(q, status);
}

/* A question has ended. If it is its turn, it is handed over, and those after it that have ended. */
static void end_question(queue *q, uint64_t index) {
    bool moved = false;
    __atomic_store_n(&q->ring[index % AHEAD].ended, index + 1, __ATOMIC_SEQ_CST);
    if (whose_turn(q) != index) return; /* who moves the turn will see it */
    for (kept *k; claim(k = &q->ring[index % AHEAD], index); index++, moved = true) {
        hand_over_end(q, index, k);
        k->count = 0;
        __atomic_store_n(&k->ended, 0, __ATOMIC_SEQ_CST);
        __atomic_store_n(&q->turn, index + 1, __ATOMIC_SEQ_CST); /* what the taker wrote is seen by the next */
    }
    if (moved) wake(q);
}

/* ---- a thread --------------------------------------------------------------------------------------------------- */

static int take_path(void *user, const meguri_path *path) {
    worker *w = user;
    queue *q = w->queue;
    kept *k = &q->ring[w->index % AHEAD];
    if (!q->path) return 0;
    if (k->count >= KEPT_WORDS) {
        double since = mg_now();
        wait_for(q, w->index, 0);
        w->question.deadline += mg_now() - since;
        if (mg_load(&q->status) != MEGURI_OK) return 1;
    }
    if (whose_turn(q) != w->index) {
        w->status = keep(q->ctx, k, path);
        return w->status != MEGURI_OK;
    }
    uint64_t given;
    if (k->count && !hand_over_paths(q, w->index, k, &given)) {
        w->question.answer->paths = given;
        return 1;
    }
    return q->path(q->user, w->index, path);
}

static void work(void *what, mg_worker *self) {
    queue *q = what;
    meguri_path_search *search = self->number ? q->search->others[self->number - 1] : q->search;
    worker w = {.queue = q, .status = MEGURI_OK};
    while ((w.index = mg_fetch_add(&q->next, 1)) < q->count) {
        wait_for(q, w.index, AHEAD - 1);
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
        end_question(q, w.index);
    }
    /* The thread that entered the library goes on looking for a cancel while others work. */
    if (self->number == 0) wait_for(q, q->count, 0);
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
               .moved = PTHREAD_COND_INITIALIZER};
    q.queries = mg_alloc_array(ctx, count, sizeof *q.queries, "questions");
    q.ring = q.queries ? mg_alloc_array_zero(ctx, AHEAD, sizeof *q.ring, "answers that wait for their turn") : NULL;
    status = q.ring ? make_others(ctx, search, q.threads - 1) : MEGURI_NO_MEMORY;
    if (status == MEGURI_OK) status = prepare(&q, queries);
    if (status == MEGURI_OK) status = run(&q);
    for (uint64_t i = 0; i < AHEAD && q.ring; i++) mg_free(q.ring[i].words);
    mg_free(q.ring);
    mg_free(q.queries);
    mg_trace_phase(ctx, "path", "many", -1, -1, since);
    return status;
}
