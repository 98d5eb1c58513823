/* Edge numbers: 0 … edges - 1, the same from both ends of an edge.
 *
 * They follow from where arcs are stored, so nothing is added to a file. In a directed graph the number of an edge is
 * that of its arc in the out-rows. In an undirected graph an edge u - v with u <= v (internal numbers) is stored in
 * both rows; its forward arc is the one in row u, and edges are numbered in the order of their forward arcs. Rows are
 * sorted, so the forward arcs of a row are its last ones, and one number a row (how many forward arcs come before it)
 * leads from arcs to edges and back. Parallel edges lie in the same order in the rows of both ends: by weight, then by
 * the order of the input where edges have columns; without columns those of equal weight cannot be told apart. */
#include "graph/internal.h"

#include <inttypes.h>

enum { GRAIN = 1 << 14 };

/* ---- the number of forward arcs before each row ----------------------------------------------------------------- */

typedef struct counting {
    const mg_rows *rows;
    uint64_t *before;
} counting;

static uint64_t first_forward(const mg_rows *rows, uint32_t row) {
    return mg_row_find(rows, mg_row_begin(rows, row), mg_row_end(rows, row), row);
}

static void count_forward(void *what, uint64_t begin, uint64_t end) {
    const counting *c = what;
    for (uint64_t v = begin; v < end; v++) c->before[v] = mg_row_end(c->rows, v) - first_forward(c->rows, (uint32_t)v);
}

static meguri_status make_before(meguri_ctx *ctx, meguri_graph *graph, const mg_rows *rows) {
    counting c = {.rows = rows};
    c.before = mg_alloc_array(ctx, rows->rows + 1, sizeof *c.before, "the numbers of edges");
    if (!c.before) return MEGURI_NO_MEMORY;
    mg_for(ctx, mg_threads(ctx, rows->rows, GRAIN), rows->rows, count_forward, &c);
    c.before[rows->rows] = 0;
    if (mg_scan_u64(ctx, c.before, rows->rows + 1) != graph->edges) {
        mg_free(c.before);
        return mg_fail(ctx, MEGURI_BAD_INPUT,
                       "the graph is damaged: it is undirected, and an edge is stored in one direction only; build it "
                       "again.");
    }
    __atomic_store_n(&graph->forward_before, c.before, __ATOMIC_RELEASE);
    return MEGURI_OK;
}

meguri_status mg_graph_edge_numbers(mg_edge_numbers *out, meguri_ctx *ctx, const meguri_graph *graph) {
    *out = (mg_edge_numbers){.edges = graph->edges};
    if (graph->view_of) return mg_weighted_edge_numbers(out, ctx, graph);
    meguri_status status = mg_graph_whole(ctx, graph);
    if (status == MEGURI_OK) status = mg_graph_rows(&out->rows, ctx, graph);
    if (status != MEGURI_OK || graph->directed) return status;
    meguri_graph *g = (meguri_graph *)graph; /* made once, within the gate */
    if (!__atomic_load_n(&g->forward_before, __ATOMIC_ACQUIRE)) {
        MG_ENTERED(entered);
        status = mg_gate_enter(&entered, ctx, &g->gate, "the graph");
        if (status == MEGURI_OK && !g->forward_before) status = make_before(ctx, g, &out->rows);
    }
    if (status == MEGURI_OK) out->before = g->forward_before;
    return status;
}

/* ---- from arcs to edges, and back ------------------------------------------------------------------------------- */

uint64_t mg_edge_of_forward_arc(const mg_edge_numbers *n, uint32_t row, uint64_t arc) {
    if (!n->before) return arc;
    return n->before[row] + (arc - first_forward(&n->rows, row));
}

/* The arc from `to` back to `row`, and the number of arcs between the same two before it. */
static bool find_forward(const mg_edge_numbers *n, uint32_t row, uint64_t arc, uint64_t *forward) {
    const mg_rows *rows = &n->rows;
    uint32_t to = rows->neighbors[arc];
    uint64_t first = mg_row_find(rows, mg_row_begin(rows, row), mg_row_end(rows, row), to);
    uint64_t end = mg_row_end(rows, to), twin = mg_row_find(rows, mg_row_begin(rows, to), end, row) + (arc - first);
    *forward = twin;
    return twin < end && rows->neighbors[twin] == row;
}

