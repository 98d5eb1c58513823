/* A graph with other weights and columns than the one it is made from: rows, ids, order and coordinates are those of
 * the base, which it holds.
 *
 * Parallel arcs lie in the order of their weights (mg_rows). New weights may need another order: then arcs of one run
 * are exchanged, the same in the rows of both ends, because both have them in the same order before. The targets of a
 * run are equal, so targets and offsets stay where they are, and so does the place of each arc of the in-rows among the
 * out-rows; only weights and values of columns move. */
#define _GNU_SOURCE /* stpcpy */
#include "graph/internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { GRAIN = 1 << 14 };

typedef struct changing {
    mg_sweep sweep;
    const meguri_graph *base;
    meguri_with_columns_options options;
    mg_rows rows;
    const void *edges; /* of each arc the edge in the base; NULL: the arc is the edge */
    uint32_t edge_bytes;
    uint64_t *places;  /* of each arc the arc of the base that is there now; NULL: the same */
    uint64_t unsorted; /* runs; atomic */
    bool no_memory;    /* atomic */
    const char *from;  /* what is gathered, items of `bytes` */
    char *to;
    size_t bytes;
    const void *in_edges; /* as `edges`, of the in-rows */
    uint32_t in_edge_bytes;
} changing;

static uint64_t number_at(const void *numbers, uint32_t bytes, uint64_t i) {
    return !numbers ? i : bytes == 4 ? ((const uint32_t *)numbers)[i] : ((const uint64_t *)numbers)[i];
}

static uint64_t place_of(const changing *c, uint64_t arc) { return c->places ? c->places[arc] : arc; }
static uint64_t edge_at(const changing *c, uint64_t arc) {
    return number_at(c->edges, c->edge_bytes, place_of(c, arc));
}

/* ---- the order of parallel arcs --------------------------------------------------------------------------------- */

typedef struct weighed {
    double weight;
    uint64_t arc;
} weighed;

static int by_weight(const void *a, const void *b) {
    const weighed *x = a, *y = b;
    if (x->weight != y->weight) return x->weight < y->weight ? -1 : 1;
    return x->arc < y->arc ? -1 : x->arc > y->arc;
}

static double new_weight(const changing *c, uint64_t arc) {
    return mg_weight_at(c->options.weights, c->options.weight_type, number_at(c->edges, c->edge_bytes, arc));
}

static bool run_is_sorted(const changing *c, uint64_t first, uint64_t end) {
    for (uint64_t arc = first + 1; arc < end; arc++)
        if (new_weight(c, arc) < new_weight(c, arc - 1)) return false;
    return true;
}

static void sort_run(changing *c, uint64_t first, uint64_t end) {
    weighed *run = mg_alloc_array(c->sweep.ctx, end - first, sizeof *run, "parallel edges");
    if (!run) {
        mg_store(&c->no_memory, true);
        return;
    }
    for (uint64_t arc = first; arc < end; arc++) run[arc - first] = (weighed){new_weight(c, arc), arc};
    qsort(run, end - first, sizeof *run, by_weight);
    for (uint64_t arc = first; arc < end; arc++) c->places[arc] = run[arc - first].arc;
    mg_free(run);
}

/* Counts runs out of order; where there are places, sorts them. */
static void look_at_runs(void *what, uint64_t begin, uint64_t end) {
    changing *c = what;
    uint64_t unsorted = 0;
    for (uint64_t v = begin; v < end; v++)
        for (uint64_t first = mg_row_begin(&c->rows, v), row_end = mg_row_end(&c->rows, v), next; first < row_end;
             first = next) {
            for (next = first + 1; next < row_end && c->rows.neighbors[next] == c->rows.neighbors[first];) next++;
            bool sorted = next == first + 1 || run_is_sorted(c, first, next);
            unsorted += !sorted;
            if (!c->places) continue;
            for (uint64_t arc = first; sorted && arc < next; arc++) c->places[arc] = arc;
            if (!sorted) sort_run(c, first, next);
        }
    mg_fetch_add(&c->unsorted, unsorted);
}

static meguri_status order_runs(changing *c) {
    meguri_status status = mg_sweep_over(&c->sweep, look_at_runs, c, c->rows.rows);
    if (status != MEGURI_OK || !c->unsorted) return status;
    c->places = mg_alloc_array(c->sweep.ctx, c->rows.arcs, sizeof *c->places, "parallel edges");
    if (!c->places) return MEGURI_NO_MEMORY;
    status = mg_sweep_over(&c->sweep, look_at_runs, c, c->rows.rows);
    return status == MEGURI_OK && c->no_memory ? MEGURI_NO_MEMORY : status;
}

