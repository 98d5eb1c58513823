/* Files that are written whole or not at all.
 *
 * The bytes go to a file without a name (O_TMPFILE) in the folder of the target, or, where the file system has no
 * such thing, to `.NAME.XXXXXX` there. At commit it is synced, gets its name, and takes the target's place by
 * rename, which is atomic; then the folder is synced. Invariant: at every moment the target's name leads to the old
 * file, whole, or to the new one, whole. A link cannot take the place of an existing file, so an unnamed file that
 * replaces one is linked to a temporary name first; only a crash between these two calls leaves that name behind. */
#define _GNU_SOURCE
#include "io/io.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_NAME 255 /* bytes of a name in a folder */
#define TRIES    100 /* random names tried */

/* `wanted`: bytes of the whole file, or 0. */
static meguri_status no_room_for(meguri_ctx *ctx, const mg_outfile *file, int error, uint64_t wanted) {
    mg_no_room no_room = mg_no_room_in(file->fd, error, wanted);
    return mg_fail(ctx, MEGURI_NO_DISK, "there is no room to write %s (%s): %s%s.", file->path, no_room.reason,
                   no_room.advice, file->direct ? "" : "; what was there before is as it was");
}

static meguri_status write_failed(meguri_ctx *ctx, const mg_outfile *file, int error) {
    if (mg_is_no_room(error)) return no_room_for(ctx, file, error, 0);
    return mg_fail(ctx, MEGURI_NO_DISK, "cannot write %s: %s.", file->path, strerror(error));
}

/* The path without its last name, "." or "/" where there is no more, cut in place; the name is returned. */
static const char *cut_folder(char *path) {
    char *slash = strrchr(path, '/');
    if (!slash) {
        const char *name = path + 2; /* the caller left room to move the name behind "." */
        memmove(path + 2, path, strlen(path) + 1);
        memcpy(path, ".", 2);
        return name;
    }
    if (slash == path) {
        memmove(path + 2, path + 1, strlen(path + 1) + 1);
        path[1] = '\0';
        return path + 2;
    }
    *slash = '\0';
    return slash + 1;
}

/* The folder of `path` in a block to mg_free, with its last name behind it in the same block. */
static char *folder_of(meguri_ctx *ctx, const char *path, const char **name) {
    size_t bytes = strlen(path) + 1;
    char *folder = mg_alloc(ctx, bytes + 2, "the name of a folder");
    if (!folder) return NULL;
    memcpy(folder, path, bytes);
    *name = cut_folder(folder);
    return folder;
}

/* FOLDER/.NAME. with room for random letters behind it. */
static char *temporary_name(meguri_ctx *ctx, const char *folder, const char *name) {
    size_t kept = MG_MIN(strlen(name), (size_t)MAX_NAME - MG_LETTERS - 2), bytes = strlen(folder) + kept + 4;
    char *out = mg_alloc(ctx, bytes + MG_LETTERS, "the name of a temporary file");
    if (out) snprintf(out, bytes, "%s/.%.*s.", folder, (int)kept, name);
    return out;
}

static meguri_status open_failed(meguri_ctx *ctx, const mg_outfile *file, const char *folder, const mg_refusal *why) {
    const char *path = file->path;
    int error = why->error;
    if (error == ENOENT && access(folder, F_OK) != 0)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                       "cannot write %s: the folder %s does not exist; make it first or write elsewhere.", path,
                       folder);
    if (error == ENOTDIR)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "cannot write %s: %s is not a folder; give another name.", path,
                       folder);
    if (error == EACCES || error == EPERM || error == ENOENT)
        return mg_fail(ctx, MEGURI_NO_DISK, "cannot write %s: no files can be made in %s (%s); write elsewhere.", path,
                       folder, why->text);
    return write_failed(ctx, file, error);
}

