/* Searches of a graph that is larger than the device, beside the scheme of paper P5 (its figures 5 and 6).
 *
 *     bench_parts settle|near-far|bfs FILE.meg [SEARCHES [PARTS…]]
 *
 * PARTS: the device has memory for two parts of 1/PARTS of the graph's edges each, beside the state of a search (16, 8,
 * 4 and 2 where none is named). Every source is searched from with rows as the search asks for them, and by the paper's
 * scheme (MEGURI_PARTS=paper): every part is sent twice in every round. settle is also set beside Dijkstra's search
 * with a 4-ary heap on the host. Distances and levels have to agree. Medians: seconds of a search, of copies and of
 * kernels by the device's own clock; bytes sent, and how many times the rows of all reached vertices that is; bytes a
 * second of the copies, read and written as bench_copy counts them. BENCH_PAPER=0 leaves the paper's scheme out,
 * BENCH_HEAP=0 the heap; BENCH_DEVICE_ALONE=0: the host does the smallest rounds of settle and near-far. */
#define _GNU_SOURCE
#include "dijkstra.h"
#include <math.h>

#define MOST 16

typedef struct sample {
    double seconds, copies, kernels, sent;
} sample;

/* One way to search: with so many parts, as we do or as the paper. */
typedef struct contest {
    uint64_t divisor;
    bool paper;
    meguri_ctx *ctx;
    meguri_graph *graph;
    meguri_bfs_search *bfs;
    meguri_sssp_search *sssp;
    sample *samples;
    double parts, rounds;
} contest;

typedef struct bench {
    const char *name, *file;
    bool bfs;
    uint64_t vertices, arcs;
    double arc_bytes, row_bytes; /* row_bytes: of the rows of all that the last search reached */
    uint64_t *degrees;
    void *first; /* the answer of the first contest */
    uint64_t searches;
} bench;

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* The median of a field of the samples: fields are doubles. */
static double median(const sample *samples, uint64_t count, size_t field) {
    double values[256];
    for (uint64_t i = 0; i < count; i++) memcpy(&values[i], (const char *)&samples[i] + field, sizeof values[i]);
    qsort(values, count, sizeof *values, by_size);
    return values[count / 2];
}

static double fact(const meguri_result *result, const char *name) {
    meguri_fact f = {.size = sizeof f};
    return meguri_result_fact(&f, result, name) != MEGURI_OK ? 0
           : f.type == MEGURI_TYPE_F64                       ? f.real
                                                             : (double)f.number;
}

/* Unless the variable is 0. */
static bool wanted(const char *variable) { return !getenv(variable) || strcmp(getenv(variable), "0") != 0; }

/* What a search has on the device beside the parts, at most: offsets, distances, state, parents, lightest edges. */
static uint64_t state_bytes(const bench *b) { return b->vertices * (b->bfs ? 17 : 36) + (64 << 10); }

static meguri_status open_contest(contest *c, const bench *b) {
    const uint64_t part = (uint64_t)((double)b->arcs * b->arc_bytes / (double)c->divisor * 1.02);
    const meguri_ctx_options options = {.size = sizeof options,
                                        .device_memory = state_bytes(b) + 2 * part + b->vertices * 24 / c->divisor};
    const meguri_bfs_options bfs = {.size = sizeof bfs,
                                    .max_depth = UINT32_MAX,
                                    .levels = 1,
                                    .parents = 1,
                                    .engine = MEGURI_ENGINE_DEVICE,
                                    .split_device = 1};
    const meguri_sssp_options sssp = {.size = sizeof sssp,
                                      .parents = 1,
                                      .max_cost = (double)INFINITY,
                                      .engine = MEGURI_ENGINE_DEVICE,
                                      .split_device = wanted("BENCH_DEVICE_ALONE"),
                                      .strategy =
                                          strcmp(b->name, "settle") == 0 ? MEGURI_SSSP_SETTLE : MEGURI_SSSP_NEAR_FAR};
    if (c->paper) setenv("MEGURI_PARTS", "paper", 1);
    else unsetenv("MEGURI_PARTS");
    meguri_status status = meguri_ctx_new(&c->ctx, &options);
    if (status == MEGURI_OK) status = meguri_open(&c->graph, c->ctx, b->file, NULL);
    if (status != MEGURI_OK) return status;
    return b->bfs ? meguri_bfs_search_new(&c->bfs, c->ctx, c->graph, &bfs)
                  : meguri_sssp_search_new(&c->sssp, c->ctx, c->graph, &sssp);
}

