/* meguri components: connected components. */
#include "cli.h"

static void tell_text(const cli_algorithm *a, const void *what) {
    char x[CLI_NUMBER_TEXT], y[CLI_NUMBER_TEXT], z[MEGURI_COUNT_TEXT];
    uint64_t components = cli_algorithm_fact(a, "components"), largest = cli_algorithm_fact(a, "largest");
    (void)what;
    printf("%s %scomponent%s, the largest has %s of %s\n", cli_thousands(x, components),
           a->info.directed ? "weak " : "", components == 1 ? "" : "s", cli_thousands(y, largest),
           meguri_count_text(z, a->info.vertices, "vertex"));
    cli_algorithm_print_edges(a);
}

static meguri_status check_result(cli_algorithm *a, cli_run *run, const meguri_result *result) {
    if (!cli_given(&run->args, "check")) return MEGURI_OK;
    double start = cli_now();
    return cli_algorithm_checked(a, start, meguri_components_check(run->ctx, a->graph, result, NULL));
}

static meguri_status run_components(cli_run *run) {
    cli_algorithm a;
    meguri_components_options given = {.size = sizeof given, .engine = cli_engine(run)};
    meguri_result *result = NULL;
    meguri_status status = cli_algorithm_open(&a, run);
    double start = cli_now();
    if (status == MEGURI_OK) status = meguri_components(&result, run->ctx, a.graph, &given);
    if (status == MEGURI_OK) status = cli_algorithm_note(&a, result, cli_now() - start);
    if (status == MEGURI_OK) status = check_result(&a, run, result);
    if (status == MEGURI_OK) status = cli_algorithm_write(&a, result);
    cli_telling telling = {.text = tell_text, .work = "connect", .top = "component", .groups = true};
    if (status == MEGURI_OK) status = cli_algorithm_tell(&a, result, &telling);
    meguri_result_free(result);
    cli_algorithm_close(&a);
    return status;
}

static const char *const examples[] = {
    "meguri components g.meg",
    "meguri components g.meg --check -o parts.tsv",
    NULL,
};

static const cli_option *const options[] = {cli_top_option,   cli_result_options, cli_grid_option,  cli_device_options,
                                            cli_read_options, cli_common_options, cli_help_options, NULL};

CLI_MANUAL(components);

const cli_verb cli_verb_components = {
    .name = "components",
    .operands = "GRAPH",
    .least_operands = 1,
    .most_operands = 1,
    .on_cluster = true,
    .on_device = true,
    .summary = "connected components",
    .manual = cli_manual_components,
    .examples = examples,
    .options = options,
    .run = run_components,
};