/* The new file, without a name if that is possible; or, if others have to find it, only a name for it. */
static meguri_status make_new(meguri_ctx *ctx, mg_outfile *file, const char *folder, const char *name, bool shared) {
    if (!*name || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "cannot write %s: it names a folder; give the name of a file.",
                       file->path);
    mg_refusal why;
    /* Without /proc an unnamed file could not get its name later. */
    if (!shared && access("/proc/self/fd", X_OK) == 0) file->fd = mg_create_unnamed(&why, folder, 0666);
    if (file->fd >= 0) return MEGURI_OK;
    file->temporary = temporary_name(ctx, folder, name);
    if (!file->temporary) return MEGURI_NO_MEMORY;
    if (shared) {
        mg_random_letters(file->temporary + strlen(file->temporary));
        return MEGURI_OK;
    }
    file->fd = mg_create_random(&why, file->temporary, 0666);
    if (file->fd >= 0) return MEGURI_OK;
    mg_free(file->temporary);
    file->temporary = NULL;
    return open_failed(ctx, file, folder, &why);
}

static meguri_status find_target(mg_outfile *file, meguri_ctx *ctx, const char *path) {
    mg_target target;
    meguri_status status = mg_target_find(&target, ctx, path, file->path);
    file->target = target.path;
    file->fd = target.fd;
    file->direct = target.fd >= 0;
    return status;
}

static meguri_status open_new(mg_outfile *out, meguri_ctx *ctx, const char *path, bool shared) {
    char *folder = NULL;
    const char *name;
    meguri_status status = MEGURI_NO_MEMORY;
    *out = (mg_outfile){.fd = -1};
    if (!*path) return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "the name of the file to write is empty; give one.");
    bool standard = strcmp(path, "-") == 0;
    out->path = mg_strdup(ctx, standard ? "standard output" : path, "the name of a file");
    if (!out->path) goto cleanup;
    status = find_target(out, ctx, standard ? "/dev/fd/1" : path);
    if (status == MEGURI_OK && out->direct) {
        struct stat what;
        out->waits = fstat(out->fd, &what) == 0 && !S_ISREG(what.st_mode);
        out->terminal = out->waits && isatty(out->fd);
    }
    if (status != MEGURI_OK || out->direct) goto cleanup;
    status = MEGURI_NO_MEMORY;
    folder = folder_of(ctx, out->target, &name);
    if (folder) status = make_new(ctx, out, folder, name, shared);
cleanup:
    mg_free(folder);
    if (status != MEGURI_OK) mg_outfile_abandon(out);
    return status;
}

meguri_status mg_outfile_open(mg_outfile *out, meguri_ctx *ctx, const char *path) {
    return open_new(out, ctx, path, false);
}

meguri_status mg_output_of(mg_output *out, meguri_ctx *ctx, const meguri_sink *sink, bool memory,
                           const char *function) {
    meguri_sink s;
    *out = (mg_output){.name = "the output", .form = ""};
    if (!sink && !memory) return mg_missing(ctx, function);
    meguri_status status = mg_options(ctx, &s, sizeof s, sink, "meguri_sink");
    if (status != MEGURI_OK) return status;
    if (s.path && s.write)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "path, write: a sink has either a file or a function; leave one out.");
    if (!s.path && !s.write && !memory)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "path, write: a sink needs a file or a function.");
    if (s.path) out->name = out->form = out->path = s.path;
    out->write = s.write;
    out->user = s.user;
    if (!s.form) return MEGURI_OK;
    if (!*s.form || strlen(s.form) >= sizeof out->suffix - 2)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "form: unknown form '%.100s'.", s.form);
    snprintf(out->suffix, sizeof out->suffix, "_.%s", s.form); /* a suffix needs something before it */
    out->form = out->suffix;
    return MEGURI_OK;
}

