/* Cheapest paths between random pairs of a graph: vertices settled and time of each algorithm, one question after
 * another and many on threads.
 *
 *     bench_path GRAPH.meg [PAIRS [SEED [index]]]
 *
 * With `index`, or where the file has one, also by the index. */
#include "graphs.h"

#include <math.h>

typedef struct pairs {
    meguri_path_query *queries;
    uint64_t count;
    double *costs; /* of the first algorithm; the others must agree */
} pairs;

typedef struct sums {
    double seconds, settled, edges;
    uint64_t found, wrong;
    double *each; /* seconds of each question */
} sums;

static int note_cost(void *user, const meguri_path *path) {
    *(double *)user = path->cost;
    return 0;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static meguri_status ask_all(sums *out, meguri_ctx *ctx, meguri_path_search *search, pairs *p,
                             meguri_path_algorithm algorithm, bool first) {
    double *each = out->each;
    *out = (sums){.each = each};
    for (uint64_t i = 0; i < p->count; i++) {
        meguri_path_query query = p->queries[i];
        meguri_path_answer answer = {.size = sizeof answer};
        double cost = -1;
        query.algorithm = algorithm;
        meguri_status status = meguri_path_search_run(&answer, ctx, search, &query, note_cost, &cost);
        if (status != MEGURI_OK) return status;
        if (first) p->costs[i] = cost;
        else out->wrong += fabs(cost - p->costs[i]) > 1e-9 * fabs(cost);
        out->seconds += each[i] = answer.seconds;
        out->settled += (double)answer.settled;
        out->edges += (double)answer.edges;
        out->found += answer.paths;
    }
    qsort(each, p->count, sizeof *each, by_size);
    return MEGURI_OK;
}

/* Costs of what comes from meguri_path_many, where the pairs are asked again and again. */
typedef struct taken {
    double *costs;
    uint64_t count;
} taken;

static int take_path(void *user, uint64_t question, const meguri_path *path) {
    taken *t = user;
    t->costs[question % t->count] = path->cost;
    return 0;
}

static meguri_status take_answer(void *user, uint64_t question, const meguri_path_answer *answer) {
    (void)user, (void)question, (void)answer;
    return MEGURI_OK;
}

/* Seconds for each question, at best. Where there is an index questions are short, and each pair is asked ROUNDS times.
 */
#define ROUNDS 32
static meguri_status ask_many(double *seconds, uint64_t *wrong, const meguri_graph *graph, const pairs *p,
                              uint32_t threads, int with_index) {
    meguri_ctx *ctx;
    meguri_ctx_options options = {.size = sizeof options, .threads = threads};
    meguri_status status = meguri_ctx_new(&ctx, &options);
    if (status != MEGURI_OK) return status;
    meguri_path_finder *finder = NULL;
    meguri_path_search *search = NULL;
    meguri_path_finder_options finder_options = {
        .size = sizeof finder_options, .index_use = with_index ? MEGURI_PATH_INDEX_MAKE : MEGURI_PATH_INDEX_STORED};
    double *costs = malloc(p->count * sizeof *costs);
    taken t = {costs, p->count};
    meguri_graph_info info = {.size = sizeof info};
    for (uint64_t i = 0; i < p->count; i++) costs[i] = -1;
    status = meguri_path_finder_new(&finder, ctx, graph, &finder_options);
    if (status == MEGURI_OK) status = meguri_path_search_new(&search, ctx, finder);
    if (status == MEGURI_OK) status = meguri_graph_get_info(&info, ctx, graph);
    uint64_t rounds = with_index || info.has_path_index ? ROUNDS : 1, asked = rounds * p->count;
    meguri_path_query *queries = malloc(asked * sizeof *queries);
    for (uint64_t i = 0; i < asked; i++) queries[i] = p->queries[i % p->count];
    /* The first time makes what questions share. */
    if (status == MEGURI_OK)
        status =
            meguri_path_many(ctx, search, queries, rounds > 1 || asked < 64 ? asked : 64, take_path, take_answer, &t);
    *seconds = INFINITY;
    double begin = now();
    for (int repeat = 0; repeat < 5 && now() < begin + 2 && status == MEGURI_OK; repeat++) {
        double start = now();
        status = meguri_path_many(ctx, search, queries, asked, take_path, take_answer, &t);
        *seconds = fmin(*seconds, (now() - start) / (double)asked);
    }
    free(queries);
    *wrong = 0;
    for (uint64_t i = 0; i < p->count; i++) *wrong += fabs(costs[i] - p->costs[i]) > 1e-9 * fabs(costs[i]);
    if (status != MEGURI_OK) fprintf(stderr, "bench_path: %s\n", meguri_ctx_error(ctx));
    free(costs);
    meguri_path_search_free(search);
    meguri_path_finder_free(finder);
    meguri_ctx_free(ctx);
    return status;
}

static meguri_status table(meguri_ctx *ctx, const meguri_graph *graph, pairs *p, int with_index) {
    static const struct {
        const char *name;
        meguri_path_algorithm algorithm;
    } rows[] = {{"dijkstra", MEGURI_PATH_DIJKSTRA},
                {"bidirectional", MEGURI_PATH_BIDIRECTIONAL},
                {"astar", MEGURI_PATH_ASTAR},
                {"auto", MEGURI_PATH_AUTO},
                {"indexed", MEGURI_PATH_INDEXED}};
    meguri_path_finder *finder;
    double start = now();
    meguri_path_finder_options options = {.size = sizeof options,
                                          .index_use = with_index ? MEGURI_PATH_INDEX_MAKE : MEGURI_PATH_INDEX_STORED};
    meguri_status status = meguri_path_finder_new(&finder, ctx, graph, &options);
    meguri_path_search *search = NULL;
    if (status == MEGURI_OK) status = meguri_path_search_new(&search, ctx, finder);
    if (status != MEGURI_OK) {
        meguri_path_finder_free(finder);
        return status;
    }
    printf("prepared in %.4f s\n%-14s %12s %12s %10s %10s %10s %8s %6s\n", now() - start, "", "settled", "edges",
           "mean us", "median us", "p95 us", "found", "wrong");
    sums s = {.each = malloc(p->count * sizeof(double))};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        meguri_status asked = ask_all(&s, ctx, search, p, rows[i].algorithm, i == 0);
        if (asked != MEGURI_OK) {
            printf("%-14s %s\n", rows[i].name, meguri_ctx_error(ctx));
            continue;
        }
        double n = (double)p->count;
        printf("%-14s %12.0f %12.0f %10.1f %10.1f %10.1f %8llu %6llu\n", rows[i].name, s.settled / n, s.edges / n,
               1e6 * s.seconds / n, 1e6 * s.each[p->count / 2], 1e6 * s.each[p->count * 95 / 100],
               (unsigned long long)s.found, (unsigned long long)s.wrong);
    }
    free(s.each);
    meguri_path_search_free(search);
    meguri_path_finder_free(finder);
    return MEGURI_OK;
}

