/* Graphs out of rows of the caller's: copied, or used where they lie. */
#include "graph/internal.h"

#include <inttypes.h>
#include <math.h>
#include <meguri/rows.h>

/* ---- what is wrong with them ------------------------------------------------------------------------------------ */

static meguri_status check_arrays(meguri_ctx *ctx, meguri_rows *r) {
    const char *trouble = NULL;
    if (!r->rows) r->rows = r->vertices;
    if (r->rows > r->vertices) trouble = "there are more rows than vertices";
    else if (r->offset_bytes != 4 && r->offset_bytes != 8) trouble = "offset_bytes must be 4 or 8";
    else if (!r->offsets && r->vertices) trouble = "offsets is NULL";
    else if (!r->targets && r->arcs) trouble = "targets is NULL";
    else if (r->weight_type != MEGURI_TYPE_NONE && !mg_type_is_weight(r->weight_type))
        trouble = "weight_type is unknown";
    else if (!r->weight_type != !r->weights) trouble = "weights and weight_type must be given together";
    if (trouble) return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "meguri_graph_from_rows: %s.", trouble);
    if (r->vertices > MG_MAX_VERTICES)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                       "meguri_graph_from_rows: %" PRIu64 " vertices are too many: at most %" PRIu64 " are possible.",
                       r->vertices, MG_MAX_VERTICES);
    return mg_check_count(ctx, r->arcs, 12, "arcs");
}

static mg_rows view_of(const meguri_rows *r) {
    return (mg_rows){.rows = r->rows,
                     .arcs = r->arcs,
                     .offsets32 = r->offset_bytes == 4 ? r->offsets : NULL,
                     .offsets64 = r->offset_bytes == 8 ? r->offsets : NULL,
                     .neighbors = r->targets,
                     .weights = r->weights};
}

typedef struct checking {
    mg_sweep sweep;
    mg_rows rows;
    uint64_t vertices;
    meguri_type type;
    bool sorted;                             /* rows must be */
    uint64_t loops;                          /* atomic */
    uint64_t falling, beyond, unsorted, nan; /* the first row of which this is true; atomic */
} checking;

