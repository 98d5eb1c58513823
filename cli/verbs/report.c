/* meguri report: a trace as a page with plots; paths, of a trace or of a GeoJSON file, on a map. */
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

/* ---- what is told afterwards ------------------------------------------------------------------------------------ */

static void print_json(const report_trace *trace, const char *path, size_t bytes) {
    meguri_json json = cli_json_to(stdout);
    meguri_json_open(&json, NULL, '{');
    meguri_json_string(&json, "trace", trace->name);
    meguri_json_number(&json, "steps", trace->sums.steps);
    meguri_json_bool(&json, "cut_off", trace->cut_off);
    meguri_json_open(&json, "runs", '[');
    for (int k = 0; k < trace->kind_count; k++) {
        const report_kind *kind = &trace->kinds[k];
        meguri_json_open(&json, NULL, '{');
        meguri_json_string(&json, "run", kind->name);
        meguri_json_number(&json, "times", kind->times);
        meguri_json_number(&json, "steps", kind->sums.steps);
        meguri_json_number(&json, "edges", kind->sums.edges);
        meguri_json_number(&json, "bytes", kind->sums.bytes);
        meguri_json_real(&json, "seconds", (double)kind->sums.us / 1e6);
        meguri_json_close(&json, '}');
    }
    meguri_json_close(&json, ']');
    if (trace->map.searched) {
        meguri_json_number(&json, "paths", trace->map.count + trace->map.left_out);
        meguri_json_number(&json, "paths_shown", trace->map.count);
        meguri_json_bool(&json, "map", trace->map.drawn);
        meguri_json_number(&json, "network_edges_shown", trace->map.edges_shown);
    }
    meguri_json_string(&json, "file", path);
    meguri_json_number(&json, "file_bytes", bytes);
    meguri_json_close(&json, '}');
    putchar('\n');
}

/* A name from the trace must not steer the terminal. */
static void print_name(const char *name) {
    for (; *name; name++) putchar((unsigned char)*name < 0x20 || *name == 0x7F ? '?' : *name);
}

static void print_text(const report_trace *trace, const char *path, size_t bytes) {
    char text[CLI_NUMBER_TEXT];
    if (trace->map.searched) {
        uint64_t paths = trace->map.count + trace->map.left_out;
        printf("%s path%s", cli_thousands(text, paths), paths == 1 ? "" : "s");
        if (trace->map.left_out) printf(", of which %zu are shown", trace->map.count);
        if (trace->map.edges_shown)
            printf(", over %s edges of the network", cli_thousands(text, trace->map.edges_shown));
        puts(trace->map.count > 0 && !trace->map.drawn ? ", without coordinates" : "");
    }
    if (trace->sums.steps > 0)
        printf("%s step%s:", cli_thousands(text, trace->sums.steps), trace->sums.steps == 1 ? "" : "s");
    for (int k = 0; k < trace->kind_count; k++) {
        fputs(k ? ", " : " ", stdout);
        print_name(trace->kinds[k].name);
        if (trace->kinds[k].times > 1) printf(" %s times", cli_thousands(text, trace->kinds[k].times));
    }
    if (trace->sums.steps > 0) putchar('\n');
    printf("%s → %s\n", cli_size_text(text, bytes), cli_output_name(path));
}

/* ---- the verb --------------------------------------------------------------------------------------------------- */

static bool names_picture(const char *path) {
    size_t length = strlen(path);
    return length > 4 && strcmp(path + length - 4, ".svg") == 0;
}

static meguri_status write_text(cli_run *run, const char *path, const char *text, size_t bytes) {
    cli_stream stream;
    meguri_status status = cli_stream_open(&stream, run, path);
    if (status != MEGURI_OK) return status;
    fwrite(text, 1, bytes, stream.file);
    return cli_stream_close(&stream, run, true);
}

/* Made in memory first: a page without its end is none. */
static meguri_status write_page(cli_run *run, const report_trace *trace, size_t *bytes) {
    const char *path = cli_text(&run->args, "output");
    char *text = NULL;
    FILE *page = open_memstream(&text, bytes);
    bool good = page != NULL;
    if (page) {
        if (names_picture(path)) report_put_picture(page, &trace->map);
        else report_put_page(page, trace);
        good = !ferror(page);
        good &= fclose(page) == 0;
    }
    meguri_status status = good ? write_text(run, path, text, *bytes)
                                : cli_fail(run, MEGURI_NO_MEMORY, "the system has no memory for the page.");
    free(text);
    return status;
}

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
    return status == MEGURI_OK ? status : cli_fail(run, status, "there is no memory to open a graph.");
}

static meguri_status make_map(report_trace *trace, cli_run *run) {
    report_map *map = &trace->map;
    const char *graph = cli_text(&run->args, "graph");
    bool picture = names_picture(cli_text(&run->args, "output"));
    if (!map->searched && !graph && !picture) return MEGURI_OK;
    if (!map->searched)
        return cli_fail(run, MEGURI_BAD_INPUT,
                        "%s has no paths for a map; give a trace of meguri path, or what its --geojson wrote%s.",
                        trace->name, graph ? ", or leave --graph out" : "");
    if (cli_given(&run->args, "metric")) map->metric = (report_metric)cli_choice(&run->args, "metric");
    report_frame(map);
    if (!graph) return MEGURI_OK;
    meguri_status status = make_context(run);
    return status == MEGURI_OK ? report_add_network(map, run, graph) : status;
}

static meguri_status read_input(report_trace *trace, cli_run *run) {
    const char *path = run->args.operands[0];
    if (strcmp(path, "-") == 0 || !report_is_geojson(path)) return report_read(trace, run, path);
    *trace = (report_trace){.name = path, .first_at = -1, .last_at = -1};
    return report_read_geojson(&trace->map, run, path);
}

static meguri_status run_report(cli_run *run) {
    report_trace trace = {0};
    size_t bytes = 0;
    meguri_status status = cli_check_files(run);
    if (status != MEGURI_OK) return status;
    cli_leave_standard_output(run);
    cli_catch_signals();
    cli_progress_start(run);
    status = read_input(&trace, run);
    if (status == MEGURI_OK) status = make_map(&trace, run);
    if (status == MEGURI_OK) status = write_page(run, &trace, &bytes);
    cli_progress_clear(run);
    if (status == MEGURI_OK) {
        const char *path = cli_text(&run->args, "output");
        bool quiet = cli_given(&run->args, "quiet");
        if (trace.cut_off && !quiet)
            fprintf(stderr, "meguri: warning: the last line of %s is cut off; the page shows the steps before it.\n",
                    trace.name);
        if (cli_given(&run->args, "json")) print_json(&trace, path, bytes);
        else if (!quiet) print_text(&trace, path, bytes);
    }
    report_free(&trace);
    return status;
}

static const char *const examples[] = {
    "meguri report trace.json -o report.html",
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
static const cli_option *const options[] = {rows, cli_help_options, NULL};

CLI_MANUAL(report);

const cli_verb cli_verb_report = {
    .name = "report",
    .operands = "TRACE|GEOJSON",
    .least_operands = 1,
    .most_operands = 1,
    .summary = "turn a trace into a page with plots, paths into a map",
    .manual = cli_manual_report,
    .examples = examples,
    .options = options,
    .run = run_report,
};
