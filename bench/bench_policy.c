/* How far from the best the policy of a breadth-first search is: its regret.
 *
 *     bench_policy SCALE|GRAPH.meg [THREADS [ROOTS [REPEATS [POLICY]]]]
 *
 * Whatever the ways of its steps, a search has the same levels. So each root is searched with the ways forced: push
 * throughout, pull throughout, and the two alternating from either. That times each way at each level after each way
 * before it (the change costs too); the shortest path through these times is the best possible. Printed: the time of
 * the ways that the policy chose, by the same table, and its ratio to the best. A time is the best of REPEATS.
 * MEGURI_STEPS=1 prints the table of each root. */
#include "graphs.h"

#include <math.h>

typedef struct level_times {
    double seconds[2][2]; /* [way before][way] */
    meguri_bfs_step step; /* as the policy's run saw it */
} level_times;

typedef struct table {
    level_times *levels;
    uint64_t count, capacity;
} table;

static int enter_run(table *t, const meguri_bfs_search *search, bool chosen) {
    uint64_t count = meguri_bfs_search_step_count(search) - 1; /* the last one finishes, whatever went before */
    if (count > t->capacity) {
        void *grown = realloc(t->levels, 2 * count * sizeof *t->levels);
        if (!grown) return 0;
        t->levels = grown;
        for (t->capacity = 2 * count; t->count < t->capacity; t->count++)
            t->levels[t->count] = (level_times){.seconds = {{INFINITY, INFINITY}, {INFINITY, INFINITY}}};
    }
    t->count = count;
    meguri_bfs_step step = {.size = sizeof step};
    for (uint64_t i = 0; i < count; i++) {
        int before = i && step.direction == MEGURI_BFS_DIRECTION_PULL;
        meguri_bfs_search_step_at(&step, search, i);
        int way = step.direction == MEGURI_BFS_DIRECTION_PULL;
        t->levels[i].seconds[before][way] = fmin(t->levels[i].seconds[before][way], step.seconds);
        if (chosen) t->levels[i].step = step;
    }
    return 1;
}

static double chosen_time(const table *t) {
    double sum = 0;
    for (uint64_t i = 0; i < t->count; i++) {
        int before = i && t->levels[i - 1].step.direction == MEGURI_BFS_DIRECTION_PULL;
        sum += t->levels[i].seconds[before][t->levels[i].step.direction == MEGURI_BFS_DIRECTION_PULL];
    }
    return sum;
}

static double best_time(const table *t) {
    double best[2] = {0, INFINITY}; /* a search begins with a list, as after a push */
    for (uint64_t i = 0; i < t->count; i++) {
        double next[2];
        for (int way = 0; way < 2; way++)
            next[way] = fmin(best[0] + t->levels[i].seconds[0][way], best[1] + t->levels[i].seconds[1][way]);
        best[0] = next[0];
        best[1] = next[1];
    }
    return fmin(best[0], best[1]);
}

static void print_table(const table *t) {
    for (uint64_t i = 0; i < t->count; i++) {
        const level_times *l = &t->levels[i];
        printf("  %4llu frontier %9llu reached %9llu chosen %s  push %9.1f (after pull %9.1f)  pull %9.1f (after push "
               "%9.1f) us%s\n",
               (unsigned long long)i, (unsigned long long)l->step.frontier, (unsigned long long)l->step.reached,
               l->step.direction == MEGURI_BFS_DIRECTION_PULL ? "pull" : "push", l->seconds[0][0] * 1e6,
               l->seconds[1][0] * 1e6, l->seconds[1][1] * 1e6, l->seconds[0][1] * 1e6,
               (fmin(l->seconds[1][1], l->seconds[0][1]) < fmin(l->seconds[0][0], l->seconds[1][0])) !=
                       (l->step.direction == MEGURI_BFS_DIRECTION_PULL)
                   ? "  *"
                   : "");
    }
}