static void close_contest(contest *c) {
    meguri_bfs_search_free(c->bfs);
    meguri_sssp_search_free(c->sssp);
    meguri_graph_free(c->graph);
    meguri_ctx_free(c->ctx);
    free(c->samples);
}

/* The column that says how far vertices are: as the first contest had it, or false. The rows of what is reached are
 * counted once. */
static bool same_answer(bench *b, const meguri_result *result, bool first) {
    meguri_column column = {.size = sizeof column};
    if (meguri_result_column(&column, result, b->bfs ? "level" : "distance") != MEGURI_OK) return false;
    const size_t bytes = b->vertices * (b->bfs ? 4 : 8);
    if (!first) return memcmp(b->first, column.data, bytes) == 0;
    memcpy(b->first, column.data, bytes);
    b->row_bytes = 0;
    double infinite = INFINITY;
    uint64_t far;
    memcpy(&far, &infinite, sizeof far);
    for (uint64_t v = 0; v < b->vertices; v++) {
        const uint64_t distance = b->bfs ? 0 : ((const uint64_t *)column.data)[v];
        const bool reached =
            b->bfs ? ((const int32_t *)column.data)[v] >= 0 : distance != UINT64_MAX && distance != far;
        if (reached) b->row_bytes += (double)b->degrees[v] * b->arc_bytes;
    }
    return true;
}

static meguri_status search(bench *b, contest *c, uint64_t source, uint64_t turn, bool *same) {
    const meguri_result *result;
    double start = now();
    meguri_status status = b->bfs ? meguri_bfs_search_run(&result, c->ctx, c->bfs, source)
                                  : meguri_sssp_search_run(&result, c->ctx, c->sssp, source);
    sample *s = &c->samples[turn];
    s->seconds = now() - start;
    if (status != MEGURI_OK) return status;
    s->copies = fact(result, "copy_seconds");
    s->kernels = fact(result, "kernel_seconds");
    s->sent = fact(result, "sent_bytes");
    c->parts = fact(result, "parts");
    c->rounds = fact(result, b->bfs ? "depth" : "phases");
    *same = same_answer(b, result, !b->row_bytes) && *same;
    return MEGURI_OK;
}

static void print(const bench *b, const contest *c) {
    const sample *s = c->samples;
    const double seconds = median(s, b->searches, offsetof(sample, seconds)),
                 copies = median(s, b->searches, offsetof(sample, copies)),
                 kernels = median(s, b->searches, offsetof(sample, kernels)),
                 sent = median(s, b->searches, offsetof(sample, sent));
    printf("1/%-3llu %-5s parts %3.0f  rounds %3.0f  seconds %8.4f  copies %8.4f  kernels %8.4f  sent %8.1f MB = "
           "%6.2fx rows  %5.2f GB/s\n",
           (unsigned long long)c->divisor, c->paper ? "paper" : "ours", c->parts, c->rounds, seconds, copies, kernels,
           sent / 1e6, sent / b->row_bytes, copies > 0 ? 2e-9 * sent / copies : 0);
}

