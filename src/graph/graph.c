/* The graph handle: its parts, checked at first use where they lie in a file, and what can be told in O(1). */
#include "graph/internal.h"

#include <inttypes.h>

static void free_parts(meguri_graph *graph) {
    for (uint32_t part = 0; graph->part && part < graph->part_count; part++) mg_part_data_free(&graph->part[part]);
    mg_free(graph->part);
    mg_free(graph->checked);
}

meguri_graph *mg_graph_shell(meguri_ctx *ctx) {
    meguri_graph *graph = mg_alloc_zero(ctx, sizeof *graph, "a graph");
    if (!graph) return NULL;
    graph->holders = 1;
    graph->processes = 1;
    graph->offset_bytes = 4;
    graph->order = MEGURI_ORDER_NONE;
    graph->part_count = MG_PART_FIXED;
    graph->part = mg_alloc_array_zero(ctx, graph->part_count, sizeof *graph->part, "a graph");
    graph->checked = mg_alloc_array_zero(ctx, graph->part_count, sizeof *graph->checked, "a graph");
    if (!graph->part || !graph->checked) {
        free_parts(graph);
        mg_free(graph);
        return NULL;
    }
    return graph;
}

void mg_graph_drop_part(meguri_graph *graph, mg_part part) { mg_part_data_free(&graph->part[part]); }

void mg_graph_own(meguri_graph *graph, mg_part part, void *owned, uint64_t bytes) {
    mg_graph_drop_part(graph, part);
    graph->part[part] = (mg_part_data){.data = owned, .bytes = bytes, .owned = owned};
    graph->checked[part] = true;
}

meguri_status mg_graph_make_columns(meguri_ctx *ctx, meguri_graph *graph, mg_column_set set, uint32_t count) {
    uint32_t others = graph->columns[MG_OF_EDGES] + graph->columns[MG_OF_VERTICES] - graph->columns[set];
    uint64_t parts = MG_PART_FIXED + ((uint64_t)others + count) * MG_COLUMN_PIECES;
    if (parts > MG_MOST_PARTS)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "%" PRIu32 " columns are more than a graph can number.", count);
    mg_part_data *part = mg_alloc_array_zero(ctx, parts, sizeof *part, "the columns of a graph");
    bool *checked = mg_alloc_array_zero(ctx, parts, sizeof *checked, "the columns of a graph");
    meguri_graph old = *graph;
    if (!part || !checked) {
        mg_free(part);
        mg_free(checked);
        return MEGURI_NO_MEMORY;
    }
    graph->part = part;
    graph->checked = checked;
    graph->part_count = (uint32_t)parts;
    graph->columns[set] = count;
    for (uint32_t i = 0; i < old.part_count; i++) { /* to its new place; what a column had that is no more is freed */
        mg_column_place place;
        bool is_column = mg_part_is_column(&place, &old, (mg_part)i), stays = !is_column || place.set != set;
        if (!stays) mg_part_data_free(&old.part[i]);
        else {
            mg_part to = is_column ? mg_column_part(graph, place.set, place.column, place.piece) : (mg_part)i;
            part[to] = old.part[i];
            checked[to] = old.checked[i];
        }
    }
    mg_free(old.part);
    mg_free(old.checked);
    return MEGURI_OK;
}

void mg_graph_copy_facts(meguri_graph *to, const meguri_graph *from) {
    to->processes = from->processes;
    to->vertices = from->vertices;
    to->rows = from->rows;
    to->arcs = from->arcs;
    to->edges = from->edges;
    to->isolated = from->isolated;
    to->directed = from->directed;
    to->weight_type = from->weight_type;
    to->declared_weights = from->declared_weights;
    to->id_kind = from->id_kind;
    to->order = from->order;
    to->offset_bytes = from->offset_bytes;
    to->id_base = from->id_base;
    to->input_edges = from->input_edges;
    to->dropped_duplicates = from->dropped_duplicates;
    to->dropped_loops = from->dropped_loops;
    to->part_count = from->part_count;
    memcpy(to->columns, from->columns, sizeof to->columns);
}

const meguri_graph *mg_graph_hold(const meguri_graph *graph) {
    mg_fetch_add(&((meguri_graph *)graph)->holders, 1);
    return graph;
}

