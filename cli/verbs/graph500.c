/* meguri graph500: the benchmark, with its results in the official form: one `key: number` a line. */
#include "cli.h"

#include <meguri/extra/graph500.h>

#include <inttypes.h>
#include <string.h>

static const cli_option graph500_rows[] = {
    {.name = "scale",
     .kind = CLI_NUMBER,
     .argument = "S",
     .help = "2^S vertices, 1 to 31; under mpirun to 47",
     .least = 1,
     .most = 47,
     .required = true},
    {.name = "edgefactor",
     .kind = CLI_NUMBER,
     .argument = "N",
     .standard = "16",
     .help = "edges per vertex",
     .least = 1,
     .most = UINT32_MAX},
    {.name = "roots",
     .kind = CLI_NUMBER,
     .argument = "N",
     .standard = "64",
     .help = "searches, each from a vertex of its own",
     .least = 1,
     .most = UINT32_MAX},
    {.name = "seed", .kind = CLI_NUMBER, .argument = "N", .standard = "1", .help = "of the edges and of the roots"},
    {.name = "kernels",
     .kind = CLI_CHOICE,
     .standard = "bfs",
     .help = "what is timed: breadth-first search, shortest paths",
     .choices = "bfs|sssp|bfs,sssp",
     .unlisted = "sssp,bfs"},
    {.name = "no-validation", .kind = CLI_FLAG, .help = "do not check the trees: no official result"},
    {0},
};

static void line_text(const char *key, const char *text) { printf("%s:%*s%s\n", key, 31 - (int)strlen(key), "", text); }
static void line_number(const char *key, uint64_t number) {
    char text[CLI_NUMBER_TEXT];
    snprintf(text, sizeof text, "%" PRIu64, number);
    line_text(key, text);
}
static void line_real(const char *key, int digits, double real) {
    char text[CLI_NUMBER_TEXT];
    snprintf(text, sizeof text, "%.*g", digits, real);
    line_text(key, text);
}

/* The seven lines, or items, of a quantity. `mean` and `stddev` are what these two are called. */
typedef struct quantity {
    const char *before, *name; /* as in "bfs  min_time" */
    const char *mean, *stddev;
    int digits;
    const meguri_graph500_statistics *statistics;
} quantity;

enum { TIME, EDGES, TEPS, VALIDATION, QUANTITIES };

static quantity quantity_of(const char *before, const meguri_graph500_kernel *k, int which) {
    const quantity all[QUANTITIES] = {
        [TIME] = {before, "time", "mean", "stddev", 6, &k->time},
        [EDGES] = {"", "nedge", "mean", "stddev", 11, &k->edges},
        [TEPS] = {before, "TEPS", "harmonic_mean", "harmonic_stddev", 6, &k->teps},
        [VALIDATION] = {before, "validate", "mean", "stddev", 6, &k->validation},
    };
    return all[which];
}

/* Calls for each of the seven numbers, with its whole key. */
static void each_number(const quantity *q, bool before, void (*tell)(void *user, const char *key, int digits, double),
                        void *user) {
    const meguri_graph500_statistics *s = q->statistics;
    const struct {
        const char *name;
        double value;
    } numbers[] = {{"min", s->min},       {"firstquartile", s->first_quartile},
                   {"median", s->median}, {"thirdquartile", s->third_quartile},
                   {"max", s->max},       {q->mean, s->mean},
                   {q->stddev, s->stddev}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        char key[64];
        snprintf(key, sizeof key, "%s%s_%s", before ? q->before : "", numbers[i].name, q->name);
        tell(user, key, q->digits, numbers[i].value);
    }
}

static void tell_line(void *user, const char *key, int digits, double value) {
    (void)user;
    line_real(key, digits, value);
}

static void tell_json(void *user, const char *key, int digits, double value) {
    (void)digits;
    meguri_json_real(user, key, value);
}

