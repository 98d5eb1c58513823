/* Folders for code that is loaded or handed to a driver later: caches of compiled programs and kernels, and temporary
 * folders for those that are not kept.
 *
 * Code from a folder that another user can write to is that user's code. So a cache is used only if it belongs to this
 * user, with mode 0700, and no other user can replace a folder on the path (mg_walk_private). */
#define _GNU_SOURCE
#include "base/ctx.h"
#include "base/walk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TRIES 100 /* random names tried */

/* What remains to be checked of the folder itself. */
static bool check_own(mg_walk *w) {
    struct stat facts;
    if (fstat(w->folder, &facts) != 0) return false;
    w->error = EPERM;
    if (facts.st_uid != geteuid())
        snprintf(w->why, sizeof w->why, "%.300s belongs to another user (%u)", w->real, (unsigned)facts.st_uid);
    else if ((facts.st_mode & 0777) != 0700)
        snprintf(w->why, sizeof w->why, "%.300s has mode %04o, not 0700", w->real, (unsigned)facts.st_mode & 07777);
    else w->error = 0;
    return !w->error;
}

static void warn_once(meguri_ctx *ctx, const char *path, const char *why) {
    if (atomic_exchange(&ctx->root->warned_of_cache, 1)) return;
    mg_log(ctx, MEGURI_LOG_WARNING,
           "%s is not used for compiled code: %s; set XDG_CACHE_HOME to a folder that only you can write to.", path,
           why);
}

bool mg_cache_folder(char out[MG_PATH], meguri_ctx *ctx, const char *name, const char *given) {
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    bool own = cache && *cache == '/';
    int length = -1;
    mg_walk w;
    if (given) length = snprintf(out, MG_PATH, "%s", given);
    else if (own || (home && *home == '/'))
        length = snprintf(out, MG_PATH, "%s%s/meguri/%s", own ? cache : home, own ? "" : "/.cache", name);
    if (length <= 0 || length >= MG_PATH) return false;
    bool good = mg_walk_private(&w, out) && check_own(&w);
    if (!good && w.error == EPERM) warn_once(ctx, out, w.why); /* else it cannot be made: there is none */
    if (good) memcpy(out, w.real, strlen(w.real) + 1);
    mg_walk_end(&w);
    return good;
}

meguri_status mg_private_folder(char out[MG_PATH], meguri_ctx *ctx) {
    char name[sizeof "meguri-" + MG_LETTERS] = "meguri-";
    mg_walk w;
    bool made = false;
    if (!mg_walk_private(&w, mg_temp_dir(ctx)))
        return mg_fail(ctx, MEGURI_NO_DISK,
                       "compiled code cannot be written to %s: %s; set TMPDIR to a folder that only you can write to.",
                       mg_temp_dir(ctx), w.why);
    for (int i = 0; i < TRIES && !made && (i == 0 || errno == EEXIST); i++) {
        mg_random_letters(name + sizeof "meguri-" - 1);
        made = mkdirat(w.folder, name, 0700) == 0;
    }
    int error = errno, length = snprintf(out, MG_PATH, "%s/%s", w.real, name);
    if (made && length >= MG_PATH) unlinkat(w.folder, name, AT_REMOVEDIR);
    mg_walk_end(&w);
    if (made && length < MG_PATH) return MEGURI_OK;
    return mg_fail(ctx, MEGURI_NO_DISK, "no folder can be made in %s: %s; set TMPDIR to a folder with room.",
                   mg_temp_dir(ctx), strerror(made ? ENAMETOOLONG : error));
}
