/* Edge lists: two ids and an optional weight a line, parted by blanks, tabs, commas or semicolons.
 *
 * The first data line says how columns are parted and how many there are; the first thousand say whether ids are
 * integers. Nearly every line of a large file is "digits separator digits newline", so that shape has a loop of its
 * own: one look at 32 bytes gives a bit for every character that is no digit, the two lowest bits are the ends of the
 * two numbers, and each number is converted from the eight bytes before its end. Nothing in it depends on how long the
 * numbers are, so there is no branch to mispredict; whatever looks different goes to the careful loop, one line at a
 * time. Measured on ids of up to six digits: 1.9 GB/s a thread, where a loop over the digits does 1.2. */
#include "io/format.h"

#include <inttypes.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* ---- the usual line --------------------------------------------------------------------------------------------- */

/* A bit for each of the 32 bytes at p that is no digit. */
static inline uint32_t non_digits(const char *p) {
#if defined(__SSE2__)
    const __m128i zero = _mm_set1_epi8('0'), nine = _mm_set1_epi8(9);
    __m128i a = _mm_sub_epi8(_mm_loadu_si128((const __m128i *)p), zero);
    __m128i b = _mm_sub_epi8(_mm_loadu_si128((const __m128i *)(p + 16)), zero);
    uint32_t low = (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(a, nine), a));
    uint32_t high = (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(b, nine), b));
    return ~(low | high << 16);
#else
    uint32_t bits = 0;
    for (int i = 0; i < 32; i++) bits |= (uint32_t)!mg_is_digit(p[i]) << i;
    return bits;
#endif
}

/* The number of the `count` (1 … 16) digits before `end`. */
static inline uint64_t digits_before(const char *end, unsigned count) {
    if (count <= 8) return mg_digits_before(end, count);
    return mg_digits_before(end - 8, count - 8) * UINT64_C(100000000) + mg_digits_before(end, 8);
}

/* Takes lines of the usual shape and stops at the first that is not, or that does not fit the block. */
static inline const char *usual_pairs(const char *p, const char *end, mg_block *block, char usual, bool crlf,
                                      bool wide) {
    uint32_t *narrow_ends = block->ends;
    uint64_t *wide_ends = block->ends;
    uint64_t at = 2 * block->count, room = 2 * block->capacity;
    while (p < end && at < room) {
        uint32_t others = non_digits(p);
        unsigned first = (unsigned)__builtin_ctz(others | 0x80000000u);
        others &= others - 1;
        unsigned second = (unsigned)__builtin_ctz(others | 0x80000000u);
        unsigned length = second - first - 1;
        bool ends = crlf ? (p[second] == '\r') & (p[second + 1] == '\n') : p[second] == '\n';
        if (!((first - 1 < 16) & (length - 1 < 16) & (p[first] == usual) & ends)) break;
        uint64_t from, to;
        if ((first <= 8) & (length <= 8)) {
            from = mg_digits_before(p + first, first);
            to = mg_digits_before(p + second, length);
        } else {
            from = digits_before(p + first, first);
            to = digits_before(p + second, length);
            if (!wide && (from | to) > UINT32_MAX) break;
        }
        if (wide) {
            wide_ends[at] = from;
            wide_ends[at + 1] = to;
        } else {
            narrow_ends[at] = (uint32_t)from;
            narrow_ends[at + 1] = (uint32_t)to;
        }
        at += 2;
        p += second + 1 + crlf;
    }
    block->count = at / 2;
    return p;
}

static const char *take_usual_pairs(const mg_edge_list *list, const char *p, const char *end, mg_block *block) {
    if (block->wide) return usual_pairs(p, end, block, list->usual, list->crlf, true);
    if (list->crlf) return usual_pairs(p, end, block, list->usual, true, false);
    return usual_pairs(p, end, block, list->usual, false, false);
}

/* ---- any line --------------------------------------------------------------------------------------------------- */

/* Two tabs with nothing between them, before the end of the line: where columns are parted by tabs, one is empty. */
static bool has_empty_column(const char *line, char usual) {
    const char *p = mg_skip_blanks(line), *tab = NULL;
    for (; *p != '\n'; p++) {
        if (*p == '\t' && !tab) tab = p;
        else if (!mg_is_blank(*p)) {
            for (int tabs = 0; tab && tab < p; tab++)
                if (*tab == '\t' && ++tabs == 2) return usual == MG_TAB;
            tab = NULL;
        }
    }
    return false;
}

