/* --help and the verb help: made from the option table, and small enough for a screen of 24 lines by 80 columns. */
#include "cli.h"

#include <ctype.h>
#include <string.h>

#define SCREEN_COLUMNS 80
#define OPTION_COLUMN  34 /* where explanations of options begin */
#define VERB_COLUMN    14
#define TASK_COLUMN    22

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

/* There is no room for a row for each of these options: their names, in lines of 80. */
static void print_names(FILE *file, const char *title, const cli_option *const *rows,
                        bool (*wanted)(const cli_option *)) {
    size_t column = strlen(title);
    const char *comma = "";
    fputs(title, file);
    for (; *rows; rows++)
        for (const cli_option *o = *rows; o->name && wanted(*rows); o++) {
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

static bool is_about_text(const cli_option *rows) { return rows == cli_read_options; }

/* Verbs that are about text name the options; the others say where they are explained. */
static void print_read_options(FILE *file, const cli_verb *verb) {
    for (const cli_option *const *rows = verb->options; *rows; rows++) {
        if (!is_about_text(*rows)) continue;
        if (verb->lists) print_names(file, "Reading options (meguri help reading):", verb->options, is_about_text);
        else fputs("The graph may be a text file: meguri help reading lists the options for it.\n", file);
    }
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

/* Verbs of the task that begins at number *i, which moves behind them; a task of hidden verbs has none. */
static size_t take_task(const cli_verb *verbs[CLI_MAX_VERBS], size_t *i) {
    const char *task = cli_tasks[*i];
    size_t count = 0;
    for (; cli_root.verbs[*i] && strcmp(cli_tasks[*i], task) == 0; ++*i)
        if (!cli_root.verbs[*i]->hidden && count < CLI_MAX_VERBS) verbs[count++] = cli_root.verbs[*i];
    return count;
}

/* A line for each task, with the names of its verbs: there is room for all of them on a screen. */
static void print_tasks(FILE *file) {
    const cli_verb *verbs[CLI_MAX_VERBS];
    char left[64], names[1024];
    for (size_t i = 0; cli_root.verbs[i];) {
        size_t used = 0;
        snprintf(left, sizeof left, "  %s", cli_tasks[i]);
        size_t count = take_task(verbs, &i);
        for (size_t k = 0; k < count && used < sizeof names; k++)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", k ? ", " : "", verbs[k]->name);
        if (count) print_row(file, left, names, TASK_COLUMN);
    }
    fputs("\nmeguri help says what each verb does, meguri help VERB explains one of them.\n", file);
}

/* A line for each verb, below its task. */
static void print_all_verbs(FILE *file) {
    const cli_verb *verbs[CLI_MAX_VERBS];
    char left[64];
    for (size_t i = 0; cli_root.verbs[i];) {
        const char *task = cli_tasks[i];
        size_t count = take_task(verbs, &i);
        if (count) fprintf(file, "%s\n", task);
        for (size_t k = 0; k < count; k++) {
            snprintf(left, sizeof left, "  %s", verbs[k]->name);
            print_row(file, left, verbs[k]->summary, VERB_COLUMN);
        }
    }
}

void cli_print_help(FILE *file, const cli_verb *verb) {
    char left[64];
    print_usage(file, verb);
    fprintf(file, "%c%s.\n\n", toupper((unsigned char)verb->summary[0]), verb->summary + 1);
    if (verb == &cli_root) print_tasks(file);
    for (const cli_verb *const *v = verb->verbs; v && *v && verb != &cli_root; v++)
        if (!(*v)->hidden) {
            snprintf(left, sizeof left, "  %s", cli_verb_word(*v));
            print_row(file, left, (*v)->summary, VERB_COLUMN);
        }
    if (verb->verbs && verb != &cli_root) fputc('\n', file);
    bool own = false;
    for (const cli_option *const *rows = verb->options; *rows; rows++)
        if (!is_shared(*rows) && !is_about_text(*rows)) {
            print_options(file, *rows);
            own = true;
        }
    if (own) fputc('\n', file);
    print_read_options(file, verb);
    print_names(file, "Common options (meguri help options):", verb->options, is_shared);
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

static void print_text_options(FILE *file) {
    fputs("How a text file is read: options of build, convert and all verbs that read one.\n\n", file);
    print_options(file, cli_read_options);
}

static void print_everything(FILE *file) {
    print_usage(file, &cli_root);
    fputs("What each verb does; meguri help VERB explains one of them.\n\n", file);
    print_all_verbs(file);
    fputs("\nmeguri help options: options that many verbs have.\n"
          "meguri help reading: how a text file is read.\n",
          file);
}

/* What is not the name of a verb. */
static const struct {
    const char *name;
    void (*print)(FILE *file);
} topics[] = {{"options", print_shared_options}, {"reading", print_text_options}};
enum { TOPICS = sizeof topics / sizeof *topics };

static meguri_status unknown_topic(cli_run *run, const cli_verb *verb, const char *word) {
    char hint[CLI_HINT_TEXT];
    const char *names[TOPICS];
    for (size_t i = 0; i < TOPICS; i++) names[i] = topics[i].name;
    if (verb != &cli_root || !meguri_did_you_mean(hint, sizeof hint, word, names, TOPICS, ""))
        return cli_unknown_verb(run, verb, word);
    return cli_fail(run, MEGURI_BAD_ARGUMENT, "there is no help about '%.80s'%s", word, hint);
}

static meguri_status run_help(cli_run *run) {
    const cli_verb *verb = &cli_root;
    const char *topic = run->args.operand_count == 1 ? run->args.operands[0] : "";
    for (size_t i = 0; i < TOPICS; i++)
        if (strcmp(topic, topics[i].name) == 0) {
            topics[i].print(stdout);
            return MEGURI_OK;
        }
    if (!run->args.operand_count) {
        print_everything(stdout);
        return MEGURI_OK;
    }
    for (size_t i = 0; i < run->args.operand_count; i++) {
        const cli_verb *next = cli_find_verb(verb, run->args.operands[i]);
        if (!next) return unknown_topic(run, verb, run->args.operands[i]);
        verb = next;
    }
    cli_print_help(stdout, verb);
    return MEGURI_OK;
}

static const char *const examples[] = {"meguri help gen grid", NULL};
static const cli_option *const options[] = {cli_help_options, NULL};

const cli_verb cli_verb_help = {
    .name = "help",
    .operands = "[VERB|options|reading]",
    .most_operands = 2,
    .summary = "explain a verb and its options",
    .manual =
        "Without a verb, all of them by task; with one, the same text as its --help; with options, those that many "
        "verbs have; with reading, those that say how text is read.",
    .examples = examples,
    .options = options,
    .run = run_help,
};
