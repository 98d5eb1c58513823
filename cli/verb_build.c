/* meguri build: files of any format become one graph. */
#include "cli.h"

static meguri_status run_build(cli_run *run) {
    meguri_graph *graph = NULL;
    double start = cli_now();
    meguri_status status = cli_read_inputs(&graph, run);
    double read = cli_now();
    if (status == MEGURI_OK) status = cli_write_output(run, graph);
    if (status == MEGURI_OK) status = cli_summary(run, graph, "read", read - start, cli_now() - read);
    meguri_graph_free(graph);
    return status;
}

static const char *const examples[] = {
    "meguri build roads.gr.gz --coords roads.co.gz -o roads.meg",
    "zcat edges.gz | meguri build - --undirected -o g.meg",
    NULL,
};

static const cli_option *const options[] = {cli_read_options,   cli_build_options, cli_output_option,
                                            cli_common_options, cli_help_options,  NULL};

const cli_verb cli_verb_build = {
    .name = "build",
    .operands = "INPUT…",
    .least_operands = 1,
    .most_operands = UINT32_MAX,
    .summary = "read edges from files and make one graph of them",
    .manual =
        "Reads one or several files into one graph and writes it. An INPUT may be compressed by gzip, zstd or xz; - is "
        "standard input. Without --directed or --undirected the format decides: edge lists, CSV, DIMACS and LDBC are "
        "directed; PACE, METIS and symmetric Matrix Market are not. An undirected edge is stored both ways.\n"
        "Parallel edges become one (the smallest weight wins) and self-loops are dropped, unless --keep-duplicates and "
        "--keep-loops say otherwise; the summary tells how many were dropped.\n"
        "For LDBC give the .e file; the .v file beside it is read, too. Edges that exceed the memory go to a temporary "
        "file in $TMPDIR or, where that is not set, beside the output.",
    .examples = examples,
    .options = options,
    .run = run_build,
};
