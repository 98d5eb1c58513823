/* What coordinates tell about costs, for A*: points, and a factor such that the straight line between two of them times
 * that factor is never more than a path between them costs.
 *
 * The factor is the smallest there is of weight to straight line, over all edges; so no unit has to be known, the bound
 * is right for whatever the weights are, and it is consistent, because straight lines obey the triangle inequality. For
 * the same reason the globe is taken as the unit sphere in space and the chord as the straight line: it is no longer
 * than the great circle, needs no trigonometry in the search, and on the scale of an edge is the same. What kind the
 * coordinates are thus decides how much they tell and not whether the answer is right; where nobody says, the kind that
 * tells most is taken.
 *
 * Rounding: a computed line differs from the true one by a few units in the last place of the longest line. Every
 * weight is lowered by more than that before the factor is computed. */
#include "algo/path/path.h"

#include "policy/policy.h"

#include <math.h>

#define GRAIN    65536
#define CHUNK    4096 /* vertices taken at a time */
#define ROUNDING 4e-15
#define TOO_FAR  ((double)((uint64_t)1 << 58)) /* sums of whole weights that are doubled and added stay in 64 bits */
#define MAJORITY 3                             /* trials that agree */

typedef enum kind { PLANAR, DEGREES, MILLIONTHS, KINDS } kind;

/* Edges and lines together. */
typedef struct fit {
    double per_unit; /* the smallest ratio */
    double tells;    /* how much of the mean edge the line tells, from 0 to 1 */
} fit;

static bool has_edges(const meguri_path_finder *f, uint64_t v) {
    return mg_row_begin(&f->forward, v) < mg_row_end(&f->forward, v) ||
           mg_row_begin(&f->backward, v) < mg_row_end(&f->backward, v);
}

/* What the threads of a loop share. */
typedef struct guide_job {
    const meguri_path_finder *f;
    const double *xy; /* by position */
    double *points;   /* by internal number, of so many dimensions */
    unsigned dimensions;
    kind k;
    double error;
    double widest[2]; /* of x and y */
    uint64_t lost;    /* the first vertex that has edges and is nowhere */
    double least, lines, weights;
} guide_job;

static void run_loop(meguri_ctx *ctx, guide_job *job, mg_work_fn *work, uint64_t items, uint64_t amount) {
    mg_loop loop = {.ctx = ctx,
                    .threads = mg_threads(ctx, amount, GRAIN),
                    .items = items,
                    .chunk = CHUNK,
                    .work = work,
                    .what = job,
                    .phase = "path",
                    .total = items};
    mg_loop_run(&loop);
}

static void measure(void *what, mg_worker *worker) {
    guide_job *job = what;
    const meguri_path_finder *f = job->f;
    double x = 0, y = 0;
    uint64_t lost = UINT64_MAX;
    for (mg_range chunk; mg_take(worker, &chunk);)
        for (uint64_t v = chunk.begin; v < chunk.end; v++) {
            uint64_t p = mg_to_user(&f->numbering, (uint32_t)v);
            if (!has_edges(f, v)) continue;
            if (!isfinite(job->xy[2 * p]) || !isfinite(job->xy[2 * p + 1])) lost = MG_MIN(lost, p);
            x = MG_MAX(x, fabs(job->xy[2 * p]));
            y = MG_MAX(y, fabs(job->xy[2 * p + 1]));
        }
    mg_loop_lock(worker);
    job->widest[0] = MG_MAX(job->widest[0], x);
    job->widest[1] = MG_MAX(job->widest[1], y);
    job->lost = MG_MIN(job->lost, lost);
    mg_loop_unlock(worker);
}

static void place_vertex(const guide_job *job, uint64_t v) {
    const meguri_path_finder *f = job->f;
    double radians = acos(-1.0) / 180 * (job->k == MILLIONTHS ? 1e-6 : 1);
    uint64_t p = mg_to_user(&f->numbering, (uint32_t)v);
    double x = job->xy[2 * p], y = job->xy[2 * p + 1], *at = job->points + v * job->dimensions;
    if (job->k == PLANAR) {
        at[0] = x, at[1] = y;
    } else {
        double longitude = x * radians, latitude = y * radians;
        at[0] = cos(latitude) * cos(longitude), at[1] = cos(latitude) * sin(longitude), at[2] = sin(latitude);
    }
    /* A vertex without edges is in no path, and may be anywhere. */
    for (unsigned i = 0; i < job->dimensions; i++)
        if (!has_edges(f, v)) at[i] = 0;
}

