/* Lists of files in one operand, HEADER,FILE,FILE, as neo4j-admin takes them: the first has the header of all. What is
 * the name of a file, commas and all, is no list. */
#define _GNU_SOURCE /* strdup */
#include "cli.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_list(const char *operand) { return strchr(operand, ',') && access(operand, F_OK) != 0; }

/* How many files an operand names. */
static size_t count_files(const char *operand) {
    size_t count = 1;
    for (const char *p = is_list(operand) ? operand : ""; *p; p++) count += *p == ',';
    return count;
}

/* Appends the files of a list, whose text is cut at its commas. */
static meguri_status append(const char **files, size_t *count, cli_run *run, const char *operand, char *text) {
    for (char *next; text; text = next) {
        next = strchr(text, ',');
        if (next) *next++ = '\0';
        if (!*text)
            return cli_fail(run, MEGURI_BAD_ARGUMENT,
                            "%.200s is no file, and names none before or behind a comma; write HEADER,FILE,FILE.",
                            operand);
        files[(*count)++] = text;
    }
    return MEGURI_OK;
}

meguri_status cli_split_lists(cli_run *run) {
    cli_args *args = &run->args;
    size_t files = 0, count = 0;
    for (size_t i = 0; i < args->operand_count; i++) files += count_files(args->operands[i]);
    if (!args->verb->lists || files == args->operand_count) return MEGURI_OK;
    const char **all = calloc(files + 1, sizeof *all);
    args->split = calloc(args->operand_count + 1, sizeof *args->split);
    meguri_status status = MEGURI_OK;
    for (size_t i = 0; i < args->operand_count && status == MEGURI_OK; i++) {
        char *text = all && args->split ? strdup(args->operands[i]) : NULL;
        if (!text) status = cli_fail(run, MEGURI_NO_MEMORY, "the system has no memory for the names of files.");
        if (!text) break;
        args->split[i] = text;
        if (is_list(text)) status = append(all, &count, run, args->operands[i], text);
        else all[count++] = text;
    }
    if (status != MEGURI_OK) {
        free(all);
        return status;
    }
    free(args->operands);
    args->operands = all;
    args->operand_count = count;
    return MEGURI_OK;
}
