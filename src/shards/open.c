/* A .meg file in shares: each process maps it and touches, and checks, what is its own.
 *
 * Arcs are shared evenly, and name vertices by the file's internal numbers. Where these say who owns what (files in
 * falling order of degree, where owners are by degree; or a locality order, where they are by blocks), or positions do,
 * nothing is counted: arcs go to their tiles at once. Otherwise they are read as edges between positions. */
#include "shards/build.h"
#include "shards/direct.h"

#include <inttypes.h>

typedef struct opened {
    meguri_graph *graph;
    uint64_t arc, end;     /* arcs that this process reads, as far as it has not */
    uint64_t row, row_end; /* and the rows that they are in */
    const void *offsets;   /* of these rows and the next */
    uint64_t first_row;
    const uint32_t *neighbors; /* of these arcs */
    const void *weights;
    uint64_t first_arc;
    meguri_type as;    /* type of weights that arcs travel with … */
    bool with_numbers; /* … which are the arcs' numbers */
    meguri_cluster *cluster;
    bool mapped_once; /* all ranks map the same pages */
    meguri_owner owner;
    bool numbered;          /* the number of a vertex is known … */
    bool by_position;       /* … from its position */
    mg_blocks blocks;       /* of internal numbers, or of positions */
    mg_numbering numbering; /* where positions matter */
} opened;

/* ---- this process's arcs ---------------------------------------------------------------------------------------- */

static uint64_t offset_in(const opened *o, const void *offsets, uint64_t i) {
    return o->graph->offset_bytes == 4 ? ((const uint32_t *)offsets)[i] : ((const uint64_t *)offsets)[i];
}

/* One offset, of which only its chunk is checked. */
static meguri_status offset_at(uint64_t *out, meguri_ctx *ctx, const opened *o, uint64_t row) {
    const void *place;
    uint64_t bytes = o->graph->offset_bytes;
    meguri_status status = mg_graph_part_range(&place, ctx, o->graph, MG_PART_OFFSETS, row * bytes, (row + 1) * bytes);
    if (status == MEGURI_OK) *out = offset_in(o, place, 0);
    return status;
}

static meguri_status damaged(meguri_ctx *ctx, const char *what) {
    return mg_fail(ctx, MEGURI_BAD_INPUT,
                   "the .meg file is damaged: its %s; copy it again from where it came, or build it again.", what);
}

/* The row of an arc: the last one that begins at or before it. */
static meguri_status find_row(uint64_t *out, meguri_ctx *ctx, const opened *o, uint64_t arc) {
    uint64_t low = 0, high = o->graph->rows, offset;
    meguri_status status = MEGURI_OK;
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        status = offset_at(&offset, ctx, o, middle);
        if (status != MEGURI_OK) return status;
        if (offset <= arc) low = middle;
        else high = middle;
    }
    *out = low;
    return status;
}

static meguri_status take_share(opened *o, meguri_ctx *ctx, const meguri_cluster *c) {
    const meguri_graph *g = o->graph;
    mg_range share = mg_share(g->arcs, c->rank, c->size);
    uint64_t bytes = g->offset_bytes, weight = meguri_type_bytes(g->weight_type), first, last;
    const void *neighbors;
    o->arc = o->first_arc = share.begin;
    o->end = share.end;
    if (share.begin == share.end) return MEGURI_OK;
    meguri_status status = find_row(&o->first_row, ctx, o, share.begin);
    if (status == MEGURI_OK) status = find_row(&o->row_end, ctx, o, share.end - 1);
    if (status == MEGURI_OK && o->row_end < o->first_row) status = damaged(ctx, "row offsets are out of order");
    if (status == MEGURI_OK)
        status =
            mg_graph_part_range(&o->offsets, ctx, g, MG_PART_OFFSETS, o->first_row * bytes, (o->row_end + 2) * bytes);
    if (status == MEGURI_OK)
        status = mg_graph_part_range(&neighbors, ctx, g, MG_PART_NEIGHBORS, share.begin * 4, share.end * 4);
    if (status == MEGURI_OK)
        status = mg_graph_part_range(&o->weights, ctx, g, MG_PART_WEIGHTS, share.begin * weight, share.end * weight);
    if (status != MEGURI_OK) return status;
    o->neighbors = neighbors;
    o->row = o->first_row;
    first = offset_in(o, o->offsets, 0);
    last = offset_in(o, o->offsets, o->row_end + 1 - o->first_row);
    if (first > share.begin || last < share.end) return damaged(ctx, "row offsets do not span its arcs");
    uint32_t largest = 0;
    for (uint64_t i = 0; i < share.end - share.begin; i++) largest = MG_MAX(largest, o->neighbors[i]);
    return largest < g->rows ? MEGURI_OK : damaged(ctx, "arcs lead to vertices that are not there");
}

