/* Checking the sections of an open .meg file, each once, when it is first used.
 *
 * Two kinds of harm are looked for. Damage: every chunk's XXH3 must be the one in the section's list, and the list's
 * must be the one in the table. Malice or a bug elsewhere, behind valid hashes: no number in a section may lead a
 * reader astray, outside an array or round in circles. docs/meg-format.md has the list of what is checked when. Both
 * are done chunk by chunk while the chunk is in the cache, by all threads; what spans chunks (order across their
 * borders, first and last element, the two maps being inverse) comes after.
 *
 * Invariant: a bit in file->checked is set only after the hash and the bounds of that chunk were right, and
 * whole_checked of a part only after everything else about it was. Several threads may check one chunk at the same
 * time; they come to the same result. */
#define _GNU_SOURCE
#include "io/meg.h"

#include <inttypes.h>
#include <sys/mman.h>
#include <xxhash.h>

#define READ_AHEAD 16u /* chunks asked for before they are needed */

static meguri_status damaged(meguri_ctx *ctx, const mg_meg_file *file, const meguri_graph *g, mg_part part,
                             const char *what) {
    return mg_fail(ctx, MEGURI_BAD_INPUT, MG_MEG_DAMAGED "its %s %s" MG_MEG_DAMAGED_ADVICE, file->path,
                   mg_meg_part_name(g, part), what);
}

static bool is_checked(const mg_meg_file *file, uint64_t bit) {
    return __atomic_load_n(&file->checked[bit / 64], __ATOMIC_ACQUIRE) >> (bit % 64) & 1;
}

static void set_checked(mg_meg_file *file, uint64_t bit) {
    __atomic_fetch_or(&file->checked[bit / 64], (uint64_t)1 << (bit % 64), __ATOMIC_RELEASE);
}

/* ---- bounds of the numbers inside one chunk --------------------------------------------------------------------- */

static bool all_below(const uint32_t *x, uint64_t count, uint64_t limit) {
    uint32_t max = 0;
    for (uint64_t i = 0; i < count; i++) max = MG_MAX(max, x[i]);
    return count == 0 || max < limit;
}

static bool all_below_or_none(const uint32_t *x, uint64_t count, uint64_t limit) {
    bool bad = false;
    for (uint64_t i = 0; i < count; i++) bad |= x[i] >= limit && x[i] != MG_NO_VERTEX;
    return !bad;
}

static bool rising32(const uint32_t *x, uint64_t count, uint64_t end) {
    bool bad = false;
    for (uint64_t i = 1; i < count; i++) bad |= x[i] < x[i - 1];
    return !bad && (count == 0 || x[count - 1] <= end);
}

static bool rising64(const uint64_t *x, uint64_t count, uint64_t end) {
    bool bad = false;
    for (uint64_t i = 1; i < count; i++) bad |= x[i] < x[i - 1];
    return !bad && (count == 0 || x[count - 1] <= end);
}

static bool ids_increase(const uint64_t *x, uint64_t count, bool are_signed) {
    const uint64_t flip = are_signed ? (uint64_t)1 << 63 : 0; /* signed order is unsigned order with this bit turned */
    bool bad = false;
    for (uint64_t i = 1; i < count; i++) bad |= (x[i] ^ flip) <= (x[i - 1] ^ flip);
    return !bad;
}

static bool no_nan32(const float *x, uint64_t count) {
    bool bad = false;
    for (uint64_t i = 0; i < count; i++) bad |= x[i] != x[i];
    return !bad;
}

static bool no_nan64(const double *x, uint64_t count) {
    bool bad = false;
    for (uint64_t i = 0; i < count; i++) bad |= x[i] != x[i];
    return !bad;
}

static bool weights_valid(const void *data, uint64_t bytes, meguri_type type) {
    if (type == MEGURI_TYPE_F32) return no_nan32(data, bytes / 4);
    if (type == MEGURI_TYPE_F64) return no_nan64(data, bytes / 8);
    return true;
}

static bool offsets_valid(const void *data, uint64_t bytes, const meguri_graph *g) {
    return g->offset_bytes == 4 ? rising32(data, bytes / 4, g->arcs) : rising64(data, bytes / 8, g->arcs);
}