static void place(void *what, mg_worker *worker) {
    for (mg_range chunk; mg_take(worker, &chunk);)
        for (uint64_t v = chunk.begin; v < chunk.end; v++) place_vertex(what, v);
}

static void look_at_row(const guide_job *job, guide_job *found, uint64_t u) {
    const mg_rows *rows = &job->f->forward;
    const double *a = job->points + u * job->dimensions;
    for (uint64_t arc = mg_row_begin(rows, u); arc < mg_row_end(rows, u); arc++) {
        const double *b = job->points + (uint64_t)rows->neighbors[arc] * job->dimensions;
        double square = 0;
        for (unsigned i = 0; i < job->dimensions; i++) square += (a[i] - b[i]) * (a[i] - b[i]);
        if (square == 0) continue;
        double line = sqrt(square), weight = mg_path_weight(job->f, arc);
        found->lines += line;
        found->weights += weight;
        found->least = MG_MIN(found->least, MG_MAX(weight - job->error, 0.0) / line);
    }
}

static void look(void *what, mg_worker *worker) {
    guide_job *job = what, mine = {.least = INFINITY};
    for (mg_range chunk; mg_take(worker, &chunk);)
        for (uint64_t u = chunk.begin; u < chunk.end; u++) look_at_row(job, &mine, u);
    mg_loop_lock(worker);
    job->lines += mine.lines;
    job->weights += mine.weights;
    job->least = MG_MIN(job->least, mine.least);
    mg_loop_unlock(worker);
}

static fit look_at_edges(meguri_ctx *ctx, guide_job *job) {
    const mg_rows *rows = &job->f->forward;
    job->least = INFINITY;
    job->lines = job->weights = 0;
    run_loop(ctx, job, look, rows->rows, rows->arcs);
    fit found = {.per_unit = job->lines > 0 ? job->least * (1 - 1e-9) : 0};
    if (job->weights > 0) found.tells = found.per_unit * job->lines / job->weights;
    return found;
}

/* Which kinds the coordinates can be. */
static bool possible(const meguri_path_finder *f, const double widest[2], kind k) {
    bool degrees = widest[0] <= 360 && widest[1] <= 90;
    if (k == PLANAR) return f->options.metric != MEGURI_PATH_GREAT_CIRCLE;
    if (f->options.metric == MEGURI_PATH_PLANAR) return false;
    return k == DEGREES ? degrees : !degrees && widest[0] <= 360e6 && widest[1] <= 90e6;
}

static void place_as(meguri_ctx *ctx, guide_job *job, kind k) {
    job->k = k;
    job->dimensions = k == PLANAR ? 2 : 3;
    run_loop(ctx, job, place, job->f->graph->vertices, job->f->graph->vertices);
}

static meguri_status guide_by(meguri_ctx *ctx, meguri_path_finder *f, guide_job *job) {
    mg_path_guide guide = {.tried = true}, *g = &guide; /* whole before it is the finder's: callbacks may look */
    const double *widest = job->widest;
    job->points = g->points = mg_alloc_array(ctx, f->graph->vertices, 3 * sizeof *g->points, "points for A*");
    if (!g->points) return MEGURI_NO_MEMORY;
    kind best = KINDS;
    fit found = {.tells = -1};
    for (kind k = PLANAR; k < KINDS; k++) {
        if (!possible(f, widest, k)) continue;
        place_as(ctx, job, k);
        fit now = look_at_edges(ctx, job);
        if (now.tells > found.tells) found = now, best = k;
    }
    if (best != job->k) place_as(ctx, job, best);
    g->dimensions = job->dimensions;
    double longest = best == PLANAR ? 2 * hypot(widest[0], widest[1]) : 2;
    job->error = ROUNDING * found.per_unit * longest;
    found = look_at_edges(ctx, job);
    bool fits = f->real || f->heaviest * (double)f->graph->vertices < TOO_FAR;
    g->per_unit = fits ? MG_MIN(found.per_unit, TOO_FAR / MG_MAX(longest, 1e-9)) : 0;
    g->tells = found.tells;
    if (!mg_cancelled(ctx)) {
        f->guide = guide;
        return MEGURI_OK;
    }
    mg_free(guide.points);
    return mg_fail_cancelled(ctx);
}

