/* Temporary files without a name, and whole reads and writes. */
#define _GNU_SOURCE
#include "base/ctx.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int mg_tempfile(meguri_ctx *ctx) {
    const char *dir = mg_temp_dir(ctx);
    mg_refusal why;
    int fd = mg_create_unnamed(&why, dir, 0600);
    if (fd < 0 && why.error != ENOENT && why.error != EACCES) { /* file systems without O_TMPFILE */
        char *name = malloc(strlen(dir) + sizeof "/meguri-" + MG_LETTERS);
        if (name) {
            sprintf(name, "%s/meguri-", dir);
            fd = mg_create_random(&why, name, 0600);
            if (fd >= 0) unlink(name);
            free(name);
        }
    }
    if (fd < 0)
        mg_fail(ctx, MEGURI_NO_DISK, "cannot make a temporary file in %s: %s; set TMPDIR to a folder with room.", dir,
                why.text);
    return fd;
}

meguri_status mg_pwrite_all(meguri_ctx *ctx, int fd, const void *data, size_t bytes, uint64_t offset,
                            const char *name) {
    const char *from = data;
    while (bytes > 0) {
        ssize_t done = pwrite(fd, from, MG_MIN(bytes, (size_t)1 << 30), (off_t)offset);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) {
            int error = done < 0 ? errno : ENOSPC;
            if (!mg_is_no_room(error))
                return mg_fail(ctx, MEGURI_NO_DISK, "cannot write %s: %s.", name, strerror(error));
            mg_no_room no_room = mg_no_room_in(fd, error, 0);
            return mg_fail(ctx, MEGURI_NO_DISK,
                           "there is no room to write %s in %s (%s): %s (TMPDIR names the folder).", name,
                           mg_temp_dir(ctx), no_room.reason, no_room.advice);
        }
        from += done;
        offset += (uint64_t)done;
        bytes -= (size_t)done;
    }
    return MEGURI_OK;
}

meguri_status mg_pread_all(meguri_ctx *ctx, int fd, void *data, size_t bytes, uint64_t offset, const char *name) {
    char *to = data;
    while (bytes > 0) {
        ssize_t done = pread(fd, to, MG_MIN(bytes, (size_t)1 << 30), (off_t)offset);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0)
            return mg_fail(ctx, MEGURI_BAD_INPUT, "cannot read %s: %s.", name,
                           done < 0 ? strerror(errno) : "it ends too early");
        to += done;
        offset += (uint64_t)done;
        bytes -= (size_t)done;
    }
    return MEGURI_OK;
}
