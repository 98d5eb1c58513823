/* How files become a graph: the rows that build and convert share, and reading by them. */
#define _GNU_SOURCE /* strdup */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

/* Lists of the formats' names; the first character is skipped. */
#define AFTER_BAR(constant, number, name, suffixes, text)   "|" #name
#define AFTER_SPACE(constant, number, name, suffixes, text) " " #name

const cli_option cli_build_options[] = {
    {.name = "directed", .kind = CLI_FLAG},
    {.name = "undirected", .kind = CLI_FLAG, .help = "edges one way; both ways", .against = "directed"},
    {.name = "order",
     .kind = CLI_CHOICE,
     .standard = "auto",
     .help = "arrangement inside; only speed shows it",
     .choices = "auto|degree|bfs|none"},
    {.name = "keep-duplicates", .kind = CLI_FLAG},
    {.name = "keep-loops", .kind = CLI_FLAG, .help = "keep parallel edges; self-loops"},
    {0},
};

const cli_option cli_read_options[] = {
    {.name = "format",
     .kind = CLI_CHOICE,
     .argument = "FORMAT",
     .standard = "auto: from the content",
     .help = &MEGURI_FORMAT_LIST(AFTER_SPACE)[1],
     .choices = &MEGURI_FORMAT_LIST(AFTER_BAR)[1]},
    {.name = "ids", .kind = CLI_CHOICE, .standard = "auto", .help = "what ids are", .choices = "auto|integer|string"},
    {.name = "weights",
     .kind = CLI_CHOICE,
     .standard = "auto",
     .help = "keep weights if there are any, or not",
     .choices = "auto|none"},
    {.name = "columns", .kind = CLI_STRING, .argument = "NAME[:TYPE],…", .help = "columns of CSV that edges keep"},
    {.name = "coords", .kind = CLI_INPUT, .argument = "FILE", .help = "coordinates of the vertices, a DIMACS .co file"},
    {0},
};

void cli_get_build_options(meguri_build_options *out, const cli_args *args) {
    *out = (meguri_build_options){
        .size = sizeof *out,
        .direction = cli_given(args, "directed")     ? MEGURI_DIRECTED
                     : cli_given(args, "undirected") ? MEGURI_UNDIRECTED
                                                     : MEGURI_DIRECTION_DEFAULT,
        .order = (meguri_order)cli_choice(args, "order"),
        .keep_duplicates = cli_given(args, "keep-duplicates"),
        .keep_loops = cli_given(args, "keep-loops"),
    };
}

/* The columns that --columns names: NAME, or NAME:TYPE. */
typedef struct columns {
    char *text; /* a copy of the option, cut into names */
    meguri_edge_column all[MEGURI_MOST_COLUMNS];
    uint32_t count;
} columns;

/* Whether a column is one of ids, or of types, by the word that says so. */
static bool take_kind(meguri_edge_column *column, const char *word) {
    if (strcmp(word, "id") == 0) {
        column->kind = MEGURI_EDGE_IDS;
        column->type = MEGURI_VALUE_U64;
    } else if (strcmp(word, "type") == 0) column->kind = MEGURI_EDGE_TYPES;
    return column->kind != MEGURI_EDGE_VALUES;
}

/* Cuts a known type off a name; what follows another colon belongs to the name. Without one, columns of the names id
 * and type are what they are called. */
static void take_type(meguri_edge_column *column, char *name) {
    char *colon = strrchr(name, ':');
    column->name = name;
    bool known = colon && take_kind(column, colon + 1);
    for (int type = MEGURI_VALUE_U8; colon && type <= MEGURI_VALUE_U64; type++)
        if (strcmp(colon + 1, meguri_value_type_name((meguri_value_type)type)) == 0) {
            column->type = (meguri_value_type)type;
            known = true;
        }
    if (known) *colon = '\0';
    else take_kind(column, name);
}

static meguri_status get_columns(columns *out, cli_run *run) {
    const char *given = cli_text(&run->args, "columns");
    if (!given) return MEGURI_OK;
    out->text = strdup(given);
    if (!out->text) return cli_fail(run, MEGURI_NO_MEMORY, "the system has no memory for the names of columns.");
    for (char *name = out->text, *next; name; name = next) {
        next = strchr(name, ',');
        if (next) *next++ = '\0';
        if (out->count == MEGURI_MOST_COLUMNS)
            return cli_fail(run, MEGURI_BAD_ARGUMENT, "--columns names more than the %d columns that edges can have.",
                            MEGURI_MOST_COLUMNS);
        out->all[out->count].size = sizeof *out->all;
        take_type(&out->all[out->count++], name);
        if (!*name)
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

meguri_status cli_read_inputs(meguri_graph **out, cli_run *run, bool in_rows) {
    const cli_args *args = &run->args;
    columns wanted = {0};
    meguri_read_options options = {
        .size = sizeof options,
        .ids = (meguri_ids)cli_choice(args, "ids"),
        .coordinates = cli_text(args, "coords"),
    };
    if (cli_given(args, "format")) options.format = (meguri_format)meguri_format_from_name(cli_text(args, "format"));
    cli_get_build_options(&options.build, args);
    options.build.ignore_weights = cli_choice(args, "weights") == 1;
    options.build.in_rows = in_rows;
    meguri_status status = list_format(&options.format, run);
    if (status == MEGURI_OK) status = get_columns(&wanted, run);
    options.columns = wanted.all;
    options.column_count = wanted.count;
    if (status == MEGURI_OK) status = cli_get_layout(&options.build.layout, run);
    if (status == MEGURI_OK) status = meguri_read(out, run->ctx, args->operands, args->operand_count, &options);
    free(wanted.text);
    return status;
}
