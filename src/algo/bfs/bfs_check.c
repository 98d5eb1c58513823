/* Checks the answer of a breadth-first search by its rules, without searching again.
 *
 * The rules are those of Graph500's validation, for directed graphs and depth limits too. Two facts make them enough:
 * along parents a level falls by one at every step down to the source, so no vertex is nearer than its level says;
 * along edges it rises by one at most, so none is further. Where parents alone are given, their depth in the tree is
 * taken for the level, and a circle of parents is found while it is counted; where levels alone, any vertex one level
 * nearer with an edge to it serves as the parent.
 *
 * Only out-rows are read: an edge is looked at once, from its beginning, and marks its end as joined to its parent.
 * Every sweep looks at everything, so the vertex that is named is the first in the user's order that breaks the rule,
 * at any number of threads and in any internal order. */

#include "algo/bfs/bfs.h"
#include <inttypes.h>

/* What is known about a vertex, by internal number: its level and its parent in one cache line. */
typedef struct place {
    uint32_t depth;
    uint32_t parent; /* internal number */
} place;

/* Depths. No graph has so many vertices that these could be real. */
#define UNREACHED UINT32_MAX
#define UNKNOWN   (UINT32_MAX - 1) /* to be counted along the parents */
/* Parents. */
#define ANYBODY UINT32_MAX       /* whoever is one level nearer */
#define SEEN    (UINT32_MAX - 1) /* the edge from the parent has been seen */

typedef struct checker {
    meguri_ctx *ctx;
    const meguri_graph *graph;
    const int32_t *level; /* these two by position; one may be NULL */
    const uint32_t *parent;
    uint32_t vertices, source, last; /* the last level there may be */
    mg_rows rows;
    mg_numbering numbering;
    place *places;
    mg_sweep sweep;
    uint32_t broken; /* the first vertex, by position, that breaks a rule of this sweep; or MG_NO_VERTEX */
} checker;

/* ---- rules of a vertex and its parent --------------------------------------------------------------------------- */

typedef enum fault {
    NO_FAULT,
    SOURCE_LEVEL,     /* the source is not at level 0 */
    SOURCE_PARENT,    /* or not its own parent */
    LEVEL_NEGATIVE,   /* a level below -1 */
    LEVEL_ZERO,       /* somebody else at level 0 */
    LEVEL_TOO_LARGE,  /* beyond the last level */
    PARENT_NOWHERE,   /* a parent that is no vertex */
    PARENT_MISSING,   /* a level without a parent */
    LEVEL_MISSING,    /* a parent without a level */
    PARENT_ITSELF,    /* somebody else who is its own parent */
    PARENT_UNREACHED, /* a parent without level or parent */
    PARENT_LEVEL      /* a parent that is not one level nearer */
} fault;

static bool is_reached(const checker *c, uint32_t v) {
    return c->level ? c->level[v] >= 0 : c->parent[v] != MG_NO_VERTEX;
}

static fault level_fault(const checker *c, uint32_t v) {
    if (c->level[v] < -1) return LEVEL_NEGATIVE;
    if (c->level[v] == 0) return LEVEL_ZERO;
    if (c->level[v] > 0 && (uint32_t)c->level[v] > c->last) return LEVEL_TOO_LARGE;
    return NO_FAULT;
}

static fault parent_fault(const checker *c, uint32_t v) {
    uint32_t parent = c->parent[v];
    if (parent == MG_NO_VERTEX) return c->level && c->level[v] >= 0 ? PARENT_MISSING : NO_FAULT;
    if (parent >= c->vertices) return PARENT_NOWHERE;
    if (c->level && c->level[v] < 0) return LEVEL_MISSING;
    if (parent == v) return PARENT_ITSELF;
    if (!is_reached(c, parent)) return PARENT_UNREACHED;
    if (c->level && (int64_t)c->level[parent] + 1 != c->level[v]) return PARENT_LEVEL;
    return NO_FAULT;
}

static fault own_fault(const checker *c, uint32_t v) {
    if (v == c->source) {
        if (c->level && c->level[v] != 0) return SOURCE_LEVEL;
        return c->parent && c->parent[v] != v ? SOURCE_PARENT : NO_FAULT;
    }
    fault found = c->level ? level_fault(c, v) : NO_FAULT;
    return found || !c->parent ? found : parent_fault(c, v);
}

