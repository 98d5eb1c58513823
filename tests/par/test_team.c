/* The team: every item is done once, at any number of threads; loops within loops, cancels, forks, several contexts at
 * once; threads that cannot be made. */
#define _GNU_SOURCE
#include "support/sanitized.h"
#include "support/unit.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- every item once -------------------------------------------------------------------------------------------- */

typedef struct tally {
    uint8_t *seen;
    uint64_t sum;
    uint32_t workers[64]; /* how often a thread of this number came */
} tally;

static void count_items(void *what, mg_worker *worker) {
    tally *t = what;
    uint64_t sum = 0;
    mg_fetch_add(&t->workers[worker->number], 1);
    for (mg_range chunk; mg_take(worker, &chunk);)
        for (uint64_t i = chunk.begin; i < chunk.end; i++) {
            t->seen[i]++;
            sum += i;
        }
    mg_fetch_add(&t->sum, sum);
}

static void check_loop(meguri_ctx *ctx, int threads, uint64_t items, uint64_t chunk) {
    tally t = {.seen = calloc(items + 1, 1)};
    mg_loop loop = {.ctx = ctx, .threads = threads, .items = items, .chunk = chunk, .work = count_items, .what = &t};
    mg_loop_run(&loop);
    for (uint64_t i = 0; i < items; i++) assert_int_equal(t.seen[i], 1);
    assert_int_equal(t.sum, items ? items * (items - 1) / 2 : 0);
    assert_int_equal(t.workers[0], 1);
    for (int w = 0; w < 64; w++) assert_true(t.workers[w] <= (w < threads));
    free(t.seen);
}

static void every_item_is_done_once(void **state) {
    (void)state;
    const uint64_t sizes[] = {0, 1, 2, 63, 1000, 50021}, chunks[] = {0, 1, 7, 4096};
    for (uint32_t threads = 1; threads <= 9; threads += 2) {
        meguri_ctx *ctx = context_with(threads);
        for (size_t i = 0; i < COUNT_OF(sizes); i++)
            for (size_t c = 0; c < COUNT_OF(chunks); c++) {
                check_loop(ctx, (int)threads, sizes[i], chunks[c]);
                check_loop(ctx, 1 + (int)threads / 2, sizes[i], chunks[c]);
            }
        context_done(ctx);
    }
}

/* Thousands of loops close together, of different widths: no thread enters one that is over. */
static void short_loops_follow_each_other(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(5);
    for (uint64_t i = 0; i < 20000; i++) check_loop(ctx, 1 + (int)(i % 5), i % 37, 1 + i % 3);
    context_done(ctx);
}

static void add_range(void *what, uint64_t begin, uint64_t end) {
    uint64_t sum = 0;
    for (uint64_t i = begin; i < end; i++) sum += i;
    mg_fetch_add((uint64_t *)what, sum);
}

/* The other threads take part: the caller waits within its chunk until one has come. */
static void rendezvous(void *what, mg_worker *worker) {
    uint32_t *came = what;
    mg_fetch_add(came, 1);
    for (mg_range chunk; mg_take(worker, &chunk);)
        while (mg_load(came) < 3) usleep(100);
}

static void all_threads_take_part(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(3);
    for (int i = 0; i < 20; i++) {
        uint32_t came = 0;
        mg_loop loop = {.ctx = ctx, .threads = 3, .items = 3, .chunk = 1, .work = rendezvous, .what = &came};
        mg_loop_run(&loop);
        assert_int_equal(came, 3);
        usleep(i * 50); /* they spin, or sleep */
    }
    context_done(ctx);
}

/* ---- within a loop ---------------------------------------------------------------------------------------------- */

typedef struct nest {
    meguri_ctx *ctx;
    uint64_t sum;
} nest;

static void inner_loops(void *what, uint64_t begin, uint64_t end) {
    nest *n = what;
    for (uint64_t i = begin; i < end; i++) {
        assert_int_equal(mg_threads(n->ctx, 1000, 1), 1);
        mg_for(n->ctx, 4, 100, add_range, &n->sum);
    }
}

