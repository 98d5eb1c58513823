/* The context: defaults, sizes of options, failures, progress and cancel, log. */
#define _GNU_SOURCE
#include "support/at_once.h"
#include "support/unit.h"

#include <pthread.h>
#include <sched.h>

static void defaults(void **state) {
    (void)state;
    meguri_ctx *ctx = NULL;
    cpu_set_t set;
    assert_int_equal(sched_getaffinity(0, sizeof set, &set), 0);
    unsetenv("TMPDIR");
    assert_int_equal(meguri_ctx_new(&ctx, NULL), MEGURI_OK);
    assert_int_equal(meguri_ctx_threads(ctx), CPU_COUNT(&set));
    assert_true(meguri_ctx_memory_limit(ctx) >= (uint64_t)32 << 20);
    assert_int_equal(meguri_ctx_memory_used(ctx), 0);
    assert_int_equal(meguri_ctx_memory_peak(ctx), 0);
    assert_string_equal(meguri_ctx_error(ctx), "");
    assert_string_equal(mg_temp_dir(ctx), "/var/tmp");
    assert_false(mg_trace_on(ctx));
    assert_false(mg_cancelled(ctx));
    assert_false(mg_progress(ctx, "nothing", 1, 2)); /* nobody listens */
    mg_log(ctx, MEGURI_LOG_WARNING, "nobody listens");
    meguri_ctx_free(ctx);
    meguri_ctx_free(NULL);
}

static void wishes_are_heard(void **state) {
    (void)state;
    meguri_ctx *ctx = NULL;
    setenv("TMPDIR", "/from/the/environment", 1);
    meguri_ctx_options options = {.size = sizeof options, .threads = 3, .memory = 12345678};
    assert_int_equal(meguri_ctx_new(&ctx, &options), MEGURI_OK);
    assert_int_equal(meguri_ctx_threads(ctx), 3);
    assert_int_equal(meguri_ctx_memory_limit(ctx), 12345678);
    assert_int_equal(mg_memory_left(ctx), 12345678);
    assert_string_equal(mg_temp_dir(ctx), "/from/the/environment");
    meguri_ctx_free(ctx);

    char folder[] = "/somewhere";
    options.temp_dir = folder;
    options.threads = UINT32_MAX;
    assert_int_equal(meguri_ctx_new(&ctx, &options), MEGURI_OK);
    memset(folder, 'x', sizeof folder - 1); /* the context keeps its own copy */
    assert_string_equal(mg_temp_dir(ctx), "/somewhere");
    assert_int_equal(meguri_ctx_threads(ctx), MG_MAX_THREADS);
    meguri_ctx_free(ctx);
    unsetenv("TMPDIR");
}

static void wrong_arguments_are_refused(void **state) {
    (void)state;
    meguri_ctx *ctx = (meguri_ctx *)1;
    meguri_ctx_options options = {.threads = 2}; /* size not set */
    assert_int_equal(meguri_ctx_new(NULL, NULL), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_ctx_new(&ctx, &options), MEGURI_BAD_ARGUMENT);
    assert_null(ctx);
    options.size = sizeof(size_t) - 1;
    assert_int_equal(meguri_ctx_new(&ctx, &options), MEGURI_BAD_ARGUMENT);
    options.size = (size_t)1 << 40; /* a size that nobody meant */
    assert_int_equal(meguri_ctx_new(&ctx, &options), MEGURI_BAD_ARGUMENT);
    assert_string_equal(meguri_ctx_error(NULL),
                        "the size field of meguri_ctx_options is not set: set it to sizeof(meguri_ctx_options).");
    assert_int_equal(meguri_ctx_trace(NULL, "/dev/null"), MEGURI_BAD_ARGUMENT);
}

