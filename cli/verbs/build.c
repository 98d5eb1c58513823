/* meguri build: files of any format become one graph. */
#include "cli.h"

/* What only a .meg file can hold, and one process alone makes. */
static meguri_status check_extra(cli_run *run, const char *option, const char *advice) {
    const char *output = cli_text(&run->args, "output");
    if (!cli_given(&run->args, option)) return MEGURI_OK;
    if (!cli_names_meg(output))
        return cli_fail(run, MEGURI_BAD_ARGUMENT,
                        "--%s makes something that only a .meg file can hold, and -o names %s; name a .meg file, or "
                        "leave --%s out.",
                        option, output, option);
    if (run->cluster) return cli_fail(run, MEGURI_BAD_ARGUMENT, "--%s is made on one machine; %s.", option, advice);
    return MEGURI_OK;
}

static meguri_status run_build(cli_run *run) {
    meguri_graph *graph = NULL;
    meguri_path_index *index = NULL;
    cli_times times = {.phase = "read"};
    meguri_status status = check_extra(run, "path-index", "leave it out, and let meguri index add it to the file");
    if (status == MEGURI_OK) status = check_extra(run, "in-rows", "leave it out, or build the graph there");
    if (status != MEGURI_OK) return status;
    double start = cli_now();
    status = cli_read_inputs(&graph, run, run->args.operands, run->args.operand_count);
    times.first = cli_now() - start;
    if (status == MEGURI_OK && cli_given(&run->args, "path-index"))
        status = meguri_path_index_new(&index, run->ctx, graph, NULL);
    double begun = cli_now();
    times.index = begun - start - times.first;
    if (status == MEGURI_OK) status = cli_write_output(run, graph, index);
    times.indexed = index;
    times.write = cli_now() - begun;
    if (status == MEGURI_OK) status = cli_summary(run, graph, &times);
    meguri_path_index_free(index);
    meguri_graph_free(graph);
    return status;
}

static const char *const examples[] = {
    "meguri build roads.gr.gz --coords roads.co.gz -o roads.meg",
    "meguri build places-header.csv,places.csv roads-header.csv,roads-1.csv,roads-2.csv -o g.meg",
    "zcat edges.gz | meguri build - --undirected -o g.meg",
    NULL,
};

static const cli_option rows[] = {
    {.name = "in-rows", .kind = CLI_FLAG},
    {.name = "path-index", .kind = CLI_FLAG, .help = "keep rows backwards; prepare it for paths"},
    {0},
};
static const cli_option *const options[] = {
    cli_read_options,   cli_arrange_options, rows, cli_output_option, cli_grid_option,
    cli_common_options, cli_help_options,    NULL};

CLI_MANUAL(build);

const cli_verb cli_verb_build = {
    .name = "build",
    .operands = "INPUT…",
    .least_operands = 1,
    .most_operands = UINT32_MAX,
    .on_cluster = true,
    .lists = true,
    .summary = "read edges from files and make one graph of them",
    .manual = cli_manual_build,
    .examples = examples,
    .options = options,
    .run = run_build,
};
