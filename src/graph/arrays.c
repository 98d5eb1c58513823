/* Edges in arrays of the caller: what they must be, and blocks of them. */
#include "graph/internal.h"

#include <inttypes.h>
#include <stddef.h>

meguri_status mg_arrays_check(meguri_ctx *ctx, meguri_edge_arrays *e) {
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
    if (e->weight_type != MEGURI_TYPE_NONE ? !mg_type_is_number(e->weight_type) : e->weights != NULL)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "weights are given, but no type of weights that is known.");
    if (e->vertices > MG_MAX_VERTICES)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "%" PRIu64 " vertices are more than the %" PRIu64 " that fit.",
                       e->vertices, MG_MAX_VERTICES);
    return MEGURI_OK;
}

uint64_t mg_id_at(const meguri_edge_arrays *e, const void *array, uint64_t i) {
    const char *place = (const char *)array + i * e->stride;
    if (e->id_bytes == 8) return *(const uint64_t *)place;
    return e->signed_ids ? (uint64_t)(int64_t) * (const int32_t *)place : *(const uint32_t *)place;
}

/* Arrays of pairs are used where they are; other shapes, and texts, are copied block by block. */
static bool lie_in_pairs(const meguri_edge_arrays *e) {
    for (uint32_t c = 0; c < e->column_count; c++)
        if (mg_column_at(e->columns, c).type == MEGURI_TYPE_TEXT) return false;
    bool weights_fit = !e->weights || e->weight_type == MEGURI_TYPE_U32 || mg_type_is_real(e->weight_type);
    return e->from && e->stride == 2 * e->id_bytes && (const char *)e->to == (const char *)e->from + e->id_bytes &&
           weights_fit && !(e->signed_ids && e->id_bytes == 4);
}

/* Columns as far apart as the caller's struct is large; those that he does not know are zero. */
meguri_column_data mg_column_at(const meguri_column_data *columns, uint32_t column) {
    meguri_column_data out = {0};
    size_t size = columns->size;
    memcpy(&out, (const char *)columns + column * size, MG_MIN(size, sizeof out));
    return out;
}

/* `streamed`: values come later, in blocks, and so may the names of types. */
static meguri_status check_column(meguri_ctx *ctx, const meguri_column_data *c, bool streamed) {
    const char *trouble = NULL;
    bool open = c->type == MEGURI_TYPE_NONE, counted = mg_type_is_unsigned(c->type) || (open && streamed);
    if (!c->name) return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "a column of the edges has no name.");
    if ((!open && !mg_type_is_column(c->type)) || (unsigned)c->kind > MEGURI_COLUMN_TYPES)
        trouble = "has a type or a kind that is not known";
    else if (c->label_count && (!c->labels || !counted)) trouble = "has names for its values, but no whole numbers";
    else if (c->kind == MEGURI_COLUMN_TYPES && c->type != MEGURI_TYPE_TEXT && !c->label_count && !streamed)
        trouble = "holds types, which need names";
    else if (c->kind == MEGURI_COLUMN_IDS && !open && !mg_type_is_unsigned(c->type) && !mg_type_is_signed(c->type))
        trouble = "holds ids, which are whole numbers";
    return trouble ? mg_fail(ctx, MEGURI_BAD_ARGUMENT, "the column \"%s\" %s.", c->name, trouble) : MEGURI_OK;
}

meguri_status mg_columns_check(meguri_ctx *ctx, const meguri_column_data *columns, uint32_t count) {
    bool known = columns && columns->size >= offsetof(meguri_column_data, label_count) + 4 && columns->size <= 4096;
    if (!count || known) return MEGURI_OK;
    return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "%u columns, but no array of them, or its size is not set.", count);
}

meguri_status mg_columns_declare(meguri_ctx *ctx, mg_edges *edges, const meguri_column_data *columns, uint32_t count,
                                 bool streamed) {
    meguri_status status = mg_columns_check(ctx, columns, count);
    for (uint32_t i = 0; i < count && status == MEGURI_OK; i++) {
        const meguri_column_data column = mg_column_at(columns, i);
        bool text = column.type == MEGURI_TYPE_TEXT;
        bool labelled = column.label_count > 0 || column.kind == MEGURI_COLUMN_TYPES || text;
        status = check_column(ctx, &column, streamed);
        if (status == MEGURI_OK)
            status = mg_edges_declare_column(ctx, edges, column.name, column.kind, column.type, labelled);
        if (status != MEGURI_OK) break;
        edges->columns[i].streamed_labels = labelled && !column.label_count;
        for (uint32_t label = 0; label < column.label_count && status == MEGURI_OK; label++) {
            const char *name = column.labels[label];
            uint32_t number;
            if (!name)
                return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "a value of the column \"%s\" has no name.", column.name);
            status = mg_names_add(ctx, mg_edges_labels(edges, i), name, strlen(name), &number);
            if (status == MEGURI_OK && number != label)
                return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "two values of the column \"%s\" have the name \"%s\".",
                               column.name, name);
        }
    }
    return status;
}

