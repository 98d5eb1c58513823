/* The rows of a graph in parts in the order of a file: offsets from the degrees, and arcs sorted by row.
 *
 * Degrees go to those who write the offsets of a range of rows, and their sums say where arcs are to be cut so that all
 * processes sort about as many. A row stays in one piece. */
#include "shards/save.h"

/* ---- offsets ---------------------------------------------------------------------------------------------------- */

typedef struct degree_reader {
    const mg_saving *saving;
    uint32_t place;
} degree_reader;

static uint64_t next_degree(void *user, void *items, uint32_t *to, uint64_t capacity) {
    degree_reader *r = user;
    const mg_shards *s = r->saving->shards;
    uint64_t n = 0;
    for (; n < capacity && r->place < s->owned; r->place++) {
        uint32_t row = r->saving->owned[r->place];
        if (row >= r->saving->stored) continue;
        ((uint32_t *)items)[2 * n] = row;
        ((uint32_t *)items)[2 * n + 1] = s->degree[r->place];
        to[n++] = (uint32_t)mg_home(r->saving->stored, s->cluster->size, row);
    }
    return n;
}

/* Offsets of the rows [share.begin, share.end); the last process also has where all rows end. */
static meguri_status make_offsets(uint64_t **out, mg_saving *s, mg_range share) {
    meguri_cluster *c = s->shards->cluster;
    degree_reader reader = {s, 0};
    const mg_route_source source = {next_degree, &reader, 8};
    void *items;
    uint64_t count, sum = 0;
    *out = NULL;
    meguri_status status = mg_route(&items, &count, s->ctx, c, &source, "degrees");
    if (status != MEGURI_OK) return status;
    uint64_t *offsets = mg_alloc_array_zero(s->ctx, share.end - share.begin + 1, sizeof *offsets, "rows of a file");
    status = mg_agree(s->ctx, c, offsets ? MEGURI_OK : MEGURI_NO_MEMORY);
    const uint32_t *pairs = items;
    for (uint64_t i = 0; i < count && status == MEGURI_OK; i++) {
        if (pairs[2 * i] - share.begin < share.end - share.begin) {
            offsets[pairs[2 * i] - share.begin] = pairs[2 * i + 1];
            sum += pairs[2 * i + 1];
        } else status = mg_strange(s->ctx, c, "a row that is not for this process");
    }
    mg_free(items);
    if (status == MEGURI_OK) status = mg_exscan_u64(s->ctx, c, &c->all, &sum, 1);
    for (uint64_t i = 0; i <= share.end - share.begin && status == MEGURI_OK; i++) {
        uint64_t degree = offsets[i];
        offsets[i] = sum;
        sum += degree;
    }
    if (status == MEGURI_OK) *out = offsets;
    else mg_free(offsets);
    return status;
}

/* The first row that begins at or behind each share of the arcs; its arc. */
static meguri_status cut_rows(mg_saving *s, const uint64_t *offsets, mg_range share) {
    meguri_cluster *c = s->shards->cluster;
    uint64_t row = share.begin, arcs = s->shards->arcs;
    uint32_t size = (uint32_t)c->size + 1;
    for (int p = 0; p <= c->size; p++) {
        uint64_t wanted = p < c->size ? mg_share(arcs, p, c->size).begin : arcs;
        while (p && row < share.end && offsets[row - share.begin] < wanted) row++;
        bool here = p && p < c->size && row < share.end;
        s->rows[p] = here ? row : s->stored;
        s->arcs[p] = here ? offsets[row - share.begin] : arcs;
    }
    s->rows[0] = s->arcs[0] = 0;
    meguri_status status = mg_reduce_u64(s->ctx, c, &c->all, s->rows, size, MG_MINIMUM);
    return status == MEGURI_OK ? mg_reduce_u64(s->ctx, c, &c->all, s->arcs, size, MG_MINIMUM) : status;
}

static meguri_status save_offsets(mg_saving *s) {
    const meguri_cluster *c = s->shards->cluster;
    mg_range share = mg_share(s->stored, c->rank, c->size);
    uint64_t *offsets, count = share.end - share.begin + (c->rank == c->size - 1);
    meguri_status status = make_offsets(&offsets, s, share);
    if (status != MEGURI_OK) return status;
    status = cut_rows(s, offsets, share);
    if (s->offset_bytes == 4) /* in place, behind what is read */
        for (uint64_t i = 0; i < count; i++) {
            uint32_t narrow = (uint32_t)offsets[i];
            memcpy((char *)offsets + 4 * i, &narrow, 4);
        }
    if (status == MEGURI_OK)
        status = mg_save_section(s, MG_PART_OFFSETS, offsets, share.begin * s->offset_bytes, count * s->offset_bytes);
    mg_free(offsets);
    return status;
}

