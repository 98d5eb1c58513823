/* meguri sssp: shortest paths along weighted edges, from one vertex or from many. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LISTED 64 /* sources that JSON lists; more are only counted */

/* The columns of every result, and of a table of many. */
enum { COLUMNS = 2 };
static const char *const column_names[COLUMNS] = {"distance", "parent"};

/* One run of the verb: one source, or a list of them. */
typedef struct routes {
    cli_algorithm base;
    meguri_sssp_options options;
    meguri_type types[COLUMNS];
    cli_starts starts;
    cli_sources target_list; /* --targets */
    uint64_t *targets;
    meguri_table *table;
    /* What takes the results of many has a context of its own, because that of the run is at work meanwhile. */
    meguri_ctx *taker;
    meguri_result_stream *stream;
    struct {
        double sum, least, most;
    } search; /* seconds of the single searches */
} routes;

/* ---- before the work -------------------------------------------------------------------------------------------- */

/* What is about a device, and about one of its strategies. */
static meguri_status check_strategy(const routes *r, cli_run *run) {
    static const char *const names[] = {"strategy", "all-above", "selected-below"};
    const cli_args *args = &run->args;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!cli_given(args, names[i])) continue;
        if (r->options.engine != MEGURI_ENGINE_DEVICE)
            return cli_fail(run, MEGURI_BAD_ARGUMENT, "--%s is about the engine device; say --engine device with it.",
                            names[i]);
        if (i == 0) continue;
        if (r->options.strategy != MEGURI_SSSP_ADAPTIVE)
            return cli_fail(run, MEGURI_BAD_ARGUMENT, "--%s is about --strategy adaptive.", names[i]);
        if (!(cli_real(args, names[i], 0) > 0) || isinf(cli_real(args, names[i], 0)))
            return cli_fail(run, MEGURI_BAD_ARGUMENT, "--%s %s: give a number of microseconds above 0.", names[i],
                            cli_text(args, names[i]));
    }
    if (r->options.delta > 0 && r->options.strategy && r->options.strategy != MEGURI_SSSP_NEAR_FAR)
        return cli_fail(run, MEGURI_BAD_ARGUMENT, "--delta is for buckets, and --strategy %s has none; leave it out.",
                        cli_text(args, "strategy"));
    return MEGURI_OK;
}

static meguri_status read_targets(routes *r, cli_run *run) {
    const char *path = cli_text(&run->args, "targets");
    if (!path) return MEGURI_OK;
    if (run->cluster)
        return cli_fail(run, MEGURI_BAD_ARGUMENT,
                        "--targets is for one machine; say --engine host, or leave it out and write all distances.");
    return cli_sources_read(&r->target_list, run, path, MEGURI_LIST_VERTICES);
}

static meguri_status read_options(routes *r, cli_run *run) {
    const cli_args *args = &run->args;
    double delta = cli_real(args, "delta", 0);
    uint32_t host, device;
    meguri_status status = cli_read_split(run, &host, &device);
    if (status != MEGURI_OK) return status;
    if (host)
        return cli_fail(run, MEGURI_BAD_ARGUMENT,
                        "--split %s: rounds of sssp are not shared; say 0:1, by which the device does all of them, or "
                        "auto, by which the host does the smallest.",
                        cli_text(args, "split"));
    if (cli_given(args, "delta") && (!(delta > 0) || isinf(delta)))
        return cli_fail(run, MEGURI_BAD_ARGUMENT, "--delta %s: give a number above 0, or leave it out.",
                        cli_text(args, "delta"));
    r->options = (meguri_sssp_options){
        .size = sizeof r->options,
        .delta = delta,
        .parents = cli_text(args, "output") || cli_given(args, "check"), /* else they are not shown */
        .engine = cli_engine(run),
        .strategy = (meguri_sssp_strategy)cli_choice(args, "strategy"),
        .all_above_us = cli_real(args, "all-above", 0),
        .selected_below_us = cli_real(args, "selected-below", 0),
        .split_device = device,
        .max_cost = cli_real(args, "max-cost", (double)INFINITY),
        .weight = cli_text(args, "weight"),
    };
    if (cli_given(args, "max-cost") && !(r->options.max_cost >= 0))
        return cli_fail(run, MEGURI_BAD_ARGUMENT, "--max-cost %s: give a number, not negative.",
                        cli_text(args, "max-cost"));
    status = check_strategy(r, run);
    if (status == MEGURI_OK) status = read_targets(r, run);
    return status == MEGURI_OK ? cli_starts_read(&r->starts, run) : status;
}

