/* Checks clustering coefficients by the definition: mark the neighbours of v, go along the out-arcs of each, count
 * those that end at a marked vertex. No lists, no processor, no order: nothing is shared with the way they were found.
 *
 * For v that takes as many steps as its neighbours have arcs, and hubs have many neighbours that are hubs. Where all
 * vertices together take too long, half of the time goes to vertices that take few steps each, as many as possible, and
 * half to a random sample of the others, always the same. What can be seen at once is seen for all: a coefficient lies
 * between 0 and 1, and is 0 where there are fewer than two neighbours. */
#include "algo/clustering/clustering.h"

#include <math.h>
#include <meguri/clustering.h>

#define MOST_STEPS ((uint64_t)1 << 29) /* a second of one thread */
#define CLOSE      1e-9

enum { PAUSE = 1 << 15 }; /* steps between two looks at the progress */

typedef struct checker {
    meguri_ctx *ctx;
    const double *coefficient; /* by position */
    mg_rows rows[2];           /* out and in; the second has no rows where the graph is undirected */
    mg_numbering numbering;
    uint32_t rows_count;
    uint64_t vertices;
    uint64_t cheap;  /* vertices of so many steps are all checked … */
    uint64_t chance; /* … others if a random number of 32 bits is below this */
    uint32_t broken; /* the first vertex, by position, whose coefficient is wrong; or MG_NO_VERTEX */
} checker;

typedef struct workspace {
    uint32_t *marks;     /* v + 1 where joined to v */
    uint32_t *neighbors; /* of v, each once */
    uint64_t steps;
    uint32_t at; /* the vertex that is looked at */
} workspace;

static bool pause_now(checker *c, workspace *d) {
    return ++d->steps % PAUSE == 0 && mg_progress(c->ctx, "check", d->at, c->rows_count);
}

