/* Checks labels of communities. Whether a label is right shows only in the labels of the iteration before, which a
 * result does not have; so the labels are propagated again, in a way that shares nothing with the first but the graph:
 * one vertex after another in the user's order, the labels of its neighbours sorted, the longest run taken. Only the
 * sorting of long rows uses threads. It ends early where an iteration gives what one of the two before it had. */
#include "algo/communities/communities.h"

#include <inttypes.h>
#include <meguri/communities.h>

enum { DEFAULT_ITERATIONS = 10, SMALL = 65536, LOOK = 16384 }; /* the last: arcs between two looks at the progress */

typedef struct checker {
    meguri_ctx *ctx;
    const meguri_graph *graph;
    mg_rows out, in;
    mg_numbering numbering;
    uint32_t *now, *before;    /* labels by position */
    uint32_t *around, *sorted; /* labels of the neighbours of one vertex; room to sort them */
    uint32_t bits;             /* that a label has */
    uint64_t looked;           /* arcs since the last look at the progress */
    uint32_t iterations, done;
    uint64_t differ, differ_from_before; /* labels of an iteration */
} checker;

static meguri_status look_up(checker *c, uint64_t arcs) {
    c->looked += arcs;
    if (c->looked < LOOK) return MEGURI_OK;
    c->looked = 0;
    return mg_progress(c->ctx, "check", c->done, c->iterations) ? mg_fail_cancelled(c->ctx) : MEGURI_OK;
}

/* Adds the labels of a row to those around; returns how many there are then. */
static uint64_t take_row(const checker *c, const mg_rows *rows, uint32_t v, uint64_t count) {
    for (uint64_t arc = mg_row_begin(rows, v); arc < mg_row_end(rows, v); arc++)
        c->around[count++] = c->now[mg_to_user(&c->numbering, rows->neighbors[arc])];
    return count;
}

static meguri_status sort_labels(checker *c, uint64_t count) {
    if (count > SMALL) return mg_sort_u32(c->ctx, c->around, NULL, 0, count, c->bits);
    if (count > 32) mg_sort_small_u32(c->around, c->sorted, NULL, NULL, 0, count, c->bits);
    for (uint64_t i = 1; i < count && count <= 32; i++) {
        uint32_t label = c->around[i];
        uint64_t j = i;
        for (; j > 0 && c->around[j - 1] > label; j--) c->around[j] = c->around[j - 1];
        c->around[j] = label;
    }
    return MEGURI_OK;
}

/* The first of the longest runs. */
static uint32_t most_frequent(const uint32_t *sorted, uint64_t count) {
    uint64_t most = 0;
    uint32_t found = 0;
    for (uint64_t begin = 0, end; begin < count; begin = end) {
        for (end = begin; end < count && sorted[end] == sorted[begin]; end++) continue;
        if (end - begin <= most) continue;
        most = end - begin;
        found = sorted[begin];
    }
    return found;
}

static meguri_status iterate(checker *c) {
    c->differ = c->differ_from_before = 0;
    for (uint32_t p = 0; p < c->graph->vertices; p++) {
        uint32_t v = mg_to_internal(&c->numbering, p);
        uint64_t count = take_row(c, &c->out, v, 0);
        if (c->graph->directed) count = take_row(c, &c->in, v, count);
        meguri_status status = sort_labels(c, count);
        if (status == MEGURI_OK) status = look_up(c, count + 1);
        if (status != MEGURI_OK) return status;
        uint32_t label = count ? most_frequent(c->around, count) : c->now[p];
        c->differ += label != c->now[p];
        c->differ_from_before += label != c->before[p];
        c->before[p] = label;
    }
    uint32_t *now = c->now;
    c->now = c->before;
    c->before = now;
    c->done++;
    return MEGURI_OK;
}

static meguri_status propagate(checker *c) {
    while (c->done < c->iterations) {
        meguri_status status = iterate(c);
        if (status != MEGURI_OK) return status;
        if (!c->differ) break;
        if (c->done > 1 && !c->differ_from_before) {
            if ((c->iterations - c->done) % 2) c->now = c->before;
            break;
        }
    }
    return MEGURI_OK;
}

