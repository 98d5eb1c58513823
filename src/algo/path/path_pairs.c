/* Questions out of lines of text: ids become vertices, and what a line says comes before what the base says. */
#define _GNU_SOURCE /* strtod_l */
#include "algo/path/path_pairs.h"

#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <meguri/extra/list.h>
#include <meguri/extra/path_pairs.h>
#include <meguri/extra/words.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST_LINE ((size_t)1 << 20)
#define WHERE_TEXT   256

enum { BETWEEN_LOOKS = 1 << 12 }; /* lines, at whether the user has had enough */

struct meguri_path_pairs {
    const meguri_graph *graph;
    char *name;
    meguri_path_query base;
    bool begun; /* there was a line, which said how the others look */
    mg_path_columns columns;
    char separator;
    char *line; /* cut into fields */
    size_t line_room;
    const char **fields;
    uint32_t field_count, field_room;
    meguri_path_query *queries;
    uint64_t count, room;
    locale_t c_locale;
};

/* ---- values ----------------------------------------------------------------------------------------------------- */

static bool parse_whole(const char *text, uint64_t *out) { return meguri_parse_count(out, text) && *out >= 1; }

/* A decimal number, not negative; the words and hexadecimals of strtod are not wanted here. */
static bool parse_real(const char *text, double *out, locale_t c_locale) {
    char *end;
    if (text[strspn(text, "+0123456789.eE-")]) return false;
    *out = strtod_l(text, &end, c_locale);
    return end > text && !*end && *out >= 0 && isfinite(*out);
}

static meguri_status wrong_value(meguri_ctx *ctx, const char *where, mg_path_field f, const char *text) {
    char names[256] = "";
    const char *give =
        f == MG_PAIR_MAX_COST || f == MG_PAIR_TIMEOUT ? "a number, not negative" : "a whole number of at least 1";
    if (f == MG_PAIR_ALGORITHM) {
        size_t used = 0;
        for (int i = MEGURI_PATH_AUTO; i <= MEGURI_PATH_TREE; i++)
            if (i != MEGURI_PATH_INDEXED) /* AUTO takes it where there is one */
                used += (size_t)snprintf(names + used, sizeof names - used, "%s%s",
                                         i == 0                 ? ""
                                         : i < MEGURI_PATH_TREE ? ", "
                                                                : " or ",
                                         meguri_path_algorithm_name((meguri_path_algorithm)i));
        give = names;
    }
    return mg_fail(ctx, MEGURI_BAD_INPUT, "%s%s %.80s: give %s.", where, mg_path_field_name(f), text, give);
}

static meguri_status set_field(meguri_path_query *q, meguri_ctx *ctx, const meguri_path_pairs *pairs, const char *where,
                               mg_path_field f, const char *text) {
    bool good = true;
    int algorithm;
    switch (f) {
    case MG_PAIR_ALGORITHM:
        algorithm = meguri_path_algorithm_from_name(text);
        good = algorithm >= 0 && algorithm != MEGURI_PATH_INDEXED;
        q->algorithm = (meguri_path_algorithm)algorithm;
        break;
    case MG_PAIR_K: good = parse_whole(text, &q->k); break;
    case MG_PAIR_MAX_HOPS: good = parse_whole(text, &q->max_hops); break;
    case MG_PAIR_LIMIT: good = parse_whole(text, &q->limit); break;
    case MG_PAIR_MAX_COST:
        good = parse_real(text, &q->max_cost, pairs->c_locale);
        q->has_max_cost = 1;
        break;
    case MG_PAIR_TIMEOUT:
        good = parse_real(text, &q->timeout, pairs->c_locale);
        if (good && q->timeout == 0)
            return mg_fail(ctx, MEGURI_BAD_INPUT, "%stimeout 0: give a number of seconds above 0, or leave it out.",
                           where);
        break;
    case MG_PAIR_FROM:
    case MG_PAIR_TO:
    case MG_PAIR_FIELDS: break;
    }
    return good ? MEGURI_OK : wrong_value(ctx, where, f, text);
}

/* ---- a line ----------------------------------------------------------------------------------------------------- */

