/* The command as one of many processes: joining those that an MPI launcher started with it, sharing the machine with
 * them, agreeing on failures, and saying things once.
 *
 * Everything that can go wrong before the work, wrong usage too, is told by the first process after all have joined:
 * a launcher ends all processes as soon as one of them has failed, also the one that was about to say why. */
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
     .standard = "nearly square",
     .help = "of processes: rows x columns, or pairs"},
    {0},
};

const cli_option cli_exchange_option[] = {
    {.name = "exchange",
     .kind = CLI_CHOICE,
     .standard = "auto",
     .help = "what processes send; auto packs it between machines",
     .choices = "auto|plain|packed"},
    {0},
};

/* ---- what the launcher says ------------------------------------------------------------------------------------- */

/* The number that the first of these variables begins with that is set. */
static bool told_by(uint32_t *out, const char *const *variables) {
    for (; *variables; variables++) {
        const char *text = getenv(*variables);
        char *end;
        if (!text || !*text) continue;
        unsigned long number = strtoul(text, &end, 10);
        if (end == text || number > UINT32_MAX) continue;
        *out = (uint32_t)number;
        return true;
    }
    return false;
}

void cli_launch_look(cli_launch *out) {
    static const char *const ranks[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK", "PMIX_RANK", NULL};
    static const char *const here[] = {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "MV2_COMM_WORLD_LOCAL_SIZE",
                                       "SLURM_STEP_TASKS_PER_NODE", NULL};
    *out = (cli_launch){.processes = meguri_cluster_launched()};
    out->here = out->processes;
    out->uncounted = !out->processes && getenv("PMIX_RANK");
    if (!out->processes) return;
    told_by(&out->rank, ranks);
    told_by(&out->here, here);
    if (out->here == 0) out->here = 1;
}

/* ---- a share of the machine ------------------------------------------------------------------------------------- */

/* Cores that a process may use (0: this one). */
static uint32_t cores_of(pid_t process) {
    cpu_set_t set;
    if (sched_getaffinity(process, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0) return (uint32_t)CPU_COUNT(&set);
    return 0;
}

uint32_t cli_launch_threads(const cli_launch *launch) {
    uint32_t mine = cores_of(0), all = cores_of(getppid()); /* the launcher itself is bound to nothing */
    if (!launch->processes || !mine) return 0;
    uint32_t share = (all > mine ? all : mine) / launch->here;
    if (share == 0) share = 1;
    return mine < share ? mine : share;
}

/* ---- joining ---------------------------------------------------------------------------------------------------- */

enum { AUTO, HOST, CLUSTER };

static bool wants_cluster(const cli_run *run, bool parsed) {
    if (!parsed) return run->launch.processes > 0;
    if (!cli_has(&run->args, "engine")) return false;
    int engine = cli_choice(&run->args, "engine");
    return engine == CLUSTER || (engine == AUTO && run->launch.processes);
}

static meguri_status check_engine(cli_run *run) {
    const cli_args *args = &run->args;
    int engine = cli_choice(args, "engine");
    if (engine > CLUSTER || (engine == CLUSTER && !args->verb->on_cluster))
        return cli_fail(run, MEGURI_ENGINE_FAILED,
                        "%s does not run on the engine \"%s\"; leave --engine out, or say host.", args->verb->name,
                        cli_text(args, "engine"));
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

static meguri_status check_options(cli_run *run) {
    static const char *const names[] = {"grid", "exchange"};
    const cli_args *args = &run->args;
    for (size_t i = 0; i < 2; i++)
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

meguri_status cli_cluster_join(cli_run *run, meguri_status status) {
    bool parsed = status == MEGURI_OK;
    bool wanted = wants_cluster(run, parsed);
    if (parsed && cli_has(&run->args, "engine")) status = check_engine(run);
    if (wanted) {
        meguri_status joined = run->ctx ? join(run) : MEGURI_NO_MEMORY;
        if (joined != MEGURI_OK) return status == MEGURI_OK ? joined : status;
        cli_signals_leave_at_once(meguri_cluster_unfinished(run->cluster), run->launch.rank == 0);
    }
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

bool cli_runs_alone(const cli_run *run) {
    return cli_has(&run->args, "engine") && cli_choice(&run->args, "engine") == HOST;
}

bool cli_cluster_speaks(char *before, size_t room, const cli_run *run) {
    bool together = run->cluster && !meguri_cluster_broken(run->cluster);
    *before = '\0';
    if (together || run->launch.processes < 2 || cli_runs_alone(run)) return !together || cli_is_first(run);
    snprintf(before, room, "process %" PRIu32 " of %" PRIu32 ": ", run->launch.rank, run->launch.processes);
    return true;
}

/* ---- the graph in parts ----------------------------------------------------------------------------------------- */

/* "2x3" */
static bool read_grid(const char *text, meguri_shards_options *o) {
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

meguri_status cli_get_layout(meguri_shards_options *out, cli_run *run) {
    const char *text = cli_text(&run->args, "grid");
    *out = (meguri_shards_options){.size = sizeof *out};
    if (!text) return MEGURI_OK;
    out->pairs = strcmp(text, "pairs") == 0;
    if (out->pairs || (text[0] >= '0' && text[0] <= '9' && read_grid(text, out))) return MEGURI_OK;
    return cli_fail(run, MEGURI_BAD_ARGUMENT,
                    "--grid %.80s: give rows x columns of processes, such as 2x3, or the word pairs.", text);
}

void cli_shards_graph_info(meguri_graph_info *out, const meguri_shards_info *part) {
    *out = (meguri_graph_info){.size = sizeof *out,
                               .vertices = part->vertices,
                               .edges = part->edges,
                               .arcs = part->arcs,
                               .directed = part->directed,
                               .weight_type = part->weight_type,
                               .id_kind = part->id_kind,
                               .order = MEGURI_ORDER_DEGREE,
                               .isolated = part->isolated,
                               .input_edges = part->input_edges,
                               .dropped_duplicates = part->dropped_duplicates,
                               .dropped_loops = part->dropped_loops};
}

meguri_status cli_cluster_choose(bool *choice, cli_run *run) {
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

static const char *grid_text(char text[CLI_NUMBER_TEXT], const meguri_shards_info *part) {
    if (part->pairs) return "pairs";
    snprintf(text, CLI_NUMBER_TEXT, "%" PRIu32 "x%" PRIu32, part->rows, part->columns);
    return text;
}

void cli_cluster_json(cli_json *json, const cli_totals *totals, const meguri_shards_info *part) {
    char text[CLI_NUMBER_TEXT];
    cli_json_open(json, "cluster", '{');
    cli_json_number(json, "processes", totals->processes);
    if (part) {
        cli_json_string(json, "grid", grid_text(text, part));
        cli_json_number(json, "most_arcs", part->most_arcs_here);
        cli_json_real(json, "mean_arcs", (double)part->arcs / totals->processes);
    }
    cli_json_number(json, "messages", totals->messages);
    cli_json_number(json, "bytes", totals->bytes);
    cli_json_number(json, "most_memory_peak_bytes", totals->most_memory);
    cli_json_close(json, '}');
}

void cli_cluster_print(const cli_totals *totals, const meguri_shards_info *part) {
    char x[CLI_NUMBER_TEXT], y[CLI_NUMBER_TEXT];
    printf("%" PRIu32 " process%s", totals->processes, totals->processes == 1 ? "" : "es");
    if (part->pairs) printf(", blocks in symmetric pairs");
    else printf(", a grid of %s", grid_text(x, part));
    printf(": the fullest has %s arc%s, the mean is %s", cli_thousands(x, part->most_arcs_here),
           part->most_arcs_here == 1 ? "" : "s", cli_thousands(y, part->arcs / totals->processes));
    printf("; %s sent in %s message%s\n", cli_size_text(x, totals->bytes), cli_thousands(y, totals->messages),
           totals->messages == 1 ? "" : "s");
}
