/* One cheapest path by the index: upwards from both ends, then the shortcuts of the way are replaced by what they stand
 * for, until only edges of the graph are left.
 *
 * A vertex that can be reached more cheaply by going up and down again is in no cheapest path that only goes up; it is
 * not followed (stall on demand). Costs are integers or non-negative doubles, both ordered as their bits are. */
#include "algo/path/path_index.h"

#define NAME(name) climb_##name
#define NUMBER     uint64_t
#define PART       whole
#include "algo/path/path_heap.h"
#undef NAME
#undef NUMBER
#undef PART

/* ---- the search ------------------------------------------------------------------------------------------------- */

static bool is_stalled(const mg_path_index *x, const mg_path_point *p, bool real, uint32_t u, int side,
                       mg_path_number distance) {
    for (uint64_t i = x->offsets[!side][u]; i < x->offsets[!side][u + 1]; i++) {
        const mg_path_up *e = &x->up[!side][i];
        const mg_path_label *above = &p->labels[2 * (size_t)e->to + (size_t)side];
        if (above->mark == p->mark && mg_path_sum(real, above->distance, e->cost).whole < distance.whole) return true;
    }
    return false;
}

static meguri_status go_up(mg_path_task *t, const mg_path_index *x, int side, uint32_t u, mg_path_number distance,
                           uint64_t best) {
    mg_path_point *p = t->point;
    mg_path_heap *heap = &p->heaps[side];
    uint64_t begin = x->offsets[side][u], end = x->offsets[side][u + 1];
    bool real = t->question->finder->real;
    if (heap->room - heap->count < end - begin &&
        !mg_path_heap_grow(t->question->ctx, heap, heap->count + (end - begin)))
        return MEGURI_NO_MEMORY;
    t->question->answer->edges += end - begin;
    for (uint64_t i = begin; i < end; i++) {
        const mg_path_up *e = &x->up[side][i];
        mg_path_label *l = &p->labels[2 * (size_t)e->to + (size_t)side];
        mg_path_number cost = mg_path_sum(real, distance, e->cost);
        if (cost.whole >= best || (l->mark == p->mark && l->distance.whole <= cost.whole)) continue;
        *l = (mg_path_label){.distance = cost, .parent = u, .mark = p->mark};
        climb_push(heap, cost.whole, e->to);
    }
    return MEGURI_OK;
}

/* The side whose first vertex is nearer; -1 where neither can find anything better. */
static int next_side(const mg_path_point *p, uint64_t best) {
    uint64_t tops[2];
    for (int side = 0; side < 2; side++)
        tops[side] = p->heaps[side].count ? p->heaps[side].items[0].key.whole : UINT64_MAX;
    int side = tops[1] < tops[0];
    return tops[side] < best ? side : -1;
}

meguri_status mg_path_climb(mg_path_task *t) {
    mg_path_question *q = t->question;
    mg_path_point *p = t->point;
    const mg_path_index *x = q->finder->index;
    bool real = q->finder->real;
    for (int side = 0; side < 2; side++) {
        uint32_t end = x->height[side ? q->to : q->from];
        p->labels[2 * (size_t)end + (size_t)side] = (mg_path_label){.parent = MG_NO_VERTEX, .mark = p->mark};
        climb_push(&p->heaps[side], 0, end);
    }
    uint64_t best = t->bound.whole;
    for (int side; (side = next_side(p, best)) >= 0 && !mg_path_time_over(q);) {
        mg_path_waiting first = p->heaps[side].items[0];
        uint32_t u = first.vertex;
        climb_drop_first(&p->heaps[side]);
        const mg_path_label *own = &p->labels[2 * (size_t)u + (size_t)side];
        const mg_path_label *other = &p->labels[2 * (size_t)u + (size_t)!side];
        if (first.key.whole > own->distance.whole) continue;
        q->answer->settled++;
        uint64_t through = mg_path_sum(real, own->distance, other->distance).whole;
        if (other->mark == p->mark && through < best) {
            best = through;
            t->met = u;
        }
        if (is_stalled(x, p, real, u, side, first.key)) continue;
        meguri_status status = go_up(t, x, side, u, first.key, best);
        if (status != MEGURI_OK) return status;
    }
    return MEGURI_OK;
}

