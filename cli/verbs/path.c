/* meguri path: paths from one vertex to another, or between many pairs. */
#include "path/path.h"

#include <stdlib.h>
#include <string.h>

/* One run of the verb. There are up to four writers: to standard output, to -o, to --geojson and to --trace. */
enum { SCREEN, OUTPUT, MAP, TRACE, WRITERS };
typedef struct asking {
    cli_algorithm base;
    path_pairs pairs;
    cli_names types, with;              /* of --types and --with */
    meguri_path_finder_options options; /* of the finder, and of the checker */
    meguri_path_finder *finder;
    meguri_path_search *search;
    meguri_path_writer *writers[WRITERS];
    meguri_ctx *contexts[WRITERS]; /* of the writers: children, with sentences of their own and no line of progress */
    const char *screen_form;       /* where there is a writer for it */
    meguri_status written;         /* the first failure of any of them */
    bool only_costs;               /* --costs, and what takes them */
    path_costs costs;
    double started;
    meguri_path_checker *checker;
    meguri_ctx *check_ctx; /* a child, too */
    meguri_status checked;
    meguri_path_answer sum; /* of all questions */
    uint64_t answered, without, late;
    bool mixed; /* not all by the same algorithm */
} asking;

/* ---- what is asked for ------------------------------------------------------------------------------------------ */

static meguri_status check_forms(cli_run *run) {
    static const char *const forms[] = {"json", "lines", "csv"};
    const char *first = NULL;
    for (size_t i = 0; i < 3; i++) {
        if (!cli_given(&run->args, forms[i])) continue;
        if (first)
            return cli_fail(run, MEGURI_BAD_ARGUMENT, "--%s and --%s are two forms of the answer; choose one.", first,
                            forms[i]);
        first = forms[i];
    }
    const char *output = cli_text(&run->args, "output");
    if (first && output && strcmp(first, "json") != 0 && strcmp(output, "-") != 0)
        return cli_fail(run, MEGURI_BAD_ARGUMENT,
                        "--%s is for standard output, and the paths go to %s, whose suffix says in which form; leave "
                        "one of them out.",
                        first, output);
    return MEGURI_OK;
}

static meguri_status check_options(cli_run *run) {
    const cli_args *args = &run->args;
    static const char *const ends[] = {"from", "to", "to-file"};
    bool pairs = cli_given(args, "pairs");
    for (size_t i = 0; i < 3 && pairs; i++)
        if (cli_given(args, ends[i]))
            return cli_fail(run, MEGURI_BAD_ARGUMENT, "--pairs says from where and where to; leave --%s out.", ends[i]);
    meguri_status status = path_costs_check(run);
    if (status == MEGURI_OK) status = path_check_settings(run);
    return status == MEGURI_OK ? check_forms(run) : status;
}

/* ---- where it goes ---------------------------------------------------------------------------------------------- */

/* What is written to standard output. */
static meguri_status put_screen(void *user, const void *data, size_t bytes) {
    cli_progress_clear(user);
    return fwrite(data, 1, bytes, stdout) == bytes ? MEGURI_OK : MEGURI_NO_DISK; /* told at the end */
}

static const char *form_of_screen(const cli_args *args, const char *otherwise) {
    if (cli_given(args, "csv")) return "csv";
    return cli_given(args, "lines") ? "jsonl" : otherwise;
}

static meguri_status open_writer(asking *a, int which, const meguri_sink *sink,
                                 const meguri_path_writer_options *options) {
    cli_run *run = a->base.run;
    meguri_ctx_child_options own = {.size = sizeof own, .threads = 1, .progress = cli_stop_when_interrupted};
    meguri_status status = meguri_ctx_child(&a->contexts[which], run->ctx, &own);
    if (status != MEGURI_OK) return cli_fail(run, status, "there is no memory to write paths.");
    status = meguri_path_writer_new(&a->writers[which], a->contexts[which], a->base.graph, sink, options);
    if (status == MEGURI_BAD_INPUT && which == MAP && !a->base.info.has_coordinates)
        return cli_fail(run, status,
                        "%s has no coordinates, so that there is no map of its paths; build it with --coords FILE.",
                        run->args.operands[0]);
    return status == MEGURI_OK ? status : cli_fail(run, status, "%s", meguri_ctx_error(a->contexts[which]));
}