void meguri_graph_free(meguri_graph *graph) {
    if (!graph || __atomic_sub_fetch(&graph->holders, 1, __ATOMIC_ACQ_REL) > 0) return;
    if (graph->elsewhere) graph->elsewhere->free(graph->parts);
    free_parts(graph);
    mg_weightings_free(graph->weightings);
    mg_graph_free_in_rows(graph);
    for (int set = 0; set < 2; set++) mg_free(graph->column_texts[set]);
    for (int in = 0; in < 2; in++) mg_free(graph->row_edges[in]);
    mg_free(graph->forward_before);
    mg_part_data_free(&graph->numbers);
    if (graph->backing) graph->backing->close(graph->backing);
    if (graph->release) graph->release(graph->release_user);
    if (graph->base) mg_graph_let_go(graph->base);
    meguri_graph_free((meguri_graph *)graph->view_of);
    mg_free(graph);
}

/* The graph is immutable to its users; what is checked or made at first use is guarded by its gate. */
static meguri_graph *lazily(const meguri_graph *graph) { return (meguri_graph *)graph; }

meguri_status mg_graph_part(const void **out, meguri_ctx *ctx, const meguri_graph *graph, mg_part part) {
    const mg_part_data *p = &graph->part[part];
    *out = NULL;
    if (!p->data) return mg_graph_whole(ctx, graph);
    if (graph->view_of) return mg_graph_part(out, ctx, graph->view_of, part);
    if (graph->backing && !__atomic_load_n(&graph->checked[part], __ATOMIC_ACQUIRE)) {
        meguri_graph *g = lazily(graph);
        MG_ENTERED(entered);
        meguri_status status = mg_gate_enter(&entered, ctx, &g->gate, "the graph");
        if (status == MEGURI_OK && !g->checked[part]) {
            status = g->backing->check(g->backing, ctx, g, part, 0, p->bytes);
            if (status == MEGURI_OK) __atomic_store_n(&g->checked[part], true, __ATOMIC_RELEASE);
        }
        if (status != MEGURI_OK) return status;
    }
    *out = p->data;
    return MEGURI_OK;
}

meguri_status mg_graph_part_range(const void **out, meguri_ctx *ctx, const meguri_graph *graph, mg_part part,
                                  uint64_t begin, uint64_t end) {
    const mg_part_data *p = &graph->part[part];
    *out = NULL;
    if (!p->data) return mg_graph_whole(ctx, graph);
    if (graph->view_of) return mg_graph_part_range(out, ctx, graph->view_of, part, begin, end);
    if (graph->backing && !__atomic_load_n(&graph->checked[part], __ATOMIC_ACQUIRE)) {
        meguri_status status = graph->backing->check(graph->backing, ctx, graph, part, begin, end);
        if (status != MEGURI_OK) return status;
    }
    *out = (const char *)p->data + begin;
    return MEGURI_OK;
}

meguri_status mg_graph_rows(mg_rows *out, meguri_ctx *ctx, const meguri_graph *graph) {
    const void *offsets, *neighbors, *weights;
    if (graph->view_of) return mg_weighted_rows(out, ctx, graph);
    meguri_status status = mg_graph_part(&offsets, ctx, graph, MG_PART_OFFSETS);
    if (status == MEGURI_OK) status = mg_graph_part(&neighbors, ctx, graph, MG_PART_NEIGHBORS);
    if (status == MEGURI_OK) status = mg_graph_part(&weights, ctx, graph, MG_PART_WEIGHTS);
    if (status != MEGURI_OK) return status;
    *out = (mg_rows){.rows = graph->rows,
                     .arcs = graph->arcs,
                     .offsets32 = graph->offset_bytes == 4 ? offsets : NULL,
                     .offsets64 = graph->offset_bytes == 8 ? offsets : NULL,
                     .neighbors = neighbors,
                     .weights = weights};
    return MEGURI_OK;
}

meguri_status mg_graph_numbering(mg_numbering *out, meguri_ctx *ctx, const meguri_graph *graph) {
    const void *to_user, *to_internal;
    meguri_status status = mg_graph_part(&to_user, ctx, graph, MG_PART_TO_USER);
    if (status == MEGURI_OK) status = mg_graph_part(&to_internal, ctx, graph, MG_PART_TO_INTERNAL);
    if (status == MEGURI_OK) *out = (mg_numbering){to_user, to_internal};
    return status;
}

uint32_t mg_graph_first_leaf(const meguri_graph *graph, const mg_rows *rows) {
    if (graph->directed || graph->order != MEGURI_ORDER_DEGREE) return (uint32_t)rows->rows;
    uint64_t low = 0, high = rows->rows;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (mg_row_offset(rows, middle + 1) - mg_row_offset(rows, middle) > 1) low = middle + 1;
        else high = middle;
    }
    return (uint32_t)low;
}

uint64_t mg_row_of_arc(const mg_rows *rows, uint64_t arc) {
    uint64_t low = 0, high = rows->rows;
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (mg_row_offset(rows, middle) <= arc) low = middle;
        else high = middle;
    }
    return low;
}