/* ---- weights ---------------------------------------------------------------------------------------------------- */

/* By the edge of each arc. */
static void gather_edges(void *what, uint64_t begin, uint64_t end) {
    const changing *c = what;
    for (uint64_t i = begin; i < end; i++) memcpy(c->to + i * c->bytes, c->from + edge_at(c, i) * c->bytes, c->bytes);
}

/* By the place of each arc. */
static void gather_places(void *what, uint64_t begin, uint64_t end) {
    const changing *c = what;
    for (uint64_t i = begin; i < end; i++) memcpy(c->to + i * c->bytes, c->from + c->places[i] * c->bytes, c->bytes);
}

/* The arcs of the in-rows, by the arc of the out-rows that each is: its place does not change. */
static void gather_in(void *what, uint64_t begin, uint64_t end) {
    const changing *c = what;
    for (uint64_t i = begin; i < end; i++)
        memcpy(c->to + i * c->bytes, c->from + number_at(c->in_edges, c->in_edge_bytes, i) * c->bytes, c->bytes);
}

static meguri_status gather(mg_part_data *out, changing *c, mg_range_fn *by, const void *from, size_t bytes) {
    c->from = from;
    c->bytes = bytes;
    c->to = mg_alloc_array(c->sweep.ctx, c->rows.arcs, bytes, "columns of edges");
    if (!c->to) return MEGURI_NO_MEMORY;
    *out = (mg_part_data){.data = c->to, .bytes = c->rows.arcs * bytes, .owned = c->to};
    return mg_sweep_over(&c->sweep, by, c, c->rows.arcs);
}

static uint64_t count_nan(const void *what, uint64_t begin, uint64_t end) {
    const meguri_with_columns_options *o = what;
    uint64_t count = 0;
    for (uint64_t i = begin; i < end; i++) count += isnan(mg_weight_at(o->weights, o->weight_type, i));
    return count;
}

static meguri_status give_weights(meguri_graph *graph, changing *c) {
    meguri_ctx *ctx = c->sweep.ctx;
    const meguri_with_columns_options *o = &c->options;
    uint64_t edges = c->base->edges;
    if (mg_sum_over(ctx, mg_threads(ctx, edges, GRAIN), edges, count_nan, o))
        return mg_fail(ctx, MEGURI_BAD_INPUT, "an edge has a weight that is not a number (NaN).");
    meguri_status status = order_runs(c);
    mg_part_data *weights = &graph->part[MG_PART_WEIGHTS];
    graph->weight_type = graph->declared_weights = o->weight_type;
    if (status == MEGURI_OK) status = gather(weights, c, gather_edges, o->weights, meguri_type_bytes(o->weight_type));
    if (status == MEGURI_OK) status = mg_weights_narrow(ctx, weights, &graph->weight_type, c->rows.arcs);
    if (status != MEGURI_OK || !c->in_edges) return status;
    return gather(&graph->part[MG_PART_IN_WEIGHTS], c, gather_in, weights->data, meguri_type_bytes(graph->weight_type));
}

/* ---- what is shared --------------------------------------------------------------------------------------------- */

static meguri_status share(meguri_graph *graph, meguri_ctx *ctx, const meguri_graph *base, mg_part to, mg_part from) {
    const void *data;
    meguri_status status = mg_graph_part(&data, ctx, base, from);
    if (status == MEGURI_OK) graph->part[to] = (mg_part_data){.data = data, .bytes = base->part[from].bytes};
    return status;
}

static bool is_index(mg_part part) { return part >= MG_PART_INDEX_FACTS && part <= MG_PART_INDEX_HALVES; }

static meguri_status share_parts(meguri_graph *graph, changing *c) {
    meguri_status status = MEGURI_OK;
    bool reweighted = c->options.weights != NULL;
    for (mg_part part = 0; part < MG_PART_FIXED && status == MEGURI_OK; part++) {
        bool replaced = reweighted && (part == MG_PART_WEIGHTS || part == MG_PART_IN_WEIGHTS || is_index(part));
        bool of_columns = part == MG_PART_COLUMNS || part == MG_PART_COLUMN_TEXTS;
        if (!replaced && !of_columns) status = share(graph, c->sweep.ctx, c->base, part, part);
    }
    return status;
}

