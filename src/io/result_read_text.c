/* Results out of text: a header line, then a line for each vertex, as result_text.c writes them: .tsv or .csv.
 *
 * Text does not say what type its columns have. Those of the algorithms are known by their names; others get the type
 * that their values need, which is found while they are read: whole numbers until one is none. */
#include "io/result_read.h"

#include <inttypes.h>
#include <math.h>

typedef struct text_reader {
    mg_result_reader *r;
    mg_locale c_locale;
    mg_chunk chunk;
    uint64_t row;
    char separator; /* ',': fields may be quoted; else they have escapes */
} text_reader;

/* Without the quotes around it. */
typedef struct field {
    const char *begin, *end;
    bool quoted;
} field;

/* Where a line is, as a:7. */
static const char *place_of(char out[MG_READ_PLACE], const text_reader *t, const char *line) {
    uint64_t number = mg_input_line_number(t->r->input, &t->chunk, line);
    snprintf(out, MG_READ_PLACE, "%.1000s:%" PRIu64, t->r->input->name, number);
    return out;
}

static meguri_status bad_field(const text_reader *t, field f, const mg_read_column *column, const char *what) {
    char place[MG_READ_PLACE];
    return mg_fail(t->r->ctx, MEGURI_BAD_INPUT, "%s: '%.*s' in the column %.200s %s.", place_of(place, t, f.begin),
                   (int)MG_MIN(f.end - f.begin, 60), f.begin, column->name, what);
}

/* ---- numbers ---------------------------------------------------------------------------------------------------- */

static bool is_word(field f, const char *word) {
    size_t length = strlen(word);
    return (size_t)(f.end - f.begin) == length && memcmp(f.begin, word, length) == 0;
}

/* Digits with or without a minus; false where it is no whole number of 64 bits. */
static bool whole_of(uint64_t *magnitude, bool *negative, field f) {
    const char *at = f.begin;
    *negative = *at == '-';
    at += *negative;
    return mg_is_digit(*at) && mg_parse_u64(&at, magnitude) && at == f.end;
}

static bool real_of(double *out, const text_reader *t, field f) {
    const char *at = f.begin;
    if (is_word(f, "inf")) *out = HUGE_VAL;
    else if (is_word(f, "-inf")) *out = -HUGE_VAL;
    else if (is_word(f, "nan") || is_word(f, "-nan")) *out = (double)NAN;
    else return f.begin < f.end && mg_parse_number(&at, out, t->c_locale) == MG_NUMBER_OK && at == f.end;
    return true;
}

static meguri_status take_integer(const text_reader *t, mg_read_column *column, field f) {
    uint64_t magnitude;
    bool negative;
    int bits = 8 * (int)mg_column_size(column->type);
    uint64_t limit = ((uint64_t)1 << (bits - 1)) - 1;
    if (!whole_of(&magnitude, &negative, f) || magnitude > limit + negative)
        return bad_field(t, f, column, "is no whole number that fits");
    int64_t value = negative ? -(int64_t)magnitude : (int64_t)magnitude;
    if (bits == 8) ((int8_t *)column->items)[t->row] = (int8_t)value;
    else if (bits == 16) ((int16_t *)column->items)[t->row] = (int16_t)value;
    else ((int32_t *)column->items)[t->row] = (int32_t)value;
    return MEGURI_OK;
}

static meguri_status take_number(const text_reader *t, mg_read_column *column, field f) {
    bool negative = false;
    uint64_t whole = UINT64_MAX;
    double real = 0;
    if (column->type == MEGURI_TYPE_F64) {
        if (!real_of(&real, t, f)) return bad_field(t, f, column, "is no number that fits");
        ((double *)column->items)[t->row] = real;
    } else {
        if (!is_word(f, "inf") && (!whole_of(&whole, &negative, f) || negative || whole == UINT64_MAX))
            return bad_field(t, f, column, "is no whole number that fits");
        ((uint64_t *)column->items)[t->row] = whole;
    }
    return MEGURI_OK;
}

