/* --help and the verb help: made from the option table, and small enough for a screen of 24 lines by 80 columns. */
#include "cli.h"

#include <ctype.h>
#include <string.h>

#define SCREEN_COLUMNS 80
#define OPTION_COLUMN  34 /* where explanations of options begin */
#define VERB_COLUMN    14
#define BRIEF_COLUMNS  25 /* of the left column of the overview */

/* Columns of a text in UTF-8, for the characters used here: one each. */
static int columns(const char *text, size_t bytes) {
    int count = 0;
    for (size_t i = 0; i < bytes; i++) count += ((unsigned char)text[i] & 0xC0) != 0x80;
    return count;
}

/* Prints words from column `at`, wrapped so that further lines begin at `indent`; ends the line. */
static void print_wrapped(FILE *file, const char *text, int at, int indent) {
    while (*text) {
        size_t word = strcspn(text, " ");
        int width = columns(text, word);
        if (at + width > SCREEN_COLUMNS && at > indent) {
            fprintf(file, "\n%*s", indent, "");
            at = indent;
        }
        fwrite(text, 1, word, file);
        at += width;
        text += word;
        if (*text == ' ') {
            text++;
            if (at < SCREEN_COLUMNS && at + 1 + columns(text, strcspn(text, " ")) <= SCREEN_COLUMNS) fputc(' ', file);
            at++;
        }
    }
    fputc('\n', file);
}

/* A left part and its explanation. */
static void print_row(FILE *file, const char *left, const char *text, int column) {
    fputs(left, file);
    int at = columns(left, strlen(left));
    if (at >= column) {
        fputc('\n', file);
        at = 0;
    }
    fprintf(file, "%*s", column - at, "");
    print_wrapped(file, text, column, column);
}

/* Adds "-o, --output FILE" to the left part. */
static void append_option(char *left, size_t size, const cli_option *option) {
    size_t at = strlen(left);
    at += (size_t)snprintf(left + at, size - at, "%s", at ? ", " : "  ");
    if (option->letter && at < size) at += (size_t)snprintf(left + at, size - at, "-%c, ", option->letter);
    if (at < size) at += (size_t)snprintf(left + at, size - at, "--%s", option->name);
    const char *argument = option->kind == CLI_FLAG ? NULL : cli_argument_text(option);
    if (argument && at < size) snprintf(left + at, size - at, " %s", argument);
}

static void print_options(FILE *file, const cli_option *rows) {
    char left[160] = "", text[400];
    for (const cli_option *o = rows; o->name; o++) {
        append_option(left, sizeof left, o);
        if (!o->help) continue;
        snprintf(text, sizeof text, o->standard ? "%s [%s]" : "%s", o->help, o->standard);
        print_row(file, left, text, OPTION_COLUMN);
        left[0] = '\0';
    }
}

/* Options that many verbs share: explained once, by `meguri help options`. */
static const cli_option *const shared[] = {cli_common_options,  cli_device_options, cli_grid_option,
                                           cli_exchange_option, cli_help_options,   NULL};

static bool is_shared(const cli_option *rows) {
    for (const cli_option *const *s = shared; *s; s++)
        if (*s == rows) return true;
    return false;
}

/* There is no room for a row for each of the shared options: their names, in lines of 80. */
static void print_shared_names(FILE *file, const cli_verb *verb) {
    static const char title[] = "Common options (meguri help options):";
    size_t column = sizeof title - 1;
    const char *comma = "";
    fputs(title, file);
    for (const cli_option *const *rows = verb->options; *rows; rows++)
        for (const cli_option *o = *rows; o->name && is_shared(*rows); o++) {
            char name[160] = "";
            append_option(name, sizeof name, o);
            const char *text = name + strspn(name, " ");
            size_t length = strlen(text) + 2; /* a space before it, a comma or a stop after it */
            fputs(comma, file);
            if (column + length > SCREEN_COLUMNS) {
                fputc('\n', file);
                column = 0;
            } else fputc(' ', file);
            fputs(text, file);
            column += length;
            comma = ",";
        }
    fputs(".\n", file);
}