static meguri_status find_vertex(uint64_t *vertex, meguri_ctx *ctx, const meguri_graph *graph, const char *text,
                                 const char *where) {
    char sentence[1024];
    meguri_status status = meguri_graph_find_like(vertex, ctx, graph, text);
    if (status == MEGURI_OK) return status;
    snprintf(sentence, sizeof sentence, "%s", meguri_ctx_error(ctx));
    mg_begin(ctx);
    return mg_fail(ctx, status, "%s%s", where, sentence);
}

static meguri_status make_query(meguri_path_query *q, meguri_ctx *ctx, const meguri_path_pairs *pairs,
                                const mg_path_line *line, const char *where) {
    *q = pairs->base;
    meguri_status status = find_vertex(&q->from, ctx, pairs->graph, line->field[MG_PAIR_FROM], where);
    if (status == MEGURI_OK) status = find_vertex(&q->to, ctx, pairs->graph, line->field[MG_PAIR_TO], where);
    for (mg_path_field f = MG_PAIR_ALGORITHM; f < MG_PAIR_FIELDS && status == MEGURI_OK; f++)
        if (line->field[f]) status = set_field(q, ctx, pairs, where, f, line->field[f]);
    if (status != MEGURI_OK) return status;
    if (q->k && q->algorithm == MEGURI_PATH_AUTO && !line->field[MG_PAIR_ALGORITHM]) q->algorithm = MEGURI_PATH_YENS;
    if (line->field[MG_PAIR_K] && q->algorithm != MEGURI_PATH_YENS)
        return mg_fail(ctx, MEGURI_BAD_INPUT,
                       "%sk is for algorithm yens; give that, or limit for at most so many paths.", where);
    if (q->costs_only && !mg_path_one_cheapest(q->algorithm))
        return mg_fail(ctx, MEGURI_BAD_INPUT, "%sthe algorithm %s: costs alone are those of one cheapest path.", where,
                       meguri_path_algorithm_name(q->algorithm));
    bool every = q->algorithm == MEGURI_PATH_ALL || q->algorithm == MEGURI_PATH_SIMPLE;
    if (every && !q->max_hops && !q->limit && !q->has_max_cost && !(q->timeout > 0))
        return mg_fail(ctx, MEGURI_BAD_INPUT,
                       "%sall paths can be more than anyone can wait for: give max-hops, max-cost, limit or timeout.",
                       where);
    return MEGURI_OK;
}

/* One more question. */
static meguri_status add_query(meguri_ctx *ctx, meguri_path_pairs *pairs, const mg_path_line *line, const char *where) {
    if (pairs->count == pairs->room) {
        uint64_t room = 2 * pairs->room + 16;
        meguri_path_query *queries = mg_resize(ctx, pairs->queries, room * sizeof *queries, "questions about paths");
        if (!queries) return MEGURI_NO_MEMORY;
        pairs->queries = queries;
        pairs->room = room;
    }
    meguri_status status = make_query(&pairs->queries[pairs->count], ctx, pairs, line, where);
    pairs->count += status == MEGURI_OK;
    return status;
}

static meguri_status add_fields(meguri_ctx *ctx, meguri_path_pairs *pairs, const char *where) {
    mg_path_line parts;
    meguri_status status = mg_path_line_take(&parts, &pairs->columns, ctx, pairs->fields, pairs->field_count, where);
    return status == MEGURI_OK ? add_query(ctx, pairs, &parts, where) : status;
}

static meguri_status add_object(meguri_ctx *ctx, meguri_path_pairs *pairs, const char *text, const char *where) {
    mg_path_line parts;
    meguri_status status = mg_path_line_object(&parts, ctx, text, where);
    if (status == MEGURI_OK) status = add_query(ctx, pairs, &parts, where);
    mg_path_line_free(&parts);
    return status;
}

static meguri_status keep_field(meguri_ctx *ctx, meguri_path_pairs *pairs, const char *field) {
    if (pairs->field_count == pairs->field_room) {
        uint32_t room = 2 * pairs->field_room + 16;
        const char **fields = mg_resize(ctx, (void *)pairs->fields, room * sizeof *fields, "a line of pairs");
        if (!fields) return MEGURI_NO_MEMORY;
        pairs->fields = fields;
        pairs->field_room = room;
    }
    pairs->fields[pairs->field_count++] = field;
    return MEGURI_OK;
}

/* ---- lines of the caller ---------------------------------------------------------------------------------------- */

