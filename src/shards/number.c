/* From edges anywhere to arcs at their tiles, named by ranks by degree, without a table of all vertices anywhere.
 *
 * Only the home of a position knows its degree and its rank. So arcs travel: to the home of one end, which counts them
 * and, when all are counted, writes the rank of that end into them; to the home of the other, which does the same; and
 * then to the process whose tile they are in. Undirected graphs have every arc both ways, so counting one end counts
 * all; directed ones travel once more, because both ends count.
 *
 * The order is by degree, larger first, exact up to 1024 and to within 1/512 above: so a table of some thousand classes
 * that all processes add up replaces a distributed sort. Within a class it is the user's. */
#include "shards/build.h"

enum { EXACT = 1024, MANTISSA = 9, CLASSES = EXACT + 22 * (1 << MANTISSA) };
_Static_assert((int)CLASSES <= (int)MG_REDUCE_MOST, "all classes are added up at once");

static uint32_t class_of(uint32_t degree) {
    if (degree < EXACT) return degree;
    uint32_t exponent = 31 - (uint32_t)__builtin_clz(degree);
    return EXACT + ((exponent - 10) << MANTISSA) + ((degree >> (exponent - MANTISSA)) & ((1 << MANTISSA) - 1));
}

/* ---- edges to the homes of where they begin --------------------------------------------------------------------- */

typedef struct edge_reader {
    mg_shards_builder *builder;
    uint32_t *ends;
    char *weights;
    uint64_t capacity;
} edge_reader;

static void put_item(const mg_shards_builder *b, char *item, uint32_t from, uint32_t to, const char *weight) {
    memcpy(item, &from, 4);
    memcpy(item + 4, &to, 4);
    if (b->weight_bytes) memcpy(item + 8, weight, b->weight_bytes);
}

static uint64_t next_arcs(void *user, void *items, uint32_t *to, uint64_t capacity) {
    edge_reader *r = user;
    mg_shards_builder *b = r->builder;
    const mg_shards *s = b->shards;
    bool twice = !b->source->directed && !b->source->both_ways;
    uint64_t n = 0;
    /* Loops may be dropped: the end is where the source has no more, not where nothing is left of a read. */
    while (n == 0) {
        uint64_t edges = b->source->next(b->source->user, r->ends, r->weights, MG_MIN(capacity / 2, r->capacity));
        if (!edges) return 0;
        b->input_edges += edges;
        for (uint64_t i = 0; i < edges; i++) {
            uint32_t u = r->ends[2 * i], v = r->ends[2 * i + 1];
            const char *weight = r->weights + i * b->weight_bytes;
            if (u == v) {
                b->loops++;
                if (!b->source->keep_loops) continue;
            }
            put_item(b, (char *)items + n * b->item_bytes, u, v, weight);
            to[n++] = (uint32_t)mg_home(s->vertices, s->cluster->size, u);
            if (!twice || u == v) continue;
            put_item(b, (char *)items + n * b->item_bytes, v, u, weight);
            to[n++] = (uint32_t)mg_home(s->vertices, s->cluster->size, v);
        }
    }
    return n;
}

static meguri_status read_edges(meguri_ctx *ctx, mg_shards_builder *b) {
    edge_reader reader = {.builder = b, .capacity = 16384};
    reader.ends = mg_alloc_array(ctx, reader.capacity, 8, "edges that are read");
    reader.weights = mg_alloc_array(ctx, reader.capacity, MG_MAX(b->weight_bytes, 1), "edges that are read");
    const mg_route_source source = {next_arcs, &reader, b->item_bytes};
    meguri_status status = reader.ends && reader.weights ? MEGURI_OK : MEGURI_NO_MEMORY;
    status = mg_agree(ctx, b->shards->cluster, status);
    void *items = NULL;
    if (status == MEGURI_OK) status = mg_route(&items, &b->count, ctx, b->shards->cluster, &source, "edges");
    b->items = items;
    mg_free(reader.ends);
    mg_free(reader.weights);
    return status;
}

/* ---- arcs that travel on ---------------------------------------------------------------------------------------- */

/* Reads the arcs that are here, and gives their memory back behind itself. */
typedef struct arc_reader {
    mg_shards_builder *builder;
    uint64_t place;
    int end; /* 0 or 1: to the home of this end; -1: to the tile */
} arc_reader;

static uint64_t next_traveller(void *user, void *items, uint32_t *to, uint64_t capacity) {
    arc_reader *r = user;
    mg_shards_builder *b = r->builder;
    const mg_shards *s = b->shards;
    uint64_t n = MG_MIN(capacity, b->count - r->place);
    uint32_t size = (uint32_t)s->cluster->size;
    for (uint64_t i = 0; i < n; i++) {
        const uint32_t *item = mg_item(b, r->place + i);
        to[i] = r->end >= 0 ? (uint32_t)mg_home(s->vertices, (int)size, item[r->end])
                            : (uint32_t)mg_layout_place(&s->layout, (int)(item[0] % size), (int)(item[1] % size)).rank;
    }
    memcpy(items, b->items + r->place * b->item_bytes, n * b->item_bytes);
    mg_release_pages(b->items, r->place * b->item_bytes, n * b->item_bytes);
    r->place += n;
    return n;
}