/* ---- numbers ---------------------------------------------------------------------------------------------------- */

/* Who owns what, as far as the file says it: AUTO where degrees must decide. */
static meguri_owner owner_of(const meguri_graph *g, const meguri_layout *layout) {
    if (layout->owner != MEGURI_OWNER_AUTO) return layout->owner;
    if (g->order == MEGURI_ORDER_DEGREE || layout->pairs || layout->cluster->size == 1) return MEGURI_OWNER_DEGREE;
    return g->order == MEGURI_ORDER_BFS ? MEGURI_OWNER_BLOCKS : MEGURI_OWNER_AUTO;
}

static meguri_status plan_numbers(opened *o, meguri_ctx *ctx, const meguri_layout *layout) {
    const meguri_graph *g = o->graph;
    bool by_degree = g->order == MEGURI_ORDER_DEGREE;
    o->owner = owner_of(g, layout);
    o->numbered = o->owner == MEGURI_OWNER_DEGREE ? by_degree : o->owner != MEGURI_OWNER_AUTO;
    o->by_position =
        !o->numbered || o->owner == MEGURI_OWNER_POSITION || (o->owner == MEGURI_OWNER_BLOCKS && by_degree);
    o->blocks = mg_blocks_of(o->by_position ? g->vertices : g->rows, o->cluster->size);
    return o->by_position ? mg_graph_numbering(&o->numbering, ctx, g) : MEGURI_OK;
}

/* What edges call an internal number, or a position: its number, or, where that is not known, its position. */
static inline uint64_t named(const opened *o, uint64_t v) {
    return o->numbered && o->owner == MEGURI_OWNER_BLOCKS && v < o->blocks.count ? mg_blocks_number(&o->blocks, v) : v;
}

static meguri_status number_positions(void *user, meguri_ctx *ctx, mg_globals out, mg_range positions) {
    const opened *o = user;
    const void *map = NULL;
    meguri_status status = MEGURI_OK;
    if (!o->by_position && o->graph->part[MG_PART_TO_INTERNAL].data)
        status = mg_graph_part_range(&map, ctx, o->graph, MG_PART_TO_INTERNAL, positions.begin * 4, positions.end * 4);
    for (uint64_t i = 0; i < positions.end - positions.begin && status == MEGURI_OK; i++)
        mg_global_put(out, i, named(o, map ? ((const uint32_t *)map)[i] : positions.begin + i));
    return status;
}

static uint64_t next_opened(void *user, mg_globals ends, void *weights, uint64_t capacity) {
    opened *o = user;
    uint64_t n = MG_MIN(capacity, o->end - o->arc);
    for (uint64_t i = 0; i < n; i++, o->arc++) {
        while (offset_in(o, o->offsets, o->row + 1 - o->first_row) <= o->arc) o->row++;
        uint32_t from = (uint32_t)o->row, to = o->neighbors[o->arc - o->first_arc];
        mg_global_put(ends, 2 * i, named(o, o->by_position ? mg_to_user(&o->numbering, from) : from));
        mg_global_put(ends, 2 * i + 1, named(o, o->by_position ? mg_to_user(&o->numbering, to) : to));
        if (o->as == MEGURI_TYPE_NONE) continue;
        double weight =
            o->with_numbers ? (double)o->arc : mg_weight_at(o->weights, o->graph->weight_type, o->arc - o->first_arc);
        if (o->as == MEGURI_TYPE_U32) ((uint32_t *)weights)[i] = (uint32_t)weight;
        if (o->as == MEGURI_TYPE_F32) ((float *)weights)[i] = (float)weight;
        if (o->as == MEGURI_TYPE_F64) ((double *)weights)[i] = weight;
    }
    return n;
}

/* ---- rows straight into tiles ----------------------------------------------------------------------------------- */

static bool takes_rows(void *user, const mg_layout *l) {
    const opened *o = user;
    return !o->graph->directed && o->mapped_once &&
           mg_policy_take_rows(o->cluster->machines, (uint32_t)l->rows, (uint32_t)l->columns);
}

