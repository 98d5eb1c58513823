/* Checks the answer of a search for shortest paths by its rules, without searching again.
 *
 * Two facts make the rules enough. Along edges a distance grows by the weight at most, so no vertex is further than its
 * shortest path. And every vertex hangs on the source by edges that add up exactly ("tight" ones), so none is nearer
 * either. Hanging on somebody strictly nearer goes down to the source in the end. Somebody at the same distance (an
 * edge that weighs nothing, or so little that a double does not feel it) is no proof: vertices could hold each other in
 * a circle. With parents such stretches are walked; without them, whoever hangs on somebody nearer hands that on along
 * tight edges to those of the same distance.
 *
 * Only out-rows are read: an edge is looked at from its beginning, and marks its end as joined. Every sweep looks at
 * everything, so the vertex that is named is the first in the user's order that breaks the rule, at any number of
 * threads and in any internal order. */
#include "algo/sssp/sssp.h"

#include <inttypes.h>
#include <math.h>
#include <meguri/sssp.h>

/* A distance is a number of one of two kinds, the same for all of a graph. */
typedef union length {
    uint64_t number; /* UINT64_MAX: unreached */
    double real;     /* infinity: unreached */
} length;

/* What is known about a vertex, by internal number, in one cache line. */
typedef struct place {
    length distance;
    uint32_t parent; /* internal number, or one of those below */
    uint32_t ground; /* with parents: whether they lead to somebody nearer */
} place;

/* Parents. */
#define ANYBODY UINT32_MAX       /* whoever is joined by an edge that adds up */
#define SEEN    (UINT32_MAX - 1) /* such an edge, from the parent where there is one, has been seen */
/* Grounds. */
enum { UNKNOWN, STANDS, CIRCLE };

typedef struct checker {
    meguri_ctx *ctx;
    const meguri_graph *graph;
    const void *distance; /* these two by position; parents may be NULL */
    const uint32_t *parent;
    bool real; /* distances are doubles */
    meguri_type weight_type;
    uint32_t vertices, source;
    length most;
    mg_rows rows;
    mg_numbering numbering;
    place *places;
    mg_queue queue; /* who was joined by a vertex of the same distance, and hands it on */
    mg_sweep sweep;
    uint32_t broken;     /* the first vertex, by position, that breaks a rule of this sweep; or MG_NO_VERTEX */
    uint32_t bad_weight; /* the first whose row has a weight that is no length; or MG_NO_VERTEX */
} checker;

/* ---- distances -------------------------------------------------------------------------------------------------- */

static length distance_of(const checker *c, uint32_t v) {
    return c->real ? (length){.real = ((const double *)c->distance)[v]}
                   : (length){.number = ((const uint64_t *)c->distance)[v]};
}

static bool is_reached(const checker *c, length d) { return c->real ? !isinf(d.real) : d.number != UINT64_MAX; }
static bool is_zero(const checker *c, length d) { return c->real ? d.real == 0 : d.number == 0; }
/* Whether a search need not reach it: it is beyond the largest distance that was asked for. */
static bool is_beyond(const checker *c, length d) {
    return c->real ? d.real > c->most.real : d.number > c->most.number;
}
static bool is_less(const checker *c, length a, length b) { return c->real ? a.real < b.real : a.number < b.number; }
static bool is_equal(const checker *c, length a, length b) { return !is_less(c, a, b) && !is_less(c, b, a); }

static inline uint64_t number_weight(const checker *c, uint64_t arc) {
    switch (c->weight_type) {
    case MEGURI_TYPE_U8: return ((const uint8_t *)c->rows.weights)[arc];
    case MEGURI_TYPE_U16: return ((const uint16_t *)c->rows.weights)[arc];
    case MEGURI_TYPE_U32: return ((const uint32_t *)c->rows.weights)[arc];
    default: return 1;
    }
}

static inline double real_weight(const checker *c, uint64_t arc) {
    return c->weight_type == MEGURI_TYPE_F32 ? (double)((const float *)c->rows.weights)[arc]
                                             : ((const double *)c->rows.weights)[arc];
}

/* How the end of an edge stands to its beginning. */
typedef enum relation { NEAR_ENOUGH, TIGHT, TOO_FAR } relation;

/* A made-up distance may be so large that the sum does not fit; everything reached is nearer than that. Sums of doubles
 * may be infinite, and then no edge reaches its end. */
