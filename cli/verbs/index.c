/* meguri index: a path index for a graph that is there. */
#include "cli.h"

static meguri_status check(cli_run *run) {
    const char *input = run->args.operands[0], *output = cli_text(&run->args, "output");
    if (output && !cli_names_meg(output))
        return cli_fail(run, MEGURI_BAD_ARGUMENT,
                        "%s: only a .meg file can hold a path index; let the name end in .meg.", output);
    if (cli_file_bytes(input) && !cli_is_meg(input))
        return cli_fail(
            run, MEGURI_BAD_INPUT,
            "%s is not a .meg file, and nothing else can hold a path index; meguri build --path-index makes a "
            ".meg file with one.",
            input);
    return MEGURI_OK;
}

static meguri_status run_index(cli_run *run) {
    meguri_graph *graph = NULL;
    meguri_path_index *index = NULL;
    cli_times times = {.phase = "open"};
    meguri_status status = check(run);
    double start = cli_now();
    if (status == MEGURI_OK) status = meguri_open(&graph, run->ctx, run->args.operands[0], NULL);
    double opened = cli_now();
    if (status == MEGURI_OK) status = meguri_path_index_new(&index, run->ctx, graph, NULL);
    double indexed = cli_now();
    const meguri_save_options save = {.size = sizeof save, .index = index};
    const meguri_sink sink = {.size = sizeof sink, .path = cli_written(run)};
    if (status == MEGURI_OK) status = meguri_save(run->ctx, graph, &sink, &save);
    times.indexed = index;
    times.first = opened - start;
    times.index = indexed - opened;
    times.write = cli_now() - indexed;
    if (status == MEGURI_OK) status = cli_summary(run, graph, &times);
    meguri_path_index_free(index);
    meguri_graph_free(graph);
    return status;
}

static const char *const examples[] = {
    "meguri index roads.meg",
    "meguri index roads.meg -o roads-fast.meg",
    NULL,
};

static const cli_option rows[] = {
    {.name = "output",
     .letter = 'o',
     .kind = CLI_OUTPUT,
     .content = CLI_GRAPH,
     .argument = "FILE",
     .standard = "GRAPH itself",
     .help = "another .meg file to write"},
    {0},
};
static const cli_option *const options[] = {rows, cli_common_options, cli_help_options, NULL};

CLI_MANUAL(index);

const cli_verb cli_verb_index = {
    .name = "index",
    .operands = "GRAPH",
    .least_operands = 1,
    .most_operands = 1,
    .summary = "prepare a .meg file for questions about cheapest paths",
    .manual = cli_manual_index,
    .examples = examples,
    .options = options,
    .run = run_index,
};
