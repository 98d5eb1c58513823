/* DIMACS coordinates: "v ID X Y" lines, with comments "c …" and a line "p aux sp co N" that may be missing.
 * Values are taken as they stand: whole numbers of some unit, or decimals. */
#include "io/format.h"

#include <inttypes.h>
#include <math.h>

/* What a chunk found; joined under the lock of the pass, in any order: ids are unique. */
typedef struct coords_table {
    mg_vertex_rows all;
    uint64_t room;
} coords_table;

static meguri_status reserve(meguri_ctx *ctx, mg_vertex_rows *coords, uint64_t room) {
    const char *what = "coordinates";
    uint64_t *ids = mg_resize(ctx, coords->ids, room * sizeof *ids, what);
    if (ids) coords->ids = ids;
    double *x = ids ? mg_resize(ctx, coords->x, room * sizeof *x, what) : NULL;
    if (x) coords->x = x;
    double *y = x ? mg_resize(ctx, coords->y, room * sizeof *y, what) : NULL;
    if (y) coords->y = y;
    return y ? MEGURI_OK : MEGURI_NO_MEMORY;
}

static meguri_status join(mg_pass *pass, const mg_vertex_rows *part) {
    coords_table *table = pass->format;
    meguri_status status = MEGURI_OK;
    pthread_mutex_lock(&pass->lock);
    if (table->all.count + part->count > table->room) {
        uint64_t room = MG_MAX(table->room * 2, table->all.count + part->count);
        status = reserve(pass->reader->ctx, &table->all, room);
        if (status == MEGURI_OK) table->room = room;
    }
    if (status == MEGURI_OK && part->count) {
        memcpy(table->all.ids + table->all.count, part->ids, part->count * sizeof *part->ids);
        memcpy(table->all.x + table->all.count, part->x, part->count * sizeof *part->x);
        memcpy(table->all.y + table->all.count, part->y, part->count * sizeof *part->y);
        table->all.count += part->count;
    }
    pthread_mutex_unlock(&pass->lock);
    return status;
}

static meguri_status parse_vertex(mg_pass *pass, const mg_chunk *chunk, const char **p, mg_vertex_rows *part) {
    const char *line = *p, *at = mg_skip_blanks(line + 1);
    bool negative = false, huge = false;
    uint64_t id;
    double xy[2];
    if (*line != 'v' || !mg_is_blank(line[1]) || !mg_parse_id(&at, &id, &negative, &huge) || !mg_is_blank(*at))
        return mg_pass_fail(pass, chunk, line, "a line of coordinates must be 'v ID X Y'.");
    for (int i = 0; i < 2; i++) {
        at = mg_skip_blanks(at);
        mg_word word = mg_word_at(at, MG_BLANKS);
        if (mg_parse_number(&at, &xy[i], pass->reader->c_locale) != MG_NUMBER_OK || (!mg_is_blank(*at) && *at != '\n'))
            return mg_pass_fail(pass, chunk, line, "the coordinate '%.*s' is not a number.", word.length, word.text);
    }
    at = mg_skip_blanks(at);
    if (*at != '\n') return mg_pass_fail(pass, chunk, line, "more than two coordinates follow the id.");
    *p = at + 1;
    part->ids[part->count] = id;
    part->x[part->count] = xy[0];
    part->y[part->count++] = xy[1];
    return negative || huge ? mg_note_ids(pass, chunk, line, negative, huge) : MEGURI_OK;
}

static meguri_status parse_chunk(mg_pass *pass, const mg_chunk *chunk) {
    mg_vertex_rows part = {0};
    meguri_status status = reserve(pass->reader->ctx, &part, (uint64_t)(chunk->end - chunk->begin) / 8 + 1);
    for (const char *p = chunk->begin; p < chunk->end && status == MEGURI_OK;) {
        p = mg_skip_blanks(p);
        if (*p == '\n' || *p == 'c') p = mg_line_end(p, chunk->end) + 1;
        else status = parse_vertex(pass, chunk, &p, &part);
    }
    if (status == MEGURI_OK) status = join(pass, &part);
    mg_vertex_rows_free(&part);
    return status;
}

/* The number of vertices that a line "p aux sp co N" promises; UINT64_MAX without one. */
static meguri_status read_header(mg_input *input, uint64_t *promised) {
    *promised = UINT64_MAX;
    for (;;) {
        const char *line, *end;
        meguri_status status = mg_input_line(input, &line, &end);
        if (status != MEGURI_OK || !line) return status;
        const char *p = mg_skip_blanks(line);
        if (*p == '\n' || *p == 'c') continue;
        if (*p != 'p') {
            mg_input_unread(input);
            return MEGURI_OK;
        }
        if (*promised != UINT64_MAX) return mg_header_fail(input, "there is more than one problem line.");
        for (int i = 0; i < 4; i++) p = mg_skip_word(p);
        if (mg_count_columns(line, MG_BLANKS) != 5 || !mg_header_numbers(p, promised, 1))
            return mg_header_fail(input, "the problem line must be 'p aux sp co VERTICES'.");
    }
}

