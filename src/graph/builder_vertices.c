/* The vertices of a builder: ids that are there whether an edge names them or not, coordinates, columns.
 *
 * Coordinates stay in memory. The values of columns are kept as edges are, spilled ones too, each row as a loop of its
 * vertex, and gathered in the end as those of edges are (columns_build.c). */
#include "graph/internal.h"

#include <inttypes.h>

void mg_vertex_rows_free(mg_vertex_rows *rows) {
    mg_free(rows->ids);
    mg_free(rows->x);
    mg_free(rows->y);
    *rows = (mg_vertex_rows){0};
}

meguri_status mg_builder_declare_vertex_columns(meguri_ctx *ctx, meguri_builder *builder,
                                                const meguri_column_data *columns, uint32_t count) {
    if (!count) return MEGURI_OK;
    meguri_status status = mg_edges_new(&builder->values, ctx);
    if (status == MEGURI_OK) status = mg_columns_declare(ctx, builder->values, columns, count, true);
    for (uint32_t c = 0; c < count && status == MEGURI_OK; c++)
        if (builder->values->columns[c].streamed_labels && !builder->values->columns[c].text)
            status =
                mg_fail(ctx, MEGURI_BAD_ARGUMENT, "the column \"%s\" of the vertices holds types, which need names.",
                        builder->values->columns[c].name);
    return status;
}

meguri_status mg_builder_rows(meguri_ctx *ctx, meguri_builder *builder, mg_vertex_rows *rows) {
    mg_vertex_rows taken = *rows;
    *rows = (mg_vertex_rows){0};
    meguri_status status = MEGURI_OK;
    bool integers = !builder->edges->string_ids;
    if (!taken.count || (!integers && !taken.x)) {
        mg_vertex_rows_free(&taken);
        return MEGURI_OK;
    }
    if (integers) status = mg_edges_name(ctx, builder->edges, taken.ids, taken.count); /* the edges' from now on */
    pthread_mutex_lock(&builder->lock);
    if (status == MEGURI_OK && taken.x && builder->row_blocks == builder->row_room) {
        uint64_t room = builder->row_room * 2 + 4;
        mg_vertex_rows *bigger = mg_resize(ctx, builder->rows, room * sizeof *bigger, "vertices");
        if (bigger) {
            builder->rows = bigger;
            builder->row_room = room;
        } else status = MEGURI_NO_MEMORY;
    }
    if (status == MEGURI_OK && taken.x) {
        builder->rows[builder->row_blocks++] = taken;
        taken = (mg_vertex_rows){0};
    }
    pthread_mutex_unlock(&builder->lock);
    if (integers) taken.ids = NULL;
    mg_vertex_rows_free(&taken);
    return status;
}

static meguri_status check_range(meguri_ctx *ctx, const meguri_builder *builder, const meguri_vertex_arrays *v) {
    uint64_t top = builder->ids == MEGURI_ID_SIGNED ? INT64_MAX : UINT64_MAX;
    if (builder->ids == MEGURI_ID_STRING)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "vertices with string ids need an array of ids.");
    if (v->count && top - v->first < v->count - 1)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "%" PRIu64 " vertices from %" PRIu64 " on run past the largest id.",
                       v->count, v->first);
    return MEGURI_OK;
}

static meguri_status check_vertices(meguri_ctx *ctx, const meguri_builder *builder, meguri_vertex_arrays *v,
                                    meguri_edge_arrays *ids, bool *texts) {
    *ids = (meguri_edge_arrays){.size = sizeof *ids,
                                .count = v->count,
                                .from = v->ids,
                                .to = v->ids,
                                .id_bytes = v->id_bytes,
                                .stride = v->stride};
    if (!v->x != !v->y) return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "vertices have x or y, but not both.");
    if (v->count > MG_MAX_VERTICES)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "%" PRIu64 " vertices are more than the %" PRIu64 " that fit.",
                       v->count, MG_MAX_VERTICES);
    if (v->column_count && !builder->values)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "a block of vertices has %u columns, but the builder none.",
                       v->column_count);
    meguri_status status = v->column_count
                               ? mg_builder_check_columns(ctx, builder->values, v->columns, v->column_count, v->count)
                               : MEGURI_OK;
    if (status != MEGURI_OK) return status;
    return v->ids ? mg_builder_check_ids(ctx, builder, ids, texts) : check_range(ctx, builder, v);
}

