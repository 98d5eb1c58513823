/* What is asked: two ids of the command line, or many pairs of a file. */
#include "path.h"

#include <stdlib.h>
#include <string.h>

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

meguri_status path_pairs_read(path_pairs *pairs, cli_run *run, const char *path) {
    return cli_sources_read(&pairs->lines, run, path, CLI_TWO_IDS);
}

/* Cuts the line in two: at its first tab, or at its only gap. Neither id has blanks around it. */
static bool cut(char *line, char **second) {
    char *tab = strchr(line, '\t'), *gap = tab ? tab : strchr(line, ' ');
    if (!gap) return false;
    char *end = gap, *next = gap;
    while (is_blank(*next)) next++;
    while (end > line && is_blank(end[-1])) end--;
    *end = '\0';
    *second = next;
    return *line && *next && (tab || !strchr(next, ' '));
}

static meguri_status find_line(path_pairs *pairs, cli_run *run, const cli_algorithm *a, size_t i) {
    char *first = pairs->lines.text + pairs->lines.place[i], *second = NULL;
    char where[256];
    snprintf(where, sizeof where, "%.200s:%zu: ", pairs->lines.path, pairs->lines.line[i]);
    if (!cut(first, &second))
        return cli_fail(run, MEGURI_BAD_INPUT,
                        "%sgive two ids a line, with a tab between them (or blanks, if no id has any).", where);
    meguri_status status = cli_find_vertex(&pairs->from[i], run, a->graph, first, where);
    return status == MEGURI_OK ? cli_find_vertex(&pairs->to[i], run, a->graph, second, where) : status;
}

meguri_status path_pairs_find(path_pairs *pairs, cli_run *run, const cli_algorithm *a) {
    const cli_args *args = &run->args;
    bool file = pairs->lines.path != NULL;
    pairs->count = file ? pairs->lines.count : 1;
    pairs->from = calloc(pairs->count, sizeof *pairs->from);
    pairs->to = calloc(pairs->count, sizeof *pairs->to);
    if (!pairs->from || !pairs->to) return cli_fail(run, MEGURI_NO_MEMORY, "the system has no memory for the ids.");
    if (!file) {
        meguri_status status = cli_find_vertex(pairs->from, run, a->graph, cli_text(args, "from"), "");
        return status == MEGURI_OK ? cli_find_vertex(pairs->to, run, a->graph, cli_text(args, "to"), "") : status;
    }
    for (size_t i = 0; i < pairs->count; i++) {
        if (cli_interrupted()) return cli_fail(run, MEGURI_CANCELLED, "interrupted.");
        meguri_status status = find_line(pairs, run, a, i);
        if (status != MEGURI_OK) return status;
    }
    return MEGURI_OK;
}

void path_pairs_free(path_pairs *pairs) {
    cli_sources_free(&pairs->lines);
    free(pairs->from);
    free(pairs->to);
    *pairs = (path_pairs){0};
}
