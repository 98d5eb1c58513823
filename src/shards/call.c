/* Calls about graphs: what all processes must give alike, and agreement where the graph may be whole. */
#include "shards/shards.h"

void mg_call_layout(mg_call *call, const meguri_layout *options) {
    bool known = options && options->size >= sizeof *options;
    mg_call_number(call, "number of rows", known ? options->rows : 0);
    mg_call_number(call, "number of columns", known ? options->columns : 0);
    mg_call_number(call, "choice of pairs", known && options->pairs);
    mg_call_number(call, "choice of owners", known ? (uint64_t)options->owner << 1 | (options->programs != 0) : 0);
    mg_call_number(call, "choice of whole files", known && options->whole_files);
}

void mg_call_build(mg_call *call, const meguri_build_options *o) {
    uint64_t choices = (uint64_t)o->direction << 8 | (uint64_t)o->duplicates << 2 |
                       (uint64_t)(o->keep_loops != 0) << 1 | (uint64_t)(o->ignore_weights != 0);
    mg_call_number(call, "choice of how edges become a graph", choices);
}

void mg_call_graph(mg_call *call, meguri_ctx *ctx, const meguri_graph *graph) {
    static const mg_part parts[] = {MG_PART_OFFSETS, MG_PART_NEIGHBORS, MG_PART_WEIGHTS, MG_PART_TO_USER};
    uint64_t hash = 0;
    mg_call_number(call, "number of vertices", graph->vertices);
    mg_call_number(call, "number of arcs", graph->arcs);
    if (graph->elsewhere) return;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const mg_part_data *part = &graph->part[parts[i]];
        hash = hash * 0x9e3779b97f4a7c15u + mg_hash_memory(ctx, part->data, part->bytes);
    }
    mg_call_number(call, "graph", hash);
}

void mg_graph_give_up(const meguri_graph *graph) {
    if (graph->elsewhere) mg_shards_of(graph)->cluster->failed = MEGURI_ENGINE_FAILED;
}

meguri_status mg_graph_agree(meguri_ctx *ctx, const meguri_graph *graph, meguri_status status, const mg_call *call) {
    return graph->elsewhere ? mg_agree_call(ctx, mg_shards_of(graph)->cluster, status, call) : status;
}
