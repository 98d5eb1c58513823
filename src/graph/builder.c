/* The streaming builder: blocks of edges and vertices from anywhere, and the graph of all of them.
 *
 * Blocks are copied into mg_edges (edges.c), which keeps or spills them; string ids and names of types get numbers of
 * the block first, are merged into the tables of all (name_table.c), and are put in order in the end. Nothing of the
 * graph depends on which thread was first. Readers of files fill a builder, too: they make the blocks themselves. */
#include "graph/internal.h"

#include <inttypes.h>
#include <stddef.h>

meguri_status mg_builder_new(meguri_builder **out, meguri_ctx *ctx) {
    *out = NULL;
    meguri_builder *builder = mg_alloc_zero(ctx, sizeof *builder, "a builder");
    if (!builder) return MEGURI_NO_MEMORY;
    meguri_status status = mg_edges_new(&builder->edges, ctx);
    if (status == MEGURI_OK && pthread_mutex_init(&builder->lock, NULL) != 0) {
        mg_edges_free(builder->edges);
        status = mg_fail(ctx, MEGURI_NO_MEMORY, "the system has no room for a lock.");
    }
    if (status == MEGURI_OK) *out = builder;
    else mg_free(builder);
    return status;
}

void meguri_builder_free(meguri_builder *builder) {
    if (!builder) return;
    for (uint64_t i = 0; i < builder->row_blocks; i++) {
        if (!builder->edges->string_ids) builder->rows[i].ids = NULL; /* the edges' */
        mg_vertex_rows_free(&builder->rows[i]);
    }
    mg_free(builder->rows);
    mg_edges_free(builder->edges);
    mg_edges_free(builder->values);
    pthread_mutex_destroy(&builder->lock);
    mg_free(builder);
}

mg_edges *mg_builder_edges(const meguri_builder *builder) { return builder->edges; }

meguri_status mg_builder_string_ids(meguri_ctx *ctx, meguri_builder *builder) {
    mg_names *names;
    if (builder->edges->string_ids) return MEGURI_OK;
    meguri_status status = mg_names_new(&names, ctx);
    if (status == MEGURI_OK) mg_edges_set_names(builder->edges, names);
    return status;
}

meguri_status meguri_builder_new(meguri_builder **out, meguri_ctx *ctx, const meguri_builder_options *options) {
    if (out) *out = NULL;
    if (!out || !ctx) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    meguri_builder_options o;
    meguri_build_options build;
    meguri_builder *builder = NULL;
    meguri_status status = MG_OPTIONS(ctx, &o, options, meguri_builder_options);
    if (status == MEGURI_OK) status = mg_own_build_options(&build, ctx, &o.build);
    if (status == MEGURI_OK) status = mg_check_build_options(ctx, &build);
    if (status == MEGURI_OK && (unsigned)o.ids > MEGURI_ID_STRING)
        status = mg_fail(ctx, MEGURI_BAD_ARGUMENT, "there is no kind of ids number %d.", (int)o.ids);
    if (status == MEGURI_OK && build.layout)
        status = mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                         "a builder makes a whole graph: leave the layout out; meguri_graph_spread brings the graph to "
                         "a cluster.");
    if (status == MEGURI_OK) status = mg_builder_new(&builder, ctx);
    if (status == MEGURI_OK && o.ids == MEGURI_ID_STRING) status = mg_builder_string_ids(ctx, builder);
    if (status == MEGURI_OK) status = mg_columns_declare(ctx, builder->edges, o.columns, o.column_count, true);
    if (status == MEGURI_OK)
        status = mg_builder_declare_vertex_columns(ctx, builder, o.vertex_columns, o.vertex_column_count);
    if (status != MEGURI_OK) {
        meguri_builder_free(builder);
        return status;
    }
    if (o.ids == MEGURI_ID_SIGNED) mg_edges_set_signed(builder->edges);
    builder->ids = o.ids;
    builder->build = build;
    *out = builder;
    return MEGURI_OK;
}

/* ---- what blocks must be ---------------------------------------------------------------------------------------- */

meguri_status mg_builder_open(meguri_ctx *ctx, const meguri_builder *builder) {
    if (__atomic_load_n(&builder->finished, __ATOMIC_SEQ_CST))
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "the graph of this builder is made: make a new builder.");
    if (__atomic_load_n(&builder->broken, __ATOMIC_ACQUIRE))
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "this builder has failed before: free it, and begin again.");
    return MEGURI_OK;
}

