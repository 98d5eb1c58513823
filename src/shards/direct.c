/* The rows of a .meg file that lies in falling order of degree, straight into tiles.
 *
 * Where owners are by degree the file's numbers are those of all processes, and a row of an undirected graph has the
 * arcs of a vertex in both directions: so the rows of a tile are rows of the file, of the vertices of one window, less
 * what is not in the other. Nothing is sorted, as order is kept, and nothing is sent. A process reads the rows of its
 * grid's row and column instead of an equal share; on one machine, where all map the same memory, that is far less
 * than sending and sorting (mg_policy_take_rows).
 *
 * Invariant: every process has checked its share of the arcs before anyone reads those of others. */
#include "shards/direct.h"

enum { GRAIN = 4096, PIECE = 1024 };

typedef struct taking {
    meguri_ctx *ctx;
    const mg_file_rows *from;
    const mg_window *rows, *others;
    uint32_t *bases; /* by process: where its block of `others` begins; MG_NO_VERTEX: it has none */
    bool all;        /* everybody has one */
    mg_splitter by_size;
    mg_turned *out;
    uint64_t *offsets; /* lengths, then sums */
} taking;

/* The arcs of the file that a row is taken from. */
static mg_range arcs_of(const taking *t, uint64_t place) {
    uint64_t block = place / t->rows->stride, local = place % t->rows->stride;
    uint64_t number = local * t->by_size.by + (uint64_t)t->rows->owners.ranks[block];
    if (number >= t->from->rows.rows) return (mg_range){0, 0};
    return (mg_range){mg_row_offset(&t->from->rows, number), mg_row_offset(&t->from->rows, number + 1)};
}

static void count_rows(void *what, uint64_t begin, uint64_t end) {
    const taking *t = what;
    const uint32_t *neighbors = t->from->rows.neighbors;
    for (uint64_t place = begin; place < end; place++) {
        mg_range arcs = arcs_of(t, place);
        uint64_t count = t->all ? arcs.end - arcs.begin : 0;
        for (uint64_t i = arcs.begin; i < arcs.end && !t->all; i++)
            count += t->bases[mg_split_rest(&t->by_size, neighbors[i])] != MG_NO_VERTEX;
        t->offsets[place] = count;
    }
}

/* Some arcs of the file that lie side by side: places in `others`, and which of the arcs they are. Returns how many.
 * Without a branch: it could not be predicted. */
static uint64_t translate(const taking *t, uint32_t *places, uint32_t *which, uint64_t first, uint64_t count) {
    const uint32_t *neighbors = t->from->rows.neighbors + first;
    uint64_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t local = mg_split_whole(&t->by_size, neighbors[i]);
        uint32_t base = t->bases[neighbors[i] - local * t->by_size.by];
        places[kept] = base + (uint32_t)local;
        which[kept] = i;
        kept += base != MG_NO_VERTEX;
    }
    return kept;
}

static void take_weights(const taking *t, uint64_t to, uint64_t first, const uint32_t *which, uint64_t count) {
    const mg_file_rows *f = t->from;
    for (uint64_t i = 0; i < count; i++) {
        double weight = mg_weight_at(f->rows.weights, f->file_weights, first + which[i]);
        if (f->weights == MEGURI_TYPE_U32) ((uint32_t *)t->out->weights)[to + i] = (uint32_t)weight;
        if (f->weights == MEGURI_TYPE_F32) ((float *)t->out->weights)[to + i] = (float)weight;
        if (f->weights == MEGURI_TYPE_F64) ((double *)t->out->weights)[to + i] = weight;
    }
}

static void fill_rows(void *what, uint64_t begin, uint64_t end) {
    const taking *t = what;
    uint32_t places[PIECE], which[PIECE];
    for (uint64_t place = begin; place < end; place++) {
        mg_range arcs = arcs_of(t, place);
        uint64_t to = t->offsets[place];
        for (uint64_t first = arcs.begin; first < arcs.end; first += PIECE) {
            uint64_t kept = translate(t, places, which, first, MG_MIN(arcs.end - first, (uint64_t)PIECE));
            memcpy(t->out->neighbors + to, places, kept * sizeof *places);
            if (t->from->weights != MEGURI_TYPE_NONE) take_weights(t, to, first, which, kept);
            to += kept;
        }
    }
}

