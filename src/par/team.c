/* The team of a context: see team.h for what it promises.
 *
 * One word, `state`, says all that threads must agree on: whether a loop is open, which one, how many may enter, how
 * many have entered and how many are inside. A thread enters by changing that word from open to open, so it cannot
 * enter a loop that has been closed, however long it slept between reading and writing; the caller, having closed it,
 * waits until nobody is inside. Invariant: `loop` is read only by threads that are inside.
 *
 * Waiting threads spin for a moment, because loops follow each other closely, then sleep on a condition. */
#define _GNU_SOURCE
#include "par/par.h"
#include "policy/policy.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* A thread without work looks for so long before it sleeps: waking one takes some 50 µs. */
#define SPIN_SECONDS 100e-6

#define JOIN_SPINS  1600 /* looks before the caller sleeps, some 70 µs: chunks are mostly shorter than that */
#define LOOKS       32   /* between two readings of the clock */
#define REPORT      20   /* milliseconds between reports of progress while the caller waits */
#define LOOK_EVERY  4e-3 /* seconds between two looks at what else wants to run, during a rest */
#define LONGEST     1.0  /* seconds of a rest, however crowded the machine is */
#define LONG_LOOP   2e-3 /* seconds of a loop after which the caller looks whether it lost its processor itself */
#define TURN        3e-3 /* seconds that the scheduler gives a processor to somebody else, at least */
#define STACK_BYTES (1 << 20)
#define CHUNKS_EACH 8 /* chunks for each thread where the loop does not say */

/* The fields of `state`. */
#define INSIDE        ((uint64_t)0xffff)  /* threads inside, but for the caller */
#define ENTERED_ONE   ((uint64_t)1 << 16) /* threads that have entered, the caller included */
#define LIMIT_ONE     ((uint64_t)1 << 32) /* threads that may enter */
#define LOOP_ONE      ((uint64_t)1 << 48) /* the number of the loop, modulo 2^14 */
#define LOOP_MASK     ((uint64_t)0x3fff << 48)
#define AWAITED       ((uint64_t)1 << 62) /* the caller sleeps until the last one has left */
#define OPEN          ((uint64_t)1 << 63)
#define ENTERED(word) ((uint32_t)((word) >> 16 & 0xffff))
#define LIMIT(word)   ((uint32_t)((word) >> 32 & 0xffff))

struct mg_team {
    meguri_ctx *ctx;
    unsigned char *same_process; /* a page that a forked child finds empty; NULL: the system has none like that */
    pthread_t *threads;
    _Atomic uint32_t size;     /* threads that were made */
    bool spin;                 /* there is a processor for each */
    int load;                  /* /proc/loadavg; -1: there is none */
    uint32_t processors;       /* of the machine */
    _Atomic double rest_until; /* the machine is busy: until then the caller works alone */
    _Atomic double rest_limit; /* until then at most, where others still want to run when it is over; 0: no rest */
    pthread_t caller; /* the thread that ended the last long loop, and how often it had lost its processor by then */
    long caller_preempted;
    _Atomic double rest, rested; /* how long the last rest was, and when it was over (or found unnecessary) */
    _Atomic bool busy;           /* a loop is open: a loop within it runs on one thread */
    _Atomic bool preempted;      /* a thread that was waited for had lost its processor */
    _Atomic bool quit;
    pthread_mutex_t lock; /* for sleeping */
    pthread_cond_t opened, left;
    _Atomic uint32_t sleepers;
    _Alignas(64) _Atomic uint64_t state;
    mg_loop *loop; /* in one line with `state`: who has entered has it */
};

