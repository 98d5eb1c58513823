/* meguri report: a trace as a page with plots; paths, of a trace or of a GeoJSON file, on a map. */
#include "cli.h"

#include <string.h>

/* ---- what is told afterwards ------------------------------------------------------------------------------------ */

static void print_json(const meguri_report *report, const char *input, const char *path, uint64_t bytes) {
    meguri_report_info info = {.size = sizeof info};
    meguri_report_get_info(&info, report);
    meguri_json json = cli_json_to(stdout);
    meguri_json_open(&json, NULL, '{');
    meguri_json_string(&json, "trace", input);
    meguri_json_number(&json, "steps", info.steps);
    meguri_json_bool(&json, "cut_off", info.cut_off);
    meguri_json_open(&json, "runs", '[');
    meguri_report_run run = {.size = sizeof run};
    for (uint32_t k = 0; meguri_report_run_at(&run, report, k) == MEGURI_OK; k++) {
        meguri_json_open(&json, NULL, '{');
        meguri_json_string(&json, "run", run.name);
        if (run.trace) meguri_json_string(&json, "trace", run.trace);
        meguri_json_number(&json, "times", run.times);
        meguri_json_number(&json, "steps", run.steps);
        meguri_json_number(&json, "edges", run.edges);
        meguri_json_number(&json, "bytes", run.bytes);
        meguri_json_real(&json, "seconds", run.seconds);
        meguri_json_close(&json, '}');
    }
    meguri_json_close(&json, ']');
    if (info.has_paths) {
        meguri_json_number(&json, "paths", info.paths);
        meguri_json_number(&json, "paths_shown", info.paths_shown);
        meguri_json_bool(&json, "map", info.has_map);
        meguri_json_number(&json, "network_edges_shown", info.edges_shown);
    }
    meguri_json_string(&json, "file", path);
    meguri_json_number(&json, "file_bytes", bytes);
    meguri_json_close(&json, '}');
    putchar('\n');
}

static void print_text(const meguri_report *report, const char *path, uint64_t bytes) {
    char text[MEGURI_COUNT_TEXT];
    meguri_report_info info = {.size = sizeof info};
    meguri_report_get_info(&info, report);
    if (info.has_paths) {
        fputs(meguri_count_text(text, info.paths, "path"), stdout);
        if (info.paths_shown < info.paths) printf(", of which %s are shown", cli_thousands(text, info.paths_shown));
        if (info.edges_shown) printf(", over %s of the network", meguri_count_text(text, info.edges_shown, "edge"));
        puts(info.paths_shown > 0 && !info.has_map ? ", without coordinates" : "");
    }
    if (info.steps > 0) printf("%s step%s:", cli_thousands(text, info.steps), info.steps == 1 ? "" : "s");
    meguri_report_run run = {.size = sizeof run};
    for (uint32_t k = 0; meguri_report_run_at(&run, report, k) == MEGURI_OK; k++) {
        fputs(k ? ", " : " ", stdout);
        cli_print_text(run.name);
        if (run.trace) fputs(" of ", stdout);
        if (run.trace) cli_print_text(run.trace);
        if (run.times > 1) printf(" %s times", cli_thousands(text, run.times));
    }
    if (info.steps > 0) putchar('\n');
    printf("%s → ", cli_size_text(text, bytes));
    cli_print_text(cli_output_name(path));
    putchar('\n');
}

/* ---- the verb --------------------------------------------------------------------------------------------------- */

/* One thread, so that the same paths make the same picture: which of several shortest paths is found depends on the
 * number of threads. */
static meguri_status make_context(cli_run *run) {
    meguri_ctx_options options = {
        .size = sizeof options,
        .threads = 1,
        .progress = cli_on_progress,
        .progress_user = run,
        .log = cli_on_log,
        .log_user = run,
        .log_level = cli_given(&run->args, "quiet") ? MEGURI_LOG_SILENT : MEGURI_LOG_WARNING,
    };
    meguri_status status = meguri_ctx_new(&run->ctx, &options);
    return status == MEGURI_OK ? status : cli_fail(run, status, "there is no memory for a report.");
}

/* The library does not know the options that it is about. */
static meguri_status needs_paths(cli_run *run, const char *input) {
    return cli_fail(run, MEGURI_BAD_INPUT,
                    "%s has no paths for a map; give a trace of meguri path, or what its --geojson wrote%s.", input,
                    cli_given(&run->args, "graph") ? ", or leave --graph out" : "");
}

