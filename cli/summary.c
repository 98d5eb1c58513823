/* What people and programs are told after the work: numbers with separators for people, JSON for programs. */
#include "cli.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>

void cli_print_text(const char *text) {
    char shown[4 * PATH_MAX];
    fputs(meguri_escape_string(shown, sizeof shown, text), stdout);
}

const char *cli_thousands(char buffer[CLI_NUMBER_TEXT], uint64_t number) {
    char digits[CLI_NUMBER_TEXT];
    int length = snprintf(digits, sizeof digits, "%" PRIu64, number), at = 0;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0) buffer[at++] = ',';
        buffer[at++] = digits[i];
    }
    buffer[at] = '\0';
    return buffer;
}

const char *cli_size_text(char buffer[CLI_NUMBER_TEXT], uint64_t bytes) {
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB", "PB", "EB"};
    double value = (double)bytes;
    size_t unit = 0;
    while (value >= 999.5 && unit + 1 < sizeof units / sizeof *units) {
        value /= 1000;
        unit++;
    }
    snprintf(buffer, CLI_NUMBER_TEXT,
             unit && value < 9.995   ? "%.2f %s"
             : unit && value < 99.95 ? "%.1f %s"
                                     : "%.0f %s",
             value, units[unit]);
    return buffer;
}

const char *cli_seconds_text(char buffer[CLI_NUMBER_TEXT], double seconds) {
    if (seconds < 0.0009995) snprintf(buffer, CLI_NUMBER_TEXT, "%.0f µs", seconds * 1e6);
    else if (seconds < 0.0095) snprintf(buffer, CLI_NUMBER_TEXT, "%.1f ms", seconds * 1e3);
    else if (seconds < 0.0995) snprintf(buffer, CLI_NUMBER_TEXT, "%.0f ms", seconds * 1e3);
    else snprintf(buffer, CLI_NUMBER_TEXT, seconds < 9.95 ? "%.1f s" : "%.0f s", seconds);
    return buffer;
}

const char *cli_rate_text(char buffer[CLI_NUMBER_TEXT], double rate) {
    static const char *const units[] = {"", " k", " M", " G", " T"};
    size_t unit = 0;
    while (rate >= 999.5 && unit + 1 < sizeof units / sizeof *units) {
        rate /= 1000;
        unit++;
    }
    snprintf(buffer, CLI_NUMBER_TEXT, rate < 10 ? "%.1f%s/s" : "%.0f%s/s", rate, units[unit]);
    return buffer;
}

void cli_json_graph(meguri_json *json, const meguri_graph_info *info) {
    meguri_json_number(json, "vertices", info->vertices);
    meguri_json_number(json, "edges", info->edges);
    meguri_json_number(json, "arcs", info->arcs);
    meguri_json_bool(json, "directed", info->directed);
    meguri_json_string(json, "weights", meguri_type_name(info->weight_type));
    meguri_json_string(json, "weight_storage", meguri_type_name(info->weight_storage));
    meguri_json_string(json, "ids", meguri_id_kind_name(info->id_kind));
    meguri_json_string(json, "order", meguri_order_name(info->order));
    meguri_json_bool(json, "coordinates", info->has_coordinates);
    meguri_json_number(json, "isolated", info->isolated);
    meguri_json_number(json, "input_edges", info->input_edges);
    meguri_json_number(json, "dropped_duplicates", info->dropped_duplicates);
    meguri_json_number(json, "dropped_loops", info->dropped_loops);
}

void cli_json_index(meguri_json *json, const meguri_path_index_info *index) {
    if (!index) {
        meguri_json_null(json, "path_index");
        return;
    }
    meguri_json_open(json, "path_index", '{');
    meguri_json_number(json, "bytes", index->bytes);
    meguri_json_number(json, "edges", index->edges);
    meguri_json_number(json, "shortcuts", index->shortcuts);
    meguri_json_number(json, "uncontracted", index->uncontracted);
    meguri_json_close(json, '}');
}