static void add_members(void *user, meguri_json *json, const meguri_path_answer *answer);

static meguri_status open_writers(asking *a, cli_run *run) {
    const cli_args *args = &run->args;
    const char *output = cli_text(args, "output"), *map = cli_text(args, "geojson");
    bool json = cli_given(args, "json");
    meguri_status status = MEGURI_OK;
    if (a->only_costs) return path_costs_open(&a->costs, run, &a->base, a->pairs.count);
    status = cli_names_get(&a->with, run, "with");
    if (status != MEGURI_OK) return status;
    meguri_path_writer_options options = {.size = sizeof options,
                                          .numbered = a->pairs.many,
                                          .columns = a->with.names,
                                          .column_count = a->with.count,
                                          .weight = a->options.weight};
    meguri_path_writer_options screen = options, trace = options;
    a->screen_form = form_of_screen(args, json ? "json" : "text");
    const meguri_sink to_screen = {.size = sizeof to_screen, .form = a->screen_form, .write = put_screen, .user = run};
    meguri_sink to_file = {.size = sizeof to_file, .path = output};
    const meguri_sink to_map = {.size = sizeof to_map, .path = map, .form = "geojson"};
    const meguri_sink to_trace = {.size = sizeof to_trace, .form = "trace"};
    screen.members = a->pairs.many ? NULL : add_members;
    screen.members_user = a;
    if (output && strcmp(output, "-") == 0) to_file.form = form_of_screen(args, NULL);
    trace.trace = run->ctx;
    trace.metric = (meguri_path_metric)cli_choice(args, "metric");
    if (!output) status = open_writer(a, SCREEN, &to_screen, &screen);
    if (status == MEGURI_OK && output) status = open_writer(a, OUTPUT, &to_file, &options);
    if (status == MEGURI_OK && map) status = open_writer(a, MAP, &to_map, &options);
    if (status == MEGURI_OK && cli_given(args, "trace")) status = open_writer(a, TRACE, &to_trace, &trace);
    return status;
}

/* Notes how it went with a writer. */
static bool has_written(asking *a, int which, meguri_status status) {
    cli_run *run = a->base.run;
    if (status == MEGURI_OK || a->written != MEGURI_OK) return a->written == MEGURI_OK;
    a->written = status;
    if (which == SCREEN && ferror(stdout)) cli_finish_output(run);
    else if (status != MEGURI_CANCELLED) cli_fail(run, status, "%s", meguri_ctx_error(a->contexts[which]));
    return false;
}

static meguri_status close_writers(asking *a, meguri_status status) {
    if (a->only_costs) return path_costs_close(&a->costs, status);
    for (int i = 0; i < WRITERS; i++) {
        if (a->writers[i]) has_written(a, i, meguri_path_writer_finish(a->contexts[i], a->writers[i], status));
        meguri_path_writer_free(a->writers[i]);
        meguri_ctx_free(a->contexts[i]);
        if (status == MEGURI_OK) status = a->written;
    }
    return status;
}

/* ---- asking ----------------------------------------------------------------------------------------------------- */

static int take_path(void *user, uint64_t question, const meguri_path *path) {
    asking *a = user;
    if (a->checker) {
        a->checked = meguri_path_checker_path(a->check_ctx, a->checker, question, &a->pairs.queries[question], path);
        if (a->checked != MEGURI_OK) return 1;
    }
    for (int i = 0; i < WRITERS && a->written == MEGURI_OK; i++)
        if (a->writers[i])
            has_written(
                a, i,
                meguri_path_writer_path(a->contexts[i], a->writers[i], question, &a->pairs.queries[question], path));
    return a->written != MEGURI_OK;
}