static meguri_status add_graph(meguri_report *report, cli_run *run) {
    meguri_graph *graph;
    meguri_status status = cli_open_graph(&graph, run, cli_text(&run->args, "graph"));
    if (status != MEGURI_OK) return status;
    status = meguri_report_add_graph(run->ctx, report, graph);
    meguri_graph_free(graph);
    return status;
}

static meguri_status make_report(meguri_report **out, uint64_t *bytes, cli_run *run, const char *input) {
    const cli_args *args = &run->args;
    meguri_report_info info = {.size = sizeof info};
    meguri_report_options options = {.size = sizeof options,
                                     .metric = (meguri_path_metric)cli_choice(args, "metric"),
                                     .more = (const char *const *)args->operands + 1,
                                     .more_count = (size_t)args->operand_count - 1};
    const meguri_sink sink = {.size = sizeof sink, .path = cli_text(args, "output")};
    meguri_status status = meguri_report_read(out, run->ctx, args->operands[0], &options);
    if (status != MEGURI_OK) return status;
    meguri_report_get_info(&info, *out);
    if (cli_given(args, "graph")) status = info.has_paths ? add_graph(*out, run) : needs_paths(run, input);
    if (status == MEGURI_OK) status = meguri_report_write(bytes, run->ctx, *out, &sink);
    return status == MEGURI_BAD_INPUT && !info.has_paths ? needs_paths(run, input) : status;
}

static meguri_status run_report(cli_run *run) {
    meguri_report *report = NULL;
    meguri_report_info info = {.size = sizeof info};
    uint64_t bytes = 0;
    const char *input = run->args.operands[0], *path = cli_text(&run->args, "output");
    bool quiet = cli_given(&run->args, "quiet");
    if (strcmp(input, "-") == 0) input = "standard input";
    meguri_status status = make_context(run);
    if (status == MEGURI_OK) status = cli_check_files(run);
    if (status != MEGURI_OK) return status;
    cli_leave_standard_output(run);
    cli_catch_signals();
    cli_progress_start(run);
    status = make_report(&report, &bytes, run, input);
    cli_progress_clear(run);
    if (status == MEGURI_OK) {
        meguri_report_get_info(&info, report);
        if (info.cut_off && !quiet) {
            char text[CLI_ERROR_TEXT];
            fprintf(stderr, "meguri: warning: the last line of %s is cut off; the page shows the steps before it.\n",
                    meguri_escape_string(text, sizeof text, input));
        }
        if (cli_given(&run->args, "json")) print_json(report, input, path, bytes);
        else if (!quiet) print_text(report, path, bytes);
    }
    meguri_report_free(report);
    return status;
}

static const char *const examples[] = {
    "meguri report trace.json -o report.html",
    "meguri report all.json selected.json adaptive.json -o strategies.html",
    "meguri report - -o report.html --json < trace.json",
    "meguri report trace.json --graph roads.meg -o report.html",
    "meguri report ways.geojson --graph roads.meg -o map.svg",
    NULL,
};

static const cli_option rows[] = {
    {.name = "output",
     .letter = 'o',
     .kind = CLI_OUTPUT,
     .content = CLI_PAGE,
     .argument = "FILE",
     .help = "the page to write, HTML; .svg: the map alone",
     .required = true},
    {.name = "graph", .kind = CLI_INPUT, .argument = "FILE", .help = "the network behind paths on the map"},
    {.name = "metric",
     .kind = CLI_CHOICE,
     .argument = "NAME",
     .standard = "auto",
     .help = "coordinates: planar, great-circle (degrees)",
     .choices = "auto|planar|great-circle"},
    {.name = "json", .kind = CLI_FLAG, .help = "the summary as one JSON object"},
    {.name = "quiet", .letter = 'q', .kind = CLI_FLAG, .help = "no summary, no progress line, no warnings"},
    {0},
};
static const cli_option *const options[] = {rows, cli_read_options, cli_help_options, NULL};

CLI_MANUAL(report);

const cli_verb cli_verb_report = {
    .name = "report",
    .operands = "TRACE…|GEOJSON",
    .least_operands = 1,
    .most_operands = UINT32_MAX,
    .summary = "turn a trace into a page with plots, paths into a map",
    .manual = cli_manual_report,
    .examples = examples,
    .options = options,
    .run = run_report,
};
