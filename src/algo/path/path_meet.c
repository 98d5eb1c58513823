/* One path with the fewest edges: a breadth-first search from each end, of which the one with the fewer edges before it
 * goes on by a whole level, until one comes upon a vertex of the other. The first such vertex is as good as any: had it
 * been nearer to the other end, its neighbours would belong to that end already, and the two had met before. */
#include "algo/path/path.h"

#include <math.h>

typedef struct seen {
    uint32_t mark[2], parent[2];
} seen;

typedef struct meeting {
    seen *vertices;
    uint32_t mark;
    uint32_t *lists[2]; /* the vertices seen from each end, in order; the last level is what goes on */
    uint64_t room[2];
    uint64_t *arcs;
    uint64_t arc_room;
} meeting;

/* One of the two searches. */
typedef struct half {
    const mg_rows *rows;
    uint64_t first, count; /* of its list: the last level */
    uint64_t arcs;         /* that leave it */
    uint64_t depth;
} half;

static void free_meeting(void *data) {
    meeting *m = data;
    mg_free(m->vertices);
    mg_free(m->lists[0]);
    mg_free(m->lists[1]);
    mg_free(m->arcs);
}

static meguri_status begin(mg_path_question *q, meeting **out) {
    meeting *m = mg_path_slot_get(q, MG_PATH_MEET, sizeof *m, free_meeting);
    if (!m) return MEGURI_NO_MEMORY;
    uint64_t vertices = q->finder->graph->vertices;
    if (!m->vertices) m->vertices = mg_alloc_array_zero(q->ctx, vertices, sizeof *m->vertices, "vertices seen");
    if (!m->vertices) return MEGURI_NO_MEMORY;
    if (++m->mark == 0) {
        memset(m->vertices, 0, vertices * sizeof *m->vertices);
        m->mark = 1;
    }
    *out = m;
    return MEGURI_OK;
}

static bool list_room(meguri_ctx *ctx, meeting *m, int side, uint64_t room) {
    if (room <= m->room[side]) return true;
    room = MG_MAX(2 * room, 256u);
    uint32_t *list = mg_resize(ctx, m->lists[side], room * sizeof *list, "vertices seen");
    if (!list) return false;
    m->lists[side] = list;
    m->room[side] = room;
    return true;
}

static inline uint64_t degree(const mg_rows *rows, uint32_t v) { return mg_row_end(rows, v) - mg_row_begin(rows, v); }

/* One level further; *met is a vertex that both have seen, if there is one now. */
static meguri_status go_on(mg_path_question *q, meeting *m, half *h, int side, uint32_t *met) {
    uint64_t first = h->first, last = h->count, end = last, arcs = 0;
    for (uint64_t i = first; i < last && !mg_path_time_over(q); i++) {
        uint32_t u = m->lists[side][i];
        uint64_t row = mg_row_begin(h->rows, u), row_end = mg_row_end(h->rows, u);
        if (!list_room(q->ctx, m, side, end + (row_end - row))) return MEGURI_NO_MEMORY;
        q->answer->settled++;
        q->answer->edges += row_end - row;
        q->steps += row_end - row;
        for (; row < row_end; row++) {
            uint32_t v = h->rows->neighbors[row];
            seen *s = &m->vertices[v];
            if (s->mark[side] == m->mark) continue;
            s->mark[side] = m->mark;
            s->parent[side] = u;
            if (s->mark[!side] == m->mark) {
                *met = v;
                return MEGURI_OK;
            }
            m->lists[side][end++] = v;
            arcs += degree(h->rows, v);
        }
    }
    *h = (half){.rows = h->rows, .first = last, .count = end, .arcs = arcs, .depth = h->depth + 1};
    return MEGURI_OK;
}

static meguri_status give(mg_path_question *q, meeting *m, uint32_t met, uint64_t hops) {
    if (hops > m->arc_room) {
        uint64_t *arcs = mg_resize(q->ctx, m->arcs, 2 * hops * sizeof *arcs, "a path");
        if (!arcs) return MEGURI_NO_MEMORY;
        m->arcs = arcs;
        m->arc_room = 2 * hops;
    }
    uint64_t before = 0;
    for (uint32_t v = met; v != q->from && !mg_path_time_over(q); v = m->vertices[v].parent[0]) before++;
    uint64_t at = before;
    for (uint32_t v = met; v != q->from && !mg_path_time_over(q); v = m->vertices[v].parent[0])
        m->arcs[--at] = mg_path_arc(q->finder, m->vertices[v].parent[0], v);
    for (uint32_t v = met; v != q->to && !mg_path_time_over(q); v = m->vertices[v].parent[1])
        m->arcs[before++] = mg_path_arc(q->finder, v, m->vertices[v].parent[1]);
    return mg_path_give(q, m->arcs, before);
}

/* Edges that a path may have. A maximum cost comes here only where every edge costs 1. */
static uint64_t most_hops(const meguri_path_query *query) {
    uint64_t most = query->max_hops ? query->max_hops : UINT64_MAX;
    if (query->has_max_cost && query->max_cost < (double)MG_MAX_VERTICES)
        most = MG_MIN(most, (uint64_t)query->max_cost);
    return most;
}

meguri_status mg_path_meet(mg_path_question *q) {
    meeting *m;
    meguri_status status = begin(q, &m);
    if (status != MEGURI_OK) return status;
    if (q->from == q->to) return mg_path_give(q, m->arcs, 0);
    half halves[2] = {{.rows = &q->finder->forward}, {.rows = &q->finder->backward}};
    for (int side = 0; side < 2; side++) {
        uint32_t v = side ? q->to : q->from;
        if (!list_room(q->ctx, m, side, 1)) return MEGURI_NO_MEMORY;
        m->lists[side][0] = v;
        m->vertices[v].mark[side] = m->mark;
        halves[side].count = 1;
        halves[side].arcs = degree(halves[side].rows, v);
    }
    uint64_t most = most_hops(q->query);
    uint32_t met = MG_NO_VERTEX;
    while (met == MG_NO_VERTEX && !q->over) {
        if (halves[0].depth + halves[1].depth >= most) return MEGURI_OK;
        if (halves[0].first == halves[0].count || halves[1].first == halves[1].count) return MEGURI_OK;
        int side = halves[1].arcs < halves[0].arcs;
        status = go_on(q, m, &halves[side], side, &met);
        if (status != MEGURI_OK) return status;
    }
    uint64_t hops = halves[0].depth + halves[1].depth + 1;
    if (met == MG_NO_VERTEX) return MEGURI_OK;
    return q->query->costs_only ? mg_path_give_cost(q, (double)hops) : give(q, m, met, hops);
}