static meguri_status take_answer(void *user, uint64_t question, const meguri_path_answer *answer) {
    asking *a = user;
    a->base.seconds.search = cli_now() - a->started;
    if (cli_interrupted()) return cli_fail(a->base.run, MEGURI_CANCELLED, "interrupted.");
    if (a->checker && a->checked == MEGURI_OK)
        a->checked =
            meguri_path_checker_answer(a->check_ctx, a->checker, question, &a->pairs.queries[question], answer);
    if (a->checked != MEGURI_OK) return cli_fail(a->base.run, a->checked, "%s", meguri_ctx_error(a->check_ctx));
    if (a->only_costs) a->written = path_costs_add(&a->costs, question, &a->pairs.queries[question], answer);
    for (int i = 0; i < WRITERS && a->written == MEGURI_OK; i++)
        if (a->writers[i])
            has_written(a, i,
                        meguri_path_writer_answer(a->contexts[i], a->writers[i], question, &a->pairs.queries[question],
                                                  answer));
    if (a->written != MEGURI_OK) return a->written;
    meguri_path_answer *sum = &a->sum;
    a->mixed = a->mixed || (a->answered && answer->algorithm != sum->algorithm);
    sum->algorithm = answer->algorithm;
    sum->paths += answer->paths;
    sum->settled += answer->settled;
    sum->edges += answer->edges;
    if (a->answered++ == 0 || answer->end > sum->end) sum->end = answer->end;
    a->without += answer->paths == 0;
    a->late += answer->end == MEGURI_PATH_TIMEOUT;
    return MEGURI_OK;
}

static int take_only_path(void *user, const meguri_path *path) { return take_path(user, 0, path); }

static meguri_status ask(asking *a, cli_run *run) {
    meguri_status status;
    a->started = cli_now();
    a->sum.size = sizeof a->sum;
    if (a->pairs.many) {
        status = meguri_path_many(run->ctx, a->search, a->pairs.queries, a->pairs.count,
                                  a->only_costs ? NULL : take_path, take_answer, a);
    } else {
        meguri_path_answer answer = {.size = sizeof answer};
        status = meguri_path_search_run(&answer, run->ctx, a->search, a->pairs.queries, take_only_path, a);
        if (status == MEGURI_OK) status = take_answer(a, 0, &answer);
    }
    if (status == MEGURI_OK && cli_interrupted()) status = cli_fail(run, MEGURI_CANCELLED, "interrupted.");
    return status;
}

/* ---- telling ---------------------------------------------------------------------------------------------------- */

/* NULL: standard output, in a form for people or programs. */
static const char *output_of(const asking *a) {
    const cli_run *run = a->base.run;
    return a->only_costs ? path_costs_output(run) : cli_text(&run->args, "output");
}

/* How it was done. */
static void json_run(asking *a, meguri_json *json) {
    cli_run *run = a->base.run;
    meguri_json_open(json, "seconds", '{');
    meguri_json_real(json, "open", a->base.seconds.open);
    meguri_json_real(json, "prepare", a->base.seconds.prepare);
    meguri_json_real(json, "search", a->base.seconds.search);
    meguri_json_real(json, "total", cli_now() - run->started);
    meguri_json_close(json, '}');
    meguri_json_number(json, "threads", meguri_ctx_threads(run->ctx));
    meguri_json_number(json, "memory_peak_bytes", meguri_ctx_memory_peak(run->ctx));
}

static void json_graph(asking *a, meguri_json *json) {
    meguri_json_string(json, "graph", a->base.run->args.operands[0]);
    cli_json_graph(json, &a->base.info);
    if (!a->options.type_count) return;
    meguri_json_open(json, "types", '[');
    for (uint32_t i = 0; i < a->options.type_count; i++) meguri_json_string(json, NULL, a->types.names[i]);
    meguri_json_close(json, ']');
}

