/* The edge list for the validation on a cluster. */
#include "graph500/cluster.h"

#define ROUND 16384 /* values that go from one process to another at a time */

/* ---- arcs to the homes of their ends ---------------------------------------------------------------------------- */

/* Draws the share of this process, both ways. */
typedef struct arc_drawer {
    const mg_drawing *drawing;
    uint64_t vertices, place, end;
    int size;
    bool wide;
} arc_drawer;

/* Source, target and weight on their way. */
static size_t item_bytes(bool wide, bool weighted) { return 2 * mg_global_bytes(wide) + (weighted ? 4 : 0); }

enum { LOOK = 4096 };

static uint64_t next_arcs(void *user, void *items, uint32_t *to, uint64_t capacity) {
    arc_drawer *d = user;
    uint64_t room[2 * LOOK];
    float weights[LOOK] = {0};
    const mg_globals ends = {room, d->wide};
    const bool wide = d->wide, weighted = d->drawing->weights == MEGURI_TYPE_F32;
    const size_t bytes = item_bytes(wide, weighted), global = mg_global_bytes(wide);
    uint64_t n = 0;
    while (n + 2 * LOOK <= capacity && d->place < d->end) {
        uint64_t past = MG_MIN(d->end, d->place + LOOK), edges = past - d->place;
        mg_globals_draw(ends, d->drawing, weighted ? weights : NULL, d->place, past);
        d->place = past;
        for (uint64_t i = 0; i < edges; i++)
            for (int way = 0; way < 2; way++) {
                char *item = (char *)items + bytes * n;
                uint64_t target = mg_global_at(ends, 2 * i + 1 - (uint64_t)way);
                mg_global_write(item, wide, mg_global_at(ends, 2 * i + (uint64_t)way));
                mg_global_write(item + global, wide, target);
                if (weighted) memcpy(item + 2 * global, &weights[i], 4);
                to[n++] = (uint32_t)mg_home(d->vertices, d->size, target);
            }
    }
    return n;
}

/* Sorts the items that came by the home of their source; stable. */
static meguri_status sort_arcs(mg_arc_lists *l, meguri_ctx *ctx, const char *items, uint64_t count, bool weighted) {
    const int size = l->cluster->size;
    const bool wide = mg_is_wide(l->vertices);
    const size_t bytes = item_bytes(wide, weighted), global = mg_global_bytes(wide);
    const uint64_t here = l->home.end - l->home.begin;
    l->from = (mg_globals){mg_alloc_array(ctx, count, global, "the edge list"), wide};
    l->to = mg_alloc_array(ctx, count, sizeof *l->to, "the edge list");
    l->arc_begins = mg_alloc_array_zero(ctx, 2 * ((uint64_t)size + 1), sizeof *l->arc_begins, "the edge list");
    if (weighted) l->weights = mg_alloc_array(ctx, count, 4, "the edge list");
    if (!l->from.items || !l->to || !l->arc_begins || (weighted && !l->weights)) return MEGURI_NO_MEMORY;
    l->source_begins = l->arc_begins + size + 1;
    uint64_t *begins = l->arc_begins;
    for (uint64_t i = 0; i < count; i++)
        if (mg_global_read(items + bytes * i, wide) >= l->vertices ||
            mg_global_read(items + bytes * i + global, wide) - l->home.begin >= here)
            return mg_strange(ctx, l->cluster, "an edge that is not for this process");
    for (uint64_t i = 0; i < count; i++)
        begins[mg_home(l->vertices, size, mg_global_read(items + bytes * i, wide)) + 1]++;
    for (int p = 0; p < size; p++) begins[p + 1] += begins[p];
    for (uint64_t i = 0; i < count; i++) {
        const char *item = items + bytes * i;
        uint64_t source = mg_global_read(item, wide), place = begins[mg_home(l->vertices, size, source)]++;
        mg_global_put(l->from, place, source);
        l->to[place] = mg_local(mg_global_read(item + global, wide) - l->home.begin);
        if (weighted) memcpy(&l->weights[place], item + 2 * global, 4);
    }
    for (int p = size; p > 0; p--) begins[p] = begins[p - 1];
    begins[0] = 0;
    return MEGURI_OK;
}