/* All shares have been checked, each by the rank that has it, of the same pages; offsets are now, whole. */
static meguri_status take_rows(void *user, meguri_ctx *ctx, mg_shards *s) {
    const opened *o = user;
    const meguri_graph *g = o->graph;
    const void *offsets = NULL;
    meguri_status status = mg_graph_part(&offsets, ctx, g, MG_PART_OFFSETS);
    status = mg_agree(ctx, o->cluster, status);
    if (status != MEGURI_OK) return status;
    const mg_file_rows from = {.rows = {.rows = g->rows,
                                        .arcs = g->arcs,
                                        .offsets32 = g->offset_bytes == 4 ? offsets : NULL,
                                        .offsets64 = g->offset_bytes == 8 ? offsets : NULL,
                                        .neighbors = g->part[MG_PART_NEIGHBORS].data,
                                        .weights = g->part[MG_PART_WEIGHTS].data},
                               .file_weights = g->weight_type,
                               .weights = o->as};
    return mg_shards_take_rows(ctx, s, &from);
}

/* ---- order and ids
 * -------------------------------------------------------------------------------------------------------- */

static meguri_status take_names(meguri_ctx *ctx, mg_shards *s, const meguri_graph *g) {
    uint64_t here = s->home.end - s->home.begin;
    const void *data, *bytes = NULL;
    s->name_offsets = mg_alloc_array_zero(ctx, here + 1, sizeof *s->name_offsets, "ids");
    if (!s->name_offsets) return MEGURI_NO_MEMORY;
    meguri_status status = MEGURI_OK;
    if (here) {
        status = mg_graph_part_range(&data, ctx, g, MG_PART_NAME_OFFSETS, s->home.begin * 8, (s->home.end + 1) * 8);
        if (status == MEGURI_OK) memcpy(s->name_offsets, data, (here + 1) * 8);
    }
    uint64_t first = s->name_offsets[0];
    for (uint64_t i = 0; i < here && status == MEGURI_OK; i++)
        if (s->name_offsets[i] > s->name_offsets[i + 1] || s->name_offsets[i + 1] > g->part[MG_PART_NAMES].bytes)
            status = damaged(ctx, "name offsets are out of order");
    if (status == MEGURI_OK && s->name_offsets[here] > first)
        status = mg_graph_part_range(&bytes, ctx, g, MG_PART_NAMES, first, s->name_offsets[here]);
    if (status != MEGURI_OK) return status;
    for (uint64_t i = 0; i <= here; i++) s->name_offsets[i] -= first;
    s->names = mg_alloc(ctx, s->name_offsets[here], "ids");
    if (!s->names) return MEGURI_NO_MEMORY;
    if (bytes) memcpy(s->names, bytes, s->name_offsets[here]);
    return MEGURI_OK;
}

meguri_status mg_shards_take_order(meguri_ctx *ctx, mg_shards *s, const meguri_graph *g, const meguri_layout *layout) {
    uint64_t here = s->home.end - s->home.begin;
    const void *data;
    s->of_programs = layout->programs;
    s->has_order = layout->programs && g->part[MG_PART_TO_INTERNAL].data;
    meguri_status status = s->of_programs ? mg_vertex_columns_sum(&s->vertex_sum, ctx, g, s->home) : MEGURI_OK;
    if (status != MEGURI_OK || !s->has_order) return status;
    status = mg_graph_part_range(&data, ctx, g, MG_PART_TO_INTERNAL, s->home.begin * 4, s->home.end * 4);
    if (status != MEGURI_OK) return status;
    s->internal = mg_alloc_array(ctx, here, sizeof *s->internal, "the order of a graph");
    if (!s->internal) return MEGURI_NO_MEMORY;
    memcpy(s->internal, data, here * sizeof *s->internal);
    return MEGURI_OK;
}

static meguri_status take_ids(meguri_ctx *ctx, mg_shards *s, const meguri_graph *g) {
    uint64_t here = s->home.end - s->home.begin;
    const void *data;
    s->id_kind = g->id_kind;
    s->id_base = g->id_base;
    if (g->id_kind == MEGURI_ID_STRING) return take_names(ctx, s, g);
    if (!g->part[MG_PART_IDS].data) return MEGURI_OK;
    meguri_status status = mg_graph_part_range(&data, ctx, g, MG_PART_IDS, s->home.begin * 8, s->home.end * 8);
    if (status != MEGURI_OK) return status;
    s->ids = mg_alloc_array(ctx, here, sizeof *s->ids, "ids");
    if (!s->ids) return MEGURI_NO_MEMORY;
    memcpy(s->ids, data, here * sizeof *s->ids);
    return MEGURI_OK;
}

