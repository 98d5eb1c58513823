/* Arcs to their tiles, in one hop.
 *
 * Edges are in memory, so everybody first counts what it will send to whom, and into which stream there (streams.c),
 * and tells: then all that arrives has its place before it comes. Then a few pieces of the edges travel at a time, put
 * side by side by all threads; what arrives goes to its place at once, so that little is on the way at any time.
 *
 * What becomes of it is the same whatever the number of threads. */
#include "shards/build.h"

/* Edges of a piece; pieces that travel at a time: few, as they are held besides, but one for each thread. */
enum { PIECE = 4096, LEAST_ROUND = 8, MOST_ROUND = 256 };

typedef struct hop {
    meguri_ctx *ctx;
    mg_shards_builder *builder;
    mg_splitter by_size;
    bool twice;                          /* every edge is two arcs */
    uint64_t pieces, first_piece, round; /* pieces of a round */
    uint32_t *counts;                    /* by piece and process: arcs that go there */
    uint64_t streams;                    /* that each process has */
    uint64_t *totals;                    /* of each thread, by process and stream: the same of all pieces */
    uint64_t *heads, *arriving;          /* by process: arcs of this round */
    uint64_t *begins;                    /* by process: where what leaves lies */
    uint64_t *places;                    /* by piece of the round and process */
    uint32_t *out, *in;                  /* arcs that leave, and that arrive */
    char *out_carried, *in_carried;
    uint64_t in_room;
} hop;

/* An end of an edge: its owner, and its number there. */
typedef struct end_there {
    uint32_t owner;
    uint64_t local;
} end_there;

/* Where an arc goes, and what it is there. */
typedef struct arc_there {
    int process;
    uint32_t row, column;
} arc_there;

static inline end_there end_of(const hop *h, uint64_t number) {
    uint64_t local = mg_split_whole(&h->by_size, number);
    return (end_there){(uint32_t)(number - local * h->by_size.by), local};
}

static inline arc_there arc_of(const mg_layout *l, end_there from, end_there to) {
    mg_place place = l->pairs ? mg_layout_place(l, (int)from.owner, (int)to.owner)
                              : (mg_place){l->source_side[from.owner] * l->rows + l->target_side[to.owner], 0};
    return (arc_there){place.rank,
                       mg_local((uint64_t)l->target_block[to.owner] * l->window[0].stride + to.local) |
                           (place.tile ? MG_SECOND_TILE : 0),
                       mg_local(from.local * l->source_owners + (uint64_t)l->source_block[from.owner])};
}

static mg_range edges_of(const hop *h, uint64_t piece) {
    return (mg_range){piece * PIECE, MG_MIN((piece + 1) * PIECE, h->builder->count)};
}

/* ---- what goes where -------------------------------------------------------------------------------------------- */

static void count_arc(const hop *h, uint32_t *counts, uint64_t *totals, arc_there arc) {
    counts[arc.process]++;
    totals[(uint64_t)arc.process * h->streams + mg_stream_of(&h->builder->streams, arc.row)]++;
}

static void count_pieces(void *what, mg_worker *worker) {
    const hop *h = what;
    const mg_layout *l = &h->builder->shards->layout;
    const mg_globals ends = h->builder->ends;
    uint64_t size = (uint64_t)l->size, *totals = h->totals + worker->number * size * h->streams;
    for (mg_range r; mg_take(worker, &r);)
        for (uint64_t piece = r.begin; piece < r.end; piece++) {
            uint32_t *counts = h->counts + piece * size;
            mg_range edges = edges_of(h, piece);
            for (uint64_t i = edges.begin; i < edges.end; i++) {
                uint64_t u = mg_global_at(ends, 2 * i), v = mg_global_at(ends, 2 * i + 1);
                end_there from = end_of(h, u), to = end_of(h, v);
                count_arc(h, counts, totals, arc_of(l, from, to));
                if (h->twice && u != v) count_arc(h, counts, totals, arc_of(l, to, from));
            }
        }
}

