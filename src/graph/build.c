/* Edges into a graph: ids to positions, weights to the smallest type, arcs to rows, rows to their internal order. */
#include "graph/internal.h"

#include <inttypes.h>
#include <math.h>

/* ---- edges as a source of arcs ---------------------------------------------------------------------------------- */

typedef struct edge_source {
    mg_arc_source base;
    mg_edges *edges;
    const mg_id_map *map;
    meguri_type weight_type;
    uint32_t number_bytes;
    bool counted; /* every edge has the weight 1 */
} edge_source;

static bool needs_mapping(const edge_source *s, const mg_edge_block *slice, const mg_stored_block *stored) {
    return !stored->mapped && !(slice->id_bytes == 4 && mg_id_map_is_identity(s->map));
}

static bool needs_payload(const edge_source *s, const mg_edge_block *slice) {
    bool whole =
        s->weight_type == MEGURI_TYPE_U8 || s->weight_type == MEGURI_TYPE_U16 || s->weight_type == MEGURI_TYPE_U32;
    return s->weight_type != MEGURI_TYPE_NONE && (s->counted || !(whole && slice->weight_type == MEGURI_TYPE_U32));
}

/* What needs neither mapping nor conversion is handed on without a copy. The first pass over a block of 32-bit ids that
 * is ours leaves positions in their place, so that later passes need no mapping. */
static meguri_status edge_source_next(const mg_arc_source *self, meguri_ctx *ctx, uint64_t piece, uint64_t *cursor,
                                      mg_arc_batch *batch, void *scratch) {
    const edge_source *s = (const edge_source *)self;
    mg_stored_block *stored = &s->edges->blocks[piece];
    mg_edge_block slice;
    meguri_status status = mg_edges_slice(&slice, ctx, s->edges, piece, *cursor, scratch);
    batch->count = 0;
    bool ours = !stored->borrowed && !stored->spilled && stored->block.id_bytes == 4;
    if (status == MEGURI_OK && slice.count == 0 && ours) stored->mapped = true;
    if (status != MEGURI_OK || slice.count == 0) return status;

    *batch = (mg_arc_batch){.pairs = slice.ends, .payload = slice.weights, .count = slice.count};
    bool map = needs_mapping(s, &slice, stored), convert = needs_payload(s, &slice);
    if (map || convert || s->number_bytes) batch->count = MG_MIN(slice.count, (uint64_t)MG_SLICE_EDGES);
    if (map) {
        uint32_t *pairs = ours ? slice.ends : (uint32_t *)((char *)scratch + MG_SLICE_BYTES);
        mg_id_positions(pairs, s->map, slice.ends, slice.id_bytes, batch->count * 2);
        batch->pairs = pairs;
    }
    if (convert) {
        void *payload = (char *)scratch + MG_SLICE_BYTES + MG_SLICE_EDGES * 8;
        if (s->counted) mg_payload_of_ones(payload, s->weight_type, batch->count);
        else mg_weights_to_payload(payload, s->weight_type, slice.weights, slice.weight_type, batch->count);
        batch->payload = payload;
    }
    if (s->number_bytes) {
        void *carried = (char *)scratch + MG_SLICE_BYTES + MG_SLICE_EDGES * 16;
        mg_carry_numbers(carried, batch->payload, s->weight_type, s->number_bytes, stored->first + *cursor,
                         batch->count);
        batch->payload = carried;
    }
    *cursor += batch->count;
    return MEGURI_OK;
}

static void edge_source_done(const mg_arc_source *self, uint64_t piece) {
    mg_edges_done(((const edge_source *)self)->edges, piece);
}

/* ---- the graph -------------------------------------------------------------------------------------------------- */

meguri_type mg_weights_declared(meguri_type given, meguri_duplicates how) {
    if (!given || !mg_merge_adds(how)) return given;
    return mg_type_join(given, mg_type_is_real(given)     ? MEGURI_TYPE_F64
                               : mg_type_is_signed(given) ? MEGURI_TYPE_I64
                                                          : MEGURI_TYPE_U64);
}

