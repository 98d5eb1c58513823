/* Makes the index of path_index.h: takes vertices out one by one.
 *
 * Which vertex comes next: the one that adds the fewest shortcuts for the edges it removes, and lies lowest. Its price
 * is computed again when it comes up, and when a neighbour is taken out. Whether a shortcut is needed is found by a
 * small search for another way (a witness); if that ends early a shortcut is made that is not needed, which costs time
 * and changes no answer. Costs are integers or non-negative doubles, both ordered as their bits are. */
#include "algo/path/path_index.h"

#define NAME(name) contract_##name
#define NUMBER     uint64_t
#define PART       whole
#include "algo/path/path_heap.h"
#undef NAME
#undef NUMBER
#undef PART

#define WITNESS_PRICE 40  /* vertices that a search for a witness settles, when a price is computed */
#define WITNESS_REAL  200 /* and when the vertex is taken out */
#define MOST_PAIRS    900 /* of edges in and out of a vertex that is taken out */
#define TOO_DEAR      UINT64_MAX

/* The edges of a vertex that are still there, in the pool. */
typedef struct list {
    uint64_t begin;
    uint32_t count, room;
} list;

typedef struct contraction {
    meguri_ctx *ctx;
    const meguri_path_finder *finder;
    bool real, free_edges;
    uint64_t vertices;
    uint64_t done;  /* for progress */
    list *lists[2]; /* that leave, that arrive */
    mg_path_up *pool;
    uint64_t pool_count, pool_room;
    uint32_t *level;    /* how many vertices lie below at most, one above the other */
    uint32_t *rank;     /* place in which it was taken out; MG_NO_VERTEX: it is still there */
    uint64_t *price;    /* as it stands in the queue */
    mg_path_heap queue; /* of vertices by price */
    /* Witnesses. */
    mg_path_label *labels;
    uint32_t mark;
    mg_path_heap heap;
    uint32_t *around; /* neighbours of the vertex taken out last */
    uint64_t around_room;
} contraction;

/* ---- edges that are still there --------------------------------------------------------------------------------- */

static bool pool_space(contraction *c, uint64_t need) {
    if (c->pool_count + need <= c->pool_room) return true;
    uint64_t room = c->pool_count + need + c->pool_room / 2 + 1024;
    mg_path_up *pool = mg_resize(c->ctx, c->pool, room * sizeof *pool, "an index of paths");
    if (!pool) return false;
    c->pool = pool;
    c->pool_room = room;
    return true;
}

/* Adds an edge to a list, or makes the one that is there cheaper. */
static bool put(contraction *c, int side, uint32_t at, mg_path_up edge) {
    list *l = &c->lists[side][at];
    for (uint32_t i = 0; i < l->count; i++) {
        mg_path_up *e = &c->pool[l->begin + i];
        if (e->to != edge.to) continue;
        if (edge.cost.whole < e->cost.whole) *e = edge;
        return true;
    }
    if (l->count == l->room) {
        uint32_t room = 2 * l->room + 4;
        if (!pool_space(c, room)) return false;
        memcpy(c->pool + c->pool_count, c->pool + l->begin, l->count * sizeof *c->pool);
        l->begin = c->pool_count;
        l->room = room;
        c->pool_count += room;
    }
    c->pool[l->begin + l->count++] = edge;
    return true;
}

static void take_away(contraction *c, int side, uint32_t at, uint32_t to) {
    list *l = &c->lists[side][at];
    for (uint32_t i = 0; i < l->count; i++)
        if (c->pool[l->begin + i].to == to) {
            c->pool[l->begin + i] = c->pool[l->begin + --l->count];
            return;
        }
}

