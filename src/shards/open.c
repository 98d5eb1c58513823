/* A .meg file in shares: each process maps it and touches, and checks, what is its own.
 *
 * Arcs are shared evenly. They name vertices by the file's internal numbers, and nobody has the map from these to
 * positions whole: so the graph is built as if these numbers were the positions, and when vertices have their ranks by
 * degree, each process takes its range of the map, and every rank goes to the home of the position that it belongs to.
 * Files often have hubs first, and a range of such numbers would have most of the arcs: they are dealt like cards. */
#include "shards/build.h"

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
    meguri_weight_type as; /* type of weights that arcs travel with */
    meguri_cluster *cluster;
    uint64_t *deal; /* by v % processes: where such numbers v begin, dealt; NULL: they are the positions */
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
    uint64_t bytes = g->offset_bytes, weight = mg_weight_size(g->weight_type), first, last;
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
    return first > share.begin || last < share.end ? damaged(ctx, "row offsets do not span its arcs") : MEGURI_OK;
}

/* The dealt number of an internal one: every process is home of as many as of positions. */
static uint32_t dealt(const opened *o, uint64_t v) {
    uint64_t size = (uint64_t)o->cluster->size;
    return o->deal ? (uint32_t)(o->deal[v % size] + v / size) : (uint32_t)v;
}

/* Homes have vertices / processes positions, some one more: these take the remainders that have one more. */
static meguri_status prepare_deal(opened *o, meguri_ctx *ctx) {
    int size = o->cluster->size;
    uint64_t vertices = o->graph->vertices, larger = 0, others = vertices % (unsigned)size;
    if (!o->graph->part[MG_PART_TO_USER].data) return MEGURI_OK;
    o->deal = mg_alloc_array(ctx, (uint64_t)size, sizeof *o->deal, "how vertices are dealt");
    if (!o->deal) return MEGURI_NO_MEMORY;
    for (int p = 0; p < size; p++) {
        mg_range home = mg_share(vertices, p, size);
        bool one_more = home.end - home.begin > vertices / (unsigned)size;
        o->deal[one_more ? larger++ : others++] = home.begin;
    }
    return MEGURI_OK;
}

static uint64_t next_opened(void *user, uint32_t *ends, void *weights, uint64_t capacity) {
    opened *o = user;
    uint64_t n = MG_MIN(capacity, o->end - o->arc);
    for (uint64_t i = 0; i < n; i++, o->arc++) {
        while (offset_in(o, o->offsets, o->row + 1 - o->first_row) <= o->arc) o->row++;
        ends[2 * i] = dealt(o, o->row);
        ends[2 * i + 1] = dealt(o, o->neighbors[o->arc - o->first_arc]);
        if (o->as == MEGURI_WEIGHT_NONE) continue;
        double weight = mg_weight_at(o->weights, o->graph->weight_type, o->arc - o->first_arc);
        if (o->as == MEGURI_WEIGHT_U32) ((uint32_t *)weights)[i] = (uint32_t)weight;
        if (o->as == MEGURI_WEIGHT_F32) ((float *)weights)[i] = (float)weight;
        if (o->as == MEGURI_WEIGHT_F64) ((double *)weights)[i] = weight;
    }
    return n;
}

/* ---- numbers to positions --------------------------------------------------------------------------------------- */

/* A range of the map on its way: dealt numbers and positions. */
typedef struct map_reader {
    const opened *opened;
    const uint32_t *map;
    uint64_t place, end, first;
} map_reader;

static uint64_t next_of_map(void *user, void *items, uint32_t *to, uint64_t capacity) {
    map_reader *r = user;
    const opened *o = r->opened;
    uint64_t n = MG_MIN(capacity, r->end - r->place);
    for (uint64_t i = 0; i < n; i++, r->place++) {
        uint32_t number = dealt(o, r->place);
        ((uint32_t *)items)[2 * i] = number;
        ((uint32_t *)items)[2 * i + 1] = r->map[r->place - r->first];
        to[i] = (uint32_t)mg_home(o->graph->vertices, o->cluster->size, number);
    }
    return n;
}

static meguri_status positions_of(void *user, meguri_ctx *ctx, uint32_t *out, mg_range numbers) {
    const opened *o = user;
    const void *map;
    void *items;
    uint64_t count;
    meguri_status status =
        mg_graph_part_range(&map, ctx, o->graph, MG_PART_TO_USER, numbers.begin * 4, numbers.end * 4);
    status = mg_agree(ctx, o->cluster, status);
    if (status != MEGURI_OK) return status;
    map_reader reader = {o, map, numbers.begin, numbers.end, numbers.begin};
    const mg_route_source source = {next_of_map, &reader, 8};
    status = mg_route(&items, &count, ctx, o->cluster, &source, "positions of vertices");
    if (status != MEGURI_OK) return status;
    const uint32_t *pairs = items;
    for (uint64_t i = 0; i < count; i++) out[pairs[2 * i] - numbers.begin] = pairs[2 * i + 1];
    mg_free(items);
    return MEGURI_OK;
}

typedef struct rank_reader {
    const mg_shards *shards;
    const uint32_t *positions;
    uint64_t place;
} rank_reader;

