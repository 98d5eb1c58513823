/* Arcs to their tiles, in one hop.
 *
 * Edges are in memory, so everybody first counts what it will send to whom, in pieces of the edges, and tells: then all
 * that arrives has its place before it comes, and threads put what leaves side by side. A few pieces travel at a time,
 * so that only what has arrived is ever held whole.
 *
 * What arrives is sorted by nobody yet; it is the same, in the same order, whatever the number of threads. */
#include "shards/build.h"

enum { PIECE = 65536, ROUND = 8 }; /* edges of a piece; pieces that travel at a time */

typedef struct hop {
    meguri_ctx *ctx;
    mg_shards_builder *builder;
    mg_splitter by_size;
    bool twice; /* every edge is two arcs */
    uint64_t pieces;
    uint32_t *counts;             /* by piece and process: arcs that go there */
    uint64_t rounds;              /* of the process that has most */
    uint64_t *sending, *arriving; /* by process and round */
    uint64_t *arrived;            /* by process: where what comes next from there lies */
    uint64_t first_piece;         /* of this round */
    uint64_t *begins;             /* by process: where what leaves lies */
    uint64_t *places;             /* by piece of the round and process */
    uint32_t *out;                /* arcs that leave */
    char *out_weights;
} hop;

/* Where an arc goes, and what it is there. */
typedef struct arc_there {
    int process;
    uint32_t row, column;
} arc_there;

static inline arc_there arc_of(const hop *h, const mg_layout *l, uint64_t from, uint64_t to) {
    uint32_t source = mg_split_rest(&h->by_size, from), target = mg_split_rest(&h->by_size, to);
    mg_place place = l->pairs ? mg_layout_place(l, (int)source, (int)target)
                              : (mg_place){l->source_side[source] * l->rows + l->target_side[target], 0};
    return (arc_there){
        place.rank,
        mg_local((uint64_t)l->target_block[target] * l->window[0].stride + mg_split_whole(&h->by_size, to)) |
            (place.tile ? MG_SECOND_TILE : 0),
        mg_local(mg_split_whole(&h->by_size, from) * l->source_owners + (uint64_t)l->source_block[source])};
}

static mg_range edges_of(const hop *h, uint64_t piece) {
    return (mg_range){piece * PIECE, MG_MIN((piece + 1) * PIECE, h->builder->count)};
}

/* ---- what goes where -------------------------------------------------------------------------------------------- */

static void count_pieces(void *what, uint64_t begin, uint64_t end) {
    const hop *h = what;
    const mg_layout *l = &h->builder->shards->layout;
    for (uint64_t piece = begin; piece < end; piece++) {
        uint32_t *counts = h->counts + piece * (uint64_t)l->size;
        mg_range edges = edges_of(h, piece);
        for (uint64_t i = edges.begin; i < edges.end; i++) {
            uint64_t u = mg_global_at(h->builder->ends, 2 * i), v = mg_global_at(h->builder->ends, 2 * i + 1);
            counts[arc_of(h, l, u, v).process]++;
            if (h->twice && u != v) counts[arc_of(h, l, v, u).process]++;
        }
    }
}

static void for_pieces(hop *h, uint64_t pieces, mg_range_fn *act) {
    mg_for(h->ctx, mg_threads(h->ctx, pieces * PIECE, PIECE), pieces, act, h);
}

/* Everybody tells how much it sends in each round. */
static meguri_status announce(hop *h) {
    mg_shards_builder *b = h->builder;
    meguri_cluster *c = b->shards->cluster;
    uint64_t size = (uint64_t)c->size, *all = NULL;
    void *arrived = NULL;
    h->rounds = (h->pieces + ROUND - 1) / ROUND;
    meguri_status status = mg_reduce_u64(h->ctx, c, &c->all, &h->rounds, 1, MG_MAXIMUM);
    if (status != MEGURI_OK) return status;
    h->sending = mg_alloc_array_zero(h->ctx, size * h->rounds, sizeof *h->sending, "edges on their way");
    all = mg_alloc_array(h->ctx, 2 * (size + 1), sizeof *all, "edges on their way");
    status = mg_agree(h->ctx, c, h->sending && all ? MEGURI_OK : MEGURI_NO_MEMORY);
    if (status == MEGURI_OK) {
        for (uint64_t piece = 0; piece < h->pieces; piece++)
            for (uint64_t p = 0; p < size; p++)
                h->sending[p * h->rounds + piece / ROUND] += h->counts[piece * size + p];
        for (uint64_t p = 0; p <= size; p++) all[p] = p * h->rounds * sizeof *h->sending;
        status = mg_alltoallv(&arrived, all + size + 1, h->ctx, c, h->sending, all, "edges on their way");
    }
    h->arriving = arrived;
    mg_free(all);
    return status;
}

