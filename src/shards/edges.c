/* The edges of a process's share, read into memory: two positions each, and weights; loops left out unless they are
 * kept. */
#include "shards/build.h"

/* Edges asked for, looked at by a thread, and loaded at a time. */
enum { AT_A_TIME = 65536, PIECE = 16384, SOME = 1024 };

static meguri_status make_room(meguri_ctx *ctx, mg_shards_builder *b, uint64_t *capacity) {
    if (b->count + AT_A_TIME <= *capacity) return MEGURI_OK;
    uint64_t wanted = MG_MAX(b->count + AT_A_TIME, *capacity + *capacity / 2);
    uint64_t edge = 2 * mg_global_bytes(b->ends.wide);
    void *ends = mg_resize(ctx, b->ends.items, wanted * edge, "edges that are read");
    if (ends) b->ends.items = ends;
    void *carried = ends ? mg_resize(ctx, b->carried, wanted * b->carried_bytes, "edges that are read") : NULL;
    if (!carried) return MEGURI_NO_MEMORY;
    b->carried = carried;
    *capacity = wanted;
    return MEGURI_OK;
}

/* ---- what edges carry ------------------------------------------------------------------------------------------- */

/* Weights as they are given become what edges carry, some thousand at a time: that may lie in the same place. */
typedef struct loading {
    const mg_shards_builder *builder;
    const char *weights;
    char *carried;
    uint64_t first, count; /* the number of the first edge that is given, and how many follow */
} loading;

static void load_some(const loading *l, uint64_t begin, uint64_t count) {
    const mg_shards_builder *b = l->builder;
    const mg_merge *m = &b->merge;
    const mg_edge_source *source = b->source;
    uint64_t payload[SOME];
    char *to = l->carried + begin * b->carried_bytes;
    if (m->how == MEGURI_DUPLICATES_COUNT) mg_payload_of_ones(payload, m->type, count);
    else
        mg_weights_to_payload(payload, m->type, l->weights + begin * meguri_type_bytes(source->weights),
                              source->weights, count);
    if (!m->number_bytes) {
        memcpy(to, payload, count * b->carried_bytes);
        return;
    }
    for (uint64_t i = 0, one = mg_payload_bytes(m->type); i < count; i++)
        mg_carry_numbers(to + i * b->carried_bytes, (const char *)payload + i * one, m->type, m->number_bytes,
                         source->place(source->user, l->first + begin + i), 1);
}

static void load_pieces(void *what, uint64_t begin, uint64_t end) {
    const loading *l = what;
    for (uint64_t i = begin * SOME; i < MG_MIN(end * SOME, l->count); i += SOME)
        load_some(l, i, MG_MIN(l->count - i, (uint64_t)SOME));
}

static void load(meguri_ctx *ctx, loading *l) {
    if (l->builder->carried_bytes)
        mg_for(ctx, mg_threads(ctx, l->count, PIECE), (l->count + SOME - 1) / SOME, load_pieces, l);
}

/* Of edges that are given all at once. */
static meguri_status load_all(meguri_ctx *ctx, mg_shards_builder *b) {
    const mg_edge_source *source = b->source;
    loading l = {.builder = b, .weights = b->carried, .carried = b->carried, .count = source->count};
    bool in_place = source->weights && b->carried_bytes == meguri_type_bytes(source->weights);
    if (!b->carried_bytes) return MEGURI_OK;
    if (!in_place) l.carried = mg_alloc_array(ctx, source->count, b->carried_bytes, "edges that are read");
    if (!l.carried) return MEGURI_NO_MEMORY;
    load(ctx, &l);
    if (!in_place) mg_free(b->carried);
    b->carried = l.carried;
    return MEGURI_OK;
}

/* ---- loops ------------------------------------------------------------------------------------------------------ */

/* Loops are few: threads close the gaps within their pieces, and those are filled from the last pieces. The order of
 * edges means nothing. */
typedef struct sieve {
    mg_shards_builder *builder;
    uint64_t first, count; /* the edges looked at */
    uint64_t *kept;        /* by piece: edges that stay, at its beginning */
    uint64_t loops;
} sieve;

static void move_edge(mg_shards_builder *b, uint64_t to, uint64_t from) {
    size_t bytes = b->carried_bytes;
    if (to == from) return;
    for (uint64_t i = 0; i < 2; i++) mg_global_put(b->ends, 2 * to + i, mg_global_at(b->ends, 2 * from + i));
    if (bytes) memcpy(b->carried + to * bytes, b->carried + from * bytes, bytes);
}