static inline relation relation_of(const checker *c, length from, length to, uint64_t arc) {
    if (c->real) {
        double sum = from.real + real_weight(c, arc);
        if (is_beyond(c, (length){.real = sum})) return NEAR_ENOUGH;
        return to.real > sum ? TOO_FAR : to.real == sum && !isinf(sum) ? TIGHT : NEAR_ENOUGH;
    }
    uint64_t sum;
    bool over = __builtin_add_overflow(from.number, number_weight(c, arc), &sum);
    if (!over && is_beyond(c, (length){.number = sum})) return NEAR_ENOUGH;
    if (to.number == UINT64_MAX) return TOO_FAR;
    if (over) return NEAR_ENOUGH;
    return to.number > sum ? TOO_FAR : to.number == sum ? TIGHT : NEAR_ENOUGH;
}

/* ---- rules of a vertex and its parent --------------------------------------------------------------------------- */

typedef enum fault {
    NO_FAULT,
    SOURCE_DISTANCE,  /* the source is not at distance 0 */
    SOURCE_PARENT,    /* or not its own parent */
    NO_DISTANCE,      /* negative, or not a number */
    BEYOND,           /* farther than was asked for */
    PARENT_NOWHERE,   /* a parent that is no vertex */
    PARENT_MISSING,   /* a distance without a parent */
    DISTANCE_MISSING, /* a parent without a distance */
    PARENT_ITSELF,    /* somebody else who is its own parent */
    PARENT_UNREACHED, /* a parent without a distance */
    PARENT_FURTHER    /* a parent that is further away */
} fault;

static fault parent_fault(const checker *c, uint32_t v) {
    uint32_t parent = c->parent[v];
    length own = distance_of(c, v);
    bool reached = is_reached(c, own);
    if (parent == MG_NO_VERTEX) return reached ? PARENT_MISSING : NO_FAULT;
    if (parent >= c->vertices) return PARENT_NOWHERE;
    if (!reached) return DISTANCE_MISSING;
    if (parent == v) return PARENT_ITSELF;
    if (!is_reached(c, distance_of(c, parent))) return PARENT_UNREACHED;
    return is_less(c, own, distance_of(c, parent)) ? PARENT_FURTHER : NO_FAULT;
}

static fault own_fault(const checker *c, uint32_t v) {
    length own = distance_of(c, v);
    if (v == c->source) {
        if (!is_zero(c, own)) return SOURCE_DISTANCE;
        return c->parent && c->parent[v] != v ? SOURCE_PARENT : NO_FAULT;
    }
    if (c->real && !(own.real >= 0)) return NO_DISTANCE;
    if (is_reached(c, own) && is_beyond(c, own)) return BEYOND;
    return c->parent ? parent_fault(c, v) : NO_FAULT;
}

/* Notes what the later sweeps need, in internal numbers. */
static void look_at_vertices(void *what, uint64_t begin, uint64_t end) {
    checker *c = what;
    for (uint32_t v = (uint32_t)begin; v < end; v++) {
        if (own_fault(c, v) != NO_FAULT) {
            mg_atomic_min_u32(&c->broken, v);
            continue;
        }
        place known = {.distance = distance_of(c, v), .parent = ANYBODY, .ground = STANDS};
        if (v == c->source) known.parent = SEEN;
        else if (c->parent && is_reached(c, known.distance)) {
            known.parent = mg_to_internal(&c->numbering, c->parent[v]);
            if (is_equal(c, known.distance, distance_of(c, c->parent[v]))) known.ground = UNKNOWN;
        }
        c->places[mg_to_internal(&c->numbering, v)] = known;
    }
}

/* ---- circles of parents ----------------------------------------------------------------------------------------- */

/* Walks along parents of the same distance up to a vertex that is known, then writes down what it is along the same
 * way. Another thread may be on it too and writes the same. What a thread has walked it never walks again, so it takes
 * O(vertices) steps in all. A circle is found as Brent does: a turtle waits, each time twice as long, for the walker to
 * come by again. */
