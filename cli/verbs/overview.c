/* meguri overview: what a graph is, at a glance: a screen for people, JSON for programs, a page with plots. */
#include "overview/overview.h"

#include <string.h>

static meguri_status measure(cli_overview *o) {
    cli_run *run = o->run;
    double start = cli_now();
    meguri_status status = cli_open_graph(&o->graph, run, run->args.operands[0]);
    if (status == MEGURI_OK) status = meguri_graph_get_info(&o->graph_info, run->ctx, o->graph);
    o->seconds.open = cli_now() - start;
    start = cli_now();
    meguri_overview_options options;
    meguri_overview_options_init(&options, sizeof options);
    options.top = (uint32_t)cli_number(&run->args, "top", options.top);
    if (status == MEGURI_OK) status = meguri_overview_new(&o->overview, run->ctx, o->graph, &options);
    if (status == MEGURI_OK) status = meguri_overview_get_info(&o->info, o->overview);
    o->seconds.measure = cli_now() - start;
    return status;
}

static meguri_status write_page(cli_overview *o) {
    if (!o->output) return MEGURI_OK;
    double start = cli_now();
    const meguri_sink sink = {.size = sizeof sink, .path = o->output};
    meguri_status status = meguri_overview_write(NULL, o->run->ctx, o->overview, cli_base_name(o->input), &sink);
    o->seconds.write = cli_now() - start;
    return status;
}

static meguri_status tell(const cli_overview *o) {
    const cli_args *args = &o->run->args;
    cli_progress_clear(o->run);
    if (cli_given(args, "json")) return cli_overview_json(o);
    return cli_given(args, "quiet") ? MEGURI_OK : cli_overview_text(o);
}

static meguri_status run_overview(cli_run *run) {
    const char *path = run->args.operands[0];
    cli_overview o = {.run = run,
                      .input = strcmp(path, "-") == 0 ? "standard input" : path,
                      .output = cli_text(&run->args, "output"),
                      .graph_info.size = sizeof o.graph_info,
                      .info.size = sizeof o.info};
    meguri_status status = measure(&o);
    if (status == MEGURI_OK) status = write_page(&o);
    if (status == MEGURI_OK) status = tell(&o);
    meguri_overview_free(o.overview);
    meguri_graph_free(o.graph);
    return status;
}

static const char *const examples[] = {
    "meguri overview edges.csv",
    "meguri overview edges.csv --undirected -o page.html",
    "zcat edges.txt.gz | meguri overview - --json",
    NULL,
};

static const cli_option rows[] = {
    {.name = "output",
     .letter = 'o',
     .kind = CLI_OUTPUT,
     .content = CLI_HTML,
     .argument = "FILE",
     .help = "a page with plots and tables: .html"},
    {.name = "top",
     .kind = CLI_NUMBER,
     .argument = "N",
     .standard = "10",
     .help = "length of the lists",
     .least = 1,
     .most = 1000},
    {0},
};
static const cli_option *const options[] = {rows, cli_read_options, cli_common_options, cli_help_options, NULL};

CLI_MANUAL(overview);

const cli_verb cli_verb_overview = {
    .name = "overview",
    .operands = "INPUT",
    .least_operands = 1,
    .most_operands = 1,
    .summary = "what a graph is, at a glance",
    .manual = cli_manual_overview,
    .examples = examples,
    .options = options,
    .run = run_overview,
};
