/* How files become a graph: the options of reading, which every verb has that reads text itself, and reading by them.
 */
#define _GNU_SOURCE /* strdup */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Lists of the formats' names; the first character is skipped. */
#define AFTER_BAR(constant, number, name, suffixes, text)   "|" #name
#define AFTER_SPACE(constant, number, name, suffixes, text) " " #name

/* Rows that the tables below have in common. */
#define DIRECTION_ROWS                                                                                                 \
    {.name = "directed", .kind = CLI_FLAG}, {                                                                          \
        .name = "undirected", .kind = CLI_FLAG, .help = "edges one way; both ways", .against = "directed"              \
    }
#define KEEP_ROWS                                                                                                      \
    {.name = "duplicates",                                                                                             \
     .kind = CLI_CHOICE,                                                                                               \
     .standard = "min",                                                                                                \
     .help = "what becomes of parallel edges",                                                                         \
     .choices = "min|max|sum|first|count|keep"},                                                                       \
        {.name = "keep-duplicates", .kind = CLI_FLAG, .against = "duplicates"}, {                                      \
        .name = "keep-loops", .kind = CLI_FLAG, .help = "as --duplicates keep; keep self-loops"                        \
    }
#define ORDER_ROW                                                                                                      \
    {                                                                                                                  \
        .name = "order", .kind = CLI_CHOICE, .standard = "auto", .help = "arrangement inside; only speed shows it",    \
        .choices = "auto|degree|bfs|none"                                                                              \
    }

const cli_option cli_build_options[] = {DIRECTION_ROWS, ORDER_ROW, KEEP_ROWS, {0}};

const cli_option cli_read_options[] = {
    DIRECTION_ROWS,
    {.name = "format",
     .kind = CLI_CHOICE,
     .argument = "FORMAT",
     .standard = "auto: from the content",
     .help = &MEGURI_FORMAT_LIST(AFTER_SPACE)[1],
     .choices = &MEGURI_FORMAT_LIST(AFTER_BAR)[1]},
    {.name = "header", .kind = CLI_FLAG},
    {.name = "no-header", .kind = CLI_FLAG, .help = "the first line names columns; is data", .against = "header"},
    {.name = "separator",
     .kind = CLI_STRING,
     .argument = "C",
     .standard = "found",
     .help = "between columns: a character, tab or space"},
    {.name = "source-column", .kind = CLI_STRING, .argument = "C"},
    {.name = "target-column", .kind = CLI_STRING, .argument = "C"},
    {.name = "weight-column",
     .kind = CLI_STRING,
     .argument = "C",
     .help = "columns by their names, or by numbers from 1"},
    {.name = "columns", .kind = CLI_STRING, .argument = "NAME[:TYPE],…", .help = "columns of CSV that edges keep"},
    {.name = "ids", .kind = CLI_CHOICE, .standard = "auto", .help = "what ids are", .choices = "auto|integer|string"},
    {.name = "weights",
     .kind = CLI_CHOICE,
     .standard = "auto",
     .help = "keep weights if there are any, or not",
     .choices = "auto|none"},
    {.name = "default-weight", .kind = CLI_STRING, .argument = "X", .help = "of edges whose weight is missing"},
    {.name = "skip-bad", .kind = CLI_FLAG, .help = "skip lines that are wrong; they are counted"},
    KEEP_ROWS,
    {0},
};

const cli_option cli_arrange_options[] = {
    {.name = "coords", .kind = CLI_INPUT, .argument = "FILE", .help = "coordinates of the vertices, a DIMACS .co file"},
    ORDER_ROW,
    {0},
};

void cli_get_build_options(meguri_build_options *out, const cli_args *args) {
    *out = (meguri_build_options){
        .size = sizeof *out,
        .direction = cli_given(args, "directed")     ? MEGURI_DIRECTED
                     : cli_given(args, "undirected") ? MEGURI_UNDIRECTED
                                                     : MEGURI_DIRECTION_DEFAULT,
        .order = cli_has(args, "order") ? (meguri_order)cli_choice(args, "order") : MEGURI_ORDER_AUTO,
        .duplicates = cli_given(args, "keep-duplicates") ? MEGURI_DUPLICATES_KEEP
                                                         : (meguri_duplicates)cli_choice(args, "duplicates"),
        .keep_loops = cli_given(args, "keep-loops"),
    };
}

