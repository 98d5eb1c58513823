/* Parsing by the option table: finding the verb, reading options and operands, and saying what is wrong with them. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

/* ---- looking things up in the table ----------------------------------------------------------------------------- */

const char *cli_verb_word(const cli_verb *verb) {
    const char *space = strrchr(verb->name, ' ');
    return space ? space + 1 : verb->name;
}

const cli_verb *cli_find_verb(const cli_verb *parent, const char *word) {
    for (const cli_verb *const *v = parent->verbs; v && *v; v++)
        if (strcmp(cli_verb_word(*v), word) == 0) return *v;
    return NULL;
}

const char *cli_argument_text(const cli_option *option) {
    return option->argument ? option->argument : option->choices;
}

bool cli_next_choice(const char **rest, const char **item, size_t *length) {
    if (!*rest || !**rest) return false;
    *item = *rest;
    *length = strcspn(*rest, "|");
    *rest += *length + ((*rest)[*length] == '|');
    return true;
}

/* What an argument that starts with a dash calls: its name (up to the =) or its letter. */
typedef struct spelling {
    const char *name;
    size_t length;
    char letter;
    const char *value; /* after the = or the letter; NULL: none */
} spelling;

static spelling spell(const char *argument) {
    spelling s = {0};
    if (argument[1] == '-') {
        s.name = argument + 2;
        s.length = strcspn(s.name, "=");
        if (s.name[s.length] == '=') s.value = s.name + s.length + 1;
    } else {
        s.letter = argument[1];
        if (argument[2]) s.value = argument + 2;
    }
    return s;
}

static bool is_option(const char *argument) { return argument[0] == '-' && argument[1] != '\0'; }

static bool matches(const cli_option *option, const spelling *s) {
    if (s->letter) return option->letter == s->letter;
    return strlen(option->name) == s->length && memcmp(option->name, s->name, s->length) == 0;
}

/* Searches the rows of the verb and of all verbs inside it. */
static const cli_option *find_below(const cli_verb *verb, const spelling *s) {
    for (const cli_option *const *rows = verb->options; rows && *rows; rows++)
        for (const cli_option *o = *rows; o->name; o++)
            if (matches(o, s)) return o;
    for (const cli_verb *const *v = verb->verbs; v && *v; v++) {
        const cli_option *found = find_below(*v, s);
        if (found) return found;
    }
    return NULL;
}

static cli_value *find_value(const cli_args *args, const char *name) {
    for (size_t i = 0; i < args->value_count; i++)
        if (strcmp(args->values[i].option->name, name) == 0) return (cli_value *)&args->values[i];
    return NULL;
}

static const cli_value *need_value(const cli_args *args, const char *name) {
    const cli_value *value = find_value(args, name);
    if (!value) {
        fprintf(stderr, "meguri: the option table of %s has no row for --%s.\n", args->verb->name, name);
        abort();
    }
    return value;
}

bool cli_has(const cli_args *args, const char *name) { return find_value(args, name) != NULL; }
bool cli_given(const cli_args *args, const char *name) { return need_value(args, name)->given; }
const char *cli_text(const cli_args *args, const char *name) { return need_value(args, name)->text; }
cli_value cli_value_of(const cli_args *args, const char *name) { return *need_value(args, name); }
int cli_choice(const cli_args *args, const char *name) { return (int)need_value(args, name)->number; }

const char *const *cli_texts(const cli_args *args, const char *name, size_t *count) {
    const cli_value *value = need_value(args, name);
    *count = value->text_count;
    return value->texts;
}

uint64_t cli_number(const cli_args *args, const char *name, uint64_t otherwise) {
    const cli_value *value = need_value(args, name);
    return value->given ? value->number : otherwise;
}

double cli_real(const cli_args *args, const char *name, double otherwise) {
    const cli_value *value = need_value(args, name);
    return value->given ? value->real : otherwise;
}

/* ---- suggestions ------------------------------------------------------------------------------------------------ */

/* "; did you mean --scale?", or else where the names are listed. */
static void suggest(char hint[CLI_HINT_TEXT], const cli_verb *of, const char *typed, const char *const *names,
                    size_t count, const char *dashes) {
    if (!meguri_did_you_mean(hint, CLI_HINT_TEXT, typed, names, count, dashes))
        snprintf(hint, CLI_HINT_TEXT, "; %s%s --help lists those it has.", of == &cli_root ? "" : "meguri ", of->name);
}

