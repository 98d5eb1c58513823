/* Where results go: checks before the work starts, and writing in the format that the suffix names. */
#include "cli.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_LINKS 40 /* symbolic links followed, as the kernel does */

const char *cli_base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

char *cli_folder_of(const char *path) {
    const char *base = cli_base_name(path);
    size_t length = (size_t)(base - path);
    if (length == 0) return strdup(".");
    while (length > 1 && path[length - 1] == '/') length--;
    return strndup(path, length);
}

char *cli_link_target(const char *path) {
    char to[PATH_MAX];
    char *target = strdup(path);
    for (int links = 0; target && links < MAX_LINKS; links++) {
        ssize_t length = readlink(target, to, sizeof to - 1);
        if (length < 0) break;
        size_t kept = to[0] == '/' ? 0 : (size_t)(cli_base_name(target) - target), size = kept + (size_t)length + 1;
        char *next = malloc(size);
        if (next) snprintf(next, size, "%.*s%.*s", (int)kept, target, (int)length, to);
        free(target);
        target = next;
    }
    return target;
}

static bool ends_with(const char *text, size_t length, const char *suffix) {
    size_t n = strlen(suffix);
    return length > n && memcmp(text + length - n, suffix, n) == 0;
}

/* Data larger than the memory goes beside the output, where there must be room anyway. */
char *cli_temp_folder(const cli_args *args) {
    struct stat facts;
    const char *set = getenv("TMPDIR"), *output = cli_has(args, "output") ? cli_text(args, "output") : NULL;
    if ((set && *set) || !output || strcmp(output, "-") == 0 || (stat(output, &facts) == 0 && !S_ISREG(facts.st_mode)))
        return NULL;
    return cli_folder_of(output);
}

uint64_t cli_file_bytes(const char *path) {
    struct stat facts;
    return stat(path, &facts) == 0 ? (uint64_t)facts.st_size : 0;
}

/* How every .meg file begins (docs/meg-format.md). What follows the first four bytes may have suffered, and the library
 * says how. */
static const char meg_magic[] = {'\x89', 'M', 'E', 'G', '\r', '\n', '\x1a', '\n'};

static bool begins_as_meg(const char *path, size_t bytes) {
    char head[sizeof meg_magic];
    struct stat facts;
    if (stat(path, &facts) != 0 || !S_ISREG(facts.st_mode)) return false; /* what flows past can be read only once */
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    bool is = fread(head, 1, bytes, file) == bytes && memcmp(head, meg_magic, bytes) == 0;
    fclose(file);
    return is;
}

bool cli_is_meg(const char *path) { return begins_as_meg(path, 4); }

/* Binary edges may begin with any four bytes. */
bool cli_opens_as_meg(const cli_args *args, const char *path) {
    const char *format = cli_has(args, "format") && cli_given(args, "format") ? cli_text(args, "format") : "";
    if (strncmp(format, "bin", 3) == 0) return begins_as_meg(path, sizeof meg_magic);
    return cli_is_meg(path) || ends_with(path, strlen(path), ".meg");
}

const char *cli_output_name(const char *path) { return strcmp(path, "-") == 0 ? "standard output" : path; }

/* ---- suffixes --------------------------------------------------------------------------------------------------- */

typedef enum target { TARGET_MEG, TARGET_FORMAT, TARGET_PACKED_MEG, TARGET_UNKNOWN } target;

static target target_of(const char *path) {
    const char *base = cli_base_name(path), *last = *base ? strrchr(base + 1, '.') : NULL;
    if (!last || strcmp(last, ".meg") == 0) return TARGET_MEG;
    if (meguri_format_of_path(base) != MEGURI_FORMAT_AUTO) return TARGET_FORMAT;
    return ends_with(base, (size_t)(last - base), ".meg") ? TARGET_PACKED_MEG : TARGET_UNKNOWN;
}

bool cli_names_meg(const char *path) { return target_of(path) == TARGET_MEG; }

meguri_status cli_write_output(cli_run *run, const meguri_graph *graph, const meguri_path_index *index) {
    const char *path = cli_text(&run->args, "output");
    const meguri_save_options save = {.size = sizeof save, .index = index};
    const meguri_sink sink = {.size = sizeof sink, .path = path};
    if (target_of(path) == TARGET_MEG) return meguri_save(run->ctx, graph, &sink, &save);
    return meguri_write(run->ctx, graph, &sink, NULL);
}

/* ---- checks before the work ------------------------------------------------------------------------------------- */

/* So that hours of work do not end in a folder that is not there. What exists is left to the library, which knows how
 * to replace a file and how to write to a device. */
