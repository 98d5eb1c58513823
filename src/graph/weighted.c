/* A column of the edges as their weights: a graph handle that shares everything with its base, but the weights.
 *
 * Values of a column are in the order of stored arcs, and so are weights: those of a column whose type is one of
 * weights are used where they lie, others are converted once. Rows have parallel arcs in the order of their weights;
 * where a column has them in another order, they are sorted anew, and each arc remembers the one of the base that it is
 * (mg_rows.out_arcs), from which the number of its edge follows. What is made belongs to the base and serves every
 * later call. */
#include "graph/internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { GRAIN = 1 << 14 };
static const char what[] = "a column as weights";

/* Weights in the order of rows, with the arc of the base's out-rows that each arc is; NULL: the same. */
typedef struct row_weights {
    const void *weights, *arcs;
    void *owned_weights, *owned_arcs;
} row_weights;

struct mg_weighting {
    mg_weighting *next;
    uint32_t column;
    meguri_type type;
    const void *by_arc; /* in the order of the base's out-rows */
    void *owned;        /* the same where it was converted */
    row_weights out, in;
    bool has_in;
};

static void free_row_weights(row_weights *w) {
    mg_free(w->owned_weights);
    mg_free(w->owned_arcs);
}

void mg_weightings_free(mg_weighting *first) {
    for (mg_weighting *w = first, *next; w; w = next) {
        next = w->next;
        free_row_weights(&w->out);
        free_row_weights(&w->in);
        mg_free(w->owned);
        mg_free(w);
    }
}

/* ---- values to weights ------------------------------------------------------------------------------------------ */

typedef struct converting {
    mg_sweep sweep;
    const mg_column_view *column;
    meguri_type type;
    void *to;     /* NULL: values are used where they lie */
    uint64_t bad; /* the first arc whose value is not a weight; atomic */
} converting;

