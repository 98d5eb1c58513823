/* The arcs of a process as rows: by target for pulls, by source for pushes, each with the smallest numbers first: hubs,
 * where ownership is by degree.
 *
 * Arcs arrive in no order. They are turned three times (turn.c): by source; by target, which puts the sources of a row
 * in order, and parallel edges side by side, so that they can be merged; by source again, where now targets are in
 * order. Numbers go through a window one of each owner in turn, places one owner after another: so rows are visited in
 * the order of *columns*, local number times owners plus owner. Where both windows of a symmetric matrix are the same,
 * or the other tile of a pair is the transpose of this one, the rows of one way are those of the other. */
#include "shards/build.h"
#include "shards/turn.h"

/* ---- arcs to turn ----------------------------------------------------------------------------------------------- */

/* The arcs of one tile as they arrived, by the column of the source. */
typedef struct arrived {
    mg_arcs base;
    mg_shards_builder *builder;
    bool last;          /* nobody needs them after this */
    bool some;          /* those of another tile are among them */
    uint32_t bit;       /* MG_SECOND_TILE or 0 */
    mg_splitter owners; /* of sources, and how long their blocks are */
    uint64_t stride;
} arrived;

static uint64_t next_arrived(const mg_arcs *self, mg_arc_cursor *cursor, uint64_t *batch, void *weights) {
    const arrived *a = (const arrived *)self;
    const mg_shards_builder *b = a->builder;
    size_t bytes = b->weight_bytes;
    uint64_t n = 0;
    for (; n < MG_TURN_BATCH && cursor->arc < cursor->end; cursor->arc++) {
        const uint32_t *arc = b->arcs + 2 * cursor->arc;
        if (a->some && (arc[0] & MG_SECOND_TILE) != a->bit) continue;
        batch[n] = (uint64_t)arc[1] << 32 | (a->some ? arc[0] & ~MG_SECOND_TILE : arc[0]);
        if (weights && bytes) memcpy((char *)weights + n * bytes, b->arc_weights + cursor->arc * bytes, bytes);
        n++;
    }
    return n;
}

/* The same, which came in the order of their sources, by the place of the target. */
static uint64_t next_in_order(const mg_arcs *self, mg_arc_cursor *cursor, uint64_t *batch, void *weights) {
    const arrived *a = (const arrived *)self;
    uint64_t n = next_arrived(self, cursor, batch, weights);
    for (uint64_t i = 0; i < n; i++) {
        uint32_t column = (uint32_t)(batch[i] >> 32);
        uint64_t source = mg_split_rest(&a->owners, column) * a->stride + mg_split_whole(&a->owners, column);
        batch[i] = batch[i] << 32 | source;
    }
    return n;
}

static void free_arrived(const mg_arcs *self) {
    const arrived *a = (const arrived *)self;
    mg_shards_builder *b = a->builder;
    if (!a->last) return;
    mg_free(b->arcs);
    mg_free(b->arc_weights);
    b->arcs = NULL;
    b->arc_weights = NULL;
}

/* Rows whose order is by column, as arcs from their neighbours. */
typedef struct rows_turned {
    mg_arcs base;
    mg_rows rows;
    bool by_column;     /* rows are columns of the window; else places, visited in the order of columns */
    mg_splitter owners; /* of the window */
    uint64_t stride;    /* of its blocks */
    uint64_t *before;   /* where rows are places: by local number / EVERY, arcs of all rows before it */
    size_t weight_bytes;
} rows_turned;

enum { EVERY = 64 };

/* Where the row that is visited at this turn lies, and the place that it stands for. */
static inline uint64_t place_of(const rows_turned *r, uint64_t column) {
    return mg_split_rest(&r->owners, (uint32_t)column) * r->stride + mg_split_whole(&r->owners, (uint32_t)column);
}

static inline uint64_t row_of(const rows_turned *r, uint64_t column) {
    return r->by_column ? column : place_of(r, column);
}

