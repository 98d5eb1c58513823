/* One graph in several processes: processes FILE.meg [PROCESSES] opens a graph once and forks; every child searches
 * from vertices of its own and prints how far it came.
 *
 * A .meg file is mapped, so its pages are in memory once, whatever the number of processes. A child of fork may use the
 * graph and make contexts of its own; threads of the parent do not exist there, and a context makes its own when it
 * needs them. A context that another thread of the parent was using at the moment of the fork must not be used. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <meguri.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int fail(const meguri_ctx *ctx, const char *what) {
    fprintf(stderr, "%s: %s\n", what, meguri_ctx_error(ctx));
    return 1;
}

/* What a child does: searches from every PROCESSES-th vertex, and the vertices it reached at most. */
static int search(const meguri_graph *graph, uint64_t vertices, int child, int children) {
    meguri_ctx_options options;
    meguri_ctx_options_init(&options, sizeof options);
    options.threads = 1; /* the processes are parallel already */
    meguri_ctx *ctx = NULL;
    meguri_bfs_search *searches = NULL;
    uint64_t most = 0, count = 0;
    if (meguri_ctx_new(&ctx, &options)) return fail(ctx, "context");
    int failed = meguri_bfs_search_new(&searches, ctx, graph, NULL) ? fail(ctx, "search") : 0;
    for (uint64_t v = (uint64_t)child; v < vertices && count < 100 && !failed; v += (uint64_t)children, count++) {
        const meguri_result *result;
        meguri_fact reached = {.size = sizeof reached};
        if (meguri_bfs_search_run(&result, ctx, searches, v) || meguri_result_fact(&reached, result, "reached"))
            failed = fail(ctx, "search");
        else if (reached.number > most) most = reached.number;
    }
    if (!failed) printf("process %d: %" PRIu64 " searches, at most %" PRIu64 " vertices reached\n", child, count, most);
    fflush(stdout);
    meguri_bfs_search_free(searches);
    meguri_ctx_free(ctx);
    return failed;
}

int main(int argc, char **argv) {
    const int children = argc > 2 ? atoi(argv[2]) : 4;
    if (argc < 2 || children < 1 || children > 64) {
        fprintf(stderr, "usage: processes FILE.meg [PROCESSES]\n");
        return 2;
    }
    meguri_ctx *ctx = NULL;
    meguri_graph *graph = NULL;
    meguri_graph_info info = {.size = sizeof info};
    int failed = 0;
    if (meguri_ctx_new(&ctx, NULL) || meguri_open(&graph, ctx, argv[1], NULL) ||
        meguri_graph_get_info(&info, ctx, graph)) {
        failed = fail(ctx, argv[1]);
        goto cleanup;
    }
    for (int child = 0; child < children; child++) {
        const pid_t pid = fork();
        if (pid == 0) _exit(search(graph, info.vertices, child, children));
        if (pid < 0) failed = (perror("fork"), 1);
    }
    for (int status; wait(&status) > 0;) failed |= !WIFEXITED(status) || WEXITSTATUS(status);
cleanup:
    meguri_graph_free(graph);
    meguri_ctx_free(ctx);
    return failed;
}
