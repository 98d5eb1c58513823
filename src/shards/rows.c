/* The arcs of a process as rows: by target for pulls, by source for pushes, each with the smallest numbers first: hubs,
 * where ownership is by degree.
 *
 * Arcs that arrive are sorted by target (streams.c), with the sources of a row in order, and turned from there
 * (turn.c): by source, where now targets are in order. Numbers go through a window one of each owner in turn, places
 * one owner after another: so rows are visited in the order of *columns*, local number times owners plus owner. Where
 * both windows of a symmetric matrix are the same, or the other tile of a pair is the transpose of this one, the rows
 * of one way are those of the other. Elsewhere rows by source are made when somebody needs them: a graph that is only
 * saved, or ranked, never has them. */
#include "shards/build.h"
#include "shards/turn.h"

/* ---- rows to turn ----------------------------------------------------------------------------------------------- */

/* Rows of a window, visited in the order of columns, as arcs from their neighbours. */
typedef struct rows_turned {
    mg_arcs base;
    mg_rows rows;
    mg_splitter owners; /* of the window */
    uint64_t stride;    /* of its blocks */
    uint64_t *before;   /* by local number / EVERY, arcs of all rows before it */
    size_t weight_bytes;
} rows_turned;

enum { EVERY = 64, GRAIN = 65536 };

/* The row that is visited at this turn. */
static inline uint64_t row_of(const rows_turned *r, uint64_t column) {
    return mg_split_rest(&r->owners, (uint32_t)column) * r->stride + mg_split_whole(&r->owners, (uint32_t)column);
}

static uint64_t next_turned(const mg_arcs *self, mg_arc_cursor *cursor, uint64_t *batch, void *weights) {
    const rows_turned *r = (const rows_turned *)self;
    size_t bytes = r->weight_bytes;
    uint64_t n = 0;
    while (n < MG_TURN_BATCH && cursor->arc < cursor->end) {
        uint64_t row = row_of(r, cursor->row), end = mg_row_offset(&r->rows, row + 1);
        uint64_t from = mg_row_offset(&r->rows, row) + cursor->skipped;
        uint64_t most = MG_MIN(MG_MIN(end - from, MG_TURN_BATCH - n), cursor->end - cursor->arc);
        for (uint64_t i = 0; i < most; i++) batch[n + i] = (uint64_t)r->rows.neighbors[from + i] << 32 | row;
        if (weights && bytes)
            memcpy((char *)weights + n * bytes, (const char *)r->rows.weights + from * bytes, most * bytes);
        n += most;
        cursor->arc += most;
        cursor->skipped += most;
        if (from + most < end) continue;
        cursor->row++;
        cursor->skipped = 0;
    }
    return n;
}

/* Puts a cursor at an arc, counted in the order in which rows are visited. */
static void begin_turned(const mg_arcs *self, mg_arc_cursor *cursor) {
    const rows_turned *r = (const rows_turned *)self;
    uint64_t arc = cursor->arc, low = 0, high = r->rows.rows / r->owners.by / EVERY, seen;
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (r->before[middle] <= arc) low = middle;
        else high = middle;
    }
    seen = r->before[low];
    for (cursor->row = low * EVERY * r->owners.by;; cursor->row++) {
        uint64_t row = row_of(r, cursor->row), length = mg_row_offset(&r->rows, row + 1) - mg_row_offset(&r->rows, row);
        if (seen + length > arc) break;
        seen += length;
    }
    cursor->skipped = arc - seen;
}

static meguri_status find_places(rows_turned *r, meguri_ctx *ctx) {
    uint64_t columns = r->rows.rows, group = (uint64_t)EVERY * r->owners.by, seen = 0;
    r->before = mg_alloc_array(ctx, columns / group + 2, sizeof *r->before, "rows of a graph");
    if (!r->before) return MEGURI_NO_MEMORY;
    for (uint64_t column = 0; column < columns; column++) {
        uint64_t row = row_of(r, column);
        if (column % group == 0) r->before[column / group] = seen;
        seen += mg_row_offset(&r->rows, row + 1) - mg_row_offset(&r->rows, row);
    }
    return MEGURI_OK;
}

