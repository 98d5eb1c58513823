/* Edges into a graph: ids to positions, weights to the smallest type, arcs to rows, rows to their internal order. */
#include "graph/internal.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>

/* ---- edges as a source of arcs ---------------------------------------------------------------------------------- */

typedef void map_fn(uint32_t *positions, const mg_id_map *map, const void *ids, uint32_t id_bytes, uint64_t count);

typedef struct edge_source {
    mg_arc_source base;
    mg_edges *edges;
    const mg_id_map *map;
    map_fn *map_ids;
    meguri_weight_type weight_type;
    uint32_t number_bytes;
} edge_source;

/* Ids to positions. With the processor's own bit count where it has one: the rank of an id is on the path of every
 * edge that is read, and libgcc's version costs more than all the rest of it. */
static inline __attribute__((always_inline)) void map_each(uint32_t *positions, const mg_id_map *map, const void *ids,
                                                           uint32_t id_bytes, uint64_t count) {
    if (id_bytes == 4)
        for (uint64_t i = 0; i < count; i++) positions[i] = mg_id_position(map, ((const uint32_t *)ids)[i]);
    else
        for (uint64_t i = 0; i < count; i++) positions[i] = mg_id_position(map, ((const uint64_t *)ids)[i]);
}

static void map_ids(uint32_t *positions, const mg_id_map *map, const void *ids, uint32_t id_bytes, uint64_t count) {
    map_each(positions, map, ids, id_bytes, count);
}

#ifdef __x86_64__
__attribute__((target("popcnt"))) static void map_ids_popcnt(uint32_t *positions, const mg_id_map *map, const void *ids,
                                                             uint32_t id_bytes, uint64_t count) {
    map_each(positions, map, ids, id_bytes, count);
}
#endif

static map_fn *fastest_map(void) {
#ifdef __x86_64__
    if (__builtin_cpu_supports("popcnt")) return map_ids_popcnt;
#endif
    return map_ids;
}

static bool needs_mapping(const edge_source *s, const mg_edge_block *slice, const mg_stored_block *stored) {
    return !stored->mapped && !(slice->id_bytes == 4 && mg_id_map_is_identity(s->map));
}