/* Notes what the later sweeps need, in internal numbers. */
static void look_at_vertices(void *what, uint64_t begin, uint64_t end) {
    checker *c = what;
    for (uint32_t v = (uint32_t)begin; v < end; v++) {
        if (own_fault(c, v) != NO_FAULT) {
            mg_atomic_min_u32(&c->broken, v);
            continue;
        }
        place known = {UNREACHED, ANYBODY};
        if (is_reached(c, v)) {
            known.depth = c->level ? (uint32_t)c->level[v] : UNKNOWN;
            if (c->parent) known.parent = mg_to_internal(&c->numbering, c->parent[v]);
        }
        if (v == c->source) known = (place){0, SEEN};
        c->places[mg_to_internal(&c->numbering, v)] = known;
    }
}

/* ---- depths from parents ---------------------------------------------------------------------------------------- */

/* Counts the steps up to a vertex whose depth is known, then writes them down along the same way. Another thread may be
 * on it too and writes the same. What a thread has walked it never walks again, so it takes O(vertices) steps in
 * all. Who comes from a circle (found as Brent does: a turtle waits, each time twice as long, for the walker to come
 * by again) is marked as unreached. */
static void climb(checker *c, uint32_t from) {
    uint64_t steps = 0, patience = 1;
    uint32_t v = from, turtle = from, depth;
    while ((depth = mg_load(&c->places[v].depth)) == UNKNOWN) {
        v = c->places[v].parent;
        steps++;
        if (v == turtle) break;
        if (steps == patience) {
            turtle = v;
            patience *= 2;
        }
        if (steps % MG_SWEEP_BLOCK == 0 && mg_sweep_cancelled(&c->sweep)) return;
    }
    bool circle = depth == UNKNOWN || depth == UNREACHED;
    v = from;
    for (uint64_t i = 0; i < steps; i++) {
        mg_store(&c->places[v].depth, circle ? UNREACHED : (uint32_t)(depth + steps - i));
        v = c->places[v].parent;
        if (i % MG_SWEEP_BLOCK == MG_SWEEP_BLOCK - 1 && mg_sweep_cancelled(&c->sweep)) return;
    }
}

static void look_at_depths(void *what, uint64_t begin, uint64_t end) {
    checker *c = what;
    for (uint32_t v = (uint32_t)begin; v < end && !mg_cancelled(c->ctx); v++) {
        uint32_t i = mg_to_internal(&c->numbering, v);
        if (!is_reached(c, v)) continue;
        climb(c, i);
        if (mg_load(&c->places[i].depth) > c->last) mg_atomic_min_u32(&c->broken, v);
    }
}

/* ---- rules of edges --------------------------------------------------------------------------------------------- */

/* The largest depth that the end of an edge from this depth may have. */
static uint32_t depth_allowed(const checker *c, uint32_t depth) { return depth < c->last ? depth + 1 : UNREACHED; }

/* The arcs [begin, end) of row u, all or some of it. */
static void look_at_row(checker *c, uint32_t u, uint64_t begin, uint64_t end) {
    uint32_t depth = c->places[u].depth;
    if (depth == UNREACHED) return;
    uint32_t allowed = depth_allowed(c, depth);
    for (uint64_t arc = begin; arc < end; arc++) {
        place *to = &c->places[c->rows.neighbors[arc]];
        if (to->depth > allowed) mg_atomic_min_u32(&c->broken, mg_to_user(&c->numbering, u));
        if (to->depth != depth + 1) continue;
        uint32_t parent = mg_load(&to->parent);
        if (parent == u || parent == ANYBODY) mg_store(&to->parent, SEEN);
    }
}

/* Blocks of arcs, not of rows: a hub is shared between threads, and a cancel need not wait for its end. */
static void look_at_arcs(void *what, uint64_t begin, uint64_t end) {
    checker *c = what;
    for (uint64_t u = mg_row_of_arc(&c->rows, begin); begin < end; u++) {
        uint64_t row_end = MG_MIN(end, mg_row_end(&c->rows, u));
        look_at_row(c, (uint32_t)u, begin, row_end);
        begin = row_end;
    }
}

static void look_at_joints(void *what, uint64_t begin, uint64_t end) {
    checker *c = what;
    for (uint32_t v = (uint32_t)begin; v < end; v++) {
        const place *p = &c->places[mg_to_internal(&c->numbering, v)];
        if (p->depth != UNREACHED && p->parent != SEEN) mg_atomic_min_u32(&c->broken, v);
    }
}

