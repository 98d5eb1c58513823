/* An algorithm of one's own over the rows of a graph: hits FILE.meg [--copy] prints the ten best hubs and authorities
 * by Kleinberg's HITS, and how long the iterations took. With --copy the same loops run on a copy of the arrays, which
 * shows that the library's are as good as one's own.
 *
 * The loops work on rows in stored order, where neighbours are near each other in memory; only the output goes from
 * rows to vertices, and from these to the user's ids. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <math.h>
#include <meguri.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ITERATIONS = 20, SHOWN = 10 };

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* sums[r] = sum of values over the targets of row r, then scaled so that the squares add up to 1. */
#define SUM_ROWS(offset_type)                                                                                          \
    static void sum_rows_##offset_type(double *sums, const meguri_rows *rows, const double *values) {                  \
        const offset_type *offsets = rows->offsets;                                                                    \
        for (uint64_t r = 0; r < rows->rows; r++) {                                                                    \
            double sum = 0;                                                                                            \
            for (uint64_t arc = offsets[r]; arc < offsets[r + 1]; arc++) sum += values[rows->targets[arc]];            \
            sums[r] = sum;                                                                                             \
        }                                                                                                              \
    }
SUM_ROWS(uint32_t)
SUM_ROWS(uint64_t)

static void step(double *sums, const meguri_rows *rows, const double *values) {
    double squares = 0;
    if (rows->offset_bytes == 4) sum_rows_uint32_t(sums, rows, values);
    else sum_rows_uint64_t(sums, rows, values);
    for (uint64_t r = 0; r < rows->rows; r++) squares += sums[r] * sums[r];
    for (uint64_t r = 0; r < rows->rows && squares > 0; r++) sums[r] /= sqrt(squares);
}

/* A private copy of the arrays that the loops read. */
static int copy_rows(meguri_rows *rows) {
    size_t offset_bytes = (rows->rows + 1) * rows->offset_bytes, target_bytes = rows->arcs * sizeof *rows->targets;
    void *offsets = malloc(offset_bytes);
    uint32_t *targets = malloc(target_bytes + 1);
    if (!offsets || !targets) {
        free(offsets);
        free(targets);
        return 0;
    }
    memcpy(offsets, rows->offsets, offset_bytes);
    memcpy(targets, rows->targets, target_bytes);
    rows->offsets = offsets;
    rows->targets = targets;
    return 1;
}

static void print_best(meguri_ctx *ctx, const meguri_graph *graph, const meguri_rows *rows, double *values,
                       const char *title) {
    printf("%s:\n", title);
    for (int place = 0; place < SHOWN; place++) {
        uint64_t best = 0;
        char id[64];
        for (uint64_t r = 1; r < rows->rows; r++)
            if (values[r] > values[best]) best = r;
        if (best >= rows->rows || values[best] <= 0) return;
        uint64_t vertex = rows->vertex_of ? rows->vertex_of[best] : best;
        if (meguri_graph_id_text(id, sizeof id, NULL, ctx, graph, vertex) != MEGURI_OK) return;
        printf("  %-20s %.6f\n", id, values[best]);
        values[best] = 0;
    }
}

static meguri_status rank(meguri_ctx *ctx, const meguri_graph *graph, int copy) {
    meguri_rows out = {.size = sizeof out}, in = {.size = sizeof in};
    meguri_status status = meguri_graph_rows(&out, ctx, graph, MEGURI_ROWS_OUT);
    if (status == MEGURI_OK) status = meguri_graph_rows(&in, ctx, graph, MEGURI_ROWS_IN);
    if (status != MEGURI_OK) return status;
    int copied_out = copy && copy_rows(&out), copied_in = copy && copy_rows(&in);
    double *hubs = calloc(out.vertices + 1, sizeof *hubs), *authorities = calloc(out.vertices + 1, sizeof *authorities);
    if (!hubs || !authorities || copied_out != copy || copied_in != copy)
        status = meguri_ctx_fail(ctx, MEGURI_NO_MEMORY, "not enough memory for the scores.");
    for (uint64_t r = 0; r < out.vertices && status == MEGURI_OK; r++) hubs[r] = 1;
    double since = now();
    for (int i = 0; i < ITERATIONS && status == MEGURI_OK; i++) {
        step(authorities, &in, hubs);
        step(hubs, &out, authorities);
        status = meguri_ctx_progress(ctx, "hits", (uint64_t)i, ITERATIONS);
    }
    if (status == MEGURI_OK) {
        fprintf(stderr, "%d iterations in %.1f ms%s\n", ITERATIONS, 1e3 * (now() - since), copy ? ", on a copy" : "");
        print_best(ctx, graph, &out, hubs, "hubs");
        print_best(ctx, graph, &in, authorities, "authorities");
    }
    if (copied_out) free((void *)out.offsets), free((void *)out.targets);
    if (copied_in) free((void *)in.offsets), free((void *)in.targets);
    free(hubs);
    free(authorities);
    return status;
}

int main(int argc, char **argv) {
    meguri_ctx *ctx = NULL;
    meguri_graph *graph = NULL;
    int copy = argc == 3 && strcmp(argv[2], "--copy") == 0;
    if (argc != 2 && !copy) {
        fprintf(stderr, "usage: hits FILE.meg [--copy]\n");
        return 2;
    }
    meguri_status status = meguri_ctx_new(&ctx, NULL);
    if (status == MEGURI_OK) status = meguri_open(&graph, ctx, argv[1], NULL);
    if (status == MEGURI_OK) status = rank(ctx, graph, copy);
    if (status != MEGURI_OK) fprintf(stderr, "hits: %s\n", meguri_ctx_error(ctx));
    meguri_graph_free(graph);
    meguri_ctx_free(ctx);
    return meguri_status_exit_code(status);
}