/* ---- room ------------------------------------------------------------------------------------------------------- */

static meguri_status make_room(checker *c) {
    uint64_t vertices = c->graph->vertices, most = 0;
    for (uint64_t v = 0; v < c->graph->rows; v++) {
        uint64_t degree = mg_row_end(&c->out, v) - mg_row_begin(&c->out, v);
        if (c->graph->directed) degree += mg_row_end(&c->in, v) - mg_row_begin(&c->in, v);
        most = MG_MAX(most, degree);
    }
    static const char *const what = "checking communities";
    c->now = mg_alloc_array(c->ctx, vertices, sizeof *c->now, what);
    c->before = mg_alloc_array(c->ctx, vertices, sizeof *c->before, what);
    c->around = mg_alloc_array(c->ctx, most, sizeof *c->around, what);
    c->sorted = mg_alloc_array(c->ctx, MG_MIN(most, (uint64_t)SMALL), sizeof *c->sorted, what);
    if (!c->now || !c->before || !c->around || !c->sorted) return MEGURI_NO_MEMORY;
    for (uint32_t p = 0; p < vertices; p++) c->now[p] = c->before[p] = p;
    c->bits = 1;
    while (c->bits < 32 && vertices >> c->bits) c->bits++;
    return MEGURI_OK;
}

/* ---- sentences -------------------------------------------------------------------------------------------------- */

static meguri_status compare(const checker *c, const uint32_t *label) {
    char vertex[MG_ID_TEXT], found[MG_ID_TEXT], right[MG_ID_TEXT];
    for (uint32_t p = 0; p < c->graph->vertices; p++) {
        if (label[p] == c->now[p]) continue;
        mg_graph_id_text(vertex, c->ctx, c->graph, p);
        if (label[p] >= c->graph->vertices)
            return mg_fail(c->ctx, MEGURI_WRONG_ANSWER,
                           "the label of vertex %s is number %" PRIu32 ", but the graph has %" PRIu64 " vertices.",
                           vertex, label[p], c->graph->vertices);
        return mg_fail(c->ctx, MEGURI_WRONG_ANSWER, "the label of vertex %s is %s, but %" PRIu32 " iteration%s %s.",
                       vertex, mg_graph_id_text(found, c->ctx, c->graph, label[p]), c->iterations,
                       c->iterations == 1 ? " gives" : "s give", mg_graph_id_text(right, c->ctx, c->graph, c->now[p]));
    }
    return MEGURI_OK;
}

meguri_status mg_communities_check(meguri_ctx *ctx, const meguri_graph *graph, const uint32_t *label,
                                   uint32_t iterations) {
    if (!ctx) return MEGURI_BAD_ARGUMENT;
    mg_begin(ctx);
    if (!graph || !label)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "meguri_communities_check needs a graph and its labels.");
    double since = mg_now();
    checker c = {.ctx = ctx, .graph = graph, .iterations = iterations};
    meguri_status status = mg_graph_rows(&c.out, ctx, graph);
    if (status == MEGURI_OK) status = mg_graph_numbering(&c.numbering, ctx, graph);
    if (status == MEGURI_OK && graph->directed) status = mg_graph_in_rows(&c.in, ctx, graph);
    if (status == MEGURI_OK && mg_progress(ctx, "check", 0, c.iterations)) status = mg_fail_cancelled(ctx);
    if (status == MEGURI_OK) status = make_room(&c);
    uint32_t *labels[2] = {c.now, c.before};
    if (status == MEGURI_OK) status = propagate(&c);
    if (status == MEGURI_OK) status = compare(&c, label);
    if (status == MEGURI_OK) mg_trace_phase(ctx, "check", "communities", (int64_t)(c.out.arcs + c.in.arcs), -1, since);
    mg_free(labels[0]);
    mg_free(labels[1]);
    mg_free(c.around);
    mg_free(c.sorted);
    return status;
}
