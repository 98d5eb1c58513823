/* meguri betweenness: how many shortest paths lead through each vertex. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

typedef struct ranking {
    cli_algorithm base;
    meguri_betweenness_options options;
    cli_sources list;
    uint64_t *sources; /* vertices of the list */
} ranking;

/* `all`, or a number of sources, or a list. */
static meguri_status read_sources(ranking *r, cli_run *run) {
    const char *path = cli_text(&run->args, "source-list");
    if (path) return cli_sources_read(&r->list, run, path, MEGURI_LIST_VERTICES);
    const char *text = cli_text(&run->args, "sources");
    if (!text || strcmp(text, "all") == 0) return MEGURI_OK;
    if (!meguri_parse_count(&r->options.count, text) || !r->options.count)
        return cli_fail(run, MEGURI_BAD_ARGUMENT, "--sources %s: give a number of vertices, 1 or more, or all.", text);
    return MEGURI_OK;
}

static meguri_status find_sources(ranking *r, cli_run *run) {
    if (!cli_given(&run->args, "source-list")) return MEGURI_OK;
    meguri_status status = cli_sources_find(&r->sources, &r->list, run, r->base.graph, "source");
    r->options.sources = r->sources;
    r->options.count = r->list.count;
    return status;
}

static meguri_status check_result(ranking *r, cli_run *run, const meguri_result *result) {
    if (!cli_given(&run->args, "check")) return MEGURI_OK;
    double start = cli_now();
    return cli_algorithm_checked(&r->base, start,
                                 meguri_betweenness_check(run->ctx, r->base.graph, result, &r->options));
}

static void tell_json(meguri_json *json, const void *what) {
    const ranking *r = what;
    if (r->options.count && !r->sources) meguri_json_number(json, "seed", r->options.seed);
}

static void tell_text(const cli_algorithm *a, const void *what) {
    char x[MEGURI_COUNT_TEXT], y[MEGURI_COUNT_TEXT], z[CLI_NUMBER_TEXT];
    (void)what;
    printf("scores of %s from %s, depth %s\n", meguri_count_text(x, a->info.vertices, "vertex"),
           meguri_count_text(y, cli_algorithm_fact(a, "sources"), "source"),
           cli_thousands(z, cli_algorithm_fact(a, "depth")));
    cli_algorithm_print_edges(a);
}

static meguri_status rank_all(ranking *r, cli_run *run) {
    meguri_result *result = NULL;
    double start = cli_now();
    meguri_status status = meguri_betweenness(&result, run->ctx, r->base.graph, &r->options);
    if (status == MEGURI_OK) status = cli_algorithm_note(&r->base, result, cli_now() - start);
    if (status == MEGURI_OK) status = check_result(r, run, result);
    if (status == MEGURI_OK) status = cli_algorithm_write(&r->base, result);
    cli_telling telling = {.json = tell_json, .text = tell_text, .what = r, .top = "score"};
    if (status == MEGURI_OK) status = cli_algorithm_tell(&r->base, result, &telling);
    meguri_result_free(result);
    return status;
}

static meguri_status run_betweenness(cli_run *run) {
    ranking r = {.options = {.size = sizeof r.options, .seed = cli_number(&run->args, "seed", 1)}};
    meguri_status status = read_sources(&r, run);
    if (status == MEGURI_OK) status = cli_algorithm_open(&r.base, run);
    if (status == MEGURI_OK) status = find_sources(&r, run);
    if (status == MEGURI_OK) status = rank_all(&r, run);
    cli_algorithm_close(&r.base);
    cli_sources_free(&r.list);
    free(r.sources);
    return status;
}

static const char *const examples[] = {
    "meguri betweenness g.meg -o scores.tsv",
    "meguri betweenness g.meg --sources 100 -o scores.tsv",
    NULL,
};

static const cli_option rows[] = {
    {.name = "sources",
     .kind = CLI_STRING,
     .argument = "N|all",
     .standard = "all",
     .help = "search from N vertices, drawn at random"},
    {.name = "source-list",
     .kind = CLI_INPUT,
     .argument = "FILE",
     .help = "from these instead, one id a line",
     .against = "sources"},
    {.name = "seed",
     .kind = CLI_NUMBER,
     .argument = "N",
     .standard = "1",
     .help = "which these are",
     .least = 1,
     .most = UINT64_MAX},
    {0},
};
static const cli_option *const options[] = {
    rows, cli_top_option, cli_result_options, cli_read_options, cli_common_options, cli_help_options, NULL};

CLI_MANUAL(betweenness);

const cli_verb cli_verb_betweenness = {
    .name = "betweenness",
    .operands = "GRAPH",
    .least_operands = 1,
    .most_operands = 1,
    .summary = "betweenness centrality, exact or from sampled sources",
    .manual = cli_manual_betweenness,
    .examples = examples,
    .options = options,
    .run = run_betweenness,
};