/* What is told. */
typedef struct summary {
    cli_run *run;
    const char *path;
    char beside[PATH_MAX]; /* the file that was written beside it, if any */
    char names[PATH_MAX];  /* and the table of the names of its vertices */
    const cli_times *times;
    meguri_graph_info info;
    meguri_path_index_info index;
    bool together; /* on a cluster */
    meguri_layout_info layout;
    cli_totals totals;
} summary;

static uint64_t memory_peak(const summary *s) {
    return s->together ? s->totals.most_memory : meguri_ctx_memory_peak(s->run->ctx);
}

/* The choice of --duplicates by which a graph was made in this run; NULL: it was not. */
static const char *duplicates_of(const cli_run *run) {
    static const char *const names[] = {"min", "max", "sum", "first", "count", "keep"};
    bool made = run->read || !run->args.verb->least_operands; /* generators read nothing */
    if (!made || !cli_has(&run->args, "duplicates")) return NULL;
    meguri_build_options options;
    cli_get_build_options(&options, &run->args);
    return names[options.duplicates];
}

/* What it means for people; NULL: nothing, as there are no weights. */
static const char *merged_how(const summary *s) {
    static const char *const texts[][2] = {{"min", "smallest weight"},
                                           {"max", "largest weight"},
                                           {"sum", "weights added"},
                                           {"first", "first edge kept"},
                                           {"count", "counted as weights"}};
    const char *duplicates = duplicates_of(s->run);
    for (size_t i = 0; i < sizeof texts / sizeof *texts && duplicates && s->info.weight_type; i++)
        if (strcmp(duplicates, texts[i][0]) == 0) return texts[i][1];
    return NULL;
}

static void summary_json(const summary *s) {
    meguri_json json = cli_json_to(stdout);
    cli_run *run = s->run;
    const meguri_graph_info *info = &s->info;
    const char *path = s->path;
    uint64_t bytes = cli_file_bytes(path);
    meguri_json_open(&json, NULL, '{');
    cli_json_graph(&json, info);
    if (duplicates_of(run)) meguri_json_string(&json, "duplicates", duplicates_of(run));
    meguri_json_string(&json, "file", path);
    if (*s->beside) meguri_json_string(&json, "file_beside", s->beside);
    if (*s->names) meguri_json_string(&json, "file_names", s->names);
    meguri_json_number(&json, "file_bytes", bytes);
    meguri_json_real(&json, "bytes_per_arc", (double)bytes / (double)info->arcs);
    if (s->times->indexed) cli_json_index(&json, &s->index);
    meguri_json_open(&json, "seconds", '{');
    meguri_json_real(&json, s->times->phase, s->times->first);
    if (s->times->indexed) meguri_json_real(&json, "index", s->times->index);
    meguri_json_real(&json, "write", s->times->write);
    meguri_json_real(&json, "total", cli_now() - run->started);
    meguri_json_close(&json, '}');
    meguri_json_number(&json, "threads", meguri_ctx_threads(run->ctx));
    meguri_json_number(&json, "memory_peak_bytes", memory_peak(s));
    if (s->together) cli_cluster_json(&json, &s->totals, &s->layout);
    meguri_json_close(&json, '}');
    putchar('\n');
}

void cli_print_dropped(const meguri_graph_info *info, const char *before, const char *how) {
    char count[CLI_NUMBER_TEXT];
    uint64_t merged = info->dropped_duplicates, loops = info->dropped_loops;
    if (!merged && !loops) return;
    printf("%s%s edge%s; ", before, cli_thousands(count, info->input_edges), info->input_edges == 1 ? "" : "s");
    if (merged) printf("%s parallel edge%s merged", cli_thousands(count, merged), merged == 1 ? "" : "s");
    if (merged && how) printf(" (%s)", how);
    if (merged && loops) printf(", ");
    if (loops) printf("%s self-loop%s dropped", cli_thousands(count, loops), loops == 1 ? "" : "s");
    putchar('\n');
}

