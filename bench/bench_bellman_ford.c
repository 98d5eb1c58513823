/* Shortest paths as a vertex program, beside a plain parallel loop of Bellman and Ford: search by search, in turns.
 *
 *     bench_bellman_ford GRAPH PROGRAM.c [THREADS [ROOTS [WORKERS]]]
 *
 * GRAPH as for bench_sssp; PROGRAM.c is examples/pregel/sssp.c, or another that takes a source and has a column
 * `distance`. The loop has the same rows in the same order (dijkstra.h). It keeps a frontier of the vertices that came
 * nearer; in each round threads take pieces of it, lower what its arcs lead to by compare and exchange, and collect
 * what they lowered, each vertex once. Distances that were lowered in a round are used in the same round, which needs
 * fewer rounds than messages do; and it keeps no parents, which the program does. The time of the program is that of
 * its supersteps, that of the loop begins with the first round; all distances are compared. */
#include "dijkstra.h"

#include <meguri/run.h>
#include <pthread.h>
#include <sched.h>

#define MOST_THREADS 64
#define PIECE        16 /* vertices of a frontier that a thread takes at a time */
#define BUFFER       1024

typedef struct loop {
    const dijkstra *rows;
    unsigned threads;
    uint64_t *distance; /* whole, or the bits of a double: in the same order, as none is negative */
    uint32_t *queued;   /* the round for which a vertex was collected last */
    uint32_t *now, *next;
    uint64_t now_count;
    uint32_t round;
    /* What threads write all the time lies in lines of its own, away from what they read. */
    _Alignas(64) uint64_t taken;
    _Alignas(64) uint64_t next_count;
    _Alignas(64) unsigned waiting;
    _Alignas(64) unsigned turn; /* of the barrier */
} loop;

static uint64_t zero_or_far(bool real, bool far) {
    double infinity = INFINITY;
    uint64_t bits;
    memcpy(&bits, &infinity, sizeof bits);
    return !far ? 0 : real ? bits : UINT64_MAX;
}

/* All threads have come; the last of them does what is done once. */
static void meet(loop *l, void (*once)(loop *)) {
    unsigned turn = __atomic_load_n(&l->turn, __ATOMIC_ACQUIRE);
    if (__atomic_add_fetch(&l->waiting, 1, __ATOMIC_ACQ_REL) == l->threads) {
        l->waiting = 0;
        once(l);
        __atomic_store_n(&l->turn, turn + 1, __ATOMIC_RELEASE);
        return;
    }
    for (unsigned spins = 0; __atomic_load_n(&l->turn, __ATOMIC_ACQUIRE) == turn; spins++)
        if (spins > 10000) sched_yield();
}

static void next_round(loop *l) {
    uint32_t *old = l->now;
    l->now = l->next;
    l->next = old;
    l->now_count = l->next_count;
    l->next_count = l->taken = 0;
    l->round++;
}

typedef struct collected {
    uint32_t vertices[BUFFER];
    uint64_t count;
} collected;

static void hand_in(loop *l, collected *c) {
    uint64_t at = __atomic_fetch_add(&l->next_count, c->count, __ATOMIC_RELAXED);
    memcpy(l->next + at, c->vertices, c->count * sizeof *c->vertices);
    c->count = 0;
}

