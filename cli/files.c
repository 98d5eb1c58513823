/* What a run reads and what it writes: no file is both, and none is written twice.
 *
 * The option table says which options name files and whether these are read or written; operands are read. The library
 * says which files come with others: what a reader finds by itself, what a writer writes beside. Files are the same if
 * they have the same device and inode, whatever links lead there; two that are to be made, if they would have the same
 * name in the same folder. Files of checkpoints, which a folder names, are read and written. Only regular files can be
 * destroyed by writing, so pipes and devices may be both. All this is looked at before anything is opened. */
#include "cli.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct used_file {
    const char *path;         /* as it was typed, or the one below; "-" is standard input or output */
    const char *with;         /* the file that it is found or written beside; NULL: it was named */
    const cli_option *option; /* that named it, or the other; NULL: an operand */
    bool written, folder;
    char *beside; /* its name, where it was not named */
    /* What it is; `regular` and nothing else known: one that does not exist yet and has this name in that folder. */
    bool regular, there;
    dev_t device;
    ino_t inode;
    char *name;
} used_file;

typedef struct used_files {
    cli_run *run;
    used_file *files;
    size_t count;
} used_files;

/* ---- which files ------------------------------------------------------------------------------------------------ */

static bool is_standard(const char *path) { return strcmp(path, "-") == 0; }

static bool look_at_folder(used_file *file) {
    struct stat facts;
    char *target = cli_link_target(file->path), *folder = target ? cli_folder_of(target) : NULL;
    bool good = target && folder;
    file->regular = good && stat(folder, &facts) == 0;
    if (file->regular) {
        file->device = facts.st_dev;
        file->inode = facts.st_ino;
        file->name = strdup(cli_base_name(target));
        good = file->name != NULL;
    }
    free(target);
    free(folder);
    return good;
}

/* False without memory. An input that is not there is left to those who cannot read it. */
static bool look_at(used_file *file) {
    struct stat facts;
    file->there = is_standard(file->path) ? fstat(file->written ? STDOUT_FILENO : STDIN_FILENO, &facts) == 0
                                          : stat(file->path, &facts) == 0;
    if (!file->there) return is_standard(file->path) || !file->written || look_at_folder(file);
    file->regular = S_ISREG(facts.st_mode);
    file->device = facts.st_dev;
    file->inode = facts.st_ino;
    return true;
}

static meguri_format format_of(const used_files *all) {
    const cli_args *args = &all->run->args;
    const char *format = cli_has(args, "format") ? cli_text(args, "format") : NULL;
    return format ? (meguri_format)meguri_format_from_name(format) : MEGURI_FORMAT_AUTO;
}

static size_t find_names(char name[PATH_MAX], const used_files *all, const used_file *file) {
    if (is_standard(file->path) || (file->written && file->option->content != CLI_GRAPH)) return 0;
    return meguri_names_beside(name, PATH_MAX, NULL, file->path, file->written ? MEGURI_FORMAT_AUTO : format_of(all));
}

static size_t find_beside(char name[PATH_MAX], const used_files *all, const used_file *file) {
    if (is_standard(file->path)) return 0;
    if (file->written)
        return file->option->content == CLI_GRAPH
                   ? meguri_write_beside(name, PATH_MAX, NULL, file->path, MEGURI_FORMAT_AUTO)
                   : 0;
    return meguri_read_beside(name, PATH_MAX, file->path, format_of(all));
}

static bool add_beside(used_files *all, const used_file *file, const char *name) {
    used_file *other = &all->files[all->count++];
    *other = (used_file){.with = file->path, .option = file->option, .written = file->written, .beside = strdup(name)};
    other->path = other->beside;
    return other->beside && look_at(other);
}

/* A file, and what comes with it. False without memory. */
static bool add(used_files *all, const char *path, const cli_option *option) {
    char name[PATH_MAX];
    used_file *file = &all->files[all->count++];
    *file = (used_file){.path = path,
                        .option = option,
                        .written = option && option->kind == CLI_OUTPUT,
                        .folder = option && option->kind == CLI_FOLDER};
    if (!look_at(file)) return false;
    if (file->folder) return true;
    for (int names = 0; names < 2; names++) {
        size_t length = names ? find_names(name, all, file) : find_beside(name, all, file);
        if (length && length < sizeof name && !add_beside(all, file, name)) return false;
    }
    return true;
}

static bool collect(used_files *all) {
    const cli_args *args = &all->run->args;
    all->files = calloc(3 * (args->operand_count + args->value_count) + 1, sizeof *all->files);
    bool good = all->files != NULL;
    for (size_t i = 0; good && i < args->operand_count; i++) good = add(all, args->operands[i], NULL);
    for (size_t i = 0; good && i < args->value_count; i++) {
        const cli_value *value = &args->values[i];
        if (value->option->kind >= CLI_INPUT && value->given) good = add(all, value->text, value->option);
    }
    return good;
}

static void free_files(used_files *all) {
    for (size_t i = 0; i < all->count; i++) {
        free(all->files[i].beside);
        free(all->files[i].name);
    }
    free(all->files);
}

/* ---- are they different? ---------------------------------------------------------------------------------------- */