/* How many sources each holder will name. */
static meguri_status count_sources(mg_arc_lists *l, meguri_ctx *ctx) {
    int size = l->cluster->size;
    uint64_t *counts = mg_alloc_array(ctx, 2 * (uint64_t)size, sizeof *counts, "the edge list"),
             *theirs = counts + size;
    meguri_status status = mg_agree(ctx, l->cluster, counts ? MEGURI_OK : MEGURI_NO_MEMORY);
    for (int p = 0; p < size && status == MEGURI_OK; p++) counts[p] = l->arc_begins[p + 1] - l->arc_begins[p];
    if (status == MEGURI_OK) status = mg_alltoall_u64(ctx, l->cluster, counts, theirs);
    if (status != MEGURI_OK) goto cleanup;
    l->source_begins[0] = 0;
    for (int p = 0; p < size; p++) l->source_begins[p + 1] = l->source_begins[p] + theirs[p];
    l->sources = mg_alloc_array(ctx, l->source_begins[size], sizeof *l->sources, "the edge list");
    uint64_t most = 0;
    for (int p = 0; p < size; p++) most = MG_MAX(most, MG_MAX(counts[p], theirs[p]));
    l->rounds = (most + ROUND - 1) / ROUND;
    status = mg_agree(ctx, l->cluster, l->sources ? MEGURI_OK : MEGURI_NO_MEMORY);
    if (status == MEGURI_OK) status = mg_reduce_u64(ctx, l->cluster, &l->cluster->all, &l->rounds, 1, MG_MAXIMUM);

cleanup:
    mg_free(counts);
    return status;
}

/* The sources themselves, as places at their home: in rounds, from each holder in its order. */
static meguri_status fetch_sources(mg_arc_lists *l, meguri_ctx *ctx) {
    int size = l->cluster->size, me = l->cluster->rank;
    uint32_t *buffer = mg_alloc_array(ctx, (uint64_t)size * ROUND, sizeof *buffer, "the edge list");
    meguri_status status = mg_agree(ctx, l->cluster, buffer ? MEGURI_OK : MEGURI_NO_MEMORY);
    mg_exchange *x = l->cluster->bulk;
    for (uint64_t round = 0; round < l->rounds && status == MEGURI_OK; round++) {
        for (int p = 0; p < size && status == MEGURI_OK; p++) {
            uint64_t begin = MG_MIN(l->source_begins[p] + round * ROUND, l->source_begins[p + 1]);
            uint64_t n = MG_MIN(l->source_begins[p + 1] - begin, ROUND);
            if (p != me && n) status = mg_exchange_receive(ctx, x, p, l->sources + begin, 4 * n, NULL);
        }
        for (int p = 0; p < size && status == MEGURI_OK; p++) {
            uint64_t begin = MG_MIN(l->arc_begins[p] + round * ROUND, l->arc_begins[p + 1]);
            uint64_t n = MG_MIN(l->arc_begins[p + 1] - begin, ROUND);
            uint64_t first = mg_share(l->vertices, p, size).begin;
            uint32_t *out = p == me ? l->sources + l->source_begins[p] + round * ROUND : buffer + (uint64_t)p * ROUND;
            for (uint64_t i = 0; i < n; i++) out[i] = mg_local(mg_global_at(l->from, begin + i) - first);
            if (p != me && n) status = mg_exchange_send(ctx, x, p, out, 4 * n, 4 * n);
        }
        if (status == MEGURI_OK) status = mg_exchange_wait(ctx, x);
    }
    mg_free(buffer);
    for (uint64_t i = 0; i < l->source_begins[size] && status == MEGURI_OK; i++)
        if (l->sources[i] >= l->home.end - l->home.begin)
            status = mg_strange(ctx, l->cluster, "a vertex that is not at home here");
    return status;
}

