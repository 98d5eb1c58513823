/* Paths with two limits at once: the cheapest of those that have no more than so many edges, or the one with the fewest
 * edges of those that cost no more than so much.
 *
 * Layer h has the vertices that h edges reach more cheaply than fewer do, with what that costs (Bellman and Ford, with
 * their rounds kept apart). So the labels of a vertex are its best pairs of edges and cost, and no others. Before that,
 * a search from the target tells for every vertex how many edges and what cost are the least from there on, each for
 * itself; a label from where the limits cannot be kept, or nothing better than what has been found is possible, is not
 * made. Costs are integers or non-negative doubles: both are ordered as their bits are. */
#include "algo/path/path_point.h"

#include <math.h>

#define NAME(name) layer_##name
#define NUMBER     uint64_t
#define PART       whole
#include "algo/path/path_heap.h"
#undef NAME
#undef NUMBER
#undef PART

#define NONE UINT64_MAX

typedef struct spot {
    uint64_t label;       /* the last, if layer is not 0 */
    mg_path_number best;  /* of its labels */
    mg_path_number rest;  /* the least cost to the target */
    uint32_t mark, layer; /* of the question; of the last label */
    uint32_t hops;        /* the fewest edges to the target */
} spot;

typedef struct label {
    mg_path_number cost;
    uint64_t parent; /* label; NONE: the source */
    uint32_t vertex;
} label;

typedef struct layers {
    spot *spots;
    uint32_t mark;
    label *labels;
    uint64_t label_room;
    uint32_t *list; /* vertices from which the target can be reached */
    uint64_t list_room;
    mg_path_heap heap;
    uint64_t *arcs;
    uint64_t arc_room;
} layers;

static void free_layers(void *data) {
    layers *l = data;
    mg_free(l->spots);
    mg_free(l->labels);
    mg_free(l->list);
    mg_free(l->heap.items);
    mg_free(l->arcs);
}

static layers *begin(mg_path_question *q) {
    layers *l = mg_path_slot_get(q, MG_PATH_LAYERS, sizeof *l, free_layers);
    if (!l) return NULL;
    uint64_t vertices = q->finder->graph->vertices;
    if (!l->spots) l->spots = mg_alloc_array_zero(q->ctx, vertices, sizeof *l->spots, "labels of a path search");
    if (!l->spots) return NULL;
    if (++l->mark == 0) {
        memset(l->spots, 0, vertices * sizeof *l->spots);
        l->mark = 1;
    }
    return l;
}

/* Makes room for `need` items of an array that grows. */
static bool grow(meguri_ctx *ctx, void *array, uint64_t *room, uint64_t need, size_t size) {
    if (need <= *room) return true;
    void *old;
    memcpy(&old, array, sizeof old);
    uint64_t more = MG_MAX(2 * need, 256u);
    void *bigger = mg_resize(ctx, old, more * size, "labels of a path search");
    if (!bigger) return false;
    memcpy(array, &bigger, sizeof bigger);
    *room = more;
    return true;
}

static mg_path_number sum(bool real, mg_path_number cost, double weight) {
    if (real) cost.real += weight;
    else cost.whole += (uint64_t)weight;
    return cost;
}

static mg_path_number most(bool real) {
    return real ? (mg_path_number){.real = INFINITY} : (mg_path_number){.whole = NONE};
}

/* ---- from the target -------------------------------------------------------------------------------------------- */

/* The fewest edges to the target, of all vertices that have `most_hops` at most. */
static meguri_status count_hops(mg_path_question *q, layers *l, uint64_t most_hops) {
    const mg_rows *rows = &q->finder->backward;
    bool real = q->finder->real;
    uint64_t count = 1;
    if (!grow(q->ctx, &l->list, &l->list_room, 1, sizeof *l->list)) return MEGURI_NO_MEMORY;
    l->list[0] = q->to;
    l->spots[q->to] = (spot){.mark = l->mark, .best = most(real), .rest = most(real)};
    for (uint64_t i = 0; i < count && !mg_path_time_over(q); i++) {
        uint32_t u = l->list[i], hops = l->spots[u].hops;
        uint64_t arc = mg_row_begin(rows, u), end = mg_row_end(rows, u);
        if (hops >= most_hops) break;
        if (!grow(q->ctx, &l->list, &l->list_room, count + (end - arc), sizeof *l->list)) return MEGURI_NO_MEMORY;
        q->answer->edges += end - arc;
        q->steps += end - arc;
        for (; arc < end; arc++) {
            uint32_t v = rows->neighbors[arc];
            if (l->spots[v].mark == l->mark) continue;
            l->spots[v] = (spot){.mark = l->mark, .hops = hops + 1, .best = most(real), .rest = most(real)};
            l->list[count++] = v;
        }
    }
    return MEGURI_OK;
}

