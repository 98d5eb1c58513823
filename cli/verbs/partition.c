/* meguri partition: a graph as several databases in Neo4j's CSV import form. */
#include "cli.h"

static void tell(cli_run *run, const meguri_partition_info *info, double seconds) {
    const char *folder = cli_text(&run->args, "output");
    uint64_t parts = cli_number(&run->args, "parts", 0);
    char a[CLI_NUMBER_TEXT], text[MEGURI_COUNT_TEXT];
    cli_progress_clear(run);
    if (cli_given(&run->args, "json")) {
        meguri_json json = cli_json_to(stdout);
        meguri_json_open(&json, NULL, '{');
        meguri_json_string(&json, "folder", folder);
        meguri_json_number(&json, "parts", parts);
        meguri_json_number(&json, "edges", info->edges);
        meguri_json_number(&json, "cut_edges", info->cut_edges);
        meguri_json_number(&json, "proxies", info->proxies);
        meguri_json_number(&json, "least_vertices", info->least);
        meguri_json_number(&json, "most_vertices", info->most);
        meguri_json_real(&json, "seconds", seconds);
        meguri_json_close(&json, '}');
        printf("\n");
        return;
    }
    printf("%s of ", meguri_count_text(text, parts, "part"));
    if (info->least < info->most) printf("%s to ", cli_thousands(a, info->least));
    printf("%s → ", meguri_count_text(text, info->most, "vertex"));
    cli_print_text(folder);
    putchar('\n');
    printf("%s of %s cut, ", cli_thousands(a, info->cut_edges), meguri_count_text(text, info->edges, "edge"));
    puts(meguri_count_text(text, info->proxies, "proxy"));
    printf("%s\n", cli_seconds_text(a, seconds));
}

static meguri_status run_partition(cli_run *run) {
    meguri_graph *graph = NULL;
    meguri_partition_info info = {.size = sizeof info};
    const meguri_partition_options options = {.size = sizeof options,
                                              .parts = (uint32_t)cli_number(&run->args, "parts", 0),
                                              .cut = (meguri_cut)cli_choice(&run->args, "cut"),
                                              .seed = cli_number(&run->args, "seed", 1)};
    double start = cli_now();
    meguri_status status = cli_open_graph(&graph, run, run->args.operands[0]);
    if (status == MEGURI_OK)
        status = meguri_partition(&info, run->ctx, graph, cli_text(&run->args, "output"), &options);
    meguri_graph_free(graph);
    if (status == MEGURI_OK && (!cli_given(&run->args, "quiet") || cli_given(&run->args, "json")))
        tell(run, &info, cli_now() - start);
    return status;
}

static const char *const examples[] = {
    "meguri partition roads.meg --parts 3 -o parts",
    NULL,
};

static const cli_option rows[] = {
    {.name = "parts",
     .kind = CLI_NUMBER,
     .argument = "N",
     .help = "so many databases",
     .least = 1,
     .most = 4096,
     .required = true},
    {.name = "cut",
     .kind = CLI_CHOICE,
     .standard = "locality",
     .help = "few edges between parts, or by chance",
     .choices = "locality|random"},
    {.name = "seed", .kind = CLI_NUMBER, .argument = "N", .standard = "1", .help = "of a random cut"},
    {.name = "output",
     .letter = 'o',
     .kind = CLI_STRING,
     .argument = "DIR",
     .help = "the folder to write; empty or new",
     .required = true},
    {0},
};
static const cli_option *const options[] = {rows, cli_read_options, cli_common_options, cli_help_options, NULL};

CLI_MANUAL(partition);

const cli_verb cli_verb_partition = {
    .name = "partition",
    .operands = "GRAPH",
    .least_operands = 1,
    .most_operands = 1,
    .summary = "write a graph as several databases that Neo4j imports",
    .manual = cli_manual_partition,
    .examples = examples,
    .options = options,
    .run = run_partition,
};