/* The graph as it is: of parallel edges the cheapest, which comes first; no loops. */
static meguri_status fill(contraction *c) {
    const mg_rows *sides[2] = {&c->finder->forward, &c->finder->backward};
    meguri_weight_type type = c->finder->graph->weight_type;
    for (int side = 0; side < 2; side++)
        for (uint32_t v = 0; v < c->vertices; v++) {
            const mg_rows *rows = sides[side];
            uint64_t arc = mg_row_begin(rows, v), end = mg_row_end(rows, v);
            if (v % 4096 == 0 && mg_progress(c->ctx, "index", v, c->vertices)) return mg_fail_cancelled(c->ctx);
            if (!pool_space(c, end - arc)) return MEGURI_NO_MEMORY;
            list *l = &c->lists[side][v];
            *l = (list){.begin = c->pool_count, .room = (uint32_t)(end - arc)};
            for (uint32_t before = MG_NO_VERTEX; arc < end; arc++) {
                uint32_t to = rows->neighbors[arc];
                if (to == v || to == before) continue;
                double weight = mg_weight_at(rows->weights, type, arc);
                mg_path_up *e = &c->pool[l->begin + l->count++];
                *e = (mg_path_up){.to = before = to, .middle = MG_NO_VERTEX};
                if (c->real) e->cost.real = weight;
                else e->cost.whole = (uint64_t)weight;
                c->free_edges |= weight == 0;
            }
            c->pool_count += l->room;
        }
    return MEGURI_OK;
}

/* ---- witnesses -------------------------------------------------------------------------------------------------- */

/* Labels of earlier searches become worthless. */
static void new_mark(contraction *c) {
    if (++c->mark) return;
    memset(c->labels, 0, c->vertices * sizeof *c->labels);
    c->mark = 1;
}

/* Costs from `from` without going through `without`, up to `most`, and of `limit` vertices at most. */
static bool search_around(contraction *c, uint32_t from, uint32_t without, mg_path_number most, int limit) {
    mg_path_heap *heap = &c->heap;
    heap->count = 0;
    new_mark(c);
    c->labels[from] = (mg_path_label){.mark = c->mark, .parent = 0};
    contract_push(heap, 0, from);
    while (heap->count && limit-- > 0) {
        mg_path_waiting first = heap->items[0];
        if (first.key.whole > most.whole) break;
        contract_drop_first(heap);
        if (first.key.whole > c->labels[first.vertex].distance.whole) continue;
        const list *l = &c->lists[0][first.vertex];
        if (heap->room - heap->count < l->count && !mg_path_heap_grow(c->ctx, heap, heap->count + l->count))
            return false;
        for (uint32_t i = 0; i < l->count; i++) {
            const mg_path_up *e = &c->pool[l->begin + i];
            mg_path_label *to = &c->labels[e->to];
            if (e->to == without) continue;
            mg_path_number cost = mg_path_sum(c->real, first.key, e->cost);
            if (cost.whole > most.whole || (to->mark == c->mark && to->distance.whole <= cost.whole)) continue;
            *to = (mg_path_label){.distance = cost, .mark = c->mark};
            contract_push(heap, cost.whole, e->to);
        }
    }
    return true;
}

/* Counts the shortcuts that taking v out needs, and makes them where asked to. */
static bool shortcuts(contraction *c, uint32_t v, bool make, uint32_t *count) {
    *count = 0;
    for (uint32_t i = 0; i < c->lists[1][v].count; i++) {
        if (mg_progress(c->ctx, "index", c->done, 2 * c->vertices)) return false;
        mg_path_up in = c->pool[c->lists[1][v].begin + i];
        mg_path_number most = {.whole = 0};
        uint32_t others = 0;
        for (uint32_t j = 0; j < c->lists[0][v].count; j++) {
            const mg_path_up *out = &c->pool[c->lists[0][v].begin + j];
            if (out->to == in.to) continue;
            mg_path_number cost = mg_path_sum(c->real, in.cost, out->cost);
            if (cost.whole > most.whole) most = cost;
            others++;
        }
        if (!others) continue;
        if (!search_around(c, in.to, v, most, make ? WITNESS_REAL : WITNESS_PRICE)) return false;
        for (uint32_t j = 0; j < c->lists[0][v].count; j++) {
            mg_path_up out = c->pool[c->lists[0][v].begin + j];
            if (out.to == in.to) continue;
            mg_path_number cost = mg_path_sum(c->real, in.cost, out.cost);
            const mg_path_label *other = &c->labels[out.to];
            if (other->mark == c->mark && other->distance.whole <= cost.whole) continue;
            ++*count;
            if (!make) continue;
            if (!put(c, 0, in.to, (mg_path_up){cost, out.to, v}) || !put(c, 1, out.to, (mg_path_up){cost, in.to, v}))
                return false;
        }
    }
    return true;
}

