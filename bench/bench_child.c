/* What children and shared contexts cost: making one, a small search through one beside one through a context of its
 * own, and threads that ask one finder through one context beside contexts of their own, in turns.
 *
 *     bench_child [ROUNDS]
 *
 * Medians of 5,000 alternating calls; rates are medians of ROUNDS (15) pairs of half a second each. */
#include "graphs.h"

#include <meguri/path.h>
#include <pthread.h>

#define CALLS   5000
#define THREADS 8

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, size_t count) {
    qsort(values, count, sizeof *values, by_size);
    return values[count / 2];
}

static void must(meguri_status status, const meguri_ctx *ctx) {
    if (status == MEGURI_OK) return;
    fprintf(stderr, "bench_child: %s\n", meguri_ctx_error(ctx));
    exit(1);
}

static meguri_ctx *context(void) {
    meguri_ctx *ctx;
    meguri_ctx_options options = {.size = sizeof options, .memory = (uint64_t)1 << 30};
    must(meguri_ctx_new(&ctx, &options), NULL);
    return ctx;
}

static meguri_graph *streets(meguri_ctx *ctx, uint32_t width, uint32_t height) {
    meguri_graph *graph;
    meguri_grid_options grid = {.size = sizeof grid, .width = width, .height = height};
    must(meguri_gen_grid(&graph, ctx, &grid), ctx);
    return graph;
}

static void search(meguri_ctx *ctx, const meguri_graph *graph, uint64_t source) {
    meguri_result *result;
    must(meguri_bfs(&result, ctx, graph, source, NULL), ctx);
    meguri_result_free(result);
}

static void time_children(meguri_ctx *ctx) {
    static double made[CALLS], own[CALLS], through[CALLS];
    meguri_ctx *other = context(), *child;
    meguri_graph *graph = streets(ctx, 40, 25);
    for (uint64_t i = 0; i < CALLS; i++) {
        double begin = now();
        for (int k = 0; k < 100; k++) {
            must(meguri_ctx_child(&child, ctx, NULL), ctx);
            meguri_ctx_free(child);
        }
        double next = now();
        made[i] = (next - begin) / 100;
        search(other, graph, i % 1000);
        double last = now();
        own[i] = last - next;
        must(meguri_ctx_child(&child, ctx, NULL), ctx);
        search(child, graph, i % 1000);
        meguri_ctx_free(child);
        through[i] = now() - last;
    }
    printf("a child, made and freed: %.3f us\n", 1e6 * median(made, CALLS));
    double a = 1e6 * median(own, CALLS), b = 1e6 * median(through, CALLS);
    printf(
        "breadth-first search of 1,000 vertices: %.2f us with a context of its own, %.2f us with a child: %+.2f us\n",
        a, b, b - a);
    meguri_graph_free(graph);
    meguri_ctx_free(other);
}

typedef struct asking {
    meguri_ctx *ctx;
    const meguri_path_finder *finder;
    uint64_t vertices, seed, asked;
    double end;
    pthread_t thread;
} asking;

static void *ask(void *argument) {
    asking *a = argument;
    meguri_path_search *one;
    must(meguri_path_search_new(&one, a->ctx, a->finder), a->ctx);
    for (uint64_t x = a->seed; now() < a->end; a->asked++) {
        meguri_path_answer answer = {.size = sizeof answer};
        x = x * 6364136223846793005u + 1442695040888963407u;
        const meguri_path_query query = {
            .size = sizeof query, .from = (x >> 33) % a->vertices, .to = (x >> 20) % a->vertices};
        must(meguri_path_search_run(&answer, a->ctx, one, &query, NULL, NULL), a->ctx);
    }
    meguri_path_search_free(one);
    return NULL;
}

/* Questions a second. */
static double rate(meguri_ctx *const *contexts, int threads, const meguri_path_finder *finder, uint64_t vertices) {
    asking a[THREADS];
    double begin = now();
    uint64_t asked = 0;
    for (int i = 0; i < threads; i++) {
        a[i] = (asking){contexts[i], finder, vertices, (uint64_t)i + 1, 0, begin + 0.5, 0};
        if (pthread_create(&a[i].thread, NULL, ask, &a[i]) != 0) exit(1);
    }
    for (int i = 0; i < threads; i++) {
        pthread_join(a[i].thread, NULL);
        asked += a[i].asked;
    }
    return (double)asked / (now() - begin);
}

static void compare_rates(meguri_ctx *ctx, size_t rounds) {
    meguri_ctx *shared[THREADS], *own[THREADS];
    meguri_graph *graph = streets(ctx, 300, 300);
    meguri_graph_info info = {.size = sizeof info};
    meguri_path_index *index;
    meguri_path_finder *finder;
    must(meguri_graph_get_info(&info, ctx, graph), ctx);
    must(meguri_path_index_new(&index, ctx, graph, NULL), ctx);
    meguri_path_finder_options options;
    meguri_path_finder_options_init(&options, sizeof options);
    options.index = index;
    must(meguri_path_finder_new(&finder, ctx, graph, &options), ctx);
    for (int i = 0; i < THREADS; i++) shared[i] = ctx, own[i] = context();
    double *ratios = malloc(rounds * sizeof *ratios), *rates = malloc(rounds * sizeof *rates);
    for (int threads = 2; threads <= THREADS && ratios && rates; threads *= 4) {
        for (size_t i = 0; i < rounds; i++) {
            double first = rate(i % 2 ? own : shared, threads, finder, info.vertices);
            double second = rate(i % 2 ? shared : own, threads, finder, info.vertices);
            ratios[i] = i % 2 ? second / first : first / second;
            rates[i] = i % 2 ? second : first;
        }
        printf("%d threads, one indexed finder: %.0f questions a second through one context, %.3f of separate ones\n",
               threads, median(rates, rounds), median(ratios, rounds));
    }
    free(ratios);
    free(rates);
    for (int i = 0; i < THREADS; i++) meguri_ctx_free(own[i]);
    meguri_path_finder_free(finder);
    meguri_path_index_free(index);
    meguri_graph_free(graph);
}

int main(int argc, char **argv) {
    meguri_ctx *ctx = context();
    time_children(ctx);
    compare_rates(ctx, argc > 1 ? (size_t)atoi(argv[1]) : 15);
    meguri_ctx_free(ctx);
    return 0;
}
