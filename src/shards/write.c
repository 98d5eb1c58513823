/* Results of a graph in parts into one file, in the user's ids and order: every process writes the rows of the
 * positions that it is home of. The vertices that columns name, such as parents, may have their ids anywhere: each is
 * asked for once. */
#include "shards/shards.h"

#include <inttypes.h>

typedef struct writing {
    meguri_ctx *ctx;
    mg_shards *shards;
    uint64_t rows;
    meguri_column *columns;
    uint32_t column_count;
    uint64_t *others; /* positions that columns name and that are not at home here; they increase */
    uint64_t other_count;
    uint32_t **places; /* by column: of vertices, as numbers of io's (see mg_result_part) */
    mg_known_ids known;
} writing;

static void free_writing(writing *w) {
    for (uint32_t i = 0; w->places && i < w->column_count; i++) mg_free(w->places[i]);
    mg_free(w->places);
    mg_free(w->others);
    mg_free(w->columns);
    mg_known_ids_free(&w->known);
}

static bool is_of_vertices(const meguri_column *column) { return column->type == MEGURI_TYPE_VERTEX; }

/* UINT64_MAX for none. */
static uint64_t vertex_at(const meguri_column *column, uint64_t row) {
    const void *item = (const char *)column->data + row * column->stride;
    if (column->item_bytes == 8) return *(const uint64_t *)item;
    return *(const uint32_t *)item == MG_NO_VERTEX ? UINT64_MAX : *(const uint32_t *)item;
}

static bool is_elsewhere(const mg_shards *s, uint64_t v) {
    return v != UINT64_MAX && (v < s->home.begin || v >= s->home.end);
}

/* ---- what the result has ---------------------------------------------------------------------------------------- */

meguri_status mg_check_part(meguri_ctx *ctx, const mg_shards *shards, const meguri_column *column) {
    uint64_t rows = shards->home.end - shards->home.begin;
    if (column->count == rows) return MEGURI_OK;
    return mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                   "the column %s has %" PRIu64 " items here, and this process has %" PRIu64
                   " vertices: give the graph that the result is about.",
                   column->name, column->count, rows);
}

static meguri_status check_column(writing *w, const meguri_column *c) {
    meguri_status status = mg_check_part(w->ctx, w->shards, c);
    if (status != MEGURI_OK || !is_of_vertices(c)) return status;
    uint64_t wrong = 0;
    for (uint64_t row = 0; row < w->rows; row++) {
        uint64_t v = vertex_at(c, row);
        wrong += v >= w->shards->vertices && v != UINT64_MAX;
        w->other_count += is_elsewhere(w->shards, v);
    }
    if (wrong == 0) return MEGURI_OK;
    return mg_fail(w->ctx, MEGURI_BAD_ARGUMENT,
                   "the column %s names %" PRIu64 " vertices that the graph has not: give the graph that the result is "
                   "about.",
                   c->name, wrong);
}

static meguri_status get_columns(writing *w, const meguri_result *result) {
    uint32_t count = meguri_result_column_count(result);
    w->columns = mg_alloc_array(w->ctx, count, sizeof *w->columns, "the columns of a result");
    w->places = mg_alloc_array_zero(w->ctx, count, sizeof *w->places, "the columns of a result");
    if (!w->columns || !w->places) return MEGURI_NO_MEMORY;
    w->column_count = count;
    meguri_status status = MEGURI_OK;
    for (uint32_t i = 0; i < count && status == MEGURI_OK; i++) {
        meguri_column *c = &w->columns[i];
        c->size = sizeof *c;
        status = meguri_result_column_at(c, result, i);
        if (status == MEGURI_OK) status = check_column(w, c);
    }
    return status;
}

/* ---- vertices that columns name --------------------------------------------------------------------------------- */

static meguri_status list_others(writing *w) {
    uint64_t count = 0, kept = 0;
    w->others = mg_alloc_array(w->ctx, w->other_count, sizeof *w->others, "vertices that a result names");
    if (!w->others) return MEGURI_NO_MEMORY;
    for (uint32_t i = 0; i < w->column_count; i++) {
        const meguri_column *c = &w->columns[i];
        for (uint64_t row = 0; is_of_vertices(c) && row < w->rows; row++)
            if (is_elsewhere(w->shards, vertex_at(c, row))) w->others[count++] = vertex_at(c, row);
    }
    meguri_status status = mg_sort_u64(w->ctx, w->others, NULL, 0, count, 64);
    if (status != MEGURI_OK) return status;
    for (uint64_t i = 0; i < count; i++)
        if (kept == 0 || w->others[kept - 1] != w->others[i]) w->others[kept++] = w->others[i];
    w->other_count = kept;
    mg_trim(w->others, kept * sizeof *w->others);
    return MEGURI_OK;
}