/* Everybody tells how much it will send into each stream. */
static meguri_status tell_streams(hop *h) {
    mg_shards_builder *b = h->builder;
    meguri_cluster *c = b->shards->cluster;
    uint64_t size = (uint64_t)c->size, all = size * h->streams;
    int threads = mg_threads(h->ctx, h->pieces * PIECE, PIECE);
    void *arrived = NULL;
    h->totals = mg_alloc_array_zero(h->ctx, (uint64_t)threads * all, sizeof *h->totals, "edges on their way");
    meguri_status status = mg_agree(h->ctx, c, h->totals ? MEGURI_OK : MEGURI_NO_MEMORY);
    if (status != MEGURI_OK) return status;
    mg_loop loop = {.ctx = h->ctx, .threads = threads, .items = h->pieces, .chunk = 1, .work = count_pieces, .what = h};
    mg_loop_run(&loop);
    for (uint64_t i = all; i < (uint64_t)threads * all; i++) h->totals[i % all] += h->totals[i];
    for (uint64_t p = 0; p <= size; p++) h->begins[p] = p * h->streams;
    status = mg_alltoallv_items(&arrived, h->places, h->ctx, c, h->totals, h->begins, 8, "edges on their way");
    if (status == MEGURI_OK && memcmp(h->places, h->begins, (size + 1) * sizeof *h->places) != 0)
        status = mg_strange(h->ctx, c, "it has not a number for each stream");
    if (status == MEGURI_OK) status = mg_agree(h->ctx, c, mg_streams_new(h->ctx, b, arrived));
    mg_free(arrived);
    return status;
}

/* ---- room ------------------------------------------------------------------------------------------------------- */

static meguri_status make_tables(hop *h) {
    uint64_t size = (uint64_t)h->builder->shards->cluster->size;
    const char *what = "edges on their way";
    h->counts = mg_alloc_array_zero(h->ctx, h->pieces * size, sizeof *h->counts, what);
    h->heads = mg_alloc_array(h->ctx, size * (h->round + 4) + 2, sizeof *h->heads, what);
    if (!h->counts || !h->heads) return MEGURI_NO_MEMORY;
    h->arriving = h->heads + size;
    h->begins = h->arriving + size;
    h->places = h->begins + size + 1;
    return MEGURI_OK;
}

/* For what leaves in the fullest round. */
static meguri_status make_room(hop *h) {
    const mg_shards_builder *b = h->builder;
    uint64_t most = (h->twice ? 2 : 1) * MG_MIN(b->count, h->round * PIECE);
    h->out = mg_alloc_array(h->ctx, most, 8, "edges on their way");
    h->out_carried = mg_alloc_array(h->ctx, most, b->carried_bytes, "edges on their way");
    return h->out && h->out_carried ? MEGURI_OK : MEGURI_NO_MEMORY;
}

static meguri_status make_room_for(hop *h, uint64_t arcs) {
    if (arcs <= h->in_room) return MEGURI_OK;
    mg_free(h->in);
    mg_free(h->in_carried);
    h->in = mg_alloc_array(h->ctx, arcs, 8, "edges on their way");
    h->in_carried = mg_alloc_array(h->ctx, arcs, h->builder->carried_bytes, "edges on their way");
    h->in_room = h->in && h->in_carried ? arcs : 0;
    return h->in && h->in_carried ? MEGURI_OK : MEGURI_NO_MEMORY;
}

/* ---- a round ---------------------------------------------------------------------------------------------------- */

static inline void put_arc(const hop *h, uint64_t *places, arc_there arc, uint64_t edge) {
    const mg_shards_builder *b = h->builder;
    uint64_t at = places[arc.process]++;
    h->out[2 * at] = arc.row;
    h->out[2 * at + 1] = arc.column;
    if (b->carried_bytes == 4) memcpy(h->out_carried + 4 * at, b->carried + 4 * edge, 4);
    if (b->carried_bytes == 8) memcpy(h->out_carried + 8 * at, b->carried + 8 * edge, 8);
    if (b->carried_bytes == 16) memcpy(h->out_carried + 16 * at, b->carried + 16 * edge, 16);
}

static void put_pieces(void *what, uint64_t begin, uint64_t end) {
    const hop *h = what;
    const mg_layout *l = &h->builder->shards->layout;
    const mg_globals ends = h->builder->ends;
    for (uint64_t k = begin; k < end; k++) {
        uint64_t *places = h->places + k * (uint64_t)l->size;
        mg_range edges = edges_of(h, h->first_piece + k);
        for (uint64_t i = edges.begin; i < edges.end; i++) {
            uint64_t u = mg_global_at(ends, 2 * i), v = mg_global_at(ends, 2 * i + 1);
            end_there from = end_of(h, u), to = end_of(h, v);
            put_arc(h, places, arc_of(l, from, to), i);
            if (h->twice && u != v) put_arc(h, places, arc_of(l, to, from), i);
        }
    }
}

