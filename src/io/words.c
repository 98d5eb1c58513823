/* The words of a line: columns, names, and the sentences about those that are wrong. */
#define _GNU_SOURCE
#include "io/read.h"

#include <inttypes.h>

enum { LONGEST_SHOWN = 60 };

static bool ends_word(char c, char separator) {
    return c == '\n' || c == '\r' || (separator == MG_BLANKS ? mg_is_blank(c) : c == separator);
}

/* Carriage returns inside a field are part of it; before a line end they are cut off as blanks. */
static bool ends_field(char c, char separator) {
    return c == '\n' || (separator == MG_BLANKS ? mg_is_blank(c) : c == separator);
}

mg_word mg_word_at(const char *p, char separator) {
    int length = 0;
    while (!ends_word(p[length], separator) && length < LONGEST_SHOWN) length++;
    return (mg_word){(int)mg_cut_text(p, (size_t)length + (length == LONGEST_SHOWN), LONGEST_SHOWN), p};
}

size_t mg_cut_text(const char *text, size_t length, size_t room) {
    if (length <= room) return length;
    while (room && ((unsigned char)text[room] & 0xc0) == 0x80) room--;
    return room;
}

/* Behind what begins with the double quote at p, and ends with another; two together are one inside. */
static const char *behind_quotes(const char *p) {
    for (p++; *p != '\n' && (*p != '"' || *++p == '"');) p++;
    return p;
}

/* Behind the field at p, quotes and all. */
static const char *skip_field(const char *p, char separator) {
    if (mg_has_quotes(separator) && *p == '"') p = behind_quotes(p);
    while (!ends_word(*p, separator)) p++;
    return p;
}

unsigned mg_count_columns(const char *p, char separator) {
    unsigned columns = 0;
    p = mg_skip_blanks(p);
    /* Blanks at the end of a line are no column, though tabs may be separators. */
    const char *last = rawmemchr(p, '\n');
    while (last > p && mg_is_blank(last[-1])) last--;
    while (p < last) {
        columns++;
        p = skip_field(p, separator);
        if (p >= last || !mg_skip_separator(&p, separator)) break;
        columns += p >= last; /* empty, behind the last separator */
    }
    return columns;
}

/* Takes the quotes off, in place; what becomes free is filled with blanks, so that lines can still be counted. */
static bool take_quoted(const char **p, const char *end, mg_field *field) {
    char *from = (char *)(uintptr_t)*p + 1, *to = from; /* the buffer behind a chunk is the thread's own */
    field->text = to;
    for (;; from++) {
        if (from >= end) return false;
        if (*from == '"') {
            if (from[1] != '"') break;
            from++;
        }
        *to++ = *from;
    }
    field->length = (size_t)(to - field->text);
    memset(to, ' ', (size_t)(from - to));
    *p = from + 1;
    return true;
}

/* Behind the blanks around a field; a tab may be what ends it. */
static const char *skip_around(const char *p, char separator) {
    while (mg_is_blank(*p) && (separator != MG_TAB || *p != MG_TAB)) p++;
    return p;
}

bool mg_take_field(const char **p, const char *end, char separator, bool quotes, mg_field *field) {
    const char *at = skip_around(*p, separator);
    if (quotes && *at == '"') {
        if (!take_quoted(&at, end, field)) return false;
        *p = at = skip_around(at, separator);
        return *at == '\n' || *at == separator;
    }
    field->text = (char *)(uintptr_t)at;
    while (!ends_field(*at, separator)) {
        if (quotes && *at == '"') return false;
        at++;
    }
    *p = at;
    while (at > field->text && mg_is_blank(at[-1])) at--;
    field->length = (size_t)(at - field->text);
    return true;
}

meguri_status mg_check_name(mg_pass *pass, const mg_chunk *chunk, const mg_field *field) {
    if (field->length && mg_is_name(field->text, field->length)) return MEGURI_OK;
    if (!field->length) return mg_pass_bad(pass, chunk, field->text, "an id is missing.");
    return mg_pass_bad(pass, chunk, field->text,
                       "an id is not UTF-8 text, or holds a line end, a tab or a zero byte; convert the file "
                       "(for example with iconv -f latin1 -t utf-8).");
}

