/* Rows as arrays, handed out: those that are stored, and those of a range of vertices in the user's order. */
#include "graph/internal.h"

#include <inttypes.h>
#include <meguri/rows.h>

/* ---- stored rows ------------------------------------------------------------------------------------------------ */

static meguri_status check_form(meguri_ctx *ctx, unsigned form) {
    if (form <= (MEGURI_ROWS_IN | MEGURI_ROWS_EDGES)) return MEGURI_OK;
    return mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                   "unknown form of rows %u: add up MEGURI_ROWS_OUT or MEGURI_ROWS_IN, and MEGURI_ROWS_EDGES.", form);
}

static meguri_status get_rows(mg_rows *out, meguri_ctx *ctx, const meguri_graph *graph, unsigned form) {
    meguri_status status = mg_graph_whole(ctx, graph);
    if (status != MEGURI_OK) return status;
    return form & MEGURI_ROWS_IN ? mg_graph_in_rows(out, ctx, graph) : mg_graph_rows(out, ctx, graph);
}

/* *edges stays NULL where arc i is edge i. */
static meguri_status get_edges(const void **edges, uint32_t *bytes, meguri_ctx *ctx, const meguri_graph *graph,
                               const mg_rows *rows, unsigned form) {
    mg_edge_numbers numbers;
    bool in = graph->directed && form & MEGURI_ROWS_IN;
    *edges = NULL;
    *bytes = graph->edges <= UINT32_MAX ? 4 : 8;
    if (!(form & MEGURI_ROWS_EDGES) || (graph->directed && !in)) return MEGURI_OK;
    meguri_status status = mg_graph_edge_numbers(&numbers, ctx, graph);
    if (status == MEGURI_OK) status = mg_graph_row_edges(edges, bytes, ctx, graph, &numbers, rows, in);
    return status;
}

static const void *offsets_of(const mg_rows *rows) {
    return rows->offsets32 ? (const void *)rows->offsets32 : rows->offsets64;
}

meguri_status meguri_graph_prepare(meguri_ctx *ctx, const meguri_graph *graph, unsigned forms) {
    if (!ctx || !graph) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    if (forms & ~(unsigned)(MEGURI_FORM_TRANSPOSE | MEGURI_FORM_EDGE_NUMBERS))
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "meguri_graph_prepare: there are no forms %#x.", forms);
    unsigned numbers = forms & MEGURI_FORM_EDGE_NUMBERS ? MEGURI_ROWS_EDGES : 0;
    meguri_status status = mg_graph_whole(ctx, graph);
    for (unsigned form = MEGURI_ROWS_OUT; form <= MEGURI_ROWS_IN && status == MEGURI_OK; form++) {
        mg_rows rows;
        const void *edges;
        uint32_t bytes;
        if (form == MEGURI_ROWS_IN && !(forms & MEGURI_FORM_TRANSPOSE) && !mg_graph_keeps_in_rows(graph)) break;
        status = get_rows(&rows, ctx, graph, form);
        if (status == MEGURI_OK) status = get_edges(&edges, &bytes, ctx, graph, &rows, form | numbers);
    }
    return status;
}

meguri_status meguri_graph_rows(meguri_rows *out, meguri_ctx *ctx, const meguri_graph *graph, unsigned form) {
    if (!out || !ctx || !graph) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    mg_rows rows;
    mg_numbering numbering;
    const void *edges = NULL;
    uint32_t edge_bytes = 4;
    meguri_status status = check_form(ctx, form);
    if (status == MEGURI_OK) status = get_rows(&rows, ctx, graph, form);
    if (status == MEGURI_OK) status = mg_graph_numbering(&numbering, ctx, graph);
    if (status == MEGURI_OK) status = get_edges(&edges, &edge_bytes, ctx, graph, &rows, form);
    if (status != MEGURI_OK) return status;
    meguri_rows item = {.size = out->size,
                        .vertices = graph->vertices,
                        .rows = rows.rows,
                        .arcs = rows.arcs,
                        .offsets = offsets_of(&rows),
                        .offset_bytes = rows.offsets32 ? 4 : 8,
                        .edge_bytes = edge_bytes,
                        .targets = rows.neighbors,
                        .weights = rows.weights,
                        .weight_type = graph->weight_type,
                        .edges = edges,
                        .vertex_of = numbering.to_user,
                        .row_of = numbering.to_internal};
    return mg_hand_out(ctx, out, sizeof item, &item, "meguri_rows");
}

/* ---- rows in the user's order ----------------------------------------------------------------------------------- */

struct meguri_adjacency {
    const meguri_graph *graph;
    meguri_rows rows;
    void *offsets, *targets, *weights, *edges; /* what was made, for mg_free */
};

