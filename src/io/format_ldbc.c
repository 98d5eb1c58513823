/* LDBC Graphalytics: edges in NAME.e ("from to [weight]"), vertices in NAME.v beside it, one id a line.
 * The vertex file also names the vertices that no edge touches, and gives string ids their order. What ids are and how
 * columns are parted is known from the edges: further columns of a vertex are properties, and not read. */
#define _GNU_SOURCE /* PATH_MAX */
#include "io/format.h"

#include <inttypes.h>
#include <limits.h>
#include <unistd.h>

/* NAME.v or compressed, whichever is there, for NAME.e, compressed or not. */
static bool find_vertex_file(char *name, const char *path) {
    size_t length = mg_uncompressed_name(NULL, path);
    if (!mg_ends_with(path, length, ".e") || path[length - 1] != 'e') return false; /* nobody writes .E and .v */
    memcpy(name, path, length);
    name[length - 1] = 'v';
    for (int compression = MG_PLAIN; compression < MG_COMPRESSIONS; compression++) {
        snprintf(name + length, MG_LONGER_BESIDE + 1, "%s", mg_compressions[compression].suffix);
        if (access(name, F_OK) == 0) return true;
    }
    return false;
}

/* Where there is a word behind the first, but for blanks. */
static bool has_more(const char *p) { return *mg_skip_blanks(p) != '\n'; }

static meguri_status parse_integer_vertices(mg_pass *pass, const mg_chunk *chunk) {
    const mg_edge_list *list = pass->format;
    meguri_ctx *ctx = pass->reader->ctx;
    uint64_t *ids = mg_alloc_array(ctx, (uint64_t)(chunk->end - chunk->begin) / 2 + 1, sizeof *ids, "vertex ids");
    meguri_status status = ids ? MEGURI_OK : MEGURI_NO_MEMORY;
    uint64_t count = 0, more = 0;
    const char *first_more = NULL;
    for (const char *p = chunk->begin; p < chunk->end && status == MEGURI_OK;) {
        const char *at = mg_skip_blanks(p);
        if (*at != '\n' && !mg_is_comment(at)) {
            bool negative = false, huge = false;
            mg_word word = mg_word_at(at, list->separator);
            if (!mg_parse_id(&at, &ids[count], &negative, &huge) || !mg_at_field_end(at, list->separator))
                status =
                    mg_pass_fail(pass, chunk, p,
                                 "the id '%.*s' is not an integer of 64 bits, but those of the edges are; with the "
                                 "option ids (string) all are read as strings.",
                                 word.length, word.text);
            else if (negative || huge) status = mg_note_ids(pass, chunk, p, negative, huge);
            if (status == MEGURI_OK && has_more(at) && !more++) first_more = p;
            count++;
        }
        p = mg_line_end(at, chunk->end) + 1;
    }
    mg_pass_remark(pass, chunk, first_more, MG_MORE_COLUMNS, more);
    if (status == MEGURI_OK) {
        mg_trim(ids, count * sizeof *ids);
        return mg_edges_name(ctx, pass->reader->edges, ids, count);
    }
    mg_free(ids);
    return status;
}

static meguri_status parse_string_vertices(mg_pass *pass, const mg_chunk *chunk) {
    const mg_edge_list *list = pass->format;
    meguri_ctx *ctx = pass->reader->ctx;
    mg_names *names = NULL;
    mg_block none = {0};
    uint64_t more = 0, hidden = 0;
    const char *first_more = NULL, *first_hidden = NULL;
    meguri_status status = mg_names_new(&names, ctx);
    if (status == MEGURI_OK) status = mg_block_new(&none, ctx, 0, false);
    for (const char *p = chunk->begin; p < chunk->end && status == MEGURI_OK;) {
        const char *at = mg_skip_blanks(p), *end = mg_line_end(at, chunk->end);
        if (*at != '\n' && !mg_is_comment(at)) {
            mg_field field;
            uint32_t number;
            if (!mg_take_field(&at, end, list->separator, mg_has_quotes(list->separator), &field))
                status = mg_pass_fail(pass, chunk, p, "a double quote is not where one may be.");
            if (status == MEGURI_OK) status = mg_take_name(pass, chunk, names, &field, &number);
            if (status == MEGURI_OK && has_more(at) && !more++) first_more = p;
        } else if (*at != '\n' && mg_is_hidden_line(at, list->separator, 1) && !hidden++) {
            first_hidden = p;
        }
        p = end + 1;
    }
    mg_pass_remark(pass, chunk, first_more, MG_MORE_COLUMNS, more);
    mg_pass_remark(pass, chunk, first_hidden, MG_HIDDEN, hidden);
    if (status == MEGURI_OK) status = mg_block_add_named(pass, chunk, &none, names);
    mg_block_free(&none);
    mg_names_free(names);
    return status;
}

