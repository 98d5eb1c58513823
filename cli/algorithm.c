/* What the verbs that search or rank have in common: opening the graph, writing the result, telling what happened. Such
 * a verb is left with its own options and the call itself. */
#include "cli.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const cli_option cli_result_options[] = {
    {.name = "output",
     .letter = 'o',
     .kind = CLI_OUTPUT,
     .content = CLI_RESULT,
     .argument = "FILE",
     .help = "a row each vertex: .csv .tsv .npy .bin; -: TSV"},
    {.name = "check", .kind = CLI_FLAG, .help = "check the answer; exit code 1 if it is wrong"},
    {0},
};

const cli_option cli_check_option[] = {
    {.name = "check", .kind = CLI_FLAG, .help = "check the answer; exit code 1 if it is wrong"},
    {0},
};

/* ---- the graph -------------------------------------------------------------------------------------------------- */

meguri_status cli_open_graph(meguri_graph **out, cli_run *run, const char *path) {
    return cli_open_or_read(out, run, path, cli_opens_as_meg(&run->args, path));
}

/* What the file is, the first process decides: others may see another file, or none, and say so then. */
static meguri_status open_graph(cli_algorithm *a, const char *path) {
    cli_run *run = a->run;
    bool meg = cli_opens_as_meg(&run->args, path);
    meguri_status status = cli_cluster_choose(&meg, run);
    if (status == MEGURI_OK) status = cli_open_or_read(&a->graph, run, path, meg);
    if (status == MEGURI_OK) status = meguri_graph_get_info(&a->info, run->ctx, a->graph);
    if (status == MEGURI_OK && run->cluster) status = meguri_graph_get_layout(&a->layout, run->ctx, a->graph);
    return status;
}

meguri_status cli_algorithm_open(cli_algorithm *a, cli_run *run) {
    *a = (cli_algorithm){.run = run, .info.size = sizeof a->info, .layout.size = sizeof a->layout};
    double start = cli_now();
    meguri_status status = open_graph(a, run->args.operands[run->args.verb->graph]);
    a->seconds.open = cli_now() - start;
    return status;
}

const cli_option cli_weight_option[] = {
    {.name = "weight",
     .kind = CLI_STRING,
     .argument = "NAME",
     .standard = "the graph's",
     .help = "a column of the edges as weight"},
    {0},
};

meguri_status cli_algorithm_weigh(cli_algorithm *a) {
    const char *name = cli_text(&a->run->args, "weight");
    meguri_column_info column = {.size = sizeof column};
    uint32_t number;
    if (!name) return MEGURI_OK;
    meguri_status status = meguri_graph_find_edge_column(&number, a->run->ctx, a->graph, name);
    if (status == MEGURI_OK) status = meguri_graph_edge_column(&column, a->run->ctx, a->graph, number);
    bool real = column.type == MEGURI_TYPE_F32 || column.type == MEGURI_TYPE_F64;
    if (status == MEGURI_OK) a->info.weight_type = real ? MEGURI_TYPE_F64 : MEGURI_TYPE_U32;
    return status;
}

void cli_algorithm_close(cli_algorithm *a) {
    meguri_graph_free(a->graph);
    for (size_t i = 0; i < a->id_text_count; i++) free(a->id_texts[i]);
    free(a->id_texts);
    a->graph = NULL;
    a->id_texts = NULL;
    a->id_text_count = 0;
}

/* The id of a vertex as text, whole however long it is: where it was cut, it is asked for again with more room, by all
 * processes alike. */
static meguri_status get_id_text(char **out, cli_algorithm *a, uint64_t vertex) {
    meguri_status status;
    size_t room = 256, length = 0;
    for (*out = NULL;; room = length + 1) {
        free(*out);
        *out = malloc(room);
        status = cli_cluster_agree(a->run, *out ? MEGURI_OK : MEGURI_NO_MEMORY);
        if (status == MEGURI_OK) status = meguri_graph_id_text(*out, room, &length, a->run->ctx, a->graph, vertex);
        if (status != MEGURI_OK || length < room) return status;
    }
}

meguri_status cli_algorithm_id(cli_id *out, cli_algorithm *a, uint64_t vertex) {
    meguri_id_kind kind = a->info.id_kind;
    char *text;
    meguri_status status = get_id_text(&text, a, vertex);
    char **texts = status == MEGURI_OK ? realloc(a->id_texts, (a->id_text_count + 1) * sizeof *texts) : NULL;
    if (!texts) {
        free(text);
        return status == MEGURI_OK ? MEGURI_NO_MEMORY : status;
    }
    a->id_texts = texts;
    a->id_texts[a->id_text_count++] = text;
    *out = (cli_id){.kind = kind, .name = text, .length = strlen(text)};
    if (kind == MEGURI_ID_SIGNED) out->number = (uint64_t)strtoll(text, NULL, 10);
    else if (kind == MEGURI_ID_UNSIGNED) out->number = strtoull(text, NULL, 10);
    return MEGURI_OK;
}

/* ---- facts ------------------------------------------------------------------------------------------------------ */

