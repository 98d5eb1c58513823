/* Text in shares: every process parses its part (io/read_share.c), ids become positions (keys.c, names.c), and the
 * edges go their way as those of any other source. */
#define _GNU_SOURCE /* PATH_MAX */
#include "shards/keys.h"

#include <inttypes.h>
#include <limits.h>

typedef struct reading {
    meguri_ctx *ctx;
    meguri_cluster *cluster;
    mg_read_part part;
    meguri_id_kind kind;
    uint64_t flip; /* xor that turns raw ids into increasing unsigned keys */
    uint64_t vertices;

    uint64_t base;      /* the first key of all */
    mg_id_map map;      /* of the ids of edges that are here */
    uint64_t *places;   /* by that map, positions; NULL: it leads to them, as a header declares all ids */
    uint64_t *home_ids; /* ids of the positions that this process is home of; NULL: consecutive */
    mg_name_order names;

    meguri_type weights;
    mg_share_marks edge_marks; /* where the edges are in the input, if it matters */
    void *ends, *end_weights;  /* of the edges: positions */
    uint64_t count;
} reading;

/* Edges have positions now, and nobody asks for those of ids again. */
static void forget_ids(reading *r) {
    mg_read_part_free(&r->part);
    mg_id_map_free(&r->map);
    mg_free(r->places);
    mg_free(r->names.positions);
    r->part = (mg_read_part){0};
    r->places = r->names.positions = NULL;
}

static void free_reading(reading *r) {
    forget_ids(r);
    mg_free(r->home_ids);
    mg_name_order_free(&r->names);
    mg_free(r->edge_marks.mark);
    mg_free(r->ends);
    mg_free(r->end_weights);
}

/* ---- reading ---------------------------------------------------------------------------------------------------- */

static meguri_status deal(void *user, meguri_status status, void **out, uint64_t *bytes, const void *data,
                          const uint64_t *begins) {
    mg_summing *s = user;
    status = mg_tell(s, status);
    if (status != MEGURI_OK) return status;
    uint64_t size = (uint64_t)s->cluster->size;
    uint64_t *arrived = mg_alloc_array(s->ctx, size + 1, sizeof *arrived, "text of others");
    status = mg_tell(s, arrived ? MEGURI_OK : MEGURI_NO_MEMORY);
    if (status == MEGURI_OK) status = mg_alltoallv(out, arrived, s->ctx, s->cluster, data, begins, "text of others");
    if (status == MEGURI_OK) *bytes = arrived[size];
    else s->told = true;
    mg_free(arrived);
    return status;
}

/* Every file that ranks read parts of, and those that belong to it. */
static meguri_status check_same(const reading *r, const char *const *paths, size_t count,
                                const meguri_read_options *options) {
    char beside[PATH_MAX + 16];
    bool whole = options->build->layout->whole_files;
    meguri_status status = MEGURI_OK;
    for (size_t i = 0; i < count && status == MEGURI_OK && r->cluster->size > 1; i++) {
        const char *path = paths ? paths[i] : NULL;
        status = mg_agree_file(r->ctx, r->cluster, path, whole);
        if (status != MEGURI_OK) break;
        bool there = path && meguri_read_beside(beside, sizeof beside, path, options->format) != 0;
        status = mg_agree_file(r->ctx, r->cluster, there ? beside : NULL, whole);
    }
    return status;
}

static meguri_status read_text(reading *r, const char *const *paths, size_t count, const meguri_read_options *options) {
    mg_summing summing = {.ctx = r->ctx, .cluster = r->cluster};
    const mg_read_share share = {{r->cluster->rank, r->cluster->size, &summing, mg_sum_shares}, deal};
    meguri_status status = mg_read_in_shares(&r->part, r->ctx, paths, count, options, &share);
    r->edge_marks = r->part.edge_marks;
    r->part.edge_marks = (mg_share_marks){0};
    status = mg_tell(&summing, status);
    if (status != MEGURI_OK) return status;
    if (r->edge_marks.count) mg_edges_number(r->part.edges);
    uint64_t signs[2] = {r->part.negative, r->part.huge};
    status = mg_reduce_u64(r->ctx, r->cluster, &r->cluster->all, signs, 2, MG_MAXIMUM);
    if (status != MEGURI_OK) return status;
    if (signs[0] && signs[1])
        return mg_fail(r->ctx, MEGURI_BAD_INPUT,
                       "some ids are negative and others above 9223372036854775807, which no integer type holds "
                       "together; with the option ids (string) all are read as strings.");
    r->kind = r->part.names ? MEGURI_ID_STRING : signs[0] ? MEGURI_ID_SIGNED : MEGURI_ID_UNSIGNED;
    r->flip = r->kind == MEGURI_ID_SIGNED ? (uint64_t)1 << 63 : 0;
    return MEGURI_OK;
}