/* ---- the order -------------------------------------------------------------------------------------------------- */

static bool compute_price(contraction *c, uint32_t v, uint64_t *price) {
    uint32_t added, removed = c->lists[0][v].count + c->lists[1][v].count;
    *price = TOO_DEAR;
    if ((uint64_t)c->lists[0][v].count * c->lists[1][v].count > MOST_PAIRS) return true;
    if (!shortcuts(c, v, false, &added)) return false;
    *price = ((uint64_t)1 << 40) + 4 * (uint64_t)added + c->level[v] - 2 * (uint64_t)removed;
    return true;
}

static bool enqueue(contraction *c, uint32_t v) {
    if (!compute_price(c, v, &c->price[v])) return false;
    if (c->queue.count == c->queue.room && !mg_path_heap_grow(c->ctx, &c->queue, c->queue.count + 1)) return false;
    contract_push(&c->queue, c->price[v], v);
    return true;
}

/* Takes v out of its neighbours' lists; its own lists stay as they are: its edges upwards. */
static bool take_out(contraction *c, uint32_t v, uint32_t rank) {
    uint32_t made;
    if (!shortcuts(c, v, true, &made)) return false;
    c->rank[v] = rank;
    uint64_t count = 0, most = (uint64_t)c->lists[0][v].count + c->lists[1][v].count;
    if (most > c->around_room) {
        uint32_t *around = mg_resize(c->ctx, c->around, 2 * most * sizeof *around, "an index of paths");
        if (!around) return false;
        c->around = around;
        c->around_room = 2 * most;
    }
    new_mark(c);
    for (int side = 0; side < 2; side++)
        for (uint32_t i = 0; i < c->lists[side][v].count; i++) {
            uint32_t u = c->pool[c->lists[side][v].begin + i].to;
            take_away(c, !side, u, v);
            if (c->level[u] <= c->level[v]) c->level[u] = c->level[v] + 1;
            if (c->labels[u].mark == c->mark) continue;
            c->labels[u].mark = c->mark;
            c->around[count++] = u;
        }
    for (uint64_t i = 0; i < count; i++)
        if (!enqueue(c, c->around[i])) return false;
    return true;
}

static meguri_status why(const contraction *c) {
    return mg_cancelled(c->ctx) ? mg_fail_cancelled(c->ctx) : MEGURI_NO_MEMORY;
}

static meguri_status take_all_out(contraction *c) {
    for (uint32_t v = 0; v < c->vertices; v++, c->done++)
        if (!enqueue(c, v)) return why(c);
    uint32_t rank = 0;
    while (c->queue.count) {
        mg_path_waiting first = c->queue.items[0];
        contract_drop_first(&c->queue);
        uint32_t v = first.vertex;
        if (c->rank[v] != MG_NO_VERTEX || first.key.whole != c->price[v]) continue; /* out of date */
        if (first.key.whole == TOO_DEAR) break;
        if (!take_out(c, v, rank++)) return why(c);
        c->done++;
    }
    for (uint32_t v = 0; v < c->vertices; v++)
        if (c->rank[v] == MG_NO_VERTEX) c->rank[v] = rank++; /* the core */
    return MEGURI_OK;
}

/* ---- the index -------------------------------------------------------------------------------------------------- */

void mg_path_index_free(mg_path_index *x) {
    if (!x) return;
    for (int side = 0; side < 2; side++) {
        mg_free(x->offsets[side]);
        mg_free(x->up[side]);
    }
    mg_free(x->height);
    mg_free(x->vertex);
    mg_free(x);
}

