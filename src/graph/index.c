/* The arrays of a path index as parts of a graph, and the rules that their numbers obey.
 *
 * What the rules are for: a reader that follows heights, rows, edges and halves never leaves an array, and comes to an
 * end. Halves lie further down than the edge they belong to, so there is no circle in them. That each edge stands for
 * what is there takes longer to see (mg_index_verify); that paths by it are the cheapest only a search for each would
 * show. */
#include "graph/graph.h"

#include <math.h>
#include <meguri/path.h>

_Static_assert(MG_PART_INDEX_HALVES + 1 - MG_PART_INDEX_FACTS == MG_INDEX_PARTS, "they are next to each other");

meguri_status mg_graph_index(mg_index *out, bool *there, meguri_ctx *ctx, const meguri_graph *graph) {
    const void *data[MG_INDEX_PARTS];
    *there = false;
    for (int i = 0; i < MG_INDEX_PARTS; i++) {
        meguri_status status = mg_graph_part(&data[i], ctx, graph, (mg_part)(MG_PART_INDEX_FACTS + i));
        if (status != MEGURI_OK) return status;
        if (!data[i]) return MEGURI_OK;
    }
    *out = (mg_index){.vertices = graph->vertices, .heights = data[1], .rows = data[2], .halves = data[4]};
    memcpy(&out->facts, data[0], sizeof out->facts);
    if (graph->part[MG_PART_INDEX_EDGES].bytes == out->facts.edges * sizeof(mg_index_edge32)) out->narrow = data[3];
    else out->wide = data[3];
    *there = true;
    return MEGURI_OK;
}

uint64_t mg_graph_index_bytes(const meguri_graph *graph) {
    uint64_t bytes = 0;
    for (int i = 0; i < MG_INDEX_PARTS; i++) bytes += graph->part[MG_PART_INDEX_FACTS + i].bytes;
    return bytes;
}

meguri_status mg_path_index_wrap(meguri_path_index **out, meguri_ctx *ctx, const meguri_graph *graph,
                                 const mg_index *made) {
    *out = mg_alloc_zero(ctx, sizeof **out, "an index of paths");
    if (!*out) {
        mg_index given = made ? *made : (mg_index){.vertices = 0};
        mg_index_free(&given);
        return MEGURI_NO_MEMORY;
    }
    **out = (meguri_path_index){.holders = 1, .graph = mg_graph_hold(graph), .stored = !made};
    if (made) (*out)->made = *made;
    return MEGURI_OK;
}

const meguri_path_index *mg_path_index_hold(const meguri_path_index *index) {
    mg_fetch_add(&((meguri_path_index *)index)->holders, 1);
    return index;
}

void mg_index_free(mg_index *x) {
    const void *arrays[] = {x->heights, x->rows, x->narrow, x->wide, x->halves};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) mg_free((void *)(uintptr_t)arrays[i]);
    *x = (mg_index){.vertices = 0};
}

void meguri_path_index_free(meguri_path_index *index) {
    if (!index || __atomic_sub_fetch(&index->holders, 1, __ATOMIC_ACQ_REL) > 0) return;
    mg_index_free(&index->made);
    mg_free(index->weight);
    mg_graph_let_go(index->graph);
    mg_free(index);
}

meguri_status mg_path_index_arrays(mg_index *out, meguri_ctx *ctx, const meguri_path_index *index) {
    bool there;
    if (index->stored) return mg_graph_index(out, &there, ctx, index->graph);
    *out = index->made;
    return MEGURI_OK;
}

void mg_path_index_parts(mg_part_data parts[MG_INDEX_PARTS], const meguri_path_index *index) {
    const mg_index *x = &index->made;
    if (index->stored) {
        memcpy(parts, &index->graph->part[MG_PART_INDEX_FACTS], MG_INDEX_PARTS * sizeof *parts);
        return;
    }
    uint64_t edge_bytes = x->narrow ? sizeof *x->narrow : sizeof *x->wide;
    parts[0] = (mg_part_data){.data = &x->facts, .bytes = sizeof x->facts};
    parts[1] = (mg_part_data){.data = x->heights, .bytes = x->vertices * 4};
    parts[2] = (mg_part_data){.data = x->rows, .bytes = (x->vertices + 1) * 4};
    parts[3] =
        (mg_part_data){.data = x->narrow ? (const void *)x->narrow : x->wide, .bytes = x->facts.edges * edge_bytes};
    parts[4] = (mg_part_data){.data = x->halves, .bytes = x->facts.edges * 16};
}