/* The type that holds the weights of all. */
static meguri_status choose_weights(reading *r) {
    mg_weight_facts facts = mg_edges_weights(r->part.edges);
    uint64_t sums[4] = {mg_edges_count(r->part.edges), r->part.weighted, !facts.whole, !facts.f32_exact};
    meguri_status status = mg_reduce_u64(r->ctx, r->cluster, &r->cluster->all, sums, 4, MG_SUM);
    r->weights = MEGURI_TYPE_NONE;
    if (sums[0] && sums[1]) r->weights = !sums[2] ? MEGURI_TYPE_U32 : !sums[3] ? MEGURI_TYPE_F32 : MEGURI_TYPE_F64;
    return status;
}

/* ---- integer ids ------------------------------------------------------------------------------------------------ */

/* The keys of all processes lie between these. */
typedef struct extent {
    uint64_t low, high;
} extent;

static meguri_status widen_over_all(reading *r, extent *e) {
    meguri_status status = mg_reduce_u64(r->ctx, r->cluster, &r->cluster->all, &e->low, 1, MG_MINIMUM);
    return status == MEGURI_OK ? mg_reduce_u64(r->ctx, r->cluster, &r->cluster->all, &e->high, 1, MG_MAXIMUM) : status;
}

/* Whether one range that a header declares has all ids: then nobody need look for them. */
static meguri_status find_direct(reading *r, bool *direct) {
    uint64_t ranges;
    const mg_id_range *declared = mg_edges_declared(r->part.edges, &ranges);
    extent e;
    *direct = false;
    if (!ranges) return MEGURI_OK; /* all processes have the same */
    if (!mg_edges_extent(&e.low, &e.high, r->part.edges, r->flip)) e = (extent){UINT64_MAX, 0};
    meguri_status status = widen_over_all(r, &e);
    for (uint64_t i = 0; i < ranges; i++) {
        e.low = MG_MIN(e.low, declared[i].first ^ r->flip);
        e.high = MG_MAX(e.high, (declared[i].first + (declared[i].count - 1)) ^ r->flip);
    }
    for (uint64_t i = 0; i < ranges && status == MEGURI_OK; i++)
        if ((declared[i].first ^ r->flip) == e.low && declared[i].count - 1 == e.high - e.low) {
            *direct = true;
            r->base = e.low;
            r->map = (mg_id_map){.flip = r->flip, .base = e.low};
            r->vertices = declared[i].count;
        }
    return status;
}

/* Ranges that headers declare, as keys. */
static meguri_status declared_keys(mg_id_range **out, uint64_t *count, const reading *r) {
    const mg_id_range *declared = mg_edges_declared(r->part.edges, count);
    mg_id_range *ranges = *out = mg_alloc_array(r->ctx, *count, sizeof *ranges, "ids that headers declare");
    if (!ranges) return MEGURI_NO_MEMORY;
    for (uint64_t i = 0; i < *count; i++) ranges[i] = (mg_id_range){declared[i].first ^ r->flip, declared[i].count};
    return MEGURI_OK;
}

static meguri_status order_integers(reading *r) {
    mg_key_order order = {0};
    mg_id_range *ranges = NULL;
    uint64_t range_count = 0, *keys = NULL;
    bool direct;
    meguri_status status = find_direct(r, &direct);
    if (status != MEGURI_OK || direct) return status;
    status = mg_edges_keys(&r->map, &keys, r->ctx, r->part.edges, r->flip);
    if (status == MEGURI_OK) {
        r->places = mg_alloc_array(r->ctx, r->map.vertices, sizeof *r->places, "places of ids");
        status = r->places ? declared_keys(&ranges, &range_count, r) : MEGURI_NO_MEMORY;
    }
    status = mg_agree(r->ctx, r->cluster, status);
    if (status == MEGURI_OK)
        status = mg_order_keys(&order, r->places, r->ctx, r->cluster, keys, r->map.vertices, ranges, range_count);
    mg_free(ranges);
    mg_free(keys);
    if (status != MEGURI_OK) return status;
    r->vertices = order.total;
    extent e = {order.count ? order.keys[0] : UINT64_MAX, order.count ? order.keys[order.count - 1] : 0};
    status = widen_over_all(r, &e);
    r->base = r->vertices ? e.low : r->flip;
    if (status == MEGURI_OK && r->vertices && e.high - e.low != r->vertices - 1) {
        for (uint64_t i = 0; i < order.count; i++) order.keys[i] ^= r->flip;
        status = mg_keys_to_homes(&r->home_ids, r->ctx, r->cluster, &order);
    }
    mg_free(order.keys);
    return status;
}

/* ---- into the graph --------------------------------------------------------------------------------------------- */

