/* Completion for bash, made from the option table: `meguri print-completion` writes the script. It needs nothing but
 * bash itself. The script finds the verb among the words so far, then offers verbs, options, choices or files. */
#include "cli.h"

#include <string.h>

static const char head[] =
    "# bash completion for meguri; made by meguri print-completion\n"
    "_meguri_files() {\n"
    "    compopt -o filenames 2>/dev/null\n"
    "    mapfile -t COMPREPLY < <(compgen -f -- \"$1\")\n"
    "}\n"
    "_meguri_words() {\n"
    "    mapfile -t COMPREPLY < <(compgen -W \"$2\" -- \"$1\")\n"
    "}\n"
    "_meguri() {\n"
    "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} verb= skip= word i options= operands=\n"
    "    COMPREPLY=()\n"
    "    if [[ $cur == = ]]; then cur=\n"
    "    elif [[ $prev == = ]]; then prev=${COMP_WORDS[COMP_CWORD-2]}\n"
    "    fi\n"
    "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
    "        word=${COMP_WORDS[i]}\n"
    "        if [[ $word == = ]]; then skip=1; continue; fi\n"
    "        if [[ $skip ]]; then skip=; continue; fi\n"
    "        case $word in\n";

static const char tail[] = "    esac\n"
                           "    if [[ $cur == -* ]]; then _meguri_words \"$cur\" \"$options\"\n"
                           "    elif [[ $operands == FILE ]]; then _meguri_files \"$cur\"\n"
                           "    elif [[ $operands ]]; then _meguri_words \"$cur\" \"$operands\"\n"
                           "    else _meguri_words \"$cur\" \"$options\"\n"
                           "    fi\n"
                           "}\n"
                           "complete -F _meguri meguri\n";

static bool is_common(const cli_option *rows) { return rows == cli_common_options || rows == cli_help_options; }

/* The options that are followed by a value, in the verb and in the verbs inside it. */
static void put_valued(const cli_verb *verb) {
    for (const cli_option *const *rows = verb->options; *rows; rows++)
        for (const cli_option *o = *rows; o->name && (verb == &cli_root || !is_common(*rows)); o++)
            if (o->kind != CLI_FLAG) {
                printf("--%s|", o->name);
                if (o->letter) printf("-%c|", o->letter);
            }
    for (const cli_verb *const *v = verb->verbs; v && *v; v++)
        if (!(*v)->hidden) put_valued(*v);
}

static void put_verb_words(const cli_verb *verb) {
    const char *space = "";
    for (const cli_verb *const *v = verb->verbs; v && *v; v++)
        if (!(*v)->hidden) {
            printf("%s%s", space, cli_verb_word(*v));
            space = " ";
        }
}

/* "verb word" becomes the next verb. */
static void put_steps(const cli_verb *verb) {
    for (const cli_verb *const *v = verb->verbs; v && *v; v++) {
        if ((*v)->hidden) continue;
        printf("                \"%s %s\") verb=\"%s\" ;;\n", verb == &cli_root ? "" : verb->name, cli_verb_word(*v),
               (*v)->name);
        put_steps(*v);
    }
}

/* What the value of an option may be; `name` is the verb's, as a pattern. */
static void put_value(const char *name, const cli_option *o) {
    const char *rest = o->choices, *item;
    size_t length;
    if (o->kind == CLI_FLAG) return;
    printf("        %s\" --%s\"", name, o->name);
    if (o->letter) printf(" | %s\" -%c\"", name, o->letter);
    if (o->kind == CLI_CHOICE) {
        fputs(") _meguri_words \"$cur\" \"", stdout);
        while (cli_next_choice(&rest, &item, &length)) printf("%.*s%s", (int)length, item, *rest ? " " : "");
        fputs("\"; return ;;\n", stdout);
    } else puts(o->kind >= CLI_INPUT ? ") _meguri_files \"$cur\"; return ;;" : ") return ;;");
}

static void put_values(const cli_verb *verb) {
    char name[64];
    snprintf(name, sizeof name, "\"%s\"", verb->name);
    for (const cli_option *const *rows = verb->options; *rows; rows++)
        for (const cli_option *o = *rows; o->name; o++)
            if (is_common(*rows) == (verb == &cli_root)) put_value(verb == &cli_root ? "*" : name, o);
    for (const cli_verb *const *v = verb->verbs; v && *v; v++)
        if (!(*v)->hidden) put_values(*v);
}

/* What else the verb takes. */
static void put_words(const cli_verb *verb) {
    printf("        \"%s\") operands=\"", verb == &cli_root ? "" : verb->name);
    if (verb->verbs) put_verb_words(verb);
    else if (verb == &cli_verb_help) put_verb_words(&cli_root);
    else if (verb->operands) fputs("FILE", stdout);
    fputs("\" options=\"", stdout);
    const char *space = "";
    for (const cli_option *const *rows = verb->options; *rows; rows++)
        for (const cli_option *o = *rows; o->name; o++) {
            printf("%s--%s", space, o->name);
            space = " ";
        }
    fputs("\" ;;\n", stdout);
    for (const cli_verb *const *v = verb->verbs; v && *v; v++)
        if (!(*v)->hidden) put_words(*v);
}

static meguri_status run_completion(cli_run *run) {
    (void)run;
    fputs(head, stdout);
    fputs("            ", stdout);
    put_valued(&cli_root);
    fputs("=) skip=1 ;;\n            -*) ;;\n            *) case \"$verb $word\" in\n", stdout);
    put_steps(&cli_root);
    fputs("                esac ;;\n        esac\n    done\n    case \"$verb $prev\" in\n", stdout);
    put_values(&cli_root);
    fputs("    esac\n    case $verb in\n", stdout);
    put_words(&cli_root);
    fputs(tail, stdout);
    return MEGURI_OK;
}

static const cli_option *const options[] = {cli_help_options, NULL};

const cli_verb cli_verb_completion = {
    .name = "print-completion",
    .hidden = true,
    .summary = "print the completion script for bash",
    .options = options,
    .run = run_completion,
};