meguri_status mg_arc_lists_new(mg_arc_lists *out, meguri_ctx *ctx, meguri_cluster *cluster, const mg_drawing *drawing,
                               uint64_t vertices) {
    mg_range share = mg_share(drawing->units, cluster->rank, cluster->size);
    bool wide = mg_is_wide(vertices), weighted = drawing->weights == MEGURI_TYPE_F32;
    arc_drawer drawer = {drawing, vertices, share.begin, share.end, cluster->size, wide};
    const mg_route_source source = {next_arcs, &drawer, item_bytes(wide, weighted)};
    *out = (mg_arc_lists){
        .cluster = cluster, .home = mg_share(vertices, cluster->rank, cluster->size), .vertices = vertices};
    uint64_t count, most = (vertices + (uint64_t)cluster->size - 1) / (uint64_t)cluster->size;
    void *items = NULL;
    if (most > MG_MAX_PLACES)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                       "each process would validate %llu vertices, and at most %llu have numbers there: start more "
                       "processes.",
                       (unsigned long long)most, (unsigned long long)MG_MAX_PLACES);
    meguri_status status = mg_route(&items, &count, ctx, cluster, &source, "the edge list");
    if (status == MEGURI_OK) status = mg_agree(ctx, cluster, sort_arcs(out, ctx, items, count, weighted));
    mg_free(items);
    if (status == MEGURI_OK) status = count_sources(out, ctx);
    if (status == MEGURI_OK) status = fetch_sources(out, ctx);
    return status;
}

void mg_arc_lists_free(mg_arc_lists *l) {
    mg_free(l->sources);
    mg_free(l->from.items);
    mg_free(l->to);
    mg_free(l->weights);
    mg_free(l->arc_begins);
    *l = (mg_arc_lists){0};
}

/* ---- a pass over all arcs --------------------------------------------------------------------------------------- */

static void fill(char *out, const mg_arc_lists *l, const void *value, size_t bytes, uint64_t begin, uint64_t n) {
    for (uint64_t i = 0; i < n; i++)
        memcpy(out + i * bytes, (const char *)value + l->sources[begin + i] * bytes, bytes);
}

meguri_status mg_arc_lists_pass(uint64_t *broken, meguri_ctx *ctx, const mg_arc_lists *l, const void *value,
                                size_t bytes, mg_arc_look *look, void *user) {
    int size = l->cluster->size, me = l->cluster->rank;
    char *room = mg_alloc_array(ctx, 2 * (uint64_t)size * ROUND, bytes, "what is known about arcs");
    meguri_status status = mg_agree(ctx, l->cluster, room ? MEGURI_OK : MEGURI_NO_MEMORY);
    mg_exchange *x = l->cluster->bulk;
    *broken = UINT64_MAX;
    for (uint64_t round = 0; round < l->rounds && status == MEGURI_OK; round++) {
        char *in = room, *out = room + (uint64_t)size * ROUND * bytes;
        for (int p = 0; p < size && status == MEGURI_OK; p++) {
            uint64_t begin = MG_MIN(l->arc_begins[p] + round * ROUND, l->arc_begins[p + 1]);
            uint64_t n = MG_MIN(l->arc_begins[p + 1] - begin, ROUND);
            if (p != me && n)
                status = mg_exchange_receive(ctx, x, p, in + (uint64_t)p * ROUND * bytes, n * bytes, NULL);
        }
        for (int p = 0; p < size && status == MEGURI_OK; p++) {
            uint64_t begin = MG_MIN(l->source_begins[p] + round * ROUND, l->source_begins[p + 1]);
            uint64_t n = MG_MIN(l->source_begins[p + 1] - begin, ROUND);
            char *to = (p == me ? in : out) + (uint64_t)p * ROUND * bytes;
            fill(to, l, value, bytes, begin, n);
            if (p != me && n) status = mg_exchange_send(ctx, x, p, to, n * bytes, n * bytes);
        }
        if (status == MEGURI_OK) status = mg_exchange_wait(ctx, x);
        for (int p = 0; p < size && status == MEGURI_OK; p++) {
            uint64_t begin = MG_MIN(l->arc_begins[p] + round * ROUND, l->arc_begins[p + 1]);
            uint64_t n = MG_MIN(l->arc_begins[p + 1] - begin, ROUND);
            const char *from = in + (uint64_t)p * ROUND * bytes;
            for (uint64_t i = 0; i < n; i++)
                if (!look(user, begin + i, from + i * bytes)) *broken = MG_MIN(*broken, begin + i);
        }
    }
    mg_free(room);
    return status;
}