static meguri_fact *find_fact(const cli_algorithm *a, const char *name) {
    for (uint32_t i = 0; i < a->fact_count; i++)
        if (strcmp(a->facts[i].name, name) == 0) return (meguri_fact *)&a->facts[i];
    return NULL;
}

uint64_t cli_algorithm_fact(const cli_algorithm *a, const char *name) {
    const meguri_fact *fact = find_fact(a, name);
    return fact ? fact->number : 0;
}

double cli_algorithm_real(const cli_algorithm *a, const char *name) {
    const meguri_fact *fact = find_fact(a, name);
    return fact ? fact->real : 0;
}

static bool counts_largest(const char *name) {
    return strcmp(name, "depth") == 0 || strcmp(name, "farthest") == 0 || strcmp(name, "delta") == 0;
}

static void merge(meguri_fact *into, const meguri_fact *fact) {
    if (fact->text) return; /* the same of every run */
    if (counts_largest(fact->name)) {
        if (fact->type == MEGURI_TYPE_F64 ? fact->real > into->real : fact->number > into->number) *into = *fact;
        return;
    }
    into->number += fact->number;
    into->real += fact->real;
}

/* A fact's name is a constant of the library, so it may outlive the result. */
meguri_status cli_algorithm_add_facts(cli_algorithm *a, const meguri_result *result) {
    for (uint32_t i = 0; i < meguri_result_fact_count(result); i++) {
        meguri_fact fact = {.size = sizeof fact};
        meguri_status status = meguri_result_fact_at(&fact, result, i);
        if (status != MEGURI_OK) return status;
        if (strcmp(fact.name, "seconds") == 0 || strcmp(fact.name, "source") == 0) continue; /* told in another form */
        meguri_fact *known = find_fact(a, fact.name);
        if (known) merge(known, &fact);
        else if (a->fact_count < CLI_FACTS) a->facts[a->fact_count++] = fact;
    }
    return MEGURI_OK;
}

meguri_status cli_algorithm_note(cli_algorithm *a, const meguri_result *result, double seconds) {
    meguri_fact own = {.size = sizeof own};
    if (meguri_result_fact(&own, result, "seconds") == MEGURI_OK) {
        a->seconds.search += own.real;
        a->seconds.prepare += seconds > own.real ? seconds - own.real : 0;
    }
    return cli_algorithm_add_facts(a, result);
}

meguri_status cli_algorithm_checked(cli_algorithm *a, double start, meguri_status status) {
    a->seconds.check += cli_now() - start;
    a->checked = status == MEGURI_OK;
    if (status != MEGURI_WRONG_ANSWER) return status;
    return cli_fail(a->run, status, "the answer is wrong: %s", meguri_ctx_error(a->run->ctx));
}

/* The file of -o; NULL where there is none, or the verb has nothing to write. */
static const char *output_of(const cli_algorithm *a) {
    const cli_args *args = &a->run->args;
    return cli_has(args, "output") ? cli_text(args, "output") : NULL;
}

/* ---- writing and telling ---------------------------------------------------------------------------------------- */

meguri_status cli_algorithm_write(cli_algorithm *a, const meguri_result *result) {
    const char *path = output_of(a);
    if (!path) return MEGURI_OK;
    const meguri_sink sink = {.size = sizeof sink, .path = path};
    double start = cli_now();
    meguri_status status = meguri_result_write(a->run->ctx, result, a->graph, &sink, NULL);
    a->seconds.write = cli_now() - start;
    return status;
}

static void json_column(meguri_json *json, const char *name, meguri_type type) {
    meguri_json_open(json, NULL, '{');
    meguri_json_string(json, "name", name);
    meguri_json_string(json, "type", meguri_type_name(type));
    meguri_json_close(json, '}');
}

void cli_json_columns(meguri_json *json, uint32_t count, const char *const *names, const meguri_type *types) {
    meguri_json_open(json, "columns", '[');
    for (uint32_t i = 0; i < count; i++) json_column(json, names[i], types[i]);
    meguri_json_close(json, ']');
}

static void json_columns(meguri_json *json, const meguri_result *result) {
    meguri_json_open(json, "columns", '[');
    for (uint32_t i = 0; i < meguri_result_column_count(result); i++) {
        meguri_column column = {.size = sizeof column};
        if (meguri_result_column_at(&column, result, i) == MEGURI_OK) json_column(json, column.name, column.type);
    }
    meguri_json_close(json, ']');
}

/* `edges` of a graph and of a search are two things, and programs see both. */
static void json_facts(meguri_json *json, const cli_algorithm *a) {
    for (uint32_t i = 0; i < a->fact_count; i++) {
        const meguri_fact *fact = &a->facts[i];
        const char *key = strcmp(fact->name, "edges") == 0 ? "edges_looked_at" : fact->name;
        if (fact->text) meguri_json_string(json, key, fact->text);
        else if (fact->type == MEGURI_TYPE_F64) meguri_json_real(json, key, fact->real);
        else meguri_json_number(json, key, fact->number);
    }
    const meguri_fact *edges = find_fact(a, "edges");
    if (edges) meguri_json_real(json, "edges_per_second", edges->real / a->seconds.search);
}

