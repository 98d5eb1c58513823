/* A look at the first records of a table: what its columns hold, and whether the first record is a header.
 *
 * The first record is a header where its fields cannot be data of their columns (a name where numbers follow), or
 * where its names are usual ones. Where neither is so it is data, which the reader says in a warning, unless a name of
 * it occurs again as an id. What is found depends on the first record and MG_SAMPLE_BYTES behind its first line alone,
 * never on how the input arrives. */
#include "io/csv.h"

#include <inttypes.h>

/* ---- fields ----------------------------------------------------------------------------------------------------- */

typedef enum kind { MISSING, INTEGER, NUMBER, WORD } kind;

static kind kind_of(const mg_reader *reader, const mg_field *field) {
    const char *p = field->text, *end = p + field->length;
    uint64_t id;
    double value;
    bool flag = false;
    if (mg_is_missing(field)) return MISSING;
    if (mg_parse_id(&p, &id, &flag, &flag) && p == end) return INTEGER;
    p = field->text;
    return mg_parse_number(&p, &value, reader->c_locale) != MG_NUMBER_NONE && p == end ? NUMBER : WORD;
}

static bool is_word_of(const mg_field *field, const char *word) {
    char name[16];
    mg_csv_plain_name(field, name, sizeof name);
    return strcmp(name, word) == 0;
}

meguri_direction mg_csv_direction(const mg_field *field) {
    return is_word_of(field, "directed")     ? MEGURI_DIRECTED
           : is_word_of(field, "undirected") ? MEGURI_UNDIRECTED
                                             : MEGURI_DIRECTION_DEFAULT;
}

/* ---- records ---------------------------------------------------------------------------------------------------- */

/* The fields of the record at *p, of which the first `room` are kept; false if its quotes are wrong. Blanks at the end
 * of a line are no column, though tabs may be separators. */
static bool take_record(mg_csv_look *look, const char **p, const char *end, mg_field *fields, unsigned room,
                        unsigned *columns, bool header) {
    const char *start = *p;
    *columns = 0;
    do {
        mg_field field;
        if (!mg_take_field(p, end, look->separator, look->quotes, &field)) return false;
        if (*columns < room) fields[*columns] = field;
        ++*columns;
    } while (!(header && *mg_skip_blanks(*p) == '\n') && mg_skip_separator(p, look->separator));
    *p = mg_line_end(*p, end);
    look->spans |= mg_count_lines(start, *p) != 0;
    ++*p;
    return true;
}

static void see_value(mg_csv_seen *seen, const mg_reader *reader, const mg_field *field) {
    switch (kind_of(reader, field)) {
    case MISSING: seen->missing++; break;
    case INTEGER: seen->integers++; break;
    case NUMBER: seen->numbers++; break;
    case WORD: {
        meguri_direction direction = mg_csv_direction(field);
        if (!seen->words && direction) seen->direction = direction;
        if (!direction) seen->direction = MEGURI_DIRECTION_DEFAULT;
        seen->words++;
    }
    }
}

static bool same(const mg_field *a, const mg_field *b) {
    return a->length && a->length == b->length && memcmp(a->text, b->text, a->length) == 0;
}

static void see_records(mg_csv_look *look, const mg_reader *reader, const char *p, const char *end, bool whole,
                        mg_field *fields) {
    for (int records = 1; records < MG_SAMPLE_LINES && p < end; records++) {
        unsigned columns;
        const char *at = mg_skip_blanks(p);
        if (*at == '\n' || mg_is_comment(at)) {
            p = mg_line_end(at, end) + 1;
            continue;
        }
        if (!take_record(look, &p, end, fields, look->room, &columns, false)) return;
        if (p >= end && !whole) return; /* it may have been cut */
        if (columns != look->columns) continue;
        look->rows++;
        for (unsigned c = 0; c < MG_MIN(columns, look->room); c++) see_value(&look->seen[c], reader, &fields[c]);
        for (unsigned c = 0; c < 2 && c < columns; c++)
            look->again |= same(&fields[c], &look->first[0]) || (columns > 1 && same(&fields[c], &look->first[1]));
    }
}

