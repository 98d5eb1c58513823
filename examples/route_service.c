/* A route service: route_service FILE.meg [SECONDS] reads questions from standard input, "FROM TO" a line, and answers
 * each with its number, its cost and its edges. Eight threads share one graph, one finder and one context; each
 * question gets a child of the context, which has a time limit, an error text and a cancel of its own. Ctrl-C cancels
 * what is running: meguri_ctx_cancel may be called by a handler of signals.
 *
 * A question runs on the thread that asks it: threads of the context help only where one call is alone. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <meguri.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 8 };

typedef struct service {
    meguri_ctx *ctx;
    const meguri_graph *graph;
    const meguri_path_finder *finder;
    double seconds;       /* for a question; 0: no limit */
    pthread_mutex_t lock; /* of standard input and output */
    uint64_t questions;
    int failed;
} service;

static meguri_ctx *interrupted;
static void interrupt(int signal_number) {
    (void)signal_number;
    meguri_ctx_cancel(interrupted);
}

/* Answers one question on this thread; the sentence of a failure is that of the child. */
static meguri_status answer(meguri_path_answer *out, meguri_ctx *child, const service *s, const char *from,
                            const char *to) {
    meguri_path_query query = {.size = sizeof query};
    query.costs_only = 1;
    meguri_status status = meguri_graph_find_like(&query.from, child, s->graph, from);
    if (status == MEGURI_OK) status = meguri_graph_find_like(&query.to, child, s->graph, to);
    if (status == MEGURI_OK) status = meguri_path_find(out, child, s->finder, &query, NULL, NULL);
    return status;
}

static void *serve(void *argument) {
    service *s = argument;
    for (;;) {
        char line[512], from[256], to[256];
        pthread_mutex_lock(&s->lock);
        const int more = fgets(line, sizeof line, stdin) != NULL;
        const uint64_t number = s->questions += (uint64_t)more;
        pthread_mutex_unlock(&s->lock);
        if (!more || meguri_ctx_cancelled(s->ctx)) return NULL;
        if (sscanf(line, "%255s %255s", from, to) != 2) continue;

        meguri_ctx_child_options options;
        meguri_ctx_child_options_init(&options, sizeof options);
        options.timeout = s->seconds;
        meguri_ctx *child = NULL;
        meguri_path_answer found = {.size = sizeof found};
        meguri_status status = meguri_ctx_child(&child, s->ctx, &options);
        if (status == MEGURI_OK) status = answer(&found, child, s, from, to);
        pthread_mutex_lock(&s->lock);
        if (status != MEGURI_OK) printf("%" PRIu64 " error: %s\n", number, meguri_ctx_error(child));
        else if (!found.paths) printf("%" PRIu64 " no path\n", number);
        else printf("%" PRIu64 " cost %.15g\n", number, found.cost);
        s->failed |= status != MEGURI_OK;
        pthread_mutex_unlock(&s->lock);
        meguri_ctx_free(child);
    }
}

int main(int argc, char **argv) {
    service s = {.lock = PTHREAD_MUTEX_INITIALIZER, .seconds = argc > 2 ? strtod(argv[2], NULL) : 1};
    meguri_graph *graph = NULL;
    meguri_path_finder *finder = NULL;
    pthread_t threads[THREADS];
    int running = 0;
    if (argc < 2) {
        fprintf(stderr, "usage: route_service FILE.meg [SECONDS] < QUESTIONS\n");
        return 2;
    }
    if (meguri_ctx_new(&s.ctx, NULL) || meguri_open(&graph, s.ctx, argv[1], NULL) ||
        meguri_path_finder_new(&finder, s.ctx, graph, NULL)) {
        fprintf(stderr, "%s\n", meguri_ctx_error(s.ctx));
        s.failed = 1;
        goto cleanup;
    }
    s.graph = graph;
    s.finder = finder;
    interrupted = s.ctx;
    signal(SIGINT, interrupt);
    while (running < THREADS && !pthread_create(&threads[running], NULL, serve, &s)) running++;
    for (int i = 0; i < running; i++) pthread_join(threads[i], NULL);
cleanup:
    meguri_path_finder_free(finder);
    meguri_graph_free(graph);
    meguri_ctx_free(s.ctx);
    return s.failed || !running;
}