/* A block may have been taken in part. */
meguri_status mg_builder_note(meguri_builder *builder, meguri_status status) {
    if (status != MEGURI_OK) __atomic_store_n(&builder->broken, true, __ATOMIC_RELEASE);
    return status;
}

static bool has_texts(const meguri_builder *builder, uint32_t id_bytes) {
    return builder->ids == MEGURI_ID_STRING && (id_bytes == 0 || id_bytes == sizeof(meguri_text));
}

/* The sizes of ids, for edges and vertices alike. Texts are looked at as items of their pointer's size. */
meguri_status mg_builder_check_ids(meguri_ctx *ctx, const meguri_builder *builder, meguri_edge_arrays *e, bool *texts) {
    *texts = has_texts(builder, e->id_bytes);
    e->signed_ids = builder->ids == MEGURI_ID_SIGNED;
    if (!*texts) return mg_arrays_check(ctx, e);
    e->id_bytes = sizeof(void *);
    if (!e->stride) e->stride = sizeof(meguri_text);
    if (e->stride < sizeof(meguri_text))
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "a stride of %" PRIu64 " is too short for a meguri_text.", e->stride);
    return mg_arrays_check(ctx, e);
}

static meguri_status check_column(meguri_ctx *ctx, const mg_edge_values *wanted, const meguri_column_data *c,
                                  uint64_t count) {
    if (c->name && strcmp(c->name, wanted->name) != 0)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                       "a block has the column \"%.200s\" where the builder has \"%s\": columns come in its order.",
                       c->name, wanted->name);
    if ((c->type != MEGURI_TYPE_NONE && !mg_type_is_column(c->type)) || (count && !c->values))
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                       "the column \"%s\" of a block has no values, or a type that is not known.", wanted->name);
    bool numbers = wanted->labelled && !wanted->text;
    if (numbers ? !mg_type_is_unsigned(c->type) : wanted->type && c->type != wanted->type)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "the values of the column \"%s\" are %s in a block, but %s.",
                       wanted->name, meguri_type_name(c->type ? c->type : MEGURI_TYPE_F64),
                       numbers ? "those that have names are whole numbers" : meguri_type_name(wanted->type));
    bool named = wanted->streamed_labels && !wanted->text;
    if (named ? count && !c->labels : c->labels != NULL)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                       named ? "the column \"%s\" of a block has no names for its types."
                             : "the column \"%s\" of a block has names for values, which only the builder's options "
                               "give.",
                       wanted->name);
    return MEGURI_OK;
}

/* The columns of a block against those of the builder. */
meguri_status mg_builder_check_columns(meguri_ctx *ctx, const mg_edges *edges, const meguri_column_data *columns,
                                       uint32_t column_count, uint64_t count) {
    if (column_count != edges->column_count)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "a block has %u columns, but the builder %u.", column_count,
                       edges->column_count);
    meguri_status status = mg_columns_check(ctx, columns, column_count);
    for (uint32_t c = 0; c < column_count && status == MEGURI_OK; c++) {
        const meguri_column_data column = mg_column_at(columns, c);
        status = check_column(ctx, &edges->columns[c], &column, count);
    }
    return status;
}

/* ---- names of a block ------------------------------------------------------------------------------------------- */

meguri_status mg_builder_name(uint32_t *number, meguri_ctx *ctx, mg_names *names, const void *array, uint64_t stride,
                              uint64_t i) {
    meguri_text id;
    memcpy(&id, (const char *)array + i * stride, sizeof id);
    if (!id.text || !id.length || !mg_is_name(id.text, id.length))
        return mg_fail(ctx, MEGURI_BAD_INPUT,
                       "an id is empty, is not UTF-8 text, or holds a line end, a tab or a zero byte.");
    return mg_names_add(ctx, names, id.text, id.length, number);
}