#define EMPTY_COLUMN_TEXT "a column is empty: there is nothing between two tabs; fill it, or part columns by one tab."

static meguri_status fail_columns(mg_pass *pass, const mg_chunk *chunk, const char *line) {
    const mg_edge_list *list = pass->format;
    if (has_empty_column(line, list->usual)) return mg_pass_bad(pass, chunk, line, EMPTY_COLUMN_TEXT);
    unsigned columns = mg_count_columns(line, list->separator);
    return mg_pass_bad(pass, chunk, line,
                       "%u column%s found, but the first line has %u; every line needs the same two ids and "
                       "optional weight (adjacency lists are read with format adj).",
                       columns, columns == 1 ? "" : "s", list->columns);
}

/* A weight, which may be in double quotes as any field between commas or semicolons. */
static inline mg_number_status parse_weight(const mg_pass *pass, const char **p, double *weight) {
    const mg_edge_list *list = pass->format;
    if (**p != '"' || !mg_has_quotes(list->separator)) return mg_parse_number(p, weight, pass->reader->c_locale);
    const char *at = *p + 1;
    mg_number_status status = mg_parse_number(&at, weight, pass->reader->c_locale);
    if (status == MG_NUMBER_OK && *at != '"') return MG_NUMBER_NONE;
    *p = at + (*at == '"');
    return status;
}

/* What is wrong with a line of integer ids. */
static meguri_status explain(mg_pass *pass, const mg_chunk *chunk, const char *line) {
    const mg_edge_list *list = pass->format;
    if (mg_count_columns(line, list->separator) != list->columns || has_empty_column(line, list->usual))
        return fail_columns(pass, chunk, line);
    const char *p = mg_skip_blanks(line);
    for (unsigned column = 0; column < 2; column++) {
        uint64_t id;
        bool flag = false;
        const char *at = p;
        mg_word word = mg_word_at(p, list->separator);
        if (!word.length) return mg_pass_bad(pass, chunk, line, "an id is missing.");
        if (!mg_parse_field_id(&at, list->separator, &id, &flag, &flag) || !mg_at_field_end(at, list->separator))
            return mg_pass_bad(
                pass, chunk, line,
                "the id '%.*s' is not an integer of 64 bits; with the option ids (string) all are read as "
                "strings.",
                word.length, word.text);
        p = at;
        mg_skip_separator(&p, list->separator);
    }
    double weight;
    const char *at = p;
    return mg_fail_weight(pass, chunk, p, list->separator, parse_weight(pass, &at, &weight));
}

/* The weight column at *p: read, or skipped where weights are not wanted. */
static inline bool take_weight(const mg_pass *pass, const mg_chunk *chunk, const char **p, double *weight) {
    const mg_edge_list *list = pass->format;
    if (!mg_skip_separator(p, list->separator)) return false;
    if (list->weighted) return parse_weight(pass, p, weight) == MG_NUMBER_OK && mg_at_field_end(*p, list->separator);
    mg_field field;
    return mg_take_field(p, mg_line_end(*p, chunk->end), list->separator, mg_has_quotes(list->separator), &field) &&
           field.length;
}

static inline bool skips_column(const mg_edge_list *list, const char *at, const char *line) {
    return *at == MG_TAB && mg_is_blank(at[1]) && has_empty_column(line, list->usual);
}

/* A line with a single id names a vertex that may have no edge. That is also what a line cut short looks like, so the
 * number of such lines is told in a warning. */
