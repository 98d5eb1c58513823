/* Text in shares: every process parses its part (io/read_share.c), ids become positions (keys.c, names.c), and the
 * edges go their way as those of any other source. */
#include "shards/keys.h"

#include <inttypes.h>

enum { BATCH = 8192 }; /* edges read back at a time */

typedef struct reading {
    meguri_ctx *ctx;
    meguri_cluster *cluster;
    mg_read_part part;
    meguri_id_kind kind;
    uint64_t flip; /* xor that turns raw ids into increasing unsigned keys */
    uint64_t vertices;

    bool direct;      /* a header declares all ids: position = key - base */
    uint64_t base;    /* the first key */
    uint64_t *keys;   /* distinct ones that occur here, increasing, and */
    uint64_t *places; /* their positions */
    uint64_t key_count;
    uint64_t *home_ids; /* ids of the positions that this process is home of; NULL: consecutive */
    mg_name_order names;

    mg_edges_cursor cursor; /* of the edges, as they go into the graph */
    meguri_weight_type weights;
    uint64_t *ends;
    double *reals;
    meguri_status status; /* of reading them back */
} reading;

static void free_reading(reading *r) {
    mg_read_part_free(&r->part);
    mg_free(r->keys);
    mg_free(r->places);
    mg_free(r->home_ids);
    mg_name_order_free(&r->names);
    mg_free(r->ends);
    mg_free(r->reals);
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

static meguri_status read_text(reading *r, const char *const *paths, size_t count, const meguri_read_options *options) {
    mg_summing summing = {.ctx = r->ctx, .cluster = r->cluster};
    const mg_read_share share = {{r->cluster->rank, r->cluster->size, &summing, mg_sum_shares}, deal};
    meguri_status status = mg_read_in_shares(&r->part, r->ctx, paths, count, options, &share);
    status = mg_tell(&summing, status);
    if (status != MEGURI_OK) return status;
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
    r->weights = MEGURI_WEIGHT_NONE;
    if (sums[0] && sums[1])
        r->weights = !sums[2] ? MEGURI_WEIGHT_U32 : !sums[3] ? MEGURI_WEIGHT_F32 : MEGURI_WEIGHT_F64;
    return status;
}

/* ---- integer ids ------------------------------------------------------------------------------------------------ */

/* Calls `look` with the keys of all ids that occur here, some at a time. */
typedef meguri_status key_fn(reading *r, uint64_t *keys, uint64_t count, void *user);

static meguri_status for_all_keys(reading *r, key_fn *look, void *user) {
    meguri_status status = MEGURI_OK;
    mg_edges_cursor cursor = {0};
    const uint64_t *named;
    for (uint64_t count = 1, read = 0; count && status == MEGURI_OK; read += count) {
        status = mg_edges_next(&count, r->ctx, r->part.edges, &cursor, r->ends, NULL, BATCH);
        for (uint64_t i = 0; i < 2 * count; i++) r->ends[i] ^= r->flip;
        if (status == MEGURI_OK && count) status = look(r, r->ends, 2 * count, user);
        if (mg_progress(r->ctx, "finding ids", read, mg_edges_count(r->part.edges))) return mg_fail_cancelled(r->ctx);
    }
    for (uint64_t array = 0, count; status == MEGURI_OK && (named = mg_edges_named(r->part.edges, array, &count));
         array++)
        for (uint64_t at = 0; at < count && status == MEGURI_OK; at += BATCH) {
            uint64_t now = MG_MIN(count - at, (uint64_t)BATCH);
            for (uint64_t i = 0; i < now; i++) r->ends[i] = named[at + i] ^ r->flip;
            status = look(r, r->ends, now, user);
        }
    return status;
}

typedef struct extent {
    uint64_t low, high;
} extent;

static meguri_status widen(reading *r, uint64_t *keys, uint64_t count, void *user) {
    (void)r;
    extent *e = user;
    for (uint64_t i = 0; i < count; i++) {
        e->low = MG_MIN(e->low, keys[i]);
        e->high = MG_MAX(e->high, keys[i]);
    }
    return MEGURI_OK;
}

/* Whether one range that a header declares has all ids: then nobody need look for them. */
static meguri_status find_direct(reading *r) {
    uint64_t ranges;
    const mg_id_range *declared = mg_edges_declared(r->part.edges, &ranges);
    extent e = {UINT64_MAX, 0};
    if (!ranges) return MEGURI_OK; /* all processes have the same */
    meguri_status status = mg_agree(r->ctx, r->cluster, for_all_keys(r, widen, &e));
    if (status == MEGURI_OK) status = mg_reduce_u64(r->ctx, r->cluster, &r->cluster->all, &e.low, 1, MG_MINIMUM);
    if (status == MEGURI_OK) status = mg_reduce_u64(r->ctx, r->cluster, &r->cluster->all, &e.high, 1, MG_MAXIMUM);
    for (uint64_t i = 0; i < ranges; i++) {
        e.low = MG_MIN(e.low, declared[i].first ^ r->flip);
        e.high = MG_MAX(e.high, (declared[i].first + (declared[i].count - 1)) ^ r->flip);
    }
    for (uint64_t i = 0; i < ranges && status == MEGURI_OK; i++)
        if ((declared[i].first ^ r->flip) == e.low && declared[i].count - 1 == e.high - e.low) {
            r->direct = true;
            r->base = e.low;
            r->vertices = declared[i].count;
        }
    return status;
}

/* Distinct keys, as a list that is sorted again whenever it has doubled. */
typedef struct key_list {
    uint64_t count, room, sorted;
} key_list;

static meguri_status compact(reading *r, key_list *list) {
    meguri_status status = mg_sort_u64(r->ctx, r->keys, NULL, 0, list->count, 64);
    if (status != MEGURI_OK) return status;
    uint64_t kept = 0;
    for (uint64_t i = 0; i < list->count; i++)
        if (kept == 0 || r->keys[kept - 1] != r->keys[i]) r->keys[kept++] = r->keys[i];
    list->count = list->sorted = kept;
    return MEGURI_OK;
}

static meguri_status collect(reading *r, uint64_t *keys, uint64_t count, void *user) {
    key_list *list = user;
    if (list->count + count > list->room) {
        meguri_status status = compact(r, list);
        if (status != MEGURI_OK) return status;
        if (2 * list->count + count > list->room) {
            uint64_t room = 2 * list->count + 16 * BATCH;
            uint64_t *grown = mg_resize(r->ctx, r->keys, room * sizeof *grown, "ids");
            if (!grown) return MEGURI_NO_MEMORY;
            r->keys = grown;
            list->room = room;
        }
    }
    memcpy(r->keys + list->count, keys, count * sizeof *keys);
    list->count += count;
    return MEGURI_OK;
}

static meguri_status list_keys(reading *r) {
    key_list list = {0};
    meguri_status status = for_all_keys(r, collect, &list);
    if (status == MEGURI_OK) status = compact(r, &list);
    if (status != MEGURI_OK) return status;
    r->key_count = list.count;
    r->places = mg_alloc_array(r->ctx, list.count, sizeof *r->places, "places of ids");
    return r->places ? MEGURI_OK : MEGURI_NO_MEMORY;
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
    uint64_t range_count = 0;
    meguri_status status = find_direct(r);
    if (status != MEGURI_OK || r->direct) return status;
    status = list_keys(r);
    if (status == MEGURI_OK) status = declared_keys(&ranges, &range_count, r);
    status = mg_agree(r->ctx, r->cluster, status);
    if (status == MEGURI_OK)
        status = mg_order_keys(&order, r->places, r->ctx, r->cluster, r->keys, r->key_count, ranges, range_count);
    mg_free(ranges);
    if (status != MEGURI_OK) return status;
    r->vertices = order.total;
    extent e = {order.count ? order.keys[0] : UINT64_MAX, order.count ? order.keys[order.count - 1] : 0};
    status = mg_reduce_u64(r->ctx, r->cluster, &r->cluster->all, &e.low, 1, MG_MINIMUM);
    if (status == MEGURI_OK) status = mg_reduce_u64(r->ctx, r->cluster, &r->cluster->all, &e.high, 1, MG_MAXIMUM);
    r->base = r->vertices ? e.low : r->flip;
    if (status == MEGURI_OK && r->vertices && e.high - e.low != r->vertices - 1) {
        for (uint64_t i = 0; i < order.count; i++) order.keys[i] ^= r->flip;
        status = mg_keys_to_homes(&r->home_ids, r->ctx, r->cluster, &order);
    }
    mg_free(order.keys);
    return status;
}

/* ---- into the graph --------------------------------------------------------------------------------------------- */

static uint64_t position_of(const reading *r, uint64_t id) {
    if (r->kind == MEGURI_ID_STRING) return r->names.positions[id];
    uint64_t key = id ^ r->flip, low = 0, high = r->key_count;
    if (r->direct) return key - r->base;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (r->keys[middle] < key) low = middle + 1;
        else high = middle;
    }
    return r->places[low];
}