/* ---- sentences -------------------------------------------------------------------------------------------------- */

static meguri_status fail_too_deep(const checker *c, const char *vertex, uint32_t depth) {
    return mg_fail(c->ctx, MEGURI_WRONG_ANSWER,
                   "vertex %s is at level %" PRIu32 ", but the last level asked for is %" PRIu32 ".", vertex, depth,
                   c->last);
}

static meguri_status fail_parent(const checker *c, fault found, const char *vertex, uint32_t v) {
    const meguri_status wrong = MEGURI_WRONG_ANSWER;
    char other[MG_ID_TEXT];
    uint32_t parent = c->parent[v];
    if (found == PARENT_MISSING)
        return mg_fail(c->ctx, wrong, "vertex %s is at level %" PRId32 ", but has no parent.", vertex, c->level[v]);
    if (found == SOURCE_PARENT && parent == MG_NO_VERTEX)
        return mg_fail(c->ctx, wrong, "the source %s has no parent; it should be its own.", vertex);
    if (parent >= c->vertices)
        return mg_fail(c->ctx, wrong,
                       "the parent of vertex %s is number %" PRIu32 ", but the graph has %" PRIu32 " vertices.", vertex,
                       parent, c->vertices);
    mg_graph_id_text(other, c->ctx, c->graph, parent);
    switch (found) {
    case SOURCE_PARENT: return mg_fail(c->ctx, wrong, "the parent of the source %s is %s, not itself.", vertex, other);
    case LEVEL_MISSING: return mg_fail(c->ctx, wrong, "vertex %s is unreached, but has the parent %s.", vertex, other);
    case PARENT_ITSELF: return mg_fail(c->ctx, wrong, "vertex %s is its own parent, but not the source.", vertex);
    case PARENT_UNREACHED:
        return mg_fail(c->ctx, wrong, "vertex %s has the parent %s, which is unreached.", vertex, other);
    default:
        return mg_fail(c->ctx, wrong,
                       "vertex %s is at level %" PRId32 ", but its parent %s is at level %" PRId32
                       ", not one level nearer.",
                       vertex, c->level[v], other, c->level[parent]);
    }
}

static meguri_status fail_vertex(const checker *c) {
    const meguri_status wrong = MEGURI_WRONG_ANSWER;
    uint32_t v = c->broken;
    char vertex[MG_ID_TEXT], source[MG_ID_TEXT];
    mg_graph_id_text(vertex, c->ctx, c->graph, v);
    fault found = own_fault(c, v);
    switch (found) {
    case SOURCE_LEVEL:
        return mg_fail(c->ctx, wrong, "the source %s is at level %" PRId32 ", not 0.", vertex, c->level[v]);
    case LEVEL_NEGATIVE:
        return mg_fail(c->ctx, wrong,
                       "vertex %s is at level %" PRId32 ", but a level is -1 where unreached and never less.", vertex,
                       c->level[v]);
    case LEVEL_ZERO:
        return mg_fail(c->ctx, wrong, "vertex %s is at level 0, where only the source %s is.", vertex,
                       mg_graph_id_text(source, c->ctx, c->graph, c->source));
    case LEVEL_TOO_LARGE: return fail_too_deep(c, vertex, (uint32_t)c->level[v]);
    default: return fail_parent(c, found, vertex, v);
    }
}

static meguri_status fail_depth(const checker *c) {
    char vertex[MG_ID_TEXT], source[MG_ID_TEXT];
    uint32_t depth = c->places[mg_to_internal(&c->numbering, c->broken)].depth;
    mg_graph_id_text(vertex, c->ctx, c->graph, c->broken);
    if (depth != UNREACHED) return fail_too_deep(c, vertex, depth);
    return mg_fail(c->ctx, MEGURI_WRONG_ANSWER,
                   "the parents from vertex %s on lead around in a circle, never to the source %s.", vertex,
                   mg_graph_id_text(source, c->ctx, c->graph, c->source));
}