/* ---- arcs ------------------------------------------------------------------------------------------------------- */

enum { GRAIN = 1 << 16 }; /* arcs worth a thread of their own */

/* Arcs as they lie: by target. Those of an undirected graph are there both ways, so that a row by target is one by
 * source. */
typedef struct arc_reader {
    const mg_saving *saving;
    uint32_t *numbers[2]; /* by window and place */
    size_t weight_bytes;
    int tile;
    uint64_t row, arc;
} arc_reader;

static uint32_t process_of(const mg_saving *s, uint32_t row) {
    uint32_t low = 0, high = (uint32_t)s->shards->cluster->size;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (s->rows[middle] <= row) low = middle;
        else high = middle;
    }
    return low;
}

static uint64_t next_arc(void *user, void *items, uint32_t *to, uint64_t capacity) {
    arc_reader *r = user;
    const mg_shards *s = r->saving->shards;
    size_t item_bytes = 8 + r->weight_bytes;
    uint64_t n = 0;
    for (; r->tile < s->layout.tiles; r->tile++, r->row = r->arc = 0) {
        const mg_rows *in = &s->tile[r->tile].in;
        const uint32_t *sources = r->numbers[s->layout.tile_source[r->tile]];
        const uint32_t *targets = r->numbers[s->layout.tile_target[r->tile]];
        for (; r->row < in->rows; r->row++) {
            uint64_t end = mg_row_offset(in, r->row + 1);
            uint32_t row = targets[r->row], process = r->arc < end && !s->directed ? process_of(r->saving, row) : 0;
            for (; r->arc < end; r->arc++, n++) {
                if (n == capacity) return n;
                char *item = (char *)items + n * item_bytes;
                uint32_t other = sources[in->neighbors[r->arc]];
                memcpy(item, s->directed ? &other : &row, 4);
                memcpy(item + 4, s->directed ? &row : &other, 4);
                if (r->weight_bytes)
                    memcpy(item + 8, (const char *)in->weights + r->arc * r->weight_bytes, r->weight_bytes);
                to[n] = s->directed ? process_of(r->saving, other) : process;
            }
        }
    }
    return n;
}

/* Arcs of this process's rows: row from `first` on, neighbour; and weights as they travel. */
typedef struct arcs {
    uint64_t *keys;
    uint32_t neighbor_bits, key_bits;
    uint64_t first, rows;
    char *weights;
    uint64_t count;
    size_t weight_bytes;
    meguri_type type;
    const char *items; /* as they have arrived */
    uint64_t strange;  /* that are not for this process */
} arcs;

static void take_some(void *what, uint64_t begin, uint64_t end) {
    arcs *a = what;
    size_t bytes = a->weight_bytes;
    for (uint64_t i = begin; i < end; i++) {
        uint32_t ends[2];
        memcpy(ends, a->items + i * (8 + bytes), 8);
        uint64_t row = ends[0] - a->first;
        if (row >= a->rows || ends[1] >> a->neighbor_bits) mg_fetch_add(&a->strange, 1);
        a->keys[i] = row << a->neighbor_bits | ends[1];
        if (bytes) memcpy(a->weights + i * bytes, a->items + i * (8 + bytes) + 8, bytes);
    }
}

static meguri_status take_arcs(arcs *out, mg_saving *s, char *items, uint64_t count) {
    int rank = s->shards->cluster->rank;
    size_t bytes = out->weight_bytes;
    out->count = count;
    out->items = items;
    out->first = s->rows[rank];
    out->rows = s->rows[rank + 1] - s->rows[rank];
    out->neighbor_bits = mg_bits_below(s->stored);
    out->key_bits = out->neighbor_bits + mg_bits_below(out->rows);
    if (count != s->arcs[rank + 1] - s->arcs[rank])
        return mg_strange(s->ctx, s->shards->cluster, "other arcs than the degrees say");
    out->keys = mg_alloc_array(s->ctx, count, sizeof *out->keys, "arcs of a file");
    out->weights = mg_alloc_array(s->ctx, count, bytes, "weights of a file");
    if (!out->keys || !out->weights) return MEGURI_NO_MEMORY;
    mg_for(s->ctx, mg_threads(s->ctx, count, GRAIN), count, take_some, out);
    return out->strange ? mg_strange(s->ctx, s->shards->cluster, "arcs that are not for this process") : MEGURI_OK;
}