typedef struct position_job {
    const reading *r;
    mg_globals ends;
} position_job;

static void find_positions(void *what, uint64_t begin, uint64_t end) {
    const position_job *job = what;
    for (uint64_t i = begin; i < end; i++) mg_global_put(job->ends, i, position_of(job->r, job->r->ends[i]));
}

static uint64_t next_read(void *user, mg_globals ends, void *weights, uint64_t capacity) {
    reading *r = user;
    uint64_t done = 0, count = 1;
    while (done + BATCH <= capacity && count && r->status == MEGURI_OK) {
        r->status = mg_edges_next(&count, r->ctx, r->part.edges, &r->cursor, r->ends, r->reals, BATCH);
        if (r->status != MEGURI_OK) break;
        position_job job = {r, mg_globals_from(ends, 2 * done)};
        mg_for(r->ctx, mg_threads(r->ctx, count, 2048), 2 * count, find_positions, &job);
        for (uint64_t i = 0; i < count; i++) {
            if (r->weights == MEGURI_WEIGHT_U32) ((uint32_t *)weights)[done + i] = (uint32_t)r->reals[i];
            if (r->weights == MEGURI_WEIGHT_F32) ((float *)weights)[done + i] = (float)r->reals[i];
            if (r->weights == MEGURI_WEIGHT_F64) ((double *)weights)[done + i] = r->reals[i];
        }
        done += count;
    }
    return done;
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

static meguri_status build(mg_shards **out, reading *r, const meguri_build_options *build) {
    r->cursor = (mg_edges_cursor){.consume = true};
    const mg_edge_source source = {.next = next_read,
                                   .user = r,
                                   .vertices = r->vertices,
                                   .directed = r->part.directed,
                                   .keep_loops = build->keep_loops,
                                   .keep_duplicates = build->keep_duplicates,
                                   .weights = r->weights};
    mg_shards *s = NULL;
    meguri_status status = mg_shards_build(&s, r->ctx, &source, build->layout);
    if (status == MEGURI_OK) status = mg_agree(r->ctx, r->cluster, r->status);
    if (status != MEGURI_OK) {
        mg_shards_free(s);
        return status;
    }
    give_ids(r, s);
    *out = s;
    return MEGURI_OK;
}

/* Not the names of files: machines may have them in different places. */
static void describe(mg_call *call, const meguri_read_options *o) {
    mg_call_number(call, "format", (uint64_t)o->format);
    mg_call_number(call, "kind of ids", (uint64_t)o->ids);
    mg_call_build(call, &o->build);
}

meguri_status mg_shards_read(meguri_graph **out, meguri_ctx *ctx, const char *const *paths, size_t path_count,
                             const meguri_read_options *what) {
    const meguri_layout *layout = what->build.layout;
    meguri_cluster *cluster = layout->cluster;
    meguri_read_options o;
    reading r = {.ctx = ctx, .cluster = cluster};
    mg_shards *shards = NULL;
    meguri_status status = mg_options(ctx, &o, sizeof o, what, "meguri_read_options");
    if (status == MEGURI_OK) {
        r.ends = mg_alloc_array(ctx, 2 * BATCH, sizeof *r.ends, "edges on their way");
        r.reals = mg_alloc_array(ctx, BATCH, sizeof *r.reals, "edges on their way");
        if (!r.ends || !r.reals) status = MEGURI_NO_MEMORY;
    }
    mg_call call = {.name = "meguri_read"};
    mg_call_number(&call, "number of files", path_count);
    mg_call_layout(&call, layout);
    if (status == MEGURI_OK) describe(&call, &o);
    status = mg_agree_call(ctx, cluster, status, &call);
    mg_hold_warnings(ctx);
    if (status == MEGURI_OK) status = read_text(&r, paths, path_count, &o);
    if (status == MEGURI_OK) status = choose_weights(&r);
    double since = mg_now();
    if (status == MEGURI_OK && r.kind == MEGURI_ID_STRING) {
        status = mg_order_names(&r.names, ctx, cluster, &r.part);
        r.vertices = r.names.total;
    } else if (status == MEGURI_OK) status = order_integers(&r);
    mg_trace_phase(ctx, "shards", "ids", -1, -1, since);
    if (status == MEGURI_OK) status = build(&shards, &r, &o.build);
    free_reading(&r);
    mg_end_warnings(ctx, status == MEGURI_OK);
    return mg_shards_graph(out, ctx, cluster, shards, status);
}
