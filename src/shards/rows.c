/* The arcs of a process as rows: by target for pulls, by source for pushes, each with the hubs first.
 *
 * Arcs are sorted by (place of the row, rank by degree of the neighbour); equal ones are parallel edges, which now lie
 * side by side and are merged. Where both windows of a symmetric matrix are the same, or the other tile of a pair is
 * the transpose of this one, the rows of one way are those of the other. */
#include "shards/build.h"

/* Arcs of one tile as they are sorted: row << 32 | rank of the neighbour. */
typedef struct arc_list {
    uint64_t *keys;
    char *weights;
    uint64_t count;
} arc_list;

static void free_list(arc_list *a) {
    mg_free(a->keys);
    mg_free(a->weights);
    *a = (arc_list){0};
}

static uint32_t bits_of(uint64_t n) { return n ? 64 - (uint32_t)__builtin_clzll(n) : 0; }

static bool is_less(meguri_weight_type type, const char *a, const char *b) {
    return mg_weight_at(a, type, 0) < mg_weight_at(b, type, 0);
}

/* The rank by degree of the vertex at a place of a window. */
static uint32_t rank_at(const mg_window *w, uint32_t size, uint32_t place) {
    uint64_t block = place / w->stride;
    return (uint32_t)(place % w->stride) * size + (uint32_t)w->owners.ranks[block];
}

/* Equal keys become one with the smallest weight, or are put in the order of their weights. Loops are counted, since
 * they are stored once where other edges are stored both ways. */
static void merge(mg_shards_builder *builder, arc_list *a, const mg_window *rows) {
    meguri_weight_type type = builder->source->weights;
    size_t bytes = builder->weight_bytes;
    uint64_t kept = 0, row = UINT64_MAX;
    uint32_t rank = 0;
    for (uint64_t i = 0; i < a->count; i++) {
        char *weight = a->weights + i * bytes;
        bool again = kept && a->keys[i] == a->keys[kept - 1];
        if (a->keys[i] >> 32 != row) {
            row = a->keys[i] >> 32;
            rank = rank_at(rows, (uint32_t)builder->shards->cluster->size, (uint32_t)row);
        }
        bool loop = (uint32_t)a->keys[i] == rank;
        if (again && !builder->source->keep_duplicates) {
            builder->duplicate_loops += loop;
            char *before = a->weights + (kept - 1) * bytes;
            if (bytes && is_less(type, weight, before)) memcpy(before, weight, bytes);
            continue;
        }
        uint64_t place = kept;
        char moved[8];
        memcpy(moved, weight, bytes);
        for (; bytes && place && a->keys[place - 1] == a->keys[i] &&
               is_less(type, moved, a->weights + (place - 1) * bytes);
             place--)
            memcpy(a->weights + place * bytes, a->weights + (place - 1) * bytes, bytes);
        memcpy(a->weights + place * bytes, moved, bytes);
        a->keys[kept++] = a->keys[i];
        builder->kept_loops += loop;
    }
    builder->duplicates += a->count - kept;
    a->count = kept;
}

/* Sorted arcs become rows; `other` is the window of the neighbours. Takes what it keeps to tile->owned[at …]. */
static meguri_status make_rows(mg_rows *out, meguri_ctx *ctx, mg_shards_builder *b, mg_tile *tile, int at,
                               const mg_window *rows, const mg_window *other, arc_list *a) {
    uint32_t size = (uint32_t)b->shards->cluster->size;
    bool small = a->count <= UINT32_MAX;
    void *offsets = mg_alloc_array(ctx, rows->places + 1, small ? 4 : 8, "rows of a graph");
    uint32_t *neighbors = mg_alloc_array(ctx, a->count, sizeof *neighbors, "arcs of a graph");
    tile->owned[at] = offsets;
    tile->owned[at + 1] = neighbors;
    if (!offsets || !neighbors) return MEGURI_NO_MEMORY;
    uint64_t row = 0;
    for (uint64_t i = 0; i <= a->count; i++) {
        uint64_t here = i < a->count ? a->keys[i] >> 32 : rows->places;
        for (; row <= here; row++) {
            if (small) ((uint32_t *)offsets)[row] = (uint32_t)i;
            else ((uint64_t *)offsets)[row] = i;
        }
        if (i < a->count) neighbors[i] = mg_window_place(other, size, (uint32_t)a->keys[i]);
    }
    if (b->weight_bytes) {
        mg_trim(a->weights, a->count * b->weight_bytes);
        tile->owned[at + 2] = a->weights;
        a->weights = NULL;
    }
    *out = (mg_rows){.rows = rows->places,
                     .arcs = a->count,
                     .offsets32 = small ? offsets : NULL,
                     .offsets64 = small ? NULL : offsets,
                     .neighbors = neighbors,
                     .weights = tile->owned[at + 2]};
    return MEGURI_OK;
}