meguri_status mg_outfile_open_output(mg_outfile *out, meguri_ctx *ctx, const mg_output *output) {
    if (!output->write) return open_new(out, ctx, output->path, false);
    *out = (mg_outfile){.fd = -1, .write = output->write, .user = output->user, .direct = true};
    out->path = mg_strdup(ctx, output->name, "the name of a file");
    return out->path ? MEGURI_OK : MEGURI_NO_MEMORY;
}

meguri_status mg_outfile_name_shared(mg_outfile *out, meguri_ctx *ctx, const char *path) {
    struct stat what; /* opening a pipe would wait for its reader */
    bool on_disk = strcmp(path, "-") == 0 || stat(path, &what) != 0 || S_ISREG(what.st_mode) || S_ISDIR(what.st_mode);
    *out = (mg_outfile){.fd = -1};
    meguri_status status = on_disk ? open_new(out, ctx, path, true) : MEGURI_OK;
    if (status != MEGURI_OK || (on_disk && !out->direct)) return status;
    mg_outfile_abandon(out);
    return mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                   "cannot write %s: it is no file on disk, and several processes cannot write to it together.",
                   strcmp(path, "-") == 0 ? "to standard output" : path);
}

meguri_status mg_outfile_make_shared(mg_outfile *out, meguri_ctx *ctx) {
    const char *name;
    mg_refusal why;
    out->fd = mg_create(&why, out->temporary, 0666);
    if (out->fd >= 0) return MEGURI_OK;
    mg_free(out->temporary); /* what has this name is not ours */
    out->temporary = NULL;
    char *folder = folder_of(ctx, out->target, &name);
    meguri_status status = folder ? open_failed(ctx, out, folder, &why) : MEGURI_NO_MEMORY;
    mg_free(folder);
    return status;
}

meguri_status mg_outfile_join(mg_outfile *out, meguri_ctx *ctx, const char *path, const char *temporary) {
    *out = (mg_outfile){.fd = -1};
    out->path = mg_strdup(ctx, path, "the name of a file");
    out->temporary = out->path ? mg_strdup(ctx, temporary, "the name of a temporary file") : NULL;
    if (!out->temporary) {
        mg_outfile_abandon(out);
        return MEGURI_NO_MEMORY;
    }
    mg_refusal why;
    out->fd = mg_open_again(&why, temporary, false);
    if (out->fd >= 0) return MEGURI_OK;
    mg_outfile_abandon(out);
    return mg_fail(ctx, MEGURI_NO_DISK,
                   "cannot write %s: the file %s, which another process made, cannot be opened here (%s); write to a "
                   "folder that all machines share.",
                   path, temporary, why.text);
}

meguri_status mg_outfile_sync(meguri_ctx *ctx, const mg_outfile *file) {
    return fsync(file->fd) == 0 ? MEGURI_OK : write_failed(ctx, file, errno);
}

void mg_outfile_leave(mg_outfile *file) {
    mg_free(file->temporary);
    file->temporary = NULL;
    mg_outfile_abandon(file);
}

meguri_status mg_outfile_expect(meguri_ctx *ctx, const mg_outfile *file, uint64_t bytes) {
    char wanted[MG_SIZE_TEXT], room[MG_SIZE_TEXT];
    uint64_t left = file->direct ? UINT64_MAX : mg_room_in(file->fd); /* where nobody knows, the writes will find out */
    if (bytes <= left) return MEGURI_OK;
    return mg_fail(ctx, MEGURI_NO_DISK,
                   "%s would have %s (%" PRIu64 " bytes) at least, and there is room for %s (%" PRIu64
                   " bytes): free some disk space, write elsewhere, or ask for less.",
                   file->path, mg_size_text(wanted, bytes), bytes, mg_size_text(room, left), left);
}

meguri_status mg_outfile_reserve(meguri_ctx *ctx, mg_outfile *file, uint64_t bytes) {
    if (file->direct) return MEGURI_OK;
    int result;
    do result = bytes ? fallocate(file->fd, 0, 0, (off_t)bytes) : 0;
    while (result != 0 && errno == EINTR && !mg_cancelled(ctx));
    /* Not every file system can reserve room; there the writes will find out. */
    if (result != 0 && mg_is_no_room(errno)) return no_room_for(ctx, file, errno, bytes);
    if (ftruncate(file->fd, (off_t)bytes) != 0) return write_failed(ctx, file, errno);
    return MEGURI_OK;
}