static void climb(checker *c, uint32_t from) {
    uint64_t steps = 0, patience = 1;
    uint32_t v = from, turtle = from, ground;
    while ((ground = mg_load(&c->places[v].ground)) == UNKNOWN) {
        v = c->places[v].parent;
        steps++;
        if (v == turtle) break;
        if (steps == patience) {
            turtle = v;
            patience *= 2;
        }
        if (steps % MG_SWEEP_BLOCK == 0 && mg_sweep_cancelled(&c->sweep)) return;
    }
    if (ground == UNKNOWN) ground = CIRCLE;
    v = from;
    for (uint64_t i = 0; i < steps; i++) {
        mg_store(&c->places[v].ground, ground);
        v = c->places[v].parent;
        if (i % MG_SWEEP_BLOCK == MG_SWEEP_BLOCK - 1 && mg_sweep_cancelled(&c->sweep)) return;
    }
}

static void look_at_circles(void *what, uint64_t begin, uint64_t end) {
    checker *c = what;
    for (uint32_t v = (uint32_t)begin; v < end && !mg_cancelled(c->ctx); v++) {
        uint32_t i = mg_to_internal(&c->numbering, v);
        climb(c, i);
        if (mg_load(&c->places[i].ground) == CIRCLE) mg_atomic_min_u32(&c->broken, v);
    }
}

/* ---- rules of edges --------------------------------------------------------------------------------------------- */

static inline bool is_length(const checker *c, uint64_t arc) {
    return !c->real || (real_weight(c, arc) >= 0 && !isinf(real_weight(c, arc)));
}

