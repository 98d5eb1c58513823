/* What the name of an output really leads to: symbolic links followed, descriptors and devices opened.
 *
 * A link is followed where walk.c would: one of another user could lead to any file of this one. */
#define _GNU_SOURCE
#include "base/walk.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#define MAX_LINKS 40 /* symbolic links followed, as the kernel does */

/* The descriptor N of /dev/fd/N and its like; -1 for every other path. */
static int descriptor_in(const char *path) {
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        size_t length = strlen(folders[i]);
        if (strncmp(path, folders[i], length) != 0) continue;
        int number = 0;
        const char *at = path + length;
        while (*at >= '0' && *at <= '9' && number < 100000000) number = number * 10 + (*at++ - '0');
        if (at != path + length && *at == '\0') return number;
    }
    return -1;
}

static meguri_status cannot_write(meguri_ctx *ctx, const mg_target *target, const char *why) {
    return mg_fail(ctx, MEGURI_NO_DISK, "cannot write %s: %s.", target->called, why);
}

/* One link further. */
static meguri_status follow_link(mg_target *target, meguri_ctx *ctx) {
    char to[MG_PATH];
    ssize_t length = readlink(target->path, to, sizeof to - 1);
    if (length < 0 || length == (ssize_t)sizeof to - 1)
        return mg_fail(ctx, MEGURI_NO_DISK, "cannot follow the link %s: %s.", target->path,
                       length < 0 ? strerror(errno) : "it is too long");
    to[length] = '\0';
    const char *slash = to[0] == '/' ? NULL : strrchr(target->path, '/');
    size_t kept = slash ? (size_t)(slash + 1 - target->path) : 0;
    char *next = mg_alloc(ctx, kept + (size_t)length + 1, "the name of a file");
    if (!next) return MEGURI_NO_MEMORY;
    memcpy(next, target->path, kept);
    memcpy(next + kept, to, (size_t)length + 1);
    mg_free(target->path);
    target->path = next;
    return MEGURI_OK;
}

/* What is not a file. Opening a pipe waits for its reader: not in the system, which would not notice a cancel. */
static meguri_status open_special(mg_target *target, meguri_ctx *ctx, bool pipe) {
    mg_refusal why;
    while ((target->fd = mg_open_special(&why, target->path)) < 0) {
        if (!pipe || why.error != ENXIO) return cannot_write(ctx, target, why.text);
        poll(NULL, 0, MG_PATIENCE_MS);
        if (mg_progress(ctx, "write", 0, 0)) return mg_fail_cancelled(ctx);
    }
    return MEGURI_OK;
}

/* Whether there is something, and of what kind; a link of another user is refused. */
static meguri_status look(struct stat *what, bool *there, meguri_ctx *ctx, const mg_target *target) {
    mg_walk w;
    bool good = mg_walk_to(&w, target->path);
    *there = good && fstatat(w.folder, w.name, what, AT_SYMLINK_NOFOLLOW) == 0;
    if (*there && S_ISLNK(what->st_mode)) good = mg_walk_owns_link(&w, w.name, what);
    mg_walk_end(&w);
    return good || w.error != EPERM ? MEGURI_OK : cannot_write(ctx, target, w.why); /* else creating it says why not */
}

meguri_status mg_target_find(mg_target *out, meguri_ctx *ctx, const char *path, const char *called) {
    struct stat what;
    bool there;
    *out = (mg_target){.fd = -1, .called = called, .path = mg_strdup(ctx, path, "the name of a file")};
    if (!out->path) return MEGURI_NO_MEMORY;
    for (int links = 0;; links++) {
        int descriptor = descriptor_in(out->path);
        if (descriptor >= 0) {
            out->fd = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
            return out->fd >= 0 ? MEGURI_OK : cannot_write(ctx, out, strerror(errno));
        }
        meguri_status status = look(&what, &there, ctx, out);
        if (status != MEGURI_OK || !there) return status;
        if (!S_ISLNK(what.st_mode)) break;
        if (links == MAX_LINKS) return cannot_write(ctx, out, strerror(ELOOP));
        status = follow_link(out, ctx);
        if (status != MEGURI_OK) return status;
    }
    if (S_ISDIR(what.st_mode))
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "cannot write %s: it is a folder; give the name of a file in it.",
                       called);
    if (!S_ISREG(what.st_mode)) return open_special(out, ctx, S_ISFIFO(what.st_mode));
    return faccessat(AT_FDCWD, out->path, W_OK, AT_EACCESS) == 0 ? MEGURI_OK : cannot_write(ctx, out, strerror(errno));
}