static meguri_status parse_line(mg_pass *pass, const mg_chunk *chunk, const char **p, mg_block *block, mg_alone *alone,
                                bool *negative, bool *huge) {
    const mg_edge_list *list = pass->format;
    const char *at = mg_skip_blanks(*p);
    if (*at == '\n') {
        *p = at + 1;
        return MEGURI_OK;
    }
    if (mg_is_comment(at)) {
        *p = mg_line_end(at, chunk->end) + 1;
        return MEGURI_OK;
    }
    uint64_t from, to = 0;
    double weight = 1;
    bool was_negative = false, was_huge = false, edge = true;
    if (!mg_parse_field_id(&at, list->separator, &from, &was_negative, &was_huge)) return explain(pass, chunk, *p);
    if (*mg_skip_blanks(at) == '\n') edge = false;
    else if (skips_column(list, at, *p) || !mg_skip_separator(&at, list->separator) ||
             !mg_parse_field_id(&at, list->separator, &to, &was_negative, &was_huge) ||
             (list->columns == 3 && (skips_column(list, at, *p) || !take_weight(pass, chunk, &at, &weight))))
        return explain(pass, chunk, *p);
    at = mg_skip_blanks(at);
    if (*at != '\n') return explain(pass, chunk, *p);
    if ((was_negative > *negative) | (was_huge > *huge)) {
        *negative |= was_negative;
        *huge |= was_huge;
        meguri_status status = mg_note_ids(pass, chunk, *p, *negative, *huge);
        if (status != MEGURI_OK) return status;
    }
    *p = at + 1;
    if (!edge) return mg_alone_push(pass->reader->ctx, alone, from);
    return mg_block_push(block, from, to, weight) ? MEGURI_OK : MEGURI_NO_MEMORY;
}

static meguri_status parse_integers(mg_pass *pass, const mg_chunk *chunk) {
    const mg_edge_list *list = pass->format;
    bool negative = false, huge = false;
    const char *first_alone = NULL;
    mg_alone alone = {0};
    mg_block block;
    meguri_status status = mg_block_new(&block, pass->reader->ctx, mg_guess_lines(chunk), list->weighted);
    if (status != MEGURI_OK) return status;
    for (const char *p = chunk->begin; p < chunk->end && status == MEGURI_OK;) {
        if (list->columns == 2) p = take_usual_pairs(list, p, chunk->end, &block);
        const char *line = p;
        if (p < chunk->end) status = parse_line(pass, chunk, &p, &block, &alone, &negative, &huge);
        if (status == MEGURI_BAD_INPUT && mg_pass_skips(pass, chunk)) {
            p = mg_line_end(p, chunk->end) + 1;
            status = MEGURI_OK;
        }
        if (alone.count && !first_alone) first_alone = line;
    }
    if (status == MEGURI_OK) mg_pass_remark(pass, chunk, first_alone, MG_ALONE, alone.count);
    if (status == MEGURI_OK) status = mg_alone_add(pass, &alone);
    if (status == MEGURI_OK) status = mg_block_add(pass, chunk, &block);
    mg_free(alone.ids);
    mg_block_free(&block);
    return status;
}

/* ---- string ids ------------------------------------------------------------------------------------------------- */

static meguri_status parse_string_line(mg_pass *pass, const mg_chunk *chunk, const char *line, mg_block *block,
                                       mg_names *names) {
    const mg_edge_list *list = pass->format;
    const char *p = line, *end = mg_line_end(line, chunk->end);
    double weight = 1;
    mg_field fields[2];
    uint32_t ids[2];
    for (int column = 0; column < 2; column++) {
        if (column && !mg_skip_separator(&p, list->separator)) return fail_columns(pass, chunk, line);
        if (!mg_take_field(&p, end, list->separator, mg_has_quotes(list->separator), &fields[column]))
            return mg_pass_bad(pass, chunk, line, "a double quote is not where one may be.");
        meguri_status status = mg_check_name(pass, chunk, &fields[column]);
        if (status != MEGURI_OK) return status;
    }
    if (list->columns == 3) {
        const char *word = p;
        if (!mg_skip_separator(&word, list->separator)) return fail_columns(pass, chunk, line);
        if (!take_weight(pass, chunk, &p, &weight)) {
            const char *at = word;
            return mg_fail_weight(pass, chunk, word, list->separator, parse_weight(pass, &at, &weight));
        }
    }
    if (*mg_skip_blanks(p) != '\n') return fail_columns(pass, chunk, line);
    for (int column = 0; column < 2; column++) {
        const mg_field *field = &fields[column];
        meguri_status status = mg_names_add(pass->reader->ctx, names, field->text, field->length, &ids[column]);
        if (status != MEGURI_OK) return status;
    }
    return mg_block_push(block, ids[0], ids[1], weight) ? MEGURI_OK : MEGURI_NO_MEMORY;
}