/* A quantity after the other, each of the kernels that ran; both count the same edges. */
static void print_statistics(const meguri_graph500_report *r) {
    for (int i = 0; i < QUANTITIES; i++) {
        quantity bfs = quantity_of("bfs  ", &r->bfs, i), sssp = quantity_of("sssp ", &r->sssp, i);
        if (i == VALIDATION && !r->validated) continue;
        if (r->bfs.searches) each_number(&bfs, true, tell_line, NULL);
        if (r->sssp.searches && !(i == EDGES && r->bfs.searches)) each_number(&sssp, true, tell_line, NULL);
    }
}

/* `totals` of a cluster; NULL on one machine. */
static uint64_t memory_peak(const cli_run *run, const cli_totals *totals) {
    return totals ? totals->most_memory : meguri_ctx_memory_peak(run->ctx);
}

static const char *grid_text(char text[CLI_NUMBER_TEXT], const cli_run *run, const meguri_graph500_report *r) {
    const char *asked = cli_text(&run->args, "grid");
    if (asked && strcmp(asked, "pairs") == 0) return asked;
    snprintf(text, CLI_NUMBER_TEXT, "%" PRIu32 "x%" PRIu32, r->grid_rows, r->grid_columns);
    return text;
}

static void print_text(const cli_run *run, const meguri_graph500_report *r, const cli_totals *totals) {
    char text[CLI_NUMBER_TEXT];
    line_number("SCALE", r->scale);
    line_number("edgefactor", r->edge_factor);
    line_number("NBFS", r->searches_run);
    line_real("graph_generation", 6, r->generation_seconds);
    line_number("num_mpi_processes", r->processes);
    line_real("construction_time", 6, r->construction_seconds);
    print_statistics(r);
    if (!r->validated) line_text("validation", "skipped: no tree was checked, so this is no official result");
    line_number("seed", r->seed);
    line_number("num_threads", r->threads);
    line_number("memory_peak_bytes", memory_peak(run, totals));
    if (!totals) return;
    line_text("grid", grid_text(text, run, r));
    if (r->bfs.searches) line_number("bfs_messages", r->messages);
    if (r->bfs.searches) line_number("bfs_bytes", r->bytes);
}

static void print_searches(meguri_json *json, const meguri_graph500_report *r, const meguri_graph500_kernel *kernel) {
    meguri_json_open(json, "searches", '[');
    for (uint32_t i = 0; i < r->searches_run; i++) {
        const meguri_graph500_search *s = &kernel->searches[i];
        meguri_json_open(json, NULL, '{');
        meguri_json_number(json, "root", s->root);
        meguri_json_real(json, "seconds", s->seconds);
        meguri_json_number(json, "edges", s->edges);
        meguri_json_real(json, "teps", s->teps);
        meguri_json_number(json, "reached", s->reached);
        if (kernel == &r->bfs) meguri_json_number(json, "depth", s->depth);
        else meguri_json_real(json, "farthest", s->farthest);
        if (r->validated) meguri_json_real(json, "validation_seconds", s->validation_seconds);
        else meguri_json_null(json, "validation_seconds");
        meguri_json_close(json, '}');
    }
    meguri_json_close(json, ']');
}

static void print_kernel(meguri_json *json, const char *name, const meguri_graph500_report *r,
                         const meguri_graph500_kernel *kernel) {
    if (!kernel->searches) return;
    meguri_json_open(json, name, '{');
    for (int i = 0; i < QUANTITIES; i++) {
        quantity q = quantity_of("", kernel, i);
        if (i != VALIDATION || r->validated) each_number(&q, false, tell_json, json);
    }
    print_searches(json, r, kernel);
    meguri_json_close(json, '}');
}

