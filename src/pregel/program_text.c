/* The text of a program as ranks compare it: what the compiler sees after all includes, without what belongs to the
 * machine. Left out are headers of the system, which the compiler marks as such, the names of files, and empty lines:
 * so two machines may keep a program in different folders, and have different versions of the C library. What is
 * counted is the bytes of the file itself, as a sentence tells them. */
#define _GNU_SOURCE
#include "pregel/pregel.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

/* `# 12 "file" 1 3`: what follows is of that file. */
static bool is_mark(const char *line) { return line[0] == '#' && line[1] == ' ' && line[2] >= '0' && line[2] <= '9'; }

/* Whether that is a file of the system. */
static bool is_of_system(const char *line) {
    const char *flags = strrchr(line, '"');
    return flags && strchr(flags, '3');
}

meguri_status mg_program_text(mg_seen *out, meguri_ctx *ctx, const char *path, int text) {
    struct stat facts;
    FILE *file = fdopen(dup(text), "r");
    XXH3_state_t *state = XXH3_createState();
    char *line = NULL;
    size_t room = 0;
    bool system = false;
    *out = (mg_seen){.kind = MG_SEEN_FILE, .bytes = stat(path, &facts) == 0 ? (uint64_t)facts.st_size : 0};
    if (file && state) {
        rewind(file);
        XXH3_64bits_reset(state);
        for (ssize_t length; (length = getline(&line, &room, file)) > 0;) {
            if (is_mark(line)) system = is_of_system(line);
            if (is_mark(line) || system || line[strspn(line, " \t\r\n")] == '\0') continue;
            XXH3_64bits_update(state, line, (size_t)length);
        }
        out->hash = XXH3_64bits_digest(state);
    }
    bool good = file && state && !ferror(file);
    if (file) fclose(file);
    XXH3_freeState(state);
    free(line);
    return good ? MEGURI_OK : mg_fail(ctx, MEGURI_NO_MEMORY, "there is no memory for the text of a program.");
}
