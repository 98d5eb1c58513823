/* The meguri command: finds the verb, sets the library up as the common options say, runs it, and turns the outcome
 * into an exit code. Errors are one sentence on standard error. */
#include "cli.h"

#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double cli_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

meguri_status cli_fail(cli_run *run, meguri_status status, const char *format, ...) {
    char plain[CLI_ERROR_TEXT];
    va_list args;
    va_start(args, format);
    vsnprintf(plain, sizeof plain, format, args);
    va_end(args);
    meguri_escape_string(run->error, sizeof run->error, plain);
    return status;
}

meguri_status cli_fail_open(cli_run *run, const char *path, int error) {
    return meguri_cannot_open(run->error, sizeof run->error, path, error);
}

void cli_report_failure(cli_run *run, meguri_status status) {
    const char *sentence = run->error[0] ? run->error : run->ctx ? meguri_ctx_error(run->ctx) : "";
    char whose[64];
    cli_progress_clear(run);
    fflush(stdout); /* what was printed before comes before */
    if (cli_cluster_speaks(whose, sizeof whose, run))
        fprintf(stderr, "meguri: %s%s\n", whose, *sentence ? sentence : meguri_status_text(status));
    run->error[0] = '\0';
    run->reported = true;
}

/* Processes that share a machine share its memory. */
static meguri_status share_memory(cli_run *run, meguri_ctx_options *options) {
    if (options->memory || run->launch.here < 2) return MEGURI_OK;
    meguri_status status = meguri_ctx_new(&run->ctx, options);
    if (status == MEGURI_OK) options->memory = meguri_ctx_memory_limit(run->ctx) / run->launch.here;
    meguri_ctx_free(run->ctx);
    run->ctx = NULL;
    return status;
}

/* Of a verb that works on graphs, as the common options say. */
static meguri_status make_context(cli_run *run) {
    const cli_args *args = &run->args;
    char *temp = cli_temp_folder(args);
    meguri_ctx_options options = {
        .size = sizeof options,
        .threads = (uint32_t)cli_number(args, "threads", cli_launch_threads(&run->launch)),
        .memory = cli_number(args, "memory", 0),
        .temp_dir = temp,
        .progress = cli_on_progress,
        .progress_user = run,
        .log = cli_on_log,
        .log_user = run,
        .device = cli_has(args, "device") ? cli_text(args, "device") : NULL,
        .device_memory = cli_has(args, "device") ? cli_number(args, "device-memory", 0) : 0,
        .log_level = cli_given(args, "quiet") ? MEGURI_LOG_SILENT : MEGURI_LOG_WARNING,
    };
    meguri_status status = share_memory(run, &options);
    if (status == MEGURI_OK) status = meguri_ctx_new(&run->ctx, &options);
    free(temp);
    return status;
}

/* Output that nobody takes any more after Ctrl-C is no failure of its own. */
static meguri_status unless_interrupted(meguri_status status) {
    return status == MEGURI_NO_DISK && cli_interrupted() ? MEGURI_CANCELLED : status;
}

/* A verb that works on graphs, with everything around it that the common options ask for. */
static meguri_status run_verb(cli_run *run) {
    const cli_args *args = &run->args;
    const char *trace = cli_is_first(run) ? cli_text(args, "trace") : NULL;
    meguri_status status = cli_split_lists(run);
    if (status == MEGURI_OK) status = cli_check_files(run); /* a trace is emptied when it is opened */
    status = cli_cluster_agree(run, status);
    if (status != MEGURI_OK) return status;
    status = cli_cluster_agree(run, trace ? meguri_ctx_trace(run->ctx, trace) : MEGURI_OK);
    if (status != MEGURI_OK) return status;
    cli_leave_standard_output(run);
    cli_progress_start(run);
    status = unless_interrupted(args->verb->run(run));
    cli_progress_clear(run);
    if (status != MEGURI_OK && !run->reported) cli_report_failure(run, status); /* before the trace is closed */
    meguri_status closed = trace ? meguri_ctx_trace(run->ctx, NULL) : MEGURI_OK;
    return status == MEGURI_OK ? cli_cluster_agree(run, closed) : status;
}

/* A standard stream that the caller closed must not become the first file that is opened: its number is taken by one
 * that fails when it is used. */
static void guard_streams(void) {
    for (int number = 0; number <= 2; number++)
        if (fcntl(number, F_GETFD) < 0 && open("/dev/null", number == 0 ? O_WRONLY : O_RDONLY) < 0) return;
}

bool cli_only_asks(const cli_args *args) { return cli_given(args, "help") || cli_given(args, "version"); }

static meguri_status answer(cli_run *run) {
    if (!cli_is_first(run)) return MEGURI_OK;
    if (cli_given(&run->args, "help")) cli_print_help(stdout, run->args.verb);
    else printf("meguri %s\n", meguri_version());
    return MEGURI_OK;
}

/* What was typed. */
static meguri_status read_command(cli_run *run, int argc, char **argv) {
    if (argc < 2) {
        if (cli_is_first(run)) cli_print_help(stderr, &cli_root);
        return cli_fail(run, MEGURI_BAD_ARGUMENT, "say what to do: one of the verbs that meguri --help lists.");
    }
    meguri_status status = cli_parse(run, &cli_root, argc, argv);
    if (status != MEGURI_OK) return status;
    return cli_only_asks(&run->args) ? MEGURI_OK : cli_check(run);
}

static meguri_status run_command(cli_run *run, int argc, char **argv) {
    meguri_status status = read_command(run, argc, argv);
    bool asks = status == MEGURI_OK && cli_only_asks(&run->args);
    bool on_graphs = status == MEGURI_OK && !asks && cli_has(&run->args, "threads");
    if (on_graphs && run->args.verb->programs) status = cli_supervise(run);
    if (on_graphs) cli_catch_signals();
    if (on_graphs || run->launch.processes) {
        meguri_status made = on_graphs ? make_context(run) : meguri_ctx_new(&run->ctx, NULL);
        status = cli_cluster_join(run, status == MEGURI_OK ? made : status);
    }
    if (status != MEGURI_OK) return status;
    if (on_graphs) return run_verb(run);
    meguri_ctx_free(run->ctx); /* it was for meeting the others */
    run->ctx = NULL;
    if (asks) return answer(run);
    return cli_is_first(run) ? run->args.verb->run(run) : MEGURI_OK;
}

int main(int argc, char **argv) {
    guard_streams();
    signal(SIGXFSZ, SIG_IGN); /* a limit on the size of files makes writes fail, which has a sentence */
    cli_steady_output();
    cli_run run = {.started = cli_now()};
    cli_launch_look(&run.launch);
    meguri_status status = run_command(&run, argc, argv);
    if (status == MEGURI_OK) status = cli_finish_output(&run);
    if (status != MEGURI_OK && !run.reported) cli_report_failure(&run, status);
    cli_cluster_leave(&run); /* when all has been said: the others may end now */
    meguri_ctx_free(run.ctx);
    cli_args_free(&run.args);
    cli_supervisor_quiet();
    return meguri_status_exit_code(status);
}