/* Homes here come first, then the others. */
static uint32_t place_of(const writing *w, uint64_t v) {
    if (v == UINT64_MAX) return MG_NO_VERTEX;
    if (!is_elsewhere(w->shards, v)) return mg_local(v - w->shards->home.begin);
    uint64_t low = 0, high = w->other_count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (w->others[middle] < v) low = middle + 1;
        else high = middle;
    }
    return mg_local(w->rows + low);
}

typedef struct place_job {
    const writing *w;
    const meguri_column *column;
    uint32_t *places;
} place_job;

static void find_places(void *what, uint64_t begin, uint64_t end) {
    const place_job *job = what;
    for (uint64_t row = begin; row < end; row++) job->places[row] = place_of(job->w, vertex_at(job->column, row));
}

static meguri_status place_columns(writing *w) {
    for (uint32_t i = 0; i < w->column_count; i++) {
        meguri_column *c = &w->columns[i];
        if (!is_of_vertices(c)) continue;
        uint32_t *places = w->places[i] = mg_alloc_array(w->ctx, w->rows, sizeof *places, "a column of vertices");
        if (!places) return MEGURI_NO_MEMORY;
        place_job job = {w, c, places};
        mg_for(w->ctx, mg_threads(w->ctx, w->rows, 1 << 14), w->rows, find_places, &job);
        c->type = MEGURI_TYPE_VERTEX;
        c->data = places;
        c->item_bytes = sizeof *places;
        c->stride = sizeof *places;
    }
    return MEGURI_OK;
}

/* ---- the file --------------------------------------------------------------------------------------------------- */

/* What is true of all ids together: the longest name, and whether an id needs all 64 bits. */
static meguri_status look_at_ids(const writing *w, mg_result_part *part) {
    const mg_shards *s = w->shards;
    uint64_t most[2] = {0, 0};
    for (uint64_t i = 0; s->id_kind == MEGURI_ID_STRING && i < w->rows; i++)
        most[0] = MG_MAX(most[0], s->name_offsets[i + 1] - s->name_offsets[i]);
    if (s->id_kind != MEGURI_ID_STRING && w->rows) most[1] = w->known.ids[w->rows - 1] > (uint64_t)INT64_MAX;
    meguri_status status = mg_reduce_u64(w->ctx, s->cluster, &s->cluster->all, most, 2, MG_MAXIMUM);
    part->longest_name = most[0];
    part->narrow = !most[1];
    return status;
}

static meguri_status write_file(writing *w, const char *path) {
    mg_shards *s = w->shards;
    mg_summing summing = {.ctx = w->ctx, .cluster = s->cluster};
    const mg_share_of share = {s->cluster->rank, s->cluster->size, &summing, mg_sum_shares};
    mg_result_part part = {.first = s->home.begin,
                           .rows = w->rows,
                           .all_rows = s->vertices,
                           .id_kind = s->id_kind,
                           .ids = w->known.ids,
                           .name_offsets = w->known.name_offsets,
                           .names = w->known.names,
                           .columns = w->columns,
                           .column_count = w->column_count};
    mg_outfile file;
    meguri_status status = look_at_ids(w, &part);
    if (status == MEGURI_OK) status = mg_shared_open(&file, w->ctx, s->cluster, path);
    if (status != MEGURI_OK) return status;
    status = mg_tell(&summing, mg_result_write_part(w->ctx, &part, &file, path, &share));
    return mg_shared_close(w->ctx, s->cluster, &file, status);
}

meguri_status mg_shards_write(meguri_ctx *ctx, void *parts, const meguri_result *result, const char *path) {
    mg_shards *shards = parts;
    writing w = {.ctx = ctx, .shards = shards, .rows = shards->home.end - shards->home.begin};
    double since = mg_now();
    meguri_status status = mg_result_check_path(ctx, path);
    if (status == MEGURI_OK) status = get_columns(&w, result);
    if (status == MEGURI_OK) status = list_others(&w);
    mg_call call = {.name = "meguri_result_write"};
    mg_call_number(&call, "number of columns", meguri_result_column_count(result));
    status = mg_agree_call(ctx, shards->cluster, status, &call);
    if (status == MEGURI_OK) status = mg_shards_know(&w.known, ctx, shards, w.others, w.other_count);
    if (status == MEGURI_OK) status = mg_agree(ctx, shards->cluster, place_columns(&w));
    if (status == MEGURI_OK) status = write_file(&w, path);
    if (status == MEGURI_OK) mg_trace_phase(ctx, "write", NULL, -1, -1, since);
    free_writing(&w);
    return status;
}
