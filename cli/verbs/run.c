/* meguri run: a vertex program on a graph. */
#include "cli.h"

#include <inttypes.h>
#include <string.h>

enum { MANY_SUPERSTEPS = 10000 }; /* after these the progress line says how to limit them */

typedef struct program_run {
    cli_algorithm base;
    meguri_program_file *file;
    meguri_run_options options;
    meguri_result *result;
} program_run;

/* ---- the run ---------------------------------------------------------------------------------------------------- */

static meguri_status read_options(program_run *r, cli_run *run) {
    const cli_args *args = &run->args;
    r->options = (meguri_run_options){.size = sizeof r->options,
                                      .delivery = (meguri_delivery)cli_choice(args, "delivery"),
                                      .workers = (uint32_t)cli_number(args, "workers", 0),
                                      .cluster = run->cluster,
                                      .max_supersteps = cli_number(args, "max-supersteps", 0),
                                      .argc = (int)args->passed_count,
                                      .argv = args->passed,
                                      .place = cli_watched_place(),
                                      .checkpoint = cli_text(args, "checkpoint"),
                                      .every = cli_number(args, "every", 0),
                                      .resume = cli_text(args, "resume")};
    if (r->options.every && !r->options.checkpoint)
        return cli_fail(run, MEGURI_BAD_ARGUMENT, "--every says how often --checkpoint DIR is written; give both.");
    if (run->cluster && r->options.workers > 1)
        return cli_fail(run, MEGURI_BAD_ARGUMENT,
                        "--workers is about threads of one process; here the %" PRIu32 " processes are the workers.",
                        meguri_cluster_size(run->cluster));
    return MEGURI_OK;
}

/* Sizes that are not 0, by what they are of. */
static void tell_sizes(const cli_algorithm *a, const char *title, const char *const facts[][2], size_t count) {
    char x[CLI_NUMBER_TEXT];
    const char *before = title;
    for (size_t i = 0; i < count; i++) {
        uint64_t size = cli_algorithm_fact(a, facts[i][0]);
        if (!size) continue;
        printf("%s%s %s", before, facts[i][1], cli_size_text(x, size));
        before = ", ";
    }
    if (before != title) putchar('\n');
}

static void tell_text(const cli_algorithm *a, const void *what) {
    static const char *const kinds[][2] = {{"model_bytes_ids", "ids"},
                                           {"model_bytes_values", "values"},
                                           {"model_bytes_bits", "bits"},
                                           {"model_bytes_questions", "questions and answers"}};
    static const char *const sent[][2] = {{"bytes_messages", "messages to one vertex each"},
                                          {"bytes_sendall", "messages to all neighbours"},
                                          {"bytes_questions", "questions and answers"},
                                          {"bytes_control", "sums and agreements"}};
    static const char *const memory[][2] = {
        {"memory_rows", "in-edges"}, {"memory_masks", "masks"}, {"memory_ghosts", "ghosts"}};
    char x[CLI_NUMBER_TEXT], text[MEGURI_COUNT_TEXT];
    uint64_t steps = cli_algorithm_fact(a, "supersteps"), workers = cli_algorithm_fact(a, "workers");
    (void)what;
    printf("%s, ", meguri_count_text(text, steps, "superstep"));
    printf("compute was called %s\n", meguri_count_text(text, cli_algorithm_fact(a, "computed"), "time"));
    printf("%s sent, %s delivered", meguri_count_text(text, cli_algorithm_fact(a, "messages"), "message"),
           cli_thousands(x, cli_algorithm_fact(a, "delivered")));
    if (workers > 1) printf(" between %" PRIu64 " workers", workers);
    printf("; %s as paper P4 counts them", cli_size_text(x, cli_algorithm_fact(a, "model_bytes")));
    if (workers > 1) printf(", %s on the network", cli_size_text(x, cli_algorithm_fact(a, "bytes")));
    putchar('\n');
    tell_sizes(a, "as the paper counts: ", kinds, sizeof kinds / sizeof *kinds);
    tell_sizes(a, "on the network: ", sent, sizeof sent / sizeof *sent);
    tell_sizes(a, "memory of delivery: ", memory, sizeof memory / sizeof *memory);
    printf("compute %s, ", cli_seconds_text(x, cli_algorithm_real(a, "seconds_compute")));
    printf("before sending %s, ", cli_seconds_text(x, cli_algorithm_real(a, "seconds_before")));
    printf("communication %s, ", cli_seconds_text(x, cli_algorithm_real(a, "seconds_communication")));
    printf("after it %s\n", cli_seconds_text(x, cli_algorithm_real(a, "seconds_after")));
}

/* The bits of all columns of two results. */
static bool are_same(const meguri_result *one, const meguri_result *other) {
    for (uint32_t i = 0; i < meguri_result_column_count(one); i++) {
        meguri_column a = {.size = sizeof a}, b = {.size = sizeof b};
        if (meguri_result_column_at(&a, one, i) != MEGURI_OK || meguri_result_column_at(&b, other, i) != MEGURI_OK)
            return false;
        size_t bytes = a.type == MEGURI_TYPE_I8                                 ? 1
                       : a.type == MEGURI_TYPE_I16                              ? 2
                       : a.type == MEGURI_TYPE_U64 || a.type == MEGURI_TYPE_F64 ? 8
                                                                                : 4;
        for (uint64_t v = 0; v < a.count; v++)
            if (memcmp((const char *)a.data + v * a.stride, (const char *)b.data + v * b.stride, bytes) != 0)
                return false;
    }
    return true;
}