meguri_status mg_take_name(mg_pass *pass, const mg_chunk *chunk, mg_names *names, const mg_field *field,
                           uint32_t *number) {
    meguri_status status = mg_check_name(pass, chunk, field);
    return status == MEGURI_OK ? mg_names_add(pass->reader->ctx, names, field->text, field->length, number) : status;
}

meguri_status mg_note_ids(mg_pass *pass, const mg_chunk *chunk, const char *where, bool negative, bool huge) {
    /* Sequentially consistent: of two threads that note one kind each, at least one sees the other's. */
    mg_reader *reader = pass->reader;
    if (negative) __atomic_store_n(&reader->negative_ids, 1, __ATOMIC_SEQ_CST);
    if (huge) __atomic_store_n(&reader->huge_ids, 1, __ATOMIC_SEQ_CST);
    if ((negative || huge) && __atomic_load_n(&reader->negative_ids, __ATOMIC_SEQ_CST) &&
        __atomic_load_n(&reader->huge_ids, __ATOMIC_SEQ_CST))
        return mg_pass_fail(pass, chunk, where,
                            "some ids are negative and others above 9223372036854775807, which no integer type holds "
                            "together; with the option ids (string) all are read as strings.");
    return MEGURI_OK;
}

meguri_status mg_fail_vertex(mg_pass *pass, const mg_chunk *chunk, const char *p, mg_numbers numbers) {
    mg_word word = mg_word_at(p, MG_BLANKS);
    uint64_t id;
    if (!word.length) return mg_pass_fail(pass, chunk, p, "a vertex number is missing.");
    const char *at = p;
    if (!mg_parse_u64(&at, &id) || at != p + word.length)
        return mg_pass_fail(pass, chunk, p, "'%.*s' is not a vertex number.", word.length, word.text);
    return mg_pass_fail(pass, chunk, p,
                        "vertex %" PRIu64 " is out of range: the header says %" PRIu64 " to %" PRIu64 ".", id,
                        numbers.first, numbers.last);
}

bool mg_header_numbers(const char *p, uint64_t *numbers, int count) {
    for (int i = 0; i < count; i++) {
        p = mg_skip_blanks(p);
        if (!mg_parse_u64(&p, &numbers[i]) || (!mg_is_blank(*p) && *p != '\n')) return false;
    }
    return *mg_skip_blanks(p) == '\n';
}

bool mg_is_missing(const mg_field *field) {
    static const char *const words[] = {"na", "n/a", "nan", "null", "none", NULL};
    char text[8];
    if (field->length >= sizeof text) return false;
    for (size_t i = 0; i < field->length; i++) {
        char c = field->text[i];
        text[i] = (char)(c >= 'A' && c <= 'Z' ? c | 0x20 : c);
    }
    text[field->length] = '\0';
    for (size_t i = 0; words[i]; i++)
        if (strcmp(text, words[i]) == 0) return true;
    return !field->length;
}

/* Whether groups of three digits are parted, as in 1,234,567 or 1 234 or 1.234,5: by one character all along, which
 * another may follow before decimals. A point that comes once parts decimals. */
static bool parts_thousands(const char *text, size_t length) {
    size_t since = 0, groups = 0, i = length && (*text == '-' || *text == '+');
    char gap = '\0';
    for (; i < length; i++) {
        if (mg_is_digit(text[i])) since++;
        else if (!strchr(",. '_", text[i]) || !text[i]) return false;
        else if (gap && text[i] != gap) break;
        else {
            if (groups ? since != 3 : since < 1 || since > 3) return false;
            gap = text[i];
            groups++;
            since = 0;
        }
    }
    if (since != 3 || !groups || (gap == '.' && groups == 1 && i == length)) return false;
    if (i < length) i++; /* the sign of decimals */
    while (i < length && mg_is_digit(text[i])) i++;
    return i == length;
}

/* Whether the only thing wrong with a number is a comma where the point belongs. */
static bool has_decimal_comma(const char *text, size_t length) {
    const char *comma = memchr(text, ',', length);
    if (!comma || comma == text) return false;
    for (size_t i = 0; i < length; i++)
        if (!mg_is_digit(text[i]) && text + i != comma && !(i == 0 && (*text == '-' || *text == '+'))) return false;
    return comma + 1 < text + length;
}