/* Weights of equal arcs, which lie side by side, in order: those that begin in a chunk. */
static void sort_equal(void *what, uint64_t begin, uint64_t end) {
    const arcs *a = what;
    size_t bytes = a->weight_bytes;
    while (begin && begin < end && a->keys[begin] == a->keys[begin - 1]) begin++;
    if (begin == end) return;
    while (end < a->count && a->keys[end] == a->keys[end - 1]) end++;
    for (uint64_t i = begin + 1; i < end; i++) {
        char moved[8];
        uint64_t place = i;
        memcpy(moved, a->weights + i * bytes, bytes);
        for (; place > begin && a->keys[place - 1] == a->keys[i] &&
               mg_weight_at(moved, a->type, 0) < mg_weight_at(a->weights, a->type, place - 1);
             place--)
            memcpy(a->weights + place * bytes, a->weights + (place - 1) * bytes, bytes);
        memcpy(a->weights + place * bytes, moved, bytes);
    }
}

/* By row and neighbour; equal ones by weight. */
static meguri_status sort_arcs(arcs *a, mg_saving *s) {
    uint32_t bytes = (uint32_t)a->weight_bytes;
    meguri_status status = mg_sort_u64(s->ctx, a->keys, bytes ? a->weights : NULL, bytes, a->count, a->key_bits);
    if (status == MEGURI_OK && bytes) mg_for(s->ctx, mg_threads(s->ctx, a->count, GRAIN), a->count, sort_equal, a);
    return status;
}

/* The arcs that are here, sorted. */
static meguri_status gather_arcs(arcs *out, mg_saving *s) {
    mg_shards *shards = s->shards;
    meguri_cluster *c = shards->cluster;
    arc_reader reader = {.saving = s, .weight_bytes = meguri_type_bytes(shards->weight_type)};
    void *items = NULL;
    uint64_t count;
    meguri_status status = MEGURI_OK;
    *out = (arcs){.weight_bytes = reader.weight_bytes, .type = shards->weight_type};
    for (int w = 0; w < shards->layout.windows; w++) {
        reader.numbers[w] = mg_alloc_array(s->ctx, shards->layout.window[w].places, 4, "numbers of vertices");
        if (!reader.numbers[w]) status = MEGURI_NO_MEMORY;
    }
    status = mg_agree(s->ctx, c, status);
    if (status == MEGURI_OK)
        status = mg_windows_gather(s->ctx, c, &shards->layout, "bulk", s->owned, 4,
                                   (void *const[]){reader.numbers[0], reader.numbers[1]});
    const mg_route_source source = {next_arc, &reader, 8 + reader.weight_bytes};
    if (status == MEGURI_OK) status = mg_route(&items, &count, s->ctx, c, &source, "arcs of a file");
    mg_free(reader.numbers[0]);
    mg_free(reader.numbers[1]);
    if (status != MEGURI_OK) return status;
    status = take_arcs(out, s, items, count);
    mg_free(items);
    if (status == MEGURI_OK) status = sort_arcs(out, s);
    return mg_agree(s->ctx, c, status);
}

/* In place: no type is larger than the one that travels. */
static void narrow_weights(const mg_saving *s, arcs *a) {
    for (uint64_t i = 0; i < a->count && s->weight_type != s->shards->weight_type; i++) {
        uint32_t weight;
        memcpy(&weight, a->weights + 4 * i, 4);
        if (s->weight_type == MEGURI_TYPE_U8) ((uint8_t *)a->weights)[i] = (uint8_t)weight;
        else memcpy(a->weights + 2 * i, &(uint16_t){(uint16_t)weight}, 2);
    }
}

meguri_status mg_save_rows(mg_saving *s) {
    arcs a = {0};
    meguri_status status = save_offsets(s);
    if (status == MEGURI_OK) status = gather_arcs(&a, s);
    if (status == MEGURI_OK) {
        uint64_t first = s->arcs[s->shards->cluster->rank];
        uint32_t *neighbors = (uint32_t *)a.keys; /* behind what is read */
        for (uint64_t i = 0; i < a.count; i++) {
            uint32_t neighbor = (uint32_t)(a.keys[i] & (((uint64_t)1 << a.neighbor_bits) - 1));
            memcpy(&neighbors[i], &neighbor, 4);
        }
        status = mg_save_section(s, MG_PART_NEIGHBORS, neighbors, first * 4, a.count * 4);
        if (status == MEGURI_OK && s->weight_type != MEGURI_TYPE_NONE) {
            size_t bytes = meguri_type_bytes(s->weight_type);
            narrow_weights(s, &a);
            status = mg_save_section(s, MG_PART_WEIGHTS, a.weights, first * bytes, a.count * bytes);
        }
    }
    mg_free(a.keys);
    mg_free(a.weights);
    return status;
}