static meguri_status unknown_option(cli_run *run, const char *argument, const spelling *s) {
    const cli_args *args = &run->args;
    const char *names[CLI_MAX_OPTIONS];
    char hint[CLI_HINT_TEXT], typed[80] = "";
    for (size_t i = 0; i < args->value_count; i++) names[i] = args->values[i].option->name;
    if (s->name) snprintf(typed, sizeof typed, "%.*s", (int)(s->length < 80 ? s->length : 79), s->name);
    suggest(hint, args->verb, typed, names, s->name ? args->value_count : 0, "--");
    int shown = s->letter ? 2 : s->length < 78 ? (int)s->length + 2 : 80; /* characters of it that are repeated */
    return cli_fail(run, MEGURI_BAD_ARGUMENT, "%s has no option %.*s%s", args->verb->name, shown, argument, hint);
}

meguri_status cli_unknown_verb(cli_run *run, const cli_verb *parent, const char *word) {
    const char *names[CLI_MAX_VERBS];
    char hint[CLI_HINT_TEXT];
    size_t count = 0;
    for (const cli_verb *const *v = parent->verbs; v && *v && count < CLI_MAX_VERBS; v++)
        if (!(*v)->hidden) names[count++] = cli_verb_word(*v);
    suggest(hint, parent, word, names, count, "");
    return cli_fail(run, MEGURI_BAD_ARGUMENT, "%s%s has no %s '%.80s'%s", parent == &cli_root ? "" : "meguri ",
                    parent->name, parent->verbs ? parent->verbs_title : "verb", word, hint);
}

/* ---- values ----------------------------------------------------------------------------------------------------- */

/* A decimal number at the start of the text; NULL if there is none, else where it ends. The command never calls
 * setlocale, so strtod sees the C locale; its words and hexadecimals are not wanted here. */
static const char *parse_decimal(const char *text, double *out) {
    size_t span = strspn(text, "0123456789.");
    size_t start = (text[0] == '-' || text[0] == '+') ? 1 : 0;
    if (start) span = strspn(text + 1, "0123456789.");
    if (strcspn(text + start, "0123456789") >= span) return NULL; /* no digit in it */
    if (text[start] == '0' && (text[start + 1] == 'x' || text[start + 1] == 'X')) return NULL;
    char *end;
    *out = strtod(text, &end);
    return end;
}

static bool parse_choice(const cli_option *option, const char *text, uint64_t *out) {
    const char *lists[] = {option->choices, option->unlisted}, *item;
    size_t length;
    *out = 0;
    for (size_t i = 0; i < 2; i++)
        for (const char *rest = lists[i]; cli_next_choice(&rest, &item, &length); ++*out)
            if (strlen(text) == length && memcmp(text, item, length) == 0) return true;
    return false;
}

static bool in_range(const cli_option *option, double value) {
    return value >= (double)option->least && (!option->most || value <= (double)option->most);
}

/* Of a choice: "; did you mean 'degree'?", or a full stop. */
static void suggest_choice(char hint[CLI_HINT_TEXT], const cli_option *option, const char *text) {
    const char *rest = option->choices, *item, *names[CLI_MAX_CHOICES];
    char list[512];
    size_t length, count = 0, at = 0;
    while (cli_next_choice(&rest, &item, &length) && count < CLI_MAX_CHOICES && at + length < sizeof list) {
        names[count++] = memcpy(list + at, item, length);
        list[at + length] = '\0';
        at += length + 1;
    }
    meguri_did_you_mean(hint, CLI_HINT_TEXT, text, names, count, "");
}

/* "give auto, degree, bfs or none" and so on. */
static meguri_status wrong_value(cli_run *run, const cli_option *option, const char *text) {
    char wanted[512], hint[CLI_HINT_TEXT] = ".";
    const char *what = option->kind == CLI_REAL ? "number" : "whole number";
    unsigned long long least = option->least, most = option->most;
    if (option->kind == CLI_CHOICE) {
        const char *rest = option->choices, *item;
        size_t length, at = 0;
        for (const char *join = ""; cli_next_choice(&rest, &item, &length) && at < sizeof wanted;
             join = strchr(rest, '|') ? ", " : " or ")
            at += (size_t)snprintf(wanted + at, sizeof wanted - at, "%s%.*s", join, (int)length, item);
        suggest_choice(hint, option, text);
    } else if (option->kind == CLI_SIZE) snprintf(wanted, sizeof wanted, "a size such as 2G, 500M, 1.5GiB, or bytes");
    else if (most) snprintf(wanted, sizeof wanted, "a %s from %llu to %llu", what, least, most);
    else if (least) snprintf(wanted, sizeof wanted, "a %s of at least %llu", what, least);
    else snprintf(wanted, sizeof wanted, "a %s, not negative", what);
    return cli_fail(run, MEGURI_BAD_ARGUMENT, "--%s %.80s: give %s%s%s%s", option->name, text, wanted,
                    option->because ? ": " : "", option->because ? option->because : "", hint);
}

