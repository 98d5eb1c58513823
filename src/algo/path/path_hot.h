/* The loops of searches for one cheapest path, for one type of weights. path_hot.c includes this text once for each,
 * with SUFFIX (of names), WEIGHT (its type; with UNIT there are none, and each edge counts 1), REAL (0: whole numbers).
 *
 * Queues hold entries that may be out of date, which costs less than to move them: on roads few are. A label changes
 * only to something smaller, so parents form no circle, and of two entries for a vertex the later one is the smaller.
 *
 * From both ends, with potentials p that are consistent (Ikeda et al., 1994): the key of a vertex is twice its distance
 * plus p from the source, minus p from the target, where p(v) is the bound to the target less the bound from the
 * source. What is found is the best as soon as the smallest keys of both queues together are no less than twice its
 * cost. Without a guide p is 0, and nothing is doubled (Nicholson, 1966; Pohl, 1971). For the same reason a vertex
 * whose key together with the smallest of the other queue is no less than that need not wait at all: what leads on from
 * it has been found, or costs as much. Whole numbers have whole potentials: a bound rounded down stays consistent
 * there. */

#define CAT2(a, b) a##_##b
#define CAT(a, b)  CAT2(a, b)
#define NAME(name) CAT(name, SUFFIX)
#if REAL
#define NUMBER double
#define PART   real
#define MIDDLE 0.0
#else
#define NUMBER uint64_t
#define PART   whole
#define MIDDLE ((uint64_t)1 << 62) /* potentials are added to this, so that keys are not negative */
#endif

#include "algo/path/path_heap.h"

/* ---- bounds ----------------------------------------------------------------------------------------------------- */

static inline NUMBER NAME(weight)(const mg_rows *rows, uint64_t arc) {
#ifdef UNIT
    (void)rows, (void)arc;
    return 1;
#else
    return ((const WEIGHT *)rows->weights)[arc];
#endif
}

static inline NUMBER NAME(key_of)(const mg_path_task *t, bool guided, uint32_t v, NUMBER distance, int side) {
    if (!guided) return distance;
    const mg_path_guide *g = t->guide;
    const double *at = g->points + (size_t)v * g->dimensions;
    NUMBER to = (NUMBER)mg_path_straight(g, at, t->to), from = (NUMBER)mg_path_straight(g, at, t->from);
    return 2 * distance + MIDDLE + (side ? from - to : to - from);
}

/* ---- from one end ----------------------------------------------------------------------------------------------- */

/* Goes on from where the labels and the queue are, as far as the target needs: no label can become smaller than the
 * first of the queue. Wherever it stops, also without memory, it can go on for another target: a vertex leaves the
 * queue only when all of its row will be looked at. */
static meguri_status NAME(one)(mg_path_task *t) {
    mg_path_question *q = t->question;
    mg_path_point *p = t->point;
    const mg_rows *rows = &q->finder->forward;
    mg_path_heap *heap = &p->heaps[0];
    mg_path_label *labels = p->labels;
    uint32_t mark = p->mark;
    const mg_path_label *target = &labels[q->to];
    while (heap->count && !mg_path_time_over(q)) {
        mg_path_waiting first = heap->items[0];
        if (first.key.PART >= t->bound.PART) break;
        if (target->mark == mark && target->distance.PART <= first.key.PART) break;
        uint32_t u = first.vertex;
        NUMBER distance = labels[u].distance.PART;
        uint64_t begin = mg_row_begin(rows, u), end = mg_row_end(rows, u);
        if (heap->room - heap->count < end - begin && !mg_path_heap_grow(q->ctx, heap, heap->count + (end - begin)))
            return MEGURI_NO_MEMORY;
        NAME(drop_first)(heap);
        if (first.key.PART > distance) continue; /* out of date */
        q->answer->settled++;
        q->answer->edges += end - begin;
        q->steps += end - begin;
        for (uint64_t a = begin; a < end; a++) {
            uint32_t v = rows->neighbors[a];
            NUMBER further = distance + NAME(weight)(rows, a);
            mg_path_label *l = &labels[v];
            if (l->mark == mark && l->distance.PART <= further) continue;
            if (further >= t->horizon.PART) continue;
            l->distance.PART = further;
            l->parent = u;
            l->mark = mark;
            NAME(push)(heap, further, v);
        }
    }
    if (target->mark == mark && target->distance.PART < t->bound.PART && !q->over) t->met = q->to;
    return MEGURI_OK;
}

