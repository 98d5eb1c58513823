/* The man page, made from the option table: `meguri print-man` writes the source of meguri.1. */
#include "cli.h"

#include <ctype.h>
#include <string.h>

/* Text as roff reads it: minus signs stay minus signs, other characters than ASCII become \[uXXXX], and no line
 * begins with a dot or a quote by accident. */
static void put_bytes(const char *text, size_t length) {
    const unsigned char *s = (const unsigned char *)text, *end = s + length;
    bool line_start = true;
    while (s < end) {
        unsigned code = *s++;
        if (line_start && (code == '.' || code == '\'')) fputs("\\&", stdout);
        line_start = code == '\n';
        if (code == '\\') fputs("\\e", stdout);
        else if (code == '-') fputs("\\-", stdout);
        else if (code < 0x80) putchar((int)code);
        else {
            int more = code >= 0xF0 ? 3 : code >= 0xE0 ? 2 : 1;
            code &= 0x3Fu >> more;
            while (more-- > 0) code = code << 6 | (*s++ & 0x3F);
            printf("\\[u%04X]", code);
        }
    }
}

static void put_text(const char *text) { put_bytes(text, strlen(text)); }

/* A phrase of the table as a sentence. */
static void put_sentence(const char *phrase) {
    putchar(toupper((unsigned char)phrase[0]));
    put_text(phrase + 1);
    putchar('.');
}

/* Paragraphs are separated by an empty line; where their own lines end does not matter. */
static void put_paragraphs(const char *text) {
    fputs(".PP\n", stdout);
    for (size_t length; *text; text += length + (text[length] == '\n')) {
        length = strcspn(text, "\n");
        if (length == 0 && text[1]) fputs(".PP\n", stdout);
        put_bytes(text, length);
        if (length) putchar('\n');
    }
}

static void put_bold(const char *text) {
    fputs("\\fB", stdout);
    put_text(text);
    fputs("\\fR", stdout);
}

static void put_argument(const cli_option *o) {
    if (o->kind == CLI_FLAG) return;
    putchar(' ');
    fputs(o->argument ? "\\fI" : "\\fR", stdout);
    put_text(cli_argument_text(o));
    fputs("\\fR", stdout);
}

static void put_option_name(const cli_option *o) {
    if (o->letter) {
        put_bold((char[]){'-', o->letter, '\0'});
        fputs(", ", stdout);
    }
    put_bold("--");
    put_bold(o->name);
    put_argument(o);
}

/* Rows without help share the paragraph of the next. */
static void put_options(const cli_option *rows) {
    bool open = false;
    for (const cli_option *o = rows; o->name; o++) {
        fputs(open ? ", " : ".TP\n", stdout);
        put_option_name(o);
        open = !o->help;
        if (open) continue;
        putchar('\n');
        put_sentence(o->help);
        if (o->standard) {
            fputs(" Default: ", stdout);
            put_text(o->standard);
            putchar('.');
        }
        putchar('\n');
    }
}

static void put_synopsis(const cli_verb *verb) {
    for (const cli_verb *const *v = verb->verbs; v && *v; v++) {
        if ((*v)->hidden) continue;
        put_synopsis(*v);
        if (!(*v)->run) continue;
        fputs(".br\n", stdout);
        put_bold("meguri ");
        put_bold((*v)->name);
        if ((*v)->operands) {
            fputs(" \\fI", stdout);
            put_text((*v)->operands);
            fputs("\\fR", stdout);
        }
        for (const cli_option *const *rows = (*v)->options; *rows; rows++)
            for (const cli_option *o = *rows; o->name; o++)
                if (o->required) {
                    putchar(' ');
                    put_bold(o->letter ? (char[]){'-', o->letter, '\0'} : "--");
                    if (!o->letter) put_bold(o->name);
                    put_argument(o);
                }
        fputs(" [\\fIOPTION\\fR\\[u2026]]\n", stdout);
    }
}

static void put_verbs(const cli_verb *verb) {
    for (const cli_verb *const *v = verb->verbs; v && *v; v++) {
        if ((*v)->hidden) continue;
        put_verbs(*v);
        if (!(*v)->run) continue;
        printf(".SS meguri %s\n", (*v)->name);
        put_sentence((*v)->summary);
        putchar('\n');
        if ((*v)->manual) put_paragraphs((*v)->manual);
        for (const cli_option *const *rows = (*v)->options; *rows; rows++)
            if (*rows != cli_common_options && *rows != cli_help_options && *rows != cli_read_options)
                put_options(*rows);
    }
}

static void put_examples(const cli_verb *verb) {
    for (const cli_verb *const *v = verb->verbs; v && *v; v++) {
        put_examples(*v);
        if ((*v)->hidden || !(*v)->run) continue;
        for (const char *const *e = (*v)->examples; e && *e; e++) {
            put_text(*e);
            putchar('\n');
        }
    }
}

