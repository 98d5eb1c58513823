/* meguri communities: label propagation. */
#include "cli.h"

enum { ITERATIONS = 10 };

typedef struct propagation {
    cli_algorithm base;
    uint32_t iterations;
} propagation;

static meguri_status check_result(propagation *p, cli_run *run, const meguri_result *result) {
    const meguri_communities_options options = {.size = sizeof options, .iterations = p->iterations};
    if (!cli_given(&run->args, "check")) return MEGURI_OK;
    double start = cli_now();
    return cli_algorithm_checked(&p->base, start, meguri_communities_check(run->ctx, p->base.graph, result, &options));
}

static void tell_json(meguri_json *json, const void *what) {
    const propagation *p = what;
    meguri_json_number(json, "max_iterations", p->iterations);
}

static void tell_text(const cli_algorithm *a, const void *what) {
    char x[MEGURI_COUNT_TEXT];
    (void)what;
    printf("%s of ", meguri_count_text(x, cli_algorithm_fact(a, "labels"), "community"));
    printf("%s after ", meguri_count_text(x, a->info.vertices, "vertex"));
    printf("%s, ", meguri_count_text(x, cli_algorithm_fact(a, "iterations"), "iteration"));
    printf("%s changed in the last\n", cli_thousands(x, cli_algorithm_fact(a, "changed")));
    cli_algorithm_print_edges(a);
}

static meguri_status propagate(propagation *p, cli_run *run) {
    meguri_communities_options options = {.size = sizeof options, .iterations = p->iterations};
    meguri_result *result = NULL;
    double start = cli_now();
    meguri_status status = meguri_communities(&result, run->ctx, p->base.graph, &options);
    if (status == MEGURI_OK) status = cli_algorithm_note(&p->base, result, cli_now() - start);
    if (status == MEGURI_OK) status = check_result(p, run, result);
    if (status == MEGURI_OK) status = cli_algorithm_write(&p->base, result);
    cli_telling telling = {
        .json = tell_json, .text = tell_text, .what = p, .work = "propagate", .top = "label", .groups = true};
    if (status == MEGURI_OK) status = cli_algorithm_tell(&p->base, result, &telling);
    meguri_result_free(result);
    return status;
}

static meguri_status run_communities(cli_run *run) {
    propagation p = {.iterations = (uint32_t)cli_number(&run->args, "iterations", ITERATIONS)};
    meguri_status status = cli_algorithm_open(&p.base, run);
    if (status == MEGURI_OK) status = propagate(&p, run);
    cli_algorithm_close(&p.base);
    return status;
}

static const char *const examples[] = {
    "meguri communities g.meg -o labels.tsv",
    "meguri communities g.meg --iterations 30 --check",
    NULL,
};

static const cli_option rows[] = {
    {.name = "iterations",
     .kind = CLI_NUMBER,
     .argument = "N",
     .standard = "10",
     .help = "propagate labels N times at most",
     .least = 1,
     .most = UINT32_MAX},
    {0},
};
static const cli_option *const options[] = {
    rows, cli_top_option, cli_result_options, cli_read_options, cli_common_options, cli_help_options, NULL};

CLI_MANUAL(communities);

const cli_verb cli_verb_communities = {
    .name = "communities",
    .operands = "GRAPH",
    .least_operands = 1,
    .most_operands = 1,
    .summary = "communities by label propagation, as LDBC's CDLP",
    .manual = cli_manual_communities,
    .examples = examples,
    .options = options,
    .run = run_communities,
};
