/* Arcs into rows by one of their ends; what comes in order of the other ends stays so within each row.
 *
 * In two steps that stay in the cache: into some hundred streams by the highest bits of the row, and each stream into
 * its rows. Both run on all threads, and what comes out does not depend on how many there are: pieces of the input have
 * their places in the streams beforehand. */
#include "shards/turn.h"

enum { PIECES = 64, LEAST_PIECE = 32768, GRAIN = 65536 };

typedef struct turning {
    meguri_ctx *ctx;
    const mg_arcs *arcs;
    const mg_turn_request *request;
    mg_turned *out;
    size_t weight_bytes;
    uint32_t shift; /* stream = row >> shift */
    uint64_t streams, pieces, piece_arcs;
    uint64_t *places; /* by piece and stream: arcs, then where the next goes */
    uint64_t *begins; /* of streams, and their end */
    uint64_t *kept;   /* by stream: arcs that are left of it */
    char *items;      /* by stream: row within it, then neighbour, in item_bytes */
    uint32_t neighbor_bits, item_bytes;
    char *weights;
    uint64_t *offsets; /* lengths of rows until all are known */
} turning;

typedef struct item {
    uint32_t row, neighbor;
} item;

static inline item item_at(const turning *t, uint64_t i) {
    uint64_t packed = t->item_bytes == 4 ? ((const uint32_t *)(const void *)t->items)[i]
                                         : ((const uint64_t *)(const void *)t->items)[i];
    return (item){(uint32_t)(packed >> t->neighbor_bits), (uint32_t)(packed & (((uint64_t)1 << t->neighbor_bits) - 1))};
}

/* ---- into streams ----------------------------------------------------------------------------------------------- */

static mg_range piece_of(const turning *t, uint64_t piece) {
    return (mg_range){piece * t->piece_arcs, MG_MIN((piece + 1) * t->piece_arcs, t->arcs->count)};
}

static void count_pieces(void *what, uint64_t begin, uint64_t end) {
    const turning *t = what;
    uint64_t batch[MG_TURN_BATCH];
    for (uint64_t piece = begin; piece < end; piece++) {
        uint64_t *counts = t->places + piece * t->streams;
        mg_arc_cursor cursor = mg_arcs_at(t->arcs, piece_of(t, piece));
        for (uint64_t n; (n = t->arcs->next(t->arcs, &cursor, batch, NULL));)
            for (uint64_t i = 0; i < n; i++) counts[batch[i] >> 32 >> t->shift]++;
    }
}

static void put_pieces(void *what, uint64_t begin, uint64_t end) {
    const turning *t = what;
    uint64_t batch[MG_TURN_BATCH], batch_weights[MG_TURN_BATCH];
    for (uint64_t piece = begin; piece < end; piece++) {
        uint64_t *places = t->places + piece * t->streams;
        mg_arc_cursor cursor = mg_arcs_at(t->arcs, piece_of(t, piece));
        for (uint64_t n; (n = t->arcs->next(t->arcs, &cursor, batch, batch_weights));)
            for (uint64_t i = 0; i < n; i++) {
                uint64_t at = places[batch[i] >> 32 >> t->shift]++;
                uint64_t row = batch[i] >> 32 & (((uint64_t)1 << t->shift) - 1);
                uint64_t packed = row << t->neighbor_bits | (uint32_t)batch[i];
                if (t->item_bytes == 4) ((uint32_t *)(void *)t->items)[at] = (uint32_t)packed;
                else ((uint64_t *)(void *)t->items)[at] = packed;
                if (t->weight_bytes == 4) memcpy(t->weights + 4 * at, (const char *)batch_weights + 4 * i, 4);
                if (t->weight_bytes == 8) memcpy(t->weights + 8 * at, (const char *)batch_weights + 8 * i, 8);
            }
    }
}

static void place_pieces(turning *t) {
    uint64_t at = 0;
    for (uint64_t stream = 0; stream < t->streams; stream++) {
        t->begins[stream] = at;
        for (uint64_t piece = 0; piece < t->pieces; piece++) {
            uint64_t count = t->places[piece * t->streams + stream];
            t->places[piece * t->streams + stream] = at;
            at += count;
        }
    }
    t->begins[t->streams] = at;
}

/* ---- a stream into rows ----------------------------------------------------------------------------------------- */

static void fill_stream(const turning *t, uint64_t stream) {
    uint64_t first = stream << t->shift, end = MG_MIN((stream + 1) << t->shift, t->request->rows);
    uint64_t from = t->begins[stream], to = t->begins[stream + 1], at = from;
    uint64_t *rows = t->offsets; /* counts, then where the next of a row goes, then lengths */
    for (uint64_t i = from; i < to; i++) rows[first + item_at(t, i).row]++;
    for (uint64_t row = first; row < end; row++) {
        uint64_t count = rows[row];
        rows[row] = at;
        at += count;
    }
    size_t bytes = t->weight_bytes;
    for (uint64_t i = from; i < to; i++) {
        item it = item_at(t, i);
        uint64_t place = rows[first + it.row]++;
        t->out->neighbors[place] = it.neighbor;
        if (bytes == 4) memcpy(t->out->weights + 4 * place, t->weights + 4 * i, 4);
        if (bytes == 8) memcpy(t->out->weights + 8 * place, t->weights + 8 * i, 8);
    }
    for (uint64_t row = first, begin = from; row < end; row++) {
        uint64_t row_end = rows[row];
        rows[row] = row_end - begin;
        begin = row_end;
    }
    t->kept[stream] = to - from;
}

static void fill_streams(void *what, uint64_t begin, uint64_t end) {
    for (uint64_t stream = begin; stream < end; stream++) fill_stream(what, stream);
}

