/* What is asked: one vertex and one or more others of the command line, or many pairs of a file, each with its limits.
 * A pair has the settings of the command line, and its own before them. */
#include "path/path.h"

#include <stdlib.h>
#include <string.h>

/* The settings of a question: what was typed for each option, or stands in its line. */
typedef struct settings {
    cli_value value[PATH_FIELDS]; /* from PATH_ALGORITHM on */
    bool own[PATH_FIELDS];        /* of the line */
} settings;

/* ---- a question ------------------------------------------------------------------------------------------------- */

static void settings_of_command(settings *s, const cli_args *args) {
    *s = (settings){.own = {false}};
    for (path_field f = PATH_ALGORITHM; f < PATH_FIELDS; f++) s->value[f] = cli_value_of(args, path_field_name(f));
}

/* `where` is empty for the command line, and begins with a file and a line for a pair. */
static meguri_status check(const settings *s, const meguri_path_query *q, cli_run *run, const char *where) {
    bool line = *where;
    meguri_status status = line ? MEGURI_BAD_INPUT : MEGURI_BAD_ARGUMENT;
    const char *dashes = line ? "" : "--";
    if ((line ? s->own[PATH_K] : s->value[PATH_K].given) && q->algorithm != MEGURI_PATH_YENS)
        return cli_fail(run, status, "%s%sk is for %salgorithm yens; give that, or %slimit for at most so many paths.",
                        where, dashes, dashes, dashes);
    if (s->value[PATH_TIMEOUT].given && !(q->timeout > 0))
        return cli_fail(run, status, "%s%stimeout 0: give a number of seconds above 0, or leave it out.", where,
                        dashes);
    bool every = q->algorithm == MEGURI_PATH_ALL || q->algorithm == MEGURI_PATH_SIMPLE;
    if (line && every && !q->max_hops && !q->limit && !q->has_max_cost && !(q->timeout > 0))
        return cli_fail(run, status,
                        "%sall paths can be more than anyone can wait for: give max-hops, max-cost, limit or timeout.",
                        where);
    return MEGURI_OK;
}

static meguri_status make_query(meguri_path_query *q, const settings *s, cli_run *run, const char *where) {
    const cli_value *v = s->value;
    *q = (meguri_path_query){
        .size = sizeof *q,
        .algorithm = v[PATH_ALGORITHM].given
                         ? (meguri_path_algorithm)meguri_path_algorithm_from_name(v[PATH_ALGORITHM].text)
                         : MEGURI_PATH_AUTO,
        .k = v[PATH_K].given ? v[PATH_K].number : 0,
        .max_hops = v[PATH_MAX_HOPS].given ? v[PATH_MAX_HOPS].number : 0,
        .max_cost = v[PATH_MAX_COST].given ? v[PATH_MAX_COST].real : 0,
        .has_max_cost = v[PATH_MAX_COST].given,
        .limit = v[PATH_LIMIT].given ? v[PATH_LIMIT].number : 0,
        .timeout = v[PATH_TIMEOUT].given ? v[PATH_TIMEOUT].real : 0,
    };
    if (v[PATH_K].given && !v[PATH_ALGORITHM].given) q->algorithm = MEGURI_PATH_YENS;
    return check(s, q, run, where);
}

meguri_status path_check_settings(cli_run *run) {
    settings s;
    meguri_path_query query;
    settings_of_command(&s, &run->args);
    return make_query(&query, &s, run, "");
}

/* ---- a file ----------------------------------------------------------------------------------------------------- */

static void name_place(char where[256], const cli_sources *lines, size_t i) {
    snprintf(where, 256, "%.200s:%zu: ", lines->path, lines->line[i]);
}