/* Rows of `window`, into rows of its neighbours. */
static meguri_status turn_rows(mg_turned *out, meguri_ctx *ctx, size_t weight_bytes, const mg_rows *rows,
                               const mg_window *window, const mg_turn_request *request) {
    rows_turned r = {.base = {.count = rows->arcs, .next = next_turned, .begin = begin_turned},
                     .rows = *rows,
                     .owners = mg_splitter_of((uint32_t)window->owners.count),
                     .stride = window->stride,
                     .weight_bytes = weight_bytes};
    meguri_status status = find_places(&r, ctx);
    if (status == MEGURI_OK) status = mg_turn(out, ctx, &r.base, request);
    mg_free(r.before);
    return status;
}

/* ---- tiles ------------------------------------------------------------------------------------------------------ */

/* Loops are stored once where other edges are stored both ways. */
typedef struct loop_count {
    const mg_tile *tile;
    uint32_t size;
} loop_count;

static uint64_t count_loops(const void *what, uint64_t begin, uint64_t end) {
    const loop_count *c = what;
    const mg_tile *tile = c->tile;
    uint64_t loops = 0;
    for (uint64_t v = begin; v < end; v++)
        for (uint64_t i = mg_row_offset(&tile->in, v); i < mg_row_offset(&tile->in, v + 1); i++)
            loops += mg_window_number(tile->targets, c->size, (uint32_t)v) ==
                     mg_window_number(tile->sources, c->size, tile->in.neighbors[i]);
    return loops;
}

static meguri_status make_tile(meguri_ctx *ctx, mg_shards_builder *b, int t) {
    mg_shards *s = b->shards;
    mg_tile *tile = &s->tile[t];
    uint64_t all = b->streams.tile[t].begins[b->streams.each];
    tile->sources = &s->layout.window[s->layout.tile_source[t]];
    tile->targets = &s->layout.window[s->layout.tile_target[t]];
    uint64_t no_sum;
    meguri_status status = mg_streams_rows(&tile->memory[0], &no_sum, ctx, b, t);
    if (status != MEGURI_OK) return status;
    mg_shards_note_no_sum(s, tile, no_sum);
    tile->in = mg_turned_rows(&tile->memory[0], tile->targets->places, s->weight_type);
    b->duplicates += all - tile->in.arcs;
    const loop_count loops = {tile, (uint32_t)s->cluster->size};
    if (b->source->keep_loops)
        b->kept_loops += mg_sum_over(ctx, mg_threads(ctx, tile->in.arcs, GRAIN), tile->in.rows, count_loops, &loops);
    return MEGURI_OK;
}

static meguri_status turn_tile(meguri_ctx *ctx, mg_shards *s, int t) {
    mg_tile *tile = &s->tile[t];
    const mg_turn_request request = {
        .rows = tile->sources->places, .neighbors = tile->targets->places, .weights = s->weight_type};
    meguri_status status =
        turn_rows(&tile->memory[1], ctx, meguri_type_bytes(s->weight_type), &tile->in, tile->targets, &request);
    if (status == MEGURI_OK) tile->out = mg_turned_rows(&tile->memory[1], request.rows, request.weights);
    else mg_turned_free(&tile->memory[1]);
    return status;
}

meguri_status mg_shards_rows(meguri_ctx *ctx, mg_shards_builder *b) {
    mg_shards *s = b->shards;
    meguri_status status = MEGURI_OK;
    for (int t = 0; t < s->layout.tiles && status == MEGURI_OK; t++) status = make_tile(ctx, b, t);
    mg_streams_free(&b->streams);
    for (int t = 0; t < s->layout.tiles && status == MEGURI_OK && !s->directed; t++) {
        mg_tile *tile = &s->tile[t];
        if (tile->sources == tile->targets) tile->out = tile->in;
        else if (s->layout.pairs) tile->out = s->tile[1 - t].in;
    }
    return mg_agree(ctx, s->cluster, status);
}

meguri_status mg_shards_both_ways(meguri_ctx *ctx, mg_shards *s) {
    meguri_status status = MEGURI_OK;
    for (int t = 0; t < s->layout.tiles && status == MEGURI_OK; t++)
        if (!mg_tile_both_ways(&s->tile[t])) status = turn_tile(ctx, s, t);
    return mg_agree(ctx, s->cluster, status);
}
