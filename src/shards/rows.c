/* The arcs of a process as rows: by target for pulls, by source for pushes, each with the smallest numbers first: hubs,
 * where ownership is by degree.
 *
 * Rows are named by place. Neighbours are sorted as *columns*, which go through a window as numbers do, one of each
 * owner in turn, and become places when they are in order. Where both windows of a symmetric matrix are the same, or
 * the other tile of a pair is the transpose of this one, the rows of one way are those of the other. */
#include "shards/build.h"

enum { BATCH = 2048, PIECE_ARCS = 1 << 18, GRAIN = 65536 };

/* ---- arcs to sort ----------------------------------------------------------------------------------------------- */

/* The arcs of one tile, as they arrived. */
typedef struct arrived {
    mg_arc_source base;
    const mg_shards_builder *builder;
    bool some;    /* those of the other tile are among them */
    uint32_t bit; /* MG_SECOND_TILE or 0 */
} arrived;

static meguri_status next_arrived(const mg_arc_source *self, meguri_ctx *ctx, uint64_t piece, uint64_t *cursor,
                                  mg_arc_batch *batch, void *scratch) {
    const arrived *a = (const arrived *)self;
    const mg_shards_builder *b = a->builder;
    uint64_t first = piece * PIECE_ARCS + *cursor, last = MG_MIN((piece + 1) * PIECE_ARCS, b->arc_count);
    uint64_t end = a->some || b->weight_bytes ? MG_MIN(first + BATCH, last) : last;
    (void)ctx;
    *batch = (mg_arc_batch){b->arcs + 2 * first, NULL, first < end ? end - first : 0};
    while (a->some && first < end) { /* a batch without any would end the piece */
        uint32_t *pairs = scratch, kept = 0;
        char *weights = (char *)(pairs + 2 * BATCH);
        for (uint64_t i = first; i < end; i++) {
            if ((b->arcs[2 * i] & MG_SECOND_TILE) != a->bit) continue;
            pairs[2 * kept] = b->arcs[2 * i] & ~MG_SECOND_TILE;
            pairs[2 * kept + 1] = b->arcs[2 * i + 1];
            if (b->weight_bytes)
                memcpy(weights + kept * b->weight_bytes, b->arc_weights + i * b->weight_bytes, b->weight_bytes);
            kept++;
        }
        *cursor += end - first;
        first = end;
        end = MG_MIN(first + BATCH, last);
        *batch = (mg_arc_batch){pairs, weights, kept};
        if (kept) break;
    }
    if (!a->some) *cursor += batch->count;
    if (b->weight_bytes && batch->count) {
        const char *weights = a->some ? batch->payload : b->arc_weights + first * b->weight_bytes;
        void *payload = (char *)scratch + 16 * BATCH;
        mg_weights_to_payload(payload, b->source->weights, weights, b->source->weights, batch->count);
        batch->payload = payload;
    }
    return MEGURI_OK;
}

/* The arcs of a tile by its other end. */
typedef struct turned {
    mg_arc_source base;
    const mg_shards_builder *builder;
    const mg_tile *tile;
    uint32_t owners; /* of targets */
} turned;

static meguri_status next_turned(const mg_arc_source *self, meguri_ctx *ctx, uint64_t piece, uint64_t *cursor,
                                 mg_arc_batch *batch, void *scratch) {
    const turned *t = (const turned *)self;
    const mg_rows *in = &t->tile->in;
    uint64_t first = piece * PIECE_ARCS + *cursor, stride = t->tile->targets->stride;
    uint64_t end = MG_MIN(MG_MIN((piece + 1) * PIECE_ARCS, in->arcs), first + BATCH);
    uint32_t *pairs = scratch;
    (void)ctx;
    *batch = (mg_arc_batch){pairs, pairs + 2 * BATCH, first < end ? end - first : 0};
    if (!batch->count) return MEGURI_OK;
    uint64_t row = mg_row_of_arc(in, first);
    for (uint64_t arc = first; arc < end;) {
        while (mg_row_offset(in, row + 1) <= arc) row++;
        uint64_t row_end = MG_MIN(mg_row_offset(in, row + 1), end);
        uint32_t column = (uint32_t)(row % stride * t->owners + row / stride);
        for (; arc < row_end; arc++) {
            pairs[2 * (arc - first)] = in->neighbors[arc];
            pairs[2 * (arc - first) + 1] = column;
        }
    }
    meguri_weight_type type = t->builder->source->weights;
    if (type)
        mg_weights_to_payload(pairs + 2 * BATCH, type, (const char *)in->weights + first * mg_weight_size(type), type,
                              batch->count);
    *cursor += batch->count;
    return MEGURI_OK;
}

/* ---- rows ------------------------------------------------------------------------------------------------------- */

typedef struct column_job {
    uint32_t *columns;
    mg_splitter by_owners;
    uint64_t stride;
} column_job;