/* Statuses that share an exit code share a line. */
static void put_exit_codes(void) {
    static const struct {
        int code;
        const char *text;
    } list[] = {
#define EXIT_ROW(name, value, exit_code, text) {exit_code, text},
        MEGURI_STATUS_LIST(EXIT_ROW)
#undef EXIT_ROW
    };
    int last = -1;
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        if (list[i].code == last) fputs("; ", stdout);
        else printf("%s.TP\n\\fB%d\\fR\n", i ? "\n" : "", list[i].code);
        put_text(list[i].text);
        last = list[i].code;
    }
    putchar('\n');
}

static void put_formats(void) {
#define FORMAT_ROW(constant, number, name, suffixes, text)                                                             \
    fputs(".TP\n", stdout);                                                                                            \
    put_bold(#name);                                                                                                   \
    put_text(suffixes);                                                                                                \
    putchar('\n');                                                                                                     \
    put_text(text);                                                                                                    \
    putchar('\n');
    MEGURI_FORMAT_LIST(FORMAT_ROW)
#undef FORMAT_ROW
}

static meguri_status run_man(cli_run *run) {
    (void)run;
    printf(".\\\" made by meguri print-man\n.TH MEGURI 1 \"\" \"meguri %s\" \"User Commands\"\n", meguri_version());
    fputs(".SH NAME\nmeguri \\- ", stdout);
    put_text(cli_root.summary);
    fputs("\n.SH SYNOPSIS\n.nh\n", stdout);
    put_synopsis(&cli_root);
    fputs(".hy\n.SH DESCRIPTION\n", stdout);
    put_text("meguri makes, reads, converts and describes graphs. A graph lies in one .meg file, which opens in "
             "milliseconds "
             "at any size; results are in the ids of your own input, whatever happens inside.\n");
    put_paragraphs(
        "Options may stand before or after the other arguments, as --name value or --name=value; -- ends them. A "
        "summary for people goes to standard output; errors and warnings go to standard error, one sentence each.");
    fputs(".SH VERBS\n", stdout);
    put_verbs(&cli_root);
    fputs(".SH COMMON OPTIONS\n", stdout);
    put_options(cli_common_options);
    put_options(cli_help_options);
    put_paragraphs("In a SIZE the letters K, M, G and T mean 1000, 1000\u00b2 and so on, KiB, MiB, GiB and TiB mean "
                   "1024, 1024\u00b2 "
                   "and so on.");
    fputs(".SH READING OPTIONS\n", stdout);
    put_text(
        "Of build, convert and every verb that reads a text file itself (meguri bfs edges.csv \u2026); where the graph "
        "is a .meg file they are refused.\n");
    put_options(cli_read_options);
    fputs(".SH CLUSTERS\n", stdout);
    put_text(
        "Started by an MPI launcher, gen, build, bfs, sssp, pagerank, components, run and graph500 are the work of all "
        "processes together, each with a part of the graph: mpirun -n 4 meguri bfs g.meg --source 1.\n");
    put_paragraphs(
        "--grid says how the adjacency matrix is cut: 2x3 for rows and columns of processes, pairs for blocks in "
        "symmetric pairs on 2, 8, 18, 32 … processes. --owner says which process has a vertex: by rank by degree, so "
        "that each has its share of the hubs; by position in the order of ids; or by contiguous blocks of a locality "
        "order, for roads and other graphs without hubs. auto chooses between the first and the last. --threads and "
        "--memory are for each process; without them "
        "those on one machine share it. The first process prints the summary and writes the trace. The other verbs "
        "refuse to start under a launcher unless --engine host lets each process do all of the work. --engine cluster "
        "without a launcher is a cluster of one process.");
    fputs(".SH FORMATS\n", stdout);
    put_formats();
    fputs(".SH EXIT STATUS\n", stdout);
    put_exit_codes();
    fputs(".SH ENVIRONMENT\n.TP\n\\fBTMPDIR\\fR\n", stdout);
    put_text("where data larger than the memory goes; the folder of -o if it is not set.\n");
    fputs(".TP\n\\fBMEGURI_MPI_PLUGIN\\fR\n", stdout);
    put_text("the file of the plug-in for MPI, where it is not the one beside the library.\n");
    fputs(".SH EXAMPLES\n.nf\n", stdout);
    put_examples(&cli_root);
    fputs(".fi\n", stdout);
    return MEGURI_OK;
}

static const cli_option *const options[] = {cli_help_options, NULL};

const cli_verb cli_verb_man = {
    .name = "print-man",
    .hidden = true,
    .summary = "print the source of the man page",
    .options = options,
    .run = run_man,
};