static meguri_status fail_edge(const checker *c) {
    uint32_t u = mg_to_internal(&c->numbering, c->broken), depth = c->places[u].depth, worst = MG_NO_VERTEX;
    for (uint64_t arc = mg_row_begin(&c->rows, u); arc < mg_row_end(&c->rows, u); arc++) {
        uint32_t to = c->rows.neighbors[arc], position = mg_to_user(&c->numbering, to);
        if (c->places[to].depth > depth_allowed(c, depth) && position < worst) worst = position;
    }
    char from[MG_ID_TEXT], to[MG_ID_TEXT];
    uint32_t further = c->places[mg_to_internal(&c->numbering, worst)].depth;
    mg_graph_id_text(from, c->ctx, c->graph, c->broken);
    mg_graph_id_text(to, c->ctx, c->graph, worst);
    if (further == UNREACHED)
        return mg_fail(c->ctx, MEGURI_WRONG_ANSWER,
                       "an edge leads from vertex %s at level %" PRIu32 " to vertex %s, which is unreached.", from,
                       depth, to);
    return mg_fail(c->ctx, MEGURI_WRONG_ANSWER,
                   "an edge leads from vertex %s at level %" PRIu32 " to vertex %s at level %" PRIu32
                   ", more than one level further.",
                   from, depth, to, further);
}

static meguri_status fail_joint(const checker *c) {
    char vertex[MG_ID_TEXT], parent[MG_ID_TEXT];
    mg_graph_id_text(vertex, c->ctx, c->graph, c->broken);
    if (c->parent)
        return mg_fail(c->ctx, MEGURI_WRONG_ANSWER, "vertex %s has the parent %s, but no edge leads from there to it.",
                       vertex, mg_graph_id_text(parent, c->ctx, c->graph, c->parent[c->broken]));
    return mg_fail(c->ctx, MEGURI_WRONG_ANSWER,
                   "vertex %s is at level %" PRId32 ", but no edge leads to it from a vertex at level %" PRId32 ".",
                   vertex, c->level[c->broken], c->level[c->broken] - 1);
}

/* ---- all sweeps ------------------------------------------------------------------------------------------------- */

static meguri_status check(checker *c) {
    typedef meguri_status tell_fn(const checker *c);
    const struct {
        mg_range_fn *look;
        tell_fn *tell;
        uint64_t items;
    } sweeps[] = {{look_at_vertices, fail_vertex, c->vertices},
                  {look_at_depths, fail_depth, c->level ? 0 : c->vertices},
                  {look_at_arcs, fail_edge, c->rows.arcs},
                  {look_at_joints, fail_joint, c->vertices}};
    for (size_t s = 0; s < sizeof sweeps / sizeof *sweeps; s++) c->sweep.total += sweeps[s].items;
    for (size_t s = 0; s < sizeof sweeps / sizeof *sweeps; s++) {
        meguri_status status = mg_sweep_over(&c->sweep, sweeps[s].look, c, sweeps[s].items);
        if (status != MEGURI_OK) return status;
        if (c->broken != MG_NO_VERTEX) return sweeps[s].tell(c);
    }
    return MEGURI_OK;
}

meguri_status mg_bfs_host_check(meguri_ctx *ctx, const meguri_graph *graph, uint64_t source, const int32_t *level,
                                const void *parent, uint32_t levels) {
    if (!level && !parent)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "meguri_bfs_check needs a graph and levels or parents.");
    if (source >= graph->vertices)
        return mg_fail(ctx, MEGURI_NOT_FOUND, "there is no vertex %" PRIu64 " in a graph of %" PRIu64 ".", source,
                       graph->vertices);
    double since = mg_now();
    checker c = {.ctx = ctx,
                 .sweep = {.ctx = ctx, .phase = "check"},
                 .graph = graph,
                 .level = level,
                 .parent = parent,
                 .vertices = (uint32_t)graph->vertices,
                 .source = (uint32_t)source,
                 .last = levels ? levels - 1 : UNKNOWN - 1,
                 .broken = MG_NO_VERTEX};
    meguri_status status = mg_graph_rows(&c.rows, ctx, graph);
    if (status == MEGURI_OK) status = mg_graph_numbering(&c.numbering, ctx, graph);
    if (status != MEGURI_OK) return status;
    c.places = mg_alloc_array(ctx, graph->vertices, sizeof *c.places, "checking a search");
    if (!c.places) return MEGURI_NO_MEMORY;
    status = check(&c);
    mg_trace_phase(ctx, "check", "bfs", (int64_t)c.rows.arcs, -1, since);
    mg_free(c.places);
    return status;
}