/* In-rows that are kept name the arcs of the out-rows once edges have columns. */
static void widen(void *what, uint64_t begin, uint64_t end) {
    const changing *c = what;
    for (uint64_t i = begin; i < end; i++) {
        uint64_t arc = number_at(c->in_edges, c->in_edge_bytes, i);
        if (c->bytes == 4) ((uint32_t *)(void *)c->to)[i] = (uint32_t)arc;
        else ((uint64_t *)(void *)c->to)[i] = arc;
    }
}

static meguri_status give_in_arcs(meguri_graph *graph, changing *c) {
    if (!c->in_edges || graph->part[MG_PART_IN_ARCS].data || !mg_graph_column_count(graph)) return MEGURI_OK;
    return gather(&graph->part[MG_PART_IN_ARCS], c, widen, NULL, graph->offset_bytes);
}

/* ---- columns ---------------------------------------------------------------------------------------------------- */

/* Columns of the caller's, by the edge of each arc, in a graph of their own. */
static meguri_status build_columns(meguri_graph **out, changing *c) {
    meguri_ctx *ctx = c->sweep.ctx;
    const meguri_with_columns_options *o = &c->options;
    uint64_t edges = c->base->edges, arcs = c->rows.arcs;
    uint32_t number_bytes = edges <= UINT32_MAX ? 4 : 8;
    meguri_edge_arrays arrays = {
        .size = sizeof arrays, .count = edges, .id_bytes = 4, .columns = o->columns, .column_count = o->column_count};
    mg_edges *list = NULL;
    uint32_t *ends = mg_alloc_array_zero(ctx, edges, 8, "columns of edges"); /* which the list has, and nothing reads */
    void *numbers = mg_alloc_array(ctx, arcs, number_bytes, "columns of edges");
    meguri_status status = ends && numbers ? mg_edges_new(&list, ctx) : MEGURI_NO_MEMORY;
    for (uint64_t i = 0; i < arcs && status == MEGURI_OK; i++) {
        if (number_bytes == 4) ((uint32_t *)numbers)[i] = (uint32_t)edge_at(c, i);
        else ((uint64_t *)numbers)[i] = edge_at(c, i);
    }
    arrays.from = ends;
    arrays.to = ends ? ends + 1 : NULL;
    arrays.stride = 8;
    if (status == MEGURI_OK) status = mg_arrays_list(ctx, list, &arrays);
    if (status == MEGURI_OK) mg_edges_number(list);
    *out = status == MEGURI_OK ? mg_graph_shell(ctx) : NULL;
    if (status == MEGURI_OK && !*out) status = MEGURI_NO_MEMORY;
    if (status == MEGURI_OK) {
        mg_graph_copy_facts(*out, c->base);
        (*out)->part_count = MG_PART_FIXED;
        memset((*out)->columns, 0, sizeof(*out)->columns);
        status = mg_columns_build(*out, ctx, MG_OF_EDGES, list, numbers, number_bytes);
    }
    mg_edges_free(list);
    mg_free(numbers);
    mg_free(ends);
    return status;
}

/* A column of the graph that is made: one of the base, or a new one. */
typedef struct column_choice {
    const meguri_graph *of;
    uint32_t column;
    mg_column_view view;
} column_choice;

static meguri_status choose_columns(column_choice *all, uint32_t *count, changing *c, const meguri_graph *fresh) {
    meguri_ctx *ctx = c->sweep.ctx;
    meguri_status status = MEGURI_OK;
    uint32_t before = mg_graph_column_count(c->base), more = fresh ? mg_graph_column_count(fresh) : 0;
    for (*count = 0; *count < before && status == MEGURI_OK; (*count)++) {
        all[*count] = (column_choice){.of = c->base, .column = *count};
        status = mg_graph_column(&all[*count].view, ctx, c->base, *count, true);
    }
    for (uint32_t i = 0; i < more && status == MEGURI_OK; i++) {
        column_choice choice = {.of = fresh, .column = i};
        status = mg_graph_column(&choice.view, ctx, fresh, i, true);
        uint32_t at = 0;
        while (status == MEGURI_OK && at < *count && strcmp(all[at].view.name, choice.view.name) != 0) at++;
        if (status == MEGURI_OK) all[at] = choice, *count += at == *count;
    }
    return status;
}

