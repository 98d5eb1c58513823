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

#include <math.h>

#define GRAIN    65536
#define ROUNDING 4e-15
#define TOO_FAR  ((double)((uint64_t)1 << 58)) /* sums of whole weights that are doubled and added stay in 64 bits */
#define PRICE    1.6 /* of a vertex settled by A*, beside one without points: 1.5 to 1.8 on roads */
#define MAJORITY 3   /* trials that agree */
#define TELLS    0.9 /* of a mean edge: with less, no road graph was faster by A*, but for the largest */

typedef enum kind { PLANAR, DEGREES, MILLIONTHS, KINDS } kind;

/* Edges and lines together. */
typedef struct fit {
    double per_unit; /* the smallest ratio */
    double tells;    /* how much of the mean edge the line tells, from 0 to 1 */
} fit;

/* Asked for every vertex of a loop on threads; true: leave the rest out. */
static inline bool enough(meguri_ctx *ctx, uint64_t v, uint64_t of) {
    return (v % 4096 == 0 && mg_progress(ctx, "path", v, of)) || mg_cancelled(ctx);
}

static bool has_edges(const meguri_path_finder *f, uint64_t v) {
    return mg_row_begin(&f->forward, v) < mg_row_end(&f->forward, v) ||
           mg_row_begin(&f->backward, v) < mg_row_end(&f->backward, v);
}

/* The widest that x and y go; and the first vertex that has edges and is nowhere, UINT64_MAX where there is none. */
static uint64_t measure(double widest[2], meguri_ctx *ctx, const meguri_path_finder *f, const double *xy) {
    double x = 0, y = 0;
    uint64_t lost = UINT64_MAX, rows = MG_MAX(f->forward.rows, f->backward.rows);
    int threads = mg_threads(ctx, rows, GRAIN);
#pragma omp parallel for num_threads(mg_team(threads)) schedule(static) reduction(max : x, y) reduction(min : lost)
    for (uint64_t v = 0; v < rows; v++) {
        uint64_t p = mg_to_user(&f->numbering, (uint32_t)v);
        if (enough(ctx, v, rows) || !has_edges(f, v)) continue;
        if (!isfinite(xy[2 * p]) || !isfinite(xy[2 * p + 1])) lost = MG_MIN(lost, p);
        x = MG_MAX(x, fabs(xy[2 * p]));
        y = MG_MAX(y, fabs(xy[2 * p + 1]));
    }
    widest[0] = x, widest[1] = y;
    return lost;
}

static void place(meguri_ctx *ctx, const meguri_path_finder *f, double *points, const double *xy, kind k) {
    uint64_t vertices = f->graph->vertices;
    unsigned dimensions = k == PLANAR ? 2 : 3;
    double radians = acos(-1.0) / 180 * (k == MILLIONTHS ? 1e-6 : 1);
    int threads = mg_threads(ctx, vertices, GRAIN);
#pragma omp parallel for num_threads(mg_team(threads)) schedule(static)
    for (uint64_t v = 0; v < vertices; v++) {
        if (enough(ctx, v, vertices)) continue;
        uint64_t p = mg_to_user(&f->numbering, (uint32_t)v);
        double x = xy[2 * p], y = xy[2 * p + 1], *at = points + v * dimensions;
        if (k == PLANAR) {
            at[0] = x, at[1] = y;
        } else {
            double longitude = x * radians, latitude = y * radians;
            at[0] = cos(latitude) * cos(longitude), at[1] = cos(latitude) * sin(longitude), at[2] = sin(latitude);
        }
        /* A vertex without edges is in no path, and may be anywhere. */
        for (unsigned i = 0; i < dimensions; i++)
            if (!has_edges(f, v)) at[i] = 0;
    }
}

static fit look(meguri_ctx *ctx, const meguri_path_finder *f, const double *points, unsigned dimensions, double error) {
    const mg_rows *rows = &f->forward;
    double least = INFINITY, lines = 0, weights = 0;
    int threads = mg_threads(ctx, rows->arcs, GRAIN);
#pragma omp parallel for num_threads(mg_team(threads)) schedule(dynamic, 4096) reduction(min : least)                           \
    reduction(+ : lines, weights)
    for (uint64_t u = 0; u < rows->rows; u++) {
        if (enough(ctx, u, rows->rows)) continue;
        const double *a = points + u * dimensions;
        for (uint64_t arc = mg_row_begin(rows, u); arc < mg_row_end(rows, u); arc++) {
            const double *b = points + (uint64_t)rows->neighbors[arc] * dimensions;
            double square = 0;
            for (unsigned i = 0; i < dimensions; i++) square += (a[i] - b[i]) * (a[i] - b[i]);
            if (square == 0) continue;
            double line = sqrt(square), weight = mg_path_weight(f, arc);
            lines += line;
            weights += weight;
            least = MG_MIN(least, MG_MAX(weight - error, 0.0) / line);
        }
    }
    fit found = {.per_unit = lines > 0 ? least * (1 - 1e-9) : 0};
    if (weights > 0) found.tells = found.per_unit * lines / weights;
    return found;
}

