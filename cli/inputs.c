/* How files become a graph: the rows that build and convert share, and reading by them. */
#include "cli.h"

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

meguri_status cli_read_inputs(meguri_graph **out, cli_run *run) {
    const cli_args *args = &run->args;
    meguri_read_options options = {
        .size = sizeof options,
        .ids = (meguri_ids)cli_choice(args, "ids"),
        .coordinates = cli_text(args, "coords"),
    };
    if (cli_given(args, "format")) options.format = (meguri_format)meguri_format_from_name(cli_text(args, "format"));
    cli_get_build_options(&options.build, args);
    options.build.ignore_weights = cli_choice(args, "weights") == 1;
    meguri_status status = cli_get_layout(&options.build.layout, run);
    if (status != MEGURI_OK) return status;
    return meguri_read(out, run->ctx, args->operands, args->operand_count, &options);
}
