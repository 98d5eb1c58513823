/* From the vertices that a search from both ends has found to a small graph of their own: rows of exactly those arcs
 * that a path of the question can use, as far as hops can tell. An enumeration then steps through a few arrays and
 * never sees an arc that leads nowhere. For paths with the fewest edges this is the graph of all of them, without a
 * dead end. */
#include "algo/path/path_world.h"

#include "algo/path/path_queue.h"
#include "algo/path/path_reach.h"

#include <math.h>

typedef struct making {
    mg_path_world *world;
    mg_path_question *question;
    mg_path_kind kind;
    mg_path_reach reach;
    uint32_t *place; /* the number of a vertex of `reach` in the world; MG_NO_VERTEX: it is not there */
    uint64_t arc_count, arc_room;
    uint32_t *keys, *key_scratch; /* of one row: positions of neighbours */
    uint64_t *arc_scratch;
    uint64_t row_room;
} making;

/* ---- limits ----------------------------------------------------------------------------------------------------- */

/* How many hops a path can have at most: what was said, what the cost allows, and what the graph has. */
static uint32_t most_hops(const mg_path_question *question, mg_path_kind kind) {
    const meguri_path_finder *finder = question->finder;
    const meguri_path_query *query = question->query;
    uint64_t most = query->max_hops ? query->max_hops : UINT64_MAX;
    if (kind != MG_PATH_TRAILS) most = MG_MIN(most, finder->graph->vertices - 1);
    double lightest = finder->weighted ? finder->lightest : 1;
    if (query->has_max_cost && lightest > 0) {
        double hops = mg_path_rounded_up(finder, query->max_cost) / lightest;
        /* One more where a quotient may have been rounded; the cost itself is looked at later. */
        if (finder->weighted) hops += 1;
        if (hops < (double)UINT32_MAX) most = MG_MIN(most, hops < 0 ? 0 : (uint64_t)hops);
    }
    return (uint32_t)MG_MIN(most, UINT32_MAX - 2);
}

/* ---- rows ------------------------------------------------------------------------------------------------------- */

static bool is_useful(const making *m, uint32_t tail, uint32_t head) {
    const mg_path_reach *r = &m->reach;
    if (head == MG_NO_VERTEX || m->place[head] == MG_NO_VERTEX) return false;
    if ((uint64_t)r->hops[0][tail] + 1 + r->hops[1][head] > r->most) return false;
    uint32_t vertex = r->map.vertices[head];
    return m->kind == MG_PATH_TRAILS ||
           (head != tail && vertex != m->question->from && r->map.vertices[tail] != m->question->to);
}

static meguri_status make_arc_room(making *m, uint64_t more) {
    mg_path_world *w = m->world;
    meguri_ctx *ctx = m->question->ctx;
    if (!w->arcs || m->arc_count + more > m->arc_room) {
        uint64_t room = 2 * (m->arc_count + more) + 64;
        uint64_t *arcs = mg_resize(ctx, w->arcs, room * sizeof *arcs, "arcs of a path question");
        if (!arcs) return MEGURI_NO_MEMORY;
        w->arcs = arcs;
        m->arc_room = room;
    }
    if (more <= m->row_room || !m->question->finder->numbering.to_user) return MEGURI_OK;
    mg_free(m->keys);
    mg_free(m->key_scratch);
    mg_free(m->arc_scratch);
    m->row_room = 2 * more;
    m->keys = mg_alloc_array(ctx, m->row_room, sizeof *m->keys, "arcs of a path question");
    m->key_scratch = mg_alloc_array(ctx, m->row_room, sizeof *m->keys, "arcs of a path question");
    m->arc_scratch = mg_alloc_array(ctx, m->row_room, sizeof *m->arc_scratch, "arcs of a path question");
    return m->keys && m->key_scratch && m->arc_scratch ? MEGURI_OK : MEGURI_NO_MEMORY;
}

/* The user's order of neighbours; the sort is stable, so parallel arcs stay as they were. */
static void sort_row(making *m, uint64_t *arcs, uint64_t count) {
    enum { SMALL = 48 };
    const meguri_path_finder *finder = m->question->finder;
    if (!finder->numbering.to_user) return;
    for (uint64_t i = 0; i < count; i++)
        m->keys[i] = mg_to_user(&finder->numbering, finder->forward.neighbors[arcs[i]]);
    if (count > SMALL) {
        mg_sort_small_u32(m->keys, m->key_scratch, arcs, m->arc_scratch, sizeof *arcs, count, 32);
        return;
    }
    for (uint64_t i = 1; i < count; i++) {
        uint32_t key = m->keys[i];
        uint64_t arc = arcs[i], j = i;
        for (; j > 0 && m->keys[j - 1] > key; j--) m->keys[j] = m->keys[j - 1], arcs[j] = arcs[j - 1];
        m->keys[j] = key;
        arcs[j] = arc;
    }
}

