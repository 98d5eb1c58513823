/* All of an overview as one JSON object. */
#include "overview/overview.h"

#include <inttypes.h>

static meguri_status put_id(meguri_json *json, const char *key, const cli_overview *o, uint64_t vertex) {
    cli_id id;
    meguri_status status = cli_get_id(&id, o->run, o->graph, o->graph_info.id_kind, vertex);
    if (status == MEGURI_OK) cli_json_id(json, key, &id);
    return status;
}

/* Members of the object that is open; `what` is counted in the bins. */
static void put_numbers(meguri_json *json, const meguri_overview_numbers *n, const char *what) {
    meguri_json_real(json, "min", n->least);
    meguri_json_real(json, "median", n->median);
    meguri_json_real(json, "mean", n->mean);
    meguri_json_real(json, "max", n->most);
    meguri_json_open(json, "histogram", '[');
    for (uint32_t b = 0; b < n->bin_count; b++) {
        meguri_json_open(json, NULL, '{');
        meguri_json_real(json, "from", n->bins[b].from);
        meguri_json_real(json, "to", n->bins[b].to);
        meguri_json_number(json, what, n->bins[b].count);
        meguri_json_close(json, '}');
    }
    meguri_json_close(json, ']');
}

/* The id is `key`, the number `value`; communities have leaders, too. */
static meguri_status put_list(meguri_json *json, const cli_overview *o, const meguri_overview_list *list,
                              const char *key, const char *value, bool leaders) {
    meguri_status status = MEGURI_OK;
    meguri_json_open(json, "top", '[');
    for (uint32_t i = 0; i < list->count && status == MEGURI_OK; i++) {
        meguri_json_open(json, NULL, '{');
        status = put_id(json, key, o, list->items[i].vertex);
        if (leaders && status == MEGURI_OK) status = put_id(json, "leader", o, list->items[i].leader);
        meguri_json_real(json, value, list->items[i].value);
        meguri_json_close(json, '}');
    }
    meguri_json_close(json, ']');
    return status;
}

/* ---- the graph -------------------------------------------------------------------------------------------------- */

static meguri_status put_ids(meguri_json *json, const cli_overview *o) {
    uint64_t vertices = o->graph_info.vertices;
    if (!vertices) {
        meguri_json_null(json, "first_id");
        meguri_json_null(json, "last_id");
        return MEGURI_OK;
    }
    meguri_status status = put_id(json, "first_id", o, 0);
    return status == MEGURI_OK ? put_id(json, "last_id", o, vertices - 1) : status;
}

static meguri_status put_columns(meguri_json *json, const cli_overview *o, bool of_vertices) {
    uint32_t count = of_vertices ? o->graph_info.vertex_columns : o->graph_info.edge_columns;
    meguri_status status = MEGURI_OK;
    meguri_json_open(json, of_vertices ? "vertex_columns" : "columns", '[');
    for (uint32_t c = 0; c < count && status == MEGURI_OK; c++) {
        meguri_column_info column = {.size = sizeof column};
        status =
            (of_vertices ? meguri_graph_vertex_column : meguri_graph_edge_column)(&column, o->run->ctx, o->graph, c);
        if (status != MEGURI_OK) break;
        meguri_json_open(json, NULL, '{');
        meguri_json_string(json, "name", column.name);
        meguri_json_string(json, "type", meguri_type_name(column.type));
        meguri_json_number(json, "names", column.label_count);
        meguri_json_close(json, '}');
    }
    meguri_json_close(json, ']');
    return status;
}

static void put_edges(meguri_json *json, const cli_overview *o) {
    const meguri_overview_info *i = &o->info;
    meguri_json_number(json, "self_loops", i->loops);
    meguri_json_number(json, "parallel_edges", i->parallel);
    meguri_json_number(json, "pairs", i->pairs);
    meguri_json_bool(json, "forest", i->is_forest);
    if (o->graph_info.directed) {
        meguri_json_real(json, "reciprocity", i->reciprocity);
        meguri_json_bool(json, "seems_undirected", i->seems_undirected);
        meguri_json_number(json, "sources", i->sources);
        meguri_json_number(json, "sinks", i->sinks);
    }
    if (!i->weights.count) {
        meguri_json_null(json, "weight");
        return;
    }
    meguri_json_open(json, "weight", '{');
    meguri_json_number(json, "count", i->weights.count);
    meguri_json_number(json, "negative", i->negative_weights);
    meguri_json_number(json, "zero", i->zero_weights);
    put_numbers(json, &i->weights, "edges");
    meguri_json_close(json, '}');
}

static void put_bounds(meguri_json *json, const meguri_overview_info *i) {
    if (!i->located) {
        meguri_json_null(json, "bounds");
        return;
    }
    meguri_json_open(json, "bounds", '{');
    meguri_json_number(json, "vertices", i->located);
    meguri_json_real(json, "min_x", i->least_x);
    meguri_json_real(json, "max_x", i->most_x);
    meguri_json_real(json, "min_y", i->least_y);
    meguri_json_real(json, "max_y", i->most_y);
    meguri_json_close(json, '}');
}

/* ---- structure -------------------------------------------------------------------------------------------------- */