static bool needs_payload(const edge_source *s, const mg_edge_block *slice) {
    bool whole = s->weight_type == MEGURI_WEIGHT_U8 || s->weight_type == MEGURI_WEIGHT_U16 ||
                 s->weight_type == MEGURI_WEIGHT_U32;
    return s->weight_type != MEGURI_WEIGHT_NONE && !(whole && slice->weight_type == MEGURI_WEIGHT_U32);
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
        s->map_ids(pairs, s->map, slice.ends, slice.id_bytes, batch->count * 2);
        batch->pairs = pairs;
    }
    if (convert) {
        void *payload = (char *)scratch + MG_SLICE_BYTES + MG_SLICE_EDGES * 8;
        mg_weights_to_payload(payload, s->weight_type, slice.weights, slice.weight_type, batch->count);
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

static meguri_status choose_weight_type(meguri_weight_type *out, meguri_ctx *ctx, const mg_edges *edges,
                                        const meguri_build_options *options) {
    mg_weight_facts facts = {.whole = true, .f32_exact = true};
    uint64_t weighted = 0;
    *out = MEGURI_WEIGHT_NONE;
    if (options->ignore_weights) return MEGURI_OK;
    for (uint64_t i = 0; i < edges->block_count; i++) {
        if (edges->blocks[i].block.weight_type == MEGURI_WEIGHT_NONE) continue;
        facts = mg_weight_facts_join(facts, edges->blocks[i].weights);
        weighted++;
    }
    if (weighted && weighted < edges->block_count)
        return mg_fail(
            ctx, MEGURI_BAD_INPUT,
            "some edges have weights and others have none: give all of them weights, or ignore the weights.");
    if (weighted) *out = mg_weight_type_for(facts);
    return MEGURI_OK;
}

static meguri_status build_rows(meguri_graph *graph, meguri_ctx *ctx, mg_edges *edges, const mg_id_map *map,
                                const meguri_build_options *options) {
    edge_source source = {.base = {.pieces = edges->block_count,
                                   .scratch_bytes = MG_SLICE_BYTES + MG_SLICE_EDGES * (graph->number_bytes ? 32 : 16),
                                   .next = edge_source_next,
                                   .done = edge_source_done},
                          .edges = edges,
                          .map = map,
                          .map_ids = fastest_map(),
                          .weight_type = graph->weight_type,
                          .number_bytes = graph->number_bytes};
    mg_csr_request request = {.source = &source.base,
                              .vertices = graph->vertices,
                              .arcs_at_most = edges->count,
                              .symmetric = !graph->directed,
                              .keep_loops = options->keep_loops,
                              .keep_duplicates = options->keep_duplicates,
                              .weight_type = graph->weight_type,
                              .number_bytes = graph->number_bytes,
                              .reserve = options->order == MEGURI_ORDER_NONE ? 0 : mg_order_bytes(graph),
                              .run = "build"};
    mg_csr csr;
    graph->input_edges = edges->count;
    meguri_status status = mg_csr_build(&csr, ctx, &request);
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
    graph->number_bytes = mg_edges_number_bytes(edges);
    if (graph->number_bytes) mg_edges_number(edges);

    double since = mg_now();
    status = choose_weight_type(&graph->weight_type, ctx, edges, options);
    if (status == MEGURI_OK) status = mg_id_map_make(&map, ctx, edges, graph);
    if (status != MEGURI_OK) goto cleanup;
    graph->vertices = map.vertices;
    mg_trace_phase(ctx, "build", "ids", (int64_t)edges->count, -1, since);

    status = build_rows(graph, ctx, edges, &map, options);
    mg_id_map_free(&map);
    if (status != MEGURI_OK) goto cleanup;

    since = mg_now();
    graph->order = options->order;
    bool all_touched = !edges->declared_count && !edges->named_arrays && !edges->names && !graph->dropped_loops;
    status = mg_order_make(&to_user, &rows, &graph->order, ctx, graph, all_touched);
    if (status != MEGURI_OK) goto cleanup;
    mg_trace_phase(ctx, "build", "order", (int64_t)graph->arcs, -1, since);
    since = mg_now();
    if (to_user) status = mg_graph_relabel(ctx, graph, to_user, rows);
    if (status != MEGURI_OK) goto cleanup;
    mg_trace_phase(ctx, "build", "relabel", (int64_t)graph->arcs, -1, since);
    if (graph->number_bytes) status = mg_columns_build(graph, ctx, edges);
    if (status != MEGURI_OK) goto cleanup;
    *out = graph;
    return MEGURI_OK;

cleanup:
    mg_id_map_free(&map);
    meguri_graph_free(graph);
    return status;
}

meguri_status mg_graph_build(meguri_graph **out, meguri_ctx *ctx, mg_edges *edges,
                             const meguri_build_options *options) {
    mg_recycle_begin(ctx); /* the edges make room for the rows, and these for the rearranged ones */
    meguri_status status = build_graph(out, ctx, edges, options);
    mg_recycle_end(ctx);
    return status;
}

meguri_status mg_graph_set_coordinates(meguri_ctx *ctx, meguri_graph *graph, const uint64_t *ids, const double *x,
                                       const double *y, uint64_t count) {
    double *pairs = mg_alloc_array(ctx, graph->vertices, 2 * sizeof *pairs, "coordinates");
    if (!pairs) return MEGURI_NO_MEMORY;
    for (uint64_t i = 0; i < 2 * graph->vertices; i++) pairs[i] = NAN;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t vertex;
        meguri_status status = mg_graph_find_id(&vertex, ctx, graph, ids[i]);
        if (status != MEGURI_OK) {
            mg_free(pairs);
            return status;
        }
        pairs[2 * vertex] = x[i];
        pairs[2 * vertex + 1] = y[i];
    }
    mg_graph_own(graph, MG_PART_COORDINATES, pairs, graph->vertices * 16);
    return MEGURI_OK;
}