/* The ends of all edges that are here become positions. */
static meguri_status find_positions(reading *r) {
    bool wide = mg_is_wide(r->vertices), strings = r->kind == MEGURI_ID_STRING;
    r->count = mg_edges_count(r->part.edges);
    r->ends = mg_alloc_array(r->ctx, 2 * r->count, mg_global_bytes(wide), "edges that are read");
    r->end_weights = mg_alloc_array(r->ctx, r->count, meguri_type_bytes(r->weights), "edges that are read");
    if (!r->ends || !r->end_weights) return MEGURI_NO_MEMORY;
    const mg_edges_request request = {.map = &r->map,
                                      .places = strings ? r->names.positions : r->places,
                                      .ends = r->ends,
                                      .end_bytes = (uint32_t)mg_global_bytes(wide),
                                      .weights = r->end_weights,
                                      .weight_type = r->weights};
    return mg_edges_positions(r->ctx, r->part.edges, &request);
}

static void give_ids(reading *r, mg_shards *s) {
    s->id_kind = r->kind;
    s->id_base = r->kind == MEGURI_ID_STRING ? 0 : r->base ^ r->flip;
    s->ids = r->home_ids;
    s->name_offsets = r->names.name_offsets;
    s->names = r->names.names;
    r->home_ids = NULL;
    r->names.name_offsets = NULL;
    r->names.names = NULL;
}

static uint64_t place_of(const void *user, uint64_t edge) {
    return mg_share_place(&((const reading *)user)->edge_marks, edge);
}

static meguri_status build(mg_shards **out, reading *r, const meguri_build_options *build) {
    double since = mg_now();
    meguri_status status = mg_agree(r->ctx, r->cluster, find_positions(r));
    mg_trace_phase(r->ctx, "shards", "positions", (int64_t)r->count, -1, since);
    if (status != MEGURI_OK) return status;
    bool directed = r->part.directed;
    forget_ids(r);
    const mg_edge_source source = {.vertices = r->vertices,
                                   .directed = directed,
                                   .keep_loops = build->keep_loops,
                                   .duplicates = build->duplicates,
                                   .weights = r->weights,
                                   .smallest_type = true,
                                   .user = r,
                                   .place = place_of,
                                   .ends = r->ends,
                                   .end_weights = r->end_weights,
                                   .count = r->count};
    r->ends = r->end_weights = NULL; /* taken over */
    status = mg_shards_build(out, r->ctx, &source, build->layout);
    if (status == MEGURI_OK) give_ids(r, *out);
    return status;
}

/* Not the names of files: machines may have them in different places. */
static void describe(mg_call *call, const meguri_read_options *o) {
    mg_call_number(call, "format", (uint64_t)o->format);
    mg_call_number(call, "kind of ids", (uint64_t)o->ids);
    mg_call_number(call, "choice of how a table is read",
                   (uint64_t)o->header | (uint64_t)(o->skip_bad != 0) << 2 |
                       (uint64_t)(o->use_default_weight != 0) << 3 | (uint64_t)(unsigned char)o->separator << 8);
    uint64_t weight;
    memcpy(&weight, &o->default_weight, sizeof weight);
    mg_call_text(call, "source column", o->source_column);
    mg_call_text(call, "target column", o->target_column);
    mg_call_text(call, "weight column", o->weight_column);
    mg_call_number(call, "default weight", o->use_default_weight ? weight : 0);
    mg_call_build(call, o->build);
}

meguri_status mg_shards_read(meguri_graph **out, meguri_ctx *ctx, const char *const *paths, size_t path_count,
                             const meguri_read_options *what) {
    const meguri_layout *layout = what->build->layout;
    meguri_cluster *cluster = layout->cluster;
    meguri_read_options o;
    reading r = {.ctx = ctx, .cluster = cluster};
    mg_shards *shards = NULL;
    meguri_status status = MG_OPTIONS(ctx, &o, what, meguri_read_options);
    mg_call call = {.name = "meguri_read"};
    mg_call_number(&call, "number of files", path_count);
    mg_call_layout(&call, layout);
    if (status == MEGURI_OK) describe(&call, &o);
    status = mg_agree_call(ctx, cluster, status, &call);
    mg_hold_warnings(ctx);
    if (status == MEGURI_OK) status = check_same(&r, paths, path_count, &o);
    if (status == MEGURI_OK) status = read_text(&r, paths, path_count, &o);
    if (status == MEGURI_OK) status = choose_weights(&r);
    double since = mg_now();
    if (status == MEGURI_OK && r.kind == MEGURI_ID_STRING) {
        status = mg_order_names(&r.names, ctx, cluster, &r.part);
        r.vertices = r.names.total;
    } else if (status == MEGURI_OK) status = order_integers(&r);
    mg_trace_phase(ctx, "shards", "ids", -1, -1, since);
    if (status == MEGURI_OK) status = build(&shards, &r, o.build);
    free_reading(&r);
    mg_end_warnings(ctx, status == MEGURI_OK);
    return mg_shards_graph(out, ctx, cluster, shards, status);
}