/* ---- room ------------------------------------------------------------------------------------------------------- */

static meguri_status make_room(hop *h) {
    mg_shards_builder *b = h->builder;
    uint64_t size = (uint64_t)b->shards->cluster->size, most = 0;
    h->arrived = mg_alloc_array(h->ctx, size * (ROUND + 2) + 1, sizeof *h->arrived, "edges on their way");
    if (!h->arrived) return MEGURI_NO_MEMORY;
    h->begins = h->arrived + size;
    h->places = h->begins + size + 1;
    for (uint64_t p = 0; p < size; p++) {
        h->arrived[p] = b->arc_count;
        for (uint64_t round = 0; round < h->rounds; round++) b->arc_count += h->arriving[p * h->rounds + round];
    }
    for (uint64_t round = 0; round < h->rounds; round++) {
        uint64_t leaving = 0;
        for (uint64_t p = 0; p < size; p++) leaving += h->sending[p * h->rounds + round];
        most = MG_MAX(most, leaving);
    }
    b->arcs = mg_alloc_array(h->ctx, b->arc_count, 8, "arcs of a graph");
    b->arc_weights = mg_alloc_array(h->ctx, b->arc_count, b->weight_bytes, "weights of a graph");
    h->out = mg_alloc_array(h->ctx, most, 8, "edges on their way");
    h->out_weights = mg_alloc_array(h->ctx, most, b->weight_bytes, "edges on their way");
    return b->arcs && b->arc_weights && h->out && h->out_weights ? MEGURI_OK : MEGURI_NO_MEMORY;
}

/* ---- a round ---------------------------------------------------------------------------------------------------- */

static inline void put_arc(const hop *h, uint64_t *places, arc_there arc, uint64_t edge) {
    const mg_shards_builder *b = h->builder;
    uint64_t at = places[arc.process]++;
    h->out[2 * at] = arc.row;
    h->out[2 * at + 1] = arc.column;
    if (b->weight_bytes == 4) memcpy(h->out_weights + 4 * at, b->weights + 4 * edge, 4);
    if (b->weight_bytes == 8) memcpy(h->out_weights + 8 * at, b->weights + 8 * edge, 8);
}

static void put_pieces(void *what, uint64_t begin, uint64_t end) {
    const hop *h = what;
    const mg_layout *l = &h->builder->shards->layout;
    for (uint64_t k = begin; k < end; k++) {
        uint64_t *places = h->places + k * (uint64_t)l->size;
        mg_range edges = edges_of(h, h->first_piece + k);
        for (uint64_t i = edges.begin; i < edges.end; i++) {
            uint64_t u = mg_global_at(h->builder->ends, 2 * i), v = mg_global_at(h->builder->ends, 2 * i + 1);
            put_arc(h, places, arc_of(h, l, u, v), i);
            if (h->twice && u != v) put_arc(h, places, arc_of(h, l, v, u), i);
        }
    }
}

/* Puts what leaves in this round by process, the edges of a piece before those of the next. */
static void sort_round(hop *h, uint64_t round) {
    uint64_t size = (uint64_t)h->builder->shards->cluster->size;
    h->first_piece = round * ROUND;
    uint64_t pieces = h->pieces > h->first_piece ? MG_MIN(h->pieces - h->first_piece, (uint64_t)ROUND) : 0, at = 0;
    for (uint64_t p = 0; p < size; p++) {
        h->begins[p] = at;
        for (uint64_t k = 0; k < pieces; k++) {
            h->places[k * size + p] = at;
            at += h->counts[(h->first_piece + k) * size + p];
        }
    }
    h->begins[size] = at;
    for_pieces(h, pieces, put_pieces);
}