/* The type that weights have until parallel edges are merged. */
static meguri_status choose_weight_type(meguri_type *out, meguri_type *declared, meguri_ctx *ctx, const mg_edges *edges,
                                        const meguri_build_options *options) {
    mg_weight_facts facts = {.whole = true, .f32_exact = true};
    uint64_t weighted = 0;
    *out = options->duplicates == MEGURI_DUPLICATES_COUNT ? mg_merge_type(options->duplicates, facts, edges->count)
                                                          : MEGURI_TYPE_NONE;
    if (mg_ignores_weights(options)) return MEGURI_OK;
    for (uint64_t i = 0; i < edges->block_count; i++) {
        if (edges->blocks[i].block.weight_type == MEGURI_TYPE_NONE) continue;
        facts = mg_weight_facts_join(facts, edges->blocks[i].weights);
        weighted++;
    }
    if (weighted && weighted < edges->block_count)
        return mg_fail(
            ctx, MEGURI_BAD_INPUT,
            "some edges have weights and others have none: give all of them weights, or ignore the weights.");
    if (!weighted) return MEGURI_OK;
    *out = mg_merge_type(options->duplicates, facts, edges->count);
    *declared = mg_weights_declared(edges->declared_weights, options->duplicates);
    return MEGURI_OK;
}

/* Bytes of the numbers that edges carry, for their columns or because the first of parallel edges is kept. */
static uint32_t choose_numbers(const meguri_graph *graph, const mg_edges *edges, const meguri_build_options *options) {
    bool first = graph->weight_type && mg_merge_needs_numbers(options->duplicates);
    return !edges->column_count && !first ? 0 : edges->count <= UINT32_MAX ? 4 : 8;
}

/* Rows with weights of the smallest type for those that are left. */
static meguri_status make_rows(mg_csr *out, meguri_ctx *ctx, const mg_csr_request *request, meguri_graph *graph) {
    meguri_status status = mg_csr_build(out, ctx, request);
    bool changed = out->dropped_duplicates || out->dropped_loops || mg_merge_adds(request->duplicates);
    if (status == MEGURI_OK && changed && graph->weight_type)
        status = mg_weights_narrow(ctx, &out->weights, &graph->weight_type, out->arcs);
    if (status != MEGURI_OK) mg_csr_free(out);
    return status;
}

static meguri_status build_rows(meguri_graph *graph, meguri_ctx *ctx, mg_edges *edges, const mg_id_map *map,
                                const meguri_build_options *options) {
    uint32_t number_bytes = choose_numbers(graph, edges, options);
    edge_source source = {.base = {.pieces = edges->block_count,
                                   .scratch_bytes = MG_SLICE_BYTES + MG_SLICE_EDGES * (number_bytes ? 32 : 16),
                                   .next = edge_source_next,
                                   .done = edge_source_done},
                          .edges = edges,
                          .map = map,
                          .weight_type = graph->weight_type,
                          .number_bytes = number_bytes,
                          .counted = options->duplicates == MEGURI_DUPLICATES_COUNT};
    mg_csr_request request = {.source = &source.base,
                              .vertices = graph->vertices,
                              .arcs_at_most = edges->count,
                              .symmetric = !graph->directed,
                              .keep_loops = options->keep_loops,
                              .duplicates = options->duplicates,
                              .weight_type = graph->weight_type,
                              .number_bytes = number_bytes,
                              .drop_numbers = !edges->column_count,
                              .reserve = options->order == MEGURI_ORDER_NONE ? 0 : mg_order_bytes(graph),
                              .graph = graph,
                              .run = "build"};
    mg_csr csr;
    graph->input_edges = edges->count;
    graph->number_bytes = edges->column_count ? number_bytes : 0;
    meguri_status status = make_rows(&csr, ctx, &request, graph);
    if (status != MEGURI_OK) return status;
    mg_graph_own(graph, MG_PART_OFFSETS, csr.offsets, (graph->vertices + 1) * csr.offset_bytes);
    graph->part[MG_PART_NEIGHBORS] = csr.neighbors;
    graph->part[MG_PART_WEIGHTS] = csr.weights;
    graph->numbers = csr.numbers;
    graph->offset_bytes = csr.offset_bytes;
    graph->rows = graph->vertices;
    graph->arcs = csr.arcs;
    graph->edges = csr.edges;
    graph->dropped_loops = csr.dropped_loops;
    graph->dropped_duplicates = csr.dropped_duplicates;
    return MEGURI_OK;
}