/* ---- from arrays ------------------------------------------------------------------------------------------------ */

enum { BLOCK_EDGES = 1 << 20, BLOCK_WITH_COLUMNS = 1 << 17 };

meguri_status mg_check_build_options(meguri_ctx *ctx, const meguri_build_options *o) {
    if ((unsigned)o->direction > MEGURI_UNDIRECTED)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "there is no direction number %d.", (int)o->direction);
    if ((unsigned)o->order > MEGURI_ORDER_NONE)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "there is no order number %d.", (int)o->order);
    return MEGURI_OK;
}

static meguri_status check_arrays(meguri_ctx *ctx, meguri_edge_arrays *e) {
    if (e->id_bytes == 0) e->id_bytes = 8;
    if (e->id_bytes != 4 && e->id_bytes != 8)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "id_bytes is %u: ids of 4 or 8 bytes are understood.", e->id_bytes);
    if (e->stride == 0) e->stride = e->id_bytes;
    if (e->stride < e->id_bytes || e->stride % e->id_bytes)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "a stride of %" PRIu64 " does not suit ids of %u bytes.", e->stride,
                       e->id_bytes);
    meguri_status status = mg_check_count(ctx, e->count, MG_MAX(e->stride, sizeof(double)), "edges");
    if (status != MEGURI_OK) return status;
    if (e->count && (!e->from || !e->to))
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "%" PRIu64 " edges, but no arrays of ends.", e->count);
    if ((unsigned)e->weight_type > MEGURI_WEIGHT_F64 || (e->weights && e->weight_type == MEGURI_WEIGHT_NONE))
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "weights are given, but no type of weights that is known.");
    if (e->vertices > MG_MAX_VERTICES)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "%" PRIu64 " vertices are more than the %" PRIu64 " that fit.",
                       e->vertices, MG_MAX_VERTICES);
    return MEGURI_OK;
}

static uint64_t id_at(const meguri_edge_arrays *e, const void *array, uint64_t i) {
    const char *place = (const char *)array + i * e->stride;
    if (e->id_bytes == 8) return *(const uint64_t *)place;
    return e->signed_ids ? (uint64_t)(int64_t) * (const int32_t *)place : *(const uint32_t *)place;
}

/* Arrays of pairs are used where they are; other shapes are copied block by block. */
static bool lie_in_pairs(const meguri_edge_arrays *e) {
    bool weights_fit = !e->weights || e->weight_type >= MEGURI_WEIGHT_U32;
    return e->from && e->stride == 2 * e->id_bytes && (const char *)e->to == (const char *)e->from + e->id_bytes &&
           weights_fit && !(e->signed_ids && e->id_bytes == 4);
}

/* Columns as far apart as the caller's struct is large; those that he does not know are zero. */
static meguri_edge_column column_at(const meguri_edge_arrays *e, uint32_t column) {
    meguri_edge_column out = {0};
    size_t size = e->columns->size;
    memcpy(&out, (const char *)e->columns + column * size, MG_MIN(size, sizeof out));
    return out;
}

static meguri_status check_column(meguri_ctx *ctx, const meguri_edge_column *c, uint64_t edges) {
    bool whole = c->type != MEGURI_VALUE_F32 && c->type != MEGURI_VALUE_F64;
    if (!c->name || (!c->values && edges))
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "a column of the edges has no name, or no values.");
    if ((unsigned)c->type > MEGURI_VALUE_U64 || (unsigned)c->kind > MEGURI_EDGE_TYPES)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "the column \"%s\" has a type or a kind that is not known.", c->name);
    if (c->label_count && (!c->labels || !whole || c->type == MEGURI_VALUE_AUTO))
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "the column \"%s\" has names for its values, but no whole numbers.",
                       c->name);
    if (c->label_count > MEGURI_MOST_LABELS)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "the column \"%s\" has more than the %d names that fit.", c->name,
                       MEGURI_MOST_LABELS);
    if (c->kind == MEGURI_EDGE_TYPES && !c->label_count)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "the column \"%s\" holds types, which need names.", c->name);
    if (c->kind == MEGURI_EDGE_IDS && !whole)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "the column \"%s\" holds ids, which are whole numbers.", c->name);
    return MEGURI_OK;
}