static void choose_types(routes *r) {
    meguri_type weights = r->base.info.weight_type;
    bool real = weights == MEGURI_TYPE_F32 || weights == MEGURI_TYPE_F64;
    r->types[0] = real ? MEGURI_TYPE_F64 : MEGURI_TYPE_U64;
    r->types[1] = MEGURI_TYPE_VERTEX;
}

/* ---- checking --------------------------------------------------------------------------------------------------- */

static meguri_status check_result(routes *r, cli_run *run, meguri_ctx *ctx, const meguri_result *result, size_t index) {
    if (!cli_given(&run->args, "check")) return MEGURI_OK;
    double start = cli_now();
    meguri_status status = meguri_sssp_check(ctx, r->base.graph, result, &r->options);
    r->base.seconds.check += cli_now() - start;
    r->base.checked = status == MEGURI_OK;
    if (status != MEGURI_WRONG_ANSWER) return status;
    if (r->starts.many)
        return cli_fail(run, status, "the answer from source %s is wrong: %s", r->starts.list.ids[index],
                        meguri_ctx_error(ctx));
    return cli_fail(run, status, "the answer is wrong: %s", meguri_ctx_error(ctx));
}

/* ---- telling ---------------------------------------------------------------------------------------------------- */

static void tell_many_json(meguri_json *json, const routes *r) {
    double count = (double)r->starts.count;
    meguri_json_number(json, "sources", r->starts.count);
    if (r->starts.count <= LISTED) {
        meguri_json_open(json, "source_ids", '[');
        for (size_t i = 0; i < r->starts.count; i++) {
            cli_id id;
            if (cli_get_id(&id, r->base.run, r->base.graph, r->base.info.id_kind, r->starts.vertices[i]) == MEGURI_OK)
                cli_json_id(json, NULL, &id);
        }
        meguri_json_close(json, ']');
    }
    if (r->targets) meguri_json_number(json, "targets", r->target_list.count);
    meguri_json_real(json, "mean_reached", cli_algorithm_real(&r->base, "reached") / count);
    meguri_json_open(json, "search_seconds", '{');
    meguri_json_real(json, "mean", r->search.sum / count);
    meguri_json_real(json, "min", r->search.least);
    meguri_json_real(json, "max", r->search.most);
    meguri_json_close(json, '}');
    if (r->stream) cli_json_columns(json, COLUMNS, column_names, r->types);
}

static void tell_json(meguri_json *json, const void *what) {
    const routes *r = what;
    if (r->starts.many || r->targets) tell_many_json(json, r);
    else cli_json_id(json, "source", &r->starts.first);
}

