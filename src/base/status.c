/* Texts and exit codes of the status list. */
#include "base/base.h"

#include <meguri/version.h>

const char *meguri_status_text(meguri_status status) {
    switch (status) {
#define MG_CASE(name, value, exit_code, text)                                                                          \
    case MEGURI_##name: return text;
        MEGURI_STATUS_LIST(MG_CASE)
#undef MG_CASE
    }
    return "unknown status";
}

int meguri_status_exit_code(meguri_status status) {
    switch (status) {
#define MG_CASE(name, value, exit_code, text)                                                                          \
    case MEGURI_##name: return exit_code;
        MEGURI_STATUS_LIST(MG_CASE)
#undef MG_CASE
    }
    return 5;
}

#define MG_TEXT_OF(x) #x
#define MG_TEXT(x)    MG_TEXT_OF(x)

const char *meguri_version(void) {
    return MG_TEXT(MEGURI_VERSION_MAJOR) "." MG_TEXT(MEGURI_VERSION_MINOR) "." MG_TEXT(MEGURI_VERSION_PATCH);
}

uint32_t meguri_version_number(void) { return MEGURI_VERSION_NUMBER; }
