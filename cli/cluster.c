/* The command as one of many processes: joining those that an MPI launcher started with it, sharing the machine with
 * them, agreeing on failures, and saying things once.
 *
 * Everything that can go wrong before the work, wrong usage too, is told by the first process after all have joined:
 * a launcher ends all processes as soon as one of them has failed, also the one that was about to say why.
 *
 * All join, also those that need nobody (--help, --version, --engine host, report): one that others wait for, and that
 * does not come, would let them wait for ever. When all have seen that nobody needs them they leave again, and go on
 * alone. Only where a script that the launcher started calls the command do such processes not join: it may call it
 * many times, or in one of the processes only, and MPI lets each of them join once. */
#define _GNU_SOURCE /* sched_getaffinity */

#include "cli.h"

#include <inttypes.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const cli_option cli_grid_option[] = {
    {.name = "grid",
     .kind = CLI_STRING,
     .argument = "RxC",
     .standard = "square",
     .help = "of processes: rows x columns; pairs"},
    {.name = "owner",
     .kind = CLI_CHOICE,
     .argument = "NAME",
     .standard = "auto",
     .help = "of vertices: degree, position, blocks",
     .choices = "auto|degree|position|blocks"},
    {0},
};

const cli_option cli_exchange_option[] = {
    {.name = "exchange",
     .kind = CLI_CHOICE,
     .standard = "auto",
     .help = "what processes send: packed or plain",
     .choices = "auto|plain|packed"},
    {0},
};

/* ---- what the launcher says ------------------------------------------------------------------------------------- */

/* The number that the first of these variables begins with that is set; returns the variable, or NULL. */
static const char *told_by(uint32_t *out, const char *const *variables) {
    for (; *variables; variables++) {
        const char *text = getenv(*variables);
        char *end;
        if (!text || !*text) continue;
        unsigned long number = strtoul(text, &end, 10);
        if (end == text || number > UINT32_MAX) continue;
        *out = (uint32_t)number;
        return *variables;
    }
    return NULL;
}

/* Whether the parent of this process was started with this variable. One that lets nobody look is another user's: not a
 * script. */
static bool parent_has(const char *variable) {
    char path[64], *entry = NULL;
    size_t room = 0, length = strlen(variable);
    bool found = false;
    snprintf(path, sizeof path, "/proc/%ld/environ", (long)getppid());
    FILE *file = fopen(path, "re");
    while (file && !found && getdelim(&entry, &room, '\0', file) > 0)
        found = strncmp(entry, variable, length) == 0 && entry[length] == '=';
    free(entry);
    if (file) fclose(file);
    return found;
}