/* The columns that --columns names: NAME, or NAME:TYPE. */
typedef struct columns {
    char *text; /* a copy of the option, cut into names */
    meguri_column_data *all;
    uint32_t count;
} columns;

/* Whether a column is one of ids, or of types, by the word that says so. */
static bool take_kind(meguri_column_data *column, const char *word) {
    if (strcmp(word, "id") == 0) {
        column->kind = MEGURI_COLUMN_IDS;
        column->type = MEGURI_TYPE_U64;
    } else if (strcmp(word, "type") == 0) column->kind = MEGURI_COLUMN_TYPES;
    return column->kind != MEGURI_COLUMN_VALUES;
}

static bool take_type(meguri_column_data *column, const char *word) {
    if (take_kind(column, word)) return true;
    for (int type = MEGURI_TYPE_I8; type <= MEGURI_TYPE_TEXT; type++)
        if (strcmp(word, meguri_type_name((meguri_type)type)) == 0) {
            column->type = (meguri_type)type;
            return true;
        }
    return false;
}

/* NAME or NAME:TYPE, cut out of the list at *list, which moves behind its comma, or becomes NULL. What follows a colon
 * and is no known type belongs to the name, unless that is in quotes. Columns of the names id and type are what they
 * are called. False where quotes or a type behind them are wrong. */
static bool take_column(meguri_column_data *column, char **list) {
    char *name = *list, *rest = *name == '"' ? cli_unquote(name) : name;
    bool quoted = rest != name;
    if (!rest) return false;
    char *comma = strchr(rest, ',');
    if (comma) *comma = '\0';
    *list = comma ? comma + 1 : NULL;
    char *colon = quoted ? rest : strrchr(name, ':');
    column->name = name;
    bool known = colon && *colon == ':' && take_type(column, colon + 1);
    if (known && !quoted) *colon = '\0';
    if (!known) take_kind(column, name);
    return known || !quoted || !*rest;
}

static meguri_status get_columns(columns *out, cli_run *run) {
    const char *given = cli_text(&run->args, "columns");
    if (!given) return MEGURI_OK;
    out->text = strdup(given);
    size_t most = 1; /* names */
    for (const char *p = given; *p; p++) most += *p == ',';
    out->all = calloc(most, sizeof *out->all);
    if (!out->text || !out->all)
        return cli_fail(run, MEGURI_NO_MEMORY, "the system has no memory for the names of columns.");
    for (char *list = out->text; list;) {
        meguri_column_data *column = &out->all[out->count++];
        column->size = sizeof *column;
        if (!take_column(column, &list))
            return cli_fail(run, MEGURI_BAD_ARGUMENT,
                            "--columns %s: double quotes go around a whole name, and only :TYPE follows them.", given);
        if (!*column->name)
            return cli_fail(run, MEGURI_BAD_ARGUMENT,
                            "--columns %s: a name is missing; write NAME[:TYPE], parted by commas.", given);
    }
    return MEGURI_OK;
}

/* Files that share a header are Neo4j's. */
static meguri_status list_format(meguri_format *format, cli_run *run) {
    if (!run->args.split) return MEGURI_OK;
    if (*format != MEGURI_FORMAT_AUTO && *format != MEGURI_FORMAT_NEO4J)
        return cli_fail(run, MEGURI_BAD_ARGUMENT,
                        "only files of Neo4j share a header, as FILE,FILE does; with --format %s part them by blanks.",
                        meguri_format_name(*format));
    *format = MEGURI_FORMAT_NEO4J;
    return MEGURI_OK;
}

/* --separator: a character, or the name of one that is hard to type. */
static meguri_status get_separator(char *out, cli_run *run) {
    static const struct {
        const char *name;
        char is;
    } names[] = {{"tab", '\t'},  {"\\t", '\t'},      {"space", ' '}, {"blank", ' '},
                 {"comma", ','}, {"semicolon", ';'}, {"bar", '|'}};
    const char *given = cli_text(&run->args, "separator");
    if (!given) return MEGURI_OK;
    if (given[0] && !given[1]) *out = given[0];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(given, names[i].name) == 0) *out = names[i].is;
    bool letter = (*out >= '0' && *out <= '9') || ((*out | 0x20) >= 'a' && (*out | 0x20) <= 'z');
    if (*out && !letter && *out != '"' && *out >= '\t' && *out <= '~' && *out != '\n' && *out != '\r') return MEGURI_OK;
    return cli_fail(
        run, MEGURI_BAD_ARGUMENT,
        "--separator %.40s: give one character that is no letter, digit or quote, or the word tab or space.", given);
}

