/* A program with every kind of callback, none of which locks anything: they come on the calling thread. It is compiled
 * with ThreadSanitizer, the library is not. Usage: callbacks; exit code 0, or 1 and what was wrong. */
#include <meguri.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SOURCES 300

/* What callbacks write, without a lock. */
typedef struct notes {
    pthread_t thread;
    meguri_ctx *ctx;
    uint64_t next, paths, lines, reports, strangers;
} notes;

static void note_thread(notes *n) { n->strangers += !pthread_equal(n->thread, pthread_self()); }

static meguri_status take(void *user, uint64_t index, const meguri_result *result) {
    notes *n = user;
    note_thread(n);
    return result && index == n->next++ ? MEGURI_OK : MEGURI_WRONG_ANSWER;
}

static int take_path(void *user, uint64_t index, const meguri_path *path) {
    notes *n = user;
    note_thread(n);
    n->paths += index == n->next && path->hops > 0;
    return 0;
}

static meguri_status take_answer(void *user, uint64_t index, const meguri_path_answer *answer) {
    notes *n = user;
    note_thread(n);
    return answer && index == n->next++ ? MEGURI_OK : MEGURI_WRONG_ANSWER;
}

static void take_line(void *user, const char *line, size_t length) {
    notes *n = user;
    note_thread(n);
    n->lines += strlen(line) == length;
}

static int report(void *user, const char *phase, uint64_t done, uint64_t total) {
    notes *n = user;
    (void)phase, (void)done, (void)total;
    note_thread(n);
    n->reports++;
    return 0;
}

static void must(meguri_status status, const notes *n, const char *what) {
    if (status == MEGURI_OK) return;
    fprintf(stderr, "%s: %s (%s)\n", what, meguri_status_text(status), meguri_ctx_error(n->ctx));
    exit(1);
}

static void ask_paths(notes *n, const meguri_graph *graph, const uint64_t *sources) {
    meguri_path_finder *finder;
    meguri_path_search *search;
    static meguri_path_query queries[SOURCES];
    for (uint64_t i = 0; i < SOURCES; i++)
        queries[i] = (meguri_path_query){.size = sizeof *queries, .from = sources[i], .to = 9999 - sources[i]};
    must(meguri_path_finder_new(&finder, n->ctx, graph, NULL), n, "finder");
    must(meguri_path_search_new(&search, n->ctx, finder), n, "search");
    n->next = 0;
    must(meguri_path_many(n->ctx, search, queries, SOURCES, take_path, take_answer, n), n, "meguri_path_many");
    meguri_path_search_free(search);
    meguri_path_finder_free(finder);
}

int main(void) {
    notes n = {.thread = pthread_self()};
    meguri_ctx_options options = {
        .size = sizeof options, .threads = 4, .memory = (uint64_t)1 << 30, .progress = report};
    meguri_grid_options grid;
    meguri_graph *graph;
    uint64_t sources[SOURCES];
    for (uint64_t i = 0; i < SOURCES; i++) sources[i] = i * 7;
    options.progress_user = &n;
    if (meguri_ctx_new(&n.ctx, &options) != MEGURI_OK) return 1;
    meguri_grid_options_init(&grid, sizeof grid);
    grid.width = grid.height = 100;
    must(meguri_gen_grid(&graph, n.ctx, &grid), &n, "grid");
    must(meguri_ctx_trace_to(n.ctx, take_line, &n), &n, "trace");
    must(meguri_bfs_many(n.ctx, graph, sources, SOURCES, NULL, take, &n), &n, "meguri_bfs_many");
    n.next = 0;
    must(meguri_sssp_many(n.ctx, graph, sources, SOURCES, NULL, take, &n), &n, "meguri_sssp_many");
    n.next = 0;
    must(meguri_sssp_table(n.ctx, graph, sources, SOURCES, sources, 10, NULL, take, &n), &n, "meguri_sssp_table");
    if (n.next != SOURCES) return fprintf(stderr, "%d rows\n", (int)n.next), 1;
    ask_paths(&n, graph, sources);
    if (n.next != SOURCES || !n.paths || !n.lines || !n.reports || n.strangers)
        return fprintf(stderr, "%d answers, %d paths, %d lines, %d reports; %d calls on other threads\n", (int)n.next,
                       (int)n.paths, (int)n.lines, (int)n.reports, (int)n.strangers),
               1;
    meguri_graph_free(graph);
    meguri_ctx_free(n.ctx);
    return 0;
}
