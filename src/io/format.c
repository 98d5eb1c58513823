/* Names of formats. */
#include <meguri/io.h>
#include <string.h>

const char *meguri_format_name(meguri_format format) {
    switch (format) {
#define NAME(name, value, option, text)                                                                                \
    case MEGURI_FORMAT_##name: return option;
        MEGURI_FORMAT_LIST(NAME)
#undef NAME
    }
    return "unknown";
}

int meguri_format_from_name(const char *name) {
    if (!name) return -1;
#define MATCH(format, value, option, text)                                                                             \
    if (strcmp(name, option) == 0) return value;
    MEGURI_FORMAT_LIST(MATCH)
#undef MATCH
    return -1;
}
