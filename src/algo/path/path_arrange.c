/* The arrays of an index from the links that vertices had when they were taken out.
 *
 * The last one taken out is the highest, height 0; those that never were lie above. Rows keep the order of
 * the links, so where the halves of a shortcut lie is found in the links of its middle. */
#include "algo/path/path_contract.h"

#define GRAIN 1024

typedef struct arrangement {
    const mg_path_contraction *c;
    uint32_t *heights, *rows, *vertex;
    mg_index_edge32 *narrow;
    mg_index_edge64 *wide;
    uint64_t *halves;
    uint64_t edges, shortcuts;
    bool fits; /* costs fit in 32 bits */
} arrangement;

static const char INDEX[] = "an index of paths";

static void number_vertices(arrangement *a) {
    uint64_t n = a->c->vertices, uncontracted = 0;
    for (uint32_t v = 0; v < n; v++) {
        uint32_t rank = a->c->rank[v];
        a->heights[v] = (uint32_t)(rank == MG_NO_VERTEX ? uncontracted++ : n - 1 - rank);
        a->vertex[a->heights[v]] = v;
    }
}

static meguri_status count_edges(arrangement *a) {
    const mg_path_contraction *c = a->c;
    uint64_t count = 0, most = 0;
    for (uint64_t h = 0; h < c->vertices; h++) {
        const mg_path_links *l = &c->lists[a->vertex[h]];
        a->rows[h] = (uint32_t)count;
        count += l->count;
        if (count > MG_INDEX_MOST)
            return mg_fail(c->ctx, MEGURI_BAD_INPUT,
                           "the graph is too large for an index of paths: it would have more than 2^31 edges.");
        for (uint32_t i = 0; i < l->count; i++)
            for (int side = 0; side < 2; side++) {
                uint64_t cost = c->pool[l->begin + i].cost[side].whole;
                if (cost < c->absent.whole) most = MG_MAX(most, cost);
            }
    }
    a->rows[c->vertices] = (uint32_t)count;
    a->edges = count;
    a->fits = !c->ground->real && most < MG_INDEX_ABSENT32;
    return MEGURI_OK;
}

/* Where the edge between a vertex that was taken out and a neighbour of then lies. */
static uint64_t place_of(const arrangement *a, uint32_t owner, uint32_t to) {
    const mg_path_links *l = &a->c->lists[owner];
    const mg_path_link *links = a->c->pool + l->begin;
    uint32_t low = 0, high = l->count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (links[middle].to <= to) low = middle;
        else high = middle;
    }
    return a->rows[a->heights[owner]] + low;
}

/* What stands behind the way from one vertex to another. */
static uint64_t half_of(const arrangement *a, uint32_t from, uint32_t to, uint32_t middle) {
    const mg_rows *out = &a->c->ground->out;
    if (middle == MG_NO_VERTEX)
        return MG_INDEX_ARC | mg_row_find(out, mg_row_begin(out, from), mg_row_end(out, from), to);
    return place_of(a, middle, from) << 32 | place_of(a, middle, to);
}

static void put_edge(arrangement *a, uint64_t at, const mg_path_link *link) {
    uint32_t to = a->heights[link->to];
    uint64_t absent = a->c->absent.whole;
    if (a->wide) {
        a->wide[at] = (mg_index_edge64){.to = to, .cost = {link->cost[0].whole, link->cost[1].whole}};
        return;
    }
    a->narrow[at].to = to;
    for (int side = 0; side < 2; side++) {
        uint64_t cost = link->cost[side].whole;
        a->narrow[at].cost[side] = cost < absent ? (uint32_t)cost : MG_INDEX_ABSENT32;
    }
}

static uint64_t fill_row(arrangement *a, uint64_t h) {
    const mg_path_contraction *c = a->c;
    uint32_t v = a->vertex[h];
    const mg_path_links *l = &c->lists[v];
    uint64_t shortcuts = 0;
    for (uint32_t i = 0; i < l->count; i++) {
        const mg_path_link *link = &c->pool[l->begin + i];
        uint64_t at = a->rows[h] + i;
        put_edge(a, at, link);
        for (int side = 0; side < 2; side++) {
            uint64_t *half = &a->halves[2 * at + (unsigned)side];
            *half = MG_INDEX_ARC; /* where there is no way in this direction */
            if (link->cost[side].whole >= c->absent.whole) continue;
            *half = side ? half_of(a, link->to, v, link->middle[1]) : half_of(a, v, link->to, link->middle[0]);
            shortcuts += link->middle[side] != MG_NO_VERTEX;
        }
    }
    return shortcuts;
}

static void fill_rows(void *what, mg_worker *worker) {
    arrangement *a = what;
    uint64_t shortcuts = 0;
    for (mg_range rows; mg_take(worker, &rows);)
        for (uint64_t h = rows.begin; h < rows.end; h++) shortcuts += fill_row(a, h);
    mg_fetch_add(&a->shortcuts, shortcuts);
}

static meguri_status fill(arrangement *a) {
    const mg_path_contraction *c = a->c;
    if (a->fits) a->narrow = mg_alloc_array(c->ctx, a->edges, sizeof *a->narrow, INDEX);
    else a->wide = mg_alloc_array(c->ctx, a->edges, sizeof *a->wide, INDEX);
    a->halves = a->narrow || a->wide ? mg_alloc_array(c->ctx, 2 * a->edges, sizeof *a->halves, INDEX) : NULL;
    if (!a->halves) return MEGURI_NO_MEMORY;
    mg_loop loop = {.ctx = c->ctx,
                    .threads = c->threads,
                    .items = c->vertices,
                    .chunk = GRAIN,
                    .work = fill_rows,
                    .what = a,
                    .phase = "index",
                    .done = c->vertices,
                    .total = c->vertices,
                    .steady = true};
    return mg_loop_run(&loop);
}

meguri_status mg_path_arrange(mg_index *out, const mg_path_contraction *c, uint64_t taken) {
    uint64_t n = c->vertices;
    arrangement a = {.c = c};
    meguri_status status = MEGURI_NO_MEMORY;
    a.heights = mg_alloc_array(c->ctx, n, sizeof *a.heights, INDEX);
    a.vertex = a.heights ? mg_alloc_array(c->ctx, n, sizeof *a.vertex, INDEX) : NULL;
    a.rows = a.vertex ? mg_alloc_array(c->ctx, n + 1, sizeof *a.rows, INDEX) : NULL;
    if (a.rows) {
        number_vertices(&a);
        status = count_edges(&a);
    }
    if (status == MEGURI_OK) status = fill(&a);
    mg_free(a.vertex);
    mg_index index = {
        .vertices = n,
        .facts = {.edges = a.edges, .shortcuts = a.shortcuts, .uncontracted = n - taken, .free_arcs = c->free_arcs},
        .heights = a.heights,
        .rows = a.rows,
        .narrow = a.narrow,
        .wide = a.wide,
        .halves = a.halves};
    if (status == MEGURI_OK) *out = index;
    else mg_index_free(&index);
    return status;
}
