/* Children of a context: limits, time, cancel, texts and traces of their own; one context and many calling threads. */
#define _GNU_SOURCE
#include "support/at_once.h"
#include "support/unit.h"

#include <math.h>
#include <meguri.h>
#include <signal.h>
#include <sys/time.h>

static meguri_ctx *child_of(meguri_ctx *parent, meguri_ctx_child_options o) {
    meguri_ctx *child = NULL;
    o.size = sizeof o;
    assert_int_equal(meguri_ctx_child(&child, parent, &o), MEGURI_OK);
    return child;
}

static void what_is_asked_for(void **state) {
    (void)state;
    int mine;
    meguri_ctx *parent = context_with(4), *child = NULL;
    assert_int_equal(meguri_ctx_child(&child, parent, NULL), MEGURI_OK);
    assert_int_equal(meguri_ctx_threads(child), 4);
    assert_int_equal(meguri_ctx_memory_limit(child), (uint64_t)1 << 30);
    assert_null(meguri_ctx_user(child));
    meguri_ctx *grandchild = child_of(child, (meguri_ctx_child_options){.threads = 3, .user = &mine});
    assert_int_equal(meguri_ctx_threads(grandchild), 3);
    assert_ptr_equal(meguri_ctx_user(grandchild), &mine);
    meguri_ctx_free(parent); /* in any order */
    assert_int_equal(meguri_ctx_threads(grandchild), 3);
    meguri_ctx_free(child);
    void *block = mg_alloc(grandchild, 10, "a test");
    assert_non_null(block);
    meguri_ctx_free(grandchild);
    mg_free(block);
}

static void memory_counts_in_both(void **state) {
    (void)state;
    meguri_ctx *parent = context_with(2);
    meguri_ctx *child = child_of(parent, (meguri_ctx_child_options){.memory = 1000});
    void *other = mg_alloc(parent, 500, "a test"), *own = mg_alloc(child, 600, "a test");
    assert_int_equal(meguri_ctx_memory_used(child), 600);
    assert_int_equal(meguri_ctx_memory_used(parent), 1100);
    assert_int_equal(meguri_ctx_memory_limit(child), 1000);
    assert_int_equal(mg_memory_left(child), 400);
    mg_begin(child);
    assert_null(mg_alloc(child, 401, "a test"));
    assert_string_equal(meguri_ctx_error(child),
                        "not enough memory for a test: 401 bytes asked, 600 bytes of the budget of 1.00 kB in use; "
                        "allow more memory or use a smaller graph.");
    own = mg_resize(child, own, 400, "a test");
    assert_non_null(own);
    assert_int_equal(meguri_ctx_memory_used(parent), 900);
    meguri_ctx_free(child); /* what it has made counts until it is freed */
    assert_int_equal(meguri_ctx_memory_used(parent), 900);
    mg_free(own);
    mg_free(other);
    child = child_of(parent, (meguri_ctx_child_options){.memory = UINT64_MAX}); /* the parent's budget counts */
    mg_begin(child);
    assert_null(mg_alloc(child, (size_t)1 << 31, "a test"));
    assert_non_null(strstr(meguri_ctx_error(child), "of the budget of 1.07 GB in use"));
    assert_int_equal(meguri_ctx_memory_used(child), 0);
    own = mg_alloc(child, (size_t)8 << 20, "a test"); /* mapped; some of it is given back */
    mg_release_pages(own, 0, (size_t)4 << 20);
    mg_trim(own, (size_t)7 << 20);
    assert_int_equal(meguri_ctx_memory_used(child), meguri_ctx_memory_used(parent));
    mg_free(own);
    meguri_ctx_free(child);
    context_done(parent);
}

static meguri_graph *grid(meguri_ctx *ctx, uint64_t side) {
    meguri_graph *graph = NULL;
    meguri_grid_options o;
    meguri_grid_options_init(&o, sizeof o);
    o.width = o.height = (uint32_t)side;
    assert_int_equal(meguri_gen_grid(&graph, ctx, &o), MEGURI_OK);
    return graph;
}