/* Until a write would not wait for a reader, as long as nobody has had enough. */
static meguri_status wait_for_reader(meguri_ctx *ctx, const mg_outfile *file) {
    struct pollfd out = {.fd = file->fd, .events = POLLOUT};
    int ready;
    while ((ready = poll(&out, 1, MG_PATIENCE_MS)) == 0 || (ready < 0 && errno == EINTR))
        if (mg_progress(ctx, "write", 0, 0)) return mg_fail_cancelled(ctx);
    return MEGURI_OK;
}

/* The function may have noted a sentence of its own. */
static meguri_status call_function(meguri_ctx *ctx, const mg_outfile *file, const void *data, size_t bytes) {
    MG_OUTSIDE(outside, ctx);
    meguri_status status = file->write(file->user, data, bytes);
    mg_inside(&outside, status);
    if (status == MEGURI_OK || *meguri_ctx_error(ctx)) return status;
    return mg_fail(ctx, status, "the function that takes %s ended the writing: %s.", file->path,
                   meguri_status_text(status));
}

static meguri_status write_bytes(meguri_ctx *ctx, const mg_outfile *file, const void *data, size_t bytes) {
    const size_t most = file->waits ? PIPE_BUF : (size_t)1 << 30; /* what a pipe that is ready takes without a wait */
    const char *from = data;
    if (file->write) return bytes ? call_function(ctx, file, data, bytes) : MEGURI_OK;
    while (bytes > 0) {
        meguri_status status = file->waits ? wait_for_reader(ctx, file) : MEGURI_OK;
        if (status != MEGURI_OK) return status;
        ssize_t done = write(file->fd, from, MG_MIN(bytes, most));
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return write_failed(ctx, file, done < 0 ? errno : ENOSPC);
        from += done;
        bytes -= (size_t)done;
    }
    return MEGURI_OK;
}

/* What the escaper of a terminal is to write with. */
typedef struct terminal {
    meguri_ctx *ctx;
    const mg_outfile *file;
} terminal;

static meguri_status write_escaped(void *user, const void *data, size_t bytes) {
    const terminal *to = user;
    return write_bytes(to->ctx, to->file, data, bytes);
}

/* Results may hold anything; in pipes and files their bytes stay as they are. */
static meguri_status write_to_terminal(meguri_ctx *ctx, mg_outfile *file, const void *data, size_t bytes, bool end) {
    terminal to = {ctx, file};
    file->escaper.size = sizeof file->escaper;
    file->escaper.write = write_escaped;
    file->escaper.user = &to;
    return end ? meguri_escape_end(&file->escaper) : meguri_escape_lines(&file->escaper, data, bytes);
}

meguri_status mg_outfile_write(meguri_ctx *ctx, mg_outfile *file, const void *data, size_t bytes) {
    return file->terminal ? write_to_terminal(ctx, file, data, bytes, false) : write_bytes(ctx, file, data, bytes);
}

meguri_status mg_outfile_write_at(meguri_ctx *ctx, mg_outfile *file, const void *data, size_t bytes, uint64_t offset) {
    const char *from = data;
    while (bytes > 0) {
        ssize_t done = pwrite(file->fd, from, MG_MIN(bytes, (size_t)1 << 30), (off_t)offset);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return write_failed(ctx, file, done < 0 ? errno : ENOSPC);
        from += done;
        offset += (uint64_t)done;
        bytes -= (size_t)done;
    }
    return MEGURI_OK;
}