/* Values that have names are below their number, and vertices below theirs; the columns were looked at before. */
static bool values_valid(const meguri_graph *g, mg_part part, const void *data, uint64_t bytes) {
    mg_column_place place;
    mg_part_is_column(&place, g, part);
    const mg_column *what = (const mg_column *)g->part[mg_columns_part(place.set)].data + place.column;
    size_t size = meguri_type_bytes(mg_code_type(what->code));
    uint64_t most = what->labels ? what->labels - UINT64_C(1) : UINT64_MAX;
    bool bad = false, vertices = mg_code_type(what->code) == MEGURI_TYPE_VERTEX;
    if (place.piece == MG_COLUMN_VALIDITY) return true;
    if (mg_code_type(what->code) == MEGURI_TYPE_BOOLEAN) most = 1;
    if (vertices) most = g->vertices ? g->vertices - 1 : 0;
    for (uint64_t i = 0; most < UINT64_MAX && i < bytes / size; i++) {
        uint64_t value = mg_value_whole(data, size, i);
        bad |= value > most && !(vertices && value == UINT64_MAX);
    }
    return !bad;
}

/* Whether a stretch of whole elements of a part is right by itself. */
static bool stretch_valid(const meguri_graph *g, mg_part part, const void *data, uint64_t bytes) {
    switch (part) {
    case MG_PART_IN_OFFSETS:
    case MG_PART_OFFSETS: return offsets_valid(data, bytes, g);
    case MG_PART_IN_WEIGHTS:
    case MG_PART_WEIGHTS: return weights_valid(data, bytes, g->weight_type);
    case MG_PART_IN_NEIGHBORS:
    case MG_PART_NEIGHBORS: return all_below(data, bytes / 4, g->rows);
    case MG_PART_INDEX_HEIGHTS:
    case MG_PART_TO_USER:
    case MG_PART_TO_INTERNAL: return all_below(data, bytes / 4, g->vertices);
    case MG_PART_IDS: return ids_increase(data, bytes / 8, g->id_kind == MEGURI_ID_SIGNED);
    case MG_PART_NAME_OFFSETS: return rising64(data, bytes / 8, g->part[MG_PART_NAMES].bytes);
    case MG_PART_NAME_INDEX: return all_below_or_none(data, bytes / 4, g->vertices);
    case MG_PART_INDEX_ROWS: return rising32(data, bytes / 4, g->part[MG_PART_INDEX_HALVES].bytes / 16);
    case MG_PART_NAMES:
    case MG_PART_COORDINATES:
    case MG_PART_INDEX_FACTS:
    case MG_PART_INDEX_EDGES: /* these three as a whole */
    case MG_PART_INDEX_HALVES:
    case MG_PART_COLUMNS: /* and these two */
    case MG_PART_COLUMN_TEXTS:
    case MG_PART_VERTEX_COLUMNS:
    case MG_PART_VERTEX_TEXTS:
    case MG_PART_GENERATION:
    case MG_PART_IN_ARCS: break; /* and these four */
    default: return values_valid(g, part, data, bytes);
    }
    return true;
}

/* ---- order within rows ------------------------------------------------------------------------------------------ */

static uint64_t offset_at(const mg_meg_section *s, uint32_t item, uint64_t i) {
    return item == 8 ? ((const uint64_t *)(const void *)s->data)[i] : ((const uint32_t *)(const void *)s->data)[i];
}

