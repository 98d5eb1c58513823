/* Lists of names in one option: NAME,NAME,…; a name that has a comma is in double quotes. */
#define _GNU_SOURCE /* strdup */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

char *cli_unquote(char *name) {
    char *to = name, *at = name + 1;
    for (; *at && (*at != '"' || at[1] == '"'); at++) {
        at += *at == '"';
        *to++ = *at;
    }
    if (!*at) return NULL;
    *to = '\0';
    return at + 1;
}

meguri_status cli_names_get(cli_names *out, cli_run *run, const char *option) {
    const char *given = cli_text(&run->args, option);
    size_t most = 1;
    *out = (cli_names){.text = NULL};
    if (!given) return MEGURI_OK;
    for (const char *p = given; *p; p++) most += *p == ',';
    out->text = strdup(given);
    out->names = calloc(most, sizeof *out->names);
    if (!out->text || !out->names)
        return cli_fail(run, MEGURI_NO_MEMORY, "there is no memory for the names of --%s.", option);
    for (char *name = out->text; name;) {
        bool quoted = *name == '"';
        char *rest = quoted ? cli_unquote(name) : strchr(name, ',');
        if (quoted && !rest)
            return cli_fail(run, MEGURI_BAD_ARGUMENT, "--%s %s: a double quote is missing.", option, given);
        if (rest && *rest && *rest != ',')
            return cli_fail(run, MEGURI_BAD_ARGUMENT, "--%s %s: double quotes go around a whole name.", option, given);
        out->names[out->count++] = name;
        name = rest && *rest ? rest + 1 : NULL;
        if (rest) *rest = '\0';
    }
    return MEGURI_OK;
}

void cli_names_free(cli_names *names) {
    free(names->text);
    free(names->names);
    *names = (cli_names){.text = NULL};
}
