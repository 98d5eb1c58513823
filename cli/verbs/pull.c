/* meguri pull: a cache of one or many graph databases. */
#include "database.h"

#include <string.h>

static meguri_status check(cli_run *run) {
    const char *output = cli_text(&run->args, "output");
    bool device = cli_given(&run->args, "device") || cli_given(&run->args, "device-memory");
    if (device && !cli_given(&run->args, "estimate"))
        return cli_fail(run, MEGURI_BAD_ARGUMENT, "a device is only estimated for here; say --estimate with it.");
    if (!output)
        return cli_given(&run->args, "estimate")
                   ? MEGURI_OK
                   : cli_fail(run, MEGURI_BAD_ARGUMENT, "-o is missing: name the .meg file to write.");
    if (!cli_names_meg(output))
        return cli_fail(run, MEGURI_BAD_ARGUMENT, "%s: a cache is a .meg file; let the name end in .meg.", output);
    if (cli_given(&run->args, "refresh") && !cli_is_meg(output))
        return cli_fail(run, MEGURI_BAD_INPUT, "%s is no cache that could be refreshed; leave --refresh out.", output);
    return MEGURI_OK;
}

static void print_json(const meguri_pull_info *info, const char *output) {
    meguri_json json = cli_json_to(stdout);
    meguri_json_open(&json, NULL, '{');
    meguri_json_number(&json, "databases", info->databases);
    meguri_json_number(&json, "vertices", info->nodes);
    meguri_json_number(&json, "edges", info->relationships);
    if (!output) {
        meguri_json_number(&json, "estimated_file_bytes", info->estimated_file);
        meguri_json_number(&json, "estimated_memory", info->estimated_memory);
        if (info->device_memory) {
            meguri_json_number(&json, "device_memory", info->device_memory);
            meguri_json_number(&json, "device_whole", info->device_whole);
            meguri_json_number(&json, "device_parts", info->device_parts);
        }
    } else {
        meguri_json_number(&json, "generation", info->generation);
        meguri_json_number(&json, "proxies", info->proxies);
        meguri_json_number(&json, "outside", info->outside);
        meguri_json_number(&json, "resumed", info->resumed);
        meguri_json_number(&json, "received_bytes", info->received);
        meguri_json_real(&json, "connect_seconds", info->connect_seconds);
        meguri_json_real(&json, "node_seconds", info->node_seconds);
        meguri_json_real(&json, "relationship_seconds", info->relationship_seconds);
        meguri_json_real(&json, "build_seconds", info->build_seconds);
        meguri_json_real(&json, "write_seconds", info->save_seconds);
        cli_json_written(&json, output);
    }
    meguri_json_close(&json, '}');
    printf("\n");
}

static void print_device(const meguri_pull_info *info) {
    char a[CLI_NUMBER_TEXT], b[CLI_NUMBER_TEXT], c[CLI_NUMBER_TEXT];
    const char *needed = cli_size_text(a, info->device_whole), *has = cli_size_text(b, info->device_memory);
    if (!info->device_memory)
        printf("no device here; --device-memory SIZE tells in how many parts one of that size has it\n");
    else if (info->device_parts == 1)
        printf("shortest paths need %s on a device, which has %s: it fits\n", needed, has);
    else if (info->device_parts)
        printf("shortest paths need %s on a device, which has %s: it comes in %s parts\n", needed, has,
               cli_thousands(c, info->device_parts));
    else printf("a device with %s is too small even for parts of it\n", has);
}