/* Offsets of 32 bits where they fit; the others are given up. */
static meguri_status narrow_offsets(taking *t) {
    uint64_t rows = t->rows->places;
    t->out->offset_bytes = t->out->arcs <= UINT32_MAX ? 4 : 8;
    t->out->offsets = t->offsets;
    t->offsets = NULL;
    if (t->out->offset_bytes == 8) return MEGURI_OK;
    for (uint64_t row = 0; row <= rows; row++) { /* in place, behind what is read */
        uint64_t offset;
        memcpy(&offset, (const char *)t->out->offsets + 8 * row, 8);
        memcpy((char *)t->out->offsets + 4 * row, &(uint32_t){(uint32_t)offset}, 4);
    }
    mg_trim(t->out->offsets, (rows + 1) * 4);
    return MEGURI_OK;
}

static meguri_status make_room(taking *t, const mg_layout *l) {
    uint64_t rows = t->rows->places, members = 0;
    t->bases = mg_alloc_array(t->ctx, (uint64_t)l->size, sizeof *t->bases, "rows of a graph");
    t->offsets = mg_alloc_array(t->ctx, rows + 1, sizeof *t->offsets, "rows of a graph");
    if (!t->bases || !t->offsets) return MEGURI_NO_MEMORY;
    for (int p = 0; p < l->size; p++) t->bases[p] = MG_NO_VERTEX;
    for (int b = 0; b < t->others->owners.count; b++, members++)
        t->bases[t->others->owners.ranks[b]] = mg_local((uint64_t)b * t->others->stride);
    t->all = members == (uint64_t)l->size;
    return MEGURI_OK;
}

static meguri_status take_rows(mg_turned *out, meguri_ctx *ctx, const mg_layout *l, const mg_file_rows *from,
                               const mg_window *rows, const mg_window *others) {
    *out = (mg_turned){0};
    taking t = {.ctx = ctx,
                .from = from,
                .rows = rows,
                .others = others,
                .by_size = mg_splitter_of((uint32_t)l->size),
                .out = out};
    double since = mg_now();
    int threads = mg_threads(ctx, from->rows.arcs, GRAIN);
    meguri_status status = make_room(&t, l);
    if (status == MEGURI_OK) {
        mg_for(ctx, threads, rows->places, count_rows, &t);
        for (uint64_t place = 0, sum = 0; place <= rows->places; place++) {
            uint64_t length = place < rows->places ? t.offsets[place] : 0;
            t.offsets[place] = sum;
            out->arcs = sum += length;
        }
        out->neighbors = mg_alloc_array(ctx, out->arcs, sizeof *out->neighbors, "arcs of a graph");
        out->weights = mg_alloc_array(ctx, out->arcs, meguri_type_bytes(from->weights), "weights of a graph");
        if (!out->neighbors || !out->weights) status = MEGURI_NO_MEMORY;
    }
    if (status == MEGURI_OK) {
        mg_for(ctx, threads, rows->places, fill_rows, &t);
        status = narrow_offsets(&t);
    }
    if (status == MEGURI_OK && mg_progress(ctx, "rows of a graph", 0, 0)) status = mg_fail_cancelled(ctx);
    mg_trace_phase(ctx, "shards", "take", (int64_t)out->arcs, -1, since);
    mg_free(t.bases);
    mg_free(t.offsets);
    if (status != MEGURI_OK) mg_turned_free(out);
    return status;
}

meguri_status mg_shards_take_rows(meguri_ctx *ctx, mg_shards *s, const mg_file_rows *from) {
    const mg_layout *l = &s->layout;
    meguri_status status = MEGURI_OK;
    bool weighted = from->weights != MEGURI_TYPE_NONE;
    for (int i = 0; i < l->tiles && status == MEGURI_OK; i++) {
        mg_tile *tile = &s->tile[i];
        tile->sources = &l->window[l->tile_source[i]];
        tile->targets = &l->window[l->tile_target[i]];
        status = take_rows(&tile->memory[0], ctx, l, from, tile->targets, tile->sources);
        tile->in = mg_turned_rows(&tile->memory[0], tile->targets->places, weighted);
    }
    for (int i = 0; i < l->tiles && status == MEGURI_OK; i++) {
        mg_tile *tile = &s->tile[i];
        if (tile->sources == tile->targets) tile->out = tile->in;
        else if (l->pairs) tile->out = s->tile[1 - i].in;
        else {
            status = take_rows(&tile->memory[1], ctx, l, from, tile->sources, tile->targets);
            tile->out = mg_turned_rows(&tile->memory[1], tile->sources->places, weighted);
        }
    }
    return mg_agree(ctx, s->cluster, status);
}
