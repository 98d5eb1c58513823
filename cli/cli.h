/* What the files of the command share. The command sees the public headers of the library and nothing else. */
#ifndef CLI_H
#define CLI_H

#include "options.h"

#include <meguri.h>
#include <meguri/extra/escape.h>
#include <meguri/extra/json.h>
#include <meguri/extra/list.h>
#include <meguri/extra/overview.h>
#include <meguri/extra/path_pairs.h>
#include <meguri/extra/path_writer.h>
#include <meguri/extra/report.h>
#include <meguri/extra/table.h>
#include <meguri/extra/words.h>
#include <meguri/run.h>
#include <stdio.h>
#include <sys/types.h>

#define CLI_ERROR_TEXT  2048
#define CLI_NUMBER_TEXT 32

/* The line on the terminal that is redrawn while the library works. Guarded by the lock of stderr, because warnings
 * may come from any thread. */
typedef struct cli_progress {
    bool enabled;
    int width; /* columns now on the screen; 0: none */
    double started, drawn;
    char phase[32];
    double phase_started;
    uint64_t phase_first; /* what was done when the phase was first seen */
    const char *advice;   /* shown instead of the rate once so much was done in a phase; NULL: none */
    uint64_t advice_from;
} cli_progress;

/* What an MPI launcher says about the process it has started. */
typedef struct cli_launch {
    uint32_t processes; /* 0: there is no launcher, or one that does not say */
    bool uncounted;     /* that one: prterun, the bare launcher beneath Open MPI 5's mpirun */
    uint32_t rank;      /* of this one */
    uint32_t here;      /* processes on this machine */
    bool directly;      /* by the launcher itself, not by a script that it has started */
    uint32_t cores;     /* of the launcher, or whatever has started this process; 0: unknown */
} cli_launch;

/* One run of the command. */
typedef struct cli_run {
    cli_args args;
    cli_launch launch;
    meguri_ctx *ctx;
    meguri_cluster *cluster; /* NULL: this process works alone */
    meguri_layout layout;    /* of graphs on it */
    cli_progress progress;
    double started;
    bool read;                  /* the graph was made from text, in this run */
    char error[CLI_ERROR_TEXT]; /* the sentence of a failure outside the library */
    bool reported;              /* the failure has been told already */
    bool agreed;                /* all ranks that were launched have this failure, though they are not joined */
} cli_run;