static meguri_status build_graph(meguri_graph **out, meguri_ctx *ctx, mg_edges *edges,
                                 const meguri_build_options *options) {
    mg_id_map map = {0};
    uint32_t *to_user = NULL;
    uint64_t rows;
    meguri_status status = MEGURI_NO_MEMORY;
    *out = NULL;
    meguri_graph *graph = mg_graph_shell(ctx);
    if (!graph) return MEGURI_NO_MEMORY;
    graph->directed = options->direction != MEGURI_UNDIRECTED;
    if (edges->column_count || mg_merge_needs_numbers(options->duplicates)) mg_edges_number(edges);

    double since = mg_now();
    status = choose_weight_type(&graph->weight_type, &graph->declared_weights, ctx, edges, options);
    if (status == MEGURI_OK) status = mg_id_map_make(&map, ctx, edges, graph);
    if (status != MEGURI_OK) goto cleanup;
    graph->vertices = map.vertices;
    mg_trace_phase(ctx, "build", "ids", (int64_t)edges->count, -1, since);

    status = build_rows(graph, ctx, edges, &map, options);
    mg_id_map_free(&map);
    if (status != MEGURI_OK) goto cleanup;

    since = mg_now();
    graph->order = options->order;
    bool all_touched = !edges->declared_count && !edges->named_arrays && !edges->string_ids && !graph->dropped_loops;
    status = mg_order_make(&to_user, &rows, &graph->order, ctx, graph, all_touched);
    if (status != MEGURI_OK) goto cleanup;
    mg_trace_phase(ctx, "build", "order", (int64_t)graph->arcs, -1, since);
    since = mg_now();
    if (to_user) status = mg_graph_relabel(ctx, graph, to_user, rows);
    if (status != MEGURI_OK) goto cleanup;
    mg_trace_phase(ctx, "build", "relabel", (int64_t)graph->arcs, -1, since);
    if (graph->number_bytes)
        status = mg_columns_build(graph, ctx, MG_OF_EDGES, edges, graph->numbers.data, graph->number_bytes);
    mg_part_data_free(&graph->numbers);
    graph->number_bytes = 0;
    if (status == MEGURI_OK && options->in_rows) status = mg_graph_keep_in_rows(ctx, graph);
    if (status != MEGURI_OK) goto cleanup;
    *out = graph;
    return MEGURI_OK;

cleanup:
    mg_id_map_free(&map);
    meguri_graph_free(graph);
    return status;
}

meguri_status mg_check_build_options(meguri_ctx *ctx, const meguri_build_options *o) {
    if ((unsigned)o->direction > MEGURI_UNDIRECTED)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "there is no direction number %d.", (int)o->direction);
    if ((unsigned)o->order > MEGURI_ORDER_NONE)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "there is no order number %d.", (int)o->order);
    if ((unsigned)o->duplicates > MEGURI_DUPLICATES_KEEP)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "unknown choice of duplicates %d.", (int)o->duplicates);
    if (o->in_rows && o->layout)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                       "rows backwards (in_rows) are kept in whole graphs alone: build it on one machine, or without.");
    return MEGURI_OK;
}

meguri_status mg_own_build_options(meguri_build_options *own, meguri_ctx *ctx, const meguri_build_options **given) {
    meguri_status status = MG_OPTIONS(ctx, own, *given, meguri_build_options);
    *given = own;
    return status;
}

meguri_status mg_graph_build(meguri_graph **out, meguri_ctx *ctx, mg_edges *edges,
                             const meguri_build_options *options) {
    mg_recycle_begin(ctx); /* the edges make room for the rows, and these for the rearranged ones */
    meguri_status status = build_graph(out, ctx, edges, options);
    mg_recycle_end(ctx);
    return status;
}

/* Nobody has a place yet. */
static meguri_status make_coordinates(meguri_ctx *ctx, meguri_graph *graph) {
    double *pairs = mg_alloc_array(ctx, graph->vertices, 2 * sizeof *pairs, "coordinates");
    if (!pairs) return MEGURI_NO_MEMORY;
    for (uint64_t i = 0; i < 2 * graph->vertices; i++) pairs[i] = NAN;
    mg_graph_own(graph, MG_PART_COORDINATES, pairs, graph->vertices * 16);
    return MEGURI_OK;
}

meguri_status mg_graph_set_coordinates(meguri_ctx *ctx, meguri_graph *graph, const uint64_t *ids, const double *x,
                                       const double *y, uint64_t count) {
    meguri_status status = graph->part[MG_PART_COORDINATES].data ? MEGURI_OK : make_coordinates(ctx, graph);
    double *pairs = graph->part[MG_PART_COORDINATES].owned;
    for (uint64_t i = 0; i < count && status == MEGURI_OK; i++) {
        uint64_t vertex = ids[i];
        char text[MG_ID_TEXT];
        if (graph->id_kind != MEGURI_ID_STRING) status = mg_graph_find_id(&vertex, ctx, graph, ids[i]);
        if (status != MEGURI_OK) return status;
        if (!isnan(pairs[2 * vertex]) || !isnan(pairs[2 * vertex + 1]))
            return mg_fail(ctx, MEGURI_BAD_INPUT, "the vertex %s has coordinates twice.",
                           mg_graph_id_text(text, ctx, graph, (uint32_t)vertex));
        pairs[2 * vertex] = x[i];
        pairs[2 * vertex + 1] = y[i];
    }
    return status;
}