static meguri_status check_place(cli_run *run, const char *path) {
    struct stat facts;
    meguri_status status = MEGURI_OK;
    if (stat(path, &facts) == 0 && !S_ISDIR(facts.st_mode)) return MEGURI_OK;
    if (!*cli_base_name(path) || stat(path, &facts) == 0)
        return cli_fail(run, MEGURI_BAD_ARGUMENT, "cannot write %s: it is a folder; give the name of a file in it.",
                        path);
    char *leads_to = cli_link_target(path), *folder = leads_to ? cli_folder_of(leads_to) : NULL;
    if (!folder) status = cli_fail(run, MEGURI_NO_MEMORY, "the system has no memory for a file name.");
    else if (stat(folder, &facts) != 0 || !S_ISDIR(facts.st_mode))
        status = cli_fail(run, MEGURI_NO_DISK, "cannot write %s: there is no folder %s; make it first.", path, folder);
    else if (access(folder, W_OK | X_OK) != 0)
        status = cli_fail(run, MEGURI_NO_DISK, "cannot write %s: %s; write to another folder.", path, strerror(errno));
    free(leads_to);
    free(folder);
    return status;
}

static meguri_status check_graph_name(cli_run *run, const char *path) {
    target goal = target_of(path);
    if (goal == TARGET_PACKED_MEG)
        return cli_fail(run, MEGURI_BAD_ARGUMENT,
                        "%s: a .meg file is opened in place and cannot be compressed; leave the last suffix out.",
                        path);
    if (goal == TARGET_FORMAT && run->cluster)
        return cli_fail(run, MEGURI_BAD_ARGUMENT,
                        "%s: the processes of a cluster write graphs as .meg; name such a file, and let meguri convert "
                        "make another of it.",
                        path);
    if (goal == TARGET_UNKNOWN)
        return cli_fail(run, MEGURI_BAD_ARGUMENT,
                        "%s: no format has this suffix; use .meg, or" MEGURI_FORMAT_SUFFIXES
                        " with .gz, .zst or .xz after it if you like.",
                        path);
    return MEGURI_OK;
}

/* Options that make something else of an output: a matrix of sources and targets, the results of many sources one
 * after another, a table of costs. */
static bool is_matrix(const cli_run *run) { return cli_has(&run->args, "targets") && cli_given(&run->args, "targets"); }
static bool is_stream(const cli_run *run) {
    return cli_has(&run->args, "targets") && cli_given(&run->args, "sources") && !is_matrix(run);
}
static bool is_costs(const cli_run *run) { return cli_has(&run->args, "costs") && cli_given(&run->args, "costs"); }

/* A name that is no folder's. */
static meguri_status check_name(cli_run *run, cli_content content, const char *path) {
    if (content == CLI_GRAPH) return check_graph_name(run, path);
    bool table = (content == CLI_RESULT && is_matrix(run)) || (content == CLI_PATHS && is_costs(run));
    if (table) return meguri_table_check_path(run->ctx, path, is_matrix(run));
    if (content == CLI_RESULT && is_stream(run)) return meguri_result_stream_check_path(run->ctx, path);
    if (content == CLI_RESULT) return meguri_result_check_path(run->ctx, path);
    if (content == CLI_PAGE) return meguri_report_check_path(run->ctx, path);
    if (content == CLI_PATHS) return meguri_path_writer_check_path(run->ctx, path);
    const char *base = cli_base_name(path);
    if (content == CLI_HTML && !ends_with(base, strlen(base), ".html"))
        return cli_fail(run, MEGURI_BAD_ARGUMENT, "%s: a page is written as HTML; use .html, or - for standard output.",
                        path);
    return MEGURI_OK;
}

static meguri_status check_standard_output(cli_run *run, const cli_option *option) {
    if (option->content == CLI_RESULT && run->cluster)
        return cli_fail(run, MEGURI_BAD_ARGUMENT,
                        "the processes of a cluster write a result together, which standard output does not allow; "
                        "name a file after -o.");
    if (option->content != CLI_GRAPH && option->content != CLI_ANYTHING) return MEGURI_OK;
    return cli_fail(run, MEGURI_BAD_ARGUMENT,
                    "--%s: %s not written to standard output; name a file (./- is one of the name -).", option->name,
                    option->content == CLI_GRAPH ? "graphs are" : "this is");
}

meguri_status cli_check_output(cli_run *run, const cli_option *option, const char *path) {
    if (strcmp(path, "-") == 0) return check_standard_output(run, option);
    if (strcmp(option->name, "trace") == 0) return MEGURI_OK; /* opened next, and by the first process alone */
    meguri_status status = *cli_base_name(path) ? check_name(run, option->content, path) : MEGURI_OK;
    return status == MEGURI_OK ? check_place(run, path) : status;
}

/* ---- standard output -------------------------------------------------------------------------------------------- */

void cli_leave_standard_output(const cli_run *run) {
    const char *output = cli_has(&run->args, "output") ? cli_text(&run->args, "output") : NULL;
    bool costs = is_costs(run) && !output && !cli_given(&run->args, "json");
    if (costs || (output && strcmp(output, "-") == 0)) stdout = stderr;
}

void cli_json_written(meguri_json *json, const char *path) {
    meguri_json_string(json, "file", path);
    if (strcmp(path, "-") == 0) meguri_json_null(json, "file_bytes");
    else meguri_json_number(json, "file_bytes", cli_file_bytes(path));
}

void cli_print_written(const char *path) {
    char text[CLI_NUMBER_TEXT];
    fputs(" → ", stdout);
    cli_print_text(cli_output_name(path));
    if (strcmp(path, "-") != 0) printf(", %s", cli_size_text(text, cli_file_bytes(path)));
}