static void json_seconds(meguri_json *json, const cli_algorithm *a) {
    meguri_json_open(json, "seconds", '{');
    meguri_json_real(json, "open", a->seconds.open);
    meguri_json_real(json, "prepare", a->seconds.prepare);
    meguri_json_real(json, "search", a->seconds.search);
    meguri_json_real(json, "check", a->seconds.check);
    meguri_json_real(json, "write", a->seconds.write);
    meguri_json_real(json, "total", cli_now() - a->run->started);
    meguri_json_close(json, '}');
}

/* Of the process that needed most. */
static uint64_t memory_peak(const cli_algorithm *a, const cli_totals *totals) {
    return a->run->cluster ? totals->most_memory : meguri_ctx_memory_peak(a->run->ctx) + a->more_memory;
}

static void tell_json(cli_algorithm *a, const meguri_result *result, const cli_telling *telling,
                      const cli_totals *totals, const cli_top *top) {
    meguri_json json = cli_json_to(stdout);
    const char *path = output_of(a);
    meguri_json_open(&json, NULL, '{');
    meguri_json_string(&json, "graph", a->run->args.operands[a->run->args.verb->graph]);
    cli_json_graph(&json, &a->info);
    if (telling->json) telling->json(&json, telling->what);
    json_facts(&json, a);
    if (telling->top) cli_top_json(&json, top);
    if (a->component) {
        meguri_json_number(&json, "component_vertices", a->component);
        meguri_json_string(&json, "hint", CLI_UNREACHED CLI_DIRECTED);
    }
    meguri_json_bool(&json, "checked", a->checked);
    if (path) {
        cli_json_written(&json, path);
        if (result) json_columns(&json, result);
    }
    json_seconds(&json, a);
    meguri_json_number(&json, "threads", meguri_ctx_threads(a->run->ctx));
    meguri_json_number(&json, "memory_peak_bytes", memory_peak(a, totals));
    if (a->run->cluster) cli_cluster_json(&json, totals, &a->layout);
    meguri_json_close(&json, '}');
    putchar('\n');
}

void cli_algorithm_print_edges(const cli_algorithm *a) {
    char x[CLI_NUMBER_TEXT], y[CLI_NUMBER_TEXT];
    uint64_t edges = cli_algorithm_fact(a, "edges");
    printf("looked at %s edge%s in %s", cli_thousands(x, edges), edges == 1 ? "" : "s",
           cli_seconds_text(y, a->seconds.search));
    if (a->seconds.search > 0) printf(", %s", cli_rate_text(x, (double)edges / a->seconds.search));
    putchar('\n');
}

static void tell_text(cli_algorithm *a, const cli_telling *telling, const cli_totals *totals, const cli_top *top) {
    char text[CLI_NUMBER_TEXT];
    const char *path = output_of(a);
    uint32_t threads = meguri_ctx_threads(a->run->ctx);
    if (telling->text) telling->text(a, telling->what);
    if (telling->top) cli_top_print(top);
    if (a->component)
        printf("hint: " CLI_UNREACHED " (%s vertices)" CLI_DIRECTED "\n", cli_thousands(text, a->component));
    if (a->checked) printf("checked: the answer is right (%s)\n", cli_seconds_text(text, a->seconds.check));
    if (a->run->cluster) cli_cluster_print(totals, &a->layout);
    printf("%s (", cli_seconds_text(text, cli_now() - a->run->started));
    printf("open %s, ", cli_seconds_text(text, a->seconds.open));
    printf("prepare %s, ", cli_seconds_text(text, a->seconds.prepare));
    printf("%s %s", telling->work ? telling->work : "work", cli_seconds_text(text, a->seconds.search));
    if (path) printf(", write %s", cli_seconds_text(text, a->seconds.write));
    printf("), memory %s, ", cli_size_text(text, memory_peak(a, totals)));
    printf("%" PRIu32 " thread%s%s", threads, threads == 1 ? "" : "s", totals->processes > 1 ? " each" : "");
    if (path) cli_print_written(path);
    putchar('\n');
}

meguri_status cli_algorithm_tell(cli_algorithm *a, const meguri_result *result, const cli_telling *telling) {
    const cli_args *args = &a->run->args;
    bool json = cli_given(args, "json");
    cli_totals totals = {0};
    cli_top top = {.column = telling->top, .groups = telling->groups};
    if (cli_given(args, "quiet") && !json) return MEGURI_OK;
    meguri_status status = telling->top ? cli_top_get(&top, a, result) : MEGURI_OK;
    if (status == MEGURI_OK && a->run->cluster) status = cli_cluster_add_up(&totals, a->run);
    cli_progress_clear(a->run);
    if (status == MEGURI_OK && cli_is_first(a->run)) {
        if (json) tell_json(a, result, telling, &totals, &top);
        else tell_text(a, telling, &totals, &top);
    }
    cli_top_free(&top);
    return status;
}