static void a_loop_within_a_loop_runs_on_one_thread(void **state) {
    (void)state;
    nest n = {context_with(4), 0};
    mg_for(n.ctx, 4, 1000, inner_loops, &n);
    assert_int_equal(n.sum, 1000 * 4950);
    assert_int_equal(mg_threads(n.ctx, 1000, 1), 4);
    context_done(n.ctx);
}

/* ---- cancel ----------------------------------------------------------------------------------------------------- */

typedef struct told {
    int calls;
    bool beyond; /* more was done than there is */
} told;

static int stop_at_once(void *user, const char *phase, uint64_t done, uint64_t total) {
    (void)phase;
    told *t = user;
    t->beyond |= done > total;
    return ++t->calls > 1; /* not before the loop has begun */
}

static void slow_items(void *what, mg_worker *worker) {
    for (mg_range chunk; mg_take(worker, &chunk);) {
        mg_fetch_add((uint64_t *)what, chunk.end - chunk.begin);
        usleep(1000);
    }
}

static void a_cancel_ends_loops_that_have_a_name(void **state) {
    (void)state;
    told t = {0};
    meguri_ctx *ctx;
    meguri_ctx_options options = {.size = sizeof options, .threads = 3, .progress = stop_at_once, .progress_user = &t};
    assert_int_equal(meguri_ctx_new(&ctx, &options), MEGURI_OK);
    mg_begin(ctx);
    uint64_t done = 0;
    mg_loop loop = {
        .ctx = ctx, .threads = 3, .items = 5000, .chunk = 1, .work = slow_items, .what = &done, .phase = "x"};
    assert_int_equal(mg_loop_run(&loop), MEGURI_CANCELLED);
    assert_true(mg_cancelled(ctx));
    assert_true(done > 0 && done < 1000);
    assert_false(t.beyond); /* it has no total */
    uint64_t sum = 0;
    mg_for(ctx, 3, 1000, add_range, &sum); /* must be complete */
    assert_int_equal(sum, 499500);
    meguri_ctx_free(ctx);
}

/* A caller without work goes on reporting while others have some. */
static void late_items(void *what, mg_worker *worker) {
    (void)what;
    for (mg_range chunk; mg_take(worker, &chunk);)
        while (worker->number == 0 ? mg_load(&worker->loop->next) < 2 : !mg_cancelled(worker->loop->ctx)) usleep(100);
}

static int stop_in_the_end(void *user, const char *phase, uint64_t done, uint64_t total) {
    (void)phase, (void)total;
    (void)user;
    return done == 2;
}

static void a_caller_that_waits_can_be_cancelled(void **state) {
    (void)state;
    meguri_ctx *ctx;
    meguri_ctx_options options = {.size = sizeof options, .threads = 2, .progress = stop_in_the_end};
    assert_int_equal(meguri_ctx_new(&ctx, &options), MEGURI_OK);
    mg_begin(ctx);
    mg_loop loop = {.ctx = ctx, .threads = 2, .items = 2, .chunk = 1, .work = late_items, .phase = "x", .total = 2};
    mg_loop_run(&loop);
    assert_true(mg_cancelled(ctx));
    meguri_ctx_free(ctx);
}

/* ---- failures --------------------------------------------------------------------------------------------------- */

static void fail_at_100(void *what, mg_worker *worker) {
    for (mg_range chunk; mg_take(worker, &chunk);) {
        mg_fetch_add((uint64_t *)what, 1);
        if (chunk.begin == 100) mg_loop_fail(worker, MEGURI_NO_MEMORY);
        mg_loop_fail(worker, MEGURI_OK);
    }
}

static void a_failure_ends_the_loop(void **state) {
    (void)state;
    for (uint32_t threads = 1; threads <= 3; threads++) {
        meguri_ctx *ctx = context_with(threads);
        uint64_t done = 0;
        mg_loop loop = {
            .ctx = ctx, .threads = (int)threads, .items = 1000000, .chunk = 1, .work = fail_at_100, .what = &done};
        assert_int_equal(mg_loop_run(&loop), MEGURI_NO_MEMORY);
        assert_true(done > 100 && done < 1000000);
        loop.items = 100;
        assert_int_equal(mg_loop_run(&loop), MEGURI_OK); /* a failure is not kept */
        context_done(ctx);
    }
}