static meguri_status take_texts(mg_edge_block *block, mg_names **names, meguri_ctx *ctx, const meguri_edge_arrays *e,
                                uint64_t first, uint64_t count) {
    uint32_t *ends = block->ends = mg_alloc_array(ctx, count * 2, sizeof *ends, "edges");
    meguri_status status = ends ? mg_names_new(names, ctx) : MEGURI_NO_MEMORY;
    for (uint64_t i = 0; i < count && status == MEGURI_OK; i++) {
        status = mg_builder_name(&ends[2 * i], ctx, *names, e->from, e->stride, first + i);
        if (status == MEGURI_OK) status = mg_builder_name(&ends[2 * i + 1], ctx, *names, e->to, e->stride, first + i);
    }
    block->id_bytes = 4;
    return status;
}

/* Numbers that stand for names. */
static meguri_status take_numbers(mg_edge_block *block, meguri_ctx *ctx, mg_edges *edges, const meguri_edge_arrays *e,
                                  uint64_t first, uint64_t count) {
    pthread_mutex_lock(&edges->lock);
    uint64_t names = mg_names_count(edges->names.names);
    pthread_mutex_unlock(&edges->lock);
    uint32_t *ends = block->ends = mg_alloc_array(ctx, count * 2, sizeof *ends, "edges");
    if (!ends) return MEGURI_NO_MEMORY;
    for (uint64_t i = 0; i < 2 * count; i++) {
        uint64_t number = mg_id_at(e, i % 2 ? e->to : e->from, first + i / 2);
        if (number >= names)
            return mg_fail(ctx, MEGURI_BAD_INPUT,
                           "an edge ends at the number %" PRIu64 ", but %" PRIu64 " names have numbers so far.", number,
                           names);
        ends[i] = (uint32_t)number;
    }
    block->id_bytes = 4;
    return MEGURI_OK;
}

/* Types by their names, numbered as they appear. */
static meguri_status take_labels(mg_edge_block *block, mg_names **names, meguri_ctx *ctx,
                                 const meguri_column_data *column, uint32_t c, uint64_t first, uint64_t count) {
    size_t size = meguri_type_bytes(column->type);
    uint32_t *numbers = mg_alloc_array(ctx, column->label_count, sizeof *numbers, "names of values");
    uint32_t *values = block->columns[c].values = mg_alloc_array(ctx, count, sizeof *values, "a column of the edges");
    meguri_status status = numbers && values ? mg_names_new(names, ctx) : MEGURI_NO_MEMORY;
    block->columns[c].type = MEGURI_TYPE_U32;
    if (status == MEGURI_OK)
        status = mg_validity_slice(&block->columns[c].validity, ctx, column->validity, first, count);
    for (uint32_t i = 0; status == MEGURI_OK && i < column->label_count; i++) numbers[i] = UINT32_MAX;
    for (uint64_t i = 0; i < count && status == MEGURI_OK; i++) {
        values[i] = 0;
        if (block->columns[c].validity && !mg_bit_at(block->columns[c].validity, i)) continue;
        uint64_t value = mg_value_whole(column->values, size, first + i);
        const char *text = value < column->label_count ? column->labels[value] : NULL;
        if (!text || !mg_is_name(text, strlen(text)))
            status = mg_fail(
                ctx, MEGURI_BAD_INPUT,
                "the type %" PRIu64 " has no name, or one that is not UTF-8 text or holds a line end or a tab.", value);
        else if (numbers[value] == UINT32_MAX) status = mg_names_add(ctx, *names, text, strlen(text), &numbers[value]);
        if (status == MEGURI_OK) values[i] = numbers[value];
    }
    mg_free(numbers);
    return status;
}

/* ---- edges ------------------------------------------------------------------------------------------------------ */

