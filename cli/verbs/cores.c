/* meguri cores: the core number of every vertex. */
#include "cli.h"

static meguri_status check(cli_algorithm *a, cli_run *run, const meguri_result *result) {
    if (!cli_given(&run->args, "check")) return MEGURI_OK;
    double start = cli_now();
    return cli_algorithm_checked(a, start, meguri_cores_check(run->ctx, a->graph, result, NULL));
}

static void tell_text(const cli_algorithm *a, const void *what) {
    char x[CLI_NUMBER_TEXT], y[CLI_NUMBER_TEXT];
    uint64_t innermost = cli_algorithm_fact(a, "innermost");
    (void)what;
    printf("degeneracy %s: the innermost core has %s vert%s\n", cli_thousands(x, cli_algorithm_fact(a, "degeneracy")),
           cli_thousands(y, innermost), innermost == 1 ? "ex" : "ices");
    cli_algorithm_print_edges(a);
}

static meguri_status run_cores(cli_run *run) {
    cli_algorithm a;
    meguri_result *result = NULL;
    meguri_status status = cli_algorithm_open(&a, run);
    double start = cli_now();
    if (status == MEGURI_OK) status = meguri_cores(&result, run->ctx, a.graph, NULL);
    if (status == MEGURI_OK) status = cli_algorithm_note(&a, result, cli_now() - start);
    if (status == MEGURI_OK) status = check(&a, run, result);
    if (status == MEGURI_OK) status = cli_algorithm_write(&a, result);
    cli_telling telling = {.text = tell_text, .work = "peel", .top = "core"};
    if (status == MEGURI_OK) status = cli_algorithm_tell(&a, result, &telling);
    meguri_result_free(result);
    cli_algorithm_close(&a);
    return status;
}

static const char *const examples[] = {
    "meguri cores g.meg -o cores.tsv",
    "meguri cores friends.csv --top 20 --check --json",
    NULL,
};

static const cli_option *const options[] = {cli_top_option,     cli_result_options, cli_read_options,
                                            cli_common_options, cli_help_options,   NULL};

CLI_MANUAL(cores);

const cli_verb cli_verb_cores = {
    .name = "cores",
    .operands = "GRAPH",
    .least_operands = 1,
    .most_operands = 1,
    .summary = "core number of every vertex (k-core)",
    .manual = cli_manual_cores,
    .examples = examples,
    .options = options,
    .run = run_cores,
};