static void first_of(uint64_t *place, uint64_t row) {
    uint64_t old = mg_load(place);
    while (row < old && !__atomic_compare_exchange_n(place, &old, row, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
}

static bool in_order(const checking *c, uint64_t arc) {
    const uint32_t *targets = c->rows.neighbors;
    if (targets[arc - 1] != targets[arc]) return targets[arc - 1] < targets[arc];
    return mg_weight_at(c->rows.weights, c->type, arc - 1) <= mg_weight_at(c->rows.weights, c->type, arc);
}

/* Offsets first: other rows are read by them. */
static void check_offsets(void *what, uint64_t begin, uint64_t end) {
    checking *c = what;
    for (uint64_t row = begin; row < end; row++) {
        uint64_t from = mg_row_offset(&c->rows, row), to = mg_row_offset(&c->rows, row + 1);
        if (from > to || to > c->rows.arcs) first_of(&c->falling, row);
    }
}

static void check_rows(void *what, uint64_t begin, uint64_t end) {
    checking *c = what;
    bool real = c->type == MEGURI_TYPE_F32 || c->type == MEGURI_TYPE_F64;
    uint64_t loops = 0;
    for (uint64_t row = begin; row < end; row++)
        for (uint64_t first = mg_row_offset(&c->rows, row), arc = first; arc < mg_row_offset(&c->rows, row + 1);
             arc++) {
            if (c->rows.neighbors[arc] >= c->vertices) first_of(&c->beyond, row);
            if (real && isnan(mg_weight_at(c->rows.weights, c->type, arc))) first_of(&c->nan, row);
            if (c->sorted && arc > first && !in_order(c, arc)) first_of(&c->unsorted, row);
            loops += c->rows.neighbors[arc] == row;
        }
    mg_fetch_add(&c->loops, loops);
}

static meguri_status say_row(meguri_ctx *ctx, uint64_t row, const char *trouble) {
    return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "meguri_graph_from_rows: row %" PRIu64 " %s.", row, trouble);
}

static meguri_status check_content(checking *c, meguri_ctx *ctx) {
    uint64_t end = c->rows.rows;
    c->falling = c->beyond = c->unsorted = c->nan = UINT64_MAX;
    if (!end) return MEGURI_OK;
    if (mg_row_offset(&c->rows, 0) != 0) return say_row(ctx, 0, "does not begin at offset 0");
    if (mg_row_offset(&c->rows, end) != c->rows.arcs)
        return say_row(ctx, end - 1, "does not end at the number of arcs");
    meguri_status status = mg_sweep_over(&c->sweep, check_offsets, c, end);
    if (status == MEGURI_OK && c->falling != UINT64_MAX) return say_row(ctx, c->falling, "ends before it begins");
    if (status == MEGURI_OK) status = mg_sweep_over(&c->sweep, check_rows, c, end);
    if (status != MEGURI_OK) return status;
    if (c->beyond != UINT64_MAX) return say_row(ctx, c->beyond, "has a target that is not a vertex");
    if (c->nan != UINT64_MAX) return say_row(ctx, c->nan, "has a weight that is not a number");
    if (c->unsorted != UINT64_MAX)
        return say_row(
            ctx, c->unsorted,
            "is not sorted by target and weight, as borrowed rows must be: sort it, or have the rows copied");
    return MEGURI_OK;
}

/* ---- the graph -------------------------------------------------------------------------------------------------- */

static meguri_graph *begin_graph(meguri_ctx *ctx, const meguri_rows *r, const meguri_from_rows_options *o) {
    meguri_graph *graph = mg_graph_shell(ctx);
    if (!graph) return NULL;
    graph->directed = o->direction != MEGURI_UNDIRECTED;
    graph->vertices = graph->rows = r->vertices;
    graph->weight_type = graph->declared_weights = r->weight_type;
    graph->input_edges = r->arcs;
    return graph;
}

static void borrow_arrays(meguri_graph *graph, const meguri_rows *r) {
    size_t weight = meguri_type_bytes(r->weight_type);
    graph->rows = r->rows;
    graph->arcs = r->arcs;
    graph->offset_bytes = r->offset_bytes;
    graph->part[MG_PART_OFFSETS] = (mg_part_data){.data = r->offsets, .bytes = (r->rows + 1) * r->offset_bytes};
    graph->part[MG_PART_NEIGHBORS] = (mg_part_data){.data = r->targets, .bytes = r->arcs * 4};
    if (weight) graph->part[MG_PART_WEIGHTS] = (mg_part_data){.data = r->weights, .bytes = r->arcs * weight};
}

/* Rows are sorted, and rid of what the options do not keep, by the sort that every graph is built with. */
static meguri_status copy_arrays(meguri_graph *graph, meguri_ctx *ctx, const meguri_rows *r,
                                 const meguri_from_rows_options *o) {
    mg_csr csr;
    mg_rows rows = view_of(r);
    meguri_status status = mg_rows_copy(&csr, ctx, &rows, r->vertices, r->weight_type, o->keep_loops, o->duplicates);
    if (status != MEGURI_OK) return status;
    mg_graph_own(graph, MG_PART_OFFSETS, csr.offsets, (graph->vertices + 1) * csr.offset_bytes);
    graph->part[MG_PART_NEIGHBORS] = csr.neighbors;
    graph->part[MG_PART_WEIGHTS] = csr.weights;
    graph->offset_bytes = csr.offset_bytes;
    graph->arcs = csr.arcs;
    graph->dropped_loops = csr.dropped_loops;
    return MEGURI_OK;
}

static uint64_t count_loops(const void *what, uint64_t begin, uint64_t end) {
    const mg_rows *rows = what;
    uint64_t loops = 0;
    for (uint64_t v = begin; v < end; v++) {
        uint64_t row_end = mg_row_end(rows, v);
        for (uint64_t arc = mg_row_find(rows, mg_row_begin(rows, v), row_end, (uint32_t)v);
             arc < row_end && rows->neighbors[arc] == v; arc++)
            loops++;
    }
    return loops;
}

/* An undirected graph has every edge twice, but for loops. */
static meguri_status count_edges(meguri_graph *graph, meguri_ctx *ctx, uint64_t input_loops) {
    mg_rows rows;
    graph->edges = graph->arcs;
    meguri_status status = mg_graph_rows(&rows, ctx, graph);
    if (status == MEGURI_OK && !graph->directed) {
        uint64_t loops = mg_sum_over(ctx, mg_threads(ctx, rows.rows, 1 << 12), rows.rows, count_loops, &rows);
        graph->edges = (graph->arcs + loops) / 2;
        graph->input_edges = (graph->input_edges + input_loops) / 2;
    }
    graph->dropped_duplicates = graph->input_edges - graph->edges - graph->dropped_loops;
    return status;
}

static meguri_status finish_graph(meguri_graph *graph, meguri_ctx *ctx, const meguri_from_rows_options *o) {
    uint32_t *to_user;
    uint64_t rows;
    graph->order = o->borrow ? MEGURI_ORDER_NONE : o->order;
    uint64_t stored = graph->rows;
    meguri_status status = mg_order_make(&to_user, &rows, &graph->order, ctx, graph, false);
    if (status == MEGURI_OK && to_user) status = mg_graph_relabel(ctx, graph, to_user, rows);
    else if (status == MEGURI_OK) graph->rows = stored;
    return status;
}

static meguri_status check_symmetric(const meguri_graph *graph, meguri_ctx *ctx) {
    meguri_status status = graph->directed ? MEGURI_OK : mg_graph_verify_rows(ctx, graph);
    if (status != MEGURI_BAD_INPUT) return status;
    mg_begin(ctx); /* that sentence is about damaged files */
    return mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                   "meguri_graph_from_rows: an edge of an undirected graph is in the row of one end only, or has two "
                   "weights: give it in both rows, or make the graph directed.");
}