/* Where there are no edges, the vertices alone say what ids are. */
static meguri_status look_at_vertices(mg_reader *reader, mg_input *input) {
    mg_sample sample;
    mg_ids_seen seen = {0};
    meguri_status status = mg_input_skip_nothing(input);
    mg_sample_start(&sample, input);
    for (char *line = NULL; status == MEGURI_OK;) {
        const char *end;
        mg_field field;
        status = mg_sample_line(&sample, &line, &end);
        if (status != MEGURI_OK || !line) break;
        const char *p = line;
        if (mg_take_field(&p, end, MG_BLANKS, mg_has_quotes(MG_BLANKS), &field))
            mg_see_id(&seen, sample.number, field.text, field.length, false);
    }
    mg_sample_end(&sample);
    return status == MEGURI_OK && seen.all ? mg_reader_ids(reader, input, &seen) : status;
}

static meguri_status read_vertices(mg_reader *reader, const char *path, mg_edge_list *list) {
    mg_input input;
    meguri_status status = mg_input_open(&input, reader->ctx, path);
    if (status == MEGURI_OK) status = mg_input_peek(&input, MG_FIRST_LOOK);
    if (status == MEGURI_OK) status = mg_refuse_foreign(&input, false);
    if (status == MEGURI_OK && !list->columns) status = look_at_vertices(reader, &input);
    if (status == MEGURI_OK) {
        mg_pass pass = {.reader = reader, .input = &input, .format = list, .is_table = true};
        pass.parse = reader->string_ids == MG_YES ? parse_string_vertices : parse_integer_vertices;
        status = mg_pass_run(&pass, (mg_plan){.cut = MG_CUT_LINES, .longest_line = MG_LONGEST_LINE});
        const mg_noted *more = &pass.noted[MG_MORE_COLUMNS];
        if (status == MEGURI_OK && more->count)
            mg_warn(reader->ctx,
                    "%s:%" PRIu64 ": lines with more than an id (%" PRIu64
                    ", of which this is the first) are read as far as "
                    "their first column.",
                    input.name, more->inside, more->count);
        if (status == MEGURI_OK) mg_tell_hidden(&pass);
    }
    mg_input_close(&input);
    return status;
}

static meguri_status read_ldbc(mg_reader *reader, mg_input *input) {
    char vertices[PATH_MAX + MG_LONGER_BESIDE];
    mg_edge_list list;
    if (!meguri_read_beside(vertices, sizeof vertices, input->name, MEGURI_FORMAT_LDBC))
        return mg_fail(reader->ctx, MEGURI_NOT_FOUND,
                       "%s is not an .e file with a .v file beside it; with format el edges are read without vertex "
                       "file.",
                       input->name);
    meguri_status status = mg_reader_direction(reader, input, MEGURI_DIRECTED);
    if (status == MEGURI_OK) status = mg_look_at_edges(reader, input, &list);
    if (status == MEGURI_OK && !list.columns) list.separator = MG_BLANKS;
    if (status == MEGURI_OK) status = read_vertices(reader, vertices, &list);
    return status == MEGURI_OK ? mg_read_edges(reader, input, &list) : status;
}

static meguri_status detect(meguri_format *out, const mg_reader *reader, mg_sample *sample) {
    const mg_input *input = sample->input;
    (void)reader;
    if (!input->memory && meguri_read_beside(NULL, 0, input->name, MEGURI_FORMAT_LDBC)) *out = MEGURI_FORMAT_LDBC;
    return MEGURI_OK;
}

/* ---- writing ---------------------------------------------------------------------------------------------------- */

static void row(const mg_write_job *job, mg_text *text, const mg_write_row *r) {
    mg_write_lines(job, text, r, "", r->degree);
}

static void row_of_vertex(const mg_write_job *job, mg_text *text, const mg_write_row *r) {
    mg_write_id(job, text, r->position);
    mg_text_add(text, "\n", 1);
}

static const mg_writer writer_vertices = {
    .suffix = ".v", .without_arcs = true, .plain_names = true, .row = row_of_vertex};
static const mg_writer writer = {
    .suffix = ".e", .beside = &writer_vertices, .plain_names = true, .declares = true, .row = row};

const mg_format mg_format_ldbc = {.declared = true,
                                  .clue = MG_CLUE_NAME,
                                  .detect = detect,
                                  .read = read_ldbc,
                                  .find_beside = find_vertex_file,
                                  .writers = {&writer}};