void meguri_adjacency_free(meguri_adjacency *adjacency) {
    if (!adjacency) return;
    mg_free(adjacency->offsets);
    mg_free(adjacency->targets);
    mg_free(adjacency->weights);
    mg_free(adjacency->edges);
    mg_graph_let_go(adjacency->graph);
    mg_free(adjacency);
}

typedef struct arranging {
    meguri_ctx *ctx;
    mg_rows rows;
    mg_numbering numbering;
    uint64_t first, count;
    const void *row_edges; /* of each arc; NULL: its own number */
    uint32_t edge_bytes;
    size_t weight_bytes;
    unsigned bits; /* of a vertex */
    uint64_t *offsets;
    uint32_t *targets;
    char *weights, *edges; /* NULL: not wanted */
} arranging;

static uint64_t row_begin(const arranging *a, uint64_t vertex) {
    return mg_row_begin(&a->rows, mg_to_internal(&a->numbering, (uint32_t)vertex));
}

static uint64_t degree_of(const arranging *a, uint64_t vertex) {
    uint32_t row = mg_to_internal(&a->numbering, (uint32_t)vertex);
    return mg_row_end(&a->rows, row) - mg_row_begin(&a->rows, row);
}

static void measure(void *what, uint64_t begin, uint64_t end) {
    const arranging *a = what;
    for (uint64_t i = begin; i < end; i++) a->offsets[i] = degree_of(a, a->first + i);
}

/* Keys, places in the row, and scratch for both; a thread's own. */
typedef struct sorting {
    uint32_t *keys, *places;
    uint64_t room;
} sorting;

static bool make_room(sorting *s, meguri_ctx *ctx, uint64_t degree) {
    if (degree <= s->room) return true;
    mg_free(s->keys);
    s->room = degree + degree / 2;
    s->keys = mg_alloc_array(ctx, s->room, 4 * sizeof *s->keys, "sorting a row");
    s->places = s->keys + 2 * s->room;
    return s->keys != NULL;
}

static void put_edge(const arranging *a, uint64_t to, uint64_t arc) {
    if (!a->row_edges && a->edge_bytes == 4) ((uint32_t *)a->edges)[to] = (uint32_t)arc;
    else if (!a->row_edges) ((uint64_t *)a->edges)[to] = arc;
    else memcpy(a->edges + to * a->edge_bytes, (const char *)a->row_edges + arc * a->edge_bytes, a->edge_bytes);
}

static void arrange_row(const arranging *a, uint64_t i, sorting *s) {
    uint64_t begin = row_begin(a, a->first + i), to = a->offsets[i], degree = a->offsets[i + 1] - to;
    if (!degree) return;
    for (uint64_t k = 0; k < degree; k++) {
        s->keys[k] = mg_to_user(&a->numbering, a->rows.neighbors[begin + k]);
        s->places[k] = (uint32_t)k;
    }
    if (a->numbering.to_user)
        mg_sort_small_u32(s->keys, s->keys + s->room, s->places, s->places + s->room, 4, degree, a->bits);
    memcpy(a->targets + to, s->keys, degree * sizeof *s->keys);
    for (uint64_t k = 0; k < degree && a->weights; k++)
        memcpy(a->weights + (to + k) * a->weight_bytes,
               (const char *)a->rows.weights + (begin + s->places[k]) * a->weight_bytes, a->weight_bytes);
    for (uint64_t k = 0; k < degree && a->edges; k++) put_edge(a, to + k, begin + s->places[k]);
}

static void arrange(void *what, mg_worker *worker) {
    const arranging *a = what;
    sorting s = {0};
    for (mg_range chunk; mg_take(worker, &chunk);)
        for (uint64_t i = chunk.begin; i < chunk.end; i++) {
            if (!make_room(&s, a->ctx, a->offsets[i + 1] - a->offsets[i])) {
                mg_loop_fail(worker, MEGURI_NO_MEMORY);
                break;
            }
            arrange_row(a, i, &s);
        }
    mg_free(s.keys);
}

static meguri_status make_offsets(arranging *a, meguri_adjacency *to) {
    to->offsets = a->offsets = mg_alloc_array(a->ctx, a->count + 1, sizeof *a->offsets, "rows in the user's order");
    if (!a->offsets) return MEGURI_NO_MEMORY;
    mg_for(a->ctx, mg_threads(a->ctx, a->count, 1 << 14), a->count, measure, a);
    a->offsets[a->count] = 0;
    to->rows.arcs = mg_scan_u64(a->ctx, a->offsets, a->count + 1);
    to->rows.offsets = a->offsets;
    to->rows.offset_bytes = 8;
    return MEGURI_OK;
}