static meguri_status declare_columns(meguri_ctx *ctx, mg_edges *edges, const meguri_edge_arrays *e) {
    if (e->column_count && (!e->columns || e->columns->size < offsetof(meguri_edge_column, label_count) + 4))
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "%u columns, but no array of them, or its size is not set.",
                       e->column_count);
    for (uint32_t i = 0; i < e->column_count; i++) {
        const meguri_edge_column column = column_at(e, i);
        meguri_status status = check_column(ctx, &column, e->count);
        if (status == MEGURI_OK)
            status = mg_edges_declare_column(ctx, edges, column.name, column.kind, column.type, column.label_count > 0);
        for (uint32_t label = 0; label < column.label_count && status == MEGURI_OK; label++) {
            const char *text = column.labels[label];
            uint32_t number;
            if (!text)
                return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "a value of the column \"%s\" has no name.", column.name);
            status = mg_names_add(ctx, mg_edges_labels(edges, i), text, strlen(text), &number);
            if (status == MEGURI_OK && number != label)
                return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "two values of the column \"%s\" have the name \"%s\".",
                               column.name, text);
        }
        if (status != MEGURI_OK) return status;
    }
    return MEGURI_OK;
}

static meguri_status copy_block(meguri_ctx *ctx, mg_edges *edges, const meguri_edge_arrays *e, uint64_t first,
                                uint64_t count) {
    bool wide = e->id_bytes == 8 || e->signed_ids;
    mg_edge_block block = {.place = first, .count = count, .id_bytes = wide ? 8 : 4};
    block.ends = mg_alloc_array(ctx, count * 2, block.id_bytes, "edges");
    if (!block.ends) return MEGURI_NO_MEMORY;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t from = id_at(e, e->from, first + i), to = id_at(e, e->to, first + i);
        if (wide) {
            ((uint64_t *)block.ends)[2 * i] = from;
            ((uint64_t *)block.ends)[2 * i + 1] = to;
        } else {
            ((uint32_t *)block.ends)[2 * i] = (uint32_t)from;
            ((uint32_t *)block.ends)[2 * i + 1] = (uint32_t)to;
        }
    }
    if (e->weights) {
        bool whole = e->weight_type <= MEGURI_WEIGHT_U32;
        block.weight_type = whole ? MEGURI_WEIGHT_U32 : e->weight_type;
        size_t size = mg_weight_size(block.weight_type);
        block.weights = mg_alloc_array(ctx, count, size, "weights");
        if (!block.weights) goto failed;
        if (whole)
            for (uint64_t i = 0; i < count; i++)
                ((uint32_t *)block.weights)[i] = (uint32_t)mg_weight_at(e->weights, e->weight_type, first + i);
        else memcpy(block.weights, (const char *)e->weights + first * size, count * size);
    }
    for (uint32_t c = 0; c < e->column_count; c++) {
        const meguri_edge_column column = column_at(e, c);
        meguri_value_type type = column.type ? column.type : MEGURI_VALUE_F64;
        size_t size = mg_value_size(type);
        block.column_types[c] = (uint8_t)type;
        block.columns[c] = mg_alloc_array(ctx, count, size, "a column of the edges");
        if (!block.columns[c]) goto failed;
        memcpy(block.columns[c], (const char *)column.values + first * size, count * size);
    }
    return mg_edges_add(ctx, edges, &block);
failed:
    mg_edge_block_free(&block);
    return MEGURI_NO_MEMORY;
}

