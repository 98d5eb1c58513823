/* What the benchmarks of searches share: the clock, the graph that an argument names, roots to start from. */
#ifndef BENCH_GRAPHS_H
#define BENCH_GRAPHS_H

#include <ctype.h>
#include <meguri.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static inline double now(void) {
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A number of one or two digits is the scale of a Kronecker graph, anything else a .meg file. `edges`: of the input. */
static inline meguri_status get_graph(meguri_graph **out, uint64_t *edges, meguri_ctx *ctx, const char *what) {
    if (isdigit((unsigned char)what[0]) && strlen(what) <= 2) {
        meguri_kronecker_options kronecker = {.size = sizeof kronecker, .scale = (uint32_t)atoi(what)};
        *edges = (uint64_t)16 << kronecker.scale;
        return meguri_gen_kronecker(out, ctx, &kronecker);
    }
    meguri_graph_info info = {.size = sizeof info};
    meguri_status status = meguri_open(out, ctx, what, NULL);
    if (status == MEGURI_OK) status = meguri_graph_get_info(&info, ctx, *out);
    *edges = info.edges;
    return status;
}

/* A scale is that of a Kronecker graph with whole weights from 1 to 255, with `f` behind it with f32 weights in [0, 1);
 * gridN are streets of N by N crossings, anything else is a .meg file. */
static inline meguri_status get_weighted(meguri_graph **out, meguri_ctx *ctx, const char *what) {
    char *end;
    unsigned long number = strtoul(what, &end, 10);
    if (end != what && (*end == '\0' || strcmp(end, "f") == 0)) {
        meguri_kronecker_options kronecker = {
            .size = sizeof kronecker, .scale = (uint32_t)number, .weights = *end ? MEGURI_TYPE_F32 : MEGURI_TYPE_U32};
        return meguri_gen_kronecker(out, ctx, &kronecker);
    }
    if (strncmp(what, "grid", 4) == 0 && isdigit((unsigned char)what[4])) {
        uint64_t side = strtoull(what + 4, NULL, 10);
        meguri_grid_options grid = {.size = sizeof grid, .width = side, .height = side};
        return meguri_gen_grid(out, ctx, &grid);
    }
    return meguri_open(out, ctx, what, NULL);
}

static inline uint64_t next_random(uint64_t *state) {
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* A vertex that edges leave. */
static inline meguri_status random_root(uint64_t *out, meguri_ctx *ctx, const meguri_graph *graph, uint64_t *state) {
    meguri_graph_info info = {.size = sizeof info};
    meguri_status status = meguri_graph_get_info(&info, ctx, graph);
    for (uint64_t degree = 0; !degree && status == MEGURI_OK;) {
        *out = next_random(state) % info.vertices;
        status = meguri_graph_degrees(&degree, ctx, graph, *out, 1);
    }
    return status;
}

#endif
