/* The search that goes on from the beginning of a path, guided by costs to the target.
 *
 * One search backwards from the target, as far as the start, gives exact costs to the target; for vertices that it did
 * not settle its radius is a lower bound, and both together are consistent, so that A* with them settles each vertex
 * once. Where nothing is in the way it walks straight to the target.
 *
 * Where hops have a limit, a dearer way with fewer hops may be the one that arrives: a vertex then has several labels,
 * each with fewer hops than those before. A label that comes back to a vertex of its own way has more hops than the one
 * there and costs as much at least, so that ways stay simple. */
#include "algo/path/path_spur.h"

#include <math.h>

/* ---- costs to the target ---------------------------------------------------------------------------------------- */

static void free_near(void *data) {
    mg_path_near *near = data;
    mg_free(near->rest);
    mg_free(near->marks);
    mg_free(near->queue.entries);
}

static meguri_status get_near(mg_path_spur *s) {
    meguri_ctx *ctx = s->question->ctx;
    uint64_t vertices = s->question->finder->graph->vertices;
    mg_path_near *near = s->near = mg_path_slot_get(s->question, MG_PATH_YEN, sizeof *near, free_near);
    if (!near) return MEGURI_NO_MEMORY;
    if (!near->rest) near->rest = mg_alloc_array(ctx, vertices, sizeof *near->rest, "costs to the end of a path");
    if (near->rest && !near->marks)
        near->marks = mg_alloc_array_zero(ctx, vertices, sizeof *near->marks, "costs to the end of a path");
    if (!near->rest || !near->marks) return MEGURI_NO_MEMORY;
    if (++near->mark == 0) { /* all numbers have been used */
        memset(near->marks, 0, vertices * sizeof *near->marks);
        near->mark = 1;
    }
    near->queue.count = 0;
    return MEGURI_OK;
}

static meguri_status lower_rest(mg_path_spur *s, uint32_t vertex, double cost) {
    mg_path_near *near = s->near;
    if (cost > s->most_cost || (near->marks[vertex] == near->mark && near->rest[vertex] <= cost)) return MEGURI_OK;
    near->marks[vertex] = near->mark;
    near->rest[vertex] = cost;
    return mg_path_queue_push(&near->queue, s->question->ctx, (mg_path_entry){.cost = cost, .item = vertex});
}

/* Backwards from the target until the start is settled. */
static meguri_status search_rest(mg_path_spur *s) {
    const meguri_path_finder *f = s->question->finder;
    const mg_rows *rows = &f->backward;
    s->radius = INFINITY; /* what is not found then is not there */
    meguri_status status = lower_rest(s, s->question->to, 0);
    while (status == MEGURI_OK && s->near->queue.count > 0 && !mg_path_time_over(s->question)) {
        mg_path_entry top = mg_path_queue_pop(&s->near->queue);
        uint32_t vertex = top.item;
        if (top.cost > s->near->rest[vertex]) continue;
        s->question->answer->settled++;
        if (vertex == s->question->from) {
            s->radius = top.cost;
            break;
        }
        uint64_t end = mg_row_end(rows, vertex);
        s->question->answer->edges += end - mg_row_begin(rows, vertex);
        for (uint64_t arc = mg_row_begin(rows, vertex); arc < end && status == MEGURI_OK; arc++) {
            if (mg_path_time_over(s->question)) return MEGURI_OK;
            double weight = mg_weight_at(rows->weights, f->graph->weight_type, arc);
            status = lower_rest(s, rows->neighbors[arc], top.cost + weight);
        }
    }
    return status;
}

double mg_path_spur_rest(const mg_path_spur *s, uint32_t vertex, uint32_t hops) {
    if (s->limited) {
        uint32_t local = mg_path_map_find(&s->reach.map, vertex);
        if (local == MG_NO_VERTEX || !mg_path_reached(&s->reach, local) ||
            (uint64_t)hops + s->reach.hops[1][local] > s->reach.most)
            return INFINITY;
    }
    return s->near->marks[vertex] == s->near->mark ? MG_MIN(s->near->rest[vertex], s->radius) : s->radius;
}