/* Programs built with an older or newer header. */
static void options_of_other_versions(void **state) {
    (void)state;
    typedef struct now_options {
        size_t size;
        uint64_t a, b;
    } now_options;
    struct {
        size_t size;
        uint64_t a;
        uint64_t beyond;
    } older = {.size = sizeof(size_t) + sizeof(uint64_t), .a = 7, .beyond = 99};
    struct {
        size_t size;
        uint64_t a, b, c;
    } newer = {.size = sizeof newer, .a = 1, .b = 2};
    meguri_ctx *ctx = context_with(1);
    now_options got = {1, 1, 1};
    assert_int_equal(mg_options(ctx, &got, sizeof got, &older, "options"), MEGURI_OK);
    assert_int_equal(got.size, sizeof got);
    assert_int_equal(got.a, 7);
    assert_int_equal(got.b, 0); /* and not what lies beyond the older struct */
    assert_int_equal(mg_options(ctx, &got, sizeof got, &newer, "options"), MEGURI_OK);
    assert_int_equal(got.a, 1);
    assert_int_equal(got.b, 2);
    newer.c = 1; /* a wish we cannot know */
    assert_int_equal(mg_options(ctx, &got, sizeof got, &newer, "the_options"), MEGURI_BAD_ARGUMENT);
    assert_non_null(strstr(meguri_ctx_error(ctx), "the_options"));
    assert_int_equal(mg_options(ctx, &got, sizeof got, NULL, "options"), MEGURI_OK);
    assert_int_equal(got.a, 0);
    assert_int_equal(got.size, sizeof got);
    context_done(ctx);
}

static void first_failure_wins(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(5);
    assert_int_equal(mg_fail(ctx, MEGURI_BAD_INPUT, "the first, number %d.", 1), MEGURI_BAD_INPUT);
    assert_int_equal(mg_fail(ctx, MEGURI_NO_DISK, "the second."), MEGURI_NO_DISK);
    assert_string_equal(meguri_ctx_error(ctx), "the first, number 1.");
    mg_begin(ctx);
    assert_string_equal(meguri_ctx_error(ctx), "");
    mg_fail(ctx, MEGURI_BAD_INPUT, "a new one.");
    assert_string_equal(meguri_ctx_error(ctx), "a new one.");
    assert_int_equal(mg_fail(NULL, MEGURI_NO_MEMORY, "to nobody."), MEGURI_NO_MEMORY);
    context_done(ctx);
}

static void fail_five_times(void *ctx, int me) {
    for (int i = 0; i < 5; i++) mg_fail(ctx, MEGURI_BAD_INPUT, "thread %d%d%d%d%d says so.", me, me, me, me, me);
}

/* Many threads fail at once: one sentence, whole. */
static void first_failure_wins_in_parallel(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(5);
    for (int round = 0; round < 200; round++) {
        mg_begin(ctx);
        at_once_for_me(5, fail_five_times, ctx);
        char text[64];
        bool whole = false;
        for (int t = 0; t < 5; t++) {
            snprintf(text, sizeof text, "thread %d%d%d%d%d says so.", t, t, t, t, t);
            whole |= strcmp(text, meguri_ctx_error(ctx)) == 0;
        }
        assert_true(whole);
    }
    context_done(ctx);
}

/* A sentence about an endless path is cut between two characters, and shows it. */
static void long_sentences_are_cut(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    for (size_t shift = 0; shift < 4; shift++) {
        char path[8192] = "xxx";
        for (size_t i = shift; i + 2 < sizeof path; i += 2) memcpy(path + i, "\xc3\xa9", 3); /* e with an accent */
        mg_begin(ctx);
        mg_fail(ctx, MEGURI_NOT_FOUND, "%s is not there.", path);
        const char *error = meguri_ctx_error(ctx);
        size_t length = strlen(error);
        assert_true(length > 1000 && length < 1024);
        assert_string_equal(error + length - 3, "…");
        assert_int_equal((unsigned char)error[length - 4], 0xa9);
        assert_int_equal(memcmp(error, path, length - 3), 0);
    }
    context_done(ctx);
}

/* ---- progress --------------------------------------------------------------------------------------------------- */

typedef struct listener {
    pthread_t thread; /* the one that may call */
    uint64_t calls, strangers, cancel_at;
    uint64_t last_done, last_total;
    char last_phase[32];
} listener;

static int listen_to_progress(void *user, const char *phase, uint64_t done, uint64_t total) {
    listener *l = user;
    if (!pthread_equal(l->thread, pthread_self())) l->strangers++;
    l->calls++;
    l->last_done = done;
    l->last_total = total;
    snprintf(l->last_phase, sizeof l->last_phase, "%s", phase);
    return l->calls == l->cancel_at;
}