static meguri_status make_rows(arranging *a, meguri_adjacency *to, bool with_edges) {
    static const char name[] = "rows in the user's order";
    meguri_status status = make_offsets(a, to);
    if (status != MEGURI_OK) return status;
    uint64_t arcs = to->rows.arcs;
    to->targets = a->targets = mg_alloc_array(a->ctx, arcs, sizeof *a->targets, name);
    if (a->rows.weights) to->weights = a->weights = mg_alloc_array(a->ctx, arcs, a->weight_bytes, name);
    if (with_edges) to->edges = a->edges = mg_alloc_array(a->ctx, arcs, a->edge_bytes, name);
    if (!a->targets || (a->rows.weights && !a->weights) || (with_edges && !a->edges)) return MEGURI_NO_MEMORY;
    mg_loop loop = {.ctx = a->ctx,
                    .threads = mg_threads(a->ctx, arcs, 1 << 14),
                    .items = a->count,
                    .chunk = 1024,
                    .work = arrange,
                    .what = a,
                    .phase = "rows",
                    .total = a->count};
    to->rows.targets = a->targets, to->rows.weights = a->weights, to->rows.edges = a->edges;
    return mg_loop_run(&loop);
}

/* Rows that are stored in the user's order, where the range has offsets. */
static void borrow_rows(const arranging *a, meguri_adjacency *to) {
    const mg_rows *r = &a->rows;
    to->rows.offsets = (const char *)offsets_of(r) + a->first * (r->offsets32 ? 4 : 8);
    to->rows.offset_bytes = r->offsets32 ? 4 : 8;
    to->rows.arcs = mg_row_end(r, a->first + a->count - 1) - mg_row_begin(r, a->first);
    to->rows.targets = r->neighbors;
    to->rows.weights = r->weights;
    to->rows.edges = a->row_edges;
}

static meguri_status check_range(meguri_ctx *ctx, const meguri_graph *graph, meguri_adjacency_options *o) {
    if (!o->first && !o->count) o->count = graph->vertices;
    if (o->first <= graph->vertices && o->count <= graph->vertices - o->first) return MEGURI_OK;
    return mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                   "rows of %" PRIu64 " vertices from %" PRIu64 " on: the graph has %" PRIu64 " vertices.", o->count,
                   o->first, graph->vertices);
}

meguri_status meguri_graph_adjacency(meguri_adjacency **out, meguri_ctx *ctx, const meguri_graph *graph,
                                     const meguri_adjacency_options *options) {
    meguri_adjacency_options o;
    if (out) *out = NULL;
    if (!out || !ctx || !graph) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    arranging a = {.ctx = ctx, .weight_bytes = meguri_type_bytes(graph->weight_type)};
    meguri_status status = MG_OPTIONS(ctx, &o, options, meguri_adjacency_options);
    if (status == MEGURI_OK) status = check_form(ctx, o.form);
    if (status == MEGURI_OK) status = check_range(ctx, graph, &o);
    if (status == MEGURI_OK) status = get_rows(&a.rows, ctx, graph, o.form);
    if (status == MEGURI_OK) status = mg_graph_numbering(&a.numbering, ctx, graph);
    if (status == MEGURI_OK) status = get_edges(&a.row_edges, &a.edge_bytes, ctx, graph, &a.rows, o.form);
    if (status != MEGURI_OK) return status;
    meguri_adjacency *to = mg_alloc_zero(ctx, sizeof *to, "rows in the user's order");
    if (!to) return MEGURI_NO_MEMORY;
    to->graph = mg_graph_hold(graph);
    a.first = o.first, a.count = o.count;
    while (a.bits < 32 && graph->vertices >> a.bits) a.bits++;
    to->rows = (meguri_rows){
        .vertices = graph->vertices, .rows = o.count, .edge_bytes = a.edge_bytes, .weight_type = graph->weight_type};
    if (!a.numbering.to_user && o.count && o.first + o.count <= a.rows.rows) borrow_rows(&a, to);
    else status = make_rows(&a, to, o.form & MEGURI_ROWS_EDGES);
    if (status == MEGURI_OK) *out = to;
    else meguri_adjacency_free(to);
    return status;
}

meguri_status meguri_adjacency_rows(meguri_rows *out, const meguri_adjacency *adjacency) {
    if (!out || !adjacency) return MEGURI_BAD_ARGUMENT;
    meguri_rows item = adjacency->rows;
    item.size = out->size;
    return mg_hand_out(NULL, out, sizeof item, &item, "meguri_rows");
}