/* The object of the only question is the summary, too. */
static void add_members(void *user, meguri_json *json, const meguri_path_answer *answer) {
    asking *a = user;
    if (!answer) {
        json_graph(a, json);
        return;
    }
    meguri_json_bool(json, "checked", a->checker != NULL);
    json_run(a, json);
}

static void tell_json(asking *a) {
    meguri_json json = cli_json_to(stdout);
    meguri_json_open(&json, NULL, '{');
    json_graph(a, &json);
    meguri_json_number(&json, "questions", a->answered);
    meguri_json_number(&json, "without_path", a->without);
    meguri_json_number(&json, "timeouts", a->late);
    meguri_json_string(&json, "algorithm", a->mixed ? "several" : meguri_path_algorithm_name(a->sum.algorithm));
    meguri_json_number(&json, "path_count", a->sum.paths);
    meguri_json_string(&json, "end", meguri_path_end_name(a->sum.end));
    meguri_json_number(&json, "settled", a->sum.settled);
    meguri_json_number(&json, "edges_looked_at", a->sum.edges);
    meguri_json_bool(&json, "checked", a->checker != NULL);
    cli_json_written(&json, output_of(a));
    json_run(a, &json);
    meguri_json_close(&json, '}');
    putchar('\n');
}

static void tell_text(asking *a, cli_run *run) {
    char x[MEGURI_COUNT_TEXT];
    const char *output = output_of(a);
    fputs(meguri_count_text(x, a->sum.paths, a->only_costs ? "cost" : "path"), stdout);
    if (a->pairs.many) {
        printf(" for %s", meguri_count_text(x, a->answered, "pair"));
        if (a->without) printf(", %s without one", cli_thousands(x, a->without));
        if (a->late) printf(", %s out of time", cli_thousands(x, a->late));
    } else if (output && a->sum.end == MEGURI_PATH_TIMEOUT) printf(" (there may be more: the time is over)");
    else if (output && a->sum.end == MEGURI_PATH_LIMIT) printf(" (there may be more: the limit is reached)");
    printf(" by %s: settled %s, ", a->mixed ? "several algorithms" : meguri_path_algorithm_name(a->sum.algorithm),
           meguri_count_text(x, a->sum.settled, "vertex"));
    printf("looked at %s\n", meguri_count_text(x, a->sum.edges, "edge"));
    if (a->checker)
        puts(!meguri_path_checker_saw_all(a->checker)
                 ? "checked: every path is one and keeps the limits; not whether there is a better one"
                 : "checked: the answer is right");
    uint32_t threads = meguri_ctx_threads(run->ctx);
    printf("%s (", cli_seconds_text(x, cli_now() - run->started));
    printf("open %s, ", cli_seconds_text(x, a->base.seconds.open));
    printf("prepare %s, ", cli_seconds_text(x, a->base.seconds.prepare));
    printf("search %s), ", cli_seconds_text(x, a->base.seconds.search));
    printf("memory %s, %u thread%s", cli_size_text(x, meguri_ctx_memory_peak(run->ctx)), threads,
           threads == 1 ? "" : "s");
    if (output) cli_print_written(output);
    putchar('\n');
}

/* Standard output in a form for programs has nothing else on it. */
static void tell(asking *a, cli_run *run) {
    bool screen = !output_of(a), quiet = cli_given(&run->args, "quiet");
    cli_progress_clear(run);
    if (screen && a->only_costs) return;
    if (!screen && cli_given(&run->args, "json")) tell_json(a);
    else if ((!screen || strcmp(a->screen_form, "text") == 0) && !quiet) tell_text(a, run);
    /* A table has no place for it, and must not look complete. */
    if (!screen || strcmp(a->screen_form, "csv") != 0 || quiet) return;
    if (a->sum.end == MEGURI_PATH_TIMEOUT) fputs("meguri: there may be more paths: the time is over.\n", stderr);
    if (a->sum.end == MEGURI_PATH_LIMIT) fputs("meguri: there may be more paths: the limit is reached.\n", stderr);
}