/* Puts what leaves in this round by process, the edges of a piece before those of the next. */
static void sort_round(hop *h) {
    uint64_t size = (uint64_t)h->builder->shards->cluster->size, at = 0;
    uint64_t pieces = MG_MIN(h->pieces - h->first_piece, h->round);
    for (uint64_t p = 0; p < size; p++) {
        h->begins[p] = at;
        for (uint64_t k = 0; k < pieces; k++) {
            h->places[k * size + p] = at;
            at += h->counts[(h->first_piece + k) * size + p];
        }
    }
    h->begins[size] = at;
    mg_for(h->ctx, mg_threads(h->ctx, pieces * PIECE, PIECE), pieces, put_pieces, h);
    h->first_piece += pieces;
}

static meguri_status exchange(hop *h, const char *out, char *in, size_t bytes) {
    meguri_cluster *c = h->builder->shards->cluster;
    meguri_status status = MEGURI_OK;
    for (int from = 0; from < c->size && status == MEGURI_OK && bytes; from++) {
        uint64_t length = h->arriving[from] * bytes;
        if (!length) continue;
        if (from == c->rank) memcpy(in, out + h->begins[from] * bytes, length);
        else status = mg_exchange_receive(h->ctx, c->bulk, from, in, length, NULL);
        in += length;
    }
    for (int k = 1; k < c->size && status == MEGURI_OK && bytes; k++) {
        int to = (c->rank + k) % c->size;
        uint64_t length = h->heads[to] * bytes;
        if (length) status = mg_exchange_send(h->ctx, c->bulk, to, out + h->begins[to] * bytes, length, length);
    }
    return status == MEGURI_OK ? mg_exchange_wait(h->ctx, c->bulk) : status;
}

static meguri_status send_round(hop *h, bool *more) {
    mg_shards_builder *b = h->builder;
    meguri_cluster *c = b->shards->cluster;
    uint64_t arcs = 0;
    sort_round(h);
    uint64_t left = h->first_piece < h->pieces;
    for (int p = 0; p < c->size; p++) h->heads[p] = (h->begins[p + 1] - h->begins[p]) << 1 | left;
    meguri_status status = mg_announce(h->ctx, c, h->heads, h->arriving, 2 * (uint64_t)MOST_ROUND * PIECE, more);
    if (status != MEGURI_OK) return status;
    for (int p = 0; p < c->size; p++) arcs += h->arriving[p];
    status = make_room_for(h, arcs);
    if (mg_progress(h->ctx, "edges, to their place", h->first_piece, h->pieces)) status = mg_fail_cancelled(h->ctx);
    /* Who has no room, or is stopped, can take nothing: all end here. */
    status = mg_agree(h->ctx, c, status);
    if (status == MEGURI_OK) status = exchange(h, (const char *)h->out, (char *)h->in, 8);
    if (status == MEGURI_OK) status = exchange(h, h->out_carried, h->in_carried, b->carried_bytes);
    return status == MEGURI_OK ? mg_streams_take(h->ctx, b, h->in, h->in_carried, arcs) : status;
}

/* ---- all of it -------------------------------------------------------------------------------------------------- */

static void free_hop(hop *h) {
    mg_shards_builder *b = h->builder;
    mg_free(h->counts);
    mg_free(h->totals);
    mg_free(h->heads);
    mg_free(h->out);
    mg_free(h->out_carried);
    mg_free(h->in);
    mg_free(h->in_carried);
    mg_free(b->ends.items);
    mg_free(b->carried);
    b->ends.items = NULL;
    b->carried = NULL;
}

meguri_status mg_shards_hop(meguri_ctx *ctx, mg_shards_builder *b) {
    meguri_cluster *c = b->shards->cluster;
    mg_streams_plan(b);
    hop h = {.ctx = ctx,
             .builder = b,
             .by_size = mg_splitter_of((uint32_t)c->size),
             .twice = !b->source->directed && !b->source->both_ways,
             .pieces = (b->count + PIECE - 1) / PIECE,
             .round = MG_MIN(MG_MAX((uint64_t)mg_lasting_threads(ctx, b->count, PIECE), LEAST_ROUND), MOST_ROUND),
             .streams = b->streams.each * (uint64_t)b->streams.tiles};
    meguri_status status = mg_agree(ctx, c, make_tables(&h));
    if (status == MEGURI_OK) status = tell_streams(&h);
    if (status == MEGURI_OK) status = mg_agree(ctx, c, make_room(&h));
    for (bool more = true; more && status == MEGURI_OK;) status = send_round(&h, &more);
    free_hop(&h);
    return status;
}