static meguri_status check_values(meguri_ctx *ctx, const meguri_edge_arrays *e) {
    for (uint32_t c = 0; c < e->column_count && e->count; c++)
        if (!mg_column_at(e->columns, c).values)
            return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "a column of the edges has no values.");
    return MEGURI_OK;
}

meguri_status mg_arrays_ends(void **out, meguri_ctx *ctx, const meguri_edge_arrays *e, uint64_t first, uint64_t count) {
    bool wide = e->id_bytes == 8 || e->signed_ids;
    void *ends = *out = mg_alloc_array(ctx, count * 2, wide ? 8 : 4, "edges");
    if (!ends) return MEGURI_NO_MEMORY;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t from = mg_id_at(e, e->from, first + i), to = mg_id_at(e, e->to, first + i);
        if (wide) {
            ((uint64_t *)ends)[2 * i] = from;
            ((uint64_t *)ends)[2 * i + 1] = to;
        } else {
            ((uint32_t *)ends)[2 * i] = (uint32_t)from;
            ((uint32_t *)ends)[2 * i + 1] = (uint32_t)to;
        }
    }
    return MEGURI_OK;
}

/* Weights are held as 32-bit integers or as doubles: which of them some integers need. Those that neither holds are
 * refused. */
static meguri_status measure_integers(bool *narrow, meguri_ctx *ctx, const meguri_edge_arrays *e, uint64_t first,
                                      uint64_t count) {
    const int64_t most = (int64_t)1 << 53;
    *narrow = true;
    for (uint64_t i = first; i < first + count; i++) {
        char text[32] = "";
        if (e->weight_type == MEGURI_TYPE_U64) {
            const uint64_t weight = ((const uint64_t *)e->weights)[i];
            if (weight > (uint64_t)most) snprintf(text, sizeof text, "%" PRIu64, weight);
        } else if (e->weight_type == MEGURI_TYPE_I64) {
            const int64_t weight = ((const int64_t *)e->weights)[i];
            if (weight > most || weight < -most) snprintf(text, sizeof text, "%" PRId64, weight);
        }
        if (*text)
            return mg_fail(ctx, MEGURI_BAD_INPUT,
                           "the weight %s of edge %" PRIu64 " cannot be stored exactly: integer weights must be from "
                           "-2^53 to 2^53.",
                           text, i);
        const double weight = mg_weight_at(e->weights, e->weight_type, i);
        *narrow &= weight >= 0 && weight <= UINT32_MAX;
    }
    return MEGURI_OK;
}

meguri_status mg_arrays_weights(mg_edge_block *block, meguri_ctx *ctx, const meguri_edge_arrays *e, uint64_t first,
                                uint64_t count) {
    if (!e->weights) return MEGURI_OK;
    const bool real = mg_type_is_real(e->weight_type);
    bool whole = !real;
    meguri_status status = real ? MEGURI_OK : measure_integers(&whole, ctx, e, first, count);
    if (status != MEGURI_OK) return status;
    block->weight_type = whole ? MEGURI_TYPE_U32 : real ? e->weight_type : MEGURI_TYPE_F64;
    size_t size = meguri_type_bytes(block->weight_type);
    block->weights = mg_alloc_array(ctx, count, size, "weights");
    if (!block->weights) return MEGURI_NO_MEMORY;
    if (whole)
        for (uint64_t i = 0; i < count; i++)
            ((uint32_t *)block->weights)[i] = (uint32_t)mg_weight_at(e->weights, e->weight_type, first + i);
    else if (real) memcpy(block->weights, (const char *)e->weights + first * size, count * size);
    else
        for (uint64_t i = 0; i < count; i++)
            ((double *)block->weights)[i] = mg_weight_at(e->weights, e->weight_type, first + i);
    return MEGURI_OK;
}

meguri_status mg_arrays_values(mg_edge_block *block, meguri_ctx *ctx, const meguri_column_data *column, uint32_t c,
                               uint64_t first, uint64_t count) {
    meguri_type type = column->type ? column->type : MEGURI_TYPE_F64;
    size_t size = meguri_type_bytes(type);
    block->columns[c].type = type;
    block->columns[c].values = mg_alloc_array(ctx, count, size, "a column of the edges");
    if (!block->columns[c].values) return MEGURI_NO_MEMORY;
    memcpy(block->columns[c].values, (const char *)column->values + first * size, count * size);
    return mg_validity_slice(&block->columns[c].validity, ctx, column->validity, first, count);
}