static int place_side(mg_path_index *x, const contraction *c, int side) {
    uint64_t count = 0;
    for (uint64_t h = 0; h < x->vertices; h++) count += c->lists[side][x->vertex[h]].count;
    x->offsets[side] = mg_alloc_array(c->ctx, x->vertices + 1, sizeof *x->offsets[side], "an index of paths");
    x->up[side] = x->offsets[side] ? mg_alloc_array(c->ctx, count, sizeof *x->up[side], "an index of paths") : NULL;
    if (!x->up[side]) return 0;
    count = 0;
    for (uint64_t h = 0; h < x->vertices; h++) {
        const list *l = &c->lists[side][x->vertex[h]];
        x->offsets[side][h] = count;
        for (uint32_t i = 0; i < l->count; i++) {
            mg_path_up e = c->pool[l->begin + i];
            e.to = x->height[e.to];
            if (e.middle != MG_NO_VERTEX) e.middle = x->height[e.middle];
            x->up[side][count++] = e;
        }
    }
    x->offsets[side][x->vertices] = count;
    return 1;
}

static meguri_status arrange(mg_path_index **out, const contraction *c) {
    mg_path_index *x = mg_alloc_zero(c->ctx, sizeof *x, "an index of paths");
    if (!x) return MEGURI_NO_MEMORY;
    x->vertices = c->vertices;
    x->free_edges = c->free_edges;
    x->height = mg_alloc_array(c->ctx, c->vertices, sizeof *x->height, "an index of paths");
    x->vertex = x->height ? mg_alloc_array(c->ctx, c->vertices, sizeof *x->vertex, "an index of paths") : NULL;
    for (uint32_t v = 0; v < c->vertices && x->vertex; v++) {
        x->height[v] = (uint32_t)c->vertices - 1 - c->rank[v];
        x->vertex[x->height[v]] = v;
    }
    if (x->vertex && place_side(x, c, 0) && place_side(x, c, 1)) {
        *out = x;
        return MEGURI_OK;
    }
    mg_path_index_free(x);
    return MEGURI_NO_MEMORY;
}

meguri_status mg_path_contract(mg_path_index **out, meguri_ctx *ctx, const meguri_path_finder *f) {
    uint64_t n = f->graph->vertices;
    double since = mg_now();
    contraction c = {.ctx = ctx, .finder = f, .real = f->real, .vertices = n};
    meguri_status status = MEGURI_NO_MEMORY;
    c.lists[0] = mg_alloc_array_zero(ctx, n, sizeof(list), "an index of paths");
    c.lists[1] = c.lists[0] ? mg_alloc_array_zero(ctx, n, sizeof(list), "an index of paths") : NULL;
    c.level = c.lists[1] ? mg_alloc_array_zero(ctx, n, sizeof *c.level, "an index of paths") : NULL;
    c.rank = c.level ? mg_alloc_array(ctx, n, sizeof *c.rank, "an index of paths") : NULL;
    c.price = c.rank ? mg_alloc_array(ctx, n, sizeof *c.price, "an index of paths") : NULL;
    c.labels = c.price ? mg_alloc_array_zero(ctx, n, sizeof *c.labels, "an index of paths") : NULL;
    if (!c.labels || !mg_path_heap_grow(ctx, &c.heap, 0) || !mg_path_heap_grow(ctx, &c.queue, n)) goto cleanup;
    memset(c.rank, 0xff, n * sizeof *c.rank);
    status = fill(&c);
    if (status == MEGURI_OK) status = take_all_out(&c);
    if (status == MEGURI_OK) status = arrange(out, &c);
    mg_trace_phase(ctx, "path", "index", (int64_t)f->forward.arcs, -1, since);
cleanup:
    mg_free(c.lists[0]);
    mg_free(c.lists[1]);
    mg_free(c.level);
    mg_free(c.rank);
    mg_free(c.price);
    mg_free(c.labels);
    mg_free(c.heap.items);
    mg_free(c.queue.items);
    mg_free(c.around);
    mg_free(c.pool);
    return status;
}