static meguri_status make_row(making *m, uint32_t local) {
    const mg_rows *rows = &m->question->finder->forward;
    const mg_path_reach *r = &m->reach;
    uint32_t vertex = r->map.vertices[local];
    uint64_t begin = mg_row_begin(rows, vertex), end = mg_row_end(rows, vertex), first = m->arc_count;
    meguri_status status = make_arc_room(m, end - begin);
    if (status != MEGURI_OK) return status;
    for (uint64_t arc = begin; arc < end; arc++) {
        if (mg_path_time_over(m->question)) return MEGURI_OK;
        if (is_useful(m, local, mg_path_map_find(&r->map, rows->neighbors[arc]))) m->world->arcs[m->arc_count++] = arc;
    }
    m->question->answer->edges += end - begin;
    m->question->steps += m->arc_count - first;
    sort_row(m, m->world->arcs + first, m->arc_count - first);
    return MEGURI_OK;
}

static meguri_status make_rows(making *m) {
    mg_path_world *w = m->world;
    meguri_ctx *ctx = m->question->ctx;
    const mg_rows *rows = &m->question->finder->forward;
    w->rows = mg_alloc_array(ctx, (uint64_t)w->count + 1, sizeof *w->rows, "arcs of a path question");
    if (!w->rows) return MEGURI_NO_MEMORY;
    for (uint32_t local = 0; local < m->reach.map.count; local++) {
        if (m->place[local] == MG_NO_VERTEX) continue;
        w->rows[m->place[local]] = m->arc_count;
        meguri_status status = make_row(m, local);
        if (status != MEGURI_OK || m->question->over) return status;
    }
    w->rows[w->count] = m->arc_count;
    w->heads = mg_alloc_array(ctx, m->arc_count, sizeof *w->heads, "arcs of a path question");
    if (!w->heads) return MEGURI_NO_MEMORY;
    for (uint64_t i = 0; i < m->arc_count && !mg_path_time_over(m->question); i++)
        w->heads[i] = m->place[mg_path_map_find(&m->reach.map, rows->neighbors[w->arcs[i]])];
    return MEGURI_OK;
}

/* Numbers from 0 on for the vertices that count. */
static meguri_status make_vertices(making *m) {
    mg_path_world *w = m->world;
    meguri_ctx *ctx = m->question->ctx;
    uint32_t met = m->reach.map.count;
    m->place = mg_alloc_array(ctx, met, sizeof *m->place, "vertices of a path question");
    if (!m->place) return MEGURI_NO_MEMORY;
    uint32_t count = 0;
    for (uint32_t local = 0; local < met && !mg_path_time_over(m->question); local++)
        m->place[local] = mg_path_reached(&m->reach, local) ? count++ : MG_NO_VERTEX;
    w->vertices = mg_alloc_array(ctx, count, sizeof *w->vertices, "vertices of a path question");
    w->hops = mg_alloc_array(ctx, count, sizeof *w->hops, "vertices of a path question");
    if (!w->vertices || !w->hops) return MEGURI_NO_MEMORY;
    if (m->question->over) return MEGURI_OK;
    for (uint32_t local = 0; local < met && !mg_path_time_over(m->question); local++) {
        if (m->place[local] == MG_NO_VERTEX) continue;
        w->vertices[m->place[local]] = m->reach.map.vertices[local];
        w->hops[m->place[local]] = m->reach.hops[1][local];
    }
    w->count = count;
    w->most = m->reach.most;
    if (count == 0 || m->question->over) return MEGURI_OK;
    w->from = m->place[mg_path_map_find(&m->reach.map, m->question->from)];
    w->to = m->place[mg_path_map_find(&m->reach.map, m->question->to)];
    /* Where both ends reach some vertex, they reach each other. */
    return w->from == MG_NO_VERTEX || w->to == MG_NO_VERTEX ? mg_path_one_way(m->question) : MEGURI_OK;
}

/* ---- rows backwards, edges, costs ------------------------------------------------------------------------------- */

static meguri_status make_in_rows(making *m, bool with_arcs) {
    mg_path_world *w = m->world;
    meguri_ctx *ctx = m->question->ctx;
    uint64_t arcs = m->arc_count;
    w->in_rows = mg_alloc_array_zero(ctx, (uint64_t)w->count + 2, sizeof *w->in_rows, "arcs of a path question");
    w->tails = mg_alloc_array(ctx, arcs, sizeof *w->tails, "arcs of a path question");
    if (with_arcs) w->in_arcs = mg_alloc_array(ctx, arcs, sizeof *w->in_arcs, "arcs of a path question");
    if (!w->in_rows || !w->tails || (with_arcs && !w->in_arcs)) return MEGURI_NO_MEMORY;
    /* Counted two places further on, so that filling a row moves its end to where it belongs. */
    for (uint64_t i = 0; i < arcs && !mg_path_time_over(m->question); i++) w->in_rows[w->heads[i] + 2]++;
    for (uint64_t v = 2; v <= w->count; v++) w->in_rows[v] += w->in_rows[v - 1];
    for (uint32_t v = 0; v < w->count; v++)
        for (uint64_t i = w->rows[v]; i < w->rows[v + 1] && !mg_path_time_over(m->question); i++) {
            uint64_t place = w->in_rows[w->heads[i] + 1]++;
            w->tails[place] = v;
            if (with_arcs) w->in_arcs[place] = i;
        }
    return MEGURI_OK;
}

