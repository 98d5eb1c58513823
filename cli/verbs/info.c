/* meguri info: what a .meg file holds. Reads its head, the degrees and two ids; --check reads it all. */
#include "cli.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BUCKETS 65 /* degree 0, 1, 2–3, 4–7 … up to 2^64 - 1 */
#define CHUNK   ((uint64_t)1 << 16)
#define BAR     30 /* columns of the longest bar */

typedef struct degree_facts {
    uint64_t least, most;
    double mean;
    uint64_t bucket[BUCKETS];
    int last; /* the last bucket that is not empty; -1: none */
} degree_facts;

typedef struct file_facts {
    const char *path;
    meguri_graph_info info;
    meguri_path_index_info index;
    meguri_generation generation;
    degree_facts degrees;
    meguri_column_info *columns; /* info.edge_columns of them */
    meguri_column_info *vertex_columns;
    bool checked;
} file_facts;

static int bucket_of(uint64_t degree) { return degree ? 64 - __builtin_clzll(degree) : 0; }
static uint64_t bucket_least(int bucket) { return bucket ? (uint64_t)1 << (bucket - 1) : 0; }
static uint64_t bucket_most(int bucket) { return bucket ? ((uint64_t)1 << (bucket - 1)) * 2 - 1 : 0; }

static meguri_status count_degrees(degree_facts *out, cli_run *run, const meguri_graph *graph, uint64_t vertices) {
    meguri_status status = MEGURI_OK;
    uint64_t *degrees = malloc(CHUNK * sizeof *degrees);
    if (!degrees) return cli_fail(run, MEGURI_NO_MEMORY, "the system has no memory to count degrees.");
    uint64_t sum = 0;
    *out = (degree_facts){.least = UINT64_MAX, .last = -1};
    for (uint64_t first = 0; first < vertices && status == MEGURI_OK; first += CHUNK) {
        uint64_t count = vertices - first < CHUNK ? vertices - first : CHUNK;
        status = meguri_graph_degrees(degrees, run->ctx, graph, first, count);
        if (cli_on_progress(run, "degrees", first, vertices) && status == MEGURI_OK)
            status = cli_fail(run, MEGURI_CANCELLED, "interrupted.");
        for (uint64_t i = 0; i < count && status == MEGURI_OK; i++) {
            uint64_t d = degrees[i];
            int bucket = bucket_of(d);
            sum += d;
            out->bucket[bucket]++;
            if (d < out->least) out->least = d;
            if (d > out->most) out->most = d;
            if (bucket > out->last) out->last = bucket;
        }
    }
    out->mean = (double)sum / (double)vertices; /* not a number without vertices */
    free(degrees);
    return status;
}

/* As ISO 8601 has it, in UTC. */
enum { TIME_TEXT = 32 };
static const char *time_text(char text[TIME_TEXT], uint64_t seconds) {
    time_t time = (time_t)seconds;
    struct tm parts;
    if (!gmtime_r(&time, &parts) || !strftime(text, TIME_TEXT, "%Y-%m-%dT%H:%M:%SZ", &parts)) strcpy(text, "?");
    return text;
}

/* ---- for programs ----------------------------------------------------------------------------------------------- */

static void json_columns(meguri_json *json, const char *name, const meguri_column_info *columns, uint32_t count) {
    meguri_json_open(json, name, '[');
    for (uint32_t c = 0; c < count; c++) {
        meguri_json_open(json, NULL, '{');
        meguri_json_string(json, "name", columns[c].name);
        meguri_json_string(json, "type", meguri_type_name(columns[c].type));
        meguri_json_string(json, "kind", meguri_column_kind_name(columns[c].kind));
        meguri_json_number(json, "names", columns[c].label_count);
        meguri_json_close(json, '}');
    }
    meguri_json_close(json, ']');
}

static void print_json(const file_facts *f, const cli_id ids[2]) {
    meguri_json json = cli_json_to(stdout);
    const meguri_graph_info *info = &f->info;
    meguri_json_open(&json, NULL, '{');
    meguri_json_string(&json, "file", f->path);
    meguri_json_number(&json, "file_bytes", info->file_bytes);
    cli_json_graph(&json, info);
    if (info->vertices) {
        cli_json_id(&json, "first_id", &ids[0]);
        cli_json_id(&json, "last_id", &ids[1]);
    } else {
        meguri_json_null(&json, "first_id");
        meguri_json_null(&json, "last_id");
    }
    meguri_json_real(&json, "bytes_per_arc", (double)info->file_bytes / (double)info->arcs);
    meguri_json_real(&json, "bytes_per_edge", (double)info->file_bytes / (double)info->edges);
    meguri_json_open(&json, "degrees", '{');
    meguri_json_number(&json, "min", info->vertices ? f->degrees.least : 0);
    meguri_json_real(&json, "mean", f->degrees.mean);
    meguri_json_number(&json, "max", f->degrees.most);
    meguri_json_open(&json, "histogram", '[');
    for (int b = 0; b <= f->degrees.last; b++) {
        meguri_json_open(&json, NULL, '{');
        meguri_json_number(&json, "from", bucket_least(b));
        meguri_json_number(&json, "to", bucket_most(b));
        meguri_json_number(&json, "vertices", f->degrees.bucket[b]);
        meguri_json_close(&json, '}');
    }
    meguri_json_close(&json, ']');
    meguri_json_close(&json, '}');
    if (f->generation.number) {
        char time[TIME_TEXT];
        meguri_json_number(&json, "generation", f->generation.number);
        meguri_json_string(&json, "extracted", time_text(time, f->generation.time));
    }
    meguri_json_bool(&json, "in_rows", info->in_rows != 0);
    cli_json_index(&json, f->info.has_path_index ? &f->index : NULL);
    json_columns(&json, "columns", f->columns, info->edge_columns);
    json_columns(&json, "vertex_columns", f->vertex_columns, info->vertex_columns);
    meguri_json_bool(&json, "checked", f->checked);
    meguri_json_close(&json, '}');
    putchar('\n');
}