/* A file that replaces another keeps its mode, and its owner where we may give files away. */
static meguri_status keep_rights(meguri_ctx *ctx, mg_outfile *file) {
    struct stat old, new;
    if (stat(file->target, &old) != 0 || fstat(file->fd, &new) != 0) return MEGURI_OK;
    if (old.st_uid != new.st_uid || old.st_gid != new.st_gid) {
        int refused = fchown(file->fd, old.st_uid, old.st_gid); /* only root may; then the file is ours, as cp's */
        (void)refused;
    }
    if (fchmod(file->fd, old.st_mode & 0777) != 0) return write_failed(ctx, file, errno);
    return MEGURI_OK;
}

/* Gives the unnamed file its final name if that is free, otherwise a temporary one that rename will take. */
static meguri_status give_name(meguri_ctx *ctx, mg_outfile *file, const char *folder, const char *name) {
    char self[64];
    snprintf(self, sizeof self, "/proc/self/fd/%d", file->fd);
    if (linkat(AT_FDCWD, self, AT_FDCWD, file->target, AT_SYMLINK_FOLLOW) == 0) return MEGURI_OK;
    if (errno != EEXIST) return write_failed(ctx, file, errno);
    char *temporary = temporary_name(ctx, folder, name);
    if (!temporary) return MEGURI_NO_MEMORY;
    char *letters = temporary + strlen(temporary);
    int error = EEXIST;
    for (int i = 0; i < TRIES && error == EEXIST; i++) {
        mg_random_letters(letters);
        error = linkat(AT_FDCWD, self, AT_FDCWD, temporary, AT_SYMLINK_FOLLOW) == 0 ? 0 : errno;
    }
    if (error != 0) {
        mg_free(temporary);
        return write_failed(ctx, file, error);
    }
    file->temporary = temporary;
    return MEGURI_OK;
}

/* A new name is safe once its folder is on disk. Folders that cannot be opened or synced are left to the system. */
static meguri_status sync_folder(meguri_ctx *ctx, const mg_outfile *file, const char *folder) {
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return MEGURI_OK;
    int error = fsync(fd) == 0 ? 0 : errno;
    close(fd);
    return error == 0 || error == EINVAL || error == EROFS ? MEGURI_OK : write_failed(ctx, file, error);
}

meguri_status mg_outfile_commit(meguri_ctx *ctx, mg_outfile *file) {
    const char *name;
    char *folder = NULL;
    meguri_status status = MEGURI_OK;
    if (file->direct) {
        /* Pipes and terminals cannot be synced (EINVAL, EROFS); a disk that fails says so. */
        if (file->terminal) status = write_to_terminal(ctx, file, NULL, 0, true);
        if (!file->write && fsync(file->fd) != 0 && (errno == EIO || mg_is_no_room(errno)))
            status = write_failed(ctx, file, errno);
        goto cleanup;
    }
    status = MEGURI_NO_MEMORY;
    folder = folder_of(ctx, file->target, &name);
    if (!folder) goto cleanup;
    if ((status = keep_rights(ctx, file)) != MEGURI_OK) goto cleanup;
    if (fsync(file->fd) != 0) {
        status = write_failed(ctx, file, errno);
        goto cleanup;
    }
    if (!file->temporary && (status = give_name(ctx, file, folder, name)) != MEGURI_OK) goto cleanup;
    if (file->temporary) {
        if (rename(file->temporary, file->target) != 0) {
            status = write_failed(ctx, file, errno);
            goto cleanup;
        }
        mg_free(file->temporary);
        file->temporary = NULL;
    }
    status = sync_folder(ctx, file, folder);
cleanup:
    mg_free(folder);
    mg_outfile_abandon(file);
    return status;
}

void mg_outfile_abandon(mg_outfile *file) {
    if (!file->path) return;
    if (file->fd >= 0) close(file->fd);
    if (file->temporary) unlink(file->temporary);
    mg_free(file->temporary);
    mg_free(file->target);
    mg_free(file->path);
    *file = (mg_outfile){.fd = -1};
}