/* ---- one search ------------------------------------------------------------------------------------------------- */

static meguri_status grow_met(mg_path_spur *s) {
    meguri_ctx *ctx = s->question->ctx;
    meguri_status status = s->met.room ? mg_path_map_grow(&s->met, s->question) : mg_path_map_new(&s->met, s->question);
    if (status != MEGURI_OK) return status;
    double *cost = mg_resize(ctx, s->cost, (size_t)s->met.room * sizeof *cost, "costs of a path search");
    if (!cost) return MEGURI_NO_MEMORY;
    s->cost = cost;
    uint32_t *hops = mg_resize(ctx, s->least_hops, (size_t)s->met.room * sizeof *hops, "hops of a path search");
    if (!hops) return MEGURI_NO_MEMORY;
    s->least_hops = hops;
    return MEGURI_OK;
}

static meguri_status meet(mg_path_spur *s, uint32_t vertex, uint32_t *local) {
    bool added;
    if (s->met.count == s->met.room) {
        meguri_status status = grow_met(s);
        if (status != MEGURI_OK) return status;
    }
    *local = mg_path_map_add(&s->met, vertex, &added);
    if (!added) return MEGURI_OK;
    s->cost[*local] = INFINITY;
    s->least_hops[*local] = UINT32_MAX;
    return MEGURI_OK;
}

/* Newer labels first where costs tie: the search then goes straight on. */
static meguri_status add_label(mg_path_spur *s, mg_path_label label, double bound) {
    meguri_ctx *ctx = s->question->ctx;
    if (s->label_count == s->label_room) {
        if (s->label_room > UINT32_MAX / 4)
            return mg_fail(ctx, MEGURI_NO_MEMORY, "a path question has more than %u labels; limit it.", s->label_room);
        uint32_t room = s->label_room ? 2 * s->label_room : 256;
        mg_path_label *labels = mg_resize(ctx, s->labels, room * sizeof *labels, "labels of a path search");
        if (!labels) return MEGURI_NO_MEMORY;
        s->labels = labels;
        s->label_room = room;
    }
    s->labels[s->label_count] = label;
    mg_path_entry entry = {.cost = bound, .tie = UINT32_MAX - s->label_count, .item = s->label_count};
    s->label_count++;
    return mg_path_queue_push(&s->heap, ctx, entry);
}

/* Goes from a settled label over an arc. `hops` are those of the whole path there. */
static meguri_status follow(mg_path_spur *s, uint32_t before, uint64_t arc, uint32_t hops) {
    const meguri_path_finder *f = s->question->finder;
    uint32_t vertex = f->forward.neighbors[arc], local;
    meguri_status status = meet(s, vertex, &local);
    if (status != MEGURI_OK) return status;
    mg_path_label label = {.arc = arc,
                           .cost = s->labels[before].cost + mg_path_weight(f, arc),
                           .local = local,
                           .before = before,
                           .hops = s->limited ? hops : 0};
    if (label.hops >= s->least_hops[local] || (!s->limited && label.cost >= s->cost[local])) return MEGURI_OK;
    double bound = label.cost + mg_path_spur_rest(s, vertex, hops);
    if (bound == INFINITY || bound > s->most_cost) return MEGURI_OK;
    s->cost[local] = MG_MIN(s->cost[local], label.cost);
    return add_label(s, label, bound);
}

