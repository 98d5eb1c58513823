/* The regret of `auto`: a vertex program by every delivery that can be forced and by auto, in turns.
 *
 *     bench_run SCALE|GRAPH.meg PROGRAM.c [THREADS [RUNS [WORKERS [ARGUMENT…]]]]
 *
 * Each series begins with another. A delivery that takes more than three times as long as auto is not run again: it
 * cannot be the best. WORKERS: logical ones; 0 (if not given): one. Regret: the fastest run by auto over the fastest of
 * all forced ones, and the same of medians. */
#include "graphs.h"

#include <meguri/run.h>

#define MOST_RUNS 100

typedef struct way {
    meguri_delivery delivery;
    unsigned runs;
    bool refused; /* a program without a combiner cannot combine */
    double seconds[MOST_RUNS];
} way;

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double best_of(const way *w) {
    double best = w->seconds[0];
    for (unsigned i = 1; i < w->runs; i++) best = w->seconds[i] < best ? w->seconds[i] : best;
    return best;
}

static meguri_status run_once(way *w, meguri_ctx *ctx, const meguri_graph *graph, const meguri_program_list *programs,
                              meguri_run_options *options) {
    meguri_result *result = NULL;
    meguri_fact seconds = {.size = sizeof seconds};
    options->delivery = w->delivery;
    meguri_status status = meguri_run(&result, ctx, graph, programs, options);
    if (status == MEGURI_BAD_ARGUMENT && w->delivery == MEGURI_DELIVERY_COMBINE) {
        w->refused = true;
        return MEGURI_OK;
    }
    if (status == MEGURI_OK) status = meguri_result_fact(&seconds, result, "seconds");
    if (status == MEGURI_OK) w->seconds[w->runs++] = seconds.real;
    meguri_result_free(result);
    return status;
}

static meguri_status run_all(way *ways, unsigned count, meguri_ctx *ctx, const meguri_graph *graph,
                             const meguri_program_list *programs, meguri_run_options *options, unsigned runs) {
    meguri_status status = MEGURI_OK;
    for (unsigned i = 0; i < runs; i++)
        for (unsigned turn = 0; turn < count && status == MEGURI_OK; turn++) {
            unsigned k = (turn + i) % count;
            bool slow = k && ways[k].runs && best_of(&ways[k]) > 3 * best_of(&ways[0]);
            if (!slow && !ways[k].refused) status = run_once(&ways[k], ctx, graph, programs, options);
        }
    return status;
}

static void print_regret(way *ways, unsigned count) {
    double best = 0, median = 0;
    for (unsigned k = 0; k < count; k++) {
        way *w = &ways[k];
        if (w->refused) continue;
        qsort(w->seconds, w->runs, sizeof *w->seconds, by_size);
        printf("%-12s fastest %.6f, median %.6f (%u runs)\n", meguri_delivery_name(w->delivery), w->seconds[0],
               w->seconds[w->runs / 2], w->runs);
        if (k && (!best || w->seconds[0] < best)) best = w->seconds[0];
        if (k && (!median || w->seconds[w->runs / 2] < median)) median = w->seconds[w->runs / 2];
    }
    printf("Regret: %.3f, of medians %.3f\n", ways[0].seconds[0] / best, ways[0].seconds[ways[0].runs / 2] / median);
}

int main(int argc, char **argv) {
    static way ways[MEGURI_DELIVERY_MIRROR + 1];
    const unsigned count = MEGURI_DELIVERY_MIRROR + 1;
    unsigned threads = argc > 3 ? (unsigned)atoi(argv[3]) : 0, runs = argc > 4 ? (unsigned)atoi(argv[4]) : 5;
    if (argc < 3 || !runs || runs > MOST_RUNS) {
        fputs("usage: bench_run SCALE|GRAPH.meg PROGRAM.c [THREADS [RUNS [WORKERS [ARGUMENT…]]]]\n", stderr);
        return 2;
    }
    meguri_ctx *ctx;
    meguri_ctx_options ctx_options = {.size = sizeof ctx_options, .threads = threads};
    if (meguri_ctx_new(&ctx, &ctx_options) != MEGURI_OK) return 4;
    meguri_run_options options = {.size = sizeof options,
                                  .workers = argc > 5 ? (uint32_t)atoi(argv[5]) : 0,
                                  .argc = argc > 6 ? argc - 6 : 0,
                                  .argv = (const char *const *)argv + 6};
    meguri_graph *graph = NULL;
    meguri_program_file *program = NULL;
    uint64_t edges;
    for (unsigned k = 0; k < count; k++) ways[k].delivery = (meguri_delivery)k;
    meguri_status status = get_graph(&graph, &edges, ctx, argv[1]);
    if (status == MEGURI_OK) status = meguri_program_open(&program, ctx, argv[2], NULL);
    if (status == MEGURI_OK)
        status = run_all(ways, count, ctx, graph, meguri_program_file_list(program), &options, runs);
    if (status == MEGURI_OK) print_regret(ways, count);
    else fprintf(stderr, "bench_run: %s\n", meguri_ctx_error(ctx));
    meguri_program_close(program);
    meguri_graph_free(graph);
    meguri_ctx_free(ctx);
    return meguri_status_exit_code(status);
}