static meguri_status get_default_weight(meguri_read_options *out, cli_run *run) {
    const char *given = cli_text(&run->args, "default-weight");
    char *end;
    if (!given) return MEGURI_OK;
    out->use_default_weight = 1;
    out->default_weight = strtod(given, &end);
    if (*given && !*end && isfinite(out->default_weight) && !strpbrk(given, " xXpP")) return MEGURI_OK;
    return cli_fail(run, MEGURI_BAD_ARGUMENT, "--default-weight %.40s: give a number.", given);
}

/* What the options of reading say; `hold` keeps what `out` points to. */
static meguri_status get_read_options(meguri_read_options *out, meguri_build_options *build, columns *hold,
                                      cli_run *run) {
    const cli_args *args = &run->args;
    *out = (meguri_read_options){.size = sizeof *out, .ids = (meguri_ids)cli_choice(args, "ids"), .build = build};
    if (cli_has(args, "coords")) out->coordinates = cli_text(args, "coords");
    if (cli_given(args, "format")) out->format = (meguri_format)meguri_format_from_name(cli_text(args, "format"));
    cli_get_build_options(build, args);
    build->ignore_weights = cli_choice(args, "weights") == 1;
    out->header = cli_given(args, "header")      ? MEGURI_HEADER_YES
                  : cli_given(args, "no-header") ? MEGURI_HEADER_NO
                                                 : MEGURI_HEADER_AUTO;
    out->source_column = cli_text(args, "source-column");
    out->target_column = cli_text(args, "target-column");
    out->weight_column = cli_text(args, "weight-column");
    out->skip_bad = cli_given(args, "skip-bad");
    meguri_status status = list_format(&out->format, run);
    if (status == MEGURI_OK) status = get_separator(&out->separator, run);
    if (status == MEGURI_OK) status = get_default_weight(out, run);
    if (status == MEGURI_OK) status = get_columns(hold, run);
    out->columns = hold->all;
    out->column_count = hold->count;
    return status;
}

meguri_status cli_read_inputs(meguri_graph **out, cli_run *run, const char *const *paths, size_t count) {
    columns hold = {0};
    meguri_read_options options;
    meguri_build_options build;
    meguri_status status = get_read_options(&options, &build, &hold, run);
    if (cli_has(&run->args, "in-rows")) build.in_rows = cli_given(&run->args, "in-rows");
    if (status == MEGURI_OK) status = cli_get_layout(&build.layout, run);
    if (status == MEGURI_OK) status = meguri_read(out, run->ctx, paths, count, &options);
    run->read = status == MEGURI_OK;
    free(hold.text);
    free(hold.all);
    return status;
}

/* A .meg file is a graph already: what tells how to make one of text has no meaning for it. */
static meguri_status refuse_read_options(cli_run *run, const char *path) {
    const cli_option *const groups[] = {cli_read_options, cli_arrange_options};
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        for (const cli_option *o = groups[i]; o->name; o++)
            if (cli_has(&run->args, o->name) && cli_given(&run->args, o->name))
                return cli_fail(run, MEGURI_BAD_ARGUMENT,
                                "--%s is for text input, and %s is a graph already; leave it out.", o->name, path);
    return MEGURI_OK;
}

meguri_status cli_open_or_read(meguri_graph **out, cli_run *run, const char *path, bool meg) {
    const meguri_layout *layout = NULL;
    if (!meg) return cli_read_inputs(out, run, &path, 1);
    meguri_status status = refuse_read_options(run, path);
    if (status == MEGURI_OK) status = cli_get_layout(&layout, run);
    meguri_open_options options;
    meguri_open_options_init(&options, sizeof options);
    options.layout = layout;
    return status == MEGURI_OK ? meguri_open(out, run->ctx, path, &options) : status;
}
