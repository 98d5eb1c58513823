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

typedef struct ratio_job {
    double *coefficient; /* by position */
    mg_numbering numbering;
    const mg_triangle_lists *l;
    const uint64_t *sums; /* triangles of each vertex */
} ratio_job;

static void write_some(void *what, mg_worker *worker) {
    const ratio_job *job = what;
    const mg_triangle_lists *l = job->l;
    for (mg_range chunk; mg_take(worker, &chunk);)
        for (uint64_t i = chunk.begin; i < chunk.end; i++) {
            uint32_t v = i < l->vertices && l->number ? l->number[i] : (uint32_t)i;
            job->coefficient[mg_to_user(&job->numbering, v)] =
                i < l->vertices ? ratio(l, job->sums[i], (uint32_t)i) : 0;
        }
}

/* The coefficients of all vertices, by position. */
static meguri_status write_all(double *coefficient, meguri_ctx *ctx, const meguri_graph *graph,
                               const mg_triangle_lists *l, const uint64_t *sums) {
    ratio_job job = {.coefficient = coefficient, .l = l, .sums = sums};
    meguri_status status = mg_graph_numbering(&job.numbering, ctx, graph);
    if (status != MEGURI_OK) return status;
    mg_loop loop = {.ctx = ctx,
                    .threads = mg_threads(ctx, graph->vertices, BLOCK),
                    .items = graph->vertices,
                    .chunk = BLOCK,
                    .work = write_some,
                    .what = &job,
                    .phase = "clustering",
                    .done = l->edges,
                    .total = l->edges,
                    .steady = true};
    return mg_loop_run(&loop);
}

typedef struct mean_job {
    const double *coefficient;
    uint64_t vertices;
    double *sums; /* of blocks */
} mean_job;

static void sum_blocks(void *what, uint64_t begin, uint64_t end) {
    const mean_job *job = what;
    for (uint64_t b = begin; b < end; b++) {
        job->sums[b] = 0;
        for (uint64_t v = b * BLOCK; v < MG_MIN(job->vertices, (b + 1) * BLOCK); v++)
            job->sums[b] += job->coefficient[v];
    }
}

static meguri_status mean_of(double *out, meguri_ctx *ctx, const double *coefficient, uint64_t vertices) {
    uint64_t blocks = (vertices + BLOCK - 1) / BLOCK;
    mean_job job = {coefficient, vertices, mg_alloc_array(ctx, blocks, sizeof *job.sums, "the mean of coefficients")};
    if (!job.sums) return MEGURI_NO_MEMORY;
    mg_for(ctx, mg_threads(ctx, vertices, BLOCK), blocks, sum_blocks, &job);
    double sum = 0;
    for (uint64_t b = 0; b < blocks; b++) sum += job.sums[b];
    mg_free(job.sums);
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
    if (status == MEGURI_OK) status = mg_triangle_hubs(ctx, &lists, "clustering");
    if (status == MEGURI_OK) status = compute(coefficient, ctx, graph, &lists);
    if (status == MEGURI_OK) status = mean_of(&mean, ctx, coefficient, graph->vertices);
    if (status == MEGURI_OK) status = mg_result_set_real(ctx, result, "mean", mean);
    if (status == MEGURI_OK) status = mg_result_set_number(ctx, result, "simple_edges", lists.edges);
    if (status == MEGURI_OK) status = mg_result_set_real(ctx, result, "seconds", mg_now() - begin);
    mg_triangle_lists_free(&lists);
    return status;
}