/* Notes the sentence of a failure and returns its status, so that callers can write `return cli_fail(…)`. */
meguri_status cli_fail(cli_run *run, meguri_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same for a file that could not be opened, after errno `error`. */
meguri_status cli_fail_open(cli_run *run, const char *path, int error);

/* Prints the sentence of a failure. main does so at the end; a verb does if it goes on after the failure. */
void cli_report_failure(cli_run *run, meguri_status status);

/* Whether help or the version is all that is asked for. */
bool cli_only_asks(const cli_args *args);

double cli_now(void); /* seconds, monotonic */

/* ---- progress.c: the progress line, warnings, Ctrl-C ------------------------------------------------------------ */

void cli_progress_start(cli_run *run);
void cli_progress_clear(cli_run *run);
int cli_on_progress(void *user, const char *phase, uint64_t done, uint64_t total);
void cli_on_log(void *user, meguri_log_level level, const char *text);
void cli_catch_signals(void);
/* From now on a signal ends the process at once, and the file of this name, if it is not empty then. NULL: no more. */
void cli_signals_leave_at_once(const char *unfinished, bool speak);
bool cli_interrupted(void);
/* From now on signals count that a supervisor passes on, and no others. */
void cli_signals_are_passed(void);
/* A meguri_progress_fn that shows nothing: for contexts beside that of the run. */
int cli_stop_when_interrupted(void *user, const char *phase, uint64_t done, uint64_t total);
/* steady.c: from now on a signal does not cut what is written to standard output. */
void cli_steady_output(void);
/* Everything that was printed has to arrive. */
meguri_status cli_finish_output(cli_run *run);

/* ---- supervisor.c, program_end.c: vertex programs that end the process ------------------------------------------ */

/* Starts a process that does what follows; this one waits for it, tells why it ended if a program ended it, and ends in
 * the same way. Returns in the new process alone, or with a failure. Before there are threads. */
meguri_status cli_supervise(cli_run *run);
/* What the two share; NULL where there is no supervisor. */
struct cli_watch *cli_supervised(void);
/* In the supervised process: signals that the supervisor has passed on so far. For handlers of signals, too. */
uint32_t cli_signals_passed(void);
/* The process ends, or is about to end, as it should: the supervisor explains nothing. For handlers of signals, too. */
void cli_supervisor_quiet(void);
/* In the supervised process, before its programs run on so many threads: what ends it while these run is noted. */
void cli_watch_programs(const meguri_program_list *programs, uint64_t threads);
/* Where they run, for meguri_run_options. */
meguri_run_place *cli_watched_place(void);
/* After the run: whether the programs have left the descriptors of this process as they were. */
meguri_status cli_check_descriptors(cli_run *run);

/* ---- cluster.c: one process of many ----------------------------------------------------------------------------- */

extern const cli_option cli_grid_option[];
extern const cli_option cli_exchange_option[];

void cli_launch_look(cli_launch *out);
/* Threads for this process, so that all on this machine have their share of its processors; 0: as many as it may use.
 */
uint32_t cli_launch_threads(const cli_launch *launch);

/* Meets the processes that were launched together, and agrees with them on how it went so far; stays joined to them if
 * this run is to be one on a cluster. */
meguri_status cli_cluster_join(cli_run *run, meguri_status status);
void cli_cluster_leave(cli_run *run);
/* A failure at one process becomes one at all. */
meguri_status cli_cluster_agree(cli_run *run, meguri_status status);
/* The choice of the first process becomes that of all. */
meguri_status cli_cluster_choose(bool *choice, cli_run *run);
/* Whether this process is the one that tells and writes what all of them found. */
bool cli_is_first(const cli_run *run);
/* One of many that each do the whole work (--engine host). */
bool cli_runs_alone(const cli_run *run);
/* For options of the library: the device where it was asked for; else where the graph lies decides. */
meguri_engine cli_engine(const cli_run *run);
/* --split A:B, two whole numbers that are not both 0; both are where it is not given, or auto. */
extern const cli_option cli_split_option[];
meguri_status cli_read_split(cli_run *run, uint32_t *host, uint32_t *device);
/* Whether it tells of a failure, and what to put before it. */
bool cli_cluster_speaks(char *before, size_t room, const cli_run *run);

/* How graphs are laid out on the cluster, as --grid and --owner say; NULL where there is none. */
meguri_status cli_get_layout(const meguri_layout **out, cli_run *run);

/* What all processes did together. */
typedef struct cli_totals {
    uint32_t processes;
    uint64_t messages, bytes;
    uint64_t most_memory; /* the peak of the process that needed most */
} cli_totals;
meguri_status cli_cluster_add_up(cli_totals *out, cli_run *run);

/* ---- names.c: lists of names in an option ------------------------------------------------------------------------ */

typedef struct cli_names {
    char *text; /* a copy of what was given, cut into names */
    const char **names;
    uint32_t count; /* 0: the option was not given */
} cli_names;
/* To be freed on failure, too. */
meguri_status cli_names_get(cli_names *out, cli_run *run, const char *option);
void cli_names_free(cli_names *names);
/* Takes the double quotes off the name at `name`, in place, where two stand for one; what follows it, NULL: they do not
 * end. */
char *cli_unquote(char *name);

/* ---- files.c: what is read and what is written ------------------------------------------------------------------ */

/* Operands that are lists of files become these files (lists.c). */
meguri_status cli_split_lists(cli_run *run);
/* Before anything is opened: no file that is read would be written, and none twice; names and folders of outputs are
 * such that they can be. */
meguri_status cli_check_files(cli_run *run);

/* ---- output.c: where results go --------------------------------------------------------------------------------- */

/* That the name says what it must, and that its folder is there. */
meguri_status cli_check_output(cli_run *run, const cli_option *option, const char *path);
const char *cli_base_name(const char *path); /* behind the last slash */
char *cli_folder_of(const char *path);       /* to be freed */
/* What a name that is a symbolic link leads to in the end, there or not; to be freed. */
char *cli_link_target(const char *path);
/* For sentences: "-" has a name there. */
const char *cli_output_name(const char *path);
/* Where -o says "-", standard output is for the result alone, and what is told goes to standard error. */
void cli_leave_standard_output(const cli_run *run);
/* " → FILE, 12 kB" */
void cli_print_written(const char *path);
/* Whether the suffix, or that there is none, says .meg. */
bool cli_names_meg(const char *path);
/* Writes the graph to -o in the format of its suffix; .meg where it has none. */
meguri_status cli_write_output(cli_run *run, const meguri_graph *graph, const meguri_path_index *index);
/* The folder for temporary files, to be freed; NULL where the library's default is right. */
char *cli_temp_folder(const cli_args *args);
/* Bytes of a file; 0 if it is not there. */
uint64_t cli_file_bytes(const char *path);
/* true if the file begins as a .meg file does; … or if its name says that it should. */
bool cli_is_meg(const char *path);
bool cli_opens_as_meg(const cli_args *args, const char *path);

/* ---- summary.c: what people and programs are told --------------------------------------------------------------- */

typedef struct cli_times {
    const char *phase; /* what came first: "read", "generate" */
    double first, write;
    const meguri_path_index *indexed; /* a path index that was made */
    double index;
} cli_times;

/* Prints a text from outside, escaped: a file name, a name of a column. */
void cli_print_text(const char *text);
/* What was made and how long it took. */
meguri_status cli_summary(cli_run *run, const meguri_graph *graph, const cli_times *times);
/* The file that the graph was written to: that of -o, or the operand where there is none. */
const char *cli_written(const cli_run *run);
/* A line: what the path index of a graph is, with its share of the file. */
void cli_print_index(const meguri_path_index_info *index, uint64_t file_bytes);
/* "20 edges; 3 parallel edges merged (smallest weight), 1 self-loop dropped", or nothing; `how` NULL: it is not known
 * how they were merged. */
void cli_print_dropped(const meguri_graph_info *info, const char *before, const char *how);
const char *cli_thousands(char buffer[CLI_NUMBER_TEXT], uint64_t number);
const char *cli_size_text(char buffer[CLI_NUMBER_TEXT], uint64_t bytes);
const char *cli_seconds_text(char buffer[CLI_NUMBER_TEXT], double seconds);
const char *cli_rate_text(char buffer[CLI_NUMBER_TEXT], double rate); /* "270 M/s" */

/* ---- json.c: JSON on a stream ----------------------------------------------------------------------------------- */

/* Into a stream. */
meguri_json cli_json_to(FILE *file);
/* The file of -o, and its bytes; null for standard output (output.c). */
void cli_json_written(meguri_json *json, const char *path);
/* The facts of a graph that every summary has (summary.c). */
void cli_json_graph(meguri_json *json, const meguri_graph_info *info);
/* Of a cluster (cluster.c); `layout` is NULL where every process has all of the graph. */
void cli_cluster_json(meguri_json *json, const cli_totals *totals, const meguri_layout_info *layout);
void cli_cluster_print(const cli_totals *totals, const meguri_layout_info *layout);
/* Those of its path index; null where it has none. */
void cli_json_index(meguri_json *json, const meguri_path_index_info *index);

/* ---- ids.c: ids of vertices ------------------------------------------------------------------------------------- */

typedef struct cli_id {
    meguri_id_kind kind;
    uint64_t number;
    const char *name; /* lives as long as the graph */
    size_t length;
} cli_id;

meguri_status cli_get_id(cli_id *out, cli_run *run, const meguri_graph *graph, meguri_id_kind kind, uint64_t vertex);
void cli_json_id(meguri_json *json, const char *key, const cli_id *id);
void cli_print_id(const cli_id *id);
/* The same in so many columns at most. */
void cli_print_id_within(const cli_id *id, int columns);
/* The id in so many columns at most, without quotes, cut with "…"; returns the columns that it takes. */
#define CLI_CELL_TEXT 512
int cli_id_cell(char out[CLI_CELL_TEXT], const cli_id *id, int columns);

/* ---- algorithm.c: what the verbs that search or rank have in common --------------------------------------------- */

#define CLI_FACTS 24

/* One run of an algorithm on a graph: opened, searched (once or several times), checked, written, told. */
typedef struct cli_algorithm {
    cli_run *run;
    meguri_graph *graph;
    meguri_graph_info info;
    meguri_layout_info layout; /* on a cluster */
    char **id_texts;           /* of the vertices that cli_algorithm_id was asked for */
    size_t id_text_count;
    meguri_fact facts[CLI_FACTS]; /* of all searches together */
    uint32_t fact_count;
    struct {
        double open, prepare, search, check, write;
    } seconds;
    bool checked;
    uint64_t component;   /* vertices of the component that a search has missed more than half of (unreached.c); 0 */
    uint64_t more_memory; /* bytes at the peak of other contexts than that of the run */
} cli_algorithm;

/* What a verb says besides what all say; each may be NULL. */
typedef struct cli_telling {
    void (*json)(meguri_json *json, const void *what);
    void (*text)(const cli_algorithm *a, const void *what); /* whole lines */
    const void *what;
    const char *work; /* what the call itself does, before its time: "search", "rank"; NULL: "work" */
    const char *top;  /* the column whose highest are shown, of a verb with cli_top_option; NULL: none */
    bool groups;      /* it names groups, of which the largest are */
} cli_telling;

/* ---- top.c: the highest of a result ----------------------------------------------------------------------------- */

typedef struct cli_top {
    const char *column;
    bool groups;
    uint64_t count;
    uint64_t *vertices;
    double *values;  /* of these in the column */
    uint64_t *sizes; /* or of the groups that they name */
    cli_id *ids;
} cli_top;

extern const cli_option cli_top_option[];
/* All processes of a cluster call it. */
meguri_status cli_top_get(cli_top *top, cli_algorithm *a, const meguri_result *result);
void cli_top_print(const cli_top *top);
void cli_top_json(meguri_json *json, const cli_top *top);
void cli_top_free(cli_top *top);

/* ---- algorithm.c: opening, writing, telling --------------------------------------------------------------------- */

extern const cli_option cli_result_options[]; /* -o and --check */
extern const cli_option cli_check_option[];   /* where there is nothing to write */

/* Opens a .meg file, or reads text by cli_read_options. */
meguri_status cli_open_graph(meguri_graph **out, cli_run *run, const char *path);
/* The same for the operand. */
meguri_status cli_algorithm_open(cli_algorithm *a, cli_run *run);
extern const cli_option cli_weight_option[];
/* The type of weights that this option stands for, instead of that of the graph. */
meguri_status cli_algorithm_weigh(cli_algorithm *a);
void cli_algorithm_close(cli_algorithm *a);
meguri_status cli_algorithm_id(cli_id *out, cli_algorithm *a, uint64_t vertex);
/* Notes the facts of a result. Those of several searches add up, but for `depth`, `farthest` and `delta`, of which the
 * largest counts, and `seconds`, which are left to the caller. */
meguri_status cli_algorithm_add_facts(cli_algorithm *a, const meguri_result *result);
/* The same, and the seconds that the call took. */
meguri_status cli_algorithm_note(cli_algorithm *a, const meguri_result *result, double seconds);
/* Notes what the checker, which was called at `start`, has said; a wrong answer gets a sentence. */
meguri_status cli_algorithm_checked(cli_algorithm *a, double start, meguri_status status);
uint64_t cli_algorithm_fact(const cli_algorithm *a, const char *name); /* 0 where there is none */
double cli_algorithm_real(const cli_algorithm *a, const char *name);
/* A line: how many edges were looked at, in what time, how many in a second. */
void cli_algorithm_print_edges(const cli_algorithm *a);
/* Names and types of columns, for JSON. */
void cli_json_columns(meguri_json *json, uint32_t count, const char *const *names, const meguri_type *types);
/* Writes the result if -o asks for it. */
meguri_status cli_algorithm_write(cli_algorithm *a, const meguri_result *result);
/* What happened, for people or as JSON; `result` is what was written, if anything was; NULL where the verb tells
 * itself which columns. */
meguri_status cli_algorithm_tell(cli_algorithm *a, const meguri_result *result, const cli_telling *telling);

/* ---- sources.c: vertices from a file ---------------------------------------------------------------------------- */

typedef struct cli_sources {
    meguri_list *list;
    const char *path; /* as sentences call it */
    const char **ids; /* of the vertices, once they are found */
    size_t count;
} cli_sources;

/* Reads a file of ids, or of pairs (docs/formats.md#lists); - is standard input. All verbs read such files here. */
meguri_status cli_sources_read(cli_sources *out, cli_run *run, const char *path, meguri_list_kind kind);
/* The vertices that have these ids, to be freed. `column` is what a header may call theirs, besides `vertex` and the
 * like: source or target; NULL: nothing else. */
meguri_status cli_sources_find(uint64_t **out, cli_sources *sources, cli_run *run, const meguri_graph *graph,
                               const char *column);
void cli_sources_free(cli_sources *sources);

/* Where a search starts: the vertex that --source names, or those of the list --sources. */
typedef struct cli_starts {
    bool many; /* --sources */
    cli_sources list;
    uint64_t *vertices;
    size_t count;
    cli_id first;
} cli_starts;

/* Before the graph is opened; then in the graph. */
meguri_status cli_starts_read(cli_starts *out, cli_run *run);
meguri_status cli_starts_find(cli_starts *starts, cli_algorithm *a);
void cli_starts_free(cli_starts *starts);

/* ---- unreached.c ------------------------------------------------------------------------------------------------ */

/* After a search without limits: whether edges of a text file that were taken for directed, without an option that says
 * so, leave more than half of the sources' weakly connected components unreached; the summary says so then. All
 * processes call it. */
void cli_look_for_unreached(cli_algorithm *a, const cli_starts *starts);
#define CLI_UNREACHED "more than half of the weakly connected component"
#define CLI_DIRECTED  " is unreached: the edges were read as directed; --undirected reads them both ways"

/* ---- help.c, man.c, completion.c: made from the option table ---------------------------------------------------- */

extern const cli_verb cli_root;
extern const char *const cli_tasks[]; /* what each of its verbs is for; those of a task follow each other */
void cli_print_help(FILE *file, const cli_verb *verb);
extern const cli_verb cli_verb_help; /* whose operands are verbs */

/* In verbs/NAME.c: the text of NAME.txt, which the man page has of a verb, as the build makes a string of it. */
#define CLI_MANUAL(name) extern const char cli_manual_##name[]

/* ---- rows that several verbs share (verbs.c) -------------------------------------------------------------------- */

extern const cli_option cli_device_options[]; /* of verbs that run on a device */
extern const cli_option cli_common_options[]; /* of every verb that works on graphs; main acts on them */
extern const cli_option cli_help_options[];   /* of every verb */
extern const cli_option cli_output_option[];
extern const cli_option cli_build_options[];   /* how edges of a model become a graph */
extern const cli_option cli_read_options[];    /* how text becomes a graph: of every verb that reads text itself */
extern const cli_option cli_arrange_options[]; /* more of it, for verbs that write the graph */

void cli_get_build_options(meguri_build_options *out, const cli_args *args);
/* Reads files by cli_read_options, and what there is of cli_arrange_options and --in-rows. */
meguri_status cli_read_inputs(meguri_graph **out, cli_run *run, const char *const *paths, size_t count);
/* Opens a .meg file, for which these options are refused, or reads text. */
meguri_status cli_open_or_read(meguri_graph **out, cli_run *run, const char *path, bool meg);

#endif
