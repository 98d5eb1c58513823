/* Paths: the folder of a file, reached without following a symbolic link of another user.
 *
 * A user that can write to a folder can put a symbolic link there, and so choose what processes of other users create
 * or overwrite. A path is therefore walked name by name, and each folder is held open while the next name is looked up
 * in it. A link is followed if it belongs to this user, to root, or to the owner of its folder, which decides anyway
 * what the folder holds. (Linux has the same rule for sticky folders, where fs.protected_symlinks is set.)
 *
 * A private path is for what is loaded as code: no folder on it may be writable by another user, unless it is sticky,
 * as /tmp is: there users can replace only what is their own. */
#define _GNU_SOURCE
#include "base/walk.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_LINKS 40 /* symbolic links followed, as the kernel does */

typedef struct walking {
    mg_walk *out;
    bool private;
    int links;
    char rest[2 * MG_PATH]; /* of the path, and of links in it */
} walking;

static bool stop(mg_walk *w, int error, const char *format, ...) MG_PRINTF(3, 4);
static bool stop(mg_walk *w, int error, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(w->why, sizeof w->why, format, args);
    va_end(args);
    w->error = error;
    return false;
}

static bool stop_by_system(mg_walk *w) { return stop(w, errno, "%s", strerror(errno)); }

static bool is_trusted(uid_t owner) { return owner == 0 || owner == geteuid(); }

bool mg_walk_owns_link(mg_walk *w, const char *name, const struct stat *link) {
    struct stat folder;
    if (is_trusted(link->st_uid)) return true;
    if (fstat(w->folder, &folder) != 0) return stop_by_system(w);
    if (folder.st_uid == link->st_uid) return true;
    return stop(w, EPERM, "%.200s is a symbolic link of another user (%u); give the path that it leads to", name,
                (unsigned)link->st_uid);
}

static bool check_private(mg_walk *w, const struct stat *folder) {
    const char *name = *w->real ? w->real : "/";
    if (!is_trusted(folder->st_uid))
        return stop(w, EPERM, "%.300s belongs to another user (%u)", name, (unsigned)folder->st_uid);
    if ((folder->st_mode & 022) && !(folder->st_mode & S_ISVTX))
        return stop(w, EPERM, "other users can write to %.300s (mode %04o)", name, (unsigned)folder->st_mode & 07777);
    return true;
}

/* Takes the descriptor over. */
static bool enter(walking *k, int fd, const char *name) {
    mg_walk *w = k->out;
    struct stat folder;
    if (w->folder >= 0) close(w->folder);
    w->folder = fd;
    if (!k->private) return true;
    char *last = strrchr(w->real, '/');
    size_t length = strlen(w->real);
    if (!name) *w->real = '\0';
    else if (strcmp(name, "..") == 0) *(last ? last : w->real) = '\0';
    else if (length + strlen(name) + 2 > sizeof w->real) return stop(w, ENAMETOOLONG, "%s", strerror(ENAMETOOLONG));
    else snprintf(w->real + length, sizeof w->real - length, "/%s", name);
    return fstat(fd, &folder) == 0 ? check_private(w, &folder) : stop_by_system(w);
}

static bool enter_start(walking *k, bool root) {
    int fd = open(root ? "/" : ".", O_RDONLY | O_PATH | O_DIRECTORY | O_CLOEXEC);
    return fd >= 0 ? enter(k, fd, NULL) : stop_by_system(k->out);
}

/* What a link leads to comes before the rest of the path. */
static bool follow(walking *k, int link, const char *name) {
    mg_walk *w = k->out;
    struct stat facts;
    char to[2 * MG_PATH];
    if (fstat(link, &facts) != 0) return stop_by_system(w);
    if (!S_ISLNK(facts.st_mode)) return stop(w, ENOTDIR, "%s", strerror(ENOTDIR));
    if (!mg_walk_owns_link(w, name, &facts)) return false;
    ssize_t length = readlinkat(link, "", to, MG_PATH);
    if (length < 0) return stop_by_system(w);
    if (++k->links > MAX_LINKS) return stop(w, ELOOP, "%s", strerror(ELOOP));
    size_t rest = strlen(k->rest);
    if (length == MG_PATH || (size_t)length + rest + 2 > sizeof k->rest)
        return stop(w, ENAMETOOLONG, "%s", strerror(ENAMETOOLONG));
    to[length] = '/';
    memcpy(to + length + 1, k->rest, rest + 1);
    memcpy(k->rest, to, (size_t)length + rest + 2);
    return *to != '/' || enter_start(k, true);
}

static bool step(walking *k, const char *name) {
    mg_walk *w = k->out;
    int fd = openat(w->folder, name, O_RDONLY | O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT && k->private) {
        if (mkdirat(w->folder, name, 0700) != 0 && errno != EEXIST) return stop_by_system(w);
        fd = openat(w->folder, name, O_RDONLY | O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    }
    if (fd >= 0) return enter(k, fd, name);
    if (errno != ENOTDIR && errno != ELOOP) return stop_by_system(w);
    int link = openat(w->folder, name, O_RDONLY | O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (link < 0) return stop_by_system(w);
    bool good = follow(k, link, name);
    close(link);
    return good;
}

/* The next name of the rest, which loses it; false at the end. */
static bool next_name(walking *k, char name[MG_NAME]) {
    const char *from = k->rest + strspn(k->rest, "/");
    size_t length = strcspn(from, "/");
    bool fits = length < MG_NAME;
    if (fits) memcpy(name, from, length);
    name[fits ? length : 0] = '\0';
    if (!fits) stop(k->out, ENAMETOOLONG, "%s", strerror(ENAMETOOLONG));
    else memmove(k->rest, from + length, strlen(from + length) + 1);
    return length > 0;
}

static bool walk(walking *k, const char *path) {
    mg_walk *w = k->out;
    char name[MG_NAME];
    if (k->private && *path != '/') { /* the folders above count, too */
        if (!getcwd(k->rest, MG_PATH)) return stop_by_system(w);
        strcat(k->rest, "/");
    }
    if (strlen(path) >= MG_PATH) return stop(w, ENAMETOOLONG, "%s", strerror(ENAMETOOLONG));
    strcat(k->rest, path);
    if (!enter_start(k, k->private || *path == '/')) return false;
    while (next_name(k, name)) {
        if (w->error) return false;
        if (strcmp(name, ".") != 0 && !step(k, name)) return false;
    }
    return true;
}

static bool begin(mg_walk *out, const char *path, bool private) {
    walking k = {.out = out, .private = private};
    *out = (mg_walk){.folder = -1};
    if (walk(&k, path)) return true;
    mg_walk_end(out);
    return false;
}

bool mg_walk_into(mg_walk *out, const char *path) { return begin(out, path, false); }

bool mg_walk_private(mg_walk *out, const char *path) { return begin(out, path, true); }

bool mg_walk_to(mg_walk *out, const char *path) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    char folder[MG_PATH] = ".";
    size_t length = slash ? MG_MAX((size_t)(slash - path), 1) : 1;
    if (length >= sizeof folder || strlen(name) >= sizeof out->name) {
        *out = (mg_walk){.folder = -1};
        return stop(out, ENAMETOOLONG, "%s", strerror(ENAMETOOLONG));
    }
    if (slash) memcpy(folder, path, length);
    folder[length] = '\0';
    if (!begin(out, folder, false)) return false;
    memcpy(out->name, name, strlen(name) + 1);
    return true;
}

void mg_walk_end(mg_walk *w) {
    if (w->folder >= 0) close(w->folder);
    w->folder = -1;
}