static void cancel_stays(void **state) {
    (void)state;
    meguri_ctx *parent = context_with(2), *child = child_of(parent, (meguri_ctx_child_options){0});
    meguri_graph *graph = grid(parent, 30);
    meguri_result *result = NULL;
    assert_int_equal(meguri_bfs(&result, child, graph, 0, NULL), MEGURI_OK);
    meguri_result_free(result);
    assert_int_equal(meguri_ctx_cancelled(child), 0);
    meguri_ctx_cancel(child); /* between two calls */
    assert_int_equal(meguri_ctx_cancelled(child), 1);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(meguri_bfs(&result, child, graph, 0, NULL), MEGURI_CANCELLED);
        assert_null(result);
        assert_string_equal(meguri_ctx_error(child), "interrupted.");
    }
    assert_int_equal(meguri_bfs(&result, parent, graph, 0, NULL), MEGURI_OK);
    meguri_result_free(result);
    meguri_ctx_free(child);
    child = child_of(parent, (meguri_ctx_child_options){0});
    meguri_ctx_cancel(parent); /* and all its children */
    assert_int_equal(meguri_bfs(&result, child, graph, 0, NULL), MEGURI_CANCELLED);
    meguri_ctx_free(child);
    meguri_graph_free(graph);
    context_done(parent);
}

static meguri_ctx *to_cancel;
static void on_alarm(int number) {
    (void)number;
    meguri_ctx_cancel(to_cancel);
}

/* A signal in the middle of a long call. */
static void cancel_in_a_signal_handler(void **state) {
    (void)state;
    meguri_ctx *parent = context_with(2), *child = child_of(parent, (meguri_ctx_child_options){0});
    meguri_graph *graph = grid(parent, 100);
    meguri_result *result = NULL;
    meguri_betweenness_options all;
    meguri_betweenness_options_init(&all, sizeof all);
    to_cancel = child;
    struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART}, before;
    assert_int_equal(sigaction(SIGALRM, &action, &before), 0);
    const struct itimerval soon = {.it_value = {.tv_usec = 20000}};
    assert_int_equal(setitimer(ITIMER_REAL, &soon, NULL), 0);
    assert_int_equal(meguri_betweenness(&result, child, graph, &all), MEGURI_CANCELLED);
    assert_null(result);
    assert_int_equal(sigaction(SIGALRM, &before, NULL), 0);
    meguri_ctx_free(child);
    meguri_graph_free(graph);
    context_done(parent);
}

static void time_is_over(void **state) {
    (void)state;
    meguri_ctx *parent = context_with(2), *child = child_of(parent, (meguri_ctx_child_options){.timeout = 0.02});
    meguri_graph *graph = grid(parent, 100);
    meguri_result *result = NULL;
    double begin = mg_now();
    assert_int_equal(meguri_betweenness(&result, child, graph, NULL), MEGURI_TIMEOUT);
    assert_null(result);
    assert_true(mg_now() - begin < 20); /* all of it takes minutes; 50 ms on a machine that does nothing else */
    assert_string_equal(meguri_ctx_error(child), "the time of 0.02 seconds is over.");
    assert_int_equal(meguri_bfs(&result, child, graph, 0, NULL), MEGURI_TIMEOUT);
    meguri_ctx_cancel(child);
    assert_int_equal(meguri_bfs(&result, child, graph, 0, NULL), MEGURI_CANCELLED);
    meguri_ctx_free(child);
    meguri_graph_free(graph);
    context_done(parent);
}

/* ---- many threads, one context ---------------------------------------------------------------------------------- */

static void fail_in_turn(void *what, int thread) {
    meguri_ctx *ctx = what;
    char wanted[100];
    for (int i = 0; i < 500; i++) {
        snprintf(wanted, sizeof wanted, "thread %d, failure %d.", thread, i);
        meguri_ctx_fail(ctx, MEGURI_BAD_INPUT, wanted);
        if (strcmp(meguri_ctx_error(ctx), wanted) != 0) fail_msg("%s", meguri_ctx_error(ctx));
    }
}

static void each_thread_reads_its_own_failure(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    at_once(8, fail_in_turn, ctx);
    assert_string_equal(meguri_ctx_error(ctx), "thread 0, failure 499.");
    at_once(8, fail_in_turn, ctx); /* threads at the addresses of those that have ended */
    meguri_ctx *child = child_of(ctx, (meguri_ctx_child_options){0});
    assert_string_equal(meguri_ctx_error(child), "");
    meguri_ctx_free(child);
    context_done(ctx);
}

static void read_nothing(void *what, int thread) {
    if (thread && *meguri_ctx_error(what)) fail_msg("a thread without a call reads: %s", meguri_ctx_error(what));
}

static void read_the_child(void *what, int thread) {
    if (strcmp(meguri_ctx_error(what), "of a session.") != 0)
        fail_msg("thread %d reads: %s", thread, meguri_ctx_error(what));
}

