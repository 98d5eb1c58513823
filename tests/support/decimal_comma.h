/* A locale that writes one and a half as 1,5: one that the system has, or one made on the spot. */
#ifndef MG_TEST_DECIMAL_COMMA_H
#define MG_TEST_DECIMAL_COMMA_H

#include "support/unit.h"

#include <locale.h>

static inline bool decimal_comma_works(const char *name) {
    return setlocale(LC_ALL, name) && localeconv()->decimal_point[0] == ',';
}

/* False if there is none and none can be made; `folder` is where it is made. */
static inline bool decimal_comma_use(const char *folder) {
    static const char *const known[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "fr_FR.utf8"};
    for (size_t i = 0; i < COUNT_OF(known); i++)
        if (decimal_comma_works(known[i])) return true;
    char path[2 * FOLDER_TEXT], command[6 * FOLDER_TEXT];
    snprintf(path, sizeof path, "%s/comma.src", folder);
    FILE *file = fopen(path, "w");
    if (!file) return false;
    fputs("LC_NUMERIC\ndecimal_point \",\"\nthousands_sep \".\"\ngrouping 3;3\nEND LC_NUMERIC\n", file);
    fclose(file);
    /* It complains about all that is missing, and makes the locale. */
    snprintf(command, sizeof command, "localedef -c --no-archive -i '%s' -f ANSI_X3.4-1968 '%s/comma' >/dev/null 2>&1",
             path, folder);
    int code = system(command);
    (void)code;
    setenv("LOCPATH", folder, 1);
    return decimal_comma_works("comma");
}

#endif