static void tell_text(const cli_algorithm *a, const void *what) {
    const routes *r = what;
    char x[MEGURI_COUNT_TEXT], y[MEGURI_COUNT_TEXT], z[CLI_NUMBER_TEXT];
    uint64_t mean = (cli_algorithm_fact(a, "reached") + r->starts.count / 2) / r->starts.count;
    printf("reached %s of %s ", cli_thousands(x, mean),
           r->targets ? meguri_count_text(y, r->target_list.count, "target")
                      : meguri_count_text(y, a->info.vertices, "vertex"));
    if (r->starts.many)
        printf("%sfrom %s", r->starts.count == 1 ? "" : "on average ", meguri_count_text(x, r->starts.count, "source"));
    else {
        printf("from ");
        cli_print_id(&r->starts.first);
    }
    if (r->types[0] == MEGURI_TYPE_F64) printf(", the farthest at distance %.6g", cli_algorithm_real(a, "farthest"));
    else printf(", the farthest at distance %s", cli_thousands(x, cli_algorithm_fact(a, "farthest")));
    double delta = cli_algorithm_real(a, "delta");
    if (delta > 0) printf(", buckets %.4g wide", delta);
    if (cli_engine(a->run) == MEGURI_ENGINE_DEVICE)
        printf(", in %s", meguri_count_text(x, cli_algorithm_fact(a, "phases"), "phase"));
    putchar('\n');
    if (r->starts.many)
        printf("a search took %s on average, the fastest %s, the slowest %s\n",
               cli_seconds_text(x, r->search.sum / (double)r->starts.count), cli_seconds_text(y, r->search.least),
               cli_seconds_text(z, r->search.most));
    cli_algorithm_print_edges(a);
}

static void look_for_unreached(routes *r) {
    if (!r->targets && isinf(r->options.max_cost)) cli_look_for_unreached(&r->base, &r->starts);
}

/* ---- one source ------------------------------------------------------------------------------------------------- */

static meguri_status search_one(routes *r, cli_run *run) {
    meguri_result *result = NULL;
    double start = cli_now();
    uint64_t source = r->starts.vertices[0];
    meguri_status status = meguri_sssp(&result, run->ctx, r->base.graph, source, &r->options);
    if (status == MEGURI_OK) status = cli_algorithm_note(&r->base, result, cli_now() - start);
    if (status == MEGURI_OK) status = check_result(r, run, run->ctx, result, 0);
    if (status == MEGURI_OK) status = cli_algorithm_write(&r->base, result);
    if (status == MEGURI_OK) look_for_unreached(r);
    cli_telling telling = {.json = tell_json, .text = tell_text, .what = r, .work = "search"};
    if (status == MEGURI_OK) status = cli_algorithm_tell(&r->base, result, &telling);
    meguri_result_free(result);
    return status;
}

/* ---- many ------------------------------------------------------------------------------------------------------- */

/* The progress line belongs to the search. */
static int stop_when_interrupted(void *user, const char *phase, uint64_t done, uint64_t total) {
    (void)user, (void)phase, (void)done, (void)total;
    return cli_interrupted();
}

static meguri_status taker_failed(routes *r, cli_run *run, meguri_status status) {
    return cli_fail(run, status, "%s", meguri_ctx_error(r->taker));
}

/* A matrix, of which sources are rows and targets columns. */
static meguri_status open_matrix(routes *r, const meguri_sink *sink) {
    const meguri_table_options options = {.size = sizeof options,
                                          .rows = r->starts.count,
                                          .key = "source",
                                          .columns = r->target_list.count,
                                          .vertices = r->targets,
                                          .type = r->types[0]};
    return meguri_table_open(&r->table, r->taker, r->base.graph, sink, &options);
}

static meguri_status open_taker(routes *r, cli_run *run) {
    meguri_ctx_options options = {.size = sizeof options,
                                  .threads = meguri_ctx_threads(run->ctx),
                                  .memory = meguri_ctx_memory_limit(run->ctx) / 4,
                                  .progress = stop_when_interrupted,
                                  .log = cli_on_log,
                                  .log_user = run,
                                  .log_level = cli_given(&run->args, "quiet") ? MEGURI_LOG_SILENT : MEGURI_LOG_WARNING};
    const char *path = cli_text(&run->args, "output");
    const meguri_sink sink = {.size = sizeof sink, .path = path};
    meguri_result_table table = {.size = sizeof table,
                                 .results = r->starts.count,
                                 .key = "source",
                                 .columns = COLUMNS,
                                 .names = column_names,
                                 .types = r->types};
    meguri_status status = meguri_ctx_new(&r->taker, &options);
    if (status != MEGURI_OK) return cli_fail(run, status, "the system has no memory for a second context.");
    if (path && r->targets) status = open_matrix(r, &sink);
    else if (path) status = meguri_result_stream_open(&r->stream, r->taker, r->base.graph, &sink, &table);
    return status == MEGURI_OK ? status : taker_failed(r, run, status);
}