/* One run with its ways forced by `pattern` (NULL: as the policy wants). */
static meguri_status run_once(table *t, meguri_ctx *ctx, const meguri_graph *graph, meguri_bfs_search *free_search,
                              uint64_t root, const char *pattern) {
    char *ways = NULL;
    meguri_bfs_search *search = free_search;
    const meguri_result *result;
    meguri_status status = MEGURI_OK;
    if (pattern) {
        uint64_t length = t->count + 2;
        ways = malloc(length + 1);
        if (!ways) return MEGURI_NO_MEMORY;
        for (uint64_t i = 0; i < length; i++) ways[i] = pattern[i % 2];
        ways[length] = '\0';
        meguri_bfs_options options = {.size = sizeof options,
                                      .max_depth = UINT32_MAX,
                                      .parents = 1,
                                      .levels = 0,
                                      .policy = MEGURI_BFS_FORCED,
                                      .directions = ways};
        status = meguri_bfs_search_new(&search, ctx, graph, &options);
    }
    /* Twice: the second time with everything in place. */
    for (int i = 0; i < 2 && status == MEGURI_OK; i++) {
        status = meguri_bfs_search_run(&result, ctx, search, root);
        if (status == MEGURI_OK && !enter_run(t, search, !pattern)) status = MEGURI_NO_MEMORY;
    }
    if (pattern) meguri_bfs_search_free(search);
    free(ways);
    return status;
}

static meguri_status measure(table *t, meguri_ctx *ctx, const meguri_graph *graph, meguri_bfs_search *search,
                             uint64_t root, int repeats) {
    static const char *const patterns[] = {NULL, ">>", "<<", "<>", "><"};
    meguri_status status = MEGURI_OK;
    for (int r = 0; r < repeats && status == MEGURI_OK; r++)
        for (int p = 0; p < 5 && status == MEGURI_OK; p++) status = run_once(t, ctx, graph, search, root, patterns[p]);
    return status;
}

int main(int argc, char **argv) {
    if (argc < 2) {
        fputs("usage: bench_policy SCALE|GRAPH.meg [THREADS [ROOTS [REPEATS [POLICY]]]]\n", stderr);
        return 2;
    }
    int roots = argc > 3 ? atoi(argv[3]) : 16, repeats = argc > 4 ? atoi(argv[4]) : 3;
    meguri_ctx *ctx;
    meguri_ctx_options ctx_options = {.size = sizeof ctx_options, .threads = argc > 2 ? (unsigned)atoi(argv[2]) : 0};
    if (meguri_ctx_new(&ctx, &ctx_options) != MEGURI_OK) return 4;
    meguri_graph *graph = NULL;
    meguri_bfs_search *search = NULL;
    meguri_bfs_options options = {
        .size = sizeof options, .max_depth = UINT32_MAX, .parents = 1, .alpha = 10, .beta = 14, .levels = 0};
    if (argc > 5 && strcmp(argv[5], "p1") == 0) options.policy = MEGURI_BFS_P1;
    uint64_t edges, random = 20;
    double chosen = 0, best = 0, worst = 1;
    meguri_status status = get_graph(&graph, &edges, ctx, argv[1]);
    if (status == MEGURI_OK) status = meguri_bfs_search_new(&search, ctx, graph, &options);
    for (int i = 0; i < roots && status == MEGURI_OK; i++) {
        table t = {0};
        uint64_t root = 0;
        status = random_root(&root, ctx, graph, &random);
        if (status == MEGURI_OK) status = measure(&t, ctx, graph, search, root, repeats);
        if (status == MEGURI_OK) {
            double c = chosen_time(&t), b = best_time(&t);
            chosen += c;
            best += b;
            worst = fmax(worst, c / b);
            if (getenv("MEGURI_STEPS")) {
                printf("root %llu: %.1f us, best %.1f us, regret %.3f\n", (unsigned long long)root, c * 1e6, b * 1e6,
                       c / b);
                print_table(&t);
            }
        }
        free(t.levels);
    }
    if (status == MEGURI_OK)
        printf("Chosen: %.6f\nBest: %.6f\nRegret: %.3f\nWorst Root: %.3f\n", chosen, best, chosen / best, worst);
    else fprintf(stderr, "bench_policy: %s\n", meguri_ctx_error(ctx));
    meguri_bfs_search_free(search);
    meguri_graph_free(graph);
    meguri_ctx_free(ctx);
    return meguri_status_exit_code(status);
}
