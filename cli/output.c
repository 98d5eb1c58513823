/* Where results go: checks before the work starts, and writing in the format that the suffix names. */
#include "cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* To be freed. */
static char *folder_of(const char *path) {
    const char *base = base_name(path);
    size_t length = (size_t)(base - path);
    if (length == 0) return strdup(".");
    while (length > 1 && path[length - 1] == '/') length--;
    return strndup(path, length);
}

/* Data larger than the memory goes beside the output, where there must be room anyway. */
char *cli_temp_folder(const cli_args *args) {
    struct stat facts;
    const char *set = getenv("TMPDIR"), *output = cli_has(args, "output") ? cli_text(args, "output") : NULL;
    if ((set && *set) || !output || (stat(output, &facts) == 0 && !S_ISREG(facts.st_mode))) return NULL;
    return folder_of(output);
}

uint64_t cli_file_bytes(const char *path) {
    struct stat facts;
    return stat(path, &facts) == 0 ? (uint64_t)facts.st_size : 0;
}

/* How every .meg file begins (docs/meg-format.md); what follows may have suffered, and the library says how. */
static const char meg_magic[] = {'\x89', 'M', 'E', 'G'};

bool cli_is_meg(const char *path) {
    char head[sizeof meg_magic];
    struct stat facts;
    if (stat(path, &facts) != 0 || !S_ISREG(facts.st_mode)) return false; /* what flows past can be read only once */
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    bool is = fread(head, 1, sizeof head, file) == sizeof head && memcmp(head, meg_magic, sizeof head) == 0;
    fclose(file);
    return is;
}

/* Also for files that are not there yet: the same name in the same folder. */
static bool same_file(const char *a, const char *b) {
    struct stat fa, fb;
    bool a_there = stat(a, &fa) == 0, b_there = stat(b, &fb) == 0;
    if (a_there != b_there) return false;
    if (a_there) return fa.st_dev == fb.st_dev && fa.st_ino == fb.st_ino;
    char *folder_a = folder_of(a), *folder_b = folder_of(b);
    bool same = folder_a && folder_b && stat(folder_a, &fa) == 0 && stat(folder_b, &fb) == 0 &&
                fa.st_dev == fb.st_dev && fa.st_ino == fb.st_ino && strcmp(base_name(a), base_name(b)) == 0;
    free(folder_a);
    free(folder_b);
    return same;
}

/* ---- suffixes --------------------------------------------------------------------------------------------------- */

typedef enum target { TARGET_MEG, TARGET_FORMAT, TARGET_PACKED_MEG, TARGET_UNKNOWN } target;

static bool ends_with(const char *text, size_t length, const char *suffix) {
    size_t n = strlen(suffix);
    return length > n && memcmp(text + length - n, suffix, n) == 0;
}

/* The length of the name without a suffix of compression. */
static size_t unpacked_length(const char *name) {
    static const char *const packed[] = {".gz", ".zst", ".xz"};
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof packed / sizeof *packed; i++)
        if (ends_with(name, length, packed[i])) return length - strlen(packed[i]);
    return length;
}

char *cli_path_beside(const char *path, bool coordinates) {
    static const char *const pairs[][2] = {{".e", ".v"}, {".gr", ".co"}};
    size_t length = unpacked_length(path);
    for (size_t i = 0; i < (coordinates ? 2 : 1); i++)
        if (ends_with(path, length, pairs[i][0])) {
            size_t kept = length - strlen(pairs[i][0]), size = strlen(path) + 2;
            char *beside = malloc(size);
            if (beside) snprintf(beside, size, "%.*s%s%s", (int)kept, path, pairs[i][1], path + length);
            return beside;
        }
    return NULL;
}

static target target_of(const char *path) {
    static const char *const known[] = {".el",  ".wel",   ".csv",   ".mtx",   ".gr", ".co", ".graph",
                                        ".adj", ".bin32", ".bin48", ".bin64", ".e"}; /* as meguri_write has them */
    const char *base = base_name(path);
    size_t length = strlen(base);
    if (length == 0 || !strchr(base + 1, '.')) return TARGET_MEG;
    if (ends_with(base, length, ".meg")) return TARGET_MEG;
    length = unpacked_length(base);
    if (ends_with(base, length, ".meg")) return TARGET_PACKED_MEG;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (ends_with(base, length, known[i])) return TARGET_FORMAT;
    return TARGET_UNKNOWN;
}

bool cli_names_meg(const char *path) { return target_of(path) == TARGET_MEG; }

meguri_status cli_write_output(cli_run *run, const cli_made *made) {
    const char *path = cli_text(&run->args, "output");
    if (made->shards) return meguri_shards_save(run->ctx, made->shards, path);
    if (target_of(path) == TARGET_MEG) return meguri_save(run->ctx, made->graph, path);
    return meguri_write(run->ctx, made->graph, path, MEGURI_FORMAT_AUTO);
}

/* ---- checks before the work ------------------------------------------------------------------------------------- */

/* So that hours of work do not end in a folder that is not there. What exists is left to the library, which knows how
 * to replace a file and how to write to a device. */