/* ---- for people ------------------------------------------------------------------------------------------------- */

static void print_histogram(const degree_facts *d) {
    uint64_t largest = 1;
    char range[2 * CLI_NUMBER_TEXT], low[CLI_NUMBER_TEXT], high[CLI_NUMBER_TEXT], count[CLI_NUMBER_TEXT];
    for (int b = 0; b <= d->last; b++)
        if (d->bucket[b] > largest) largest = d->bucket[b];
    for (int b = 0; b <= d->last; b++) {
        cli_thousands(low, bucket_least(b));
        cli_thousands(high, bucket_most(b));
        snprintf(range, sizeof range, b < 2 ? "%s" : "%s to %s", low, high);
        int bar = (int)ceil((double)d->bucket[b] * BAR / (double)largest);
        printf("  %22s %14s", range, cli_thousands(count, d->bucket[b]));
        if (bar) putchar(' ');
        for (int i = 0; i < bar; i++) putchar('#');
        putchar('\n');
    }
}

static void print_columns(const char *title, const meguri_column_info *columns, uint32_t count) {
    if (!count) return;
    printf("  %-10s ", title);
    for (uint32_t c = 0; c < count; c++) {
        const meguri_column_info *column = &columns[c];
        if (c) fputs(", ", stdout);
        cli_print_text(column->name);
        printf(" (%s", meguri_type_name(column->type));
        if (column->kind != MEGURI_COLUMN_VALUES) printf(", %s", meguri_column_kind_name(column->kind));
        if (column->label_count)
            printf(", %" PRIu32 " name%s", column->label_count, column->label_count == 1 ? "" : "s");
        putchar(')');
    }
    putchar('\n');
}

static void print_text(const file_facts *f, const cli_id ids[2]) {
    static const char *const kinds[] = {"unsigned integers", "signed integers", "strings"};
    char a[CLI_NUMBER_TEXT], b[CLI_NUMBER_TEXT], text[MEGURI_COUNT_TEXT];
    const meguri_graph_info *info = &f->info;
    bool weighted = info->weight_type != MEGURI_TYPE_NONE;
    cli_print_text(f->path);
    puts(f->checked ? ": checked, whole" : "");
    printf("  vertices   %s", cli_thousands(a, info->vertices));
    printf(info->isolated ? ", %s isolated\n" : "\n", cli_thousands(a, info->isolated));
    printf("  edges      %s %s, stored as %s\n", cli_thousands(a, info->edges),
           info->directed ? "directed" : "undirected", meguri_count_text(text, info->arcs, "arc"));
    if (f->generation.number) {
        char time[TIME_TEXT];
        printf("  generation %s, extracted %s\n", cli_thousands(a, f->generation.number),
               time_text(time, f->generation.time));
    }
    if (info->in_rows) puts("  backwards  rows are kept");
    cli_print_dropped(info, "  input      ", NULL);
    printf("  weights    %s", weighted ? meguri_type_name(info->weight_type) : "none");
    if (info->weight_storage != info->weight_type) printf(", stored as %s", meguri_type_name(info->weight_storage));
    putchar('\n');
    print_columns("columns", f->columns, info->edge_columns);
    print_columns("attributes", f->vertex_columns, info->vertex_columns);
    printf("  ids        %s", kinds[info->id_kind]);
    if (info->vertices) {
        fputs(", ", stdout);
        cli_print_id(&ids[0]);
        fputs(" … ", stdout);
        cli_print_id(&ids[1]);
    }
    printf("\n  coords     %s\n", info->has_coordinates ? "yes" : "no");
    printf("  order      %s\n", meguri_order_name(info->order));
    if (info->has_path_index) {
        printf("  path index ");
        cli_print_index(&f->index, info->file_bytes);
        putchar('\n');
    }
    printf("  file       %s (%s bytes)", cli_size_text(a, info->file_bytes), cli_thousands(b, info->file_bytes));
    if (info->edges)
        printf(", %.2f bytes per arc, %.2f per edge", (double)info->file_bytes / (double)info->arcs,
               (double)info->file_bytes / (double)info->edges);
    if (!info->vertices) {
        putchar('\n');
        return;
    }
    printf("\n  %s min %s, mean %.2f, ", info->directed ? "out-degree" : "degree    ",
           cli_thousands(a, f->degrees.least), f->degrees.mean);
    printf("max %s\n", cli_thousands(a, f->degrees.most));
    print_histogram(&f->degrees);
}