/* Puts the beginning in: its vertices are closed, all but the last, which has the first label. */
static meguri_status begin(mg_path_spur *s, const mg_path_beginning *b) {
    uint32_t local = 0;
    meguri_status status = MEGURI_OK;
    mg_path_map_clear(&s->met);
    s->label_count = 0;
    s->heap.count = 0;
    for (uint32_t i = 0; i <= b->hops && status == MEGURI_OK; i++) {
        if (mg_path_time_over(s->question)) return MEGURI_OK;
        status = meet(s, b->vertices[i], &local);
        if (status == MEGURI_OK && i < b->hops) s->least_hops[local] = 0;
    }
    if (status != MEGURI_OK) return status;
    s->cost[local] = b->cost;
    return add_label(s, (mg_path_label){.cost = b->cost, .local = local, .before = UINT32_MAX, .hops = 0}, b->cost);
}

static meguri_status settle(mg_path_spur *s, const mg_path_beginning *b, uint32_t number) {
    const mg_rows *rows = &s->question->finder->forward;
    mg_path_label label = s->labels[number];
    bool first = number == 0;
    uint32_t banned = 0;
    uint32_t vertex = s->met.vertices[label.local], hops = (first ? b->hops : label.hops) + 1;
    s->least_hops[label.local] = first ? 0 : label.hops; /* nothing comes back to where it began */
    s->question->answer->settled++;
    meguri_status status = MEGURI_OK;
    uint64_t end = mg_row_end(rows, vertex);
    s->question->answer->edges += end - mg_row_begin(rows, vertex);
    for (uint64_t arc = mg_row_begin(rows, vertex); arc < end && status == MEGURI_OK; arc++) {
        if (mg_path_time_over(s->question)) return MEGURI_OK;
        if (first && banned < b->banned_count && b->banned[banned] == arc) banned++;
        else status = follow(s, number, arc, hops);
    }
    return status;
}

meguri_status mg_path_spur_search(mg_path_end *end, mg_path_spur *s, const mg_path_beginning *b, double other,
                                  uint64_t effort) {
    *end = (mg_path_end){.cost = INFINITY};
    meguri_status status = begin(s, b);
    for (uint64_t settled = 0; status == MEGURI_OK && s->heap.count > 0 && !mg_path_time_over(s->question);) {
        mg_path_entry top = mg_path_queue_pop(&s->heap);
        const mg_path_label *label = &s->labels[top.item];
        if (label->before != UINT32_MAX && label->hops >= s->least_hops[label->local]) continue;
        if (s->met.vertices[label->local] == s->question->to) {
            *end = (mg_path_end){.cost = label->cost, .label = top.item};
            return MEGURI_OK;
        }
        if (++settled > effort && top.cost > other) {
            *end = (mg_path_end){.cost = top.cost, .given_up = true};
            return MEGURI_OK;
        }
        status = settle(s, b, top.item);
    }
    return status;
}

/* ---- making and freeing ----------------------------------------------------------------------------------------- */

meguri_status mg_path_spur_new(mg_path_spur *s, mg_path_question *question) {
    const meguri_path_query *query = question->query;
    *s = (mg_path_spur){.question = question, .limited = query->max_hops > 0, .most_cost = INFINITY};
    if (query->has_max_cost) s->most_cost = mg_path_rounded_up(question->finder, query->max_cost);
    /* Where the two are in different components, the search from both ends sees that at the smaller side. */
    uint64_t most = question->finder->graph->vertices - 1;
    if (s->limited) most = MG_MIN(most, query->max_hops);
    meguri_status status = mg_path_reach_new(&s->reach, question, (uint32_t)most, !s->limited);
    s->apart = status == MEGURI_OK && !mg_path_reached(&s->reach, 0);
    if (status != MEGURI_OK || question->over || s->apart) return status;
    status = get_near(s);
    if (status == MEGURI_OK) status = search_rest(s);
    if (status == MEGURI_OK && !question->over) status = grow_met(s);
    return status;
}

void mg_path_spur_free(mg_path_spur *s) {
    mg_path_reach_free(&s->reach);
    mg_path_map_free(&s->met);
    mg_free(s->cost);
    mg_free(s->least_hops);
    mg_free(s->labels);
    mg_free(s->heap.entries);
    *s = (mg_path_spur){0};
}