/* ---- the graph -------------------------------------------------------------------------------------------------- */

static meguri_type wide_type(meguri_type type) {
    return type == MEGURI_TYPE_U8 || type == MEGURI_TYPE_U16 ? MEGURI_TYPE_U32 : type;
}

/* The parts of one file, not of several of the same name: `status` is how opening it went here. */
static meguri_status check_same(opened *o, meguri_ctx *ctx, meguri_cluster *c, meguri_status status, const char *path) {
    mg_seen seen = {0};
    if (status == MEGURI_OK) seen = (mg_seen){MG_SEEN_FILE, o->graph->file_bytes, o->graph->file_hash};
    status = mg_agree_seen(ctx, c, status, path, &seen);
    if (status != MEGURI_OK) return status;
    uint64_t device = o->graph->file_device, inode = o->graph->file_inode;
    uint64_t most[4] = {device, ~device, inode, ~inode};
    status = mg_reduce_u64(ctx, c, &c->all, most, 4, MG_MAXIMUM);
    o->mapped_once = c->machines == 1 && most[0] == ~most[1] && most[2] == ~most[3];
    return status;
}

meguri_status mg_shards_open(meguri_graph **out, meguri_ctx *ctx, const char *path, const meguri_layout *layout) {
    meguri_cluster *cluster = layout->cluster;
    opened o = {.cluster = cluster};
    mg_shards *s = NULL;
    mg_call call = {.name = "meguri_open"}; /* names may differ: machines have it in different places */
    mg_call_layout(&call, layout);
    meguri_status status = mg_agree_call(ctx, cluster, MEGURI_OK, &call);
    if (status == MEGURI_OK) status = check_same(&o, ctx, cluster, meguri_open(&o.graph, ctx, path, NULL), path);
    if (status == MEGURI_OK) {
        status = take_share(&o, ctx, cluster);
        if (status == MEGURI_OK) status = plan_numbers(&o, ctx, layout);
        status = mg_agree(ctx, cluster, status);
    }
    if (status != MEGURI_OK) goto cleanup;
    o.with_numbers = mg_shards_keep_columns(o.graph, layout);
    o.as = o.with_numbers ? mg_shards_numbers_as(o.graph) : wide_type(o.graph->weight_type);
    const mg_edge_source source = {.next = next_opened,
                                   .user = &o,
                                   .vertices = o.graph->vertices,
                                   .directed = o.graph->directed,
                                   .both_ways = true,
                                   .keep_loops = true,
                                   .duplicates = MEGURI_DUPLICATES_KEEP,
                                   .weights = o.as,
                                   .number = o.numbered ? number_positions : NULL,
                                   .owner = o.owner,
                                   .active = o.by_position ? o.graph->vertices : o.graph->rows,
                                   .takes = takes_rows,
                                   .take = o.numbered && o.owner == MEGURI_OWNER_DEGREE && !o.with_numbers ? take_rows
                                                                                                           : NULL};
    status = mg_shards_build(&s, ctx, &source, layout);
    if (status != MEGURI_OK) goto cleanup;
    status = take_ids(ctx, s, o.graph);
    if (status == MEGURI_OK) status = mg_shards_take_order(ctx, s, o.graph, layout);
    status = mg_agree(ctx, cluster, status);
    if (status == MEGURI_OK) status = mg_shards_take_columns(ctx, s, o.graph, layout, wide_type(o.graph->weight_type));
    if (status != MEGURI_OK) goto cleanup;
    s->edges = o.graph->edges;
    s->file_weights = o.graph->weight_type;
    s->declared_weights = o.graph->declared_weights;
    s->columns_left = mg_graph_column_count(o.graph);
    s->input_edges = o.graph->input_edges;
    s->dropped_loops = o.graph->dropped_loops;
    s->dropped_duplicates = o.graph->dropped_duplicates;
cleanup:
    meguri_graph_free(o.graph);
    return mg_shards_graph(out, ctx, cluster, s, status);
}