static inline void relax(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

/* ---- the other threads ------------------------------------------------------------------------------------------ */

/* How often the calling thread had to leave its processor to somebody else. */
static long preemptions(void) {
    struct rusage usage;
    return getrusage(RUSAGE_THREAD, &usage) == 0 ? usage.ru_nivcsw : 0;
}

static bool may_enter(uint64_t state, uint64_t last) {
    return state & OPEN && (state & LOOP_MASK) != last && ENTERED(state) < LIMIT(state);
}

/* Enters the loop that is open, unless it is the last one again. On success `state` is what it was before. */
static bool enter(mg_team *team, uint64_t *state, uint64_t last) {
    while (may_enter(*state, last))
        if (atomic_compare_exchange_weak_explicit(&team->state, state, *state + ENTERED_ONE + 1, memory_order_acquire,
                                                  memory_order_acquire)) {
            mg_sync_acquire(&team->state);
            return true;
        }
    return false;
}

static void leave(mg_team *team, long *preempted) {
    if (atomic_load_explicit(&team->state, memory_order_relaxed) & AWAITED) {
        long now = preemptions();
        if (now > *preempted) atomic_store(&team->preempted, true);
        *preempted = now;
    }
    mg_sync_release(&team->state);
    uint64_t before = atomic_fetch_sub_explicit(&team->state, 1, memory_order_acq_rel);
    if ((before & INSIDE) > 1 || !(before & AWAITED)) return;
    pthread_mutex_lock(&team->lock);
    pthread_cond_signal(&team->left);
    pthread_mutex_unlock(&team->lock);
}

/* Waits until there is a loop to enter, spinning first; false: the team ends. */
static bool wait_for_loop(mg_team *team, uint64_t *state, uint64_t last) {
    double until = team->spin ? mg_now() + SPIN_SECONDS : 0;
    for (uint32_t looks = 1; team->spin; looks++) {
        *state = atomic_load_explicit(&team->state, memory_order_relaxed);
        if (enter(team, state, last)) return true;
        relax();
        if (looks % LOOKS == 0 && mg_now() > until) break;
    }
    bool entered = false;
    pthread_mutex_lock(&team->lock);
    atomic_fetch_add(&team->sleepers, 1);
    for (;;) {
        *state = atomic_load(&team->state);
        entered = enter(team, state, last);
        if (entered || atomic_load(&team->quit)) break;
        pthread_cond_wait(&team->opened, &team->lock);
    }
    atomic_fetch_sub(&team->sleepers, 1);
    pthread_mutex_unlock(&team->lock);
    return entered;
}

static void *live(void *argument) {
    mg_team *team = argument;
    long preempted = preemptions();
    uint64_t state = 0, last = UINT64_MAX;
    while (wait_for_loop(team, &state, last)) {
        last = state & LOOP_MASK;
        mg_worker worker = {team->loop, ENTERED(state)};
        mg_act_for(worker.loop->caller);
        worker.loop->work(worker.loop->what, &worker);
        mg_act_for(0);
        leave(team, &preempted);
    }
    return NULL;
}

/* ---- the beginning and the end of a team ------------------------------------------------------------------------ */

static uint32_t usable_processors(void) {
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? (uint32_t)CPU_COUNT(&set) : UINT32_MAX;
}

static void begin_waiting(mg_team *team) {
    pthread_mutex_init(&team->lock, NULL);
    pthread_cond_init(&team->opened, NULL);
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&team->left, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

/* Ends all threads and forgets them. */
static void dismiss(mg_team *team) {
    pthread_mutex_lock(&team->lock);
    atomic_store(&team->quit, true);
    pthread_cond_broadcast(&team->opened);
    pthread_mutex_unlock(&team->lock);
    for (uint32_t i = 0; i < team->size; i++) pthread_join(team->threads[i], NULL);
    team->size = 0;
}

/* What the page says in the process that made it: the team is there. In a forked child it is empty until one of its
 * threads has begun to make the team anew. */
enum { FORKED = 0, STARTING = 1, HERE = 2 };

static bool is_forked(const mg_team *team) {
    return team->same_process && __atomic_load_n(team->same_process, __ATOMIC_ACQUIRE) != HERE;
}

static void team_free(mg_team *team) {
    if (!is_forked(team)) dismiss(team); /* a child has none of its parent's threads, and its locks may be held */
    if (team->load >= 0) close(team->load);
    if (team->same_process) munmap(team->same_process, 1);
    free(team->threads);
    free(team);
}

static void mark_process(mg_team *team) {
    void *page = mmap(NULL, 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) return;
    if (madvise(page, 1, MADV_WIPEONFORK) != 0) {
        munmap(page, 1);
        return;
    }
    team->same_process = page;
    *team->same_process = HERE;
}

/* NULL if there is no memory. */
static mg_team *team_new(meguri_ctx *ctx) {
    mg_team *team = aligned_alloc(64, sizeof *team);
    if (!team) return NULL;
    memset(team, 0, sizeof *team);
    ctx = mg_ctx_root(ctx);
    team->threads = calloc(meguri_ctx_threads(ctx), sizeof *team->threads);
    if (!team->threads) {
        free(team);
        return NULL;
    }
    team->ctx = ctx;
    team->spin = meguri_ctx_threads(ctx) <= usable_processors();
    team->load = open("/proc/loadavg", O_RDONLY | O_CLOEXEC);
    team->processors = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
    begin_waiting(team);
    mark_process(team);
    if (mg_ctx_keep_team(ctx, team, team_free)) return team;
    team_free(team); /* of two calls that needed it first, one has made it */
    return mg_ctx_team(ctx);
}

/* In the child of a fork: the threads have stayed with the parent. False while another thread does the same. */
static bool begin_again(mg_team *team) {
    unsigned char forked = FORKED;
    if (!__atomic_compare_exchange_n(team->same_process, &forked, STARTING, false, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE))
        return forked == HERE;
    team->size = 0;
    atomic_store(&team->busy, false);
    atomic_store(&team->sleepers, 0);
    atomic_store(&team->state, 0);
    begin_waiting(team);
    __atomic_store_n(team->same_process, HERE, __ATOMIC_RELEASE);
    return true;
}

/* Signals are for the threads of the program; but a fault is handled in the thread that has it, or, where that blocks
 * the signal, ends the process without a handler. */
static void make_threads(mg_team *team, uint32_t wanted, meguri_ctx *ctx) {
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};
    sigset_t all, before;
    pthread_attr_t attributes;
    sigfillset(&all);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) sigdelset(&all, faults[i]);
    if (pthread_attr_init(&attributes) != 0) return;
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    int error = 0;
    for (; team->size < wanted && error == 0; team->size += error == 0)
        error = pthread_create(&team->threads[team->size], &attributes, live, team);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    if (error) mg_fewer_threads(ctx, team->size + 1, wanted + 1, error);
}