static bool keep_text(cli_value *value, const char *text) {
    const char **texts = realloc((void *)value->texts, (value->text_count + 1) * sizeof *texts);
    if (!texts) return false;
    texts[value->text_count++] = text;
    value->texts = texts;
    return true;
}

static meguri_status set_value(cli_run *run, cli_value *value, const char *text) {
    const cli_option *option = value->option;
    bool good = true;
    const char *end;
    value->given = true;
    value->text = text;
    switch (option->kind) {
    case CLI_FLAG: break;
    case CLI_NUMBER:
        good = meguri_parse_count(&value->number, text) && value->number >= option->least &&
               (!option->most || value->number <= option->most);
        break;
    case CLI_REAL:
        end = parse_decimal(text, &value->real);
        good = end && !*end && in_range(option, value->real);
        break;
    case CLI_SIZE: good = meguri_parse_size(&value->number, text) && value->number >= option->least; break;
    case CLI_CHOICE: good = parse_choice(option, text, &value->number); break;
    case CLI_STRING: break;
    case CLI_INPUT:
    case CLI_OUTPUT:
        if (!*text) return cli_fail(run, MEGURI_BAD_ARGUMENT, "the file name after --%s is empty.", option->name);
        break;
    case CLI_FOLDER:
        if (!*text)
            return cli_fail(run, MEGURI_BAD_ARGUMENT, "the name of a folder after --%s is empty.", option->name);
        break;
    }
    if (option->again && !keep_text(value, text))
        return cli_fail(run, MEGURI_NO_MEMORY, "the system has no memory for the arguments.");
    return good ? MEGURI_OK : wrong_value(run, option, text);
}

/* ---- the command line ------------------------------------------------------------------------------------------- */

/* Takes the first argument that is neither an option nor the value of one out of argv; NULL if there is none. */
static const char *take_word(const cli_verb *verb, int *argc, char **argv) {
    for (int i = 1; i < *argc; i++) {
        if (strcmp(argv[i], "--") == 0) return NULL;
        if (is_option(argv[i])) {
            spelling s = spell(argv[i]);
            const cli_option *option = find_below(verb, &s);
            if (option && option->kind != CLI_FLAG && !s.value) i++;
            continue;
        }
        const char *word = argv[i];
        memmove(&argv[i], &argv[i + 1], (size_t)(*argc - i) * sizeof *argv);
        --*argc;
        return word;
    }
    return NULL;
}

static void list_options(cli_args *args) {
    for (const cli_option *const *rows = args->verb->options; rows && *rows; rows++)
        for (const cli_option *o = *rows; o->name; o++) {
            if (args->value_count == CLI_MAX_OPTIONS) abort(); /* the table has outgrown CLI_MAX_OPTIONS */
            args->values[args->value_count++] = (cli_value){.option = o};
        }
}

/* One option, at argv[*i]; moves *i to its value if that is the next argument. */
static meguri_status parse_option(cli_run *run, int argc, char **argv, int *i) {
    spelling s = spell(argv[*i]);
    cli_value *value = NULL;
    for (size_t k = 0; k < run->args.value_count && !value; k++)
        if (matches(run->args.values[k].option, &s)) value = &run->args.values[k];
    if (!value) return unknown_option(run, argv[*i], &s);
    const cli_option *option = value->option;
    if (option->kind == CLI_FLAG) {
        if (s.value)
            return cli_fail(run, MEGURI_BAD_ARGUMENT, "--%s takes no value: leave \"%.80s\" out.", option->name,
                            s.value);
        return set_value(run, value, NULL);
    }
    if (!s.value && *i + 1 >= argc)
        return cli_fail(run, MEGURI_BAD_ARGUMENT, "--%s needs a value: --%s %s.", option->name, option->name,
                        cli_argument_text(option));
    return set_value(run, value, s.value ? s.value : argv[++*i]);
}

