/* Checks core numbers, without peeling levels: two rules that together leave one answer.
 *
 * 1. Everybody has at least as many edges as its number to vertices whose number is not below its own. Then all whose
 *    number is at least k have k edges among each other, for every k: they lie in the k-core, and no number is too
 *    large.
 * 2. Those of one number k can be taken away one after another, each having at most k edges to vertices of that number
 *    that are still there and to those of larger ones. Then none of them lies in the (k+1)-core, and no number is too
 *    small.
 *
 * The first is a look at every edge; the second, too, on one thread, and numbers do not mix in it: taking a vertex away
 * concerns nobody but its neighbours of the same number. */
#include "algo/cores/cores.h"

#include <inttypes.h>

#define PAUSE (1 << 16) /* arcs between two looks whether to stop */

typedef struct checker {
    mg_sweep sweep;
    const int32_t *core; /* by position */
    mg_rows rows[2];     /* out and in; the second has no rows where the graph is undirected */
    mg_numbering numbering;
    uint32_t row_count;
    int32_t *number; /* by internal number */
    uint64_t *edges; /* to vertices of the same number that are still there, or of a larger one */
    uint32_t broken; /* the first vertex, by position, that breaks a rule; or MG_NO_VERTEX */
} checker;

static void take_numbers(void *what, uint64_t begin, uint64_t end) {
    checker *c = what;
    for (uint64_t v = begin; v < end; v++) c->number[v] = c->core[mg_to_user(&c->numbering, (uint32_t)v)];
}

/* Vertices without edges have number 0; others are looked at by the rules. */
static void check_isolated(void *what, uint64_t begin, uint64_t end) {
    checker *c = what;
    for (uint64_t p = begin; p < end; p++)
        if (c->core[p] != 0 && mg_to_internal(&c->numbering, (uint32_t)p) >= c->row_count)
            mg_atomic_min_u32(&c->broken, (uint32_t)p);
}

/* ---- no number is too large ------------------------------------------------------------------------------------- */

static uint64_t edges_of(const checker *c, uint32_t v) {
    uint64_t found = 0, steps = 0;
    for (int r = 0; r < 2; r++)
        for (uint64_t arc = mg_row_begin(&c->rows[r], v); arc < mg_row_end(&c->rows[r], v); arc++) {
            uint32_t u = c->rows[r].neighbors[arc];
            found += u != v && c->number[u] >= c->number[v];
            if (++steps % PAUSE == 0 && mg_sweep_cancelled(&c->sweep)) return found;
        }
    return found;
}

static void check_enough(void *what, uint64_t begin, uint64_t end) {
    checker *c = what;
    for (uint64_t v = begin; v < end; v++) {
        c->edges[v] = edges_of(c, (uint32_t)v);
        if (c->number[v] < 0 || c->edges[v] < (uint64_t)c->number[v])
            mg_atomic_min_u32(&c->broken, mg_to_user(&c->numbering, (uint32_t)v));
    }
}

/* ---- no number is too small ------------------------------------------------------------------------------------- */

/* Takes v away; those who have few enough edges because of that join the list. */
static uint64_t take_away(checker *c, uint32_t v, uint32_t *list, uint64_t count) {
    uint64_t steps = 0;
    for (int r = 0; r < 2; r++)
        for (uint64_t arc = mg_row_begin(&c->rows[r], v); arc < mg_row_end(&c->rows[r], v); arc++) {
            uint32_t u = c->rows[r].neighbors[arc];
            if (++steps % PAUSE == 0 && mg_sweep_cancelled(&c->sweep)) return count;
            if (c->number[u] != c->number[v] || c->edges[u] <= (uint64_t)c->number[u]) continue; /* or is on it */
            if (--c->edges[u] == (uint64_t)c->number[u]) list[count++] = u;
        }
    return count;
}

static meguri_status check_removable(checker *c, meguri_ctx *ctx) {
    uint32_t *list = mg_alloc_array(ctx, c->row_count, sizeof *list, "checking core numbers");
    if (!list) return MEGURI_NO_MEMORY;
    uint64_t count = 0;
    for (uint32_t v = 0; v < c->row_count; v++)
        if (c->edges[v] <= (uint64_t)c->number[v]) list[count++] = v;
    for (uint64_t i = 0; i < count; i++) {
        if (i % MG_SWEEP_BLOCK == 0 && mg_sweep_cancelled(&c->sweep)) break;
        count = take_away(c, list[i], list, count);
    }
    mg_free(list);
    if (mg_cancelled(ctx)) return mg_fail_cancelled(ctx);
    for (uint32_t v = 0; v < c->row_count; v++)
        if (c->edges[v] > (uint64_t)c->number[v]) c->broken = MG_MIN(c->broken, mg_to_user(&c->numbering, v));
    return MEGURI_OK;
}

/* ---- both ------------------------------------------------------------------------------------------------------- */

static meguri_status check_rules(checker *c, meguri_ctx *ctx, const meguri_graph *graph) {
    char vertex[MG_ID_TEXT];
    c->number = mg_alloc_array(ctx, c->row_count, sizeof *c->number, "checking core numbers");
    c->edges = mg_alloc_array(ctx, c->row_count, sizeof *c->edges, "checking core numbers");
    if (!c->number || !c->edges) return MEGURI_NO_MEMORY;
    mg_for(ctx, mg_threads(ctx, c->row_count, MG_SWEEP_BLOCK), c->row_count, take_numbers, c);
    meguri_status status = mg_sweep_over(&c->sweep, check_isolated, c, graph->vertices);
    if (status == MEGURI_OK) status = mg_sweep_over(&c->sweep, check_enough, c, c->row_count);
    if (status != MEGURI_OK) return status;
    if (c->broken != MG_NO_VERTEX)
        return mg_fail(ctx, MEGURI_WRONG_ANSWER,
                       "vertex %s has core number %" PRId32 ", but fewer edges to vertices of that number or more.",
                       mg_graph_id_text(vertex, ctx, graph, c->broken), c->core[c->broken]);
    status = check_removable(c, ctx);
    if (status == MEGURI_OK && c->broken != MG_NO_VERTEX)
        return mg_fail(ctx, MEGURI_WRONG_ANSWER, "the core number of vertex %s is more than %" PRId32 ".",
                       mg_graph_id_text(vertex, ctx, graph, c->broken), c->core[c->broken]);
    return status;
}

meguri_status mg_cores_check(meguri_ctx *ctx, const meguri_graph *graph, const int32_t *core) {
    if (!core) return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "meguri_cores_check needs a result with core numbers.");
    double since = mg_now();
    checker c = {.core = core, .row_count = (uint32_t)graph->rows, .broken = MG_NO_VERTEX};
    c.sweep = (mg_sweep){.ctx = ctx, .phase = "check", .total = graph->vertices + graph->rows};
    meguri_status status = mg_graph_rows(&c.rows[0], ctx, graph);
    if (status == MEGURI_OK && graph->directed) status = mg_graph_in_rows(&c.rows[1], ctx, graph);
    if (status == MEGURI_OK) status = mg_graph_numbering(&c.numbering, ctx, graph);
    if (status == MEGURI_OK) status = check_rules(&c, ctx, graph);
    if (status == MEGURI_OK)
        mg_trace_phase(ctx, "check", "cores", (int64_t)(c.rows[0].arcs + c.rows[1].arcs), -1, since);
    mg_free(c.number);
    mg_free(c.edges);
    return status;
}