static uint64_t next_turned(const mg_arcs *self, mg_arc_cursor *cursor, uint64_t *batch, void *weights) {
    const rows_turned *r = (const rows_turned *)self;
    size_t bytes = r->weight_bytes;
    uint64_t n = 0;
    while (n < MG_TURN_BATCH && cursor->arc < cursor->end) {
        uint64_t row = row_of(r, cursor->row), end = mg_row_offset(&r->rows, row + 1);
        uint64_t from = mg_row_offset(&r->rows, row) + cursor->skipped;
        uint64_t place = r->by_column ? place_of(r, cursor->row) : row;
        uint64_t most = MG_MIN(MG_MIN(end - from, MG_TURN_BATCH - n), cursor->end - cursor->arc);
        for (uint64_t i = 0; i < most; i++) batch[n + i] = (uint64_t)r->rows.neighbors[from + i] << 32 | place;
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
static meguri_status turn_rows(mg_turned *out, meguri_ctx *ctx, const mg_shards_builder *b, const mg_rows *rows,
                               const mg_window *window, bool by_column, const mg_turn_request *request) {
    rows_turned r = {.base = {.count = rows->arcs, .next = next_turned, .begin = begin_turned},
                     .rows = *rows,
                     .by_column = by_column,
                     .owners = mg_splitter_of((uint32_t)window->owners.count),
                     .stride = window->stride,
                     .weight_bytes = b->weight_bytes};
    meguri_status status = find_places(&r, ctx);
    if (status == MEGURI_OK) status = mg_turn(out, ctx, &r.base, request);
    mg_free(r.before);
    return status;
}

/* ---- tiles ------------------------------------------------------------------------------------------------------ */

/* Loops are stored once where other edges are stored both ways. */
static uint64_t count_loops(const mg_shards *s, const mg_tile *tile) {
    const mg_window *rows = tile->targets, *other = tile->sources;
    uint32_t size = (uint32_t)s->cluster->size;
    uint64_t loops = 0;
    for (uint64_t v = 0; v < tile->in.rows; v++)
        for (uint64_t i = mg_row_offset(&tile->in, v); i < mg_row_offset(&tile->in, v + 1); i++)
            loops += mg_window_number(rows, size, (uint32_t)v) == mg_window_number(other, size, tile->in.neighbors[i]);
    return loops;
}

/* By source, and then by target; the first is done already where arcs come in order. *all are how many there were. */
static meguri_status sort_arrived(mg_tile *tile, meguri_ctx *ctx, const mg_shards_builder *b, const arrived *source,
                                  const mg_turn_request *request, uint64_t *all) {
    mg_turned by_source;
    *all = source->base.count;
    if (b->source->in_order && !source->some) return mg_turn(&tile->memory[0], ctx, &source->base, request);
    const mg_turn_request first = {.rows = tile->sources->places, .weights = request->weights};
    meguri_status status = mg_turn(&by_source, ctx, &source->base, &first);
    if (status != MEGURI_OK) return status;
    mg_rows rows = mg_turned_rows(&by_source, first.rows, first.weights);
    *all = rows.arcs;
    status = turn_rows(&tile->memory[0], ctx, b, &rows, tile->sources, true, request);
    mg_turned_free(&by_source);
    return status;
}

static meguri_status make_tile(meguri_ctx *ctx, mg_shards_builder *b, int t) {
    mg_shards *s = b->shards;
    mg_tile *tile = &s->tile[t];
    uint64_t all;
    bool some = s->layout.tiles > 1;
    meguri_weight_type weights = b->source->weights;
    tile->sources = &s->layout.window[s->layout.tile_source[t]];
    tile->targets = &s->layout.window[s->layout.tile_target[t]];
    const arrived source = {.base = {.count = b->arc_count,
                                     .next = b->source->in_order && !some ? next_in_order : next_arrived,
                                     .consumed = free_arrived},
                            .builder = b,
                            .last = t + 1 == s->layout.tiles,
                            .some = some,
                            .bit = t ? MG_SECOND_TILE : 0,
                            .owners = mg_splitter_of(s->layout.source_owners),
                            .stride = tile->sources->stride};
    const mg_turn_request request = {
        .rows = tile->targets->places, .weights = weights, .in_order = true, .merge = !b->source->keep_duplicates};
    meguri_status status = sort_arrived(tile, ctx, b, &source, &request, &all);
    if (status != MEGURI_OK) return status;
    tile->in = mg_turned_rows(&tile->memory[0], request.rows, weights);
    b->duplicates += all - tile->in.arcs;
    if (b->source->keep_loops) b->kept_loops += count_loops(s, tile);
    return MEGURI_OK;
}

static meguri_status turn_tile(meguri_ctx *ctx, mg_shards_builder *b, int t) {
    mg_tile *tile = &b->shards->tile[t];
    const mg_turn_request request = {.rows = tile->sources->places, .weights = b->source->weights};
    meguri_status status = turn_rows(&tile->memory[1], ctx, b, &tile->in, tile->targets, false, &request);
    tile->out = mg_turned_rows(&tile->memory[1], request.rows, request.weights);
    return status;
}

meguri_status mg_shards_rows(meguri_ctx *ctx, mg_shards_builder *b) {
    mg_shards *s = b->shards;
    meguri_status status = MEGURI_OK;
    for (int t = 0; t < s->layout.tiles && status == MEGURI_OK; t++) status = make_tile(ctx, b, t);
    for (int t = 0; t < s->layout.tiles && status == MEGURI_OK; t++) {
        mg_tile *tile = &s->tile[t];
        if (!s->directed && tile->sources == tile->targets) tile->out = tile->in;
        else if (!s->directed && s->layout.pairs) tile->out = s->tile[1 - t].in;
        else status = turn_tile(ctx, b, t);
    }
    return mg_agree(ctx, s->cluster, status);
}
