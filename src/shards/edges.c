/* The edges of a process's share, read into memory: two positions each, and weights; loops left out unless they are
 * kept. */
#include "shards/build.h"

enum { AT_A_TIME = 65536, PIECE = 16384 }; /* edges asked for, and looked at by a thread, at a time */

static meguri_status make_room(meguri_ctx *ctx, mg_shards_builder *b, uint64_t *capacity) {
    if (b->count + AT_A_TIME <= *capacity) return MEGURI_OK;
    uint64_t wanted = MG_MAX(b->count + AT_A_TIME, *capacity + *capacity / 2);
    uint64_t edge = 2 * mg_global_bytes(b->ends.wide);
    void *ends = mg_resize(ctx, b->ends.items, wanted * edge, "edges that are read");
    if (ends) b->ends.items = ends;
    void *weights = ends ? mg_resize(ctx, b->weights, wanted * b->weight_bytes, "edges that are read") : NULL;
    if (!weights) return MEGURI_NO_MEMORY;
    b->weights = weights;
    *capacity = wanted;
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
    size_t bytes = b->weight_bytes;
    if (to == from) return;
    for (uint64_t i = 0; i < 2; i++) mg_global_put(b->ends, 2 * to + i, mg_global_at(b->ends, 2 * from + i));
    if (bytes) memcpy(b->weights + to * bytes, b->weights + from * bytes, bytes);
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

static meguri_status read_all(meguri_ctx *ctx, mg_shards_builder *b) {
    const mg_edge_source *source = b->source;
    for (uint64_t capacity = 0, read = 1; read;) {
        meguri_status status = make_room(ctx, b, &capacity);
        if (status != MEGURI_OK) return status;
        if (mg_progress(ctx, "edges", b->input_edges, 0)) return mg_fail_cancelled(ctx);
        read = source->next(source->user, mg_globals_from(b->ends, 2 * b->count),
                            b->weights + b->count * b->weight_bytes, AT_A_TIME);
        status = keep(ctx, b, read);
        if (status != MEGURI_OK) return status;
    }
    mg_trim(b->ends.items, b->count * 2 * mg_global_bytes(b->ends.wide));
    mg_trim(b->weights, b->count * b->weight_bytes);
    return MEGURI_OK;
}

meguri_status mg_shards_read_edges(meguri_ctx *ctx, mg_shards_builder *b) {
    meguri_status status = b->source->ends ? keep(ctx, b, b->source->count) : read_all(ctx, b);
    return mg_agree(ctx, b->shards->cluster, status);
}
