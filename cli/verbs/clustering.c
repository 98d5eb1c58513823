/* meguri clustering: the local clustering coefficient of every vertex. */
#include "cli.h"

#include <string.h>

static meguri_status check(cli_algorithm *a, cli_run *run, const meguri_result *result) {
    if (!cli_given(&run->args, "check")) return MEGURI_OK;
    double start = cli_now();
    return cli_algorithm_checked(a, start, meguri_clustering_check(run->ctx, a->graph, result, NULL));
}

static void tell_text(const cli_algorithm *a, const void *what) {
    char x[CLI_NUMBER_TEXT];
    (void)what;
    for (uint32_t i = 0; i < a->fact_count; i++)
        if (strcmp(a->facts[i].name, "mean") == 0)
            printf("mean coefficient %.6f of %s vert%s\n", a->facts[i].real, cli_thousands(x, a->info.vertices),
                   a->info.vertices == 1 ? "ex" : "ices");
}

static meguri_status run_clustering(cli_run *run) {
    cli_algorithm a;
    meguri_result *result = NULL;
    meguri_status status = cli_algorithm_open(&a, run);
    double start = cli_now();
    if (status == MEGURI_OK) status = meguri_clustering(&result, run->ctx, a.graph, NULL);
    if (status == MEGURI_OK) status = cli_algorithm_note(&a, result, cli_now() - start);
    if (status == MEGURI_OK) status = check(&a, run, result);
    if (status == MEGURI_OK) status = cli_algorithm_write(&a, result);
    cli_telling telling = {.text = tell_text, .work = "count", .top = "coefficient"};
    if (status == MEGURI_OK) status = cli_algorithm_tell(&a, result, &telling);
    meguri_result_free(result);
    cli_algorithm_close(&a);
    return status;
}

static const char *const examples[] = {
    "meguri clustering g.meg -o coefficients.tsv",
    "meguri clustering friends.csv --check --json",
    NULL,
};

static const cli_option *const options[] = {cli_top_option,     cli_result_options, cli_read_options,
                                            cli_common_options, cli_help_options,   NULL};

CLI_MANUAL(clustering);

const cli_verb cli_verb_clustering = {
    .name = "clustering",
    .operands = "GRAPH",
    .least_operands = 1,
    .most_operands = 1,
    .summary = "local clustering coefficient of every vertex, as LDBC's LCC",
    .manual = cli_manual_clustering,
    .examples = examples,
    .options = options,
    .run = run_clustering,
};