meguri_status cli_parse(cli_run *run, const cli_verb *root, int argc, char **argv) {
    cli_args *args = &run->args;
    args->verb = root;
    args->operands = calloc((size_t)argc + 1, sizeof *args->operands);
    if (!args->operands) return cli_fail(run, MEGURI_NO_MEMORY, "the system has no memory for the arguments.");
    while (args->verb->verbs) {
        const char *word = take_word(args->verb, &argc, argv);
        if (!word) break;
        const cli_verb *next = cli_find_verb(args->verb, word);
        if (!next) return cli_unknown_verb(run, args->verb, word);
        args->verb = next;
    }
    list_options(args);
    bool only_operands = false;
    for (int i = 1; i < argc; i++) {
        if (only_operands && args->verb->passes) args->passed[args->passed_count++] = argv[i];
        else if (only_operands || !is_option(argv[i])) args->operands[args->operand_count++] = argv[i];
        else if (strcmp(argv[i], "--") == 0) {
            only_operands = true;
            args->passed = args->operands + args->operand_count;
        } else {
            meguri_status status = parse_option(run, argc, argv, &i);
            if (status != MEGURI_OK) return status;
        }
    }
    return MEGURI_OK;
}

static meguri_status check_operands(cli_run *run) {
    const cli_args *args = &run->args;
    const cli_verb *verb = args->verb;
    if (args->operand_count < verb->least_operands)
        return cli_fail(run, MEGURI_BAD_ARGUMENT, "%s needs %s; for example: %s.", verb->name, verb->operands,
                        verb->examples[0]);
    if (args->operand_count > verb->most_operands)
        return cli_fail(run, MEGURI_BAD_ARGUMENT, "%s takes %s%s, so \"%.200s\" is one argument too many.", verb->name,
                        verb->operands ? "only " : "options only", verb->operands ? verb->operands : "",
                        args->operands[verb->most_operands]);
    return MEGURI_OK;
}

/* Whether something was given that will do as well; else the text is " or --pairs FILE" and the like. */
static bool given_instead(const cli_args *args, const cli_option *option, char text[256]) {
    const char *rest = option->instead, *item;
    size_t length, at = 0;
    while (cli_next_choice(&rest, &item, &length)) {
        char name[32];
        snprintf(name, sizeof name, "%.*s", (int)length, item);
        const cli_value *value = need_value(args, name);
        if (value->given) return true;
        at += (size_t)snprintf(text + at, 256 - at, "%s --%s %s", *rest ? "," : " or", name,
                               cli_argument_text(value->option));
    }
    return false;
}

meguri_status cli_check(cli_run *run) {
    const cli_args *args = &run->args;
    const cli_verb *verb = args->verb;
    if (!verb->run)
        return cli_fail(run, MEGURI_BAD_ARGUMENT, "%s needs a %s; %s%s --help lists them.", verb->name,
                        verb->verbs_title, verb == &cli_root ? "" : "meguri ", verb->name);
    for (size_t i = 0; i < args->value_count; i++) {
        const cli_option *option = args->values[i].option;
        char instead[256];
        if (option->required && option->instead && !args->values[i].given && !given_instead(args, option, instead))
            return cli_fail(run, MEGURI_BAD_ARGUMENT, "%s needs --%s %s%s; for example: %s.", verb->name, option->name,
                            cli_argument_text(option), instead, verb->examples[0]);
        if (option->required && !option->instead && !args->values[i].given)
            return cli_fail(run, MEGURI_BAD_ARGUMENT, "%s needs %s%s %s; meguri %s --help explains it.", verb->name,
                            option->letter ? "-" : "--", option->letter ? (char[]){option->letter, 0} : option->name,
                            cli_argument_text(option), verb->name);
        if (option->against && args->values[i].given && cli_given(args, option->against))
            return cli_fail(run, MEGURI_BAD_ARGUMENT, "--%s and --%s contradict each other: give one of them.",
                            option->against, option->name);
    }
    return check_operands(run);
}

void cli_args_free(cli_args *args) {
    for (size_t i = 0; i < args->value_count; i++) free((void *)args->values[i].texts);
    for (char **text = args->split; text && *text; text++) free(*text);
    free(args->split);
    free(args->operands);
    args->operands = NULL;
}