static meguri_ctx *context_with_listener(listener *l) {
    meguri_ctx *ctx = NULL;
    meguri_ctx_options options = {
        .size = sizeof options, .threads = 5, .progress = listen_to_progress, .progress_user = l};
    l->thread = pthread_self();
    assert_int_equal(meguri_ctx_new(&ctx, &options), MEGURI_OK);
    return ctx;
}

typedef struct reporting {
    meguri_ctx *ctx;
    double end;
    uint64_t asked, cancelled;
} reporting;

/* What a file holds does not move the cursor of a terminal, nor make a second line of a sentence. */
static void controls_are_not_shown(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    mg_fail(ctx, MEGURI_BAD_INPUT, "the id '%s' is none.", "a\r\x1b[31m\n\tb\x7f\xc3\xa9");
    assert_string_equal(meguri_ctx_error(ctx), "the id 'a\\r\\x1B[31m\\n\\tb\\x7F\xc3\xa9' is none.");
    mg_begin(ctx);
    mg_fail(ctx, MEGURI_BAD_INPUT, "it does not compile:\n%s", "x.c:1\r\nx.c:2");
    assert_string_equal(meguri_ctx_error(ctx), "it does not compile:\nx.c:1\\r\nx.c:2");
    mg_begin(ctx);
    mg_fail_again(ctx, MEGURI_BAD_INPUT, "%s", "x.c:1\nx.c:2");
    assert_string_equal(meguri_ctx_error(ctx), "x.c:1\nx.c:2");
    context_done(ctx);
}

static void report_until_the_end(void *what, int thread) {
    reporting *r = what;
    (void)thread;
    while (mg_now() < r->end) {
        __atomic_fetch_add(&r->cancelled, mg_progress(r->ctx, "reading", 3, 9), __ATOMIC_RELAXED);
        __atomic_fetch_add(&r->asked, 1, __ATOMIC_RELAXED);
    }
}

static void progress_is_told_by_the_entering_thread(void **state) {
    (void)state;
    listener l = {0};
    meguri_ctx *ctx = context_with_listener(&l);
    mg_begin(ctx);
    double start = mg_now();
    reporting r = {ctx, start + 0.3, 0, 0};
    at_once_for_me(5, report_until_the_end, &r);
    assert_int_equal(r.cancelled, 0);
    assert_int_equal(l.strangers, 0);
    assert_true(l.calls >= 1);
    assert_true(l.calls <= (uint64_t)((mg_now() - start) / 0.02) + 1); /* not more often than every 20 ms */
    assert_true(r.asked > l.calls);
    assert_string_equal(l.last_phase, "reading");
    assert_int_equal(l.last_done, 3);
    assert_int_equal(l.last_total, 9);
    context_done(ctx);
}

/* The thread that enters may be another one each time. */
typedef struct visit {
    meguri_ctx *ctx;
    listener *listener;
} visit;

static void *enter_and_work(void *user) {
    visit *v = user;
    v->listener->thread = pthread_self();
    mg_begin(v->ctx);
    double end = mg_now() + 60;
    while (v->listener->calls == 0 && mg_now() < end) mg_progress(v->ctx, "visiting", 0, 0);
    return NULL;
}

static void another_thread_may_enter(void **state) {
    (void)state;
    listener l = {0};
    visit v = {context_with_listener(&l), &l};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, enter_and_work, &v), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(l.calls, 1);
    assert_int_equal(l.strangers, 0);
    context_done(v.ctx);
}

static void report_until_cancelled(void *what, int thread) {
    reporting *r = what;
    (void)thread;
    bool saw = false;
    while (!saw && mg_now() < r->end) saw = mg_progress(r->ctx, "searching", 0, 0);
    __atomic_fetch_add(&r->cancelled, saw, __ATOMIC_RELAXED);
}

static void cancel_is_seen_by_all_threads(void **state) {
    (void)state;
    listener l = {.cancel_at = 2};
    meguri_ctx *ctx = context_with_listener(&l);
    mg_begin(ctx);
    reporting r = {ctx, mg_now() + 60, 0, 0};
    at_once_for_me(5, report_until_cancelled, &r);
    assert_int_equal(r.cancelled, 5);
    assert_int_equal(l.calls, 2);
    assert_int_equal(l.strangers, 0);
    assert_true(mg_cancelled(ctx));
    assert_true(mg_progress(ctx, "searching", 0, 0)); /* and stays so */
    assert_int_equal(mg_fail_cancelled(ctx), MEGURI_CANCELLED);
    assert_string_equal(meguri_ctx_error(ctx), "interrupted.");
    mg_begin(ctx);
    assert_false(mg_cancelled(ctx));
    assert_string_equal(meguri_ctx_error(ctx), "");
    context_done(ctx);
}

