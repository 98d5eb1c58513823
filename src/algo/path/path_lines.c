/* A line of pairs, taken apart. There are three forms, and the first line says which it is:
 *
 *     from,to,max-hops          a header, with tabs, commas, semicolons, bars or blanks between the columns; then a row
 *                               for each pair
 *     {"from": 1, "to": 5}      a JSON object a line
 *     1 <tab> 5 <tab> k=3       two ids, then settings by name; parted as rows are
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
    return mg_fail(
        ctx, MEGURI_BAD_INPUT,
        "%sgive two ids a line, with a tab, a comma, a semicolon or blanks between them, and in double quotes "
        "where they have such inside; then settings such as max-hops=3, if any.",
        where);
}

/* ---- rows below a header ---------------------------------------------------------------------------------------- */

meguri_status mg_path_columns_read(mg_path_columns *columns, meguri_ctx *ctx, const char *const *names, uint32_t count,
                                   const char *where) {
    bool seen[MG_PAIR_FIELDS] = {true, true};
    uint32_t from = 0, to = 1;
    *columns = (mg_path_columns){.form = MG_PAIR_ROWS};
    if (count > MG_PAIR_MOST_COLUMNS)
        return mg_fail(ctx, MEGURI_BAD_INPUT,
                       "%sthere are %" PRIu32 " columns, and pairs have no use for more than %d.", where, count,
                       MG_PAIR_MOST_COLUMNS);
    mg_list_find_pair(&from, &to, names, count);
    for (uint32_t i = 0; i < count; i++) {
        mg_path_field f = i == from ? MG_PAIR_FROM : i == to ? MG_PAIR_TO : field_of(names[i], strlen(names[i]));
        columns->field[columns->count++] = f;
        if (i == from || i == to || (f == MG_PAIR_FIELDS && mg_list_is_index(names[i]))) continue;
        if (f == MG_PAIR_FIELDS) return no_field(ctx, where, names[i], strlen(names[i]));
        if (seen[f]) return twice(ctx, where, f);
        seen[f] = true;
    }
    return MEGURI_OK;
}

static meguri_status take_row(mg_path_line *line, const mg_path_columns *columns, meguri_ctx *ctx,
                              const char *const *fields, uint32_t count, const char *where) {
    for (uint32_t i = 0; i < count; i++) {
        if (i >= columns->count && *fields[i])
            return mg_fail(ctx, MEGURI_BAD_INPUT, "%sthere are more fields than the header has columns (%" PRIu32 ").",
                           where, columns->count);
        if (i < columns->count && *fields[i] && columns->field[i] < MG_PAIR_FIELDS)
            line->field[columns->field[i]] = fields[i];
    }
    if (!line->field[MG_PAIR_FROM] || !line->field[MG_PAIR_TO])
        return mg_fail(ctx, MEGURI_BAD_INPUT, "%sgive both ids, from and to.", where);
    return MEGURI_OK;
}

/* ---- two ids and settings --------------------------------------------------------------------------------------- */

/* NAME=VALUE, of which several may stand in a field with blanks between. */
static meguri_status take_settings(mg_path_line *line, meguri_ctx *ctx, const char *text, const char *where) {
    for (const char *at = text + strspn(text, " \t"); *at; at += strspn(at, " \t")) {
        size_t length = strcspn(at, " \t"), name = strcspn(at, "= \t");
        if (name == length) return not_two_ids(ctx, where);
        mg_path_field f = field_of(at, name);
        if (f == MG_PAIR_FIELDS) return no_field(ctx, where, at, name);
        if (line->field[f]) return twice(ctx, where, f);
        if (length - name > sizeof line->setting[f])
            return mg_fail(ctx, MEGURI_BAD_INPUT, "%s%s is longer than any value is.", where, mg_path_field_name(f));
        memcpy(line->setting[f], at + name + 1, length - name - 1);
        line->setting[f][length - name - 1] = '\0';
        line->field[f] = line->setting[f];
        at += length;
    }
    return MEGURI_OK;
}

static meguri_status take_words(mg_path_line *line, meguri_ctx *ctx, const char *const *fields, uint32_t count,
                                const char *where) {
    meguri_status status = MEGURI_OK;
    if (count < 2 || !*fields[0] || !*fields[1]) return not_two_ids(ctx, where);
    line->field[MG_PAIR_FROM] = fields[0];
    line->field[MG_PAIR_TO] = fields[1];
    for (uint32_t i = 2; i < count && status == MEGURI_OK; i++) status = take_settings(line, ctx, fields[i], where);
    return status;
}

meguri_status mg_path_line_take(mg_path_line *line, const mg_path_columns *columns, meguri_ctx *ctx,
                                const char *const *fields, uint32_t count, const char *where) {
    *line = (mg_path_line){.object = NULL};
    return columns->form == MG_PAIR_ROWS ? take_row(line, columns, ctx, fields, count, where)
                                         : take_words(line, ctx, fields, count, where);
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

meguri_status mg_path_line_object(mg_path_line *line, meguri_ctx *ctx, const char *text, const char *where) {
    json_error_t error;
    const char *key;
    *line = (mg_path_line){.object = NULL};
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
            snprintf(line->setting[f], sizeof line->setting[f], "%" PRId64, (int64_t)json_integer_value(value));
        else if (json_is_real(value)) mg_real_text(line->setting[f], json_real_value(value));
        else if (!json_is_string(value))
            return mg_fail(ctx, MEGURI_BAD_INPUT, "%s%s is neither a text nor a number.", where, mg_path_field_name(f));
        line->field[f] = json_is_string(value) ? json_string_value(value) : line->setting[f];
    }
    if (!line->field[MG_PAIR_FROM] || !line->field[MG_PAIR_TO])
        return mg_fail(ctx, MEGURI_BAD_INPUT, "%sgive both ids, \"from\" and \"to\".", where);
    return MEGURI_OK;
}

void mg_path_line_free(mg_path_line *line) {
    json_decref(line->object);
    line->object = NULL;
}
