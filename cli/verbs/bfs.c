/* meguri bfs: breadth-first search from one vertex, or from many at once. */
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One run of the verb: either one source with a policy, or a list of them. */
typedef struct search {
    cli_algorithm base;
    cli_starts starts;
    uint32_t max_depth;             /* as the library's options have it */
    meguri_result *one;             /* of one source */
    meguri_bfs_many_search *passes; /* over many, with the result of the last */
} search;

/* ---- before the work -------------------------------------------------------------------------------------------- */

static meguri_status check_policy_options(cli_run *run, bool many) {
    static const char *const names[] = {"policy", "alpha", "beta"};
    enum { P1 = 1 };
    const cli_args *args = &run->args;
    for (size_t i = 0; i < 3; i++) {
        if (!cli_given(args, names[i])) continue;
        if (many)
            return cli_fail(run, MEGURI_BAD_ARGUMENT,
                            "--%s is for one --source; a pass over many chooses by itself, so leave it out.", names[i]);
        if (i == 0) continue;
        if (cli_choice(args, "policy") != P1)
            return cli_fail(run, MEGURI_BAD_ARGUMENT, "--%s is a number of the rule p1; give --policy p1 with it.",
                            names[i]);
        if (!(cli_real(args, names[i], 1) > 0))
            return cli_fail(run, MEGURI_BAD_ARGUMENT, "--%s %s: give a number above 0.", names[i],
                            cli_text(args, names[i]));
    }
    return MEGURI_OK;
}

static meguri_status check_list(const search *s, cli_run *run) {
    const cli_sources *list = &s->starts.list;
    if (cli_given(&run->args, "sources") && cli_given(&run->args, "split"))
        return cli_fail(run, MEGURI_BAD_ARGUMENT,
                        "--split is for one --source: a pass over many has its levels alone.");
    if (list->count <= MEGURI_BFS_MANY || !cli_text(&run->args, "output")) return MEGURI_OK;
    return cli_fail(
        run, MEGURI_BAD_ARGUMENT,
        "%s has %zu ids, and a file of results has columns for at most %d; split the list, or leave -o out.",
        list->path, list->count, MEGURI_BFS_MANY);
}

/* ---- searching -------------------------------------------------------------------------------------------------- */

static meguri_status search_one(meguri_result **out, search *s, cli_run *run) {
    const cli_args *args = &run->args;
    uint32_t host, device;
    meguri_status status = cli_read_split(run, &host, &device);
    if (status != MEGURI_OK) return status;
    meguri_bfs_options options = {
        .size = sizeof options,
        .parents = 1,
        .policy = (meguri_bfs_policy)cli_choice(args, "policy"),
        .alpha = cli_real(args, "alpha", 10),
        .beta = cli_real(args, "beta", 14),
        .max_depth = s->max_depth,
        .levels = cli_text(args, "output") || cli_given(args, "check"), /* else they are not shown */
        .engine = cli_engine(run),
        .exchange = (meguri_exchange)cli_choice(args, "exchange"),
        .split_host = host,
        .split_device = device,
    };
    return meguri_bfs(out, run->ctx, s->base.graph, s->starts.vertices[0], &options);
}

static meguri_status search_many(const meguri_result **out, search *s, cli_run *run, size_t first, uint32_t count) {
    meguri_bfs_many_options options = {.size = sizeof options,
                                       .max_depth = s->max_depth,
                                       .parents = cli_given(&run->args, "parents"),
                                       .engine = cli_engine(run)};
    meguri_status status =
        s->passes ? MEGURI_OK : meguri_bfs_many_search_new(&s->passes, run->ctx, s->base.graph, &options);
    if (status != MEGURI_OK) return status;
    return meguri_bfs_many_search_run(out, run->ctx, s->passes, s->starts.vertices + first, count);
}

/* ---- checking --------------------------------------------------------------------------------------------------- */

static meguri_status check_one(void *user, uint64_t index, const meguri_result *result) {
    search *s = user;
    const meguri_bfs_options options = {.size = sizeof options, .levels = 1, .parents = 1, .max_depth = s->max_depth};
    (void)index;
    return meguri_bfs_check(s->base.run->ctx, s->base.graph, result, &options);
}

static meguri_status check_result(search *s, cli_run *run, const meguri_result *result) {
    if (!cli_given(&run->args, "check")) return MEGURI_OK;
    double start = cli_now();
    meguri_status status =
        s->starts.many ? meguri_bfs_many_search_each(run->ctx, s->passes, check_one, s) : check_one(s, 0, result);
    return cli_algorithm_checked(&s->base, start, status);
}

/* ---- telling ---------------------------------------------------------------------------------------------------- */

static void tell_json(meguri_json *json, const void *what) {
    const search *s = what;
    const cli_args *args = &s->base.run->args;
    if (!s->starts.many) {
        const char *policy = cli_text(args, "policy");
        cli_json_id(json, "source", &s->starts.first);
        meguri_json_string(json, "policy", policy ? policy : "auto");
    } else if (s->starts.count <= MEGURI_BFS_MANY) {
        meguri_json_open(json, "source_ids", '[');
        for (size_t i = 0; i < s->starts.count; i++) {
            cli_id id;
            if (cli_get_id(&id, s->base.run, s->base.graph, s->base.info.id_kind, s->starts.vertices[i]) == MEGURI_OK)
                cli_json_id(json, NULL, &id);
        }
        meguri_json_close(json, ']');
    }
    if (s->max_depth < UINT32_MAX) meguri_json_number(json, "max_depth", s->max_depth);
    else meguri_json_null(json, "max_depth");
}

