/* What edges are: loops, parallel ones, pairs of vertices that are joined, edges whose reverse is there; and where
 * vertices lie. */
#include "algo/overview/overview.h"

#include <math.h>

/* ---- rows ------------------------------------------------------------------------------------------------------- */

typedef struct edge_counts {
    uint64_t loops, parallel, distinct, mutual; /* the last two: without loops and parallel ones */
} edge_counts;

typedef struct edge_job {
    const mg_overview_work *w;
    edge_counts sums;
} edge_job;

/* An undirected edge between two vertices is in both rows, and counts in that of the smaller number. */
static void count_row(edge_counts *c, const mg_overview_work *w, uint32_t v) {
    const uint32_t *row = w->out.neighbors + mg_row_begin(&w->out, v), *end = w->out.neighbors + mg_row_end(&w->out, v);
    const uint32_t *in = NULL, *in_end = NULL;
    bool directed = w->graph->directed;
    if (directed) {
        in = w->in.neighbors + mg_row_begin(&w->in, v);
        in_end = w->in.neighbors + mg_row_end(&w->in, v);
    }
    uint32_t last = MG_NO_VERTEX;
    for (; row < end; row++) {
        uint32_t u = *row;
        bool again = u == last;
        last = u;
        if (!directed && u < v) continue;
        c->loops += u == v;
        c->parallel += again;
        if (again || u == v) continue;
        c->distinct++;
        while (in < in_end && *in < u) in++;
        c->mutual += in < in_end && *in == u;
    }
}

static void count_rows(void *what, mg_worker *worker) {
    edge_job *job = what;
    edge_counts c = {0};
    for (mg_range chunk; mg_take(worker, &chunk);)
        for (uint64_t v = chunk.begin; v < chunk.end; v++) count_row(&c, job->w, (uint32_t)v);
    mg_loop_lock(worker);
    job->sums.loops += c.loops;
    job->sums.parallel += c.parallel;
    job->sums.distinct += c.distinct;
    job->sums.mutual += c.mutual;
    mg_loop_unlock(worker);
}

/* ---- a direction that means nothing ------------------------------------------------------------------------------ */

static uint64_t count_descending(const void *what, uint64_t begin, uint64_t end) {
    const mg_overview_work *w = what;
    uint64_t count = 0;
    for (uint64_t v = begin; v < end; v++) {
        uint32_t from = mg_to_user(&w->numbering, (uint32_t)v);
        for (uint64_t arc = mg_row_begin(&w->out, v); arc < mg_row_end(&w->out, v); arc++)
            count += mg_to_user(&w->numbering, w->out.neighbors[arc]) < from;
    }
    return count;
}

/* Files often list an undirected edge once, the smaller id first, or once in each direction. */
static bool seems_undirected(const mg_overview_work *w, const edge_counts *c) {
    if (c->distinct == 0 || (c->mutual && c->mutual < c->distinct)) return false;
    if (c->mutual) return true;
    if (w->graph->id_kind == MEGURI_ID_STRING) return false;
    int threads = mg_threads(w->ctx, w->out.arcs, MG_OVERVIEW_BLOCK_ARCS);
    return mg_sum_over(w->ctx, threads, w->out.rows, count_descending, w) == 0;
}

meguri_status mg_overview_edges(mg_overview_work *w) {
    edge_job job = {.w = w};
    mg_loop loop = {.ctx = w->ctx,
                    .threads = mg_threads(w->ctx, w->out.arcs, MG_OVERVIEW_BLOCK_ARCS),
                    .items = w->out.rows,
                    .work = count_rows,
                    .what = &job,
                    .phase = "edges",
                    .total = w->out.rows};
    meguri_status status = mg_loop_run(&loop);
    if (status != MEGURI_OK) return status;
    const edge_counts *c = &job.sums;
    w->info->loops = c->loops;
    w->info->parallel = c->parallel;
    w->info->pairs = c->distinct - c->mutual / 2;
    if (!w->graph->directed) return MEGURI_OK;
    w->info->reciprocity = c->distinct ? (double)c->mutual / (double)c->distinct : 0;
    w->info->seems_undirected = seems_undirected(w, c);
    return MEGURI_OK;
}

/* ---- coordinates ------------------------------------------------------------------------------------------------ */

meguri_status mg_overview_coordinates(mg_overview_work *w) {
    const void *part;
    meguri_overview_info *info = w->info;
    meguri_status status = mg_graph_part(&part, w->ctx, w->graph, MG_PART_COORDINATES);
    if (status != MEGURI_OK || !part) return status;
    const double *places = part;
    for (uint64_t v = 0; v < w->graph->vertices; v++) {
        double x = places[2 * v], y = places[2 * v + 1];
        if (mg_overview_stops(w, "coordinates", v)) return mg_fail_cancelled(w->ctx);
        if (!isfinite(x) || !isfinite(y)) continue;
        bool first = info->located++ == 0;
        info->least_x = first ? x : fmin(info->least_x, x);
        info->most_x = first ? x : fmax(info->most_x, x);
        info->least_y = first ? y : fmin(info->least_y, y);
        info->most_y = first ? y : fmax(info->most_y, y);
    }
    return MEGURI_OK;
}
