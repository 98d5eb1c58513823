/* Under limits of memory and of threads the library returns: the right answer, on fewer threads if need be, or
 * MEGURI_NO_MEMORY and a sentence. Every try is a child of its own. */
#define _GNU_SOURCE
#include "support/sanitized.h"
#include "support/unit.h"

#include <grp.h>
#include <meguri.h>
#include <meguri/extra/cluster_threads.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

#define THREADS 4
#define NOBODY  65534

/* How a child ends. */
enum { RIGHT = 0, NO_MEMORY = 40, NO_CONTEXT = 41, WRONG = 42, NO_SENTENCE = 43, NO_WARNING = 44, TWO_WARNINGS = 45 };

static int warnings;
static void count_warning(void *user, meguri_log_level level, const char *text) {
    (void)user;
    if (level == MEGURI_LOG_WARNING && strncmp(text, "only ", 5) == 0) warnings++;
}

static meguri_status work(meguri_ctx *ctx, uint64_t *answer) {
    meguri_kronecker_options o = {.size = sizeof o, .scale = 15, .weights = MEGURI_TYPE_U32};
    meguri_graph *graph = NULL;
    meguri_result *result = NULL;
    meguri_fact fact = {.size = sizeof fact};
    meguri_status status = meguri_gen_kronecker(&graph, ctx, &o);
    if (status == MEGURI_OK) status = meguri_bfs(&result, ctx, graph, 1, NULL);
    if (status == MEGURI_OK) status = meguri_result_fact(&fact, result, "reached");
    *answer = fact.number;
    meguri_result_free(result);
    result = NULL;
    if (status == MEGURI_OK) status = meguri_sssp(&result, ctx, graph, 1, NULL);
    if (status == MEGURI_OK) status = meguri_result_fact(&fact, result, "farthest");
    *answer = *answer * 1000003 + fact.number;
    meguri_result_free(result);
    result = NULL;
    if (status == MEGURI_OK) status = meguri_components(&result, ctx, graph, NULL);
    if (status == MEGURI_OK) status = meguri_result_fact(&fact, result, "components");
    *answer = *answer * 1000003 + fact.number;
    meguri_result_free(result);
    meguri_graph_free(graph);
    return status;
}

static meguri_status on_ranks(void *user, meguri_ctx *ctx, meguri_cluster *cluster) {
    meguri_layout layout = {.size = sizeof layout, .cluster = cluster};
    meguri_kronecker_options o = {.size = sizeof o,
                                  .scale = 12,
                                  .build =
                                      &(meguri_build_options){.size = sizeof(meguri_build_options), .layout = &layout}};
    meguri_graph *shards = NULL;
    meguri_result *result = NULL;
    (void)user;
    meguri_status status = meguri_gen_kronecker(&shards, ctx, &o);
    if (status == MEGURI_OK) status = meguri_bfs(&result, ctx, shards, 1, NULL);
    meguri_result_free(result);
    meguri_graph_free(shards);
    return status;
}

static meguri_status run_ranks(meguri_ctx *ctx) {
    meguri_cluster_threads_options ranks = {.size = sizeof ranks, .ranks = 3, .threads_each = 2};
    return meguri_cluster_threads(ctx, &ranks, on_ranks, NULL);
}

/* In a child, its limits set. */
static int try_work(uint64_t right, bool clustered) {
    meguri_ctx *ctx;
    meguri_ctx_options o = {.size = sizeof o,
                            .threads = THREADS,
                            .memory = (uint64_t)1 << 30,
                            .log = count_warning,
                            .log_level = MEGURI_LOG_WARNING};
    uint64_t answer = right;
    if (meguri_ctx_new(&ctx, &o) != MEGURI_OK) return NO_CONTEXT;
    meguri_status status = clustered ? run_ranks(ctx) : work(ctx, &answer);
    /* A message between ranks that finds no memory ends the cluster, and the others hear of that alone. */
    bool lacked = status == MEGURI_NO_MEMORY || (clustered && status == MEGURI_ENGINE_FAILED);
    int end = status == MEGURI_OK ? (answer == right ? RIGHT : WRONG) : lacked ? NO_MEMORY : WRONG;
    if (end == WRONG) fprintf(stderr, "%d: %s\n", (int)status, meguri_ctx_error(ctx));
    if (end == NO_MEMORY && !*meguri_ctx_error(ctx)) end = NO_SENTENCE;
    if (end == RIGHT && !clustered && (meguri_ctx_threads(ctx) < THREADS) != (warnings > 0)) end = NO_WARNING;
    if (warnings > 1) end = TWO_WARNINGS;
    meguri_ctx_free(ctx);
    return end;
}

static int in_child(uint64_t right, bool clustered, int resource, rlim_t limit) {
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (resource == RLIMIT_NPROC && (setgroups(0, NULL) || setgid(NOBODY) || setuid(NOBODY))) _exit(WRONG);
        if (setrlimit((__rlimit_resource_t)resource, &(struct rlimit){limit, limit})) _exit(WRONG);
        _exit(try_work(right, clustered));
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFSIGNALED(status)) fail_msg("signal %d under the limit %llu", WTERMSIG(status), (unsigned long long)limit);
    return WEXITSTATUS(status);
}

/* Computed in a child, too, so that this process has no threads that a fork would lose. */
static uint64_t right_answer(void) {
    int ends[2];
    uint64_t answer = 0;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        meguri_ctx *ctx = context_with(1);
        _exit(work(ctx, &answer) == MEGURI_OK && write(ends[1], &answer, sizeof answer) == sizeof answer ? 0 : 1);
    }
    assert_int_equal(read(ends[0], &answer, sizeof answer), sizeof answer);
    waitpid(child, NULL, 0);
    close(ends[0]);
    close(ends[1]);
    return answer;
}

/* Bytes of address space that this process has now. */
static uint64_t mapped_now(void) {
    unsigned long long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%llu", &pages), 1);
    fclose(file);
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void sweep_memory(bool clustered) {
    if (UNDER_ASAN || UNDER_TSAN) skip(); /* shadow memory is larger than any limit */
    uint64_t right = right_answer(), base = mapped_now();
    int seen[256] = {0};
    for (uint64_t more = 0; more < (uint64_t)96 << 20; more += 1700001) {
        int end = in_child(right, clustered, RLIMIT_AS, (rlim_t)(base + more));
        seen[end]++;
        if (end != RIGHT && end != NO_MEMORY && end != NO_CONTEXT)
            fail_msg("%d with %llu bytes more", end, (unsigned long long)more);
    }
    assert_true(seen[RIGHT] > 20);
    assert_true(seen[NO_MEMORY] + seen[NO_CONTEXT] > 0);
}

static void little_address_space(void **state) {
    (void)state;
    sweep_memory(false);
}

static void little_address_space_for_ranks(void **state) {
    (void)state;
    sweep_memory(true);
}

static void few_threads(void **state) {
    (void)state;
    if (geteuid() != 0) {
        print_message("skipped: only root can become somebody without processes\n");
        skip();
    }
    uint64_t right = right_answer();
    for (rlim_t limit = 1; limit <= 12; limit++) {
        assert_int_equal(in_child(right, false, RLIMIT_NPROC, limit), RIGHT);
        int end = in_child(right, true, RLIMIT_NPROC, limit);
        assert_true(end == RIGHT || end == NO_MEMORY);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(little_address_space),
        cmocka_unit_test(little_address_space_for_ranks),
        cmocka_unit_test(few_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
