/* Checks scores of betweenness by computing them again: Brandes' algorithm as the paper has it, a queue and a stack, on
 * one thread. A number of paths may be beyond every type: it is kept between 1 and 2^512, with a count of how often it
 * was divided by that. Nothing is shared with the host but the graph and the choice of sources. */
#include "algo/betweenness/betweenness.h"

#include <math.h>

#define TOLERANCE 1e-9
#define UNIT      0x1p512L /* of scales */

enum { LOOK = 16384 }; /* arcs between two looks at the progress */

typedef struct checker {
    meguri_ctx *ctx;
    const meguri_graph *graph;
    mg_rows rows;
    mg_numbering numbering;
    long double *ways, *dependency; /* all by position */
    uint32_t *scale;                /* ways are to be multiplied by UNIT so many times */
    double *score;
    uint32_t *distance; /* MG_NO_VERTEX: not reached */
    uint32_t *queue;    /* read backwards it is the stack */
    uint64_t reached;
    uint64_t done, total; /* sources */
    uint64_t looked;      /* arcs since the last look at the progress */
} checker;

static bool stopped(checker *c, uint64_t arcs) {
    c->looked += arcs;
    if (c->looked < LOOK) return false;
    c->looked = 0;
    return mg_progress(c->ctx, "check", c->done, c->total);
}

static void enqueue(checker *c, uint32_t p, uint32_t distance) {
    c->queue[c->reached++] = p;
    c->distance[p] = distance;
    c->ways[p] = c->dependency[p] = 0;
    c->scale[p] = 0;
}

/* A number of this scale, in units of that one. */
static long double scaled(long double number, uint32_t scale, uint32_t to) {
    for (; scale < to && number > 0; scale++) number /= UNIT;
    for (; scale > to; scale--) number *= UNIT;
    return number;
}

/* The ways to u lead on to w. */
static void add_ways(checker *c, uint32_t w, uint32_t u) {
    uint32_t scale = MG_MAX(c->scale[w], c->scale[u]);
    c->ways[w] = scaled(c->ways[w], c->scale[w], scale) + scaled(c->ways[u], c->scale[u], scale);
    c->scale[w] = scale;
    if (c->ways[w] <= UNIT) return;
    c->ways[w] /= UNIT;
    c->scale[w]++;
}

/* Forwards: distances and numbers of ways. False if it was cancelled. */
static bool count_ways(checker *c, uint32_t source) {
    c->reached = 0;
    enqueue(c, source, 0);
    c->ways[source] = 1;
    for (uint64_t next = 0; next < c->reached; next++) {
        uint32_t u = c->queue[next], internal = mg_to_internal(&c->numbering, u);
        for (uint64_t arc = mg_row_begin(&c->rows, internal); arc < mg_row_end(&c->rows, internal); arc++) {
            uint32_t w = mg_to_user(&c->numbering, c->rows.neighbors[arc]);
            if (c->distance[w] == MG_NO_VERTEX) enqueue(c, w, c->distance[u] + 1);
            if (c->distance[w] == c->distance[u] + 1) add_ways(c, w, u);
            if (stopped(c, 1)) return false;
        }
    }
    return true;
}

/* Backwards: what depends on each vertex; forgets the search. */
static bool add_dependencies(checker *c, uint32_t source) {
    for (uint64_t i = c->reached; i-- > 0;) {
        uint32_t u = c->queue[i], internal = mg_to_internal(&c->numbering, u);
        for (uint64_t arc = mg_row_begin(&c->rows, internal); arc < mg_row_end(&c->rows, internal); arc++) {
            uint32_t w = mg_to_user(&c->numbering, c->rows.neighbors[arc]);
            if (c->distance[w] == c->distance[u] + 1)
                c->dependency[u] += scaled(c->ways[u] / c->ways[w] * (1 + c->dependency[w]), c->scale[u], c->scale[w]);
            if (stopped(c, 1)) return false;
        }
        if (u != source) c->score[u] += (double)c->dependency[u];
    }
    for (uint64_t i = 0; i < c->reached; i++) c->distance[c->queue[i]] = MG_NO_VERTEX;
    return true;
}