static meguri_status run(bench *b, contest *all, unsigned count, bool heap) {
    uint64_t random = 20, source = 0;
    bool same = true;
    dijkstra d = {0};
    double *times = calloc(b->searches, sizeof *times);
    meguri_status status = MEGURI_OK;
    for (unsigned i = 0; i < count && status == MEGURI_OK; i++) {
        all[i].samples = calloc(b->searches, sizeof(sample));
        status = open_contest(&all[i], b);
        if (status != MEGURI_OK) fprintf(stderr, "bench_parts: %s\n", meguri_ctx_error(all[i].ctx));
    }
    if (status == MEGURI_OK && heap) status = dijkstra_new(&d, all[0].ctx, all[0].graph);
    /* The first search of all is not counted. */
    for (uint64_t turn = 0; turn <= b->searches && status == MEGURI_OK; turn++) {
        status = random_root(&source, all[0].ctx, all[0].graph, &random);
        b->row_bytes = 0;
        for (unsigned i = 0; i < count && status == MEGURI_OK; i++)
            if (turn || !all[i].paper) status = search(b, &all[i], source, turn ? turn - 1 : 0, &same);
        if (status != MEGURI_OK || !heap || !turn) continue;
        double start = now();
        dijkstra_run(&d, source);
        times[turn - 1] = now() - start;
        same = dijkstra_agrees(&d, b->first) && same;
    }
    for (unsigned i = 0; i < count && status == MEGURI_OK; i++) print(b, &all[i]);
    if (heap && status == MEGURI_OK) {
        qsort(times, b->searches, sizeof *times, by_size);
        printf("heap        seconds %8.4f\n", times[b->searches / 2]);
    }
    if (!same) puts("ANSWERS DIFFER");
    if (heap) dijkstra_free(&d);
    free(times);
    return status != MEGURI_OK ? status : same ? MEGURI_OK : MEGURI_WRONG_ANSWER;
}

/* Numbers of the graph. */
static meguri_status look(bench *b) {
    meguri_ctx *ctx;
    meguri_graph *graph = NULL;
    meguri_graph_info info = {.size = sizeof info};
    if (meguri_ctx_new(&ctx, NULL) != MEGURI_OK) return MEGURI_NO_MEMORY;
    meguri_status status = meguri_open(&graph, ctx, b->file, NULL);
    if (status == MEGURI_OK) status = meguri_graph_get_info(&info, ctx, graph);
    static const double weight_bytes[] = {[MEGURI_TYPE_NONE] = 0, [MEGURI_TYPE_U8] = 1,  [MEGURI_TYPE_U16] = 2,
                                          [MEGURI_TYPE_U32] = 4,  [MEGURI_TYPE_F32] = 4, [MEGURI_TYPE_F64] = 8};
    b->vertices = info.vertices;
    b->arcs = info.arcs;
    b->arc_bytes = 4 + (b->bfs ? 0 : weight_bytes[info.weight_storage]);
    b->degrees = calloc(b->vertices + 1, 8);
    b->first = calloc(b->vertices + 1, 8);
    if (!b->degrees || !b->first) status = MEGURI_NO_MEMORY;
    if (status == MEGURI_OK) status = meguri_graph_degrees(b->degrees, ctx, graph, 0, b->vertices);
    if (status != MEGURI_OK) fprintf(stderr, "bench_parts: %s\n", meguri_ctx_error(ctx));
    meguri_graph_free(graph);
    meguri_ctx_free(ctx);
    return status;
}

int main(int argc, char **argv) {
    bench b = {.name = argc > 1 ? argv[1] : "", .file = argc > 2 ? argv[2] : NULL};
    b.bfs = strcmp(b.name, "bfs") == 0;
    b.searches = argc > 3 ? strtoull(argv[3], NULL, 10) : 3;
    const bool settle = strcmp(b.name, "settle") == 0, paper = wanted("BENCH_PAPER") && (b.bfs || settle);
    if (!b.file || !(b.bfs || settle || strcmp(b.name, "near-far") == 0) || !b.searches || b.searches > 256 ||
        argc - 4 > MOST / 2) {
        fputs("usage: bench_parts settle|near-far|bfs FILE.meg [SEARCHES [PARTS...]]\n", stderr);
        return 2;
    }
    static const uint64_t standard[] = {16, 8, 4, 2};
    contest all[MOST] = {0};
    unsigned count = 0;
    for (int i = 0; i < (argc > 4 ? argc - 4 : 4); i++) {
        const uint64_t divisor = argc > 4 ? strtoull(argv[4 + i], NULL, 10) : standard[i];
        all[count++] = (contest){.divisor = divisor ? divisor : 1};
        if (paper) all[count++] = (contest){.divisor = divisor ? divisor : 1, .paper = true};
    }
    meguri_status status = look(&b);
    if (status == MEGURI_OK) status = run(&b, all, count, settle && wanted("BENCH_HEAP"));
    for (unsigned i = 0; i < count; i++) close_contest(&all[i]);
    free(b.degrees);
    free(b.first);
    return meguri_status_exit_code(status);
}