/* What is wrong with a weight, after its text. */
static const char *wrong_weight(const mg_field *field, mg_number_status status) {
    if (!field->length) return "is missing";
    if (parts_thousands(field->text, field->length))
        return "has signs that part thousands or decimals; write numbers without separators of thousands, and "
               "decimals with a point";
    if (has_decimal_comma(field->text, field->length))
        return "has a decimal comma; write decimals with a point, and part columns by blanks, tabs or semicolons";
    switch (status) {
    case MG_NUMBER_NOT_FINITE: return "is not finite; remove the line or read without weights";
    case MG_NUMBER_TOO_LARGE: return "is beyond the range of 64-bit floating point";
    case MG_NUMBER_INEXACT:
        return "is a whole number above 2^53 that 64-bit floating point cannot hold exactly; scale the weights down or "
               "read without them";
    default: return "is not a number";
    }
}

/* What options of tables do about it. */
static const char *advice_on_weights(const mg_pass *pass, const mg_field *field, mg_number_status status) {
    if (!pass->is_table) return "";
    if (mg_is_missing(field)) return "; --default-weight says what such edges have, --skip-bad leaves their lines out";
    if (status > MG_NUMBER_NONE || parts_thousands(field->text, field->length) ||
        has_decimal_comma(field->text, field->length))
        return "";
    return "; --weight-column names another column, --weights none reads no weights";
}

meguri_status mg_fail_weight_field(mg_pass *pass, const mg_chunk *chunk, const mg_field *field,
                                   mg_number_status status) {
    const char *advice = advice_on_weights(pass, field, status), *wrong = wrong_weight(field, status);
    if (!field->length) return mg_pass_bad(pass, chunk, field->text, "the weight %s%s.", wrong, advice);
    return mg_pass_bad(pass, chunk, field->text, "the weight '%.*s' %s%s.",
                       (int)mg_cut_text(field->text, field->length, LONGEST_SHOWN), field->text, wrong, advice);
}

meguri_status mg_fail_weight(mg_pass *pass, const mg_chunk *chunk, const char *p, char separator,
                             mg_number_status status) {
    const mg_field field = {(char *)(uintptr_t)p, (size_t)(skip_field(p, separator) - p)};
    return mg_fail_weight_field(pass, chunk, &field, status);
}

/* Whether a separator stands in a line, and quotes go around whole fields then: "a;b";Paris, Texas has semicolons. */
static bool parts_fields(const char *p, const char *end, char separator) {
    const char *found = memchr(p, separator, (size_t)(end - p));
    if (!found || !mg_has_quotes(separator)) return found;
    for (bool parted = false;; parted = true, p++) {
        p = mg_skip_blanks(p);
        const char *next = skip_field(p, separator);
        if (*p == '"' ? mg_skip_blanks(behind_quotes(p)) < next : memchr(p, '"', (size_t)(next - p)) != NULL)
            return false;
        p = next;
        if (p >= end || *p != separator) return parted;
    }
}

/* Tabs before commas before semicolons before blanks: names with blanks or commas in them are tabbed. Where quotes fit
 * none of them, the parser says so. */
char mg_find_separator(const char *line, const char *end) {
    static const char candidates[] = {MG_TAB, MG_COMMA, MG_SEMICOLON};
    while (end > line && mg_is_blank(end[-1])) end--;
    line = mg_skip_blanks(line);
    for (size_t i = 0; i < sizeof candidates; i++)
        if (line < end && parts_fields(line, end, candidates[i])) return candidates[i];
    for (size_t i = 0; i < sizeof candidates; i++)
        if (line < end && memchr(line, candidates[i], (size_t)(end - line))) return candidates[i];
    return MG_BLANKS;
}

/* What parts a line all of whose tabs stand in double quotes; a tab: they do not. */
static char find_outside_quotes(const char *p, const char *end) {
    bool inside = false;
    for (const char *at = p; at < end; at++) {
        if (*at == MG_TAB && !inside) return MG_TAB;
        inside ^= *at == '"';
    }
    return parts_fields(p, end, MG_COMMA) ? MG_COMMA : parts_fields(p, end, MG_SEMICOLON) ? MG_SEMICOLON : MG_TAB;
}

char mg_header_separator(const char *line, const char *end) {
    char separator = mg_find_separator(line, end);
    if (separator == MG_TAB) return find_outside_quotes(line, end);
    return separator == MG_BLANKS && memchr(line, MG_BAR, (size_t)(end - line)) ? MG_BAR : separator;
}
