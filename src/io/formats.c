/* The table of formats: what MEGURI_FORMAT_LIST says of each (number, name, suffixes) beside what its own file says
 * (format_*.c: how it is found, read and written). Nobody else knows which formats there are. */
#define _GNU_SOURCE /* PATH_MAX */
#include "io/format.h"

#include <limits.h>
#include <strings.h>

const mg_format mg_format_auto = {0}; /* whichever detect.c finds, or the suffix names */

static const struct {
    const char *name, *suffixes;
    const mg_format *row;
} formats[] = {
#define ROW(constant, number, name, suffixes, text) [number] = {#name, suffixes, &mg_format_##name},
    MEGURI_FORMAT_LIST(ROW)
#undef ROW
};
enum { FORMATS = sizeof formats / sizeof *formats };

const mg_format *mg_format_row(meguri_format format) { return (unsigned)format < FORMATS ? formats[format].row : NULL; }

const char *meguri_format_name(meguri_format format) {
    return (unsigned)format < FORMATS ? formats[format].name : "unknown";
}

int meguri_format_from_name(const char *name) {
    for (int i = 0; name && i < FORMATS; i++)
        if (strcmp(name, formats[i].name) == 0) return i;
    return -1;
}

/* ---- names of files --------------------------------------------------------------------------------------------- */

/* A file that has no name before the point of its suffix is hidden; one that is called relationships.csv is not. */
static bool ends_with(const char *name, size_t length, const char *suffix, size_t bytes) {
    return (length > bytes || (length == bytes && *suffix != '.')) &&
           strncasecmp(name + length - bytes, suffix, bytes) == 0;
}

bool mg_ends_with(const char *name, size_t length, const char *suffix) {
    return ends_with(name, length, suffix, strlen(suffix));
}

bool mg_has_suffix(const char *name, const char *suffix) {
    return mg_ends_with(name, mg_uncompressed_name(NULL, name), suffix);
}

/* The longest that fits: relationships.csv is no plain .csv. */
meguri_format meguri_format_of_path(const char *path) {
    size_t length = path ? mg_uncompressed_name(NULL, path) : 0, longest = 0;
    meguri_format found = MEGURI_FORMAT_AUTO;
    for (int i = 0; i < FORMATS; i++)
        for (const char *suffix = formats[i].suffixes; *suffix;) {
            suffix++; /* the blank before it */
            size_t bytes = strcspn(suffix, " ");
            if (bytes > longest && ends_with(path, length, suffix, bytes)) {
                found = (meguri_format)i;
                longest = bytes;
            }
            suffix += bytes;
        }
    return found;
}

size_t meguri_read_beside(char *out, size_t room, const char *path, meguri_format format) {
    char name[PATH_MAX + MG_LONGER_BESIDE];
    if (out && room) *out = '\0';
    if (!path || strlen(path) >= PATH_MAX) return 0; /* no such name can be opened */
    const mg_format *row = mg_format_row(format == MEGURI_FORMAT_AUTO ? meguri_format_of_path(path) : format);
    if (!row || !row->find_beside || !row->find_beside(name, path)) return 0;
    return (size_t)snprintf(out, out ? MG_MIN(room, sizeof name) : 0, "%s", name);
}