/* Between tabs quotes are part of a name, unless all that begin a field end one, too, and there is something in them
 * that needs them: so does Excel write text parted by tabs. */
static bool tabs_have_quotes(const char *p, const char *end) {
    bool needed = false;
    while (p < end) {
        mg_field field;
        if (*p == '"') {
            const char *q = p + 1;
            for (; q < end && (*q != '"' || q[1] == '"'); q += *q == '"' ? 2 : 1)
                needed |= *q == '"' || *q == '\t' || *q == ',';
            if (q >= end) return needed;
            const char *behind = q + 1 + (q[1] == '\r');
            if (*behind != '\t' && *behind != '\n') return false;
            p = behind + 1;
            continue;
        }
        const char *at = p;
        if (!mg_take_field(&at, end, MG_TAB, false, &field)) return false;
        p = at + 1;
    }
    return needed;
}

meguri_status mg_csv_look_at(mg_csv_look *look, const mg_reader *reader, mg_input *input, size_t start,
                             size_t line_bytes, char separator) {
    size_t want = line_bytes + 1 + MG_SAMPLE_BYTES;
    *look = (mg_csv_look){.separator = separator, .quotes = mg_has_quotes(separator)};
    meguri_status status = mg_input_peek(input, start + want);
    if (status != MEGURI_OK) return status;
    size_t bytes = MG_MIN(input->head_bytes - start, want);
    bool whole = input->ended && !input->cut_off && input->head_bytes - start == bytes;
    /* On a copy, because taking quotes off changes the text. */
    look->copy = mg_alloc(input->ctx, bytes + 2 * MG_PAD, "a sample of a file");
    if (!look->copy) return MEGURI_NO_MEMORY;
    memset(look->copy, '\n', bytes + 2 * MG_PAD);
    memcpy(look->copy + MG_PAD, input->head + MG_PAD + start, bytes);
    const char *p = look->copy + MG_PAD, *end = p + bytes;
    if (separator == MG_TAB) look->quotes = tabs_have_quotes(p, end);
    bool inside = false; /* quotes, in which a line end is none of the record */
    for (const char *at = p; at < end && (*at != '\n' || inside) && look->room < MG_MOST_LOOKED; at++) {
        look->room += separator == MG_BLANKS ? mg_is_blank(*at) : *at == separator;
        inside ^= look->quotes && *at == '"';
    }
    look->room++;
    look->first = mg_alloc_array_zero(input->ctx, look->room, 2 * sizeof *look->first + sizeof *look->seen,
                                      "the columns of a table");
    if (!look->first) return MEGURI_NO_MEMORY;
    mg_field *fields = look->first + look->room;
    look->seen = (mg_csv_seen *)(fields + look->room);
    look->broken = !take_record(look, &p, end, look->first, look->room, &look->columns, true);
    look->first_bytes = MG_MIN((size_t)(p - look->copy - MG_PAD), bytes);
    look->room = MG_MIN(look->room, look->columns);
    if (!look->broken) see_records(look, reader, p, end, whole, fields);
    return MEGURI_OK;
}

void mg_csv_look_free(mg_csv_look *look) {
    mg_free(look->copy);
    mg_free(look->first);
    *look = (mg_csv_look){0};
}

void mg_csv_see_first(mg_csv_look *look, const mg_reader *reader) {
    for (unsigned c = 0; c < look->room; c++) see_value(&look->seen[c], reader, &look->first[c]);
    look->rows++;
}

bool mg_csv_is_numeric(const mg_csv_look *look, unsigned column) {
    if (column >= look->room) return false;
    const mg_csv_seen *seen = &look->seen[column];
    return seen->integers + seen->numbers && !seen->words;
}

bool mg_csv_has_numbers(const mg_csv_look *look, unsigned column) {
    return column < look->room && look->seen[column].integers + look->seen[column].numbers > look->seen[column].words;
}

/* ---- whether the first record is a header ----------------------------------------------------------------------- */

/* An option that names a column, rather than numbering it. */
static bool is_name(const char *option) {
    if (!option || !*option) return false;
    for (; mg_is_digit(*option); option++) {
    }
    return *option != '\0';
}