/* The columns of a block, and the block; takes it over. */
static meguri_status add_columns(meguri_ctx *ctx, mg_edges *values, uint64_t place, mg_edge_block *block,
                                 const meguri_vertex_arrays *v, uint64_t first) {
    mg_name_maps maps = {0};
    mg_names **names = mg_alloc_array_zero(ctx, v->column_count, sizeof *names, "texts");
    meguri_status status = names ? MEGURI_OK : MEGURI_NO_MEMORY;
    for (uint32_t c = 0; c < v->column_count && status == MEGURI_OK; c++) {
        const meguri_column_data column = mg_column_at(v->columns, c);
        status = values->columns[c].text
                     ? mg_texts_take(&block->columns[c], &names[c], ctx, &column, first, block->count)
                     : mg_arrays_values(block, ctx, &column, c, first, block->count);
    }
    if (status == MEGURI_OK) status = mg_edges_merge_names(&maps, ctx, values, place, NULL, names);
    if (status == MEGURI_OK) status = mg_edges_add_mapped(ctx, values, block, &maps);
    else mg_edge_block_free(block);
    for (uint32_t c = 0; names && c < v->column_count; c++) mg_names_free(names[c]);
    mg_free(names);
    return status;
}

/* The values of some vertices, whose ids (or numbers) are in rows. */
static meguri_status add_values(meguri_ctx *ctx, meguri_builder *builder, uint64_t place, const meguri_vertex_arrays *v,
                                const mg_vertex_rows *rows) {
    meguri_status status = MEGURI_OK;
    for (uint64_t first = 0; first < v->count && status == MEGURI_OK; first += MG_BLOCK_WITH_COLUMNS) {
        uint64_t count = MG_MIN((uint64_t)MG_BLOCK_WITH_COLUMNS, v->count - first);
        mg_edge_block block = {.place = place, .count = count, .id_bytes = 8};
        uint64_t *ends = block.ends = mg_alloc_array(ctx, 2 * count, sizeof *ends, "vertices");
        if (!ends) return MEGURI_NO_MEMORY;
        for (uint64_t i = 0; i < 2 * count; i++) ends[i] = rows->ids[first + i / 2];
        status = mg_edge_block_make_columns(ctx, &block, v->column_count);
        if (status == MEGURI_OK) status = add_columns(ctx, builder->values, place, &block, v, first);
        else mg_edge_block_free(&block);
    }
    return status;
}

/* String ids of a block: merged, and their numbers in rows->ids. */
static meguri_status name_vertices(mg_vertex_rows *rows, meguri_ctx *ctx, mg_edges *edges, uint64_t place,
                                   const meguri_edge_arrays *e) {
    mg_names *names = NULL;
    mg_name_maps maps = {0};
    meguri_status status = mg_names_new(&names, ctx);
    for (uint64_t i = 0; i < e->count && status == MEGURI_OK; i++) {
        uint32_t number = 0;
        status = mg_builder_name(&number, ctx, names, e->from, e->stride, i);
        rows->ids[i] = number;
    }
    if (status == MEGURI_OK) status = mg_edges_merge_names(&maps, ctx, edges, place, names, NULL);
    for (uint64_t i = 0; i < e->count && status == MEGURI_OK; i++) rows->ids[i] = maps.ids[rows->ids[i]];
    mg_name_maps_free(&maps);
    mg_names_free(names);
    return status;
}

static meguri_status check_numbers(meguri_ctx *ctx, mg_edges *edges, const mg_vertex_rows *rows) {
    pthread_mutex_lock(&edges->lock);
    uint64_t names = mg_names_count(edges->names.names);
    pthread_mutex_unlock(&edges->lock);
    for (uint64_t i = 0; i < rows->count; i++)
        if (rows->ids[i] >= names)
            return mg_fail(ctx, MEGURI_BAD_INPUT,
                           "a vertex has the number %" PRIu64 ", but %" PRIu64 " names have numbers so far.",
                           rows->ids[i], names);
    return MEGURI_OK;
}

static meguri_status copy_rows(mg_vertex_rows *rows, meguri_ctx *ctx, const meguri_vertex_arrays *v,
                               const meguri_edge_arrays *ids, bool texts) {
    *rows = (mg_vertex_rows){.count = v->count};
    rows->ids = mg_alloc_array(ctx, v->count, sizeof *rows->ids, "vertices");
    if (!rows->ids) return MEGURI_NO_MEMORY;
    for (uint64_t i = 0; i < v->count && !texts; i++) rows->ids[i] = v->ids ? mg_id_at(ids, v->ids, i) : v->first + i;
    if (!v->x) return MEGURI_OK;
    rows->x = mg_alloc_array(ctx, v->count, sizeof *rows->x, "coordinates");
    rows->y = mg_alloc_array(ctx, v->count, sizeof *rows->y, "coordinates");
    if (!rows->x || !rows->y) return MEGURI_NO_MEMORY;
    memcpy(rows->x, v->x, v->count * sizeof *rows->x);
    memcpy(rows->y, v->y, v->count * sizeof *rows->y);
    return MEGURI_OK;
}

