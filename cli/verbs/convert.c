/* meguri convert: a graph into another format. */
#include "cli.h"

static meguri_status run_convert(cli_run *run) {
    const char *input = run->args.operands[0];
    meguri_graph *graph = NULL;
    meguri_status status;
    double start = cli_now();
    if (run->args.split) status = cli_read_inputs(&graph, run, run->args.operands, run->args.operand_count);
    else status = cli_open_graph(&graph, run, input);
    double read = cli_now();
    if (status == MEGURI_OK) status = cli_write_output(run, graph, NULL);
    cli_times times = {.phase = "read", .first = read - start, .write = cli_now() - read};
    if (status == MEGURI_OK) status = cli_summary(run, graph, &times);
    meguri_graph_free(graph);
    return status;
}

static const char *const examples[] = {
    "meguri convert g.meg -o g.wel",
    "meguri convert roads.gr.gz -o roads.mtx.zst",
    NULL,
};

static const cli_option *const options[] = {cli_read_options,   cli_arrange_options, cli_output_option,
                                            cli_common_options, cli_help_options,    NULL};

const cli_verb cli_verb_convert = {
    .name = "convert",
    .operands = "GRAPH",
    .least_operands = 1,
    .most_operands = 1,
    .lists = true,
    .summary = "write a graph in another format",
    .manual = "Writes a graph in the format that the suffix of -o names, one of" MEGURI_FORMAT_SUFFIXES
              " (see FORMATS), with .gz, .zst or .xz after it if you like, or .meg. Of edge lists .wel has weights and "
              ".el has none; .co has coordinates alone. GRAPH may be a .meg file or any other format; that is read as "
              "build reads it, with the same options.",
    .examples = examples,
    .options = options,
    .run = run_convert,
};