static meguri_header by_options(const mg_reader *reader) {
    const meguri_read_options *o = &reader->options;
    if (o->header != MEGURI_HEADER_AUTO) return o->header;
    bool named = o->column_count || is_name(o->source_column) || is_name(o->target_column) || is_name(o->weight_column);
    return named ? MEGURI_HEADER_YES : MEGURI_HEADER_AUTO;
}

/* What the names of the first record say. */
typedef struct names_found {
    bool source, target, weight;
    bool telling; /* one of those of the ids is too long to be that of a vertex */
    bool words;   /* no field is a number; only the first may be empty */
} names_found;

static names_found find_names(const mg_csv_look *look, const mg_reader *reader) {
    names_found found = {.words = true};
    for (unsigned c = 0; c < look->room; c++) {
        char name[32] = "";
        if (!mg_csv_is_only_column(&look->first[c])) mg_csv_plain_name(&look->first[c], name, sizeof name);
        bool source = mg_csv_find_name(name, mg_csv_source_names) != MG_NO_COLUMN;
        bool target = !source && mg_csv_find_name(name, mg_csv_target_names) != MG_NO_COLUMN;
        found.source |= source;
        found.target |= target;
        found.telling |= (source || target) && strlen(name) > 2;
        found.weight |= c > 1 && strlen(name) > 2 && mg_csv_find_name(name, mg_csv_weight_names) != MG_NO_COLUMN;
        kind is = look->first[c].length ? kind_of(reader, &look->first[c]) : MISSING;
        found.words &= is == WORD || (is == MISSING && (!c || look->first[c].length));
    }
    return found;
}

/* Whether names stand where numbers follow. Of ids one in a column may be a number by chance; among weights some may
 * be wrong. */
static bool numbers_follow(const mg_csv_look *look) {
    for (unsigned c = 2; c < look->room; c++)
        if (mg_csv_has_numbers(look, c)) return true;
    bool first = mg_csv_is_numeric(look, 0), second = mg_csv_is_numeric(look, 1);
    return (first && second) || ((first || second) && look->rows > 1);
}

mg_csv_decision mg_csv_has_header(const mg_csv_look *look, const mg_reader *reader) {
    meguri_header said = by_options(reader);
    if (said != MEGURI_HEADER_AUTO) return said == MEGURI_HEADER_YES ? MG_CSV_HEADER : MG_CSV_DATA;
    if (look->broken || look->columns < 2) return MG_CSV_DATA;
    names_found found = find_names(look, reader);
    if (found.source && found.target && found.telling) return MG_CSV_HEADER;
    if (!found.words) return MG_CSV_DATA;
    if (!look->first[0].length && look->columns > 2) return MG_CSV_HEADER; /* the index of pandas and R has no name */
    if (numbers_follow(look)) return MG_CSV_HEADER;
    if (look->again) return MG_CSV_DATA;
    if (found.source && found.target) return MG_CSV_SHORT_NAMES;
    return found.weight ? MG_CSV_HEADER : MG_CSV_UNSURE;
}

void mg_csv_tell_header(const mg_csv_look *look, mg_csv_decision decision, const mg_reader *reader, const char *name,
                        uint64_t line) {
    size_t length = mg_uncompressed_name(NULL, name);
    bool list = (length > 3 && strncmp(name + length - 3, ".el", 3) == 0) ||
                (length > 4 && strncmp(name + length - 4, ".wel", 4) == 0);
    if (list || look->columns < 2) return;
    int shown[2];
    for (int i = 0; i < 2; i++) shown[i] = (int)mg_cut_text(look->first[i].text, look->first[i].length, 40);
    if (decision == MG_CSV_UNSURE)
        mg_warn(reader->ctx,
                "%s:%" PRIu64 ": the first line, '%.*s' and '%.*s', is read as data; --header reads it as the names of "
                "the columns, --no-header as data without this warning.",
                name, line, shown[0], look->first[0].text, shown[1], look->first[1].text);
    if (decision == MG_CSV_SHORT_NAMES)
        mg_warn(reader->ctx,
                "%s:%" PRIu64 ": the first line, '%.*s' and '%.*s', is taken for a header; --no-header reads it as "
                "data.",
                name, line, shown[0], look->first[0].text, shown[1], look->first[1].text);
}
