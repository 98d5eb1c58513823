/* Results out of text: a header line, then a line for each vertex, as result_tsv.c writes them.
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
} text_reader;

typedef struct field {
    const char *begin, *end;
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
    if (column->type == MEGURI_COLUMN_F64) {
        if (!real_of(&real, t, f)) return bad_field(t, f, column, "is no number that fits");
        ((double *)column->items)[t->row] = real;
    } else {
        if (!is_word(f, "inf") && (!whole_of(&whole, &negative, f) || negative))
            return bad_field(t, f, column, "is no whole number that fits");
        ((uint64_t *)column->items)[t->row] = whole;
    }
    return MEGURI_OK;
}

/* ---- numbers of a type that is still to be found ---------------------------------------------------------------- */

/* Whole numbers so far, and from now on real ones. */
static meguri_status turn_real(const text_reader *t, mg_read_column *column, field f) {
    uint64_t *whole = column->items;
    double *real = column->items;
    for (uint64_t row = 0; row < t->row; row++) {
        bool infinite = column->infinite && whole[row] == UINT64_MAX;
        uint64_t bits = whole[row], back;
        real[row] = infinite ? HUGE_VAL : column->negative ? (double)(int64_t)bits : (double)bits;
        back = column->negative ? (uint64_t)(int64_t)real[row] : real[row] < 0x1p64 ? (uint64_t)real[row] : 0;
        if (!infinite && back != bits)
            return bad_field(t, f, column, "stands below a whole number that no real number is equal to");
    }
    column->real = true;
    return MEGURI_OK;
}

static meguri_status take_any(const text_reader *t, mg_read_column *column, field f) {
    uint64_t magnitude = 0;
    bool negative = false, infinite = is_word(f, "inf"), whole = infinite || whole_of(&magnitude, &negative, f);
    double real;
    if (negative && magnitude > (uint64_t)1 << 63) whole = false;
    /* -1 and infinity would be the same bits, and so would negative numbers and very large ones. */
    bool apart = (column->infinite || infinite || column->greatest > INT64_MAX || magnitude > INT64_MAX) &&
                 (column->negative || negative);
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
    column->type = column->real ? MEGURI_COLUMN_F64 : narrow ? MEGURI_COLUMN_I32 : MEGURI_COLUMN_U64;
    if (column->type == MEGURI_COLUMN_U64 && column->negative)
        return mg_fail(r->ctx, MEGURI_BAD_INPUT,
                       "%s: the column %.200s has negative whole numbers beside such that do not fit 32 bits, and no "
                       "result has such a column.",
                       r->input->name, column->name);
    if (column->type != MEGURI_COLUMN_I32) return MEGURI_OK;
    const uint64_t *from = column->items;
    int32_t *to = column->items;
    for (uint64_t row = 0; row < r->rows; row++) to[row] = (int32_t)(int64_t)from[row];
    return MEGURI_OK;
}

/* ---- ids -------------------------------------------------------------------------------------------------------- */

/* A name without its escapes, in the scratch, which is as long as the line; NULL where one is none. */
static const char *name_of(uint64_t *length, mg_result_reader *r, field f) {
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
    bool found;
    *to = MEGURI_NO_VERTEX;
    if (mg_read_has_names(r)) {
        const char *name = name_of(&length, r, f);
        found = name && mg_read_find_name(to, r, name, length);
    } else found = number_of(&id, r, f) && mg_read_find_id(to, r, id);
    bool none = r->graph->id_kind == MEGURI_ID_UNSIGNED ? is_word(f, "-1") : f.begin == f.end;
    return found || none ? MEGURI_OK : mg_read_no_vertex(r, place_of(place, t, f.begin), column);
}

static bool is_own(const text_reader *t, field f) {
    mg_result_reader *r = t->r;
    uint64_t id, length;
    if (!mg_read_has_names(r)) return number_of(&id, r, f) && mg_read_is_id(r, t->row, id);
    const char *name = name_of(&length, r, f);
    return name && mg_read_is_name(r, t->row, name, length);
}

/* ---- lines ------------------------------------------------------------------------------------------------------ */

static bool next_field(field *out, const char **at, const char *end) {
    if (!*at) return false;
    const char *tab = memchr(*at, '\t', (size_t)(end - *at));
    *out = (field){*at, tab ? tab : end};
    *at = tab ? tab + 1 : NULL;
    return true;
}

