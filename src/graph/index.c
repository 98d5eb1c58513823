/* The arrays of a path index as parts of a graph, and the rules that their numbers obey.
 *
 * What the rules are for: a reader that follows heights, rows, edges and halves never leaves an array, and comes to an
 * end. Halves lie further down than the edge they belong to, so there is no circle in them. */
#include "graph/graph.h"

#include <math.h>

static const mg_part parts[] = {MG_PART_INDEX_FACTS, MG_PART_INDEX_HEIGHTS, MG_PART_INDEX_ROWS, MG_PART_INDEX_EDGES,
                                MG_PART_INDEX_HALVES};
enum { PARTS = sizeof parts / sizeof *parts };

meguri_status mg_graph_index(mg_index *out, bool *there, meguri_ctx *ctx, const meguri_graph *graph) {
    const void *data[PARTS];
    *there = false;
    for (int i = 0; i < PARTS; i++) {
        meguri_status status = mg_graph_part(&data[i], ctx, graph, parts[i]);
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
    for (int i = 0; i < PARTS; i++) bytes += graph->part[parts[i]].bytes;
    return bytes;
}

meguri_status mg_graph_own_index(meguri_ctx *ctx, meguri_graph *graph, const mg_index *x) {
    mg_index_facts *facts = mg_alloc(ctx, sizeof *facts, "an index of paths");
    if (!facts) return MEGURI_NO_MEMORY;
    *facts = x->facts;
    const void *data[PARTS] = {facts, x->heights, x->rows, x->narrow ? (const void *)x->narrow : x->wide, x->halves};
    uint64_t edge_bytes = x->narrow ? sizeof *x->narrow : sizeof *x->wide;
    uint64_t bytes[PARTS] = {sizeof *facts, x->vertices * 4, (x->vertices + 1) * 4, facts->edges * edge_bytes,
                             facts->edges * 16};
    for (int i = 0; i < PARTS; i++) mg_graph_own(graph, parts[i], (void *)(uintptr_t)data[i], bytes[i]);
    return MEGURI_OK;
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
    return f->edges <= MG_INDEX_MOST && f->shortcuts <= 2 * f->edges && f->core <= x->vertices && f->free_arcs <= 1 &&
           !rest;
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
            bad |= to >= h && (h >= x->facts.core || to >= x->facts.core);
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
