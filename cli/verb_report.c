/* meguri report: a trace as a page with plots. */
#include "report.h"

#include <stdlib.h>
#include <string.h>

/* ---- what is told afterwards ------------------------------------------------------------------------------------ */

static void print_json(const report_trace *trace, const char *path, size_t bytes) {
    cli_json json = {.file = stdout};
    cli_json_open(&json, NULL, '{');
    cli_json_string(&json, "trace", trace->name);
    cli_json_number(&json, "steps", trace->sums.steps);
    cli_json_bool(&json, "cut_off", trace->cut_off);
    cli_json_open(&json, "runs", '[');
    for (int k = 0; k < trace->kind_count; k++) {
        const report_kind *kind = &trace->kinds[k];
        cli_json_open(&json, NULL, '{');
        cli_json_string(&json, "run", kind->name);
        cli_json_number(&json, "times", kind->times);
        cli_json_number(&json, "steps", kind->sums.steps);
        cli_json_number(&json, "edges", kind->sums.edges);
        cli_json_number(&json, "bytes", kind->sums.bytes);
        cli_json_real(&json, "seconds", (double)kind->sums.us / 1e6);
        cli_json_close(&json, '}');
    }
    cli_json_close(&json, ']');
    cli_json_string(&json, "file", path);
    cli_json_number(&json, "file_bytes", bytes);
    cli_json_close(&json, '}');
    putchar('\n');
}

/* A name from the trace must not steer the terminal. */
static void print_name(const char *name) {
    for (; *name; name++) putchar((unsigned char)*name < 0x20 || *name == 0x7F ? '?' : *name);
}

static void print_text(const report_trace *trace, const char *path, size_t bytes) {
    char text[CLI_NUMBER_TEXT];
    printf("%s step%s:", cli_thousands(text, trace->sums.steps), trace->sums.steps == 1 ? "" : "s");
    for (int k = 0; k < trace->kind_count; k++) {
        fputs(k ? ", " : " ", stdout);
        print_name(trace->kinds[k].name);
        if (trace->kinds[k].times > 1) printf(" %s times", cli_thousands(text, trace->kinds[k].times));
    }
    printf("\n%s → %s\n", cli_size_text(text, bytes), path);
}

/* ---- the verb --------------------------------------------------------------------------------------------------- */

static meguri_status write_page(cli_run *run, const report_trace *trace, size_t *bytes) {
    const char *path = cli_text(&run->args, "output");
    char *text = NULL;
    FILE *page = open_memstream(&text, bytes);
    bool good = page != NULL;
    if (page) {
        report_put_page(page, trace);
        good = !ferror(page);
        good &= fclose(page) == 0;
    }
    meguri_status status = good ? cli_write_whole(run, path, text, *bytes)
                                : cli_fail(run, MEGURI_NO_MEMORY, "the system has no memory for the page.");
    free(text);
    return status;
}

static meguri_status run_report(cli_run *run) {
    report_trace trace = {0};
    size_t bytes = 0;
    meguri_status status = cli_check_places(run);
    if (status != MEGURI_OK) return status;
    cli_catch_signals();
    cli_progress_start(run);
    status = report_read(&trace, run, run->args.operands[0]);
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
    NULL,
};

static const cli_option rows[] = {
    {.name = "output",
     .letter = 'o',
     .kind = CLI_FILE,
     .argument = "FILE",
     .help = "the page to write, HTML",
     .required = true},
    {.name = "json", .kind = CLI_FLAG, .help = "the summary as one JSON object"},
    {.name = "quiet", .letter = 'q', .kind = CLI_FLAG, .help = "no summary, no progress line, no warnings"},
    {0},
};
static const cli_option *const options[] = {rows, cli_help_options, NULL};

const cli_verb cli_verb_report = {
    .name = "report",
    .operands = "TRACE",
    .least_operands = 1,
    .most_operands = 1,
    .summary = "turn a trace into a page with plots",
    .manual =
        "Reads what --trace wrote (- is standard input) and writes one HTML page that needs nothing else: a summary of "
        "the runs; for searches the frontier, the edges looked at, the way chosen and the time of every step, and how "
        "searches compare; for other runs the time of each phase; and a table of the steps. A very large trace is "
        "summed up, and the page says where.",
    .examples = examples,
    .options = options,
    .run = run_report,
};