/* ---- numbers of a type that is still to be found ---------------------------------------------------------------- */

/* Digits with or without a minus, of any length. */
static bool is_whole(field f) {
    const char *at = f.begin;
    if (at < f.end && *at == '-') at++;
    bool any = at < f.end;
    while (at < f.end && mg_is_digit(*at)) at++;
    return any && at == f.end;
}

/* Whole numbers so far, and from now on real ones. */
static meguri_status turn_real(const text_reader *t, mg_read_column *column, field f) {
    uint64_t *whole = column->items;
    double *real = column->items;
    for (uint64_t row = 0; row < t->row; row++) {
        bool infinite = column->infinite && whole[row] == UINT64_MAX;
        uint64_t bits = whole[row], back;
        real[row] = infinite ? HUGE_VAL : column->negative ? (double)(int64_t)bits : (double)bits;
        back = column->negative ? (uint64_t)(int64_t)real[row] : real[row] < 0x1p64 ? (uint64_t)real[row] : 0;
        if (!infinite && back != bits) {
            char text[120];
            snprintf(text, sizeof text, column->negative ? "stands below %" PRId64 "%s" : "stands below %" PRIu64 "%s",
                     bits, ", a whole number that no real number is equal to");
            return bad_field(t, f, column, text);
        }
    }
    column->real = true;
    return MEGURI_OK;
}

static meguri_status take_any(const text_reader *t, mg_read_column *column, field f) {
    uint64_t magnitude = 0;
    bool negative = false, infinite = is_word(f, "inf"), whole = infinite || whole_of(&magnitude, &negative, f);
    double real;
    bool signs = column->negative || negative, large = !negative && magnitude > INT64_MAX;
    if (!column->real && !infinite && is_whole(f)) {
        if (!whole || magnitude > (negative ? (uint64_t)1 << 63 : UINT64_MAX - 1))
            return bad_field(t, f, column, "is a whole number of more than 64 bits, or 2^64 - 1, which is infinity");
        if (signs && (large || column->greatest > INT64_MAX))
            return bad_field(t, f, column, "does not fit the others: some are negative and some above 2^63 - 1");
    }
    /* -1 and infinity would be the same bits. */
    bool apart = signs && (column->infinite || infinite);
    if (!column->real && (!whole || apart)) {
        if (!real_of(&real, t, f))
            return bad_field(t, f, column, "is no number; is it the id of a vertex? Then say so in the types");
        meguri_status status = turn_real(t, column, f);
        if (status != MEGURI_OK) return status;
    }
    if (column->real) {
        if (!real_of(&real, t, f)) return bad_field(t, f, column, "is no number that fits");
        ((double *)column->items)[t->row] = real;
        return MEGURI_OK;
    }
    column->infinite |= infinite;
    column->negative |= negative;
    int64_t value = (int64_t)(negative ? 0 - magnitude : magnitude);
    if (negative) column->least = MG_MIN(column->least, value);
    else column->greatest = MG_MAX(column->greatest, magnitude);
    ((uint64_t *)column->items)[t->row] = infinite ? UINT64_MAX : (uint64_t)value;
    return MEGURI_OK;
}

/* The type that all values fit; distances are never narrow. */
static meguri_status settle(const mg_result_reader *r, mg_read_column *column) {
    bool narrow = column->least >= INT32_MIN && column->greatest <= INT32_MAX && !column->infinite &&
                  (column->negative || strcmp(column->name, "distance") != 0);
    if (column->type) return MEGURI_OK;
    column->type = column->real ? MEGURI_TYPE_F64 : narrow ? MEGURI_TYPE_I32 : MEGURI_TYPE_U64;
    if (column->type == MEGURI_TYPE_U64 && column->negative)
        return mg_fail(r->ctx, MEGURI_BAD_INPUT,
                       "%s: the column %.200s has negative whole numbers, down to %" PRId64
                       ", beside such that do not fit 32 bits, up to %" PRIu64 ", and no result has such a column.",
                       r->input->name, column->name, column->least, column->greatest);
    if (column->type != MEGURI_TYPE_I32) return MEGURI_OK;
    const uint64_t *from = column->items;
    int32_t *to = column->items;
    for (uint64_t row = 0; row < r->rows; row++) to[row] = (int32_t)(int64_t)from[row];
    return MEGURI_OK;
}