static void print_usage(FILE *file, const cli_verb *verb) {
    fputs("Usage: meguri", file);
    if (verb != &cli_root) fprintf(file, " %s", verb->name);
    if (verb->verbs) {
        fputc(' ', file);
        for (const char *c = verb->verbs_title; *c; c++) fputc(toupper((unsigned char)*c), file);
    }
    if (verb->operands) fprintf(file, " %s", verb->operands);
    fputs(" [OPTION…]", file);
    for (const cli_option *const *rows = verb->options; *rows; rows++)
        for (const cli_option *o = *rows; o->name; o++)
            if (o->required)
                fprintf(file, o->letter ? " -%.1s %s" : " --%s %s", o->letter ? &o->letter : o->name,
                        cli_argument_text(o));
    fputc('\n', file);
}

/* The overview has two verbs a line, so that there is room for all of them: first those of the left column. */
static void print_briefs(FILE *file) {
    size_t shown[64], count = 0;
    for (size_t i = 0; cli_root.verbs[i] && count < sizeof shown / sizeof *shown; i++)
        if (!cli_root.verbs[i]->hidden) shown[count++] = i;
    size_t lines = (count + 1) / 2;
    for (size_t i = 0; i < lines; i++) {
        size_t left = shown[i];
        if (i + lines >= count) {
            fprintf(file, "  %-11s %s\n", cli_root.verbs[left]->name, cli_briefs[left]);
            continue;
        }
        size_t right = shown[i + lines];
        fprintf(file, "  %-11s %-*s  %-11s %s\n", cli_root.verbs[left]->name, BRIEF_COLUMNS, cli_briefs[left],
                cli_root.verbs[right]->name, cli_briefs[right]);
    }
}

void cli_print_help(FILE *file, const cli_verb *verb) {
    char left[64];
    print_usage(file, verb);
    fprintf(file, "%c%s.\n\n", toupper((unsigned char)verb->summary[0]), verb->summary + 1);
    if (verb == &cli_root) print_briefs(file);
    for (const cli_verb *const *v = verb->verbs; v && *v && verb != &cli_root; v++)
        if (!(*v)->hidden) {
            snprintf(left, sizeof left, "  %s", cli_verb_word(*v));
            print_row(file, left, (*v)->summary, VERB_COLUMN);
        }
    if (verb->verbs) fputc('\n', file);
    bool own = false;
    for (const cli_option *const *rows = verb->options; *rows; rows++)
        if (!is_shared(*rows)) {
            print_options(file, *rows);
            own = true;
        }
    if (own) fputc('\n', file);
    print_shared_names(file, verb);
    if (verb->examples) fprintf(file, "\nExample: %s\n", verb->examples[0]);
    if (verb == &cli_root)
        fputs("Exit codes: 0 done, 1 wrong answer, 2 wrong usage, 3 bad input, 4 no memory or\n"
              "disk, 5 engine failed, 130 interrupted. All of it: man meguri.\n",
              file);
}

/* ---- meguri help [VERB…] ---------------------------------------------------------------------------------------- */

static void print_shared_options(FILE *file) {
    fputs("Options that many verbs have.\n\n", file);
    for (const cli_option *const *rows = shared; *rows; rows++) print_options(file, *rows);
}

static meguri_status run_help(cli_run *run) {
    const cli_verb *verb = &cli_root;
    if (run->args.operand_count == 1 && strcmp(run->args.operands[0], "options") == 0) {
        print_shared_options(stdout);
        return MEGURI_OK;
    }
    for (size_t i = 0; i < run->args.operand_count; i++) {
        const cli_verb *next = cli_find_verb(verb, run->args.operands[i]);
        if (!next)
            return cli_fail(run, MEGURI_BAD_ARGUMENT, "%s has no %s \"%.80s\"; meguri help lists what there is.",
                            verb->name, verb->verbs ? verb->verbs_title : "verb", run->args.operands[i]);
        verb = next;
    }
    cli_print_help(stdout, verb);
    return MEGURI_OK;
}

static const char *const examples[] = {"meguri help gen grid", NULL};
static const cli_option *const options[] = {cli_help_options, NULL};

const cli_verb cli_verb_help = {
    .name = "help",
    .operands = "[VERB|options]",
    .most_operands = 2,
    .summary = "explain a verb and its options",
    .manual = "The same text as --help; with options, those that many verbs have.",
    .examples = examples,
    .options = options,
    .run = run_help,
};