/* Runs it again with another delivery, and looks whether that comes to the same. */
static meguri_status check(program_run *r, cli_run *run) {
    if (!cli_given(&run->args, "check")) return MEGURI_OK;
    double start = cli_now();
    meguri_run_options other = r->options;
    meguri_result *again = NULL;
    other.checkpoint = other.resume = NULL;
    other.delivery = other.delivery == MEGURI_DELIVERY_NORMAL ? MEGURI_DELIVERY_SENDALL : MEGURI_DELIVERY_NORMAL;
    meguri_status status = meguri_run(&again, run->ctx, r->base.graph, meguri_program_file_list(r->file), &other);
    uint64_t different = status == MEGURI_OK && !are_same(r->result, again);
    if (status == MEGURI_OK && run->cluster)
        status = meguri_cluster_reduce(&different, run->ctx, run->cluster, 1, MEGURI_SUM);
    if (status == MEGURI_OK && different)
        status = cli_fail(run, MEGURI_WRONG_ANSWER,
                          "the answer is wrong: the deliveries %s and %s come to different results; a program must not "
                          "depend on what order messages are combined or out-edges are seen in.",
                          meguri_delivery_name(r->options.delivery), meguri_delivery_name(other.delivery));
    meguri_result_free(again);
    r->base.seconds.check = cli_now() - start;
    r->base.checked = status == MEGURI_OK;
    return status;
}

static meguri_status run_on_graph(program_run *r, cli_run *run) {
    double start = cli_now();
    if (!r->options.max_supersteps) {
        run->progress.advice = "supersteps, not halted; limit: --max-supersteps N";
        run->progress.advice_from = MANY_SUPERSTEPS;
    }
    meguri_status status =
        meguri_run(&r->result, run->ctx, r->base.graph, meguri_program_file_list(r->file), &r->options);
    run->progress.advice = NULL;
    if (status == MEGURI_OK) status = cli_algorithm_note(&r->base, r->result, cli_now() - start);
    if (status == MEGURI_OK) status = check(r, run);
    if (status == MEGURI_OK) status = cli_cluster_agree(run, cli_check_descriptors(run));
    if (status == MEGURI_OK) status = cli_algorithm_write(&r->base, r->result);
    cli_telling telling = {.text = tell_text, .work = "run"};
    if (status == MEGURI_OK) status = cli_algorithm_tell(&r->base, r->result, &telling);
    return status;
}

static meguri_status run_run(cli_run *run) {
    program_run r = {0};
    meguri_status status = read_options(&r, run);
    const meguri_compile_options compiling = {.size = sizeof compiling, .cluster = run->cluster};
    if (status == MEGURI_OK) status = meguri_program_open(&r.file, run->ctx, run->args.operands[0], &compiling);
    if (status != MEGURI_OK && cli_interrupted()) status = cli_fail(run, MEGURI_CANCELLED, "interrupted.");
    r.options.file = r.file;
    status = cli_cluster_agree(run, status);
    if (status == MEGURI_OK) status = cli_algorithm_open(&r.base, run);
    if (status == MEGURI_OK) {
        cli_watch_programs(meguri_program_file_list(r.file),
                           (uint64_t)meguri_ctx_threads(run->ctx) + r.options.workers);
        status = run_on_graph(&r, run);
    }
    meguri_result_free(r.result);
    cli_algorithm_close(&r.base);
    meguri_program_close(r.file);
    return status;
}

static const char *const examples[] = {
    "meguri run pagerank.c g.meg -o ranks.tsv -- 30",
    "meguri run bfs.c g.meg -o levels.tsv -- 42",
    "meguri run components.c g.meg --workers 8 --delivery sendall --json",
    "mpirun -n 4 meguri run pagerank.c g.meg -o ranks.tsv",
    NULL,
};

static const cli_option rows[] = {
    {.name = "delivery",
     .kind = CLI_CHOICE,
     .argument = "HOW",
     .standard = "auto",
     .help = "auto, normal, combine, sendall, sendall-sopt, ghost, list or mirror",
     .choices = "auto|normal|combine|sendall|sendall-sopt|ghost|list|mirror"},
    {.name = "workers",
     .kind = CLI_NUMBER,
     .argument = "W",
     .standard = "1",
     .help = "logical workers, each a thread, to count messages",
     .least = 1,
     .most = 256},
    {.name = "max-supersteps",
     .kind = CLI_NUMBER,
     .argument = "N",
     .help = "a program that would go on is a failure",
     .least = 1},
    {.name = "checkpoint",
     .kind = CLI_FOLDER,
     .argument = "DIR",
     .help = "keep there what is needed to go on after a crash"},
    {.name = "every",
     .kind = CLI_NUMBER,
     .argument = "N",
     .standard = "10",
     .help = "supersteps between checkpoints",
     .least = 1},
    {.name = "resume", .kind = CLI_FOLDER, .argument = "DIR", .help = "go on from a checkpoint"},
    {.name = "output",
     .letter = 'o',
     .kind = CLI_OUTPUT,
     .content = CLI_RESULT,
     .argument = "FILE",
     .help = "a row each vertex: .csv .tsv .npy .bin; -: TSV"},
    {.name = "check", .kind = CLI_FLAG, .help = "run again with another delivery, and compare"},
    {0},
};
static const cli_option *const options[] = {
    rows, cli_grid_option, cli_read_options, cli_common_options, cli_help_options, NULL};

CLI_MANUAL(run);

const cli_verb cli_verb_run = {
    .name = "run",
    .operands = "PROGRAM GRAPH [-- ARGUMENT…]",
    .least_operands = 2,
    .most_operands = 2,
    .passes = true,
    .graph = 1,
    .programs = true,
    .on_cluster = true,
    .summary = "run a vertex program: what every vertex does, step by step",
    .manual = cli_manual_run,
    .examples = examples,
    .options = options,
    .run = run_run,
};