/* ---- log -------------------------------------------------------------------------------------------------------- */

typedef struct notebook {
    int lines, inside, overlaps, strangers;
    meguri_log_level last_level;
    char last[128];
} notebook;

static void note(void *user, meguri_log_level level, const char *text) {
    notebook *book = user;
    if (book->inside++) book->overlaps++;
    book->strangers += mg_is_worker();
    book->lines++;
    book->last_level = level;
    snprintf(book->last, sizeof book->last, "%s", text);
    book->inside--;
}

static void log_has_levels(void **state) {
    (void)state;
    for (int level = MEGURI_LOG_SILENT; level <= MEGURI_LOG_DEBUG; level++) {
        notebook book = {0};
        meguri_ctx *ctx = NULL;
        meguri_ctx_options options = {
            .size = sizeof options, .log = note, .log_user = &book, .log_level = (meguri_log_level)level};
        assert_int_equal(meguri_ctx_new(&ctx, &options), MEGURI_OK);
        mg_log(ctx, MEGURI_LOG_WARNING, "warning %d", 1);
        mg_log(ctx, MEGURI_LOG_INFO, "info %d", 2);
        mg_log(ctx, MEGURI_LOG_DEBUG, "debug %d", 3);
        assert_int_equal(book.lines, level);
        assert_int_equal(book.last_level, level);
        static const char *const last[] = {"", "warning 1", "info 2", "debug 3"};
        assert_string_equal(book.last, last[level]);
        context_done(ctx);
    }
}

static void log_lines(void *ctx, int thread) {
    for (int i = thread; i < 1000; i += 5) mg_log(ctx, MEGURI_LOG_INFO, "line %d", i);
}

static void log_is_called_by_the_calling_thread(void **state) {
    (void)state;
    notebook book = {0};
    meguri_ctx *ctx = NULL;
    meguri_ctx_options options = {.size = sizeof options, .log = note, .log_user = &book, .log_level = MEGURI_LOG_INFO};
    assert_int_equal(meguri_ctx_new(&ctx, &options), MEGURI_OK);
    at_once_for_me(5, log_lines, ctx);
    mg_hear_workers(ctx);
    assert_int_equal(book.strangers, 0);
    assert_int_equal(book.lines, 1000);
    assert_int_equal(book.overlaps, 0);
    context_done(ctx);
}

/* ---- status ----------------------------------------------------------------------------------------------------- */

static void every_status_has_text_and_exit_code(void **state) {
    (void)state;
    const int exit_codes[] = {0, 1, 2, 3, 3, 4, 4, 5, 130, 5, 5, 5}; /* as the manual page promises */
    for (int status = MEGURI_OK; status <= MEGURI_BUSY; status++) {
        assert_true(strlen(meguri_status_text((meguri_status)status)) > 3);
        assert_int_equal(meguri_status_exit_code((meguri_status)status), exit_codes[status]);
        for (int other = MEGURI_OK; other < status; other++)
            assert_string_not_equal(meguri_status_text((meguri_status)status),
                                    meguri_status_text((meguri_status)other));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults),
        cmocka_unit_test(wishes_are_heard),
        cmocka_unit_test(wrong_arguments_are_refused),
        cmocka_unit_test(options_of_other_versions),
        cmocka_unit_test(first_failure_wins),
        cmocka_unit_test(first_failure_wins_in_parallel),
        cmocka_unit_test(long_sentences_are_cut),
        cmocka_unit_test(controls_are_not_shown),
        cmocka_unit_test(progress_is_told_by_the_entering_thread),
        cmocka_unit_test(another_thread_may_enter),
        cmocka_unit_test(cancel_is_seen_by_all_threads),
        cmocka_unit_test(log_has_levels),
        cmocka_unit_test(log_is_called_by_the_calling_thread),
        cmocka_unit_test(every_status_has_text_and_exit_code),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
