/* Files that cannot be opened: one sentence wherever that happens, with the names of their folder that are like the one
 * that is missing. */
#define _GNU_SOURCE /* strndup */
#include "base/base.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <meguri/extra/escape.h>
#include <meguri/extra/words.h>
#include <stdlib.h>
#include <string.h>

#define PATIENCE 0.25 /* seconds to look around in a folder */

/* Names of the folder that are like the one behind the last slash, as whole paths. */
static size_t look_around(char *out, size_t room, const char *path, size_t folder_bytes, const char *folder) {
    mg_similar s;
    const char *base = path + folder_bytes;
    DIR *all = *base ? opendir(folder) : NULL;
    double until = mg_now() + PATIENCE;
    mg_similar_start(&s, base, true);
    s.telling = (uint32_t)MG_MIN(1 + strcspn(*base ? base + 1 : base, "."), (size_t)s.telling);
    for (const struct dirent *entry; all && mg_now() < until && (entry = readdir(all));)
        if (entry->d_name[0] != '.' || *base == '.') mg_similar_see(&s, entry->d_name, strlen(entry->d_name));
    if (all) closedir(all);
    for (uint32_t i = 0; i < s.count && folder_bytes; i++) {
        char *name = s.best[i].name;
        size_t length = strlen(name);
        if (folder_bytes + length >= sizeof s.best[i].name) continue; /* then the name alone */
        memmove(name + folder_bytes, name, length + 1);
        memcpy(name, path, folder_bytes);
    }
    return mg_similar_text(out, room, &s, "");
}

static void no_such_file(char *out, size_t room, const char *path) {
    char hint[MG_SIMILAR_TEXT] = ".";
    const char *slash = strrchr(path, '/');
    size_t folder_bytes = slash ? (size_t)(slash - path) + 1 : 0;
    char *folder = slash ? strndup(path, folder_bytes) : strdup(".");
    DIR *there = folder ? opendir(folder) : NULL;
    if (there) look_around(hint, sizeof hint, path, folder_bytes, folder);
    else if (folder && errno == ENOENT)
        snprintf(hint, sizeof hint, ", and no folder %.*s.", (int)MG_MIN(folder_bytes, 200u), path);
    if (there) closedir(there);
    free(folder);
    snprintf(out, room, "cannot open %s: no such file%s", path, hint);
}

meguri_status meguri_cannot_open(char *out, size_t room, const char *path, int error) {
    if (!path || (!out && room)) return MEGURI_BAD_ARGUMENT;
    char plain[PATH_MAX + MG_SIMILAR_TEXT];
    if (error == ENOENT || error == ENOTDIR) no_such_file(plain, sizeof plain, path);
    else snprintf(plain, sizeof plain, "cannot open %s: %s.", path, strerror(error));
    meguri_escape(out, room, plain, strlen(plain));
    return error == ENOENT || error == ENOTDIR ? MEGURI_NOT_FOUND : MEGURI_BAD_INPUT;
}

meguri_status mg_fail_open(meguri_ctx *ctx, const char *path, int error) {
    char sentence[PATH_MAX + MG_SIMILAR_TEXT];
    meguri_status status = meguri_cannot_open(sentence, sizeof sentence, path, error);
    return mg_fail(ctx, status, "%s", sentence);
}