void cli_print_index(const meguri_path_index_info *index, uint64_t file_bytes) {
    char a[MEGURI_COUNT_TEXT], b[CLI_NUMBER_TEXT];
    printf("%s, ", meguri_count_text(a, index->shortcuts, "shortcut"));
    if (index->uncontracted) printf("%s uncontracted, ", meguri_count_text(a, index->uncontracted, "vertex"));
    printf("%s", cli_size_text(b, index->bytes));
    if (file_bytes) printf(" (%.0f %% of the file)", 100 * (double)index->bytes / (double)file_bytes);
}

static void summary_text(const summary *s) {
    char a[CLI_NUMBER_TEXT], b[CLI_NUMBER_TEXT], c[CLI_NUMBER_TEXT];
    cli_run *run = s->run;
    const meguri_graph_info *info = &s->info;
    uint64_t bytes = cli_file_bytes(s->path);
    uint32_t threads = meguri_ctx_threads(run->ctx);
    printf("%s %s, %s edge%s, %s", cli_thousands(a, info->vertices), info->vertices == 1 ? "vertex" : "vertices",
           cli_thousands(b, info->edges), info->edges == 1 ? "" : "s", info->directed ? "directed" : "undirected");
    if (info->weight_type != MEGURI_TYPE_NONE) printf(", weights %s", meguri_type_name(info->weight_type));
    if (info->has_coordinates) printf(", coordinates");
    putchar('\n');
    cli_print_dropped(info, "input: ", merged_how(s));
    if (s->times->indexed) {
        printf("path index: ");
        cli_print_index(&s->index, bytes);
        printf(" in %s\n", cli_seconds_text(a, s->times->index));
    }
    if (s->together) cli_cluster_print(&s->totals, &s->layout);
    printf("%s in %s (%s %s, ", cli_size_text(a, bytes), cli_seconds_text(b, cli_now() - run->started), s->times->phase,
           cli_seconds_text(c, s->times->first));
    if (s->times->indexed) printf("index %s, ", cli_seconds_text(a, s->times->index));
    printf("write %s), memory %s, %" PRIu32 " thread%s%s → ", cli_seconds_text(a, s->times->write),
           cli_size_text(b, memory_peak(s)), threads, threads == 1 ? "" : "s", s->totals.processes > 1 ? " each" : "");
    cli_print_text(s->path);
    if (*s->beside) fputs(" and ", stdout);
    cli_print_text(s->beside);
    if (*s->names) fputs(" and ", stdout);
    cli_print_text(s->names);
    putchar('\n');
}

const char *cli_written(const cli_run *run) {
    const char *output = cli_text(&run->args, "output");
    return output ? output : run->args.operands[0];
}

static meguri_status look_at(summary *s, const meguri_graph *graph) {
    meguri_ctx *ctx = s->run->ctx;
    meguri_status status = meguri_graph_get_info(&s->info, ctx, graph);
    if (s->together) {
        if (status == MEGURI_OK) status = meguri_graph_get_layout(&s->layout, ctx, graph);
        return status == MEGURI_OK ? cli_cluster_add_up(&s->totals, s->run) : status;
    }
    meguri_write_beside(s->beside, sizeof s->beside, graph, s->path, MEGURI_FORMAT_AUTO);
    meguri_names_beside(s->names, sizeof s->names, graph, s->path, MEGURI_FORMAT_AUTO);
    if (status != MEGURI_OK || !s->times->indexed) return status;
    return meguri_path_index_get_info(&s->index, ctx, s->times->indexed);
}

meguri_status cli_summary(cli_run *run, const meguri_graph *graph, const cli_times *times) {
    summary s = {.run = run, .path = cli_written(run), .times = times, .together = run->cluster != NULL};
    s.info.size = sizeof s.info;
    s.index.size = sizeof s.index;
    s.layout.size = sizeof s.layout;
    if (cli_given(&run->args, "quiet") && !cli_given(&run->args, "json")) return MEGURI_OK;
    meguri_status status = look_at(&s, graph);
    if (status != MEGURI_OK) return status;
    cli_progress_clear(run);
    if (!cli_is_first(run)) return MEGURI_OK;
    if (cli_given(&run->args, "json")) summary_json(&s);
    else summary_text(&s);
    return MEGURI_OK;
}