int main(int argc, char **argv) {
    if (argc < 2) {
        fputs("usage: bench_path GRAPH.meg [PAIRS [SEED [index]]]\n", stderr);
        return 2;
    }
    uint64_t count = argc > 2 ? (uint64_t)atoll(argv[2]) : 100, random = argc > 3 ? (uint64_t)atoll(argv[3]) : 1, edges;
    if (!count) return 2;
    meguri_ctx *ctx;
    meguri_ctx_options options = {.size = sizeof options};
    if (meguri_ctx_new(&ctx, &options) != MEGURI_OK) return 4;
    if (getenv("MEGURI_TRACE")) meguri_ctx_trace(ctx, getenv("MEGURI_TRACE"));
    meguri_graph *graph = NULL;
    pairs p = {.queries = calloc(count, sizeof *p.queries), .count = count, .costs = calloc(count, sizeof *p.costs)};
    meguri_status status = get_graph(&graph, &edges, ctx, argv[1]);
    for (uint64_t i = 0; i < count && status == MEGURI_OK; i++) {
        p.queries[i].size = sizeof p.queries[i];
        do {
            status = random_root(&p.queries[i].from, ctx, graph, &random);
            if (status == MEGURI_OK) status = random_root(&p.queries[i].to, ctx, graph, &random);
        } while (status == MEGURI_OK && p.queries[i].from == p.queries[i].to);
    }
    if (status == MEGURI_OK) status = table(ctx, graph, &p, argc > 4);
    double one = 0;
    for (uint32_t threads = 1; threads <= 2 && status == MEGURI_OK; threads++) {
        double seconds;
        uint64_t wrong;
        status = ask_many(&seconds, &wrong, graph, &p, threads, argc > 4);
        if (threads == 1) one = seconds;
        if (status == MEGURI_OK)
            printf("many, %u threads: %.1f us each, ratio %.2f, wrong %llu\n", threads, 1e6 * seconds, one / seconds,
                   (unsigned long long)wrong);
    }
    if (status != MEGURI_OK) fprintf(stderr, "bench_path: %s\n", meguri_ctx_error(ctx));
    free(p.queries);
    free(p.costs);
    meguri_graph_free(graph);
    meguri_ctx_free(ctx);
    return meguri_status_exit_code(status);
}