static meguri_status make_graph(meguri_graph **out, meguri_ctx *ctx, meguri_rows *r,
                                const meguri_from_rows_options *o) {
    meguri_status status = check_arrays(ctx, r);
    if (status != MEGURI_OK) return status;
    checking c = {.sweep = {.ctx = ctx, .phase = "rows", .total = 2 * r->rows},
                  .rows = view_of(r),
                  .vertices = r->vertices,
                  .type = r->weight_type,
                  .sorted = o->borrow};
    status = check_content(&c, ctx);
    if (status != MEGURI_OK) return status;
    meguri_graph *graph = begin_graph(ctx, r, o);
    if (!graph) return MEGURI_NO_MEMORY;
    if (o->borrow) borrow_arrays(graph, r);
    else status = copy_arrays(graph, ctx, r, o);
    if (status == MEGURI_OK) status = count_edges(graph, ctx, c.loops);
    if (status == MEGURI_OK) status = finish_graph(graph, ctx, o);
    if (status == MEGURI_OK) status = check_symmetric(graph, ctx);
    if (status == MEGURI_OK) *out = graph;
    else meguri_graph_free(graph);
    return status;
}

meguri_status meguri_graph_from_rows(meguri_graph **out, meguri_ctx *ctx, const meguri_rows *rows,
                                     const meguri_from_rows_options *options) {
    meguri_from_rows_options o;
    meguri_rows r;
    if (out) *out = NULL;
    if (!out || !ctx || !rows) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    meguri_status status = MG_OPTIONS(ctx, &o, options, meguri_from_rows_options);
    if (status != MEGURI_OK) return status; /* what would be released is not known */
    status = mg_options(ctx, &r, sizeof r, rows, "meguri_rows");
    if (status == MEGURI_OK) {
        meguri_build_options known = {.direction = o.direction, .order = o.order, .duplicates = o.duplicates};
        status = mg_check_build_options(ctx, &known);
    }
    if (status == MEGURI_OK && o.duplicates != MEGURI_DUPLICATES_MIN && o.duplicates != MEGURI_DUPLICATES_KEEP)
        status = mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                         "meguri_graph_from_rows: duplicates must be MEGURI_DUPLICATES_MIN or _KEEP; for others build "
                         "the graph from edges.");
    if (status == MEGURI_OK && o.release && !o.borrow)
        status = mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                         "meguri_graph_from_rows: release is for borrowed rows; set borrow, or leave it NULL.");
    if (status == MEGURI_OK) status = make_graph(out, ctx, &r, &o);
    if (status == MEGURI_OK) (*out)->release = o.release, (*out)->release_user = o.user;
    else if (o.release) o.release(o.user);
    return status;
}