/* Cores that a process may use (0: this one). */
static uint32_t cores_of(pid_t process) {
    cpu_set_t set;
    if (sched_getaffinity(process, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0) return (uint32_t)CPU_COUNT(&set);
    return 0;
}

void cli_launch_look(cli_launch *out) {
    static const char *const ranks[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK", "PMIX_RANK", NULL};
    static const char *const here[] = {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "MV2_COMM_WORLD_LOCAL_SIZE",
                                       "SLURM_STEP_TASKS_PER_NODE", NULL};
    *out = (cli_launch){.processes = meguri_cluster_launched(), .cores = cores_of(getppid())};
    out->here = out->processes;
    out->uncounted = !out->processes && getenv("PMIX_RANK");
    if (!out->processes) return;
    const char *variable = told_by(&out->rank, ranks);
    out->directly = variable && !parent_has(variable); /* a launcher gives it to what it starts, and has none itself */
    told_by(&out->here, here);
    if (out->here == 0) out->here = 1;
}

/* ---- a share of the machine ------------------------------------------------------------------------------------- */

uint32_t cli_launch_threads(const cli_launch *launch) {
    uint32_t mine = cores_of(0), all = launch->cores; /* the launcher itself is bound to nothing */
    if (!launch->processes || !mine) return 0;
    uint32_t share = (all > mine ? all : mine) / launch->here;
    if (share == 0) share = 1;
    return mine < share ? mine : share;
}

/* ---- joining ---------------------------------------------------------------------------------------------------- */

enum { AUTO, HOST, CLUSTER, DEVICE };

/* Whether this run needs the others; a wrong one does, to tell of it once. */
static bool wants_cluster(const cli_run *run, bool parsed) {
    if (!parsed) return run->launch.processes > 0;
    if (cli_only_asks(&run->args) || !cli_has(&run->args, "engine")) return false;
    int engine = cli_choice(&run->args, "engine");
    return engine == CLUSTER || ((engine == AUTO || engine == DEVICE) && run->launch.processes);
}

static meguri_status check_engine(cli_run *run) {
    const cli_args *args = &run->args;
    if (cli_only_asks(args) || !cli_has(args, "engine")) return MEGURI_OK;
    int engine = cli_choice(args, "engine");
    if ((engine == DEVICE && !args->verb->on_device) || (engine == CLUSTER && !args->verb->on_cluster))
        return cli_fail(run, MEGURI_ENGINE_FAILED,
                        "%s does not run on the engine \"%s\"; leave --engine out, or say host.", args->verb->name,
                        cli_text(args, "engine"));
    if (engine == DEVICE && run->launch.processes && !args->verb->on_devices)
        return cli_fail(run, MEGURI_ENGINE_FAILED,
                        "%s on the engine \"device\" is one process with its device, and %" PRIu32
                        " were launched; start it without the launcher.",
                        args->verb->name, run->launch.processes);
    if (engine == DEVICE && run->launch.processes && cli_has(args, "split") && cli_given(args, "split"))
        return cli_fail(run, MEGURI_BAD_ARGUMENT,
                        "--split is about one process with its device, and %" PRIu32
                        " were launched, whose devices do all levels; leave it out.",
                        run->launch.processes);
    if (engine == AUTO && run->launch.uncounted)
        return cli_fail(run, MEGURI_ENGINE_FAILED,
                        "a launcher has started this process and does not say how many others (PMIX_RANK is set, no "
                        "number of processes is); start them with mpirun or srun, or say --engine host, which lets "
                        "each of them do all of it.");
    if (engine == AUTO && run->launch.processes && !args->verb->on_cluster)
        return cli_fail(run, MEGURI_ENGINE_FAILED,
                        "%s does not run on a cluster, and %" PRIu32
                        " processes were launched; start it without the launcher, or say --engine host, which lets "
                        "each of them do all of it.",
                        args->verb->name, run->launch.processes);
    return MEGURI_OK;
}

/* Of the device, and not for another engine. */
static meguri_status check_device_options(cli_run *run) {
    static const char *const names[] = {"device", "device-memory", "split"};
    const cli_args *args = &run->args;
    if (!cli_has(args, "engine") || cli_choice(args, "engine") == DEVICE) return MEGURI_OK;
    if (!args->verb->on_device) return MEGURI_OK; /* it only wants to know about one */
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (cli_has(args, names[i]) && cli_given(args, names[i]))
            return cli_fail(run, MEGURI_BAD_ARGUMENT, "--%s is about the engine device; say --engine device with it.",
                            names[i]);
    return MEGURI_OK;
}

static meguri_status check_options(cli_run *run) {
    static const char *const names[] = {"grid", "owner", "exchange"};
    const cli_args *args = &run->args;
    meguri_status status = check_device_options(run);
    if (status != MEGURI_OK) return status;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!run->cluster && cli_has(args, names[i]) && cli_given(args, names[i]))
            return cli_fail(run, MEGURI_BAD_ARGUMENT,
                            "--%s is about the processes of a cluster; start the command with mpirun, or say --engine "
                            "cluster.",
                            names[i]);
    return MEGURI_OK;
}

static meguri_status join(cli_run *run) {
    return run->launch.processes ? meguri_cluster_mpi(&run->cluster, run->ctx, NULL)
                                 : meguri_cluster_alone(&run->cluster, run->ctx);
}

meguri_status cli_cluster_agree(cli_run *run, meguri_status status) {
    if (!run->cluster) return status;
    status =
        meguri_cluster_agree(run->ctx, run->cluster, status, run->error[0] ? run->error : meguri_ctx_error(run->ctx));
    run->error[0] = '\0'; /* that of the context is the one of all */
    return status;
}

/* ---- whether all were told the same ----------------------------------------------------------------------------- */

/* FNV-1a. */
static uint64_t hash_text(uint64_t hash, const char *text) {
    if (!hash) hash = 0xcbf29ce484222325u;
    for (; *text; text++) hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
    return (hash ^ 0xff) * 0x100000001b3u; /* where it ends */
}

static uint64_t hash_value(const cli_value *value) {
    uint64_t hash = value->given;
    if (value->given && value->text) hash = hash_text(hash, value->text);
    for (size_t i = 0; i < value->text_count; i++) hash = hash_text(hash, value->texts[i]);
    return hash;
}

/* What a process may have of its own: machines differ. */
static bool is_own(const char *option) { return strcmp(option, "threads") == 0 || strcmp(option, "memory") == 0; }

#define SAME "; all processes of a cluster are given the same."

/* What all of them are, found in one go. */
typedef struct companions {
    uint64_t told;             /* of the first process, as a number that stands for it */
    uint64_t failed, together; /* how many have failed already; how many need the others */
} companions;

static meguri_status meet(companions *out, cli_run *run) {
    if (!cli_is_first(run)) out->told = 0;
    return meguri_cluster_reduce(&out->told, run->ctx, run->cluster, sizeof *out / 8, MEGURI_SUM);
}

/* Says of a failure that not all processes have whose it is. */
static meguri_status fail_here(cli_run *run, meguri_status status) {
    char sentence[CLI_ERROR_TEXT];
    memcpy(sentence, run->error, sizeof sentence);
    return cli_fail(run, status, "process %" PRIu32 ": %.2000s", run->launch.rank, sentence);
}

/* The verb, or what takes the place of one. */
static const char *told(const cli_args *args) {
    if (!cli_only_asks(args)) return args->verb->name;
    return cli_given(args, "help") ? "--help" : "--version";
}

static meguri_status compare_calls(cli_run *run, meguri_status status, const companions *mine, const companions *all) {
    uint32_t me = run->launch.rank;
    if (status != MEGURI_OK && all->failed < meguri_cluster_size(run->cluster)) status = fail_here(run, status);
    else if (!all->failed && mine->told != all->told)
        status = cli_fail(run, MEGURI_BAD_ARGUMENT,
                          "process %" PRIu32 " was told %s, and process 0 something else" SAME, me, told(&run->args));
    return cli_cluster_agree(run, status);
}

static meguri_status fail_option(cli_run *run, const cli_value *value) {
    uint32_t me = run->launch.rank;
    if (!value->given)
        return cli_fail(run, MEGURI_BAD_ARGUMENT, "process 0 was given --%s, and process %" PRIu32 " was not" SAME,
                        value->option->name, me);
    return cli_fail(run, MEGURI_BAD_ARGUMENT, "process %" PRIu32 " was given --%s%s%.80s, and process 0 was not" SAME,
                    me, value->option->name, value->text ? " " : "", value->text ? value->text : "");
}

/* Of one verb of one version, which has one table of options. */
static meguri_status compare_arguments(cli_run *run) {
    const cli_args *args = &run->args;
    uint64_t mine[CLI_MAX_OPTIONS + 1] = {0}, first[CLI_MAX_OPTIONS + 1];
    uint32_t count = (uint32_t)args->value_count + 1;
    for (size_t i = 0; i < args->value_count; i++)
        if (!is_own(args->values[i].option->name)) mine[1 + i] = hash_value(&args->values[i]);
    for (size_t i = 0; i < args->operand_count + args->passed_count; i++)
        mine[0] = hash_text(mine[0], args->operands[i]);
    if (cli_is_first(run)) memcpy(first, mine, sizeof first);
    else memset(first, 0, sizeof first);
    meguri_status status = meguri_cluster_reduce(first, run->ctx, run->cluster, count, MEGURI_SUM);
    if (status == MEGURI_OK && mine[0] != first[0])
        status = cli_fail(run, MEGURI_BAD_ARGUMENT,
                          "process %" PRIu32 " was given %.200s, and process 0 something else" SAME, run->launch.rank,
                          args->operand_count ? args->operands[args->operand_count - 1] : "no graph");
    for (uint32_t i = 1; i < count && status == MEGURI_OK; i++)
        if (mine[i] != first[i]) status = fail_option(run, &args->values[i - 1]);
    return cli_cluster_agree(run, status);
}

/* Processes that do different things wait for each other for ever, or take each other's messages for what they are not:
 * so what they were told is compared before anything else, as numbers that stand for it. Those that all work alone may
 * do what they like. */
static meguri_status compare(cli_run *run, meguri_status status, bool together) {
    if (!run->cluster || meguri_cluster_size(run->cluster) < 2) return status;
    const companions mine = {.told = status == MEGURI_OK ? hash_text(0, told(&run->args)) : 0,
                             .failed = status != MEGURI_OK,
                             .together = together};
    companions all = mine;
    meguri_status met = meet(&all, run);
    if (met != MEGURI_OK) return met;
    if (!all.together) return MEGURI_OK;
    status = compare_calls(run, status, &mine, &all);
    return status == MEGURI_OK ? compare_arguments(run) : status;
}

/* Where there is no way to the others, nobody waits for this process, and it can go on if it needs nobody. That their
 * versions differ all of them know. */
static meguri_status join_or_not(cli_run *run, meguri_status status, bool together) {
    meguri_status joined = run->ctx ? join(run) : MEGURI_NO_MEMORY;
    run->agreed = joined == MEGURI_BAD_ARGUMENT;
    if (joined == MEGURI_OK) cli_signals_leave_at_once(meguri_cluster_unfinished(run->cluster), run->launch.rank == 0);
    else if (together && status == MEGURI_OK) status = check_engine(run) == MEGURI_OK ? joined : MEGURI_ENGINE_FAILED;
    return status;
}

meguri_status cli_cluster_join(cli_run *run, meguri_status status) {
    bool together = wants_cluster(run, status == MEGURI_OK);
    if (together || (run->launch.processes > 1 && run->launch.directly)) status = join_or_not(run, status, together);
    status = compare(run, status, together);
    if (status == MEGURI_OK && !together) cli_cluster_leave(run);
    if (status == MEGURI_OK) status = check_engine(run);
    if (status == MEGURI_OK) status = check_options(run);
    return cli_cluster_agree(run, status);
}

void cli_cluster_leave(cli_run *run) {
    if (!run->cluster) return;
    cli_signals_leave_at_once(NULL, false);
    meguri_cluster_free(run->cluster);
    run->cluster = NULL;
}

/* ---- saying things once ----------------------------------------------------------------------------------------- */

bool cli_is_first(const cli_run *run) {
    return !run->cluster ? run->launch.rank == 0 || cli_runs_alone(run) : meguri_cluster_rank(run->cluster) == 0;
}

const cli_option cli_split_option[] = {
    {.name = "split",
     .kind = CLI_STRING,
     .argument = "A:B",
     .standard = "auto",
     .help = "shares of host and device, with --engine device"},
    {0},
};

meguri_status cli_read_split(cli_run *run, uint32_t *host, uint32_t *device) {
    const char *text = cli_text(&run->args, "split");
    unsigned a = 0, b = 0;
    int end = 0;
    *host = *device = 0;
    if (!cli_given(&run->args, "split") || strcmp(text, "auto") == 0) return MEGURI_OK;
    if (strspn(text, "0123456789:") != strlen(text) || strlen(text) > 13 ||
        sscanf(text, "%u:%u%n", &a, &b, &end) != 2 || text[end] || a > 100000 || b > 100000 || a + b == 0)
        return cli_fail(run, MEGURI_BAD_ARGUMENT,
                        "--split %s: give the shares of host and device as two whole numbers, like 1:3, or auto.",
                        text);
    *host = a;
    *device = b;
    return MEGURI_OK;
}

meguri_engine cli_engine(const cli_run *run) {
    return cli_choice(&run->args, "engine") == DEVICE ? MEGURI_ENGINE_DEVICE : MEGURI_ENGINE_AUTO;
}

bool cli_runs_alone(const cli_run *run) {
    return cli_has(&run->args, "engine") && cli_choice(&run->args, "engine") == HOST;
}

bool cli_cluster_speaks(char *before, size_t room, const cli_run *run) {
    bool together = run->cluster && !meguri_cluster_broken(run->cluster);
    *before = '\0';
    if (run->agreed) return run->launch.rank == 0;
    if (together || run->launch.processes < 2 || cli_runs_alone(run)) return !together || cli_is_first(run);
    snprintf(before, room, "process %" PRIu32 " of %" PRIu32 ": ", run->launch.rank, run->launch.processes);
    return true;
}

/* ---- the graph in parts ----------------------------------------------------------------------------------------- */

/* "2x3" */
static bool read_grid(const char *text, meguri_layout *o) {
    char *end;
    unsigned long rows = strtoul(text, &end, 10), columns;
    if (end == text || *end != 'x' || !rows || rows > INT32_MAX) return false;
    text = end + 1;
    columns = strtoul(text, &end, 10);
    if (end == text || *end || !columns || columns > INT32_MAX) return false;
    o->rows = (uint32_t)rows;
    o->columns = (uint32_t)columns;
    return strspn(text, "0123456789") == (size_t)(end - text);
}

meguri_status cli_get_layout(const meguri_layout **out, cli_run *run) {
    const char *text = run->cluster ? cli_text(&run->args, "grid") : NULL;
    meguri_layout *layout = &run->layout;
    *layout = (meguri_layout){.size = sizeof *layout, .cluster = run->cluster};
    *out = run->cluster ? layout : NULL;
    if (run->cluster) layout->owner = (meguri_owner)cli_choice(&run->args, "owner");
    layout->programs = run->args.verb->programs;
    layout->whole_files = cli_has(&run->args, "check") && cli_given(&run->args, "check");
    if (!text) return MEGURI_OK;
    layout->pairs = strcmp(text, "pairs") == 0;
    if (layout->pairs || (text[0] >= '0' && text[0] <= '9' && read_grid(text, layout))) return MEGURI_OK;
    return cli_fail(run, MEGURI_BAD_ARGUMENT,
                    "--grid %.80s: give rows x columns of processes, such as 2x3, or the word pairs.", text);
}

meguri_status cli_cluster_choose(bool *choice, cli_run *run) {
    if (!run->cluster) return MEGURI_OK;
    uint64_t first = cli_is_first(run) && *choice;
    meguri_status status = meguri_cluster_reduce(&first, run->ctx, run->cluster, 1, MEGURI_SUM);
    *choice = first != 0;
    return status;
}

/* ---- totals ----------------------------------------------------------------------------------------------------- */

meguri_status cli_cluster_add_up(cli_totals *out, cli_run *run) {
    uint64_t sums[2];
    *out = (cli_totals){.processes = meguri_cluster_size(run->cluster)};
    meguri_cluster_sent(&sums[0], &sums[1], run->cluster);
    meguri_status status = meguri_cluster_reduce(sums, run->ctx, run->cluster, 2, MEGURI_SUM);
    out->most_memory = meguri_ctx_memory_peak(run->ctx);
    if (status == MEGURI_OK)
        status = meguri_cluster_reduce(&out->most_memory, run->ctx, run->cluster, 1, MEGURI_MAXIMUM);
    out->messages = sums[0];
    out->bytes = sums[1];
    return status;
}

static const char *owner_name(meguri_owner owner) {
    static const char *const names[] = {"auto", "degree", "position", "blocks"};
    return names[owner];
}

static const char *grid_text(char text[CLI_NUMBER_TEXT], const meguri_layout_info *layout) {
    if (layout->pairs) return "pairs";
    snprintf(text, CLI_NUMBER_TEXT, "%" PRIu32 "x%" PRIu32, layout->rows, layout->columns);
    return text;
}

void cli_cluster_json(meguri_json *json, const cli_totals *totals, const meguri_layout_info *layout) {
    char text[CLI_NUMBER_TEXT];
    meguri_json_open(json, "cluster", '{');
    meguri_json_number(json, "processes", totals->processes);
    if (layout) {
        meguri_json_string(json, "grid", grid_text(text, layout));
        meguri_json_string(json, "owner", owner_name(layout->owner));
        meguri_json_number(json, "most_arcs", layout->most_arcs_here);
        meguri_json_real(json, "mean_arcs", (double)layout->arcs / totals->processes);
    }
    meguri_json_number(json, "messages", totals->messages);
    meguri_json_number(json, "bytes", totals->bytes);
    meguri_json_number(json, "most_memory_peak_bytes", totals->most_memory);
    meguri_json_close(json, '}');
}

void cli_cluster_print(const cli_totals *totals, const meguri_layout_info *layout) {
    char x[CLI_NUMBER_TEXT], y[CLI_NUMBER_TEXT];
    printf("%" PRIu32 " process%s", totals->processes, totals->processes == 1 ? "" : "es");
    if (layout->pairs) printf(", blocks in symmetric pairs");
    else printf(", a grid of %s", grid_text(x, layout));
    printf(", vertices by %s", owner_name(layout->owner));
    printf(": the fullest has %s arc%s, the mean is %s", cli_thousands(x, layout->most_arcs_here),
           layout->most_arcs_here == 1 ? "" : "s", cli_thousands(y, layout->arcs / totals->processes));
    printf("; %s sent in %s message%s\n", cli_size_text(x, totals->bytes), cli_thousands(y, totals->messages),
           totals->messages == 1 ? "" : "s");
}