bool mg_index_sizes(uint64_t edge_bytes, uint64_t half_bytes) {
    uint64_t edges = half_bytes / 16;
    return half_bytes % 16 == 0 && edges <= MG_INDEX_MOST &&
           (edge_bytes == edges * sizeof(mg_index_edge32) || edge_bytes == edges * sizeof(mg_index_edge64));
}

bool mg_index_facts_valid(const mg_index *x) {
    const mg_index_facts *f = &x->facts;
    bool rest = false;
    for (int i = 0; i < 4; i++) rest |= f->unused[i] != 0;
    return f->edges <= MG_INDEX_MOST && f->shortcuts <= 2 * f->edges && f->uncontracted <= x->vertices &&
           f->free_arcs <= 1 && !rest;
}

static bool cost_valid(uint64_t cost, bool real) {
    double value;
    memcpy(&value, &cost, sizeof value);
    return real ? value >= 0 : cost <= MG_INDEX_ABSENT;
}

bool mg_index_edges_valid(const mg_index *x, bool real, uint64_t begin, uint64_t end) {
    bool bad = false;
    for (uint64_t h = begin; h < end; h++)
        for (uint64_t i = x->rows[h]; i < x->rows[h + 1]; i++) {
            uint32_t to = x->narrow ? x->narrow[i].to : x->wide[i].to;
            bad |= to >= h && (h >= x->facts.uncontracted || to >= x->facts.uncontracted);
            if (x->wide) bad |= !cost_valid(x->wide[i].cost[0], real) || !cost_valid(x->wide[i].cost[1], real);
        }
    return !bad && !(x->narrow && real && x->facts.edges);
}

bool mg_index_halves_valid(const mg_index *x, uint64_t arcs, uint64_t begin, uint64_t end) {
    bool bad = false;
    for (uint64_t i = begin; i < end; i++) {
        uint64_t half = x->halves[i], first = half >> 32, second = half & UINT32_MAX;
        bool arc = half & MG_INDEX_ARC;
        bad |= arc ? (half ^ MG_INDEX_ARC) >= arcs
                   : first <= i / 2 || second <= i / 2 || first >= x->facts.edges || second >= x->facts.edges;
    }
    return !bad;
}

/* ---- an index and its graph ------------------------------------------------------------------------------------- */

typedef struct index_look {
    mg_sweep sweep;
    const mg_index *index;
    const mg_rows *rows;
    meguri_type weight_type;
    bool real;
    uint32_t *vertex;                       /* by height */
    uint64_t shortcuts;                     /* atomic */
    bool bad_arc, bad_shortcut, bad_absent; /* atomic */
} index_look;

static uint32_t end_of(const mg_index *x, uint64_t i) { return x->narrow ? x->narrow[i].to : x->wide[i].to; }

/* A cost as its bits; whole numbers that are absent are so in one form. */
static uint64_t cost_of(const mg_index *x, uint64_t i, unsigned side) {
    if (x->wide) return x->wide[i].cost[side];
    return x->narrow[i].cost[side] == MG_INDEX_ABSENT32 ? MG_INDEX_ABSENT : x->narrow[i].cost[side];
}

static double as_real(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static bool is_absent(const index_look *l, uint64_t cost) {
    return l->real ? isinf(as_real(cost)) : cost >= MG_INDEX_ABSENT;
}

/* The row of an edge: the last one that begins at or before it. */
static uint64_t row_of(const mg_index *x, uint64_t edge) {
    uint64_t low = 0, high = x->vertices;
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (x->rows[middle] <= edge) low = middle;
        else high = middle;
    }
    return low;
}