/* ---- ids -------------------------------------------------------------------------------------------------------- */

/* A name without its escapes, in the scratch, which is as long as the line; NULL where one is none. */
static const char *unescape(uint64_t *length, mg_result_reader *r, field f) {
    char *to = r->scratch;
    for (const char *at = f.begin; at < f.end; at++) {
        char c = *at;
        if (c == '\\') {
            static const char escapes[] = "tnr0\\", bytes[] = "\t\n\r\0\\";
            const char *found = ++at < f.end ? memchr(escapes, *at, sizeof escapes - 1) : NULL;
            if (!found) return NULL;
            c = bytes[found - escapes];
        }
        *to++ = c;
    }
    *length = (uint64_t)(to - r->scratch);
    return r->scratch;
}

/* … with one quote for two, where it was quoted. */
static const char *undouble(uint64_t *length, mg_result_reader *r, field f) {
    char *to = r->scratch;
    for (const char *at = f.begin; at < f.end; at++) {
        *to++ = *at;
        if (f.quoted && *at == '"') at++;
    }
    *length = (uint64_t)(to - r->scratch);
    return r->scratch;
}

static const char *name_of(uint64_t *length, const text_reader *t, field f) {
    return t->separator == ',' ? undouble(length, t->r, f) : unescape(length, t->r, f);
}

static bool number_of(uint64_t *id, const mg_result_reader *r, field f) {
    uint64_t magnitude;
    bool negative, has_sign = r->graph->id_kind == MEGURI_ID_SIGNED;
    if (!whole_of(&magnitude, &negative, f) || (negative && !has_sign)) return false;
    if (has_sign && magnitude > (uint64_t)INT64_MAX + negative) return false;
    *id = negative ? 0 - magnitude : magnitude;
    return true;
}

static meguri_status take_vertex(const text_reader *t, mg_read_column *column, field f) {
    mg_result_reader *r = t->r;
    uint32_t *to = (uint32_t *)column->items + t->row;
    uint64_t id, length;
    char place[MG_READ_PLACE];
    bool found, none = r->graph->id_kind == MEGURI_ID_UNSIGNED ? is_word(f, "-1") : f.begin == f.end && !f.quoted;
    *to = MG_NO_VERTEX;
    if (mg_read_has_names(r)) {
        bool certain = none && t->separator == ','; /* an empty id is quoted there */
        const char *name = certain ? NULL : name_of(&length, t, f);
        found = name && mg_read_find_name(to, r, name, length);
    } else found = number_of(&id, r, f) && mg_read_find_id(to, r, id);
    return found || none ? MEGURI_OK : mg_read_no_vertex(r, place_of(place, t, f.begin), column);
}

static bool is_own(const text_reader *t, field f) {
    mg_result_reader *r = t->r;
    uint64_t id, length;
    if (!mg_read_has_names(r)) return number_of(&id, r, f) && mg_read_is_id(r, t->row, id);
    const char *name = name_of(&length, t, f);
    return name && mg_read_is_name(r, t->row, name, length);
}

/* ---- lines ------------------------------------------------------------------------------------------------------ */

/* The quote that ends a field, whose first one is at `at`; NULL: there is none. */
static const char *closing_quote(const char *at, const char *end) {
    for (at++; (at = memchr(at, '"', (size_t)(end - at))); at += 2)
        if (at + 1 == end || at[1] != '"') return at;
    return NULL;
}