static mg_range piece_of(const sieve *s, uint64_t piece) {
    uint64_t begin = s->first + piece * PIECE;
    return (mg_range){begin, MG_MIN(begin + PIECE, s->first + s->count)};
}

static void sift_pieces(void *what, uint64_t begin, uint64_t end) {
    sieve *s = what;
    mg_shards_builder *b = s->builder;
    for (uint64_t piece = begin; piece < end; piece++) {
        mg_range edges = piece_of(s, piece);
        uint64_t to = edges.begin, loops = 0;
        for (uint64_t i = edges.begin; i < edges.end; i++) {
            bool loop = mg_global_at(b->ends, 2 * i) == mg_global_at(b->ends, 2 * i + 1);
            loops += loop;
            if (!loop || b->source->keep_loops) move_edge(b, to++, i);
        }
        s->kept[piece] = to - edges.begin;
        if (loops) mg_fetch_add(&s->loops, loops);
    }
}

/* Moves edges of the last pieces into the gaps of the first ones; where the last of all is then. */
static uint64_t fill_gaps(sieve *s, uint64_t pieces) {
    uint64_t last = pieces;
    for (uint64_t piece = 0; piece < last; piece++) {
        mg_range edges = piece_of(s, piece);
        while (edges.begin + s->kept[piece] < edges.end) {
            while (last > piece + 1 && !s->kept[last - 1]) last--;
            if (last == piece + 1) return edges.begin + s->kept[piece];
            move_edge(s->builder, edges.begin + s->kept[piece]++, piece_of(s, last - 1).begin + --s->kept[last - 1]);
        }
    }
    return s->first + s->count;
}

/* Of the edges from b->count on, so many, those that stay. */
static meguri_status keep(meguri_ctx *ctx, mg_shards_builder *b, uint64_t count) {
    sieve s = {.builder = b, .first = b->count, .count = count};
    uint64_t pieces = (count + PIECE - 1) / PIECE;
    s.kept = mg_alloc_array(ctx, pieces, sizeof *s.kept, "edges that are read");
    if (!s.kept) return MEGURI_NO_MEMORY;
    mg_for(ctx, mg_threads(ctx, count, PIECE), pieces, sift_pieces, &s);
    b->count = fill_gaps(&s, pieces);
    b->input_edges += count;
    b->loops += s.loops;
    mg_free(s.kept);
    return MEGURI_OK;
}

/* ---- reading ---------------------------------------------------------------------------------------------------- */

/* The next of them; `weights` is room for those that are given. */
static meguri_status read_some(meguri_ctx *ctx, mg_shards_builder *b, char *weights, uint64_t *read) {
    const mg_edge_source *source = b->source;
    if (mg_progress(ctx, "edges", b->input_edges, 0)) return mg_fail_cancelled(ctx);
    *read = source->next(source->user, mg_globals_from(b->ends, 2 * b->count), weights, AT_A_TIME);
    loading l = {.builder = b,
                 .weights = weights,
                 .carried = b->carried + b->count * b->carried_bytes,
                 .first = b->input_edges,
                 .count = *read};
    load(ctx, &l);
    return keep(ctx, b, *read);
}

static meguri_status read_all(meguri_ctx *ctx, mg_shards_builder *b) {
    size_t bytes = meguri_type_bytes(b->source->weights);
    char *weights = bytes ? mg_alloc_array(ctx, AT_A_TIME, bytes, "edges that are read") : NULL;
    meguri_status status = weights || !bytes ? MEGURI_OK : MEGURI_NO_MEMORY;
    for (uint64_t capacity = 0, read = 1; read && status == MEGURI_OK;) {
        status = make_room(ctx, b, &capacity);
        if (status == MEGURI_OK) status = read_some(ctx, b, weights, &read);
    }
    mg_free(weights);
    if (status != MEGURI_OK) return status;
    mg_trim(b->ends.items, b->count * 2 * mg_global_bytes(b->ends.wide));
    mg_trim(b->carried, b->count * b->carried_bytes);
    return MEGURI_OK;
}

meguri_status mg_shards_read_edges(meguri_ctx *ctx, mg_shards_builder *b) {
    meguri_status status = b->source->ends ? load_all(ctx, b) : read_all(ctx, b);
    if (status == MEGURI_OK && b->source->ends) status = keep(ctx, b, b->source->count);
    return mg_agree(ctx, b->shards->cluster, status);
}
