/* meguri pagerank: the rank of every vertex. */
#include "cli.h"

#include <math.h>

typedef struct ranking {
    cli_algorithm base;
    meguri_pagerank_options options;
    double damping, tolerance; /* as they were used */
    double change;
    double highest; /* the largest rank, and whose it is */
    cli_id highest_id;
} ranking;

static meguri_status read_options(ranking *r, cli_run *run) {
    const cli_args *args = &run->args;
    r->damping = cli_real(args, "damping", 0.85);
    r->tolerance = cli_real(args, "tolerance", 1e-9);
    if (!(r->damping > 0 && r->damping < 1))
        return cli_fail(run, MEGURI_BAD_ARGUMENT, "--damping %s: give a number between 0 and 1.",
                        cli_text(args, "damping"));
    if (!(r->tolerance > 0) || !isfinite(r->tolerance))
        return cli_fail(run, MEGURI_BAD_ARGUMENT, "--tolerance %s: give a number above 0.",
                        cli_text(args, "tolerance"));
    r->options = (meguri_pagerank_options){.size = sizeof r->options,
                                           .tiles = 1,
                                           .damping = r->damping,
                                           .iterations = (uint32_t)cli_number(args, "iterations", 0),
                                           .engine = cli_engine(run)};
    if (!r->options.iterations) r->options.tolerance = r->tolerance;
    return MEGURI_OK;
}

static meguri_status look_at_result(ranking *r, cli_run *run, const meguri_result *result) {
    meguri_fact change = {.size = sizeof change};
    uint64_t first, count;
    meguri_status status = meguri_result_fact(&change, result, "change");
    r->change = change.real;
    if (status == MEGURI_OK)
        status = meguri_result_top(&first, &r->highest, &count, run->ctx, r->base.graph, result, "rank", 1);
    return status == MEGURI_OK && count ? cli_algorithm_id(&r->highest_id, &r->base, first) : status;
}

static meguri_status check_result(ranking *r, cli_run *run, const meguri_result *result) {
    if (!cli_given(&run->args, "check")) return MEGURI_OK;
    double start = cli_now();
    return cli_algorithm_checked(&r->base, start, meguri_pagerank_check(run->ctx, r->base.graph, result, &r->options));
}

/* ---- telling ---------------------------------------------------------------------------------------------------- */

static void tell_json(meguri_json *json, const void *what) {
    const ranking *r = what;
    meguri_json_real(json, "damping", r->damping);
    if (r->options.iterations) meguri_json_null(json, "tolerance");
    else meguri_json_real(json, "tolerance", r->tolerance);
    if (!r->base.info.vertices) return;
    cli_json_id(json, "highest", &r->highest_id);
    meguri_json_real(json, "highest_rank", r->highest);
}

static void tell_text(const cli_algorithm *a, const void *what) {
    const ranking *r = what;
    char x[MEGURI_COUNT_TEXT];
    printf("ranked %s in ", meguri_count_text(x, a->info.vertices, "vertex"));
    printf("%s, ", meguri_count_text(x, cli_algorithm_fact(a, "iterations"), "iteration"));
    printf("the last of which changed them by %.3g in all%s\n", r->change,
           !r->options.iterations && r->change > r->tolerance ? "; the tolerance is finer than rounding" : "");
    if (a->info.vertices && !cli_number(&a->run->args, "top", 1)) { /* else it is the first of the table */
        printf("the highest rank, %.6g, is that of ", r->highest);
        cli_print_id(&r->highest_id);
        putchar('\n');
    }
    cli_algorithm_print_edges(a);
}

/* ---- the verb --------------------------------------------------------------------------------------------------- */

static meguri_status rank_all(ranking *r, cli_run *run) {
    meguri_result *result = NULL;
    double start = cli_now();
    meguri_status status = meguri_pagerank(&result, run->ctx, r->base.graph, &r->options);
    if (status == MEGURI_OK) status = cli_algorithm_note(&r->base, result, cli_now() - start);
    if (status == MEGURI_OK) status = look_at_result(r, run, result);
    if (status == MEGURI_OK) status = check_result(r, run, result);
    if (status == MEGURI_OK) status = cli_algorithm_write(&r->base, result);
    cli_telling telling = {.json = tell_json, .text = tell_text, .what = r, .work = "rank", .top = "rank"};
    if (status == MEGURI_OK) status = cli_algorithm_tell(&r->base, result, &telling);
    meguri_result_free(result);
    return status;
}

static meguri_status run_pagerank(cli_run *run) {
    ranking r = {.options.size = sizeof r.options};
    meguri_status status = read_options(&r, run);
    if (status == MEGURI_OK) status = cli_algorithm_open(&r.base, run);
    if (status == MEGURI_OK) status = rank_all(&r, run);
    cli_algorithm_close(&r.base);
    return status;
}

static const char *const examples[] = {
    "meguri pagerank g.meg -o ranks.tsv",
    "meguri pagerank g.meg --iterations 20 --damping 0.9 -o ranks.npy",
    "meguri pagerank g.meg --tolerance 1e-12 --check --json",
    NULL,
};

static const cli_option rows[] = {
    {.name = "damping", .kind = CLI_REAL, .argument = "X", .standard = "0.85", .help = "the chance to follow an edge"},
    {.name = "iterations",
     .kind = CLI_NUMBER,
     .argument = "N",
     .help = "exactly so many, as LDBC counts them",
     .least = 1,
     .most = UINT32_MAX,
     .against = "tolerance"},
    {.name = "tolerance",
     .kind = CLI_REAL,
     .argument = "X",
     .standard = "1e-9",
     .help = "or until one changes less in all",
     .against = "iterations"},
    {0},
};
static const cli_option *const options[] = {rows,
                                            cli_top_option,
                                            cli_result_options,
                                            cli_grid_option,
                                            cli_device_options,
                                            cli_read_options,
                                            cli_common_options,
                                            cli_help_options,
                                            NULL};

CLI_MANUAL(pagerank);

const cli_verb cli_verb_pagerank = {
    .name = "pagerank",
    .operands = "GRAPH",
    .least_operands = 1,
    .most_operands = 1,
    .on_cluster = true,
    .on_device = true,
    .summary = "PageRank of every vertex",
    .manual = cli_manual_pagerank,
    .examples = examples,
    .options = options,
    .run = run_pagerank,
};