/* The first row that begins at this arc or behind it. */
static uint64_t first_row_from(const mg_meg_section *offsets, uint32_t item, uint64_t rows, uint64_t arc) {
    uint64_t low = 0, high = rows;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (offset_at(offsets, item, middle) < arc) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* Whether the neighbours [first, first + count) increase within each row, whose offsets are known to be right; notes
 * whether some are equal. There are many arcs and few rows: steps down are counted as they come, without a look at
 * where rows begin, and then those where one begins, which are allowed. */
static bool rows_sorted(mg_meg_file *file, const meguri_graph *g, mg_part neighbors, uint64_t first, uint64_t count) {
    const mg_meg_section *offsets = &file->section[neighbors - 1];
    const uint32_t *x = (const uint32_t *)(const void *)file->section[neighbors].data;
    uint64_t begin = MG_MAX(first, 1u), end = first + count, last = 0;
    uint32_t down = 0, same = 0;
    for (uint64_t i = begin; i < end; i++) {
        down += x[i] < x[i - 1];
        same += x[i] == x[i - 1];
    }
    for (uint64_t row = first_row_from(offsets, g->offset_bytes, g->rows, begin); row < g->rows; row++) {
        uint64_t at = offset_at(offsets, g->offset_bytes, row);
        if (at >= end) break;
        if (at == last) continue; /* the row before it is empty */
        last = at;
        down -= x[at] < x[at - 1];
        same -= x[at] == x[at - 1];
    }
    if (same) mg_store(&file->parallel, true);
    return !down;
}

/* ---- chunks ----------------------------------------------------------------------------------------------------- */

static meguri_status check_list(meguri_ctx *ctx, const mg_meg_file *file, const meguri_graph *g, mg_meg_section *s,
                                mg_part part) {
    if (__atomic_load_n(&s->list_checked, __ATOMIC_ACQUIRE)) return MEGURI_OK;
    if (XXH3_64bits(s->list, s->chunks * 8) != s->list_hash)
        return damaged(ctx, file, g, part, "have a list of checksums that is itself wrong");
    __atomic_store_n(&s->list_checked, true, __ATOMIC_RELEASE);
    return MEGURI_OK;
}

/* Hash and bounds. */
static meguri_status check_chunk(meguri_ctx *ctx, mg_meg_file *file, const meguri_graph *g, mg_part part,
                                 uint64_t chunk) {
    const mg_meg_section *s = &file->section[part];
    if (is_checked(file, s->first_chunk + chunk)) return MEGURI_OK;
    uint64_t size = (uint64_t)1 << file->chunk_log2, at = chunk << file->chunk_log2;
    uint64_t bytes = MG_MIN(size, s->bytes - at), hash;
    uint64_t ahead = at + READ_AHEAD * size;
    if (ahead < s->bytes) madvise((void *)(uintptr_t)(s->data + ahead), MG_MIN(size, s->bytes - ahead), MADV_WILLNEED);
    memcpy(&hash, s->list + chunk * 8, 8);
    if (XXH3_64bits(s->data + at, bytes) != hash)
        return mg_fail(ctx, MEGURI_BAD_INPUT,
                       MG_MEG_DAMAGED "its %s do not match their checksum between the bytes %" PRIu64 " and %" PRIu64
                                      " of the file" MG_MEG_DAMAGED_ADVICE,
                       file->path, mg_meg_part_name(g, part), s->offset + at, s->offset + at + bytes);
    if (!stretch_valid(g, part, s->data + at, bytes))
        return damaged(ctx, file, g, part, "hold numbers that cannot be right");
    set_checked(file, s->first_chunk + chunk);
    return MEGURI_OK;
}

/* The order within the rows of a chunk, while it is in the cache. */
static meguri_status check_order(meguri_ctx *ctx, mg_meg_file *file, const meguri_graph *g, mg_part neighbors,
                                 uint64_t chunk) {
    uint64_t size = (uint64_t)1 << (file->chunk_log2 - 2), first = chunk * size;
    if (rows_sorted(file, g, neighbors, first, MG_MIN(size, g->arcs - first))) return MEGURI_OK;
    return damaged(ctx, file, g, neighbors, "are out of order within a row");
}

/* Chunks from `first` on; `rows`: also the order within rows, of neighbours. */
typedef struct chunk_job {
    mg_meg_file *file;
    const meguri_graph *graph;
    mg_part part;
    uint64_t first;
    bool rows;
} chunk_job;

static void check_some_chunks(void *what, mg_worker *worker) {
    const chunk_job *j = what;
    meguri_ctx *ctx = worker->loop->ctx;
    for (mg_range chunk; mg_take(worker, &chunk);) {
        meguri_status status = check_chunk(ctx, j->file, j->graph, j->part, j->first + chunk.begin);
        if (status == MEGURI_OK && j->rows)
            status = check_order(ctx, j->file, j->graph, j->part, j->first + chunk.begin);
        mg_loop_fail(worker, status);
    }
}

/* Chunks [first, end) and the order across the borders between them; `rows`: also within rows, of neighbours. */
static meguri_status check_chunks(meguri_ctx *ctx, mg_meg_file *file, const meguri_graph *g, mg_part part,
                                  uint64_t first, uint64_t end, bool rows) {
    mg_meg_section *s = &file->section[part];
    meguri_status status = check_list(ctx, file, g, s, part);
    if (status != MEGURI_OK) return status;
    chunk_job job = {file, g, part, first, rows};
    mg_loop loop = {.ctx = ctx,
                    .threads = mg_threads(ctx, end - first, 4),
                    .items = end - first,
                    .chunk = 1,
                    .work = check_some_chunks,
                    .what = &job,
                    .phase = "check",
                    .total = end - first};
    status = mg_loop_run(&loop);
    if (status != MEGURI_OK) return status;
    uint32_t item = mg_meg_element_bytes(g, part);
    for (uint64_t chunk = first + 1; chunk < end; chunk++)
        if (!stretch_valid(g, part, s->data + (chunk << file->chunk_log2) - item, 2 * (uint64_t)item))
            return damaged(ctx, file, g, part, "are out of order");
    return MEGURI_OK;
}

/* ---- what only the whole part can show -------------------------------------------------------------------------- */

static bool spans(const mg_meg_section *s, uint32_t item, uint64_t end) {
    return s->bytes == 0 || (offset_at(s, item, 0) == 0 && offset_at(s, item, s->bytes / item - 1) == end);
}

/* What the threads of a loop over a whole part look at. */
typedef struct whole_job {
    const meguri_graph *graph;
    const mg_meg_section *section;
    mg_part offsets; /* of the rows that are looked at; neighbours and weights follow */
    mg_bitmap *seen;
    const mg_index *index;
    const mg_rows *rows[2];
    bool edges;
    uint64_t wrong;
} whole_job;

static uint64_t count_wrong_degrees(const void *what, uint64_t first, uint64_t last) {
    const whole_job *job = what;
    const mg_meg_section *s = &job->section[MG_PART_OFFSETS];
    uint32_t item = job->graph->offset_bytes;
    uint64_t wrong = 0;
    for (uint64_t v = first; v < last; v++) {
        uint64_t begin = offset_at(s, item, v), end = offset_at(s, item, v + 1);
        bool after_one = v && begin - offset_at(s, item, v - 1) == 1;
        wrong += end == begin || (after_one && end - begin > 1);
    }
    return wrong;
}

/* In the order of degrees, vertices of degree one come last, and those without edges have no row: searches of
 * undirected graphs leave the former out and read their only neighbours as one array. Whether larger degrees fall
 * matters for speed alone. */
static meguri_status check_degrees(meguri_ctx *ctx, const mg_meg_file *file, const meguri_graph *g) {
    if (g->directed || g->order != MEGURI_ORDER_DEGREE) return MEGURI_OK;
    whole_job job = {.graph = g, .section = file->section};
    uint64_t wrong = mg_sum_over(ctx, mg_threads(ctx, g->rows, 1 << 16), g->rows, count_wrong_degrees, &job);
    return wrong ? damaged(ctx, file, g, MG_PART_OFFSETS, "are not in the order of degrees that the header names")
                 : MEGURI_OK;
}

/* A long look, which may be cancelled. */
static meguri_status look_through(meguri_ctx *ctx, whole_job *job, mg_work_fn *work, uint64_t items, uint64_t chunk,
                                  int threads) {
    mg_loop loop = {.ctx = ctx,
                    .threads = threads,
                    .items = items,
                    .chunk = chunk,
                    .work = work,
                    .what = job,
                    .phase = "check",
                    .total = items};
    return mg_loop_run(&loop);
}

static void look_at_parallel(void *what, mg_worker *worker) {
    whole_job *job = what;
    const meguri_graph *g = job->graph;
    const mg_meg_section *s = &job->section[job->offsets];
    const uint32_t *x = (const void *)job->section[job->offsets + 1].data;
    const void *weights = job->section[job->offsets + 2].data;
    uint64_t wrong = 0;
    for (mg_range rows; mg_take(worker, &rows);)
        for (uint64_t v = rows.begin; v < rows.end; v++) {
            uint64_t end = offset_at(s, g->offset_bytes, v + 1);
            for (uint64_t i = offset_at(s, g->offset_bytes, v) + 1; i < end; i++)
                wrong += x[i] == x[i - 1] &&
                         mg_weight_at(weights, g->weight_type, i) < mg_weight_at(weights, g->weight_type, i - 1);
        }
    mg_fetch_add(&job->wrong, wrong);
}

/* Of parallel arcs the lightest comes first. Most graphs have none. */
static meguri_status check_parallel(meguri_ctx *ctx, mg_meg_file *file, const meguri_graph *g, mg_part weights) {
    if (!mg_load(&file->parallel)) return MEGURI_OK;
    whole_job job = {.graph = g, .section = file->section, .offsets = (mg_part)(weights - 2)};
    meguri_status status =
        look_through(ctx, &job, look_at_parallel, g->rows, 1 << 12, mg_threads(ctx, g->arcs, 1 << 16));
    if (status != MEGURI_OK) return status;
    return job.wrong ? damaged(ctx, file, g, weights, "are out of order among parallel arcs") : MEGURI_OK;
}

static uint64_t count_repeated(const void *what, uint64_t begin, uint64_t end) {
    const whole_job *job = what;
    const uint32_t *heights = (const void *)job->section[MG_PART_INDEX_HEIGHTS].data;
    uint64_t repeated = 0;
    for (uint64_t v = begin; v < end; v++) repeated += !mg_bitmap_claim(job->seen, heights[v]);
    return repeated;
}

/* Each height once. */
static meguri_status check_heights(meguri_ctx *ctx, const mg_meg_file *file, const meguri_graph *g) {
    mg_bitmap seen;
    whole_job job = {.graph = g, .section = file->section, .seen = &seen};
    meguri_status status = mg_bitmap_new(&seen, ctx, g->vertices, "the heights of a path index");
    if (status != MEGURI_OK) return status;
    uint64_t wrong = mg_sum_over(ctx, mg_threads(ctx, g->vertices, 1 << 16), g->vertices, count_repeated, &job);
    mg_bitmap_free(&seen);
    return wrong ? damaged(ctx, file, g, MG_PART_INDEX_HEIGHTS, "name a height twice") : MEGURI_OK;
}

static uint64_t count_lost(const void *what, uint64_t begin, uint64_t end) {
    const whole_job *job = what;
    const uint32_t *to_user = (const void *)job->section[MG_PART_TO_USER].data;
    const uint32_t *to_internal = (const void *)job->section[MG_PART_TO_INTERNAL].data;
    uint64_t lost = 0;
    for (uint64_t p = begin; p < end; p++) lost += to_user[to_internal[p]] != p;
    return lost;
}

/* Both maps must be there and right by themselves; then each must undo the other. */
static meguri_status check_inverse(meguri_ctx *ctx, mg_meg_file *file, const meguri_graph *g) {
    static const mg_part maps[2] = {MG_PART_TO_USER, MG_PART_TO_INTERNAL};
    for (int i = 0; i < 2; i++) {
        meguri_status status = check_chunks(ctx, file, g, maps[i], 0, file->section[maps[i]].chunks, false);
        if (status != MEGURI_OK) return status;
    }
    whole_job job = {.graph = g, .section = file->section};
    uint64_t wrong = mg_sum_over(ctx, mg_threads(ctx, g->vertices, 1 << 16), g->vertices, count_lost, &job);
    return wrong ? damaged(ctx, file, g, MG_PART_TO_USER, "does not undo its user-to-internal map") : MEGURI_OK;
}

/* A search in the index ends at an empty slot, so there must be one. */
static bool has_empty_slot(const mg_meg_section *s) {
    const uint32_t *slots = (const void *)s->data;
    for (uint64_t i = 0; i < s->bytes / 4; i++)
        if (slots[i] == MG_NO_VERTEX) return true;
    return false;
}

/* The arrays of a path index as they lie in the file, the small ones checked. */
static meguri_status find_index(mg_index *x, meguri_ctx *ctx, mg_meg_file *file, const meguri_graph *g) {
    static const mg_part small[] = {MG_PART_INDEX_FACTS, MG_PART_INDEX_ROWS};
    const mg_meg_section *s = file->section;
    for (int i = 0; i < 2; i++) {
        meguri_status status = check_chunks(ctx, file, g, small[i], 0, s[small[i]].chunks, false);
        if (status != MEGURI_OK) return status;
    }
    *x = (mg_index){.vertices = g->vertices,
                    .rows = (const void *)s[MG_PART_INDEX_ROWS].data,
                    .halves = (const void *)s[MG_PART_INDEX_HALVES].data};
    memcpy(&x->facts, s[MG_PART_INDEX_FACTS].data, sizeof x->facts);
    uint64_t edges = s[MG_PART_INDEX_HALVES].bytes / 16;
    if (x->facts.edges != edges || !mg_index_facts_valid(x))
        return damaged(ctx, file, g, MG_PART_INDEX_FACTS, "hold numbers that cannot be right");
    if (!spans(&s[MG_PART_INDEX_ROWS], 4, edges))
        return damaged(ctx, file, g, MG_PART_INDEX_ROWS, "begin or end where they must not");
    const void *data = s[MG_PART_INDEX_EDGES].data;
    if (s[MG_PART_INDEX_EDGES].bytes == edges * sizeof *x->narrow) x->narrow = data;
    else x->wide = data;
    return MEGURI_OK;
}

static void look_at_index(void *what, mg_worker *worker) {
    whole_job *job = what;
    meguri_type type = job->graph->weight_type;
    bool real = type == MEGURI_TYPE_F32 || type == MEGURI_TYPE_F64;
    uint64_t wrong = 0;
    for (mg_range c; mg_take(worker, &c);)
        wrong += job->edges ? !mg_index_edges_valid(job->index, real, c.begin, c.end)
                            : !mg_index_halves_valid(job->index, job->graph->arcs, c.begin, c.end);
    mg_fetch_add(&job->wrong, wrong);
}

/* The edges of a path index by its rows, the halves by the numbers of edges and arcs. */
static meguri_status check_index(meguri_ctx *ctx, mg_meg_file *file, const meguri_graph *g, mg_part part) {
    enum { BLOCK = 1 << 14 };
    mg_index x;
    meguri_status status = find_index(&x, ctx, file, g);
    if (status != MEGURI_OK || part == MG_PART_INDEX_FACTS || part == MG_PART_INDEX_ROWS) return status;
    whole_job job = {.graph = g, .index = &x, .edges = part == MG_PART_INDEX_EDGES};
    uint64_t items = job.edges ? g->vertices : 2 * x.facts.edges;
    status = look_through(ctx, &job, look_at_index, items, BLOCK, mg_threads(ctx, items, BLOCK));
    if (status != MEGURI_OK) return status;
    return job.wrong ? damaged(ctx, file, g, part, "hold numbers that cannot be right") : MEGURI_OK;
}

/* What columns are, by their names: both sections are right by themselves first. */
static meguri_status check_columns(meguri_ctx *ctx, mg_meg_file *file, const meguri_graph *g, mg_column_set set) {
    const mg_part both[2] = {mg_columns_part(set), mg_columns_texts(set)};
    for (int i = 0; i < 2; i++) {
        meguri_status status = check_chunks(ctx, file, g, both[i], 0, file->section[both[i]].chunks, false);
        if (status != MEGURI_OK) return status;
    }
    const char *trouble = mg_columns_trouble(g, set);
    return trouble ? damaged(ctx, file, g, both[0], trouble) : MEGURI_OK;
}

static mg_rows rows_at(const mg_meg_file *file, const meguri_graph *g, mg_part offsets) {
    const mg_meg_section *s = &file->section[offsets];
    return (mg_rows){.rows = g->rows,
                     .arcs = g->arcs,
                     .offsets32 = g->offset_bytes == 4 ? (const void *)s->data : NULL,
                     .offsets64 = g->offset_bytes == 8 ? (const void *)s->data : NULL,
                     .neighbors = (const void *)s[1].data,
                     .weights = s[2].data};
}

/* Rows backwards have the arcs of the others: where one is another, the sum over all of them is, too. */
static meguri_status check_backwards(meguri_ctx *ctx, mg_meg_file *file, const meguri_graph *g, mg_part part) {
    meguri_type type = part == MG_PART_IN_WEIGHTS ? g->weight_type : MEGURI_TYPE_NONE;
    mg_rows out = rows_at(file, g, MG_PART_OFFSETS), in = rows_at(file, g, MG_PART_IN_OFFSETS);
    if (mg_rows_sum(ctx, &out, type, false) != mg_rows_sum(ctx, &in, type, true))
        return damaged(ctx, file, g, part, "are not those of its rows");
    return part == MG_PART_IN_WEIGHTS ? check_parallel(ctx, file, g, part) : MEGURI_OK;
}

static uint64_t count_other_arcs(const void *what, uint64_t begin, uint64_t end) {
    const whole_job *job = what;
    mg_rows out = *job->rows[0], in = *job->rows[1];
    uint64_t wrong = 0;
    for (uint64_t v = begin; v < end; v++)
        for (uint64_t i = mg_row_begin(&in, v); i < mg_row_end(&in, v); i++) {
            uint64_t arc = mg_row_out_arc(&in, i), u = in.neighbors[i];
            bool again = i > mg_row_begin(&in, v) && in.neighbors[i - 1] == u && mg_row_out_arc(&in, i - 1) >= arc;
            wrong += arc < mg_row_begin(&out, u) || arc >= mg_row_end(&out, u) || out.neighbors[arc] != v || again;
        }
    return wrong;
}

/* Each is an arc of the out-rows from the one end to the other, and none comes twice. */
static meguri_status check_in_arcs(meguri_ctx *ctx, mg_meg_file *file, const meguri_graph *g) {
    mg_rows out = rows_at(file, g, MG_PART_OFFSETS), in = rows_at(file, g, MG_PART_IN_OFFSETS);
    in.out_arcs = file->section[MG_PART_IN_ARCS].data;
    whole_job job = {.graph = g, .rows = {&out, &in}};
    uint64_t wrong = mg_sum_over(ctx, mg_threads(ctx, g->arcs, 1 << 14), g->rows, count_other_arcs, &job);
    return wrong ? damaged(ctx, file, g, MG_PART_IN_ARCS, "are not those of its rows") : MEGURI_OK;
}

static meguri_status check_generation(meguri_ctx *ctx, const mg_meg_file *file, const meguri_graph *g) {
    const char *trouble = mg_generation_trouble((const void *)file->section[MG_PART_GENERATION].data);
    return trouble ? damaged(ctx, file, g, MG_PART_GENERATION, trouble) : MEGURI_OK;
}

static meguri_status check_whole(meguri_ctx *ctx, mg_meg_file *file, const meguri_graph *g, mg_part part);

static meguri_status check_as_whole(meguri_ctx *ctx, mg_meg_file *file, const meguri_graph *g, mg_part part) {
    const mg_meg_section *s = &file->section[part];
    bool fine = true;
    switch (part) {
    case MG_PART_OFFSETS:
        if (spans(s, g->offset_bytes, g->arcs)) return check_degrees(ctx, file, g);
        fine = false;
        break;
    case MG_PART_WEIGHTS: return check_parallel(ctx, file, g, part);
    case MG_PART_IN_OFFSETS: fine = spans(s, g->offset_bytes, g->arcs); break;
    case MG_PART_IN_NEIGHBORS:
    case MG_PART_IN_WEIGHTS: return check_backwards(ctx, file, g, part);
    case MG_PART_IN_ARCS: return check_in_arcs(ctx, file, g);
    case MG_PART_NAME_OFFSETS: fine = spans(s, 8, g->part[MG_PART_NAMES].bytes); break;
    case MG_PART_NAME_INDEX: fine = has_empty_slot(s); break;
    case MG_PART_TO_USER:
    case MG_PART_TO_INTERNAL: return check_inverse(ctx, file, g);
    case MG_PART_INDEX_HEIGHTS: return check_heights(ctx, file, g);
    case MG_PART_INDEX_FACTS:
    case MG_PART_INDEX_ROWS:
    case MG_PART_INDEX_EDGES:
    case MG_PART_INDEX_HALVES: return check_index(ctx, file, g, part);
    case MG_PART_COLUMNS:
    case MG_PART_COLUMN_TEXTS: return check_columns(ctx, file, g, MG_OF_EDGES);
    case MG_PART_VERTEX_COLUMNS:
    case MG_PART_VERTEX_TEXTS: return check_columns(ctx, file, g, MG_OF_VERTICES);
    case MG_PART_GENERATION: return check_generation(ctx, file, g);
    default: break;
    }
    return fine ? MEGURI_OK : damaged(ctx, file, g, part, "begin or end where they must not");
}

/* What must be right before a part can be looked at: the order of neighbours shows by the offsets, that of weights by
 * the neighbours, what values may be by the columns, what rows backwards are by the rows. */
static meguri_status check_before(meguri_ctx *ctx, mg_meg_file *file, const meguri_graph *g, mg_part part) {
    meguri_status status = MEGURI_OK;
    mg_column_place place;
    switch (part) {
    case MG_PART_NEIGHBORS:
    case MG_PART_WEIGHTS: return check_whole(ctx, file, g, (mg_part)(part - 1));
    case MG_PART_IN_WEIGHTS: status = check_whole(ctx, file, g, MG_PART_WEIGHTS); break;
    case MG_PART_IN_NEIGHBORS: status = check_whole(ctx, file, g, MG_PART_NEIGHBORS); break;
    case MG_PART_IN_ARCS: return check_whole(ctx, file, g, MG_PART_IN_NEIGHBORS);
    default:
        return mg_part_is_column(&place, g, part) ? check_whole(ctx, file, g, mg_columns_part(place.set)) : MEGURI_OK;
    }
    return status == MEGURI_OK ? check_whole(ctx, file, g, (mg_part)(part - 1)) : status;
}

/* All of a part. */
static meguri_status check_whole(meguri_ctx *ctx, mg_meg_file *file, const meguri_graph *g, mg_part part) {
    mg_meg_section *s = &file->section[part];
    bool rows = part == MG_PART_NEIGHBORS || part == MG_PART_IN_NEIGHBORS;
    if (!s->present || __atomic_load_n(&s->whole_checked, __ATOMIC_ACQUIRE)) return MEGURI_OK;
    meguri_status status = check_before(ctx, file, g, part);
    double start = mg_now();
    if (status == MEGURI_OK) status = check_chunks(ctx, file, g, part, 0, s->chunks, rows);
    if (status == MEGURI_OK) status = check_as_whole(ctx, file, g, part);
    if (status == MEGURI_OK) __atomic_store_n(&s->whole_checked, true, __ATOMIC_RELEASE);
    mg_trace_phase(ctx, "open", "check", -1, (int64_t)s->bytes, start);
    return status;
}

meguri_status mg_meg_check(mg_backing *backing, meguri_ctx *ctx, const meguri_graph *graph, mg_part part,
                           uint64_t begin, uint64_t end) {
    mg_meg_file *file = (mg_meg_file *)backing;
    const mg_meg_section *s = &file->section[part];
    if (!s->present) return MEGURI_OK;
    if (begin > end || end > s->bytes)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "bytes beyond the %s of %s were asked for.",
                       mg_meg_part_name(graph, part), file->path);
    if (begin == 0 && end == s->bytes) return check_whole(ctx, file, graph, part);
    mg_column_place place;
    bool column = mg_part_is_column(&place, graph, part);
    meguri_status status = column ? check_whole(ctx, file, graph, mg_columns_part(place.set)) : MEGURI_OK;
    if (status != MEGURI_OK) return status;
    uint64_t first = begin >> file->chunk_log2;
    return check_chunks(ctx, file, graph, part, first, MG_MAX(first, mg_meg_chunks(end, file->chunk_log2)), false);
}