static meguri_status take_field(const text_reader *t, mg_read_column *column, field f) {
    switch (column->type) {
    case MEGURI_COLUMN_I8:
    case MEGURI_COLUMN_I16:
    case MEGURI_COLUMN_I32: return take_integer(t, column, f);
    case MEGURI_COLUMN_U64:
    case MEGURI_COLUMN_F64: return take_number(t, column, f);
    case MEGURI_COLUMN_VERTEX: return take_vertex(t, column, f);
    default: return take_any(t, column, f);
    }
}

static meguri_status take_line(text_reader *t, const char *line, const char *end) {
    mg_result_reader *r = t->r;
    char place[MG_READ_PLACE];
    const char *at = line;
    field f;
    if (!mg_read_scratch(r, (size_t)(end - line))) return MEGURI_NO_MEMORY;
    if (end > line && end[-1] == '\r') end--;
    if (!next_field(&f, &at, end) || !is_own(t, f)) return mg_read_other_graph(r, place_of(place, t, line));
    meguri_status status = MEGURI_OK;
    uint32_t c = 0;
    for (; status == MEGURI_OK && c < r->column_count && next_field(&f, &at, end); c++)
        status = take_field(t, &r->columns[c], f);
    if (status == MEGURI_OK && (c < r->column_count || at))
        status = mg_fail(r->ctx, MEGURI_BAD_INPUT, "%s: this line has %s fields than the first one.",
                         place_of(place, t, line), at ? "more" : "fewer");
    t->row++;
    return status;
}

static meguri_status take_head(mg_result_reader *r) {
    const char *line, *end, *at;
    field f;
    meguri_status status = mg_input_line(r->input, &line, &end);
    if (status != MEGURI_OK) return status;
    if (line && end > line && end[-1] == '\r') end--;
    at = line;
    bool first = line && next_field(&f, &at, end);
    if (first && !is_word(f, "vertex") && at && next_field(&f, &at, end) && is_word(f, "vertex"))
        return mg_header_fail(r->input, "this is a table of many results; one result has a row for each vertex.");
    if (!first || !is_word(f, "vertex"))
        return mg_fail(r->ctx, MEGURI_BAD_INPUT,
                       "%s: this is no result: its first line begins with the word vertex, and tabs are between names.",
                       r->input->name);
    while (status == MEGURI_OK && next_field(&f, &at, end)) {
        uint32_t c = r->column_count;
        meguri_column_type type = c < r->options->columns ? r->options->types[c] : (meguri_column_type)0;
        status = mg_read_add_column(r, f.begin, (size_t)(f.end - f.begin), type);
        if (status == MEGURI_OK && !type) r->columns[c].type = mg_read_known_type(r->columns[c].name);
    }
    return status == MEGURI_OK ? mg_read_columns_known(r) : status;
}

static meguri_status take_lines(text_reader *t) {
    mg_result_reader *r = t->r;
    meguri_status status = mg_input_start(r->input, &(mg_plan){.cut = MG_CUT_LINES, .chunk_bytes = 1 << 20});
    while (status == MEGURI_OK) {
        t->chunk.begin = NULL;
        status = mg_input_next(r->input, &t->chunk);
        if (status != MEGURI_OK || !t->chunk.begin) break;
        for (const char *line = t->chunk.begin; line < t->chunk.end && status == MEGURI_OK;) {
            const char *end = mg_line_end(line, t->chunk.end);
            status = take_line(t, line, end);
            line = end + 1;
        }
        if (status == MEGURI_OK && mg_input_cancelled(r->input)) status = mg_fail_cancelled(r->ctx);
    }
    if (status == MEGURI_OK && t->row < r->rows) status = mg_read_too_few(r, t->row);
    return status;
}

meguri_status mg_result_read_tsv(mg_result_reader *r) {
    text_reader t = {.r = r, .c_locale = mg_locale_new()};
    meguri_status status =
        t.c_locale ? take_head(r) : mg_fail(r->ctx, MEGURI_NO_MEMORY, "the system has no memory for a locale.");
    if (status == MEGURI_OK) status = take_lines(&t);
    for (uint32_t c = 0; c < r->column_count && status == MEGURI_OK; c++) status = settle(r, &r->columns[c]);
    mg_free(t.chunk.buffer);
    mg_locale_free(t.c_locale);
    return status;
}