static meguri_status put_degrees(meguri_json *json, const char *name, const cli_overview *o,
                                 const meguri_overview_degrees *d) {
    meguri_json_open(json, name, '{');
    put_numbers(json, &d->numbers, "vertices");
    meguri_json_real(json, "share_of_top_percent", d->top_share);
    meguri_status status = put_list(json, o, &d->top, "vertex", "degree", false);
    meguri_json_close(json, '}');
    return status;
}

static meguri_status put_components(meguri_json *json, const cli_overview *o) {
    const meguri_overview_numbers *n = &o->info.components;
    meguri_json_open(json, "components", '{');
    meguri_json_number(json, "count", n->count);
    meguri_json_real(json, "largest_share", n->most / (double)o->graph_info.vertices);
    put_numbers(json, n, "components");
    meguri_status status = put_list(json, o, &o->info.largest_components, "component", "size", false);
    meguri_json_close(json, '}');
    return status;
}

static meguri_status put_pagerank(meguri_json *json, const cli_overview *o) {
    meguri_json_open(json, "pagerank", '{');
    meguri_status status = put_list(json, o, &o->info.by_pagerank, "vertex", "rank", false);
    meguri_json_close(json, '}');
    return status;
}

static meguri_status put_communities(meguri_json *json, const cli_overview *o) {
    const meguri_overview_info *i = &o->info;
    meguri_json_open(json, "communities", '{');
    meguri_json_string(json, "method", "lpa");
    meguri_json_number(json, "count", i->communities.count);
    meguri_json_string(json, "division", meguri_overview_division_name(i->division));
    meguri_json_real(json, "inside", i->inside);
    meguri_json_real(json, "modularity", i->modularity);
    meguri_json_real(json, "unsettled", i->unsettled);
    put_numbers(json, &i->communities, "communities");
    meguri_status status = put_list(json, o, &i->largest_communities, "label", "size", true);
    meguri_json_close(json, '}');
    return status;
}

static meguri_status put_distances(meguri_json *json, const cli_overview *o) {
    const meguri_overview_info *i = &o->info;
    if (!o->graph_info.vertices) {
        meguri_json_null(json, "distances");
        return MEGURI_OK;
    }
    meguri_json_open(json, "distances", '{');
    meguri_status status = put_id(json, "source", o, i->source);
    if (status == MEGURI_OK) status = put_id(json, "farthest", o, i->farthest);
    meguri_json_number(json, "reached", i->reached);
    meguri_json_number(json, "longest", i->longest);
    if (o->graph_info.directed) meguri_json_null(json, "diameter_at_most");
    else meguri_json_number(json, "diameter_at_most", i->diameter_at_most);
    put_numbers(json, &i->levels, "vertices");
    meguri_json_close(json, '}');
    return status;
}

static void put_clustering(meguri_json *json, const meguri_overview_info *i) {
    meguri_json_open(json, "clustering", '{');
    if (i->triangles_skipped)
        meguri_json_string(json, "skipped", i->triangles_skipped == MEGURI_OVERVIEW_TOO_LONG ? "time" : "memory");
    else {
        meguri_json_null(json, "skipped");
        meguri_json_number(json, "triangles", i->triangles);
        meguri_json_real(json, "transitivity", i->transitivity);
        meguri_json_real(json, "mean_coefficient", i->mean_clustering);
    }
    meguri_json_close(json, '}');
}

static void put_end(meguri_json *json, const cli_overview *o) {
    if (o->output) cli_json_written(json, o->output);
    meguri_json_open(json, "seconds", '{');
    meguri_json_real(json, "open", o->seconds.open);
    meguri_json_real(json, "measure", o->seconds.measure);
    meguri_json_real(json, "write", o->seconds.write);
    meguri_json_real(json, "total", cli_now() - o->run->started);
    meguri_json_close(json, '}');
    meguri_json_number(json, "threads", meguri_ctx_threads(o->run->ctx));
    meguri_json_number(json, "memory_peak_bytes", meguri_ctx_memory_peak(o->run->ctx));
}

meguri_status cli_overview_json(const cli_overview *o) {
    meguri_json json = cli_json_to(stdout);
    bool directed = o->graph_info.directed;
    meguri_json_open(&json, NULL, '{');
    meguri_json_string(&json, "graph", o->run->args.operands[0]);
    cli_json_graph(&json, &o->graph_info);
    meguri_status status = put_ids(&json, o);
    if (status == MEGURI_OK) status = put_columns(&json, o, false);
    if (status == MEGURI_OK) status = put_columns(&json, o, true);
    put_edges(&json, o);
    put_bounds(&json, &o->info);
    if (status == MEGURI_OK) status = put_components(&json, o);
    if (status == MEGURI_OK) status = put_degrees(&json, directed ? "out_degree" : "degree", o, &o->info.degrees);
    if (status == MEGURI_OK && directed) status = put_degrees(&json, "in_degree", o, &o->info.in_degrees);
    if (status == MEGURI_OK) status = put_distances(&json, o);
    put_clustering(&json, &o->info);
    if (status == MEGURI_OK) status = put_pagerank(&json, o);
    if (status == MEGURI_OK) status = put_communities(&json, o);
    put_end(&json, o);
    meguri_json_close(&json, '}');
    putchar('\n');
    return status;
}