static bool are_same(const used_file *a, const used_file *b) {
    if (a->written && b->written && is_standard(a->path) && is_standard(b->path)) return true;
    if (!a->regular || !b->regular || a->there != b->there) return false;
    return a->device == b->device && a->inode == b->inode && (a->there || strcmp(a->name, b->name) == 0);
}

/* "-o", "--trace" */
static const char *spelled(char text[64], const cli_option *option) {
    if (option->letter) snprintf(text, 64, "-%c", option->letter);
    else snprintf(text, 64, "--%s", option->name);
    return text;
}

static meguri_status input_would_go(cli_run *run, const used_file *in, const used_file *out) {
    char option[64], what[2 * PATH_MAX], how[2 * PATH_MAX] = "";
    const char *name = is_standard(in->path) ? "the file behind standard input" : in->path;
    if (in->with) snprintf(what, sizeof what, "%s is read with %s", name, in->with);
    else snprintf(what, sizeof what, "%s is an input", name);
    const char *by = strcmp(in->path, out->path) == 0 ? NULL : cli_output_name(out->path);
    if (out->with && by) snprintf(how, sizeof how, " by %s, which is written beside %s", by, out->with);
    else if (out->with) snprintf(how, sizeof how, ", because it is written beside %s", out->with);
    else if (by) snprintf(how, sizeof how, " by %s", by);
    return cli_fail(run, MEGURI_BAD_ARGUMENT, "%s and would be overwritten%s; name another file after %s.", what, how,
                    spelled(option, out->option));
}

static meguri_status written_twice(cli_run *run, const used_file *first, const used_file *second) {
    char a[64], b[64], beside[2 * PATH_MAX] = "";
    const used_file *other = second->with ? second : first;
    if (first->option == second->option)
        return cli_fail(run, MEGURI_BAD_ARGUMENT,
                        "%s, which is written beside %s, is the same file; name another after %s.", other->path,
                        other->with, spelled(a, first->option));
    if (other->with) snprintf(beside, sizeof beside, " (%s is written beside %s)", other->path, other->with);
    return cli_fail(run, MEGURI_BAD_ARGUMENT, "%s and %s name the same file %s%s; name two.", spelled(a, first->option),
                    spelled(b, second->option), cli_output_name(second->path), beside);
}

/* Whether the file is one of a checkpoint in the folder, or has the name of one, wherever links lead. */
static bool is_of_checkpoint(const used_file *file, const used_file *folder) {
    struct stat facts;
    char *target = is_standard(file->path) ? NULL : cli_link_target(file->path);
    char *around = target ? cli_folder_of(target) : NULL;
    bool inside = folder->there && around && stat(around, &facts) == 0 && facts.st_dev == folder->device &&
                  facts.st_ino == folder->inode;
    const char *name = inside ? cli_base_name(target) : "";
    bool is_one = strcmp(name, "checkpoint") == 0 || strcmp(name, "checkpoint.new") == 0 ||
                  (strncmp(name, "part-", 5) == 0 && !name[5 + strspn(name + 5, "0123456789-")]);
    free(target);
    free(around);
    return is_one;
}

static meguri_status checkpoint_would_go(cli_run *run, const used_file *folder, const used_file *out) {
    char a[64], b[64];
    return cli_fail(run, MEGURI_BAD_ARGUMENT,
                    "%s is the name of a file of checkpoints in %s (%s), which would be overwritten; name another file "
                    "after %s.",
                    cli_output_name(out->path), folder->path, spelled(a, folder->option), spelled(b, out->option));
}

static meguri_status check_pairs(const used_files *all) {
    for (size_t i = 0; i < all->count; i++) {
        const used_file *out = &all->files[i];
        for (size_t j = 0; out->written && j < all->count; j++) {
            const used_file *other = &all->files[j];
            if (other->folder && is_of_checkpoint(out, other)) return checkpoint_would_go(all->run, other, out);
            if (i == j || !are_same(out, other)) continue;
            return other->written ? written_twice(all->run, out, other) : input_would_go(all->run, other, out);
        }
    }
    return MEGURI_OK;
}

static meguri_status check_standard_input(const used_files *all) {
    size_t named = 0;
    for (size_t i = 0; i < all->count; i++) named += !all->files[i].written && is_standard(all->files[i].path);
    if (named < 2) return MEGURI_OK;
    return cli_fail(all->run, MEGURI_BAD_ARGUMENT, "standard input (-) can be read only once, and is named %zu times.",
                    named);
}

meguri_status cli_check_files(cli_run *run) {
    used_files all = {.run = run};
    meguri_status status =
        collect(&all) ? MEGURI_OK : cli_fail(run, MEGURI_NO_MEMORY, "the system has no memory for the names of files.");
    if (status == MEGURI_OK) status = check_standard_input(&all);
    if (status == MEGURI_OK) status = check_pairs(&all);
    free_files(&all);
    for (size_t i = 0; i < run->args.value_count && status == MEGURI_OK; i++) {
        const cli_value *value = &run->args.values[i];
        if (value->option->kind == CLI_OUTPUT && value->given)
            status = cli_check_output(run, value->option, value->text);
    }
    return status;
}