static void first_of(uint64_t *place, uint64_t arc) {
    uint64_t old = mg_load(place);
    while (arc < old && !__atomic_compare_exchange_n(place, &old, arc, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
}

static meguri_type type_of(const mg_column_view *column) { return mg_code_type(column->what.code); }

/* The type of weights that holds the values of a column; NONE: it is not numeric. Signed numbers that are not negative
 * have the bits of unsigned ones. */
static meguri_type weight_type_of(const mg_column_view *column) {
    meguri_type type = type_of(column);
    if (column->what.labels || column->what.kind == MEGURI_COLUMN_TYPES) return MEGURI_TYPE_NONE;
    switch (type) {
    case MEGURI_TYPE_BOOLEAN:
    case MEGURI_TYPE_I8:
    case MEGURI_TYPE_U8: return MEGURI_TYPE_U8;
    case MEGURI_TYPE_I16:
    case MEGURI_TYPE_U16: return MEGURI_TYPE_U16;
    case MEGURI_TYPE_I32:
    case MEGURI_TYPE_U32:
    case MEGURI_TYPE_I64:
    case MEGURI_TYPE_U64: return MEGURI_TYPE_U32;
    case MEGURI_TYPE_F32:
    case MEGURI_TYPE_F64: return type;
    default: return MEGURI_TYPE_NONE;
    }
}

static void convert(void *user, uint64_t begin, uint64_t end) {
    converting *c = user;
    const void *values = c->column->values;
    for (uint64_t i = begin; i < end; i++) {
        uint64_t whole = 0;
        bool good = mg_column_has(c->column, i);
        switch (c->type) {
        case MEGURI_TYPE_F32: good = good && !isnan(((const float *)values)[i]); break;
        case MEGURI_TYPE_F64: good = good && !isnan(((const double *)values)[i]); break;
        case MEGURI_TYPE_I8: good = good && ((const int8_t *)values)[i] >= 0; break;
        case MEGURI_TYPE_I16: good = good && ((const int16_t *)values)[i] >= 0; break;
        case MEGURI_TYPE_I32: good = good && ((const int32_t *)values)[i] >= 0; break;
        case MEGURI_TYPE_I64:
        case MEGURI_TYPE_U64:
            whole = ((const uint64_t *)values)[i];
            good = good && whole <= UINT32_MAX;
            ((uint32_t *)c->to)[i] = (uint32_t)whole;
            break;
        default: break;
        }
        if (!good) first_of(&c->bad, i);
    }
}

static meguri_status refuse(meguri_ctx *ctx, const meguri_graph *graph, const mg_column_view *column, uint64_t arc) {
    char from[MG_ID_TEXT], to[MG_ID_TEXT], value[32];
    mg_rows rows;
    mg_numbering numbering;
    meguri_type type = type_of(column);
    size_t size = meguri_type_bytes(type);
    meguri_status status = mg_graph_rows(&rows, ctx, graph);
    if (status == MEGURI_OK) status = mg_graph_numbering(&numbering, ctx, graph);
    if (status != MEGURI_OK) return status;
    if (!mg_column_has(column, arc)) snprintf(value, sizeof value, "missing");
    else if (mg_type_is_real(type)) snprintf(value, sizeof value, "not a number");
    else if (mg_type_is_signed(type))
        snprintf(value, sizeof value, "%" PRId64, mg_value_signed(column->values, size, arc));
    else snprintf(value, sizeof value, "%" PRIu64, mg_value_whole(column->values, size, arc));
    mg_graph_id_text(from, ctx, graph, mg_to_user(&numbering, (uint32_t)mg_row_of_arc(&rows, arc)));
    mg_graph_id_text(to, ctx, graph, mg_to_user(&numbering, rows.neighbors[arc]));
    return mg_fail(ctx, MEGURI_BAD_INPUT,
                   "the column '%s' cannot be the weight: of the edge from %s to %s it is %s; weights that are whole "
                   "numbers go from 0 to 4294967295, and none is missing.",
                   column->name, from, to, value);
}

/* That every value is a weight. */
static meguri_status take_values(mg_weighting *w, meguri_ctx *ctx, const meguri_graph *graph,
                                 const mg_column_view *column) {
    converting c = {.sweep = {.ctx = ctx, .phase = "weights", .total = graph->arcs},
                    .column = column,
                    .type = type_of(column),
                    .bad = UINT64_MAX};
    w->type = weight_type_of(column);
    if (!w->type)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "the column '%s' cannot be the weight: its values are not numbers.",
                       column->name);
    w->by_arc = column->values;
    if (meguri_type_bytes(c.type) == 8 && !mg_type_is_real(c.type)) {
        c.to = w->owned = mg_alloc_array(ctx, graph->arcs, sizeof(uint32_t), what);
        if (!c.to) return MEGURI_NO_MEMORY;
        w->by_arc = c.to;
    }
    meguri_status status = mg_sweep_over(&c.sweep, convert, &c, graph->arcs);
    return status == MEGURI_OK && c.bad != UINT64_MAX ? refuse(ctx, graph, column, c.bad) : status;
}

/* ---- parallel arcs in the order of their weights ---------------------------------------------------------------- */

typedef struct run_item {
    double weight;
    uint64_t arc; /* of the base's out-rows; increasing in rows of both ends where weights were equal */
    uint64_t place;
} run_item;

typedef struct ordering {
    meguri_ctx *ctx;
    const mg_rows *rows;
    meguri_type type;
    const void *by_arc;
    row_weights *to; /* of all arcs; NULL: it is only asked whether runs are in order */
    bool unsorted;   /* atomic */
} ordering;

static double weight_of(const ordering *o, uint64_t arc) {
    return mg_weight_at(o->by_arc, o->type, mg_row_out_arc(o->rows, arc));
}

static void find_unsorted(void *user, uint64_t begin, uint64_t end) {
    ordering *o = user;
    for (uint64_t v = begin; v < end && !mg_load(&o->unsorted); v++)
        for (uint64_t arc = mg_row_begin(o->rows, v) + 1; arc < mg_row_end(o->rows, v); arc++)
            if (o->rows->neighbors[arc - 1] == o->rows->neighbors[arc] && weight_of(o, arc - 1) > weight_of(o, arc))
                mg_store(&o->unsorted, true);
}

static int by_weight(const void *x, const void *y) {
    const run_item *a = x, *b = y;
    if (a->weight != b->weight) return a->weight < b->weight ? -1 : 1;
    return a->place < b->place ? -1 : a->place > b->place;
}

static void put(const ordering *o, uint64_t at, uint64_t arc) {
    size_t bytes = meguri_type_bytes(o->type);
    memcpy((char *)o->to->owned_weights + at * bytes, (const char *)o->by_arc + arc * bytes, bytes);
    if (!o->to->owned_arcs) return;
    if (o->rows->offsets32) ((uint32_t *)o->to->owned_arcs)[at] = (uint32_t)arc;
    else ((uint64_t *)o->to->owned_arcs)[at] = arc;
}

/* A run of parallel arcs; their order is that of the base where weights are equal, so it is the same at both ends. */
static bool order_run(const ordering *o, uint64_t begin, uint64_t end) {
    enum { FEW = 64 };
    run_item few[FEW], *items = few;
    uint64_t count = end - begin;
    if (count > FEW && !(items = mg_alloc_array(o->ctx, count, sizeof *items, what))) return false;
    for (uint64_t i = 0; i < count; i++)
        items[i] = (run_item){weight_of(o, begin + i), mg_row_out_arc(o->rows, begin + i), i};
    if (count > 1) qsort(items, count, sizeof *items, by_weight);
    for (uint64_t i = 0; i < count; i++) put(o, begin + i, items[i].arc);
    if (items != few) mg_free(items);
    return true;
}

static void order_rows(void *user, mg_worker *worker) {
    const ordering *o = user;
    for (mg_range chunk; mg_take(worker, &chunk);)
        for (uint64_t v = chunk.begin; v < chunk.end; v++)
            for (uint64_t arc = mg_row_begin(o->rows, v), end = mg_row_end(o->rows, v), next; arc < end; arc = next) {
                for (next = arc + 1; next < end && o->rows->neighbors[next] == o->rows->neighbors[arc];) next++;
                if (!order_run(o, arc, next)) mg_loop_fail(worker, MEGURI_NO_MEMORY);
            }
}

/* The weights of rows of the base. Those of in-rows have to be gathered also where runs are in order. */
static meguri_status make_row_weights(row_weights *out, meguri_ctx *ctx, const mg_weighting *w, const mg_rows *rows) {
    mg_sweep sweep = {.ctx = ctx, .phase = "weights", .total = rows->rows};
    ordering o = {.ctx = ctx, .rows = rows, .type = w->type, .by_arc = w->by_arc};
    *out = (row_weights){.weights = w->by_arc, .arcs = rows->out_arcs};
    meguri_status status = rows->out_arcs ? MEGURI_OK : mg_sweep_over(&sweep, find_unsorted, &o, rows->rows);
    if (status != MEGURI_OK || (!rows->out_arcs && !o.unsorted)) return status;
    out->owned_weights = mg_alloc_array(ctx, rows->arcs, meguri_type_bytes(w->type), what);
    out->owned_arcs = mg_alloc_array(ctx, rows->arcs, rows->offsets32 ? 4 : 8, what);
    if (!out->owned_weights || !out->owned_arcs) status = MEGURI_NO_MEMORY;
    o.to = out;
    mg_loop loop = {.ctx = ctx,
                    .threads = mg_threads(ctx, rows->arcs, GRAIN),
                    .items = rows->rows,
                    .chunk = 1024,
                    .work = order_rows,
                    .what = &o,
                    .phase = "weights",
                    .total = rows->rows};
    if (status == MEGURI_OK) status = mg_loop_run(&loop);
    if (status != MEGURI_OK) free_row_weights(out);
    void *weights = status == MEGURI_OK ? out->owned_weights : NULL;
    void *arcs = status == MEGURI_OK ? out->owned_arcs : NULL;
    *out = (row_weights){weights, arcs, weights, arcs};
    return status;
}

/* ---- the handle ------------------------------------------------------------------------------------------------- */

static meguri_status make_weighting(mg_weighting **out, meguri_ctx *ctx, const meguri_graph *graph, uint32_t number,
                                    const mg_column_view *column) {
    mg_rows rows;
    mg_weighting *w = mg_alloc_zero(ctx, sizeof *w, what);
    if (!w) return MEGURI_NO_MEMORY;
    w->column = number;
    meguri_status status = take_values(w, ctx, graph, column);
    if (status == MEGURI_OK) status = mg_graph_rows(&rows, ctx, graph);
    if (status == MEGURI_OK) status = make_row_weights(&w->out, ctx, w, &rows);
    if (status == MEGURI_OK) *out = w;
    else mg_weightings_free(w);
    return status;
}

static mg_weighting *find_weighting(const meguri_graph *graph, uint32_t column) {
    mg_weighting *w = graph->weightings;
    while (w && w->column != column) w = w->next;
    return w;
}

/* Where two threads make the same at once, that of the first is kept. */
static meguri_status get_weighting(mg_weighting **out, meguri_ctx *ctx, const meguri_graph *graph, uint32_t number,
                                   const mg_column_view *column) {
    meguri_graph *g = (meguri_graph *)graph; /* made once */
    mg_weighting *made;
    MG_ENTERED(entered);
    meguri_status status = mg_gate_enter(&entered, ctx, &g->gate, "the graph");
    if (status != MEGURI_OK) return status;
    *out = find_weighting(g, number);
    mg_gate_leave(&entered);
    if (*out) return MEGURI_OK;
    status = make_weighting(&made, ctx, graph, number, column);
    if (status != MEGURI_OK) return status;
    status = mg_gate_enter(&entered, ctx, &g->gate, "the graph");
    if (status == MEGURI_OK) *out = find_weighting(g, number);
    if (status == MEGURI_OK && !*out) {
        made->next = g->weightings;
        *out = g->weightings = made;
        made = NULL;
    }
    mg_gate_leave(&entered);
    mg_weightings_free(made);
    return status;
}

static meguri_graph *make_view(meguri_ctx *ctx, const meguri_graph *base, mg_weighting *weighting) {
    meguri_graph *g = mg_graph_shell(ctx);
    mg_part_data *part = g ? mg_alloc_array_zero(ctx, base->part_count, sizeof *part, what) : NULL;
    if (!part) {
        meguri_graph_free(g);
        return NULL;
    }
    for (uint32_t i = 0; i < base->part_count; i++)
        if (i < MG_PART_INDEX_FACTS || i > MG_PART_INDEX_HALVES) /* an index is for the weights of the base */
            part[i] = (mg_part_data){.data = base->part[i].data, .bytes = base->part[i].bytes};
    mg_free(g->part);
    g->part = part;
    g->part_count = base->part_count;
    memcpy(g->columns, base->columns, sizeof g->columns);
    g->vertices = base->vertices, g->rows = base->rows, g->arcs = base->arcs, g->edges = base->edges;
    g->isolated = base->isolated;
    g->directed = base->directed;
    g->id_kind = base->id_kind, g->id_base = base->id_base;
    g->order = base->order;
    g->offset_bytes = base->offset_bytes;
    g->weight_type = weighting->type;
    g->weighting = weighting;
    g->view_of = mg_graph_hold(base);
    return g;
}

meguri_status mg_graph_weighted(const meguri_graph **out, meguri_ctx *ctx, const meguri_graph *graph,
                                const char *name) {
    uint32_t number;
    mg_column_view column = {.name = NULL};
    mg_weighting *weighting;
    *out = NULL;
    if (!name) {
        *out = mg_graph_hold(graph);
        return MEGURI_OK;
    }
    meguri_status status = mg_graph_whole(ctx, graph);
    if (status == MEGURI_OK) status = mg_column_find(&number, ctx, graph, MG_OF_EDGES, name);
    if (status == MEGURI_OK) status = mg_graph_column(&column, ctx, graph, number, true);
    if (status == MEGURI_OK) status = get_weighting(&weighting, ctx, graph, number, &column);
    if (status == MEGURI_OK && !(*out = make_view(ctx, graph, weighting))) status = MEGURI_NO_MEMORY;
    return status;
}

/* ---- its rows --------------------------------------------------------------------------------------------------- */

meguri_status mg_weighted_rows(mg_rows *out, meguri_ctx *ctx, const meguri_graph *graph) {
    meguri_status status = mg_graph_rows(out, ctx, graph->view_of);
    out->weights = graph->weighting->out.weights;
    out->out_arcs = graph->weighting->out.arcs;
    return status;
}

meguri_status mg_weighted_in_rows(mg_rows *out, meguri_ctx *ctx, const meguri_graph *graph) {
    meguri_graph *base = (meguri_graph *)graph->view_of; /* made once, within its gate */
    mg_weighting *w = graph->weighting;
    if (!graph->directed) return mg_weighted_rows(out, ctx, graph);
    meguri_status status = mg_graph_in_rows(out, ctx, base);
    if (status != MEGURI_OK) return status;
    MG_ENTERED(entered);
    status = mg_gate_enter(&entered, ctx, &base->gate, "the graph");
    if (status == MEGURI_OK && !w->has_in) {
        status = make_row_weights(&w->in, ctx, w, out);
        w->has_in = status == MEGURI_OK;
    }
    if (status != MEGURI_OK) return status;
    out->weights = w->in.weights;
    out->out_arcs = w->in.arcs;
    return status;
}

meguri_status mg_weighted_edge_numbers(mg_edge_numbers *out, meguri_ctx *ctx, const meguri_graph *graph) {
    meguri_status status = mg_graph_edge_numbers(out, ctx, graph->view_of);
    out->rows.weights = graph->weighting->by_arc;
    return status;
}