static meguri_status note(routes *r, const meguri_result *result, uint64_t index) {
    meguri_fact seconds = {.size = sizeof seconds};
    meguri_status status = meguri_result_fact(&seconds, result, "seconds");
    if (status != MEGURI_OK) return status;
    r->search.sum += seconds.real;
    if (!index || seconds.real < r->search.least) r->search.least = seconds.real;
    if (seconds.real > r->search.most) r->search.most = seconds.real;
    return cli_algorithm_add_facts(&r->base, result);
}

/* The row of a source beside a search to all vertices, which is checked. */
static meguri_status check_row(routes *r, cli_run *run, const meguri_result *row, size_t index) {
    meguri_result *whole = NULL;
    meguri_column all = {.size = sizeof all}, some = {.size = sizeof some};
    if (!cli_given(&run->args, "check")) return MEGURI_OK;
    meguri_status status = meguri_sssp(&whole, r->taker, r->base.graph, r->starts.vertices[index], &r->options);
    if (status == MEGURI_OK) status = check_result(r, run, r->taker, whole, index);
    if (status == MEGURI_OK) status = meguri_result_column(&all, whole, "distance");
    if (status == MEGURI_OK) status = meguri_result_column(&some, row, "distance");
    for (size_t i = 0; i < r->target_list.count && status == MEGURI_OK; i++)
        if (memcmp((const char *)all.data + r->targets[i] * all.stride, (const char *)some.data + i * some.stride, 8))
            status = cli_fail(run, MEGURI_WRONG_ANSWER, "the distance to target %s is wrong in row %zu.",
                              r->target_list.ids[i], index + 1);
    meguri_result_free(whole);
    return status;
}

static meguri_status take_row(void *user, uint64_t index, const meguri_result *result) {
    routes *r = user;
    cli_run *run = r->base.run;
    meguri_column row = {.size = sizeof row};
    meguri_status status = note(r, result, index);
    if (status == MEGURI_OK) status = check_row(r, run, result, index);
    if (status == MEGURI_WRONG_ANSWER) return status; /* has its sentence */
    double start = cli_now();
    if (status == MEGURI_OK) status = meguri_result_column(&row, result, "distance");
    if (status == MEGURI_OK && r->table)
        status = meguri_table_add(r->taker, r->table, r->starts.vertices[index], row.data);
    r->base.seconds.write += cli_now() - start;
    return status == MEGURI_OK ? status : taker_failed(r, run, status);
}

static meguri_status take(void *user, uint64_t index, const meguri_result *result) {
    routes *r = user;
    cli_run *run = r->base.run;
    meguri_status status = note(r, result, index);
    if (status == MEGURI_OK) status = check_result(r, run, r->taker, result, index);
    if (status == MEGURI_WRONG_ANSWER) return status; /* has its sentence */
    double start = cli_now();
    if (status == MEGURI_OK && r->stream)
        status = meguri_result_stream_add(r->taker, r->stream, r->starts.vertices[index], result);
    r->base.seconds.write += cli_now() - start;
    return status == MEGURI_OK ? status : taker_failed(r, run, status);
}

static meguri_status finish_file(routes *r, cli_run *run) {
    if (!r->stream && !r->table) return MEGURI_OK;
    double start = cli_now();
    meguri_status status =
        r->table ? meguri_table_finish(r->taker, r->table) : meguri_result_stream_finish(r->taker, r->stream);
    r->base.seconds.write += cli_now() - start;
    return status == MEGURI_OK ? status : taker_failed(r, run, status);
}

