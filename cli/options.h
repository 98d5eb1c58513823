/* The option table: what a verb is, what an option is, and what was typed.
 *
 * Each verb has rows that describe its options. Parsing, --help, the man page and the completion of bash are all made
 * from these rows and nothing else, so they cannot disagree. A new verb is one file verbs/NAME.c and one row in
 * verbs.c. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <meguri/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum cli_kind {
    CLI_FLAG,
    CLI_NUMBER, /* a whole number: 5000, 1e6, 10k, 4Mi */
    CLI_REAL,
    CLI_SIZE,   /* bytes: 2G, 500M, 1.5GiB, 4096 */
    CLI_CHOICE, /* one of a list */
    CLI_STRING,
    CLI_INPUT,  /* a file that is read */
    CLI_OUTPUT, /* one that is written: no file is both (files.c) */
    CLI_FOLDER  /* of checkpoints: no file of these is written as something else */
} cli_kind;

/* What a file that is written holds, which decides what its name may be. */
typedef enum cli_content {
    CLI_ANYTHING,
    CLI_GRAPH,
    CLI_RESULT, /* a row for each vertex */
    CLI_PATHS,
    CLI_PAGE,
    CLI_HTML /* a page and nothing else */
} cli_content;

typedef struct cli_option {
    const char *name; /* without the dashes; NULL ends an array of rows */
    char letter;      /* of the short form, or 0 */
    cli_kind kind;
    const char *argument; /* how help names the value; for a choice NULL: the list itself is shown */
    const char *standard; /* the default, as help tells it; NULL: nothing to tell */
    const char *help;     /* NULL: shares the line of help of the next row */
    const char *choices;  /* "auto|none": the first is the default */
    const char *unlisted; /* further choices that are understood but not offered: refused later, with a reason */
    uint64_t least, most; /* for numbers; most 0: no limit */
    const char *because;  /* why there is not more, as a refusal tells it; NULL: it goes without saying */
    bool required;
    const char *instead; /* where it is required: what will do as well, "one|another" */
    const char *against; /* the option that contradicts this one */
    bool again;          /* may be given several times, and all count; else the last does */
    cli_content content; /* of an output */
} cli_option;

struct cli_run;
typedef struct cli_verb cli_verb;
struct cli_verb {
    const char *name;     /* "build"; for a verb inside a verb both words: "gen grid" */
    const char *operands; /* as the usage line shows them; NULL: none */
    uint32_t least_operands, most_operands;
    bool hidden;                               /* works, but is not shown */
    bool lists;                                /* an operand may be a list of files (lists.c) */
    bool passes;                               /* what follows -- is not for it: cli_args has it as `passed` */
    uint32_t graph;                            /* which operand is the graph, of a verb that works on one */
    bool programs;                             /* it runs vertex programs: a graph in parts is laid out for them */
    bool on_cluster;                           /* its work can be that of many processes */
    bool on_device;                            /* … or of a compute device */
    bool on_devices;                           /* … also of several processes, a device each */
    const char *summary;                       /* a phrase for lists of verbs */
    const char *manual;                        /* for the man page: paragraphs, an empty line between two */
    const char *const *examples;               /* NULL-terminated; the first one is shown by --help */
    const cli_option *const *options;          /* NULL-terminated list of arrays of rows */
    const cli_verb *const *verbs;              /* NULL-terminated list of the verbs inside this one, or NULL */
    const char *verbs_title;                   /* what those are called: "VERB", "MODEL" */
    meguri_status (*run)(struct cli_run *run); /* NULL where one of the verbs inside must be named */
};

#define CLI_MAX_OPTIONS 80
#define CLI_MAX_VERBS   80 /* in one verb */
#define CLI_MAX_CHOICES 40
#define CLI_HINT_TEXT   640

/* What was typed for one option. */
typedef struct cli_value {
    const cli_option *option;
    bool given;
    const char *text;   /* as typed */
    const char **texts; /* of one that may be given several times: all of them */
    size_t text_count;
    uint64_t number; /* number, size; the place in the list for a choice */
    double real;
} cli_value;

typedef struct cli_args {
    const cli_verb *verb;
    cli_value values[CLI_MAX_OPTIONS];
    size_t value_count;
    const char **operands;
    size_t operand_count;
    char **split;        /* where operands were lists: their copies, which they lie in; NULL-terminated */
    const char **passed; /* behind the operands, in the same array */
    size_t passed_count;
} cli_args;

/* Finds the verb and reads its options and operands; strings stay those of argv. `args->verb` is set also on failure,
 * as far as it was found. Presence of what is required is checked by cli_check, so that --help works without it. */
meguri_status cli_parse(struct cli_run *run, const cli_verb *root, int argc, char **argv);
meguri_status cli_check(struct cli_run *run);
void cli_args_free(cli_args *args);

/* Asking for an option that the verb does not have is a mistake in the program, and stops it. */
bool cli_given(const cli_args *args, const char *name);
uint64_t cli_number(const cli_args *args, const char *name, uint64_t otherwise);
double cli_real(const cli_args *args, const char *name, double otherwise);
int cli_choice(const cli_args *args, const char *name);
const char *cli_text(const cli_args *args, const char *name); /* NULL if it was not given */
/* All that was typed for an option that may be given several times. */
const char *const *cli_texts(const cli_args *args, const char *name, size_t *count);
/* What was typed, to be copied and changed. */
cli_value cli_value_of(const cli_args *args, const char *name);
/* For code shared by verbs of which some lack the option. */
bool cli_has(const cli_args *args, const char *name);

/* The verb of that word among those inside `parent`; NULL if there is none. */
const cli_verb *cli_find_verb(const cli_verb *parent, const char *word);
/* Fails because there is none. */
meguri_status cli_unknown_verb(struct cli_run *run, const cli_verb *parent, const char *word);
/* The last word of its name. */
const char *cli_verb_word(const cli_verb *verb);
/* How an option's value is shown: the argument's name, or the choices. */
const char *cli_argument_text(const cli_option *option);

/* Steps through "a|b|c": sets *item and returns its length; false after the last. `*rest` starts as the list. */
bool cli_next_choice(const char **rest, const char **item, size_t *length);

#endif
