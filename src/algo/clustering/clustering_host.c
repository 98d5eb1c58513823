/* Triangles of each vertex become coefficients in the user's order. Everything is a whole number until the one division
 * of each vertex, and the mean is added up in blocks of fixed size: bits do not depend on threads. */
#include "algo/clustering/clustering.h"
#include "algo/triangles/triangles.h"

enum { BLOCK = 1 << 14 }; /* vertices */

static double ratio(const mg_triangle_lists *l, uint64_t sum, uint32_t v) {
    double degree = l->degree[v];
    if (l->degree[v] < 2) return 0;
    /* An undirected edge is two arcs. */
    return (l->both ? 1 : 2) * (double)sum / (degree * (degree - 1));
}

/* The coefficients of all vertices, by position. */
static meguri_status write_all(double *coefficient, meguri_ctx *ctx, const meguri_graph *graph,
                               const mg_triangle_lists *l, const uint64_t *sums) {
    mg_numbering numbering;
    meguri_status status = mg_graph_numbering(&numbering, ctx, graph);
    if (status != MEGURI_OK) return status;
    uint64_t blocks = (graph->vertices + BLOCK - 1) / BLOCK;
    int threads = mg_threads(ctx, graph->vertices, BLOCK);
    if (mg_progress(ctx, "clustering", l->edges, l->edges)) return mg_fail_cancelled(ctx);
#pragma omp parallel for num_threads(mg_team(threads)) schedule(static)
    for (uint64_t b = 0; b < blocks; b++) {
        if (mg_progress(ctx, "clustering", l->edges, l->edges)) continue;
        for (uint64_t i = b * BLOCK; i < MG_MIN(graph->vertices, (b + 1) * BLOCK); i++) {
            uint32_t v = i < l->vertices && l->number ? l->number[i] : (uint32_t)i;
            coefficient[mg_to_user(&numbering, v)] = i < l->vertices ? ratio(l, sums[i], (uint32_t)i) : 0;
        }
    }
    return mg_cancelled(ctx) ? mg_fail_cancelled(ctx) : MEGURI_OK;
}

static meguri_status mean_of(double *out, meguri_ctx *ctx, const double *coefficient, uint64_t vertices) {
    uint64_t blocks = (vertices + BLOCK - 1) / BLOCK;
    double *sums = mg_alloc_array(ctx, blocks, sizeof *sums, "the mean of coefficients");
    if (!sums) return MEGURI_NO_MEMORY;
    int threads = mg_threads(ctx, vertices, BLOCK);
#pragma omp parallel for num_threads(mg_team(threads)) schedule(static)
    for (uint64_t b = 0; b < blocks; b++) {
        sums[b] = 0;
        for (uint64_t v = b * BLOCK; v < MG_MIN(vertices, (b + 1) * BLOCK); v++) sums[b] += coefficient[v];
    }
    double sum = 0;
    for (uint64_t b = 0; b < blocks; b++) sum += sums[b];
    mg_free(sums);
    *out = vertices ? sum / (double)vertices : 0;
    return MEGURI_OK;
}

static meguri_status compute(double *coefficient, meguri_ctx *ctx, const meguri_graph *graph,
                             const mg_triangle_lists *lists) {
    uint64_t *sums = mg_alloc_array_zero(ctx, lists->vertices, sizeof *sums, "the triangles of each vertex");
    if (!sums) return MEGURI_NO_MEMORY;
    meguri_status status = mg_triangles_each(sums, ctx, lists, "clustering");
    double since = mg_now();
    if (status == MEGURI_OK) status = write_all(coefficient, ctx, graph, lists, sums);
    if (status == MEGURI_OK) mg_trace_phase(ctx, "clustering", "divide", -1, -1, since);
    mg_free(sums);
    return status;
}

meguri_status mg_clustering_host(double *coefficient, meguri_ctx *ctx, const meguri_graph *graph,
                                 meguri_result *result) {
    mg_rows rows;
    mg_triangle_lists lists = {0};
    double mean = 0;
    /* What the graph keeps once it is made is not part of the time. */
    meguri_status status = mg_graph_rows(&rows, ctx, graph);
    if (status == MEGURI_OK && graph->directed) status = mg_graph_in_rows(&rows, ctx, graph);
    double begin = mg_now();
    if (status == MEGURI_OK) status = mg_triangle_lists_new(&lists, ctx, graph, true, "clustering");
    if (status == MEGURI_OK) status = mg_triangle_core(ctx, &lists, "clustering");
    if (status == MEGURI_OK) status = compute(coefficient, ctx, graph, &lists);
    if (status == MEGURI_OK) status = mean_of(&mean, ctx, coefficient, graph->vertices);
    if (status == MEGURI_OK) status = mg_result_set_real(ctx, result, "mean", mean);
    if (status == MEGURI_OK) status = mg_result_set_number(ctx, result, "simple_edges", lists.edges);
    if (status == MEGURI_OK) status = mg_result_set_real(ctx, result, "seconds", mg_now() - begin);
    mg_triangle_lists_free(&lists);
    return status;
}