/* The least cost to the target, of the same vertices and by way of them. */
static meguri_status count_costs(mg_path_question *q, layers *l) {
    const mg_rows *rows = &q->finder->backward;
    meguri_type type = q->finder->graph->weight_type;
    mg_path_heap *heap = &l->heap;
    heap->count = 0;
    if (!heap->room && !mg_path_heap_grow(q->ctx, heap, 0)) return MEGURI_NO_MEMORY;
    l->spots[q->to].rest = (mg_path_number){.whole = 0};
    layer_push(heap, 0, q->to);
    while (heap->count && !mg_path_time_over(q)) {
        mg_path_waiting first = heap->items[0];
        layer_drop_first(heap);
        if (first.key.whole > l->spots[first.vertex].rest.whole) continue;
        q->answer->settled++;
        uint64_t arc = mg_row_begin(rows, first.vertex), end = mg_row_end(rows, first.vertex);
        if (heap->room - heap->count < end - arc && !mg_path_heap_grow(q->ctx, heap, heap->count + (end - arc)))
            return MEGURI_NO_MEMORY;
        q->answer->edges += end - arc;
        q->steps += end - arc;
        for (; arc < end; arc++) {
            spot *s = &l->spots[rows->neighbors[arc]];
            mg_path_number rest = sum(q->finder->real, first.key, mg_weight_at(rows->weights, type, arc));
            if (s->mark != l->mark || rest.whole >= s->rest.whole) continue;
            s->rest = rest;
            layer_push(heap, rest.whole, rows->neighbors[arc]);
        }
    }
    return MEGURI_OK;
}

/* ---- from the source -------------------------------------------------------------------------------------------- */

/* True where a path by way of a label cannot cost less than `bound`. */
static bool too_dear(const meguri_path_finder *f, mg_path_number cost, mg_path_number rest, mg_path_number bound) {
    /* Sums from the two ends are rounded differently. */
    if (f->real) return cost.real >= bound.real || cost.real + rest.real > mg_path_rounded_up(f, bound.real);
    return cost.whole + rest.whole >= bound.whole;
}

/* The next layer from labels first … last-1 of the one before; *count is how many labels there are. */
static meguri_status next_layer(mg_path_question *q, layers *l, uint64_t first, uint64_t *count, uint64_t layer,
                                uint64_t most_hops, mg_path_number *bound) {
    const meguri_path_finder *f = q->finder;
    uint64_t last = *count;
    for (uint64_t i = first; i < last && !mg_path_time_over(q); i++) {
        label from = l->labels[i];
        uint64_t arc = mg_row_begin(&f->forward, from.vertex), end = mg_row_end(&f->forward, from.vertex);
        q->answer->settled++;
        q->answer->edges += end - arc;
        q->steps += end - arc;
        if (!grow(q->ctx, &l->labels, &l->label_room, *count + (end - arc), sizeof *l->labels)) return MEGURI_NO_MEMORY;
        for (; arc < end; arc++) {
            uint32_t v = f->forward.neighbors[arc];
            spot *s = &l->spots[v];
            if (s->mark != l->mark || layer + s->hops > most_hops) continue;
            mg_path_number cost = sum(f->real, from.cost, mg_path_weight(f, arc));
            if (cost.whole >= s->best.whole || too_dear(f, cost, s->rest, *bound)) continue;
            if (s->layer != layer) s->label = (*count)++;
            s->layer = (uint32_t)layer;
            s->best = cost;
            l->labels[s->label] = (label){.cost = cost, .parent = i, .vertex = v};
            if (v == q->to) *bound = cost;
        }
    }
    return MEGURI_OK;
}

static meguri_status give(mg_path_question *q, layers *l, uint64_t at) {
    uint64_t hops = l->spots[q->to].layer;
    if (!grow(q->ctx, &l->arcs, &l->arc_room, hops, sizeof *l->arcs)) return MEGURI_NO_MEMORY;
    for (uint64_t i = hops; i-- > 0 && !mg_path_time_over(q);) {
        uint64_t parent = l->labels[at].parent;
        l->arcs[i] = mg_path_arc(q->finder, l->labels[parent].vertex, l->labels[at].vertex);
        at = parent;
    }
    return mg_path_give(q, l->arcs, hops);
}

meguri_status mg_path_layers(mg_path_question *q, bool fewest) {
    layers *l = begin(q);
    if (!l) return MEGURI_NO_MEMORY;
    if (q->from == q->to) return mg_path_give(q, l->arcs, 0);
    uint64_t most_hops = q->finder->graph->vertices - 1;
    if (q->query->max_hops) most_hops = MG_MIN(most_hops, q->query->max_hops);
    mg_path_number bound = mg_path_bound(q);
    meguri_status status = count_hops(q, l, most_hops);
    if (status == MEGURI_OK) status = count_costs(q, l);
    spot *target = &l->spots[q->to], *source = &l->spots[q->from];
    if (status != MEGURI_OK || q->over || source->mark != l->mark) return status;
    if (!grow(q->ctx, &l->labels, &l->label_room, 1, sizeof *l->labels)) return MEGURI_NO_MEMORY;
    l->labels[0] = (label){.parent = NONE, .vertex = q->from};
    source->best = (mg_path_number){.whole = 0};
    uint64_t first = 0, count = 1;
    for (uint64_t layer = 1; layer <= most_hops && first < count && !q->over; layer++) {
        uint64_t last = count;
        status = next_layer(q, l, first, &count, layer, most_hops, &bound);
        if (status != MEGURI_OK) return status;
        if (fewest && target->layer) break;
        first = last;
    }
    return q->over || !target->layer ? MEGURI_OK : give(q, l, target->label);
}