static void print_json(const cli_run *run, const meguri_graph500_report *r, const cli_totals *totals) {
    char text[CLI_NUMBER_TEXT];
    meguri_json json = cli_json_to(stdout);
    meguri_json_open(&json, NULL, '{');
    meguri_json_number(&json, "SCALE", r->scale);
    meguri_json_number(&json, "edgefactor", r->edge_factor);
    meguri_json_number(&json, "NBFS", r->searches_run);
    meguri_json_number(&json, "roots_wanted", r->roots_wanted);
    meguri_json_number(&json, "seed", r->seed);
    meguri_json_number(&json, "vertices", r->vertices);
    meguri_json_number(&json, "input_edges", r->input_edges);
    meguri_json_number(&json, "graph_edges", r->graph_edges);
    meguri_json_real(&json, "graph_generation", r->generation_seconds);
    meguri_json_number(&json, "num_mpi_processes", r->processes);
    meguri_json_real(&json, "construction_time", r->construction_seconds);
    meguri_json_bool(&json, "validated", r->validated);
    print_kernel(&json, "bfs", r, &r->bfs);
    print_kernel(&json, "sssp", r, &r->sssp);
    meguri_json_real(&json, "total_seconds", cli_now() - run->started);
    meguri_json_number(&json, "threads", r->threads);
    meguri_json_number(&json, "memory_peak_bytes", memory_peak(run, totals));
    if (totals) {
        meguri_json_string(&json, "grid", grid_text(text, run, r));
        meguri_json_number(&json, "bfs_messages", r->messages);
        meguri_json_number(&json, "bfs_bytes", r->bytes);
        cli_cluster_json(&json, totals, NULL);
    }
    meguri_json_close(&json, '}');
    putchar('\n');
}

/* In the order of the choices. */
static const uint32_t kernels[] = {MEGURI_GRAPH500_BFS, MEGURI_GRAPH500_SSSP,
                                   MEGURI_GRAPH500_BFS | MEGURI_GRAPH500_SSSP,
                                   MEGURI_GRAPH500_BFS | MEGURI_GRAPH500_SSSP};

static meguri_status run_graph500(cli_run *run) {
    const cli_args *args = &run->args;
    meguri_graph500_report *report = NULL;
    meguri_graph500_options o = {
        .size = sizeof o,
        .scale = (uint32_t)cli_number(args, "scale", 0),
        .edge_factor = (uint32_t)cli_number(args, "edgefactor", 0),
        .roots = (uint32_t)cli_number(args, "roots", 0),
        .seed = cli_number(args, "seed", 0),
        .validate = !cli_given(args, "no-validation"),
        .kernels = kernels[cli_choice(args, "kernels")],
    };
    if (!run->cluster && o.scale > 31)
        return cli_fail(run, MEGURI_BAD_ARGUMENT,
                        "--scale %u: one process alone has numbers for 2^31 vertices; give 1 to 31, or start the "
                        "command with mpirun.",
                        (unsigned)o.scale);
    meguri_status status = cli_get_layout(&o.layout, run);
    if (status == MEGURI_OK) status = meguri_graph500(&report, run->ctx, &o);
    cli_totals totals, *all = run->cluster ? &totals : NULL;
    if (status == MEGURI_OK && all) status = cli_cluster_add_up(&totals, run);
    cli_progress_clear(run);
    if (status == MEGURI_OK && cli_is_first(run)) {
        if (cli_given(args, "json")) print_json(run, report, all);
        else if (!cli_given(args, "quiet")) print_text(run, report, all);
    }
    meguri_graph500_report_free(report);
    return status;
}

CLI_MANUAL(graph500);

const cli_verb cli_verb_graph500 = {
    .name = "graph500",
    .on_cluster = true,
    .summary = "the Graph500 benchmark: generate, build, search, validate",
    .manual = cli_manual_graph500,
    .examples = (const char *const[]){"meguri graph500 --scale 20", "meguri graph500 --scale 20 --kernels bfs,sssp",
                                      "meguri graph500 --scale 22 --threads 2 --json", NULL},
    .options = (const cli_option *const[]){graph500_rows, cli_grid_option, cli_common_options, cli_help_options, NULL},
    .run = run_graph500,
};