static meguri_status add_some(meguri_ctx *ctx, mg_edges *edges, uint64_t place, const meguri_edge_arrays *e, bool texts,
                              uint64_t first, uint64_t count) {
    mg_edge_block block = {.place = place, .count = count, .id_bytes = e->id_bytes == 8 || e->signed_ids ? 8 : 4};
    mg_names *ids = NULL, **labels = NULL;
    mg_name_maps maps = {0};
    meguri_status status = texts               ? take_texts(&block, &ids, ctx, e, first, count)
                           : edges->string_ids ? take_numbers(&block, ctx, edges, e, first, count)
                                               : mg_arrays_ends(&block.ends, ctx, e, first, count);
    if (status == MEGURI_OK) status = mg_arrays_weights(&block, ctx, e, first, count);
    if (status == MEGURI_OK) status = mg_edge_block_make_columns(ctx, &block, e->column_count);
    if (status == MEGURI_OK && e->column_count) {
        labels = mg_alloc_array_zero(ctx, e->column_count, sizeof(mg_names *), "names of values");
        if (!labels) status = MEGURI_NO_MEMORY;
    }
    for (uint32_t c = 0; c < e->column_count && status == MEGURI_OK; c++) {
        const meguri_column_data column = mg_column_at(e->columns, c);
        status = edges->columns[c].text ? mg_texts_take(&block.columns[c], &labels[c], ctx, &column, first, count)
                 : edges->columns[c].streamed_labels ? take_labels(&block, &labels[c], ctx, &column, c, first, count)
                                                     : mg_arrays_values(&block, ctx, &column, c, first, count);
    }
    if (status == MEGURI_OK) status = mg_edges_merge_names(&maps, ctx, edges, place, ids, labels);
    if (status == MEGURI_OK) status = mg_edges_add_mapped(ctx, edges, &block, &maps);
    else mg_edge_block_free(&block);
    mg_names_free(ids);
    for (uint32_t c = 0; labels && c < e->column_count; c++) mg_names_free(labels[c]);
    mg_free(labels);
    return status;
}

static meguri_status add_edges(meguri_ctx *ctx, meguri_builder *builder, uint64_t place,
                               const meguri_edge_arrays *edges) {
    meguri_edge_arrays e;
    bool texts = false;
    meguri_status status = mg_builder_open(ctx, builder);
    if (status == MEGURI_OK) status = mg_options(ctx, &e, sizeof e, edges, "meguri_edge_arrays");
    if (status == MEGURI_OK && e.vertices)
        status = mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                         "a block of edges says how many vertices there are: meguri_builder_vertices adds them.");
    if (status == MEGURI_OK) status = mg_builder_check_ids(ctx, builder, &e, &texts);
    if (status == MEGURI_OK) status = mg_builder_check_columns(ctx, builder->edges, e.columns, e.column_count, e.count);
    if (status != MEGURI_OK) return status;
    if (e.weights && e.count) mg_edges_declare_weights(builder->edges, e.weight_type);
    uint64_t most = e.column_count ? MG_BLOCK_WITH_COLUMNS : MG_BLOCK_EDGES;
    for (uint64_t first = 0; first < e.count && status == MEGURI_OK; first += most)
        status = mg_builder_note(builder,
                                 add_some(ctx, builder->edges, place, &e, texts, first, MG_MIN(most, e.count - first)));
    return status;
}

meguri_status meguri_builder_add(meguri_ctx *ctx, meguri_builder *builder, uint64_t place,
                                 const meguri_edge_arrays *edges) {
    if (!ctx || !builder || !edges) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    atomic_fetch_add(&builder->adding, 1);
    meguri_status status = add_edges(ctx, builder, place, edges);
    atomic_fetch_sub(&builder->adding, 1);
    return status;
}

/* ---- the graph ------------------------------------------------------------------------------------------------- */

meguri_status mg_builder_build(meguri_graph **out, meguri_ctx *ctx, meguri_builder *builder,
                               const meguri_build_options *options) {
    meguri_graph *graph = NULL;
    meguri_status status = mg_graph_build(&graph, ctx, builder->edges, options);
    if (status == MEGURI_OK) status = mg_builder_place_vertices(ctx, builder, graph);
    if (status == MEGURI_OK) status = mg_builder_give_values(ctx, builder, graph);
    if (status == MEGURI_OK) *out = graph;
    else meguri_graph_free(graph);
    return status;
}

meguri_status meguri_builder_finish(meguri_graph **out, meguri_ctx *ctx, meguri_builder *builder) {
    if (out) *out = NULL;
    if (!out || !ctx || !builder) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    meguri_status status = mg_builder_open(ctx, builder);
    if (status != MEGURI_OK) return status;
    if (__atomic_exchange_n(&builder->finished, true, __ATOMIC_SEQ_CST))
        return mg_fail(ctx, MEGURI_BUSY, "another call finishes this builder.");
    if (atomic_load(&builder->adding)) {
        __atomic_store_n(&builder->finished, false, __ATOMIC_SEQ_CST);
        return mg_fail(ctx, MEGURI_BUSY, "other calls add edges to this builder: finish it when they are over.");
    }
    return mg_builder_build(out, ctx, builder, &builder->build);
}