double mg_weight_at(const void *weights, meguri_type type, uint64_t i) {
    switch (type) {
    case MEGURI_TYPE_U8: return ((const uint8_t *)weights)[i];
    case MEGURI_TYPE_U16: return ((const uint16_t *)weights)[i];
    case MEGURI_TYPE_U32: return ((const uint32_t *)weights)[i];
    case MEGURI_TYPE_F32: return (double)((const float *)weights)[i];
    case MEGURI_TYPE_F64: return ((const double *)weights)[i];
    case MEGURI_TYPE_I8: return ((const int8_t *)weights)[i];
    case MEGURI_TYPE_I16: return ((const int16_t *)weights)[i];
    case MEGURI_TYPE_I32: return ((const int32_t *)weights)[i];
    case MEGURI_TYPE_I64: return (double)((const int64_t *)weights)[i];
    case MEGURI_TYPE_U64: return (double)((const uint64_t *)weights)[i];
    default: return 1;
    }
}

const char *meguri_id_kind_name(meguri_id_kind kind) {
    static const char *const names[] = {"unsigned", "signed", "string"};
    return (unsigned)kind < sizeof names / sizeof *names ? names[kind] : "unknown";
}

const char *meguri_order_name(meguri_order order) {
    static const char *const names[] = {"auto", "degree", "bfs", "none"};
    return (unsigned)order < sizeof names / sizeof *names ? names[order] : "unknown";
}

static void add_part(meguri_graph_info *info, const mg_part_data *part) {
    info->memory_bytes += mg_block_bytes(part->owned);
    if (part->mapped) info->mapped_bytes += part->mapped_bytes;
}

/* Of forms that others may be making now. */
static meguri_status add_bytes(meguri_graph_info *info, meguri_ctx *ctx, meguri_graph *graph) {
    MG_ENTERED(entered);
    meguri_status status = MEGURI_OK;
    /* Forms are added once they are whole: a callback of the making sees the graph as it was before. */
    if (!mg_gate_is_held(&graph->gate)) status = mg_gate_enter(&entered, ctx, &graph->gate, "the graph");
    if (status != MEGURI_OK) return status;
    const void *const forms[] = {graph->in_offsets,   graph->forward_before,  graph->row_edges[0],
                                 graph->row_edges[1], graph->column_texts[0], graph->column_texts[1]};
    for (uint32_t i = 0; i < graph->part_count; i++) add_part(info, &graph->part[i]);
    add_part(info, &graph->in_neighbors);
    add_part(info, &graph->in_weights);
    add_part(info, &graph->in_out_arcs);
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) info->memory_bytes += mg_block_bytes(forms[i]);
    if (graph->backing) info->memory_bytes += graph->backing->memory_bytes;
    if (graph->backing) info->mapped_bytes += graph->backing->mapped_bytes;
    return MEGURI_OK;
}

meguri_status meguri_graph_get_info(meguri_graph_info *out, meguri_ctx *ctx, const meguri_graph *graph) {
    if (!ctx) return MEGURI_BAD_ARGUMENT;
    mg_begin(ctx);
    if (!out || !graph) return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "meguri_graph_get_info needs a place and a graph.");
    meguri_graph_info info = {.size = out->size,
                              .vertices = graph->vertices,
                              .arcs = graph->arcs,
                              .edges = graph->edges,
                              .isolated = graph->isolated,
                              .directed = graph->directed,
                              .has_coordinates = graph->part[MG_PART_COORDINATES].data != NULL,
                              .weight_type = mg_graph_declared(graph),
                              .weight_storage = graph->weight_type,
                              .id_kind = graph->id_kind,
                              .order = graph->order,
                              .input_edges = graph->input_edges,
                              .dropped_duplicates = graph->dropped_duplicates,
                              .dropped_loops = graph->dropped_loops,
                              .file_bytes = graph->file_bytes,
                              .processes = graph->processes,
                              .first = graph->elsewhere ? graph->of_results.begin : 0,
                              .count =
                                  graph->elsewhere ? graph->of_results.end - graph->of_results.begin : graph->vertices,
                              .edge_columns = mg_graph_column_count(graph),
                              .in_rows = mg_graph_keeps_in_rows(graph),
                              .vertex_columns = mg_columns_count(graph, MG_OF_VERTICES),
                              .has_path_index = graph->part[MG_PART_INDEX_FACTS].data != NULL};
    meguri_status status = add_bytes(&info, ctx, lazily(graph));
    if (status != MEGURI_OK) return status;
    return mg_hand_out(ctx, out, sizeof info, &info, "meguri_graph_info");
}