static void columns_to_places(void *what, uint64_t begin, uint64_t end) {
    const column_job *job = what;
    for (uint64_t i = begin; i < end; i++) {
        uint32_t c = job->columns[i], block = mg_split_rest(&job->by_owners, c);
        job->columns[i] = (uint32_t)(block * job->stride + mg_split_whole(&job->by_owners, c));
    }
}

/* Sorts arcs into the rows of a window; `other` is the window of the neighbours. */
static meguri_status make_rows(mg_rows *out, mg_csr *csr, meguri_ctx *ctx, const mg_shards_builder *b,
                               const mg_arc_source *source, uint64_t arcs, bool keep_duplicates, const mg_window *rows,
                               const mg_window *other) {
    const mg_csr_request request = {.source = source,
                                    .vertices = MG_MAX(rows->places, other->places),
                                    .arcs_at_most = arcs,
                                    .keep_loops = true, /* those that are dropped are gone; places are not numbers */
                                    .keep_duplicates = keep_duplicates,
                                    .weight_type = b->source->weights,
                                    .in_memory = true,
                                    .run = "shards"};
    meguri_status status = mg_csr_build(csr, ctx, &request);
    if (status != MEGURI_OK) return status;
    mg_trim(csr->offsets, (rows->places + 1) * csr->offset_bytes);
    if (other->owners.count > 1) {
        column_job job = {csr->neighbors.owned, mg_splitter_of((uint32_t)other->owners.count), other->stride};
        mg_for(ctx, mg_threads(ctx, csr->arcs, GRAIN), csr->arcs, columns_to_places, &job);
    }
    *out = (mg_rows){.rows = rows->places,
                     .arcs = csr->arcs,
                     .offsets32 = csr->offset_bytes == 4 ? csr->offsets : NULL,
                     .offsets64 = csr->offset_bytes == 8 ? csr->offsets : NULL,
                     .neighbors = csr->neighbors.data,
                     .weights = csr->weights.data};
    return MEGURI_OK;
}

/* Loops are stored once where other edges are stored both ways. */
static uint64_t count_loops(const mg_shards *s, const mg_tile *tile) {
    const mg_window *rows = tile->targets, *other = tile->sources;
    uint64_t loops = 0;
    for (uint64_t v = 0; v < tile->in.rows; v++)
        for (uint64_t i = mg_row_offset(&tile->in, v); i < mg_row_offset(&tile->in, v + 1); i++)
            loops += mg_window_number(rows, (uint32_t)s->cluster->size, (uint32_t)v) ==
                     mg_window_number(other, (uint32_t)s->cluster->size, tile->in.neighbors[i]);
    return loops;
}

static meguri_status make_tile(meguri_ctx *ctx, mg_shards_builder *b, int t) {
    mg_shards *s = b->shards;
    mg_tile *tile = &s->tile[t];
    tile->sources = &s->layout.window[s->layout.tile_source[t]];
    tile->targets = &s->layout.window[s->layout.tile_target[t]];
    const arrived source = {.base = {.pieces = (b->arc_count + PIECE_ARCS - 1) / PIECE_ARCS,
                                     .scratch_bytes = BATCH * 24,
                                     .next = next_arrived},
                            .builder = b,
                            .some = s->layout.tiles > 1,
                            .bit = t ? MG_SECOND_TILE : 0};
    meguri_status status = make_rows(&tile->in, &tile->csr[0], ctx, b, &source.base, b->arc_count,
                                     b->source->keep_duplicates, tile->targets, tile->sources);
    if (status != MEGURI_OK) return status;
    b->duplicates += tile->csr[0].dropped_duplicates;
    if (b->source->keep_loops) b->kept_loops += count_loops(s, tile);
    return MEGURI_OK;
}

static meguri_status turn_tile(meguri_ctx *ctx, mg_shards_builder *b, int t) {
    mg_tile *tile = &b->shards->tile[t];
    const turned source = {.base = {.pieces = (tile->in.arcs + PIECE_ARCS - 1) / PIECE_ARCS,
                                    .scratch_bytes = BATCH * 16,
                                    .next = next_turned},
                           .builder = b,
                           .tile = tile,
                           .owners = (uint32_t)tile->targets->owners.count};
    return make_rows(&tile->out, &tile->csr[1], ctx, b, &source.base, tile->in.arcs, true, tile->sources,
                     tile->targets);
}

meguri_status mg_shards_rows(meguri_ctx *ctx, mg_shards_builder *b) {
    mg_shards *s = b->shards;
    meguri_status status = MEGURI_OK;
    for (int t = 0; t < s->layout.tiles && status == MEGURI_OK; t++) status = make_tile(ctx, b, t);
    mg_free(b->arcs);
    mg_free(b->arc_weights);
    b->arcs = NULL;
    b->arc_weights = NULL;
    for (int t = 0; t < s->layout.tiles && status == MEGURI_OK; t++) {
        mg_tile *tile = &s->tile[t];
        if (!s->directed && tile->sources == tile->targets) tile->out = tile->in;
        else if (!s->directed && s->layout.pairs) tile->out = s->tile[1 - t].in;
        else status = turn_tile(ctx, b, t);
    }
    return mg_agree(ctx, s->cluster, status);
}
