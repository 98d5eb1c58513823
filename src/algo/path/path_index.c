/* One cheapest path by the index: upwards from both ends, then through the vertices that are not
 * contracted, where there are any. path_unpack.c makes a path of what is found.
 *
 * A vertex that can be reached more cheaply by going up and down again is in no cheapest path that only goes up; it is
 * not followed (stall on demand). An edge of the index has the costs of both directions, so that is seen in the row
 * that would be followed anyway. Costs are integers or non-negative doubles, both ordered as their bits are.
 *
 * The searches upwards stop at vertices that are not contracted. From what they reached of these, a search from both
 * ends goes on as it would in any graph: it may end as soon as the nearest vertices of both sides together are no
 * nearer than the best way found, which among hubs is much earlier than when each by itself is. */
#include "algo/path/path_index.h"

#define NAME(name) climb_##name
#define NUMBER     uint64_t
#define PART       whole
#include "algo/path/path_heap.h"
#undef NAME
#undef NUMBER
#undef PART

/* How an index holds its costs; a constant in each of the three searches below. */
typedef enum form { NARROW, WHOLE, REAL } form;
#define INLINE static inline __attribute__((always_inline))

INLINE uint32_t end_of(const mg_index *x, form f, uint64_t i) { return f == NARROW ? x->narrow[i].to : x->wide[i].to; }

INLINE mg_path_number cost_of(const mg_index *x, form f, uint64_t i, int side) {
    if (f != NARROW) return (mg_path_number){.whole = x->wide[i].cost[side]};
    uint32_t cost = x->narrow[i].cost[side];
    return (mg_path_number){.whole = cost == MG_INDEX_ABSENT32 ? MG_INDEX_ABSENT : cost};
}

INLINE bool is_stalled(const mg_index *x, form f, const mg_path_point *p, uint32_t u, int side, uint64_t distance) {
    for (uint64_t i = x->rows[u], end = x->rows[u + 1]; i < end; i++) {
        const mg_path_label *above = &p->labels[2 * (size_t)end_of(x, f, i) + (size_t)side];
        if (above->mark != p->mark) continue;
        if (mg_path_sum(f == REAL, above->distance, cost_of(x, f, i, !side)).whole < distance) return true;
    }
    return false;
}

/* Notes a way through a vertex that was reached from both ends. */
INLINE void meet(mg_path_task *t, form f, uint32_t u, uint64_t *best) {
    const mg_path_label *l = &t->point->labels[2 * (size_t)u];
    uint64_t through = mg_path_sum(f == REAL, l[0].distance, l[1].distance).whole;
    if (l[0].mark != l[1].mark || through >= *best) return;
    *best = through;
    t->met = u;
}

/* Room for the edges of a row in the queues that they may enter. */
static bool make_room(mg_path_task *t, int side, uint64_t edges) {
    mg_path_heap *heaps[] = {&t->point->heaps[side], &t->point->uncontracted[side]};
    for (int i = 0; i < 2; i++)
        if (heaps[i]->room - heaps[i]->count < edges &&
            !mg_path_heap_grow(t->question->ctx, heaps[i], heaps[i]->count + edges))
            return false;
    return true;
}

/* Follows the row of a vertex. Of a vertex that is not contracted both labels are looked at as soon as one of them
 * changes. */
INLINE meguri_status follow(mg_path_task *t, form f, int side, uint32_t u, mg_path_number distance, uint64_t *best) {
    const mg_index *x = &t->question->finder->index;
    mg_path_point *p = t->point;
    uint64_t begin = x->rows[u], end = x->rows[u + 1], uncontracted = x->facts.uncontracted;
    if (!make_room(t, side, end - begin)) return MEGURI_NO_MEMORY;
    t->question->answer->edges += end - begin;
    for (uint64_t i = begin; i < end; i++) {
        uint32_t to = end_of(x, f, i);
        mg_path_label *l = &p->labels[2 * (size_t)to + (size_t)side];
        mg_path_number cost = mg_path_sum(f == REAL, distance, cost_of(x, f, i, side));
        if (cost.whole >= *best || (l->mark == p->mark && l->distance.whole <= cost.whole)) continue;
        *l = (mg_path_label){.distance = cost, .parent = u, .mark = p->mark};
        __builtin_prefetch(&x->rows[to]);
        if (to < uncontracted) {
            climb_push(&p->uncontracted[side], cost.whole, to);
            meet(t, f, to, best);
        } else climb_push(&p->heaps[side], cost.whole, to);
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

INLINE meguri_status upwards(mg_path_task *t, form f, uint64_t *best) {
    mg_path_question *q = t->question;
    mg_path_point *p = t->point;
    for (int side; (side = next_side(p, *best)) >= 0 && !mg_path_time_over(q);) {
        mg_path_waiting first = p->heaps[side].items[0];
        uint32_t u = first.vertex;
        climb_drop_first(&p->heaps[side]);
        if (first.key.whole > p->labels[2 * (size_t)u + (size_t)side].distance.whole) continue;
        q->answer->settled++;
        meet(t, f, u, best);
        if (is_stalled(&q->finder->index, f, p, u, side, first.key.whole)) continue;
        meguri_status status = follow(t, f, side, u, first.key, best);
        if (status != MEGURI_OK) return status;
    }
    return MEGURI_OK;
}

INLINE meguri_status through_core(mg_path_task *t, form f, uint64_t *best) {
    mg_path_question *q = t->question;
    mg_path_point *p = t->point;
    while (p->uncontracted[0].count && p->uncontracted[1].count && !mg_path_time_over(q)) {
        mg_path_number tops[2] = {p->uncontracted[0].items[0].key, p->uncontracted[1].items[0].key};
        if (mg_path_sum(f == REAL, tops[0], tops[1]).whole >= *best) break;
        int side = p->uncontracted[1].count < p->uncontracted[0].count;
        mg_path_waiting first = p->uncontracted[side].items[0];
        climb_drop_first(&p->uncontracted[side]);
        if (first.key.whole > p->labels[2 * (size_t)first.vertex + (size_t)side].distance.whole) continue;
        q->answer->settled++;
        meguri_status status = follow(t, f, side, first.vertex, first.key, best);
        if (status != MEGURI_OK) return status;
    }
    return MEGURI_OK;
}

INLINE meguri_status climb(mg_path_task *t, form f) {
    uint64_t best = t->bound.whole;
    meguri_status status = upwards(t, f, &best);
    return status == MEGURI_OK ? through_core(t, f, &best) : status;
}

static meguri_status climb_narrow(mg_path_task *t) { return climb(t, NARROW); }
static meguri_status climb_whole(mg_path_task *t) { return climb(t, WHOLE); }
static meguri_status climb_real(mg_path_task *t) { return climb(t, REAL); }

meguri_status mg_path_climb(mg_path_task *t) {
    const meguri_path_finder *f = t->question->finder;
    mg_path_point *p = t->point;
    for (int side = 0; side < 2; side++) {
        uint32_t end = f->index.heights[side == f->against ? t->question->from : t->question->to];
        p->labels[2 * (size_t)end + (size_t)side] = (mg_path_label){.parent = MG_NO_VERTEX, .mark = p->mark};
        climb_push(end < f->index.facts.uncontracted ? &p->uncontracted[side] : &p->heaps[side], 0, end);
    }
    if (f->index.narrow) return climb_narrow(t);
    return f->real ? climb_real(t) : climb_whole(t);
}