static void who_has_not_called_reads_nothing(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    meguri_ctx_fail(ctx, MEGURI_BAD_INPUT, "mine.");
    at_once(4, read_nothing, ctx);
    meguri_ctx *child = child_of(ctx, (meguri_ctx_child_options){0});
    meguri_ctx_fail(child, MEGURI_BAD_INPUT, "of a session.");
    at_once(4, read_the_child, child); /* which may go from thread to thread */
    meguri_ctx_free(child);
    context_done(ctx);
}

typedef struct searching {
    meguri_ctx *ctx;
    meguri_graph *graph;
    double end;
    int failures;
    uint64_t reached; /* from anywhere */
} searching;

static void search(void *what, int thread) {
    searching *s = what;
    for (uint64_t i = 0; mg_now() < s->end; i++) {
        meguri_result *result = NULL;
        meguri_fact reached = {.size = sizeof reached};
        meguri_status status = meguri_bfs(&result, s->ctx, s->graph, 40 * ((i + (uint64_t)thread) % 5), NULL);
        if (status != MEGURI_OK || meguri_result_fact(&reached, result, "reached") != MEGURI_OK ||
            reached.number != s->reached)
            __atomic_fetch_add(&s->failures, 1, __ATOMIC_RELAXED);
        meguri_result_free(result);
    }
}

static void a_busy_team_is_done_without(void **state) {
    (void)state;
    searching s = {.ctx = context_with(3)};
    s.graph = grid(s.ctx, 200);
    meguri_result *result = NULL;
    meguri_fact reached = {.size = sizeof reached};
    assert_int_equal(meguri_bfs(&result, s.ctx, s.graph, 0, NULL), MEGURI_OK);
    assert_int_equal(meguri_result_fact(&reached, result, "reached"), MEGURI_OK);
    meguri_result_free(result);
    s.reached = reached.number;
    s.end = mg_now() + 0.5;
    at_once(8, search, &s);
    assert_int_equal(s.failures, 0);
    meguri_graph_free(s.graph);
    context_done(s.ctx);
}

/* ---- functions that are called ---------------------------------------------------------------------------------- */

typedef struct calling {
    meguri_ctx *ctx;
    meguri_graph *graph;
    uint64_t taken;
    int strangers;
    bool fails;
} calling;

static meguri_status take_and_call(void *user, uint64_t index, const meguri_result *of) {
    calling *c = user;
    meguri_result *result = NULL;
    (void)of;
    assert_int_equal(index, c->taken++);
    assert_int_equal(meguri_bfs(&result, c->ctx, c->graph, 5000, NULL), MEGURI_NOT_FOUND);
    assert_int_equal(meguri_bfs(&result, c->ctx, c->graph, index, NULL), MEGURI_OK);
    meguri_result_free(result);
    if (index == 7 && c->fails) return meguri_ctx_fail(c->ctx, MEGURI_NO_DISK, "the eighth is too much.");
    meguri_ctx_fail(c->ctx, MEGURI_BAD_INPUT, "this is nothing.");
    return MEGURI_OK;
}

static void callbacks_may_call(void **state) {
    (void)state;
    uint64_t sources[20];
    for (uint64_t i = 0; i < 20; i++) sources[i] = i;
    calling c = {.ctx = context_with(3)};
    c.graph = grid(c.ctx, 30);
    assert_int_equal(meguri_bfs_many(c.ctx, c.graph, sources, 20, NULL, take_and_call, &c), MEGURI_OK);
    assert_int_equal(c.taken, 20);
    assert_string_equal(meguri_ctx_error(c.ctx), "");
    c.taken = 0, c.fails = true;
    assert_int_equal(meguri_bfs_many(c.ctx, c.graph, sources, 20, NULL, take_and_call, &c), MEGURI_NO_DISK);
    assert_string_equal(meguri_ctx_error(c.ctx), "the eighth is too much.");
    meguri_graph_free(c.graph);
    context_done(c.ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_asked_for),
        cmocka_unit_test(memory_counts_in_both),
        cmocka_unit_test(cancel_stays),
        cmocka_unit_test(cancel_in_a_signal_handler),
        cmocka_unit_test(time_is_over),
        cmocka_unit_test(each_thread_reads_its_own_failure),
        cmocka_unit_test(who_has_not_called_reads_nothing),
        cmocka_unit_test(a_busy_team_is_done_without),
        cmocka_unit_test(callbacks_may_call),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
