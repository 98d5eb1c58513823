/* Questions out of lines of text: ids become vertices, and what a line says comes before what the base says. */
#define _GNU_SOURCE /* strtod_l */
#include "algo/path/path_pairs.h"

#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST_LINE ((size_t)1 << 20)
#define WHERE_TEXT   256

struct meguri_path_pairs {
    const meguri_graph *graph;
    char *name;
    meguri_path_query base;
    bool begun; /* there was a line, which said how the others look */
    mg_path_columns columns;
    char *line;
    size_t line_room;
    meguri_path_query *queries;
    uint64_t count, room;
    locale_t c_locale;
};

/* ---- values ----------------------------------------------------------------------------------------------------- */

static bool parse_whole(const char *text, uint64_t *out) {
    *out = 0;
    for (const char *at = text; *at; at++)
        if (*at < '0' || *at > '9' || __builtin_mul_overflow(*out, 10u, out) ||
            __builtin_add_overflow(*out, (uint64_t)(*at - '0'), out))
            return false;
    return *text && *out >= 1;
}

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
    bool every = q->algorithm == MEGURI_PATH_ALL || q->algorithm == MEGURI_PATH_SIMPLE;
    if (every && !q->max_hops && !q->limit && !q->has_max_cost && !(q->timeout > 0))
        return mg_fail(ctx, MEGURI_BAD_INPUT,
                       "%sall paths can be more than anyone can wait for: give max-hops, max-cost, limit or timeout.",
                       where);
    return MEGURI_OK;
}

/* Room for the line, which is taken apart in place, and for one more question. */
static meguri_status make_room(meguri_ctx *ctx, meguri_path_pairs *pairs, size_t bytes) {
    if (bytes >= pairs->line_room) {
        char *line = mg_resize(ctx, pairs->line, 2 * bytes + 256, "a line of pairs");
        if (!line) return MEGURI_NO_MEMORY;
        pairs->line = line;
        pairs->line_room = 2 * bytes + 256;
    }
    if (pairs->count == pairs->room) {
        uint64_t room = 2 * pairs->room + 16;
        meguri_path_query *queries = mg_resize(ctx, pairs->queries, room * sizeof *queries, "questions about paths");
        if (!queries) return MEGURI_NO_MEMORY;
        pairs->queries = queries;
        pairs->room = room;
    }
    return MEGURI_OK;
}

meguri_status meguri_path_pairs_add(meguri_ctx *ctx, meguri_path_pairs *pairs, const char *line, size_t bytes,
                                    uint64_t number) {
    char where[WHERE_TEXT];
    mg_path_line parts;
    bool header = false;
    if (!ctx || !pairs || !line) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    snprintf(where, sizeof where, "%.200s:%" PRIu64 ": ", pairs->name, number);
    if (bytes > LONGEST_LINE) return mg_fail(ctx, MEGURI_BAD_INPUT, "%sthe line is too long for two ids.", where);
    if (memchr(line, '\0', bytes))
        return mg_fail(ctx, MEGURI_BAD_INPUT, "%sthere is a zero byte in it; give two ids a line, as text.", where);
    meguri_status status = make_room(ctx, pairs, bytes);
    if (status != MEGURI_OK) return status;
    memcpy(pairs->line, line, bytes);
    pairs->line[bytes] = '\0';
    const char *start = pairs->line + strspn(pairs->line, " \t\r");
    if (!*start || *start == '#') return MEGURI_OK;
    if (!pairs->begun) status = mg_path_columns_read(&pairs->columns, &header, ctx, pairs->line, where);
    if (status != MEGURI_OK) return status;
    pairs->begun = true;
    if (header) return MEGURI_OK;
    status = mg_path_line_take(&parts, &pairs->columns, ctx, pairs->line, where);
    if (status == MEGURI_OK) status = make_query(&pairs->queries[pairs->count], ctx, pairs, &parts, where);
    pairs->count += status == MEGURI_OK;
    mg_path_line_free(&parts);
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
    pairs->graph = graph;
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
    mg_free(pairs->queries);
    mg_free(pairs);
}
