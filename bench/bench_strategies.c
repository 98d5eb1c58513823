/* Shortest paths on a device, strategy beside strategy: every source is searched from by each in turn.
 *
 *     bench_strategies FILE.meg [SOURCES [STRATEGY…]]
 *
 * STRATEGY: host, all, selected, adaptive, adaptive@UP:DOWN (thresholds in microseconds), near-far; all of them where
 * none is named. Sources are random vertices that have edges. Each strategy has a search handle, and one search before
 * the first that counts. A line for each strategy: median, mean and fastest in seconds, how many times as fast as the
 * first (ratio of medians), phases of the last search. MEGURI_TRACE=FILE writes the trace of what counts, from which
 * `meguri report` draws the figures of paper P3. */
#include "graphs.h"
#include <math.h>

#define MOST 64

typedef struct contest {
    const char *name;
    meguri_sssp_search *search;
    double *times;
    double above, below;
    uint64_t phases, check; /* check: the farthest distance, which must agree */
} contest;

static const char *const names[] = {"host", "all", "selected", "adaptive", "near-far"};

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static bool read_strategy(meguri_sssp_options *o, const char *word) {
    const char *at = strchr(word, '@');
    size_t length = at ? (size_t)(at - word) : strlen(word);
    *o = (meguri_sssp_options){.size = sizeof *o, .parents = 1, .max_cost = (double)INFINITY};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == length && strncmp(names[i], word, length) == 0) {
            o->engine = i ? MEGURI_ENGINE_DEVICE : MEGURI_ENGINE_HOST;
            o->strategy = (meguri_sssp_strategy)i;
            return !at || sscanf(at, "@%lf:%lf", &o->all_above_us, &o->selected_below_us) == 2;
        }
    return false;
}

static double fact(const meguri_result *result, const char *name) {
    meguri_fact f = {.size = sizeof f};
    return meguri_result_fact(&f, result, name) != MEGURI_OK ? 0
           : f.type == MEGURI_TYPE_F64                       ? f.real
                                                             : (double)f.number;
}

static meguri_status search_once(contest *c, meguri_ctx *ctx, uint64_t source, unsigned turn) {
    const meguri_result *result;
    double start = now();
    meguri_status status = meguri_sssp_search_run(&result, ctx, c->search, source);
    c->times[turn] = now() - start;
    if (status != MEGURI_OK) return status;
    c->phases = (uint64_t)fact(result, "phases");
    c->above = fact(result, "all_above_us");
    c->below = fact(result, "selected_below_us");
    double farthest = fact(result, "farthest");
    memcpy(&c->check, &farthest, sizeof c->check);
    return status;
}

static void print(contest *c, const contest *first, unsigned turns) {
    double sum = 0;
    for (unsigned i = 0; i < turns; i++) sum += c->times[i];
    qsort(c->times, turns, sizeof *c->times, by_size);
    printf("%-22s median %.5f  mean %.5f  best %.5f  x%.2f  phases %llu", c->name, c->times[turns / 2], sum / turns,
           c->times[0], first->times[turns / 2] / c->times[turns / 2], (unsigned long long)c->phases);
    if (c->above > 0) printf("  thresholds %.0f %.0f us", c->above, c->below);
    putchar('\n');
}

static meguri_status run(meguri_ctx *ctx, const meguri_graph *graph, contest *all, unsigned count, unsigned turns,
                         bool *same) {
    uint64_t random = 20, source = 0;
    meguri_status status = MEGURI_OK;
    for (unsigned i = 0; i < count && status == MEGURI_OK; i++) {
        meguri_sssp_options options;
        if (!read_strategy(&options, all[i].name)) {
            fprintf(stderr, "bench_strategies: what is %s?\n", all[i].name);
            return MEGURI_BAD_ARGUMENT;
        }
        options.parents = 0;
        const meguri_result *result;
        status = meguri_sssp_search_new(&all[i].search, ctx, graph, &options);
        if (status == MEGURI_OK) status = random_root(&source, ctx, graph, &random);
        if (status == MEGURI_OK) status = meguri_sssp_search_run(&result, ctx, all[i].search, source);
    }
    if (status == MEGURI_OK && getenv("MEGURI_TRACE")) status = meguri_ctx_trace(ctx, getenv("MEGURI_TRACE"));
    for (unsigned turn = 0; turn < turns && status == MEGURI_OK; turn++) {
        status = random_root(&source, ctx, graph, &random);
        for (unsigned i = 0; i < count && status == MEGURI_OK; i++) {
            status = search_once(&all[i], ctx, source, turn);
            *same = *same && all[i].check == all[0].check;
        }
    }
    return status;
}

int main(int argc, char **argv) {
    unsigned turns = argc > 2 ? (unsigned)atoi(argv[2]) : 7, count = argc > 3 ? (unsigned)argc - 3 : 5;
    if (argc < 2 || !turns || count > MOST) {
        fputs("usage: bench_strategies FILE.meg [SOURCES [STRATEGY...]]\n", stderr);
        return 2;
    }
    contest all[MOST] = {0};
    meguri_ctx *ctx;
    meguri_graph *graph = NULL;
    bool same = true;
    if (meguri_ctx_new(&ctx, NULL) != MEGURI_OK) return 4;
    for (unsigned i = 0; i < count; i++)
        all[i] = (contest){.name = argc > 3 ? argv[i + 3] : names[i], .times = calloc(turns, sizeof(double))};
    meguri_status status = meguri_open(&graph, ctx, argv[1], NULL);
    if (status == MEGURI_OK) status = run(ctx, graph, all, count, turns, &same);
    if (status != MEGURI_OK) fprintf(stderr, "bench_strategies: %s\n", meguri_ctx_error(ctx));
    for (unsigned i = count; i-- > 0;) qsort(all[i].times, turns, sizeof(double), by_size);
    for (unsigned i = 0; i < count && status == MEGURI_OK; i++) print(&all[i], &all[0], turns);
    if (!same) puts("DISTANCES DIFFER");
    for (unsigned i = 0; i < count; i++) {
        meguri_sssp_search_free(all[i].search);
        free(all[i].times);
    }
    meguri_graph_free(graph);
    meguri_ctx_free(ctx);
    return same ? meguri_status_exit_code(status) : 1;
}