/* A copy to be cut, with a line end and a zero behind it. */
static meguri_status copy_line(meguri_ctx *ctx, meguri_path_pairs *pairs, const char *line, size_t bytes) {
    if (bytes + 2 > pairs->line_room) {
        char *larger = mg_resize(ctx, pairs->line, 2 * bytes + 256, "a line of pairs");
        if (!larger) return MEGURI_NO_MEMORY;
        pairs->line = larger;
        pairs->line_room = 2 * bytes + 256;
    }
    memcpy(pairs->line, line, bytes);
    memcpy(pairs->line + bytes, "\n", 2);
    return MEGURI_OK;
}

static meguri_status split_line(meguri_ctx *ctx, meguri_path_pairs *pairs, char *start, const char *where) {
    mg_list_taken taken = MG_LIST_TAKEN;
    char separator = pairs->separator;
    if (separator == '\t' && !strchr(start, '\t')) separator = ' ';
    pairs->field_count = 0;
    while (taken == MG_LIST_TAKEN) {
        char *field;
        taken = mg_list_take(&start, separator, &field);
        if (taken > MG_LIST_LAST)
            return mg_fail(ctx, MEGURI_BAD_INPUT, "%sa quoted field does not end as it should; close the quote.",
                           where);
        meguri_status status = keep_field(ctx, pairs, field);
        if (status != MEGURI_OK) return status;
    }
    return MEGURI_OK;
}

/* Whether the first line names columns; names of one or two letters could be ids. */
static bool is_header(const meguri_path_pairs *pairs) {
    uint32_t from, to;
    return mg_list_find_pair(&from, &to, pairs->fields, pairs->field_count) &&
           (strlen(pairs->fields[from]) > 2 || strlen(pairs->fields[to]) > 2);
}

static meguri_status add_line(meguri_ctx *ctx, meguri_path_pairs *pairs, char *start, const char *where) {
    bool first = !pairs->begun;
    char *end = start + strlen(start) - 1; /* the line end */
    if (first) pairs->columns.form = *start == '{' ? MG_PAIR_OBJECTS : MG_PAIR_WORDS;
    if (first) pairs->separator = mg_list_separator(start, end);
    *end = '\0';
    pairs->begun = true;
    if (pairs->columns.form == MG_PAIR_OBJECTS) return add_object(ctx, pairs, start, where);
    meguri_status status = split_line(ctx, pairs, start, where);
    if (status != MEGURI_OK || !first || !is_header(pairs))
        return status == MEGURI_OK ? add_fields(ctx, pairs, where) : status;
    return mg_path_columns_read(&pairs->columns, ctx, pairs->fields, pairs->field_count, where);
}

meguri_status meguri_path_pairs_add(meguri_ctx *ctx, meguri_path_pairs *pairs, const char *line, size_t bytes,
                                    uint64_t number) {
    char where[WHERE_TEXT];
    if (!ctx || !pairs || !line) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    snprintf(where, sizeof where, "%.200s:%" PRIu64 ": ", pairs->name, number);
    if (bytes > LONGEST_LINE) return mg_fail(ctx, MEGURI_BAD_INPUT, "%sthe line is too long for two ids.", where);
    if (memchr(line, '\0', bytes))
        return mg_fail(ctx, MEGURI_BAD_INPUT, "%sthere is a zero byte in it; give two ids a line, as text.", where);
    if (!pairs->begun && bytes >= 3 && memcmp(line, "\xEF\xBB\xBF", 3) == 0)
        line += 3, bytes -= 3; /* byte order mark */
    meguri_status status = copy_line(ctx, pairs, line, bytes);
    if (status != MEGURI_OK) return status;
    char *start = pairs->line + strspn(pairs->line, " \t\r");
    return *start == '\n' || mg_list_is_remark(start) ? MEGURI_OK : add_line(ctx, pairs, start, where);
}

/* ---- lines of a list -------------------------------------------------------------------------------------------- */

static void name_line(char where[WHERE_TEXT], const meguri_list *list, uint64_t line) {
    snprintf(where, WHERE_TEXT, "%.200s:%" PRIu64 ": ", meguri_list_name(list), line);
}