static meguri_status make_room(checker *c) {
    static const char *const what = "checking betweenness";
    uint64_t vertices = c->graph->vertices;
    c->ways = mg_alloc_array(c->ctx, vertices, sizeof *c->ways, what);
    c->dependency = mg_alloc_array(c->ctx, vertices, sizeof *c->dependency, what);
    c->scale = mg_alloc_array(c->ctx, vertices, sizeof *c->scale, what);
    c->score = mg_alloc_array_zero(c->ctx, vertices, sizeof *c->score, what);
    c->distance = mg_alloc_array(c->ctx, vertices, sizeof *c->distance, what);
    c->queue = mg_alloc_array(c->ctx, vertices, sizeof *c->queue, what);
    if (!c->ways || !c->dependency || !c->scale || !c->score || !c->distance || !c->queue) return MEGURI_NO_MEMORY;
    for (uint64_t p = 0; p < vertices; p++) c->distance[p] = MG_NO_VERTEX;
    return MEGURI_OK;
}

/* ---- sentences -------------------------------------------------------------------------------------------------- */

enum { NUMBER_TEXT = 32 };

/* With a point in every locale. */
static const char *number_text(char text[NUMBER_TEXT], double number) {
    snprintf(text, NUMBER_TEXT, "%.12g", number);
    for (char *at = text; *at; at++)
        if (*at == ',') *at = '.';
    return text;
}

static meguri_status compare(const checker *c, const double *score, double factor) {
    char vertex[MG_ID_TEXT], found[NUMBER_TEXT], right[NUMBER_TEXT];
    for (uint32_t p = 0; p < c->graph->vertices; p++) {
        double wanted = factor * c->score[p];
        if (fabs(score[p] - wanted) <= TOLERANCE * MG_MAX(1, fabs(wanted))) continue;
        return mg_fail(c->ctx, MEGURI_WRONG_ANSWER, "the score of vertex %s is %s, but should be %s.",
                       mg_graph_id_text(vertex, c->ctx, c->graph, p), number_text(found, score[p]),
                       number_text(right, wanted));
    }
    return MEGURI_OK;
}

static meguri_status check(checker *c, const double *score, const mg_betweenness_sources *sources) {
    if (mg_progress(c->ctx, "check", 0, c->total)) return mg_fail_cancelled(c->ctx);
    meguri_status status = make_room(c);
    if (status != MEGURI_OK) return status;
    for (; c->done < c->total; c->done++) {
        uint32_t source = sources->vertices[c->done];
        if (!count_ways(c, source) || !add_dependencies(c, source)) return mg_fail_cancelled(c->ctx);
    }
    return compare(c, score, sources->all && !c->graph->directed ? 0.5 : 1);
}

meguri_status mg_betweenness_check(meguri_ctx *ctx, const meguri_graph *graph, const double *score,
                                   const meguri_betweenness_options *options) {
    if (!ctx) return MEGURI_BAD_ARGUMENT;
    mg_begin(ctx);
    if (!graph || !score)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "meguri_betweenness_check needs a graph and its scores.");
    double since = mg_now();
    mg_betweenness_sources sources;
    meguri_status status = mg_betweenness_sources_new(&sources, ctx, graph, options, "check");
    checker c = {.ctx = ctx, .graph = graph, .total = sources.count};
    if (status == MEGURI_OK) status = mg_graph_rows(&c.rows, ctx, graph);
    if (status == MEGURI_OK) status = mg_graph_numbering(&c.numbering, ctx, graph);
    if (status == MEGURI_OK) status = check(&c, score, &sources);
    if (status == MEGURI_OK) mg_trace_phase(ctx, "check", "betweenness", -1, -1, since);
    mg_free(sources.vertices);
    mg_free(c.ways);
    mg_free(c.dependency);
    mg_free(c.scale);
    mg_free(c.score);
    mg_free(c.distance);
    mg_free(c.queue);
    return status;
}
