/* A line of pairs, taken apart. There are three forms, and the first line says which it is:
 *
 *     from,to,max-hops          a header, with commas, tabs or blanks between the columns; then a row for each pair
 *     {"from": 1, "to": 5}      a JSON object a line
 *     1 <tab> 5 <tab> k=3       two ids, then settings by name; blanks will do where no id has any
 */
#include "algo/path/path_pairs.h"

#include <inttypes.h>
#include <jansson.h>
#include <string.h>

const char *mg_path_field_name(mg_path_field field) {
    static const char *const names[MG_PAIR_FIELDS] = {"from",     "to",       "algorithm", "k",
                                                      "max-hops", "max-cost", "limit",     "timeout"};
    return names[field];
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/* MG_PAIR_FIELDS: there is none of that name. */
static mg_path_field field_of(const char *name, size_t length) {
    for (mg_path_field f = MG_PAIR_FROM; f < MG_PAIR_FIELDS; f++) {
        const char *known = mg_path_field_name(f);
        size_t i = 0;
        while (i < length && (known[i] == name[i] || (known[i] == '-' && name[i] == '_'))) i++;
        if (i == length && !known[i]) return f;
    }
    return MG_PAIR_FIELDS;
}

static meguri_status no_field(meguri_ctx *ctx, const char *where, const char *name, size_t length) {
    return mg_fail(ctx, MEGURI_BAD_INPUT,
                   "%spairs have no \"%.*s\"; they have from, to, algorithm, k, max-hops, max-cost, limit and timeout.",
                   where, length > 60 ? 60 : (int)length, name);
}

static meguri_status twice(meguri_ctx *ctx, const char *where, mg_path_field field) {
    return mg_fail(ctx, MEGURI_BAD_INPUT, "%s%s comes twice; give it once.", where, mg_path_field_name(field));
}

static meguri_status not_two_ids(meguri_ctx *ctx, const char *where) {
    return mg_fail(ctx, MEGURI_BAD_INPUT,
                   "%sgive two ids a line, with a tab between them (or blanks, if no id has any), then settings such "
                   "as max-hops=3, if any.",
                   where);
}

static char *trim(char *text) {
    while (is_blank(*text)) text++;
    size_t length = strlen(text);
    while (length && is_blank(text[length - 1])) text[--length] = '\0';
    return text;
}

/* ---- rows below a header ---------------------------------------------------------------------------------------- */

/* The field that begins at *rest, which moves to the next one, or becomes NULL. One in double quotes may have what is
 * between fields, and two quotes for one. False: a quote has no end. */
static bool next_field(char **rest, char separator, char **field) {
    char *at = *rest, *to;
    while (is_blank(*at) && (*at != separator || separator == ' ')) at++;
    if (*at != '"' || separator == ' ') {
        *field = at;
        at += strcspn(at, separator == ' ' ? " \t" : (char[]){separator, 0});
        *rest = *at ? at + 1 : NULL;
        *at = '\0';
        *field = trim(*field);
        while (separator == ' ' && *rest && is_blank(**rest)) ++*rest;
        if (*rest && separator == ' ' && !**rest) *rest = NULL;
        return true;
    }
    *field = to = ++at;
    for (; *at && (*at != '"' || at[1] == '"'); at++) {
        if (*at == '"') at++;
        *to++ = *at;
    }
    if (!*at++) return false;
    *to = '\0';
    while (is_blank(*at) && *at != separator) at++;
    *rest = *at ? at + 1 : NULL;
    return !*at || *at == separator;
}

static meguri_status take_row(mg_path_line *line, const mg_path_columns *columns, meguri_ctx *ctx, char *text,
                              const char *where) {
    char *rest = text, *field;
    for (size_t i = 0; rest; i++) {
        if (!next_field(&rest, columns->separator, &field))
            return mg_fail(ctx, MEGURI_BAD_INPUT, "%sa quoted field does not end as it should; close the quote.",
                           where);
        if (i >= columns->count && *field)
            return mg_fail(ctx, MEGURI_BAD_INPUT, "%sthere are more fields than the header has columns (%zu).", where,
                           columns->count);
        if (i < columns->count && *field) line->field[columns->field[i]] = field;
    }
    if (!line->field[MG_PAIR_FROM] || !line->field[MG_PAIR_TO])
        return mg_fail(ctx, MEGURI_BAD_INPUT, "%sgive both ids, from and to.", where);
    return MEGURI_OK;
}

/* ---- objects ---------------------------------------------------------------------------------------------------- */

static bool is_integer(const char *text, size_t length) {
    size_t sign = *text == '-', digits = strspn(text + sign, "0123456789");
    return sign + digits == length && text[sign] != '0';
}

/* A copy in which integers that may be too large for the reader of JSON (which has 63 bits; ids have 64) are texts.
 * NULL: no memory. */
static char *quote_long_integers(meguri_ctx *ctx, const char *text) {
    enum { LONG = 19 }; /* characters from which on they may be */
    size_t length = strlen(text);
    char *copy = mg_alloc(ctx, length + length / LONG * 2 + 1, "a line of pairs"), *to = copy;
    bool in_text = false;
    while (copy && *text) {
        size_t piece = in_text || (*text != '-' && (*text < '0' || *text > '9')) ? 0 : strspn(text, "+-.0123456789eE");
        bool quote = piece >= LONG && is_integer(text, piece);
        if (!piece) piece = in_text && *text == '\\' && text[1] ? 2 : 1;
        if (*text == '"') in_text = !in_text;
        if (quote) *to++ = '"';
        memcpy(to, text, piece);
        to += piece;
        if (quote) *to++ = '"';
        text += piece;
    }
    if (copy) *to = '\0';
    return copy;
}

static meguri_status take_object(mg_path_line *line, meguri_ctx *ctx, const char *text, const char *where) {
    json_error_t error;
    const char *key;
    char *readable = quote_long_integers(ctx, text);
    if (!readable) return MEGURI_NO_MEMORY;
    json_t *value, *object = line->object = json_loads(readable, JSON_REJECT_DUPLICATES, &error);
    mg_free(readable);
    if (!object && json_error_code(&error) == json_error_out_of_memory)
        return mg_fail(ctx, MEGURI_NO_MEMORY, "the system has no memory for the ids.");
    if (!json_is_object(object))
        return mg_fail(ctx, MEGURI_BAD_INPUT, "%sthis is no JSON object (%.100s); give one a line, as in the first.",
                       where, object ? "but another value" : error.text);
    json_object_foreach(object, key, value) {
        mg_path_field f = field_of(key, strlen(key));
        if (f == MG_PAIR_FIELDS) return no_field(ctx, where, key, strlen(key));
        if (line->field[f]) return twice(ctx, where, f);
        if (json_is_null(value)) continue;
        if (json_is_integer(value))
            snprintf(line->number[f], sizeof line->number[f], "%" PRId64, (int64_t)json_integer_value(value));
        else if (json_is_real(value)) mg_real_text(line->number[f], json_real_value(value));
        else if (!json_is_string(value))
            return mg_fail(ctx, MEGURI_BAD_INPUT, "%s%s is neither a text nor a number.", where, mg_path_field_name(f));
        line->field[f] = json_is_string(value) ? json_string_value(value) : line->number[f];
    }
    if (!line->field[MG_PAIR_FROM] || !line->field[MG_PAIR_TO])
        return mg_fail(ctx, MEGURI_BAD_INPUT, "%sgive both ids, \"from\" and \"to\".", where);
    return MEGURI_OK;
}

/* ---- ids and settings ------------------------------------------------------------------------------------------- */

/* A word that ends at a blank or a tab, and what comes after it. */
static char *next_word(char **rest) {
    char *word = *rest;
    while (is_blank(*word)) word++;
    char *end = word + strcspn(word, " \t\r");
    *rest = *end ? end + 1 : end;
    *end = '\0';
    return word;
}

static meguri_status take_words(mg_path_line *line, meguri_ctx *ctx, char *text, const char *where) {
    char *rest = trim(text), *tab = strchr(rest, '\t');
    for (mg_path_field f = MG_PAIR_FROM; f <= MG_PAIR_TO; f++) {
        if (tab) {
            char *end = rest + strcspn(rest, "\t"), *next = *end ? end + 1 : end;
            *end = '\0';
            line->field[f] = trim(rest);
            rest = next;
        } else line->field[f] = next_word(&rest);
        if (!*line->field[f]) return not_two_ids(ctx, where);
    }
    for (char *word; *(word = next_word(&rest));) {
        char *value = strchr(word, '=');
        if (!value) return not_two_ids(ctx, where);
        mg_path_field f = field_of(word, (size_t)(value - word));
        if (f == MG_PAIR_FIELDS) return no_field(ctx, where, word, (size_t)(value - word));
        if (line->field[f]) return twice(ctx, where, f);
        line->field[f] = value + 1;
    }
    return MEGURI_OK;
}

/* ---- the file --------------------------------------------------------------------------------------------------- */

meguri_status mg_path_columns_read(mg_path_columns *columns, bool *is_header, meguri_ctx *ctx, char *text,
                                   const char *where) {
    char *start = text, *rest, *field;
    *columns = (mg_path_columns){.form = MG_PAIR_WORDS};
    *is_header = false;
    if (strncmp(start, "\xEF\xBB\xBF", 3) == 0) memmove(start, start + 3, strlen(start + 3) + 1); /* a mark of UTF-8 */
    if (*trim(start) == '{') columns->form = MG_PAIR_OBJECTS;
    columns->separator = strchr(start, '\t') ? '\t' : strchr(start, ',') ? ',' : ' ';
    /* Looked at in a copy, because it may be no header at all. */
    char *copy = mg_strdup(ctx, start, "a line of pairs");
    if (!copy) return MEGURI_NO_MEMORY;
    meguri_status status = MEGURI_OK;
    rest = copy;
    for (mg_path_field f = MG_PAIR_FROM; f <= MG_PAIR_TO; f++)
        *is_header = columns->form != MG_PAIR_OBJECTS && (f == MG_PAIR_FROM || *is_header) && rest &&
                     next_field(&rest, columns->separator, &field) && field_of(field, strlen(field)) == f;
    if (*is_header) {
        bool seen[MG_PAIR_FIELDS] = {true, true};
        columns->form = MG_PAIR_ROWS;
        columns->field[columns->count++] = MG_PAIR_FROM;
        columns->field[columns->count++] = MG_PAIR_TO;
        while (rest && status == MEGURI_OK && next_field(&rest, columns->separator, &field)) {
            mg_path_field f = field_of(field, strlen(field));
            if (f == MG_PAIR_FIELDS) status = no_field(ctx, where, field, strlen(field));
            else if (seen[f]) status = twice(ctx, where, f);
            else seen[columns->field[columns->count++] = f] = true;
        }
    }
    mg_free(copy);
    return status;
}

meguri_status mg_path_line_take(mg_path_line *line, const mg_path_columns *columns, meguri_ctx *ctx, char *text,
                                const char *where) {
    *line = (mg_path_line){.object = NULL};
    switch (columns->form) {
    case MG_PAIR_ROWS: return take_row(line, columns, ctx, text, where);
    case MG_PAIR_OBJECTS: return take_object(line, ctx, text, where);
    case MG_PAIR_WORDS: break;
    }
    return take_words(line, ctx, text, where);
}

void mg_path_line_free(mg_path_line *line) {
    json_decref(line->object);
    line->object = NULL;
}
