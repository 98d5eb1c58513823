/* One cheapest path between two vertices: which way it is looked for, and the path that the labels tell.
 *
 * Labels hold parents only. An arc of the path is found in the row of the vertex it leaves: of parallel arcs the
 * cheapest comes first. */
#include "algo/path/path_index.h"

#include <math.h>

#define FAR ((uint64_t)1 << 60) /* no cost is above, where costs are doubled */

void mg_path_point_free(mg_path_point *p) {
    mg_free(p->labels);
    for (int side = 0; side < 2; side++) {
        mg_free(p->heaps[side].items);
        mg_free(p->uncontracted[side].items);
    }
    mg_free(p->arcs);
    mg_free(p->opened);
}

static void free_point(void *data) { mg_path_point_free(data); }

/* Labels of earlier searches become worthless by a new mark. */
meguri_status mg_path_point_begin(meguri_ctx *ctx, mg_path_point *p, uint64_t count) {
    if (!p->labels) p->labels = mg_alloc_array_zero(ctx, count, sizeof *p->labels, "labels of a path search");
    if (!p->labels) return MEGURI_NO_MEMORY;
    if (p->mark >= UINT32_MAX - 2) { /* a search takes two at most */
        memset(p->labels, 0, count * sizeof *p->labels);
        p->mark = 0;
    }
    p->mark++;
    for (int side = 0; side < 2; side++) {
        p->heaps[side].count = p->uncontracted[side].count = 0;
        if (!p->heaps[side].room && !mg_path_heap_grow(ctx, &p->heaps[side], 0)) return MEGURI_NO_MEMORY;
        if (!p->uncontracted[side].room && !mg_path_heap_grow(ctx, &p->uncontracted[side], 0)) return MEGURI_NO_MEMORY;
    }
    return MEGURI_OK;
}

/* Zero is the same number in whole and in real numbers. */
void mg_path_point_start(mg_path_point *p, uint32_t from) {
    p->labels[from] = (mg_path_label){.parent = MG_NO_VERTEX, .mark = p->mark};
    p->heaps[0].items[p->heaps[0].count++] = (mg_path_waiting){.vertex = from};
}

/* ---- the cost --------------------------------------------------------------------------------------------------- */

bool mg_path_label_tells(const mg_path_question *q, bool both) {
    return q->query->costs_only && !q->query->max_hops && (!both || !q->finder->real);
}

double mg_path_label_cost(const mg_path_task *t, bool both) {
    const mg_path_label *l = &t->point->labels[both ? 2 * (size_t)t->met : t->met];
    if (t->question->finder->real) return l->distance.real;
    return (double)(l->distance.whole + (both ? l[1].distance.whole : 0));
}

/* ---- the path --------------------------------------------------------------------------------------------------- */

static uint64_t chain(mg_path_task *t, size_t stride, size_t side, uint32_t v) {
    uint64_t hops = 0;
    while ((v = t->point->labels[stride * v + side].parent) != MG_NO_VERTEX && !mg_path_time_over(t->question)) hops++;
    return hops;
}

meguri_status mg_path_collect(uint64_t *hops, mg_path_task *t, bool both) {
    mg_path_point *p = t->point;
    mg_path_question *q = t->question;
    const meguri_path_finder *f = q->finder;
    size_t stride = both ? 2 : 1;
    uint64_t before = chain(t, stride, 0, t->met), after = both ? chain(t, stride, 1, t->met) : 0;
    *hops = before + after;
    if (q->over) return MEGURI_OK;
    if (*hops > p->arc_room) {
        uint64_t *arcs = mg_resize(q->ctx, p->arcs, 2 * *hops * sizeof *arcs, "a path");
        if (!arcs) return MEGURI_NO_MEMORY;
        p->arcs = arcs;
        p->arc_room = 2 * *hops;
    }
    uint32_t v = t->met;
    for (uint64_t i = before; i-- > 0 && !mg_path_time_over(q);) {
        uint32_t parent = p->labels[stride * v].parent;
        p->arcs[i] = mg_path_arc(f, parent, v);
        v = parent;
    }
    v = t->met;
    for (uint64_t i = before; i < *hops && !mg_path_time_over(q); i++) {
        uint32_t parent = p->labels[stride * v + 1].parent;
        p->arcs[i] = mg_path_arc(f, v, parent);
        v = parent;
    }
    return MEGURI_OK;
}

/* ---- the search ------------------------------------------------------------------------------------------------- */

mg_path_number mg_path_no_bound(bool real) {
    return real ? (mg_path_number){.real = INFINITY} : (mg_path_number){.whole = FAR};
}