static meguri_status search_many(routes *r, cli_run *run) {
    meguri_status status = open_taker(r, run);
    double start = cli_now();
    if (status == MEGURI_OK && r->targets)
        status = meguri_sssp_table(run->ctx, r->base.graph, r->starts.vertices, r->starts.count, r->targets,
                                   r->target_list.count, &r->options, take_row, r);
    else if (status == MEGURI_OK)
        status = meguri_sssp_many(run->ctx, r->base.graph, r->starts.vertices, r->starts.count, &r->options, take, r);
    r->base.seconds.search = cli_now() - start;
    if (status == MEGURI_OK) status = finish_file(r, run);
    cli_telling telling = {.json = tell_json, .text = tell_text, .what = r, .work = "search"};
    if (status == MEGURI_OK) {
        look_for_unreached(r);
        r->base.more_memory = meguri_ctx_memory_peak(r->taker);
        status = cli_algorithm_tell(&r->base, NULL, &telling);
    }
    meguri_result_stream_free(r->stream);
    meguri_table_free(r->table);
    meguri_ctx_free(r->taker);
    return status;
}

/* ---- the verb --------------------------------------------------------------------------------------------------- */

static meguri_status run_sssp(cli_run *run) {
    routes r = {0};
    meguri_status status = read_options(&r, run);
    if (status == MEGURI_OK) status = cli_algorithm_open(&r.base, run);
    if (status == MEGURI_OK) status = cli_algorithm_weigh(&r.base);
    if (status == MEGURI_OK) status = cli_starts_find(&r.starts, &r.base);
    if (status == MEGURI_OK) choose_types(&r);
    if (status == MEGURI_OK && r.target_list.count)
        status = cli_sources_find(&r.targets, &r.target_list, run, r.base.graph, "target");
    bool many = r.starts.many || r.targets;
    if (status == MEGURI_OK) status = many ? search_many(&r, run) : search_one(&r, run);
    cli_algorithm_close(&r.base);
    cli_starts_free(&r.starts);
    cli_sources_free(&r.target_list);
    free(r.targets);
    return status;
}

static const char *const examples[] = {
    "meguri sssp roads.meg --source 1 -o distances.tsv",
    "meguri sssp roads.meg --sources ids.txt -o distances.npy",
    "meguri sssp roads.meg --sources homes.csv --targets schools.csv -o matrix.csv",
    "meguri sssp roads.meg --source 1 --weight minutes -o minutes.tsv",
    "meguri sssp roads.meg --source 1 --check --trace steps.json",
    "meguri sssp roads.meg --source 1 --engine device --strategy adaptive",
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
     .help = "many instead: one id a line",
     .against = "source"},
    {.name = "targets", .kind = CLI_INPUT, .argument = "FILE", .help = "only these: a matrix, sources × targets"},
    {.name = "max-cost", .kind = CLI_REAL, .argument = "X", .help = "vertices farther than X are unreached"},
    {.name = "delta",
     .kind = CLI_REAL,
     .argument = "D",
     .standard = "automatic",
     .help = "bucket width; affects time only"},
    {.name = "strategy",
     .kind = CLI_CHOICE,
     .standard = "near-far",
     .help = "of --engine device",
     .choices = "auto|all|selected|adaptive|near-far|settle"},
    {.name = "all-above", .kind = CLI_REAL, .argument = "US"},
    {.name = "selected-below", .kind = CLI_REAL, .argument = "US", .standard = "measured", .help = "of adaptive"},
    {0},
};
static const cli_option *const options[] = {rows,
                                            cli_weight_option,
                                            cli_split_option,
                                            cli_result_options,
                                            cli_device_options,
                                            cli_grid_option,
                                            cli_read_options,
                                            cli_common_options,
                                            cli_help_options,
                                            NULL};

CLI_MANUAL(sssp);

const cli_verb cli_verb_sssp = {
    .name = "sssp",
    .operands = "GRAPH",
    .least_operands = 1,
    .most_operands = 1,
    .on_cluster = true,
    .on_device = true,
    .summary = "shortest paths along weighted edges from a vertex",
    .manual = cli_manual_sssp,
    .examples = examples,
    .options = options,
    .run = run_sssp,
};
