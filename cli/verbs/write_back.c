/* meguri write-back: a result as a property of the nodes that its graph was pulled from. */
#include "database.h"

#include <stdlib.h>
#include <string.h>

#define JOURNAL ".written"
enum { MOST_COLUMNS = 64 };

/* Columns of a file that does not say what they are. */
typedef struct columns {
    char text[4096];
    const char *names[MOST_COLUMNS];
    meguri_type types[MOST_COLUMNS];
    uint32_t count;
} columns;

static bool take_type(meguri_type *out, const char *word) {
    static const meguri_type types[] = {MEGURI_TYPE_I8,  MEGURI_TYPE_I16, MEGURI_TYPE_I32,
                                        MEGURI_TYPE_U64, MEGURI_TYPE_F64, MEGURI_TYPE_VERTEX};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(word, meguri_type_name(types[i])) == 0) {
            *out = types[i];
            return true;
        }
    return false;
}

/* NAME:TYPE,… */
static meguri_status take_columns(columns *out, cli_run *run) {
    const char *text = cli_text(&run->args, "columns");
    *out = (columns){.count = 0};
    if (!text) return MEGURI_OK;
    bool fits = snprintf(out->text, sizeof out->text, "%s", text) < (int)sizeof out->text;
    for (char *word = out->text, *next; fits && word; word = next) {
        char *colon = strchr(word, ':');
        next = strchr(word, ',');
        if (next) *next++ = '\0';
        fits = out->count < MOST_COLUMNS && colon && colon > word && (!next || colon < next);
        if (!fits) break;
        *colon = '\0';
        out->names[out->count] = word;
        fits = take_type(&out->types[out->count++], colon + 1);
    }
    if (fits) return MEGURI_OK;
    return cli_fail(run, MEGURI_BAD_ARGUMENT,
                    "--columns %s: write NAME:TYPE, with commas between; a TYPE is i8, i16, i32, u64, f64 or vertex.",
                    text);
}

static void print(cli_run *run, const meguri_write_back_info *info) {
    char a[CLI_NUMBER_TEXT], b[CLI_NUMBER_TEXT], c[CLI_NUMBER_TEXT], d[CLI_NUMBER_TEXT], text[MEGURI_COUNT_TEXT];
    double seconds = info->write_seconds;
    if (!cli_given(&run->args, "json")) {
        uint64_t nodes = info->written + info->resumed;
        printf("%s of ", meguri_count_text(text, nodes, "node"));
        printf("%s %s the property ", meguri_count_text(text, info->databases, "database"),
               nodes == 1 ? "has" : "have");
        cli_print_text(cli_text(&run->args, "property"));
        putchar('\n');
        if (info->resumed) printf("%s of them had it already\n", cli_thousands(a, info->resumed));
        if (info->missing)
            printf("%s %s not there any more\n", meguri_count_text(text, info->missing, "node"),
                   info->missing == 1 ? "is" : "are");
        printf("connected in %s, written in %s (nodes at %s)\n", cli_seconds_text(b, info->connect_seconds),
               cli_seconds_text(c, seconds), cli_rate_text(d, seconds > 0 ? (double)info->written / seconds : 0));
        return;
    }
    meguri_json json = cli_json_to(stdout);
    meguri_json_open(&json, NULL, '{');
    meguri_json_number(&json, "databases", info->databases);
    meguri_json_string(&json, "property", cli_text(&run->args, "property"));
    meguri_json_number(&json, "written", info->written);
    meguri_json_number(&json, "resumed", info->resumed);
    meguri_json_number(&json, "missing", info->missing);
    meguri_json_real(&json, "connect_seconds", info->connect_seconds);
    meguri_json_real(&json, "write_seconds", seconds);
    meguri_json_close(&json, '}');
    printf("\n");
}

static meguri_status write_back(cli_run *run, const cli_database *database, const meguri_source *source,
                                const meguri_graph *graph, const meguri_result *result) {
    meguri_write_back_info info = {.size = sizeof info};
    meguri_write_back_options options = {
        .size = sizeof options, .property = cli_text(&run->args, "property"), .column = cli_text(&run->args, "column")};
    const char *file = cli_text(&run->args, "result");
    char *journal = malloc(strlen(file) + sizeof JOURNAL);
    if (!journal) return cli_fail(run, MEGURI_NO_MEMORY, "the system has no memory for a name.");
    sprintf(journal, "%s" JOURNAL, file);
    if (strcmp(file, "-") != 0) options.journal = journal;
    meguri_status status = database->write_back(&info, run->ctx, source, graph, result, &options);
    free(journal);
    if (status != MEGURI_OK || (cli_given(&run->args, "quiet") && !cli_given(&run->args, "json"))) return status;
    cli_progress_clear(run);
    print(run, &info);
    return MEGURI_OK;
}

static meguri_status run_write_back(cli_run *run) {
    const cli_args *args = &run->args;
    cli_database database;
    meguri_source *source = NULL;
    meguri_graph *graph = NULL;
    meguri_result *result = NULL;
    columns c;
    meguri_status status = take_columns(&c, run);
    if (status == MEGURI_OK) status = cli_database_load(&database, run);
    if (status != MEGURI_OK) return status;
    const meguri_result_read_options reading = {
        .size = sizeof reading, .columns = c.count, .names = c.names, .types = c.types};
    status = cli_database_source(&source, &database, run, args->operands + 1, args->operand_count - 1);
    if (status == MEGURI_OK) status = meguri_open(&graph, run->ctx, args->operands[0], NULL);
    if (status == MEGURI_OK) status = meguri_result_read(&result, run->ctx, graph, cli_text(args, "result"), &reading);
    if (status == MEGURI_OK) status = write_back(run, &database, source, graph, result);
    meguri_result_free(result);
    meguri_graph_free(graph);
    database.source_free(source);
    return status;
}

static const char *const examples[] = {
    "meguri write-back c.meg --result r.npy --property rank bolt://localhost",
    NULL,
};

static const cli_option rows[] = {
    {.name = "result", .kind = CLI_INPUT, .argument = "FILE", .help = "what a verb wrote with -o", .required = true},
    {.name = "property", .kind = CLI_STRING, .argument = "NAME", .help = "that nodes get", .required = true},
    {.name = "column", .kind = CLI_STRING, .argument = "NAME", .help = "of the result, where it has several"},
    {.name = "columns", .kind = CLI_STRING, .argument = "NAME:TYPE,…", .help = "what is in a .bin"},
    {.name = "key",
     .kind = CLI_STRING,
     .argument = "NAME",
     .help = "only nodes that still have their vertex's id there"},
    {0},
};
static const cli_option *const options[] = {rows, cli_login_options, cli_common_options, cli_help_options, NULL};

CLI_MANUAL(write_back);

const cli_verb cli_verb_write_back = {
    .name = "write-back",
    .operands = "CACHE URI…",
    .least_operands = 2,
    .most_operands = UINT32_MAX,
    .summary = "write a result to the databases that its graph was pulled from",
    .manual = cli_manual_write_back,
    .examples = examples,
    .options = options,
    .run = run_write_back,
};
