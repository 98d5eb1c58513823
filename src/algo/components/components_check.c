/* Checks components by rules, and by a union-find of its own that shares nothing with the algorithm.
 *
 * The rules of vertices and edges say that no component was cut in two: the ends of every edge have the same name, and
 * the name is the first of all that bear it. They do not say that no two were put together. For that the edges are
 * joined once more, in one thread and without any cleverness but one: as the rules hold, the number of joints that
 * succeed is at most the vertices less the names, and when it is reached every name is one component, whatever
 * edges have not been looked at.
 *
 * Every parallel sweep looks at everything, so the vertex that is named is the first in the user's order that breaks
 * the rule, at any number of threads and in any internal order. */
#include "algo/components/components.h"

#include <inttypes.h>
#include <meguri/components.h>

typedef struct checker {
    meguri_ctx *ctx;
    const meguri_graph *graph;
    const uint32_t *component; /* by position */
    uint32_t vertices;
    mg_rows rows;
    mg_numbering numbering;
    uint32_t *notes; /* by internal number: first the component, then the parent in the union-find */
    uint64_t names;  /* vertices that are their own component */
    uint64_t joints; /* successful joints so far */
    mg_sweep sweep;
    uint32_t broken; /* the first vertex, by position, that breaks a rule of this sweep; or MG_NO_VERTEX */
} checker;

/* ---- rules of vertices and edges -------------------------------------------------------------------------------- */

static bool is_named_well(const checker *c, uint32_t v) {
    uint32_t name = c->component[v];
    return name <= v && c->component[name] == name;
}

static void look_at_vertices(void *what, uint64_t begin, uint64_t end) {
    checker *c = what;
    uint64_t names = 0;
    for (uint32_t v = (uint32_t)begin; v < end; v++) {
        if (!is_named_well(c, v)) mg_atomic_min_u32(&c->broken, v);
        names += c->component[v] == v;
        c->notes[mg_to_internal(&c->numbering, v)] = c->component[v];
    }
    mg_fetch_add(&c->names, names);
}

/* Blocks of arcs, not of rows: a hub is shared between threads, and a cancel need not wait for its end. */
static void look_at_arcs(void *what, uint64_t begin, uint64_t end) {
    checker *c = what;
    for (uint64_t u = mg_row_of_arc(&c->rows, begin); begin < end; u++) {
        uint64_t row_end = MG_MIN(end, mg_row_end(&c->rows, u));
        uint32_t differ = 0;
        for (; begin < row_end; begin++) differ |= c->notes[c->rows.neighbors[begin]] ^ c->notes[u];
        if (differ) mg_atomic_min_u32(&c->broken, mg_to_user(&c->numbering, (uint32_t)u));
    }
}

/* ---- joining once more ------------------------------------------------------------------------------------------ */

static uint32_t root_of(uint32_t *parent, uint32_t v) {
    while (parent[v] != v) v = parent[v] = parent[parent[v]];
    return v;
}

static void join(checker *c, uint32_t a, uint32_t b) {
    a = root_of(c->notes, a);
    b = root_of(c->notes, b);
    c->joints += a != b;
    c->notes[MG_MAX(a, b)] = MG_MIN(a, b);
}

/* At most `most` arcs of every row, until all is joined that can be. */
static meguri_status join_rows(checker *c, uint64_t most) {
    uint64_t looks = 0;
    for (uint64_t u = 0; u < c->rows.rows && c->joints < c->vertices - c->names; u++) {
        uint64_t from = mg_row_begin(&c->rows, u), to = MG_MIN(mg_row_end(&c->rows, u), from + most);
        for (uint64_t arc = from; arc < to; arc++) {
            join(c, (uint32_t)u, c->rows.neighbors[arc]);
            if (++looks % MG_SWEEP_BLOCK == 0 &&
                mg_progress(c->ctx, "check", MG_MIN(c->sweep.done + looks, c->sweep.total), c->sweep.total))
                return mg_fail_cancelled(c->ctx);
        }
    }
    return MEGURI_OK;
}

/* First neighbours before all others: in degree order these are hubs, and hardly an edge remains to be looked at. */
static meguri_status join_all(checker *c) {
    for (uint32_t v = 0; v < c->vertices; v++) c->notes[v] = v;
    meguri_status status = join_rows(c, 1);
    if (status == MEGURI_OK) status = join_rows(c, UINT32_MAX);
    for (uint32_t v = 0; v < c->vertices && status == MEGURI_OK && c->joints < c->vertices - c->names; v++) {
        uint32_t member = mg_to_internal(&c->numbering, v), name = mg_to_internal(&c->numbering, c->component[v]);
        if (root_of(c->notes, member) == root_of(c->notes, name)) continue;
        c->broken = v;
        break;
    }
    return status;
}