/* The arc leads from one to the other and costs that. */
static bool arc_fits(const index_look *l, uint64_t arc, uint64_t from, uint64_t to, uint64_t cost) {
    const mg_rows *r = l->rows;
    double weight = mg_weight_at(r->weights, l->weight_type, arc);
    return arc >= mg_row_begin(r, l->vertex[from]) && arc < mg_row_end(r, l->vertex[from]) &&
           r->neighbors[arc] == l->vertex[to] && (l->real ? as_real(cost) == weight : cost == (uint64_t)weight) &&
           (weight != 0 || l->index->facts.free_arcs);
}

/* Both halves are in one row further down, lead from one to the other, and cost that together. */
static bool halves_fit(const index_look *l, uint64_t half, uint64_t from, uint64_t to, uint64_t cost) {
    const mg_index *x = l->index;
    uint64_t first = half >> 32, second = half & UINT32_MAX, middle = row_of(x, first);
    uint64_t costs[2] = {cost_of(x, first, 1), cost_of(x, second, 0)};
    if (row_of(x, second) != middle || middle <= from || middle <= to) return false;
    if (end_of(x, first) != from || end_of(x, second) != to) return false;
    if (is_absent(l, costs[0]) || is_absent(l, costs[1])) return false;
    return l->real ? as_real(costs[0]) + as_real(costs[1]) == as_real(cost) : costs[0] + costs[1] == cost;
}

static void look_at_side(index_look *l, uint64_t row, uint64_t edge, unsigned side) {
    const mg_index *x = l->index;
    uint64_t half = x->halves[2 * edge + side], cost = cost_of(x, edge, side), other = end_of(x, edge);
    uint64_t from = side ? other : row, to = side ? row : other;
    if (is_absent(l, cost)) {
        if (half != MG_INDEX_ARC) mg_store(&l->bad_absent, true);
    } else if (half & MG_INDEX_ARC) {
        if (!arc_fits(l, half ^ MG_INDEX_ARC, from, to, cost)) mg_store(&l->bad_arc, true);
    } else {
        mg_fetch_add(&l->shortcuts, 1);
        if (!halves_fit(l, half, from, to, cost)) mg_store(&l->bad_shortcut, true);
    }
}

static void look_at_edges(void *what, uint64_t begin, uint64_t end) {
    index_look *l = what;
    uint64_t row = row_of(l->index, begin);
    for (uint64_t edge = begin; edge < end; edge++) {
        while (l->index->rows[row + 1] <= edge) row++;
        for (unsigned side = 0; side < 2; side++) look_at_side(l, row, edge, side);
        if (l->index->wide && l->index->wide[edge].unused) mg_store(&l->bad_absent, true);
    }
}

meguri_status mg_index_verify(const char **trouble, meguri_ctx *ctx, const mg_index *x, const mg_rows *rows,
                              meguri_type weight_type) {
    index_look l = {.sweep = {.ctx = ctx, .phase = "verify", .total = x->facts.edges},
                    .index = x,
                    .rows = rows,
                    .weight_type = weight_type,
                    .real = weight_type == MEGURI_TYPE_F32 || weight_type == MEGURI_TYPE_F64};
    *trouble = NULL;
    l.vertex = mg_alloc_array(ctx, x->vertices, sizeof *l.vertex, "the vertices of a path index");
    if (!l.vertex) return MEGURI_NO_MEMORY;
    for (uint64_t v = 0; v < x->vertices; v++) l.vertex[x->heights[v]] = (uint32_t)v;
    meguri_status status = mg_sweep_over(&l.sweep, look_at_edges, &l, x->facts.edges);
    mg_free(l.vertex);
    if (l.bad_arc) *trouble = "its path index has an edge that is none of the graph, or costs something else there";
    else if (l.bad_shortcut) *trouble = "its path index has a shortcut that is not the sum of its halves";
    else if (l.bad_absent) *trouble = "its path index says what an edge stands for that it says is not there";
    else if (l.shortcuts != x->facts.shortcuts)
        *trouble = "its path index has another number of shortcuts than it says";
    return status;
}