meguri_status path_pairs_read(path_pairs *pairs, cli_run *run) {
    const cli_args *args = &run->args;
    bool file = cli_given(args, "pairs");
    pairs->many = file || cli_given(args, "to-file");
    if (!pairs->many) return MEGURI_OK;
    const char *path = cli_text(args, file ? "pairs" : "to-file");
    meguri_status status = cli_sources_read(&pairs->lines, run, path, file ? CLI_TWO_IDS : CLI_ONE_ID);
    if (status != MEGURI_OK || !file) return status;
    char where[256];
    bool header;
    name_place(where, &pairs->lines, 0);
    status = path_columns_read(&pairs->columns, &header, run, pairs->lines.text + pairs->lines.place[0], where);
    pairs->first = header;
    if (status == MEGURI_OK && header && pairs->lines.count == 1)
        return cli_fail(run, MEGURI_BAD_INPUT, "%s has no pairs below its header.", pairs->lines.path);
    return status;
}

static meguri_status find_line(meguri_path_query *query, path_pairs *pairs, cli_run *run, const cli_algorithm *a,
                               size_t i) {
    path_line line;
    settings s;
    char where[256];
    uint64_t from = 0, to = 0;
    name_place(where, &pairs->lines, i);
    settings_of_command(&s, &run->args);
    meguri_status status =
        path_line_take(&line, &pairs->columns, run, pairs->lines.text + pairs->lines.place[i], where);
    if (status == MEGURI_OK) status = cli_find_vertex(&from, run, a->graph, line.field[PATH_FROM], where);
    if (status == MEGURI_OK) status = cli_find_vertex(&to, run, a->graph, line.field[PATH_TO], where);
    for (path_field f = PATH_ALGORITHM; f < PATH_FIELDS && status == MEGURI_OK; f++) {
        if (!line.field[f]) continue;
        s.own[f] = true;
        status = cli_value_from(&s.value[f], run, path_field_name(f), line.field[f], where);
    }
    if (status == MEGURI_OK) status = make_query(query, &s, run, where);
    query->from = from;
    query->to = to;
    path_line_free(&line);
    return status;
}

/* ---- all of them ------------------------------------------------------------------------------------------------ */

/* --from, then each --to and each line of --to-file. */
static meguri_status find_targets(path_pairs *pairs, cli_run *run, const cli_algorithm *a) {
    settings s;
    uint64_t from;
    size_t typed;
    const char *const *texts = cli_texts(&run->args, "to", &typed);
    settings_of_command(&s, &run->args);
    meguri_status status = cli_find_vertex(&from, run, a->graph, cli_text(&run->args, "from"), "");
    for (size_t i = 0; i < pairs->count && status == MEGURI_OK; i++) {
        char where[256] = "";
        const char *text = i < typed ? texts[i] : pairs->lines.text + pairs->lines.place[i - typed];
        if (cli_interrupted()) return cli_fail(run, MEGURI_CANCELLED, "interrupted.");
        status = make_query(&pairs->queries[i], &s, run, "");
        if (i >= typed) name_place(where, &pairs->lines, i - typed);
        if (status == MEGURI_OK) status = cli_find_vertex(&pairs->queries[i].to, run, a->graph, text, where);
        pairs->queries[i].from = from;
    }
    return status;
}

meguri_status path_pairs_find(path_pairs *pairs, cli_run *run, const cli_algorithm *a) {
    bool file = cli_given(&run->args, "pairs");
    size_t typed;
    cli_texts(&run->args, "to", &typed);
    if (typed > 1) pairs->many = true;
    pairs->count = file ? pairs->lines.count - pairs->first : typed + pairs->lines.count;
    pairs->queries = calloc(pairs->count, sizeof *pairs->queries);
    if (!pairs->queries) return cli_fail(run, MEGURI_NO_MEMORY, "the system has no memory for the questions.");
    if (!file) return find_targets(pairs, run, a);
    for (size_t i = 0; i < pairs->count; i++) {
        if (cli_interrupted()) return cli_fail(run, MEGURI_CANCELLED, "interrupted.");
        meguri_status status = find_line(&pairs->queries[i], pairs, run, a, i + pairs->first);
        if (status != MEGURI_OK) return status;
    }
    return MEGURI_OK;
}

void path_pairs_free(path_pairs *pairs) {
    cli_sources_free(&pairs->lines);
    free(pairs->queries);
    *pairs = (path_pairs){0};
}