meguri_status meguri_builder_vertices(uint64_t *numbers, meguri_ctx *ctx, meguri_builder *builder, uint64_t place,
                                      const meguri_vertex_arrays *vertices) {
    if (!ctx || !builder || !vertices) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    meguri_vertex_arrays v;
    meguri_edge_arrays ids;
    mg_vertex_rows rows = {0};
    bool texts = false;
    meguri_status status = mg_builder_open(ctx, builder);
    if (status == MEGURI_OK) status = mg_options(ctx, &v, sizeof v, vertices, "meguri_vertex_arrays");
    if (status == MEGURI_OK) status = check_vertices(ctx, builder, &v, &ids, &texts);
    if (status == MEGURI_OK && numbers && builder->ids != MEGURI_ID_STRING)
        status = mg_fail(ctx, MEGURI_BAD_ARGUMENT, "only string ids have numbers beside themselves.");
    if (status != MEGURI_OK || !v.count) return status;
    if (!v.ids && !v.x && !v.column_count)
        return mg_builder_note(builder, mg_edges_declare(ctx, builder->edges, v.first, v.count));
    status = copy_rows(&rows, ctx, &v, &ids, texts);
    if (status == MEGURI_OK && texts) status = name_vertices(&rows, ctx, builder->edges, place, &ids);
    else if (status == MEGURI_OK && builder->ids == MEGURI_ID_STRING)
        status = check_numbers(ctx, builder->edges, &rows);
    if (status == MEGURI_OK && numbers) memcpy(numbers, rows.ids, rows.count * sizeof *numbers);
    if (status == MEGURI_OK && v.column_count) status = add_values(ctx, builder, place, &v, &rows);
    if (status == MEGURI_OK) status = mg_builder_rows(ctx, builder, &rows);
    mg_vertex_rows_free(&rows);
    return mg_builder_note(builder, status);
}

/* ---- into the graph -------------------------------------------------------------------------------------------- */

meguri_status mg_builder_place_vertices(meguri_ctx *ctx, meguri_builder *builder, meguri_graph *graph) {
    const uint32_t *positions = builder->edges->name_positions;
    meguri_status status = MEGURI_OK;
    for (uint64_t b = 0; b < builder->row_blocks && status == MEGURI_OK; b++) {
        const mg_vertex_rows *rows = &builder->rows[b];
        for (uint64_t i = 0; positions && i < rows->count; i++) rows->ids[i] = positions[rows->ids[i]];
        status = mg_graph_set_coordinates(ctx, graph, rows->ids, rows->x, rows->y, rows->count);
    }
    return status;
}

enum { BATCH = 4096 };

/* The row that each vertex has: numbers[position], all of them once. */
static meguri_status find_rows(uint32_t *numbers, meguri_ctx *ctx, const meguri_builder *builder,
                               const meguri_graph *graph, uint64_t *ends) {
    const uint32_t *positions = builder->edges->name_positions;
    mg_edges_cursor cursor = {0};
    char text[MG_ID_TEXT];
    uint64_t row = 0, count;
    for (uint64_t v = 0; v < graph->vertices; v++) numbers[v] = UINT32_MAX;
    do {
        meguri_status status = mg_edges_next(&count, ctx, builder->values, &cursor, ends, BATCH);
        for (uint64_t i = 0; i < count && status == MEGURI_OK; i++, row++) {
            uint64_t vertex = positions ? positions[ends[2 * i]] : ends[2 * i];
            if (graph->id_kind != MEGURI_ID_STRING) status = mg_graph_find_id(&vertex, ctx, graph, vertex);
            if (status == MEGURI_OK && numbers[vertex] != UINT32_MAX)
                status = mg_fail(ctx, MEGURI_BAD_INPUT, "the vertex %s has values of columns twice.",
                                 mg_graph_id_text(text, ctx, graph, (uint32_t)vertex));
            if (status == MEGURI_OK) numbers[vertex] = (uint32_t)row;
        }
        if (status != MEGURI_OK) return status;
        if (mg_progress(ctx, "columns", row, graph->vertices)) return mg_fail_cancelled(ctx);
    } while (count);
    for (uint64_t v = 0; v < graph->vertices; v++)
        if (numbers[v] == UINT32_MAX)
            return mg_fail(ctx, MEGURI_BAD_INPUT,
                           "the vertex %s has no values of columns: vertices that edges name need them, too.",
                           mg_graph_id_text(text, ctx, graph, (uint32_t)v));
    return MEGURI_OK;
}

meguri_status mg_builder_give_values(meguri_ctx *ctx, meguri_builder *builder, meguri_graph *graph) {
    if (!builder->values) return MEGURI_OK;
    uint32_t *numbers = mg_alloc_array(ctx, graph->vertices, sizeof *numbers, "columns of vertices");
    uint64_t *ends = mg_alloc_array(ctx, 2 * BATCH, sizeof *ends, "columns of vertices");
    meguri_status status = MEGURI_NO_MEMORY;
    if (numbers && ends) {
        mg_edges_number(builder->values);
        status = find_rows(numbers, ctx, builder, graph, ends);
    }
    if (status == MEGURI_OK)
        status = mg_columns_build(graph, ctx, MG_OF_VERTICES, builder->values, numbers, sizeof *numbers);
    mg_free(numbers);
    mg_free(ends);
    return status;
}