/* The items of a tile. */
static meguri_status take_items(arc_list *a, meguri_ctx *ctx, const mg_shards_builder *b, int t) {
    const mg_layout *l = &b->shards->layout;
    uint32_t size = (uint32_t)l->size;
    uint64_t count = 0;
    for (uint64_t i = 0; i < b->count && l->tiles > 1; i++) {
        const uint32_t *item = mg_item(b, i);
        count += mg_layout_place(l, (int)(item[0] % size), (int)(item[1] % size)).tile == t;
    }
    if (l->tiles == 1) count = b->count;
    a->keys = mg_alloc_array(ctx, count, sizeof *a->keys, "arcs of a graph");
    a->weights = mg_alloc_array(ctx, count, b->weight_bytes, "weights of a graph");
    if (!a->keys || !a->weights) return MEGURI_NO_MEMORY;
    for (uint64_t i = 0; i < b->count; i++) {
        const uint32_t *item = mg_item(b, i);
        if (l->tiles > 1 && mg_layout_place(l, (int)(item[0] % size), (int)(item[1] % size)).tile != t) continue;
        a->keys[a->count] = (uint64_t)mg_window_place(&l->window[l->tile_target[t]], size, item[1]) << 32 | item[0];
        if (b->weight_bytes) memcpy(a->weights + a->count * b->weight_bytes, item + 2, b->weight_bytes);
        a->count++;
    }
    return MEGURI_OK;
}

/* From rows by target to arcs by source. */
static meguri_status turn(arc_list *a, meguri_ctx *ctx, const mg_shards_builder *b, const mg_tile *tile) {
    const mg_rows *in = &tile->in;
    uint32_t size = (uint32_t)b->shards->cluster->size;
    a->count = in->arcs;
    a->keys = mg_alloc_array(ctx, in->arcs, sizeof *a->keys, "arcs of a graph");
    a->weights = mg_alloc_array(ctx, in->arcs, b->weight_bytes, "weights of a graph");
    if (!a->keys || !a->weights) return MEGURI_NO_MEMORY;
    for (uint64_t v = 0; v < in->rows; v++) {
        uint64_t begin = mg_row_offset(in, v), end = mg_row_offset(in, v + 1);
        if (begin == end) continue;
        uint32_t g = rank_at(tile->targets, size, (uint32_t)v);
        for (uint64_t i = begin; i < end; i++) a->keys[i] = (uint64_t)in->neighbors[i] << 32 | g;
    }
    if (b->weight_bytes) memcpy(a->weights, in->weights, in->arcs * b->weight_bytes);
    return MEGURI_OK;
}

static meguri_status sort(meguri_ctx *ctx, const mg_shards_builder *b, const mg_window *rows, arc_list *a) {
    return mg_sort_u64(ctx, a->keys, b->weight_bytes ? a->weights : NULL, (uint32_t)b->weight_bytes, a->count,
                       32 + bits_of(rows->places));
}

static meguri_status make_tile(meguri_ctx *ctx, mg_shards_builder *b, int t) {
    mg_shards *s = b->shards;
    mg_tile *tile = &s->tile[t];
    tile->sources = &s->layout.window[s->layout.tile_source[t]];
    tile->targets = &s->layout.window[s->layout.tile_target[t]];
    arc_list a = {0};
    meguri_status status = take_items(&a, ctx, b, t);
    if (status == MEGURI_OK) status = sort(ctx, b, tile->targets, &a);
    if (status == MEGURI_OK) {
        merge(b, &a, tile->targets);
        status = make_rows(&tile->in, ctx, b, tile, 0, tile->targets, tile->sources, &a);
    }
    free_list(&a);
    return status;
}

static meguri_status turn_tile(meguri_ctx *ctx, mg_shards_builder *b, int t) {
    mg_tile *tile = &b->shards->tile[t];
    arc_list a = {0};
    meguri_status status = turn(&a, ctx, b, tile);
    if (status == MEGURI_OK) status = sort(ctx, b, tile->sources, &a);
    if (status == MEGURI_OK) status = make_rows(&tile->out, ctx, b, tile, 3, tile->sources, tile->targets, &a);
    free_list(&a);
    return status;
}

meguri_status mg_shards_rows(meguri_ctx *ctx, mg_shards_builder *b) {
    mg_shards *s = b->shards;
    meguri_status status = MEGURI_OK;
    for (int t = 0; t < s->layout.tiles && status == MEGURI_OK; t++) status = make_tile(ctx, b, t);
    mg_free(b->items);
    b->items = NULL;
    for (int t = 0; t < s->layout.tiles && status == MEGURI_OK; t++) {
        mg_tile *tile = &s->tile[t];
        if (!s->directed && tile->sources == tile->targets) tile->out = tile->in;
        else if (!s->directed && s->layout.pairs) tile->out = s->tile[1 - t].in;
        else status = turn_tile(ctx, b, t);
    }
    return mg_agree(ctx, s->cluster, status);
}