static void tell_text(const cli_algorithm *a, const void *what) {
    const search *s = what;
    char x[CLI_NUMBER_TEXT], y[MEGURI_COUNT_TEXT];
    uint64_t reached = cli_algorithm_fact(a, "reached");
    uint64_t mean = s->starts.count ? reached / s->starts.count : 0;
    printf("reached %s of %s ", cli_thousands(x, mean), meguri_count_text(y, a->info.vertices, "vertex"));
    if (s->starts.many)
        printf("%sfrom %s", s->starts.count == 1 ? "" : "on average ", meguri_count_text(y, s->starts.count, "source"));
    else {
        printf("from ");
        cli_print_id(&s->starts.first);
    }
    printf(", depth %s\n", cli_thousands(x, cli_algorithm_fact(a, "depth")));
    cli_algorithm_print_edges(a);
}

/* ---- the verb --------------------------------------------------------------------------------------------------- */

/* Lists of more sources than one pass takes go in several. */
static meguri_status search_all(search *s, cli_run *run) {
    const meguri_result *result = NULL;
    meguri_status status = MEGURI_OK;
    for (size_t first = 0; first < s->starts.count && status == MEGURI_OK; first += MEGURI_BFS_MANY) {
        size_t left = s->starts.count - first;
        uint32_t count = left < MEGURI_BFS_MANY ? (uint32_t)left : MEGURI_BFS_MANY;
        double start = cli_now();
        status = s->starts.many ? search_many(&result, s, run, first, count) : search_one(&s->one, s, run);
        if (!s->starts.many) result = s->one;
        if (status == MEGURI_OK) status = cli_algorithm_note(&s->base, result, cli_now() - start);
        if (status == MEGURI_OK) status = check_result(s, run, result);
    }
    if (status == MEGURI_OK) status = cli_algorithm_write(&s->base, result);
    if (status == MEGURI_OK && s->max_depth == UINT32_MAX) cli_look_for_unreached(&s->base, &s->starts);
    cli_telling telling = {.json = tell_json, .text = tell_text, .what = s, .work = "search"};
    return status == MEGURI_OK ? cli_algorithm_tell(&s->base, result, &telling) : status;
}

static meguri_status run_bfs(cli_run *run) {
    const cli_args *args = &run->args;
    search s = {0};
    s.max_depth = (uint32_t)cli_number(args, "max-depth", UINT32_MAX);
    uint32_t host, device;
    meguri_status status = check_policy_options(run, cli_given(args, "sources"));
    if (status == MEGURI_OK) status = cli_read_split(run, &host, &device);
    if (status == MEGURI_OK) status = cli_starts_read(&s.starts, run);
    if (status == MEGURI_OK) status = check_list(&s, run);
    if (status == MEGURI_OK) status = cli_algorithm_open(&s.base, run);
    if (status == MEGURI_OK) status = cli_starts_find(&s.starts, &s.base);
    if (status == MEGURI_OK) status = search_all(&s, run);
    meguri_result_free(s.one);
    meguri_bfs_many_search_free(s.passes);
    cli_algorithm_close(&s.base);
    cli_starts_free(&s.starts);
    return status;
}

static const char *const examples[] = {
    "meguri bfs g.meg --source 1 -o levels.tsv",
    "meguri bfs g.meg --sources ids.txt --max-depth 3 -o levels.npy",
    "meguri bfs g.meg --source 1 --policy p1 --check --trace steps.json",
    NULL,
};

static const cli_option rows[] = {
    {.name = "source",
     .kind = CLI_STRING,
     .argument = "ID",
     .help = "the vertex to start from",
     .required = true,
     .instead = "sources"},
    {.name = "sources",
     .kind = CLI_INPUT,
     .argument = "FILE",
     .help = "many instead, one id a line, 64 in a pass",
     .against = "source"},
    {.name = "parents", .kind = CLI_FLAG, .help = "with --sources: columns of parents, too"},
    {.name = "max-depth",
     .kind = CLI_NUMBER,
     .argument = "N",
     .standard = "no limit",
     .help = "take N steps at most",
     .most = UINT32_MAX - 1},
    {.name = "policy",
     .kind = CLI_CHOICE,
     .standard = "auto",
     .help = "how each step is done",
     .choices = "auto|p1|push|pull"},
    {.name = "alpha", .kind = CLI_REAL, .argument = "X"},
    {.name = "beta", .kind = CLI_REAL, .argument = "X", .standard = "10, 14", .help = "of the rule p1"},
    {0},
};
static const cli_option *const options[] = {rows,
                                            cli_split_option,
                                            cli_result_options,
                                            cli_device_options,
                                            cli_grid_option,
                                            cli_exchange_option,
                                            cli_read_options,
                                            cli_common_options,
                                            cli_help_options,
                                            NULL};

CLI_MANUAL(bfs);

const cli_verb cli_verb_bfs = {
    .name = "bfs",
    .operands = "GRAPH",
    .least_operands = 1,
    .most_operands = 1,
    .on_cluster = true,
    .on_device = true,
    .on_devices = true,
    .summary = "breadth-first search: levels and parents from a vertex",
    .manual = cli_manual_bfs,
    .examples = examples,
    .options = options,
    .run = run_bfs,
};