static meguri_status travel(meguri_ctx *ctx, mg_shards_builder *b, int end, const char *what) {
    arc_reader reader = {b, 0, end};
    const mg_route_source source = {next_traveller, &reader, b->item_bytes};
    uint64_t count;
    void *items = NULL;
    meguri_status status = mg_route(&items, &count, ctx, b->shards->cluster, &source, what);
    mg_free(b->items);
    b->items = items;
    b->count = count;
    return status;
}

/* ---- ranks by degree -------------------------------------------------------------------------------------------- */

static void count_end(const mg_shards_builder *b, uint32_t *degree, int end) {
    uint64_t first = b->shards->home.begin;
    for (uint64_t i = 0; i < b->count; i++) {
        uint32_t *d = &degree[mg_item(b, i)[end] - first];
        *d += *d < UINT32_MAX;
    }
}

meguri_status mg_shards_rank_degrees(meguri_ctx *ctx, mg_shards *s, uint32_t *degree) {
    uint64_t count = s->home.end - s->home.begin;
    uint64_t *here = mg_alloc_array_zero(ctx, 2 * CLASSES, sizeof *here, "classes of degrees"), *all;
    meguri_status status = mg_agree(ctx, s->cluster, here ? MEGURI_OK : MEGURI_NO_MEMORY);
    if (status != MEGURI_OK) goto cleanup;
    all = here + CLASSES;
    for (uint64_t v = 0; v < count; v++) here[class_of(degree[v])]++;
    memcpy(all, here, CLASSES * sizeof *all);
    status = mg_reduce_u64(ctx, s->cluster, &s->cluster->all, all, CLASSES, MG_SUM);
    if (status == MEGURI_OK) status = mg_exscan_u64(ctx, s->cluster, &s->cluster->all, here, CLASSES);
    if (status != MEGURI_OK) goto cleanup;
    uint64_t larger = 0; /* vertices of the classes above */
    for (uint32_t c = CLASSES; c-- > 0;) {
        if (c == 0) s->active = larger;
        here[c] += larger;
        larger += all[c];
    }
    for (uint64_t v = 0; v < count; v++) degree[v] = (uint32_t)here[class_of(degree[v])]++;

cleanup:
    mg_free(here);
    return status;
}

/* False: an arc leads to a vertex that counted none. */
static bool name_end(const mg_shards_builder *b, int end) {
    const mg_shards *s = b->shards;
    bool counted = true;
    for (uint64_t i = 0; i < b->count; i++) {
        uint32_t *item = mg_item(b, i);
        item[end] = s->rank_by_degree[item[end] - s->home.begin];
        counted &= item[end] < s->active;
    }
    return counted;
}

meguri_status mg_shards_number(meguri_ctx *ctx, mg_shards_builder *b) {
    mg_shards *s = b->shards;
    meguri_status status = read_edges(ctx, b);
    if (status != MEGURI_OK) return status;
    s->rank_by_degree = mg_alloc_array_zero(ctx, s->home.end - s->home.begin, sizeof(uint32_t), "ranks of vertices");
    status = mg_agree(ctx, s->cluster, s->rank_by_degree ? MEGURI_OK : MEGURI_NO_MEMORY);
    if (status != MEGURI_OK) return status;
    count_end(b, s->rank_by_degree, 0);
    if (s->directed) {
        status = travel(ctx, b, 1, "edges, by where they lead");
        if (status != MEGURI_OK) return status;
        count_end(b, s->rank_by_degree, 1);
    }
    status = mg_shards_rank_degrees(ctx, s, s->rank_by_degree);
    if (status == MEGURI_OK) mg_layout_measure(&s->layout, s->active);
    return status;
}

meguri_status mg_shards_deal(meguri_ctx *ctx, mg_shards_builder *b) {
    int here = b->shards->directed ? 1 : 0; /* the end whose home the arcs are at */
    bool counted = name_end(b, here);
    meguri_status status = travel(ctx, b, 1 - here, "edges, by their other end");
    if (status != MEGURI_OK) return status;
    counted &= name_end(b, 1 - here);
    if (!counted) /* there is no place for it; a file that lies can be the reason */
        status =
            mg_fail(ctx, MEGURI_BAD_INPUT,
                    "the graph is damaged: it is undirected, and has an edge in one direction only; build it again.");
    status = mg_agree(ctx, b->shards->cluster, status);
    return status == MEGURI_OK ? travel(ctx, b, -1, "edges, to their place") : status;
}