/* ---- the verb --------------------------------------------------------------------------------------------------- */

static meguri_status prepare(asking *a, cli_run *run) {
    double start = cli_now();
    a->options = (meguri_path_finder_options){
        .size = sizeof a->options,
        .direction = (meguri_path_direction)cli_choice(&run->args, "direction"),
        .metric = (meguri_path_metric)cli_choice(&run->args, "metric"),
        .index_use = cli_given(&run->args, "no-index") ? MEGURI_PATH_INDEX_NONE
                     : cli_given(&run->args, "index")  ? MEGURI_PATH_INDEX_MAKE
                                                       : MEGURI_PATH_INDEX_STORED,
        .engine = cli_engine(run),
        .weight = cli_text(&run->args, "weight"),
    };
    meguri_status status = cli_names_get(&a->types, run, "types");
    a->options.types = a->types.names;
    a->options.type_count = a->types.count;
    if (status == MEGURI_OK) status = meguri_path_finder_new(&a->finder, run->ctx, a->base.graph, &a->options);
    if (status == MEGURI_OK) status = meguri_path_search_new(&a->search, run->ctx, a->finder);
    a->base.seconds.prepare = cli_now() - start;
    return status;
}

static meguri_status open_checker(asking *a, cli_run *run) {
    meguri_ctx_child_options options = {.size = sizeof options, .progress = cli_stop_when_interrupted};
    meguri_status status = meguri_ctx_child(&a->check_ctx, run->ctx, &options);
    if (status == MEGURI_OK) status = meguri_path_checker_new(&a->checker, a->check_ctx, a->base.graph, &a->options);
    return status == MEGURI_OK ? status : cli_fail(run, status, "there is no memory to check the answer.");
}

static meguri_status run_path(cli_run *run) {
    asking a = {.answered = 0, .only_costs = cli_given(&run->args, "costs")};
    meguri_status status = check_options(run);
    if (status == MEGURI_OK) status = path_pairs_read(&a.pairs, run);
    if (status == MEGURI_OK) status = cli_algorithm_open(&a.base, run);
    if (status == MEGURI_OK) status = cli_algorithm_weigh(&a.base);
    if (status == MEGURI_OK) status = path_pairs_find(&a.pairs, run, &a.base);
    if (status == MEGURI_OK) status = prepare(&a, run);
    if (status == MEGURI_OK && cli_given(&run->args, "check")) status = open_checker(&a, run);
    if (status == MEGURI_OK) status = open_writers(&a, run);
    if (status == MEGURI_OK) status = ask(&a, run);
    bool asked = status == MEGURI_OK;
    status = close_writers(&a, status);
    if (asked && status == MEGURI_OK) tell(&a, run);
    meguri_path_checker_free(a.checker);
    meguri_ctx_free(a.check_ctx);
    meguri_path_search_free(a.search);
    meguri_path_finder_free(a.finder);
    path_pairs_free(&a.pairs);
    cli_names_free(&a.types);
    cli_names_free(&a.with);
    cli_algorithm_close(&a.base);
    return status;
}

static const char *const examples[] = {
    "meguri path roads.meg --from 1 --to 42",
    "meguri path roads.meg --from 1 --to 42 --algorithm yens --k 3 --geojson ways.geojson",
    "meguri path friends.meg --from Ann --to Bob --algorithm all-shortest --limit 10 --json",
    "meguri path roads.meg --from 1 --to 42 --to 43 --to 44",
    "meguri path roads.meg --pairs pairs.tsv -o ways.jsonl",
    "meguri path roads.meg --pairs pairs.tsv --costs -o costs.csv",
    "meguri path lines.meg --from Chiba --to Ueno --types RAIL,METRO",
    "meguri path roads.meg --from 1 --to 42 --weight minutes",
    "meguri path roads.meg --from 1 --to 42 --with road_name,toll -o way.csv",
    "meguri path roads.meg --from 1 --to 42 --algorithm dijkstra --engine device",
    "meguri path roads.meg --from 1 --to 42 --trace t.json && meguri report t.json --graph roads.meg -o map.html",
    NULL,
};