mg_path_number mg_path_bound(const mg_path_question *q) {
    const meguri_path_query *query = q->query;
    mg_path_number bound = mg_path_no_bound(q->finder->real);
    if (q->finder->real && query->has_max_cost) bound.real = nextafter(query->max_cost, INFINITY);
    else if (query->has_max_cost && query->max_cost < (double)FAR) bound.whole = (uint64_t)query->max_cost + 1;
    return bound;
}

static meguri_path_algorithm choose(const mg_path_question *q) {
    if (q->query->algorithm != MEGURI_PATH_AUTO) return q->query->algorithm;
    if (q->finder->indexed) return MEGURI_PATH_INDEXED;
    if (!q->finder->weighted) return MEGURI_PATH_SHORTEST;
    bool guided = mg_path_guided(&q->search->known) && mg_path_guide_pays(&q->search->known);
    return guided ? MEGURI_PATH_ASTAR : MEGURI_PATH_BIDIRECTIONAL;
}

/* Searches; the arcs of what is found are in task->point->arcs. */
static meguri_status run(uint64_t *hops, mg_path_task *t, meguri_path_algorithm algorithm) {
    const mg_path_question *q = t->question;
    const mg_path_known *known = &q->search->known;
    const mg_path_hot *hot = mg_path_hot_loops(q->finder->graph->weight_type);
    bool both = algorithm != MEGURI_PATH_DIJKSTRA, indexed = algorithm == MEGURI_PATH_INDEXED;
    const mg_path_guide *g = algorithm == MEGURI_PATH_ASTAR && mg_path_guided(known) ? known->guide : NULL;
    t->guide = g;
    if (g) {
        t->from = g->points + (size_t)q->from * g->dimensions;
        t->to = g->points + (size_t)q->to * g->dimensions;
    }
    if (!both) mg_path_point_start(t->point, q->from);
    meguri_status status = indexed ? mg_path_climb(t) : both ? hot->both(t) : hot->one(t);
    if (status != MEGURI_OK || q->over || t->met == MG_NO_VERTEX || mg_path_label_tells(q, both)) return status;
    return indexed ? mg_path_unpack(hops, t) : mg_path_collect(hops, t, both);
}

/* Whether the path that was found costs too much when it is added up from its start on. */
static bool is_too_dear(const mg_path_question *q, const uint64_t *arcs, uint64_t hops) {
    double cost = 0;
    if (!q->finder->real || !q->query->has_max_cost) return false;
    for (uint64_t i = 0; i < hops; i++) cost += mg_path_weight(q->finder, arcs[i]);
    return cost > q->query->max_cost;
}

/* Sums from both ends are rounded differently, so with a maximum cost such searches look a little beyond it. What they
 * find there may be dearer than a path that they passed over, by a last digit: the search from one end then decides. */
static meguri_status run_within(uint64_t *hops, mg_path_task *t, meguri_path_algorithm algorithm) {
    const mg_path_question *q = t->question;
    bool beyond = algorithm != MEGURI_PATH_DIJKSTRA && q->finder->real && q->query->has_max_cost;
    if (beyond) t->bound.real = mg_path_rounded_up(q->finder, t->bound.real);
    meguri_status status = run(hops, t, algorithm);
    if (status != MEGURI_OK || q->over || t->met == MG_NO_VERTEX || !is_too_dear(q, t->point->arcs, *hops))
        return status;
    t->bound = mg_path_bound(q);
    t->met = MG_NO_VERTEX;
    status = mg_path_point_begin(q->ctx, t->point, 2 * q->finder->graph->vertices);
    return status == MEGURI_OK ? run(hops, t, MEGURI_PATH_DIJKSTRA) : status;
}

meguri_status mg_path_cheapest(mg_path_question *q) {
    meguri_path_algorithm algorithm = q->answer->algorithm = choose(q);
    if (algorithm == MEGURI_PATH_SHORTEST) return mg_path_meet(q);
    mg_path_number bound = mg_path_bound(q);
    mg_path_task task = {.question = q, .met = MG_NO_VERTEX, .bound = bound, .horizon = bound};
    uint64_t hops = 0;
    task.point = mg_path_slot_get(q, MG_PATH_POINT, sizeof *task.point, free_point);
    if (!task.point) return MEGURI_NO_MEMORY;
    meguri_status status = mg_path_point_begin(q->ctx, task.point, 2 * q->finder->graph->vertices);
    if (status != MEGURI_OK) return status;
    if (q->from == q->to) return mg_path_give(q, task.point->arcs, 0);
    status = run_within(&hops, &task, algorithm);
    if (status != MEGURI_OK || q->over || task.met == MG_NO_VERTEX) return status;
    bool both = algorithm != MEGURI_PATH_DIJKSTRA;
    if (mg_path_label_tells(q, both)) return mg_path_give_cost(q, mg_path_label_cost(&task, both));
    if (q->query->max_hops && hops > q->query->max_hops) return mg_path_layers(q, false);
    return mg_path_give(q, task.point->arcs, hops);
}