static meguri_status read_header(meguri_ctx *ctx, meguri_path_pairs *pairs, const meguri_list *list) {
    char where[WHERE_TEXT];
    meguri_status status = MEGURI_OK;
    const char *name;
    pairs->columns = (mg_path_columns){.form = MG_PAIR_WORDS};
    pairs->begun = false; /* lines that come behind the list say themselves how they look */
    pairs->field_count = 0;
    for (uint32_t c = 0; (name = meguri_list_column(list, c)) && status == MEGURI_OK; c++)
        status = keep_field(ctx, pairs, name);
    if (status != MEGURI_OK || !pairs->field_count) return status;
    name_line(where, list, mg_list_header_line(list));
    return mg_path_columns_read(&pairs->columns, ctx, pairs->fields, pairs->field_count, where);
}

static meguri_status add_row(meguri_ctx *ctx, meguri_path_pairs *pairs, const meguri_list *list, uint64_t row) {
    char where[WHERE_TEXT];
    meguri_status status = MEGURI_OK;
    const char *field = meguri_list_field(list, row, 0);
    name_line(where, list, meguri_list_line(list, row));
    if (pairs->columns.form == MG_PAIR_OBJECTS) return add_object(ctx, pairs, field, where);
    pairs->field_count = 0;
    for (uint32_t c = 0; (field = meguri_list_field(list, row, c)) && status == MEGURI_OK; c++)
        status = keep_field(ctx, pairs, field);
    return status == MEGURI_OK ? add_fields(ctx, pairs, where) : status;
}

meguri_status meguri_path_pairs_add_list(meguri_ctx *ctx, meguri_path_pairs *pairs, const meguri_list *list) {
    if (!ctx || !pairs || !list) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    if (!mg_list_has_pairs(list))
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "%s was read as a list of vertices.", meguri_list_name(list));
    uint64_t rows = meguri_list_rows(list);
    meguri_status status = read_header(ctx, pairs, list);
    if (rows && !mg_list_header_line(list) && *meguri_list_field(list, 0, 0) == '{')
        pairs->columns.form = MG_PAIR_OBJECTS;
    for (uint64_t i = 0; i < rows && status == MEGURI_OK; i++) {
        if (i % BETWEEN_LOOKS == 0 && mg_progress(ctx, "pairs", i, rows)) return mg_fail_cancelled(ctx);
        status = add_row(ctx, pairs, list, i);
    }
    return status;
}

/* ---- all of them ------------------------------------------------------------------------------------------------ */

meguri_status meguri_path_pairs_new(meguri_path_pairs **out, meguri_ctx *ctx, const meguri_graph *graph,
                                    const char *name, const meguri_path_query *base) {
    if (out) *out = NULL;
    if (!out || !ctx || !graph || !name) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    meguri_status status = mg_graph_whole(ctx, graph);
    if (status != MEGURI_OK) return status;
    meguri_path_pairs *pairs = mg_alloc_zero(ctx, sizeof *pairs, "questions about paths");
    if (!pairs) return MEGURI_NO_MEMORY;
    pairs->graph = mg_graph_hold(graph);
    status = mg_options(ctx, &pairs->base, sizeof pairs->base, base, "meguri_path_query");
    pairs->base.size = sizeof pairs->base;
    if (status == MEGURI_OK && !(pairs->name = mg_strdup(ctx, name, "a name"))) status = MEGURI_NO_MEMORY;
    pairs->c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (status == MEGURI_OK && !pairs->c_locale)
        status = mg_fail(ctx, MEGURI_NO_MEMORY, "the system has no memory for a locale.");
    if (status == MEGURI_OK) *out = pairs;
    else meguri_path_pairs_free(pairs);
    return status;
}

meguri_status meguri_path_pairs_get(const meguri_path_query **queries, uint64_t *count,
                                    const meguri_path_pairs *pairs) {
    if (!queries || !count || !pairs) return MEGURI_BAD_ARGUMENT;
    *queries = pairs->queries;
    *count = pairs->count;
    return MEGURI_OK;
}

void meguri_path_pairs_free(meguri_path_pairs *pairs) {
    if (!pairs) return;
    if (pairs->c_locale) freelocale(pairs->c_locale);
    mg_free(pairs->name);
    mg_free(pairs->line);
    mg_free((void *)pairs->fields);
    mg_free(pairs->queries);
    mg_graph_let_go(pairs->graph);
    mg_free(pairs);
}