static meguri_status check_output_place(cli_run *run, const char *path) {
    struct stat facts;
    meguri_status status = MEGURI_OK;
    if (stat(path, &facts) == 0 && !S_ISDIR(facts.st_mode)) return MEGURI_OK;
    if (!*base_name(path) || stat(path, &facts) == 0)
        return cli_fail(run, MEGURI_BAD_ARGUMENT, "cannot write %s: it is a folder; give the name of a file in it.",
                        path);
    char *folder = folder_of(path);
    if (!folder) return cli_fail(run, MEGURI_NO_MEMORY, "the system has no memory for a file name.");
    if (stat(folder, &facts) != 0 || !S_ISDIR(facts.st_mode))
        status = cli_fail(run, MEGURI_NO_DISK, "cannot write %s: there is no folder %s; make it first.", path, folder);
    else if (access(folder, W_OK | X_OK) != 0)
        status = cli_fail(run, MEGURI_NO_DISK, "cannot write %s: %s; write to another folder.", path, strerror(errno));
    free(folder);
    return status;
}

/* As meguri_result_write has them. */
static bool names_result(const char *path) {
    size_t length = strlen(path);
    return ends_with(path, unpacked_length(path), ".tsv") || ends_with(path, length, ".npy") ||
           ends_with(path, length, ".bin");
}

/* As meguri path has them. */
static bool names_paths(const char *path) {
    static const char *const known[] = {".csv", ".tsv", ".jsonl", ".geojson"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (ends_with(path, strlen(path), known[i])) return true;
    return false;
}

static meguri_status check_output(cli_run *run, const char *path) {
    if (run->args.verb->makes_result) {
        if (names_result(path) || !*base_name(path)) return check_output_place(run, path);
        return cli_fail(run, MEGURI_BAD_ARGUMENT,
                        "%s: results are written as .tsv (text; with .gz, .zst or .xz behind it if you like), .npy "
                        "(NumPy) or .bin (raw columns); let the name end in one of them.",
                        path);
    }
    if (run->args.verb->makes_paths) {
        if (names_paths(path) || !*base_name(path)) return check_output_place(run, path);
        return cli_fail(run, MEGURI_BAD_ARGUMENT,
                        "%s: paths are written as .csv, .tsv, .jsonl or .geojson; let the name end in one of them.",
                        path);
    }
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
        return cli_fail(
            run, MEGURI_BAD_ARGUMENT,
            "%s: no format has this suffix; use .meg, or .el .wel .csv .mtx .gr .co .graph .adj .e .bin32 .bin48 "
            ".bin64 with .gz, .zst or .xz after it if you like.",
            path);
    return check_output_place(run, path);
}

/* Whether writing `path`, or what is written beside it, would destroy `input`. */
static bool overwrites(const char *path, const char *input) {
    char *beside = cli_path_beside(path, true);
    bool does = same_file(path, input) || (beside && same_file(beside, input));
    free(beside);
    return does;
}

/* NULL where it was not given, or the verb has no such option. */
static const char *text_of(const cli_args *args, const char *name) {
    return cli_has(args, name) ? cli_text(args, name) : NULL;
}

static meguri_status check_inputs_stay(cli_run *run) {
    const cli_args *args = &run->args;
    const char *output = text_of(args, "output"), *trace = text_of(args, "trace");
    /* The first that the verb has; where it has another, that is no file. */
    static const char *const more_inputs[] = {"coords", "source-list", "pairs", "graph", "sources"};
    size_t more_input = 0;
    while (more_input < 4 && !cli_has(args, more_inputs[more_input])) more_input++;
    const char *more = text_of(args, more_inputs[more_input]);
    const char *map = text_of(args, "geojson");
    for (size_t i = 0; i <= args->operand_count; i++) {
        const char *input = i < args->operand_count ? args->operands[i] : more;
        if (!input || strcmp(input, "-") == 0) continue;
        if (output && overwrites(output, input))
            return cli_fail(run, MEGURI_BAD_ARGUMENT,
                            "%s is an input and would be overwritten; name another file after -o.", input);
        if (map && same_file(map, input))
            return cli_fail(run, MEGURI_BAD_ARGUMENT, "%s is an input; name another file after --geojson.", map);
        if (trace && same_file(trace, input))
            return cli_fail(run, MEGURI_BAD_ARGUMENT, "%s is an input; name another file after --trace.", trace);
    }
    if (output && trace && overwrites(output, trace))
        return cli_fail(run, MEGURI_BAD_ARGUMENT, "-o and --trace name the same file %s; name two.", trace);
    if (map && ((output && same_file(output, map)) || (trace && same_file(trace, map))))
        return cli_fail(run, MEGURI_BAD_ARGUMENT, "--geojson names the same file %s as another option; name two.", map);
    return MEGURI_OK;
}

meguri_status cli_check_files(cli_run *run) {
    const char *output = text_of(&run->args, "output"), *map = text_of(&run->args, "geojson");
    meguri_status status = check_inputs_stay(run);
    if (status == MEGURI_OK && map) status = check_output_place(run, map);
    return status == MEGURI_OK && output ? check_output(run, output) : status;
}

meguri_status cli_check_places(cli_run *run) {
    const char *output = text_of(&run->args, "output");
    meguri_status status = check_inputs_stay(run);
    return status == MEGURI_OK && output ? check_output_place(run, output) : status;
}
