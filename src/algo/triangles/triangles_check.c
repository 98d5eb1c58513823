/* Counts triangles again, by another method than triangles_host.c and with nothing made beforehand.
 *
 * From the other end: for each vertex v its neighbours of higher rank (smaller degree; among equals the larger number)
 * are marked; from each of these, u, the rows are read for neighbours of still higher rank, and those that are marked
 * close a triangle. Rows are read as they are stored: of a directed graph both, and a neighbour that comes again, by
 * the other row or as a duplicate, is known by a stamp. */
#include "algo/triangles/triangles.h"

#include <inttypes.h>
#include <meguri/triangles.h>

enum { PAUSE = 1 << 15 }; /* neighbours between two looks at the progress */

typedef struct checker {
    meguri_ctx *ctx;
    mg_rows rows[2]; /* out and in; the second has no rows where the graph is undirected */
    uint32_t vertices;
} checker;

/* What a thread has of its own. */
typedef struct workspace {
    uint32_t *marks;  /* v + 1 where joined to v and of higher rank */
    uint32_t *stamps; /* the last stamp that came here */
    uint32_t *above;  /* the marked vertices */
    uint32_t stamp;   /* a number for each pair of v and u */
    uint64_t steps;
    uint32_t at; /* the vertex that is looked at */
} workspace;

static uint64_t degree_of(const checker *c, uint32_t v) {
    uint64_t degree = 0;
    for (int r = 0; r < 2; r++) degree += mg_row_end(&c->rows[r], v) - mg_row_begin(&c->rows[r], v);
    return degree;
}

/* A loop never does: equal degree, equal number. */
static bool ranks_above(const checker *c, uint32_t a, uint64_t degree_a, uint32_t b) {
    uint64_t degree_b = degree_of(c, b);
    return degree_b < degree_a || (degree_b == degree_a && b > a);
}

static bool pause_now(const checker *c, workspace *d) {
    return ++d->steps % PAUSE == 0 && mg_progress(c->ctx, "check", d->at, c->vertices);
}

static uint32_t new_stamp(const checker *c, workspace *d) {
    if (++d->stamp == 0) { /* all numbers were used: begin again */
        for (uint32_t v = 0; v < c->vertices; v++) d->stamps[v] = 0;
        d->stamp = 1;
    }
    return d->stamp;
}

/* Triangles of v and its neighbour u. */
static uint64_t close_pair(const checker *c, workspace *d, uint32_t v, uint32_t u) {
    uint64_t found = 0, degree = degree_of(c, u);
    uint32_t stamp = new_stamp(c, d);
    for (int r = 0; r < 2; r++)
        for (uint64_t arc = mg_row_begin(&c->rows[r], u); arc < mg_row_end(&c->rows[r], u); arc++) {
            uint32_t w = c->rows[r].neighbors[arc];
            if (pause_now(c, d)) return found;
            if (d->marks[w] != v + 1 || d->stamps[w] == stamp) continue;
            d->stamps[w] = stamp;
            found += ranks_above(c, u, degree, w);
        }
    return found;
}

static uint64_t triangles_of(const checker *c, workspace *d, uint32_t v) {
    uint64_t found = 0, degree = degree_of(c, v);
    uint32_t count = 0;
    for (int r = 0; r < 2; r++)
        for (uint64_t arc = mg_row_begin(&c->rows[r], v); arc < mg_row_end(&c->rows[r], v); arc++) {
            uint32_t u = c->rows[r].neighbors[arc];
            if (pause_now(c, d)) return 0;
            if (d->marks[u] == v + 1 || !ranks_above(c, v, degree, u)) continue;
            d->marks[u] = v + 1;
            d->above[count++] = u;
        }
    for (uint32_t i = 0; i < count && !mg_cancelled(c->ctx); i++) found += close_pair(c, d, v, d->above[i]);
    return found;
}

typedef struct count_job {
    const checker *c;
    uint32_t *workspaces; /* room for each thread */
    uint64_t room, sum;
} count_job;

static void count_vertices(void *what, mg_worker *worker) {
    count_job *job = what;
    const checker *c = job->c;
    uint32_t *own = job->workspaces + job->room * worker->number;
    workspace d = {.marks = own, .stamps = own + c->vertices, .above = own + 2 * (uint64_t)c->vertices};
    uint64_t sum = 0;
    for (mg_range v; mg_take(worker, &v);) {
        d.at = (uint32_t)v.begin;
        sum += triangles_of(c, &d, d.at);
    }
    mg_fetch_add(&job->sum, sum);
}

static meguri_status count_again(const checker *c, uint64_t *out) {
    int threads = mg_threads(c->ctx, c->rows[0].arcs + c->rows[1].arcs, 1 << 12);
    count_job job = {.c = c, .room = 3 * (uint64_t)c->vertices};
    job.workspaces =
        mg_alloc_array_zero(c->ctx, job.room * (uint64_t)threads, sizeof *job.workspaces, "checking triangles");
    if (!job.workspaces) return MEGURI_NO_MEMORY;
    mg_loop loop = {.ctx = c->ctx,
                    .threads = threads,
                    .items = c->vertices,
                    .chunk = 1,
                    .work = count_vertices,
                    .what = &job,
                    .phase = "check",
                    .total = c->vertices};
    meguri_status status = mg_loop_run(&loop);
    mg_free(job.workspaces);
    *out = job.sum;
    return status;
}

meguri_status mg_triangles_check(meguri_ctx *ctx, const meguri_graph *graph, uint64_t triangles) {
    if (!ctx) return MEGURI_BAD_ARGUMENT;
    mg_begin(ctx);
    if (!graph) return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "meguri_triangles_check needs a graph.");
    double since = mg_now();
    checker c = {.ctx = ctx, .vertices = (uint32_t)graph->rows};
    uint64_t found = 0;
    meguri_status status = mg_graph_rows(&c.rows[0], ctx, graph);
    if (status == MEGURI_OK && graph->directed) status = mg_graph_in_rows(&c.rows[1], ctx, graph);
    if (status == MEGURI_OK) status = count_again(&c, &found);
    if (status != MEGURI_OK) return status;
    mg_trace_phase(ctx, "check", "triangles", (int64_t)c.rows[0].arcs, -1, since);
    if (found == triangles) return MEGURI_OK;
    return mg_fail(ctx, MEGURI_WRONG_ANSWER, "the graph has %" PRIu64 " triangles, but the answer says %" PRIu64 ".",
                   found, triangles);
}