static meguri_status borrow_block(meguri_ctx *ctx, mg_edges *edges, const meguri_edge_arrays *e, uint64_t first,
                                  uint64_t count) {
    /* Cast away const: a borrowed block is only read. */
    mg_edge_block block = {
        .place = first, .count = count, .id_bytes = e->id_bytes, .ends = (char *)e->from + first * e->stride};
    if (e->weights) {
        block.weight_type = e->weight_type;
        block.weights = (char *)e->weights + first * mg_weight_size(e->weight_type);
    }
    for (uint32_t c = 0; c < e->column_count; c++) {
        const meguri_edge_column column = column_at(e, c);
        meguri_value_type type = column.type ? column.type : MEGURI_VALUE_F64;
        block.column_types[c] = (uint8_t)type;
        block.columns[c] = (char *)column.values + first * mg_value_size(type);
    }
    return mg_edges_borrow(ctx, edges, &block);
}

typedef struct array_job {
    mg_edges *edges;
    const meguri_edge_arrays *arrays;
    bool in_place;
} array_job;

static void make_blocks(void *what, mg_worker *worker) {
    const array_job *job = what;
    for (mg_range chunk; mg_take(worker, &chunk);)
        mg_loop_fail(worker, (job->in_place ? borrow_block : copy_block)(worker->loop->ctx, job->edges, job->arrays,
                                                                         chunk.begin, chunk.end - chunk.begin));
}

static meguri_status blocks_from_arrays(meguri_ctx *ctx, mg_edges *edges, const meguri_edge_arrays *e) {
    array_job job = {edges, e, lie_in_pairs(e)};
    mg_loop loop = {.ctx = ctx,
                    .threads = mg_threads(ctx, e->count, 1 << 16),
                    .items = e->count,
                    .chunk = e->column_count ? BLOCK_WITH_COLUMNS : BLOCK_EDGES,
                    .work = make_blocks,
                    .what = &job,
                    .phase = "looking at edges",
                    .total = e->count};
    return mg_loop_run(&loop);
}

static meguri_status check_ends(meguri_ctx *ctx, const mg_edges *edges, uint64_t vertices) {
    for (uint64_t i = 0; i < edges->block_count; i++)
        if (edges->blocks[i].max >= vertices)
            return mg_fail(ctx, MEGURI_BAD_INPUT, "an edge ends at %" PRIu64 ", but the vertices are 0 … %" PRIu64 ".",
                           edges->blocks[i].max, vertices - 1);
    return MEGURI_OK;
}

meguri_status meguri_graph_from_edges(meguri_graph **out, meguri_ctx *ctx, const meguri_edge_arrays *edges,
                                      const meguri_build_options *options) {
    if (!out || !ctx) return mg_missing(ctx, __func__);
    *out = NULL;
    mg_begin(ctx);
    if (!edges) return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "meguri_graph_from_edges needs edges.");
    meguri_edge_arrays e;
    meguri_build_options o;
    mg_edges *list = NULL;
    meguri_status status = mg_options(ctx, &e, sizeof e, edges, "meguri_edge_arrays");
    if (status == MEGURI_OK) status = mg_options(ctx, &o, sizeof o, options, "meguri_build_options");
    if (status == MEGURI_OK) status = mg_check_build_options(ctx, &o);
    if (status == MEGURI_OK && o.layout)
        status = mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                         "edges in arrays make a whole graph; meguri_graph_spread brings it to a cluster.");
    if (status == MEGURI_OK) status = check_arrays(ctx, &e);
    if (status == MEGURI_OK) status = mg_edges_new(&list, ctx);
    if (status == MEGURI_OK) status = declare_columns(ctx, list, &e);
    if (status == MEGURI_OK) status = blocks_from_arrays(ctx, list, &e);
    if (status == MEGURI_OK && e.vertices) status = check_ends(ctx, list, e.vertices);
    if (status == MEGURI_OK && e.vertices) status = mg_edges_declare(ctx, list, 0, e.vertices);
    if (status == MEGURI_OK && e.signed_ids && !e.vertices) mg_edges_set_signed(list);
    if (status == MEGURI_OK) status = mg_graph_build(out, ctx, list, &o);
    mg_edges_free(list);
    return status;
}