static meguri_status parse_strings(mg_pass *pass, const mg_chunk *chunk) {
    const mg_edge_list *list = pass->format;
    meguri_ctx *ctx = pass->reader->ctx;
    mg_names *names = NULL;
    mg_block block = {0};
    const char *first_hidden = NULL;
    uint64_t hidden = 0;
    meguri_status status = mg_names_new(&names, ctx);
    if (status == MEGURI_OK) status = mg_block_new(&block, ctx, mg_guess_lines(chunk), list->weighted);
    for (const char *p = chunk->begin; p < chunk->end && status == MEGURI_OK;) {
        const char *at = mg_skip_blanks(p);
        if (*at != '\n' && !mg_is_comment(at)) status = parse_string_line(pass, chunk, p, &block, names);
        else if (*at != '\n' && mg_is_hidden_line(at, list->separator, list->columns) && !hidden++) first_hidden = p;
        if (status == MEGURI_BAD_INPUT && mg_pass_skips(pass, chunk)) status = MEGURI_OK;
        p = mg_line_end(p, chunk->end) + 1;
    }
    mg_pass_remark(pass, chunk, first_hidden, MG_HIDDEN, hidden);
    if (status == MEGURI_OK) status = mg_block_add_named(pass, chunk, &block, names);
    mg_block_free(&block);
    mg_names_free(names);
    return status;
}

bool mg_is_hidden_line(const char *comment, char separator, unsigned columns) {
    const char *name = comment + (*comment == '/' ? 2 : 1);
    if (mg_is_blank(*name) || *name == '\n' || mg_is_comment(name)) return false;
    mg_word word = mg_word_at(name, separator);
    return mg_count_columns(comment, separator) == columns && !mg_is_column_name(name, (size_t)word.length);
}

void mg_tell_hidden(const mg_pass *pass) {
    const mg_noted *noted = &pass->noted[MG_HIDDEN];
    if (noted->count)
        mg_warn(
            pass->reader->ctx,
            "%s:%" PRIu64 ": lines that start with #, %% or // are comments, but %" PRIu64 " of them, of which this is "
            "the first, look like data; to have ids that start so, name the columns in a header line and use format "
            "csv.",
            pass->input->name, noted->inside, noted->count);
}

/* ---- the first look --------------------------------------------------------------------------------------------- */

static bool has_integer_ids(const char *line, char separator) {
    const char *p = mg_skip_blanks(line);
    for (int column = 0; column < 2; column++) {
        uint64_t id;
        bool flag = false;
        if (column && !mg_skip_separator(&p, separator)) return true; /* a wrong line: the parser says so */
        if (!mg_parse_field_id(&p, separator, &id, &flag, &flag) || !mg_at_field_end(p, separator)) return false;
    }
    return true;
}

/* Whether a line makes sense with these columns: two integers, or words and a weight with a decimal comma; between
 * semicolons, where commas belong to names, any weight. */
static bool is_better_read(const char *line, char separator) {
    unsigned columns = mg_count_columns(line, separator);
    if (columns < 2 || columns > 3) return false;
    if (has_integer_ids(line, separator)) return true;
    const char *p = mg_skip_blanks(line);
    for (int column = 0; column < 2 && columns == 3; column++) {
        while (*p != '\n' && !(separator == MG_BLANKS ? mg_is_blank(*p) : *p == separator)) p++;
        if (!mg_skip_separator(&p, separator)) return false;
    }
    const char *digits = p + (*p == '-');
    while (mg_is_digit(*digits)) digits++;
    if (columns < 3 || digits == p) return false;
    if (*digits == MG_COMMA || (*digits == '.' && separator == MG_SEMICOLON)) return mg_is_digit(digits[1]);
    return separator == MG_SEMICOLON && mg_at_field_end(digits, separator);
}

/* "1 2 1,5" and "1;2;1,5" have a comma, but not between columns. */
char mg_choose_separator(const char *line, const char *end) {
    char separator = mg_find_separator(line, end);
    if ((separator != MG_COMMA && separator != MG_SEMICOLON) || has_integer_ids(line, separator)) return separator;
    if (separator == MG_COMMA && is_better_read(line, MG_SEMICOLON)) return MG_SEMICOLON;
    return is_better_read(line, MG_BLANKS) ? MG_BLANKS : separator;
}