static meguri_status refuse(meguri_ctx *ctx, const meguri_path_finder *f, const double *xy, uint64_t lost) {
    char text[MG_ID_TEXT];
    if (!xy)
        return mg_fail(ctx, MEGURI_BAD_INPUT,
                       "A* needs coordinates, and this graph has none: build it with some, or take another algorithm.");
    if (lost == UINT64_MAX)
        return mg_fail(ctx, MEGURI_BAD_INPUT,
                       "the coordinates of this graph are not longitudes and latitudes in degrees or in millionths of "
                       "them: take the planar metric.");
    return mg_fail(ctx, MEGURI_BAD_INPUT,
                   "A* needs coordinates of every vertex that has edges, and %s has none: take another algorithm.",
                   mg_graph_id_text(text, ctx, f->graph, (uint32_t)lost));
}

meguri_status mg_path_guide_make(meguri_ctx *ctx, meguri_path_finder *f, bool optional) {
    if (f->guide.points || (optional && f->guide.tried)) return MEGURI_OK;
    double since = mg_now();
    const void *xy;
    meguri_status status = mg_graph_part(&xy, ctx, f->graph, MG_PART_COORDINATES);
    if (status != MEGURI_OK) return status;
    guide_job job = {.f = f, .xy = xy, .lost = UINT64_MAX};
    uint64_t rows = MG_MAX(f->forward.rows, f->backward.rows);
    if (xy) run_loop(ctx, &job, measure, rows, rows);
    const double *widest = job.widest;
    f->guide.tried = !mg_cancelled(ctx);
    if (!f->guide.tried) return mg_fail_cancelled(ctx);
    bool can = xy && job.lost == UINT64_MAX;
    if (can) can = possible(f, widest, PLANAR) || possible(f, widest, DEGREES) || possible(f, widest, MILLIONTHS);
    if (!can) return optional ? MEGURI_OK : refuse(ctx, f, xy, job.lost);
    if (optional && mg_memory_left(ctx) / 64 < f->graph->vertices) return MEGURI_OK;
    status = guide_by(ctx, f, &job);
    f->guide.tried = status == MEGURI_OK;
    mg_trace_phase(ctx, "path", "guide", (int64_t)f->forward.arcs, -1, since);
    return status;
}

/* ---- whether it pays -------------------------------------------------------------------------------------------- */

/* How much of an edge a line tells does not say how many vertices A* settles: at the same figure it can be a fifth or
 * two thirds of those that a search from both ends settles without points, as the roads lie. So a few questions are
 * asked both ways. Settled vertices are compared, and not times: the choice is the same every time. */
meguri_status mg_path_guide_try(meguri_ctx *ctx, meguri_path_search *s, const meguri_path_query *query) {
    unsigned *wins = s->known.wins;
    bool clear = MG_MAX(wins[0], wins[1]) >= MAJORITY;
    if (clear || !mg_path_guided(&s->known) || query->from == query->to || query->timeout > 0) return MEGURI_OK;
    static const meguri_path_algorithm ways[] = {MEGURI_PATH_ASTAR, MEGURI_PATH_BIDIRECTIONAL};
    meguri_path_answer answers[2];
    for (int way = 0; way < 2; way++) {
        meguri_path_query one = *query;
        one.algorithm = ways[way];
        mg_path_question question = {
            .ctx = ctx, .finder = s->finder, .search = s, .query = &one, .answer = &answers[way]};
        /* What is dearer than the other need not end. */
        if (way) question.most_settled = 1 + (uint64_t)(mg_policy_path_price() * (double)answers[0].settled);
        meguri_status status = mg_path_answer_one(&question);
        if (status != MEGURI_OK) return status;
    }
    wins[(double)answers[1].settled > mg_policy_path_price() * (double)answers[0].settled]++;
    return MEGURI_OK;
}

bool mg_path_guide_pays(const mg_path_known *k) {
    return mg_policy_path_guided(k->wins[0], k->wins[1], k->guide->tells);
}