/* Texts come by tables of names, which are merged in the end. */
static meguri_status copy_columns(mg_edge_block *block, mg_names **names, meguri_ctx *ctx, const mg_edges *edges,
                                  const meguri_edge_arrays *e, uint64_t first, uint64_t count) {
    meguri_status status = MEGURI_OK;
    for (uint32_t c = 0; c < e->column_count && status == MEGURI_OK; c++) {
        const meguri_column_data column = mg_column_at(e->columns, c);
        status = edges->columns[c].text ? mg_texts_take(&block->columns[c], &names[c], ctx, &column, first, count)
                                        : mg_arrays_values(block, ctx, &column, c, first, count);
    }
    return status;
}

static meguri_status copy_block(meguri_ctx *ctx, mg_edges *edges, const meguri_edge_arrays *e, uint64_t first,
                                uint64_t count) {
    mg_edge_block block = {.place = first, .count = count, .id_bytes = e->id_bytes == 8 || e->signed_ids ? 8 : 4};
    mg_name_maps maps = {0};
    mg_names **names = mg_alloc_array_zero(ctx, e->column_count, sizeof *names, "texts");
    meguri_status status = names ? mg_arrays_ends(&block.ends, ctx, e, first, count) : MEGURI_NO_MEMORY;
    if (status == MEGURI_OK) status = mg_arrays_weights(&block, ctx, e, first, count);
    if (status == MEGURI_OK) status = mg_edge_block_make_columns(ctx, &block, e->column_count);
    if (status == MEGURI_OK) status = copy_columns(&block, names, ctx, edges, e, first, count);
    if (status == MEGURI_OK) status = mg_edges_merge_names(&maps, ctx, edges, first, NULL, names);
    if (status == MEGURI_OK) status = mg_edges_add_mapped(ctx, edges, &block, &maps);
    else mg_edge_block_free(&block);
    for (uint32_t c = 0; names && c < e->column_count; c++) mg_names_free(names[c]);
    mg_free(names);
    return status;
}

static meguri_status borrow_block(meguri_ctx *ctx, mg_edges *edges, const meguri_edge_arrays *e, uint64_t first,
                                  uint64_t count) {
    /* Cast away const: a borrowed block is only read. */
    mg_edge_block block = {
        .place = first, .count = count, .id_bytes = e->id_bytes, .ends = (char *)e->from + first * e->stride};
    if (e->weights) {
        block.weight_type = e->weight_type;
        block.weights = (char *)e->weights + first * meguri_type_bytes(e->weight_type);
    }
    meguri_status status = mg_edge_block_make_columns(ctx, &block, e->column_count);
    for (uint32_t c = 0; c < block.column_count; c++) {
        const meguri_column_data column = mg_column_at(e->columns, c);
        meguri_type type = column.type ? column.type : MEGURI_TYPE_F64;
        block.columns[c] =
            (mg_block_column){.values = (char *)column.values + first * meguri_type_bytes(type),
                              .type = type,
                              .validity = column.validity ? (uint8_t *)column.validity + first / 8 : NULL};
    }
    if (status == MEGURI_OK) status = mg_edges_borrow(ctx, edges, &block);
    if (status != MEGURI_OK) mg_free(block.columns);
    return status;
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
                    .chunk = e->column_count ? MG_BLOCK_WITH_COLUMNS : MG_BLOCK_EDGES,
                    .work = make_blocks,
                    .what = &job,
                    .phase = "looking at edges",
                    .total = e->count};
    return mg_loop_run(&loop);
}

meguri_status mg_arrays_list(meguri_ctx *ctx, mg_edges *list, const meguri_edge_arrays *e) {
    meguri_status status = mg_columns_declare(ctx, list, e->columns, e->column_count, false);
    if (status == MEGURI_OK) status = check_values(ctx, e);
    return status == MEGURI_OK ? blocks_from_arrays(ctx, list, e) : status;
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
    if (status == MEGURI_OK) status = MG_OPTIONS(ctx, &o, options, meguri_build_options);
    if (status == MEGURI_OK) status = mg_check_build_options(ctx, &o);
    if (status == MEGURI_OK && o.layout)
        status = mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                         "edges in arrays make a whole graph; meguri_graph_spread brings it to a cluster.");
    if (status == MEGURI_OK) status = mg_arrays_check(ctx, &e);
    if (status == MEGURI_OK) status = mg_edges_new(&list, ctx);
    if (status == MEGURI_OK) status = mg_arrays_list(ctx, list, &e);
    if (status == MEGURI_OK && e.weights) mg_edges_declare_weights(list, e.weight_type);
    if (status == MEGURI_OK && e.vertices) status = check_ends(ctx, list, e.vertices);
    if (status == MEGURI_OK && e.vertices) status = mg_edges_declare(ctx, list, 0, e.vertices);
    if (status == MEGURI_OK && e.signed_ids && !e.vertices) mg_edges_set_signed(list);
    if (status == MEGURI_OK) status = mg_graph_build(out, ctx, list, &o);
    mg_edges_free(list);
    return status;
}
