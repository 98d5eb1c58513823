/* meguri triangles: how many triangles a graph has. */
#include "cli.h"

static meguri_status check(cli_algorithm *a, cli_run *run, const meguri_result *result) {
    if (!cli_given(&run->args, "check")) return MEGURI_OK;
    double start = cli_now();
    return cli_algorithm_checked(a, start, meguri_triangles_check(run->ctx, a->graph, result, NULL));
}

static void tell_text(const cli_algorithm *a, const void *what) {
    char x[CLI_NUMBER_TEXT], y[CLI_NUMBER_TEXT];
    (void)what;
    uint64_t triangles = cli_algorithm_fact(a, "triangles"), edges = cli_algorithm_fact(a, "simple_edges");
    printf("%s triangle%s in a graph of %s edge%s\n", cli_thousands(x, triangles), triangles == 1 ? "" : "s",
           cli_thousands(y, edges), edges == 1 ? "" : "s");
}

static meguri_status run_triangles(cli_run *run) {
    cli_algorithm a;
    meguri_result *result = NULL;
    meguri_status status = cli_algorithm_open(&a, run);
    double start = cli_now();
    if (status == MEGURI_OK) status = meguri_triangles(&result, run->ctx, a.graph, NULL);
    if (status == MEGURI_OK) status = cli_algorithm_note(&a, result, cli_now() - start);
    if (status == MEGURI_OK) status = check(&a, run, result);
    cli_telling telling = {.text = tell_text, .work = "count"};
    if (status == MEGURI_OK) status = cli_algorithm_tell(&a, result, &telling);
    meguri_result_free(result);
    cli_algorithm_close(&a);
    return status;
}

static const char *const examples[] = {
    "meguri triangles g.meg",
    "meguri triangles friends.csv --check --json",
    NULL,
};

static const cli_option *const options[] = {cli_check_option, cli_read_options, cli_common_options, cli_help_options,
                                            NULL};

CLI_MANUAL(triangles);

const cli_verb cli_verb_triangles = {
    .name = "triangles",
    .operands = "GRAPH",
    .least_operands = 1,
    .most_operands = 1,
    .summary = "number of triangles",
    .manual = cli_manual_triangles,
    .examples = examples,
    .options = options,
    .run = run_triangles,
};