static uint64_t next_rank(void *user, void *items, uint32_t *to, uint64_t capacity) {
    rank_reader *r = user;
    const mg_shards *s = r->shards;
    uint64_t n = MG_MIN(capacity, s->home.end - s->home.begin - r->place);
    for (uint64_t i = 0; i < n; i++, r->place++) {
        ((uint32_t *)items)[2 * i] = r->positions[r->place];
        ((uint32_t *)items)[2 * i + 1] = s->rank_by_degree[r->place];
        to[i] = (uint32_t)mg_home(s->vertices, s->cluster->size, r->positions[r->place]);
    }
    return n;
}

/* Every position gets one rank; a map that is none shows here. */
static meguri_status take_ranks(meguri_ctx *ctx, mg_shards *s, const uint32_t *items, uint64_t count) {
    uint64_t here = s->home.end - s->home.begin;
    bool right = count == here;
    for (uint64_t i = 0; i < here; i++) s->rank_by_degree[i] = UINT32_MAX;
    for (uint64_t i = 0; i < count && right; i++) {
        uint32_t *rank = &s->rank_by_degree[items[2 * i] - s->home.begin];
        right = *rank == UINT32_MAX;
        *rank = items[2 * i + 1];
    }
    return right ? MEGURI_OK : damaged(ctx, "internal-to-user map names a vertex twice");
}

meguri_status mg_shards_rename(meguri_ctx *ctx, mg_shards_builder *b) {
    mg_shards *s = b->shards;
    uint64_t count = 0;
    void *items = NULL;
    uint32_t *positions = mg_alloc_array(ctx, s->home.end - s->home.begin, sizeof *positions, "positions of vertices");
    meguri_status status = mg_agree(ctx, s->cluster, positions ? MEGURI_OK : MEGURI_NO_MEMORY);
    if (status == MEGURI_OK) status = b->source->positions(b->source->user, ctx, positions, s->home);
    if (status == MEGURI_OK) {
        rank_reader reader = {s, positions, 0};
        const mg_route_source source = {next_rank, &reader, 8};
        status = mg_route(&items, &count, ctx, s->cluster, &source, "ranks of vertices");
    }
    if (status == MEGURI_OK) status = mg_agree(ctx, s->cluster, take_ranks(ctx, s, items, count));
    mg_free(items);
    mg_free(positions);
    return status;
}

/* ---- ids -------------------------------------------------------------------------------------------------------- */

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

static meguri_weight_type wide_type(meguri_weight_type type) {
    return type == MEGURI_WEIGHT_U8 || type == MEGURI_WEIGHT_U16 ? MEGURI_WEIGHT_U32 : type;
}

/* The parts of one file, not of several of the same name. */
static meguri_status check_same(meguri_ctx *ctx, meguri_cluster *c, const meguri_graph *g) {
    uint64_t least[3] = {g->file_bytes, g->vertices, g->arcs}, most[3];
    memcpy(most, least, sizeof most);
    meguri_status status = mg_reduce_u64(ctx, c, &c->all, least, 3, MG_MINIMUM);
    if (status == MEGURI_OK) status = mg_reduce_u64(ctx, c, &c->all, most, 3, MG_MAXIMUM);
    if (status != MEGURI_OK || memcmp(least, most, sizeof most) == 0) return status;
    return mg_fail(ctx, MEGURI_BAD_INPUT,
                   "the processes see different files of this name: put it in a folder that all machines share.");
}

meguri_status mg_shards_open(meguri_graph **out, meguri_ctx *ctx, const char *path, const meguri_layout *layout) {
    meguri_cluster *cluster = layout->cluster;
    opened o = {.cluster = cluster};
    mg_shards *s = NULL;
    mg_call call = {.name = "meguri_open"}; /* names may differ: machines have it in different places */
    mg_call_layout(&call, layout);
    meguri_status status = meguri_open(&o.graph, ctx, path, NULL);
    status = mg_agree_call(ctx, cluster, status, &call);
    if (status == MEGURI_OK) status = check_same(ctx, cluster, o.graph);
    if (status == MEGURI_OK) {
        status = take_share(&o, ctx, cluster);
        if (status == MEGURI_OK) status = prepare_deal(&o, ctx);
        status = mg_agree(ctx, cluster, status);
    }
    if (status != MEGURI_OK) goto cleanup;
    o.as = wide_type(o.graph->weight_type);
    const mg_edge_source source = {.next = next_opened,
                                   .user = &o,
                                   .vertices = o.graph->vertices,
                                   .directed = o.graph->directed,
                                   .both_ways = true,
                                   .keep_loops = true,
                                   .keep_duplicates = true,
                                   .weights = o.as,
                                   .positions = o.deal ? positions_of : NULL};
    status = mg_shards_build(&s, ctx, &source, layout);
    if (status == MEGURI_OK) status = mg_agree(ctx, cluster, take_ids(ctx, s, o.graph));
    if (status != MEGURI_OK) goto cleanup;
    s->edges = o.graph->edges;
    s->file_weights = o.graph->weight_type;
    s->input_edges = o.graph->input_edges;
    s->dropped_loops = o.graph->dropped_loops;
    s->dropped_duplicates = o.graph->dropped_duplicates;
cleanup:
    mg_free(o.deal);
    meguri_graph_free(o.graph);
    return mg_shards_graph(out, ctx, cluster, s, status);
}
