/* Creating files: every file that this project makes is opened for writing here.
 *
 * A new file is created with O_EXCL | O_NOFOLLOW, so that neither a symbolic link nor a file that another user has put
 * there is written to; the folder is reached by walk.c. An existing file is written to only if it is a regular one
 * without a second name (a hard link is another user's choice of file, too), or a pipe or device that was named.
 */
#define _GNU_SOURCE
#include "base/walk.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#define TRIES 100 /* random names tried */

static int refuse(mg_refusal *why, int error, const char *text) {
    why->error = error;
    snprintf(why->text, sizeof why->text, "%s", text ? text : strerror(error));
    errno = error;
    return -1;
}

static int refuse_file(mg_refusal *why, int fd, const char *text) {
    close(fd);
    return refuse(why, EPERM, text);
}

void mg_random_letters(char out[MG_LETTERS + 1]) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    unsigned char noise[MG_LETTERS] = {0};
    if (getrandom(noise, sizeof noise, GRND_NONBLOCK) != (ssize_t)sizeof noise) {
        uint64_t other = (uint64_t)(mg_now() * 1e9) ^ (uint64_t)getpid() << 24; /* names only need to differ */
        memcpy(noise, &other, sizeof noise);
    }
    for (int i = 0; i < MG_LETTERS; i++) out[i] = letters[noise[i] % 64];
    out[MG_LETTERS] = '\0';
}

/* ---- new files -------------------------------------------------------------------------------------------------- */

static int create_at(int folder, const char *name, unsigned mode) {
    return openat(folder, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
}

static int create(mg_refusal *why, const char *path, bool instead, unsigned mode) {
    mg_walk w;
    if (!mg_walk_to(&w, path)) return refuse(why, w.error, w.why);
    int gone = instead ? unlinkat(w.folder, w.name, 0) : 0; /* of a link the link itself */
    int fd = gone == 0 || errno == ENOENT ? create_at(w.folder, w.name, mode) : -1;
    int error = errno;
    mg_walk_end(&w);
    return fd >= 0 ? fd : refuse(why, error, NULL);
}

int mg_create(mg_refusal *why, const char *path, unsigned mode) { return create(why, path, false, mode); }

int mg_create_instead(mg_refusal *why, const char *path, unsigned mode) { return create(why, path, true, mode); }

int mg_create_unnamed(mg_refusal *why, const char *folder, unsigned mode) {
    mg_walk w;
    if (!mg_walk_into(&w, folder)) return refuse(why, w.error, w.why);
    int fd = openat(w.folder, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, mode), error = errno;
    mg_walk_end(&w);
    return fd >= 0 ? fd : refuse(why, error, NULL);
}

int mg_create_random(mg_refusal *why, char *path, unsigned mode) {
    char *letters = path + strlen(path);
    for (int i = 0; i < TRIES; i++) {
        mg_random_letters(letters);
        int fd = mg_create(why, path, mode);
        if (fd >= 0 || why->error != EEXIST) return fd;
    }
    return -1;
}

bool mg_create_folder(mg_refusal *why, const char *path, unsigned mode) {
    char name[MG_PATH];
    mg_walk w;
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/') length--; /* the last name is before them */
    if (length >= sizeof name) return refuse(why, ENAMETOOLONG, NULL) == 0;
    memcpy(name, path, length);
    name[length] = '\0';
    if (!mg_walk_to(&w, name)) return refuse(why, w.error, w.why) == 0;
    int made = mkdirat(w.folder, *w.name ? w.name : ".", mode), error = errno;
    mg_walk_end(&w);
    return made == 0 || refuse(why, error, NULL) == 0;
}

/* ---- files that are there --------------------------------------------------------------------------------------- */

int mg_open_again(mg_refusal *why, const char *path, bool own) {
    mg_walk w;
    struct stat facts;
    if (!mg_walk_to(&w, path)) return refuse(why, w.error, w.why);
    int fd = openat(w.folder, w.name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC), error = errno;
    mg_walk_end(&w);
    if (fd < 0) return refuse(why, error, error == ELOOP ? "it is a symbolic link" : NULL);
    if (fstat(fd, &facts) != 0 || !S_ISREG(facts.st_mode)) return refuse_file(why, fd, "it is not a regular file");
    if (own && facts.st_uid != geteuid()) return refuse_file(why, fd, "it belongs to another user");
    if (facts.st_nlink != 1) return refuse_file(why, fd, "it has a second name (a hard link)");
    return fd;
}

int mg_open_special(mg_refusal *why, const char *path) {
    mg_walk w;
    struct stat facts;
    if (!mg_walk_to(&w, path)) return refuse(why, w.error, w.why);
    int fd = openat(w.folder, w.name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC), error = errno;
    mg_walk_end(&w);
    if (fd < 0) return refuse(why, error, NULL);
    if (fstat(fd, &facts) != 0 || S_ISREG(facts.st_mode))
        return refuse_file(why, fd, "another file has taken its place");
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0 || fcntl(fd, F_SETFL, flags & ~O_NONBLOCK) != 0) return refuse_file(why, fd, strerror(errno));
    return fd;
}

meguri_status meguri_ctx_create(int *out, meguri_ctx *ctx, const char *path) {
    mg_refusal why;
    if (out) *out = -1;
    if (!out || !ctx || !path) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    for (int i = 0; i < TRIES; i++) { /* it may come and go in between */
        *out = mg_open_again(&why, path, true);
        if (*out < 0 && why.error == ENOENT) *out = mg_create(&why, path, 0666);
        if (*out >= 0 || why.error != EEXIST) break;
    }
    if (*out >= 0) return MEGURI_OK;
    return mg_fail(ctx, MEGURI_NO_DISK, "%s cannot be opened: %s.", path, why.text);
}
