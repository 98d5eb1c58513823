/* Adjacency lists: "V N1 N2 …" is V and the targets of its edges; a V alone is a vertex without any.
 * Nothing in such a file shows that it is not an edge list, so the format is never guessed. */
#include "io/format.h"

enum { BETWEEN_LOOKS = 1 << 16 }; /* neighbours of a vertex, at whether the user has had enough */

typedef struct adjacency {
    char separator;
} adjacency;

/* ---- integer ids ------------------------------------------------------------------------------------------------ */

static meguri_status take_id(mg_pass *pass, const mg_chunk *chunk, const char **p, uint64_t *id, bool *negative,
                             bool *huge) {
    const adjacency *format = pass->format;
    const char *word = *p;
    bool was_negative = *negative, was_huge = *huge;
    if (!mg_parse_field_id(p, format->separator, id, negative, huge) || !mg_at_field_end(*p, format->separator)) {
        mg_word shown = mg_word_at(word, format->separator);
        if (!shown.length) return mg_pass_fail(pass, chunk, word, "an id is missing.");
        return mg_pass_fail(pass, chunk, word,
                            "the id '%.*s' is not an integer of 64 bits; with the option ids (string) all are read as "
                            "strings.",
                            shown.length, shown.text);
    }
    if (*negative == was_negative && *huge == was_huge) return MEGURI_OK;
    return mg_note_ids(pass, chunk, word, *negative, *huge);
}

static meguri_status parse_integers(mg_pass *pass, const mg_chunk *chunk) {
    const adjacency *format = pass->format;
    meguri_ctx *ctx = pass->reader->ctx;
    bool negative = false, huge = false;
    mg_alone alone = {0};
    mg_block block;
    meguri_status status = mg_block_new(&block, ctx, mg_guess_words(chunk), false);
    for (const char *p = chunk->begin; p < chunk->end && status == MEGURI_OK;) {
        p = mg_skip_blanks(p);
        if (*p == '\n' || mg_is_comment(p)) {
            p = mg_line_end(p, chunk->end) + 1;
            continue;
        }
        uint64_t from, to, neighbors = 0;
        status = take_id(pass, chunk, &p, &from, &negative, &huge);
        while (status == MEGURI_OK && *mg_skip_blanks(p) != '\n' && mg_skip_separator(&p, format->separator)) {
            status = take_id(pass, chunk, &p, &to, &negative, &huge);
            if (status == MEGURI_OK && !mg_block_push(&block, from, to, 1)) status = MEGURI_NO_MEMORY;
            if (++neighbors % BETWEEN_LOOKS == 0 && mg_input_cancelled(pass->input)) status = mg_fail_cancelled(ctx);
        }
        if (status == MEGURI_OK && !neighbors) status = mg_alone_push(ctx, &alone, from);
        if (status == MEGURI_OK) p = mg_line_end(p, chunk->end) + 1;
    }
    if (status == MEGURI_OK) status = mg_alone_add(pass, &alone);
    if (status == MEGURI_OK) status = mg_block_add(pass, chunk, &block);
    mg_block_free(&block);
    mg_free(alone.ids);
    return status;
}

/* ---- string ids ------------------------------------------------------------------------------------------------- */

static meguri_status parse_string_line(mg_pass *pass, const mg_chunk *chunk, const char *p, mg_block *block,
                                       mg_names *names) {
    const adjacency *format = pass->format;
    const char *end = mg_line_end(p, chunk->end);
    uint32_t from = 0, to;
    uint64_t words = 0;
    do {
        mg_field field;
        if (!mg_take_field(&p, end, format->separator, mg_has_quotes(format->separator), &field))
            return mg_pass_fail(pass, chunk, p, "a double quote is not where one may be.");
        meguri_status status = mg_take_name(pass, chunk, names, &field, words ? &to : &from);
        if (status != MEGURI_OK) return status;
        if (words && !mg_block_push(block, from, to, 1)) return MEGURI_NO_MEMORY;
        if (++words % BETWEEN_LOOKS == 0 && mg_input_cancelled(pass->input))
            return mg_fail_cancelled(pass->reader->ctx);
    } while (*mg_skip_blanks(p) != '\n' && mg_skip_separator(&p, format->separator));
    return MEGURI_OK;
}