typedef struct onlooker {
    int calls;
    bool beyond;
} onlooker;

static int look_on(void *user, const char *phase, uint64_t done, uint64_t total) {
    onlooker *o = user;
    (void)phase;
    o->calls++;
    o->beyond |= done > total;
    return 0;
}

static void dawdle(void *what, mg_worker *worker) {
    (void)what;
    for (mg_range chunk; mg_take(worker, &chunk);) usleep(5000);
}

/* Whatever a loop says of its items, nobody is told of more than all of them. */
static void progress_never_goes_beyond_the_total(void **state) {
    (void)state;
    const struct {
        uint64_t done, total;
        bool steady;
    } table[] = {{0, 0, false}, {0, 40, false}, {3, 7, true}, {5, 10, false}, {0, 0, true}};
    for (size_t i = 0; i < COUNT_OF(table); i++) {
        onlooker o = {0};
        meguri_ctx *ctx;
        meguri_ctx_options options = {.size = sizeof options, .threads = 3, .progress = look_on, .progress_user = &o};
        assert_int_equal(meguri_ctx_new(&ctx, &options), MEGURI_OK);
        mg_begin(ctx);
        mg_loop loop = {.ctx = ctx,
                        .threads = 3,
                        .items = 40,
                        .chunk = 1,
                        .work = dawdle,
                        .phase = "test",
                        .done = table[i].done,
                        .total = table[i].total,
                        .steady = table[i].steady};
        assert_int_equal(mg_loop_run(&loop), MEGURI_OK);
        assert_true(o.calls > 0);
        assert_false(o.beyond);
        context_done(ctx);
    }
}

/* ---- forks, contexts, limits ------------------------------------------------------------------------------------ */