/* ---- the path --------------------------------------------------------------------------------------------------- */

/* An edge or shortcut of the way, by heights. */
typedef struct mg_path_leg {
    uint32_t from, to, middle;
} leg;

static uint32_t middle_of(const mg_path_index *x, int side, uint32_t at, uint32_t to) {
    uint64_t i = x->offsets[side][at];
    while (x->up[side][i].to != to) i++;
    return x->up[side][i].middle;
}

static bool push_leg(mg_path_task *t, uint64_t *count, leg new) {
    mg_path_point *p = t->point;
    if (*count == p->leg_room) {
        leg *legs = mg_resize(t->question->ctx, p->legs, 2 * (*count + 64) * sizeof *legs, "a path");
        if (!legs) return false;
        p->legs = legs;
        p->leg_room = 2 * (*count + 64);
    }
    p->legs[(*count)++] = new;
    return true;
}

static bool push_arc(mg_path_task *t, uint64_t *hops, uint64_t arc) {
    mg_path_point *p = t->point;
    if (*hops == p->arc_room) {
        uint64_t *arcs = mg_resize(t->question->ctx, p->arcs, 2 * (*hops + 64) * sizeof *arcs, "a path");
        if (!arcs) return false;
        p->arcs = arcs;
        p->arc_room = 2 * (*hops + 64);
    }
    p->arcs[(*hops)++] = arc;
    return true;
}

/* The legs on the stack become arcs, the last one first. */
static bool resolve(mg_path_task *t, uint64_t *hops, uint64_t count) {
    const meguri_path_finder *f = t->question->finder;
    const mg_path_index *x = f->index;
    while (count) {
        leg l = t->point->legs[--count];
        if (l.middle == MG_NO_VERTEX) {
            if (!push_arc(t, hops, mg_path_arc(f, x->vertex[l.from], x->vertex[l.to]))) return false;
            continue;
        }
        leg second = {l.middle, l.to, middle_of(x, 0, l.middle, l.to)};
        leg first = {l.from, l.middle, middle_of(x, 1, l.middle, l.from)};
        if (!push_leg(t, &count, second) || !push_leg(t, &count, first)) return false;
    }
    return true;
}

/* Where edges cost nothing the way up and the way down may have a part in common, there and back; it is cut out. Labels
 * are not needed any more, and note the place of a vertex in the path. */
static void cut_circles(uint64_t *hops, mg_path_task *t) {
    mg_path_point *p = t->point;
    const uint32_t *neighbors = t->question->finder->forward.neighbors;
    uint32_t mark = ++p->mark;
    uint64_t kept = 0;
    p->labels[t->question->from] = (mg_path_label){.mark = mark};
    for (uint64_t i = 0; i < *hops; i++) {
        uint32_t v = neighbors[p->arcs[i]];
        mg_path_label *l = &p->labels[v];
        uint64_t place = l->distance.whole;
        bool back =
            l->mark == mark && place <= kept && v == (place ? neighbors[p->arcs[place - 1]] : t->question->from);
        if (back) {
            kept = place;
            continue;
        }
        p->arcs[kept++] = p->arcs[i];
        *l = (mg_path_label){.mark = mark, .distance.whole = kept};
    }
    *hops = kept;
}

meguri_status mg_path_unpack(uint64_t *hops, mg_path_task *t) {
    const mg_path_point *p = t->point;
    const mg_path_index *x = t->question->finder->index;
    uint64_t count = 0;
    *hops = 0;
    for (uint32_t v = t->met, from; (from = p->labels[2 * (size_t)v].parent) != MG_NO_VERTEX; v = from)
        if (!push_leg(t, &count, (leg){from, v, middle_of(x, 0, from, v)})) return MEGURI_NO_MEMORY;
    if (!resolve(t, hops, count)) return MEGURI_NO_MEMORY;
    for (uint32_t v = t->met, to; (to = p->labels[2 * (size_t)v + 1].parent) != MG_NO_VERTEX; v = to) {
        count = 0;
        if (!push_leg(t, &count, (leg){v, to, middle_of(x, 1, to, v)}) || !resolve(t, hops, count))
            return MEGURI_NO_MEMORY;
    }
    if (x->free_edges) cut_circles(hops, t);
    return MEGURI_OK;
}