static void release(mg_team *team) {
    mg_sync_release(&team->busy);
    atomic_store_explicit(&team->busy, false, memory_order_release);
}

/* The team of the context with threads for the loop, which has it until it is released; NULL: the caller works alone.
 */
static mg_team *team_for(const mg_loop *loop) {
    mg_team *team = mg_ctx_team(loop->ctx);
    if (loop->threads < 2) return NULL;
    if (!team) team = team_new(loop->ctx);
    if (!team) return NULL;
    if (is_forked(team) && !begin_again(team)) return NULL;
    if (atomic_exchange_explicit(&team->busy, true, memory_order_acquire)) return NULL;
    mg_sync_acquire(&team->busy);
    uint32_t wanted = MG_MIN((uint32_t)loop->threads, meguri_ctx_threads(loop->ctx)) - 1;
    if (team->size < wanted) make_threads(team, wanted, loop->ctx);
    if (team->size && wanted) return team;
    release(team);
    return NULL;
}

/* ---- a machine that others use, too ----------------------------------------------------------------------------- */

/* Threads of this machine that want to run now, ours among them; 0: it does not tell. The fourth number of
 * /proc/loadavg, before the slash. */
static uint32_t count_running(const mg_team *team) {
    char text[128];
    ssize_t length = team->load < 0 ? -1 : pread(team->load, text, sizeof text - 1, 0);
    if (length <= 0) return 0;
    text[length] = '\0';
    const char *place = text;
    for (int blanks = 0; blanks < 3 && place; blanks++) place = strchr(place + 1, ' ');
    return place ? (uint32_t)strtoul(place, NULL, 10) : 0;
}

/* Whether there is a processor for each of our threads. Of these, this one runs, and those that do not sleep. */
static bool is_crowded(const mg_team *team) {
    uint32_t awake = 1 + team->size - MG_MIN(atomic_load(&team->sleepers), team->size), running = count_running(team);
    uint32_t threads = meguri_ctx_threads(team->ctx), others = running > awake ? running - awake : 0;
    return mg_policy_idle_threads(threads, team->processors, others) < threads;
}

/* ---- the thread that calls -------------------------------------------------------------------------------------- */

/* So many items have been taken; true if the loop is to end. */
static bool report(const mg_loop *loop, uint64_t items) {
    if (!loop->phase) return false;
    uint64_t done = loop->steady || !loop->total ? loop->done : MG_MIN(loop->done + items, loop->total);
    return mg_progress(loop->ctx, loop->phase, done, loop->total);
}