/* The arcs [begin, end) of row u, all or some of it. */
static void look_at_row(checker *c, uint32_t u, uint64_t begin, uint64_t end) {
    length own = c->places[u].distance;
    bool reached = is_reached(c, own);
    for (uint64_t arc = begin; arc < end; arc++) {
        if (!is_length(c, arc)) mg_atomic_min_u32(&c->bad_weight, mg_to_user(&c->numbering, u));
        if (!reached) continue;
        place *to = &c->places[c->rows.neighbors[arc]];
        relation found = relation_of(c, own, to->distance, arc);
        if (found == TOO_FAR) mg_atomic_min_u32(&c->broken, mg_to_user(&c->numbering, u));
        if (found != TIGHT) continue;
        uint32_t parent = mg_load(&to->parent);
        if (parent == u || (parent == ANYBODY && is_less(c, own, to->distance))) mg_store(&to->parent, SEEN);
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

static bool hangs_loose(const checker *c, const place *p) { return is_reached(c, p->distance) && p->parent != SEEN; }

static void look_at_joints(void *what, uint64_t begin, uint64_t end) {
    checker *c = what;
    for (uint32_t v = (uint32_t)begin; v < end; v++)
        if (hangs_loose(c, &c->places[mg_to_internal(&c->numbering, v)])) mg_atomic_min_u32(&c->broken, v);
}

/* ---- joints within a distance, without parents ------------------------------------------------------------------ */

/* Joins those of the same distance to whom an arc of [begin, end) in row u adds up. */
static void hand_on(checker *c, mg_queue_buffer *buffer, uint32_t u, uint64_t begin, uint64_t end) {
    const place *from = &c->places[u];
    if (mg_load(&from->parent) != SEEN) return;
    for (uint64_t arc = begin; arc < end; arc++) {
        uint32_t v = c->rows.neighbors[arc];
        place *to = &c->places[v];
        if (mg_load(&to->parent) == ANYBODY && is_equal(c, from->distance, to->distance) &&
            relation_of(c, from->distance, to->distance, arc) == TIGHT && mg_compare_swap(&to->parent, ANYBODY, SEEN))
            mg_queue_push(buffer, v);
        if (arc % MG_SWEEP_BLOCK == 0 && mg_sweep_cancelled(&c->sweep)) return;
    }
}

static void hand_on_arcs(void *what, uint64_t begin, uint64_t end) {
    checker *c = what;
    mg_queue_buffer buffer;
    buffer.queue = &c->queue;
    buffer.count = 0;
    for (uint64_t u = mg_row_of_arc(&c->rows, begin); begin < end; u++) {
        uint64_t row_end = MG_MIN(end, mg_row_end(&c->rows, u));
        hand_on(c, &buffer, (uint32_t)u, begin, row_end);
        begin = row_end;
    }
    mg_queue_flush(&buffer);
}

/* Some of those who were joined last: items of the queue from `first` on. */
typedef struct further_job {
    checker *c;
    uint64_t first;
} further_job;

static void hand_on_items(void *what, mg_worker *worker) {
    const further_job *job = what;
    checker *c = job->c;
    mg_queue_buffer buffer;
    buffer.queue = &c->queue;
    buffer.count = 0;
    for (mg_range chunk; mg_take(worker, &chunk);)
        for (uint64_t i = chunk.begin; i < chunk.end; i++) {
            uint32_t u = c->queue.items[job->first + i];
            hand_on(c, &buffer, u, mg_row_begin(&c->rows, u), mg_row_end(&c->rows, u));
        }
    mg_queue_flush(&buffer);
}

/* Those who were joined last do the same, until nobody is. */
static meguri_status hand_on_further(checker *c) {
    meguri_status status = MEGURI_OK;
    for (uint64_t begin = 0, end; status == MEGURI_OK && begin < (end = c->queue.count); begin = end) {
        further_job job = {c, begin};
        mg_loop loop = {.ctx = c->ctx,
                        .threads = mg_threads(c->ctx, end - begin, 512),
                        .items = end - begin,
                        .chunk = 64,
                        .work = hand_on_items,
                        .what = &job,
                        .phase = c->sweep.phase,
                        .done = c->sweep.done,
                        .total = c->sweep.total,
                        .steady = true};
        status = mg_loop_run(&loop);
    }
    return status;
}

static uint64_t count_loose(const void *what, uint64_t begin, uint64_t end) {
    const checker *c = what;
    uint64_t loose = 0;
    for (uint64_t v = begin; v < end; v++) loose += hangs_loose(c, &c->places[v]);
    return loose;
}

static meguri_status join_equals(checker *c) {
    uint64_t loose = mg_sum_over(c->ctx, mg_threads(c->ctx, c->vertices, MG_SWEEP_BLOCK), c->vertices, count_loose, c);
    if (!loose) return MEGURI_OK;
    c->sweep.total += c->rows.arcs;
    meguri_status status = mg_queue_new(&c->queue, c->ctx, loose, "checking a search");
    if (status == MEGURI_OK) status = mg_sweep_over(&c->sweep, hand_on_arcs, c, c->rows.arcs);
    if (status == MEGURI_OK) status = hand_on_further(c);
    mg_queue_free(&c->queue);
    return status;
}

/* ---- sentences -------------------------------------------------------------------------------------------------- */

#define NUMBER_TEXT 32
static const char *length_text(char text[NUMBER_TEXT], const checker *c, length d) {
    if (c->real) snprintf(text, NUMBER_TEXT, "%.17g", d.real);
    else snprintf(text, NUMBER_TEXT, "%" PRIu64, d.number);
    return text;
}

static meguri_status fail_parent(const checker *c, fault found, const char *vertex, uint32_t v) {
    const meguri_status wrong = MEGURI_WRONG_ANSWER;
    char other[MG_ID_TEXT], own[NUMBER_TEXT], its[NUMBER_TEXT];
    uint32_t parent = c->parent[v];
    length_text(own, c, distance_of(c, v));
    if (found == PARENT_MISSING)
        return mg_fail(c->ctx, wrong, "vertex %s is at distance %s, but has no parent.", vertex, own);
    if (found == SOURCE_PARENT && parent == MG_NO_VERTEX)
        return mg_fail(c->ctx, wrong, "the source %s has no parent; it should be its own.", vertex);
    if (parent >= c->vertices)
        return mg_fail(c->ctx, wrong,
                       "the parent of vertex %s is number %" PRIu32 ", but the graph has %" PRIu32 " vertices.", vertex,
                       parent, c->vertices);
    mg_graph_id_text(other, c->ctx, c->graph, parent);
    switch (found) {
    case SOURCE_PARENT: return mg_fail(c->ctx, wrong, "the parent of the source %s is %s, not itself.", vertex, other);
    case DISTANCE_MISSING:
        return mg_fail(c->ctx, wrong, "vertex %s is unreached, but has the parent %s.", vertex, other);
    case PARENT_ITSELF: return mg_fail(c->ctx, wrong, "vertex %s is its own parent, but not the source.", vertex);
    case PARENT_UNREACHED:
        return mg_fail(c->ctx, wrong, "vertex %s has the parent %s, which is unreached.", vertex, other);
    default:
        return mg_fail(c->ctx, wrong, "vertex %s is at distance %s, but its parent %s is further away, at distance %s.",
                       vertex, own, other, length_text(its, c, distance_of(c, parent)));
    }
}

static meguri_status fail_vertex(const checker *c) {
    char vertex[MG_ID_TEXT], own[NUMBER_TEXT];
    uint32_t v = c->broken;
    mg_graph_id_text(vertex, c->ctx, c->graph, v);
    length_text(own, c, distance_of(c, v));
    fault found = own_fault(c, v);
    if (found == SOURCE_DISTANCE)
        return mg_fail(c->ctx, MEGURI_WRONG_ANSWER, "the source %s is at distance %s, not 0.", vertex, own);
    if (found == BEYOND)
        return mg_fail(c->ctx, MEGURI_WRONG_ANSWER,
                       "vertex %s is at distance %s, which is more than the maximum of the search.", vertex, own);
    if (found == NO_DISTANCE)
        return mg_fail(c->ctx, MEGURI_WRONG_ANSWER,
                       "vertex %s is at distance %s, but a distance is a number and never below 0.", vertex, own);
    return fail_parent(c, found, vertex, v);
}

static meguri_status fail_circle(const checker *c) {
    char vertex[MG_ID_TEXT], source[MG_ID_TEXT];
    mg_graph_id_text(vertex, c->ctx, c->graph, c->broken);
    return mg_fail(c->ctx, MEGURI_WRONG_ANSWER,
                   "the parents from vertex %s on lead around in a circle, never to the source %s.", vertex,
                   mg_graph_id_text(source, c->ctx, c->graph, c->source));
}

static meguri_status fail_weight(const checker *c) {
    uint32_t u = mg_to_internal(&c->numbering, c->bad_weight), first = MG_NO_VERTEX;
    double weight = 0;
    for (uint64_t arc = mg_row_begin(&c->rows, u); arc < mg_row_end(&c->rows, u); arc++) {
        uint32_t to = mg_to_user(&c->numbering, c->rows.neighbors[arc]);
        if (is_length(c, arc) || to >= first) continue;
        first = to;
        weight = real_weight(c, arc);
    }
    char from[MG_ID_TEXT], to[MG_ID_TEXT];
    mg_graph_id_text(from, c->ctx, c->graph, c->bad_weight);
    mg_graph_id_text(to, c->ctx, c->graph, first);
    return mg_fail(c->ctx, MEGURI_BAD_INPUT,
                   "the edge from vertex %s to vertex %s weighs %g, and shortest paths need weights that are finite "
                   "numbers and not negative.",
                   from, to, weight);
}

static meguri_status fail_edge(const checker *c) {
    if (c->bad_weight != MG_NO_VERTEX) return fail_weight(c);
    uint32_t u = mg_to_internal(&c->numbering, c->broken), worst = MG_NO_VERTEX;
    length near = c->places[u].distance, weight = {0};
    for (uint64_t arc = mg_row_begin(&c->rows, u); arc < mg_row_end(&c->rows, u); arc++) {
        uint32_t to = c->rows.neighbors[arc], position = mg_to_user(&c->numbering, to);
        if (position >= worst || relation_of(c, near, c->places[to].distance, arc) != TOO_FAR) continue;
        worst = position;
        if (c->real) weight.real = real_weight(c, arc);
        else weight.number = number_weight(c, arc);
    }
    char from[MG_ID_TEXT], to[MG_ID_TEXT], begin[NUMBER_TEXT], end[NUMBER_TEXT], way[NUMBER_TEXT];
    mg_graph_id_text(from, c->ctx, c->graph, c->broken);
    mg_graph_id_text(to, c->ctx, c->graph, worst);
    length_text(begin, c, near);
    length_text(way, c, weight);
    if (!is_reached(c, distance_of(c, worst)))
        return mg_fail(c->ctx, MEGURI_WRONG_ANSWER,
                       "an edge leads from vertex %s at distance %s to vertex %s, which is unreached.", from, begin,
                       to);
    return mg_fail(c->ctx, MEGURI_WRONG_ANSWER,
                   "an edge of weight %s leads from vertex %s at distance %s to vertex %s at distance %s, which is "
                   "further.",
                   way, from, begin, to, length_text(end, c, distance_of(c, worst)));
}

static bool has_edge(const checker *c, uint32_t from, uint32_t to) {
    uint32_t u = mg_to_internal(&c->numbering, from), v = mg_to_internal(&c->numbering, to);
    uint64_t end = mg_row_end(&c->rows, u), at = mg_row_find(&c->rows, mg_row_begin(&c->rows, u), end, v);
    return at < end && c->rows.neighbors[at] == v;
}

static meguri_status fail_joint(const checker *c) {
    char vertex[MG_ID_TEXT], other[MG_ID_TEXT], own[NUMBER_TEXT], its[NUMBER_TEXT];
    uint32_t v = c->broken, parent = c->parent ? c->parent[v] : c->source;
    mg_graph_id_text(vertex, c->ctx, c->graph, v);
    mg_graph_id_text(other, c->ctx, c->graph, parent);
    length_text(own, c, distance_of(c, v));
    if (!c->parent)
        return mg_fail(c->ctx, MEGURI_WRONG_ANSWER,
                       "vertex %s is at distance %s, but no edges lead to it from the source %s that add up to that.",
                       vertex, own, other);
    if (!has_edge(c, parent, v))
        return mg_fail(c->ctx, MEGURI_WRONG_ANSWER, "vertex %s has the parent %s, but no edge leads from there to it.",
                       vertex, other);
    return mg_fail(c->ctx, MEGURI_WRONG_ANSWER,
                   "vertex %s is at distance %s, but no edge from its parent %s at distance %s adds up to that.",
                   vertex, own, other, length_text(its, c, distance_of(c, parent)));
}

/* ---- all sweeps ------------------------------------------------------------------------------------------------- */

static meguri_status check(checker *c) {
    typedef meguri_status tell_fn(const checker *c);
    const struct {
        mg_range_fn *look;
        tell_fn *tell;
        uint64_t items;
    } sweeps[] = {{look_at_vertices, fail_vertex, c->vertices},
                  {look_at_circles, fail_circle, c->parent ? c->vertices : 0},
                  {look_at_arcs, fail_edge, c->rows.arcs},
                  {look_at_joints, fail_joint, c->vertices}};
    for (size_t s = 0; s < sizeof sweeps / sizeof *sweeps; s++) c->sweep.total += sweeps[s].items;
    for (size_t s = 0; s < sizeof sweeps / sizeof *sweeps; s++) {
        meguri_status status = MEGURI_OK;
        if (sweeps[s].look == look_at_joints && !c->parent) status = join_equals(c);
        if (status == MEGURI_OK) status = mg_sweep_over(&c->sweep, sweeps[s].look, c, sweeps[s].items);
        if (status != MEGURI_OK) return status;
        if (c->broken != MG_NO_VERTEX || c->bad_weight != MG_NO_VERTEX) return sweeps[s].tell(c);
    }
    return MEGURI_OK;
}

meguri_status mg_sssp_host_check(meguri_ctx *ctx, const meguri_graph *graph, const mg_sssp_answer *answer) {
    uint64_t source = answer->source;
    if (!answer->distance) return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "meguri_sssp_check needs a graph and distances.");
    if (source >= graph->vertices)
        return mg_fail(ctx, MEGURI_NOT_FOUND, "there is no vertex %" PRIu64 " in a graph of %" PRIu64 ".", source,
                       graph->vertices);
    double since = mg_now();
    checker c = {.ctx = ctx,
                 .sweep = {.ctx = ctx, .phase = "check"},
                 .graph = graph,
                 .distance = answer->distance,
                 .parent = answer->parent,
                 .most = {.number = answer->most.number},
                 .weight_type = graph->weight_type,
                 .real = graph->weight_type == MEGURI_TYPE_F32 || graph->weight_type == MEGURI_TYPE_F64,
                 .vertices = (uint32_t)graph->vertices,
                 .source = (uint32_t)source,
                 .broken = MG_NO_VERTEX,
                 .bad_weight = MG_NO_VERTEX};
    meguri_status status = mg_graph_rows(&c.rows, ctx, graph);
    if (status == MEGURI_OK) status = mg_graph_numbering(&c.numbering, ctx, graph);
    if (status != MEGURI_OK) return status;
    c.places = mg_alloc_array(ctx, graph->vertices, sizeof *c.places, "checking a search");
    if (!c.places) return MEGURI_NO_MEMORY;
    status = check(&c);
    mg_trace_phase(ctx, "check", "sssp", (int64_t)c.rows.arcs, -1, since);
    mg_free(c.places);
    return status;
}