static meguri_status exchange(hop *h, uint64_t round, const void *out, void *arcs, size_t bytes) {
    meguri_cluster *c = h->builder->shards->cluster;
    meguri_status status = MEGURI_OK;
    for (int from = 0; from < c->size && status == MEGURI_OK && bytes; from++) {
        uint64_t length = h->arriving[(uint64_t)from * h->rounds + round] * bytes;
        char *to = (char *)arcs + h->arrived[from] * bytes;
        if (from == c->rank && length) memcpy(to, (const char *)out + h->begins[from] * bytes, length);
        else if (length) status = mg_exchange_receive(h->ctx, c->bulk, from, to, length, NULL);
    }
    for (int k = 1; k < c->size && status == MEGURI_OK && bytes; k++) {
        int to = (c->rank + k) % c->size;
        uint64_t length = (h->begins[to + 1] - h->begins[to]) * bytes;
        const char *from = (const char *)out + h->begins[to] * bytes;
        if (length) status = mg_exchange_send(h->ctx, c->bulk, to, from, length, length);
    }
    return status == MEGURI_OK ? mg_exchange_wait(h->ctx, c->bulk) : status;
}

static meguri_status send_round(hop *h, uint64_t round) {
    mg_shards_builder *b = h->builder;
    meguri_cluster *c = b->shards->cluster;
    bool stopped = mg_progress(h->ctx, "edges, to their place", round, h->rounds);
    meguri_status status = mg_agree(h->ctx, c, stopped ? mg_fail_cancelled(h->ctx) : MEGURI_OK);
    if (status != MEGURI_OK) return status;
    sort_round(h, round);
    uint64_t first = MG_MIN(round * ROUND * PIECE, b->count), end = MG_MIN((round + 1) * ROUND * PIECE, b->count);
    uint64_t edge = 2 * mg_global_bytes(b->ends.wide);
    mg_release_pages(b->ends.items, first * edge, (end - first) * edge);
    if (b->weight_bytes) mg_release_pages(b->weights, first * b->weight_bytes, (end - first) * b->weight_bytes);
    status = exchange(h, round, h->out, b->arcs, 8);
    if (status == MEGURI_OK) status = exchange(h, round, h->out_weights, b->arc_weights, b->weight_bytes);
    for (int from = 0; from < c->size; from++) h->arrived[from] += h->arriving[(uint64_t)from * h->rounds + round];
    return status;
}

/* ---- all of it -------------------------------------------------------------------------------------------------- */

meguri_status mg_shards_hop(meguri_ctx *ctx, mg_shards_builder *b) {
    meguri_cluster *c = b->shards->cluster;
    hop h = {.ctx = ctx,
             .builder = b,
             .by_size = mg_splitter_of((uint32_t)c->size),
             .twice = !b->source->directed && !b->source->both_ways,
             .pieces = (b->count + PIECE - 1) / PIECE};
    h.counts = mg_alloc_array_zero(ctx, h.pieces * (uint64_t)c->size, sizeof *h.counts, "edges on their way");
    meguri_status status = mg_agree(ctx, c, h.counts ? MEGURI_OK : MEGURI_NO_MEMORY);
    if (status == MEGURI_OK) {
        for_pieces(&h, h.pieces, count_pieces);
        status = announce(&h);
    }
    if (status == MEGURI_OK) status = mg_agree(ctx, c, make_room(&h));
    for (uint64_t round = 0; round < h.rounds && status == MEGURI_OK; round++) status = send_round(&h, round);
    mg_free(h.counts);
    mg_free(h.sending);
    mg_free(h.arriving);
    mg_free(h.arrived);
    mg_free(h.out);
    mg_free(h.out_weights);
    mg_free(b->ends.items);
    mg_free(b->weights);
    b->ends.items = NULL;
    b->weights = NULL;
    return status;
}