/* Which kinds the coordinates can be. */
static bool possible(const meguri_path_finder *f, const double widest[2], kind k) {
    bool degrees = widest[0] <= 360 && widest[1] <= 90;
    if (k == PLANAR) return f->options.metric != MEGURI_PATH_GREAT_CIRCLE;
    if (f->options.metric == MEGURI_PATH_PLANAR) return false;
    return k == DEGREES ? degrees : !degrees && widest[0] <= 360e6 && widest[1] <= 90e6;
}

static meguri_status guide_by(meguri_ctx *ctx, meguri_path_finder *f, const double *xy, const double widest[2]) {
    mg_path_guide *g = &f->guide;
    g->points = mg_alloc_array(ctx, f->graph->vertices, 3 * sizeof *g->points, "points for A*");
    if (!g->points) return MEGURI_NO_MEMORY;
    kind best = KINDS, last = KINDS;
    fit found = {.tells = -1};
    for (kind k = PLANAR; k < KINDS; k++) {
        if (!possible(f, widest, k)) continue;
        place(ctx, f, g->points, xy, last = k);
        fit now = look(ctx, f, g->points, k == PLANAR ? 2 : 3, 0);
        if (now.tells > found.tells) found = now, best = k;
    }
    if (best != last) place(ctx, f, g->points, xy, best);
    g->dimensions = best == PLANAR ? 2 : 3;
    double longest = best == PLANAR ? 2 * hypot(widest[0], widest[1]) : 2;
    found = look(ctx, f, g->points, g->dimensions, ROUNDING * found.per_unit * longest);
    bool fits = f->real || f->heaviest * (double)f->graph->vertices < TOO_FAR;
    g->per_unit = fits ? MG_MIN(found.per_unit, TOO_FAR / MG_MAX(longest, 1e-9)) : 0;
    g->tells = found.tells;
    if (!mg_cancelled(ctx)) return MEGURI_OK;
    mg_free(g->points);
    g->points = NULL;
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
    double widest[2] = {0, 0}, since = mg_now();
    const void *xy;
    meguri_status status = mg_graph_part(&xy, ctx, f->graph, MG_PART_COORDINATES);
    if (status != MEGURI_OK) return status;
    uint64_t lost = xy ? measure(widest, ctx, f, xy) : UINT64_MAX;
    f->guide.tried = !mg_cancelled(ctx);
    if (!f->guide.tried) return mg_fail_cancelled(ctx);
    bool can = xy && lost == UINT64_MAX;
    if (can) can = possible(f, widest, PLANAR) || possible(f, widest, DEGREES) || possible(f, widest, MILLIONTHS);
    if (!can) return optional ? MEGURI_OK : refuse(ctx, f, xy, lost);
    if (optional && mg_memory_left(ctx) / 64 < f->graph->vertices) return MEGURI_OK;
    status = guide_by(ctx, f, xy, widest);
    f->guide.tried = status == MEGURI_OK;
    mg_trace_phase(ctx, "path", "guide", (int64_t)f->forward.arcs, -1, since);
    return status;
}

/* ---- whether it pays -------------------------------------------------------------------------------------------- */

/* How much of an edge a line tells does not say how many vertices A* settles: at the same figure it can be a fifth or
 * two thirds of those that a search from both ends settles without points, as the roads lie. So a few questions are
 * asked both ways. Settled vertices are compared, and not times: the choice is the same every time. */
meguri_status mg_path_guide_try(meguri_ctx *ctx, meguri_path_finder *f, const meguri_path_query *query) {
    mg_path_guide *g = &f->guide;
    bool clear = MG_MAX(g->wins[0], g->wins[1]) >= MAJORITY;
    if (clear || !mg_path_guided(f) || query->from == query->to || query->timeout > 0) return MEGURI_OK;
    static const meguri_path_algorithm ways[] = {MEGURI_PATH_ASTAR, MEGURI_PATH_BIDIRECTIONAL};
    meguri_path_answer answers[2];
    for (int way = 0; way < 2; way++) {
        meguri_path_query one = *query;
        one.algorithm = ways[way];
        mg_path_question question = {
            .ctx = ctx, .finder = f, .scratch = f->scratch, .query = &one, .answer = &answers[way]};
        /* What is dearer than the other need not end. */
        if (way) question.most_settled = 1 + (uint64_t)(PRICE * (double)answers[0].settled);
        meguri_status status = mg_path_answer_one(&question);
        if (status != MEGURI_OK) return status;
    }
    g->wins[(double)answers[1].settled > PRICE * (double)answers[0].settled]++;
    return MEGURI_OK;
}

bool mg_path_guide_pays(const mg_path_guide *g) {
    return g->wins[0] == g->wins[1] ? g->tells > TELLS : g->wins[1] > g->wins[0];
}