static meguri_status parse_strings(mg_pass *pass, const mg_chunk *chunk) {
    meguri_ctx *ctx = pass->reader->ctx;
    mg_names *names = NULL;
    mg_block block = {0};
    const adjacency *format = pass->format;
    const char *first_hidden = NULL;
    uint64_t hidden = 0;
    meguri_status status = mg_names_new(&names, ctx);
    if (status == MEGURI_OK) status = mg_block_new(&block, ctx, mg_guess_words(chunk), false);
    for (const char *p = chunk->begin; p < chunk->end && status == MEGURI_OK;) {
        const char *at = mg_skip_blanks(p);
        if (*at != '\n' && !mg_is_comment(at)) status = parse_string_line(pass, chunk, p, &block, names);
        else if (*at != '\n' && mg_is_hidden_line(at, format->separator, 2) && !hidden++) first_hidden = p;
        p = mg_line_end(p, chunk->end) + 1;
    }
    mg_pass_remark(pass, chunk, first_hidden, MG_HIDDEN, hidden);
    if (status == MEGURI_OK) status = mg_block_add_named(pass, chunk, &block, names);
    mg_block_free(&block);
    mg_names_free(names);
    return status;
}

/* ---- the first look --------------------------------------------------------------------------------------------- */

/* The ids of a line, which is changed where it has quotes. */
static void see_line(mg_ids_seen *seen, const mg_sample *sample, const char *p, const char *end, char separator) {
    do {
        mg_field field;
        bool quoted = mg_has_quotes(separator) && *mg_skip_blanks(p) == '"';
        if (!mg_take_field(&p, end, separator, mg_has_quotes(separator), &field)) return;
        if (!sample->cut || *mg_skip_blanks(p) != '\n') /* the last word may have been cut, too */
            mg_see_id(seen, sample->number, field.text, field.length, quoted);
    } while (*mg_skip_blanks(p) != '\n' && mg_skip_separator(&p, separator));
}

static bool has_integers(const char *p, char separator) {
    p = mg_skip_blanks(p);
    do {
        uint64_t id;
        bool flag = false;
        if (!mg_parse_field_id(&p, separator, &id, &flag, &flag) || !mg_at_field_end(p, separator)) return false;
    } while (*mg_skip_blanks(p) != '\n' && mg_skip_separator(&p, separator));
    return true;
}

/* The first line that has a neighbour says how they are parted. */
static meguri_status look_at_lines(mg_sample *sample, adjacency *format, mg_ids_seen *seen) {
    for (;;) {
        char *line;
        const char *end;
        meguri_status status = mg_sample_line(sample, &line, &end);
        if (status != MEGURI_OK || !line) return status;
        if (sample->lines == 1 || format->separator == MG_BLANKS) format->separator = mg_find_separator(line, end);
        /* Between integers blanks and tabs are the same. */
        bool blanks = format->separator == MG_TAB && has_integers(line, MG_BLANKS);
        see_line(seen, sample, line, end, blanks ? MG_BLANKS : format->separator);
    }
}

static meguri_status look(mg_reader *reader, mg_input *input, adjacency *format) {
    mg_sample sample;
    mg_ids_seen seen = {0};
    mg_sample_start(&sample, input);
    meguri_status status = look_at_lines(&sample, format, &seen);
    if (status == MEGURI_OK && sample.too_far) {
        mg_sample_end(&sample);
        status = mg_input_skip_nothing(input);
        mg_sample_start(&sample, input);
        if (status == MEGURI_OK) status = look_at_lines(&sample, format, &seen);
    }
    mg_sample_end(&sample);
    if (status != MEGURI_OK || !sample.lines) return status;
    status = mg_reader_ids(reader, input, &seen);
    if (reader->string_ids == MG_NO && format->separator == MG_TAB) format->separator = MG_BLANKS;
    return status;
}

static meguri_status read_adjacency(mg_reader *reader, mg_input *input) {
    adjacency format = {MG_BLANKS};
    bool weighted;
    meguri_status status = mg_reader_direction(reader, input, MEGURI_DIRECTED);
    if (status == MEGURI_OK) status = mg_reader_weights(reader, input, false, &weighted);
    if (status == MEGURI_OK) status = look(reader, input, &format);
    if (status != MEGURI_OK) return status;
    mg_pass pass = {.reader = reader, .input = input, .format = &format};
    pass.parse = reader->string_ids == MG_YES ? parse_strings : parse_integers;
    status = mg_pass_run(&pass, (mg_plan){.cut = MG_CUT_LINES});
    if (status == MEGURI_OK && !pass.edges) mg_warn(reader->ctx, "%s holds no edges.", input->name);
    if (status == MEGURI_OK) mg_tell_hidden(&pass);
    return status;
}

/* ---- writing ---------------------------------------------------------------------------------------------------- */

static void row(const mg_write_job *job, mg_text *text, const mg_write_row *r) {
    mg_write_id(job, text, r->position);
    for (uint64_t i = 0; i < r->degree; i++) {
        mg_text_add(text, &job->separator, 1);
        mg_write_id(job, text, r->neighbors[i]);
    }
    mg_text_add(text, "\n", 1);
}

static const mg_writer writer = {.weights = MG_WEIGHTS_NEVER, .plain_names = true, .row = row};

const mg_format mg_format_adj = {.declared = true, .read = read_adjacency, .writers = {&writer}};