/* The ids of a line, which is changed where it has quotes. Between integers blanks and tabs are the same. */
static void see_line(mg_ids_seen *seen, uint64_t number, const char *line, const char *end, char separator) {
    bool integers = has_integer_ids(line, separator == MG_TAB ? MG_BLANKS : separator);
    if (integers && separator == MG_TAB) separator = MG_BLANKS;
    const char *p = line;
    for (int column = 0; column < 2; column++) {
        mg_field field;
        if (column && !mg_skip_separator(&p, separator)) return;
        bool quoted = mg_has_quotes(separator) && *mg_skip_blanks(p) == '"';
        if (!mg_take_field(&p, end, separator, mg_has_quotes(separator), &field)) return;
        mg_see_id(seen, number, field.text, field.length, quoted);
    }
}

static meguri_status fail_shape(const mg_input *input, uint64_t line, const char *what) {
    return mg_fail(input->ctx, MEGURI_BAD_INPUT, "%s:%" PRIu64 ": %s", input->name, line, what);
}

/* What the first line says. */
static meguri_status look_at_first(const mg_sample *sample, const char *line, const char *end, mg_edge_list *list) {
    const mg_input *input = sample->input;
    if (sample->cut) return fail_shape(input, sample->number, MG_OVERLONG_TEXT);
    list->crlf = end > line && end[-1] == '\r';
    const char *carriage = memchr(line, '\r', (size_t)(end - line));
    if (carriage && *mg_skip_blanks(carriage) != '\n')
        return fail_shape(input, sample->number,
                          "there is a carriage return inside the line; lines must end with a line feed (convert the "
                          "file, for example with tr '\\r' '\\n').");
    list->separator = mg_choose_separator(line, end);
    list->name_columns = mg_count_columns(line, list->separator);
    list->usual = list->separator; /* a tab stays one, though between integers it is the same as blanks */
    if (list->separator == MG_TAB && has_integer_ids(line, MG_BLANKS)) {
        if (has_empty_column(line, MG_TAB)) return fail_shape(input, sample->number, EMPTY_COLUMN_TEXT);
        list->columns = mg_count_columns(line, MG_BLANKS);
    } else {
        list->columns = list->name_columns;
    }
    if (list->columns >= 2 && list->columns <= 3) return MEGURI_OK;
    return mg_fail(input->ctx, MEGURI_BAD_INPUT,
                   "%s:%" PRIu64 ": %u column%s found, but an edge list has 2 or 3 (from, to, weight); %s.",
                   input->name, sample->number, list->columns, list->columns == 1 ? "" : "s",
                   list->columns == 1
                       ? "--separator names what parts them, if it is not blanks, tabs, commas or semicolons"
                       : "remove the others, or name the columns in a header line and use format csv");
}

/* Whether a line is that of a vertex without an edge, which says nothing about the others. */
static bool is_alone(const char *line) {
    uint64_t id;
    bool flag = false;
    const char *p = mg_skip_blanks(line);
    return mg_parse_id(&p, &id, &flag, &flag) && *mg_skip_blanks(p) == '\n';
}

/* A column of numbers alone could be anything, unless somebody says that it is an edge list. */
static bool may_be_alone(const mg_reader *reader, const mg_input *input) {
    meguri_format named = meguri_format_of_path(input->name);
    return reader->options.format != MEGURI_FORMAT_AUTO || named == MEGURI_FORMAT_EDGELIST ||
           named == MEGURI_FORMAT_LDBC;
}

/* The first lines, as far as a look ahead sees them; the first with an edge says how they look. */
static meguri_status look_at_lines(mg_sample *sample, const mg_reader *reader, mg_edge_list *list, mg_ids_seen *seen) {
    bool integers = reader->options.ids != MEGURI_IDS_STRING;
    uint64_t alone = 0; /* the first such line, if no other came yet */
    for (;;) {
        char *line;
        const char *end;
        meguri_status status = mg_sample_line(sample, &line, &end);
        if (status != MEGURI_OK) return status;
        if (!line) break;
        bool here = !list->columns && integers && !sample->cut && is_alone(line);
        if (!list->columns && !here) status = look_at_first(sample, line, end, list);
        if (status != MEGURI_OK) return status;
        if (here && !alone) alone = sample->number;
        see_line(seen, sample->number, line, end, here ? MG_BLANKS : list->separator);
    }
    if (!list->columns && alone && !may_be_alone(reader, sample->input))
        return fail_shape(sample->input, alone,
                          "1 column found, but an edge list has 2 or 3 (from, to, weight); with format el these are "
                          "vertices without an edge.");
    if (!list->columns && alone) {
        unsigned columns = reader->weighted == MG_YES ? 3 : 2; /* as of the edges before, if there are any */
        *list = (mg_edge_list){.separator = MG_BLANKS, .usual = ' ', .columns = columns, .name_columns = columns};
    }
    return MEGURI_OK;
}

