/* Commands that are worth trying next, ready to be copied: words are quoted for the shell. */
#include "overview/overview.h"

#include <string.h>

#define LONGEST 200 /* bytes of a word; longer ones are not worth copying */

static bool is_plain(const char *word) {
    for (const char *c = word; *c; c++)
        if (!(((*c | 0x20) >= 'a' && (*c | 0x20) <= 'z') || (*c >= '0' && *c <= '9') || strchr("_./:=,@%+-", *c)))
            return false;
    return *word != '\0';
}

/* In single quotes nothing is special but these themselves. */
static void print_word(const char *word) {
    if (is_plain(word)) {
        fputs(word, stdout);
        return;
    }
    putchar('\'');
    for (; *word; word++) {
        if (*word == '\'') fputs("'\\''", stdout);
        else putchar(*word);
    }
    putchar('\'');
}

/* What a shell and a terminal take as it is. */
static bool is_printable(const char *word) {
    if (strlen(word) > LONGEST || *word == '-') return false;
    for (const char *c = word; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7F) return false;
    return true;
}

/* The options of reading, as they were given. */
static void print_options(const cli_overview *o) {
    for (const cli_option *row = cli_read_options; row->name; row++) {
        if (!cli_given(&o->run->args, row->name)) continue;
        printf(" --%s", row->name);
        if (row->kind == CLI_FLAG) continue;
        putchar(' ');
        print_word(cli_text(&o->run->args, row->name));
    }
}

/* edges.csv.gz → edges.meg, in this folder */
static void meg_name(char *out, size_t room, const char *path) {
    const char *base = cli_base_name(path), *dot = *base ? strchr(base + 1, '.') : NULL;
    snprintf(out, room, "%.*s.meg", dot ? (int)(dot - base) : (int)strlen(base), base);
}

void cli_overview_next(const cli_overview *o) {
    const char *path = o->run->args.operands[0];
    char meg[LONGEST + 8];
    bool text = !cli_opens_as_meg(&o->run->args, path);
    if (!o->graph_info.edges || !is_printable(path) || (o->output && !text)) return;
    fputs("next: ", stdout);
    if (!o->output) {
        fputs("meguri overview ", stdout);
        print_word(path);
        print_options(o);
        puts(" -o page.html");
    }
    if (!text) return;
    meg_name(meg, sizeof meg, path);
    printf("%smeguri build ", o->output ? "" : "      ");
    print_word(path);
    print_options(o);
    fputs(" -o ", stdout);
    print_word(meg);
    putchar('\n');
}