/* `real` is a constant where this is inlined. */
static inline __attribute__((always_inline)) void relax(loop *l, collected *c, uint32_t u, bool real) {
    const dijkstra *rows = l->rows;
    uint64_t begin = rows->offsets[u], end = rows->offsets[u + 1];
    uint64_t from = __atomic_load_n(&l->distance[u], __ATOMIC_RELAXED);
    double far;
    memcpy(&far, &from, sizeof far);
    for (uint64_t arc = begin; arc < end; arc++) {
        uint32_t v = rows->neighbors[arc];
        uint64_t to = from;
        if (real) {
            double sum = far + ((const double *)rows->weights)[arc];
            memcpy(&to, &sum, sizeof to);
        } else to += ((const uint32_t *)rows->weights)[arc];
        uint64_t before = __atomic_load_n(&l->distance[v], __ATOMIC_RELAXED);
        bool lower = false;
        while (to < before && !lower)
            lower = __atomic_compare_exchange_n(&l->distance[v], &before, to, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
        if (!lower || __atomic_load_n(&l->queued[v], __ATOMIC_RELAXED) == l->round) continue;
        if (__atomic_exchange_n(&l->queued[v], l->round, __ATOMIC_RELAXED) == l->round) continue;
        c->vertices[c->count++] = v;
        if (c->count == BUFFER) hand_in(l, c);
    }
}

static void *work(void *what) {
    loop *l = what;
    collected c = {.count = 0};
    while (l->now_count) {
        for (;;) {
            uint64_t begin = __atomic_fetch_add(&l->taken, PIECE, __ATOMIC_RELAXED);
            uint64_t end = begin + PIECE < l->now_count ? begin + PIECE : l->now_count;
            if (begin >= end) break;
            for (uint64_t i = begin; i < end; i++)
                if (l->rows->real) relax(l, &c, l->now[i], true);
                else relax(l, &c, l->now[i], false);
        }
        hand_in(l, &c);
        meet(l, next_round);
    }
    return NULL;
}

/* The seconds of its rounds; -1 where there is no memory or no thread. */
static double bellman_ford(loop *l, uint64_t source) {
    pthread_t others[MOST_THREADS];
    uint64_t far = zero_or_far(l->rows->real, true);
    for (uint64_t v = 0; v < l->rows->vertices; v++) l->distance[v] = far;
    memset(l->queued, 0, l->rows->vertices * sizeof *l->queued);
    uint32_t first = l->rows->number[source];
    l->distance[first] = zero_or_far(l->rows->real, false);
    l->now[0] = first;
    l->now_count = 1;
    l->next_count = l->taken = 0;
    l->round = 1;
    l->waiting = l->turn = 0;
    double start = now();
    for (unsigned t = 1; t < l->threads; t++)
        if (pthread_create(&others[t], NULL, work, l) != 0) return -1;
    work(l);
    for (unsigned t = 1; t < l->threads; t++) pthread_join(others[t], NULL);
    return now() - start;
}

/* ---- both ------------------------------------------------------------------------------------------------------- */

typedef struct bench {
    meguri_ctx *ctx;
    meguri_graph *graph;
    meguri_program_file *program;
    loop l;
    unsigned workers, roots;
    double *ours, *theirs;
    uint64_t supersteps, rounds;
    bool same;
} bench;

static bool agrees(const bench *b, const meguri_result *result) {
    meguri_column column = {.size = sizeof column};
    if (meguri_result_column(&column, result, "distance") != MEGURI_OK) return false;
    const dijkstra *rows = b->l.rows;
    for (uint64_t v = 0; v < rows->vertices; v++) {
        uint64_t bits = b->l.distance[rows->number[v]];
        double theirs = bits == UINT64_MAX ? INFINITY : (double)bits, ours;
        if (rows->real) memcpy(&theirs, &bits, sizeof theirs);
        memcpy(&ours, (const char *)column.data + v * column.stride, sizeof ours);
        if (ours != theirs) return false;
    }
    return true;
}

static meguri_status search(bench *b, unsigned i, uint64_t source) {
    char id[32];
    const char *const argv[] = {id};
    meguri_run_options options = {.size = sizeof options, .workers = b->workers, .argc = 1, .argv = argv};
    meguri_result *result = NULL;
    meguri_fact seconds = {.size = sizeof seconds}, steps = {.size = sizeof steps};
    uint64_t raw = 0;
    meguri_status status = meguri_graph_ids(&raw, b->ctx, b->graph, source, 1);
    snprintf(id, sizeof id, "%llu", (unsigned long long)raw);
    if (status == MEGURI_OK)
        status = meguri_run(&result, b->ctx, b->graph, meguri_program_file_list(b->program), &options);
    if (status == MEGURI_OK) status = meguri_result_fact(&seconds, result, "seconds");
    if (status == MEGURI_OK) status = meguri_result_fact(&steps, result, "supersteps");
    b->ours[i] = seconds.real;
    b->supersteps += steps.number;
    b->theirs[i] = bellman_ford(&b->l, source);
    b->rounds += b->l.round - 1;
    if (status == MEGURI_OK) b->same = b->same && b->theirs[i] >= 0 && agrees(b, result);
    meguri_result_free(result);
    return status;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void print_times(bench *b) {
    qsort(b->ours, b->roots, sizeof *b->ours, by_size);
    qsort(b->theirs, b->roots, sizeof *b->theirs, by_size);
    double *ours = b->ours, *theirs = b->theirs;
    unsigned middle = b->roots / 2;
    printf("Program: fastest %.6f, median %.6f, %.1f supersteps\n", ours[0], ours[middle],
           (double)b->supersteps / b->roots);
    printf("Bellman-Ford: fastest %.6f, median %.6f, %.1f rounds\n", theirs[0], theirs[middle],
           (double)b->rounds / b->roots);
    printf("Program / Bellman-Ford: fastest %.2f, median %.2f\nDistances: %s\n", ours[0] / theirs[0],
           ours[middle] / theirs[middle], b->same ? "the same" : "DIFFER");
}

static meguri_status run(bench *b) {
    uint64_t random = 20, source = 0;
    dijkstra rows = {0};
    loop *l = &b->l;
    meguri_status status = dijkstra_new(&rows, b->ctx, b->graph);
    l->rows = &rows;
    l->distance = calloc(rows.vertices + 1, sizeof *l->distance);
    l->queued = calloc(rows.vertices + 1, sizeof *l->queued);
    l->now = calloc(rows.vertices + 1, sizeof *l->now);
    l->next = calloc(rows.vertices + 1, sizeof *l->next);
    if (!l->distance || !l->queued || !l->now || !l->next) status = MEGURI_NO_MEMORY;
    for (unsigned i = 0; i < b->roots && status == MEGURI_OK; i++) {
        status = random_root(&source, b->ctx, b->graph, &random);
        if (status == MEGURI_OK) status = search(b, i, source);
    }
    if (status == MEGURI_OK) print_times(b);
    free(l->distance);
    free(l->queued);
    free(l->now);
    free(l->next);
    dijkstra_free(&rows);
    return status;
}

int main(int argc, char **argv) {
    unsigned threads = argc > 3 ? (unsigned)atoi(argv[3]) : 2;
    bench b = {.roots = argc > 4 ? (unsigned)atoi(argv[4]) : 8,
               .workers = argc > 5 ? (unsigned)atoi(argv[5]) : 0,
               .l.threads = threads,
               .same = true};
    if (argc < 3 || !b.roots || !threads || threads > MOST_THREADS) {
        fputs("usage: bench_bellman_ford GRAPH PROGRAM.c [THREADS [ROOTS [WORKERS]]]\n", stderr);
        return 2;
    }
    meguri_ctx_options options = {.size = sizeof options, .threads = threads};
    if (meguri_ctx_new(&b.ctx, &options) != MEGURI_OK) return 4;
    b.ours = calloc(b.roots, sizeof *b.ours);
    b.theirs = calloc(b.roots, sizeof *b.theirs);
    meguri_status status = b.ours && b.theirs ? get_weighted(&b.graph, b.ctx, argv[1]) : MEGURI_NO_MEMORY;
    if (status == MEGURI_OK) status = meguri_program_open(&b.program, b.ctx, argv[2], NULL);
    if (status == MEGURI_OK) status = run(&b);
    if (status != MEGURI_OK) fprintf(stderr, "bench_bellman_ford: %s\n", meguri_ctx_error(b.ctx));
    meguri_program_close(b.program);
    meguri_graph_free(b.graph);
    meguri_ctx_free(b.ctx);
    free(b.ours);
    free(b.theirs);
    return status == MEGURI_OK && !b.same ? 1 : meguri_status_exit_code(status);
}