static void the_child_of_a_fork_works(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(3);
    check_loop(ctx, 3, 1000, 1);
    for (int i = 0; i < 3; i++) {
        pid_t child = fork();
        if (child == 0) {
            uint32_t came = 0;
            alarm(20);
            mg_loop loop = {.ctx = ctx, .threads = 3, .items = 3, .chunk = 1, .work = rendezvous, .what = &came};
            mg_loop_run(&loop);
            if (i == 1) meguri_ctx_free(ctx);
            _exit(came == 3 ? 0 : 1);
        }
        int status = -1;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
        check_loop(ctx, 3, 1000, 1);
    }
    pid_t child = fork(); /* which frees the context without using it */
    if (child == 0) {
        alarm(20);
        meguri_ctx_free(ctx);
        _exit(0);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    context_done(ctx);
}

static void *use_a_context(void *argument) {
    (void)argument;
    meguri_ctx *ctx = context_with(3);
    for (uint64_t i = 0; i < 500; i++) {
        uint64_t sum = 0;
        mg_for(ctx, 3, 1000, add_range, &sum);
        if (sum != 499500) return (void *)1;
    }
    meguri_ctx_free(ctx);
    return NULL;
}

static void several_contexts_work_at_once(void **state) {
    (void)state;
    pthread_t users[4];
    for (size_t i = 0; i < COUNT_OF(users); i++)
        assert_int_equal(pthread_create(&users[i], NULL, use_a_context, NULL), 0);
    for (size_t i = 0; i < COUNT_OF(users); i++) {
        void *failed = NULL;
        assert_int_equal(pthread_join(users[i], &failed), 0);
        assert_null(failed);
    }
}

static void note_warning(void *user, meguri_log_level level, const char *text) {
    if (level == MEGURI_LOG_WARNING && strstr(text, "threads could be made")) ++*(int *)user;
}

/* In a child of its own, which is nobody: the limit counts all processes of a user, but not root's. */
static int work_under_a_limit(void) {
    struct rlimit none = {1, 1};
    int warnings = 0;
    meguri_ctx *ctx;
    meguri_ctx_options options = {.size = sizeof options,
                                  .threads = 8,
                                  .log = note_warning,
                                  .log_user = &warnings,
                                  .log_level = MEGURI_LOG_WARNING};
    if (setgid(65534) != 0 || setuid(65534) != 0 || setrlimit(RLIMIT_NPROC, &none) != 0) return 77;
    if (meguri_ctx_new(&ctx, &options) != MEGURI_OK) return 1;
    for (int i = 0; i < 3; i++) {
        uint64_t sum = 0;
        mg_for(ctx, mg_threads(ctx, 1000, 1), 1000, add_range, &sum);
        if (sum != 499500) return 2;
    }
    if (mg_threads(ctx, 1000, 1) != 1) return 3;
    meguri_ctx_free(ctx);
    return warnings == 1 ? 0 : 4;
}

static void threads_that_cannot_be_made_are_done_without(void **state) {
    (void)state;
    if (getuid() != 0) return skip_because("limits on processes are tried as nobody, and only root can become that");
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) _exit(work_under_a_limit());
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* ---- a machine that others use, too ----------------------------------------------------------------------------- */

static clock_t used(void) {
    struct timespec time = {0};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec * CLOCKS_PER_SEC + time.tv_nsec / (1000000000 / CLOCKS_PER_SEC);
}

/* The caller leaves as soon as another thread has come; that one works for longer than the scheduler lets it. */
static void work_for_long(void *what, mg_worker *worker) {
    if (worker->number > 0) {
        mg_store((uint32_t *)what, 1);
        for (clock_t until = used() + CLOCKS_PER_SEC / 50; used() < until;) {
        }
    } else
        for (double until = mg_now() + 1; !mg_load((uint32_t *)what) && mg_now() < until;) sched_yield();
}

/* 0: all is well; 77: the team never rested. On one processor, which a spinning process uses as well. */
static int rest_beside_a_busy_process(void) {
    cpu_set_t all, one;
    if (sched_getaffinity(0, sizeof all, &all) != 0) return 77;
    CPU_ZERO(&one);
    for (int i = 0; i < CPU_SETSIZE && !CPU_COUNT(&one); i++)
        if (CPU_ISSET(i, &all)) CPU_SET(i, &one);
    if (sched_setaffinity(0, sizeof one, &one) != 0) return 77;
    pid_t parent = getpid(), busy = fork();
    if (busy == 0)
        while (getppid() == parent) {
        }
    int status = 77;
    meguri_ctx *ctx = context_with(2);
    for (int i = 0; i < 20 && status == 77; i++) {
        uint32_t come = 0;
        mg_run_together(ctx, 2, work_for_long, &come);
        if (mg_threads(ctx, 1000, 1) == 1) status = mg_lasting_threads(ctx, 1000, 1) == 2 ? 0 : 1;
    }
    context_done(ctx);
    kill(busy, SIGKILL);
    waitpid(busy, NULL, 0);
    return status;
}

/* Loops get one thread then, but what is made for later does not keep it. */
static void a_rest_is_not_for_ever(void **state) {
    (void)state;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) _exit(rest_beside_a_busy_process());
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 77) return skip_because("no thread lost its processor to a process that spins");
    assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_item_is_done_once),
        cmocka_unit_test(short_loops_follow_each_other),
        cmocka_unit_test(all_threads_take_part),
        cmocka_unit_test(a_loop_within_a_loop_runs_on_one_thread),
        cmocka_unit_test(a_cancel_ends_loops_that_have_a_name),
        cmocka_unit_test(a_caller_that_waits_can_be_cancelled),
        cmocka_unit_test(a_failure_ends_the_loop),
        cmocka_unit_test(progress_never_goes_beyond_the_total),
        cmocka_unit_test(the_child_of_a_fork_works),
        cmocka_unit_test(several_contexts_work_at_once),
        cmocka_unit_test(threads_that_cannot_be_made_are_done_without),
        cmocka_unit_test(a_rest_is_not_for_ever),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