/* The field at *at, which moves to the next one, or becomes NULL after the last; false where there is none, and where
 * its quotes are not those of a field: then *at stays. */
static bool next_field(field *out, const text_reader *t, const char **at, const char *end) {
    if (!*at) return false;
    bool quoted = t->separator == ',' && *at < end && **at == '"';
    const char *close = quoted ? closing_quote(*at, end) : NULL;
    if (quoted && (!close || (close + 1 < end && close[1] != ','))) return false;
    const char *gap = quoted ? close + 1 : memchr(*at, t->separator, (size_t)(end - *at));
    if (gap == end) gap = NULL;
    *out = quoted ? (field){*at + 1, close, true} : (field){*at, gap ? gap : end, false};
    *at = gap ? gap + 1 : NULL;
    return true;
}

/* Where the line or record at `at` ends: at a line feed that is not in quotes. */
static const char *record_end(const text_reader *t, const char *at, const char *end) {
    if (t->separator != ',') return mg_line_end(at, end);
    for (const char *from = at;;) {
        const char *line = mg_line_end(from, end), *quote = memchr(from, '"', (size_t)(line - from));
        if (!quote) return line;
        const char *close = memchr(quote + 1, '"', (size_t)(end - quote - 1));
        if (!close) return end;
        from = close + 1;
    }
}

static meguri_status take_field(const text_reader *t, mg_read_column *column, field f) {
    switch (column->type) {
    case MEGURI_TYPE_I8:
    case MEGURI_TYPE_I16:
    case MEGURI_TYPE_I32: return take_integer(t, column, f);
    case MEGURI_TYPE_U64:
    case MEGURI_TYPE_F64: return take_number(t, column, f);
    case MEGURI_TYPE_VERTEX: return take_vertex(t, column, f);
    default: return take_any(t, column, f);
    }
}

static meguri_status bad_quotes(const text_reader *t, const char *line) {
    char place[MG_READ_PLACE];
    return mg_fail(t->r->ctx, MEGURI_BAD_INPUT,
                   "%s: a double quote is not where one may be: quotes go around a whole field, and are doubled "
                   "inside.",
                   place_of(place, t, line));
}

static meguri_status take_line(text_reader *t, const char *line, const char *end) {
    mg_result_reader *r = t->r;
    char place[MG_READ_PLACE];
    const char *at = line;
    field f;
    if (!mg_read_scratch(r, (size_t)(end - line))) return MEGURI_NO_MEMORY;
    if (end > line && end[-1] == '\r') end--;
    bool good = next_field(&f, t, &at, end);
    if (good && !is_own(t, f)) return mg_read_other_graph(r, place_of(place, t, line));
    meguri_status status = MEGURI_OK;
    uint32_t c = 0;
    for (; good && status == MEGURI_OK && c < r->column_count && at; c++)
        if ((good = next_field(&f, t, &at, end))) status = take_field(t, &r->columns[c], f);
    if (!good) return bad_quotes(t, line);
    if (status == MEGURI_OK && (c < r->column_count || at))
        status = mg_fail(r->ctx, MEGURI_BAD_INPUT, "%s: this line has %s fields than the first one.",
                         place_of(place, t, line), at ? "more" : "fewer");
    t->row++;
    return status;
}

static meguri_status take_title(const text_reader *t, field f) {
    mg_result_reader *r = t->r;
    uint64_t length;
    uint32_t c = r->column_count;
    meguri_type type = c < r->options->columns ? r->options->types[c] : (meguri_type)0;
    if (!mg_read_scratch(r, (size_t)(f.end - f.begin))) return MEGURI_NO_MEMORY;
    const char *name = name_of(&length, t, f);
    if (!name) return mg_header_fail(r->input, "a backslash in the name of a column begins no escape.");
    meguri_status status = mg_read_add_column(r, name, (size_t)length, type);
    if (status == MEGURI_OK && !type) r->columns[c].type = mg_read_known_type(r->columns[c].name);
    return status;
}