meguri_status mg_look_at_edges(mg_reader *reader, mg_input *input, mg_edge_list *list) {
    mg_sample sample;
    mg_ids_seen seen = {0};
    *list = (mg_edge_list){0};
    mg_sample_start(&sample, input);
    meguri_status status = look_at_lines(&sample, reader, list, &seen);
    if (status == MEGURI_OK && sample.too_far) { /* then all of it is dropped */
        mg_sample_end(&sample);
        status = mg_input_skip_nothing(input);
        mg_sample_start(&sample, input);
        if (status == MEGURI_OK) status = look_at_lines(&sample, reader, list, &seen);
    }
    mg_sample_end(&sample);
    if (status != MEGURI_OK || !list->columns) return status;
    status = mg_reader_ids(reader, input, &seen);
    if (reader->string_ids == MG_NO && list->separator == MG_TAB) list->separator = MG_BLANKS;
    if (reader->string_ids == MG_YES) list->columns = list->name_columns;
    return status;
}

meguri_status mg_read_edges(mg_reader *reader, mg_input *input, mg_edge_list *list) {
    if (!list->columns) {
        mg_warn(reader->ctx, "%s holds no edges.", input->name);
        return MEGURI_OK;
    }
    meguri_status status = mg_reader_weights(reader, input, list->columns == 3, &list->weighted);
    if (status != MEGURI_OK) return status;
    mg_pass pass = {.reader = reader, .input = input, .format = list, .is_table = true};
    pass.parse = reader->string_ids == MG_YES ? parse_strings : parse_integers;
    status = mg_pass_run(&pass, (mg_plan){.cut = MG_CUT_LINES, .longest_line = MG_LONGEST_LINE});
    if (status != MEGURI_OK) return status;
    const mg_noted *alone = &pass.noted[MG_ALONE];
    if (alone->count)
        mg_warn(reader->ctx,
                "%s:%" PRIu64 ": lines with a single id (%" PRIu64
                ", of which this is the first) are taken for vertices "
                "without an edge.",
                input->name, alone->inside, alone->count);
    mg_tell_hidden(&pass);
    return MEGURI_OK;
}

static meguri_status read_edgelist(mg_reader *reader, mg_input *input) {
    mg_edge_list list;
    meguri_status status = mg_reader_direction(reader, input, MEGURI_DIRECTED);
    if (status == MEGURI_OK) status = mg_look_at_edges(reader, input, &list);
    return status == MEGURI_OK ? mg_read_edges(reader, input, &list) : status;
}

/* ---- writing ---------------------------------------------------------------------------------------------------- */

/* Every stored arc is a line. String ids are parted by tabs, because they may hold blanks. */
static void row(const mg_write_job *job, mg_text *text, const mg_write_row *r) {
    mg_write_lines(job, text, r, "", r->degree);
}

/* The suffix says whether weights are wanted; by its name alone the format has those that there are. */
static const mg_writer writer = {.loses_isolated = true, .plain_names = true, .declares = true, .row = row};
static const mg_writer writer_el = {.suffix = ".el",
                                    .weights = MG_WEIGHTS_NEVER,
                                    .loses_isolated = true,
                                    .plain_names = true,
                                    .declares = true,
                                    .row = row};
static const mg_writer writer_wel = {.suffix = ".wel",
                                     .weights = MG_WEIGHTS_ALWAYS,
                                     .loses_isolated = true,
                                     .plain_names = true,
                                     .declares = true,
                                     .row = row};

/* It has no clue of its own: what no other format wants is an edge list. */
const mg_format mg_format_el = {.declared = true, .read = read_edgelist, .writers = {&writer, &writer_el, &writer_wel}};