/* ---- the verb --------------------------------------------------------------------------------------------------- */

static meguri_status get_columns(file_facts *f, cli_run *run, const meguri_graph *graph) {
    meguri_status status = MEGURI_OK;
    f->columns = calloc(f->info.edge_columns + 1, sizeof *f->columns);
    f->vertex_columns = calloc(f->info.vertex_columns + 1, sizeof *f->vertex_columns);
    if (!f->columns || !f->vertex_columns)
        return cli_fail(run, MEGURI_NO_MEMORY, "the system has no memory for the columns of the graph.");
    for (uint32_t c = 0; status == MEGURI_OK && c < f->info.edge_columns; c++) {
        f->columns[c].size = sizeof *f->columns;
        status = meguri_graph_edge_column(&f->columns[c], run->ctx, graph, c);
    }
    for (uint32_t c = 0; status == MEGURI_OK && c < f->info.vertex_columns; c++) {
        f->vertex_columns[c].size = sizeof *f->vertex_columns;
        status = meguri_graph_vertex_column(&f->vertex_columns[c], run->ctx, graph, c);
    }
    return status;
}

static meguri_status get_index(file_facts *f, cli_run *run, const meguri_graph *graph) {
    meguri_path_index *index;
    if (!f->info.has_path_index) return MEGURI_OK;
    meguri_status status = meguri_path_index_of(&index, run->ctx, graph);
    if (status == MEGURI_OK) status = meguri_path_index_get_info(&f->index, run->ctx, index);
    meguri_path_index_free(index);
    return status;
}

static meguri_status show_file(cli_run *run, const char *path) {
    meguri_graph *graph = NULL;
    cli_id ids[2] = {0};
    file_facts facts = {.path = path, .info.size = sizeof facts.info, .checked = cli_given(&run->args, "check")};
    facts.index.size = sizeof facts.index;
    facts.generation.size = sizeof facts.generation;
    meguri_status status = meguri_open(&graph, run->ctx, path, NULL);
    if (status == MEGURI_OK && facts.checked) status = meguri_graph_verify(run->ctx, graph);
    if (status == MEGURI_OK) status = meguri_graph_get_info(&facts.info, run->ctx, graph);
    if (status == MEGURI_OK) status = get_index(&facts, run, graph);
    if (status == MEGURI_OK) status = meguri_graph_generation(&facts.generation, run->ctx, graph);
    if (status == MEGURI_OK) status = get_columns(&facts, run, graph);
    bool quiet = cli_given(&run->args, "quiet") && !cli_given(&run->args, "json");
    if (status == MEGURI_OK && !quiet) {
        uint64_t vertices = facts.info.vertices;
        status = count_degrees(&facts.degrees, run, graph, vertices);
        for (int i = 0; i < 2 && vertices && status == MEGURI_OK; i++)
            status = cli_get_id(&ids[i], run, graph, facts.info.id_kind, i ? vertices - 1 : 0);
        if (status == MEGURI_OK) {
            cli_progress_clear(run);
            (cli_given(&run->args, "json") ? print_json : print_text)(&facts, ids);
        }
    }
    free(facts.columns);
    free(facts.vertex_columns);
    meguri_graph_free(graph);
    return status;
}

/* A bad file does not hide the others: its sentence is printed where it occurs, and the first failure decides. */
static meguri_status run_info(cli_run *run) {
    meguri_status first = MEGURI_OK;
    for (size_t i = 0; i < run->args.operand_count; i++) {
        meguri_status status = show_file(run, run->args.operands[i]);
        if (status == MEGURI_CANCELLED) return status;
        if (status == MEGURI_OK) continue;
        cli_report_failure(run, status);
        if (first == MEGURI_OK) first = status;
    }
    return first;
}

static const char *const examples[] = {"meguri info g.meg", "meguri info --check --json g.meg", NULL};

static const cli_option rows[] = {
    {.name = "check",
     .kind = CLI_FLAG,
     .help = "read all of the file and verify it: hashes, rows, both ways of edges, ids, path index"},
    {0},
};
static const cli_option *const options[] = {rows, cli_common_options, cli_help_options, NULL};

CLI_MANUAL(info);

const cli_verb cli_verb_info = {
    .name = "info",
    .operands = "GRAPH…",
    .least_operands = 1,
    .most_operands = UINT32_MAX,
    .summary = "show what .meg files hold",
    .manual = cli_manual_info,
    .examples = examples,
    .options = options,
    .run = run_info,
};