static const cli_option rows[] = {
    {.name = "from", .kind = CLI_STRING, .argument = "ID", .required = true, .instead = "pairs"},
    {.name = "to",
     .kind = CLI_STRING,
     .argument = "ID",
     .help = "between these; --to again for more",
     .required = true,
     .instead = "to-file|pairs",
     .again = true},
    {.name = "to-file", .kind = CLI_INPUT, .argument = "FILE"},
    {.name = "pairs", .kind = CLI_INPUT, .argument = "FILE", .help = "to ids of a file; pairs of a file"},
    {.name = "algorithm",
     .kind = CLI_CHOICE,
     .argument = "dijkstra|astar|bidirectional|shortest|all-shortest|all|simple|yens",
     .standard = "auto",
     .help = "which paths, and how they are found",
     .choices = "auto|dijkstra|astar|bidirectional|tree|shortest|all-shortest|all|simple|yens"},
    {.name = "max-hops", .kind = CLI_NUMBER, .argument = "N", .least = 1},
    {.name = "max-cost", .kind = CLI_REAL, .argument = "C", .help = "edges, cost of a path at most"},
    {.name = "k", .kind = CLI_NUMBER, .argument = "N", .least = 1},
    {.name = "limit", .kind = CLI_NUMBER, .argument = "N", .least = 1},
    {.name = "timeout", .kind = CLI_REAL, .argument = "S", .help = "paths of yens [1]; paths, seconds at most"},
    {.name = "types", .kind = CLI_STRING, .argument = "A,B"},
    {.name = "with",
     .kind = CLI_STRING,
     .argument = "COLUMN,…",
     .help = "only edges of types; columns that paths show"},
    {.name = "direction",
     .kind = CLI_CHOICE,
     .standard = "out",
     .help = "how directed edges are followed",
     .choices = "out|in|both"},
    {.name = "metric",
     .kind = CLI_CHOICE,
     .argument = "NAME",
     .standard = "auto",
     .help = "coordinates: planar, great-circle",
     .choices = "auto|planar|great-circle"},
    {.name = "index", .kind = CLI_FLAG},
    {.name = "no-index", .kind = CLI_FLAG, .help = "make a path index; use none", .against = "index"},
    {.name = "lines", .kind = CLI_FLAG},
    {.name = "csv", .kind = CLI_FLAG},
    {.name = "costs", .kind = CLI_FLAG, .help = "as lines of JSON; as CSV; costs alone"},
    {.name = "output",
     .letter = 'o',
     .kind = CLI_OUTPUT,
     .content = CLI_PATHS,
     .argument = "FILE",
     .help = "to a file: .csv .tsv .jsonl .geojson; -: TSV"},
    {.name = "geojson", .kind = CLI_OUTPUT, .argument = "FILE"},
    {.name = "check", .kind = CLI_FLAG, .help = "paths on a map; check the answer"},
    {0},
};
static const cli_option *const options[] = {
    rows, cli_weight_option, cli_device_options, cli_read_options, cli_common_options, cli_help_options, NULL};

CLI_MANUAL(path);

const cli_verb cli_verb_path = {
    .name = "path",
    .operands = "GRAPH",
    .least_operands = 1,
    .most_operands = 1,
    .summary = "paths from one vertex to another: cheapest, shortest, all",
    .manual = cli_manual_path,
    .examples = examples,
    .options = options,
    .on_device = true,
    .run = run_path,
};