/* ---- from both ends --------------------------------------------------------------------------------------------- */

static inline void NAME(drop_old)(const mg_path_task *t, bool guided, mg_path_heap *heap, int side) {
    const mg_path_label *labels = t->point->labels;
    while (heap->count) {
        const mg_path_waiting *first = &heap->items[0];
        NUMBER distance = labels[2 * (size_t)first->vertex + (size_t)side].distance.PART;
        if (first->key.PART <= NAME(key_of)(t, guided, first->vertex, distance, side)) break;
        NAME(drop_first)(heap);
    }
}

static inline __attribute__((always_inline)) meguri_status NAME(both_ends)(mg_path_task *t, bool guided) {
    mg_path_question *q = t->question;
    mg_path_point *p = t->point;
    const mg_rows *sides[2] = {&q->finder->forward, &q->finder->backward};
    mg_path_label *labels = p->labels;
    uint32_t mark = p->mark;
    for (int side = 0; side < 2; side++) {
        uint32_t end = side ? q->to : q->from;
        mg_path_label *l = &labels[2 * (size_t)end + (size_t)side];
        *l = (mg_path_label){.parent = MG_NO_VERTEX, .mark = mark};
        l->distance.PART = 0;
        NAME(push)(&p->heaps[side], NAME(key_of)(t, guided, end, 0, side), end);
    }
    NUMBER best = t->bound.PART, goal = guided ? 2 * best + 2 * MIDDLE : best;
    while (p->heaps[0].count && p->heaps[1].count && !mg_path_time_over(q)) {
        NUMBER tops[2] = {p->heaps[0].items[0].key.PART, p->heaps[1].items[0].key.PART};
        if (tops[0] + tops[1] >= goal) break;
        int side = p->heaps[1].count < p->heaps[0].count;
        const mg_rows *rows = sides[side];
        mg_path_heap *heap = &p->heaps[side];
        NUMBER other_top = tops[!side];
        uint32_t u = heap->items[0].vertex;
        NUMBER distance = labels[2 * (size_t)u + (size_t)side].distance.PART;
        NAME(drop_first)(heap);
        q->answer->settled++;
        uint64_t begin = mg_row_begin(rows, u), end = mg_row_end(rows, u);
        q->answer->edges += end - begin;
        q->steps += end - begin;
        if (heap->room - heap->count < end - begin && !mg_path_heap_grow(q->ctx, heap, heap->count + (end - begin)))
            return MEGURI_NO_MEMORY;
        for (uint64_t a = begin; a < end; a++) {
            uint32_t v = rows->neighbors[a];
            NUMBER further = distance + NAME(weight)(rows, a);
            mg_path_label *l = &labels[2 * (size_t)v + (size_t)side], *other = &labels[2 * (size_t)v + (size_t)!side];
            if (l->mark == mark && l->distance.PART <= further) continue;
            if (further >= best) continue;
            l->distance.PART = further;
            l->parent = u;
            l->mark = mark;
            if (other->mark == mark && further + other->distance.PART < best) {
                best = further + other->distance.PART;
                goal = guided ? 2 * best + 2 * MIDDLE : best;
                t->met = v;
            }
            NUMBER key = NAME(key_of)(t, guided, v, further, side);
            if (key + other_top < goal) NAME(push)(heap, key, v);
        }
        NAME(drop_old)(t, guided, heap, side);
    }
    return MEGURI_OK;
}

static meguri_status NAME(both)(mg_path_task *t) {
    return t->guide ? NAME(both_ends)(t, true) : NAME(both_ends)(t, false);
}

static const mg_path_hot NAME(hot) = {.one = NAME(one), .both = NAME(both)};

#undef CAT2
#undef CAT
#undef NAME
#undef NUMBER
#undef PART
#undef MIDDLE
#undef REAL
#undef SUFFIX
#undef WEIGHT
