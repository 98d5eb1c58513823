/* meguri path --costs: what each question costs, as a row of a table; the paths are not made. */
#include "path/path.h"

#include <math.h>
#include <string.h>

enum { COLUMNS = 2 }; /* after `from` */
static const char *const names[COLUMNS] = {"to", "cost"};

meguri_status path_costs_check(cli_run *run) {
    static const char *const forms[] = {"lines", "csv", "geojson", "with", "k", "limit"};
    const cli_args *args = &run->args;
    if (!cli_given(args, "costs")) return MEGURI_OK;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (cli_given(args, forms[i]))
            return cli_fail(
                run, MEGURI_BAD_ARGUMENT,
                "--%s is about paths, and --costs gives none: a row from, to, cost for each question, which "
                "-o writes as .tsv, .csv or .npy; leave --%s out.",
                forms[i], forms[i]);
    cli_value algorithm = cli_value_of(args, "algorithm");
    if (algorithm.given && !strstr("|auto|dijkstra|astar|bidirectional|tree|", algorithm.text))
        return cli_fail(run, MEGURI_BAD_ARGUMENT,
                        "--costs is for one cheapest path: --algorithm %s is not one of auto, dijkstra, astar, "
                        "bidirectional and tree.",
                        algorithm.text);
    return MEGURI_OK;
}

const char *path_costs_output(const cli_run *run) {
    const char *output = cli_text(&run->args, "output");
    return output || cli_given(&run->args, "json") ? output : "-";
}

static meguri_status failed(const path_costs *c, meguri_status status) {
    return cli_fail(c->run, status, "%s", meguri_ctx_error(c->ctx));
}

meguri_status path_costs_open(path_costs *c, cli_run *run, const cli_algorithm *a, uint64_t rows) {
    meguri_ctx_child_options own = {.size = sizeof own, .threads = 1, .progress = cli_stop_when_interrupted};
    meguri_type weights = a->info.weight_type;
    const char *path = path_costs_output(run);
    *c = (path_costs){.run = run,
                      .graph = a->graph,
                      .id_kind = a->info.id_kind,
                      .whole = weights != MEGURI_TYPE_F32 && weights != MEGURI_TYPE_F64};
    const meguri_type types[COLUMNS] = {MEGURI_TYPE_VERTEX, c->whole ? MEGURI_TYPE_U64 : MEGURI_TYPE_F64};
    const meguri_table_options options = {
        .size = sizeof options, .rows = rows, .key = "from", .columns = COLUMNS, .names = names, .types = types};
    const meguri_sink sink = {.size = sizeof sink, .path = path};
    meguri_status status = meguri_ctx_child(&c->ctx, run->ctx, &own);
    if (status != MEGURI_OK) return cli_fail(run, status, "there is no memory to write costs.");
    if (path) status = meguri_table_open(&c->table, c->ctx, a->graph, &sink, &options);
    return status == MEGURI_OK ? status : failed(c, status);
}

static meguri_status json_id(meguri_json *json, const char *key, const path_costs *c, uint64_t vertex) {
    cli_id id = {.kind = c->id_kind};
    meguri_status status = c->id_kind == MEGURI_ID_STRING
                               ? meguri_graph_names(&id.name, &id.length, c->ctx, c->graph, vertex, 1)
                               : meguri_graph_ids(&id.number, c->ctx, c->graph, vertex, 1);
    if (status == MEGURI_OK) cli_json_id(json, key, &id);
    return status;
}

static meguri_status add_line(const path_costs *c, uint64_t question, const meguri_path_query *query,
                              const meguri_path_answer *answer) {
    meguri_json json = cli_json_to(stdout);
    cli_progress_clear(c->run);
    meguri_json_open(&json, NULL, '{');
    meguri_json_number(&json, "question", question);
    meguri_status status = json_id(&json, "from", c, query->from);
    if (status == MEGURI_OK) status = json_id(&json, "to", c, query->to);
    if (isinf(answer->cost)) meguri_json_null(&json, "cost");
    else if (c->whole) meguri_json_number(&json, "cost", (uint64_t)answer->cost);
    else meguri_json_real(&json, "cost", answer->cost);
    meguri_json_string(&json, "end", meguri_path_end_name(answer->end));
    meguri_json_close(&json, '}');
    putchar('\n');
    return status;
}

meguri_status path_costs_add(path_costs *c, uint64_t question, const meguri_path_query *query,
                             const meguri_path_answer *answer) {
    uint64_t items[COLUMNS] = {query->to, isinf(answer->cost) ? UINT64_MAX : 0};
    if (!c->whole) memcpy(&items[1], &answer->cost, sizeof answer->cost);
    else if (!isinf(answer->cost)) items[1] = (uint64_t)answer->cost;
    meguri_status status =
        c->table ? meguri_table_add(c->ctx, c->table, query->from, items) : add_line(c, question, query, answer);
    return status == MEGURI_OK ? status : failed(c, status);
}

meguri_status path_costs_close(path_costs *c, meguri_status status) {
    if (status == MEGURI_OK && c->table) {
        status = meguri_table_finish(c->ctx, c->table);
        if (status != MEGURI_OK) failed(c, status);
    }
    meguri_table_free(c->table);
    meguri_ctx_free(c->ctx);
    *c = (path_costs){0};
    return status;
}