/* ---- sentences -------------------------------------------------------------------------------------------------- */

static meguri_status fail_vertex(const checker *c) {
    const meguri_status wrong = MEGURI_WRONG_ANSWER;
    uint32_t v = c->broken, name = c->component[v];
    char vertex[MG_ID_TEXT], other[MG_ID_TEXT];
    mg_graph_id_text(vertex, c->ctx, c->graph, v);
    if (name == MG_NO_VERTEX) return mg_fail(c->ctx, wrong, "vertex %s has no component.", vertex);
    if (name >= c->vertices)
        return mg_fail(c->ctx, wrong,
                       "the component of vertex %s is number %" PRIu32 ", but the graph has %" PRIu32 " vertices.",
                       vertex, name, c->vertices);
    mg_graph_id_text(other, c->ctx, c->graph, name);
    if (name > v)
        return mg_fail(c->ctx, wrong,
                       "the component of vertex %s is %s, which comes later; a component has the name of its first "
                       "member.",
                       vertex, other);
    return mg_fail(c->ctx, wrong, "the component of vertex %s is %s, but %s itself is in another.", vertex, other,
                   other);
}

static meguri_status fail_edge(const checker *c) {
    uint32_t u = mg_to_internal(&c->numbering, c->broken), other = MG_NO_VERTEX;
    for (uint64_t arc = mg_row_begin(&c->rows, u); arc < mg_row_end(&c->rows, u); arc++) {
        uint32_t to = c->rows.neighbors[arc], position = mg_to_user(&c->numbering, to);
        if (c->notes[to] != c->notes[u] && position < other) other = position;
    }
    char from[MG_ID_TEXT], to[MG_ID_TEXT], name[MG_ID_TEXT], other_name[MG_ID_TEXT];
    return mg_fail(c->ctx, MEGURI_WRONG_ANSWER,
                   "an edge joins vertex %s of the component %s and vertex %s of the component %s.",
                   mg_graph_id_text(from, c->ctx, c->graph, c->broken),
                   mg_graph_id_text(name, c->ctx, c->graph, c->component[c->broken]),
                   mg_graph_id_text(to, c->ctx, c->graph, other),
                   mg_graph_id_text(other_name, c->ctx, c->graph, c->component[other]));
}

static meguri_status fail_joint(const checker *c) {
    char vertex[MG_ID_TEXT], name[MG_ID_TEXT];
    return mg_fail(c->ctx, MEGURI_WRONG_ANSWER, "vertex %s is said to be in the component %s, but no edges join them.",
                   mg_graph_id_text(vertex, c->ctx, c->graph, c->broken),
                   mg_graph_id_text(name, c->ctx, c->graph, c->component[c->broken]));
}

/* ---- all together ----------------------------------------------------------------------------------------------- */

static meguri_status check(checker *c) {
    c->sweep.total = c->vertices + 2 * c->rows.arcs;
    meguri_status status = mg_sweep_over(&c->sweep, look_at_vertices, c, c->vertices);
    if (status != MEGURI_OK) return status;
    if (c->broken != MG_NO_VERTEX) return fail_vertex(c);
    status = mg_sweep_over(&c->sweep, look_at_arcs, c, c->rows.arcs);
    if (status != MEGURI_OK) return status;
    if (c->broken != MG_NO_VERTEX) return fail_edge(c);
    status = join_all(c);
    if (status != MEGURI_OK) return status;
    return c->broken != MG_NO_VERTEX ? fail_joint(c) : MEGURI_OK;
}

meguri_status mg_components_host_check(meguri_ctx *ctx, const meguri_graph *graph, const void *component) {
    double since = mg_now();
    checker c = {.ctx = ctx,
                 .sweep = {.ctx = ctx, .phase = "check"},
                 .graph = graph,
                 .component = component,
                 .vertices = (uint32_t)graph->vertices,
                 .broken = MG_NO_VERTEX};
    meguri_status status = mg_graph_rows(&c.rows, ctx, graph);
    if (status == MEGURI_OK) status = mg_graph_numbering(&c.numbering, ctx, graph);
    if (status != MEGURI_OK) return status;
    c.notes = mg_alloc_array(ctx, graph->vertices, sizeof *c.notes, "checking components");
    if (!c.notes) return MEGURI_NO_MEMORY;
    status = check(&c);
    mg_trace_phase(ctx, "check", "components", (int64_t)c.rows.arcs, -1, since);
    mg_free(c.notes);
    return status;
}