static void print_text(const meguri_pull_info *info, const char *output) {
    char a[CLI_NUMBER_TEXT], b[CLI_NUMBER_TEXT], c[CLI_NUMBER_TEXT], d[CLI_NUMBER_TEXT], text[MEGURI_COUNT_TEXT];
    printf("%s, ", meguri_count_text(text, info->nodes, "vertex"));
    printf("%s of ", meguri_count_text(text, info->relationships, "edge"));
    fputs(meguri_count_text(text, info->databases, "database"), stdout);
    if (!output) {
        printf("\na cache of about %s, and %s of memory while it is made\n", cli_size_text(a, info->estimated_file),
               cli_size_text(b, info->estimated_memory));
        print_device(info);
        return;
    }
    cli_print_written(output);
    printf("\n");
    if (info->generation > 1) printf("generation %s of the cache\n", cli_thousands(a, info->generation));
    if (info->proxies) printf("%s joined\n", meguri_count_text(text, info->proxies, "proxy"));
    double seconds = info->relationship_seconds;
    uint64_t fresh = info->relationships + info->outside - info->resumed;
    printf("pulled in %s (relationships at %s, %s received), built in %s\n",
           cli_seconds_text(a, info->connect_seconds + info->node_seconds + seconds),
           cli_rate_text(b, seconds > 0 ? (double)fresh / seconds : 0), cli_size_text(c, info->received),
           cli_seconds_text(d, info->build_seconds + info->save_seconds));
}

static meguri_status run_pull(cli_run *run) {
    const cli_args *args = &run->args;
    const char *output = cli_given(args, "estimate") ? NULL : cli_text(args, "output");
    cli_database database;
    meguri_source *source = NULL;
    meguri_pull_info info = {.size = sizeof info};
    const meguri_pull_options options = {.size = sizeof options, .refresh = cli_given(args, "refresh")};
    meguri_status status = check(run);
    if (status == MEGURI_OK) status = cli_database_load(&database, run);
    if (status != MEGURI_OK) return status;
    status = cli_database_source(&source, &database, run, args->operands, args->operand_count);
    if (status == MEGURI_OK)
        status = output ? database.pull(&info, run->ctx, source, output, &options)
                        : database.pull_estimate(&info, run->ctx, source);
    database.source_free(source);
    if (status != MEGURI_OK || (cli_given(args, "quiet") && !cli_given(args, "json"))) return status;
    cli_progress_clear(run);
    if (cli_given(args, "json")) print_json(&info, output);
    else print_text(&info, output);
    return MEGURI_OK;
}

static const char *const examples[] = {
    "meguri pull neo4j://localhost/roads --weight km -o roads.meg",
    "meguri pull parts.json --refresh -o cache.meg",
    NULL,
};

static const cli_option rows[] = {
    {.name = "output",
     .letter = 'o',
     .kind = CLI_OUTPUT,
     .content = CLI_GRAPH,
     .argument = "FILE",
     .help = "the .meg file to write"},
    {.name = "refresh", .kind = CLI_FLAG},
    {.name = "estimate", .kind = CLI_FLAG, .help = "FILE is there already; only count"},
    {.name = "key", .kind = CLI_STRING, .argument = "NAME"},
    {.name = "proxy",
     .kind = CLI_STRING,
     .argument = "LABEL",
     .help = "property that is the id; who stands for others"},
    {.name = "labels", .kind = CLI_STRING, .argument = "A,B"},
    {.name = "types", .kind = CLI_STRING, .argument = "A,B", .help = "only such nodes; relationships"},
    {.name = "where", .kind = CLI_STRING, .argument = "NAME=VALUE", .help = "only nodes that have it", .again = true},
    {.name = "weight", .kind = CLI_STRING, .argument = "NAME"},
    {.name = "default-weight", .kind = CLI_REAL, .argument = "X", .help = "property that weighs; where it is missing"},
    {.name = "x", .kind = CLI_STRING, .argument = "NAME"},
    {.name = "y", .kind = CLI_STRING, .argument = "NAME"},
    {.name = "point", .kind = CLI_STRING, .argument = "NAME", .help = "coordinates: two properties, or a point"},
    {.name = "undirected", .kind = CLI_FLAG, .help = "relationships count both ways"},
    {0},
};
static const cli_option *const options[] = {
    rows, cli_login_options, cli_device_options, cli_common_options, cli_help_options, NULL};

CLI_MANUAL(pull);

const cli_verb cli_verb_pull = {
    .name = "pull",
    .operands = "URI…|CONFIG",
    .least_operands = 1,
    .most_operands = UINT32_MAX,
    .summary = "cache graph databases in one .meg file",
    .manual = cli_manual_pull,
    .examples = examples,
    .options = options,
    .run = run_pull,
};