static meguri_status give_texts(meguri_graph *graph, meguri_ctx *ctx, const column_choice *all, uint32_t count) {
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < count; i++) {
        bytes += strlen(all[i].view.name) + 1;
        for (uint32_t l = 0; l < all[i].view.what.labels; l++) bytes += strlen(all[i].view.labels[l]) + 1;
    }
    char *texts = mg_alloc(ctx, bytes, "the names of columns"), *to = texts;
    mg_column *columns = mg_alloc_array(ctx, count, sizeof *columns, "columns of edges");
    if (!texts || !columns) {
        mg_free(texts);
        mg_free(columns);
        return MEGURI_NO_MEMORY;
    }
    for (uint32_t i = 0; i < count; i++) {
        columns[i] = all[i].view.what;
        to = stpcpy(to, all[i].view.name) + 1;
        for (uint32_t l = 0; l < columns[i].labels; l++) to = stpcpy(to, all[i].view.labels[l]) + 1;
    }
    mg_graph_own(graph, MG_PART_COLUMN_TEXTS, texts, bytes);
    mg_graph_own(graph, MG_PART_COLUMNS, columns, count * sizeof *columns);
    return MEGURI_OK;
}

/* Bytes of the bitmap, by the place of each arc. */
static void gather_bits(void *what, uint64_t begin, uint64_t end) {
    const changing *c = what;
    for (uint64_t i = begin * 8; i < MG_MIN(end * 8, c->rows.arcs); i++)
        mg_bit_put((uint8_t *)c->to, i, mg_bit_at((const uint8_t *)c->from, c->places[i]));
}

static meguri_status gather_validity(mg_part_data *out, changing *c, const uint8_t *validity) {
    uint64_t bytes = mg_bits_bytes(c->rows.arcs);
    if (!validity) return MEGURI_OK;
    c->from = (const char *)validity;
    c->to = mg_alloc_zero(c->sweep.ctx, bytes, "columns of edges");
    if (!c->to) return MEGURI_NO_MEMORY;
    *out = (mg_part_data){.data = c->to, .bytes = bytes, .owned = c->to};
    return mg_sweep_over(&c->sweep, gather_bits, c, bytes);
}

/* Values of the base stay where they are, unless parallel edges have been exchanged. */
static meguri_status give_values(meguri_graph *graph, changing *c, const column_choice *choice, uint32_t at) {
    _Static_assert(MG_COLUMN_PIECES == 2, "each piece of a column is shared, moved or gathered");
    meguri_status status = MEGURI_OK;
    for (int piece = 0; piece < MG_COLUMN_PIECES && status == MEGURI_OK; piece++) {
        mg_part to = mg_column_part(graph, MG_OF_EDGES, at, (mg_column_piece)piece);
        mg_part from = mg_column_part(choice->of, MG_OF_EDGES, choice->column, (mg_column_piece)piece);
        if (choice->of != c->base) { /* moved */
            meguri_graph *fresh = (meguri_graph *)choice->of;
            graph->part[to] = fresh->part[from];
            fresh->part[from] = (mg_part_data){.data = NULL};
        } else if (!c->places) status = share(graph, c->sweep.ctx, c->base, to, from);
        else if (piece == MG_COLUMN_VALIDITY) status = gather_validity(&graph->part[to], c, choice->view.validity);
        else {
            size_t bytes = meguri_type_bytes(mg_code_type(choice->view.what.code));
            status = gather(&graph->part[to], c, gather_places, choice->view.values, bytes);
        }
    }
    return status;
}

static meguri_status give_columns(meguri_graph *graph, changing *c) {
    meguri_ctx *ctx = c->sweep.ctx;
    meguri_graph *fresh = NULL;
    uint32_t count = 0, most = mg_graph_column_count(c->base) + c->options.column_count;
    column_choice *all = mg_alloc_array(ctx, most, sizeof *all, "columns of edges");
    meguri_status status = all ? MEGURI_OK : MEGURI_NO_MEMORY;
    if (status == MEGURI_OK && c->options.column_count) status = build_columns(&fresh, c);
    if (status == MEGURI_OK) status = choose_columns(all, &count, c, fresh);
    uint32_t of_vertices = mg_columns_count(c->base, MG_OF_VERTICES);
    if (status == MEGURI_OK) status = mg_graph_make_columns(ctx, graph, MG_OF_VERTICES, of_vertices);
    if (status == MEGURI_OK) status = mg_graph_make_columns(ctx, graph, MG_OF_EDGES, count);
    for (uint32_t i = 0; i < of_vertices * MG_COLUMN_PIECES && status == MEGURI_OK; i++)
        status = share(graph, ctx, c->base, (mg_part)(MG_PART_FIXED + i), (mg_part)(MG_PART_FIXED + i));
    if (status == MEGURI_OK && count) status = give_texts(graph, ctx, all, count);
    for (uint32_t i = 0; i < count && status == MEGURI_OK; i++) status = give_values(graph, c, &all[i], i);
    meguri_graph_free(fresh);
    mg_free(all);
    if (status != MEGURI_OK) return status;
    const char *trouble = mg_columns_trouble(graph, MG_OF_EDGES);
    return trouble ? mg_fail(ctx, MEGURI_BAD_ARGUMENT, "the columns of the new graph %s.", trouble) : MEGURI_OK;
}