static meguri_status refuse_twins(meguri_ctx *ctx, const mg_input *input, const mg_vertex_rows *coords) {
    if (!coords->count) return MEGURI_OK;
    uint64_t *ids = mg_alloc_array(ctx, coords->count, sizeof *ids, "coordinates");
    if (!ids) return MEGURI_NO_MEMORY;
    memcpy(ids, coords->ids, coords->count * sizeof *ids);
    meguri_status status = mg_sort_u64(ctx, ids, NULL, 0, coords->count, 64);
    for (uint64_t i = 1; i < coords->count && status == MEGURI_OK; i++)
        if (ids[i] == ids[i - 1])
            status = mg_fail(ctx, MEGURI_BAD_INPUT, "%s gives vertex %" PRId64 " coordinates twice.", input->name,
                             (int64_t)ids[i]);
    mg_free(ids);
    return status;
}

meguri_status mg_read_coords(mg_reader *reader, mg_input *input) {
    coords_table table = {.room = 0};
    uint64_t promised;
    meguri_status status = read_header(input, &promised);
    if (status != MEGURI_OK) return status;
    mg_pass pass = {.reader = reader, .input = input, .format = &table, .parse = parse_chunk};
    status = mg_pass_run(&pass, (mg_plan){.cut = MG_CUT_LINES, .longest_line = MG_LONGEST_LINE});
    if (status == MEGURI_OK && promised != UINT64_MAX && promised != table.all.count)
        status =
            mg_fail(reader->ctx, MEGURI_BAD_INPUT,
                    "%s holds %" PRIu64 " vertices, but its problem line says %" PRIu64 "; the file may be cut short.",
                    input->name, table.all.count, promised);
    if (status == MEGURI_OK) status = refuse_twins(reader->ctx, input, &table.all);
    if (status == MEGURI_OK && !table.all.count)
        mg_warn(reader->ctx, "%s names no vertex, so the graph has no coordinates.", input->name);
    if (status == MEGURI_OK) return mg_builder_rows(reader->ctx, reader->builder, &table.all);
    mg_vertex_rows_free(&table.all);
    return status;
}

/* ---- writing ---------------------------------------------------------------------------------------------------- */

static meguri_status prepare(mg_write_job *job) {
    if (job->coordinates) return MEGURI_OK;
    return mg_fail(job->ctx, MEGURI_BAD_ARGUMENT,
                   "cannot write %s: the graph has no coordinates; build it with a file of coordinates.", job->path);
}

static bool has_place(const mg_write_job *job, uint64_t position) {
    return !isnan(job->coordinates[2 * position]) && !isnan(job->coordinates[2 * position + 1]);
}

static uint64_t count_places(const void *what, uint64_t begin, uint64_t end) {
    uint64_t count = 0;
    for (uint64_t p = begin; p < end; p++) count += has_place(what, p);
    return count;
}

static void head(const mg_write_job *job, mg_text *text) {
    uint64_t vertices = job->graph->vertices;
    uint64_t count = mg_sum_over(job->ctx, mg_threads(job->ctx, vertices, 1 << 16), vertices, count_places, job);
    mg_text_format(text, "p aux sp co %" PRIu64 "\n", count);
}

static void row(const mg_write_job *job, mg_text *text, const mg_write_row *r) {
    double x = job->coordinates[2 * r->position], y = job->coordinates[2 * r->position + 1];
    if (!has_place(job, r->position) || !mg_text_need(text, 8 + MG_INTEGER_TEXT + 2 * MG_DOUBLE_TEXT)) return;
    char *at = text->data + text->used;
    *at++ = 'v';
    *at++ = ' ';
    at = mg_put_u64(at, r->position + 1);
    *at++ = ' ';
    at = mg_put_double(at, job->powers, x);
    *at++ = ' ';
    at = mg_put_double(at, job->powers, y);
    *at++ = '\n';
    text->used = (size_t)(at - text->data);
}

const mg_writer mg_writer_coordinates = {.suffix = ".co",
                                         .id_form = MG_ID_FORM_PLACE,
                                         .weights = MG_WEIGHTS_NEVER,
                                         .without_arcs = true,
                                         .places_alone = true,
                                         .prepare = prepare,
                                         .head = head,
                                         .row = row};