static meguri_status take_head(const text_reader *t) {
    mg_result_reader *r = t->r;
    const char *line, *end, *at;
    field f;
    meguri_status status = mg_input_line(r->input, &line, &end);
    if (status != MEGURI_OK) return status;
    if (line && end > line && end[-1] == '\r') end--;
    at = line;
    bool first = line && next_field(&f, t, &at, end);
    if (first && !is_word(f, "vertex") && at && next_field(&f, t, &at, end) && is_word(f, "vertex"))
        return mg_header_fail(r->input, "this is a table of many results; one result has a row for each vertex.");
    if (!first || !is_word(f, "vertex"))
        return mg_fail(r->ctx, MEGURI_BAD_INPUT,
                       "%s: this is no result: its first line begins with the word vertex, and %s are between names.",
                       r->input->name, t->separator == ',' ? "commas" : "tabs");
    while (status == MEGURI_OK && next_field(&f, t, &at, end)) status = take_title(t, f);
    if (status == MEGURI_OK && at) return mg_header_fail(r->input, "a double quote is not where one may be.");
    return status == MEGURI_OK ? mg_read_columns_known(r) : status;
}

/* Longer than any line of a result of this graph; an open quote must not fill the memory. */
static size_t longest_line(const mg_result_reader *r) {
    uint64_t each = 2 * r->longest_name + 64, all;
    bool large = __builtin_mul_overflow(each, (uint64_t)r->column_count + 1, &all) || all > SIZE_MAX / 8;
    return large ? SIZE_MAX / 8 : MG_LONGEST_LINE + (size_t)all;
}

static meguri_status take_lines(text_reader *t) {
    mg_result_reader *r = t->r;
    const mg_plan plan = {.cut = t->separator == ',' ? MG_CUT_QUOTED : MG_CUT_LINES,
                          .chunk_bytes = 1 << 20,
                          .longest_line = longest_line(r)};
    meguri_status status = mg_input_start(r->input, &plan);
    char place[MG_READ_PLACE];
    while (status == MEGURI_OK) {
        t->chunk.begin = NULL;
        status = mg_input_next(r->input, &t->chunk);
        if (status != MEGURI_OK || !t->chunk.begin) break;
        for (const char *line = t->chunk.begin; line < t->chunk.end && status == MEGURI_OK;) {
            const char *end = record_end(t, line, t->chunk.end);
            status = take_line(t, line, end);
            line = end + 1;
        }
        if (status == MEGURI_OK && t->chunk.overlong)
            status = mg_fail(r->ctx, MEGURI_BAD_INPUT,
                             "%s: this line is longer than any of a result of this graph; is a quote open, or the file "
                             "damaged?",
                             place_of(place, t, t->chunk.overlong));
        if (status == MEGURI_OK && mg_input_cancelled(r->input)) status = mg_fail_cancelled(r->ctx);
    }
    if (status == MEGURI_OK && t->row < r->rows) status = mg_read_too_few(r, t->row);
    return status;
}

static meguri_status read_text(mg_result_reader *r, char separator) {
    text_reader t = {.r = r, .c_locale = mg_locale_new(), .separator = separator};
    meguri_status status =
        t.c_locale ? take_head(&t) : mg_fail(r->ctx, MEGURI_NO_MEMORY, "the system has no memory for a locale.");
    if (status == MEGURI_OK) status = take_lines(&t);
    for (uint32_t c = 0; c < r->column_count && status == MEGURI_OK; c++) status = settle(r, &r->columns[c]);
    mg_free(t.chunk.buffer);
    mg_locale_free(t.c_locale);
    return status;
}

meguri_status mg_result_read_tsv(mg_result_reader *r) { return read_text(r, '\t'); }
meguri_status mg_result_read_csv(mg_result_reader *r) { return read_text(r, ','); }