/* ---- all of it -------------------------------------------------------------------------------------------------- */

static void tell_edges(void *what, uint64_t begin, uint64_t end) {
    const changing *c = what;
    for (uint64_t v = begin; v < end; v++)
        for (uint64_t arc = mg_row_begin(&c->rows, v); arc < mg_row_end(&c->rows, v); arc++)
            if (c->base->directed || c->rows.neighbors[arc] >= v)
                c->options.base_edges[number_at(c->edges, c->edge_bytes, arc)] = edge_at(c, arc);
}

static meguri_status find_edges(changing *c) {
    meguri_ctx *ctx = c->sweep.ctx;
    mg_edge_numbers numbers;
    mg_rows in;
    meguri_status status = mg_graph_edge_numbers(&numbers, ctx, c->base);
    if (status == MEGURI_OK) c->rows = numbers.rows;
    if (status == MEGURI_OK && numbers.before)
        status = mg_graph_row_edges(&c->edges, &c->edge_bytes, ctx, c->base, &numbers, &c->rows, false);
    if (status != MEGURI_OK || !mg_graph_keeps_in_rows(c->base)) return status;
    status = mg_graph_in_rows(&in, ctx, c->base);
    if (status == MEGURI_OK)
        status = mg_graph_row_edges(&c->in_edges, &c->in_edge_bytes, ctx, c->base, &numbers, &in, true);
    return status;
}

/* The graph whose arrays are shared: where all that a base has of its own is replaced, that of the base. */
static const meguri_graph *owner_of(const meguri_graph *base, const meguri_graph *graph) {
    while (base->base) {
        for (uint32_t i = 0; i < base->part_count; i++)
            for (uint32_t j = 0; (base->part[i].owned || base->part[i].mapped) && j < graph->part_count; j++)
                if (graph->part[j].data == base->part[i].data) return base;
        base = base->base;
    }
    return base;
}

static meguri_status make(meguri_graph **out, meguri_ctx *ctx, const meguri_graph *base,
                          const meguri_with_columns_options *options) {
    changing c = {.sweep = {.ctx = ctx, .phase = "columns", .total = base->arcs}, .base = base, .options = *options};
    meguri_graph *graph = mg_graph_shell(ctx);
    if (!graph) return MEGURI_NO_MEMORY;
    mg_graph_copy_facts(graph, base);
    graph->part_count = MG_PART_FIXED;
    memset(graph->columns, 0, sizeof graph->columns);
    meguri_status status = find_edges(&c);
    if (status == MEGURI_OK) status = share_parts(graph, &c);
    if (status == MEGURI_OK && c.options.weights) status = give_weights(graph, &c);
    if (status == MEGURI_OK) status = give_columns(graph, &c);
    if (status == MEGURI_OK) status = give_in_arcs(graph, &c);
    if (status == MEGURI_OK && c.options.base_edges) status = mg_sweep_over(&c.sweep, tell_edges, &c, c.rows.rows);
    mg_free(c.places);
    if (status == MEGURI_OK) graph->base = mg_graph_hold(owner_of(base, graph));
    if (status == MEGURI_OK) *out = graph;
    else meguri_graph_free(graph);
    return status;
}

meguri_status meguri_graph_with_columns(meguri_graph **out, meguri_ctx *ctx, const meguri_graph *base,
                                        const meguri_with_columns_options *options) {
    if (out) *out = NULL;
    if (!out || !ctx || !base) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    meguri_with_columns_options o;
    double since = mg_now();
    meguri_status status = MG_OPTIONS(ctx, &o, options, meguri_with_columns_options);
    if (status == MEGURI_OK) status = mg_graph_whole(ctx, base);
    if (status == MEGURI_OK) status = mg_columns_check(ctx, o.columns, o.column_count);
    if (status != MEGURI_OK) return status;
    if ((o.weight_type && !mg_type_is_weight(o.weight_type)) || !o.weights != !o.weight_type)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                       "meguri_graph_with_columns: weights and weight_type must be given together.");
    status = make(out, ctx, base, &o);
    if (status == MEGURI_OK) mg_trace_phase(ctx, "columns", "graph", (int64_t)base->arcs, -1, since);
    return status;
}