static void open_loop(mg_team *team, mg_loop *loop) {
    uint64_t number = (atomic_load_explicit(&team->state, memory_order_relaxed) + LOOP_ONE) & LOOP_MASK;
    team->loop = loop;
    mg_sync_release(&team->state);
    atomic_store(&team->state, OPEN | number | (uint64_t)loop->threads * LIMIT_ONE | ENTERED_ONE);
    uint32_t sleepers = atomic_load(&team->sleepers);
    if (!sleepers) return;
    pthread_mutex_lock(&team->lock);
    if (sleepers < (uint32_t)loop->threads) pthread_cond_broadcast(&team->opened);
    else
        for (int i = 1; i < loop->threads; i++) pthread_cond_signal(&team->opened);
    pthread_mutex_unlock(&team->lock);
}

/* A processor was lost for so many seconds, during which others waited. */
static void rest(mg_team *team, double stalled) {
    double now = mg_now();
    team->rest = mg_policy_rest(stalled, now - team->rested, team->rest);
    team->rest_until = team->rested = now + team->rest;
    team->rest_limit = team->rest ? now + LONGEST : 0;
}

/* After a long loop: whether the calling thread had to leave its processor to somebody who is still there, while the
 * others waited. */
static void look_at_caller(mg_team *team, double seconds) {
    long now = preemptions(), lost = now - team->caller_preempted;
    bool same = pthread_equal(team->caller, pthread_self());
    team->caller = pthread_self();
    team->caller_preempted = now;
    if (same && lost > 0 && !team->rest_limit && is_crowded(team)) rest(team, MG_MIN((double)lost * TURN, seconds));
}

/* Sleeps until nobody is inside. */
static void await_last(mg_team *team, const mg_loop *loop, bool reports) {
    double since = mg_now();
    pthread_mutex_lock(&team->lock);
    while (atomic_fetch_or(&team->state, AWAITED) & INSIDE) {
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += REPORT * 1000000L;
        until.tv_sec += until.tv_nsec / 1000000000L;
        until.tv_nsec %= 1000000000L;
        if (pthread_cond_timedwait(&team->left, &team->lock, &until) == ETIMEDOUT) {
            pthread_mutex_unlock(&team->lock);
            if (reports) report(loop, loop->items);
            pthread_mutex_lock(&team->lock);
        }
    }
    pthread_mutex_unlock(&team->lock);
    if (atomic_exchange(&team->preempted, false)) rest(team, mg_now() - since);
}

static void close_loop(mg_team *team, const mg_loop *loop, bool reports) {
    uint64_t state = atomic_fetch_and_explicit(&team->state, ~OPEN, memory_order_acq_rel);
    for (uint32_t looks = 0; state & INSIDE && looks < JOIN_SPINS && team->spin; looks++) {
        relax();
        state = atomic_load_explicit(&team->state, memory_order_acquire);
    }
    if (state & INSIDE) await_last(team, loop, reports);
    mg_sync_acquire(&team->state);
}

/* A loop on the team, from opening to closing: closed in any case, also where a callback throws an exception through
 * the caller, whose stack the loop lies on. */
typedef struct opened {
    mg_team *team;
    mg_loop *loop;
    bool done;
} opened;

static void end_opened(opened *o) {
    if (!o->done) mg_compare_swap(&o->loop->status, MEGURI_OK, MEGURI_ENGINE_FAILED); /* nothing more is taken */
    close_loop(o->team, o->loop, o->done);
    if (!o->done) release(o->team);
}

static void run_on_team(mg_team *team, mg_loop *loop, mg_worker *caller) {
    double begin = mg_now();
    {
        opened o __attribute__((cleanup(end_opened))) = {team, loop, false};
        loop->caller = mg_calling_thread();
        open_loop(team, loop);
        loop->work(loop->what, caller);
        o.done = true;
    }
    double seconds = mg_now() - begin;
    if (seconds > LONG_LOOP) look_at_caller(team, seconds);
    release(team);
    mg_hear_workers(loop->ctx);
}