static meguri_status make_edges(making *m) {
    mg_path_world *w = m->world;
    const meguri_path_finder *finder = m->question->finder;
    mg_edge_numbers numbers;
    meguri_status status = mg_graph_edge_numbers(&numbers, m->question->ctx, finder->graph);
    if (status != MEGURI_OK) return status;
    w->edges = mg_alloc_array(m->question->ctx, m->arc_count, sizeof *w->edges, "edges of a path question");
    if (!w->edges) return MEGURI_NO_MEMORY;
    for (uint32_t v = 0; v < w->count; v++)
        for (uint64_t i = w->rows[v]; i < w->rows[v + 1] && !mg_path_time_over(m->question); i++)
            w->edges[i] = mg_path_edge(finder, &numbers, w->vertices[v], w->arcs[i]);
    return MEGURI_OK;
}

/* The cheapest path from each vertex to `to` inside the world: no path costs less. */
static meguri_status search_costs(making *m) {
    mg_path_world *w = m->world;
    meguri_ctx *ctx = m->question->ctx;
    mg_path_queue heap = {0};
    w->rest[w->to] = 0;
    meguri_status status = mg_path_queue_push(&heap, ctx, (mg_path_entry){.item = w->to});
    while (status == MEGURI_OK && heap.count > 0 && !mg_path_time_over(m->question)) {
        mg_path_entry top = mg_path_queue_pop(&heap);
        if (top.cost > w->rest[top.item]) continue;
        m->question->answer->settled++;
        m->question->steps += w->in_rows[top.item + 1] - w->in_rows[top.item];
        for (uint64_t i = w->in_rows[top.item]; i < w->in_rows[top.item + 1] && status == MEGURI_OK; i++) {
            uint32_t tail = w->tails[i];
            double cost = top.cost + w->weights[w->in_arcs[i]];
            if (cost >= w->rest[tail]) continue;
            w->rest[tail] = cost;
            status = mg_path_queue_push(&heap, ctx, (mg_path_entry){.cost = cost, .item = tail});
        }
    }
    mg_free(heap.entries);
    return status;
}

static meguri_status make_costs(making *m) {
    mg_path_world *w = m->world;
    const meguri_path_finder *finder = m->question->finder;
    meguri_ctx *ctx = m->question->ctx;
    w->weights = mg_alloc_array(ctx, m->arc_count, sizeof *w->weights, "costs of a path question");
    w->rest = mg_alloc_array(ctx, w->count, sizeof *w->rest, "costs of a path question");
    if (!w->weights || !w->rest) return MEGURI_NO_MEMORY;
    for (uint64_t i = 0; i < m->arc_count && !mg_path_time_over(m->question); i++)
        w->weights[i] = mg_path_weight(finder, w->arcs[i]);
    for (uint32_t v = 0; v < w->count; v++) w->rest[v] = INFINITY;
    return search_costs(m);
}

/* ---- all of it -------------------------------------------------------------------------------------------------- */

meguri_status mg_path_world_new(mg_path_world *world, mg_path_question *question, mg_path_kind kind) {
    const meguri_path_query *query = question->query;
    bool costs = query->has_max_cost && question->finder->weighted;
    making m = {.world = world, .question = question, .kind = kind};
    *world = (mg_path_world){0};
    meguri_status status = mg_path_reach_new(&m.reach, question, most_hops(question, kind), kind == MG_PATH_FEWEST);
    if (status == MEGURI_OK && !question->over) status = make_vertices(&m);
    if (status == MEGURI_OK && !question->over && world->count > 0) status = make_rows(&m);
    if (status == MEGURI_OK && !question->over && world->count > 0) status = make_in_rows(&m, costs);
    if (status == MEGURI_OK && !question->over && world->count > 0 && kind == MG_PATH_TRAILS) status = make_edges(&m);
    if (status == MEGURI_OK && !question->over && world->count > 0 && costs) status = make_costs(&m);
    if (question->over) world->count = 0;
    mg_path_reach_free(&m.reach);
    mg_free(m.place);
    mg_free(m.keys);
    mg_free(m.key_scratch);
    mg_free(m.arc_scratch);
    return status;
}

void mg_path_world_free(mg_path_world *world) {
    mg_free(world->hops);
    mg_free(world->rest);
    mg_free(world->rows);
    mg_free(world->heads);
    mg_free(world->arcs);
    mg_free(world->edges);
    mg_free(world->weights);
    mg_free(world->vertices);
    mg_free(world->in_rows);
    mg_free(world->tails);
    mg_free(world->in_arcs);
    *world = (mg_path_world){0};
}