bool mg_edge_of_arc(uint64_t *edge, const mg_edge_numbers *n, uint32_t row, uint64_t arc) {
    *edge = arc;
    if (!n->before) return true;
    uint32_t to = n->rows.neighbors[arc];
    uint64_t forward = arc;
    if (to < row && !find_forward(n, row, arc, &forward)) return false;
    *edge = mg_edge_of_forward_arc(n, MG_MIN(row, to), forward);
    return *edge < n->edges;
}

uint64_t mg_arc_of_edge(const mg_edge_numbers *n, uint64_t edge, uint32_t *row) {
    if (!n->before) {
        if (row) *row = (uint32_t)mg_row_of_arc(&n->rows, edge);
        return edge;
    }
    uint64_t low = 0, high = n->rows.rows; /* the last row with at most so many forward arcs before it */
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (n->before[middle] <= edge) low = middle;
        else high = middle;
    }
    if (row) *row = (uint32_t)low;
    return first_forward(&n->rows, (uint32_t)low) + (edge - n->before[low]);
}

/* An in-row of a directed graph: arcs between the same two lie in the same order in the rows of both. */
static bool edge_of_in_arc(uint64_t *edge, const mg_rows *out, const mg_rows *in, uint32_t row, uint64_t arc) {
    if (in->out_arcs) {
        *edge = mg_row_out_arc(in, arc);
        return *edge < out->arcs;
    }
    uint32_t from = in->neighbors[arc];
    uint64_t first = mg_row_find(in, mg_row_begin(in, row), mg_row_end(in, row), from), end = mg_row_end(out, from);
    *edge = mg_row_find(out, mg_row_begin(out, from), end, row) + (arc - first);
    return *edge < end && out->neighbors[*edge] == row;
}

bool mg_edge_of_row_arc(uint64_t *edge, const mg_edge_numbers *n, const mg_rows *rows, bool in, uint32_t row,
                        uint64_t arc) {
    if (n->before || !in) return mg_edge_of_arc(edge, n, row, arc);
    return edge_of_in_arc(edge, &n->rows, rows, row, arc);
}

/* ---- the numbers of all arcs ------------------------------------------------------------------------------------ */

typedef struct numbering {
    mg_sweep sweep;
    const mg_edge_numbers *numbers;
    const mg_rows *rows;
    bool in;
    void *edges;
    uint32_t bytes;
    bool damaged; /* atomic */
} numbering;

static void number_rows(void *what, uint64_t begin, uint64_t end) {
    numbering *n = what;
    for (uint64_t v = begin; v < end; v++)
        for (uint64_t arc = mg_row_begin(n->rows, v); arc < mg_row_end(n->rows, v); arc++) {
            uint64_t edge;
            if (!mg_edge_of_row_arc(&edge, n->numbers, n->rows, n->in, (uint32_t)v, arc)) mg_store(&n->damaged, true);
            else if (n->bytes == 4) ((uint32_t *)n->edges)[arc] = (uint32_t)edge;
            else ((uint64_t *)n->edges)[arc] = edge;
        }
}

meguri_status mg_graph_row_edges(const void **out, uint32_t *bytes, meguri_ctx *ctx, const meguri_graph *graph,
                                 const mg_edge_numbers *numbers, const mg_rows *rows, bool in) {
    meguri_graph *g = (meguri_graph *)graph; /* made once, within the gate */
    *bytes = graph->edges <= UINT32_MAX ? 4 : 8;
    if (graph->directed && in && rows->out_arcs) { /* they are there, in as many bits as the offsets */
        *out = rows->out_arcs;
        *bytes = rows->offsets32 ? 4 : 8;
        return MEGURI_OK;
    }
    MG_ENTERED(entered);
    meguri_status status = mg_gate_enter(&entered, ctx, &g->gate, "the graph");
    if (status == MEGURI_OK && !g->row_edges[in]) {
        numbering n = {.sweep = {.ctx = ctx, .phase = "edges", .total = rows->rows},
                       .numbers = numbers,
                       .rows = rows,
                       .in = in,
                       .bytes = *bytes};
        n.edges = mg_alloc_array(ctx, rows->arcs, n.bytes, "the numbers of edges");
        status = n.edges ? mg_sweep_over(&n.sweep, number_rows, &n, rows->rows) : MEGURI_NO_MEMORY;
        if (status == MEGURI_OK && n.damaged)
            status = mg_fail(ctx, MEGURI_BAD_INPUT, "the graph is damaged: its rows do not agree; build it again.");
        if (status == MEGURI_OK) g->row_edges[in] = n.edges;
        else mg_free(n.edges);
    }
    *out = status == MEGURI_OK ? g->row_edges[in] : NULL;
    return status;
}