meguri_status mg_loop_run(mg_loop *loop) {
    if (report(loop, 0)) return mg_fail_cancelled(loop->ctx);
    uint64_t chunks = (uint64_t)loop->threads * CHUNKS_EACH;
    if (!loop->chunk) loop->chunk = loop->threads > 1 ? loop->items / chunks + 1 : loop->items + !loop->items;
    loop->next = 0;
    loop->status = MEGURI_OK;
    loop->lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    mg_worker caller = {loop, 0};
    mg_team *team = team_for(loop);
    if (team) run_on_team(team, loop, &caller);
    else loop->work(loop->what, &caller);
    if (loop->status == MEGURI_OK && loop->phase && mg_cancelled(loop->ctx)) return mg_fail_cancelled(loop->ctx);
    return loop->status;
}

bool mg_take(const mg_worker *worker, mg_range *chunk) {
    mg_loop *loop = worker->loop;
    uint64_t begin = mg_fetch_add(&loop->next, loop->chunk);
    if (begin >= loop->items || mg_load(&loop->status) != MEGURI_OK) return false;
    if (report(loop, begin)) return false;
    *chunk = (mg_range){begin, MG_MIN(begin + loop->chunk, loop->items)};
    return true;
}

void mg_loop_fail(const mg_worker *worker, meguri_status status) {
    if (status != MEGURI_OK) mg_compare_swap(&worker->loop->status, MEGURI_OK, status);
}

/* ---- threads for a loop ----------------------------------------------------------------------------------------- */

/* A rest that is over goes on as long as others use the machine, within limits: what they do may be of low priority. */
static bool is_resting(mg_team *team) {
    if (team->rest_limit == 0) return false;
    double now = mg_now();
    if (now < team->rest_until) return true;
    if (now < team->rest_limit && is_crowded(team)) {
        team->rest_until = now + LOOK_EVERY;
        return true;
    }
    team->rest_limit = 0;
    team->rested = now;
    return false;
}

/* What another call of the parent had open at a fork is not open in the child. */
static bool is_busy(const mg_team *team) {
    return atomic_load_explicit(&team->busy, memory_order_relaxed) && !is_forked(team);
}

int mg_threads(const meguri_ctx *ctx, uint64_t work, uint64_t grain) {
    mg_team *team = mg_ctx_team(ctx);
    uint32_t threads = mg_policy_threads(meguri_ctx_threads(ctx), work, grain);
    if (!team || threads < 2) return (int)threads;
    return is_busy(team) || is_resting(team) ? 1 : (int)threads;
}

int mg_lasting_threads(const meguri_ctx *ctx, uint64_t work, uint64_t grain) {
    mg_team *team = mg_ctx_team(ctx);
    if (team && is_busy(team)) return 1;
    return (int)mg_policy_threads(meguri_ctx_threads(ctx), work, grain);
}

/* ---- plain loops ------------------------------------------------------------------------------------------------ */

typedef struct plain {
    mg_range_fn *each;
    void *what;
} plain;

static void work_plain(void *what, mg_worker *worker) {
    const plain *p = what;
    for (mg_range chunk; mg_take(worker, &chunk);) p->each(p->what, chunk.begin, chunk.end);
}

void mg_for(meguri_ctx *ctx, int threads, uint64_t items, mg_range_fn *each, void *what) {
    plain p = {each, what};
    mg_loop loop = {.ctx = ctx, .threads = threads, .items = items, .work = work_plain, .what = &p};
    mg_loop_run(&loop);
}

typedef struct summing {
    mg_sum_fn *each;
    const void *what;
    uint64_t sum;
} summing;

static void work_sum(void *what, mg_worker *worker) {
    summing *s = what;
    uint64_t sum = 0;
    for (mg_range chunk; mg_take(worker, &chunk);) sum += s->each(s->what, chunk.begin, chunk.end);
    mg_fetch_add(&s->sum, sum);
}

uint64_t mg_sum_over(meguri_ctx *ctx, int threads, uint64_t items, mg_sum_fn *each, const void *what) {
    summing s = {each, what, 0};
    mg_loop loop = {.ctx = ctx, .threads = threads, .items = items, .work = work_sum, .what = &s};
    mg_loop_run(&loop);
    return s.sum;
}

void mg_run_together(meguri_ctx *ctx, int threads, mg_work_fn *work, void *what) {
    mg_loop loop = {.ctx = ctx, .threads = threads, .work = work, .what = what};
    mg_loop_run(&loop);
}
