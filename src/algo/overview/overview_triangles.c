/* Triangles and clustering of the simple undirected graph behind a graph, where they are counted fast enough. */
#include "algo/overview/overview.h"
#include "algo/triangles/triangles.h"

enum { BLOCK = 1 << 14 };

/* Steps that counting takes at most: each member of a list is compared with its row. */
static uint64_t steps_of(const mg_triangle_lists *l) {
    uint64_t steps = 0;
    for (uint32_t v = 0; v < l->vertices; v++) steps += (uint64_t)l->length[v] * l->length[v];
    return steps;
}

/* Closed paths of two edges over all of them, and the mean over vertices. A vertex of degree d is the middle of
 * d(d-1)/2 paths. */
static void sum_up(meguri_overview_info *info, const mg_triangle_lists *l, const uint64_t *triangles,
                   uint64_t vertices) {
    unsigned __int128 paths = 0, closed = 0;
    double mean = 0;
    for (uint64_t first = 0; first < l->vertices; first += BLOCK) {
        double sum = 0;
        for (uint64_t v = first; v < MG_MIN(l->vertices, first + BLOCK); v++) {
            uint64_t degree = l->degree[v], around = degree * (degree - 1) / 2;
            if (degree < 2) continue;
            paths += around;
            closed += triangles[v];
            sum += (double)triangles[v] / (double)around;
        }
        mean += sum;
    }
    info->triangles = (uint64_t)(closed / 3);
    info->transitivity = paths ? (double)closed / (double)paths : 0;
    info->mean_clustering = vertices ? mean / (double)vertices : 0;
}

static meguri_status count_all(mg_overview_work *w, mg_triangle_lists *lists) {
    uint64_t *triangles = mg_alloc_array_zero(w->ctx, lists->vertices, sizeof *triangles, "the triangles of vertices");
    meguri_status status = triangles ? mg_triangle_hubs(w->ctx, lists, "triangles") : MEGURI_NO_MEMORY;
    if (status == MEGURI_OK) status = mg_triangles_each(triangles, w->ctx, lists, "triangles");
    if (status == MEGURI_OK) sum_up(w->info, lists, triangles, w->graph->vertices);
    mg_free(triangles);
    return status;
}

meguri_status mg_overview_triangles(mg_overview_work *w) {
    mg_triangle_lists lists = {0};
    meguri_status status = mg_triangle_lists_new(&lists, w->ctx, w->graph, false, "triangles");
    if (status == MEGURI_OK) {
        bool long_work = steps_of(&lists) > w->overview->options.triangle_steps;
        if (long_work) w->info->triangles_skipped = MEGURI_OVERVIEW_TOO_LONG;
        else status = count_all(w, &lists);
    }
    mg_triangle_lists_free(&lists);
    if (status != MEGURI_NO_MEMORY) return status;
    mg_begin(w->ctx); /* an overview does without */
    w->info->triangles_skipped = MEGURI_OVERVIEW_TOO_LARGE;
    return MEGURI_OK;
}