void mg_close_rows(mg_turned *out, const mg_closing *c, uint64_t *lengths) {
    uint64_t arcs = 0;
    for (uint64_t stream = 0; stream < c->streams; stream++) {
        uint64_t from = c->begins[stream], kept = c->kept[stream];
        if (from * c->unit != arcs && kept)
            memmove(out->neighbors + arcs, out->neighbors + from * c->unit, kept * sizeof *out->neighbors);
        if (c->weight_bytes && from * c->weight_unit != arcs * c->weight_bytes && kept)
            memmove(out->weights + arcs * c->weight_bytes, out->weights + from * c->weight_unit,
                    kept * c->weight_bytes);
        arcs += kept;
    }
    out->arcs = arcs;
    mg_trim(out->neighbors, arcs * sizeof *out->neighbors);
    mg_trim(out->weights, arcs * c->weight_bytes);
    uint64_t sum = 0;
    bool narrow = arcs <= UINT32_MAX;
    for (uint64_t row = 0; row <= c->rows; row++) { /* in place, behind what is read */
        uint64_t length = row < c->rows ? lengths[row] : 0;
        if (narrow) memcpy((char *)lengths + 4 * row, &(uint32_t){(uint32_t)sum}, 4);
        else lengths[row] = sum;
        sum += length;
    }
    mg_trim(lengths, (c->rows + 1) * (narrow ? 4 : 8));
    out->offsets = lengths;
    out->offset_bytes = narrow ? 4 : 8;
}

/* ---- all of it -------------------------------------------------------------------------------------------------- */

static meguri_status prepare(turning *t) {
    const char *what = "rows of a graph";
    const mg_stream_plan plan = mg_policy_streams(t->request->rows, t->request->neighbors, 1);
    t->shift = plan.row_bits;
    t->streams = (t->request->rows >> t->shift) + 1;
    t->neighbor_bits = plan.column_bits;
    t->item_bytes = plan.key_bytes;
    t->piece_arcs = MG_MAX((t->arcs->count + PIECES - 1) / PIECES, (uint64_t)LEAST_PIECE);
    t->pieces = (t->arcs->count + t->piece_arcs - 1) / t->piece_arcs;
    t->places = mg_alloc_array_zero(t->ctx, t->pieces * t->streams, sizeof *t->places, what);
    t->begins = mg_alloc_array(t->ctx, 2 * t->streams + 1, sizeof *t->begins, what);
    t->offsets = mg_alloc_array_zero(t->ctx, t->request->rows + 1, sizeof *t->offsets, what);
    t->kept = t->begins ? t->begins + t->streams + 1 : NULL;
    return t->places && t->begins && t->offsets ? MEGURI_OK : MEGURI_NO_MEMORY;
}

static meguri_status make_room(turning *t) {
    uint64_t arcs = t->begins[t->streams];
    t->items = mg_alloc_array(t->ctx, arcs, t->item_bytes, "arcs to sort");
    t->weights = mg_alloc_array(t->ctx, arcs, t->weight_bytes, "weights to sort");
    t->out->neighbors = mg_alloc_array(t->ctx, arcs, sizeof *t->out->neighbors, "arcs of a graph");
    t->out->weights = mg_alloc_array(t->ctx, arcs, t->weight_bytes, "weights of a graph");
    return t->items && t->weights && t->out->neighbors && t->out->weights ? MEGURI_OK : MEGURI_NO_MEMORY;
}

meguri_status mg_turn(mg_turned *out, meguri_ctx *ctx, const mg_arcs *arcs, const mg_turn_request *request) {
    *out = (mg_turned){0};
    turning t = {
        .ctx = ctx, .arcs = arcs, .request = request, .out = out, .weight_bytes = meguri_type_bytes(request->weights)};
    double since = mg_now();
    meguri_status status = prepare(&t);
    int threads = mg_threads(ctx, arcs->count, GRAIN);
    if (status == MEGURI_OK) {
        mg_for(ctx, threads, t.pieces, count_pieces, &t);
        place_pieces(&t);
        status = make_room(&t);
    }
    if (status == MEGURI_OK) {
        mg_for(ctx, threads, t.pieces, put_pieces, &t);
        mg_for(ctx, threads, t.streams, fill_streams, &t);
        mg_free(t.items);
        mg_free(t.weights);
        t.items = NULL;
        t.weights = NULL;
        const mg_closing closing = {.begins = t.begins,
                                    .kept = t.kept,
                                    .streams = t.streams,
                                    .unit = 1,
                                    .rows = request->rows,
                                    .weight_bytes = t.weight_bytes,
                                    .weight_unit = t.weight_bytes};
        mg_close_rows(out, &closing, t.offsets);
        t.offsets = NULL;
    }
    if (status == MEGURI_OK && mg_progress(ctx, "rows of a graph", 0, 0)) status = mg_fail_cancelled(ctx);
    mg_trace_phase(ctx, "shards", "turn", (int64_t)out->arcs, -1, since);
    mg_free(t.items);
    mg_free(t.weights);
    mg_free(t.places);
    mg_free(t.begins);
    mg_free(t.offsets);
    if (status != MEGURI_OK) mg_turned_free(out);
    return status;
}

mg_rows mg_turned_rows(const mg_turned *t, uint64_t rows, bool weighted) {
    return (mg_rows){.rows = rows,
                     .arcs = t->arcs,
                     .offsets32 = t->offset_bytes == 4 ? t->offsets : NULL,
                     .offsets64 = t->offset_bytes == 8 ? t->offsets : NULL,
                     .neighbors = t->neighbors,
                     .weights = weighted ? t->weights : NULL};
}

void mg_turned_free(mg_turned *t) {
    mg_free(t->offsets);
    mg_free(t->neighbors);
    mg_free(t->weights);
    *t = (mg_turned){0};
}