/* Which vertices are in the sample: a good mixture of the position's bits (splitmix64). */
static uint64_t mixed(uint64_t v) {
    uint64_t z = (v + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (z ^ (z >> 31)) >> 32;
}

/* Steps that v takes; an estimate from above where there are duplicates. */
static uint64_t steps_of(const checker *c, uint32_t v) {
    uint64_t steps = 0;
    for (int r = 0; r < 2; r++)
        for (uint64_t arc = mg_row_begin(&c->rows[r], v); arc < mg_row_end(&c->rows[r], v); arc++) {
            uint32_t u = c->rows[r].neighbors[arc];
            steps += 1 + mg_row_end(&c->rows[0], u) - mg_row_begin(&c->rows[0], u);
        }
    return steps;
}

/* Arcs from u to marked vertices other than itself, each once. */
static uint64_t marked_ends(checker *c, workspace *d, uint32_t v, uint32_t u) {
    const uint32_t *row = c->rows[0].neighbors;
    uint64_t found = 0, begin = mg_row_begin(&c->rows[0], u), end = mg_row_end(&c->rows[0], u);
    for (uint64_t arc = begin; arc < end; arc++) {
        if (pause_now(c, d)) break;
        if (d->marks[row[arc]] != v + 1 || row[arc] == u || row[arc] == v) continue;
        found += arc == begin || row[arc - 1] != row[arc];
    }
    return found;
}

/* The coefficient of v by the definition. */
static double by_definition(checker *c, workspace *d, uint32_t v) {
    uint64_t arcs = 0;
    uint32_t degree = 0;
    for (int r = 0; r < 2; r++)
        for (uint64_t arc = mg_row_begin(&c->rows[r], v); arc < mg_row_end(&c->rows[r], v); arc++) {
            uint32_t u = c->rows[r].neighbors[arc];
            if (pause_now(c, d)) return 0;
            if (u == v || d->marks[u] == v + 1) continue;
            d->marks[u] = v + 1;
            d->neighbors[degree++] = u;
        }
    for (uint32_t i = 0; i < degree && !mg_cancelled(c->ctx); i++) arcs += marked_ends(c, d, v, d->neighbors[i]);
    return degree < 2 ? 0 : (double)arcs / ((double)degree * (double)(degree - 1));
}

static bool is_close(double a, double b) { return fabs(a - b) <= CLOSE * fmax(fabs(a), fabs(b)); }

static void check_vertex(checker *c, workspace *d, uint32_t v) {
    uint32_t position = mg_to_user(&c->numbering, v);
    if (steps_of(c, v) > c->cheap && mixed(position) >= c->chance) return;
    double right = by_definition(c, d, v);
    if (mg_cancelled(c->ctx) || is_close(right, c->coefficient[position])) return;
    mg_atomic_min_u32(&c->broken, position);
}

/* ---- how much ---------------------------------------------------------------------------------------------------- */

/* Steps of all vertices together by the number of bits that the steps of one have. */
typedef struct costs {
    uint64_t by_bits[65];
} costs;

static void plan_from(checker *c, const costs *all) {
    uint64_t sum = 0, rest = 0;
    int bits = 0;
    for (; bits < 65 && sum + all->by_bits[bits] <= MOST_STEPS / 2; bits++) sum += all->by_bits[bits];
    for (int b = bits; b < 65; b++) rest += all->by_bits[b];
    c->cheap = bits > 64 ? UINT64_MAX : bits ? ((uint64_t)1 << (bits - 1)) - 1 : 0; /* of fewer than `bits` bits */
    c->chance =
        rest <= MOST_STEPS / 2 ? (uint64_t)1 << 32 : (uint64_t)(4294967296.0 * ((double)MOST_STEPS / 2 / (double)rest));
}

typedef struct cost_job {
    const checker *c;
    costs all;
} cost_job;

static void add_costs(void *what, mg_worker *worker) {
    cost_job *job = what;
    for (mg_range chunk; mg_take(worker, &chunk);)
        for (uint64_t v = chunk.begin; v < chunk.end; v++) {
            uint64_t steps = steps_of(job->c, (uint32_t)v);
            mg_fetch_add(&job->all.by_bits[steps ? 64 - __builtin_clzll(steps) : 0], steps);
        }
}

/* A loop over all vertices with edges. */
static mg_loop vertex_loop(const checker *c, mg_work_fn *work, void *what, uint64_t chunk, uint64_t grain) {
    return (mg_loop){.ctx = c->ctx,
                     .threads = mg_threads(c->ctx, c->rows[0].arcs + c->rows[1].arcs, grain),
                     .items = c->rows_count,
                     .chunk = chunk,
                     .work = work,
                     .what = what,
                     .phase = "check",
                     .total = c->rows_count};
}

static meguri_status plan(checker *c) {
    cost_job job = {.c = c};
    mg_loop loop = vertex_loop(c, add_costs, &job, 64, PAUSE);
    meguri_status status = mg_loop_run(&loop);
    plan_from(c, &job.all);
    return status;
}

/* ---- all vertices ------------------------------------------------------------------------------------------------ */

/* What every coefficient is, whatever the graph: the first position where it is not. */
static void check_ranges(void *what, uint64_t begin, uint64_t end) {
    checker *c = what;
    for (uint64_t p = begin; p < end; p++) {
        bool alone = mg_to_internal(&c->numbering, (uint32_t)p) >= c->rows_count;
        double x = c->coefficient[p];
        if (!(x >= 0 && x <= 1 + CLOSE) || (alone && x != 0)) mg_atomic_min_u32(&c->broken, (uint32_t)p);
    }
}

typedef struct check_job {
    checker *c;
    uint32_t *workspaces; /* room for each thread */
} check_job;

static void check_vertices(void *what, mg_worker *worker) {
    const check_job *job = what;
    uint32_t rows = job->c->rows_count, *own = job->workspaces + 2 * (uint64_t)rows * worker->number;
    workspace d = {.marks = own, .neighbors = own + rows};
    for (mg_range v; mg_take(worker, &v);) {
        d.at = (uint32_t)v.begin;
        check_vertex(job->c, &d, d.at);
    }
}

static meguri_status check_all(checker *c) {
    check_job job = {.c = c};
    mg_loop loop = vertex_loop(c, check_vertices, &job, 1, 1 << 12);
    uint64_t room = 2 * (uint64_t)c->rows_count;
    job.workspaces =
        mg_alloc_array_zero(c->ctx, room * (uint64_t)loop.threads, sizeof *job.workspaces, "checking coefficients");
    if (!job.workspaces) return MEGURI_NO_MEMORY;
    meguri_status status = mg_loop_run(&loop);
    mg_free(job.workspaces);
    return status;
}

/* ---- sentences --------------------------------------------------------------------------------------------------- */

/* The sentence is the same in every locale: a coefficient in millionths. */
static meguri_status fail_vertex(const checker *c, const meguri_graph *graph) {
    char vertex[MG_ID_TEXT];
    double x = c->coefficient[c->broken];
    mg_graph_id_text(vertex, c->ctx, graph, c->broken);
    if (!(x >= 0 && x <= 1 + CLOSE))
        return mg_fail(c->ctx, MEGURI_WRONG_ANSWER, "the coefficient of vertex %s does not lie between 0 and 1.",
                       vertex);
    return mg_fail(c->ctx, MEGURI_WRONG_ANSWER,
                   "the coefficient of vertex %s, about %d millionths, is not what its neighbours make.", vertex,
                   (int)(x * 1e6 + 0.5));
}

meguri_status mg_clustering_check(meguri_ctx *ctx, const meguri_graph *graph, const double *coefficient) {
    if (!ctx) return MEGURI_BAD_ARGUMENT;
    mg_begin(ctx);
    if (!graph || !coefficient)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "meguri_clustering_check needs a graph and coefficients.");
    double since = mg_now();
    checker c = {.ctx = ctx,
                 .coefficient = coefficient,
                 .rows_count = (uint32_t)graph->rows,
                 .vertices = graph->vertices,
                 .broken = MG_NO_VERTEX};
    meguri_status status = mg_graph_rows(&c.rows[0], ctx, graph);
    if (status == MEGURI_OK && graph->directed) status = mg_graph_in_rows(&c.rows[1], ctx, graph);
    if (status == MEGURI_OK) status = mg_graph_numbering(&c.numbering, ctx, graph);
    if (status != MEGURI_OK) return status;
    mg_for(ctx, mg_threads(ctx, c.vertices, 1 << 16), c.vertices, check_ranges, &c);
    if (c.broken == MG_NO_VERTEX) status = plan(&c);
    if (c.broken == MG_NO_VERTEX && status == MEGURI_OK) status = check_all(&c);
    if (status != MEGURI_OK) return status;
    mg_trace_phase(ctx, "check", "clustering", (int64_t)c.rows[0].arcs, -1, since);
    return c.broken == MG_NO_VERTEX ? MEGURI_OK : fail_vertex(&c, graph);
}
