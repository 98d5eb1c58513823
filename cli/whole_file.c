/* A file of the command's own, written whole or not at all: under a temporary name in the same folder, synced, then
 * renamed. (Graphs and results are written so by the library.) */
#define _GNU_SOURCE /* mkostemp */
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static meguri_status failed(cli_run *run, const char *path, int error) {
    return cli_fail(run, MEGURI_NO_DISK, "cannot write %s: %s.", path, strerror(error));
}

/* 0, or what went wrong. */
static int write_all(int fd, const char *bytes, size_t length) {
    while (length > 0) {
        ssize_t written = write(fd, bytes, length);
        if (written < 0 && errno == EINTR && !cli_interrupted()) continue;
        if (written < 0) return errno;
        bytes += written;
        length -= (size_t)written;
    }
    return 0;
}

/* What is no file and cannot be replaced: a pipe, a terminal, /dev/stdout. */
static int write_directly(const char *path, const char *bytes, size_t length) {
    int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) return errno;
    int error = write_all(fd, bytes, length);
    if (close(fd) != 0 && !error) error = errno;
    return error;
}

static mode_t default_mode(void) {
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

/* `path` is the file itself, no link to it. */
static int replace(const char *path, mode_t mode, const char *bytes, size_t length) {
    const char *slash = strrchr(path, '/');
    size_t folder = slash ? (size_t)(slash + 1 - path) : 0, size = strlen(path) + 16;
    char *temporary = malloc(size);
    if (!temporary) return ENOMEM;
    snprintf(temporary, size, "%.*s.%.200s.XXXXXX", (int)folder, path, path + folder);
    int error = 0, fd = mkostemp(temporary, O_CLOEXEC);
    if (fd < 0) error = errno;
    else {
        error = write_all(fd, bytes, length);
        if (!error && fchmod(fd, mode) != 0) error = errno;
        if (!error && fsync(fd) != 0) error = errno;
        if (close(fd) != 0 && !error) error = errno;
        if (!error && rename(temporary, path) != 0) error = errno;
        if (error) unlink(temporary);
    }
    free(temporary);
    return error;
}

meguri_status cli_write_whole(cli_run *run, const char *path, const char *bytes, size_t length) {
    struct stat facts;
    if (stat(path, &facts) != 0) {
        if (lstat(path, &facts) == 0)
            return cli_fail(run, MEGURI_NO_DISK,
                            "cannot write %s: it is a link to a file that is not there; remove it first.", path);
        int error = replace(path, default_mode(), bytes, length);
        return error ? failed(run, path, error) : MEGURI_OK;
    }
    if (!S_ISREG(facts.st_mode)) {
        int error = write_directly(path, bytes, length);
        return error ? failed(run, path, error) : MEGURI_OK;
    }
    if (access(path, W_OK) != 0) return failed(run, path, errno);
    char *target = realpath(path, NULL);
    int error = target ? replace(target, facts.st_mode & 07777, bytes, length) : errno;
    free(target);
    return error ? failed(run, path, error) : MEGURI_OK;
}

/* ---- bit by bit ------------------------------------------------------------------------------------------------- */

static meguri_status open_temporary(cli_stream *stream, cli_run *run) {
    const char *slash = strrchr(stream->target, '/');
    size_t folder = slash ? (size_t)(slash + 1 - stream->target) : 0, size = strlen(stream->target) + 16;
    stream->temporary = malloc(size);
    if (!stream->temporary) return failed(run, stream->path, ENOMEM);
    snprintf(stream->temporary, size, "%.*s.%.200s.XXXXXX", (int)folder, stream->target, stream->target + folder);
    int fd = mkostemp(stream->temporary, O_CLOEXEC);
    if (fd >= 0) stream->file = fdopen(fd, "wb");
    if (stream->file) return MEGURI_OK;
    int error = errno;
    if (fd >= 0) {
        close(fd);
        unlink(stream->temporary);
    }
    return failed(run, stream->path, error);
}

meguri_status cli_stream_open(cli_stream *stream, cli_run *run, const char *path) {
    struct stat facts;
    *stream = (cli_stream){.path = path};
    bool there = stat(path, &facts) == 0;
    if (!there && lstat(path, &facts) == 0)
        return cli_fail(run, MEGURI_NO_DISK,
                        "cannot write %s: it is a link to a file that is not there; remove it first.", path);
    if (there && !S_ISREG(facts.st_mode)) {
        stream->file = fopen(path, "wbe");
        return stream->file ? MEGURI_OK : failed(run, path, errno);
    }
    if (there && access(path, W_OK) != 0) return failed(run, path, errno);
    stream->target = there ? realpath(path, NULL) : strdup(path);
    return stream->target ? open_temporary(stream, run) : failed(run, path, errno);
}

/* 0, or what went wrong. */
static int finish(cli_stream *stream, bool keep) {
    struct stat facts;
    errno = 0;
    int error = ferror(stream->file) || fflush(stream->file) != 0 ? (errno ? errno : EIO) : 0;
    if (stream->temporary && !error && keep) {
        mode_t mode = stat(stream->target, &facts) == 0 ? facts.st_mode & 07777 : default_mode();
        if (fchmod(fileno(stream->file), mode) != 0 || fsync(fileno(stream->file)) != 0) error = errno;
    }
    if (fclose(stream->file) != 0 && !error) error = errno;
    if (!stream->temporary) return error;
    if (!error && keep && rename(stream->temporary, stream->target) != 0) error = errno;
    if (error || !keep) unlink(stream->temporary);
    return error;
}

meguri_status cli_stream_close(cli_stream *stream, cli_run *run, bool keep) {
    int error = stream->file ? finish(stream, keep) : 0;
    free(stream->target);
    free(stream->temporary);
    const char *path = stream->path;
    *stream = (cli_stream){0};
    return error && keep ? failed(run, path, error) : MEGURI_OK;
}
